"""Calls in turns, with the cycles that they take.

At the power limit the clock of a GPU goes up and down with what ran before, so the seconds of one call move by 10 % within a run. Its cycles
move by 1 %. So calls take turns in an order that chance decides, each between two stamps of every SM's clock."""
import random
import statistics

import torch

MOST_SMS = 256


class Cycles:
    def __init__(self, stamp):
        """stamp: the kernel of cycle_kernels.py."""
        self.stamp = stamp
        self.flush = torch.empty(256 << 20, dtype=torch.int8, device="cuda")
        self.programs = 2 * torch.cuda.get_device_properties(0).multi_processor_count

    def once(self, call):
        self.flush.zero_()
        stamps = torch.zeros(2, MOST_SMS, 2, dtype=torch.int64, device="cuda")
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        self.stamp[(self.programs,)](stamps[0], num_warps=1)
        begin.record()
        call()
        end.record()
        self.stamp[(self.programs,)](stamps[1], num_warps=1)
        return begin, end, stamps

    def turns(self, calls, repetitions, seed=0):
        """{name: {"seconds", "cycles", "ghz"}}, medians; cycles are those of the SM in the middle."""
        for call in calls.values():
            for _ in range(3):
                call()
        chance, taken = random.Random(seed), {name: [] for name in calls}
        for _ in range(repetitions):
            order = list(calls)
            chance.shuffle(order)
            for name in order:
                taken[name].append(self.once(calls[name]))
        torch.cuda.synchronize()
        return {name: self.summary(runs) for name, runs in taken.items()}

    @staticmethod
    def summary(runs):
        cycles, clocks = [], []
        for _, _, stamps in runs:
            seen = (stamps[:, :, 0] != 0).all(0)
            passed = (stamps[1] - stamps[0])[seen].double()
            cycles.append(passed[:, 0].median().item())
            clocks.append((passed[:, 0] / passed[:, 1]).median().item())
        return {"seconds": statistics.median(a.elapsed_time(b) for a, b, _ in runs) * 1e-3, "cycles": statistics.median(cycles),
                "ghz": statistics.median(clocks)}
