"""Files kept by key. Compiled kernels are kept in memory; tuning results, and what programs put here, on disk."""

import hashlib
import os

from .. import knobs


def triton_key():
    """What identifies this version of the compiler."""
    from .. import __version__
    return f"neso-{__version__}"


def get_cache_invalidating_env_vars():
    from .. import _native
    names = [variable for row in _native.settings() if row[5] for variable in row[2:4] if variable]
    return {name: os.environ[name] for name in names if name in os.environ}


def default_cache_dir():
    return knobs.cache.dir


def default_override_dir():
    return knobs.cache.override_dir


def default_dump_dir():
    return knobs.cache.dump_dir


def _children(path):
    """The files of a group, by the file that lists them."""
    import json
    with open(path) as file:
        return json.load(file).get("child_paths")


def _listing(group):
    import json
    return json.dumps({"child_paths": group})


class CacheManager:

    def __init__(self, key, override=False, dump=False):
        pass

    def get_file(self, filename):
        return None

    def put(self, data, filename, binary=True):
        raise NotImplementedError

    def get_group(self, filename):
        return None

    def put_group(self, filename, group):
        raise NotImplementedError


class FileCacheManager(CacheManager):
    """A folder per key; files appear in it whole or not at all."""

    def __init__(self, key, override=False, dump=False):
        self.key = key
        self.lock_path = None
        root = default_dump_dir() if dump else default_override_dir() if override else default_cache_dir()
        if not root:
            raise RuntimeError("Could not create or locate cache dir")
        self.cache_dir = os.path.join(root, key)
        if not override:
            self.lock_path = os.path.join(self.cache_dir, "lock")
            os.makedirs(self.cache_dir, exist_ok=True)

    def _make_path(self, filename):
        return os.path.join(self.cache_dir, filename)

    def has_file(self, filename):
        return os.path.exists(self._make_path(filename))

    def get_file(self, filename):
        return self._make_path(filename) if self.has_file(filename) else None

    def put(self, data, filename, binary=True):
        if not isinstance(data, bytes):
            binary = False
            data = str(data)
        path = self._make_path(filename)
        import uuid
        folder = os.path.join(self.cache_dir, f"tmp.pid_{os.getpid()}_{uuid.uuid4()}")
        os.makedirs(folder, exist_ok=True)
        temporary = os.path.join(folder, filename)
        with open(temporary, "wb" if binary else "w") as file:
            file.write(data)
        os.replace(temporary, path)
        os.removedirs(folder)
        return path

    def get_group(self, filename):
        path = self.get_file(f"__grp__{filename}")
        if path is None:
            return None
        children = _children(path)
        return None if children is None else {n: p for n, p in children.items() if os.path.exists(p)}

    def put_group(self, filename, group):
        return self.put(_listing(group), f"__grp__{filename}", binary=False)


class RemoteCacheBackend:

    def __init__(self, key):
        pass

    def get(self, filenames):
        raise NotImplementedError

    def put(self, filename, data):
        raise NotImplementedError


class RemoteCacheManager(CacheManager):
    """Files in a remote cache, with copies in a folder of this machine. TRITON_REMOTE_CACHE_BACKEND names the class."""

    def __init__(self, key, override=False, dump=False):
        self._backend = None
        self._files = FileCacheManager(key, override, dump)
        if not override and not dump:
            backend = knobs.cache.remote_manager_class or RemoteCacheBackend
            self._backend = backend(key)

    def _local(self, filename, data):
        return self._files.put(data, filename)

    def get_file(self, filename):
        if self._backend is None:
            return self._files.get_file(filename)
        found = self._backend.get([filename])
        return self._local(filename, found[filename]) if filename in found else None

    def put(self, data, filename, binary=True):
        if not isinstance(data, bytes):
            data = str(data).encode()
        if self._backend is not None:
            self._backend.put(filename, data)
        return self._files.put(data, filename, binary)

    def get_group(self, filename):
        if self._backend is None:
            return self._files.get_group(filename)
        path = self.get_file(f"__grp__{filename}")
        if path is None:
            return None
        names = _children(path) or ()
        found = self._backend.get(list(names))
        return {name: self._local(name, data) for name, data in found.items()}

    def put_group(self, filename, group):
        return self.put(_listing(group), f"__grp__{filename}")


class RedisRemoteCacheBackend(RemoteCacheBackend):

    def __init__(self, key):
        import redis
        self._key = key
        self._format = knobs.cache_knobs and knobs.redis.key_format
        self._redis = redis.Redis(host=knobs.redis.host, port=knobs.redis.port)

    def _name(self, filename):
        return self._format.format(key=self._key, filename=filename)

    def get(self, filenames):
        found = self._redis.mget([self._name(f) for f in filenames])
        return {f: data for f, data in zip(filenames, found) if data is not None}

    def put(self, filename, data):
        self._redis.set(self._name(filename), data)


def get_cache_manager(key):
    return (knobs.cache.manager_class or FileCacheManager)(_base32(key))


def get_override_manager(key):
    return (knobs.cache.manager_class or FileCacheManager)(_base32(key), override=True)


def get_dump_manager(key):
    return (knobs.cache.manager_class or FileCacheManager)(_base32(key), dump=True)


def _base32(key):
    import base64
    try:
        return base64.b32encode(bytes.fromhex(key)).decode().rstrip("=")
    except ValueError:
        return hashlib.sha256(key.encode()).hexdigest()


def make_so_cache_key(version_hash, signature, constants, ids, **kwargs):
    text = f"{version_hash}-{''.join(map(str, signature.values()))}-{constants}-{ids}-{kwargs}"
    return _base32(hashlib.sha256(text.encode()).hexdigest())


def get_cache_key(src, backend, backend_options, env_vars):
    text = f"{triton_key()}-{src.hash()}-{backend.hash()}-{backend_options.hash()}-{sorted(env_vars.items())}"
    return hashlib.sha256(text.encode()).hexdigest()
