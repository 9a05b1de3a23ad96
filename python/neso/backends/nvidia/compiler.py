"""NVIDIA's GPUs as a target."""

from dataclasses import dataclass

from ..compiler import BaseBackend, GPUTarget, Language  # noqa: F401
from ..cpu.compiler import CPUOptions, options_of


def min_dot_size(target):
    """A function of both operands' types that gives the least (M, N, K)."""

    def least(lhs_type, rhs_type):
        bits = lhs_type.scalar.primitive_bitwidth
        assert bits == rhs_type.scalar.primitive_bitwidth, "both operands must have elements of one width"
        return (1, 1, 32) if bits == 8 else (1, 1, 16)

    return least


def get_ptxas(arch=None):
    """The assembler for a compute capability (90 for 9.0), as knobs.NvidiaTool."""
    from ... import knobs
    return knobs.nvidia.ptxas_blackwell if arch is not None and arch >= 100 else knobs.nvidia.ptxas


def sm_arch_from_capability(capability):
    """"sm_90a" for 90."""
    return f"sm_{capability}{'a' if capability >= 90 else ''}"


@dataclass(frozen=True)
class CUDAOptions(CPUOptions):
    """Options of a compilation."""
    ptx_version: "int | None" = None
    ptx_options: "str | None" = None
    ir_override: "str | None" = None
    enable_reflect_ftz: bool = True
    backend_name: str = "cuda"
    arch: "str | None" = None

    def __post_init__(self):
        if self.num_warps <= 0 or self.num_warps & (self.num_warps - 1):
            raise ValueError(f"num_warps must be a power of 2, and is {self.num_warps}")


class CUDABackend(BaseBackend):

    binary_ext = "cubin"

    @staticmethod
    def supports_target(target):
        return target.backend == "cuda"

    def hash(self):
        """Which assembler there is does not change it: the compile cache's keys hold that."""
        return f"cuda-{self.target.arch}"

    def parse_options(self, options):
        return options_of(CUDAOptions, {"arch": f"sm{self.target.arch}", **options})

    def get_codegen_implementation(self, options=None):
        return {"min_dot_size": min_dot_size(self.target)}

    # ---- one stage at a time, as upstream's has them ----

    def make_ttir(self, mod, metadata, opt, capability=None):
        from ...compiler import steps
        return steps.ttir(mod, self.target, opt)

    def make_ttgir(self, mod, metadata, opt, capability=None):
        return self._below("ttir", "ttgir", mod, metadata, opt)

    def make_llir(self, src, metadata, options, capability=None):
        return self._below("ttgir", "llir", src, metadata, options)

    def make_ptx(self, src, metadata, opt, capability=None):
        return self._below("llir", "ptx", src, metadata, opt)

    def make_cubin(self, src, metadata, opt, capability=None):
        return self._below("ptx", "cubin", src, metadata, opt)

    def _below(self, before, stage, given, metadata, options):
        from ...compiler import steps
        return steps.below(before, stage, given, metadata, self.target, options)
