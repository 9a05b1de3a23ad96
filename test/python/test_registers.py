"""Tiles that wait in shared memory where registers do not suffice: in the simulator with its checks, against NumPy."""

import os
import unittest

os.environ.setdefault("NESO_QUIET", "1")

import numpy as np  # noqa: E402

import neso as triton  # noqa: E402
import neso.language as tl  # noqa: E402

OPTIONS = {"neso_target": "sim:sm_90a", "neso_check": True}


@triton.jit
def gradients(a, r, x, p, m, n, C: tl.constexpr, D: tl.constexpr, H: tl.constexpr):
    """Conjugate gradients: three tiles go round, each changed once, and one (m) is needed in each iteration."""
    i, d = tl.arange(0, C), tl.arange(0, D)
    at = i[:, None] * D + d[None, :]
    left = tl.load(r + at)
    there = left * 0
    along = left
    old = tl.sum(left * left, axis=1)
    h = tl.load(a + d[:, None] * D + d[None, :]).to(H)
    mask = tl.exp(tl.load(m + i[:, None] * C + i[None, :]))
    for _ in range(n):
        s = tl.dot(along.to(tl.float16), tl.trans(along.to(tl.float16))) * mask
        to = tl.dot(along.to(H), h, input_precision="tf32") + tl.dot(s.to(tl.float16), along.to(tl.float16)) * 0.0625
        step = old / (tl.sum(along * to, axis=1) + 1e-5)
        there += step[:, None] * along
        left = left - step[:, None] * to
        new = tl.sum(left * left, axis=1)
        along = left + (new / (old + 1e-5))[:, None] * along
        old = new
    tl.store(x + at, there)
    tl.store(p + at, along)


def plain(a, r, m, n):
    half = lambda t: t.astype(np.float16).astype(np.float32)  # noqa: E731
    left, there, along = r.copy(), r * 0, r.copy()
    old = (left * left).sum(1)
    for _ in range(n):
        s = half(along) @ half(along).T * np.exp(m)
        to = along @ a + half(s) @ half(along) * 0.0625
        step = old / ((along * to).sum(1) + 1e-5)
        there += step[:, None] * along
        left = left - step[:, None] * to
        new = (left * left).sum(1)
        along = left + (new / (old + 1e-5))[:, None] * along
        old = new
    return there, along


class Waiting(unittest.TestCase):
    def test_tiles_of_a_loop(self):
        """What the loop changes in one place, and what it needs alone, wait where each thread stored them."""
        rng = np.random.default_rng(1)
        for c, d, warps, h, n in ((64, 64, 2, tl.float32, 0), (128, 64, 2, tl.float16, 3), (64, 64, 2, tl.float32, 2)):
            a = (np.eye(d) * 4 + rng.standard_normal((d, d)) * 0.05).astype(np.float32)
            a = (a + a.T) / 2
            r = rng.standard_normal((c, d)).astype(np.float32) * 0.1
            m = -np.abs(rng.standard_normal((c, c)).astype(np.float32))
            x, p = (np.zeros((c, d), np.float32) for _ in range(2))
            done = gradients[1,](a, r, x, p, m, n, C=c, D=d, H=h, num_warps=warps, **OPTIONS)
            self.assertIn("neso.own", done.asm["ttgir"])
            self.assertIn("ttg.local_store", done.asm["ttgir"])
            there, along = plain(a, r, m, n)
            np.testing.assert_allclose(x, there, rtol=0.02, atol=0.002)
            np.testing.assert_allclose(p, along, rtol=0.05, atol=0.004)

    def test_room(self):
        """What waits takes no more memory than there is, though a loop needs it to its end."""
        f = lambda *s: np.zeros(s, np.float32)  # noqa: E731
        c = d = 128
        done = gradients[1,](f(d, d), f(c, d), f(c, d), f(c, d), f(c, c), 0, C=c, D=d, H=tl.float32, num_warps=8,
                             **OPTIONS)
        self.assertIn("neso.own", done.asm["ttgir"])


if __name__ == "__main__":
    unittest.main()
