"""Mistakes of those who call: each is an error or a warning that says what there is instead."""

import os
import unittest
import warnings

os.environ.setdefault("NESO_QUIET", "1")

import neso as triton  # noqa: E402
import neso.language as tl  # noqa: E402
from neso import knobs  # noqa: E402


@triton.jit
def add(x, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, i < n) + 1, i < n)


def array():
    import array
    return array.array("f", [1.0] * 16)


def source(constexprs):
    return triton.compiler.ASTSource(add, {"x": "*fp32", "n": "i32", "BLOCK": "constexpr"}, constexprs)


class Mistakes(unittest.TestCase):

    def refused(self, rows):
        for call, kind, words in rows:
            with self.subTest(words), self.assertRaisesRegex(kind, words):
                call()

    def warned(self, rows):
        for call, words in rows:
            with self.subTest(words), self.assertWarnsRegex(UserWarning, words):
                call()

    def test_keywords(self):
        self.refused((
            (lambda: add[(1, )](array(), 16, BLOCK=16, block=3), KeyError, "block was specified.*did you mean 'BLOCK'"),
            (lambda: add[(1, )](array(), 16, BLOCK=16, q=3), KeyError, "q was specified but unrecognised; it has x, n, BLOCK"),
            (lambda: add[(1, )](array(), 16, BLOCK=16, neso_target=90), TypeError, "neso_target is a name.*not 90"),
            (lambda: add[(1, )](array(), 16, BLOCK=16, num_warps=0), ValueError, "num_warps is 0, but must be a power of 2"),
            (lambda: add[(1, )](array(), 16, BLOCK=16, compile_timeout=-1), ValueError, "seconds, more than 0, not -1"),
            (lambda: add[(1, )](array(), 16, BLOCK=16, compile_timeout="1"), ValueError, "seconds, more than 0, not '1'"),
        ))

    def test_grids(self):
        self.refused((
            (lambda: add[()](array(), 16, BLOCK=16), ValueError, "a grid has one to three axes"),
            (lambda: add[lambda meta: (meta["BLOK"], )](array(), 16, BLOCK=16), KeyError,
             "kernel 'add': the grid's function asks for 'BLOK'; did you mean 'BLOCK'"),
            (lambda: add[lambda meta: (meta["q"], )](array(), 16, BLOCK=16), KeyError, "asks for 'q'; it has x, n, BLOCK"),
            (lambda: add[lambda meta: {}["x"]](array(), 16, BLOCK=16), KeyError, "^'x'$"),
            (lambda: add[lambda meta: None](array(), 16, BLOCK=16), TypeError, "not None, which its function gave"),
            (lambda: add[3.5](array(), 16, BLOCK=16), TypeError, "a grid is a tuple of one to three whole numbers, not 3.5"),
        ))

    def test_decorators(self):
        self.refused((
            (lambda: triton.jit(3), AssertionError, "only functions made by `def` can be kernels, not 3"),
            (lambda: triton.Config(["BLOCK"]), TypeError, "a Config begins with a dict"),
            (lambda: triton.autotune(configs=[{"BLOCK": 16}], key=[])(add), TypeError, "such as triton.Config"),
            (lambda: triton.heuristics({"BLOCK": 16})(add), TypeError, "'BLOCK' is a function of all arguments"),
        ))
        configs = [triton.Config({"BLOCK": 16})]

        def kernel(x):
            pass

        self.warned((
            (lambda: triton.jit(do_not_specialize=["y"])(kernel), "do_not_specialize of kernel has 'y'"),
            (lambda: triton.jit(do_not_specialize_on_alignment=[1])(kernel), "do_not_specialize_on_alignment of kernel has 1"),
            (lambda: triton.autotune(configs=configs, key="n")(add), "key is a list of names, \\['n'\\]"),
            (lambda: triton.autotune(configs=configs, key=[], restore_value=["X"])(add), "restore_value has 'X'.*did you mean 'x'"),
            (lambda: triton.autotune(configs=configs, key=[], reset_to_zero=["y"])(add), "reset_to_zero has 'y'"),
        ))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            triton.jit(do_not_specialize=["x", 0], do_not_specialize_on_alignment=[0])(kernel)
            triton.autotune(configs=configs, key=["n"], restore_value=["x"])(add)

    def test_compiling(self):
        self.refused((
            (lambda: source({"BLOK": 16}), ValueError, "'BLOK' is not in list of the parameters of 'add': x, n, BLOCK"),
            (lambda: triton.compile("."), NotImplementedError, "compiles files .ttir.*not '.'"),
            (lambda: triton.compile("kernel.py"), NotImplementedError, "not 'kernel.py'; a function that @triton.jit decorates"),
        ))
        self.warned(((lambda: triton.compile(source({"BLOCK": 16}), options={"num_warp": 4}), "'num_warp'.*did you mean 'num_warps'"), ))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            triton.compile(source({"BLOCK": 16}), options={"num_warps": 4, "extern_libs": None})

    def test_settings(self):
        with knobs.runtime.scope():
            self.warned(((lambda: setattr(knobs.runtime, "debugg", True), "no setting 'debugg'.*did you mean 'debug'"),
                         (lambda: setattr(knobs.runtime, "add_stages_inspection_hook", print), "is not called.*ir_override")))
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                knobs.runtime.debug = False
                knobs.runtime.jit_cache_hook = None
                knobs.runtime.add_stages_inspection_hook = None
        self.refused((
            (lambda: triton.set_allocator(3), TypeError, "an allocator is a function of \\(size, alignment, stream\\), not 3"),
            (lambda: triton.testing.do_bench(lambda: None, return_mode="avg"), AssertionError, "return_mode is one of min.*not 'avg'"),
        ))


if __name__ == "__main__":
    unittest.main()
