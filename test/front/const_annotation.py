# A pointer that is annotated with tl.const is loaded from and not stored to.
# run: neso run %s:reads -q -g 1 arange:4:fp32 zeros:4:fp32 --expect out=arange:4:fp32
# run: neso run %s:reads -q -g 1 arange:4:fp32 zeros:4:fp32 --expect out=arange:4:fp32 --target sim:sm_90a
# run: neso run %s:writes -q -g 1 arange:4:fp32
# exit: 1
import triton
import triton.language as tl


@triton.jit
def reads(x: tl.const, out):
    tl.store(out + tl.arange(0, 4), tl.load(x + tl.arange(0, 4)))


@triton.jit
def writes(x: "tl.const"):
    tl.store(x, 1.0)  # error: 5: Cannot store to a constant pointer: tl.store
