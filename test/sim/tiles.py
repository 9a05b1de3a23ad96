# Findings name the tile and the element, through layouts that vectors, exchanges and conversions made.
# run: neso run %s:rows --target sim:sm_90a -q -g 1 zeros:500:fp32 zeros:512:fp32
# run: neso run %s:halves --target sim:sm_80 -q -g 1 zeros:1000:fp16 zeros:2048:fp16
# run: neso run %s:column --target sim:sm_90a -q -g 1 zeros:512:fp16 zeros:500:fp16
# run: neso run %s:one --target sim:sm_90a -q -g 1 zeros:3:i32 zeros:1:i32 7
# run: neso run %s:counts --target sim:sm_90a -q -g 1 arange:64:i32 zeros:50:i32
# run: neso run %s:called --target sim:sm_90a -q -g 1 zeros:100:fp32 zeros:128:fp32
# exit: 1
import triton
import triton.language as tl


@triton.jit
def rows(x_ptr, out_ptr):
    i, k = tl.arange(0, 16), tl.arange(0, 32)
    at = i[:, None] * 32 + k[None, :]
    x = tl.load(x_ptr + at)  # error: 9: it passes the end of 'x_ptr' (2000 bytes) by 16 bytes; kernel 'rows', program (0, 0, 0), warp 3, lane 29, element [15, 20] of 'x' (tt.load, tensor<16x32xf32>)
    tl.store(out_ptr + at, x)


@triton.jit
def halves(x_ptr, out_ptr):
    i = tl.arange(0, 2048)
    x = tl.load(x_ptr + i)  # error: 9: it passes the end of 'x_ptr' (2000 bytes) by 16 bytes; kernel 'halves', program (0, 0, 0), warp 3, lane 29, element [1000] of 'x' (tt.load, tensor<2048xf16>)
    tl.store(out_ptr + i, x)


@triton.jit
def column(x_ptr, out_ptr):
    i, k = tl.arange(0, 16), tl.arange(0, 32)
    x = tl.load(x_ptr + i[:, None] * 32 + k[None, :])
    tl.store(out_ptr + k[:, None] * 16 + i[None, :], tl.trans(x))  # error: 5: it passes the end of 'out_ptr' (1000 bytes) by 8 bytes; kernel 'column', program (0, 0, 0), warp 3, lane 29, element [31, 4] of


@triton.jit
def one(x_ptr, out_ptr, n):
    x = tl.load(x_ptr + n)  # error: 9: warp 0, lane 0, of 'x' (tt.load, i32)
    tl.store(out_ptr, x)


@triton.jit
def counts(x_ptr, out_ptr):
    i = tl.arange(0, 64)
    tl.atomic_add(out_ptr + tl.load(x_ptr + i), 1)  # error: 5: element [50] of


@triton.jit
def fetch(ptr, i):
    part = tl.load(ptr + i)  # error: 12: element [100] of 'part' (tt.load, tensor<128xf32>)
    return part


@triton.jit
def called(x_ptr, out_ptr):
    i = tl.arange(0, 128)
    tl.store(out_ptr + i, fetch(x_ptr, i) + 1)
