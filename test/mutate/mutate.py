# not a test: test/check/mutate.sh runs it
"""Random programs of several files, edited at random: what the compile cache gives must be what a
compilation without it gives.

    mutate.py [--count N] [--seconds S] [--seed N] [--jobs N] [--way c|python|command] [--keep FOLDER]
              [--floor PART] [--findings N]
    mutate.py CASE...       checks cases that were kept; status 1 where one is as it was

Each program is compiled into an empty cache, edited and compiled again, many times, by processes of their
own: by the C library, from Python, by the command. A hit is held against a compilation without the cache.
Edits that change nothing must hit. A program is compiled from C and from Python as well, which must
agree; and statements run in a Python process that has compiled the kernel already, which must obey them
or refuse. What is found is made smaller and kept in FOLDER. The seed is that of the first program."""

import argparse
import collections
import os
import random
import sys
import threading
import time
from dataclasses import replace

import case as cases
import edits
import programs
from case import DISAGREE, IN_PROCESS, MISSED, STALE, Case
from runner import Runner, same

EDITS = 16  # of a program
WAYS = ("c", "c", "c", "python", "python", "command")
SHRUNK_OF_A_KIND = 3  # so many findings of one edit and way are made smaller; the others are counted


class Report:
    """What all threads add to."""
    def __init__(self):
        self.lock = threading.Lock()
        self.count = collections.Counter()
        self.found = collections.Counter()  # by kind, way and edit
        self.shapes = set()
        self.kept = []
        self.missed = 0

    def add(self, *names):
        with self.lock:
            self.count.update(names)

    def edits(self):
        return self.count["edits"]


class Session:
    """One program: its cache, and what was compiled into it."""
    def __init__(self, runner, report, seed, way, keep):
        self.runner, self.report, self.seed, self.keep = runner, report, seed, keep
        self.random = random.Random(seed * 7919 + 1)
        self.way = way
        self.base = programs.make(seed)
        self.cache = runner.new_cache()
        self.compiled = []

    def run(self, budget):
        self.first = self.runner.ask(self.way, self.base, self.cache)
        if self.first["status"] != "ok":
            self.report.add("programs that do not compile")
            return
        self.report.add("programs")
        self.compiled.append(self.base)
        self.kept = self.runner.ask(self.way, self.base, self.cache)["how"] == "hit"
        self.report.add("programs kept" if self.kept else "programs not kept")
        self.agree(self.base, "program")
        current = self.base
        for _ in range(EDITS):
            if budget():
                return
            current = self.edit(current)
            if self.random.random() < 0.3:
                current = self.base

    # ---- edits ----

    def edit(self, program):
        """One edit, checked; gives the program that the next one is of."""
        way = self.random.random()
        if way < 0.25:
            self.nothing(self.base)
            return program
        if way < 0.32 and self.way == "python":
            self.in_process(program)
            return program
        if 0.32 <= way < 0.36:
            self.assembler(program)
            return program
        names, edited = [], program
        for _ in range(self.random.choice((1, 1, 1, 2, 3))):
            chosen = self.random.choice(edits.CHANGES)
            made = chosen(self.random, edited)
            if made:
                names.append(chosen.__name__)
                edited = made
        if not names:
            return program
        good = self.compare(edited, "+".join(sorted(set(names))))
        return edited if good else program

    def compare(self, edited, name):
        """Did it compile?"""
        self.report.add("edits", f"edit {name.split('+')[0]}")
        given = self.runner.ask(self.way, edited, self.cache)
        if given["how"] == "hit":
            self.report.add("hits")
            fresh = self.runner.ask(self.way, edited, "")
            if not same(given, fresh):
                self.found_stale(edited, name)
        elif given["status"] == "ok":
            self.report.add("misses")
            self.compiled.append(edited)
        else:
            self.report.add("errors")
        if given["status"] == "crash":
            self.found(Case("crash", self.way, edited, edited, given["message"]), name)
        if given["status"] == "ok" and self.random.random() < 0.15:
            self.agree(edited, name)
        return given["status"] == "ok"

    def nothing(self, program):
        chosen = self.random.choice(edits.NOTHING)
        edited = chosen(self.random, program)
        if not edited:
            return
        folder = f"moved-{self.random.randrange(3)}" if chosen is edits.moved else "program"
        self.report.add("edits", "edits that change nothing")
        given = self.runner.ask(self.way, edited, self.cache, folder=folder)
        # Where it is as before, nobody need be asked what it should be.
        if not same(given, self.first) and not same(given, self.runner.ask(
                self.way, edited, "", folder=folder)):
            self.found_stale(edited, chosen.__name__)
        if self.kept:
            self.report.add("nothing asked", f"nothing {chosen.__name__} asked")
            if given["how"] == "hit":
                self.report.add("nothing hit", f"nothing {chosen.__name__} hit")
            else:
                self.missed(edited, f"{chosen.__name__}, {given['status']}, {given['how']}")

    def missed(self, edited, name):
        """Told, and no fault by itself: the floor decides."""
        found = Case(MISSED, self.way, self.base, edited, f"seed {self.seed}: {name}")
        if not self.keep:
            return
        with self.report.lock:
            self.report.missed += 1
            number = self.report.missed
        if number <= SHRUNK_OF_A_KIND:
            small = cases.shrink(self.runner, found) if cases.finds(self.runner, found) else found
            with open(os.path.join(self.keep, f"missed_{self.seed}_{number}.case"), "w") as file:
                file.write(cases.write(small))

    def assembler(self, program):
        """The other one of the same version, in place of the first."""
        self.report.add("edits", "edit assembler")
        given = self.runner.ask(self.way, program, self.cache, assembler=1)
        if not same(given, self.runner.ask(self.way, program, "", assembler=1)):
            self.found(Case(STALE, self.way, program, program, "another assembler"), "assembler")

    def in_process(self, program):
        edited = edits.in_process(self.random, program)
        self.report.add("edits", "edit in process")
        given = self.runner.ask("python", edited, self.runner.new_cache(), twice=True)
        if cases.unheard(given, self.runner.ask("python", edited, "")):
            self.found(Case(IN_PROCESS, "python", edited, edited), "in process")

    def agree(self, program, name):
        """C and Python: what compiles in both is the same."""
        self.report.add("held against Python")
        if cases.disagreement(self.runner.ask("c", program, ""), self.runner.ask("python", program, "")):
            self.found(Case(DISAGREE, "c", program, program), name)

    # ---- findings ----

    def found_stale(self, edited, name):
        """Of what was compiled into the cache, the one that it was taken for."""
        for before in [self.base] + self.compiled[::-1]:
            found = Case(STALE, self.way, before, edited)
            if cases.finds(self.runner, found):
                self.found(found, name)
                return
        self.found(Case(STALE, self.way, self.base, edited, "not seen again"), name)

    def found(self, found, name):
        key = (found.kind, found.way, name.split("+")[0])
        with self.report.lock:
            self.report.found[key] += 1
            shrinks = self.report.found[key] <= SHRUNK_OF_A_KIND
        if not shrinks or found.said:
            return
        small = cases.shrink(self.runner, found)
        with self.report.lock:
            if cases.shape(small) in self.report.shapes:
                return
            self.report.shapes.add(cases.shape(small))
            number = len(self.report.kept) + 1
            path = os.path.join(self.keep,
                                f"found_{self.seed}_{number}.case") if self.keep else f"seed {self.seed}"
            self.report.kept.append(path)
        small = replace(small, said=f"seed {self.seed}: {name}")
        text = cases.write(small)
        if self.keep:
            with open(path, "w") as file:
                file.write(text)
        print(f"---- {path}\n{text}", flush=True)


# ---- the whole ----


def work(report, options, seeds, until):
    runner = Runner(options.build, options.forgetful)
    try:
        while True:
            with report.lock:
                seed = next(seeds)

            def over():
                enough = options.count and report.edits() >= options.count
                return enough or time.monotonic() > until or (options.findings
                                                              and len(report.kept) >= options.findings)

            if over():
                return
            way = options.way or WAYS[seed % len(WAYS)]
            Session(runner, report, seed, way, options.keep).run(over)
    finally:
        runner.close()


def part(count, whole):
    return f"{count} of {whole} ({100 * count / whole:.1f} %)" if whole else "none asked"


def tell(report, options, seconds):
    n = report.count
    print(
        f"seed {options.seed}: {n['edits']} edits of {n['programs']} programs in {seconds:.0f} s: {n['hits']} hits, {n['misses']} misses, "
        f"{n['errors']} that do not compile; {n['held against Python']} held against Python")
    print(f"edits that change nothing: {part(n['nothing hit'], n['nothing asked'])} hit; "
          f"{n['programs not kept']} programs are not kept at all")
    for name in sorted(k[len("nothing "):-len(" asked")] for k in n
                       if k.startswith("nothing ") and k.endswith(" asked") and len(k) > 13):
        missed = n[f"nothing {name} asked"] - n[f"nothing {name} hit"]
        if missed:
            print(f"  {name}: {missed} missed")
    for (kind, way, name), count in sorted(report.found.items()):
        print(f"  {kind}, {way}, {name}: {count}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cases", nargs="*")
    parser.add_argument("--build", default=os.environ.get("NESO_BUILD", "build/release"))
    parser.add_argument("--count", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--way", choices=sorted(set(WAYS)))
    parser.add_argument("--keep")
    parser.add_argument("--findings", type=int, default=0, help="so many are enough")
    parser.add_argument("--forgetful",
                        action="store_true",
                        help="as with a cache that is wrong: the test of this test")
    parser.add_argument("--floor", type=float, default=0.99)
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    if options.keep:
        os.makedirs(options.keep, exist_ok=True)
    why = check_ways(options)
    if why:
        print(why)
        return 2
    if options.cases:
        return check_cases(options)
    report, began = Report(), time.monotonic()
    until = began + (options.seconds or (3600 if options.count else 60))
    numbers = iter(range(options.seed, sys.maxsize))
    threads = [
        threading.Thread(target=work, args=(report, options, numbers, until)) for _ in range(options.jobs)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    tell(report, options, time.monotonic() - began)
    asked, hit = report.count["nothing asked"], report.count["nothing hit"]
    if asked and hit / asked < options.floor:
        print(f"fewer hits than {100 * options.floor:.0f} % after edits that change nothing")
        return 1
    if not report.count["programs"]:
        print("no program was compiled")
        return 1
    return 1 if report.found else 0


def check_ways(options):
    """A build that compiles nothing finds nothing. None: it compiles."""
    runner = Runner(options.build)
    try:
        for way in sorted(set(WAYS)):
            answer = runner.ask(way, programs.simple(), "")
            if answer["status"] != "ok":
                return f"{way}: {answer['message']}"
    finally:
        runner.close()


def check_cases(options):
    runner, bad = Runner(options.build), 0
    try:
        for path in options.cases:
            with open(path) as file:
                found = cases.read(file.read())
            if runner.ask("python", found.before, "")["status"] != "ok":
                print(f"{path}: its program does not compile")
                bad = 1
            elif cases.finds(runner, found):
                print(f"{path}: {found.said}")
                bad = 1
    finally:
        runner.close()
    return bad


if __name__ == "__main__":
    sys.exit(main())
