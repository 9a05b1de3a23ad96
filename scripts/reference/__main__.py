"""Writes the pages of docs/reference, the pictures of docs/pictures, and the type stubs of the Python package, from the tables that
they describe.

    python3 scripts/reference --build build/release [--check] [--only WORD]

--check writes nothing, says what differs, and gives status 1. A page that needs what was not built is left as it is, with a word."""

import argparse
import pathlib
import sys

import capi
import command
import diagnostics
import language
import pictures
import stubs

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMAND, CODEGEN, PYTHON = "neso", "libneso-codegen.so", "python/neso/_native.abi3.so"

# What is written, by what, and what must have been built.
PAGES = [
    ("docs/reference/command.md", command.command_page, [COMMAND, CODEGEN]),
    ("docs/reference/settings.md", command.settings_page, [COMMAND]),
    ("docs/reference/remarks.md", command.remarks_page, []),
    ("docs/reference/diagnostics.md", diagnostics.page, [COMMAND, CODEGEN]),
    ("docs/reference/c-api.md", capi.page, []),
    ("docs/reference/language.md", language.language_page, []),
    ("docs/reference/python.md", language.python_page, [PYTHON]),
    ("docs/pictures/tiles.svg", pictures.threads_and_tiles, []),
    ("docs/pictures/reduction.svg", pictures.reduction, []),
    ("docs/pictures/product.svg", pictures.product, []),
    ("docs/pictures/layout.svg", pictures.layout, [COMMAND, CODEGEN]),
    ("docs/pictures/engines.svg", pictures.engines, []),
    ("python/neso/language/core.pyi", stubs.core, []),
    ("python/neso/language/math.pyi", stubs.math, []),
    ("python/neso/language/random.pyi", stubs.random, []),
    ("python/neso/language/standard.pyi", stubs.standard, []),
    ("python/neso/language/extra/libdevice.pyi", stubs.libdevice, []),
    ("python/neso/language/extra/cuda/utils.pyi", stubs.cuda, []),
    ("python/neso/language/extra/cuda/gdc.pyi", stubs.gdc, []),
]


def main():
    parser = argparse.ArgumentParser(prog="reference")
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    build, bad = given.build.resolve(), 0
    for name, make, needs in PAGES:
        if given.only not in name:
            continue
        missing = [need for need in needs if not (build / need).exists()]
        if missing:
            print(f"{name} is left as it is: no {missing[0]} in {given.build}")
            continue
        path, text = ROOT / name, make(ROOT, build)
        if path.exists() and path.read_text() == text:
            continue
        if given.check:
            bad = 1
            print(f"{name} is not what its tables say; make reference writes it")
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            print(f"wrote {name}")
    return bad


if __name__ == "__main__":
    sys.exit(main())
