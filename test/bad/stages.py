# Stages, passes and PTX versions that are not to be had: what there is instead.
# run: neso compile %s:kernel -s "*i32" --emit cubin
# run: neso compile %s:kernel -s "*i32" --emit sass --target sim:sm_80
# run: neso compile %s:kernel -s "*i32" --stop-after cse:99 --target sm_80
# run: neso compile %s:kernel -s "*i32" --stop-after cse:x --target sm_80
# run: neso compile %s:kernel -s "*i32" --stop-after cse:0 --target sm_80
# run: neso compile %s:kernel -s "*i32" --emit ptx --target sm_80 --ptx-version 89
# run: neso compile %s:kernel -s "*i32" --emit ptx --target sm_80 --ptx-version 63 -o /dev/null
# llvm: 18
# exit: 0
# error: -: stage 'cubin' is of code for a GPU, and this is for the interpreter  # note: -: --target sm_90a
# error: -: stage 'sass' is what an assembler makes, and this was compiled to PTX alone  # note: -: without sim:
# error: -: cannot stop after 'cse:99': the pipeline has 3 runs of that pass  # note: -: neso opt --list-passes
# error: -: cannot stop after 'cse:x'  # error: -: cannot stop after 'cse:0'
# error: -: ptx_version=89 is no PTX version that can be written for sm_80 here: from 80 to
# warning: -: ptx_version=63 is older than what sm_80 needs: 80 is written  # note: -: 83 stands for PTX 8.3
import triton
import triton.language as tl


@triton.jit
def kernel(p):
    tl.store(p, 1)
