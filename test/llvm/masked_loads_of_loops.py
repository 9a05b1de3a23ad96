# Registers of a masked load in a loop are set before it, also where nobody sees what was there: they would be those of the iteration before, and a
# loop that ptxas unrolls would wait for each load before it issues the next. Outside of loops they are left as they are.
# run: neso compile %s:sums --target sm_90a --emit ptx --signature "*fp32:16,*fp32:16,i32,i32"
# CHECK: {{^}}	@%p{{[0-9]+}} ld.global.v4.b32
# CHECK: mov.b32 %r{{[0-9]+}}, 0; mov.b32 %r{{[0-9]+}}, 0; mov.b32 %r{{[0-9]+}}, 0; mov.b32 %r{{[0-9]+}}, 0; @%p{{[0-9]+}} ld.global.v4.b32
# CHECK: bra
import triton
import triton.language as tl


@triton.jit
def sums(x, o, rows, n):
    row, at = tl.program_id(0), tl.arange(0, 512)
    is_row = row < rows
    first = tl.load(x + at, is_row)
    tl.store(o + at, first * 2, is_row)
    total = tl.zeros((512, ), tl.float32)
    for i in range(0, n, 512):
        v = tl.load(x + row * 512 + i + at, is_row)
        total = tl.where(is_row, total + v, total)
    tl.store(o + 512 + row, tl.sum(total, 0), is_row)
