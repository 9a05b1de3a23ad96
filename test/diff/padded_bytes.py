# A GPU's tiles of bytes had numbers where K is padded: ptxas takes the high half of a zero for the constant 8 as
# it converts. The simulator has no such fault; `difftest --target cuda` runs this on a GPU.
# run: difftest %s
# expect: success
# launch: 1 1 2 1 1 1
# number: n i32 2
# buffer: a fp8e5 768 4510995550365926177 -2 2
# buffer: b fp8e5 1152 4510995550365926254 -6 6
# buffer: o fp32 384 4510995550365926562 -100 100
import triton
import triton.language as tl


@triton.jit
def kernel(n, a, b, o):
    i, j, k = tl.arange(0, 16)[:, None], tl.arange(0, 24)[None, :], tl.arange(0, 48)
    acc = tl.full((16, 24), 0.0, tl.float32)
    for _ in range(0, n, 2):
        acc = tl.dot(tl.load(a + i * 48 + k[None, :]), tl.load(b + k[:, None] * 24 + j), acc)
    tl.store(o + i * 24 + j, acc)
