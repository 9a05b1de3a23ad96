# A small tile that is stored the other way round than it was loaded is turned round in shared memory, and loaded and stored by 16 bytes:
# without products an SM has many CTAs, whose warps go on where one waits at the barrier.
# run: neso compile %s:kernel -s "*bf16:16,*bf16:16,32,32" --target sm_90a --emit ptx --no-loc
import triton
import triton.language as tl


@triton.jit
def kernel(x, o, ROWS: tl.constexpr, COLS: tl.constexpr):
    # CHECK: ld.global.v4.b32
    # CHECK: bar.sync
    # CHECK: st.global.v4.b32
    # CHECK-NOT: st.global
    row = tl.program_id(1) * ROWS + tl.arange(0, ROWS)[:, None]
    col = tl.program_id(0) * COLS + tl.arange(0, COLS)[None, :]
    tl.store(o + col + 512 * row, tl.load(x + row % 768 + 2304 * col + row // 768 * 1179648))
