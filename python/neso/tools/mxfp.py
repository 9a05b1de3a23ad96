"""Microscaling formats on the host: 4-bit E2M1 numbers and 8-bit E8M0 scales, one to a byte, in torch tensors.

Values are those of the OCP Microscaling Formats specification 1.0, sections 5.3.3 and 5.4.1."""

import math

#: Magnitudes of the eight codes without their sign bit.
_MAGNITUDES = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
#: Halfway between neighbours, and whether the tie goes up: to the code whose last bit is 0.
_BORDERS = [((a + b) / 2, k % 2 == 0) for k, (a, b) in enumerate(zip(_MAGNITUDES, _MAGNITUDES[1:]), 1)]
_BIAS, _NAN = 127, 255


def _torch():
    try:
        import torch
    except ImportError:
        raise ImportError("triton.tools.mxfp keeps its numbers in torch tensors, and torch is not installed") from None
    return torch


class _Numbers:
    """`data` holds the codes, torch.uint8. Made from float32 values, or of a size, to be filled by random()."""

    def __init__(self, data=None, size=None, device=None):
        self.device = device
        if data is not None:
            assert isinstance(data, _torch().Tensor), "data must be a torch tensor"
            self.device = data.device
            self.data = self._from_float(data)
        elif size is not None:
            self.size = size if isinstance(size, tuple) else (size, )
        else:
            raise ValueError("data or size must be given")


class MXFP4Tensor(_Numbers):
    """Numbers of the format e2m1, two to a byte, for tests of dot_scaled."""

    def random(self):
        """All sixteen codes are equally likely."""
        torch = _torch()
        self.data = torch.randint(0, 16, size=self.size, dtype=torch.uint8, device=self.device)
        return self

    def to(self, dtype):
        torch = _torch()
        assert dtype == torch.float32, "fp4 e2m1 is converted to float32 alone"
        values = torch.tensor(_MAGNITUDES + tuple(-m for m in _MAGNITUDES), dtype=dtype, device=self.data.device)
        return values[self.data.long()]

    def _from_float(self, values):
        """To the nearest, ties to even; what is too large, infinite or NaN becomes 6."""
        torch = _torch()
        magnitude = torch.nan_to_num(values.abs(), nan=math.inf)
        code = torch.zeros_like(values, dtype=torch.uint8)
        for border, tie_up in _BORDERS:
            code += (magnitude >= border if tie_up else magnitude > border).to(torch.uint8)
        return code | (torch.signbit(values).to(torch.uint8) << 3)

    def to_packed_tensor(self, dim):
        """Two codes to a byte along `dim`, the first in the low half; an odd end is filled with 0."""
        torch = _torch()
        data = self.data
        assert 0 <= dim < data.ndim, f"there is no axis {dim} to pack along"
        if data.shape[dim] % 2:
            end = list(data.shape)
            end[dim] = 1
            data = torch.cat((data, data.new_zeros(end)), dim)
        pairs = data.unflatten(dim, (-1, 2))
        return pairs.select(dim + 1, 0) | (pairs.select(dim + 1, 1) << 4)

    def unpack_packed_tensor(self, packed_tensor, dim, original_shape):
        """The codes of packed ones, without what filled an odd end."""
        torch = _torch()
        codes = torch.stack((packed_tensor & 15, packed_tensor >> 4), dim + 1).flatten(dim, dim + 1)
        return codes.narrow(dim, 0, original_shape[dim]).to(torch.uint8)


class MXScaleTensor(_Numbers):
    """Scales of the format e8m0, powers of two as bytes, for tests of dot_scaled."""

    def random(self, low=None, high=None):
        """Powers of two between low and high, NaN left out."""
        torch = _torch()
        first = 0 if low is None else max(0, int(math.log2(low)) + _BIAS)
        last = _NAN - 1 if high is None else min(_NAN - 1, max(0, int(math.log2(high)) + _BIAS))
        assert first <= last, "low must not be above high"
        self.data = torch.randint(first, last + 1, size=self.size, dtype=torch.uint8, device=self.device)
        return self

    def to(self, dtype):
        torch = _torch()
        assert dtype == torch.float32, "e8m0 is converted to float32 alone"
        values = torch.ldexp(torch.ones_like(self.data, dtype=dtype), self.data.to(torch.int32) - _BIAS)
        return values.masked_fill(self.data == _NAN, math.nan)

    def _from_float(self, values):
        """The power of two at or below; NaN for what is not positive and finite."""
        torch = _torch()
        _, exponent = torch.frexp(values)
        code = (exponent - 1 + _BIAS).clamp(0, _NAN - 1)
        return code.masked_fill(~(torch.isfinite(values) & (values > 0)), _NAN).to(torch.uint8)
