/* map-loads: tiles that a loop loads through pointers as wgmma operands, and the tiles that such a
 * kernel stores, are copied by TMA through tensor maps that the launch creates.
 *
 * Needs: TTIR with dots as `decompose-dots` leaves them. Keeps: what is stored, bit by bit. One
 * thread issues a TMA copy, so the other threads are free for the products; `pipeline` then treats
 * these loads like those of descriptors. Method: recover the tensor (base, sizes, strides) from
 * addresses and masks (tensor.h), and replace the load or store by one through an extra argument,
 * a tensor map. Results that the kernel stores once, or once for each tile of a loop over tiles,
 * go through maps too: threads write them to shared memory and carry on. So do tiles of fp32 that
 * such a loop adds to memory by atomics whose old values nobody uses, as attention's backward adds
 * to dQ: one copy adds them all, where threads would issue an instruction for each 8 or 16 bytes.
 *
 * A kernel in which threads of different programs may communicate (an atomic whose result is used,
 * a volatile load, calls, inline assembly) is left alone: data that other programs wrote before
 * such a point is visible to ordinary loads, but not to TMA without a proxy fence. */
#include "gpu/analysis/tensor.h"
#include "gpu/layout/boxes.h"
#include "gpu/loop/roles.h"
#include "gpu/pass/map_args.h"
#include "gpu/plan/dot.h"
#include "gpu/plan/wgmma.h"
#include "gpu/remark.h"
#include "ir/enums.h"

enum { RANK = 2, MOST_ARGUMENTS = 200, VECTOR_BYTES = 128 /* a slot of a ring begins at such */ };

typedef struct MapLoads {
	PassCx *cx;
	GpuCx *gpu;
	IrOp *func;
	GpuMapArgs args;
	TensorSearch search;
	VEC(IrOp *) loads, beside, once, stores, sums;
	VEC(const IrOp *) loops; /* in which tiles come through maps */
	bool apart; /* no program waits for another one */
	bool silent; /* nor tells another one that it has stored */
	bool relaxed; /* nor by an atomic that orders what is stored before it */
	ScheduleSeen seen;
} MapLoads;

/* ---- which loads ---- */

/* Does operand `number` of the dot, loaded in its loop, lie along K, or across it? */
static bool lies(MapLoads *m, const IrOp *dot, uint32_t number, bool along)
{
	const IrValue *v = ir_operand(dot, number);
	unsigned k = number == 0 ? 1 : 0;
	for (; v->def && v->def->kind == OP_TRANS; v = ir_operand(v->def, 0))
		k = 1 - k;
	Tensor tensor;
	if (v->def && v->def->kind == OP_DESC_LOAD)
		return (k == 1) == along;
	bool loaded = v->def && v->def->kind == OP_LOAD && v->def->block == dot->block;
	return loaded && tensor_of(&m->search, v->def, &tensor) && (tensor.last == k) == along;
}

/* Will the product take the operand from memory as it lies there, neighbours along K or across?
 * Words and bytes across K threads take from memory, where the other operand lies along K, or is
 * turned by warps of their own. */
static bool takes(MapLoads *m, const IrOp *dot, uint32_t number, bool across)
{
	IrType elem = ir_operand(dot, number)->type->elem;
	unsigned warps[2];
	const char *why;
	if (across && gpu_wgmma_wants_k_first(elem))
		return (number == 1 && gpu_may_turn_values(m->gpu, dot)) ||
		       (lies(m, dot, 1 - number, true) && gpu_wgmma_reads_across(m->gpu, dot, number == 1)) ||
		       (lies(m, dot, 1 - number, false) && gpu_may_turn(m->gpu, dot));
	return gpu_wgmma_for(m->gpu, dot, false, warps, &why) != NULL;
}

/* Do products alone take the tile, perhaps transposed, so? */
static bool goes_to_products(MapLoads *m, const IrValue *v, bool transposed, unsigned last)
{
	for (const IrUse *u = v->uses; u; u = u->next) {
		const IrOp *op = u->owner;
		uint32_t operand = (uint32_t)(u - op->operands);
		unsigned k = (operand == 0) != transposed ? 1 : 0;
		if (op->kind == OP_TRANS && goes_to_products(m, &op->results[0], !transposed, last))
			continue;
		if (op->kind != OP_DOT || operand > 1 || !takes(m, op, operand, k != last))
			return false;
	}
	return v->uses != NULL;
}

static bool is_candidate(MapLoads *m, IrOp *load)
{
	int64_t evict = ir_get_int(load, m->gpu->ir, ATTR_EVICT, EVICT_NORMAL);
	IrType type = load->results[0].type;
	return ir_is_tensor(type) && type->rank == RANK && evict == EVICT_NORMAL && !schedule_fills(load) &&
	       schedule_may_copy(m->gpu, m->cx->module, m->cx->scratch, load, &m->seen) &&
	       (goes_to_products(m, &load->results[0], false, 0) ||
		goes_to_products(m, &load->results[0], false, 1));
}

/* What threads take beside products, as attention's backward the sums of its rows, a bias, weights
 * of int8: where what products take comes by TMA, so does it, and nobody has to wait for all
 * threads' copies. */
static bool is_for_threads(MapLoads *m, IrOp *load)
{
	IrType type = load->results[0].type;
	int64_t evict = ir_get_int(load, m->gpu->ir, ATTR_EVICT, EVICT_NORMAL);
	if (!ir_is_tensor(type) || type->rank > RANK || !ir_is_scalar(type->elem) || type->elem->bits < 8)
		return false;
	return (uint64_t)ir_numel(type) * type->elem->bits / 8 % VECTOR_BYTES == 0 &&
	       evict == EVICT_NORMAL && !schedule_fills(load) &&
	       schedule_may_copy(m->gpu, m->cx->module, m->cx->scratch, load, &m->seen);
}

/* What products of loops take in every iteration, as attention's rows of queries: it is loaded
 * once, in front of them. */
static bool is_for_loops(MapLoads *m, IrOp *load)
{
	IrType type = load->results[0].type;
	int64_t evict = ir_get_int(load, m->gpu->ir, ATTR_EVICT, EVICT_NORMAL);
	return ir_is_tensor(type) && type->rank == RANK && ir_parent_op(load)->kind == OP_FUNC &&
	       evict == EVICT_NORMAL && !schedule_fills(load);
}

/* A loop over tiles that is asked to run as one with those inside. It loads nothing that it
 * stores. */
static bool is_over_tiles(const MapLoads *m, const IrOp *op)
{
	return op->kind == OP_FOR && ir_parent_op(op)->kind == OP_FUNC &&
	       ir_get_bool(op, m->gpu->ir, ATTR_FLATTEN) && !gpu_stores_reach(m->gpu, op, op);
}

/* A tile that is stored once, or once in each iteration of a loop over tiles. (In other loops
 * whatever comes next would wait until it is written.) */
static bool is_result(const MapLoads *m, const IrOp *store)
{
	const IrOp *around = ir_parent_op(store);
	IrType type = ir_operand(store, 1)->type;
	return ir_is_tensor(type) && type->rank == RANK && ir_is_scalar(type->elem) &&
	       (around->kind == OP_FUNC || is_over_tiles(m, around)) &&
	       ir_get_int(store, m->gpu->ir, ATTR_EVICT, EVICT_NORMAL) == EVICT_NORMAL &&
	       ir_get_int(store, m->gpu->ir, ATTR_CACHE, CACHE_NONE) == CACHE_NONE;
}

static bool is_relaxed(const MapLoads *m, const IrOp *atomic)
{
	return ir_get_int(atomic, m->gpu->ir, ATTR_SEM, 0) == SEM_RELAXED;
}

/* A tile that a loop adds to memory, where it has looked that it loads nothing of it. */
static bool is_sum(const MapLoads *m, const IrOp *atomic)
{
	const IrOp *loop = ir_parent_op(atomic);
	IrType type = ir_operand(atomic, 1)->type;
	return ir_is_tensor(type) && type->rank == RANK && type->elem->kind == TY_F32 &&
	       !atomic->results[0].uses && ir_get_int(atomic, m->gpu->ir, ATTR_RMW_OP, 0) == RMW_FADD &&
	       ir_get_int(atomic, m->gpu->ir, ATTR_SCOPE, 0) != SCOPE_SYS && loop->kind == OP_FOR &&
	       ir_get_bool(loop, m->gpu->ir, ATTR_DISJOINT);
}

/* May another program have written what a load behind this reads? */
static bool meets_others(const IrOp *op)
{
	if (op->kind == OP_ATOMIC_RMW || op->kind == OP_ATOMIC_CAS)
		return op->results[0].uses != NULL;
	if (op->kind == OP_LOAD)
		return ir_is_volatile(op);
	if (op->kind == OP_EXTERN || op->kind == OP_INLINE_ASM)
		return !ir_is_pure(op);
	return op->kind == OP_CALL || op->kind == OP_BARRIER;
}

static bool visit(void *data, IrOp *op)
{
	MapLoads *m = data;
	if (op->kind == OP_LOAD && is_candidate(m, op))
		vec_push(m->cx->scratch, &m->loads, op);
	else if (op->kind == OP_LOAD && is_for_threads(m, op))
		vec_push(m->cx->scratch, &m->beside, op);
	else if (op->kind == OP_LOAD && is_for_loops(m, op))
		vec_push(m->cx->scratch, &m->once, op);
	if (op->kind == OP_DESC_LOAD && gpu_is_map(ir_operand(op, 0)->type))
		vec_push(m->cx->scratch, &m->loops, ir_parent_op(op));
	if (op->kind == OP_STORE && is_result(m, op))
		vec_push(m->cx->scratch, &m->stores, op);
	m->apart &= !meets_others(op);
	bool atomic = op->kind == OP_ATOMIC_RMW || op->kind == OP_ATOMIC_CAS;
	if (op->kind == OP_ATOMIC_RMW && is_sum(m, op))
		vec_push(m->cx->scratch, &m->sums, op);
	m->silent &= !atomic;
	m->relaxed &= !atomic || is_relaxed(m, op);
	return true;
}

/* ---- rewriting ---- */

/* Where it is made, so that it stands in front of loops that it stands in front of. */
static IrValue *word_of(const MapLoads *m, const IrValue *symbol)
{
	IrType i32 = ir_scalar(m->gpu->ir, TY_I32);
	IrValue *v = (IrValue *)(uintptr_t)symbol;
	if (v->type->bits == 32)
		return v;
	CONTRACT(v->def && v->type->bits > 32);
	IrBuilder b = ir_at(m->cx->module, v->def->next);
	b.loc = v->def->loc;
	return irb_1(&b, OP_TRUNCI, i32, v);
}

/* Of 64 bits; what 32 do not hold is behind the end there too. */
static IrValue *clamped(IrBuilder *b, IrType i32, IrValue *v, bool may_be_negative)
{
	if (may_be_negative)
		v = irb_2(b, OP_MAXSI, NULL, v, irb_int(b, v->type, INT32_MIN));
	return irb_1(b, OP_TRUNCI, i32, irb_2(b, OP_MINSI, NULL, v, irb_int(b, v->type, INT32_MAX)));
}

static IrValue *index_of(const MapLoads *m, IrBuilder *b, const TensorDim *dim)
{
	bool far = dim->far && dim->ends;
	const Poly *at = dim->at;
	IrType i32 = ir_scalar(m->gpu->ir, TY_I32), type = far ? ir_scalar(m->gpu->ir, TY_I64) : i32;
	IrValue *sum = NULL;
	for (uint32_t i = 0; i < at->count; i++) {
		const PolyTerm *t = &at->terms[i];
		IrValue *v = NULL;
		for (uint32_t k = 0; k < t->count; k++) {
			IrValue *factor = word_of(m, t->of[k]);
			factor = far ? irb_1(b, OP_EXTSI, type, factor) : factor;
			v = v ? irb_2(b, OP_MULI, NULL, v, factor) : factor;
		}
		if (!v)
			v = irb_int(b, type, t->scale);
		else if (t->scale != 1)
			v = irb_2(b, OP_MULI, NULL, v, irb_int(b, type, t->scale));
		sum = sum ? irb_2(b, OP_ADDI, NULL, sum, v) : v;
	}
	sum = sum ? sum : irb_int(b, type, 0);
	return far ? clamped(b, i32, sum, dim->from) : sum;
}

/* Does the tile lie the other way round in memory? */
static bool is_turned(const Tensor *tensor)
{
	return tensor->rank == RANK && tensor->last == 0;
}

/* Dims in the order of the map: those that the tile has one of, then the tile's, the contiguous one
 * last. */
static unsigned in_order(const Tensor *tensor, unsigned *order)
{
	unsigned n = 0;
	for (unsigned d = tensor->rank; d < tensor->count; d++)
		order[n++] = d;
	if (tensor->rank == RANK)
		order[n++] = 1 - tensor->last;
	order[n++] = tensor->last;
	return n;
}

static IrAttr map_of(const MapLoads *m, const Tensor *tensor)
{
	int64_t numbers[2 + 4 * TENSOR_MAP_RANK] = {tensor->base->index, TENSOR_MAP_ZERO};
	unsigned order[TENSOR_MAP_RANK], n = in_order(tensor, order);
	for (unsigned i = 0; i < n; i++) {
		const TensorDim *dim = &tensor->dims[order[i]];
		memcpy(numbers + 2 + 2 * i, (int64_t[]){dim->size.arg, dim->size.scale}, 2 * sizeof numbers[0]);
		memcpy(numbers + 2 + 2 * (n + i), (int64_t[]){dim->stride.arg, dim->stride.scale}, 2 * sizeof numbers[0]);
	}
	return ir_attr_ints(m->gpu->ir, ir_scalar(m->gpu->ir, TY_I64), numbers, 2 + 4 * n);
}

static IrValue *transposed(const MapLoads *m, IrBuilder *b, IrValue *v, IrType type)
{
	static const int64_t order[] = {1, 0};
	IrValue *made = irb_1(b, OP_TRANS, type, v);
	ir_set(b->m, made->def, ATTR_ORDER, ir_attr_ints(m->gpu->ir, ir_scalar(m->gpu->ir, TY_I32), order, 2));
	return made;
}

/* The op through a map instead: operands are the map, `value` (or NULL), and where the tile begins. */
static IrOp *through_map(MapLoads *m, IrOp *access, const Tensor *tensor, IrType tile, IrValue *value)
{
	IrOpKind kind = access->kind == OP_ATOMIC_RMW ? OP_DESC_REDUCE : OP_DESC_STORE;
	IrValue *operands[2 + TENSOR_MAP_RANK];
	unsigned order[TENSOR_MAP_RANK], n = in_order(tensor, order), used = 1;
	operands[0] = gpu_map_arg(&m->args, tile, SIGN_NONE, map_of(m, tensor), access->loc);
	if (!operands[0])
		return NULL;
	IrBuilder b = ir_at(m->cx->module, access);
	if (value)
		operands[used++] = is_turned(tensor) ? transposed(m, &b, value, tile) : value;
	for (unsigned i = 0; i < n; i++)
		operands[used++] = index_of(m, &b, &tensor->dims[order[i]]);
	IrOp *made = value ? irb_op(&b, kind, operands, used, NULL, 0, 0) :
			     irb_op(&b, OP_DESC_LOAD, operands, used, &tile, 1, 0);
	if (made->kind == OP_DESC_REDUCE)
		ir_set(b.m, made, ATTR_REDUCE_KIND, ir_attr_i32(m->gpu->ir, DESC_ADD));
	ir_set(b.m, made, ATTR_SHARED_BY, ir_get(access, m->gpu->ir, ATTR_SHARED_BY));
	return made;
}

/* The tile as the map has it. */
static IrType tile_of_map(const MapLoads *m, IrType type, const Tensor *tensor)
{
	if (!is_turned(tensor))
		return type;
	return ir_tensor(m->gpu->ir, type->elem, (int64_t[]){type->shape[1], type->shape[0]}, RANK, NULL);
}

static void replace_load(MapLoads *m, IrOp *load, const Tensor *tensor, IrValue *tile)
{
	IrBuilder b = ir_at(m->cx->module, load);
	IrType type = load->results[0].type;
	ir_replace_uses(&load->results[0], is_turned(tensor) ? transposed(m, &b, tile, type) : tile);
	ir_op_erase(load);
}

static void map_load(MapLoads *m, IrOp *load)
{
	Tensor tensor;
	IrType type = load->results[0].type;
	const char *why = m->apart ? NULL : "the kernel waits for other programs";
	if (!why && !tensor_of(&m->search, load, &tensor))
		why = m->search.why;
	if (!why && !goes_to_products(m, &load->results[0], false, tensor.last))
		why = "products take its elements along the other dim";
	IrOp *made = why ? NULL : through_map(m, load, &tensor, tile_of_map(m, type, &tensor), NULL);
	if (!made) {
		why = why ? why : "TMA moves no such tile, or there are enough maps";
		gpu_remark_of(m->gpu, load, NULL, REMARK_LOAD_POINTERS, why);
		return;
	}
	vec_push(m->cx->scratch, &m->loops, ir_parent_op(load));
	replace_load(m, load, &tensor, &made->results[0]);
}

static bool is_in_mapped_loop(const MapLoads *m, const IrOp *op)
{
	for (uint32_t i = 0; i < m->loops.len; i++)
		if (m->loops.data[i] == ir_parent_op(op))
			return true;
	return false;
}

/* In a loop whose tiles go through maps. */
static void map_beside(MapLoads *m, IrOp *load)
{
	Tensor tensor;
	if (!is_in_mapped_loop(m, load) || !m->apart || !tensor_of(&m->search, load, &tensor))
		return;
	IrType tile = tile_of_map(m, load->results[0].type, &tensor);
	IrOp *made = through_map(m, load, &tensor, tile, NULL);
	if (made)
		replace_load(m, load, &tensor, &made->results[0]);
}

/* Are all that take it in loops of the function's own block? From those in branches, as of two
 * versions of a loop, each would store it to memory of its own. */
static bool is_taken_in_loops(const IrValue *v)
{
	for (const IrUse *u = v->uses; u; u = u->next) {
		const IrOp *op = u->owner;
		if (op->kind == OP_TRANS && !is_taken_in_loops(&op->results[0]))
			return false;
		while (ir_parent_op(op)->kind != OP_FUNC)
			op = ir_parent_op(op);
		if (u->owner->kind != OP_TRANS && op->kind != OP_FOR)
			return false;
	}
	return true;
}

/* Beside loops whose tiles go through maps. */
static void map_once(MapLoads *m, IrOp *load)
{
	Tensor tensor;
	IrType type = load->results[0].type;
	if (!m->apart || !is_taken_in_loops(&load->results[0]) ||
	    !tensor_of(&m->search, load, &tensor) || is_turned(&tensor) ||
	    !goes_to_products(m, &load->results[0], false, tensor.last))
		return;
	IrOp *made = through_map(m, load, &tensor, type, NULL);
	if (!made)
		return;
	ir_replace_uses(&load->results[0], &made->results[0]);
	ir_op_erase(load);
}

static void map_store(MapLoads *m, IrOp *store)
{
	Tensor tensor;
	IrValue *value = ir_operand(store, 1);
	if (!tensor_of(&m->search, store, &tensor))
		return;
	if (through_map(m, store, &tensor, tile_of_map(m, value->type, &tensor), value))
		ir_op_erase(store);
}

static bool map_function(PassCx *cx, IrOp *func)
{
	MapLoads m = {.cx = cx, .gpu = gpu_of(cx), .func = func};
	m.apart = m.silent = m.relaxed = true;
	m.search = (TensorSearch){cx->scratch, cx->module, gpu_axis(cx), ir_func_body(func), NULL};
	gpu_map_args_init(&m.args, cx, func, true);
	if (m.args.had >= MOST_ARGUMENTS)
		return false;
	ir_walk(func, false, visit, &m);
	for (uint32_t i = 0; i < m.loads.len; i++)
		map_load(&m, m.loads.data[i]);
	for (uint32_t i = 0; i < m.beside.len; i++)
		map_beside(&m, m.beside.data[i]);
	for (uint32_t i = 0; i < m.once.len && m.args.made.len; i++)
		map_once(&m, m.once.data[i]);
	for (uint32_t i = 0; i < m.stores.len && m.args.made.len && m.apart && m.silent; i++)
		map_store(&m, m.stores.data[i]);
	for (uint32_t i = 0; i < m.sums.len && m.apart && m.relaxed; i++)
		if (is_in_mapped_loop(&m, m.sums.data[i]))
			map_store(&m, m.sums.data[i]);
	if (m.args.made.len)
		gpu_map_args_describe(&m.args);
	return m.args.made.len > 0;
}

bool pass_map_loads(PassCx *cx, bool *changed)
{
	const GpuCx *gpu = gpu_of(cx);
	bool mapped = false;
	for (IrOp *func = ir_module_block(cx->module)->first; gpu_may_map(gpu) && func; func = func->next) {
		if (func->kind == OP_FUNC && ir_func_body(func) && ir_func_is_public(func, gpu->ir))
			mapped = map_function(cx, func) || mapped;
	}
	/* Pointers that the loops carried are not needed any more. */
	*changed = mapped;
	return !mapped || pass_dce(cx, &mapped);
}
