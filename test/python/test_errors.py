"""Errors of compiling as programs look at them: their text, their places, what caused them."""

import os
import pickle
import unittest
from unittest import mock

os.environ.setdefault("NESO_QUIET", "1")

import neso as triton  # noqa: E402
import neso.language as tl  # noqa: E402
from neso.compiler.errors import CompilationError, CompileTimeAssertionFailure  # noqa: E402


def compiled(kernel, signature=None, **constants):
    signature = dict.fromkeys(constants, "constexpr") | (signature or {})
    return triton.compile(triton.compiler.ASTSource(fn=kernel, signature=signature, constexprs=constants))


#: Some of the words are of what only Triton refuses.
STRICT = mock.patch.dict(os.environ, {"NESO_STRICT_TRITON": "1"})


class Errors(unittest.TestCase):

    def error(self, kernel, signature=None, kind=CompilationError, **constants):
        with self.assertRaises(kind) as caught:
            compiled(kernel, signature, **constants)
        self.assertEqual(str(pickle.loads(pickle.dumps(caught.exception))), str(caught.exception))
        return caught.exception

    def test_places_count_from_the_def(self):

        @triton.jit
        def kernel():
            tl.static_assert(isinstance(0, tl.tensor))

        error = self.error(kernel, kind=CompileTimeAssertionFailure)
        self.assertIn("at 2:4:", str(error))
        self.assertIsNone(error.__cause__)

    def test_operators_have_no_cause(self):

        @triton.jit
        def kernel():
            1.0 << 1

        error = self.error(kernel)
        self.assertIn("at 2:4:", str(error))
        self.assertIsNone(error.__cause__)

    def test_builtins_have_a_cause(self):

        @triton.jit
        def kernel():
            a = tl.arange(0, 100)
            tl.static_print(a)

        with STRICT:
            error = self.error(kernel)
        self.assertIn("at 2:8:", str(error))
        self.assertIsInstance(error.__cause__, ValueError)
        self.assertEqual(str(error.__cause__), "arange's range must be a power of 2")

        @triton.jit
        def tile():
            tl.full((2, 33), 0, dtype=tl.int64)

        with STRICT:
            error = self.error(tile)
        self.assertEqual(str(error.__cause__), "Shape element 1 must be a power of 2")

    def test_calls_are_a_chain(self):
        error = self.error(nested_call)
        self.assertIn("at 3:4:", str(error))
        inside = error.__cause__
        self.assertIsInstance(inside, CompilationError)
        self.assertIn("at 2:4:", str(inside))
        self.assertNotIn("at 3:4:", str(inside))

    def test_the_words_that_programs_match_on(self):

        @triton.jit
        def small(p):
            i = tl.arange(0, 16)
            j = tl.arange(0, 8)
            a = tl.zeros((16, 8), tl.float16) + i[:, None] + j[None, :]
            tl.store(p, tl.sum(tl.sum(tl.dot(a, tl.trans(a)), 0), 0))

        @triton.jit
        def axis(p):
            tl.store(p, tl.program_id(3))

        @triton.jit
        def signs(p):
            tl.store(p, tl.load(p) // tl.load(p).to(tl.uint32))

        @triton.jit
        def index(p):
            tl.store(p, tl.zeros((16, ), tl.int32)[0])

        @triton.jit
        def shape(p):
            tl.store(p, tl.sum(tl.zeros((12, ), tl.int32), 0))

        @triton.jit
        def other_axis(p):
            tl.store(p, tl.sum(tl.zeros((16, ), tl.int32), 2))

        for kernel, signature, words in (
            (small, {"p": "*fp32"}, "Input shapes should have M >= 1, N >= 1 and K >= 16"),
            (axis, {"p": "*i32"}, "program_id axis must be 0, 1, or 2"),
            (signs, {"p": "*i32"}, "because they have different signedness"),
            (index, {"p": "*i32"}, "unsupported tensor index"),
            (shape, {"p": "*i32"}, "must be a power of 2"),
            (other_axis, {"p": "*i32"}, "invalid axis"),
        ):
            with self.subTest(kernel.__name__), STRICT:
                self.assertIn(words, str(self.error(kernel, signature)))

    def test_more_words_that_programs_match_on(self):

        @triton.jit
        def kernel(p, WHAT: tl.constexpr):
            x = tl.zeros((4, ), tl.float32)
            if WHAT == "shapes":
                x + tl.zeros((8, ), tl.float32)
            elif WHAT == "rank":
                tl.broadcast_to(x, (4, 4, 4)) + tl.broadcast_to(tl.zeros((4, 4), tl.float32), (4, ))
            elif WHAT == "reshape":
                tl.reshape(x, (8, ))
            elif WHAT == "pointer":
                tl.load(tl.arange(0, 4))
            elif WHAT == "branch":
                y = 1
                if tl.program_id(0) > 0:
                    y = 1.0
                tl.store(p, y)
            elif WHAT == "branches":
                if tl.program_id(0) > 0:
                    y = 1.0
                else:
                    y = 1
                tl.store(p, y)
            elif WHAT == "loop":
                y = 1
                for i in range(tl.program_id(0)):
                    y = y + 1.0
                tl.store(p, y)
            elif WHAT == "end":
                tl.arange(4, 4)
            elif WHAT == "range":
                tl.arange(0, 2**40)
            elif WHAT == "size":
                tl.zeros((2097152, ), tl.float32)
            elif WHAT == "dot":
                tl.dot(tl.zeros((16, 32), tl.float16), tl.zeros((16, 16), tl.float16))
            elif WHAT == "imprecise":
                a = tl.zeros((64, 64), tl.float8e5)
                tl.dot(a, a, max_num_imprecise_acc=128)
            elif WHAT == "many":
                a, b = (1, 2, 3)
            elif WHAT == "few":
                a, b, c = (1, 2)

        for what, words in (
            ("shapes", "Cannot make_shape_compatible: incompatible dimensions at index 0: 4 and 8"),
            ("rank", "Cannot broadcast, rank mismatch"),
            ("reshape", "reshape() cannot change total number of elements in tensor"),
            ("pointer", "Unsupported ptr type"),
            ("branch", "initial value for `y` is of type int32"),
            ("branches", "Mismatched type for y between then block"),
            ("loop", "Loop-carried variable y has initial type int32"),
            ("end", "arange's end argument must be greater than the start argument"),
            ("range", "arange must fit in int32"),
            ("size", "numel (2097152) exceeds triton maximum tensor numel (1048576)"),
            ("dot", "input and other must have equal reduction dimensions"),
            ("many", "too many values to unpack (expected 2, got 3)"),
            ("few", "not enough values to unpack (expected 3, got 2)"),
        ):
            with self.subTest(what), STRICT:
                self.assertIn(words, str(self.error(kernel, {"p": "*fp32"}, WHAT=what)))
        error = self.error(kernel, {"p": "*fp32"}, WHAT="imprecise")
        self.assertEqual(str(error.__cause__), "max_num_imprecise_acc (128) must be <= K (64)")

    def test_results_that_must_be_used(self):

        @triton.jit
        def evil():
            cube(tl.full((64, ), 0.0, tl.float32))

        error = self.error(evil)
        self.assertEqual(error.error_message, "The result of cube is not being used. Cubes are dear.")
        self.assertIn("at 2:4:", str(error))
        self.assertIsNone(error.__cause__)

    def test_parameters_without_names(self):

        @triton.jit
        def named(x, **values):
            pass

        @triton.jit
        def counted(x, *values):
            pass

        for kernel, given, word in ((named, {"N": 1}, r"\*\*values"), (named, {}, r"\*\*values"), (counted, {}, r"\*values")):
            with self.assertRaisesRegex(TypeError, f"kernel '.*': JIT functions do not support {word}"):
                kernel[(1, )](1, **given)

    def test_calls_that_are_none(self):

        @triton.jit
        def kernel(x_ptr, BLOCK: tl.constexpr):
            tl.store(x_ptr, BLOCK)

        x = bytearray(8)
        source = triton.compiler.ASTSource(kernel, {"x_ptr": "*fp32"}, {"BLOCK": 1})
        for call, kind, words in (
            (lambda: kernel(x, 4), RuntimeError, "outside of the scope of a kernel: kernel\\[grid\\]"),
            (lambda: kernel[(1, )](x, 4, num_warps="4"), TypeError, "num_warps is a whole number, not '4'"),
            (lambda: triton.jit(len), TypeError, "only functions made by `def`.*len"),
            (lambda: triton.jit(int), TypeError, "only functions made by `def`.*int"),
            (lambda: triton.compile(kernel), TypeError, "ASTSource\\(kernel, signature, constexprs\\)"),
            (lambda: triton.compile(source, target="sm_90"), TypeError, "target is a GPUTarget.*not 'sm_90'"),
            (lambda: triton.compiler.ASTSource(kernel, {"z": "*fp32"}), ValueError, "no parameter 'z': it has x_ptr, BLOCK"),
        ):
            with self.subTest(words), self.assertRaisesRegex(kind, words):
                call()


DEAR = "Cubes are dear."


@triton.must_use_result(DEAR)
@triton.jit
def cube(x):
    return x * x * x


@triton.jit
def nested_call():
    # the call's line is the third
    inner()


@triton.jit
def inner():
    1.0 << 1


if __name__ == "__main__":
    unittest.main()
