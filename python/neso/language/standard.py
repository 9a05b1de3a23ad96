"""Functions of the language that are written in it."""
from .core import make_builtins

make_builtins(globals(), "language.standard", """
    cdiv sigmoid softmax ravel swizzle2d zeros zeros_like max argmax min argmin sum xor_sum reduce_or cumsum cumprod atomic_poll expect_zero
    sort topk argsort searchsorted prod roll segments unique median bitonic_merge flip interleave squeeze unsqueeze _log2 _sum_combine _elementwise_max _elementwise_min
    _argmax_combine _argmin_combine _indicator _compare_and_swap _bitonic_merge""")
