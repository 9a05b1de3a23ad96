# Functions whose code branches on their operand (large arguments, remainders): a load's masked elements do not decide the way.
# run: neso run %s:sines --target sim:sm_90a --check -q -g 2 rand:401:fp32 zeros:401:fp32 401
# run: neso run %s:sines --target sim:sm_90a --check -q -g 2 rand:401:fp64 zeros:401:fp64 401
# run: neso run %s:remainders --target sim:sm_90a --check -q -g 2 rand:401:fp32 ones:401:fp32 zeros:401:fp32 401
# run: neso run %s:tangents --target sim:sm_90a --check -q -g 2 rand:401:fp32 zeros:401:fp32 401
# expect: success
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def sines(x, out, n):
    i = tl.program_id(0) * 256 + tl.arange(0, 256)
    a = tl.load(x + i, mask=i < n)
    tl.store(out + i, tl.sin(a) + tl.cos(a), mask=i < n)


@triton.jit
def remainders(x, y, out, n):
    i = tl.program_id(0) * 256 + tl.arange(0, 256)
    tl.store(out + i, tl.load(x + i, mask=i < n) % tl.load(y + i, mask=i < n), mask=i < n)


@triton.jit
def tangents(x, out, n):
    i = tl.program_id(0) * 256 + tl.arange(0, 256)
    tl.store(out + i, libdevice.tan(tl.load(x + i, mask=i < n)), mask=i < n)
