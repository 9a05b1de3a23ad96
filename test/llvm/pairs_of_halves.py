# Two halves at once: maxima compare both of a word within a thread, along rows and where results lie beside one another; the upper half of a loaded
# word becomes an f32 by clearing the lower, also of a load without mask. What a loop counts under a mask that is one for
# eight elements is one register for these.
# run: for k in rows columns; do neso compile %s:$k --signature "*bf16:16,*fp32:16" --target sm_90a --emit ptx | sed "s/^/$k /"; done; neso compile %s:counted --signature "*bf16:16,*fp32:16,i32:16,i32" --target sm_90a --emit ptx | grep -v "loc\|tmp" | sed "s/^/counted /"
import triton
import triton.language as tl


@triton.jit
def rows(x, o):
    # CHECK-NOT: rows {{.*}}max.f32
    # CHECK: rows {{.*}}max.bf16x2
    # CHECK: rows {{.*}}max.bf16x2
    # CHECK: rows {{.*}}max.bf16x2
    # CHECK: rows {{.*}}max.f32
    # CHECK: rows {{.*}}and.b32 {{.*}}, -65536
    # CHECK: rows {{.*}}and.b32 {{.*}}, -65536
    # CHECK: rows {{.*}}and.b32 {{.*}}, -65536
    # CHECK: rows {{.*}}and.b32 {{.*}}, -65536
    i = tl.arange(0, 1024)
    v = tl.load(x + i).to(tl.float32)
    tl.store(o + i, v - tl.max(v, 0))


@triton.jit
def columns(x, o):
    # CHECK-NOT: columns {{.*}}max.f32
    # CHECK: columns {{.*}}max.bf16x2
    i, j = tl.arange(0, 64)[:, None], tl.arange(0, 64)[None, :]
    v = tl.load(x + i * 64 + j).to(tl.float32)
    tl.store(o + tl.arange(0, 64), tl.max(v, 0))


@triton.jit
def counted(x, o, n, rounds):
    # CHECK: counted {{.*}}selp.b32
    # CHECK-NOT: counted {{.*}}selp.b32
    # CHECK: counted {{.*}}cvt.rn.f32.s32
    # CHECK-NOT: counted {{.*}}cvt.rn.f32.s32
    # CHECK: counted {{.*}}ret
    i = tl.arange(0, 1024)
    count, total = tl.zeros([1024], tl.int32), tl.zeros([1024], tl.float32)
    for k in range(rounds):
        mask = k * 1024 + i < n
        total += tl.load(x + k * 1024 + i, mask=mask, other=0).to(tl.float32)
        count += mask.to(tl.int32)
    tl.store(o + i, total * count)
