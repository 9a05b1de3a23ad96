/* Construction and modification of the IR: every change of operands links or unlinks uses. */
#include "ir/ir.h"

#include "ir/enums.h"

#define N IR_ANY_NUMBER
#define PURE TRAIT_PURE
#define NOFX TRAIT_NOFX
#define READ TRAIT_READ
#define WRITE TRAIT_WRITE
#define SYNC TRAIT_SYNC
#define TERM TRAIT_TERM
#define COMM TRAIT_COMM
#define ELEM TRAIT_ELEM
#define ISO TRAIT_ISO
#define CONST TRAIT_CONST
#define BODY TRAIT_BODY
#define SAYS TRAIT_SAYS
#define MOVE TRAIT_MOVE
#define REMAT TRAIT_REMAT
#define VIEW TRAIT_VIEW

/* Assembly formats that many ops share. */
#define UNARY " $0{} : &r | 0=r"
#define BINARY " $0, $1{} : &r | *=r"
#define BINARY_OVERFLOW " $0, $1(? overflow<@overflowFlags>){} : &r | *=r"
#define UNARY_FAST " $0(? fastmath<@fastmath>){} : &r | *=r"
#define BINARY_FAST " $0, $1(? fastmath<@fastmath>){} : &r | *=r"
#define TERNARY_FAST " $0, $1, $2(? fastmath<@fastmath>){} : &r | *=r"
#define AS_CAST " $0{} : &0 to &r"
#define ARROW " $0{} : &0 -> &r"

#define TAKES(min, max, classes) min, max, classes
#define GIVES(min, max, classes) min, max, classes
#define REGIONS(min, max, first, others) min, max, OP_##first, OP_##others
#define RULES(verify, fold, neutral) NEUTRAL_##neutral
enum { OP_NONE = OP__COUNT };

const IrOpInfo ir_op_info[OP__COUNT] = {
#define OP(name, text, levels, takes, gives, regions, traits, type, format, attrs, rules, tiles, doc)        \
	[OP_##name] = {#name,  text,   doc,	    takes,	    gives, regions,                          \
		       format, traits, RULE_##type, LEVEL_##levels, rules},
#include "ir/ops.def"
#undef OP
};

#undef N

/* ---- uses ---- */

static void use_link(IrUse *use, IrValue *value)
{
	use->value = value;
	use->next = NULL;
	use->link = NULL;
	if (!value)
		return;
	use->next = value->uses;
	if (use->next)
		use->next->link = &use->next;
	use->link = &value->uses;
	value->uses = use;
}

static void use_unlink(IrUse *use)
{
	if (use->link) {
		*use->link = use->next;
		if (use->next)
			use->next->link = use->link;
	}
	use->value = NULL;
	use->next = NULL;
	use->link = NULL;
}

/* A use moved in memory: what pointed to it points to the new place. */
static void use_moved(IrUse *use)
{
	if (use->link)
		*use->link = use;
	if (use->next)
		use->next->link = &use->next;
}

void ir_operand_set(IrOp *op, uint32_t i, IrValue *value)
{
	ASSERT(i < op->operand_count);
	use_unlink(&op->operands[i]);
	use_link(&op->operands[i], value);
}

void ir_operand_add(IrModule *m, IrOp *op, IrValue *value)
{
	if (op->operand_count == op->operand_cap) {
		uint32_t cap = MAX(4u, op->operand_cap * 2);
		IrUse *grown = ARENA_ARRAY(m->cx->arena, IrUse, cap);
		for (uint32_t i = 0; i < op->operand_count; i++) {
			grown[i] = op->operands[i];
			use_moved(&grown[i]);
		}
		op->operands = grown;
		op->operand_cap = cap;
	}
	IrUse *use = &op->operands[op->operand_count++];
	use->owner = op;
	use_link(use, value);
}

void ir_operand_erase(IrOp *op, uint32_t i)
{
	ASSERT(i < op->operand_count);
	use_unlink(&op->operands[i]);
	op->operand_count--;
	for (; i < op->operand_count; i++) {
		op->operands[i] = op->operands[i + 1];
		use_moved(&op->operands[i]);
	}
}

void ir_result_erase(IrOp *op, uint32_t i)
{
	ASSERT(i < op->result_count && !op->results[i].uses);
	op->result_count--;
	for (; i < op->result_count; i++) {
		IrValue *to = &op->results[i];
		*to = op->results[i + 1];
		to->index = i;
		for (IrUse *use = to->uses; use; use = use->next)
			use->value = to;
		if (to->uses)
			to->uses->link = &to->uses;
	}
}

void ir_replace_uses(IrValue *from, IrValue *to)
{
	CONTRACT(to);
	ASSERT(from != to);
	while (from->uses) {
		IrUse *use = from->uses;
		use_unlink(use);
		use_link(use, to);
	}
}

bool ir_has_one_use(const IrValue *value)
{
	return value->uses && !value->uses->next;
}

IrLoc ir_value_loc(const IrValue *value)
{
	return value->def ? value->def->loc : value->loc;
}

/* ---- modules, blocks ---- */

IrModule *ir_module_new(IrCx *cx)
{
	IrModule *m = ARENA_NEW(cx->arena, IrModule);
	m->cx = cx;
	m->op = ir_op_new(m, OP_MODULE, cx->unknown, NULL, 0, NULL, 0, 1);
	ir_block_new(m, &m->op->regions[0]);
	return m;
}

IrOp *ir_find_func(const IrModule *m, Sym name)
{
	for (IrOp *op = ir_module_block(m)->first; op; op = op->next)
		if (op->kind == OP_FUNC && ir_func_name(op) == name)
			return op;
	return NULL;
}

static IrAttr attr_by_text(const IrOp *op, const char *name)
{
	for (uint32_t i = 0; i < op->attr_count; i++)
		if (strcmp(op->attrs[i].name, name) == 0)
			return op->attrs[i].value;
	return NULL;
}

Sym ir_func_name(const IrOp *func)
{
	CONTRACT(func->kind == OP_FUNC);
	IrAttr name = attr_by_text(func, "sym_name");
	return name ? name->text : NULL;
}

IrType ir_func_type_of(const IrOp *func)
{
	CONTRACT(func->kind == OP_FUNC);
	IrAttr type = attr_by_text(func, "function_type");
	return type ? type->type : NULL;
}

bool ir_func_is_public(const IrOp *func, const IrCx *cx)
{
	IrAttr visibility = ir_get(func, cx, ATTR_SYM_VISIBILITY);
	return !visibility || !visibility->text || strcmp(visibility->text, "private") != 0;
}

IrBlock *ir_block_new(IrModule *m, IrRegion *region)
{
	IrBlock *block = ARENA_NEW(m->cx->arena, IrBlock);
	block->id = m->next_block++;
	if (region)
		ir_block_append(region, block);
	return block;
}

void ir_block_append(IrRegion *region, IrBlock *block)
{
	ASSERT(!block->region);
	block->region = region;
	block->prev = region->last;
	block->next = NULL;
	if (region->last)
		region->last->next = block;
	else
		region->first = block;
	region->last = block;
}

void ir_block_unlink(IrBlock *block)
{
	CONTRACT(block->region);
	IrRegion *region = block->region;
	*(block->prev ? &block->prev->next : &region->first) = block->next;
	*(block->next ? &block->next->prev : &region->last) = block->prev;
	block->region = NULL;
	block->prev = block->next = NULL;
}

IrValue *ir_block_arg_add(IrModule *m, IrBlock *block, IrType type, IrLoc loc)
{
	CONTRACT(type);
	if (block->arg_count == block->arg_cap) {
		uint32_t cap = MAX(4u, block->arg_cap * 2);
		block->args = arena_grow(m->cx->arena, block->args, block->arg_cap * sizeof *block->args,
					 cap * sizeof *block->args);
		block->arg_cap = cap;
	}
	IrValue *arg = ARENA_NEW(m->cx->arena, IrValue);
	*arg = (IrValue){.type = type, .id = m->next_value++, .index = block->arg_count, .block = block, .loc = loc};
	block->args[block->arg_count++] = arg;
	return arg;
}

void ir_block_arg_erase(IrBlock *block, uint32_t index)
{
	ASSERT(index < block->arg_count && !block->args[index]->uses);
	block->arg_count--;
	for (; index < block->arg_count; index++) {
		block->args[index] = block->args[index + 1];
		block->args[index]->index = index;
	}
}

/* ---- ops ---- */

IrOp *ir_op_new(IrModule *m, IrOpKind kind, IrLoc loc, IrValue *const *operands, uint32_t operand_count,
		const IrType *results, uint32_t result_count, uint32_t region_count)
{
	CONTRACT(kind < OP__COUNT);
	Arena *arena = m->cx->arena;
	IrOp *op = ARENA_NEW(arena, IrOp);
	op->kind = kind;
	op->id = m->next_op++;
	op->loc = loc;
	op->operand_count = op->operand_cap = operand_count;
	op->operands = operand_count ? ARENA_ARRAY(arena, IrUse, operand_count) : NULL;
	for (uint32_t i = 0; i < operand_count; i++) {
		op->operands[i].owner = op;
		use_link(&op->operands[i], operands ? operands[i] : NULL);
	}
	op->result_count = result_count;
	op->results = result_count ? ARENA_ARRAY(arena, IrValue, result_count) : NULL;
	for (uint32_t i = 0; i < result_count; i++)
		op->results[i] = (IrValue){.type = results[i], .id = m->next_value++, .index = i, .def = op};
	op->region_count = region_count;
	op->regions = region_count ? ARENA_ARRAY(arena, IrRegion, region_count) : NULL;
	for (uint32_t i = 0; i < region_count; i++)
		op->regions[i].op = op;
	return op;
}

static void insert(IrBlock *block, IrOp *op, IrOp *prev, IrOp *next)
{
	CONTRACT((!prev || prev->block == block) && (!next || next->block == block));
	ASSERT(!op->block);
	op->block = block;
	op->prev = prev;
	op->next = next;
	*(prev ? &prev->next : &block->first) = op;
	*(next ? &next->prev : &block->last) = op;
}

void ir_op_insert_before(IrOp *op, IrOp *at)
{
	CONTRACT(op != at && at->block);
	insert(at->block, op, at->prev, at);
}

void ir_op_insert_after(IrOp *op, IrOp *at)
{
	CONTRACT(op != at && at->block);
	insert(at->block, op, at, at->next);
}

void ir_op_append(IrBlock *block, IrOp *op)
{
	insert(block, op, block->last, NULL);
}

void ir_op_unlink(IrOp *op)
{
	CONTRACT(op->block);
	if (!op->block)
		return;
	*(op->prev ? &op->prev->next : &op->block->first) = op->next;
	*(op->next ? &op->next->prev : &op->block->last) = op->prev;
	op->block = NULL;
	op->prev = op->next = NULL;
}

void ir_drop_operands(IrOp *op)
{
	for (uint32_t i = 0; i < op->operand_count; i++)
		use_unlink(&op->operands[i]);
	for (uint32_t r = 0; r < op->region_count; r++)
		for (IrBlock *b = op->regions[r].first; b; b = b->next)
			for (IrOp *inner = b->first; inner; inner = inner->next)
				ir_drop_operands(inner);
}

void ir_op_erase(IrOp *op)
{
	ir_drop_operands(op);
	for (uint32_t i = 0; i < op->result_count; i++)
		ASSERT(!op->results[i].uses);
	ir_op_unlink(op);
}

IrOp *ir_func_of(IrOp *op)
{
	while (op && op->kind != OP_FUNC)
		op = ir_parent_op(op);
	return op;
}

bool ir_is_inside(const IrOp *op, const IrOp *outer)
{
	while (op && op != outer)
		op = ir_parent_op(op);
	return op != NULL;
}

bool ir_is_defined_outside(const IrValue *value, const IrOp *op)
{
	if (value->def)
		return value->def == op || !ir_is_inside(value->def, op);
	return !value->block->region || !ir_is_inside(value->block->region->op, op);
}

/* ---- attributes ---- */

IrAttr ir_get_named(const IrOp *op, Sym name)
{
	for (uint32_t i = 0; i < op->attr_count; i++)
		if (op->attrs[i].name == name)
			return op->attrs[i].value;
	return NULL;
}

bool ir_same_attrs(const IrOp *a, const IrOp *b)
{
	if (a->attr_count != b->attr_count)
		return false;
	for (uint32_t i = 0; i < a->attr_count; i++)
		if (a->attrs[i].name != b->attrs[i].name || a->attrs[i].value != b->attrs[i].value)
			return false;
	return true;
}

IrAttr ir_get(const IrOp *op, const IrCx *cx, IrAttrName name)
{
	CONTRACT(name < ATTR__COUNT);
	return ir_get_named(op, cx->names[name]);
}

int64_t ir_get_int(const IrOp *op, const IrCx *cx, IrAttrName name, int64_t otherwise)
{
	IrAttr a = ir_get(op, cx, name);
	return a && (a->kind == ATTR_KIND_INT || a->kind == ATTR_KIND_BOOL) ? a->i : otherwise;
}

bool ir_get_bool(const IrOp *op, const IrCx *cx, IrAttrName name)
{
	IrAttr a = ir_get(op, cx, name);
	return a && (a->kind == ATTR_KIND_UNIT || a->i != 0);
}

void ir_set_named(IrModule *m, IrOp *op, Sym name, IrAttr value)
{
	CONTRACT(name);
	uint32_t at = 0;
	while (at < op->attr_count && strcmp(op->attrs[at].name, name) < 0)
		at++;
	bool there = at < op->attr_count && op->attrs[at].name == name;
	if (there && value) {
		op->attrs[at].value = value;
	} else if (there) {
		op->attr_count--;
		memmove(&op->attrs[at], &op->attrs[at + 1], (op->attr_count - at) * sizeof *op->attrs);
	} else if (value) {
		size_t size = sizeof *op->attrs;
		op->attrs = arena_grow(m->cx->arena, op->attrs, op->attr_count * size,
				       (op->attr_count + 1) * size);
		memmove(&op->attrs[at + 1], &op->attrs[at], (op->attr_count - at) * size);
		op->attrs[at] = (IrNamedAttr){name, value};
		op->attr_count++;
	}
}

void ir_set(IrModule *m, IrOp *op, IrAttrName name, IrAttr value)
{
	ir_set_named(m, op, m->cx->names[name], value);
}

IrAttr ir_constant_of(const IrValue *value)
{
	return value->def && value->def->kind == OP_CONSTANT ? attr_by_text(value->def, "value") : NULL;
}

/* ---- effects ---- */

/* Do all ops in the regions but terminators? */
static bool all_inside(const IrOp *op, bool (*does)(const IrOp *))
{
	for (uint32_t r = 0; r < op->region_count; r++)
		for (const IrBlock *b = op->regions[r].first; b; b = b->next)
			for (const IrOp *inner = b->first; inner; inner = inner->next)
				if (!ir_has_trait(inner, TRAIT_TERM) && !does(inner))
					return false;
	return true;
}

bool ir_is_pure(const IrOp *op)
{
	if (ir_has_trait(op, TRAIT_SAYS)) {
		IrAttr pure = attr_by_text(op, "pure");
		return pure && (pure->kind == ATTR_KIND_UNIT || pure->i);
	}
	return ir_has_trait(op, TRAIT_BODY) ? all_inside(op, ir_is_pure) : ir_has_trait(op, TRAIT_PURE);
}

bool ir_may_write(const IrOp *op)
{
	bool says = ir_has_trait(op, TRAIT_SAYS);
	return ir_has_trait(op, TRAIT_WRITE | TRAIT_SYNC) || (says && !ir_is_pure(op));
}

bool ir_is_volatile(const IrOp *op)
{
	IrAttr says = attr_by_text(op, "isVolatile"), cache = attr_by_text(op, "cache");
	return op->kind == OP_LOAD && ((says && says->i) || (cache && cache->i == CACHE_CV));
}

bool ir_may_order(const IrOp *op)
{
	if (ir_may_write(op) || ir_is_volatile(op) || op->kind == OP_WHILE)
		return true;
	for (uint32_t r = 0; r < op->region_count; r++)
		for (const IrBlock *b = op->regions[r].first; b; b = b->next)
			for (const IrOp *inner = b->first; inner; inner = inner->next)
				if (ir_may_order(inner))
					return true;
	return false;
}

bool ir_is_droppable(const IrOp *op)
{
	if (op->kind == OP_LOAD)
		return !ir_is_volatile(op);
	/* A while loop may never end; dropping it would change that. */
	if (op->kind == OP_FOR || op->kind == OP_IF || op->kind == OP_REDUCE || op->kind == OP_SCAN ||
	    op->kind == OP_MAP_ELEMENTWISE)
		return all_inside(op, ir_is_droppable);
	if (op->kind == OP_DESC_LOAD || op->kind == OP_DESC_GATHER || op->kind == OP_LOCAL_LOAD ||
	    op->kind == OP_LOCAL_ALLOC)
		return true;
	return ir_is_pure(op) || ir_has_trait(op, TRAIT_NOFX);
}

IrLevel ir_module_level(const IrModule *m)
{
	return ir_get(m->op, m->cx, ATTR_MODULE_WARPS) ? LEVEL_G : LEVEL_T;
}

/* ---- walking ---- */

bool ir_walk(IrOp *root, bool post, IrVisit *visit, void *data)
{
	for (uint32_t r = 0; r < root->region_count; r++) {
		for (IrBlock *b = root->regions[r].first; b; b = b->next) {
			for (IrOp *op = b->first, *next; op; op = next) {
				next = op->next;
				if (!post && !visit(data, op))
					return false;
				if ((post || op->block) && !ir_walk(op, post, visit, data))
					return false;
				if (post && !visit(data, op))
					return false;
			}
		}
	}
	return true;
}

typedef struct Collect {
	Arena *arena;
	IrOpKind kind, other;
	IrOpVec found;
} Collect;

static bool collect(void *data, IrOp *op)
{
	Collect *c = data;
	if (op->kind == c->kind || op->kind == c->other)
		vec_push(c->arena, &c->found, op);
	return true;
}

IrOpVec ir_collect(Arena *arena, IrOp *root, bool post, IrOpKind kind, IrOpKind other)
{
	Collect c = {.arena = arena, .kind = kind, .other = other};
	ir_walk(root, post, collect, &c);
	return c.found;
}
