# Sixteen warps scan 2,048 elements of 8 bytes that are loaded by 4 and stored. Stores of 16 bytes want two elements in a row in a thread, and
# two such runs a thread; each thread would add up the totals of all warps for both. One run of four costs less, and goes through shared memory
# to be stored.
# run: neso compile %s:running --target sm_90a --emit ttgir --signature "*fp32:16,*i64:16,2048" --num-warps 16
# CHECK: #[[RUN:linear[0-9]*]] = #ttg.linear<{register = {{\[\[1\], \[2\]\]}}, lane = {{\[\[4\], \[8\], \[16\], \[32\], \[64\]\]}}
# CHECK: "tt.scan"
# CHECK: (tensor<2048xi64, #[[RUN]]>) -> tensor<2048xi64, #[[RUN]]>
import triton
import triton.language as tl


@triton.jit
def running(x, o, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + tl.program_id(0) * N + i)
    tl.store(o + tl.program_id(0) * N + i, tl.cumsum((v > 0).to(tl.int64), 0))
