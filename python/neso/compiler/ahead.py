"""Compiling without a launch: a kernel with a signature, or a stage of one in a file, in the place of arguments."""

import os
import warnings

from .. import _native, knobs
from .._lazy import sha256
from ..backends.compiler import GPUTarget, Language
from ..runtime import describe


class ASTSource:
    """A kernel with a signature, to be compiled without arguments."""

    def __init__(self, fn, signature, constexprs=None, attrs=None):
        self.fn = fn
        self.language = Language.TRITON
        self.ext = "ttir"
        self.name = fn.__name__
        self.signature = signature
        for name in signature:
            if isinstance(name, str) and name not in fn.arg_names:
                raise ValueError(f"kernel '{fn.__name__}' has no parameter '{name}': it has {', '.join(fn.arg_names) or 'none'}")
        self.constants = {}
        for key, value in (constexprs or {}).items():
            if isinstance(key, str) and key not in fn.arg_names:
                raise ValueError(f"'{key}' is not in list of the parameters of '{fn.__name__}': {', '.join(fn.arg_names) or 'none'}")
            path = (fn.arg_names.index(key), ) if isinstance(key, str) else key if isinstance(key, tuple) else (key, )
            self.constants[path] = value
        self.attrs = attrs or {}

    def make_ir(self, target, options, codegen_fns, module_map, context):
        """Its TTIR as the front end writes it: an _C.libtriton.ir.module."""
        from .._C.libtriton import ir
        made = compile(self, GPUTarget("cpu", 0, 32), vars(options) if options is not None else None)
        return ir.parse_text(made.asm["ttir-raw"], context)

    def parse_options(self):
        return {}

    def hash(self):
        text = f"{self.fn.cache_key}-{sorted(self.signature.items())}-{sorted(map(str, self.constants.items()))}-{self.attrs}"
        return sha256(text.encode()).hexdigest()


class IRSource:
    """A stage of a kernel in a file: TTIR, TTGIR, LLIR or PTX, of which the first function is the kernel; or a cubin, with
    the JSON that was written beside it."""

    def __init__(self, path, context=None, backend=None):
        self.path = str(path)
        self.ext = os.path.splitext(self.path)[1].removeprefix(".")
        if self.ext not in ("ttir", "ttgir", "llir", "ptx", "cubin"):
            raise NotImplementedError(f"neso compiles files .ttir, .ttgir, .llir, .ptx and .cubin of a kernel, and not '{self.path}'; "
                                      "a function that @triton.jit decorates is compiled as an ASTSource")
        with open(self.path, "rb") as file:
            content = file.read()
        if self.ext == "cubin":
            from . import stages
            self.src = stages.told(self.path)
            content += self.src.encode()
        else:
            self.src = content.decode()
        self._hash = sha256(content).hexdigest()
        #: options that the file decides
        self.options = {}
        if self.ext == "ttir":
            kernels = _native.ir_kernels(self.path, self.src)
            if not kernels:
                raise ValueError(f"{self.path} has no function that is a kernel")
            self.name, self.params = kernels[0]
        else:
            # What the file has goes on from where a kernel of the same parameters comes to its stage.
            from . import stages
            self.name, self.params = stages.prototype(self.path, self.ext, self.src)
            self.options = {"ir_override": os.path.abspath(self.path), **stages.options(self.ext, self.src)}
            self.src = stages.stub(self.name, self.params)
        self.signature = {i: kind for i, (_, kind) in enumerate(self.params)}
        self.constants = {}

    def hash(self):
        return self._hash

    def parse_options(self):
        """What a file of TTGIR says of its launches."""
        return {name: self.options[name] for name in ("num_warps", "num_ctas") if name in self.options} if self.ext == "ttgir" else {}


def compile(src, target=None, options=None, _env_vars=None):
    """Compiles an ASTSource or a file of TTIR; the result has .asm and .metadata, and can be launched.

    For a GPU this ends with PTX: ptxas runs when the result is asked for what it makes (.asm["cubin"], .asm["sass"], .n_regs, .hash), or
    launched.

    >>> from neso.compiler import ASTSource
    >>> from neso.backends.compiler import GPUTarget
    >>> signature = {"x_ptr": "*fp32", "n": "i32", "BLOCK": "constexpr"}
    >>> compiled = triton.compile(ASTSource(kernel, signature, {"BLOCK": 1024}), target=GPUTarget("cuda", 90, 32))
    >>> ".visible .entry" in compiled.asm["ptx"]
    True
    """
    src, fn, given = _call_of(src, target, options)
    made = _make(src, fn, given, "ptx", False)
    if made._target.startswith("sm_") and made._cubin() is None and made._assemble is None:
        made._assemble = lambda: _make(src, fn, given, True, False)
    return made


def compile_whole(src, options):
    """The same to the end: what a launch takes. Hooks are told."""
    src, fn, given = _call_of(src, None, options)
    return _make(src, fn, given, True, True)


def _make(src, fn, given, warmup, hooks):
    if any(isinstance(kind, tuple) for kind in src.signature.values()):
        return fn.run(*_values_of(src), grid=None, warmup=warmup, **given)
    return fn._compile(_signature_text(src), (src, hooks), warmup=warmup, **given)


def _look_at_options(options):
    from ..runtime.host import nearest
    for name in options:
        if name not in _OPTIONS and name not in _OTHERS:
            warnings.warn(f"the option {name!r} of compile is not known and decides nothing{nearest(name, _OPTIONS)}", UserWarning,
                          stacklevel=4)


def _call_of(src, target, options):
    """A source, its function, and the options of a call."""
    from ..runtime.jit import IRFunction, JITCallable
    if isinstance(src, ASTSource):
        fn = src.fn
    elif isinstance(src, JITCallable):
        raise TypeError(f"compile takes an ASTSource or a path: ASTSource({src.__name__}, signature, constexprs); "
                        f"{src.__name__}.warmup(..., grid=(1, )) compiles for arguments like those")
    else:
        src = src if isinstance(src, IRSource) else IRSource(src)
        fn = IRFunction(src)
    _look_at_options(options or {})
    given = {**getattr(src, "options", {}), **{k: v for k, v in (options or {}).items() if k in _OPTIONS}}
    if target is not None:
        given["neso_target"] = _target_name(target)
        arch = (options or {}).get("arch") or knobs.runtime.override_arch
        if arch and target.backend == "cuda":
            # Code for another GPU than the target's: sm80, sm_90a.
            given["neso_target"] = _target_name(GPUTarget("cuda", arch.replace("_", "").removeprefix("sm"), target.warp_size))
    return src, fn, given


def _signature_text(src):
    """The signature in the library's notation: types with what is known of values, and constants."""
    if isinstance(src, IRSource):
        return ",".join(kind for _, kind in src.params)
    entries = []
    for i, param in enumerate(src.fn.params):
        kind = src.signature.get(param.name, src.signature.get(i))
        if (i, ) in src.constants:
            entries.append(describe.expression(src.constants[(i, )]))
        elif kind == "constexpr" or kind is None:
            entries.append(describe.expression(param.default if param.has_default else None))
        else:
            said = src.attrs.get((i, ), ())
            divisor = 8 if ["tt.divisibility", 8] in said else 16 if any("divisib" in str(attr) for attr in said) else 0
            # The name alone would be the class, a constant.
            kind = {"bool": "i1", "*bool": "*i1"}.get(kind, kind)
            entries.append(f"{kind}:{divisor}" if divisor else str(kind))
    return ",".join(entries)


_OPTIONS = ("num_warps", "num_stages", "num_ctas", "maxnreg", "debug", "enable_fp_fusion", "launch_cooperative_grid",
            "launch_pdl", "ptx_version", "sanitize_overflow", "neso_target", "constexpr_policy", "ir_override",
            "enable_reflect_ftz", "neso_tensor_maps")
#: Options of Triton's back ends that decide nothing here.
_OTHERS = ("warp_size", "arch", "ptx_options", "supported_fp8_dtypes", "deprecated_fp8_dot_operand_dtypes", "default_dot_input_precision",
           "allowed_dot_input_precisions", "max_num_imprecise_acc_default", "extern_libs", "backend_name", "instrumentation_mode",
           "cluster_dims", "waves_per_eu", "matrix_instr_nonkdim", "kpack", "instruction_sched_variant", "schedule_hint", "num_consumer_groups",
           "num_buffers_warp_spec", "reg_dec_producer", "reg_inc_consumer")
#: Options that are on unless they are given.
_ON = ("enable_fp_fusion", "sanitize_overflow", "enable_reflect_ftz")


def _target_name(target):
    """sm_90a for GPUTarget("cuda", 90, 32): the kind with all that the GPU has."""
    if not hasattr(target, "backend"):
        raise TypeError(f"target is a GPUTarget, GPUTarget(\"cuda\", 90, 32), not {target!r}")
    if target.backend == "cpu":
        named = knobs.runtime.target
        return named if named and named.startswith("sim:") else "interp"
    if target.backend != "cuda":
        raise ValueError(f"neso compiles for GPUs of NVIDIA, and not for '{target.backend}'")
    known = _native.info("targets").split()
    name = f"sm_{target.arch}"
    return name + "a" if name + "a" in known else name


def _value_of(kind, attrs=None):
    """Something that a launch would take for a parameter of that type."""
    if kind.startswith("*"):
        return _Pointer(kind.lstrip("*k"), any("divisib" in str(a) for a in attrs or ()))
    if kind.startswith("tensordesc<"):
        from ..tools.tensor_descriptor import TensorDescriptor
        element, _, shape = kind[len("tensordesc<"):].partition("[")
        block = [int(s) for s in shape.split("]")[0].split(",")]
        strides = [1]
        for _ in block[1:]:
            strides.insert(0, 1024 * strides[0])
        return TensorDescriptor(_Pointer(element, True), [1024] * len(block), strides, block)
    if kind[0] in "iu":
        return (2**40 if "64" in kind else 0) + (16 if attrs else 3) if kind not in ("i1", "u1") else True
    return 0.5


def _item_of(src, kind, path):
    if path in src.constants:
        return src.constants[path]
    if isinstance(kind, (tuple, list)):
        return tuple(_item_of(src, inner, path + (i, )) for i, inner in enumerate(kind))
    return None if kind == "constexpr" else _value_of(str(kind), src.attrs.get(path))


def _values_of(src):
    values = []
    for i, param in enumerate(src.fn.params):
        kind = src.signature.get(param.name, src.signature.get(i))
        if (i, ) not in src.constants and (kind == "constexpr" or kind is None):
            values.append(param.default if param.has_default else None)
        else:
            values.append(_item_of(src, kind, (i, )))
    return values


class _Dtype(str):
    """An element type by its short name."""

    @property
    def itemsize(self):
        from ..language.core import str_to_ty
        return str_to_ty(str(self)).itemsize


class _Pointer:
    """An address that is a type alone."""

    def __init__(self, dtype, aligned):
        self.dtype = _Dtype(dtype)
        self.shape = (1, )
        self._address = 0 if aligned else 4

    def data_ptr(self):
        return self._address

    def stride(self):
        return (1, )
