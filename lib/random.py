"""Random numbers by counters: Philox 4x32 and 4x64 of "Parallel Random Numbers: As Easy as 1, 2, 3" (2011).

A number depends on seed and offset alone, so programs need no state.
"""
import triton
import triton.language as tl

N_ROUNDS_DEFAULT = tl.constexpr(10)


@triton.constexpr_function
def _multipliers(bits):
    """The two multipliers of a round."""
    if bits == 32:
        return 0xD2511F53, 0xCD9E8D57
    return 0xD2E7470EE14C6C93, 0xCA5A826395121157


@triton.constexpr_function
def _key_steps(bits):
    """What each round adds to the two halves of the key."""
    if bits == 32:
        return 0x9E3779B9, 0xBB67AE85
    return 0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B


@triton.jit
def philox_impl(c0, c1, c2, c3, k0, k1, n_rounds: tl.constexpr = N_ROUNDS_DEFAULT):
    """Rounds of Philox on a counter of four words with a key of two, uint32 or uint64."""
    tl.static_assert(c0.dtype == tl.uint32 or c0.dtype == tl.uint64, "philox_impl needs uint32 or uint64")
    factors: tl.constexpr = _multipliers(c0.dtype.primitive_bitwidth)
    steps: tl.constexpr = _key_steps(c0.dtype.primitive_bitwidth)
    for _ in tl.static_range(n_rounds):
        low0 = tl.mul(c0, factors[0], sanitize_overflow=False)
        low2 = tl.mul(c2, factors[1], sanitize_overflow=False)
        high0 = tl.umulhi(tl.full((), factors[0], c0.dtype), c0)
        high2 = tl.umulhi(tl.full((), factors[1], c0.dtype), c2)
        c0 = high2 ^ c1 ^ k0
        c2 = high0 ^ c3 ^ k1
        c1 = low2
        c3 = low0
        k0 = tl.add(k0, steps[0], sanitize_overflow=False)
        k1 = tl.add(k1, steps[1], sanitize_overflow=False)
    return c0, c1, c2, c3


@triton.jit
def philox(seed, c0, c1, c2, c3, n_rounds: tl.constexpr = N_ROUNDS_DEFAULT):
    """Four random words for a counter of four words of 32 or 64 bits."""
    seed = tl.to_tensor(seed)
    tl.static_assert(seed.dtype.is_int(), "the seed must be an integer")
    seed = seed.to(tl.uint64)
    c0 = tl.to_tensor(c0)
    bits: tl.constexpr = c0.dtype.primitive_bitwidth
    tl.static_assert(bits == 32 or bits == 64, "philox needs counters of 32 or 64 bits")
    word: tl.constexpr = tl.core.get_int_dtype(bits, False)
    if bits == 32:
        k0 = seed.to(tl.uint32)
        k1 = (seed >> 32).to(tl.uint32)
    else:
        k0 = seed
        k1 = tl.full((), 0, tl.uint64)
    c0 = c0.to(word, bitcast=True)
    c1 = tl.to_tensor(c1).to(word, bitcast=True)
    c2 = tl.to_tensor(c2).to(word, bitcast=True)
    c3 = tl.to_tensor(c3).to(word, bitcast=True)
    return philox_impl(c0, c1, c2, c3, k0, k1, n_rounds)


@triton.jit
def randint4x(seed, offset, n_rounds: tl.constexpr = N_ROUNDS_DEFAULT):
    """Four tiles of random uint32 for a tile of offsets."""
    offset = tl.to_tensor(offset)
    low = offset.to(tl.uint32)
    none = low * 0
    if offset.dtype.primitive_bitwidth > 32:
        high = (offset >> 32).to(tl.uint32)
    else:
        high = none
    return philox(seed, low, high, none, none, n_rounds)


@triton.jit
def randint(seed, offset, n_rounds: tl.constexpr = N_ROUNDS_DEFAULT):
    """Random uint32 for a tile of offsets."""
    first, _, _, _ = randint4x(seed, offset, n_rounds)
    return first


@triton.jit
def uint_to_uniform_float(x):
    """Random integers of 32 or 64 bits as fp32 in [0, 1): the sign folded away, scaled to stay below 1 after rounding."""
    bits: tl.constexpr = x.dtype.primitive_bitwidth
    tl.static_assert(x.dtype.is_int() and (bits == 32 or bits == 64), "uint_to_uniform_float needs 32 or 64 bits")
    x = x.to(tl.core.get_int_dtype(bits, True), bitcast=True)
    x = tl.where(x < 0, -x - 1, x)
    if bits == 32:
        return x * 4.6566127342e-10
    else:
        return x * 1.0842020432385337e-19


@triton.jit
def uint32_to_uniform_float(x):
    """uint_to_uniform_float under the name it had before 64 bits."""
    return uint_to_uniform_float(x)


@triton.jit
def rand4x(seed, offsets, n_rounds: tl.constexpr = N_ROUNDS_DEFAULT):
    """Four tiles of random fp32 in [0, 1)."""
    a, b, c, d = randint4x(seed, offsets, n_rounds)
    return uint_to_uniform_float(a), uint_to_uniform_float(b), uint_to_uniform_float(c), uint_to_uniform_float(d)


@triton.jit
def rand(seed, offset, n_rounds: tl.constexpr = N_ROUNDS_DEFAULT):
    """Random fp32 in [0, 1) for a tile of offsets."""
    return uint_to_uniform_float(randint(seed, offset, n_rounds))


@triton.jit
def pair_uniform_to_normal(u1, u2):
    """Two uniform tiles to two normal ones, by Box and Muller."""
    angle = 6.283185307179586 * u2
    radius = tl.sqrt(-2.0 * tl.log(tl.maximum(1.0e-7, u1)))
    return radius * tl.cos(angle), radius * tl.sin(angle)


@triton.jit
def randn4x(seed, offset, n_rounds: tl.constexpr = N_ROUNDS_DEFAULT):
    """Four tiles of normal random fp32."""
    a, b, c, d = rand4x(seed, offset, n_rounds)
    x, y = pair_uniform_to_normal(a, b)
    z, w = pair_uniform_to_normal(c, d)
    return x, y, z, w


@triton.jit
def randn(seed, offset, n_rounds: tl.constexpr = N_ROUNDS_DEFAULT):
    """Normal random fp32 for a tile of offsets."""
    a, b, _, _ = randint4x(seed, offset, n_rounds)
    x, _ = pair_uniform_to_normal(uint_to_uniform_float(a), uint_to_uniform_float(b))
    return x


# ---- the numbers of torch's generator on CUDA ----


@triton.jit
def curand4x(seed, subsequence, offset):
    """Four tiles of random uint32: those that cuRAND's Philox generator gives from `offset` on, a multiple of 4, in a
    subsequence of a seed."""
    tl.core._extension("tl.curand4x")
    block = tl.to_tensor(offset).to(tl.uint64) >> 2
    way = tl.to_tensor(subsequence).to(tl.uint64)
    low = (block & 0xFFFFFFFF).to(tl.uint32) + (way * 0).to(tl.uint32)
    none = low * 0
    return philox(seed, low, (block >> 32).to(tl.uint32) + none, way.to(tl.uint32) + none,
                  (way >> 32).to(tl.uint32) + none)


@triton.jit
def _torch_words(seed, offset, index, threads):
    """The four words of the turn that makes elements `index`, and which of them is theirs."""
    index = tl.to_tensor(index).to(tl.uint64)
    threads = tl.to_tensor(threads).to(tl.uint64)
    turn = index // threads
    a, b, c, d = curand4x(seed, index % threads, tl.to_tensor(offset).to(tl.uint64) + turn - (turn & 3))
    return a, b, c, d, turn & 3


@triton.jit
def torch_randint(seed, offset, index, threads):
    """Random uint32: the words behind elements `index` of what torch makes on CUDA by one kernel with that many
    threads. A thread has four elements in a turn, `threads` apart, from a subsequence of its own."""
    tl.core._extension("tl.torch_randint")
    a, b, c, d, which = _torch_words(seed, offset, index, threads)
    return tl.where(which < 2, tl.where(which == 0, a, b), tl.where(which == 2, c, d))


@triton.jit
def torch_rand(seed, offset, index, threads):
    """Random fp32 in [0, 1): elements `index` of torch.rand on CUDA, as torch_randint has them."""
    x = torch_randint(seed, offset, index, threads).to(tl.float32)
    u = x * 2.3283064365386963e-10 + 1.1641532182693481e-10
    return tl.where(u == 1.0, 0.0, u)


@triton.jit
def torch_randn(seed, offset, index, threads):
    """Normal random fp32: elements `index` of torch.randn on CUDA. Of two words one makes the radius and one the angle,
    whose sine and cosine are two elements."""
    tl.core._extension("tl.torch_randn")
    a, b, c, d, which = _torch_words(seed, offset, index, threads)
    first = which < 2
    u = tl.where(first, a, c).to(tl.float32) * 2.3283064365386963e-10 + 1.1641532182693481e-10
    v = tl.where(first, b, d).to(tl.float32) * 1.4629180792671596e-09 + 7.314590396335798e-10
    radius = tl.sqrt(-2.0 * tl.log(u))
    return radius * tl.where((which & 1) == 0, tl.sin(v), tl.cos(v))
