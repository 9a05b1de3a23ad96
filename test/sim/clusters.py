# A program that is a cluster of CTAs: tiles that change their places between them, sums, products, what one thread does for all.
# run: neso run %s:add --target sim:sm_90a --num-ctas 2 --check -q -g 4 arange:4000:i32 full:4000:i32:3 zeros:1:i32 4000 --expect wrong=zeros:1:i32
# run: neso run %s:turned --target sim:sm_90a --num-ctas 4 --schedules 3 -q -g 1 arange:4096:i32 zeros:1:i32 --expect wrong=zeros:1:i32
# run: neso run %s:turned --target sim:sm_90a --num-ctas 16 --num-warps 8 --check -q -g 1 arange:4096:i32 zeros:1:i32 --expect wrong=zeros:1:i32
# run: neso run %s:sums --target sim:sm_90a --num-ctas 2 --schedules 3 -q -g 1 ones:64x64:fp32 zeros:128:fp32 --expect out=full:128:fp32:64
# run: neso run %s:product --target sim:sm_90a --num-ctas 2 --check -q -g 1 ones:64x128:fp16 ones:128x64:fp16 zeros:64x64:fp32 128 --expect out=full:64x64:fp32:128
# run: neso run %s:ticket --target sim:sm_90a --num-ctas 4 --schedules 3 -q -g 3 zeros:1:i32 zeros:768:i32 zeros:1:i32 zeros:1:i32 --expect count=full:1:i32:3 --expect total=full:1:i32:3
# run: neso run %s:mirrored --target sim:sm_90a --num-ctas 2 --schedules 3 -q -g 1 arange:512:i32 zeros:512:i32 zeros:1:i32 --expect wrong=zeros:1:i32
# run: neso run %s:unordered --target sim:sm_90a --num-ctas 2 --num-warps 1 --check -q -g 1 arange:512:i32 zeros:512:i32 zeros:512:i32
# run: neso run %s:past --target sim:sm_90a --num-ctas 2 -q -g 2 arange:200:i32 zeros:256:i32
# run: neso run %s:turned --target sim:sm_90a --num-ctas 16 --num-warps 16 -q -g 1 arange:4096:i32 zeros:1:i32
# exit: 1
# error: -: the simulator runs up to 128 warps of a cluster, and these are 256
import triton
import triton.language as tl


@triton.jit
def add(x_ptr, y_ptr, wrong, n):
    i = tl.program_id(0) * 1024 + tl.arange(0, 1024)
    x = tl.load(x_ptr + i, mask=i < n)
    y = tl.load(y_ptr + i, mask=i < n)
    tl.atomic_add(wrong, tl.sum(tl.where((i < n) & (x + y != i + 3), 1, 0)))


@triton.jit
def turned(x_ptr, wrong):
    i, k = tl.arange(0, 64), tl.arange(0, 64)
    x = tl.trans(tl.load(x_ptr + i[:, None] * 64 + k[None, :]))
    tl.atomic_add(wrong, tl.sum(tl.where(x != k[None, :] * 64 + i[:, None], 1, 0)))


@triton.jit
def sums(x_ptr, out):
    i, k = tl.arange(0, 64), tl.arange(0, 64)
    x = tl.load(x_ptr + i[:, None] * 64 + k[None, :])
    tl.store(out + i, tl.sum(x, 1))
    tl.store(out + 64 + k, tl.sum(x, 0))


@triton.jit
def product(a_ptr, b_ptr, out, K):
    i, k = tl.arange(0, 64), tl.arange(0, 32)
    acc = tl.zeros((64, 64), tl.float32)
    for start in range(0, K, 32):
        a = tl.load(a_ptr + i[:, None] * K + start + k[None, :])
        b = tl.load(b_ptr + (start + k)[:, None] * 64 + i[None, :])
        acc = tl.dot(a, b, acc)
    tl.store(out + i[:, None] * 64 + i[None, :], acc)


@triton.jit
def ticket(count, out, lock, total):
    """The old value goes to the threads of all CTAs; all have loaded before one stores."""
    t = tl.atomic_add(count, 1)
    i = tl.arange(0, 256)
    tl.store(out + t * 256 + i, t)
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.store(total, tl.load(total) + 1)
    tl.atomic_xchg(lock, 0)


@triton.jit
def mirrored(x_ptr, half, wrong):
    i = tl.arange(0, 512)
    tl.store(half + i, tl.load(x_ptr + i) * 2)
    tl.debug_barrier()
    tl.store(wrong, tl.sum(tl.where(tl.load(half + 511 - i) != 2 * (511 - i), 1, 0)))


@triton.jit
def unordered(x_ptr, half, out):
    i = tl.arange(0, 512)
    tl.store(half + i, tl.load(x_ptr + i) * 2)  # error: 5: kernel 'unordered', program (0, 0, 0), CTA 1, warp 0, lanes 0-31  # note: 5: the other access, by program (0, 0, 0), CTA 0, warp 0
    v = tl.load(half + 511 - i)  # error: 9: kernel 'unordered', program (0, 0, 0), CTA 1, warp 0, lanes 0-31  # note: 9: the other access, by program (0, 0, 0), CTA 0, warp 0
    tl.store(out + i, v)


@triton.jit
def past(x_ptr, out):
    i = tl.program_id(0) * 128 + tl.arange(0, 128)
    tl.store(out + i, tl.load(x_ptr + i))  # error: 23: program (1, 0, 0), CTA 1, warp 0, lane 8, element [72] of
