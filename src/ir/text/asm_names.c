/* Names of values and numbers of blocks, as MLIR's printer gives them.
 *
 * All values of a region are named before those of the regions inside it, in order; a nested region starts with the
 * counters that the outer one ended with, and its names are forgotten after it. Three counters: of unnamed values,
 * of arguments of entry blocks, of conflicts (which is why %x_3 may follow %x with no %x_2 about). */
#include "ir/text/asm.h"

typedef struct Counters {
	uint32_t value, argument, conflict;
} Counters;

Sym asm_loc_name(IrLoc loc)
{
	if (!loc)
		return NULL;
	switch (loc->kind) {
	case LOC_NAME:
		return loc->text;
	case LOC_CALLSITE: {
		Sym name = asm_loc_name(loc->child);
		return name ? name : asm_loc_name(loc->caller);
	}
	case LOC_FUSED:
		for (uint32_t i = 0; i < loc->len; i++) {
			Sym name = asm_loc_name(loc->list[i]);
			if (name)
				return name;
		}
		return NULL;
	default:
		return NULL;
	}
}

void asm_names_init(AsmNames *names, const IrModule *module, Arena *arena)
{
	*names = (AsmNames){.module = module, .arena = arena};
	names->values = ARENA_ARRAY(arena, const char *, module->next_value);
	names->blocks = ARENA_ARRAY(arena, uint32_t, module->next_block);
	intern_init(&names->texts, arena);
	map_init(&names->used, arena);
}

static bool is_used(const AsmNames *names, Sym text)
{
	uint64_t used;
	return map_get(&names->used, map_key(text), &used) && used;
}

/* A name must be an identifier: other characters become their hexadecimal code, a leading digit gets a _. */
static Sym sanitized(AsmNames *names, const char *name)
{
	Text t;
	size_t plain = 0;
	while (asm_is_suffix_char(name[plain]))
		plain++;
	if (!name[plain] && !(*name >= '0' && *name <= '9'))
		return intern(&names->texts, (Str){name, plain});
	text_init(&t, names->arena);
	/* Also where the code of the first character begins with a digit. */
	if ((*name >= '0' && *name <= '9') || (!asm_is_suffix_char(*name) && *name != ' ' && (unsigned char)*name < 0xa0))
		text_char(&t, '_');
	for (; *name; name++) {
		if (asm_is_suffix_char(*name))
			text_char(&t, *name);
		else if (*name == ' ')
			text_char(&t, '_');
		else
			text_printf(&t, "%X", (unsigned char)*name);
	}
	return intern(&names->texts, (Str){t.data ? t.data : "", t.len});
}

/* The digits of a number; at most 10. */
static size_t put_number(char *out, uint32_t number)
{
	char digits[10];
	size_t n = 0;
	do
		digits[n++] = (char)('0' + number % 10);
	while (number /= 10);
	for (size_t i = 0; i < n; i++)
		out[i] = digits[n - 1 - i];
	return n;
}

/* The next free name_N, without taking it. */
static Sym probe(AsmNames *names, Sym name, uint32_t *conflict)
{
	for (;;) {
		size_t len = strlen(name);
		char *text = arena_alloc_raw(names->arena, len + 12, 1);
		memcpy(text, name, len);
		text[len] = '_';
		len += 1 + put_number(text + len + 1, (*conflict)++);
		Sym candidate = intern(&names->texts, (Str){text, len});
		if (!is_used(names, candidate))
			return candidate;
	}
}

static void name_value(AsmNames *names, const IrValue *value, const char *name, Counters *c)
{
	if (!name || !*name) {
		char *number = arena_alloc(names->arena, 12);
		put_number(number, c->value++);
		names->values[value->id] = number;
		return;
	}
	Sym unique = sanitized(names, name);
	if (is_used(names, unique))
		unique = probe(names, unique, &c->conflict);
	map_put(&names->used, map_key(unique), 1);
	names->values[value->id] = unique;
}

/* The op's own proposal for its first result: c5_i32, true, cst; or NULL. */
static const char *own_name(AsmNames *names, const IrOp *op)
{
	if (op->kind == OP_SPLIT)
		return "outLHS";
	if (op->kind != OP_CONSTANT || op->attr_count == 0)
		return NULL;
	IrAttr value = ir_constant_of(&op->results[0]);
	if (!value)
		return "cst";
	if (value->kind == ATTR_KIND_BOOL)
		return value->i ? "true" : "false";
	if (value->kind == ATTR_KIND_INT)
		return arena_printf(names->arena, "c%lld_i%u", (long long)value->i, value->type->bits);
	return "cst";
}

/* ---- names that the text gave (reading) ---- */

static bool only_digits(const char *text)
{
	return *text && strspn(text, "0123456789") == strlen(text);
}

/* The name before a final _N; the whole name when there is none. */
static Str stem(Sym name)
{
	size_t len = strlen(name), end = len;
	while (end > 0 && name[end - 1] >= '0' && name[end - 1] <= '9')
		end--;
	if (end == len || end < 2 || name[end - 1] != '_')
		return (Str){name, len};
	return (Str){name, end - 1};
}

/* Which name, made unique here, gives the name in the text? NULL: the one that it gets anyway. */
static Sym wanted_name(AsmNames *names, const IrValue *value, const char *proposal, Counters c)
{
	Sym text = names->wanted ? map_get_ptr(names->wanted, value) : NULL;
	if (!text || only_digits(text))
		return NULL;
	Str base = stem(text);
	if (proposal && (str_is(base, proposal) || strcmp(text, proposal) == 0))
		return NULL;
	if (!value->def && strncmp(text, "arg", 3) == 0 && only_digits(text + 3))
		return NULL;
	if (base.len == strlen(text))
		return text;
	Sym short_name = intern(&names->texts, base);
	if (is_used(names, short_name) && strcmp(probe(names, short_name, &c.conflict), text) == 0)
		return short_name;
	return text;
}

static void take_wanted(AsmNames *names, IrValue *value, const char *proposal, Counters c)
{
	Sym name = wanted_name(names, value, proposal, c);
	if (!name)
		return;
	IrLoc *loc = value->def ? &value->def->loc : &value->loc;
	*loc = ir_loc_name(names->cx, ir_sym(names->cx, name), *loc);
}

/* ---- numbering ---- */

static void name_op(AsmNames *names, const IrOp *op, Counters *c)
{
	if (op->result_count == 0)
		return;
	const char *proposal = own_name(names, op);
	if (names->wanted)
		take_wanted(names, &op->results[0], proposal, *c);
	Sym located = asm_loc_name(op->loc);
	name_value(names, &op->results[0], located ? located : proposal, c);
	if (op->kind == OP_SPLIT && op->result_count == 2)
		name_value(names, &op->results[1], located ? located : "outRHS", c);
}

static void name_block(AsmNames *names, const IrBlock *block, Counters *c)
{
	bool entry = block == block->region->first;
	for (uint32_t i = 0; i < block->arg_count; i++) {
		IrValue *arg = block->args[i];
		char fallback[16] = "";
		if (entry) {
			memcpy(fallback, "arg", 3);
			fallback[3 + put_number(fallback + 3, c->argument++)] = '\0';
		}
		if (names->wanted)
			take_wanted(names, arg, fallback, *c);
		Sym located = asm_loc_name(arg->loc);
		name_value(names, arg, located ? located : fallback, c);
	}
	for (const IrOp *op = block->first; op; op = op->next)
		name_op(names, op, c);
}

static void name_region(AsmNames *names, const IrRegion *region, Counters c)
{
	uint32_t number = 0;
	for (const IrBlock *b = region->first; b; b = b->next) {
		names->blocks[b->id] = number++;
		name_block(names, b, &c);
	}
	for (const IrBlock *b = region->first; b; b = b->next)
		for (const IrOp *op = b->first; op; op = op->next)
			for (uint32_t r = 0; r < op->region_count; r++)
				name_region(names, &op->regions[r], c);
	/* The names of this region are free again. */
	for (const IrBlock *b = region->first; b; b = b->next) {
		for (uint32_t i = 0; i < b->arg_count; i++)
			map_put(&names->used, map_key(names->values[b->args[i]->id]), 0);
		for (const IrOp *op = b->first; op; op = op->next)
			for (uint32_t i = 0; i < op->result_count; i++)
				if (names->values[op->results[i].id])
					map_put(&names->used, map_key(names->values[op->results[i].id]), 0);
	}
}

void asm_names_assign(AsmNames *names, const IrOp *root)
{
	Counters c = {0};
	if (root->result_count)
		name_op(names, root, &c);
	for (uint32_t r = 0; r < root->region_count; r++)
		name_region(names, &root->regions[r], c);
}
