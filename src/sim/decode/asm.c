/* Inline assembly: blocks of instructions on registers, one after the other.
 *
 * Code without labels: a register is the slot that was last given to it, so that a block is decoded like any other
 * code. Sums with carry are of 32 bits, and computed in 64. Everything else is alu.c's. Source: PTX ISA 8.8. */
#include <ctype.h>
#include <stdlib.h>

#include "sim/decode/decode.h"
#include "sim/ops/machine.h"

typedef struct Register {
	Str name;
	uint32_t slot;
	unsigned bytes; /* of a lane */
	bool given;
} Register;

typedef struct Block {
	SimDecoder *d;
	LLVMValueRef call;
	VEC(Register) registers; /* $0, $1, ... first: results, then operands */
	uint32_t carry;          /* a word of 64 bits: 0 or 1 */
} Block;

enum { MOST_OPERANDS = 6 };

typedef struct Operand {
	Str text[2]; /* two of {low, high} */
	bool pair;
} Operand;

/* ---- text ---- */

static Str trimmed(Str s)
{
	while (s.len && isspace((unsigned char)s.ptr[0]))
		s = (Str){s.ptr + 1, s.len - 1};
	while (s.len && isspace((unsigned char)s.ptr[s.len - 1]))
		s.len--;
	return s;
}

/* Without comments. */
static Str uncommented(Arena *arena, const char *text, size_t len)
{
	Text out;
	text_init(&out, arena);
	for (size_t i = 0; i < len; i++) {
		bool line = i + 1 < len && text[i] == '/' && text[i + 1] == '/';
		bool block = i + 1 < len && text[i] == '/' && text[i + 1] == '*';
		while (line && i < len && text[i] != '\n')
			i++;
		if (block)
			for (i += 2; i + 1 < len && !(text[i] == '*' && text[i + 1] == '/'); i++)
				;
		text_char(&out, block || i >= len ? ' ' : text[i]);
		i += block;
	}
	return (Str){out.data ? out.data : "", out.len};
}

/* Up to one of the characters; the rest begins behind it. */
static Str cut_at(Str *rest, const char *ends)
{
	size_t n = 0;
	while (n < rest->len && !strchr(ends, rest->ptr[n]))
		n++;
	Str out = trimmed((Str){rest->ptr, n});
	*rest = n < rest->len ? (Str){rest->ptr + n + 1, rest->len - n - 1} : (Str){rest->ptr + n, 0};
	return out;
}

static bool starts(Str s, const char *with)
{
	size_t n = strlen(with);
	return s.len >= n && memcmp(s.ptr, with, n) == 0;
}

static bool read_operands(Str rest, Operand *out, unsigned *count)
{
	rest = trimmed(rest);
	for (*count = 0; rest.len; ++*count) {
		if (*count == MOST_OPERANDS)
			return false;
		Operand *o = &out[*count];
		*o = (Operand){.pair = rest.ptr[0] == '{'};
		if (o->pair) {
			rest = (Str){rest.ptr + 1, rest.len - 1};
			o->text[0] = cut_at(&rest, ",");
			o->text[1] = cut_at(&rest, "}");
			if (trimmed(rest).len && trimmed(rest).ptr[0] != ',')
				return false;
			cut_at(&rest, ",");
		} else {
			o->text[0] = cut_at(&rest, ",");
		}
		rest = trimmed(rest);
	}
	return true;
}

/* ---- registers ---- */

static Register *find(Block *b, Str name)
{
	for (uint32_t i = 0; i < b->registers.len; i++)
		if (str_eq(b->registers.data[i].name, name))
			return &b->registers.data[i];
	return NULL;
}

/* Of a register, or a number as a lane of so many bytes. */
static bool read(Block *b, Str text, unsigned bytes, uint32_t *slot)
{
	const Register *r = find(b, text);
	if (r) {
		*slot = r->slot;
		return r->given && (!bytes || r->bytes == bytes);
	}
	char number[64], *end;
	if (!text.len || text.len >= sizeof number || !(isdigit((unsigned char)text.ptr[0]) || text.ptr[0] == '-'))
		return false;
	memcpy(number, text.ptr, text.len);
	number[text.len] = 0;
	bool real = number[0] == '0' && strchr("fFdD", number[1]) && number[1];
	uint64_t bits = real ? strtoull(number + 2, &end, 16) : number[0] == '-' ? (uint64_t)strtoll(number, &end, 0) : strtoull(number, &end, 0);
	if (!real && bytes && strchr(number, '.')) {
		double wide = strtod(number, &end);
		float narrow = (float)wide;
		bits = 0;
		memcpy(&bits, bytes == 8 ? (const void *)&wide : &narrow, bytes == 8 ? 8 : 4);
	}
	*slot = sim_constant(b->d, bits & UINT64_MAX >> (64 - 8 * MAX(bytes, 1u)), bytes);
	return bytes && (!*end || strcmp(end, "U") == 0);
}

static bool give(Block *b, Str text, unsigned bytes, uint32_t slot)
{
	Register *r = find(b, text);
	if (!r || r->bytes != bytes)
		return str_is(text, "_");
	r->slot = slot;
	r->given = true;
	return true;
}

static bool declare(Block *b, Str rest)
{
	Str type = cut_at(&rest, " \t");
	unsigned bits = str_is(type, ".pred") ? 8 : 0;
	for (size_t i = 0; i < type.len && !bits; i++)
		if (isdigit((unsigned char)type.ptr[i]))
			bits = (unsigned)strtoul(type.ptr + i, NULL, 10);
	if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
		return false;
	for (rest = trimmed(rest); rest.len; rest = trimmed(rest)) {
		Register r = {cut_at(&rest, ","), 0, bits / 8, false};
		if (memchr(r.name.ptr, '<', r.name.len))
			return false;
		vec_push(b->d->scratch, &b->registers, r);
	}
	return true;
}

/* ---- instructions ---- */

static uint32_t pure(Block *b, SimPure *fn, unsigned bytes, uint32_t x, uint32_t y, uint32_t z)
{
	uint32_t out = b->d->slots++;
	sim_pure(b->d, fn, bytes, out, x, y, z, 0);
	return out;
}

static uint32_t long_op(Block *b, SimIntOp op, uint32_t x, uint32_t y)
{
	return pure(b, b->d->ops->ints[op][3], 8, x, y, SIM_NONE);
}

static uint32_t word_op(Block *b, SimIntOp op, uint32_t x, uint32_t y)
{
	return pure(b, b->d->ops->ints[op][2], 4, x, y, SIM_NONE);
}

static uint32_t widened(Block *b, uint32_t word)
{
	return pure(b, b->d->ops->zext[2][3], 8, word, SIM_NONE, SIM_NONE);
}

static uint32_t low_word(Block *b, uint32_t wide)
{
	return pure(b, b->d->ops->zext[3][2], 4, wide, SIM_NONE, SIM_NONE);
}

static uint32_t high_word(Block *b, uint32_t wide)
{
	return long_op(b, OPS_lshr, wide, sim_constant(b->d, 32, 8));
}

/* add, sub and mad of words, with the carry of the one before (`c` behind the name) or for the next (.cc). */
static bool carrying(Block *b, Str name, const Operand *o, unsigned count)
{
	bool mad = starts(name, "mad"), sub = starts(name, "sub"), takes = starts(name, "addc") || starts(name, "subc") || starts(name, "madc");
	Str rest = name, word = cut_at(&rest, ".");
	bool high = false, sets = false;
	while (rest.len) {
		word = cut_at(&rest, ".");
		high |= str_is(word, "hi");
		sets |= str_is(word, "cc");
	}
	uint32_t in[3];
	if (!str_is(word, "u32") && !str_is(word, "s32") && !str_is(word, "b32"))
		return false;
	if (high && !str_is(word, "u32"))
		return false;
	if (count != (mad ? 4u : 3u))
		return false;
	for (unsigned k = 0; k + 1 < count; k++) {
		if (!read(b, o[1 + k].text[0], 4, &in[k]))
			return false;
		in[k] = widened(b, in[k]);
	}
	uint32_t sum = in[0];
	if (mad) {
		sum = long_op(b, OPS_mul, in[0], in[1]);
		sum = high ? high_word(b, sum) : widened(b, low_word(b, sum));
	}
	sum = long_op(b, sub ? OPS_sub : OPS_add, sum, in[count - 2]);
	if (takes)
		sum = long_op(b, sub ? OPS_sub : OPS_add, sum, b->carry);
	if (sets)
		b->carry = long_op(b, OPS_and, high_word(b, sum), sim_constant(b->d, 1, 8));
	return give(b, o[0].text[0], 4, low_word(b, sum));
}

static bool move(Block *b, Str type, const Operand *o)
{
	unsigned bytes = memchr(type.ptr, '6', type.len) && type.ptr[type.len - 1] == '4' ? 8 : 4;
	uint32_t x, y;
	if (o[0].pair)
		return bytes == 8 && !o[1].pair && read(b, o[1].text[0], 8, &x) && give(b, o[0].text[0], 4, low_word(b, x)) &&
		       give(b, o[0].text[1], 4, low_word(b, high_word(b, x)));
	if (!o[1].pair)
		return read(b, o[1].text[0], bytes, &x) && give(b, o[0].text[0], bytes, x);
	if (bytes != 8 || !read(b, o[1].text[0], 4, &x) || !read(b, o[1].text[1], 4, &y))
		return false;
	uint32_t high = long_op(b, OPS_shl, widened(b, y), sim_constant(b->d, 32, 8));
	return give(b, o[0].text[0], 8, long_op(b, OPS_or, widened(b, x), high));
}

/* setp.equ.f64 p, a, b: comparisons of floats; with `u`, or where a number is NaN. */
static bool compare(Block *b, Str name, const Operand *o)
{
	static const struct {
		const char *name;
		SimFloatCompare op;
	} all[] = {{"eq", OPS_FCMP_oeq}, {"ne", OPS_FCMP_one}, {"lt", OPS_FCMP_olt}, {"le", OPS_FCMP_ole}, {"gt", OPS_FCMP_ogt},
		   {"ge", OPS_FCMP_oge}, {"equ", OPS_FCMP_ueq}, {"neu", OPS_FCMP_une}, {"ltu", OPS_FCMP_ult}, {"leu", OPS_FCMP_ule},
		   {"gtu", OPS_FCMP_ugt}, {"geu", OPS_FCMP_uge}, {"num", OPS_FCMP_ord}, {"nan", OPS_FCMP_uno}};
	cut_at(&name, ".");
	Str how = cut_at(&name, "."), type = cut_at(&name, ".");
	int kind = str_is(type, "f32") ? FLOAT_F32 : str_is(type, "f64") ? FLOAT_F64 : -1;
	uint32_t x, y;
	if (kind < 0 || name.len || !read(b, o[1].text[0], kind == FLOAT_F64 ? 8 : 4, &x) || !read(b, o[2].text[0], kind == FLOAT_F64 ? 8 : 4, &y))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		if (str_is(how, all[i].name))
			return give(b, o[0].text[0], 1, pure(b, b->d->ops->fcmp[all[i].op][kind], 1, x, y, SIM_NONE));
	return false;
}

static bool choose(Block *b, Str name, const Operand *o)
{
	unsigned bytes = name.len > 2 && memcmp(name.ptr + name.len - 2, "64", 2) == 0 ? 8 : 4;
	uint32_t x, y, p;
	return read(b, o[1].text[0], bytes, &x) && read(b, o[2].text[0], bytes, &y) && read(b, o[3].text[0], 1, &p) &&
	       give(b, o[0].text[0], bytes, pure(b, b->d->ops->select[index_of(bytes)], bytes, p, x, y));
}

/* How far up the highest bit must be moved; all bits where there is none. */
static bool find_bit(Block *b, const Operand *o)
{
	uint32_t x;
	if (!read(b, o[1].text[0], 4, &x))
		return false;
	const SimOps *ops = b->d->ops;
	uint32_t zero = sim_constant(b->d, 0, 4), none = pure(b, ops->icmp[OPS_CMP_eq][2], 1, x, zero, SIM_NONE);
	uint32_t moved = pure(b, ops->ints[OPS_ctlz][2], 4, x, SIM_NONE, SIM_NONE);
	return give(b, o[0].text[0], 4, pure(b, ops->select[2], 4, none, sim_constant(b->d, UINT32_MAX, 4), moved));
}

/* Bits b ... b + c - 1 of a, to the low end; past a's end, and above, its sign or zeros. imm: with the sign. */
static void take_field(void *d, const void *a, const void *b, const void *c, uint64_t imm)
{
	uint32_t *to = d;
	const uint32_t *from = a, *at = b, *size = c;
	for (unsigned lane = 0; lane < SIM_LANES; lane++) {
		unsigned first = at[lane] & 255, count = size[lane] & 255;
		uint32_t top = count ? from[lane] >> MIN(first + count - 1, 31u) & 1 : 0, sign = imm && top ? UINT32_MAX : 0;
		uint64_t moved = first < 32 ? ((uint64_t)sign << 32 | from[lane]) >> first : sign;
		uint64_t mask = count < 32 ? (UINT64_C(1) << count) - 1 : UINT32_MAX;
		to[lane] = (uint32_t)((moved & mask) | (sign & ~mask));
	}
}

static bool field(Block *b, Str name, const Operand *o)
{
	uint32_t in[3], out = b->d->slots++;
	for (unsigned k = 0; k < 3; k++)
		if (!read(b, o[1 + k].text[0], 4, &in[k]))
			return false;
	sim_pure(b->d, take_field, 4, out, in[0], in[1], in[2], name.ptr[name.len - 3] == 's');
	return give(b, o[0].text[0], 4, out);
}

/* and, or, xor, not, shl, shr. The amount of a shift is a word; past the width nothing is left, or the sign. */
static bool logic(Block *b, Str name, const Operand *o, unsigned count, bool *known)
{
	static const struct {
		const char *name;
		SimIntOp op;
	} all[] = {{"and", OPS_and}, {"or", OPS_or}, {"xor", OPS_xor}, {"not", OPS_xor}, {"shl", OPS_shl}, {"shr", OPS_lshr}};
	Str type = name, what = cut_at(&type, ".");
	unsigned bytes = str_is(type, "b32") || str_is(type, "u32") || str_is(type, "s32") ? 4 :
			 str_is(type, "b64") || str_is(type, "u64") || str_is(type, "s64") ? 8 : 0;
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		if (!str_is(what, all[i].name))
			continue;
		bool shift = all[i].op == OPS_shl || all[i].op == OPS_lshr, not = what.ptr[0] == 'n';
		uint32_t x, y = sim_constant(b->d, bytes == 4 ? UINT32_MAX : UINT64_MAX, bytes ? bytes : 4);
		*known = true;
		if (!bytes || count != (not ? 2u : 3u) || !read(b, o[1].text[0], bytes, &x) || (!not && !read(b, o[2].text[0], shift ? 4 : bytes, &y)))
			return false;
		if (shift && bytes == 8)
			y = widened(b, y);
		SimIntOp op = all[i].op == OPS_lshr && type.ptr[0] == 's' ? OPS_ashr : all[i].op;
		return give(b, o[0].text[0], bytes, pure(b, b->d->ops->ints[op][index_of(bytes)], bytes, x, y, SIM_NONE));
	}
	return false;
}

/* lop3: the function of three bits whose table is the last operand: the "or" of its rows. */
static bool table(Block *b, const Operand *o)
{
	uint32_t in[3], not[3], last;
	uint32_t ones = sim_constant(b->d, UINT32_MAX, 4), all = sim_constant(b->d, 0, 4);
	for (unsigned k = 0; k < 3; k++) {
		if (!read(b, o[1 + k].text[0], 4, &in[k]))
			return false;
		not[k] = word_op(b, OPS_xor, in[k], ones);
	}
	if (!read(b, o[4].text[0], 4, &last) || !(last & SIM_CONSTANT))
		return false;
	uint64_t rows = b->d->constants.data[last & ~SIM_CONSTANT];
	for (unsigned row = 0; row < 8; row++) {
		uint32_t term = ones;
		for (unsigned k = 0; k < 3 && rows >> row & 1; k++)
			term = word_op(b, OPS_and, term, row >> (2 - k) & 1 ? in[k] : not[k]);
		if (rows >> row & 1)
			all = word_op(b, OPS_or, all, term);
	}
	return give(b, o[0].text[0], 4, all);
}

/* cvt.s32.s8 and its like: the low bits of a register, with their sign or zeros. */
static bool extend(Block *b, Str name, const Operand *o, bool *known)
{
	static const struct {
		const char *name;
		unsigned bits;
		bool sign;
	} all[] = {{"cvt.s32.s8", 8, true}, {"cvt.s32.s16", 16, true}, {"cvt.u32.u8", 8, false}, {"cvt.u32.u16", 16, false}};
	uint32_t x, out;
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		if (!str_is(name, all[i].name))
			continue;
		*known = true;
		out = b->d->slots++;
		if (!read(b, o[1].text[0], 4, &x))
			return false;
		sim_pure(b->d, (all[i].sign ? b->d->ops->fill : b->d->ops->cut)[2], 4, out, x, SIM_NONE, SIM_NONE, all[i].bits);
		return give(b, o[0].text[0], 4, out);
	}
	return false;
}

static bool plain(Block *b, Str name, const Operand *o, unsigned count)
{
	uint32_t in[3];
	unsigned bytes[3];
	const Register *to = find(b, o[0].text[0]);
	if (!to || count < 2 || count > 4)
		return false;
	for (unsigned k = 0; k + 1 < count; k++) {
		const Register *r = find(b, o[1 + k].text[0]);
		bytes[k] = r ? r->bytes : to->bytes;
		if (!read(b, o[1 + k].text[0], bytes[k], &in[k]))
			return false;
	}
	uint32_t out = b->d->slots++;
	return alu_emit(b->d, arena_strndup(b->d->scratch, name.ptr, name.len), out, to->bytes, in, bytes, count - 1) &&
	       give(b, o[0].text[0], to->bytes, out);
}

static bool instruction(Block *b, Str text)
{
	Str rest = text, name = cut_at(&rest, " \t\n");
	Operand o[MOST_OPERANDS];
	unsigned count;
	if (str_is(name, ".reg"))
		return declare(b, trimmed(rest));
	/* Launches come one after the other. */
	if (str_is(name, "griddepcontrol.wait") || str_is(name, "griddepcontrol.launch_dependents"))
		return !trimmed(rest).len;
	if (!read_operands(rest, o, &count) || !count)
		return false;
	if (starts(name, "mov.") && count == 2)
		return move(b, name, o);
	for (unsigned k = 0; k < count; k++)
		if (o[k].pair)
			return false;
	if (starts(name, "mad.") || starts(name, "madc.") || starts(name, "addc.") || starts(name, "subc.") || starts(name, "add.cc.") ||
	    starts(name, "sub.cc."))
		return carrying(b, name, o, count);
	if (starts(name, "setp.") && count == 3)
		return compare(b, name, o);
	if (starts(name, "selp.") && count == 4)
		return choose(b, name, o);
	if (str_is(name, "bfind.shiftamt.u32") && count == 2)
		return find_bit(b, o);
	if ((str_is(name, "bfe.s32") || str_is(name, "bfe.u32")) && count == 4)
		return field(b, name, o);
	if (str_is(name, "lop3.b32") && count == 5)
		return table(b, o);
	bool known = false, good = logic(b, name, o, count, &known) || (!known && count == 2 && extend(b, name, o, &known));
	return known ? good : plain(b, name, o, count);
}

static bool name_operands(Block *b, const SimShape *results)
{
	SimDecoder *d = b->d;
	unsigned args = LLVMGetNumArgOperands(b->call);
	for (unsigned k = 0; k < results->count + args; k++) {
		const char *name = arena_printf(d->scratch, "$%u", k);
		Register r = {{name, strlen(name)}, 0, 0, false};
		if (k < results->count) {
			r.bytes = sim_bytes(results->part[k]);
		} else {
			LLVMValueRef v = LLVMGetOperand(b->call, k - results->count);
			SimValue in = sim_value(d, v);
			if (in.count != 1 || !sim_bits(LLVMTypeOf(v)))
				return false;
			r.slot = in.slots[0];
			r.bytes = sim_bytes(LLVMTypeOf(v));
			r.given = true;
		}
		vec_push(d->scratch, &b->registers, r);
	}
	return true;
}

/* @p, @!p: where the predicate does not hold, the register keeps what it had. */
static bool guarded(Block *b, Str text)
{
	bool not = text.len > 1 && text.ptr[1] == '!';
	Str rest = {text.ptr + 1 + not, text.len - 1 - not}, name = cut_at(&rest, " \t\n"), what = trimmed(rest), operands = what;
	uint32_t p, carry = b->carry;
	cut_at(&operands, " \t\n");
	Str to = cut_at(&operands, ",");
	Register *r = find(b, to);
	if (!r || !read(b, name, 1, &p))
		return false;
	Register before = *r;
	if (!instruction(b, what) || b->carry != carry)
		return false;
	r = find(b, to);
	if (before.given)
		r->slot = pure(b, b->d->ops->select[index_of(r->bytes)], r->bytes, p, not ? before.slot : r->slot, not ? r->slot : before.slot);
	return true;
}

/* Constraints that name registers, and numbers; nothing here touches what is overwritten besides. */
static bool is_of_registers(LLVMValueRef call)
{
	size_t len;
	const char *text = LLVMGetInlineAsmConstraintString(LLVMGetCalledValue(call), &len);
	for (Str rest = {text, len}; rest.len;) {
		Str one = cut_at(&rest, ",");
		for (size_t i = 0; i < one.len && one.ptr[0] != '~'; i++)
			if (isdigit((unsigned char)one.ptr[i]) || strchr("*+m", one.ptr[i]))
				return false;
	}
	return true;
}

bool sim_decode_asm(SimDecoder *d, LLVMValueRef call, const char *text, size_t len)
{
	Block b = {.d = d, .call = call, .carry = sim_constant(d, 0, 8)};
	SimShape results = {0};
	Str rest = trimmed(uncommented(d->scratch, text, len));
	bool waits = starts(rest, "griddepcontrol."); /* what has no result is given one for form's sake */
	if (LLVMGetTypeKind(LLVMTypeOf(call)) != LLVMVoidTypeKind && !sim_shape(d, LLVMTypeOf(call), &results))
		return false;
	bool good = is_of_registers(call) && results.count && name_operands(&b, &results);
	if (rest.len > 1 && rest.ptr[0] == '{' && rest.ptr[rest.len - 1] == '}')
		rest = (Str){rest.ptr + 1, rest.len - 2};
	while (good && trimmed(rest).len) {
		Str one = cut_at(&rest, ";");
		good = !one.len || (!memchr(one.ptr, ':', one.len) && (one.ptr[0] == '@' ? guarded(&b, one) : instruction(&b, one)));
	}
	SimValue out = {ARENA_ARRAY(d->scratch, uint32_t, results.count + 1), results.count};
	for (unsigned k = 0; k < results.count && good; k++) {
		const Register *r = &b.registers.data[k];
		out.slots[k] = r->given ? r->slot : sim_constant(d, 0, r->bytes);
		good = r->given || waits;
	}
	if (!good)
		return sim_refuse(d, "the inline assembly '%.*s'", (int)len, text);
	sim_define(d, call, out);
	return true;
}
