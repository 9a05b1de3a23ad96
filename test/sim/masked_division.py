# Elements that a mask leaves out are divided by what is there for them, 0: no reason to load them after all.
# run: neso run %s:quotients --target sim:sm_90a --check -q -g 4 rand:1000:i64 full:1000:i64:3 zeros:1000:i64 1000
# run: neso run %s:quotients --target sim:sm_80 --check -q -g 4 rand:1000:i32 full:1000:i32:3 zeros:1000:i32 1000
# expect: success
import triton
import triton.language as tl


@triton.jit
def quotients(x_ptr, y_ptr, out_ptr, n):
    i = tl.program_id(0) * 256 + tl.arange(0, 256)
    x = tl.load(x_ptr + i, mask=i < n)
    y = tl.load(y_ptr + i, mask=i < n)
    tl.store(out_ptr + i, x // y + x % y, mask=i < n)
