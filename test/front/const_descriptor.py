# Neither does a block pointer or a descriptor of such a pointer store.
# options: --signature "*kfp32,*fp32,i32"
import triton
import triton.language as tl


@triton.jit
def kernel(p: tl.const, q, n):
    f32 = tl.pointer_type(tl.float32)
    x = tl.zeros((32, 32), tl.float32)
    b = tl.make_block_ptr(p.to(f32), (n, n), (n, 1), (0, 0), (32, 32), (1, 0))
    tl.store(b, x)  # error: 5: Cannot store to a constant pointer: tl.store wants to write through const_pointer<fp32[32, 32]>
    tl.store(tl.advance(b, (32, 0)), x)  # error: 5: Cannot store to a constant pointer
    d = tl.make_tensor_descriptor(p, shape=[n, n], strides=[n, 1], block_shape=[32, 32])
    e = tl.make_tensor_descriptor(p.to(f32), shape=[n, n], strides=[n, 1], block_shape=[1, 32])
    tl.store(q + tl.arange(0, 32)[:, None] * 32 + tl.arange(0, 32), d.load([0, 0]))
    d.store([0, 0], x)  # error: 5: Cannot store to a constant pointer: descriptor.store wants to write through const_tensor_descriptor<fp32[32, 32]>
    tl.store_tensor_descriptor(d, [0, 0], x)  # error: 5: Cannot store to a constant pointer
    d.atomic_add([0, 0], x)  # error: 5: Cannot store to a constant pointer: descriptor.atomic_add
    e.scatter(x, tl.arange(0, 32), 0)  # error: 5: Cannot store to a constant pointer: descriptor.scatter
