"""neso.breakpoint()."""


def breakpoint(*args, **kwargs):
    """Inside of a kernel: shows the live tiles and stops there. On the host: Python's own breakpoint()."""
    import sys
    sys.breakpointhook(*args, **kwargs)


breakpoint.__neso_path__ = "breakpoint"
breakpoint.__triton_builtin__ = True
