# A return past a block pointer that one way alone makes: on the other one it is ub.poison, of which each part is anything.
# run: difftest %s
# expect: success
# launch: 1 1 1 1 1 1
# buffer: p3 i8 1 7466800985157411383 -4 4
# buffer: p13 fp64 1 7466800985157412153 -7 7
# buffer: p19 i8 2 7466800985157412615 -2 2
# buffer: o22 i8 2 7466800985157412846 -100 100
import triton
import triton.language as tl


@triton.jit
def kernel(p3, p13, p19, o22):
    pid = tl.program_id(0)
    v0 = pid
    v1 = v0 == v0
    if v1:
        v3 = tl.load(p3 + tl.arange(0, 1)[:,None] + tl.arange(0, 1)[None,:])
        v4 = tl.join(v3, v3)
        v5 = tl.permute(v4, (0, 2, 1))
        v6 = tl.minimum(v5, v5)
        c2_0 = v6
        pass
    else:
        for k8 in tl.static_range(2):
            v9 = tl.to_tensor(k8)
            c10_0 = v0
            q13 = tl.make_block_ptr(p13, (1, 1), (1, 1), (0, 0), (1, 1), (1, 0))
            for k10 in range(0):
                v11 = k10
                v13 = tl.load(q13, boundary_check=(0, 1), padding_option="zero")
                q13 = tl.advance(q13, (1, 0))
                c10_0 = v11
            v16 = c10_0 != v9
            if v16:
                return
        v19 = tl.load(p19 + tl.arange(0, 1)[:,None,None] * 2 + tl.arange(0, 2)[None,:,None] + tl.arange(0, 1)[None,None,:])
        c2_0 = v19
        pass
    tl.store(o22 + tl.arange(0, 1)[:,None,None] * 2 + tl.arange(0, 2)[None,:,None] + tl.arange(0, 1)[None,None,:], c2_0)
