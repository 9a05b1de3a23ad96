"""Compiled kernels that come from a pickle, or from before a fork, become what they were."""

import os

from .._lazy import sha256
from ..runtime import kept


class Facts:
    """What a launch has to know of a GPU's variant besides its cubin; made when it is pickled."""

    def __init__(self, compiled):
        self._compiled = compiled

    def __reduce__(self):
        return str, (self._compiled._assembled()._text("facts"), )


def _renumbered(facts, places):
    """The facts of a variant, in which parameters are those of its TTIR."""
    numbers = {str(place): str(i) for i, place in enumerate(places)}
    lines = []
    for line in facts.splitlines():
        words = line.split(" ")
        if words[0] == "slot":
            words[1] = numbers[words[1]]
        if words[0] != "divisible":
            lines.append(" ".join(words) + "\n")
    return "".join(lines).encode()


def _files(compiled, places):
    facts, cubin = compiled.__dict__.get("_facts"), compiled.asm.get("cubin")
    if not facts or not cubin:
        return None
    files = [("facts", _renumbered(facts, places)), ("cubin", cubin)]
    digests = "".join(f"{name} {sha256(data).hexdigest()}\n" for name, data in files)
    return [*files, ("digests", digests.encode())]


def _from_ttir(compiled, given):
    """(its kernel, of the TTIR; the same compiled kernel again; which of the arguments it takes)"""
    from .ahead import IRSource, _make
    import tempfile

    from ..runtime.jit import IRFunction
    names = list(compiled.src.signature)
    constants = {i for i, in getattr(compiled.src, "constants", {})}
    constants.update(i for i, name in enumerate(names) if compiled.src.signature[name] == "constexpr")
    places = tuple(i for i in range(len(names)) if i not in constants)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, kept.stem(compiled.name) + ".ttir")
        with open(path, "w") as file:
            file.write(compiled.asm["ttir"])
        src = IRSource(path)
    kernel = IRFunction(src)
    with kept.offering(_files(compiled, places)):
        return kernel, _make(src, kernel, given, True, False), places


def bind(compiled):
    """Gives a kernel without a variant in this process one: behind a fork of its function, of what was pickled by its TTIR."""
    from .ahead import _OPTIONS, _make
    from .compiler import AsmDict
    given = {name: getattr(compiled.metadata, name) for name in _OPTIONS if getattr(compiled.metadata, name, None) is not None}
    given["neso_target"] = compiled._target
    if isinstance(compiled.asm, AsmDict):
        kernel, places = compiled._kernel, None
        made = _make(compiled.src, kernel, given, True, False)
    else:
        kernel, made, places = _from_ttir(compiled, given)
    compiled._adopt(made)
    compiled._kernel, compiled._assemble, compiled._places = kernel, None, places
