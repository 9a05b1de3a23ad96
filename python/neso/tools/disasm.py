"""Machine code as text: what nvdisasm and cuobjdump of the CUDA toolkit say of a cubin."""

import os
import re
import shutil
import subprocess
import tempfile


def _tool(name):
    found = os.environ.get("TRITON_" + name.upper() + "_PATH") or shutil.which(name)
    if not found:
        raise RuntimeError(f"{name} was not found: it comes with the CUDA toolkit; put it on PATH or name it in "
                           f"TRITON_{name.upper()}_PATH")
    return found


def path_to_cuobjdump():
    """(path, name) of the disassembler that is used."""
    return _tool("cuobjdump"), "cuobjdump"


def get_sass(cubin_asm, fun=None):
    """Instructions of a cubin that is given as bytes."""
    if not isinstance(cubin_asm, (bytes, bytearray)):
        raise TypeError("get_sass() wants the bytes of a cubin: kernel.asm['cubin']")
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin_asm)
        file.flush()
        return extract(file.name, fun)


_INSTRUCTION = re.compile(r"\s*/\*[0-9a-f]{4,}\*/\s+(.*?)\s*(/\*.*)?$")


def extract(file_path, fun=None):
    """Instructions of a cubin in a file, of one function or of all: its name, then an instruction a line."""
    command = [_tool("cuobjdump"), "-sass"] + (["-fun", fun] if fun else []) + [file_path]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"cuobjdump could not read {file_path}: {(done.stderr or done.stdout).strip()}")
    lines = []
    for line in done.stdout.splitlines():
        name = re.match(r"\s*Function\s*:\s*(\S+)", line)
        found = _INSTRUCTION.match(line)
        if name:
            lines.append(f"Function:{name.group(1)}")
        elif found and found.group(1):
            lines.append(found.group(1))
    return "\n".join(lines)
