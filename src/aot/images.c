/* The code of each case: cubins, PTX for GPUs that come later, and what runs where no tensor map
 * can be made, and in launches of many programs. */
#include "aot/inner.h"

#include "nv/nv.h"

static NvTools *tools_of(const AotFunction *f)
{
	return f->kernel->module->host->tools;
}

/* Equal code is held once. */
static uint32_t array_of(Aot *aot, Str code)
{
	for (uint32_t i = 0; i < aot->arrays.len; i++)
		if (aot->arrays.data[i].len == code.len &&
		    memcmp(aot->arrays.data[i].ptr, code.ptr, code.len) == 0)
			return i;
	vec_push(aot->arena, &aot->arrays, code);
	return aot->arrays.len - 1;
}

static bool fill_image(Aot *aot, const AotFunction *f, AotImage *image, JitStatus *status)
{
	const JitVariant *v = image->variant;
	const JitGpu *gpu = v->gpu;
	Text ptx;
	if (image->ptx) {
		text_init(&ptx, aot->arena);
		*status = jit_variant_text(v, "ptx", &ptx, aot->diags);
		text_char(&ptx, '\0'); /* as the driver wants it */
		image->code = (Str){ptx.data, ptx.len};
	} else {
		image->code = (Str){gpu->cubin.data, gpu->cubin.len};
		if (aot->options->compress &&
		    !nv_fatbin(tools_of(f), image->code, v->options.gpu, &image->code, aot->diags))
			*status = JIT_RUN;
	}
	if (*status != JIT_OK)
		return false;
	image->array = array_of(aot, image->code);
	aot->image_count++;
	aot->most_maps = MAX(aot->most_maps, (uint32_t)gpu->map_count);
	aot->most_params = MAX(aot->most_params, (uint32_t)strlen(gpu->args));
	aot->persistent |= jit_gpu_program_counts(gpu) != 0;
	aot->special |= gpu->scratch || gpu->cluster > 1 || v->options.cooperative || v->options.dependent;
	return true;
}

/* A kernel of products may have other code for launches of many programs
 * (jit/launch/programs.c). */
static bool fill_many(Aot *aot, const AotFunction *f, AotCase *c, AotImage *image, JitStatus *status)
{
	AotImage many = {0};
	if (image->ptx)
		return true;
	*status = jit_make_counterpart(image->variant, &many.variant, aot->diags);
	if (!many.variant)
		return *status == JIT_OK;
	bool good = fill_image(aot, f, &many, status);
	vec_push(aot->arena, &c->many, many);
	image->many = c->many.len;
	aot->many_count++;
	return good;
}

/* The newest target whose PTX later GPUs can load; NULL: there is none, or PTX was compiled for. */
static const JitVariant *newest(const AotCase *c)
{
	const JitVariant *best = NULL;
	for (uint32_t i = 0; i < c->images.len; i++) {
		const JitVariant *v = c->images.data[i].variant;
		if (c->images.data[i].ptx)
			return NULL;
		if (!v->options.gpu->suffix &&
		    (!best || v->options.gpu->capability > best->options.gpu->capability))
			best = v;
	}
	return best;
}

static bool fill_case(Aot *aot, const AotFunction *f, AotCase *c, JitStatus *status)
{
	const JitVariant *last = aot->options->no_ptx ? NULL : newest(c);
	if (last)
		vec_push(aot->arena, &c->images, (AotImage){.variant = last, .ptx = true});
	for (uint32_t i = 0; i < c->images.len; i++) {
		AotImage *image = &c->images.data[i];
		if (!fill_image(aot, f, image, status) || !fill_many(aot, f, c, image, status))
			return false;
		if (!image->variant->gpu->map_count)
			continue;
		AotImage plain = {.ptx = image->ptx};
		plain.variant = jit_without_maps(image->variant, JIT_STRICT_OFF, status, aot->diags);
		bool good = plain.variant && fill_image(aot, f, &plain, status);
		vec_push(aot->arena, &c->plain, plain);
		if (!good)
			return false;
	}
	return true;
}

/* Numbers what comes behind the cases and their images. */
static void number_many(Aot *aot)
{
	uint32_t next = aot->image_count - aot->many_count;
	aot->slot_count = aot->case_count;
	for (uint32_t i = 0; i < aot->functions.len; i++)
		for (uint32_t k = 0; k < aot->functions.data[i].cases.len; k++) {
			AotCase *c = &aot->functions.data[i].cases.data[k];
			c->many_slot = aot->slot_count;
			c->first_many = next;
			aot->slot_count += c->many.len != 0;
			next += c->many.len;
		}
}

bool aot_images(Aot *aot, JitStatus *status)
{
	*status = JIT_OK;
	for (uint32_t i = 0; i < aot->functions.len; i++)
		for (uint32_t k = 0; k < aot->functions.data[i].cases.len; k++)
			if (!fill_case(aot, &aot->functions.data[i], &aot->functions.data[i].cases.data[k],
				       status))
				return false;
	aot->first_plain = aot->case_count;
	for (uint32_t i = 0; i < aot->functions.len; i++)
		for (uint32_t k = 0; k < aot->functions.data[i].cases.len; k++)
			if (aot->functions.data[i].cases.data[k].plain.len)
				aot->functions.data[i].cases.data[k].plain_number = aot->case_count++;
	number_many(aot);
	return true;
}

static void let_all_go(const AotImages *images)
{
	for (uint32_t i = 0; i < images->len; i++)
		jit_let_go(images->data[i].variant);
}

void aot_let_go(const Aot *aot)
{
	for (uint32_t i = 0; i < aot->functions.len; i++)
		for (uint32_t k = 0; k < aot->functions.data[i].cases.len; k++) {
			let_all_go(&aot->functions.data[i].cases.data[k].plain);
			let_all_go(&aot->functions.data[i].cases.data[k].many);
		}
}
