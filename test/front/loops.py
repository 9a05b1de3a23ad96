# Loops: what is carried, negative steps, hints, while, types of the counter, nesting.
# run: neso compile %s:kernel --signature "*fp32,i32,i64,64" --emit ttir-raw
import triton
import triton.language as tl


@triton.jit
def kernel(p, n, m, B: tl.constexpr):
    # CHECK-LABEL: tt.func public @kernel
    acc = tl.zeros([B], dtype=tl.float32)
    k = 0
    same = 3
    # CHECK: %[[OUTER:.*]]:2 = scf.for %i = %{{.*}} to %n step %{{.*}} iter_args(%[[ACC:.*]] = %{{.*}}, %[[K:.*]] = %{{.*}}) -> (tensor<64xf32>, i32)
    for i in range(n):
        k += 1
        same = same
        # A negative step counts up, and the variable is turned round; the wider bound decides the type.
        # CHECK: scf.for %j = %{{.*}} to %m step %{{.*}} iter_args({{.*}}) -> (tensor<64xf32>)  : i64 {
        # CHECK-NEXT: %[[BACK:.*]] = arith.subi %m, %j : i64
        # CHECK-NEXT: arith.addi %[[BACK]], %{{.*}} : i64
        for j in range(m, 0, -2):
            acc += i * j
    # CHECK: scf.yield %{{.*}}, %{{.*}} : tensor<64xf32>, i32
    # CHECK: scf.while (%{{.*}} = %[[OUTER]]#0, %{{.*}} = %[[OUTER]]#1)
    # CHECK: arith.cmpi sgt
    # CHECK: scf.condition(%{{.*}}) %{{.*}}, %{{.*}} : tensor<64xf32>, i32
    # CHECK: } do {
    while k > same:
        k = k // 2
        acc = acc + k
    # CHECK: scf.for
    # CHECK: } {tt.disallow_acc_multi_buffer, tt.flatten, tt.loop_unroll_factor = 2 : i32, tt.num_stages = 3 : i32, tt.warp_specialize}
    for q in tl.range(0, n, num_stages=3, loop_unroll_factor=2, disallow_acc_multi_buffer=True, flatten=True,
                      warp_specialize=True):
        acc += tl.load(p + q)
    # CHECK: } {tt.disable_licm}
    for r in tl.range(n, disable_licm=True):
        acc += r
    # CHECK: scf.while
    # CHECK: } attributes {tt.disable_licm}
    while tl.condition(k < n, disable_licm=True):
        k += 1
    # No turn of a static loop is left as a loop, and each sees its number.
    # CHECK-NOT: scf.for
    # CHECK: arith.constant 4.000000e+00
    # CHECK: arith.constant 2.000000e+00
    for s in tl.static_range(4, 0, -2):
        acc += s
    for a, b in zip((1.5, 2.5), [3, 4]):
        # CHECK: arith.constant 4.500000e+00
        # CHECK: arith.constant 1.000000e+01
        acc += a * b
    tl.store(p + tl.arange(0, B), acc)
