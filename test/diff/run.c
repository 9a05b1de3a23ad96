/* Runs a case by the interpreter and by other engines, and compares all memory bit by bit: programs are such that there is one result. Only
 * NaNs, of which there are many, count as the same. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "diff.h"

double seconds_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- data ---- */

typedef struct Data {
	unsigned char *memory[MAX_CASE_ARGS]; /* aligned to 64 */
	unsigned char *first[MAX_CASE_ARGS];  /* of the array; NULL: a number */
	size_t bytes[MAX_CASE_ARGS];
} Data;

/* One in eight arrays is aligned to its elements alone. */
static size_t shift_of(const CaseArg *a)
{
	return a->seed % 8 == 5 ? neso_dtype_size(a->dtype) : 0;
}

static double wild_float(Random *r)
{
	static const double special[] = {0.0,  -0.0,  1.0,  -1.0, 0.5,   65504,    65520,     1e-8,
					 6e-8, 1e-40, 3e38, 448,  57344, INFINITY, -INFINITY, NAN};
	switch (random_below(r, 8)) {
	case 0: return special[random_below(r, 16)];
	case 1:
	case 2: return ldexp((double)random_below(r, 4096) - 2048, random_below(r, 60) - 40);
	default: return (double)(random_below(r, 1 << 24) - (1 << 23)) / (1 << 20);
	}
}

static void fill_wild(const CaseArg *a, Random *r, unsigned char *to, size_t size)
{
	if (a->dtype == NESO_INT1) {
		*to = (unsigned char)random_below(r, 2);
	} else if (!is_float(a->dtype) || is_fp8(a->dtype) || random_below(r, 8) == 0) {
		static const uint64_t ends[] = {0, 1, UINT64_MAX, UINT64_C(0x8080808080808080),
						UINT64_C(0x7fffffffffffffff)};
		uint64_t bits = random_below(r, 8) || is_float(a->dtype) ? random_next(r) : ends[random_below(r, 5)];
		memcpy(to, &bits, size);
	} else {
		double value = wild_float(r);
		neso_dtype_convert(a->dtype, to, NESO_FP64, &value, 1);
	}
}

static void fill_small(const CaseArg *a, Random *r, unsigned char *to, size_t size)
{
	int32_t values[256];
	for (uint32_t k = 0, n; k < a->count; k += n) {
		n = a->count - k < 256 ? a->count - k : 256;
		for (uint32_t i = 0; i < n; i++)
			values[i] = a->lo + random_below(r, a->hi - a->lo + 1);
		neso_dtype_convert(a->dtype, to + k * size, NESO_INT32, values, n);
	}
}

static void fill(const CaseArg *a, unsigned char *to)
{
	Random r = {a->seed};
	size_t size = neso_dtype_size(a->dtype);
	if (a->small && a->dtype != NESO_INT1) {
		fill_small(a, &r, to, size);
		return;
	}
	for (uint32_t k = 0; k < a->count; k++, to += size) {
		if (a->small)
			*to = (unsigned char)random_below(&r, 2);
		else
			fill_wild(a, &r, to, size);
	}
}

static void data_make(const Case *c, Data *d)
{
	memset(d, 0, sizeof *d);
	for (int k = 0; k < c->arg_count; k++) {
		const CaseArg *a = &c->args[k];
		if (!a->count)
			continue;
		d->bytes[k] = a->count * neso_dtype_size(a->dtype);
		d->memory[k] = aligned_alloc(64, (d->bytes[k] + 16 + 63) / 64 * 64);
		d->first[k] = d->memory[k] + shift_of(a);
		fill(a, d->first[k]);
	}
}

static void data_copy(const Case *c, const Data *from, Data *to)
{
	memset(to, 0, sizeof *to);
	for (int k = 0; k < c->arg_count; k++) {
		if (!c->args[k].count)
			continue;
		size_t room = (from->bytes[k] + 16 + 63) / 64 * 64;
		to->bytes[k] = from->bytes[k];
		to->memory[k] = aligned_alloc(64, room);
		memcpy(to->memory[k], from->memory[k], room);
		to->first[k] = to->memory[k] + shift_of(&c->args[k]);
	}
}

static void data_free(const Case *c, Data *d)
{
	for (int k = 0; k < c->arg_count; k++)
		free(d->memory[k]);
}

static bool is_nan(neso_dtype t, const unsigned char *at)
{
	double value;
	return is_float(t) && neso_dtype_convert(NESO_FP64, &value, t, at, 1) == NESO_OK && isnan(value);
}

static void element_text(neso_dtype t, const unsigned char *at, char out[64])
{
	uint64_t bits = 0;
	memcpy(&bits, at, neso_dtype_size(t));
	if (is_float(t)) {
		double value = 0;
		neso_dtype_convert(NESO_FP64, &value, t, at, 1);
		snprintf(out, 64, "%.9g (0x%llx)", value, (unsigned long long)bits);
	} else {
		int64_t value = 0;
		neso_dtype_convert(NESO_INT64, &value, t, at, 1);
		snprintf(out, 64, is_unsigned(t) ? "%llu" : "%lld", (long long)value);
	}
}

/* False, and what differs in outcome->text. */
static bool compare(const Case *c, const Data *ours, const Data *theirs, Outcome *outcome)
{
	int shown = 0, wrong = 0;
	size_t at = 0;
	for (int k = 0; k < c->arg_count; k++) {
		const CaseArg *a = &c->args[k];
		size_t size = a->count ? neso_dtype_size(a->dtype) : 1;
		if (!a->count || memcmp(ours->first[k], theirs->first[k], ours->bytes[k]) == 0)
			continue;
		for (uint32_t e = 0; e < a->count; e++) {
			const unsigned char *x = ours->first[k] + e * size, *y = theirs->first[k] + e * size;
			char left[64], right[64];
			if (memcmp(x, y, size) == 0 || (is_nan(a->dtype, x) && is_nan(a->dtype, y)))
				continue;
			wrong++;
			if (shown++ >= 8)
				continue;
			element_text(a->dtype, x, left);
			element_text(a->dtype, y, right);
			at += (size_t)snprintf(outcome->text + at, sizeof outcome->text - at,
					       "%s[%u]: interpreter %s, %s %s\n", a->name, e, left, outcome->target,
					       right);
		}
	}
	if (wrong > 8)
		snprintf(outcome->text + at, sizeof outcome->text - at, "%d elements in all\n", wrong);
	return wrong == 0;
}

/* ---- engines ---- */

static void found(Outcome *outcome, OutcomeKind kind, const neso_diagnostics *diagnostics)
{
	outcome->kind = kind;
	for (size_t i = 0; i < neso_diagnostics_count(diagnostics); i++) {
		const neso_diagnostic *d = neso_diagnostics_get(diagnostics, i);
		if (d->severity == NESO_ERROR && !outcome->code[0])
			snprintf(outcome->code, sizeof outcome->code, "%s", d->code);
	}
	snprintf(outcome->text, sizeof outcome->text, "%s", neso_diagnostics_text(diagnostics));
}

/* What a GPU cannot do and the interpreter can is no difference. */
static bool is_refusal(const char *code)
{
	static const char *const codes[] = {"SHARED_MEMORY", "NV_SHARED", "INLINE_LIMIT"};
	for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
		if (strcmp(code, codes[i]) == 0)
			return true;
	return false;
}

typedef struct Session {
	neso_context *context;
	neso_diagnostics *diagnostics;
	neso_status status;
	void *device[MAX_CASE_ARGS]; /* copies in a GPU's memory */
	bool on_gpu;
} Session;

static void to_device(Session *s, const Case *c, Data *d)
{
	for (int k = 0; k < c->arg_count && s->status == NESO_OK; k++) {
		if (!c->args[k].count)
			continue;
		s->status = neso_gpu_alloc(s->context, d->bytes[k] + 16, &s->device[k], &s->diagnostics);
		if (s->status == NESO_OK)
			s->status = neso_gpu_copy(s->context, (char *)s->device[k] + shift_of(&c->args[k]),
						  d->first[k], d->bytes[k], NULL, &s->diagnostics);
	}
}

static void from_device(Session *s, const Case *c, Data *d)
{
	if (s->status == NESO_OK)
		s->status = neso_gpu_synchronize(s->context, NULL, &s->diagnostics);
	for (int k = 0; k < c->arg_count; k++) {
		if (s->device[k] && s->status == NESO_OK)
			s->status =
				neso_gpu_copy(s->context, d->first[k], (char *)s->device[k] + shift_of(&c->args[k]),
					      d->bytes[k], NULL, &s->diagnostics);
		neso_gpu_free(s->context, s->device[k]);
	}
}

static size_t make_args(const Session *s, const Case *c, const Data *d, neso_arg *args)
{
	for (int k = 0; k < c->arg_count; k++) {
		const CaseArg *a = &c->args[k];
		if (a->count) {
			const void *at = s->on_gpu ? (char *)s->device[k] + shift_of(a) : (void *)d->first[k];
			args[k] = neso_arg_buffer(a->name, a->dtype, at, d->bytes[k], NESO_READ_WRITE);
		} else {
			args[k] = is_float(a->dtype) ? neso_arg_float(a->name, a->lo) : neso_arg_int(a->name, a->lo);
		}
	}
	return (size_t)c->arg_count;
}

/* A GPU's kind alone: there is nothing to run it on. */
static bool is_compiled_only(const char *target)
{
	return strncmp(target, "sm_", 3) == 0;
}

static bool has_clusters(const char *target)
{
	return strcmp(target, "cuda") == 0 || strstr(target, "sm_9") || strstr(target, "sm_1");
}

/* Runs on the target; fills the outcome when that fails. */
static bool engine_run(neso_kernel *kernel, neso_context *context, const Case *c, const Engines *e,
		       const char *target, Data *d, Outcome *outcome)
{
	Session s = {.context = context, .on_gpu = strcmp(target, "cuda") == 0};
	neso_arg args[MAX_CASE_ARGS];
	neso_compile_options options = {.size = sizeof options,
					.num_warps = c->num_warps,
					.num_stages = c->num_stages,
					.num_ctas = has_clusters(target) ? c->ctas : 0,
					.target = target,
					.no_specialize = c->plain,
					.no_fp_fusion = !c->fused};
	snprintf(outcome->target, sizeof outcome->target, "%s", target);
	snprintf(outcome->text, sizeof outcome->text, "before its launch");
	if (s.on_gpu)
		to_device(&s, c, d);
	if (s.status == NESO_OK) {
		uint32_t rows = c->grid_y ? c->grid_y : 1;
		neso_launch l = neso_launch_of(args, make_args(&s, c, d, args), c->grid, rows, 1);
		l.options = &options;
		options.ptx_only = is_compiled_only(target) && e->verify;
		l.timeout = s.on_gpu ? 0 : e->timeout;
		l.check = e->check && strncmp(target, "sim:", 4) == 0;
		if (l.check && c->schedules > 1)
			l.schedules = c->schedules;
		l.threads = 1;
		/* Compiled first, so that what hangs is known to be the one or the other. */
		if (s.on_gpu || is_compiled_only(target)) {
			neso_variant *variant = NULL;
			snprintf(outcome->text, sizeof outcome->text, "being compiled");
			s.status = neso_kernel_compile_for(kernel, &l, &variant, &s.diagnostics);
			neso_variant_release(variant);
		}
		snprintf(outcome->text, sizeof outcome->text, "being run");
		if (s.status == NESO_OK && !is_compiled_only(target))
			s.status = neso_kernel_launch(kernel, &l, NULL, &s.diagnostics);
	}
	if (s.on_gpu)
		from_device(&s, c, d);
	if (s.status != NESO_OK) {
		found(outcome, FINDING, s.diagnostics);
		if (strcmp(target, "interp") != 0 && is_refusal(outcome->code))
			outcome->kind = REFUSED;
		if (strcmp(outcome->code, "RUN_TIMEOUT") == 0)
			outcome->kind = HUNG;
	}
	neso_diagnostics_free(s.diagnostics);
	return s.status == NESO_OK;
}

void case_run(const Case *c, const Engines *e, neso_context *context, Outcome *outcome)
{
	neso_module *module = NULL;
	neso_kernel *kernel = NULL;
	neso_diagnostics *diagnostics = NULL;
	Data given, ours, theirs;
	memset(outcome, 0, sizeof *outcome);
	snprintf(outcome->target, sizeof outcome->target, "interp");
	if (neso_module_load_text(context, "program.py", c->text, strlen(c->text), &module, &diagnostics) !=
		    NESO_OK ||
	    neso_module_find(module, "kernel", &kernel, &diagnostics) != NESO_OK) {
		found(outcome, FINDING, diagnostics);
		neso_diagnostics_free(diagnostics);
		neso_module_free(module);
		return;
	}
	data_make(c, &given);
	data_copy(c, &given, &ours);
	if (e->as_written)
		setenv("NESO_SKIP_PASSES",
		       "canonicalize,combine,reorder-broadcast,cse,loop-unroll,peel-loops,dce", 1);
	bool good = engine_run(kernel, context, c, e, "interp", &ours, outcome), refused = false;
	if (e->as_written)
		unsetenv("NESO_SKIP_PASSES");
	for (int k = 0; k < e->count && good; k++) {
		const char *target = e->targets[k];
		if (c->new_floats && (strstr(target, "sm_7") || strstr(target, "sm_80") || strstr(target, "sm_86")))
			continue;
		data_copy(c, &given, &theirs);
		good = engine_run(kernel, context, c, e, e->targets[k], &theirs, outcome);
		if (good)
			outcome->text[0] = '\0';
		if (good && !is_compiled_only(target) && !compare(c, &ours, &theirs, outcome)) {
			outcome->kind = DIFFERENT;
			good = false;
		} else if (!good && outcome->kind == REFUSED) {
			refused = good = true;
			outcome->code[0] = '\0';
		}
		data_free(c, &theirs);
	}
	if (good)
		outcome->kind = refused ? REFUSED : SAME;
	data_free(c, &ours);
	data_free(c, &given);
	neso_module_free(module);
}

/* ---- apart ---- */

void case_run_apart(const Case *c, const Engines *e, Outcome *outcome)
{
	Outcome *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status;
	fflush(NULL);
	pid_t child = fork();
	if (child == 0) {
		neso_context *context;
		neso_context_options options = {.size = sizeof options, .threads = 1};
		options.verify_passes = e->verify;
		alarm((unsigned)e->hang + 10);
		if (neso_context_new(&options, &context, NULL) != NESO_OK)
			_exit(1);
		case_run(c, e, context, shared);
		_exit(0);
	}
	while (waitpid(child, &status, 0) != child)
		;
	*outcome = *shared;
	munmap(shared, sizeof *shared);
	if (WIFSIGNALED(status) || WEXITSTATUS(status)) {
		outcome->kind = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM ? HUNG : CRASHED;
		outcome->code[0] = '\0';
		snprintf(outcome->text, sizeof outcome->text, "the process ended by signal %d\n",
			 WIFSIGNALED(status) ? WTERMSIG(status) : 0);
	}
}

bool same_outcome(const Outcome *a, const Outcome *b)
{
	return a->kind == b->kind && strcmp(a->code, b->code) == 0;
}
