# not a test: test/check/mutate.sh runs it
"""Edits of programs (programs.py): those that may change what is compiled, and those that change nothing.

Each takes a source of chance and a program, and gives another one, or None where it has nothing to do.
They know nothing of what the program means: whether an edit changed anything, a compilation without the
cache says. So they are few and blind, and their combinations reach what nobody wrote down."""

import ast
import re
from dataclasses import replace

from programs import APPLIERS, CLASSES, FUNCTIONS, HEAD, JIT, MAKERS, PLAIN, VALUES, VARIABLE, path_of

NUMBERS = ("0.25", "1.5", "2.0", "3.0", "5.0", "-1.0", "9.0")
POOLS = (VALUES, FUNCTIONS, PLAIN, MAKERS, APPLIERS, CLASSES, ("m", "n"), ("lib", "ops"))


def choose_file(random, program):
    # Most of what there is to edit is in the main file.
    return random.choice(sorted(program.files) + ["main.py"])


def replace_match(random, program, pattern, make):
    """One match of the pattern in one file, replaced."""
    path = choose_file(random, program)
    text = program.files[path]
    found = [m for m in re.finditer(pattern, text) if m.start() >= len(HEAD)]
    if not found:
        return None
    match = random.choice(found)
    put = make(match)
    if put is None or put == match[0]:
        return None
    return program.with_file(path, text[:match.start()] + put + text[match.end():])


def number(random, program):
    return replace_match(random, program, r"(?<![\w.])-?\d+\.\d+", lambda m: random.choice(NUMBERS))


def operator(random, program):
    return replace_match(random, program, r" [-+*] ", lambda m: random.choice((" + ", " - ", " * ")))


def comparison(random, program):
    return replace_match(random, program, r" (==|!=|>|<) ", lambda m: random.choice(
        (" == ", " != ", " > ", " < ")))


def name(random, program):
    """Another name of the same kind, wherever it stands: read, bound, imported, an attribute, a parameter."""
    def other(match):
        pool = next((p for p in POOLS if match[0] in p), None)
        return random.choice(pool) if pool else None

    return replace_match(random, program, r"(?<![\"\w])[A-Za-z]\w*", other)


def string(random, program):
    return replace_match(
        random, program, r"\"[A-Za-z]\w*\"|\"\d\.\d\"", lambda m: random.choice(
            ("\"A\"", "\"C\"", "\"K\"", "\"a\"", "\"b\"", "\"2.0\"", "\"3.0\"", f"\"{VARIABLE}\"")))


def decorator(random, program):
    return replace_match(
        random, program, r"@triton\.(jit(\(.*\))?|constexpr_function)", lambda m: random.choice(
            (JIT, "@triton.jit(noinline=True)", "@triton.constexpr_function", "@staticmethod", "@passing\n" +
             m[0])))


# ---- statements ----


def blocks(text):
    """Line ranges (from 0, end exclusive) of all statements, with their depth in columns."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return []
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt):
            first = min([node.lineno] + [d.lineno for d in getattr(node, "decorator_list", [])])
            found.append((first - 1, node.end_lineno, node.col_offset))
    return sorted(set(b for b in found if b[0] >= HEAD.count("\n")))


def delete(random, program):
    path = choose_file(random, program)
    lines = program.files[path].splitlines(keepends=True)
    found = blocks(program.files[path])
    if not found:
        return None
    first, end, _ = random.choice(found)
    return program.with_file(path, "".join(lines[:first] + lines[end:]))


def move(random, program):
    """Two statements of one depth change places."""
    path = choose_file(random, program)
    lines = program.files[path].splitlines(keepends=True)
    found = blocks(program.files[path])
    pairs = [(a, b) for a in found for b in found if a[1] <= b[0] and a[2] == b[2]]
    if not pairs:
        return None
    a, b = random.choice(pairs)
    return program.with_file(
        path, "".join(lines[:a[0]] + lines[b[0]:b[1]] + lines[a[1]:b[0]] + lines[a[0]:a[1]] + lines[b[1]:]))


def names_in(program, pool):
    """Names of the pool that occur, with what may stand before a dot."""
    text = "\n".join(program.files.values())
    return sorted(set(re.findall(rf"(?<![\w.\"])((?:\w+\.)?(?:{'|'.join(pool)}))\b", text))) or list(pool)


def statement(random, program, module_level):
    value, function = random.choice(names_in(program, VALUES)), random.choice(names_in(program, FUNCTIONS))
    bound = random.choice(VALUES)
    put = random.choice(NUMBERS) if not module_level else f"tl.constexpr({random.choice(NUMBERS)})"
    ways = [
        f"{bound} = {put}", f"{value} = {put}", f"{bound} = {bound}", f"{bound} = {value}",
        f"{random.choice(FUNCTIONS)} = {function}"
    ]
    if module_level:
        ways += [
            f"{random.choice(CLASSES)}.K = {put}",
            f"{function} = {random.choice(names_in(program, FUNCTIONS))}",
            f"import {random.choice(('m', 'n', 'p', 'p.q'))}",
            f"from {random.choice(('m', 'n', 'p'))} import *",
            f"from {random.choice(('m', 'n', 'p.q'))} import {random.choice(VALUES + FUNCTIONS)}",
            f"del {bound}", f"if os.environ.get(\"{VARIABLE}\") == \"2.0\":\n    {bound} = {put}",
            f"globals()[\"{bound}\"] = {put}", f"for {bound} in (1.0, 2.0):\n    pass", f"{bound} += 1.0",
            f"os.environ[\"{VARIABLE}\"] = \"3.0\"",
            f"{JIT}\ndef {random.choice(FUNCTIONS)}(v):\n    return v * {value}",
            f"class {random.choice(CLASSES)}:\n    K = {put}"
        ]
    else:
        ways += [
            f"{bound} += {random.choice(NUMBERS)}",
            f"if {value} == {random.choice(NUMBERS)}:\n    {bound} = {put}",
            f"for {bound} in tl.static_range(2):\n    v = v + {bound}", f"v = v * {value}",
            f"v = {function}(v)", f"v = v + tl.sum(tl.zeros((4,), tl.float32)) * {value}"
        ]
    return random.choice(ways)


def insert(random, program):
    path = choose_file(random, program)
    lines = program.files[path].splitlines(keepends=True)
    found = blocks(program.files[path])
    if not found:
        return None
    at, _, depth = random.choice(found)
    text = "".join(" " * depth + line + "\n" for line in statement(random, program, depth == 0).split("\n"))
    return program.with_file(path, "".join(lines[:at]) + text + "".join(lines[at:]))


def append(random, program):
    path = choose_file(random, program)
    return program.with_file(path, program.files[path] + statement(random, program, True) + "\n")


def default(random, program):
    return replace_match(random, program, r"(?<=constexpr = )[^,)]+",
                         lambda m: random.choice(NUMBERS + tuple(names_in(program, VALUES))))


# ---- files, environment, call ----


def imported(random, program):
    return replace_match(random, program, r"(?<=from )[\w.]+|(?<=import )\w[\w.]*", lambda m: random.choice(
        ("m", "n", "p", "p.q", ".q") + VALUES + FUNCTIONS))


def files(random, program):
    """One file for another, without one, or with one that stands before it in the search."""
    others = sorted(p for p in program.files if p != "main.py")
    way = random.randrange(4)
    if way == 0 and len(others) > 1:
        a, b = random.sample(others, 2)
        return replace(program, files={**program.files, a: program.files[b], b: program.files[a]})
    if way == 1 and others:
        gone = random.choice(others)
        return replace(program, files={p: t for p, t in program.files.items() if p != gone})
    if way == 2:
        path = path_of(random.choice(("m", "n")))
        shadow = path.replace(".py", "/__init__.py")
        text = program.files.get(path, HEAD)
        return program.with_file(shadow, re.sub(r"\d\.\d", random.choice(NUMBERS), text, count=1) + "\n")
    return program.with_file("absent.py", "value = 1\n")


def environment(random, program):
    now = dict(program.environment)
    now[VARIABLE] = random.choice([v for v in ("2.0", "3.0", "4.0", "") if v != now.get(VARIABLE)])
    if random.random() < 0.2:
        del now[VARIABLE]
    return replace(program, environment=tuple(sorted(now.items())))


def option(random, program):
    call = program.call
    changed = random.choice((replace(call, num_warps=random.choice(
        (1, 2, 8))), replace(call, num_stages=random.choice(
            (1, 2, 4))), replace(call, maxnreg=random.choice(
                (64, 128))), replace(call,
                                     fp_fusion=not call.fp_fusion), replace(call,
                                                                            divisible=not call.divisible),
                             replace(call, dtype=random.choice(("fp16", "fp64", "fp32")))))
    return replace(program, call=changed)


def argument(random, program):
    constants = [list(c) for c in program.call.constants]
    chosen = random.choice(constants)
    if chosen[0] == "B":
        chosen[1] = random.choice(("32", "64", "128"))
    else:
        simple = [f for f in names_in(program, FUNCTIONS) if "." not in f]
        chosen[1] = random.choice(simple or [chosen[1]])
    return replace(program, call=replace(program.call, constants=tuple(tuple(c) for c in constants)))


def in_process(random, program):
    """Runs once the kernel was compiled, in the same process: it must be obeyed or refused."""
    return replace(program, after=statement(random, program, True))


CHANGES = (number, number, operator, comparison, name, name, string, decorator, delete, move, insert, insert,
           append, append, default, imported, files, environment, option, argument)

# ---- what changes nothing ----


def insert_line(random, text, line):
    lines = text.splitlines(keepends=True)
    starts = [b[0] for b in blocks(text)]
    at = random.choice(starts) if starts else len(lines)
    return "".join(lines[:at]) + line + "".join(lines[at:])


def comment(random, program):
    path = choose_file(random, program)
    indent = random.choice(("", "    ", "        "))
    return program.with_file(
        path, insert_line(random, program.files[path], f"{indent}# K = {random.choice(NUMBERS)}: f(v)\n"))


def end_comment(random, program):
    return replace_match(random, program, r"(?m)(?<=[\w)\]])$", lambda m: f"  # was {random.choice(NUMBERS)}")


def blank(random, program):
    path = choose_file(random, program)
    return program.with_file(path, insert_line(random, program.files[path], "\n" * random.randint(1, 3)))


def docstring(random, program):
    return replace_match(
        random, program, r"(?m)^( *)def \w+\(.*\):\n", lambda m: m[0] + m[1] + "    " + random.choice(
            ('"""Says what it does."""\n', '"""Of several\n\n' + m[1] + '    lines."""\n')))


def host_code(random, program):
    """Functions and names that no kernel reads."""
    text = random.choice((f"\n\ndef host_{random.randrange(100)}():\n    return [{random.choice(NUMBERS)}]\n",
                          f"\n\nunread_{random.randrange(100)} = {random.choice(NUMBERS)}\n",
                          "\n\nimport math\nimport sys as system\n", "\n\nclass Unread:\n    K = 3\n",
                          f"\n\n{JIT}\ndef unread_kernel(x):\n    tl.store(x, 1.0)\n"))
    path = choose_file(random, program)
    return program.with_file(path, program.files[path] + text)


def other_file(random, program):
    return program.with_file(f"unread_{random.randrange(100)}.py", "A = 1\n")


def other_variable(random, program):
    return replace(program, environment=program.environment + (("MUTATE_UNREAD", random.choice(NUMBERS)), ))


def layout(random, program):
    """Blanks within lines, and empty parentheses around what is returned."""
    return random.choice((
        lambda: replace_match(random, program, r" = ", lambda m: "  =  "),
        lambda: replace_match(random, program, r"(?m)^( +)return (.*)$", lambda m: f"{m[1]}return ({m[2]})"),
        lambda: replace_match(random, program, r"(?m)(?<=[\w)\]])$", lambda m: "   "),
    ))()


def moved(random, program):
    """The runner puts the files into another folder."""
    return program


NOTHING = (comment, end_comment, blank, docstring, host_code, other_file, other_variable, layout, moved)
