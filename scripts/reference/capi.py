"""The C API, from the comments of include/neso/*.h. A section begins with a comment /* ---- title */; a comment belongs to the
declarations below it, up to the next blank line or comment."""

import re

SECTION = re.compile(r"/\* -{10,} (.*?) \*/")


def _comment(text):
    """A comment as paragraphs of Markdown: indented lines are code."""
    text = re.sub(r"^/\* ?|\s*\*/$", "", text.strip())
    lines = [re.sub(r"^ \* ?", "", line) for line in text.split("\n")]
    out, code = [], False
    for line in lines:
        indented = line.startswith("\t")
        if indented and not code and out and out[-1]:
            if not out[-1].startswith("  "):
                out[-1] = "- " + out[-1]
            out.append("  " + _escaped(line.strip()))
            continue
        if indented != code and (indented or line.strip()):
            out += ["", "```c"] if indented else ["```", ""]
            code = indented
        out.append(line[1:] if indented else _escaped(line.rstrip()))
    if code:
        out.append("```")
    return re.sub(r"\n+```\n", "\n```\n", re.sub(r"\n{3,}", "\n\n", "\n".join(out) + "\n")).strip()


def _escaped(line):
    return re.sub(r"([*<])", r"\\\1", re.sub(r"\b(neso_\w+|NESO_\w+)\b", r"`\1`", line)).replace("`*", "`\\*")


def _items(text):
    """(comment or None, code) of the pieces of a section."""
    pieces, lines = [], text.split("\n")
    comment, code, n = None, [], 0
    while n < len(lines):
        line = lines[n]
        if line.startswith("/*") and not SECTION.match(line):
            if code:
                pieces.append((comment, code))
            comment, code = [line], []
            while "*/" not in lines[n]:
                n += 1
                comment.append(lines[n])
            comment = "\n".join(comment)
        elif line.strip():
            code.append(line)
        elif code:
            pieces.append((comment, code))
            comment, code = None, []
        n += 1
    if code or comment:
        pieces.append((comment, code))
    return pieces


def _title(code):
    """What the first declaration of a piece is called."""
    text = "\n".join(code)
    for pattern in (r"\}\s*(neso_\w+);", r"^#define (NESO_\w+)", r"\b(neso_\w+)\(", r"typedef .*\b(neso_\w+);", r"typedef \w+ (neso_\w+)\("):
        if match := re.search(pattern, text, re.M):
            return match[1]
    return None


def page(root, build):
    out = ["# The C API", "", "From the comments of [neso.h](../../include/neso/neso.h). [examples/demo.c](../../examples/demo.c) is a",
           "whole program.", ""]
    first = True
    for path in sorted((root / "include/neso").glob("*.h"), key=lambda p: (p.name != "neso.h", p.name)):
        text = path.read_text()
        parts = SECTION.split(text)
        head = re.match(r"/\*.*?\*/", parts[0], re.S)
        if head and first:
            out += [_comment(head[0]), ""]
        rest = re.sub(r"\A/\*.*?\*/", "", parts[0], count=1, flags=re.S)
        sections = [("Versions" if first else path.name, rest)] + list(zip(parts[1::2], parts[2::2]))
        first = False
        for title, body in sections:
            pieces = [(c, code) for c, code in _items(body) if _title(code) and not all(re.match(r"#|extern|\}$", l) for l in code if "NESO_ABI" not in l)]
            if not pieces:
                continue
            out += [f"## {title[0].upper() + title[1:]}", ""]
            for comment, code in pieces:
                code = [line for line in code if not re.match(r"#(if|ifdef|ifndef|else|endif|include)|extern \"C\"|\}$", line)]
                out += [f"### {_title(code)}", ""]
                if comment:
                    out += [_comment(comment), ""]
                out += ["```c", "\n".join(code).replace("NESO_API ", ""), "```", ""]
    return "\n".join(out).rstrip() + "\n"
