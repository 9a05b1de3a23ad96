"""Where a loop's cycles go: what `ncu` samples of a kernel's warps, in parts between waits and products; needs no GPU.

    ncu --clock-control none --section SourceCounters --section WarpStateStats -k regex:KERNEL -o r python3 program.py
    ncu --import r.ncu-rep --page source --csv --launch-skip 0 --launch-count 1 >source.csv
    python3 bench/gpu/samples.py source.csv [--all]

A part ends with a wait (barrier, copies, products) or the last of a group of products. A row: cycles of a warp in it in each
iteration, instructions, those that are most, and what its warps stood at. Cycles of a sample are those of an instruction
that issues, whose number is known: so they do not depend on the rate of samples. The loop is what most instructions are in
that run as often; --all adds what is outside, with the instructions that take longest.
"""
import argparse
import collections
import csv

ENDS = ("DEPBAR", "SYNCS", "BAR.", "gsb0")


def opcode(text):
    words = text.split()
    return words[1 if words[0].startswith("@") else 0]


def read(path):
    """[(text, times run, samples, {reason: samples})] of the instructions in order."""
    with open(path) as file:
        lines = [row for row in csv.reader(file) if len(row) > 5]
    head = {name: at for at, name in reversed(list(enumerate(lines[0])))}
    reasons = [(name[6:], at) for name, at in head.items() if name.startswith("stall_") and "Not" not in name]
    runs, samples = head["Instructions Executed"], head["# Samples"]
    return [(row[head["Source"]].strip(), int(row[runs]), int(row[samples]), {name: int(row[at]) for name, at in reasons})
            for row in lines[1:]]


def loop_of(instructions):
    """How often the loop runs, and its instructions: the most that run about as often."""
    counts = collections.Counter(runs for _, runs, _, _ in instructions if runs)
    often = max(counts, key=lambda runs: (runs > 2 * min(counts)) * counts[runs] * (runs ** 0.5))
    return often, [at for at, one in enumerate(instructions) if abs(one[1] - often) <= often * 0.04]


def parts_of(instructions, places):
    part = []
    for at in places:
        part.append(instructions[at])
        if any(end in instructions[at][0] for end in ENDS):
            yield part
            part = []
    if part:
        yield part


def most(counts, n):
    return ", ".join(f"{name} {count:.0f}" for name, count in counts.most_common(n) if count >= 0.5)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("csv")
    parser.add_argument("--all", action="store_true")
    args = parser.parse_args()
    instructions = read(args.csv)
    issued = sum(reasons["selected"] for *_, reasons in instructions)
    cycles = sum(runs for _, runs, _, _ in instructions) / issued
    often, places = loop_of(instructions)
    total = 0
    for part in parts_of(instructions, places):
        taken, kinds, reasons = 0, collections.Counter(), collections.Counter()
        for text, _, samples, why in part:
            taken += samples * cycles / often
            kinds[opcode(text).split(".")[0]] += 1
            reasons.update({name: count * cycles / often for name, count in why.items()})
        total += taken
        print(f"{taken:7.0f} {len(part):5d} instructions to {part[-1][0][:34]:34s} [{most(kinds, 4)}] [{most(reasons, 4)}]")
    print(f"{total:7.0f} cycles of an iteration, {sum(one[2] for one in instructions) * cycles / often:.0f} with what is outside")
    outside = sorted((one for at, one in enumerate(instructions) if at not in set(places)), key=lambda one: -one[2])
    for text, runs, samples, why in outside[:12 if args.all else 0]:
        print(f"{samples * cycles / max(runs, 1):7.0f} each time, {runs} times: {text[:60]:60s} {max(why, key=why.get)}")


main()
