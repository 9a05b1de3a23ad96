"""Twenty kernels as a model has them, for cache_table.c; four of them call gate()."""
import triton
import triton.language as tl


@triton.jit
def gate(x):
    return x * tl.sigmoid(1.0 * x)


@triton.jit
def row_mean(x, inside, cols):
    return tl.sum(tl.where(inside, x, 0.0), axis=0) / cols


@triton.jit
def add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=i < n) + tl.load(y_ptr + i, mask=i < n), mask=i < n)


@triton.jit
def gated(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n).to(tl.float32)
    tl.store(out_ptr + i, gate(x) * tl.load(y_ptr + i, mask=i < n), mask=i < n)


@triton.jit
def gated_backward(x_ptr, y_ptr, grad_ptr, dx_ptr, dy_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n).to(tl.float32)
    y = tl.load(y_ptr + i, mask=i < n).to(tl.float32)
    grad = tl.load(grad_ptr + i, mask=i < n).to(tl.float32)
    s = tl.sigmoid(x)
    tl.store(dx_ptr + i, grad * y * s * (1 + x * (1 - s)), mask=i < n)
    tl.store(dy_ptr + i, grad * gate(x), mask=i < n)


@triton.jit
def gelu(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n).to(tl.float32)
    tl.store(out_ptr + i, 0.5 * x * (1 + tl.erf(x * 0.7071067811865476)), mask=i < n)


@triton.jit
def dropout(x_ptr, out_ptr, n, p, seed, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(out_ptr + i, tl.where(tl.rand(seed, i) > p, x / (1 - p), 0.0), mask=i < n)


@triton.jit
def quantise(x_ptr, out_ptr, scale_ptr, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * cols + i, mask=i < cols, other=0.0).to(tl.float32)
    scale = tl.max(tl.abs(x), axis=0) / 127.0
    tl.store(out_ptr + row * cols + i, (x / scale).to(tl.int8), mask=i < cols)
    tl.store(scale_ptr + row, scale)


@triton.jit
def softmax(x_ptr, out_ptr, stride, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * stride + i, mask=i < cols, other=-float("inf")).to(tl.float32)
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row * stride + i, e / tl.sum(e, axis=0), mask=i < cols)


@triton.jit
def log_softmax(x_ptr, out_ptr, stride, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * stride + i, mask=i < cols, other=-float("inf")).to(tl.float32)
    x = x - tl.max(x, axis=0)
    tl.store(out_ptr + row * stride + i, x - tl.log(tl.sum(tl.exp(x), axis=0)), mask=i < cols)


@triton.jit
def layer_norm(x_ptr, weight_ptr, bias_ptr, out_ptr, stride, cols, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    inside = i < cols
    x = tl.load(x_ptr + row * stride + i, mask=inside, other=0.0).to(tl.float32)
    d = tl.where(inside, x - row_mean(x, inside, cols), 0.0)
    d *= tl.rsqrt(row_mean(d * d, inside, cols) + eps)
    tl.store(out_ptr + row * stride + i, d * tl.load(weight_ptr + i, mask=inside) + tl.load(bias_ptr + i, mask=inside), mask=inside)


@triton.jit
def rms_norm(x_ptr, weight_ptr, out_ptr, stride, cols, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    inside = i < cols
    x = tl.load(x_ptr + row * stride + i, mask=inside, other=0.0).to(tl.float32)
    x *= tl.rsqrt(row_mean(x * x, inside, cols) + eps)
    tl.store(out_ptr + row * stride + i, x * tl.load(weight_ptr + i, mask=inside), mask=inside)


@triton.jit
def gated_norm(x_ptr, y_ptr, weight_ptr, out_ptr, stride, cols, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    inside = i < cols
    x = tl.load(x_ptr + row * stride + i, mask=inside, other=0.0).to(tl.float32)
    x *= gate(tl.load(y_ptr + row * stride + i, mask=inside, other=0.0).to(tl.float32))
    x *= tl.rsqrt(row_mean(x * x, inside, cols) + eps)
    tl.store(out_ptr + row * stride + i, x * tl.load(weight_ptr + i, mask=inside), mask=inside)


@triton.jit
def cross_entropy(x_ptr, label_ptr, loss_ptr, stride, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    label = tl.load(label_ptr + row)
    most = tl.full([BLOCK], -float("inf"), tl.float32)
    total = tl.zeros([BLOCK], tl.float32)
    for start in range(0, cols, BLOCK):
        i = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * stride + i, mask=i < cols, other=-float("inf")).to(tl.float32)
        new = tl.maximum(most, x)
        total = total * tl.exp(most - new) + tl.exp(x - new)
        most = new
    top = tl.max(most, axis=0)
    total = tl.sum(total * tl.exp(most - top), axis=0)
    tl.store(loss_ptr + row, top + tl.log(total) - tl.load(x_ptr + row * stride + label))


@triton.jit
def rope(x_ptr, cos_ptr, sin_ptr, out_ptr, stride, half, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    inside = i < half
    a = tl.load(x_ptr + row * stride + i, mask=inside)
    b = tl.load(x_ptr + row * stride + half + i, mask=inside)
    c = tl.load(cos_ptr + row * half + i, mask=inside)
    s = tl.load(sin_ptr + row * half + i, mask=inside)
    tl.store(out_ptr + row * stride + i, a * c - b * s, mask=inside)
    tl.store(out_ptr + row * stride + half + i, b * c + a * s, mask=inside)


@triton.jit
def embedding(table_ptr, index_ptr, out_ptr, width, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    index = tl.load(index_ptr + row)
    tl.store(out_ptr + row * width + i, tl.load(table_ptr + index * width + i, mask=i < width), mask=i < width)


@triton.jit
def running_sum(x_ptr, out_ptr, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * cols + i, mask=i < cols, other=0.0)
    tl.store(out_ptr + row * cols + i, tl.cumsum(x, axis=0), mask=i < cols)


@triton.jit
def transpose(x_ptr, out_ptr, rows, cols, BLOCK: tl.constexpr):
    r = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    c = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = (r < rows)[:, None] & (c < cols)[None, :]
    x = tl.load(x_ptr + r[:, None] * cols + c[None, :], mask=inside)
    tl.store(out_ptr + c[:, None] * rows + r[None, :], tl.trans(x), mask=tl.trans(inside))


@triton.jit
def adam(p_ptr, grad_ptr, m_ptr, v_ptr, n, rate, beta1, beta2, eps, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    grad = tl.load(grad_ptr + i, mask=inside)
    m = beta1 * tl.load(m_ptr + i, mask=inside) + (1 - beta1) * grad
    v = beta2 * tl.load(v_ptr + i, mask=inside) + (1 - beta2) * grad * grad
    tl.store(m_ptr + i, m, mask=inside)
    tl.store(v_ptr + i, v, mask=inside)
    tl.store(p_ptr + i, tl.load(p_ptr + i, mask=inside) - rate * m / (tl.sqrt(v) + eps), mask=inside)


@triton.jit
def matmul_acc(a_ptr, b_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = (tl.program_id(0) * BM + tl.arange(0, BM)) % M
    n = (tl.program_id(1) * BN + tl.arange(0, BN)) % N
    k = tl.arange(0, BK)
    a_ptrs = a_ptr + m[:, None] * K + k[None, :]
    b_ptrs = b_ptr + k[:, None] * N + n[None, :]
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, tl.cdiv(K, BK)):
        inside = k < K - start * BK
        acc = tl.dot(tl.load(a_ptrs, mask=inside[None, :], other=0.0), tl.load(b_ptrs, mask=inside[:, None], other=0.0), acc)
        a_ptrs += BK
        b_ptrs += BK * N
    return acc


@triton.jit
def store_tile(c_ptr, acc, M, N, BM: tl.constexpr, BN: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc, mask=(m < M)[:, None] & (n < N)[None, :])


@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    store_tile(c_ptr, matmul_acc(a_ptr, b_ptr, M, N, K, BM, BN, BK), M, N, BM, BN)


@triton.jit
def matmul_gated(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    store_tile(c_ptr, gate(matmul_acc(a_ptr, b_ptr, M, N, K, BM, BN, BK)), M, N, BM, BN)


@triton.jit
def attention(q_ptr, k_ptr, v_ptr, out_ptr, length, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    base = tl.program_id(1) * length * D
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    q = tl.load(q_ptr + base + m[:, None] * D + d[None, :], mask=(m < length)[:, None], other=0.0)
    most = tl.full([BM], -float("inf"), tl.float32)
    total = tl.zeros([BM], tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    for start in range(0, length, BN):
        n = start + tl.arange(0, BN)
        inside = (n < length)[:, None]
        k = tl.load(k_ptr + base + n[:, None] * D + d[None, :], mask=inside, other=0.0)
        s = tl.where((n < length)[None, :], tl.dot(q, tl.trans(k)) * scale, -float("inf"))
        new = tl.maximum(most, tl.max(s, axis=1))
        p = tl.exp2(s - new[:, None])
        shrink = tl.exp2(most - new)
        v = tl.load(v_ptr + base + n[:, None] * D + d[None, :], mask=inside, other=0.0)
        acc = tl.dot(p.to(v.dtype), v, acc * shrink[:, None])
        total = total * shrink + tl.sum(p, axis=1)
        most = new
    tl.store(out_ptr + base + m[:, None] * D + d[None, :], acc / total[:, None], mask=(m < length)[:, None])
