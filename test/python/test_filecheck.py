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


@triton.jit
def pair(x, y):
    return x, y


@triton.jit
def several(x, y, z, f: tl.constexpr, WIDTH=None):
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

    def test_what_triton_refuses(self):

        @triton.jit
        def kernel(n):
            while n > 0:
                return

        with self.assertRaisesRegex(triton.CompilationError, "Cannot have `return` statements inside"):
            run_parser(kernel, (8, ))
        os.environ["NESO_STRICT_TRITON"] = "0"
        try:
            run_parser(kernel, (8, ))
        finally:
            del os.environ["NESO_STRICT_TRITON"]
        kernel.warmup(8, grid=(1, ))

    def test_symbols_are_upstreams(self):

        @triton.jit
        def kernel(p, n):
            several(p + tl.arange(0, 8), (n, 3), "it's", pair, WIDTH=1.5)
            several(n > 3, (tl.full((4, 2), 1.0, tl.bfloat16), ), tl.float32, None)

        text = run_parser(kernel, (MockTensor(tl.float16), 8)).str_nodebug()
        here = "test_filecheck"
        for symbol in ("Pfp16S8S_i32__(1, 1)cconstexpr_3__(2,)cconstexpr_it_sq_s__"
                       f"(3,)cconstexpr_JITFunction({here}:pair)__(4,)cconstexpr_1_d_5_",
                       "u1_bf16S4_2S__(2,)cconstexpr_fp32__(3,)cconstexpr_None__(4,)cNone"):
            self.assertIn(f'tt.call @"{here}.several__{symbol}"(', text)
            self.assertIn(f'tt.func private @"{here}.several__{symbol}"(', text)

    def test_constant_tiles(self):

        @triton.jit
        def kernel():
            anchor(tl.full((4, ), 42, tl.int32))

        self.assertIn("%cst = arith.constant dense<42> : tensor<4xi32>", run_parser(kernel).str_nodebug())

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
