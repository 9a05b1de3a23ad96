"""A kernel as C, with upstream's command line and names: `python -m triton.tools.compile` (docs/aot.md).

    python -m triton.tools.compile -n add_kernel -s "*fp32:16, *fp32:16, *fp32:16, i32, 1024" -g "(n + 1023) / 1024, 1, 1" \\
        -t cuda:90:32 -on add add.py

writes add.HASH_SUFFIX.h and .c with

    CUresult add_HASH_SUFFIX(CUstream stream, CUdeviceptr x_ptr, ...);
    void load_add_HASH_SUFFIX(void);
    void unload_add_HASH_SUFFIX(void);

The source is what `neso aot` writes with these functions behind it: it works in each context that is current, prints
nothing, and does not end the program. `neso aot` itself writes one function for many variants and GPUs.
"""

import argparse
import dataclasses
import hashlib
import importlib.util
import pathlib
import re
import sys

import neso
from neso.backends.compiler import GPUTarget
from neso.compiler import ASTSource
from neso.runtime.driver import driver


@dataclasses.dataclass
class CompileArgs:
    """What the command line says."""
    path: str = ""
    kernel_name: str = ""
    signature: str = ""
    grid: str = ""
    target: "str | None" = None
    num_warps: int = 1
    num_stages: int = 3
    out_name: "str | None" = None
    out_path: "pathlib.Path | None" = None


#: of a parameter in C, as upstream has them: every float is a double there, and becomes what the kernel takes
_C_TYPES = {"i1": "int8_t", "u1": "uint8_t", **{f"i{n}": f"int{n}_t" for n in (8, 16, 32, 64)},
            **{f"u{n}": f"uint{n}_t" for n in (8, 16, 32, 64)}, **dict.fromkeys(("fp16", "bf16", "fp32", "f32", "fp64"), "double")}

_HEADER = """#ifndef TT_KERNEL_INCLUDES
#define TT_KERNEL_INCLUDES

#include <cuda.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

#endif

#ifdef __cplusplus
extern "C" {{
#endif

void unload_{name}(void);
void load_{name}(void);
// tt-linker: {name}:{full_signature}:{algorithm}
CUresult {name}(CUstream stream{comma}{signature});

#ifdef __cplusplus
}}
#endif
"""

_PACK = """
/* A double as a float of 16 bits, to the nearest, ties to even. */
static uint16_t pack_{name}(double value, int mantissa, int bias)
{{
	uint64_t bits, rest, whole, largest = (uint64_t)((1 << (15 - mantissa)) - 1) << mantissa;
	int exponent, shift = 52 - mantissa;
	memcpy(&bits, &value, sizeof bits);
	uint16_t sign = (uint16_t)(bits >> 63 << 15);
	exponent = (int)(bits >> 52 & 2047) - 1023 + bias;
	rest = bits & (((uint64_t)1 << 52) - 1);
	if ((bits >> 52 & 2047) == 2047)
		return (uint16_t)(sign | largest | (rest ? (uint64_t)1 << (mantissa - 1) : 0));
	rest |= (uint64_t)1 << 52;
	if (exponent <= 0)
		shift += 1 - exponent;
	if (shift > 54)
		return sign;
	whole = rest >> shift;
	rest &= ((uint64_t)1 << shift) - 1;
	whole += rest > (uint64_t)1 << (shift - 1) || (rest == (uint64_t)1 << (shift - 1) && (whole & 1));
	whole += exponent > 0 ? (uint64_t)(exponent - 1) << mantissa : 0;
	return (uint16_t)(sign | (whole < largest ? whole : largest));
}}
"""

_SOURCE = """
/* ---- upstream's functions ---- */

static CUresult result_{name}(int status)
{{
	switch (status) {{
	case NESO_AOT_NO_DRIVER:
	case NESO_AOT_OLD_DRIVER: return CUDA_ERROR_NOT_INITIALIZED;
	case NESO_AOT_NO_CONTEXT: return CUDA_ERROR_INVALID_CONTEXT;
	case NESO_AOT_NO_IMAGE: return CUDA_ERROR_NO_BINARY_FOR_GPU;
	case NESO_AOT_NO_VARIANT:
	case NESO_AOT_NO_MAP: return CUDA_ERROR_INVALID_VALUE;
	case NESO_AOT_NO_MEMORY:
	case NESO_AOT_NO_SCRATCH: return CUDA_ERROR_OUT_OF_MEMORY;
	default: return status < 0 ? CUDA_ERROR_NOT_SUPPORTED : (CUresult)status;
	}}
}}
{pack}
void unload_{name}(void)
{{
	{name}_unload();
}}

/* What goes wrong here is met by the launch. */
void load_{name}(void)
{{
	{name}_load(NESO_AOT_ABI);
}}

/* {doc} */
CUresult {name}(CUstream stream{comma}{signature})
{{
{ones}	unsigned int gX = {grid[0]};
	unsigned int gY = {grid[1]};
	unsigned int gZ = {grid[2]};
	return result_{name}({name}_{kernel}((void *)stream, gX, gY, gZ{call}));
}}
"""


def _split(text):
    """At commas outside of brackets."""
    parts, depth = [""], 0
    for c in text:
        depth += (c in "[<(") - (c in "]>)")
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return [part.strip(" ") for part in parts]


def _number(text):
    """An entry that is a constant; None: it is a type."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return None


def _load_kernel(args):
    path = pathlib.Path(args.path)
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    kernel = getattr(module, args.kernel_name)
    while not hasattr(kernel, "arg_names") or not hasattr(kernel, "params"):
        kernel = kernel.fn  # of an autotuner, or heuristics
    return kernel


def _c_type(kind, name):
    if kind.startswith("*"):
        return "CUdeviceptr"
    if kind not in _C_TYPES:
        raise ValueError(f"parameter {name}: '{kind}' has no type in upstream's C interface; neso aot has tensor descriptors and 8-bit floats")
    return _C_TYPES[kind]


def _passed(kind, name, function):
    """A parameter of the C function as the kernel takes it."""
    if kind.startswith("*"):
        return f"(const void *)(uintptr_t){name}"
    if kind in ("i1", "u1"):
        return f"{name} != 0"
    if kind in ("fp16", "bf16"):
        return f"pack_{function}({name}, {'10, 15' if kind == 'fp16' else '7, 127'})"
    return f"(float){name}" if kind in ("fp32", "f32") else name


def compile_kernel(args):
    """Writes the files; gives the function's name and their paths."""
    grid = [part.strip() for part in _split(args.grid)]
    if len(grid) != 3:
        raise ValueError(f"--grid wants three numbers or expressions of C, with commas between, not '{args.grid}'")
    kernel = _load_kernel(args)
    out_name = args.out_name or args.kernel_name
    out_path = pathlib.Path(args.out_path or out_name)
    entries = _split(args.signature)
    if len(entries) != len(kernel.arg_names):
        raise ValueError(f"the signature has {len(entries)} entries, and {args.kernel_name} {len(kernel.arg_names)} parameters")

    options = f"warps{args.num_warps}xstages{args.num_stages}"
    digest = hashlib.sha256(" ".join([*entries, options]).encode()).hexdigest()[:8]
    hints = {i: _number(entry.split(":")[1]) for i, entry in enumerate(entries) if ":" in entry}
    hints = {i: hint for i, hint in hints.items() if hint is not None}
    if not set(hints.values()) <= {1, 16}:
        raise ValueError(f"a hint is 1 or 16, and not {next(h for h in hints.values() if h not in (1, 16))}")
    constants = {kernel.arg_names[i]: _number(entry) for i, entry in enumerate(entries) if _number(entry) is not None}
    constants.update({kernel.arg_names[i]: 1 for i, hint in hints.items() if hint == 1})
    kinds = {name: entry.split(":")[0] for name, entry in zip(kernel.arg_names, entries)}
    source = ASTSource(kernel, {name: "constexpr" if name in constants else kind for name, kind in kinds.items()}, constants,
                       {(i, ): [["tt.divisibility", 16]] for i, hint in hints.items() if hint == 16})
    target = GPUTarget(*args.target.split(":")) if args.target else driver.active.get_current_target()
    compiled = neso.compile(source, target=target, options={"num_warps": args.num_warps, "num_stages": args.num_stages})

    suffix = "".join(f"{i}{ {1: 'c', 16: 'd'}.get(hints.get(i), '')}" for i in range(len(entries)))
    name = f"{out_name}_{digest}_{suffix}"
    is_constexpr = {param.name: param.is_constexpr for param in kernel.params}
    full, signature, call, ones = [], [], [], []
    for i, arg in enumerate(kernel.arg_names):
        if arg not in constants:
            full.append(f"{_c_type(kinds[arg], arg)} {arg}")
            signature.append(full[-1])
            call.append(_passed(kinds[arg], arg, name))
        else:
            if hints.get(i) == 1:
                full.append(f"int32_t {arg}")
                ones.append(arg)  # the grid may name it
            if constants[arg] == 1 and not is_constexpr[arg]:
                call.append("1")
    compiled.asm["cubin"]  # waits for the assembler
    header, text = compiled._aot(name, f"{name}_", False)
    doc = [f"{key}={value}" for key, value in constants.items()] + [f"num_warps={args.num_warps}", f"num_stages={args.num_stages}"]
    fields = dict(name=name, kernel=args.kernel_name, grid=grid, signature=", ".join(signature), full_signature=", ".join(full),
                  comma=", " if signature else "", call="".join(", " + one for one in call), doc=", ".join(doc),
                  ones="".join(f"\tconst int32_t {arg} = 1;\n\t(void){arg};\n" for arg in ones), algorithm="_".join(["x".join(map(str, constants.values())), options]),
                  pack=_PACK.format(name=name) if any("pack_" in one for one in call) else "")
    outputs = {".c": text.replace(f'#include "{name}.h"\n', header, 1).replace(header, header + "\n" + _HEADER.format(**fields), 1) + _SOURCE.format(**fields),
               ".h": _HEADER.format(**fields)}
    files = []
    for ending, content in outputs.items():
        path = out_path.with_suffix(f".{digest}_{suffix}{ending}")
        path.write_text(content)
        files.append(path)
    return name, files


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", help="a Python file with the kernel; it is executed")
    parser.add_argument("--kernel-name", "-n", default="", required=True, help="name of the kernel")
    parser.add_argument("--target", "-t", default=None, help="cuda:ARCH:32, as cuda:80:32; without it this machine's GPU")
    parser.add_argument("--num-warps", "-w", type=int, default=1)
    parser.add_argument("--num-stages", "-ns", type=int, default=3)
    parser.add_argument("--out-name", "-on", default=None, help="the beginning of the functions' names (the kernel's)")
    parser.add_argument("--out-path", "-o", type=pathlib.Path, default=None, help="of the files, without their endings")
    parser.add_argument("--signature", "-s", required=True, help="types, with :16 or :1 behind them, and constants")
    parser.add_argument("--grid", "-g", required=True, help="three expressions of C, which may name parameters")
    given = CompileArgs(**vars(parser.parse_args()))
    if not re.fullmatch(r"[A-Za-z_]\w*", given.out_name or given.kernel_name):
        parser.error(f"'{given.out_name or given.kernel_name}' begins no name in C")
    compile_kernel(given)


if __name__ == "__main__":
    main()
