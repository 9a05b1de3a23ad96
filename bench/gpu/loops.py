"""Instructions of the main loops of dot_kernels.py, counted in the disassembly; needs ptxas and cuobjdump, and no GPU.

    python3 bench/gpu/loops.py --neso build/release/neso [--target sm_90a] [--only WORD,...] [--upstream]

A row: registers, bytes spilled; then for each innermost loop with matrix instructions how many of them there are, all instructions,
loads of shared memory (ldmatrix, others), asynchronous copies, barriers, moves, those from barrier to first matrix instruction, and
accesses of local memory. --upstream does the same with Triton 3.6 for sm_80, which uses mma.sync there.
"""
import argparse
import collections
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
UNIT = {"T": ("1", "i32:16"), "N": ("i32:16", "1")}


def matmul(kind, order, bm, bn, bk, stages, warps):
    out, total = {"i8": ("i32", "tl.int32"), "fp8e4nv": ("fp16", "tl.float32")}.get(kind, (kind, "tl.float32"))
    sizes = ["i32:16"] * 3 + [*UNIT[order[0]], *UNIT[order[1]], "i32:16", "1"]
    return (f"matmul {kind} {order} {bm}x{bn}x{bk} s{stages} w{warps}", "matmul",
            [f"*{kind}:16", f"*{kind}:16", f"*{out}:16", *sizes, bm, bn, bk, 8, total, '"tf32"'], stages, warps)


def rows():
    for order in ("NN", "NT", "TN", "TT"):
        for tile in ((128, 128, 32, 3, 4), (128, 128, 64, 3, 8), (128, 256, 64, 3, 8)):
            yield matmul("fp16", order, *tile)
        yield matmul("fp32", order, 128, 128, 32, 3, 4)
        yield matmul("i8", order, 128, 128, 128, 3, 4)
        yield matmul("fp8e4nv", order, 128, 128, 128, 3, 4)
    sizes = ["i32:16"] * 3
    for tile in ((128, 128, 64, 3, 8), (16, 64, 128, 4, 4)):
        name = "x".join(map(str, tile[:3])) + f" s{tile[3]} w{tile[4]}"
        yield f"dequant8 {name}", "dequant8", ["*fp16:16", "*i8:16", "*fp32:16", "*fp16:16", *sizes, *tile[:3], 8], *tile[3:]
        yield (f"dequant4 {name}", "dequant4", ["*fp16:16", "*i32:16", "*fp16:16", "*fp16:16", "*fp16:16", *sizes, *tile[:3], 128, 8],
               *tile[3:])
    yield "batched 128x128x64 s3 w8", "batched", ["*fp16:16"] * 3 + sizes + [128, 128, 64, 8], 3, 8
    for kernel, d, bm, bn, stages, warps, causal in (("attention", 64, 128, 64, 3, 4, False), ("attention", 128, 128, 64, 3, 4, False),
                                                     ("attention", 128, 128, 64, 3, 8, False),
                                                     ("attention_staged", 128, 128, 64, 3, 8, True)):
        yield (f"{kernel} D{d} {bm}x{bn} s{stages} w{warps}{' causal' if causal else ''}", kernel,
               ["*fp16:16"] * 4 + ["fp32"] + ["i32:16"] * 5 + [d, bm, bn, causal], stages, warps)


def disassemble(cubin):
    return subprocess.run(["cuobjdump", "-sass", cubin], capture_output=True, text=True, check=True).stdout


def neso_sass(args, kernel, types, stages, warps, folder):
    command = [args.neso, "compile", f"{HERE}/dot_kernels.py:{kernel}", "--signature", ",".join(map(str, types)), "--target", args.target,
               "--num-stages", str(stages), "--num-warps", str(warps), "--emit", "cubin", "--stats", "-o", f"{folder}/k.cubin"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr.strip()[:200])
    registers, spilled = re.search(r"(\d+) registers, (\d+) bytes spilled", done.stderr).groups()
    return disassemble(f"{folder}/k.cubin"), int(registers), int(spilled)


def upstream_sass(kernel, types, stages, warps, folder):
    os.environ["TILE_IMPL"] = "triton"
    sys.path.insert(0, HERE)
    import dot_kernels
    import triton
    import triton.language as tl
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource
    function = getattr(dot_kernels, kernel)
    signature, constants, attributes = {}, {}, {}
    for i, (name, kind) in enumerate(zip(function.arg_names, types)):
        constant = not isinstance(kind, str) or kind == "1" or kind[0] in 't"'
        signature[name] = "constexpr" if constant else kind.replace(":16", "")
        if constant:
            constants[name] = eval(kind, {"tl": tl}) if isinstance(kind, str) else kind
        elif kind.endswith(":16"):
            attributes[(i,)] = [["tt.divisibility", 16]]
    made = triton.compile(ASTSource(function, signature=signature, constexprs=constants, attrs=attributes),
                          target=GPUTarget("cuda", 80, 32), options={"num_warps": warps, "num_stages": stages})
    with open(f"{folder}/k.ptx", "w") as file:
        file.write(made.asm["ptx"])
    told = subprocess.run(["ptxas", "-v", "-arch=sm_80", f"{folder}/k.ptx", "-o", f"{folder}/k.cubin"], capture_output=True, text=True).stderr
    return disassemble(f"{folder}/k.cubin"), int(re.search(r"Used (\d+) registers", told)[1]), int(re.search(r"(\d+) bytes spill stores", told)[1])


def loops_of(sass):
    """Instructions of each loop: from an address to the branch back to it."""
    at, code, loops = {}, [], []
    for address, text in re.findall(r"/\*([0-9a-f]{4,5})\*/\s+(?:@!?U?P\w+\s+)?(.*?)\s*;", sass):
        at[int(address, 16)] = len(code)
        code.append(text)
        back = re.match(r"BRA.*0x([0-9a-f]+)", text)
        if back and int(back[1], 16) in at:
            loops.append((at[int(back[1], 16)], len(code)))
    with_products = [(a, b) for a, b in loops if any("MMA" in c.split()[0] and c[0] != "R" for c in code[a:b])]
    inner = [(a, b) for a, b in with_products if not any((c, d) != (a, b) and a <= c and d <= b for c, d in with_products)]
    return [code[a:b] for a, b in inner]


def count(loop):
    names = [c.split()[0].split(".")[0] for c in loop]
    n = collections.Counter(names)
    products = [i for i, name in enumerate(names) if re.fullmatch("[HIQD]MMA", name)]
    barrier = names.index("BAR") if "BAR" in names else 0
    first = next((i - barrier - 1 for i in products if i > barrier), 0)
    moves = n["MOV"] + sum(c.startswith("IMAD.MOV") for c in loop)
    return (f"{len(products):4d} of {len(loop):5d}  ldsm {n['LDSM']:3d}  lds {n['LDS'] - sum('LDS RZ' in c for c in loop):3d}  copies {n['LDGSTS']:3d}  "
            f"barriers {n['BAR']}  moves {moves:3d}  to first {first:3d}  local {n['LDL'] + n['STL']:3d}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--neso", default="neso")
    parser.add_argument("--target", default="sm_90a")
    parser.add_argument("--only", default="")
    parser.add_argument("--upstream", action="store_true")
    args = parser.parse_args()
    words = [w for w in args.only.split(",") if w]
    bad = False
    for name, kernel, types, stages, warps in rows():
        if words and not any(w in name for w in words):
            continue
        try:
            with tempfile.TemporaryDirectory() as folder:
                sass, registers, spilled = (upstream_sass(kernel, types, stages, warps, folder) if args.upstream else
                                            neso_sass(args, kernel, types, stages, warps, folder))
        except Exception as error:
            print(f"{name:38s} {type(error).__name__}: {str(error)[:120]}")
            bad = True
            continue
        for i, loop in enumerate(loops_of(sass)):
            print(f"{name if not i else '':38s} registers {registers:3d} spilled {spilled:4d}  {count(loop)}", flush=True)
    return bad


if __name__ == "__main__":
    sys.exit(main())
