/* Atomic read-modify-write and compare-and-swap: sequentially consistent between host threads,
 * whatever the op's `sem` and `scope` ask for. Elements of a tile are updated in element order.
 * Floats add with one rounding to their type, by compare-and-swap. */
#include "interp/memory.h"
#include "interp/kern/math.h"

#define EACH_SIZE(size, X)            \
	switch (size) {               \
	case 1:                       \
		X(uint8_t)            \
		break;                \
	case 2:                       \
		X(uint16_t)           \
		break;                \
	case 4:                       \
		X(uint32_t)           \
		break;                \
	default:                      \
		X(uint64_t)           \
	}

static uint64_t atomic_read(uint64_t address, unsigned size)
{
	uint64_t bits = 0;
#define READ(T) bits = __atomic_load_n((T *)(uintptr_t)address, __ATOMIC_SEQ_CST);
	EACH_SIZE(size, READ)
	return bits;
}

static bool atomic_swap_if(uint64_t address, unsigned size, uint64_t *expected, uint64_t value)
{
	bool done = false;
#define SWAP_IF(T)                                                                                        \
	{                                                                                                 \
		T was = (T)*expected;                                                                     \
		done = __atomic_compare_exchange_n((T *)(uintptr_t)address, &was, (T)value, false,        \
						   __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                   \
		*expected = was;                                                                          \
	}
	EACH_SIZE(size, SWAP_IF)
	return done;
}

static float widen(const Exec *x, unsigned kind, uint64_t bits)
{
	float f;
	int format = kern_format(kind);
	if (format < 0)
		return half_float((uint32_t)bits);
	x->k->to_f32[format](&f, &bits, 1);
	return f;
}

static uint64_t narrow_to(const Exec *x, unsigned kind, float f)
{
	uint64_t bits = 0;
	int format = kern_format(kind);
	if (format < 0)
		return half_bits(f);
	x->k->from_f32[format](&bits, &f, 1);
	return bits;
}

/* GPUs take subnormal numbers of fp32 for zeros in sums in global memory, and leave none there
 * (PTX ISA 8.8, "atom", "red"); those of copies that add (RMW_ADD) keep them, as an H200 does. */
static float flushed(unsigned kind, IrRmw op, float x)
{
	return op == RMW_FADD && kind == TY_F32 && fpclassify(x) == FP_SUBNORMAL ? copysignf(0, x) : x;
}

/* -0 is below 0. */
static float extreme(IrRmw op, float a, float b)
{
	if (a == 0 && b == 0)
		return signbit(a) == (op == RMW_MIN) ? a : b;
	return op == RMW_MAX ? fmaxf(a, b) : fminf(a, b);
}

static uint64_t float_result(const Exec *x, unsigned kind, IrRmw op, uint64_t old, uint64_t value)
{
	if (kind == TY_F64) {
		double a = from_bits_d(old), b = from_bits_d(value);
		return bits_d(op == RMW_MAX ? fmax(a, b) : op == RMW_MIN ? fmin(a, b) : a + b);
	}
	float a = widen(x, kind, old), b = widen(x, kind, value);
	if (op == RMW_MAX || op == RMW_MIN)
		return narrow_to(x, kind, extreme(op, a, b));
	return narrow_to(x, kind, flushed(kind, op, flushed(kind, op, a) + flushed(kind, op, b)));
}

/* What is written where `old` was. Bits are those of a splat (sign-extended integers). */
static uint64_t updated(const Exec *x, const Tile *type, IrRmw op, uint64_t old, uint64_t value)
{
	if (op == RMW_XCHG)
		return value;
	if (type->kind >= TY_F8E4M3FN && type->kind != TY_PTR &&
	    (op == RMW_FADD || op == RMW_ADD || op == RMW_MAX || op == RMW_MIN))
		return float_result(x, type->kind, op, old, value);
	uint64_t mask = type->bits == 64 ? ~UINT64_C(0) : (UINT64_C(1) << type->bits) - 1;
	switch (op) {
	case RMW_AND:
		return old & value;
	case RMW_OR:
		return old | value;
	case RMW_XOR:
		return old ^ value;
	case RMW_MAX:
		return (int64_t)old > (int64_t)value ? old : value;
	case RMW_MIN:
		return (int64_t)old < (int64_t)value ? old : value;
	case RMW_UMAX:
		return (old & mask) > (value & mask) ? old : value;
	case RMW_UMIN:
		return (old & mask) < (value & mask) ? old : value;
	default:
		return old + value;
	}
}

uint64_t atomic_update(Exec *x, uint64_t address, const Tile *type, IrRmw op, uint64_t value)
{
	CONTRACT(address % type->size == 0);
	uint64_t raw = atomic_read(address, type->size);
	for (;;) {
		uint64_t old = tile_normal(type, raw);
		uint64_t next = updated(x, type, op, old, value);
		uint64_t was = raw;
		if (atomic_swap_if(address, type->size, &raw, next)) {
			uint64_t mask =
				type->size == 8 ? ~UINT64_C(0) : (UINT64_C(1) << (8 * type->size)) - 1;
			x->writes += ((next ^ was) & mask) != 0;
			return old;
		}
	}
}

uint64_t atomic_compare_swap(Exec *x, uint64_t address, const Tile *type, uint64_t expected, uint64_t value)
{
	CONTRACT(address % type->size == 0);
	uint64_t was = expected;
	if (atomic_swap_if(address, type->size, &was, value))
		x->writes += tile_normal(type, was) != tile_normal(type, value);
	return was;
}

static const Instr *check_access(Exec *x, const Instr *i, uint64_t address, unsigned size, int32_t origin,
				 const Shape *shape, int64_t linear)
{
	if (exec_find_buffer(x, address, size, origin, true) < 0)
		return exec_fault_access(x, i, "atomic update", address, size, true, origin, shape, linear);
	if (address % size) {
		char element[128];
		exec_element_text(element, sizeof element, shape, linear);
		return exec_fault(x, i, DIAG_RUN_MISALIGNED, "atomic update of %u bytes at 0x%llx in %s",
				  size, (unsigned long long)address, element);
	}
	return i + 1;
}

static void put(Tile *out, int64_t linear, uint64_t bits)
{
	if (out->form == FORM_VIEW)
		memcpy(out->data + linear * out->size, &bits, out->size);
	else
		tile_splat(out, bits);
}

static Tile *result_tile(Exec *x, const Instr *i)
{
	Tile *out = tile_out(x, i, 0);
	if (out->shape->rank)
		tile_alloc(x, out);
	else
		tile_splat(out, 0);
	return out;
}

/* imm: IrRmw. */
static const Instr *run_rmw(Exec *x, const Instr *i)
{
	const Tile *ptr = instr_in(x, i, 0), *value = instr_in(x, i, 1);
	const Tile *mask = i->in > 2 ? instr_in(x, i, 2) : NULL;
	Tile *out = result_tile(x, i);
	const Shape *shape = out->shape;
	int64_t index[IR_MAX_RANK] = {0};
	for (int64_t k = 0; k < shape->numel; k++) {
		uint64_t old = 0;
		if (!mask || tile_element(mask, index)) {
			uint64_t address = tile_element(ptr, index);
			if (!check_access(x, i, address, out->size, ptr->origin, shape, k))
				return NULL;
			old = atomic_update(x, address, out, (IrRmw)i->imm, tile_element(value, index));
		}
		put(out, k, old);
		for (uint32_t d = shape->rank; d-- > 0 && ++index[d] == shape->dim[d];)
			index[d] = 0;
	}
	return i + 1;
}

bool interp_ATOMIC_RMW(Decoder *d, const IrOp *op)
{
	d->reads++;
	decode_instr(d, op, run_rmw)->imm = ir_get_int(op, d->cx, ATTR_RMW_OP, RMW_ADD);
	return true;
}

static const Instr *run_cas(Exec *x, const Instr *i)
{
	const Tile *ptr = instr_in(x, i, 0), *expected = instr_in(x, i, 1), *value = instr_in(x, i, 2);
	Tile *out = result_tile(x, i);
	const Shape *shape = out->shape;
	int64_t index[IR_MAX_RANK] = {0};
	for (int64_t k = 0; k < shape->numel; k++) {
		uint64_t address = tile_element(ptr, index), was = tile_element(expected, index);
		uint64_t next = tile_element(value, index);
		if (!check_access(x, i, address, out->size, ptr->origin, shape, k))
			return NULL;
		put(out, k, atomic_compare_swap(x, address, out, was, next));
		for (uint32_t d = shape->rank; d-- > 0 && ++index[d] == shape->dim[d];)
			index[d] = 0;
	}
	return i + 1;
}

bool interp_ATOMIC_CAS(Decoder *d, const IrOp *op)
{
	d->reads++;
	decode_instr(d, op, run_cas);
	return true;
}
