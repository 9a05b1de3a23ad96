# What a kernel promises, and what is so.
# run: neso run %s:assumes --target sim:sm_90a --check -q -g 2 rand:256:fp32 zeros:256:fp32 256 16
# run: neso run %s:assumes --target sim:sm_80 --check -q -g 2 rand:256:fp32 zeros:256:fp32 256 12
# exit: 1
import triton
import triton.language as tl


@triton.jit
def assumes(x_ptr, out_ptr, n, step):
    tl.assume(step % 8 == 0)  # error: 5: a promise that is false: what is assumed here does not hold
    i = tl.program_id(0) * 128 + tl.arange(0, 128)
    x = tl.load(x_ptr + i * step // 16, mask=i * step // 16 < n)
    tl.store(out_ptr + i, x, mask=i * step // 16 < n)
