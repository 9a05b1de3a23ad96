# Lanes of one warp race as threads do: stores of different numbers to a place, reads of what another lane has stored, lost updates.
# run: neso run %s:halves --target sim:sm_90a --num-warps 1 --check -q -g 1 zeros:16:i32 False
# run: neso run %s:passed_on --target sim:sm_90a --num-warps 1 --check -q -g 1 zeros:32:i32 zeros:32:i32 True
# run: neso run %s:shifted --target sim:sm_90a --num-warps 1 --check -q -g 1 arange:33:i32
# run: neso run %s:scalar --target sim:sm_90a --num-warps 1 --check -q -g 1 zeros:1:i32 zeros:16:i32 --expect p=full:1:i32:2
# run: neso run %s:halves --target sim:sm_90a --num-warps 1 --check -q -g 1 zeros:16:i32 True
# run: neso run %s:passed_on --target sim:sm_90a --num-warps 1 --check -q -g 1 zeros:32:i32 zeros:32:i32 False
# run: neso run %s:counted --target sim:sm_90a --num-warps 1 --check -q -g 1 zeros:16:i32
# run: neso run %s:all_warps --target sim:sm_90a --check -q -g 1 zeros:8:i32
# exit: 1
import triton
import triton.language as tl


@triton.jit
def halves(out, DIFFERENT: tl.constexpr):
    i = tl.arange(0, 32)
    tl.store(out + i // 2, i if DIFFERENT else i * 0 + 3)  # error: 5: race: the store at byte 0 of 'out' and the store


@triton.jit
def passed_on(between, out, BARRIER: tl.constexpr):
    i = tl.arange(0, 32)
    tl.store(between + i, i)
    if BARRIER:
        tl.debug_barrier()
    tl.store(out + i, tl.load(between + (i + 1) % 32))  # error: 23: race: the load at byte 4 of 'between' and the store


@triton.jit
def shifted(p):
    """All lanes have loaded when the first one stores."""
    i = tl.arange(0, 32)
    tl.store(p + i, tl.load(p + i + 1))


@triton.jit
def scalar(p, out):
    """What one lane stores for all is loaded by all, and elements that two lanes hold."""
    i = tl.arange(0, 16)
    for k in range(2):
        tl.store(p, tl.load(p) + 1)
        tl.store(out + i, tl.load(out + i) + tl.load(p))


@triton.jit
def counted(counts):
    """Each half of the lanes adds one: one of two is lost."""
    i = tl.arange(0, 32)
    tl.store(counts + i // 2, tl.load(counts + i // 2) + 1)  # error: 5: race: lanes 0 and 1 of a warp both load byte 0 of 'counts' and store it: one's update is lost


@triton.jit
def all_warps(counts):
    """The compiler has the warps meet between loads and stores, and the updates are lost all the same."""
    i = tl.arange(0, 256) % 8
    tl.store(counts + i, tl.load(counts + i) + 1)  # error: 5: one's update is lost
