# A name that tl does not have: the nearest is offered, and the kernel's other faults are found in the same run.
# run: neso compile %s:kernel --signature "*fp32"
# limit: 2 500
import triton
import triton.language as tl


@triton.jit
def kernel(p):
    i = tl.arange(0, 16)
    x = tl.laod(p + i)  # error: 12: module triton.language has no attribute 'laod'; did you mean 'load'?
    y = tl.load(p + i)
    tl.store(p + i, y + nothing)  # error: 25: nothing
