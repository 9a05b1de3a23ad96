# not a test: test/check/mutate.sh runs it
"""A case: two programs, of which the cache took the second for the first; or one that two engines read
differently. Checked, made smaller, written as text and read back."""

import dataclasses
import difflib
import json
import re
from dataclasses import dataclass, replace

from programs import Call, Program
from runner import same

STALE = "stale"  # the cache gives what a compilation without it does not
IN_PROCESS = "in process"  # what was compiled before a statement ran is given after it
DISAGREE = "disagree"  # C and Python compile different code of the same files
MISSED = "missed"  # an edit that changes nothing is compiled again


@dataclass(frozen=True)
class Case:
    kind: str
    way: str
    before: Program  # as `after` where the kind needs one program
    after: Program
    said: str = ""


def finds(runner, case):
    """"": the case is not as its kind says. Else what should have come: "code", or "error" where a compilation
    says that there is none."""
    if case.kind == DISAGREE:
        return "code" * disagreement(runner.ask("c", case.after, ""), runner.ask("python", case.after, ""))
    if case.kind == IN_PROCESS:
        fresh = runner.ask("python", case.after, "")
        return wanted(fresh) * unheard(runner.ask("python", case.after, runner.new_cache(), twice=True),
                                       fresh)
    cache = runner.new_cache()
    if runner.ask(case.way, case.before, cache)["status"] != "ok":
        return ""
    given = runner.ask(case.way, case.after, cache)
    if case.kind == MISSED:
        return "code" * (given["how"] in ("miss", "half")
                         and runner.ask(case.way, case.before, cache)["how"] == "hit")
    fresh = runner.ask(case.way, case.after, "")
    return wanted(fresh) * (given["status"] == "ok" and not same(given, fresh))


def wanted(fresh):
    return "code" if fresh["status"] == "ok" else "error"


def disagreement(c, python):
    return c["status"] == python["status"] == "ok" and c["ptx"] != python["ptx"]


def unheard(given, fresh):
    """A refusal is an answer."""
    return given["status"] == "ok" and not same(given, fresh)


# ---- smaller ----


def shared_lines(a, b):
    """Pairs of line numbers that two texts have in common."""
    matcher = difflib.SequenceMatcher(None, a, b, autojunk=False)
    return [(i + k, j + k) for i, j, size in matcher.get_matching_blocks() for k in range(size)]


def indent_of(line):
    return len(line) - len(line.lstrip(" "))


def block_end(lines, at):
    """Behind the lines that hang on this one."""
    end = at + 1
    if lines[at].lstrip().startswith("@"):
        while end < len(lines) and indent_of(lines[end]) == indent_of(
                lines[at]) and lines[end].lstrip().startswith("@"):
            end += 1
        end += 1
    while end < len(lines) and (not lines[end].strip() or indent_of(lines[end]) > indent_of(lines[at])):
        end += 1
    return end


def without_block(case, path, a_at, b_at, whole):
    a, b = (case.before.files[path].splitlines(keepends=True),
            case.after.files[path].splitlines(keepends=True))
    a_end, b_end = (block_end(a, a_at), block_end(b, b_at)) if whole else (a_at + 1, b_at + 1)
    return with_files(case, path, "".join(a[:a_at] + a[a_end:]), "".join(b[:b_at] + b[b_end:]))


def with_files(case, path, before, after):
    return replace(case, before=case.before.with_file(path, before), after=case.after.with_file(path, after))


def candidates(case):
    """Cases with a part left out, large parts first."""
    for path in sorted(set(case.before.files) & set(case.after.files) - {"main.py"}):
        yield replace(case, before=without_file(case.before, path), after=without_file(case.after, path))
    if case.before.environment or case.after.environment:
        yield replace(case,
                      before=replace(case.before, environment=()),
                      after=replace(case.after, environment=()))
    for path in sorted(set(case.before.files) & set(case.after.files)):
        a, b = (p.files[path].splitlines(keepends=True) for p in (case.before, case.after))
        pairs = shared_lines(a, b)
        for whole in (True, False):
            for i, j in reversed(pairs):
                # What decorators stand before goes with them.
                part = a[i].lstrip().startswith(
                    ("@", "def ", "class ")) and not whole or a[i - 1].lstrip().startswith("@")
                if a[i].strip() and not a[i].startswith("import triton") and not part:
                    yield without_block(case, path, i, j, whole)
    for path in sorted(set(case.before.files) & set(case.after.files)):
        for pattern, put in ((r"(?m)^( +)return .*$", r"\1return v * 2.0"),
                             (r"(?m)^    v = .*\n", "    v = v * 2.0\n"), (r"\n\n\n+", "\n\n")):
            texts = [re.sub(pattern, put, p.files[path]) for p in (case.before, case.after)]
            if texts != [case.before.files[path], case.after.files[path]]:
                yield with_files(case, path, *texts)


def without_file(program, path):
    return replace(program, files={p: t for p, t in program.files.items() if p != path})


def size(case):
    return sum(len(t) for p in (case.before, case.after)
               for t in p.files.values()) + 50 * len(case.before.environment)


def shrink(runner, case, tries=150):
    """The smallest that it finds in so many tries, in which the same is wrong."""
    wanted_now, went_on = finds(runner, case), True
    while went_on and tries > 0:
        went_on = False
        for smaller in candidates(case):
            if size(smaller) >= size(case):
                continue
            tries -= 1
            if tries <= 0:
                break
            if finds(runner, smaller) == wanted_now:
                case, went_on = smaller, True
                break
    return case


def shape(case):
    """What two cases have in common that differ in names and numbers alone."""
    text = []
    for path in sorted(set(case.before.files) | set(case.after.files)):
        a, b = (p.files.get(path, "") for p in (case.before, case.after))
        text += [line for line in difflib.ndiff(a.splitlines(), b.splitlines()) if not line.startswith("?")]
    text = re.sub(r"\d+\.\d+", "0", "\n".join(text))
    return case.kind + case.way + re.sub(
        r"(?<![@\w.])(?!def|return|class|import|from|if|for|else)[A-Za-z]\w*", "n", text)


# ---- as text ----


def described(program):
    head = {
        "call": dataclasses.asdict(program.call),
        "environment": program.environment,
        "after": program.after
    }
    return json.dumps(head)


def write(case):
    out = [
        f"# {case.said or 'the cache gives the code of another source'}", f"kind: {case.kind}",
        f"way: {case.way}", f"before: {described(case.before)}", f"after: {described(case.after)}"
    ]
    for path in sorted(set(case.before.files) | set(case.after.files)):
        a, b = case.before.files.get(path), case.after.files.get(path)
        if a == b:
            out.append(f"---- {path}\n{a}")
            continue
        out += [f"---- before {path}\n{a}"] * (a is not None) + [f"---- after {path}\n{b}"] * (b is not None)
    return "\n".join(out) + "\n"


def read_program(head, files):
    words = json.loads(head)
    call = words["call"]
    call["constants"] = tuple(tuple(c) for c in call["constants"])
    return Program(files=files,
                   call=Call(**call),
                   environment=tuple(tuple(e) for e in words["environment"]),
                   after=words["after"])


def read(text):
    parts = re.split(r"(?m)^---- (?:(before|after) )?(\S+)\n", text)
    head = dict(
        line.split(": ", 1) for line in parts[0].splitlines() if ": " in line and not line.startswith("#"))
    files = {"before": {}, "after": {}}
    for which, path, body in zip(parts[1::3], parts[2::3], parts[3::3]):
        for side in ("before", "after"):
            if which in (None, "", side):
                files[side][path] = body.rstrip("\n") + "\n"
    return Case(head["kind"], head["way"], read_program(head["before"], files["before"]),
                read_program(head["after"], files["after"]),
                text.splitlines()[0].lstrip("# "))
