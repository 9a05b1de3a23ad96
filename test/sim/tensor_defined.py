# Copies by tensor maps (TMA) carry what is not defined: of arrays that nobody has written, through shared memory, products and
# back; what they write is defined, the padding of a box too.
# run: neso run %s:loads --target sim:sm_90a --check -q -g 1 rand:32x64:fp16 uninit:32x64:fp16 32
# run: neso run %s:loads --target sim:sm_90a --check -q -g 1 rand:20x64:fp16 uninit:32x64:fp16 20
# run: neso run %s:copies --target sim:sm_90a --check -q -g 1 rand:32x64:fp16 uninit:32x64:fp16
# run: neso run %s:half --target sim:sm_90a --check -q -g 1 rand:32x64:fp16 uninit:32x64:fp16 zeros:32x64:fp16 32
# run: neso run %s:adds --target sim:sm_90a --check -q -g 1 rand:32x64:fp32 zeros:32x64:fp32
# run: neso run %s:multiplies --target sim:sm_90a --check -q -g 1 rand:64x64:fp16 rand:64x64:fp16 uninit:64x64:fp32
# run: neso run %s:loads --target sim:sm_90a --check -q -g 1 uninit:32x64:fp16 zeros:32x64:fp16 32
# run: neso run %s:copies --target sim:sm_90a --check -q -g 1 uninit:32x64:fp16 zeros:32x64:fp16
# run: neso run %s:half --target sim:sm_90a --check -q -g 1 rand:32x64:fp16 uninit:32x64:fp16 zeros:32x64:fp16 16
# run: neso run %s:adds --target sim:sm_90a --check -q -g 1 rand:32x64:fp32 uninit:32x64:fp32
# run: neso run %s:multiplies --target sim:sm_90a --check -q -g 1 uninit:64x64:fp16 rand:64x64:fp16 zeros:64x64:fp32
# exit: 1
import triton
import triton.language as tl


@triton.jit
def loads(x_ptr, out_ptr, ROWS: tl.constexpr):
    x = tl.make_tensor_descriptor(x_ptr, [ROWS, 64], [64, 1], [32, 64])
    i, k = tl.arange(0, 32), tl.arange(0, 64)
    tl.store(out_ptr + i[:, None] * 64 + k[None, :], x.load([0, 0]))  # error: 5: use of a value that is not defined: what is stored; it is loaded from memory that nothing has written


@triton.jit
def copies(x_ptr, out_ptr):
    x = tl.make_tensor_descriptor(x_ptr, [32, 64], [64, 1], [32, 64])
    out = tl.make_tensor_descriptor(out_ptr, [32, 64], [64, 1], [32, 64])
    out.store([0, 0], x.load([0, 0]))  # error: 5: use of a value that is not defined: what is stored


@triton.jit
def half(x_ptr, between_ptr, out_ptr, ROWS: tl.constexpr):
    x = tl.make_tensor_descriptor(x_ptr, [32, 64], [64, 1], [ROWS, 64])
    between = tl.make_tensor_descriptor(between_ptr, [32, 64], [64, 1], [ROWS, 64])
    between.store([0, 0], x.load([0, 0]))
    tl.debug_barrier()
    at = tl.arange(0, 32)[:, None] * 64 + tl.arange(0, 64)[None, :]
    tl.store(out_ptr + at, tl.load(between_ptr + at))  # error: 5: elements like [16, 0] of tt.store (tensor<32x64xf16>); 1024 times


@triton.jit
def adds(x_ptr, out_ptr):
    x = tl.make_tensor_descriptor(x_ptr, [32, 64], [64, 1], [32, 64])
    out = tl.make_tensor_descriptor(out_ptr, [32, 64], [64, 1], [32, 64])
    out.atomic_add([0, 0], x.load([0, 0]))  # error: 5: what a reduction of a box changes; nothing has written it


@triton.jit
def multiplies(x_ptr, y_ptr, out_ptr):
    x = tl.make_tensor_descriptor(x_ptr, [64, 64], [64, 1], [64, 64])
    y = tl.make_tensor_descriptor(y_ptr, [64, 64], [64, 1], [64, 64])
    i = tl.arange(0, 64)
    tl.store(out_ptr + i[:, None] * 64 + i[None, :], tl.dot(x.load([0, 0]), y.load([0, 0])))  # error: 5: use of a value that is not defined
