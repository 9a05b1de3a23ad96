# Rows of a result whose length is no multiple of 16 bytes: what lies behind them stays.
# run: difftest %s
# expect: success
# launch: 1 4 2 1 1
# number: n1 i32 0
# buffer: p4 i8 2048 1657414497858559352 -3 3
# buffer: o10 i32 2048 1657414497858559814 -100 100
# number: n10 i32 30
# number: m10 i32 11
import triton
import triton.language as tl


@triton.jit
def kernel(n1, p4, o10, n10, m10):
    pid = tl.program_id(0)
    v0 = tl.full((64, 32), 0, tl.int32)
    c1_0 = v0
    for k1 in range(0, n1, 2):
        v2 = k1
        v4 = tl.load(p4 + tl.arange(0, 64)[:,None] * 32 + tl.arange(0, 32)[None,:])
        v5 = tl.full((32, 32), 1, tl.int32)
        v6 = v5.to(tl.int8)
        v7 = tl.dot(v4, v6, v0, input_precision="tf32", out_dtype=tl.int32)
        c1_0 = v7
    tl.store(o10 + tl.arange(0, 64)[:,None] * 32 + tl.arange(0, 32)[None,:], c1_0, mask=(tl.arange(0, 64)[:,None] < m10) & (tl.arange(0, 32)[None,:] < n10))
