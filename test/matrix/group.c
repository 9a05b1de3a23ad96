/* One program of the matrix, for each target and stage count: to PTX, some of them to a cubin, and through the simulator.
 *
 * Inputs are small integers, so that sums are exact in any order and every case has one right answer, which is computed
 * here. The memory of operands and results ends where the last element does: what a mask leaves out must not be touched.
 * Stage counts and targets that give the same LLIR are simulated once. */
#include "matrix.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "codegen/codegen.h"
#include "neso/neso.h"
#include "nv/nv.h"

extern const CodegenTable neso_codegen_table;

typedef struct Kind {
	const char *type, *out, *precision;
	neso_dtype dtype;
	unsigned bytes, out_bytes;
	int most; /* inputs are within -most ... most */
} Kind;

/* ORDER: matrix_dims[DIM_KIND]. */
static const Kind kinds[] = {
	{"fp16", "tl.float32", "ieee", NESO_FP16, 2, 4, 4},	     {"bf16", "tl.float32", "ieee", NESO_BF16, 2, 4, 4},
	{"fp32", "tl.float32", "tf32", NESO_FP32, 4, 4, 4},	     {"fp32", "tl.float32", "tf32x3", NESO_FP32, 4, 4, 4},
	{"fp32", "tl.float32", "ieee", NESO_FP32, 4, 4, 4},	     {"fp8e4nv", "tl.float32", "ieee", NESO_FP8E4NV, 1, 4, 4},
	{"fp8e5", "tl.float32", "ieee", NESO_FP8E5, 1, 4, 4},	     {"i8", "tl.int32", "ieee", NESO_INT8, 1, 4, 100},
	{"fp64", "tl.float64", "ieee", NESO_FP64, 8, 8, 4},
};

enum { CONTIGUOUS, STRIDED, INDIRECT };

typedef struct Side {
	int64_t outer, inner; /* strides of rows and columns */
	size_t elements;
	float *values; /* dense, rows x columns */
	void *memory;
	size_t bytes;
} Side;

typedef struct Problem {
	const MatrixGroup *g;
	const Kind *kind;
	int64_t bm, bn, bk, m, n, k;
	unsigned grid, warps;
	bool masked, indirect;
	Side a, b;
	int32_t *rows, *ks; /* numbers of rows of A and of B */
	size_t row_bytes, k_bytes;
	int32_t *want;
	uint64_t random;
} Problem;

static uint64_t next(uint64_t *state)
{
	*state += UINT64_C(0x9e3779b97f4a7c15);
	uint64_t z = *state;
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static int64_t below(Problem *p, int64_t n)
{
	return (int64_t)(next(&p->random) % (uint64_t)n);
}

static void *room(size_t bytes)
{
	void *p = aligned_alloc(64, (bytes + 127) / 64 * 64);
	if (!p)
		abort();
	return p;
}

/* ---- the problem ---- */

static void choose_sizes(Problem *p)
{
	static const int64_t sizes[] = {16, 32, 64, 128, 256};
	const unsigned *at = p->g->at;
	p->bm = sizes[at[DIM_M]];
	p->bn = sizes[at[DIM_N]];
	p->bk = sizes[at[DIM_K]];
	bool big = p->bm * p->bn * p->bk > (1 << 20);
	int64_t trips = big ? 1 + below(p, 2) : below(p, 6);
	p->grid = big || below(p, 4) ? 1 : 2;
	p->m = p->bm * p->grid;
	p->n = p->bn;
	p->k = trips * p->bk;
	if (!p->masked)
		return;
	/* Ends anywhere, at a multiple of 16, or nowhere. */
	int64_t how = below(p, 4);
	p->k += how == 0 ? 0 : how == 1 ? below(p, p->bk) / 16 * 16 : below(p, p->bk);
	p->m -= below(p, p->bm - 1);
	p->n -= below(p, 3) ? below(p, p->bn - 1) : below(p, p->bn / 16) * 16;
}

static void choose_warps(Problem *p)
{
	static const unsigned chances[] = {4, 4, 8, 2, 1};
	int64_t area = p->bm * p->bn;
	p->warps = p->g->warps ? p->g->warps : chances[below(p, 5)];
	while (!p->g->warps && area / p->warps > 8192 && p->warps < 8)
		p->warps *= 2;
}

/* Values of a dense rows x columns tile, laid out as asked; `map`: row r is at row map[r]. */
static void make_side(Problem *p, Side *s, int64_t rows, int64_t columns, int64_t stored_rows, bool by_column, const int32_t *map)
{
	int64_t step = p->g->at[DIM_ACCESS] == STRIDED ? 2 : 1, line = (by_column ? stored_rows : columns) * step;
	int64_t pad = below(p, 4) ? (line + 15) / 16 * 16 : line + below(p, 2);
	s->outer = by_column ? step : MAX(pad, 1);
	s->inner = by_column ? MAX(pad, 1) : step;
	s->elements = stored_rows && columns ? (size_t)((stored_rows - 1) * s->outer + (columns - 1) * s->inner + 1) : 0;
	s->values = room((size_t)(rows * columns) * sizeof *s->values);
	float *laid_out = room(s->elements * sizeof *laid_out);
	for (size_t i = 0; i < s->elements; i++)
		laid_out[i] = (float)(below(p, 2 * p->kind->most + 1) - p->kind->most);
	for (int64_t r = 0; r < rows; r++)
		for (int64_t c = 0; c < columns; c++)
			s->values[r * columns + c] = laid_out[(map ? map[r] : r) * s->outer + c * s->inner];
	s->bytes = s->elements * p->kind->bytes;
	s->memory = room(s->bytes);
	if (neso_dtype_convert(p->kind->dtype, s->memory, NESO_FP32, laid_out, s->elements) != NESO_OK)
		abort();
	free(laid_out);
}

static int32_t *make_map(Problem *p, int64_t count, int64_t of, size_t *bytes)
{
	*bytes = (size_t)count * sizeof(int32_t);
	int32_t *map = room(*bytes);
	for (int64_t i = 0; i < count; i++)
		map[i] = (int32_t)below(p, of);
	return map;
}

static void multiply(Problem *p)
{
	p->want = room((size_t)(p->m * p->n) * sizeof *p->want);
	memset(p->want, 0, (size_t)(p->m * p->n) * sizeof *p->want);
	for (int64_t i = 0; i < p->m; i++)
		for (int64_t k = 0; k < p->k; k++) {
			int32_t a = (int32_t)p->a.values[i * p->k + k], *to = p->want + i * p->n;
			const float *b = p->b.values + k * p->n;
			for (int64_t j = 0; j < p->n; j++)
				to[j] += a * (int32_t)b[j];
		}
}

static void make_problem(Problem *p)
{
	p->kind = &kinds[p->g->at[DIM_KIND]];
	p->random = p->g->hash;
	p->masked = p->g->at[DIM_MASK] == 1;
	p->indirect = p->g->at[DIM_ACCESS] == INDIRECT;
	choose_sizes(p);
	choose_warps(p);
	int64_t rows = p->indirect ? p->m + 3 : p->m, ks = p->indirect ? p->k / 2 + 5 : p->k;
	p->rows = make_map(p, p->m, rows, &p->row_bytes);
	p->ks = make_map(p, p->k, ks, &p->k_bytes);
	make_side(p, &p->a, p->m, p->k, rows, p->g->at[DIM_ORDER] & 1, p->indirect ? p->rows : NULL);
	make_side(p, &p->b, p->k, p->n, ks, p->g->at[DIM_ORDER] & 2, p->indirect ? p->ks : NULL);
	multiply(p);
}

static void free_problem(Problem *p)
{
	void *all[] = {p->a.values, p->a.memory, p->b.values, p->b.memory, p->rows, p->ks, p->want};
	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		free(all[i]);
}

/* ---- reports ---- */

static void say(MatrixReport *r, MatrixResult result, const char *target, unsigned stages, const char *format, ...)
{
	static const char *const names[] = {"ok", "refused", "compile", "run", "wrong", "ptxas", "crashed"};
	char text[600];
	va_list args;
	r->count[result]++;
	if (result == MATRIX_OK)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	for (char *c = text; *c; c++)
		*c = *c == '\n' ? ' ' : *c;
	int n = snprintf(r->text + r->len, sizeof r->text - r->len, "%s%s %s warps=%u target=%s stages=%u: %s\n",
			 result == MATRIX_REFUSED ? "" : "FAIL ", names[result], r->key, r->warps, target, stages, text);
	r->len += n > 0 && (size_t)n < sizeof r->text - r->len ? (size_t)n : 0;
}

static const CodegenDiag *first_diag(const CodegenResult *r)
{
	static const CodegenDiag memory = {.code = "", .text = "out of memory"}, none = {.code = "", .text = "no diagnostic"};
	for (size_t i = 0; r && i < r->diag_count; i++)
		if (r->diags[i].severity == 0)
			return &r->diags[i];
	return r ? &none : &memory;
}

static const char *first_error(const CodegenResult *r)
{
	return first_diag(r)->text;
}

/* ---- to TTIR ---- */

static void add_int(Text *t, int64_t v)
{
	text_printf(t, ",i32%s", v == 1 ? ":1" : v % 16 == 0 ? ":16" : "");
}

/* Tiles that no unit takes are the front end's to refuse. */
static void say_source(MatrixReport *report, const neso_diagnostics *found)
{
	const neso_diagnostic *first = neso_diagnostics_get(found, 0);
	bool refused = first && strcmp(first->code, "TILE_DOT_SMALL") == 0;
	say(report, refused ? MATRIX_REFUSED : MATRIX_COMPILE, "ttir", 0, "%s", first ? first->text : "no diagnostic");
}

/* By the front end, as a launch with these arguments would specialise it. NULL after a report. */
static char *to_ttir(const MatrixOptions *options, const Problem *p, MatrixReport *report)
{
	neso_context *context = NULL;
	neso_module *module = NULL;
	neso_kernel *kernel;
	neso_variant *variant;
	neso_diagnostics *found = NULL;
	char *text = NULL;
	Arena arena;
	Text s;
	arena_init(&arena, 0);
	text_init(&s, &arena);
	text_printf(&s, "*%s:16,*%s:16,*%s:16,*i32:16,*i32:16", p->kind->type, p->kind->type, p->kind->out_bytes == 8 ? "fp64" :
		    p->kind->dtype == NESO_INT8 ? "i32" : "fp32");
	const int64_t ints[] = {p->m, p->n, p->k, p->a.outer, p->a.inner, p->b.outer, p->b.inner};
	for (size_t i = 0; i < ARRAY_LEN(ints); i++)
		add_int(&s, ints[i]);
	text_printf(&s, ",%d,%d,%d,%s,%s,'%s',%s", (int)p->bm, (int)p->bn, (int)p->bk, p->masked ? "True" : "False",
		    p->indirect ? "True" : "False", p->kind->precision, p->kind->out);
	neso_compile_options how = {.size = sizeof how, .num_warps = p->warps};
	if (neso_context_new(NULL, &context, &found) != NESO_OK || neso_module_load_file(context, options->kernels, &module, &found) != NESO_OK ||
	    neso_module_find(module, "matmul", &kernel, &found) != NESO_OK ||
	    neso_kernel_compile(kernel, s.data, &how, &variant, &found) != NESO_OK ||
	    neso_variant_text(variant, "ttir", &text, &found) != NESO_OK)
		say_source(report, found);
	neso_diagnostics_free(found);
	neso_module_free(module);
	neso_context_free(context);
	arena_free(&arena);
	return text;
}

/* ---- through the simulator ---- */

static const char *difference(const Problem *p, const void *got)
{
	static _Thread_local char text[200];
	size_t count = (size_t)(p->m * p->n), bad = 0, first = 0;
	double value = 0;
	for (size_t i = count; i-- > 0;) {
		double v = p->kind->out_bytes == 8 ? ((const double *)got)[i] :
			   p->kind->dtype == NESO_INT8 ? ((const int32_t *)got)[i] : (double)((const float *)got)[i];
		if (v != (double)p->want[i])
			bad++, first = i, value = v;
	}
	if (!bad)
		return NULL;
	snprintf(text, sizeof text, "%zu of %zu differ, first [%zu, %zu]: %g, want %d", bad, count, first / (size_t)p->n, first % (size_t)p->n,
		 value, p->want[first]);
	return text;
}

static void simulate(const MatrixOptions *options, const Problem *p, const CodegenRequest *llir, MatrixReport *report)
{
	CodegenRequest request = *llir;
	CodegenSim *sim = NULL;
	request.to = CODEGEN_LLIR;
	CodegenResult *made = neso_codegen_table.sim_prepare(&request, &sim), *ran = NULL;
	if (!made || !made->ok) {
		say(report, MATRIX_RUN, request.target, request.num_stages, "%s", first_error(made));
		neso_codegen_table.free(made);
		return;
	}
	size_t bytes = (size_t)(p->m * p->n) * p->kind->out_bytes;
	void *out = room(bytes);
	memset(out, 0x7e, bytes);
	uint64_t args[16];
	size_t n = 0;
	void *const pointers[] = {p->a.memory, p->b.memory, out, p->rows, p->ks};
	for (size_t i = 0; i < ARRAY_LEN(pointers); i++)
		args[n++] = (uint64_t)(uintptr_t)pointers[i];
	const int64_t ints[] = {p->m, p->n, p->k, p->a.outer, p->a.inner, p->b.outer, p->b.inner};
	for (size_t i = 0; i < ARRAY_LEN(ints); i++)
		if (ints[i] != 1)
			args[n++] = (uint64_t)ints[i];
	const SimBuffer buffers[] = {{"a", p->a.memory, p->a.bytes, false}, {"b", p->b.memory, p->b.bytes, false},
					    {"c", out, bytes, true}, {"m", p->rows, p->row_bytes, false}, {"k", p->ks, p->k_bytes, false}};
	SimLaunch launch = {.args = args, .arg_count = n, .buffers = buffers, .buffer_count = ARRAY_LEN(buffers),
				   .grid = {p->grid, 1, 1}, .threads = 1, .check = options->check, .seed = p->g->hash & 3};
	const char *wrong = NULL;
	ran = neso_codegen_table.sim_launch(sim, &launch);
	if (!ran || !ran->ok)
		say(report, MATRIX_RUN, request.target, request.num_stages, "%s", first_error(ran));
	else if ((wrong = difference(p, out)) != NULL)
		say(report, MATRIX_WRONG, request.target, request.num_stages, "%s", wrong);
	else
		report->count[MATRIX_OK]++;
	report->simulated++;
	neso_codegen_table.free(ran);
	neso_codegen_table.free(made);
	neso_codegen_table.sim_free(sim);
	free(out);
}

/* ---- through ptxas ---- */

static void assemble(const CodegenRequest *request, const CodegenResult *made, MatrixReport *report)
{
	Arena arena;
	DiagList diags;
	NvCubin cubin;
	arena_init(&arena, 0);
	diag_init(&diags, &arena, NULL);
	NvTools *tools = nv_tools_new(NULL);
	NvAssemble how = {.target = target_find(request->target), .kernel = made->kernel};
	Str ptx = {made->stage[CODEGEN_PTX].data, made->stage[CODEGEN_PTX].len};
	if (!nv_assemble(tools, ptx, &how, &cubin, &diags)) {
		say(report, MATRIX_PTXAS, request->target, request->num_stages, "%s", diags.first ? diags.first->text : "no diagnostic");
	} else {
		report->assembled++;
		if (cubin.spill_stores) {
			int n = snprintf(report->text + report->len, sizeof report->text - report->len,
					 "NOTE spills %s warps=%u target=%s stages=%u: %u registers, %u bytes stored\n", report->key,
					 report->warps, request->target, request->num_stages, cubin.registers, cubin.spill_stores);
			report->len += n > 0 && (size_t)n < sizeof report->text - report->len ? (size_t)n : 0;
			report->spilled++;
		}
	}
	nv_cubin_free(&cubin);
	nv_tools_free(tools);
	arena_free(&arena);
}

/* ---- all of it ---- */

typedef struct Seen {
	uint64_t hashes[MATRIX_TARGETS * MATRIX_STAGES];
	unsigned count;
	bool refused; /* at the stage before */
} Seen;

/* Of the text but for what names the target and the stages. */
static bool is_new(Seen *seen, Str llir)
{
	uint64_t h = UINT64_C(1469598103934665603);
	for (size_t i = 0; i < llir.len; i++) {
		if ((i == 0 || llir.ptr[i - 1] == '\n') && (llir.ptr[i] == ';' || strncmp(llir.ptr + i, "attributes", 10) == 0))
			while (i + 1 < llir.len && llir.ptr[i] != '\n')
				i++;
		h = (h ^ (uint8_t)llir.ptr[i]) * UINT64_C(1099511628211);
	}
	for (unsigned i = 0; i < seen->count; i++)
		if (seen->hashes[i] == h)
			return false;
	seen->hashes[seen->count++] = h;
	return true;
}

/* What does not compile. A tile may be too large for a target, but then it is at one stage too. */
static void say_refused(const Problem *p, const CodegenRequest *request, const CodegenResult *made, Seen *seen, MatrixReport *report)
{
	bool refused = strcmp(first_diag(made)->code, "SHARED_MEMORY") == 0 &&
		       (request->num_stages == 1 || seen->refused || !p->g->stages[1]);
	seen->refused = refused;
	say(report, refused ? MATRIX_REFUSED : MATRIX_COMPILE, request->target, request->num_stages, "%s", first_error(made));
}

/* PTX is made where the LLIR is new, and of some that is not. */
static void one(const MatrixOptions *options, Problem *p, const char *ttir, const char *target, unsigned stages, Seen *seen,
		MatrixReport *report)
{
	CodegenRequest request = {.from = CODEGEN_TTIR, .to = CODEGEN_LLIR, .text = ttir, .len = strlen(ttir), .path = "matmul.py",
				  /* Maps are not made here: test_pointer_maps.py has them. */
				  .no_maps = true,
				  .kernel = "matmul", .target = target, .num_warps = p->warps, .num_ctas = 1, .num_stages = stages,
				  .fp_fusion = true, .no_locations = true};
	CodegenResult *made = neso_codegen_table.compile(&request), *ptx = NULL;
	if (!made || !made->ok) {
		say_refused(p, &request, made, seen, report);
		neso_codegen_table.free(made);
		return;
	}
	bool new = is_new(seen, (Str){made->stage[CODEGEN_LLIR].data, made->stage[CODEGEN_LLIR].len});
	bool assembled = options->ptxas && next(&p->random) % options->ptxas == 0;
	request.from = CODEGEN_LLIR;
	request.text = made->stage[CODEGEN_LLIR].data;
	request.len = made->stage[CODEGEN_LLIR].len;
	request.to = CODEGEN_PTX;
	if (new || assembled || below(p, 8) == 0)
		ptx = neso_codegen_table.compile(&request);
	if (ptx && !ptx->ok)
		say(report, MATRIX_COMPILE, target, stages, "%s", first_error(ptx));
	else if (new)
		simulate(options, p, &request, report);
	else
		report->count[MATRIX_OK]++;
	if (assembled && ptx && ptx->ok)
		assemble(&request, ptx, report);
	neso_codegen_table.free(ptx);
	neso_codegen_table.free(made);
}

void matrix_run(const MatrixOptions *options, const MatrixGroup *g, MatrixReport *report)
{
	Problem p = {.g = g};
	Seen seen = {.count = 0};
	*report = (MatrixReport){.len = 0};
	matrix_key(g, report->key, sizeof report->key);
	make_problem(&p);
	report->warps = p.warps;
	char *ttir = to_ttir(options, &p, report);
	unsigned cases = 0;
	for (unsigned i = 0; i < MATRIX_TARGETS * (MATRIX_STAGES + 1); i++)
		cases += g->target[i % MATRIX_TARGETS] && g->stages[i / MATRIX_TARGETS];
	unsigned wanted = options->each && options->each < cases ? options->each : cases;
	for (unsigned t = 0; t < MATRIX_TARGETS && ttir; t++, seen.refused = false)
		for (unsigned s = 1; s <= MATRIX_STAGES; s++)
			if (g->target[t] && g->stages[s] && below(&p, cases--) < wanted && wanted--)
				one(options, &p, ttir, matrix_targets[t], s, &seen, report);
	neso_text_free(ttir);
	free_problem(&p);
}
