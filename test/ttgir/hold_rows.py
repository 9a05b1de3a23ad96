# The pass hold-rows: a row that an outer loop goes over again is loaded in front of it; one that is written is not.
# run: neso compile %s:kernel --signature "*fp32:16,*fp32:16" --target sm_90a --stop-after hold-rows
# run: neso compile %s:written --signature "*fp32:16,*fp32:16" --target sm_90a --stop-after hold-rows
import triton
import triton.language as tl


@triton.jit
def kernel(x, o):
    i = tl.arange(0, 512)
    t = 0.0
    for k in range(10):
        s = tl.zeros((512,), tl.float32)
        for b in range(0, 1024, 512):
            s += tl.maximum(tl.load(x + b + i) - t, 0.0)
        t += tl.sum(s)
    tl.store(o, t)
    # CHECK: tt.func
    # CHECK: tt.load
    # CHECK: tt.load
    # CHECK: scf.for
    # CHECK-NOT: tt.load
    # CHECK: tt.return


@triton.jit
def written(x, o):
    i = tl.arange(0, 512)
    for k in range(10):
        s = tl.zeros((512,), tl.float32)
        for b in range(0, 1024, 512):
            s += tl.load(x + b + i)
        tl.store(o + i, s)
    # CHECK: tt.func
    # CHECK: scf.for
    # CHECK: scf.for
    # CHECK: tt.load
    # CHECK: tt.return
