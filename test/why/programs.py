# Programs that take longer the higher their number start first.
# run: neso compile %s:triangle --target sim:sm_86 --why --signature "*fp32:16,*fp32:16"
import triton
import triton.language as tl


@triton.jit
def triangle(a, c):
    r = tl.arange(0, 128)
    acc = tl.zeros((128, ), tl.float32)
    for j in range(0, (tl.program_id(0) + 1) * 128, 128):
        acc += tl.load(a + j + r)
    tl.store(c + tl.program_id(0) * 128 + r, acc)

# CHECK: programs.py:11: for j in range
# CHECK-NEXT: loop last-first: programs with higher numbers along axis 0 turn it more often: they start first
