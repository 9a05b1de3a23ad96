# Without what Neso adds to Triton's promises, kernels that rely on it are found; those that order themselves are clean.
# run: neso run %s:relies --target sim:sm_90a --check -q -g 2 rand:512:fp32 zeros:256:fp32 zeros:512:fp32 zeros:1:i32 --expect n=full:1:i32:2
# run: neso run %s:orders --target sim:sm_90a --portable -q -g 2 rand:512:fp32 zeros:512:fp32 zeros:1:i32 zeros:1:fp32 --expect n=full:1:i32:2
# run: neso run %s:padding --target sim:sm_90a --check -q -g 1 ones:100:fp32 zeros:1:fp32 --expect out=full:1:fp32:100
# run: neso run %s:relies --target sim:sm_90a --portable -q -g 2 rand:512:fp32 zeros:512:fp32 zeros:512:fp32 zeros:1:i32
# run: neso run %s:padding --target sim:sm_90a --portable -q -g 1 ones:100:fp32 zeros:1:fp32
# exit: 1
import triton
import triton.language as tl


@triton.jit
def relies(x, between, out, n):
    """All load before any stores in the next turn, and all have stored before one counts."""
    i = tl.arange(0, 256)
    p = tl.program_id(0) * 256
    for turn in range(2 if tl.program_id(0) == 0 else 0):
        tl.store(between + i, tl.load(x + i) + turn)  # error: 9: race: the store at byte 0 of 'between' and the load
        tl.debug_barrier()
        tl.store(out + i, tl.load(between + 255 - i))
    if tl.program_id(0) == 1:
        tl.store(out + p + i, tl.load(x + p + i))
    tl.atomic_add(n, 1)


@triton.jit
def orders(x, out, n, total):
    i = tl.program_id(0) * 256 + tl.arange(0, 256)
    tl.store(out + i, tl.load(x + i))
    tl.debug_barrier()
    if tl.atomic_add(n, 1) == 1:
        tl.debug_barrier()
        k = tl.arange(0, 512)
        tl.store(total, tl.sum(tl.load(out + k, mask=k < 500, other=0.0)))


@triton.jit
def padding(x, out):
    i = tl.arange(0, 128)
    tl.store(out, tl.sum(tl.load(x + i, mask=i < 100)))  # error: 5: use of a value that is not defined: what is stored; a load leaves it out
