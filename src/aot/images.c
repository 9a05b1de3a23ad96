/* The code of each case: cubins, PTX for GPUs that come later, and what runs where no tensor map
 * can be made. */
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
	aot->persistent |= jit_gpu_is_persistent(gpu);
	aot->special |= gpu->scratch || gpu->cluster > 1 || v->options.cooperative || v->options.dependent;
	return true;
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
		if (!fill_image(aot, f, image, status))
			return false;
		if (!image->variant->gpu->map_count)
			continue;
		AotImage plain = {.ptx = image->ptx};
		plain.variant = jit_without_maps(image->variant, JIT_STRICT_OFF, status, aot->diags);
		if (!plain.variant || !fill_image(aot, f, &plain, status))
			return false;
		vec_push(aot->arena, &c->plain, plain);
	}
	return true;
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
	return true;
}
