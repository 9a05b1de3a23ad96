"""`nvidia.cublas`: products by cuBLAS, which tutorials and suites measure kernels against. The library is NVIDIA's, opened when it is asked
for: that of a CUDA toolkit, or of the Python packages that torch brings along."""

import ctypes
import glob
import os
import sys
import types

# cublasLt.h, cublas_api.h, library_types.h
_TYPES = {"float32": 0, "float16": 2, "bfloat16": 14, "float8_e4m3fn": 28, "float8_e5m2": 29}
_COMPUTE_32F, _COMPUTE_32F_FAST_TF32, _R_32F = 68, 77, 0
_DESC_TRANSA, _DESC_TRANSB, _DESC_FAST_ACCUM, _PREF_WORKSPACE = 3, 4, 25, 1
_OP_N, _OP_T = 0, 1


class _Found(ctypes.Structure):
    """cublasLtMatmulHeuristicResult_t"""
    _fields_ = [("algo", ctypes.c_uint64 * 8), ("workspace", ctypes.c_size_t), ("state", ctypes.c_int), ("waves", ctypes.c_float),
                ("reserved", ctypes.c_int * 4)]


def _paths():
    for folder in sys.path:
        yield from sorted(glob.glob(os.path.join(folder or ".", "nvidia", "*", "lib", "libcublasLt.so.*")), reverse=True)
    for variable in ("CUDA_HOME", "CUDA_PATH"):
        if os.environ.get(variable):
            yield os.path.join(os.environ[variable], "lib64", "libcublasLt.so")
    yield from ("libcublasLt.so.13", "libcublasLt.so.12", "/usr/local/cuda/lib64/libcublasLt.so")


def _open():
    said = []
    for path in _paths():
        try:
            return ctypes.CDLL(path)
        except OSError as error:
            said.append(str(error))
    raise RuntimeError(f"there is no cuBLAS, libcublasLt.so (of a CUDA toolkit, or pip install nvidia-cublas): {said[-1]}")


def _stream():
    torch = sys.modules.get("torch")
    return torch.cuda.current_stream().cuda_stream if torch and torch.cuda.is_initialized() else 0


def _type(tensor):
    name = str(tensor.dtype).split(".")[-1]
    if name not in _TYPES:
        raise RuntimeError(f"cuBLAS is not given {tensor.dtype}: it takes {', '.join(_TYPES)}")
    return name


class CublasLt:
    """cuBLAS with a tensor as its workspace.

    `matmul(a, b, c)`: c[M, N] = a[M, K] @ b[N, K].T; `gemm(a, b, c, d, alpha, beta)`: d = alpha * a @ b.T + beta * c. All rows are
    contiguous."""

    def __init__(self, workspace):
        self._workspace = workspace
        self._bytes = workspace.numel() * workspace.element_size()
        self._library = _open()
        self._handle = ctypes.c_void_p()
        self._call("cublasLtCreate", ctypes.byref(self._handle))

    def __del__(self):
        if getattr(self, "_handle", None):
            self._library.cublasLtDestroy(self._handle)

    def _call(self, name, *arguments):
        status = getattr(self._library, name)(*arguments)
        if status:
            raise RuntimeError(f"{name} fails with status {status}")

    def _make(self, kind, made, *arguments):
        made.append((kind, ctypes.c_void_p()))
        self._call(f"cublasLt{kind}Create", ctypes.byref(made[-1][1]), *arguments)
        return made[-1][1]

    def _set(self, function, what, attribute, value):
        self._call(function, what, ctypes.c_int(attribute), ctypes.byref(value), ctypes.c_size_t(ctypes.sizeof(value)))

    def _layout(self, made, name, rows, columns):
        sizes = (ctypes.c_uint64(rows), ctypes.c_uint64(columns), ctypes.c_int64(rows))
        return self._make("MatrixLayout", made, ctypes.c_int(_TYPES[name]), *sizes)

    def _product(self, made, a, b, c, d, alpha, beta):
        (m, k), n, name = a.shape, b.shape[0], _type(a)
        out = _type(d)
        desc = self._make("MatmulDesc", made, ctypes.c_int(_COMPUTE_32F_FAST_TF32 if name == "float32" else _COMPUTE_32F),
                          ctypes.c_int(_R_32F))
        # cuBLAS counts by columns: what it is told of are the transposes, d.T = b @ a.T.
        self._set("cublasLtMatmulDescSetAttribute", desc, _DESC_TRANSA, ctypes.c_int(_OP_T))
        self._set("cublasLtMatmulDescSetAttribute", desc, _DESC_TRANSB, ctypes.c_int(_OP_N))
        if name.startswith("float8"):
            self._set("cublasLtMatmulDescSetAttribute", desc, _DESC_FAST_ACCUM, ctypes.c_int8(1))
        left, right = self._layout(made, _type(b), k, n), self._layout(made, name, k, m)
        before = self._layout(made, "float16" if out.startswith("float8") and c is d else _type(c), n, m)
        after = self._layout(made, out, n, m)
        preference = self._make("MatmulPreference", made)
        self._set("cublasLtMatmulPreferenceSetAttribute", preference, _PREF_WORKSPACE, ctypes.c_size_t(self._bytes))
        found, count = _Found(), ctypes.c_int()
        self._call("cublasLtMatmulAlgoGetHeuristic", self._handle, desc, left, right, before, after, preference, 1, ctypes.byref(found),
                   ctypes.byref(count))
        if not count.value:
            raise RuntimeError(f"cuBLAS has no product of {m}x{k} by {k}x{n} of {name}")
        pointer = lambda tensor: ctypes.c_void_p(tensor.data_ptr())
        self._call("cublasLtMatmul", self._handle, desc, ctypes.byref(ctypes.c_float(alpha)), pointer(b), left, pointer(a), right,
                   ctypes.byref(ctypes.c_float(beta)), pointer(c), before, pointer(d), after, ctypes.byref(found.algo),
                   pointer(self._workspace), ctypes.c_size_t(self._bytes), ctypes.c_void_p(_stream()))

    def gemm(self, a, b, c, d, alpha, beta):
        for one, other in ((a.shape[1], b.shape[1]), (a.shape[0], d.shape[0]), (b.shape[0], d.shape[1])):
            if one != other:
                raise RuntimeError(f"a is {tuple(a.shape)}, b {tuple(b.shape)}, d {tuple(d.shape)}: M x K, N x K, M x N are wanted")
        made = []
        try:
            self._product(made, a, b, c, d, alpha, beta)
        finally:
            for kind, handle in reversed(made):
                getattr(self._library, f"cublasLt{kind}Destroy")(handle)

    def matmul(self, a, b, c):
        self.gemm(a, b, c, c, 1.0, 0.0)


cublas = types.SimpleNamespace(CublasLt=CublasLt)


def __getattr__(name):
    raise AttributeError(f"neso has no libtriton.nvidia.{name}: of upstream's extension for NVIDIA there is cublas")
