# Two programs store different numbers to the same place; the same numbers are told apart; programs with places of their own are clean.
# run: neso run %s:own --target sim:sm_90a --check -q -g 4 rand:1024:fp32 zeros:1024:fp32 1024
# run: neso run %s:same --target sim:sm_90a --check -q -g 4 zeros:1024:fp32 rand:256:fp32
# run: neso run %s:shared --target sim:sm_90a --check -q -g 4 rand:1024:fp32 zeros:1024:fp32
# run: neso run %s:overlapping --target sim:sm_90a --check -q -g 4 rand:1024:fp16 zeros:1024:fp16 1024
# exit: 1
import triton
import triton.language as tl


@triton.jit
def own(x_ptr, out_ptr, n):
    i = tl.program_id(0) * 256 + tl.arange(0, 256)
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=i < n), mask=i < n)


@triton.jit
def same(out_ptr, x_ptr):
    i = tl.arange(0, 256)
    tl.store(out_ptr + i, tl.load(x_ptr + i))  # warning: 5: race between programs that store the same: the store at byte 0 of 'out_ptr'


@triton.jit
def shared(x_ptr, out_ptr):
    i = tl.arange(0, 256)
    v = tl.load(x_ptr + tl.program_id(0) * 256 + i)
    tl.store(out_ptr + i, v)  # error: 5: race between programs: the store at byte 0 of 'out_ptr'  # note: 5: the other access, by program (0, 0, 0), warp 0, lanes 0-31


@triton.jit
def overlapping(x_ptr, out_ptr, n):
    i = tl.program_id(0) * 256 + tl.arange(0, 256)
    v = tl.load(x_ptr + i)
    tl.store(out_ptr + i, v)  # error: 5: kernel 'overlapping', program (1, 0, 0), warp 0, lane 0
    tl.store(out_ptr + i + 1, v, mask=i + 1 < n)  # error: 5: race: the store at byte 2 of 'out_ptr' and the store
