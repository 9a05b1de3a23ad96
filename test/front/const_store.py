# A pointer that is only read stays so through casts, tuples, helpers, tiles, block pointers and descriptors.
# options: --signature "*kfp32,*fp32,i32"
# exit: 1
import triton
import triton.language as tl


@triton.jit
def offset(p):
    return p + 1


@triton.jit
def put(pair):
    a, b = pair
    tl.store(b, 0.0)
    tl.store(a, 1.0)  # error: 5: Cannot store to a constant pointer: tl.store


@triton.jit(noinline=True)
def apart(p):
    tl.store(p, 1.0)  # error: 5: Cannot store to a constant pointer: tl.store




@triton.jit
def kernel(p: tl.const, q, n):
    f32 = tl.pointer_type(tl.float32)
    i32 = tl.pointer_type(tl.int32)
    tl.store(p.to(f32), 1.0)  # error: 5: Cannot store to a constant pointer: tl.store wants to write through const_pointer<fp32>
    tl.store(p.to(i32, bitcast=True), 1)  # error: 5: Cannot store to a constant pointer: tl.store wants to write through const_pointer<int32>
    tl.store(tl.cast(p, f32) + tl.arange(0, 64), 1.0)  # error: 5: Cannot store to a constant pointer
    tl.atomic_cas(p.to(i32), 1, 2)  # error: 5: Cannot store to a constant pointer: tl.atomic_cas
    tl.atomic_xchg(p.to(i32), 1)  # error: 5: Cannot store to a constant pointer: tl.atomic_xchg
    tl.store(offset(p), 1.0)  # error: 5: Cannot store to a constant pointer
    put((p, q))
    apart(p)
    tl.store(p.to(tl.int64).to(tl.pointer_type(tl.float32)), 1.0)  # of a number a plain pointer is made
    tl.store((q, p)[1], 1.0)  # error: 5: Cannot store to a constant pointer
    tl.store(tl.broadcast_to(p, (8, 8)), 1.0)  # error: 5: Cannot store to a constant pointer
    tl.store(tl.reshape(p + tl.arange(0, 32), (4, 8)).trans(), 1.0)  # error: 5: Cannot store to a constant pointer
    tl.store(tl.where(n > 1, p, p + 1), 1.0)  # error: 5: Cannot store to a constant pointer
    tl.store(tl.where(n > 1, q, p), 1.0)  # error: 14: tl.where: invalid operands of type pointer<fp32> and const_pointer<fp32>
    tl.store(p if n > 1 else p + 1, 1.0)  # error: 5: Cannot store to a constant pointer
    tl.store(q if n > 1 else p, 1.0)  # error: 14: Ternary expression with dynamic condition has inconsistent types
    r = p
    for i in range(n):
        tl.store(r, 1.0)  # error: 9: Cannot store to a constant pointer
        r += 1
