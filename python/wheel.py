"""Writes the wheel: the package, its extension, libneso.so, libneso-codegen.so and libneso-remote.so where there are such, and what pip wants to
know of them. libneso-remote.so needs the system's libcurl when it is loaded, and is loaded only for a remote compile cache.

A wheel is a zip archive with a list of its files; nothing but the standard library is needed to make one, and the same
input gives the same bytes."""

import argparse
import base64
import hashlib
import os
import subprocess
import sysconfig
import tempfile
import zipfile

SUMMARY = "Compiler and runtime for the Triton tile language: runs Triton programs, on the CPU as well"


def platform_tag(libraries):
    """linux_x86_64, or manylinux with the newest glibc that the libraries ask for."""
    machine = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    if not machine.startswith("linux_"):
        return machine
    newest = (2, 17)
    for library in libraries:
        with open(library, "rb") as file:
            data = file.read()
        at = data.find(b"GLIBC_2.")
        while at >= 0:
            digits = data[at + 8:at + 11].split(b"\0")[0].split(b".")[0]
            if digits.isdigit():
                newest = max(newest, (2, int(digits)))
            at = data.find(b"GLIBC_2.", at + 1)
    return f"manylinux_{newest[0]}_{newest[1]}_{machine.removeprefix('linux_')}"


def stripped(path, strip, folder):
    out = os.path.join(folder, os.path.basename(path))
    if strip and subprocess.run([strip, "--strip-unneeded", "-o", out, path]).returncode == 0:
        return out
    return path


def main():
    parser = argparse.ArgumentParser()
    for name in ("version", "package", "extension", "library", "soname", "license", "readme", "strip", "out", "codegen", "remote"):
        parser.add_argument("--" + name)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        extension = stripped(options.extension, options.strip, folder)
        library = stripped(options.library, options.strip, folder)
        binaries = [("neso/_native.abi3.so", extension), (f"neso/{options.soname}", library)]
        for name, path in (("codegen", options.codegen), ("remote", options.remote)):
            if path:
                binaries.append((f"neso/libneso-{name}.so", stripped(path, options.strip, folder)))
        tag = f"cp310-abi3-{platform_tag([path for _, path in binaries])}"
        name = f"neso-{options.version}"
        files = {}
        for root, folders, names in os.walk(options.package):
            folders[:] = sorted(f for f in folders if f != "__pycache__")
            for file in sorted(names):
                if file.endswith(".py"):
                    path = os.path.join(root, file)
                    with open(path, "rb") as source:
                        files["neso/" + os.path.relpath(path, options.package)] = (source.read(), 0o644)
        for target, path in binaries:
            with open(path, "rb") as source:
                files[target] = (source.read(), 0o755)
        info = name + ".dist-info/"
        with open(options.license, "rb") as source:
            files[info + "licenses/LICENSE"] = (source.read(), 0o644)
        with open(options.readme, encoding="utf-8") as source:
            readme = source.read()
        files[info + "METADATA"] = ((f"Metadata-Version: 2.1\nName: neso\nVersion: {options.version}\nSummary: {SUMMARY}\n"
                                     "License-File: LICENSE\nRequires-Python: >=3.10\n"
                                     "Provides-Extra: ptxas\nRequires-Dist: nvidia-cuda-nvcc; extra == 'ptxas'\n"
                                     "Description-Content-Type: text/markdown\n\n" + readme).encode(), 0o644)
        files[info + "WHEEL"] = (f"Wheel-Version: 1.0\nGenerator: neso\nRoot-Is-Purelib: false\nTag: {tag}\n".encode(),
                                 0o644)
        record = ""
        for target, (data, _) in files.items():
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
            record += f"{target},sha256={digest},{len(data)}\n"
        record += info + "RECORD,,\n"
        files[info + "RECORD"] = (record.encode(), 0o644)
        os.makedirs(options.out, exist_ok=True)
        path = os.path.join(options.out, f"{name}-{tag}.whl")
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for target, (data, mode) in files.items():
                entry = zipfile.ZipInfo(target, (1980, 1, 1, 0, 0, 0))
                entry.external_attr = (0o100000 | mode) << 16
                entry.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(entry, data, compresslevel=9)
    print(f"{os.path.relpath(path)}: {os.path.getsize(path) // 1024} KiB")


if __name__ == "__main__":
    main()
