/* Loops with one counter over the tiles of a program and over the parts of each tile, as whole
 * programs: how the counter goes round, where the next tile begins, what is carried over from tile
 * to tile, where a tile is stored, and loops that begin or end in the middle of a tile. Where a
 * program stores what it loads, it is alone. Sums of whole numbers that stay exact have one
 * result. */
#define _DEFAULT_SOURCE
#include <string.h>

#include "writer.h"

enum { BY_WHERE, BY_CHOICE, BY_BRANCH, BY_REMAINDER, BY_QUOTIENT, DOWNWARDS, COUNTERS };
enum { ZERO_BEHIND, ZERO_BEFORE, ZERO_BOTH, BY_SELECT, BIAS_BEFORE, NEVER, RESETS };
enum { IN_PLACE, CARRIED_ROWS, CARRIED_POINTERS, DESCRIPTORS, WAYS };

typedef struct Cycle {
	Writer w;
	neso_dtype type, result;
	const char *sum; /* the type that products are summed in */
	int bm, bn, bk, m, n, k, programs;
	int counter, reset, way;
	int order; /* of tiles: groups of rows, rows, columns */
	bool whole; /* no tile passes the end */
	bool varying; /* each tile has a number of parts of its own */
	bool from; /* the first tile begins with a later part */
	bool rest; /* the loop ends within a tile */
	bool wraps; /* rows beyond the end are the first one */
	bool usual; /* as such loops mostly are: nothing else is stored, and nothing behind it */
	bool a_turned, b_turned, alone, second, side, leaves;
} Cycle;

static void choose(Cycle *c)
{
	static const neso_dtype types[] = {NESO_FP16, NESO_FP16, NESO_BF16, NESO_FP32, NESO_INT8, NESO_FP8E5};
	Writer *w = &c->w;
	Random *r = &w->r;
	c->type = types[random_below(r, 6)];
	c->result = c->type == NESO_INT8 ? NESO_INT32 : chance(w, 2) ? NESO_FP32 : NESO_FP16;
	c->sum = c->type == NESO_INT8 ? "int32" : "float32";
	c->bm = random_pick(r, 5, 64, 64, 64, 128, 16);
	c->bn = random_pick(r, 5, 16, 32, 64, 64, 128);
	c->bk = random_pick(r, 3, 32, 64, 64);
	c->whole = chance(w, 3);
	c->m = c->bm * (1 + random_below(r, 3)) - (c->whole ? 0 : random_pick(r, 3, 0, 0, 5));
	c->n = c->bn * (1 + random_below(r, 2)) -
	       (c->whole ? 0 : random_pick(r, 3, 0, 0, c->bn > 16 ? 16 : 0));
	c->k = c->bk * random_pick(r, 6, 0, 1, 1, 2, 3, 4) + (c->whole ? 0 : random_pick(r, 3, 0, 16, 16));
	c->programs = random_pick(r, 6, 1, 1, 2, 2, 3, 5);
	c->usual = chance(w, 2);
	c->counter = random_below(r, c->usual ? DOWNWARDS : COUNTERS);
	c->reset = random_below(r, RESETS);
	c->order = random_below(r, 3);
	c->way = random_below(r, WAYS);
	bool counted = c->counter == BY_REMAINDER || c->counter == BY_QUOTIENT;
	c->varying = !c->usual && !counted && c->counter != DOWNWARDS && c->k > c->bk && chance(w, 5);
	c->from = !c->usual && !c->varying && c->k > c->bk && c->counter != BY_QUOTIENT && chance(w, 6);
	c->rest = chance(w, 4);
	c->wraps = !c->whole && chance(w, 2);
	c->a_turned = chance(w, 5);
	c->b_turned = chance(w, 2);
	c->alone = !c->usual && c->programs == 1 && chance(w, 3);
	c->second = c->bm * c->bn <= 4096 && chance(w, 8);
	c->side = chance(w, 3);
	c->leaves = !c->usual && chance(w, 10);
}

/* ---- the next tile ---- */

static void place(Cycle *c)
{
	Writer *w = &c->w;
	if (c->order == 0) {
		line(w, "first = tile // (2 * columns) * 2");
		line(w, "size = tl.maximum(min(rows - first, 2), 1)");
		line(w, "row = (first + tile %% (2 * columns) %% size) * %d", c->bm);
		line(w, "column = tile %% (2 * columns) // size * %d", c->bn);
	} else if (c->order == 1) {
		line(w, "row, column = tile // columns * %d, tile %% columns * %d", c->bm, c->bn);
	} else {
		line(w, "row, column = tile %% rows * %d, tile // rows * %d", c->bm, c->bn);
	}
}

static void rows_of_tile(Cycle *c)
{
	Writer *w = &c->w;
	if (!c->wraps) {
		line(w, "i, j = row + r, column + s");
	} else {
		line(w, "i = tl.where(row + r < M, row + r, 0)");
		line(w, "j = tl.where(column + s < N, column + s, 0)");
	}
}

static void pointers(Cycle *c, const char *part)
{
	Writer *w = &c->w;
	line(w,
	     c->a_turned ? "ap = a + i[:, None] + (%s * %d + k)[None, :] * M"
			 : "ap = a + i[:, None] * K + (%s * %d + k)[None, :]",
	     part, c->bk);
	line(w,
	     c->b_turned ? "bp = b + (%s * %d + k)[:, None] + j[None, :] * K"
			 : "bp = b + (%s * %d + k)[:, None] * N + j[None, :]",
	     part, c->bk);
}

static void zero(Cycle *c)
{
	line(&c->w, "acc = tl.zeros((%d, %d), tl.%s)", c->bm, c->bn, c->sum);
}

/* What the first part of a tile does first. */
static void begin_tile(Cycle *c)
{
	Writer *w = &c->w;
	if (c->counter != BY_QUOTIENT)
		line(w, "tile += step");
	place(c);
	if (c->varying)
		line(w, "parts = tl.load(q + tile)");
	if (c->way != IN_PLACE)
		rows_of_tile(c);
	if (c->way == CARRIED_POINTERS)
		pointers(c, c->counter == DOWNWARDS ? "(parts - 1)" : "0");
	if (c->reset == ZERO_BEFORE || c->reset == ZERO_BOTH)
		zero(c);
	if (c->reset == BIAS_BEFORE)
		line(w, "acc = tl.load(d + (column + s) %% N)[None, :].to(tl.%s) + tl.zeros((%d, %d), tl.%s)",
		     c->sum, c->bm, c->bn, c->sum);
	if (c->side && chance(w, 2))
		line(w, "side = tl.zeros((%d,), tl.float32)", c->bm);
}

/* ---- a tile is done ---- */

static const char at_c[] = "(row + r)[:, None] * N + (column + s)[None, :]";

static void store_tile(Cycle *c)
{
	Writer *w = &c->w;
	const char *mask = c->whole ? "" : ", mask=((row + r)[:, None] < M) & ((column + s)[None, :] < N)";
	line(w, "u = acc");
	switch (random_below(&w->r, 9)) {
	case 0: line(w, "u = tl.maximum(u, 0)"); break;
	case 1:
		line(w, "u += tl.load(d + column + s%s).to(u.dtype)[None, :]",
		     c->whole ? "" : ", mask=column + s < N, other=0");
		break;
	case 2: line(w, "u += tl.load(c + %s%s).to(u.dtype)", at_c, mask); break;
	case 3: line(w, "u += tl.sum(u, 1)[:, None]"); break;
	case 4: line(w, "u = u * (tile + 1)"); break;
	default: break;
	}
	if (c->second)
		line(w, "u += acc2");
	if (c->way == DESCRIPTORS && c->n * (int)neso_dtype_size(c->result) % 16 == 0 && chance(w, 2))
		line(w, "dc.store([row, column], u.to(c.dtype.element_ty))");
	else if (chance(w, 6))
		line(w, "tl.atomic_add(o + %s, u.to(tl.float32)%s)", at_c, mask);
	else if (chance(w, 5) && c->bn >= 32) {
		line(w, "u0, u1 = u.reshape(%d, 2, %d).permute(0, 2, 1).split()", c->bm, c->bn / 2);
		line(w, "h = tl.arange(0, %d)", c->bn / 2);
		for (int half = 0; half < 2; half++)
			line(w,
			     "tl.store(c + (row + r)[:, None] * N + (column + %d + h)[None, :], "
			     "u%d.to(c.dtype.element_ty), mask=((row + r)[:, None] < M) & ((column + %d + "
			     "h)[None, :] "
			     "< N))",
			     half * c->bn / 2, half, half * c->bn / 2);
	} else
		line(w, "tl.store(c + %s, u.to(c.dtype.element_ty)%s)", at_c, mask);
	if (c->side)
		line(w, "tl.store(v + tile * %d + r, side)", c->bm);
	if (c->reset == ZERO_BEHIND || c->reset == ZERO_BOTH)
		zero(c);
	if (c->second && chance(w, 2))
		line(w, "acc2 = tl.zeros((%d, %d), tl.%s)", c->bm, c->bn, c->sum);
	if (c->side && chance(w, 2))
		line(w, "side = tl.zeros((%d,), tl.float32)", c->bm);
	if (c->alone) {
		line(w, "tl.debug_barrier()");
		line(w,
		     "tl.store(a + %s, tl.full((%d, %d), 1, tl.float32).to(a.dtype.element_ty), mask=((row + "
		     "r + "
		     "OFF)[:, None] < M) & (k[None, :] < K))",
		     c->a_turned ? "(row + r + OFF)[:, None] + k[None, :] * M"
				 : "(row + r + OFF)[:, None] * K + k[None, :]",
		     c->bm, c->bk);
		line(w, "tl.debug_barrier()");
	}
	if (!c->usual && chance(w, 3))
		line(w, "done += %s", word(w, 3, "1", "tile", "ki + 1"));
}

/* ---- an iteration ---- */

static void count(Cycle *c)
{
	Writer *w = &c->w;
	switch (c->counter) {
	case BY_WHERE: line(w, "ki = tl.where(ki == parts - 1, 0, ki + 1)"); break;
	case BY_CHOICE: line(w, "ki = 0 if ki == parts - 1 else ki + 1"); break;
	case BY_BRANCH:
		line(w, "ki += 1");
		line(w, "if ki %s parts:", word(w, 2, ">=", "=="));
		line(w, "    ki = 0");
		break;
	case DOWNWARDS: line(w, "ki = tl.where(ki == 0, parts - 1, ki - 1)"); break;
	case BY_REMAINDER: line(w, c->from ? "ki = (t + FROM) %% parts" : "ki = t %% parts"); break;
	default:
		line(w, "ki = t %% parts");
		line(w, "tile = pid + t // parts * step");
		break;
	}
}

static const char *first_part(Cycle *c)
{
	if (c->counter == DOWNWARDS)
		return "ki == parts - 1";
	return c->usual ? "ki == 0" : word(&c->w, 3, "ki == 0", "ki == 0", "ki < 1");
}

static const char *last_part(Cycle *c)
{
	if (c->counter == DOWNWARDS)
		return "ki == 0";
	return c->usual ? "ki == parts - 1"
			: word(&c->w, 4, "ki == parts - 1", "ki == parts - 1", "ki + 1 == parts",
			       "ki >= parts - 1");
}

static void loads(Cycle *c)
{
	Writer *w = &c->w;
	if (c->way == DESCRIPTORS) {
		line(w, c->a_turned ? "x = da.load([at, row]).T" : "x = da.load([row, at])");
		line(w, c->b_turned ? "y = db.load([column, at]).T" : "y = db.load([at, column])");
		return;
	}
	const char *zero_text = c->whole ? "" : ", other=0";
	if (c->way == CARRIED_POINTERS) {
		const char *rows = c->wraps && chance(w, 2) ? "" : " & (i < M)[:, None]";
		line(w, "x = tl.load(ap%s%s%s)", c->whole ? "" : ", mask=(k < K - at)[None, :]",
		     c->whole ? "" : rows, zero_text);
		line(w, "y = tl.load(bp%s%s)",
		     c->whole ? "" : ", mask=(k[:, None] < K - at) & (j[None, :] < N)", zero_text);
		line(w, c->a_turned ? "ap %s %d * M" : "ap %s %d",
		     c->counter == DOWNWARDS ? "-=" : "+=", c->bk);
		line(w, c->b_turned ? "bp %s %d" : "bp %s %d * N",
		     c->counter == DOWNWARDS ? "-=" : "+=", c->bk);
		return;
	}
	line(w, "x = tl.load(a + %s%s%s)",
	     c->a_turned ? "i[:, None] + (at + k)[None, :] * M" : "i[:, None] * K + (at + k)[None, :]",
	     c->whole ? "" : ", mask=((at + k)[None, :] < K) & (i[:, None] < M)", zero_text);
	line(w, "y = tl.load(b + %s%s%s)",
	     c->b_turned ? "(at + k)[:, None] + j[None, :] * K" : "(at + k)[:, None] * N + j[None, :]",
	     c->whole ? "" : ", mask=((at + k)[:, None] < K) & (j[None, :] < N)", zero_text);
}

static void iteration(Cycle *c)
{
	Writer *w = &c->w;
	if (c->leaves) {
		line(w, "if tl.load(e + t %% 64) > 2:");
		line(w, "    break");
	}
	count(c);
	line(w, "if %s:", first_part(c));
	w->depth++;
	begin_tile(c);
	w->depth--;
	line(w, "at = ki * %d", c->bk);
	if (c->way == IN_PLACE)
		rows_of_tile(c);
	loads(c);
	if (chance(w, 5))
		line(w, "x = (x.to(tl.float32) + 1).to(a.dtype.element_ty)");
	if (c->reset == BY_SELECT)
		line(w, "acc = tl.where(%s, 0, acc)", first_part(c));
	line(w,
	     chance(w, 4) ? "acc += tl.dot(x, y, out_dtype=tl.%s)"
			  : "acc = tl.dot(x, y, acc, out_dtype=tl.%s)",
	     c->sum);
	if (c->second)
		line(w, "acc2 = tl.dot(x, (y + y).to(b.dtype.element_ty), acc2, out_dtype=tl.%s)", c->sum);
	if (c->side)
		line(w, "side += tl.sum(x.to(tl.float32), 1)");
	if (!c->usual && chance(w, 8))
		line(w, "tl.atomic_add(f, 1)");
	line(w, "if %s:", last_part(c));
	w->depth++;
	store_tile(c);
	w->depth--;
}

static void loop(Cycle *c)
{
	Writer *w = &c->w;
	const char *total = c->rest ? "total - REST" : "total";
	if (chance(w, 2))
		line(w, "for t in range(0, %s):", total);
	else
		line(w, "for t in tl.range(0, %s, num_stages=%d%s):", total, 1 + random_below(&w->r, 4),
		     word(w, 6, "", "", "", ", warp_specialize=True", ", flatten=True",
			  ", disallow_acc_multi_buffer=True"));
	w->depth++;
	iteration(c);
	w->depth--;
}

/* The values that the loop starts with. */
static void start(Cycle *c)
{
	Writer *w = &c->w;
	line(w, "mine = tiles // step");
	line(w, "if pid < tiles %% step:");
	line(w, "    mine += 1");
	if (c->varying) {
		line(w, "g = tl.arange(0, 16)");
		line(w, "total = tl.sum(tl.load(q + pid + g * step, mask=g < mine, other=0))");
	} else {
		line(w, c->from ? "total = parts * mine - FROM" : "total = parts * mine");
	}
	bool before = c->from || c->counter == BY_QUOTIENT; /* the first tile is there at once */
	line(w, before ? "tile = pid" : "tile = pid - step");
	if (c->from)
		place(c);
	else
		line(w, "row, column = 0, 0");
	rows_of_tile(c);
	if (c->counter == DOWNWARDS)
		line(w, c->from ? "ki = parts - FROM" : "ki = 0");
	else
		line(w, c->from ? "ki = FROM - 1" : "ki = -1");
	if (c->way == CARRIED_POINTERS)
		pointers(c, !c->from ? "0" : c->counter == DOWNWARDS ? "(parts - FROM - 1)" : "FROM");
	zero(c);
	if (c->second)
		line(w, "acc2 = tl.zeros((%d, %d), tl.%s)", c->bm, c->bn, c->sum);
	if (c->side)
		line(w, "side = tl.zeros((%d,), tl.float32)", c->bm);
	line(w, "done = 0");
}

static void describe(Cycle *c, const char *name, bool turned, const char *rows, const char *columns, int side,
		     int other)
{
	line(&c->w, "d%s = tl.make_tensor_descriptor(%s, [%s, %s], [%s, 1], [%d, %d])", name, name,
	     turned ? columns : rows, turned ? rows : columns, turned ? rows : columns, turned ? other : side,
	     turned ? side : other);
}

static void kernel(Cycle *c)
{
	Writer *w = &c->w;
	fputs("import triton\nimport triton.language as tl\n\n\n@triton.jit\n"
	      "def kernel(a, b, c, d, e, f, o, v, q, M, N, K, FROM, REST, OFF):\n",
	      w->out);
	w->depth = 1;
	line(w, "pid, step = tl.program_id(0), tl.num_programs(0)");
	line(w, "rows, columns = tl.cdiv(M, %d), tl.cdiv(N, %d)", c->bm, c->bn);
	line(w, "tiles, parts = rows * columns, tl.cdiv(K, %d)", c->bk);
	line(w, "r, s, k = tl.arange(0, %d), tl.arange(0, %d), tl.arange(0, %d)", c->bm, c->bn, c->bk);
	if (c->way == DESCRIPTORS) {
		describe(c, "a", c->a_turned, "M", "K", c->bm, c->bk);
		describe(c, "b", c->b_turned, "K", "N", c->bk, c->bn);
		if (c->n * (int)neso_dtype_size(c->result) % 16 == 0)
			describe(c, "c", false, "M", "N", c->bm, c->bn);
	}
	start(c);
	loop(c);
	if (!c->usual && (c->rest || c->leaves || chance(w, 3))) {
		line(w, "if %s:", word(w, 3, "total > 0", "ki != parts - 1", "ki > 0"));
		line(w,
		     "    tl.atomic_add(o + %s, acc.to(tl.float32), mask=((row + r)[:, None] < M) & ((column "
		     "+ s)[None, "
		     ":] < N))",
		     at_c);
	}
	line(w, "tl.store(e + 64 + pid, done)");
}

void cycle_make(Case *c, uint64_t seed)
{
	Cycle p = {.w = {.r = {seed}, .c = c}};
	Random *r = &p.w.r;
	size_t size;
	memset(c, 0, sizeof *c);
	choose(&p);
	if (p.way == DESCRIPTORS) { /* rows of whole 16 bytes */
		p.m = (p.m + 15) / 16 * 16;
		p.n = (p.n + 15) / 16 * 16;
		p.k = p.k ? p.k : 16;
	}
	int parts = (p.k + p.bk - 1) / p.bk;
	int tiles = (p.m + p.bm - 1) / p.bm * ((p.n + p.bn - 1) / p.bn),
	    all = (p.m + 2 * p.bm) * (p.n + 2 * p.bn);
	c->grid = (uint32_t)p.programs;
	c->num_warps = (uint32_t)random_pick(r, 5, 4, 4, 4, 8, 2);
	c->num_stages = (uint32_t)(1 + random_below(r, 4));
	c->schedules = chance(&p.w, 4) ? 2 : 1;
	c->ctas = (uint32_t)random_pick(r, 8, 1, 1, 1, 1, 1, 1, 2, 4);
	c->fused = true;
	c->plain = chance(&p.w, 8);
	case_buffer(c, r, "a", p.type, p.m * p.k + 16, -2, 3);
	case_buffer(c, r, "b", p.type, p.n * p.k + 16, -2, 3);
	case_buffer(c, r, "c", p.result, all, -2, 3);
	case_buffer(c, r, "d", p.result, p.n + p.bn, -2, 3);
	case_buffer(c, r, "e", NESO_INT32, 64 + 8, 0, 3);
	case_buffer(c, r, "f", NESO_INT32, 1, 0, 0);
	case_buffer(c, r, "o", NESO_FP32, all, -2, 3);
	case_buffer(c, r, "v", NESO_FP32, (tiles + 1) * p.bm, 0, 0);
	case_buffer(c, r, "q", NESO_INT32, tiles + 16 * p.programs, 1, parts > 1 ? parts : 1);
	case_number(c, "M", p.m);
	case_number(c, "N", p.n);
	case_number(c, "K", p.k);
	case_number(c, "FROM", p.from ? 1 + random_below(r, parts - 1) : 0);
	case_number(c, "REST", p.rest ? random_below(r, parts + 1) : 0);
	case_number(c, "OFF", random_pick(r, 2, p.bm, p.bm / 2));
	p.w.out = open_memstream(&c->text, &size);
	kernel(&p);
	fclose(p.w.out);
}
