# How wide global memory is accessed, and what of the arguments is not known where that is narrow.
# run: neso compile %s:rows --target sim:sm_80 --why --signature "*fp16:16,*fp16:16,i32:16,i32:16,1,i32:16,1,0"
# run: neso compile %s:rows --target sim:sm_80 --why --signature "*fp16:16,*fp16:16,i32,i32:16,1,i32,1,0"
# run: neso compile %s:rows --target sim:sm_80 --why --signature "*fp16,*fp16:16,i32:16,i32:16,i32,i32:16,i32,0"
# run: neso compile %s:rows --target sim:sm_80 --why --signature "*fp16:16,*fp16:16,i32:16,i32:16,1,i32:16,1,1"
# run: neso compile %s:few --target sim:sm_80 --why --signature "*fp16:16,*fp16:16"
# run: neso compile %s:few --target interp --why --signature "*fp16:16,*fp16:16"
# exit: 1
# error: -: 'few' was compiled for the interpreter, of which there is nothing to remark
import triton
import triton.language as tl


@triton.jit
def rows(x, y, n, xm, xn, ym, yn, ODD: tl.constexpr):
    r = tl.arange(0, 64)
    inside = (r % 2 == 0)[None, :] if ODD else r[None, :] < n
    v = tl.load(x + r[:, None] * xm + r[None, :] * xn, mask=inside)
    tl.store(y + r[:, None] * ym + r[None, :] * yn, v, mask=inside)

# CHECK: + access wide: load of 64x64xf16: 16 bytes at once, 4 times a thread
# CHECK: + access wide: store of 64x64xf16: 16 bytes at once, 4 times a thread
# CHECK: - access unknown-arguments: load of 64x64xf16: 2 bytes at once, 32 times a thread; it would be 16 if n was divisible by 16
# CHECK-NEXT: arguments that are so at the call are compiled for it
# CHECK: - access unknown-arguments: store of 64x64xf16: 2 bytes at once, 32 times a thread; it would be 16 if n, ym were divisible by 16
# CHECK: - access unknown-arguments: load of 64x64xf16: 2 bytes at once, 32 times a thread; it would be 16 if x was divisible by 16 and xn was 1
# CHECK: - access unknown-arguments: store of 64x64xf16: 2 bytes at once, 32 times a thread; it would be 16 if yn was 1
# CHECK: - access mask: load of 64x64xf16: 2 bytes at once, 32 times a thread: its mask may differ between neighbours, which the address would allow 16 bytes of


@triton.jit
def few(x, y):
    r = tl.arange(0, 64)
    tl.store(y + r, tl.load(x + r))

# CHECK: access small-tile: load of 64xf16: 2 bytes at once, 1 times a thread: the tile has no more for each thread
