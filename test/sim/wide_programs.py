# Program ids that were widened to 64 bits, and quotients, remainders and least values of them, say where tiles begin: tiles come by tensor maps.
# run: neso compile %s:product --signature "*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16" --target sm_90a --emit ttgir
# run: neso run %s:product --target sim:sm_90a --check --against interp --atol 0.02 -q -g 6 a=randn:160x96:fp16:1 b=randn:96x112:fp16:2 c=zeros:160x112:fp16 160 112 96
# run: neso run %s:product --target sim:sm_90a --against interp --atol 0.02 -q -g 6 a=randn:192x32:fp16:1 b=randn:32x128:fp16:2 c=zeros:192x128:fp16 192 128 32
import triton
import triton.language as tl


# CHECK-LABEL: @product(
# CHECK-COUNT-2: neso.map
# CHECK-NOT: async_copy_global_to_local
# CHECK-COUNT-4: async_tma_copy_global_to_local
# CHECK-NOT: async_copy_global_to_local
@triton.jit
def product(a, b, c, M, N, K, BM: tl.constexpr = 64, BN: tl.constexpr = 64, BK: tl.constexpr = 32, GROUP: tl.constexpr = 2):
    pid = tl.program_id(0).to(tl.int64)
    rows = tl.cdiv(M, BM)
    per_group = GROUP * tl.cdiv(N, BN)
    first = pid // per_group * GROUP
    size = min(rows - first, GROUP)
    pm = first + pid % per_group % size
    pn = pid % per_group // size
    rm = pm * BM + tl.arange(0, BM)
    rn = pn * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    a += (rm % M)[:, None] * K + rk[None, :]
    b += rk[:, None] * N + (rn % N)[None, :]
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        x = tl.load(a, mask=rk[None, :] < K - k * BK, other=0.0)
        y = tl.load(b, mask=rk[:, None] < K - k * BK, other=0.0)
        acc = tl.dot(x, y, acc)
        a += BK
        b += BK * N
    tl.store(c + rm[:, None] * N + rn[None, :], acc.to(tl.float16), mask=(rm[:, None] < M) & (rn[None, :] < N))
