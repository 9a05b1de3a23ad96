/* Inside the API: handles, and what every entry point does at its beginning and end. */
#ifndef NESO_API_INNER_H
#define NESO_API_INNER_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/fault.h"
#include "jit/jit.h"
#include "neso/neso.h"

enum { API_FACTS = 13 }; /* that are found out when they are asked for (machine.c) */

struct neso_context {
	Arena arena; /* holds this struct; fixed once the context is made */
	JitHost host;
	neso_context_options options;
	neso_keeper keeper;
	atomic_uint users; /* the caller, and each module */
	pthread_mutex_t log_lock;
	pthread_mutex_t pool_lock;
	InterpPool *pool; /* started by the first launch that can use it */
	const char *trace;       /* a file (explain/trace.c); NULL: none */
	bool counts_launches;
	pthread_mutex_t modules_lock; /* of the next two */
	neso_module *modules;         /* all that are loaded, newest first */
	pthread_mutex_t record_lock;  /* of the next */
	char *_Atomic record;         /* a file (declare/record.c), malloc; NULL: none */
	struct ApiServer *server;     /* explain/serve.c; NULL: none */
	struct ApiBackground *_Atomic background; /* background.c; NULL: nothing was asked yet */
	_Atomic(char *) facts[API_FACTS]; /* malloc; NULL: not asked for yet */
};

/* explain/trace.c. Makes the file, or looks at the one that is there: its absolute path, or NULL
 * after a warning. */
const char *api_trace_begin(Arena *arena, const char *path, DiagList *diags);
void api_trace(const char *path, const JitEvent *event);

enum { API_PARAM_CONSTEXPR = 1, API_PARAM_TYPED = 2 /* by its annotation */, API_PARAM_DIV8 = 4,
       API_PARAM_DIV8_INT = 8 /* of integers */ };

struct neso_kernel {
	neso_module *module;
	JitKernel *jit;
	uint32_t param_count;
	uint8_t *params; /* API_PARAM_... of each: what a launch asks of them, close together */
	_Atomic(const JitDispatch *) last; /* that a launch on a GPU found by its key, or NULL */
	JitPolicy policy; /* of options that name none */
	struct ApiTier *_Atomic tier; /* tier.c; NULL: no launch asked */
	_Atomic(const JitDispatch *) settled; /* of the last value that has a variant of its own */
};

/* API_PARAM_... of each parameter (module.c). */
void api_param_flags(const JitKernel *kernel, uint8_t *flags);

struct neso_module {
	Arena arena; /* holds this struct and the kernels */
	neso_context *context;
	neso_module *next; /* of the context's; under its modules_lock */
	JitModule *jit;
	neso_kernel *kernels;
	size_t kernel_count;
};

/* ---- declare/declare.c ---- */

struct ApiCall;
struct JitDeclaration;
/* Where a declaration says that its kernel's file is. */
const char *api_declared_path(Arena *arena, const struct JitDeclaration *declaration);
/* Obeys a control line. */
neso_status api_control(struct ApiCall *call, neso_kernel *kernel, const struct JitDeclaration *line);

/* ---- declare/record.c ---- */

/* file: NULL or "" for none. A file that cannot be had is a warning. */
void api_record_begin(neso_context *context, const char *file, DiagList *diags);
void api_record_launch(void *context, const JitVariant *variant); /* JitHost.launched */
void api_record_end(neso_context *context);

/* ---- explain/explain.c, explain/serve.c ---- */

/* "text", "json", "prometheus"; false: no such format. */
bool api_explain(neso_context *context, const char *format, Text *out);
/* Listens at a socket, in a thread of its own; NULL or "" for none. What keeps it from that is a
 * warning. */
void api_explain_begin(neso_context *context, const char *socket, DiagList *diags);
void api_explain_end(neso_context *context);

/* ---- calls ---- */

/* One call of an entry point. Its arena lives until the end of the call, or, when something was diagnosed and the
 * caller wants to know, as long as the neso_diagnostics made of it. */
typedef struct ApiCall {
	Arena arena;
	DiagList diags;
} ApiCall;

typedef neso_status ApiFn(ApiCall *call, void *data);

/* Runs fn where faults land, turns them into diagnostics, and gives these to the caller: in *out when out is not
 * NULL; otherwise warnings go to the context's log (context may be NULL). */
neso_status api_run(neso_context *context, neso_diagnostics **out, ApiFn *fn, void *data);
/* Diagnoses wrong use. */
neso_status api_usage(ApiCall *call, const char *format, ...) PRINTF_LIKE(2, 3);
/* Copies a struct whose first field is its size, of this or another version; false after api_usage. */
bool api_read_struct(ApiCall *call, void *to, size_t size, const void *from, const char *what);
/* Writes the part of a struct that a caller with to->size knows; false when the size is none. */
bool api_write_struct(void *to, const void *from, size_t size);
neso_status api_status(JitStatus status);
/* malloc, with a NUL behind it: what the caller frees with neso_text_free. Raises when there is no memory. */
char *api_bytes(const void *bytes, size_t len);

neso_diagnostics *api_diagnostics_new(ApiCall *call); /* takes over the call's arena */
void api_log(neso_context *context, neso_log_level level, const char *text);

/* ---- facts about the machine, found out when they are asked for (machine.c) ---- */

const char *api_fact_name(size_t index); /* NULL past the end */
const char *api_fact(const neso_context *context, const char *name); /* NULL: none of this name */
void api_facts_free(neso_context *context);

/* ---- who keeps variants (keeper.c) ---- */

/* The keeper of the context's options, if there is one. False after api_usage. */
bool api_read_keeper(ApiCall *call, neso_context *context, const neso_keeper *given);

/* ---- values (value.c) ---- */

TlDtype api_dtype(neso_dtype dtype); /* DT__COUNT for NONE and unknown numbers */
neso_dtype api_neso_dtype(TlDtype dtype); /* NONE for DT__COUNT */
/* A value as a Python expression in the arena; NULL for an unknown kind. */
const char *api_value_text(Arena *arena, const neso_value *value);

/* ---- launch/read.c: what a launch gives ---- */

/* False after api_usage. */
bool api_read_options(ApiCall *call, const neso_compile_options *given, JitOptions *out);
bool api_read_launch(ApiCall *call, const neso_launch *launch, JitLaunch *out);
/* Has each buffer of a launch that is to run an address? Else false after diagnosing. */
bool api_has_memory(ApiCall *call, const JitLaunch *launch);

/* ---- launch/key.c: the bits of a call that decide which variant it asks for ---- */

enum { API_KEY_WORDS = 384, API_ROOM_WORDS = 68 /* the most for options, and for an argument */ };
typedef struct ApiKey {
	size_t count, args_at; /* of words, before those of arguments; 0: the call has none */
	const JitSet *demoted; /* constexprs whose values it leaves out, or NULL */
	uint64_t hash;
	uint64_t words[API_KEY_WORDS];
} ApiKey;

/* False, with count 0: the call has no key. launches: it is a launch on a GPU, which is remembered
 * with its context; otherwise it is of any target. context: 0 to ask for the current one. The
 * launch's structs are of this version. */
bool api_key_make(ApiKey *key, const neso_kernel *kernel, const neso_launch *launch, uint64_t context,
		  bool launches);
/* The last launch that api_find_again found, if this one is like it. */
const JitDispatch *api_find_last(neso_kernel *kernel, const neso_launch *launch);
/* Structs of this version alone are packed. */
bool api_is_plain(const neso_launch *launch);
JitKey api_jit_key(const ApiKey *key);
/* Parts of it, from `at` on: the place behind what they wrote, or NULL where there is no key. */
uint64_t *api_put_options(uint64_t *at, const neso_compile_options *options, uint64_t context);
uint64_t *api_put_set(uint64_t *at, const neso_kernel *kernel, const JitSet *set);
uint64_t *api_put_arg(uint64_t *at, unsigned param, uint32_t number, const neso_arg *arg, bool demoted);
/* The parameter that an argument with a name is for, which may be the one at the same place;
 * param_count: none. */
uint32_t api_param_of(const neso_kernel *kernel, const char *name, size_t i);
/* What the policy demotes of a kernel so far, or NULL. */
const JitSet *api_demoted(const neso_kernel *kernel, neso_constexpr_policy policy);

static inline bool api_is_typed(unsigned param, const neso_arg *arg)
{
	return param & API_PARAM_TYPED || arg->dtype != NESO_DTYPE_NONE;
}

/* ---- launch/again.c: looking up ---- */

/* A launch on a GPU that was like this one. NULL: there was none, and the key is what this one is
 * to be remembered by, if it has one. */
const JitDispatch *api_find_again(neso_kernel *kernel, const neso_launch *launch, ApiKey *key);
/* The variant that such a call asked for before, on any target, held, or NULL; likewise. */
const JitVariant *api_find(const neso_kernel *kernel, const neso_launch *launch, ApiKey *key);
/* What api_find_again compares calls with, for JitKey.rows. */
const uint64_t *api_key_rows(Arena *arena, const ApiKey *key, const neso_kernel *kernel, const neso_launch *launch,
			     size_t *words);

static inline neso_variant *api_variant(const JitVariant *variant)
{
	return (neso_variant *)(uintptr_t)variant;
}

static inline const JitVariant *api_jit_variant(const neso_variant *variant)
{
	return (const JitVariant *)variant;
}

#endif
