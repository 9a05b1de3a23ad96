/* Attributes of tensors, dtypes and descriptors; isinstance. */
#include "front/builtin/builtin.h"
#include "front/tile/sem_desc.h"

static const Val *shape_value(FrontLower *low, TlType t)
{
	const Val *items[IR_MAX_RANK];
	uint32_t rank = t->kind == TL_BLOCK ? t->rank : 0;
	for (uint32_t i = 0; i < rank; i++)
		items[i] = val_int(low, t->shape[i]);
	return val_tuple(low, items, rank);
}

static const Val *method(FrontLower *low, uint32_t where, const char *name, const Val *self)
{
	const BuiltinInfo *row = builtin_find(where, name);
	const Val *callee = row ? builtin_value(low, row) : NULL;
	if (!callee)
		return NULL;
	Val *v = ARENA_NEW(low->arena, Val);
	v->kind = VAL_METHOD;
	v->method.callee = callee;
	v->method.self = self;
	return v;
}

/* ---- dtypes ---- */

/* Exponent bias and mantissa bits. ORDER DT from FP8E4B15 on. */
static const struct {
	int mantissa, bias;
} float_facts[] = {{3, 15}, {3, 7}, {3, 8}, {2, 15}, {2, 16}, {10, 15}, {7, 127}, {23, 127}, {52, 1023}};

_Static_assert(ARRAY_LEN(float_facts) == DT__COUNT - DT_FP8E4B15, "ORDER DT");

static const Val *scalar_attribute(FrontLower *low, TlType t, const char *name)
{
	unsigned bits = tl_bits(t);
	if (strcmp(name, "primitive_bitwidth") == 0)
		return val_int(low, bits);
	if (strcmp(name, "itemsize") == 0)
		return val_int(low, bits / 8);
	if (tl_is_int(t) && strcmp(name, "int_bitwidth") == 0)
		return val_int(low, bits);
	if (tl_is_int(t) && strcmp(name, "int_signedness") == 0)
		return val_int(low, tl_is_signed(t) ? 0 : 1);
	if (tl_is_float(t) && strcmp(name, "fp_mantissa_width") == 0)
		return val_int(low, float_facts[t->dtype - DT_FP8E4B15].mantissa);
	if (tl_is_float(t) && strcmp(name, "exponent_bias") == 0)
		return val_int(low, float_facts[t->dtype - DT_FP8E4B15].bias);
	return NULL;
}

static const Val *compound_attribute(FrontLower *low, TlType t, const char *name)
{
	if ((t->kind == TL_PTR || t->kind == TL_BLOCK) && strcmp(name, "element_ty") == 0)
		return val_dtype(low, t->elem);
	if (t->kind == TL_PTR && strcmp(name, "address_space") == 0)
		return val_int(low, t->space);
	if (t->kind == TL_PTR && strcmp(name, "const") == 0)
		return val_bool(low, t->is_const);
	if (t->kind == TL_PTR && strcmp(name, "primitive_bitwidth") == 0)
		return val_int(low, 64);
	if (t->kind == TL_BLOCK && strcmp(name, "shape") == 0)
		return shape_value(low, t);
	if (t->kind == TL_BLOCK && strcmp(name, "numel") == 0)
		return val_int(low, tl_numel(t));
	if (t->kind == TL_BLOCK && strcmp(name, "nbytes") == 0)
		return val_int(low, tl_numel(t) * (tl_bits(t->elem) / 8));
	if (t->kind == TL_DESC && strcmp(name, "block_type") == 0)
		return val_dtype(low, t->elem);
	return NULL;
}

static const Val *dtype_attribute(FrontLower *low, const Val *v, const char *name)
{
	TlType t = v->type;
	if (strcmp(name, "name") == 0)
		return val_str(low, str_of(tl_type_text(low, t)));
	if (strcmp(name, "scalar") == 0)
		return val_dtype(low, tl_elem(t));
	const Val *a = t->kind == TL_SCALAR ? scalar_attribute(low, t, name) : compound_attribute(low, t, name);
	return a ? a : method(low, OF_DTYPE, name, v);
}

/* ---- tensors and descriptors ---- */

static const Val *desc_attribute(FrontLower *low, const Val *v, const char *name)
{
	TlType block = sem_type(v)->elem;
	if (strcmp(name, "dtype") == 0)
		return val_dtype(low, block->elem);
	if (strcmp(name, "type") == 0)
		return val_dtype(low, sem_type(v));
	if (strcmp(name, "block_type") == 0)
		return val_dtype(low, block);
	if (strcmp(name, "block_shape") == 0)
		return shape_value(low, block);
	bool strides = strcmp(name, "strides") == 0;
	if (strides || strcmp(name, "shape") == 0)
		return sem_desc_extents(low, v, strides);
	return method(low, OF_DESC, name, v);
}

const Val *sem_attribute(FrontLower *low, const Val *v, Sym name)
{
	if (v->kind == VAL_DTYPE)
		return dtype_attribute(low, v, name);
	if (v->kind == VAL_BUILTIN)
		return builtin_lookup(low, arena_printf(low->arena, "triton.language.%s", v->builtin->name), name);
	if (!sem_is_tensor(v))
		return NULL;
	if (sem_is_desc(v))
		return desc_attribute(low, v, name);
	TlType t = sem_type(v);
	if (strcmp(name, "dtype") == 0)
		return val_dtype(low, tl_elem(t));
	if (strcmp(name, "type") == 0)
		return val_dtype(low, t);
	if (strcmp(name, "shape") == 0)
		return shape_value(low, t);
	if (strcmp(name, "numel") == 0)
		return val_int(low, tl_numel(t));
	if (strcmp(name, "T") == 0)
		return sem_trans(low, v);
	return method(low, OF_TENSOR, name, v);
}

bool sem_same_type(const Val *a, const Val *b)
{
	return sem_is_tensor(a) && sem_is_tensor(b) && sem_type(a) == sem_type(b);
}

int sem_is_instance(const Val *v, const Val *cls)
{
	if (cls->kind != VAL_BUILTIN)
		return -1;
	const char *name = cls->builtin->name;
	bool is_type = v->kind == VAL_DTYPE;
	if (strcmp(name, "tensor") == 0)
		return sem_is_tile(v);
	if (strcmp(name, "constexpr") == 0)
		return !sem_is_tensor(v) && !sem_is_seq(v);
	if (strcmp(name, "dtype") == 0)
		return is_type;
	if (strcmp(name, "constexpr_type") == 0)
		return v->kind == VAL_CONST_TYPE;
	if (strcmp(name, "pointer_type") == 0)
		return is_type && tl_is_ptr(v->type);
	if (strcmp(name, "block_type") == 0)
		return is_type && tl_is_block(v->type);
	if (strcmp(name, "tuple") == 0)
		return v->kind == VAL_TUPLE;
	if (strcmp(name, "slice") == 0)
		return v->kind == VAL_SLICE;
	if (strncmp(name, "tensor_descriptor", 17) == 0)
		return sem_is_desc(v);
	if (strcmp(name, "base_value") == 0)
		return sem_is_tensor(v);
	return -1;
}
