# Loads through pointers as copies by tensor maps, and what keeps a load from being one.
# run: neso compile %s:cases --target sim:sm_90a --why --signature "*fp16:16,*fp16,*fp16:16,*i32:16,i32:16,i32:16,i32:16,i32:16,i32,i32,i64:16"
import triton
import triton.language as tl


@triton.jit
def cases(a, odd, c, p, M, N, K, s, t, off, L):
    i, k = tl.arange(0, 64), tl.arange(0, 32)
    row = tl.program_id(0) * 64 + i
    b = tl.full((32, 64), 1, tl.float16)
    acc = tl.zeros((64, 64), tl.float32)
    seen = tl.zeros((64, 64), tl.float32)
    z = tl.program_id(1)
    for j in range(0, K, 32):
        good = tl.load(a + (row % M)[:, None] * s + (j + k)[None, :], mask=(j + k)[None, :] < K, other=0)
        acc = tl.dot(good, b, acc)
        least = tl.load(a + tl.minimum(row, M - 1)[:, None] * s + (j + k)[None, :], mask=k[None, :] < K - j)
        acc = tl.dot(least, b, acc)
        batch = tl.load(a + z.to(tl.int64) * N + row[:, None] * s + (j + k)[None, :])
        acc = tl.dot(batch, b, acc)
        turned = tl.load(a + row[:, None] + (j + k)[None, :] * s, mask=(row[:, None] < M) & (row[:, None] >= 0))
        acc = tl.dot(turned, b, acc)
    for j in range(0, K, 32):
        wraps = tl.load(a + (row % M)[:, None] * s + (j + k)[None, :])
        seen = tl.dot(wraps, b, seen)
        stride = tl.load(a + row[:, None] * t + (j + k)[None, :])
        acc = tl.dot(stride, b, acc)
        base = tl.load(odd + row[:, None] * s + (j + k)[None, :])
        acc = tl.dot(base, b, acc)
        begin = tl.load(a + row[:, None] * s + (j + 4 + k)[None, :])
        acc = tl.dot(begin, b, acc)
        below = tl.load(a + (row - 64)[:, None] * s + (j + k)[None, :])
        acc = tl.dot(below, b, acc)
        offset = tl.load(a + (row + off)[:, None] * s + (j + k)[None, :])
        acc = tl.dot(offset, b, acc)
        ends = tl.load(a + row[:, None] * s + (j + k)[None, :], mask=row[:, None] < M + N)
        acc = tl.dot(ends, b, acc)
        wide = tl.load(a + row[:, None] * s + (j + k)[None, :], mask=row[:, None] < L)
        acc = tl.dot(wide, b, acc)
        mask = tl.load(a + row[:, None] * s + (j + k)[None, :], mask=row[:, None] != 5)
        acc = tl.dot(mask, b, acc)
        gathered = tl.load(a + tl.load(p + row)[:, None] * s + (j + k)[None, :])
        acc = tl.dot(gathered, b, acc)
    tl.store(c + row[:, None] * 64 + i[None, :], acc.to(tl.float16), mask=row[:, None] < M)
    tl.store(c + row[:, None] * 64 + i[None, :], seen.to(tl.float16))

# CHECK: good = tl.load(
# CHECK-NEXT: + load tensor-map: copied by TMA
# CHECK: least = tl.load(
# CHECK-NEXT: + load tensor-map: copied by TMA
# CHECK: batch = tl.load(
# CHECK-NEXT: + load tensor-map: copied by TMA
# CHECK: turned = tl.load(
# CHECK-NEXT: + load tensor-map: copied by TMA
# CHECK: wraps = tl.load(
# CHECK: load no-tensor-map: not by TMA: its indices wrap, and what is computed of those behind the end may be stored
# CHECK: stride = tl.load(
# CHECK: load no-tensor-map: not by TMA: a stride is not known to be a multiple of 16 bytes
# CHECK: base = tl.load(
# CHECK: load no-tensor-map: not by TMA: its base is not known to be a multiple of 16 bytes
# CHECK: begin = tl.load(
# CHECK: load no-tensor-map: not by TMA: it is not known to begin at a multiple of 16 bytes
# CHECK: below = tl.load(
# CHECK: load no-tensor-map: not by TMA: an index is not known to be at least 0
# CHECK: offset = tl.load(
# CHECK: load no-tensor-map: not by TMA: an index is not known to be at least 0
# CHECK: ends = tl.load(
# CHECK: load no-tensor-map: not by TMA: its mask does not end at an argument
# CHECK: wide = tl.load(
# CHECK: load no-tensor-map: not by TMA: its mask does not end at an argument
# CHECK: mask = tl.load(
# CHECK: load no-tensor-map: not by TMA: its mask is more than bounds of its indices
# CHECK: gathered = tl.load(
# CHECK: load no-tensor-map: not by TMA: its address is not base and index times stride
# CHECK: tl.store(c + row[:, None] * 64 + i[None, :], acc.to(tl.float16), mask=row[:, None] < M)
# CHECK-NEXT: + memory ldmatrix: written: by stmatrix, 4 a warp, in 16 wavefronts
# CHECK-NEXT: + access tensor-map: store of 64x64xf16: by TMA
