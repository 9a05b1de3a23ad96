# Inline assembly of logical operations, shifts, bit fields and searches for bits, single and in a block.
# run: difftest %s
# expect: success
# launch: 1 4 3 1 1
# buffer: p0 i32 256 838495447299853900
# buffer: p1 i32 256 838495447299854208 0 40
# buffer: o0 i32 3072 1 0 0
import triton
import triton.language as tl


@triton.jit
def kernel(p0, p1, o0):
    i = tl.arange(0, 256)
    x = tl.load(p0 + i)
    y = tl.load(p1 + i)
    at = o0 + i
    tl.store(at, tl.inline_asm_elementwise("not.b32 $0, $1;", "=r,r", [x], dtype=tl.int32, is_pure=True, pack=1))
    tl.store(at + 256, tl.inline_asm_elementwise("shl.b32 $0, $1, $2;", "=r,r,r", [x, y], dtype=tl.int32, is_pure=True, pack=1))
    tl.store(at + 512, tl.inline_asm_elementwise("shr.s32 $0, $1, $2;", "=r,r,r", [x, y], dtype=tl.int32, is_pure=True, pack=1))
    tl.store(at + 768, tl.inline_asm_elementwise("shr.u32 $0, $1, $2;", "=r,r,r", [x, y], dtype=tl.int32, is_pure=True, pack=1))
    tl.store(at + 1024, tl.inline_asm_elementwise("bfe.s32 $0, $1, $2, 9;", "=r,r,r", [x, y], dtype=tl.int32, is_pure=True, pack=1))
    tl.store(at + 1280, tl.inline_asm_elementwise("bfe.u32 $0, $1, 3, $2;", "=r,r,r", [x, y], dtype=tl.int32, is_pure=True, pack=1))
    tl.store(at + 1536, tl.inline_asm_elementwise("bfe.s32 $0, $1, 30, $2;", "=r,r,r", [x, y], dtype=tl.int32, is_pure=True, pack=1))
    tl.store(at + 1792, tl.inline_asm_elementwise("{ and.b32 $0, $1, 0xff00ff; or.b32 $0, $0, $2; xor.b32 $0, $0, $1; }", "=&r,r,r",
                                                  [x, y], dtype=tl.int32, is_pure=True, pack=1))
    tl.store(at + 2048, tl.inline_asm_elementwise("cvt.s32.s16 $0, $1;", "=r,r", [x], dtype=tl.int32, is_pure=False, pack=1))
    tl.store(at + 2304, tl.inline_asm_elementwise("cvt.u32.u8 $0, $1;", "=r,r", [x], dtype=tl.int32, is_pure=True, pack=1))
    tl.store(at + 2560, tl.inline_asm_elementwise("fns.b32 $0, $1, 3, $2;", "=r,r,r", [x, y], dtype=tl.int32, is_pure=True, pack=1))
    tl.store(at + 2816, tl.inline_asm_elementwise("fns.b32 $0, $1, 31, -3;", "=r,r", [x], dtype=tl.int32, is_pure=True, pack=1))
