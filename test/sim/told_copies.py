# What another program's threads have stored a copy through a tensor map sees behind a fence on its way: behind the acquire (as Neso has it), or in
# front of the release; what the other one has stored by such a copy needs none.
# run: neso run %s:handed --target sim:sm_90a --schedules 3 -q -g 2 rand:32x64:fp16 zeros:32x64:fp16 zeros:1:i32 zeros:32x64:fp16 32
# run: neso run %s:last_one --target sim:sm_90a --schedules 3 -q -g 4 rand:32x64:fp32 zeros:128x64:fp32 zeros:1:i32 zeros:32x64:fp32 32
# run: neso run %s:handed --target sim:sm_100a --schedules 3 -q -g 2 rand:32x64:fp16 zeros:32x64:fp16 zeros:1:i32 zeros:32x64:fp16 32
# run: neso run %s:by_a_flag --target sim:sm_90a --schedules 3 -q -g 2 rand:32x64:fp16 zeros:32x64:fp16 zeros:1:i32 zeros:32x64:fp16 32
# run: neso run %s:by_a_flag --target sim:sm_90a --schedules 3 --num-warps 1 -q -g 2 rand:32x64:fp16 zeros:32x64:fp16 zeros:1:i32 zeros:32x64:fp16 32
# run: neso compile %s:by_a_copy --target sm_90a --signature "*fp16:16,*fp16:16,*i32:16,*fp16:16,32" --emit llir | sed '/call void @neso.fence_async_[ga]/d' >%t/copy.llir
# run: TRITON_KERNEL_OVERRIDE=%t/copy.llir neso run %s:by_a_copy --target sim:sm_90a --check -q -g 2 rand:32x64:fp16 zeros:32x64:fp16 zeros:1:i32 zeros:32x64:fp16 32
# run: neso compile %s:handed --target sm_90a --signature "*fp16:16,*fp16:16,*i32:16,*fp16:16,32" --emit llir | sed '/call void @neso.fence_async_[ga]/d' >%t/none.llir
# run: TRITON_KERNEL_OVERRIDE=%t/none.llir neso run %s:handed --target sim:sm_90a --check -q -g 2 rand:32x64:fp16 zeros:32x64:fp16 zeros:1:i32 zeros:32x64:fp16 32
# run: neso compile %s:last_one --target sm_90a --signature "*fp32:16,*fp32:16,*i32:16,*fp32:16,32" --emit llir | sed '/call void @neso.fence_async_[ga]/d' >%t/last.llir
# run: TRITON_KERNEL_OVERRIDE=%t/last.llir neso run %s:last_one --target sim:sm_90a --check -q -g 4 rand:32x64:fp32 zeros:128x64:fp32 zeros:1:i32 zeros:32x64:fp32 32
# exit: 1
import triton
import triton.language as tl


@triton.jit
def handed(x_ptr, tmp_ptr, flag_ptr, out_ptr, B: tl.constexpr):
    at = tl.arange(0, B)[:, None] * 64 + tl.arange(0, 64)[None, :]
    tmp = tl.make_tensor_descriptor(tmp_ptr, [B, 64], [64, 1], [B, 64])
    if tl.program_id(0) == 0:
        tl.store(tmp_ptr + at, tl.load(x_ptr + at) * 2)
        tl.atomic_xchg(flag_ptr, 1, sem="release")
    else:
        while tl.atomic_add(flag_ptr, 0, sem="acquire") == 0:
            pass
        tl.store(out_ptr + at, tmp.load([0, 0]))  # error: 32: missing fence: asynchronous access of byte 0 of 'tmp_ptr', which the threads' write at


# The last of four programs adds up what all have stored.
@triton.jit
def last_one(x_ptr, parts_ptr, count_ptr, out_ptr, B: tl.constexpr):
    pid = tl.program_id(0)
    at = tl.arange(0, B)[:, None] * 64 + tl.arange(0, 64)[None, :]
    parts = tl.make_tensor_descriptor(parts_ptr, [4 * B, 64], [64, 1], [B, 64])
    tl.store(parts_ptr + pid * B * 64 + at, tl.load(x_ptr + at) * pid)
    if tl.atomic_add(count_ptr, 1) == 3:
        acc = tl.zeros((B, 64), tl.float32)
        for k in range(4):
            acc += parts.load([k * B, 0])  # error: 20: missing fence: asynchronous access of byte 0 of 'parts_ptr', which the threads' write at
        tl.store(out_ptr + at, acc)


@triton.jit
def by_a_copy(x_ptr, tmp_ptr, flag_ptr, out_ptr, B: tl.constexpr):
    at = tl.arange(0, B)[:, None] * 64 + tl.arange(0, 64)[None, :]
    tmp = tl.make_tensor_descriptor(tmp_ptr, [B, 64], [64, 1], [B, 64])
    if tl.program_id(0) == 0:
        tmp.store([0, 0], tl.load(x_ptr + at) * 2)
        tl.atomic_xchg(flag_ptr, 1, sem="release")
    else:
        while tl.atomic_add(flag_ptr, 0, sem="acquire") == 0:
            pass
        tl.store(out_ptr + at, tmp.load([0, 0]))


@triton.jit
def by_a_flag(x_ptr, tmp_ptr, flag_ptr, out_ptr, B: tl.constexpr):
    at = tl.arange(0, B)[:, None] * 64 + tl.arange(0, 64)[None, :]
    tmp = tl.make_tensor_descriptor(tmp_ptr, [B, 64], [64, 1], [B, 64])
    if tl.program_id(0) == 0:
        tl.store(tmp_ptr + at, tl.load(x_ptr + at) * 2)
        tl.atomic_xchg(flag_ptr, 1, sem="release")
    else:
        while tl.load(flag_ptr, volatile=True) == 0:
            pass
        tl.store(out_ptr + at, tmp.load([0, 0]))
