"""triton._filecheck: kernels whose source holds CHECK lines, matched with their TTIR by LLVM's FileCheck; the text without locations."""

import os
import unittest

os.environ.setdefault("NESO_QUIET", "1")

import neso as triton  # noqa: E402
import neso.language as tl  # noqa: E402
from neso import _filecheck  # noqa: E402
from neso._C.libtriton import ir  # noqa: E402
from neso._filecheck import filecheck_test, run_filecheck, run_filecheck_test, run_parser  # noqa: E402
from neso.runtime.jit import MockTensor  # noqa: E402


@triton.jit
def anchor(v):
    pass


@filecheck_test
@triton.jit
def named():
    # CHECK-LABEL: @named
    x = (y := 0)
    # CHECK: %c0_i32 = arith.constant 0 : i32
    # CHECK-NEXT: tt.call @{{.*}}anchor{{.*}}(%c0_i32)
    anchor(x)
    # CHECK-NEXT: tt.call @{{.*}}anchor{{.*}}(%c0_i32)
    anchor(y)


@filecheck_test
@triton.jit
def otherwise():
    # CHECK: arith.constant 7 : i32
    anchor(8)


@triton.jit
def loop(out_ptr, n, BLOCK: tl.constexpr):
    # CHECK-LABEL: tt.func public @loop(%arg0: !tt.ptr<f32>
    # CHECK-SAME: %arg1: i32
    acc = 0.0
    # CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
    # CHECK: scf.for %[[I:.*]] = %c0_i32 to %arg1 step %c1_i32 iter_args(%[[ACC:.*]] = %[[ZERO]]) -> (f32)
    for i in range(n):
        # CHECK: tt.call @{{.*}}anchor{{.*}}(%[[I]])
        anchor(i)
        acc += 1.0
    tl.store(out_ptr + tl.arange(0, BLOCK), acc)


@triton.jit
def percent():
    tl.device_print("50 %of")


class FileCheck(unittest.TestCase):

    def test_text_without_debug(self):
        module = run_parser(loop, (MockTensor(tl.float32), 8, 16))
        self.assertIn("%acc", str(module))
        text = module.str_nodebug()
        for absent in ("loc(", "%acc", "%out_ptr", "%n", "%i"):
            self.assertNotIn(absent + " ", text)
        self.assertIn("tt.func public @loop(%arg0: !tt.ptr<f32>", text)
        self.assertEqual(ir.parse_text(text, ir.context()).str_nodebug(), text)
        self.assertIn("50 %of", run_parser(percent).str_nodebug())

    def test_errors_are_those_of_a_launch(self):

        @triton.jit
        def kernel():
            anchor(undefined)  # noqa: F821

        with self.assertRaisesRegex(triton.CompilationError, "name .undefined. is not defined"):
            run_parser(kernel)
        with self.assertRaisesRegex(TypeError, "a kernel .* not function"):
            run_filecheck_test(lambda: None)

    @unittest.skipUnless(_filecheck.filecheck_path, "no FileCheck is installed")
    def test_matching(self):
        named()
        run_filecheck_test(loop, (MockTensor(tl.float32), 8), {"BLOCK": 16})
        with self.assertRaisesRegex(ValueError, "expected string not found"):
            otherwise()
        run_filecheck("any", "one\ntwo\n", "CHECK: one\nCHECK-NEXT: two")

    def test_without_filecheck(self):
        path, _filecheck.filecheck_path = _filecheck.filecheck_path, None
        try:
            with self.assertRaisesRegex(FileNotFoundError, "no FileCheck: it comes with LLVM"):
                named()
        finally:
            _filecheck.filecheck_path = path


if __name__ == "__main__":
    unittest.main()
