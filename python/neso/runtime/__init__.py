"""Running kernels from Python."""

from .._lazy import lazy
from .errors import InterpreterError, OutOfResources
from .jit import JITFunction, KernelInterface, MockTensor, TensorWrapper, reinterpret
from .cache import RedisRemoteCacheBackend, RemoteCacheBackend
from .driver import driver
from ._allocation import set_allocator

TYPE_CHECKING = False
if TYPE_CHECKING:  # for editors: what is imported when it is asked for
    from .autotuner import Autotuner, Config, Heuristics, autotune, heuristics

__all__ = [
    "Autotuner", "Config", "Heuristics", "InterpreterError", "JITFunction", "KernelInterface", "MockTensor",
    "OutOfResources", "RedisRemoteCacheBackend", "RemoteCacheBackend", "TensorWrapper", "autotune", "driver",
    "heuristics", "reinterpret", "set_allocator",
]

__getattr__, __dir__ = lazy(__name__, {
    ".autotuner": ("Autotuner", "Config", "Heuristics", "autotune", "heuristics"),
}, (".autotuner", ".farm", ".progress", ".tuned"))
