# The greatest and smallest of tiles in fp16 and bf16, taken two at once: along rows and columns, of magnitudes, with
# NaN left out and handed on, of -0 and infinities, over registers, lanes and warps.
# run: for t in fp16 bf16; do neso run %s:rows --target sim:sm_90a --against interp --atol 0 --rtol 0 --check -q -g 1 rand:64,128:$t zeros:5,64:fp32 64 128 || exit 1; done
# run: for t in fp16 bf16; do neso run %s:columns --target sim:sm_90a --against interp --atol 0 --rtol 0 --check -q -g 1 rand:64,128:$t zeros:5,128:fp32 64 128 || exit 1; done
# run: neso run %s:rows --target sim:sm_90a --num-warps 8 --against interp --atol 0 --rtol 0 --check -q -g 1 rand:2,8192:bf16 zeros:5,2:fp32 2 8192
# run: neso run %s:columns --target sim:sm_90a --num-warps 8 --against interp --atol 0 --rtol 0 --check -q -g 1 rand:1024,8:fp16 zeros:5,8:fp32 1024 8
# run: neso run %s:rows --target sim:sm_90a --num-warps 1 --against interp --atol 0 --rtol 0 --check -q -g 1 rand:16,2:bf16 zeros:5,16:fp32 16 2
# run: for t in fp16 bf16; do neso run %s:magnitudes --target sim:sm_90a --against interp --atol 0 --rtol 0 --check -q -g 1 rand:32,4:$t zeros:32:fp32 32 4 || exit 1; done
# run: for t in fp16 bf16; do neso run %s:magnitudes --target sim:sm_80 --num-warps 2 --against interp --atol 0 --rtol 0 --check -q -g 1 rand:16,64:$t zeros:16:fp32 16 64 || exit 1; done
# run: neso run %s:edges --target sim:sm_90a --num-warps 1 --against interp --atol 0 --rtol 0 --check -q -g 1 zeros:64,16:bf16 zeros:4,64:i32
# expect: success
import triton
import triton.language as tl


@triton.jit
def larger(a, b):
    return tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL)


@triton.jit
def smaller(a, b):
    return tl.minimum(a, b, propagate_nan=tl.PropagateNan.ALL)


@triton.jit
def extremes(x_ptr, o_ptr, N: tl.constexpr, K: tl.constexpr, axis: tl.constexpr):
    i, k = tl.arange(0, N)[:, None], tl.arange(0, K)[None, :]
    x = tl.load(x_ptr + i * K + k)
    x = tl.where((i * 7 + k) % 5 == 0, -x, x).to(tl.float32)
    n: tl.constexpr = N if axis == 1 else K
    o = o_ptr + tl.arange(0, n)
    tl.store(o, tl.max(x, axis))
    tl.store(o + n, tl.min(x, axis))
    tl.store(o + 2 * n, tl.max(tl.abs(x), axis))
    tl.store(o + 3 * n, tl.min(tl.abs(x), axis))
    tl.store(o + 4 * n, tl.reduce(x, axis, larger))


@triton.jit
def rows(x_ptr, o_ptr, N: tl.constexpr, K: tl.constexpr):
    extremes(x_ptr, o_ptr, N, K, 1)


@triton.jit
def columns(x_ptr, o_ptr, N: tl.constexpr, K: tl.constexpr):
    extremes(x_ptr, o_ptr, N, K, 0)


# A thread has one number of each row, or several.
@triton.jit
def magnitudes(x_ptr, o_ptr, N: tl.constexpr, K: tl.constexpr):
    i, k = tl.arange(0, N)[:, None], tl.arange(0, K)[None, :]
    x = tl.load(x_ptr + i * K + k)
    tl.store(o_ptr + tl.arange(0, N), tl.max(tl.abs(tl.where((i + k) % 3 == 0, x, -x)), 1))


# Row i: -0 everywhere, or 0 in one place, or infinities, or NaN in one place or everywhere.
@triton.jit
def edges(x_ptr, o_ptr):
    i, k = tl.arange(0, 64)[:, None], tl.arange(0, 16)[None, :]
    special = tl.where(i % 8 < 2, 0.0, tl.where(i % 8 < 4, float("inf"), tl.where(i % 8 < 6, float("-inf"), float("nan"))))
    everywhere = (i % 2 == 1) | (k == i // 4)
    tl.store(x_ptr + i * 16 + k, tl.where(everywhere, special, -0.0).to(tl.bfloat16))
    tl.debug_barrier()
    x = tl.load(x_ptr + i * 16 + k).to(tl.float32)
    o = o_ptr + tl.arange(0, 64)
    # A NaN is one whatever its bits.
    most, least = tl.max(x, 1), tl.min(x, 1)
    tl.store(o, tl.where(most != most, 1, most.to(tl.int32, bitcast=True)))
    tl.store(o + 64, tl.where(least != least, 1, least.to(tl.int32, bitcast=True)))
    most, least = tl.reduce(x, 1, larger), tl.reduce(x, 1, smaller)
    tl.store(o + 128, tl.where(most != most, 1, most.to(tl.int32, bitcast=True)))
    tl.store(o + 192, tl.where(least != least, 1, least.to(tl.int32, bitcast=True)))
