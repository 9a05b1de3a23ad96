# Each store is held against all before it, of which none is in a loop of programs: the time grows
# with the square of their number, not its third power (6 s).
# run: neso compile %s:kernel --signature "*fp32,*fp32,i32,1024" --target sm_90a --emit ttgir
# limit: 6
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, B: tl.constexpr):
    at = tl.arange(0, B)
    v = tl.load(x + at)
    for i in tl.static_range(600):
        tl.store(out + i * n + at, v + i, mask=at < n - i)
    # CHECK: tt.store
