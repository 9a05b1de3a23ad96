"""Names of upstream's type rules that libraries import. The rules are the library's."""

from typing import Generic, TypeVar

TensorTy = TypeVar("TensorTy")


class IncompatibleTypeErrorImpl(Exception):

    def __init__(self, type_a, type_b):
        self.type_a = type_a
        self.type_b = type_b
        self.message = f"invalid operands of type {type_a!r} and {type_b!r}"
        super().__init__(self.message)


class TritonSemantic(Generic[TensorTy]):

    def __init__(self, builder=None):
        raise NotImplementedError("neso applies the language's type rules in its library: there is no TritonSemantic to "
                                  "subclass or call")
