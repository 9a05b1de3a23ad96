"""What each function of the tile language does: help(tl.load), editors, and docs/reference/language.md are made of it.

An entry is the function's name, a line of its own, and its text; the last lines, which begin with ">>>", are an example from inside of a
kernel. Entries are separated by blank lines. A tile is a value with a shape; where a tile is taken, a scalar is taken as one of no
dimensions, and shapes of several tiles are broadcast to one another as NumPy's are."""

DOCS = """
program_id
The number of this program along an axis of the grid: an int32 scalar. axis: 0, 1 or 2, a constant.
>>> start = tl.program_id(0) * BLOCK

num_programs
How many programs the grid has along an axis: an int32 scalar. axis: 0, 1 or 2, a constant.
>>> for row in range(tl.program_id(0), rows, tl.num_programs(0)): ...

arange
The whole numbers from start up to end, without it: an int32 tile of shape [end - start]. Both are constants. In Triton
their difference is a power of two.
>>> at = tl.program_id(0) * 128 + tl.arange(0, 128)

full
A tile of a shape, a tuple of constants, whose elements are all `value`, a scalar, as `dtype`.
>>> best = tl.full((BLOCK, ), float("-inf"), tl.float32)

zeros
A tile of zeros of a shape, a tuple of constants, and a dtype.
>>> acc = tl.zeros((M, N), dtype=tl.float32)

zeros_like
A tile of zeros of another tile's shape and dtype.
>>> acc = tl.zeros_like(x)

broadcast
Two tiles as tiles of one shape: a tuple of both.
>>> a, b = tl.broadcast(row[:, None], column[None, :])

broadcast_to
The tile with another shape: axes of length 1 are repeated, and axes may be added in front.
>>> wide = tl.broadcast_to(row[:, None], (M, N))

trans
The tile with its axes in another order: the last two exchanged, or as `dims` says.
>>> kt = tl.trans(k)

aggregate_replace
An object like `instance`, of an aggregate, with other values of the fields that are named.
>>> next_state = tl.aggregate_replace(state, at=state.at + 1)

permute
The tile with its axes in the order that `dims` names.
>>> y = tl.permute(x, (2, 0, 1))

cat
The elements of two tiles of one shape, those of the second behind those of the first along `dim`: of [N] and [N] a tile of shape
[2 * N]. can_reorder=True says that the order of elements of rank 1 does not matter.
>>> both = tl.cat(a, b, can_reorder=True)

join
Two tiles of one shape as one with a new last axis of length 2: join(a, b)[..., 0] is a.
>>> pairs = tl.join(even, odd)

split
The two halves of a tile whose last axis has length 2: a tuple of tiles without that axis.
>>> even, odd = tl.split(pairs)

interleave
Two tiles of one shape with their elements in turns along the last axis, which becomes twice as long.
>>> x = tl.interleave(even, odd)

view
The tile's elements under another shape, in an order that may be another one.
>>> y = tl.view(x, (4, 32))

reshape
The tile's elements in row-major order under another shape of as many elements. can_reorder=True says that their order does not matter.
>>> y = tl.reshape(x, (4, 32))

ravel
The tile's elements in row-major order as a tile of one axis.
>>> flat = tl.ravel(x)

item
The one element of a tile as a scalar.
>>> s = tl.reshape(tl.max(x, 0), (1, )).item()

expand_dims
The tile with axes of length 1 added; axis: their places in the result, a constant or a tuple of such. x[:, None] does the same.
>>> column = tl.expand_dims(x, 1)

squeeze
The tile without an axis of length 1.
>>> y = tl.squeeze(x, 0)

unsqueeze
The tile with an axis of length 1 added at `dim`.
>>> y = tl.unsqueeze(x, 0)

flip
The tile with the order of its elements along an axis turned round; dim: None for the last.
>>> y = tl.flip(x)

cast
The tile's values as another dtype, as x.to(dtype) has them: to floats rounded to nearest even (fp_downcast_rounding: "rtne" or "rtz"), to
integers towards zero. bitcast=True takes the same bits as a dtype of the same width.
>>> h = tl.cast(acc, tl.float16)

dot
The matrix product of tiles [M, K] and [K, N], or of stacks of such with an axis before, added to `acc`: a tile [M, N] of out_dtype, or
acc's. input_precision: of fp32 factors, "tf32" (the default), "tf32x3" or "ieee". A K below 16, or 32 of factors of
8 bits, is filled with zeros; Triton refuses it.
>>> acc = tl.dot(tl.load(a), tl.load(b), acc)

dot_scaled
The product of tiles in small formats with a scale for each 32 elements along K: lhs [M, K] with lhs_scale [M, K // 32], rhs [K, N] with
rhs_scale [N, K // 32], both uint8 (e8m0). Formats: "e2m1" (two to a byte), "e4m3", "e5m2", "bf16", "fp16".
>>> acc = tl.dot_scaled(a, sa, "e4m3", b, sb, "e4m3", acc)

load
What lies in memory. `pointer`: a tile of pointers, a scalar pointer, or a block pointer. Where `mask`, of a shape that fits, is False, nothing
is read and the value is `other`, or not defined without one. Of a block pointer, boundary_check names the axes that may pass the end, which
read as padding_option ("zero", "nan"). cache_modifier: "", ".ca", ".cg", ".cv"; eviction_policy: "", "evict_first", "evict_last".
With volatile=True or ".cv" it is read each time and in its place: what others change may be polled so.
>>> x = tl.load(x_ptr + at, mask=at < n, other=0.0)

store
Puts a value, converted to the element type, into memory: the other way of load.
>>> tl.store(out_ptr + at, x * 2, mask=at < n)

make_block_ptr
A pointer to a block of an array: its base, a scalar pointer, its shape and strides in elements, the block's first indices, its shape, which is
constant, and the order of axes in memory, the fastest first.
>>> p = tl.make_block_ptr(a, (M, K), (K, 1), (row, 0), (BM, BK), (1, 0))

advance
A block pointer moved by offsets along its axes.
>>> p = tl.advance(p, (0, BK))

make_tensor_descriptor
A descriptor of an array in memory: its base, shape and strides in elements, and the shape of the blocks that .load and .store take, which is
constant. The last stride is 1, the others are multiples of 16 bytes, as is the base. What is read past the end is 0, or NaN.
>>> d = tl.make_tensor_descriptor(a, (M, K), (K, 1), (64, 32))

load_tensor_descriptor
The block of a descriptor at these indices: desc.load(offsets).
>>> x = tl.load_tensor_descriptor(d, (row, 0))

store_tensor_descriptor
Puts a block at these indices of a descriptor: desc.store(offsets, value). What passes the end is dropped.
>>> tl.store_tensor_descriptor(d, (row, 0), x)

atomic_add
Adds to what lies in memory, in one step that no other program comes between, and gives what was there. `sem`: "acq_rel" (the default), "acquire",
"release", "relaxed"; `scope`: "gpu" (the default), "cta", "sys". Nothing is done where `mask` is False.
>>> tl.atomic_add(counts + bin, 1, mask=at < n)

atomic_max
Puts the greater of what lies in memory and `val` there, as atomic_add does, and gives what was there.
>>> tl.atomic_max(best, x)

atomic_min
Puts the smaller of what lies in memory and `val` there, as atomic_add does, and gives what was there.
>>> tl.atomic_min(least, x)

atomic_and
Puts the bits that what lies in memory and `val` share there, as atomic_add does, and gives what was there.
>>> tl.atomic_and(flags, ~bit)

atomic_or
Puts the bits of what lies in memory or of `val` there, as atomic_add does, and gives what was there.
>>> tl.atomic_or(flags, bit)

atomic_xor
Puts the bits that what lies in memory and `val` do not share there, as atomic_add does, and gives what was there.
>>> tl.atomic_xor(flags, bit)

atomic_xchg
Puts `val` into memory and gives what was there, in one step, as atomic_add does.
>>> tl.atomic_xchg(lock, 0)

atomic_cas
Puts `val` into memory where `cmp` lies there, and gives what was there, in one step.
>>> while tl.atomic_cas(lock, 0, 1) == 1: pass

atomic_load
What lies in memory, read at once, with an ordering: sem "acquire" (the default) or "relaxed", scope "gpu" (the default), "cta" or "sys".
Elements have 16, 32 or 64 bits.
>>> ready = tl.atomic_load(flag)

atomic_store
Puts `val` into memory at once, with an ordering: sem "release" (the default) or "relaxed"; otherwise as atomic_load.
>>> tl.atomic_store(flag, 1)

atomic_poll
Waits until `expected_value` lies behind each of the pointers, to integers of 16, 32 or 64 bits, and gives True for each. sem and scope
are atomic_load's. No time is kept: timeout_ns must be None.
>>> tl.atomic_poll(flag, 1)

expect_zero
The elements of x, which are expected to be 0 where `mask` is True: with debug=True, or TRITON_DEBUG=1, the launch ends with an error
where they are not.
>>> y = tl.expect_zero(x, index >= n)

where
Elements of x where the condition holds, of y elsewhere. Both are worked out in any case.
>>> y = tl.where(x > 0, x, 0.01 * x)

add
x + y; sanitize_overflow=False: without the check for overflow that debug adds.
>>> z = tl.add(x, y)

sub
x - y; sanitize_overflow=False: without the check for overflow that debug adds.
>>> z = tl.sub(x, y)

mul
x * y; sanitize_overflow=False: without the check for overflow that debug adds.
>>> z = tl.mul(x, y)

minimum
The smaller of each two elements. Of a NaN and a number it gives the number, or with propagate_nan=tl.PropagateNan.ALL NaN.
>>> z = tl.minimum(x, y)

maximum
The greater of each two elements. Of a NaN and a number it gives the number, or with propagate_nan=tl.PropagateNan.ALL NaN.
>>> z = tl.maximum(x, 0.0)

clamp
The elements, of floats, kept between min and max.
>>> y = tl.clamp(x, -1.0, 1.0)

reduce
The elements along an axis put together by combine_fn, a jit function of two values that gives one (of a tuple of tiles: of two of each, in order,
that gives a tuple); axis=None: all of them. The axis goes, or with keep_dims is of length 1.
>>> p = tl.reduce(x, 0, multiply)

associative_scan
What reduce gives, for all elements up to each along an axis: a tile of the same shape; reverse=True: from the end.
>>> p = tl.associative_scan(x, 0, multiply)

histogram
How many elements of an int32 tile are 0, 1, ..., num_bins - 1: an int32 tile [num_bins]. Those where `mask` is False do not count.
>>> h = tl.histogram(x, 256)

gather
Elements of src at the indices that `index`, of as many axes, has along an axis: a tile of index's shape.
>>> y = tl.gather(table, index, 0)

map_elementwise
The results of a jit function of scalars for each element of tiles, where control flow may differ from element to element; pack: how many elements,
which follow one another in row-major order, it is given at a time.
>>> y = tl.map_elementwise(collatz, x)

debug_barrier
All threads of the program come to this place before any goes on.
>>> tl.debug_barrier()

multiple_of
The tile, of which the compiler may believe that its first element (along each axis) is a multiple of these constants.
>>> at = tl.multiple_of(at, 16)

max_contiguous
The tile, of which the compiler may believe that so many elements (along each axis) follow one another by 1.
>>> at = tl.max_contiguous(at, 64)

max_constancy
The tile, of which the compiler may believe that so many elements (along each axis) are equal.
>>> row = tl.max_constancy(row, 32)

assume
The compiler may believe that the condition, a scalar, holds.
>>> tl.assume(stride > 0)

static_assert
Ends the compilation where a condition of constants does not hold.
>>> tl.static_assert(BLOCK % 32 == 0, "BLOCK is a multiple of 32")

static_print
Prints constants and types while the kernel is compiled.
>>> tl.static_print("BLOCK", BLOCK, x.dtype)

device_print
Prints tiles and scalars while the kernel runs, each element with its program; hex=True: integers in base 16.
>>> tl.device_print("x", x)

device_assert
With debug=True, or TRITON_DEBUG=1, ends the launch with an error where the condition does not hold for some element where `mask` is True.
>>> tl.device_assert(index < n, "index out of range")

inline_asm_elementwise
The results of PTX for each `pack` elements of tiles of one shape; constraints as in inline assembly ("=r,r"; "n" takes a number that is
known when compiling); dtype: of the result, or a tuple of such.
>>> y = tl.inline_asm_elementwise("popc.b32 $0, $1;", "=r,r", [x], dtype=tl.int32, is_pure=True, pack=1)

extern_elementwise
The results of a function of a library of bitcode for each element; arg_type_symbol_dict: its name for each tuple of argument types, with the
type of its result.
>>> y = tl.core.extern_elementwise("", "", [x], {(tl.float32, ): ("__nv_sinf", tl.float32)}, is_pure=True)

dispatch
What extern_elementwise does, for a function of functions.

to_tensor
A constant, or a number, as a scalar of the language.
>>> one = tl.to_tensor(1)

umulhi
The upper half of the product of unsigned integers of 32 or 64 bits.
>>> hi = tl.umulhi(a, b)

exp
e to the power of each element, of a float.
>>> p = tl.exp(x - tl.max(x, 0))

exp2
2 to the power of each element, of a float.
>>> p = tl.exp2(x * 1.4426950408889634)

log
The natural logarithm of each element, of a float.
>>> y = tl.log(x)

log2
The logarithm to base 2 of each element, of a float.
>>> y = tl.log2(x)

cos
The cosine of each element, of a float, in radians.
>>> y = tl.cos(x)

sin
The sine of each element, of a float, in radians.
>>> y = tl.sin(x)

sqrt
The square root of each element, of a float; of fp32 as fast as the target has it.
>>> y = tl.sqrt(x)

sqrt_rn
The square root of each element of fp32, rounded to nearest even.
>>> y = tl.sqrt_rn(x)

rsqrt
1 over the square root of each element, of a float.
>>> y = x * tl.rsqrt(variance + eps)

abs
Each element without its sign.
>>> y = tl.abs(x)

fdiv
x / y of floats; ieee_rounding=True: rounded to nearest even. approx=True: of fp32, it may be rough; here it is not.
>>> y = tl.fdiv(x, total)

div_rn
x / y of fp32, rounded to nearest even.
>>> y = tl.div_rn(x, total)

erf
The error function of each element, of a float.
>>> y = 0.5 * x * (1 + tl.erf(x * 0.7071067811865476))

floor
The greatest whole number that is not above each element, as a float.
>>> y = tl.floor(x)

ceil
The smallest whole number that is not below each element, as a float.
>>> y = tl.ceil(x)

fma
x * y + z, rounded once.
>>> y = tl.fma(a, x, b)

cdiv
x / div of whole numbers, rounded up.
>>> blocks = tl.cdiv(n, BLOCK)

sigmoid
1 / (1 + exp(-x)) of each element.
>>> y = x * tl.sigmoid(x)

softmax
exp(x) over its sum along an axis, in a way that does not overflow; dim: None for the first.
>>> p = tl.softmax(x)

swizzle2d
The indices of a grid of size_i by size_j programs, numbered by rows, in an order in which size_g rows go together: a tuple of both.
>>> i, j = tl.swizzle2d(pid_m, pid_n, num_m, num_n, 8)

max
The greatest element along an axis; axis=None: of all. return_indices=True: and where it is, as a tuple; of equals the first.
>>> m = tl.max(x, axis=1)

min
The smallest element along an axis; axis=None: of all. return_indices=True: and where it is, as a tuple; of equals the first.
>>> m = tl.min(x, axis=1)

argmax
Where the greatest element along an axis is, as int32; of equals the first, or any with tie_break_left=False.
>>> i = tl.argmax(x, axis=0)

argmin
Where the smallest element along an axis is, as int32; of equals the first, or any with tie_break_left=False.
>>> i = tl.argmin(x, axis=0)

sum
The sum of the elements along an axis; axis=None: of all. Small integers are added as int32, or as dtype.
>>> s = tl.sum(x * y, axis=1)

prod
Product along an axis, or of all elements; computed in dtype. Triton has it not.
>>> p = tl.prod(x, axis=0)

xor_sum
The bits of the elements of integers along an axis, put together by exclusive or.
>>> s = tl.xor_sum(x, axis=0)

reduce_or
The bits of the elements of integers along an axis, put together by or.
>>> s = tl.reduce_or(x, axis=0)

cumsum
The sums of all elements up to each along an axis; reverse=True: from the end. exclusive=True (Triton has it not): without the element itself.
>>> c = tl.cumsum(x, axis=0)

cumprod
The products of all elements up to each along an axis, in dtype where one is given; reverse=True: from the end. exclusive=True (Triton has it not): without the element itself.
>>> c = tl.cumprod(x, axis=0)

sort
The elements in order along the last axis; descending=True: the greatest first. return_indices=True (Triton has it not): and where they were. values=, a tile or a tuple of tiles (Triton has it not): and these in the same order.
>>> y = tl.sort(x)

argsort
Where the elements are along the last axis, in their order; equal ones stay as they are, NaN is the greatest. Triton has it not.
>>> index = tl.argsort(x)

median
The middle one of the elements along the last axis, the lower of two; NaN where there is one. Triton has it not.
>>> m = tl.median(x)

searchsorted
How many of the sorted values are less than each value; right=True: not greater. Triton has it not.
>>> at = tl.searchsorted(tl.sort(x), x)

segments
Which run of equal elements along the last axis each element is in, from 0. Triton has it not.
>>> sums = tl.histogram(tl.segments(tl.sort(x)), 128)

roll
Moves the elements along an axis (the last one) to higher positions, and those that leave it in at its start; shift may run, and may be negative. Triton has it not.
>>> y = tl.roll(x, 1)

unique
The different elements of a tile of one axis in order, the last one again in the rest, and how many there are. return_counts=True: between them how often each is there. Triton has it not.
>>> values, counts, n = tl.unique(x, return_counts=True)

topk
The k greatest elements along the last axis, the greatest first. return_indices=True (Triton has it not): and where they were.
>>> best = tl.topk(x, 8)

bitonic_merge
The elements in order along the last axis, of which the one half goes up and the other down.
>>> y = tl.bitonic_merge(x)

philox
Four tiles of random bits of Philox for a seed and four counters of unsigned integers.
>>> a, b, c, d = tl.philox(seed, at, 0, 0, 0)

philox_impl
n_rounds rounds of Philox of four counters with two keys: four tiles of random bits.
>>> a, b, c, d = tl.philox_impl(c0, c1, c2, c3, k0, k1)

randint
Random int32, any of them as likely, for a seed, a scalar, and a tile of offsets: the same for the same.
>>> r = tl.randint(seed, at)

randint4x
Four tiles of randint at the price of one.
>>> a, b, c, d = tl.randint4x(seed, at)

rand
Random fp32 from 0 up to 1, any as likely, for a seed, a scalar, and a tile of offsets.
>>> keep = tl.rand(seed, at) > p

rand4x
Four tiles of rand at the price of one.
>>> a, b, c, d = tl.rand4x(seed, at)

randn
Random fp32 of the normal distribution with mean 0 and variance 1, for a seed, a scalar, and a tile of offsets.
>>> noise = tl.randn(seed, at)

randn4x
Four tiles of randn at the price of one.
>>> a, b, c, d = tl.randn4x(seed, at)

curand4x
Four tiles of random uint32 as cuRAND's Philox generator gives them for a seed, a subsequence and an offset, a multiple of 4. Triton has it not.
>>> a, b, c, d = tl.curand4x(seed, at, 0)

torch_rand
The elements of torch.rand on CUDA, by index, for the seed and the offset of its generator and the threads of its kernel: 256 * min(ceil(n / 256), processors * threads of one // 256). Triton has it not.
>>> r = tl.torch_rand(seed, 0, at, 4096)

torch_randint
The random uint32 that torch makes its elements of, as torch_rand has them. Triton has it not.
>>> r = tl.torch_randint(seed, 0, at, 4096)

torch_randn
The elements of torch.randn on CUDA, as torch_rand has those of torch.rand; the last bits are not torch's, whose sine is a rougher one. Triton has it not.
>>> r = tl.torch_randn(seed, 0, at, 4096)

uint_to_uniform_float
Random bits, of unsigned integers, as fp32 from 0 up to 1.
>>> u = tl.uint_to_uniform_float(bits)

pair_uniform_to_normal
Two tiles of fp32 from 0 to 1 as two of the normal distribution.
>>> a, b = tl.pair_uniform_to_normal(u, v)

globaltimer
The GPU's clock in nanoseconds: an int64 scalar.
>>> t = tl.extra.cuda.globaltimer()

smid
The number of the multiprocessor that runs this program: an int32 scalar.
>>> sm = tl.extra.cuda.smid()

num_threads
How many threads run this program, a constant: 32 times num_warps.
>>> n = tl.extra.cuda.num_threads()

num_warps
How many warps run this program, a constant.
>>> w = tl.extra.cuda.num_warps()

gdc_wait
Waits until the launch before this one, which it overlaps (launch_pdl=True), has ended and its stores can be read.
>>> tl.extra.cuda.gdc_wait()

gdc_launch_dependents
Lets the launch behind this one begin (launch_pdl=True), once each program of this one has come here.
>>> tl.extra.cuda.gdc_launch_dependents()

convert_custom_float8_sm80
A tile of float8e4b15 as float16, or of float16 as float8e4b15, by PTX of sm_80: what x.to(dtype) calls there.
>>> h = tl.cast(bits.to(tl.float8e4b15, bitcast=True), tl.float16)

convert_custom_float8_sm70
What convert_custom_float8_sm80 does, by PTX of older GPUs.
>>> h = tl.cast(bits.to(tl.float8e4b15, bitcast=True), tl.float16)
"""

_NAMES = {"_experimental_make_tensor_descriptor": "make_tensor_descriptor"}
_texts = {}


def _fill():
    for entry in DOCS.strip().split("\n\n"):
        title, _, text = entry.partition("\n")
        before, mark, example = text.partition("\n>>> ")
        _texts[title] = f"{before}\n\n    >>> {example}\n" if mark else before + "\n"


def names():
    """All functions that have a text here."""
    if not _texts:
        _fill()
    return set(_texts)


def doc_of(name):
    """The text for a function; None: it has none here."""
    if not _texts:
        _fill()
    return _texts.get(_NAMES.get(name, name))


def library_doc_of(name):
    """The text for a function of the device library; None: it has none."""
    from .extra.libdevice_docs import entry
    found = entry(name)
    return f"{found[1][0].upper()}{found[1][1:]}.\n" if found else None
