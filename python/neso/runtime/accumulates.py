"""Which arrays a kernel changes in a way that another run changes again, read off its TTIR: those that it adds to by
atomics, and those of which it stores what depends on what they held. A tuned kernel runs many times."""

import re

_NAME = re.compile(r"%[\w$.-]+(?:#\d+)?")
_RESULTS = re.compile(r"^(%[\w$.-]+)(?::(\d+))? = ")
#: Of atomics that change nothing when they are done again: maxima, minima, bits that are set, exchanges.
_AGAIN = re.compile(r"tt\.atomic_rmw (?:f?add|xor),|tt\.descriptor_reduce add")


class _Block:
    """A region that is open: what it belongs to, and the names that take what it yields."""

    def __init__(self, results, carried):
        self.results, self.carried = results, carried


class _Walk:
    """Of each value: the arrays that it points to, and those whose elements it depends on."""

    def __init__(self):
        self.points, self.depends = {}, {}
        self.added, self.changed = set(), set()

    def of(self, table, names):
        return frozenset().union(*(table.get(name, frozenset()) for name in names))

    def define(self, name, points, depends):
        self.points[name] = points
        self.depends[name] = depends

    def join(self, name, source):
        """A name has either value: that of a branch, or of the iteration before."""
        self.points[name] = self.points.get(name, frozenset()) | self.points.get(source, frozenset())
        self.depends[name] = self.depends.get(name, frozenset()) | self.depends.get(source, frozenset())

    def memory(self, text, operands):
        """Loads, stores and atomics. What the result depends on, or None: it is another op."""
        if not operands:
            return None
        reached = self.points.get(operands[0], frozenset())
        if text.startswith(("tt.load ", "tt.descriptor_load ", "tt.descriptor_gather ")):
            return reached | self.of(self.depends, operands[2:3])
        if text.startswith(("tt.atomic_rmw ", "tt.atomic_cas ", "tt.descriptor_reduce ")):
            if _AGAIN.match(text):
                self.added |= reached
            return reached
        if text.startswith("tt.store "):
            self.changed |= reached & self.of(self.depends, operands[1:2])
        elif text.startswith(("tt.descriptor_store ", "tt.descriptor_scatter ")):
            self.changed |= reached & self.of(self.depends, operands[-1:])
        return None

    def lines(self, lines, yielded):
        """yielded: what loops gave back in the pass before, by line; filled in."""
        blocks = []
        for number, line in enumerate(lines):
            text = line.strip()
            if text.startswith("}"):
                if blocks and "else" not in text:
                    blocks.pop()
                continue
            found = _RESULTS.match(text)
            results = []
            if found:
                name, count = found.groups()
                results = [f"{name}#{i}" for i in range(int(count))] if count else [name]
                text = text[found.end():]
            self.op(number, text, results, blocks, yielded)
            if text.endswith("{") and not text.startswith(("module", "tt.func")):
                blocks.append(_Block(results, self.carried(text)))

    @staticmethod
    def carried(text):
        found = re.search(r"iter_args\((.*?)\) ->", text)
        return [pair.split(" = ")[0].strip() for pair in found.group(1).split(", ")] if found else []

    def op(self, number, text, results, blocks, yielded):
        if text.startswith("tt.func"):
            for name in re.findall(r"(%[\w$.-]+): (?:!tt\.ptr|!tt\.tensordesc)", text):
                self.define(name, frozenset({name[1:]}), frozenset())
            return
        if text.startswith("scf.yield") and blocks:
            for i, source in enumerate(_NAME.findall(text.split(" : ")[0])):
                for names in (blocks[-1].results, blocks[-1].carried):
                    if i < len(names):
                        self.join(names[i], source)
                if i < len(blocks[-1].carried):
                    yielded.setdefault((len(blocks), blocks[-1].carried[i]), set()).add(
                        (self.points.get(source, frozenset()), self.depends.get(source, frozenset())))
            return
        operands = _NAME.findall(text.split(" : ")[0])
        depends = self.memory(text, operands)
        for name in results:
            if depends is not None:
                self.define(name, frozenset(), depends)
            elif text.startswith(("scf.for", "scf.if", "scf.while")):
                self.define(name, frozenset(), frozenset())
            else:
                self.define(name, self.of(self.points, operands), self.of(self.depends, operands))
        if text.startswith("scf.for"):
            for pair in re.findall(r"(%[\w$.-]+) = (%[\w$.-]+(?:#\d+)?)", text.split("iter_args", 1)[-1]):
                self.define(pair[0], self.points.get(pair[1], frozenset()), self.depends.get(pair[1], frozenset()))
                for points, depends in yielded.get((len(blocks) + 1, pair[0]), ()):
                    self.points[pair[0]] |= points
                    self.depends[pair[0]] |= depends
            for result, pair in zip(results, re.findall(r"(%[\w$.-]+) = ", text.split("iter_args", 1)[-1])):
                self.join(result, pair)  # no iteration: what it began with


def accumulated(ttir):
    """(added, changed): the arguments that atomics add to, and those of which it stores what depends on what they held."""
    walk, yielded = _Walk(), {}
    lines = ttir.splitlines()
    for _ in range(3):  # what an iteration gives to the next
        walk.lines(lines, yielded)
    return sorted(walk.added), sorted(walk.changed - walk.added)


def _quoted(names):
    return ", ".join(map(repr, names))


def advice(name, ttir, known):
    """A sentence about what `known`, the arguments that are put back or zeroed, lacks; None: nothing."""
    added, changed = ([n for n in names if n not in known] for names in accumulated(ttir))
    if not added and not changed:
        return None
    what = [f"adds to {_quoted(added)}"] if added else []
    what += [f"changes what it reads of {_quoted(changed)}"] if changed else []
    return (f"autotune: {name} {' and '.join(what)}, and each of the runs that measure does so: "
            f"reset_to_zero=[...] zeroes such an array before each, restore_value=[...] puts it back")
