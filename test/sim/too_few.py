# A program that waits for fewer of the others than it needs: in one of the orders it goes on before the rest has come.
# run: neso run %s:last_part --target sim:sm_80 --check -q -g 6 rand:384:fp32 zeros:384:fp32 zeros:6:i32 zeros:128:fp32 3 2
# run: neso run %s:last_part --target sim:sm_80 --check -q -g 6 rand:384:fp32 zeros:384:fp32 zeros:6:i32 zeros:128:fp32 3 1
# exit: 1
import triton
import triton.language as tl


@triton.jit
def last_part(x_ptr, parts_ptr, count_ptr, out_ptr, PARTS: tl.constexpr, WANT: tl.constexpr):
    pid = tl.program_id(0)
    tile = pid // PARTS
    i = tl.arange(0, 64)
    x = tl.load(x_ptr + pid * 64 + i)
    if pid % PARTS != PARTS - 1:
        tl.store(parts_ptr + pid * 64 + i, x)  # error: 9: race between programs: the store at byte 128 of 'parts_ptr' and the load
        tl.atomic_add(count_ptr + tile, 1, sem="release")
    else:
        while tl.atomic_add(count_ptr + tile, 0, sem="acquire") < WANT:
            pass
        for p in range(PARTS - 1):
            x += tl.load(parts_ptr + (tile * PARTS + p) * 64 + i)
        tl.store(out_ptr + tile * 64 + i, x)
