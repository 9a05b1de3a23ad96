# A product adds to what the loop hands on as it was too, under another name: it ends in its iteration (a wait for the
# old sum stood behind the product that had written over it: an internal error).
# run: difftest %s
# expect: success
# launch: 1 4 1 0 1 1
# number: n1 i32 3
# buffer: p9 bf16 1536 8501864691839545143 -6 6
# buffer: o16 fp32 1024 8501864691839545682 -100 100
# buffer: o17 fp32 1024 8501864691839545759 -100 100
import triton
import triton.language as tl


@triton.jit
def kernel(n1, p9, o16, o17):
    zeros = tl.full((64, 16), 0.0, tl.float32)
    total, before, other = zeros, zeros, zeros
    k = 0
    while k < n1:
        halves = tl.full((64, 64), 0.5, tl.float16)
        ones = tl.full((64, 16), 1.0, tl.float16)
        more = tl.dot(halves, ones, total)
        x = tl.load(p9 + tl.arange(0, 64)[:, None] * 24 + tl.arange(0, 24)[None, :])
        y = tl.full((24, 16), 1.0, tl.bfloat16)
        other = tl.dot(x, y, other)
        total, before = more, total
        k += 1
    tl.store(o16 + tl.arange(0, 64)[:, None] * 16 + tl.arange(0, 16)[None, :], other)
    tl.store(o17 + tl.arange(0, 64)[:, None] * 16 + tl.arange(0, 16)[None, :], before)
