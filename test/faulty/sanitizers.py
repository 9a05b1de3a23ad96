"""The faulty kernels on a GPU under NVIDIA's compute-sanitizer, beside what the simulator finds of them. Not a test: started by hand.

    sanitizers.py --build build/release [--sanitizer compute-sanitizer] [--seconds 300] [--only WORD]

Runs each kernel of faulty.py whose target the GPU has by memcheck, racecheck, initcheck and synccheck, and prints a row:
what each says (errors, hung, crashed, - nothing) and the simulator's codes. A kernel that waits for ever is ended after 10
seconds; the whole after --seconds. racecheck looks at shared memory alone, initcheck at memory that the driver has seen
written, which arrays copied from the host are: rows say so where a tool cannot see the fault. A last line counts, for each
tool, what both find and what only one does.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import faulty

TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
HOPPER = ("boxed", "box_larger_than_the_array")


def said_by(text):
    """The number of errors in a report; None where there is none."""
    found = re.search(r"ERROR SUMMARY: (\d+) error|RACECHECK SUMMARY: (\d+) hazard", text)
    return int(found[1] or found[2]) if found else None


def sanitize(options, neso, row, tool):
    mode = [m for m in row.mode if m not in ("--check", "--nan", "--portable")]
    with tempfile.TemporaryDirectory() as folder:
        env = faulty.environment(neso, row, folder)
        if "--portable" in row.mode:
            env["NESO_PORTABLE_ORDER"] = "1"
        command = [options.sanitizer, "--tool", tool, "--print-limit", "3", *faulty.command(neso, row, target="cuda", mode=mode)]
        try:
            done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=10)
        except subprocess.TimeoutExpired:
            return "hung"
    errors = said_by(done.stdout + done.stderr)
    if errors is None:
        return "refused" if re.search(r"\berror: ", done.stderr) else "crashed"
    return str(errors) if errors else "-"


def simulated(neso, row):
    done = faulty.run(neso, row)
    return sorted({f["code"] for f in faulty.findings(done)})


def by_all_tools(options, neso, row):
    """One that hangs does so under each."""
    said = []
    for tool in TOOLS:
        said.append("hung" if "hung" in said else sanitize(options, neso, row, tool))
    return said


def table(options, neso, rows):
    end, seen = time.monotonic() + options.seconds, []
    print(f"{'kernel':40} " + " ".join(f"{t:>9}" for t in TOOLS) + "  simulator")
    for row in rows:
        if time.monotonic() > end:
            print(f"{len(seen)} of {len(rows)} in {options.seconds} s: the rest did not run")
            break
        said = by_all_tools(options, neso, row)
        codes = simulated(neso, row)
        seen.append((said, codes))
        print(f"{row.kernel:40} " + " ".join(f"{s:>9}" for s in said) + "  " + " ".join(codes or "-"), flush=True)
    return seen


def summary(seen):
    for n, tool in enumerate(TOOLS):
        here = [(said[n] not in ("-", "refused"), bool(codes)) for said, codes in seen]
        print(f"{tool}: {here.count((True, True))} found by both, {here.count((True, False))} by it alone, "
              f"{here.count((False, True))} by the simulator alone, {here.count((False, False))} by neither")
    one = [(any(s not in ("-", "refused") for s in said), bool(codes)) for said, codes in seen]
    print(f"any tool: {one.count((True, True))} found by both, {one.count((True, False))} by it alone, "
          f"{one.count((False, True))} by the simulator alone, {one.count((False, False))} by neither")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--sanitizer", default="compute-sanitizer")
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--only", default="")
    parser.add_argument("--sm", type=int, default=90, help="of the GPU: kernels for newer ones are left out")
    options = parser.parse_args()
    if not shutil.which(options.sanitizer):
        print(f"{options.sanitizer} was not found: it comes with the CUDA toolkit")
        return 77
    neso = os.path.join(os.path.abspath(options.build), "neso")
    rows = [r for r in faulty.KERNELS if options.only in r.kernel and (options.sm >= 90 or not r.kernel.startswith(HOPPER))]
    summary(table(options, neso, rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
