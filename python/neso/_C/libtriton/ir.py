"""TTIR as objects: a module, and in it ops, values, blocks and regions, to be looked at.

>>> module = parse_text(kernel.warmup(..., grid=(1, )).asm["ttir"], context())
>>> module.walk(lambda op: print(op.get_name(), op.get_num_operands()))
"""

import re
import weakref

from ... import _native

_NONE = 0xffffffff


class context:
    """What modules are made in. There is nothing to be set up here."""

    def printOpOnDiagnosticEnabled(self, enabled):
        pass

    def printStackTraceOnDiagnosticEnabled(self, enabled):
        pass

    def disable_multithreading(self):
        pass


def load_dialects(context):
    """Nothing: the dialects of Triton are there."""


class value:
    """A result of an op, or an argument of a block."""

    def __init__(self, row):
        self._number, self._type = row

    def id(self):
        return self._number

    def get_type(self):
        return self._type

    def __eq__(self, other):
        return isinstance(other, value) and self._number == other._number

    def __hash__(self):
        return self._number

    def __repr__(self):
        return f"<value {self._number}: {self._type}>"


class region:

    def __init__(self, number, owner):
        self._number = number
        self._owner = owner

    def id(self):
        return self._number

    def get_parent_region(self):
        above = self._owner.get_block() if self._owner is not None else None
        return above.get_parent() if above is not None else None

    def __eq__(self, other):
        return isinstance(other, region) and self._number == other._number

    def __hash__(self):
        return self._number


class block:

    def __init__(self, number, region_number, arguments, owner):
        self._number = number
        self._region = region_number
        self._arguments = arguments
        self._owner = owner

    def id(self):
        return self._number

    def get_num_arguments(self):
        return len(self._arguments)

    def get_argument(self, i):
        return value(self._arguments[i])

    def get_parent(self):
        return region(self._region, self._owner())

    def __eq__(self, other):
        return isinstance(other, block) and self._number == other._number

    def __hash__(self):
        return self._number


class operation:
    """An op. Its module must live as long as it is used."""

    def __init__(self, row, owner):
        (self._name, self._number, self._line, self._operands, self._results, self._regions, self._block, self._region, self._parent,
         self._arguments, self._attributes) = row
        self._owner = weakref.ref(owner)

    def get_name(self):
        return self._name

    def id(self):
        return self._number

    def get_num_operands(self):
        return len(self._operands)

    def get_operand(self, i):
        return value(self._operands[i])

    def get_num_results(self):
        return len(self._results)

    def get_result(self, i):
        return value(self._results[i])

    def get_num_regions(self):
        return len(self._regions)

    def get_region(self, i):
        return region(self._regions[i], self)

    def get_parent_op(self):
        """The op around it; None: it is the module."""
        return self._owner()._by_number.get(self._parent)

    def get_block(self):
        """The block that it lies in; None: it is the module."""
        return None if self._block == _NONE else block(self._block, self._region, self._arguments, self.get_parent_op)

    def _text(self, name):
        found = self._attributes.get(name)
        return found[0] if isinstance(found, tuple) and found[1] else None

    def get_str_attr(self, name):
        return self._text(name)

    def get_flat_symbol_ref_attr(self, name):
        return self._text(name)

    def get_bool_attr(self, name):
        found = self._attributes.get(name)
        return found if isinstance(found, bool) else None

    def get_int_attr(self, name):
        found = self._attributes.get(name)
        return found if isinstance(found, int) and not isinstance(found, bool) else None

    def get_attributes(self):
        """All of them, as they are printed."""
        return {name: found[0] if isinstance(found, tuple) else str(found).lower() for name, found in self._attributes.items()}

    def line(self):
        """Of its source; 0: it is of none."""
        return self._line

    def __repr__(self):
        return f"<{self._name} {self._number}>"


class module:
    """A module of IR."""

    #: the CompiledKernel that it is of (compiler/steps.py)
    made = None

    def __init__(self, text, context, path="<ttir>"):
        self.context = context
        self._source = text
        self._ops = [operation(row, self) for row in _native.ir_ops(path, text)]
        self._by_number = {op.id(): op for op in self._ops}

    def walk(self, visit):
        """Calls visit(op) for every op, those inside an op before it."""
        for op in self._ops:
            visit(op)

    def dump(self):
        """To stderr."""
        import sys
        sys.stderr.write(self._source + "\n")

    def verify(self):
        """True: what is wrong was said when it was read."""
        return True

    def str(self):
        return self._source

    __str__ = str

    def str_nodebug(self):
        """The text without locations, and so without the names of variables: values have the names that MLIR gives them."""
        bare = _native.ir("<ttir>", self._source, (), True)
        numbers = {}
        number = lambda name: f"%{numbers.setdefault(name, len(numbers))}"  # what has a number for a name has none
        unnamed = re.sub(r'("(?:[^"\\]|\\.)*")|%([A-Za-z_$.0-9-]+)', lambda m: m[1] or number(m[2]), bare)
        return _native.ir("<ttir>", unnamed, (), True)

    def _functions(self):
        return [op for op in self._ops if op.get_name() == "tt.func"]

    def get_function(self, name):
        found = [op for op in self._functions() if op.get_str_attr("sym_name") == name]
        if not found:
            raise ValueError(f"there is no function {name}")
        return found[0]

    def has_function(self, name):
        return any(op.get_str_attr("sym_name") == name for op in self._functions())

    def get_entry_func_name(self):
        """The first function that is public."""
        for op in self._functions():
            if op.get_str_attr("sym_visibility") != "private":
                return op.get_str_attr("sym_name")
        return ""

    def get_operation(self):
        return self._ops[-1]

    def get_int_attr(self, name):
        return self._ops[-1].get_int_attr(name)


def parse_text(text, context, path="<ttir>"):
    """A module of the text of TTIR or TTGIR."""
    return module(text, context, path)


def parse_mlir_module(path, context):
    """The same of a file."""
    with open(path) as file:
        return module(file.read(), context, str(path))


def __getattr__(name):
    if name in ("builder", "pass_manager", "OpBuilder", "type", "attribute", "location"):
        raise AttributeError(f"neso has no libtriton.ir.{name}: IR is made and changed by its library, libneso; here it can be looked at")
    raise AttributeError(f"module 'neso._C.libtriton.ir' has no attribute '{name}'")
