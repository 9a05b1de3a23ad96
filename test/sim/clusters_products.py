# Programs of several CTAs that multiply: each CTA computes its part, by products of warp groups from rings that TMA fills, and what follows of it.
# run: neso run %s:matmul --target sim:sm_90a --num-ctas 2 --check -q --against interp -g 4 rand:256x136:fp16 rand:136x256:fp16:3 zeros:256x256:fp16 250 256 136 128 128 64
# run: neso run %s:matmul --target sim:sm_90a --num-ctas 4 --num-warps 8 --schedules 2 -q --against interp -g 1 rand:256x128:fp16 rand:128x256:fp16:3 zeros:256x256:fp16 256 256 128 256 256 64
# run: neso run %s:matmul --target sim:sm_90a --num-ctas 8 --check -q --against interp -g 1 rand:256x128:fp16 rand:128x256:fp16:3 zeros:256x256:fp16 256 256 128 256 256 32
# run: neso run %s:matmul --target sim:sm_90a --num-ctas 2 --check -q --against interp -g 1 rand:64x72:fp16 rand:72x64:fp16:3 zeros:64x64:fp16 60 64 72 64 64 32
# run: neso run %s:persistent --target sim:sm_90a --num-ctas 2 --schedules 2 -q --against interp -g 2 rand:200x128:fp16 rand:128x208:fp16:3 zeros:200x208:fp16 200 208 128 128 128 64
# run: NESO_WARP_SPECIALIZE=1 neso run %s:persistent --target sim:sm_90a --num-ctas 2 --num-warps 8 --schedules 2 -q --against interp -g 2 rand:200x128:fp16 rand:128x208:fp16:3 zeros:200x208:fp16 200 208 128 128 128 64
# run: NESO_WARP_SPECIALIZE=1 neso run %s:persistent --target sim:sm_90a --num-ctas 4 --check -q --against interp -g 1 rand:256x128:fp16 rand:128x512:fp16:3 zeros:256x512:fp16 256 512 128 256 128 32
# run: NESO_WARP_SPECIALIZE=1 neso run %s:matmul --target sim:sm_90a --num-ctas 2 --schedules 2 -q --against interp -g 2 rand:256x200:fp16 rand:200x128:fp16:3 zeros:256x128:fp16 250 128 200 128 128 32
# run: neso run %s:given --target sim:sm_90a --num-ctas 2 --num-warps 8 --check -q --against interp -g 2,1 desc:128x64:rand:256x128:fp16 desc:64x128:rand:128x128:fp16:3 desc:128x128:zeros:256x128:fp16 128 128 128 64
# run: neso run %s:beside --target sim:sm_90a --num-ctas 2 --schedules 2 -q --against interp -g 1 arange:128x64:fp16 ones:64x128:fp16 ones:128:fp16 zeros:128x128:fp32 zeros:128:fp32 zeros:129:i32 64
# run: neso run %s:added --target sim:sm_90a --num-ctas 2 --schedules 2 -q --against interp -g 1 ones:64x64:fp16 ones:64x64:fp16 ones:64x64:fp32 zeros:64x64:fp32
# run: neso run %s:counted --target sim:sm_90a --num-ctas 2 --schedules 3 -q --against interp -g 1 ones:64x64:fp16 ones:64x64:fp16 zeros:64x64:fp32 zeros:1:i32
# run: neso run %s:shapes --target sim:sm_90a --num-ctas 4 --check -q --against interp -g 1 rand:128x64:fp16 rand:64x64:fp16:3 zeros:128x64:fp32 zeros:64x64:fp32 zeros:128x64:i32
# run: neso run %s:until --target sim:sm_90a --num-ctas 2 --check -q --against interp -g 1 ones:64x64:fp16 ones:64x64:fp16 zeros:64x64:fp32 300.0
# run: neso run %s:attention --target sim:sm_90a --num-ctas 2 --num-warps 4 --check -q --against interp --rtol 1e-2 -g 2 rand:256x64:fp16 rand:256x64:fp16:3 rand:256x64:fp16:4 zeros:256x64:fp16 zeros:256:fp32 256 0.5 128 True
# run: neso run %s:attention --target sim:sm_90a --num-ctas 2 --num-warps 8 --check -q --against interp --rtol 1e-2 -g 1 rand:256x64:fp16 rand:256x64:fp16:3 rand:256x64:fp16:4 zeros:256x64:fp16 zeros:256:fp32 256 0.5 256 False
# limit: 240
# expect: success
import triton
import triton.language as tl


@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    n = tl.cdiv(N, BN)
    pm, pn = tl.program_id(0) // n, tl.program_id(0) % n
    rm, rn, rk = pm * BM + tl.arange(0, BM), pn * BN + tl.arange(0, BN), tl.arange(0, BK)
    a = a_ptr + rm[:, None] * K + rk[None, :]
    b = b_ptr + rk[:, None] * N + rn[None, :]
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        x = tl.load(a, mask=rk[None, :] < K - k * BK, other=0.0)
        y = tl.load(b, mask=rk[:, None] < K - k * BK, other=0.0)
        acc = tl.dot(x, y, acc)
        a += BK
        b += BK * N
    tl.store(c_ptr + rm[:, None] * N + rn[None, :], acc.to(tl.float16), mask=(rm[:, None] < M) & (rn[None, :] < N))


@triton.jit
def persistent(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    A = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BM, BK])
    B = tl.make_tensor_descriptor(b_ptr, [K, N], [N, 1], [BK, BN])
    C = tl.make_tensor_descriptor(c_ptr, [M, N], [N, 1], [BM, BN])
    n = tl.cdiv(N, BN)
    for t in range(tl.program_id(0), tl.cdiv(M, BM) * n, tl.num_programs(0)):
        acc = tl.zeros((BM, BN), tl.float32)
        for k in range(0, K, BK):
            acc = tl.dot(A.load([t // n * BM, k]), B.load([k, t % n * BN]), acc)
        C.store([t // n * BM, t % n * BN], acc.to(tl.float16))


@triton.jit
def given(A, B, C, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Descriptors that are arguments are of smaller tiles then."""
    pm, pn = tl.program_id(0), tl.program_id(1)
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        acc = tl.dot(A.load([pm * BM, k]), B.load([k, pn * BN]), acc)
    C.store([pm * BM, pn * BN], acc.to(tl.float16))


@triton.jit
def beside(a_ptr, b_ptr, bias_ptr, c_ptr, sums, out, K):
    """One range is rows, which are cut, and columns, which are not; what all CTAs would store one of them does."""
    r, rk = tl.arange(0, 128), tl.arange(0, 64)
    acc = tl.zeros((128, 128), tl.float32)
    for k in range(0, K, 64):
        a = tl.load(a_ptr + r[:, None] * K + (k + rk)[None, :])
        acc = tl.dot(a, tl.load(b_ptr + (k + rk)[:, None] * 128 + r[None, :]), acc)
    acc += tl.load(bias_ptr + r)[None, :] + tl.load(bias_ptr + r)[:, None].to(tl.float32)
    acc = tl.maximum(acc, 0.0)
    tl.store(c_ptr + r[:, None] * 128 + r[None, :], acc)
    tl.store(sums + r, tl.sum(acc, 1))
    tl.store(out, K)
    tl.store(out + 1 + r, r + K)


@triton.jit
def added(a_ptr, b_ptr, c_ptr, d_ptr):
    """Each CTA reads what it stores, and nothing else; it adds to what others add to as well."""
    r = tl.arange(0, 64)
    at = r[:, None] * 64 + r[None, :]
    acc = tl.dot(tl.load(a_ptr + at), tl.load(b_ptr + at))
    tl.store(c_ptr + at, tl.load(c_ptr + at) + acc)
    tl.atomic_add(d_ptr + at, acc)


@triton.jit
def counted(a_ptr, b_ptr, c_ptr, n_ptr):
    """A scalar that is read and stored again: the CTAs meet in between, and share their tiles."""
    r = tl.arange(0, 64)
    at = r[:, None] * 64 + r[None, :]
    n = tl.load(n_ptr)
    acc = tl.dot(tl.load(a_ptr + at), tl.load(b_ptr + at))
    tl.store(n_ptr, n + 1)
    tl.store(c_ptr + at, acc + n)


@triton.jit
def shapes(a_ptr, b_ptr, c_ptr, d_ptr, e_ptr):
    """What is cut goes through other shapes and back."""
    r, k = tl.arange(0, 128), tl.arange(0, 64)
    acc = tl.dot(tl.load(a_ptr + r[:, None] * 64 + k[None, :]), tl.load(b_ptr + k[:, None] * 64 + k[None, :]))
    cube = tl.reshape(acc, (8, 16, 64))
    halves = tl.reshape(cube * 2.0, (128, 32, 2))
    low, high = tl.split(halves)
    tl.store(c_ptr + r[:, None] * 64 + k[None, :], tl.reshape(tl.join(high, low), (128, 64)))
    tl.store(d_ptr + k[:, None] * 64 + k[None, :], tl.trans(tl.max(tl.reshape(acc, (64, 2, 64)), 1)))
    sums = tl.cumsum((acc > 16.0).to(tl.int32), 1)
    tl.store(e_ptr + r[:, None] * 64 + k[None, :], sums)


@triton.jit
def until(a_ptr, b_ptr, c_ptr, most):
    """A while loop, and a branch, that hand parts on."""
    r = tl.arange(0, 64)
    at = r[:, None] * 64 + r[None, :]
    acc = tl.zeros((64, 64), tl.float32)
    n = 0.0
    while n < most:
        acc = tl.dot(tl.load(a_ptr + at), tl.load(b_ptr + at), acc)
        n += 64.0
        if n > 200.0:
            acc += r[None, :]
        else:
            acc = tl.dot(tl.load(b_ptr + at), tl.load(a_ptr + at), acc)
    tl.store(c_ptr + at, acc)


@triton.jit
def attention(q_ptr, k_ptr, v_ptr, o_ptr, l_ptr, N, scale, BM: tl.constexpr, CAUSAL: tl.constexpr):
    pid = tl.program_id(0)
    rm, rn, rd = pid * BM + tl.arange(0, BM), tl.arange(0, 64), tl.arange(0, 64)
    q = tl.load(q_ptr + rm[:, None] * 64 + rd[None, :])
    m = tl.full((BM,), -float("inf"), tl.float32)
    l = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, 64), tl.float32)
    for s in range(0, (pid + 1) * BM if CAUSAL else N, 64):
        k = tl.load(k_ptr + (s + rn)[:, None] * 64 + rd[None, :])
        v = tl.load(v_ptr + (s + rn)[:, None] * 64 + rd[None, :])
        qk = tl.dot(q, tl.trans(k)) * scale
        if CAUSAL:
            qk = tl.where(rm[:, None] >= (s + rn)[None, :], qk, -float("inf"))
        new = tl.maximum(m, tl.max(qk, 1))
        p = tl.exp2(qk - new[:, None])
        f = tl.exp2(m - new)
        l = l * f + tl.sum(p, 1)
        acc = tl.dot(p.to(tl.float16), v, acc * f[:, None])
        m = new
    tl.store(o_ptr + rm[:, None] * 64 + rd[None, :], (acc / l[:, None]).to(tl.float16))
    tl.store(l_ptr + rm, m + tl.log2(l))
