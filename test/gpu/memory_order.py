"""What loads and stores of several kinds give on a GPU: by which the simulator's checks and docs/memory.md are held. Started by hand.

    memory_order.py [--iterations 2000] [--json FILE]

Needs NVIDIA's driver and a GPU of compute capability 7.0 or newer, and neither Neso nor a toolkit: the driver assembles the PTX below.

- Litmus tests: thread t of one CTA and thread t of another one, on other SMs, each do two accesses of two words, x and y.
  A run counts the outcomes that program order does not allow. Words go up by one in each iteration; `warm` loads x before, so that
  the first-level cache may hold the old one; `poll` repeats the first load until it sees the new value, and counts those that
  never do. Delays of both sides vary from one iteration to the next.
- Cycles of a load that hits, each kind: kinds that go past the first-level cache take several times as long.
- Integer division by zero.

The last column says what docs/memory.md and docs/debugging.md claim, and whether it is so.
"""
import argparse
import ctypes
import json
import sys

PAIRS, THREADS, PITCH, POLLS = 48, 64, 128, 20000

# name, the writer's two accesses and the fence between them, the reader's, warm, poll, condition, claim. An access is an
# instruction and a word. Claims: "never", "some", "-" (nothing is claimed).
MP, SB, LB = "reader's first is new, second old", "both loads are old", "both loads are new"
VOLATILE, WEAK, RELAXED, ACQUIRE = "ld.volatile.global", "ld.global", "ld.relaxed.gpu.global", "ld.acquire.gpu.global"
CG, ST, ST_VOLATILE, ST_RELEASE = "ld.global.cg", "st.global", "st.volatile.global", "st.release.gpu.global"
FENCE = "fence.acq_rel.gpu;"


def message(name, store, fence, flag_store, flag, then, data, warm, claim, poll=True):
    return (name, [(store, "x"), (flag_store, "y")], fence, [(flag, "y"), (data, "x")], then, warm, poll, MP, claim)


TESTS = [
    message("volatile flag, weak data, fence in the writer", ST, FENCE, ST_VOLATILE, VOLATILE, "", WEAK, False, "never"),
    message("the same, data loaded before", ST, FENCE, ST_VOLATILE, VOLATILE, "", WEAK, True, "some"),
    message("the same, data by .cg", ST, FENCE, ST_VOLATILE, VOLATILE, "", CG, True, "never"),
    message("the same, data by a volatile load", ST, FENCE, ST_VOLATILE, VOLATILE, "", VOLATILE, True, "never"),
    message("the same, a fence in the reader", ST, FENCE, ST_VOLATILE, VOLATILE, FENCE, WEAK, True, "never"),
    message("acquire of the flag, weak data loaded before", ST, "", ST_RELEASE, ACQUIRE, "", WEAK, True, "never"),
    message("relaxed flag, weak data loaded before", ST, FENCE, ST_VOLATILE, RELAXED, "", WEAK, True, "some"),
    message("relaxed flag, weak data", ST, FENCE, ST_VOLATILE, RELAXED, "", WEAK, False, "-"),
    message("weak flag, weak data", ST, FENCE, ST, WEAK, "", WEAK, False, "-", poll=False),
    message("volatile flag and data, no fence", ST_VOLATILE, "", ST_VOLATILE, VOLATILE, "", VOLATILE, False, "-"),
    message("volatile flag, weak data, no fence in the writer", ST, "", ST_VOLATILE, VOLATILE, "", CG, False, "-"),
    message("a flag that is polled by weak loads", ST, FENCE, ST, WEAK, "", CG, False, "-"),
    message("a flag that is polled by .cg loads", ST, FENCE, ST, CG, "", CG, False, "-"),
    ("store and load, all volatile", [(ST_VOLATILE, "x"), (VOLATILE, "y")], "", [(ST_VOLATILE, "y"), (VOLATILE, "x")], "", False, False, SB, "-"),
    ("load and store, all volatile", [(VOLATILE, "x"), (ST_VOLATILE, "y")], "", [(VOLATILE, "y"), (ST_VOLATILE, "x")], "", False, False, LB, "-"),
    ("a word twice, volatile", [(ST_VOLATILE, "x"), (ST_VOLATILE, "x")], "", [(VOLATILE, "x"), (VOLATILE, "x")], "", True, True, MP, "never"),
    ("a word twice, volatile and then weak", [(ST_VOLATILE, "x"), (ST_VOLATILE, "x")], "", [(VOLATILE, "x"), (WEAK, "x")], "", True, True, MP, "-"),
]


def access(op, word, result, label, poll):
    """Instructions of one; loads leave what they get in `result`."""
    if op.startswith("st"):
        return f"\t{op}.u32 [%{word}], %i;\n"
    if not poll:
        return f"\t{op}.u32 {result}, [%{word}];\n"
    return (f"\tmov.u32 %polls, 0;\n{label}:\n\t{op}.u32 {result}, [%{word}];\n\tadd.u32 %polls, %polls, 1;\n"
            f"\tsetp.ne.u32 %p, {result}, %i;\n\tsetp.lt.u32 %q, %polls, {POLLS};\n\tand.pred %p, %p, %q;\n\t@%p bra {label};\n")


def meet(label):
    """All threads of both CTAs, without an acquire: the first-level cache stays as it is."""
    return f"""	bar.sync 0;
	add.u32 %goal, %goal, 2;
	setp.ne.u32 %p, %t, 0;
	@%p bra {label}_done;
	red.relaxed.gpu.global.add.u32 [%meet], 1;
{label}_loop:
	ld.relaxed.gpu.global.u32 %v, [%meet];
	setp.lt.u32 %p, %v, %goal;
	@%p bra {label}_loop;
{label}_done:
	bar.sync 0;
"""


def delayed(side, label):
    return f"""	mad.lo.u32 %v, %i, {[2654435761, 40503][side]}, %t;
	shr.u32 %v, %v, {[9, 3][side]};
	and.b32 %v, %v, 255;
{label}:
	sub.u32 %v, %v, 1;
	setp.gt.s32 %p, %v, 0;
	@%p bra {label};
"""


CONDITION = {MP: "setp.eq.u32 %p, %rb1, %i;\n\tsetp.ne.and.u32 %p, %rb2, %i, %p;", SB: "setp.ne.u32 %p, %ra2, %i;\n\tsetp.ne.and.u32 %p, %rb2, %i, %p;",
             LB: "setp.eq.u32 %p, %ra1, %i;\n\tsetp.eq.and.u32 %p, %rb1, %i, %p;"}


def litmus(number, test):
    _, writes, between, reads, then, warm, poll, condition, _ = test
    sides = []
    for side, (ops, fence) in enumerate(((writes, between), (reads, then))):
        name = "AB"[side]
        code = f"SIDE_{name}:\n"
        if side and warm:
            code += "\tld.global.u32 %v, [%x];\n\tst.global.u32 [%sink], %v;\n"
        code += meet(f"FIRST_{name}") + delayed(side, f"DELAY_{name}")
        for n, (op, word) in enumerate(ops):
            code += access(op, word, f"%r{n + 1}", f"POLL_{name}{n}", side == 1 and n == 0 and poll)
            code += f"\t{fence}\n" if n == 0 and fence else ""
        code += f"\tst.relaxed.gpu.global.u32 [%own], %r1;\n\tst.relaxed.gpu.global.u32 [%own + 4], %r2;\n\tfence.acq_rel.gpu;\n" + meet(f"LAST_{name}")
        sides.append(code)
    return f"""
.visible .entry litmus{number}(.param .u64 words, .param .u64 results, .param .u64 meets, .param .u64 counts, .param .u64 sinks, .param .u32 iterations)
{{
	.reg .u64 %x, %y, %own, %all, %meet, %counts, %sink, %w;
	.reg .u32 %i, %t, %cta, %pair, %v, %goal, %last, %r1, %r2, %ra1, %ra2, %rb1, %rb2, %polls, %at;
	.reg .pred %p, %q, %side;
	mov.u32 %t, %tid.x;
	mov.u32 %cta, %ctaid.x;
	rem.u32 %pair, %cta, {PAIRS};
	setp.ge.u32 %side, %cta, {PAIRS};
	mad.lo.u32 %at, %pair, {THREADS}, %t;
	ld.param.u64 %w, [words];
	mad.wide.u32 %x, %at, {2 * PITCH}, %w;
	add.u64 %y, %x, {PITCH};
	ld.param.u64 %w, [sinks];
	mad.wide.u32 %sink, %at, 4, %w;
	ld.param.u64 %w, [results];
	mad.wide.u32 %all, %at, 16, %w;
	mov.u64 %own, %all;
	@%side add.u64 %own, %own, 8;
	ld.param.u64 %w, [meets];
	mad.wide.u32 %meet, %pair, 128, %w;
	ld.param.u64 %counts, [counts];
	ld.param.u32 %last, [iterations];
	mov.u32 %i, 0;
	mov.u32 %goal, 0;
	mov.u32 %r1, 0;
	mov.u32 %r2, 0;
NEXT:
	add.u32 %i, %i, 1;
	setp.gt.u32 %p, %i, %last;
	@%p bra END;
	@%side bra SIDE_B;
{sides[0]}
	fence.acq_rel.gpu;
	ld.relaxed.gpu.global.u32 %ra1, [%all];
	ld.relaxed.gpu.global.u32 %ra2, [%all + 4];
	ld.relaxed.gpu.global.u32 %rb1, [%all + 8];
	ld.relaxed.gpu.global.u32 %rb2, [%all + 12];
	red.relaxed.gpu.global.add.u32 [%counts], 1;
	{CONDITION[condition]}
	@%p red.relaxed.gpu.global.add.u32 [%counts + 4], 1;
	setp.ne.u32 %p, %rb1, %i;
	@%p red.relaxed.gpu.global.add.u32 [%counts + 8], 1;
	bra NEXT;
{sides[1]}
	bra NEXT;
END:
	ret;
}}
"""


LOADS = {"weak": WEAK, ".cg": CG, "volatile": VOLATILE, "relaxed.gpu": RELAXED, "relaxed.sys": "ld.relaxed.sys.global", "acquire.gpu": ACQUIRE}
DIVISIONS = [f"{op}.{kind}{bits}" for bits in (16, 32, 64) for kind in "su" for op in ("div", "rem")]


def timed(number, op):
    """A chain of loads of one word that holds 0, each with the address that the one before gives."""
    return f"""
.visible .entry timed{number}(.param .u64 word, .param .u64 out)
{{
	.reg .u64 %w, %o, %a, %b, %v;
	.reg .u32 %n;
	.reg .pred %p;
	ld.param.u64 %w, [word];
	ld.param.u64 %o, [out];
	{op}.u64 %v, [%w];
	mov.u64 %a, %clock64;
	mov.u32 %n, 0;
LOOP:
	add.u64 %w, %w, %v;
	{op}.u64 %v, [%w];
	add.u32 %n, %n, 1;
	setp.lt.u32 %p, %n, 512;
	@%p bra LOOP;
	add.u64 %w, %w, %v;
	mov.u64 %b, %clock64;
	sub.u64 %b, %b, %a;
	st.global.u64 [%o], %b;
	st.global.u64 [%o + 8], %w;
	ret;
}}
"""


def divided(number, op):
    bits = op[-2:]
    return f"""
.visible .entry divided{number}(.param .u64 out, .param .u64 dividend, .param .u64 divisor)
{{
	.reg .u64 %o, %v;
	.reg .b{bits} %a, %b, %q;
	ld.param.u64 %o, [out];
	ld.param.b{bits} %a, [dividend];
	ld.param.b{bits} %b, [divisor];
	{op} %q, %a, %b;
	cvt.u64.u{bits} %v, %q;
	st.global.u64 [%o], %v;
	ret;
}}
"""


class Driver:
    def __init__(self):
        self.library = ctypes.CDLL("libcuda.so.1")
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self.call("cuInit", 0)
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)
        name = ctypes.create_string_buffer(100)
        self.call("cuDeviceGetName", name, 100, device)
        major, minor = ctypes.c_int(), ctypes.c_int()
        self.call("cuDeviceGetAttribute", ctypes.byref(major), 75, device)
        self.call("cuDeviceGetAttribute", ctypes.byref(minor), 76, device)
        self.name, self.arch = name.value.decode(), major.value * 10 + minor.value

    def call(self, name, *arguments):
        status = getattr(self.library, name)(*arguments)
        if status:
            raise SystemExit(f"{name}: CUresult {status}")

    def load(self, text):
        self.module = ctypes.c_void_p()
        self.call("cuModuleLoadData", ctypes.byref(self.module), text.encode() + b"\0")

    def zeros(self, size):
        at = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(at), ctypes.c_size_t(size))
        self.call("cuMemsetD8_v2", at, ctypes.c_ubyte(0), ctypes.c_size_t(size))
        return at

    def words(self, at, count, kind=ctypes.c_uint64):
        out = (kind * count)()
        self.call("cuMemcpyDtoH_v2", out, at, ctypes.c_size_t(ctypes.sizeof(out)))
        return list(out)

    def launch(self, name, grid, block, *arguments):
        function = ctypes.c_void_p()
        self.call("cuModuleGetFunction", ctypes.byref(function), self.module, name.encode())
        pointers = (ctypes.c_void_p * len(arguments))(*(ctypes.cast(ctypes.byref(a), ctypes.c_void_p) for a in arguments))
        self.call("cuLaunchKernel", function, grid, 1, 1, block, 1, 1, 0, None, pointers, None)
        self.call("cuCtxSynchronize")


def text_of(arch):
    kernels = [litmus(n, t) for n, t in enumerate(TESTS)] + [timed(n, op) for n, op in enumerate(LOADS.values())]
    kernels += [divided(n, op) for n, op in enumerate(DIVISIONS)]
    return f".version 7.0\n.target sm_{min(arch, 80)}\n.address_size 64\n" + "".join(kernels)


def run_litmus(gpu, iterations):
    rows = []
    for number, test in enumerate(TESTS):
        buffers = [gpu.zeros(n) for n in (PAIRS * THREADS * 2 * PITCH, PAIRS * THREADS * 16, PAIRS * 128, 128, PAIRS * THREADS * 4)]
        gpu.launch(f"litmus{number}", 2 * PAIRS, THREADS, *buffers, ctypes.c_uint32(iterations))
        tried, odd, old = gpu.words(buffers[3], 3, ctypes.c_uint32)
        for b in buffers:
            gpu.call("cuMemFree_v2", b)
        claim = test[-1]
        verdict = "-" if claim == "-" else "so" if (odd > 0) == (claim == "some") else "NOT SO"
        rows.append({"test": test[0], "outcome": test[7], "tried": tried, "odd": odd, "first not new": old, "claim": claim, "verdict": verdict})
        print(f"{test[0]:54} {test[7]:36} {odd:>9} of {tried:>9}, {old:>9} not new  {claim:6} {verdict}", flush=True)
    return rows


def run_times(gpu):
    rows = {}
    for number, name in enumerate(LOADS):
        word, out = gpu.zeros(256), gpu.zeros(16)
        for _ in range(2):
            gpu.launch(f"timed{number}", 1, 1, word, out)
        rows[name] = gpu.words(out, 1)[0] / 512
        print(f"cycles of a load that hits, {name:12} {rows[name]:8.1f}")
    return rows


def run_divisions(gpu):
    rows, right = {}, True
    for number, name in enumerate(DIVISIONS):
        bits = int(name[-2:])
        for dividend in (7, (1 << bits) - 7, 0):
            out = gpu.zeros(8)
            gpu.launch(f"divided{number}", 1, 1, out, ctypes.c_uint64(dividend), ctypes.c_uint64(0))
            value = gpu.words(out, 1)[0]
            rows[f"{name} {dividend}, 0"] = value
            right = right and (bits == 16 or value == (1 << bits) - 1)
            print(f"{name} of {dividend:#x} by zero: {value:#x}")
    print(f"of 32 and 64 bits all ones, quotients and remainders, as docs/debugging.md claims: {right}")
    return rows


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--iterations", type=int, default=2000)
    parser.add_argument("--json", default="")
    parser.add_argument("--ptx", type=int, default=0, help="print the PTX for this architecture (80, 90), and run nothing")
    options = parser.parse_args()
    if options.ptx:
        print(text_of(options.ptx))
        return 0
    gpu = Driver()
    print(gpu.name, f"sm_{gpu.arch}")
    gpu.load(text_of(gpu.arch))
    results = {"gpu": gpu.name, "litmus": run_litmus(gpu, options.iterations), "cycles": run_times(gpu), "divisions": run_divisions(gpu)}
    if options.json:
        with open(options.json, "w") as f:
            json.dump(results, f, indent=1)
    return any(r["verdict"] == "NOT SO" for r in results["litmus"])


if __name__ == "__main__":
    sys.exit(main())
