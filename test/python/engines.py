"""Runs a kernel by every engine there is: the interpreter, the simulator under its checks, the assembler."""

import unittest

import neso as triton
from neso.backends.compiler import GPUTarget
from neso.compiler import ASTSource

import numpy as np

SIMULATED = ("sim:sm_80", "sim:sm_90a")
TYPES = {"float32": "fp32", "float16": "fp16", "float64": "fp64", "int32": "i32", "int64": "i64",
         "int16": "i16",
         "int8": "i8", "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64", "bool": "i1"}


@triton.jit
def _nothing(p):
    pass


def simulated():
    """Is there a code generator to simulate with?"""
    try:
        _nothing[(1,)](np.zeros(1, np.int32), neso_target=SIMULATED[0])
        return True
    except RuntimeError:
        return False


HAS_SIMULATOR = simulated()
HAS_ASSEMBLER = not (triton._native.info("ptxas") or "none").startswith("none")


def assemble(kernel, args, constants, **options):
    """PTX for two GPUs, and machine code where the assembler is there."""
    names = kernel.arg_names
    signature = {}
    for name, value in zip(names, args):
        signature[name] = "*" + TYPES[value.dtype.name] if hasattr(value, "dtype") and value.shape else "i32"
    for name in constants:
        signature[name] = "constexpr"
    source = ASTSource(fn=kernel, signature=signature, constexprs=dict(constants))
    for capability in (80, 90):
        made = triton.compile(source, target=GPUTarget("cuda", capability, 32), options=options)
        assert "ptx" in made.asm


class Engines(unittest.TestCase):
    def check(self, kernel, inputs, expected, *scalars, grid=(1,), exact=True, assembled=True, num_warps=4,
              debug=False, **constants):
        """`expected`: what the outputs hold afterwards; they come behind the inputs."""
        targets = ("interp",) + (SIMULATED if HAS_SIMULATOR else ())
        for target in targets:
            outputs = [np.full(e.shape, 77).astype(e.dtype) for e in expected]
            given = [np.array(i) for i in inputs]
            options = dict(constants, neso_target=target, num_warps=num_warps, debug=debug)
            if target != "interp":
                options["neso_check"] = True
            kernel[grid](*given, *outputs, *scalars, **options)
            for i, (got, want) in enumerate(zip(outputs, expected)):
                where = f"{kernel.__name__}{scalars} by {target}, output {i}"
                if exact:
                    np.testing.assert_array_equal(got, want, where)
                else:
                    np.testing.assert_allclose(got, want, rtol=1e-3, atol=1e-3, err_msg=where)
        if assembled and HAS_SIMULATOR and HAS_ASSEMBLER:
            assemble(kernel, [*inputs, *expected, *scalars], constants, num_warps=num_warps, debug=debug)

    def refuses(self, kernel, text, *args, cure=None, **options):
        with self.assertRaises(triton.compiler.errors.CompilationError) as caught:
            kernel[(1,)](*args, **options)
        self.assertIn(text, str(caught.exception))
        if cure:
            self.assertIn(cure, str(caught.exception))
