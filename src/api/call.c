/* What surrounds every entry point: faults, diagnostics, structs of other versions. */
#include "api/inner.h"

#include <stdio.h>

#include "base/diag/diag.h"

/* ---- the call ---- */

static neso_status run_guarded(ApiCall *call, ApiFn *fn, void *data)
{
	Fault fault;
	volatile neso_status status = NESO_ERROR_INTERNAL;
	if (FAULT_TRY(&fault)) {
		status = fn(call, data);
		fault_leave(&fault);
		return status;
	}
	FaultKind kind = fault.kind;
	char text[sizeof fault.text];
	memcpy(text, fault.text, sizeof text);
	status = kind == FAULT_BUG ? NESO_ERROR_INTERNAL : NESO_ERROR_MEMORY;
	call->diags.sources = NULL;
	/* Saying so takes memory too. */
	if (FAULT_TRY(&fault)) {
		diag_add_at(&call->diags, NULL, (LineCol){0, 0}, kind == FAULT_BUG ? DIAG_INTERNAL : DIAG_OUT_OF_MEMORY,
			    text);
		fault_leave(&fault);
	}
	return status;
}

static neso_diagnostics *make_diagnostics(ApiCall *call)
{
	neso_diagnostics *volatile made = NULL;
	Fault fault;
	if (FAULT_TRY(&fault)) {
		made = api_diagnostics_new(call);
		fault_leave(&fault);
	}
	return made;
}

/* Memory that ran out, and bugs, are sometimes diagnosed where they are met; the status says so too. */
static neso_status status_of(const ApiCall *call, neso_status status)
{
	for (const Diag *d = call->diags.first; d && status != NESO_OK; d = d->next)
		if (d->code == DIAG_OUT_OF_MEMORY || d->code == DIAG_INTERNAL)
			return d->code == DIAG_INTERNAL ? NESO_ERROR_INTERNAL : NESO_ERROR_MEMORY;
	return status;
}

neso_status api_run(neso_context *context, neso_diagnostics **out, ApiFn *fn, void *data)
{
	ApiCall call;
	arena_init(&call.arena, 0);
	diag_init(&call.diags, &call.arena, NULL);
	neso_status status = status_of(&call, run_guarded(&call, fn, data));
	neso_diagnostics *diagnostics = call.diags.first ? make_diagnostics(&call) : NULL;
	if (out)
		*out = diagnostics;
	if (!diagnostics) {
		arena_free(&call.arena);
	} else if (!out) {
		if (context && status == NESO_OK)
			api_log(context, NESO_LOG_WARNING, neso_diagnostics_text(diagnostics));
		neso_diagnostics_free(diagnostics);
	}
	return status;
}

neso_status api_usage(ApiCall *call, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	const char *text = arena_vprintf(&call->arena, format, args);
	va_end(args);
	diag_add_at(&call->diags, NULL, (LineCol){0, 0}, DIAG_USAGE, text);
	return NESO_ERROR_USAGE;
}

neso_status api_status(JitStatus status)
{
	static const neso_status of[] = {
		[JIT_OK] = NESO_OK,
		[JIT_SOURCE] = NESO_ERROR_SOURCE,
		[JIT_ARGUMENT] = NESO_ERROR_ARGUMENT,
		[JIT_RUN] = NESO_ERROR_RUN,
		[JIT_REFUSED] = NESO_ERROR_REFUSED,
		[JIT_STOPPED] = NESO_ERROR_STOPPED,
		[JIT_MISS] = NESO_ERROR_MISS,
	};
	return of[status];
}

const char *neso_status_text(neso_status status)
{
	static const char *const text[] = {
		[NESO_OK] = "ok",
		[NESO_ERROR_USAGE] = "wrong use of the library",
		[NESO_ERROR_SOURCE] = "the source or a file is at fault",
		[NESO_ERROR_ARGUMENT] = "an argument does not fit the kernel",
		[NESO_ERROR_RUN] = "the launch failed",
		[NESO_ERROR_REFUSED] = "refused by the host",
		[NESO_ERROR_MEMORY] = "out of memory",
		[NESO_ERROR_INTERNAL] = "internal error",
		[NESO_ERROR_STOPPED] = "stopped",
		[NESO_ERROR_MISS] = "a launch would compile, which strict mode forbids",
	};
	return (unsigned)status < ARRAY_LEN(text) ? text[status] : "unknown status";
}

/* ---- structs of other versions ---- */

bool api_read_struct(ApiCall *call, void *to, size_t size, const void *from, const char *what)
{
	memset(to, 0, size);
	if (!from)
		return true;
	size_t given;
	memcpy(&given, from, sizeof given);
	if (given < sizeof given || given > 1 << 16 || given % _Alignof(size_t)) {
		api_usage(call, "%s.size is %zu: set it to sizeof(%s)", what, given, what);
		return false;
	}
	/* A newer caller may use this library as long as it wants nothing that is not here. */
	for (size_t i = size; i < given; i++)
		if (((const unsigned char *)from)[i]) {
			api_usage(call, "%s has fields that this version of the library does not know", what);
			return false;
		}
	memcpy(to, from, MIN(size, given));
	return true;
}

bool api_write_struct(void *to, const void *from, size_t size)
{
	size_t given;
	memcpy(&given, to, sizeof given);
	if (given < sizeof given || given > 1 << 16 || given % _Alignof(size_t))
		return false;
	memset((char *)to + sizeof given, 0, given - sizeof given);
	memcpy((char *)to + sizeof given, (const char *)from + sizeof given, MIN(size, given) - sizeof given);
	return true;
}
