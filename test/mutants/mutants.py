"""Mutation testing of the simulator: faults are made in lowered kernels, and a run under its checks must notice each.

    mutants.py --build build/release [--seed N] [--sample N] [--per-kernel N] [--only WORD] [--jobs N] [--show WORD] [--log FILE]

Each kernel of KERNELS is run on the simulator with --check, which must find nothing; its TTGIR and LLIR are the
material. A mutant is one line of a stage that is deleted or changed (OPERATORS). It is killed when its run ends with
a finding, a fault, a crash or a timeout, or leaves other results than the kernel. A mutant whose PTX is that of the
kernel is none, and one that does not compile is none either. What survives is run on other inputs and in other orders:
where nothing tells it from the kernel, it may do the same (a barrier too many, a mask that is always true), and is
listed to be looked at. Prints the score by class, and each survivor with its line.

--sample N takes N mutants of each class by chance, from the seed, and is what `make check` runs. --log FILE keeps each
verdict as it comes; what is there is not run again, so that a long run may be stopped. --seconds N ends it itself.
Exit status: 0 when no class scores less than --floor says.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
BOTH, HOPPER = ("sm_80", "sm_90a"), ("sm_90a",)

# kernel, targets, inputs, options. An input is a grid and arguments: the first is the one that mutants must not survive, and so are
# those with a + in front, where one input does not run all of a kernel; survivors are run with the others, and in several orders, to tell those that change something. Sizes cut tiles where masks are, and are as
# divisible as the first input's, as the code is made for that. Results are set to what no kernel computes.
KERNELS = [
    ("product", BOTH, ["1,2 rand:30x72:fp16 rand:72x40:fp16 full:30x40:fp32:77 30 40 72 32 32 16",
                       "+ 1,1 randn:31x61:fp16 randn:61x31:fp16 full:31x31:fp32:77 31 31 61 32 32 16",
                       "1,1 randn:7x8:fp16 randn:8x6:fp16 full:7x6:fp32:77 7 6 8 32 32 16"], ""),
    ("product", HOPPER, ["1,1 rand:64x160:fp16 rand:160x64:fp16 full:64x64:fp32:77 64 64 160 64 64 32",
                         "1,1 rand:48x112:fp16 rand:112x16:fp16 full:48x16:fp32:77 48 16 112 64 64 32",
                         "2,2 randn:80x16:fp16 randn:16x96:fp16 full:80x96:fp32:77 80 96 16 64 64 32"], ""),
    ("product", HOPPER, ["1,1 rand:64x224:fp32 rand:224x32:fp32 full:64x32:fp32:77 64 32 224 64 32 32",
                         "2,1 rand:96x48:fp32 rand:48x16:fp32 full:96x16:fp32:77 96 16 48 64 32 32"], ""),
    ("product", HOPPER, ["1,1 rand:128x224:fp16 rand:224x128:fp16 full:128x128:fp32:77 128 128 224 128 128 32",
                         "1,1 rand:112x80:fp16 rand:80x96:fp16 full:112x96:fp32:77 112 96 80 128 128 32",
                         "2,1 randn:144x352:fp16 randn:352x48:fp16 full:144x48:fp32:77 144 48 352 128 128 32"], "--num-ctas 2"),
    ("boxes", HOPPER, ["1 rand:64x160:fp16 rand:160x64:fp16 full:64x64:fp32:77 160 64 32",
                       "1 rand:64x16:fp16 rand:16x64:fp16 full:64x64:fp32:77 16 64 32",
                       "1 rand:64x336:fp16 rand:336x64:fp16 full:64x64:fp32:77 336 64 32"], ""),
    ("attention", BOTH, ["3 randn:141x32:fp16:2 randn:141x32:fp16:3 randn:141x32:fp16:4 full:141x32:fp32:77 141 64 32 32",
                         "2 randn:71x32:fp16 randn:71x32:fp16:8 randn:71x32:fp16:9 full:71x32:fp32:77 71 64 32 32",
                         "1 randn:3x32:fp16:2 randn:3x32:fp16:3 randn:3x32:fp16:4 full:3x32:fp32:77 3 64 32 32"], ""),
    ("softmax", HOPPER, ["2 randn:3x201:fp32 full:3x201:fp32:77 3 201 256", "2 randn:5x130:fp32 full:5x130:fp32:77 5 130 256"], ""),
    ("columns", HOPPER, ["2 randn:71x51:fp32 full:51:fp32:77 71 51 32 32", "1 randn:3x7:fp32 full:7:fp32:77 3 7 32 32",
                         "2 randn:138x61:fp32 full:61:fp32:77 138 61 32 32"], ""),
    ("running", HOPPER, ["1 rand:601:i32 full:601:i32:77 601 256", "1 rand:1150:i32 full:1150:i32:77 1150 256", "1 rand:3:i32 full:3:i32:77 3 256"], ""),
    ("turned", BOTH, ["2,2 rand:70x70:i32 full:70x70:i32:777 70 64", "1,1 rand:34x34:i32 full:34x34:i32:777 34 64"], ""),
    ("picked", HOPPER, ["1 rand:256:i32 rand:256:i32:3 full:256:i32:777 256", "1 rand:256:i32:11 rand:256:i32:5 full:256:i32:777 256"], ""),
    ("counted", HOPPER, ["2 rand:401:i32 zeros:16:i32 401 256", "1 rand:130:i32 zeros:16:i32 130 256"], ""),
    ("shifted", HOPPER, ["1 rand:773:i32 full:1:i32:5 full:773:i32:777 773 256", "1 rand:515:i32 full:1:i32:5 full:515:i32:777 515 256",
                         "1 rand:3:i32 full:1:i32:5 full:3:i32:777 3 256"], ""),
    ("passed_on", HOPPER, ["2 rand:1024:fp32 zeros:1024:fp32 full:1024:fp32:77 512"], ""),
    ("locked", HOPPER, ["6 zeros:1:i32 zeros:256:i32 rand:1536:i32 256"], ""),
    ("last", HOPPER, ["5 rand:1280:i32 full:1280:i32:777 zeros:1:i32 full:256:i32:777 256 5"], ""),
    ("chained", HOPPER, ["4 rand:1024:i32 zeros:4:i32 full:4:i32:777 full:1024:i32:777 256"], ""),
    ("scattered", HOPPER, ["2 rand:401:i32 rand:401:i32:3 zeros:16:i32 zeros:16:i32 401 256", "1 rand:131:i32 rand:131:i32:3 zeros:16:i32 zeros:16:i32 131 256"], ""),
    ("sums", HOPPER, ["1 rand:4096:i32 full:128:i32:777"], "--num-ctas 2"),
    ("best", HOPPER, ["2 rand:17x101:i32 full:17:i32:777 full:17:i32:777 17 101 16 128", "1 rand:3x66:i32:4 full:3:i32:777 full:3:i32:777 3 66 16 128"], ""),
    ("roled", HOPPER, ["1 rand:128x224:fp16 rand:224x64:fp16 full:128x64:fp16:77 128 64 224 64 32",
                       "2 rand:192x64:fp16 rand:64x128:fp16 full:192x128:fp16:77 192 128 64 64 32",
                       "1 rand:64x32:fp16 rand:32x128:fp16 full:64x128:fp16:77 64 128 32 64 32"], ""),
    ("roled_twice", HOPPER, ["1,1 rand:112x288:fp16 rand:288x112:fp16 full:112x112:fp16:77 112 112 288 128 128 32",
                             "1,2 rand:80x32:fp16 rand:32x160:fp16 full:80x160:fp16:77 80 160 32 128 128 32"], ""),
    ("sorted_rows", HOPPER, ["2 rand:256:i32 full:256:i32:777 128", "1 randn:128:i32 full:128:i32:777 128"], ""),
]


# ---- operators: of a line's text, (class, what was done, the new line; None: deleted) ----

SYNC, WAIT, ORDER, STAGE, COUNT, ADDRESS, MASK, STORE, PREDICATE, OPERAND, SWIZZLE = (
    "barriers", "waits", "orders", "stages", "counts", "addresses", "masks", "stores", "predicates", "operands", "swizzles")
CLASSES = (SYNC, WAIT, ORDER, STAGE, COUNT, ADDRESS, MASK, STORE, PREDICATE, OPERAND, SWIZZLE)
SYNCHRONISATION = (SYNC, WAIT, ORDER, STAGE)

BARRIERS = "barrier|warp_barrier|cluster_barrier|named_barrier|named_arrive"
WAITS = (r"mbarrier_wait|cp_async_wait\.\d+|bulk_wait[.\w]*|cp_async_commit|bulk_commit|wgmma_commit|wgmma_fence|fence_async\w*"
         r"|mbarrier_arrive\w*|mbarrier_expect_tx")
OTHER_COMPARE = {"slt": "sle", "sle": "slt", "sgt": "sge", "sge": "sgt", "ult": "ule", "ule": "ult", "ugt": "uge",
                 "uge": "ugt", "eq": "ne", "ne": "eq"}
INVERTED = {"slt": "sge", "sle": "sgt", "sgt": "sle", "sge": "slt", "ult": "uge", "ule": "ugt", "ugt": "ule", "uge": "ult"}
OTHER_ORDER = (("acq_rel", "relaxed"), ("acq_rel", "acquire"), ("acq_rel", "release"), ("acquire", "relaxed"), ("release", "relaxed"))
VALUE = r"(%[\w.]+|-?[\w.+]+)"


def swapped(line, m):
    """With its groups 1 and 2 in each other's place."""
    return line[:m.start(1)] + m[2] + line[m.end(1):m.start(2)] + m[1] + line[m.end(2):]


def operands(line):
    """Of operations that are not the same the other way round."""
    of = re.search(rf" = (?:sub|fsub|fdiv|sdiv|udiv|srem|urem|shl|lshr|ashr)(?: [a-z]+)* (?:i\d+|float|half) {VALUE}, {VALUE}(?=,|\s|$)", line)
    if of and of[1] != of[2]:
        yield OPERAND, "operands swapped", re.sub(r" (nuw|nsw|exact)\b", "", swapped(line, of))
    compare = re.search(rf" = icmp (?:samesign )?(?:[su][lg][te]) (?:i\d+) {VALUE}, {VALUE}(?=,|\s|$)", line)
    if compare:
        yield OPERAND, "operands swapped", swapped(line, compare)
    choice = re.search(r" = select (?:[a-z]+ )*i1 %[\w.]+, \S+ (%[\w.]+), \S+ (%[\w.]+)(?=,|\s|$)", line)
    if choice:
        yield OPERAND, "arms swapped", swapped(line, choice)
    if re.search(r" = sub ", line):
        yield OPERAND, "sub is add", re.sub(r" = sub(?: nuw| nsw)*", " = add", line)


def inverted(line):
    compare = re.search(r" = icmp (?:samesign )?(\w+) ", line)
    if compare and compare[1] in INVERTED:
        yield PREDICATE, f"{compare[1]} is {INVERTED[compare[1]]}", line[:compare.start(1)] + INVERTED[compare[1]] + line[compare.end(1):]
    branch = re.match(r"\s+br i1 %[\w.]+, label (%[\w.]+), label (%[\w.]+)", line)
    if branch:
        yield PREDICATE, "paths swapped", swapped(line, branch)


def llir(line, _):
    if line.startswith("declare"):
        return
    yield from operands(line)
    yield from inverted(line)
    call = re.match(r"\s+(?:tail )?call void @neso\.([\w.]+)\(", line)
    if call and re.fullmatch(BARRIERS, call[1]):
        yield SYNC, "deleted", None
    if call and re.fullmatch(r"fence_(cta|gpu|sys)", call[1]):
        yield ORDER, "deleted", None
    if call and re.fullmatch(WAITS, call[1]):
        yield WAIT, "deleted", None
    if call and re.fullmatch(r"cp_async_wait\.\d+|bulk_wait(\.read)?\.\d+", call[1]):
        yield WAIT, "one more pending", re.sub(r"(wait(?:\.read)?\.)(\d+)", lambda m: m[1] + str(int(m[2]) + 1), line)
    if "@neso.wgmma_wait." in line:
        yield WAIT, "one more pending", re.sub(r"(wgmma_wait\.)(\d+)", lambda m: m[1] + str(int(m[2]) + 1), line)
    if call and call[1] == "mbarrier_wait":
        yield WAIT, "the other parity", re.sub(r", i32 ([^,)]+)\)", ", i32 0)", line)
        yield WAIT, "the other parity", re.sub(r", i32 ([^,)]+)\)", ", i32 1)", line)
    if call and call[1] in ("mbarrier_init", "mbarrier_expect_tx"):
        number = re.search(r", i32 (\d+)\)", line)
        for other in {int(number[1]) + 1, int(number[1]) * 2, int(number[1]) // 2} - {int(number[1])} if number else ():
            yield WAIT, f"{number[1]} is {other}", re.sub(r", i32 (\d+)\)", f", i32 {other})", line)
    if call and call[1].startswith(("st_global", "stmatrix", "tensor_store", "red_global", "cp_async_4", "cp_async_8",
                                    "cp_async_16", "tensor_load", "bulk_copy")):
        yield STORE, "deleted", None
    if re.match(r"\s+store ", line):
        yield STORE, "deleted", None
    if re.search(r"@neso\.(atom|red)_global", line):
        for was, now in (*OTHER_ORDER, (".gpu.", ".cta."), (".sys.", ".cta.")):
            if f".{was.strip('.')}." in line:
                yield ORDER, f"{was} is {now}", line.replace(f".{was.strip('.')}.", f".{now.strip('.')}.", 1)
    if re.search(r"@neso\.(ld_global|ld_fresh|st_global|atom_global|red_global|cp_async)", line):
        for m in re.finditer(r"i1 (%[\w.]+)", line):
            yield MASK, "always", line[:m.start(1)] + "true" + line[m.end(1):]
            yield MASK, "never", line[:m.start(1)] + "false" + line[m.end(1):]
    compare = re.search(r" = icmp (?:samesign )?(\w+) ", line)
    if compare:
        other = OTHER_COMPARE[compare[1]]
        yield PREDICATE, f"{compare[1]} is {other}", line[:compare.start(1)] + other + line[compare.end(1):]
    select = re.search(r" = select (?:[a-z]+ )*(?:<\d+ x )?i1>? (%[\w.]+|<[^>]*>), ", line)
    if select and "<" not in select[1]:
        yield PREDICATE, "the first", line[:select.start(1)] + "true" + line[select.end(1):]
        yield PREDICATE, "the second", line[:select.start(1)] + "false" + line[select.end(1):]
    branch = re.match(r"\s+br i1 (%[\w.]+), ", line)
    if branch:
        yield PREDICATE, "never taken", line[:branch.start(1)] + "false" + line[branch.end(1):]
    if re.search(r" = getelementptr ", line) and not re.search(r"@\S+, (i32|i64) 0\b", line):
        last = re.search(r", i(?:32|64) (%[\w.]+|-?\d+)(?=,? *(?:!dbg.*)?$)", line)
        if last and re.fullmatch(r"-?\d+", last[1]):
            for delta in (4, -4, 16):
                yield ADDRESS, f"{last[1]} is {int(last[1]) + delta}", line[:last.start(1)] + str(int(last[1]) + delta) + line[last.end(1):]
        elif last:
            yield ADDRESS, "no offset", line[:last.start(1)] + "0" + line[last.end(1):]
    whole = re.search(r" = (add|sub|mul|shl|lshr|and|or|xor)((?: \w+)*) i(?:32|64) (%[\w.]+), (-?\d+)(?=,|\s|$)", line)
    if whole:
        n = int(whole[4])
        others = {"and": (n >> 1, n << 1), "xor": (n << 1, 0), "or": (n << 1,), "shl": (n + 1, n - 1), "lshr": (n + 1, max(n - 1, 0))}
        for other in others.get(whole[1], (n + 1,)):
            if other != n and (whole[1] not in ("shl", "lshr") or 0 <= other < 32):
                text = re.sub(r" (nuw|nsw|exact|disjoint)\b", "", line[:whole.start(3)]) + line[whole.start(3):]
                cut = len(line) - len(text)
                kind = COUNT if whole[1] == "add" else ADDRESS
                yield kind, f"{n} is {other}", text[:whole.start(4) - cut] + str(other) + text[whole.end(4) - cut:]
    phi = re.search(r" = phi i(?:32|64) .*\[ (-?\d+), %", line)
    if phi:
        yield COUNT, f"begins at {int(phi[1]) + 1}", line[:phi.start(1)] + str(int(phi[1]) + 1) + line[phi.end(1):]


def other_stages(line, lines):
    """Of a buffer's slot: each index by which others are taken."""
    index = re.search(r"ttg\.memdesc_index %[\w#]+\[(%[\w#]+)\]", line)
    if index:
        known = sorted(set(re.findall(r"ttg\.memdesc_index %[\w#]+\[(%[\w#]+)\]", "\n".join(lines))) - {index[1]})
        for other in known:
            yield STAGE, f"slot {index[1]} is {other}", line[:index.start(1)] + other + line[index.end(1):]


def loop_bounds(line):
    loop = re.search(r"(\s+)(?:%\S+ = )?scf\.for %\S+ = (%\S+) to (%\S+) step .* : i32", line)
    for what, way in (("one more", "addi"), ("one less", "subi")) if loop else ():
        for name, group in (("bound", 3), ("start", 2)):
            new = line[:loop.start(group)] + "%mutant" + line[loop.end(group):]
            yield COUNT, f"{name} {what}", (f"{loop[1]}%mutant_one = arith.constant 1 : i32\n{loop[1]}%mutant = arith.{way} {loop[group]}, %mutant_one : i32\n"
                                           + new.lstrip("\n"))


def swizzles(line):
    """Of shared memory, whoever writes and reads it: two bases in each other's place."""
    bases = re.match(r"#shared\d* = .*offset = \[(.*)\]\}", line)
    bases = bases and re.findall(r"\[[^\]]*\]", bases[1])
    for n in range(0, len(bases or ()) - 1, 2):
        new = bases[:n] + [bases[n + 1], bases[n]] + bases[n + 2:]
        yield SWIZZLE, f"bases {n} and {n + 1} swapped", re.sub(r"offset = \[.*\]\}", lambda _: f"offset = [{', '.join(new)}]}}", line)


def ttgir(line, lines):
    yield from swizzles(line)
    yield from other_stages(line, lines)
    yield from loop_bounds(line)
    op = re.match(r"\s+(?:(%[\w.:#]+) = )?([\w.]+)", line)
    if not op:
        return
    if not op[1] and op[2] in ("gpu.barrier",):
        yield SYNC, "deleted", None
    if not op[1] and re.fullmatch(r"ttg\.async_wait|ttng\.(wait_barrier|fence_async_shared|async_tma_store_wait|barrier_expect|arrive_barrier)", op[2]):
        yield WAIT, "deleted", None
    if op[2] in ("ttg.async_wait", "ttng.warp_group_dot_wait"):
        if re.search(r"num = \d+", line):
            yield WAIT, "one more pending", re.sub(r"num = (\d+)", lambda m: f"num = {int(m[1]) + 1}", line)
        elif re.search(r"pendings = \d+", line):
            yield WAIT, "one more pending", re.sub(r"pendings = (\d+)", lambda m: f"pendings = {int(m[1]) + 1}", line)
    if op[2] == "ttng.warp_group_dot_wait" and "pendings" in line:
        yield WAIT, "one more pending", re.sub(r"pendings = (\d+)", lambda m: f"pendings = {int(m[1]) + 1}", line)
    if op[2] == "ttng.barrier_expect" and re.search(r"size = \d+", line):
        for way, shown in ((lambda n: n * 2, "twice"), (lambda n: n // 2, "half")):
            yield WAIT, f"{shown} the bytes", re.sub(r"size = (\d+)", lambda m: f"size = {way(int(m[1]))}", line)
    if op[2] in ("tt.store", "ttg.local_store", "ttng.async_tma_copy_local_to_global") and not op[1]:
        yield STORE, "deleted", None
    if op[2].startswith("tt.atomic"):
        for was, now in (*OTHER_ORDER, (", gpu,", ", cta,")):
            if re.search(rf"\b{was.strip(', ')}\b", line):
                yield ORDER, f"{was.strip(', ')} is {now.strip(', ')}", re.sub(rf"\b{was.strip(', ')}\b", now.strip(", "), line, count=1)
    box = re.search(r"ttng\.async_tma_copy_\w+ %[\w#]+\[(%[\w#]+), (%[\w#]+)\]", line)
    if box and box[1] != box[2]:
        yield ADDRESS, "coordinates swapped", swapped(line, box)
    if op[2] == "arith.subi":
        of = re.search(r"arith\.subi (%[\w#]+), (%[\w#]+)", line)
        yield OPERAND, "operands swapped", swapped(line, of)
    if op[2] == "arith.cmpi":
        compare = re.search(r"arith\.cmpi (\w+),", line)
        other = OTHER_COMPARE[compare[1]]
        yield PREDICATE, f"{compare[1]} is {other}", line[:compare.start(1)] + other + line[compare.end(1):]
    constant = re.search(r"arith\.constant (?:dense<)?(-?\d+)(?:>)? : (?:tensor<\S+xi(?:32|64)|i32|i64)", line)
    if constant:
        yield COUNT, f"{constant[1]} is {int(constant[1]) + 1}", line[:constant.start(1)] + str(int(constant[1]) + 1) + line[constant.end(1):]


OPERATORS = {"llir": llir, "ttgir": ttgir}


class Kernel:
    def __init__(self, neso, folder, row, target, checks=("--check",)):
        self.checks = checks
        self.neso, self.row, self.target = neso, row, target
        self.name = f"{row[0]}.{KERNELS.index(row)}.{target}"
        self.folder = os.path.join(folder, self.name)
        os.makedirs(self.folder)
        names = re.search(rf"def {row[0]}\((.*?)\):", open(os.path.join(HERE, "kernels.py")).read(), re.S)[1].split(",")
        words = [i.removeprefix("+ ").split() for i in row[2]]
        self.inputs = [(w[0], w[1:]) for w in words]
        self.firsts = [n for n, i in enumerate(row[2]) if n == 0 or i.startswith("+ ")]
        self.arrays = [n.strip() for n, a in zip(names, self.inputs[0][1]) if ":" in a]
        self.signature = ",".join(argument_type(n, a) for n, a in zip(names, self.inputs[0][1]))
        self.results = {}

    def emit(self, stage, override=None):
        """A stage's text; of another kernel than this one if an earlier stage is overridden."""
        env = dict(os.environ, **({"TRITON_KERNEL_OVERRIDE": override} if override else {}))
        command = [self.neso, "compile", f"{os.path.join(HERE, 'kernels.py')}:{self.row[0]}", "--target", self.target, "--signature", self.signature,
                   "--emit", stage, *self.row[3].split()]
        done = subprocess.run(command, env=env, capture_output=True, text=True, errors="replace", timeout=60)
        return done.stdout if done.returncode == 0 else done.stderr

    def run(self, folder, stage=None, which=0, more=("--check",), timeout=10):
        """The process of a run on an input, and its arrays."""
        grid, arguments = self.inputs[which]
        env = dict(os.environ, NESO_QUIET="1")
        if stage:
            env["TRITON_KERNEL_OVERRIDE"] = stage
        outs = [w for n in self.arrays for w in ("--out", f"{n}={os.path.join(folder, n)}.npy")]
        command = [self.neso, "run", f"{os.path.join(HERE, 'kernels.py')}:{self.row[0]}", "--target", f"sim:{self.target}",
                   "-q", "-g", grid, "--timeout", str(timeout), *self.row[3].split(), *more, *arguments, *outs]
        done = subprocess.run(command, env=env, capture_output=True, text=True, errors="replace", timeout=6 * timeout)
        results = {}
        for n in self.arrays:
            path = os.path.join(folder, n + ".npy")
            results[n] = open(path, "rb").read() if os.path.exists(path) else None
        return done, results

    def prepare(self):
        for which in range(len(self.inputs)):
            done, self.results[which] = self.run(self.folder, which=which)
            if done.returncode or done.stderr:
                raise SystemExit(f"{self.name}: the kernel itself is not clean:\n{done.stdout}{done.stderr}")
        self.stages = {s: self.emit(s) for s in ("ttgir", "llir", "ptx")}
        self.plain = {s: plain(t) for s, t in self.stages.items()}

    def mutants(self):
        seen = set()
        for stage, operator in OPERATORS.items():
            lines = self.stages[stage].split("\n")
            for number, line in enumerate(lines):
                for kind, what, new in operator(line, lines):
                    text = "\n".join(lines[:number] + ([] if new is None else [new]) + lines[number + 1:])
                    text = declared(text, line, new)
                    if new == line or (stage, text) in seen:
                        continue
                    seen.add((stage, text))
                    yield Mutant(self, stage, number, kind, what, line.strip(), text)


def argument_type(name, value):
    """As `neso run` takes it, for a signature."""
    if "constexpr" in name:
        return value
    if ":" in value:
        return f"*{value.split(':')[2]}:16"
    return "i32:16" if int(value) % 16 == 0 else "i32" if value != "1" else "1"


def plain(text):
    """Without locations: instructions alone."""
    text = re.sub(r"(?m)^\s*(?:\.loc|//|\.file|;).*$|, !dbg !\d+|^!.*$", "", text)
    return re.sub(r"(?s)\.section.*", "", text)


def declared(text, line, new):
    """With a declaration of the operation that the new line calls, like that of the old one's."""
    was, now = (re.search(r"@(neso\.[\w.]+)\(", l or "") for l in (line, new))
    if not now or f"@{now[1]}(" in text.replace(new, ""):
        return text
    old = re.search(rf"(?m)^declare .*@{re.escape(was[1])}\(.*$", text)
    return text + "\n" + old[0].replace(f"@{was[1]}(", f"@{now[1]}(") + "\n" if old else text


class Mutant:
    def __init__(self, kernel, stage, number, kind, what, line, text):
        self.kernel, self.stage, self.number, self.kind, self.what, self.line, self.text = kernel, stage, number, kind, what, line, text
        self.verdict, self.said = None, ""

    def __str__(self):
        return f"{self.kernel.name}.{self.stage}:{self.number + 1}: {self.kind}, {self.what}: {self.line[:160]}"

    def key(self):
        return hashlib.sha256(f"{self.kernel.name} {self.stage} {self.text}".encode()).hexdigest()[:20]

    def judge(self, folder):
        os.makedirs(folder)
        path = os.path.join(folder, f"{self.kernel.row[0]}.{self.stage}")
        with open(path, "w") as f:
            f.write(self.text)
        for which in self.kernel.firsts:
            self.verdict = self.verdict_of(folder, path, which, self.kernel.checks)
            if self.verdict != "survived":
                break
        if self.verdict == "survived":
            if plain(self.kernel.emit("ptx", path)) == self.kernel.plain["ptx"]:
                self.verdict = "equivalent"
            elif self.is_found_elsewhere(folder, path):
                self.verdict = "elsewhere"
        return self

    def verdict_of(self, folder, path, which=0, more=("--check",)):
        try:
            done, results = self.kernel.run(folder, path, which, more)
        except subprocess.TimeoutExpired:
            return "hung"
        first = re.search(r"(?:error|warning): .*", done.stderr)
        self.said = first[0] if first else ""
        if done.returncode < 0:
            self.said = f"signal {-done.returncode}"
            return "crashed"
        if done.returncode and not re.search(r"kernel '|timeout|took longer", done.stderr):
            return "invalid"
        if done.returncode or done.stderr:
            return "found"
        return "differs" if results != self.kernel.results[which] else "survived"

    def is_found_elsewhere(self, folder, path):
        """On another input, or in one of several orders."""
        for which in set(range(len(self.kernel.inputs))) - set(self.kernel.firsts):
            if self.verdict_of(folder, path, which) != "survived":
                return True
        return self.verdict_of(folder, path, 0, ("--schedules", "6")) != "survived"


def chosen(kernels, options):
    """The mutants to run: in the order of their kernels, drawn by the seed."""
    chance = random.Random(options.seed)
    out, by_class = [], {}
    for kernel in kernels:
        of_kernel = list(kernel.mutants())
        if options.per_kernel and len(of_kernel) > options.per_kernel:
            of_kernel = chance.sample(of_kernel, options.per_kernel)
        out += of_kernel
    if options.show:
        out = [m for m in out if options.show in str(m)]
    if options.sample:
        for m in out:
            by_class.setdefault(m.kind, []).append(m)
        out = [m for kind in CLASSES for m in chance.sample(by_class.get(kind, []), min(options.sample, len(by_class.get(kind, []))))]
    if options.seconds < float("inf"):
        chance.shuffle(out)
    return out


class Log:
    """Verdicts of mutants, by their keys, in a file that grows."""

    def __init__(self, path):
        self.known = {}
        self.file = open(path, "a+") if path else None
        if path:
            self.file.seek(0)
            self.known = {row["key"]: row for row in map(json.loads, self.file)}

    def recall(self, mutant):
        row = self.known.get(mutant.key())
        if row:
            mutant.verdict, mutant.said = row["verdict"], row["said"]
        return row is not None

    def keep(self, mutant):
        if self.file:
            row = {"key": mutant.key(), "verdict": mutant.verdict, "said": mutant.said, "mutant": str(mutant)}
            self.file.write(json.dumps(row) + "\n")
            self.file.flush()


def report(mutants, options):
    """made: those that compile; same: whose PTX is the kernel's; kept: those that no run tells from the kernel; late: found on other
    inputs or in other orders alone. The score is of those that change something, as far as any run tells."""
    columns = ("made", "same", "kept", "late", "found", "differ")
    print(f"{'class':<16}" + "".join(f"{c:>8}" for c in columns) + f"{'score':>9}")
    low = False
    groups = [(k, (k,)) for k in CLASSES] + [("synchronisation", SYNCHRONISATION), ("all", CLASSES)]
    for name, kinds in groups:
        of = [m for m in mutants if m.kind in kinds and m.verdict != "invalid"]
        count = {v: sum(m.verdict == v for m in of) for v in ("equivalent", "survived", "elsewhere", "found", "differs", "hung", "crashed")}
        real = len(of) - count["equivalent"] - count["survived"]
        score = 100 * (real - count["elsewhere"]) / real if real else 100
        row = (len(of), count["equivalent"], count["survived"], count["elsewhere"], count["found"] + count["hung"] + count["crashed"], count["differs"])
        print(f"{name:<16}" + "".join(f"{n:>8}" for n in row) + f"{score:>8.1f}%")
        low |= name == "synchronisation" and score < options.sync_floor or name == "all" and score < options.floor
    for m in mutants:
        if m.verdict in ("survived", "elsewhere", "crashed", "hung") or options.verbose:
            print(f"{m.verdict}: {m}" + (f"\n    {m.said[:200]}" if m.said else ""))
    invalid = sum(m.verdict == "invalid" for m in mutants)
    print(f"seed {options.seed}: {len(mutants)} mutants, {invalid} of which do not compile")
    return low or any(m.verdict == "crashed" for m in mutants)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sample", type=int, default=0, help="mutants of each class")
    parser.add_argument("--per-kernel", type=int, default=0)
    parser.add_argument("--only", default="", help="kernels whose name holds this")
    parser.add_argument("--show", default="", help="mutants whose line holds this")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 2)
    parser.add_argument("--floor", type=float, default=0)
    parser.add_argument("--sync-floor", type=float, default=0)
    parser.add_argument("--keep", default="", help="folder for the survivors' stages")
    parser.add_argument("--unchecked", action="store_true", help="run mutants without --check: what results alone tell")
    parser.add_argument("--log", default="", help="file for verdicts as they come")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="no mutant is begun later")
    parser.add_argument("--verbose", action="store_true", help="print all mutants")
    options = parser.parse_args()
    neso = os.path.join(os.path.abspath(options.build), "neso")
    folder = tempfile.mkdtemp(prefix="mutants.")
    try:
        kernels = [Kernel(neso, folder, row, target, () if options.unchecked else ("--check",)) for row in KERNELS for target in row[1]]
        kernels = [k for k in kernels if options.only in k.name]
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            list(pool.map(Kernel.prepare, kernels))
            mutants = chosen(kernels, options)
            where = [os.path.join(folder, f"mutant{n}") for n in range(len(mutants))]

            log, end = Log(options.log), time.monotonic() + options.seconds

            def judged(pair):
                if log.recall(pair[0]) or time.monotonic() > end:
                    return pair[0]
                mutant = pair[0].judge(pair[1])
                log.keep(mutant)
                if options.keep and mutant.verdict in ("survived", "crashed"):
                    os.makedirs(options.keep, exist_ok=True)
                    name = hashlib.sha256(mutant.text.encode()).hexdigest()[:10]
                    with open(os.path.join(options.keep, f"{mutant.kernel.name}.{name}.{mutant.stage}"), "w") as f:
                        f.write(mutant.text)
                shutil.rmtree(pair[1])
                return mutant
            drawn = len(mutants)
            mutants = [m for m in pool.map(judged, zip(mutants, where)) if m.verdict]
            if len(mutants) < drawn:
                print(f"the time was over: {len(mutants)} of {drawn}")
        return report(mutants, options)
    finally:
        shutil.rmtree(folder)


sys.exit(main())
