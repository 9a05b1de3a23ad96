# Global memory as asynchronous units see it: fences of what threads wrote, stores that are read and not written, rows that overlap,
# sources that change; and clean twins.
# run: neso run %s:back --target sim:sm_90a --schedules 3 -q -g 1 rand:32x64:fp16 zeros:32x64:fp16 zeros:32x64:fp16 64 32
# run: neso run %s:handed_on --target sim:sm_90a --schedules 3 -q -g 2 rand:32x64:fp16 zeros:32x64:fp16 zeros:1:i32 zeros:32x64:fp16 32
# run: neso compile %s:back --target sm_90a --signature "*fp16:16,*fp16:16,*fp16:16,i32:16,32" --emit llir | sed '/call void @neso.fence_async_all/d' >%t/unfenced.llir
# run: TRITON_KERNEL_OVERRIDE=%t/unfenced.llir neso run %s:back --target sim:sm_90a --check -q -g 1 rand:32x64:fp16 zeros:32x64:fp16 zeros:32x64:fp16 64 32
# run: neso compile %s:handed_on --target sm_90a --signature "*fp16:16,*fp16:16,*i32:16,*fp16:16,32" --emit llir | sed 's/bulk_wait.0/bulk_wait.read.0/' >%t/read.llir
# run: TRITON_KERNEL_OVERRIDE=%t/read.llir neso run %s:handed_on --target sim:sm_90a --check -q -g 2 rand:32x64:fp16 zeros:32x64:fp16 zeros:1:i32 zeros:32x64:fp16 32
# run: neso compile %s:copied_already --target sm_90a --signature "*fp16:16,*fp16:16,i32,64" --emit ttgir | sed 's/arith.cmpi sle/arith.cmpi ne/' >%t/ahead.ttgir
# run: TRITON_KERNEL_OVERRIDE=%t/ahead.ttgir neso run %s:copied_already --target sim:sm_90a --check -q -g 1 rand:512x64:fp16 rand:64x64:fp16 7 64
# run: neso run %s:in_order --target sim:sm_90a --check -q -g 1 rand:512x64:fp16 rand:64x64:fp16 7 64 --against interp --atol 1e9
# run: neso run %s:back --target sim:sm_90a --check -q -g 1 rand:32x64:fp16 zeros:32x64:fp16 zeros:32x64:fp16 32 32
# exit: 1
import triton
import triton.language as tl


@triton.jit
def back(x_ptr, tmp_ptr, out_ptr, stride, B: tl.constexpr):
    at = tl.arange(0, B)[:, None] * 64 + tl.arange(0, 64)[None, :]
    tl.store(tmp_ptr + at, tl.load(x_ptr + at) * 2)
    tl.debug_barrier()
    tmp = tl.make_tensor_descriptor(tmp_ptr, [B, 64], [64, 1], [B, 64])
    out = tl.make_tensor_descriptor(out_ptr, [B, 64], [stride, 1], [B, 64])
    x = tmp.load([0, 0])  # error: 9: missing fence: asynchronous access of byte 0 of 'tmp_ptr', which the threads' write at
    out.store([0, 0], x)  # error: 5: race: rows of the box that is stored lie over one another


@triton.jit
def handed_on(x_ptr, tmp_ptr, flag_ptr, out_ptr, B: tl.constexpr):
    at = tl.arange(0, B)[:, None] * 64 + tl.arange(0, 64)[None, :]
    x = tl.make_tensor_descriptor(x_ptr, [B, 64], [64, 1], [B, 64])
    tmp = tl.make_tensor_descriptor(tmp_ptr, [B, 64], [64, 1], [B, 64])
    if tl.program_id(0) == 0:
        tmp.store([0, 0], x.load([0, 0]) * 2)
        tl.debug_barrier()
        tl.atomic_xchg(flag_ptr, 1, sem="release")
    else:
        while tl.atomic_add(flag_ptr, 0, sem="acquire") == 0:
            pass
        y = tl.load(tmp_ptr + at)  # error: 13: missing wait: load of byte 0 of 'tmp_ptr' while the store of
        tl.store(out_ptr + at, y)


@triton.jit
def copied_already(a_ptr, b_ptr, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tiles = tl.make_tensor_descriptor(a_ptr, [8 * B, B], [B, 1], [B, B])
    b = tl.load(b_ptr + i[:, None] * B + i[None, :])
    for k in range(n):
        a = tiles.load([k * B, 0])  # error: 13: missing wait: what is copied changes, by the store of
        tl.store(a_ptr + ((k + 1) * B + i)[:, None] * B + i[None, :], tl.dot(a, b).to(tl.float16))


# The kernel looks at the addresses before copies run ahead of stores: not here.
@triton.jit
def in_order(a_ptr, b_ptr, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tiles = tl.make_tensor_descriptor(a_ptr, [8 * B, B], [B, 1], [B, B])
    b = tl.load(b_ptr + i[:, None] * B + i[None, :])
    for k in range(n):
        a = tiles.load([k * B, 0])
        tl.store(a_ptr + ((k + 1) * B + i)[:, None] * B + i[None, :], tl.dot(a, b).to(tl.float16))
