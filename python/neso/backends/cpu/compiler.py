"""The interpreter as a target."""

from dataclasses import dataclass

from ..compiler import BaseBackend


@dataclass(frozen=True)
class CPUOptions:
    """Options of a compilation. Those that are about a GPU change no result."""
    num_warps: int = 4
    num_ctas: int = 1
    num_stages: int = 3
    warp_size: int = 32
    debug: bool = False
    sanitize_overflow: bool = True
    enable_fp_fusion: bool = True
    launch_cooperative_grid: bool = False
    launch_pdl: bool = False
    maxnreg: "int | None" = None
    supported_fp8_dtypes: tuple = ("fp8e4b15", "fp8e4nv", "fp8e5")
    deprecated_fp8_dot_operand_dtypes: tuple = ()
    default_dot_input_precision: str = "tf32"
    allowed_dot_input_precisions: tuple = ("tf32", "tf32x3", "ieee", "bf16x3", "bf16x6")
    max_num_imprecise_acc_default: int = 0
    extern_libs: tuple = ()
    backend_name: str = "cpu"
    instrumentation_mode: str = ""


def options_of(kind, given):
    """An object of options, of those that it knows and are given."""
    return kind(**{name: value for name, value in given.items() if name in kind.__dataclass_fields__ and value is not None})


class CPUBackend(BaseBackend):

    binary_ext = "ttir"

    @staticmethod
    def supports_target(target):
        return target.backend == "cpu"

    def hash(self):
        return "cpu"

    def parse_options(self, options):
        return options_of(CPUOptions, options)
