"""What upstream calls experimental and this version does not have."""


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    raise ImportError(f"neso has no triton.experimental.{name}: Gluon is not part of this version")
