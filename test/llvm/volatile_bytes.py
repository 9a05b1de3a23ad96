# A volatile load of a tile of bytes, or of booleans, in a cluster: CTAs take words of what their owner has loaded, of which the byte is one half.
# run: NESO_QUIET=1 neso run %s:looked_at --target sim:sm_90a --check -q -g 1 --num-ctas 2 flags=rand:16:u8 out=zeros:128:i32 N=16 --against interp
# run: NESO_QUIET=1 neso run %s:looked_at --target sim:sm_90a --check -q -g 1 --num-ctas 2 --num-warps 8 flags=rand:64:i8 out=zeros:128:i32 N=64 --against interp
# run: NESO_QUIET=1 neso run %s:looked_at --target sim:sm_90a --check -q -g 1 --num-ctas 2 flags=ones:16:i1 out=zeros:128:i32 N=16 --against interp
# run: neso compile %s:looked_at --target sm_90a --emit ptx --num-ctas 2 --signature "*u8:16,*i32:16,16"
# CHECK: .visible .entry looked_at
import triton
import triton.language as tl


@triton.jit
def looked_at(flags, out, N: tl.constexpr):
    there = tl.sum(tl.load(flags + tl.arange(0, N), volatile=True).to(tl.int32), 0)
    tl.store(out + tl.arange(0, 128), there + tl.zeros((128,), tl.int32))
