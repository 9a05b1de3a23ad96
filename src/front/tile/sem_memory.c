/* Loads and stores: through a pointer, a tile of pointers, or a block pointer.
 *
 * Attributes are set only where they differ from the default
 * (no cache modifier, normal eviction, not volatile). */
#include "front/tile/sem.h"

const char *const sem_load_caches[] = {"", ".ca", ".cg", ".cv", NULL};
const int sem_load_cache_values[] = {CACHE_NONE, CACHE_CA, CACHE_CG, CACHE_CV};
const char *const sem_store_caches[] = {"", ".wb", ".cg", ".cs", ".wt", NULL};
const int sem_store_cache_values[] = {CACHE_NONE, CACHE_WB, CACHE_CG, CACHE_CS, CACHE_WT};
const char *const sem_evictions[] = {"", "evict_last", "evict_first", NULL};
const int sem_eviction_values[] = {EVICT_NORMAL, EVICT_LAST, EVICT_FIRST};
static const char *const paddings[] = {"", "zero", "nan", NULL};
static const int padding_values[] = {-1, PAD_ZERO, PAD_NAN};

int sem_option(FrontLower *low, const char *what, const char *arg, const char *word, const char *const *words,
	       const int *values)
{
	Text all;
	text_init(&all, low->arena);
	for (size_t i = 0; words[i]; i++) {
		if (strcmp(words[i], word) == 0)
			return values[i];
		text_printf(&all, "%s'%s'", i ? ", " : "", words[i]);
	}
	lower_error(low, DIAG_TILE_OPTION_WORD, what, arg, word, all.data);
	return 0;
}

static void set_hints(FrontLower *low, IrOp *op, int cache, int evict, bool is_volatile)
{
	if (cache != CACHE_NONE)
		ir_set(low->m, op, ATTR_CACHE, ir_attr_i32(low->cx, cache));
	if (evict != EVICT_NORMAL)
		ir_set(low->m, op, ATTR_EVICT, ir_attr_i32(low->cx, evict));
	if (is_volatile)
		ir_set(low->m, op, ATTR_IS_VOLATILE, ir_attr_bool(low->cx, true));
}

/* boundary_check=(0, 1) of a block pointer, sorted. */
static bool boundary_dims(FrontLower *low, const SemAccess *access, TlType block, SemInts *out)
{
	*out = (SemInts){.len = 0};
	if (!access->boundary_check)
		return true;
	if (!sem_arg_ints(low, access->what, "boundary_check", access->boundary_check, out))
		return false;
	uint32_t seen = 0;
	for (uint32_t i = 0; i < out->len; i++) {
		int64_t d = out->at[i];
		if (d < 0 || d >= (int64_t)block->rank || (seen & 1u << d)) {
			lower_error(low, DIAG_TILE_BOUNDARY_CHECK, access->what, (long long)d, block->rank);
			return false;
		}
		seen |= 1u << d;
	}
	out->len = 0;
	for (uint32_t d = 0; d < block->rank; d++) {
		if (seen & 1u << d)
			out->at[out->len++] = d;
	}
	return true;
}

static void set_boundary(FrontLower *low, IrOp *op, const SemInts *dims)
{
	if (dims->len)
		ir_set(low->m, op, ATTR_BOUNDARY_CHECK,
		       ir_attr_ints(low->cx, ir_scalar(low->cx, TY_I32), dims->at, dims->len));
}

static const Val *load_block(FrontLower *low, const Val *ptr, const SemAccess *access, int padding, int cache,
			     int evict)
{
	TlType block = sem_type(ptr)->elem;
	SemInts dims;
	if (access->mask || access->other)
		return lower_error(low, DIAG_TILE_BLOCK_PTR_MASK, access->what);
	if (padding == PAD_NAN && tl_is_int(block->elem))
		return lower_error(low, DIAG_TILE_PADDING_NAN, access->what, tl_describe(low, block));
	if (!boundary_dims(low, access, block, &dims))
		return low->poison;
	IrValue *ir = irb_1(&low->b, OP_LOAD, block->ir, sem_ir(ptr));
	set_boundary(low, ir->def, &dims);
	if (padding > 0)
		ir_set(low->m, ir->def, ATTR_PADDING, ir_attr_i32(low->cx, padding));
	set_hints(low, ir->def, cache, evict, access->is_volatile);
	return sem_make(low, ir, block);
}

static bool pointer_expected(FrontLower *low, const char *what, const Val *ptr)
{
	if (sem_is_tile(ptr) && tl_is_ptr(sem_elem(ptr)))
		return true;
	lower_error(low, DIAG_TILE_POINTER_EXPECTED, what, sem_describe(low, ptr));
	return false;
}

/* Does the operand go with the pointer: a scalar
 * where that is one; else it is brought to its shape. */
static bool fit_operand(FrontLower *low, const char *what, const char *arg, const Val **ptr, const Val **v)
{
	TlType type = sem_type(*ptr);
	if (!tl_is_block(type)) {
		if (!tl_is_block(sem_type(*v)))
			return true;
		lower_error(low, DIAG_TILE_ACCESS_SCALAR, what, arg, sem_describe(low, *v),
			    sem_describe(low, *ptr));
		return false;
	}
	if (!sem_broadcast_pair(low, ptr, v))
		return false;
	if (sem_type(*ptr) == type)
		return true;
	lower_error(low, DIAG_TILE_ACCESS_SHAPE, what, arg, sem_describe(low, *v), tl_describe(low, type));
	return false;
}

static bool truth_mask(FrontLower *low, const char *what, const Val *mask)
{
	if (tl_is(sem_elem(mask), DT_INT1))
		return true;
	lower_error(low, DIAG_TILE_MASK_TYPE, what, sem_describe(low, mask));
	return false;
}

/* Truth values are bytes in memory. */
static const Val *byte_pointer(FrontLower *low, const Val *ptr)
{
	TlType p = sem_elem(ptr);
	if (!tl_is(p->elem, DT_INT1))
		return ptr;
	return sem_cast(low, ptr, tl_ptr(low, tl_scalar(low, DT_INT8), p->is_const, p->space));
}

static const Val *load_pointers(FrontLower *low, const Val *ptr, const SemAccess *access, int cache,
				int evict)
{
	const Val *mask = access->mask, *other = access->other;
	if (other && !mask)
		return lower_error(low, DIAG_TILE_OTHER_NO_MASK, access->what);
	if (access->boundary_check || *access->padding)
		return lower_error(low, DIAG_TILE_BOUNDARY_POINTERS, access->what, sem_describe(low, ptr));
	/* As upstream: a mask of higher rank widens the pointers too. */
	if (mask) {
		if (tl_is_block(sem_type(ptr)) ? !sem_broadcast_pair(low, &ptr, &mask)
					       : !fit_operand(low, access->what, "mask", &ptr, &mask))
			return low->poison;
		if (!truth_mask(low, access->what, mask))
			return low->poison;
	}
	if (other) {
		if (!fit_operand(low, access->what, "other", &ptr, &other))
			return low->poison;
	}
	mask = sem_mask_padding(low, sem_type(ptr), mask);
	bool is_truth = tl_is(sem_elem(ptr)->elem, DT_INT1);
	ptr = byte_pointer(low, ptr);
	TlType elem = sem_elem(ptr)->elem, type = tl_with_elem(low, sem_type(ptr), elem);
	if (!sem_check_dtype(low, elem))
		return low->poison;
	if (other)
		other = sem_cast(low, other, elem);
	if (other && sem_is_poison(other))
		return other;
	IrValue *operands[3] = {sem_ir(ptr), mask ? sem_ir(mask) : NULL, other ? sem_ir(other) : NULL};
	IrOp *op = irb_op(&low->b, OP_LOAD, operands, other ? 3 : mask ? 2 : 1, &type->ir, 1, 0);
	sem_note_padding(low, op, type, 0);
	set_hints(low, op, cache, evict, access->is_volatile);
	const Val *loaded = sem_make(low, ir_result(op, 0), type);
	return is_truth ? sem_cast(low, loaded, tl_scalar(low, DT_INT1)) : loaded;
}

const Val *sem_load(FrontLower *low, const Val *ptr, const SemAccess *access)
{
	CONTRACT(!sem_is_poison(ptr));
	if (!pointer_expected(low, access->what, ptr))
		return low->poison;
	int cache = sem_option(low, access->what, "cache_modifier", access->cache, sem_load_caches,
			       sem_load_cache_values);
	int evict = sem_option(low, access->what, "eviction_policy", access->evict, sem_evictions,
			       sem_eviction_values);
	int padding =
		sem_option(low, access->what, "padding_option", access->padding, paddings, padding_values);
	if (!cache || !evict || !padding)
		return low->poison;
	if (tl_is_block_ptr(sem_type(ptr)))
		return load_block(low, ptr, access, padding, cache, evict);
	return load_pointers(low, ptr, access, cache, evict);
}

static const Val *store_block(FrontLower *low, const Val *ptr, const Val *value, const SemAccess *access,
			      int cache,
			      int evict)
{
	TlType block = sem_type(ptr)->elem;
	SemInts dims;
	if (access->mask)
		return lower_error(low, DIAG_TILE_BLOCK_PTR_MASK, access->what);
	if (!boundary_dims(low, access, block, &dims))
		return low->poison;
	if (!tl_is_block(sem_type(value)))
		value = sem_splat(low, value, block->shape, block->rank);
	if (sem_type(value) != block)
		return lower_error(low, DIAG_TILE_BLOCK_STORE, access->what, sem_describe(low, value),
				   tl_describe(low, block));
	IrValue *operands[2] = {sem_ir(ptr), sem_ir(value)};
	IrOp *op = irb_op(&low->b, OP_STORE, operands, 2, NULL, 0, 0);
	set_boundary(low, op, &dims);
	set_hints(low, op, cache, evict, false);
	return low->none;
}

static const Val *store_pointers(FrontLower *low, const Val *ptr, const Val *value, const SemAccess *access,
				 int cache,
				 int evict)
{
	const Val *mask = access->mask;
	if (access->boundary_check)
		return lower_error(low, DIAG_TILE_BOUNDARY_POINTERS, access->what, sem_describe(low, ptr));
	if (!fit_operand(low, access->what, "value", &ptr, &value) ||
	    (mask && !fit_operand(low, access->what, "mask", &ptr, &mask)) ||
	    (mask && !truth_mask(low, access->what, mask)))
		return low->poison;
	ptr = byte_pointer(low, ptr);
	if (!sem_check_dtype(low, sem_elem(ptr)->elem))
		return low->poison;
	value = sem_cast(low, value, sem_elem(ptr)->elem);
	if (sem_is_poison(value))
		return value;
	mask = sem_mask_padding(low, sem_type(ptr), mask);
	IrValue *operands[3] = {sem_ir(ptr), sem_ir(value), mask ? sem_ir(mask) : NULL};
	IrOp *op = irb_op(&low->b, OP_STORE, operands, mask ? 3 : 2, NULL, 0, 0);
	sem_note_padding(low, op, sem_type(ptr), 0);
	set_hints(low, op, cache, evict, false);
	return low->none;
}

const Val *sem_store(FrontLower *low, const Val *ptr, const Val *value, const SemAccess *access)
{
	if (!pointer_expected(low, access->what, ptr))
		return low->poison;
	if (sem_elem(ptr)->is_const)
		return lower_error(low, DIAG_TILE_STORE_CONST, access->what, sem_describe(low, ptr));
	if (!sem_is_tile(value))
		return lower_error(low, DIAG_TILE_NO_TENSOR, sem_describe(low, value));
	int cache = sem_option(low, access->what, "cache_modifier", access->cache, sem_store_caches,
			       sem_store_cache_values);
	int evict = sem_option(low, access->what, "eviction_policy", access->evict, sem_evictions,
			       sem_eviction_values);
	if (!cache || !evict)
		return low->poison;
	if (tl_is_block_ptr(sem_type(ptr)))
		return store_block(low, ptr, value, access, cache, evict);
	return store_pointers(low, ptr, value, access, cache, evict);
}
