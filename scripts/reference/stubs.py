"""Type stubs of the modules whose names are made while they are imported (neso.language.core.make_builtins)."""

import re

from language import builtin_names, library_names, module

HEAD = "# Made by scripts/reference from signatures.py and docs.py (make reference).\n"
INT, TILE, SCALAR = "int | constexpr", "tensor | int | float | bool | constexpr", "tensor | int | constexpr"
SHAPE = "Sequence[int | constexpr] | tuple"
# Of parameters, by name; "FUNCTION.NAME" goes before.
TYPES = {
    "axis": INT + " | None", "program_id.axis": INT, "num_programs.axis": INT, "dim": INT + " | None", "shape": SHAPE, "block_shape": SHAPE,
    "shape_values": "Sequence[Any] | tuple", "strides": "Sequence[Any] | tuple", "offsets": "Sequence[Any] | tuple", "order": SHAPE,
    "dtype": "dtype", "out_dtype": "dtype | None", "dims": INT + " | " + SHAPE, "start": INT, "end": INT,
    "pointer": "tensor", "desc": "tensor_descriptor", "mask": "tensor | bool | None", "acc": "tensor | None", "lhs_scale": "tensor | None",
    "rhs_scale": "tensor | None", "lhs_format": "str", "rhs_format": "str", "combine_fn": "Callable[..., Any]", "scalar_fn": "Callable[..., Any]",
    "keep_dims": "bool", "reverse": "bool", "can_reorder": "bool", "bitcast": "bool", "descending": "bool", "return_indices": "bool",
    "return_indices_tie_break_left": "bool", "tie_break_left": "bool", "ieee_rounding": "bool", "volatile": "bool", "fast_math": "bool",
    "is_pure": "bool", "sanitize_overflow": "bool", "lhs_k_pack": "bool", "rhs_k_pack": "bool", "hex": "bool", "allow_tf32": "bool | None",
    "input_precision": "str | None", "max_num_imprecise_acc": "int | None", "padding_option": "str", "cache_modifier": "str",
    "eviction_policy": "str", "sem": "str | None", "scope": "str | None", "fp_downcast_rounding": "str | None", "msg": "str", "prefix": "str",
    "asm": "str", "constraints": "str", "args": "Sequence[Any]", "inline_asm_elementwise.dtype": "dtype | Sequence[dtype]", "pack": "int",
    "boundary_check": "Sequence[int] | tuple", "num_bins": INT, "k": INT, "n_rounds": INT, "propagate_nan": "PropagateNan | None",
    "values": INT + " | Sequence[int]", "lib_name": "str", "lib_path": "str", "arg_type_symbol_dict": "dict[Any, Any]", "cond": TILE,
    "static_print.values": "Any", "func": "str", "ret_type": "Any", "sep": "str", "file": "Any", "flush": "bool", "dst_ty": "dtype",
    "cast.dtype": "dtype", "sum.dtype": "dtype | None", "cumsum.dtype": "dtype | None", "make_block_ptr.shape": "Sequence[Any] | tuple",
    "make_tensor_descriptor.shape": "Sequence[Any] | tuple", "advance.base": "tensor", "base": "tensor",
}
PAIR, FOUR = "_tuple[tensor, tensor]", "_tuple[tensor, tensor, tensor, tensor]"
# Of results, where they are no tile.
RESULTS = {
    "static_print": "None", "static_assert": "None", "device_print": "None", "device_assert": "None", "debug_barrier": "None", "assume": "None",
    "store": "None", "store_tensor_descriptor": "None", "split": PAIR, "broadcast": PAIR, "philox": FOUR, "philox_impl": FOUR, "rand4x": FOUR,
    "randn4x": FOUR, "curand4x": FOUR, "randint4x": FOUR, "pair_uniform_to_normal": PAIR, "swizzle2d": PAIR, "make_tensor_descriptor": "tensor_descriptor",
    "_experimental_make_tensor_descriptor": "tensor_descriptor", "max": "Any", "min": "Any", "reduce": "Any", "associative_scan": "Any",
    "map_elementwise": "Any", "inline_asm_elementwise": "Any", "gdc_wait": "None", "gdc_launch_dependents": "None", "cdiv": "Any",
}


def _parameter(name, text):
    star = "*" * (len(text) - len(text.lstrip("*")))
    bare, equals, value = text.lstrip("*").partition("=")
    bare = bare.strip()
    if bare == "" and star:
        return text
    kind = TYPES.get(f"{name}.{bare}") or TYPES.get(bare) or TILE
    if star:
        kind = "Any"
    elif equals and value.strip() == "None" and "None" not in kind:
        kind += " | None"
    return f"{star}{bare}: {kind}{' = ' + value.strip() if equals else ''}"


def _split(text):
    parts, depth, last = [], 0, 0
    for at, c in enumerate(text):
        depth += c in "([" and 1 or c in ")]" and -1
        if c == "," and not depth:
            parts.append(text[last:at].strip())
            last = at + 1
    return [p for p in parts + [text[last:].strip()] if p]


def _function(name, text, doc):
    parameters = ", ".join(_parameter(name, p) for p in _split(text.strip()[1:-1]))
    head = f"def {name}({parameters}) -> {RESULTS.get(name, 'tensor')}:"
    if not doc:
        return head + " ..."
    lines = doc.strip().replace("\\", "\\\\").split("\n")
    body = "\n".join("    " + line.rstrip() if line.strip() else "" for line in lines)
    return f'{head}\n    """{body.lstrip()}"""' if len(lines) == 1 else f'{head}\n    """{body.lstrip()}\n    """'


def _functions(root, name, extra=""):
    docs, signatures = module(root, "docs"), module(root, "signatures")
    names = builtin_names(root, name)
    out = []
    for n in names:
        if n.startswith("_") and n != "_experimental_make_tensor_descriptor":
            continue
        out.append(_function(n, signatures.text_of(n) or "(*args, **kwargs)", docs.doc_of(n)))
    return extra + "\n\n".join(out) + "\n"


IMPORTS = "from typing import Any, Callable, Sequence, Tuple as _tuple\n\n"


def core(root, build):
    classes = (root / "scripts/reference/core_classes.pyi").read_text()
    return HEAD + classes.rstrip() + "\n\n" + _functions(root, "core")


def _other(root, name, more=""):
    return HEAD + IMPORTS + "from .core import constexpr, dtype, tensor, tuple\n\n" + more + _functions(root, name)


def math(root, build):
    return _other(root, "math")


def random(root, build):
    return _other(root, "random", "N_ROUNDS_DEFAULT: int\n\n")


def standard(root, build):
    return _other(root, "standard")


def cuda(root, build):
    return HEAD + "from ...core import constexpr, dtype, tensor\n\n" + _functions(root, "extra/cuda/utils")


def gdc(root, build):
    return HEAD + _functions(root, "extra/cuda/gdc")


def libdevice(root, build):
    library = module(root, "extra/libdevice_docs")
    out = [_function(n, library.entry(n)[0], library.entry(n)[1][0].upper() + library.entry(n)[1][1:] + ".") for n in library_names(root)]
    return HEAD + "from ..core import constexpr, tensor\n\n" + "\n\n".join(out) + "\n"
