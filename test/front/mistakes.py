# Python that kernels cannot have, hints of loops, operators and functions of other types: each with its cure.
# run: neso compile %s:kernel --signature "*fp32,i32"
# exit: 1
import triton
import triton.language as tl


@triton.jit
def kernel(p, n):
    f = tl.zeros((4,), tl.float32)
    for i in tl.range(0, n, num_stages="3"):  # error: 14: tl.range: 'num_stages' must be an integer known when compiling, not str '3'
        pass
    for i in tl.range(0, n, num_stages=n):  # error: 14: tl.range: 'num_stages' must be an integer known when compiling, not int32
        pass
    for i in tl.range(0, n, num_stages=-1):  # error: 14: tl.range: 'num_stages' must be a number from 0 on, not int -1
        pass
    for i in tl.range(0, n, loop_unroll_factor=1.5):  # error: 14: 'loop_unroll_factor' must be an integer known when
        pass
    for i in tl.range(0, n, flatten="yes"):  # error: 14: tl.range: 'flatten' must be True or False, not str 'yes'
        pass
    for a, b in range(3):  # error: 5: a loop variable that is not a name  # note: -: for i in range(n): a, b = ...
        pass
    async def later():  # error: 5: `async` is not supported in a kernel
        pass
    with n:  # error: 5: a `with` statement is not supported  # note: -: what it opens is the host's
        pass
    global g  # error: 5: `global` is not supported  # note: -: tl.store through a pointer argument gives results
    class Inner:  # error: 5: a class defined inside a kernel  # note: -: a class at module level, decorated with @triton.language.core._aggregate
        pass
    n.x = 1  # error: 5: assignment to an attribute  # note: -: a variable holds a value
    yield n  # error: 5: a generator or coroutine  # note: -: a function returns its results: return a, b
    print(f"{n:.2f}")  # error: 13: a format of a value that runs  # note: -: {x} without a format prints it
    f // 2  # error: 5: operator //: invalid operands of type fp32[4]  # note: -: tl.floor(x / y) rounds
    ~f  # error: 5: operator ~: invalid operands of type fp32[4]  # note: -: x == 0 is a condition
    tl.clamp(n, 0, 3)  # error: 5: tl.clamp: invalid operands of type int32  # note: -: tl.minimum(tl.maximum(x, low), high)
    tl.gather(f, f, 0)  # error: 5: tl.gather: 'index' must be a tile of integers, not fp32[4]
    f[tl.arange(0, 4)]  # error: 5: unsupported tensor index: fp32[4] cannot be indexed by int32[4]
    tl.inline_asm_elementwise("add $0, $1, $2;", "=r,r", [n], tl.int32, True, 1)  # error: 5: the assembly names $2, and its constraints "=r,r" have $0 to $1
    tl.inline_asm_elementwise("{ .reg .b32 $$t; mov.b32 ${1:x}, $0; }", "=r,~{memory}", [], tl.int32, True, 1)  # error: 5: the assembly names $1
