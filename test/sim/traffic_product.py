# What threads hold of a product of fp32 is stored as it is, 8 bytes a thread: eight whole sectors a warp, as
# many as with 16 bytes a thread, and no trip through shared memory. fp16 would be half sectors, and takes it.
# run: neso run %s:product --target sim:sm_80 --traffic -q -g 1 rand:128x64:fp16 rand:64x128:fp16 zeros:128x128:fp32 128 128 64
# run: neso run %s:product --target sim:sm_90a --traffic -q -g 1 rand:128x64:fp16 rand:64x128:fp16 zeros:128x128:fp32 128 128 64
# run: neso run %s:product --target sim:sm_90a --traffic -q -g 1 rand:64x64:fp16 rand:64x64:fp16 zeros:64x64:fp16 64 64 64
# run: neso run %s:scaled --target sim:sm_80 --traffic -q -g 1 zeros:64x128:u8 full:64x4:u8:127 rand:128x64:bf16 zeros:64x64:fp32
# run: neso run %s:scaled --target sim:sm_90a --traffic -q -g 1 zeros:64x128:u8 full:64x4:u8:127 rand:128x64:bf16 zeros:64x64:fp32
# expect: success
import triton
import triton.language as tl


@triton.jit
def product(a_ptr, b_ptr, c_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    a = tl.load(a_ptr + m[:, None] * K + k[None, :])
    b = tl.load(b_ptr + k[:, None] * N + n[None, :])
    tl.store(c_ptr + m[:, None] * N + n[None, :], tl.dot(a, b))


@triton.jit
def scaled(a_ptr, scale_ptr, b_ptr, c_ptr):
    m, k = tl.arange(0, 64), tl.arange(0, 128)
    a = tl.load(a_ptr + m[:, None] * 128 + k[None, :])
    scale = tl.load(scale_ptr + m[:, None] * 4 + tl.arange(0, 4)[None, :])
    b = tl.load(b_ptr + k[:, None] * 64 + m[None, :])
    c = tl.dot_scaled(a, scale, "e5m2", b, None, "bf16")
    tl.store(c_ptr + m[:, None] * 64 + m[None, :], c)
