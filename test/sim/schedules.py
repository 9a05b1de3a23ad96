# Results that depend on the order of warps, or of programs, at the store that wrote them; others are the same in each order.
# run: neso run %s:passed_on --target sim:sm_90a --schedules 6 -q -g 2 rand:2048:fp32 zeros:2048:fp32 zeros:2048:fp32 True
# run: neso run %s:tickets --target sim:sm_90a --schedules 4 -q -g 8 zeros:1:i32 zeros:8:i32 False
# run: neso run %s:tickets --target sim:sm_90a --schedules 4 -q -g 8 zeros:1:i32 zeros:8:i32 True
# exit: 1
import triton
import triton.language as tl


@triton.jit
def passed_on(x_ptr, between, out_ptr, BARRIER: tl.constexpr):
    i = tl.arange(0, 1024)
    base = tl.program_id(0) * 1024
    tl.store(between + base + i, tl.load(x_ptr + base + i))
    if BARRIER:
        tl.debug_barrier()
    tl.store(out_ptr + base + i, tl.load(between + base + (i + 64) % 1024))


@triton.jit
def tickets(counter, out_ptr, KEEP: tl.constexpr):
    ticket = tl.atomic_add(counter, 1)
    if KEEP:
        tl.store(out_ptr + tl.program_id(0), ticket)  # error: 9: the result depends on the order of threads: byte 0 of 'out_ptr' is 0x07 in schedule 2 (from the last on), and 0x00 in schedule 0
