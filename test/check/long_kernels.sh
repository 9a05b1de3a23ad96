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
def add(v, i):
    return v + i


@triton.jit
def calls(x, n, N: tl.constexpr):
    v = n
    for i in tl.static_range(N):
        v = add(v * n, i * 7)
    tl.store(x, v.to(tl.float32))
END
for kernel in scalars:1024 calls:4096; do
	neso compile "$TMP/long.py:${kernel%:*}" -s "*fp32:16, i32:16, ${kernel#*:}" --target sm_90a --emit ptx \
		--compile-timeout 10 -o "$TMP/out.ptx"
done
