"""Declared variants: which variants of its kernels a program may ask for is written down, compiled and loaded ahead
(docs/declare.md has the language of declarations)."""

import ast
import importlib
import json
import os
import sys
from concurrent import futures

from .. import _native, knobs

MOST = 4096


def record(file=None):
    """From now on each variant that is launched for the first time, and those that were before, becomes a line of a file of
    declarations, unless the file has it. Several processes may add to one. Without a file: no more.

    >>> import tempfile
    >>> file = tempfile.NamedTemporaryFile(suffix=".variants")
    >>> triton.record(file.name)
    >>> x = np.zeros(64, np.float32)
    >>> _ = kernel[(1,)](x, x.size, BLOCK=64)
    >>> with open(file.name) as lines:
    ...     "kernel(" in lines.read()
    True
    >>> triton.record(None)
    """
    _native.record(None if file is None else os.fspath(file))


def explain(format="text"):
    """What this process has compiled and launched: by kernel its variants with what they took, whether they came from the cache,
    why they were needed, and which parameter multiplies them. format: "text", "data" (a list of dicts), "json" or
    "prometheus". Launches on a GPU are counted where NESO_COUNT_LAUNCHES is set.

    >>> "compiled" in triton.explain()
    True
    """
    text = _native.explain("json" if format == "data" else format)
    return json.loads(text) if format == "data" else text


# ---- declarations in code ----


class Declaration:
    """A line of declarations, of a kernel of this process."""

    def __init__(self, kernel, line):
        self.kernel, self.line = kernel, line

    def variants(self, targets=None, most=MOST):
        """All that the line stands for: a list of (signature, options)."""
        return _variants(self.kernel, self.line, "declaration", 1, targets, most)

    def __str__(self):
        return self.line

    def __repr__(self):
        return f"Declaration({self.line!r})"


_declared = []


def _entry(value):
    """What a declaration says of a parameter, or an option."""
    if isinstance(value, (list, tuple, set, frozenset, range)):
        items = sorted(value, key=repr) if isinstance(value, (set, frozenset)) else value
        return "{" + ", ".join(_entry(item) for item in items) + "}"
    return value if isinstance(value, str) else repr(value)


def _name_of(kernel):
    return kernel.fn.__qualname__.replace("<locals>.", "")


def _plain(kernel):
    """The JITFunction below decorators (autotune, heuristics)."""
    from .jit import JITFunction
    while not isinstance(kernel, JITFunction):
        kernel = kernel.fn
    return kernel


def declare(kernel, parameters, **options):
    """Declares variants of a kernel, as a line of a file does: neso.warm() without a file compiles them. parameters: text, or a
    dict by name of texts and lists of them; options (num_warps, target, ...): values, or lists of them.

    >>> line = triton.declare(kernel, {"x_ptr": "*fp32:*", "n": "i32:*", "BLOCK": [64, 128]}, num_warps=[4, 8])
    >>> len(line.variants())
    24
    """
    fn = _plain(kernel)
    if not isinstance(parameters, str):
        parameters = ", ".join(f"{name}: {_entry(value)}" for name, value in parameters.items())
    words = [name if value is True else f"{name}={_entry(value)}" for name, value in options.items() if value is not False]
    made = Declaration(fn, " ".join([f"{os.path.abspath(fn.fn.__code__.co_filename)}:{_name_of(fn)}({parameters})", *words]))
    made.variants()
    _declared.append(made)
    return made


# ---- what lines stand for ----


def _prepare(fn):
    if not fn._entries():
        fn._prepare()


def _variants(fn, line, file, number, targets, most):
    _prepare(fn)
    return fn._declared(line, file, number, None if targets is None else list(targets), most)


def _same(a, b):
    return a == b or os.path.realpath(a) == os.path.realpath(b)


def _kernels(path, name):
    """Those of this process that a declaration is of."""
    from . import specialize
    for fn in list(specialize.functions.values()):
        if fn.made_for is None and fn.fn is not None and name in (_name_of(fn), fn.__name__) and \
                _same(fn.fn.__code__.co_filename, path):
            yield fn


def _split(signature):
    """Its entries: commas outside brackets and quotes divide it."""
    parts, depth, quote, begin = [], 0, "", 0
    for i, c in enumerate(signature):
        if quote:
            quote = "" if c == quote and signature[i - 1] != "\\" else quote
        elif c in "'\"":
            quote = c
        elif c in "([{<":
            depth += 1
        elif c in ")]}>":
            depth -= 1
        elif c == "," and not depth:
            parts.append(signature[begin:i])
            begin = i + 1
    return parts + [signature[begin:]]


def _value(fn, text):
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return eval(text, fn.get_capture_scope())  # an expression of the file, among its names: tl.float16


def _source(fn, signature):
    """The signature as hooks are told of it."""
    from ..compiler.compiler import ASTSource
    types, constants, attrs = {}, {}, {}
    for i, (param, entry) in enumerate(zip(fn.params, _split(signature))):
        kind, _, known = entry.partition(":")
        is_type = not param.is_constexpr and (kind[:1] == "*" or kind.startswith("tensordesc<") or kind in _TYPES)
        types[param.name] = kind if is_type else "constexpr"
        if not is_type:
            constants[(i, )] = _value(fn, entry)
        elif known:
            attrs[(i, )] = [["tt.divisibility", int(known)]]
    return ASTSource(fn, types, constants, attrs)


_TYPES = frozenset("i1 i8 i16 i32 i64 u1 u8 u16 u32 u64 fp16 bf16 fp32 fp64 fp8e5 fp8e4nv fp8e4b8 fp8e5b16 fp8e4b15".split())


def _obey(fn, line):
    """A control line: what it says becomes part of jit(specialize=...), which is read when the kernel is compiled first."""
    inside = line[line.index("(") + 1:line.rindex(")")]
    name, changed = None, dict(fn.specialize)
    for part in inside.split(","):
        before, colon, words = part.partition(":")
        name = before.strip() if colon else name
        said = [w.strip() for w in changed.get(name, "").split(",") if w.strip()]
        word = (words if colon else before).strip()
        changed[name] = ", ".join(said if word in said else said + [word])
    control(fn, **{n: w for n, w in changed.items() if fn.specialize.get(n) != w})


def control(kernel, **parameters):
    """Says what is concluded from arguments of a kernel, as jit(specialize={...}) does, from outside: before it is compiled.

    >>> triton.control(other, n="never_one, div8")
    """
    fn = _plain(kernel)
    for name, words in parameters.items():
        if name not in fn.signature.parameters:
            raise ValueError(f"{fn.__name__} has no parameter '{name}'")
        if fn.specialize.get(name) == words:
            continue
        if fn._entries():
            raise ValueError(f"{fn.__name__} has been compiled: what is concluded from its arguments can be set before that alone")
        fn.specialize[name] = words
        fn._make_params()
        fn._set_up()
        fn.hash = None


# ---- warming up ----


class Warmed:
    """What warm() did."""

    def __init__(self):
        self.variants = self.loaded = self.skipped = 0

    def __repr__(self):
        return f"Warmed(variants={self.variants}, loaded={self.loaded}, skipped={self.skipped})"


def _lines(file):
    """(kernels or None, line, file, number, is_control), those of `declare` where there is no file."""
    if file is None:
        return [([d.kernel], d.line, "declaration", 1, False) for d in _declared]
    rows = _native.declarations(os.fspath(file), None)
    return [(list(_kernels(path, name)), line, where, number, is_control)
            for path, name, line, where, number, is_control in rows]


def warm(file=None, target=None, threads=None, load=True, most=MOST):
    """Compiles all that a file of declarations (or `declare`) says of kernels of this process, side by side, and loads it
    into the current GPU context, so that first launches pay for neither. target: that launches are for (the current
    GPU, else NESO_TARGET, else the interpreter); lines for others, and of files that are not imported, are skipped.

    >>> triton.warm()
    Warmed(variants=24, loaded=0, skipped=0)
    """
    here = target or knobs.runtime.target or (None if knobs.runtime.interpret else _native.here()) or "interp"
    here = _native.here() if here == "cuda" else here
    result, jobs = Warmed(), []
    lines = _lines(file)
    for kernels, line, _, _, is_control in lines:
        for fn in kernels if is_control else ():
            _obey(fn, line)
    for kernels, line, where, number, is_control in lines:
        if is_control:
            continue
        result.skipped += not kernels
        for fn in kernels:
            for signature, options in _variants(fn, line, where, number, None, most):
                if options.get("neso_target", here) == here:
                    jobs.append((fn, signature, options))
                else:
                    result.skipped += 1
    with futures.ThreadPoolExecutor(threads or os.cpu_count()) as pool:
        made = list(pool.map(lambda job: _warm_one(*job, here), jobs))
    result.variants = len({id(one) for one in made})
    if load and here.startswith("sm_") and _native.here() == here:
        for one in {id(one): one for one in made}.values():
            one._load_gpu()
            result.loaded += 1
    return result


def _warm_one(fn, signature, options, here):
    options = dict(options)
    options["neso_target"] = "cuda" if here.startswith("sm_") and _native.here() == here else here
    if options["neso_target"] == "interp" and not knobs.runtime.target:
        del options["neso_target"]
    return fn._compile(signature, (_source(fn, signature), True), **options)


# ---- compiling ahead, by anybody's executor ----


def _module_name(path):
    """(name, folder that it is found from) of a Python file: of one in packages the whole name."""
    folder, name = os.path.dirname(path), os.path.splitext(os.path.basename(path))[0]
    while os.path.isfile(os.path.join(folder, "__init__.py")):
        folder, package = os.path.split(folder)
        name = f"{package}.{name}"
    return name, folder


def _import(path):
    """The file as a module, unless its kernels are there."""
    path = os.path.realpath(path)
    if any(_same(getattr(module, "__file__", None) or "", path) for module in list(sys.modules.values())):
        return
    name, folder = _module_name(path)
    sys.path.insert(0, folder)
    try:
        importlib.import_module(name)
    finally:
        sys.path.remove(folder)


def _kernel(path, name):
    _import(path)
    found = next(_kernels(path, name), None)
    if found is None:
        raise ValueError(f"{path} has no kernel '{name}'")
    return found


class Job:
    """A variant of a declaration, to be compiled somewhere: (path, kernel, controls, signature, options)."""

    __slots__ = ("path", "kernel", "controls", "signature", "options")

    def __init__(self, path, kernel, controls, signature, options):
        self.path, self.kernel, self.controls, self.signature, self.options = path, kernel, controls, signature, options

    def __reduce__(self):
        return Job, (self.path, self.kernel, self.controls, self.signature, self.options)

    def __repr__(self):
        return f"Job({self.path}:{self.kernel}, {self.signature}, {self.options})"


def jobs(file, targets=None, shard=None, most=MOST):
    """All variants that a file of declarations stands for, each once, in its order. shard: (i, n), the i-th of n parts (from
    1 on), which are disjoint and together all."""
    rows = _native.declarations(os.fspath(file), None)
    controls, found = {}, {}
    for path, kernel, line, _, _, is_control in rows:
        if is_control:
            controls.setdefault((path, kernel), []).append(line)
    for path, kernel, line, where, number, is_control in rows:
        if is_control:
            continue
        fn, said = _kernel(path, kernel), controls.get((path, kernel), [])
        for control_line in said:
            _obey(fn, control_line)
        for signature, options in _variants(fn, line, where, number, targets, most):
            job = Job(os.path.abspath(path), kernel, said, signature, options)
            found.setdefault((job.path, kernel, signature, tuple(sorted(options.items()))), job)
    all_jobs = list(found.values())
    if shard is None:
        return all_jobs
    part, parts = shard
    if not 1 <= part <= parts:
        raise ValueError(f"shard is (i, n) with i from 1 to n, not {shard!r}")
    return all_jobs[part - 1::parts]


def compile_job(job):
    """Compiles one, into the cache of the process that does it: ("hit", "miss" or "off", its key there or None)."""
    fn = _kernel(job.path, job.kernel)
    for line in job.controls:
        _obey(fn, line)
    _prepare(fn)
    made = fn._compile(job.signature, (_source(fn, job.signature), True), **job.options)
    return made.cache or "off", made.cache_key


def compile_declared(file, executor=None, targets=None, shard=None, most=MOST):
    """Compiles all that a file of declarations stands for into the compile cache, for GPUs that need not be there. The files
    of the kernels are imported. executor: anything with concurrent.futures' submit() (Dask's, Ray's, MPI's); without one,
    threads of this process. A list of (job, result) as compile_job gives them. What fails is raised when the others are
    done.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
    ...     triton.compile_declared(file.name)
    []
    """
    todo = jobs(file, targets, shard, most)
    if executor is not None:
        return _all_done(todo, [executor.submit(compile_job, job) for job in todo])
    with futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return _all_done(todo, [pool.submit(compile_job, job) for job in todo])


def _all_done(todo, waiting):
    done, failed = [], None
    for job, future in zip(todo, waiting):
        try:
            done.append((job, future.result()))
        except Exception as error:
            failed = failed or error
    if failed is not None:
        raise failed
    return done
