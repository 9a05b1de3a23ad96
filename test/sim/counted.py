# The last program takes what all have counted: it has counted each word itself, and knows of the others' sums nothing but by an order.
# run: neso run %s:counted --target sim:sm_80 --check -q -g 4 zeros:17:i32 zeros:16:i32 "'acq_rel'"
# run: neso run %s:counted --target sim:sm_80 --check -q -g 4 zeros:17:i32 zeros:16:i32 "'relaxed'"
# exit: 1
import triton
import triton.language as tl


@triton.jit
def counted(bins_ptr, out_ptr, SEM: tl.constexpr):
    i = tl.arange(0, 64)
    tl.atomic_add(bins_ptr + 1 + i % 16, 1, sem="relaxed")
    tl.debug_barrier()
    done = tl.atomic_add(bins_ptr, 1, sem=SEM)
    if done == tl.num_programs(0) - 1:
        b = tl.arange(0, 16)
        tl.store(out_ptr + b, tl.load(bins_ptr + 1 + b))  # error: 31: race between programs: the load at byte 4 of 'bins_ptr' and the atomic operation
