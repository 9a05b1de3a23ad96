"""The faulty kernels on a GPU under NVIDIA's compute-sanitizer, beside what the simulator finds of them. Not a test: started by hand.

    sanitizers.py [FOLDER] [--sanitizer compute-sanitizer] [--seconds 220] [--limit 10] [--jobs 12] [--out FILE] [--tools memcheck,...]

FOLDER is what pack.py has made; it needs nothing else. Its kernels run alone and by memcheck, racecheck, initcheck and
synccheck: many in one process, as a tool takes seconds to start, and those that the simulator finds waiting for ever one by
one behind all others. A kernel that takes longer than --limit seconds, or loses the context, ends its process, and those
behind it are started again. --out (FOLDER/results.json) is written as results come. All ends after --seconds.

Prints a row for each kernel: what each tool says (errors; hung; lost: the context; - nothing; . nothing, and by its manual it
does not look at faults of this kind; ? the time was over), an `=` where an error names the faulty line, and the simulator's
codes. A `!` marks what a tool says of the kernel without its fault as well, which is no finding. The last lines count what both find and what only one does, and findings by kind of fault.
"""
import argparse
import collections
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
ALONE = "alone"
# By the manual: accesses of global memory do not race for racecheck, which looks at shared memory; initcheck looks at global memory alone.
LOOKS_AT = {"RUN_OUT_OF_BOUNDS": {"memcheck"}, "RUN_MISALIGNED": {"memcheck"}, "SIM_UNDEFINED": {"initcheck"}, "SIM_WAIT": {"racecheck"},
            "SIM_PROXY": {"racecheck"}, "SIM_MBARRIER": {"synccheck"}, "RUN_DEADLOCK": {"synccheck"}}
PLACES = ("", "/usr/local/cuda/bin", "/usr/local/cuda/extras/compute-sanitizer", "/usr/local/cuda/compute-sanitizer", "/opt/nvidia/compute-sanitizer")


def looks_at(row, tool):
    if row["code"] == "SIM_RACE":
        return tool == "racecheck" and row["edited"]
    return tool in LOOKS_AT.get(row["code"], ())


def sanitizer_of(name):
    for place in PLACES:
        found = shutil.which(name, path=place or None)
        if found:
            return found
    return None


class Results:
    """What is known of each row by each tool, in a file as it comes."""

    def __init__(self, path, rows):
        self.path, self.rows, self.lock = path, rows, threading.Lock()
        self.said = {r["name"]: {} for r in rows}

    def set(self, name, tool, word, **more):
        with self.lock:
            self.said[name][tool] = {"word": word, **more}
            with open(self.path + ".new", "w") as f:
                json.dump(self.said, f, indent=1)
            os.replace(self.path + ".new", self.path)

    def word(self, name, tool):
        """Where the kernel without its fault is reported as well, and no faulty line named: with a `!`, and it is no finding."""
        entry = self.said[name].get(tool, {})
        if entry.get("status") is not None and entry["status"] < 0:
            return "refused"
        clean = self.said.get(name.split("__")[0] + "__clean", {}).get(tool, {})
        word = entry.get("word", "?")
        same = clean.get("errors") and entry.get("first", "")[:30] == clean["first"][:30] and not name.endswith("__clean")
        return word + "!" if same and found(word) else word


def blocks_of(text):
    """A report's errors: each begins with a line that is not set in."""
    for block in re.split(r"(?m)^(?========== \S)", text):
        if block.startswith("========= ") and not re.match(r"========= (COMPUTE-SANITIZER|ERROR SUMMARY|RACECHECK SUMMARY|Target|LEAK)", block):
            yield block


def errors_of(text, names):
    """By kernel: how many errors, the first one's words, lines that they name."""
    known = re.compile(r"(?<!\w)(" + "|".join(sorted(map(re.escape, names), key=len, reverse=True)) + r")(?!\w)")
    found = {}
    for block in blocks_of(text):
        name = known.search(block)
        if name:
            entry = found.setdefault(name[1], {"errors": 0, "first": block.split("\n")[0][10:150], "lines": []})
            entry["errors"] += 1
            entry["lines"] = sorted({*entry["lines"], *map(int, re.findall(r"kernels\.py:(\d+)", block))})
    return found


class Batch:
    """Rows in one process of a tool, which is started again behind a row that ends it."""

    def __init__(self, options, results, tool, rows):
        self.options, self.results, self.tool, self.rows = options, results, tool, rows

    def command(self, numbers, log):
        runner = [os.path.join(self.options.folder, "runner"), os.path.join(self.options.folder, "data.bin"), *map(str, numbers)]
        if self.tool == ALONE:
            return runner
        more = {"memcheck": ["--destroy-on-device-error", "kernel", "--report-api-errors", "no"],
                "racecheck": ["--racecheck-deadlock-timeout", "4000"]}.get(self.tool, [])
        return [self.options.sanitizer, "--tool", self.tool, "--print-limit", "0", "--show-backtrace", "device", "--log-file", log, *more, *runner]

    def run(self):
        left = dict(self.rows)
        while left and time.monotonic() < self.options.end:
            ended = self.start(left)
            if not ended:
                break
            for number in ended:
                left.pop(number, None)

    def start(self, left):
        """The rows that are done with."""
        with tempfile.TemporaryDirectory() as folder:
            log, out = os.path.join(folder, "log"), os.path.join(folder, "out")
            with open(out, "w") as said:
                process = subprocess.Popen(self.command(left, log), stdin=subprocess.DEVNULL, stdout=said, stderr=said, start_new_session=True)
            begun, ends, hung = self.watch(process, out)
            text = open(log, errors="replace").read() if os.path.exists(log) else ""
            found = errors_of(text, [r["name"] for r in self.rows.values()])
            # A report that is cut may lack errors of rows before the one that hangs: those run again.
            done = {n for n in ends if not hung or left[n]["name"] in found or self.tool == ALONE} | ({begun} - {None})
            if not done:
                sys.stderr.write(f"{self.tool}: did not start: {open(out, errors='replace').read()[-300:]} {text[-300:]}\n")
            for number in done:
                self.note(left[number], found.get(left[number]["name"]), ends.get(number), hung)
            return done

    def watch(self, process, out):
        """The row that had begun and not ended, how the others ended, whether it was this that took too long."""
        shown, since, hung = "", time.monotonic(), False
        while process.poll() is None:
            time.sleep(0.1)
            text = open(out, errors="replace").read()
            if text != shown:
                shown, since = text, time.monotonic()
            begun = "begin" in shown
            if time.monotonic() > self.options.end or time.monotonic() - since > (self.options.limit if begun else 90):
                hung = time.monotonic() <= self.options.end
                break
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            pass  # The driver holds it; its end is not waited for.
        shown = open(out, errors="replace").read()
        ends = {int(n): (int(s), lost) for n, s, lost in re.findall(r"(?m)^end (\d+) (-?\d+)( lost)?$", shown)}
        last = re.findall(r"(?m)^begin (\d+)$", shown)
        begun = int(last[-1]) if last and int(last[-1]) not in ends else None
        return begun, ends, hung

    def note(self, row, found, end, hung):
        errors = found["errors"] if found else 0
        if end and end[0] < 0:
            word = "refused"  # the runner has no code for this GPU
        elif end is None and not errors:
            word = "hung" if hung else "lost" if time.monotonic() < self.options.end else "?"
        elif self.tool == ALONE:
            word = "-" if end and not end[0] else f"{end[0]}" if end else "hung"
        else:
            word = str(errors) if errors else "lost" if end[1] else "-"
        at = "=" if found and set(found["lines"]) & set(row["lines"]) else ""
        self.results.set(row["name"], self.tool, word + at, status=end and end[0], hung=end is None and hung, **(found or {}))


def side_by_side(batches, jobs):
    waiting = collections.deque(batches)

    def work():
        while True:
            try:
                batch = waiting.popleft()
            except IndexError:
                return
            batch.run()
    threads = [threading.Thread(target=work) for _ in range(jobs)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()


def dealt(rows, count):
    numbered = list(rows.items())
    return [dict(numbered[n::count]) for n in range(min(count, len(numbered)))]


def run_all(options, results, rows):
    here = {n: r for n, r in enumerate(rows) if not r["refused"]}
    waits = {n: r for n, r in here.items() if "RUN_DEADLOCK" in r["simulator"] and r["code"] != "clean"}
    others = {n: r for n, r in here.items() if n not in waits}
    tools = options.tools.split(",")
    parts = max(1, (options.jobs - 1) // max(1, len([t for t in tools if t != ALONE])))
    side_by_side([Batch(options, results, tool, part) for tool in tools for part in dealt(others, 1 if tool == ALONE else parts)], options.jobs)
    print(f"{options.seconds - (options.end - time.monotonic()):.0f} s: all but those that wait for ever", flush=True)
    first = [t for t in ("synccheck", "racecheck") if t in tools]
    side_by_side([Batch(options, results, tool, {n: r}) for tool in first for n, r in waits.items()], options.jobs)
    for row in waits.values():
        for tool in tools:
            if tool not in first and all(results.said[row["name"]].get(t, {}).get("hung") for t in first):
                results.set(row["name"], tool, "hung", inferred=True)
    print(f"{options.seconds - (options.end - time.monotonic()):.0f} s: all", flush=True)


def found(word):
    return word.rstrip("=").isdigit() and word != "0"


def print_table(rows, results):
    tools = (ALONE, *TOOLS)
    print(f"{'kernel':46} " + " ".join(f"{t:>9}" for t in tools) + "  simulator")
    for row in rows:
        words = [results.word(row["name"], t) for t in tools]
        shown = ["refused" if row["refused"] else "." if w == "-" and t != ALONE and row["code"] != "clean" and not looks_at(row, t) else w
                 for w, t in zip(words, tools)]
        print(f"{row['name']:46} " + " ".join(f"{s:>9}" for s in shown) + "  " + " ".join(row["simulator"] or "-"))


def counted(name, pairs):
    print(f"{name}: {pairs.count((True, True))} found by both, {pairs.count((True, False))} by it alone, "
          f"{pairs.count((False, True))} by the simulator alone, {pairs.count((False, False))} by neither")


def summary(rows, results):
    faults = [r for r in rows if r["code"] != "clean" and not r["refused"]]
    tried = [r for r in faults if any(results.word(r["name"], t) not in ("?", "refused") for t in TOOLS)]
    print(f"\n{len(tried)} of {len(faults)} faulty kernels tried")
    clean = [r for r in rows if r["code"] == "clean"]
    print(f"of {len(clean)} kernels without a fault: " + ", ".join(
        f"{t} reports {sum(found(results.word(r['name'], t)) for r in clean)}" for t in TOOLS) + f", the simulator {sum(bool(r['simulator']) for r in clean)}")
    for tool in TOOLS:
        of = [r for r in tried if results.word(r["name"], tool) != "?"]
        counted(tool, [(found(results.word(r["name"], tool)), bool(r["simulator"])) for r in of])
        print(f"    {sum(results.word(r['name'], tool).endswith('=') for r in of)} at the faulty line; "
              f"of {sum(looks_at(r, tool) for r in of)} that it looks at by its manual "
              f"{sum(looks_at(r, tool) and found(results.word(r['name'], tool)) for r in of)}")
    counted("any tool", [(any(found(results.word(r["name"], t)) for t in TOOLS), bool(r["simulator"])) for r in tried])
    kinds = collections.defaultdict(list)
    for r in tried:
        kinds[r["code"]].append([found(results.word(r["name"], t)) for t in TOOLS] + [bool(r["simulator"])])
    print(f"\n{'kind':20} {'kernels':>9} " + " ".join(f"{t:>9}" for t in TOOLS) + f" {'simulator':>9}")
    for kind, lines in kinds.items():
        print(f"{kind:20} {len(lines):>9} " + " ".join(f"{sum(column):>9}" for column in zip(*lines)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", nargs="?", default=os.path.dirname(os.path.abspath(__file__)))
    parser.add_argument("--sanitizer", default="compute-sanitizer")
    parser.add_argument("--seconds", type=float, default=220, help="for all")
    parser.add_argument("--limit", type=float, default=10, help="seconds for one kernel under one tool")
    parser.add_argument("--jobs", type=int, default=min(13, os.cpu_count() or 2))
    parser.add_argument("--out", default="")
    parser.add_argument("--tools", default=",".join((ALONE, *TOOLS)))
    parser.add_argument("--show", action="store_true", help="print the table of what --out holds")
    options = parser.parse_args()
    options.folder = os.path.abspath(options.folder)
    options.out = options.out or os.path.join(options.folder, "results.json")
    with open(os.path.join(options.folder, "rows.json")) as f:
        rows = json.load(f)
    results = Results(options.out, rows)
    if options.show:
        with open(options.out) as f:
            results.said.update(json.load(f))
    else:
        options.sanitizer = sanitizer_of(options.sanitizer)
        if not options.sanitizer:
            print("compute-sanitizer was not found: it comes with the CUDA toolkit")
            return 77
        options.end = time.monotonic() + options.seconds
        run_all(options, results, rows)
    print_table(rows, results)
    summary(rows, results)
    return 0


if __name__ == "__main__":
    sys.exit(main())
