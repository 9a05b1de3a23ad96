"""Compiling from files of every stage, for another architecture, and under another name."""
# tests: SYMBOL

import glob
import os
import re
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

os.environ.setdefault("NESO_QUIET", "1")

import numpy as np  # noqa: E402

import neso as triton  # noqa: E402
import neso.language as tl  # noqa: E402
from neso import knobs  # noqa: E402
from neso.backends.compiler import GPUTarget  # noqa: E402
from neso.compiler import ASTSource, IRSource  # noqa: E402

from engines import HAS_ASSEMBLER  # noqa: E402

HOPPER = GPUTarget("cuda", 90, 32)
#: The constant of `more` in the text of a stage, and another.
CONSTANTS = {
    "ttir": (r"dense<1\.0+e\+00>", "dense<5.000000e+00>"), "ttgir": (r"dense<1\.0+e\+00>", "dense<5.000000e+00>"),
    "llir": (r"1\.0+e\+00", "5.000000e+00"), "ptx": (r"0f3F800000", "0f40A00000"),
}

COPY = """
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @copy(%o: !tt.ptr<KIND> {tt.divisibility = 16 : i32}, %x: !tt.ptr<KIND> {tt.divisibility = 16 : i32}) {
    %0 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #b>
    %1 = tt.splat %x : !tt.ptr<KIND> -> tensor<128x!tt.ptr<KIND>, #b>
    %2 = tt.addptr %1, %0 : tensor<128x!tt.ptr<KIND>, #b>, tensor<128xi32, #b>
    %3 = tt.load %2 : tensor<128x!tt.ptr<KIND>, #b>
    %4 = tt.splat %o : !tt.ptr<KIND> -> tensor<128x!tt.ptr<KIND>, #b>
    %5 = tt.addptr %4, %0 : tensor<128x!tt.ptr<KIND>, #b>, tensor<128xi32, #b>
    tt.store %5, %3 : tensor<128x!tt.ptr<KIND>, #b>
    tt.return
  }
}
"""


@triton.jit
def more(o, x, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(o + i, tl.load(x + i) + 1)


def name_of(specialization):
    return f"more_{specialization.constants['N']}_{specialization.signature['x'].strip('*')}"


@triton.jit
def chosen(o, b):
    tl.store(o, 1.0, mask=b)


@triton.jit
def reduced(o, x, N: tl.constexpr):
    tl.store(o, tl.sum(tl.load(x + tl.arange(0, N))))


@triton.jit(repr=name_of)
def named(o, x, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(o + i, tl.load(x + i) + 1)


@triton.jit
def product(a, b, o, K, N: tl.constexpr):
    i = tl.arange(0, N)
    acc = tl.zeros((N, N), tl.float32)
    for k in range(0, K, N):
        acc += tl.dot(tl.load(a + i[:, None] * K + k + i[None, :]), tl.load(b + (k + i)[:, None] * N + i[None, :]))
    tl.store(o + i[:, None] * N + i[None, :], acc)


@triton.jit(repr=lambda _: "no name")
def misnamed(o, x, N: tl.constexpr):
    tl.store(o, tl.load(x) + N)


@triton.jit(noinline=True)
def helper(x):
    return x + 1


@triton.jit(repr=lambda _: f"{__name__.replace('.', '_')}")
def calls(o, x, N: tl.constexpr):
    tl.store(o, helper(tl.load(x)))


def compiled(fn=more, N=32, **options):
    source = ASTSource(fn, {"o": "*fp32", "x": "*fp32", "N": "constexpr"}, {"N": N})
    return triton.compile(source, target=HOPPER, options=options)


def has_codegen():
    try:
        compiled()
    except Exception as error:
        if "libneso-codegen" in str(error):
            return False
        raise
    return True


@unittest.skipUnless(has_codegen(), "built without LLVM")
class Stages(unittest.TestCase):

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def changed(self, stage, **options):
        """A file of the stage in which `more` adds 5."""
        text = compiled(**options).asm[stage]
        other, count = re.subn(*CONSTANTS[stage], text)
        self.assertEqual(count, 1, text)
        path = os.path.join(self.folder.name, f"more.{stage}")
        with open(path, "w") as file:
            file.write(other)
        return path

    def test_override(self):
        for stage in CONSTANTS:
            made = compiled(ir_override=self.changed(stage))
            self.assertIn("0f40A00000", made.asm["ptx"], stage)
            self.assertNotIn("0f3F800000", made.asm["ptx"], stage)
        self.assertIn("0f3F800000", compiled().asm["ptx"])

    def test_override_of_a_launch(self):
        x = np.zeros(32, np.float32)
        for stage in ("ttgir", "llir"):
            path = self.changed(stage)
            for expected, options in ((5, {"ir_override": path}), (1, {}), (5, {"ir_override": path})):
                o = np.zeros(32, np.float32)
                more[(1, )](o, x, 32, neso_target="sim:sm_90a", **options)
                np.testing.assert_array_equal(o, expected)

    def test_override_of_a_configuration(self):
        config = triton.Config({"N": 32}, ir_override=self.changed("ttgir"))
        tuned = triton.autotune([config], key=[])(more)
        o, x = np.zeros(32, np.float32), np.zeros(32, np.float32)
        tuned[(1, )](o, x, neso_target="sim:sm_90a")
        np.testing.assert_array_equal(o, 5)

    def test_wrong_override(self):
        with self.assertRaisesRegex(Exception, "the option ir_override names .*, and it cannot be read"):
            compiled(ir_override=os.path.join(self.folder.name, "more.ptx"))
        with self.assertRaisesRegex(Exception, "the option ir_override names .*, and its name ends with no stage"):
            compiled(ir_override=__file__)

    def test_files(self):
        for stage in CONSTANTS:
            for warps in (4, 8):
                made = triton.compile(self.changed(stage, num_warps=warps), target=HOPPER)
                self.assertEqual(made.name, "more")
                self.assertIn("0f40A00000", made.asm["ptx"])
                if stage != "ttir":
                    self.assertEqual(made.metadata.num_warps, warps)
                    self.assertRegex(made.asm["ptx"], rf"\.reqntid {32 * warps}\b")

    def test_files_with_fp8_and_without_public(self):
        for kind, name in (("f8E5M2", "fp8e5"), ("f8E4M3FN", "fp8e4nv")):
            path = os.path.join(self.folder.name, f"{name}.ttgir")
            with open(path, "w") as file:
                file.write(COPY.replace("KIND", kind).replace("public ", "" if name == "fp8e5" else "public "))
            self.assertEqual(list(triton.compile(path, target=HOPPER).src.signature.values()), [f"*{name}"] * 2)
            x, o = np.arange(128, dtype=np.uint8), np.zeros(128, np.uint8)
            with unittest.mock.patch.dict(os.environ, NESO_TARGET="sim:sm_90a"):
                triton.compile(path)[(1, )](o, x)
            np.testing.assert_array_equal(o, x)

    @unittest.skipUnless(HAS_ASSEMBLER, "no assembler")
    def test_cubin(self):
        # In another process: the variables are read when a kernel is compiled, and what was compiled is not dumped.
        script = f"""if True:
            import sys
            sys.path.insert(0, {os.path.dirname(os.path.abspath(__file__))!r})
            import test_stages
            made = test_stages.compiled(test_stages.reduced, 4096, num_warps=8)
            assert made.asm["cubin"]"""
        variables = {**os.environ, "TRITON_KERNEL_DUMP": "1", "TRITON_ALWAYS_COMPILE": "1",
                     "TRITON_DUMP_DIR": self.folder.name}
        subprocess.run([sys.executable, "-c", script], env=variables, check=True)
        path = glob.glob(os.path.join(self.folder.name, "*", "reduced.cubin"))[0]
        made = triton.compile(path, target=HOPPER)
        with open(path, "rb") as file:
            self.assertEqual(made.asm["cubin"], file.read())
        self.assertEqual((made.name, made.metadata.num_warps), ("reduced", 8))
        self.assertGreater(made.metadata.shared, 0)
        self.assertEqual(list(made.src.signature.values()), ["*fp32", "*fp32"])
        # Another that is launched otherwise is another.
        with open(path.replace("cubin", "json")) as file:
            said = file.read()
        with open(path.replace("cubin", "json"), "w") as file:
            file.write(re.sub(r"shared=\d+", "shared=4096", said))
        self.assertEqual(triton.compile(path, target=HOPPER).metadata.shared, 4096)

    def test_what_a_file_says_of_its_launches(self):
        for stage in CONSTANTS:
            path = self.changed(stage, num_warps=8, num_ctas=2)
            said = {"num_warps": 8, "num_ctas": 2} if stage != "ttir" else {}
            self.assertEqual(IRSource(path).options.items() & {"num_warps": 8, "num_ctas": 2}.items(), said.items())
            self.assertEqual(IRSource(path).parse_options(), said if stage == "ttgir" else {})
            if said:
                made = triton.compile(path, target=HOPPER)
                self.assertEqual((made.metadata.num_ctas, made.metadata.num_warps, made.metadata.cluster_dims), (2, 8, (2, 1, 1)), stage)
                self.assertIn("%cluster_ctarank", made.asm["ptx"])

    def test_wrong_files(self):
        path = os.path.join(self.folder.name, "more.cubin")
        with self.assertRaisesRegex(FileNotFoundError, "more.cubin"):
            triton.compile(path, target=HOPPER)
        with open(path, "wb") as file:
            file.write(b"\x7fELF")
        with self.assertRaisesRegex(FileNotFoundError, "more.json, which says how .* is launched, is not there"):
            triton.compile(path, target=HOPPER)
        with open(path.replace("cubin", "json"), "w") as file:
            file.write("{}")
        with self.assertRaisesRegex(ValueError, "does not say how .* is launched"):
            triton.compile(path, target=HOPPER)
        with open(path.replace("cubin", "json"), "w") as file:
            file.write('{"launch": "kernel=more args=ptp threads=128 shared=0"}')
        with self.assertRaisesRegex(ValueError, "takes tensor maps"):
            triton.compile(path, target=HOPPER)
        with self.assertRaisesRegex(NotImplementedError, r"and not '[^']*\.o'"):
            triton.compile(path.replace("cubin", "o"), target=HOPPER)
        path = os.path.join(self.folder.name, "more.ptx")
        with open(path, "w") as file:
            file.write(".version 8.0\n")
        with self.assertRaisesRegex(ValueError, "has no function that is a kernel"):
            triton.compile(path, target=HOPPER)

    def test_names_of_types(self):
        for given, made in (("bool", "i1"), ("int32", "i32"), ("float16", "f16")):
            source = ASTSource(more, {"o": "*fp32", "x": f"*{given}", "N": "constexpr"}, {"N": 32})
            ttir = triton.compile(source, target=HOPPER).asm["ttir"]
            self.assertIn(f"%x: !tt.ptr<{made}>", ttir)
        source = ASTSource(chosen, {"o": "*fp32", "b": "bool"}, {})
        self.assertIn("%b: i1", triton.compile(source, target=HOPPER).asm["ttir"])

    def test_architecture(self):
        self.assertIn(".target sm_80", compiled(arch="sm80").asm["ptx"])
        with knobs.runtime.scope():
            knobs.runtime.override_arch = "sm_89"
            self.assertIn(".target sm_89", compiled().asm["ptx"])
        self.assertIn(".target sm_90a", compiled().asm["ptx"])

    def test_architecture_of_a_launch(self):
        o, x = np.zeros(32, np.float32), np.ones(32, np.float32)
        simulated = {"neso_target": "sim:sm_90a", "grid": (1, )}
        self.assertIn(".target sm_90a", more.warmup(o, x, 32, **simulated).asm["ptx"])
        made = more.warmup(o, x, 32, arch="sm80", **simulated)
        self.assertIn(".target sm_80", made.asm["ptx"])
        self.assertEqual(made.metadata.target.arch, 80)
        self.assertIn(".target sm_90a", more.warmup(o, x, 32, arch="sm90", neso_target="sim:sm_80", grid=(1, )).asm["ptx"])
        more[(1, )](o, x, 32, arch="sm_80", neso_target="sim:sm_90a")
        np.testing.assert_array_equal(o, 2)
        with unittest.mock.patch.dict(os.environ, {"NESO_TARGET": "sim:sm_90a", "TRITON_OVERRIDE_ARCH": "sm89"}):
            self.assertIn(".target sm_89", more.warmup(o, x, 32, grid=(1, )).asm["ptx"])
            self.assertIn(".target sm_80", more.warmup(o, x, 32, arch="sm80", grid=(1, )).asm["ptx"])
        # The interpreter's code is for no GPU.
        more[(1, )](o, x + 1, 32, arch="sm80", neso_target="interp")
        np.testing.assert_array_equal(o, 3)
        with self.assertRaisesRegex(TypeError, "arch is a name"):
            more.warmup(o, x, 32, arch=80, **simulated)
        with self.assertRaisesRegex(Exception, "sm_12"):
            more.warmup(o, x, 32, arch="sm12", **simulated)

    def test_name(self):
        for N in (32, 64):
            made = compiled(named, N)
            self.assertEqual((made.name, made.metadata.name), (f"more_{N}_fp32", ) * 2)
            self.assertIn(f".entry more_{N}_fp32(", made.asm["ptx"])
            self.assertIn(f"@more_{N}_fp32(", made.asm["ttir"])
        o, x = np.zeros(32, np.float32), np.ones(32, np.float32)
        for target in ("interp", "sim:sm_90a"):
            made = named[(1, )](o, x, 32, neso_target=target)
            self.assertEqual(made.name, "more_32_fp32")
            np.testing.assert_array_equal(o, 2)

    def test_wrong_names(self):
        with self.assertRaisesRegex(Exception, "invalid function identifier: 'no name' is no name for the code of misnamed"):
            compiled(misnamed)

    def test_name_of_a_callee(self):
        """A kernel whose name is that of the code of a function that it calls keeps it."""
        symbol = re.search(r"\.func .*?([a-z]\w+)\s*\(", compiled(calls).asm["ptx"])[1]
        self.assertIn("test_stages", symbol)
        made = compiled(triton.jit(repr=lambda _: symbol)(calls.fn))
        self.assertEqual(made.name, symbol)
        self.assertIn(f".entry {symbol}(", made.asm["ptx"])
        self.assertRegex(made.asm["ptx"], rf"\.func .*{symbol}\S+")


class Steps(unittest.TestCase):
    """Stage after stage by the methods of the back end, as jax-triton compiles."""

    def setUp(self):
        from neso._C.libtriton import ir
        from neso.backends.nvidia import compiler
        self.backend = compiler.CUDABackend(compiler.GPUTarget("cuda", 90, 32))
        self.context, self.metadata = ir.context(), {}
        ir.load_dialects(self.context)
        self.backend.load_dialects(self.context)

    def module(self, source, **options):
        from neso.compiler import code_generator
        self.options = self.backend.parse_options({"num_warps": 4, "num_stages": 3, "num_ctas": 1, "optimize_epilogue": False, **options})
        return code_generator.ast_to_ttir(source.fn, source, options=self.options, context=self.context,
                                          codegen_fns=self.backend.get_codegen_implementation(self.options), module_map=self.backend.get_module_map())

    def below(self, ttir, changed=None):
        """The stages below this one; `changed`: of which the text is changed, so that it is a str that remembers nothing."""
        texts = {"ttir": ttir}
        for before, stage in zip(("ttir", "ttgir", "llir"), ("ttgir", "llir", "ptx")):
            given = re.sub(*CONSTANTS[before], str(texts[before])) if before == changed else texts[before]
            texts[stage] = getattr(self.backend, "make_" + stage)(given, self.metadata, self.options, 90)
        return texts

    def test_as_compiled_at_once(self):
        divisible = {(0, ): [["tt.divisibility", 16]], (1, ): [["tt.divisibility", 16]]}
        source = ASTSource(reduced, {"o": "*fp32", "x": "*fp32", "N": "constexpr"}, {"N": 1024}, divisible)
        whole = triton.compile(source, target=HOPPER, options={"num_warps": 8})
        ttir = self.backend.make_ttir(self.module(source, num_warps=8), self.metadata, self.options, 90)
        texts = self.below(ttir)
        self.assertEqual([str(texts[stage]) for stage in ("ttir", "ttgir", "llir", "ptx")], [whole.asm[stage] for stage in ("ttir", "ttgir", "llir", "ptx")])
        self.assertEqual({name: self.metadata[name] for name in ("name", "shared", "num_warps", "tmem_size")},
                         {"name": "reduced", "shared": whole.metadata.shared, "num_warps": 8, "tmem_size": 0})
        self.assertGreater(self.metadata["shared"], 0)

    def test_texts_that_were_changed(self):
        source = ASTSource(more, {"o": "*fp32", "x": "*fp32", "N": "constexpr"}, {"N": 128})
        ttir = self.backend.make_ttir(self.module(source), self.metadata, self.options, 90)
        self.assertEqual(self.below(ttir)["ptx"].count("0f3F800000"), 1)
        for stage in ("ttgir", "llir"):
            self.assertEqual(self.below(ttir, stage)["ptx"].count("0f40A00000"), 1)
            self.assertEqual(self.metadata["name"], "more")

    def test_no_tensor_maps(self):
        """What others launch is given its arguments alone."""
        divisible = {(i, ): [["tt.divisibility", 16]] for i in range(4)}
        source = ASTSource(product, {"a": "*fp16", "b": "*fp16", "o": "*fp32", "K": "i32", "N": "constexpr"}, {"N": 64}, divisible)
        ttir = self.backend.make_ttir(self.module(source), self.metadata, self.options, 90)
        ptx = self.below(ttir)["ptx"]
        self.assertEqual(ptx.count(".param .align 64 .b8"), 0)
        self.assertNotIn("cp.async.bulk.tensor", ptx)
        self.assertIn("wgmma.mma_async", ptx)
        whole = triton.compile(source, target=HOPPER)
        self.assertIn("cp.async.bulk.tensor", whole.asm["ptx"])


if __name__ == "__main__":
    unittest.main()
