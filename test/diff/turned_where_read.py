# Both products take one tile of a ring, one of them turned in registers: these are filled where the tile is read, in front of the first
# product, and not where it is turned, behind it; so the second product cannot go on into the next iteration.
# run: difftest %s
# expect: success
# launch: 1 4 1 1 1 1
# buffer: p7 i8 4096 5286180720235726098 -1 1
# buffer: o17 i32 1024 5286180720235726868 -100 100
# buffer: o18 i32 1024 5286180720235726945 -100 100
import triton
import triton.language as tl


@triton.jit
def kernel(p7, o17, o18):
    pid = tl.program_id(0)
    v0 = tl.full((64, 16), 0, tl.int32)
    c1_0, c1_1, c1_2 = v0, v0, v0
    for k1 in range(2):
        v2 = k1
        v6 = tl.full((16, 16), 0, tl.int32)
        v7 = tl.load(p7 + tl.arange(0, 64)[:,None] * 64 + tl.arange(0, 64)[None,:])
        v8 = v0.to(tl.int8)
        v9 = tl.dot(v7, v8, c1_0, input_precision="tf32", out_dtype=tl.int32)
        v10 = tl.permute(v7, (1, 0))
        v11 = v0.to(tl.int8)
        v12 = tl.dot(v10, v11, c1_2, input_precision="ieee", out_dtype=tl.int32)
        c1_0, c1_1, c1_2 = v9, c1_1, v12
    tl.store(o17 + tl.arange(0, 64)[:,None] * 16 + tl.arange(0, 16)[None,:], c1_2)
    tl.store(o18 + tl.arange(0, 64)[:,None] * 16 + tl.arange(0, 16)[None,:], c1_0)
