"""What the compiler's model (`loop cycles` of --why) says of kernels that were measured on an H200; needs no GPU.

    python3 bench/gpu/model.py --neso build/release/neso [--only WORD,...] [--clock 1.5]

A row: TFLOP/s that history.md has, TFLOP/s predicted, their ratio, cycles of an iteration of each loop.
Predicted: programs go to 132 SMs in turn, as many to each as --why says, at the clock that such
kernels run at under the power limit; a program takes its iterations' cycles and BESIDE, what was
measured to stand beside a loop. Where history.md has the best of several tiles, so has the prediction.
"""
import argparse
import heapq
import json
import math
import os
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
SMS, BESIDE = 132, 5500
P, I, F = "*{}:16", "i32:16", "*fp32:16"


def cdiv(x, y):
    return -(-x // y)


def matmul(kind, m, n, k, tiles, order="NN"):
    """As dot_kernels.matmul has it; tiles: BM, BN, BK, stages, warps."""
    unit = {"N": ("i32:16", "1"), "T": ("1", "i32:16")}
    out = {"fp8e4nv": "fp16"}.get(kind, kind)
    for bm, bn, bk, stages, warps in tiles:
        a, b = unit[order[0]], unit[order[1]]
        types = [P.format(kind)] * 2 + [P.format(out), I, I, I, *a, *b, I, "1", bm, bn, bk, 8, "tl.float32", '"tf32"']
        yield "dot_kernels.py:matmul", types, stages, warps, [[cdiv(k, bk)] for _ in range(cdiv(m, bm) * cdiv(n, bn))]


def attention(d, n, heads, tiles, causal=False):
    """tiles: BM, BN, stages, warps."""
    for bm, bn, stages, warps in tiles:
        types = [P.format("fp16")] * 4 + ["fp32"] + [I] * 5 + [d, bm, bn, causal]
        rows = [[cdiv((i + 1) * bm, bn) if causal else n // bn] for i in range(n // bm)]
        yield "dot_kernels.py:attention", types, stages, warps, rows * heads


def one_kernel(d, n, heads, tiles):
    h = P.format("fp16")
    for bm, bn, stages, warps in tiles:
        types = [h] * 7 + [F, F, "fp32", I, d, bm, bn, bn, bm, 2, False]
        yield "backward_kernels.py:backward", types, stages, warps, [[n // bm, n // bm]] * (heads * (n // bn))


def descriptors(m, n, k, tiles, kind="fp16", along_k=False):
    """test/gpu/roles.py's product."""
    for bm, bn, bk, stages, warps in tiles:
        types = [P.format(kind)] * 2 + [P.format("fp16"), I, I, I, bm, bn, bk, along_k, False, stages]
        yield "../../test/gpu/roles.py:product", types, stages, warps, [[k // bk]] * (m // bm * (n // bn))


def one_head(d, n, tiles, roles):
    """test/gpu/roles.py's attention."""
    for bm, bn, stages, warps in tiles:
        types = [P.format("fp16")] * 4 + [I, "fp32", bm, bn, d, roles, stages]
        yield "../../test/gpu/roles.py:attention", types, stages, warps, [[n // bn]] * (n // bm)


def adding(d, n, heads, tiles, causal=False):
    h = P.format("fp16")
    for bm, bn, stages, warps in tiles:
        types = [h] * 4 + [F, h, h, F, F, "fp32", "fp32", I, d, bm, bn, causal]
        rows = [[(n - i * bn // bm * bm) // bm if causal else n // bm] for i in range(n // bn)]
        yield "backward_kernels.py:backward_adding", types, stages, warps, rows * heads


WIDE, WIDE8 = [(128, 256, 64, 3, 8)], [(128, 256, 128, 3, 8)]
PLAIN = [(128, 128, 64, 3, 4), (128, 256, 64, 3, 8), (256, 128, 64, 3, 8)]
PLAIN8 = [(bm, bn, 2 * bk, stages, warps) for bm, bn, bk, stages, warps in PLAIN]
HEAD = [(128, 64, 2, 8), (128, 128, 2, 8), (128, 64, 3, 8), (64, 64, 3, 4)]
TF32 = [(128, 256, 32, 3, 8)]
SQUARE = [(128, 128, 2, 8)]
TILES = [(128, 64, 3, 4), (128, 128, 2, 8), (128, 64, 2, 8), (64, 64, 3, 4), (64, 128, 2, 4)]
OTHER = [(32, 128, 3, 8), (32, 128, 5, 8), (64, 128, 2, 8), (32, 64, 3, 4), (64, 64, 2, 4)]
ADDING = [(64, 64, 2, 4), (64, 128, 2, 8), (128, 64, 2, 8)]
# Name, TFLOP/s of history.md, its section, operations, programs.
ORDERS, LATE, BACK = "through plain pointers", "an iteration late", "Attention's backward"
BESIDES, FIRST, ROLES = "What a tile costs", "Products of warp groups", "Warps with roles"


def product(kind, m, n, k, measured, where, tiles, order="NN"):
    return f"{kind} {m}x{n}x{k} {order} {tiles[0][0]}x{tiles[0][1]}", measured, where, 2 * m * n * k, matmul(kind, m, n, k, tiles, order)


def forward(d, n, heads, causal, measured, where, tiles):
    return (f"attention D{d} N{n}{' causal' if causal else ''}", measured, where,
            4 * n * n * d * heads / (2 if causal else 1), attention(d, n, heads, tiles, causal))


def back(make, name, d, measured, tiles, causal=False):
    rest = (causal, ) if causal else ()
    return (f"backward D{d} {name}{' causal' if causal else ''}", measured, BACK,
            10 * 4096 * 4096 * d * 128 / (2 if causal else 1), make(d, 4096, 128, tiles, *rest))


def described(kind, n, measured):
    wide = kind == "fp16"
    return (f"{kind} {n}x{n}x{n} by descriptors", measured, ROLES, 2 * n**3,
            descriptors(n, n, n, PLAIN if wide else PLAIN8, kind, not wide))


def head(d, roles, measured):
    return (f"attention D{d} N16384, one head{', roles' if roles else ''}", measured, ROLES, 4 * 16384 * 16384 * d,
            one_head(d, 16384, HEAD, roles))


ROWS = [
    product("fp16", 2048, 2048, 2048, 621, ORDERS, WIDE),
    product("fp16", 4096, 4096, 4096, 743, ORDERS, WIDE),
    product("fp16", 4096, 4096, 4096, 740, ORDERS, WIDE, "NT"),
    product("fp16", 4096, 4096, 4096, 743, ORDERS, WIDE, "TN"),
    product("fp16", 4096, 4096, 4096, 742, ORDERS, WIDE, "TT"),
    product("fp16", 8192, 8192, 8192, 770, ORDERS, WIDE),
    product("bf16", 8192, 8192, 8192, 800, ORDERS, WIDE),
    product("fp8e4nv", 8192, 8192, 8192, 1506, ORDERS, WIDE8, "NT"),
    product("fp16", 4000, 3984, 4048, 687, ORDERS, WIDE),
    product("fp16", 4096, 4096, 512, 498, ORDERS, WIDE),
    product("fp16", 4096, 4096, 1024, 614, BESIDES, WIDE),
    product("fp16", 4096, 4096, 16384, 789, ORDERS, WIDE),
    product("fp16", 1024, 16384, 4096, 650, ORDERS, WIDE),
    product("fp32", 4096, 4096, 4096, 392, ORDERS, TF32, "NT"),
    product("fp32", 4096, 4096, 4096, 381, ORDERS, TF32, "NN"),
    product("fp32", 4096, 4096, 4096, 381, ORDERS, TF32, "TT"),
    product("fp16", 4096, 4096, 4096, 692, FIRST, [(128, 128, 64, 3, 4)]),
    forward(64, 4096, 128, False, 475, LATE, SQUARE),
    forward(128, 4096, 128, False, 620, LATE, SQUARE),
    forward(128, 4096, 128, True, 512, LATE, SQUARE),
    forward(64, 4096, 128, False, 500, LATE, TILES),
    forward(64, 4096, 128, True, 437, LATE, TILES),
    described("fp16", 2048, 594),
    described("fp16", 4096, 730),
    described("fp8e4nv", 4096, 1333),
    head(64, False, 395),
    head(64, True, 392),
    head(128, False, 601),
    head(128, True, 614),
    back(one_kernel, "tutorial's tiles", 64, 328, [(32, 128, 5, 4)]),
    back(one_kernel, "other tiles", 64, 402, OTHER),
    back(one_kernel, "tutorial's tiles", 128, 328, [(32, 128, 5, 8)]),
    back(one_kernel, "other tiles", 128, 472, OTHER),
    back(adding, "adding", 64, 325, ADDING),
    back(adding, "adding", 64, 303, ADDING, True),
    back(adding, "adding", 128, 362, ADDING),
    back(adding, "adding", 128, 335, ADDING, True),
]


def cycles_of(args, kernel, types, stages, warps):
    """CTAs on an SM and cycles of an iteration, of each loop."""
    command = [args.neso, "compile", f"{HERE}/{kernel}", "--signature", ",".join(map(str, types)), "--target", "sim:sm_90a",
               "--num-warps", str(warps), "--num-stages", str(stages), "--why", "--json"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr.strip()[:200])
    loops, last = [], None
    for r in json.loads(done.stdout):
        if r["rule"] not in ("cycles", "specialised"):
            continue
        if r["rule"] == "specialised" and last == "cycles":
            loops.pop()  # the same loop, as it is with roles
        loops.append((r["figures"]["ctas"], r["figures"]["cycles"]))
        last = r["rule"]
    return loops


def seconds(loops, programs, clock):
    """loops: CTAs and cycles; programs: iterations of each loop, of each program, in the order of their numbers."""
    ctas = min(c for c, _ in loops)
    slots = [0.0] * (SMS * ctas)
    for iterations in programs:
        taken = BESIDE * len(iterations) + sum(i * cycles for i, (_, cycles) in zip(iterations, loops))
        heapq.heapreplace(slots, slots[0] + taken)
    return max(slots) / (clock * 1e9)


def predict(args, flops, ways):
    best = (0, "")
    for kernel, types, stages, warps, programs in ways:
        loops = cycles_of(args, kernel, types, stages, warps)[:len(programs[0])]
        if len(loops) < len(programs[0]):
            continue
        rate = flops / seconds(loops, programs, args.clock) / 1e12
        best = max(best, (rate, " ".join(f"{cycles}/{ctas}" for ctas, cycles in loops)))
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--neso", default="neso")
    parser.add_argument("--only", default="")
    parser.add_argument("--clock", type=float, default=1.5)
    args = parser.parse_args()
    words = [w for w in args.only.split(",") if w]
    ratios = []
    for name, measured, where, flops, ways in ROWS:
        if words and not any(w in name for w in words):
            continue
        rate, loops = predict(args, flops, ways)
        if not rate:
            print(f"{name:44s} {measured:6.0f} no prediction ({where})")
            continue
        ratios.append(rate / measured)
        print(f"{name:44s} {measured:6.0f} {rate:6.0f} {rate / measured:6.2f}  {loops:16s} {where}", flush=True)
    near = sum(abs(r - 1) <= 0.15 for r in ratios)
    mean = math.exp(sum(map(math.log, ratios)) / max(len(ratios), 1))
    print(f"{near} of {len(ratios)} within 15 %, geometric mean {mean:.3f}")


if __name__ == "__main__":
    main()
