"""What goes wrong around and during launches."""

from ..errors import TritonError


class InterpreterError(TritonError):
    """The interpreter cannot run a kernel."""

    def __init__(self, error_message=None):
        super().__init__(error_message)
        self.error_message = error_message

    def __str__(self):
        return self.error_message or ""


class OutOfResources(TritonError):
    """A kernel needs more of something than the GPU has: .name says of what, .required and .limit how much (int)."""

    def __init__(self, required, limit, name):
        super().__init__(required, limit, name)
        self.required = required
        self.limit = limit
        self.name = name
        self.message = None

    @classmethod
    def of(cls, message, required, limit, name):
        made = cls(required, limit, name)
        made.message = message
        return made

    def __str__(self):
        if self.message is not None:
            return f"out of resource: {self.name}, Required: {self.required}, Hardware limit: {self.limit}. {self.message}"
        return (f"out of resource: {self.name}, Required: {self.required}, Hardware limit: {self.limit}. "
                "Smaller blocks or fewer `num_stages` may help.")


class PTXASError(TritonError):
    """The assembler refuses code, or cannot be run."""

    def __init__(self, error_message=None):
        super().__init__(error_message)
        self.error_message = error_message

    def __str__(self):
        return f"PTXAS error: {self.error_message or ''}"


class AutotunerError(TritonError):
    """No configuration of a kernel can be measured."""

    def __init__(self, error_message=None):
        super().__init__(error_message)
        self.error_message = error_message

    def __str__(self):
        return f"Autotuner error: {self.error_message or ''}"


class LaunchError(TritonError, RuntimeError):
    """A launch that failed while it ran. `findings` holds kernel, source line, program and element as data."""

    def __init__(self, message, findings=()):
        super().__init__(message)
        self.findings = list(findings)

    @property
    def code(self):
        return self.findings[0].code if self.findings else ""

    @property
    def file(self):
        return self.findings[0].path if self.findings else None

    @property
    def line(self):
        return self.findings[0].line if self.findings else 0


class OutOfBoundsError(LaunchError, IndexError):
    """An access outside of the arrays that were passed, or a write to one that is only to be read."""


class DeviceAssertError(LaunchError, AssertionError):
    """A device_assert that did not hold."""


class DeadlockError(LaunchError):
    """Programs that wait for one another."""


class MixedArraysError(TritonError, TypeError, ValueError):
    """Arrays on a GPU beside arrays that a GPU cannot reach."""


class ArgumentError(TritonError, TypeError):
    """An argument that does not fit its parameter."""


class OptionError(ArgumentError, ValueError, AssertionError):
    """An option with a value that it cannot have, such as num_warps=3; an assertion in upstream."""
