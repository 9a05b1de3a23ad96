"""The root of what this package raises about kernels."""


class TritonError(Exception):
    """Anything that is wrong with a kernel, its launch or its tuning."""


class CompileTimeoutError(TritonError, TimeoutError):
    """Compiling took longer than ``NESO_COMPILE_TIMEOUT``, or the launch's ``compile_timeout``, allows."""
