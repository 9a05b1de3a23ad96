# Made by scripts/reference from signatures.py and docs.py (make reference).
from enum import Enum
from typing import Any, Callable, Generic, Iterator, Sequence, Tuple as _tuple, TypeVar

_T = TypeVar("_T")

TRITON_BUILTIN: str
TRITON_MAX_TENSOR_NUMEL: int

class builtin_function:
    __name__: str
    def __init__(self, path: str, doc: str | None = ...) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...

def make_builtins(namespace: dict[str, Any], prefix: str, names: str) -> None: ...
def builtin(fn: _T) -> _T: ...
def extern(fn: _T) -> _T: ...
def is_builtin(fn: Any) -> bool: ...

class base_value: ...

class base_type:
    def mangle(self) -> str: ...

class const: ...

class constexpr_type(base_type):
    value: Any
    def __init__(self, value: Any) -> None: ...

class constexpr(base_value):
    """A value that is known while a kernel is compiled. On the host it computes as its value does."""
    value: Any
    def __init__(self, value: Any) -> None: ...
    @property
    def type(self) -> constexpr_type: ...
    def __index__(self) -> int: ...
    def __int__(self) -> int: ...
    def __float__(self) -> float: ...
    def __bool__(self) -> bool: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __len__(self) -> int: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __getitem__(self, index: Any) -> Any: ...
    def __getattr__(self, name: str) -> Any: ...
    def __add__(self, other: Any) -> Any: ...
    def __radd__(self, other: Any) -> Any: ...
    def __sub__(self, other: Any) -> Any: ...
    def __rsub__(self, other: Any) -> Any: ...
    def __mul__(self, other: Any) -> Any: ...
    def __rmul__(self, other: Any) -> Any: ...
    def __truediv__(self, other: Any) -> Any: ...
    def __rtruediv__(self, other: Any) -> Any: ...
    def __floordiv__(self, other: Any) -> Any: ...
    def __rfloordiv__(self, other: Any) -> Any: ...
    def __mod__(self, other: Any) -> Any: ...
    def __rmod__(self, other: Any) -> Any: ...
    def __pow__(self, other: Any) -> Any: ...
    def __rpow__(self, other: Any) -> Any: ...
    def __lshift__(self, other: Any) -> Any: ...
    def __rshift__(self, other: Any) -> Any: ...
    def __and__(self, other: Any) -> Any: ...
    def __or__(self, other: Any) -> Any: ...
    def __xor__(self, other: Any) -> Any: ...
    def __lt__(self, other: Any) -> Any: ...
    def __le__(self, other: Any) -> Any: ...
    def __gt__(self, other: Any) -> Any: ...
    def __ge__(self, other: Any) -> Any: ...
    def __neg__(self) -> Any: ...
    def __invert__(self) -> Any: ...

class dtype(base_type):
    """The type of a tile's elements, of a scalar, or of what a pointer points to."""
    name: str
    primitive_bitwidth: int
    def __init__(self, name: str) -> None: ...
    def is_fp8(self) -> bool: ...
    def is_floating(self) -> bool: ...
    def is_int_signed(self) -> bool: ...
    def is_int_unsigned(self) -> bool: ...
    def is_int(self) -> bool: ...
    def is_bool(self) -> bool: ...
    def is_void(self) -> bool: ...
    def is_block(self) -> bool: ...
    def is_ptr(self) -> bool: ...
    def is_const(self) -> bool: ...
    def get_int_max_value(self) -> int: ...
    def get_int_min_value(self) -> int: ...
    @property
    def scalar(self) -> dtype: ...
    @property
    def element_ty(self) -> dtype: ...

class pointer_type(dtype):
    """The type of pointers to elements of a type."""
    address_space: int
    const: bool
    def __init__(self, element_ty: dtype, address_space: int = ..., const: bool = ...) -> None: ...

class block_type(dtype):
    """The type of tiles: an element type and a shape."""
    shape: Any
    numel: int
    def __init__(self, element_ty: dtype, shape: Sequence[int]) -> None: ...
    def get_block_shapes(self) -> Any: ...
    @property
    def nbytes(self) -> int: ...

class tuple_type(base_type):
    types: Any
    fields: Any
    def __init__(self, types: Sequence[Any], fields: Sequence[str] | None = ...) -> None: ...

class slice_type(dtype):
    def __init__(self) -> None: ...

void: dtype
int1: dtype
int8: dtype
int16: dtype
int32: dtype
int64: dtype
uint8: dtype
uint16: dtype
uint32: dtype
uint64: dtype
float8e4b15: dtype
float8e4b8: dtype
float8e4nv: dtype
float8e5: dtype
float8e5b16: dtype
float16: dtype
bfloat16: dtype
float32: dtype
float64: dtype
pi32_t: pointer_type

def str_to_ty(name: str, c: Any = ...) -> dtype: ...
def get_int_dtype(bitwidth: int, signed: bool) -> dtype: ...

class PropagateNan(Enum):
    NONE = ...
    ALL = ...

class tensor(base_value):
    """A tile, or a scalar that is known when the kernel runs."""
    dtype: dtype
    shape: Any
    type: Any
    T: tensor
    numel: constexpr
    def to(self, dtype: dtype, fp_downcast_rounding: str | None = ..., bitcast: bool = ...) -> tensor: ...
    def cast(self, dtype: dtype, fp_downcast_rounding: str | None = ..., bitcast: bool = ...) -> tensor: ...
    def logical_and(self, other: Any) -> tensor: ...
    def logical_or(self, other: Any) -> tensor: ...
    def __getitem__(self, index: Any) -> tensor: ...
    def __getattr__(self, name: str) -> Any: ...
    def __add__(self, other: Any) -> tensor: ...
    def __radd__(self, other: Any) -> tensor: ...
    def __sub__(self, other: Any) -> tensor: ...
    def __rsub__(self, other: Any) -> tensor: ...
    def __mul__(self, other: Any) -> tensor: ...
    def __rmul__(self, other: Any) -> tensor: ...
    def __truediv__(self, other: Any) -> tensor: ...
    def __rtruediv__(self, other: Any) -> tensor: ...
    def __floordiv__(self, other: Any) -> tensor: ...
    def __rfloordiv__(self, other: Any) -> tensor: ...
    def __mod__(self, other: Any) -> tensor: ...
    def __rmod__(self, other: Any) -> tensor: ...
    def __lshift__(self, other: Any) -> tensor: ...
    def __rlshift__(self, other: Any) -> tensor: ...
    def __rshift__(self, other: Any) -> tensor: ...
    def __rrshift__(self, other: Any) -> tensor: ...
    def __and__(self, other: Any) -> tensor: ...
    def __rand__(self, other: Any) -> tensor: ...
    def __or__(self, other: Any) -> tensor: ...
    def __ror__(self, other: Any) -> tensor: ...
    def __xor__(self, other: Any) -> tensor: ...
    def __rxor__(self, other: Any) -> tensor: ...
    def __lt__(self, other: Any) -> tensor: ...
    def __le__(self, other: Any) -> tensor: ...
    def __gt__(self, other: Any) -> tensor: ...
    def __ge__(self, other: Any) -> tensor: ...
    def __eq__(self, other: Any) -> tensor: ...  # type: ignore[override]
    def __ne__(self, other: Any) -> tensor: ...  # type: ignore[override]
    def __neg__(self) -> tensor: ...
    def __invert__(self) -> tensor: ...
    def __bool__(self) -> bool: ...
    def __index__(self) -> int: ...

class tensor_descriptor_base(base_value):
    shape: Any
    strides: Any
    block_shape: Any
    dtype: dtype
    def load(self, offsets: Sequence[Any]) -> tensor: ...
    def store(self, offsets: Sequence[Any], value: tensor) -> None: ...
    def gather(self, x_offsets: tensor, y_offset: Any) -> tensor: ...
    def scatter(self, value: tensor, x_offsets: tensor, y_offset: Any) -> None: ...
    def atomic_add(self, offsets: Sequence[Any], value: tensor) -> None: ...

class tensor_descriptor(tensor_descriptor_base): ...

class tensor_descriptor_base_type(base_type): ...

class tensor_descriptor_type(tensor_descriptor_base_type):
    def __init__(self, block_type: block_type, shape_type: Any = ..., strides_type: Any = ...) -> None: ...

class slice(base_value):
    start: Any
    stop: Any
    step: Any
    def __init__(self, start: Any, stop: Any, step: Any) -> None: ...

class tuple(base_value):
    values: Any
    def __init__(self, args: Sequence[Any], type: Any = ...) -> None: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __len__(self) -> int: ...
    def __getitem__(self, index: Any) -> Any: ...
    def __add__(self, other: Any) -> tuple: ...

class static_range(base_value):
    """range whose iterations are compiled one by one; its bounds are constants."""
    def __init__(self, arg1: Any, arg2: Any = ..., step: Any = ...) -> None: ...
    def __iter__(self) -> Iterator[Any]: ...

class range(static_range):
    """range with wishes for the compiler."""
    def __init__(self, arg1: Any, arg2: Any = ..., step: Any = ..., num_stages: int | None = ...,
                 loop_unroll_factor: int | None = ..., disallow_acc_multi_buffer: bool = ..., flatten: bool = ...,
                 warp_specialize: bool = ..., disable_licm: bool = ...) -> None: ...

class condition(base_value):
    def __init__(self, arg1: Any, disable_licm: bool = ...) -> None: ...

def _aggregate(cls: _T) -> _T: ...
aggregate = _aggregate
def cdiv_host(x: int, y: int) -> int: ...
def next_power_of_2_host(n: int) -> int: ...

def aggregate_replace(instance: tensor | int | float | bool | constexpr, **changes: Any) -> tensor:
    """An object like `instance`, of an aggregate, with other values of the fields that are named.

        >>> next_state = tl.aggregate_replace(state, at=state.at + 1)
    """

def program_id(axis: int | constexpr) -> tensor:
    """The number of this program along an axis of the grid: an int32 scalar. axis: 0, 1 or 2, a constant.

        >>> start = tl.program_id(0) * BLOCK
    """

def num_programs(axis: int | constexpr) -> tensor:
    """How many programs the grid has along an axis: an int32 scalar. axis: 0, 1 or 2, a constant.

        >>> for row in range(tl.program_id(0), rows, tl.num_programs(0)): ...
    """

def arange(start: int | constexpr, end: int | constexpr) -> tensor:
    """The whole numbers from start up to end, without it: an int32 tile of shape [end - start]. Both are constants. In Triton
    their difference is a power of two.

        >>> at = tl.program_id(0) * 128 + tl.arange(0, 128)
    """

def full(shape: Sequence[int | constexpr] | tuple, value: tensor | int | float | bool | constexpr, dtype: dtype) -> tensor:
    """A tile of a shape, a tuple of constants, whose elements are all `value`, a scalar, as `dtype`.

        >>> best = tl.full((BLOCK, ), float("-inf"), tl.float32)
    """

def broadcast(input: tensor | int | float | bool | constexpr, other: tensor | int | float | bool | constexpr) -> _tuple[tensor, tensor]:
    """Two tiles as tiles of one shape: a tuple of both.

        >>> a, b = tl.broadcast(row[:, None], column[None, :])
    """

def broadcast_to(input: tensor | int | float | bool | constexpr, *shape: Any) -> tensor:
    """The tile with another shape: axes of length 1 are repeated, and axes may be added in front.

        >>> wide = tl.broadcast_to(row[:, None], (M, N))
    """

def trans(input: tensor | int | float | bool | constexpr, *dims: Any) -> tensor:
    """The tile with its axes in another order: the last two exchanged, or as `dims` says.

        >>> kt = tl.trans(k)
    """

def permute(input: tensor | int | float | bool | constexpr, *dims: Any) -> tensor:
    """The tile with its axes in the order that `dims` names.

        >>> y = tl.permute(x, (2, 0, 1))
    """

def cat(input: tensor | int | float | bool | constexpr, other: tensor | int | float | bool | constexpr, can_reorder: bool = False, dim: int | constexpr | None = 0) -> tensor:
    """The elements of two tiles of one shape, those of the second behind those of the first along `dim`: of [N] and [N] a tile of shape
    [2 * N]. can_reorder=True says that the order of elements of rank 1 does not matter.

        >>> both = tl.cat(a, b, can_reorder=True)
    """

def join(a: tensor | int | float | bool | constexpr, b: tensor | int | float | bool | constexpr) -> tensor:
    """Two tiles of one shape as one with a new last axis of length 2: join(a, b)[..., 0] is a.

        >>> pairs = tl.join(even, odd)
    """

def split(a: tensor | int | float | bool | constexpr) -> _tuple[tensor, tensor]:
    """The two halves of a tile whose last axis has length 2: a tuple of tiles without that axis.

        >>> even, odd = tl.split(pairs)
    """

def view(input: tensor | int | float | bool | constexpr, *shape: Any) -> tensor:
    """The tile's elements under another shape, in an order that may be another one.

        >>> y = tl.view(x, (4, 32))
    """

def item(input: tensor | int | float | bool | constexpr) -> tensor:
    """The one element of a tile as a scalar.

        >>> s = tl.reshape(tl.max(x, 0), (1, )).item()
    """

def reshape(input: tensor | int | float | bool | constexpr, *shape: Any, can_reorder: bool = False) -> tensor:
    """The tile's elements in row-major order under another shape of as many elements. can_reorder=True says that their order does not matter.

        >>> y = tl.reshape(x, (4, 32))
    """

def expand_dims(input: tensor | int | float | bool | constexpr, axis: int | constexpr | None) -> tensor:
    """The tile with axes of length 1 added; axis: their places in the result, a constant or a tuple of such. x[:, None] does the same.

        >>> column = tl.expand_dims(x, 1)
    """

def cast(input: tensor | int | float | bool | constexpr, dtype: dtype, fp_downcast_rounding: str | None = None, bitcast: bool = False) -> tensor:
    """The tile's values as another dtype, as x.to(dtype) has them: to floats rounded to nearest even (fp_downcast_rounding: "rtne" or "rtz"), to
    integers towards zero. bitcast=True takes the same bits as a dtype of the same width.

        >>> h = tl.cast(acc, tl.float16)
    """

def dot(input: tensor | int | float | bool | constexpr, other: tensor | int | float | bool | constexpr, acc: tensor | None = None, input_precision: str | None = None, allow_tf32: bool | None = None, max_num_imprecise_acc: int | None = None, out_dtype: dtype | None = None) -> tensor:
    """The matrix product of tiles [M, K] and [K, N], or of stacks of such with an axis before, added to `acc`: a tile [M, N] of out_dtype, or
    acc's. input_precision: of fp32 factors, "tf32" (the default), "tf32x3" or "ieee". A K below 16, or 32 of factors of
    8 bits, is filled with zeros; Triton refuses it.

        >>> acc = tl.dot(tl.load(a), tl.load(b), acc)
    """

def dot_scaled(lhs: tensor | int | float | bool | constexpr, lhs_scale: tensor | None, lhs_format: str, rhs: tensor | int | float | bool | constexpr, rhs_scale: tensor | None, rhs_format: str, acc: tensor | None = None, fast_math: bool = False, lhs_k_pack: bool = True, rhs_k_pack: bool = True, out_dtype: dtype | None = None) -> tensor:
    """The product of tiles in small formats with a scale for each 32 elements along K: lhs [M, K] with lhs_scale [M, K // 32], rhs [K, N] with
    rhs_scale [N, K // 32], both uint8 (e8m0). Formats: "e2m1" (two to a byte), "e4m3", "e5m2", "bf16", "fp16".

        >>> acc = tl.dot_scaled(a, sa, "e4m3", b, sb, "e4m3", acc)
    """

def load(pointer: tensor, mask: tensor | bool | None = None, other: tensor | int | float | bool | constexpr | None = None, boundary_check: Sequence[int] | tuple = (), padding_option: str = '', cache_modifier: str = '', eviction_policy: str = '', volatile: bool = False) -> tensor:
    """What lies in memory. `pointer`: a tile of pointers, a scalar pointer, or a block pointer. Where `mask`, of a shape that fits, is False, nothing
    is read and the value is `other`, or not defined without one. Of a block pointer, boundary_check names the axes that may pass the end, which
    read as padding_option ("zero", "nan"). cache_modifier: "", ".ca", ".cg", ".cv"; eviction_policy: "", "evict_first", "evict_last".
    With volatile=True or ".cv" it is read each time and in its place: what others change may be polled so.

        >>> x = tl.load(x_ptr + at, mask=at < n, other=0.0)
    """

def load_tensor_descriptor(desc: tensor_descriptor, offsets: Sequence[Any] | tuple) -> tensor:
    """The block of a descriptor at these indices: desc.load(offsets).

        >>> x = tl.load_tensor_descriptor(d, (row, 0))
    """

def store_tensor_descriptor(desc: tensor_descriptor, offsets: Sequence[Any] | tuple, value: tensor | int | float | bool | constexpr) -> None:
    """Puts a block at these indices of a descriptor: desc.store(offsets, value). What passes the end is dropped.

        >>> tl.store_tensor_descriptor(d, (row, 0), x)
    """

def store(pointer: tensor, value: tensor | int | float | bool | constexpr, mask: tensor | bool | None = None, boundary_check: Sequence[int] | tuple = (), cache_modifier: str = '', eviction_policy: str = '') -> None:
    """Puts a value, converted to the element type, into memory: the other way of load.

        >>> tl.store(out_ptr + at, x * 2, mask=at < n)
    """

def make_block_ptr(base: tensor, shape: Sequence[Any] | tuple, strides: Sequence[Any] | tuple, offsets: Sequence[Any] | tuple, block_shape: Sequence[int | constexpr] | tuple, order: Sequence[int | constexpr] | tuple) -> tensor:
    """A pointer to a block of an array: its base, a scalar pointer, its shape and strides in elements, the block's first indices, its shape, which is
    constant, and the order of axes in memory, the fastest first.

        >>> p = tl.make_block_ptr(a, (M, K), (K, 1), (row, 0), (BM, BK), (1, 0))
    """

def advance(base: tensor, offsets: Sequence[Any] | tuple) -> tensor:
    """A block pointer moved by offsets along its axes.

        >>> p = tl.advance(p, (0, BK))
    """

def make_tensor_descriptor(base: tensor, shape: Sequence[Any] | tuple, strides: Sequence[Any] | tuple, block_shape: Sequence[int | constexpr] | tuple, padding_option: str = 'zero') -> tensor_descriptor:
    """A descriptor of an array in memory: its base, shape and strides in elements, and the shape of the blocks that .load and .store take, which is
    constant. The last stride is 1, the others are multiples of 16 bytes, as is the base. What is read past the end is 0, or NaN.

        >>> d = tl.make_tensor_descriptor(a, (M, K), (K, 1), (64, 32))
    """

def _experimental_make_tensor_descriptor(base: tensor, shape: Sequence[int | constexpr] | tuple, strides: Sequence[Any] | tuple, block_shape: Sequence[int | constexpr] | tuple, padding_option: str = 'zero') -> tensor_descriptor:
    """A descriptor of an array in memory: its base, shape and strides in elements, and the shape of the blocks that .load and .store take, which is
    constant. The last stride is 1, the others are multiples of 16 bytes, as is the base. What is read past the end is 0, or NaN.

        >>> d = tl.make_tensor_descriptor(a, (M, K), (K, 1), (64, 32))
    """

def atomic_cas(pointer: tensor, cmp: tensor | int | float | bool | constexpr, val: tensor | int | float | bool | constexpr, sem: str | None = None, scope: str | None = None) -> tensor:
    """Puts `val` into memory where `cmp` lies there, and gives what was there, in one step.

        >>> while tl.atomic_cas(lock, 0, 1) == 1: pass
    """

def atomic_load(pointer: tensor, mask: tensor | bool | None = None, sem: str | None = None, scope: str | None = None) -> tensor:
    """What lies in memory, read at once, with an ordering: sem "acquire" (the default) or "relaxed", scope "gpu" (the default), "cta" or "sys".
    Elements have 16, 32 or 64 bits.

        >>> ready = tl.atomic_load(flag)
    """

def atomic_store(pointer: tensor, val: tensor | int | float | bool | constexpr, mask: tensor | bool | None = None, sem: str | None = None, scope: str | None = None) -> tensor:
    """Puts `val` into memory at once, with an ordering: sem "release" (the default) or "relaxed"; otherwise as atomic_load.

        >>> tl.atomic_store(flag, 1)
    """

def atomic_xchg(pointer: tensor, val: tensor | int | float | bool | constexpr, mask: tensor | bool | None = None, sem: str | None = None, scope: str | None = None) -> tensor:
    """Puts `val` into memory and gives what was there, in one step, as atomic_add does.

        >>> tl.atomic_xchg(lock, 0)
    """

def atomic_add(pointer: tensor, val: tensor | int | float | bool | constexpr, mask: tensor | bool | None = None, sem: str | None = None, scope: str | None = None) -> tensor:
    """Adds to what lies in memory, in one step that no other program comes between, and gives what was there. `sem`: "acq_rel" (the default), "acquire",
    "release", "relaxed"; `scope`: "gpu" (the default), "cta", "sys". Nothing is done where `mask` is False.

        >>> tl.atomic_add(counts + bin, 1, mask=at < n)
    """

def atomic_max(pointer: tensor, val: tensor | int | float | bool | constexpr, mask: tensor | bool | None = None, sem: str | None = None, scope: str | None = None) -> tensor:
    """Puts the greater of what lies in memory and `val` there, as atomic_add does, and gives what was there.

        >>> tl.atomic_max(best, x)
    """

def atomic_min(pointer: tensor, val: tensor | int | float | bool | constexpr, mask: tensor | bool | None = None, sem: str | None = None, scope: str | None = None) -> tensor:
    """Puts the smaller of what lies in memory and `val` there, as atomic_add does, and gives what was there.

        >>> tl.atomic_min(least, x)
    """

def atomic_and(pointer: tensor, val: tensor | int | float | bool | constexpr, mask: tensor | bool | None = None, sem: str | None = None, scope: str | None = None) -> tensor:
    """Puts the bits that what lies in memory and `val` share there, as atomic_add does, and gives what was there.

        >>> tl.atomic_and(flags, ~bit)
    """

def atomic_or(pointer: tensor, val: tensor | int | float | bool | constexpr, mask: tensor | bool | None = None, sem: str | None = None, scope: str | None = None) -> tensor:
    """Puts the bits of what lies in memory or of `val` there, as atomic_add does, and gives what was there.

        >>> tl.atomic_or(flags, bit)
    """

def atomic_xor(pointer: tensor, val: tensor | int | float | bool | constexpr, mask: tensor | bool | None = None, sem: str | None = None, scope: str | None = None) -> tensor:
    """Puts the bits that what lies in memory and `val` do not share there, as atomic_add does, and gives what was there.

        >>> tl.atomic_xor(flags, bit)
    """

def where(condition: tensor | int | float | bool | constexpr, x: tensor | int | float | bool | constexpr, y: tensor | int | float | bool | constexpr) -> tensor:
    """Elements of x where the condition holds, of y elsewhere. Both are worked out in any case.

        >>> y = tl.where(x > 0, x, 0.01 * x)
    """

def add(x: tensor | int | float | bool | constexpr, y: tensor | int | float | bool | constexpr, sanitize_overflow: bool = True) -> tensor:
    """x + y; sanitize_overflow=False: without the check for overflow that debug adds.

        >>> z = tl.add(x, y)
    """

def sub(x: tensor | int | float | bool | constexpr, y: tensor | int | float | bool | constexpr, sanitize_overflow: bool = True) -> tensor:
    """x - y; sanitize_overflow=False: without the check for overflow that debug adds.

        >>> z = tl.sub(x, y)
    """

def mul(x: tensor | int | float | bool | constexpr, y: tensor | int | float | bool | constexpr, sanitize_overflow: bool = True) -> tensor:
    """x * y; sanitize_overflow=False: without the check for overflow that debug adds.

        >>> z = tl.mul(x, y)
    """

def minimum(x: tensor | int | float | bool | constexpr, y: tensor | int | float | bool | constexpr, propagate_nan: PropagateNan | None = None) -> tensor:
    """The smaller of each two elements. Of a NaN and a number it gives the number, or with propagate_nan=tl.PropagateNan.ALL NaN.

        >>> z = tl.minimum(x, y)
    """

def maximum(x: tensor | int | float | bool | constexpr, y: tensor | int | float | bool | constexpr, propagate_nan: PropagateNan | None = None) -> tensor:
    """The greater of each two elements. Of a NaN and a number it gives the number, or with propagate_nan=tl.PropagateNan.ALL NaN.

        >>> z = tl.maximum(x, 0.0)
    """

def clamp(x: tensor | int | float | bool | constexpr, min: tensor | int | float | bool | constexpr, max: tensor | int | float | bool | constexpr, propagate_nan: PropagateNan | None = None) -> tensor:
    """The elements, of floats, kept between min and max.

        >>> y = tl.clamp(x, -1.0, 1.0)
    """

def reduce(input: tensor | int | float | bool | constexpr, axis: int | constexpr | None, combine_fn: Callable[..., Any], keep_dims: bool = False) -> Any:
    """The elements along an axis put together by combine_fn, a jit function of two values that gives one (of a tuple of tiles: of two of each, in order,
    that gives a tuple); axis=None: all of them. The axis goes, or with keep_dims is of length 1.

        >>> p = tl.reduce(x, 0, multiply)
    """

def associative_scan(input: tensor | int | float | bool | constexpr, axis: int | constexpr | None, combine_fn: Callable[..., Any], reverse: bool = False) -> Any:
    """What reduce gives, for all elements up to each along an axis: a tile of the same shape; reverse=True: from the end.

        >>> p = tl.associative_scan(x, 0, multiply)
    """

def histogram(input: tensor | int | float | bool | constexpr, num_bins: int | constexpr, mask: tensor | bool | None = None, weights: tensor | int | float | bool | constexpr | None = None) -> tensor:
    """How many elements of an int32 tile are 0, 1, ..., num_bins - 1: an int32 tile [num_bins]. Those where `mask` is False do not count.

        >>> h = tl.histogram(x, 256)
    """

def gather(src: tensor | int | float | bool | constexpr, index: tensor | int | float | bool | constexpr, axis: int | constexpr | None) -> tensor:
    """Elements of src at the indices that `index`, of as many axes, has along an axis: a tile of index's shape.

        >>> y = tl.gather(table, index, 0)
    """

def map_elementwise(scalar_fn: Callable[..., Any], *args: Any, pack: int = 1) -> Any:
    """The results of a jit function of scalars for each element of tiles, where control flow may differ from element to element; pack: how many elements,
    which follow one another in row-major order, it is given at a time.

        >>> y = tl.map_elementwise(collatz, x)
    """

def debug_barrier() -> None:
    """All threads of the program come to this place before any goes on.

        >>> tl.debug_barrier()
    """

def multiple_of(input: tensor | int | float | bool | constexpr, values: int | constexpr | Sequence[int]) -> tensor:
    """The tile, of which the compiler may believe that its first element (along each axis) is a multiple of these constants.

        >>> at = tl.multiple_of(at, 16)
    """

def max_contiguous(input: tensor | int | float | bool | constexpr, values: int | constexpr | Sequence[int]) -> tensor:
    """The tile, of which the compiler may believe that so many elements (along each axis) follow one another by 1.

        >>> at = tl.max_contiguous(at, 64)
    """

def max_constancy(input: tensor | int | float | bool | constexpr, values: int | constexpr | Sequence[int]) -> tensor:
    """The tile, of which the compiler may believe that so many elements (along each axis) are equal.

        >>> row = tl.max_constancy(row, 32)
    """

def assume(cond: tensor | int | float | bool | constexpr) -> None:
    """The compiler may believe that the condition, a scalar, holds.

        >>> tl.assume(stride > 0)
    """

def static_print(*values: Any, sep: str = ' ', end: int | constexpr = '\n', file: Any | None = None, flush: bool = False) -> None:
    """Prints constants and types while the kernel is compiled.

        >>> tl.static_print("BLOCK", BLOCK, x.dtype)
    """

def static_assert(cond: tensor | int | float | bool | constexpr, msg: str = '') -> None:
    """Ends the compilation where a condition of constants does not hold.

        >>> tl.static_assert(BLOCK % 32 == 0, "BLOCK is a multiple of 32")
    """

def device_print(prefix: str, *args: Any, hex: bool = False) -> None:
    """Prints tiles and scalars while the kernel runs, each element with its program; hex=True: integers in base 16.

        >>> tl.device_print("x", x)
    """

def device_assert(cond: tensor | int | float | bool | constexpr, msg: str = '', mask: tensor | bool | None = None) -> None:
    """With debug=True, or TRITON_DEBUG=1, ends the launch with an error where the condition does not hold for some element where `mask` is True.

        >>> tl.device_assert(index < n, "index out of range")
    """

def inline_asm_elementwise(asm: str, constraints: str, args: Sequence[Any], dtype: dtype | Sequence[dtype], is_pure: bool, pack: int) -> Any:
    """The results of PTX for each `pack` elements of tiles of one shape; constraints as in inline assembly ("=r,r"; "n" takes a number that is
    known when compiling); dtype: of the result, or a tuple of such.

        >>> y = tl.inline_asm_elementwise("popc.b32 $0, $1;", "=r,r", [x], dtype=tl.int32, is_pure=True, pack=1)
    """

def extern_elementwise(lib_name: str, lib_path: str, args: Sequence[Any], arg_type_symbol_dict: dict[Any, Any], is_pure: bool) -> tensor:
    """The results of a function of a library of bitcode for each element; arg_type_symbol_dict: its name for each tuple of argument types, with the
    type of its result.

        >>> y = tl.core.extern_elementwise("", "", [x], {(tl.float32, ): ("__nv_sinf", tl.float32)}, is_pure=True)
    """

def dispatch(func: str, lib_name: str, lib_path: str, args: Sequence[Any], arg_type_symbol_dict: dict[Any, Any], ret_type: Any, is_pure: bool) -> tensor:
    """What extern_elementwise does, for a function of functions."""

def to_tensor(x: tensor | int | float | bool | constexpr) -> tensor:
    """A constant, or a number, as a scalar of the language.

        >>> one = tl.to_tensor(1)
    """

def squeeze(x: tensor | int | float | bool | constexpr, dim: int | constexpr | None) -> tensor:
    """The tile without an axis of length 1.

        >>> y = tl.squeeze(x, 0)
    """

def unsqueeze(x: tensor | int | float | bool | constexpr, dim: int | constexpr | None) -> tensor:
    """The tile with an axis of length 1 added at `dim`.

        >>> y = tl.unsqueeze(x, 0)
    """
