/* Builtins that read and write memory. */
#include "front/builtin/builtin.h"
#include "front/tile/sem_desc.h"

/* An optional tensor: *out is NULL for None. */
static bool optional_tensor(FrontLower *low, const BuiltinCall *call, const char *arg, const Val *v,
			    const Val **out)
{
	*out = NULL;
	if (v->kind == VAL_NONE)
		return true;
	*out = sem_arg_tensor(low, call->what, arg, v);
	return *out != NULL;
}

/* boundary_check: NULL for None and for an empty sequence. */
static const Val *boundary(const Val *v)
{
	return v->kind == VAL_NONE || (sem_is_seq(v) && v->seq.len == 0) ? NULL : v;
}

const Val *builtin_load(FrontLower *low, const BuiltinCall *call)
{
	SemAccess access = {.what = call->what, .boundary_check = boundary(call->a[3])};
	if (!optional_tensor(low, call, "mask", call->a[1], &access.mask) ||
	    !optional_tensor(low, call, "other", call->a[2], &access.other) ||
	    !sem_arg_str(low, call->what, "padding_option", call->a[4], &access.padding) ||
	    !sem_arg_str(low, call->what, "cache_modifier", call->a[5], &access.cache) ||
	    !sem_arg_str(low, call->what, "eviction_policy", call->a[6], &access.evict) ||
	    !sem_arg_bool(low, call->what, "volatile", call->a[7], &access.is_volatile))
		return low->poison;
	return sem_load(low, call->a[0], &access);
}

const Val *builtin_store(FrontLower *low, const BuiltinCall *call)
{
	SemAccess access = {.what = call->what, .boundary_check = boundary(call->a[3]), .padding = ""};
	const Val *value = sem_arg_tensor(low, call->what, "value", call->a[1]);
	if (!value || !optional_tensor(low, call, "mask", call->a[2], &access.mask) ||
	    !sem_arg_str(low, call->what, "cache_modifier", call->a[4], &access.cache) ||
	    !sem_arg_str(low, call->what, "eviction_policy", call->a[5], &access.evict))
		return low->poison;
	return sem_store(low, call->a[0], value, &access);
}

const Val *builtin_make_block_ptr(FrontLower *low, const BuiltinCall *call)
{
	return sem_make_block_ptr(low, call->a[0], call->a[1], call->a[2], call->a[3], call->a[4], call->a[5]);
}

const Val *builtin_advance(FrontLower *low, const BuiltinCall *call)
{
	return sem_advance(low, call->a[0], call->a[1]);
}

const Val *builtin_make_desc(FrontLower *low, const BuiltinCall *call)
{
	const char *padding;
	if (!sem_arg_str(low, call->what, "padding_option", call->a[4], &padding))
		return low->poison;
	return sem_make_desc(low, call->a[0], call->a[1], call->a[2], call->a[3], padding);
}

const Val *builtin_desc_load(FrontLower *low, const BuiltinCall *call)
{
	return sem_desc_load(low, call->what, call->a[0], call->a[1]);
}

/* data 1: the old order of arguments, the value before the offsets. */
const Val *builtin_desc_store(FrontLower *low, const BuiltinCall *call)
{
	const Val *offsets = call->a[call->info->data ? 2 : 1];
	const Val *value = sem_arg_tensor(low, call->what, "value", call->a[call->info->data ? 1 : 2]);
	return value ? sem_desc_store(low, call->what, call->a[0], offsets, value) : low->poison;
}

const Val *builtin_desc_reduce(FrontLower *low, const BuiltinCall *call)
{
	const Val *value = sem_arg_tensor(low, call->what, "value", call->a[2]);
	if (!value)
		return low->poison;
	return sem_desc_reduce(low, call->what, (IrDescReduce)call->info->data, call->a[0], call->a[1], value);
}

const Val *builtin_desc_gather(FrontLower *low, const BuiltinCall *call)
{
	return sem_desc_gather(low, call->a[0], call->a[1], call->a[2]);
}

const Val *builtin_desc_scatter(FrontLower *low, const BuiltinCall *call)
{
	return sem_desc_scatter(low, call->a[0], call->a[1], call->a[2], call->a[3]);
}

static bool order_args(FrontLower *low, const BuiltinCall *call, uint32_t first, SemAtomic *out)
{
	return sem_arg_str(low, call->what, "sem", call->a[first], &out->sem) &&
	       sem_arg_str(low, call->what, "scope", call->a[first + 1], &out->scope);
}

/* The pointer seen as one to integers of the same width, for atomics that only move bits; to bytes
 * where one bit lies in memory. NULL after diagnosing. */
static const Val *bits_pointer(FrontLower *low, const BuiltinCall *call, TlType *elem)
{
	const Val *ptr = call->a[0];
	if (!sem_is_tile(ptr) || !tl_is_ptr(sem_elem(ptr)) || sem_elem(ptr)->elem->kind != TL_SCALAR) {
		lower_error(low, DIAG_TILE_POINTER_EXPECTED, call->what, sem_describe(low, ptr));
		return NULL;
	}
	*elem = sem_elem(ptr)->elem;
	unsigned bits = MAX(tl_bits(*elem), 8u);
	return sem_bitcast(low, ptr, tl_ptr(low, tl_int(low, bits, true), false, sem_elem(ptr)->space));
}

static const Val *to_bits(FrontLower *low, const Val *v, TlType elem, TlType bits)
{
	v = sem_cast(low, v, elem);
	return tl_is(elem, DT_INT1) ? sem_cast(low, v, bits) : sem_bitcast(low, v, bits);
}

static const Val *from_bits(FrontLower *low, const Val *bits, TlType elem)
{
	return tl_is(elem, DT_INT1) ? sem_cast(low, bits, elem) : sem_bitcast(low, bits, elem);
}

/* Of truths, which are bytes in memory: what leaves them 0 or 1. */
static const Val *rmw_of_truths(FrontLower *low, const BuiltinCall *call, const Val *value,
				const SemAtomic *atomic)
{
	TlType elem;
	const Val *ptr = bits_pointer(low, call, &elem);
	const Val *bits = ptr ? to_bits(low, value, elem, sem_elem(ptr)->elem) : low->poison;
	if (sem_is_poison(bits))
		return bits;
	bits = sem_atomic_rmw(low, (IrRmw)call->info->data, ptr, bits, atomic);
	return sem_is_poison(bits) ? bits : from_bits(low, bits, elem);
}

static bool is_of_truths(const FrontLower *low, const BuiltinCall *call)
{
	const Val *ptr = call->a[0];
	IrRmw op = (IrRmw)call->info->data;
	bool keeps = op == RMW_AND || op == RMW_OR || op == RMW_XOR || op == RMW_XCHG;
	return keeps && !low->options->strict && sem_is_tile(ptr) && tl_is_ptr(sem_elem(ptr)) &&
	       tl_is(sem_elem(ptr)->elem, DT_INT1);
}

const Val *builtin_atomic_rmw(FrontLower *low, const BuiltinCall *call)
{
	SemAtomic atomic = {.what = call->what};
	const Val *value = sem_arg_tensor(low, call->what, "val", call->a[1]);
	if (!value || !optional_tensor(low, call, "mask", call->a[2], &atomic.mask) ||
	    !order_args(low, call, 3, &atomic))
		return low->poison;
	if (is_of_truths(low, call))
		return rmw_of_truths(low, call, value, &atomic);
	return sem_atomic_rmw(low, (IrRmw)call->info->data, call->a[0], value, &atomic);
}

const Val *builtin_atomic_cas(FrontLower *low, const BuiltinCall *call)
{
	SemAtomic atomic = {.what = call->what};
	const Val *expected = sem_arg_tensor(low, call->what, "cmp", call->a[1]);
	const Val *value = expected ? sem_arg_tensor(low, call->what, "val", call->a[2]) : NULL;
	if (!value || !order_args(low, call, 3, &atomic))
		return low->poison;
	return sem_atomic_cas(low, call->a[0], expected, value, &atomic);
}

/* What only reads releases nothing, and what only writes acquires nothing. */
static bool one_way(FrontLower *low, const char *what, const char *sem, bool reads)
{
	static const char *const of_loads[] = {"", "acquire", "relaxed", NULL};
	static const char *const of_stores[] = {"", "release", "relaxed", NULL};
	static const int values[] = {1, 1, 1};
	return sem_option(low, what, "sem", sem, reads ? of_loads : of_stores, values) != 0;
}

/* Reading is "or" with 0. */
const Val *builtin_atomic_load(FrontLower *low, const BuiltinCall *call)
{
	SemAtomic atomic = {.what = call->what, .moves = true};
	TlType elem;
	const Val *ptr = bits_pointer(low, call, &elem);
	if (!ptr || !optional_tensor(low, call, "mask", call->a[1], &atomic.mask) ||
	    !order_args(low, call, 2, &atomic) || !one_way(low, call->what, atomic.sem, true))
		return low->poison;
	const Val *zero = sem_const_int(low, 0, sem_elem(ptr)->elem);
	const Val *bits = sem_atomic_rmw(low, RMW_OR, ptr, zero, &atomic);
	return sem_is_poison(bits) ? bits : from_bits(low, bits, elem);
}

/* Writing is an exchange whose old value nobody takes. */
const Val *builtin_atomic_store(FrontLower *low, const BuiltinCall *call)
{
	SemAtomic atomic = {.what = call->what, .moves = true};
	TlType elem;
	const Val *ptr = bits_pointer(low, call, &elem);
	const Val *value = ptr ? sem_arg_tensor(low, call->what, "val", call->a[1]) : NULL;
	if (!value || !optional_tensor(low, call, "mask", call->a[2], &atomic.mask) ||
	    !order_args(low, call, 3, &atomic) || !one_way(low, call->what, atomic.sem, false))
		return low->poison;
	value = to_bits(low, value, elem, sem_elem(ptr)->elem);
	if (sem_is_poison(value) || sem_is_poison(sem_atomic_rmw(low, RMW_XCHG, ptr, value, &atomic)))
		return low->poison;
	return low->none;
}
