# A flag is polled by volatile loads, which .cv ones are too, or atomic operations: to the assembler
# other loads are plain ones.
# run: neso run %s:by_volatile --target sim:sm_90a --check -q -g 2 zeros:1:i32 zeros:1:i32 "''" "''" True
# run: neso run %s:by_volatile --target sim:sm_90a --check -q -g 2 zeros:1:i32 zeros:1:i32 "'.cv'" "''" False
# run: neso run %s:by_volatile --target sim:sm_90a --check -q -g 2 zeros:1:i32 zeros:1:i32 "'.cv'" "'evict_last'" 0
# run: neso run %s:behind --target sim:sm_90a --check -q -g 2 zeros:1:i32 zeros:1:i32 zeros:1:i32
# run: neso run %s:polled --target sim:sm_90a --check -q -g 2 zeros:1:i32 zeros:1:i32 "'.cg'"
import triton
import triton.language as tl


@triton.jit
def polled(flag_ptr, out_ptr, M: tl.constexpr):
    if tl.program_id(0) == 0:
        tl.atomic_xchg(flag_ptr, 1)
    else:
        while tl.load(flag_ptr, cache_modifier=M) == 0:  # error: 15: race between programs: the load at byte 0 of 'flag_ptr' and the atomic operation
            pass
        tl.store(out_ptr, 1)


@triton.jit
def by_volatile(flag_ptr, out_ptr, M: tl.constexpr, E: tl.constexpr, V: tl.constexpr):
    if tl.program_id(0) == 0:
        tl.atomic_xchg(flag_ptr, 1)
    else:
        while tl.load(flag_ptr, cache_modifier=M, eviction_policy=E, volatile=V) == 0:
            pass
        tl.store(out_ptr, 1)


@triton.jit
def behind(data_ptr, flag_ptr, out_ptr):
    """A load that is ordered, whatever its modifier."""
    if tl.program_id(0) == 0:
        tl.store(data_ptr, 7)
        tl.atomic_xchg(flag_ptr, 1, sem="release")
    else:
        while tl.atomic_add(flag_ptr, 0, sem="acquire") == 0:
            pass
        tl.store(out_ptr, tl.load(data_ptr, cache_modifier=".cv"))
