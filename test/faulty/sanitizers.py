"""The faulty kernels on a GPU under NVIDIA's compute-sanitizer, beside what the simulator finds of them. Not a test: started by hand.

    sanitizers.py --build build/release [--sanitizer compute-sanitizer] [--seconds 300] [--limit 10] [--jobs N] [--only WORD]

Runs each kernel of faulty.py whose target the GPU has by memcheck, racecheck, initcheck and synccheck, --jobs at once, and
prints a row: what each says (errors; hung; crashed; - nothing; . nothing, and by its manual it does not look at faults of
this kind; ? the time was over) and the simulator's codes. Rows named "clean" are the same kernels without the fault: there
each tool should say nothing. Kernels that the simulator finds waiting for ever run behind all others, and under one tool
after the other until one hangs: those share the GPU. What takes longer than --limit seconds is ended with all its processes.
Others have three times as long, as a busy machine starts them slowly, and are run once more at the end. All ends after --seconds.
The last lines count: for each tool, what both find and what only one does; and findings by kind of fault.
"""
import argparse
import collections
import concurrent.futures
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import faulty

TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
# By the manual: accesses of global memory do not race for racecheck, which looks at shared memory; initcheck looks at global memory alone.
LOOKS_AT = {"RUN_OUT_OF_BOUNDS": {"memcheck"}, "RUN_MISALIGNED": {"memcheck"}, "SIM_UNDEFINED": {"initcheck"}, "SIM_WAIT": {"racecheck"},
            "SIM_PROXY": {"racecheck"}, "SIM_MBARRIER": {"synccheck"}, "RUN_DEADLOCK": {"synccheck"}}
HOPPER = ("boxed", "box_larger_than_the_array", "roled", "moved", "handed_on", "copied_back", "clustered", "reduces_onto_nothing",
          "first_one_stores", "stored_by_tma", "rows_overlap", "next_tile")


def looks_at(row, tool):
    if row.code == faulty.RACE:
        return tool == "racecheck" and row.edit is not None
    return tool in LOOKS_AT.get(row.code, ())


def errors_of(text):
    """The number of errors in a report; None where there is none."""
    found = re.search(r"ERROR SUMMARY: (\d+) error|RACECHECK SUMMARY: (\d+) hazard", text)
    return int(found[1] or found[2]) if found else None


def ended(command, env, seconds):
    """What the command writes, or None where it takes longer: then it is ended, with what it has started, which holds its pipes."""
    with tempfile.TemporaryFile("w+") as said:
        process = subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, stdout=said, stderr=said, start_new_session=True)
        try:
            process.wait(seconds)
            late = False
        except subprocess.TimeoutExpired:
            late = True
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        if late:
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                pass  # The driver holds it; its end is not waited for.
            return None
        said.seek(0)
        return said.read()


class Runs:

    def __init__(self, options, neso):
        self.options, self.neso, self.end = options, neso, time.monotonic() + options.seconds

    def sanitize(self, row, tool, limit):
        left = self.end - time.monotonic()
        if left <= 0:
            return "?"
        mode = [m for m in row.mode if m not in ("--check", "--nan", "--portable")]
        with tempfile.TemporaryDirectory() as folder:
            env = faulty.environment(self.neso, row, folder)
            if "--portable" in row.mode:
                env["NESO_PORTABLE_ORDER"] = "1"
            command = [self.options.sanitizer, "--tool", tool, "--print-limit", "3", "--report-api-errors", "no",
                       *faulty.command(self.neso, row, target="cuda", mode=mode)]
            text = ended(command, env, min(left, limit))
        if text is None:
            return "hung" if left > limit else "?"
        errors = errors_of(text)
        if errors is None:
            return "refused" if re.search(r"\berror: ", text) else "crashed"
        return str(errors) if errors else "-"

    def until_it_hangs(self, row):
        """One that hangs does so under each."""
        said = []
        for tool in TOOLS:
            said.append("hung" if "hung" in said else self.sanitize(row, tool, self.options.limit))
        return said

    def simulated(self, row):
        return sorted({f["code"] for f in faulty.findings(faulty.run(self.neso, row))})


def all_said(runs, rows, jobs):
    """For each row, what each tool says, and the simulator's codes."""
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        codes = list(pool.map(runs.simulated, rows))
        waits = [faulty.STUCK in c for c in codes]
        tasks = [(n, tool) for n, w in enumerate(waits) if not w for tool in range(len(TOOLS))]
        said = [[""] * len(TOOLS) for _ in rows]
        for (n, tool), word in zip(tasks, pool.map(lambda t: runs.sanitize(rows[t[0]], TOOLS[t[1]], 3 * runs.options.limit), tasks)):
            said[n][tool] = word
        again = [n for n, row in enumerate(said) if waits[n] or "hung" in row]
        for n, words in zip(again, pool.map(lambda n: runs.until_it_hangs(rows[n]), again)):
            said[n] = [old if old not in ("", "hung") else new for old, new in zip(said[n], words)]
    return said, codes


def clean_rows(rows):
    """Kernels with an edit, without it."""
    return list({r.kernel.split(":")[0]: r._replace(kernel=r.kernel.split(":")[0], edit=None, code="clean") for r in rows if r.edit}.values())


def found(word):
    return word.isdigit() and word != "0"


def print_table(rows, said, codes):
    print(f"{'kernel':40} " + " ".join(f"{t:>9}" for t in TOOLS) + "  simulator")
    for row, words, by_simulator in zip(rows, said, codes):
        shown = ["." if w == "-" and row.code != "clean" and not looks_at(row, t) else w for w, t in zip(words, TOOLS)]
        name = f"{row.kernel} (clean)" if row.code == "clean" else row.kernel
        print(f"{name:40} " + " ".join(f"{s:>9}" for s in shown) + "  " + " ".join(by_simulator or "-"))
    over = sum("?" in words for words in said)
    if over:
        print(f"{over} of {len(rows)}: the time was over")


def counted(name, pairs):
    print(f"{name}: {pairs.count((True, True))} found by both, {pairs.count((True, False))} by it alone, "
          f"{pairs.count((False, True))} by the simulator alone, {pairs.count((False, False))} by neither")


def summary(rows, said, codes):
    faults = [(row, words, bool(c)) for row, words, c in zip(rows, said, codes) if row.code != "clean"]
    for n, tool in enumerate(TOOLS):
        counted(tool, [(found(words[n]), c) for _, words, c in faults])
    counted("any tool", [(any(map(found, words)), c) for _, words, c in faults])
    print(f"hung under a tool: {sum('hung' in words for _, words, _ in faults)}")
    kinds = collections.defaultdict(list)
    for row, words, c in faults:
        kinds[row.code].append([found(w) for w in words] + [c])
    print(f"\n{'kind':20} {'kernels':>9} " + " ".join(f"{t:>9}" for t in TOOLS) + f" {'simulator':>9}")
    for kind, lines in kinds.items():
        print(f"{kind:20} {len(lines):>9} " + " ".join(f"{sum(column):>9}" for column in zip(*lines)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--sanitizer", default="compute-sanitizer")
    parser.add_argument("--seconds", type=float, default=300, help="for all that runs on the GPU")
    parser.add_argument("--limit", type=float, default=10, help="seconds for one kernel under one tool")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 2)
    parser.add_argument("--only", default="")
    parser.add_argument("--sm", type=int, default=90, help="of the GPU: kernels for newer ones are left out")
    options = parser.parse_args()
    if not shutil.which(options.sanitizer):
        print(f"{options.sanitizer} was not found: it comes with the CUDA toolkit")
        return 77
    neso = os.path.join(os.path.abspath(options.build), "neso")
    rows = [r for r in faulty.KERNELS if options.only in r.kernel and (options.sm >= 90 or not r.kernel.startswith(HOPPER))]
    rows += clean_rows(rows)
    said, codes = all_said(Runs(options, neso), rows, options.jobs)
    print_table(rows, said, codes)
    summary(rows, said, codes)
    return 0


if __name__ == "__main__":
    sys.exit(main())
