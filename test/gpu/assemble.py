"""Compiles every case of compare.py to machine code, for GPUs that need not be there: ptxas must take it, and serialise no wgmma.

    python3 assemble.py --neso PATH/neso TARGET...

A target that has only examples and kernels.py compiled is written with a star: sm_86*. Prints what failed; exit status 1 then."""
import argparse
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import compare


def assemble(job):
    neso, file, kernel, signature, target = job
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run([neso, "compile", f"{file}:{kernel}", "--signature", signature, "--target", target, "--emit", "cubin",
                              "--stats", "-o", os.path.join(folder, "k.cubin")], capture_output=True, text=True)
    text = run.stderr
    if (run.returncode and compare.REFUSED not in text) or any(f"C75{i:02}" in text for i in range(100)):
        return f"{os.path.basename(file)}:{kernel} {signature} for {target}:\n{text}"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--neso", default="neso")
    parser.add_argument("targets", nargs="+")
    options = parser.parse_args()
    jobs = {}
    for file, kernel, args, *_ in compare.cases():
        few = os.path.dirname(os.path.abspath(file)) == os.path.abspath(compare.EXAMPLES) or file.endswith("kernels.py")
        for target in options.targets:
            if few or not target.endswith("*"):
                jobs[options.neso, file, kernel, compare.signature(args), target.rstrip("*")] = True
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        failed = [text for text in pool.map(assemble, jobs) if text]
    for text in failed:
        print(text)
    print(f"{len(jobs)} compiled, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
