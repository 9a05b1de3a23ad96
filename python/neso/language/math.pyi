# Made by scripts/reference from signatures.py and docs.py (make reference).
from typing import Any, Callable, Sequence, Tuple as _tuple

from .core import constexpr, dtype, tensor, tuple

def umulhi(x: tensor | int | float | bool | constexpr, y: tensor | int | float | bool | constexpr) -> tensor:
    """The upper half of the product of unsigned integers of 32 or 64 bits.

        >>> hi = tl.umulhi(a, b)
    """

def exp(x: tensor | int | float | bool | constexpr) -> tensor:
    """e to the power of each element, of a float.

        >>> p = tl.exp(x - tl.max(x, 0))
    """

def exp2(x: tensor | int | float | bool | constexpr) -> tensor:
    """2 to the power of each element, of a float.

        >>> p = tl.exp2(x * 1.4426950408889634)
    """

def log(x: tensor | int | float | bool | constexpr) -> tensor:
    """The natural logarithm of each element, of a float.

        >>> y = tl.log(x)
    """

def log2(x: tensor | int | float | bool | constexpr) -> tensor:
    """The logarithm to base 2 of each element, of a float.

        >>> y = tl.log2(x)
    """

def cos(x: tensor | int | float | bool | constexpr) -> tensor:
    """The cosine of each element, of a float, in radians.

        >>> y = tl.cos(x)
    """

def sin(x: tensor | int | float | bool | constexpr) -> tensor:
    """The sine of each element, of a float, in radians.

        >>> y = tl.sin(x)
    """

def sqrt(x: tensor | int | float | bool | constexpr) -> tensor:
    """The square root of each element, of a float; of fp32 as fast as the target has it.

        >>> y = tl.sqrt(x)
    """

def sqrt_rn(x: tensor | int | float | bool | constexpr) -> tensor:
    """The square root of each element of fp32, rounded to nearest even.

        >>> y = tl.sqrt_rn(x)
    """

def rsqrt(x: tensor | int | float | bool | constexpr) -> tensor:
    """1 over the square root of each element, of a float.

        >>> y = x * tl.rsqrt(variance + eps)
    """

def abs(x: tensor | int | float | bool | constexpr) -> tensor:
    """Each element without its sign.

        >>> y = tl.abs(x)
    """

def fdiv(x: tensor | int | float | bool | constexpr, y: tensor | int | float | bool | constexpr, ieee_rounding: bool = False, approx: tensor | int | float | bool | constexpr = False) -> tensor:
    """x / y of floats; ieee_rounding=True: rounded to nearest even. approx=True: of fp32, it may be rough; here it is not.

        >>> y = tl.fdiv(x, total)
    """

def div_rn(x: tensor | int | float | bool | constexpr, y: tensor | int | float | bool | constexpr) -> tensor:
    """x / y of fp32, rounded to nearest even.

        >>> y = tl.div_rn(x, total)
    """

def erf(x: tensor | int | float | bool | constexpr) -> tensor:
    """The error function of each element, of a float.

        >>> y = 0.5 * x * (1 + tl.erf(x * 0.7071067811865476))
    """

def floor(x: tensor | int | float | bool | constexpr) -> tensor:
    """The greatest whole number that is not above each element, as a float.

        >>> y = tl.floor(x)
    """

def ceil(x: tensor | int | float | bool | constexpr) -> tensor:
    """The smallest whole number that is not below each element, as a float.

        >>> y = tl.ceil(x)
    """

def fma(x: tensor | int | float | bool | constexpr, y: tensor | int | float | bool | constexpr, z: tensor | int | float | bool | constexpr) -> tensor:
    """x * y + z, rounded once.

        >>> y = tl.fma(a, x, b)
    """
