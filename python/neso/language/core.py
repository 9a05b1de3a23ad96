"""What host code sees of the tile language: dtypes and constexprs (_types.py) are values, the rest are names that only a
kernel may call. Kernels do not run this code: the compiler has its own meaning for each name."""

import operator

from .._utils import (BITWIDTH_DICT, TRITON_MAX_TENSOR_NUMEL, get_primitive_bitwidth,  # noqa: F401
                      type_canonicalisation_dict, validate_block_shape)
from ._types import (CONSTEXPR_0, PropagateNan, _DtypeClass, _unwrap_if_constexpr, base_type, base_value,  # noqa: F401
                     bfloat16, block_type, const, constexpr, constexpr_type, dtype, float8e4b8, float8e4b15,
                     float8e4nv, float8e5, float8e5b16, float16, float32, float64, get_int_dtype, int1, int8, int16,
                     int32, int64, pi32_t, pointer_type, slice_type, str_to_ty, tensor_descriptor_base_type,
                     tensor_descriptor_type, tuple_type, uint8, uint16, uint32, uint64, void)

TRITON_BUILTIN = "__triton_builtin__"

tuple_of_python = type(())


# ---- names that only a kernel may call ----


LIBRARY = "language.extra.libdevice."


def _doc(function):
    from .docs import doc_of, library_doc_of
    if function.__neso_path__.startswith(LIBRARY):
        return function._doc or library_doc_of(function.__name__)
    return function._doc or doc_of(function.__name__)


class builtin_function:
    # `tl.load` and the like, as an object of the host.

    __triton_builtin__ = True
    __doc__ = property(_doc)

    def __init__(self, path, doc=None):
        self.__neso_path__ = path
        self.__name__ = self.__qualname__ = path.rsplit(".", 1)[-1]
        self.__module__ = "triton." + path.rsplit(".", 1)[0]
        self._doc = doc

    def __call__(self, *args, **kwargs):
        raise ValueError(f"{self.__module__[7:]}.{self.__name__} works only inside of a kernel. "
                         "Did you forget to add @triton.jit ?")

    def __get__(self, instance, owner=None):
        return self

    @property
    def __signature__(self):
        from .signatures import signature_of
        return signature_of(self.__name__, self.__neso_path__.startswith(LIBRARY))

    def __repr__(self):
        return f"<function triton.{self.__neso_path__} of the tile language>"

    def __reduce__(self):
        return (builtin_function, (self.__neso_path__, self._doc))


def make_builtins(namespace, prefix, names):
    """Puts a builtin_function for each name into a module."""
    for name in names.split():
        namespace[name] = builtin_function(f"{prefix}.{name}")


def builtin(fn):
    """Marks a function of the host as part of the language."""
    fn.__triton_builtin__ = True
    return fn


def extern(fn):
    return builtin(fn)


def is_builtin(fn):
    return getattr(fn, TRITON_BUILTIN, False) is True


# ---- classes that kernels know by name ----


class _inside_only(base_value):

    def __init__(self, *args, **kwargs):
        raise ValueError(f"tl.{type(self).__name__} works only inside of a kernel. Did you forget to add @triton.jit ?")


class tensor(_inside_only):
    """A tile, inside of a kernel: a value with .shape, .dtype and .T, Python's operators by elements, indexing by None and `:` (and by constants and
    slices of it), and the functions of tl as methods (x.sum(0), x.to(tl.float16)).

    >>> @triton.jit
    ... def outer(x, out, N: tl.constexpr):
    ...     v = tl.load(x + tl.arange(0, N))
    ...     tile = v[:, None] * v[None, :]
    ...     tl.store(out, tile.to(tl.float32).sum())
    >>> out = np.zeros(1, np.float32)
    >>> ran = outer[(1, )](np.arange(4, dtype=np.int32), out, N=4)
    >>> float(out[0])
    36.0
    """


for _name in """T abs advance argmax argmin associative_scan atomic_add atomic_and atomic_cas atomic_load atomic_max atomic_min
        atomic_or atomic_poll atomic_store atomic_xchg atomic_xor broadcast_to cast cdiv ceil cos cumprod cumsum erf exp exp2 expand_dims flip floor gather
        histogram item log log2 logical_and logical_or max min permute ravel reduce reduce_or reshape rsqrt sigmoid sin
        softmax sort split sqrt sqrt_rn store sum to trans view xor_sum""".split():
    setattr(tensor, _name, builtin_function("language.tensor." + _name))


class tensor_descriptor_base(_inside_only):
    """A descriptor, inside of a kernel."""


for _name in "atomic_add atomic_and atomic_max atomic_min atomic_or atomic_xor gather load scatter store".split():
    setattr(tensor_descriptor_base, _name, builtin_function("language.tensor_descriptor." + _name))


class tensor_descriptor(tensor_descriptor_base):
    """A descriptor of a tensor in memory, inside of a kernel: tl.make_tensor_descriptor makes one, or it is an argument (a TensorDescriptor of the
    host). load([row, column]) gives the tile of its block's shape there, zeros outside of the tensor; store([row, column], tile) puts one;
    gather, scatter and the atomic_ ones do it by rows and by operations. shape, strides and block_shape are what it was made with.

    >>> @triton.jit
    ... def turned(x, out, N: tl.constexpr):
    ...     d = tl.make_tensor_descriptor(x, (N, N), (N, 1), (N, N))
    ...     tl.make_tensor_descriptor(out, (N, N), (N, 1), (N, N)).store([0, 0], d.load([0, 0]).T)
    >>> x, out = np.arange(256, dtype=np.float32).reshape(16, 16), np.zeros((16, 16), np.float32)
    >>> ran = turned[(1, )](x, out, N=16)
    >>> bool((out == x.T).all())
    True
    """


class slice(base_value):
    """Python's slice, among the values of a kernel.

    >>> part = tl.slice(0, 4, 1)
    >>> part.start, part.stop, part.step
    (0, 4, 1)
    """

    def __init__(self, start, stop, step):
        self.start, self.stop, self.step = start, stop, step
        self.type = slice_type()


class tuple(base_value):
    """A tuple of the language, whose elements may be tiles, scalars and constants; on the host it is used as Python's is.

    >>> pair = tl.tuple([1, 2])
    >>> pair[1], len(pair)
    (2, 2)
    """

    def __init__(self, args, type=None):
        self.values = [a for a in args]
        self.type = type

    def __getattr__(self, name):
        fields = getattr(self.__dict__.get("type"), "fields", None) or []
        if name in fields:
            return self.values[fields.index(name)]
        raise AttributeError(f"a tuple has no field '{name}'")

    def __iter__(self):
        return iter(self.values)

    def __len__(self):
        return len(self.values)

    def __getitem__(self, index):
        index = _unwrap_if_constexpr(index)
        found = self.values[index]
        return tuple(found) if isinstance(found, list) else found

    def __add__(self, other):
        return tuple(self.values + list(other))

    def __mul__(self, count):
        return tuple(self.values * _unwrap_if_constexpr(count))

    def __eq__(self, other):
        return len(self) == len(other) and all(a == b for a, b in zip(self, other))

    def __hash__(self):
        return hash(tuple_of_python(self.values))


class static_range(base_value):
    """A loop that is unrolled while compiling; on the host it iterates as Python's range. Start, end and step are constants, and in a kernel the
    loop's variable is one.

    >>> @triton.jit
    ... def powers(out):
    ...     for i in tl.static_range(4):
    ...         tl.store(out + i, 2**i)
    >>> out = np.zeros(4, np.int32)
    >>> ran = powers[(1, )](out)
    >>> out.tolist()
    [1, 2, 4, 8]
    """

    def __init__(self, arg1, arg2=None, step=None):
        self.step = constexpr(1 if step is None else step)
        self.start, self.end = (constexpr(0), arg1) if arg2 is None else (arg1, arg2)

    def __iter__(self):
        return iter(builtin_range(*(operator.index(_unwrap_if_constexpr(v)) for v in (self.start, self.end, self.step))))


class range(static_range):
    """A loop with hints to the compiler; on the host it iterates as Python's range.

    arg1, arg2, step: start, end and step, scalars, or one argument, the end. num_stages: how many tiles of its loads are under way at once.
    loop_unroll_factor: how many rounds are written out for one. flatten, of a loop over tiles around a loop of products: the loads of the next
    tile begin before this one ends. warp_specialize: some warps load and others compute, where the GPU has it. disallow_acc_multi_buffer: nothing,
    as sums are kept once; disable_licm: what does not change in the loop stays in it. Results are the same with each.

    >>> @triton.jit
    ... def total(x, out, n, BLOCK: tl.constexpr):
    ...     sums = tl.zeros((BLOCK, ), tl.float32)
    ...     for i in tl.range(0, n, BLOCK, num_stages=3):
    ...         sums += tl.load(x + i + tl.arange(0, BLOCK))
    ...     tl.store(out, tl.sum(sums))
    >>> out = np.zeros(1, np.float32)
    >>> ran = total[(1, )](np.ones(64, np.float32), out, 64, BLOCK=16)
    >>> float(out[0])
    64.0
    """

    def __init__(self, arg1, arg2=None, step=None, num_stages=None, loop_unroll_factor=None,
                 disallow_acc_multi_buffer=False, flatten=False, warp_specialize=False, disable_licm=False):
        super().__init__(arg1, arg2, step)
        self.num_stages = num_stages
        self.loop_unroll_factor = loop_unroll_factor


builtin_range = __builtins__["range"] if isinstance(__builtins__, dict) else __builtins__.range


class condition(base_value):
    """`while tl.condition(i < n, disable_licm=True)`: a condition, a scalar, with wishes for the compiler; the loop is the same.

    >>> @triton.jit
    ... def halvings(n, out):
    ...     steps = 0
    ...     while tl.condition(n > 1, disable_licm=True):
    ...         n = n // 2
    ...         steps += 1
    ...     tl.store(out, steps)
    >>> out = np.zeros(1, np.int32)
    >>> ran = halvings[(1, )](40, out)
    >>> int(out[0])
    5
    """

    def __init__(self, arg1, disable_licm=False):
        self.condition = arg1
        self.disable_licm = disable_licm


def _aggregate(cls):
    """Marks a class whose fields are values of the language; kernels make and change its objects, and call its methods that are kernels' functions.

    >>> @triton.aggregate
    ... class Range:
    ...     low: tl.tensor
    ...     high: tl.tensor
    >>> @triton.jit
    ... def kernel(x, out):
    ...     seen = Range(tl.load(x), tl.load(x + 1))
    ...     tl.store(out, seen.high - seen.low)
    >>> out = np.zeros(1, np.float32)
    >>> ran = kernel[(1, )](np.array([2, 5], np.float32), out)
    >>> float(out[0])
    3.0
    """
    from ._aggregate import made
    cls.__triton_aggregate__ = True
    made(cls)
    cls.hash_attrs = [cls.__init__] + [getattr(cls, n) for n in cls.__dict__ if hasattr(getattr(cls, n, None), "cache_key")]
    return cls


aggregate = _aggregate

make_builtins(globals(), "language", """
    aggregate_replace program_id num_programs arange full broadcast broadcast_to trans permute cat join split view item reshape
    expand_dims cast dot dot_scaled load load_tensor_descriptor store_tensor_descriptor store make_block_ptr advance
    make_tensor_descriptor _experimental_make_tensor_descriptor atomic_cas atomic_load atomic_store atomic_xchg atomic_add
    atomic_max atomic_min atomic_and atomic_or atomic_xor where add sub mul minimum maximum clamp reduce associative_scan histogram gather
    map_elementwise debug_barrier multiple_of max_contiguous max_constancy assume static_print static_assert
    device_print device_assert inline_asm_elementwise extern_elementwise dispatch to_tensor squeeze unsqueeze""")


class _AggregateReplace(builtin_function):

    __doc__ = property(_doc)

    def __call__(self, instance, **changes):
        from ._aggregate import replace
        return replace(instance, changes)


aggregate_replace = _AggregateReplace("language.aggregate_replace")


def _shape_check_impl(shape):
    validate_block_shape([_unwrap_if_constexpr(s) for s in shape])


def _unwrap_shape(shape):
    return [_unwrap_if_constexpr(s) for s in _unwrap_if_constexpr(shape)]


def _normalize_tuple(value):
    value = _unwrap_if_constexpr(value)
    return value if isinstance(value, (list, tuple_of_python, tuple)) else (value, )


def _unwrap_iterable(values):
    """The values of f(1, 2) and of f((1, 2)) alike."""
    if len(values) == 1 and isinstance(values[0], (list, tuple_of_python, tuple)):
        return values[0]
    return values


def binary_op_type_legalization(lhs, rhs, semantic):
    raise ValueError("types are legalised inside of a kernel")


# ---- functions for host and kernel ----


def cdiv_host(x, y):
    """x / y, rounded up, of whole numbers (int, or tl.constexpr); inside of a kernel of tiles too.

    >>> triton.cdiv(1000, 256)
    4
    """
    x, y = _unwrap_if_constexpr(x), _unwrap_if_constexpr(y)
    return (x + y - 1) // y


def next_power_of_2_host(n):
    """The smallest power of two that is not below n, an int; 0 for 0.

    >>> triton.next_power_of_2(300)
    512
    """
    n = _unwrap_if_constexpr(n)
    return 1 << (n - 1).bit_length() if n > 0 else 0


for _function, _name in ((cdiv_host, "cdiv"), (next_power_of_2_host, "next_power_of_2")):
    _function.__neso_path__ = _name
    _function.__triton_builtin__ = True
    _function.__name__ = _function.__qualname__ = _name
