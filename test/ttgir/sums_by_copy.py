# What a loop of products adds to memory goes by one copy that adds, where the loop loads nothing of it and the atomics order nothing: its
# memory is free again when the next iteration's tile comes, and what was added is there when the loop has ended.
# run: neso compile %s:kernel --signature "*fp16:16,*fp16:16,*fp32:16,*fp32:16,i32:16,'relaxed'" --target sm_90a --emit ttgir --no-loc
# run: neso compile %s:kernel --signature "*fp16:16,*fp16:16,*fp32:16,*fp32:16,i32:16,'acq_rel'" --target sm_90a --emit ttgir --no-loc
import triton
import triton.language as tl


# CHECK: scf.for
# CHECK-NOT: tt.atomic_rmw
# CHECK: ttng.async_tma_reduce add, %{{.*}} %[[M:.*]] : !tt.tensordesc
# CHECK: ttng.async_tma_store_wait {pendings = 0 : i32} %[[M]]
# CHECK: scf.yield
# CHECK: ttng.async_tma_store_wait {neso.written, pendings = 0 : i32}
# CHECK: } else {
# CHECK: tt.atomic_rmw fadd, relaxed
# CHECK: tt.func public @kernel
# CHECK-NOT: ttng.async_tma_reduce
# CHECK: tt.atomic_rmw fadd, acq_rel
@triton.jit
def kernel(a, b, sums, out, N, SEM: tl.constexpr):
    at = tl.arange(0, 64)
    x = tl.load(b + at[:, None] * 64 + at[None, :])
    total = tl.zeros([64, 64], dtype=tl.float32)
    for start in range(0, N, 64):
        rows = (start + at)[:, None] * 64 + at[None, :]
        y = tl.load(a + rows)
        total = tl.dot(tl.trans(y), y, total)
        tl.atomic_add(sums + rows, tl.dot(y, x), sem=SEM)
    tl.store(out + at[:, None] * 64 + at[None, :], total)
