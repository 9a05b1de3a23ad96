# A state over chunks, in parts of a chunk's own size: the loop over them runs once, and is none; what is loaded beside products is
# loaded a chunk ahead, as what is stored is elsewhere. The last chunk is a part.
# run: difftest %s
# expect: success
# launch: 2 4 3 1 1 1
# buffer: w fp16 11520 1 -1 1
# buffer: k fp16 11520 2 -1 1
# buffer: v fp16 11520 3 -1 1
# buffer: g fp32 11520 4 -1 0
# buffer: h fp16 49152 5 -1 1
# buffer: o fp32 11520 6 -1 1
import triton
import triton.language as tl


@triton.jit
def kernel(w, k, v, g, h, o):
    pid, T = tl.program_id(0), tl.num_programs(1) * 90
    NT = tl.cdiv(T, 16)
    r, c = tl.arange(0, 64), tl.arange(0, 16)
    state = tl.zeros((64, 64), tl.float32)
    for i in range(NT):
        tl.store(h + (pid * 6 + i) * 4096 + r[:, None] * 64 + r[None, :], state.to(tl.float16))
        more = tl.zeros((64, 64), tl.float32)
        for j in range(tl.cdiv(min(16, T - i * 16), 16)):
            t = i * 16 + j * 16 + c
            at = pid * 5760 + t[:, None] * 64 + r[None, :]
            rows = t[:, None] < T
            x = tl.load(w + at, mask=rows, other=0.0)
            y = tl.load(k + at, mask=rows, other=0.0)
            z = tl.load(v + at, mask=rows, other=0.0)
            u = tl.dot(x, state.to(tl.float16)) + z
            more = tl.dot(tl.trans(y), u.to(tl.float16), more)
            tl.store(o + at, u, mask=rows)
        last = min((i + 1) * 16, T) - 1
        state = state * tl.exp2(tl.load(g + pid * 5760 + last * 64 + r))[:, None] * 0.5 + more * 0.0625
