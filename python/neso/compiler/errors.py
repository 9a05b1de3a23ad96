"""Errors of compiling a kernel."""

import ast
import functools
import linecache

from ..errors import TritonError


@functools.lru_cache(maxsize=16)
def _functions(text):
    """The function definitions of a source."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return ()
    return tuple(node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)))


def _at(place):
    """"at LINE:COLUMN:", counted from the `def` of the function that the place is in, as upstream counts; or ""."""
    lines = linecache.getlines(place.path) if place.path and place.line else []
    around = [f for f in _functions("".join(lines)) if f.lineno <= place.line <= f.end_lineno]
    if not around:
        return ""
    function = max(around, key=lambda f: f.lineno)
    return f"at {place.line - function.lineno + 1}:{place.column - 1 - function.col_offset}:"


def _with_places(text, places):
    return "\n".join([text.rstrip("\n")] + [at for at in map(_at, places) if at]) + "\n"


class CompilationError(TritonError):
    """A kernel that cannot be compiled.

    `file`, `line`, `column` and `source_line` say where, `error_message` what, and `findings` holds all that was
    found, with the calls that led there as notes."""

    source_line_count_max_in_message = 12

    def __init__(self, src, node, error_message=None, findings=()):
        super().__init__(src, node, error_message)
        self.src = src
        self.node = node
        self.error_message = error_message
        self.findings = list(findings)
        self.message = self._format_message()

    @classmethod
    def of(cls, text, findings):
        made = cls(None, None, findings[0].text if findings else text, findings)
        first = findings[0] if findings else None
        made.message = _with_places(text, made._calls()[::-1] + [first] if first else [])
        return made

    def _calls(self):
        """The notes that name calls which led here, the innermost first."""
        return [n for n in self.findings[0].notes if n.line and n.text.startswith("in the call of")] if self.findings else []

    def in_callee(self):
        """What upstream has as the cause of an error in a called function: the error there; else None."""
        if not self._calls():
            return None
        first = self.findings[0]
        made = type(self)(None, None, first.text, self.findings)
        made.message = _with_places(repr(first), [first])
        return made

    def _format_message(self):
        line = getattr(self.node, "lineno", None)
        if self.src is None:
            text = " <source unavailable>"
        elif line is None:
            text = self.src
        else:
            shown = self.src.split("\n")[:line][-self.source_line_count_max_in_message:]
            column = self.node.col_offset
            text = f"at {line}:{column}:\n" + ("\n".join(shown + [" " * column + "^"]) if shown else " <source empty>")
        return text + ("\n" + self.error_message if self.error_message else "")

    def _first(self, name, default):
        return getattr(self.findings[0], name) if self.findings else default

    @property
    def file(self):
        return self._first("path", None)

    @property
    def line(self):
        return self._first("line", getattr(self.node, "lineno", 0))

    @property
    def column(self):
        return self._first("column", getattr(self.node, "col_offset", 0))

    @property
    def source_line(self):
        return self._first("source_line", None)

    def __str__(self):
        return self.message

    def __reduce__(self):
        return (_remake, (type(self), self.src, self.error_message, self.message, self.findings))


def _remake(cls, src, error_message, message, findings):
    made = cls(src, None, error_message, findings)
    made.message = message
    return made


class CompileTimeAssertionFailure(CompilationError):
    """A static_assert that did not hold."""


class UnsupportedLanguageConstruct(CompilationError):
    """Python that kernels may not use."""


class FrontendError(CompilationError):
    """A name of upstream's, for programs that catch it: what is raised is a CompilationError."""


class MLIRCompilationError(TritonError):
    """A stage after the front end that failed."""
