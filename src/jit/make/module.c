/* Modules: one file, parsed once, with its kernels. */
#include "jit/inner.h"

#include "base/fault.h"
#include "base/os.h"

/* ---- imports that are not beside the file ---- */

/* FrontHost.find_module: search paths, each with "a/b.py" and "a/b/__init__.py". */
static bool find_module(void *data, const char *importer, const char *name, const char **path, Str *text)
{
	(void)importer;
	JitModule *module = data;
	Arena *arena = &module->arena;
	char *relative = arena_strdup(arena, name);
	for (char *p = relative; *p; p++)
		if (*p == '.')
			*p = '/';
	for (uint32_t i = 0; i < module->host->search_path_count; i++) {
		const char *base = os_path_join(arena, module->host->search_paths[i], relative);
		const char *candidates[] = {arena_printf(arena, "%s.py", base),
					    arena_printf(arena, "%s/__init__.py", base)};
		for (size_t c = 0; c < ARRAY_LEN(candidates); c++) {
			const char *error;
			if (os_is_file(candidates[c]) && os_read_file(arena, candidates[c], text, &error)) {
				*path = candidates[c];
				return true;
			}
		}
	}
	return false;
}

static bool find_name(void *data, const char *path, const char *function, const char *name, FrontHostValue *value)
{
	JitModule *module = data;
	const JitHost *host = module->host;
	return host->find_name && host->find_name(host->data, &module->arena, path, function, name, value);
}

static void print(void *data, const char *text, size_t len)
{
	const JitHost *host = ((const JitModule *)data)->host;
	if (host->print)
		host->print(host->data, text, len);
}

/* ---- life ---- */

static JitModule *module_new(const JitHost *host, const char *path)
{
	Arena arena;
	arena_init(&arena, host->compile_memory);
	JitModule *module = ARENA_NEW(&arena, JitModule);
	module->arena = arena;
	module->host = host;
	module->path = path;
	pthread_mutex_init(&module->front_lock, NULL);
	pthread_mutex_init(&module->table_lock, NULL);
	pthread_cond_init(&module->table_changed, NULL);
	return module;
}

/* A dot that only another file has is seen once it is compiled. */
static bool has_products(const JitModule *module)
{
	const SourceSet *sources = &module->sources;
	return sources->files.len && strstr(sources->files.data[0]->text, "dot");
}

static bool load(JitModule *module, const Str *text, DiagList *diags)
{
	Arena *arena = &module->arena;
	module->path = arena_strdup(arena, module->path);
	FrontHost *host = ARENA_NEW(arena, FrontHost);
	*host = (FrontHost){.data = module, .find_module = find_module, .find_name = find_name, .print = print};
	module->session = front_session_new(arena, host);
	diags->sources = front_sources(module->session);
	Str copy;
	if (text)
		copy = (Str){arena_strndup(arena, text->ptr, text->len), text->len};
	module->front = front_load(module->session, module->path, text ? &copy : NULL, diags);
	if (!module->front)
		return false;
	module->kernel_count = front_function_count(module->front);
	module->kernels = ARENA_ARRAY(arena, JitKernel, module->kernel_count + 1);
	for (uint32_t i = 0; i < module->kernel_count; i++) {
		FrontFunction *function = front_function(module->front, i);
		module->kernels[i] = (JitKernel){.module = module, .function = function, .info = front_info(function)};
		if (!jit_control_source(&module->kernels[i], diags))
			return false;
	}
	jit_copy_sources(arena, front_sources(module->session), &module->sources);
	module->has_products = has_products(module);
	return true;
}

JitModule *jit_module_make(const JitHost *host, const char *path, const Str *text,
			   bool (*fill)(JitModule *module, const Str *text, DiagList *diags), DiagList *diags)
{
	JitModule *volatile module = module_new(host, path);
	volatile bool good = false;
	Fault fault;
	if (FAULT_TRY(&fault)) {
		good = fill(module, text, diags);
		fault_leave(&fault);
	}
	if (good) {
		diags->sources = NULL; /* the diagnostics carry their lines; others may add files from now on */
		return module;
	}
	diags->sources = NULL;
	jit_module_free(module);
	if (fault.kind != FAULT_NONE)
		fault_raise(fault.kind, "%s", fault.text);
	return NULL;
}

JitModule *jit_module_load(const JitHost *host, const char *path, const Str *text, DiagList *diags)
{
	return jit_module_make(host, path, text, load, diags);
}

void jit_module_free(JitModule *module)
{
	if (!module)
		return;
	jit_records_leave(module);
	for (uint32_t i = 0; i < module->kernel_count && module->kernels; i++)
		for (JitVariant *v = module->kernels[i].variants, *next; v; v = next) {
			next = v->next;
			jit_variant_free(v);
		}
	for (uint32_t i = 0; i < module->kernel_count && module->kernels; i++) {
		jit_find_free(&module->kernels[i]);
		jit_calls_free(&module->kernels[i]);
		jit_demotions_free(&module->kernels[i]);
	}
	pthread_cond_destroy(&module->table_changed);
	pthread_mutex_destroy(&module->table_lock);
	pthread_mutex_destroy(&module->front_lock);
	Arena arena = module->arena;
	arena_free(&arena);
}

/* ---- looking things up ---- */

const char *jit_module_path(const JitModule *module)
{
	return module->path;
}

uint32_t jit_module_kernels(const JitModule *module)
{
	return module->kernel_count;
}

JitKernel *jit_module_kernel(const JitModule *module, uint32_t i)
{
	CONTRACT(i < jit_module_kernels(module));
	return i < module->kernel_count ? &module->kernels[i] : NULL;
}

const FrontInfo *jit_kernel_info(const JitKernel *kernel)
{
	return kernel->info;
}

uint32_t jit_kernel_variants(const JitKernel *kernel)
{
	pthread_mutex_lock(&kernel->module->table_lock);
	uint32_t count = kernel->variant_count;
	pthread_mutex_unlock(&kernel->module->table_lock);
	return count;
}

uint64_t jit_kernel_missed(const JitKernel *kernel)
{
	return kernel->missed;
}

void jit_kernel_set_tag(JitKernel *kernel, void *tag)
{
	kernel->tag = tag;
}

void jit_kernel_set_strict(JitKernel *kernel, JitStrict strict)
{
	kernel->no_compile = strict;
}

void *jit_kernel_tag(const JitKernel *kernel)
{
	return kernel->tag;
}

/* Where the file says `def name` or `class name`: for the message about something that is no kernel. */
static LineCol plain_definition(const JitModule *module, const char *name)
{
	for (uint32_t i = 0; i < module->sources.files.len; i++) {
		const Source *source = module->sources.files.data[i];
		if (strcmp(source->path, module->path) != 0)
			continue;
		for (uint32_t line = source->first_line; line < source->first_line + source->line_count; line++) {
			Str text = source_line(source, line);
			size_t at = 0, len = strlen(name);
			while (at < text.len && (text.ptr[at] == ' ' || text.ptr[at] == '\t'))
				at++;
			if (text.len < at + 4 + len || memcmp(text.ptr + at, "def ", 4) != 0 ||
			    memcmp(text.ptr + at + 4, name, len) != 0)
				continue;
			char after = at + 4 + len < text.len ? text.ptr[at + 4 + len] : 0;
			if (after == '(' || after == ' ')
				return (LineCol){line, (uint32_t)at + 5};
		}
	}
	return (LineCol){0, 0};
}

JitKernel *jit_module_find(JitModule *module, const char *name, DiagList *diags)
{
	for (uint32_t i = 0; i < module->kernel_count; i++)
		if (strcmp(module->kernels[i].info->qualified_name, name) == 0)
			return &module->kernels[i];
	diags->sources = &module->sources;
	LineCol at = plain_definition(module, name);
	if (at.line) {
		diag_add_at(diags, module->path, at, DIAG_KERNEL_NOT_JIT, name);
		return NULL;
	}
	const char **names = ARENA_ARRAY(diags->arena, const char *, module->kernel_count + 1);
	for (uint32_t i = 0; i < module->kernel_count; i++)
		names[i] = module->kernels[i].info->qualified_name;
	diag_add_at(diags, module->path, (LineCol){0, 0}, DIAG_KERNEL_UNKNOWN, name, module->path,
		    jit_nearest(diags->arena, name, names, module->kernel_count));
	return NULL;
}
