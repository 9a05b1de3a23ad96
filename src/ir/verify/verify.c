/* The verifier: links between objects, counts, classes of types, attributes, levels, dominance;
 * then each op's own rule. A fault is diagnosed at the op's place, and the walk goes on, so one
 * run shows all. */
#include "ir/verify/verify_int.h"

#define RULES(verify, fold, neutral) verify_##verify
static VerifyRule *const rules[OP__COUNT] = {
#define OP(name, text, levels, takes, gives, regions, traits, type, format, attrs, rules, ...) \
	[OP_##name] = rules,
#include "ir/ops.def"
#undef OP
};

void verify_none(Verifier *v, const IrOp *op)
{
	(void)v;
	(void)op;
}

/* ---- reporting ---- */

const char *verify_text(Verifier *v, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	char *text = arena_vprintf(v->arena, format, args);
	va_end(args);
	return text;
}

bool verify_failed(Verifier *v)
{
	v->failed = true;
	return false;
}

bool verify_must(Verifier *v, const IrOp *op, const char *what, const char *expected, const char *found)
{
	return VERIFY_FAIL(v, op, DIAG_VERIFY_MUST, ir_op_info[op->kind].text, what, expected, found);
}

bool verify_structure(Verifier *v, const IrOp *op, const char *text)
{
	return VERIFY_FAIL(v, op, DIAG_VERIFY_STRUCTURE, ir_op_info[op->kind].text, text);
}

bool verify_type(Verifier *v, const IrOp *op, const char *what, IrType expected, IrType found)
{
	return expected == found || verify_must(v, op, what, ir_type_text(v->arena, expected),
						ir_type_text(v->arena, found));
}

bool verify_number(Verifier *v, const IrOp *op, const char *what, int64_t expected, int64_t found)
{
	return expected == found || verify_must(v, op, what, verify_text(v, "%lld", (long long)expected),
						verify_text(v, "%lld", (long long)found));
}

/* Tensors of maps may have dims in front of the tile's. */
void verify_indices(Verifier *v, const IrOp *op, IrType tile, uint32_t found)
{
	enum { MOST_DIMS = 5 };
	if (!tile->encoding || found < tile->rank || found > MOST_DIMS)
		verify_number(v, op, "the number of indices", tile->rank, found);
}

/* ---- counts and types ---- */

static bool count_fits(Verifier *v, const IrOp *op, const char *what, uint32_t found, uint32_t min, uint32_t max)
{
	if (found >= min && found <= max)
		return true;
	const char *expected = max == IR_ANY_NUMBER ? verify_text(v, "%u or more", min)
			       : min == max	    ? verify_text(v, "%u", min)
						    : verify_text(v, "%u to %u", min, max);
	return verify_must(v, op, verify_text(v, "the number of %s", what), expected, verify_text(v, "%u", found));
}

static bool letter_fits(char letter, IrType t)
{
	IrType elem = ir_elem(t);
	switch (letter) {
	case '.':
		return t->kind != TY_FUNC;
	case 'i':
		return ir_is_int(elem);
	case 'f':
		return ir_is_float(elem);
	case 'a':
		return ir_is_float(elem) && elem->bits >= 16;
	case 'n':
		return ir_is_int(elem) || ir_is_float(elem);
	case 'b':
		return elem->kind == TY_I1;
	case 'p':
		return ir_is_ptr(elem) && !ir_is_block_ptr(elem);
	case 's':
		return ir_is_scalar(t);
	case 'e':
		return ir_is_scalar(t) || (ir_is_ptr(t) && !ir_is_block_ptr(t));
	case 't':
		return ir_is_tensor(t);
	case 'I':
		return t->kind == TY_I32;
	case 'L':
		return t->kind == TY_I64;
	case 'B':
		return t->kind == TY_I1;
	case 'Q':
		return ir_is_block_ptr(t);
	case 'P':
		return ir_is_ptr(t) && !ir_is_block_ptr(t);
	case 'D':
		return t->kind == TY_TENSORDESC;
	case 'M':
		return t->kind == TY_MEMDESC;
	case 'k':
		return t->kind == TY_TOKEN;
	default:
		BUG("letter '%c' in ops.def", letter);
	}
}

static const char *letter_words(char letter)
{
	static const char *const words[][2] = {
		{".", "a value"},         {"i", "integers"},
		{"f", "floats"},          {"a", "floats of 16 bits or more"},
		{"n", "numbers"},         {"b", "i1, or a tile of it"},
		{"p", "pointers"},        {"s", "a scalar"},
		{"e", "a scalar or a pointer"}, {"t", "a tile"},
		{"I", "i32"},             {"L", "i64"},
		{"B", "i1"},              {"Q", "a block pointer"},
		{"P", "a pointer to a scalar"}, {"D", "a descriptor"},
		{"M", "memory"},          {"k", "a token"},
	};
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (words[i][0][0] == letter)
			return words[i][1];
	BUG("letter '%c' in ops.def", letter);
}

static bool letters_fit(Verifier *v, const IrOp *op, const char *letters, bool results)
{
	uint32_t n = results ? op->result_count : op->operand_count;
	bool ok = true;
	for (uint32_t i = 0; i < n && *letters; i++) {
		IrType type = results ? op->results[i].type : ir_operand(op, i)->type;
		if (!letter_fits(*letters, type))
			ok = verify_must(v, op, verify_text(v, results ? "result %u" : "operand %u", i),
					 letter_words(*letters), ir_type_text(v->arena, type));
		letters += letters[1] != '*';
	}
	return ok;
}

/* Upstream's limits of a tile: at most 2^20 elements, and a power of two of them. */
static void check_tile(Verifier *v, const IrOp *op, const char *what, IrType type)
{
	enum { MOST_ELEMENTS = 1 << 20 };
	bool held = type->kind == TY_TENSOR; /* by threads; a descriptor's block lies in memory */
	if (type->kind == TY_PTR || type->kind == TY_TENSORDESC)
		type = type->elem;
	if (!ir_is_tensor(type))
		return;
	if (!base_is_pow2((uint64_t)ir_numel(type)) || ir_numel(type) > MOST_ELEMENTS)
		verify_must(v, op, what, "a tile with a power of two of elements, at most 2^20",
			    ir_type_text(v->arena, type));
	if (v->level == LEVEL_T && type->encoding)
		verify_must(v, op, what, "without a layout before layouts are chosen", ir_type_text(v->arena, type));
	if (v->level == LEVEL_G && held && !type->encoding)
		verify_must(v, op, what, "with a layout", ir_type_text(v->arena, type));
}

static bool same_shape_all(Verifier *v, const IrOp *op)
{
	bool ok = true;
	/* A scalar condition selects whole tiles. */
	uint32_t first = op->kind == OP_SELECT && !ir_is_tensor(ir_operand(op, 0)->type);
	IrType like = ir_operand(op, first)->type;
	for (uint32_t i = first + 1; i < op->operand_count + op->result_count; i++) {
		bool result = i >= op->operand_count;
		IrType type = result ? op->results[i - op->operand_count].type : ir_operand(op, i)->type;
		if (!ir_same_shape(like, type) || (ir_is_tensor(type) && type->encoding != like->encoding))
			ok = verify_must(v, op,
					 verify_text(v, result ? "the shape of result %u" : "the shape of operand %u",
						     result ? i - op->operand_count : i),
					 verify_text(v, "as that of operand %u, %s", first,
						     ir_type_text(v->arena, like)),
					 ir_type_text(v->arena, type));
	}
	return ok;
}

/* Operands of elementwise ops that combine values of one type. */
static bool same_type_all(Verifier *v, const IrOp *op)
{
	bool ok = true;
	for (uint32_t i = 1; i < op->operand_count; i++)
		ok = verify_type(v, op, verify_text(v, "operand %u", i), ir_operand(op, 0)->type,
				 ir_operand(op, i)->type) &&
		     ok;
	return ok;
}

static bool result_by_rule(Verifier *v, const IrOp *op)
{
	IrType expected;
	switch ((IrTypeRule)ir_op_info[op->kind].type) {
	case RULE_SAME:
		expected = ir_operand(op, 0)->type;
		break;
	case RULE_BOOL:
		expected = ir_with_elem(v->cx, ir_operand(op, 0)->type, ir_scalar(v->cx, TY_I1));
		break;
	case RULE_LAST:
		expected = ir_operand(op, op->operand_count - 1)->type;
		break;
	case RULE_SECOND:
		expected = ir_operand(op, 1)->type;
		break;
	default:
		return true;
	}
	return verify_type(v, op, "the result", expected, op->results[0].type);
}

static bool check_types(Verifier *v, const IrOp *op)
{
	const IrOpInfo *info = &ir_op_info[op->kind];
	bool ok = letters_fit(v, op, info->operands, false);
	ok = letters_fit(v, op, info->results, true) && ok;
	for (uint32_t i = 0; i < op->result_count; i++)
		check_tile(v, op, verify_text(v, "result %u", i), op->results[i].type);
	if (!ok)
		return false;
	if (info->traits & TRAIT_ELEM) {
		bool one_type = (info->type == RULE_SAME || info->type == RULE_BOOL) && op->kind != OP_ADDPTR;
		ok = one_type ? same_type_all(v, op) : same_shape_all(v, op);
	}
	return ok && result_by_rule(v, op);
}

/* ---- attributes ---- */

static bool attr_fits(const AsmAttr *row, IrAttr value)
{
	switch ((int)row->kind) {
	case ASM_BOOL:
		return value->kind == ATTR_KIND_BOOL;
	case ASM_I32:
		return value->kind == ATTR_KIND_INT;
	case ASM_STRING:
		return value->kind == ATTR_KIND_STRING;
	case ASM_SYMBOL:
		return value->kind == ATTR_KIND_SYMBOL;
	case ASM_UNIT:
		return value->kind == ATTR_KIND_UNIT;
	case ASM_I32S:
		return value->kind == ATTR_KIND_INTS;
	case ASM_TYPE:
		return value->kind == ATTR_KIND_TYPE;
	case ASM_VALUE:
		return true;
	case ASM_DICTS:
		return value->kind == ATTR_KIND_ARRAY;
	default:
		return value->kind == ATTR_KIND_INT && asm_enum_has(row->kind, value->i);
	}
}

static bool check_attrs(Verifier *v, const IrOp *op)
{
	static const char *const words[] = {
		[ASM_BOOL] = "true or false", [ASM_I32] = "an integer",           [ASM_STRING] = "a string",
		[ASM_SYMBOL] = "a symbol",    [ASM_UNIT] = "a unit",              [ASM_I32S] = "an array of integers",
		[ASM_TYPE] = "a type",        [ASM_DICTS] = "an array of dictionaries",
	};
	bool ok = true;
	for (const AsmAttr *row = asm_attrs(op->kind); row->name != ATTR__COUNT; row++) {
		IrAttr value = ir_get(op, v->cx, row->name);
		const char *name = v->cx->names[row->name];
		if (!value && row->required) {
			ok = VERIFY_FAIL(v, op, DIAG_VERIFY_MISSING, ir_op_info[op->kind].text, name, "");
		} else if (value && !attr_fits(row, value)) {
			Text text;
			text_init(&text, v->arena);
			ir_print_attr(&text, value);
			ok = verify_must(v, op, verify_text(v, "attribute '%s'", name),
					 row->kind > ASM_ENUM_ ? "a value of its enumeration" : words[row->kind],
					 text.data);
		}
	}
	return ok;
}

/* ---- structure ---- */

static bool check_links(Verifier *v, const IrOp *op)
{
	bool ok = true;
	for (uint32_t i = 0; i < op->operand_count; i++) {
		const IrUse *use = &op->operands[i];
		if (!use->value)
			ok = verify_structure(v, op, verify_text(v, "operand %u has no value", i));
		else if (use->owner != op || !use->link || *use->link != use)
			ok = verify_structure(v, op, verify_text(v, "operand %u is not in its value's list of uses", i));
	}
	for (uint32_t i = 0; i < op->result_count; i++)
		if (op->results[i].def != op || op->results[i].index != i)
			ok = verify_structure(v, op, verify_text(v, "result %u does not know its operation", i));
	if (!op->loc)
		ok = verify_structure(v, op, "there is no location");
	for (uint32_t r = 0; r < op->region_count; r++)
		for (const IrBlock *b = op->regions[r].first; b; b = b->next)
			if (b->region != &op->regions[r] || (b->next && b->next->prev != b))
				ok = verify_structure(v, op, "a block is not linked to its region");
	return ok;
}

static bool check_counts(Verifier *v, const IrOp *op)
{
	const IrOpInfo *info = &ir_op_info[op->kind];
	bool ok = count_fits(v, op, "operands", op->operand_count, info->operands_min, info->operands_max);
	ok = count_fits(v, op, "results", op->result_count, info->results_min, info->results_max) && ok;
	return count_fits(v, op, "regions", op->region_count, info->regions_min, info->regions_max) && ok;
}

static void check_op(Verifier *v, const IrOp *op)
{
	const IrOpInfo *info = &ir_op_info[op->kind];
	if (!check_links(v, op) || !check_counts(v, op))
		return;
	if (!(info->levels & v->level))
		VERIFY_FAIL(v, op, DIAG_VERIFY_LEVEL, ir_op_info[op->kind].text,
			    info->levels == LEVEL_G ? "before" : "after");
	bool attrs = check_attrs(v, op), types = check_types(v, op);
	if (attrs && types)
		rules[op->kind](v, op);
	verify_regions(v, op);
}

/* ---- dominance ---- */

static const IrBlock *meet(const Verifier *v, const IrBlock *a, const IrBlock *b)
{
	while (a != b) {
		if (v->flow[a->id].number > v->flow[b->id].number)
			a = v->flow[a->id].idom;
		else
			b = v->flow[b->id].idom;
	}
	return a;
}

/* Blocks that control reaches, each before its successors but for loops; their numbers count from 1. */
static const IrBlock **reverse_post_order(Verifier *v, const IrRegion *region, uint32_t *count)
{
	uint32_t n = 0;
	for (const IrBlock *b = region->first; b; b = b->next)
		n++;
	const IrBlock **order = ARENA_ARRAY(v->arena, const IrBlock *, n);
	const IrBlock **stack = ARENA_ARRAY(v->arena, const IrBlock *, n);
	uint32_t *next = ARENA_ARRAY(v->arena, uint32_t, n), depth = 0, at = n;
	stack[depth++] = region->first;
	v->flow[region->first->id].seen = true;
	while (depth) {
		const IrBlock *b = stack[depth - 1];
		if (b->last && next[depth - 1] < b->last->succ_count) {
			const IrBlock *to = b->last->succ[next[depth - 1]++];
			if (to->region == region && !v->flow[to->id].seen) {
				v->flow[to->id].seen = true;
				next[depth] = 0;
				stack[depth++] = to;
			}
			continue;
		}
		order[--at] = b;
		depth--;
	}
	*count = n - at;
	for (uint32_t i = at; i < n; i++)
		v->flow[order[i]->id].number = i - at + 1;
	return order + at;
}

/* Immediate dominators after Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm" (2001). */
static void find_dominators(Verifier *v, const IrRegion *region)
{
	uint32_t n;
	const IrBlock **order = reverse_post_order(v, region, &n);
	v->flow[region->first->id].idom = region->first;
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t i = 0; i < n; i++) {
			for (uint32_t s = 0; order[i]->last && s < order[i]->last->succ_count; s++) {
				const IrBlock *to = order[i]->last->succ[s];
				if (to->region != region)
					continue;
				VerifyFlow *flow = &v->flow[to->id];
				const IrBlock *idom = flow->idom ? meet(v, flow->idom, order[i]) : order[i];
				changed |= idom != flow->idom;
				flow->idom = idom;
			}
		}
	}
}

static bool dominates(const Verifier *v, const IrBlock *a, const IrBlock *b)
{
	if (!v->flow[b->id].number)
		return true; /* never runs */
	if (!v->flow[a->id].number)
		return false;
	while (v->flow[b->id].number > v->flow[a->id].number)
		b = v->flow[b->id].idom;
	return a == b;
}

/* Is the value there when `op` runs? */
static bool is_available(const Verifier *v, const IrValue *value, const IrOp *op)
{
	const IrBlock *home = value->def ? value->def->block : value->block;
	if (!home)
		return false;
	const IrOp *user = op;
	while (user->block && user->block->region != home->region) {
		user = user->block->region->op;
		if (!user || ir_has_trait(user, TRAIT_ISO))
			return false;
	}
	if (!user->block)
		return false;
	if (user->block == home)
		return !value->def || v->order[value->def->id] < v->order[user->id];
	return dominates(v, home, user->block);
}

static void check_uses(Verifier *v, const IrOp *op)
{
	for (uint32_t i = 0; i < op->operand_count; i++)
		if (ir_operand(op, i) && !is_available(v, ir_operand(op, i), op))
			VERIFY_FAIL(v, op, DIAG_VERIFY_DOMINANCE, ir_op_info[op->kind].text, i);
}

/* ---- the walk ---- */

/* Order and dominators of the region and of those inside it. */
static void prepare(Verifier *v, const IrRegion *region)
{
	if (!region->first)
		return;
	for (const IrBlock *b = region->first; b; b = b->next) {
		uint32_t place = 1;
		for (const IrOp *op = b->first; op; op = op->next) {
			v->order[op->id] = place++;
			for (uint32_t r = 0; r < op->region_count; r++)
				prepare(v, &op->regions[r]);
		}
	}
	find_dominators(v, region);
}

static void check_region(Verifier *v, const IrRegion *region)
{
	for (const IrBlock *b = region->first; b; b = b->next) {
		for (const IrOp *op = b->first; op; op = op->next) {
			check_op(v, op);
			check_uses(v, op);
			for (uint32_t r = 0; r < op->region_count; r++)
				check_region(v, &op->regions[r]);
		}
	}
}

/* Names are interned. Only functions may stand in a module, each with a name of its own. */
static void check_functions(Verifier *v)
{
	map_init(&v->funcs, v->arena);
	for (const IrOp *op = ir_module_block(v->m)->first; op; op = op->next) {
		Sym name = op->kind == OP_FUNC ? ir_func_name(op) : NULL;
		if (op->kind != OP_FUNC)
			verify_structure(v, op, "only functions may stand in a module");
		else if (name && map_get_ptr(&v->funcs, name))
			verify_structure(v, op, verify_text(v, "there is another function '%s'", name));
		else if (name)
			map_put_ptr(&v->funcs, name, op);
	}
}

bool ir_verify(const IrModule *module, IrLevel level, DiagList *diags)
{
	IrCx *cx = module->cx;
	Verifier v = {.m = module, .cx = cx, .level = level, .diags = diags, .arena = cx->arena};
	v.order = ARENA_ARRAY(cx->arena, uint32_t, module->next_op);
	v.flow = ARENA_ARRAY(cx->arena, VerifyFlow, module->next_block);
	check_functions(&v);
	prepare(&v, &module->op->regions[0]);
	check_region(&v, &module->op->regions[0]);
	return !v.failed;
}
