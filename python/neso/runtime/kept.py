"""Compiled kernels in a cache manager of the program's (knobs.cache.manager_class), by upstream's interface.

A kernel is a group "NAME.json" of files NAME.source, .ttir, .ttgir, .llir, .ptx, .cubin, .json under the manager of its key. What the library
needs besides is in the JSON, under "neso": so a manager keeps what it always kept, and the library notices files that are
not what was put. Without a manager a remote cache back end (knobs.cache.remote_manager_class) lies behind the library's own cache: its values are
the entries of that."""

import contextlib
import os
import re
import threading

from .. import _native, knobs
from . import cache

_VARIANT, _DUMP, _OVERRIDE = range(3)
_TEXTS = ("source", "ttir", "ttgir", "llir", "ptx")
_OVERRIDES = ("ttir", "ttgir", "llir", "ptx", "cubin")
_REMOTE = "TRITON_REMOTE_CACHE_BACKEND"

_groups = {}


def stem(kernel):
    """What the names of a kernel's files begin with: its own, but for what makes names that file systems do not take."""
    return kernel[:150]


def has_groups():
    """Is there one that nobody took yet?"""
    return bool(_groups)


def take_group(key):
    """The group of a variant that the library has just got or put: name of a file to its path. None: it asked no manager."""
    return _groups.pop(key, None)


def call(what, *args):
    """What the extension calls (python/ext/keeper.c)."""
    return _CALLS[what](*args)


def _is_ours(remote):
    """A remote cache that the library itself speaks to."""
    return remote is cache.RedisRemoteCacheBackend or (remote is None and "://" in os.environ.get(_REMOTE, ""))


_offer = threading.local()


@contextlib.contextmanager
def offering(files):
    """While this thread compiles a variant, it is not compiled but taken from these (name, bytes). None: compiled."""
    _offer.files = files
    try:
        yield
    finally:
        _offer.files = None


def _active():
    if getattr(_offer, "files", None):
        return True
    manager = knobs.cache.manager_class
    if manager is cache.RemoteCacheManager and _is_ours(knobs.cache.remote_manager_class):
        return False
    return manager is not None


def connect():
    """Before a compilation: the remote cache behind the library's own is what the settings say. Raises for settings that name nothing."""
    manager, remote = knobs.cache.manager_class, knobs.cache.remote_manager_class
    if manager is not None and not (manager is cache.RemoteCacheManager and _is_ours(remote)):
        return
    if remote is cache.RedisRemoteCacheBackend and not os.environ.get(_REMOTE):
        os.environ[_REMOTE] = "triton.runtime.cache:RedisRemoteCacheBackend"
    if remote is None or _is_ours(remote):
        _native.set_remote(None, "")
    else:
        _native.set_remote(remote, f"{remote.__module__}:{remote.__qualname__}")


def _fetch(remote, pairs):
    """The values of (key, name) of a remote cache; None: it is not there. Names of one key are asked for at once."""
    found = {}
    for key in dict.fromkeys(key for key, _ in pairs):
        names = [name for k, name in pairs if k == key]
        found.update(((key, name), value) for name, value in remote(cache._base32(key)).get(names).items())
    return [found.get(pair) for pair in pairs]


def _store(remote, key, name, data):
    remote(cache._base32(key)).put(name, data)


def _get(what, key, kernel):
    import json
    if what == _VARIANT and getattr(_offer, "files", None):
        return _offer.files
    name = stem(kernel)
    if what == _OVERRIDE:
        return _get_override(key, name)
    group = cache.get_cache_manager(key).get_group(f"{name}.json") or {}
    if f"{name}.json" not in group:
        return None
    try:
        with open(group[f"{name}.json"]) as file:
            kept = json.load(file)["neso"]
        with open(group[f"{name}.cubin"], "rb") as file:
            files = [("cubin", file.read())]
        files += [(section, kept[section].encode()) for section in ("facts", "digests", "log", "warnings", "libraries") if section in kept]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    _groups[key] = dict(group)
    return files


def _get_override(key, name):
    manager = cache.get_override_manager(key)
    files = []
    for stage in _OVERRIDES:
        path = manager.get_file(f"{name}.{stage}")
        if path is not None:
            with open(path, "rb") as file:
                files.append((stage, file.read()))
    return files


def _put(what, key, kernel, files):
    import json
    if getattr(_offer, "files", None):
        return
    name = stem(kernel)
    if what == _DUMP:
        manager = cache.get_dump_manager(key)
        for stage, data in files:
            manager.put(data if stage == "cubin" else data.decode(), f"{name}.{stage}")
        return
    manager = cache.get_cache_manager(key)
    sections = dict(files)
    group = {}
    for stage in _TEXTS:
        if stage in sections:
            group[f"{name}.{stage}"] = manager.put(sections[stage].decode(), f"{name}.{stage}")
    group[f"{name}.cubin"] = manager.put(sections["cubin"], f"{name}.cubin")
    text = json.dumps(_metadata(key, kernel, sections))
    group[f"{name}.json"] = manager.put(text, f"{name}.json", binary=False)
    manager.put_group(f"{name}.json", group)
    _groups[key] = group


def _metadata(key, kernel, sections):
    """Upstream's fields, and the library's own."""
    import json
    facts = json.loads(sections["metadata"])
    number = re.match(r"sm_(\d+)", facts["target"])
    made = {"hash": key, "name": kernel, "target": {"backend": "cuda", "arch": int(number[1]) if number else 0, "warp_size": 32},
            "arch": facts["target"].replace("_", ""), "backend_name": "cuda", "warp_size": 32}
    made.update((field, facts[field]) for field in ("num_warps", "num_stages", "num_ctas", "shared"))
    made.update(maxnreg=facts["maxnreg"] or None, global_scratch_size=facts["scratch"], global_scratch_align=facts["scratch_align"],
                n_regs=facts["registers"], microseconds=facts["microseconds"], triton_version=cache.triton_key())
    made.update(cache.get_cache_invalidating_env_vars())
    made["neso"] = {"variant": facts, **{s: sections[s].decode() for s in ("key", "facts", "digests", "log", "warnings", "libraries") if s in sections}}
    return made


_CALLS = {"active": _active, "get": _get, "put": _put, "fetch": _fetch, "store": _store}
