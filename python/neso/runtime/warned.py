"""What a compilation warns of: as Python's warnings where upstream has such, else as text on stderr."""

import contextlib
import sys
import warnings

# Found in the kernel's source, at a line of it: codes of src/base/diag.
_IN_SOURCE = {
    "TILE_WHERE_CONDITION": UserWarning,
    "TILE_SHIFT": UserWarning,
    "TILE_VIEW": UserWarning,
    "TILE_DOT_E4B15": UserWarning,
    "IF_BLOCK": UserWarning,
    "LOGICAL_BLOCK": UserWarning,
    "PRECEDENCE": UserWarning,
    "RESULT_UNUSED": UserWarning,
    "BUILTIN_EXTREME": DeprecationWarning,
}
_collected = []  # lists of those who collect what is found
_shown = {}  # by Python's rules each place is warned of once


def _text(found):
    place = f"{found['path']}:{found['line']}:{found['column']}: " if found.get("line") else ""
    lines = [f"{place}{found['severity']}: {found['text']}\n"]
    return "".join(lines + [_text(note) for note in found.get("notes", [])])


@contextlib.contextmanager
def collect():
    """What launches and compilations warn of meanwhile, as a list of findings, in place of text on stderr."""
    found = []
    _collected.append(found)
    try:
        yield found
    finally:
        _collected[:] = [other for other in _collected if other is not found]


def _finding(one):
    from .host import Finding
    return Finding(("error", "warning", "note").index(one["severity"]), one["code"], one["text"], one["path"], one["line"],
                   one["column"], one["end_line"], one["end_column"], one.get("source_line"),
                   [[("error", "warning", "note").index(n["severity"]), n["code"], n["text"], n["path"], n["line"], n["column"],
                     n["end_line"], n["end_column"], n.get("source_line"), []] for n in one.get("notes", [])])


def show(text, described):
    """text: of all findings; described: the same as JSON."""
    import json
    found = json.loads(described)
    if _collected:
        _collected[-1].extend(map(_finding, found))
        return
    others = [one for one in found if one["code"] not in _IN_SOURCE or not one.get("line")]
    if len(others) == len(found):
        sys.stderr.write(text)
        return
    for one in others:
        sys.stderr.write(_text(one))
    for one in found:
        if one not in others:
            warnings.warn_explicit(one["text"], _IN_SOURCE[one["code"]], one["path"], one["line"], registry=_shown)
