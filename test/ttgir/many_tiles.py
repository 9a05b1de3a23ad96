# Forty tiles are carried, four times what registers hold: each is asked once in which way it
# can leave them, however many places have too much (5.4 s).
# run: neso compile %s:kernel --signature "*fp32,*fp32,i32,2048" --target sm_90a --emit ttgir
# limit: 6
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, B: tl.constexpr):
    at = tl.arange(0, B)
    tiles = ()
    for i in tl.static_range(40):
        tiles = tiles + (tl.load(x + i * B + at), )
    for _ in range(n):
        new = ()
        for i in tl.static_range(40):
            new = new + (tiles[i] * tiles[(i + 1) % 40] + tl.sum(tiles[i], 0), )
        tiles = new
    for i in tl.static_range(40):
        tl.store(out + i * B + at, tiles[i])
    # CHECK: ttg.local_alloc
