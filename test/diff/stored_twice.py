# A tile that is stored twice, in the layouts of what its values were made by: the second store is the last.
# run: difftest %s
# expect: success
# launch: 1 1 1 0 3
# buffer: o6 fp32 36 2878765784226899608 -100 100
# buffer: p15 fp32 36 2878765784226900301 -2 2
import triton
import triton.language as tl


@triton.jit
def kernel(o6, p15):
    tile = tl.arange(0, 3)[:, None] * 12 + tl.arange(0, 12)[None, :]
    total = tl.full((3, 12), 0.0, tl.float32)
    for k in tl.static_range(2):
        tl.store(o6 + tile, total)
        total += tl.load(p15 + tile)
