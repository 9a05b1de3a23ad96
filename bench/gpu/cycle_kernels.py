"""When a kernel ran, on the SMs' own clocks: cycles.py. TILE_IMPL says which implementation of the tile language compiles it."""
import importlib
import os

triton = importlib.import_module(os.environ.get("TILE_IMPL", "neso"))
tl = importlib.import_module(triton.__name__ + ".language")


@triton.jit
def stamp(out):
    """Of each SM: its cycles so far, and nanoseconds."""
    p = tl.program_id(0)
    cycles = tl.inline_asm_elementwise("mov.u64 $0, %clock64;", "=l,r", [p], dtype=tl.int64, is_pure=False, pack=1)
    nanoseconds = tl.inline_asm_elementwise("mov.u64 $0, %globaltimer;", "=l,r", [p], dtype=tl.int64, is_pure=False, pack=1)
    sm = tl.inline_asm_elementwise("mov.u32 $0, %smid;", "=r,r", [p], dtype=tl.int32, is_pure=False, pack=1)
    tl.store(out + sm * 2, cycles)
    tl.store(out + sm * 2 + 1, nanoseconds)
