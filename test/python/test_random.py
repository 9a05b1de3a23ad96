"""Random numbers: Philox by its published numbers, and those of torch's generator on CUDA."""

import os
import unittest
from unittest import mock

os.environ.setdefault("NESO_QUIET", "1")

import numpy as np  # noqa: E402

import neso as triton  # noqa: E402
import neso.language as tl  # noqa: E402

from engines import Engines  # noqa: E402

#: Counter, key and result of philox4x32 with ten rounds, of the file kat_vectors of Random123.
KNOWN = [
    ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    ((0xFFFFFFFF, ) * 4, (0xFFFFFFFF, ) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    ((0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344), (0xA4093822, 0x299F31D0),
     (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1)),
]


def philox(counter, key):
    """The algorithm, by integers of Python."""
    c, k = [int(x) for x in counter], [int(x) for x in key]
    for _ in range(10):
        low, high = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [high >> 32 ^ c[1] ^ k[0], high & 0xFFFFFFFF, low >> 32 ^ c[3] ^ k[1], low & 0xFFFFFFFF]
        k = [k[0] + 0x9E3779B9 & 0xFFFFFFFF, k[1] + 0xBB67AE85 & 0xFFFFFFFF]
    return tuple(c)


def torch_words(seed, offset, n, threads):
    """The words of n elements: each thread makes four in a turn, which lie `threads` apart."""
    out = np.zeros(n, np.uint32)
    for i in range(n):
        turn, thread = divmod(i, threads)
        block = offset // 4 + turn // 4
        out[i] = philox((block & 0xFFFFFFFF, block >> 32, thread, 0), (seed & 0xFFFFFFFF, seed >> 32))[turn % 4]
    return out


@triton.jit
def words(counters, out, SEED: tl.constexpr):
    for k in tl.static_range(4):
        c = tl.load(counters + k)
        if k == 0:
            c0 = c
        elif k == 1:
            c1 = c
        elif k == 2:
            c2 = c
        else:
            c3 = c
    a, b, c, d = tl.philox(SEED, c0, c1, c2, c3)
    tl.store(out, a)
    tl.store(out + 1, b)
    tl.store(out + 2, c)
    tl.store(out + 3, d)


@triton.jit
def curand(out, SEED: tl.constexpr, OFFSET: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, N)
    a, b, c, d = tl.curand4x(SEED, at, OFFSET)
    tl.store(out + at * 4, a)
    tl.store(out + at * 4 + 1, b)
    tl.store(out + at * 4 + 2, c)
    tl.store(out + at * 4 + 3, d)


@triton.jit
def torch(out, uniform, threads, SEED: tl.constexpr, OFFSET: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out + at, tl.torch_randint(SEED, OFFSET, at, threads))
    tl.store(uniform + at, tl.torch_rand(SEED, OFFSET, at, threads))


def torch_normals(seed, offset, n, threads):
    """A thread's four: sines and cosines of one angle, of two."""
    pairs = torch_words(seed, offset, -(-n // (4 * threads)) * 4 * threads, threads).reshape(-1, 2, threads)
    u = pairs[:, 0] * 2.0**-32 + 2.0**-33
    v = (pairs[:, 1] * 2.0**-32 + 2.0**-33) * 2 * np.pi
    radius = np.sqrt(-2 * np.log(u))
    return np.stack([radius * np.sin(v), radius * np.cos(v)], 1).ravel()[:n].astype(np.float32)


@triton.jit
def normal(out, threads, SEED: tl.constexpr, OFFSET: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out + at, tl.torch_randn(SEED, OFFSET, at, threads))


class Random(Engines):
    def test_philox(self):
        for counter, key, expected in KNOWN:
            self.assertEqual(philox(counter, key), expected)
            self.check(words, [np.array(counter, np.uint32)], [np.array(expected, np.uint32)],
                       SEED=key[0] | key[1] << 32)

    def test_curand(self):
        seed = 0x123456789ABCDEF0
        for offset in (0, 8, 1 << 36):
            want = [philox((offset >> 2 & 0xFFFFFFFF, offset >> 34, i, 0), (seed & 0xFFFFFFFF, seed >> 32))
                    for i in range(16)]
            self.check(curand, [], [np.array(want, np.uint32).ravel()], SEED=seed, OFFSET=offset, N=16)

    def test_torch(self):
        for seed, offset, threads in ((0, 0, 256), (42, 4, 16), ((1 << 40) + 7, 1 << 36, 8)):
            words_ = torch_words(seed, offset, 64, threads)
            u = (words_.astype(np.float32) * np.float32(2**-32) + np.float32(2**-33)).astype(np.float32)
            u[u == 1] = 0
            self.check(torch, [], [words_, u], threads, SEED=seed, OFFSET=offset, N=64)
        # What torch.manual_seed(0) and torch.rand(10, device="cuda") print.
        printed = [0.3990, 0.5167, 0.0249, 0.9401, 0.9459, 0.7967, 0.4150, 0.8203, 0.2290, 0.9096]
        np.testing.assert_allclose(torch_words(0, 0, 10, 256) / 2**32, printed, atol=6e-5)

    def test_torch_normal(self):
        for seed, offset, threads in ((0, 0, 256), (42, 4, 16), ((1 << 40) + 7, 1 << 36, 8)):
            self.check(normal, [], [torch_normals(seed, offset, 64, threads)], threads, exact=False, SEED=seed,
                       OFFSET=offset, N=64)
        # What torch.manual_seed(0) and torch.randn(10, device="cuda") print.
        printed = [-0.9247, -0.4253, -2.6438, 0.1452, -0.1209, -0.5797, -0.6229, -0.3284, -1.0745, -0.3631]
        np.testing.assert_allclose(torch_normals(0, 0, 10, 256), printed, atol=6e-5)

    def test_strict(self):
        with mock.patch.dict(os.environ, {"NESO_STRICT_TRITON": "1"}):
            out = np.zeros(64, np.uint32)
            self.refuses(curand, "Triton has no tl.curand4x", out, SEED=1, OFFSET=0, N=16, num_stages=2)
            self.refuses(torch, "Triton has no tl.torch_randint", out, out.astype(np.float32), 8, SEED=1, OFFSET=0,
                         N=64, num_stages=2)


if __name__ == "__main__":
    unittest.main()
