"""What bench/gpu/public.py keeps of the memory that kernels change, so that each turn of a timing finds what the first launch found. The
kernels run on the CPU."""

import importlib
import os
import sys
import tempfile
import unittest

import torch

HERE = os.path.dirname(os.path.abspath(__file__))
for folder in ("bench/gpu", "bench/gpu/public"):
    sys.path.insert(0, os.path.join(HERE, "..", "..", folder))
import public  # noqa: E402
import worlds  # noqa: E402
import triton.language as tl  # noqa: E402


def take(counter, out):
    """The place of a program is what a counter says, as in kernels that share a list of work."""
    tl.store(out + tl.atomic_add(counter, 1), 7)


def add_to(of, x):
    at = tl.arange(0, 4)
    tl.store(x + at, tl.load(x + at) + tl.load(of + at))


class Kept(unittest.TestCase):

    def launched(self, build):
        """The launches of what build(jit) launches in a world whose kernels run, and what memory has to be restored."""
        with tempfile.TemporaryDirectory() as folder:
            world = worlds.World("neso", folder, "here")
            world.launches, world.kept = [], {}
            with world:
                build(importlib.import_module("triton").jit)
            launches, world.launches = world.launches, None
            return {launch.name: launch for launch in launches}, world.changed()

    def test_counters(self):
        counter, out = torch.zeros(1, dtype=torch.int32), torch.zeros(4, dtype=torch.int32)
        launches, changed = self.launched(lambda jit: jit(take)[(4,)](counter, out))
        self.assertEqual((counter.tolist(), out.tolist()), ([4], [7] * 4))
        for _ in range(3):
            public._restore(changed["take"])
            self.assertEqual((counter.tolist(), out.tolist()), ([0], [0] * 4))
            launches["take"].run()
            self.assertEqual((counter.tolist(), out.tolist()), ([4], [7] * 4))

    def test_tensors_of_inference(self):
        counter, out = torch.zeros(1, dtype=torch.int32), torch.zeros(4, dtype=torch.int32)
        with torch.inference_mode():  # as vLLM launches
            launches, changed = self.launched(lambda jit: jit(take)[(2,)](counter, out))
        public._restore(changed["take"])
        self.assertEqual((counter.tolist(), out.tolist()), ([0], [0] * 4))

    def test_what_a_later_kernel_changes(self):
        """A kernel's input is what it was at its launch, also where another kernel writes to it later; what nobody changes is not copied."""
        x, y, z = torch.ones(8), torch.zeros(4), torch.full((4,), 5.0)

        def both(jit):
            jit(add_to)[(1,)](x[4:], y)
            jit(take)[(1,)](torch.zeros(1, dtype=torch.int32), x[5:].view(torch.int32))
            kernel = jit(add_to)
            kernel.__name__ = "again"
            kernel[(1,)](z, y)
        launches, changed = self.launched(both)
        self.assertEqual((y.tolist(), x[4].item()), ([6.0] * 4, 1.0))
        self.assertEqual({memory.data_ptr() for memory, _ in changed["add_to"]}, {x.data_ptr(), y.data_ptr()})
        self.assertEqual([memory.data_ptr() for memory, _ in changed["again"]], [y.data_ptr()])
        public._restore(changed["add_to"])
        self.assertEqual((y.tolist(), x.tolist()), ([0.0] * 4, [1.0] * 8))
        launches["add_to"].run()
        self.assertEqual(y.tolist(), [1.0] * 4)
        public._restore(changed["again"])
        self.assertEqual(y.tolist(), [1.0] * 4)

    def test_where_tensors_are(self):
        """In tuples, and below descriptors."""
        x, y = torch.ones(4), torch.ones(8)
        from triton.tools.tensor_descriptor import TensorDescriptor
        found = dict(worlds.memories([1, None, (x, (2, x[1:])), TensorDescriptor(y, [8], [1], [4]), torch.empty(0)]))
        self.assertEqual({address: len(memory) for address, memory in found.items()}, {x.data_ptr(): 16, y.data_ptr(): 32})


if __name__ == "__main__":
    unittest.main()
