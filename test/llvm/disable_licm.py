# Loops that ask for it say to LLVM that nothing moves out of them; others say nothing.
# llvm: 22
# run: neso compile %s:kernel --signature "*i32,i32" --target sim:sm_80 --emit llir
import triton
import triton.language as tl


@triton.jit
def kernel(p, n):
    # CHECK: loop:
    # CHECK: mul i32 %1, %1
    # CHECK: br i1 %{{.*}}, label %loop, {{.*}}!llvm.loop ![[FOR:[0-9]+]]
    for i in tl.range(n, disable_licm=True):
        tl.atomic_add(p, n * n + i)
    # CHECK: do:
    # CHECK: br label %while{{.*}}!llvm.loop ![[WHILE:[0-9]+]]
    k = 0
    while tl.condition(k < n, disable_licm=True):
        k += tl.atomic_add(p, 1)
    # CHECK: br i1 %{{.*}}, label %loop
    # CHECK-NOT: llvm.loop
    for i in tl.range(n):
        tl.atomic_add(p, i)
    # CHECK-DAG: ![[FOR]] = distinct !{![[FOR]], ![[OFF:[0-9]+]]}
    # CHECK-DAG: ![[WHILE]] = distinct !{![[WHILE]], ![[OFF]]}
    # CHECK-DAG: ![[OFF]] = !{!"llvm.licm.disable"}
