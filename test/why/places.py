# Loads of few bytes take the places of others that wait for memory. Rows that may begin at any multiple of
# 4 bytes: x comes word by word, four neighbours to a thread, so that w and b come 16 bytes at once.
# run: neso compile %s:scaled --target sim:sm_90a --why --signature "*fp32:16,*fp32:16,*fp32:16,*fp32:16,i32"
# run: neso compile %s:product --target sim:sm_90a --why --signature "*fp32:16,*fp32:16,*fp32:16,*fp32:16,i32"
import triton
import triton.language as tl


@triton.jit
def scaled(x, w, b, y, n):
    row = tl.program_id(0) * n
    for start in range(0, n, 2048):
        at = start + tl.arange(0, 2048)
        tl.store(y + row + at, tl.load(x + row + at) * tl.load(w + at) + tl.load(b + at))


# Beside products nothing changes.
@triton.jit
def product(x, w, b, y, n):
    row = tl.program_id(0) * n
    r = tl.arange(0, 16)
    acc = tl.zeros((16, 16), tl.float32)
    for start in range(0, n, 2048):
        at = start + tl.arange(0, 2048)
        tl.store(y + row + at, tl.load(x + row + at) * tl.load(w + at) + tl.load(b + at))
    acc = tl.dot(tl.load(w + r[:, None] * 16 + r[None, :]), tl.load(b + r[:, None] * 16 + r[None, :]), acc)
    tl.store(y + r[:, None] * 16 + r[None, :], acc)

# CHECK: places.py:14
# CHECK: load of 2048xf32: 4 bytes at once, 16 times a thread
# CHECK: load of 2048xf32: 16 bytes at once, 4 times a thread
# CHECK: store of 2048xf32: 4 bytes at once, 16 times a thread
# CHECK: places.py:25
# CHECK: load of 2048xf32: 4 bytes at once, 16 times a thread: the layout that costs least
# CHECK: store of 2048xf32: 4 bytes at once, 16 times a thread
