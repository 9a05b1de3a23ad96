# A side of an `if` that leaves a turn of an unrolled loop need not assign what the rest of the turn takes; behind the
# loop it has no value.
# run: neso run %s:kernel -g 1 full:1:i32:0 arange:3:i32; neso run %s:kernel -g 1 full:1:i32:-1 full:3:i32:7; neso run %s:unset -g 1 full:1:i32:0 arange:3:i32
# CHECK: p8: i32[3]{{.*}} 2 1 2
# CHECK: p8: i32[3]{{.*}} 9 7 7
import triton
import triton.language as tl


@triton.jit
def kernel(p0, p8):
    v0 = tl.load(p0)
    c1_0 = v0
    for k1 in tl.static_range(2):
        v4 = v0 + k1 > 0
        if v4:
            c5_0 = c1_0
        else:
            if v0 == 0:
                continue
            c5_0 = tl.load(p8)
        c1_0 = c5_0 + k1 + 1
    tl.store(p8, c1_0)


@triton.jit
def unset(p0, p8):
    v0 = tl.load(p0)
    for k1 in tl.static_range(2):
        if v0 > 0:
            c = v0
        else:
            if v0 == 0:
                continue
            c = tl.load(p8)
    tl.store(p8, c)  # error: 18: 'c' has no value here: only one branch of the `if`
