# A crash of clusters: an operand that another CTA holds was to wait in this one's memory.
# run: difftest %s
# expect: success
# launch: 1 1 1 1 1 2
# buffer: a fp32 3072 13 -4 4
# number: n i32 3
# buffer: o fp32 576 16 -100 100
import triton
import triton.language as tl


@triton.jit
def kernel(a, n, o):
    i, j, k = tl.arange(0, 24)[:, None], tl.arange(0, 24)[None, :], tl.arange(0, 128)
    x = tl.load(a + i * 128 + k[None, :])
    acc = tl.zeros((24, 24), tl.float32)
    for _ in range(n):
        acc = tl.dot(x, tl.full((128, 24), 2.0, tl.float32), acc, input_precision="tf32")
    tl.store(o + i * 24 + j, acc)
