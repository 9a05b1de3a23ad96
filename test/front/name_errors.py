# Names without a value: unknown, of one branch, of a loop, deleted, known to host code alone.
# run: neso compile %s:kernel --signature "*fp32,i32"
# run: neso compile %s:outer.closure --signature "*fp32"
import torch
import triton
import triton.language as tl

COUNT = 4
SPEED = torch.cuda.clock_rate()
FAST = tl.constexpr(torch.cuda.is_fast())
FINE = tl.constexpr(8)
ALSO_FINE: tl.constexpr = 16


@triton.jit
def kernel(p, n):
    offsets = tl.program_id(0) * FINE + ALSO_FINE
    a = offsts + 1  # error: 9: name 'offsts' is not defined; did you mean 'offsets'?
    b = quantity + a  # error: 9: name 'quantity' is not defined
    if n > 0:
        only_here = 1
    tl.store(p, only_here)  # error: 17: 'only_here' has no value here: only one branch of the `if` on line 20 assigns it
    mixed = None
    if n > 1:
        mixed = tl.load(p)
    tl.store(p, mixed)  # error: 17: 'mixed' is not one kind of value here: the branches of the run-time `if` on line 24 disagree
    for i in range(n):
        inner = i
    tl.store(p, inner)  # error: 17: 'inner' has no value here: it is first assigned inside the loop on line 27, which may not run
    tl.store(p, i)  # error: 17: 'i' has no value here: it is the variable of the loop on line 27
    gone = 1
    del gone
    tl.store(p, gone)  # error: 17: 'gone' was deleted on line 32
    tl.store(p, COUNT)  # error: 17: Cannot access global variable 'COUNT' in a kernel, as it may change: make it a constant
    tl.store(p, SPEED)  # error: 17: the value of 'SPEED' is not known while compiling: torch.cuda is host code
    tl.store(p, FAST)  # error: 17: the value of 'FAST' is not known while compiling
    tl.store(p, torch.cuda.level)  # error: 23: a value that is not known while compiling: torch.cuda is host code
    tl.store(p, tl.laod(p))  # error: 20: module triton.language has no attribute 'laod'; did you mean 'load'?
    tl.store(p, n.whatever)  # error: 19: int32 scalar has no attribute 'whatever'


def outer(width):
    @triton.jit
    def closure(p):
        tl.store(p, width)  # error: 21: the value of 'width' is not known while compiling: it is a parameter of outer(), whose value only its caller knows
    return closure
