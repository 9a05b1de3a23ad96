/* Facts that are found out when they are asked for: the build, the passes and the code generator, ptxas, the driver and its
 * GPUs. What a fact came to stays; two threads that ask at the same time find out twice, and one answer is kept. */
#include "api/inner.h"

#include <stdlib.h>

#include "base/build.h"
#include "base/os.h"
#include "jit/codegen_load.h"

typedef const char *FactFn(const neso_context *context, DiagList *diags);

static const char *none_because(const DiagList *diags)
{
	return arena_printf(diags->arena, "none: %s", diags->first ? diags->first->text : "not found");
}

static const char *version_fact(const neso_context *context, DiagList *diags)
{
	(void)context;
	(void)diags;
	return NESO_VERSION;
}

static const char *build_fact(const neso_context *context, DiagList *diags)
{
	(void)context;
	(void)diags;
	return base_source_hash;
}

static const char *abi_fact(const neso_context *context, DiagList *diags)
{
	(void)context;
	return arena_printf(diags->arena, "%d", NESO_ABI);
}

static const char *targets_fact(const neso_context *context, DiagList *diags)
{
	(void)context;
	return arena_printf(diags->arena, "interp %s", target_names(diags->arena, " "));
}

static const char *simd_fact(const neso_context *context, DiagList *diags)
{
	(void)context;
	(void)diags;
	return interp_simd();
}

static const char *threads_fact(const neso_context *context, DiagList *diags)
{
	const unsigned threads = context->host.threads;
	return arena_printf(diags->arena, "%u", threads ? threads : os_cpu_count());
}

static const char *stages_fact(const neso_context *context, DiagList *diags)
{
	(void)context;
	(void)diags;
	return "source ttir-raw ttir ttgir llir ptx cubin sass";
}

static const char *dtypes_fact(const neso_context *context, DiagList *diags)
{
	(void)context;
	Text text;
	text_init(&text, diags->arena);
	for (int d = NESO_INT1; d <= NESO_FP64; d++)
		text_printf(&text, d == NESO_INT1 ? "%s" : " %s", neso_dtype_name((neso_dtype)d));
	return text.data;
}

/* Those of the code generator among them. */
static const char *passes_fact(const neso_context *context, DiagList *diags)
{
	(void)context;
	Text text;
	text_init(&text, diags->arena);
	text_str(&text, "");
	for (size_t i = 0; neso_ir_pass_name(i); i++)
		text_printf(&text, i ? " %s" : "%s", neso_ir_pass_name(i));
	return text.data;
}

static const char *codegen_fact(const neso_context *context, DiagList *diags)
{
	(void)context;
	const CodegenTable *table = codegen_load(diags);
	char llvm[32];
	if (!table)
		return none_because(diags);
	table->llvm_version(llvm);
	return arena_printf(diags->arena, "%s with LLVM %s", table->version, llvm);
}

static const char *ptxas_fact(const neso_context *context, DiagList *diags)
{
	const char *text = jit_assembler_text(&context->host, diags);
	return text ? text : none_because(diags);
}

static const char *driver_fact(const neso_context *context, DiagList *diags)
{
	NvDriver *driver = context->host.driver;
	if (!nv_driver_start(driver, diags))
		return none_because(diags);
	const char *text = nv_driver_text(driver);
	const char *number = strchr(text, ' '); /* "driver 13.0 (580.95.05)" */
	return arena_printf(diags->arena, "%s at %s", number ? number + 1 : text, nv_driver_path(driver));
}

static const char *gpus_fact(const neso_context *context, DiagList *diags)
{
	NvDriver *driver = context->host.driver;
	Text text;
	text_init(&text, diags->arena);
	text_str(&text, "");
	unsigned count = nv_driver_start(driver, diags) ? nv_device_count(driver) : 0;
	for (unsigned i = 0; i < count; i++) {
		const NvDevice *d = nv_device(driver, i);
		text_printf(&text, "%s%s (%s, %u SMs, %.0f GiB)", i ? ", " : "", d->name,
			    d->target ? d->target->name : "too old", d->sms, (double)d->memory / (1 << 30));
	}
	return count ? text.data : "none";
}

static const struct {
	const char *name;
	FactFn *find;
} facts[API_FACTS] = {
	{"version", version_fact},
	{"build", build_fact},
	{"abi", abi_fact},
	{"targets", targets_fact},
	{"simd", simd_fact},
	{"threads", threads_fact},
	{"stages", stages_fact},
	{"dtypes", dtypes_fact},
	{"passes", passes_fact},
	{"codegen", codegen_fact},
	{"ptxas", ptxas_fact},
	{"driver", driver_fact},
	{"gpus", gpus_fact},
};

const char *api_fact_name(size_t index)
{
	return index < API_FACTS ? facts[index].name : NULL;
}

typedef struct FactCall {
	neso_context *context;
	size_t index;
	const char *found;
} FactCall;

static neso_status find_fact(ApiCall *call, void *data)
{
	FactCall *f = data;
	const char *text = facts[f->index].find(f->context, &call->diags);
	size_t len = strlen(text) + 1;
	char *copy = malloc(len), *before = NULL;
	call->diags.first = NULL; /* what is missing is the answer, and no error */
	if (!copy)
		return NESO_ERROR_MEMORY;
	memcpy(copy, text, len);
	if (!atomic_compare_exchange_strong(&f->context->facts[f->index], &before, copy))
		free(copy);
	f->found = before ? before : copy;
	return NESO_OK;
}

const char *api_fact(const neso_context *context, const char *name)
{
	for (size_t i = 0; i < API_FACTS; i++) {
		if (strcmp(facts[i].name, name) != 0)
			continue;
		/* The caller's context is ours to note things in. */
		FactCall f = {(neso_context *)(uintptr_t)context, i, atomic_load(&context->facts[i])};
		if (!f.found)
			api_run(NULL, NULL, find_fact, &f);
		return f.found ? f.found : "";
	}
	return NULL;
}

void api_facts_free(neso_context *context)
{
	for (size_t i = 0; i < API_FACTS; i++)
		free(context->facts[i]);
}
