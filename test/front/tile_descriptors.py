# Tensor descriptors: ranks, strides, sizes.
# options: --signature "*fp16,*fp32,i32,i32"
import triton
import triton.language as tl


@triton.jit
def kernel(p, q, n, stride):
    a = tl.make_tensor_descriptor(p, [n, n], [stride, 1], [16])
    b = tl.make_tensor_descriptor(p, [n, n], [stride, stride], [16, 16])
    c = tl.make_tensor_descriptor(p, [n, n], [stride, 1], [16, 4])
    k = tl.make_tensor_descriptor(n, [n], [1], [16])
    m = tl.make_tensor_descriptor(p.to(tl.pointer_type(tl.int32)), [n], [1], [16], padding_option="nan")
    d = tl.make_tensor_descriptor(p, [n, n, n, n, n, n], [n, n, n, n, n, 1], [1, 1, 1, 1, 1, 16])
    good = tl.make_tensor_descriptor(p, [n, n], [stride, 1], [16, 16])
    e = good.load([0])
    good.store([0, 0], tl.zeros([8, 16], tl.float16))
    good.atomic_xor([0, 0], tl.zeros([16, 16], tl.float16))
    f = good.gather(tl.arange(0, 16), 0)
    one = tl.make_tensor_descriptor(p, [n, n], [stride, 1], [1, 16])
    g = one.gather(n, 0)
    h = tl.load_tensor_descriptor(p, [0, 0])
    for i in range(n):
        j = good.shape[0]
        good = tl.make_tensor_descriptor(p, [n, n], [stride, 1], [16, 16])
