"""Cache managers, by upstream's interface: files and groups of files under a key.

Compiled kernels lie in the library's own cache (docs/cache.md) unless TRITON_CACHE_MANAGER or knobs.cache.manager_class names a class of
these; then they go through it (kept.py). Tuning results, and what programs put here themselves, always do."""

import contextlib
import os
import re
import stat
from abc import ABC, abstractmethod

from .. import _native, knobs
from .._lazy import sha256


def triton_key():
    """What identifies this version of the compiler: its number, and a hash of the sources that decide what it makes."""
    from .. import __version__
    return f"neso-{__version__}-{_native.info('build')}"


def get_cache_invalidating_env_vars():
    """The variables of the environment that tell compiled kernels apart, with their values, as far as they are set."""
    names = [variable for row in _native.settings() if row[5] for variable in row[2:4] if variable]
    return {name: os.environ[name] for name in names if name in os.environ}


def default_cache_dir():
    """The folder of the compile cache."""
    return knobs.cache.dir


def default_override_dir():
    """The folder of stages that replace what is compiled."""
    return knobs.cache.override_dir


def default_dump_dir():
    """The folder that stages are dumped to."""
    return knobs.cache.dump_dir


def _is_name(name):
    """Is it the name of a file: no path, and nothing that steers a terminal?"""
    return isinstance(name, str) and name not in ("", ".", "..") and "/" not in name and not re.search("[\\x00-\\x1f\\x7f-\\x9f]", name)


def _members(text):
    """The names of a group's files, by the file that lists them. None: it lists nothing, or what are no names."""
    import json
    try:
        names = list(json.loads(text)["child_paths"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return names if all(map(_is_name, names)) else None


def _listing(members):
    import json
    return json.dumps({"child_paths": members})


class CacheManager(ABC):
    """Files of one key."""

    def __init__(self, key, override=False, dump=False):
        pass

    @abstractmethod
    def get_file(self, filename):
        """The path of a file, or None."""

    @abstractmethod
    def put(self, data, filename, binary=True):
        """Keeps bytes, or anything else as text; gives the path."""

    @abstractmethod
    def get_group(self, filename):
        """name -> path of the files that were put as this group, or None."""

    @abstractmethod
    def put_group(self, filename, group):
        """Keeps which files belong together."""


class FileCacheManager(CacheManager):
    """A folder per key; files appear in it whole or not at all. Of the cache nothing is taken that others than this user and root could have
    put there: the folder is looked at by its descriptor, and used by it."""

    def __init__(self, key, override=False, dump=False):
        self.key = key
        self.lock_path = None
        root = default_dump_dir() if dump else default_override_dir() if override else default_cache_dir()
        if not root:
            raise RuntimeError("Could not create or locate cache dir")
        self.cache_dir = os.path.join(root, key)
        self._is_cache = not (dump or override)
        if dump or not override:
            self.lock_path = os.path.join(self.cache_dir, "lock")
            os.makedirs(self.cache_dir, mode=0o755, exist_ok=True)

    def _make_path(self, filename):
        return os.path.join(self.cache_dir, filename)

    def _is_ours(self, status):
        return not self._is_cache or (status.st_uid in (os.geteuid(), 0) and not status.st_mode & 0o022)

    def _open_folder(self):
        if not self.cache_dir:
            raise RuntimeError("Could not create or locate cache dir")
        folder = os.open(self.cache_dir, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            status = os.fstat(folder)
            if self._is_cache and status.st_uid == os.geteuid() and status.st_mode & 0o022:
                os.fchmod(folder, status.st_mode & 0o7755)  # a mask may have let others in; its files are looked at one by one
                status = os.fstat(folder)
            if not self._is_ours(status):
                raise PermissionError(f"the folder {self.cache_dir} of the cache can be written by others")
        except BaseException:
            os.close(folder)
            raise
        return folder

    def _open_file(self, filename):
        """A descriptor; None: there is no such file, or it is not ours."""
        if not _is_name(filename):
            return None
        try:
            folder = self._open_folder()
        except OSError:
            return None
        flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY | (os.O_NOFOLLOW if self._is_cache else 0)
        try:
            file = os.open(filename, flags, dir_fd=folder)
        except OSError:
            return None
        finally:
            os.close(folder)
        status = os.fstat(file)
        if stat.S_ISREG(status.st_mode) and self._is_ours(status):
            return file
        os.close(file)
        return None

    def _read(self, filename):
        """The bytes of a file; None as for _open_file."""
        file = self._open_file(filename)
        if file is None:
            return None
        with os.fdopen(file, "rb") as opened:
            return opened.read()

    def has_file(self, filename):
        if not self.cache_dir:
            raise RuntimeError("Could not create or locate cache dir")
        file = self._open_file(filename)
        if file is not None:
            os.close(file)
        return file is not None

    def get_file(self, filename):
        return self._make_path(filename) if self.has_file(filename) else None

    def put(self, data, filename, binary=True):
        import uuid
        if not _is_name(filename):
            raise ValueError(f"{filename!r} is no name of a file")
        folder = self._open_folder()
        temporary = f"tmp.pid_{os.getpid()}_{uuid.uuid4()}"
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
            try:
                with os.fdopen(os.open(temporary, flags, 0o644, dir_fd=folder), "wb" if isinstance(data, bytes) else "w") as file:
                    file.write(data if isinstance(data, bytes) else str(data))
                os.replace(temporary, filename, src_dir_fd=folder, dst_dir_fd=folder)
            except BaseException:
                with contextlib.suppress(OSError):
                    os.unlink(temporary, dir_fd=folder)
                raise
        finally:
            os.close(folder)
        return self._make_path(filename)

    def get_group(self, filename):
        text = self._read(f"__grp__{filename}")
        members = None if text is None else _members(text)
        return None if members is None else {name: self._make_path(name) for name in members if self.has_file(name)}

    def put_group(self, filename, group):
        return self.put(_listing(group), f"__grp__{filename}", binary=False)


class RemoteCacheBackend:
    """Where RemoteCacheManager keeps the files of one key. TRITON_REMOTE_CACHE_BACKEND or knobs.cache.remote_manager_class names a class."""

    def __init__(self, key):
        pass

    @abstractmethod
    def get(self, filenames):
        """name -> bytes of those that are there."""

    @abstractmethod
    def put(self, filename, data):
        """Keeps bytes."""


class RemoteCacheManager(CacheManager):
    """Files in a remote cache, with copies in a folder of this machine; dumps and overrides are on this machine alone. The remote cache is always
    asked, so that it knows what is used."""

    def __init__(self, key, override=False, dump=False):
        backend = knobs.cache.remote_manager_class
        if not backend:
            raise RuntimeError("RemoteCacheManager needs a remote cache: TRITON_REMOTE_CACHE_BACKEND names no class (MODULE:CLASS)")
        self._backend = backend(key)
        self._override = override
        self._dump = dump
        self._file_cache_manager = FileCacheManager(key, override=override, dump=dump)

    def _materialize(self, filename, data):
        return self._file_cache_manager.put(data, filename, binary=True)

    def get_file(self, filename):
        if self._dump or self._override:
            return self._file_cache_manager.get_file(filename)
        for data in self._backend.get([filename]).values():
            return self._materialize(filename, data)
        return None

    def put(self, data, filename, binary=True):
        if self._dump or self._override:
            return self._file_cache_manager.put(data, filename, binary=binary)
        if not isinstance(data, bytes):
            data = str(data).encode()
        self._backend.put(filename, data)
        return self._materialize(filename, data)

    def get_group(self, filename):
        if self._dump or self._override:
            return self._file_cache_manager.get_group(filename)
        listed = self._backend.get([f"__grp__{filename}"]).values()
        members = _members(next(iter(listed))) if listed else None
        if members is None:
            return None
        return {name: self._materialize(name, data) for name, data in self._backend.get(members).items() if name in members}

    def put_group(self, filename, group):
        if self._dump or self._override:
            return self._file_cache_manager.put_group(filename, group)
        return self.put(_listing(sorted(group)), f"__grp__{filename}")


class RedisRemoteCacheBackend(RemoteCacheBackend):
    """Values of a Redis server, by names that TRITON_REDIS_KEY_FORMAT says."""

    def __init__(self, key):
        import redis
        self._key = key
        self._key_fmt = knobs.redis.key_format
        self._redis = redis.Redis(host=knobs.redis.host, port=knobs.redis.port)

    def _get_key(self, filename):
        return self._key_fmt.format(key=self._key, filename=filename)

    def get(self, filenames):
        found = self._redis.mget([self._get_key(f) for f in filenames])
        return {f: data for f, data in zip(filenames, found) if data is not None}

    def put(self, filename, data):
        self._redis.set(self._get_key(filename), data)


def get_cache_manager(key):
    """The manager of the files that the cache has for a key."""
    return (knobs.cache.manager_class or FileCacheManager)(_base32(key))


def get_override_manager(key):
    """The manager of the files that replace the stages of a key."""
    return (knobs.cache.manager_class or FileCacheManager)(_base32(key), override=True)


def get_dump_manager(key):
    """The manager of the files that the stages of a key are dumped to."""
    return (knobs.cache.manager_class or FileCacheManager)(_base32(key), dump=True)


def _base32(key):
    """A folder's name for a key of hexadecimal digits; other keys are hashed first."""
    import base64
    try:
        return base64.b32encode(bytes.fromhex(key)).decode().rstrip("=")
    except ValueError:
        return _base32(sha256(key.encode()).hexdigest())


def make_so_cache_key(version_hash, signature, constants, ids, **kwargs):
    """Of a library that launches, or runs, kernels of a signature: which element type a pointer has makes no other library."""
    kinds = "".join("ptr" if kind[0] == "*" else kind for kind in signature.values())
    text = "-".join([f"{version_hash}-{kinds}-{constants}-{ids}", *map(str, kwargs.values())])
    return _base32(sha256(text.encode()).hexdigest())


def _library(version_hash, signature, constants, ids, name, data):
    kinds = tuple(map(str, signature.values() if hasattr(signature, "values") else signature))
    return _native.library(str(version_hash), name, kinds, str(constants), tuple(map(str, ids)), data)


def put_library(data, version_hash, signature, constants, ids, name=""):
    """Keeps the bytes of a shared object that was built for this; gives its path in the compile cache. PermissionError: what lies there could
    be changed by others, and is not to be loaded."""
    return _library(version_hash, signature, constants, ids, name, bytes(data))


def get_library(version_hash, signature, constants, ids, name=""):
    """The path of such a file, which is what was put and which nobody else can change; None: there is none. PermissionError: there is one that
    others could have changed."""
    return _library(version_hash, signature, constants, ids, name, None)


def get_cache_key(src, backend, backend_options, env_vars):
    """A text that differs where compiled kernels may."""
    options = backend_options.hash() if hasattr(backend_options, "hash") else sorted(backend_options.items())
    return f"{triton_key()}-{src.hash()}-{backend.hash()}-{options}-{sorted(env_vars.items())}"
