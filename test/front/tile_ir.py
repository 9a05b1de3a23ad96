# The operations that builtins become: attributes, promotion, literal types.
# options: --signature "*fp16:16,*fp32:16,i32"
import triton
import triton.language as tl


@triton.jit
def kernel(p, q, n):
    i = tl.program_id(1) * 64 + tl.arange(0, 64)
    # CHECK: tt.get_program_id y : i32
    # CHECK: tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    x = tl.load(p + i, mask=i < n, other=0.0, cache_modifier=".cg", eviction_policy="evict_last")
    # CHECK: arith.cmpi slt
    # CHECK: tt.load {{.*}} cacheModifier = cg evictionPolicy = evict_last : tensor<64x!tt.ptr<f16>>
    y = x * 2.5 + 1
    # CHECK: arith.mulf {{.*}} : tensor<64xf16>
    # CHECK: arith.addf {{.*}} : tensor<64xf16>
    z = x / 3
    # CHECK: arith.extf {{.*}} : tensor<64xf16> to tensor<64xf32>
    # CHECK: arith.divf {{.*}} : tensor<64xf32>
    old = tl.atomic_add(q + i, y + z, sem="relaxed", scope="cta")
    # CHECK: tt.atomic_rmw fadd, relaxed, cta
    a = tl.reshape(y, (8, 8))
    b = tl.trans(a)
    # CHECK: tt.trans {{.*}} {order = array<i32: 1, 0>}
    tl.store(q + tl.arange(0, 8), tl.max(a + b, 1))
    # CHECK: "tt.reduce"
    # CHECK: arith.maxnumf
    tl.store(q + i, old, cache_modifier=".cs")
    # CHECK: tt.store {{.*}} cacheModifier = cs
