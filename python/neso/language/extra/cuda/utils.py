"""Facts of the running GPU thread block, and conversions of float8."""
from ...core import make_builtins

make_builtins(globals(), "language.extra.cuda", """
    globaltimer smid num_threads num_warps convert_custom_float8_sm70 convert_custom_float8_sm80""")
__all__ = [name for name in globals() if not name.startswith("_") and name != "make_builtins"]
