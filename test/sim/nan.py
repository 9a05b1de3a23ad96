# Where NaN and infinities arise, as warnings, where that is asked for.
# tests: SIM_NAN
# run: neso run %s:quotients --target sim:sm_90a --nan -q -g 1 arange:64:fp32 zeros:64:fp32
import triton
import triton.language as tl


@triton.jit
def quotients(x_ptr, out_ptr):
    i = tl.arange(0, 64)
    x = tl.load(x_ptr + i)
    y = x / (x - 3)  # warning: 9: an infinity arises here, of 3, 0; kernel 'quotients', program (0, 0, 0), warp 0, lane 3
    z = y - y  # warning: 9: a NaN arises here, of inf
    w = z + 1
    tl.store(out_ptr + i, w)
