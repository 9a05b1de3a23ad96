# A product that is awaited in its iteration: loads for the next one, and the division in their addresses, stand behind it, in front of
# the wait. Not over what the loop writes.
# run: NESO_PERSIST=0 neso compile %s:scaled --signature "*fp8e4nv:16,*fp8e4nv:16,*fp32:16,*fp32:16,i32:16,i32:16,i32:16,0" --target sm_90a --num-warps 8 --emit ttgir
# run: NESO_PERSIST=0 neso compile %s:scaled --signature "*fp8e4nv:16,*fp8e4nv:16,*fp32:16,*fp32:16,i32:16,i32:16,i32:16,1" --target sm_90a --num-warps 8 --emit ttgir
# run: for t in 0 1; do for c in 0 1; do NESO_TURNS=$t neso run %s:scaled --target sim:sm_90a --check --against interp --atol 1e-3 --rtol 1e-4 -q -g 1 a=rand:128x640:fp8e4nv b=rand:128x640:fp8e4nv s=rand:128x20:fp32 o=zeros:128x128:fp32 K=640 group=48 pitch=20 CASE=$c --num-warps 8 || exit 1; done; done
# run: neso run %s:scaled --target sim:sm_90a --schedules 4 -q -g 1 a=rand:128x640:fp8e4nv b=rand:128x640:fp8e4nv s=rand:128x20:fp32 o=zeros:128x128:fp32 K=640 group=48 pitch=20 CASE=0 --num-warps 8
import triton
import triton.language as tl


# CHECK: tt.func
# CHECK: scf.for
# CHECK-NOT: arith.divsi
# CHECK: ttng.warp_group_dot
# CHECK: arith.divsi
# CHECK: tt.load
# CHECK: ttng.warp_group_dot_wait
# CHECK: tt.func
# CHECK: scf.for
# CHECK: arith.divsi
# CHECK: tt.load
# CHECK: ttng.warp_group_dot
@triton.jit
def scaled(a, b, s, o, K, group, pitch, CASE: tl.constexpr):
    m, k = tl.arange(0, 128), tl.arange(0, 128)
    acc = tl.zeros((128, 128), tl.float32)
    for i in range(0, tl.cdiv(K, 128)):
        x = tl.load(a + m[:, None] * K + i * 128 + k[None, :])
        y = tl.load(b + m[None, :] * K + i * 128 + k[:, None])
        scale = tl.load(s + m * pitch + i * 128 // group)
        if CASE == 1:
            tl.store(s + m * pitch + (i + 1) * 128 // group, scale + 1)
        acc += tl.dot(x, y) * scale[:, None]
    tl.store(o + m[:, None] * 128 + m[None, :], acc)
