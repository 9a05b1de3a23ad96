/* Loops of several products that carry tiles from one turn to the next, as whole programs: the
 * recurrences of linear attention, attention forwards and backwards over loops within loops, and
 * gated layers. A carried tile is an operand of the next turn's products; one tile is read by
 * several products, turned and not. Values are kept small, so that all sums are exact. */
#define _DEFAULT_SOURCE
#include <string.h>

#include "writer.h"

enum { BY_POINTERS, BY_BLOCKS, BY_DESCRIPTORS };

typedef struct State {
	Writer w;
	neso_dtype type;
	const char *name; /* of the type */
	int t, dk, dv, turns, length;
	int way; /* how tiles are addressed */
	bool whole; /* no tile passes the end */
	bool wide; /* a program's base has 64 bits */
} State;

static void choose(State *s)
{
	Writer *w = &s->w;
	s->type = (neso_dtype)random_pick(&w->r, 4, NESO_FP16, NESO_FP16, NESO_BF16, NESO_FP32);
	s->name = s->type == NESO_FP16 ? "tl.float16" : s->type == NESO_BF16 ? "tl.bfloat16" : "tl.float32";
	s->t = random_pick(&w->r, 5, 16, 32, 64, 64, 128);
	s->dk = random_pick(&w->r, 4, 16, 32, 64, 128);
	s->dv = random_pick(&w->r, 4, 16, 32, 64, 128);
	s->turns = random_pick(&w->r, 5, 1, 2, 3, 3, 5);
	while (s->t * (s->dk > s->dv ? s->dk : s->dv) > 8192)
		s->t /= 2; /* others take minutes to compile and to run */
	if (s->t * s->dk > 4096 || s->t * s->dv > 4096)
		s->turns = s->turns > 3 ? 3 : s->turns;
	s->whole = chance(w, 2);
	s->length = s->t * s->turns - (s->whole ? 0 : random_pick(&w->r, 4, 0, 1, 5, s->t / 2));
	s->way = random_pick(&w->r, 4, BY_POINTERS, BY_POINTERS, BY_BLOCKS, BY_DESCRIPTORS);
	s->wide = chance(w, 4);
}

/* ---- tiles in memory: [T, width] of array `of` at row `at` ---- */

static void descriptor(State *s, const char *of, int width)
{
	if (s->way == BY_DESCRIPTORS)
		line(&s->w, "d_%s = tl.make_tensor_descriptor(%s, [T, %d], [%d, 1], [%d, %d])", of, of, width,
		     width, s->t, width);
}

static void load(State *s, const char *to, const char *of, const char *at, int width, bool turned)
{
	Writer *w = &s->w;
	char mask[60] = "";
	if (!s->whole)
		snprintf(mask, sizeof mask, ", mask=(%s + r)%s < T, other=0", at,
			 turned ? "[None, :]" : "[:, None]");
	if (s->way == BY_DESCRIPTORS) {
		line(w, "%s = d_%s.load([%s, 0])%s", to, of, at, turned ? ".T" : "");
	} else if (s->way == BY_BLOCKS) {
		if (turned)
			line(w, "p_%s = tl.make_block_ptr(%s, (%d, T), (1, %d), (0, %s), (%d, %d), (0, 1))",
			     to, of, width, width, at, width, s->t);
		else
			line(w, "p_%s = tl.make_block_ptr(%s, (T, %d), (%d, 1), (%s, 0), (%d, %d), (1, 0))",
			     to, of, width, width, at, s->t, width);
		line(w, "%s = tl.load(p_%s%s)", to, to,
		     s->whole ? "" : ", boundary_check=(0, 1), padding_option='zero'");
	} else if (turned) {
		line(w, "%s = tl.load(%s + tl.arange(0, %d)[:, None] + (%s + r)[None, :] * %d%s)", to, of,
		     width, at, width, mask);
	} else {
		line(w, "%s = tl.load(%s + (%s + r)[:, None] * %d + tl.arange(0, %d)[None, :]%s)", to, of, at,
		     width, width, mask);
	}
}

static void store(State *s, const char *value, const char *of, const char *at, int width)
{
	Writer *w = &s->w;
	if (s->way == BY_DESCRIPTORS && chance(w, 2))
		line(w, "d_%s.store([%s, 0], %s.to(%s.dtype.element_ty))", of, at, value, of);
	else if (s->way == BY_BLOCKS && chance(w, 2))
		line(w,
		     "tl.store(tl.make_block_ptr(%s, (T, %d), (%d, 1), (%s, 0), (%d, %d), (1, 0)), "
		     "%s.to(%s.dtype.element_ty), boundary_check=(0,))",
		     of, width, width, at, s->t, width, value, of);
	else
		line(w,
		     "tl.store(%s + (%s + r)[:, None] * %d + tl.arange(0, %d)[None, :], "
		     "%s.to(%s.dtype.element_ty), mask=(%s + r)[:, None] < T)",
		     of, at, width, width, value, of, at);
}

/* An operand that a product takes turned: loaded so, or turned in registers. */
static const char *turned(State *s, const char *tile)
{
	static char text[4][60];
	static int next;
	char *out = text[next++ % 4];
	switch (random_below(&s->w.r, 3)) {
	case 0: snprintf(out, 60, "tl.trans(%s)", tile); break;
	case 1: snprintf(out, 60, "%s.T", tile); break;
	default: snprintf(out, 60, "tl.permute(%s, (1, 0))", tile); break;
	}
	return out;
}

static void bound(State *s, const char *tile, int most)
{
	if (chance(&s->w, 2))
		line(&s->w, "%s = tl.minimum(tl.maximum(%s, -%d), %d)", tile, tile, most, most);
	else
		line(&s->w, "%s = tl.clamp(%s, -%d.0, %d.0)", tile, tile, most, most);
}

static const char *loop_over(State *s, const char *from, const char *to, int step)
{
	static char text[2][160];
	static int next;
	char *out = text[next++ % 2];
	switch (random_below(&s->w.r, 4)) {
	case 0: snprintf(out, 160, "range(%s, %s, %d)", from, to, step); break;
	default:
		snprintf(out, 160, "tl.range(%s, %s, %d, num_stages=%d%s)", from, to, step,
			 1 + random_below(&s->w.r, 4),
			 word(&s->w, 6, "", "", "", ", warp_specialize=True", ", loop_unroll_factor=2",
			      ", disallow_acc_multi_buffer=True"));
	}
	return out;
}

/* ---- the recurrence of linear attention ---- */

static void recurrence(State *s)
{
	Writer *w = &s->w;
	bool within = !chance(w, 3), delta = chance(w, 3), sums = chance(w, 3);
	bool two = s->dk >= 32 && chance(w, 4), early = chance(w, 2), kept = chance(w, 3);
	bool loaded = chance(w, 3);
	line(w, "h = tl.zeros((%d, %d), tl.float32)", s->dk, s->dv);
	if (loaded)
		line(w, "h += tl.load(g + tl.arange(0, %d)[:, None] * %d + tl.arange(0, %d)[None, :])", s->dk,
		     s->dv, s->dv);
	if (two)
		line(w, "h2 = tl.zeros((%d, %d), tl.float32)", s->dk, s->dv);
	if (sums)
		line(w, "z = tl.zeros((%d,), tl.float32)", s->dk);
	line(w, "for at in %s:", loop_over(s, "0", "T", s->t));
	w->depth++;
	load(s, "q", "a", "at", s->dk, false);
	load(s, "k", "b", "at", s->dk, false);
	load(s, "v", "c", "at", s->dv, false);
	if (kept)
		line(w,
		     "tl.store(f + (at // %d) * %d + tl.arange(0, %d)[:, None] * %d + tl.arange(0, "
		     "%d)[None, :], h)",
		     s->t, s->dk * s->dv, s->dk, s->dv, s->dv);
	line(w, "u = tl.dot(q, h.to(%s))", s->name);
	if (two)
		line(w, "u = tl.dot(q, h2.to(%s), u)", s->name);
	if (within) {
		line(w, "p = tl.dot(q, %s)", turned(s, "k"));
		switch (random_below(&w->r, 3)) {
		case 0: line(w, "p = tl.where(r[:, None] >= r[None, :], p, 0)"); break;
		case 1: line(w, "p = tl.where((r[:, None] > r[None, :]) & ((at + r)[None, :] < T), p, 0)");
		}
		if (chance(w, 3))
			line(w, "p = p * tl.load(e + (at + r) %% 64)[:, None]");
		line(w, "u %s", "+= tl.dot(p.to(v.dtype), v)");
	}
	if (delta) {
		line(w, "n = v.to(tl.float32) - tl.dot(k, h.to(%s))", s->name);
		bound(s, "n", 2);
		line(w, "v = n.to(%s)", s->name);
	}
	if (early)
		store(s, "u", "o", "at", s->dv);
	if (chance(w, 2))
		line(w, "h = h * tl.load(e + at // %d)%s", s->t, word(w, 2, "", ".to(tl.float32)"));
	else if (chance(w, 3))
		line(w, "h *= tl.load(e + tl.arange(0, %d) %% 64)[:, None]", s->dk);
	line(w, chance(w, 2) ? "h += tl.dot(%s, v)" : "h = tl.dot(%s, v, h)", turned(s, "k"));
	bound(s, "h", 4);
	if (two) {
		line(w, "h2 = h2 + tl.dot(%s, v)", turned(s, "q"));
		bound(s, "h2", 3);
	}
	if (sums) {
		line(w, "z += tl.sum(k.to(tl.float32), 0)");
		line(w, "u += tl.sum(q.to(tl.float32) * z[None, :], 1)[:, None]");
	}
	if (!early || sums)
		store(s, "u", "o", "at", s->dv);
	w->depth--;
	line(w, "tl.store(f + %d + tl.arange(0, %d)[:, None] * %d + tl.arange(0, %d)[None, :], h%s)",
	     s->turns * s->dk * s->dv, s->dk, s->dv, s->dv, two ? " + h2" : "");
}

/* ---- attention forwards: a loop within a loop, as long as the outer one has come ---- */

static void forwards(State *s)
{
	Writer *w = &s->w;
	bool carried = chance(w, 3), split = chance(w, 3);
	const char *until = chance(w, 2) ? "at + 1" : "T";
	if (carried)
		line(w, "total = tl.zeros((%d,), tl.float32)", s->t);
	line(w, "for at in %s:", loop_over(s, "0", "T", s->t));
	w->depth++;
	load(s, "q", "a", "at", s->dk, false);
	if (chance(w, 2))
		line(w, "q = (q * 2).to(%s)", s->name);
	line(w, "u = tl.zeros((%d, %d), tl.float32)", s->t, s->dv);
	line(w, "top = tl.full((%d,), -1000.0, tl.float32)", s->t);
	line(w, "l = tl.zeros((%d,), tl.float32)", s->t);
	for (int part = 0; part < 1 + split; part++) {
		line(w, "for to in %s:",
		     loop_over(s, split && part ? "at" : "0", split && !part ? "at" : until, s->t));
		w->depth++;
		bool by_turn = chance(w, 2);
		load(s, "k", "b", "to", s->dk, by_turn && s->way != BY_POINTERS);
		if (s->dk != s->dv || chance(w, 2))
			load(s, "v", "c", "to", s->dv, false);
		else
			line(w, "v = (k%s.to(tl.float32) * 1).to(%s)",
			     by_turn && s->way != BY_POINTERS ? ".T" : "", s->name);
		line(w, "p = tl.dot(q, %s)", by_turn && s->way != BY_POINTERS ? "k" : turned(s, "k"));
		if (!split || part)
			line(w,
			     "p = tl.where(((at + r)[:, None] >= (to + r)[None, :]) & ((to + r)[None, :] < "
			     "T), p, -500)");
		line(w, "new = tl.maximum(top, tl.max(p, 1))");
		line(w, "turn = tl.where(new > top, %s, 1.0)", word(w, 3, "0.5", "-1.0", "0.0"));
		line(w, "y = tl.where(p >= new[:, None] - %s, 1.0, 0.0)", word(w, 3, "0", "2", "9"));
		line(w, "l = l * turn + tl.sum(y, 1)");
		line(w, "u = u * turn[:, None]");
		line(w, "u = tl.dot(y.to(v.dtype), v, u)");
		line(w, "top = new");
		w->depth--;
	}
	if (carried)
		line(w, "total += l");
	line(w, "u = u + l[:, None]");
	store(s, "u", "o", "at", s->dv);
	w->depth--;
	if (carried)
		line(w, "tl.store(f + r, total)");
}

/* ---- attention backwards: five products, some of them of one tile ---- */

static void backwards(State *s)
{
	Writer *w = &s->w;
	bool sent = chance(w, 2), turn = chance(w, 2);
	line(w, "for at in %s:", loop_over(s, "0", "T", s->t));
	w->depth++;
	load(s, "k", "b", "at", s->dk, false);
	load(s, "v", "c", "at", s->dv, false);
	line(w, "dk = tl.zeros((%d, %d), tl.float32)", s->t, s->dk);
	line(w, "dv = tl.zeros((%d, %d), tl.float32)", s->t, s->dv);
	line(w, "for to in %s:", loop_over(s, chance(w, 2) ? "at" : "0", "T", s->t));
	w->depth++;
	load(s, "q", "a", "to", s->dk, false);
	load(s, "do", "g", "to", s->dv, false);
	line(w, "do = do.to(%s)", s->name);
	line(w, "w = tl.load(e + (to + r) %% 64).to(tl.float32)");
	if (turn) { /* rows are keys */
		line(w, "p = tl.dot(k, %s)", turned(s, "q"));
		line(w,
		     "p = tl.where((p > w[None, :]) & ((at + r)[:, None] <= (to + r)[None, :]), 1.0, 0.0)");
		line(w, "dv = tl.dot(p.to(%s), do, dv)", s->name);
		line(w, "x = tl.dot(v, %s)", turned(s, "do"));
		line(w, "x = p * (x - w[None, :])");
	} else {
		line(w, "p = tl.dot(q, %s)", turned(s, "k"));
		line(w,
		     "p = tl.where((p > w[:, None]) & ((to + r)[:, None] >= (at + r)[None, :]), 1.0, 0.0)");
		line(w, "dv += tl.dot(%s, do)", turned(s, "p.to(do.dtype)"));
		line(w, "x = tl.dot(do, %s)", turned(s, "v"));
		line(w, "x = p * (x - w[:, None])");
	}
	bound(s, "x", 2);
	line(w, "x = x.to(%s)", s->name);
	if (turn)
		line(w, "dk += tl.dot(x, q)");
	else
		line(w, "dk = tl.dot(%s, q, dk)", turned(s, "x"));
	if (sent) {
		line(w, "dq = tl.dot(%s, k)", turn ? turned(s, "x") : "x");
		line(w,
		     "tl.atomic_add(f + (to + r)[:, None] * %d + tl.arange(0, %d)[None, :], dq, mask=(to + "
		     "r)[:, None] < T%s)",
		     s->dk, s->dk, word(w, 2, "", ", sem='relaxed'"));
	}
	w->depth--;
	store(s, "dv", "o", "at", s->dv);
	line(w,
	     "tl.store(m + (at + r)[:, None] * %d + tl.arange(0, %d)[None, :], dk, mask=(at + r)[:, None] < "
	     "T)",
	     s->dk, s->dk);
	w->depth--;
}

/* ---- a gated layer: what products make is the operand of the next ---- */

static void layer(State *s)
{
	Writer *w = &s->w;
	bool gated = chance(w, 2), outer = chance(w, 2);
	if (outer) {
		line(w, "for at in %s:", loop_over(s, "0", "T", s->t));
		w->depth++;
	} else {
		line(w, "at = 0");
	}
	load(s, "x", "a", "at", s->dk, false);
	line(w, "u = tl.zeros((%d, %d), tl.float32)", s->t, s->dv);
	line(w, "for to in %s:", loop_over(s, "0", "T", s->t));
	w->depth++;
	load(s, "k", "b", "to", s->dk, false);
	load(s, "v", "c", "to", s->dv, false);
	line(w, "y = tl.dot(x, %s)", turned(s, "k"));
	if (gated)
		line(w, "y = y * tl.where(tl.dot(x, %s) > %d, 1.0, %s)", turned(s, "(k + 1).to(x.dtype)"),
		     random_below(&w->r, 3), word(w, 2, "0.0", "-1.0"));
	switch (random_below(&w->r, 3)) {
	case 0: line(w, "y = tl.maximum(y, 0)"); break;
	case 1: line(w, "y += tl.load(e + (to + r) %% 64)[None, :]"); break;
	}
	bound(s, "y", 3);
	if (chance(w, 4))
		line(w, "y = y + tl.max(y, 1)[:, None]");
	line(w, "u = tl.dot(y.to(%s), v, u)", s->name);
	w->depth--;
	store(s, "u", "o", "at", s->dv);
	w->depth -= outer;
}

void state_make(Case *c, uint64_t seed)
{
	State s = {.w = {.r = {seed}, .c = c}};
	Writer *w = &s.w;
	size_t size;
	memset(c, 0, sizeof *c);
	choose(&s);
	int programs = random_pick(&w->r, 4, 1, 1, 2, 3), rows = s.length + s.t;
	c->grid = (uint32_t)programs;
	c->num_warps = (uint32_t)random_pick(&w->r, 6, 4, 4, 4, 8, 2, 1);
	if (s.t * (s.dk > s.dv ? s.dk : s.dv) > 4096 && c->num_warps < 4)
		c->num_warps = 4; /* fewer take minutes to compile */
	c->num_stages = (uint32_t)(1 + random_below(&w->r, 4));
	c->schedules = chance(w, 4) ? 2 : 1;
	c->ctas = (uint32_t)random_pick(&w->r, 8, 1, 1, 1, 1, 1, 1, 2, 4);
	c->fused = true;
	static const char arrays[] = "abcgomf";
	int widths[] = {s.dk, s.dk, s.dv, s.dv, s.dv, s.dk, 0};
	for (int k = 0; arrays[k]; k++) {
		char name[2] = {arrays[k], '\0'};
		bool result = k > 3;
		int count = name[0] == 'f' ? (s.turns + 1) * s.dk * s.dv + rows * s.dk : rows * widths[k];
		if (name[0] == 'g')
			count += s.dk * s.dv;
		case_buffer(c, &w->r, name, k < 3 ? s.type : NESO_FP32, count * programs, result ? 0 : -1,
			    result ? 0 : 1);
	}
	case_buffer(c, &w->r, "e", s.type == NESO_BF16 ? NESO_FP32 : s.type, 256, 0, 1);
	case_number(c, "T", s.length);
	w->out = open_memstream(&c->text, &size);
	fputs("import triton\nimport triton.language as tl\n\n\n@triton.jit\n"
	      "def kernel(a, b, c, g, o, m, f, e, T):\n",
	      w->out);
	w->depth = 1;
	line(w, "pid = tl.program_id(0)%s", s.wide ? ".to(tl.int64)" : "");
	for (int k = 0; arrays[k]; k++)
		line(w, "%c += pid * %u", arrays[k], c->args[k].count / (uint32_t)programs);
	line(w, "r = tl.arange(0, %d)", s.t);
	descriptor(&s, "a", s.dk);
	descriptor(&s, "b", s.dk);
	descriptor(&s, "c", s.dv);
	descriptor(&s, "g", s.dv);
	descriptor(&s, "o", s.dv);
	switch (random_below(&w->r, 5)) {
	case 0:
	case 1: recurrence(&s); break;
	case 2: forwards(&s); break;
	case 3: backwards(&s); break;
	default: layer(&s); break;
	}
	fclose(w->out);
}
