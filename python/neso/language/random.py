"""Random numbers of the language."""
from .core import make_builtins

make_builtins(globals(), "language.random", """
    philox philox_impl randint randint4x rand rand4x randn randn4x uint_to_uniform_float pair_uniform_to_normal
    curand4x torch_rand torch_randint torch_randn
    uint32_to_uniform_float""")
N_ROUNDS_DEFAULT = 10
