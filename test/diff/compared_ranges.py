# Two ranges are compared: ops of one kind that have no operands.
# run: difftest %s
# expect: success
# launch: 1 1 1 1 1
# buffer: o3 i1 2 2340164527460911420 0 100
import triton
import triton.language as tl


@triton.jit
def kernel(o3):
    pid = tl.program_id(0)
    v0 = tl.arange(0, 2)
    v1 = tl.arange(2, 4)
    v2 = v0 <= v1
    tl.store(o3 + tl.arange(0, 2), v2)
