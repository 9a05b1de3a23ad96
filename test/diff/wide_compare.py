# High halves of 64-bit products against constants, which LLVM compares as integers of 128 bits.
# run: difftest %s
# expect: success
# launch: 1 4 3 1 1
# buffer: p0 u64 256 838495447299853900
# buffer: p1 i64 256 838495447299854208
# buffer: o0 i1 3072 1 0 0
import triton
import triton.language as tl


@triton.jit
def kernel(p0, p1, o0):
    i = tl.arange(0, 256)
    small = tl.load(p0 + i) >> 30
    for k in tl.static_range(2):
        if k == 0:
            high = tl.umulhi(small, small)
        else:
            high = tl.umulhi(tl.load(p1 + i), tl.load(p1 + i))
        at = o0 + k * 1536 + i
        tl.store(at, high == 1)
        tl.store(at + 256, high != 1)
        tl.store(at + 512, high < 2)
        tl.store(at + 768, high > 1)
        tl.store(at + 1024, high <= 7)
        tl.store(at + 1280, high >= 7)
