"""AMD GPUs, for programs that ask what is known of a launch's arguments there. Nothing is compiled for them."""

from ..compiler import BaseBackend

_LARGEST_BUFFER = 2**31 - 1


def get_min_dot_size(target):
    """A function of both operands' types that gives the least (M, N, K)."""
    return lambda lhs_type, rhs_type: (1, 1, 1)


class HIPBackend(BaseBackend):

    supports_native_tensor_specialization = False

    @staticmethod
    def supports_target(target):
        return target.backend == "hip"

    @staticmethod
    def is_within_2gb(tensor):
        """Do 32 bits reach all of what it may be a view of?"""
        storage = getattr(tensor, "untyped_storage", None)
        return storage is not None and storage().size() <= _LARGEST_BUFFER

    @staticmethod
    def get_tensor_specialization(arg, **kwargs):
        return BaseBackend.get_tensor_specialization(arg, **kwargs) + ("S" if HIPBackend.is_within_2gb(arg) else "")
