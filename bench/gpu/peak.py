"""What a GPU's mma.sync can do at most: loops of nothing but the instruction, on registers, in PTX that the driver assembles.

Each warp holds ROWS x COLUMNS accumulators that do not depend on one another, as many fragments of A and of B, and multiplies all
with all, as a product's inner loop does; fragments are random numbers, as zeros draw less power. The best of several numbers
of warps on an SM counts.
"""
import ctypes

import torch

# Type: shape, PTX suffix, 32-bit registers of a, b and c, whether c is f32.
INSTRUCTIONS = {
    "fp16": ((16, 8, 16), "f32.f16.f16.f32", 4, 2, 4, True),
    "fp16 acc": ((16, 8, 16), "f16.f16.f16.f16", 4, 2, 2, False),
    "bf16": ((16, 8, 16), "f32.bf16.bf16.f32", 4, 2, 4, True),
    "tf32": ((16, 8, 8), "f32.tf32.tf32.f32", 4, 2, 4, True),
    "fp8": ((16, 8, 32), "f32.e4m3.e4m3.f32", 4, 2, 4, True),
    "int8": ((16, 8, 32), "s32.s8.s8.s32", 4, 2, 4, False),
}
ROWS, COLUMNS = 4, 4
TRIPS = 2048


def text_of_mma(name):
    (m, n, k), suffix, na, nb, nc, is_float = INSTRUCTIONS[name]
    sums, letter = (ROWS * COLUMNS * nc), "f" if is_float else "r"
    lines = [f".version 8.4\n.target sm_{''.join(map(str, torch.cuda.get_device_capability()))}\n.address_size 64",
             ".visible .entry peak(.param .u64 in, .param .u64 out)\n{",
             f"\t.reg .b32 %a<{ROWS * na}>, %b<{COLUMNS * nb}>, %r<{sums}>, %i, %t;\n\t.reg .f32 %f<{sums}>;\n\t.reg .b64 %p, %o;\n"
             "\t.reg .pred %q;", "\tld.param.u64 %p, [in];\n\tld.param.u64 %o, [out];\n\tmov.u32 %t, %tid.x;",
             "\tmul.wide.u32 %o, %t, 4;\n\tadd.u64 %p, %p, %o;\n\tld.param.u64 %o, [out];"]
    for i in range(ROWS * na):
        lines.append(f"\tld.global.b32 %a{i}, [%p + {4096 * i}];")
    for i in range(COLUMNS * nb):
        lines.append(f"\tld.global.b32 %b{i}, [%p + {4096 * (ROWS * na + i)}];")
    lines += [f"\tmov.b32 %{letter}{i}, 0;" for i in range(sums)]
    lines.append("\tmov.u32 %i, 0;\nAGAIN:")
    for r in range(ROWS):
        for c in range(COLUMNS):
            acc = ", ".join(f"%{letter}{(r * COLUMNS + c) * nc + i}" for i in range(nc))
            a = ", ".join(f"%a{r * na + i}" for i in range(na))
            b = ", ".join(f"%b{c * nb + i}" for i in range(nb))
            lines.append(f"\tmma.sync.aligned.m{m}n{n}k{k}.row.col.{suffix} {{{acc}}}, {{{a}}}, {{{b}}}, {{{acc}}};")
    lines.append(f"\tadd.u32 %i, %i, 1;\n\tsetp.lt.u32 %q, %i, {TRIPS};\n\t@%q bra AGAIN;")
    # A store that never happens keeps the sums.
    lines.append(f"\tsetp.eq.u32 %q, %t, 0xffff;")
    lines += [f"\t@%q st.global.b32 [%o], %{letter}{i};" for i in range(sums)]
    lines.append("\tret;\n}\n")
    return "\n".join(lines), 2 * m * n * k * ROWS * COLUMNS * TRIPS / 32


def text_of_fma():
    lines = [f".version 8.4\n.target sm_{''.join(map(str, torch.cuda.get_device_capability()))}\n.address_size 64",
             ".visible .entry peak(.param .u64 in, .param .u64 out)\n{",
             "\t.reg .b32 %i, %t;\n\t.reg .f32 %f<64>, %a<8>, %b<8>;\n\t.reg .b64 %p, %o;\n\t.reg .pred %q;",
             "\tld.param.u64 %p, [in];\n\tmov.u32 %t, %tid.x;\n\tmul.wide.u32 %o, %t, 4;\n\tadd.u64 %p, %p, %o;\n\tld.param.u64 %o, [out];"]
    for i in range(8):
        lines.append(f"\tld.global.f32 %a{i}, [%p + {4096 * i}];\n\tld.global.f32 %b{i}, [%p + {4096 * (8 + i)}];")
    lines += [f"\tmov.f32 %f{i}, 0f00000000;" for i in range(64)]
    lines.append("\tmov.u32 %i, 0;\nAGAIN:")
    lines += [f"\tfma.rn.f32 %f{r * 8 + c}, %a{r}, %b{c}, %f{r * 8 + c};" for r in range(8) for c in range(8)]
    lines.append(f"\tadd.u32 %i, %i, 1;\n\tsetp.lt.u32 %q, %i, {TRIPS};\n\t@%q bra AGAIN;\n\tsetp.eq.u32 %q, %t, 0xffff;")
    lines += [f"\t@%q st.global.f32 [%o], %f{i};" for i in range(64)]
    lines.append("\tret;\n}\n")
    return "\n".join(lines), 2 * 64 * TRIPS


class Loop:
    """A kernel of the driver: call(warps) launches it on all SMs."""

    def __init__(self, name):
        text, self.per_thread = text_of_fma() if name == "fp32" else text_of_mma(name)
        self.driver = ctypes.CDLL("libcuda.so.1")
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        self.check(self.driver.cuModuleLoadData(ctypes.byref(module), text.encode()))
        self.check(self.driver.cuModuleGetFunction(ctypes.byref(function), module, b"peak"))
        self.function = function
        self.sms = torch.cuda.get_device_properties(0).multi_processor_count
        # Random bits would be NaNs: numbers near 1 in each format, of either sign.
        n = 64 * 1024
        kind = {"fp16": torch.float16, "fp16 acc": torch.float16, "bf16": torch.bfloat16, "tf32": torch.float32,
                "fp32": torch.float32, "fp8": torch.float8_e4m3fn}.get(name)
        self.data = (torch.randn(4 * n, device="cuda").to(kind) if kind else
                     torch.randint(-128, 128, (4 * n,), device="cuda", dtype=torch.int8))
        self.out = torch.zeros(4, device="cuda")

    @staticmethod
    def check(status):
        if status:
            raise RuntimeError(f"the driver says {status}")

    def flops(self, warps):
        return self.per_thread * 32 * warps * self.sms

    def __call__(self, warps):
        """`warps` on each SM, at most 8 in a CTA."""
        ctas = max(1, warps // 8)
        values = [ctypes.c_uint64(self.data.data_ptr()), ctypes.c_uint64(self.out.data_ptr())]
        args = (ctypes.c_void_p * 2)(*(ctypes.addressof(v) for v in values))
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        self.check(self.driver.cuLaunchKernel(self.function, self.sms * ctas, 1, 1, 32 * warps // ctas, 1, 1, 0, stream, args, None))


def measure(name, timer, repetitions=10):
    """The best rate in operations a second, and the warps on an SM that reach it."""
    loop = Loop(name)
    seconds = timer.turns({w: (lambda w=w: loop(w)) for w in (4, 8, 16)}, repetitions)
    rates = {w: loop.flops(w) / t for w, t in seconds.items()}
    best = max(rates, key=rates.get)
    return rates[best], best
