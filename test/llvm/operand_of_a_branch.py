# The second operand of a product is loaded with neighbours along K, or zeros where there is nothing to load. Zeros lie
# along either dim: memory has the order of the load, and threads store 16 bytes at once.
# run: neso compile %s:product --target sm_90a --emit ptx --signature "*bf16:16,*bf16:16,*bf16:16,i32,64,64,128"
# CHECK-NOT: st.shared.b16
# CHECK: wgmma.mma_async
# CHECK-NOT: st.shared.b16
import triton
import triton.language as tl


@triton.jit
def product(a, b, o, first, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m = tl.arange(0, M)
    n = tl.arange(0, N)
    k = tl.arange(0, K)
    x = tl.load(a + m[:, None] * K + k[None, :])
    if tl.program_id(0) == first:
        y = tl.zeros((K, N), dtype=tl.bfloat16)
    else:
        y = tl.load(b + n[None, :] * K + k[:, None])
    tl.store(o + m[:, None] * N + n[None, :], tl.dot(x, y).to(tl.bfloat16))
