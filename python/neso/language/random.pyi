# Made by scripts/reference from signatures.py and docs.py (make reference).
from typing import Any, Callable, Sequence, Tuple as _tuple

from .core import constexpr, dtype, tensor, tuple

N_ROUNDS_DEFAULT: int

def philox(seed: tensor | int | float | bool | constexpr, c0: tensor | int | float | bool | constexpr, c1: tensor | int | float | bool | constexpr, c2: tensor | int | float | bool | constexpr, c3: tensor | int | float | bool | constexpr, n_rounds: int | constexpr = 10) -> _tuple[tensor, tensor, tensor, tensor]:
    """Four tiles of random bits of Philox for a seed and four counters of unsigned integers.

        >>> a, b, c, d = tl.philox(seed, at, 0, 0, 0)
    """

def philox_impl(c0: tensor | int | float | bool | constexpr, c1: tensor | int | float | bool | constexpr, c2: tensor | int | float | bool | constexpr, c3: tensor | int | float | bool | constexpr, k0: tensor | int | float | bool | constexpr, k1: tensor | int | float | bool | constexpr, n_rounds: int | constexpr = 10) -> _tuple[tensor, tensor, tensor, tensor]:
    """n_rounds rounds of Philox of four counters with two keys: four tiles of random bits.

        >>> a, b, c, d = tl.philox_impl(c0, c1, c2, c3, k0, k1)
    """

def randint(seed: tensor | int | float | bool | constexpr, offset: tensor | int | float | bool | constexpr, n_rounds: int | constexpr = 10) -> tensor:
    """Random int32, any of them as likely, for a seed, a scalar, and a tile of offsets: the same for the same.

        >>> r = tl.randint(seed, at)
    """

def randint4x(seed: tensor | int | float | bool | constexpr, offset: tensor | int | float | bool | constexpr, n_rounds: int | constexpr = 10) -> _tuple[tensor, tensor, tensor, tensor]:
    """Four tiles of randint at the price of one.

        >>> a, b, c, d = tl.randint4x(seed, at)
    """

def rand(seed: tensor | int | float | bool | constexpr, offset: tensor | int | float | bool | constexpr, n_rounds: int | constexpr = 10) -> tensor:
    """Random fp32 from 0 up to 1, any as likely, for a seed, a scalar, and a tile of offsets.

        >>> keep = tl.rand(seed, at) > p
    """

def rand4x(seed: tensor | int | float | bool | constexpr, offset: tensor | int | float | bool | constexpr, n_rounds: int | constexpr = 10) -> _tuple[tensor, tensor, tensor, tensor]:
    """Four tiles of rand at the price of one.

        >>> a, b, c, d = tl.rand4x(seed, at)
    """

def randn(seed: tensor | int | float | bool | constexpr, offset: tensor | int | float | bool | constexpr, n_rounds: int | constexpr = 10) -> tensor:
    """Random fp32 of the normal distribution with mean 0 and variance 1, for a seed, a scalar, and a tile of offsets.

        >>> noise = tl.randn(seed, at)
    """

def randn4x(seed: tensor | int | float | bool | constexpr, offset: tensor | int | float | bool | constexpr, n_rounds: int | constexpr = 10) -> _tuple[tensor, tensor, tensor, tensor]:
    """Four tiles of randn at the price of one.

        >>> a, b, c, d = tl.randn4x(seed, at)
    """

def uint_to_uniform_float(x: tensor | int | float | bool | constexpr) -> tensor:
    """Random bits, of unsigned integers, as fp32 from 0 up to 1.

        >>> u = tl.uint_to_uniform_float(bits)
    """

def pair_uniform_to_normal(u1: tensor | int | float | bool | constexpr, u2: tensor | int | float | bool | constexpr) -> _tuple[tensor, tensor]:
    """Two tiles of fp32 from 0 to 1 as two of the normal distribution.

        >>> a, b = tl.pair_uniform_to_normal(u, v)
    """

def curand4x(seed: tensor | int | float | bool | constexpr, subsequence: tensor | int | float | bool | constexpr, offset: tensor | int | float | bool | constexpr) -> _tuple[tensor, tensor, tensor, tensor]:
    """Four tiles of random uint32 as cuRAND's Philox generator gives them for a seed, a subsequence and an offset, a multiple of 4. Triton has it not.

        >>> a, b, c, d = tl.curand4x(seed, at, 0)
    """

def torch_rand(seed: tensor | int | float | bool | constexpr, offset: tensor | int | float | bool | constexpr, index: tensor | int | float | bool | constexpr, threads: tensor | int | float | bool | constexpr) -> tensor:
    """The elements of torch.rand on CUDA, by index, for the seed and the offset of its generator and the threads of its kernel: 256 * min(ceil(n / 256), processors * threads of one // 256). Triton has it not.

        >>> r = tl.torch_rand(seed, 0, at, 4096)
    """

def torch_randint(seed: tensor | int | float | bool | constexpr, offset: tensor | int | float | bool | constexpr, index: tensor | int | float | bool | constexpr, threads: tensor | int | float | bool | constexpr) -> tensor:
    """The random uint32 that torch makes its elements of, as torch_rand has them. Triton has it not.

        >>> r = tl.torch_randint(seed, 0, at, 4096)
    """

def torch_randn(seed: tensor | int | float | bool | constexpr, offset: tensor | int | float | bool | constexpr, index: tensor | int | float | bool | constexpr, threads: tensor | int | float | bool | constexpr) -> tensor:
    """The elements of torch.randn on CUDA, as torch_rand has those of torch.rand; the last bits are not torch's, whose sine is a rougher one. Triton has it not.

        >>> r = tl.torch_randn(seed, 0, at, 4096)
    """

def uint32_to_uniform_float(*args: Any, **kwargs: Any) -> tensor: ...
