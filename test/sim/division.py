# A quotient by zero that is stored is a finding, and one that is not used is none; every engine gives all ones.
# run: neso run %s:used --check --target sim:sm_90a -q -g 1 arange:100:i32 arange:100:i32 zeros:100:i32 100
# exit: 1
import triton
import triton.language as tl


@triton.jit
def used(x_ptr, y_ptr, out_ptr, n):
    i = tl.arange(0, 128)
    x = tl.load(x_ptr + i, mask=i < n, other=0)
    y = tl.load(y_ptr + i, mask=i < n, other=0)
    q = x // y  # error: 9: division by zero: what it gives decides what is stored
    tl.store(out_ptr + i, q, mask=i < n)  # note: 5: it is used here, by program (0, 0, 0), warp 0, lane 0
    tl.store(out_ptr + i, tl.where(y == 0, 7, x % y), mask=i < n)
