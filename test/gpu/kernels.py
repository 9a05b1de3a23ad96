"""not a test: kernels whose results the interpreter and a GPU must agree on; compare.py says with what arguments."""
import triton
import triton.language as tl


@triton.jit
def integers(a_ptr, b_ptr, out_ptr, N: tl.constexpr):
    """Wrap-around, truncating division, shifts, comparisons, min and max, signed and unsigned."""
    i = tl.arange(0, N)
    a = tl.load(a_ptr + i)
    b = tl.load(b_ptr + i)
    ua = a.to(tl.uint32, bitcast=True)
    ub = b.to(tl.uint32, bitcast=True)
    s = b & 31
    nonzero = tl.where(b == 0, 1, b)
    r = a + b
    r = r * 31 + (a - b)
    r = r * 31 + a * b
    r = r * 31 + a // nonzero
    r = r * 31 + a % nonzero
    r = r * 31 + (ua // tl.where(ub == 0, 1, ub)).to(tl.int32, bitcast=True)
    r = r * 31 + (a & b) + (a | b) * 3 + (a ^ b) * 5 + ~a
    r = r * 31 + (a << s) + (a >> s) * 7
    r = r * 31 + (ua >> s.to(tl.uint32)).to(tl.int32, bitcast=True)
    r = r * 31 + tl.minimum(a, b) + tl.maximum(a, b) * 3
    r = r * 31 + (a < b).to(tl.int32) + (ua < ub).to(tl.int32) * 2 + (a == b).to(tl.int32) * 4
    r = r * 31 + tl.umulhi(ua, ub).to(tl.int32, bitcast=True)
    r = r * 31 + tl.abs(a)
    tl.store(out_ptr + i, r)


@triton.jit
def casts(x_ptr, out_ptr, N: tl.constexpr):
    """float32 to every type and back."""
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    tl.store(out_ptr + i, x.to(tl.float16).to(tl.float32))
    tl.store(out_ptr + N + i, x.to(tl.bfloat16).to(tl.float32))
    tl.store(out_ptr + 2 * N + i, x.to(tl.float8e4nv).to(tl.float32))
    tl.store(out_ptr + 3 * N + i, x.to(tl.float8e5).to(tl.float32))
    tl.store(out_ptr + 4 * N + i, x.to(tl.int32).to(tl.float32))
    small = tl.where(tl.abs(x) < 100, x, 0.0)  # out of their range these casts have no defined result
    tl.store(out_ptr + 5 * N + i, small.to(tl.int8).to(tl.float32))
    tl.store(out_ptr + 6 * N + i, tl.abs(small).to(tl.uint8).to(tl.float32))
    tl.store(out_ptr + 7 * N + i, x.to(tl.int64).to(tl.float32))
    tl.store(out_ptr + 8 * N + i, (x != 0).to(tl.float32))


@triton.jit
def floats(x_ptr, y_ptr, out_ptr, N: tl.constexpr):
    """Operations that IEEE 754 defines: equal bit for bit, NaN and infinities included."""
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    y = tl.load(y_ptr + i)
    tl.store(out_ptr + i, x + y)
    tl.store(out_ptr + N + i, x * y)
    tl.store(out_ptr + 2 * N + i, tl.math.div_rn(x, y))
    tl.store(out_ptr + 3 * N + i, tl.math.sqrt_rn(tl.abs(x)))
    tl.store(out_ptr + 4 * N + i, tl.maximum(x, y))
    tl.store(out_ptr + 5 * N + i, tl.minimum(x, y, propagate_nan=tl.PropagateNan.ALL))
    tl.store(out_ptr + 6 * N + i, tl.floor(x))
    tl.store(out_ptr + 7 * N + i, tl.ceil(x))
    tl.store(out_ptr + 8 * N + i, tl.math.fma(x, y, x))
    tl.store(out_ptr + 9 * N + i, tl.clamp(x, -1.0, 2.0, propagate_nan=tl.PropagateNan.ALL))
    h = x.to(tl.float16) * y.to(tl.float16) + x.to(tl.float16)
    tl.store(out_ptr + 10 * N + i, h.to(tl.float32))
    b = x.to(tl.bfloat16) + y.to(tl.bfloat16)
    tl.store(out_ptr + 11 * N + i, b.to(tl.float32))


@triton.jit
def functions(x_ptr, out_ptr, N: tl.constexpr):
    """Functions within the GPU's tolerance."""
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    p = tl.abs(x) + 0.1
    tl.store(out_ptr + i, tl.exp(x))
    tl.store(out_ptr + N + i, tl.exp2(x))
    tl.store(out_ptr + 2 * N + i, tl.log(p))
    tl.store(out_ptr + 3 * N + i, tl.log2(p))
    tl.store(out_ptr + 4 * N + i, tl.sin(x))
    tl.store(out_ptr + 5 * N + i, tl.cos(x))
    tl.store(out_ptr + 6 * N + i, tl.rsqrt(p))
    tl.store(out_ptr + 7 * N + i, tl.erf(x))
    tl.store(out_ptr + 8 * N + i, tl.sigmoid(x))
    tl.store(out_ptr + 9 * N + i, x / p)
    tl.store(out_ptr + 10 * N + i, tl.sqrt(p))


@triton.jit
def shapes(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    """Transposition, reshape, join, split, flip, gather of integers."""
    m = tl.arange(0, M)
    n = tl.arange(0, N)
    x = tl.load(x_ptr + m[:, None] * N + n[None, :])
    r = tl.trans(x).reshape(M, N) * 3 + x
    a, b = tl.split(tl.reshape(r, (M, N // 2, 2)))
    r = tl.interleave(b, a) + tl.join(a, b).reshape(M, N)
    r += tl.flip(x, dim=1) * 7
    r += tl.gather(x, (x & (N - 1)).to(tl.int32), axis=1)
    r += tl.permute(tl.reshape(x, (M, 2, N // 2)), (0, 2, 1)).reshape(M, N) * 11
    tl.store(out_ptr + m[:, None] * N + n[None, :], r)


@triton.jit
def combine_first_max(av, ai, bv, bi):
    take = (bv > av) | ((bv == av) & (bi < ai))
    return tl.where(take, bv, av), tl.where(take, bi, ai)


@triton.jit
def reductions(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    """Integer reductions, scans, sorts: exact in any order."""
    m = tl.arange(0, M)
    n = tl.arange(0, N)
    x = tl.load(x_ptr + m[:, None] * N + n[None, :])
    tl.store(out_ptr + m, tl.sum(x, axis=1))
    tl.store(out_ptr + M + m, tl.max(x, axis=1))
    tl.store(out_ptr + 2 * M + m, tl.argmin(x, axis=1))
    tl.store(out_ptr + 3 * M + m, tl.xor_sum(x, axis=1))
    index = tl.broadcast_to(n[None, :], (M, N))
    v, i = tl.reduce((x, index), 1, combine_first_max)
    tl.store(out_ptr + 4 * M + m, v + i)
    base = out_ptr + 5 * M
    at = m[:, None] * N + n[None, :]
    tl.store(base + at, tl.cumsum(x, axis=1))
    tl.store(base + M * N + at, tl.cumsum(x, axis=0, reverse=True))
    tl.store(base + 2 * M * N + at, tl.sort(x, dim=1))
    tl.store(base + 3 * M * N + n, tl.histogram(tl.ravel(x) & (N - 1), N))


@triton.jit
def random_numbers(out_ptr, seed, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b, c, d = tl.randint4x(seed, i)
    tl.store(out_ptr + i, a)
    tl.store(out_ptr + N + i, b ^ c ^ d)
    tl.store(out_ptr + 2 * N + i, tl.rand(seed, i).to(tl.int32, bitcast=True))


@triton.jit
def control(x_ptr, out_ptr, n, N: tl.constexpr):
    """Loops with several carried values, while, early return, branches."""
    pid = tl.program_id(0)
    if pid * N >= n:
        return
    i = pid * N + tl.arange(0, N)
    x = tl.load(x_ptr + i, mask=i < n, other=0)
    total = x
    step = 1
    for k in range(0, 7):
        if k % 2 == 0:
            total += x * k
        else:
            total -= step
            step += k
    rounds = 0
    while step > 3:
        step = step // 2
        rounds += 1
    for k in range(5, 0, -2):
        total = total * k + rounds
    tl.store(out_ptr + i, total, mask=i < n)


@triton.jit
def block_pointers(x_ptr, out_ptr, M, N, BM: tl.constexpr, BN: tl.constexpr):
    """Sums row blocks through block pointers with padding at both borders."""
    source = tl.make_block_ptr(x_ptr, (M, N), (N, 1), (0, 0), (BM, BN), (1, 0))
    total = tl.zeros((BM, BN), dtype=tl.int32)
    for _ in range(0, tl.cdiv(N, BN)):
        total += tl.load(source, boundary_check=(0, 1), padding_option="zero")
        source = tl.advance(source, (0, BN))
    target = tl.make_block_ptr(out_ptr, (M, BN), (BN, 1), (0, 0), (BM, BN), (1, 0))
    tl.store(target, total, boundary_check=(0,))


@triton.jit
def atomics(out_ptr, n, N: tl.constexpr):
    """Atomics whose result does not depend on order."""
    i = tl.program_id(0) * N + tl.arange(0, N)
    tl.atomic_add(out_ptr + (i % 7), i, mask=i < n)
    tl.atomic_max(out_ptr + 8 + (i % 5), i * 3 - 100, mask=i < n)
    tl.atomic_min(out_ptr + 16 + (i % 5), 100 - i, mask=i < n)
    tl.atomic_or(out_ptr + 24 + (i % 3), 1 << (i % 31), mask=i < n)
    tl.atomic_xor(out_ptr + 32 + (i % 3), i * 5, mask=i < n)


@triton.jit
def product(a_ptr, b_ptr, c_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, PRECISION: tl.constexpr):
    m = tl.arange(0, M)
    n = tl.arange(0, N)
    k = tl.arange(0, K)
    a = tl.load(a_ptr + m[:, None] * K + k[None, :])
    b = tl.load(b_ptr + k[:, None] * N + n[None, :])
    c = tl.dot(a, b, input_precision=PRECISION)
    tl.store(c_ptr + m[:, None] * N + n[None, :], c)


@triton.jit
def kept_sums(a_ptr, b_ptr, c_ptr, out_ptr, kept_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    # What a product adds to is stored behind it, and half of its sums are not read.
    r, c, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    added = tl.load(c_ptr + r[:, None] * N + c[None, :])
    x = tl.dot(tl.load(a_ptr + r[:, None] * K + k[None, :]), tl.load(b_ptr + k[:, None] * N + c[None, :]), added)
    even, odd = tl.split(tl.reshape(x, (M, N // 2, 2)))
    tl.store(out_ptr + r[:, None] * (N // 2) + tl.arange(0, N // 2)[None, :], odd)
    tl.store(kept_ptr + r[:, None] * N + c[None, :], added)


@triton.jit
def descriptors(x_ptr, out_ptr, M, N, BM: tl.constexpr, BN: tl.constexpr):
    source = tl.make_tensor_descriptor(x_ptr, shape=[M, N], strides=[N, 1], block_shape=[BM, BN])
    target = tl.make_tensor_descriptor(out_ptr, shape=[M, N], strides=[N, 1], block_shape=[BM, BN])
    row = tl.program_id(0) * BM
    for col in range(0, N, BN):
        target.store([row, col], source.load([row, col]) * 2 + 1)
