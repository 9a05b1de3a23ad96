# Atomic operations order and exclude within their scope; a volatile load orders, and leaves the first-level cache as it is.
# run: neso run %s:counted --target sim:sm_90a --check -q -g 1 zeros:1:i32 "'cta'" --expect count=full:1:i32:1
# run: neso run %s:counted --target sim:sm_90a --check -q -g 4 zeros:1:i32 "'gpu'" --expect count=full:1:i32:4
# run: neso run %s:handed --target sim:sm_90a --check -q -g 2 zeros:256:i32 zeros:2:i32 zeros:256:i32 zeros:256:i32 True --expect seen=full:256:i32:5
# run: neso run %s:handed --target sim:sm_90a --check -q -g 2 zeros:256:i32 zeros:2:i32 zeros:256:i32 zeros:256:i32 False --expect seen=full:256:i32:5
# run: neso run %s:counted --target sim:sm_90a --check -q -g 4 zeros:1:i32 "'cta'"
# exit: 1
import triton
import triton.language as tl


@triton.jit
def counted(count, SCOPE: tl.constexpr):
    tl.atomic_add(count, 1, scope=SCOPE, sem="relaxed")  # error: 5: race between programs: the atomic operation of a CTA's scope at byte 0 of 'count' and the atomic operation of a CTA's scope


@triton.jit
def handed(data, flags, seen, before, ACQUIRE: tl.constexpr):
    """The first program has loaded what the second one then changes; it waits by volatile loads, or by acquires."""
    i = tl.arange(0, 256)
    if tl.program_id(0) == 0:
        tl.store(before + i, tl.load(data + i))
        tl.debug_barrier()
        tl.atomic_xchg(flags, 1, sem="release")
        if ACQUIRE:
            while tl.atomic_add(flags + 1, 0, sem="acquire") == 0:
                pass
        else:
            while tl.load(flags + 1, volatile=True) == 0:
                pass
            tl.debug_barrier()
        tl.store(seen + i, tl.load(data + i))  # error: 28: stale load: byte 0 of 'data' may be what the first-level cache holds since the program loaded it first
    else:
        while tl.atomic_add(flags, 0, sem="acquire") == 0:
            pass
        tl.store(data + i, i * 0 + 5)
        tl.debug_barrier()
        tl.atomic_xchg(flags + 1, 1, sem="release")
