# What a division by zero gives, in the interpreter and on a GPU.
# run: neso run %s:both -q -g 1 arange:3:i32 zeros:3:i32 zeros:3:i32 zeros:3:i32 3 --print q_ptr --print r_ptr --print c_ptr
# run: neso run %s:both --target sim:sm_80 -q -g 1 arange:3:i32 zeros:3:i32 zeros:3:i32 zeros:3:i32 3 --print q_ptr --print r_ptr --print c_ptr
# run: neso run %s:both --target sim:sm_90a -q -g 1 arange:3:u64 zeros:3:i16 zeros:3:i16 zeros:3:i16 3 --print q_ptr --print r_ptr --print c_ptr
import triton
import triton.language as tl


@triton.jit
def both(y_ptr, q_ptr, r_ptr, c_ptr, n):
    i = tl.arange(0, 4)
    y = tl.load(y_ptr + i, mask=i < n, other=1)
    tl.store(q_ptr + i, (y + 9) // y, mask=i < n)
    tl.store(r_ptr + i, (y + 9) % y, mask=i < n)
    tl.store(c_ptr + i, tl.cdiv(y + 9, y), mask=i < n)


# CHECK: q_ptr
# CHECK-NEXT: -1 10 5
# CHECK-NEXT: r_ptr
# CHECK-NEXT: -1 0 1
# CHECK-NEXT: c_ptr
# CHECK: q_ptr
# CHECK-NEXT: -1 10 5
# CHECK-NEXT: r_ptr
# CHECK-NEXT: -1 0 1
# CHECK-NEXT: c_ptr
# CHECK: q_ptr
# CHECK-NEXT: -1 10 5
# CHECK-NEXT: r_ptr
# CHECK-NEXT: -1 0 1
