# Branches: merged values, early returns as regions, constexpr conditions, conditional expressions.
# run: neso compile %s:returns --signature "*fp32,i32,64" --emit ttir-raw
# run: neso compile %s:merges --signature "*fp32,i32,False" --emit ttir-raw
# run: neso compile %s:unrolled --signature "*i32,i32,2" --emit ttir-raw
import triton
import triton.language as tl


@triton.jit
def returns(p, n, B: tl.constexpr):
    # CHECK-LABEL: tt.func public @returns
    pid = tl.program_id(0)
    # CHECK: scf.if
    # CHECK-NEXT: } else {
    if pid * B >= n:
        return
    x = tl.load(p + pid)
    # CHECK: %[[BOTH:.*]]:2 = scf.if {{.*}} -> (i1, f32) {
    if x > 0:
        y = x + 1
    else:
        y = x - 1
        if y < -5:
            return
    # CHECK: scf.if %[[BOTH]]#0 {
    # CHECK-NEXT: } else {
    # CHECK: tt.store %{{.*}}, %[[BOTH]]#1
    tl.store(p + pid, y)
    # CHECK: tt.return
    # CHECK-NEXT: }


@triton.jit
def larger(a, b):
    if a > b:
        return a, b
    return b, a


@triton.jit
def merges(p, n, FLAG: tl.constexpr):
    # CHECK-LABEL: tt.func public @merges
    if FLAG:
        x = unknown_when_taken
    elif n > 0 and not FLAG:
        x = 1.0
    else:
        x = 2.0
    # CHECK: scf.if %{{.*}} -> (f32)
    hi, lo = larger(n, 3 if FLAG else 4)
    # CHECK: tt.call @"branches.larger__i32__(1,)cconstexpr_4_"
    z = x if n < 7 else 3.0
    # CHECK: scf.if %{{.*}} -> (f32)
    if n > 2:
        z, hi = x, lo
    # CHECK: scf.if %{{.*}} -> (i32, f32)
    tl.store(p, z + hi)
    # CHECK-LABEL: tt.func private @"branches.larger__i32__(1,)cconstexpr_4_"(%a: i32
    # CHECK: scf.if %{{.*}} -> (i32, i32) {
    # CHECK: scf.yield %a, %[[FOUR:.*]] : i32, i32
    # CHECK-NEXT: } else {
    # CHECK: scf.yield %{{.*}}, %a : i32, i32


@triton.jit
def unrolled(p, n, N: tl.constexpr):
    # CHECK-LABEL: tt.func public @unrolled
    for i in tl.static_range(N):
        # CHECK: arith.constant 0 : i32
        # CHECK: scf.if
        # CHECK-NEXT: } else {
        # CHECK: arith.constant 1 : i32
        # CHECK: scf.if
        # CHECK-NEXT: } else {
        if tl.load(p + i) > n:
            return
    # CHECK: tt.store
    tl.store(p, 5)
    # CHECK: tt.return
