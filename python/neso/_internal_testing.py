"""Helpers that upstream's tests import."""

import os
import re
from contextlib import contextmanager

import neso
from . import knobs
from ._utils import type_canonicalisation_dict
from .language import core

int_dtypes = ["int8", "int16", "int32", "int64"]
uint_dtypes = ["uint8", "uint16", "uint32", "uint64"]
integral_dtypes = int_dtypes + uint_dtypes
float_dtypes = ["float16", "float32", "float64"]
float_dtypes_with_bfloat16 = float_dtypes + ["bfloat16"]
dtypes = integral_dtypes + float_dtypes
dtypes_with_bfloat16 = dtypes + ["bfloat16"]
torch_float8_dtypes = ["float8_e4m3fn", "float8_e5m2"]
torch_dtypes = ["bool"] + int_dtypes + ["uint8"] + float_dtypes + ["bfloat16"]
tma_dtypes = sorted(set(dtypes_with_bfloat16) - {"int64", "uint64", "float64"})


def is_interpreter():
    return os.environ.get("TRITON_INTERPRET", "0") == "1"


def get_current_target():
    return None if is_interpreter() else neso.runtime.driver.active.get_current_target()


def _never(*args, **kwargs):
    return False


def _capability():
    """Of the GPU that kernels run on, 90 for 9.0; 0: they run on none. A simulated one has no memory that torch knows."""
    target = get_current_target() if not (knobs.runtime.target or "").startswith("sim:") else None
    return target.arch if target is not None and target.backend == "cuda" else 0


def is_cuda():
    return _capability() != 0


def is_ampere_or_newer():
    return _capability() >= 80


def is_hopper():
    return _capability() // 10 == 9


def is_hopper_or_newer():
    return _capability() >= 90


def is_blackwell():
    return _capability() // 10 in (10, 11)


def is_blackwell_ultra():
    return _capability() == 103


def is_sm12x():
    return _capability() // 10 == 12


is_hip = is_hip_cdna2 = is_hip_cdna3 = is_hip_cdna4 = is_hip_rdna3 = is_hip_rdna4 = is_hip_gfx11 = is_hip_gfx12 = _never
is_hip_gfx1250 = is_hip_cdna = is_hip_rdna = is_xpu = is_cpu = _never


def get_arch():
    target = get_current_target()
    return "" if target is None else str(target.arch)


def get_hip_lds_size():
    return 65536


def get_arch_warp_size():
    return 32


def numpy_random(shape, dtype_str, rs=None, low=None, high=None):
    import numpy as np
    from numpy.random import RandomState
    if isinstance(shape, int):
        shape = (shape, )
    rs = rs if rs is not None else RandomState(seed=17)
    if dtype_str in int_dtypes + uint_dtypes:
        info = np.iinfo(getattr(np, dtype_str))
        low = info.min if low is None else max(low, info.min)
        high = info.max if high is None else min(high, info.max)
        made = rs.randint(low, high, shape, dtype=getattr(np, dtype_str))
        made[made == 0] = 1
        return made
    if dtype_str and "float8" in dtype_str:
        return rs.randint(20, 40, shape, dtype=np.int8)
    if dtype_str in float_dtypes:
        return rs.normal(0, 1, shape).astype(dtype_str)
    if dtype_str == "bfloat16":
        return (rs.normal(0, 1, shape).astype("float32").view("uint32") & np.uint32(0xFFFF0000)).view("float32")
    if dtype_str in ("bool", "int1", "bool_"):
        return rs.normal(0, 1, shape) > 0.0
    raise RuntimeError(f"Unknown dtype {dtype_str}")


def to_triton(x, device="cpu", dst_type=None):
    import numpy as np
    import torch
    kind = x.dtype.name
    if kind in uint_dtypes:
        signed = kind.lstrip("u")
        return neso.reinterpret(torch.tensor(x.astype(getattr(np, signed)), device=device), getattr(core, kind))
    if dst_type and "float8" in dst_type:
        return neso.reinterpret(torch.tensor(x, device=device), getattr(core, dst_type))
    if kind == "float32" and dst_type == "bfloat16":
        return torch.tensor(x, device=device).bfloat16()
    return torch.tensor(x, device=device)


def str_to_triton_dtype(x):
    return core.str_to_ty(type_canonicalisation_dict[x])


def torch_dtype_name(dtype):
    if isinstance(dtype, core.dtype):
        return dtype.name
    found = re.match(r"^torch\.(\w+)$", str(dtype))
    if not found:
        raise TypeError(f"not a dtype: {dtype}")
    return found.group(1)


def to_numpy(x):
    import numpy as np
    import torch
    if isinstance(x, neso.TensorWrapper):
        return x.base.cpu().numpy().astype(getattr(np, torch_dtype_name(x.dtype)))
    if isinstance(x, torch.Tensor):
        return x.cpu().float().numpy() if x.dtype is torch.bfloat16 else x.cpu().numpy()
    raise ValueError(f"Not a triton-compatible tensor: {x}")


def supports_tma(byval_only=False):
    return True


def supports_ws():
    return False


def tma_skip_msg(byval_only=False):
    return "no TMA here"


def default_alloc_fn(size, align, _):
    import torch
    return torch.empty(size, dtype=torch.int8, device="cuda" if is_cuda() else "cpu")


def unwrap_tensor(t):
    return t.base if isinstance(t, neso.TensorWrapper) else t


def _requires_tma():
    import pytest
    return pytest.mark.skipif(not supports_tma(), reason=tma_skip_msg())


def __getattr__(name):
    if name == "requires_tma":
        return _requires_tma()
    raise AttributeError(name)


def _fresh_knobs_impl(skipped_attr=None):
    import pytest
    skipped = set(skipped_attr or ())
    patch = pytest.MonkeyPatch()
    groups = {n: g for n, g in vars(knobs).items() if isinstance(g, knobs.base_knobs) and n not in skipped}

    def fresh():
        for name, group in groups.items():
            for descriptor in group.knob_descriptors.values():
                patch.delenv(descriptor.key, raising=False)
            patch.setattr(knobs, name, type(group)())
        knobs.propagate_env = True
        return knobs

    def undo():
        patch.undo()
        knobs.propagate_env = True

    return fresh, undo
