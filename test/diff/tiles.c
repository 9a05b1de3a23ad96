/* Products of all tiles of a CTA in one loop, which counts the steps of each tile itself, as whole
 * programs: what is random is how it counts, where a tile's place is found, what goes from step to
 * step and from tile to tile, what the last step does, and how many steps are left over. For
 * nest-loops, which makes two loops of most of them; of some it must not. Sums of whole numbers
 * that stay exact have one result. */
#define _DEFAULT_SOURCE
#include <stdarg.h>
#include <string.h>

#include "diff.h"

/* The counter goes up at the step's start, at its end, or is the rest of the loop's. */
enum Count { FIRST, LAST, REST };
enum Loads { PLAIN, CARRIED, DESCRIPTORS };

typedef struct Tiles {
	Random r;
	Case *c;
	FILE *out;
	neso_dtype type, result;
	int m, n, k, bm, bn, bk, ctas;
	enum Count count;
	enum Loads loads;
	bool branch, fresh, bias, seen, left, writes;
} Tiles;

static bool chance(Tiles *t, int of) { return random_below(&t->r, of) == 0; }

static void line(Tiles *t, int depth, const char *format, ...)
{
	va_list args;
	fprintf(t->out, "%*s", 4 * depth, "");
	va_start(args, format);
	vfprintf(t->out, format, args);
	va_end(args);
	fputc('\n', t->out);
}

static void choose(Tiles *t)
{
	static const neso_dtype types[] = {NESO_FP16, NESO_FP16, NESO_BF16, NESO_FP32, NESO_INT8};
	t->type = types[random_below(&t->r, 5)];
	t->result = t->type == NESO_INT8 ? NESO_INT32 : t->type == NESO_FP32 ? NESO_FP32 : NESO_FP16;
	t->bm = random_pick(&t->r, 3, 64, 64, 128);
	t->bn = random_pick(&t->r, 3, 32, 64, 128);
	t->bk = random_pick(&t->r, 2, 32, 64);
	t->m = t->bm * (1 + random_below(&t->r, 3)) - random_pick(&t->r, 3, 0, 0, 16);
	t->n = t->bn * (1 + random_below(&t->r, 3)) - random_pick(&t->r, 3, 0, 0, 16);
	t->k = t->bk * (1 + random_below(&t->r, 4)) - random_pick(&t->r, 3, 0, 0, 16);
	t->count = (enum Count)random_below(&t->r, 3);
	t->loads = (enum Loads)random_below(&t->r, 3);
	t->loads = t->loads == CARRIED && t->count == REST ? PLAIN : t->loads;
	t->branch = chance(t, 2);
	t->fresh = t->count != LAST && chance(t, 3);
	t->bias = chance(t, 3);
	t->seen = chance(t, 3);
	t->left = chance(t, 8);
	t->writes = chance(t, 8);
	t->ctas = t->left || t->writes ? 1 : random_pick(&t->r, 3, 1, 2, 3);
}

static void print_place(Tiles *t, int depth)
{
	line(t, depth, "row, column = tile // columns * %d, tile %% columns * %d", t->bm, t->bn);
	if (t->loads != CARRIED)
		return;
	line(t, depth, "xs = a + (row + i)[:, None] * K + k[None, :]");
	line(t, depth, "ys = b + k[:, None] * N + (column + j)[None, :]");
}

static void print_front(Tiles *t)
{
	line(t, 0, "import triton\nimport triton.language as tl\n\n\n@triton.jit");
	line(t, 0, "def kernel(a, b, c, d, e, M, N, K, MORE):");
	line(t, 1, "rows, columns = tl.cdiv(M, %d), tl.cdiv(N, %d)", t->bm, t->bn);
	line(t, 1, "i, j, k = tl.arange(0, %d), tl.arange(0, %d), tl.arange(0, %d)", t->bm, t->bn, t->bk);
	if (t->loads == DESCRIPTORS) {
		line(t, 1, "da = tl.make_tensor_descriptor(a, [M, K], [K, 1], [%d, %d])", t->bm, t->bk);
		line(t, 1, "db = tl.make_tensor_descriptor(b, [K, N], [N, 1], [%d, %d])", t->bk, t->bn);
		line(t, 1, "dc = tl.make_tensor_descriptor(c, [M, N], [N, 1], [%d, %d])", t->bm, t->bn);
	}
	line(t, 1, "steps, own = tl.cdiv(K, %d), rows * columns // %d", t->bk, t->ctas);
	line(t, 1, "if tl.program_id(0) < rows * columns %% %d:\n        own += 1", t->ctas);
	line(t, 1, "tile = tl.program_id(0)%s", t->count == FIRST ? " - tl.num_programs(0)" : "");
	line(t, 1, "ki, seen, row, column = %s, 0, 0, 0", t->count == FIRST ? "-1" : "0");
	if (t->count != FIRST || t->loads == CARRIED)
		print_place(t, 1);
	line(t, 1, "acc = tl.zeros((%d, %d), tl.%s)", t->bm, t->bn,
	     t->type == NESO_INT8 ? "int32" : "float32");
}

static void print_loads(Tiles *t)
{
	if (t->loads == DESCRIPTORS) {
		line(t, 2, "x, y = da.load([row, ki * %d]), db.load([ki * %d, column])", t->bk, t->bk);
		return;
	}
	bool carried = t->loads == CARRIED;
	line(t, 2, "at = ki * %d", t->bk);
	line(t, 2, "x = tl.load(%s, mask=((row + i)[:, None] < M) & (k[None, :] < K - at), other=0)",
	     carried ? "xs" : "a + (row + i)[:, None] * K + (at + k)[None, :]");
	line(t, 2, "y = tl.load(%s, mask=((column + j)[None, :] < N) & (k[:, None] < K - at), other=0)",
	     carried ? "ys" : "b + (at + k)[:, None] * N + (column + j)[None, :]");
	if (carried) {
		line(t, 2, "xs += %d", t->bk);
		line(t, 2, "ys += %d * N", t->bk);
	}
}

/* What the step at the end of a tile does: the branch that it is in is printed before. */
static void print_last(Tiles *t)
{
	static const char at[] = "c + (row + i)[:, None] * N + (column + j)[None, :]",
			  mask[] = "mask=((row + i)[:, None] < M) & ((column + j)[None, :] < N)";
	if (t->bias)
		line(t, 3, "acc += tl.load(d + column + j, mask=column + j < N, other=0)[None, :]");
	if (t->seen)
		line(t, 3, "acc += (seen & 3).to(acc.dtype)");
	if (t->loads == DESCRIPTORS && chance(t, 2))
		line(t, 3, "dc.store([row, column], acc.to(c.dtype.element_ty))");
	else
		line(t, 3, "tl.store(%s, acc.to(c.dtype.element_ty), %s)", at, mask);
	if (!t->fresh)
		line(t, 3, "acc = tl.zeros_like(acc)");
}

static void print_next(Tiles *t, int depth)
{
	line(t, depth, "tile += tl.num_programs(0)");
	print_place(t, depth);
}

static void print_loop(Tiles *t)
{
	static const char *const counts[] = {"tl.where(ki == steps - 1, 0, ki + 1)",
					     "0 if ki == steps - 1 else ki + 1"};
	line(t, 1, "for step in tl.range(0, steps * own + MORE%s):", chance(t, 3) ? ", flatten=True" : "");
	if (t->count == FIRST)
		line(t, 2, "ki = %s", counts[t->branch]);
	if (t->count == REST) {
		line(t, 2, "ki = step %% steps");
		line(t, 2, "tile = tl.program_id(0) + step // steps * tl.num_programs(0)");
		print_place(t, 2);
	}
	if (t->count == FIRST) {
		line(t, 2, "if ki == 0:");
		print_next(t, 3);
	}
	print_loads(t);
	line(t, 2, "acc = tl.dot(x, y, %s, out_dtype=tl.%s)",
	     t->fresh ? "tl.where(ki == 0, tl.zeros_like(acc), acc)" : "acc",
	     t->type == NESO_INT8 ? "int32" : "float32");
	if (t->seen)
		line(t, 2, "seen += tl.load(e + ki %% 8) + tile");
	if (t->writes)
		line(t, 2, "tl.store(e + 8 + ki %% 8, seen)");
	if (t->count != LAST) {
		line(t, 2, "if ki == steps - 1:");
		print_last(t);
		return;
	}
	line(t, 2, t->branch ? "if ki + 1 == steps:" : "ki += 1\n        if ki == steps:");
	print_last(t);
	line(t, 3, "ki = 0");
	print_next(t, 3);
	if (t->branch)
		line(t, 2, "else:\n            ki += 1");
}

void tiles_make(Case *c, uint64_t seed)
{
	Tiles t = {.r = {seed}, .c = c};
	size_t size;
	memset(c, 0, sizeof *c);
	choose(&t);
	c->grid = (uint32_t)t.ctas;
	c->num_warps = (uint32_t)random_pick(&t.r, 3, 4, 4, 8);
	c->num_stages = (uint32_t)(1 + random_below(&t.r, 4));
	c->schedules = random_below(&t.r, 4) ? 1 : 2;
	c->fused = true;
	case_buffer(t.c, &t.r, "a", t.type, t.m * t.k, -2, 3);
	case_buffer(t.c, &t.r, "b", t.type, t.k * t.n, -2, 3);
	case_buffer(t.c, &t.r, "c", t.result, t.m * t.n, -2, 3);
	case_buffer(t.c, &t.r, "d", t.result, t.n, -2, 3);
	case_buffer(t.c, &t.r, "e", NESO_INT32, 16, -2, 3);
	case_number(t.c, "M", t.m);
	case_number(t.c, "N", t.n);
	case_number(t.c, "K", t.k);
	case_number(t.c, "MORE", random_pick(&t.r, 6, 0, 0, -1, -3, 1, 5));
	t.out = open_memstream(&c->text, &size);
	print_front(&t);
	print_loop(&t);
	if (t.left)
		line(&t, 1, "tl.store(e + 15, ki + seen)");
	fclose(t.out);
}
