# Lanes meet behind assembly that branches, as they may come out of its loops apart: not where a function of single elements has it, whose
# lanes may be elsewhere, nor behind other assembly.
# run: neso compile %s:poll --target sm_90a --emit ptx --signature "*i32:16,*fp32:16"
# run: neso compile %s:called --target sm_90a --emit ptx --signature "*i32:16,*fp32:16"
# run: neso compile %s:by_element --target sm_90a --emit ptx --signature "*i32:16,*fp32:16"
# run: neso compile %s:plain --target sm_90a --emit ptx --signature "*i32:16,*fp32:16"
import triton
import triton.language as tl

WAIT = tl.constexpr("{ .reg .pred p; again: ld.acquire.gpu.global.s32 $0, [$1]; setp.eq.s32 p, $0, 0; @p bra again; }")
COUNT = tl.constexpr("{ .reg .pred p; again: add.s32 $0, $1, 1; setp.eq.s32 p, $0, 0; @p bra again; }")


@triton.jit
def wait(p):
    return tl.inline_asm_elementwise(WAIT, "=&r,l", [p], dtype=tl.int32, is_pure=False, pack=1)


@triton.jit(noinline=True)
def wait_apart(p):
    return wait(p)


@triton.jit
def count(x):
    if x > 2:
        x = tl.inline_asm_elementwise(COUNT, "=&r,r", [x], dtype=tl.int32, is_pure=True, pack=1)
    return x


@triton.jit(noinline=True)
def count_apart(x):
    return count(x)


@triton.jit
def poll(x, o):
    tl.store(o, tl.sum(wait(x + tl.arange(0, 128)).to(tl.float32), 0))


@triton.jit
def called(x, o):
    tl.store(o, wait_apart(x).to(tl.float32))


@triton.jit
def by_element(x, o):
    v = tl.load(x + tl.arange(0, 128))
    tl.store(o, tl.sum((tl.map_elementwise(count, v) + tl.map_elementwise(count_apart, v)).to(tl.float32), 0))


@triton.jit
def plain(x, o):
    v = tl.load(x + tl.arange(0, 128))
    v = tl.inline_asm_elementwise("add.s32 $0, $1, 1;", "=r,r", [v], dtype=tl.int32, is_pure=False, pack=1)
    tl.store(o, tl.sum(v.to(tl.float32), 0))


# CHECK-LABEL: .entry poll(
# CHECK: bra again
# CHECK: bar.warp.sync 0xffffffff;
# CHECK: shfl
# CHECK: .visible .entry called(
# CHECK: bra again
# CHECK: bar.warp.sync 0xffffffff;
# CHECK-LABEL: .entry by_element(
# CHECK-NOT: bar.warp.sync
# CHECK: .target
# CHECK-LABEL: .entry plain(
# CHECK-NOT: bar.warp.sync
# CHECK: ret;
