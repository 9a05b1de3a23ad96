/* narrow-extremes: the maximum or minimum of a tile that was widened is taken of the narrow tile,
 * and then widened.
 *
 *	max(f32(x))  is  f32(max(x))        of x in fp16 or bf16; max(|f32(x)|) likewise
 *
 * Needs: TTIR. Keeps: values, except which NaN it is. Order and equality are the same in both
 * formats, and every number of the narrow one is one of the wide one. So two numbers are compared
 * at once (lower/pairs.c), and until the extreme is known the tile takes half of the registers. */
#include "gpu/choose/choose.h"
#include "gpu/gpu.h"
#include "gpu/reduce/combine_ops.h"

typedef struct Narrow {
	PassCx *cx;
	VEC(IrOp *) list;
} Narrow;

static bool is_extreme(const IrOp *reduce)
{
	switch (gpu_region_op(&reduce->regions[0])) {
	case OP_MAXNUMF:
	case OP_MINNUMF:
	case OP_MAXIMUMF:
	case OP_MINIMUMF: return true;
	default: return false;
	}
}

/* What stands between a tile that was widened and its extreme: ops that give its elements other
 * places, which nothing else needs, and at most one that takes magnitudes. */
enum { MOST_VIEWS = 4 };

typedef struct Way {
	IrValue *from; /* before it was widened; NULL: it was not */
	const IrOp *views[MOST_VIEWS], *abs; /* the first one last */
	unsigned count;
} Way;

static Way way_of(const IrOp *reduce)
{
	Way w = {0};
	const IrValue *tile = ir_operand(reduce, 0);
	for (const IrOp *op = tile->def; op; op = tile->def) {
		if (op->kind == OP_EXTF) {
			IrTypeKind kind = ir_elem(ir_operand(op, 0)->type)->kind;
			bool half = kind == TY_F16 || kind == TY_BF16;
			w.from = half && ir_elem(tile->type)->kind == TY_F32 ? ir_operand(op, 0) : NULL;
			return w;
		}
		bool view = op->kind == OP_RESHAPE || op->kind == OP_TRANS || op->kind == OP_EXPAND_DIMS;
		if (!ir_has_one_use(tile) || !(view ? w.count < MOST_VIEWS : op->kind == OP_ABSF && !w.abs))
			return w;
		if (view)
			w.views[w.count++] = op;
		else
			w.abs = op;
		tile = ir_operand(op, 0);
	}
	return w;
}

static bool visit(void *data, IrOp *op)
{
	Narrow *n = data;
	if (op->kind == OP_REDUCE && op->operand_count == 1 && is_extreme(op) &&
	    !gpu_is_loop_sum(op) && way_of(op).from)
		vec_push(n->cx->scratch, &n->list, op);
	return true;
}

/* The op on a narrower tile. */
static IrValue *again(Narrow *n, const IrOp *op, IrValue *tile, IrOp *before)
{
	IrMapping map;
	ir_mapping_init(&map, n->cx->scratch);
	ir_mapping_put(&map, ir_operand(op, 0), tile);
	IrOp *copy = ir_clone(n->cx->module, op, &map, NULL, NULL);
	IrType like = op->kind == OP_ABSF ? tile->type : op->results[0].type;
	copy->results[0].type = ir_with_elem(gpu_of(n->cx)->ir, like, ir_elem(tile->type));
	ir_op_insert_before(copy, before);
	return &copy->results[0];
}

/* The op, and what it was made of, where nothing needs it any more: up to where it was widened. */
static void drop(IrOp *op)
{
	while (op && !op->results[0].uses) {
		IrOp *next = op->kind == OP_EXTF ? NULL : ir_operand(op, 0)->def;
		ir_op_erase(op);
		op = next;
	}
}

static void narrow(Narrow *n, IrOp *op)
{
	IrModule *m = n->cx->module;
	IrCx *ir = gpu_of(n->cx)->ir;
	Way w = way_of(op);
	IrValue *from = w.from, *result = &op->results[0];
	IrType elem = ir_elem(from->type), wide = result->type;
	for (unsigned i = w.count; i-- > 0;)
		from = again(n, w.views[i], from, op);
	from = w.abs ? again(n, w.abs, from, op) : from;
	IrOp *old = ir_operand(op, 0)->def;
	ir_operand_set(op, 0, from);
	drop(old);
	IrBlock *body = op->regions[0].first;
	for (uint32_t i = 0; i < body->arg_count; i++)
		body->args[i]->type = elem;
	body->first->results[0].type = elem;
	result->type = ir_is_tensor(wide) ? ir_with_elem(ir, wide, elem) : elem;
	IrBuilder b = ir_at(m, op->next);
	b.loc = op->loc;
	IrValue *widened = irb_1(&b, OP_EXTF, wide, result);
	ir_replace_uses(result, widened);
	ir_operand_set(widened->def, 0, result);
}

bool pass_narrow_extremes(PassCx *cx, bool *changed)
{
	Narrow n = {.cx = cx};
	if (!target_has(gpu_of(cx)->target, TARGET_BF16))
		return true;
	ir_walk(cx->module->op, true, visit, &n);
	for (uint32_t i = 0; i < n.list.len; i++)
		narrow(&n, n.list.data[i]);
	*changed |= n.list.len > 0;
	return true;
}
