# Every second word, scanned: lanes load and store neighbours, and the scan, of rows in threads, takes a conversion. Where a scan leaves
# each thread sixteen in a row, lanes had lines of their own.
# run: neso compile %s:kernel -s "*fp32:16,*fp32:16,i32" --target sm_90a --stop-after remove-layout-conversions --no-loc
import triton
import triton.language as tl


@triton.jit
def together(a, b, c, d):
    return a * d + b * c, b * d


@triton.jit
def kernel(x, y, n):
    # CHECK: #[[LANES:[a-z0-9]+]] = #ttg.linear<{{.*}} lane = {{.}}[1], [2], [4], [8], [16]], {{.*}}>
    # CHECK: tt.load {{.*}} #[[LANES]]>
    # CHECK: tt.load {{.*}} #[[LANES]]>
    # CHECK: ttg.convert_layout
    # CHECK: "tt.scan"
    # CHECK: ttg.convert_layout {{.*}} -> tensor<2048xf32, #[[LANES]]>
    # CHECK: tt.store {{.*}} #[[LANES]]>
    i = tl.program_id(0) * 2048 + tl.arange(0, 2048)
    a = tl.load(x + i * 2, mask=i < n, other=0.0)
    b = tl.load(x + i * 2 + 1, mask=i < n, other=1.0)
    a, b = tl.associative_scan((a, b), 0, together)
    tl.store(y + i * 2, a, mask=i < n)
    tl.store(y + i * 2 + 1, b, mask=i < n)
