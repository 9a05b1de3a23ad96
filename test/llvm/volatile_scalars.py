# What a volatile load of a scalar gives decides the way of all threads, and may change between two threads' loads: one loads for all.
# (Each by itself, threads of one program left such a loop in different iterations, at different barriers.) One warp is together anyway.
# run: neso compile %s:look_back --target sm_90a --emit ptx --num-warps 4 --signature "*u32:16,*i32:16"
# run: neso compile %s:look_back --target sm_90a --emit ptx --num-warps 1 --signature "*u32:16,*i32:16"
import triton
import triton.language as tl


@triton.jit
def look_back(status, out):
    pid = tl.program_id(0)
    tl.store(status + pid, 1, cache_modifier=".cg")
    found = tl.full((), 0, tl.uint32)
    at = pid - 1
    while at >= 0:
        word = tl.load(status + at, volatile=True)
        while word == 0:
            word = tl.load(status + at, volatile=True)
        found += word & 1
        at = at - 1 if word < 2 else -1
    tl.store(out + pid * 128 + tl.arange(0, 128), found.to(tl.int32) + tl.zeros((128,), tl.int32))

# CHECK: .visible .entry look_back
# CHECK: bar.sync
# CHECK: ld.volatile.global.b32 %[[R:r[0-9]+]],
# CHECK: st.shared.b32 [global_smem], %[[R]];
# CHECK: bar.sync
# CHECK: ld.shared.b32
# CHECK: .visible .entry look_back
# CHECK-NOT: ld.shared
# CHECK: ld.volatile.global.b32
# CHECK-NOT: ld.shared
# CHECK: st.global
