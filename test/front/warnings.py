# What upstream warns of, in its words; results that are dropped; hints and atomics are no such.
# options: --signature "*fp32,*fp32,i32,64" --target sim:sm_90a
import triton
import triton.language as tl


@triton.jit
def kernel(p, q, n, B: tl.constexpr):
    i = tl.arange(0, B)
    x = tl.load(p + i)
    y = tl.where(i & 1, x, 0.0)  # warning: 9: tl.where with a non-boolean condition is deprecated and will error out in a future triton release. Got int32
    y += tl.where(p, y, 1.0)  # warning: 10: Got pointer<fp32>
    y += tl.where(i < 3, y, 1.0)
    x + 1  # warning: 5: the result of `x + 1` is not used
    x.to(tl.float16)  # warning: 5: the result of `x.to(tl.float16)` is not used
    -x  # warning: 5: the result of `-x` is not used
    tl.multiple_of(n, 16)
    tl.assume(n > 0)
    tl.load(p + i)
    tl.atomic_add(q, 1.0)
    tl.debug_barrier()
    w = i << 32  # warning: 9: Value 32 exceeds the maximum bitwidth (32) for type 'int32'. This may result in undefined behavior.
    w += i >> 31
    w += i // (B - 64)  # warning: 10: the right operand of operator // is 0: what it gives is not defined
    w += n % (B - 64)  # warning: 10: the right operand of operator % is 0: what it gives is not defined
    w += i // (n * 0 + 1)
    v = tl.view(x, (2, B // 2))  # warning: 9: view is deprecated, please use reshape with can_reorder being true.
    m = (i < 3) and (i > 2)  # warning: 9: Logical operators 'and' and 'or' are deprecated for non-scalar tensors; please use '&' or '|' instead
    m = m | (i > 5)
    w += max(i, 3)  # warning: 10: builtin max on non-scalar tensor values is deprecated, use tl.maximum instead
    w += min(n, 3)
    if tl.full((1,), 1, tl.int32):  # warning: 8: If conditional called with multidimensional Tensor instead of scalar; please use "if (tl.full((1,), 1, tl.int32)).item()" instead
        w += 1
    if tl.full((1,), 1, tl.int32).item():
        w += 1
    if n > 3 and n < 5:
        w += 1
    e = tl.zeros((64, 64), tl.float8e4b15)
    c = tl.dot(e, e)  # warning: 9: the use of fp8e4b15 is deprecated on Hopper and later architectures and can cause significant slow down.
    for _ in range(n):
        x * 2  # warning: 9: the result of `x * 2` is not used
    tl.store(q + i, y + w + tl.where(m, 1, 2) + tl.sum(c, 0))
