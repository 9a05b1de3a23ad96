# Multiply-adds of bf16 are rounded once, by all engines.
# run: difftest %s
# expect: success
# launch: 1 1 1 0 1
# buffer: p0 bf16 512 2746373000024737339
# buffer: p2 bf16 1024 2746373000024737493 -9 9
# buffer: o4 bf16 1024 2746373000024737647 -100 100
import triton
import triton.language as tl


@triton.jit
def kernel(p0, p2, o4):
    pid = tl.program_id(0)
    v0 = tl.load(p0 + tl.arange(0, 16)[:,None,None] * 32 + tl.arange(0, 16)[None,:,None] * 2 + tl.arange(0, 2)[None,None,:])
    v1 = tl.join(v0, v0)
    v2 = tl.load(p2 + tl.arange(0, 16)[:,None,None,None] * 64 + tl.arange(0, 16)[None,:,None,None] * 4 + tl.arange(0, 2)[None,None,:,None] * 2 + tl.arange(0, 2)[None,None,None,:])
    v3 = tl.fma(v1, v2, v2)
    tl.store(o4 + tl.arange(0, 16)[:,None,None,None] * 64 + tl.arange(0, 16)[None,:,None,None] * 4 + tl.arange(0, 2)[None,None,:,None] * 2 + tl.arange(0, 2)[None,None,None,:], v3)
