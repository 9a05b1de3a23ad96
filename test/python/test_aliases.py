"""Two arguments that are one array."""
import os
import unittest

import numpy as np

os.environ.setdefault("NESO_QUIET", "1")
import neso as triton  # noqa: E402
import neso.language as tl  # noqa: E402


@triton.jit
def stored_and_copied(x, y, o, B: tl.constexpr):
    i = tl.arange(0, B)[:, None] * 64 + tl.arange(0, 64)[None, :]
    d = tl.make_tensor_descriptor(y, [B, 64], [64, 1], [B, 64])
    tl.store(x + i, (i % 7).to(tl.float16))
    tl.debug_barrier()
    tl.store(o + i, d.load([0, 0]))


@triton.jit
def copied_and_loaded(x, y, o, B: tl.constexpr):
    i = tl.arange(0, B)[:, None] * 64 + tl.arange(0, 64)[None, :]
    d = tl.make_tensor_descriptor(x, [B, 64], [64, 1], [B, 64])
    d.store([0, 0], (i % 7).to(tl.float16))
    tl.debug_barrier()
    tl.store(o + i, tl.load(y + i))


@triton.jit
def copied_twice(x, y, o, B: tl.constexpr):
    i = tl.arange(0, B)[:, None] * 64 + tl.arange(0, 64)[None, :]
    d = tl.make_tensor_descriptor(x, [B, 64], [64, 1], [B, 64])
    e = tl.make_tensor_descriptor(y, [B, 64], [64, 1], [B, 64])
    d.store([0, 0], (i % 7).to(tl.float16))
    tl.debug_barrier()
    tl.store(o + i, e.load([0, 0]))


class Aliases(unittest.TestCase):

    def setUp(self):
        before = os.environ.get("NESO_CHECK")
        os.environ["NESO_CHECK"] = "1"
        self.addCleanup(lambda: os.environ.pop("NESO_CHECK") if before is None else os.environ.update(NESO_CHECK=before))

    def test_a_store_behind_a_barrier_is_fenced_for_copies(self):
        """The author's barrier is between them, so the copy sees what was stored by the other name."""
        self.check(stored_and_copied)

    def test_a_copy_in_front_of_a_barrier_is_waited_for(self):
        self.check(copied_and_loaded)
        self.check(copied_twice)

    def check(self, kernel):
        for target in ("sim:sm_90a", "sim:sm_100a"):
            x, o = np.zeros((32, 64), np.float16), np.zeros((32, 64), np.float16)
            kernel[(1, )](x, x, o, 32, neso_target=target)
            np.testing.assert_array_equal(o, (np.arange(32 * 64) % 7).reshape(32, 64))


if __name__ == "__main__":
    unittest.main()
