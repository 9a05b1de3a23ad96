# Warps with roles: what was done and what it expects; why not elsewhere, although the loop asks.
# run: neso compile %s:product --target sim:sm_90a --why --num-warps 8 --signature "*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16,128,256,64,True"
# run: neso compile %s:product --target sim:sm_90a --why --num-warps 4 --signature "*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16,128,128,64,False"
# run: neso compile %s:product --target sim:sm_80 --why --num-warps 4 --signature "*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16,128,128,64,False"
# run: neso compile %s:product --target sim:sm_90a --why --num-warps 4 --signature "*fp16:16,*fp16:16,*fp16:16,i32,i32,i32,64,64,64,False"
# run: neso compile %s:product --target sim:sm_90a --why --num-warps 4 --num-stages 1 --signature "*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16,128,128,64,False"
import triton
import triton.language as tl


@triton.jit
def product(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, ON: tl.constexpr):
    a_desc = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BM, BK])
    b_desc = tl.make_tensor_descriptor(b_ptr, [K, N], [N, 1], [BK, BN])
    c_desc = tl.make_tensor_descriptor(c_ptr, [M, N], [N, 1], [BM, BN])
    for tile in tl.range(tl.program_id(0), M // BM, tl.num_programs(0), warp_specialize=ON):
        acc = tl.zeros((BM, BN), tl.float32)
        for k in tl.range(0, K, BK, warp_specialize=True):
            acc = tl.dot(a_desc.load([tile * BM, k]), b_desc.load([k, 0]), acc)
        c_desc.store([tile * BM, 0], acc.to(tl.float16))

# CHECK: + loop specialised: a warp of its own copies, 8 warps multiply from tile to tile: 4 slots, 1 CTAs on an SM; an iteration is to take 1024 cycles of an SM instead of 1054 (tensor cores 1024, shared memory 1024, special functions 0, issue 0, copies 768; bound by tensor cores)
# CHECK: + loop specialised: a warp of its own copies, 4 warps multiply: 3 slots, 2 CTAs on an SM; an iteration is to take 1280 cycles of an SM instead of 1280 (tensor cores 1024, shared memory 1280, special functions 0, issue 0, copies 1024; bound by shared memory)
# CHECK: - loop not-specialised: all warps do the same: the target, or a cluster, has no such warps
# CHECK: + loop specialised: a warp of its own copies, 4 warps multiply: 3 slots, 4 CTAs on an SM; {{.*}} bound by copies)
# CHECK-NOT: loop specialised
# CHECK: + loop specialised: a warp of its own copies, 4 warps multiply: 3 slots, 2 CTAs on an SM

