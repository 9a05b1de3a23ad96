# More tiles than a thread has registers for: what is loaded comes by copies and is read where it is needed, what a loop copies is read
# again, what only other layouts take is stored once. The same products in order, without crowds, say what is right.
# run: neso run %s:gathered --target sim:sm_90a --check -q -g 2 h=rand:131072:fp16 wrong=zeros:2:i32 table=arange:8:i32 N=6 LIMIT=500 --num-warps 1 --num-stages 1 --expect wrong=zeros:2:i32
# run: neso run %s:gathered --target sim:sm_90a --check -q -g 2 h=rand:131072:fp16 wrong=zeros:2:i32 table=arange:8:i32 N=6 LIMIT=303 --num-warps 1 --num-stages 1 --expect wrong=zeros:2:i32
# run: neso run %s:gathered --target sim:sm_80 --check -q -g 2 h=rand:131072:fp16 wrong=zeros:2:i32 table=arange:8:i32 N=6 LIMIT=303 --num-warps 2 --num-stages 1 --expect wrong=zeros:2:i32
# run: neso run %s:gathered --target sim:sm_90a --check -q -g 2 h=rand:131072:fp16 wrong=zeros:2:i32 table=arange:8:i32 N=6 LIMIT=303 --num-warps 1 --num-stages 3 --expect wrong=zeros:2:i32
# run: neso run %s:nested --target sim:sm_90a --check -q -g 1 x=rand:65536:fp32 wrong=zeros:1:i32 N=7 LATER=1 --num-warps 1 --num-stages 3 --expect wrong=zeros:1:i32
# run: neso run %s:nested --target sim:sm_90a --check -q -g 1 x=rand:65536:fp32 wrong=zeros:1:i32 N=7 LATER=0 --num-warps 1 --num-stages 2 --expect wrong=zeros:1:i32
# run: neso run %s:stored --target sim:sm_90a --check -q -g 1 h=rand:131072:fp16 wrong=zeros:1:i32 --num-warps 1 --num-stages 1 --expect wrong=zeros:1:i32
# run: neso run %s:overwritten --target sim:sm_90a --check -q -g 1 h=rand:131072:fp16 wrong=zeros:1:i32 --num-warps 1 --num-stages 1 --expect wrong=zeros:1:i32
# expect: success
import triton
import triton.language as tl


@triton.jit
def gathered(h, table, wrong, N, LIMIT):
    pid = tl.program_id(0)
    g, d, s = tl.arange(0, 16), tl.arange(0, 128), tl.arange(0, 64)
    q = tl.load(h + pid * 2048 + g[:, None] * 128 + d[None, :])
    do = tl.load(h + 8192 + pid * 2048 + g[:, None] * 128 + d[None, :])
    acc = tl.zeros([16, 128], tl.float32)
    own = tl.zeros([16, 128], tl.float32)
    for i in range(N):
        at = tl.load(table + (N - i)) * 64
        if at < 400:
            k = tl.load(h + 16384 + (at + s)[None, :] * 128 + d[:, None], mask=(at + s)[None, :] < LIMIT, other=0.0)
            v = tl.load(h + 65536 + (at + s)[None, :] * 128 + d[:, None], mask=(at + s)[None, :] < LIMIT, other=0.0)
            p = tl.dot(q, k) * tl.dot(do, v)
            acc = tl.dot((p * 0.01).to(tl.float16), tl.trans(k), acc)
    for i in range(N):
        at = tl.load(table + (N - i)) * 64
        if at < 400:
            for j in tl.range(0, 64, 16, num_stages=1):
                row = at + j + g
                k = tl.load(h + 16384 + row[:, None] * 128 + d[None, :], mask=row[:, None] < LIMIT, other=0.0)
                v = tl.load(h + 65536 + row[:, None] * 128 + d[None, :], mask=row[:, None] < LIMIT, other=0.0)
                p = tl.dot(q, tl.trans(k)) * tl.dot(do, tl.trans(v))
                own = tl.dot((p * 0.01).to(tl.float16), k, own)
    tl.store(wrong + pid, tl.sum((tl.abs(acc - own) > 1e-2 * (1 + tl.abs(own))).to(tl.int32)))


@triton.jit
def nested(x, wrong, N, LATER):
    r, c = tl.arange(0, 16), tl.arange(0, 64)
    o = r[:, None] * 64 + c[None, :]
    a00, a10, a11, a20 = tl.zeros([16, 16], tl.float32), tl.zeros([16, 16], tl.float32), tl.zeros([16, 16], tl.float32), tl.zeros([16, 16], tl.float32)
    b00, b10, b11, b20 = tl.zeros([16, 16], tl.float32), tl.zeros([16, 16], tl.float32), tl.zeros([16, 16], tl.float32), tl.zeros([16, 16], tl.float32)
    for i in range(N):
        p = x + i * 4096
        k0, g0, k1, g1, q1, q2 = tl.load(p + o), tl.load(p + 1024 + o), tl.load(p + 2048 + o), tl.load(p + 3072 + o), tl.load(p + 32768 + o), tl.load(p + 33792 + o)
        if i % 3 != 2:
            e = tl.exp(g1 - g0)
            a00 = tl.dot(k0 * e, tl.trans(q1 * g0), a00)
            a10 = tl.dot(k1 * e, tl.trans(q2 + g1), a10)
            if i + LATER > 2:
                f = tl.exp(g0 - g1)
                a11 = tl.dot(k1 * f, tl.trans(k0 * e), a11)
                a20 = tl.dot(q1 * f + k1, tl.trans(q2 * e + k0), a20)
    for i in tl.range(0, N, num_stages=1):
        p = x + i * 4096
        if i % 3 != 2:
            e = tl.exp(tl.load(p + 3072 + o) - tl.load(p + 1024 + o))
            b00 = tl.dot(tl.load(p + o) * e, tl.trans(tl.load(p + 32768 + o) * tl.load(p + 1024 + o)), b00)
            b10 = tl.dot(tl.load(p + 2048 + o) * e, tl.trans(tl.load(p + 33792 + o) + tl.load(p + 3072 + o)), b10)
        if (i % 3 != 2) & (i + LATER > 2):
            e = tl.exp(tl.load(p + 3072 + o) - tl.load(p + 1024 + o))
            f = tl.exp(tl.load(p + 1024 + o) - tl.load(p + 3072 + o))
            b11 = tl.dot(tl.load(p + 2048 + o) * f, tl.trans(tl.load(p + o) * e), b11)
            b20 = tl.dot(tl.load(p + 32768 + o) * f + tl.load(p + 2048 + o), tl.trans(tl.load(p + 33792 + o) * e + tl.load(p + o)), b20)
    bad = (tl.abs(a00 - b00) > 1e-4 * (1 + tl.abs(b00))) | (tl.abs(a10 - b10) > 1e-4 * (1 + tl.abs(b10)))
    bad |= (tl.abs(a11 - b11) > 1e-4 * (1 + tl.abs(b11))) | (tl.abs(a20 - b20) > 1e-4 * (1 + tl.abs(b20)))
    tl.store(wrong, tl.sum(bad.to(tl.int32)))


@triton.jit
def stored(h, wrong):
    g, d, s = tl.arange(0, 16), tl.arange(0, 128), tl.arange(0, 64)
    q = tl.load(h + g[:, None] * 128 + d[None, :])
    a = tl.load(h + 2048 + g[:, None] * 64 + s[None, :])
    k = tl.load(h + 16384 + s[None, :] * 128 + d[:, None]) + tl.load(h + 32768 + s[None, :] * 128 + d[:, None])
    v = tl.load(h + 49152 + s[None, :] * 128 + d[:, None]) * tl.load(h + 65536 + s[None, :] * 128 + d[:, None])
    x = tl.dot(q, k) + tl.dot(q, v)
    y = tl.dot((x * 0.01).to(tl.float16), tl.trans(k)) + tl.dot(a, tl.trans(v))
    own = tl.zeros([16, 128], tl.float32)
    for j in tl.range(0, 64, 16, num_stages=1):
        row = (j + g)[:, None] * 128 + d[None, :]
        kk = tl.load(h + 16384 + row) + tl.load(h + 32768 + row)
        vv = tl.load(h + 49152 + row) * tl.load(h + 65536 + row)
        aa = tl.load(h + 2048 + g[:, None] * 64 + (j + g)[None, :])
        xx = tl.dot(q, tl.trans(kk)) + tl.dot(q, tl.trans(vv))
        own += tl.dot((xx * 0.01).to(tl.float16), kk) + tl.dot(aa, vv)
    tl.store(wrong, tl.sum((tl.abs(y - own) > 1e-2 * (1 + tl.abs(own))).to(tl.int32)))


@triton.jit
def overwritten(h, wrong):
    g, d, s = tl.arange(0, 16), tl.arange(0, 128), tl.arange(0, 64)
    q = tl.load(h + g[:, None] * 128 + d[None, :])
    a = tl.load(h + 2048 + g[:, None] * 64 + s[None, :])
    k = tl.load(h + 16384 + s[None, :] * 128 + d[:, None])
    v = tl.load(h + 49152 + s[None, :] * 128 + d[:, None])
    tl.store(h + 49152 + s[None, :] * 128 + d[:, None], k)
    w = tl.load(h + 81920 + s[None, :] * 128 + d[:, None])
    x = tl.dot(q, k) + tl.dot(q, w)
    y = tl.dot((x * 0.01).to(tl.float16), tl.trans(k)) + tl.dot(a, tl.trans(v)) + tl.dot(a, tl.trans(w))
    tl.store(h + 98304 + s[None, :] * 128 + d[:, None], v)
    tl.debug_barrier()
    bad = tl.sum((tl.load(h + 49152 + s[:, None] * 128 + d[None, :]) != tl.trans(k)).to(tl.int32))
    v2 = tl.load(h + 98304 + s[:, None] * 128 + d[None, :])
    own = tl.dot((x * 0.01).to(tl.float16), tl.trans(k)) + tl.dot(a, v2) + tl.dot(a, tl.trans(w))
    tl.store(wrong, bad + tl.sum((tl.abs(y - own) > 1e-2 * (1 + tl.abs(own))).to(tl.int32)))
