"""tl.math."""
from .core import make_builtins

make_builtins(globals(), "language.math", """
    umulhi exp exp2 log log2 cos sin sqrt sqrt_rn rsqrt abs fdiv div_rn erf floor ceil fma""")
