"""not a test: loads, stores, atomics and moves between threads whose results the interpreter and a GPU must agree on."""
import triton
import triton.language as tl


@triton.jit
def copies(x_ptr, out_ptr, n, DTYPE: tl.constexpr, N: tl.constexpr):
    """In a row, masked at the end and anywhere, backwards, strided; every cache modifier and eviction policy."""
    p = x_ptr.to(tl.pointer_type(DTYPE), bitcast=True)
    o = out_ptr.to(tl.pointer_type(DTYPE), bitcast=True)
    i = tl.arange(0, N)
    tl.store(o + i, tl.load(p + i))
    tl.store(o + N + i, tl.load(p + i, mask=i < n, other=1))
    tl.store(o + 2 * N + i, tl.load(p + i, mask=i % 3 != 0, other=0), mask=i % 5 != 1)
    tl.store(o + 3 * N + i, tl.load(p + N - 1 - i))
    tl.store(o + 4 * N + i * 5 % N, tl.load(p + i * 3 % N))
    tl.store(o + 5 * N + i, tl.load(p + i, mask=i >= n, other=0, cache_modifier=".cg"), cache_modifier=".cs")
    tl.store(o + 6 * N + i, tl.load(p + i, cache_modifier=".ca"), cache_modifier=".wt")
    tl.store(o + 7 * N + i, tl.load(p + i, cache_modifier=".cv"), cache_modifier=".cg")
    tl.store(o + 8 * N + i, tl.load(p + i, eviction_policy="evict_first"), eviction_policy="evict_last")
    tl.store(o + 9 * N + i, tl.load(p + i, mask=i < n, other=1, eviction_policy="evict_last"), cache_modifier=".wb")
    tl.store(o + 10 * N + i, tl.load(p + i, volatile=True), mask=i < n, eviction_policy="evict_first")
    tl.store(o + 11 * N + i, tl.load(p + i, mask=i < n, other=0, volatile=True))


@triton.jit
def transposed(x_ptr, out_ptr, m, n, DTYPE: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    """Rows in, columns out, and tiles that change layouts on the way."""
    p = x_ptr.to(tl.pointer_type(DTYPE), bitcast=True)
    o = out_ptr.to(tl.pointer_type(DTYPE), bitcast=True)
    i = tl.arange(0, M)
    j = tl.arange(0, N)
    x = tl.load(p + i[:, None] * N + j[None, :])
    tl.store(o + j[None, :] * M + i[:, None], x)
    o += M * N
    tl.store(o + i[None, :] + j[:, None] * M, tl.trans(x), mask=(i[None, :] < m) & (j[:, None] < n))
    o += M * N
    y = tl.load(p + i[None, :] * N + j[:, None], mask=(i[None, :] < m) & (j[:, None] < n), other=0)
    tl.store(o + i[:, None] * N + j[None, :], tl.trans(y))
    o += M * N
    tl.store(o + tl.arange(0, M * N), tl.reshape(tl.trans(x), [M * N]))
    o += M * N
    tl.store(o + tl.arange(0, M * N), tl.ravel(tl.reshape(x, [N, M])))


@triton.jit
def predicates(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    """Tiles of i1 and of pointers move between threads too."""
    i = tl.arange(0, M)
    j = tl.arange(0, N)
    x = tl.load(x_ptr + i[:, None] * N + j[None, :])
    odd = (x & 1) == 1
    at = j[None, :] * M + i[:, None]
    tl.store(out_ptr + at, odd.to(tl.int32))
    where = tl.trans(out_ptr + M * N + i[:, None] * N + j[None, :])
    tl.store(where, tl.trans(x), mask=tl.trans(odd))


@triton.jit
def few(x_ptr, out_ptr, N: tl.constexpr):
    """Fewer elements than threads: copies are stored once, added once."""
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    tl.store(out_ptr + i, x)
    old = tl.atomic_add(out_ptr + N + i, x)
    tl.store(out_ptr + 2 * N + i, old + 1)
    tl.debug_barrier()  # other threads' elements
    again = tl.atomic_xchg(out_ptr + N + (N - 1 - i), old)
    tl.store(out_ptr + 3 * N + i, again)
    tl.atomic_add(out_ptr + 4 * N + i, x, sem="relaxed")
    tl.atomic_add(out_ptr + 5 * N, 7)


@triton.jit
def scalars(x_ptr, out_ptr, n):
    """Loads and stores of single elements, masked, in a loop that depends on them."""
    a = tl.load(x_ptr + 3)
    tl.store(out_ptr, a)
    tl.store(out_ptr + 1, tl.load(x_ptr + 5, mask=n > 10, other=11))
    tl.store(out_ptr + 2, tl.load(x_ptr + 6, mask=n < 10, other=12))
    tl.store(out_ptr + 3, 13, mask=n < 10)
    at = x_ptr.to(tl.pointer_type(tl.int8), bitcast=True)
    s = 0
    k = 0
    while k < n:
        s += tl.load(at + k).to(tl.int32)
        k += 1
    tl.store(out_ptr + 4, s)
    wide = x_ptr.to(tl.pointer_type(tl.int64), bitcast=True)
    tl.store(out_ptr + 5, (tl.load(wide + 2) >> 32).to(tl.int32))


@triton.jit
def exchanged(x_ptr, out_ptr, N: tl.constexpr):
    """What threads of a program tell one another through memory, with a barrier between."""
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.load(x_ptr + i))
    tl.debug_barrier()
    v = tl.load(out_ptr + (i * 7 + 3) % N)
    tl.debug_barrier()
    tl.store(out_ptr + i, v)


@triton.jit
def integer_atomics(x_ptr, v_ptr, out_ptr, n, DTYPE: tl.constexpr, N: tl.constexpr):
    """Every operation on elements of their own, with the old values."""
    p = x_ptr.to(tl.pointer_type(DTYPE), bitcast=True)
    q = v_ptr.to(tl.pointer_type(DTYPE), bitcast=True)
    o = out_ptr.to(tl.pointer_type(DTYPE), bitcast=True)
    i = tl.arange(0, N)
    v = tl.load(q + i)
    tl.store(o + i, tl.atomic_add(p + i, v))
    o += N
    tl.store(o + i, tl.atomic_max(p + i, v, mask=i < n), mask=i < n)
    o += N
    tl.store(o + i, tl.atomic_min(p + i, v, sem="relaxed"))
    o += N
    tl.store(o + i, tl.atomic_and(p + i, v, sem="acquire", scope="cta"))
    o += N
    tl.store(o + i, tl.atomic_or(p + i, v, sem="release", scope="sys"))
    o += N
    tl.store(o + i, tl.atomic_xor(p + i, v, scope="gpu"))
    o += N
    tl.store(o + i, tl.atomic_xchg(p + i, v, mask=i % 3 == 0), mask=i % 3 == 0)
    o += N
    tl.store(o + i, tl.atomic_cas(p + i, v, v + 1))
    tl.atomic_add(p + i, v, mask=i >= n)
    tl.atomic_min(p + i, v, mask=i % 2 == 0, sem="relaxed")
    tl.atomic_xchg(p + i, i.to(DTYPE), mask=i % 7 == 0)


@triton.jit
def float_atomics(x_ptr, v_ptr, out_ptr, n, DTYPE: tl.constexpr, N: tl.constexpr):
    """Sums, alone and several at a time, masked by neighbours and anywhere."""
    p = x_ptr.to(tl.pointer_type(DTYPE), bitcast=True)
    q = v_ptr.to(tl.pointer_type(DTYPE), bitcast=True)
    o = out_ptr.to(tl.pointer_type(DTYPE), bitcast=True)
    i = tl.arange(0, N)
    v = tl.load(q + i)
    tl.store(o + i, tl.atomic_add(p + i, v))
    tl.atomic_add(p + i, v, mask=i < n)
    tl.debug_barrier()
    tl.atomic_add(p + N - 1 - i, v, mask=i % 3 != 1, sem="relaxed")
    tl.debug_barrier()
    tl.store(o + N + i, tl.load(p + i))
    tl.debug_barrier()
    tl.atomic_add(p + 1, tl.load(q))
    if DTYPE.primitive_bitwidth >= 32:
        tl.atomic_xchg(p + 2, tl.load(q))


@triton.jit
def float_extremes(x_ptr, v_ptr, out_ptr, N: tl.constexpr):
    """Greatest and least floats by atomics on their bits."""
    i = tl.arange(0, N)
    v = tl.load(v_ptr + i)
    tl.store(out_ptr + i, tl.atomic_max(x_ptr + i, v))
    tl.store(out_ptr + N + i, tl.atomic_min(x_ptr + i, v * 2, mask=i % 4 != 3), mask=i % 4 != 3)


@triton.jit
def locked(lock_ptr, count_ptr, rounds):
    """Programs that take turns by a lock of compare-and-swap and exchange."""
    for k in range(rounds):
        while tl.atomic_cas(lock_ptr, 0, 1) == 1:
            pass
        at = tl.load(count_ptr)
        tl.store(count_ptr, at + 1)
        tl.store(count_ptr + 1 + at % 4, tl.load(count_ptr + 1 + at % 4) + at)
        tl.debug_barrier()
        tl.atomic_xchg(lock_ptr, 0)


@triton.jit
def last_one(x_ptr, part_ptr, count_ptr, out_ptr, N: tl.constexpr):
    """Each program leaves a partial sum; the one that counts last adds them all up."""
    pid = tl.program_id(0)
    programs = tl.num_programs(0)
    tl.store(part_ptr + pid, tl.sum(tl.load(x_ptr + pid * N + tl.arange(0, N))))
    if tl.atomic_add(count_ptr, 1) == programs - 1:
        total = 0
        for k in range(programs):
            total += tl.load(part_ptr + k, cache_modifier=".cv")
        tl.store(out_ptr, total)


@triton.jit
def counted(x_ptr, out_ptr, n, BINS: tl.constexpr, N: tl.constexpr):
    """A histogram by atomics: many threads, few addresses."""
    i = tl.program_id(0) * N + tl.arange(0, N)
    x = tl.load(x_ptr + i, mask=i < n, other=0)
    tl.atomic_add(out_ptr + (x & (BINS - 1)), 1, mask=i < n)
    tl.atomic_add(out_ptr + BINS, tl.sum((i < n).to(tl.int32)), sem="relaxed")
