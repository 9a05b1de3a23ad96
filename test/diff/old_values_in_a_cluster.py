# Other results of clusters: CTAs that hold copies of an atomic's old values had none.
# run: difftest %s
# expect: success
# launch: 1 1 1 1 1 4
# buffer: x i16 3 16 -100 100
# buffer: y i16 3 24 -100 100
# buffer: o i16 3 32 -100 100
import triton
import triton.language as tl


@triton.jit
def kernel(x, y, o):
    i = tl.arange(0, 3)[:, None] + tl.arange(0, 1)[None, :]
    old = tl.atomic_or(x + i, tl.full((3, 1), 1, tl.int16))
    tl.store(y + 2 - i, old)
    tl.debug_barrier()
    tl.store(o + i, tl.cumsum(old, axis=0).to(tl.int16))
