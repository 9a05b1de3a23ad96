"""Texts of stages below TTIR as sources: who they are for, and what they say of a launch."""

import json
import os
import re

#: Of a stage, where the kernel's name and parameters are, and what a parameter is by its text.
_PROTOTYPES = {
    "ttgir": (r"tt\.func (?:public )?@(\w+)\((.*?)\)\s*(?:attributes|\{)", (
        (r"!tt\.ptr<(\w+)", "*{0}"), (r": (i\d+|f\d+|bf16|f8\w+)\b", "{0}"))),
    "llir": (r"define (?:\w+ )*ptx_kernel void @(\w+)\(((?:[^()]|\([^()]*\))*)\)", (
        (r"ptr addrspace\(1\)", "*i8"), (r"(i\d+|float|double|half|bfloat)\b", "{0}"))),
    "ptx": (r"\.entry\s+(\w+)\s*\(([^)]*)\)", (
        (r"\.ptr\b", "*i8"), (r"\.param\s+\.[usb](\d+)", "i{0}"), (r"\.param\s+\.(f\d+)", "{0}"))),
}
#: What a letter of a launch's arguments is; pointers say not to what. The last, s, is memory that the launch adds.
_LETTERS = {"p": "*i8", "1": "i8", "2": "i16", "4": "i32", "8": "i64", "f": "fp32", "d": "fp64", "h": "fp16"}
_FP8 = {"f8E5M2": "fp8e5", "f8E4M3FN": "fp8e4nv", "f8E4M3FNUZ": "fp8e4b8", "f8E5M2FNUZ": "fp8e5b16"}
_SCALARS = _FP8 | {"f16": "fp16", "f32": "fp32", "f64": "fp64", "float": "fp32", "double": "fp64", "half": "fp16", "bfloat": "bf16"}
_MLIR = {name: kind for kind, name in _FP8.items()} | {"fp16": "f16", "fp32": "f32", "fp64": "f64", "i1": "i1"}
_WARPS = {"ttgir": r'"ttg\.num-warps" = (\d+)', "llir": r'"nvvm\.reqntid"="(\d+)"', "ptx": r"\.reqntid (\d+)",
          "cubin": r"\bthreads=(\d+)"}
_CTAS = {"ttgir": r'"ttg\.num-ctas" = (\d+)', "llir": r'"nvvm\.cluster_dim"="(\d+)"', "ptx": r"\.reqnctapercluster (\d+)",
         "cubin": r"\bcluster=(\d+)"}


def prototype(path, stage, text):
    """(name, [(parameter, type)]) of the first kernel in the text of a stage. Pointers of LLIR and PTX say not to what."""
    if stage == "cubin":
        launch, _, variant = text.partition("\n")
        facts = dict(word.split("=", 1) for word in launch.split())
        args = facts["args"].removesuffix("s")
        if set(args) - set(_LETTERS):
            raise ValueError(f"{path} takes tensor maps, which launches make of descriptors: compile the kernel itself")
        params = re.findall(r"(\w+): (\*?\w+)(?::\d+)?(?=[,)])", variant)
        if len(params) != len(args):
            params = [(f"arg{i}", _LETTERS[letter]) for i, letter in enumerate(args)]
        return facts["kernel"], params
    pattern, kinds = _PROTOTYPES[stage]
    found = re.search(pattern, text, re.DOTALL)
    if not found:
        raise ValueError(f"{path} has no function that is a kernel")
    params = []
    for part in filter(str.strip, re.split(r",(?![^<({]*[>)}])", found[2])):
        kind = next((form.format(*m.groups()) for m, form in ((re.search(p, part), form) for p, form in kinds) if m), None)
        if kind is None:
            raise ValueError(f"{path}: what is parameter {len(params)} of {found[1]}: '{part.strip()}'?")
        star = "*" if kind[0] == "*" else ""
        params.append((f"arg{len(params)}", star + _SCALARS.get(kind.lstrip("*"), kind.lstrip("*"))))
    return found[1], params


def told(path):
    """What the JSON beside a cubin says of its launch, and behind it of its parameters."""
    beside = path.removesuffix("cubin") + "json"
    if not os.path.exists(beside):
        raise FileNotFoundError(f"{beside}, which says how {path} is launched, is not there: TRITON_KERNEL_DUMP=1 writes both")
    with open(beside) as file:
        said = json.load(file)
    if "launch" not in said:
        raise ValueError(f"{beside} does not say how {path} is launched: it has no \"launch\"")
    return f"{said['launch']}\n{said.get('variant', '')}"


def stub(name, params):
    """TTIR of a kernel that takes these and does nothing."""
    types = (f"!tt.ptr<{_MLIR.get(k[1:], k[1:])}>" if k[0] == "*" else _MLIR.get(k, k) for _, k in params)
    args = ", ".join(f"%{param}: {kind}" for (param, _), kind in zip(params, types))
    return f"module {{\n  tt.func public @{name}({args}) {{\n    tt.return\n  }}\n}}\n"


def options(stage, text):
    """num_warps and num_ctas, where the text says them."""
    warps, ctas = re.search(_WARPS[stage], text), re.search(_CTAS[stage], text)
    said = {"num_warps": int(warps[1]) // (1 if stage == "ttgir" else 32)} if warps else {}
    return said | ({"num_ctas": int(ctas[1])} if ctas else {})
