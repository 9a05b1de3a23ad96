"""What is known of a kernel while it is compiled, as host code sees it: constexprs, and the types of values."""

import operator
from enum import Enum

from .._utils import BITWIDTH_DICT, TRITON_MAX_TENSOR_NUMEL, type_canonicalisation_dict


class base_value:
    """A value of the tile language."""


class base_type:
    """A type of the tile language."""

    def mangle(self):
        raise NotImplementedError(f"{type(self).__name__} has no name in kernels' names")


class const:
    """Annotation of a pointer that is only read.

    >>> @triton.jit
    ... def copy(x: tl.const, out):
    ...     tl.store(out, tl.load(x))
    """


# ---- constexpr ----


def _unwrap_if_constexpr(value):
    if isinstance(value, list):
        return [_unwrap_if_constexpr(v) for v in value]
    if type(value) is tuple:
        return tuple(_unwrap_if_constexpr(v) for v in value)
    return value.value if isinstance(value, constexpr) else value


class constexpr_type(base_type):
    """The type of a constexpr: its value.

    >>> tl.constexpr_type(3) == tl.constexpr_type(3), tl.constexpr_type(3) == tl.constexpr_type(4)
    (True, False)
    """

    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return isinstance(other, constexpr_type) and self.value == other.value

    def __hash__(self):
        return hash(self.value)

    def __repr__(self):
        return f"constexpr_type[{self.value}]"

    def mangle(self):
        return repr(self)


class constexpr(base_value):
    """A value that is known while a kernel is compiled; as an annotation, a parameter that is one. On the host it computes as its value does.

    >>> WIDTH = tl.constexpr(16)
    >>> @triton.jit
    ... def kernel(out, FACTOR: tl.constexpr):
    ...     tl.store(out + tl.arange(0, WIDTH), FACTOR)
    >>> (WIDTH * 2).value
    32
    """

    def __init__(self, value):
        while isinstance(value, constexpr):
            value = value.value
        self.value = value

    @property
    def type(self):
        return constexpr_type(self.value)

    def __repr__(self):
        return f"constexpr[{self.value}]"

    def __hash__(self):
        return hash((self.value, self.type))

    def __index__(self):
        return operator.index(self.value)

    def __int__(self):
        return int(self.value)

    def __float__(self):
        return float(self.value)

    def __bool__(self):
        return bool(self.value)

    def __iter__(self):
        return iter(self.value)

    def __len__(self):
        return len(self.value)

    def __call__(self, *args, **kwargs):
        return self.value(*args, **kwargs)

    def __getitem__(self, index):
        return self.value[_unwrap_if_constexpr(index)]

    def logical_and(self, other):
        return constexpr(self.value and _unwrap_if_constexpr(other))

    def logical_or(self, other):
        return constexpr(self.value or _unwrap_if_constexpr(other))

    def __not__(self):
        return constexpr(not self.value)


def _add_operators():
    both = {"add": operator.add, "sub": operator.sub, "mul": operator.mul, "truediv": operator.truediv,
            "floordiv": operator.floordiv, "mod": operator.mod, "pow": operator.pow, "and": operator.and_,
            "or": operator.or_, "xor": operator.xor, "lshift": operator.lshift, "rshift": operator.rshift}
    for name, apply in both.items():
        setattr(constexpr, f"__{name}__",
                lambda self, other, apply=apply: constexpr(apply(self.value, _unwrap_if_constexpr(other))))
        setattr(constexpr, f"__r{name}__",
                lambda self, other, apply=apply: constexpr(apply(_unwrap_if_constexpr(other), self.value)))
    for name in ("eq", "ne", "lt", "le", "gt", "ge"):
        apply = getattr(operator, name)
        setattr(constexpr, f"__{name}__",
                lambda self, other, apply=apply: constexpr(apply(self.value, _unwrap_if_constexpr(other))))
    for name in ("neg", "pos", "invert"):
        apply = getattr(operator, name)
        setattr(constexpr, f"__{name}__", lambda self, apply=apply: constexpr(apply(self.value)))


_add_operators()
CONSTEXPR_0 = constexpr(0)

# ---- dtypes ----

_MANTISSA_AND_BIAS = {
    "fp8e4b15": (3, 15), "fp8e4nv": (3, 7), "fp8e4b8": (3, 8), "fp8e5": (2, 15), "fp8e5b16": (2, 16),
    "fp16": (10, 15), "bf16": (7, 127), "fp32": (23, 127), "fp64": (52, 1023),
}


class dtype(base_type):
    """An element type: tl.float16, tl.int32 and the others are such.

    >>> tl.float16.primitive_bitwidth, tl.int32.is_int(), str(tl.bfloat16)
    (16, True, 'bf16')
    """

    SINT_TYPES = ["int8", "int16", "int32", "int64"]
    UINT_TYPES = ["int1", "uint8", "uint16", "uint32", "uint64"]
    FP_TYPES = ["fp8e4b15", "fp8e4nv", "fp8e4b8", "fp8e5", "fp8e5b16", "fp16", "bf16", "fp32", "fp64"]
    STANDARD_FP_TYPES = ["fp16", "bf16", "fp32", "fp64"]
    OTHER_TYPES = ["void"]

    class SIGNEDNESS(Enum):
        SIGNED = 0
        UNSIGNED = 1

    class KIND(Enum):
        BOOLEAN = 0
        INTEGRAL = 1
        FLOATING = 2

    def __init__(self, name):
        name = _unwrap_if_constexpr(name)
        if not dtype.is_dtype(name):
            raise AssertionError(f"there is no element type '{name}'")
        self.name = name
        short = type_canonicalisation_dict[name] if name not in BITWIDTH_DICT else name
        self.primitive_bitwidth = BITWIDTH_DICT[short]
        self.itemsize = self.primitive_bitwidth // 8
        if name in self.SINT_TYPES or name in self.UINT_TYPES:
            signed = name in self.SINT_TYPES
            self.int_signedness = dtype.SIGNEDNESS.SIGNED if signed else dtype.SIGNEDNESS.UNSIGNED
            self.int_bitwidth = self.primitive_bitwidth
        elif name in _MANTISSA_AND_BIAS:
            self.fp_mantissa_width, self.exponent_bias = _MANTISSA_AND_BIAS[name]

    @staticmethod
    def is_dtype(name):
        return name in dtype.SINT_TYPES or name in dtype.UINT_TYPES or name in dtype.FP_TYPES or name == "void"

    def is_fp8(self):
        return self.name.startswith("fp8")

    def is_floating(self):
        return self.name in self.FP_TYPES

    def is_standard_floating(self):
        return self.name in self.STANDARD_FP_TYPES

    def is_int_signed(self):
        return self.name in self.SINT_TYPES

    def is_int_unsigned(self):
        return self.name in self.UINT_TYPES

    def is_int(self):
        return self.is_int_signed() or self.is_int_unsigned()

    def is_bool(self):
        return self.name == "int1"

    def is_void(self):
        return self.name == "void"

    def is_block(self):
        return False

    def is_ptr(self):
        return False

    def is_const(self):
        return False

    def kind(self):
        if self.is_bool():
            return dtype.KIND.BOOLEAN
        return dtype.KIND.INTEGRAL if self.is_int() else dtype.KIND.FLOATING

    def get_int_max_value(self):
        return 2**(self.int_bitwidth - self.is_int_signed()) - 1

    def get_int_min_value(self):
        return -2**(self.int_bitwidth - 1) if self.is_int_signed() else 0

    @property
    def scalar(self):
        return self

    @property
    def element_ty(self):
        return self

    @property
    def is_floating_point(self):
        return self.is_floating()

    def __eq__(self, other):
        other = _unwrap_if_constexpr(other)
        return type(other) is dtype and self.name == other.name

    def __ne__(self, other):
        return not self == other

    def __hash__(self):
        return hash((self.name, ))

    def __str__(self):
        return self.name

    def codegen_name(self):
        for short, long in (("fp", "float"), ("bf", "bfloat")):
            if self.name.startswith(short):
                return long + self.name[2:]
        return self.name

    @property
    def cache_key_part(self):
        return self.name

    def __repr__(self):
        return f"triton.language.{self.codegen_name()}"

    def mangle(self):
        if self.is_int():
            return ("i" if self.is_int_signed() else "u") + str(self.int_bitwidth)
        return "V" if self.is_void() else self.name

    def with_element_ty(self, element_ty):
        return element_ty


for _name in dtype.SINT_TYPES + dtype.UINT_TYPES + dtype.FP_TYPES:
    setattr(dtype, "is_" + _name, lambda self, _name=_name: self.name == _name)
_DtypeClass = dtype


class pointer_type(dtype):
    """The type of pointers to elements of a type.

    >>> str(tl.pointer_type(tl.float32))
    'pointer<fp32>'
    """

    def __init__(self, element_ty, address_space=1, const=False):
        element_ty = _unwrap_if_constexpr(element_ty)
        if not isinstance(element_ty, dtype):
            raise TypeError(f"a pointer points to a dtype, not to a {type(element_ty).__name__}")
        self._element_ty = element_ty
        self.address_space = address_space
        self.const = const
        self.primitive_bitwidth = 64
        self.itemsize = 8
        self.name = f"{'const_' if const else ''}pointer<{element_ty}>"

    @property
    def element_ty(self):
        return self._element_ty

    def is_ptr(self):
        return True

    def is_const(self):
        return self.const

    def __eq__(self, other):
        other = _unwrap_if_constexpr(other)
        return isinstance(other, pointer_type) and (self.element_ty, self.address_space, self.const) == (
            other.element_ty, other.address_space, other.const)

    def __hash__(self):
        return hash((self.name, self.address_space))

    def __repr__(self):
        return self.name

    def mangle(self):
        return f"P{self.element_ty.mangle()}"


class block_type(dtype):
    """The type of tiles: an element type and a shape.

    >>> tile = tl.block_type(tl.float16, [16, 32])
    >>> tile.shape, tile.numel, tile.scalar
    ((16, 32), 512, triton.language.float16)
    """

    def __init__(self, element_ty, shape):
        shape = [_unwrap_if_constexpr(s) for s in shape]
        if not shape:
            raise TypeError("a block has at least one axis")
        self._element_ty = element_ty
        self.shape = tuple(shape)
        self.numel = 1
        for s in shape:
            self.numel *= s
        if self.numel > TRITON_MAX_TENSOR_NUMEL:
            raise ValueError(f"a block of {self.numel} elements; the most are {TRITON_MAX_TENSOR_NUMEL}")
        self.name = f"<{list(self.shape)}, {element_ty}>"
        self.primitive_bitwidth = element_ty.primitive_bitwidth

    @property
    def element_ty(self):
        return self._element_ty

    @property
    def scalar(self):
        return self._element_ty

    def is_block(self):
        return True

    def get_block_shapes(self):
        return self.shape

    def with_element_ty(self, element_ty):
        return block_type(element_ty, self.shape)

    def __eq__(self, other):
        return isinstance(other, block_type) and (self.element_ty, self.shape) == (other.element_ty, other.shape)

    def __hash__(self):
        return hash((self.name, ))

    def __repr__(self):
        return self.name

    @property
    def nbytes(self):
        return self.numel * (self.primitive_bitwidth // 8)

    def mangle(self):
        return f"{self.element_ty.mangle()}S{'_'.join(map(str, self.shape))}S"


class tuple_type(base_type):
    """The type of tuples: a type for each item.

    >>> tl.tuple_type([tl.int32, tl.float32]).types
    [triton.language.int32, triton.language.float32]
    """

    def __init__(self, types, fields=None):
        self.types = types
        self.fields = fields or [""] * len(types)
        self.name = "[" + ",".join(str(t) for t in types) + "]"

    def __eq__(self, other):
        return type(self) is type(other) and (self.types, self.fields) == (other.types, other.fields)

    def __hash__(self):
        return hash(self.name)

    def __iter__(self):
        return iter(self.types)

    def __getitem__(self, index):
        return self.types[index]

    def __str__(self):
        return self.name

    def mangle(self):
        return "T" + "_".join(t.mangle() for t in self.types) + "T"


class tensor_descriptor_base_type(base_type):
    pass


class tensor_descriptor_type(tensor_descriptor_base_type):
    """The type of tensor descriptors: the type of their blocks.

    >>> tl.str_to_ty("tensordesc<fp16[64, 32]>").block_type.shape
    (64, 32)
    """

    def __init__(self, block_type, shape_type=None, strides_type=None):
        self.block_type = block_type
        self.shape_type = shape_type
        self.strides_type = strides_type

    def __eq__(self, other):
        return type(self) is type(other) and (self.block_type, self.shape_type, self.strides_type) == (
            other.block_type, other.shape_type, other.strides_type)

    def __hash__(self):
        return hash(self.block_type)

    def __repr__(self):
        return f"tensor_descriptor<{self.block_type}>"

    def mangle(self):
        return f"TD{self.block_type.mangle()}TD"


class slice_type(dtype):

    def __init__(self):
        self.name = "slice_type"


void = dtype("void")
int1, int8, int16, int32, int64 = (dtype(n) for n in ["int1"] + dtype.SINT_TYPES)
uint8, uint16, uint32, uint64 = (dtype(n) for n in dtype.UINT_TYPES[1:])
float8e5, float8e5b16, float8e4nv, float8e4b8, float8e4b15 = (
    dtype(n) for n in ("fp8e5", "fp8e5b16", "fp8e4nv", "fp8e4b8", "fp8e4b15"))
float16, bfloat16, float32, float64 = (dtype(n) for n in dtype.STANDARD_FP_TYPES)
pi32_t = pointer_type(int32)


_DTYPE_OF = {dtype(n).mangle(): dtype(n) for n in dtype.SINT_TYPES + dtype.UINT_TYPES + dtype.FP_TYPES}
_DTYPE_OF.update(i1=int1, u1=int1, B=int1)


def str_to_ty(name, c=None):
    """The type that a signature names: "*fp32", "i64", "tensordesc<fp16[64, 32]>", "constexpr" of the value c.

    >>> tl.str_to_ty("*fp32") == tl.pointer_type(tl.float32)
    True
    """
    if type(name) is tuple or type(name) is list:
        return tuple_type([str_to_ty(n) for n in name])
    if name == "constexpr":
        return constexpr_type(c)
    if name.startswith("*"):
        is_const = name.startswith("*k")
        return pointer_type(str_to_ty(name[2 if is_const else 1:]), const=is_const)
    if name.startswith("tensordesc<"):
        element, _, shape = name[len("tensordesc<"):].rstrip(">").partition("[")
        shape = [int(s) for s in shape.split("]")[0].split(",")]
        return tensor_descriptor_type(block_type(str_to_ty(element), shape), tuple_type([int32] * len(shape)),
                                      tuple_type([int64] * len(shape)))
    if name not in _DTYPE_OF:
        raise ValueError(f"a signature has no type '{name}'")
    return _DTYPE_OF[name]


def get_int_dtype(bitwidth, signed):
    # Kernels call it too, wrapped by `constexpr_function`: it says no more than compile-time evaluation knows.
    if bitwidth == 1:
        return int1
    if bitwidth not in (8, 16, 32, 64):
        raise ValueError(f"there is no integer type of {bitwidth} bits")
    return dtype(f"{'' if signed else 'u'}int{bitwidth}")


class PropagateNan(Enum):
    """What minimum, maximum and clamp give of a NaN and a number: the number (NONE), or NaN (ALL).

    >>> @triton.jit
    ... def least(x, out):
    ...     tl.store(out, tl.minimum(tl.load(x), 1.0, propagate_nan=tl.PropagateNan.ALL))
    >>> out = np.zeros(1, np.float32)
    >>> ran = least[(1, )](np.array([np.nan], np.float32), out)
    >>> bool(np.isnan(out[0]))
    True
    """
    NONE = 0
    ALL = 0xFFFF
