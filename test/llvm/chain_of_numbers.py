# A chain of ifs that compares one number with constants is a table in constant memory; its entries beside the numbers hold what
# is left. Four bits are always inside. Three numbers are too few, and so are far ones.
# run: neso compile %s:small --signature "*u8:16,*fp32:16" --target sm_90a --emit ptx
# run: neso compile %s:few --signature "*u8:16,*fp32:16" --target sm_90a --emit ptx
import triton
import triton.language as tl


@triton.jit
def weight(x):
    if x == 3:
        return 0.5
    if x == 5:
        return 2.0
    if x == 2:
        return 3.0
    if x == 1:
        return 4.0
    return 1.0


@triton.jit
def rough(x):
    if x == 3:
        return 0.5
    if x == 5:
        return 2.0
    if x == 200:
        return 3.0
    return 1.0


@triton.jit
def small(a, o):
    # CHECK: .const .align 16 .b8 {{[a-z_0-9]*}}[32] = {0, 0, 128, 63, 0, 0, 128, 64, 0, 0, 64, 64, 0, 0, 0, 63, 0, 0, 128, 63, 0, 0, 0, 64, 0, 0, 128, 63, 0, 0, 128, 63};
    # CHECK: .entry small
    # CHECK-NOT: setp.eq
    # CHECK: ld.const.b32
    tl.store(o, weight(tl.load(a) & 7))


@triton.jit
def few(a, o):
    # CHECK: .entry few
    # CHECK-NOT: ld.const
    tl.store(o, rough(tl.load(a) & 7))
