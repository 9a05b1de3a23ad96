"""not a test: float arithmetic, casts, functions and inline assembly, whose results the interpreter and a GPU must agree on."""
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def arithmetic(x_ptr, y_ptr, out_ptr, T: tl.constexpr, N: tl.constexpr):
    """What each float type defines to the bit, NaN and infinities included."""
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i).to(T)
    y = tl.load(y_ptr + i).to(T)
    at = out_ptr + i
    tl.store(at, x + y)
    tl.store(at + N, x - y)
    tl.store(at + 2 * N, x * y)
    tl.store(at + 3 * N, tl.maximum(x, y))
    tl.store(at + 4 * N, tl.minimum(x, y))
    tl.store(at + 5 * N, tl.maximum(x, y, propagate_nan=tl.PropagateNan.ALL))
    tl.store(at + 6 * N, tl.minimum(x, y, propagate_nan=tl.PropagateNan.ALL))
    tl.store(at + 7 * N, tl.clamp(x, -1.0, 2.0, propagate_nan=tl.PropagateNan.ALL))
    tl.store(at + 8 * N, tl.clamp(x, -1.0, 2.0))
    tl.store(at + 9 * N, tl.math.fma(x, y, x))
    tl.store(at + 10 * N, tl.abs(x))
    tl.store(at + 11 * N, -x)
    tl.store(at + 12 * N, (x < y).to(tl.float32) + 2.0 * (x >= y).to(tl.float32) + 4.0 * (x != y).to(tl.float32))
    tl.store(at + 13 * N, tl.floor(x.to(tl.float32)))
    tl.store(at + 14 * N, tl.ceil(x.to(tl.float32)))
    tl.store(at + 15 * N, tl.math.div_rn(x.to(tl.float32), y.to(tl.float32)))
    tl.store(at + 16 * N, tl.math.sqrt_rn(tl.abs(x).to(tl.float32)))


@triton.jit
def remainders(x_ptr, y_ptr, out_ptr, T: tl.constexpr, N: tl.constexpr):
    """The exact remainder, also of quotients that no float holds."""
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i).to(T)
    y = tl.load(y_ptr + i).to(T)
    tl.store(out_ptr + i, x % y)
    tl.store(out_ptr + N + i, (x * 1000) % (y * y))
    tl.store(out_ptr + 2 * N + i, (x * 1e30) % y)


@triton.jit
def from_fp8(x_ptr, out_ptr, T: tl.constexpr, N: tl.constexpr):
    """Every byte of an 8-bit float in each wider type."""
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i).to(T, bitcast=True)
    tl.store(out_ptr + i, x.to(tl.float32))
    tl.store(out_ptr + N + i, x.to(tl.float16))
    tl.store(out_ptr + 2 * N + i, x.to(tl.float32).to(tl.bfloat16))
    tl.store(out_ptr + 3 * N + i, tl.abs(x).to(tl.float32))


@triton.jit
def to_fp8(x_ptr, out_ptr, S: tl.constexpr, T: tl.constexpr, N: tl.constexpr):
    """A float in 8 bits: to nearest even, too large ones saturate; NaN counts as 0, as it has several forms."""
    i = tl.program_id(0) * N + tl.arange(0, N)
    x = tl.load(x_ptr + i).to(S, bitcast=True)
    bits = x.to(T).to(tl.int8, bitcast=True)
    tl.store(out_ptr + i, tl.where(x == x, bits, 0))


@triton.jit
def narrow(x_ptr, out_ptr, N: tl.constexpr):
    """fp32 and fp64 in 16 bits, to nearest and towards zero."""
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    tl.store(out_ptr + i, x.to(tl.float16))
    tl.store(out_ptr + N + i, x.to(tl.bfloat16))
    tl.store(out_ptr + 2 * N + i, x.to(tl.float16, fp_downcast_rounding="rtz"))
    tl.store(out_ptr + 3 * N + i, x.to(tl.bfloat16, fp_downcast_rounding="rtz"))


@triton.jit
def integers_of(x_ptr, out_ptr, T: tl.constexpr, N: tl.constexpr):
    """An integer type from and to each float type, by values that they hold."""
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i).to(T)
    tl.store(out_ptr + i, x.to(tl.float32))
    tl.store(out_ptr + N + i, x.to(tl.float16).to(tl.float32))
    tl.store(out_ptr + 2 * N + i, x.to(tl.bfloat16).to(tl.float32))
    tl.store(out_ptr + 3 * N + i, x.to(tl.float64).to(T).to(tl.float32))
    tl.store(out_ptr + 4 * N + i, (x & 15).to(tl.float16).to(T).to(tl.float32))
    tl.store(out_ptr + 5 * N + i, (x & 15).to(tl.bfloat16).to(T).to(tl.float32))
    tl.store(out_ptr + 6 * N + i, x.to(tl.int1).to(tl.float32))
    tl.store(out_ptr + 7 * N + i, x.to(tl.int64).to(tl.float32) + x.to(tl.int8).to(tl.float32) + x.to(tl.uint16).to(tl.float32))


@triton.jit
def few_bits(x_ptr, out_ptr, T: tl.constexpr, MASK: tl.constexpr, F: tl.constexpr, N: tl.constexpr):
    """What a mask leaves of an integer, as a float that holds it."""
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i).to(T)
    tl.store(out_ptr + i, (x & MASK).to(F).to(tl.float32))
    tl.store(out_ptr + N + i, ((x >> 3) & MASK).to(F).to(tl.float32))


@triton.jit
def functions(x_ptr, out_ptr, N: tl.constexpr):
    """Functions of fp32 or fp64 within their tolerance."""
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    p = tl.abs(x) + 0.1
    tl.store(out_ptr + i, tl.exp(x))
    tl.store(out_ptr + N + i, tl.exp2(x))
    tl.store(out_ptr + 2 * N + i, tl.log(p))
    tl.store(out_ptr + 3 * N + i, tl.log2(p))
    tl.store(out_ptr + 4 * N + i, tl.sin(x))
    tl.store(out_ptr + 5 * N + i, tl.cos(x * 1000))
    tl.store(out_ptr + 6 * N + i, tl.sin(x * 1e9))
    tl.store(out_ptr + 7 * N + i, tl.cos(x * 1e30))
    tl.store(out_ptr + 8 * N + i, tl.rsqrt(p))
    tl.store(out_ptr + 9 * N + i, tl.erf(x))
    tl.store(out_ptr + 10 * N + i, tl.sqrt(p))
    tl.store(out_ptr + 11 * N + i, libdevice.tanh(x))
    tl.store(out_ptr + 12 * N + i, libdevice.log1p(p))
    tl.store(out_ptr + 13 * N + i, libdevice.pow(p, x))
    tl.store(out_ptr + 14 * N + i, libdevice.atan2(x, p))
    tl.store(out_ptr + 15 * N + i, libdevice.atan(x * 3))


@triton.jit
def device_library(x_ptr, y_ptr, out_ptr, N: tl.constexpr):
    """Functions of the device library that are exact."""
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    y = tl.load(y_ptr + i)
    n = (x * 1000).to(tl.int32)
    at = out_ptr + i
    tl.store(at, libdevice.add_rz(x, y))
    tl.store(at + N, libdevice.mul_ru(x, y))
    tl.store(at + 2 * N, libdevice.fma_rd(x, y, x))
    tl.store(at + 3 * N, libdevice.rint(x * 8))
    tl.store(at + 4 * N, libdevice.round(x * 8))
    tl.store(at + 5 * N, libdevice.trunc(x * 8))
    tl.store(at + 6 * N, libdevice.llrint(x * 100).to(tl.float32))
    tl.store(at + 7 * N, libdevice.copysign(x, y))
    tl.store(at + 8 * N, libdevice.popc(n).to(tl.float32))
    tl.store(at + 9 * N, libdevice.clz(n).to(tl.float32))
    tl.store(at + 10 * N, libdevice.brev(n).to(tl.float32))
    tl.store(at + 11 * N, libdevice.ffs(n).to(tl.float32))
    tl.store(at + 12 * N, libdevice.mulhi(n, n + 1).to(tl.float32))
    tl.store(at + 13 * N, libdevice.float2int_rd(x * 100).to(tl.float32))
    tl.store(at + 14 * N, libdevice.int2float_rz(n * 77777).to(tl.float32))
    tl.store(at + 15 * N, libdevice.div_rz(x, y))
    tl.store(at + 16 * N, libdevice.hadd(n, n >> 3).to(tl.float32))
    tl.store(at + 17 * N, libdevice.isnan(x).to(tl.float32) + 2.0 * libdevice.isinf(x).to(tl.float32))
    tl.store(at + 18 * N, libdevice.fmod(x, y))
    tl.store(at + 19 * N, libdevice.float_as_int(x).to(tl.float32))


@triton.jit
def assembly(x_ptr, out_ptr, N: tl.constexpr):
    """Inline PTX on one element, on packed ones, with two results and with other types."""
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    b = x.to(tl.int8)
    h = x.to(tl.int16)
    one = tl.inline_asm_elementwise("add.s32 $0, $1, 7;", "=r,r", [x], dtype=tl.int32, is_pure=True, pack=1)
    four = tl.inline_asm_elementwise("not.b32 $0, $1;", "=r,r", [b], dtype=tl.int8, is_pure=True, pack=4)
    two = tl.inline_asm_elementwise("xor.b32 $0, $1, 0x00ff00ff;", "=r,r", [h], dtype=tl.int16, is_pure=True, pack=2)
    low, high = tl.inline_asm_elementwise("{ and.b32 $0, $2, 0xffff; shr.u32 $1, $2, 16; }", "=r,=r,r", [x],
                                          dtype=(tl.int32, tl.int32), is_pure=True, pack=1)
    spread = tl.inline_asm_elementwise(
        "{ cvt.s32.s8 $0, $4; bfe.s32 $1, $4, 8, 8; bfe.s32 $2, $4, 16, 8; bfe.s32 $3, $4, 24, 8; }", "=r,=r,=r,=r,r", [b],
        dtype=tl.int32, is_pure=False, pack=4)
    tl.store(out_ptr + i, one * 3 + four.to(tl.int32) * 5 + two.to(tl.int32) * 7 + low * 11 + high * 13 + spread * 17)
