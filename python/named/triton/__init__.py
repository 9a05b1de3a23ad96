"""`triton` is neso, in environments that have neso-triton and no Triton."""

import importlib
from importlib import metadata


def _become():
    try:
        found = metadata.version("triton")
    except metadata.PackageNotFoundError:
        found = None
    if found is not None:
        raise ImportError(f"neso-triton and triton {found} are both installed, each as the package triton: uninstall one of them, and install "
                          "the other again")
    import neso
    # Children have this package too.
    neso.install(children=False)
    importlib.import_module(__name__)


_become()
