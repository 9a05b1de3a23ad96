"""One function for several variants of a kernel, with upstream's command line and names: `python -m triton.tools.link`.

    python -m triton.tools.link add.*.h -o add

reads headers of `triton.tools.compile` and writes add.h and add.c. A kernel `add` whose variants have the constants and
options ALGO gets

    CUresult add_ALGO(CUstream stream, ...);       chooses by what is divisible by 16 and what is 1
    CUresult add(CUstream stream, ..., int algo_id);   of the ALGOs, in the order of the headers
    CUresult add_default(CUstream stream, ...);    the first
    int add_get_num_algos(void);

and load_ and unload_ of each.
"""

import argparse
import collections
import dataclasses
import pathlib
import re


class LinkerError(Exception):
    """Headers that do not belong together, or say nothing."""


@dataclasses.dataclass
class KernelLinkerMeta:
    """A variant, as its header's line says."""
    orig_kernel_name: str
    arg_names: list
    arg_ctypes: list
    #: of each argument: 16, 1, or None
    sizes: list
    sig_hash: str
    suffix: str

    @property
    def num_specs(self):
        return sum(size is not None for size in self.sizes)

    @property
    def function(self):
        return f"{self.orig_kernel_name}_{self.sig_hash}_{self.suffix}"


class HeaderParser:
    """kernels: a list of variants by kernel and ALGO, in the order met."""

    _DIRECTIVE = re.compile(r"//\s*tt-linker:\s*(\w+):(.*):(.+)")

    def __init__(self):
        self.kernels = collections.defaultdict(list)

    def extract_linker_meta(self, header):
        for line in header.splitlines():
            found = self._DIRECTIVE.match(line)
            if found:
                self._add(*found.groups())

    def _add(self, function, signature, algorithm):
        name = re.fullmatch(r"(\w+)_(\w+)_(\w+)", function)
        if not name:
            raise LinkerError(f"{function} is no name that triton.tools.compile gives")
        arguments = re.findall(r"(\w+)\s(\w+),?", signature)
        if not arguments:
            raise LinkerError(f"{function} has no arguments to choose by")
        meta = KernelLinkerMeta(name[1], [arg for _, arg in arguments], [kind for kind, _ in arguments],
                                self._sizes(name[3], len(arguments)), name[2], name[3])
        group = self.kernels[f"{name[1]}_{algorithm}"]
        if group and group[-1].arg_ctypes != meta.arg_ctypes:
            raise LinkerError(f"variants of {name[1]} differ in their arguments: {', '.join(group[-1].arg_ctypes)}; {', '.join(meta.arg_ctypes)}")
        group.append(meta)

    @staticmethod
    def _sizes(suffix, count):
        sizes = []
        for i in range(count):
            entry = re.match(rf"{i}([cd]?)", suffix)
            if not entry:
                raise LinkerError(f"'{suffix}' does not say what is known of argument {i}")
            sizes.append({"c": 1, "d": 16}.get(entry[1]))
            suffix = suffix[entry.end():]
        return sizes


def _signature(meta, without_ones=False):
    return ", ".join(f"{kind} {arg}" for kind, arg, size in zip(meta.arg_ctypes, meta.arg_names, meta.sizes) if not (without_ones and size == 1))


def _condition(meta):
    tests = {1: "({} == 1)", 16: "({} % 16 == 0)"}
    return " && ".join(tests[size].format(arg) for arg, size in zip(meta.arg_names, meta.sizes) if size) or "1"


def _dispatcher(name, metas):
    """The variants that know most come first."""
    ordered = sorted(metas, key=lambda meta: -meta.num_specs)
    lines = []
    for meta in ordered:
        lines += [f"CUresult {meta.function}(CUstream stream, {_signature(meta, True)});", f"void load_{meta.function}(void);", f"void unload_{meta.function}(void);"]
    lines += ["", f"CUresult {name}(CUstream stream, {_signature(metas[-1])})", "{"]
    for meta in ordered:
        given = [arg for arg, size in zip(meta.arg_names, meta.sizes) if size != 1]
        lines += [f"\tif ({_condition(meta)})", f"\t\treturn {meta.function}({', '.join(['stream', *given])});"]
    lines += ["\treturn CUDA_ERROR_INVALID_VALUE;", "}"]
    for mode in ("load", "unload"):
        lines += ["", f"void {mode}_{name}(void)", "{", *(f"\t{mode}_{meta.function}();" for meta in ordered), "}"]
    return "\n".join(lines) + "\n"


def _header(kernels, meta):
    lines = ["#include <cuda.h>", "#include <stdint.h>", "", "#ifdef __cplusplus", 'extern "C" {', "#endif", ""]
    for name, metas in kernels.items():
        lines += [f"CUresult {name}(CUstream stream, {_signature(metas[-1])});", f"void load_{name}(void);", f"void unload_{name}(void);", ""]
    kernel = meta.orig_kernel_name
    lines += [f"int {kernel}_get_num_algos(void);", f"CUresult {kernel}_default(CUstream stream, {_signature(meta)});",
              f"CUresult {kernel}(CUstream stream, {_signature(meta)}, int algo_id);", f"void load_{kernel}(void);", f"void unload_{kernel}(void);"]
    return "\n".join([*lines, "", "#ifdef __cplusplus", "}", "#endif"]) + "\n"


def _source(kernels, meta):
    kernel, passed = meta.orig_kernel_name, ", ".join(meta.arg_names)
    text = "#include <cuda.h>\n#include <stdint.h>\n\n" + "\n".join(_dispatcher(name, metas) for name, metas in kernels.items())
    text += f"\ntypedef CUresult (*kernel_func_t)(CUstream stream, {_signature(meta)});\n"
    text += f"kernel_func_t {kernel}_kernels[] = {{\n" + "".join(f"\t{name},\n" for name in kernels) + "};\n"
    text += f"\nint {kernel}_get_num_algos(void)\n{{\n\treturn (int)(sizeof {kernel}_kernels / sizeof *{kernel}_kernels);\n}}\n"
    text += (f"\nCUresult {kernel}(CUstream stream, {_signature(meta)}, int algo_id)\n{{\n"
             f"\tif (algo_id < 0 || algo_id >= {kernel}_get_num_algos())\n\t\treturn CUDA_ERROR_INVALID_VALUE;\n"
             f"\treturn {kernel}_kernels[algo_id](stream, {passed});\n}}\n")
    for mode in ("load", "unload"):
        text += f"\nvoid {mode}_{kernel}(void)\n{{\n" + "".join(f"\t{mode}_{name}();\n" for name in kernels) + "}\n"
    return text + f"\nCUresult {kernel}_default(CUstream stream, {_signature(meta)})\n{{\n\treturn {kernel}(stream, {passed}, 0);\n}}\n"


def link(headers, out):
    """Writes OUT.h and OUT.c."""
    parser = HeaderParser()
    for header in headers:
        parser.extract_linker_meta(pathlib.Path(header).read_text())
    if not parser.kernels:
        raise LinkerError("the headers have no line '// tt-linker: ...'")
    metas = [metas[0] for metas in parser.kernels.values()]
    if len({meta.orig_kernel_name for meta in metas}) > 1:
        raise LinkerError(f"headers of several kernels: {', '.join(sorted({meta.orig_kernel_name for meta in metas}))}; link one at a time")
    out = pathlib.Path(out)
    out.with_suffix(".h").write_text(_header(parser.kernels, metas[0]))
    out.with_suffix(".c").write_text(_source(parser.kernels, metas[0]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("headers", nargs="+", help="headers that triton.tools.compile wrote")
    parser.add_argument("--out", "-o", type=pathlib.Path, required=True, help="of the files, without their endings")
    parser.add_argument("--prefix", default="", help="taken for upstream's sake; it has no effect there either")
    args = parser.parse_args()
    link(args.headers, args.out)


if __name__ == "__main__":
    main()
