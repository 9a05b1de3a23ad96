"""What kernels do besides making values (stores, atomics) happens when Python says so, or is refused with its line.

Each program runs as a kernel and, on a model of memory, as plain Python: both leave the same memory. Programs come from a list, and at random
from nested conditional expressions, `and`, `or`, comparisons, tuples, loops and helpers (EFFECTS_SEED=, EFFECTS_COUNT= for more of them)."""

import importlib.util
import os
import random
import sys
import tempfile
import textwrap
import unittest

os.environ.setdefault("NESO_QUIET", "1")

import numpy as np  # noqa: E402

import neso as triton  # noqa: E402
import neso.language as tl  # noqa: E402

HEADER = '''
import neso as triton
import neso.language as tl
@triton.jit
def note(o, v):
    k = tl.atomic_add(o, 1)
    tl.store(o + 1 + k, v)
@triton.jit
def put(o, v):
    note(o, v)
    return v
@triton.jit
def early(o, v):
    if v > 2:
        return v
    note(o, 77)
    return v + 1
@triton.jit
def guarded(o, v):
    v > 2 and note(o, v)
    return note(o, 50) if v > 2 else note(o, 60)
@triton.jit
def named(o, **values):
    note(o, values["x"])
    return values["y"]
@triton.jit
def apply(f, v):
    return f(v)
@triton.jit
def all_of(o, *values):
    s = 0
    for v in values:
        s += put(o, v)
    return s
'''

# ";" is a new line.
OBEYED = '''
note(o, 11) if a > 2 else note(o, 12)
put(o, 11) if a > 2 else note(o, 12)
put(o, 11) if a > 2 else None
tl.store(o + 3, a) if b > 2 else tl.store(o + 4, c)
tl.atomic_add(o, 2) if b > 2 else tl.store(o + 4, c)
x = put(o, 11) if a > 2 else put(o, 12);note(o, x)
x = (put(o, 11), put(o, 13)) if a > 2 else (put(o, 12), 19);note(o, x[1])
(note(o, 11) if a > 2 else note(o, 12)) if b > 2 else note(o, 13)
(a > 2 and note(o, 11)) if b > 2 else note(o, 13)
note(o, 13) if a > 2 and put(o, 14) > 2 else note(o, 15)
x = put(o, a) if put(o, b) > put(o, c) else put(o, 19);note(o, x)
x = 5 if a > 2 else 5;note(o, x)
x = (note(o, 11), 5)[1] if a > 2 else (note(o, 12), 5)[1];note(o, x)
a > 2 and note(o, 15)
a > 2 or note(o, 15)
b > 2 and tl.atomic_add(o, 2)
a > 2 and b > 2 and note(o, 15)
a > 2 and put(o, b) > 2 and note(o, 15)
(a > 2 and put(o, b) > 2) or note(o, 15)
a > 2 and early(o, b) > 3 and note(o, 15)
(b > 2 and tl.atomic_add(o, 2), note(o, 14))
if a > 2 and put(o, b) > 2: note(o, 15)
if a > 2 or put(o, b) > 2: note(o, 15)
if not (a > 2 or put(o, b) > 2): note(o, 15)
if a > 2 and (tl.load(o + b) > 0 or tl.load(o + 5000) == 0) and False: note(o, 15)
x = b != 2 and a // (b - 2) > 1;note(o, 16 if x else 17)
x = a < put(o, b) < put(o, c);note(o, 16 if x else 17)
x = a < put(o, b) < put(o, c) < put(o, a + 9);note(o, 16 if x else 17)
x = a > b > c;note(o, 16 if x else 17)
x = 2 < N < put(o, a) < 20;note(o, 16 if x else 17)
x = 5 < N < put(o, 17);note(o, 16 if x else 17)
N > 2 and note(o, 13)
N > 5 and note(o, 13)
N > 5 or note(o, 13)
x = 13 if N > 2 else note(o, 13);note(o, x)
x = (y := a) if b > 2 else (y := c);note(o, y);note(o, x)
y = 14;x = (y := a) if b > 2 else c;note(o, y);note(o, x)
y = 14;z = a > 2 and (y := b) > 2;note(o, y)
y = 14;z = a > 2 or (y := b) > 2 or (y := c) > 2;note(o, y)
x = (y := put(o, a)) + y;note(o, x)
if (y := a) > 2: note(o, y)
x = f"{(y := 13)}";note(o, y)
assert a > -9 or put(o, 13) > 2
assert put(o, 13) > 2
[note(o, i) for i in tl.static_range(3)]
x = [put(o, i) for i in tl.static_range(3) if i != 1];note(o, x[1])
x = [[u + v for u in (a, b)] for v in (b, c)];note(o, x[1][0])
x = [(y := v) for v in (a, b)];note(o, y)
x = sum((put(o, v) for v in (a, b, c)));note(o, x)
x = tuple(put(o, v) for v in (a, b));note(o, x[1])
x = list(map(lambda v: put(o, v), (a, b)));note(o, x[1])
t = (put(o, a), put(o, b), *(put(o, c), 17));note(o, t[3])
x, (y, *z) = put(o, 11), (put(o, 12), 13, 14);note(o, z[1])
x = {"k": put(o, 11), "l": put(o, 12)}["l"];note(o, x)
note(o, put(o, put(o, 11) + 1) + 1)
note(o=o, v=put(o, 13))
note(*(o, put(o, 13)))
note(**{"o": o, "v": put(o, 13)})
x = named(o, x=a, y=put(o, b));note(o, x)
x = all_of(o, a, b, put(o, c));note(o, x)
x = max(put(o, a), put(o, b));note(o, x)
x = a;x += (x := put(o, 13));note(o, x)
f = lambda v: note(o, v);f(a) if b > 2 else f(c)
f = lambda v: note(o, v) if v > 2 else note(o, 19);f(a)
k = 11;f = lambda v, k=k: v + k;k = 12;note(o, f(a))
k = 11;f = lambda v: v + k;k = 12;note(o, f(a))
f = lambda v=put(o, 14): v;note(o, 11);note(o, f());note(o, f())
x = (lambda v, w=2: v * w)(b);note(o, x)
f = lambda v: v + a;x = apply(f, b);note(o, x)
f = lambda v, q=a: v + q;x = apply(f, b);note(o, x)
k = a;f = lambda v: v + k;k = b;note(o, f(c));note(o, apply(f, c))
k = a;f = lambda v, q=k: v + q;k = b;note(o, f(c));note(o, apply(f, c))
k = a;f = lambda v: v + k;k = b if a > 2 else c;note(o, f(c))
k = a;f = lambda v: v + k;for i in range(a): k += i;>note(o, f(c))
x = early(o, a) + early(o, b);note(o, x)
early(o, a) if b > 2 else early(o, c)
guarded(o, a);guarded(o, c)
return note(o, 11) if a > 2 else note(o, 12)
return a > 2 and note(o, 11)
note(o, 11);return;note(o, 12)
i = 10;while (j := put(o, i)) < 13: i += 1
i = 10;j = 10;while (j := put(o, i)) < 13: i += 1;>note(o, j)
i = 10;while (j := i * 2) < 25: i += put(o, j) - j + 1;>note(o, j)
i = 0;k = 2;while (k := k * 2) < a + 16: i += k;>note(o, k + i)
i = 0;while i < 3 and put(o, i) < 2: i += 1
i = 0;while i < 3 or (j := put(o, i)) < 5: i += 1
for i in range(put(o, 2), put(o, a + 2), put(o, 2)): note(o, i)
for i in range(3, 0, -1): note(o, i)
for i in range(a): i > 2 and note(o, i)
for i in range(a): note(o, i) if i > b else None
s = 0;for i in range(a + 3): assert (s := s + i) >= 0;>note(o, s)
s = 0;for i in range(a + 3): [(s := s + j) for j in tl.static_range(2)];>note(o, s)
s = 0;for i in range(a + 3): t = {"k": (s := s + i)};>note(o, s)
s = 0;for i in range(a + 3): t = (2, *((s := s + i), 3));>note(o, s)
s = 0;for i in range(a + 3): t = (2, 3, 4)[0:(s := 3)];>note(o, s)
s = 0;for i in range(a + 3): f = lambda q=(s := s + i): q;>note(o, s)
s = 0;for i in range(a + 3): x = s if i > 2 else (s := 3);>note(o, s)
s = 0;for i in range(a + 3): x = i > 2 and (s := s + 3) > 2;>note(o, s)
d = {"k": a, "l": 2};if c > 2: d = {"k": b, "l": 2};>note(o, d["k"] + d["l"])
d = {"k": a};for i in range(2): d = {"k": d["k"] + b};>note(o, d["k"])
x = (a, 2) == (b, 2);note(o, 16 if x else 17)
x = (a, (b, 2)) != (a, (c, 2));note(o, 16 if x else 17)
x = (a, 2) == (a, 2, 3);note(o, 16 if x else 17)
'''

# Text of the message and what must not be lost.
REFUSED = {
    "has an effect, which Python would have later": (
        "x, y, z = (put(o, i) for i in tl.static_range(3))",
        "x, y = map(lambda v: put(o, v), (1, 2))",
        "x = any(put(o, i) is None for i in tl.static_range(3))",
        "for v in map(lambda v: put(o, v), (1, 2)): note(o, 3)",
        "assert a > 2, put(o, 3)",
    ),
    "that a name holds": (
        "x = (put(o, i) for i in tl.static_range(3))",
        "x = map(lambda v: put(o, v), (1, 2))",
    ),
    "whether it runs cannot depend on a": (
        "tl.arange(0, 16) > a and note(o, 3)",
        "x = tl.arange(0, 16) > a or put(o, 3) > 2",
    ),
    "must be known while compiling": (
        "x = 2 in (a, b)",
        "x = (a, b).index(b)",
        "x = (a, b, 3).count(3)",
        "x = {'k': a} == {'k': b}",
        "x = {put(o, a): 3}",
    ),
    "is a value of the function around this one": (
    ),
    "can only be assigned where the object was made": (
        "s = Box(a);if a > 2: s.x = b",
        "s = Box(a);t = s;for i in range(3): s.x = s.x + i",
        "s = Box(a);s.bump()",
    ),
    "elements of 'y' cannot be assigned": ("x, *y = (1, 2, 3);y.append(4)", ),
    "is not one kind of value": ("f = put;for i in range(a): if b > i: f = early;>else: f = put", ),
    "was deleted": ("x = 3;for i in range(a): del x;>note(o, x)", ),
}

EXTRA = '''
from neso.language.core import _aggregate as aggregate
@aggregate
class Box:
    x: tl.tensor
    def __init__(self, x):
        self.x = x
    @triton.jit
    def bump(self):
        self.x = self.x + 1
'''

VALUES = ((2, 3, 5), (3, 2, -7), (5, 7, 3), (-2, -3, 2))
N = 3
WORDS = 96


class Pointer:

    def __init__(self, memory, at=0):
        self.memory, self.at = memory, at

    def __add__(self, by):
        return Pointer(self.memory, self.at + int(by))


class Language:
    """What the programs use of the tile language, on a list."""
    range = staticmethod(range)
    static_range = staticmethod(range)
    constexpr = int

    @staticmethod
    def load(p):
        return p.memory[p.at]

    @staticmethod
    def store(p, value):
        p.memory[p.at] = int(value)

    @staticmethod
    def atomic_add(p, value):
        p.memory[p.at] += int(value)
        return p.memory[p.at] - int(value)


class Triton:

    @staticmethod
    def jit(function):
        return function


def program(line):
    """`;` ends a line, and the body of a block unless `>` follows."""
    lines, depth = [], 0
    for part in line.split(";"):
        if part.startswith(">"):
            depth, part = 0, part[1:]
        lines.append("    " * depth + part)
        if part.startswith(("for ", "while ", "if ")) and ": " in part:
            depth = 0
    return "\n".join(lines)


def kernels(programs, extra=""):
    text = HEADER + extra
    for i, body in enumerate(programs):
        text += f"\n@triton.jit\ndef kernel_{i}(o, a, b, c, N: tl.constexpr):\n" + textwrap.indent(body, "    ") + "\n"
    return text


def load(text):
    folder = tempfile.mkdtemp()
    path = os.path.join(folder, "programs.py")
    with open(path, "w") as f:
        f.write(text)
    spec = importlib.util.spec_from_file_location(f"programs_{os.path.basename(folder)}", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def by_python(text):
    names = {"triton": Triton, "tl": Language}
    exec(text.replace("import neso as triton", "").replace("import neso.language as tl", ""), names)
    return names


class Programs:
    """Random ones: an expression of a condition or a number whose evaluation leaves marks in memory."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.mark = 100

    def fresh(self):
        self.mark += 1
        return self.mark

    def number(self, depth):
        kind = self.r.randrange(9 if depth else 3)
        if kind < 2:
            return self.r.choice("abc")
        if kind == 2:
            return str(self.r.randrange(2, 9))
        if kind == 3:
            return f"put(o, {self.number(depth - 1)})"
        if kind == 4:
            return f"({self.number(depth - 1)} {self.r.choice('+-')} {self.number(depth - 1)})"
        if kind == 5:
            return f"({self.number(depth - 1)} if {self.condition(depth - 1)} else {self.number(depth - 1)})"
        if kind == 6:
            return f"early(o, {self.number(depth - 1)})"
        if kind == 7:
            return f"(note(o, {self.fresh()}), {self.number(depth - 1)})[1]"
        return f"(u := {self.number(depth - 1)})"

    def condition(self, depth):
        kind = self.r.randrange(6 if depth else 2)
        if kind < 2:
            return f"({self.number(max(depth - 1, 0))} {self.r.choice(['<', '>', '==', '!='])} {self.number(max(depth - 1, 0))})"
        if kind == 2:
            return f"(not {self.condition(depth - 1)})"
        if kind == 3:
            word = self.r.choice(["and", "or"])
            return "(" + f" {word} ".join(self.condition(depth - 1) for _ in range(self.r.randrange(2, 4))) + ")"
        if kind == 4:
            return f"({self.number(depth - 1)} < {self.number(depth - 1)} <= {self.number(depth - 1)})"
        return f"({self.condition(depth - 1)} if {self.condition(depth - 1)} else {self.condition(depth - 1)})"

    def statement(self, depth):
        depth = max(depth, 0)
        kind = self.r.randrange(8)
        if kind == 0:
            return f"note(o, {self.fresh()}) if {self.condition(depth)} else {self.r.choice(['note(o, 99)', 'None', 'put(o, 98)'])}"
        if kind == 1:
            return f"{self.condition(depth)} {self.r.choice(['and', 'or'])} note(o, {self.fresh()})"
        if kind == 2:
            return f"x = {self.number(depth)}\nnote(o, x)"
        if kind == 3:
            return f"z = {self.condition(depth)}\nnote(o, 31 if z else 32)"
        if kind == 4:
            return f"if {self.condition(depth)}:\n" + textwrap.indent(self.statement(depth - 1), "    ")
        if kind == 5:
            return f"for i in range({self.r.randrange(2, 4)}):\n    u = u + i\n" + textwrap.indent(self.statement(depth - 1), "    ")
        if kind == 6:
            return f"n = 0\nwhile n < 2 and {self.condition(depth)}:\n    n += 1\n" + textwrap.indent(self.simple(depth - 1), "    ")
        return f"assert {self.condition(depth)} or True"

    def simple(self, depth):
        return f"note(o, {self.number(max(depth, 0))})"

    def body(self):
        return "u = a\n" + "\n".join(self.statement(2) for _ in range(3)) + "\nnote(o, u)"


def engines():
    yield None
    try:
        load(HEADER + "\n@triton.jit\ndef kernel(o):\n    tl.store(o, 1)\n").kernel.warmup(np.zeros(4, np.int32), grid=(1, ), neso_target="sim:sm_80")
    except Exception as error:
        if "libneso-codegen" not in str(error):
            raise
        return
    yield "sim:sm_80"
    yield "sim:sm_90a"


class Effects(unittest.TestCase):

    def compare(self, programs):
        text = kernels(programs)
        module, python = load(text), by_python(text)
        for target in engines():
            options = {"neso_target": target, "neso_check": True} if target else {}
            for i, body in enumerate(programs):
                for values in VALUES:
                    memory, expected = np.zeros(WORDS, np.int32), [0] * WORDS
                    try:
                        python[f"kernel_{i}"](Pointer(expected), *values, N)
                    except IndexError:
                        continue  # more marks than there is room for
                    with self.subTest(program=body, values=values, target=target):
                        module.__dict__[f"kernel_{i}"][(1, )](memory, *values, N, **options)
                        self.assertEqual(memory.tolist(), expected)

    def test_obeyed(self):
        self.compare([program(line) for line in OBEYED.strip().splitlines()])

    def test_random(self):
        seed = int(os.environ.get("EFFECTS_SEED", "1"))
        self.compare([Programs(seed + i).body() for i in range(int(os.environ.get("EFFECTS_COUNT", "25")))])

    def test_refused(self):
        for message, lines in REFUSED.items():
            for line in lines:
                body = program(line).replace("if b > i: f = early", "\n        if b > i: f = early").replace("\nelse: f = put", "\n        else: f = put")
                module = load(kernels([body], EXTRA))
                with self.subTest(program=body):
                    with self.assertRaises(triton.CompilationError) as raised:
                        module.kernel_0[(1, )](np.zeros(WORDS, np.int32), *VALUES[0], N)
                    self.assertIn(message, str(raised.exception))
                    self.assertGreater(raised.exception.line, HEADER.count("\n"))


if __name__ == "__main__":
    sys.exit(unittest.main())
