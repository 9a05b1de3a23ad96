# Rings that would fill shared memory to the last byte leave room for their mbarriers: six slots of 33280 bytes beside 32768 are 232448
# bytes, all that there is, and there are five.
# run: NESO_WARP_SPECIALIZE=1 neso compile %s:keys --target sim:sm_90a --why --num-warps 4 --num-stages 2 --signature "*fp16:16,*fp16:16,*fp16:16,*fp16:16,*fp16:16,*fp32:16,*fp32:16,i32:16"
# run: neso compile %s:keys --target sim:sm_90a --why --num-warps 4 --num-stages 2 --signature "*fp16:16,*fp16:16,*fp16:16,*fp16:16,*fp16:16,*fp32:16,*fp32:16,i32:16"
import triton
import triton.language as tl


@triton.jit
def keys(q, k, v, do, dk, lse, delta, N):
    n, d = tl.arange(0, 64), tl.arange(0, 128)
    at = (tl.program_id(0) * 64 + n)[:, None] * 128 + d[None, :]
    x, y = tl.load(k + at), tl.load(v + at)
    gk, gv = tl.zeros([64, 128], tl.float32), tl.zeros([64, 128], tl.float32)
    for start in tl.range(0, N, 64, warp_specialize=True):
        rows = (start + n)[:, None] * 128 + d[None, :]
        a = tl.load(q + rows)
        p = tl.exp2(tl.dot(x, tl.trans(a)) - tl.load(lse + start + n)[None, :])
        b = tl.load(do + rows)
        gv = tl.dot(p.to(tl.float16), b, gv)
        ds = p * (tl.dot(y, tl.trans(b)) - tl.load(delta + start + n)[None, :])
        gk = tl.dot(ds.to(tl.float16), a, gk)
    tl.store(dk + at, (gk + gv).to(tl.float16))

# CHECK: + loop specialised: a warp of its own copies, 4 warps multiply: 5 slots
# What the loop asks for alone would be slower.
# CHECK: - loop not-specialised: all warps do the same: an iteration is to take 1168 cycles of an SM, and with roles 1284, as 1 CTAs would share it for 2
