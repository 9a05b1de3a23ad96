"""The libdevice functions that kernels use most, in the tile language itself; the others call the device library.

fp32 in two steps as a rule: reduction to a small range with what is exact there (fma, exponent bits), then a polynomial.
The coefficients are weighted least-squares fits in 64-bit mantissas; errors are those of the fit, before rounding.
fp64 takes the device library where a function of tl does not do.
"""
import triton
import triton.language as tl


@triton.jit
def _check(x):
    """Refuses what is neither fp32 nor fp64."""
    tl.static_assert(x.dtype == tl.float32 or x.dtype == tl.float64, "libdevice functions take fp32 or fp64")


@triton.jit
def _with_sign(magnitude, x):
    """A magnitude with the sign of x, zeros included."""
    if x.dtype == tl.float32:
        bits = magnitude.to(tl.int32, bitcast=True) | (x.to(tl.int32, bitcast=True) & -2147483648)
    else:
        bits = magnitude.to(tl.int64, bitcast=True) | (x.to(tl.int64, bitcast=True) & -9223372036854775808)
    return bits.to(x.dtype, bitcast=True)


@triton.jit
def _power_of_two(k):
    """2^k of int32 k between -126 and 127, as fp32."""
    return ((k + 127) << 23).to(tl.float32, bitcast=True)


# ---- exact: roots, quotients, rounding, kinds ----


@triton.jit
def sqrt(arg0):
    """Square root."""
    arg0 = tl.to_tensor(arg0)
    _check(arg0)
    return tl.sqrt(arg0)


@triton.jit
def sqrt_rn(arg0):
    """Square root, rounded to nearest."""
    arg0 = tl.to_tensor(arg0)
    _check(arg0)
    if arg0.dtype == tl.float32:
        return tl.sqrt_rn(arg0)
    else:
        return tl.sqrt(arg0)


@triton.jit
def rsqrt(arg0):
    """1 / square root."""
    arg0 = tl.to_tensor(arg0)
    _check(arg0)
    return tl.rsqrt(arg0)


@triton.jit
def rsqrt_rn(arg0):
    """1 / square root of fp32, rounded to nearest (from fp64)."""
    arg0 = tl.to_tensor(arg0)
    tl.static_assert(arg0.dtype == tl.float32, "rsqrt_rn takes fp32")
    return (1.0 / tl.sqrt(arg0.to(tl.float64))).to(tl.float32)


@triton.jit
def div_rn(arg0, arg1):
    """Quotient, rounded to nearest."""
    arg0 = tl.to_tensor(arg0)
    arg1 = tl.to_tensor(arg1)
    _check(arg0)
    if arg0.dtype == tl.float32:
        return tl.div_rn(arg0, arg1)
    else:
        return arg0 / arg1


@triton.jit
def rcp_rn(arg0):
    """1 / x, rounded to nearest."""
    arg0 = tl.to_tensor(arg0)
    _check(arg0)
    if arg0.dtype == tl.float32:
        return tl.div_rn(1.0, arg0)
    else:
        return 1.0 / arg0


@triton.jit
def floor(arg0):
    """Largest integer that is not larger."""
    arg0 = tl.to_tensor(arg0)
    _check(arg0)
    return tl.floor(arg0)


@triton.jit
def ceil(arg0):
    """Smallest integer that is not smaller."""
    arg0 = tl.to_tensor(arg0)
    _check(arg0)
    return tl.ceil(arg0)


@triton.jit
def round(arg0):
    """Nearest integer; halves away from zero."""
    arg0 = tl.to_tensor(arg0)
    _check(arg0)
    # The largest value below a half: a half and it are 1 when rounded, and less than a half and it are less than 1.
    half: tl.constexpr = 0.49999997 if arg0.dtype == tl.float32 else 0.49999999999999994
    return _with_sign(tl.floor(tl.abs(arg0) + half), arg0)


@triton.jit
def llround(arg0):
    """Nearest int64; halves away from zero."""
    arg0 = tl.to_tensor(arg0)
    return round(arg0).to(tl.int64)


@triton.jit
def isnan(arg0):
    """Is it NaN?"""
    arg0 = tl.to_tensor(arg0)
    _check(arg0)
    return arg0 != arg0


@triton.jit
def isinf(arg0):
    """Is it an infinity?"""
    arg0 = tl.to_tensor(arg0)
    _check(arg0)
    return tl.abs(arg0) == float("inf")


@triton.jit
def finitef(arg0):
    """Is it neither NaN nor an infinity? fp32."""
    arg0 = tl.to_tensor(arg0)
    tl.static_assert(arg0.dtype == tl.float32, "finitef takes fp32")
    return tl.abs(arg0) < float("inf")


@triton.jit
def isfinited(arg0):
    """Is it neither NaN nor an infinity? fp64."""
    arg0 = tl.to_tensor(arg0)
    tl.static_assert(arg0.dtype == tl.float64, "isfinited takes fp64")
    return tl.abs(arg0) < float("inf")


# ---- exponentials ----


@triton.jit
def exp2(arg0):
    """2^x."""
    arg0 = tl.to_tensor(arg0)
    _check(arg0)
    return tl.exp2(arg0)


@triton.jit
def exp(arg0):
    """e^x = 2^k 2^r with x log2 e = k + r; k is kept where 2^k is a normal number, and 2^r takes the rest."""
    arg0 = tl.to_tensor(arg0)
    _check(arg0)
    if arg0.dtype == tl.float64:
        return tl.exp(arg0)
    else:
        # (k + 126) / 253, between 0 and 1. The sum rounds k + 126 to an integer, whose bits with 1 added are
        # the exponent of 2^k, once those above them are shifted out. x - k is rounded once.
        part = tl.clamp(tl.fma(arg0, 0.0057023519402725825, 0.4980237154150198), 0.0, 1.0)
        sum = tl.fma(part, 253.0, 12582913.0)
        r = tl.fma(arg0, 1.4426950216293335, 12583039.0 - sum)
        r = tl.fma(arg0, 1.925963033500011e-08, r)
        return tl.exp2(r) * (sum.to(tl.int32, bitcast=True) << 23).to(tl.float32, bitcast=True)


@triton.jit
def fast_expf(arg0):
    """e^x, the hardware's way. fp32."""
    arg0 = tl.to_tensor(arg0)
    tl.static_assert(arg0.dtype == tl.float32, "fast_expf takes fp32")
    return tl.exp(arg0)


@triton.jit
def fast_dividef(arg0, arg1):
    """Quotient, the hardware's way. fp32."""
    arg0 = tl.to_tensor(arg0)
    arg1 = tl.to_tensor(arg1)
    tl.static_assert(arg0.dtype == tl.float32, "fast_dividef takes fp32")
    return tl.fdiv(arg0, arg1)


@triton.jit
def _tanh32(x):
    """tanh: a polynomial of x^2 below 0.6 (relative error 3e-9), 1 - 2 / (e^2x + 1) above."""
    size = tl.abs(x)
    z = size * size
    p = tl.fma(z, -0.00590586056932807, 0.020805377513170242)
    p = tl.fma(z, p, -0.05378668010234833)
    p = tl.fma(z, p, 0.13331958651542664)
    p = tl.fma(z, p, -0.33333298563957214)
    small = tl.fma(size * z, p, size)
    # e^2x by one step: what its exponent's rounding adds is no more than 2^-24 of the result.
    above = tl.exp2(size * 2.885390043258667) + 1.0
    large = 1.0 - tl.core._device("fast_dividef", 2.0, above)
    return _with_sign(tl.where(size < 0.6, small, large), x)


@triton.jit
def tanh(arg0):
    """Hyperbolic tangent."""
    arg0 = tl.to_tensor(arg0)
    _check(arg0)
    if arg0.dtype == tl.float32:
        return _tanh32(arg0)
    else:
        return tl.core._device("tanh", arg0)


@triton.jit
def fast_tanhf(arg0):
    """Hyperbolic tangent of fp32; no less exact than tanh here."""
    arg0 = tl.to_tensor(arg0)
    tl.static_assert(arg0.dtype == tl.float32, "fast_tanhf takes fp32")
    return _tanh32(arg0)


@triton.jit
def erf(arg0):
    """Error function."""
    arg0 = tl.to_tensor(arg0)
    _check(arg0)
    return tl.erf(arg0)


# ---- logarithms, powers ----


@triton.jit
def _log_of(m, e):
    """log(2^e (1 + m)) for -0.25 <= m <= 0.5: m - m^2/2 + m^3 Q(m) (relative error 1e-9)."""
    q = tl.fma(m, 0.037672463804483414, -0.09116142243146896)
    q = tl.fma(m, q, 0.11700654029846191)
    q = tl.fma(m, q, -0.12727785110473633)
    q = tl.fma(m, q, 0.14276240766048431)
    q = tl.fma(m, q, -0.16655296087265015)
    q = tl.fma(m, q, 0.19999605417251587)
    q = tl.fma(m, q, -0.2500016391277313)
    q = tl.fma(m, q, 0.33333340287208557)
    tail = m * m * tl.fma(m, q, -0.5)
    e = e.to(tl.float32)
    return tl.fma(e, 0.693145751953125, m + tl.fma(e, 1.428606765330187e-06, tail))


@triton.jit
def log(arg0):
    """Natural logarithm."""
    arg0 = tl.to_tensor(arg0)
    _check(arg0)
    if arg0.dtype == tl.float64:
        return tl.log(arg0)
    else:
        tiny = arg0 < 1.1754943508222875e-38
        x = tl.where(tiny, arg0 * 8388608.0, arg0)
        bits = x.to(tl.int32, bitcast=True)
        e = (bits - 0x3F400000) >> 23  # x / 2^e is in [0.75, 1.5)
        m = (bits - (e << 23)).to(tl.float32, bitcast=True) - 1.0
        y = _log_of(m, tl.where(tiny, e - 23, e))
        y = tl.where(arg0 < float("inf"), y, arg0)  # infinity and NaN
        y = tl.where(arg0 < 0.0, float("nan"), y)
        return tl.where(arg0 == 0.0, -float("inf"), y)


@triton.jit
def log1p(arg0):
    """Logarithm of 1 + x, right for small x too."""
    arg0 = tl.to_tensor(arg0)
    _check(arg0)
    if arg0.dtype == tl.float64:
        return tl.core._device("log1p", arg0)
    else:
        e = ((arg0 + 1.0).to(tl.int32, bitcast=True) - 0x3F400000) >> 23
        scale = _power_of_two(-e)
        y = _log_of(tl.fma(arg0, scale, scale - 1.0), e)
        # Past 2^25 the 1 is lost, and 2^-e soon has no exponent.
        y = tl.where(arg0 < 33554432.0, y, log(arg0))
        y = tl.where(arg0 < -1.0, float("nan"), y)
        y = tl.where(arg0 == -1.0, -float("inf"), y)
        return tl.where(arg0 == 0.0, arg0, y)


@triton.jit
def pow(arg0, arg1):
    """x^y. fp32 is computed in fp64, so that the result is right to the last bit but for rare halves."""
    arg0 = tl.to_tensor(arg0)
    arg1 = tl.to_tensor(arg1)
    _check(arg0)
    whole_type: tl.constexpr = arg1.dtype.is_int()
    tl.static_assert(whole_type or arg1.dtype == tl.float32 or arg1.dtype == arg0.dtype,
                     "the exponent must be an integer, or a float as wide as the base at most")
    if arg0.dtype == tl.float64:
        if whole_type and arg1.dtype.primitive_bitwidth < 32:
            return tl.core._device("pow", arg0, arg1.to(tl.int32))
        elif whole_type and arg1.dtype != tl.int32:
            # The nearest float of a wide exponent need not be as odd as it is.
            value = tl.core._device("pow", tl.abs(arg0), arg1.to(tl.float64))
            negative = (arg0.to(tl.int64, bitcast=True) < 0) & ((arg1 & 1) != 0)
            return tl.where(negative, value * -1.0, value)
        else:
            return tl.core._device("pow", arg0, arg1 if whole_type else arg1.to(tl.float64))
    else:
        base = arg0.to(tl.float64)
        exponent = arg1.to(tl.float64)
        size = tl.abs(base)
        value = tl.exp2(exponent * tl.log2(size))
        value = tl.where(size == 1.0, 1.0, value)
        value = tl.where(base != base, base, value)
        whole = tl.floor(exponent) == exponent
        if whole_type:
            odd = (arg1 & 1) != 0
        else:
            half = exponent * 0.5
            odd = whole & (tl.floor(half) != half)
        negative = (base.to(tl.int64, bitcast=True) < 0) & (base == base)
        value = tl.where(negative & odd, value * -1.0, value)  # -value is 0 - value
        undefined = negative & (whole == 0) & (size > 0.0) & (size < float("inf")) & (tl.abs(exponent) < float("inf"))
        value = tl.where(undefined, float("nan"), value)
        value = tl.where(exponent != exponent, exponent, value)
        return tl.where((exponent == 0.0) | (base == 1.0), 1.0, value).to(tl.float32)
