"""What each function of the device library does: help(libdevice.tanh), editors and docs/reference/language.md are made of it."""

# name(parameters): text. Of fp32 and fp64 where nothing else is said.
TEXTS = """
clz(x): how many bits are zero before the highest that is set; of int32 and int64
popc(x): how many bits are set; of int32 and int64
ffs(x): the place of the lowest bit that is set, from 1; 0 where there is none; of int32 and int64
brev(x): the bits in the opposite order; of int32 and int64
byte_perm(x, y, s): four bytes of the eight of x and y, each chosen by four bits of s; int32
mulhi(x, y): the upper half of the product of integers
mul24(x, y): the product of the lower 24 bits of int32
sad(x, y, z): |x - y| + z of int32
hadd(x, y): (x + y) / 2 of int32, without overflow, rounded down
rhadd(x, y): (x + y) / 2 of int32, without overflow, rounded up
abs(x): without its sign
floor(x): the greatest whole number that is not above
ceil(x): the smallest whole number that is not below
trunc(x): the whole number towards zero
rint(x): the nearest whole number, of two the even one
nearbyint(x): the nearest whole number, of two the even one
round(x): the nearest whole number, of two the one away from zero
llrint(x): what rint gives, as int64
llround(x): what round gives, as int64
sqrt(x): the square root
rsqrt(x): 1 over the square root
cbrt(x): the cube root
rcbrt(x): 1 over the cube root
rcp64h(x): an approximation of 1 / x of fp64
saturatef(x): kept between 0 and 1, NaN as 0; of fp32
fma(x, y, z): x * y + z, rounded once
fast_dividef(x, y): x / y of fp32, fast and not exact
fast_sinf(x): the sine of fp32, fast and not exact
fast_cosf(x): the cosine of fp32, fast and not exact
fast_tanf(x): the tangent of fp32, fast and not exact
fast_tanhf(x): the hyperbolic tangent of fp32, fast and not exact
fast_expf(x): e to the power of fp32, fast and not exact
fast_exp10f(x): 10 to the power of fp32, fast and not exact
fast_logf(x): the natural logarithm of fp32, fast and not exact
fast_log2f(x): the logarithm to base 2 of fp32, fast and not exact
fast_log10f(x): the logarithm to base 10 of fp32, fast and not exact
fast_powf(x, y): x to the power of y of fp32, fast and not exact
exp(x): e to the power
exp2(x): 2 to the power
exp10(x): 10 to the power
expm1(x): exp(x) - 1, exact near 0
log(x): the natural logarithm
log2(x): the logarithm to base 2
log10(x): the logarithm to base 10
log1p(x): log(1 + x), exact near 0
sin(x): the sine, in radians
cos(x): the cosine, in radians
tan(x): the tangent, in radians
sinpi(x): the sine of x times pi
cospi(x): the cosine of x times pi
asin(x): the arc sine
acos(x): the arc cosine
atan(x): the arc tangent
atan2(x, y): the angle of the point (y, x)
sinh(x): the hyperbolic sine
cosh(x): the hyperbolic cosine
tanh(x): the hyperbolic tangent
asinh(x): the inverse hyperbolic sine
acosh(x): the inverse hyperbolic cosine
atanh(x): the inverse hyperbolic tangent
pow(x, y): x to the power of y, a float or int32
hypot(x, y): sqrt(x * x + y * y), without overflow
rhypot(x, y): 1 over hypot
norm3d(x, y, z): the length of a vector of three
rnorm3d(x, y, z): 1 over norm3d
norm4d(x, y, z, w): the length of a vector of four
rnorm4d(x, y, z, w): 1 over norm4d
j0(x): the Bessel function of the first kind of order 0
j1(x): the Bessel function of the first kind of order 1
jn(n, x): the Bessel function of the first kind of order n, an int32
y0(x): the Bessel function of the second kind of order 0
y1(x): the Bessel function of the second kind of order 1
yn(n, x): the Bessel function of the second kind of order n, an int32
cyl_bessel_i0(x): the modified Bessel function of order 0
cyl_bessel_i1(x): the modified Bessel function of order 1
erf(x): the error function
erfc(x): 1 - erf(x)
erfcx(x): exp(x * x) * erfc(x)
erfinv(x): the inverse of erf
erfcinv(x): the inverse of erfc
normcdf(x): the distribution function of the normal distribution
normcdfinv(x): the inverse of normcdf
lgamma(x): the logarithm of the gamma function's size
tgamma(x): the gamma function
ldexp(x, n): x times 2 to the power of n, an int32
scalbn(x, n): x times 2 to the power of n, an int32
logb(x): the exponent, as a float
ilogb(x): the exponent, as int32
fmod(x, y): the rest of x / y, with the sign of x
remainder(x, y): the rest of x / y rounded to the nearest whole number
fdim(x, y): x - y, or 0 where that is negative
copysign(x, y): x with the sign of y
nextafter(x, y): the next float behind x on the way to y
isnan(x): is it no number? int32
isinf(x): is it infinite? int32
finitef(x): is the fp32 finite? int32
isfinited(x): is the fp64 finite? int32
signbit(x): is the sign bit set? int32
hiloint2double(x, y): the fp64 of which the int32 are the upper and the lower half
double2loint(x): the lower half of the bits of fp64, as int32
double2hiint(x): the upper half of the bits of fp64, as int32
int_as_float(x): the bits of int32 as fp32
float_as_int(x): the bits of fp32 as int32
uint_as_float(x): the bits of uint32 as fp32
float_as_uint(x): the bits of fp32 as uint32
longlong_as_double(x): the bits of int64 as fp64
double_as_longlong(x): the bits of fp64 as int64
"""

ROUNDED = {"add": "x + y", "sub": "x - y", "mul": "x * y", "div": "x / y", "fma": "x * y + z", "rcp": "1 / x",
           "sqrt": "the square root", "rsqrt": "1 over the square root"}
PARAMETERS = {"add": "(x, y)", "sub": "(x, y)", "mul": "(x, y)", "div": "(x, y)", "fma": "(x, y, z)"}
TYPES = {"double": "fp64", "float": "fp32", "int": "int32", "uint": "uint32", "ll": "int64", "ull": "uint64"}
WAYS = {"rn": "to the nearest, of two the even one", "rz": "towards zero", "rd": "down", "ru": "up"}

_entries = {}


def _fill():
    for line in TEXTS.strip().split("\n"):
        head, _, text = line.partition(": ")
        name, _, rest = head.partition("(")
        _entries[name] = ("(" + rest, text)
    for way, how in WAYS.items():
        for name, what in ROUNDED.items():
            _entries[f"{name}_{way}"] = (PARAMETERS.get(name, "(x)"), f"{what}, rounded {how}")
        for a, source in TYPES.items():
            for b, result in TYPES.items():
                _entries[f"{a}2{b}_{way}"] = ("(x)", f"{source} as {result}, rounded {how}")


def entry(name):
    """(parameters, text) of a function of the device library, or None."""
    if not _entries:
        _fill()
    return _entries.get(name)
