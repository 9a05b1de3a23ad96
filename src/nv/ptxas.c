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

/* What ran, judged: the report, then whether there is a cubin. *ended: it was not let go on to one. */
static bool take_result(const NvTool *tool, const NvRan *ran, double timeout, Str ptx, const NvAssemble *how,
			NvCubin *cubin, bool *ended, DiagList *diags)
{
	*ended = false;
	if (ran->error || ran->timed_out) {
		nv_tool_failed(tool, timeout, ran, diags);
		return false;
	}
	Str said = rename_input(diags->arena, ran->said, ran->input_path, how->kernel);
	cubin->log = nv_text(said.ptr);
	if (nv_report_read(said, ptx, how->kernel, cubin, diags))
		return false;
	*ended = ran->enough;
	if (*ended)
		return false;
	/* A host that takes its children's status itself leaves -1: the output then decides. */
	if (ran->status > 0 || !is_cubin(cubin->data, cubin->len)) {
		say_failure(tool, ran, said, diags);
		return false;
	}
	return true;
}

/* The program and what it is asked for. */
static const char *command_text(const NvTool *tool, const char *const *args, Arena *arena)
{
	Text text;
	text_init(&text, arena);
	text_printf(&text, "%s", tool->identity);
	for (; *args; args++)
		text_printf(&text, " %s", *args);
	return text.data;
}

NvBegun *nv_begin(NvTools *tools, const NvAssemble *how)
{
	Arena arena;
	Fault fault;
	const char *tried;
	const NvTool *tool;
	NvBegun *volatile begun = NULL;
	arena_init(&arena, 0);
	if (FAULT_TRY(&fault)) {
		if (!nv_uses_driver(tools, how, &arena, &tool, &tried) && tool) {
			NvRun run = {
				.path = tool->path,
				.args = make_args(tools, how, tool->path, &arena),
				.input = STR(""),
				.has_output = true,
			};
			begun = nv_run_begin(&run, command_text(tool, run.args, &arena));
		}
		fault_leave(&fault);
	}
	arena_free(&arena);
	if (fault.kind != FAULT_NONE)
		fault_raise(fault.kind, "%s", fault.text);
	return begun;
}

/* A run of ptxas, and what came of it. */
typedef struct Run {
	Str ptx; /* length 0: there is none to be made */
	NvCubin *cubin;
	DiagList *diags;
	const char *enough; /* once ptxas has said this the cubin is not wanted; NULL */
	NvBegun *begun;
	bool ended;	    /* then */
	bool good;
} Run;

/* All at the same time. */
static void run_all(NvTools *tools, const NvTool *tool, const NvAssemble *how, Run *const *runs, size_t count,
		    Arena *arena)
{
	double timeout = nv_tools_options(tools)->timeout;
	const char *const *args = make_args(tools, how, tool->path, arena);
	const char *what = command_text(tool, args, arena);
	NvRun how_run[NV_MOST_RUNS];
	NvRan ran[NV_MOST_RUNS];
	CONTRACT(count <= NV_MOST_RUNS);
	for (size_t i = 0; i < count; i++)
		how_run[i] = (NvRun){
			.path = tool->path,
			.args = args,
			.input = runs[i]->ptx,
			.has_output = true,
			.suffix = ".ptx",
			.timeout = timeout,
			.asks = true,
			.enough = runs[i]->enough,
			.begun = runs[i]->begun,
			.what = what,
		};
	nv_run_all(arena, how_run, ran, count);
	for (size_t i = 0; i < count; i++) {
		runs[i]->cubin->data = ran[i].output;
		runs[i]->cubin->len = ran[i].output_len;
	}
	for (size_t i = 0; i < count; i++)
		runs[i]->good = take_result(tool, &ran[i], timeout, runs[i]->ptx, how, runs[i]->cubin,
					    &runs[i]->ended, runs[i]->diags);
}

/* ---- other limits of registers (registers.c) ---- */

typedef struct Again {
	NvTools *tools;
	const NvTool *tool;
	const NvAssemble *how;
	Str ptx;
	NvCubin *cubin; /* the best so far */
	Arena *arena;
} Again;

/* Those that are to be made. What is said of them is not heard, nor what fails or takes too long. */
static void try_all(const Again *a, Run *const *runs, size_t count)
{
	Fault fault;
	Run *made[NV_MOST_RUNS];
	DiagList unheard;
	size_t n = 0;
	diag_init(&unheard, a->arena, NULL);
	for (size_t i = 0; i < count; i++) {
		runs[i]->diags = &unheard;
		if (runs[i]->ptx.len)
			made[n++] = runs[i];
	}
	if (!n)
		return;
	if (FAULT_TRY(&fault)) {
		run_all(a->tools, a->tool, a->how, made, n, a->arena);
		fault_leave(&fault);
	} else if (fault.kind != FAULT_TIME) {
		fault_raise(fault.kind, "%s", fault.text);
	}
}

static void try_one(const Again *a, Run *run)
{
	try_all(a, &run, 1);
}

static const char advice[] = "(C7"; /* what it begins with */

static bool has_advice(const NvCubin *cubin)
{
	return cubin->log && strstr(cubin->log, advice);
}

/* Ends a run: its cubin takes the place of the best, or goes. */
static bool kept(const Again *a, Run *run, bool better)
{
	NvCubin worse = better ? *a->cubin : *run->cubin;
	if (better)
		*a->cubin = *run->cubin;
	*run->cubin = (NvCubin){0};
	nv_cubin_free(&worse);
	return better;
}

static Str with_registers_for_loads(const Again *a, bool as_many)
{
	return nv_with_registers_for_loads(a->arena, a->ptx, a->how, a->cubin, as_many);
}

/* The same beside the assembly with fewer: where those are hardly fewer it is taken as good as
 * always, and then its CTAs are what counts. */
static Str with_registers_for_loads_of(const Again *a, const Run *fewer, unsigned registers)
{
	enum { HARDLY = 3 };
	NvCubin guess = *a->cubin;
	if (fewer->ptx.len && guess.registers - registers <= HARDLY)
		guess.registers = registers;
	return nv_with_registers_for_loads(a->arena, a->ptx, a->how, &guess, false);
}

static bool same(Str a, Str b)
{
	return a.len == b.len && (!a.len || memcmp(a.ptr, b.ptr, a.len) == 0);
}

/* `fewer` was made: what is left for loads may not be what was guessed beside it. */
static void take_fewer(const Again *a, Run *fewer, Run *loads)
{
	if (!fewer->ptx.len)
		return;
	kept(a, fewer, fewer->good && !has_advice(fewer->cubin) &&
			       nv_is_worth_its_step(a->how, a->ptx, a->cubin, fewer->cubin));
	Run next = {.ptx = with_registers_for_loads(a, false), .cubin = loads->cubin, .enough = advice};
	if (same(next.ptx, loads->ptx))
		return;
	nv_cubin_free(loads->cubin);
	try_one(a, &next);
	*loads = next;
}

/* With fewer CTAs first, then with as many: that where the first waited less, in too few CTAs, or
 * where there is one CTA. */
static void take_loads(const Again *a, Run *loads)
{
	bool less = loads->good && !has_advice(loads->cubin) && nv_waits_less(a->cubin, loads->cubin);
	bool better = less && nv_waits_less_on_sm(a->how, a->ptx, a->cubin, loads->cubin);
	if (kept(a, loads, better) || (loads->ptx.len && !less))
		return;
	Run last = {.ptx = with_registers_for_loads(a, true), .cubin = loads->cubin, .enough = advice};
	if (same(last.ptx, loads->ptx))
		return;
	try_one(a, &last);
	kept(a, &last, last.good && !has_advice(last.cubin) &&
			       nv_waits_less_on_sm(a->how, a->ptx, a->cubin, last.cubin));
}

static void run_again(const Again *a)
{
	if (strstr(nv_extra_options(a->tools), "maxrregcount") || !nv_optimizes(a->how))
		return;
	NvCubin cubins[2] = {0};
	Run more = {.ptx = nv_with_more_registers(a->arena, a->ptx, a->how->kernel, a->cubin),
		    .cubin = cubins};
	try_one(a, &more);
	kept(a, &more, more.good && more.cubin->spill_stores < a->cubin->spill_stores);
	if (more.ptx.len)
		return;
	unsigned lowered = 0;
	Run fewer = {.ptx = nv_with_fewer_registers(a->arena, a->ptx, a->how, a->cubin, &lowered),
		     .cubin = cubins,
		     .enough = advice};
	Run loads = {.ptx = with_registers_for_loads_of(a, &fewer, lowered),
		     .cubin = cubins + 1,
		     .enough = advice};
	try_all(a, (Run *[]){&fewer, &loads}, 2);
	take_fewer(a, &fewer, &loads);
	take_loads(a, &loads);
}

static bool run_ptxas(NvTools *tools, const NvTool *tool, Str ptx, const NvAssemble *how, NvCubin *cubin, DiagList *diags)
{
	Run first = {
		.ptx = ptx,
		.cubin = cubin,
		.diags = diags,
		.enough = nv_serial_advice,
		.begun = how->begun,
	};
	Run *runs[] = {&first};
	run_all(tools, tool, how, runs, 1, diags->arena);
	if ((first.good || first.ended) && nv_is_serial(cubin)) { /* serial.c */
		first.ptx = nv_with_waits(diags->arena, ptx);
		first.enough = NULL;
		first.begun = NULL;
		nv_cubin_free(cubin);
		run_all(tools, tool, how, runs, 1, diags->arena);
	}
	if (first.good)
		run_again(&(Again){tools, tool, how, first.ptx, cubin, diags->arena});
	return first.good;
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
