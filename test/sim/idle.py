# Barriers that order nothing, and what they cost, where that is asked for: those that order something are not told of.
# run: neso run %s:needed --target sim:sm_90a --traffic -q -g 1 rand:256:fp32 zeros:256:fp32 zeros:256:fp32 zeros:256:fp32
# run: neso run %s:told --target sim:sm_90a --traffic -q -g 4 rand:1024:fp32 zeros:1024:fp32 zeros:1:i32 zeros:256:fp32 4
# run: neso run %s:product --target sim:sm_80 --traffic -q -g 1 rand:32x64:fp16 rand:64x32:fp16 zeros:32x32:fp32 64
# run: neso run %s:of_a_cluster --target sim:sm_90a --num-ctas 2 --traffic -q -g 1 rand:64x64:fp32 zeros:64x64:fp32 zeros:64x64:fp32 True
# run: neso run %s:of_a_cluster --target sim:sm_90a --num-ctas 2 --traffic -q -g 1 rand:64x64:fp32 zeros:64x64:fp32 zeros:64x64:fp32 False
# run: neso run %s:needless --target sim:sm_90a --traffic -q -g 2 rand:512:fp32 zeros:512:fp32 zeros:512:fp32
import triton
import triton.language as tl


@triton.jit
def needed(x_ptr, tmp_ptr, again_ptr, out_ptr):
    """A read behind a write, a write behind a read, and a sum among warps."""
    i = tl.arange(0, 256)
    tl.store(tmp_ptr + i, tl.load(x_ptr + i))
    tl.debug_barrier()
    back = tl.load(tmp_ptr + (i ^ 128))
    tl.debug_barrier()
    tl.store(tmp_ptr + i, back)
    tl.store(out_ptr + i, back + tl.sum(back))


@triton.jit
def told(x_ptr, parts_ptr, count_ptr, out_ptr, P: tl.constexpr):
    """Before a release, and behind an acquire: the atomic operation's own barriers, which the kernel's are beside."""
    i = tl.arange(0, 256)
    tl.store(parts_ptr + tl.program_id(0) * 256 + i, tl.load(x_ptr + tl.program_id(0) * 256 + i))
    if tl.atomic_add(count_ptr, 1) == P - 1:
        total = tl.zeros([256], tl.float32)
        for k in range(P):
            total += tl.load(parts_ptr + k * 256 + i)
        tl.store(out_ptr + i, total)


@triton.jit
def product(a_ptr, b_ptr, c_ptr, K):
    i, k = tl.arange(0, 32), tl.arange(0, 16)
    acc = tl.zeros((32, 32), tl.float32)
    for start in range(0, K, 16):
        a = tl.load(a_ptr + i[:, None] * K + (start + k)[None, :])
        acc = tl.dot(a, tl.load(b_ptr + (start + k)[:, None] * 32 + i[None, :]), acc)
    tl.store(c_ptr + i[:, None] * 32 + i[None, :], acc)


@triton.jit
def needless(x_ptr, tmp_ptr, out_ptr):
    i = tl.program_id(0) * 256 + tl.arange(0, 256)
    tl.store(tmp_ptr + i, tl.load(x_ptr + i))
    tl.debug_barrier()  # warning: 5: orders nothing: 2 barriers of a CTA: nothing behind needs what is before; about 30 cycles of an SM
    tl.store(out_ptr + i, tl.load(tmp_ptr + i))


@triton.jit
def of_a_cluster(x_ptr, tmp_ptr, out_ptr, NEEDED: tl.constexpr):
    """Each thread reads what it has written itself, or what another CTA's has."""
    i, k = tl.arange(0, 64), tl.arange(0, 64)
    x = tl.load(x_ptr + i[:, None] * 64 + k[None, :])
    at = tmp_ptr + i[:, None] * 64 + k[None, :]
    tl.store(at, x)
    tl.debug_barrier()  # warning: 5: orders nothing: 1 barriers of a cluster: nothing behind needs what is before; about 200 cycles of an SM
    if NEEDED:
        at = tmp_ptr + (63 - i)[:, None] * 64 + k[None, :]
    tl.store(out_ptr + i[:, None] * 64 + k[None, :], tl.load(at))
