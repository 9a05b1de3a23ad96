"""Products that users write (own/products.py): epilogues, orders, precisions, few rows, sparse, gathered, bytes with scales."""

from functools import partial

import torch

from cases import add

HALF, SINGLE, INT8, FP8 = torch.float16, torch.float32, torch.int8, torch.float8_e4m3fn
OWN = "own.products"


def user(name, build, **options):
    add("user " + name, OWN, build, **options)


def text(tiles, warps):
    return "x".join(map(str, tiles)) + f" w{warps}"


# ---- epilogues


def linear(make, act, tiles, stages, warps, n=4096):
    x, w, bias, residual = make.randn(n, n), make.randn(n, n, scale=0.02), make.randn(n), make.randn(n, n)

    def want():
        y = x.float() @ w.float().T + bias.float()
        return {"silu": torch.nn.functional.silu, "gelu": torch.nn.functional.gelu, "relu2": lambda y: y.relu().square()}[act](y) + residual.float()
    return lambda m: m.linear(x, w, bias, residual, act, tiles, stages, warps), want


for act, tiles, stages, warps in (("silu", (128, 128, 64), 3, 8), ("silu", (128, 256, 64), 3, 8), ("silu", (128, 128, 32), 4, 4),
                                  ("gelu", (128, 128, 64), 4, 8), ("relu2", (64, 128, 64), 4, 4)):
    user(f"bias {act} residual NT {text(tiles, warps)}", partial(linear, act=act, tiles=tiles, stages=stages, warps=warps))


def linear_exact(make, tiles, warps, n=4096):
    x, w, bias, residual = make.randn(n, n), make.randn(n, n, scale=0.02), make.randn(n), make.randn(n, n)
    return (lambda m: m.linear_exact(x, w, bias, residual, tiles, 3, warps),
            lambda: torch.nn.functional.silu(x.float() @ w.float().T + bias.float()) + residual.float())


for tiles, warps in (((128, 128, 64), 8), ((128, 128, 32), 4), ((128, 256, 64), 8)):
    user(f"bias silu residual NT, no masks {text(tiles, warps)}", partial(linear_exact, tiles=tiles, warps=warps))


def gated(make, n=4096):
    x, gate, up = make.randn(n, n), make.randn(n, n, scale=0.02), make.randn(n, n, scale=0.02)
    return lambda m: m.gated(x, gate, up), lambda: torch.nn.functional.silu(x.float() @ gate.float().T) * (x.float() @ up.float().T)


def lora(make, n=4096):
    x, w, down, up = make.randn(n, n), make.randn(n, n, scale=0.02), make.randn(n, 16, scale=0.02), make.randn(16, n)
    return lambda m: m.lora(x, w, down, up), lambda: x.float() @ w.float() + 0.5 * (x.float() @ down.float()) @ up.float()


user("gated", gated)
user("low rank beside", lora)

# ---- orders and precisions


def product(make, dtype, order, tiles, stages, warps, precision="tf32", n=4096):
    a, b = make.randn(n, n, dtype=dtype), make.randn(n, n, dtype=dtype)
    x, y = a.T if order[0] == "T" else a, b.T if order[1] == "T" else b
    return lambda m: m.product(x, y, tiles, stages, warps, precision), lambda: x.double() @ y.double() if dtype == SINGLE else x.float() @ y.float()


def ordered(name, dtype, order, tiles, stages, warps, precision="tf32", **options):
    user(f"{name} {order} {text(tiles, warps)}", partial(product, dtype=dtype, order=order, tiles=tiles, stages=stages, warps=warps, precision=precision),
         **options)


ordered("tf32x3", SINGLE, "NN", (128, 128, 32), 3, 8, "tf32x3", rms=1e-5, most=1e-4)
ordered("tf32x3", SINGLE, "NT", (128, 64, 32), 3, 4, "tf32x3", rms=1e-5, most=1e-4)
ordered("tf32x3", SINGLE, "NN", (64, 64, 32), 3, 4, "tf32x3", rms=1e-5, most=1e-4)
ordered("bf16x3", SINGLE, "NN", (128, 128, 32), 3, 8, "bf16x3", rms=1e-4, most=1e-3)
ordered("tf32", SINGLE, "TN", (128, 128, 32), 3, 8)
ordered("tf32", SINGLE, "NT", (128, 128, 32), 3, 8)
ordered("bf16", torch.bfloat16, "TN", (128, 128, 64), 3, 4)
ordered("fp16", HALF, "NN", (128, 256, 64), 3, 8)
ordered("fp16", HALF, "TT", (64, 128, 64), 4, 4)


def weight_gradient(make, tiles, warps, stages=3, tokens=8192, n=4096):
    x, dy = make.randn(tokens, n), make.randn(tokens, n)
    return lambda m: m.weight_gradient(x, dy, tiles, stages, warps), lambda: x.float().T @ dy.float()


for tiles, warps in (((128, 128, 64), 4), ((128, 128, 32), 4), ((128, 128, 64), 8)):
    user(f"weights' gradient {text(tiles, warps)}", partial(weight_gradient, tiles=tiles, warps=warps))


def activation_gradient(make, n=4096):
    dy, w, pre = make.randn(n, n), make.randn(n, n, scale=0.02), make.randn(n, n)

    def want():
        p = pre.float()
        s = p.sigmoid()
        return dy.float() @ w.float() * s * (1 + p * (1 - s))
    return lambda m: m.activation_gradient(dy, w, pre), want


user("activation's gradient", activation_gradient)

# ---- few rows


def few(make, rows, tiles, n=4096, k=4096, stages=4):
    x, w = make.randn(rows, k), make.randn(n, k, scale=0.02)
    return lambda m: m.row_padded(x, w, tiles, stages), lambda: x.float() @ w.float().T


for rows, tiles in ((1, (16, 32, 256)), (1, (16, 64, 128)), (1, (16, 16, 256)), (16, (16, 64, 128)), (64, (64, 64, 128))):
    user(f"{rows} rows {text(tiles, 4)}", partial(few, rows=rows, tiles=tiles))


def vector(make, turned, n=4096, k=4096, **options):
    x, w = make.randn(k), make.randn(n, k, scale=0.02)
    if turned:
        w = w.T.contiguous()
        return lambda m: m.column(x, w, **options), lambda: x.float() @ w.float()
    return lambda m: m.row(x, w, **options), lambda: w.float() @ x.float()


user("a vector by rows", partial(vector, turned=False))
user("a vector by rows 8x1024", partial(vector, turned=False, BN=8, BK=1024))
user("a vector by rows 1x4096", partial(vector, turned=False, BN=1, BK=4096))
user("a vector by columns", partial(vector, turned=True))


def split(make, rows=64, n=4096, k=4096):
    a, b = make.randn(rows, k), make.randn(k, n, scale=0.02)
    return lambda m: m.split(a, b), lambda: a.float() @ b.float()


user("split along K", split)

# ---- sparse, gathered, convolved


def sparse(make, BLOCK, warps, N=4096, rows=4096, share=4):
    count, each = rows // BLOCK, rows // BLOCK // share
    values, b = make.randn(count * each, BLOCK, BLOCK), make.randn(rows, N)
    chosen = [sorted((i * 7 + j * share + i * j) % count for j in range(each)) for i in range(count)]
    columns, ends = make.tensor(sum(chosen, [])), make.arange(count + 1) * each

    def want():
        dense = torch.zeros(count, BLOCK, count, BLOCK, device=b.device)
        for i, row in enumerate(chosen):
            for j, at in enumerate(row):
                dense[i, :, at] += values[i * each + j].float()
        return dense.view(rows, rows) @ b.float()
    return lambda m: m.sparse(values, columns, ends, b, BN=max(64, BLOCK), warps=warps), want


def sampled(make, n=4096, k=1024, BLOCK=64):
    a, b = make.randn(n, k), make.randn(n, k)
    at = make.permutation((n // BLOCK)**2)[:(n // BLOCK)**2 // 4]
    rows, columns = at // (n // BLOCK), at % (n // BLOCK)

    def want():
        dense = (a.float() @ b.float().T).view(n // BLOCK, BLOCK, n // BLOCK, BLOCK).transpose(1, 2)
        return dense[rows.long(), columns.long()]
    return lambda m: m.sampled(a, b, rows, columns), want


def gathered(make, tokens=4096, n=4096, k=4096):
    x, w = make.randn(tokens, k), make.randn(n, k, scale=0.02)
    chosen = make.permutation(tokens)[:tokens // 2]

    def want():
        out = torch.zeros(tokens, n, device=x.device)
        out[chosen.long()] = x[chosen.long()].float() @ w.float().T
        return out
    return lambda m: m.gathered(x, w, chosen), want


def convolution(make, tiles, warps, B=16, H=56, C=128, OC=256):
    x, w = make.randn(B, H, H, C, dtype=HALF), make.randn(3, 3, C, OC, dtype=HALF, scale=0.05)

    def want():
        return torch.nn.functional.conv2d(x.float().permute(0, 3, 1, 2), w.float().permute(3, 2, 0, 1), padding=1).permute(0, 2, 3, 1)
    return lambda m: m.convolution(x, w, tiles, warps=warps), want


user("block sparse 64x64", partial(sparse, BLOCK=64, warps=4))
user("block sparse 128x128", partial(sparse, BLOCK=128, warps=8))
user("blocks of a product", sampled)
user("gathered rows", gathered)
for tiles, warps in (((128, 128, 32), 4), ((128, 128, 64), 4), ((64, 128, 64), 4), ((128, 128, 64), 8)):
    user(f"convolution 3x3 {text(tiles, warps)}", partial(convolution, tiles=tiles, warps=warps))

# ---- persistent, batched, bytes


def persistent(make, n=4096):
    a, b = make.randn(n, n), make.randn(n, n)
    return lambda m: m.persistent(a, b), lambda: a.float() @ b.float().T


def batched(make, Z=64, n=1024, k=128):
    a, b = make.randn(Z, n, k), make.randn(Z, n, k)
    return lambda m: m.batched(a, b), lambda: a.float() @ b.float().transpose(1, 2)


def of_bytes(make, dtype, n=4096):
    a, b = (make.ints(-127, 128, (n, n), INT8) if dtype == INT8 else make.randn(n, n, dtype=FP8) for _ in range(2))
    rows, columns = make.rand(n, most=0.01), make.rand(n, most=0.01)
    return lambda m: m.of_bytes(a, b, rows, columns), lambda: (a.double() @ b.double().T).float() * rows[:, None] * columns[None, :]


def of_blocks(make, n=4096):
    a, b = make.randn(n, n, dtype=FP8), make.randn(n, n, dtype=FP8)
    sa, sb = make.rand(n, n // 128, least=0.5), make.rand(n // 128, n // 128, least=0.5)

    def want():
        return (a.float() * sa.repeat_interleave(128, 1)) @ (b.float() * sb.repeat_interleave(128, 0).repeat_interleave(128, 1)).T
    return lambda m: m.of_blocks(a, b, sa, sb), want


def weights8(make, rows, tiles, warps, n=4096):
    a, w, scale = make.randn(rows, n), make.ints(-127, 128, (n, n), INT8), make.rand(n, most=0.01)
    return lambda m: m.weights8(a, w, scale, tiles, warps=warps), lambda: a.float() @ w.float().T * scale


user("persistent NT", persistent)
user("batched NT", batched)
user("int8 with scales", partial(of_bytes, dtype=INT8))
user("fp8 with scales", partial(of_bytes, dtype=FP8))
user("fp8 with scales of blocks", of_blocks)
user("int8 weights 4096 rows", partial(weights8, rows=4096, tiles=(128, 128, 64), warps=8))
user("int8 weights 16 rows", partial(weights8, rows=16, tiles=(16, 64, 128), warps=4))

# ---- around the product


def normed(make, n=4096):
    x, w, g = make.randn(n, n), make.randn(n, n, scale=0.02), make.rand(n, least=0.5, most=1.5)

    def want():
        return torch.nn.functional.rms_norm(x.float(), (n,), g, 1e-6) @ w.float().T
    return lambda m: m.normed(x, w, g), want


def distance(make, n=65536, centres=4096, k=64):
    x, y = make.randn(n, k, dtype=HALF), make.randn(centres, k, dtype=HALF)

    def want():
        return (y.float().square().sum(1)[None, :] - 2 * x.float() @ y.float().T).amin(1) + x.float().square().sum(1)
    return lambda m: m.distance(x, y), want


def complex_product(make, n=2048):
    parts = [make.randn(n, n) for _ in range(4)]

    def want():
        ar, ai, br, bi = (p.float() for p in parts)
        return ar @ br - ai @ bi, ar @ bi + ai @ br
    return lambda m: m.complex_product(*parts), want


def symmetric(make, n=4096, k=4096):
    a = make.randn(n, k)
    return lambda m: m.symmetric(a), lambda: a.float() @ a.float().T


user("norm inside", normed)
user("least distance", distance)
user("complex", complex_product)
user("symmetric", symmetric)
