# Loads, stores and atomics: pointers, masks and options that do not fit.
# options: --signature "*fp32,*ki32,i32,*fp16,64"
import triton
import triton.language as tl


@triton.jit
def kernel(p, c, i, h, B: tl.constexpr):
    x = tl.arange(0, B)
    a = tl.load(x)  # error: 9: tl.load: Unsupported ptr type: expected a pointer, found int32[64]
    tl.store(c + x, x)  # error: 5: Cannot store to a constant pointer: tl.store wants to write through const_pointer<int32>[64]
    tl.store(p, x)  # error: 5: tl.store: 'value' is int32[64], the pointer is pointer<fp32>
    b = tl.load(p + x, mask=x)  # error: 9: tl.load: the mask must be int1, not int32[64]
    d = tl.load(p + x, other=0.0)  # error: 9: tl.load: 'other' has no use without 'mask'
    e = tl.load(p + x, boundary_check=(0,))  # error: 9: tl.load: boundary_check and padding_option need a block pointer, not pointer<fp32>[64]; use 'mask' and 'other'
    f = tl.load(p + x, mask=x[:, None] < 3)
    g = tl.load(p, mask=x < 3)  # error: 9: tl.load: 'mask' is int1[64], the pointer is pointer<fp32>
    tl.store(p + x, 0.0, mask=x[:, None] < 3)  # error: 5: tl.store: 'mask' is int1[64, 64], the pointer is pointer<fp32>[64]
    j = tl.load(p + x, cache_modifier=".xx")  # error: 9: tl.load: cache_modifier is '.xx'; it can be '', '.ca', '.cg', '.cv'
    block = tl.make_block_ptr(p, (B, B), (B, 1), (0, 0), (16, 16), (1, 0))
    k = tl.load(block, mask=x < 3)  # error: 9: tl.load: a block pointer takes boundary_check, not 'mask' or 'other'
    m = tl.load(block, boundary_check=(2,))  # error: 9: tl.load: boundary_check names dimension 2 twice or outside the 2 of the block
    tl.store(block, x)  # error: 5: tl.store: the value is int32[64], the block fp32[16, 16]
    ints = tl.make_block_ptr(c, (B,), (1,), (0,), (16,), (0,))
    n = tl.load(ints, boundary_check=(0,), padding_option="nan")  # error: 9: tl.load: padding with NaN needs floats, the block is int32[16]
    o = tl.advance(p, (0, 0))  # error: 9: tl.advance: expected a block pointer, found pointer<fp32>
    q = tl.advance(block, (0,))  # error: 9: tl.advance: 'offsets' has 1 entries, the block 2 dimensions
    r = tl.advance(block, (0, 1.5))  # error: 9: tl.advance: 'offsets' takes 32-bit integers, not float 1.5
    s = tl.make_block_ptr(p, (B, B), (B, 1), (0, 0), (16, 16), (0, 0))  # error: 9: tl.make_block_ptr: [0, 0] is no permutation of the 2 dimensions
    tl.atomic_and(h, 1.0)  # error: 5: tl.atomic_and does not support fp16
    t = tl.atomic_add(c, 1)  # error: 9: Cannot store to a constant pointer: tl.atomic_add wants to write through const_pointer<int32>
    u = tl.atomic_add(p, 1.0, sem="later")  # error: 9: tl.atomic_add: sem is 'later'; it can be '', 'acquire', 'release', 'acq_rel', 'relaxed'
