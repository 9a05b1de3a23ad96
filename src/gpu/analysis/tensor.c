/* The address of an access is base + sum of index * stride (strided.h). Where the mask limits a
 * dim by an argument or a constant, that is the tensor's size, and the other side of the
 * comparison says where the tile begins. Further terms move along a dim without such a limit, by
 * its stride; or they are the offset of a batch, along an extra dim of which the tile has one
 * element. */
#include "gpu/analysis/tensor.h"

#include "gpu/analysis/unseen.h"

enum { ALIGN = 16 /* bytes */ };

static bool refuse(TensorSearch *m, const char *why)
{
	m->why = m->why ? m->why : why;
	return false;
}

static IrType tile_of(const IrOp *access)
{
	return access->kind == OP_LOAD ? access->results[0].type : ir_operand(access, 1)->type;
}

/* ---- what arguments say ---- */

static bool is_argument(const TensorSearch *m, const IrValue *v)
{
	return v->block == m->body;
}

static bool term_of(const TensorSearch *m, const Poly *p, TensorTerm *out)
{
	*out = (TensorTerm){-1, 0};
	if (!p || p->count > 1)
		return false;
	if (!p->count)
		return true;
	const PolyTerm *t = &p->terms[0];
	out->scale = t->scale;
	if (t->count == 1)
		out->arg = t->of[0]->index;
	return t->scale > 0 && t->count <= 1 && (!t->count || is_argument(m, t->of[0]));
}

static int64_t divisor(const TensorSearch *m, const IrValue *v)
{
	const AxisInfo *info = axis_of(m->axes, v);
	return info ? info->divisibility[0] : 1;
}

/* Is it known to be a multiple of 16 bytes, in elements of so many? */
static bool is_aligned(const TensorSearch *m, const PolyTerm *t, unsigned bytes)
{
	uint64_t known = (uint64_t)t->scale * bytes;
	for (uint32_t i = 0; i < t->count && known % ALIGN; i++)
		known *= (uint64_t)MIN(divisor(m, t->of[i]), (int64_t)ALIGN);
	return known % ALIGN == 0;
}

static bool is_stride(const TensorSearch *m, TensorTerm t, unsigned bytes)
{
	PolyTerm known = {.scale = t.scale, .of = {t.arg < 0 ? NULL : m->body->args[t.arg]}, .count = t.arg >= 0};
	return is_aligned(m, &known, bytes);
}

/* Indices of what is that large have 32 bits. */
static bool is_size(const TensorSearch *m, const Poly *p, TensorTerm *out)
{
	if (!term_of(m, p, out))
		return false;
	return out->arg < 0 ? out->scale <= INT32_MAX : m->body->args[out->arg]->type->bits <= 32;
}

/* ---- where a tile begins ---- */

/* Of a bound: what arguments alone say is the size, all else (turned round) where the tile begins. */
static bool split_bound(TensorSearch *m, const Poly *limit, TensorDim *dim)
{
	Arena *arena = m->arena;
	const Poly *size = poly_of_int(arena, 0), *at = size, *constant = size;
	bool of_argument = false;
	for (uint32_t i = 0; i < limit->count; i++) {
		const PolyTerm *t = &limit->terms[i];
		const Poly *p = poly_of_term(arena, t);
		if (!t->count)
			constant = p;
		else if (t->count == 1 && is_argument(m, t->of[0]) && t->scale > 0)
			size = poly_add(arena, size, p, 1);
		else
			at = poly_add(arena, at, p, -1);
		of_argument |= t->count == 1 && is_argument(m, t->of[0]) && t->scale > 0;
	}
	if (of_argument)
		at = poly_add(arena, at, constant, -1);
	else
		size = constant;
	dim->at = at;
	dim->ends = true;
	return (at && is_size(m, size, &dim->size)) || refuse(m, "its mask does not end at an argument");
}

/* A tile whose indices wrap goes on behind the end, unless that is seen. */
static bool take_wrap(TensorSearch *m, const IrOp *access, unsigned d, const StridedWrap *wrap,
		      TensorDim *dim)
{
	if (dim->ends)
		return refuse(m, "its indices wrap, and its mask ends along the same dim");
	if (!is_size(m, wrap->end, &dim->size))
		return refuse(m, "its indices wrap at what is no argument");
	if (access->kind != OP_LOAD || !gpu_unseen(m->arena, m->module, &access->results[0], d, wrap))
		return refuse(m, "its indices wrap, and what is computed of those behind the end may be stored");
	dim->at = wrap->first;
	dim->ends = true;
	return true;
}

static bool find_dims(TensorSearch *m, Strides *strides, const IrOp *access, const Strided *pointers,
		      Tensor *out)
{
	unsigned bytes = tile_of(access)->elem->bits / 8, contiguous = 0;
	uint32_t operand = access->kind == OP_LOAD ? 1 : 2;
	StridedMask mask;
	if (!strided_mask(strides, access->operand_count > operand ? ir_operand(access, operand) : NULL, &mask))
		return refuse(m, "its mask is more than bounds of its indices");
	for (unsigned d = 0; d < out->rank; d++) {
		TensorDim *dim = &out->dims[d];
		*dim = (TensorDim){.size = {-1, TENSOR_MAP_NO_END}};
		if (!term_of(m, pointers->step[d], &dim->stride) || !dim->stride.scale)
			return refuse(m, "a stride is no argument");
		bool one = dim->stride.arg < 0 && dim->stride.scale == 1;
		contiguous += one;
		out->last = one ? d : out->last;
		if (!one && !is_stride(m, dim->stride, bytes))
			return refuse(m, "a stride is not known to be a multiple of 16 bytes");
		if (mask.limit[d] && !split_bound(m, mask.limit[d], dim))
			return false;
		if (pointers->wrap[d].end && !take_wrap(m, access, d, &pointers->wrap[d], dim))
			return false;
		dim->from = mask.from[d] != NULL;
		dim->at = dim->at || !mask.from[d] ? dim->at : mask.from[d];
		if (dim->from && !poly_same(dim->at, mask.from[d]))
			return refuse(m, "its mask begins elsewhere than its indices");
	}
	out->count = out->rank;
	return contiguous == 1 || refuse(m, "not one of its dims alone is contiguous");
}

/* The term without the stride: where it goes along that dim. False: the stride is no part of it. */
static bool quotient(const TensorSearch *m, const PolyTerm *t, TensorTerm stride, PolyTerm *out)
{
	*out = *t;
	if (t->scale % stride.scale)
		return false;
	out->scale /= stride.scale;
	if (stride.arg < 0)
		return true;
	for (uint32_t i = 0; i < t->count; i++)
		if (t->of[i] == m->body->args[stride.arg]) {
			memmove(&out->of[i], &out->of[i + 1], (--out->count - i) * sizeof out->of[0]);
			memmove(&out->group[i], &out->group[i + 1], (out->count - i) * sizeof out->group[0]);
			out->group[out->count] = 0;
			return true;
		}
	return false;
}

static bool add_at(TensorSearch *m, TensorDim *dim, const PolyTerm *t)
{
	Arena *arena = m->arena;
	const Poly *p = poly_of_term(arena, t);
	dim->at = dim->at ? poly_add(arena, dim->at, p, 1) : p;
	return dim->at != NULL;
}

static bool is_number_of_argument(const TensorSearch *m, const PolyTerm *t)
{
	for (uint32_t i = 0; i < t->count; i++)
		if (is_argument(m, t->of[i]))
			return true;
	return false;
}

/* Along a dim of the tile that has no end of its own, or one that such terms have made: the largest
 * stride that fits. */
static bool add_to_tile(TensorSearch *m, Tensor *tensor, const PolyTerm *t)
{
	TensorDim *best = NULL;
	PolyTerm at, found;
	for (unsigned d = 0; d < tensor->rank; d++) {
		TensorDim *dim = &tensor->dims[d];
		if (dim->ends || dim->from || !quotient(m, t, dim->stride, &at))
			continue;
		if (is_number_of_argument(m, &at) && dim->stride.arg < 0)
			continue;
		if (best && (best->stride.arg >= 0 || (dim->stride.arg < 0 && best->stride.scale > dim->stride.scale)))
			continue;
		best = dim;
		found = at;
	}
	return best && poly_term_is_word(&found) && add_at(m, best, &found);
}

/* A dim of which the tile has one. */
static bool add_dim(TensorSearch *m, Tensor *tensor, const PolyTerm *t, unsigned bytes)
{
	TensorTerm stride = {-1, t->scale};
	PolyTerm at;
	for (uint32_t i = 0; i < t->count; i++)
		if (is_argument(m, t->of[i]) && is_stride(m, (TensorTerm){t->of[i]->index, 1}, bytes))
			stride = (TensorTerm){t->of[i]->index, 1};
	if (stride.scale <= 0 || !is_stride(m, stride, bytes) || !quotient(m, t, stride, &at))
		return false;
	for (unsigned d = tensor->rank; d < tensor->count; d++)
		if (tensor->dims[d].stride.arg == stride.arg && tensor->dims[d].stride.scale == stride.scale)
			return add_at(m, &tensor->dims[d], &at);
	if (tensor->count == TENSOR_MAP_RANK)
		return false;
	tensor->dims[tensor->count] = (TensorDim){.size = {-1, TENSOR_MAP_NO_END}, .stride = stride};
	return add_at(m, &tensor->dims[tensor->count++], &at);
}

/* Where the tile begins: what its ends do not say is the rest of the address. */
static bool find_beginning(TensorSearch *m, const Strided *pointers, unsigned bytes, Tensor *tensor)
{
	Arena *arena = m->arena;
	const Poly *rest = pointers->first;
	for (unsigned d = 0; d < tensor->rank; d++)
		if (tensor->dims[d].at)
			rest = poly_add(arena, rest, poly_multiply(arena, tensor->dims[d].at, pointers->step[d], false), -1);
	for (uint32_t i = 0; rest && i < rest->count; i++) {
		const PolyTerm *t = &rest->terms[i];
		if (!add_to_tile(m, tensor, t) && !add_dim(m, tensor, t, bytes))
			return refuse(m, "what is added to its address is no index times a stride");
	}
	for (unsigned d = 0; d < tensor->count; d++)
		tensor->dims[d].at = tensor->dims[d].at ? tensor->dims[d].at : poly_of_int(arena, 0);
	return rest || refuse(m, "its address is a sum of too many parts");
}

/* ---- what maps ask for ---- */

/* Does a number of 64 bits, which is not below 0, fit into 32 in every run? So do program ids that
 * were widened, and their quotients and remainders. */
static bool fits_word(const TensorSearch *m, const IrValue *v, unsigned depth)
{
	enum { DEEPEST = 8 };
	const AxisInfo *info = axis_of(m->axes, v);
	const IrOp *op = v->def;
	int64_t number;
	if (v->type->bits <= 32)
		return true;
	if (!op || depth == DEEPEST || !info || !info->nonneg)
		return false;
	if (ir_constant_int(v, &number))
		return number <= INT32_MAX;
	switch (op->kind) {
	case OP_EXTSI: return ir_operand(op, 0)->type->bits <= 32;
	case OP_DIVSI: return fits_word(m, ir_operand(op, 0), depth + 1);
	case OP_REMSI: /* of what is not below 0: nearer to 0 than either */
	case OP_MINSI:
		return fits_word(m, ir_operand(op, 0), depth + 1) ||
		       fits_word(m, ir_operand(op, 1), depth + 1);
	default: return false;
	}
}

/* Not below 0, and 32 bits wide or no wider than that. */
static bool is_index(const TensorSearch *m, const Poly *at, bool may_be_negative)
{
	for (uint32_t i = 0; i < at->count; i++) {
		const PolyTerm *t = &at->terms[i];
		bool arguments = t->count > 0, good = t->scale > 0 && t->scale <= INT32_MAX;
		for (uint32_t k = 0; k < t->count; k++) {
			const AxisInfo *info = axis_of(m->axes, t->of[k]);
			if (t->of[k]->type->bits < 32 || !fits_word(m, t->of[k], 0))
				return false;
			arguments &= is_argument(m, t->of[k]);
			good &= info && info->nonneg;
		}
		if ((!good && !may_be_negative) || arguments)
			return false;
	}
	return true;
}

static bool is_far(const Poly *at)
{
	for (uint32_t i = 0; i < at->count; i++)
		if (!poly_term_is_word(&at->terms[i]))
			return true;
	return false;
}

/* Two numbers of 32 bits, neither below 0, add up to what is below 0 there at worst, and that is no
 * part of a tensor either; three may come round to its beginning. */
static bool may_come_round(const Poly *at)
{
	return at->count > 2;
}

/* An index that is as large as 64 bits hold must be wrong only where it is behind the end, which
 * the coordinate can say, or where there is no memory. */
static bool take_far(TensorSearch *m, Tensor *tensor, unsigned bytes)
{
	for (unsigned d = 0; d < tensor->count; d++) {
		TensorDim *dim = &tensor->dims[d];
		dim->far = is_far(dim->at) || (dim->ends && may_come_round(dim->at));
		if (!dim->far || dim->ends)
			continue;
		if (d == tensor->last ||
		    (dim->stride.arg < 0 && dim->stride.scale * (int64_t)bytes < TENSOR_MAP_FAR_STRIDE))
			return refuse(m, "an index computed in 64 bits may not fit into 32");
		dim->size = (TensorTerm){-1, TENSOR_MAP_FAR_END};
	}
	return true;
}

static bool begins_well(TensorSearch *m, const Tensor *tensor, unsigned bytes)
{
	const Poly *last = tensor->dims[tensor->last].at;
	for (unsigned d = 0; d < tensor->count; d++)
		if (!is_index(m, tensor->dims[d].at, tensor->dims[d].from))
			return refuse(m, "an index is not known to be at least 0");
	for (uint32_t i = 0; i < last->count; i++)
		if (!is_aligned(m, &last->terms[i], bytes))
			return refuse(m, "it is not known to begin at a multiple of 16 bytes");
	if (divisor(m, tensor->base) % ALIGN)
		return refuse(m, "its base is not known to be a multiple of 16 bytes");
	return true;
}

/* Stores do not end with the tensor, but at a multiple of 16 bytes (tensor_map.c). */
static bool ends_well(TensorSearch *m, const Tensor *tensor, unsigned bytes)
{
	return is_stride(m, tensor->dims[tensor->last].size, bytes) ||
	       refuse(m, "its last size is not known to be a multiple of 16 bytes, at which stores end");
}

bool tensor_of(TensorSearch *m, const IrOp *access, Tensor *out)
{
	Strides strides;
	const IrOp *loop = ir_parent_op(access);
	m->why = NULL;
	strides_init(&strides, m->arena, m->module, loop->kind == OP_FOR ? (IrOp *)(uintptr_t)loop : NULL);
	const Strided *pointers = strided_of(&strides, ir_operand(access, 0));
	unsigned bytes = tile_of(access)->elem->bits / 8;
	*out = (Tensor){.base = pointers ? pointers->base : NULL, .rank = tile_of(access)->rank};
	if (!out->base || !is_argument(m, out->base))
		return refuse(m, "its address is not base and index times stride");
	return find_dims(m, &strides, access, pointers, out) && find_beginning(m, pointers, bytes, out) &&
	       take_far(m, out, bytes) && begins_well(m, out, bytes) &&
	       (access->kind == OP_LOAD || ends_well(m, out, bytes));
}
