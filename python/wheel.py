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
NAME_SUMMARY = "The name triton for neso"


def platform_tag(libraries, machine):
    """manylinux with the newest glibc that the libraries ask for, and the machine, which need not be this one; elsewhere than on
    Linux what Python calls the platform."""
    here = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    if not here.startswith("linux_"):
        return here
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
    return f"manylinux_{newest[0]}_{newest[1]}_{machine or here.removeprefix('linux_')}"


def stripped(path, strip, folder):
    out = os.path.join(folder, os.path.basename(path))
    if strip and subprocess.run([strip, "--strip-unneeded", "-o", out, path]).returncode == 0:
        return out
    return path


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write_wheel(folder, name, version, tag, pure, files, metadata):
    """files: path -> (bytes, mode)."""
    stem = f"{name.replace('-', '_')}-{version}"
    info = stem + ".dist-info/"
    files[info + "METADATA"] = (metadata.encode(), 0o644)
    files[info + "WHEEL"] = (f"Wheel-Version: 1.0\nGenerator: neso\nRoot-Is-Purelib: {str(pure).lower()}\nTag: {tag}\n".encode(), 0o644)
    record = ""
    for target, (data, _) in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
        record += f"{target},sha256={digest},{len(data)}\n"
    files[info + "RECORD"] = (record.encode() + f"{info}RECORD,,\n".encode(), 0o644)
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, f"{stem}-{tag}.whl")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for target, (data, mode) in files.items():
            entry = zipfile.ZipInfo(target, (1980, 1, 1, 0, 0, 0))
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data, compresslevel=9)
    print(f"{os.path.relpath(path)}: {os.path.getsize(path) // 1024} KiB")


def package_files(folder):
    """What of the package is Python's."""
    files = {}
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(f for f in folders if f != "__pycache__")
        for file in sorted(names):
            if file.endswith((".py", ".pyi")) or file == "py.typed":
                path = os.path.join(root, file)
                files["neso/" + os.path.relpath(path, folder)] = (read(path), 0o644)
    return files


def head(name, version, summary):
    return (f"Metadata-Version: 2.4\nName: {name}\nVersion: {version}\nSummary: {summary}\nLicense-Expression: MIT\nLicense-File: LICENSE\n"
            "Requires-Python: >=3.10\nClassifier: Operating System :: POSIX :: Linux\n"
            "Classifier: Programming Language :: Python :: 3 :: Only\nClassifier: Typing :: Typed\n")


def write_main(options, folder):
    binaries = [("neso/_native.abi3.so", stripped(options.extension, options.strip, folder)),
                (f"neso/{options.soname}", stripped(options.library, options.strip, folder))]
    for name, path in (("codegen", options.codegen), ("remote", options.remote)):
        if path:
            binaries.append((f"neso/libneso-{name}.so", stripped(path, options.strip, folder)))
    files = package_files(options.package)
    files.update((target, (read(path), 0o755)) for target, path in binaries)
    files[f"neso-{options.version}.dist-info/licenses/LICENSE"] = (read(options.license), 0o644)
    metadata = (head("neso", options.version, SUMMARY) + "Provides-Extra: ptxas\nRequires-Dist: nvidia-cuda-nvcc; extra == 'ptxas'\n"
                f"Provides-Extra: triton\nRequires-Dist: neso-triton=={options.version}; extra == 'triton'\n"
                "Description-Content-Type: text/markdown\n\n" + read(options.readme).decode())
    tag = f"cp310-abi3-{platform_tag([path for _, path in binaries], options.machine)}"
    write_wheel(options.out, "neso", options.version, tag, False, files, metadata)


def write_name(options):
    """neso-triton: a `triton` that is neso."""
    files = {"triton/__init__.py": (read(options.name), 0o644),
             f"neso_triton-{options.version}.dist-info/licenses/LICENSE": (read(options.license), 0o644)}
    metadata = (head("neso-triton", options.version, NAME_SUMMARY) + f"Requires-Dist: neso=={options.version}\n"
                "Description-Content-Type: text/plain\n\n" + NAME_SUMMARY + "\n")
    write_wheel(options.out, "neso-triton", options.version, "py3-none-any", True, files, metadata)


def main():
    parser = argparse.ArgumentParser()
    for name in ("version", "package", "extension", "library", "soname", "license", "readme", "strip", "out", "codegen", "remote", "name",
                 "machine"):
        parser.add_argument("--" + name)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        write_main(options, folder)
    write_name(options)


if __name__ == "__main__":
    main()
