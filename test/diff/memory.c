/* Kernels whose loads and stores passes join, hold or forward, as whole programs: loads by masks
 * that exclude each other, rows that an inner loop loads again, tiles that are stored and loaded
 * again, products with rows of scales, products outside of loops, chunks of parts. What stands
 * between two accesses (nothing, stores, loops, branches, atomic operations, barriers, assertions)
 * is drawn for each. Values are small whole numbers, so that all sums are exact. */
#define _DEFAULT_SOURCE
#include <string.h>

#include "writer.h"

enum { JOINED, HELD, FORWARDED, SCALED, OUTSIDE, CHUNKS, BESIDE, ROUNDED, MIXED, FLAGGED, KINDS };
enum { ELEMENTS = 4096 };

typedef struct Memory {
	Writer w;
	neso_dtype type;
	int n; /* elements of a row */
} Memory;

static int pick(Memory *m, int below)
{
	return random_below(&m->w.r, below);
}

static const char *zero(const Memory *m)
{
	return is_float(m->type) ? "0.0" : "0";
}

static const char *hint(Memory *m)
{
	return word(&m->w, 8, "", "", "", "", ", cache_modifier='.cg'", ", eviction_policy='evict_last'",
		    ", volatile=True", ", cache_modifier='.cv'");
}

/* ---- between two accesses ---- */

/* A statement that stores to x, or looks as if; value: an expression of a row. */
static void write(Memory *m, const char *value)
{
	Writer *w = &m->w;
	const char *mask = word(w, 4, "", "", ", mask=i < N", ", mask=i % 3 == 0");
	int at = pick(m, 4) * m->n;
	line(w, "tl.debug_barrier()");
	switch (pick(m, 7)) {
	case 0: line(w, "tl.atomic_add(x + (i + %d), (%s).to(x.dtype.element_ty)%s)", at, value, mask); break;
	case 1: line(w, "tl.store(x + (pid + %d), (pid + 5).to(x.dtype.element_ty))", at + pick(m, 9)); break;
	case 2: line(w, "put(x + (i + %d), (%s).to(x.dtype.element_ty))", at, value); break;
	default: line(w, "tl.store(x + (i + %d), (%s).to(x.dtype.element_ty)%s)", at, value, mask); break;
	}
	line(w, "tl.debug_barrier()");
}

static void between(Memory *m, const char *value)
{
	Writer *w = &m->w;
	int which = pick(m, 12);
	switch (which) {
	case 0: write(m, value); return;
	case 1:
		line(w, "if T > %d:", pick(m, 6));
		w->depth++;
		write(m, value);
		w->depth--;
		return;
	case 2:
		line(w, "for q in range(T - %d):", pick(m, 4));
		w->depth++;
		write(m, value);
		w->depth--;
		return;
	case 3:
		line(w, "q = %d", pick(m, 3));
		line(w, "while q < T:");
		w->depth++;
		line(w, "q += 2");
		write(m, value);
		w->depth--;
		return;
	case 4: line(w, "tl.debug_barrier()"); return;
	case 5: line(w, "tl.device_assert(T < 100, 'T')"); return;
	case 6: line(w, "tl.atomic_add(h, 1)"); return;
	case 7:
		line(w, "if T > %d:", pick(m, 6));
		line(w, "    tl.store(o + 8 * %d + i, i.to(o.dtype.element_ty))", m->n);
		return;
	default: return;
	}
}

/* ---- loads by masks that exclude each other ---- */

static void joined(Memory *m)
{
	Writer *w = &m->w;
	int n = m->n, first = 16 * (1 + pick(m, n / 16 - 1)), count = 2 + pick(m, 2);
	int second = first + 16 * pick(m, (n - first) / 16);
	bool loop = chance(w, 3), carried = chance(w, 4), plain = chance(w, 2);
	const char *valid = word(w, 3, "", " & (i < N)", " & ok");
	line(w, "ok = i // 16 < N // 16");
	switch (pick(m, 4)) {
	case 0: line(w, "m0, m1, m2 = i < %d, i >= %d, i >= %d", first, first, n); break;
	case 1:
		line(w, "m0, m1, m2 = i < %d, (i >= %d) & (i < %d), i >= %d", first, first, second, second);
		break;
	case 2: line(w, "m0, m1, m2 = i // 16 < T, ~(i // 16 < T), i >= %d", n); break;
	default: line(w, "m0, m1, m2 = i < %d, i > %d, i >= %d", first, second - 1, n); break;
	}
	if (carried) {
		line(w, "for q in range(T - 2):");
		line(w, "    m0, m1 = i // 16 < q + %d, i // 16 > %d - q", 1 + pick(m, 4), pick(m, 6));
		line(w, "m1 = ~m1");
	}
	line(w, "s = tl.zeros((%d,), tl.float32)", n);
	if (loop) {
		line(w, "for t in range(%s):", word(w, 3, "T", "3", "T - 4"));
		w->depth++;
	}
	const char *turn = loop ? " + t * 16" : "";
	const char *others[] = {"", ", other=OTHER", ", other=1"};
	const char *other = others[1 + pick(m, 2)];
	const char *hints = plain ? "" : hint(m);
	const char *names = "abc";
	for (int k = 0; k < count; k++) {
		line(w, "%c = tl.load(%s + (i + %d%s), mask=m%d%s%s%s)", names[k],
		     !plain && chance(w, 8) ? "z" : "x", pick(m, 4) * n + 16 * pick(m, 2), turn, k, valid,
		     plain || strcmp(other, ", other=OTHER") == 0 ? ", other=0" : other,
		     !plain && chance(w, 6) ? hint(m) : hints);
		if (!plain || chance(w, 3))
			between(m, "i * 2");
	}
	switch (pick(m, 4)) {
	case 0:
		line(w, "u = tl.where(m0%s, -a, %s)", valid, count > 2 ? "tl.where(m1, b * 2, c)" : "b * 2");
		break;
	case 1: line(w, "u = tl.where(m0, a + 1, tl.where(m1, b, %s))", count > 2 ? "c" : "7"); break;
	case 2: line(w, "u = tl.where(m0, a, %s) + tl.where(m1, b, %s)", zero(m), zero(m)); break;
	default:
		line(w, "tl.store(o + (i + 4 * %d), a.to(o.dtype.element_ty), mask=m0%s)", n, valid);
		line(w, "u = tl.where(m1, b, %s)", count > 2 ? "tl.where(m2, c, 0)" : "3");
		break;
	}
	line(w, "s += u.to(tl.float32)");
	w->depth -= loop;
	line(w, "tl.store(o + i, s.to(o.dtype.element_ty))");
}

/* ---- rows that an inner loop loads again ---- */

static void held(Memory *m)
{
	Writer *w = &m->w;
	int step = m->n;
	const char *names[] = {"x", "z"};
	line(w, "total = tl.zeros((%d,), tl.float32)", m->n);
	line(w, "for k in %s:", word(w, 4, "range(4)", "range(2, 7)", "range(5, 0, -2)", "range(T)"));
	w->depth++;
	if (chance(w, 3))
		line(w, "p = x + i");
	line(w, "s = tl.zeros((%d,), tl.float32)", m->n);
	line(w, "for b in %s:", word(w, 3, "range(TO)", "range(0, TO * 1, 1)", "tl.range(TO)"));
	w->depth++;
	line(w, "v = tl.load(%s + (b * %d + i)%s%s).to(tl.float32)", names[pick(m, 2)], step,
	     word(w, 3, "", ", mask=b * 64 + i < N * 2, other=3", ", mask=i < N - k, other=2"),
	     chance(w, 4) ? hint(m) : "");
	if (chance(w, 3))
		between(m, "i + k");
	line(w, "s += tl.maximum(v - tl.max(total, 0) %% 8, -50.0)");
	w->depth--;
	if (chance(w, 3))
		between(m, "i - k");
	line(w, "total = total + s * %s", word(w, 3, "1", "k", "(k % 2)"));
	if (chance(w, 4)) {
		line(w, "if T == k:");
		line(w, "    tl.store(o + (i + 2 * %d), total.to(o.dtype.element_ty))", m->n);
	}
	w->depth--;
	line(w, "tl.store(o + i, (total %% 64).to(o.dtype.element_ty))");
}

/* ---- what was stored ---- */

static void forwarded(Memory *m)
{
	Writer *w = &m->w;
	bool loop = chance(w, 2), shared = loop;
	line(w, "p = x + (i + T * %d)", pick(m, 2) * 16);
	line(w, "r = x + %s", word(w, 4, "i // 2", "T * i", "tl.where(i < 8, i, i - 4)", "(i + T)"));
	line(w, "v = tl.load(p)");
	line(w, "u = v.to(tl.float32)");
	if (loop) {
		line(w, "for t in range(%s):", word(w, 3, "T", "3", "T - 5"));
		w->depth++;
	}
	for (int k = 2 + pick(m, 4); k > 0; k--) {
		const char *where = word(w, 4, "", "", "i < N", "i % 5 != 1"), *to = chance(w, 4) ? "r" : "p";
		bool masked = *where, again = masked && !chance(w, 4);
		bool met = *to == 'r' || shared || chance(w, 4);
		shared = *to == 'r';
		if (shared) /* elements may have one address: all store the same */
			line(w, "u = tl.zeros((%d,), tl.float32) + %d", m->n, k);
		if (met)
			line(w, "tl.debug_barrier()");
		line(w, "tl.store(%s, ((u + %d) %% 32).to(x.dtype.element_ty)%s%s)", to, k,
		     masked ? ", mask=" : "", where);
		if (met)
			line(w, "tl.debug_barrier()");
		between(m, "(i + T) % 32");
		if (again)
			line(w, "u += tl.load(%s, mask=%s).to(tl.float32)", to, where);
		else
			line(w, "u += tl.load(%s%s).to(tl.float32)", to, hint(m));
	}
	w->depth -= loop;
	line(w, "tl.store(o + i, (u %% 64).to(o.dtype.element_ty))");
}

/* ---- products ---- */

static void scaled(Memory *m)
{
	Writer *w = &m->w;
	bool wide = chance(w, 3);
	const char *columns = word(w, 6, "column + j", "(column + j) % W", "j", "(column + j) % 48",
				   "column - 40 + j", "(j - 20) % W");
	line(w, "j, k, rows = tl.arange(0, 64), tl.arange(0, 32), tl.arange(0, 64)");
	line(w, "column = pid * %d", 64 - 16 * pick(m, 2));
	line(w, wide ? "c = (%s).to(tl.int64)" : "c = %s", columns);
	line(w, "c = c // %s", word(w, 3, "BY", "32", "BY"));
	if (chance(w, 3))
		line(w, "c = c * 2 + 1");
	line(w, "acc = tl.zeros((64, 64), tl.float32)");
	line(w, "for at in range(0, %s, 32):", word(w, 3, "128", "T * 32", "32"));
	w->depth++;
	line(w, "a = tl.load(y + rows[:, None] * 128 + at + k[None, :])");
	line(w, "b = tl.load(y + 8192 + j[None, :] * 128 + at + k[:, None])");
	line(w, "f = tl.load(f32 + %s%s)",
	     word(w, 4, "(512 + c + at)", "512 + at // 32 * 8 + c", "(512 - c)", "512 + c + at"),
	     word(w, 4, "", "", ", cache_modifier='.cg'", ", eviction_policy='evict_first'"));
	line(w, "g = tl.load(f32 + (2048 + rows * 4 + at // 32))");
	if (w->c->grid == 1) {
		line(w, "tl.debug_barrier()");
		line(w, "tl.store(f32 + (480 + tl.arange(0, 64)), tl.arange(0, 64).to(tl.float32) %% 4)");
		line(w, "tl.debug_barrier()");
	}
	line(w, "acc += tl.dot(a, b, out_dtype=tl.%s).to(tl.float32) * %s", "float32",
	     word(w, 3, "f[None, :]", "f[None, :] * g[:, None]", "g[:, None] * f[None, :]"));
	w->depth--;
	line(w, "tl.store(big + pid * 4096 + rows[:, None] * 64 + j[None, :], acc)");
}

static void outside(Memory *m)
{
	Writer *w = &m->w;
	int bm = chance(w, 2) ? 128 : 64;
	line(w, "r, j, k = tl.arange(0, %d), tl.arange(0, 128), tl.arange(0, 64)", bm);
	line(w, "acc = tl.zeros((%d, 128), tl.float32)", bm);
	for (int n = 2 + pick(m, 2); n > 0; n--) {
		const char *mask = word(w, 4, "", "", ", mask=r[:, None] < N, other=0",
					", mask=(k[None, :] < N), other=1");
		line(w, "a = tl.load(y + %d + r[:, None] * 64 + k[None, :]%s)", pick(m, 3) * 1024, mask);
		line(w, "b = tl.load(y + %d + %s%s)", pick(m, 3) * 1024,
		     chance(w, 2) ? "k[:, None] * 128 + j[None, :]" : "k[:, None] + j[None, :] * 64",
		     hint(m));
		line(w, "acc %s tl.dot(a, b)", word(w, 2, "+=", "-="));
		int which = pick(m, 6);
		if (which < 3) {
			if (which == 1)
				line(w, "if T > %d:", pick(m, 6));
			if (which == 2)
				line(w, "for q in range(T - %d):", pick(m, 5));
			w->depth += which > 0;
			line(w, "tl.debug_barrier()");
			line(w, "tl.store(y + r[:, None] * 64 + k[None, :], ((r[:, None] + k[None, :] + T) "
				"%% 3).to(y.dtype.element_ty))");
			line(w, "tl.debug_barrier()");
			w->depth -= which > 0;
		} else if (which == 3) {
			line(w, "for q in range(0, T * 32, 32):");
			line(w, "    acc = tl.dot(tl.load(y + q + r[:, None] * 64 + tl.arange(0, 32)[None, "
				":]), tl.load(y + (q + tl.arange(0, 32))[:, None] * 128 + j[None, :]), acc)");
		}
	}
	line(w, "tl.store(big + r[:, None] * 128 + j[None, :], acc)");
}

static void chunks(Memory *m)
{
	Writer *w = &m->w;
	int by = random_pick(&w->r, 3, 64, 128, 256), part = by / random_pick(&w->r, 3, 1, 1, 2);
	const char *wide = word(w, 3, "", "", ".to(tl.int64)");
	line(w, "s = tl.zeros((%d,), tl.float32)", part);
	line(w, "a = tl.arange(0, %d)", part);
	line(w, "n = N%s", wide);
	line(w, "for c in range(%s, tl.cdiv(%s, %d)):", word(w, 3, "0", "1", "0"),
	     word(w, 3, "n", "n", "(n + 1)"), by);
	w->depth++;
	line(w, "rest = n - c * %d", by);
	line(w, "most = tl.minimum(rest, %d)", by);
	line(w, "for q in range(0, tl.cdiv(most, %d)):", part);
	w->depth++;
	line(w, "at = c * %d + q * %d + a", by, part);
	line(w, "s += tl.load(z + at, mask=at < n, other=0).to(tl.float32) * (q + 1)");
	if (chance(w, 3))
		line(w, "tl.atomic_add(h + 1, 1)");
	w->depth--;
	line(w, "if tl.cdiv(rest, %d) == 1:", by);
	line(w, "    s += 1");
	w->depth--;
	line(w, "tl.store(big + a, s)");
}

/* Small tiles and scalars of loops of products, beside stores of what may be the same. */
static void beside(Memory *m)
{
	Writer *w = &m->w;
	const char *step = word(w, 4, "at", "(96 - at)", "at // 2", "at * 0");
	line(w, "r, j, k = tl.arange(0, 64), tl.arange(0, 32), tl.arange(0, 32)");
	line(w, "acc = tl.zeros((64, 32), tl.float32)");
	line(w, "e = 0.0");
	line(w, "for at in range(0, %s, 32):", word(w, 3, "128", "T * 16", "N // 2"));
	w->depth++;
	line(w, "a = tl.load(y + 8192 + r[:, None] * 128 + at + k[None, :])");
	line(w, "b = tl.load(y + (at + k)[:, None] * 32 + j[None, :])");
	line(w, "v = tl.load(f32 + 256 + %s + r)", step);
	line(w, "c = tl.load(f32 + %d + %s)", random_pick(&w->r, 3, 300, 256, 1024), step);
	if (chance(w, 4))
		line(w, "c += tl.load(h + 8 + tl.load(h + 16 + at // 32).to(tl.int32) %% 4)");
	line(w, "acc += tl.dot(a, b) * v[:, None]");
	line(w, "e += c");
	bool met = false;
	switch (pick(m, 6)) {
	case 0:
		met = true, line(w, "tl.debug_barrier()"),
		line(w, "tl.store(f32 + %d + at + r, (r + at) %% 7 * 1.0)",
		     random_pick(&w->r, 3, 288, 1024, 320));
		break;
	case 1: met = true, line(w, "tl.store(f32 + 288 + at, at %% 5 * 1.0)"); break;
	case 2: line(w, "tl.store(big + 8192 + at * 2 + r, v + at)"); break;
	case 3: met = true, line(w, "tl.atomic_add(f32 + 288 + at, 1.0)"); break;
	case 4:
		line(w, "if at == 32:");
		line(w, "    tl.store(f32 + 300 + at, e %% 16)");
		break;
	default: break;
	}
	if (met)
		line(w, "tl.debug_barrier()");
	w->depth--;
	line(w, "tl.store(big + r[:, None] * 32 + j[None, :], acc)");
	line(w, "tl.store(big + 4096, e)");
}

/* Products that are rounded to the type that their operands have, of any numbers. */
static void rounded(Memory *m)
{
	Writer *w = &m->w;
	const char *type = m->type == NESO_FP16 ? "tl.float16" : "tl.bfloat16";
	const char *to = chance(w, 4) ? m->type == NESO_FP16 ? "tl.bfloat16" : "tl.float16" : type;
	line(w, "r = tl.arange(0, 16)");
	line(w, "a = tl.load(x + i)");
	line(w, "b = tl.load(x + 512 + %s)", word(w, 3, "i", "pid", "i // 4"));
	line(w, "c = tl.load(x + 1024 + i)");
	bool spread = chance(w, 3);
	if (spread) {
		line(w, "b = tl.load(x + 512 + r)");
		line(w, "q = (a.to(tl.float32)[None, :] * b.to(tl.float32)[:, None]).to(%s)", to);
		line(w, "c = tl.load(x + 1024 + r)[:, None]");
	} else {
		line(w, "q = (%s).to(%s)",
		     word(w, 3, "a.to(tl.float32) * b.to(tl.float32)", "a.to(tl.float32) * b",
			  "a.to(tl.float32) * a.to(tl.float32)"),
		     to);
	}
	if (chance(w, 3))
		line(w, "q = (q.to(tl.float32) + c.to(tl.float32)).to(%s)", to);
	switch (pick(m, 5)) {
	case 0: line(w, "u = q.to(tl.float32) - c.to(tl.float32)"); break;
	case 1: line(w, "u = (q.to(tl.float32) + c.to(tl.float32)).to(%s)", to); break;
	case 2: line(w, "u = tl.where(q > c, q, c).to(tl.float32)"); break;
	case 3: line(w, "u = (q.to(tl.float32) * c.to(tl.float32)).to(%s) + c.to(%s)", to, to); break;
	default: line(w, "u = -q"); break;
	}
	line(w,
	     spread ? "tl.store(big + r[:, None] * %d + i[None, :], u.to(tl.float32))"
		    : "tl.store(big + i + 0 * %d, u.to(tl.float32))",
	     m->n);
}

/* Two types that a third one holds, and what is made of them rounded to any: each step is rounded
 * once. */
static void mixed(Memory *m)
{
	Writer *w = &m->w;
	static const char *const narrow[] = {"tl.float16", "tl.bfloat16", "tl.float32", "tl.float8e5"};
	const char *in = word(w, 4, "tl.float32", "tl.float32", "tl.float32", "tl.float64");
	line(w, "a = tl.load(x + i)");
	line(w, "b = tl.load(z + %s)", word(w, 3, "i", "pid", "i // 2"));
	line(w, "c = tl.load(x + 1024 + i)");
	line(w, "d = tl.load(z + 1024 + i)");
	line(w, "u, v = a.to(%s), b.to(%s)", in, in);
	for (int k = 1 + pick(m, 4); k > 0; k--) {
		const char *other = word(w, 4, "v", "c.to(IN)", "d.to(IN)", "u");
		const char *type = strncmp(other, "v", 1) == 0 || strncmp(other, "u", 1) == 0 ? other
				   : *other == 'c'					      ? "c"
											      : "d";
		char text[40];
		snprintf(text, sizeof text, *type == 'c' || *type == 'd' ? "%s.to(%s)" : "%s", type, in);
		switch (pick(m, 7)) {
		case 0: line(w, "u = u + %s", text); break;
		case 1: line(w, "u = u - %s", text); break;
		case 2: line(w, "u = u * %s", text); break;
		case 3: line(w, "u = tl.where(u > %s, u, %s)", text, text); break;
		case 4: line(w, "u = -tl.abs(u)"); break;
		case 5: line(w, "u = %s * u", text); break;
		default: break;
		}
		if (chance(w, 2))
			line(w, "u = u.to(%s).to(%s)", narrow[pick(m, 4)], in);
		if (chance(w, 4))
			line(w, "v = u");
	}
	const char *to = narrow[pick(m, 4)];
	line(w, "r = u.to(%s).to(tl.float32)", to);
	line(w, "tl.store(big + i, tl.where(r != r, 0.0, r))");
}

/* One program stores, and says so; the others wait for that, between loads that would like to be
 * together, and load what it has stored. */
static void flagged(Memory *m)
{
	Writer *w = &m->w;
	int way = pick(m, 4), turns = way == 0 ? 1 : 1 + pick(m, 3);
	const char *wait =
		word(w, 4, "while tl.atomic_add(h + t, 0, sem='acquire') < 5:",
		     "while tl.atomic_cas(h + t, 7, 7) != 5:", "while tl.load(h + t, volatile=True) < 5:",
		     "while tl.load(h + t, cache_modifier='.cv') != 5:");
	bool descriptor = way > 1 && chance(w, 2), between = chance(w, 2);
	line(w, "r, j = tl.arange(0, 64), tl.arange(0, 64)");
	line(w, "at = r[:, None] * 64 + j[None, :]");
	if (descriptor)
		line(w, "d = tl.make_tensor_descriptor(y, [%d, 64], [64, 1], [64, 64])", 64 * turns);
	line(w, "if pid == 0:");
	line(w, "    for t in range(%d):", turns);
	w->depth += 2;
	if (way == 0)
		line(w, "tl.store(x + i, (i %% 7 + 1).to(x.dtype.element_ty))");
	else if (chance(w, 4) && descriptor)
		line(w, "d.store([t * 64, 0], ((at + t) %% 3).to(y.dtype.element_ty))");
	else
		line(w, "tl.store(y + t * 4096 + at, ((at + t) %% 3).to(y.dtype.element_ty))");
	line(w, "tl.atomic_xchg(h + t, 5%s)", word(w, 2, "", ", sem='release'"));
	w->depth -= 2;
	line(w, "else:");
	w->depth++;
	if (way == 0) {
		line(w, "t = 0");
		line(w, "a = tl.load(x + (i + %d), mask=i < %d, other=0)", m->n, m->n / 2);
		line(w, "%s", wait);
		line(w, "    pass");
		line(w, "b = tl.load(x + i, mask=i >= %d, other=0)", m->n / 2);
		line(w, "tl.store(o + i, tl.where(i < %d, a, b).to(o.dtype.element_ty))", m->n / 2);
		w->depth--;
		return;
	}
	line(w, "a = tl.load(y + 16384 + at)");
	line(w, "acc = tl.zeros((64, 64), tl.float32)");
	if (between)
		line(w, "acc = tl.dot(a, tl.load(y + 20480 + at), acc)");
	line(w, turns > 1 ? "for t in range(%d):" : "t = pid - %d", turns);
	w->depth += turns > 1;
	line(w, "%s", wait);
	line(w, "    pass");
	line(w, descriptor ? "b = d.load([t * 64, 0])" : "b = tl.load(y + t * 4096 + at)");
	line(w, "acc = tl.dot(%s, acc)", word(w, 2, "a, b", "b, a"));
	if (chance(w, 3))
		line(w, "acc += tl.load(f32 + r)[:, None]");
	w->depth -= turns > 1;
	line(w, "tl.store(big + at, acc)");
	w->depth--;
}

void memory_make(Case *c, uint64_t seed)
{
	static const neso_dtype types[] = {NESO_FP32, NESO_FP16,  NESO_BF16, NESO_INT32,
					   NESO_INT8, NESO_INT64, NESO_FP64, NESO_INT16};
	Memory m = {.w = {.r = {seed}, .c = c}};
	Writer *w = &m.w;
	size_t size;
	memset(c, 0, sizeof *c);
	int kind = pick(&m, KINDS);
	m.type = types[pick(&m, kind == JOINED || kind == HELD || kind == FORWARDED ? 4 : 8)];
	m.n = random_pick(&w->r, 4, 32, 64, 128, 256);
	bool products = kind == SCALED || kind == OUTSIDE || kind == BESIDE || kind == FLAGGED;
	static const neso_dtype floats[] = {NESO_FP16, NESO_BF16, NESO_FP32, NESO_FP8E5};
	neso_dtype other = m.type;
	if (kind == MIXED) {
		m.type = floats[pick(&m, 4)];
		other = floats[pick(&m, 4)];
	}
	if (kind == ROUNDED)
		other = m.type = chance(w, 2) ? NESO_FP16 : NESO_BF16;
	c->grid = kind == FLAGGED ? 2 : kind == SCALED ? (uint32_t)random_pick(&w->r, 3, 1, 2, 2) : 1;
	c->num_warps = (uint32_t)(products ? random_pick(&w->r, 3, 4, 4, 8)
					   : random_pick(&w->r, 7, 1, 1, 2, 4, 8, 16, 32));
	c->num_stages = (uint32_t)(1 + pick(&m, 4));
	c->schedules = chance(w, 4) ? 2 : 1;
	if (kind == FLAGGED)
		c->schedules = 3;
	c->ctas = (uint32_t)random_pick(&w->r, 12, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2);
	c->fused = kind != MIXED;
	c->plain = chance(w, 8);
	case_buffer(c, &w->r, "x", m.type, ELEMENTS, -8, 8);
	case_buffer(c, &w->r, "z", other, ELEMENTS, -8, 8);
	c->args[0].small = kind != ROUNDED && kind != MIXED;
	c->args[1].small = kind != MIXED;
	case_buffer(c, &w->r, "o", m.type, ELEMENTS, -8, 8);
	case_buffer(c, &w->r, "y", chance(w, 2) ? NESO_FP16 : NESO_BF16, 24576, -2, 2);
	case_buffer(c, &w->r, "f32", NESO_FP32, ELEMENTS, 0, 3);
	case_buffer(c, &w->r, "big", NESO_FP32, 16384, 0, 0);
	case_buffer(c, &w->r, "h", NESO_INT32, 64, 0, 3);
	case_number(c, "N", random_pick(&w->r, 6, 0, 16, 48, 100, 256, 500));
	case_number(c, "T", random_pick(&w->r, 5, 0, 1, 3, 4, 6));
	case_number(c, "W", random_pick(&w->r, 4, 64, 128, 80, 112));
	case_number(c, "BY", random_pick(&w->r, 4, 32, 128, 64, 48));
	w->out = open_memstream(&c->text, &size);
	fprintf(w->out, "import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef put(p, v):\n    "
			"tl.store(p, v)\n\n\n"
			"@triton.jit\ndef kernel(x, z, o, y, f32, big, h, N, T, W, BY):\n");
	w->depth = 1;
	line(w, "pid = tl.program_id(0)");
	line(w, "TO: tl.constexpr = %d", 1 + pick(&m, 4));
	line(w, "i = tl.arange(0, %d)", m.n);
	void (*const make[])(Memory *) = {joined, held,	  forwarded, scaled, outside,
					  chunks, beside, rounded,   mixed,  flagged};
	make[kind](&m);
	fclose(w->out);
}
