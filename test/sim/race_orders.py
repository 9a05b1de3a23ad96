# What programs tell one another is a race unless atomics order it: locks, and the last one that sums up what all have left.
# run: neso run %s:locked --target sim:sm_90a --check -q -g 20 zeros:1:i32 zeros:1:i32 --expect count=full:1:i32:20
# run: neso run %s:last --target sim:sm_90a --check -q -g 16 ones:16:fp32 zeros:16:fp32 zeros:1:i32 zeros:1:fp32 'SEM="acq_rel"' --expect out=full:1:fp32:16
# run: neso run %s:each --target sim:sm_90a --check -q -g 16 zeros:4096:i32 zeros:256:i32 zeros:4096:i32 --expect out=ones:4096:i32
# run: neso run %s:unlocked --target sim:sm_90a --check -q -g 20 zeros:1:i32 zeros:1:i32
# run: neso run %s:last --target sim:sm_90a --check -q -g 16 ones:16:fp32 zeros:16:fp32 zeros:1:i32 zeros:1:fp32 'SEM="relaxed"'
# run: neso run %s:mixed --target sim:sm_90a --check -q -g 4 zeros:4:i32
# exit: 1
import triton
import triton.language as tl


@triton.jit
def locked(lock, count):
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.store(count, tl.load(count) + 1)
    tl.atomic_xchg(lock, 0)


@triton.jit
def unlocked(lock, count):
    c = tl.load(count)  # error: 9: race between programs: the load at byte 0 of 'count' and the store
    tl.store(count, c + 1)  # error: 5: race between programs: the store at byte 0 of 'count' and the store


@triton.jit
def last(x, parts, counter, out, SEM: tl.constexpr):
    pid = tl.program_id(0)
    i = tl.arange(0, 16)
    tl.store(parts + pid, tl.load(x + pid))
    if tl.atomic_add(counter, 1, sem=SEM) == tl.num_programs(0) - 1:
        tl.store(out, tl.sum(tl.load(parts + i)))  # error: 30: race between programs: the load at byte 0 of 'parts' and the store


@triton.jit
def each(values, flags, out):
    """Each thread waits for the one of the program before that has its place."""
    pid = tl.program_id(0)
    i = tl.arange(0, 256)
    if pid > 0:
        seen = tl.atomic_max(flags + i, 0)
        while tl.min(seen) < pid:
            seen = tl.atomic_max(flags + i, 0)
        tl.store(out + pid * 256 + i, tl.load(values + (pid - 1) * 256 + i))
    else:
        tl.store(out + i, i * 0 + 1)
    tl.store(values + pid * 256 + i, i * 0 + 1)
    tl.atomic_max(flags + i, pid + 1)


@triton.jit
def mixed(counter):
    tl.atomic_add(counter, 1)  # error: 5: race between programs: the atomic operation at byte 0 of 'counter' and the store
    tl.store(counter, 0)  # error: 5: race between programs: the store at byte 0 of 'counter' and the store
