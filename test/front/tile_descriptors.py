# Tensor descriptors: ranks, strides, sizes.
# options: --signature "*fp16,*fp32,i32,i32"
import triton
import triton.language as tl


@triton.jit
def kernel(p, q, n, stride):
    a = tl.make_tensor_descriptor(p, [n, n], [stride, 1], [16])  # error: 9: tl.make_tensor_descriptor: 'shape' has 2 entries, the block 1 dimensions
    b = tl.make_tensor_descriptor(p, [n, n], [stride, stride], [16, 16])  # error: 9: tl.make_tensor_descriptor: the last stride must be 1, it is int32
    c = tl.make_tensor_descriptor(p, [n, n], [stride, 1], [16, 4])  # error: 9: tl.make_tensor_descriptor: Descriptor block shape must have at least 16 bytes in the last dimension, and it has 8
    k = tl.make_tensor_descriptor(n, [n], [1], [16])  # error: 9: tl.make_tensor_descriptor: Unsupported ptr type: expected a pointer, found int32
    m = tl.make_tensor_descriptor(p.to(tl.pointer_type(tl.int32)), [n], [1], [16], padding_option="nan")  # error: 9: tl.make_tensor_descriptor: padding with NaN needs floats, the block is int32[16]
    d = tl.make_tensor_descriptor(p, [n, n, n, n, n, n], [n, n, n, n, n, 1], [1, 1, 1, 1, 1, 16])  # error: 9: tl.make_tensor_descriptor: a descriptor has 1 to 5 dimensions, not 6
    good = tl.make_tensor_descriptor(p, [n, n], [stride, 1], [16, 16])
    e = good.load([0])  # error: 9: descriptor.load: 'offsets' has 1 entries, the block 2 dimensions
    good.store([0, 0], tl.zeros([8, 16], tl.float16))  # error: 5: descriptor.store: the value is fp16[8, 16], the block fp16[16, 16]
    good.atomic_xor([0, 0], tl.zeros([16, 16], tl.float16))  # error: 5: descriptor.atomic_xor does not support fp16
    f = good.gather(tl.arange(0, 16), 0)  # error: 9: descriptor.gather: the descriptor's block is fp16[16, 16]; it must have 1 row and at least 16 columns
    one = tl.make_tensor_descriptor(p, [n, n], [stride, 1], [1, 16])
    g = one.gather(n, 0)  # error: 9: descriptor.gather: row numbers must be a tile of rank 1 with at least 8 integers, not int32
    h = tl.load_tensor_descriptor(p, [0, 0])  # error: 9: tl.load_tensor_descriptor: expected a tensor descriptor, found pointer<fp16>
