# A loop whose step is an argument counts its iterations in 64 bits; what is computed of that number, cut to 32, is still no negative
# index, so its tiles are stored by TMA. A number of 64 bits that is loaded may be anything.
# run: neso compile %s:copy --target sim:sm_90a --why --signature "*fp16:16,*fp16:16,i32:16,i32:16,i32,False"
# run: neso compile %s:copy --target sim:sm_90a --why --signature "*fp16:16,*i64:16,i32:16,i32:16,i32,True"
import triton
import triton.language as tl


@triton.jit
def copy(o, p, M, N, STEP, LOADED: tl.constexpr):
    tiles = tl.make_tensor_descriptor(o, [M, N], [N, 1], [64, 64])
    for i in range(tl.program_id(0), M // 64, STEP):
        at = tl.load(p + i).to(tl.int32) if LOADED else i
        tiles.store([at * 64, 0], tl.full((64, 64), 1.0, tl.float16))

# CHECK: + access tensor-map: store of 64x64xf16: by TMA
# CHECK-NOT: by TMA
# CHECK: store of 64x64xf16: 16 bytes at once
