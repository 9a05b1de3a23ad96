"""What a kernel may ask about its target; on the host: about the active one."""


def current_target():
    from ..runtime.driver import driver
    return driver.active.get_current_target()


def is_cuda():
    target = current_target()
    return target is not None and target.backend == "cuda"


def cuda_capability_geq(major, minor=0):
    target = current_target()
    return target is not None and target.backend == "cuda" and target.arch >= major * 10 + minor


def is_hip():
    target = current_target()
    return target is not None and target.backend == "hip"


def is_hip_cdna3():
    return False


def is_hip_cdna4():
    return False


for _name in ("is_cuda", "cuda_capability_geq", "is_hip", "is_hip_cdna3", "is_hip_cdna4", "current_target"):
    globals()[_name].__neso_path__ = "language.target_info." + _name
    globals()[_name].__triton_builtin__ = True
