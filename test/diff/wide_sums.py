# Sums of products whose stores of 16 bytes take neighbours from other lanes: rows, columns, whole numbers, tiles of 8 columns for a warp,
# and a mask along the rows.
# run: difftest %s
# expect: success
# launch: 1 4 1 1 1 1
# buffer: p0 fp16 2048 7610266747750804504 -4 4
# buffer: p1 fp16 2048 7610266747750804658 -4 4
# buffer: p2 i8 2048 7610266747750804701 -50 50
# buffer: p3 i8 2048 7610266747750804755 -50 50
# buffer: o4 fp32 2048 7610266747750805120 -100 100
# buffer: o5 fp32 2048 7610266747750805197 -100 100
# buffer: o6 i32 2048 7610266747750805241 -100 100
# buffer: o7 fp32 1024 7610266747750805302 -100 100
# buffer: o8 fp32 2048 7610266747750805377 -100 100
import triton
import triton.language as tl


@triton.jit
def kernel(p0, p1, p2, p3, o4, o5, o6, o7, o8):
    i, j, k = tl.arange(0, 32), tl.arange(0, 64), tl.arange(0, 32)
    a, b = i[:, None] * 32 + k[None, :], k[:, None] * 64 + j[None, :]
    sums = tl.dot(tl.load(p0 + a), tl.load(p1 + b))
    tl.store(o4 + i[:, None] * 64 + j[None, :], sums)
    tl.store(o5 + i[:, None] + j[None, :] * 32, sums)
    whole = tl.dot(tl.load(p2 + a), tl.load(p3 + b), out_dtype=tl.int32)
    tl.store(o6 + i[:, None] * 64 + j[None, :], whole)
    n = tl.arange(0, 16)
    narrow = tl.dot(tl.load(p0 + j[:, None] * 32 + k[None, :]), tl.load(p1 + k[:, None] * 16 + n[None, :]))
    tl.store(o7 + j[:, None] * 16 + n[None, :], narrow)
    tl.store(o8 + i[:, None] * 64 + j[None, :], sums * 2, mask=(i[:, None] < 30) & (j[None, :] < 60))
