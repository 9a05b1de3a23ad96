"""Kernels whose lowered code mutants.py changes: small, each with another way of moving data or of meeting."""
import triton
import triton.language as tl


@triton.jit
def product(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        a = tl.load(a_ptr + m[:, None] * K + (start + k)[None, :], mask=(m[:, None] < M) & ((start + k)[None, :] < K), other=0.0)
        b = tl.load(b_ptr + (start + k)[:, None] * N + n[None, :], mask=((start + k)[:, None] < K) & (n[None, :] < N), other=0.0)
        acc = tl.dot(a, b, acc)
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc, mask=(m[:, None] < M) & (n[None, :] < N))


@triton.jit
def boxes(a_ptr, b_ptr, o_ptr, K, N: tl.constexpr, B: tl.constexpr):
    a = tl.make_tensor_descriptor(a_ptr, [N, K], [K, 1], [N, B])
    b = tl.make_tensor_descriptor(b_ptr, [K, N], [N, 1], [B, N])
    o = tl.make_tensor_descriptor(o_ptr, [N, N], [N, 1], [N, N])
    acc = tl.zeros((N, N), tl.float32)
    for start in range(0, K, B):
        acc = tl.dot(a.load([0, start]), b.load([start, 0]), acc)
    o.store([0, 0], acc)


@triton.jit
def attention(q_ptr, k_ptr, v_ptr, o_ptr, N, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    m, d = tl.program_id(0) * BM + tl.arange(0, BM), tl.arange(0, D)
    q = tl.load(q_ptr + m[:, None] * D + d[None, :], mask=m[:, None] < N, other=0.0)
    top = tl.full([BM], -float("inf"), tl.float32)
    total = tl.zeros([BM], tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    for start in range(0, N, BN):
        n = start + tl.arange(0, BN)
        k = tl.load(k_ptr + n[None, :] * D + d[:, None], mask=n[None, :] < N, other=0.0)
        s = tl.where(n[None, :] < N, tl.dot(q, k), -float("inf"))
        new = tl.maximum(top, tl.max(s, 1))
        p = tl.exp2(s - new[:, None])
        shrink = tl.exp2(top - new)
        total = total * shrink + tl.sum(p, 1)
        v = tl.load(v_ptr + n[:, None] * D + d[None, :], mask=n[:, None] < N, other=0.0)
        acc = tl.dot(p.to(v.dtype), v, acc * shrink[:, None])
        top = new
    tl.store(o_ptr + m[:, None] * D + d[None, :], acc / total[:, None], mask=m[:, None] < N)


@triton.jit
def softmax(x_ptr, out_ptr, rows, cols, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    for row in range(tl.program_id(0), rows, tl.num_programs(0)):
        x = tl.load(x_ptr + row * cols + i, mask=i < cols, other=-float("inf"))
        e = tl.exp(x - tl.max(x, 0))
        tl.store(out_ptr + row * cols + i, e / tl.sum(e, 0), mask=i < cols)


@triton.jit
def columns(x_ptr, out_ptr, rows, cols, BR: tl.constexpr, BC: tl.constexpr):
    """Sums of columns over blocks of rows: through shared memory, among warps."""
    c = tl.program_id(0) * BC + tl.arange(0, BC)
    total = tl.zeros([BC], tl.float32)
    for start in range(0, rows, BR):
        r = start + tl.arange(0, BR)
        total += tl.sum(tl.load(x_ptr + r[:, None] * cols + c[None, :], mask=(r[:, None] < rows) & (c[None, :] < cols), other=0.0), 0)
    tl.store(out_ptr + c, total, mask=c < cols)


@triton.jit
def running(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    carried = 0
    for start in range(0, n, BLOCK):
        x = tl.load(x_ptr + start + i, mask=start + i < n, other=0)
        tl.store(out_ptr + start + i, tl.cumsum(x, 0) + carried, mask=start + i < n)
        carried += tl.sum(x, 0)


@triton.jit
def turned(x_ptr, out_ptr, n, B: tl.constexpr):
    i, k = tl.program_id(0) * B + tl.arange(0, B), tl.program_id(1) * B + tl.arange(0, B)
    x = tl.load(x_ptr + i[:, None] * n + k[None, :], mask=(i[:, None] < n) & (k[None, :] < n), other=0)
    tl.store(out_ptr + k[:, None] * n + i[None, :], tl.trans(x), mask=(k[:, None] < n) & (i[None, :] < n))


@triton.jit
def picked(x_ptr, which_ptr, out_ptr, B: tl.constexpr):
    i = tl.arange(0, B)
    x, which = tl.load(x_ptr + i), tl.load(which_ptr + i)
    tl.store(out_ptr + i, tl.gather(x, which % B, 0))


@triton.jit
def counted(x_ptr, out_ptr, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    x = tl.load(x_ptr + i, mask=i < n, other=0)
    h = tl.histogram(x % 16, 16, mask=i < n)
    tl.atomic_add(out_ptr + tl.arange(0, 16), h)


@triton.jit
def shifted(p_ptr, count_ptr, out_ptr, n, B: tl.constexpr):
    """In place, and a counter that one thread stores: the compiler has threads meet in between."""
    for start in range(0, n, B):
        i = start + tl.arange(0, B)
        x = tl.load(p_ptr + i + 1, mask=i + 1 < n, other=-1)
        tl.store(p_ptr + i, x, mask=i < n)
        c = tl.load(count_ptr)
        tl.store(out_ptr + i, c + x, mask=i < n)
        tl.store(count_ptr, c + 1)


@triton.jit
def passed_on(x_ptr, between_ptr, out_ptr, B: tl.constexpr):
    i = tl.arange(0, B)
    base = tl.program_id(0) * B
    tl.store(between_ptr + base + i, tl.load(x_ptr + base + i))
    tl.debug_barrier()
    tl.store(out_ptr + base + i, tl.load(between_ptr + base + (i + 1) % B))


@triton.jit
def locked(lock_ptr, sum_ptr, x_ptr, B: tl.constexpr):
    i = tl.arange(0, B)
    x = tl.load(x_ptr + tl.program_id(0) * B + i)
    while tl.atomic_cas(lock_ptr, 0, 1) == 1:
        pass
    tl.store(sum_ptr + i, tl.load(sum_ptr + i) + x)
    tl.debug_barrier()
    tl.atomic_xchg(lock_ptr, 0)


@triton.jit
def last(x_ptr, parts_ptr, counter_ptr, out_ptr, B: tl.constexpr, P: tl.constexpr):
    """Who comes last sums up what all have left."""
    pid, i = tl.program_id(0), tl.arange(0, B)
    tl.store(parts_ptr + pid * B + i, tl.load(x_ptr + pid * B + i) * 2)
    tl.debug_barrier()
    if tl.atomic_add(counter_ptr, 1) == P - 1:
        total = tl.zeros([B], tl.int32)
        for k in range(P):
            total += tl.load(parts_ptr + k * B + i)
        tl.store(out_ptr + i, total)


@triton.jit
def chained(x_ptr, flags_ptr, carry_ptr, out_ptr, B: tl.constexpr):
    """Each adds what the one before it has left."""
    pid, i = tl.program_id(0), tl.arange(0, B)
    x = tl.load(x_ptr + pid * B + i)
    before = 0
    if pid > 0:
        while tl.atomic_add(flags_ptr + pid - 1, 0, sem="acquire") == 0:
            pass
        before = tl.load(carry_ptr + pid - 1)
    tl.store(carry_ptr + pid, before + tl.sum(x, 0))
    tl.debug_barrier()
    tl.atomic_xchg(flags_ptr + pid, 1, sem="release")
    tl.store(out_ptr + pid * B + i, tl.cumsum(x, 0) + before)


@triton.jit
def scattered(x_ptr, which_ptr, sums_ptr, tops_ptr, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    x = tl.load(x_ptr + i, mask=i < n, other=0)
    which = tl.load(which_ptr + i, mask=i < n, other=0)
    tl.atomic_add(sums_ptr + which % 16, x, mask=i < n, sem="relaxed")
    tl.atomic_max(tops_ptr + which % 16, x, mask=i < n, sem="relaxed")


@triton.jit
def sums(x_ptr, out_ptr):
    """Among the CTAs of a cluster."""
    i, k = tl.arange(0, 64), tl.arange(0, 64)
    x = tl.load(x_ptr + i[:, None] * 64 + k[None, :])
    tl.store(out_ptr + i, tl.sum(x, 1))
    tl.store(out_ptr + 64 + k, tl.sum(x, 0))


@triton.jit
def best(x_ptr, where_ptr, top_ptr, rows, cols, BR: tl.constexpr, BC: tl.constexpr):
    r, c = tl.program_id(0) * BR + tl.arange(0, BR), tl.arange(0, BC)
    x = tl.load(x_ptr + r[:, None] * cols + c[None, :], mask=(r[:, None] < rows) & (c[None, :] < cols), other=-1)
    top, where = tl.max(x, 1, return_indices=True)
    tl.store(where_ptr + r, where, mask=r < rows)
    tl.store(top_ptr + r, top, mask=r < rows)


@triton.jit
def sorted_rows(x_ptr, out_ptr, B: tl.constexpr):
    i = tl.arange(0, B)
    base = tl.program_id(0) * B
    tl.store(out_ptr + base + i, tl.sort(tl.load(x_ptr + base + i)))


@triton.jit
def roled(a_ptr, b_ptr, c_ptr, M, N, K, B: tl.constexpr, BK: tl.constexpr):
    a = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [B, BK])
    b = tl.make_tensor_descriptor(b_ptr, [K, N], [N, 1], [BK, B])
    c = tl.make_tensor_descriptor(c_ptr, [M, N], [N, 1], [B, B])
    across = tl.cdiv(N, B)
    for tile in tl.range(tl.program_id(0), tl.cdiv(M, B) * across, tl.num_programs(0), flatten=True, warp_specialize=True):
        m, n = tile // across * B, tile % across * B
        acc = tl.zeros((B, B), tl.float32)
        for k in tl.range(0, tl.cdiv(K, BK), num_stages=3):
            acc = tl.dot(a.load([m, k * BK]), b.load([k * BK, n]), acc)
        c.store([m, n], acc.to(tl.float16))


@triton.jit
def roled_twice(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    a = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BM, BK])
    b = tl.make_tensor_descriptor(b_ptr, [K, N], [N, 1], [BK, BN])
    m, n = tl.program_id(0) * BM, tl.program_id(1) * BN
    acc = tl.zeros((BM, BN), tl.float32)
    for k in tl.range(0, tl.cdiv(K, BK), num_stages=3, warp_specialize=True):
        acc = tl.dot(a.load([m, k * BK]), b.load([k * BK, n]), acc)
    i, j = m + tl.arange(0, BM), n + tl.arange(0, BN)
    tl.store(c_ptr + i[:, None] * N + j[None, :], acc.to(tl.float16), mask=(i[:, None] < M) & (j[None, :] < N))
