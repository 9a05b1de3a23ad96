"""Functions of the tile language that are written in it: rounding division, reductions by name, scans, sorting.

Names with an underscore are helpers. Functions on numbers known while compiling are constexpr_functions.
"""
import triton
import triton.language as tl


@triton.constexpr_function
def _log2(n):
    """Logarithm to base 2, rounded down; 0 for n < 2."""
    result = 0
    while n > 1:
        n = n >> 1
        result = result + 1
    return result


@triton.constexpr_function
def _is_power_of_two(n):
    """Is n one of 1, 2, 4, ...?"""
    return n != 0 and n & (n - 1) == 0


@triton.constexpr_function
def next_power_of_2(n):
    """Least power of two that is not smaller than n; 0 for 0."""
    if n <= 0:
        return 0
    power = 1
    while power < n:
        power = power * 2
    return power


@triton.jit
def cdiv(x, div):
    """x / div, rounded up, for non-negative x and positive div."""
    return (x + (div - 1)) // div


@triton.jit
def swizzle2d(i, j, size_i, size_j, size_g):
    """Where program (i, j) of a row-major size_i x size_j grid goes when each group of size_g rows is walked by columns."""
    number = i * size_j + j
    in_group = size_g * size_j
    first_row = number // in_group * size_g
    rows = tl.minimum(size_i - first_row, size_g)  # the last group may be lower
    number = number % in_group
    return first_row + number % rows, number // rows


# ---- tiles ----


@triton.jit
def zeros(shape, dtype):
    """A tile of zeros."""
    return tl.full(shape, 0, dtype)


@triton.jit
def zeros_like(input):
    """Zeros in the shape and type of another tile."""
    return tl.full(input.shape, 0, input.dtype)


@triton.jit
def ravel(x, can_reorder=False):
    """The elements of a tile as a tile of rank 1."""
    return tl.reshape(x, [x.numel], can_reorder=can_reorder)


@triton.jit
def interleave(a, b):
    """a0, b0, a1, b1, ... along the last dimension."""
    pairs = tl.join(a, b)
    if len(pairs.shape) == 1:
        return pairs
    else:
        return tl.reshape(pairs, pairs.shape[:-2] + (2 * pairs.shape[-2],))


@triton.jit
def sigmoid(x):
    """1 / (1 + e^-x)."""
    return 1 / (1 + tl.exp(-x))


@triton.jit
def softmax(x, dim=None, keep_dims=False, ieee_rounding=False):
    """e^x divided by its sum along a dimension (the first when none is named)."""
    axis: tl.constexpr = 0 if dim is None else dim
    if not keep_dims and axis != 0 and axis != -len(x.shape):
        # What was reduced would be repeated along other dimensions than its own.
        tl.core._extension("softmax along another dimension than the first without keep_dims=True")
        return softmax(x, dim, True, ieee_rounding)
    else:
        powers = tl.exp(x - max(x, axis, keep_dims=keep_dims))
        return tl.fdiv(powers, sum(powers, axis, keep_dims=keep_dims), ieee_rounding)


# ---- largest and smallest ----


@triton.constexpr_function
def _extremum_dtype(dtype):
    """What max and min compute in: types of less than 32 bits are widened."""
    if dtype.primitive_bitwidth >= 32:
        return dtype
    return tl.float32 if dtype.is_floating() else tl.int32


@triton.jit
def _max_of(a, b):
    """The larger of two."""
    return tl.maximum(a, b)


@triton.jit
def _min_of(a, b):
    """The smaller of two."""
    return tl.minimum(a, b)


@triton.jit
def _take(first, a, i, b, j):
    """(a, i) where `first` holds, else (b, j)."""
    return tl.where(first, a, b), tl.where(first, i, j)


@triton.jit
def _max_leftmost(a, i, b, j):
    """The larger of two values with its position; of equal ones the left one."""
    return _take((a > b) | ((a == b) & (i < j)), a, i, b, j)


@triton.jit
def _max_any(a, i, b, j):
    """The larger of two values with its position."""
    return _take(a > b, a, i, b, j)


@triton.jit
def _min_leftmost(a, i, b, j):
    """The smaller of two values with its position; of equal ones the left one."""
    return _take((a < b) | ((a == b) & (i < j)), a, i, b, j)


@triton.jit
def _min_any(a, i, b, j):
    """The smaller of two values with its position."""
    return _take(a < b, a, i, b, j)


@triton.jit
def _extremum_with_index(input, axis: tl.constexpr, combine: tl.constexpr, keep_dims: tl.constexpr):
    """An extremum with its position along an axis, or in row-major order of all elements."""
    if axis is None:
        tl.core._extension("positions of extrema without axis=")
    if axis is not None or len(input.shape) == 1:
        return tl.core._reduce_with_indices(input, 0 if axis is None else axis, combine, keep_dims=keep_dims)
    else:
        best, index = tl.core._reduce_with_indices(tl.reshape(input, [input.numel]), 0, combine)
        if keep_dims:
            ones: tl.constexpr = [1] * len(input.shape)
            return tl.full(ones, best, best.dtype), tl.full(ones, index, index.dtype)
        else:
            return best, index


@triton.jit
def max(input, axis=None, return_indices=False, return_indices_tie_break_left=True, keep_dims=False):
    """Largest element along an axis, or of all; with its position when return_indices is set."""
    input = tl.core._promote_bfloat16_to_float32(input)
    if return_indices:
        if return_indices_tie_break_left:
            return _extremum_with_index(input, axis, _max_leftmost, keep_dims)
        else:
            return _extremum_with_index(input, axis, _max_any, keep_dims)
    else:
        return tl.reduce(input.to(_extremum_dtype(input.dtype)), axis, _max_of, keep_dims=keep_dims)


@triton.jit
def min(input, axis=None, return_indices=False, return_indices_tie_break_left=True, keep_dims=False):
    """Smallest element along an axis, or of all; with its position when return_indices is set."""
    input = tl.core._promote_bfloat16_to_float32(input)
    if return_indices:
        if return_indices_tie_break_left:
            return _extremum_with_index(input, axis, _min_leftmost, keep_dims)
        else:
            return _extremum_with_index(input, axis, _min_any, keep_dims)
    else:
        return tl.reduce(input.to(_extremum_dtype(input.dtype)), axis, _min_of, keep_dims=keep_dims)


@triton.jit
def argmax(input, axis=None, tie_break_left=True, keep_dims=False):
    """Position of the largest element along an axis, or in row-major order of all."""
    _, index = max(input, axis, True, tie_break_left, keep_dims)
    return index


@triton.jit
def argmin(input, axis=None, tie_break_left=True, keep_dims=False):
    """Position of the smallest element along an axis, or in row-major order of all."""
    _, index = min(input, axis, True, tie_break_left, keep_dims)
    return index


# ---- tiles whose sizes are no powers of two ----


@triton.jit
def _combine_valid(combine, *args):
    """combine, of two groups of values that each begin with a flag: one that is not valid does not count."""
    count: tl.constexpr = len(args) // 2
    left = args[0] != 0
    right = args[count] != 0
    made = combine(*args[1:count], *args[count + 1:])
    if count == 2:
        made = (made, )
    kept = [
        tl.where(left & right, made[i], tl.where(left, args[1 + i],
                                                 args[count + 1 + i])) for i in range(count - 1)
    ]
    return (args[0] | args[count], *kept)


# ---- sums, products, bits ----


@triton.constexpr_function
def _sum_dtype(given, wanted):
    """What a sum computes in: as asked for; else integers of less than 32 bits become 32 bits of the same sign."""
    if wanted is not None:
        return wanted
    if given.is_int_signed() and given.int_bitwidth < 32:
        return tl.int32
    if given.is_int_unsigned() and given.int_bitwidth < 32:
        return tl.uint32
    return given


@triton.jit
def _add(a, b):
    """a + b."""
    return a + b


@triton.jit
def _multiply(a, b):
    """a * b."""
    return a * b


@triton.jit
def _xor(a, b):
    """a ^ b."""
    return a ^ b


@triton.jit
def _or(a, b):
    """a | b."""
    return a | b


@triton.jit
def sum(input, axis=None, keep_dims=False, dtype: tl.constexpr = None):
    """Sum along an axis, or of all; computed in dtype."""
    return tl.reduce(input.to(_sum_dtype(input.dtype, dtype)), axis, _add, keep_dims=keep_dims)


@triton.jit
def prod(input, axis=None, keep_dims=False, dtype: tl.constexpr = None):
    """Product along an axis, or of all; computed in dtype."""
    tl.core._extension("tl.prod")
    return tl.reduce(input.to(_sum_dtype(input.dtype, dtype)), axis, _multiply, keep_dims=keep_dims)


@triton.jit
def xor_sum(input, axis=None, keep_dims=False):
    """Exclusive or of integers along an axis, or of all."""
    tl.static_assert(input.dtype.is_int(), "xor_sum needs integers")
    return tl.reduce(input, axis, _xor, keep_dims=keep_dims)


@triton.jit
def reduce_or(input, axis=None, keep_dims=False):
    """Bitwise or of integers along an axis, or of all."""
    tl.static_assert(input.dtype.is_int(), "reduce_or needs integers")
    return tl.reduce(input, axis, _or, keep_dims=keep_dims)


@triton.jit
def _along(row, axis: tl.constexpr, rank: tl.constexpr):
    """A tile of one dimension as one of `rank`, in which it lies along an axis."""
    return tl.reshape(row, (1,) * axis + row.shape + (1,) * (rank - 1 - axis))


@triton.jit
def _before(scanned, axis, reverse, neutral):
    """Of a scan: what was combined before each element."""
    tl.core._extension("exclusive scans")
    rank: tl.constexpr = len(scanned.shape)
    dim: tl.constexpr = axis + rank if axis < 0 else axis
    size: tl.constexpr = scanned.shape[dim]
    at = tl.arange(0, size)
    edge = at == (size - 1 if reverse else 0)
    at = tl.where(edge, at, at + (1 if reverse else -1))
    moved = tl.gather(scanned, tl.broadcast_to(_along(at, dim, rank), scanned.shape), dim)
    return tl.where(_along(edge, dim, rank), tl.full((1,) * rank, neutral, scanned.dtype), moved)


@triton.jit
def cumsum(input, axis=0, reverse=False, dtype: tl.constexpr = None, exclusive: tl.constexpr = False):
    """Partial sums along an axis; computed in dtype. exclusive: without the element itself."""
    input = tl.core._promote_bfloat16_to_float32(input)
    sums = tl.associative_scan(input.to(_sum_dtype(input.dtype, dtype)), axis, _add, reverse)
    if exclusive:
        sums = _before(sums, axis, reverse, 0)
    return sums


@triton.jit
def cumprod(input, axis=0, reverse=False, dtype: tl.constexpr = None, exclusive: tl.constexpr = False):
    """Partial products along an axis; computed in dtype. exclusive: without the element itself."""
    input = tl.core._promote_bfloat16_to_float32(input)
    products = tl.associative_scan(input if dtype is None else input.to(dtype), axis, _multiply, reverse)
    if exclusive:
        products = _before(products, axis, reverse, 1)
    return products


@triton.jit
def _weighted_histogram(input, num_bins: tl.constexpr, mask, weights):
    """Sums of the weights of the elements of each value, in the order of a reduction."""
    tl.core._extension("weights of histograms")
    hit = input[None, :] == tl.arange(0, num_bins)[:, None]
    if mask is not None:
        hit = hit & tl.broadcast_to(mask, input.shape)[None, :]
    return sum(tl.where(hit, tl.broadcast_to(weights, input.shape)[None, :], 0), 1)


# ---- sorting: bitonic networks on a tile seen as a cube of two elements a side ----


@triton.jit
def _side(rank: tl.constexpr, bit: tl.constexpr):
    """False and true along the dimension that stands for a bit of the position, in a cube of that rank."""
    return tl.reshape(tl.arange(0, 2), (1,) * (rank - 1 - bit) + (2,) + (1,) * bit) != 0


@triton.jit
def _across(x, axis: tl.constexpr):
    """A cube with its two halves along an axis exchanged: the exclusive or of both cancels each one's own bits."""
    bits = x.to(tl.core.get_int_dtype(x.dtype.primitive_bitwidth, True), bitcast=True)
    return (bits ^ xor_sum(bits, axis, True)).to(x.dtype, bitcast=True)


@triton.jit
def _merge(x, bits: tl.constexpr, order: tl.constexpr):
    """Sorts runs of 2^bits that are bitonic: order 0 up, 1 down, 2 up and down by turns."""
    rank: tl.constexpr = _log2(x.numel)
    for step in tl.static_range(bits):
        bit: tl.constexpr = bits - 1 - step
        other = _across(x, rank - 1 - bit)
        upper = _side(rank, bit)  # booleans, which a comparison takes in for nothing
        if order == 2:
            upper = upper != _side(rank, bits)
        elif order == 1:
            upper = upper == False
        x = tl.where((x > other) != upper, other, x)
    return x


@triton.jit
def sort_impl(x, k: tl.constexpr = None, dim: tl.constexpr = None, descending: tl.constexpr = 0):
    """The k first (all when k is None) of the elements along the last dimension, in order."""
    last: tl.constexpr = len(x.shape) - 1
    tl.static_assert(dim is None or dim == last or dim == -1, "only the last dimension can be sorted")
    bits: tl.constexpr = _log2(x.shape[last])
    kept: tl.constexpr = bits if k is None else _log2(k)
    rank: tl.constexpr = _log2(x.numel)
    cube = tl.reshape(x, (2,) * rank if rank > 0 else (1,))
    for i in tl.static_range(1, kept + 1):
        cube = _merge(cube, i, 2 if i < bits else descending)
    # Of two neighbouring sorted runs, one up and one down, the better element of each pair stays.
    for i in tl.static_range(kept + 1, bits + 1):
        axis: tl.constexpr = _log2(cube.numel) - 1 - kept
        if descending:
            cube = max(cube, axis)
        else:
            cube = min(cube, axis)
        cube = _merge(cube, kept, 2 if i < bits else descending)
    return tl.reshape(cube, x.shape[:-1] + (2**kept,))


@triton.jit
def _key(x, descending: tl.constexpr):
    """Integers in the order of the elements: NaN is the largest, the zeros are equal."""
    if x.dtype.is_floating():
        if x.dtype.primitive_bitwidth < 32:
            x = x.to(tl.float32)
        wide: tl.constexpr = x.dtype.primitive_bitwidth
        x = tl.where(x == 0, 0, x)
        bits = tl.where(x != x, float("nan"), x).to(tl.core.get_int_dtype(wide, True), bitcast=True)
        x = tl.where(bits < 0, bits ^ ((1 << (wide - 1)) - 1), bits)
    elif x.dtype.is_int1():
        x = x.to(tl.int32)
    if descending:
        x = ~x
    return x


@triton.constexpr_function
def _largest(dtype):
    """The largest value of an integer type."""
    bits = dtype.int_bitwidth
    return 2**(bits - 1) - 1 if dtype.is_int_signed() else 2**bits - 1


@triton.jit
def _merge_pairs(key, index, bits: tl.constexpr, turns: tl.constexpr):
    """As _merge, of pairs: the index decides between equal keys; up, or with `turns` up and down by turns."""
    rank: tl.constexpr = _log2(key.numel)
    for step in tl.static_range(bits):
        bit: tl.constexpr = bits - 1 - step
        other_key = _across(key, rank - 1 - bit)
        other_index = _across(index, rank - 1 - bit)
        upper = _side(rank, bit)
        if turns:
            upper = upper != _side(rank, bits)
        behind = (key > other_key) | ((key == other_key) & (index > other_index))
        key = tl.where(behind != upper, other_key, key)
        index = tl.where(behind != upper, other_index, index)
    return key, index


@triton.constexpr_function
def _inner(x, dim):
    """Is `dim` another dimension than the last one?"""
    rank = len(x.shape)
    if dim is None:
        return False
    assert -rank <= dim < rank, "there is no dimension of that number to sort"
    return dim % rank != rank - 1


@triton.constexpr_function
def _swapped(x, dim):
    """The order of dimensions with `dim` and the last one in each other's place."""
    rank = len(x.shape)
    return tuple([rank - 1 if i == dim % rank else dim % rank if i == rank - 1 else i for i in range(rank)])


@triton.jit
def _swap(x, dim: tl.constexpr):
    """A tile, or each of a tuple, turned so that `dim` is the last dimension; and back."""
    tl.core._extension("sorting along another dimension than the last one")
    if isinstance(x, tl.tuple):
        return tuple([tl.permute(v, _swapped(v, dim)) for v in x])
    else:
        return tl.permute(x, _swapped(x, dim))


@triton.jit
def argsort(x, dim: tl.constexpr = None, descending: tl.constexpr = 0):
    """Positions of the elements along a dimension, the last one if none is given, in order; equal ones stay as they are. NaN is the largest."""
    tl.core._extension("tl.argsort, nor positions of sorted elements")
    last: tl.constexpr = len(x.shape) - 1
    if _inner(x, dim):
        return _swap(argsort(_swap(x, dim), None, descending), dim)
    key = _key(x, descending)
    key = tl.core._whole(key, _largest(key.dtype))
    whole: tl.constexpr = key.shape
    rank: tl.constexpr = _log2(key.numel)
    bits: tl.constexpr = _log2(whole[last])
    index = tl.broadcast_to(_along(tl.arange(0, whole[last]), last, last + 1), whole)
    cube: tl.constexpr = (2,) * rank if rank > 0 else (1,)
    key, index = tl.reshape(key, cube), tl.reshape(index, cube)
    for i in tl.static_range(1, bits + 1):
        key, index = _merge_pairs(key, index, i, i < bits)
    return tl.core._crop(tl.reshape(index, whole), x.shape)


@triton.jit
def sort(x, dim: tl.constexpr = None, descending: tl.constexpr = 0, return_indices: tl.constexpr = False,
         values=None):
    """The elements along a dimension, the last one if none is named, in order. With where they were when
    return_indices is set, and with `values`, a tile or a tuple of them, in the same order."""
    last: tl.constexpr = len(x.shape) - 1
    if _inner(x, dim):
        if values is None:
            return _swap(sort(_swap(x, dim), None, descending, return_indices), dim)
        else:
            made = sort(_swap(x, dim), None, descending, return_indices, _swap(values, dim))
            return tuple([_swap(v, dim) for v in made])
    elif values is not None:
        index = argsort(x, dim, descending)
        if isinstance(values, tl.tuple):
            for v in values:
                tl.static_assert(v.shape == x.shape, "sort: values have the shape of the keys")
            moved = tuple([tl.gather(v, index, last) for v in values])
        else:
            tl.static_assert(values.shape == x.shape, "sort: values have the shape of the keys")
            moved = tl.gather(values, index, last)
        keys = tl.gather(x, index, last)
        return (keys, index, moved) if return_indices else (keys, moved)
    elif (return_indices or isinstance(descending, tl.tensor) or not _is_power_of_two(x.numel)
          or not _is_power_of_two(x.shape[last])):
        index = argsort(x, dim, descending)
        values = tl.gather(x, index, last)
        return (values, index) if return_indices else values
    else:
        return sort_impl(x, None, dim, descending)


@triton.jit
def topk(x, k: tl.constexpr, dim: tl.constexpr = None, descending: tl.constexpr = 1,
         return_indices: tl.constexpr = False):
    """The k largest elements along a dimension, largest first; the k smallest when descending is false. With
    their positions when return_indices is set."""
    last: tl.constexpr = len(x.shape) - 1
    tl.static_assert(isinstance(k, int), "topk: how many elements there are is known when compiling")
    tl.static_assert(not isinstance(k, int) or (k > 0 and k <= x.shape[last if dim is None else dim]),
                     "topk: more elements are asked for than there are")
    whole: tl.constexpr = _is_power_of_two(x.numel) and _is_power_of_two(x.shape[last])
    if _inner(x, dim):
        return _swap(topk(_swap(x, dim), k, None, descending, return_indices), dim)
    elif return_indices or isinstance(descending, tl.tensor) or not whole or not _is_power_of_two(k):
        index = argsort(x, dim, descending)[..., :k]
        values = tl.gather(x, index, last)
        return (values, index) if return_indices else values
    else:
        return sort_impl(x, k, dim, descending)


@triton.jit
def median(x, dim: tl.constexpr = None):
    """The middle element along a dimension, the lower one of two; NaN where there is one."""
    tl.core._extension("tl.median")
    if _inner(x, dim):
        x = _swap(x, dim)
    last: tl.constexpr = len(x.shape) - 1
    size: tl.constexpr = x.shape[last]
    ordered = tl.gather(x, argsort(x), last)
    middle = ordered[..., (size - 1) // 2]
    if x.dtype.is_floating():
        top = ordered[..., size - 1]
        middle = tl.where(top != top, top, middle)
    return middle


@triton.jit
def searchsorted(sorted_values, values, right: tl.constexpr = False):
    """How many of the sorted values are less than each value (right: not greater): where it would go among them."""
    tl.core._extension("tl.searchsorted")
    tl.static_assert(len(sorted_values.shape) == 1, "searchsorted: one dimension is searched")
    size: tl.constexpr = sorted_values.shape[0]
    wanted = tl.reshape(values, (values.numel,))
    count = tl.zeros(wanted.shape, tl.int32)
    for step in tl.static_range(_log2(size) + 1):
        further = count + (1 << (_log2(size) - step))
        found = tl.gather(sorted_values, tl.minimum(further, size) - 1, 0)
        if right:
            goes_on = (further <= size) & (found <= wanted)
        else:
            goes_on = (further <= size) & (found < wanted)
        count = tl.where(goes_on, further, count)
    return tl.reshape(count, values.shape)


@triton.jit
def roll(x, shift, dim: tl.constexpr = -1):
    """Moves elements along a dimension to higher positions, and those that leave it in at its start."""
    tl.core._extension("tl.roll")
    rank: tl.constexpr = len(x.shape)
    axis: tl.constexpr = dim + rank if dim < 0 else dim
    size: tl.constexpr = x.shape[axis]
    at = (tl.arange(0, size) - shift % size + size) % size
    return tl.gather(x, tl.broadcast_to(_along(at, axis, rank), x.shape), axis)


@triton.jit
def segments(x):
    """Along the last dimension: which run of equal elements each one is in, from 0."""
    tl.core._extension("tl.segments")
    last: tl.constexpr = len(x.shape) - 1
    key = _key(x, False)
    at = _along(tl.arange(0, x.shape[last]), last, last + 1)
    before = tl.gather(key, tl.broadcast_to(tl.maximum(at - 1, 0), x.shape), last)
    return tl.associative_scan((key != before).to(tl.int32), last, _add)


@triton.jit
def unique(x, return_counts: tl.constexpr = False):
    """The different elements of a tile of one dimension in order, the last one again in the rest of it; with how
    often each is there, 0 in the rest, when return_counts is set. And how many there are."""
    tl.core._extension("tl.unique")
    tl.static_assert(len(x.shape) == 1, "unique: a tile of one dimension")
    size: tl.constexpr = x.shape[0]
    ordered = tl.gather(x, argsort(x), 0)
    run = segments(ordered)
    first = searchsorted(run, tl.arange(0, size))
    values = tl.gather(ordered, tl.minimum(first, size - 1), 0)
    number = run[size - 1] + 1
    if return_counts:
        return values, searchsorted(run, tl.arange(0, size), True) - first, number
    else:
        return values, number


@triton.jit
def bitonic_merge(x, dim: tl.constexpr = None, descending: tl.constexpr = 0):
    """Sorts along the last dimension what rises and then falls there."""
    last: tl.constexpr = len(x.shape) - 1
    tl.static_assert(dim is None or dim == last or dim == -1, "only the last dimension can be merged")
    rank: tl.constexpr = _log2(x.numel)
    cube = tl.reshape(x, (2,) * rank if rank > 0 else (1,))
    return tl.reshape(_merge(cube, _log2(x.shape[last]), descending), x.shape)


@triton.jit
def flip(x, dim=None):
    """The elements along a dimension (the last when none is named) in reverse order."""
    rank: tl.constexpr = len(x.shape)
    tl.static_assert(dim is None or (dim >= -rank and dim < rank), "flip: no such dimension")
    axis: tl.constexpr = rank - 1 if dim is None else (dim + rank if dim < 0 else dim)
    bits: tl.constexpr = _log2(x.shape[axis])
    if _is_power_of_two(x.shape[axis]):
        cube = tl.reshape(x, x.shape[:axis] + (2,) * bits + x.shape[axis + 1:])
        for i in tl.static_range(bits):
            cube = _across(cube, axis + i)
        return tl.reshape(cube, x.shape)
    else:
        back = x.shape[axis] - 1 - tl.arange(0, x.shape[axis])
        return tl.gather(x, tl.broadcast_to(_along(back, axis, rank), x.shape), axis)


@triton.jit
def atomic_poll(pointer, expected_value, sem="acquire", scope="gpu", timeout_ns=None):
    """Waits until the expected value lies behind each pointer, and gives True for each."""
    tl.static_assert(timeout_ns is None, "atomic_poll: no time is kept while polling, timeout_ns is None")
    expected = tl.to_tensor(expected_value).to(pointer.dtype.element_ty)
    found = tl.atomic_load(pointer, sem=sem, scope=scope) == expected
    if len(pointer.shape) == 0:
        while not found:
            found = tl.atomic_load(pointer, sem=sem, scope=scope) == expected
    else:
        while sum(found.to(tl.int32)) < pointer.numel:
            there = tl.atomic_load(pointer, mask=~found, sem=sem, scope=scope) == expected
            found = found | there
    return found


@triton.jit
def expect_zero(x, mask):
    """The elements; debug builds stop where one of those that the mask names is not 0."""
    x = tl.to_tensor(x)
    tl.device_assert((x == 0) | (tl.to_tensor(mask) == 0), "expect_zero expected x == 0 where mask is true")
    return x
