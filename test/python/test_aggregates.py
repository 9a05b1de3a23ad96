"""Objects of aggregates outside of kernels."""

import os
import typing
import unittest

os.environ.setdefault("NESO_QUIET", "1")

import numpy as np  # noqa: E402

import neso as triton  # noqa: E402
import neso.language as tl  # noqa: E402


@triton.aggregate
class Tile:
    rows: tl.constexpr
    columns: tl.constexpr = 8

    @triton.constexpr_function
    def size(self):
        return self.rows * self.columns

    @triton.jit
    def filled(self, value):
        return tl.full((self.rows, self.columns), value, tl.int32)


@triton.aggregate
class Named(Tile):
    name: "tl.constexpr"


@triton.aggregate
class Twice:
    rows: tl.constexpr

    def __init__(self, rows):
        self.rows = 2 * rows


class Pair(typing.NamedTuple):
    x: tl.constexpr
    y: tl.constexpr


@triton.aggregate
class Shapes:
    shape: tl.tuple
    strides: tl.tuple


@triton.jit
def fills(out, ROWS: tl.constexpr):
    tile = Named(ROWS, 4, "tile")
    tl.store(out + tl.arange(0, 4 * ROWS), tl.ravel(tile.filled(tile.size())))


class Aggregates(unittest.TestCase):
    def test_fields(self):
        for tile in (Tile(4), Tile(rows=4), Tile(4, columns=8), Named(tl.constexpr(4), name="a", columns=8)):
            self.assertIsInstance(tile.rows, tl.constexpr)
            self.assertEqual((tile.rows.value, tile.columns.value), (4, 8))
            self.assertEqual(tl.core._unwrap_if_constexpr(tile.size()), 32)
        self.assertEqual(Twice(5).rows.value, 10)
        for given, named, text in (((), {}, "a value is missing for 'rows'"), ((1, 2, 3), {}, "takes 2 values, for rows, columns; 3"),
                                   ((1, ), {"row": 2}, "Tile has no field 'row'"), ((1, ), {"rows": 2}, "'rows' is given twice")):
            with self.assertRaisesRegex(TypeError, text):
                Tile(*given, **named)

    def test_tuples(self):
        shapes = Shapes(Pair(3, tl.constexpr(7)), (7, 1))
        self.assertIsInstance(shapes.shape, tl.tuple)
        self.assertEqual([shapes.shape.x.value, shapes.shape[1].value, shapes.strides[0].value], [3, 7, 7])
        with self.assertRaisesRegex(AttributeError, "no field 'z'"):
            shapes.shape.z

    def test_they_stay_what_they_are(self):
        for tile in (Tile(4), Twice(2)):
            with self.assertRaisesRegex(AttributeError, "cannot assign to field 'rows' on immutable aggregate"):
                tile.rows = 5
            with self.assertRaisesRegex(AttributeError, "cannot delete"):
                del tile.rows
            self.assertEqual(tile.rows.value, 4)

    def test_replace(self):
        tile = Tile(4, 2)
        other = tl.aggregate_replace(tile, rows=6)
        self.assertEqual((tile.rows.value, other.rows.value, other.columns.value), (4, 6, 2))
        with self.assertRaisesRegex(TypeError, "Tile has no field 'z'"):
            tl.aggregate_replace(tile, z=1)
        with self.assertRaisesRegex(TypeError, "expects an aggregate instance, got int"):
            tl.aggregate_replace(42, x=1)

    def test_kernels_see_the_source(self):
        out = np.zeros(12, np.int32)
        fills[(1, )](out, ROWS=3, neso_target="interp")
        np.testing.assert_array_equal(out, 12)


if __name__ == "__main__":
    unittest.main()
