"""Makes a folder with the faulty kernels as a program, to be run on a GPU under NVIDIA's compute-sanitizer. Not a test: started by hand.

    pack.py --build build/release FOLDER [--target sm_90a] [--only WORD]

The folder has all that sanitizers.py needs: `runner`, whose kernels `neso aot` has compiled (so nothing is compiled where it
runs, and neither Neso nor a toolkit is needed), `data.bin` with their inputs, `rows.json` with what the simulator finds of
each, and a copy of sanitizers.py. A kernel's symbol is the name of its row, as reports name kernels by it. Kernels with an
edit are there without it as well ("clean"): of those no tool should say anything.
"""
import argparse
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import faulty

HOPPER = ("boxed", "box_larger_than_the_array", "roled", "moved", "handed_on", "copied_back", "clustered", "reduces_onto_nothing",
          "first_one_stores", "stored_by_tma", "rows_overlap", "next_tile")
SIZES = {"fp32": 4, "fp16": 2, "i32": 4}


def all_rows(only, target):
    rows = [r for r in faulty.KERNELS if only in r.kernel and (target >= "sm_90" or not r.kernel.startswith(HOPPER))]
    clean = {r.kernel.split(":")[0]: r._replace(kernel=r.kernel.split(":")[0], edit=None, code="clean") for r in rows if r.edit}
    return rows + list(clean.values())


def symbol(row):
    warps = [f"__warps_{row.mode[n + 1]}" for n, m in enumerate(row.mode) if m == "--num-warps"]
    return row.kernel.replace(":", "__") + "".join(warps) + ("__clean" if row.code == "clean" else "")


def renamed(row, folder):
    """A file of kernels in which the row's has its own name."""
    kernel = row.kernel.split(":")[0]
    path = os.path.join(folder, "kernels.py")
    with open(os.path.join(faulty.HERE, "kernels.py")) as f:
        text = f.read()
    with open(path, "w") as f:
        f.write(text.replace(f"def {kernel}(", f"def {symbol(row)}("))
    return path


def options_of(row):
    options = ["--num-ctas", "--num-warps"]
    return sum(([m, row.mode[n + 1]] for n, m in enumerate(row.mode) if m in options), [])


def edited(neso, row, path, folder):
    """The stage that stands for the compiler's, as faulty.py edits it."""
    done = subprocess.run([neso, "compile", f"{path}:{symbol(row)}", "--target", row.target, "--signature", faulty.signature(row.kernel.split(":")[0],
                           row.arguments), "--emit", row.stage, *options_of(row)], capture_output=True, text=True,
                          env=dict(os.environ, NESO_CACHE_POSITION="1"))
    pattern, new, count = (*row.edit, 1)[:3]
    text, changed = re.subn(pattern, new, done.stdout, count=count)
    if not changed:
        raise SystemExit(f"{row.kernel}: the edit changes nothing\n{done.stderr}")
    override = os.path.join(folder, f"{symbol(row)}.{row.stage}")
    with open(override, "w") as f:
        f.write(text)
    return override


def compiled(neso, number, row, target, folder):
    """C of the kernel, or "" with what is said instead."""
    with tempfile.TemporaryDirectory() as own:
        path = renamed(row, own)
        env = dict(os.environ, NESO_QUIET="1")
        if row.edit:
            env["TRITON_KERNEL_OVERRIDE"] = edited(neso, row, path, own)
        if "--portable" in row.mode:
            env["NESO_PORTABLE_ORDER"] = "1"
        done = subprocess.run([neso, "aot", f"{path}:{symbol(row)}", "--target", row.target if row.edit or row.code == "clean" else target, "--signature",
                               faulty.signature(row.kernel.split(":")[0], row.arguments), "--name", f"row{number}", "--prefix", f"row{number}_",
                               "--line-info", "--ptx", "none" if row.target == target else row.target, "-o", folder, *options_of(row)], capture_output=True, text=True, env=env)
        return "" if done.returncode == 0 else done.stderr


class Data:
    """Inputs, as Neso makes them, in one file."""

    def __init__(self, neso, folder):
        self.neso, self.file, self.known = neso, open(os.path.join(folder, "data.bin"), "wb"), {}

    def place(self, spec):
        """(bytes, offset; -1: nobody writes there, -2: zeros)"""
        kind, shape, kind_of_element = spec.split(":")[:3]
        size = SIZES[kind_of_element]
        for dim in shape.split("x"):
            size *= int(dim)
        if kind in ("uninit", "zeros"):
            return size, -1 if kind == "uninit" else -2
        if spec not in self.known:
            self.known[spec] = self.file.tell()
            self.file.write(self.made(spec)[-size:])
        return size, self.known[spec]

    def made(self, spec):
        with tempfile.TemporaryDirectory() as folder:
            path, out = os.path.join(folder, "none.py"), os.path.join(folder, "x.npy")
            with open(path, "w") as f:
                f.write("import triton\n\n\n@triton.jit\ndef none(x_ptr):\n    pass\n")
            subprocess.run([self.neso, "run", f"{path}:none", "-q", "-g", "1", spec, "--out", f"x_ptr={out}"], check=True,
                           env=dict(os.environ, NESO_QUIET="1"))
            with open(out, "rb") as f:
                return f.read()


def entry(number, row, data):
    """Of the runner's table: a function that launches, and the row."""
    names = re.search(rf"def {row.kernel.split(':')[0]}\((.*?)\):", open(os.path.join(faulty.HERE, "kernels.py")).read(), re.S)[1].split(", ")
    grid = [int(n) for n in row.grid.split(",")] + [1, 1]
    arguments, arrays = [], []
    for name, value in zip(names, row.arguments):
        if "constexpr" in name:
            continue
        if ":" in value:
            arguments.append(f"(void *)p[{len(arrays)}]")
            arrays.append(data.place(value))
        else:
            arguments.append(value)
    call = f"row{number}_{symbol(row)}(NULL, {', '.join(map(str, grid[:3]))}, {', '.join(arguments)})"
    places = ", ".join(f"{{{size}, {offset}}}" for size, offset in arrays)
    return (f'#include "row{number}.h"\nstatic int run{number}(const uint64_t *p)\n{{\n\treturn {call};\n}}\n',
            f'\t{{{number}, "{symbol(row)}", run{number}, {len(arrays)}, {{{places}}}}},\n')


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--target", default="sm_90a")
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 2)
    options = parser.parse_args()
    neso = os.path.join(os.path.abspath(options.build), "neso")
    rows = all_rows(options.only, options.target)
    os.makedirs(options.folder, exist_ok=True)
    with tempfile.TemporaryDirectory() as made, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        refused = list(pool.map(lambda n: compiled(neso, n, rows[n], options.target, made), range(len(rows))))
        codes = list(pool.map(lambda r: sorted({f["code"] for f in faulty.findings(faulty.run(neso, r))}), rows))
        data = Data(neso, options.folder)
        entries = [entry(n, r, data) for n, r in enumerate(rows) if not refused[n]]
        data.file.close()
        with open(os.path.join(made, "rows.h"), "w") as f:
            f.write("".join(e[0] for e in entries) + "static const Row rows[] = {\n" + "".join(e[1] for e in entries) + "};\n")
        sources = [os.path.join(made, f"row{n}.c") for n in range(len(rows)) if not refused[n]]
        subprocess.run([os.environ.get("CC", "cc"), "-O1", "-D_DEFAULT_SOURCE", f"-I{made}", os.path.join(faulty.HERE, "runner.c"), *sources,
                        "-pthread", "-ldl", "-o", os.path.join(options.folder, "runner")], check=True)
    with open(os.path.join(options.folder, "rows.json"), "w") as f:
        json.dump([{"name": symbol(r), "fault": r.fault, "code": r.code, "edited": r.edit is not None, "simulator": c, "refused": bool(no),
                    "lines": [] if r.code == "clean" else faulty.lines_of(r.kernel.split(":")[0], r.at)}
                   for r, c, no in zip(rows, codes, refused)], f, indent=1)
    shutil.copy(os.path.join(faulty.HERE, "sanitizers.py"), options.folder)
    print(f"{len(rows)} rows, {len(entries)} of them in {options.folder}/runner")
    for row, no in zip(rows, refused):
        if no:
            print(f"{symbol(row)}: {no.strip().splitlines()[0]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
