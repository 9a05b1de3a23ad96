# Addresses of copies ahead divide by what the program divides by: a divisor that no iteration changes is what it is where an iteration
# runs, also of one that never comes. In front of the loop, which may not run, and where the loop changes it, it is 1 there.
# run: neso compile %s:kernel --signature "*fp16:16,*i32:16,*i32:16,*fp16:16,i32,i32,False" --target sm_90a --num-stages 2 --emit ttgir --no-loc
# run: neso compile %s:kernel --signature "*fp16:16,*i32:16,*i32:16,*fp16:16,i32,i32,True" --target sm_90a --num-stages 2 --emit ttgir --no-loc
import triton
import triton.language as tl


# CHECK: tt.func public @kernel
# CHECK: arith.select {{.*}} tensor<64xi32
# CHECK: arith.divsi
# CHECK: scf.for
# CHECK-NOT: arith.select {{.*}} tensor<64xi32
# CHECK: arith.divsi
# CHECK-NOT: arith.select {{.*}} tensor<64xi32
# CHECK: tt.return
# CHECK: tt.func public @kernel
# CHECK: scf.for
# CHECK: arith.select {{.*}} tensor<64xi32
# CHECK: arith.divsi
# CHECK: tt.return
@triton.jit
def kernel(a, pages, sizes, out, N, SIZE, VARIES: tl.constexpr):
    n, d = tl.arange(0, 64), tl.arange(0, 64)
    x = tl.load(out + n[:, None] * 64 + d[None, :])
    total = tl.zeros([64, 64], dtype=tl.float32)
    for start in range(0, N, 64):
        size = tl.load(sizes + start) if VARIES else SIZE
        page = (start + n) // size
        y = tl.load(a + page[:, None] * 64 + d[None, :])
        total = tl.dot(x, y, total)
    tl.store(out + n[:, None] * 64 + d[None, :], total.to(tl.float16))
