# Differences of indices, whose registers differ by constants: they wrap around, and a quotient of what wrapped is none of the index.
# run: neso run %s:differences --target sim:sm_90a --check -q -g 2 zeros=zeros:64:i32 wrong=zeros:1:i32 first=0 second=5 --expect wrong=zeros:1:i32
# run: neso run %s:differences --target sim:sm_90a --check -q -g 2 zeros=zeros:64:i32 wrong=zeros:1:i32 first=-2147483600 second=2147483633 --expect wrong=zeros:1:i32
# run: neso run %s:differences --target sim:sm_80 --check -q -g 2 zeros=zeros:64:i32 wrong=zeros:1:i32 first=2147483000 second=-2147483633 --num-warps 1 --expect wrong=zeros:1:i32
# run: neso run %s:differences --target interp -q -g 2 zeros=zeros:64:i32 wrong=zeros:1:i32 first=7 second=-5 --expect wrong=zeros:1:i32
# expect: success
import triton
import triton.language as tl


@triton.jit
def differences(zeros, wrong, first, second):
    r = tl.arange(0, 64)
    unknown = tl.load(zeros + r)
    i, j = first + tl.program_id(0) * 64 + r, second + r
    d = i[:, None].to(tl.int64) - j[None, :]
    want = ((d + (1 << 31)) & 0xFFFFFFFF) - (1 << 31)
    got = i[:, None] - j[None, :]
    differs = (got != want) | (got // 4 != (got + unknown[:, None]) // 4) | (got % 8 != (got + unknown[:, None]) % 8)
    differs |= ((r[:, None] * 16 - r[None, :] * 4) | 3) != (r[:, None] * 16 - (r * 4 + unknown)[None, :] + 3)
    differs |= ((r[:, None] * 16 - 8) & 7) != 0
    tl.atomic_add(wrong, tl.sum(tl.sum(differs.to(tl.int32), 1)))
