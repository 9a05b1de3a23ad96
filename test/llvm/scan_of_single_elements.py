# A mask that may end anywhere loads and stores one element at a time, neighbours in neighbouring lanes. Scanned
# like that, each of a thread's eight elements would go through all lanes by itself: runs of eight in a thread do not.
# run: neso compile %s:running --target sm_90a --emit ttgir --signature "*fp32:16,*fp32:16,i32,1024" --num-warps 4
# CHECK: #[[RUN:linear[0-9]*]] = #ttg.linear<{register = {{\[\[1\], \[2\], \[4\]\]}}, lane = {{\[\[8\], \[16\], \[32\], \[64\], \[128\]\]}}
# CHECK: "tt.scan"
# CHECK: (tensor<1024xf32, #[[RUN]]>) -> tensor<1024xf32, #[[RUN]]>
import triton
import triton.language as tl


@triton.jit
def running(x, o, n, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    mask = i < n
    tl.store(o + i, tl.cumsum(tl.load(x + i, mask=mask, other=0.0), 0), mask=mask)
