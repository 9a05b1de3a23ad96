# Behind an acquire stands a fence of global memory alone: one of all memory waits for the whole GPU, too.
# run: neso compile %s:kernel --target sm_90a --num-warps 4 --signature "*fp16:16,*i32:16,*fp16:16,i32:16" --emit ptx
import triton
import triton.language as tl


@triton.jit
def kernel(a_ptr, ticket_ptr, out_ptr, n):
    a = tl.make_tensor_descriptor(a_ptr, [n, 64], [64, 1], [64, 64])
    # CHECK: .entry kernel
    # CHECK-NOT: fence.proxy.async;
    # CHECK: atom.global.gpu.acq_rel.add.u32
    # CHECK-NOT: bar.sync
    # CHECK: fence.proxy.async.global;
    # CHECK: bar.sync
    # CHECK: cp.async.bulk.tensor
    # CHECK-NOT: fence.proxy.async;
    row = tl.atomic_add(ticket_ptr, 1) * 64
    at = tl.arange(0, 64)[:, None] * 64 + tl.arange(0, 64)[None, :]
    tl.store(out_ptr + row * 64 + at, a.load([row, 0]))
