# Kernels whose CTAs run several programs: what was done; what keeps the others from it, where one loop of products comes near.
# run: NESO_PERSIST=1 neso compile %s:product --target sim:sm_90a --why --signature "*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,0"
# run: NESO_PERSIST=1 neso compile %s:product --target sim:sm_90a --why --signature "*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,1"
# run: NESO_PERSIST=1 neso compile %s:product --target sim:sm_90a --why --signature "*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,2"
# run: NESO_PERSIST=1 neso compile %s:product --target sim:sm_90a --why --signature "*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,3"
# run: NESO_PERSIST=1 neso compile %s:product --target sim:sm_90a --why --signature "*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,4"
# run: NESO_PERSIST=1 neso compile %s:product --target sim:sm_90a --why --signature "*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,5"
# run: NESO_PERSIST=1 neso compile %s:product --target sim:sm_90a --why --signature "*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,6"
# run: NESO_PERSIST=1 neso compile %s:product --target sim:sm_90a --why --signature "*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,7"
# run: NESO_PERSIST=1 neso compile %s:product --target sim:sm_90a --why --signature "*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,8"
# run: NESO_PERSIST=1 neso compile %s:product --target sim:sm_90a --why --signature "*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,9"
# run: NESO_PERSIST=1 neso compile %s:product --target sim:sm_90a --why --signature "*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,10"
# run: NESO_PERSIST=1 neso compile %s:product --target sim:sm_90a --why --debug --signature "*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,11"
# run: NESO_PERSIST=1 neso compile %s:product --target sim:sm_90a --why --signature "*fp16:16,*fp16:16,*fp16:16,i32:16,i32,12"
# run: NESO_PERSIST=1 neso compile %s:product --target sim:sm_90a --why --num-warps 2 --signature "*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,0"
# run: NESO_PERSIST=many neso compile %s:product --target sim:sm_90a --why --signature "*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,0"
# run: NESO_PERSIST=many neso compile %s:large --target sim:sm_90a --why --num-warps 8 --signature "*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,0"
# run: NESO_PERSIST=many neso compile %s:large --target sim:sm_90a --why --num-warps 8 --signature "*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,1"
# run: NESO_PERSIST=many neso compile %s:large --target sim:sm_90a --why --num-warps 8 --signature "*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,2"
# run: NESO_PERSIST=many neso compile %s:large --target sim:sm_90a --why --num-warps 8 --signature "*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,3"
# run: NESO_PERSIST=many neso compile %s:large --target sim:sm_90a --why --num-warps 8 --signature "*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,4"
# run: neso compile %s:large --target sim:sm_90a --why --num-warps 8 --signature "*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,0"
# run: neso compile %s:product --target sim:sm_90a --why --signature "*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,0"
import triton
import triton.language as tl


@triton.jit(noinline=True)
def turned(x):
    return -x


@triton.jit
def product(a, b, c, N, K, CASE: tl.constexpr):
    first = tl.program_id(0)
    if CASE == 1:
        first = tl.program_id(1)
    a_desc = tl.make_tensor_descriptor(a, [N, K], [K, 1], [64, 32])
    b_desc = tl.make_tensor_descriptor(b, [K, N], [N, 1], [32, 64])
    c_desc = tl.make_tensor_descriptor(c, [N, N], [N, 1], [64, 64])
    if CASE == 2:
        first += tl.atomic_add(c.to(tl.pointer_type(tl.int32)), 0)
    if CASE == 3:
        while tl.load(c + 1) > 0:
            first += 1
    if CASE == 4:
        tl.device_print("first", first)
    if CASE == 9:
        first += tl.num_programs(2)
    if CASE == 10:
        first = turned(first)
    if CASE == 11:
        tl.device_assert(first >= 0)
    acc = tl.zeros((64, 64), tl.float32)
    if CASE == 8:
        for tile in range(first, N // 64, tl.num_programs(0)):
            for k in range(0, K, 32):
                acc = tl.dot(a_desc.load([tile * 64, k]), b_desc.load([k, 0]), acc)
    elif CASE == 12:
        for k in range(0, K, 32):
            i, j = first * 64 + tl.arange(0, 64), k + tl.arange(0, 32)
            acc = tl.dot(tl.load(a + i[:, None] * K + j[None, :]), b_desc.load([k, 0]), acc)
    else:
        for k in range(0, K, 32):
            acc = tl.dot(a_desc.load([first * 64, k]), b_desc.load([k, 0]), acc)
    if CASE == 5:
        for k in range(0, K, 32):
            acc = tl.dot(a_desc.load([first * 64, k]), b_desc.load([k, 0]), acc)
    if CASE == 6:
        first += tl.load(c + 2, volatile=True).to(tl.int32)
    if CASE == 7:
        first = tl.inline_asm_elementwise("mov.b32 $0, $1;", "=r,r", [first], tl.int32, False, 1)
    c_desc.store([first * 64, 0], acc.to(tl.float16))


@triton.jit
def large(a, b, c, N, K, CASE: tl.constexpr):
    first = tl.program_id(0)
    a_desc = tl.make_tensor_descriptor(a, [N, K], [K, 1], [128, 64])
    b_desc = tl.make_tensor_descriptor(b, [K, N], [N, 1], [64, 256])
    c_desc = tl.make_tensor_descriptor(c, [N, N], [N, 1], [128, 256])
    acc = tl.zeros((128, 256), tl.float32)
    steps = K
    if CASE == 1:
        steps = K + first
    if CASE == 3:
        steps = tl.load(c + first).to(tl.int32)
    for k in range(0, steps, 64):
        acc = tl.dot(a_desc.load([first * 128, k]), b_desc.load([k, 0]), acc)
        if CASE == 2:
            acc = tl.dot(a_desc.load([first * 128 + 64, k]), b_desc.load([k, 0]), acc)
    if CASE == 4:
        i, j = first * 128 + tl.arange(0, 128), tl.arange(0, 256)
        acc += tl.load(c + i[:, None] * N + j[None, :])
    c_desc.store([first * 128, 0], acc.to(tl.float16))


# CHECK: + loop persistent: a CTA runs several programs, one after the other
# CHECK: + loop persistent: a CTA runs several programs, one after the other
# CHECK: loop not-persistent: each program is a CTA of its own: it uses what an atomic operation returns
# CHECK: loop not-persistent: each program is a CTA of its own: it has a loop that may run without end
# CHECK: loop not-persistent: each program is a CTA of its own: it prints
# CHECK: loop not-persistent: each program is a CTA of its own: it has several loops of products
# CHECK: loop not-persistent: each program is a CTA of its own: it has a volatile load
# CHECK: loop not-persistent: each program is a CTA of its own: it has assembly or a function with effects
# CHECK: loop not-persistent: each program is a CTA of its own: it loops over tiles itself
# CHECK: + loop persistent: a CTA runs several programs, one after the other
# CHECK: loop not-persistent: each program is a CTA of its own: it calls a function
# CHECK: loop not-persistent: each program is a CTA of its own: it asserts
# CHECK: loop not-persistent: each program is a CTA of its own: products take what does not come by tensor maps
# CHECK: loop not-persistent: each program is a CTA of its own: a product of the loop is not by warp groups
# CHECK: loop not-persistent: each program is a CTA of its own: CTAs that share an SM hide
# CHECK: + loop persistent: a CTA runs several programs, one after the other
# CHECK: + loop specialised: a warp of its own copies, 8 warps multiply from tile to tile
# CHECK: loop not-persistent: each program is a CTA of its own: its programs take differently long, and CTAs take them as they come
# CHECK: loop not-persistent: each program is a CTA of its own: its loop has several products
# CHECK: loop not-persistent: each program is a CTA of its own: its programs take differently long, and CTAs take them as they come
# CHECK: loop not-persistent: each program is a CTA of its own: a tile that it loads beside its sums takes more registers than there are
# CHECK: loop persistent-many: each program is a CTA of its own; where a launch has more of them than the GPU has SMs it takes a variant
# CHECK-NOT: persistent
