# Conversions that are in front of a loop, far more than memory holds at once, stand together a part at a time: a tile that is stored, and
# waits to be loaded, takes memory as well.
# run: neso compile %s:kernel --signature "*fp32:16,*fp32:16,i32" --num-warps 1 --num-stages 2 --target sm_80 --emit ttgir >%t/ttgir && echo "$(grep -c local_alloc %t/ttgir) wait, $(sed -n 's/.*ttg.shared = \([0-9]*\).*/\1/p' %t/ttgir) bytes"
# CHECK: 5 wait, 81920 bytes
import triton
import triton.language as tl


@triton.jit
def kernel(p, q, n):
    o = tl.arange(0, 64)[:, None] * 64 + tl.arange(0, 64)[None, :]
    a, b, c = tl.load(p + o), tl.load(p + 4096 + o), tl.load(p + 8192 + o)
    d, e, f = tl.load(p + 12288 + o), tl.load(p + 16384 + o), tl.load(p + 20480 + o)
    x = tl.zeros((64, 64), tl.float32)
    for i in range(n):
        x = tl.dot((a > x).to(tl.float16), (b > c).to(tl.float16), x) + tl.dot((b > x).to(tl.float16), (c > d).to(tl.float16), x)
        # warning: @+1:14: tiles take some
        x += tl.dot((c > x).to(tl.float16), (d > e).to(tl.float16), x) + tl.dot((d > x).to(tl.float16), (e > f).to(tl.float16), x)
        x += tl.dot((e > x).to(tl.float16), (f > a).to(tl.float16), x) + tl.dot((f > x).to(tl.float16), (a > b).to(tl.float16), x)
        x += a + b + c + d + e + f
    tl.store(q + o, x)
