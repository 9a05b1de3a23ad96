# not a test: test/check/mutate.sh runs it
"""Random programs of several files, whose kernels compile: what edits are made to.

A program is a `Program`: the text of its files, the call of its kernel, and the environment. Names come
from small pools, so that one name means several things in several scopes; what a name stands for may come
by any way that Python has: definitions, imports of each kind, defaults, closures, classes, conditions,
the environment."""

import random
import re
from dataclasses import dataclass, field, replace

VALUES = ("A", "C", "K", "W")
FUNCTIONS = ("act", "f", "g", "relu")
PLAIN = ("cf", "width", "pick")
MAKERS = ("make", "build")
APPLIERS = ("apply", "through")
CLASSES = ("S", "T")
VARIABLE = "MUTATE_SCALE"
HEAD = "import os\nfrom typing import NamedTuple\nimport triton\nimport triton.language as tl\n"
# Of a leaf first: a module imports only what stands before it.
MODULES = ("m", "n", "p.q", "p")
JIT = "@triton.jit"


@dataclass(frozen=True)
class Call:
    """How the kernel is asked for. constants: texts of Python expressions, by parameter."""
    constants: tuple = ()
    num_warps: int = 4
    num_stages: int = 3
    maxnreg: int = 0
    fp_fusion: bool = True
    divisible: bool = True
    dtype: str = "fp32"


@dataclass(frozen=True)
class Program:
    files: dict = field(hash=False)
    call: Call = Call()
    environment: tuple = ()  # pairs of name and value
    after: str = ""  # a statement that runs in the module once the kernel was compiled, in the same process

    def with_file(self, path, text):
        return replace(self, files={**self.files, path: text})


def path_of(module):
    return {"p": "p/__init__.py", "p.q": "p/q.py"}.get(module, module + ".py")


def without_call(text, name):
    return re.sub(rf"(?<![\w.]){name}\(", "(", text)


class Scope:
    """What a module's names stand for, by kind: texts that an expression can have."""
    def __init__(self, module):
        self.module = module
        self.values, self.functions, self.plain = [], [], []
        self.appliers, self.modules = [], []  # helpers that are handed a function; (name here, its scope)

    def add(self, kind, text):
        known = getattr(self, kind)
        if text not in known:
            known.append(text)


class Maker:
    """One program, from one seed."""
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.scopes = {}

    # ---- pieces ----

    def chance(self, part):
        return self.random.random() < part

    def number(self):
        return self.random.choice(("0.5", "1.5", "2.0", "3.0", "4.0", "-1.0", "7.0"))

    def value(self, scope, depth=0):
        """A constant of the host, as text."""
        if scope.values and self.chance(0.7):
            return self.random.choice(scope.values)
        if scope.modules and self.chance(0.15):
            name, other = self.random.choice(scope.modules)
            members = [v for v in other.values if v.isidentifier()]
            if members:
                return f"getattr({name}, \"{self.random.choice(members)}\")"
        if scope.plain and depth < 2 and self.chance(0.3):
            return f"{self.random.choice(scope.plain)}({self.value(scope, depth + 1)})"
        return self.number()

    def tile(self, scope, v="v", depth=0):
        """An expression of the tile v."""
        way = self.random.randrange(7)
        if scope.functions and scope.appliers and way == 6 and depth < 2:
            handed = self.random.choice(scope.functions)
            return f"{self.random.choice(scope.appliers)}({self.tile(scope, v, depth + 1)}, {handed})"
        if scope.functions and way < 3 and depth < 3:
            return f"{self.random.choice(scope.functions)}({self.tile(scope, v, depth + 1)})"
        if way == 3 and depth < 2:
            return f"tl.maximum({self.tile(scope, v, depth + 1)}, {self.value(scope)})"
        sign = self.random.choice("+-*")
        return f"({v} {sign} {self.value(scope)})"

    # ---- bodies ----

    def statements(self, scope, count):
        """Of a function on v. A name of the module may be bound here as well, before or behind where it is
        read."""
        lines = []
        plain = [v for v in scope.values if v.isidentifier()]
        for _ in range(count):
            way = self.random.randrange(12)
            name = self.random.choice(plain) if plain else "A"
            if way == 0 and plain:
                lines += [f"v = v * {name}", f"{name} = {self.number()}"]
            elif way == 1 and plain:
                lines += [f"{name} = {name}", f"v = v + {name}"]
            elif way == 2 and plain:
                lines += [f"{name} += {self.number()}", f"v = v - {name}"]
            elif way == 3 and plain:
                lines += [
                    f"if {self.random.choice(plain)} == {self.number()}:", f"    {name} = {self.number()}",
                    f"v = v * {name}"
                ]
            elif way == 4:
                lines += [
                    f"for k in tl.static_range({self.random.choice((1, 2))}):", f"    v = {self.tile(scope)}"
                ]
            elif way == 5:
                lines += [
                    f"if {self.value(scope)} > 1.0:", f"    v = {self.tile(scope)}", "else:",
                    f"    v = {self.tile(scope)}"
                ]
            elif way == 6 and scope.functions:
                lines += [f"h = {self.random.choice(scope.functions)}", "v = h(v)"]
            elif way == 7 and scope.modules:
                module, other = self.random.choice(scope.modules)
                members = [f for f in other.functions if f.isidentifier()]
                lines += [f"M = {module}", f"v = M.{self.random.choice(members)}(v)"] if members else []
            elif way == 8 and scope.modules:
                _, other = self.random.choice(scope.modules)
                members = [v for v in other.values if v.isidentifier()]
                lines += [f"from {other.module} import {self.random.choice(members)} as t", "v = v * t"
                          ] if members else []
            else:
                lines.append(f"v = {self.tile(scope)}")
        return lines

    @staticmethod
    def indented(lines, by=1):
        return "".join("    " * by + line + "\n" for line in lines)

    # ---- definitions ----

    def constant(self, scope):
        name = self.random.choice(VALUES)
        way = self.random.randrange(9)
        value = self.number()
        if way == 0 and scope.values:
            text = f"{name} = tl.constexpr({self.random.choice(scope.values)})"
        elif way == 1:
            text = f"{name} = tl.constexpr(float(os.environ.get(\"{VARIABLE}\", \"{value}\")))"
        elif way == 2:
            text = f"{name} = tl.constexpr({value})\nif os.environ.get(\"{VARIABLE}\") == \"2.0\":\n    {name} = tl.constexpr({self.number()})"
        elif way == 3:
            text = f"try:\n    import absent\n    {name} = tl.constexpr({value})\nexcept ImportError:\n    {name} = tl.constexpr({self.number()})"
        elif way == 4:
            text = f"{name} = tl.constexpr({value})\n{name} = tl.constexpr({self.number()})"
        elif way == 5:
            text = f"PAIR = (tl.constexpr({value}), tl.constexpr({self.number()}))\n{name} = PAIR[{self.random.choice((0, 1))}]"
        elif way == 6:
            text = f"TABLE = {{\"a\": {value}, \"b\": {self.number()}}}\n{name} = tl.constexpr(TABLE[\"{self.random.choice('ab')}\"])"
        else:
            text = f"{name} = tl.constexpr({value})"
        scope.add("values", name)
        return text + "\n"

    def function(self, scope):
        name = self.random.choice(FUNCTIONS)
        parameters, default = "v", ""
        if self.chance(0.35):
            default = f", s: tl.constexpr = {self.value(scope)}"
        body = self.statements(scope, self.random.randint(
            0, 2)) + [f"return {self.tile(scope)}{' * s' if default else ''}"]
        # Under its own name a function would call itself for ever.
        body = [without_call(line, name) for line in body]
        decorators = self.random.choice((JIT, ) * 12 +
                                        ("@triton.jit(noinline=True)", "@triton.jit(do_not_specialize=[0])"))
        scope.add("functions", name)
        return f"{decorators}\ndef {name}({parameters}{default}):\n{self.indented(body)}"

    def rebound(self, scope):
        """What an assignment or a `del` behind a definition makes of it."""
        simple = [f for f in scope.functions if f.isidentifier()]
        if simple and self.chance(0.5):
            return f"{self.random.choice(simple)} = {self.random.choice(simple)}\n"
        values = [v for v in scope.values if v.isidentifier()]
        return f"{self.random.choice(values)} = tl.constexpr({self.number()})\n" if values else ""

    def plain_function(self, scope):
        name = self.random.choice(PLAIN)
        value = self.random.choice(scope.values + [self.number()])
        scope.add("plain", name)
        decorator = self.random.choice(("@triton.constexpr_function", "@triton.constexpr_function"))
        return f"{decorator}\ndef {name}(a, b={self.number()}):\n    return a * {self.number()} + b if a != {value} else b\n"

    def factory(self, scope):
        name = self.random.choice(MAKERS)
        one, two = self.random.sample(FUNCTIONS, 2)
        text = (
            f"def {name}(k, w=tl.constexpr({self.number()})):\n    {JIT}\n    def inner(v):\n"
            f"        return v {self.random.choice('+*')} k {self.random.choice('+-')} w\n    return inner\n\n\n"
            f"{one} = {name}(tl.constexpr({self.number()}))\n")
        scope.add("functions", one)
        if self.chance(0.6):
            text += f"{two} = {name}(tl.constexpr({self.number()}))\n"
            scope.add("functions", two)
        return text

    def applier(self, scope):
        """A helper whose argument is a function."""
        name = self.random.choice(APPLIERS)
        scope.add("appliers", name)
        return f"{JIT}\ndef {name}(v, F: tl.constexpr):\n    return F(v) {self.random.choice('+*')} {self.number()}\n"

    def table(self, scope):
        """Functions as values of the host."""
        simple = [f for f in scope.functions if f.isidentifier()]
        if len(simple) < 2:
            return self.function(scope)
        one, two = self.random.sample(simple, 2)
        name = self.random.choice(FUNCTIONS)
        scope.add("functions", name)
        return self.random.choice((
            f"ACTS = {{\"a\": {one}, \"b\": {two}}}\n{name} = ACTS[\"{self.random.choice('ab')}\"]\n",
            f"ACTS = ({one}, {two})\n{name} = ACTS[{self.random.choice((0, 1))}]\n",
            f"{name} = {one}\n",
        ))

    def wrapped(self, scope):
        """jit as a call."""
        name = self.random.choice(FUNCTIONS)
        scope.add("functions", name)
        return f"def raw(v):\n    return v {self.random.choice('+*')} {self.number()}\n\n\n{name} = triton.jit(raw)\n"

    def record(self, scope):
        name, kind = self.random.choice(("r", "t")), self.random.choice(("R", "Q"))
        value, member = self.random.choice(VALUES), self.random.choice("ab")
        scope.add("values", value)
        return (
            f"class {kind}(NamedTuple):\n    a: tl.constexpr\n    b: tl.constexpr = tl.constexpr({self.number()})\n\n\n"
            f"{name} = {kind}(tl.constexpr({self.number()}))\n{value} = tl.constexpr({name}.{member})\n")

    def klass(self, scope):
        name = self.random.choice(CLASSES)
        method = self.random.choice(FUNCTIONS)
        text = (
            f"class {name}:\n    K = tl.constexpr({self.number()})\n\n    @staticmethod\n    {JIT}\n    def {method}(v):\n"
            f"        return {self.tile(scope)}\n")
        if self.chance(0.3):
            text += f"\n\n{name}.K = tl.constexpr({self.number()})\n"
        scope.add("values", f"{name}.K")
        scope.add("functions", f"{name}.{method}")
        if self.chance(0.5):
            alias = self.random.choice(FUNCTIONS)
            text += f"\n\n{alias} = {name}.{method}\n"
            scope.add("functions", alias)
        return text

    def decorated(self, scope):
        name = self.random.choice(FUNCTIONS)
        body = without_call(self.tile(scope), name)
        scope.add("functions", name)
        return (f"def passing(fn):\n    return fn\n\n\n@passing\n{JIT}\ndef {name}(v):\n    return {body}\n")

    # ---- imports ----

    def imports(self, scope):
        known = [m for m in self.scopes if m != scope.module]
        if not known:
            return ""
        other = self.scopes[self.random.choice(known)]
        relative = scope.module == "p" and other.module == "p.q" and self.chance(0.5)
        simple = [
            n for kind in ("values", "functions", "plain") for n in getattr(other, kind) if n.isidentifier()
        ]
        ways = ["module", "as", "value"
                ] + ["from"] * 3 * bool(simple) + ["star"] * bool(simple) + ["getattr"] * bool(
                    [v for v in other.values if v.isidentifier()])
        way = self.random.choice(ways)
        place = ".q" if relative else other.module
        if way == "from":
            name = self.random.choice(simple)
            kind = next(k for k in ("values", "functions", "plain") if name in getattr(other, k))
            pool = {"values": VALUES, "functions": FUNCTIONS, "plain": PLAIN}[kind]
            alias = self.random.choice(pool) if self.chance(0.5) else name
            scope.add(kind, alias)
            return f"from {place} import {name}" + (f" as {alias}\n" if alias != name else "\n")
        if way == "star":
            for kind in ("values", "functions", "plain"):
                for name in getattr(other, kind):
                    if name.isidentifier():
                        scope.add(kind, name)
            return f"from {place} import *\n"
        if relative:
            name, text = "q", "from . import q\n"
        elif way == "as":
            name = self.random.choice(("lib", "ops"))
            text = f"import {other.module} as {name}\n"
        elif way == "value":
            name = self.random.choice(("lib", "ops"))
            text = f"import {other.module}\n{name} = {other.module}\n"
        else:
            name, text = other.module, f"import {other.module}\n"
        scope.modules.append((name, other))
        if way == "getattr":
            value = self.random.choice([v for v in other.values if v.isidentifier()])
            alias = self.random.choice(VALUES)
            text += f"{alias} = getattr({name}, \"{value}\")\n"
            scope.add("values", alias)
        for kind in ("values", "functions", "plain"):
            for member in getattr(other, kind):
                if member.count(".") < 2:
                    scope.add(kind, f"{name}.{member}")
        return text

    # ---- modules ----

    def module(self, name, definitions):
        scope = Scope(name)
        parts = []
        makers = (self.constant, self.constant, self.function, self.function, self.plain_function,
                  self.factory, self.factory, self.klass, self.klass, self.imports, self.imports,
                  self.rebound, self.rebound, self.decorated, self.applier, self.table, self.wrapped,
                  self.record)
        for _ in range(definitions):
            parts.append(self.random.choice(makers)(scope))
        self.scopes[name] = scope
        return scope, HEAD + "\n\n" + "\n\n".join(p for p in parts if p)

    def program(self):
        files = {}
        chosen = [m for m in MODULES if self.chance(0.6)]
        if "p.q" in chosen and "p" not in chosen:
            chosen.append("p")
        for name in chosen:
            _, files[path_of(name)] = self.module(name, self.random.randint(1, 4))
        scope, text = self.module("main", self.random.randint(3, 8))
        handed = [f for f in scope.functions if "." not in f]
        with_function = bool(handed) and self.chance(0.3)
        default = f", D: tl.constexpr = {self.value(scope)}" if self.chance(0.4) else ""
        body = ["i = tl.arange(0, B)", "v = tl.load(x + i)"] + self.statements(
            scope, self.random.randint(2, 5))
        if with_function:
            body.append("v = F(v)")
        if default:
            body.append("v = v * D")
        body.append("tl.store(y + i, v)")
        text += (
            f"\n\n{JIT}\ndef kernel(x, y, n, B: tl.constexpr{', F: tl.constexpr' if with_function else ''}{default}):\n"
            + self.indented(body))
        if self.chance(0.25):
            text += "\n\n" + self.rebound(scope)
        files["main.py"] = text
        constants = (("B", "64"), ) + ((("F", self.random.choice(handed)), ) if with_function else ())
        environment = ((VARIABLE, self.random.choice(("2.0", "3.0"))), ) if self.chance(0.5) else ()
        return Program(files=files, call=Call(constants=constants), environment=environment)


def simple():
    """One that every build compiles."""
    text = f"{HEAD}\n\n{JIT}\ndef kernel(x, y, n, B: tl.constexpr):\n    i = tl.arange(0, B)\n    tl.store(y + i, tl.load(x + i))\n"
    return Program(files={"main.py": text}, call=Call(constants=(("B", "64"), )))


def make(seed):
    return Maker(seed).program()


if __name__ == "__main__":
    import sys
    for path, text in make(int(sys.argv[1])).files.items():
        print(f"# ---- {path}\n{text}")
