# Other results of clusters: bytes of another CTA's memory lay two apart in the simulator.
# run: difftest %s
# expect: success
# launch: 1 1 1 1 1 4
# buffer: x i8 16 8
# buffer: o i8 8 16
import triton
import triton.language as tl


@triton.jit
def kernel(x, o):
    a = tl.load(x + tl.arange(0, 16))
    tl.store(o + tl.arange(0, 8), a[5:13])
