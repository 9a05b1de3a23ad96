"""The simulator from Python: by the environment, by a launch's option, with checks, and what programs see then."""

import contextlib
import io
import os
import unittest
from unittest import mock

os.environ.setdefault("NESO_QUIET", "1")

import numpy as np  # noqa: E402

import neso as triton  # noqa: E402
import neso.language as tl  # noqa: E402
from neso.runtime.errors import LaunchError, OutOfBoundsError  # noqa: E402


@triton.jit
def row_sums(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + tl.program_id(0) * n + i, mask=i < n, other=0)
    tl.store(y_ptr + tl.program_id(0), tl.sum(x, 0))


@triton.jit
def all_programs(y_ptr, BLOCK: tl.constexpr):
    tl.store(y_ptr + tl.arange(0, BLOCK), tl.program_id(0))


@triton.jit
def tickets(y_ptr, count_ptr):
    tl.store(y_ptr + tl.program_id(0), tl.atomic_add(count_ptr, 1))


@triton.jit
def adds(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(out_ptr + i, mask=i < n) + tl.log(tl.load(x_ptr + i, mask=i < n)), mask=i < n)


@triton.jit
def halves(x_ptr, out_ptr, WHOLE: tl.constexpr):
    """Two copies; without a barrier the second one is of another lane's elements, which may be there or not."""
    i = tl.arange(0, 64)
    x = tl.load(x_ptr + i)
    tl.store(out_ptr + i, x)
    tl.store(out_ptr + 64 + i, x if WHOLE else tl.load(out_ptr + 63 - i))


def simulated():
    """Is there a code generator to simulate with?"""
    try:
        all_programs.warmup(np.zeros(16, np.int32), 16, grid=(1, ), neso_target="sim:sm_80")
    except Exception as error:
        if "libneso-codegen" in str(error):
            return False
        raise
    return True


@triton.jit
def through(address_ptr, count_ptr, AT: tl.constexpr = 0):
    tl.atomic_add(tl.load(address_ptr).to(tl.pointer_type(tl.int32)), 1)
    tl.atomic_add(count_ptr + AT, 1)


@unittest.skipUnless(simulated(), "built without LLVM")
class Simulator(unittest.TestCase):

    def sums(self, **options):
        x, y = np.arange(3 * 100, dtype=np.float32).reshape(3, 100), np.zeros(3, np.float32)
        compiled = row_sums[(3, )](x, y, 100, 128, **options)
        self.assertEqual(list(y), list(x.sum(1)))
        return compiled

    def test_checks_without_the_simulator_are_told(self):
        for target in ("interp", "sm_80"):
            with self.assertRaisesRegex(ValueError, f"neso_check is the simulator's, and this launch is for {target}"):
                self.sums(neso_check=True, neso_target=target)
        self.sums(neso_check=False, neso_target="interp")
        with mock.patch.dict(os.environ, NESO_CHECK="1", NESO_TARGET="interp"):
            with self.assertWarnsRegex(UserWarning, "NESO_CHECK=1 checks simulated launches alone"):
                self.sums()
            self.sums()

    def test_schedules(self):
        y, count = np.zeros(8, np.int32), np.zeros(1, np.int32)
        tickets[(8, )](y, count, neso_target="sim:sm_90a")
        self.assertEqual(sorted(y), list(range(8)))
        with self.assertRaisesRegex(LaunchError, "the result depends on the order of threads: byte .* of 'y_ptr'"):
            tickets[(8, )](y, np.zeros(1, np.int32), neso_target="sim:sm_90a", neso_schedules=4)
        with mock.patch.dict(os.environ, NESO_TARGET="sim:sm_90a", NESO_SCHEDULES="4"):
            with self.assertRaisesRegex(LaunchError, "in schedule 2"):
                tickets[(8, )](y, np.zeros(1, np.int32))
            tickets[(8, )](y, np.zeros(1, np.int32), neso_schedules=1)
            self.sums()
        with self.assertRaisesRegex(ValueError, "neso_schedules is the simulator's, and this launch is for interp"):
            self.sums(neso_schedules=2, neso_target="interp")

    def test_memory_of_others(self):
        """Where a kernel follows addresses, all memory of the process is within its reach, and none is put back."""
        x, count = np.arange(4, dtype=np.int32), np.zeros(1, np.int32)
        address = np.array([x.ctypes.data], np.int64)
        through[(8, )](address, count, neso_target="sim:sm_90a", neso_check=True)
        self.assertEqual((list(x), count[0]), ([8, 1, 2, 3], 8))
        with contextlib.redirect_stderr(io.StringIO()) as told:
            through[(8, )](address, count, neso_target="sim:sm_90a", neso_schedules=3)
        self.assertIn("not run in several orders: kernel 'through' follows addresses", told.getvalue())
        self.assertEqual((list(x), count[0]), ([16, 1, 2, 3], 16))
        with self.assertRaisesRegex(LaunchError, "passes the end of 'count_ptr'"):
            through[(1, )](address, count, AT=1, neso_target="sim:sm_90a", neso_check=True)

    def test_environment(self):
        with mock.patch.dict(os.environ, NESO_TARGET="sim:sm_90a", NESO_CHECK="1"):
            compiled = self.sums()
            self.assertEqual(compiled.metadata.target.arch, 90)
            active = triton.runtime.driver.active
            self.assertEqual((active.get_current_target().backend, active.get_device_capability()), ("cuda", (9, 0)))
        self.assertEqual(self.sums().metadata.target.backend, triton.runtime.driver.active.get_current_target().backend)

    def test_option_and_texts(self):
        compiled = self.sums(neso_target="sim:sm_80", neso_check=True)
        self.assertEqual(compiled.metadata.target.arch, 80)
        self.assertIn('ttg.target = "cuda:80"', compiled.asm["ttgir"])
        self.assertIn("shfl", compiled.asm["llir"] + compiled.asm["ptx"])
        self.assertIn(".target sm_80", compiled.asm["ptx"])
        self.assertNotIn("cubin", compiled.asm)
        with self.assertRaisesRegex(Exception, "sm_80a.*did you mean 'sm_80'"):
            self.sums(neso_target="sim:sm_80a")

    def test_findings(self):
        y = np.zeros(16, np.int32)
        with mock.patch.dict(os.environ, NESO_TARGET="sim:sm_90a", NESO_CHECK="1"):
            with self.assertRaises(LaunchError) as caught:
                all_programs[(2, )](y, 16)
            line = all_programs.fn.__code__.co_firstlineno + 2
            self.assertRegex(str(caught.exception), r"test_sim\.py:%d:5: error: race between programs: .*'y_ptr'" % line)
            all_programs[(2, )](y, 16, neso_check=False)
            all_programs[(1, )](y, 16)
            with self.assertRaises(OutOfBoundsError):
                all_programs[(1, )](y[:12].copy(), 16)

    def test_unwritten(self):
        x, out = np.ones(64, np.float32), np.zeros(64, np.float32)
        adds[(1, )](x, out, 64, 64, neso_target="sim:sm_90a", neso_check=True)
        with self.assertRaisesRegex(LaunchError, "loaded from memory that nothing has written"):
            adds[(1, )](x, out, 64, 64, neso_target="sim:sm_90a", neso_check=True, neso_unwritten="out_ptr")
        adds[(1, )](x, out, 64, 64, neso_target="sim:sm_90a", neso_unwritten=["out_ptr"])
        for wrong in ("n", "other", ("BLOCK", )):
            with self.assertRaisesRegex(ValueError, "neso_unwritten: .* is no parameter with an array"):
                adds[(1, )](x, out, 64, 64, neso_target="sim:sm_90a", neso_unwritten=wrong)
        with self.assertRaisesRegex(TypeError, "neso_unwritten takes names, not 3"):
            adds[(1, )](x, out, 64, 64, neso_target="sim:sm_90a", neso_unwritten=[3])

    def test_watched(self):
        x, out = np.full(64, -1, np.float32), np.zeros(64, np.float32)
        line = adds.fn.__code__.co_firstlineno + 3
        with triton.testing.findings() as found:
            adds[(1, )](x, out, 64, 64, neso_target="sim:sm_90a", neso_watch="nan")
            self.assertEqual([(f.code, f.severity, f.line) for f in found][:1], [("SIM_NAN", "warning", line)])
            found.clear()
            adds[(1, )](x, out, 64, 64, neso_target="sim:sm_90a", neso_watch=("coverage", "traffic"))
            self.assertLessEqual({f.code for f in found}, {"SIM_COVERAGE", "SIM_TRAFFIC"})
            self.assertTrue(any("never false" in f.text and f.line == line for f in found), found)
            found.clear()
            with mock.patch.dict(os.environ, NESO_TARGET="sim:sm_90a", NESO_WATCH="nan,coverage"):
                adds[(1, )](x, out, 64, 64)
            self.assertEqual({f.code for f in found}, {"SIM_NAN", "SIM_COVERAGE"})
        with self.assertRaisesRegex(ValueError, "neso_watch is of 'nan', 'coverage' and 'traffic', not 'nans'"):
            adds[(1, )](x, out, 64, 64, neso_target="sim:sm_90a", neso_watch="nans")
        for option in ({"neso_watch": "nan"}, {"neso_unwritten": "out_ptr"}, {"neso_against": "interp"}):
            with self.assertRaisesRegex(ValueError, f"{list(option)[0]} is the simulator's"):
                adds[(1, )](x, out, 64, 64, neso_target="interp", **option)

    def test_against(self):
        x, out = np.arange(64, dtype=np.float32), np.zeros(128, np.float32)
        options = {"neso_target": "sim:sm_90a", "neso_against": "interp"}
        halves[(1, )](x, out, True, **options)
        self.assertEqual(list(out), list(x) * 2)
        out[:] = 0
        with self.assertRaises(LaunchError) as caught:
            halves[(1, )](x, out, False, **options)
        self.assertRegex(str(caught.exception), r"out_ptr differs from the interpreter's in \d+ of 128 elements; the first is \[\d+\]")
        self.assertEqual(caught.exception.code, "SIM_WRITER")
        self.assertEqual(caught.exception.findings[0].line, halves.fn.__code__.co_firstlineno + 6)
        y = np.zeros(3, np.float32)
        row_sums[(3, )](np.random.default_rng(0).random((3, 100), np.float32), y, 100, 128, neso_rtol=1e-5, **options)
        with self.assertRaisesRegex(ValueError, "neso_against is 'interp', not 'cuda'"):
            halves[(1, )](x, out, True, neso_target="sim:sm_90a", neso_against="cuda")


if __name__ == "__main__":
    unittest.main()
