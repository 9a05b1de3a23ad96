# Barriers of some of the warps that order nothing: named ones and those in shared memory. Where a kernel has what it needs, nothing is told.
# run: neso run %s:roled --target sim:sm_90a --traffic -q -g 1 rand:128x128:fp16 rand:128x128:fp16 zeros:128x128:fp16 128 128 128 64 64
# run: neso compile %s:roled --target sm_90a --signature "*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16,64,64" --emit llir >%t/needed.llir
# run: sed '0,/^.*@neso.wgmma_wait.1/s//  call void @neso.named_barrier(i32 3, i32 128)\n&/' %t/needed.llir >%t/roled.llir
# run: TRITON_KERNEL_OVERRIDE=%t/roled.llir neso run %s:roled --target sim:sm_90a --traffic -q -g 1 rand:128x128:fp16 rand:128x128:fp16 zeros:128x128:fp16 128 128 128 64 64
# run: sed '0,/call void @neso.mbarrier_wait.*/s//&\n&/' %t/needed.llir | sed 's/^call/  call/' >%t/roled.llir
# run: TRITON_KERNEL_OVERRIDE=%t/roled.llir neso run %s:roled --target sim:sm_90a --traffic -q -g 1 rand:128x128:fp16 rand:128x128:fp16 zeros:128x128:fp16 128 128 128 64 64
import triton
import triton.language as tl


@triton.jit
def roled(a_ptr, b_ptr, c_ptr, M, N, K, B: tl.constexpr, BK: tl.constexpr):
    a = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [B, BK])
    b = tl.make_tensor_descriptor(b_ptr, [K, N], [N, 1], [BK, B])
    c = tl.make_tensor_descriptor(c_ptr, [M, N], [N, 1], [B, B])
    across = tl.cdiv(N, B)
    for tile in tl.range(tl.program_id(0), tl.cdiv(M, B) * across, tl.num_programs(0), flatten=True, warp_specialize=True):
        m, n = tile // across * B, tile % across * B
        acc = tl.zeros((B, B), tl.float32)
        for k in tl.range(0, tl.cdiv(K, BK), num_stages=3):  # warning: 9: 96 waits of a warp for a barrier in shared memory:
            acc = tl.dot(a.load([m, k * BK]), b.load([k * BK, n]), acc)  # warning: 19: 96 waits of a warp at a named barrier:
        c.store([m, n], acc.to(tl.float16))
