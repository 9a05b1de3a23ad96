# Made by scripts/reference from signatures.py and docs.py (make reference).
from ..core import constexpr, tensor

def clz(x: tensor | int | float | bool | constexpr) -> tensor:
    """How many bits are zero before the highest that is set; of int32 and int64."""

def popc(x: tensor | int | float | bool | constexpr) -> tensor:
    """How many bits are set; of int32 and int64."""

def byte_perm(x: tensor | int | float | bool | constexpr, y: tensor | int | float | bool | constexpr, s: tensor | int | float | bool | constexpr) -> tensor:
    """Four bytes of the eight of x and y, each chosen by four bits of s; int32."""

def mulhi(x: tensor | int | float | bool | constexpr, y: tensor | int | float | bool | constexpr) -> tensor:
    """The upper half of the product of integers."""

def mul24(x: tensor | int | float | bool | constexpr, y: tensor | int | float | bool | constexpr) -> tensor:
    """The product of the lower 24 bits of int32."""

def brev(x: tensor | int | float | bool | constexpr) -> tensor:
    """The bits in the opposite order; of int32 and int64."""

def sad(x: tensor | int | float | bool | constexpr, y: tensor | int | float | bool | constexpr, z: tensor | int | float | bool | constexpr) -> tensor:
    """|x - y| + z of int32."""

def abs(x: tensor | int | float | bool | constexpr) -> tensor:
    """Without its sign."""

def floor(x: tensor | int | float | bool | constexpr) -> tensor:
    """The greatest whole number that is not above."""

def rcp64h(x: tensor | int | float | bool | constexpr) -> tensor:
    """An approximation of 1 / x of fp64."""

def rsqrt(x: tensor | int | float | bool | constexpr) -> tensor:
    """1 over the square root."""

def ceil(x: tensor | int | float | bool | constexpr) -> tensor:
    """The smallest whole number that is not below."""

def trunc(x: tensor | int | float | bool | constexpr) -> tensor:
    """The whole number towards zero."""

def exp2(x: tensor | int | float | bool | constexpr) -> tensor:
    """2 to the power."""

def saturatef(x: tensor | int | float | bool | constexpr) -> tensor:
    """Kept between 0 and 1, NaN as 0; of fp32."""

def fma_rn(x: tensor | int | float | bool | constexpr, y: tensor | int | float | bool | constexpr, z: tensor | int | float | bool | constexpr) -> tensor:
    """X * y + z, rounded to the nearest, of two the even one."""

def fma_rz(x: tensor | int | float | bool | constexpr, y: tensor | int | float | bool | constexpr, z: tensor | int | float | bool | constexpr) -> tensor:
    """X * y + z, rounded towards zero."""

def fma_rd(x: tensor | int | float | bool | constexpr, y: tensor | int | float | bool | constexpr, z: tensor | int | float | bool | constexpr) -> tensor:
    """X * y + z, rounded down."""

def fma_ru(x: tensor | int | float | bool | constexpr, y: tensor | int | float | bool | constexpr, z: tensor | int | float | bool | constexpr) -> tensor:
    """X * y + z, rounded up."""

def fast_dividef(x: tensor | int | float | bool | constexpr, y: tensor | int | float | bool | constexpr) -> tensor:
    """X / y of fp32, fast and not exact."""

def div_rn(x: tensor | int | float | bool | constexpr, y: tensor | int | float | bool | constexpr) -> tensor:
    """X / y, rounded to the nearest, of two the even one."""

def div_rz(x: tensor | int | float | bool | constexpr, y: tensor | int | float | bool | constexpr) -> tensor:
    """X / y, rounded towards zero."""

def div_rd(x: tensor | int | float | bool | constexpr, y: tensor | int | float | bool | constexpr) -> tensor:
    """X / y, rounded down."""

def div_ru(x: tensor | int | float | bool | constexpr, y: tensor | int | float | bool | constexpr) -> tensor:
    """X / y, rounded up."""

def rcp_rn(x: tensor | int | float | bool | constexpr) -> tensor:
    """1 / x, rounded to the nearest, of two the even one."""

def rcp_rz(x: tensor | int | float | bool | constexpr) -> tensor:
    """1 / x, rounded towards zero."""

def rcp_rd(x: tensor | int | float | bool | constexpr) -> tensor:
    """1 / x, rounded down."""

def rcp_ru(x: tensor | int | float | bool | constexpr) -> tensor:
    """1 / x, rounded up."""

def sqrt_rn(x: tensor | int | float | bool | constexpr) -> tensor:
    """The square root, rounded to the nearest, of two the even one."""

def sqrt_rz(x: tensor | int | float | bool | constexpr) -> tensor:
    """The square root, rounded towards zero."""

def sqrt_rd(x: tensor | int | float | bool | constexpr) -> tensor:
    """The square root, rounded down."""

def sqrt_ru(x: tensor | int | float | bool | constexpr) -> tensor:
    """The square root, rounded up."""

def sqrt(x: tensor | int | float | bool | constexpr) -> tensor:
    """The square root."""

def add_rn(x: tensor | int | float | bool | constexpr, y: tensor | int | float | bool | constexpr) -> tensor:
    """X + y, rounded to the nearest, of two the even one."""

def add_rz(x: tensor | int | float | bool | constexpr, y: tensor | int | float | bool | constexpr) -> tensor:
    """X + y, rounded towards zero."""

def add_rd(x: tensor | int | float | bool | constexpr, y: tensor | int | float | bool | constexpr) -> tensor:
    """X + y, rounded down."""

def add_ru(x: tensor | int | float | bool | constexpr, y: tensor | int | float | bool | constexpr) -> tensor:
    """X + y, rounded up."""

def mul_rn(x: tensor | int | float | bool | constexpr, y: tensor | int | float | bool | constexpr) -> tensor:
    """X * y, rounded to the nearest, of two the even one."""

def mul_rz(x: tensor | int | float | bool | constexpr, y: tensor | int | float | bool | constexpr) -> tensor:
    """X * y, rounded towards zero."""

def mul_rd(x: tensor | int | float | bool | constexpr, y: tensor | int | float | bool | constexpr) -> tensor:
    """X * y, rounded down."""

def mul_ru(x: tensor | int | float | bool | constexpr, y: tensor | int | float | bool | constexpr) -> tensor:
    """X * y, rounded up."""

def double2float_rn(x: tensor | int | float | bool | constexpr) -> tensor:
    """Fp64 as fp32, rounded to the nearest, of two the even one."""

def double2float_rz(x: tensor | int | float | bool | constexpr) -> tensor:
    """Fp64 as fp32, rounded towards zero."""

def double2float_rd(x: tensor | int | float | bool | constexpr) -> tensor:
    """Fp64 as fp32, rounded down."""

def double2float_ru(x: tensor | int | float | bool | constexpr) -> tensor:
    """Fp64 as fp32, rounded up."""

def double2int_rn(x: tensor | int | float | bool | constexpr) -> tensor:
    """Fp64 as int32, rounded to the nearest, of two the even one."""

def double2int_rz(x: tensor | int | float | bool | constexpr) -> tensor:
    """Fp64 as int32, rounded towards zero."""

def double2int_rd(x: tensor | int | float | bool | constexpr) -> tensor:
    """Fp64 as int32, rounded down."""

def double2int_ru(x: tensor | int | float | bool | constexpr) -> tensor:
    """Fp64 as int32, rounded up."""

def double2uint_rn(x: tensor | int | float | bool | constexpr) -> tensor:
    """Fp64 as uint32, rounded to the nearest, of two the even one."""

def double2uint_rz(x: tensor | int | float | bool | constexpr) -> tensor:
    """Fp64 as uint32, rounded towards zero."""

def double2uint_rd(x: tensor | int | float | bool | constexpr) -> tensor:
    """Fp64 as uint32, rounded down."""

def double2uint_ru(x: tensor | int | float | bool | constexpr) -> tensor:
    """Fp64 as uint32, rounded up."""

def int2double_rn(x: tensor | int | float | bool | constexpr) -> tensor:
    """Int32 as fp64, rounded to the nearest, of two the even one."""

def uint2double_rn(x: tensor | int | float | bool | constexpr) -> tensor:
    """Uint32 as fp64, rounded to the nearest, of two the even one."""

def float2int_rn(x: tensor | int | float | bool | constexpr) -> tensor:
    """Fp32 as int32, rounded to the nearest, of two the even one."""

def float2int_rz(x: tensor | int | float | bool | constexpr) -> tensor:
    """Fp32 as int32, rounded towards zero."""

def float2int_rd(x: tensor | int | float | bool | constexpr) -> tensor:
    """Fp32 as int32, rounded down."""

def float2int_ru(x: tensor | int | float | bool | constexpr) -> tensor:
    """Fp32 as int32, rounded up."""

def float2uint_rn(x: tensor | int | float | bool | constexpr) -> tensor:
    """Fp32 as uint32, rounded to the nearest, of two the even one."""

def float2uint_rz(x: tensor | int | float | bool | constexpr) -> tensor:
    """Fp32 as uint32, rounded towards zero."""

def float2uint_rd(x: tensor | int | float | bool | constexpr) -> tensor:
    """Fp32 as uint32, rounded down."""

def float2uint_ru(x: tensor | int | float | bool | constexpr) -> tensor:
    """Fp32 as uint32, rounded up."""

def int2float_rn(x: tensor | int | float | bool | constexpr) -> tensor:
    """Int32 as fp32, rounded to the nearest, of two the even one."""

def int2float_rz(x: tensor | int | float | bool | constexpr) -> tensor:
    """Int32 as fp32, rounded towards zero."""

def int2float_rd(x: tensor | int | float | bool | constexpr) -> tensor:
    """Int32 as fp32, rounded down."""

def int2float_ru(x: tensor | int | float | bool | constexpr) -> tensor:
    """Int32 as fp32, rounded up."""

def uint2float_rn(x: tensor | int | float | bool | constexpr) -> tensor:
    """Uint32 as fp32, rounded to the nearest, of two the even one."""

def uint2float_rz(x: tensor | int | float | bool | constexpr) -> tensor:
    """Uint32 as fp32, rounded towards zero."""

def uint2float_rd(x: tensor | int | float | bool | constexpr) -> tensor:
    """Uint32 as fp32, rounded down."""

def uint2float_ru(x: tensor | int | float | bool | constexpr) -> tensor:
    """Uint32 as fp32, rounded up."""

def hiloint2double(x: tensor | int | float | bool | constexpr, y: tensor | int | float | bool | constexpr) -> tensor:
    """The fp64 of which the int32 are the upper and the lower half."""

def double2loint(x: tensor | int | float | bool | constexpr) -> tensor:
    """The lower half of the bits of fp64, as int32."""

def double2hiint(x: tensor | int | float | bool | constexpr) -> tensor:
    """The upper half of the bits of fp64, as int32."""

def float2ll_rn(x: tensor | int | float | bool | constexpr) -> tensor:
    """Fp32 as int64, rounded to the nearest, of two the even one."""

def float2ll_rz(x: tensor | int | float | bool | constexpr) -> tensor:
    """Fp32 as int64, rounded towards zero."""

def float2ll_rd(x: tensor | int | float | bool | constexpr) -> tensor:
    """Fp32 as int64, rounded down."""

def float2ll_ru(x: tensor | int | float | bool | constexpr) -> tensor:
    """Fp32 as int64, rounded up."""

def float2ull_rn(x: tensor | int | float | bool | constexpr) -> tensor:
    """Fp32 as uint64, rounded to the nearest, of two the even one."""

def float2ull_rz(x: tensor | int | float | bool | constexpr) -> tensor:
    """Fp32 as uint64, rounded towards zero."""

def float2ull_rd(x: tensor | int | float | bool | constexpr) -> tensor:
    """Fp32 as uint64, rounded down."""

def float2ull_ru(x: tensor | int | float | bool | constexpr) -> tensor:
    """Fp32 as uint64, rounded up."""

def double2ll_rn(x: tensor | int | float | bool | constexpr) -> tensor:
    """Fp64 as int64, rounded to the nearest, of two the even one."""

def double2ll_rz(x: tensor | int | float | bool | constexpr) -> tensor:
    """Fp64 as int64, rounded towards zero."""

def double2ll_rd(x: tensor | int | float | bool | constexpr) -> tensor:
    """Fp64 as int64, rounded down."""

def double2ll_ru(x: tensor | int | float | bool | constexpr) -> tensor:
    """Fp64 as int64, rounded up."""

def double2ull_rn(x: tensor | int | float | bool | constexpr) -> tensor:
    """Fp64 as uint64, rounded to the nearest, of two the even one."""

def double2ull_rz(x: tensor | int | float | bool | constexpr) -> tensor:
    """Fp64 as uint64, rounded towards zero."""

def double2ull_rd(x: tensor | int | float | bool | constexpr) -> tensor:
    """Fp64 as uint64, rounded down."""

def double2ull_ru(x: tensor | int | float | bool | constexpr) -> tensor:
    """Fp64 as uint64, rounded up."""

def ll2float_rn(x: tensor | int | float | bool | constexpr) -> tensor:
    """Int64 as fp32, rounded to the nearest, of two the even one."""

def ll2float_rz(x: tensor | int | float | bool | constexpr) -> tensor:
    """Int64 as fp32, rounded towards zero."""

def ll2float_rd(x: tensor | int | float | bool | constexpr) -> tensor:
    """Int64 as fp32, rounded down."""

def ll2float_ru(x: tensor | int | float | bool | constexpr) -> tensor:
    """Int64 as fp32, rounded up."""

def ull2float_rn(x: tensor | int | float | bool | constexpr) -> tensor:
    """Uint64 as fp32, rounded to the nearest, of two the even one."""

def ull2float_rz(x: tensor | int | float | bool | constexpr) -> tensor:
    """Uint64 as fp32, rounded towards zero."""

def ull2float_rd(x: tensor | int | float | bool | constexpr) -> tensor:
    """Uint64 as fp32, rounded down."""

def ull2float_ru(x: tensor | int | float | bool | constexpr) -> tensor:
    """Uint64 as fp32, rounded up."""

def ll2double_rn(x: tensor | int | float | bool | constexpr) -> tensor:
    """Int64 as fp64, rounded to the nearest, of two the even one."""

def ll2double_rz(x: tensor | int | float | bool | constexpr) -> tensor:
    """Int64 as fp64, rounded towards zero."""

def ll2double_rd(x: tensor | int | float | bool | constexpr) -> tensor:
    """Int64 as fp64, rounded down."""

def ll2double_ru(x: tensor | int | float | bool | constexpr) -> tensor:
    """Int64 as fp64, rounded up."""

def ull2double_rn(x: tensor | int | float | bool | constexpr) -> tensor:
    """Uint64 as fp64, rounded to the nearest, of two the even one."""

def ull2double_rz(x: tensor | int | float | bool | constexpr) -> tensor:
    """Uint64 as fp64, rounded towards zero."""

def ull2double_rd(x: tensor | int | float | bool | constexpr) -> tensor:
    """Uint64 as fp64, rounded down."""

def ull2double_ru(x: tensor | int | float | bool | constexpr) -> tensor:
    """Uint64 as fp64, rounded up."""

def int_as_float(x: tensor | int | float | bool | constexpr) -> tensor:
    """The bits of int32 as fp32."""

def float_as_int(x: tensor | int | float | bool | constexpr) -> tensor:
    """The bits of fp32 as int32."""

def uint_as_float(x: tensor | int | float | bool | constexpr) -> tensor:
    """The bits of uint32 as fp32."""

def float_as_uint(x: tensor | int | float | bool | constexpr) -> tensor:
    """The bits of fp32 as uint32."""

def longlong_as_double(x: tensor | int | float | bool | constexpr) -> tensor:
    """The bits of int64 as fp64."""

def double_as_longlong(x: tensor | int | float | bool | constexpr) -> tensor:
    """The bits of fp64 as int64."""

def fast_sinf(x: tensor | int | float | bool | constexpr) -> tensor:
    """The sine of fp32, fast and not exact."""

def fast_cosf(x: tensor | int | float | bool | constexpr) -> tensor:
    """The cosine of fp32, fast and not exact."""

def fast_log2f(x: tensor | int | float | bool | constexpr) -> tensor:
    """The logarithm to base 2 of fp32, fast and not exact."""

def fast_logf(x: tensor | int | float | bool | constexpr) -> tensor:
    """The natural logarithm of fp32, fast and not exact."""

def fast_expf(x: tensor | int | float | bool | constexpr) -> tensor:
    """E to the power of fp32, fast and not exact."""

def fast_tanhf(x: tensor | int | float | bool | constexpr) -> tensor:
    """The hyperbolic tangent of fp32, fast and not exact."""

def fast_tanf(x: tensor | int | float | bool | constexpr) -> tensor:
    """The tangent of fp32, fast and not exact."""

def fast_exp10f(x: tensor | int | float | bool | constexpr) -> tensor:
    """10 to the power of fp32, fast and not exact."""

def fast_log10f(x: tensor | int | float | bool | constexpr) -> tensor:
    """The logarithm to base 10 of fp32, fast and not exact."""

def fast_powf(x: tensor | int | float | bool | constexpr, y: tensor | int | float | bool | constexpr) -> tensor:
    """X to the power of y of fp32, fast and not exact."""

def hadd(x: tensor | int | float | bool | constexpr, y: tensor | int | float | bool | constexpr) -> tensor:
    """(x + y) / 2 of int32, without overflow, rounded down."""

def rhadd(x: tensor | int | float | bool | constexpr, y: tensor | int | float | bool | constexpr) -> tensor:
    """(x + y) / 2 of int32, without overflow, rounded up."""

def sub_rn(x: tensor | int | float | bool | constexpr, y: tensor | int | float | bool | constexpr) -> tensor:
    """X - y, rounded to the nearest, of two the even one."""

def sub_rz(x: tensor | int | float | bool | constexpr, y: tensor | int | float | bool | constexpr) -> tensor:
    """X - y, rounded towards zero."""

def sub_rd(x: tensor | int | float | bool | constexpr, y: tensor | int | float | bool | constexpr) -> tensor:
    """X - y, rounded down."""

def sub_ru(x: tensor | int | float | bool | constexpr, y: tensor | int | float | bool | constexpr) -> tensor:
    """X - y, rounded up."""

def rsqrt_rn(x: tensor | int | float | bool | constexpr) -> tensor:
    """1 over the square root, rounded to the nearest, of two the even one."""

def ffs(x: tensor | int | float | bool | constexpr) -> tensor:
    """The place of the lowest bit that is set, from 1; 0 where there is none; of int32 and int64."""

def rint(x: tensor | int | float | bool | constexpr) -> tensor:
    """The nearest whole number, of two the even one."""

def llrint(x: tensor | int | float | bool | constexpr) -> tensor:
    """What rint gives, as int64."""

def nearbyint(x: tensor | int | float | bool | constexpr) -> tensor:
    """The nearest whole number, of two the even one."""

def isnan(x: tensor | int | float | bool | constexpr) -> tensor:
    """Is it no number? int32."""

def signbit(x: tensor | int | float | bool | constexpr) -> tensor:
    """Is the sign bit set? int32."""

def copysign(x: tensor | int | float | bool | constexpr, y: tensor | int | float | bool | constexpr) -> tensor:
    """X with the sign of y."""

def finitef(x: tensor | int | float | bool | constexpr) -> tensor:
    """Is the fp32 finite? int32."""

def isinf(x: tensor | int | float | bool | constexpr) -> tensor:
    """Is it infinite? int32."""

def nextafter(x: tensor | int | float | bool | constexpr, y: tensor | int | float | bool | constexpr) -> tensor:
    """The next float behind x on the way to y."""

def sin(x: tensor | int | float | bool | constexpr) -> tensor:
    """The sine, in radians."""

def cos(x: tensor | int | float | bool | constexpr) -> tensor:
    """The cosine, in radians."""

def sinpi(x: tensor | int | float | bool | constexpr) -> tensor:
    """The sine of x times pi."""

def cospi(x: tensor | int | float | bool | constexpr) -> tensor:
    """The cosine of x times pi."""

def tan(x: tensor | int | float | bool | constexpr) -> tensor:
    """The tangent, in radians."""

def log2(x: tensor | int | float | bool | constexpr) -> tensor:
    """The logarithm to base 2."""

def exp(x: tensor | int | float | bool | constexpr) -> tensor:
    """E to the power."""

def exp10(x: tensor | int | float | bool | constexpr) -> tensor:
    """10 to the power."""

def cosh(x: tensor | int | float | bool | constexpr) -> tensor:
    """The hyperbolic cosine."""

def sinh(x: tensor | int | float | bool | constexpr) -> tensor:
    """The hyperbolic sine."""

def tanh(x: tensor | int | float | bool | constexpr) -> tensor:
    """The hyperbolic tangent."""

def atan2(x: tensor | int | float | bool | constexpr, y: tensor | int | float | bool | constexpr) -> tensor:
    """The angle of the point (y, x)."""

def atan(x: tensor | int | float | bool | constexpr) -> tensor:
    """The arc tangent."""

def asin(x: tensor | int | float | bool | constexpr) -> tensor:
    """The arc sine."""

def acos(x: tensor | int | float | bool | constexpr) -> tensor:
    """The arc cosine."""

def log(x: tensor | int | float | bool | constexpr) -> tensor:
    """The natural logarithm."""

def log10(x: tensor | int | float | bool | constexpr) -> tensor:
    """The logarithm to base 10."""

def log1p(x: tensor | int | float | bool | constexpr) -> tensor:
    """Log(1 + x), exact near 0."""

def acosh(x: tensor | int | float | bool | constexpr) -> tensor:
    """The inverse hyperbolic cosine."""

def asinh(x: tensor | int | float | bool | constexpr) -> tensor:
    """The inverse hyperbolic sine."""

def atanh(x: tensor | int | float | bool | constexpr) -> tensor:
    """The inverse hyperbolic tangent."""

def expm1(x: tensor | int | float | bool | constexpr) -> tensor:
    """Exp(x) - 1, exact near 0."""

def hypot(x: tensor | int | float | bool | constexpr, y: tensor | int | float | bool | constexpr) -> tensor:
    """Sqrt(x * x + y * y), without overflow."""

def rhypot(x: tensor | int | float | bool | constexpr, y: tensor | int | float | bool | constexpr) -> tensor:
    """1 over hypot."""

def norm3d(x: tensor | int | float | bool | constexpr, y: tensor | int | float | bool | constexpr, z: tensor | int | float | bool | constexpr) -> tensor:
    """The length of a vector of three."""

def rnorm3d(x: tensor | int | float | bool | constexpr, y: tensor | int | float | bool | constexpr, z: tensor | int | float | bool | constexpr) -> tensor:
    """1 over norm3d."""

def norm4d(x: tensor | int | float | bool | constexpr, y: tensor | int | float | bool | constexpr, z: tensor | int | float | bool | constexpr, w: tensor | int | float | bool | constexpr) -> tensor:
    """The length of a vector of four."""

def rnorm4d(x: tensor | int | float | bool | constexpr, y: tensor | int | float | bool | constexpr, z: tensor | int | float | bool | constexpr, w: tensor | int | float | bool | constexpr) -> tensor:
    """1 over norm4d."""

def cbrt(x: tensor | int | float | bool | constexpr) -> tensor:
    """The cube root."""

def rcbrt(x: tensor | int | float | bool | constexpr) -> tensor:
    """1 over the cube root."""

def j0(x: tensor | int | float | bool | constexpr) -> tensor:
    """The Bessel function of the first kind of order 0."""

def j1(x: tensor | int | float | bool | constexpr) -> tensor:
    """The Bessel function of the first kind of order 1."""

def y0(x: tensor | int | float | bool | constexpr) -> tensor:
    """The Bessel function of the second kind of order 0."""

def y1(x: tensor | int | float | bool | constexpr) -> tensor:
    """The Bessel function of the second kind of order 1."""

def yn(n: tensor | int | float | bool | constexpr, x: tensor | int | float | bool | constexpr) -> tensor:
    """The Bessel function of the second kind of order n, an int32."""

def jn(n: tensor | int | float | bool | constexpr, x: tensor | int | float | bool | constexpr) -> tensor:
    """The Bessel function of the first kind of order n, an int32."""

def cyl_bessel_i0(x: tensor | int | float | bool | constexpr) -> tensor:
    """The modified Bessel function of order 0."""

def cyl_bessel_i1(x: tensor | int | float | bool | constexpr) -> tensor:
    """The modified Bessel function of order 1."""

def erf(x: tensor | int | float | bool | constexpr) -> tensor:
    """The error function."""

def erfinv(x: tensor | int | float | bool | constexpr) -> tensor:
    """The inverse of erf."""

def erfc(x: tensor | int | float | bool | constexpr) -> tensor:
    """1 - erf(x)."""

def erfcx(x: tensor | int | float | bool | constexpr) -> tensor:
    """Exp(x * x) * erfc(x)."""

def erfcinv(x: tensor | int | float | bool | constexpr) -> tensor:
    """The inverse of erfc."""

def normcdfinv(x: tensor | int | float | bool | constexpr) -> tensor:
    """The inverse of normcdf."""

def normcdf(x: tensor | int | float | bool | constexpr) -> tensor:
    """The distribution function of the normal distribution."""

def lgamma(x: tensor | int | float | bool | constexpr) -> tensor:
    """The logarithm of the gamma function's size."""

def ldexp(x: tensor | int | float | bool | constexpr, n: tensor | int | float | bool | constexpr) -> tensor:
    """X times 2 to the power of n, an int32."""

def scalbn(x: tensor | int | float | bool | constexpr, n: tensor | int | float | bool | constexpr) -> tensor:
    """X times 2 to the power of n, an int32."""

def fmod(x: tensor | int | float | bool | constexpr, y: tensor | int | float | bool | constexpr) -> tensor:
    """The rest of x / y, with the sign of x."""

def remainder(x: tensor | int | float | bool | constexpr, y: tensor | int | float | bool | constexpr) -> tensor:
    """The rest of x / y rounded to the nearest whole number."""

def fma(x: tensor | int | float | bool | constexpr, y: tensor | int | float | bool | constexpr, z: tensor | int | float | bool | constexpr) -> tensor:
    """X * y + z, rounded once."""

def pow(x: tensor | int | float | bool | constexpr, y: tensor | int | float | bool | constexpr) -> tensor:
    """X to the power of y, a float or int32."""

def tgamma(x: tensor | int | float | bool | constexpr) -> tensor:
    """The gamma function."""

def round(x: tensor | int | float | bool | constexpr) -> tensor:
    """The nearest whole number, of two the one away from zero."""

def llround(x: tensor | int | float | bool | constexpr) -> tensor:
    """What round gives, as int64."""

def fdim(x: tensor | int | float | bool | constexpr, y: tensor | int | float | bool | constexpr) -> tensor:
    """X - y, or 0 where that is negative."""

def ilogb(x: tensor | int | float | bool | constexpr) -> tensor:
    """The exponent, as int32."""

def logb(x: tensor | int | float | bool | constexpr) -> tensor:
    """The exponent, as a float."""

def isfinited(x: tensor | int | float | bool | constexpr) -> tensor:
    """Is the fp64 finite? int32."""
