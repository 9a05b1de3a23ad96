# A kernel that compiles for no arguments has no classes of constexprs: what stands in the way is said.
# run: neso list --why %s
import triton
import triton.language as tl


@triton.jit
def never(x_ptr, N: tl.constexpr):  # error: 1: no signature was found that never compiles for; give one
    tl.store(x_ptr, nowhere + N)


@triton.jit
def fine(x_ptr, N: tl.constexpr):
    tl.store(x_ptr, N)
