"""Runs what pages of documentation show. A page stands in a copy of the repository (links to it); all its shell commands run in one
shell, in order.

    ```sh           commands, which must succeed
    ```console      "$ command" and what it prints, of both outputs; "..." stands for any lines, addresses may differ
    ```python       a program: all such blocks of a page are one, which runs at its end. `# name.py` as the first line: that file is made
    ```c            a program with main() is compiled and run; another text is compiled alone
    ```text         shown as it is

Words behind the language: `gpu`, `ptxas`, `torch`: runs where there is one, else its syntax is looked at; `network`, `root`, `long` (minutes):
its syntax alone; `fragment`: a part of a program, whose syntax is looked at.

Beside that: blocks must say what they are; inline `neso ...` and `make ...` must name commands, options and targets that are there, paths
files, and variables settings; links must lead to files."""

import argparse
import ast
import glob
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = ["README.md", "test/README.md",
         *sorted(str(p.relative_to(ROOT)) for folder in ("docs", "src/*") for p in ROOT.glob(f"{folder}/*.md"))]
LANGUAGES = {"sh", "console", "python", "c", "text", "cmake"}
WORDS = {"gpu", "ptxas", "torch", "network", "root", "long", "fragment"}
MARK = "=====page"


def sections(text):
    """The names by which links reach the headings of a page, and its anchors."""
    named = re.findall(r"^#+ +(.*?) *$", text, flags=re.M)
    return {re.sub(r"[^\w -]", "", name.lower()).replace(" ", "-") for name in named} | set(re.findall(r'id="([^"]+)"', text))


class Block:

    def __init__(self, line, info, text):
        self.line, self.text = line, text
        words = info.split()
        self.language = words[0] if words else ""
        self.words = set(words[1:])


def blocks(text):
    """The fenced blocks of a page, and faults of its form."""
    found, faults, fence = [], [], None
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        mark = re.match(r"^( *)```(.*)$", line)
        if fence:
            if mark and not mark[2].strip():
                found.append(Block(fence[0], fence[1], textwrap.dedent("\n".join(fence[2])) + "\n"))
                fence = None
            else:
                fence[2].append(line)
        elif mark:
            fence = (number, mark[2], [])
        elif re.match(r"^(    |\t)\S", line) and number > 1 and not lines[number - 2].strip():
            before = [l for l in lines[:number - 1] if l.strip()]
            if not before or not re.match(r"^ *([-*]|[0-9]+\.) |^  +\S", before[-1]):
                faults.append(f"{number}: code that is only indented: a fence says what it is")
    found = [block for block in found if not block.language.startswith("{")]  # contents of the site
    for block in found:
        if block.language not in LANGUAGES:
            faults.append(f"{block.line}: a block of '{block.language}': one of {', '.join(sorted(LANGUAGES))}")
        elif block.words - WORDS:
            faults.append(f"{block.line}: '{' '.join(block.words - WORDS)}' means nothing behind {block.language}")
    return found, faults


class Page:

    def __init__(self, name, build, folder, have):
        self.name, self.build, self.have, self.faults = name, build, have, []
        self.text = (ROOT / name).read_text()
        self.blocks, faults = blocks(self.text)
        for fault in faults:
            self.fault(fault)
        self.clone = folder / name.replace("/", "-").removesuffix(".md") / "neso"
        self.env = dict(os.environ, NESO_QUIET="1", TRITON_CACHE_DIR=str(folder / "cache"), PYTHONDONTWRITEBYTECODE="1")
        for variable in ("NESO_CACHE_STRICT", "PYTHONPATH", "LD_LIBRARY_PATH"):
            self.env.pop(variable, None)
        path = [p for p in os.environ["PATH"].split(":") if pathlib.Path(p).resolve() != build]
        # The README says how the command gets into the path; the others take it for granted.
        self.env["PATH"] = ":".join(path if name == "README.md" else [str(build), *path])
        if name != "README.md":
            self.env["PYTHONPATH"] = str(build / "python")
        # python3 of the page is the one that has NumPy.
        tools = self.clone.parent / "bin"
        tools.mkdir(parents=True, exist_ok=True)
        for tool in ("python", "python3"):
            (tools / tool).symlink_to(sys.executable)
        self.env["PATH"] = f"{tools}:{self.env['PATH']}"

    def fault(self, text):
        self.faults.append(f"{self.name}:{text}")

    def make_clone(self):
        """The repository as links, with folders of its own that commands may write to."""
        self.clone.mkdir(parents=True)
        for entry in ROOT.iterdir():
            if entry.name not in ("build", "dist", ".git"):
                (self.clone / entry.name).symlink_to(entry)
        (self.clone / "build").mkdir()
        (self.clone / "build/release").symlink_to(self.build)

    def runs(self, block):
        if block.words & {"network", "root", "long", "fragment"}:
            return False
        return all(self.have.get(word) for word in block.words)

    # ---- shell ----

    def shell(self):
        """One script for all commands of the page; what each block printed is looked at behind it."""
        script = ["set -e", "exec 2>&1 </dev/null"]
        waiting = []
        for block in self.blocks:
            first = re.match(r"# (\S+\.(py|c|txt|json))\n", block.text) if block.language in ("python", "c") else None
            if first and self.runs(block):
                script.append(f"cat >{first[1]} <<'{MARK}'\n{block.text}{MARK}")
            if block.language == "sh":
                self.syntax(block, block.text)
                if self.runs(block):
                    script += [f"echo '{MARK} {block.line}'", block.text]
            elif block.language == "console":
                script += self.console(block, waiting)
        script.append(f"echo '{MARK} end'")
        path = self.clone.parent / "commands"
        path.write_text("\n".join(script) + "\n")
        done = subprocess.run(["bash", str(path)], cwd=self.clone, env=self.env, capture_output=True, text=True, timeout=1500, errors="replace")
        parts = re.split(rf"^{MARK} (\S+)\n", done.stdout, flags=re.M)
        printed = dict(zip(parts[1::2], parts[2::2]))
        if "end" not in printed:
            last = parts[-2] if len(parts) > 1 else "?"
            self.fault(f"{last}: a command fails with status {done.returncode}:\n{textwrap.indent(parts[-1][-3000:], '    ')}")
        for name, command, wanted in waiting:
            if name in printed and not same(wanted, printed[name]):
                line = name.split(".")[0]
                self.fault(f"{line}: $ {command}\n  prints\n{textwrap.indent(printed[name], '    ')}  and the page says\n{textwrap.indent(wanted, '    ')}")

    def console(self, block, waiting):
        """Commands of a console block: they may fail; what they print is what the page says."""
        out, pieces = [], re.split(r"^\$ ", block.text, flags=re.M)
        if pieces[0].strip():
            self.fault(f"{block.line}: a console block begins with '$ '")
        for n, piece in enumerate(pieces[1:]):
            lines = piece.split("\n")
            count = 1
            while lines[count - 1].endswith("\\"):
                count += 1
            command, wanted = "\n".join(lines[:count]), "\n".join(lines[count:])
            self.syntax(block, command + "\n")
            if self.runs(block):
                name = f"{block.line}.{n}"
                out += [f"echo '{MARK} {name}'", command.rstrip() + " || true"]
                waiting.append((name, command, wanted))
        return out

    def syntax(self, block, text):
        done = subprocess.run(["bash", "-n"], input=text, capture_output=True, text=True)
        if done.returncode:
            self.fault(f"{block.line}: {done.stderr.strip()}")
        for line in re.sub(r"\\\n", " ", text).split("\n"):
            self.names(block.line, line)

    # ---- programs ----

    def programs(self):
        whole = []
        for block in self.blocks:
            if block.language == "python":
                try:
                    ast.parse(block.text)
                except SyntaxError as error:
                    self.fault(f"{block.line}: {error}")
                    continue
                if self.runs(block) and not re.match(r"# \S+\.py\n", block.text):
                    whole.append(block)
            elif block.language == "c" and self.runs(block):
                self.c_program(block)
        if whole:
            path = self.clone / "page.py"
            path.write_text("\n\n".join(f"# line {block.line} of {self.name}\n{block.text}" for block in whole))
            self.program([sys.executable, str(path)], whole[0].line, dict(self.env, PYTHONPATH=str(self.build / "python")))

    def c_program(self, block):
        path, to = self.clone.parent / f"block{block.line}.c", self.clone.parent / f"block{block.line}"
        path.write_text(block.text)
        compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
        flags = ["-I", str(ROOT / "include"), "-Wall", "-Werror", str(path), "-o", str(to)]
        whole = "int main(" in block.text
        more = ["-L", str(self.build), "-lneso", f"-Wl,-rpath,{self.build}"] if whole else ["-c"]
        self.program([compiler, *flags, *more], block.line, self.env)
        if whole and to.exists():
            self.program([str(to)], block.line, self.env)

    def program(self, words, line, env):
        done = subprocess.run(words, cwd=self.clone, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, timeout=600)
        if done.returncode:
            self.fault(f"{line}: {os.path.basename(words[0])} ends with status {done.returncode}:\n{textwrap.indent(done.stdout[-3000:], '    ')}")

    # ---- names in the text ----

    def prose(self):
        text = re.sub(r"^ *```.*?^ *```$", lambda m: "\n" * m[0].count("\n"), self.text, flags=re.S | re.M)
        for number, line in enumerate(text.split("\n"), 1):
            for span in re.findall(r"`([^`]+)`", line):
                self.names(number, span)
                self.places(number, span)
            for target, section in re.findall(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)", re.sub(r"`[^`]+`", "", line)):
                if re.match(r"[a-z]+:", target):
                    continue
                page = (ROOT / self.name).parent.joinpath(target) if target else ROOT / self.name
                if not page.exists():
                    self.fault(f"{number}: a link to {target}, which is not there")
                elif section and section not in sections(page.read_text()):
                    self.fault(f"{number}: a link to {target}#{section}, and there is no such section")

    def places(self, number, span):
        """Files of the repository and settings of the environment; words in capitals stand for something."""
        path = re.match(r"(examples|scripts|src|test|docs|bench|include|python|lib|cmake|cli)/[a-z_0-9./*-]+$", span)
        if path and not glob.glob(str(ROOT / path[0])):
            self.fault(f"{number}: there is no {path[0]}")
        for name in re.findall(r"(?<![$\w])((?:NESO|TRITON)_[A-Z][A-Z0-9_]+)(?![\w(])", span):
            if name not in self.have["settings"] and name not in self.have["constants"]:
                self.fault(f"{number}: there is no setting {name}")

    def names(self, number, text):
        """Commands and options of `neso ...`, targets of `make ...`."""
        for words in re.findall(r"(?:^|[|&;(] *|\w+=\S* )neso +([a-z]+(?: [^|;&#]*)?)", text):
            command, *rest = words.split()
            if command not in self.have["options"]:
                self.fault(f"{number}: there is no command 'neso {command}'")
                continue
            inner = rest.index("--") if "--" in rest else len(rest)
            for word in rest[:inner]:
                option = re.match(r"--([a-z][a-z-]*)", word)
                if option and option[1] not in self.have["options"][command]:
                    self.fault(f"{number}: neso {command} has no option --{option[1]}")
        for target in re.findall(r"(?:^|[&;] *)make +([a-z][a-z-]*)", text):
            if target not in self.have["targets"]:
                self.fault(f"{number}: there is no 'make {target}'")

    def check(self):
        self.make_clone()
        self.prose()
        self.shell()
        self.programs()
        return self.faults


def plain(text):
    text = re.sub(r"0x[0-9a-f]{6,}", "ADDRESS", text)
    return [line.rstrip() for line in text.strip("\n").split("\n")]


def same(wanted, printed):
    """Lines are equal; a line "..." stands for any number of lines."""
    pattern = "".join("(?:.*\n)*?" if line.strip() == "..." else re.escape(line) + "\n" for line in plain(wanted))
    return re.fullmatch(pattern, "\n".join(plain(printed)) + "\n") is not None


def facts(build):
    """What this machine has, and what the command and the Makefile know."""
    def said(*words):
        return subprocess.run([str(build / "neso"), *words], capture_output=True, text=True).stdout
    info = said("info")
    commands = [c for c in re.findall(r"^  ([a-z]+) +[A-Z]", said("--help"), re.M) if c != "neso"]
    options = {c: set(re.findall(r"^ .*?--([a-z][a-z-]*)", said(c, "--help").split("Options:")[1], re.M)) for c in commands}
    options["help"] = set()
    settings = {v for s in json.loads(said("config", "--json")) for v in (s["variable"], s["other_variable"])}
    settings |= set(re.findall(r"\bNESO_[A-Z_]+", "".join(p.read_text() for p in [ROOT / "CMakeLists.txt", *ROOT.glob("cmake/*.cmake")])))
    row = lambda name: re.search(rf"^{name} +(.*)", info, re.M)
    return {
        "gpu": not row("gpus")[1].startswith("none"),
        "ptxas": not row("ptxas")[1].startswith("none"),
        "torch": subprocess.run([sys.executable, "-c", "import torch"], capture_output=True).returncode == 0,
        "options": options,
        "settings": settings,
        "constants": {name for file in ("include/neso/neso.h", "src/aot/write.c")
                      for name in re.findall(r"NESO_[A-Z0-9_]+", (ROOT / file).read_text())},
        "targets": set(re.search(r"^\.PHONY: (.*)", (ROOT / "Makefile").read_text(), re.M)[1].split()),
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    parser.add_argument("pages", nargs="*")
    given = parser.parse_args()
    build, folder = given.build.resolve(), given.folder.resolve()
    have = facts(build)
    faults = []
    for name in given.pages or PAGES:
        faults += Page(name, build, folder, have).check()
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
