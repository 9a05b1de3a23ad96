"""The root of what this package raises about kernels."""


class TritonError(Exception):
    """Anything that is wrong with a kernel, its launch or its tuning."""
