"""neso.breakpoint(): what kernels print there is gathered, shown, and, at a terminal, asked about."""

import re
import sys


def breakpoint(*args, **kwargs):
    """Inside of a kernel that the interpreter runs: shows the live tiles and stops there. On the host: Python's own breakpoint().

    >>> @triton.jit
    ... def kernel(x, out):
    ...     value = tl.load(x)
    ...     triton.breakpoint()
    ...     tl.store(out, value)
    """
    sys.breakpointhook(*args, **kwargs)


_LINE = re.compile(r"(pid \([^)]*\)) (idx \(([^)]*)\) )?(.*)")
_open = {}


class Quit(KeyboardInterrupt):
    """`q` at the prompt of a breakpoint."""


def filter_output(text):
    """Takes what kernels print; gives back what is not part of a breakpoint."""
    if not _open and " breakpoint " not in text:
        return text
    rest = []
    for line in text.splitlines(True):
        found = _LINE.match(line)
        program, words = (found.group(1), found.group(4)) if found else (None, "")
        if words == "breakpoint end" and program in _open:
            _stop(program, *_open.pop(program))
        elif words.startswith("breakpoint ") and found.group(2) is None:
            _open[program] = (words[len("breakpoint "):], {})
        elif program in _open and found.group(2) is not None:
            name, _, value = words.partition(": ")
            _open[program][1].setdefault(name, []).append(value)
        else:
            rest.append(line)
    return "".join(rest)


def _show(name, values, most):
    if len(values) == 1:
        return f"    {name} = {values[0]}"
    shown = ", ".join(values[:most]) + (", ..." if len(values) > most else "")
    return f"    {name} = [{shown}] ({len(values)} elements)"


def _stop(program, place, tiles):
    out = sys.stdout
    out.write(f"neso.breakpoint: {place}, program {program[4:]}\n")
    for name, values in tiles.items():
        out.write(_show(name, values, 8) + "\n")
    if _going_on or not (sys.stdin and sys.stdin.isatty() and out.isatty()):
        return
    import select
    while True:
        out.write("(neso) ")
        out.flush()
        # A Ctrl-C between two calls is acted on when the next one returns: none waits for long.
        while not select.select([sys.stdin], [], [], 0.2)[0]:
            pass
        word = sys.stdin.readline().strip()
        if word in ("", "c", "continue"):
            return
        if word in ("g", "go"):
            _going_on.append(True)
            return
        if word in ("q", "quit"):
            raise Quit("the kernel was left at a breakpoint")
        if word in tiles:
            out.write(_show(word, tiles[word], len(tiles[word])) + "\n")
        else:
            out.write("c: go on to the next stop; g: go on without stopping; q: leave; a variable: all its elements\n")


_going_on = []

breakpoint.__neso_path__ = "breakpoint"
breakpoint.__triton_builtin__ = True
