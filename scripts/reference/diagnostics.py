"""The catalogue of diagnostics: each row of src/base/diag/*.def with what provokes it in a test, and its cure."""

import ast
import json
import os
import re
import shlex
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

from tables import rows

PLACEHOLDER = re.compile(r"%[-0-9.*]*(?:l|ll|z|j|h)?[a-zA-Z]")
EXPECTATION = re.compile(r"(?:#|//) (error|warning|note): (-|[0-9]+|@[^ ]*): (.*?)\s*(?=(?:#|//) (?:error|warning|note): |$)")
LAUNCHES = "Arguments and launches"
GROUPS = [("diag.def", "Any stage"), ("diag_front.def", "The front end"), ("diag_tile.def", "Operations on tiles"),
          ("diag_ir.def", "The IR: text, verifier, passes"), ("diag_run.def", LAUNCHES),
          ("diag_codegen.def", "Code for GPUs"), ("diag_nv.def", "NVIDIA's driver and tools"), ("diag_cache.def", "The compile cache")]


class Row:

    def __init__(self, section, code, severity, text):
        self.section, self.code, self.severity, self.format = section, code, severity.lower(), text
        self.pieces = [p.replace("\0", "%") for p in PLACEHOLDER.split(text.replace("%%", "\0"))]
        self.example = None

    def shown(self):
        return re.sub("…+", "…", PLACEHOLDER.sub("…", self.format.replace("%%", "\0")).replace("\0", "%"))

    def match(self, text):
        """How many characters of the format's own a text has, all pieces in order; 0: it is another's."""
        at = met = 0
        for n, piece in enumerate(self.pieces):
            found = text.find(piece, at) if n else (0 if text.startswith(piece) else -1)
            if found < 0:
                return 0
            at, met = found + len(piece), met + len(piece)
        return met

    def take(self, example):
        if self.example is None or example.rank() < self.example.rank():
            self.example = example


class Example:
    """What provokes a diagnostic: a command or a line of a test, and what is said of it."""

    def __init__(self, path, text, source=None, column=0, notes=(), command=None):
        self.path, self.text, self.source, self.column, self.notes = path, text, source, column, list(notes)
        self.command = command

    def rank(self):
        """The best example is Python, has a line, and is short."""
        length = len(self.source or "") + len(self.text)
        return (self.source is None, self.path.suffix not in (".py", ".c"), length > 180, not self.notes, length, str(self.path), self.text)

    def lines(self, severity, cure, shows_command):
        out = []
        if shows_command and self.command:
            out.append("$ " + self.command)
        if self.source is not None:
            source = EXPECTATION.sub("", self.source).rstrip()
            shown = source.lstrip()
            out.append("    " + shown)
            if self.column:
                out.append("    " + " " * max(self.column - 1 - (len(source) - len(shown)), 0) + "^")
        out.append(f"{severity}: {self.text}")
        return out + [f"note: {note}" for note in self.notes if note != cure]


# ---- file tests: what the command says of them ----


def _default_command(path, header):
    options = " ".join(re.findall(r"(?:#|//) options: *(.*)", header))
    kernel = (re.findall(r"(?:#|//) kernel: *(\S+)", header) or ["kernel"])[0]
    folder = path.parts[1]
    if folder in ("ir", "ttgir"):
        return f"neso opt {options} %s"
    if folder == "run":
        return f"neso run %s:{kernel} {options}"
    if folder == "llvm":
        return None
    return f"neso compile %s:{kernel} --emit ttir {options}"


def _commands(root):
    """(path, command) of each file test that expects a diagnostic, where the command is neso's alone."""
    for path in sorted(p for p in (root / "test").rglob("*") if p.suffix in (".py", ".ir", ".mlir")):
        text = path.read_bytes().decode("utf-8", "replace")
        if not re.search(r"(#|//) (error|warning): ", text) or "python" in path.relative_to(root).parts:
            continue
        path = path.relative_to(root)
        header = "\n".join(text.split("\n")[:30])
        for command in re.findall(r"(?:#|//) run: *(.*)", header) or [_default_command(path, header)]:
            command = re.sub(r" 2>(&1|/dev/null)$", "", command or "")
            # What the simulator says counts waiting programs, which may be more in one run than in another.
            if command.startswith("neso ") and not re.search(r"[|;<>`&]|cubin|sass|%t|NESO_|sim:", command):
                yield path, command


def _findings(neso, root, path, command):
    """What a command says with --json: [(code, Example)]."""
    words = [w.replace("%s", str(path)).replace("%S", str(path.parent)) for w in shlex.split(command)[1:]]
    env = {k: v for k, v in os.environ.items() if not k.startswith(("NESO_", "TRITON_"))}
    with tempfile.TemporaryDirectory() as cache:
        env["TRITON_CACHE_DIR"] = cache
        done = subprocess.run([str(neso), *words, "--json"], cwd=root, env=env, capture_output=True, text=True, timeout=300)
    found = []
    for line in done.stderr.split("\n"):
        if line.startswith("["):
            found += json.loads(line)
    shown = "neso " + " ".join(shlex.quote(w) if not re.match(r"^[\w./:,=+-]+$", w) else w for w in words)
    for d in found:
        text = re.sub(r"0x[0-9a-f]{6,}", "0x…", d["text"]).split("\n")[0]
        if len(text) > 400:
            continue
        notes = [n["text"] for n in d.get("notes") or [] if not n.get("path")]
        own = d.get("path") == str(path) and d.get("line")
        lines = (root / path).read_bytes().decode("utf-8", "replace").split("\n")
        yield d["code"], Example(path, text, lines[d["line"] - 1] if own else None, d.get("column") or 0, notes, shown)


# ---- unit tests whose rows have the source beside the code ----

C_STRING = r'"(?:[^"\\]|\\.)*"'


def _c_text(literals):
    """The value of C's string literals, one behind the other."""
    parts = re.findall(C_STRING, literals)
    return "".join(ast.literal_eval("b" + re.sub(r"[^\x00-\x7f]", lambda m: "".join(f"\\x{b:02x}" for b in m[0].encode()), p)).decode("utf-8", "replace")
                   for p in parts)


def _unit_rows(root):
    """(code, Example) of tables in unit tests: {DIAG_X, BYTES("source"), "1:5-6 text\\n"} and fault_at(BODY("source"), DIAG_X, ...)."""
    path = root / "test/unit/front/parse_error_test.c"
    row = re.compile(r"\{DIAG_([A-Z_]+),\s*BYTES\(((?:\s*" + C_STRING + r")+)\),\s*((?:\s*" + C_STRING + r")+)\}")
    for code, source, errors in row.findall(path.read_text()):
        place = re.match(r"(\d+):(\d+)\S* (.*)", _c_text(errors))
        lines = _c_text(source).split("\n")
        if place and int(place[1]) <= len(lines) and lines[int(place[1]) - 1].isprintable():
            yield code, Example(path.relative_to(root), place[3], lines[int(place[1]) - 1], int(place[2]))
    path = root / "test/unit/ir/ir_text_test.c"
    for source, code, column in re.findall(r"fault_at\(BODY\(((?:\s*" + C_STRING + r")+)\), DIAG_([A-Z_]+), 2, (\d+)\)", path.read_text()):
        line = _c_text(source)
        if line.isprintable():
            yield code, Example(path.relative_to(root), None, "  " + line, int(column))


# ---- tests that only name a code, and expectations of tests that are not run here ----


def _expected(root):
    for path in sorted(p for p in (root / "test").rglob("*") if p.suffix in (".py", ".ir", ".mlir")):
        lines = path.read_bytes().decode("utf-8", "replace").split("\n")
        for line in lines:
            for kind, place, text in EXPECTATION.findall(line):
                if kind != "note":
                    own = place.isdigit()
                    yield kind, Example(path.relative_to(root), text, line if own else None, int(place) if own else 0)


def _named(root):
    """Tests that name a code: {code: path}."""
    named = {}
    for pattern, found in (("*.py", r"^ *# tests: *([A-Z0-9_ ]+)"), ("*.mlir", r"^ *// tests: *([A-Z0-9_ ]+)"),
                           ("*.c", r"(?:DIAG_|\")([A-Z][A-Z0-9_]+)\b"), ("*.sh", r"\"([A-Z][A-Z0-9_]+)\"")):
        for path in sorted((root / "test").rglob(pattern)):
            for codes in re.findall(found, path.read_bytes().decode("utf-8", "replace"), re.M):
                for code in codes.split():
                    named.setdefault(code, path.relative_to(root))
    return named


def load(root, build):
    """[(title, [Row, ...])], {code: cure}, {code: path of a test}."""
    folder = root / "src/base/diag"
    groups = [(title, [Row(section, *arguments[:3]) for section, arguments in rows(folder / name, "DIAG")]) for name, title in GROUPS]
    cures = {arguments[0]: arguments[1] for _, arguments in rows(folder / "diag_cures.def", "CURE")}
    by_code = {row.code: row for _, found in groups for row in found}
    commands = list(_commands(root))
    with ThreadPoolExecutor() as pool:
        for found in pool.map(lambda c: list(_findings(build / "neso", root, *c)), commands):
            for code, example in found:
                by_code[code].take(example)
    for code, example in _unit_rows(root):
        row = by_code[code]
        if row.example is None or row.example.source is None or row.example.path == example.path:
            example.text = example.text or row.shown()
            row.take(example)
    for kind, example in _expected(root):
        scored = [(row.match(example.text), row) for row in by_code.values() if row.severity == kind]
        score, best = max(scored, key=lambda s: s[0])
        if (score > 12 or len(best.pieces[0]) >= 6) and score and (best.example is None or best.example.path.suffix == ".c"):
            best.take(example)
    return groups, cures, _named(root)


def _example(row, named, cure, shows_command):
    if row.example is None:
        path = named.get(row.code)
        return [f"Provoked by [{path}](../../{path})."] if path else []
    path = row.example.path
    return [f"From [{path}](../../{path}):", "", "```text", *row.example.lines(row.severity, cure, shows_command), "```"]


def page(root, build):
    groups, cures, named = load(root, build)
    count = sum(len(found) for _, found in groups)
    out = ["# Diagnostics", "",
           f"All {count} of them, from the tables in `src/base/diag`. A code is stable: `--json` and C's",
           "`neso_diagnostic` have it. `…` stands for what depends on the kernel. Each example is a test's, and",
           "shows what is said of it. A cure follows the message as a note.", ""]
    for title, found in groups:
        out += [f"## {title}", ""]
        section = None
        for row in found:
            if row.section != section and row.section and row.section.lower() != title.lower():
                section = row.section
                name = re.sub(r"(: [a-z_*/]+[.]c.*| \(.*)", "", section)
                out += [f"**{name[0].upper() + name[1:]}**", ""]
            out += [f"### {row.code}", "", f"{row.severity}: `{row.shown().replace('`', chr(39))}`", ""]
            example = _example(row, named, cures.get(row.code), title == LAUNCHES)
            out += example + [""] if example else []
            if row.code in cures:
                out += [f"Cure: {cures[row.code]}.".replace("*", "\\*").replace("<", "\\<"), ""]
    return "\n".join(out).rstrip() + "\n"
