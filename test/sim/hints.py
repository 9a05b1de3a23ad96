# Hints that are false, where accesses rely on them, and the same hints where they hold.
# run: neso run %s:rows --target sim:sm_90a --check -q -g 1 rand:1000:fp32 zeros:512:fp32 100
# run: neso run %s:rows --target sim:sm_90a --check -q -g 1 rand:1000:fp32 zeros:512:fp32 50
# run: neso run %s:rows --target sim:sm_80 --check -q -g 1 rand:1000:fp32 zeros:512:fp32 52
# run: neso run %s:steps --target sim:sm_80 --check -q -g 1 rand:1000:fp32 zeros:128:fp32 7 16
# run: neso run %s:steps --target sim:sm_80 --check -q -g 1 rand:1000:fp32 zeros:128:fp32 7 15
# exit: 1
import triton
import triton.language as tl


@triton.jit
def rows(x_ptr, out_ptr, size):
    i = tl.arange(0, 512)
    at = tl.max_contiguous(tl.multiple_of(i % size, 4), 4)
    x = tl.load(x_ptr + at, mask=i < 52)  # error: 9: a promise that is false: what is assumed here does not hold
    tl.store(out_ptr + i, x, mask=i < 52)


@triton.jit
def steps(x_ptr, out_ptr, a, b):
    step = tl.multiple_of(a + b + 1, 8)  # error: 27: a promise that is false: what is assumed here does not hold
    i = tl.arange(0, 128)
    tl.store(out_ptr + i, tl.load(x_ptr + step + i))
