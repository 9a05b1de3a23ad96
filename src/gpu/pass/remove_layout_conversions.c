/* remove-layout-conversions: assigns every tile the layout with which the whole is cheapest;
 * conversions remain only where two differ.
 *
 * Needs: TTGIR whose accesses have the layouts that memory wants, and dots theirs. Keeps: effects
 * and values. Method: choose.h decides. Then types are set in place, and each operand is requested
 * in the layout that its op wants: tiles that are cheap anywhere are computed in it, others are
 * converted where that costs least, or rematerialised where that is cheaper than converting. A
 * conversion stands just before its first use, in the block of its value unless the use runs less
 * often, so that loads stay in flight as long as possible. */
#include "gpu/choose/choose.h"

enum { MOST_DEPTH = 16 };

typedef struct Rewrite {
	Choose c;
	PassCx *cx;
	IrModule *m;
	Map made;    /* (value, layout, block that it serves alone): the value in that layout */
	Map origins; /* what was made of which value */
	VEC(IrOp *) ops;
	bool *taken; /* of free values by id: the op itself has been given a layout */
} Rewrite;

static IrType with_layout(Rewrite *r, IrType type, const Layout *layout)
{
	return gpu_with_layout(r->c.gpu, type, layout);
}

static const Layout *layout_of(Rewrite *r, const IrValue *v)
{
	return gpu_layout(r->c.gpu, v->type);
}

static bool is_free(const Rewrite *r, const IrValue *v)
{
	return v->id < r->c.values && r->c.is_free[v->id];
}

static const ChooseNode *node_of_op(const Rewrite *r, const IrOp *op)
{
	uint32_t at = op->id < r->c.ops ? r->c.node_of_op[op->id] : CHOOSE_NONE;
	return at == CHOOSE_NONE ? NULL : &r->c.nodes.data[at];
}

/* What was made of `v` in a layout; `only` is the block that it serves alone, or NULL. */
static uint64_t key_of(Rewrite *r, const IrValue *v, const Layout *l, const IrBlock *only)
{
	return (uint64_t)v->id << 40 | (uint64_t)(only ? only->id + 1 : 0) << 20 | choose_number(&r->c, l);
}

static IrValue *made_of(Rewrite *r, const IrValue *v, const Layout *l, const IrBlock *only)
{
	uint64_t made;
	return map_get(&r->made, key_of(r, v, l, only), &made) ? (IrValue *)(uintptr_t)made : NULL;
}

static void set_made(Rewrite *r, IrValue *v, const Layout *l, const IrBlock *only, IrValue *made)
{
	map_put(&r->made, key_of(r, v, l, only), map_key(made));
	if (made != v)
		map_put_ptr(&r->origins, made, v);
}

static IrValue *origin_of(const Rewrite *r, IrValue *v)
{
	IrValue *origin = map_get_ptr(&r->origins, v);
	return origin ? origin : v;
}

static IrValue *get(Rewrite *r, IrValue *v, const Layout *wanted, IrOp *use);

/* ---- types ---- */

static void set_type(Rewrite *r, IrValue *v)
{
	uint32_t at = r->c.node_of[v->id];
	if (!ir_is_tensor(v->type) || at == CHOOSE_NONE || r->c.is_free[v->id] || r->c.nodes.data[at].fixed)
		return;
	const ChooseNode *node = &r->c.nodes.data[at];
	v->type = with_layout(r, v->type, choose_given(&r->c, node, v, node->layout));
}

static bool set_types(void *data, IrOp *op)
{
	Rewrite *r = data;
	vec_push(r->c.arena, &r->ops, op);
	for (uint32_t i = 0; i < op->result_count; i++)
		set_type(r, &op->results[i]);
	for (uint32_t k = 0; k < op->region_count; k++)
		for (const IrBlock *b = op->regions[k].first; b; b = b->next)
			for (uint32_t i = 0; i < b->arg_count; i++)
				set_type(r, b->args[i]);
	return true;
}

/* ---- tiles that are cheap anywhere ---- */

/* A copy of an op with one result, right after it. Its operands are still the original's. */
static IrOp *copy_after(Rewrite *r, IrOp *op)
{
	IrMapping map;
	ir_mapping_init(&map, r->c.arena);
	IrOp *copy = ir_clone(r->m, op, &map, NULL, NULL);
	ir_op_insert_after(copy, op);
	return copy;
}

static void set_result(Rewrite *r, IrOp *op, const Layout *layout)
{
	IrCx *cx = r->m->cx;
	op->results[0].type = with_layout(r, op->results[0].type, layout);
	if (op->kind != OP_CONSTANT)
		return;
	IrAttr value = ir_get(op, cx, ATTR_VALUE);
	IrType type = op->results[0].type;
	ir_set(r->m, op, ATTR_VALUE, value->splat ? ir_attr_splat(cx, type, value->words[0])
						  : ir_attr_dense(cx, type, value->words, value->len));
}

/* The op once more (or itself), with this driving layout and operands to match. What it has as operands may
 * have been made for the original's layout. */
static IrValue *compute(Rewrite *r, IrOp *op, IrOp *original, const Layout *layout)
{
	for (uint32_t i = 0; i < op->operand_count; i++) {
		IrValue *v = origin_of(r, ir_operand(op, i));
		const Layout *wanted = ir_is_tensor(v->type) ? choose_op_wanted(r->c.gpu, op, i, layout) : NULL;
		if (wanted)
			ir_operand_set(op, i, get(r, v, wanted, original));
	}
	set_result(r, op, layout);
	return &op->results[0];
}

static IrValue *get_free(Rewrite *r, IrValue *v, const Layout *wanted)
{
	IrOp *op = v->def;
	IrValue *made = made_of(r, v, wanted, NULL);
	if (made)
		return made;
	bool first = !r->taken[v->id];
	r->taken[v->id] = true;
	if (!first)
		op = copy_after(r, op);
	made = &op->results[0];
	set_made(r, v, wanted, NULL, made);
	return compute(r, op, v->def, wanted);
}

/* ---- conversions ---- */

/* The op of `block` that holds `op`, or is it. */
static IrOp *ancestor_in(IrOp *op, const IrBlock *block)
{
	while (op->block != block)
		op = ir_parent_op(op);
	return op;
}

static const IrBlock *block_of(const IrValue *v)
{
	return v->def ? v->def->block : v->block;
}

static bool stands_before(const IrOp *a, const IrOp *b)
{
	for (const IrOp *op = b->prev; op; op = op->prev)
		if (op == a)
			return true;
	return false;
}

static uint32_t weight_of(const Rewrite *r, const IrBlock *block)
{
	return r->c.weight_of[block->id];
}

static IrValue *add_conversion(Rewrite *r, IrValue *v, const Layout *wanted, IrOp *before)
{
	IrBuilder b = ir_at(r->m, before);
	b.loc = ir_value_loc(v);
	return irb_1(&b, OP_CONVERT_LAYOUT, with_layout(r, v->type, wanted), v);
}

static IrValue *get_converted(Rewrite *r, IrValue *v, const Layout *wanted, IrOp *use)
{
	const IrBlock *home = block_of(v);
	bool seldom = weight_of(r, use->block) < weight_of(r, home);
	const IrBlock *only = seldom ? use->block : NULL;
	IrOp *at = seldom ? use : ancestor_in(use, home);
	IrValue *made = made_of(r, v, wanted, only);
	if (!made) {
		made = add_conversion(r, v, wanted, at);
		set_made(r, v, wanted, only, made);
	} else if (stands_before(at, made->def)) {
		ir_op_unlink(made->def);
		ir_op_insert_before(made->def, at);
	}
	return made;
}

/* ---- computing again ---- */

static bool is_small_load(const Rewrite *r, const IrOp *op)
{
	return op->kind == OP_LOAD && !ir_is_volatile(op) &&
	       ir_numel(op->results[0].type) <= (int64_t)4 * TARGET_WARP_SIZE * r->c.gpu->num_warps;
}

static bool may_repeat(const Rewrite *r, const IrOp *op)
{
	const ChooseNode *node = node_of_op(r, op);
	if (!node || node->fixed || op->result_count != 1 || op->region_count)
		return false;
	if (gpu_tie(op)->by_operand || gpu_tie(op)->any)
		return false;
	return is_small_load(r, op) || ir_is_pure(op);
}

/* What it costs to have a value in this layout: not more than `limit`, or anything above. */
static uint64_t price_of(Rewrite *r, IrValue *v, const Layout *wanted, uint64_t limit, unsigned depth)
{
	if (is_free(r, v) || layout_of(r, v) == wanted || made_of(r, v, wanted, NULL))
		return 0;
	const Layout *have = layout_of(r, v);
	uint64_t weight = weight_of(r, block_of(v));
	uint64_t convert = weight * choose_price(&r->c, have, wanted, choose_bits(v->type));
	if (!v->def || depth == 0 || !may_repeat(r, v->def))
		return convert;
	limit = MIN(limit, convert);
	uint64_t again = weight * MAX(choose_op_price(&r->c, node_of_op(r, v->def), wanted), 1);
	for (uint32_t i = 0; i < v->def->operand_count && again < limit; i++) {
		IrValue *operand = origin_of(r, ir_operand(v->def, i));
		if (!ir_is_tensor(operand->type))
			continue;
		const Layout *l = choose_op_wanted(r->c.gpu, v->def, i, wanted);
		again += l ? price_of(r, operand, l, limit - again, depth - 1) : limit;
	}
	return MIN(again, convert);
}

static bool is_cheaper_again(Rewrite *r, IrValue *v, const Layout *wanted)
{
	if (!v->def || !may_repeat(r, v->def))
		return false;
	uint64_t convert = (uint64_t)weight_of(r, block_of(v)) *
			   choose_price(&r->c, layout_of(r, v), wanted, choose_bits(v->type));
	return price_of(r, v, wanted, convert, MOST_DEPTH) < convert;
}

static IrValue *get_again(Rewrite *r, IrValue *v, const Layout *wanted)
{
	IrOp *copy = copy_after(r, v->def);
	set_made(r, v, wanted, NULL, &copy->results[0]);
	return compute(r, copy, v->def, wanted);
}

static IrValue *get(Rewrite *r, IrValue *v, const Layout *wanted, IrOp *use)
{
	if (is_free(r, v))
		return get_free(r, v, wanted);
	if (layout_of(r, v) == wanted)
		return v;
	IrValue *made = made_of(r, v, wanted, NULL);
	if (made && made->def->kind != OP_CONVERT_LAYOUT)
		return made;
	if (!made && is_cheaper_again(r, v, wanted))
		return get_again(r, v, wanted);
	return get_converted(r, v, wanted, use);
}

/* ---- operands ---- */

/* The layout that control flow carries this operand in; NULL: `op` is no control flow, or it is no tile. */
static const Layout *carried_layout(Rewrite *r, const IrOp *op, uint32_t i)
{
	const IrOp *parent = ir_parent_op(op);
	const IrValue *into = NULL;
	if (op->kind == OP_FOR && i >= 3)
		into = op->regions[0].first->args[i - 2];
	else if (op->kind == OP_WHILE)
		into = op->regions[0].first->args[i];
	else if (op->kind == OP_CONDITION && i >= 1)
		into = &parent->results[i - 1];
	else if (op->kind == OP_YIELD)
		into = parent->kind == OP_WHILE ? parent->regions[0].first->args[i] : &parent->results[i];
	return into && ir_is_tensor(into->type) ? layout_of(r, into) : NULL;
}

static void set_operands(Rewrite *r, IrOp *op)
{
	const ChooseNode *node = node_of_op(r, op);
	if (op->result_count == 1 && is_free(r, &op->results[0]))
		return;
	for (uint32_t i = 0; i < op->operand_count; i++) {
		IrValue *v = ir_operand(op, i);
		if (!ir_is_tensor(v->type))
			continue;
		const Layout *wanted = node ? choose_wanted(&r->c, node, i, node->layout) : carried_layout(r, op, i);
		if (!wanted && is_free(r, v))
			wanted = gpu_layout(r->c.gpu, r->c.type_of[v->id]);
		if (wanted)
			ir_operand_set(op, i, get(r, v, wanted, op));
	}
}

/* Cheap ops that nobody asked for, users first. */
static void drop_unused(Rewrite *r)
{
	for (uint32_t i = r->ops.len; i-- > 0;) {
		IrOp *op = r->ops.data[i];
		if (op->result_count == 1 && is_free(r, &op->results[0]) && !op->results[0].uses)
			ir_op_erase(op);
	}
}

bool pass_remove_layout_conversions(PassCx *cx, bool *changed)
{
	Rewrite r = {.cx = cx, .m = cx->module};
	choose_build(&r.c, cx);
	choose_solve(&r.c);
	map_init(&r.made, r.c.arena);
	map_init(&r.origins, r.c.arena);
	r.taken = ARENA_ARRAY(r.c.arena, bool, r.c.values);
	ir_walk(cx->module->op, false, set_types, &r);
	for (uint32_t i = 0; i < r.ops.len; i++)
		set_operands(&r, r.ops.data[i]);
	drop_unused(&r);
	*changed = true;
	return true;
}
