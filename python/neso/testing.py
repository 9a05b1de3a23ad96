"""Measuring and comparing: times, tables, plots, closeness."""

import functools
import math
import os
import statistics
import sys
import time
from contextlib import contextmanager


def nvsmi(attributes):
    """Numbers that nvidia-smi shows."""
    import subprocess
    command = ["nvidia-smi", "-i", "0", "--query-gpu=" + ",".join(attributes), "--format=csv,noheader,nounits"]
    return [int(x) for x in subprocess.check_output(command).decode().strip().split(",")]


# ---- what launches find ----


def findings():
    """Collects what launches warn of: the simulator's coverage, NaN and traffic as data, with `.code`, `.path`, `.line`, `.text`.

    >>> with triton.testing.findings() as found:
    ...     pass  # kernel[grid](x, n, neso_target="sim:sm_90a", neso_watch="coverage")
    >>> found
    []
    """
    from .runtime import warned
    return warned.collect()


# ---- times ----


def _quantile(times, quantiles):
    ordered = sorted(times)
    found = []
    for q in quantiles:
        if not 0 <= q <= 1:
            raise ValueError("Quantiles must be in the range [0, 1]")
        place = q * (len(ordered) - 1)
        low = math.floor(place)
        high = min(low + 1, len(ordered) - 1)
        found.append(ordered[low] + (ordered[high] - ordered[low]) * (place - low))
    return found


def _summarize_statistics(times, quantiles, return_mode):
    if quantiles is not None:
        found = _quantile(times, quantiles)
        return found[0] if len(found) == 1 else found
    if return_mode == "all":
        return times
    return {"min": min, "max": max, "mean": statistics.mean, "median": statistics.median}[return_mode](times)


_MODES = ("min", "max", "mean", "median", "all")


def _drop_gradients(grad_to_none):
    for tensor in grad_to_none or ():
        tensor.grad = None


def do_bench(fn, warmup=25, rep=100, grad_to_none=None, quantiles=None, return_mode="mean"):
    """Milliseconds that fn() takes: on a GPU between two events, with the L2 cache emptied before each; else by the clock
    on the wall. `warmup` and `rep` are the milliseconds spent before and while measuring. Gives the mean, or what
    return_mode or quantiles ask for."""
    from .runtime.driver import CpuDriver, driver
    assert return_mode in _MODES, f"return_mode is one of {', '.join(_MODES)}, not {return_mode!r}"
    if isinstance(driver.active, CpuDriver):
        return _bench_by_clock(fn, warmup, rep, grad_to_none, quantiles, return_mode)
    active, device = driver.active, driver.active.get_device_interface()
    fn()
    device.synchronize()
    cache = active.get_empty_cache_for_benchmark()
    begin, end = device.Event(enable_timing=True), device.Event(enable_timing=True)
    begin.record()
    for _ in range(5):
        active.clear_cache(cache)
        fn()
    end.record()
    device.synchronize()
    estimate = max(begin.elapsed_time(end) / 5, 1e-6)
    for _ in range(max(1, int(warmup / estimate))):
        fn()
    runs = max(1, int(rep / estimate))
    begins = [device.Event(enable_timing=True) for _ in range(runs)]
    ends = [device.Event(enable_timing=True) for _ in range(runs)]
    for begin, end in zip(begins, ends):
        _drop_gradients(grad_to_none)
        active.clear_cache(cache)
        begin.record()
        fn()
        end.record()
    device.synchronize()
    return _summarize_statistics([b.elapsed_time(e) for b, e in zip(begins, ends)], quantiles, return_mode)


def _bench_by_clock(fn, warmup, rep, grad_to_none, quantiles, return_mode):
    fn()
    began = time.perf_counter()
    for _ in range(5):
        fn()
    estimate = max((time.perf_counter() - began) * 1e3 / 5, 1e-6)
    for _ in range(max(1, int(warmup / estimate)) if warmup else 0):
        fn()
    times = []
    for _ in range(max(1, int(rep / estimate))):
        _drop_gradients(grad_to_none)
        began = time.perf_counter()
        fn()
        times.append((time.perf_counter() - began) * 1e3)
    return _summarize_statistics(times, quantiles, return_mode)


def do_bench_cudagraph(fn, rep=20, grad_to_none=None, quantiles=None, return_mode="mean"):
    """The same without what launching costs the CPU: fn() is recorded many times over in a CUDA graph by torch, and the
    graph is run. Without torch or a GPU it is do_bench."""
    assert return_mode in _MODES, f"return_mode is one of {', '.join(_MODES)}, not {return_mode!r}"
    torch = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_available():
        return do_bench(fn, warmup=min(rep, 5), rep=rep, grad_to_none=grad_to_none, quantiles=quantiles,
                        return_mode=return_mode)

    def prepare():
        for tensor in grad_to_none or ():
            tensor.detach_()
            tensor.requires_grad_(True)
            tensor.grad = None

    def time_of(runs):
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            for _ in range(runs):
                prepare()
                fn()
        torch.cuda.synchronize()
        return graph

    def elapsed(work):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        work()
        end.record()
        torch.cuda.synchronize()
        return begin.elapsed_time(end)

    with torch.cuda.stream(torch.cuda.Stream()):
        fn()
        prepare()
        graph = time_of(1)
        graph.replay()
        estimate = elapsed(lambda: [graph.replay() for _ in range(5)]) / 5
        runs = 1000 if estimate == 0 else max(1, int(rep / estimate))
        graph = time_of(runs)
        times = [elapsed(graph.replay) / runs for _ in range(10)]
    return _summarize_statistics(times, quantiles, return_mode)


class GpuDeviceInterface:
    """What torch.cuda is, as far as measuring goes, for programs without torch."""

    class Event:

        def __init__(self, enable_timing=False):
            from . import _native
            self._native = _native
            self._event = _native.gpu_event()

        def record(self, stream=0):
            self._native.gpu_event_record(self._event, getattr(stream, "cuda_stream", stream) or 0)

        def elapsed_time(self, other):
            return self._native.gpu_event_elapsed(self._event, other._event) * 1e3

        def __del__(self):
            if getattr(self, "_event", 0):
                self._native.gpu_event_free(self._event)

    def synchronize(self, device=None):
        from . import _native
        _native.gpu_synchronize()

    def current_device(self):
        from . import _native
        return _native.gpu_current()

    def get_device_capability(self, device=None):
        from .runtime.driver import driver
        return driver.active.get_device_capability(device)


class CpuDeviceInterface:
    """What torch.cuda is for a GPU, as far as measuring goes."""

    class Event:

        def __init__(self, enable_timing=False):
            self._at = 0.0

        def record(self, stream=None):
            self._at = time.perf_counter()

        def elapsed_time(self, other):
            return (other._at - self._at) * 1e3

        def synchronize(self):
            pass

    def synchronize(self, device=None):
        pass

    def current_device(self):
        return 0

    def get_device_capability(self, device=None):
        return (0, 0)


# ---- closeness ----


def assert_close(x, y, atol=None, rtol=None, err_msg=""):
    """Raises an AssertionError with the worst place when x and y (arrays or tensors of one shape) differ by more than
    atol + rtol * |y|. None: 1e-2, or 0 where both are integers.

    >>> triton.testing.assert_close(np.ones(4), np.ones(4) + 1e-3)
    """
    import numpy as np

    def to_numpy(value):
        if hasattr(value, "detach"):
            value = value.detach().cpu()
            if str(value.dtype) == "torch.bfloat16":
                value = value.float()
            value = value.numpy()
        value = np.asarray(value)
        return value.astype(np.float32) if value.dtype.kind == "V" else value

    x, y = to_numpy(x), to_numpy(y)
    if x.size > 1 or y.size > 1:
        atol = 1e-2 if atol is None else atol(x.dtype) if callable(atol) else atol
        rtol = 0.0 if rtol is None else rtol(x.dtype) if callable(rtol) else rtol
    else:
        atol = 1e-2 if atol is None else atol
        rtol = 0.0 if rtol is None else rtol
    np.testing.assert_allclose(x, y, atol=atol, rtol=rtol, err_msg=err_msg, equal_nan=True)


# ---- reports ----


class Benchmark:
    """What to measure: the values of the x axis, the lines, and the other arguments of the function (perf_report has an example)."""

    def __init__(self, x_names, x_vals, line_arg, line_vals, line_names, plot_name, args, xlabel="", ylabel="",
                 x_log=False, y_log=False, styles=None):
        self.x_names = x_names
        self.x_vals = x_vals
        self.x_log = x_log
        self.line_arg = line_arg
        self.line_vals = line_vals
        self.line_names = line_names
        self.y_log = y_log
        self.styles = styles
        self.xlabel = xlabel
        self.ylabel = ylabel
        self.plot_name = plot_name
        self.args = args


class _Table:
    """Rows under headings, for when pandas is not there; the little of a DataFrame that reports use."""

    def __init__(self, columns, rows):
        self.columns = list(columns)
        self.rows = [list(r) for r in rows]

    def __getitem__(self, name):
        if isinstance(name, list):
            picks = [self.columns.index(n) for n in name]
            return _Table(name, [[r[i] for i in picks] for r in self.rows])
        at = self.columns.index(name)
        return [r[at] for r in self.rows]

    def __len__(self):
        return len(self.rows)

    def to_string(self):
        def text(value):
            return f"{value:.6f}" if isinstance(value, float) else str(value)
        cells = [[""] + self.columns] + [[str(i)] + [text(v) for v in r] for i, r in enumerate(self.rows)]
        widths = [max(len(r[i]) for r in cells) for i in range(len(cells[0]))]
        return "\n".join(r[0].ljust(widths[0]) + "".join("  " + c.rjust(w) for c, w in zip(r[1:], widths[1:]))
                         for r in cells)

    __str__ = __repr__ = to_string

    def to_csv(self, path, float_format="%.1f", index=False):
        with open(path, "w") as file:
            file.write(",".join(self.columns) + "\n")
            for row in self.rows:
                file.write(",".join(float_format % v if isinstance(v, float) else str(v) for v in row) + "\n")


def _table(columns, rows):
    try:
        import pandas
    except ImportError:
        return _Table(columns, rows)
    return pandas.DataFrame(rows, columns=columns)


class Mark:
    """A function with what is to be measured of it: what perf_report gives. run() measures, prints and plots."""

    def __init__(self, fn, benchmarks):
        self.fn = fn
        self.benchmarks = benchmarks

    def _measure(self, bench, x_vals, kw):
        rows = []
        for x in x_vals:
            values = x if isinstance(x, (tuple, list)) else [x] * len(bench.x_names)
            if len(values) != len(bench.x_names):
                raise ValueError(f"Expected {len(bench.x_names)} values, got {x}")
            xs = dict(zip(bench.x_names, values))
            middle, low, high = [], [], []
            for line in bench.line_vals:
                result = self.fn(**xs, **{bench.line_arg: line}, **bench.args, **kw)
                y, y_min, y_max = result if isinstance(result, (tuple, list)) else (result, None, None)
                middle.append(y)
                low.append(y_min)
                high.append(y_max)
            rows.append(list(xs.values()) + middle + low + high)
        return rows

    def _plot(self, bench, frame, save_path, show_plots):
        try:
            import matplotlib
            if not show_plots:
                matplotlib.use("Agg")
            import matplotlib.pyplot as plt
        except ImportError:
            return
        figure = plt.figure()
        axes = plt.subplot()
        x = list(frame[bench.x_names[0]])
        for i, name in enumerate(bench.line_names):
            style = bench.styles[i] if bench.styles else (None, None)
            axes.plot(x, list(frame[name]), label=name, color=style[0], ls=style[1])
            low, high = list(frame[name + "-min"]), list(frame[name + "-max"])
            if all(v is not None and v == v for v in low + high):
                axes.fill_between(x, [float(v) for v in low], [float(v) for v in high], alpha=0.15, color=style[0])
        axes.legend()
        axes.set_xlabel(bench.xlabel or bench.x_names[0])
        axes.set_ylabel(bench.ylabel)
        axes.set_xscale("log" if bench.x_log else "linear")
        axes.set_yscale("log" if bench.y_log else "linear")
        if show_plots:
            plt.show()
        if save_path:
            plt.savefig(os.path.join(save_path, f"{bench.plot_name}.png"))
        plt.close(figure)

    def _run(self, bench, save_path, show_plots, print_data, diff_col=False, save_precision=6, **kw):
        names = list(bench.line_names)
        columns = list(bench.x_names) + names + [n + "-min" for n in names] + [n + "-max" for n in names]
        frame = _table(columns, self._measure(bench, bench.x_vals, kw))
        if bench.plot_name and (save_path or show_plots):
            self._plot(bench, frame, save_path, show_plots)
        shown = frame[list(bench.x_names) + names]
        if bench.ylabel:
            heads = list(bench.x_names) + [f"{n} ({bench.ylabel})" for n in names]
        else:
            heads = list(bench.x_names) + names
        if isinstance(shown, _Table):
            shown.columns = heads
            if diff_col and len(names) == 2:
                shown.columns.append("Diff")
                shown.rows = [r + [r[-1] - r[-2]] for r in shown.rows]
        else:
            shown.columns = heads
            if diff_col and len(names) == 2:
                shown["Diff"] = shown[heads[-1]] - shown[heads[-2]]
        if print_data:
            print(bench.plot_name + ":")
            print(shown.to_string())
        if save_path:
            shown.to_csv(os.path.join(save_path, f"{bench.plot_name}.csv"), float_format=f"%.{save_precision}f",
                         index=False)
        return shown

    def run(self, show_plots=False, print_data=False, save_path="", return_df=False, **kwargs):
        """Measures, prints the tables, saves .csv and .png under save_path."""
        single = isinstance(self.benchmarks, Benchmark)
        frames = []
        if save_path:
            os.makedirs(save_path, exist_ok=True)
        for bench in [self.benchmarks] if single else self.benchmarks:
            frames.append(self._run(bench, save_path, show_plots, print_data, **kwargs))
        if save_path:
            with open(os.path.join(save_path, "results.html"), "w") as html:
                html.write("<html><body>\n")
                for bench in [self.benchmarks] if single else self.benchmarks:
                    html.write(f'<img src="{bench.plot_name}.png"/>\n')
                html.write("</body></html>\n")
        if return_df:
            return frames[0] if single else frames
        return None


def perf_report(benchmarks):
    """Makes a function of (x names, line_arg, args) a benchmark with .run(). benchmarks: a Benchmark or a list of such.

    >>> @triton.testing.perf_report(triton.testing.Benchmark(
    ...     x_names=["n"], x_vals=[256, 512], line_arg="way", line_vals=["numpy"], line_names=["NumPy"], plot_name="ones", args={}))
    ... def measure(n, way):
    ...     return triton.testing.do_bench(lambda: np.ones(n), warmup=1, rep=1)
    """
    return lambda fn: Mark(fn, benchmarks)


# ---- facts about the device ----


def _gpu(device, what):
    from .runtime.driver import CpuDriver, driver
    if isinstance(driver.active, CpuDriver):
        raise RuntimeError(f"{what} is a fact about a GPU, and there is none")
    return driver.active.utils.get_device_properties(driver.active.get_current_device() if device is None else device)


def get_dram_gbps(device=None):
    """Gigabytes a second between GPU and memory, by its clock and width: two transfers a cycle."""
    gpu = _gpu(device, "the bandwidth of its memory")
    return gpu["mem_clock_rate"] * gpu["mem_bus_width"] * 2 / 1e6 / 8


#: Operations of one SM in a cycle, by capability: of the tensor cores for 16-bit floats.
_TENSOR_RATE = {70: 1024, 75: 1024, 80: 2048, 86: 1024, 89: 1024, 90: 4096}


def _bytes_of(dtype):
    return getattr(dtype, "itemsize", None) or dtype.primitive_bitwidth // 8


def get_max_tensorcore_tflops(dtype, clock_rate, device=None):
    """Tera-operations a second of the tensor cores; clock_rate in kHz."""
    from .runtime.driver import driver
    gpu = _gpu(device, "the rate of its tensor cores")
    major, minor = driver.active.get_device_capability(device)
    rate = _TENSOR_RATE.get(10 * major + minor, 4096) * 2 / _bytes_of(dtype)
    return gpu["multiprocessor_count"] * rate * clock_rate * 1e-9


def get_max_simd_tflops(dtype, clock_rate, device=None):
    """The same of the ordinary cores: 128 of an SM (64 on 7.x and 8.0), two operations each, twice that for 16 bits."""
    from .runtime.driver import driver
    gpu = _gpu(device, "the rate of its cores")
    capability = driver.active.get_device_capability(device)
    cores = 64 if capability[0] == 7 or capability == (8, 0) else 128
    rate = cores * 2 * (2 if _bytes_of(dtype) == 2 else 1)
    return gpu["multiprocessor_count"] * rate * clock_rate * 1e-9


def cuda_memcheck(**target_kwargs):
    """Marks a test that is to run under a memory checker; the interpreter checks every access anyway."""
    return lambda test: test


def _nvidia_smi(*arguments):
    import subprocess
    subprocess.check_output(["nvidia-smi", "-i", "0", *arguments])


@contextmanager
def set_gpu_clock(ref_sm_clock=1350, ref_mem_clock=1215):
    """Holds the clocks (MHz) of GPU 0, which takes an administrator; gives the rates of its tensor cores and memory."""
    _gpu(None, "its clock")
    try:
        _nvidia_smi("-pm", "1")
        _nvidia_smi(f"--lock-gpu-clocks={ref_sm_clock},{ref_sm_clock}")
        _nvidia_smi(f"--lock-memory-clocks={ref_mem_clock},{ref_mem_clock}")
        sm, memory = nvsmi(["clocks.current.sm"])[0], nvsmi(["clocks.current.memory"])[0]
        gpu = _gpu(None, "its clock")
        tflops = 1e-6 * gpu["multiprocessor_count"] * 4 * 512 * sm
        yield tflops, 2 * memory * 1e6 * gpu["mem_bus_width"] / 8 * 1e-9
    finally:
        _nvidia_smi("-pm", "0")
        _nvidia_smi("-rgc")
        _nvidia_smi("-rmc")


def get_clock_rate_in_khz():
    """The highest clock of GPU 0's SMs."""
    _gpu(None, "its clock")
    try:
        return nvsmi(["clocks.max.sm"])[0] * 1e3
    except (OSError, ValueError):
        return _gpu(None, "its clock")["sm_clock_rate"]
