# Functions that become kernels by a call, not by a decorator: known under their own names.
# run: neso compile %s:_copy --signature "*i32,*i32,4" --emit ttir
# run: neso list %s
import triton
import triton.language as tl


def _copy(x, y, B: tl.constexpr):
    # CHECK-LABEL: tt.func public @_copy
    i = tl.arange(0, B)
    # CHECK: arith.muli
    # CHECK: tt.store
    tl.store(y + i, double(tl.load(x + i)))


def _double(x):
    return x * (x + 1)


double = triton.jit(_double)
copy = triton.jit(do_not_specialize=["x"])(_copy)
tuned = triton.autotune(configs=[], key=[])(triton.jit(_copy))


def plain(x):
    return x


same = len(plain)
# CHECK: _copy(x, y, B: tl.constexpr)
# CHECK: _double(x)
# CHECK-NOT: plain
