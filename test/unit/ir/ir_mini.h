/* A small evaluator of TTIR for tests of passes: runs a function with given arguments and records what it prints and
 * stores, to be compared before and after a pass. Pointers are element numbers; memory reads as a hash of the
 * address. It shares nothing with the passes but the scalar functions of fold.h, which have a test of their own. */
#ifndef NESO_TEST_IR_MINI_H
#define NESO_TEST_IR_MINI_H

#include <math.h>

#include "base/map.h"
#include "ir/rewrite/fold.h"
#include "ir_pass_kit.h"

typedef struct Mini {
	IrCx *cx;
	Arena *arena;
	Map values;                /* IrValue -> uint64_t[numel] (handles: their parts) */
	VEC(uint64_t) trace;
	unsigned steps;
	bool undefined; /* something had no defined value: the run says nothing */
} Mini;

/* What a block pointer or descriptor holds. */
typedef struct MiniHandle {
	uint64_t base;
	int64_t shape[4], strides[4], offsets[4];
	bool nan;
} MiniHandle;

static inline uint64_t *mini_get(Mini *m, const IrValue *v)
{
	uint64_t *w = map_get_ptr(&m->values, v);
	assert_non_null(w);
	return w;
}

static inline void mini_put(Mini *m, const IrValue *v, const uint64_t *w)
{
	map_put_ptr(&m->values, v, w);
}

static inline uint64_t mini_memory(uint64_t address, IrType elem)
{
	uint64_t h = (address + 12345) * 0x9e3779b97f4a7c15u;
	h ^= h >> 31;
	return fold_low(h * 0xbf58476d1ce4e5b9u >> 7, elem->bits);
}

static void mini_block(Mini *m, const IrBlock *block);

static inline uint64_t mini_canonical(IrType elem, uint64_t w)
{
	if (!ir_is_float(elem))
		return w;
	double d = ir_float_value(elem, w);
	return d != d ? 0x4e614e : w; /* one NaN is as good as another */
}

static inline void mini_elementwise(Mini *m, const IrOp *op, FoldFn *fn, uint64_t *out, int64_t n)
{
	FoldCell cell = {.op = op, .cx = m->cx, .to = ir_elem(op->results[0].type)};
	cell.from = ir_elem(ir_operand(op, op->operand_count - 1)->type);
	cell.width = cell.from->bits;
	const uint64_t *in[3] = {0};
	bool tile[3] = {0};
	for (uint32_t i = 0; i < op->operand_count; i++) {
		in[i] = mini_get(m, ir_operand(op, i));
		tile[i] = ir_is_tensor(ir_operand(op, i)->type);
	}
	for (int64_t i = 0; i < n; i++) {
		cell.a = in[0][tile[0] ? i : 0];
		cell.b = in[1] ? in[1][tile[1] ? i : 0] : 0;
		cell.c = in[2] ? in[2][tile[2] ? i : 0] : 0;
		m->undefined |= !fn(&cell, &out[i]);
	}
}

/* Result element i has coordinates at[]; which source element is it? */
static inline int64_t mini_source(const Mini *m, const IrOp *op, const int64_t *at)
{
	IrType from = ir_operand(op, 0)->type, to = op->results[0].type;
	int64_t source = 0, linear = 0;
	IrAttr order = ir_get(op, m->cx, ATTR_ORDER);
	if (op->kind == OP_SPLAT)
		return 0;
	for (uint32_t d = 0; d < to->rank; d++)
		linear = linear * to->shape[d] + at[d];
	if (op->kind == OP_EXPAND_DIMS || op->kind == OP_RESHAPE)
		return linear;
	for (uint32_t d = 0; d < from->rank; d++) {
		int64_t i = at[d];
		if (op->kind == OP_TRANS)
			for (uint32_t r = 0; r < to->rank; r++)
				if (order->ints[r] == d)
					i = at[r];
		source = source * from->shape[d] + (from->shape[d] == 1 ? 0 : i);
	}
	return source;
}

static inline void mini_coordinates(IrType type, int64_t i, int64_t *at)
{
	for (uint32_t d = type->rank; d-- > 0;) {
		at[d] = i % type->shape[d];
		i /= type->shape[d];
	}
}

static inline uint64_t mini_pad(int64_t pad, IrType elem)
{
	return pad == PAD_NAN && ir_is_float(elem) ? ir_float_bits(elem, (double)NAN) : 0;
}

/* A load or store through a handle, element by element. */
static inline void mini_through_handle(Mini *m, const IrOp *op, bool descriptor)
{
	MiniHandle h = *(MiniHandle *)(void *)mini_get(m, ir_operand(op, 0));
	IrType tile = ir_operand(op, 0)->type->elem;
	bool is_store = op->result_count == 0;
	IrAttr check = ir_get(op, m->cx, ATTR_BOUNDARY_CHECK);
	int64_t pad = ir_get_int(op, m->cx, ATTR_PADDING, 0);
	uint64_t *out = ARENA_ARRAY(m->arena, uint64_t, ir_numel(tile));
	const uint64_t *in = is_store ? mini_get(m, ir_operand(op, 1)) : NULL;
	for (uint32_t d = 0; descriptor && d < tile->rank; d++)
		h.offsets[d] = (int32_t)mini_get(m, ir_operand(op, (is_store ? 2 : 1) + d))[0];
	for (int64_t i = 0; i < ir_numel(tile); i++) {
		int64_t at[4];
		bool inside = true;
		uint64_t address = h.base;
		mini_coordinates(tile, i, at);
		for (uint32_t d = 0; d < tile->rank; d++) {
			int64_t index = h.offsets[d] + at[d];
			bool checked = descriptor;
			for (uint32_t k = 0; check && k < check->len; k++)
				checked |= check->ints[k] == d;
			address += (uint64_t)(index * h.strides[d]);
			inside &= !checked || (index >= 0 && index < h.shape[d]);
		}
		if (is_store && inside) {
			vec_push(m->arena, &m->trace, address);
			vec_push(m->arena, &m->trace, in[i]);
		} else if (!is_store) {
			m->undefined |= !inside && !descriptor && !pad;
			out[i] = inside ? mini_memory(address, tile->elem)
					: mini_pad(descriptor ? (h.nan ? PAD_NAN : PAD_ZERO) : pad, tile->elem);
		}
	}
	if (!is_store)
		mini_put(m, &op->results[0], out);
}

/* tt.descriptor_gather and tt.descriptor_scatter: rows by number. */
static inline void mini_by_rows(Mini *m, const IrOp *op)
{
	const MiniHandle *h = (MiniHandle *)(void *)mini_get(m, ir_operand(op, 0));
	bool is_store = op->kind == OP_DESC_SCATTER;
	IrType tile = is_store ? ir_operand(op, 3)->type : op->results[0].type;
	const uint64_t *rows = mini_get(m, ir_operand(op, 1));
	int64_t first = (int32_t)mini_get(m, ir_operand(op, 2))[0];
	uint64_t *out = ARENA_ARRAY(m->arena, uint64_t, ir_numel(tile));
	for (int64_t i = 0; i < ir_numel(tile); i++) {
		int64_t row = (int32_t)rows[i / tile->shape[1]], col = first + i % tile->shape[1];
		uint64_t address = h->base + (uint64_t)(row * h->strides[0] + col * h->strides[1]);
		bool inside = row >= 0 && row < h->shape[0] && col >= 0 && col < h->shape[1];
		if (is_store && inside) {
			vec_push(m->arena, &m->trace, address);
			vec_push(m->arena, &m->trace, mini_get(m, ir_operand(op, 3))[i]);
		}
		out[i] = inside ? mini_memory(address, tile->elem) : mini_pad(h->nan ? PAD_NAN : PAD_ZERO, tile->elem);
	}
	if (!is_store)
		mini_put(m, &op->results[0], out);
}

static inline void mini_memory_op(Mini *m, const IrOp *op)
{
	IrType pointer = ir_operand(op, 0)->type;
	if (ir_is_block_ptr(pointer)) {
		mini_through_handle(m, op, false);
		return;
	}
	bool is_store = op->kind == OP_STORE;
	int64_t n = ir_numel(pointer);
	uint32_t mask_at = is_store ? 2 : 1;
	const uint64_t *p = mini_get(m, ir_operand(op, 0));
	const uint64_t *mask = op->operand_count > mask_at ? mini_get(m, ir_operand(op, mask_at)) : NULL;
	const uint64_t *last = op->operand_count == 3 ? mini_get(m, ir_operand(op, 2)) : NULL;
	uint64_t *out = ARENA_ARRAY(m->arena, uint64_t, n);
	for (int64_t i = 0; i < n; i++) {
		bool on = !mask || mask[i];
		if (is_store && on) {
			vec_push(m->arena, &m->trace, p[i]);
			vec_push(m->arena, &m->trace, mini_get(m, ir_operand(op, 1))[i]);
		} else if (!is_store) {
			m->undefined |= !on && !last;
			out[i] = on ? mini_memory(p[i], ir_elem(pointer)->elem) : last ? last[i] : 0;
		}
	}
	if (!is_store)
		mini_put(m, &op->results[0], out);
}

static inline void mini_make_handle(Mini *m, const IrOp *op)
{
	MiniHandle *h = ARENA_NEW(m->arena, MiniHandle);
	IrType type = op->results[0].type;
	uint32_t rank = type->elem->rank;
	if (op->kind == OP_ADVANCE)
		*h = *(MiniHandle *)(void *)mini_get(m, ir_operand(op, 0));
	else
		h->base = mini_get(m, ir_operand(op, 0))[0];
	h->nan |= op->kind == OP_MAKE_TENSOR_DESC && ir_get_int(op, m->cx, ATTR_PADDING, 0) == PAD_NAN;
	for (uint32_t d = 0; d < rank; d++) {
		if (op->kind == OP_ADVANCE) {
			h->offsets[d] += (int32_t)mini_get(m, ir_operand(op, 1 + d))[0];
			continue;
		}
		IrValue *shape = ir_operand(op, 1 + d);
		h->shape[d] = fold_signed(mini_get(m, shape)[0], shape->type->bits);
		h->strides[d] = (int64_t)mini_get(m, ir_operand(op, 1 + rank + d))[0];
		if (op->kind == OP_MAKE_TENSOR_PTR)
			h->offsets[d] = (int32_t)mini_get(m, ir_operand(op, 1 + 2 * rank + d))[0];
	}
	mini_put(m, &op->results[0], (uint64_t *)(void *)h);
}

static inline void mini_forward(Mini *m, const IrOp *from, uint32_t first, IrValue *const *to, uint32_t n)
{
	const uint64_t *values[32];
	for (uint32_t i = 0; i < n; i++)
		values[i] = mini_get(m, ir_operand(from, first + i));
	for (uint32_t i = 0; i < n; i++)
		mini_put(m, to[i], values[i]);
}

static inline void mini_results(Mini *m, const IrOp *from, uint32_t first, const IrOp *op)
{
	IrValue *to[32];
	for (uint32_t i = 0; i < op->result_count; i++)
		to[i] = ir_result(op, i);
	mini_forward(m, from, first, to, op->result_count);
}

static inline void mini_for(Mini *m, const IrOp *op)
{
	IrBlock *body = op->regions[0].first;
	unsigned bits = ir_operand(op, 0)->type->bits;
	int64_t at = fold_signed(mini_get(m, ir_operand(op, 0))[0], bits);
	int64_t end = fold_signed(mini_get(m, ir_operand(op, 1))[0], bits);
	int64_t step = fold_signed(mini_get(m, ir_operand(op, 2))[0], bits);
	mini_forward(m, op, 3, body->args + 1, op->result_count);
	m->undefined |= step <= 0;
	mini_results(m, op, 3, op);
	for (; at < end && !m->undefined && m->steps < 100000; at += step) {
		uint64_t *iv = ARENA_NEW(m->arena, uint64_t);
		*iv = fold_low((uint64_t)at, bits);
		mini_put(m, body->args[0], iv);
		mini_block(m, body);
		mini_results(m, body->last, 0, op);
		mini_forward(m, body->last, 0, body->args + 1, op->result_count);
	}
}

static inline void mini_while(Mini *m, const IrOp *op)
{
	IrBlock *before = op->regions[0].first, *after = op->regions[1].first;
	mini_forward(m, op, 0, before->args, before->arg_count);
	while (!m->undefined && m->steps < 100000) {
		mini_block(m, before);
		mini_results(m, before->last, 1, op);
		if (!mini_get(m, ir_operand(before->last, 0))[0])
			return;
		mini_forward(m, before->last, 1, after->args, after->arg_count);
		mini_block(m, after);
		mini_forward(m, after->last, 0, before->args, before->arg_count);
	}
}

static inline void mini_reduce(Mini *m, const IrOp *op)
{
	IrBlock *body = op->regions[0].first;
	IrType from = ir_operand(op, 0)->type;
	const uint64_t *in = mini_get(m, ir_operand(op, 0));
	const uint64_t *sum = &in[0];
	for (int64_t i = 1; i < from->shape[0]; i++) {
		mini_put(m, body->args[0], sum);
		mini_put(m, body->args[1], &in[i]);
		mini_block(m, body);
		sum = mini_get(m, ir_operand(body->last, 0));
	}
	mini_put(m, &op->results[0], sum);
}

static inline void mini_move(Mini *m, const IrOp *op, uint64_t *out, int64_t n)
{
	const uint64_t *in = mini_get(m, ir_operand(op, 0));
	for (int64_t i = 0; i < n; i++) {
		int64_t at[IR_MAX_RANK];
		mini_coordinates(op->results[0].type, i, at);
		out[i] = in[mini_source(m, op, at)];
	}
}

static inline void mini_op(Mini *m, const IrOp *op)
{
	int64_t n = op->result_count ? ir_numel(op->results[0].type) : 0;
	uint64_t *out = ARENA_ARRAY(m->arena, uint64_t, n + 1);
	FoldFn *fn = fold_cells(op->kind);
	m->steps++;
	if (op->kind == OP_SELECT && ir_is_tensor(op->results[0].type) && !ir_is_tensor(ir_operand(op, 0)->type)) {
		bool yes = mini_get(m, ir_operand(op, 0))[0] != 0;
		mini_put(m, &op->results[0], mini_get(m, ir_operand(op, yes ? 1 : 2)));
		return;
	}
	if (op->kind == OP_SELECT && !ir_is_scalar(ir_elem(op->results[0].type))) {
		bool yes = mini_get(m, ir_operand(op, 0))[0] != 0;
		mini_put(m, &op->results[0], mini_get(m, ir_operand(op, yes ? 1 : 2)));
		return;
	}
	switch (op->kind) {
	case OP_CONSTANT:
		for (int64_t i = 0; i < n; i++)
			out[i] = fold_word(ir_constant_of(&op->results[0]), (uint32_t)i);
		break;
	case OP_MAKE_RANGE:
		for (int64_t i = 0; i < n; i++)
			out[i] = (uint64_t)(ir_get_int(op, m->cx, ATTR_START, 0) + i);
		break;
	case OP_PROGRAM_ID:
		out[0] = 3 + (uint64_t)ir_get_int(op, m->cx, ATTR_AXIS, 0);
		break;
	case OP_ADDPTR:
		for (int64_t i = 0; i < n; i++)
			out[i] = mini_get(m, ir_operand(op, 0))[i] +
				 (uint64_t)fold_signed(mini_get(m, ir_operand(op, 1))[i],
						       ir_elem(ir_operand(op, 1)->type)->bits);
		break;
	case OP_UNSPLAT:
	case OP_SPLAT:
	case OP_BROADCAST:
	case OP_EXPAND_DIMS:
	case OP_RESHAPE:
	case OP_TRANS:
		mini_move(m, op, out, n);
		break;
	case OP_PRINT:
		for (uint32_t k = 0; k < op->operand_count; k++)
			for (int64_t i = 0; i < ir_numel(ir_operand(op, k)->type); i++)
				vec_push(m->arena, &m->trace,
					 mini_canonical(ir_elem(ir_operand(op, k)->type),
							mini_get(m, ir_operand(op, k))[i]));
		return;
	case OP_LOAD:
	case OP_STORE:
		mini_memory_op(m, op);
		return;
	case OP_DESC_LOAD:
	case OP_DESC_STORE:
		mini_through_handle(m, op, true);
		return;
	case OP_DESC_GATHER:
	case OP_DESC_SCATTER:
		mini_by_rows(m, op);
		return;
	case OP_MAKE_TENSOR_PTR:
	case OP_ADVANCE:
	case OP_MAKE_TENSOR_DESC:
		mini_make_handle(m, op);
		return;
	case OP_FOR:
		mini_for(m, op);
		return;
	case OP_WHILE:
		mini_while(m, op);
		return;
	case OP_IF: {
		IrBlock *taken = op->regions[mini_get(m, ir_operand(op, 0))[0] ? 0 : 1].first;
		if (!taken)
			return;
		mini_block(m, taken);
		mini_results(m, taken->last, 0, op);
		return;
	}
	case OP_REDUCE:
		mini_reduce(m, op);
		return;
	default:
		if (!fn)
			fail_msg("the evaluator does not know %s", ir_op_info[op->kind].text);
		mini_elementwise(m, op, fn, out, n);
	}
	mini_put(m, &op->results[0], out);
}

static inline void mini_block(Mini *m, const IrBlock *block)
{
	for (const IrOp *op = block->first; op && !m->undefined; op = op->next)
		if (!ir_has_trait(op, TRAIT_TERM))
			mini_op(m, op);
}

/* Runs k->func with one word per argument (tiles: the word plus the element's number). */
static inline Mini mini_run(Kit *k, Arena *arena, const uint64_t *args)
{
	Mini m = {.cx = &k->cx, .arena = arena};
	IrBlock *body = ir_func_body(k->func);
	map_init(&m.values, arena);
	for (uint32_t i = 0; i < body->arg_count; i++) {
		IrType type = body->args[i]->type;
		uint64_t *w = ARENA_ARRAY(arena, uint64_t, ir_numel(type));
		unsigned bits = ir_elem(type)->bits;
		for (int64_t j = 0; j < ir_numel(type); j++)
			w[j] = fold_low(args[i] + (uint64_t)j, bits);
		mini_put(&m, body->args[i], w);
	}
	mini_block(&m, body);
	return m;
}

static inline void mini_same(const Mini *a, const Mini *b, const char *what)
{
	bool same = a->trace.len == b->trace.len;
	for (uint32_t i = 0; same && i < a->trace.len; i++)
		same = a->trace.data[i] == b->trace.data[i];
	if (!same || b->undefined)
		fail_msg("%s: the program does something else now", what);
}

#endif
