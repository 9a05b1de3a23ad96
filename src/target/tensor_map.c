/* Plans of tensor maps: their values at a launch, what a map can say, and plans as text.
 *
 * Source of the limits: CUDA Driver API, "Tensor Map Object Management". */
#include "target/tensor_map.h"

#include <stdlib.h>

enum { ALIGN = 16, MOST_DIM_BITS = 32, MOST_STRIDE_BITS = 40, MOST_PLANS = 64 };

unsigned tensor_map_bytes(TensorMapType type)
{
	switch (type) {
	case TENSOR_MAP_U8: return 1;
	case TENSOR_MAP_U16:
	case TENSOR_MAP_F16:
	case TENSOR_MAP_BF16: return 2;
	case TENSOR_MAP_U64:
	case TENSOR_MAP_S64:
	case TENSOR_MAP_F64: return 8;
	default: return 4;
	}
}

/* ---- values ---- */

static int64_t argument(char letter, const void *bytes)
{
	int64_t wide;
	int32_t word;
	int16_t half;
	switch (letter) {
	case '1': return *(const int8_t *)bytes;
	case '2': memcpy(&half, bytes, sizeof half); return half;
	case '4': memcpy(&word, bytes, sizeof word); return word;
	default: memcpy(&wide, bytes, sizeof wide); return wide;
	}
}

/* False: the product does not fit. */
static bool value_of(const TensorMapTerm *term, const char *letters, void *const *params, int64_t *out)
{
	*out = term->scale;
	return term->arg < 0 ||
	       !__builtin_mul_overflow(argument(letters[term->arg], params[term->arg]), term->scale, out);
}

const char *tensor_map_values(const TensorMapPlan *plan, const char *letters, void *const *params,
			      TensorMapValues *out)
{
	unsigned bytes = tensor_map_bytes((TensorMapType)plan->type);
	bool is_float = plan->type >= TENSOR_MAP_F16;
	*out = (TensorMapValues){.address = (uint64_t)argument('8', params[plan->base])};
	out->nan =
		plan->fill >= 0 ? (*(const uint8_t *)params[plan->fill] & 1) : plan->fill == TENSOR_MAP_NAN;
	if (out->address % ALIGN)
		return "its address is no multiple of 16";
	if (out->nan && !is_float)
		return "its elements have no NaN that a map knows";
	for (unsigned k = 0; k < plan->rank; k++) {
		unsigned d = plan->rank - 1 - k;
		int64_t dim, stride = 0;
		if (!value_of(&plan->shape[k], letters, params, &dim) || dim < 1 ||
		    dim > INT64_C(1) << MOST_DIM_BITS)
			return "a size is not 1 to 2^32";
		out->dims[d] = (uint64_t)dim;
		if (!d)
			continue;
		if (!value_of(&plan->strides[k], letters, params, &stride) ||
		    __builtin_mul_overflow(stride, (int64_t)bytes, &stride) || stride < 0 || stride % ALIGN ||
		    stride >= INT64_C(1) << MOST_STRIDE_BITS)
			return "a stride is no multiple of 16 bytes, or not below 2^40";
		if (plan->shape[k].arg < 0 && dim == TENSOR_MAP_FAR_END && stride < TENSOR_MAP_FAR_STRIDE)
			return "an index computed in 64 bits may not fit into 32, where a stride is below "
			       "256 bytes";
		out->strides[d - 1] = (uint64_t)stride;
	}
	if (plan->written && out->dims[0] * bytes % ALIGN)
		return "it is written, and its last size is no multiple of 16 bytes: what is stored ends at "
		       "such a multiple";
	return NULL;
}

/* ---- text: numbers with commas between, plans with semicolons between ---- */

static void write_terms(Text *out, const TensorMapTerm *terms, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		text_printf(out, ",%d,%lld", (int)terms[i].arg, (long long)terms[i].scale);
}

void tensor_map_write(Text *out, const TensorMapPlan *plans, size_t count)
{
	CONTRACT(plans || !count);
	for (size_t i = 0; i < count; i++) {
		const TensorMapPlan *p = &plans[i];
		text_printf(out, "%s%d,%d,%u,%u,%u", i ? ";" : "", (int)p->base, (int)p->fill, p->type,
			    p->swizzle, p->rank);
		write_terms(out, p->shape, p->rank);
		write_terms(out, p->strides, p->rank);
		for (unsigned k = 0; k < p->rank; k++)
			text_printf(out, ",%u", p->box[k]);
		text_str(out, p->written ? ",1" : "");
	}
}

typedef struct Numbers {
	const char *at;
	bool bad;
} Numbers;

static int64_t number(Numbers *n, int64_t least, int64_t most)
{
	char *end;
	if (n->bad)
		return least;
	long long value = strtoll(n->at, &end, 10);
	n->bad = end == n->at || value < least || value > most;
	n->at = *end == ',' ? end + 1 : end;
	return n->bad ? least : value;
}

static void read_terms(Numbers *n, TensorMapTerm *terms, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		terms[i].arg = (int32_t)number(n, -1, INT16_MAX);
		terms[i].scale = number(n, INT64_MIN, INT64_MAX);
	}
}

static void read_plan(Numbers *n, TensorMapPlan *p)
{
	p->base = (int32_t)number(n, 0, INT16_MAX);
	p->fill = (int32_t)number(n, TENSOR_MAP_NAN, INT16_MAX);
	p->type = (uint8_t)number(n, 0, TENSOR_MAP__COUNT - 1);
	p->swizzle = (uint8_t)number(n, 0, 128);
	p->rank = (uint8_t)number(n, 1, TENSOR_MAP_RANK);
	read_terms(n, p->shape, p->rank);
	read_terms(n, p->strides, p->rank);
	for (unsigned k = 0; k < p->rank; k++)
		p->box[k] = (uint16_t)number(n, 1, TENSOR_MAP_BOX);
	p->written = *n->at && *n->at != ';' && number(n, 1, 1);
}

bool tensor_map_read(Arena *arena, const char *text, const TensorMapPlan **plans, size_t *count)
{
	size_t n = *text != '\0';
	Numbers numbers = {text, false};
	for (const char *c = text; *c; c++)
		n += *c == ';';
	TensorMapPlan *made = ARENA_ARRAY(arena, TensorMapPlan, MIN(n, (size_t)MOST_PLANS) + 1);
	*plans = made;
	*count = n;
	for (size_t i = 0; i < n && n <= MOST_PLANS && !numbers.bad; i++) {
		read_plan(&numbers, &made[i]);
		numbers.bad = numbers.bad || *numbers.at != (i + 1 < n ? ';' : '\0');
		numbers.at++;
	}
	return n <= MOST_PLANS && !numbers.bad;
}
