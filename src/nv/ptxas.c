/* From PTX to a cubin, by ptxas if there is one, otherwise by the driver's compiler (link.c). */
#include "nv/inner.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/fault.h"
#include "base/os.h"
#include "cache/entry/stamp.h"

/* "-v" and what else a user gave: text split at blanks. */
static size_t add_words(Arena *arena, const char **args, size_t n, size_t max, const char *words)
{
	while (*words && n < max) {
		words += strspn(words, " \t\n");
		size_t len = strcspn(words, " \t\n");
		if (len)
			args[n++] = arena_strndup(arena, words, len);
		words += len;
	}
	return n;
}

static const char *const *make_args(const NvTools *tools, const NvAssemble *how, const char *path, Arena *arena)
{
	const char *extra = nv_extra_options(tools);
	size_t n = 0, max = 16 + strlen(extra);
	const char **args = ARENA_ARRAY(arena, const char *, max + 1);
	args[n++] = path;
	args[n++] = "-v";
	args[n++] = arena_printf(arena, "-arch=%s", how->target->name);
	if (how->line_info)
		args[n++] = "-lineinfo";
	if (how->no_fusion)
		args[n++] = "-fmad=false";
	if (!nv_optimizes(how))
		args[n++] = "-O0";
	n = add_words(arena, args, n, max - 3, extra);
	args[n++] = "@0";
	args[n++] = "-o";
	args[n++] = "@1";
	return args;
}

static bool is_cubin(const void *data, size_t len)
{
	return len > 64 && memcmp(data, "\177ELF", 4) == 0;
}

/* The name under which the tool knew its input is of no use to anyone. */
static Str rename_input(Arena *arena, Str said, const char *input, const char *kernel)
{
	Text t;
	size_t len = strlen(input);
	text_init(&t, arena);
	text_str(&t, "");
	for (size_t i = 0; i < said.len;) {
		if (len && i + len <= said.len && memcmp(said.ptr + i, input, len) == 0) {
			text_printf(&t, "%s.ptx", kernel);
			i += len;
		} else {
			text_char(&t, said.ptr[i++]);
		}
	}
	return (Str){t.data, t.len};
}

static void say_failure(const NvTool *tool, const NvRan *ran, Str said, DiagList *diags)
{
	const char *why;
	Arena *arena = diags->arena;
	if (ran->status == 128 + SIGXFSZ)
		why = "its cubin is longer than files may be (ulimit -f)";
	else if (ran->status > 128 && ran->status < 128 + 65)
		why = arena_printf(arena, "signal %d ended it", ran->status - 128);
	else if (ran->status > 0)
		why = arena_printf(arena, "exit status %d", ran->status);
	else
		why = ran->output_len ? "what it wrote is no cubin" : "it wrote no cubin";
	Diag *diag = diag_add(diags, (Span){0}, DIAG_PTXAS_FAILED, tool->path, why);
	enum { SHOWN = 1000 };
	if (said.len)
		diag_note(diags, diag, (Span){0}, "it said: %.*s%s", (int)MIN(said.len, SHOWN), said.ptr,
			  said.len > SHOWN ? " ..." : "");
}

/* What ran, judged: the report, then whether there is a cubin. */
static bool take_result(const NvTool *tool, const NvRan *ran, double timeout, Str ptx, const NvAssemble *how,
			NvCubin *cubin, DiagList *diags)
{
	if (ran->error || ran->timed_out) {
		nv_tool_failed(tool, timeout, ran, diags);
		return false;
	}
	Str said = rename_input(diags->arena, ran->said, ran->input_path, how->kernel);
	cubin->log = nv_text(said.ptr);
	if (nv_report_read(said, ptx, how->kernel, cubin, diags))
		return false;
	/* A host that takes its children's status itself leaves -1: the output then decides. */
	if (ran->status > 0 || !is_cubin(cubin->data, cubin->len)) {
		say_failure(tool, ran, said, diags);
		return false;
	}
	return true;
}

static bool run_once(NvTools *tools, const NvTool *tool, Str ptx, const NvAssemble *how, NvCubin *cubin, DiagList *diags)
{
	double timeout = nv_tools_options(tools)->timeout;
	NvRun run = {
		.path = tool->path,
		.args = make_args(tools, how, tool->path, diags->arena),
		.input = ptx,
		.has_output = true,
		.suffix = ".ptx",
		.timeout = timeout,
		.asks = true,
	};
	NvRan ran;
	nv_run(diags->arena, &run, &ran);
	cubin->data = ran.output;
	cubin->len = ran.output_len;
	return take_result(tool, &ran, run.timeout, ptx, how, cubin, diags);
}

/* False where its time was up. */
static bool run_in_time(NvTools *tools, const NvTool *tool, Str ptx, const NvAssemble *how, NvCubin *cubin, DiagList *diags)
{
	Fault fault;
	volatile bool good = false;
	if (FAULT_TRY(&fault)) {
		good = run_once(tools, tool, ptx, how, cubin, diags);
		fault_leave(&fault);
	} else if (fault.kind != FAULT_TIME) {
		fault_raise(fault.kind, "%s", fault.text);
	}
	return good;
}

static bool has_advice(const NvCubin *cubin)
{
	return cubin->log && strstr(cubin->log, "(C7");
}

typedef enum Reason { MORE_REGISTERS, FEWER_REGISTERS, LOADS_FEWER_CTAS, FOR_LOADS } Reason;

static Str limited_for(Reason reason, Str ptx, const NvAssemble *how, const NvCubin *cubin, Arena *arena)
{
	if (reason == MORE_REGISTERS)
		return nv_with_more_registers(arena, ptx, how->kernel, cubin);
	if (reason == FEWER_REGISTERS)
		return nv_with_fewer_registers(arena, ptx, how, cubin);
	return nv_with_registers_for_loads(arena, ptx, how, cubin, reason == FOR_LOADS);
}

static bool is_better(Reason reason, Str ptx, const NvAssemble *how, const NvCubin *before,
		      const NvCubin *now)
{
	if (reason == MORE_REGISTERS)
		return now->spill_stores < before->spill_stores;
	return !has_advice(now) && (reason == FEWER_REGISTERS ? nv_is_worth_its_step(how, ptx, before, now)
							      : nv_waits_less(how, ptx, before, now));
}

/* Again with other limits of registers (registers.c), until one is better; what leaves room for
 * another CTA may still wait for loads. What is worse, or fails, is dropped without a word. */
static void run_again(NvTools *tools, const NvTool *tool, Str ptx, const NvAssemble *how, NvCubin *cubin, Arena *arena)
{
	if (strstr(nv_extra_options(tools), "maxrregcount") || !nv_optimizes(how))
		return;
	for (Reason reason = MORE_REGISTERS; reason <= FOR_LOADS; reason++) {
		DiagList unheard;
		NvCubin other = {0};
		Str limited = limited_for(reason, ptx, how, cubin, arena);
		if (!limited.len)
			continue;
		diag_init(&unheard, arena, NULL);
		bool better = run_in_time(tools, tool, limited, how, &other, &unheard) &&
			      is_better(reason, ptx, how, cubin, &other);
		NvCubin worse = better ? *cubin : other;
		*cubin = better ? other : *cubin;
		nv_cubin_free(&worse);
		if (better && reason != FEWER_REGISTERS)
			return;
	}
}

static bool run_ptxas(NvTools *tools, const NvTool *tool, Str ptx, const NvAssemble *how, NvCubin *cubin, DiagList *diags)
{
	if (!run_once(tools, tool, ptx, how, cubin, diags))
		return false;
	if (nv_is_serial(cubin)) { /* serial.c */
		ptx = nv_with_waits(diags->arena, ptx);
		nv_cubin_free(cubin);
		if (!run_once(tools, tool, ptx, how, cubin, diags))
			return false;
	}
	run_again(tools, tool, ptx, how, cubin, diags->arena);
	return true;
}

static bool run_driver(Str ptx, const NvAssemble *how, NvCubin *cubin, DiagList *diags)
{
	if (!nv_link(ptx, how, cubin, diags))
		return false;
	if (!nv_is_serial(cubin))
		return true;
	nv_cubin_free(cubin);
	return nv_link(nv_with_waits(diags->arena, ptx), how, cubin, diags);
}

static void say_missing(const char *tried, DiagList *diags)
{
	Diag *diag = diag_add(diags, (Span){0}, DIAG_PTXAS_MISSING, tried);
	diag_note(diags, diag, (Span){0},
		  "TRITON_PTXAS_PATH names one; a CUDA toolkit in CUDA_HOME, /usr/local/cuda or PATH is found, as is the Python "
		  "package nvidia-cuda-nvcc (pip install neso[ptxas]); where there is a GPU, its driver can do without");
}

/* The driver, started, whose compiler is to be used. Where it was to stand in for a ptxas, that is what is
 * missing. */
static bool have_driver(NvTools *tools, const NvAssemble *how, DiagList *diags)
{
	const char *tried = "the driver's compiler was asked for, but there is no driver";
	DiagList driver;
	if (how->driver && nv_wants_driver(tools))
		return nv_driver_start(how->driver, diags);
	if (how->driver) {
		diag_init(&driver, diags->arena, NULL);
		if (nv_driver_start(how->driver, &driver))
			return true;
		if (driver.first->code != DIAG_NV_NO_DRIVER)
			return nv_driver_start(how->driver, diags);
		nv_tool(tools, "ptxas", how->target->capability, diags->arena, &tried);
	}
	say_missing(tried, diags);
	return false;
}

bool nv_assemble(NvTools *tools, Str ptx, const NvAssemble *how, NvCubin *cubin, DiagList *diags)
{
	CONTRACT(ptx.ptr && ptx.len);
	Fault fault;
	volatile bool ok = false;
	*cubin = (NvCubin){0};
	if (FAULT_TRY(&fault)) {
		const char *tried;
		const NvTool *tool;
		double began = os_now();
		if (nv_uses_driver(tools, how, diags->arena, &tool, &tried))
			ok = have_driver(tools, how, diags) && run_driver(ptx, how, cubin, diags);
		else if (tool)
			ok = run_ptxas(tools, tool, ptx, how, cubin, diags);
		else
			say_missing(tried, diags);
		cubin->seconds = os_now() - began;
		fault_leave(&fault);
	}
	if (!ok)
		nv_cubin_free(cubin);
	if (fault.kind != FAULT_NONE)
		fault_raise(fault.kind, "%s", fault.text);
	return ok;
}

void nv_cubin_free(NvCubin *cubin)
{
	free(cubin->data);
	free(cubin->log);
	*cubin = (NvCubin){0};
}

/* What files that the options name hold: "--options-file FILE", "--some=FILE". */
static const char *option_files(const char *extra, Arena *arena)
{
	const char *words[64], *hex;
	Text text;
	size_t count = add_words(arena, words, 0, ARRAY_LEN(words), extra);
	text_init(&text, arena);
	text_str(&text, "");
	for (size_t i = 0; i < count; i++) {
		const char *equals = strchr(words[i], '='), *path = equals ? equals + 1 : words[i];
		if (os_is_file(path) && (hex = cache_file_hex(path, arena)))
			text_printf(&text, " (%.16s)", hex);
	}
	return text.data;
}

const char *nv_assembler_options(NvTools *tools, const NvAssemble *how, Arena *arena)
{
	const char *extra = nv_extra_options(tools);
	return arena_printf(arena, "%s%s%s%s", nv_optimizes(how) || how->no_optimize ? "" : " -O0", *extra ? " " : "", extra,
			    option_files(extra, arena));
}

bool nv_takes_cubin_of(NvTools *tools, const NvAssemble *how, const char *assembler, Arena *arena)
{
	unsigned major;
	int version = how->driver ? nv_driver_version(how->driver) : 0;
	return !nv_wants_driver(tools) && !nv_tool(tools, "ptxas", how->target->capability, arena, NULL) &&
	       sscanf(assembler, "ptxas %u", &major) == 1 && (!version || major <= (unsigned)version / 1000);
}

const char *nv_assembler_identity(NvTools *tools, const NvAssemble *how, Arena *arena, DiagList *diags)
{
	const char *tried, *name;
	const NvTool *tool;
	if (nv_uses_driver(tools, how, arena, &tool, &tried)) {
		if (!have_driver(tools, how, diags))
			return NULL;
		name = nv_driver_text(how->driver);
	} else if (!tool) {
		say_missing(tried, diags);
		return NULL;
	} else {
		name = arena_printf(arena, "ptxas %s %s", tool->version, tool->identity);
	}
	return arena_printf(arena, "%s%s", name, nv_assembler_options(tools, how, arena));
}
