# A step that may be 0 is looked at, and in a kernel with wgmma no function is called for it: where one is, wherever that stands,
# ptxas waits for each product before the next one (C7510).
# llvm: 22
# run: for k in products sums; do neso compile %s:$k --signature "*fp16:16,*fp16:16,*fp32:16,i32,i32" --target sm_90a --emit ptx | sed "s/^/$k /"; done
import triton
import triton.language as tl


# CHECK-NOT: products {{.*}}__assertfail
# CHECK: products {{.*}}trap;
# CHECK-NOT: products {{.*}}__assertfail
# CHECK: products {{.*}}wgmma.mma_async
@triton.jit
def products(a, b, c, n, step):
    r, k = tl.arange(0, 64), tl.arange(0, 64)
    for tile in range(tl.program_id(0), n, step):
        x, y = tl.load(a + tile * 4096 + r[:, None] * 64 + k[None, :]), tl.load(b + k[:, None] * 64 + r[None, :])
        tl.store(c + tile * 4096 + r[:, None] * 64 + k[None, :], tl.dot(x, y))


# CHECK: sums {{.*}}__assertfail
@triton.jit
def sums(a, b, c, n, step):
    r = tl.arange(0, 64)
    for tile in range(tl.program_id(0), n, step):
        tl.store(c + tile * 64 + r, tl.load(a + tile * 64 + r).to(tl.float32) + tl.load(b + r))
