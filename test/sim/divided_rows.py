# Rows divided by one number each, whose reciprocal their elements share, are what elements divided by numbers of their own are, but
# for two units in the last place: divisors that are 0, infinite, no numbers, too small or too large for a reciprocal.
# run: neso run %s:rows --target sim:sm_90a --check -q -g 16 zeros=zeros:1024:i32 wrong=zeros:1:i32 --num-warps 1 --expect wrong=zeros:1:i32
# run: neso run %s:rows --target sim:sm_90a --check -q -g 16 zeros=zeros:1024:i32 wrong=zeros:1:i32 --num-warps 4 --expect wrong=zeros:1:i32
# expect: success
import triton
import triton.language as tl


@triton.jit
def divisor(i):
    """As bits; neighbours and both signs."""
    edge = tl.where(i % 8 == 0, 0, tl.where(i % 8 == 1, 0x00400000, tl.where(i % 8 == 2, 0x00800000, 0x01000000)))
    edge = tl.where(i % 8 == 4, 0x3F800000, tl.where(i % 8 == 5, 0x7E800000, tl.where(i % 8 == 6, 0x7F7FFFFF, edge)))
    edge = tl.where(i % 8 == 7, 0x7F800000, edge)
    return (edge + i // 8 % 4 * 0x12345 // 4) ^ tl.where(i // 32 % 2 == 1, -2147483648, 0)


@triton.jit
def rows(zeros, wrong):
    r, c = tl.arange(0, 16), tl.arange(0, 64)
    pid = tl.program_id(0)
    own = pid * 16 + r
    x = (0x3F000000 + (c[None, :] % 32 - 16 + r[:, None] * 0) * 0x05432100 + pid * 0x1357).to(tl.float32, bitcast=True)
    shared = x / divisor(own).to(tl.float32, bitcast=True)[:, None]
    other = own[:, None] + tl.load(zeros + r[:, None] * 64 + c[None, :])
    alone = x / divisor(other).to(tl.float32, bitcast=True)
    a, b = shared.to(tl.int32, bitcast=True), alone.to(tl.int32, bitcast=True)
    differs = (tl.abs(a - b) > 2) & ((shared == shared) | (alone == alone))
    tl.atomic_add(wrong, tl.sum(tl.sum(differs.to(tl.int32), 1)))
