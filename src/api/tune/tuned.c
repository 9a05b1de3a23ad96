/* The file of choices, as callers see it. */
#include "api/tune/tune.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/os.h"
#include "tune/results.h"

struct neso_tuned {
	Arena arena; /* holds this struct */
	TuneResults results;
};

TuneResults *api_tuned_results(neso_tuned *tuned)
{
	return &tuned->results;
}

typedef struct TunedArgs {
	neso_tuned *tuned, **out;
	const char *path;
	const neso_tuned_entry *given;
} TunedArgs;

static neso_tuned *tuned_new(void)
{
	Arena arena;
	arena_init(&arena, 0);
	neso_tuned *tuned = ARENA_NEW(&arena, neso_tuned);
	tuned->arena = arena;
	tune_results_init(&tuned->results, &tuned->arena);
	return tuned;
}

static neso_status make(ApiCall *call, void *data)
{
	const TunedArgs *args = data;
	if (!args->out)
		return api_usage(call, "neso_tuned_new wants a place for what it makes");
	*args->out = tuned_new();
	return NESO_OK;
}

neso_status neso_tuned_new(neso_tuned **tuned, neso_diagnostics **diagnostics)
{
	TunedArgs args = {.out = tuned};
	if (tuned)
		*tuned = NULL;
	return api_run(NULL, diagnostics, make, &args);
}

static neso_status failed(ApiCall *call, const char *why)
{
	diag_add_at(&call->diags, NULL, (LineCol){0, 0}, DIAG_TUNED_FILE, why);
	return NESO_ERROR_SOURCE;
}

/* missing: a file that is not there is an empty one. */
static neso_status read_file(ApiCall *call, TuneResults *results, const char *path, bool missing)
{
	Str text;
	const char *why;
	uint32_t line;
	if (missing && access(path, F_OK) != 0 && errno == ENOENT)
		return NESO_OK;
	if (!os_read_file(&call->arena, path, &text, &why))
		return failed(call, arena_printf(&call->arena, "%s: %s", path, why));
	if (tune_results_read(results, text, &why, &line))
		return NESO_OK;
	diag_add_at(&call->diags, NULL, (LineCol){0, 0}, DIAG_TUNED_TEXT,
		    arena_strdup(&call->arena, path), line, arena_strdup(&call->arena, why));
	return NESO_ERROR_SOURCE;
}

static neso_status read_tuned(ApiCall *call, void *data)
{
	const TunedArgs *args = data;
	if (!args->tuned || !args->path)
		return api_usage(call, "neso_tuned_read wants a neso_tuned and a path");
	return read_file(call, &args->tuned->results, args->path, false);
}

neso_status neso_tuned_read(neso_tuned *tuned, const char *path, neso_diagnostics **diagnostics)
{
	TunedArgs args = {.tuned = tuned, .path = path};
	return api_run(NULL, diagnostics, read_tuned, &args);
}

static neso_status write_file(ApiCall *call, const TuneResults *results, const char *path)
{
	Text text;
	const char *why;
	text_init(&text, &call->arena);
	tune_results_write(results, &text);
	const Str bytes = {text.data, text.len};
	if (strcmp(path, "-") == 0)
		return os_write_all(STDOUT_FILENO, bytes) ? NESO_OK : failed(call, strerror(errno));
	if (os_write_file(&call->arena, path, bytes, &why))
		return NESO_OK;
	return failed(call, arena_printf(&call->arena, "%s: %s", path, why));
}

static neso_status write_tuned(ApiCall *call, void *data)
{
	const TunedArgs *args = data;
	if (!args->tuned || !args->path)
		return api_usage(call, "neso_tuned_write wants a neso_tuned and a path");
	return write_file(call, &args->tuned->results, args->path);
}

neso_status neso_tuned_write(const neso_tuned *tuned, const char *path,
			     neso_diagnostics **diagnostics)
{
	TunedArgs args = {.tuned = (neso_tuned *)(uintptr_t)tuned, .path = path};
	return api_run(NULL, diagnostics, write_tuned, &args);
}

/* ---- entries ---- */

static bool read_entry(ApiCall *call, const neso_tuned_entry *given, TuneEntry *out)
{
	neso_tuned_entry e;
	if (!given || !api_read_struct(call, &e, sizeof e, given, "neso_tuned_entry"))
		return false;
	*out = (TuneEntry){{e.kernel, e.content, e.gpu, e.driver, e.key},
			   e.config,
			   e.seconds,
			   e.noise,
			   e.tried};
	if (e.kernel && e.content && e.gpu && e.driver && e.key && e.config)
		return true;
	api_usage(call,
		  "an entry of tuning results wants kernel, content, gpu, driver, key and config");
	return false;
}

static neso_status put(ApiCall *call, void *data)
{
	const TunedArgs *args = data;
	TuneEntry entry;
	if (!args->tuned || !read_entry(call, args->given, &entry))
		return args->tuned ? NESO_ERROR_USAGE
				   : api_usage(call, "neso_tuned_put wants a neso_tuned");
	tune_results_put(&args->tuned->results, &entry);
	return NESO_OK;
}

neso_status neso_tuned_put(neso_tuned *tuned, const neso_tuned_entry *entry,
			   neso_diagnostics **diagnostics)
{
	TunedArgs args = {.tuned = tuned, .given = entry};
	return api_run(NULL, diagnostics, put, &args);
}

/* The folder is locked: the file itself is replaced by each who writes it. -1: it cannot be. */
static int lock_folder(ApiCall *call, const char *path)
{
	int fd = open(os_path_dir(&call->arena, path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		while (flock(fd, LOCK_EX) != 0 && errno == EINTR)
			;
	return fd;
}

static neso_status record_locked(ApiCall *call, const TunedArgs *args, const TuneEntry *entry)
{
	TuneResults results;
	tune_results_init(&results, &call->arena);
	neso_status status = read_file(call, &results, args->path, true);
	if (status != NESO_OK)
		return status;
	tune_results_put(&results, entry);
	return write_file(call, &results, args->path);
}

static neso_status record(ApiCall *call, void *data)
{
	const TunedArgs *args = data;
	TuneEntry entry;
	if (!args->path)
		return api_usage(call, "neso_tuned_record wants a path");
	if (!read_entry(call, args->given, &entry))
		return NESO_ERROR_USAGE;
	int lock = lock_folder(call, args->path);
	neso_status status = NESO_ERROR_INTERNAL;
	Fault fault;
	if (FAULT_TRY(&fault)) {
		status = record_locked(call, args, &entry);
		fault_leave(&fault);
	}
	if (lock >= 0)
		close(lock);
	if (fault.kind != FAULT_NONE)
		fault_raise(fault.kind, "%s", fault.text);
	return status;
}

neso_status neso_tuned_record(const char *path, const neso_tuned_entry *entry,
			      neso_diagnostics **diagnostics)
{
	TunedArgs args = {.path = path, .given = entry};
	return api_run(NULL, diagnostics, record, &args);
}

size_t neso_tuned_count(const neso_tuned *tuned)
{
	return tuned ? tuned->results.count : 0;
}

static bool give(const TuneEntry *e, neso_tuned_entry *to)
{
	const neso_tuned_entry out = {sizeof out,    e->key.kernel, e->key.content, e->key.gpu,
				      e->key.driver, e->key.key,    e->config,	    e->seconds,
				      e->noise,	     e->tried};
	return api_write_struct(to, &out, sizeof out);
}

neso_status neso_tuned_get(const neso_tuned *tuned, size_t index, neso_tuned_entry *entry)
{
	bool there = tuned && entry && index < tuned->results.count;
	return there && give(&tuned->results.at[index], entry) ? NESO_OK : NESO_ERROR_USAGE;
}

bool neso_tuned_find(const neso_tuned *tuned, neso_tuned_entry *entry, bool any_driver)
{
	if (!tuned || !entry || !entry->kernel || !entry->content || !entry->gpu ||
	    !entry->driver || !entry->key)
		return false;
	const TuneKey key = {entry->kernel, entry->content, entry->gpu, entry->driver, entry->key};
	const TuneEntry *found = tune_results_find(&tuned->results, &key, any_driver);
	return found && give(found, entry);
}

void neso_tuned_free(neso_tuned *tuned)
{
	if (!tuned)
		return;
	Arena arena = tuned->arena;
	arena_free(&arena);
}

/* ---- what a key is made of ---- */

typedef struct WhatArgs {
	neso_kernel *kernel;
	neso_context *context;
	bool on_cpu;
	char **first, **second;
} WhatArgs;

static neso_status content(ApiCall *call, void *data)
{
	const WhatArgs *args = data;
	if (!args->kernel || !args->first)
		return api_usage(call, "neso_tune_content wants a kernel and a place for the text");
	const char *digest = jit_kernel_content(args->kernel->jit, &call->arena);
	if (!digest)
		return failed(
			call,
			"the kernel's sources do not compile, so that there is no hash of them");
	*args->first = api_bytes(digest, strlen(digest));
	return NESO_OK;
}

neso_status neso_tune_content(neso_kernel *kernel, char **out, neso_diagnostics **diagnostics)
{
	WhatArgs args = {.kernel = kernel, .first = out};
	if (out)
		*out = NULL;
	return api_run(kernel ? kernel->module->context : NULL, diagnostics, content, &args);
}

static neso_status machine(ApiCall *call, void *data)
{
	const WhatArgs *args = data;
	if (!args->context || !args->first || !args->second)
		return api_usage(call,
				 "neso_tune_machine wants a context and places for the texts");
	NvDriver *driver = args->context->host.driver;
	const char *gpu = "cpu", *version = "none";
	DiagList none;
	diag_init(&none, &call->arena, NULL);
	if (!args->on_cpu && nv_driver_start(driver, &none)) {
		const NvDevice *device = nv_context(driver, &call->diags)
						 ? nv_context_device(driver, &call->diags)
						 : NULL;
		if (!device)
			return NESO_ERROR_RUN;
		const char *text = nv_driver_text(driver), *number = strchr(text, ' ');
		gpu = arena_printf(&call->arena, "%s %s", device->name,
				   device->target ? device->target->name : "unknown");
		version = number ? number + 1 : text;
	}
	*args->first = api_bytes(gpu, strlen(gpu));
	*args->second = api_bytes(version, strlen(version));
	return NESO_OK;
}

neso_status neso_tune_machine(neso_context *context, bool on_cpu, char **gpu, char **driver,
			      neso_diagnostics **diagnostics)
{
	WhatArgs args = {.context = context, .on_cpu = on_cpu, .first = gpu, .second = driver};
	if (gpu)
		*gpu = NULL;
	if (driver)
		*driver = NULL;
	return api_run(context, diagnostics, machine, &args);
}
