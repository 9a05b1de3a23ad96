"""What files of the libraries are told of the parts of their libraries that are not loaded: the GPU is an H100, nothing is switched on."""

import contextlib
import enum
import logging
import math
import os

import torch


def _cdiv(a, b):
    return -(-a // b)


def _power(n):
    return 1 << max(int(n) - 1, 0).bit_length()


def _kept(function):
    return function


class _Logger(logging.Logger):
    """As a logger, with the calls that libraries add."""

    def __getattr__(self, name):
        if name.endswith("_once"):
            return lambda *args, **keywords: None
        raise AttributeError(name)


class _Hopper:
    """vllm.platforms.current_platform"""
    device_type = "cuda"
    dispatch_key = "CUDA"
    simple_compile_backend = "eager"

    def __getattr__(self, name):
        if name.startswith("is_") or name.startswith("supports_"):
            return lambda *_, **__: name in ("is_cuda", "is_cuda_alike", "supports_fp8", "supports_mx")
        raise AttributeError(name)

    def fp8_dtype(self):
        return torch.float8_e4m3fn

    def has_device_capability(self, wanted, device_id=0):
        return (wanted if isinstance(wanted, int) else wanted[0] * 10 + wanted[1]) <= 90

    def is_device_capability(self, wanted, device_id=0):
        return wanted in (90, (9, 0))

    def is_device_capability_family(self, wanted, device_id=0):
        return wanted == 90

    def get_device_capability(self, device_id=0):
        return (9, 0)

    def get_device_name(self, device_id=0):
        return "NVIDIA H100 80GB HBM3"

    def num_compute_units(self, device_id=0):
        return 132


class _Unset:
    """Settings that nobody set: false."""

    def __init__(self, **given):
        self.__dict__.update(given)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return None


class _Field:
    """A setting of sglang: .get() gives nothing."""

    def get(self):
        return False


class _Fields:

    def __getattr__(self, name):
        return _Field()


def _is_none(*_, **__):
    return False


def _is_so(*_, **__):
    return True


_TORCH = dict(next_power_of_2=_power, cdiv=_cdiv)


def _triton(world):
    return dict(triton=world.triton, tl=world.triton.language, HAS_TRITON=True, tldevice=None, use_tensor_descriptor=_is_none, **_TORCH)


_SGLANG = dict(is_cuda=_is_so, is_hip=_is_none, is_cpu=_is_none, is_npu=_is_none, is_xpu=_is_none, is_musa=_is_none, is_sm90_supported=_is_so,
               is_gfx95_supported=_is_none, is_gfx1250_supported=_is_none, is_sm100_supported=_is_none, is_sm120_supported=_is_none,
               get_device_core_count=lambda *_: 132, get_device_name=lambda *_: "NVIDIA H100 80GB HBM3",
               get_device_capability=lambda *_: (9, 0), get_device_sm=lambda *_: 90, get_bool_env_var=lambda *_, **__: False,
               direct_register_custom_op=lambda *_, **__: None, cpu_has_amx_support=_is_none, log_info_on_rank0=_is_none,
               next_power_of_2=_power, ceil_div=_cdiv, ceil_align=lambda a, b: _cdiv(a, b) * b)


def _register(function=None, **_):
    return function if function else _kept


def _table(world):
    hopper = _Hopper()
    logger = dict(init_logger=_Logger, logger=_Logger("stub"))
    return {
        "fla": dict(__version__="0.6.0"),
        "vllm": dict(envs=_Unset(VLLM_BATCH_INVARIANT=False)),
        "vllm.envs": dict(VLLM_BATCH_INVARIANT=False, VLLM_TUNED_CONFIG_FOLDER=None, VLLM_LORA_ENABLE_DUAL_STREAM=False),
        "vllm.platforms": dict(current_platform=hopper),
        "vllm.triton_utils": _triton(world),
        "vllm.logger": logger,
        "vllm.utils.math_utils": dict(next_power_of_2=_power, cdiv=_cdiv, round_up=lambda a, b: _cdiv(a, b) * b, RCP_LN2=1 / math.log(2), LOG2E=1 / math.log(2)),
        "vllm.utils.torch_utils": dict(
            direct_register_custom_op=_is_none, async_tensor_h2d=lambda data, dtype, device, **_: torch.tensor(data, dtype=dtype, device=device)),
        "vllm.utils.platform_utils": dict(num_compute_units=lambda *_: 132, get_device_name_as_file_name=lambda *_: "NVIDIA_H100_80GB_HBM3"),
        "vllm.model_executor.layers.fused_moe": dict(get_config=lambda: None),
        "vllm.model_executor.layers.fused_moe.utils": dict(
            resolve_moe_use_td=_is_none, warn_if_moe_use_td_ineffective=_is_none, enable_swap_ab=lambda m, n: m < 64 <= n,
            normalize_batched_scales_shape=lambda scales, _: scales),
        "vllm.model_executor.layers.quantization.utils.quant_utils": dict(get_fp8_min_max=lambda: (-448.0, 448.0)),
        "vllm.v1.attention.backends.utils": dict(PAD_SLOT_ID=-1),
        "vllm.utils.gpu_sync_debug": dict(gpu_sync_allowed=contextlib.nullcontext),
        "vllm.third_party.deep_gemm._C": dict(get_mk_alignment_for_contiguous_layout=lambda: 128),
        "flashinfer.utils": dict(get_compute_capability=lambda *_: (9, 0)),
        "vllm.model_executor.layers.batch_invariant": dict(vllm_is_batch_invariant=_is_none),
        "sglang.srt.utils": _SGLANG,
        "sglang.srt.utils.common": _SGLANG,
        "sglang.srt.environ": dict(envs=_Fields()),
        "sglang.srt.layers.deep_gemm_wrapper": dict(ENABLE_JIT_DEEPGEMM=False, DEEPGEMM_SCALE_UE8M0=False),
        "sglang.srt.batch_invariant_ops": dict(is_batch_invariant_mode_enabled=_is_none),
        "sglang.srt.utils.custom_op": dict(register_custom_op=_register),
        "sglang.kernels.jit.utils": dict(is_arch_support_pdl=_is_none),
        "sglang.srt.layers.moe.utils": dict(get_moe_padding_size=lambda *_: 0),
        "torchao.float8.config": dict(e4m3_dtype=torch.float8_e4m3fn),
        "lmdeploy.utils": dict(get_logger=_Logger),
        "lmdeploy.messages": dict(QuantPolicy=enum.IntEnum("QuantPolicy", dict(NONE=0, INT4=4, INT8=8, FP8=16, FP8_E5M2=17, TURBO_QUANT=42))),
    }


def given(name, world):
    """The attributes of the stub module of that name."""
    if name == "fla.modules.layernorm":  # fla-core has it in another place than it imports it from
        return dict(group_norm=world.module("fla.modules.norm.layernorm").group_norm)
    return _table(world).get(name, {})


class _OnCpu(torch.overrides.TorchFunctionMode):
    """What is made on "cuda" is made on the CPU."""

    def __torch_function__(self, function, types, args=(), keywords=None):
        keywords = keywords or {}
        if str(keywords.get("device", "")).startswith("cuda"):
            keywords = {**keywords, "device": "cpu"}
        return function(*args, **keywords)


@contextlib.contextmanager
def without_gpu():
    """Tensors lie on the CPU, and whoever asks is told of an H100, so that libraries get as far as their launches."""
    import neso.backends.cpu.driver
    import triton
    from triton.backends.compiler import GPUTarget

    class Utils:
        def get_device_properties(self, device=0):
            return {"max_shared_mem": 232448, "multiprocessor_count": 132, "max_num_regs": 65536, "warpSize": 32}

    class Driver:
        utils = Utils()

        def get_current_target(self):
            return GPUTarget("cuda", 90, 32)

        def get_current_device(self):
            return 0

        def get_current_stream(self, device=0):
            return 0

        def get_active_torch_device(self):
            return torch.device("cpu")

    class Properties:
        multi_processor_count, major, minor, name = 132, 9, 0, "NVIDIA H100 80GB HBM3"
        shared_memory_per_block_optin, shared_memory_per_multiprocessor, warp_size, total_memory = 232448, 233472, 32, 80 << 30
    triton.runtime.driver.set_active(Driver())
    neso.backends.cpu.driver.CpuDriver.get_current_target = Driver.get_current_target
    torch.cuda.get_device_properties = torch.cpu.get_device_properties = lambda *_: Properties()
    torch.cuda.get_device_capability = lambda *_: (9, 0)
    torch.cuda.get_device_name = lambda *_: Properties.name
    torch.cuda.is_available = lambda: True
    torch.cuda.current_device = lambda: 0
    torch.cuda.synchronize = lambda *_: None
    torch.cuda.device = lambda *_: contextlib.nullcontext()
    torch.cuda.device_count = lambda: 1
    torch.Tensor.device = property(lambda self: torch.device("cpu", 0))  # an index, as of a GPU
    torch.Tensor.is_cuda = property(lambda self: True)
    torch.Tensor.cuda = lambda self, *_, **__: self
    with _OnCpu():
        yield
