/* Element types and values: the public ones and those of the compiler. */
#include "api/inner.h"

#include "base/float/fp.h"

/* ---- element types ---- */

typedef enum { CLASS_NONE, CLASS_BOOL, CLASS_INT, CLASS_UINT, CLASS_FLOAT } DtypeClass;

static const struct {
	const char *name, *other; /* other: NumPy's name */
	DtypeClass cls;
	uint8_t size;
	TlDtype tl;
	FpFormat format;
} dtypes[] = {
	[NESO_DTYPE_NONE] = {NULL, NULL, CLASS_NONE, 0, DT__COUNT, FP__COUNT},
	[NESO_INT1] = {"i1", "bool", CLASS_BOOL, 1, DT_INT1, FP__COUNT},
	[NESO_INT8] = {"i8", "int8", CLASS_INT, 1, DT_INT8, FP__COUNT},
	[NESO_INT16] = {"i16", "int16", CLASS_INT, 2, DT_INT16, FP__COUNT},
	[NESO_INT32] = {"i32", "int32", CLASS_INT, 4, DT_INT32, FP__COUNT},
	[NESO_INT64] = {"i64", "int64", CLASS_INT, 8, DT_INT64, FP__COUNT},
	[NESO_UINT8] = {"u8", "uint8", CLASS_UINT, 1, DT_UINT8, FP__COUNT},
	[NESO_UINT16] = {"u16", "uint16", CLASS_UINT, 2, DT_UINT16, FP__COUNT},
	[NESO_UINT32] = {"u32", "uint32", CLASS_UINT, 4, DT_UINT32, FP__COUNT},
	[NESO_UINT64] = {"u64", "uint64", CLASS_UINT, 8, DT_UINT64, FP__COUNT},
	[NESO_FP8E5] = {"fp8e5", "float8_e5m2", CLASS_FLOAT, 1, DT_FP8E5, FP_E5M2},
	[NESO_FP8E4NV] = {"fp8e4nv", "float8_e4m3fn", CLASS_FLOAT, 1, DT_FP8E4NV, FP_E4M3FN},
	[NESO_FP8E4B8] = {"fp8e4b8", "float8_e4m3fnuz", CLASS_FLOAT, 1, DT_FP8E4B8, FP_E4M3FNUZ},
	[NESO_FP8E5B16] = {"fp8e5b16", "float8_e5m2fnuz", CLASS_FLOAT, 1, DT_FP8E5B16, FP_E5M2FNUZ},
	[NESO_FP8E4B15] = {"fp8e4b15", "float8_e4m3b11fnuz", CLASS_FLOAT, 1, DT_FP8E4B15, FP_E4M3B11FNUZ},
	[NESO_FP16] = {"fp16", "float16", CLASS_FLOAT, 2, DT_FP16, FP_F16},
	[NESO_BF16] = {"bf16", "bfloat16", CLASS_FLOAT, 2, DT_BF16, FP_BF16},
	[NESO_FP32] = {"fp32", "float32", CLASS_FLOAT, 4, DT_FP32, FP_F32},
	[NESO_FP64] = {"fp64", "float64", CLASS_FLOAT, 8, DT_FP64, FP_F64},
};

static const struct {
	const char *name;
	neso_dtype dtype;
} aliases[] = {
	{"u1", NESO_INT1}, {"int1", NESO_INT1},   {"half", NESO_FP16},
	{"float", NESO_FP32}, {"double", NESO_FP64}, {"int", NESO_INT32},
};

static bool is_known(neso_dtype dtype)
{
	return dtype > NESO_DTYPE_NONE && (size_t)dtype < ARRAY_LEN(dtypes);
}

const char *neso_dtype_name(neso_dtype dtype)
{
	return is_known(dtype) ? dtypes[dtype].name : NULL;
}

neso_dtype neso_dtype_of(const char *name)
{
	if (!name)
		return NESO_DTYPE_NONE;
	for (size_t i = 1; i < ARRAY_LEN(dtypes); i++)
		if (strcmp(name, dtypes[i].name) == 0 || strcmp(name, dtypes[i].other) == 0)
			return (neso_dtype)i;
	for (size_t i = 0; i < ARRAY_LEN(aliases); i++)
		if (strcmp(name, aliases[i].name) == 0)
			return aliases[i].dtype;
	return NESO_DTYPE_NONE;
}

size_t neso_dtype_size(neso_dtype dtype)
{
	return is_known(dtype) ? dtypes[dtype].size : 0;
}

TlDtype api_dtype(neso_dtype dtype)
{
	return is_known(dtype) ? dtypes[dtype].tl : DT__COUNT;
}

neso_dtype api_neso_dtype(TlDtype dtype)
{
	size_t i = ARRAY_LEN(dtypes) - 1;
	while (i && dtypes[i].tl != dtype)
		i--;
	return (neso_dtype)i;
}

static uint64_t load_bits(const void *from, unsigned size)
{
	uint8_t b8;
	uint16_t b16;
	uint32_t b32;
	uint64_t b64;
	switch (size) {
	case 1: memcpy(&b8, from, 1); return b8;
	case 2: memcpy(&b16, from, 2); return b16;
	case 4: memcpy(&b32, from, 4); return b32;
	default: memcpy(&b64, from, 8); return b64;
	}
}

static void store_bits(void *to, unsigned size, uint64_t bits)
{
	uint8_t b8 = (uint8_t)bits;
	uint16_t b16 = (uint16_t)bits;
	uint32_t b32 = (uint32_t)bits;
	switch (size) {
	case 1: memcpy(to, &b8, 1); break;
	case 2: memcpy(to, &b16, 2); break;
	case 4: memcpy(to, &b32, 4); break;
	default: memcpy(to, &bits, 8); break;
	}
}

static int64_t sign_extend(uint64_t bits, unsigned size)
{
	unsigned unused = 64 - 8 * size;
	return (int64_t)(bits << unused) >> unused;
}

/* Float to integer: truncated; what does not fit becomes the nearest end of the type, NaN 0. */
static uint64_t to_integer(double value, neso_dtype to)
{
	bool is_signed = dtypes[to].cls == CLASS_INT;
	unsigned bits = 8u * dtypes[to].size;
	double high = is_signed ? (double)(1ull << (bits - 1)) : 2.0 * (double)(1ull << (bits - 1));
	double low = is_signed ? -high : 0;
	uint64_t max = UINT64_MAX >> (64 - bits + is_signed);
	if (value != value)
		return 0;
	if (value >= high)
		return max;
	if (value <= low)
		return is_signed ? ~max : 0;
	return is_signed ? (uint64_t)(int64_t)value : (uint64_t)value;
}

static uint64_t convert_one(neso_dtype to, neso_dtype from, uint64_t bits)
{
	DtypeClass source = dtypes[from].cls, target = dtypes[to].cls;
	if (source == CLASS_FLOAT) {
		double value = fp_to_double(dtypes[from].format, bits);
		if (target == CLASS_BOOL)
			return value != 0;
		return target == CLASS_FLOAT ? fp_from_double(dtypes[to].format, value, FP_NEAREST_EVEN, false)
					     : to_integer(value, to);
	}
	if (source == CLASS_BOOL)
		bits = bits != 0;
	if (source == CLASS_INT)
		bits = (uint64_t)sign_extend(bits, dtypes[from].size);
	if (target == CLASS_BOOL)
		return bits != 0;
	if (target != CLASS_FLOAT)
		return bits;
	double value = source == CLASS_INT ? (double)(int64_t)bits : (double)bits;
	return fp_from_double(dtypes[to].format, value, FP_NEAREST_EVEN, false);
}

neso_status neso_dtype_convert(neso_dtype to, void *destination, neso_dtype from, const void *source, size_t count)
{
	if (!is_known(to) || !is_known(from) || (count && (!destination || !source)))
		return NESO_ERROR_USAGE;
	unsigned to_size = dtypes[to].size, from_size = dtypes[from].size;
	if (to == from) {
		if (count)
			memmove(destination, source, count * to_size);
		return NESO_OK;
	}
	for (size_t i = 0; i < count; i++)
		store_bits((char *)destination + i * to_size, to_size,
			   convert_one(to, from, load_bits((const char *)source + i * from_size, from_size)));
	return NESO_OK;
}

/* ---- values as Python expressions ---- */

static void add_string(Text *out, const char *text)
{
	text_char(out, '\'');
	for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
		if (*p == '\'' || *p == '\\')
			text_printf(out, "\\%c", *p);
		else if (*p < 0x20)
			text_printf(out, "\\x%02x", *p);
		else
			text_char(out, (char)*p);
	}
	text_char(out, '\'');
}

static bool add_value(Text *out, const neso_value *value, unsigned depth)
{
	enum { DEEPEST = 16 };
	switch (value->kind) {
	case NESO_VALUE_NONE:
		text_str(out, "None");
		return true;
	case NESO_VALUE_BOOL:
		text_str(out, value->i ? "True" : "False");
		return true;
	case NESO_VALUE_INT:
		if (value->is_unsigned)
			text_printf(out, "%llu", (unsigned long long)value->i);
		else
			text_printf(out, "%lld", (long long)value->i);
		return true;
	case NESO_VALUE_FLOAT:
		text_str(out, jit_float_text(out->arena, value->f));
		return true;
	case NESO_VALUE_STRING:
		add_string(out, value->text ? value->text : "");
		return true;
	case NESO_VALUE_DTYPE: {
		static const char *const names[] = {
#define DTYPE(kind, name, bits, cls, ir, short_name, doc) [DT_##kind] = name,
#include "front/dtypes.def"
#undef DTYPE
		};
		if (!is_known(value->dtype))
			return false;
		text_printf(out, "tl.%s", names[dtypes[value->dtype].tl]);
		return true;
	}
	case NESO_VALUE_TUPLE:
		if (depth == DEEPEST || (value->count && !value->items))
			return false;
		text_char(out, '(');
		for (size_t i = 0; i < value->count; i++) {
			if (!add_value(out, &value->items[i], depth + 1))
				return false;
			text_str(out, ", ");
		}
		text_char(out, ')');
		return true;
	case NESO_VALUE_EXPR:
	case NESO_VALUE_FUNCTION:
		if (!value->text)
			return false;
		text_str(out, value->text);
		return true;
	default:
		return false;
	}
}

const char *api_value_text(Arena *arena, const neso_value *value)
{
	Text text;
	text_init(&text, arena);
	return add_value(&text, value, 0) ? text.data : NULL;
}
