"""A product whose programs read axis 0 of the grid alone; not a test, but what test/check/persist.sh and
test/check/aot_persist.sh run."""
import triton
import triton.language as tl


@triton.jit
def product(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    tile = tl.program_id(0)
    row, column = tile // tl.cdiv(N, BN) * BM, tile % tl.cdiv(N, BN) * BN
    i, j, k = row + tl.arange(0, BM), column + tl.arange(0, BN), tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for at in range(0, K, BK):
        x = tl.load(a + i[:, None] * K + (at + k)[None, :], mask=(i[:, None] < M) & ((at + k)[None, :] < K), other=0)
        y = tl.load(b + (at + k)[:, None] * N + j[None, :], mask=((at + k)[:, None] < K) & (j[None, :] < N), other=0)
        acc = tl.dot(x, y, acc)
    tl.store(c + i[:, None] * N + j[None, :], acc.to(tl.float16), mask=(i[:, None] < M) & (j[None, :] < N))


@triton.jit
def triangle(a, c, N, BM: tl.constexpr, FALLS: tl.constexpr):
    """c[line, i] = sum of a[line] over the tiles up to i, times a tile of a[line]."""
    at, line = tl.program_id(0), tl.program_id(1) + tl.num_programs(1) * tl.program_id(2)
    i, j = tl.arange(0, BM), tl.arange(0, BM)
    end = N - at * BM if FALLS else (at + 1) * BM
    acc = tl.zeros((BM, BM), tl.float32)
    for n in range(0, end, BM):
        x = tl.load(a + (line * N + n + i)[:, None] * BM + j[None, :])
        y = tl.load(a + (line * N + n + i)[:, None] * BM + j[None, :])
        acc = tl.dot(x, y, acc)
    tl.store(c + ((line * tl.num_programs(0) + at) * BM + i)[:, None] * BM + j[None, :], acc)
