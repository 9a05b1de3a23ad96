/* A session: the files that were loaded, under one
 * lock, and the entry points that need no lowering. */
#include "base/fault.h"
#include "front/core.h"
#include "front/session.h"

void session_lock(FrontSession *s)
{
	pthread_mutex_lock(&s->lock);
}

void session_unlock(FrontSession *s)
{
	pthread_mutex_unlock(&s->lock);
}

FrontSession *front_session_new(Arena *arena, const FrontHost *host)
{
	FrontSession *s = ARENA_NEW(arena, FrontSession);
	s->arena = arena;
	if (host)
		s->host = *host;
	s->plain_host_value.kind = BIND_OPAQUE;
	intern_init(&s->names, arena);
	source_set_init(&s->sources, arena);
	map_init(&s->functions, arena);
	map_init(&s->host_exprs, arena);
	map_init(&s->arg_exprs, arena);
	map_init(&s->body_imports, arena);
	map_init(&s->python_classes, arena);
	pthread_mutexattr_t attr;
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&s->lock, &attr);
	pthread_mutexattr_destroy(&attr);
	return s;
}

SourceSet *front_sources(FrontSession *session)
{
	return &session->sources;
}

/* ---- evaluation outside of a lowering ---- */

FrontLower *session_probe(FrontSession *s)
{
	if (!s->probe) {
		static const FrontOptions options = {.num_warps = 4, .num_stages = 3, .num_ctas = 1,
						     .default_dot_precision = "tf32"};
		IrCx *cx = ARENA_NEW(s->arena, IrCx);
		DiagList *diags = ARENA_NEW(s->arena, DiagList);
		ir_cx_init(cx, s->arena);
		diag_init(diags, s->arena, NULL);
		s->probe = ARENA_NEW(s->arena, FrontLower);
		lower_open(s->probe, s, s->arena, cx, diags, &options);
		s->probe->m = ir_module_new(cx);
	}
	/* Each question starts afresh. */
	s->probe->work = 0;
	s->probe->stopped = false;
	s->probe->diags->errors = 0;
	s->probe->diags->first = s->probe->diags->last = NULL;
	s->probe->b = ir_at_end(s->probe->m, ir_module_block(s->probe->m), s->probe->cx->unknown);
	return s->probe;
}

bool session_has_builtin_module(FrontSession *s, const char *path)
{
	FrontLower *probe = session_probe(s);
	const char *dot = strrchr(path, '.');
	if (!dot)
		return true;
	const char *parent = arena_strndup(s->arena, path, (size_t)(dot - path));
	const Val *v = builtin_lookup(probe, parent, lower_sym(probe, str_of(dot + 1)));
	return v && v->kind == VAL_MODULE;
}

bool session_has_builtin(FrontSession *s, FrontModule *m, Sym name)
{
	if (strncmp(m->name, "triton.language", 15) != 0)
		return true;
	return strcmp(name, "*") == 0 || builtin_lookup(session_probe(s), m->name, name) != NULL;
}

int session_condition(Namespace *ns, Ast *test)
{
	FrontLower *probe = session_probe(ns->module->session);
	const Val *v = resolve_eval(probe, ns, test);
	bool ok = probe->diags->errors == 0 && v->kind != VAL_POISON && v->kind != VAL_OPAQUE &&
		  v->kind != VAL_TENSOR;
	return ok ? val_truth(v) : -1;
}

/* ---- loading, finding ---- */

/* Runs `body` under the session's lock, which a fault on the way gives back. */
#define LOCKED(s, body)                                                          \
	do {                                                                     \
		Fault fault_;                                                    \
		session_lock(s);                                                 \
		if (FAULT_TRY(&fault_)) {                                        \
			body;                                                    \
			fault_leave(&fault_);                                    \
			session_unlock(s);                                       \
		} else {                                                         \
			session_unlock(s);                                       \
			fault_raise(fault_.kind, "%s", fault_.text);             \
		}                                                                \
	} while (0)

FrontModule *front_load(FrontSession *session, const char *path, const Str *text, DiagList *diags)
{
	FrontModule *volatile module = NULL;
	LOCKED(session, {
		const char *slash = strrchr(path, '/');
		const char *name = slash ? slash + 1 : path;
		size_t n = strlen(name);
		if (n > 3 && strcmp(name + n - 3, ".py") == 0)
			n -= 3;
		module = session_load(session, path, arena_strndup(session->arena, name, n), text, (Span){0},
				      diags);
		if (module)
			module_find_kernels(module, diags);
	});
	return module;
}

uint32_t front_function_count(const FrontModule *module)
{
	return module->kernels.len;
}

FrontFunction *front_function(FrontModule *module, uint32_t i)
{
	CONTRACT(i < module->kernels.len);
	return i < module->kernels.len ? module->kernels.data[i] : NULL;
}

/* "f.g" names f.<locals>.g too. */
static bool name_matches(const char *qualified, const char *name)
{
	while (*qualified && *name) {
		if (strncmp(qualified, "<locals>.", 9) == 0 && *name != '<')
			qualified += 9;
		if (*qualified++ != *name++)
			return false;
	}
	return *qualified == *name;
}

FrontFunction *front_find(FrontModule *module, const char *name)
{
	FrontFunction *found = NULL;
	for (uint32_t i = 0; i < module->kernels.len; i++)
		if (name_matches(module->kernels.data[i]->qualified, name))
			found = module->kernels.data[i];
	for (uint32_t i = 0; !found && i < module->kernels.len; i++)
		if (strcmp(module->kernels.data[i]->ast->name, name) == 0)
			return module->kernels.data[i];
	return found;
}
