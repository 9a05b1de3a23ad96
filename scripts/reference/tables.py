"""Rows of the tables in src/: NAME(argument, ...), with C's comments, joined strings and sections."""

import re


def _strings(text):
    """C string literals of a text, joined, without their escapes."""
    parts = re.findall(r'"((?:[^"\\]|\\.)*)"', text)
    return re.sub(r"\\(.)", lambda m: {"n": "\n", "t": "\t"}.get(m[1], m[1]), "".join(parts))


def _arguments(text):
    """The arguments of a row: splits at commas outside of strings and parentheses."""
    found, depth, start, at = [], 0, 0, 0
    while at < len(text):
        c = text[at]
        if c == '"':
            at = re.compile(r'"(?:[^"\\]|\\.)*"').match(text, at).end()
            continue
        depth += c in "(" and 1 or c in ")" and -1
        if c == "," and not depth:
            found.append(text[start:at].strip())
            start = at + 1
        at += 1
    return found + [text[start:].strip()]


def rows(path, macro):
    """(section, [argument, ...]) of each row `macro(...)`; string arguments are their values. A section is the text of the last
    comment /* ---- text ---- */."""
    text = path.read_text()
    section, at = "", 0
    pattern = re.compile(r'/\* ---- (?P<section>.*?) ----? ?\*/|/\*.*?\*/|"(?:[^"\\]|\\.)*"|^[ \t]*' + macro + r"\((?P<row>)", re.S | re.M)
    while match := pattern.search(text, at):
        at = match.end()
        if match["section"] is not None:
            section = match["section"]
        elif match["row"] is not None:
            end = _end_of_row(text, at)
            arguments = [_strings(a) if a.startswith('"') else a for a in _arguments(text[at:end])]
            yield section, arguments
            at = end


def _end_of_row(text, at):
    depth = 1
    for match in re.compile(r'"(?:[^"\\]|\\.)*"|[()]').finditer(text, at):
        depth += {"(": 1, ")": -1}.get(match[0], 0)
        if not depth:
            return match.start()
    raise ValueError(f"a row does not end: {text[at:at + 60]!r}")


def cell(text):
    """Text for a cell of a Markdown table, or a paragraph."""
    return re.sub(r"([|*<_])", r"\\\1", text)
