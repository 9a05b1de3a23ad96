"""Persistent products whose tiles and steps along K are one loop that counts the steps of each tile
itself, as older tutorials and many public kernels write it, and beside them the same with two loops.
Used by one_loop.py and the tests."""
import triton
import triton.language as tl


@triton.jit
def place(tile, M, N, BM: tl.constexpr, BN: tl.constexpr, GROUP: tl.constexpr):
    pids_m = tl.cdiv(M, BM)
    pids_n = tl.cdiv(N, BN)
    in_group = GROUP * pids_n
    group = tile // in_group
    first = group * GROUP
    size = min(pids_m - first, GROUP)
    return first + (tile % size), (tile % in_group) // size


@triton.jit
def share(M, N, BM: tl.constexpr, BN: tl.constexpr, SMS: tl.constexpr):
    tiles = tl.cdiv(M, BM) * tl.cdiv(N, BN)
    start = tl.program_id(0)
    own = tiles // SMS
    if start < tiles % SMS:
        own += 1
    return start, own


@triton.jit
def one_pointers(a_ptr, b_ptr, c_ptr, M, N, K, sam, sak, sbk, sbn, scm, scn,
                 BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr,
                 SMS: tl.constexpr, FLATTEN: tl.constexpr = False):
    start, own = share(M, N, BM, BN, SMS)
    steps = tl.cdiv(K, BK)
    tile = start - SMS
    ki = -1
    ks = tl.arange(0, BK)
    pid_m = 0
    pid_n = 0
    rows = tl.arange(0, BM)
    columns = tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for _ in range(0, steps * own):
        ki = tl.where(ki == steps - 1, 0, ki + 1)
        if ki == 0:
            tile += SMS
            pid_m, pid_n = place(tile, M, N, BM, BN, GROUP)
            rows = pid_m * BM + tl.arange(0, BM)
            columns = pid_n * BN + tl.arange(0, BN)
            rows = tl.where(rows < M, rows, 0)
            columns = tl.where(columns < N, columns, 0)
            rows = tl.max_contiguous(tl.multiple_of(rows, BM), BM)
            columns = tl.max_contiguous(tl.multiple_of(columns, BN), BN)
        at = ki * BK + tl.arange(0, BK)
        a_ptrs = a_ptr + (rows[:, None] * sam + at[None, :] * sak)
        b_ptrs = b_ptr + (at[:, None] * sbk + columns[None, :] * sbn)
        a = tl.load(a_ptrs, mask=ks[None, :] < K - ki * BK, other=0.0)
        b = tl.load(b_ptrs, mask=ks[:, None] < K - ki * BK, other=0.0)
        acc = tl.dot(a, b, acc)
        if ki == steps - 1:
            out_m = pid_m * BM + tl.arange(0, BM)
            out_n = pid_n * BN + tl.arange(0, BN)
            c_ptrs = c_ptr + scm * out_m[:, None] + scn * out_n[None, :]
            mask = (out_m[:, None] < M) & (out_n[None, :] < N)
            tl.store(c_ptrs, acc.to(c_ptr.dtype.element_ty), mask=mask)
            acc = tl.zeros((BM, BN), dtype=tl.float32)


@triton.jit
def two_pointers(a_ptr, b_ptr, c_ptr, M, N, K, sam, sak, sbk, sbn, scm, scn,
                 BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr,
                 SMS: tl.constexpr, FLATTEN: tl.constexpr = False):
    start = tl.program_id(0)
    tiles = tl.cdiv(M, BM) * tl.cdiv(N, BN)
    steps = tl.cdiv(K, BK)
    ks = tl.arange(0, BK)
    for tile in tl.range(start, tiles, SMS, flatten=FLATTEN):
        pid_m, pid_n = place(tile, M, N, BM, BN, GROUP)
        rows = pid_m * BM + tl.arange(0, BM)
        columns = pid_n * BN + tl.arange(0, BN)
        rows = tl.where(rows < M, rows, 0)
        columns = tl.where(columns < N, columns, 0)
        rows = tl.max_contiguous(tl.multiple_of(rows, BM), BM)
        columns = tl.max_contiguous(tl.multiple_of(columns, BN), BN)
        acc = tl.zeros((BM, BN), dtype=tl.float32)
        for ki in range(steps):
            at = ki * BK + tl.arange(0, BK)
            a_ptrs = a_ptr + (rows[:, None] * sam + at[None, :] * sak)
            b_ptrs = b_ptr + (at[:, None] * sbk + columns[None, :] * sbn)
            a = tl.load(a_ptrs, mask=ks[None, :] < K - ki * BK, other=0.0)
            b = tl.load(b_ptrs, mask=ks[:, None] < K - ki * BK, other=0.0)
            acc = tl.dot(a, b, acc)
        out_m = pid_m * BM + tl.arange(0, BM)
        out_n = pid_n * BN + tl.arange(0, BN)
        c_ptrs = c_ptr + scm * out_m[:, None] + scn * out_n[None, :]
        mask = (out_m[:, None] < M) & (out_n[None, :] < N)
        tl.store(c_ptrs, acc.to(c_ptr.dtype.element_ty), mask=mask)


@triton.jit
def one_carried(a_ptr, b_ptr, c_ptr, bias_ptr, M, N, K, sam, sak, sbk, sbn, scm, scn,
                BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr,
                SMS: tl.constexpr, FLATTEN: tl.constexpr = False):
    """Pointers carried from step to step, a bias, and an activation."""
    start, own = share(M, N, BM, BN, SMS)
    steps = tl.cdiv(K, BK)
    ks = tl.arange(0, BK)
    tile = start
    ki = 0
    pid_m, pid_n = place(tile, M, N, BM, BN, GROUP)
    rows = (pid_m * BM + tl.arange(0, BM)) % M
    columns = (pid_n * BN + tl.arange(0, BN)) % N
    a_ptrs = a_ptr + (rows[:, None] * sam + ks[None, :] * sak)
    b_ptrs = b_ptr + (ks[:, None] * sbk + columns[None, :] * sbn)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for _ in range(steps * own):
        a = tl.load(a_ptrs, mask=ks[None, :] < K - ki * BK, other=0.0)
        b = tl.load(b_ptrs, mask=ks[:, None] < K - ki * BK, other=0.0)
        acc += tl.dot(a, b)
        a_ptrs += BK * sak
        b_ptrs += BK * sbk
        ki += 1
        if ki == steps:
            out_m = pid_m * BM + tl.arange(0, BM)
            out_n = pid_n * BN + tl.arange(0, BN)
            bias = tl.load(bias_ptr + out_n, mask=out_n < N, other=0.0)
            value = acc + bias[None, :].to(tl.float32)
            value = tl.where(value > 0, value, 0.01 * value)
            c_ptrs = c_ptr + scm * out_m[:, None] + scn * out_n[None, :]
            mask = (out_m[:, None] < M) & (out_n[None, :] < N)
            tl.store(c_ptrs, value.to(c_ptr.dtype.element_ty), mask=mask)
            acc = tl.zeros((BM, BN), dtype=tl.float32)
            ki = 0
            tile += SMS
            pid_m, pid_n = place(tile, M, N, BM, BN, GROUP)
            rows = (pid_m * BM + tl.arange(0, BM)) % M
            columns = (pid_n * BN + tl.arange(0, BN)) % N
            a_ptrs = a_ptr + (rows[:, None] * sam + ks[None, :] * sak)
            b_ptrs = b_ptr + (ks[:, None] * sbk + columns[None, :] * sbn)


@triton.jit
def one_device(a_ptr, b_ptr, c_ptr, M, N, K,
               BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr,
               SMS: tl.constexpr, FLATTEN: tl.constexpr = False):
    """Descriptors that the kernel makes; b is N by K."""
    a_desc = tl.make_tensor_descriptor(a_ptr, shape=[M, K], strides=[K, 1], block_shape=[BM, BK])
    b_desc = tl.make_tensor_descriptor(b_ptr, shape=[N, K], strides=[K, 1], block_shape=[BN, BK])
    c_desc = tl.make_tensor_descriptor(c_ptr, shape=[M, N], strides=[N, 1], block_shape=[BM, BN])
    start, own = share(M, N, BM, BN, SMS)
    steps = tl.cdiv(K, BK)
    tile = start - SMS
    ki = -1
    at_m = 0
    at_n = 0
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for _ in tl.range(0, steps * own, flatten=FLATTEN):
        ki = tl.where(ki == steps - 1, 0, ki + 1)
        if ki == 0:
            tile += SMS
            pid_m, pid_n = place(tile, M, N, BM, BN, GROUP)
            at_m = pid_m * BM
            at_n = pid_n * BN
        a = a_desc.load([at_m, ki * BK])
        b = b_desc.load([at_n, ki * BK])
        acc = tl.dot(a, b.T, acc)
        if ki == steps - 1:
            c_desc.store([at_m, at_n], acc.to(c_ptr.dtype.element_ty))
            acc = tl.zeros((BM, BN), dtype=tl.float32)


@triton.jit
def one_scaled(a_ptr, b_ptr, c_ptr, a_scale, b_scale, M, N, K,
               BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr,
               SMS: tl.constexpr, FLATTEN: tl.constexpr = False):
    """Behind an early return; scales of rows and columns that the last step loads; stored through pointers."""
    if M * N == 0:
        return
    a_desc = tl.make_tensor_descriptor(a_ptr, shape=[M, K], strides=[K, 1], block_shape=[BM, BK])
    b_desc = tl.make_tensor_descriptor(b_ptr, shape=[N, K], strides=[K, 1], block_shape=[BN, BK])
    start, own = share(M, N, BM, BN, SMS)
    steps = tl.cdiv(K, BK)
    tile = start - SMS
    ki = -1
    at_m = 0
    at_n = 0
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for _ in range(0, steps * own):
        ki = tl.where(ki == steps - 1, 0, ki + 1)
        if ki == 0:
            tile += SMS
            pid_m, pid_n = place(tile, M, N, BM, BN, GROUP)
            at_m = pid_m * BM
            at_n = pid_n * BN
        a = a_desc.load([at_m, ki * BK])
        b = b_desc.load([at_n, ki * BK])
        acc = tl.dot(a, b.T, acc)
        if ki == steps - 1:
            rows = at_m + tl.arange(0, BM)
            columns = at_n + tl.arange(0, BN)
            of_rows = tl.load(a_scale + rows, mask=rows < M, other=0.0)
            of_columns = tl.load(b_scale + columns, mask=columns < N, other=0.0)
            acc *= of_rows[:, None] * of_columns[None, :]
            mask = (rows[:, None] < M) & (columns[None, :] < N)
            tl.store(c_ptr + rows[:, None] * N + columns[None, :], acc.to(c_ptr.dtype.element_ty), mask=mask)
            acc = tl.zeros((BM, BN), dtype=tl.float32)


@triton.jit
def one_host(a_desc, b_desc, c_desc, M, N, K,
             BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr,
             SMS: tl.constexpr, FLATTEN: tl.constexpr = False):
    """Descriptors that the host makes; b is N by K."""
    start, own = share(M, N, BM, BN, SMS)
    steps = tl.cdiv(K, BK)
    tile = start - SMS
    ki = -1
    at_m = 0
    at_n = 0
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for _ in tl.range(0, steps * own, flatten=FLATTEN):
        ki = tl.where(ki == steps - 1, 0, ki + 1)
        if ki == 0:
            tile += SMS
            pid_m, pid_n = place(tile, M, N, BM, BN, GROUP)
            at_m = pid_m * BM
            at_n = pid_n * BN
        a = a_desc.load([at_m, ki * BK])
        b = b_desc.load([at_n, ki * BK])
        acc = tl.dot(a, b.T, acc)
        if ki == steps - 1:
            c_desc.store([at_m, at_n], acc.to(c_desc.dtype))
            acc = tl.zeros((BM, BN), dtype=tl.float32)


@triton.jit
def two_device(a_ptr, b_ptr, c_ptr, M, N, K,
               BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr,
               SMS: tl.constexpr, FLATTEN: tl.constexpr = False):
    a_desc = tl.make_tensor_descriptor(a_ptr, shape=[M, K], strides=[K, 1], block_shape=[BM, BK])
    b_desc = tl.make_tensor_descriptor(b_ptr, shape=[N, K], strides=[K, 1], block_shape=[BN, BK])
    c_desc = tl.make_tensor_descriptor(c_ptr, shape=[M, N], strides=[N, 1], block_shape=[BM, BN])
    start = tl.program_id(0)
    tiles = tl.cdiv(M, BM) * tl.cdiv(N, BN)
    steps = tl.cdiv(K, BK)
    for tile in tl.range(start, tiles, SMS, flatten=FLATTEN):
        pid_m, pid_n = place(tile, M, N, BM, BN, GROUP)
        at_m = pid_m * BM
        at_n = pid_n * BN
        acc = tl.zeros((BM, BN), dtype=tl.float32)
        for ki in range(steps):
            a = a_desc.load([at_m, ki * BK])
            b = b_desc.load([at_n, ki * BK])
            acc = tl.dot(a, b.T, acc)
        c_desc.store([at_m, at_n], acc.to(c_ptr.dtype.element_ty))
