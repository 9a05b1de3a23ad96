# Two halves of a word, one of them a negative constant: ptxas loses a sign where such a word is multiplied by itself.
# run: difftest %s
# expect: success
# launch: 1 1 1 1 1 1
# buffer: p1 fp16 1 13881748796246772180 -9 9
# buffer: o4 fp16 2 13881748796246772411 -100 100
import triton
import triton.language as tl


@triton.jit
def kernel(p1, o4):
    pid = tl.program_id(0)
    v0 = tl.full((1,), -6.0, tl.float16)
    v1 = tl.load(p1 + tl.arange(0, 1))
    v2 = tl.interleave(v0, v1)
    v3 = tl.fma(v2, v2, v2)
    tl.store(o4 + (tl.arange(0, 2)).to(tl.int64), v3)
