"""The root of what this package raises about kernels."""


class TritonError(Exception):
    """Anything that is wrong with a kernel, its launch or its tuning."""


class CompileTimeoutError(TritonError, TimeoutError):
    """Compiling took longer than ``NESO_COMPILE_TIMEOUT``, or the launch's ``compile_timeout``, allows."""


class CompileMissError(TritonError, RuntimeError):
    """A launch would compile, which strict mode forbids (``NESO_STRICT``). `nearest` is the variant that is most like the
    one that lacks, or None, and `declaration` the line that declares it; `findings` holds both as data."""

    def __init__(self, message, findings=()):
        super().__init__(message)
        self.findings = list(findings)

    def _note(self, begins):
        notes = self.findings[0].notes if self.findings else []
        return next((n.text[len(begins):] for n in notes if n.text.startswith(begins)), None)

    @property
    def nearest(self):
        return self._note("the nearest variant is ")

    @property
    def declaration(self):
        return self._note("this line declares it: ")
