/* Tables of generated code: what is compiled, and what launches need. */
#include "aot/inner.h"

#include "cache/entry/hash.h"

/* ---- code ---- */

/* Words of eight bytes, little-endian, as the GPUs' hosts are. */
static void write_array(Text *out, uint32_t number, Str code)
{
	enum { WORDS_A_LINE = 6 };
	size_t words = (code.len + 7) / 8;
	text_printf(out, "\n/* %zu bytes */\nstatic const uint64_t nk_code_%u[] = {", code.len, number);
	for (size_t i = 0; i < words; i++) {
		uint64_t word = 0;
		for (size_t b = 0; b < 8 && 8 * i + b < code.len; b++)
			word |= (uint64_t)(uint8_t)code.ptr[8 * i + b] << 8 * b;
		text_str(out, i % WORDS_A_LINE ? " " : "\n\t");
		text_printf(out, "0x%llx,", (unsigned long long)word);
	}
	text_str(out, "\n};\n");
}

/* ---- what a launch hands over ---- */

static uint32_t value_of(const AotFunction *f, const JitSlot *slot)
{
	const AotParam *param = &f->params[slot->param];
	if (slot->part == SLOT_NUMBER) {
		for (uint32_t i = 0; i < f->numbers.len; i++)
			if (f->numbers.data[i].param == slot->param &&
			    f->numbers.data[i].dtype == slot->dtype)
				return f->numbers.data[i].value;
		BUG("the number of a demoted constexpr is there");
	}
	switch (slot->part) {
	case SLOT_SHAPE: return param->value + 1 + slot->axis;
	case SLOT_STRIDE: return param->value + 1 + param->rank + slot->axis;
	case SLOT_PAD: return param->value + 1 + 2 * param->rank;
	default: return param->value;
	}
}

static void write_slots(Text *out, const AotFunction *f, const AotImage *image, uint32_t number)
{
	const JitVariant *v = image->variant;
	if (!v->slot_count)
		return;
	text_printf(out, "static const uint16_t nk_values_%u[] = {", number);
	for (uint32_t s = 0; s < v->slot_count; s++)
		text_printf(out, s ? ", %u" : "%u", value_of(f, &v->slots[s]));
	text_str(out, "};\n");
}

static void write_terms(Text *out, const TensorMapTerm *terms, unsigned rank)
{
	text_str(out, ", {");
	for (unsigned d = 0; d < TENSOR_MAP_RANK; d++)
		text_printf(out, d ? ", {%d, %lld}" : "{%d, %lld}", d < rank ? (int)terms[d].arg : -1,
			    d < rank ? (long long)terms[d].scale : 0ll);
	text_char(out, '}');
}

static void write_plans(Text *out, const AotImage *image, uint32_t number)
{
	const JitGpu *gpu = image->variant->gpu;
	if (!gpu->map_count)
		return;
	text_printf(out, "static const nk_plan nk_plans_%u[] = {\n", number);
	for (size_t i = 0; i < gpu->map_count; i++) {
		const TensorMapPlan *p = &gpu->maps[i];
		int swizzle = p->swizzle == 128 ? 3 : p->swizzle == 64 ? 2 : p->swizzle == 32 ? 1 : 0;
		text_printf(out, "\t{%u, %u, %d, %d, %u, %d, %d, %d", p->type, p->rank, swizzle, p->written,
			    tensor_map_bytes((TensorMapType)p->type), p->type >= TENSOR_MAP_F16, (int)p->base,
			    (int)p->fill);
		write_terms(out, p->shape, p->rank);
		write_terms(out, p->strides, p->rank);
		text_str(out, ", {");
		for (unsigned d = 0; d < TENSOR_MAP_RANK; d++)
			text_printf(out, d ? ", %u" : "%u", d < p->rank ? p->box[d] : 0u);
		text_str(out, "}},\n");
	}
	text_str(out, "};\n");
}

/* ---- images ---- */

static void write_image(Text *out, const AotImage *image, uint32_t number, int many)
{
	const JitVariant *v = image->variant;
	const JitGpu *gpu = v->gpu;
	const TargetGpu *target = v->options.gpu;
	uint32_t scratch_align = MAX(gpu->scratch_align, 1u);
	text_printf(out, "\t{nk_code_%u, \"%s\", \"%s\", ", image->array, gpu->name, gpu->args);
	text_printf(out, v->slot_count ? "nk_values_%u, " : "NULL, ", number);
	text_printf(out, gpu->map_count ? "nk_plans_%u, " : "NULL, ", number);
	text_printf(out, "%u, %zu, %u, %d, %d, %d, %d, %d, %u, %u, %u, %u, %u, %u, %d}, /* %s%s */\n",
		    v->slot_count, gpu->map_count, target->capability, target->suffix != 0, image->ptx,
		    v->options.cooperative, v->options.dependent && target->capability >= 90,
		    (int)jit_gpu_program_counts(gpu), gpu->threads,
		    gpu->shared, gpu->shared + gpu->cubin.shared, MAX(gpu->cluster, 1u), gpu->scratch,
		    scratch_align, many, image->ptx ? "PTX of " : "", target->name);
}

typedef void EachImages(Text *out, const AotFunction *f, const AotCase *c, const AotImages *images,
			uint32_t first);

/* Kinds of a case's images. */
enum { IMAGES_OWN, IMAGES_PLAIN, IMAGES_MANY };

static const AotImages *images_of(const AotCase *c, int kind)
{
	return kind == IMAGES_OWN ? &c->images : kind == IMAGES_PLAIN ? &c->plain : &c->many;
}

/* In the order of the cases' numbers, of the kinds up to `last`; first: how many images lie
 * before. */
static void each_images(const Aot *aot, Text *out, int last, EachImages *each)
{
	uint32_t first = 0;
	for (int kind = IMAGES_OWN; kind <= last; kind++)
		for (uint32_t i = 0; i < aot->functions.len; i++)
			for (uint32_t k = 0; k < aot->functions.data[i].cases.len; k++) {
				const AotFunction *f = &aot->functions.data[i];
				const AotCase *c = &f->cases.data[k];
				const AotImages *images = images_of(c, kind);
				if (images->len)
					each(out, f, c, images, first);
				first += images->len;
			}
}

static void write_parts(Text *out, const AotFunction *f, const AotCase *c, const AotImages *images,
			uint32_t first)
{
	(void)c;
	for (uint32_t i = 0; i < images->len; i++) {
		write_slots(out, f, &images->data[i], first + i);
		write_plans(out, &images->data[i], first + i);
	}
}

static void write_images(Text *out, const AotFunction *f, const AotCase *c, const AotImages *images,
			 uint32_t first)
{
	(void)f;
	for (uint32_t i = 0; i < images->len; i++) {
		uint32_t many = images->data[i].many;
		write_image(out, &images->data[i], first + i, many ? (int)(c->first_many + many - 1) : -1);
	}
}

static void write_case(Text *out, const AotFunction *f, const AotCase *c, const AotImages *images,
		       uint32_t first)
{
	bool has_plain = images == &c->images && c->plain.len;
	bool has_many = images == &c->images && c->many.len;
	bool uneven = false;
	for (uint32_t i = 0; i < images->len; i++)
		uneven |= images->data[i].variant->uneven;
	text_printf(out, "\t{%u, %u, %d, %d, %d}, /* ", first, images->len,
		    has_plain ? (int)c->plain_number : AOT_NO_CASE,
		    has_many ? (int)c->many_slot : AOT_NO_CASE, uneven);
	text_printf(out, "%s%s */\n", f->name, images == &c->images ? "" : ", without tensor maps");
}

void aot_tables(const Aot *aot, Text *out)
{
	text_printf(out, "enum { NK_CASES = %u, NK_FIRST_PLAIN = %u, NK_SLOTS = %u, NK_PARAMS = %u };\n",
		    aot->case_count, aot->first_plain, aot->slot_count, MAX(aot->most_params, 1u));
	text_printf(out,
		    "#define NK_MAPS %u /* of a launch at most */\n#define NK_SPECIAL %d /* scratch, "
		    "clusters, attributes */\n#define NK_PERSISTENT %d /* CTAs of several programs */\n"
		    "#define NK_MANY %d /* other code for launches of many programs */\n",
		    aot->most_maps, aot->special, aot->persistent, aot->many_count != 0);
	for (uint32_t i = 0; i < aot->arrays.len; i++)
		write_array(out, i, aot->arrays.data[i]);
	text_char(out, '\n');
	each_images(aot, out, IMAGES_MANY, write_parts);
	text_str(out, "\nstatic const nk_image nk_images[] = {\n");
	each_images(aot, out, IMAGES_MANY, write_images);
	text_str(out, "};\n\nstatic const nk_case nk_cases[NK_CASES] = {\n");
	each_images(aot, out, IMAGES_PLAIN, write_case);
	text_str(out, "};\n\nstatic int nk_is_plain(uint32_t which)\n{\n");
	text_str(out, aot->first_plain < aot->case_count ? "\treturn which >= NK_FIRST_PLAIN;\n}\n"
							 : "\t(void)which;\n\treturn 0;\n}\n");
}
