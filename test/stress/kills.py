"""Compiles that are killed at random moments: no process, no temporary file and no lock may be left.

    python3 test/stress/kills.py --build build/release --count 1000

Each compile runs with folders of its own for the compile cache, temporaries and home, and with a mark in its
environment by which it and all that it starts are found in /proc. After a moment between 0 and somewhat more than a
whole compile takes, it is ended: by SIGINT, SIGTERM, SIGHUP or SIGKILL, or by the end of its parent. Then nothing
with the mark may run, no temporary may lie anywhere, no lock may be held, and the cache that it leaves must serve:
from time to time a compile with it is let through to the end.
"""

import argparse
import glob
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor

KERNEL = '''import triton
import triton.language as tl


@triton.jit
def product(a, b, c, K, M: tl.constexpr, N: tl.constexpr, B: tl.constexpr):
    m = tl.arange(0, M)
    n = tl.arange(0, N)
    k = tl.arange(0, B)
    acc = tl.zeros((M, N), tl.float32)
    for i in range(0, K, B):
        x = tl.load(a + m[:, None] * K + (i + k)[None, :])
        y = tl.load(b + (i + k)[:, None] * N + n[None, :])
        acc = tl.dot(x, y, acc)
    tl.store(c + m[:, None] * N + n[None, :], acc)
'''
PROGRAM = '''import sys
sys.path.insert(0, sys.argv[1])
import neso
import neso.language as tl
from product import product

for size in (128, 256):
    pointers = [neso.MockTensor(t) for t in (tl.float16, tl.float16, tl.float32)]
    product.warmup(*pointers, 1024, M=size, N=128, B=64, grid=(1, ), neso_target="sm_80")
'''
WAYS = ("command", "batch", "python")
ENDS = ("INT", "TERM", "HUP", "KILL", "PARENT")
PATIENCE = 60  # seconds until a process that goes on is called one that is left


def command_of(way, neso, folder, python):
    product = f"{folder}/product.py:product"
    signature = "*fp16:16,*fp16:16,*fp32:16,i32:16,%s,128,64"
    if way == "python":
        return [python, f"{folder}/program.py", folder]
    if way == "batch":
        return [neso, "compile", product, "-s", signature % "{64,128,256}", "--target", "sm_80", "-j", "2"]
    return [neso, "compile", product, "-s", signature % "256", "--target", "sm_80", "--emit", "cubin", "-o", "/dev/null"]


class Place:
    """What one compile may write, and its environment."""

    def __init__(self, build, python_path, base, number):
        self.folder = os.path.join(base, str(number))
        self.mark = f"NESO_KILLED_COMPILE={os.getpid()}.{number}"
        for name in ("tmp", "home", "cache"):
            os.makedirs(os.path.join(self.folder, name))
        name, value = self.mark.split("=")
        self.environment = {
            **os.environ, name: value, "TMPDIR": f"{self.folder}/tmp", "HOME": f"{self.folder}/home",
            "TRITON_CACHE_DIR": f"{self.folder}/cache", "PYTHONPATH": python_path, "NESO_QUIET": "1",
            "PYTHONDONTWRITEBYTECODE": "1", "PATH": f"{build}:{os.environ['PATH']}"
        }

    def processes(self):
        found = []
        for entry in os.listdir("/proc"):
            if entry.isdigit():
                try:
                    with open(f"/proc/{entry}/environ", "rb") as file:
                        if self.mark.encode() in file.read().split(b"\0"):
                            with open(f"/proc/{entry}/cmdline", "rb") as line:
                                found.append((int(entry), line.read().replace(b"\0", b" ").decode(errors="replace")))
                except OSError:
                    pass
        return [p for p in found if p[1]]  # a zombie has no command line

    def locks(self):
        """Locks that are held on files below the folder."""
        numbers = {os.stat(path).st_ino for path in glob.glob(f"{self.folder}/**/*", recursive=True)}
        held = []
        with open("/proc/locks") as file:
            for line in file:
                words = line.split()
                if "->" not in words and int(words[5].rsplit(":", 1)[1]) in numbers:
                    held.append(line.strip())
        return held

    def litter(self):
        found = glob.glob(f"{self.folder}/tmp/**/*", recursive=True) + glob.glob(f"{self.folder}/home/**/*", recursive=True)
        return found + glob.glob(f"{self.folder}/cache/neso-1/tmp/*") + glob.glob(f"{self.folder}/cache/neso-1/lock/*")


def start(way, end, place, run):
    """The process to be ended: the compile, or its parent."""
    command = command_of(way, run.neso, run.sources, run.python)
    if end == "PARENT":
        command = [run.python, "-S", "-c", "import subprocess, sys; subprocess.call(sys.argv[1:])", *command]
    return subprocess.Popen(command, env=place.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL)


def wait_until_gone(place):
    until = time.monotonic() + PATIENCE
    while (left := place.processes()) and time.monotonic() < until:
        time.sleep(0.01)
    return left


def assembles(place):
    return any("ptxas" in line for _, line in place.processes())


class Run:

    def __init__(self, options, folder):
        self.neso = os.path.abspath(f"{options.build}/neso")
        self.python = options.python
        self.build = os.path.abspath(options.build)
        self.python_path = os.path.abspath(f"{options.build}/python")
        self.folder, self.sources = folder, f"{folder}/sources"
        self.lock = threading.Lock()
        self.assembling = self.after_end = 0
        os.makedirs(self.sources)
        for name, text in (("product.py", KERNEL.replace("import triton\nimport triton.l", "import neso as triton\nimport neso.l")),
                           ("program.py", PROGRAM)):
            with open(f"{self.sources}/{name}", "w") as file:
                file.write(text)

    def place(self, number):
        return Place(self.build, self.python_path, self.folder, number)

    def whole(self, way, number):
        """Seconds that a compile takes that nobody ends."""
        place = self.place(number)
        began = time.monotonic()
        status = start(way, "", place, self).wait()
        assert status == 0, f"a compile by {way} that nobody ends has status {status}"
        seconds = time.monotonic() - began
        shutil.rmtree(place.folder)
        return seconds

    def ends_with_its_parent(self, way):
        """With an assembler that works for an hour: both end when the process does that waits for the compile."""
        assembler = f"{self.folder}/ptxas"
        with open(assembler, "w") as file:
            file.write("#!/bin/sh\ncase $1 in --version) echo 'Cuda compilation tools, release 13.0, V13.0.88'; exit;; esac\n"
                       "exec sleep 3600\n")
        os.chmod(assembler, 0o755)
        place = self.place(f"parent-{way}")
        place.environment["TRITON_PTXAS_PATH"] = assembler
        process = start(way, "PARENT", place, self)
        until = time.monotonic() + PATIENCE
        while not any("sleep" in line for _, line in place.processes()) and time.monotonic() < until:
            time.sleep(0.01)
        process.kill()
        process.wait()
        left = wait_until_gone(place)
        for process_id, _ in left:
            os.kill(process_id, signal.SIGKILL)
        shutil.rmtree(place.folder)
        return [f"{way} outlives its parent: {line}" for _, line in left]

    def kill(self, number, way, end, moment, again):
        place = self.place(number)
        process = start(way, end, place, self)
        time.sleep(moment)
        assembling = assembles(place)
        ended_before = process.poll() is not None
        if not ended_before:
            process.send_signal(signal.SIGKILL if end == "PARENT" else getattr(signal, "SIG" + end))
        wrong = []
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            wrong.append("it goes on")
        wrong += [f"process left: {line}" for _, line in wait_until_gone(place)]
        wrong += [f"lock left: {lock}" for lock in place.locks()]
        wrong += [f"file left: {path}" for path in place.litter()]
        if not wrong and again and start(way, "", place, self).wait() != 0:
            wrong.append("a compile with its cache fails")
        for process_id, _ in place.processes():
            os.kill(process_id, signal.SIGKILL)
        shutil.rmtree(place.folder)
        with self.lock:
            self.assembling += assembling
            self.after_end += ended_before
        return [f"{way}, {end} after {moment:.3f} s: {what}" for what in wrong]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--build", required=True)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--ways", default=",".join(WAYS))
    options = parser.parse_args()
    chance = random.Random(options.seed)
    ways = options.ways.split(",")
    with tempfile.TemporaryDirectory(prefix="neso-kills-") as folder, ThreadPoolExecutor(options.jobs) as pool:
        run = Run(options, folder)
        whole = {way: max(run.whole(way, f"{way}{i}") for i in range(2)) for way in ways}
        plan = [(n, ways[n % len(ways)], ENDS[n // len(ways) % len(ENDS)]) for n in range(options.count)]
        wrong = [line for way in ways if way != "python" for line in run.ends_with_its_parent(way)]
        results = [pool.submit(run.kill, n, way, end, chance.uniform(0, whole[way] * 1.1), n % 10 == 0)
                   for n, way, end in plan]
        for result in results:
            wrong += result.result()
    for line in wrong:
        print(line)
    print(f"{options.count} compiles killed ({', '.join(ways)}; {', '.join(ENDS)}), {run.assembling} while the assembler "
          f"ran, {run.after_end} after their end: {len(wrong)} leftovers")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
