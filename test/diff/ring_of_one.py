# A load of one element that is started iterations ahead: its ring has a layout without bases.
# run: difftest %s
# expect: success
# launch: 1 1 1 1 1
# number: n1 i32 0
# buffer: p4 fp64 1 838495447299853900 -7 7
# buffer: o8 fp64 1 838495447299854208 -100 100
import triton
import triton.language as tl


@triton.jit
def kernel(n1, p4, o8):
    pid = tl.program_id(0)
    v0 = tl.full((1,), 1.0, tl.float64)
    c1_0 = v0
    for k1 in tl.range(0, n1, num_stages=4):
        v2 = k1
        v4 = tl.load(p4 + tl.arange(0, 1))
        v5 = c1_0 + v4
        c1_0 = v5
    tl.store(o8 + tl.arange(0, 1), c1_0)
