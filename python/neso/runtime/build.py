"""Extension modules of Python made of C while a program runs, by upstream's interface: kept in the cache folder by their source.

Neso itself needs none and no C compiler; libraries beside it bring helpers of their own in this way."""

import os
import shlex
import shutil
import subprocess
import sysconfig
import tempfile
import warnings

from .. import knobs
from .._lazy import sha256
from .cache import get_cache_manager


def platform_key():
    """What modules of one machine do not share with those of another."""
    import platform
    return ",".join((platform.machine(), platform.system(), *platform.architecture()))


def _compiler():
    """The command of the C compiler: CC, with its options, or what the PATH has."""
    if os.environ.get("CC"):
        return shlex.split(os.environ["CC"])
    for name in ("gcc", "clang", "cc"):
        path = shutil.which(name)
        if path:
            return [path]
    raise RuntimeError("Failed to find C compiler: set CC, or triton.knobs.build.impl to a function that compiles.")


def _headers_of_python():
    # Debian's own scheme names /usr/local, where its packages put no headers.
    scheme = sysconfig.get_default_scheme()
    return sysconfig.get_paths(scheme="posix_prefix" if scheme == "posix_local" else scheme)["include"]


def _link(library):
    """The option for a library, by its name alone or by that of its file."""
    by_file = library.endswith(".a") or ".so" in library
    return f"-l:{library}" if by_file else f"-l{library}"


def _build(name, src, srcdir, library_dirs, include_dirs, libraries, ccflags=()):
    """Compiles the file `src` to the module `name` in the folder `srcdir`, and gives its path."""
    if knobs.build.impl:
        return knobs.build.impl(name, src, srcdir, library_dirs, include_dirs, libraries)
    module = os.path.join(srcdir, name + sysconfig.get_config_var("EXT_SUFFIX"))
    headers = [*include_dirs, srcdir, _headers_of_python(), *knobs.build.backend_dirs]
    subprocess.check_call([*_compiler(), src, "-O3", "-shared", "-fPIC", "-o", module, *map(_link, libraries),
                           *(f"-L{folder}" for folder in library_dirs),
                           *(f"-I{folder}" for folder in headers if folder is not None), *ccflags],
                          stdout=subprocess.DEVNULL)
    return module


def _load(name, path):
    from importlib import util
    spec = util.spec_from_file_location(name, path)
    module = util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def compile_module_from_src(src, name, library_dirs=None, include_dirs=None, libraries=None, ccflags=None):
    """The module `name`, whose C is the text `src`; compiled once, then loaded from the cache folder."""
    choices = [list(library_dirs or ()), list(include_dirs or ()), list(libraries or ()), list(ccflags or ())]
    key = sha256("\n".join((src, platform_key(), name, repr(choices))).encode()).hexdigest()
    cache = get_cache_manager(key)
    file = name + sysconfig.get_config_var("EXT_SUFFIX")
    kept = cache.get_file(file)
    if kept is not None:
        try:
            return _load(name, kept)
        except ImportError as error:
            warnings.warn(f"the module {name} in the cache cannot be loaded and is compiled again: {error}", stacklevel=2)
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, name + ".c")
        with open(source, "w", encoding="utf-8") as out:
            out.write(src)
        with open(_build(name, source, folder, *choices), "rb") as built:
            kept = cache.put(built.read(), file, binary=True)
    return _load(name, kept)
