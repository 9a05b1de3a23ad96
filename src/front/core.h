/* Inside the lowering's core: frames, scopes, evaluation, statements. Semantics does not include this. */
#ifndef NESO_FRONT_CORE_H
#define NESO_FRONT_CORE_H

#include "front/lower.h"
#include "front/session.h"

/* ---- frames ---- */

/* Why a name that a function assigns has no value here. */
typedef enum { WHY_NEVER, WHY_BRANCH, WHY_CASE, WHY_MIXED, WHY_LOOP, WHY_LOOP_VARIABLE, WHY_DELETED } SlotWhy;

typedef struct Slot {
	const Val *val; /* NULL: no value */
	SlotWhy why;
	Span at;        /* of the statement that is the reason */
} Slot;

typedef VEC(Sym) SymVec;
typedef VEC(Slot) SlotVec;
typedef VEC(IrValue *) ValueVec;
typedef VEC(const Val *) ValVec;

/* A function that is being lowered or evaluated. Lives in the lowering's arena, so that closures may keep it. */
typedef struct Frame {
	struct Frame *caller;
	Span call_span;           /* in the caller */
	FrontFunction *function;  /* NULL at module level */
	Namespace *ns;            /* free names */
	struct Frame *env;        /* frame closed over, or NULL */
	bool host;                /* Python's semantics: values are not made tensors, loops run now */
	bool free_globals;        /* any global may be read: host code, defaults of parameters */
	Map slot_of;              /* Sym -> slot */
	SymVec names;             /* by slot */
	SymVec constexprs;        /* declared without a value: what is assigned to them stays known */
	SlotVec slots;
	Sym prefix;               /* target of the assignment being lowered: names its locations */
	const struct Frame *root; /* of the function of the IR whose ops it makes: itself, or one that calls it */
	struct LoopScope *scope;  /* the loop around the statement that may be left early, or NULL */
	uint32_t returns;         /* how many `return`s in loops were lowered */
	SymVec turned;            /* targets of unrolled loops */
	SymVec own_nonlocals;     /* names of the function around that it gives back */
	SymVec given_back;        /* names that calls in it may assign */
	const Val *raised;        /* host: exception on its way */
} Frame;

/* While a value of a namespace is evaluated: names that it binds later are not there yet. */
typedef struct AsOf {
	const Namespace *ns;
	uint32_t at; /* offset in the file: statements from there on have not run */
	const struct AsOf *outer;
} AsOf;

/* Makes an empty lowering; its module and builder are the caller's to set. */
void lower_open(FrontLower *low, FrontSession *session, Arena *arena, IrCx *cx, DiagList *diags,
		const FrontOptions *options);
Frame *frame_new(FrontLower *low, FrontFunction *function,
		 Namespace *ns); /* its ops go where the current frame's go */
uint32_t frame_slot(FrontLower *low, Frame *frame, Sym name); /* made when new */
void frame_set(FrontLower *low, Frame *frame, Sym name, const Val *val);
const Val *frame_get(const Frame *frame, Sym name); /* or NULL */
bool frame_is_turned(const Frame *frame, Sym name); /* the target of an unrolled loop */
bool frame_is_subject(Sym name); /* the hidden name of what a `match` looks at */
SlotVec frame_save(FrontLower *low, const Frame *frame); /* a copy of all slots */

void frame_restore(FrontLower *low, Frame *frame, const SlotVec *saved);
/* "name"(file:line:col) */
IrLoc lower_named_loc(FrontLower *low, Sym name, Span span);

/* Where a message about what is being lowered points: a place in lib/ becomes that of the call that led there. */
Span lower_user_span(const FrontLower *low);
/* Notes of what is meant, behind the error just diagnosed (hints.c). */
void hint_foreign(FrontLower *low, const char *word);
void hint_name(FrontLower *low, const char *name);
void hint_element(FrontLower *low, const Val *base);
void hint_not_iterable(FrontLower *low, const Val *v);
void hint_not_known(FrontLower *low, const char *function, const Val *v);
void hint_not_callable(FrontLower *low, const Val *v);
/* The source at low->span, for messages: its beginning where it is long. */
const char *lower_source_text(const FrontLower *low);
/* Ends what may not go on: diagnoses, and makes everything after it poison. */
void lower_stop(FrontLower *low, DiagCode code, ...);
enum { LOWER_MAX_NEST = 900, LOWER_MAX_CALLS = 150, LOWER_MAX_WORK = 1000000 };

/* ---- values (value*.c) ---- */

Val *val_new(FrontLower *low, ValKind kind);
const Val *val_big(FrontLower *low, const BigInt *big); /* an INT; small when it fits */
const BigInt *val_to_big(FrontLower *low, const Val *v); /* of a BOOL or INT */
const Val *val_list(FrontLower *low, const Val *const *items, uint32_t len);
const Val *val_dict(FrontLower *low, const Val *const *keys, const Val *const *values, uint32_t len);
const Val *val_dict_find(const Val *dict, const Val *key); /* or NULL */
const Val *val_function(FrontLower *low, FrontFunction *f);
const Val *val_method(FrontLower *low, const Val *callee, const Val *self);
const Val *val_module(FrontLower *low, FrontModule *m);
const Val *val_opaque(FrontLower *low, const char *format, ...) PRINTF_LIKE(2, 3);
const Val *val_class(FrontLower *low, FrontClass *c);
const char *val_type_name(const Val *v); /* "int", "str", "tensor" */
const char *val_str_text(FrontLower *low, const Val *v); /* Python's str() */
const char *val_int_text(FrontLower *low, const Val *v, unsigned base); /* of a BOOL or INT */
const char *val_float_text(FrontLower *low, double f);
bool val_hash_equal(const Val *a, const Val *b); /* == as dict keys compare */
static inline bool val_is_seq(const Val *v) { return v->kind == VAL_TUPLE || v->kind == VAL_LIST; }
static inline bool val_is_number(const Val *v)
{
	return v->kind == VAL_BOOL || v->kind == VAL_INT || v->kind == VAL_FLOAT || v->kind == VAL_DEMOTED;
}

/* val_equal, told apart from what only the run of the kernel can say (VAL_RUNS: a number that runs is compared). */
typedef enum { VAL_SAME, VAL_RUNS, VAL_DIFFERS } ValEquality;
ValEquality val_equality(const Val *a, const Val *b);
/* val_equal where it must be known now: *ok is false after diagnosing that `what` is not. */
bool val_equal_now(FrontLower *low, const Val *a, const Val *b, const char *what, bool *ok);

/* IR values inside a value, in order; and a value like `like` over other ones. */
void val_flatten(FrontLower *low, const Val *v, ValueVec *out);
const Val *val_rebuild(FrontLower *low, const Val *like, IrValue *const *handles, uint32_t *cursor);
/* Same structure and types, so that one may stand where the other did. */
bool val_same_shape(const Val *a, const Val *b);
bool val_has_tensor(const Val *v);
/* The tensor, with what is known of it as it was before. */
const Val *val_add_origin(FrontLower *low, const Val *tensor, const Val *origin);
/* A tuple of the same length and names, whose *items are to be set. */
const Val *val_tuple_like(FrontLower *low, const Val *tuple, const Val ***items);
/* The tuple of what `of` makes of its items. */
const Val *val_of_items(FrontLower *low, const Val *tuple,
			const Val *(*of)(FrontLower *low, const Val *item));

/* ---- names (resolve.c) ---- */

/* What a module-level (or enclosing function's) name is worth; NULL: there is no such name. */
const Val *resolve_name(FrontLower *low, Namespace *ns, Sym name, Binding **binding);
const Val *resolve_binding(FrontLower *low, Binding *b);
/* The binding of a name that has run; NULL: none. */
Binding *resolve_visible(const FrontLower *low, const Namespace *ns, Sym name);
uint32_t resolve_limit(const FrontLower *low,
		       const Namespace *ns); /* what stands from there on has not run */
/* Until low->as_of is what it was: statements of `ns`, and of what runs with it, have run up to `at`. `then` lives as long. */
void resolve_as_of(FrontLower *low, const Namespace *ns, uint32_t at, AsOf *then, size_t room);
/* The host's answer for a name (*wrapped: it says tl.constexpr(...)), and for an attribute of something of its own; NULL: none. */
const Val *resolve_ask_host(FrontLower *low, Namespace *ns, Sym name, bool *wrapped);
const Val *resolve_ask_attribute(FrontLower *low, const FrontModule *m, Sym name);
/* What a member of a class in the host is by now: programs assign to classes. NULL: what its text says. */
const Val *resolve_live_member(FrontLower *low, Binding *b);
/* What an import in the body of a function of the host's binds; NULL: what the files say. */
const Val *resolve_live_import(FrontLower *low, Binding *b);
/* What the host says that the default is worth; NULL: nothing. */
const Val *resolve_host_default(FrontLower *low, FrontFunction *f, const AstParam *p);
Namespace *function_scope(const FrontFunction *f); /* where the free names of its body are looked up: methods do not see their class's */
/* The value of a `def` with what decorators of the user's own make of it; opaque where that is not known. */
const Val *resolve_decorated(FrontLower *low, FrontFunction *f);
/* Of the kernel itself what a decorator makes around it matters to the host alone: a warning. False after diagnosing. */
bool resolve_foreign_kernel(FrontLower *low, FrontFunction *f);
const char *resolve_kernel_doubt(FrontLower *low, FrontFunction *f); /* why its name means something else; NULL: it does not */
/* What an import inside a function binds. */
Namespace *resolve_import(FrontLower *low, Namespace *scope, Ast *node);
void bind_import(FrontLower *low, Ast *node); /* in the frame, as at module level */
/* The default of a class's field, in whose class it is evaluated. */
const Val *resolve_field(FrontLower *low, FrontClass *c, uint32_t i);
/* The value of a constant argument: an expression among the names of the kernel's file. NULL with the reason. */
const Val *resolve_argument(FrontLower *low, FrontFunction *f, uint32_t i, const char *text,
			    const char **why);
const Val *resolve_module_attribute(FrontLower *low, const Val *module, Sym name); /* NULL: none */
/* resolve_import.c: what `from module import member` gives; NULL: there is no such thing. */
const Val *resolve_import_member(FrontLower *low, Binding *b, Sym member, Binding **binding);
const Val *resolve_import_whole(FrontLower *low, Binding *b);
/* What the last of the star imports that ran after `from` gives for the name; NULL: nothing. */
const Val *resolve_from_stars(FrontLower *low, const Namespace *ns, uint32_t from, Sym name,
			      Binding **binding);
Binding *resolve_imported(FrontLower *low, Binding *b); /* where a chain of from-imports leads */
/* The part of the tile language that files give this name, where the file itself does not tell. */
const Val *resolve_usual_module(FrontLower *low, Sym name);
const Val *resolve_class_attribute(FrontLower *low, FrontClass *c, Sym name);      /* NULL: none */
const Val *resolve_class_member(FrontLower *low, FrontClass *c, Sym name, Binding **binding);
/* For names of Python itself: len, int, ...; NULL when there is none. */
const Val *resolve_python(FrontLower *low, Sym name);
FrontClass *class_of_python(FrontLower *low, const char *name, ClassKind kind, const char *const *fields,
			    uint32_t count);
const Val *external_attribute(FrontLower *low, const char *module, const char *name); /* math.pi,
			      torch.float16; or NULL */
/* May a kernel read this global? */
bool resolve_is_constexpr(FrontLower *low, Namespace *ns, const Ast *expr, unsigned depth);
/* "did you mean" for a name seen from a frame; NULL when nothing is near. */
const char *resolve_nearest(FrontLower *low, Sym name);
/* Evaluates an expression at module level of a namespace, with Python's semantics. */
const Val *resolve_eval(FrontLower *low, Namespace *ns, Ast *expr);

/* ---- what Triton has not (strict.c) ---- */

/* False after diagnosing, where NESO_STRICT_TRITON asks for it: syntax, what a `for` or a
 * comprehension runs over, a name of Python's own, a global, an operator of a tensor. */
bool strict_expression(FrontLower *low, const Ast *node);
bool strict_statement(FrontLower *low, const Ast *node);
bool strict_for(FrontLower *low, const Val *iter);
bool strict_comprehension(FrontLower *low, const Val *iter);
bool strict_python(FrontLower *low, Sym name);
bool strict_global(FrontLower *low, const Val *v);
bool strict_unary(FrontLower *low, AstUnOp op);

/* ---- expressions (eval*.c) ---- */

const Val *eval_name(FrontLower *low, Sym name);
const Val *eval(FrontLower *low, Ast *node);
/* The same where nobody takes the value: the sides of a conditional expression need not agree. */
const Val *eval_dropped(FrontLower *low, Ast *node);
const Val *eval_bool_op(FrontLower *low, const Ast *node, bool dropped);
const Val *eval_chain(FrontLower *low, const Ast *node);
const Val *eval_if_exp(FrontLower *low, Ast *node, bool dropped);
/* Evaluates what Python evaluates later, or not at all: an effect in it is an error, said of `what`. */
const Val *eval_early(FrontLower *low, Ast *node, const char *what);
/* Is the node one whose items Python makes when they are asked for (a generator expression, map(), filter())? */
bool eval_is_lazy(const Ast *node);
/* May a kernel read a global of this value, which resolve_name gave with this binding? */
bool eval_may_read(FrontLower *low, const Binding *b, const Val *v);
const Val *eval_attribute(FrontLower *low, const Val *v, Sym name, Span span); /* NULL: no such attribute */
const Val *eval_attribute_node(FrontLower *low, Ast *node);
const Val *eval_binary(FrontLower *low, AstBinOp op, const Val *l, const Val *r);
const Val *eval_compare(FrontLower *low, AstCmpOp op, const Val *l, const Val *r);
const Val *eval_subscript(FrontLower *low, const Val *v, const Val *index);
const Val *eval_call(FrontLower *low, Ast *node);
const Val *eval_comprehension(FrontLower *low, Ast *node);
const Val *eval_joined(FrontLower *low, Ast *node);
/* An f-string for print and assertions (fstring.c): texts, and values that run; a text in which
 * `{source}` stands for these. */
typedef struct Template {
	ValVec parts;
	const Val *shown;
	bool runs; /* some part does */
} Template;
typedef VEC(Template) TemplateVec;
bool template_read(FrontLower *low, const Ast *node, Template *t); /* false: diagnosed */
/* print and tl.device_print with arguments some of which are the `shown` of templates. */
const Val *template_print(FrontLower *low, const CallArgs *args, const TemplateVec *templates);
/* Debug builds print the values where the condition is false; false after diagnosing. */
bool template_assert(FrontLower *low, const Val *cond, const Template *t);
/* Truth of a value known now; false after diagnosing (*ok). */
bool eval_truth(FrontLower *low, const Val *v, bool *ok);
/* The items that a host value gives when iterated; false after diagnosing. */
bool eval_items(FrontLower *low, const Val *v, ValVec *out);
/* A value of the frame, which a closure kept, as the current function has it (capture.c); poison
 * after diagnosing. */
const Val *eval_captured(FrontLower *low, const Frame *frame, const char *name, const Val *v);
/* Sets the names of a target (host or kernel mode alike). */
bool assign_target(FrontLower *low, Ast *target, const Val *value);
/* Is the value a generator that a name must not hold? True after diagnosing. */
bool refuse_named_generator(FrontLower *low, const Ast *target, const Ast *value);
void poison_target(FrontLower *low, const Ast *target);

/* Binds call arguments to the parameters of a function: values[i] for parameter i (NULL: default). False after
 * diagnosing. */
bool bind_arguments(FrontLower *low, FrontFunction *f, const CallArgs *args, const Val **values);
const Val *param_default(FrontLower *low, FrontFunction *f, uint32_t i);
/* Evaluates the defaults of a function that is made now. False after diagnosing. */
bool function_defaults(FrontLower *low, FrontFunction *f);

/* ---- host values (host_*.c) ---- */

typedef const Val *PyFn(FrontLower *low, const Val *self, const CallArgs *args);
typedef struct PyBuiltin {
	const char *name;
	PyFn *fn;
	const char *owner; /* "str" of str.split; NULL: a plain function or type */
	bool is_type;
	uint8_t min, max;  /* positional arguments, self not counted; max 255: any number */
} PyBuiltin;

const Val *host_binary(FrontLower *low, AstBinOp op, const Val *l, const Val *r);
const Val *host_unary(FrontLower *low, AstUnOp op, const Val *v);
/* -1, 0, 1; *ok false when the two have no order. */
int host_order(const Val *a, const Val *b, bool *ok);
const Val *host_contains(FrontLower *low, const Val *item, const Val *container);
const Val *host_index(FrontLower *low, const Val *v, const Val *index);
const PyBuiltin *python_find(const char *owner, const char *name);
const Val *python_call(FrontLower *low, const PyBuiltin *fn, const Val *self, const CallArgs *args);
const Val *host_format(FrontLower *low, const Val *v, Str spec, char conversion);
const Val *host_percent(FrontLower *low, Str format, const Val *args);
const Val *host_call(FrontLower *low, const Val *callee, FrontFunction *f, const CallArgs *args);
const Val *class_call(FrontLower *low, FrontClass *c, const CallArgs *args);
/* isinstance; 1, 0, or -1 after diagnosing. */
int host_is_instance(FrontLower *low, const Val *v, const Val *cls);

/* ---- statements (stmt*.c) ---- */

typedef enum {
	FLOW_FALL,   /* goes on after the statements */
	FLOW_RETURN, /* always returns `value` */
	FLOW_MAYBE,  /* returns `value` when `returned` is true, else goes on */
} FlowKind;

typedef struct Flow {
	FlowKind kind;
	IrValue *returned;
	const Val *value; /* NULL: the end of the function was reached without `return` */
	Span at;
} Flow;

/* Statements still to be lowered: the rest of a list, then what follows it. */
typedef struct Stream {
	AstList list;
	uint32_t at;
	struct Unroll *unroll; /* the list is the body of an unrolled loop */
	const struct Stream *next;
} Stream;

/* The body of a loop that `break`, `continue` or `return` may leave (loop_exit.c). All exits
 * lead to the end of the body, where the names of the frame are joined; hidden names say which
 * exit was taken. */
typedef struct LoopScope {
	struct LoopScope *outer;
	Sym broken;       /* hidden: does the loop end here? */
	Sym whole;        /* hidden: no `break` ended the loop; NULL: nobody asks */
	const Val *start; /* its value at the start of the body */
	SymVec kept;      /* names whose values count at the end of the body */
	bool keeps_all;   /* all of them do: an unrolled loop */
	SymVec unset;     /* that a side which left early had not assigned: no value at the end */
	Span unset_at;
} LoopScope;

typedef struct LoopExits {
	bool breaks, continues; /* of the loop itself */
	bool returns;           /* of loops in it too */
} LoopExits;

LoopExits loop_exits(const AstList *body);
static inline bool loop_is_left(LoopExits e) { return e.breaks || e.continues || e.returns; }
/* What a name of the lowering's own is called: "%broken2". */
Sym loop_hidden(FrontLower *low, const char *what, const LoopScope *scope);
Sym loop_returned(FrontLower *low); /* did a `return` end a loop? */
Sym loop_value(FrontLower *low);    /* what it returned */
void loop_open(FrontLower *low, LoopScope *scope, LoopScope *outer);
/* Whether the body leaves the loop, at its end; NULL: never. */
const Val *loop_close(FrontLower *low, LoopScope *scope);
/* Does what the name is worth at an exit count at the end of the body? */
bool loop_keeps(FrontLower *low, const LoopScope *scope, Sym name);
Flow loop_leave(FrontLower *low, const Ast *node);
Flow loop_return(FrontLower *low, const Val *value, Span at);
/* Before a loop with a `return`, and after it: returns when one was reached. */
void loop_may_return(FrontLower *low);
/* Before a loop with an `else`: the hidden name that says whether no `break` ended it; NULL: none
 * can. */
Sym loop_may_break(FrontLower *low, const Ast *node, const AstList *body, const AstList *orelse);
/* What comes behind the loop, where that is so. */
const AstList *loop_else(FrontLower *low, const Ast *node, Sym whole, const AstList *orelse);
Flow loop_after(FrontLower *low, LoopExits exits);
/* Notes what an unrolled loop assigns by itself. */
void loop_note_targets(FrontLower *low, const Ast *target);
/* The turns of an unrolled loop that may be left. */
Flow loop_turns(FrontLower *low, Ast *node, const ValVec *items, Sym whole);

Flow lower_stream(FrontLower *low, Stream s, bool tail);
Flow lower_if(FrontLower *low, Ast *node, const Val *cond, const Stream *rest, bool tail, bool *went_on);
Flow lower_guarded(FrontLower *low, Flow maybe, const Stream *rest, bool tail);
/* What fn lowers runs where `cond` is false. */
typedef void StepFn(FrontLower *low, void *data);
void lower_unless(FrontLower *low, IrValue *cond, StepFn *fn, void *data);
/* `whole`: as loop_may_break gives it. */
Flow lower_for(FrontLower *low, Ast *node, const Val *range, Sym whole);
Flow lower_while(FrontLower *low, Ast *node, Sym whole);
const Val *lower_if_exp(FrontLower *low, Ast *node, const Val *cond, bool dropped);
/* `left and right`, `left or right` for a run-time left: what right does besides its value happens only where Python
 * evaluates it. Right without such effects runs in any case. */
typedef const Val *LazyFn(FrontLower *low, void *data);
const Val *lower_lazy(FrontLower *low, bool is_or, const Val *left, LazyFn *right_of, void *data,
		      bool dropped);
/* Names that the statements assign or delete, in order of first assignment. */
void assigned_names(FrontLower *low, const AstList *body, SymVec *out);
/* Local names of aggregates whose fields the statements assign, themselves or by methods of host
 * code; those that something else holds too are left out. */
void changed_objects(FrontLower *low, const AstList *body, SymVec *out);
void assigned_in_expressions(FrontLower *low, const AstList *list, SymVec *out);
/* nonlocal.c: names that a function, whose body was read, declares nonlocal. */
void nonlocal_names(FrontLower *low, const AstFunction *f, SymVec *out);
bool nonlocal_is_declared(const FrontLower *low, Sym name); /* by the current function */
/* The frame with the present value of a name of a frame around: of the functions on the way to here
 * the last one that assigns it. */
const Frame *nonlocal_holder(const FrontLower *low, const Frame *owner, Sym name);
/* A function was defined in the current frame; may it be called from here (diagnosed)? */
void nonlocal_defined(FrontLower *low, FrontFunction *f);
bool nonlocal_may_call(FrontLower *low, const FrontFunction *f);
/* Binds the names in the function's frame; what it returns with them; those assigned after a call,
 * and the call's result. */
void nonlocal_enter(FrontLower *low, const FrontFunction *f);
const Val *nonlocal_returned(FrontLower *low, const Val *v);
const Val *nonlocal_assigned(FrontLower *low, const FrontFunction *f, const Val *result);
/* What an assignment stores: numbers become tensors. */
const Val *sanitize(FrontLower *low, const Val *v);
/* lists.c: what `name` holds with another element; poison after diagnosing. And name.append(x),
 * name.extend(x) as a statement; false: it is something else. */
const Val *list_assigned(FrontLower *low, Sym name, const Val *list, const Val *index,
			 const Val *value);
bool list_appended(FrontLower *low, const Ast *call);
void lower_assignment(FrontLower *low, Ast *node); /* assign.c */

/* What running ops does besides making values (effect.c). */
typedef enum {
	EFFECT_NONE,
	EFFECT_GUARD, /* it reads memory, or may fail: to be run only where the program says so */
	EFFECT_WRITE,
} IrEffect;
IrEffect effect_of_block(const IrModule *m, const IrBlock *block);
/* Of the ops of the block behind `after` (NULL: of all). */
IrEffect effect_behind(const IrModule *m, const IrBlock *block, const IrOp *after);

/* ---- kernels (kernel.c) ---- */

/* A lowering with an empty module. */
void kernel_open(FrontLower *low, FrontFunction *f, const FrontOptions *options, IrCx *cx, DiagList *diags);
/* False after diagnosing; other errors are only in low->diags. */
bool kernel_lower(FrontLower *low, FrontFunction *f, const FrontArg *args, uint32_t arg_count);

/* ---- functions (instance.c) ---- */

/* A function of the module with an empty block and arguments of these types (the block's are the caller's to add). */
IrOp *instance_func(FrontLower *low, Sym symbol, const ValueVec *like, bool is_public, IrLoc loc);
/* Lowers the body into it, from the frame's parameters to tt.return; gives the template of what is returned. */
const Val *instance_body(FrontLower *low, FrontFunction *f, IrOp *func);

const Val *instance_call(FrontLower *low, FrontFunction *f, const CallArgs *args);

/* A symbol that is not taken, for an instance of f with these arguments (instance_symbol.c). */
Sym instance_symbol(FrontLower *low, FrontFunction *f, const Val **values);

#endif
