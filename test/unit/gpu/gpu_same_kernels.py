"""Kernels that gpu_same_test runs before and after layouts are chosen."""
import triton
import triton.language as tl


@triton.jit
def reduced(x, o, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr):
    v = tl.load(x + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])
    at = tl.arange(0, N) if AXIS == 0 else tl.arange(0, M)
    tl.store(o + at, tl.sum(v, axis=AXIS) + tl.argmax(v, axis=AXIS) - tl.min(v, axis=AXIS))
    tl.store(o + 4096, tl.sum(tl.max(v, axis=AXIS), axis=0))
    s = tl.cumsum(v, axis=AXIS)
    tl.store(o + 8192 + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :], s)


@triton.jit
def moved(x, o, A: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    a, r, c = tl.arange(0, A)[:, None, None], tl.arange(0, M)[None, :, None], tl.arange(0, N)[None, None, :]
    v = tl.load(x + a * (M * N) + r * N + c)
    y = tl.reshape(tl.permute(v, (2, 0, 1)), (N * A, M))
    tl.store(o + tl.arange(0, M)[:, None] * (N * A) + tl.arange(0, N * A)[None, :], tl.trans(y))
    tl.store(o + 8192 + tl.arange(0, A * M * N), tl.ravel(v))


@triton.jit
def joined(x, y, o, N: tl.constexpr):
    i = tl.arange(0, N)
    j = tl.join(tl.load(x + i), tl.load(y + i))
    k = tl.reshape(tl.join(j, j * 2), (4 * N,))
    a, b = tl.split(j)
    tl.store(o + tl.arange(0, 4 * N), k)
    tl.store(o + 8192 + tl.arange(0, 2 * N), tl.interleave(b, a))


@triton.jit
def gathered(x, index, o, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    v, i = tl.load(x + at), tl.load(index + at)
    tl.store(o + at, tl.gather(v, i, 1) + tl.gather(v, i, 0))


@triton.jit
def products(a, b, o, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    x, y = tl.load(a + m[:, None] * K + k[None, :]), tl.load(b + n[:, None] * K + k[None, :])
    z = tl.dot(x, tl.trans(y), input_precision="ieee")
    tl.store(o + m[:, None] * N + n[None, :], z + tl.sum(z, axis=0)[None, :])


@triton.jit
def loops(x, o, n, M: tl.constexpr, N: tl.constexpr):
    r, c = tl.arange(0, M), tl.arange(0, N)
    acc, top = tl.zeros((M, N), tl.float32), tl.full((M,), -1e9, tl.float32)
    p = x + r[:, None] * n + c[None, :]
    i = 0
    while i < n:
        v = tl.load(p, mask=(c[None, :] + i) < n, other=0.0)
        if i % (2 * N) == 0:
            acc += v
        else:
            acc = acc * 0.5 - tl.max(v, axis=1)[:, None]
        top = tl.maximum(top, tl.max(acc, 1))
        p += N
        i += N
    tl.store(o + r[:, None] * N + c[None, :], acc + top[:, None])
    total = 0.0
    for k in range(0, n, N):
        total += tl.sum(tl.load(x + k + c, mask=k + c < n, other=0.0))
    tl.store(o + 8192, total)


@triton.jit
def normalised(x, y, w, b, area, groups, channels, BLOCK: tl.constexpr):
    image, group = tl.program_id(0), tl.program_id(1)
    each = channels // groups
    base, size = (image * channels + group * each) * area, each * area
    s, q = 0.0, 0.0
    for i in range(0, size, BLOCK):
        at = i + tl.arange(0, BLOCK)
        v = tl.load(x + base + at, mask=at < size, other=0.0).to(tl.float32)
        s += tl.sum(v)
        q += tl.sum(v * v)
    mean = s / size
    r = 1 / tl.sqrt(q / size - mean * mean + 1e-5)
    for i in range(0, size, BLOCK):
        at = i + tl.arange(0, BLOCK)
        c = group * each + at // area
        v = tl.load(x + base + at, mask=at < size, other=0.0).to(tl.float32)
        z = (v - mean) * r * tl.load(w + c, mask=at < size) + tl.load(b + c, mask=at < size)
        tl.store(y + base + at, z.to(tl.float16), mask=at < size)


@triton.jit
def columns(x, o, stride, M: tl.constexpr, N: tl.constexpr):
    r, c = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :]
    v = tl.load(x + r + c * stride)
    tl.store(o + r * N + c, v + tl.sum(v, axis=0)[None, :] * tl.max(v, axis=1)[:, None])


@triton.jit
def attention(Q, K, V, O, n, D: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    m, c, d = tl.program_id(0) * M + tl.arange(0, M), tl.arange(0, N), tl.arange(0, D)
    q = tl.load(Q + m[:, None] * D + d[None, :])
    top, total = tl.full((M,), -1e9, tl.float32), tl.zeros((M,), tl.float32)
    acc = tl.zeros((M, D), tl.float32)
    for i in range(0, n, N):
        s = tl.dot(q, tl.trans(tl.load(K + (i + c)[:, None] * D + d[None, :]))) * 0.01
        s = tl.where(m[:, None] >= (i + c)[None, :], s, -1e9)
        new = tl.maximum(top, tl.max(s, 1))
        p = tl.exp2(s - new[:, None])
        f = tl.exp2(top - new)
        total = total * f + tl.sum(p, 1)
        acc = acc * f[:, None] + tl.dot(p.to(tl.float16), tl.load(V + (i + c)[:, None] * D + d[None, :]))
        top = new
    tl.store(O + m[:, None] * D + d[None, :], acc / total[:, None])
