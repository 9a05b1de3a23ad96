"""Loops whose loads are started ahead of time: dots that are fed directly, through other loads, through arithmetic; loops without a
dot; loops that must stay as they are. compare.py runs them on a GPU, gpu_same_test.c by the interpreter, at several num_stages."""
import triton
import triton.language as tl


@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, M, N, K, sam, sak, sbk, sbn, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
           MASKED: tl.constexpr, PRECISION: tl.constexpr, OUT: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    a_ptrs = a_ptr + m[:, None] * sam + k[None, :] * sak
    b_ptrs = b_ptr + k[:, None] * sbk + n[None, :] * sbn
    acc = tl.zeros((BM, BN), OUT)
    for start in range(0, K, BK):
        if MASKED:
            a = tl.load(a_ptrs, mask=(m[:, None] < M) & (k[None, :] < K - start), other=0)
            b = tl.load(b_ptrs, mask=(n[None, :] < N) & (k[:, None] < K - start), other=0)
        else:
            a = tl.load(a_ptrs)
            b = tl.load(b_ptrs)
        acc = tl.dot(a, b, acc, input_precision=PRECISION, out_dtype=OUT)
        a_ptrs += BK * sak
        b_ptrs += BK * sbk
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc, mask=(m[:, None] < M) & (n[None, :] < N))


@triton.jit
def matmul_bytes(a_ptr, b_ptr, c_ptr, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, T: tl.constexpr):
    """Operands of type T (fp8, or any other) come as bytes."""
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.float32)
    a_ptr = a_ptr.to(tl.pointer_type(T))
    b_ptr = b_ptr.to(tl.pointer_type(T))
    for start in range(0, K, BK):
        k = start + tl.arange(0, BK)
        a = tl.load(a_ptr + m[:, None] * K + k[None, :])
        b = tl.load(b_ptr + n[None, :] * K + k[:, None])
        acc = tl.dot(a, b, acc)
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc)


@triton.jit
def transposed(a_ptr, b_ptr, c_ptr, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Both operands are loaded the other way round and transposed in the program."""
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        k = start + tl.arange(0, BK)
        a = tl.load(a_ptr + k[:, None] * BM + m[None, :])
        b = tl.load(b_ptr + n[:, None] * K + k[None, :])
        acc = tl.dot(tl.trans(a), tl.trans(b), acc)
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc)


@triton.jit
def indirect(a_ptr, rows_ptr, table_ptr, c_ptr, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Rows of a table, by numbers that are loaded in each iteration."""
    m, n, k = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        there = start + k < K
        rows = tl.load(rows_ptr + start + k, mask=there, other=0)
        a = tl.load(a_ptr + m[:, None] * K + (start + k)[None, :], mask=there[None, :], other=0.0)
        b = tl.load(table_ptr + (rows % 32)[:, None] * BN + n[None, :])
        acc = tl.dot(a, b, acc)
    tl.store(c_ptr + m[:, None] * BN + n[None, :], acc)


@triton.jit
def paged(a_ptr, pages_ptr, blocks_ptr, table_ptr, c_ptr, count, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """A page number gives a block number, which gives the rows."""
    m, n, k = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for i in range(count):
        page = tl.load(pages_ptr + i) % 16
        block = tl.load(blocks_ptr + page) % 4
        a = tl.load(a_ptr + m[:, None] * BK + k[None, :] + i * BM)
        b = tl.load(table_ptr + (block * BK + k)[:, None] * BN + n[None, :])
        acc = tl.dot(a, b, acc)
    tl.store(c_ptr + m[:, None] * BN + n[None, :], acc)


@triton.jit
def chained(a_ptr, next_ptr, table_ptr, c_ptr, count, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Each iteration's block is named by the one before."""
    m, n, k = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    block = 0
    for i in range(count):
        a = tl.load(a_ptr + m[:, None] * BK + k[None, :] + i * BM)
        b = tl.load(table_ptr + (block * BK + k)[:, None] * BN + n[None, :])
        acc = tl.dot(a, b, acc)
        block = tl.load(next_ptr + block) % 4
    tl.store(c_ptr + m[:, None] * BN + n[None, :], acc)


@triton.jit
def dequantised(a_ptr, b_ptr, scale_ptr, c_ptr, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """int8 to fp16, with a scale for each column and iteration."""
    m, n, k = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for i in range(tl.cdiv(K, BK)):
        a = tl.load(a_ptr + m[:, None] * K + (i * BK + k)[None, :])
        b = tl.load(b_ptr + (i * BK + k)[:, None] * BN + n[None, :])
        scale = tl.load(scale_ptr + i * BN + n)
        acc = tl.dot(a, b.to(tl.float16) * scale[None, :], acc)
    tl.store(c_ptr + m[:, None] * BN + n[None, :], acc)


@triton.jit
def nibbles(a_ptr, b_ptr, c_ptr, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Two numbers of four bits in a byte: even and odd rows of B."""
    m, n, k = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        packed = tl.load(b_ptr + (start // 2 + tl.arange(0, BK // 2))[:, None] * BN + n[None, :])
        low, high = (packed & 15).to(tl.float16) - 8, ((packed >> 4) & 15).to(tl.float16) - 8
        b = tl.reshape(tl.permute(tl.join(low, high), (0, 2, 1)), (BK, BN))
        a = tl.load(a_ptr + m[:, None] * K + (start + k)[None, :])
        acc = tl.dot(a, b, acc)
    tl.store(c_ptr + m[:, None] * BN + n[None, :], acc)


@triton.jit
def words(a_ptr, b_ptr, scale_ptr, c_ptr, K, stride, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, MASKED: tl.constexpr,
          ACROSS: tl.constexpr):
    """Eight numbers of four bits in a word, which lie along K, or along N (ACROSS); scales of blocks of 8 x 4. Each row of B names
    the word that it is in, so words are named several times."""
    m, n, k = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    at = n if not ACROSS else n // 8
    b_ptrs = b_ptr + (k // 8 if not ACROSS else k)[:, None] * stride + at[None, :]
    shift = (k[:, None] % 8) * 4 if not ACROSS else (n[None, :] % 8) * 4
    for start in range(0, K, BK):
        there = (start + k) // 8 < K // 8
        a = tl.load(a_ptr + m[:, None] * K + (start + k)[None, :], mask=there[None, :], other=0.0)
        if MASKED:
            w = tl.load(b_ptrs, mask=there[:, None] & (at < stride)[None, :], other=-1)
        else:
            w = tl.load(b_ptrs)
        scale = tl.load(scale_ptr + ((start + k) // 8)[:, None] + (n // 4)[None, :])
        acc = tl.dot(a, ((w >> shift) & 15).to(tl.float16) * scale, acc)
        b_ptrs += (BK // 8 if not ACROSS else BK) * stride
    tl.store(c_ptr + m[:, None] * BN + n[None, :], acc)


@triton.jit
def attention(q_ptr, k_ptr, v_ptr, bias_ptr, o_ptr, n, D: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    m, c, d = tl.program_id(0) * M + tl.arange(0, M), tl.arange(0, N), tl.arange(0, D)
    q = tl.load(q_ptr + m[:, None] * D + d[None, :])
    top, total = tl.full((M,), -1e9, tl.float32), tl.zeros((M,), tl.float32)
    acc = tl.zeros((M, D), tl.float32)
    for i in range(0, n, N):
        keys = tl.load(k_ptr + (i + c)[:, None] * D + d[None, :], mask=(i + c)[:, None] < n, other=0.0)
        s = tl.dot(q, tl.trans(keys)) * 0.125 + tl.load(bias_ptr + i + c, mask=i + c < n, other=-1e9)[None, :]
        s = tl.where((m[:, None] >= (i + c)[None, :]) & (i + c < n)[None, :], s, -1e9)
        new = tl.maximum(top, tl.max(s, 1))
        p = tl.exp2(s - new[:, None])
        f = tl.exp2(top - new)
        total = total * f + tl.sum(p, 1)
        values = tl.load(v_ptr + (i + c)[:, None] * D + d[None, :], mask=(i + c)[:, None] < n, other=0.0)
        acc = acc * f[:, None] + tl.dot(p.to(tl.float16), values)
        top = new
    tl.store(o_ptr + m[:, None] * D + d[None, :], acc / tl.maximum(total, 1e-20)[:, None])


@triton.jit
def persistent(a_ptr, b_ptr, c_ptr, tiles, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Tiles one after the other; the inner loop may not run at all."""
    k = tl.arange(0, BK)
    for tile in range(tl.program_id(0), tiles, tl.num_programs(0)):
        m, n = tile * BM + tl.arange(0, BM), tl.arange(0, BN)
        acc = tl.zeros((BM, BN), tl.float32)
        for start in range(0, K - tile * BK, BK):
            a = tl.load(a_ptr + m[:, None] * K + (start + k)[None, :])
            b = tl.load(b_ptr + (start + k)[:, None] * N + n[None, :])
            acc = tl.dot(a, b, acc)
        tl.store(c_ptr + m[:, None] * N + n[None, :], acc)


@triton.jit
def odd_counts(a_ptr, b_ptr, c_ptr, first, last, step, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """A start and a step that are arguments; divisors that would be 0 in iterations that never come."""
    m, n, k = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for i in range(first, last, step):
        at = (i * 7) % (last - i) + i // (last - i)
        a = tl.load(a_ptr + m[:, None] * K + (at % 8 + k)[None, :], mask=k[None, :] < 24, other=2.0)
        b = tl.load(b_ptr + (at + k)[:, None] * BN + n[None, :])
        acc = tl.dot(a, b, acc)
    tl.store(c_ptr + m[:, None] * BN + n[None, :], acc)


@triton.jit
def in_place(x_ptr, b_ptr, count, BM: tl.constexpr, BK: tl.constexpr):
    """Each iteration reads what the one before has written: by other threads, so these must meet."""
    m, k = tl.arange(0, BM), tl.arange(0, BK)
    b = tl.load(b_ptr + k[:, None] * BK + k[None, :])
    for i in range(count):
        x = tl.load(x_ptr + (i + m)[:, None] * BK + k[None, :])
        y = tl.dot(x, b) * 0.03125
        tl.store(x_ptr + (i + 1 + m)[:, None] * BK + k[None, :], y.to(tl.float16))
        tl.debug_barrier()


@triton.jit
def streamed(x_ptr, y_ptr, index_ptr, o_ptr, n, BLOCK: tl.constexpr, STAGES: tl.constexpr):
    """No dot; stages by tl.range."""
    k = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in tl.range(0, n, BLOCK, num_stages=STAGES):
        there = start + k < n
        x = tl.load(x_ptr + start + k, mask=there, other=1.0)
        y = tl.load(y_ptr + start + k)
        at = tl.load(index_ptr + start + k, mask=there, other=0)
        total = total * 0.5 + x * y + tl.load(x_ptr + at % 64)
    tl.store(o_ptr + k, total)


@triton.jit
def until(a_ptr, b_ptr, c_ptr, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """A while loop, and one in which a branch holds loads."""
    m, n, k = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    start = 0
    while start < K:
        a = tl.load(a_ptr + m[:, None] * K + (start + k)[None, :])
        acc = tl.dot(a, tl.load(b_ptr + (start + k)[:, None] * BN + n[None, :]), acc)
        start += BK
    for i in range(0, K, BK):
        if i % (2 * BK) == 0:
            a = tl.load(a_ptr + m[:, None] * K + (i + k)[None, :])
            acc = tl.dot(a, tl.load(b_ptr + (i + k)[:, None] * BN + n[None, :]), acc)
    tl.store(c_ptr + m[:, None] * BN + n[None, :], acc)


@triton.jit
def rows(x_ptr, o_ptr, stride, out_stride, count, n, BLOCK: tl.constexpr, STAGES: tl.constexpr):
    """A row after the other, each stored: stages where what is stored is not what is loaded, and the plain loop where it is."""
    k = tl.arange(0, BLOCK)
    for row in tl.range(tl.program_id(0), count, tl.num_programs(0), num_stages=STAGES):
        x = tl.load(x_ptr + row * stride + k, mask=k < n, other=-1e9)
        e = tl.exp(x - tl.max(x, 0))
        tl.store(o_ptr + row * out_stride + k, e / tl.sum(e, 0), mask=k < n)


@triton.jit
def updated(x_ptr, shift, count, BLOCK: tl.constexpr, STAGES: tl.constexpr):
    """Pointers that go on; what is stored is loaded again `shift` blocks later, or never."""
    k = tl.arange(0, BLOCK)
    x, y = x_ptr + k, x_ptr + k + shift * BLOCK
    for i in tl.range(0, count, num_stages=STAGES):
        v = tl.load(x)
        if i % 3 != 1:
            tl.store(y, v * 0.5 + 1)
        x += BLOCK
        y += BLOCK


@triton.jit
def wrapped(x_ptr, big, count, BLOCK: tl.constexpr, STAGES: tl.constexpr):
    """With big = 65536 the offset of a store wraps round, to the next block that is loaded."""
    k = tl.arange(0, BLOCK)
    for i in tl.range(1, count, num_stages=STAGES):
        tl.store(x_ptr + i * big * big + (i + 1) * BLOCK + k, tl.load(x_ptr + i * BLOCK + k) * 0.5 + 1)


@triton.jit
def jumps(x_ptr, far, n, count, BLOCK: tl.constexpr, STAGES: tl.constexpr):
    """Iteration 1 loads nothing, as its step is beyond n, and steps all the same: to what iteration 2 stores and the next load."""
    k = tl.arange(0, BLOCK)
    x = x_ptr + k
    for i in tl.range(0, count, num_stages=STAGES):
        step = tl.where(i == 1, far, BLOCK) + tl.zeros((BLOCK,), tl.int32)
        v = tl.load(x, mask=step < n, other=1.0)
        tl.store(x_ptr + far + (i + 1) * BLOCK + k, v * 0.5 + 1)
        x += step


@triton.jit
def products(a_ptr, b_ptr, c_ptr, count, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """A product is stored in each iteration."""
    m, n, k = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    for i in range(count):
        a = tl.load(a_ptr + (i * BM + m)[:, None] * BK + k[None, :])
        b = tl.load(b_ptr + (i % 3 * BK + k)[:, None] * BN + n[None, :])
        tl.store(c_ptr + (i * BM + m)[:, None] * BN + n[None, :], tl.dot(a, b))


@triton.jit
def blocks(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Block pointers that the loop moves; masks come from their shapes."""
    a = tl.make_block_ptr(a_ptr, (M, K), (K, 1), (0, 0), (BM, BK), (1, 0))
    b = tl.make_block_ptr(b_ptr, (K, N), (N, 1), (0, 0), (BK, BN), (1, 0))
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        x = tl.load(a, boundary_check=(0, 1), padding_option="zero")
        y = tl.load(b, boundary_check=(0, 1), padding_option="zero")
        acc = tl.dot(x, y, acc)
        a = tl.advance(a, (0, BK))
        b = tl.advance(b, (BK, 0))
    c = tl.make_block_ptr(c_ptr, (M, N), (N, 1), (0, 0), (BM, BN), (1, 0))
    tl.store(c, acc, boundary_check=(0, 1))


@triton.jit
def described(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Tensor descriptors made in the kernel."""
    a = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BM, BK])
    b = tl.make_tensor_descriptor(b_ptr, [N, K], [K, 1], [BN, BK])
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        acc = tl.dot(a.load([0, start]), b.load([0, start]).T, acc)
    m, n = tl.arange(0, BM), tl.arange(0, BN)
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc, mask=(m[:, None] < M) & (n[None, :] < N))


@triton.jit
def batched(a_ptr, b_ptr, c_ptr, K, G: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Products of several matrices at once."""
    g, m, n, k = tl.arange(0, G), tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    acc = tl.zeros((G, BM, BN), tl.float32)
    for start in range(0, K, BK):
        there = start + k < K
        a = tl.load(a_ptr + (g[:, None, None] * BM + m[None, :, None]) * K + (start + k)[None, None, :], mask=there[None, None, :], other=0.0)
        b = tl.load(b_ptr + (g[:, None, None] * K + (start + k)[None, :, None]) * BN + n[None, None, :], mask=there[None, :, None], other=0.0)
        acc = tl.dot(a, b, acc)
    tl.store(c_ptr + (g[:, None, None] * BM + m[None, :, None]) * BN + n[None, None, :], acc)


@triton.jit
def scaled(a_ptr, as_ptr, b_ptr, bs_ptr, c_ptr, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Operands of eight bits with a scale for 32 of them; B is of four bits, two to a byte."""
    m, n, k = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    half, group = tl.arange(0, BK // 2), tl.arange(0, BK // 32)
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        a = tl.load(a_ptr + m[:, None] * K + (start + k)[None, :])
        b = tl.load(b_ptr + (start // 2 + half)[:, None] * BN + n[None, :])
        sa = tl.load(as_ptr + m[:, None] * (K // 32) + (start // 32 + group)[None, :])
        sb = tl.load(bs_ptr + n[:, None] * (K // 32) + (start // 32 + group)[None, :])
        acc = tl.dot_scaled(a.to(tl.uint8, bitcast=True), sa.to(tl.uint8, bitcast=True), "e4m3", b.to(tl.uint8, bitcast=True),
                            sb.to(tl.uint8, bitcast=True), "e2m1", acc)
    tl.store(c_ptr + m[:, None] * BN + n[None, :], acc)


@triton.jit
def until_found(a_ptr, b_ptr, flags_ptr, c_ptr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """A loop that memory ends, around one that is pipelined."""
    m, n, k = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    total = tl.zeros((BM, BN), tl.float32)
    i = 0
    while tl.load(flags_ptr + i) % 4 != 3:
        acc = tl.zeros((BM, BN), tl.float32)
        for step in range(tl.load(flags_ptr + i) % 4):
            a = tl.load(a_ptr + m[:, None] * BK + k[None, :] + step * BM)
            b = tl.load(b_ptr + (k[:, None] + i) * BN + n[None, :])
            acc = tl.dot(a, b, acc)
        total += acc
        i += 1
    tl.store(c_ptr + m[:, None] * BN + n[None, :], total)


@triton.jit
def added(x_ptr, shift, rounds, T: tl.constexpr, SEM: tl.constexpr):
    """What products of loaded tiles say is added `shift` elements further on: to what later rounds load, or behind it all."""
    at = tl.arange(0, T)[:, None] * T + tl.arange(0, T)[None, :]
    for i in range(0, rounds):
        x = tl.load(x_ptr + i * T * T + at)
        y = tl.where(tl.dot(x, tl.trans(x)) > 2.5, 1.0, 0.0)
        tl.atomic_add(x_ptr + shift + i * T * T + at, y.to(tl.float16), sem=SEM)
