# Products over the steps of all tiles in one loop, which counts the steps of each tile itself: it becomes a loop over tiles around one over a
# tile's steps, whose loads start ahead. By several ways of counting, with tiles that end outside, a single step, and none.
# run: neso compile %s:by_select --signature "*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16,64,64,32,3" --target sim:sm_90a --num-stages 3 --why
# run: neso run %s:by_select --target sim:sm_90a --check --against interp -q -g 3 a=rand:200x96:fp16:1 b=rand:96x192:fp16:2 c=zeros:200x192:fp16 200 192 96 BM=64 BN=64 BK=32 SMS=3 --num-stages 3
# run: neso run %s:by_select --target sim:sm_90a --check --against interp -q -g 3 a=rand:136x16:fp16:1 b=rand:16x128:fp16:2 c=zeros:136x128:fp16 136 128 16 BM=64 BN=64 BK=32 SMS=3 --num-stages 3
# run: neso run %s:by_select --target sim:sm_80 --check --against interp -q -g 3 a=rand:200x96:fp16:1 b=rand:96x192:fp16:2 c=zeros:200x192:fp16 200 192 96 BM=64 BN=64 BK=32 SMS=3 --num-stages 3
# run: neso run %s:by_select --target sim:sm_90a --against interp -q -g 3 a=rand:64x16:fp16:1 b=rand:16x64:fp16:2 c=rand:64x64:fp16:3 64 64 0 BM=64 BN=64 BK=32 SMS=3 --num-stages 3
# run: neso compile %s:by_branch --signature "*fp16:16,*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16,64,64,32,3" --target sim:sm_90a --num-stages 3 --why
# run: neso run %s:by_branch --target sim:sm_90a --check --against interp -q -g 3 a=rand:200x96:fp16:1 b=rand:96x192:fp16:2 c=zeros:200x192:fp16 bias=rand:192:fp16:3 200 192 96 BM=64 BN=64 BK=32 SMS=3 --num-stages 3
# run: neso run %s:by_branch --target sim:sm_90a --check --against interp -q -g 3 a=rand:64x16:fp16:1 b=rand:16x64:fp16:2 c=zeros:64x64:fp16 bias=rand:64:fp16:3 64 64 16 BM=64 BN=64 BK=32 SMS=1 --num-stages 3
# run: neso compile %s:by_rest --signature "*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16,64,64,32,3" --target sim:sm_90a --num-stages 3 --why
# run: neso run %s:by_rest --target sim:sm_90a --check --against interp -q -g 3 a=rand:200x96:fp16:1 b=rand:192x96:fp16:2 c=zeros:200x192:fp16 200 192 96 BM=64 BN=64 BK=32 SMS=3 --num-stages 3
# run: neso compile %s:left_over --signature "*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16,i32,64,64,32" --target sim:sm_90a --num-stages 3 --why
# run: neso run %s:left_over --target sim:sm_90a --check --against interp -q -g 1 a=rand:200x96:fp16:1 b=rand:96x192:fp16:2 c=zeros:200x192:fp16 200 192 96 11 BM=64 BN=64 BK=32 --num-stages 3
# run: neso run %s:left_over --target sim:sm_90a --against interp -q -g 1 a=rand:200x96:fp16:1 b=rand:96x192:fp16:2 c=zeros:200x192:fp16 200 192 96 2 BM=64 BN=64 BK=32 --num-stages 3
# run: neso run %s:left_over --target sim:sm_90a --against interp -q -g 1 a=rand:200x96:fp16:1 b=rand:96x192:fp16:2 c=zeros:200x192:fp16 200 192 96 all_steps=-5 BM=64 BN=64 BK=32 --num-stages 3
# run: neso run %s:left_over --target sim:sm_90a --against interp -q -g 1 a=rand:200x96:fp16:1 b=rand:96x192:fp16:2 c=zeros:200x192:fp16 200 192 K=-96 all_steps=9 BM=64 BN=64 BK=32 --num-stages 3
# run: neso compile %s:flattened --signature "*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16,128,64,64,3" --target sim:sm_90a --num-warps 8 --num-stages 3 --why
# run: neso run %s:flattened --target sim:sm_90a --check --against interp -q -g 3 a=rand:400x192:fp16:1 b=rand:192x192:fp16:2 c=zeros:400x192:fp16 400 192 192 BM=128 BN=64 BK=64 SMS=3 --num-warps 8 --num-stages 3
# run: neso run %s:flattened --target sim:sm_90a --schedules 4 -q -g 3 a=rand:400x64:fp16:1 b=rand:192x64:fp16:2 c=zeros:400x192:fp16 400 192 64 BM=128 BN=64 BK=64 SMS=3 --num-warps 8 --num-stages 3
import triton
import triton.language as tl


@triton.jit
def place(tile, N, BN: tl.constexpr):
    columns = tl.cdiv(N, BN)
    return tile // columns, tile % columns


@triton.jit
def share(M, N, BM: tl.constexpr, BN: tl.constexpr, SMS: tl.constexpr):
    tiles = tl.cdiv(M, BM) * tl.cdiv(N, BN)
    own = tiles // SMS
    if tl.program_id(0) < tiles % SMS:
        own += 1
    return own


@triton.jit
def store(c, acc, m, n, M, N, BM: tl.constexpr, BN: tl.constexpr):
    cm, cn = m * BM + tl.arange(0, BM), n * BN + tl.arange(0, BN)
    tl.store(c + cm[:, None] * N + cn[None, :], acc.to(tl.float16), mask=(cm[:, None] < M) & (cn[None, :] < N))


# The first step of a tile finds its place.
# CHECK-LABEL: for _ in range(0, steps * own):
# CHECK: + loop nested: it counts the steps of each tile itself, and is two: one of tiles, and inside one of a tile's steps
# CHECK: + loop pipelined: 3 stages
# CHECK: + load tensor-map
# CHECK: + load tensor-map
@triton.jit
def by_select(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, SMS: tl.constexpr):
    own, steps = share(M, N, BM, BN, SMS), tl.cdiv(K, BK)
    tile, ki, m, n = tl.program_id(0) - SMS, -1, 0, 0
    rm, rn, rk = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for _ in range(0, steps * own):
        ki = tl.where(ki == steps - 1, 0, ki + 1)
        if ki == 0:
            tile += SMS
            m, n = place(tile, N, BN)
            rm = m * BM + tl.arange(0, BM)
            rn = n * BN + tl.arange(0, BN)
            rm = tl.max_contiguous(tl.multiple_of(tl.where(rm < M, rm, 0), BM), BM)
            rn = tl.max_contiguous(tl.multiple_of(tl.where(rn < N, rn, 0), BN), BN)
        k = ki * BK + rk
        x = tl.load(a + rm[:, None] * K + k[None, :], mask=rk[None, :] < K - ki * BK, other=0.0)
        y = tl.load(b + k[:, None] * N + rn[None, :], mask=rk[:, None] < K - ki * BK, other=0.0)
        acc = tl.dot(x, y, acc)
        if ki == steps - 1:
            store(c, acc, m, n, M, N, BM, BN)
            acc = tl.zeros((BM, BN), tl.float32)


# The last step finds the place of the next tile; pointers are carried.
# CHECK-LABEL: for _ in range(steps * own):
# CHECK: + loop nested
# CHECK: + loop pipelined: 3 stages
# CHECK: + load tensor-map
# CHECK: + load tensor-map
@triton.jit
def by_branch(a, b, c, bias, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, SMS: tl.constexpr):
    own, steps = share(M, N, BM, BN, SMS), tl.cdiv(K, BK)
    tile, ki = tl.program_id(0), 0
    m, n = place(tile, N, BN)
    rk = tl.arange(0, BK)
    xs = a + ((m * BM + tl.arange(0, BM)) % M)[:, None] * K + rk[None, :]
    ys = b + rk[:, None] * N + ((n * BN + tl.arange(0, BN)) % N)[None, :]
    acc = tl.zeros((BM, BN), tl.float32)
    for _ in range(steps * own):
        x = tl.load(xs, mask=rk[None, :] < K - ki * BK, other=0.0)
        y = tl.load(ys, mask=rk[:, None] < K - ki * BK, other=0.0)
        acc += tl.dot(x, y)
        if ki == steps - 1:
            rn = n * BN + tl.arange(0, BN)
            acc += tl.load(bias + rn, mask=rn < N, other=0.0)[None, :]
            store(c, tl.maximum(acc, 0.0), m, n, M, N, BM, BN)
            acc = tl.zeros((BM, BN), tl.float32)
            ki = 0
            tile += SMS
            m, n = place(tile, N, BN)
            xs = a + ((m * BM + tl.arange(0, BM)) % M)[:, None] * K + rk[None, :]
            ys = b + rk[:, None] * N + ((n * BN + tl.arange(0, BN)) % N)[None, :]
        else:
            ki += 1
            xs += BK
            ys += BK * N


# The loop's own counter is both numbers. Descriptors.
# CHECK-LABEL: for i in range(own * steps):
# CHECK: + loop nested
# CHECK: + loop pipelined: 3 stages
# CHECK: + load tensor-map
# CHECK: + load tensor-map
# CHECK: + access tensor-map: store
@triton.jit
def by_rest(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, SMS: tl.constexpr):
    xs = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BM, BK])
    ys = tl.make_tensor_descriptor(b, [N, K], [K, 1], [BN, BK])
    zs = tl.make_tensor_descriptor(c, [M, N], [N, 1], [BM, BN])
    own, steps = share(M, N, BM, BN, SMS), tl.cdiv(K, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for i in range(own * steps):
        ki = i % steps
        m, n = place(tl.program_id(0) + i // steps * SMS, N, BN)
        acc = tl.dot(xs.load([m * BM, ki * BK]), ys.load([n * BN, ki * BK]).T, tl.where(ki == 0, 0.0, acc))
        if ki == steps - 1:
            zs.store([m * BM, n * BN], acc.to(tl.float16))


# Steps that are left over store nothing; nor does any where there is none to a tile.
# CHECK-LABEL: for _ in range(all_steps):
# CHECK: + loop nested
# CHECK: + loop pipelined: 3 stages
@triton.jit
def left_over(a, b, c, M, N, K, all_steps, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    steps, tile, ki, m, n = tl.cdiv(K, BK), 0, 0, 0, 0
    rk = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for _ in range(all_steps):
        rm, rn = m * BM + tl.arange(0, BM), n * BN + tl.arange(0, BN)
        k = ki * BK + rk
        x = tl.load(a + rm[:, None] * K + k[None, :], mask=(rm[:, None] < M) & (k[None, :] < K), other=0.0)
        y = tl.load(b + k[:, None] * N + rn[None, :], mask=(k[:, None] < K) & (rn[None, :] < N), other=0.0)
        acc = tl.dot(x, y, acc)
        ki += 1
        if ki == steps:
            store(c, acc, m, n, M, N, BM, BN)
            acc = tl.zeros((BM, BN), tl.float32)
            ki = 0
            tile += 1
            m, n = place(tile, N, BN)


# What is said of the loop is said of that over tiles.
# CHECK-LABEL: for _ in tl.range(0, steps * own, flatten=True):
# CHECK: + loop nested
# CHECK: + loop specialised: a warp of its own copies, 8 warps multiply from tile to tile
# CHECK: + access tensor-map: store
@triton.jit
def flattened(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, SMS: tl.constexpr):
    xs = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BM, BK])
    ys = tl.make_tensor_descriptor(b, [N, K], [K, 1], [BN, BK])
    zs = tl.make_tensor_descriptor(c, [M, N], [N, 1], [BM, BN])
    own, steps = share(M, N, BM, BN, SMS), tl.cdiv(K, BK)
    tile, ki, m, n = tl.program_id(0) - SMS, -1, 0, 0
    acc = tl.zeros((BM, BN), tl.float32)
    for _ in tl.range(0, steps * own, flatten=True):
        ki = tl.where(ki == steps - 1, 0, ki + 1)
        if ki == 0:
            tile += SMS
            m, n = place(tile, N, BN)
        acc = tl.dot(xs.load([m * BM, ki * BK]), ys.load([n * BN, ki * BK]).T, acc)
        if ki == steps - 1:
            zs.store([m * BM, n * BN], acc.to(tl.float16))
            acc = tl.zeros((BM, BN), tl.float32)
