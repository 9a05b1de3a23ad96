# not a test: test/check/mutate.sh runs it
"""Compiles programs as processes of their own do: requests come as lines of JSON, each is answered by a
child that was forked for it (or by the command), which begins with nothing but what this process has
loaded.

A request: way ("c", "python", "command"), folder, file (relative to it), call, environment, cache (a
folder; "" for none), after. An answer: status ("ok", "error"), ptx, cubin (a hash), facts, message."""

import ctypes
import hashlib
import importlib
import json
import os
import re
import signal
import subprocess
import sys
import traceback

BUILD = os.environ["NESO_BUILD"]
LIMIT = 60  # seconds that one compilation may take
TARGET = "sm_80"
LINE = re.compile(r"^\s*(\.loc|\.file|//|\177ELF|\$L__tmp|\$L__func|\.section\s+\.debug|\.b8|\.b32|\.b64)")


def plain_text(ptx):
    """PTX without what speaks of lines: a hit has those of the source that was compiled."""
    ptx = ptx.split("\t.file\t")[0] if "\n\t.section\t.debug" in ptx else ptx
    lines = (line.split(" // ")[0].rstrip() for line in ptx.splitlines() if not LINE.match(line))
    return "\n".join(line for line in lines if line)


def plain_cubin(data):
    """What the assembler of these tests wrote, as a digest; its PTX as above."""
    text = data.decode("latin-1")
    return hashlib.sha256((plain_text(text) + text[-16:]).encode("latin-1")).hexdigest()


def pointer_text(call):
    return f"*{call['dtype']}" + (":16" if call["divisible"] else "")


# ---- C ----


class ContextOptions(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("threads", ctypes.c_uint32), ("compile_memory", ctypes.c_size_t),
                ("rest", ctypes.c_void_p * 30)]


class CompileOptions(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("num_warps", ctypes.c_uint32), ("num_stages", ctypes.c_uint32),
                ("num_ctas", ctypes.c_uint32), ("maxnreg", ctypes.c_uint32), ("target", ctypes.c_char_p),
                ("debug", ctypes.c_bool), ("no_specialize", ctypes.c_bool), ("no_gpu_limits", ctypes.c_bool),
                ("dot_precision", ctypes.c_char_p), ("no_fp_fusion", ctypes.c_bool),
                ("no_line_info", ctypes.c_bool)]


def load_library():
    library = ctypes.CDLL(os.path.join(BUILD, "libneso.so"))
    ctypes.CDLL(os.path.join(BUILD, "libneso-codegen.so"))
    library.neso_diagnostics_text.restype = ctypes.c_char_p
    library.neso_variant_binary.restype = ctypes.c_void_p
    return library


def signature(call, constants):
    entries = [pointer_text(call), pointer_text(call), "i32"] + [text for _, text in constants]
    return ", ".join(entries)


def from_c(library, request):
    call = request["call"]
    context, module, kernel, variant, found, text = (ctypes.c_void_p() for _ in range(6))
    options = CompileOptions(ctypes.sizeof(CompileOptions),
                             call["num_warps"],
                             call["num_stages"],
                             1,
                             call["maxnreg"],
                             TARGET.encode(),
                             no_fp_fusion=not call["fp_fusion"],
                             no_line_info=True)

    def check(status):
        if status != 0:
            raise ValueError(library.neso_diagnostics_text(found).decode())

    path = os.path.join(request["folder"], request["file"]).encode()
    check(library.neso_context_new(None, ctypes.byref(context), ctypes.byref(found)))
    check(library.neso_module_load_file(context, path, ctypes.byref(module), ctypes.byref(found)))
    check(library.neso_module_find(module, b"kernel", ctypes.byref(kernel), ctypes.byref(found)))
    check(
        library.neso_kernel_compile(kernel,
                                    signature(call, call["constants"]).encode(), ctypes.byref(options),
                                    ctypes.byref(variant), ctypes.byref(found)))
    check(library.neso_variant_text(variant, b"ptx", ctypes.byref(text), ctypes.byref(found)))
    ptx = ctypes.string_at(text).decode()
    size = ctypes.c_size_t()
    at = library.neso_variant_binary(variant, b"cubin", ctypes.byref(size))
    return {"ptx": plain_text(ptx), "cubin": plain_cubin(ctypes.string_at(at, size.value))}


# ---- Python ----


def from_python(request):
    from neso.compiler.compiler import _Pointer
    call = request["call"]
    sys.path.insert(0, request["folder"])
    module = importlib.import_module(request["file"][:-len(".py")])

    def make():
        handed = {name: eval(text, vars(module)) for name, text in call["constants"]}
        pointer = _Pointer(call["dtype"], call["divisible"])
        words = {"maxnreg": call["maxnreg"]} if call["maxnreg"] else {}
        return module.kernel.warmup(pointer,
                                    pointer,
                                    7,
                                    grid=(1, ),
                                    neso_target=TARGET,
                                    num_warps=call["num_warps"],
                                    num_stages=call["num_stages"],
                                    enable_fp_fusion=call["fp_fusion"],
                                    **handed,
                                    **words)

    if request["after"]:
        if request["twice"]:
            make()
        exec(request["after"], vars(module))
    made = make()
    return {"ptx": plain_text(made.asm["ptx"]), "cubin": plain_cubin(made.asm["cubin"])}


# ---- the command ----


def from_command(request):
    call = request["call"]
    out = os.path.join(request["scratch"], "cubin")
    words = [
        os.path.join(BUILD, "neso"), "compile", f"{request['file']}:kernel", "-s",
        signature(call, call["constants"]), "--target", TARGET, "--emit", "cubin", "-o", out, "--num-warps",
        str(call["num_warps"]), "--num-stages",
        str(call["num_stages"])
    ]
    words += ["--maxnreg", str(call["maxnreg"])] * bool(call["maxnreg"]) + ["--no-fp-fusion"
                                                                            ] * (not call["fp_fusion"])
    done = subprocess.run(words,
                          cwd=request["folder"],
                          env=environment_of(request),
                          capture_output=True,
                          text=True,
                          timeout=LIMIT)
    if done.returncode != 0:
        return {"status": "error" if done.returncode > 0 else "crash", "message": done.stderr}
    with open(out, "rb") as file:
        data = file.read()
    os.unlink(out)
    return {
        "status": "ok",
        "ptx": plain_text(data.decode("latin-1").split("\n// made by ")[0]),
        "cubin": plain_cubin(data),
        "message": done.stderr
    }


# ---- processes ----


def environment_of(request):
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("TRITON_", "MUTATE_"))}
    cache = {"TRITON_CACHE_DIR": request["cache"]} if request["cache"] else {"TRITON_DISABLE_CACHE": "1"}
    return {
        **kept,
        **cache, "TRITON_PTXAS_PATH": request["assembler"],
        "NESO_QUIET": "1",
        **dict(request["environment"])
    }


def child(library, request, out):
    environment = environment_of(request)
    os.environ.clear()
    os.environ.update(environment)
    try:
        made = from_c(library, request) if request["way"] == "c" else from_python(request)
        answer = {"status": "ok", "message": "", **made}
    except BaseException as error:  # whatever a program does is its answer
        answer = {"status": "error", "message": f"{error}" or traceback.format_exc()}
    with os.fdopen(out, "w") as file:
        json.dump(answer, file)


def forked(library, request):
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(read)
        signal.alarm(LIMIT)
        with open(os.devnull, "r+") as nothing:
            for fd in (0, 1, 2):
                os.dup2(nothing.fileno(), fd)
        child(library, request, write)
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as file:
        text = file.read()
    _, status = os.waitpid(pid, 0)
    return json.loads(text) if status == 0 and text else {"status": "crash", "message": f"status {status}"}


def main():
    sys.dont_write_bytecode = True
    sys.path.insert(0, os.path.join(BUILD, "python"))
    library = load_library()
    import neso
    from neso import _alias, knobs  # noqa: F401
    _alias.install()
    importlib.import_module("triton.language")
    importlib.import_module("neso.compiler.compiler")
    for line in sys.stdin:
        request = json.loads(line)
        answer = from_command(request) if request["way"] == "command" else forked(library, request)
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
