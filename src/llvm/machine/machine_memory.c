/* The PTX of families of memory operations.
 *
 * Suffixes are words between points, the last one `vNbM`: N words of M bits (8-bit words travel in 16-bit registers, as PTX
 * has no smaller ones).
 *
 *	ld_global, ld_fresh, st_global  [always | clear | given] [first | last]
 *	                       [ca | cg | wb | cs | wt | cv | volatile] vNbM
 *	                       address, condition, with first and last the cache policy, and words to store; with the
 *	                       word `always` there is no condition; with `clear` a load gives 0 where it is
 *	                       false, with `given` its last operands
 *	atom_global, red_global  SEM.SCOPE.OP.TYPE.vNbM as PTX writes them: relaxed gpu add f16x2, acq_rel sys min s32
 *	                       address, condition, words (cas: two), and for atom_global the words given otherwise; a word
 *	                       `always` before vNbM as above
 *	ld_cluster             vNbM: address, CTA
 *	cp_async_wait          the number of groups
 *
 * What a load gives where its condition is false is anything, if not said otherwise: registers that are set before make ptxas
 * issue one load after the other. Registers that are not are taken from the start of the kernel on, as far as ptxas
 * can tell: where many loads stand behind much that has to be kept, that costs more (gpu_crowd). An atomic's words given
 * otherwise, and a load's, are tied to the result's registers. Source: PTX ISA 8.8, "ld", "st", "atom", "red". */
#include <stdlib.h>

#include "llvm/machine.h"

typedef struct Suffix {
	Str words[8];
	unsigned count;
	unsigned n, bits; /* of the last word */
} Suffix;

static bool read_suffix(const char *text, Suffix *out)
{
	out->count = 0;
	while (*text) {
		size_t len = strcspn(text, ".");
		if (out->count == ARRAY_LEN(out->words))
			return false;
		out->words[out->count++] = (Str){text, len};
		text += len + (text[len] == '.');
	}
	if (!out->count)
		return false;
	Str last = out->words[--out->count];
	char *end;
	if (last.len < 4 || last.ptr[0] != 'v')
		return false;
	out->n = (unsigned)strtoul(last.ptr + 1, &end, 10);
	if (*end != 'b')
		return false;
	out->bits = (unsigned)strtoul(end + 1, &end, 10);
	return end == last.ptr + last.len && out->n >= 1 && out->n <= 8;
}

static bool has_word(const Suffix *s, const char *word)
{
	for (unsigned i = 0; i < s->count; i++) {
		if (str_is(s->words[i], word))
			return true;
	}
	return false;
}

static char register_of(unsigned bits)
{
	return bits == 64 ? 'l' : bits == 32 ? 'r' : 'h';
}

/* "{$2, $3}", or "$2" for one. */
static void add_operands(Text *t, unsigned first, unsigned n)
{
	text_str(t, n > 1 ? "{" : "");
	for (unsigned i = 0; i < n; i++)
		text_printf(t, "%s$%u", i ? ", " : "", first + i);
	text_str(t, n > 1 ? "}" : "");
}

static void add_constraints(Text *t, const char *what, char letter, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		text_printf(t, "%s%s%c", t->len ? "," : "", what, letter);
}

/* Constraints that tie inputs to the n results. */
static void add_ties(Text *t, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		text_printf(t, ",%u", i);
}

/* ".global", ".global.cg", ".volatile.global", with what the caches are told. PTX has no hints for
 * volatile loads, but for relaxed ones of the system's scope, which are the same instruction; by a
 * hint for the first-level cache ptxas would read from there. */
static void add_modifiers(Text *t, const Suffix *s, bool policy)
{
	static const char *const modes[] = {"ca", "cg", "wb", "cs", "wt", "cv"};
	bool mode = has_word(s, "volatile");
	text_str(t, !mode ? ".global" : policy ? ".relaxed.sys.global" : ".volatile.global");
	for (unsigned i = 0; i < ARRAY_LEN(modes); i++) {
		if (has_word(s, modes[i])) {
			text_printf(t, ".%s", modes[i]);
			mode = true;
		}
	}
	if (policy && !mode)
		text_str(t, has_word(s, "first") ? ".L1::evict_first" : ".L1::evict_last");
	if (policy)
		text_str(t, ".L2::cache_hint");
}

static bool finish(MachineForm *form, const Text *text, const Text *constraints)
{
	form->text = text->data;
	form->constraints = constraints->data;
	form->sideeffect = true;
	return true;
}

static bool expand_global(Arena *arena, const char *suffix, bool load, MachineForm *form)
{
	Suffix s;
	Text text, constraints;
	if (!read_suffix(suffix, &s))
		return false;
	bool always = has_word(&s, "always"), policy = has_word(&s, "first") || has_word(&s, "last");
	/* Operands: what a load gives, the address, the condition, the policy, words to store. */
	unsigned address = load ? s.n : 0, hint = address + 1 + !always, words = hint + policy;
	text_init(&text, arena);
	text_init(&constraints, arena);
	for (unsigned i = 0; load && has_word(&s, "clear") && i < s.n; i++)
		text_printf(&text, "mov.b%u $%u, 0; ", MAX(s.bits, 16u), i);
	if (!always)
		text_printf(&text, "@$%u ", address + 1);
	text_str(&text, load ? "ld" : "st");
	add_modifiers(&text, &s, policy);
	if (s.n > 1)
		text_printf(&text, ".v%u", s.n);
	text_printf(&text, ".b%u ", s.bits);
	if (load) {
		add_operands(&text, 0, s.n);
		text_printf(&text, ", [$%u]", address);
		add_constraints(&constraints, has_word(&s, "clear") ? "=&" : "=", register_of(s.bits), s.n);
	} else {
		text_printf(&text, "[$%u], ", address);
		add_operands(&text, words, s.n);
	}
	if (policy)
		text_printf(&text, ", $%u", hint);
	text_str(&text, ";");
	text_printf(&constraints, "%sl%s%s", load ? "," : "", always ? "" : ",b", policy ? ",l" : "");
	if (!load)
		add_constraints(&constraints, "", register_of(s.bits), s.n);
	if (load && has_word(&s, "given"))
		add_ties(&constraints, s.n);
	return finish(form, &text, &constraints);
}

bool machine_ld_global(Arena *arena, const char *suffix, LLVMTypeRef function, MachineForm *form)
{
	(void)function;
	return expand_global(arena, suffix, true, form);
}

bool machine_st_global(Arena *arena, const char *suffix, LLVMTypeRef function, MachineForm *form)
{
	(void)function;
	return expand_global(arena, suffix, false, form);
}

/* ---- atomics ---- */

/* PTX wants the vector's width between operation and type, and f16 sums without flushing, which is
 * what it writes. The words of an `atom` of one element stand in Triton's order, which programs look
 * for. */
static void add_operation(Text *t, const Suffix *s, const char *name)
{
	Str sem = s->words[0], scope = s->words[1], op = s->words[2], type = s->words[3];
	bool half = str_is(type, "f16") || str_is(type, "bf16") || str_is(type, "f16x2") || str_is(type, "bf16x2");
	if (s->n > 1 || strcmp(name, "red") == 0)
		text_printf(t, "%s.%.*s.%.*s.global", name, STR_ARG(sem), STR_ARG(scope));
	else if (str_is(op, "cas"))
		text_printf(t, "%s.global.%.*s.%.*s", name, STR_ARG(sem), STR_ARG(scope));
	else
		text_printf(t, "%s.global.%.*s.%.*s", name, STR_ARG(scope), STR_ARG(sem));
	text_printf(t, ".%.*s%s", STR_ARG(op), half && str_is(op, "add") ? ".noftz" : "");
	if (s->n > 1)
		text_printf(t, ".v%u", s->n);
	text_printf(t, ".%.*s ", STR_ARG(type));
}

static bool expand_atomic(Arena *arena, const char *suffix, bool result, MachineForm *form)
{
	Suffix s;
	Text text, constraints;
	if (!read_suffix(suffix, &s) || s.count < 4)
		return false;
	bool cas = str_is(s.words[2], "cas"), always = has_word(&s, "always");
	/* One whose old element nobody reads is an `atom` as well: ptxas makes the same of both. */
	bool pair = str_is(s.words[3], "f16x2") || str_is(s.words[3], "bf16x2");
	bool unread = !result && s.n == 1 && !pair;
	unsigned in = result ? s.n : 0, words = in + 1 + !always;
	text_init(&text, arena);
	text_init(&constraints, arena);
	if (unread)
		text_printf(&text, "{ .reg .b%u %%old; ", s.bits);
	if (!always)
		text_printf(&text, "@$%u ", in + 1);
	add_operation(&text, &s, result || unread ? "atom" : "red");
	if (result) {
		add_operands(&text, 0, s.n);
		text_str(&text, ", ");
	} else if (unread) {
		text_str(&text, "%old, ");
	}
	text_printf(&text, "[$%u], ", in);
	add_operands(&text, words, s.n);
	if (cas)
		text_printf(&text, ", $%u", words + 1);
	text_str(&text, unread ? "; }" : ";");
	if (result)
		add_constraints(&constraints, "=", register_of(s.bits), s.n);
	text_printf(&constraints, "%sl%s", result ? "," : "", always ? "" : ",b");
	add_constraints(&constraints, "", register_of(s.bits), s.n + cas);
	if (result && !always)
		add_ties(&constraints, s.n);
	form->ptx = s.n > 1 ? 81 : 0;
	return finish(form, &text, &constraints);
}

bool machine_atom_global(Arena *arena, const char *suffix, LLVMTypeRef function, MachineForm *form)
{
	(void)function;
	return expand_atomic(arena, suffix, true, form);
}

bool machine_red_global(Arena *arena, const char *suffix, LLVMTypeRef function, MachineForm *form)
{
	(void)function;
	return expand_atomic(arena, suffix, false, form);
}

/* ---- shared memory ---- */

bool machine_ld_cluster(Arena *arena, const char *suffix, LLVMTypeRef function, MachineForm *form)
{
	Suffix s;
	Text text, constraints;
	(void)function;
	if (!read_suffix(suffix, &s))
		return false;
	text_init(&text, arena);
	text_init(&constraints, arena);
	text_printf(&text, "{ .reg .b32 %%there; mapa.shared::cluster.u32 %%there, $%u, $%u; ld.shared::cluster", s.n, s.n + 1);
	if (s.n > 1)
		text_printf(&text, ".v%u", s.n);
	text_printf(&text, ".b%u ", s.bits);
	add_operands(&text, 0, s.n);
	text_str(&text, ", [%there]; }");
	add_constraints(&constraints, "=", register_of(s.bits), s.n);
	text_str(&constraints, ",r,r");
	return finish(form, &text, &constraints);
}

bool machine_cp_async_wait(Arena *arena, const char *suffix, LLVMTypeRef function, MachineForm *form)
{
	(void)function;
	form->text = arena_printf(arena, "cp.async.wait_group %s;", suffix);
	form->constraints = "";
	form->sideeffect = true;
	return true;
}
