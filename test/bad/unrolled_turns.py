# What is wrong in one turn of an unrolled loop is said for that one: those behind it are not compiled.
# run: neso compile %s:kernel --signature "*fp32"
import triton
import triton.language as tl


@triton.jit
def kernel(p):
    for i in tl.static_range(800000):
        for j in tl.static_range(4):
            tl.store(p + i + j, missing)  # error: 33: name 'missing' is not defined
