# A program reads what another writes in place (its own threads meet in between); from one buffer to another it is clean.
# run: neso run %s:shifted --target sim:sm_90a --check -q -g 4 rand:1024:fp16 zeros:1024:fp16 1024
# run: neso run %s:in_place --target sim:sm_90a --check -q -g 4 rand:1024:fp16 1024
# exit: 1
import triton
import triton.language as tl


@triton.jit
def shifted(x_ptr, out_ptr, n):
    i = tl.program_id(0) * 256 + tl.arange(0, 256)
    v = tl.load(x_ptr + i + 1, mask=i + 1 < n, other=0.0)
    tl.store(out_ptr + i, v)


@triton.jit
def in_place(x_ptr, n):
    i = tl.program_id(0) * 256 + tl.arange(0, 256)
    v = tl.load(x_ptr + i + 1, mask=i + 1 < n, other=0.0)  # note: 9: the other access, by program (0, 0, 0), warp 3, lane 31
    tl.store(x_ptr + i, v)  # error: 5: race between programs: the store at byte 512 of 'x_ptr' and the load
