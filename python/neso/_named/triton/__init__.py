"""`triton`, where neso stands for it: a folder that processes which are to know neso by that name have on their path (neso.install)."""


def _become():
    import importlib
    import os
    import sys
    here = os.path.realpath(os.path.dirname(os.path.dirname(__file__)))
    try:
        import neso
    except ImportError as error:
        # A Python that has no neso, started by one that has: it has the triton that it had.
        if error.name != "neso":
            raise
        if os.environ.get("TORCH_CUSTOM_PYTHONPATH", "").split(os.pathsep)[0] == os.path.dirname(os.path.dirname(__file__)):
            del os.environ["TORCH_CUSTOM_PYTHONPATH"]  # which is of that other Python's
        sys.path[:] = [path for path in sys.path if os.path.realpath(path) != here]
        del sys.modules[__name__]
        importlib.invalidate_caches()
    else:
        neso.install()
    importlib.import_module(__name__)


_become()
