/* Loops of products with what may stand beside them, as whole programs: how a loop counts, how its
 * tiles are addressed, masked and made ready, what else it loads, stores and decides, what is
 * around it and behind it. Where a program stores what it loads, it has memory of its own. Sums of
 * whole numbers that stay exact have one result. */
#define _DEFAULT_SOURCE
#include <stdarg.h>
#include <string.h>

#include "diff.h"

enum { COUNTS, STEPS, STAGES, DOWN, WHILE, POINTERS, LOOP_KINDS };
enum { ONE_TILE, TILES, TWICE, ACROSS, PARTS, OUTER_KINDS };
enum { BOUNDS, WRAPS, LEAST, WHOLE, MASK_KINDS };

typedef struct Loop {
	Random r;
	Case *c;
	FILE *out;
	neso_dtype type, result;
	int m, n, k, bm, bn, bk, la, lb, lc, most; /* most: the largest of sizes */
	int kind, outer, masks, from;
	bool a_turned, b_turned, descriptors, alone, chained, bytes, rows, blocks, wide;
	bool hoisted; /* the first operand is loaded in front of the loop */
	bool stored; /* something that is loaded again, or stored */
} Loop;

static bool chance(Loop *p, int of)
{
	return !random_below(&p->r, of);
}

static const char *word(Loop *p, int count, ...)
{
	va_list list;
	const char *value = "";
	va_start(list, count);
	for (int at = random_below(&p->r, count); at >= 0; at--)
		value = va_arg(list, const char *);
	va_end(list);
	return value;
}

static int largest(int a, int b)
{
	return a > b ? a : b;
}

static void choose(Loop *p)
{
	static const neso_dtype types[] = {NESO_FP16, NESO_FP16, NESO_BF16, NESO_BF16,
					   NESO_FP32, NESO_INT8, NESO_FP8E5};
	p->type = types[random_below(&p->r, 7)];
	p->result = p->type == NESO_INT8 ? NESO_INT32 : chance(p, 2) ? NESO_FP32 : NESO_FP16;
	p->bm = random_pick(&p->r, 4, 64, 64, 128, 16);
	p->bn = random_pick(&p->r, 4, 16, 32, 64, 128);
	p->bk = random_pick(&p->r, 3, 32, 64, 128);
	p->masks = random_pick(&p->r, 6, BOUNDS, BOUNDS, WRAPS, LEAST, WHOLE, WHOLE);
	bool whole = p->masks == WHOLE;
	p->m = p->bm * (1 + random_below(&p->r, 2)) - (whole ? 0 : random_pick(&p->r, 3, 0, 0, 5));
	p->n = p->bn * (1 + random_below(&p->r, 2)) -
	       (whole ? 0 : random_pick(&p->r, 3, 0, 0, p->bn > 16 ? 16 : 0));
	p->k = p->bk * random_below(&p->r, 5) + (whole ? 0 : random_pick(&p->r, 3, 0, 16, 32));
	p->k = p->k ? p->k : whole ? p->bk : 16;
	p->kind = random_below(&p->r, LOOP_KINDS);
	p->outer = random_pick(&p->r, 8, ONE_TILE, ONE_TILE, ONE_TILE, TILES, TILES, TWICE, ACROSS, PARTS);
	p->a_turned = chance(p, 4);
	p->b_turned = chance(p, 2);
	p->descriptors = p->kind != POINTERS && chance(p, 4);
	p->blocks = !p->descriptors && chance(p, 6); /* block pointers */
	p->wide = chance(p, 6); /* offsets of 64 bits */
	p->alone = p->outer == ACROSS || chance(p, 3); /* it may store what it loads */
	if (p->alone) {
		p->m = p->m > p->bm ? p->bm : p->m;
		p->n = p->n > p->bn ? p->bn : p->n;
	}
	p->bytes =
		p->type != NESO_INT8 && p->type != NESO_FP8E5 && p->type != NESO_FP32 && chance(p, 6);
	p->rows = chance(p, 4); /* of programs: the grid has a second axis */
	int pad = random_pick(&p->r, 4, 0, 0, 16, 8);
	p->la = (p->a_turned ? p->m : p->k) + pad;
	p->lb = (p->b_turned ? p->k : p->n) + random_pick(&p->r, 3, 0, 0, 16);
	p->lc = p->n + random_pick(&p->r, 3, 0, 0, 16);
	p->most = largest(largest(p->m, p->n), largest(p->k, 64)) + 256;
}

/* ---- a line ---- */

static int depth;

static void line(Loop *p, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	for (int i = 0; i < depth; i++)
		fputs("    ", p->out);
	vfprintf(p->out, format, list);
	putc('\n', p->out);
	va_end(list);
}

/* ---- loads ---- */

static const char *type_name(neso_dtype t)
{
	switch (t) {
	case NESO_FP16: return "tl.float16";
	case NESO_BF16: return "tl.bfloat16";
	case NESO_FP32: return "tl.float32";
	case NESO_INT8: return "tl.int8";
	case NESO_FP8E5: return "tl.float8e5";
	default: return "tl.int32";
	}
}

static const char *hint(Loop *p)
{
	return word(p, 10, "", "", "", "", "", "", ", cache_modifier='.cg'", ", cache_modifier='.ca'",
		    ", eviction_policy='evict_first'", ", eviction_policy='evict_last'");
}

static void describe(Loop *p, const char *name, bool turned, const char *rows, const char *columns,
		     const char *lead, int side, int other)
{
	line(p, "d%s = tl.make_tensor_descriptor(%s, [%s, %s], [%s, 1], [%d, %d])", name, name,
	     turned ? columns : rows, turned ? rows : columns, lead, turned ? other : side,
	     turned ? side : other);
}

static void block(Loop *p, const char *to, const char *of, const char *shape, bool turned,
		  const char *lead, const char *at, int rows, int columns)
{
	line(p, "%s = tl.make_block_ptr(%s, (%s), (%s, %s), (%s), (%d, %d), (%s))", to, of, shape,
	     turned ? "1" : lead, turned ? lead : "1", at, rows, columns, turned ? "0, 1" : "1, 0");
}

static void load_a(Loop *p)
{
	const char *step = p->a_turned ? (p->wide ? "i[:, None] + (at + k).to(tl.int64)[None, :] * LA"
						  : "i[:, None] + (at + k)[None, :] * LA")
			   : p->wide   ? "i[:, None].to(tl.int64) * LA + (at + k)[None, :]"
				       : "i[:, None] * LA + (at + k)[None, :]";
	const char *other = chance(p, 6) ? ", other=1" : chance(p, 2) ? ", other=0" : ", other=0.0";
	other = p->type == NESO_INT8 || p->type == NESO_FP8E5 ? ", other=0" : other;
	if (p->descriptors)
		line(p, p->a_turned ? "x = da.load([at, row]).T" : "x = da.load([row, at])");
	else if (p->blocks) {
		if (p->kind != POINTERS)
			block(p, "ap", "a", "M, K", p->a_turned, "LA", "row, at", p->bm, p->bk);
		line(p, "x = tl.load(ap%s%s)",
		     p->masks == WHOLE ? "" : ", boundary_check=(0, 1), padding_option='zero'",
		     hint(p));
	} else if (p->kind == POINTERS && p->masks == WHOLE)
		line(p, "x = tl.load(ap%s)", hint(p));
	else if (p->kind == POINTERS)
		line(p, "x = tl.load(ap, mask=(k < K - at)[None, :]%s%s%s)",
		     p->masks == BOUNDS ? " & (i < M)[:, None]" : "", other, hint(p));
	else if (p->masks == WHOLE)
		line(p, "x = tl.load(a + %s%s)", step, hint(p));
	else
		line(p, "x = tl.load(a + %s, mask=%s((at + k)[None, :] < K)%s%s)", step,
		     p->masks == BOUNDS ? "(i[:, None] < M) & " : "", other, hint(p));
}

static void load_b(Loop *p, const char *to, const char *at)
{
	const char *mask = p->masks == WHOLE ? ""
			   : p->masks == BOUNDS
				   ? "mask=((AT + k)[:, None] < K) & (j[None, :] < N), other=0"
				   : "mask=((AT + k)[:, None] < K), other=0";
	char text[200], *out = text;
	for (const char *s = mask; *s; s++)
		if (strncmp(s, "AT", 2) == 0) {
			out = stpcpy(out, at);
			s++;
		} else {
			*out++ = *s;
		}
	*out = '\0';
	if (p->blocks) {
		char where[40];
		snprintf(where, sizeof where, "%s, column", at);
		block(p, "bp", "b", "K, N", p->b_turned, "LB", where, p->bk, p->bn);
		line(p, "%s = tl.load(bp%s%s)", to,
		     p->masks == WHOLE ? "" : ", boundary_check=(0, 1), padding_option='zero'",
		     hint(p));
	} else if (p->descriptors)
		line(p, p->b_turned ? "%s = db.load([column, %s]).T" : "%s = db.load([%s, column])",
		     p->b_turned ? to : to, at);
	else
		line(p, "%s = tl.load(b + (%s + k)[:, None] * %s + j[None, :] * %s%s%s%s)", to, at,
		     p->b_turned ? "1" : "LB", p->b_turned ? "LB" : "1", *text ? ", " : "", text,
		     hint(p));
}

/* What is done to an operand on its way. */
static void ready(Loop *p, const char *v, bool rows)
{
	const char *type = type_name(p->type), *as = p->type == NESO_FP8E5 ? ".to(tl.float32)" : "";
	switch (random_below(&p->r, 14)) {
	case 0: line(p, "%s = (%s%s * 2).to(%s)", v, v, as, type); break;
	case 1: line(p, "%s = tl.where(%s%s > 0, %s%s, 0).to(%s)", v, v, as, v, as, type); break;
	case 2: line(p, "%s = (%s%s + 1).to(%s)", v, v, as, type); break;
	case 3:
		line(p, "%s = (%s%s * tl.load(e + (at + k) // 16 %% 64)%s.to(tl.float32)).to(%s)", v, v,
		     as, rows ? "[None, :]" : "[:, None]", type);
		break;
	case 4: line(p, "%s = (%s%s * tl.load(e + at // 32 %% 64)).to(%s)", v, v, as, type); break;
	case 5: line(p, "%s = (%s.to(tl.float32) * (at %% 3)).to(%s)", v, v, type); break;
	default: break;
	}
}

/* ---- what else an iteration does ---- */

static void beside(Loop *p)
{
	int which = random_below(&p->r, 16);
	p->stored |= which == 2 || which == 7 || which == 8;
	switch (which) {
	case 0: line(p, "tl.atomic_add(f + tl.arange(0, 16), 1)"); break;
	case 1: line(p, "tl.atomic_add(f, tl.sum(tl.where(x.to(tl.float32) > 0, 1, 0)))"); break;
	case 2:
		line(p, "tl.store(s + (me * S + at + k), (at + k).to(s.dtype.element_ty), mask=at + k "
			"< S)");
		break;
	case 3: line(p, "side += tl.sum(x.to(tl.float32), 1)"); break;
	case 4: line(p, "side = tl.maximum(side, tl.max(x.to(tl.float32), 1))"); break;
	case 5: line(p, "side += tl.load(d + i %% 64).to(tl.float32) * at"); break;
	case 6: line(p, "side += tl.load(e + at // 32 %% 64, volatile=True)"); break;
	case 7:
		line(p,
		     "tl.store(s + me * S + tl.arange(0, %d) %% S, side.to(s.dtype.element_ty), "
		     "mask=tl.arange(0, %d) < S)",
		     p->bm, p->bm);
		break;
	case 8:
		line(p, "side += tl.load(s + me * S + (at + tl.arange(0, %d)) %% S).to(tl.float32)",
		     p->bm);
		break;
	default: break;
	}
}

/* Of a program that is alone: where it has loaded from, or what later iterations load, which is for
 * the program to order. */
static void store_operand(Loop *p)
{
	const char *where = p->a_turned ? "i[:, None] + (to + k)[None, :] * LA"
					: "i[:, None] * LA + (to + k)[None, :]";
	if (!p->alone || p->masks == WRAPS || p->masks == LEAST || !chance(p, 3))
		return;
	bool ahead = chance(p, 3);
	line(p, ahead ? "to = at + %d" : "to = at", p->bk * random_pick(&p->r, 3, 1, 1, 2));
	if (ahead)
		line(p, "tl.debug_barrier()");
	line(p,
	     "tl.store(a + %s, (x.to(tl.float32) + 1).to(%s), mask=(i[:, None] < M) & ((to + k)[None, "
	     ":] < K))",
	     where, type_name(p->type));
	if (ahead)
		line(p, "tl.debug_barrier()");
	p->stored = true;
}

static void product(Loop *p)
{
	bool whole = p->type == NESO_INT8;
	const char *type = whole ? "int32" : "float32";
	switch (random_below(&p->r, 10)) {
	case 0: line(p, "acc += tl.dot(x, y, out_dtype=tl.%s)", type); break;
	case 1: line(p, "acc = tl.dot(x, y, -acc, out_dtype=tl.%s)", type); break;
	case 2:
		line(p, "acc = tl.where(at %% 3 == 0, acc, tl.dot(x, y, acc, out_dtype=tl.%s))", type);
		break;
	case 3:
		line(p, "acc = tl.dot(x, y, acc, out_dtype=tl.%s)", type);
		line(p, "acc = tl.where(acc > 100, 0, acc)");
		break;
	case 4:
		line(p, "if tl.load(e + at // 32 %% 64) != 0:");
		line(p, "    acc = tl.dot(x, y, acc, out_dtype=tl.%s)", type);
		break;
	case 5:
		line(p, "acc = tl.dot(x, y, acc, out_dtype=tl.%s)", type);
		line(p, "if at %% 64 == 32:");
		line(p, "    acc = -acc");
		break;
	default: line(p, "acc = tl.dot(x, y, acc, out_dtype=tl.%s)", type); break;
	}
}

/* What attention does between its products, with numbers that stay exact. */
static void chain(Loop *p)
{
	static const char keep[] = "(ii[:, None] >= (jj + at)[None, :])";
	line(p, "u = tl.dot(x, y, out_dtype=tl.float32)");
	if (chance(p, 3))
		line(p, "u = u * (FROM + %d).to(tl.float32)", random_pick(&p->r, 3, 2, 1, -3));
	switch (random_below(&p->r, 5)) {
	case 0: line(p, "u = tl.where(%s, u, float('-inf'))", keep); break;
	case 1: line(p, "u += tl.where(%s, 0, float('-inf'))", keep); break;
	case 2: line(p, "u = tl.where((jj + at)[None, :] < K, u, -100.0)"); break;
	default: break;
	}
	if (chance(p, 2)) {
		line(p, "top = tl.maximum(m_i, tl.max(u, 1))");
		line(p, "turn = tl.where(top > m_i, %s, 1.0)", word(p, 2, "0.5", "-1.0"));
		line(p, "acc = acc * turn[:, None]");
		if (chance(p, 2))
			line(p, "side = side * turn");
		line(p, "w = tl.where(u %s top[:, None], 1.0, 0.0)", word(p, 2, "==", "< -1 +"));
		line(p, "m_i = top");
	} else {
		line(p, "w = tl.where(u > 0, 1.0, 0.0)");
	}
	if (chance(p, 2))
		line(p, "side += tl.sum(w, 1)");
	line(p, "w = w.to(%s)", type_name(p->type));
	if (chance(p, 4))
		line(p, "side += tl.sum(w.to(tl.float32), 1)");
	line(p, "z = tl.load(b + at + tl.arange(0, %d)[:, None] * %d + tl.arange(0, %d)[None, :])",
	     p->bn, p->bn, p->bn);
	line(p, "acc = tl.dot(w, z, acc)");
}

static void body(Loop *p)
{
	bool branch = chance(p, 10), leave = !branch && chance(p, 12),
	     skip = !branch && !leave && chance(p, 12);
	if (leave) {
		line(p, "if tl.load(e + at // 32 %% 64) > 0:");
		line(p, "    break");
	}
	if (skip && p->kind != WHILE && p->kind != POINTERS) {
		line(p, "if at // 32 %% 2 == 1:");
		line(p, "    continue");
	}
	if (branch)
		line(p, "if at %% 64 == 0 or K > 100:");
	depth += branch;
	if (!p->hoisted)
		load_a(p);
	if (p->bytes && !p->hoisted)
		line(p,
		     "x = (x.to(tl.float32) + tl.load(g + (at + k)[None, :] + (i[:, None] %% 64) * "
		     "4)).to(%s)",
		     type_name(p->type));
	if (!p->hoisted)
		ready(p, "x", true);
	load_b(p, "y", "at");
	if (chance(p, 3))
		ready(p, "y", false);
	if (p->chained)
		chain(p);
	else
		product(p);
	if (!p->chained && (p->masks != WHOLE || p->descriptors) && chance(p, 8)) {
		load_b(p, "y2", "(at + 16)");
		line(p, "acc2 = tl.dot(x, y2, acc2, out_dtype=tl.%s)",
		     p->type == NESO_INT8 ? "int32" : "float32");
	}
	beside(p);
	store_operand(p);
	depth -= branch;
}

static void loop(Loop *p)
{
	bool steps = chance(p, 4);
	p->hoisted = p->kind != POINTERS && !p->alone && (!p->a_turned || p->descriptors) &&
		     chance(p, p->chained ? 2 : 8);
	if (p->hoisted) {
		line(p, "at = FROM");
		load_a(p);
		if (chance(p, 3))
			ready(p, "x", true);
	}
	switch (p->kind) {
	case STEPS: line(p, "for at in range(FROM, K, %d):", p->bk); break;
	case STAGES:
		line(p, "for at in tl.range(FROM, K, %d, num_stages=%d%s):", p->bk,
		     1 + random_below(&p->r, 4),
		     word(p, 6, "", "", ", warp_specialize=True", ", loop_unroll_factor=2",
			  ", disallow_acc_multi_buffer=True", ", flatten=True"));
		break;
	case DOWN:
		line(p, "for t in range(tl.cdiv(K, %d) - 1, -1, -1):", p->bk);
		line(p, "    at = t * %d", p->bk);
		break;
	case WHILE:
		line(p, "at = FROM");
		line(p, "while at < K:");
		break;
	case POINTERS:
		if (p->blocks)
			block(p, "ap", "a", "M, K", p->a_turned, "LA", "row, FROM", p->bm, p->bk);
		else
			line(p, p->a_turned ? "ap = a + i[:, None] + (FROM + k)[None, :] * LA"
					    : "ap = a + i[:, None] * LA + (FROM + k)[None, :]");
		line(p,
		     steps ? "for at in range(FROM, K, %d):"
			   : "for t in range(0, tl.cdiv(K - FROM, %d)):",
		     p->bk);
		if (!steps)
			line(p, "    at = FROM + t * %d", p->bk);
		break;
	default:
		line(p, "for t in range(0, tl.cdiv(K, %d)):", p->bk);
		line(p, "    at = t * %d", p->bk);
		break;
	}
	depth++;
	body(p);
	if (p->kind == WHILE)
		line(p, "at += %d", p->bk);
	if (p->kind == POINTERS && p->blocks)
		line(p, "ap = tl.advance(ap, (0, %d))", p->bk);
	else if (p->kind == POINTERS)
		line(p, p->a_turned ? "ap += %d * LA" : "ap += %d", p->bk);
	depth--;
}

/* ---- around the loop ---- */

static void start(Loop *p)
{
	line(p, "ii, jj, k = row + tl.arange(0, %d), column + tl.arange(0, %d), tl.arange(0, %d)",
	     p->bm, p->bn, p->bk);
	if (p->masks == WRAPS)
		line(p, "i, j = ii %% M, jj %% N");
	else if (p->masks == LEAST)
		line(p, "i, j = tl.minimum(ii, M - 1), tl.where(jj < N, jj, 0)");
	else
		line(p, "i, j = ii, jj");
	const char *type = p->type == NESO_INT8 ? "int32" : "float32";
	if (chance(p, 4) && !p->chained)
		line(p, "acc = tl.load(d + j %% 64)[None, :].to(tl.%s) + tl.zeros((%d, %d), tl.%s)",
		     type, p->bm, p->bn, type);
	else
		line(p, "acc = tl.zeros((%d, %d), tl.%s)", p->bm, p->bn, type);
	line(p, "acc2 = tl.zeros((%d, %d), tl.%s)", p->bm, p->bn, type);
	line(p, "side = tl.zeros((%d,), tl.float32)", p->bm);
	line(p, "m_i = tl.full((%d,), -1000.0, tl.float32)", p->bm);
}

static void finish(Loop *p)
{
	static const char at[] = "c + ii[:, None] * LC + jj[None, :]";
	const char *mask = p->masks == WHOLE ? "" : ", mask=(ii[:, None] < M) & (jj[None, :] < N)";
	line(p, "acc += acc2");
	if (p->stored)
		line(p, "tl.debug_barrier()");
	if (chance(p, 4))
		line(p, "acc += tl.load(d + jj %% 64).to(acc.dtype)[None, :]");
	if (p->outer == PARTS) {
		line(p, "tl.atomic_add(%s, acc.to(c.dtype.element_ty)%s)", at, mask);
		line(p, "tl.atomic_add(f + 64, tl.sum(side).to(tl.int32))");
		return;
	}
	if (p->outer != ACROSS && chance(p, 4))
		line(p, "acc += tl.load(%s%s).to(acc.dtype)", at, *mask ? mask : "");
	switch (random_below(&p->r, 8)) {
	case 0: line(p, "acc = tl.where(acc > 0, acc, 0)"); break;
	case 1: line(p, "acc = tl.cumsum(acc.to(tl.int32), 1).to(acc.dtype)"); break;
	case 2: line(p, "acc += tl.sum(acc, 1)[:, None]"); break;
	case 3: line(p, "acc += tl.max(acc, 0)[None, :]"); break;
	default: break;
	}
	if (chance(p, 6) && !(p->lc % 16))
		line(p,
		     "tl.make_tensor_descriptor(c, [M, N], [LC, 1], [%d, %d]).store("
		     "[row.to(tl.int32), column], "
		     "acc.to(c.dtype.element_ty))",
		     p->bm, p->bn);
	else if (p->blocks && chance(p, 2)) {
		block(p, "cp", "c", "M, N", false, "LC", "row.to(tl.int32), column", p->bm, p->bn);
		line(p, "tl.store(cp, acc.to(c.dtype.element_ty)%s)",
		     *mask ? ", boundary_check=(0, 1)" : "");
	} else
		line(p, "tl.store(%s, acc.to(c.dtype.element_ty)%s)", at, mask);
	switch (random_below(&p->r, 10)) {
	case 0: line(p, "tl.store(%s, (acc + 1).to(c.dtype.element_ty)%s)", at, mask); break;
	case 1:
		line(p, "tl.debug_barrier()");
		line(p, "acc += tl.load(%s%s).to(acc.dtype)", at, mask);
		line(p, "tl.debug_barrier()");
		line(p, "tl.store(%s, acc.to(c.dtype.element_ty)%s)", at, mask);
		break;
	case 2: line(p, "tl.atomic_add(f + 65, 1)"); break;
	case 3: line(p, "tl.device_assert(row >= 0, 'row')"); break;
	default: break;
	}
	line(p,
	     "tl.store(s + me * S + tl.arange(0, %d), side.to(s.dtype.element_ty), mask=tl.arange(0, "
	     "%d) < S)",
	     p->bm, p->bm);
	if (p->outer == TILES && p->stored)
		line(p, "tl.debug_barrier()");
}

/* The loop, and what stands in front of it and behind it. */
static void tile(Loop *p)
{
	start(p);
	if (p->outer == TWICE) {
		loop(p);
		if (p->alone && chance(p, 2) && p->masks != WRAPS && p->masks != LEAST) {
			if (p->stored)
				line(p, "tl.debug_barrier()");
			line(p,
			     "tl.store(a + %s, tl.full((%d, %d), 2, tl.float32).to(%s), mask=(i[:, "
			     "None] < M) & (k[None, :] < K))",
			     p->a_turned ? "i[:, None] + k[None, :] * LA"
					 : "i[:, None] * LA + k[None, :]",
			     p->bm, p->bk, type_name(p->type));
			p->stored = true;
		}
		if (p->stored)
			line(p, "tl.debug_barrier()");
		loop(p);
	} else if (p->outer == ACROSS) {
		line(p, "for o in range(0, 2):");
		depth++;
		loop(p);
		line(p, "tl.store(c + ii[:, None] * LC + jj[None, :], acc.to(c.dtype.element_ty), "
			"mask=(ii[:, None] < M) & (jj[None, :] < N))");
		if (p->stored)
			line(p, "tl.debug_barrier()");
		if (p->masks == BOUNDS || p->masks == WHOLE)
			line(p,
			     "tl.store(a + %s, tl.full((%d, %d), 1, tl.float32).to(%s), mask=(i[:, "
			     "None] < M) & (k[None, :] < K))",
			     p->a_turned ? "i[:, None] + k[None, :] * LA"
					 : "i[:, None] * LA + k[None, :]",
			     p->bm, p->bk, type_name(p->type));
		line(p, "tl.debug_barrier()");
		depth--;
	} else {
		loop(p);
	}
	finish(p);
}

static void kernel(Loop *p)
{
	fputs("import triton\nimport triton.language as tl\n\n\n@triton.jit\n"
	      "def kernel(a, b, c, d, e, f, g, s, M, N, K, LA, LB, LC, S, FROM):\n",
	      p->out);
	depth = 1;
	line(p, "me = tl.program_id(0)%s", p->rows ? " + tl.program_id(1) * tl.num_programs(0)" : "");
	line(p, "rows, columns = tl.cdiv(M, %d), tl.cdiv(N, %d)", p->bm, p->bn);
	if (p->descriptors) {
		describe(p, "a", p->a_turned, "M", "K", "LA", p->bm, p->bk);
		describe(p, "b", p->b_turned, "K", "N", "LB", p->bk, p->bn);
	}
	if (p->outer == TILES) {
		line(p, "for tile in tl.range(me, rows * columns, tl.num_programs(0)%s%s):",
		     p->rows ? " * tl.num_programs(1)" : "",
		     word(p, 5, "", "", ", flatten=True", ", warp_specialize=True",
			  ", flatten=True, warp_specialize=True"));
		depth++;
	} else {
		line(p, "tile = me");
		if (p->outer == PARTS)
			line(p, "tile = me %% (rows * columns)");
		else if (chance(p, 2))
			line(p, "if tile >= rows * columns:\n        return");
	}
	if (chance(p, 2))
		line(p,
		     p->wide && !p->blocks && !p->descriptors
			     ? "row, column = (tile // columns).to(tl.int64) * %d, tile %% columns * %d"
			     : "row, column = tile // columns * %d, tile %% columns * %d",
		     p->bm, p->bn);
	else
		line(p, "row, column = tile %% rows * %d, tile // rows * %d", p->bm, p->bn);
	tile(p);
}

void loop_make(Case *c, uint64_t seed)
{
	Loop p = {.r = {seed}, .c = c};
	size_t size;
	memset(c, 0, sizeof *c);
	choose(&p);
	int tiles = (p.m + p.bm - 1) / p.bm * ((p.n + p.bn - 1) / p.bn);
	p.chained =
		p.type != NESO_INT8 && p.type != NESO_FP8E5 && p.bn >= 32 && !p.alone && chance(&p, 3);
	p.from = p.masks == WHOLE || p.kind == COUNTS || p.kind == DOWN
			 ? 0
			 : random_pick(&p.r, 4, 0, 0, 0, p.k > 32 ? 16 : 0);
	int programs = p.alone		  ? 1
		       : p.outer == TILES ? random_pick(&p.r, 3, 1, 2, 3)
		       : p.outer == PARTS ? tiles * 2
					  : tiles;
	if (p.alone)
		p.rows = false;
	p.rows = p.rows && programs % 2 == 0;
	c->grid = (uint32_t)(p.rows ? programs / 2 : programs);
	c->grid_y = p.rows ? 2 : 1;
	c->num_warps = (uint32_t)random_pick(&p.r, 4, 4, 4, 8, 2);
	c->num_stages = (uint32_t)(1 + random_below(&p.r, 4));
	c->schedules = random_below(&p.r, 4) ? 1 : 2;
	c->ctas = (uint32_t)random_pick(&p.r, 6, 1, 1, 1, 1, 2, 4);
	c->fused = true;
	int small = p.most;
	case_buffer(p.c, &p.r, "a", p.type, (p.a_turned ? p.k : p.m) * p.la, -2, 3);
	case_buffer(p.c, &p.r, "b", p.type, (p.b_turned ? p.n : p.k) * p.lb + p.bn * p.bn + 1024, -2, 3);
	neso_dtype sums = p.outer == PARTS && p.result == NESO_FP16 ? NESO_FP32 : p.result;
	case_buffer(p.c, &p.r, "c", sums, p.m * p.lc, -2, 3);
	case_buffer(p.c, &p.r, "d", p.result, small, -2, 3);
	case_buffer(p.c, &p.r, "e", NESO_INT32, 64, 0, 1);
	case_buffer(p.c, &p.r, "f", NESO_INT32, 128, 0, 0);
	case_buffer(p.c, &p.r, "g", NESO_INT8, small + 64 * 4, -1, 1);
	case_buffer(p.c, &p.r, "s", p.result, 2 * small * programs, -2, 3);
	case_number(p.c, "M", p.m);
	case_number(p.c, "N", p.n);
	case_number(p.c, "K", p.k);
	case_number(p.c, "LA", p.la);
	case_number(p.c, "LB", p.lb);
	case_number(p.c, "LC", p.lc);
	case_number(p.c, "S", small);
	case_number(p.c, "FROM", p.from);
	p.out = open_memstream(&c->text, &size);
	kernel(&p);
	fclose(p.out);
}
