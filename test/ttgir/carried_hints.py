# What a loop says of pointers that it carries holds for what goes in, too: tiles whose addresses come from a table, as of grouped products, are
# copied by 16 bytes then. In a loop inside of another one, and by `while`. Nothing is known of those that nothing is said of.
# run: neso compile %s:grouped -s "*i64:16,*i32:16,*fp16:16,i32,64,True" --target sm_90a --num-warps 4 --emit ttgir --no-loc
# run: neso compile %s:grouped -s "*i64:16,*i32:16,*fp16:16,i32,64,False" --target sm_90a --num-warps 4 --emit ttgir --no-loc
import triton
import triton.language as tl


# CHECK-LABEL: @grouped(
# CHECK: scf.while
# CHECK: ttg.async_copy_global_to_local
# CHECK: ttg.async_copy_global_to_local
# CHECK: ttng.warp_group_dot
# CHECK-LABEL: @grouped(
# CHECK: scf.while
# CHECK-NOT: ttg.async_copy_global_to_local
# CHECK: ttng.warp_group_dot
@triton.jit
def grouped(table, sizes, c, count, B: tl.constexpr, SAYS: tl.constexpr):
    i = tl.arange(0, B)
    tile = tl.program_id(0)
    while tile < count:
        a = tl.load(table + 2 * tile).to(tl.pointer_type(tl.float16))
        b = tl.load(table + 2 * tile + 1).to(tl.pointer_type(tl.float16))
        K, lda, ldb = tl.load(sizes + 3 * tile), tl.load(sizes + 3 * tile + 1), tl.load(sizes + 3 * tile + 2)
        at, bt = a + i[:, None] * lda + i[None, :], b + i[:, None] * ldb + i[None, :]
        acc = tl.zeros((B, B), tl.float32)
        for _ in range(tl.cdiv(K, B)):
            if SAYS:
                tl.multiple_of(at, [16, 16])
                tl.multiple_of(bt, [16, 16])
            acc = tl.dot(tl.load(at), tl.load(bt), acc)
            at += B
            bt += B * ldb
        tl.store(c + tile * B * B + i[:, None] * B + i[None, :], acc.to(tl.float16))
        tile += tl.num_programs(0)
