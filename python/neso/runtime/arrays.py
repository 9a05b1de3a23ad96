"""Arrays that the extension does not read itself: on devices, by DLPack, by the buffer protocol.

`import_array` gives (address, begin, bytes, dtype, writable, keep, finish): where the kernel's pointer points, the
memory around it, what has to live until the launch is over, and a function that then copies results back."""

import ctypes
import threading
import weakref


def _strided(address, shape, strides, item):
    low, high = 0, item
    for size, stride in zip(shape, strides):
        if size == 0:
            return address, 0
        reach = (size - 1) * stride
        low, high = (low + reach, high) if reach < 0 else (low, high + reach)
    return address + low, high - low


def _from_interface(interface, keep, finish=None):
    address, read_only = interface["data"]
    shape = interface["shape"]
    kind, item = interface["typestr"][1], int(interface["typestr"][2:])
    names = {"i": "int", "u": "uint", "f": "float", "b": "bool"}
    if kind not in names:
        raise TypeError(f"kernels know no element type {interface['typestr']}")
    dtype = "bool" if kind == "b" else f"{names[kind]}{8 * item}"
    strides = interface.get("strides")
    if strides is None:
        strides, step = [], item
        for size in reversed(shape):
            strides.insert(0, step)
            step *= size
    begin, size = _strided(address, shape, strides, item)
    return address, begin, size, dtype, not read_only, keep, finish


def _copied(array, host, back):
    """A device's array is interpreted on a copy, which is copied back."""
    address, begin, size, dtype, _, keep, _ = import_array(host, "")
    return address, begin, size, dtype, True, (array, host, keep), back


def _on_device(array):
    if getattr(array, "is_cuda", False) and hasattr(array, "data_ptr"):
        inner = getattr(array, "base", array) if type(array).__name__ == "TensorWrapper" else array
        if hasattr(inner, "untyped_storage"):
            return _tensor_of_storage(array, inner)
        host = inner.cpu()
        parts = _tensor(host, getattr(array, "dtype", None))
        return parts[:6] + (lambda: inner.copy_(host), )
    if hasattr(array, "get") and hasattr(array, "set"):
        host = array.get()
        return _copied(array, host, lambda: array.set(host))
    if hasattr(array, "copy_to_host"):
        host = array.copy_to_host()
        return _copied(array, host, lambda: array.copy_to_device(host))
    raise TypeError(f"kernels are interpreted on the CPU, and there is no way known to copy a "
                    f"{type(array).__module__}.{type(array).__name__} there and back")


class _StorageCopy:
    """Memory of a device in host memory, for all tensors of a launch that share it."""

    __slots__ = ("device", "host", "__weakref__")

    def __init__(self, storage):
        self.device = storage
        self.host = storage.cpu()

    def back(self):
        if self.device is not None:
            self.device.copy_(self.host)
        self.device = None


_storages = weakref.WeakValueDictionary()


def _tensor_of_storage(array, tensor):
    storage = tensor.untyped_storage()
    name = (threading.get_ident(), storage.data_ptr())
    copy = _storages.get(name)
    if copy is None or copy.device is None:
        copy = _storages[name] = _StorageCopy(storage)
    begin = copy.host.data_ptr()
    return (begin + tensor.data_ptr() - storage.data_ptr(), begin, copy.host.nbytes(), str(array.dtype).split(".")[-1],
            True, (array, copy), copy.back)


def _tensor(tensor, dtype=None):
    address = tensor.data_ptr()
    name = str(dtype if dtype is not None else tensor.dtype).split(".")[-1]
    item = tensor.element_size() if hasattr(tensor, "element_size") else tensor.dtype.itemsize
    begin, size = _strided(address, tensor.shape, [s * item for s in tensor.stride()], item)
    return address, begin, size, name, True, tensor, None


class _Device(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int32), ("id", ctypes.c_int32)]


class _DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", _Device), ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8),
                ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


_DL_TYPES = {(0, 8): "int8", (0, 16): "int16", (0, 32): "int32", (0, 64): "int64", (1, 8): "uint8", (1, 16): "uint16",
             (1, 32): "uint32", (1, 64): "uint64", (2, 16): "float16", (2, 32): "float32", (2, 64): "float64",
             (4, 16): "bfloat16", (6, 8): "bool", (10, 8): "float8_e4m3fn", (12, 8): "float8_e5m2",
             (11, 8): "float8_e4m3fnuz", (13, 8): "float8_e5m2fnuz"}


def _is_constant(array):
    """May its elements only be read? What has no __setitem__ says so; JAX's arrays have one that raises."""
    if not hasattr(type(array), "__setitem__") or type(array).__module__.partition(".")[0] in ("jax", "jaxlib"):
        return True
    try:
        return memoryview(array).readonly
    except (TypeError, ValueError, BufferError):
        return False


def _dlpack(array):
    device = array.__dlpack_device__()
    if device[0] not in (1, 3, 13):
        raise TypeError(f"kernels are interpreted on the CPU; this {type(array).__name__} is on a device and gives no "
                        "way to copy it there and back")
    capsule = array.__dlpack__()
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    tensor = _DLTensor.from_address(pointer(capsule, b"dltensor"))
    dtype = _DL_TYPES.get((tensor.code, tensor.bits))
    if dtype is None or tensor.lanes != 1:
        raise TypeError(f"kernels know no element type of DLPack's code {tensor.code} with {tensor.bits} bits")
    item = (tensor.bits + 7) // 8
    address = (tensor.data or 0) + tensor.byte_offset
    shape = [tensor.shape[i] for i in range(tensor.ndim)]
    if tensor.strides:
        strides = [tensor.strides[i] * item for i in range(tensor.ndim)]
    else:
        strides, step = [], item
        for size in reversed(shape):
            strides.insert(0, step)
            step *= size
    begin, size = _strided(address, shape, strides, item)
    return address, begin, size, dtype, not _is_constant(array), (array, capsule), None


_FORMATS = {"b": "int8", "B": "uint8", "h": "int16", "H": "uint16", "i": "int32", "I": "uint32", "l": "int64",
            "L": "uint64", "q": "int64", "Q": "uint64", "e": "float16", "f": "float32", "d": "float64", "?": "bool",
            "c": "int8"}


class _PyBuffer(ctypes.Structure):
    _fields_ = [("buf", ctypes.c_void_p), ("obj", ctypes.py_object), ("len", ctypes.c_ssize_t),
                ("itemsize", ctypes.c_ssize_t), ("readonly", ctypes.c_int), ("ndim", ctypes.c_int),
                ("format", ctypes.c_char_p), ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p),
                ("suboffsets", ctypes.c_void_p), ("internal", ctypes.c_void_p)]


def _buffer(array):
    view = memoryview(array)
    dtype = _FORMATS.get(view.format.lstrip("@=<"))
    if dtype is None or not view.contiguous:
        raise TypeError(f"a buffer of format '{view.format}' is no array that kernels know")
    raw = _PyBuffer()
    ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(view), ctypes.byref(raw), 0)
    address = raw.buf or 0
    ctypes.pythonapi.PyBuffer_Release(ctypes.byref(raw))
    return address, address, view.nbytes, dtype, not view.readonly, (array, view), None


def import_array(array, name):
    interface = getattr(array, "__cuda_array_interface__", None) if not hasattr(array, "data_ptr") else None
    if interface is not None or getattr(array, "is_cuda", False):
        return _on_device(array)
    if hasattr(array, "data_ptr"):
        return _tensor(array)
    interface = getattr(array, "__array_interface__", None)
    if interface is not None:
        return _from_interface(interface, array)
    if hasattr(array, "__dlpack__"):
        return _dlpack(array)
    return _buffer(array)
