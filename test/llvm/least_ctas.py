# A kernel that loads again behind a reduction is told how few CTAs an SM must hold, so that registers suffice for all of these loads;
# not where ptxas's own 64 are as many, or where the first loads of so few CTAs would not keep memory busy, nor beside products, whose
# registers are not counted.
# run: neso compile %s:norm -s "*fp32:16,*fp32:16,*fp32:16,i32:16,8192" --num-warps 8 --target sm_90a --emit ptx
# run: neso compile %s:norm -s "*fp32:16,*fp32:16,*fp32:16,i32:16,4096" --num-warps 8 --target sm_90a --emit ptx
# run: neso compile %s:norm -s "*fp32:16,*fp32:16,*fp32:16,i32:16,16384" --num-warps 16 --target sm_90a --emit ptx
# run: neso compile %s:norm -s "*fp32:16,*fp32:16,*fp32:16,i32:16,8192" --num-warps 8 --maxnreg 96 --target sm_90a --emit ptx
# run: neso compile %s:loads_first -s "*fp32:16,*fp32:16,*fp32:16,i32:16,8192" --num-warps 8 --target sm_90a --emit ptx
# run: neso compile %s:loop -s "*fp32:16,*fp32:16,*fp32:16,i32:16,8192" --num-warps 8 --target sm_90a --emit ptx
# run: neso compile %s:product -s "*fp64:16,*i8:16,*i8:16,*fp64:16,*i32:16" --num-warps 4 --target sm_90a --emit ptx
# CHECK-LABEL: .visible .entry norm(
# CHECK: .reqntid 256
# CHECK-NEXT: .minnctapersm 2
# CHECK-NOT: .minnctapersm
import triton
import triton.language as tl


@triton.jit
def norm(x, w, o, n, B: tl.constexpr):
    row, cols = tl.program_id(0), tl.arange(0, B)
    m = cols < n
    v = tl.load(x + row * n + cols, mask=m, other=0.0)
    r = tl.rsqrt(tl.sum(v * v, axis=0) / n)
    tl.store(o + row * n + cols, v * r * tl.load(w + cols, mask=m), mask=m)


@triton.jit
def loads_first(x, w, o, n, B: tl.constexpr):
    row, cols = tl.program_id(0), tl.arange(0, B)
    m = cols < n
    v = tl.load(x + row * n + cols, mask=m, other=0.0)
    u = tl.load(w + cols, mask=m)
    r = tl.rsqrt(tl.sum(v * v, axis=0) / n)
    tl.store(o + row * n + cols, v * r * u, mask=m)


@triton.jit
def loop(x, w, o, n, B: tl.constexpr):
    cols = tl.arange(0, B)
    for row in range(tl.program_id(0), n, tl.num_programs(0)):
        v = tl.load(x + row * B + cols)
        r = tl.rsqrt(tl.sum(v * v, axis=0) / n)
        tl.store(o + row * B + cols, v * r * tl.load(w + cols))


@triton.jit
def product(x, a, b, o, p):
    i, j, k = tl.arange(0, 64), tl.arange(0, 32), tl.arange(0, 128)
    v = tl.load(x + i[:, None] * 32 + j[None, :])
    tl.store(o + i[:, None] * 32 + j[None, :], v / tl.max(v, 1)[:, None])
    rows = tl.load(a + i[:, None] * 128 + k[None, :])
    columns = tl.load(b + k[None, :] * 128 + k[:, None])
    tl.store(p + i[:, None] * 128 + k[None, :], tl.dot(rows, columns, out_dtype=tl.int32))
