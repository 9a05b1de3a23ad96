"""Compiling stage by stage, by the methods of upstream's back ends: what launches kernels by itself asks for it so (jax-triton).

The library compiles a kernel to PTX at once; what a step gives remembers that kernel, and a later step takes its text from there.
Text that was changed, or that comes from elsewhere, goes on from its stage."""

import os
import tempfile

from .ahead import _OPTIONS, IRSource, compile


class Text(str):
    """A stage below TTIR. `made`: the CompiledKernel that it is of."""

    made = None

    def dump(self):
        import sys
        sys.stderr.write(self + "\n")


def _compiled(stage, given, target, options):
    """The CompiledKernel of a stage's text, or of a module of TTIR."""
    made = getattr(given, "made", None)
    if made is not None:
        return made
    named = {name: getattr(options, name) for name in _OPTIONS if getattr(options, name, None) is not None}
    named["neso_tensor_maps"] = False  # launchers of others make none
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, f"kernel.{stage}")
        with open(path, "w") as file:
            file.write(str(given))
        made = compile(IRSource(path), target, named)
    return made


def _tell(metadata, made):
    """Upstream's fields of what a launch has to know. Raises for a kernel that takes more than its arguments."""
    info = made._info()
    for what, needed in (("memory of its launch", info["scratch"]), ("more threads than 32 for each warp", info["threads"] != 32 * info["num_warps"])):
        if needed:
            raise RuntimeError(f"{made.name} needs {what}, which is given to it when neso launches it: kernel[grid](...)")
    metadata.update(name=made.name, shared=info["shared"], num_warps=info["num_warps"], num_ctas=info["num_ctas"], tmem_size=0,
                    global_scratch_size=0, global_scratch_align=1, profile_scratch_size=0, profile_scratch_align=1)


def ttir(module, target, options):
    """The module as it is after the passes that are of no target."""
    from .._C.libtriton import ir
    made = _compiled("ttir", module, target, options)
    lowered = ir.parse_text(made.asm["ttir"], module.context)
    lowered.made = made
    return lowered


def below(before, stage, given, metadata, target, options):
    """The text of a stage, of what the stage `before` it gave."""
    made = _compiled(before, given, target, options)
    _tell(metadata, made)
    if stage == "cubin":
        return made.asm["cubin"]
    text = Text(made.asm[stage])
    text.made = made
    return text
