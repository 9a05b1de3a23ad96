"""The tile language: `import neso.language as tl`."""

from . import core, math, random, standard, target_info
from .core import (PropagateNan, TRITON_MAX_TENSOR_NUMEL, add, advance, aggregate,
                   aggregate_replace, arange, associative_scan, assume,
                   atomic_add, atomic_and, atomic_cas, atomic_load, atomic_max, atomic_min, atomic_or, atomic_store,
                   atomic_xchg, atomic_xor,
                   bfloat16, block_type, broadcast, broadcast_to, cast, cat, clamp, condition, const, constexpr,
                   constexpr_type, debug_barrier, device_assert, device_print, dot, dot_scaled, dtype, expand_dims,
                   float8e4b15, float8e4b8, float8e4nv, float8e5, float8e5b16, float16, float32, float64, full, gather,
                   histogram, inline_asm_elementwise, int1, int8, int16, int32, int64, join, load,
                   load_tensor_descriptor, make_block_ptr, make_tensor_descriptor,
                   _experimental_make_tensor_descriptor, map_elementwise, max_constancy, max_contiguous, maximum,
                   minimum, mul, multiple_of, num_programs, permute, pi32_t, pointer_type, program_id, range, reduce,
                   reshape, slice, split, static_assert, static_print, static_range, store, store_tensor_descriptor,
                   str_to_ty, sub, tensor, tensor_descriptor, tensor_descriptor_type, to_tensor, trans, tuple, tuple_type, uint8, uint16, uint32, uint64, view, void, where)
from .math import (abs, ceil, cos, div_rn, erf, exp, exp2, fdiv, floor, fma, log, log2, rsqrt, sin, sqrt, sqrt_rn,
                   umulhi)
from .random import (curand4x, pair_uniform_to_normal, philox, philox_impl, rand, rand4x, randint, randint4x, randn, randn4x,
                     torch_rand, torch_randint, torch_randn, uint_to_uniform_float)
from .standard import (argmax, argmin, argsort, atomic_poll, bitonic_merge, cdiv, cumprod, cumsum, expect_zero, flip, interleave, max, median, min, ravel,
                       prod, reduce_or, roll, searchsorted, segments, sigmoid, softmax, sort, squeeze, sum, swizzle2d, topk, unique, unsqueeze, xor_sum, zeros,
                       zeros_like)
from . import extra
from .extra import libdevice

__all__ = [name for name in globals() if not name.startswith("_")] + ["_experimental_make_tensor_descriptor"]
__all__ = [name for name in __all__ if name not in ("aggregate", "libdevice")]


def __getattr__(name):
    if name == "constexpr_function":
        from ..runtime.jit import constexpr_function
        return constexpr_function
    if name == "semantic":
        import importlib
        return importlib.import_module(".semantic", __name__)
    raise AttributeError(f"module 'neso.language' has no attribute '{name}'")
