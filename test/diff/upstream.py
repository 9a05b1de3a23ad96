# not a test
"""Random programs by Triton's interpreter and by Neso's: python3 test/diff/upstream.py MODE [--seed N] [--seconds N]

difftest's engines share a front end, so a fault of that is in all of their results. Triton's interpreter has none: Python
itself runs the loops, branches, tuples and classes of a kernel. MODE is one of difftest's (cycles, forms, loops, states,
rows, memory): their buffers hold small whole numbers,
mostly. Needs torch and Triton, and PYTHONPATH=BUILD/python.

What that interpreter does not have (atomics of 16 bits, assembly, functions inside of functions, indices) is replaced in
the text first; its bf16 is wrong in products, so that becomes fp16. Programs that it refuses are counted."""

import argparse
import collections
import importlib.util
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

os.environ["TRITON_INTERPRET"] = "1"
os.environ.setdefault("NESO_QUIET", "1")

import numpy as np  # noqa: E402
import torch  # noqa: E402
import triton  # noqa: E402
import triton.runtime.interpreter as upstream  # noqa: E402

import neso  # noqa: E402, F401

TYPES = {"fp16": torch.float16, "bf16": torch.float16, "fp32": torch.float32, "fp64": torch.float64,
         "fp8e5": torch.float8_e5m2, "fp8e4nv": torch.float8_e4m3fn, "i8": torch.int8, "i16": torch.int16,
         "i32": torch.int32, "i64": torch.int64, "u8": torch.uint8}
LONGEST = 60  # seconds of one program

REPLACED = (
    (r"def multiply\(acc, x, y\):\n.*\n.*out_dtype=(tl\.\w+).*\n.*\n",
     r"def multiply(acc, x, y):\n    return tl.dot(x, y, acc, out_dtype=\1)\n"),
    (r"bfloat16", "float16"),
    (r"z = tl\.inline_asm.*", "z = z + z"),
    (r"\n *(tl\.atomic_\w+\(w16.*|tl\.atomic_store\(w8.*|n \+= tl\.atomic_load\(w8.*)", ""),
    (r"\n *tl\.debug_barrier\(\)", ""),
    (r"(\n *)u\[.*", r"\1u = u + 1"),
    (r"(, )?volatile=True", ""),
)


def whole_scalars():
    """New versions of NumPy make no number of an array of one element, as Triton's interpreter asks them to."""
    patch = upstream._patch_lang_tensor

    def patched(tensor, scope):
        patch(tensor, scope)
        scope.set_attr(tensor, "__index__", lambda self: int(self.handle.data.item()))

    upstream._patch_lang_tensor = patched


def small_numbers(seed, count, low, high):
    """As fill_small of run.c."""
    steps = np.arange(1, count + 1, dtype=np.uint64)
    with np.errstate(over="ignore"):
        z = np.uint64(seed) + steps * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z = z ^ (z >> np.uint64(31))
    return low + (z % np.uint64(high - low + 1)).astype(np.int64)


def arguments(text):
    """Names, and tensors or numbers; the launch."""
    args, launch = {}, None
    for line in text.splitlines():
        words = line.split()
        if line.startswith("# launch:"):
            launch = [int(word) for word in words[2:]]
        elif line.startswith("# number:"):
            args[words[2]] = int(words[4])
        elif line.startswith("# buffer:"):
            values = torch.from_numpy(small_numbers(*map(int, (words[5], words[4], words[6], words[7]))))
            args[words[2]] = values.to(torch.float32).to(TYPES[words[3]])
    return args, launch


def load(text, folder, name):
    path = os.path.join(folder, name + ".py")
    with open(path, "w") as file:
        file.write(text)
    spec = importlib.util.spec_from_file_location(name, path)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.kernel


def run(text, folder, name):
    args, launch = arguments(text)
    kernel = load(text, folder, name)
    grid = (launch[0], launch[6] if len(launch) > 6 else 1)
    kernel[grid](*args.values(), num_warps=launch[1], num_stages=launch[2])
    return args


def compare(ours, theirs):
    """What differs, in words."""
    found = []
    for name, x in ours.items():
        if isinstance(x, int):
            continue
        x, y = x.to(torch.float64), theirs[name].to(torch.float64)
        wrong = ((x != y) & ~(x.isnan() & y.isnan())).flatten().nonzero()
        if len(wrong):
            at = int(wrong[0])
            found.append(f"{name}[{at}]: Neso {x[at]:g}, Triton {y[at]:g}; {len(wrong)} elements")
    return "; ".join(found)


def look_at(options, seed, folder, refused):
    """How it went."""
    difftest = os.path.join(options.build, "test", "difftest")
    text = subprocess.run([difftest, "--" + options.mode, "--print", str(seed)], check=True, capture_output=True,
                          text=True).stdout
    for old, new in REPLACED:
        text = re.sub(old, new, text)
    if re.search(r"(?m)^# buffer:( \S+){4}$", text):
        return "of any bits"
    ours = run(re.sub(r"import triton\b", "import neso as triton", text, count=1).replace(
        "import triton.language", "import neso.language"), folder, f"neso_{seed}")
    try:
        theirs = run(text, folder, f"triton_{seed}")
    except Exception as error:  # whatever it is: its interpreter does not have that
        refused[repr(error.__cause__ or error)[:100]] += 1
        return "refused"
    difference = compare(ours, theirs)
    if difference:
        print(f"seed {seed}: {difference}", flush=True)
    return "differs" if difference else "same"


def late(number, frame):
    raise TimeoutError(f"more than {LONGEST} s")


def main():
    parser = argparse.ArgumentParser(description="Random programs by Triton's interpreter and by Neso's.")
    parser.add_argument("mode", choices=("cycles", "forms", "loops", "states", "rows", "memory", "products"))
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=60)
    options = parser.parse_args()
    counts, refused = collections.Counter(), collections.Counter()
    until, seed = time.monotonic() + options.seconds, options.seed
    whole_scalars()
    signal.signal(signal.SIGALRM, late)
    with tempfile.TemporaryDirectory() as folder:
        while time.monotonic() < until:
            signal.alarm(LONGEST)
            counts[look_at(options, seed, folder, refused)] += 1
            seed += 1
    signal.alarm(0)
    print(f"{options.mode} from {options.seed}:", ", ".join(f"{n} {how}" for how, n in counts.items()))
    for why, n in refused.most_common(8):
        print(f"  {n} {why}")
    return counts["differs"] > 0


if __name__ == "__main__":
    sys.exit(main())
