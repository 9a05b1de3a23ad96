"""Compares the interpreter with a GPU: the code that Neso makes for it, and with --upstream what upstream Triton makes of
Neso's TTIR; or with the simulator (--target sim:sm_90a), under its checks.

    python3 compare.py --neso PATH/neso [--upstream] [--target cuda] [--only WORD] [--out results.json]
    python3 compare.py --neso PATH/neso --policies numbers|all [--target cuda] ...

With --policies: numbers as constants in the interpreter against numbers as arguments (the policy `generic`) there, or on the target; bit by
bit the same, for constexprs.py (numbers) or for all kernels. Otherwise, but for sim:, needs a GPU; --upstream also torch and Triton 3.6. Each case is (file, kernel, arguments, grid, tolerance[, num_stages]); the arguments are arrays, numbers, or
constants in a one-element list. Prints a row per case; the exit status says whether all agreed. A case whose 8-bit floats the
target does not have is refused there, and counts as agreeing.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(HERE, "..", "..", "examples")
BENCH = os.path.join(HERE, "..", "..", "bench", "gpu")
RNG = np.random.default_rng(7)
# fp8e4nv is no type of GPUs before sm_89.
REFUSED = "fp8e4nv not supported in this architecture (sm_8"
# Of fp32 sums of a few hundred products by matrix instructions, which cut what they add (2.3e-5 was seen on an H200).
SUMS = 5e-5
# Of fp8 products by wgmma, which keeps fewer bits of a sum than fp32 has (5.9e-3 was seen on an H200, along 320 elements of one sign).
FP8_SUMS = 1e-2
TYPES = {"float32": "fp32", "float16": "fp16", "int32": "i32", "int64": "i64", "int8": "i8", "int16": "i16", "float64": "fp64"}


def ints(*shape):
    values = RNG.integers(-(2**31), 2**31, size=shape, dtype=np.int64).astype(np.int32)
    values.reshape(-1)[:8] = [0, 1, -1, 2**31 - 1, -(2**31), 7, -7, 31]
    return values


def floats(*shape, special=False, dtype=np.float32):
    values = RNG.standard_normal(shape).astype(dtype)
    if special:
        values.reshape(-1)[:12] = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-30, 1e38, -1e38, 448, 465, 57344, 65520]
    return values


def empty(*shape, dtype=np.float32):
    return np.zeros(shape, dtype)


def cases():
    k, n = os.path.join(HERE, "kernels.py"), 1024
    i32 = np.int32
    yield k, "integers", [ints(n), ints(n)[::-1].copy(), empty(n, dtype=i32), [n]], (1,), 0
    yield k, "casts", [floats(n, special=True) * 3, empty(9, n), [n]], (1,), 0
    yield k, "floats", [floats(n, special=True), floats(n), empty(12, n), [n]], (1,), 0
    yield k, "functions", [floats(n) * 3, empty(11, n), [n]], (1,), 4e-6
    yield k, "shapes", [ints(32, 64), empty(32, 64, dtype=i32), [32], [64]], (1,), 0
    yield k, "reductions", [ints(16, 64) % 1000, empty(5 * 16 + 3 * 16 * 64 + 64, dtype=i32), [16], [64]], (1,), 0
    yield k, "random_numbers", [empty(3, n, dtype=i32), 1234, [n]], (1,), 0
    yield k, "control", [ints(1000), empty(1000, dtype=i32), 1000, [256]], (6,), 0
    yield k, "block_pointers", [ints(30, 100), empty(30, 32, dtype=i32), 30, 100, [32], [32]], (1,), 0
    yield k, "atomics", [empty(40, dtype=i32), 5000, [256]], (20,), 0
    yield k, "descriptors", [ints(64, 128), empty(64, 128, dtype=i32), 64, 128, [32], [32]], (2,), 0
    for dtype, precision in ((np.float16, "tf32"), (np.float32, "ieee"), (np.float32, "tf32"), (np.float32, "tf32x3")):
        a, b = floats(64, 128, dtype=dtype), floats(128, 64, dtype=dtype)
        # Sums in another order, and tf32 products that the GPU cuts at 10 bits.
        tolerance = 1e-2 if precision == "tf32" and dtype == np.float32 else 2e-5
        yield k, "product", [a, b, empty(64, 64), [64], [64], [128], [f"'{precision}'"]], (1,), tolerance
    a, b = (RNG.integers(-128, 128, size=s).astype(np.int8) for s in ((64, 128), (128, 64)))
    yield k, "product", [a, b, empty(64, 64, dtype=i32), [64], [64], [128], ["'ieee'"]], (1,), 0
    yield from combine()
    yield from arith_cases()
    yield from memory_cases()
    yield from pipeline_cases()
    for m, width, depth in ((128, 32, 32), (64, 64, 64), (128, 64, 32)):
        half = [floats(m, depth, dtype=np.float16), floats(depth, width, dtype=np.float16)]
        yield k, "kept_sums", [*half, floats(m, width), empty(m, width // 2), empty(m, width), [m], [width], [depth]], (1, ), SUMS
    yield from backward_cases()
    yield from examples()


def stages(count, case):
    """The case at this num_stages."""
    file, kernel, args, grid, tolerance = case
    return file, kernel, args, grid, tolerance, count


def pipeline_cases():
    """Loops whose loads start ahead (pipeline.py), at several num_stages."""
    p, i32 = os.path.join(HERE, "pipeline.py"), np.int32
    f16 = lambda *s: floats(*s, dtype=np.float16)
    for count in (1, 2, 3, 4, 5):
        case = lambda *c: stages(count, (p, *c))
        for m, n, k in ((128, 128, 0), (128, 64, 64), (200, 136, 328), (120, 72, 77)):
            sizes = [m, n, k]
            a, at, b, bt = f16(m, max(k, 1)), f16(max(k, 1), m), f16(max(k, 1), n), f16(n, max(k, 1))
            grid = (-(-m // 64), -(-n // 64))
            tile = [[64], [64], [32], ["True"], ["'tf32'"], ["tl.float32"]]
            yield case("matmul", [a, b, empty(m, n), *sizes, k, [1], n, [1], *tile], grid, 1e-4)
            yield case("matmul", [at, bt, empty(m, n), *sizes, [1], m, [1], k, *tile], grid, 1e-4)
            a, b = f16(m, 2 * max(k, 1)), f16(max(k, 1), 2 * n)
            yield case("matmul", [a, b, empty(m, n), *sizes, 2 * k, [2], 2 * n, [2], *tile], grid, 1e-4)
        tile = [[128], [128], [32], ["True"], ["'tf32'"], ["tl.float32"]] # 128 sums, and pointers to as many
        for step in (1, 3):
            a, b = f16(130, 77 * step), f16(77, 136 * step)
            strides = [77 * step, step, 136 * step, step]
            yield case("matmul", [a, b, empty(130, 136), 130, 136, 77, *strides, *tile], (2, 2), 1e-4)
        for precision, tolerance in (("tf32", 2e-2), ("ieee", 2e-5), ("tf32x3", 2e-5)):
            tile = [[64], [64], [32], ["True"], [f"'{precision}'"], ["tl.float32"]]
            yield case("matmul", [floats(128, 320), floats(320, 64), empty(128, 64), 128, 64, 320, 320, [1], 64, [1], *tile], (2, 1), tolerance)
        a, b = floats(64, 96, dtype=np.float64), floats(96, 64, dtype=np.float64)
        tile = [[32], [32], [16], ["True"], ["'ieee'"], ["tl.float64"]]
        yield case("matmul", [a, b, empty(64, 64, dtype=np.float64), 64, 64, 96, 96, [1], 64, [1], *tile], (2, 2), 1e-12)
        a, b = (RNG.integers(-128, 128, size=s).astype(np.int8) for s in ((128, 320), (320, 128)))
        tile = [[64], [64], [64], ["False"], ["'ieee'"], ["tl.int32"]]
        yield case("matmul", [a, b, empty(128, 128, dtype=i32), 128, 128, 320, 320, [1], 128, [1], *tile], (2, 2), 0)
        for sam, sak, sbk, sbn in ((320, [1], [1], 320), ([1], 128, 128, [1]), ([1], 128, [1], 320)):
            yield case("matmul", [a, b, empty(128, 128, dtype=i32), 128, 128, 320, sam, sak, sbk, sbn, *tile], (2, 2), 0)
        a, b = (RNG.integers(0, 0x48, size=s).astype(np.int8) for s in ((64, 320), (64, 320)))
        for dtype in ("tl.float8e4nv", "tl.float8e5"):
            yield case("matmul_bytes", [a, b, empty(64, 64), 64, 320, [64], [64], [64], [dtype]], (1, 1), FP8_SUMS)
        yield case("transposed", [f16(320, 64), f16(64, 320), empty(64, 64), 64, 320, [64], [64], [32]], (1,), SUMS)
        rows = ints(320) & 0xffff
        yield case("indirect", [f16(64, 320), rows, f16(32, 64), empty(64, 64), 320, [64], [64], [32]], (1,), SUMS)
        yield case("indirect", [f16(16, 77), rows, f16(32, 32), empty(16, 32), 77, [16], [32], [32]], (1,), SUMS)
        pages, blocks = ints(16) & 0xffff, ints(16) & 0xffff
        for trips in (0, 1, 3, 9):
            yield case("paged", [f16(64, 64), pages, blocks, f16(128, 64), empty(16, 64), trips, [16], [64], [32]], (1,), SUMS)
            yield case("chained", [f16(64, 64), blocks, f16(128, 64), empty(16, 64), trips, [16], [64], [32]], (1,), SUMS)
        w = RNG.integers(-128, 128, size=(320, 64)).astype(np.int8)
        yield case("dequantised", [f16(64, 320), w, f16(5, 64) / 64, empty(64, 64), 320, [64], [64], [64]], (1,), 1e-3)
        yield case("nibbles", [f16(64, 320), w[:160].copy(), empty(64, 64), 320, [64], [64], [64]], (1,), 1e-4)
        for masked in (False, True):
            yield case("words", [f16(64, 320), ints(40, 64), f16(40, 16), empty(64, 64), 320, 64, [64], [64], [64], [masked], [False]], (1,), 1e-3)
            yield case("words", [f16(64, 320), ints(320, 16), f16(40, 32), empty(64, 128), 320, 16, [64], [128], [64], [masked], [True]], (1,), 1e-3)
        for n in (128, 200):
            yield case("attention", [f16(128, 64), f16(n, 64), f16(n, 64), floats(n), empty(128, 64), n, [64], [64], [32]], (2,), 4e-3)
        # More than registers hold: the rows of Q are read from shared memory in each round.
        yield case("attention", [f16(128, 128), f16(320, 128), f16(320, 128), floats(320), empty(128, 128), 320, [128], [128], [64]], (1,), 4e-3)
        yield case("persistent", [f16(96, 64), f16(64, 32), empty(96, 32), 6, 32, 64, [16], [32], [16]], (2,), SUMS)
        yield case("odd_counts", [f16(64, 64), f16(64, 32), empty(16, 32), 3, 21, 5, 64, [16], [32], [32]], (1,), SUMS)
        yield case("in_place", [f16(64, 32), f16(32, 32), 7, [16], [32]], (1,), 4e-3)
        for own in (2, 4):
            yield case("streamed", [floats(1280), floats(1280), ints(1280) & 0xffff, empty(256), 1100, [256], [own]], (1,), 2e-6)
        yield case("products", [f16(7 * 32, 32), f16(96, 32), empty(7 * 32, 32), 7, [32], [32], [32]], (1,), SUMS)
        for m, n, k in ((64, 64, 128), (50, 40, 72), (33, 19, 45)):
            yield case("blocks", [f16(m, k), f16(k, n), empty(m, n), m, n, k, [64], [64], [32]], (1,), SUMS)
        for m, n, k in ((64, 64, 128), (50, 40, 72), (64, 16, 0)):
            yield case("described", [f16(m, max(k, 8)), f16(n, max(k, 8)), empty(m, n), m, n, k, [64], [64], [32]], (1,), SUMS)
        for k in (96, 40):
            yield case("batched", [f16(4, 16, k), f16(4, k, 32), empty(4, 16, 32), k, [4], [16], [32], [32]], (1,), SUMS)
        a, b, sa, sb = (RNG.integers(0, top, size=s).astype(np.int8) for s, top in (((32, 256), 0x48), ((128, 32), 128), ((32, 8), 127), ((32, 8), 127)))
        yield case("scaled", [a, sa | 120, b, sb | 120, empty(32, 32), 256, [32], [32], [64]], (1,), 2e-3)
        for shift in (2 * 4096, 7 * 4096):
            small = (RNG.integers(0, 8, size=13 * 4096) == 0).astype(np.float16)
            yield case("added", [small, shift, 6, [64], ["'relaxed'" if count % 2 else "'acq_rel'"]], (1,), 0)
        flags = np.array([1, 0, 2, 2, 1, 3, 0, 0], i32)
        yield case("until_found", [f16(16, 64), f16(64, 32), flags, empty(16, 32), [16], [32], [32]], (1,), SUMS)
        yield case("until", [f16(16, 80), f16(80, 32), empty(16, 32), 80, [16], [32], [16]], (1,), SUMS)
    for own in (1, 3, 4):
        yield p, "rows", [floats(21, 200), empty(21, 208), 200, 208, 21, 195, [256], [own]], (4,), 2e-6
        yield p, "rows", [floats(21, 208), empty(21, 208), 208, 208, 0, 208, [256], [own]], (4,), 2e-6
        for shift in (0, 1, 2, 40):
            yield p, "updated", [floats(64 * 256), shift, 9, [256], [own]], (1,), 0
        yield p, "jumps", [floats(64 * 256), 32 * 256, 300, 9, [256], [own]], (1,), 0
        yield p, "wrapped", [floats(12 * 256), 65536, 9, [256], [own]], (1,), 0


def backward_cases():
    """Attention's backward, as bench/gpu/backward.py measures it."""
    p = os.path.join(BENCH, "backward_kernels.py")
    for d, n, causal in ((64, 256, 0), (64, 256, 1), (128, 128, 1)):
        q, k, v, do, dq, dk, dv, o = (floats(1, n, d, dtype=np.float16) for _ in range(8))
        lse, delta, zeros, f = floats(n) + 8, floats(n), empty(1, n, d), 1.44 * d**-0.5
        small = (k * np.float16(f)).astype(np.float16)
        yield stages(5, (p, "backward", [q, small, v, do, dq, dk, dv, lse, delta, d**-0.5, n, [d], [32], [128], [128], [32], [2], [causal]],
                         (n // 128, 1), 4e-3))
        yield stages(3, (p, "backward_adding", [q, k, v, do, zeros, dk, dv, lse, delta, d**-0.5, f, n, [d], [64], [64], [causal]], (n // 64, 1), 4e-3))
        yield stages(3, (p, "backward_keys", [q, k, v, do, dk, dv, lse, delta, d**-0.5, f, n, [d], [64], [64], [causal]], (n // 64, 1), 4e-3))
        yield stages(3, (p, "backward_rows", [q, k, v, do, dq, lse, delta, d**-0.5, f, n, [d], [128], [64], [causal]], (n // 128, 1), 4e-3))


def memory_cases():
    """Loads, stores, atomics (memory.py). Sums of floats are of small integers: the same in any order."""
    m, i32 = os.path.join(HERE, "memory.py"), np.int32
    sizes = {"int8": 1, "uint8": 1, "int16": 2, "float16": 2, "bfloat16": 2, "int32": 4, "float32": 4, "int64": 8, "float64": 8}
    for dtype, size in sizes.items():
        words = lambda elements: elements * size // 4
        for n, limit in ((1024, 1000), (1024, 992), (4096, 1237), (64, 48)):
            out = empty(12 * words(n), dtype=i32)
            yield m, "copies", [ints(words(n)) >> 1, out, limit, [f"tl.{dtype}"], [n]], (1,), 0
        for a, b in ((64, 32), (16, 128)):
            x, out = ints(words(a * b)), empty(5 * words(a * b), dtype=i32)
            yield m, "transposed", [x, out, a - 3, b - 5, [f"tl.{dtype}"], [a], [b]], (1,), 0
    for a, b in ((64, 64), (8, 16)):
        yield m, "predicates", [ints(a, b), empty(2 * a * b, dtype=i32), [a], [b]], (1,), 0
    for n in (1, 2, 16, 32, 64, 1024):
        yield m, "few", [ints(n + 8) >> 8, empty(5 * n + 8, dtype=i32), [n]], (1,), 0
    for n in (5, 37):
        yield m, "scalars", [ints(64), empty(8, dtype=i32), n], (1,), 0
    yield m, "exchanged", [ints(2048), empty(2048, dtype=i32), [2048]], (1,), 0
    for dtype, size in (("int32", 4), ("uint32", 4), ("int64", 8), ("uint64", 8)):
        for n, limit in ((512, 384), (1024, 1001), (32, 20)):
            words = n * size // 4
            x, v = ints(words), ints(words)
            yield m, "integer_atomics", [x, v, empty(8 * words, dtype=i32), limit, [f"tl.{dtype}"], [n]], (1,), 0
    for dtype, bits in (("float16", np.float16), ("float32", np.float32), ("float64", np.float64), ("bfloat16", None)):
        for n, limit in ((1024, 992), (512, 301), (16, 11)):
            x, v = (RNG.integers(-20, 20, size=n) for _ in range(2))
            if bits is None:
                pack = lambda a: (a.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16).view(i32)
            else:
                pack = lambda a: a.astype(bits).view(i32)
            out = empty(2 * len(pack(x)), dtype=i32)
            yield m, "float_atomics", [pack(x), pack(v), out, limit, [f"tl.{dtype}"], [n]], (1,), 0
    yield m, "float_extremes", [floats(512), floats(512), empty(1024), [512]], (1,), 0
    yield m, "locked", [empty(1, dtype=i32), empty(5, dtype=i32), 5], (20,), 0
    yield m, "last_one", [ints(64 * 256) >> 8, empty(64, dtype=i32), empty(1, dtype=i32), empty(1, dtype=i32), [256]], (64,), 0
    yield m, "counted", [ints(100000), empty(257, dtype=i32), 100000, [256], [1024]], (98,), 0


def arith_cases():
    """Float arithmetic, casts and functions (arith.py)."""
    m, n = os.path.join(HERE, "arith.py"), 1024
    for dtype in ("float16", "bfloat16", "float32", "float64"):
        yield m, "arithmetic", [floats(n, special=True), floats(n), empty(17, n), [f"tl.{dtype}"], [n]], (1,), 0
        if dtype in ("float32", "float64"):  # of a narrower type the quotient's last digit decides
            yield m, "remainders", [floats(n, special=True), floats(n), empty(3, n), [f"tl.{dtype}"], [n]], (1,), 0
    for dtype in ("float8e4nv", "float8e5", "float8e4b15"):
        yield m, "from_fp8", [np.arange(256, dtype=np.uint8).view(np.int8), empty(4, 256), [f"tl.{dtype}"], [256]], (1,), 0
        if dtype == "float8e4b15":
            continue
        for source in ("float16", "bfloat16"):
            every = np.arange(65536, dtype=np.uint16).view(np.int16)
            out = empty(65536, dtype=np.int8)
            yield m, "to_fp8", [every, out, [f"tl.{source}"], [f"tl.{dtype}"], [n]], (64,), 0
        values = near_fp8(64 * n).view(np.int32)
        yield m, "to_fp8", [values, empty(64 * n, dtype=np.int8), ["tl.float32"], [f"tl.{dtype}"], [n]], (64,), 0
    yield m, "narrow", [near_fp8(n), empty(4, n), [n]], (1,), 0
    yield m, "narrow", [near_fp8(n).astype(np.float64) * (1 + 2.0**-40), empty(4, n), [n]], (1,), 0
    for dtype in ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64"):
        yield m, "integers_of", [ints(n) % 2**20, empty(8, n), [f"tl.{dtype}"], [n]], (1,), 0
    for dtype, mask, to in (("int32", 1023, "float16"), ("int32", 1024, "float16"), ("int16", 1023, "float16"), ("int64", 1000, "float16"),
                            ("int8", 127, "float16"), ("uint8", 15, "float16"), ("int8", 127, "bfloat16"), ("int32", 127, "bfloat16"),
                            ("int32", 128, "bfloat16"), ("int16", 15, "float32"), ("int64", 0x7fffff, "float32"), ("int32", 0xffffff, "float32")):
        yield m, "few_bits", [ints(n), empty(2, n), [f"tl.{dtype}"], [mask], [f"tl.{to}"], [n]], (1,), 0
    yield m, "functions", [floats(n) * 3, empty(16, n), [n]], (1,), 4e-6
    yield m, "functions", [floats(n, dtype=np.float64) * 3, empty(16, n, dtype=np.float64), [n]], (1,), 4e-15
    yield m, "device_library", [floats(n), floats(n), empty(20, n), [n]], (1,), 0
    yield m, "assembly", [ints(n), empty(n, dtype=np.int32), [n]], (1,), 0


def near_fp8(n):
    """fp32 around the values that 8 and 16 bits hold and the midpoints between them, and special ones."""
    exponents = RNG.integers(-30, 20, size=n)
    steps = RNG.integers(16, 32, size=n) / 16
    tiny = RNG.integers(-1, 2, size=n) * 2.0**-20
    values = (np.ldexp(steps + tiny, exponents) * RNG.choice([-1, 1], size=n)).astype(np.float32)
    return np.concatenate([floats(12, special=True), values[12:]])


def combine():
    """Reductions, scans, sorts, gathers, products (combine.py)."""
    k, i32 = os.path.join(HERE, "combine.py"), np.int32
    for a, b, c in ((4, 8, 64), (32, 2, 16), (1, 64, 32), (2, 128, 4)):
        yield k, "axes", [ints(a, b, c) % 1000, empty(b * c + a * c + a * b + 7, dtype=i32), [a], [b], [c]], (1,), 0
    for n in (32, 1024, 4096):
        yield k, "row", [floats(n), empty(7), [n]], (1,), 0
    for m, n in ((16, 64), (64, 16), (4, 512)):
        yield k, "moments", [floats(m, n), empty(2 * m + 2 * n + 2 * m * n), [m], [n]], (1,), 4e-6
        yield k, "types", [ints(m, n) % 1000, empty(6 * m + 4 * n + 5, dtype=i32), [m], [n]], (1,), 0
        yield k, "scans", [ints(m, n) % 100, empty(8 * m * n, dtype=i32), [m], [n]], (1,), 0
        yield k, "sorts", [ints(m, n), empty(4 * m * n + 8 * m, dtype=i32), [m], [n]], (1,), 0
        yield k, "gathers", [ints(m, n), ints(m, n)[::-1].copy(), empty(4 * m * n + 96 + n, dtype=i32), [m], [n]], (1,), 0
        yield k, "reorder", [ints(m, n) % 1000, empty(4 * m * n + 2, dtype=i32), [m], [n]], (1,), 0
    # fp16 sums are rounded after each instruction on the GPU, tf32 products cut at 10 bits.
    for dtype, out, precision, tolerance in (
            ("tl.float16", "tl.float32", "tf32", 2e-5), ("tl.float16", "tl.float16", "tf32", 2e-2),
            ("tl.bfloat16", "tl.float32", "tf32", 2e-5), ("tl.float32", "tl.float32", "tf32", 2e-2),
            ("tl.float32", "tl.float32", "ieee", 2e-5), ("tl.float64", "tl.float64", "ieee", 1e-12),
            ("tl.float8e5", "tl.float32", "tf32", FP8_SUMS), ("tl.float8e4nv", "tl.float32", "tf32", FP8_SUMS)):
        for m, n, kk in ((16, 16, 32), (64, 32, 64), (128, 64, 32)):
            f = np.float64 if dtype == "tl.float64" else np.float32
            a, b, c = (floats(*s, dtype=f) for s in ((m, kk), (kk, n), (m, n)))
            yield k, "products", [a, b, c, empty(m, n, dtype=f), [m], [n], [kk], [dtype], [out], [f"'{precision}'"]], (1,), tolerance
    for m, n, kk in ((16, 16, 32), (64, 32, 64)):
        a, b = (RNG.integers(-128, 128, size=s).astype(np.int8) for s in ((m, kk), (kk, n)))
        c = ints(m, n)
        yield k, "products", [a, b, c, empty(m, n, dtype=i32), [m], [n], [kk], ["tl.int8"], ["tl.int32"], ["'ieee'"]], (1,), 0
    a, b = floats(4, 32, 64, dtype=np.float16), floats(4, 64, 32, dtype=np.float16)
    yield k, "batches", [a, b, empty(4, 32, 32), [4], [32], [32], [64], ["'tf32'"]], (1,), 2e-5
    # Multiply-adds go up K in order: the same bits.
    a, b = floats(4, 32, 64), floats(4, 64, 32)
    yield k, "batches", [a, b, empty(4, 32, 32), [4], [32], [32], [64], ["'ieee'"]], (1,), 0
    for m, n, step in ((16, 16, 64), (64, 64, 32), (128, 64, 64), (32, 128, 16), (128, 128, 32)):
        a, b = floats(m, 2 * step), floats(n, 2 * step)
        yield k, "rounds", [a, b, empty(m, n), 2 * step, [m], [n], [step]], (1,), 0


def number_cases():
    """Constexprs that can be arguments, of all kinds and sizes (constexprs.py)."""
    k, n, i32 = os.path.join(HERE, "constexprs.py"), 256, np.int32
    for c in (0, 1, 3, -7, 100, 127):
        for f in ("0.5", "-3.25", "1e-3", "65519.0"):
            yield k, "mixed", [floats(n), ints(n), empty(8, n), [c], [f], [n]], (1,), 0
    for c in (5, -(2**31), 2**31 - 1, 2**32 - 1, 2**33 + 16, -(2**40)):
        yield k, "wide", [ints(n), empty(4, n, dtype=np.int64), [c], [n]], (1,), 0
    for c in (True, False, 7, 2.5):
        yield k, "kinds", [floats(n), empty(4, n), [c], [n]], (1,), 0
    for f in ("1e-40", "1e300", "0.1", "3.0", "float('inf')", "1e10"):
        yield k, "floating", [floats(n), floats(n).astype(np.float64), empty(6, n, dtype=np.float64), [f], [n]], (1,), 0
    for m in (1, 16, 100, 255, 1000):
        yield k, "bounds", [ints(1024), empty(1024, dtype=i32), [m], [m], [64]], (1,), 0
        yield k, "ragged", [empty(8, 1024, dtype=np.int8), ints(8) & 1023, [1024], [m], [64]], (8,), 0
    for c in (2, 3, 11):
        yield k, "structural", [ints(n), empty(n, dtype=i32), [c], [c + 1], [n]], (1,), 0
        yield k, "calls", [ints(n), empty(3, n, dtype=i32), [c], [7], [n]], (1,), 0
        yield k, "blocks", [ints(64, 64), empty(64, 64, dtype=i32), [60 + c], [64], [c], [16]], (1,), 0
        yield k, "combined", [ints(n), empty(2, n, dtype=i32), [c], [n]], (1,), 0


def examples():
    e = lambda name: os.path.join(EXAMPLES, name)
    n = 100000
    yield e("vector_add.py"), "add_kernel", [floats(n), floats(n), empty(n), n, [1024]], (98,), 0
    rows, cols = 1823, 781
    yield e("softmax.py"), "softmax_kernel", [empty(rows, cols), floats(rows, cols), cols, cols, rows, cols, [1024]], (256,), 1e-6
    x, w, b = floats(300, 3000), floats(3000), floats(3000)
    yield e("layer_norm.py"), "layer_norm_kernel", [x, empty(300, 3000), w, b, empty(300), empty(300), 3000, 3000, 1e-5, [1024]], (300,), 2e-5
    m = 256
    a, b, c = floats(m, m, dtype=np.float16), floats(m, m, dtype=np.float16), empty(m, m, dtype=np.float16)
    yield e("matmul.py"), "matmul_kernel", [a, b, c, m, m, m, m, 1, m, 1, m, 1, [64], [64], [32], [8], ["'leaky_relu'"]], (16,), 4e-2
    h, s, d = 4, 512, 64
    for causal in ("False", "True"):
        q, k, v, o = (floats(h, s, d, dtype=np.float16) for _ in range(4))
        strides = [s * d, d] * 4
        yield e("attention.py"), "attention_kernel", [q, k, v, o, 0.125, *strides, s, [d], [64], [64], [causal]], (8, h), 4e-3


def signature(args):
    parts = []
    for a in args:
        if isinstance(a, list):
            parts.append(str(a[0]))
        elif isinstance(a, np.ndarray):
            parts.append("*" + TYPES[str(a.dtype)] + ":16")
        elif isinstance(a, float):
            parts.append("fp32")
        else:
            parts.append("i32:16" if a % 16 == 0 else "i32")
    return ",".join(parts)


def run(neso, target, file, kernel, args, grid, work, policy="eager", num_stages=3, simulated=("--check", )):
    """The arrays after a run, in order. Nothing is fused on a GPU: the interpreter rounds after each operation."""
    command, values, outs = [neso, "run", "--quiet", "--grid", ",".join(map(str, grid))], [f"{file}:{kernel}"], []
    command += ["--target", target, "--no-fp-fusion", "--constexpr", policy, "--num-stages", str(num_stages)]
    command += simulated if target.startswith("sim:") else []
    for i, a in enumerate(args):
        if isinstance(a, np.ndarray):
            path = os.path.join(work, f"in{i}.npy")
            np.save(path, a)
            values.append(path)
            outs.append(os.path.join(work, f"out{i}.npy"))
        else:
            values.append(str(a[0]) if isinstance(a, list) else repr(a))
    names = json.loads(subprocess.run([neso, "list", "--json", file], check=True, capture_output=True, text=True).stdout)
    params = next(f for f in names if f["name"] == kernel)["parameters"]
    arrays = [params[i]["name"] for i, a in enumerate(args) if isinstance(a, np.ndarray)]
    for name, path in zip(arrays, outs):
        command += ["--out", f"{name}={path}"]
    done = subprocess.run(command + ["--"] + values, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr[-1500:])
    return [np.load(path) for path in outs]


def on_upstream(neso, file, kernel, args, grid, work):
    import torch
    import triton

    path = os.path.join(work, f"{kernel}.ttir")
    subprocess.run([neso, "compile", f"{file}:{kernel}", "--signature", signature(args), "--emit", "ttir", "-o", path], check=True)
    # The interpreter rounds after each operation: no contraction.
    compiled = triton.compile(path, options={"enable_fp_fusion": False})
    triton.set_allocator(lambda size, align, stream: torch.empty(size, dtype=torch.int8, device="cuda"))
    values = [torch.from_numpy(a).cuda() if isinstance(a, np.ndarray) else a for a in args if not isinstance(a, list)]
    compiled[tuple(grid) + (1,) * (3 - len(grid))](*values)
    torch.cuda.synchronize()
    return [v.cpu().numpy() for v in values if hasattr(v, "cpu")]


def differences(x, y):
    """Element by element, relative above 1; infinite where only one is NaN; integers count as 0 or 1."""
    if x.dtype.kind != "f":
        return (x != y).astype(np.float64)
    x, y = x.astype(np.float64), y.astype(np.float64)
    same = (x == y) | (np.isnan(x) & np.isnan(y))
    with np.errstate(invalid="ignore", over="ignore"):
        d = np.abs(x - y) / np.maximum(1, np.abs(y))
    return np.where(same, 0, np.where(np.isfinite(d), d, np.inf))


def worst(ours, theirs, tolerance):
    """(largest difference, the first elements beyond the tolerance as text)."""
    largest, shown = 0.0, []
    for number, (x, y) in enumerate(zip(ours, theirs)):
        d = differences(x, y)
        largest = max(largest, float(d.max(initial=0)))
        for at in np.argwhere(d > tolerance)[:40]:
            at = tuple(int(i) for i in at)
            shown.append(f"array {number} {list(at)}: interpreter {x[at]!r}, GPU {y[at]!r}")
    return largest, shown


def judge(options, case):
    file, kernel, args, grid, tolerance, *num_stages = case
    row = {"kernel": kernel, "signature": signature(args), "tolerance": tolerance, "ok": True}
    with tempfile.TemporaryDirectory() as work:
        try:
            ours = run(options.neso, "interp", file, kernel, args, grid, work)
            policy = "generic" if options.policies else "eager"
            theirs = (on_upstream(options.neso, file, kernel, args, grid, work) if options.upstream
                      else run(options.neso, options.target, file, kernel, args, grid, work, policy, *num_stages,
                               simulated=options.simulated.split()))
            row["difference"], row["where"] = worst(ours, theirs, tolerance)
            row["ok"] = row["difference"] <= tolerance
        except Exception as error:  # one case must not hide the others
            row["error"], row["refused"] = f"{type(error).__name__}: {error}"[:1500], REFUSED in str(error)
            row["ok"] = row["refused"]
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--neso", required=True)
    parser.add_argument("--upstream", action="store_true")
    parser.add_argument("--policies", choices=("numbers", "all"))
    parser.add_argument("--target")
    parser.add_argument("--only", default="")
    parser.add_argument("--every", type=int, default=1, help="the first case of each so many")
    parser.add_argument("--out")
    parser.add_argument("--simulated", default="--check", help="the options of a run on sim: (--schedules 4)")
    parser.add_argument("--jobs", type=int, default=8)
    options = parser.parse_args()
    options.target = options.target or ("interp" if options.policies else "cuda")
    chosen = [case for case in cases() if options.only in case[1]]
    if options.policies:
        numbers = [case for case in number_cases() if options.only in case[1]]
        chosen = [case[:4] + (0,) for case in ([] if options.policies == "numbers" else chosen) + numbers]
    chosen = chosen[::options.every]
    results = []
    # Upstream compiles in this process, one at a time.
    with ThreadPoolExecutor(1 if options.upstream else options.jobs) as pool:
        for row in pool.map(lambda case: judge(options, case), chosen):
            results.append(row)
            shown = f"{row['difference']:.2e}" if "difference" in row else "refused " if row["refused"] else row["error"]
            print(f"{'ok  ' if row['ok'] else 'FAIL'} {row['kernel']:18} {shown}   {row['signature'][:70]}", flush=True)
            for line in [] if row["ok"] else row.get("where", [])[:6]:
                print("    ", line)
    failed = sum(not row["ok"] for row in results)
    if options.out:
        with open(options.out, "w") as f:
            json.dump(results, f, indent=1)
    refused = sum(row.get("refused", False) for row in results)
    print(f"{len(results) - failed - refused} agree, {failed} differ, {refused} refused")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
