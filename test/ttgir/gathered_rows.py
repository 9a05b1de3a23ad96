# Rows whose places are loaded in the loop, with 8 warps: two slots, so that a second CTA comes to the SM. Rows that are not gathered have the
# slots that three stages ask for, and one for products that are under way.
# run: neso compile %s:kernel -s "*fp16:16,*fp16:16,*i32:16,*fp32:16,i32,1" --num-warps 8 --num-stages 3 --target sm_90a --emit ttgir --no-loc | grep -o 'neso.pipeline = .*slots of 32768' >%t/gathered && neso compile %s:kernel -s "*fp16:16,*fp16:16,*i32:16,*fp32:16,i32,0" --num-warps 8 --num-stages 3 --target sm_90a --emit ttgir --no-loc | grep -o 'neso.pipeline = .*slots of 32768' >>%t/gathered && cat %t/gathered
# CHECK: "loop: 2 stages, 0 groups pending, 98304 bytes", "load 0: copied 1 ahead, 16 bytes at once, 2 slots of 32768
# CHECK-NEXT: "loop: 3 stages, 1 groups pending, 196608 bytes", "load 0: copied by TMA 2 ahead, 4 slots of 32768
import triton
import triton.language as tl


@triton.jit
def kernel(x, y, places, out, n, GATHERS: tl.constexpr):
    i, j, wide = tl.arange(0, 128), tl.arange(0, 64), tl.arange(0, 128)
    acc = tl.zeros((128, 64), tl.float32)
    for k in range(0, n, 128):
        rows = tl.load(places + k + i) if GATHERS else k + i
        a = tl.load(x + rows[:, None] * 128 + wide[None, :])
        b = tl.load(y + rows[:, None] * 64 + j[None, :])
        acc = tl.dot(tl.trans(a), b, acc)
    tl.store(out + wide[:, None] * 64 + j[None, :], acc)
