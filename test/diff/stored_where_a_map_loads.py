# A loop stores a number to where its next iteration's tile comes from through a tensor map: what the tensor reaches is looked at as
# well before copies run ahead of the stores.
# run: difftest %s
# expect: success
# launch: 1 4 3 1 1 1
# buffer: a fp16 16384 8 -2 3
# buffer: b fp16 16384 16 -2 3
# buffer: c fp32 4096 24 -2 3
# number: N i32 64
# number: K i32 256
import triton
import triton.language as tl


@triton.jit
def kernel(a, b, c, N, K):
    i, j, k = tl.arange(0, 64), tl.arange(0, 64), tl.arange(0, 64)
    da = tl.make_tensor_descriptor(a, [64, K], [K, 1], [64, 64])
    acc = tl.zeros((64, 64), tl.float32)
    for at in range(0, K, 64):
        x = da.load([0, at])
        y = tl.load(b + (at + k)[:, None] * N + j[None, :])
        acc = tl.dot(x, y, acc)
        if at + 64 < K:
            tl.store(a + at + 65, 7)
    tl.store(c + i[:, None] * N + j[None, :], acc)
