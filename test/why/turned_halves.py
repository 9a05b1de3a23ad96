# A tile of bf16 that is turned round: both sides take 16 bytes at once, and shared memory lies between them.
# run: neso compile %s:turned --target sim:sm_90a --why --signature "*bf16:16,*bf16:16,i32:16,32,32"
import triton
import triton.language as tl


# CHECK: access wide: load of 32x32xbf16: 16 bytes at once, 1 times a thread
# CHECK: access wide: store of 32x32xbf16: 16 bytes at once, 1 times a thread
@triton.jit
def turned(x, y, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    row = tl.program_id(1) * ROWS + tl.arange(0, ROWS)[:, None]
    column = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    inside = column < columns
    values = tl.load(x + 768 + row % 768 + 2304 * column + 1179648 * (row // 768), inside)
    tl.store(y + column + 512 * row, values, inside)
