# What threads of a program tell one another through memory wants a barrier; copies of a small tile's elements do not.
# run: neso run %s:passed_on --target sim:sm_90a --check -q -g 2 rand:2048:fp32 zeros:2048:fp32 zeros:2048:fp32 True
# run: neso run %s:in_place --target sim:sm_90a --check -q -g 2 rand:32:fp32 zeros:1:fp32
# run: neso run %s:passed_on --target sim:sm_90a --check -q -g 2 rand:2048:fp32 zeros:2048:fp32 zeros:2048:fp32 False
# exit: 1
import triton
import triton.language as tl


@triton.jit
def passed_on(x_ptr, between, out_ptr, BARRIER: tl.constexpr):
    i = tl.arange(0, 1024)
    base = tl.program_id(0) * 1024
    tl.store(between + base + i, tl.load(x_ptr + base + i))  # error: 5: race: the store at byte 2560 of 'between' and the load
    if BARRIER:
        tl.debug_barrier()
    tl.store(out_ptr + base + i, tl.load(between + base + (i + 640) % 1024))  # error: 34: race: the load at byte 0 of 'between' and the store


@triton.jit
def in_place(x_ptr, sum_ptr):
    """Fewer elements than threads, and a scalar."""
    i = tl.program_id(0) * 16 + tl.arange(0, 16)
    tl.store(x_ptr + i, tl.load(x_ptr + i) * 2)
    if tl.program_id(0) == 0:
        tl.store(sum_ptr, tl.load(sum_ptr) + 1)
