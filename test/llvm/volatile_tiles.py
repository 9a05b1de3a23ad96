# A volatile load of a tile of which several warps hold copies: one warp's elements are everybody's, so what is computed of them decides one way
# for all. Where no element has two owners, nothing is shared.
# run: neso compile %s:wait --target sm_90a --emit ptx --num-warps 4 --signature "*u32:16,*i32:16,16"
# run: neso compile %s:wait --target sm_90a --emit ptx --num-warps 4 --signature "*u32:16,*i32:16,128"
# run: NESO_QUIET=1 neso run %s:wait --target sim:sm_90a -q -g 1 flags=ones:16:u32 out=zeros:128:i32 N=16 --against interp
# run: NESO_QUIET=1 neso run %s:wait --target sim:sm_90a -q -g 1 --num-ctas 2 flags=ones:16:u32 out=zeros:128:i32 N=16 --against interp
import triton
import triton.language as tl


@triton.jit
def wait(flags, out, N: tl.constexpr):
    there = tl.full((), 0, tl.int32)
    tl.store(out + tl.arange(0, 128), tl.arange(0, 128))
    while there < N:
        there = tl.sum(tl.load(flags + tl.arange(0, N), volatile=True).to(tl.int32), 0)
        tl.debug_barrier()
    tl.store(out + tl.arange(0, 128), tl.load(out + tl.arange(0, 128)) + there)

# CHECK: .visible .entry wait
# CHECK: bar.sync
# CHECK: ld.shared.b32 %[[V:r[0-9]+]],
# CHECK: shfl.sync.bfly.b32 %{{r[0-9]+}}, %[[V]],
# CHECK: ld.volatile.global.b32 %[[R:r[0-9]+]],
# CHECK: st.shared.b32 [{{.*}}], %[[R]];
# CHECK: .visible .entry wait
# CHECK: ld.volatile.global.b32 %[[S:r[0-9]+]],
# CHECK-NOT: st.shared.b32 [{{.*}}], %[[S]];
# CHECK: st.global
