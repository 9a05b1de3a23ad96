"""Linear layouts: maps from named coordinates to named coordinates, sizes powers of two, that are linear over bits."""


def _log2(size, what):
    if size < 1 or size & (size - 1):
        raise ValueError(f"{what} has {size} elements; sizes are powers of 2")
    return size.bit_length() - 1


class LinearLayout:
    """The image of each power of two of each input coordinate; that of a sum of them is the exclusive or.

    >>> layout = triton.LinearLayout.identity_1d(8, "lane", "column") * triton.LinearLayout.identity_1d(4, "warp", "row")
    >>> sorted(layout.apply({"lane": 5, "warp": 3}).items())
    [('column', 5), ('row', 3)]
    """

    __hash__ = None

    def __init__(self):
        self._bases, self._outs = {}, {}

    # ---- how one is made ----

    @classmethod
    def _make(cls, bases, outs):
        layout = cls()
        layout._bases = {name: [tuple(int(v) for v in basis) for basis in images] for name, images in bases}
        layout._outs = dict(outs)
        return layout

    @classmethod
    def identity_1d(cls, size, inDim, outDim):
        """x -> x."""
        return cls.strided_1d(size, 1, inDim, outDim)

    @classmethod
    def strided_1d(cls, size, stride, inDim, outDim):
        """x -> stride x."""
        bits = _log2(size, inDim)
        _log2(size * stride, outDim)
        return cls._make([(inDim, [(stride << i, ) for i in range(bits)])], {outDim: size * stride})

    @classmethod
    def zeros_1d(cls, size, inDim, outDim, outDimSize=1):
        """x -> 0."""
        _log2(outDimSize, outDim)
        return cls._make([(inDim, [(0, )] * _log2(size, inDim))], {outDim: outDimSize})

    @classmethod
    def from_bases(cls, bases, out_dim_names, out_dim_sizes=None, require_surjective=True):
        """bases: of each input its name and the images of 1, 2, 4, ..., each a coordinate in every output."""
        bases, names = [(name, [list(b) for b in images]) for name, images in bases], list(out_dim_names)
        for kind in ([name for name, _ in bases], names):
            if len(set(kind)) < len(kind):
                raise ValueError(f"a name is there twice: {', '.join(kind)}")
        if out_dim_sizes is None and not require_surjective:
            raise ValueError("out_dim_sizes must be provided when require_surjective is false")
        for name, images in bases:
            for image in images:
                if len(image) != len(names) or min(image, default=0) < 0:
                    raise ValueError(f"{image} of {name!r} is not a coordinate in {', '.join(names)}")
        if out_dim_sizes is None:
            every = [image for _, images in bases for image in images]
            sizes = [1 << max((image[i].bit_length() for image in every), default=0) for i in range(len(names))]
        else:
            sizes = [int(size) for size in out_dim_sizes]
            if len(sizes) != len(names):
                raise ValueError(f"{len(sizes)} sizes of {len(names)} outputs")
        for i, (name, size) in enumerate(zip(names, sizes)):
            _log2(size, name)
            for source, images in bases:
                for image in images:
                    if image[i] >= size:
                        raise ValueError(f"{image[i]} of {source!r} is beyond the {size} of {name!r}")
        layout = cls._make(bases, zip(names, sizes))
        if require_surjective and not layout.is_surjective():
            raise ValueError(f"the layout is not surjective:{layout}")
        return layout

    # ---- what it is ----

    @property
    def bases(self):
        return [(name, [list(image) for image in images]) for name, images in self._bases.items()]

    @property
    def out_dims(self):
        return list(self._outs.items())

    @property
    def num_in_dims(self):
        return len(self._bases)

    @property
    def num_out_dims(self):
        return len(self._outs)

    def get_in_dim_names(self):
        return list(self._bases)

    def get_out_dim_names(self):
        return list(self._outs)

    def _columns(self, outs=None):
        """The image of each input bit as one number: the outputs one behind the other, the first one lowest."""
        order, columns = list(self._outs), []
        for images in self._bases.values():
            for image in images:
                number = shift = 0
                for name in outs or order:
                    number |= image[order.index(name)] << shift
                    shift += _log2(self._outs[name], name)
                columns.append(number)
        return columns

    def _out_bits(self):
        return sum(_log2(size, name) for name, size in self._outs.items())

    def _rank(self):
        rows, rank = {}, 0
        for number in self._columns():
            while number and number.bit_length() in rows:
                number ^= rows[number.bit_length()]
            if number:
                rows[number.bit_length()] = number
                rank += 1
        return rank

    def is_surjective(self):
        return self._rank() == self._out_bits()

    def is_injective(self):
        return self._rank() == sum(map(len, self._bases.values()))

    def is_invertible(self):
        return self.is_surjective() and self.is_injective()

    def get_matrix_view(self):
        """A row for each bit of the outputs, a column for each of the inputs."""
        columns = self._columns()
        return [[column >> row & 1 for column in columns] for row in range(self._out_bits())]

    # ---- what it does ----

    def apply(self, inputs):
        """The outputs of coordinates, {name: number}."""
        if set(inputs) != set(self._bases):
            raise ValueError(f"the inputs are {', '.join(self._bases)}, not {', '.join(inputs)}")
        out = [0] * len(self._outs)
        for name, images in self._bases.items():
            for bit, image in enumerate(images):
                if inputs[name] >> bit & 1:
                    out = [a ^ b for a, b in zip(out, image)]
        return dict(zip(self._outs, out))

    def compose(self, outer):
        """x -> outer(self(x))."""
        if set(self._outs) != set(outer._bases):
            raise ValueError(f"the outputs are {', '.join(self._outs)}, the other's inputs {', '.join(outer._bases)}")
        for name, size in self._outs.items():
            if size > 1 << len(outer._bases[name]):
                raise ValueError(f"{name!r} has {size} elements here and {1 << len(outer._bases[name])} there")
        bases = [(name, [tuple(outer.apply(dict(zip(self._outs, image))).values()) for image in images])
                 for name, images in self._bases.items()]
        return self._make(bases, outer._outs)

    def invert_and_compose(self, outer):
        """x -> y with outer(y) = self(x); of several, the one that has the lowest bits of the inputs."""
        if set(self._outs) != set(outer._outs):
            raise ValueError(f"the outputs are {', '.join(self._outs)} here and {', '.join(outer._outs)} there")
        for name, size in self._outs.items():
            if size > outer._outs[name]:
                raise ValueError(f"{name!r} has {size} elements here and {outer._outs[name]} there")
        names, shifted = list(outer._outs), []
        for images in self._bases.values():
            for image in images:
                number = shift = 0
                for name in names:
                    number |= image[list(self._outs).index(name)] << shift
                    shift += _log2(outer._outs[name], name)
                shifted.append(number)
        pivots = {}  # highest bit: (number, which input bits give it)
        for at, number in enumerate(outer._columns()):
            number, made = self._reduced(pivots, number, 1 << at)
            if number:
                pivots[number.bit_length()] = (number, made)
        found = []
        for number in shifted:
            rest, made = self._reduced(pivots, number, 0)
            if rest:
                raise ValueError("the other layout does not reach all that this one does")
            found.append(made)
        sizes = [(name, len(images)) for name, images in outer._bases.items()]
        bases, at = [], 0
        for name, images in self._bases.items():
            mine = []
            for made in found[at:at + len(images)]:
                image, shift = [], 0
                for _, bits in sizes:
                    image.append(made >> shift & ((1 << bits) - 1))
                    shift += bits
                mine.append(image)
            bases.append((name, mine))
            at += len(images)
        return self._make(bases, [(name, 1 << bits) for name, bits in sizes])

    @staticmethod
    def _reduced(pivots, number, made):
        while number and number.bit_length() in pivots:
            other, how = pivots[number.bit_length()]
            number, made = number ^ other, made ^ how
        return number, made

    def pseudoinvert(self):
        """y -> x with self(x) = y, of a layout that is surjective."""
        identity = self._make([], {})
        for name, size in self._outs.items():
            identity = identity * LinearLayout.identity_1d(size, name, name)
        return identity.invert_and_compose(self)

    def invert(self):
        """The layout back; there is one where this one is surjective and injective."""
        if not self.is_invertible():
            raise ValueError("a layout that is inverted is surjective and injective")
        return self.pseudoinvert()

    def __mul__(self, other):
        """Both, the other one's coordinates above this one's where the names are the same."""
        if not isinstance(other, LinearLayout):
            return NotImplemented
        ins = list(dict.fromkeys([*self._bases, *other._bases]))
        outs = list(dict.fromkeys([*self._outs, *other._outs]))
        bases = []
        for name in ins:
            low = [[dict(zip(self._outs, image)).get(o, 0) for o in outs] for image in self._bases.get(name, ())]
            high = [[dict(zip(other._outs, image)).get(o, 0) * self._outs.get(o, 1) for o in outs]
                    for image in other._bases.get(name, ())]
            bases.append((name, low + high))
        return self._make(bases, [(o, self._outs.get(o, 1) * other._outs.get(o, 1)) for o in outs])

    def __eq__(self, other):
        if not isinstance(other, LinearLayout):
            return NotImplemented
        return self.bases == other.bases and self.out_dims == other.out_dims

    def __repr__(self):
        if not self._bases and not self._outs:
            return "\n(empty layout)"
        lines = [""]
        for name, images in self._bases.items():
            if not images:
                lines.append(f" - {name} is a size 1 dimension")
            for bit, image in enumerate(images):
                lines.append(f"{'   ' if bit else ' - '}{name}={1 << bit} -> ({', '.join(map(str, image))})")
        sizes = ", ".join(f"{name} (size {size})" for name, size in self._outs.items())
        return "\n".join([*lines, f"where out dims are: [{sizes}]"])
