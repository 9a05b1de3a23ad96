# Kernels of a thousand statements take a second and not minutes: nothing is done for each pair of their accesses,
# barriers, buffers or functions. (The first one took 22 s, and four times that for twice as many.)
set -eu
cat >"$TMP/long.py" <<'END'
import triton
import triton.language as tl


@triton.jit
def scalars(x, n, N: tl.constexpr):
    for j in range(n):
        s = 0.0
        for i in tl.static_range(N):
            s += tl.load(x + i)
        for i in tl.static_range(N):
            tl.store(x + i, tl.load(x + i) / s)


@triton.jit
def copies(x, n, N: tl.constexpr):
    source = tl.make_tensor_descriptor(x, [n, 64], [64, 1], [64, 64])
    target = tl.make_tensor_descriptor(x, [n, 64], [64, 1], [64, 64])
    for i in tl.static_range(N):
        target.store([i * 64, 0], source.load([i * 64 + 8, 0]) + 1)


@triton.jit
def products(x, n, N: tl.constexpr):
    tiles = tl.make_tensor_descriptor(x, [n, 64], [64, 1], [64, 64])
    acc = tl.zeros((64, 64), tl.float32)
    for i in tl.static_range(N):
        a = tiles.load([i * 64, 0]).to(tl.float16)
        acc = tl.dot(a, a, acc)
    tiles.store([0, 0], acc)


@triton.jit
def add(v, i):
    return v + i


@triton.jit
def calls(x, n, N: tl.constexpr):
    v = n
    for i in tl.static_range(N):
        v = add(v * n, i * 7)
    tl.store(x, v.to(tl.float32))
END
for kernel in scalars:1024 copies:768 products:768 calls:4096; do
	neso compile "$TMP/long.py:${kernel%:*}" -s "*fp32:16, i32:16, ${kernel#*:}" --target sm_90a --stop-after barriers \
		--compile-timeout 10 -o "$TMP/out.ttgir"
done
