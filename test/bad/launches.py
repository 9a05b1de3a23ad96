# Launches and signatures that do not fit their kernel: each command is refused, with the place and what helps.
# run: neso run %s:kernl -g 1 zeros:16:i32 16 16
# run: neso run %s:plain -g 1 zeros:16:i32
# run: neso compile %s:plain -s "*i32"
# run: neso run %s:kernel -g 1 zeros:16:i32 16 16 m=1
# run: neso run %s:kernel -g 1 zeros:16:i32 n=16 n=17 B=16
# run: neso run %s:kernel -g 1 zeros:16:i32 16 16 17
# run: neso run %s:kernel -g 1 zeros:16:i32 B=16
# run: neso run %s:kernel -g 1 zeros:16:i32 16 zeros:16:i32
# run: neso run %s:kernel -g 1 --debug zeros:16:i32 160 16
# run: neso run %s:kernel -g 1 --num-warps 3 zeros:16:i32 16 16
# run: neso run %s:kernel -g 1 zeros:4:i32 16 16
# run: neso compile %s:kernel -s "*i32,i32,16,17"
# run: neso compile %s:kernel -s "*i32,i32:7,16"
# run: neso compile %s:kernel -s "*i32,,16"
# run: neso compile %s:kernel -s "*i32,i32,i32"
# run: neso compile %s:kernel -s "*i32,i32,16" --stop-after nothing
# run: neso compile %s:kernel -s "*i32,i32,16" --emit ptxx
# run: neso compile %S/nowhere.py:kernel -s "*i32,i32,16"
# run: neso compile %s:rest -s "*i32,1"
# error: -: no kernel 'kernl' in  # error: -: unknown pass 'nothing'  # error: -: unknown stage 'ptxx'  # error: -: cannot read
import triton
import triton.language as tl


# error: @+4:1: kernel has no parameter 'm'  # error: @+4:15: parameter 'n' is given twice
# error: @+3:1: kernel takes 3 arguments, but 4 are given  # error: @+3:15: no value for parameter 'n' of kernel
# error: @+2:18: parameter 'B' is a constexpr: it takes a value, not a buffer
@triton.jit
def kernel(p, n, B: tl.constexpr):  # error: 1: num_warps is 3, but must be a power of 2  # error: 1: the signature has 4 entries, but kernel has 3  # error: 15: 'i32:7' in the signature: what follows ':' must be  # error: 15: entry 2 of the signature is empty  # error: 18: the signature must give a value, not the type 'i32'
    tl.device_assert(n < 100, "n is small")  # error: 5: device assert failed: n is small
    i = tl.arange(0, B)
    tl.store(p + i, i, mask=i < n)  # error: 5: out of bounds: store of 4 bytes


@triton.jit
def rest(p, *more):  # error: 14: takes any number of arguments
    tl.store(p, 1)


def plain(p):  # error: 5: 'plain' is not a kernel  # error: 5: 'plain' is not a kernel
    return p
