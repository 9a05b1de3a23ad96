"""Processes of torchrun, which speak to each other by gloo: each has the name `triton`, and runs kernels."""

import os
import subprocess
import sys
import tempfile
import unittest

import torch.distributed

PROGRAM = '''
import torch
import torch.distributed as dist
import triton
import triton.language as tl


@triton.jit
def fill(out, value, N: tl.constexpr):
    tl.store(out + tl.arange(0, N), value)


dist.init_process_group("gloo")
x = torch.empty(16)
fill[(1, )](x, dist.get_rank() + 1.0, N=16)
dist.all_reduce(x)
assert triton.__neso__ and x.tolist() == [3.0] * 16, x
if dist.get_rank() == 0:
    print("sum", int(x[0]))
dist.destroy_process_group()
'''


@unittest.skipUnless(torch.distributed.is_available() and torch.distributed.is_gloo_available(), "no gloo")
class Torchrun(unittest.TestCase):

    def test_two_processes(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "program.py")
            with open(path, "w") as file:
                file.write(PROGRAM)
            done = subprocess.run([sys.executable, "-m", "neso", "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", path],
                                  capture_output=True, text=True, timeout=300, env={**os.environ, "OMP_NUM_THREADS": "1"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("sum 3", done.stdout.splitlines())  # gloo of torch 2.9 writes there too


if __name__ == "__main__":
    unittest.main()
