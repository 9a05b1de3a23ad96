# Programs that wait for what nobody will do, with the line at which they wait; those that wait for one another in vain; locks and
# chains of programs that wait for one another end.
# run: neso run %s:locked --target sim:sm_90a -q -g 40 zeros:1:i32 zeros:1:i32 True --expect count=full:1:i32:40
# run: neso run %s:locked --target sim:sm_90a --check -q -g 40 zeros:1:i32 zeros:1:i32 True --expect count=full:1:i32:40
# run: neso run %s:chained --target sim:sm_90a -q -g 100 zeros:101:i32 zeros:100:i32 1 --expect out=arange:100:i32
# run: neso run %s:chained --target sim:sm_90a --check -q -g 60 zeros:61:i32 zeros:60:i32 1 --expect out=arange:60:i32
# run: neso run %s:counted --target sim:sm_90a -q -g 2 zeros:2:i32 300000 --expect out=full:2:i32:300000
# run: neso run %s:met --target sim:sm_90a --check -q -g 300 zeros:1:i32 zeros:300:i32 --expect out=ones:300:i32
# run: neso run %s:crossed --target sim:sm_90a --check -q -g 2 zeros:2:i32 zeros:1:i32
# run: neso run %s:unset --target sim:sm_90a -q -g 4 zeros:1:i32 zeros:4:i32
# run: neso run %s:locked --target sim:sm_90a --check -q -g 4 zeros:1:i32 zeros:1:i32 False
# run: neso run %s:endless --target sim:sm_90a -q -g 4 zeros:1:i32 zeros:4:i32
# run: neso run %s:chained --target sim:sm_90a -q -g 300 zeros:301:i32 zeros:300:i32 1 --expect out=arange:300:i32
# run: neso run %s:chained --target sim:sm_87 --num-warps 16 -q -g 48 zeros:49:i32 zeros:48:i32 1 --expect out=arange:48:i32
# run: neso run %s:chained --target sim:sm_87 --num-warps 16 -q -g 60 zeros:61:i32 zeros:60:i32 1
# exit: 1
import triton
import triton.language as tl


@triton.jit
def locked(lock, count, UNLOCK: tl.constexpr):
    while tl.atomic_cas(lock, 0, 1) == 1:  # error: 11: deadlock: it waits in this loop for a change of memory that no program will make, and reads byte 0 of 'lock'; 3 programs wait so; kernel 'locked', program (1, 0, 0)
        pass
    tl.store(count, tl.load(count) + 1)
    if UNLOCK:
        tl.atomic_xchg(lock, 0)


@triton.jit
def chained(flags, out, step):
    """Each waits for the next one: all must be there at once."""
    pid = tl.program_id(0)
    if pid < tl.num_programs(0) - 1:
        while tl.atomic_cas(flags + pid + step, 1, 1) == 0:  # error: 15: deadlock: it waits in this loop for a change of memory that no program will make, and reads byte 4 of 'flags'; 48 programs wait so; 12 programs are not begun, as 48 others are there and an Orin holds no more at once (warps)
            pass
    tl.store(out + pid, pid)
    tl.atomic_xchg(flags + pid, 1)


@triton.jit
def counted(out, n):
    """Long, and no memory changes: no deadlock."""
    k = 0
    while k < n:
        k += 1 + tl.load(out + tl.program_id(0))
    tl.store(out + tl.program_id(0), k)


@triton.jit
def unset(flag, out):
    if tl.program_id(0) == 2:
        while tl.load(flag, volatile=True) == 0:  # error: 15: deadlock: it waits in this loop for a change of memory that no program will make, and reads byte 0 of 'flag'; kernel 'unset', program (2, 0, 0)
            pass
    tl.store(out + tl.program_id(0), 1)


@triton.jit
def endless(step, out):
    k = 0
    while k < 5:
        k += tl.load(step + k)  # error: 14: deadlock: it waits in this loop
    tl.store(out, k)


@triton.jit
def met(count, out):
    """All programs of the grid meet."""
    tl.atomic_add(count, 1)
    while tl.atomic_add(count, 0) < tl.num_programs(0):
        pass
    tl.store(out + tl.program_id(0), 1)


@triton.jit
def crossed(locks, out):
    """Each has one lock and wants the other: only programs that run together do so."""
    pid = tl.program_id(0)
    first, second = locks + pid % 2, locks + 1 - pid % 2
    while tl.atomic_cas(first, 0, 1) == 1:
        pass
    while tl.atomic_cas(second, 0, 1) == 1:  # error: 11: deadlock: it waits in this loop for a change of memory that no program will make, and reads byte 4 of 'locks'; 2 programs wait so
        pass
    tl.store(out, tl.load(out) + 1)
    tl.atomic_xchg(second, 0)
    tl.atomic_xchg(first, 0)
