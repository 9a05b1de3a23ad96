# Orders of atomic reads and writes: what only reads releases nothing, and what only writes acquires nothing.
# options: --signature "*i32"
import triton
import triton.language as tl


@triton.jit
def kernel(p):
    x = tl.atomic_load(p, sem="release")  # error: 9: tl.atomic_load: sem is 'release'; it can be '', 'acquire', 'relaxed'
    y = tl.atomic_load(p, sem="acq_rel")  # error: 9: sem is 'acq_rel'
    tl.atomic_store(p, 1, sem="acquire")  # error: 5: sem is 'acquire'; it can be '', 'release', 'relaxed'
    tl.atomic_store(p, tl.atomic_load(p, sem="relaxed"), sem="release")
