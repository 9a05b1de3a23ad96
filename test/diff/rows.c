/* Kernels that walk along rows, as whole programs: norms, sums that are carried along, running
 * maxima, quantising, rows read by number, counts and locks between programs. A program has one
 * row or several, one after the other or side by side, and goes along them once or several times:
 * what one pass makes, the next one uses or reads back. Sums of whole numbers that stay exact have
 * one result. */
#define _DEFAULT_SOURCE
#include <string.h>

#include "writer.h"

enum { BY_INDEX_OF_COLUMN, BY_MOVED_POINTER, BY_MOVED_BLOCK, BY_BLOCK_OF_TURN, BY_DESCRIPTOR, WAYS };
enum { MAX_PASSES = 3 };

typedef struct Rows {
	Writer w;
	neso_dtype type, result;
	int bm, bn, rows, columns, stride, programs;
	int way;
	bool flat; /* one row at a time, tiles of rank 1 */
	bool whole; /* no tile passes the end */
	bool widely; /* offsets of 64 bits */
	bool counted;
	const char *loaded; /* the type that tiles are computed in */
	const char *kept[4]; /* vectors that passes made: one number for each row */
	int kept_count;
} Rows;

static void choose(Rows *p)
{
	static const neso_dtype types[] = {NESO_FP16, NESO_FP16, NESO_BF16, NESO_FP32,    NESO_FP32,
					   NESO_INT8, NESO_INT16, NESO_INT32, NESO_INT64, NESO_FP8E5,
					   NESO_FP8E4NV, NESO_UINT8, NESO_FP64};
	static const neso_dtype results[] = {NESO_FP32, NESO_FP32,  NESO_FP16,
					     NESO_BF16, NESO_INT32, NESO_INT8};
	Random *r = &p->w.r;
	p->type = types[random_below(r, 13)];
	p->result = results[random_below(r, 6)];
	p->flat = chance(&p->w, 3);
	p->bm = p->flat ? 1 : random_pick(r, 6, 1, 2, 4, 8, 16, 64);
	p->bn = random_pick(r, 7, 16, 32, 64, 64, 128, 256, 512);
	while (p->bm * p->bn > 4096)
		p->bn /= 2;
	p->whole = chance(&p->w, 3);
	p->columns = p->bn * random_pick(r, 5, 1, 2, 3, 4, 6) -
		     (p->whole ? 0 : random_pick(r, 5, 0, 1, 3, p->bn / 2, p->bn / 4));
	p->programs = random_pick(r, 5, 1, 1, 2, 3, 5);
	p->rows = p->bm * p->programs * random_pick(r, 3, 1, 1, 2) -
		  (p->whole || p->bm == 1 ? 0 : random_pick(r, 3, 0, 1, p->bm / 2));
	p->stride = p->columns + random_pick(r, 5, 0, 0, 1, 8, 16);
	p->way = random_below(r, WAYS);
	if (p->flat && p->way == BY_DESCRIPTOR)
		p->way = BY_INDEX_OF_COLUMN;
	if (p->way == BY_DESCRIPTOR) {
		int size = (int)neso_dtype_size(p->type);
		p->stride = (p->stride * size + 15) / 16 * 16 / size;
	}
	p->widely = chance(&p->w, 5);
	p->loaded = p->type == NESO_FP64 ? "tl.float64" : word(&p->w, 2, "tl.float32", "tl.int32");
}

static const char *column(const Rows *p) /* a vector for each row, beside a tile */
{
	return p->flat ? "" : "[:, None]";
}

static int axis(const Rows *p)
{
	return p->flat ? 0 : 1;
}

static const char *mask_text(Rows *p, const char *at)
{
	static char text[4][120];
	static int next;
	char *out = text[next++ % 4];
	if (p->whole)
		out[0] = '\0';
	else if (p->flat)
		snprintf(out, 120, "(%s + j) < N", at);
	else
		snprintf(out, 120, "(i < R)[:, None] & ((%s + j) < N)[None, :]", at);
	return out;
}

static const char *place(Rows *p, const char *of, const char *at)
{
	static char text[4][160];
	static int next;
	char *out = text[next++ % 4];
	if (p->flat)
		snprintf(out, 160, "%s + i * LD + (%s + j)", of, at);
	else
		snprintf(out, 160, "%s + (i * LD)[:, None] + (%s + j)[None, :]", of, at);
	return out;
}

static void load(Rows *p, const char *to, const char *of, bool moved)
{
	Writer *w = &p->w;
	const char *mask = mask_text(p, "at");
	bool real = p->type >= NESO_FP16 && chance(w, 4);
	if (p->way == BY_DESCRIPTOR) {
		line(w, "%s_in = d_%s.load([first, at])", to, of);
	} else if (p->way == BY_BLOCK_OF_TURN && p->flat) {
		line(w, "%s_in = tl.load(tl.make_block_ptr(%s + i * LD, (N,), (1,), (at,), (%d,), (0,))%s)",
		     to, of, p->bn, p->whole ? "" : ", boundary_check=(0,), padding_option='zero'");
	} else if (p->way == BY_BLOCK_OF_TURN) {
		line(w,
		     "%s_in = tl.load(tl.make_block_ptr(%s, (R, N), (LD, 1), (first, at), (%d, %d), (1, "
		     "0))%s)",
		     to, of, p->bm, p->bn, p->whole ? "" : ", boundary_check=(0, 1), padding_option='zero'");
	} else if (p->way == BY_MOVED_BLOCK && moved) {
		line(w, "%s_in = tl.load(p_%s%s)", to, of,
		     p->whole  ? ""
		     : p->flat ? ", boundary_check=(0,), padding_option='zero'"
			       : ", boundary_check=(0, 1), padding_option='zero'");
	} else {
		line(w, "%s_in = tl.load(%s%s%s%s%s)", to,
		     p->way == BY_MOVED_POINTER && moved ? (of[0] == 'x' ? "p_x" : "p_y")
							 : place(p, of, "at"),
		     *mask ? ", mask=" : "", mask, *mask ? real ? ", other=0.0" : ", other=0" : "",
		     word(w, 6, "", "", "", "", ", eviction_policy='evict_first'", ", cache_modifier='.cg'"));
	}
	line(w, "%s = %s_in.to(%s)", to, to, p->loaded);
}

static void store(Rows *p, const char *value, const char *of)
{
	Writer *w = &p->w;
	const char *mask = mask_text(p, "at");
	if (p->way == BY_BLOCK_OF_TURN && !p->flat && chance(w, 2))
		line(w,
		     "tl.store(tl.make_block_ptr(%s, (R, N), (LD, 1), (first, at), (%d, %d), (1, 0)), "
		     "(%s).to(%s.dtype.element_ty)%s)",
		     of, p->bm, p->bn, value, of, p->whole ? "" : ", boundary_check=(0, 1)");
	else
		line(w, "tl.store(%s, (%s).to(%s.dtype.element_ty)%s%s)", place(p, of, "at"), value, of,
		     *mask ? ", mask=" : "", mask);
}

/* ---- a pass ---- */

static void open_loop(Rows *p)
{
	Writer *w = &p->w;
	const char *arrays[] = {"x", "y"};
	for (int k = 0; k < 2; k++) {
		if (p->way == BY_MOVED_POINTER)
			line(w, "p_%s = %s", arrays[k], place(p, arrays[k], "0"));
		if (p->way == BY_MOVED_BLOCK && p->flat)
			line(w, "p_%s = tl.make_block_ptr(%s + i * LD, (N,), (1,), (0,), (%d,), (0,))",
			     arrays[k], arrays[k], p->bn);
		else if (p->way == BY_MOVED_BLOCK)
			line(w, "p_%s = tl.make_block_ptr(%s, (R, N), (LD, 1), (first, 0), (%d, %d), (1, 0))",
			     arrays[k], arrays[k], p->bm, p->bn);
	}
	switch (random_below(&w->r, 5)) {
	case 0: line(w, "for at in range(0, N, %d):", p->bn); break;
	case 1:
		line(w, "for t in range(0, tl.cdiv(N, %d)):", p->bn);
		line(w, "    at = t * %d", p->bn);
		break;
	case 2:
		line(w, "for at in tl.range(0, N, %d, num_stages=%d%s):", p->bn, 1 + random_below(&w->r, 4),
		     word(w, 3, "", ", loop_unroll_factor=2", ", loop_unroll_factor=4"));
		break;
	case 3:
		line(w, "for t in tl.range(0, tl.cdiv(N, %d), num_stages=%d):", p->bn,
		     1 + random_below(&w->r, 4));
		line(w, "    at = t * %d", p->bn);
		break;
	default:
		line(w, "for turn in tl.static_range(0, %d, %d):", p->columns, p->bn);
		line(w, "    at = turn + pid * 0");
		break;
	}
	w->depth++;
}

static void close_loop(Rows *p)
{
	Writer *w = &p->w;
	if (p->way == BY_MOVED_POINTER)
		line(w, "p_x, p_y = p_x + %d, p_y + %d", p->bn, p->bn);
	if (p->way == BY_MOVED_BLOCK)
		line(w,
		     p->flat ? "p_x, p_y = tl.advance(p_x, (%d,)), tl.advance(p_y, (%d,))"
			     : "p_x, p_y = tl.advance(p_x, (0, %d)), tl.advance(p_y, (0, %d))",
		     p->bn, p->bn);
	w->depth--;
}

static const char *vector(const Rows *p)
{
	static char text[40];
	snprintf(text, sizeof text, p->flat ? "()" : "(%d,)", p->bm);
	return text;
}

static const char *tile(const Rows *p)
{
	static char text[40];
	if (p->flat)
		snprintf(text, sizeof text, "(%d,)", p->bn);
	else
		snprintf(text, sizeof text, "(%d, %d)", p->bm, p->bn);
	return text;
}

static void keep(Rows *p, const char *name)
{
	for (int k = 0; k < p->kept_count; k++)
		if (strcmp(p->kept[k], name) == 0)
			return;
	if (p->kept_count < 4)
		p->kept[p->kept_count++] = name;
}

static void start_vector(Rows *p, const char *name, const char *value)
{
	line(&p->w, "%s = tl.full(%s, %s, tl.float32)", name, vector(p), value);
}

/* Sums, maxima, both at once. */
static void pass_reduce(Rows *p)
{
	Writer *w = &p->w;
	int which = random_below(&w->r, 6);
	bool second = chance(w, 2), branch = chance(w, 5), skip = !branch && chance(w, 6);
	int a = axis(p);
	const char *c = column(p);
	start_vector(p, "s", "0");
	start_vector(p, "m", "-100");
	line(w, "acc = tl.zeros(%s, tl.float32)", tile(p));
	line(w, "prev = tl.zeros(%s, tl.float32)", tile(p));
	open_loop(p);
	if (skip && p->way != BY_MOVED_POINTER && p->way != BY_MOVED_BLOCK) {
		line(w, "if tl.load(e + at // %d %% 64) == 0:", p->bn);
		line(w, "    continue");
	}
	load(p, "a", "x", true);
	if (second)
		load(p, "b", "y", true);
	line(w, "v = a%s", second ? " * b" : "");
	line(w, "v = v.to(tl.float32)");
	if (!p->whole && chance(w, 2))
		line(w, "v = tl.where(%s, v, 0)", mask_text(p, "at"));
	if (branch)
		line(w, "if tl.load(e + at // %d %% 64) > 0:", p->bn);
	w->depth += branch;
	switch (which) {
	case 0: line(w, "s += tl.sum(v, %d)", a); break;
	case 1: line(w, "acc += v"); break;
	case 2:
		line(w, "new = tl.maximum(m, tl.max(v, %d))", a);
		line(w, "s = s * tl.where(new > m, 0.5, 1.0) + tl.sum(tl.where(v >= new%s, 1.0, 0.0), %d)", c,
		     a);
		line(w, "m = new");
		break;
	case 3:
		line(w, "acc += v * prev");
		line(w, "prev = v");
		break;
	case 4:
		line(w, "n, t1, t2 = tl.reduce((v * 0 + 1, v, v), %d, three)", a);
		line(w, "s += t1 * 2 - n");
		line(w, "m = tl.maximum(m, t2)");
		break;
	default:
		line(w, "acc = tl.maximum(acc, v)");
		line(w, "s += tl.sum(v * v, %d)", a);
		break;
	}
	w->depth -= branch;
	close_loop(p);
	if (which == 1 || which == 3 || which == 5)
		line(w, "s += tl.sum(acc, %d)", a);
	keep(p, "s");
	keep(p, "m");
}

/* Sums along the row, with what came before. */
static void pass_scan(Rows *p)
{
	Writer *w = &p->w;
	int which = random_below(&w->r, 3), a = axis(p);
	const char *c = column(p);
	start_vector(p, "carry", "0");
	open_loop(p);
	load(p, "a", "x", true);
	line(w, "v = a.to(tl.float32)");
	if (which == 0) {
		line(w, "u = tl.cumsum(v, %d) + carry%s", a, c);
		line(w, "carry += tl.sum(v, %d)", a);
	} else if (which == 1) {
		load(p, "b", "y", true);
		line(w, "k = tl.where(b.to(tl.float32) > 0, 1.0, %s)", word(w, 2, "0.0", "-1.0"));
		line(w, "gate, u = tl.associative_scan((k, v), %d, after%s)", a,
		     chance(w, 4) ? ", reverse=True" : "");
		line(w, "u = u + gate * carry%s", c);
		line(w, "carry = tl.sum(tl.where(j%s == %d, u, 0), %d)", p->flat ? "" : "[None, :]",
		     p->bn - 1, a);
	} else {
		line(w, "u = tl.associative_scan(v, %d, larger) + carry%s", a, c);
		line(w, "carry = tl.maximum(carry, tl.max(v, %d))", a);
	}
	if (p->result == NESO_INT8)
		line(w, "u = tl.minimum(tl.maximum(u, -100), 100)");
	store(p, "u", "o");
	close_loop(p);
	keep(p, "carry");
}

/* Writes what passes before have made of it; or what was written, made again. */
static void pass_write(Rows *p, bool again)
{
	Writer *w = &p->w;
	bool looked = chance(w, 3), weights = chance(w, 2);
	if (again)
		line(w, "tl.debug_barrier()");
	open_loop(p);
	load(p, "a", "x", true);
	line(w, "u = a.to(tl.float32)");
	for (int k = 0; k < p->kept_count; k++)
		switch (random_below(&w->r, 4)) {
		case 0: line(w, "u = u + %s%s", p->kept[k], column(p)); break;
		case 1: line(w, "u = tl.where(u >= %s%s, 2, u)", p->kept[k], column(p)); break;
		case 2: line(w, "u = u * tl.where(%s > 4, 0.25, 1.0)%s", p->kept[k], column(p)); break;
		}
	if (weights)
		line(w, "u = u * tl.load(z + at + j%s)%s", p->whole ? "" : ", mask=at + j < N, other=0",
		     p->flat ? "" : "[None, :]");
	if (looked) {
		line(w, "which = tl.load(e + at + j%s)", p->whole ? "" : ", mask=at + j < N, other=0");
		line(w, "u += tl.load(z + which * 3)%s", p->flat ? "" : "[None, :]");
	}
	if (again)
		line(w, "u += tl.load(%s%s%s%s).to(tl.float32)", place(p, "o", "at"),
		     p->whole ? "" : ", mask=", mask_text(p, "at"), p->whole ? "" : ", other=0");
	if (p->result != NESO_FP32 && chance(w, 2))
		line(w, "u = tl.clamp(u, -%d.0, %d.0)", 1 + random_below(&w->r, 9),
		     1 + random_below(&w->r, 9));
	else
		line(w, "u = tl.minimum(tl.maximum(u, -100), 100)");
	store(p, "u", "o");
	close_loop(p);
}

/* Rows by number: what is loaded says where the next load is. */
static void pass_gather(Rows *p)
{
	Writer *w = &p->w;
	line(w, "got = tl.zeros((%d,), tl.float32)", p->bn);
	line(w, "for t in tl.range(0, %d, num_stages=%d):", 1 + random_below(&w->r, 9),
	     1 + random_below(&w->r, 4));
	w->depth++;
	line(w, "to = tl.load(q + t)");
	bool rows = chance(w, 2);
	line(w, "row = tl.load(x + to * LD + j, mask=j < N, other=0).to(tl.float32)");
	if (rows) {
		line(w, "more = tl.load(q + 16 + (t + tl.arange(0, 16)) %% 32)");
		line(w, "row += tl.sum(tl.load(z + more[:, None] * 3 + (j %% 8)[None, :]), 0)");
	}
	if (chance(w, 3)) {
		line(w, "if to %% 2 == 1:");
		line(w, "    row = -row");
	}
	line(w, "got += row * (t + 1)");
	w->depth--;
	line(w, "tl.store(g + pid * %d + j, got)", p->bn);
}

static void counts(Rows *p)
{
	Writer *w = &p->w;
	p->counted = true;
	open_loop(p);
	load(p, "a", "x", true);
	const char *mask = mask_text(p, "at");
	line(w, "bin = a.to(tl.int32) & 7");
	if (p->flat && chance(w, 2))
		line(w, "tl.atomic_add(h + tl.arange(0, 8), tl.histogram(bin, 8%s%s))",
		     *mask ? ", mask=" : "", mask);
	else
		line(w, "tl.atomic_add(h + bin, 1%s%s%s)", *mask ? ", mask=" : "", mask,
		     word(w, 3, "", ", sem='relaxed'", ", sem='relaxed', scope='gpu'"));
	close_loop(p);
}

/* One program after the other adds to the same numbers. */
static void locked(Rows *p)
{
	Writer *w = &p->w;
	line(w, "while tl.atomic_cas(l, 0, 1) == 1:");
	line(w, "    pass");
	line(w, "tl.debug_barrier()");
	line(w, "was = tl.load(l + 1, volatile=True)");
	line(w, "sums = tl.load(l + 16 + tl.arange(0, 16), volatile=True)");
	line(w, "tl.store(l + 16 + tl.arange(0, 16), sums + tl.arange(0, 16) * (pid + 1) + tl.where(was < 0, "
		"1, 0))");
	line(w, "tl.store(l + 1, was + 1)");
	line(w, "tl.debug_barrier()");
	line(w, chance(w, 2) ? "tl.atomic_xchg(l, 0)" : "tl.atomic_xchg(l, 0, sem='release')");
}

static void kernel(Rows *p)
{
	Writer *w = &p->w;
	fputs("import triton\nimport triton.language as tl\n\n\n@triton.jit\n"
	      "def three(n1, s1, m1, n2, s2, m2):\n    return n1 + n2, s1 + s2, tl.maximum(m1, m2)\n\n\n"
	      "@triton.jit\ndef after(a1, b1, a2, b2):\n    return a1 * a2, b1 * a2 + b2\n\n\n"
	      "@triton.jit\ndef larger(a, b):\n    return tl.maximum(a, b)\n\n\n@triton.jit\n"
	      "def kernel(x, y, z, o, g, v_out, h, l, e, q, N, R, LD):\n",
	      w->out);
	w->depth = 1;
	line(w, "pid = tl.program_id(0)");
	line(w, "j = tl.arange(0, %d)", p->bn);
	if (p->way == BY_DESCRIPTOR) {
		line(w, "d_x = tl.make_tensor_descriptor(x, [R, N], [LD, 1], [%d, %d])", p->bm, p->bn);
		line(w, "d_y = tl.make_tensor_descriptor(y, [R, N], [LD, 1], [%d, %d])", p->bm, p->bn);
	}
	int turns = (p->rows + p->bm * p->programs - 1) / (p->bm * p->programs);
	bool around = turns > 1 || chance(w, 2);
	if (around)
		line(w, "for block in %s(pid, tl.cdiv(R, %d), tl.num_programs(0)):",
		     word(w, 2, "range", "tl.range"), p->bm);
	else
		line(w, "block = pid");
	w->depth += around;
	line(w, "first = block * %d", p->bm);
	line(w, "i = first");
	if (!p->flat)
		line(w, "i = first + tl.arange(0, %d)", p->bm);
	if (p->widely)
		line(w, "i = i.to(tl.int64)");
	bool wrote = false;
	for (int n = 1 + random_below(&w->r, MAX_PASSES); n > 0; n--) {
		switch (random_below(&w->r, 6)) {
		case 0:
		case 1: pass_reduce(p); break;
		case 2:
			if (!wrote)
				pass_scan(p);
			wrote = true;
			break;
		case 3:
			if (!p->counted)
				counts(p);
			break;
		default: pass_write(p, wrote); wrote = true;
		}
	}
	if (!wrote && chance(w, 2))
		pass_write(p, false);
	for (int k = 0; k < p->kept_count; k++) {
		line(w, "tl.store(v_out + %d * R + i, %s%s)", k, p->kept[k],
		     p->flat || p->whole ? "" : ", mask=i < R");
	}
	w->depth -= around;
	if (chance(w, 4))
		pass_gather(p);
	if (chance(w, 5))
		locked(p);
}

void row_make(Case *c, uint64_t seed)
{
	Rows p = {.w = {.r = {seed}, .c = c}};
	Writer *w = &p.w;
	size_t size;
	memset(c, 0, sizeof *c);
	choose(&p);
	c->grid = (uint32_t)p.programs;
	c->num_warps = (uint32_t)random_pick(&w->r, 6, 4, 4, 8, 2, 1, 16);
	c->num_stages = (uint32_t)(1 + random_below(&w->r, 4));
	c->schedules = chance(w, 4) ? 2 : 1;
	c->ctas = (uint32_t)random_pick(&w->r, 8, 1, 1, 1, 1, 1, 1, 2, 4);
	c->fused = true;
	c->plain = chance(w, 8);
	c->new_floats = p.type == NESO_FP8E4NV;
	int count = (p.rows + p.bm) * p.stride + p.bn;
	bool sign = !is_unsigned(p.type);
	case_buffer(c, &w->r, "x", p.type, count, sign ? -2 : 0, 2);
	case_buffer(c, &w->r, "y", p.type, count, sign ? -1 : 0, 2);
	case_buffer(c, &w->r, "z", NESO_FP32, p.columns + p.bn + 256, -1, 1);
	case_buffer(c, &w->r, "o", p.result, count, 0, 0);
	case_buffer(c, &w->r, "g", NESO_FP32, p.bn * p.programs, 0, 0);
	case_buffer(c, &w->r, "v_out", NESO_FP32, p.rows * 4 + p.bm, 0, 0);
	case_buffer(c, &w->r, "h", NESO_INT32, 8, 0, 0);
	case_buffer(c, &w->r, "l", NESO_INT32, 64, 0, 0);
	case_buffer(c, &w->r, "e", NESO_INT32, p.columns + p.bn + 64, 0, 1);
	case_buffer(c, &w->r, "q", NESO_INT32, 64, 0, p.rows > 64 ? 64 : p.rows - 1);
	case_number(c, "N", p.columns);
	case_number(c, "R", p.rows);
	case_number(c, "LD", p.stride);
	w->out = open_memstream(&c->text, &size);
	kernel(&p);
	fclose(w->out);
}
