/* Inside the front end: files, names and definitions, before any value is known.
 *
 * A Namespace is the names that a module, class body or function body binds, found by walking its statements
 * once; what a Binding is worth is asked for later, by a lowering (resolve.c). Everything lives in the
 * session's arena and is used under the session's lock. */
#ifndef NESO_FRONT_SESSION_H
#define NESO_FRONT_SESSION_H

#include <pthread.h>

#include "base/map.h"
#include "front/front.h"
#include "front/value.h"

typedef struct Namespace Namespace;
typedef struct Binding Binding;

typedef enum {
	BIND_VALUE,    /* target = value; the name is target itself or somewhere in it */
	BIND_AUG,      /* name op= value: `prev` holds the old value */
	BIND_FUNCTION,
	BIND_CLASS,
	BIND_IMPORT,   /* import module [as name] */
	BIND_FROM,     /* from module import member [as name] */
	BIND_PARAM,    /* of a function that encloses another: known to the host alone */
	BIND_OPAQUE,   /* something not evaluated: for targets, with, except ... as; `why` says what */
} BindKind;

struct Binding {
	BindKind kind;
	Sym name;
	Namespace *ns;
	Span span;
	uint32_t at;                      /* where its statement begins: with what is before it, the names there have these values */
	Ast *target, *value, *annotation; /* VALUE, AUG, PARAM */
	AstBinOp op;                      /* AUG */
	FrontFunction *function;
	FrontClass *klass;
	Sym module, member;               /* IMPORT, FROM; module may be "" after dots */
	uint32_t level;                   /* dots before it */
	bool whole;                       /* IMPORT: `as` names the last part, not the first */
	const char *why;
	Namespace *scope;                 /* VALUE: where `value` is evaluated; NULL: in ns */
	Binding *prev;                    /* an earlier binding of the same name */
	bool busy;                        /* being evaluated: finds cycles */
	FrontModule *from;                /* IMPORT, FROM: the module, once it was looked for */
	bool from_found;
	bool changed;                     /* OPAQUE: a statement changes what the name stands for, and what it is part of */
	const char *unsure;               /* whether its statement runs is not known: why; else `prev` is what counts */
};

/* What host code may change at a time that is not known. `base` is a name in the module, NULL: it cannot be told; `attr` the attribute, NULL: what
 * it holds. */
typedef struct HostEffect {
	FrontModule *module;
	Sym base, attr;
	Span span;
	bool environment; /* of the variable `attr` */
	bool text, any;   /* of names that the text mentions; of any */
} HostEffect;

struct Namespace {
	FrontModule *module;
	Namespace *outer;        /* where names that are not here are looked up: enclosing function or module; or NULL */
	FrontFunction *function; /* whose body this is, or NULL */
	FrontClass *klass;
	Map names;               /* Sym -> latest Binding */
	VEC(Binding *) order;
	VEC(Binding *) stars;    /* from x import * */
};

typedef enum {
	MODULE_FILE,
	MODULE_EXTERNAL, /* a package that is not read: torch, math, os */
	MODULE_BUILTIN,  /* the tile language's own names: triton.language, ... */
	MODULE_PACKAGE,  /* a folder without __init__.py */
} ModuleKind;

struct FrontModule {
	FrontSession *session;
	ModuleKind kind;
	const char *name; /* dotted, as far as it is known */
	const char *path; /* of a FILE, as it was given; folder of a PACKAGE */
	const char *real_path; /* of a FILE */
	const Source *source;
	AstModule *ast;
	Namespace ns;
	bool indexing, broken;
	uint32_t scanned; /* functions that were looked at for effects */
	VEC(FrontFunction *) functions; /* in order of their text, host functions too */
	VEC(FrontFunction *) kernels;   /* jit functions, ones inside functions and classes included */
	bool kernels_found;
};

typedef enum { FN_HOST, FN_CONSTEXPR, FN_JIT } FunctionKind;

struct FrontFunction {
	FrontModule *module;
	Namespace *ns;        /* where it is defined: its free names are looked up there */
	AstFunction *ast;
	FrontFunction *outer; /* function whose body defines it, or NULL */
	FrontClass *klass;    /* whose method it is, or NULL */
	const char *qualified;
	Namespace *body;      /* names its body binds, when something inside was asked for */
	FunctionKind kind;
	bool decorated;       /* kind and the flags below are known */
	bool is_static, is_class_method, is_property, noinline, tuned, debug, plain; /* plain: no decorator */
	Ast *jit_call;        /* @jit(...) with its keywords, or NULL */
	Ast *must_use;        /* @must_use_result, its call with a text, or a text; or NULL */
	Ast *foreign;         /* the first decorator that is not Python's or the tile language's, or NULL */
	bool foreign_inside;  /* it comes before @jit does */
	bool scanned, changes_arguments; /* effect.c */
	FrontInfo info;
	bool info_ready;
	uint32_t id;          /* unique in the session */
	struct Frame *env;    /* of a function made while lowering: the frame it closes over, */
	const Val *const *defaults; /* and what its defaults were worth there, by parameter */
};

typedef enum {
	CLASS_PLAIN,
	CLASS_AGGREGATE, /* fields by annotation, __init__ sets them */
	CLASS_RECORD,    /* dataclass: fields by annotation, constructor made from them */
	CLASS_TUPLE,     /* NamedTuple */
	CLASS_ENUM,
	CLASS_EXCEPTION,
} ClassKind;

typedef struct ClassField {
	Sym name;
	Ast *annotation, *value; /* value: default, or NULL */
} ClassField;

struct FrontClass {
	FrontModule *module;
	Sym name;
	const char *qualified;
	AstClass *ast;     /* NULL: made by namedtuple() */
	Namespace ns;
	ClassKind kind;
	FrontClass *base;  /* first base that is a class of a file, or NULL */
	const char *unknown; /* why its attributes are not known here, or NULL */
	const char *base_unknown; /* why those that it has from bases are not, or NULL */
	const ClassField *fields;
	uint32_t field_count;
};

struct FrontSession {
	Arena *arena;
	FrontHost host;
	Interner names;
	SourceSet sources;
	VEC(FrontModule *) modules;
	Map functions;      /* AstFunction -> FrontFunction */
	uint32_t next_function;
	pthread_mutex_t lock;
	uint32_t load_depth;
	uint32_t refused;   /* how often a file was asked for that is broken or cannot be read */
	Map host_exprs;     /* text -> Ast: what the host gave for names */
	Map python_classes; /* name -> FrontClass: ValueError, ... */
	Map arg_exprs;      /* text -> Ast: values of constexpr arguments that are no numbers */
	Source *numbers;    /* where those that are stand; NULL: there was none */
	Map body_imports;   /* Ast of an import in a function's body -> Namespace */
	Binding plain_host_value; /* stands for a global of the host that is no constexpr */
	VEC(Binding *) made; /* all bindings, as they were made */
	VEC(HostEffect) effects;
	struct FrontLower *probe; /* evaluates what is asked outside of any lowering; its messages are dropped */
};

/* Is it a file of lib/? Keys have a hash of them all. */
static inline bool module_in_lib(const FrontModule *m)
{
	return m && m->path && strncmp(m->path, "<neso>/", 7) == 0;
}

static inline Sym session_sym(FrontSession *s, const char *text)
{
	return intern_text(&s->names, text);
}

/* ---- session.c ---- */

void session_lock(FrontSession *s);
void session_unlock(FrontSession *s);
struct FrontLower *session_probe(FrontSession *s);

/* ---- session_index.c ---- */

/* Binds what the statements bind, in order. */
void index_statements(Namespace *ns, const AstList *body, DiagList *diags);
void namespace_init(Namespace *ns, FrontModule *module, Namespace *outer);
FrontFunction *function_of_ast(Namespace *ns, AstFunction *ast);
/* Names that the function's body binds; NULL when the body holds a syntax error. */
Namespace *function_namespace(FrontFunction *f, DiagList *diags);
bool function_parse(FrontFunction *f, DiagList *diags); /* its body; false after diagnosing */
Binding *namespace_find(const Namespace *ns, Sym name); /* in this one alone */
Binding *namespace_bind(Namespace *ns, BindKind kind, Sym name, Span span);

void index_import(Namespace *ns, const Ast *node, bool fresh);
/* The names of a target whose value is not followed, for this reason. */
void index_opaque(Namespace *ns, const Ast *target, Ast *value, const char *why);

/* ---- session_unsure.c: statements that may not run ---- */

void index_if(Namespace *ns, Ast *node, DiagList *diags);
void index_try(Namespace *ns, Ast *node, DiagList *diags);
void index_with(Namespace *ns, Ast *node, DiagList *diags);
void index_loop(Namespace *ns, const Ast *node, const AstList *body, const AstList *orelse, DiagList *diags);

/* ---- session_change.c: what is changed without being bound ---- */

void change_target(Namespace *ns, Ast *target, Ast *value, Span span);
void change_deleted(Namespace *ns, Ast *target);
void change_augmented(Namespace *ns, Ast *node);
void change_skipped(Namespace *ns, Span span); /* statements of which there is no tree */
/* What calls in an expression of a statement change, and what := binds. */
void change_expression(Namespace *ns, Ast *node, Span statement);

/* ---- effect.c: what functions change when they are called; why something has no known value, or NULL ---- */

const char *effect_on_member(FrontClass *c, Sym name);
const char *effect_on_name(const Binding *b);
/* Has the statement run? */
typedef bool FrontEffectRan(const void *data, const FrontModule *m, Span statement);
const char *effect_on_environment(FrontSession *s, Sym variable, FrontEffectRan *ran, const void *data);

/* ---- session_import.c ---- */

/* The module that `module` (after `level` dots) names for a file; never NULL: EXTERNAL when it is not found.
 * *found says whether something was. */
FrontModule *import_module(FrontModule *importer, const char *module, uint32_t level, Span span, DiagList *diags,
			   bool *found);
/* The module of an IMPORT or FROM, looked for once. */
FrontModule *binding_module(Binding *b, DiagList *diags, bool *found);
FrontModule *binding_module_quietly(Binding *b);
/* What a FROM binds, in its own module; NULL where that is no file, or does not have it. */
Binding *binding_imported(Binding *b);
/* A submodule of a package, or NULL. */
FrontModule *import_submodule(FrontModule *package, Sym name, Span span, DiagList *diags);
FrontModule *session_module(FrontSession *s, ModuleKind kind, const char *name, const char *path); /* made once */
FrontModule *session_load(FrontSession *s, const char *path, const char *name, const Str *text, Span span,
			  DiagList *diags);
FrontModule *session_lib(FrontSession *s, const char *name, DiagList *diags); /* a file of lib/, or NULL */
bool import_is_tile_language(const char *module); /* "triton", "triton.x", "neso", ... */
bool import_is_known(const char *module); /* that, or a package whose names the front end knows */

/* Has the tile language's module this name? */
bool session_has_builtin(FrontSession *s, FrontModule *m, Sym name);
bool session_has_builtin_module(FrontSession *s, const char *path);
/* Truth of a condition at module level: 1, 0, or -1 when it cannot be known here. */
int session_condition(Namespace *ns, Ast *test);

/* ---- bounds.c ---- */

/* Sets found[i] of the parameters that stride or bound tiles. */
void function_bounds(FrontFunction *f, bool *found);

/* ---- dotted.c ---- */

/* "triton.language.constexpr" for an expression that is a dotted name, through imports and plain renaming; NULL
 * when it is none. Needs no values. */
const char *usual_name(const char *name); /* what `tl` and the like mean; or NULL */
const char *dotted_name(Namespace *ns, const Ast *expr);
const char *dotted_last(const char *name); /* behind the last dot */
/* Is `name`, which may be NULL, of the tile language, and `last` its last part? */
bool is_tile_name(const char *name, const char *last);
bool is_constexpr_annotation(Namespace *ns, const Ast *annotation);

/* ---- decorate.c: what a definition is ---- */

bool is_in_text(const FrontModule *m, Span span, const char *word);
void function_decorate(FrontFunction *f); /* fills kind and flags */
bool is_foreign_decorator(FrontFunction *f, Ast *decorator);
void class_decorate(FrontClass *c);

/* ---- session_kernel.c: what is a kernel ---- */

/* The plain function of fast = triton.jit(f), triton.jit(noinline=True)(f), triton.autotune(...)(triton.jit(f)),
 * which is a jit function under its own name, as if it were decorated. NULL for other values. */
FrontFunction *jitted_function(const Binding *b);
/* Finds kernels inside functions too. */
void module_find_kernels(FrontModule *m, DiagList *diags);

#endif
