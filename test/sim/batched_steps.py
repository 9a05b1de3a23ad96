# Recurrences: several steps at once, with their loads in front, and the steps that are left over; forwards, backwards, by pointers that
# go on, by what the counter says, with scalars, and in place, where each step has to see what the one before stored.
# run: neso run %s:forward --target sim:sm_90a --check -q -g 2 x=rand:65536:fp16 o=zeros:65536:fp32 wrong=zeros:2:i32 T=1 --num-warps 1 --expect wrong=zeros:2:i32
# run: neso run %s:forward --target sim:sm_90a --check -q -g 2 x=rand:65536:fp16 o=zeros:65536:fp32 wrong=zeros:2:i32 T=3 --num-warps 1 --expect wrong=zeros:2:i32
# run: neso run %s:forward --target sim:sm_90a --check -q -g 2 x=rand:65536:fp16 o=zeros:65536:fp32 wrong=zeros:2:i32 T=4 --num-warps 4 --expect wrong=zeros:2:i32
# run: neso run %s:forward --target sim:sm_90a --check -q -g 2 x=rand:65536:fp16 o=zeros:65536:fp32 wrong=zeros:2:i32 T=9 --num-warps 1 --expect wrong=zeros:2:i32
# run: neso run %s:forward --target sim:sm_90a --check -q -g 2 x=rand:65536:fp16 o=zeros:65536:fp32 wrong=zeros:2:i32 T=11 --num-warps 2 --expect wrong=zeros:2:i32
# run: neso run %s:backward --target sim:sm_90a --check -q -g 1 x=rand:65536:fp32 o=zeros:65536:fp32 wrong=zeros:1:i32 LOW=3 HIGH=24 STEP=2 --num-warps 1 --expect wrong=zeros:1:i32
# run: neso run %s:backward --target sim:sm_90a --check -q -g 1 x=rand:65536:fp32 o=zeros:65536:fp32 wrong=zeros:1:i32 LOW=-3 HIGH=20 STEP=3 --num-warps 1 --expect wrong=zeros:1:i32
# run: neso run %s:in_place --target sim:sm_90a --check -q -g 1 x=rand:4096:fp32 o=zeros:4096:fp32 wrong=zeros:1:i32 T=13 --num-warps 1 --expect wrong=zeros:1:i32
# expect: success
import triton
import triton.language as tl

@triton.jit
def forward(x, o, wrong, T):
    pid = tl.program_id(0)
    k, v = tl.arange(0, 32), tl.arange(0, 16)
    p_k, p_v, p_g, p_o = x + pid * 8192 + k, x + pid * 8192 + 1024 + v, x + pid * 8192 + 2048, o + pid * 4096 + v
    state = tl.zeros([32, 16], tl.float32)
    for i in range(T):
        b_k, b_v, b_g = tl.load(p_k).to(tl.float32), tl.load(p_v).to(tl.float32), tl.load(p_g).to(tl.float32)
        state = state * b_g + b_k[:, None] * b_v[None, :]
        tl.store(p_o, tl.sum(state * b_k[:, None], 0))
        p_k += 32
        p_v += 16
        p_g += 1
        p_o += 16
    own = tl.zeros([32, 16], tl.float32)
    bad = 0
    for i in range(T):
        at = x + pid * 8192
        b_k, b_v = tl.load(at + i * 32 + k).to(tl.float32), tl.load(at + 1024 + i * 16 + v).to(tl.float32)
        own = own * tl.load(at + 2048 + i).to(tl.float32) + b_k[:, None] * b_v[None, :]
        was = tl.load(o + pid * 4096 + i * 16 + v)
        bad += tl.sum((tl.abs(was - tl.sum(own * b_k[:, None], 0)) > 1e-4).to(tl.int32))
    bad += tl.sum((tl.abs(state - own) > 1e-4).to(tl.int32))
    tl.store(wrong + pid, bad)

@triton.jit
def backward(x, o, wrong, LOW, HIGH, STEP: tl.constexpr):
    c = tl.arange(0, 64)
    h = tl.zeros([64], tl.float32)
    for i in range(LOW, HIGH, STEP):
        at = (HIGH - i) * 64 + c
        h = h * 0.5 + tl.load(x + at, mask=c < 60, other=1.0)
        tl.store(o + at, h, mask=c < 50)
    own = tl.zeros([64], tl.float32)
    bad = 0
    for i in range(LOW, HIGH, STEP):
        at = (HIGH - i) * 64 + c
        own = own * 0.5 + tl.load(x + at, mask=c < 60, other=1.0)
        bad += tl.sum((tl.load(o + at) != tl.where(c < 50, own, 0.0)).to(tl.int32))
    tl.store(wrong, bad + tl.sum((h != own).to(tl.int32)))

@triton.jit
def in_place(x, o, wrong, T):
    c = tl.arange(0, 64)
    tl.store(o + c, tl.load(x + c))
    h = tl.zeros([64], tl.float32)
    for i in range(T):
        h = h * 0.5 + tl.load(o + i * 64 + c)
        tl.store(o + i * 64 + 64 + c, h)
    own, last = tl.zeros([64], tl.float32), tl.load(x + c)
    for i in range(T):
        own = own * 0.5 + last
        last = own
    tl.store(wrong, tl.sum((h != own).to(tl.int32)))
