"""Helpers that libraries import: paths into nested tuples, names of types."""

TRITON_MAX_TENSOR_NUMEL = 1048576

type_canonicalisation_dict = {
    "bool": "i1", "int1": "u1", "uint1": "u1", "i1": "u1",
    "float8e4nv": "fp8e4nv", "float8e5": "fp8e5", "float8e4b15": "fp8e4b15", "float8_e4m3fn": "fp8e4nv",
    "float8e4b8": "fp8e4b8", "float8_e4m3fnuz": "fp8e4b8", "float8_e5m2": "fp8e5", "float8e5b16": "fp8e5b16",
    "float8_e5m2fnuz": "fp8e5b16",
    "half": "fp16", "float16": "fp16", "bfloat16": "bf16", "float": "fp32", "float32": "fp32",
    "double": "fp64", "float64": "fp64",
    "int8": "i8", "int16": "i16", "int": "i32", "int32": "i32", "int64": "i64",
    "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64", "void": "void",
}
for _short in list(type_canonicalisation_dict.values()):
    type_canonicalisation_dict.setdefault(_short, _short)
type_canonicalisation_dict["bool"] = type_canonicalisation_dict["i1"] = "u1"

BITWIDTH_DICT = {
    "u1": 1, "u8": 8, "u16": 16, "u32": 32, "u64": 64, "i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64,
    "fp16": 16, "bf16": 16, "fp32": 32, "fp64": 64, "fp8e5": 8, "fp8e4nv": 8, "fp8e4b8": 8, "fp8e5b16": 8,
    "fp8e4b15": 8, "void": 0,
}


def canonicalize_dtype(dtype):
    return type_canonicalisation_dict[str(dtype).split(".")[-1]]


def canonicalize_ptr_dtype(dtype, is_const):
    return f"{'*k' if is_const else '*'}{canonicalize_dtype(dtype)}"


def get_primitive_bitwidth(dtype):
    return BITWIDTH_DICT[dtype]


def is_power_of_two(x):
    return x > 0 and (x & (x - 1)) == 0


def validate_block_shape(shape):
    """How many elements a tile of this shape has; an error where it cannot be one."""
    size = 1
    for i, d in enumerate(shape):
        if not isinstance(d, int):
            raise TypeError(f"axis {i} of a block is {d!r}, which is no whole number")
        if not is_power_of_two(d):
            raise ValueError(f"axis {i} of a block is {d}, which is no power of two")
        size *= d
    if size > TRITON_MAX_TENSOR_NUMEL:
        raise ValueError(f"a block of {size} elements; the most are {TRITON_MAX_TENSOR_NUMEL}")
    return size


def is_namedtuple(value):
    return isinstance(value, type) and issubclass(value, tuple) and hasattr(value, "_fields") or \
        isinstance(value, tuple) and hasattr(value, "_fields")


def is_iterable(value):
    return isinstance(value, (list, tuple)) or type(value).__name__ == "tuple"


def get_iterable_path(value, path):
    for i in path:
        value = value[i]
    return value


def set_iterable_path(value, path, new):
    get_iterable_path(value, path[:-1])[path[-1]] = new


def find_paths_if(value, predicate):
    found = {}

    def walk(item, path):
        if predicate(path, item):
            found[path] = True
        elif is_iterable(item):
            for i, part in enumerate(item):
                walk(part, path + (i, ))

    for i, part in enumerate(value if is_iterable(value) else (value, )):
        walk(part, (i, ))
    return list(found)


def apply_with_path(value, function):
    paths = []
    find_paths_if(value, lambda path, item: paths.append(path) or False)
    for path in paths:
        item = get_iterable_path(value, path)
        if not is_iterable(item):
            function(path, item)
