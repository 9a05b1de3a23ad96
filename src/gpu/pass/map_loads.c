/* map-loads: tiles that a loop loads through pointers for products of warp groups go through tensor maps, which the launch makes.
 *
 * Needs: TTIR with dots as `decompose-dots` leaves them. Keeps: what is stored, bit by bit. As a tensor map a tile is copied by one
 * thread, which leaves the others to the products; `pipeline` does the rest as for descriptors.
 * Method: addresses are read as base + sum of index * stride (strided.h): base and strides are arguments of the kernel, or constants;
 * one dim is contiguous. What a mask lets through along a dim ends at an argument, or at a constant. What is added besides,
 * a batch's offset for example, is a dim of its own, of which the tile has one. An index that wraps at the end (`% M`) goes on instead,
 * where nobody sees what is computed of the elements behind the end (unseen.h).
 *
 * Only what the key of a variant says is relied on: a base and strides that are known to be multiples of 16 bytes. Indices of arguments
 * alone are none of these, as they may be negative, which a map does not reach. What the launch finds all the same, a stride
 * below 0 or a size of 0, makes it take the kernel without maps. Indices are taken not to overflow.
 * A kernel in which threads of several programs may meet (an atomic whose result is used, a volatile load, calls, assembly) stays
 * as it is: what others have written before that is seen through pointers, and not through maps without a fence. */
#include "gpu/analysis/axis.h"
#include "gpu/analysis/unseen.h"
#include "gpu/layout/boxes.h"
#include "gpu/pass/map_args.h"
#include "gpu/plan/dot.h"
#include "gpu/plan/schedule.h"
#include "gpu/plan/wgmma.h"
#include "gpu/remark.h"
#include "ir/enums.h"

enum { RANK = 2, ALIGN = 16 /* bytes */, MOST_ARGUMENTS = 200 };

/* The value of argument `arg` of the kernel times `scale`; arg below 0: `scale` itself. */
typedef struct Term {
	int64_t arg, scale;
} Term;

typedef struct Dim {
	Term size, stride;
	const Poly *at; /* where the tile begins; NULL: not known yet */
	bool ends;      /* `at` and `size` are what a mask, or a wrap, says */
	bool from;      /* the mask leaves out what is below 0 */
} Dim;

/* How a tile lies in a tensor: dims of the tile first. */
typedef struct Tensor {
	const IrValue *base;
	Dim dims[TENSOR_MAP_RANK];
	unsigned count;
	unsigned last; /* the contiguous one */
} Tensor;

typedef struct MapLoads {
	PassCx *cx;
	GpuCx *gpu;
	const AxisMap *axes;
	IrOp *func;
	IrBlock *body;
	GpuMapArgs args;
	VEC(IrOp *) loads;
	const char *why;
	bool apart; /* no program waits for another one */
} MapLoads;

static bool refuse(MapLoads *m, const char *why)
{
	m->why = m->why ? m->why : why;
	return false;
}

/* ---- what arguments say ---- */

static bool is_argument(const MapLoads *m, const IrValue *v)
{
	return v->block == m->body;
}

static bool term_of(const MapLoads *m, const Poly *p, Term *out)
{
	*out = (Term){-1, 0};
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

static int64_t divisor(const MapLoads *m, const IrValue *v)
{
	const AxisInfo *info = axis_of(m->axes, v);
	return info ? info->divisibility[0] : 1;
}

/* Is it known to be a multiple of 16 bytes, in elements of so many? */
static bool is_aligned(const MapLoads *m, const PolyTerm *t, unsigned bytes)
{
	uint64_t known = (uint64_t)t->scale * bytes;
	for (uint32_t i = 0; i < t->count && known % ALIGN; i++)
		known *= (uint64_t)MIN(divisor(m, t->of[i]), (int64_t)ALIGN);
	return known % ALIGN == 0;
}

static bool is_stride(const MapLoads *m, Term t, unsigned bytes)
{
	PolyTerm known = {.scale = t.scale, .of = {t.arg < 0 ? NULL : m->body->args[t.arg]}, .count = t.arg >= 0};
	return is_aligned(m, &known, bytes);
}

/* ---- where a tile begins ---- */

/* Of a bound: what arguments alone say is the size, all else (turned round) where the tile begins. */
static bool split_bound(MapLoads *m, const Poly *limit, Dim *dim)
{
	Arena *arena = m->cx->scratch;
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
	return (at && term_of(m, size, &dim->size)) || refuse(m, "its mask does not end at an argument");
}

/* A tile whose indices wrap goes on behind the end, unless that is seen. */
static bool take_wrap(MapLoads *m, const IrOp *load, unsigned d, const StridedWrap *wrap, Dim *dim)
{
	if (dim->ends)
		return refuse(m, "its indices wrap, and its mask ends along the same dim");
	if (!term_of(m, wrap->end, &dim->size))
		return refuse(m, "its indices wrap at what is no argument");
	if (!gpu_unseen(m->cx->scratch, m->cx->module, &load->results[0], d, wrap))
		return refuse(m, "its indices wrap, and what is computed of those behind the end may be stored");
	dim->at = wrap->first;
	dim->ends = true;
	return true;
}

static bool find_dims(MapLoads *m, Strides *strides, const IrOp *load, const Strided *pointers, Tensor *out)
{
	unsigned bytes = load->results[0].type->elem->bits / 8, contiguous = 0;
	StridedMask mask;
	if (!strided_mask(strides, load->operand_count > 1 ? ir_operand(load, 1) : NULL, &mask))
		return refuse(m, "its mask is more than bounds of its indices");
	for (unsigned d = 0; d < RANK; d++) {
		Dim *dim = &out->dims[d];
		*dim = (Dim){.size = {-1, INT32_MAX}};
		if (!term_of(m, pointers->step[d], &dim->stride) || !dim->stride.scale)
			return refuse(m, "a stride is no argument");
		bool one = dim->stride.arg < 0 && dim->stride.scale == 1;
		contiguous += one;
		out->last = one ? d : out->last;
		if (!one && !is_stride(m, dim->stride, bytes))
			return refuse(m, "a stride is not known to be a multiple of 16 bytes");
		if (mask.limit[d] && !split_bound(m, mask.limit[d], dim))
			return false;
		if (pointers->wrap[d].end && !take_wrap(m, load, d, &pointers->wrap[d], dim))
			return false;
		dim->from = mask.from[d] != NULL;
		dim->at = dim->at || !mask.from[d] ? dim->at : mask.from[d];
		if (dim->from && !poly_same(dim->at, mask.from[d]))
			return refuse(m, "its mask begins elsewhere than its indices");
	}
	out->count = RANK;
	return contiguous == 1 || refuse(m, "not one of its dims alone is contiguous");
}

/* The term without the stride: where it goes along that dim. False: the stride is no part of it. */
static bool quotient(const MapLoads *m, const PolyTerm *t, Term stride, PolyTerm *out)
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
			return true;
		}
	return false;
}

static bool add_at(MapLoads *m, Dim *dim, const PolyTerm *t)
{
	Arena *arena = m->cx->scratch;
	const Poly *p = poly_of_term(arena, t);
	dim->at = dim->at ? poly_add(arena, dim->at, p, 1) : p;
	return dim->at != NULL;
}

static bool is_number_of_argument(const MapLoads *m, const PolyTerm *t)
{
	for (uint32_t i = 0; i < t->count; i++)
		if (is_argument(m, t->of[i]))
			return true;
	return false;
}

/* Along a dim of the tile that has no end of its own, or one that such terms have made: the largest stride that fits. */
static bool add_to_tile(MapLoads *m, Tensor *tensor, const PolyTerm *t)
{
	Dim *best = NULL;
	PolyTerm at, found;
	for (unsigned d = 0; d < RANK; d++) {
		Dim *dim = &tensor->dims[d];
		if (dim->ends || dim->from || !quotient(m, t, dim->stride, &at) || (is_number_of_argument(m, &at) && dim->stride.arg < 0))
			continue;
		if (best && (best->stride.arg >= 0 || (dim->stride.arg < 0 && best->stride.scale > dim->stride.scale)))
			continue;
		best = dim;
		found = at;
	}
	bool wide = t->wide && best && (found.count > 1 || found.scale > 1);
	return best && !wide && add_at(m, best, &found);
}

/* A dim of which the tile has one. */
static bool add_dim(MapLoads *m, Tensor *tensor, const PolyTerm *t, unsigned bytes)
{
	Term stride = {-1, t->scale};
	PolyTerm at;
	for (uint32_t i = 0; i < t->count; i++)
		if (is_argument(m, t->of[i]) && is_stride(m, (Term){t->of[i]->index, 1}, bytes))
			stride = (Term){t->of[i]->index, 1};
	if (stride.scale <= 0 || !is_stride(m, stride, bytes) || !quotient(m, t, stride, &at))
		return false;
	for (unsigned d = RANK; d < tensor->count; d++)
		if (tensor->dims[d].stride.arg == stride.arg && tensor->dims[d].stride.scale == stride.scale)
			return add_at(m, &tensor->dims[d], &at);
	if (tensor->count == TENSOR_MAP_RANK)
		return false;
	tensor->dims[tensor->count] = (Dim){.size = {-1, INT32_MAX}, .stride = stride};
	return add_at(m, &tensor->dims[tensor->count++], &at);
}

/* Where the tile begins: what its ends do not say is the rest of the address. */
static bool find_beginning(MapLoads *m, const Strided *pointers, unsigned bytes, Tensor *tensor)
{
	Arena *arena = m->cx->scratch;
	const Poly *rest = pointers->first;
	for (unsigned d = 0; d < RANK; d++)
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

/* Not below 0, and 32 bits wide. */
static bool is_index(const MapLoads *m, const Poly *at, bool may_be_negative)
{
	for (uint32_t i = 0; i < at->count; i++) {
		const PolyTerm *t = &at->terms[i];
		bool arguments = t->count > 0, good = t->scale > 0 && t->scale <= INT32_MAX;
		for (uint32_t k = 0; k < t->count; k++) {
			const AxisInfo *info = axis_of(m->axes, t->of[k]);
			if (t->of[k]->type->bits != 32)
				return false;
			arguments &= is_argument(m, t->of[k]);
			good &= info && info->nonneg;
		}
		if ((!good && !may_be_negative) || arguments)
			return false;
	}
	return true;
}

static bool begins_well(MapLoads *m, const Tensor *tensor, unsigned bytes)
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

static bool find_tensor(MapLoads *m, const IrOp *load, Tensor *out)
{
	Strides strides;
	unsigned bytes = load->results[0].type->elem->bits / 8;
	strides_init(&strides, m->cx->scratch, m->cx->module, ir_parent_op(load));
	const Strided *pointers = strided_of(&strides, ir_operand(load, 0));
	*out = (Tensor){.base = pointers ? pointers->base : NULL};
	if (!out->base || !is_argument(m, out->base))
		return refuse(m, "its address is not base and index times stride");
	return find_dims(m, &strides, load, pointers, out) && find_beginning(m, pointers, bytes, out) && begins_well(m, out, bytes);
}

/* ---- which loads ---- */

/* Do the products that take the tile, perhaps transposed, take it from memory as it lies there? */
static bool goes_to_products(const MapLoads *m, const IrValue *v, bool transposed, unsigned last)
{
	for (const IrUse *u = v->uses; u; u = u->next) {
		const IrOp *op = u->owner;
		uint32_t operand = (uint32_t)(u - op->operands);
		unsigned warps[2], k = (operand == 0) != transposed ? 1 : 0;
		const char *why;
		if (op->kind == OP_TRANS && goes_to_products(m, &op->results[0], !transposed, last))
			continue;
		if (op->kind != OP_DOT || operand > 1 || !gpu_wgmma_for(m->gpu, op, warps, &why) ||
		    (gpu_wgmma_wants_k_first(v->type->elem) && k != last))
			return false;
	}
	return v->uses != NULL;
}

static bool is_candidate(const MapLoads *m, IrOp *load)
{
	int64_t evict = ir_get_int(load, m->gpu->ir, ATTR_EVICT, EVICT_NORMAL);
	IrType type = load->results[0].type;
	return ir_is_tensor(type) && type->rank == RANK && evict == EVICT_NORMAL && !schedule_fills(load) &&
	       schedule_may_copy(m->gpu, m->cx->module, m->cx->scratch, load) &&
	       (goes_to_products(m, &load->results[0], false, 0) || goes_to_products(m, &load->results[0], false, 1));
}

/* May another program have written what a load behind this reads? */
static bool meets_others(const MapLoads *m, const IrOp *op)
{
	if (op->kind == OP_ATOMIC_RMW || op->kind == OP_ATOMIC_CAS)
		return op->results[0].uses != NULL;
	if (op->kind == OP_LOAD)
		return ir_get_bool(op, m->gpu->ir, ATTR_IS_VOLATILE);
	if (op->kind == OP_EXTERN || op->kind == OP_INLINE_ASM)
		return !ir_is_pure(op);
	return op->kind == OP_CALL || op->kind == OP_BARRIER;
}

static bool visit(void *data, IrOp *op)
{
	MapLoads *m = data;
	if (op->kind == OP_LOAD && is_candidate(m, op))
		vec_push(m->cx->scratch, &m->loads, op);
	m->apart &= !meets_others(m, op);
	return true;
}

/* ---- rewriting ---- */

static IrValue *index_of(const MapLoads *m, IrBuilder *b, const Poly *at)
{
	IrType i32 = ir_scalar(m->gpu->ir, TY_I32);
	IrValue *sum = NULL;
	for (uint32_t i = 0; i < at->count; i++) {
		const PolyTerm *t = &at->terms[i];
		IrValue *v = t->count ? (IrValue *)(uintptr_t)t->of[0] : irb_int(b, i32, t->scale);
		for (uint32_t k = 1; k < t->count; k++)
			v = irb_2(b, OP_MULI, NULL, v, (IrValue *)(uintptr_t)t->of[k]);
		if (t->count && t->scale != 1)
			v = irb_2(b, OP_MULI, NULL, v, irb_int(b, i32, t->scale));
		sum = sum ? irb_2(b, OP_ADDI, NULL, sum, v) : v;
	}
	return sum ? sum : irb_int(b, i32, 0);
}

/* Dims in the order of the map: those that the tile has one of, then the tile's, the contiguous one last. */
static unsigned in_order(const Tensor *tensor, unsigned *order)
{
	unsigned n = 0;
	for (unsigned d = RANK; d < tensor->count; d++)
		order[n++] = d;
	order[n++] = 1 - tensor->last;
	order[n++] = tensor->last;
	return n;
}

static IrAttr map_of(const MapLoads *m, const Tensor *tensor)
{
	int64_t numbers[2 + 4 * TENSOR_MAP_RANK] = {tensor->base->index, TENSOR_MAP_ZERO};
	unsigned order[TENSOR_MAP_RANK], n = in_order(tensor, order);
	for (unsigned i = 0; i < n; i++) {
		const Dim *dim = &tensor->dims[order[i]];
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

static bool go_through(MapLoads *m, IrOp *load, const Tensor *tensor)
{
	IrType type = load->results[0].type, tile = type;
	IrValue *operands[1 + TENSOR_MAP_RANK];
	unsigned order[TENSOR_MAP_RANK], n = in_order(tensor, order);
	if (tensor->last == 0)
		tile = ir_tensor(m->gpu->ir, type->elem, (int64_t[]){type->shape[1], type->shape[0]}, RANK, NULL);
	operands[0] = gpu_map_arg(&m->args, tile, SIGN_NONE, map_of(m, tensor), load->loc);
	if (!operands[0])
		return refuse(m, "TMA moves no such tile, or there are enough maps");
	IrBuilder b = ir_at(m->cx->module, load);
	for (unsigned i = 0; i < n; i++)
		operands[1 + i] = index_of(m, &b, tensor->dims[order[i]].at);
	IrValue *made = irb_op(&b, OP_DESC_LOAD, operands, 1 + n, &tile, 1, 0)->results;
	ir_replace_uses(&load->results[0], tensor->last == 0 ? transposed(m, &b, made, type) : made);
	ir_op_erase(load);
	return true;
}

static bool map_load(MapLoads *m, IrOp *load)
{
	Tensor tensor;
	m->why = NULL;
	if (!m->apart)
		refuse(m, "the kernel waits for other programs");
	else if (find_tensor(m, load, &tensor) && !goes_to_products(m, &load->results[0], false, tensor.last))
		refuse(m, "products take its elements along the other dim");
	if (!m->why && go_through(m, load, &tensor))
		return true;
	gpu_remark_of(m->gpu, load, NULL, REMARK_LOAD_POINTERS, m->why);
	return false;
}

static bool map_function(PassCx *cx, IrOp *func)
{
	MapLoads m = {.cx = cx, .gpu = gpu_of(cx), .axes = gpu_axis(cx), .func = func, .body = ir_func_body(func), .apart = true};
	gpu_map_args_init(&m.args, cx, func, true);
	if (m.args.had >= MOST_ARGUMENTS)
		return false;
	ir_walk(func, false, visit, &m);
	for (uint32_t i = 0; i < m.loads.len; i++)
		map_load(&m, m.loads.data[i]);
	if (m.args.made.len)
		gpu_map_args_describe(&m.args);
	return m.args.made.len > 0;
}

bool pass_map_loads(PassCx *cx, bool *changed)
{
	const GpuCx *gpu = gpu_of(cx);
	bool mapped = false;
	for (IrOp *func = ir_module_block(cx->module)->first; gpu->maps && func; func = func->next) {
		IrAttr visibility = func->kind == OP_FUNC ? ir_get(func, gpu->ir, ATTR_SYM_VISIBILITY) : NULL;
		bool is_kernel = !visibility || strcmp(visibility->text, "private") != 0;
		if (func->kind == OP_FUNC && ir_func_body(func) && is_kernel)
			mapped = map_function(cx, func) || mapped;
	}
	/* Pointers that the loops carried are not needed any more. */
	*changed = mapped;
	return !mapped || pass_dce(cx, &mapped);
}
