"""What tl.dot can do on NVIDIA GPUs."""


def min_dot_size(target):
    """A function of both operands' types that gives the least (M, N, K)."""

    def least(lhs_type, rhs_type):
        bits = lhs_type.scalar.primitive_bitwidth
        assert bits == rhs_type.scalar.primitive_bitwidth, "both operands must have elements of one width"
        return (1, 1, 32) if bits == 8 else (1, 1, 16)

    return least
