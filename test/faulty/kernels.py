"""Faulty kernels, each with one mistake that users make; `# FAULT` marks its line. faulty.py has what must be said of them."""
import triton
import triton.language as tl


# ---- masks and bounds ----


@triton.jit
def mask_lets_one_more_load(x_ptr, out_ptr, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    x = tl.load(x_ptr + i, mask=i <= n, other=0.0)  # FAULT
    tl.store(out_ptr + i, x * 2, mask=i < n)


@triton.jit
def mask_lets_one_more_store(x_ptr, out_ptr, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0)
    tl.store(out_ptr + i, x * 2, mask=i < n + 1)  # FAULT


@triton.jit
def mask_forgotten(x_ptr, out_ptr, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    x = tl.load(x_ptr + i)  # FAULT
    tl.store(out_ptr + i, x * 2, mask=i < n)


@triton.jit
def mask_of_rows_alone(x_ptr, out_ptr, rows, cols, BR: tl.constexpr, BC: tl.constexpr):
    r, c = tl.program_id(0) * BR + tl.arange(0, BR), tl.arange(0, BC)
    inside = (r[:, None] < rows) & (c[None, :] < cols)
    x = tl.load(x_ptr + r[:, None] * cols + c[None, :], mask=inside, other=0.0)
    tl.store(out_ptr + r[:, None] * cols + c[None, :], x, mask=r[:, None] < rows)  # FAULT


@triton.jit
def mask_of_the_whole_not_the_row(x_ptr, out_ptr, rows, cols, BR: tl.constexpr, BC: tl.constexpr):
    r, c = tl.program_id(0) * BR + tl.arange(0, BR), tl.arange(0, BC)
    at = r[:, None] * cols + c[None, :]
    x = tl.load(x_ptr + at, mask=at < rows * cols, other=0.0)
    tl.store(out_ptr + at, x + c[None, :], mask=at < rows * cols)  # FAULT


@triton.jit
def left_neighbour_of_the_first(x_ptr, out_ptr, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    left = tl.load(x_ptr + i - 1, mask=i < n, other=0.0)  # FAULT
    tl.store(out_ptr + i, left, mask=i < n)


@triton.jit
def one_turn_too_many(x_ptr, out_ptr, n, B: tl.constexpr):
    total = tl.zeros([B], tl.float32)
    for start in range(0, n + 1, B):
        total += tl.load(x_ptr + start + tl.arange(0, B))  # FAULT
    tl.store(out_ptr + tl.arange(0, B), total)


@triton.jit
def advances_too_far(x_ptr, out_ptr, n, B: tl.constexpr):
    at = x_ptr + tl.arange(0, B)
    total = tl.zeros([B], tl.float32)
    for start in range(0, n, B):
        total += tl.load(at)  # FAULT
        at += 2 * B
    tl.store(out_ptr + tl.arange(0, B), total)


@triton.jit
def row_stride_of_the_other_axis(x_ptr, out_ptr, rows, cols, BR: tl.constexpr, BC: tl.constexpr):
    r, c = tl.arange(0, BR), tl.arange(0, BC)
    inside = (r[:, None] < rows) & (c[None, :] < cols)
    x = tl.load(x_ptr + r[:, None] * cols + c[None, :], mask=inside, other=0.0)
    tl.store(out_ptr + r[:, None] * rows + c[None, :], x, mask=inside)  # FAULT


@triton.jit
def strides_swapped(x_ptr, out_ptr, rows, cols, BR: tl.constexpr, BC: tl.constexpr):
    r, c = tl.arange(0, BR), tl.arange(0, BC)
    inside = (r[:, None] < rows) & (c[None, :] < cols)
    x = tl.load(x_ptr + r[:, None] + c[None, :] * cols, mask=inside, other=0.0)  # FAULT
    tl.store(out_ptr + r[:, None] * cols + c[None, :], x, mask=inside)


@triton.jit
def index_beyond_the_table(table_ptr, which_ptr, out_ptr, B: tl.constexpr, D: tl.constexpr):
    which = tl.load(which_ptr + tl.arange(0, B))
    d = tl.arange(0, D)
    x = tl.load(table_ptr + which[:, None] * D + d[None, :])  # FAULT
    tl.store(out_ptr + tl.arange(0, B)[:, None] * D + d[None, :], x)


@triton.jit
def gathers_beyond_the_tile(x_ptr, which_ptr, out_ptr, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out_ptr + i, tl.gather(tl.load(x_ptr + i), tl.load(which_ptr + i), 0))  # FAULT


@triton.jit
def offset_overflows_in_a_load(x_ptr, out_ptr, stride, B: tl.constexpr):
    i = tl.arange(0, B)
    x = tl.load(x_ptr + tl.program_id(0) * stride + i)  # FAULT
    tl.store(out_ptr + tl.program_id(0) * B + i, x)


@triton.jit
def offset_overflows_in_a_store(x_ptr, out_ptr, stride, B: tl.constexpr):
    i = tl.arange(0, B)
    x = tl.load(x_ptr + tl.program_id(0) * B + i)
    tl.store(out_ptr + tl.program_id(0) * stride + i, x)  # FAULT


@triton.jit
def box_larger_than_the_array(x_ptr, out_ptr, rows, B: tl.constexpr):
    x = tl.make_tensor_descriptor(x_ptr, [rows + 8, 64], [64, 1], [B, 64])
    out = tl.make_tensor_descriptor(out_ptr, [rows, 64], [64, 1], [B, 64])
    at = tl.program_id(0) * B
    out.store([at, 0], x.load([at, 0]))  # FAULT


@triton.jit
def block_without_boundary_check(x_ptr, out_ptr, n, B: tl.constexpr):
    at = tl.program_id(0) * B
    x = tl.make_block_ptr(x_ptr, (n, ), (1, ), (at, ), (B, ), (0, ))
    out = tl.make_block_ptr(out_ptr, (n, ), (1, ), (at, ), (B, ), (0, ))
    tl.store(out, tl.load(x), boundary_check=(0, ))  # FAULT


@triton.jit
def offset_wraps_into_the_array(x_ptr, out_ptr, stride, B: tl.constexpr):
    i = tl.arange(0, B)
    pid = tl.program_id(0)
    x = tl.load(x_ptr + pid * 4 * stride + i)  # FAULT
    tl.store(out_ptr + pid * B + i, x)


@triton.jit
def index_of_16_bits(x_ptr, out_ptr, B: tl.constexpr):
    i = tl.arange(0, B)
    at = (i.to(tl.int16) * 300).to(tl.int32)
    tl.store(out_ptr + i, tl.load(x_ptr + at))  # FAULT


@triton.jit
def rows_by_ticket_beyond_the_end(x_ptr, count_ptr, out_ptr, rows, B: tl.constexpr):
    i = tl.arange(0, B)
    row = tl.atomic_add(count_ptr, 1)
    while row <= rows:
        tl.store(out_ptr + row * B + i, tl.load(x_ptr + row * B + i))  # FAULT
        row = tl.atomic_add(count_ptr, 1)


# ---- values ----


@triton.jit
def accumulates_onto_nothing(x_ptr, out_ptr, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(out_ptr + i, tl.load(out_ptr + i, mask=i < n) + x, mask=i < n)  # FAULT


@triton.jit
def adds_atomically_onto_nothing(x_ptr, out_ptr, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0)
    tl.atomic_add(out_ptr, tl.sum(x))  # FAULT


@triton.jit
def sums_padding(x_ptr, out_ptr, n, B: tl.constexpr):
    i = tl.arange(0, B)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(out_ptr, tl.sum(x * x))  # FAULT


@triton.jit
def maximum_over_padding(x_ptr, out_ptr, n, B: tl.constexpr):
    i = tl.arange(0, B)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0)
    tl.store(out_ptr, tl.max(x, 0))  # FAULT


@triton.jit
def unwritten_tail_is_read(x_ptr, tmp_ptr, out_ptr, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(tmp_ptr + i, tl.load(x_ptr + i, mask=i < n), mask=i < n)
    tl.debug_barrier()
    tl.store(out_ptr + i, tl.load(tmp_ptr + (i ^ 1)))  # FAULT


@triton.jit
def divides_by_zero(x_ptr, out_ptr, groups, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out_ptr + i, tl.load(x_ptr + i // groups))  # FAULT


@triton.jit
def shifts_by_the_width(x_ptr, out_ptr, B: tl.constexpr):
    i = tl.arange(0, B)
    x = tl.load(x_ptr + i)
    tl.store(out_ptr + i, x >> (i % 64))  # FAULT


@triton.jit
def exponential_without_the_maximum(x_ptr, out_ptr, n, B: tl.constexpr):
    i = tl.arange(0, B)
    x = tl.load(x_ptr + i, mask=i < n, other=-float("inf"))
    e = tl.exp(x)  # FAULT
    tl.store(out_ptr + i, e / tl.sum(e, 0), mask=i < n)


@triton.jit
def root_of_a_negative(x_ptr, out_ptr, n, B: tl.constexpr):
    i = tl.arange(0, B)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0)
    mean = tl.sum(x, 0) / n
    tl.store(out_ptr, tl.sqrt(tl.sum(x, 0) / n - mean * mean - 1.0))  # FAULT


# ---- promises ----


@triton.jit
def multiple_that_is_none(x_ptr, out_ptr, step, B: tl.constexpr):
    first = tl.multiple_of(tl.program_id(0) * step, 8)  # FAULT
    i = first + tl.arange(0, B)
    tl.store(out_ptr + tl.program_id(0) * B + tl.arange(0, B), tl.load(x_ptr + i))


@triton.jit
def contiguous_that_is_not(x_ptr, which_ptr, out_ptr, B: tl.constexpr):
    i = tl.arange(0, B)
    which = tl.max_contiguous(tl.load(which_ptr + i), B)
    tl.store(out_ptr + i, tl.load(x_ptr + tl.multiple_of(which, 8)))  # FAULT


@triton.jit
def assumes_what_is_not(x_ptr, out_ptr, n, B: tl.constexpr):
    tl.assume(n > 64)  # FAULT
    i = tl.arange(0, B)
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=i < n, other=0.0), mask=i < n)


@triton.jit
def stores_to_a_const(x_ptr: tl.const, out_ptr, B: tl.constexpr):
    i = tl.arange(0, B)
    x = tl.load(x_ptr + i)
    tl.store(x_ptr + i, x + 1)  # FAULT
    tl.store(out_ptr + i, x)


@triton.jit
def assumes_of_each_turn(x_ptr, out_ptr, n, B: tl.constexpr):
    i = tl.arange(0, B)
    acc = tl.zeros([B], tl.float32)
    for start in range(0, n, B):
        tl.assume(start + B <= n)  # FAULT
        acc += tl.load(x_ptr + start + i, mask=start + i < n, other=0.0)
    tl.store(out_ptr + i, acc)


@triton.jit
def multiple_of_a_pointer(x_ptr, out_ptr, off, B: tl.constexpr):
    p = tl.multiple_of(x_ptr + off, 16)  # FAULT
    i = tl.arange(0, B)
    tl.store(out_ptr + i, tl.load(p + i))


# ---- threads of a program ----


@triton.jit
def neighbours_without_a_barrier(x_ptr, tmp_ptr, out_ptr, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(tmp_ptr + i, tl.load(x_ptr + i) * 2)
    tl.store(out_ptr + i, tl.load(tmp_ptr + (i + 1) % B))  # FAULT


@triton.jit
def barrier_before_but_not_behind(x_ptr, tmp_ptr, out_ptr, n, B: tl.constexpr):
    i = tl.arange(0, B)
    for turn in range(n):
        tl.store(tmp_ptr + i, tl.load(x_ptr + turn * B + i))  # FAULT
        tl.debug_barrier()
        tl.store(out_ptr + turn * B + i, tl.load(tmp_ptr + B - 1 - i))


@triton.jit
def histogram_without_atomics(x_ptr, count_ptr, B: tl.constexpr):
    bin = tl.load(x_ptr + tl.arange(0, B)) % 16
    tl.store(count_ptr + bin, tl.load(count_ptr + bin) + 1)  # FAULT


@triton.jit
def scatters_onto_one_place(x_ptr, which_ptr, out_ptr, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out_ptr + tl.load(which_ptr + i) % 8, tl.load(x_ptr + i))  # FAULT


@triton.jit
def shifts_in_place(x_ptr, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    x = tl.load(x_ptr + i, mask=i < n - 1)
    tl.store(x_ptr + i + 1, x, mask=i < n - 1)  # FAULT


@triton.jit
def staging_reused(x_ptr, stage_ptr, out_ptr, B: tl.constexpr):
    """A program's own scratch takes one half after the other; nobody waits until the first one is out."""
    i = tl.arange(0, B)
    stage = stage_ptr + tl.program_id(0) * B
    for part in tl.static_range(2):
        x = tl.load(x_ptr + (tl.program_id(0) * 2 + part) * B + i)
        tl.store(stage + i, x)  # FAULT
        tl.debug_barrier()
        tl.store(out_ptr + (tl.program_id(0) * 2 + part) * B + i, tl.load(stage + B - 1 - i))


@triton.jit
def smoothed_in_place(x_ptr, turns, B: tl.constexpr):
    i = tl.arange(0, B)
    for turn in range(turns):
        x = tl.load(x_ptr + i) + tl.load(x_ptr + (i + 1) % B)  # FAULT
        tl.debug_barrier()
        tl.store(x_ptr + i, x * 0.5)


@triton.jit
def places_by_lane(x_ptr, count_ptr, out_ptr, B: tl.constexpr):
    i = tl.arange(0, B)
    x = tl.load(x_ptr + i)
    at = tl.atomic_add(count_ptr + i * 0, 1, mask=x > 0)
    tl.store(out_ptr + at, x, mask=x > 0)  # FAULT


# ---- programs ----


@triton.jit
def blocks_overlap(x_ptr, out_ptr, n, B: tl.constexpr):
    i = tl.program_id(0) * (B - 1) + tl.arange(0, B)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(out_ptr + i, x + tl.program_id(0), mask=i < n)  # FAULT


@triton.jit
def every_program_does_all(x_ptr, out_ptr, n, B: tl.constexpr):
    for start in range(0, n, B):
        i = start + tl.arange(0, B)
        tl.store(out_ptr + i, tl.load(x_ptr + i, mask=i < n), mask=i < n)  # FAULT


@triton.jit
def counts_without_atomics(x_ptr, count_ptr, B: tl.constexpr):
    x = tl.load(x_ptr + tl.program_id(0) * B + tl.arange(0, B))
    tl.store(count_ptr, tl.load(count_ptr) + tl.sum(x, 0))  # FAULT


@triton.jit
def splits_k_without_atomics(a_ptr, b_ptr, c_ptr, K, B: tl.constexpr):
    i, k = tl.arange(0, B), tl.program_id(0) * B + tl.arange(0, B)
    a = tl.load(a_ptr + i[:, None] * K + k[None, :])
    b = tl.load(b_ptr + k[:, None] * B + i[None, :])
    tl.store(c_ptr + i[:, None] * B + i[None, :], tl.dot(a, b))  # FAULT


@triton.jit
def stencil_in_place(x_ptr, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    left = tl.load(x_ptr + i - 1, mask=(i > 0) & (i < n), other=0)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.debug_barrier()
    tl.store(x_ptr + i, left + x, mask=i < n)  # FAULT


@triton.jit
def counter_cleared_by_one(count_ptr, out_ptr):
    if tl.program_id(0) == 0:
        tl.store(count_ptr, 0)  # FAULT
    tl.store(out_ptr + tl.program_id(0), tl.atomic_add(count_ptr, 1) * 0)


@triton.jit
def places_by_ticket(x_ptr, count_ptr, out_ptr, B: tl.constexpr):
    i = tl.arange(0, B)
    x = tl.load(x_ptr + tl.program_id(0) * B + i)
    place = tl.atomic_add(count_ptr, 1)
    tl.store(out_ptr + place * B + i, x)  # FAULT


@triton.jit
def reversed_in_place(x_ptr, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.debug_barrier()
    tl.store(x_ptr + n - 1 - i, x, mask=i < n)  # FAULT


@triton.jit
def transposed_in_place(x_ptr, n, B: tl.constexpr):
    r, c = tl.program_id(0) * B + tl.arange(0, B), tl.program_id(1) * B + tl.arange(0, B)
    x = tl.load(x_ptr + r[:, None] * n + c[None, :])
    tl.debug_barrier()
    tl.store(x_ptr + c[:, None] * n + r[None, :], tl.trans(x))  # FAULT


@triton.jit
def staging_shared_by_programs(x_ptr, stage_ptr, out_ptr, B: tl.constexpr):
    i = tl.arange(0, B)
    pid = tl.program_id(0)
    tl.store(stage_ptr + i, tl.load(x_ptr + pid * B + i))  # FAULT
    tl.debug_barrier()
    tl.store(out_ptr + pid * B + i, tl.load(stage_ptr + (i ^ 1)))


@triton.jit
def half_sums_read_too_early(x_ptr, sum_ptr, out_ptr, B: tl.constexpr):
    pid = tl.program_id(0)
    x = tl.load(x_ptr + pid * B + tl.arange(0, B))
    tl.atomic_add(sum_ptr, tl.sum(x.to(tl.float32)).to(tl.float16))
    tl.store(out_ptr + pid, tl.load(sum_ptr))  # FAULT


@triton.jit
def half_neighbour_is_stored(x_ptr, sum_ptr, n, B: tl.constexpr):
    pid = tl.program_id(0)
    x = tl.load(x_ptr + pid * B + tl.arange(0, B))
    s = tl.sum(x.to(tl.float32)).to(tl.float16)
    tl.atomic_add(sum_ptr + pid, s)
    if pid == n - 1:
        tl.store(sum_ptr + pid - 1, s)  # FAULT


# ---- locks, flags, scopes ----


@triton.jit
def lock_never_released(lock_ptr, sum_ptr, x_ptr):
    x = tl.load(x_ptr + tl.program_id(0))
    while tl.atomic_cas(lock_ptr, 0, 1) == 1:  # FAULT
        pass
    tl.store(sum_ptr, tl.load(sum_ptr) + x)


@triton.jit
def lock_released_too_early(lock_ptr, sum_ptr, x_ptr, B: tl.constexpr):
    i = tl.arange(0, B)
    x = tl.load(x_ptr + tl.program_id(0) * B + i)
    while tl.atomic_cas(lock_ptr, 0, 1) == 1:
        pass
    tl.atomic_xchg(lock_ptr, 0)
    tl.store(sum_ptr + i, tl.load(sum_ptr + i) + x)  # FAULT


@triton.jit
def lock_released_without_a_barrier(lock_ptr, sum_ptr, x_ptr, B: tl.constexpr):
    i = tl.arange(0, B)
    x = tl.load(x_ptr + tl.program_id(0) * B + i)
    while tl.atomic_cas(lock_ptr, 0, 1) == 1:
        pass
    tl.store(sum_ptr + i, tl.load(sum_ptr + i) + x)  # FAULT
    tl.atomic_xchg(lock_ptr, 0)


@triton.jit
def lock_taken_relaxed(lock_ptr, sum_ptr, x_ptr, B: tl.constexpr):
    i = tl.arange(0, B)
    x = tl.load(x_ptr + tl.program_id(0) * B + i)
    while tl.atomic_cas(lock_ptr, 0, 1, sem="relaxed") == 1:
        pass
    tl.store(sum_ptr + i, tl.load(sum_ptr + i) + x)  # FAULT
    tl.debug_barrier()
    tl.atomic_xchg(lock_ptr, 0, sem="release")


@triton.jit
def lock_of_a_block_scope(lock_ptr, sum_ptr, x_ptr, B: tl.constexpr):
    i = tl.arange(0, B)
    x = tl.load(x_ptr + tl.program_id(0) * B + i)
    while tl.atomic_cas(lock_ptr, 0, 1, scope="cta") == 1:  # FAULT
        pass
    tl.store(sum_ptr + i, tl.load(sum_ptr + i) + x)
    tl.debug_barrier()
    tl.atomic_xchg(lock_ptr, 0, scope="cta")


@triton.jit
def flag_by_a_plain_store(x_ptr, data_ptr, flag_ptr, out_ptr, B: tl.constexpr):
    i = tl.arange(0, B)
    if tl.program_id(0) == 0:
        tl.store(data_ptr + i, tl.load(x_ptr + i) * 2)
        tl.debug_barrier()
        tl.store(flag_ptr, 1)  # FAULT
    else:
        while tl.atomic_add(flag_ptr, 0) == 0:
            pass
        tl.store(out_ptr + i, tl.load(data_ptr + i))


@triton.jit
def flag_before_the_data(x_ptr, data_ptr, flag_ptr, out_ptr, B: tl.constexpr):
    i = tl.arange(0, B)
    if tl.program_id(0) == 0:
        tl.atomic_xchg(flag_ptr, 1)
        tl.store(data_ptr + i, tl.load(x_ptr + i) * 2)
    else:
        while tl.atomic_add(flag_ptr, 0) == 0:
            pass
        tl.store(out_ptr + i, tl.load(data_ptr + i))  # FAULT


@triton.jit
def last_one_without_a_barrier(x_ptr, parts_ptr, count_ptr, out_ptr, B: tl.constexpr, P: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(parts_ptr + tl.program_id(0) * B + i, tl.load(x_ptr + tl.program_id(0) * B + i) * 2)
    if tl.atomic_add(count_ptr, 1) == P - 1:
        total = tl.zeros([B], tl.float32)
        for k in range(P):
            total += tl.load(parts_ptr + k * B + i)  # FAULT
        tl.store(out_ptr + i, total)


@triton.jit
def last_one_relaxed(x_ptr, parts_ptr, count_ptr, out_ptr, B: tl.constexpr, P: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(parts_ptr + tl.program_id(0) * B + i, tl.load(x_ptr + tl.program_id(0) * B + i) * 2)
    tl.debug_barrier()
    if tl.atomic_add(count_ptr, 1, sem="relaxed") == P - 1:
        total = tl.zeros([B], tl.float32)
        for k in range(P):
            total += tl.load(parts_ptr + k * B + i)  # FAULT
        tl.store(out_ptr + i, total)


@triton.jit
def all_wait_for_all(count_ptr, out_ptr, P: tl.constexpr):
    tl.atomic_add(count_ptr, 1)
    while tl.atomic_add(count_ptr, 0) < P:  # FAULT
        pass
    tl.store(out_ptr + tl.program_id(0), 1)


@triton.jit
def waits_for_who_comes_later_and_waits(flags_ptr, out_ptr):
    pid = tl.program_id(0)
    while tl.atomic_add(flags_ptr + 1 - pid, 0) == 0:  # FAULT
        pass
    tl.atomic_xchg(flags_ptr + pid, 1)
    tl.store(out_ptr + pid, 1)


@triton.jit
def flag_polled_by_a_plain_load(x_ptr, data_ptr, flag_ptr, out_ptr, B: tl.constexpr):
    i = tl.arange(0, B)
    if tl.program_id(0) == 0:
        tl.store(data_ptr + i, tl.load(x_ptr + i) * 2)
        tl.debug_barrier()
        tl.atomic_xchg(flag_ptr, 1)
    else:
        while tl.load(flag_ptr) == 0:  # FAULT
            pass
        tl.store(out_ptr + i, tl.load(data_ptr + i))


@triton.jit
def flag_published_relaxed(x_ptr, data_ptr, flag_ptr, out_ptr, B: tl.constexpr):
    i = tl.arange(0, B)
    if tl.program_id(0) == 0:
        tl.store(data_ptr + i, tl.load(x_ptr + i) * 2)
        tl.debug_barrier()
        tl.atomic_xchg(flag_ptr, 1, sem="relaxed")
    else:
        while tl.atomic_add(flag_ptr, 0, sem="acquire") == 0:
            pass
        tl.store(out_ptr + i, tl.load(data_ptr + i))  # FAULT


@triton.jit
def flag_of_the_wrong_word(x_ptr, flag_ptr, part_ptr, out_ptr, B: tl.constexpr):
    pid = tl.program_id(0)
    i = tl.arange(0, B)
    tl.store(part_ptr + pid * B + i, tl.load(x_ptr + pid * B + i) * 2)
    tl.debug_barrier()
    tl.atomic_xchg(flag_ptr + pid, 1, sem="release")
    if pid > 0:
        while tl.atomic_add(flag_ptr + pid, 0, sem="acquire") == 0:
            pass
        tl.store(out_ptr + pid * B + i, tl.load(part_ptr + (pid - 1) * B + i))  # FAULT


@triton.jit
def counts_of_a_block_scope(x_ptr, count_ptr, B: tl.constexpr):
    x = tl.load(x_ptr + tl.program_id(0) * B + tl.arange(0, B))
    tl.atomic_add(count_ptr + (tl.abs(x) % 16), 1, scope="cta")  # FAULT


@triton.jit
def locks_of_programs_not_of_tiles(x_ptr, lock_ptr, out_ptr, B: tl.constexpr):
    """Two programs of a tile take a lock each."""
    i = tl.arange(0, B)
    pid = tl.program_id(0)
    tile = pid % 2
    x = tl.load(x_ptr + pid * B + i)
    while tl.atomic_cas(lock_ptr + pid, 0, 1) == 1:
        pass
    at = out_ptr + tile * B + i
    tl.store(at, tl.load(at) + x)  # FAULT
    tl.debug_barrier()
    tl.atomic_xchg(lock_ptr + pid, 0)


@triton.jit
def looks_back_at_itself(x_ptr, flag_ptr, out_ptr, B: tl.constexpr):
    pid = tl.program_id(0)
    total = tl.sum(tl.load(x_ptr + pid * B + tl.arange(0, B)))
    before = 0
    if pid > 0:
        while tl.atomic_add(flag_ptr + pid, 0) == 0:  # FAULT
            pass
    tl.atomic_xchg(flag_ptr + pid, 1)
    tl.store(out_ptr + pid, total)


@triton.jit
def two_locks_in_two_orders(lock_ptr, here_ptr, out_ptr):
    """Each has taken one before either asks for the other."""
    first, second = tl.program_id(0), 1 - tl.program_id(0)
    while tl.atomic_cas(lock_ptr + first, 0, 1) == 1:
        pass
    tl.atomic_add(here_ptr, 1)
    while tl.atomic_add(here_ptr, 0) < 2:
        pass
    while tl.atomic_cas(lock_ptr + second, 0, 1) == 1:  # FAULT
        pass
    tl.store(out_ptr, tl.load(out_ptr) + 1)
    tl.atomic_xchg(lock_ptr + second, 0)
    tl.atomic_xchg(lock_ptr + first, 0)


# ---- descriptors ----


@triton.jit
def reduces_onto_nothing(x_ptr, out_ptr, B: tl.constexpr):
    x = tl.make_tensor_descriptor(x_ptr, [4 * B, 64], [64, 1], [B, 64])
    out = tl.make_tensor_descriptor(out_ptr, [B, 64], [64, 1], [B, 64])
    out.atomic_add([0, 0], x.load([tl.program_id(0) * B, 0]))  # FAULT


@triton.jit
def first_one_stores_others_reduce(x_ptr, out_ptr, B: tl.constexpr):
    pid = tl.program_id(0)
    x = tl.make_tensor_descriptor(x_ptr, [4 * B, 64], [64, 1], [B, 64])
    out = tl.make_tensor_descriptor(out_ptr, [B, 64], [64, 1], [B, 64])
    tile = x.load([pid * B, 0])
    if pid == 0:
        out.store([0, 0], tile)  # FAULT
    else:
        out.atomic_add([0, 0], tile)  # FAULT


@triton.jit
def stored_by_tma_read_by_a_neighbour(x_ptr, out_ptr, again_ptr, B: tl.constexpr):
    """A neighbour's part is read without waiting for its program."""
    pid = tl.program_id(0)
    x = tl.make_tensor_descriptor(x_ptr, [4 * B, 64], [64, 1], [B, 64])
    out = tl.make_tensor_descriptor(out_ptr, [4 * B, 64], [64, 1], [B, 64])
    out.store([pid * B, 0], x.load([pid * B, 0]) * 2)
    r, c = (pid ^ 1) * B + tl.arange(0, B), tl.arange(0, 64)
    tl.store(again_ptr + r[:, None] * 64 + c[None, :], tl.load(out_ptr + r[:, None] * 64 + c[None, :]))  # FAULT


@triton.jit
def rows_overlap_in_a_store(x_ptr, out_ptr, stride, B: tl.constexpr):
    x = tl.make_tensor_descriptor(x_ptr, [B, 64], [64, 1], [B, 64])
    out = tl.make_tensor_descriptor(out_ptr, [B, 64], [stride, 1], [B, 64])
    out.store([0, 0], x.load([0, 0]))  # FAULT


# ---- correct kernels, whose TTGIR or LLIR is edited by hand (faulty.py says how) ----


@triton.jit
def staged(a_ptr, b_ptr, c_ptr, K, B: tl.constexpr, BK: tl.constexpr):
    i, k = tl.arange(0, B), tl.arange(0, BK)
    acc = tl.zeros((B, B), tl.float32)
    for start in range(0, K, BK):
        a = tl.load(a_ptr + i[:, None] * K + (start + k)[None, :])
        b = tl.load(b_ptr + (start + k)[:, None] * B + i[None, :])
        acc = tl.dot(a, b, acc)
    tl.store(c_ptr + i[:, None] * B + i[None, :], acc)


@triton.jit
def boxed(a_ptr, b_ptr, c_ptr, K, B: tl.constexpr, BK: tl.constexpr):
    a = tl.make_tensor_descriptor(a_ptr, [B, K], [K, 1], [B, BK])
    b = tl.make_tensor_descriptor(b_ptr, [K, B], [B, 1], [BK, B])
    c = tl.make_tensor_descriptor(c_ptr, [B, B], [B, 1], [B, B])
    acc = tl.zeros((B, B), tl.float32)
    for start in range(0, K, BK):
        acc = tl.dot(a.load([0, start]), b.load([start, 0]), acc)
    c.store([0, 0], acc)


@triton.jit
def clustered(x_ptr, out_ptr):
    i, k = tl.arange(0, 64), tl.arange(0, 64)
    x = tl.load(x_ptr + i[:, None] * 64 + k[None, :])
    tl.store(out_ptr + i, tl.sum(x, 1))
    tl.store(out_ptr + 64 + k, tl.sum(x, 0))


@triton.jit
def roled(a_ptr, b_ptr, c_ptr, M, N, K, B: tl.constexpr, BK: tl.constexpr):
    a = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [B, BK])
    b = tl.make_tensor_descriptor(b_ptr, [K, N], [N, 1], [BK, B])
    c = tl.make_tensor_descriptor(c_ptr, [M, N], [N, 1], [B, B])
    across = tl.cdiv(N, B)
    for tile in tl.range(tl.program_id(0), tl.cdiv(M, B) * across, tl.num_programs(0), flatten=True, warp_specialize=True):
        m, n = tile // across * B, tile % across * B
        acc = tl.zeros((B, B), tl.float32)
        for k in tl.range(0, tl.cdiv(K, BK), num_stages=3):
            acc = tl.dot(a.load([m, k * BK]), b.load([k * BK, n]), acc)
        c.store([m, n], acc.to(tl.float16))


@triton.jit
def moved(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    a = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BM, BK])
    b = tl.make_tensor_descriptor(b_ptr, [K, N], [N, 1], [BK, BN])
    m, n = tl.program_id(0) * BM, tl.program_id(1) * BN
    acc = tl.zeros((BM, BN), tl.float32)
    for k in tl.range(0, tl.cdiv(K, BK), num_stages=3, warp_specialize=True):
        acc = tl.dot(a.load([m, k * BK]), b.load([k * BK, n]), acc)
    i, j = m + tl.arange(0, BM), n + tl.arange(0, BN)
    tl.store(c_ptr + i[:, None] * N + j[None, :], acc.to(tl.float16), mask=(i[:, None] < M) & (j[None, :] < N))


@triton.jit
def handed_on(x_ptr, tmp_ptr, flag_ptr, out_ptr, B: tl.constexpr):
    pid = tl.program_id(0)
    r, c = tl.arange(0, B), tl.arange(0, 64)
    x = tl.make_tensor_descriptor(x_ptr, [B, 64], [64, 1], [B, 64])
    tmp = tl.make_tensor_descriptor(tmp_ptr, [B, 64], [64, 1], [B, 64])
    if pid == 0:
        tmp.store([0, 0], x.load([0, 0]) * 2)
        tl.debug_barrier()
        tl.atomic_xchg(flag_ptr, 1, sem="release")
    else:
        while tl.atomic_add(flag_ptr, 0, sem="acquire") == 0:
            pass
        tl.store(out_ptr + r[:, None] * 64 + c[None, :], tl.load(tmp_ptr + (B - 1 - r[:, None]) * 64 + c[None, :]))


@triton.jit
def copied_back(x_ptr, tmp_ptr, out_ptr, B: tl.constexpr):
    r, c = tl.arange(0, B), tl.arange(0, 64)
    tl.store(tmp_ptr + r[:, None] * 64 + c[None, :], tl.load(x_ptr + r[:, None] * 64 + c[None, :]) * 2)
    tl.debug_barrier()
    tmp = tl.make_tensor_descriptor(tmp_ptr, [B, 64], [64, 1], [B, 64])
    out = tl.make_tensor_descriptor(out_ptr, [B, 64], [64, 1], [B, 64])
    out.store([0, 0], tmp.load([0, 0]))


# ---- more of each kind ----


@triton.jit
def unsigned_left(x_ptr, out_ptr, n, B: tl.constexpr):
    i = tl.arange(0, B).to(tl.uint32)
    left = tl.load(x_ptr + (i - 1), mask=i < n, other=0.0)  # FAULT
    tl.store(out_ptr + i, left, mask=i < n)


@triton.jit
def pointer_of_32_bits(x_ptr, out_ptr, B: tl.constexpr):
    i = tl.arange(0, B)
    at = x_ptr.to(tl.int64).to(tl.int32).to(tl.int64).to(tl.pointer_type(tl.float32))
    tl.store(out_ptr + i, tl.load(at + i))  # FAULT


@triton.jit
def remainder_of_nothing(x_ptr, out_ptr, n, B: tl.constexpr):
    i = tl.arange(0, B)
    groups = n // 1000
    tl.store(out_ptr + i % groups, tl.load(x_ptr + i))  # FAULT


@triton.jit
def mean_of_a_mask(x_ptr, out_ptr, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0)
    count = tl.sum((i < n).to(tl.int32), 0)
    tl.store(out_ptr + tl.program_id(0), tl.sum(x.to(tl.int32), 0) // count)  # FAULT


@triton.jit
def count_of_bits(x_ptr, out_ptr, n, B: tl.constexpr):
    i = tl.arange(0, B)
    x = tl.load(x_ptr + i, mask=i < n, other=0)
    width = tl.max(x, 0) + 31
    tl.store(out_ptr + i, (1 << width) + i)  # FAULT


@triton.jit
def index_from_padding(x_ptr, table_ptr, out_ptr, n, B: tl.constexpr):
    i = tl.arange(0, B)
    which = tl.load(x_ptr + i, mask=i < n)
    best = tl.max(which, 0)
    tl.store(out_ptr, tl.load(table_ptr + best))  # FAULT


@triton.jit
def partial_sums_of_skipped_programs(x_ptr, part_ptr, count_ptr, out_ptr, n, P: tl.constexpr, B: tl.constexpr):
    pid = tl.program_id(0)
    i = pid * B + tl.arange(0, B)
    if pid * B + B <= n:
        tl.store(part_ptr + pid, tl.sum(tl.load(x_ptr + i), 0))
    tl.debug_barrier()
    if tl.atomic_add(count_ptr, 1) == P - 1:
        tl.store(out_ptr, tl.sum(tl.load(part_ptr + tl.arange(0, P)), 0))  # FAULT


@triton.jit
def half_of_a_table(x_ptr, out_ptr, n, B: tl.constexpr):
    i = tl.arange(0, B)
    if n % 2 == 0:
        tl.store(out_ptr + 2 * i, tl.load(x_ptr + i))
    tl.debug_barrier()
    tl.store(x_ptr + i, tl.load(out_ptr + i))  # FAULT


@triton.jit
def assumes_a_multiple(x_ptr, out_ptr, n, B: tl.constexpr):
    tl.assume(n % 16 == 0)  # FAULT
    i = tl.arange(0, B)
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=i < n, other=0.0), mask=i < n)


@triton.jit
def scan_by_doubling(x_ptr, n, B: tl.constexpr):
    i = tl.arange(0, B)
    step = 1
    while step < n:
        left = tl.load(x_ptr + i - step, mask=(i >= step) & (i < n), other=0)
        here = tl.load(x_ptr + i, mask=i < n, other=0)
        tl.store(x_ptr + i, here + left, mask=i < n)  # FAULT
        step *= 2


@triton.jit
def odd_and_even_rows(x_ptr, M: tl.constexpr, N: tl.constexpr):
    r, c = tl.arange(0, M // 2)[:, None], tl.arange(0, N)[None, :]
    even = tl.load(x_ptr + 2 * r * N + c)
    tl.store(x_ptr + (2 * r + 1) * N + c, even + 1)
    odd = tl.load(x_ptr + (2 * r + 1) * N + (N - 1 - c))  # FAULT
    tl.store(x_ptr + 2 * r * N + c, odd)


@triton.jit
def greatest_of_a_block_scope(x_ptr, out_ptr, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.atomic_max(out_ptr, tl.max(tl.load(x_ptr + i), 0), scope="cta")  # FAULT


@triton.jit
def tiles_twice(x_ptr, out_ptr, m, n, GROUP: tl.constexpr, B: tl.constexpr):
    pid = tl.program_id(0)
    rows, cols = tl.cdiv(m, B), tl.cdiv(n, B)
    group = pid // (GROUP * cols)
    first = group * GROUP
    size = min(rows - first, GROUP)
    r = first + pid % size
    c = pid % (GROUP * cols) // GROUP
    at = (r * B + tl.arange(0, B)[:, None]) * n + c * B + tl.arange(0, B)[None, :]
    tl.store(out_ptr + at, tl.load(x_ptr + at) + pid)  # FAULT


@triton.jit
def tail_is_stored_by_two(x_ptr, out_ptr, n, B: tl.constexpr):
    pid = tl.program_id(0)
    start = tl.minimum(pid * B, n - B)
    i = start + tl.arange(0, B)
    tl.store(out_ptr + i, tl.load(out_ptr + i) + tl.load(x_ptr + i))  # FAULT


@triton.jit
def sum_read_while_added(x_ptr, sum_ptr, out_ptr, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    x = tl.load(x_ptr + i)
    tl.atomic_add(sum_ptr, tl.sum(x, 0))
    mean = tl.load(sum_ptr) / 1024  # FAULT
    tl.store(out_ptr + i, x - mean)


@triton.jit
def lock_freed_by_a_store(lock_ptr, sum_ptr, x_ptr, B: tl.constexpr):
    i = tl.arange(0, B)
    while tl.atomic_cas(lock_ptr, 0, 1) == 1:
        pass
    tl.store(sum_ptr + i, tl.load(sum_ptr + i) + tl.load(x_ptr + tl.program_id(0) * B + i))
    tl.debug_barrier()
    tl.store(lock_ptr, 0)  # FAULT


@triton.jit
def scratch_of_the_group(x_ptr, tmp_ptr, lock_ptr, out_ptr, GROUP: tl.constexpr, N: tl.constexpr):
    pid = tl.program_id(0)
    c = tl.arange(0, N)
    g = pid % GROUP
    while tl.atomic_cas(lock_ptr + g, 0, 1) == 1:
        pass
    first = tl.load(lock_ptr + GROUP + g)
    x = tl.load(x_ptr + pid * N + c)
    if first == 0:
        tl.atomic_xchg(lock_ptr + GROUP + g, 1)
    else:
        x += tl.load(tmp_ptr + g * N + c)
    tl.debug_barrier()
    tl.atomic_xchg(lock_ptr + g, 0)
    tl.store(tmp_ptr + g * N + c, x)  # FAULT


@triton.jit
def cumulative_across_programs(x_ptr, carry_ptr, flag_ptr, out_ptr, B: tl.constexpr):
    pid = tl.program_id(0)
    i = pid * B + tl.arange(0, B)
    s = tl.cumsum(tl.load(x_ptr + i), 0)
    if pid > 0:
        while tl.atomic_add(flag_ptr + pid - 1, 0) == 0:
            pass
        s += tl.load(carry_ptr + pid - 1)
    tl.atomic_xchg(flag_ptr + pid, 1)
    tl.store(carry_ptr + pid, tl.sum(tl.where(tl.arange(0, B) == B - 1, s, 0), 0))  # FAULT
    tl.store(out_ptr + i, s)


@triton.jit
def second_grid_barrier_does_not_count_on(x_ptr, tmp_ptr, count_ptr, out_ptr, n, B: tl.constexpr):
    pid, programs = tl.program_id(0), tl.num_programs(0)
    i = tl.arange(0, B)
    tl.store(tmp_ptr + pid * B + i, tl.load(x_ptr + pid * B + i))
    tl.debug_barrier()
    tl.atomic_add(count_ptr, 1)
    while tl.atomic_add(count_ptr, 0) < programs:
        pass
    other = (pid + 1) % programs
    mine = tl.load(tmp_ptr + other * B + i)
    tl.debug_barrier()
    tl.atomic_add(count_ptr, 1)
    while tl.atomic_add(count_ptr, 0) < programs:
        pass
    tl.store(tmp_ptr + pid * B + i, mine + 1)  # FAULT
    tl.store(out_ptr + pid * B + i, mine)


@triton.jit
def producer_runs_ahead(x_ptr, ring_ptr, full_ptr, out_ptr, turns, B: tl.constexpr):
    i = tl.arange(0, B)
    if tl.program_id(0) == 0:
        for k in range(turns):
            tl.store(ring_ptr + (k % 2) * B + i, tl.load(x_ptr + k * B + i))  # FAULT
            tl.debug_barrier()
            tl.atomic_add(full_ptr, 1, sem="release")
    else:
        for k in range(turns):
            while tl.atomic_add(full_ptr, 0, sem="acquire") <= k:
                pass
            tl.store(out_ptr + k * B + i, tl.load(ring_ptr + (k % 2) * B + i))


@triton.jit
def waits_for_the_next_program(count_ptr, out_ptr):
    pid = tl.program_id(0)
    if pid + 1 < tl.num_programs(0):
        while tl.atomic_add(count_ptr + pid + 1, 0) == 0:  # FAULT
            pass
    tl.store(out_ptr + pid, pid)
    tl.atomic_xchg(count_ptr + pid, 1)


@triton.jit
def waits_for_too_few_parts(x_ptr, part_ptr, count_ptr, out_ptr, PARTS: tl.constexpr, B: tl.constexpr):
    pid = tl.program_id(0)
    tile, i = pid // PARTS, tl.arange(0, B)
    x = tl.load(x_ptr + pid * B + i)
    if pid % PARTS != PARTS - 1:
        tl.store(part_ptr + pid * B + i, x)
        tl.atomic_add(count_ptr + tile, 1, sem="release")
    else:
        while tl.atomic_add(count_ptr + tile, 0, sem="acquire") < PARTS - 2:
            pass
        for p in range(PARTS - 1):
            x += tl.load(part_ptr + (tile * PARTS + p) * B + i)  # FAULT
        tl.store(out_ptr + tile * B + i, x)


@triton.jit
def last_one_counts_too(x_ptr, bins_ptr, out_ptr, B: tl.constexpr):
    bin = tl.load(x_ptr + tl.program_id(0) * B + tl.arange(0, B)) % 16
    tl.atomic_add(bins_ptr + 1 + bin, 1, sem="relaxed")
    tl.debug_barrier()
    if tl.atomic_add(bins_ptr, 1, sem="relaxed") == tl.num_programs(0) - 1:
        b = tl.arange(0, 16)
        tl.store(out_ptr + b, tl.cumsum(tl.load(bins_ptr + 1 + b), 0))  # FAULT


@triton.jit
def passes_its_turn_on_first(turn_ptr, sum_ptr, x_ptr, B: tl.constexpr):
    pid, i = tl.program_id(0), tl.arange(0, B)
    x = tl.load(x_ptr + pid * B + i)
    while tl.atomic_add(turn_ptr, 0, sem="acquire") != pid:
        pass
    s = tl.load(sum_ptr + i)
    tl.atomic_add(turn_ptr, 1, sem="release")
    tl.store(sum_ptr + i, s + x)  # FAULT


@triton.jit
def two_rounds_in_one_scratch(x_ptr, part_ptr, count_ptr, out_ptr, P: tl.constexpr, B: tl.constexpr):
    pid = tl.program_id(0)
    for r in range(2):
        tl.store(part_ptr + pid, tl.sum(tl.load(x_ptr + pid * B + tl.arange(0, B)), 0) * (r + 1))  # FAULT
        tl.atomic_add(count_ptr, 1, sem="release")
        while tl.atomic_add(count_ptr, 0, sem="acquire") < (r + 1) * P:
            pass
        tl.store(out_ptr + r * P + pid, tl.sum(tl.load(part_ptr + tl.arange(0, P)), 0))


@triton.jit
def rotates_halves_behind_its_store(x_ptr, cos_ptr, sin_ptr, H: tl.constexpr):
    row, i = tl.program_id(0) * 2 * H, tl.arange(0, 2 * H)
    c, s = tl.load(cos_ptr + i % H), tl.load(sin_ptr + i % H)
    x = tl.load(x_ptr + row + i)
    tl.store(x_ptr + row + i, x * c)
    tl.store(x_ptr + row + i, x * c + tl.load(x_ptr + row + (i + H) % (2 * H)) * s)  # FAULT


@triton.jit
def takes_from_a_queue_without_atomics(queue_ptr, head_ptr, x_ptr, out_ptr, items, B: tl.constexpr):
    i, t = tl.arange(0, B), 0
    while t < items:
        t = tl.load(head_ptr, volatile=True)
        tl.store(head_ptr, t + 1)  # FAULT
        if t < items:
            item = tl.load(queue_ptr + t)
            tl.store(out_ptr + item * B + i, tl.load(x_ptr + item * B + i) * 3.0)


@triton.jit
def boxes_overlap_by_a_row(x_ptr, y_ptr, M, N, T, BM: tl.constexpr, BN: tl.constexpr):
    x = tl.make_tensor_descriptor(x_ptr, [M, N], [N, 1], [BM, BN])
    y = tl.make_tensor_descriptor(y_ptr, [M, N], [N, 1], [BM, BN])
    for t in range(tl.program_id(0), T, tl.num_programs(0)):
        y.store([t * (BM - 1), 0], x.load([t * (BM - 1), 0]) + t)  # FAULT


@triton.jit
def overtaken(x_ptr, o_ptr, n, BLOCK: tl.constexpr):
    x = tl.make_tensor_descriptor(x_ptr, [n * BLOCK, 64], [64, 1], [BLOCK, 64])
    o = tl.make_tensor_descriptor(o_ptr, [BLOCK, 64], [64, 1], [BLOCK, 64])
    for block in range(n):
        o.store([0, 0], x.load([block * BLOCK, 0]) * 2)
