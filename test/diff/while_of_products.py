# A crash of sm_90a: the plan of several programs a CTA asked a while loop for its bounds.
# run: NESO_PERSIST=1 difftest %s
# expect: success
# launch: 1 4 1 1 1
# number: n i32 2
# buffer: a i8 512 8 -2 3
# buffer: b i8 512 16 -2 3
# buffer: o i32 256 24 -100 100
import triton
import triton.language as tl


@triton.jit
def kernel(n, a, b, o):
    i, j, k = tl.arange(0, 16)[:, None], tl.arange(0, 16)[None, :], tl.arange(0, 32)
    acc = tl.zeros((16, 16), tl.int32)
    at = 0
    while at < n:
        x = tl.load(a + i * 32 + k[None, :])
        y = tl.load(b + k[:, None] * 16 + j)
        acc = tl.dot(x, y, acc, out_dtype=tl.int32)
        at += 1
    tl.store(o + i * 16 + j, acc)
