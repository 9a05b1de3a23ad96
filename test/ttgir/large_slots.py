# Products of 16 rows, which threads compute themselves, of tiles of 64 KB an iteration: one iteration ahead. Of 32 KB: two.
# run: neso compile %s:kernel -s "*bf16:16,*bf16:16,*fp32:16,i32,128" --num-stages 3 --target sm_90a --emit ttgir --no-loc | grep -o '"loop:[^"]*"' >%t/slots && neso compile %s:kernel -s "*bf16:16,*bf16:16,*fp32:16,i32,64" --num-stages 3 --target sm_90a --emit ttgir --no-loc | grep -o '"loop:[^"]*"' >>%t/slots && cat %t/slots
# CHECK: loop: 2 stages, 0 groups pending, 131072 bytes
# CHECK: loop: 3 stages, 1 groups pending, 98304 bytes
import triton
import triton.language as tl


@triton.jit
def kernel(x, y, out, n, B: tl.constexpr):
    rows, wide, keys = tl.arange(0, 16), tl.arange(0, 128), tl.arange(0, B)
    a = tl.load(x + rows[:, None] * 128 + wide[None, :])
    acc = tl.zeros((16, 128), tl.float32)
    for k in range(0, n, B):
        at = (k + keys)[:, None] * 256 + wide[None, :]
        scores = tl.dot(a, tl.load(y + at).T)
        acc = tl.dot(scores.to(tl.bfloat16), tl.load(y + 128 + at), acc)
    tl.store(out + rows[:, None] * 128 + wide[None, :], acc)
