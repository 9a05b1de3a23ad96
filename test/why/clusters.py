# What CTAs of a program do by themselves where it multiplies, and what keeps them from it.
# run: neso compile %s:product --target sim:sm_90a --why --num-ctas 2 --signature "*fp16:16,*fp16:16,*fp32:16,*fp32:16,0"
# run: neso compile %s:product --target sim:sm_90a --why --num-ctas 2 --signature "*fp16:16,*fp16:16,*fp32:16,*fp32:16,1"
# run: neso compile %s:product --target sim:sm_90a --why --num-ctas 2 --signature "*fp16:16,*fp16:16,*fp32:16,*fp32:16,2"
# run: neso compile %s:product --target sim:sm_90a --why --num-ctas 2 --signature "*fp16:16,*fp16:16,*fp32:16,*fp32:16,3"
# run: neso compile %s:product --target sim:sm_90a --why --num-ctas 2 --signature "*fp16:16,*fp16:16,*fp32:16,*fp32:16,4"
# run: neso compile %s:product --target sim:sm_90a --why --num-ctas 2 --signature "*fp16:16,*fp16:16,*fp32:16,*fp32:16,5"
# run: neso compile %s:product --target sim:sm_90a --why --num-ctas 2 --signature "*fp16:16,*fp16:16,*fp32:16,*fp32:16,6"
# run: neso compile %s:product --target sim:sm_90a --why --num-ctas 2 --signature "*fp16:16,*fp16:16,*fp32:16,*fp32:16,7"
# run: neso compile %s:shared --target sim:sm_90a --why --num-ctas 2 --signature "*fp16:16,*fp16:16,*fp32:16,i32:16"
# run: NESO_WARP_SPECIALIZE=1 neso compile %s:shared --target sim:sm_90a --why --num-ctas 2 --num-warps 8 --signature "*fp16:16,*fp16:16,*fp32:16,i32:16"
# run: NESO_MULTICAST=0 neso compile %s:shared --target sim:sm_90a --why --num-ctas 2 --signature "*fp16:16,*fp16:16,*fp32:16,i32:16"
# run: neso compile %s:product --target sim:sm_90a --why --num-ctas 16 --signature "*fp16:16,*fp16:16,*fp32:16,*fp32:16,8"
import triton
import triton.language as tl


@triton.jit
def product(a, b, c, d, CASE: tl.constexpr):
    r, k = tl.arange(0, 128), tl.arange(0, 8 if CASE == 8 else 64)
    x = tl.load(a + r[:, None] * 64 + tl.arange(0, 64)[None, :])
    y = tl.load(b + tl.arange(0, 64)[:, None] * 64 + k[None, :])
    acc = tl.dot(x, y)
    # CHECK: + dot ctas: each of the 2 CTAs of a program multiplies a part of it, 64x64, and computes what follows of that
    # CHECK: + dot wgmma: wgmma.m64n64k16
    if CASE == 1:
        # along rows it cannot be cut, so it is along columns
        # CHECK: + dot ctas: each of the 2 CTAs of a program multiplies a part of it, 128x32, and computes what follows of that
        tl.store(d + k, tl.sum(acc, 0))
    if CASE == 2:
        # CHECK: - dot ctas-meet: the CTAs of a program share its tiles, and meet wherever one needs what another has: what is computed of a product needs what several CTAs have of it
        # CHECK-NEXT: tiles that are cut along rows, or columns, from the product to where they are stored
        tl.store(d, tl.sum(acc))
    if CASE == 3:
        # CHECK: - dot ctas-meet: {{.*}}: tiles that are cut along different dims meet
        acc = acc * tl.trans(tl.dot(y, tl.trans(x)))
    if CASE == 4:
        # CHECK: - dot ctas-meet: {{.*}}: it reads what it stores
        tl.store(d + k, tl.load(d + 1 + k))
    if CASE == 5:
        # CHECK: - dot ctas-meet: {{.*}}: an atomic operation is done once for all CTAs
        tl.atomic_add(d, 1.0)
    if CASE == 6:
        # CHECK: - dot ctas-meet: {{.*}}: it prints, asserts, calls, or its threads meet
        tl.debug_barrier()
    if CASE == 7:
        # CHECK: - dot ctas-meet: {{.*}}: volatile loads, or effects of assembly
        acc += tl.load(d, volatile=True)
    # CHECK: + load multicast: 2 CTAs of the cluster have the same tile: each brings a part of it to all of them
    # CHECK: + dot ctas: each of the 2 CTAs of a program multiplies a part of it, 64x128,
    # CHECK: + loop specialised: a warp of its own copies, 8 warps multiply
    # CHECK: + load multicast: 2 CTAs
    # CHECK: + dot ctas: each of the 2 CTAs of a program multiplies a part of it, 64x128,
    # CHECK-NOT: load multicast
    # CHECK: + dot ctas: each of the 2 CTAs of a program multiplies a part of it, 64x128,
    # CHECK: + dot ctas: each of the 16 CTAs of a program multiplies a part of it, 8x8,
    tl.store(c + r[:, None] * 64 + k[None, :], acc)


@triton.jit
def shared(a, b, c, K):
    r, k = tl.arange(0, 128), tl.arange(0, 64)
    acc = tl.zeros((128, 128), tl.float32)
    for start in range(0, K, 64):
        x = tl.load(a + r[:, None] * K + start + k[None, :])
        y = tl.load(b + (start + k)[:, None] * 128 + r[None, :])
        acc = tl.dot(x, y, acc)
    tl.store(c + r[:, None] * 128 + r[None, :], acc)
