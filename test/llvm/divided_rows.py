# Rows divided by a number each share its reciprocal; elements with divisors of their own are divided one by one.
# run: for k in rows alone; do neso compile %s:$k --signature "*fp32:16,*fp32:16,*fp32:16" --target sm_90a --emit ptx --num-warps 1 | sed "s/^/$k /"; done
import triton
import triton.language as tl


# CHECK-NOT: rows {{.*}}div.full
# CHECK: rows {{.*}}rcp.approx.ftz.f32
# CHECK-NOT: rows {{.*}}div.full
@triton.jit
def rows(x, y, o):
    r, c = tl.arange(0, 4), tl.arange(0, 256)
    tl.store(o + r[:, None] * 256 + c[None, :], tl.load(x + r[:, None] * 256 + c[None, :]) / tl.load(y + r)[:, None])


# CHECK: alone {{.*}}div.full
# CHECK-NOT: alone {{.*}}rcp.approx
@triton.jit
def alone(x, y, o):
    at = tl.arange(0, 4)[:, None] * 256 + tl.arange(0, 256)[None, :]
    tl.store(o + at, tl.load(x + at) / tl.load(y + at))
