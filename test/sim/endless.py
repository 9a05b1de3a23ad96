# Loops that read nothing and carry nothing never end: both engines tell so at once.
# run: neso run %s:never_changes -q -g 1 zeros:4:i32 0 --expect out=ones:4:i32
# run: neso run %s:forever -q -g 3 zeros:4:fp32
# run: neso run %s:forever -q -g 3 zeros:4:fp32 --target sim:sm_90a
# run: neso run %s:never_changes -q -g 1 zeros:4:i32 1
# run: neso run %s:never_changes -q -g 1 zeros:4:i32 1 --target sim:sm_80 --check
# exit: 1
import triton
import triton.language as tl


@triton.jit
def forever(out):
    while True:  # error: 5: this loop never ends: it reads  # error: 5: it waits in this loop
        pass


@triton.jit
def never_changes(out, n):
    k = 1
    while n > 0:  # error: 5: this loop never ends: it reads  # error: 5: it waits in this loop
        tl.store(out, k)
    tl.store(out + tl.arange(0, 4), k)
