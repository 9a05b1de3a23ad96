/* Products in loops of every form that the language has, as whole programs: what a loop carries
 * lies in names, tuples, records, aggregates or lists; loops are left in two places, by `return`,
 * or are a function that calls itself; operands come by rows' numbers, from packed bytes, from
 * inline assembly, from scans and gathers; sums are sorted, counted, scanned and gathered in the
 * loop and behind it. Each program has memory of its own. Sums of whole numbers that stay exact
 * have one result. */
#define _DEFAULT_SOURCE
#include <stdlib.h>
#include <string.h>

#include "writer.h"

enum { NAMES, TUPLE, NESTED, RECORD, AGGREGATE, LIST, CARRIES };
enum { COUNTS, DOWN, TWO_EXITS, FLAG, RETURNS, RECURSION, CASES, WITH_ELSE, TWO_LOOPS, CONTROLS };
enum { TURNS = 6 }; /* at most */

typedef struct Form {
	Writer w;
	neso_dtype type;
	const char *name, *sum; /* of the type, and of what products are summed in */
	int bm, bn, bk, carry, control, leave; /* leave: where a loop is left, one of so many */
	bool whole_numbers, descriptor, bytes;
} Form;

static int pick(Form *f, int below)
{
	return random_below(&f->w.r, below);
}

static void choose(Form *f)
{
	static const neso_dtype types[] = {NESO_FP16, NESO_FP16, NESO_BF16, NESO_FP32, NESO_INT8, NESO_FP8E5};
	static const char *const names[] = {"float16", "float16", "bfloat16", "float32", "int8", "float8e5"};
	Random *r = &f->w.r;
	int which = pick(f, 6);
	f->type = types[which];
	f->name = names[which];
	f->whole_numbers = f->type == NESO_INT8;
	f->sum = f->whole_numbers ? "int32" : "float32";
	f->bm = random_pick(r, 5, 16, 32, 64, 64, 128);
	f->bn = random_pick(r, 4, 16, 32, 64, 128);
	f->bk = random_pick(r, 3, 32, 64, 128);
	while (f->bm * f->bn > 4096)
		f->bn /= 2;
	while (f->bm * f->bk > 4096)
		f->bk /= 2;
	f->carry = pick(f, CARRIES);
	f->control = pick(f, CONTROLS);
	if (f->carry == AGGREGATE && f->control != DOWN && f->control != FLAG && f->control != CASES)
		f->carry = RECORD; /* no field is assigned behind an exit */
	f->descriptor = chance(&f->w, 3);
	f->bytes = chance(&f->w, 5);
}

/* ---- what is carried: acc, side (a number for each row), n ---- */

static void pack(Form *f)
{
	Writer *w = &f->w;
	switch (f->carry) {
	case TUPLE: line(w, "st = (acc, side, n)"); break;
	case NESTED: line(w, "st = ((acc, n), side)"); break;
	case RECORD: line(w, "st = State(acc, side, n)"); break;
	case LIST: line(w, "st[0], st[1], st[2] = acc, side, n"); break;
	case AGGREGATE: line(w, "st.acc, st.side = acc, side"); line(w, "st.n = n");
	}
}

static void unpack(Form *f)
{
	Writer *w = &f->w;
	switch (f->carry) {
	case TUPLE: line(w, "acc, side, n = st"); break;
	case NESTED: line(w, "(acc, n), side = st"); break;
	case RECORD:
	case AGGREGATE: line(w, "acc, side, n = st.acc, st.side, st.n"); break;
	case LIST: line(w, "acc, side, n = st[0], st[1], st[2]"); break;
	}
}

static void start(Form *f)
{
	Writer *w = &f->w;
	line(w, "acc = tl.zeros((%d, %d), tl.%s)", f->bm, f->bn, f->sum);
	line(w, "side = tl.zeros((%d,), tl.float32)", f->bm);
	line(w, "n = T * 0");
	if (f->carry == LIST)
		line(w, "st = [acc, side, n]");
	else if (f->carry == AGGREGATE)
		line(w, "st = Mutable(acc, side, n)");
	else
		pack(f);
}

/* ---- operands ---- */

static void load_operands(Form *f)
{
	Writer *w = &f->w;
	int part = f->bm * f->bk;
	if (f->bytes && f->whole_numbers) {
		line(w, "p = tl.load(a + t * %d + r[:, None] * %d + tl.arange(0, %d)[None, :])", part, f->bk,
		     f->bk / 2);
		line(w, "x = tl.interleave((p & 3).to(tl.int8), ((p >> 2) & 3).to(tl.int8))");
	} else if (f->descriptor && f->bm >= 8 && chance(w, 2)) {
		line(w,
		     "x = tl.make_tensor_descriptor(a, [%d, %d], [%d, 1], [1, %d]).gather(t * %d + (r * 5 + "
		     "3) %% "
		     "%d, 0)",
		     TURNS * f->bm, f->bk, f->bk, f->bk, f->bm, f->bm);
	} else if (f->descriptor) {
		line(w, "x = tl.make_tensor_descriptor(a, [%d, %d], [%d, 1], [%d, %d]).load([t * %d, 0])",
		     TURNS * f->bm, f->bk, f->bk, f->bm, f->bk, f->bm);
	} else {
		line(w, "x = tl.load(a + t * %d + r[:, None] * %d + k[None, :]%s)", part, f->bk,
		     word(w, 3, "", ", mask=k[None, :] < N, other=0", ", mask=(r < N)[:, None], other=1"));
	}
	line(w, "y = tl.load(b + t * %d + %s%s)", f->bk * f->bn,
	     chance(w, 2) ? "k[:, None] * BN + s[None, :]" : "k[:, None] + s[None, :] * BK",
	     word(w, 2, "", ", mask=k[:, None] < N, other=0"));
}

/* One operand is made of what was loaded. Values stay small. */
static void make_operand(Form *f, const char *v)
{
	Writer *w = &f->w;
	bool a = *v == 'x';
	int rows = a ? f->bm : f->bk, columns = a ? f->bk : f->bn;
	switch (pick(f, 12)) {
	case 0:
		line(w, "z = %s.to(tl.int32)", v);
		line(w, "z = tl.inline_asm_elementwise(\"{ add.s32 $0, $1, $2; }\", \"=r,r,r\", [z, z], "
			"dtype=tl.int32, "
			"is_pure=True, pack=1)");
		line(w, "%s = z.to(tl.%s)", v, f->name);
		break;
	case 1:
		line(w, "at = tl.load(q + tl.arange(0, %d)) %% %d + tl.zeros((%d, %d), tl.int32)", columns,
		     columns, rows, columns);
		line(w, "%s = tl.gather(%s, at, 1)", v, v);
		break;
	case 2: line(w, "%s = tl.flip(%s, %d)", v, v, pick(f, 2)); break;
	case 3: line(w, "%s = tl.sort(%s, 1)", v, v); break;
	case 4:
		line(w, "_, z = tl.associative_scan((%s.to(tl.int32) & 1, %s.to(tl.int32)), %d, last%s)", v,
		     v, pick(f, 2), word(w, 2, "", ", reverse=True"));
		line(w, "%s = z.to(tl.%s)", v, f->name);
		break;
	case 5: line(w, "%s = tl.map_elementwise(fold, %s.to(tl.int32)).to(tl.%s)", v, v, f->name); break;
	case 6: line(w, "%s = twice(%s, %d).to(tl.%s)", v, v, pick(f, 3), f->name); break;
	case 7: line(w, "%s = tl.where(r0(%s, t), %s, 0).to(tl.%s)", v, v, v, f->name); break;
	default: break;
	}
}

static void product(Form *f)
{
	Writer *w = &f->w;
	const char *text = word(w, 3, "acc = tl.dot(x, y, acc, out_dtype=tl.SUM)",
				"acc += tl.dot(x, y, out_dtype=tl.SUM)", "acc = multiply(acc, x, y)");
	if (f->control == CASES) {
		line(w, "match t %% %d:", 2 + pick(f, 2));
		line(w, "    case 0:");
		line(w, "        %s", text);
		line(w, "    case 1 | 4 as way%s:", word(w, 2, "", " if way < N"));
		line(w, "        acc = tl.dot(x, y, acc * %s, out_dtype=tl.SUM)",
		     word(w, 3, "way", "-1", "2"));
		line(w, "    case _:");
		line(w, "        acc -= 1");
		return;
	}
	if (chance(w, 6)) {
		line(w, "if tl.load(e + %d + t) > 0:", pick(f, 9));
		line(w, "    %s", text);
		line(w, "%s", word(w, 2, "else:", "elif t > 1:"));
		line(w, "    acc = -acc");
		return;
	}
	line(w, "%s", text);
}

/* ---- what is made of the sums ---- */

static void sums_in_the_loop(Form *f)
{
	Writer *w = &f->w;
	switch (pick(f, 12)) {
	case 0: line(w, "side += tl.max(acc, 1).to(tl.float32)"); break;
	case 1: line(w, "side += tl.argmax(acc, 1).to(tl.float32)"); break;
	case 2:
		line(w, "_, side = tl.associative_scan((r & 1, side), 0, last%s)",
		     word(w, 2, "", ", reverse=True"));
		line(w, "side += tl.sum(x.to(tl.float32), 1)");
		break;
	case 3:
		line(w, "side += tl.sum(x.to(tl.float32), 1)");
		line(w, "tl.atomic_add(h + tl.arange(0, 16), tl.histogram(side.to(tl.int32) & 15, 16))");
		break;
	case 4: line(w, "side = tl.sort(side + r, descending=%s)", word(w, 2, "True", "False")); break;
	case 5: line(w, "n += tl.sum((acc > 0).to(tl.int32))"); break;
	case 6:
		line(w, "tl.atomic_store(w8 + t, (n + 1).to(tl.int8))");
		line(w, "n += tl.atomic_load(w8 + t).to(tl.int32)");
		break;
	case 7:
		line(w, "tl.atomic_%s(w16 + r, (side.to(tl.int32) + t).to(tl.int16))",
		     word(w, 3, "max", "add", "xor"));
		break;
	case 8:
		line(w,
		     "tl.make_tensor_descriptor(sent, [%d, %d], [%d, 1], [%d, %d]).atomic_add([t * %d, 0], "
		     "acc.to(tl.float32))",
		     TURNS * f->bm, f->bn, f->bn, f->bm, f->bn, f->bm);
		break;
	case 9: line(w, "side = tl.gather(side, (r + t) %% %d, 0) + 1", f->bm); break;
	default: break;
	}
	line(w, "n += 1");
}

static void sums_behind(Form *f)
{
	Writer *w = &f->w;
	int half = f->bn / 2;
	line(w, "u = acc");
	for (int count = 1 + pick(f, 2); count > 0; count--)
		switch (pick(f, 13)) {
		case 0: line(w, "u = tl.sort(u, 1, descending=%s)", word(w, 2, "True", "False")); break;
		case 1:
			line(w, "tl.store(v + r[:, None] * 8 + tl.arange(0, 8)[None, :], tl.topk(u, "
				"8).to(tl.float32))");
			break;
		case 2:
			line(w,
			     "g, u2 = tl.associative_scan((u.to(tl.int32) & 3, u.to(tl.int32)), %d, after%s)",
			     pick(f, 2), word(w, 2, "", ", reverse=True"));
			line(w, "u = (u2 %% 1024).to(u.dtype) + (g & 7)");
			break;
		case 3:
			line(w,
			     "top, at, of = tl.associative_scan((u, s[None, :] + u.to(tl.int32) * 0, "
			     "u.to(tl.int32) * 0 + 1), "
			     "1, best%s)",
			     word(w, 2, "", ", reverse=True"));
			line(w, "u = top + at + of");
			break;
		case 4:
			line(w,
			     "u = tl.gather(u, (tl.load(q + s) %% %d)[None, :] + tl.zeros((%d, %d), "
			     "tl.int32), 1)",
			     f->bn, f->bm, f->bn);
			break;
		case 5:
			line(w, "top, at, of = tl.reduce((u, s[None, :] + u.to(tl.int32) * 0, u.to(tl.int32) "
				"* 0 + 1), 1, best)");
			line(w, "u = u + (top + at + of)[:, None]");
			break;
		case 6:
			line(w, "u0, u1 = u.reshape(%d, %d, 2).split()", f->bm, half);
			line(w, "u = tl.join(u1, u0).permute(0, 2, 1).reshape(%d, %d)", f->bm, f->bn);
			break;
		case 7:
			line(w, "u[:, %d:%d] = u[:, %d:%d] * 2", half / 2, half, half, half + half / 2);
			line(w, "u[%d, :] = 1", pick(f, f->bm));
			break;
		case 8:
			line(w, "u = tl.flip(u, 0) + tl.cumsum(u.to(tl.int32), 1, reverse=True) %% 256");
			break;
		case 9:
			line(w, "top, at = tl.max(u, %d, return_indices=True)", 0);
			line(w, "u = u + (top + at)[None, :]");
			break;
		case 10: line(w, "u = twice(u, %d)", pick(f, 4)); break;
		case 11:
			line(w,
			     "tl.atomic_add(h + 16 + tl.arange(0, 16), tl.histogram((u.to(tl.int32) & "
			     "15).reshape(%d), 16))",
			     f->bm * f->bn);
			break;
		default: break;
		}
	if (f->descriptor && chance(w, 2))
		line(w,
		     "tl.make_tensor_descriptor(o, [%d, %d], [%d, 1], [1, %d]).scatter(u.to(tl.float32), (r "
		     "* 3 + 1) %% "
		     "%d, 0)",
		     f->bm, f->bn, f->bn, f->bn, f->bm);
	else
		line(w, "tl.store(o + r[:, None] * BN + s[None, :], u.to(tl.float32))");
	line(w, "tl.store(v + %d + r, side)", f->bm * 8);
	line(w, "tl.store(h + 32, n)");
}

/* ---- loops ---- */

static void turn(Form *f)
{
	load_operands(f);
	if (chance(&f->w, 2))
		make_operand(f, "x");
	if (chance(&f->w, 3))
		make_operand(f, "y");
	product(f);
	sums_in_the_loop(f);
}

static void leave_if(Form *f, const char *how)
{
	line(&f->w, "if tl.load(e + %d + t) > %d:", pick(f, 9), f->leave);
	line(&f->w, "    %s", how);
}

static void whole_turn(Form *f)
{
	unpack(f);
	turn(f);
	pack(f);
}

static void loop(Form *f)
{
	Writer *w = &f->w;
	const char *range = word(w, 10, "range(T)", "tl.range(T)", "range(T)", "tl.range(0, T, num_stages=3)",
				 "range(0, T, 2)", "tl.static_range(3)", "tl.static_range(1, 6, 2)",
				 "tl.range(0, T, loop_unroll_factor=2)", "tl.range(0, T, flatten=True)",
				 "tl.range(0, T, num_stages=2, warp_specialize=True)");
	switch (f->control) {
	case DOWN:
		line(w, "for t in range(T - 1, %s):", word(w, 2, "-1, -1", "0, -2"));
		w->depth++;
		whole_turn(f);
		break;
	case TWO_EXITS:
		line(w, "t = 0");
		line(w, "while True:");
		w->depth++;
		line(w, "if t >= T:");
		line(w, "    break");
		if (chance(w, 2))
			leave_if(f, "break");
		whole_turn(f);
		leave_if(f, "break");
		line(w, "t += 1");
		break;
	case FLAG:
		line(w, "t = 0");
		line(w, "go = T > 0");
		line(w, "while t < T and go:");
		w->depth++;
		whole_turn(f);
		line(w, "go = tl.load(e + t) <= %d", f->leave);
		line(w, "t += 1");
		break;
	case RETURNS:
		line(w, "for t in %s:", range);
		w->depth++;
		leave_if(f, "return acc, side, n - 100");
		turn(f);
		if (chance(w, 2))
			leave_if(f, "return acc * 2, side, n");
		break;
	case WITH_ELSE:
		line(w, "for t in %s:", range);
		w->depth++;
		whole_turn(f);
		leave_if(f, chance(w, 2) ? "break" : "continue");
		leave_if(f, "break");
		w->depth--;
		line(w, "else:");
		w->depth++;
		unpack(f);
		line(w, "n += 1000");
		pack(f);
		break;
	case TWO_LOOPS:
		line(w, "for g in range(2):");
		w->depth++;
		line(w, "for d in range(T // 2%s):", word(w, 2, "", " + g"));
		w->depth++;
		line(w, "t = g + d");
		whole_turn(f);
		leave_if(f, "break");
		w->depth--;
		unpack(f);
		line(w, "acc = tl.where(acc > 50, 0, acc)");
		pack(f);
		w->depth--;
		w->depth++;
		break;
	default:
		line(w, "for t in %s:", range);
		w->depth++;
		if (f->control == COUNTS && chance(w, 4))
			leave_if(f, "continue");
		whole_turn(f);
	}
	w->depth--;
}

static void helpers(Form *f)
{
	fprintf(f->w.out,
		"from dataclasses import dataclass\n\nimport triton\nimport triton.language as tl\n\n\n"
		"BM = tl.constexpr(%d)\nBN = tl.constexpr(%d)\nBK = tl.constexpr(%d)\n\n\n"
		"@dataclass\nclass State:\n    acc: object\n    side: object\n    n: object\n\n\n"
		"@tl.core._aggregate\nclass Mutable:\n    acc: tl.tensor\n    side: tl.tensor\n    n: "
		"tl.tensor\n\n"
		"    @triton.jit\n    def __init__(self, acc, side, n):\n        self.acc = acc\n        "
		"self.side = side\n"
		"        self.n = n\n\n\n"
		"@triton.jit\ndef last(f1, v1, f2, v2):\n    return f1 | f2, tl.where(f2 > 0, v2, v1)\n\n\n"
		"@triton.jit\ndef after(a1, b1, a2, b2):\n    return a1 * a2, b1 * a2 + b2\n\n\n"
		"@triton.jit\ndef best(v1, i1, n1, v2, i2, n2):\n    first = (v1 > v2) | ((v1 == v2) & (i1 < "
		"i2))\n"
		"    return tl.where(first, v1, v2), tl.where(first, i1, i2), n1 + n2\n\n\n"
		"@triton.jit\ndef fold(v):\n    if v < 0:\n        return -v\n    return v - 1\n\n\n"
		"@triton.jit\ndef twice(v, LEFT: tl.constexpr):\n    if LEFT == 0:\n        return v\n"
		"    return twice(v + v, LEFT - 1) if LEFT > 1 else v + 1\n\n\n"
		"@triton.jit\ndef r0(v, t):\n    return (v > 0) if BK > 32 else (v + t > 0)\n\n\n"
		"@triton.jit\ndef multiply(acc, x, y):\n    def part(p, k: tl.constexpr):\n"
		"        return tl.dot(x, y, p, out_dtype=tl.%s) if k > 0 else p\n    return part(acc, "
		"1)\n\n\n",
		f->bm, f->bn, f->bk, f->sum);
}

static const char all[] = "a, b, e, q, o, v, h, w8, w16, sent, T, N";

static void indices(Form *f)
{
	line(&f->w, "r, s, k = tl.arange(0, %d), tl.arange(0, %d), tl.arange(0, %d)", f->bm, f->bn, f->bk);
}

/* The loop as a function of its own: it returns from within, or calls itself. */
static void function(Form *f, int turns)
{
	Writer *w = &f->w;
	w->depth = 1;
	if (f->control == RETURNS) {
		fprintf(w->out, "@triton.jit\ndef run(%s):\n", all);
		f->carry = NAMES;
		indices(f);
		start(f);
		loop(f);
		line(w, "return acc, side, n");
	} else {
		fprintf(w->out, "@triton.jit\ndef run(%s, acc, side, n, LEFT: tl.constexpr):\n", all);
		f->carry = NAMES;
		line(w, "if LEFT == 0:");
		line(w, "    return acc, side, n");
		line(w, "else:");
		w->depth++;
		indices(f);
		line(w, "t = (T * 0 + %d - LEFT) %% %d", turns, TURNS);
		turn(f);
		line(w, "return run(%s, acc, side, n, LEFT - 1)", all);
		w->depth--;
	}
	fputs("\n\n", w->out);
}

/* `SUM` stands for the type that products are summed in. */
static void write_kernel(Form *f, int turns)
{
	Writer *w = &f->w;
	bool apart = f->control == RETURNS || f->control == RECURSION;
	helpers(f);
	if (apart)
		function(f, turns);
	fprintf(w->out, "@triton.jit\ndef kernel(%s):\n", all);
	w->depth = 1;
	line(w, "pid = tl.program_id(0)");
	indices(f);
	for (int k = 0; k < 10; k++)
		if (k < 2 || k > 3)
			line(w, "%s += pid * %u", w->c->args[k].name, w->c->args[k].count / w->c->grid);
	if (f->control == RETURNS) {
		line(w, "acc, side, n = run(%s)", all);
	} else {
		start(f);
		if (f->control == RECURSION)
			line(w, "acc, side, n = run(%s, acc, side, n, %d)", all, turns);
		else
			loop(f);
		unpack(f);
	}
	sums_behind(f);
}

/* The text with each SUM replaced. */
static char *replaced(const Form *f, const char *text)
{
	char *out;
	size_t size;
	FILE *file = open_memstream(&out, &size);
	for (; *text; text++)
		if (strncmp(text, "tl.SUM", 6) == 0) {
			fprintf(file, "tl.%s", f->sum);
			text += 5;
		} else {
			putc(*text, file);
		}
	fclose(file);
	return out;
}

void form_make(Case *c, uint64_t seed)
{
	Form f = {.w = {.r = {seed}, .c = c}};
	Random *r = &f.w.r;
	size_t size;
	char *text;
	memset(c, 0, sizeof *c);
	choose(&f);
	f.leave = random_pick(r, 3, 0, 2, 2);
	int programs = random_pick(r, 4, 1, 1, 2, 3), turns = random_pick(r, 6, 0, 1, 2, 3, 4, TURNS);
	c->grid = (uint32_t)programs;
	c->num_warps = (uint32_t)random_pick(r, 6, 4, 4, 4, 8, 2, 1);
	c->num_stages = (uint32_t)(1 + random_below(r, 4));
	c->schedules = chance(&f.w, 4) ? 2 : 1;
	c->ctas = (uint32_t)random_pick(r, 10, 1, 1, 1, 1, 1, 1, 1, 1, 2, 4);
	c->fused = true;
	case_buffer(c, r, "a", f.type, TURNS * f.bm * f.bk * programs, -1, 2);
	case_buffer(c, r, "b", f.type, TURNS * f.bk * f.bn * programs, -1, 2);
	case_buffer(c, r, "e", NESO_INT32, 64, 0, 3);
	case_buffer(c, r, "q", NESO_INT32, 256, 0, 255);
	case_buffer(c, r, "o", NESO_FP32, f.bm * f.bn * programs, 0, 0);
	case_buffer(c, r, "v", NESO_FP32, f.bm * 9 * programs, 0, 0);
	case_buffer(c, r, "h", NESO_INT32, 64 * programs, 0, 0);
	case_buffer(c, r, "w8", NESO_INT8, 16 * programs, 0, 0);
	case_buffer(c, r, "w16", NESO_INT16, f.bm * programs, 0, 0);
	case_buffer(c, r, "sent", NESO_FP32, TURNS * f.bm * f.bn * programs, 0, 0);
	case_number(c, "T", turns);
	case_number(c, "N", random_pick(r, 4, 16, 20, 48, 1000));
	f.w.out = open_memstream(&text, &size);
	write_kernel(&f, turns > 4 ? 4 : turns);
	fclose(f.w.out);
	c->text = replaced(&f, text);
	free(text);
}
