# Upper and lower halves of loaded words as f32 are what their bits say.
# run: neso run %s:widened --target sim:sm_90a --check -q -g 1 x=rand:4096:bf16 wrong=zeros:1:i32 n=4096 --expect wrong=zeros:1:i32
# run: neso run %s:widened --target sim:sm_90a --check -q -g 1 x=rand:4096:bf16 wrong=zeros:1:i32 n=3072 --expect wrong=zeros:1:i32
# expect: success
import triton
import triton.language as tl


@triton.jit
def widened(x, wrong, n):
    at = tl.arange(0, 4096)
    wide = tl.load(x + at, mask=at < n, other=0.0).to(tl.float32)
    bits = tl.load(x.to(tl.pointer_type(tl.int16)) + at, mask=at < n, other=0).to(tl.int32) << 16
    tl.atomic_add(wrong, tl.sum((wide.to(tl.int32, bitcast=True) != bits).to(tl.int32), 0))
