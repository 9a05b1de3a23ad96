# Elements of an array that nobody has written: read, they may be dropped, and are a finding where they are stored.
# run: neso run %s:dropped --target sim:sm_80 --check -q -g 1 uninit:100:fp32 zeros:128:fp32 100
# run: neso run %s:stored --target sim:sm_80 --check -q -g 1 uninit:100:fp32 zeros:128:fp32 100
# exit: 1
import triton
import triton.language as tl


@triton.jit
def dropped(x_ptr, out_ptr, n):
    i = tl.arange(0, 128)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(out_ptr + i, tl.where(i < n, 1.0, x))


@triton.jit
def stored(x_ptr, out_ptr, n):
    i = tl.arange(0, 128)
    x = tl.load(x_ptr + i, mask=i < n)  # note: 9: it comes from here, by program (0, 0, 0), warp 0
    tl.store(out_ptr + i, x)  # error: 5: use of a value that is not defined: what is stored; it is loaded from memory that nothing has written
