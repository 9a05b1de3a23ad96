/* Functions by element, inline assembly and products of small formats, as Triton source. */
#include "print.h"

void print_map(Printer *pr, int i)
{
	bool pairs = stmt(pr, i)->sub == MAP_PAIRS;
	line(pr, "v%d = tl.map_elementwise(%s, %s, %s%s)", i, pairs ? "pairs" : "chosen", A(0), A(1),
	     pairs ? ", pack=2" : "");
	pr->helpers |= 1u << (pairs ? HELPER_PAIRS : HELPER_CHOSEN);
}

void print_asm(Printer *pr, int i)
{
	static const struct {
		const char *text, *constraints;
		int pack;
	} rows[ASM__COUNT] = {
		[ASM_WORDS] = {"xor.b32 $0, $1, $2;", "=r,r,r", 1},
		[ASM_BYTES] = {"and.b32 $0, $1, $2;", "=r,r,r", 4},
		[ASM_HALVES] = {"or.b32 $0, $1, $2;", "=r,r,r", 2},
		[ASM_TWO] = {"{ add.u32 $0, $2, $3; sub.u32 $1, $2, $3; }", "=&r,=r,r,r", 1},
	};
	const Stmt *s = stmt(pr, i);
	const char *type = tl_name(s->type.dtype);
	bool two = s->sub == ASM_TWO;
	Words types = {""};
	append(&types, "%s%s", two ? "(" : "", type);
	if (two)
		append(&types, ", %s)", type);
	append(&types, ", is_pure=True, pack=%d", rows[s->sub].pack);
	line(pr, "v%d = tl.inline_asm_elementwise(\"%s\", \"%s\", [%s, %s], dtype=%s)", i, rows[s->sub].text,
	     rows[s->sub].constraints, A(0), A(1), types.s);
	if (two)
		line(pr, "u%d, v%d = v%d", i, i, i);
}

void print_scaled(Printer *pr, int i)
{
	static const char *const formats[FORMAT__COUNT] = {"e2m1", "e4m3", "e5m2", "bf16", "fp16"};
	const Stmt *s = stmt(pr, i);
	Words acc = {""};
	if (s->arg_count == 5)
		append(&acc, ", acc=%s", A(4));
	line(pr, "v%d = tl.dot_scaled(%s, (%s & 1) + 128, \"%s\", %s, (%s & 1) + 128, \"%s\"%s)", i, A(0),
	     A(1), formats[s->imm[0]], A(2), A(3), formats[s->imm[1]], acc.s);
}
