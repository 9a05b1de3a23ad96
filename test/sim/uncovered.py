# A check of a kernel most of which never runs says so.
# run: neso run %s:early --target sim:sm_90a --check -q -g 1 arange:128:i32 zeros:128:i32 0
# run: neso run %s:early --target sim:sm_90a --check -q -g 1 arange:128:i32 zeros:128:i32 128
import triton
import triton.language as tl


@triton.jit
def early(x_ptr, out_ptr, n):  # warning: 5: less than half of a kernel was checked: 2 of the 5 lines of kernel 'early' ran; --coverage
    if n > 0:
        i = tl.arange(0, 128)
        x = tl.load(x_ptr + i)
        y = x * 3 + 1
        tl.store(out_ptr + i, y)
