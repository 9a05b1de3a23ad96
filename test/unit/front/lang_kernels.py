# Kernels of the lang_*_test programs: one operation each, chosen by a constexpr.
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def cast(x, out, T: tl.constexpr, BITS: tl.constexpr, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out + i, tl.load(x + i).to(T, bitcast=BITS))


@triton.jit
def binary(x, y, out, OP: tl.constexpr, B: tl.constexpr):
    i = tl.arange(0, B)
    a = tl.load(x + i)
    b = tl.load(y + i)
    if OP == "+":
        r = a + b
    elif OP == "-":
        r = a - b
    elif OP == "*":
        r = a * b
    elif OP == "//":
        r = a // b
    elif OP == "%":
        r = a % b
    elif OP == "&":
        r = a & b
    elif OP == "|":
        r = a | b
    elif OP == "^":
        r = a ^ b
    elif OP == "<<":
        r = a << (b & 7)
    elif OP == ">>":
        r = a >> (b & 7)
    elif OP == "<":
        r = a < b
    elif OP == ">=":
        r = a >= b
    elif OP == "==":
        r = a == b
    elif OP == "max":
        r = tl.maximum(a, b)
    elif OP == "min":
        r = tl.minimum(a, b)
    elif OP == "neg":
        r = -a
    elif OP == "~":
        r = ~a
    elif OP == "abs":
        r = tl.abs(a)
    elif OP == "lit":
        r = a * 2 + 1
    tl.store(out + i, r)


@triton.jit
def unary(x, out, F: tl.constexpr, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    if F == "exp":
        r = libdevice.exp(v)
    elif F == "log":
        r = libdevice.log(v)
    elif F == "log1p":
        r = libdevice.log1p(v)
    elif F == "tanh":
        r = libdevice.tanh(v)
    elif F == "fast_tanhf":
        r = libdevice.fast_tanhf(v)
    elif F == "erf":
        r = libdevice.erf(v)
    elif F == "round":
        r = libdevice.round(v)
    elif F == "rint":
        r = libdevice.rint(v)
    elif F == "trunc":
        r = libdevice.trunc(v)
    elif F == "rsqrt_rn":
        r = libdevice.rsqrt_rn(v)
    elif F == "rcp_rn":
        r = libdevice.rcp_rn(v)
    elif F == "sqrt_rn":
        r = libdevice.sqrt_rn(v)
    elif F == "exp2":
        r = libdevice.exp2(v)
    elif F == "isnan":
        r = libdevice.isnan(v)
    elif F == "isinf":
        r = libdevice.isinf(v)
    elif F == "finitef":
        r = libdevice.finitef(v)
    elif F == "llrint":
        r = libdevice.llrint(v)
    elif F == "sigmoid":
        r = tl.sigmoid(v)
    tl.store(out + i, r)


@triton.jit
def power(x, y, out, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out + i, libdevice.pow(tl.load(x + i), tl.load(y + i)))


@triton.jit
def random(out, seed, F: tl.constexpr, B: tl.constexpr):
    i = tl.arange(0, B)
    if F == "randint":
        r = tl.randint(seed, i)
    elif F == "randint4x":
        _, _, _, r = tl.randint4x(seed, i, n_rounds=7)
    elif F == "rand":
        r = tl.rand(seed, i)
    elif F == "rand64":
        r = tl.rand(seed, i.to(tl.int64) + 5000000000)
    elif F == "randn":
        r = tl.randn(seed, i)
    elif F == "philox64":
        k = i.to(tl.uint64)
        _, r, _, _ = tl.philox(seed, k, k * 3, k * 5, k * 7)
    tl.store(out + i, r)


@triton.jit
def order(x, out, F: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    v = tl.load(x + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])
    if F == "sort":
        r = tl.sort(v)
    elif F == "down":
        r = tl.sort(v, descending=True)
    elif F == "topk":
        r = tl.topk(v, K)
    elif F == "merge":
        both = tl.join(tl.sort(v), tl.sort(v, descending=True))
        r = tl.bitonic_merge(both.permute(0, 2, 1).reshape(M, 2 * N))
    elif F == "flip":
        r = tl.flip(v, 1)
    elif F == "flip0":
        r = tl.flip(v, 0)
    elif F == "cumsum":
        r = tl.cumsum(v, 1)
    elif F == "reverse":
        r = tl.cumsum(v, 0, reverse=True)
    elif F == "cumprod":
        r = tl.cumprod(v % 3 - 1, 1)
    R: tl.constexpr = r.shape[0]
    C: tl.constexpr = r.shape[1]
    tl.store(out + tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :], r)


@triton.jit
def rows(x, out, F: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    v = tl.load(x + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])
    if F == "sum":
        r = tl.sum(v, 1)
    elif F == "max":
        r = tl.max(v, axis=-1)
    elif F == "min":
        r = v.min(axis=1, keep_dims=True).reshape(M)
    elif F == "argmax":
        r = tl.argmax(v, 1)
    elif F == "argmin":
        r = tl.argmin(v, 1)
    elif F == "xor":
        r = tl.xor_sum(v, 1)
    elif F == "or":
        r = tl.reduce_or(v, 1)
    tl.store(out + tl.arange(0, M), r)


@triton.jit
def branchy(v, k):
    if v > 0:
        return v * k
    else:
        return v - k


@triton.jit
def max_and_sum(a, b, c, d):
    return tl.maximum(a, c), b + d


@triton.jit
def first_max(a, i, b, j):
    better = (a > b) | ((a == b) & (i < j))
    return tl.where(better, a, b), tl.where(better, i, j)


@triton.jit
def memory(x, out, n, F: tl.constexpr, B: tl.constexpr):
    i = tl.arange(0, B)
    if F == "mask":
        tl.store(out + i, tl.load(x + i, mask=i < n, other=-1.0), mask=i < n + 4)
    elif F == "scalar":
        tl.store(out, tl.load(x + n) + 1)
    elif F == "block":
        p = tl.make_block_ptr(x, (8, n), (n, 1), (2, 0), (4, 16), (1, 0))
        v = tl.load(p, boundary_check=(0, 1), padding_option="zero")
        p = tl.advance(p, (4, 0))
        w = tl.load(p, boundary_check=(0, 1), padding_option="zero")
        tl.store(tl.make_block_ptr(out, (4, 16), (16, 1), (0, 0), (4, 16), (1, 0)), v + w)
    elif F == "desc":
        d = tl.make_tensor_descriptor(x, [8, n], [n, 1], [4, 16])
        e = tl.make_tensor_descriptor(out, [4, 16], [16, 1], d.block_shape)
        e.store([0, 0], d.load([2, 0]) + d.load([6, 0]))
    elif F == "gather":
        tl.store(out + i, tl.gather(tl.load(x + i), (i * 3) % B, 0))
    elif F == "histogram":
        tl.store(out + tl.arange(0, 16), tl.histogram(i % 16, 16, mask=i < n).to(tl.float32))
    elif F == "interleave":
        a, b = tl.split(tl.reshape(tl.load(x + i), (B // 2, 2)))
        tl.store(out + i, tl.interleave(b, a))
    elif F == "cat":
        v = tl.load(x + tl.arange(0, B // 2))
        tl.store(out + i, tl.cat(v, v + 1))
    elif F == "map":
        tl.store(out + i, tl.map_elementwise(branchy, tl.load(x + i), 2.0))
    elif F == "scan":
        v = tl.load(x + i)
        m, s = tl.associative_scan((v, v), 0, max_and_sum)
        tl.store(out + i, m + s)
    elif F == "reduce":
        m, k = tl.reduce((tl.load(x + i), i), 0, first_max)
        tl.store(out, m)
        tl.store(out + 1, k)
    elif F == "swizzle":
        a, b = tl.swizzle2d(i // 4, i % 4, 4, 4, 2)
        tl.store(out + i, a * 4 + b)
    elif F == "clamp":
        tl.store(out + i, tl.clamp(tl.load(x + i), -4.0, 4.0))
    elif F == "fp8e4b15":
        tl.store(out + i, tl.load(x + i).to(tl.float8e4b15).to(tl.float32))


@triton.jit
def atomics(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    tl.atomic_add(out + i % 8, 1.0)
    tl.atomic_max(out + 8 + i % 8, v)
    tl.atomic_min(out + 16 + i % 8, v, mask=i < n)
    old = tl.atomic_xchg(out + 24, 5.0)
    tl.store(out + 25, old)
    tl.store(out + 26, tl.atomic_load(out + 24))
    tl.atomic_store(out + 27, 7.0)
    tl.store(out + 28, tl.atomic_cas(out + 27, 7.0, 9.0))


@triton.jit
def dot(a, b, c, out, F: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    x = tl.load(a + tl.arange(0, M)[:, None] * K + tl.arange(0, K)[None, :])
    y = tl.load(b + tl.arange(0, K)[:, None] * N + tl.arange(0, N)[None, :])
    o = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    if F == "plain":
        r = tl.dot(x, y)
    elif F == "acc":
        z = tl.load(c + o)
        r = tl.dot(x, y, acc=z, out_dtype=z.dtype)
    elif F == "batch":
        pairs = tl.dot(tl.reshape(x, (2, M // 2, K)), tl.broadcast_to(y[None, :, :], (2, K, N)), input_precision="ieee")
        r = tl.reshape(pairs, (M, N))
    tl.store(out + o, r)
