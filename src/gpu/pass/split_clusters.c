/* split-clusters: a program with products that several CTAs run is split into a part for each CTA.
 *
 * Needs: TTIR. Keeps: what is computed. GpuCx.num_ctas is 1 afterwards, and cluster says how many
 * CTAs run a program: each tile is a CTA's own, later passes see one CTA, and gpu.cta_rank says
 * which part it is. Method: gpu/plan/parts.h says which parts of each value are needed; the body
 * is cloned with a value for each of them. A range that is split begins at the CTA's part, and so
 * do indices of descriptors; the first CTA does the stores that would be the same in all. If a
 * program cannot be split, its tiles get layouts that span the CTAs. */
#include "gpu/gpu.h"
#include "gpu/plan/parts.h"
#include "gpu/remark.h"

typedef struct Part {
	GpuPart part;
	IrValue *value;
} Part;

typedef VEC(Part) PartList;

typedef struct Split {
	PassCx *cx;
	GpuCx *gpu;
	IrModule *m;
	const GpuParts *parts;
	IrMapping map;    /* scalars */
	PartList *tiles;  /* by value id */
	uint32_t values;  /* that have an id there: of the body as it was */
	IrValue *rank;
} Split;

/* ---- values ---- */

static void put_tile(Split *s, const IrValue *v, GpuPart part, IrValue *made)
{
	CONTRACT(v->id < s->values);
	made->type = gpu_part_type(s->gpu, v->type, part);
	vec_push(s->cx->scratch, &s->tiles[v->id], (Part){part, made});
}

static IrValue *tile(const Split *s, const IrValue *v, GpuPart part)
{
	const PartList *list = &s->tiles[v->id];
	for (uint32_t i = 0; i < list->len; i++)
		if (list->data[i].part == part)
			return list->data[i].value;
	BUG("a part that was not made");
}

static const GpuPartList *wanted(const Split *s, const IrValue *v)
{
	CONTRACT(v->id < s->values);
	return &s->parts->wanted[v->id];
}

/* How many values stand for it. */
static uint32_t count_of(const Split *s, const IrValue *v)
{
	return gpu_part_is_tile(v->type) ? wanted(s, v)->len : 1;
}

/* The number of the CTA's part along a dim, as i32. */
static IrValue *number_along(const Split *s, IrBuilder *b, GpuPart part, unsigned dim)
{
	IrType i32 = ir_scalar(s->gpu->ir, TY_I32);
	unsigned bits = gpu_part_bits_of(part, dim), below = 0;
	IrValue *number = NULL;
	if (bits == s->parts->bits)
		return s->rank;
	for (unsigned bit = 0; bit < s->parts->bits; bit++) {
		if (gpu_part_dim(part, bit) != (int)dim)
			continue;
		IrValue *one = bit ? irb_2(b, OP_SHRUI, NULL, s->rank, irb_int(b, i32, bit)) : s->rank;
		one = irb_2(b, OP_ANDI, NULL, one, irb_int(b, i32, 1));
		one = below ? irb_2(b, OP_SHLI, NULL, one, irb_int(b, i32, below)) : one;
		number = number ? irb_2(b, OP_ORI, NULL, number, one) : one;
		below++;
	}
	return number;
}

/* Where the CTA's part of `size` elements begins. */
static IrValue *start_along(const Split *s, IrBuilder *b, GpuPart part, unsigned dim, int64_t size)
{
	IrType i32 = ir_scalar(s->gpu->ir, TY_I32);
	int64_t own = size >> gpu_part_bits_of(part, dim);
	return irb_2(b, OP_MULI, NULL, number_along(s, b, part, dim), irb_int(b, i32, own));
}

/* ---- ops of one part ---- */

/* One value may be several operands, each in another part. */
static IrOp *copy_op(Split *s, const IrOp *op, GpuPart part)
{
	IrOp *copy = ir_clone(s->m, op, &s->map, NULL, NULL);
	for (uint32_t i = 0; i < op->operand_count; i++) {
		const IrValue *v = ir_operand(op, i);
		GpuPart own = 0;
		if (!gpu_part_is_tile(v->type))
			continue;
		gpu_part_operand(s->parts, op, i, part, &own);
		ir_operand_set(copy, i, tile(s, v, own));
	}
	return copy;
}

static IrBuilder after(const Split *s, IrOp *op)
{
	IrBuilder b = ir_at_end(s->m, op->block, op->loc);
	b.before = op->next;
	return b;
}

static void cut_range(Split *s, IrOp *copy, const IrValue *old, GpuPart part)
{
	IrCx *ir = s->gpu->ir;
	int64_t start = ir_get_int(copy, ir, ATTR_START, 0);
	IrBuilder b = after(s, copy);
	ir_set(s->m, copy, ATTR_END, ir_attr_i32(ir, start + copy->results[0].type->shape[0]));
	IrValue *at = start_along(s, &b, part, 0, old->type->shape[0]);
	IrValue *moved =
		irb_2(&b, OP_ADDI, NULL, irb_splat(&b, at, copy->results[0].type), &copy->results[0]);
	vec_last(&s->tiles[old->id]).value = moved;
}

/* The tile that an access by a descriptor moves; NULL: it is none. */
static IrType moved_tile(const IrOp *op)
{
	switch (op->kind) {
	case OP_DESC_LOAD:
	case OP_DESC_GATHER: return op->results[0].type;
	case OP_DESC_STORE:
	case OP_DESC_REDUCE: return ir_operand(op, 1)->type;
	case OP_DESC_SCATTER: return ir_operand(op, 3)->type;
	default: return NULL;
	}
}

static void add_to_index(Split *s, IrOp *copy, uint32_t index, GpuPart part, unsigned dim, int64_t size)
{
	if (!gpu_part_bits_of(part, dim))
		return;
	IrBuilder b = ir_at(s->m, copy);
	IrValue *start = start_along(s, &b, part, dim, size);
	ir_operand_set(copy, index, irb_2(&b, OP_ADDI, NULL, ir_operand(copy, index), start));
}

/* Indices of an access by a descriptor begin at the part; those of the tile's dims come last. Rows
 * that are named have an index for their columns alone. */
static void move_indices(Split *s, const IrOp *op, IrOp *copy, GpuPart part)
{
	IrType t = moved_tile(op);
	bool rows = op->kind == OP_DESC_GATHER || op->kind == OP_DESC_SCATTER;
	for (uint32_t d = rows; t && d < t->rank; d++)
		add_to_index(s, copy, rows ? 2 : op->operand_count - t->rank + d, part, d, t->shape[d]);
}

static void retype_constant(Split *s, IrOp *copy)
{
	IrAttr value = ir_get(copy, s->gpu->ir, ATTR_VALUE);
	if (value->kind == ATTR_KIND_DENSE)
		ir_set(s->m, copy, ATTR_VALUE,
		       ir_attr_splat(s->gpu->ir, copy->results[0].type, value->words[0]));
}

static void make_part(Split *s, IrBuilder *to, const IrOp *op, GpuPart part)
{
	IrOp *copy = copy_op(s, op, part);
	ir_op_append(to->block, copy);
	for (uint32_t i = 0; i < op->result_count; i++)
		if (gpu_part_is_tile(op->results[i].type))
			put_tile(s, &op->results[i], part, &copy->results[i]);
	if (op->kind == OP_MAKE_RANGE && part)
		cut_range(s, copy, &op->results[0], part);
	else if (op->kind == OP_CONSTANT)
		retype_constant(s, copy);
	move_indices(s, op, copy, part);
	unsigned copies = gpu_part_copies(s->parts, part);
	if (copies && (op->kind == OP_LOAD || op->kind == OP_DESC_LOAD) && ir_is_tensor(op->results[0].type))
		ir_set(s->m, copy, ATTR_SHARED_BY, ir_attr_i32(s->gpu->ir, copies));
}

/* What all of some CTAs would do alike, the first of them does. */
static void make_sink(Split *s, IrBuilder *to, const IrOp *op)
{
	GpuPart part = gpu_part_of_sink(s->parts, op);
	unsigned copies = gpu_part_copies(s->parts, part);
	if (!copies) {
		make_part(s, to, op, part);
		return;
	}
	CONTRACT(!op->result_count);
	IrType i32 = ir_scalar(s->gpu->ir, TY_I32);
	to->loc = op->loc;
	IrValue *other = irb_2(to, OP_ANDI, NULL, s->rank, irb_int(to, i32, copies));
	IrValue *first = irb_cmpi(to, CMPI_EQ, other, irb_int(to, i32, 0));
	IrOp *branch = irb_op(to, OP_IF, &first, 1, NULL, 0, 2);
	IrBuilder inside = ir_at_end(s->m, ir_block_new(s->m, &branch->regions[0]), op->loc);
	make_part(s, &inside, op, part);
	irb_op(&inside, OP_YIELD, NULL, 0, NULL, 0, 0);
}

/* ---- loops and branches ---- */

static void split_block(Split *s, const IrBlock *from, IrBlock *to);

typedef VEC(IrValue *) Values;
typedef VEC(IrType) Types;

/* The values that stand for operand i, in the parts that are wanted of `like`. */
static void add_values(Split *s, Values *out, IrValue *v, const IrValue *like)
{
	if (!gpu_part_is_tile(v->type)) {
		vec_push(s->cx->scratch, out, ir_mapping_get(&s->map, v));
		return;
	}
	for (uint32_t i = 0; i < wanted(s, like)->len; i++)
		vec_push(s->cx->scratch, out, tile(s, v, wanted(s, like)->data[i]));
}

static void add_types(Split *s, Types *out, const IrValue *like)
{
	if (!gpu_part_is_tile(like->type))
		vec_push(s->cx->scratch, out, like->type);
	for (uint32_t i = 0; gpu_part_is_tile(like->type) && i < wanted(s, like)->len; i++)
		vec_push(s->cx->scratch, out,
			 gpu_part_type(s->gpu, like->type, wanted(s, like)->data[i]));
}

/* `made`: as many as `like` has parts. */
static void set_values(Split *s, const IrValue *v, const IrValue *like, IrValue **made)
{
	if (!gpu_part_is_tile(v->type))
		ir_mapping_put(&s->map, (IrValue *)(uintptr_t)v, made[0]);
	for (uint32_t i = 0; gpu_part_is_tile(v->type) && i < wanted(s, like)->len; i++)
		put_tile(s, v, wanted(s, like)->data[i], made[i]);
}

static void add_args(Split *s, IrBlock *to, const IrValue *arg)
{
	uint32_t n = count_of(s, arg), first = to->arg_count;
	for (uint32_t i = 0; i < n; i++)
		ir_block_arg_add(s->m, to, arg->type, arg->loc);
	if (n)
		set_values(s, arg, arg, to->args + first);
}

/* What carries result i: the loop's own parts are those of its argument. */
static const IrValue *carrier(const IrOp *op, uint32_t i)
{
	switch (op->kind) {
	case OP_FOR: return op->regions[0].first->args[i + 1];
	case OP_WHILE: return op->regions[1].first->args[i];
	default: return &op->results[i];
	}
}

static void set_results(Split *s, const IrOp *op, IrOp *made)
{
	IrValue *of[1], **values;
	uint32_t at = 0;
	for (uint32_t i = 0; i < op->result_count; i++) {
		uint32_t n = count_of(s, carrier(op, i));
		values = n > 1 ? ARENA_ARRAY(s->cx->scratch, IrValue *, n) : of;
		for (uint32_t k = 0; k < n; k++)
			values[k] = &made->results[at++];
		if (n)
			set_values(s, &op->results[i], carrier(op, i), values);
	}
}

static void end_region(Split *s, const IrBlock *from, IrBlock *to, const Values *values)
{
	const IrOp *last = ir_terminator(from);
	IrBuilder b = ir_at_end(s->m, to, last->loc);
	IrOp *end = irb_op(&b, last->kind, values->data, values->len, NULL, 0, 0);
	end->attr_count = last->attr_count;
	end->attrs = arena_copy(s->gpu->arena, last->attrs, last->attr_count * sizeof *last->attrs);
}

/* The op with its operands and results in parts; regions are empty. */
static IrOp *begin_op(Split *s, IrBuilder *to, const IrOp *op, const Values *operands)
{
	Types types = {0};
	for (uint32_t i = 0; i < op->result_count; i++)
		add_types(s, &types, carrier(op, i));
	IrOp *made = ir_op_new(s->m, op->kind, op->loc, operands->data, operands->len, types.data, types.len,
			       op->region_count);
	made->attr_count = op->attr_count;
	made->attrs = op->attr_count ? arena_copy(s->gpu->arena, op->attrs,
						  op->attr_count * sizeof *op->attrs)
				     : NULL;
	ir_op_append(to->block, made);
	return made;
}

static void split_for(Split *s, IrBuilder *to, const IrOp *op)
{
	Values operands = {0}, yielded = {0};
	const IrBlock *body = op->regions[0].first;
	for (uint32_t i = 0; i < op->operand_count; i++)
		add_values(s, &operands, ir_operand(op, i), body->args[i < 3 ? 0 : i - 2]);
	IrOp *made = begin_op(s, to, op, &operands);
	IrBlock *block = ir_block_new(s->m, &made->regions[0]);
	for (uint32_t i = 0; i < body->arg_count; i++)
		add_args(s, block, body->args[i]);
	split_block(s, body, block);
	const IrOp *yield = ir_terminator(body);
	for (uint32_t i = 0; i < yield->operand_count; i++)
		add_values(s, &yielded, ir_operand(yield, i), body->args[i + 1]);
	end_region(s, body, block, &yielded);
	set_results(s, op, made);
}

static void split_if(Split *s, IrBuilder *to, const IrOp *op)
{
	Values operands = {0};
	add_values(s, &operands, ir_operand(op, 0), NULL);
	IrOp *made = begin_op(s, to, op, &operands);
	for (uint32_t r = 0; r < op->region_count; r++) {
		const IrBlock *body = op->regions[r].first;
		Values yielded = {0};
		if (!body)
			continue;
		IrBlock *block = ir_block_new(s->m, &made->regions[r]);
		split_block(s, body, block);
		const IrOp *yield = ir_terminator(body);
		for (uint32_t i = 0; i < yield->operand_count; i++)
			add_values(s, &yielded, ir_operand(yield, i), &op->results[i]);
		end_region(s, body, block, &yielded);
	}
	set_results(s, op, made);
}

static void split_while(Split *s, IrBuilder *to, const IrOp *op)
{
	Values operands = {0};
	const IrBlock *before = op->regions[0].first;
	for (uint32_t i = 0; i < op->operand_count; i++)
		add_values(s, &operands, ir_operand(op, i), before->args[i]);
	IrOp *made = begin_op(s, to, op, &operands);
	for (uint32_t r = 0; r < 2; r++) {
		const IrBlock *body = op->regions[r].first, *next = op->regions[1 - r].first;
		IrBlock *block = ir_block_new(s->m, &made->regions[r]);
		Values given = {0};
		for (uint32_t i = 0; i < body->arg_count; i++)
			add_args(s, block, body->args[i]);
		split_block(s, body, block);
		const IrOp *last = ir_terminator(body);
		for (uint32_t i = 0; i < last->operand_count; i++)
			add_values(s, &given, ir_operand(last, i),
				   r ? next->args[i] : i ? next->args[i - 1] : NULL);
		end_region(s, body, block, &given);
	}
	set_results(s, op, made);
}

/* ---- the body ---- */

/* In all parts in which the op's results are wanted; where none of them is a tile once. */
static void split_op(Split *s, IrBuilder *to, const IrOp *op)
{
	GpuPartList all = {0};
	bool tiles = false;
	for (uint32_t i = 0; i < op->result_count; i++) {
		const IrValue *v = &op->results[i];
		tiles |= gpu_part_is_tile(v->type);
		for (uint32_t k = 0; gpu_part_is_tile(v->type) && k < wanted(s, v)->len; k++) {
			bool there = false;
			for (uint32_t n = 0; n < all.len; n++)
				there |= all.data[n] == wanted(s, v)->data[k];
			if (!there)
				vec_push(s->cx->scratch, &all, wanted(s, v)->data[k]);
		}
	}
	if (!tiles)
		vec_push(s->cx->scratch, &all, 0);
	for (uint32_t i = 0; i < all.len; i++)
		make_part(s, to, op, all.data[i]);
}

static void split_block(Split *s, const IrBlock *from, IrBlock *to)
{
	for (const IrOp *op = from->first; op; op = op->next) {
		IrBuilder b = ir_at_end(s->m, to, op->loc);
		if (op->kind == OP_FOR)
			split_for(s, &b, op);
		else if (op->kind == OP_IF)
			split_if(s, &b, op);
		else if (op->kind == OP_WHILE)
			split_while(s, &b, op);
		else if (gpu_part_is_sink(op))
			make_sink(s, &b, op);
		else if (!ir_has_trait(op, TRAIT_TERM))
			split_op(s, &b, op);
	}
}

/* Arguments stay; those that are descriptors are of smaller tiles. */
static void split_args(Split *s, IrOp *func, IrBlock *body)
{
	IrType old = ir_func_type_of(func), *types = ARENA_ARRAY(s->cx->scratch, IrType, old->len);
	memcpy(types, old->list, old->len * sizeof *types);
	for (uint32_t i = 0; i < body->arg_count; i++) {
		IrValue *arg = body->args[i];
		if (!gpu_part_is_tile(arg->type) || !wanted(s, arg)->len)
			continue;
		GpuPart part = wanted(s, arg)->data[0];
		put_tile(s, arg, part, arg);
		types[i] = arg->type;
	}
	IrType type = ir_func_type(s->gpu->ir, types, old->split, types + old->split, old->len - old->split);
	ir_set(s->m, func, ATTR_FUNCTION_TYPE, ir_attr_type(s->gpu->ir, type));
}

/* The new body takes the place and the arguments of the old one. */
static void split_func(Split *s, IrOp *func)
{
	IrBlock *body = ir_func_body(func), *made = ir_block_new(s->m, NULL);
	IrBuilder b = ir_at_end(s->m, made, func->loc);
	s->rank = irb_0(&b, OP_CTA_RANK, ir_scalar(s->gpu->ir, TY_I32));
	split_args(s, func, body);
	split_block(s, body, made);
	const IrOp *last = ir_terminator(body);
	b.loc = last->loc;
	irb_op(&b, last->kind, NULL, 0, NULL, 0, 0);
	while (body->last)
		ir_op_erase(body->last);
	while (made->first) {
		IrOp *op = made->first;
		ir_op_unlink(op);
		ir_op_append(body, op);
	}
}

/* ---- the pass ---- */

static bool find_dot(void *data, IrOp *op)
{
	const IrOp **dot = data;
	if (op->kind == OP_DOT || op->kind == OP_DOT_SCALED)
		*dot = op;
	return !*dot;
}

/* The one function with a body, where it multiplies. */
static IrOp *function_to_split(PassCx *cx, const IrOp **dot)
{
	IrOp *found = NULL;
	*dot = NULL;
	for (IrOp *op = ir_module_block(cx->module)->first; op; op = op->next) {
		if (op->kind != OP_FUNC || !ir_func_body(op))
			continue;
		if (found || op->regions[0].first->next)
			return NULL;
		found = op;
	}
	if (found)
		ir_walk(found, false, find_dot, dot);
	return *dot ? found : NULL;
}

bool pass_split_clusters(PassCx *cx, bool *changed)
{
	GpuCx *gpu = gpu_of(cx);
	const IrOp *dot;
	IrOp *func = gpu->num_ctas > 1 && gpu->num_ctas <= 1u << GPU_PART_BITS ? function_to_split(cx, &dot)
									      : NULL;
	GpuParts parts;
	if (!func)
		return true;
	if (!gpu_parts_find(gpu, cx->scratch, func, cx->module->next_value, base_log2(gpu->num_ctas),
			    &parts)) {
		gpu_remark_of(gpu, dot, NULL, REMARK_DOT_CTAS_NOT, parts.why);
		return true;
	}
	Split s = {.cx = cx, .gpu = gpu, .m = cx->module, .parts = &parts, .values = cx->module->next_value};
	IrType own = gpu_part_type(gpu, dot->results[0].type, parts.natural[dot->results[0].id]);
	gpu_remark_of(gpu, dot, NULL, REMARK_DOT_CTAS, gpu->num_ctas, (unsigned)own->shape[own->rank - 2],
		      (unsigned)own->shape[own->rank - 1]);
	s.tiles = ARENA_ARRAY(cx->scratch, PartList, s.values);
	ir_mapping_init(&s.map, cx->scratch);
	split_func(&s, func);
	gpu->cluster = gpu->num_ctas;
	gpu->num_ctas = 1;
	ir_set(cx->module, cx->module->op, ATTR_MODULE_CLUSTER, ir_attr_i32(gpu->ir, gpu->cluster));
	*changed = true;
	return true;
}
