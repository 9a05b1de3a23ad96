# A plain number as an operand of a device library function.
# run: neso run %s:kernel --grid 1 x=arange:4:fp32 out=zeros:4:fp32 4 --quiet --print out
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def kernel(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    # CHECK: 0 2 6 12
    tl.store(out + i, libdevice.pow(v, 2.0) + libdevice.div_rn(v, 1.0))
