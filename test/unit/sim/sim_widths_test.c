/* The simulator on integers of every width from 1 to 64: LLVM's passes make such numbers of what others write in 8 to 64 bits. */
#include "needs_llvm.h"

#ifdef NESO_HAVE_LLVM

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/str.h"
#include "codegen/codegen.h"

extern const CodegenTable neso_codegen_table;

__extension__ typedef unsigned __int128 Wide;
__extension__ typedef __int128 SignedWide;

enum { THREADS = 32 };

/* %a, %b, %c: 64 bits each that differ from thread to thread; %to takes one 64-bit result of each. */
static const char head[] =
	"target triple = \"nvptx64-nvidia-cuda\"\n"
	"declare i32 @neso.tid_x()\n"
	"define ptx_kernel void @k(ptr addrspace(1) %out) \"neso\"=\"kernel=k args=p threads=32 shared=0 cluster=1 scratch=0 scratch_align=0 "
	"print=0 assert=0\" {\n"
	"  %t = call i32 @neso.tid_x()\n"
	"  %to = getelementptr i64, ptr addrspace(1) %out, i32 %t\n"
	"  %tw = zext i32 %t to i64\n"
	"  %a0 = mul i64 %tw, -7046029254386353131\n"
	"  %a1 = lshr i64 %a0, %tw\n"
	"  %a = xor i64 %a1, 42\n"
	"  %b0 = mul i64 %a0, 3202034522624059733\n"
	"  %b = add i64 %b0, 1\n"
	"  %c = lshr i64 %b0, 7\n";

static void inputs(unsigned thread, uint64_t v[3])
{
	uint64_t a = thread * (uint64_t)-7046029254386353131;
	v[0] = (a >> thread) ^ 42;
	v[1] = a * UINT64_C(3202034522624059733) + 1;
	v[2] = (v[1] - 1) >> 7;
}

static uint64_t cut(Wide v, unsigned bits)
{
	return (uint64_t)v & UINT64_MAX >> (64 - bits);
}

static int64_t filled(uint64_t v, unsigned bits)
{
	return (int64_t)(v << (64 - bits)) >> (64 - bits);
}

static uint64_t clamp(SignedWide v, SignedWide low, SignedWide high)
{
	return (uint64_t)(v < low ? low : v > high ? high : v);
}

static uint64_t turned(uint64_t v, unsigned bits, unsigned step)
{
	uint64_t out = 0;
	for (unsigned at = 0; at < bits; at += step)
		out |= (v >> at & (step == 64 ? UINT64_MAX : (UINT64_C(1) << step) - 1)) << (bits - step - at);
	return out;
}

typedef struct Operation {
	const char *text; /* W: the width; the result is %r */
	char result;      /* 'w': of the width, 'b': i1, 'v': {iW, i1}, 't': i2 of three ways */
	int id;
} Operation;

enum {
	ADD, SUB, MUL, UDIV, SDIV, UREM, SREM, SHL, LSHR, ASHR, AND, OR, XOR, SMIN, SMAX, UMIN, UMAX, ABS, CTPOP, CTLZ, CTTZ, BITREVERSE, BSWAP,
	FSHL, FSHR, UADD_SAT, USUB_SAT, SADD_SAT, SSUB_SAT, UADD_OVER, USUB_OVER, UMUL_OVER, SADD_OVER, SSUB_OVER, SMUL_OVER, SLT, UGE, NE,
	UCMP, SCMP, SEXT, SELECT, FROM_SIGNED, FROM_UNSIGNED, TO_SATURATED, TO_UNSIGNED_SATURATED, PARTS, REDUCED
};

#define TWO(op) "  %r = " op " iW %x, %y\n"
#define CALL(name, rest) "  %r = call iW @llvm." name ".iW(iW %x" rest ")\n"
#define OVER(name) "  %r = call {iW, i1} @llvm." name ".with.overflow.iW(iW %x, iW %y)\n"

static const Operation operations[] = {
	{TWO("add"), 'w', ADD}, {TWO("sub"), 'w', SUB}, {TWO("mul"), 'w', MUL},
	{"  %o = or iW %y, 1\n  %r = udiv iW %x, %o\n", 'w', UDIV}, {"  %o = or iW %y, 1\n  %r = urem iW %x, %o\n", 'w', UREM},
	{"  %o = or iW %y, 1\n  %r = sdiv iW %x, %o\n", 'w', SDIV}, {"  %o = or iW %y, 1\n  %r = srem iW %x, %o\n", 'w', SREM},
	{"  %o = and iW %z, MASK\n  %r = shl iW %x, %o\n", 'w', SHL}, {"  %o = and iW %z, MASK\n  %r = lshr iW %x, %o\n", 'w', LSHR},
	{"  %o = and iW %z, MASK\n  %r = ashr iW %x, %o\n", 'w', ASHR}, {TWO("and"), 'w', AND}, {TWO("or"), 'w', OR}, {TWO("xor"), 'w', XOR},
	{CALL("smin", ", iW %y"), 'w', SMIN}, {CALL("smax", ", iW %y"), 'w', SMAX}, {CALL("umin", ", iW %y"), 'w', UMIN},
	{CALL("umax", ", iW %y"), 'w', UMAX}, {CALL("abs", ", i1 false"), 'w', ABS}, {CALL("ctpop", ""), 'w', CTPOP},
	{CALL("ctlz", ", i1 false"), 'w', CTLZ}, {CALL("cttz", ", i1 false"), 'w', CTTZ}, {CALL("bitreverse", ""), 'w', BITREVERSE},
	{CALL("bswap", ""), 'w', BSWAP}, {CALL("fshl", ", iW %y, iW %z"), 'w', FSHL}, {CALL("fshr", ", iW %y, iW %z"), 'w', FSHR},
	{CALL("uadd.sat", ", iW %y"), 'w', UADD_SAT}, {CALL("usub.sat", ", iW %y"), 'w', USUB_SAT}, {CALL("sadd.sat", ", iW %y"), 'w', SADD_SAT},
	{CALL("ssub.sat", ", iW %y"), 'w', SSUB_SAT}, {OVER("uadd"), 'v', UADD_OVER}, {OVER("usub"), 'v', USUB_OVER},
	{OVER("umul"), 'v', UMUL_OVER}, {OVER("sadd"), 'v', SADD_OVER}, {OVER("ssub"), 'v', SSUB_OVER}, {OVER("smul"), 'v', SMUL_OVER},
	{"  %r = icmp slt iW %x, %y\n", 'b', SLT}, {"  %r = icmp uge iW %x, %y\n", 'b', UGE}, {"  %r = icmp ne iW %x, %y\n", 'b', NE},
	{"  %r = call i2 @llvm.ucmp.i2.iW(iW %x, iW %y)\n", 't', UCMP}, {"  %r = call i2 @llvm.scmp.i2.iW(iW %x, iW %y)\n", 't', SCMP},
	{"  %s = sext iW %x to i64\n  %r = add i64 %s, 0\n", 'l', SEXT},
	{"  %o = trunc i64 %b to i1\n  %r = select i1 %o, iW %x, iW %y\n", 'w', SELECT},
	{"  %f = sitofp iW %x to double\n  %r = bitcast double %f to i64\n", 'l', FROM_SIGNED},
	{"  %f = uitofp iW %x to double\n  %r = bitcast double %f to i64\n", 'l', FROM_UNSIGNED},
	{"  %f = sitofp i64 %a to double\n  %g = fdiv double %f, 1.0e9\n  %r = call iW @llvm.fptosi.sat.iW.f64(double %g)\n", 'w', TO_SATURATED},
	{"  %f = sitofp i64 %a to double\n  %g = fdiv double %f, 1.0e9\n  %r = call iW @llvm.fptoui.sat.iW.f64(double %g)\n", 'w',
	 TO_UNSIGNED_SATURATED},
	{"  %v0 = insertelement <2 x iW> poison, iW %x, i32 0\n  %v = insertelement <2 x iW> %v0, iW %y, i32 1\n"
	 "  %n = bitcast <2 x iW> %v to iD\n  %m = mul iD %n, 3\n  %w = bitcast iD %m to <2 x iW>\n  %r = extractelement <2 x iW> %w, i32 1\n", 'w', PARTS},
	{"  %v0 = insertelement <2 x iW> poison, iW %x, i32 0\n  %v = insertelement <2 x iW> %v0, iW %y, i32 1\n"
	 "  %r = call iW @llvm.vector.reduce.smax.v2iW(<2 x iW> %v)\n", 'w', REDUCED},
};

/* Of amounts that are less than the width. */
static unsigned shift_mask(unsigned bits)
{
	unsigned mask = 0;
	while (2 * mask + 1 < bits)
		mask = 2 * mask + 1;
	return mask;
}

/* The result, with the byte of an overflow above it. */
static uint64_t expected(int id, unsigned bits, const uint64_t v[3], bool *over)
{
	uint64_t x = cut(v[0], bits), y = cut(v[1], bits), z = cut(v[2], bits), odd = y | 1;
	int64_t sx = filled(x, bits), sy = filled(y, bits), sodd = filled(odd, bits);
	SignedWide high = ((SignedWide)1 << (bits - 1)) - 1, low = -high - 1;
	unsigned by = (unsigned)z & shift_mask(bits);
	SignedWide whole = 0;
	Wide plain = 0;
	*over = false;
	switch (id) {
	case ADD: return x + y;
	case SUB: return x - y;
	case MUL: return x * y;
	case UDIV: return x / odd;
	case UREM: return x % odd;
	case SDIV: return (uint64_t)((SignedWide)sx / sodd);
	case SREM: return (uint64_t)((SignedWide)sx % sodd);
	case SHL: return x << by;
	case LSHR: return x >> by;
	case ASHR: return (uint64_t)(sx >> by);
	case AND: return x & y;
	case OR: return x | y;
	case XOR: return x ^ y;
	case SMIN: return (uint64_t)(sx < sy ? sx : sy);
	case SMAX:
	case REDUCED: return (uint64_t)(sx > sy ? sx : sy);
	case UMIN: return x < y ? x : y;
	case UMAX: return x > y ? x : y;
	case ABS: return (uint64_t)(sx < 0 ? -(SignedWide)sx : sx);
	case CTPOP: return (uint64_t)__builtin_popcountll(x);
	case CTLZ: return x ? (uint64_t)__builtin_clzll(x) - (64 - bits) : bits;
	case CTTZ: return x ? (uint64_t)__builtin_ctzll(x) : bits;
	case BITREVERSE: return turned(x, bits, 1);
	case BSWAP: return turned(x, bits, 8);
	case FSHL: return (uint64_t)((((Wide)x << bits | y) << z % bits) >> bits);
	case FSHR: return (uint64_t)(((Wide)x << bits | y) >> z % bits);
	case UADD_SAT: plain = (Wide)x + y; return plain > cut(UINT64_MAX, bits) ? UINT64_MAX : (uint64_t)plain;
	case USUB_SAT: return x < y ? 0 : x - y;
	case SADD_SAT: return clamp((SignedWide)sx + sy, low, high);
	case SSUB_SAT: return clamp((SignedWide)sx - sy, low, high);
	case UADD_OVER: plain = (Wide)x + y; break;
	case USUB_OVER: plain = (Wide)x - y; break;
	case UMUL_OVER: plain = (Wide)x * y; break;
	case SADD_OVER: whole = (SignedWide)sx + sy; break;
	case SSUB_OVER: whole = (SignedWide)sx - sy; break;
	case SMUL_OVER: whole = (SignedWide)sx * sy; break;
	case SLT: return sx < sy;
	case UGE: return x >= y;
	case NE: return x != y;
	case UCMP: return x < y ? 3 : x > y;
	case SCMP: return sx < sy ? 3 : sx > sy;
	case SEXT: return (uint64_t)sx;
	case SELECT: return v[1] & 1 ? x : y;
	case PARTS: return (uint64_t)(((Wide)y << bits | x) * 3 >> bits);
	default: break;
	}
	if (id == FROM_SIGNED || id == FROM_UNSIGNED) {
		double f = id == FROM_SIGNED ? (double)sx : (double)x;
		memcpy(&x, &f, 8);
		return x;
	}
	if (id == TO_SATURATED || id == TO_UNSIGNED_SATURATED) {
		double f = trunc((double)(int64_t)v[0] / 1.0e9);
		return id == TO_SATURATED ? clamp((SignedWide)f, low, high) : clamp((SignedWide)f, 0, (SignedWide)cut(UINT64_MAX, bits));
	}
	bool is_signed = id >= SADD_OVER && id <= SMUL_OVER;
	*over = is_signed ? whole < low || whole > high : plain > cut(UINT64_MAX, bits);
	return is_signed ? (uint64_t)whole : (uint64_t)plain;
}

/* After an i, W becomes the width and D twice as much; MASK the greatest shift. */
static void write_body(Text *out, const char *text, unsigned bits)
{
	for (const char *c = text; *c; c++) {
		if ((*c == 'W' || *c == 'D') && c > text && c[-1] == 'i') {
			text_printf(out, "%u", *c == 'W' ? bits : 2 * bits);
		} else if (strncmp(c, "MASK", 4) == 0) {
			text_printf(out, "%u", shift_mask(bits));
			c += 3;
		} else {
			text_char(out, *c);
		}
	}
}

/* Of the result 64 bits, %all. */
static const char *tail(char result, unsigned bits)
{
	switch (result) {
	case 'l': return "  %all = add i64 %r, 0\n";
	case 'b': return "  %all = zext i1 %r to i64\n";
	case 't': return "  %all = zext i2 %r to i64\n";
	case 'v':
		return bits == 64 ? "  %wide = extractvalue {iW, i1} %r, 0\n  %bit = extractvalue {iW, i1} %r, 1\n"
				    "  %high = zext i1 %bit to i64\n  %moved = mul i64 %high, -7046029254386353131\n  %all = xor i64 %wide, %moved\n"
				  : "  %value = extractvalue {iW, i1} %r, 0\n  %bit = extractvalue {iW, i1} %r, 1\n  %wide = zext iW %value to i64\n"
				    "  %high = zext i1 %bit to i64\n  %moved = mul i64 %high, -7046029254386353131\n  %all = xor i64 %wide, %moved\n";
	default: return bits == 64 ? "  %all = add i64 %r, 0\n" : "  %all = zext iW %r to i64\n";
	}
}

static void check(const Operation *op, unsigned bits)
{
	static uint64_t out[THREADS];
	Arena arena;
	Text text;
	arena_init(&arena, 0);
	text_init(&text, &arena);
	text_str(&text, head);
	write_body(&text, bits == 64 ? "  %x = add i64 %a, 0\n  %y = add i64 %b, 0\n  %z = add i64 %c, 0\n"
				     : "  %x = trunc i64 %a to iW\n  %y = trunc i64 %b to iW\n  %z = trunc i64 %c to iW\n", bits);
	write_body(&text, op->text, bits);
	write_body(&text, tail(op->result, bits), bits);
	text_str(&text, "  store i64 %all, ptr addrspace(1) %to\n  ret void\n}\n");
	CodegenRequest request = {.from = CODEGEN_LLIR, .text = text.data, .len = text.len, .target = "sm_90a"};
	CodegenSim *sim;
	CodegenResult *result = neso_codegen_table.sim_prepare(&request, &sim);
	if (!sim)
		fail_msg("%s%s", text.data, result && result->diag_count ? result->diags[0].text : "");
	neso_codegen_table.free(result);
	uint64_t arg = (uint64_t)(uintptr_t)out;
	SimBuffer buffer = {"out", out, sizeof out, true};
	SimLaunch launch = {.args = &arg, .arg_count = 1, .buffers = &buffer, .buffer_count = 1, .grid = {1, 1, 1}, .timeout = 20};
	result = neso_codegen_table.sim_launch(sim, &launch);
	assert_true(result->ok);
	neso_codegen_table.free(result);
	neso_codegen_table.sim_free(sim);
	for (unsigned t = 0; t < THREADS; t++) {
		uint64_t v[3];
		bool over;
		inputs(t, v);
		uint64_t want = expected(op->id, bits, v, &over);
		want = op->result == 'l' ? want : cut(want, op->result == 'b' ? 1 : op->result == 't' ? 2 : bits);
		want ^= over ? (uint64_t)-7046029254386353131 : 0;
		if (out[t] != want)
			fail_msg("thread %u: %llx, not %llx\n%s", t, (unsigned long long)out[t], (unsigned long long)want, text.data);
	}
	arena_free(&arena);
}

static void test_widths(void **state)
{
	static const unsigned widths[] = {1, 2, 3, 7, 8, 9, 12, 13, 15, 16, 17, 24, 31, 32, 33, 40, 47, 48, 57, 63, 64};
	for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
		for (size_t k = 0; k < sizeof operations / sizeof *operations; k++) {
			const Operation *op = &operations[k];
			if ((op->id == BSWAP && widths[w] % 16) || (op->id == PARTS && widths[w] > 32) || (op->id == SEXT && widths[w] == 64) ||
			    ((op->id == TO_SATURATED || op->id == TO_UNSIGNED_SATURATED) && widths[w] == 8))
				continue;
			check(op, widths[w]);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_widths)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
