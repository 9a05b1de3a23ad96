"""Comparing what a launch left in memory with what the interpreter did, element by element."""

import math
import struct

_FORMATS = {
    "i1": "b", "i8": "b", "i16": "h", "i32": "i", "i64": "q", "u8": "B", "u16": "H", "u32": "I", "u64": "Q",
    "fp16": "e", "fp32": "f", "fp64": "d",
}


def _elements(dtype, data):
    """As numbers; of types that Python has no format for, their bits."""
    if dtype == "bf16":
        wide = b"".join(b"\0\0" + data[i:i + 2] for i in range(0, len(data), 2))
        return struct.unpack(f"={len(data) // 2}f", wide)
    form = _FORMATS.get(dtype, "B")
    size = struct.calcsize("=" + form)
    return struct.unpack(f"={len(data) // size}{form}", data[:len(data) // size * size])


def _is_close(got, wanted, atol, rtol):
    if got == wanted or (got != got and wanted != wanted):
        return True
    return abs(got - wanted) <= atol + rtol * abs(wanted) and not math.isinf(got)


def differ(name, dtype, wanted, got, atol, rtol):
    """None, or the offset of the first byte that differs and a sentence."""
    atol, rtol = float(atol or 0), float(rtol or 0)
    want, have = _elements(dtype, wanted), _elements(dtype, got)
    wrong = [i for i, (g, w) in enumerate(zip(have, want)) if not _is_close(g, w, atol, rtol)]
    if not wrong:
        return None
    first = wrong[0]
    text = (f"{name} differs from the interpreter's in {len(wrong)} of {len(want)} elements; the first is [{first}]: "
            f"{have[first]:.9g}, expected {want[first]:.9g}")
    return first * (len(got) // len(have)), text
