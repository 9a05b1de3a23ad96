# Quotients and remainders that are known to be equal in several registers of a thread are computed once; nothing is known of those of `j`.
# run: neso run %s:rows --target sim:sm_90a --check -q -g 4 zeros=zeros:1024:i32 wrong=zeros:1:i32 size=512 few=64 --expect wrong=zeros:1:i32
# run: neso run %s:rows --target sim:sm_90a --check -q -g 4 zeros=zeros:1024:i32 wrong=zeros:1:i32 size=8 few=3 --num-warps 1 --expect wrong=zeros:1:i32
# run: neso run %s:rows --target sim:sm_80 --check -q -g 4 zeros=zeros:1024:i32 wrong=zeros:1:i32 size=4 few=1 --expect wrong=zeros:1:i32
# run: neso run %s:tiles --target sim:sm_90a --check -q -g 4 zeros=zeros:1024:i32 wrong=zeros:1:i32 size=16 --expect wrong=zeros:1:i32
# expect: success
import triton
import triton.language as tl


@triton.jit
def rows(zeros, wrong, size: tl.constexpr, few: tl.constexpr):
    r = tl.arange(0, 1024)
    i = tl.program_id(0) * 1024 + r
    j = i + tl.load(zeros + r)
    differs = (i // size != j // size) | (i // size % few != j // size % few) | (i // size // few != j // size // few)
    tl.atomic_add(wrong, tl.sum((differs | (i % size != j % size) | ((i - 512) // size != (j - 512) // size)).to(tl.int32)))


@triton.jit
def tiles(zeros, wrong, size: tl.constexpr):
    r = tl.arange(0, 32)
    i = (tl.program_id(0) * 32 + r)[:, None] * 32 + r[None, :]
    j = i + tl.load(zeros + r[:, None] * 32 + r[None, :])
    tl.atomic_add(wrong, tl.sum(tl.sum((i // size != j // size).to(tl.int32), 1)))
