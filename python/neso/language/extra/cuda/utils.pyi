# Made by scripts/reference from signatures.py and docs.py (make reference).
from ...core import constexpr, dtype, tensor

def globaltimer() -> tensor:
    """The GPU's clock in nanoseconds: an int64 scalar.

        >>> t = tl.extra.cuda.globaltimer()
    """

def smid() -> tensor:
    """The number of the multiprocessor that runs this program: an int32 scalar.

        >>> sm = tl.extra.cuda.smid()
    """

def num_threads() -> tensor:
    """How many threads run this program, a constant: 32 times num_warps.

        >>> n = tl.extra.cuda.num_threads()
    """

def num_warps() -> tensor:
    """How many warps run this program, a constant.

        >>> w = tl.extra.cuda.num_warps()
    """

def convert_custom_float8_sm70(arg: tensor | int | float | bool | constexpr, dst_ty: dtype, fp_downcast_rounding: str | None = None, bitcast: bool = False) -> tensor:
    """What convert_custom_float8_sm80 does, by PTX of older GPUs.

        >>> h = tl.cast(bits.to(tl.float8e4b15, bitcast=True), tl.float16)
    """

def convert_custom_float8_sm80(arg: tensor | int | float | bool | constexpr, dst_ty: dtype, fp_downcast_rounding: str | None = None, bitcast: bool = False) -> tensor:
    """A tile of float8e4b15 as float16, or of float16 as float8e4b15, by PTX of sm_80: what x.to(dtype) calls there.

        >>> h = tl.cast(bits.to(tl.float8e4b15, bitcast=True), tl.float16)
    """
