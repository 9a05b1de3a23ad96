# A function in a kernel reads a number that was made a tensor as a tensor.
# run: difftest %s
# expect: success
# launch: 1 1 1 1 1
import triton
import triton.language as tl


@triton.jit
def kernel():
    pid = tl.program_id(0)
    for k0 in tl.static_range(1):
        v1 = tl.to_tensor(k0)
        def f2(v3):
            v4 = v1.to(tl.float32)
            return v1
        v6 = f2(v1)
