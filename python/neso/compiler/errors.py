"""Errors of compiling a kernel."""

from ..errors import TritonError


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
        made.message = text
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
    pass


class MLIRCompilationError(TritonError):
    """A stage after the front end that failed."""
