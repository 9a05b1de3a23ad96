# Functions whose code branches on their operand (large arguments, remainders): a load's masked elements do not decide the way.
# run: neso run %s:functions --target sim:sm_90a --check -q -g 2 rand:401:fp32 ones:401:fp32 zeros:401:fp32 401 --expect out=full:401:fp32:0 --atol 9
# expect: success
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def functions(x, y, out, n):
    i = tl.program_id(0) * 256 + tl.arange(0, 256)
    a, b = tl.load(x + i, mask=i < n), tl.load(y + i, mask=i < n)
    tl.store(out + i, tl.sin(a) + tl.cos(a) + a % b + libdevice.fmod(a, b) + libdevice.tan(a), mask=i < n)
