"""What ends a launch from outside: signals, Ctrl-C at a breakpoint, output that fails; breakpoints at a terminal and without one."""

import io
import os
import pty
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from contextlib import redirect_stdout

os.environ.setdefault("NESO_QUIET", "1")

import numpy as np  # noqa: E402

import neso as triton  # noqa: E402
import neso.language as tl  # noqa: E402


@triton.jit
def endless_kernel(x_ptr, n):
    i = 0
    while i >= 0:
        tl.store(x_ptr, i)
        i = (i + 1) & n


@triton.jit
def print_kernel(x_ptr, n):
    i = 0
    while i >= 0:
        tl.device_print("i", i)
        i = (i + 1) & n


@triton.jit
def count_kernel(x_ptr):
    tl.atomic_add(x_ptr, 1)


@triton.jit
def add_kernel(x_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x_ptr + i, tl.load(x_ptr + i, mask=i < n) + 1, mask=i < n)


class Alarm(Exception):
    pass


def ring(number, frame):
    raise Alarm


class Stop(unittest.TestCase):

    def stopped_by(self, launch):
        before = signal.signal(signal.SIGALRM, ring)
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.1)
            with self.assertRaises(Alarm):
                launch()
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    def test_a_signal_ends_a_loop(self):
        x = np.zeros(1, np.int32)
        self.stopped_by(lambda: endless_kernel[(1, )](x, 0xffff))
        self.stopped_by(lambda: endless_kernel[(1000, )](x, 0xffff))
        count_kernel[(3, )](y := np.zeros(1, np.int32))
        self.assertEqual(y[0], 3)

    def test_a_signal_ends_a_grid(self):
        x = np.zeros(1, np.int32)
        self.stopped_by(lambda: count_kernel[(2**31 - 1, )](x))
        self.assertGreater(x[0], 0)

    def test_ctrl_c(self):
        timer = threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            endless_kernel[(4, )](np.zeros(1, np.int32), 0xffff)
        timer.join()

    def slow_assembler(self):
        """An assembler that works for a minute, and the file where it says its process."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path, said = os.path.join(folder.name, "ptxas"), os.path.join(folder.name, "pid")
        with open(path, "w") as file:
            file.write("#!/bin/sh\ncase $1 in --version)\n"
                       "echo 'Cuda compilation tools, release 12.8, V12.8.93'; exit;; esac\n"
                       f"echo $$ >{said}.new; mv {said}.new {said}; sleep 60 & wait\n")
        os.chmod(path, 0o755)
        before = os.environ.get("TRITON_PTXAS_PATH")
        os.environ["TRITON_PTXAS_PATH"] = path
        self.addCleanup(lambda: os.environ.pop("TRITON_PTXAS_PATH") if before is None else
                        os.environ.update(TRITON_PTXAS_PATH=before))
        return said

    def assembling(self, said):
        until = time.monotonic() + 20
        while not os.path.exists(said) and time.monotonic() < until:
            time.sleep(0.01)
        with open(said) as file:
            return int(file.read())

    def assert_gone(self, process):
        with self.assertRaises(ProcessLookupError):
            os.kill(process, 0)

    def compile(self, block, **options):
        add_kernel.warmup(triton.MockTensor(tl.float32), 100, BLOCK=block, grid=(1, ), neso_target="sm_80", **options)

    def test_ctrl_c_ends_compiling(self):
        said = self.slow_assembler()
        process = []

        def interrupt():
            process.append(self.assembling(said))
            os.kill(os.getpid(), signal.SIGINT)

        thread = threading.Thread(target=interrupt)
        thread.start()
        with self.assertRaises(KeyboardInterrupt):
            self.compile(64)
        thread.join()
        self.assert_gone(process[0])

    def test_compiling_has_a_time_limit(self):
        said = self.slow_assembler()
        with self.assertRaisesRegex(triton.errors.CompileTimeoutError, "'add_kernel' was ended: it took more than 2 s"):
            self.compile(128, compile_timeout=2)
        self.assert_gone(self.assembling(said))
        os.environ["NESO_COMPILE_TIMEOUT"] = "1"
        self.addCleanup(os.environ.pop, "NESO_COMPILE_TIMEOUT")
        with self.assertRaisesRegex(TimeoutError, "it took more than 1 s"):
            self.compile(256)

    def test_who_waits_for_another_is_ended_too(self):
        """Two threads want one kernel: the one that waits has a limit of its own."""
        said = self.slow_assembler()
        ended = []

        def first():
            with self.assertRaises(TimeoutError):
                self.compile(512, compile_timeout=6)
            ended.append("first")

        thread = threading.Thread(target=first)
        thread.start()
        self.assembling(said)
        with self.assertRaisesRegex(TimeoutError, "more than 0.5 s"):
            self.compile(512, compile_timeout=0.5)
        ended.append("second")
        thread.join()
        self.assertEqual(ended, ["second", "first"])

    def test_a_handler_that_raises_nothing_ends_nothing(self):
        seen = []
        before = signal.signal(signal.SIGALRM, lambda number, frame: seen.append(number))
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.02, 0.02)
            x = np.zeros(1, np.int32)
            until = time.monotonic() + 10
            while not seen and time.monotonic() < until:
                x[0] = 0
                count_kernel[(1000000, )](x)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
        self.assertTrue(seen)
        self.assertEqual(x[0], 1000000)

    def test_output_that_fails_ends_the_launch(self):

        class Full(io.StringIO):

            def write(self, text):
                raise BrokenPipeError("nobody reads")

        for grid in (1, 64):
            with redirect_stdout(Full()), self.assertRaises(BrokenPipeError):
                print_kernel[(grid, )](np.zeros(1, np.int32), 0xffff)
        count_kernel[(3, )](y := np.zeros(1, np.int32))
        self.assertEqual(y[0], 3)


PROGRAM = """
import numpy as np
import neso as triton
import neso.language as tl

@triton.jit
def kernel(x_ptr, n: tl.constexpr):
    at = tl.arange(0, n)
    twice = tl.load(x_ptr + at) * 2
    triton.breakpoint()
    tl.store(x_ptr + at, twice)

x = np.arange(16, dtype=np.int32)
try:
    kernel[(GRID, )](x, 16)
except KeyboardInterrupt as error:
    print("left:", error)
print("end", x[3])
"""


class Breakpoint(unittest.TestCase):

    def setUp(self):
        import tempfile
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "program.py")
        self.write(1)

    def write(self, grid):
        with open(self.path, "w") as file:
            file.write(PROGRAM.replace("GRID", str(grid)))

    def test_without_a_terminal_it_shows_and_goes_on(self):
        done = subprocess.run([sys.executable, self.path], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=60)
        self.assertIn("neso.breakpoint:", done.stdout)
        self.assertIn("twice = [0, 2, 4, 6, 8, 10, 12, 14, ...] (16 elements)", done.stdout)
        self.assertNotIn("(neso)", done.stdout)
        self.assertTrue(done.stdout.endswith("end 6\n"), done.stdout + done.stderr)

    def at_terminal(self, *answers):
        """What the program shows when each prompt gets the next answer."""
        child, master = pty.fork()
        if not child:
            os.execv(sys.executable, [sys.executable, self.path])
        shown, answers, until = "", list(answers), time.monotonic() + 60
        while time.monotonic() < until:
            if not select.select([master], [], [], 1)[0]:
                continue
            try:
                got = os.read(master, 4096)
            except OSError:
                break
            if not got:
                break
            shown += got.decode()
            if answers and shown.count("(neso) ") > 0 and shown.endswith("(neso) "):
                os.write(master, answers.pop(0).encode())
        os.close(master)
        self.assertEqual(os.waitpid(child, 0)[1], 0, shown)
        return shown.replace("\r\n", "\n")

    def test_at_a_terminal_it_asks(self):
        shown = self.at_terminal("twice\n", "what\n", "c\n")
        self.assertIn("twice = [0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30] (16 elements)", shown)
        self.assertIn("leave; a variable", shown)
        self.assertTrue(shown.endswith("end 6\n"), shown)

    def test_at_a_terminal_it_can_be_left(self):
        for grid in (1, 64):
            self.write(grid)
            shown = self.at_terminal("q\n")
            self.assertIn("left: the kernel was left at a breakpoint", shown)
            self.assertEqual(shown.count("neso.breakpoint:"), 1)

    def test_programs_stop_in_their_order(self):
        self.write(4)
        shown = self.at_terminal("c\n", "c\n", "g\n")
        at = [shown.index(f"program ({i}, 0, 0)") for i in range(4)]
        self.assertEqual(at, sorted(at))
        self.assertEqual(shown.count("(neso) "), 3)

    def test_ctrl_c_at_the_prompt(self):
        for grid in (1, 64):
            self.write(grid)
            shown = self.at_terminal("\x03")
            self.assertIn("left:", shown)


if __name__ == "__main__":
    unittest.main()
