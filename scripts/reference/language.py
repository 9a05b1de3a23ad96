"""The tile language, and the package's own names: from signatures and docstrings."""

import importlib.util
import json
import os
import re
import subprocess
import sys

from tables import cell

CUDA = "globaltimer smid num_threads num_warps gdc_wait gdc_launch_dependents convert_custom_float8_sm80 convert_custom_float8_sm70"
GROUPS = [
    ("Programs", "program_id num_programs"),
    ("Making tiles", "arange full zeros zeros_like cast to_tensor"),
    ("Shapes", "broadcast broadcast_to trans permute cat join split interleave view reshape ravel item expand_dims squeeze unsqueeze flip"),
    ("Memory", "load store make_block_ptr advance make_tensor_descriptor load_tensor_descriptor store_tensor_descriptor"),
    ("Atomic operations", "atomic_add atomic_max atomic_min atomic_and atomic_or atomic_xor atomic_xchg atomic_cas atomic_load atomic_store atomic_poll"),
    ("Products", "dot dot_scaled"),
    ("Elements", "where add sub mul minimum maximum clamp abs exp exp2 log log2 sin cos sqrt sqrt_rn rsqrt fdiv div_rn erf floor ceil fma umulhi "
     "sigmoid softmax cdiv map_elementwise"),
    ("Reductions and scans", "sum max min argmax argmin prod xor_sum reduce_or reduce cumsum cumprod associative_scan histogram sort argsort topk median searchsorted segments unique roll bitonic_merge gather"),
    ("Random numbers", "rand randn randint rand4x randn4x curand4x torch_rand torch_randint torch_randn randint4x philox philox_impl uint_to_uniform_float pair_uniform_to_normal"),
    ("For the compiler", "multiple_of max_contiguous max_constancy assume debug_barrier swizzle2d inline_asm_elementwise extern_elementwise"),
    ("NVIDIA GPUs: tl.extra.cuda", CUDA),
    ("Objects", "aggregate_replace"),
    ("Messages", "static_print static_assert device_print device_assert expect_zero"),
]


def module(root, name):
    """A module of the language that holds texts alone, without the package."""
    spec = importlib.util.spec_from_file_location("neso_" + name.replace("/", "_"), root / f"python/neso/language/{name}.py")
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


# How a function is called that is no name of tl.
PATHS = {"item": "tl.tensor.item", "extern_elementwise": "tl.core.extern_elementwise", **{n: "tl.extra.cuda." + n for n in CUDA.split()}}


def _entry(name, signature, doc, level="###"):
    text, _, example = doc.partition("\n    >>> ")
    out = [f"{level} {name}", "", "```text", f"{PATHS.get(name, 'tl.' + name)}{signature}", "```", "", re.sub(r"([*<])", r"\\\1", text.strip()), ""]
    if example:
        out += ["```python fragment", example.strip(), "```", ""]
    return out


def language_page(root, build):
    docs, signatures = module(root, "docs"), module(root, "signatures")
    out = ["# The tile language", "",
           "Each function of `tl` (`import neso.language as tl`, or `triton.language`), as `help(tl.load)` shows it. A tile is a value",
           "with a shape and a dtype; where a tile is taken, a scalar is taken as one of no dimensions. Shapes of several",
           "tiles are broadcast to one another as NumPy's are. Each example is run by a test.", ""]
    listed = set()
    for title, names in GROUPS:
        out += [f"## {title}", ""]
        for name in names.split():
            listed.add(name)
            out += _entry(name, signatures.text_of(name), docs.doc_of(name))
    missing = docs.names() - listed - {"dispatch"}
    if missing:
        raise ValueError(f"language.py lists no group for {sorted(missing)}")
    library = module(root, "extra/libdevice_docs")
    out += ["## libdevice", "", "`from neso.language.extra import libdevice`. Elements of tiles or scalars; fp32 and fp64 unless it says otherwise.", "",
            "| function | |", "|---|---|"]
    for name in library_names(root):
        parameters, text = library.entry(name)
        out.append(f"| `{name}{parameters}` | {cell(text)} |")
    return "\n".join(out).rstrip() + "\n"


def library_names(root):
    """The names that libdevice.py makes, in their order."""
    return builtin_names(root, "extra/libdevice")


def builtin_names(root, name):
    """The names that a module of the language makes by make_builtins."""
    text = (root / f"python/neso/language/{name}.py").read_text()
    return re.search(r'make_builtins\(globals\(\), "[\w.]+", "{1,3}([^"]*?)"', text, re.S)[1].split()


PROGRAM = r"""
import importlib, inspect, json, sys
found = []
for module in sys.argv[1:]:
    loaded = importlib.import_module(module)
    names = getattr(loaded, "__all__", None) or [n for n in vars(loaded) if not n.startswith("_")]
    entries = []
    for name in sorted(names):
        value = getattr(loaded, name, None)
        if inspect.ismodule(value) or not (inspect.isclass(value) or callable(value)):
            continue
        if not getattr(value, "__module__", "").startswith(module if module != "neso" else "neso"):
            continue
        if type(value).__name__ == "builtin_function" or module == "neso.language" and not inspect.isclass(value) and name != "str_to_ty":
            continue  # language.md has the functions on tiles
        # What Python says of classes without an __init__ of their own changes with its version.
        own = not inspect.isclass(value) or any("__init__" in vars(c) for c in value.__mro__ if c.__module__.startswith("neso"))
        signature = str(inspect.signature(value)) if own else ""
        methods = []
        if inspect.isclass(value):
            for n, m in vars(value).items():
                if not n.startswith("_") and inspect.isfunction(m) and inspect.getdoc(m):
                    methods.append([n, str(inspect.signature(m)), inspect.getdoc(m)])
        entries.append([name, signature, inspect.getdoc(value) or "", methods])
    found.append([module, inspect.getdoc(loaded) or "", entries])
print(json.dumps(found))
"""
MODULES = ["neso", "neso.language", "neso.testing", "neso.runtime.errors", "neso.compiler.errors", "neso.tools.tensor_descriptor", "neso.tools.mxfp",
           "neso.tools.ragged_tma", "neso.tools.disasm"]


def python_page(root, build):
    env = dict(os.environ, PYTHONPATH=str(build / "python"), NESO_QUIET="1", PYTHONDONTWRITEBYTECODE="1")
    found = json.loads(subprocess.run([sys.executable, "-c", PROGRAM, *MODULES], env=env, capture_output=True, text=True, check=True).stdout)
    out = ["# The Python package", "",
           "Names of `neso`; under the name `triton` they are the same. [python.md](../python.md) says what can be passed,",
           "where launches run, and what is raised. The tile language: [language.md](language.md).", ""]
    for module, doc, entries in found:
        out += [f"## {module}", "", re.sub(r"([*<])", r"\\\1", doc), ""]
        for name, signature, text, methods in entries:
            out += [f"### {module}.{name}", "", *(["```text", f"{name}{signature}", "```", ""] if signature else []), _doc(text), ""]
            for n, s, d in methods:
                out += [f"**{n}**`{s}`: {_doc(d)}", ""]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(out)).rstrip() + "\n"


def _doc(text):
    text = re.sub(r" at 0x[0-9a-f]+", "", text)
    before, mark, example = text.partition(">>> ")
    before = re.sub(r"([*<]|(?<=\])\()", r"\\\1", before.strip())
    return before + (f"\n\n```pycon\n>>> {example.strip()}\n```" if mark else "")
