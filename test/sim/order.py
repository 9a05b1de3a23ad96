# A program is one thread to its author: what is loaded before it is stored is what was there, though one thread stores for all.
# run: neso run %s:counted --target sim:sm_90a --schedules 4 -q -g 1 full:1:i32:5 zeros:128:i32 --expect out=full:128:i32:5 --expect count=full:1:i32:6
# run: neso run %s:few --target sim:sm_90a --schedules 4 -q -g 1 arange:16:i32 --expect p=full:16:i32:0
# run: neso run %s:again --target sim:sm_80 --schedules 4 -q -g 1 zeros:1:i32 zeros:1:i32 --expect total=full:1:i32:45
# run: neso run %s:shifted --target sim:sm_90a --schedules 4 -q -g 1 arange:1025:i32 zeros:1:i32 --expect wrong=zeros:1:i32
# run: neso run %s:each_row --target sim:sm_90a --schedules 4 -q -g 1 ones:4096:i32 1024 --expect p=full:4096:i32:2
# run: neso run %s:gathered --target sim:sm_90a -q -g 1 zeros:1:i32 zeros:512:i32 --expect p=full:1:i32:1
# expect: success
import triton
import triton.language as tl


@triton.jit
def counted(count, out):
    c = tl.load(count)
    i = tl.arange(0, 128)
    tl.store(out + i, c + i * 0)
    tl.store(count, c + 1)


@triton.jit
def few(p):
    i = tl.arange(0, 16)
    tl.store(p + i, tl.load(p + i) - i)


@triton.jit
def again(state, total):
    for k in range(10):
        tl.store(total, tl.load(total) + tl.load(state))
        tl.store(state, tl.load(state) + 1)


@triton.jit
def shifted(p, wrong):
    i = tl.arange(0, 1024)
    x = tl.load(p + i + 1)
    tl.store(p + i, x)
    tl.debug_barrier()
    tl.store(wrong, tl.sum(tl.where(tl.load(p + i) == i + 1, 0, 1)))


@triton.jit
def each_row(p, stride):
    i = tl.arange(0, 1024)
    for k in range(4):
        tl.store(p + k * stride + i, tl.load(p + k * stride + i) + 1)


@triton.jit
def gathered(p, at):
    i = tl.load(at + tl.arange(0, 512))
    tl.store(p + i, tl.load(p + i) + 1)
