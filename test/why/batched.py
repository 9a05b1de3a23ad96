# A loop whose steps load little, change what they carry and store does four at once; with more to load two; with a product, or nothing
# that is stored, it is as it was.
# run: neso compile %s:steps --target sim:sm_90a --why --num-warps 1 --signature "*fp32:16,*fp32:16,i32,128,True"
# run: neso compile %s:steps --target sim:sm_90a --why --num-warps 1 --signature "*fp32:16,*fp32:16,i32,1024,True"
# run: neso compile %s:steps --target sim:sm_90a --why --num-warps 1 --signature "*fp32:16,*fp32:16,i32,4096,True"
# run: neso compile %s:steps --target sim:sm_90a --why --num-warps 1 --signature "*fp32:16,*fp32:16,i32,128,False"
import triton
import triton.language as tl


@triton.jit
def steps(x, o, n, N: tl.constexpr, STORES: tl.constexpr):
    c = tl.arange(0, N)
    h = tl.zeros([N], tl.float32)
    for i in range(n):
        h = h * 0.5 + tl.load(x + i * N + c)
        if STORES:
            tl.store(o + i * N + c, h)
    tl.store(o + n * N + c, h)

# CHECK: + loop batched: 4 steps at a time, the loads of all of them first
# CHECK: + loop batched: 2 steps at a time, the loads of all of them first
# CHECK-NOT: loop batched
