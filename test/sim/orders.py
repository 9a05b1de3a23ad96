# Under --check programs that tell one another anything run in other orders, too, and together: what depends on it is told; sums of
# floats may differ as sums in another order do, and no further. Programs that wait by loads alone do so in little time.
# run: neso run %s:tickets --target sim:sm_90a --check -q -g 8 zeros:1:i32 zeros:8:i32
# run: neso run %s:summed --target sim:sm_90a --check -q -g 8 rand:2048:fp32 zeros:1:fp32
# run: neso run %s:summed --target sim:sm_90a --schedules 8 -q -g 8 rand:2048:fp16 zeros:1:fp16
# run: neso run %s:locked --target sim:sm_90a --schedules 8 -q -g 8 zeros:1:i32 zeros:256:fp32 rand:2048:fp32
# run: neso run %s:handshake --target sim:sm_90a --num-warps 1 --schedules 4 -q -g 2 zeros:2:i32 zeros:2:i32 30 --expect out=full:2:i32:30
# run: neso run %s:behind --target sim:sm_90a --check -q -g 8 zeros:8:i32 zeros:8:i32 --expect out=ones:8:i32
# run: neso run %s:numbered --target sim:sm_90a --schedules 4 -q -g 8 zeros:1:i32 zeros:8:fp32
# exit: 1
import triton
import triton.language as tl


@triton.jit
def tickets(counter, out_ptr):
    ticket = tl.atomic_add(counter, 1)
    tl.store(out_ptr + tl.program_id(0), ticket)  # warning: 5: the result depends on the order of programs: byte 0 of 'out_ptr' is 0x07 in schedule 2 (from the last on), and 0x00 in schedule 0


@triton.jit
def summed(x, out):
    i = tl.program_id(0) * 256 + tl.arange(0, 256)
    tl.atomic_add(out, tl.sum(tl.load(x + i)), sem="relaxed")
    tl.atomic_add(out + i * 0, tl.load(x + i), sem="relaxed")


@triton.jit
def locked(lock, sums, x):
    i = tl.arange(0, 256)
    v = tl.load(x + tl.program_id(0) * 256 + i)
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.store(sums + i, tl.load(sums + i) + v)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


@triton.jit
def handshake(turn, out, n):
    """Each waits for the other's number by volatile loads."""
    me = tl.program_id(0)
    for k in range(n):
        if me == 1:
            while tl.load(turn, volatile=True) < k + 1:
                pass
        tl.atomic_xchg(turn + me, k + 1)
        if me == 0:
            while tl.load(turn + 1, volatile=True) < k + 1:
                pass
    tl.store(out + me, n)


@triton.jit
def behind(flags, out):
    """Each but the last waits for the one after it, which has not begun when programs go one after the other."""
    me = tl.program_id(0)
    if me < tl.num_programs(0) - 1:
        while tl.load(flags + me + 1, volatile=True) == 0:
            pass
    tl.atomic_xchg(flags + me, 1)
    tl.store(out + me, 1)


@triton.jit
def numbered(counter, out_ptr):
    """No sum in another order."""
    tl.store(out_ptr + tl.program_id(0), tl.atomic_add(counter, 1).to(tl.float32))  # error: 5: the result depends on the order of threads: byte 2 of 'out_ptr' is of 7
