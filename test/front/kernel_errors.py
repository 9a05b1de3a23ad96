# Signatures and results that a kernel cannot have.
# run: neso compile %s:returns --signature "*fp32,i32"
# run: neso compile %s:typed --signature "*fp33"
import triton
import triton.language as tl


@triton.jit
def returns(p, n):  # error: 5: kernel 'returns' returns int32 scalar; only functions called from kernels return values
    return n


@triton.jit
def typed(p):  # error: 11: '*fp33' is no type of an argument (parameter 'p')
    pass
