"""What case files say: add(name, modules, build, ...). The case files are those beside this one that register cases."""

import importlib
import os
import torch

HERE = os.path.dirname(os.path.abspath(__file__))
CASES = {}


class Case:
    """name; modules: what build's function gets, as each implementation compiles it; build(make) makes the inputs and returns
    run, or (run, want): run(*modules) makes all that it changes itself and returns what it computed, want() is what should come out (None
    where nothing is said). configs: by kernel what the configuration of an autotuned kernel is to have. prunes: configurations are
    what the library makes of its list. only: the kernels that are timed. rms, most: how far results may differ, as a share of the
    wanted values' root mean square and of the greatest."""

    def __init__(self, name, modules, build, configs=None, only=None, rms=0.01, most=0.05, prunes=False):
        self.name, self.build, self.configs, self.only, self.rms, self.most = name, build, configs or {}, only, rms, most
        self.prunes = prunes
        self.modules = [modules] if isinstance(modules, str) else list(modules)


def add(name, modules, build, **options):
    if name in CASES:
        raise ValueError(f"two cases are named {name}")
    CASES[name] = Case(name, modules, build, **options)


def load():
    for file in sorted(os.listdir(HERE)):
        if file.endswith(".py") and file not in ("cases.py", "stubs.py", "worlds.py"):
            importlib.import_module(file[:-3])
    return CASES


class Make:
    """Makes inputs on the device; without a GPU (device "cpu") what is random is left as it is, as nothing runs."""

    def __init__(self, device):
        self.device = device
        if device != "cpu":
            torch.manual_seed(0)

    def randn(self, *shape, dtype=torch.bfloat16, scale=1.0):
        if self.device == "cpu":
            return torch.empty(shape, dtype=dtype)
        return (torch.randn(shape, device=self.device, dtype=torch.float32 if dtype.itemsize == 1 else dtype) * scale).to(dtype)

    def rand(self, *shape, dtype=torch.float32, least=0.0, most=1.0):
        if self.device == "cpu":
            return torch.empty(shape, dtype=dtype)
        return (torch.rand(shape, device=self.device) * (most - least) + least).to(dtype)

    def ints(self, low, high, shape, dtype=torch.int32):
        if self.device == "cpu":
            return torch.full(shape, low, dtype=dtype)
        return torch.randint(low, high, shape, device=self.device, dtype=torch.int64).to(dtype)

    def empty(self, *shape, dtype=torch.bfloat16):
        return torch.empty(shape, dtype=dtype, device=self.device)

    def zeros(self, *shape, dtype=torch.bfloat16):
        return torch.zeros(shape, dtype=dtype, device=self.device)

    def ones(self, *shape, dtype=torch.float32):
        return torch.ones(shape, dtype=dtype, device=self.device)

    def tensor(self, values, dtype=torch.int32):
        return torch.tensor(values, dtype=dtype, device=self.device)

    def arange(self, n, dtype=torch.int32):
        return torch.arange(n, dtype=dtype, device=self.device)

    def permutation(self, n, dtype=torch.int32):
        made = torch.Generator().manual_seed(0)
        return torch.randperm(n, generator=made).to(dtype).to(self.device)


class Context:
    """What the forward of a torch.autograd.Function keeps for its backward."""
    needs_input_grad = (True,) * 8

    def save_for_backward(self, *kept):
        self.saved_tensors = kept

    def mark_non_differentiable(self, *_):
        pass

    set_materialize_grads = mark_non_differentiable


def attention(q, k, v, causal=True, window=0, scale=None, offset=None):
    """Attention of [T, H, D] by [S, HK, D], in float32; query i stands at place offset + i (S - T unless given)."""
    T, H, D = q.shape
    S, heads, _ = k.shape
    offset = S - T if offset is None else offset
    out = torch.empty(T, H, v.shape[-1], device=q.device)
    rows = torch.arange(T, device=q.device)[:, None] + offset
    columns = torch.arange(S, device=q.device)[None, :]
    hidden = torch.zeros(T, S, dtype=torch.bool, device=q.device)
    if causal:
        hidden |= columns > rows
    if window:
        hidden |= columns <= rows - window
    for h in range(H):
        at = h // (H // heads)
        scores = (q[:, h].float() @ k[:, at].float().T) * (D**-0.5 if scale is None else scale)
        out[:, h] = torch.softmax(scores.masked_fill_(hidden, float("-inf")), -1) @ v[:, at].float()
    return out
