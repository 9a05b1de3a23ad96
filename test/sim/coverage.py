# What never ran, and what went one way alone, where that is asked for.
# run: neso run %s:parts --target sim:sm_90a --coverage -q -g 1 arange:100:fp32 zeros:128:fp32 100 64
import triton
import triton.language as tl


@triton.jit
def parts(x_ptr, out_ptr, n, size):
    # warning: @-1:5: coverage: 5 of 6 lines ran; 0 of 1 branches and 2 of 4 masks were true and false
    i = tl.arange(0, 128)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0)
    if n > 1000:  # warning: 5: coverage: the branch is never true
        x = tl.load(x_ptr + 2 * i, mask=i < n, other=0.0)  # warning: 29: coverage: the line never ran
    tl.store(out_ptr + i, x, mask=i < 2 * size)  # warning: 5: coverage: the mask is never false
    tl.store(out_ptr + i, x + 1, mask=i < size)
