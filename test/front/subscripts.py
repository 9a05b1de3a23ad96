# Indices and slices of tiles that cannot be.
# run: neso compile %s:kernel --signature "*i32,i32"
import triton
import triton.language as tl


@triton.jit
def kernel(p, n):
    x = tl.arange(0, 16)
    a = x[n:n + 4]  # error: 9: the start of a slice of a tile must be known when compiling, found int32
    b = x[16]  # error: 9: index 16 is out of range for 16 items
    c = x[4:4]  # error: 9: the slice takes nothing of 16 elements
    d = x[::0]  # error: 9: a slice of a tile cannot have the step 0
    x[2:4] = tl.arange(0, 8)  # error: 5: int32[8] does not fit what is assigned to, shape [2] of int32[16]
    y = tl.arange(0, 16)[1, 2]  # error: 9: unsupported tensor index: int32[16] cannot be indexed by 2
    z = tl.arange(0, 16)
    z[None] = 1  # error: 5: None stands for a new axis of size 1 and cannot be assigned to: int32[16]
    z[z > 3] = tl.arange(0, 16)  # error: 5: int32[16] cannot be assigned where int1[16] is true of int32[16]
    z[tl.arange(0, 8) > 3] = 1  # error: 5: int32 cannot be assigned where int1[8] is true of int32[16]
