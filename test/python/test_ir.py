"""Kernels from files of TTIR: compiled, launched, changed by hand; what is wrong with them is said where it is."""

import os
import tempfile
import unittest

os.environ.setdefault("NESO_QUIET", "1")

import numpy as np  # noqa: E402

import neso as triton  # noqa: E402
import neso.language as tl  # noqa: E402
from neso.compiler import ASTSource, IRSource  # noqa: E402
from neso.runtime.errors import ArgumentError  # noqa: E402
from neso.tools.tensor_descriptor import TensorDescriptor  # noqa: E402


@triton.jit
def twice(x):
    return x * 2.0


@triton.jit
def scale_kernel(x_ptr, o_ptr, factor, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    tl.store(o_ptr + at, twice(tl.load(x_ptr + at, mask=mask)) * factor, mask=mask)


@triton.jit
def block_kernel(x_desc, o_ptr, flag):
    block = x_desc.load([8, 0])
    at = tl.arange(0, 8)[:, None] * 16 + tl.arange(0, 16)[None, :]
    tl.store(o_ptr + at, tl.where(flag, block, x_desc.shape[0].to(tl.float32)))


class FromIr(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "kernel.ttir")
        self.x = np.arange(100, dtype=np.float32)
        self.o = np.zeros(100, np.float32)

    def compiled(self, text):
        with open(self.path, "w") as file:
            file.write(text)
        return triton.compile(self.path)

    def scale_text(self):
        return scale_kernel.warmup(self.x, self.o, 3.0, 100, BLOCK=64, grid=(1, )).asm["ttir"]

    def test_a_file_is_compiled_and_launched(self):
        kernel = self.compiled(self.scale_text())
        self.assertEqual(kernel.metadata.name, "scale_kernel")
        self.assertEqual(kernel.asm["source"], self.scale_text())
        self.assertIn("tt.func public @scale_kernel", kernel.asm["ttir"])
        kernel[(2, )](self.x, self.o, 3.0, 100)
        np.testing.assert_array_equal(self.o, self.x * 6)
        kernel[(2, )](self.x, self.o, 1, 1)
        self.assertEqual(self.o[1], 6)

    def test_it_may_be_changed_by_hand(self):
        text = self.scale_text()
        changed = text.replace("dense<2.0", "dense<5.0")
        self.assertNotEqual(changed, text)
        kernel = triton.compile(IRSource(self.compiled(changed).src.path), options={"num_warps": 8})
        self.assertEqual(kernel.metadata.num_warps, 8)
        kernel[(2, )](self.x, self.o, 3.0, 100)
        np.testing.assert_array_equal(self.o, self.x * 15)

    def test_text_before_the_passes(self):
        text = scale_kernel.warmup(self.x, self.o, 3.0, 100, BLOCK=64, grid=(1, )).asm["ttir-raw"]
        self.assertIn("tt.call", text)
        self.compiled(text)[(2, )](self.x, self.o, 3.0, 100)
        np.testing.assert_array_equal(self.o, self.x * 6)

    def test_descriptors(self):
        x, o = np.random.rand(24, 16).astype(np.float32), np.zeros((8, 16), np.float32)
        given = TensorDescriptor.from_tensor(x, [8, 16])
        kernel = self.compiled(block_kernel.warmup(given, o, True, grid=(1, )).asm["ttir"])
        kernel[(1, )](given, o, True)
        np.testing.assert_array_equal(o, x[8:16])
        kernel[(1, )](given, o, False)
        np.testing.assert_array_equal(o, 24)

    def test_arguments_that_do_not_fit(self):
        kernel = self.compiled(self.scale_text())
        with self.assertRaisesRegex(triton.TritonError, r"wants \*fp32 for 'x_ptr', but is given \*fp64"):
            kernel[(2, )](self.x.astype(np.float64), self.o, 3.0, 100)
        text = self.scale_text()
        self.assertIn("tt.divisibility = 16", text)
        with self.assertRaisesRegex(ArgumentError, "divisible by 16"):
            kernel[(1, )](self.x[1:], self.o, 3.0, 99)

    def test_a_pointer_is_one_to_elements_of_the_size(self):
        kernel = self.compiled(self.scale_text())
        kernel[(2, )](self.x.view(np.int32), self.o, 3.0, 100)
        np.testing.assert_array_equal(self.o, self.x * 6)

    def test_a_predicate_may_stand_in_quotes(self):
        text = self.scale_text()
        self.assertIn("arith.cmpi slt,", text)
        self.compiled(text.replace("arith.cmpi slt,", 'arith.cmpi "slt",'))[(2, )](self.x, self.o, 3.0, 100)
        np.testing.assert_array_equal(self.o, self.x * 6)
        with self.assertRaisesRegex(triton.CompilationError, "'predicate' of arith.cmpi must be a number or its flags"):
            self.compiled(text.replace("arith.cmpi slt,", 'arith.cmpi "no",'))

    def test_faults_of_the_text(self):
        with self.assertRaises(triton.CompilationError) as raised:
            self.compiled("module {\n  tt.func public @f() {\n    tt.nothing\n    tt.return\n  }\n}\n")
        self.assertEqual(raised.exception.line, 3)
        with self.assertRaisesRegex(triton.CompilationError, ":2:.*'a' of function 'f' is tensor<4xi32>, which a launch cannot give"):
            self.compiled("module {\n  tt.func public @f(%a: tensor<4xi32>) {\n    tt.return\n  }\n}\n")
        with self.assertRaisesRegex(ValueError, "no function that is a kernel"):
            self.compiled("module {\n  tt.func private @f() {\n    tt.return\n  }\n}\n")
        with self.assertRaisesRegex(NotImplementedError, "not 'kernel.sass'"):
            triton.compile("kernel.sass")
        with self.assertRaises(FileNotFoundError):
            triton.compile("nowhere.ttir")

    def test_names_are_names_and_never_run(self):
        mark = os.path.join(os.path.dirname(self.path), "mark")
        for name in (f"f(): open('{mark}', 'w')\ndef f", "f", "class", "a.b", "1a", "f(x=print(1))", "f\x1b[2J"):
            text = "".join(f"\\{byte:02X}" if byte < 32 else chr(byte) for byte in name.encode())
            head = f'module {{\n  tt.func public @"{text}"(%a: !tt.ptr<f32>) {{\n    tt.return\n  }}\n}}\n'
            if name == "f":
                self.assertEqual(self.compiled(head).metadata.name, "f")
                continue
            with self.assertRaisesRegex((ValueError, triton.CompilationError), "kernel.ttir") as raised:
                self.compiled(head)
            self.assertNotIn("\x1b", str(raised.exception))
        self.assertFalse(os.path.exists(mark))

    def test_names_of_parameters(self):
        kernel = self.compiled(self.scale_text().replace("%x_ptr", "%class").replace("%o_ptr", "%900"))
        kernel[(2, )](self.x, self.o, 3.0, 100)
        np.testing.assert_array_equal(self.o, self.x * 6)

    def test_a_kernel_by_its_signature(self):
        kernel = triton.compile(ASTSource(block_kernel, {"x_desc": "tensordesc<fp32[8, 16]>", "o_ptr": "*fp32", "flag": "i1"}))
        self.assertIn("!tt.tensordesc<tensor<8x16xf32>>", kernel.asm["ttir"])


if __name__ == "__main__":
    unittest.main()
