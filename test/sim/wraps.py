# Offsets of 32 bits that wrap round into the array, and numbers that are cut on purpose.
# run: neso run %s:cut --target sim:sm_90a --check -q -g 2 rand:512:fp32 zeros:512:fp32 65536
# run: neso run %s:below --target sim:sm_90a --check -q -g 2 rand:512:fp32 zeros:512:fp32
# run: neso run %s:wraps --target sim:sm_90a --check -q -g 2 rand:512:fp32 zeros:512:fp32 65536
import triton
import triton.language as tl


@triton.jit
def cut(x_ptr, out_ptr, a):
    """A remainder of a number that wraps, and one whose high bits are shifted down."""
    i = tl.program_id(0) * 256 + tl.arange(0, 256)
    hash = (i + 1) * a * -1640531535
    at = (hash & 511) ^ ((hash.to(tl.uint32, bitcast=True) >> 23).to(tl.int32) & 255)
    tl.store(out_ptr + i, tl.load(x_ptr + at))


@triton.jit
def below(x_ptr, out_ptr):
    """Unsigned numbers: one less than 1 is no fault, nor is what a signed number would not hold."""
    i = (tl.program_id(0) * 256 + tl.arange(0, 256)).to(tl.uint32)
    big = i + 2147483648
    tl.store(out_ptr + (big - 2147483648), tl.load(x_ptr + ((i + 1) - 1)))


@triton.jit
def wraps(x_ptr, out_ptr, a):
    pid = tl.program_id(0)
    i = tl.arange(0, 256)
    x = tl.load(x_ptr + pid * a * a + i)  # warning: 9: a number of 32 bits wraps round: an address; computed here, it does not fit
    tl.store(out_ptr + pid * 256 + i, x)
