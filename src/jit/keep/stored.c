/* Variants as entries of the cache, and back.
 *
 * Sections: "key" (cache/key.h), "facts" (what a launch needs, below), "metadata" (JSON for people
 * and tools), "cubin", and, unless only binaries are wanted, "source", "ttir", "ttgir", "llir",
 * "ptx"; "log" with the assembler's messages, "warnings" with the compiler's.
 *
 * Facts are lines of a name and values. Numbers are those of this build's enumerations: the key
 * includes the hash of its sources. Anything that does not fit the kernel is refused all the same,
 * as the bytes there are not trusted. */
#include <stdio.h>
#include <stdlib.h>

#include "base/fault.h"
#include "ir/text/text.h"
#include "jit/keep/cache.h"

/* ---- facts: writing ---- */

void jit_stored_facts(Text *out, const JitVariant *variant)
{
	const JitGpu *gpu = variant->gpu;
	const NvCubin *cubin = &gpu->cubin;
	text_printf(out, "name %s\nargs %s\n", gpu->name, *gpu->args ? gpu->args : "-");
	if (gpu->assembler)
		text_printf(out, "assembler %s\n", gpu->assembler);
	if (gpu->map_count) {
		text_str(out, "maps ");
		tensor_map_write(out, gpu->maps, gpu->map_count);
		text_char(out, '\n');
	}
	if (variant->by_number)
		text_str(out, "few 1\n");
	if (variant->uneven)
		text_str(out, "uneven 1\n");
	text_printf(out, "launch %u %u %u %u %u\n", gpu->threads, gpu->shared, gpu->cluster, gpu->scratch, gpu->scratch_align);
	text_printf(out, "cubin %u %u %u %u %u\n", cubin->registers, cubin->spill_stores, cubin->spill_loads, cubin->stack,
		    cubin->shared);
	text_str(out, "seconds"); /* in microseconds */
	for (int i = 0; i < JIT_STEP__COUNT; i++)
		text_printf(out, " %.0f", variant->seconds[i] * 1e6);
	text_char(out, '\n');
	for (uint32_t i = 0; i < variant->slot_count; i++) {
		const JitSlot *s = &variant->slots[i];
		text_printf(out, "slot %u %u %u %u %u\n", s->param, (unsigned)s->part, s->axis, (unsigned)s->dtype, (unsigned)s->kind);
	}
	for (uint32_t i = 0; i < variant->numbers.count; i++) {
		const FrontNumber *n = &variant->numbers.at[i];
		text_printf(out, "number %u %u %u\n", n->param, (unsigned)n->dtype, n->must_fit);
	}
	for (uint32_t i = 0; i < variant->kernel->info->param_count; i++)
		if (variant->params[i].divisibility != variant->args[i].divisibility)
			text_printf(out, "divisible %u %u\n", i, variant->params[i].divisibility);
}

/* ---- facts: reading ---- */

typedef struct Facts {
	JitVariant *variant;
	JitGpu *gpu;
	uint32_t slots, numbers;
	bool launch;
} Facts;

/* A line's numbers behind its name; false when there are not exactly `count` of them. */
static bool read_numbers(const char *text, uint32_t *out, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		char *end;
		if (*text < '0' || *text > '9')
			return false;
		unsigned long value = strtoul(text, &end, 10);
		if (value > UINT32_MAX || *end != (i + 1 < count ? ' ' : '\0'))
			return false;
		out[i] = (uint32_t)value;
		text = end + 1;
	}
	return true;
}

_Static_assert(JIT_STEP__COUNT >= 5, "read_fact's numbers");

/* Of a descriptor, "tensordesc<fp16[64, 32]>"; 0: the parameter is none. */
static uint32_t rank_of(const JitVariant *v, uint32_t param)
{
	if (v->params[param].kind != JIT_PARAM_DESC)
		return 0;
	uint32_t rank = 1;
	for (const char *c = v->args[param].text; *c; c++)
		rank += *c == ',';
	return rank;
}

static bool read_slot(Facts *f, const uint32_t n[5])
{
	JitVariant *v = f->variant;
	if (n[0] >= v->kernel->info->param_count || n[1] > SLOT_NUMBER || n[2] >= IR_MAX_RANK || n[3] > DT__COUNT ||
	    n[4] >= TY__COUNT || f->slots == v->slot_count)
		return false;
	bool of_descriptor = n[1] == SLOT_SHAPE || n[1] == SLOT_STRIDE || n[1] == SLOT_PAD;
	if (of_descriptor && n[2] >= rank_of(v, n[0]))
		return false;
	v->slots[f->slots++] = (JitSlot){n[0], (JitPart)n[1], n[2], (TlDtype)n[3], (IrTypeKind)n[4]};
	return true;
}

static bool read_number(Facts *f, const uint32_t n[3])
{
	JitVariant *v = f->variant;
	if (n[0] >= v->kernel->info->param_count || n[1] >= DT__COUNT || n[2] > 1 || f->numbers == v->numbers.count)
		return false;
	v->numbers.at[f->numbers++] = (FrontNumber){n[0], (TlDtype)n[1], n[2] != 0};
	return true;
}

static bool read_fact(Facts *f, const char *name, const char *rest)
{
	JitVariant *v = f->variant;
	JitGpu *gpu = f->gpu;
	uint32_t n[JIT_STEP__COUNT];
	if (strcmp(name, "name") == 0)
		gpu->name = arena_strdup(&v->arena, rest);
	else if (strcmp(name, "args") == 0)
		gpu->args = arena_strdup(&v->arena, strcmp(rest, "-") == 0 ? "" : rest);
	else if (strcmp(name, "maps") == 0)
		return tensor_map_read(&v->arena, rest, &gpu->maps, &gpu->map_count);
	else if (strcmp(name, "assembler") == 0)
		gpu->assembler = arena_strdup(&v->arena, rest);
	else if (strcmp(name, "launch") == 0 && read_numbers(rest, n, 5))
		gpu->threads = n[0], gpu->shared = n[1], gpu->cluster = n[2], gpu->scratch = n[3], gpu->scratch_align = n[4],
		f->launch = true;
	else if (strcmp(name, "cubin") == 0 && read_numbers(rest, n, 5))
		gpu->cubin.registers = n[0], gpu->cubin.spill_stores = n[1], gpu->cubin.spill_loads = n[2],
		gpu->cubin.stack = n[3], gpu->cubin.shared = n[4];
	else if (strcmp(name, "seconds") == 0 && read_numbers(rest, n, JIT_STEP__COUNT))
		for (int i = 0; i < JIT_STEP__COUNT; i++)
			v->seconds[i] = n[i] * 1e-6;
	else if (strcmp(name, "few") == 0 && read_numbers(rest, n, 1))
		v->by_number = n[0] == 1;
	else if (strcmp(name, "uneven") == 0 && read_numbers(rest, n, 1))
		v->uneven = n[0] == 1;
	else if (strcmp(name, "slot") == 0)
		return read_numbers(rest, n, 5) && read_slot(f, n);
	else if (strcmp(name, "number") == 0)
		return read_numbers(rest, n, 3) && read_number(f, n);
	else if (strcmp(name, "divisible") == 0 && read_numbers(rest, n, 2) && n[0] < v->kernel->info->param_count)
		v->params[n[0]].divisibility = n[1];
	else
		return false;
	return true;
}

static uint32_t lines_of(const char *text, const char *name)
{
	uint32_t n = 0;
	size_t len = strlen(name);
	for (const char *at = text; at; at = strchr(at, '\n'), at += at != NULL)
		n += strncmp(at, name, len) == 0 && at[len] == ' ';
	return n;
}

static bool read_facts(JitVariant *variant, JitGpu *gpu, Str text)
{
	Facts f = {.variant = variant, .gpu = gpu};
	Arena *arena = &variant->arena;
	char *copy = arena_strndup(arena, text.ptr, text.len);
	variant->slot_count = lines_of(copy, "slot");
	variant->slots = ARENA_ARRAY(arena, JitSlot, variant->slot_count + 1);
	variant->numbers.count = lines_of(copy, "number");
	variant->numbers.at = ARENA_ARRAY(arena, FrontNumber, variant->numbers.count + 1);
	for (char *line = copy, *next; *line; line = next) {
		char *end = strchr(line, '\n');
		if (!end)
			return false;
		*end = '\0';
		next = end + 1;
		char *blank = strchr(line, ' ');
		if (!blank)
			return false;
		*blank = '\0';
		if (!read_fact(&f, line, blank + 1))
			return false;
	}
	return f.launch && gpu->name && gpu->args && gpu->threads && gpu->threads <= 1024 &&
	       (!gpu->scratch_align || base_is_pow2(gpu->scratch_align)) &&
	       nv_maps_allowed(gpu->maps, gpu->map_count, gpu->args) &&
	       jit_gpu_slots(gpu) == variant->slot_count && variant->numbers.count <= variant->slot_count;
}

/* ---- loading ---- */

static void *heap_copy(Str bytes)
{
	char *copy = malloc(bytes.len + 1);
	if (!copy)
		fault_raise(FAULT_MEMORY, "out of memory (%zu bytes asked for)", bytes.len);
	memcpy(copy, bytes.ptr, bytes.len);
	copy[bytes.len] = '\0';
	return copy;
}

static bool is_cubin(Str bytes)
{
	return bytes.len >= 64 && memcmp(bytes.ptr, "\177ELF", 4) == 0;
}

bool jit_stored_load(JitVariant *variant, const CacheEntry *entry, const char **why, DiagList *diags)
{
	Str facts, cubin = STR(""), log = STR(""), warnings = STR("");
	JitModule *module = variant->kernel->module;
	bool ptx_only = variant->options.ptx_only && !cache_entry_has(entry, "cubin");
	if (!cache_entry_section(entry, "facts", diags->arena, &facts, why) ||
	    (!ptx_only && !cache_entry_section(entry, "cubin", diags->arena, &cubin, why))) {
		*why = *why ? *why : "a section is missing";
		return false;
	}
	if (cache_entry_has(entry, "log") && !cache_entry_section(entry, "log", diags->arena, &log, why))
		return false;
	if (cache_entry_has(entry, "warnings") &&
	    !cache_entry_section(entry, "warnings", diags->arena, &warnings, why))
		return false;
	JitGpu *gpu = ARENA_NEW(&variant->arena, JitGpu);
	JitSlot *const slots = variant->slots;
	const uint32_t slot_count = variant->slot_count;
	const FrontNumbers numbers = variant->numbers;
	double seconds[JIT_STEP__COUNT];
	memcpy(seconds, variant->seconds, sizeof seconds);
	const JitParam *params = arena_copy(&variant->arena, variant->params, variant->kernel->info->param_count * sizeof *params);
	if (!read_facts(variant, gpu, facts) || (!ptx_only && !(gpu->assembler && is_cubin(cubin)))) {
		/* It will be compiled. */
		variant->slots = slots;
		variant->slot_count = slot_count;
		variant->numbers = numbers;
		memcpy(variant->seconds, seconds, sizeof seconds);
		if (variant->kernel->info->param_count)
			memcpy(variant->params, params, variant->kernel->info->param_count * sizeof *params);
		*why = "what it says of the kernel makes no sense";
		return false;
	}
	variant->gpu = gpu; /* frees what is in it from now on */
	if (!ptx_only) {
		gpu->cubin.data = heap_copy(cubin);
		gpu->cubin.len = cubin.len;
		gpu->cubin.log = heap_copy(log);
	}
	gpu->cache = "hit";
	pthread_mutex_lock(&module->front_lock);
	Fault fault;
	if (FAULT_TRY(&fault)) {
		jit_copy_sources(&variant->arena, variant->kernel->function ? front_sources(module->session) : &module->sources,
				 &variant->sources);
		fault_leave(&fault);
	}
	pthread_mutex_unlock(&module->front_lock);
	if (fault.kind != FAULT_NONE)
		fault_raise(fault.kind, "%s", fault.text);
	if (!ptx_only)
		jit_gpu_kernel(variant);
	jit_warnings_read(warnings, diags);
	return true;
}

/* ---- writing ---- */

static void gpu_metadata(Text *out, const JitVariant *variant)
{
	const JitGpu *gpu = variant->gpu;
	text_printf(out, ", \"threads\": %u, \"shared\": %u, \"cluster\": %u, \"scratch\": %u, \"scratch_align\": %u, \"args\": \"%s\"",
		    gpu->threads, gpu->shared, gpu->cluster, gpu->scratch, gpu->scratch_align, gpu->args);
	text_printf(out, ", \"registers\": %u, \"stack\": %u, \"spill_stores\": %u, \"spill_loads\": %u, \"static_shared\": %u",
		    gpu->cubin.registers, gpu->cubin.stack, gpu->cubin.spill_stores, gpu->cubin.spill_loads, gpu->cubin.shared);
	if (gpu->map_count) {
		text_str(out, ", \"maps\": \"");
		tensor_map_write(out, gpu->maps, gpu->map_count);
		text_str(out, "\"");
	}
	text_printf(out,
		    ", \"launch\": \"kernel=%s args=%s threads=%u shared=%u cluster=%u scratch=%u "
		    "scratch_align=%u",
		    gpu->name, gpu->args, gpu->threads, gpu->shared, gpu->cluster, gpu->scratch,
		    gpu->scratch_align);
	if (variant->by_number)
		text_str(out, " few=1");
	if (variant->uneven)
		text_str(out, " uneven=1");
	if (gpu->map_count)
		text_str(out, " maps=");
	tensor_map_write(out, gpu->maps, gpu->map_count);
	text_str(out, "\", \"assembler\": ");
	text_json(out, gpu->assembler ? gpu->assembler : "none");
}

void jit_metadata(Text *out, const JitVariant *variant)
{
	const JitOptions *o = &variant->options;
	text_printf(out, "{\"name\": ");
	text_json(out, variant->kernel->info->qualified_name);
	text_str(out, ", \"variant\": ");
	text_json(out, variant->key);
	text_printf(out, ", \"target\": \"%s%s\", \"num_warps\": %u, \"num_stages\": %u, \"num_ctas\": %u, \"maxnreg\": %u",
		    o->sim ? "sim:" : "", o->gpu ? o->gpu->name : "interp", o->num_warps, o->num_stages, o->num_ctas, o->maxnreg);
	if (variant->gpu)
		gpu_metadata(out, variant);
	text_str(out, ", \"microseconds\": {");
	double total = 0;
	for (int i = 0; i < JIT_STEP__COUNT; i++) {
		text_printf(out, "\"%s\": %.0f, ", jit_step_names[i], variant->seconds[i] * 1e6);
		total += variant->seconds[i];
	}
	text_printf(out, "\"total\": %.0f}}\n", total * 1e6);
}

size_t jit_stored_sections(const JitMaking *m, Str warnings, Arena *arena,
			   CacheSection sections[CACHE_SECTIONS])
{
	const JitVariant *variant = m->variant;
	const JitGpu *gpu = variant->gpu;
	size_t n = 0;
	Text facts, metadata, ttir;
	text_init(&facts, arena);
	text_init(&metadata, arena);
	text_init(&ttir, arena);
	jit_stored_facts(&facts, variant);
	jit_metadata(&metadata, variant);
	sections[n++] = (CacheSection){"key", cache_key_text(&m->key)};
	sections[n++] = (CacheSection){"facts", {facts.data, facts.len}};
	sections[n++] = (CacheSection){"metadata", {metadata.data, metadata.len}};
	if (gpu->cubin.data)
		sections[n++] = (CacheSection){"cubin", {gpu->cubin.data, gpu->cubin.len}};
	if (gpu->cubin.log && *gpu->cubin.log)
		sections[n++] = (CacheSection){"log", str_of(gpu->cubin.log)};
	if (warnings.len)
		sections[n++] = (CacheSection){"warnings", warnings};
	if (!m->binary_only) {
		static const char *const names[] = {[CODEGEN_TTGIR] = "ttgir", [CODEGEN_LLIR] = "llir"};
		ir_print(&ttir, variant->ir, (IrPrintOptions){0});
		sections[n++] = (CacheSection){"source", m->content.source};
		sections[n++] = (CacheSection){"ttir", {ttir.data, ttir.len}};
		for (int stage = CODEGEN_TTGIR; gpu->code && stage <= CODEGEN_LLIR; stage++)
			if (gpu->code->stage[stage].data)
				sections[n++] = (CacheSection){names[stage], {gpu->code->stage[stage].data, gpu->code->stage[stage].len}};
		sections[n++] = (CacheSection){"ptx", gpu->ptx};
	}
	return n;
}

Str jit_stored_write(const JitMaking *m, Str warnings, Arena *arena)
{
	CacheSection sections[CACHE_SECTIONS];
	size_t count = jit_stored_sections(m, warnings, arena, sections);
	return cache_entry_write(arena, &m->digest, sections, count);
}
