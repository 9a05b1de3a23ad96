/* Expressions: one dispatcher over the kinds of nodes, and what each does with values known now. Whatever has a
 * tensor among its operands goes to the semantics (sem_*). */
#include "front/core.h"
#include "front/demote.h"
#include "front/host/bigint.h"
#include "front/reads.h"

#include <math.h>

/* ---- names ---- */

static const Val *missing_name(FrontLower *low, Sym name)
{
	static const DiagCode codes[] = {[WHY_BRANCH] = DIAG_NAME_BRANCH,
					 [WHY_CASE] = DIAG_NAME_CASE, [WHY_MIXED] = DIAG_NAME_MIXED,
					 [WHY_LOOP] = DIAG_NAME_LOOP, [WHY_LOOP_VARIABLE] = DIAG_NAME_LOOP_VARIABLE,
					 [WHY_DELETED] = DIAG_NAME_DELETED};
	uint64_t index;
	if (map_get(&low->frame->slot_of, map_key(name), &index)) {
		const Slot *slot = &low->frame->slots.data[index];
		const Source *source = source_get(&low->session->sources, slot->at.file);
		if (slot->why != WHY_NEVER && source)
			return lower_error(low, codes[slot->why], name,
					   source_line_col(source, slot->at.start).line);
	}
	const char *near = resolve_nearest(low, name);
	if (near && strcmp(near, name) != 0)
		return lower_error(low, DIAG_NAME_UNKNOWN_NEAR, name, near);
	lower_error(low, DIAG_NAME_UNKNOWN, name);
	hint_name(low, name);
	return low->poison;
}

/* A kernel reads constexprs, functions, modules and types of its file, nothing that may change. */
bool eval_may_read(FrontLower *low, const Binding *b, const Val *v)
{
	if (low->frame->free_globals || low->options->allow_non_constexpr_globals || !b)
		return true;
	if (!val_is_number(v) && v->kind != VAL_STR && !val_is_seq(v) && v->kind != VAL_DICT)
		return true;
	if (b->kind == BIND_VALUE && !b->ns)
		return false; /* the host's, not wrapped */
	uint64_t told;
	if (map_get(&low->told, map_key(b), &told))
		return told;
	if (b->kind == BIND_VALUE && b->ns->module->path && strncmp(b->ns->module->path, "<neso>/", 7) == 0)
		return true;
	if (b->kind != BIND_VALUE)
		return false;
	return is_constexpr_annotation(b->ns, b->annotation) || resolve_is_constexpr(low, b->ns, b->value, 0);
}

static const Val *global_name(FrontLower *low, Sym name)
{
	Binding *b = NULL;
	Namespace *scope = low->frame->ns;
	const Val *v = resolve_name(low, scope, name, &b);
	if (!module_in_lib(scope->module))
		lower_read(low, scope, name, v);
	if (!v) {
		v = resolve_python(low, name);
		return !v || strict_python(low, name) ? v : low->poison;
	}
	if (v->kind == VAL_OPAQUE)
		return low->frame->host ? v : lower_error(low, DIAG_NAME_OPAQUE, name, v->opaque.why);
	if (!eval_may_read(low, b, v))
		return lower_error(low, DIAG_NAME_GLOBAL, name);
	return strict_global(low, v) ? v : low->poison;
}

const Val *eval_name(FrontLower *low, Sym name)
{
	for (const Frame *owner = low->frame; owner; owner = owner->env) {
		const Frame *f = nonlocal_holder(low, owner, name);
		const Val *v = frame_get(f, name);
		/* A number that was assigned in another function of the kernel is made again here. */
		if (v && v->kind == VAL_TENSOR && v->origin && f->root != low->frame->root)
			v = val_add_origin(low, sem_cast(low, sem_to_tensor(low, v->origin), v->tensor.type),
					   v->origin);
		if (v)
			return v->kind == VAL_TENSOR && v->origin ? v : eval_captured(low, f, name, v);
	}
	/* Of a pattern (parse_match.c): Python's own, whatever the kernel calls so. */
	const Val *v = name[0] == '%' ? resolve_python(low, lower_sym(low, str_of(name + 1)))
				      : global_name(low, name);
	return v ? v : missing_name(low, name);
}

/* ---- literals ---- */

static const Val *eval_int(FrontLower *low, const Ast *node)
{
	if (node->number.imaginary)
		return lower_error(low, DIAG_UNSUPPORTED, "a complex number");
	const BigInt *big = big_parse(low->arena, node->number.digits, (unsigned)node->number.base);
	return big ? val_big(low, big) : lower_error(low, DIAG_INT_SIZE);
}

static const Val *eval_seq(FrontLower *low, const Ast *node, bool dropped)
{
	ValVec items = {0};
	bool failed = false;
	for (uint32_t i = 0; i < node->seq.items.len; i++) {
		Ast *item = node->seq.items.items[i];
		bool star = item->kind == AST_STARRED;
		const Val *v = star ? eval(low, item->wrap.value) : dropped ? eval_dropped(low, item) : eval(low, item);
		failed = failed || v->kind == VAL_POISON;
		Span old = lower_at(low, item->span);
		if (!star)
			vec_push(low->arena, &items, v);
		else if (v->kind != VAL_POISON && !eval_items(low, v, &items))
			failed = true;
		lower_restore(low, old);
	}
	if (failed)
		return low->poison;
	if (node->kind == AST_SET) {
		const Val *d = val_dict(low, items.data, items.data, items.len);
		return val_list(low, d->dict.keys, d->dict.len);
	}
	/* A list in a kernel is a tuple, as upstream has it. */
	if (node->kind == AST_LIST && low->frame->host)
		return val_list(low, items.data, items.len);
	return val_tuple(low, items.data, items.len);
}

static const Val *eval_dict(FrontLower *low, const Ast *node)
{
	ValVec keys = {0}, values = {0};
	for (uint32_t i = 0; i < node->dict.keys.len; i++) {
		const Val *key = node->dict.keys.items[i] ? eval(low, node->dict.keys.items[i]) : NULL;
		const Val *value = eval(low, node->dict.values.items[i]);
		if (!key) {
			if (value->kind != VAL_DICT)
				return value->kind == VAL_POISON ? value : lower_error(low, DIAG_NOT_MAPPING,
										       val_describe(low, value));
			for (uint32_t k = 0; k < value->dict.len; k++) {
				vec_push(low->arena, &keys, value->dict.keys[k]);
				vec_push(low->arena, &values, value->dict.values[k]);
			}
			continue;
		}
		if (key->kind == VAL_POISON || value->kind == VAL_POISON)
			return low->poison;
		if (key->kind == VAL_TENSOR && !key->origin)
			return lower_error(low, DIAG_NOT_CONSTEXPR, "a key of a dict", val_describe(low, key));
		vec_push(low->arena, &keys, key);
		vec_push(low->arena, &values, value);
	}
	return val_dict(low, keys.data, values.data, keys.len);
}

/* ---- operators ---- */

static bool is_poison(const Val *a, const Val *b)
{
	return a->kind == VAL_POISON || b->kind == VAL_POISON;
}

/* x.__add__(y) of a class of the user's. */
static const Val *operator_method(FrontLower *low, const char *name, const Val *l, const Val *r)
{
	if (l->kind != VAL_OBJECT)
		return NULL;
	Sym sym = lower_sym(low, str_of(name));
	const Val *method = resolve_class_member(low, l->object.klass, sym, NULL);
	if (!method)
		return NULL;
	const Val *args[] = {r};
	return lower_call(low, val_method(low, method, l), &(CallArgs){.args = args, .arg_count = r ? 1 : 0});
}

static const char *const bin_methods[BIN__COUNT][2] = {
	[BIN_ADD] = {"__add__", "__radd__"}, [BIN_SUB] = {"__sub__", "__rsub__"},
	[BIN_MUL] = {"__mul__", "__rmul__"}, [BIN_MATMUL] = {"__matmul__", "__rmatmul__"},
	[BIN_DIV] = {"__truediv__", "__rtruediv__"}, [BIN_FLOORDIV] = {"__floordiv__", "__rfloordiv__"},
	[BIN_MOD] = {"__mod__", "__rmod__"}, [BIN_POW] = {"__pow__", "__rpow__"},
	[BIN_LSHIFT] = {"__lshift__", "__rlshift__"}, [BIN_RSHIFT] = {"__rshift__", "__rrshift__"},
	[BIN_AND] = {"__and__", "__rand__"}, [BIN_OR] = {"__or__", "__ror__"}, [BIN_XOR] = {"__xor__", "__rxor__"},
};

const Val *eval_binary(FrontLower *low, AstBinOp op, const Val *l, const Val *r)
{
	if (is_poison(l, r))
		return low->poison;
	if (l->kind == VAL_TENSOR || r->kind == VAL_TENSOR) {
		const Val *seq = val_is_seq(l) ? l : val_is_seq(r) ? r : NULL, *other = seq == l ? r : l;
		if (seq && val_host(other))
			return host_binary(low, op, seq == l ? l : val_host(l), seq == l ? val_host(r) : r);
		return sem_binary(low, op, l, r);
	}
	l = val_known_for(l, "constants are combined when compiling");
	r = val_known_for(r, "constants are combined when compiling");
	const Val *v = operator_method(low, bin_methods[op][0], l, r);
	if (!v)
		v = operator_method(low, bin_methods[op][1], r, l);
	return v ? v : host_binary(low, op, l, r);
}

static const Val *eval_unary(FrontLower *low, AstUnOp op, const Val *v)
{
	if (v->kind == VAL_POISON)
		return v;
	if (v->kind == VAL_TENSOR)
		return strict_unary(low, op) ? sem_unary(low, op, v) : low->poison;
	v = val_known_for(v, "constants are combined when compiling");
	static const char *const methods[] = {[UN_NEG] = "__neg__", [UN_POS] = "__pos__", [UN_INVERT] = "__invert__"};
	if (op == UN_NOT && val_is_seq(v) && !low->frame->host && !lower_extension(low, "`not` of a tuple"))
		return low->poison;
	const Val *by_method = op == UN_NOT ? NULL : operator_method(low, methods[op], v, NULL);
	return by_method ? by_method : host_unary(low, op, v);
}

static bool is_same(const Val *a, const Val *b)
{
	if (a->kind == VAL_TENSOR || b->kind == VAL_TENSOR)
		return a == b;
	if (val_is_number(a) || val_is_number(b))
		return a->kind == b->kind && val_equal(a, b);
	if (val_is_seq(a) || a->kind == VAL_DICT)
		return a == b || (a->kind == b->kind && val_is_seq(a) && a->seq.items == b->seq.items);
	if (a->kind == VAL_OBJECT && b->kind == VAL_OBJECT)
		return a == b || a->object.fields == b->object.fields || a->object.klass->kind == CLASS_ENUM;
	return val_equal(a, b);
}

static const Val *compare_tensors(FrontLower *low, AstCmpOp op, const Val *l, const Val *r)
{
	/* A tensor and None, a string, a dtype are never equal. */
	const Val *other = l->kind == VAL_TENSOR ? r : l;
	if ((op == CMP_EQ || op == CMP_NE) && other->kind != VAL_TENSOR && !val_is_number(other))
		return val_bool(low, op == CMP_NE);
	return sem_compare(low, op, l, r);
}

/* Items that run are compared when the kernel does: all must be equal. */
static const Val *equal_items(FrontLower *low, AstCmpOp op, const Val *l, const Val *r)
{
	if (!val_is_seq(l) || !val_is_seq(r))
		return lower_error(low, DIAG_NOT_CONSTEXPR, "what is compared here", val_describe(low, l));
	const Val *all = low->true_;
	for (uint32_t i = 0; i < l->seq.len; i++) {
		if (val_equality(l->seq.items[i], r->seq.items[i]) == VAL_SAME)
			continue;
		const Val *one = eval_compare(low, CMP_EQ, l->seq.items[i], r->seq.items[i]);
		one = one->kind == VAL_POISON ? one : sem_condition(low, one);
		all = one->kind == VAL_POISON || all->kind != VAL_TENSOR ? one : sem_logical(low, false, all, one);
		if (all->kind == VAL_POISON)
			return all;
	}
	return op == CMP_EQ ? all : sem_unary(low, UN_NOT, all);
}

static const char *const cmp_methods[] = {
	[CMP_EQ] = "__eq__", [CMP_NE] = "__ne__", [CMP_LT] = "__lt__", [CMP_LE] = "__le__", [CMP_GT] = "__gt__",
	[CMP_GE] = "__ge__",
};

const Val *eval_compare(FrontLower *low, AstCmpOp op, const Val *l, const Val *r)
{
	if (is_poison(l, r))
		return low->poison;
	if (val_is_number(l) && val_is_number(r)) {
		l = val_known_for(l, "constants are compared when compiling");
		r = val_known_for(r, "constants are compared when compiling");
	}
	if (l->kind == VAL_OPAQUE || r->kind == VAL_OPAQUE) {
		const Val *v = l->kind == VAL_OPAQUE ? l : r;
		return low->frame->host ? v : lower_error(low, DIAG_VALUE_OPAQUE, v->opaque.why);
	}
	if (op == CMP_IS || op == CMP_IS_NOT)
		return val_bool(low, is_same(l, r) == (op == CMP_IS));
	if (op == CMP_IN || op == CMP_NOT_IN) {
		const Val *v = host_contains(low, l, r);
		return op == CMP_IN || v->kind != VAL_BOOL ? v : val_bool(low, !v->b);
	}
	if (l->kind == VAL_TENSOR || r->kind == VAL_TENSOR)
		return compare_tensors(low, op, l, r);
	const Val *by_method = operator_method(low, cmp_methods[op], l, r);
	if (by_method)
		return by_method;
	if (op == CMP_EQ || op == CMP_NE) {
		ValEquality e = val_equality(l, r);
		return e == VAL_RUNS ? equal_items(low, op, l, r) : val_bool(low, (e == VAL_SAME) == (op == CMP_EQ));
	}
	bool ok;
	int order = host_order(l, r, &ok);
	if (!ok) {
		if ((l->kind == VAL_FLOAT && isnan(l->f)) || (r->kind == VAL_FLOAT && isnan(r->f)))
			return val_bool(low, false);
		return lower_error(low, DIAG_OPERAND_TYPES, ast_cmp_op_text(op), val_describe(low, l),
				   val_describe(low, r));
	}
	return val_bool(low, op == CMP_LT ? order < 0 : op == CMP_LE ? order <= 0 : op == CMP_GT ? order > 0 : order >= 0);
}

bool eval_truth(FrontLower *low, const Val *v, bool *ok)
{
	*ok = true;
	if (v->kind == VAL_TENSOR && v->origin)
		v = v->origin;
	v = val_known_for(v, "it decides which code there is");
	if (v->kind == VAL_TENSOR || v->kind == VAL_OPAQUE) {
		*ok = false;
		if (v->kind == VAL_OPAQUE)
			lower_error(low, DIAG_VALUE_OPAQUE, v->opaque.why);
		else
			lower_error(low, DIAG_NOT_CONSTEXPR, "a condition here", val_describe(low, v));
		return false;
	}
	if (v->kind == VAL_POISON) {
		*ok = false;
		return false;
	}
	if (v->kind == VAL_OBJECT) {
		const Val *b = operator_method(low, "__bool__", v, NULL);
		if (b)
			return eval_truth(low, b, ok);
	}
	return val_truth(v);
}

/* ---- subscripts ---- */

const Val *eval_subscript(FrontLower *low, const Val *v, const Val *index)
{
	if (is_poison(v, index))
		return low->poison;
	if (v->kind == VAL_TENSOR)
		return sem_subscript(low, v, index);
	if (v->kind == VAL_OPAQUE)
		return low->frame->host ? v : lower_error(low, DIAG_VALUE_OPAQUE, v->opaque.why);
	if (v->kind == VAL_OBJECT) {
		const Val *r = operator_method(low, "__getitem__", v, index);
		if (r)
			return r;
	}
	/* tl.tuple[...], list[int]: types with parameters are themselves. */
	if (v->kind == VAL_CLASS || (v->kind == VAL_PYTHON && v->python->is_type))
		return v;
	if (v->kind == VAL_FUNCTION && v->function->kind == FN_JIT)
		return lower_error(low, DIAG_LAUNCH_IN_KERNEL, v->function->ast->name);
	return host_index(low, v, index);
}

static const Val *eval_slice(FrontLower *low, const Ast *node)
{
	CONTRACT(node->kind == AST_SLICE);
	Val *v = val_new(low, VAL_SLICE);
	v->slice.lower = node->slice.lower ? eval(low, node->slice.lower) : NULL;
	v->slice.upper = node->slice.upper ? eval(low, node->slice.upper) : NULL;
	v->slice.step = node->slice.step ? eval(low, node->slice.step) : NULL;
	if ((v->slice.lower && v->slice.lower->kind == VAL_POISON) ||
	    (v->slice.upper && v->slice.upper->kind == VAL_POISON) || (v->slice.step && v->slice.step->kind == VAL_POISON))
		return low->poison;
	return v;
}

/* ---- the rest ---- */

static const Val *eval_lambda(FrontLower *low, Ast *node)
{
	CONTRACT(node->kind == AST_FUNCTION_DEF || node->kind == AST_LAMBDA);
	FrontFunction *ast = function_of_ast(low->frame->ns, node->function);
	FrontFunction *f = arena_copy(low->arena, ast, sizeof *ast);
	f->env = low->frame;
	f->id = FIRST_CLOSURE + ++low->closures;
	f->decorated = true;
	return function_defaults(low, f) ? val_function(low, f) : low->poison;
}

static const Val *eval_named(FrontLower *low, const Ast *node)
{
	CONTRACT(node->kind == AST_NAMED_EXPR);
	const Val *v = low->poison;
	if (!refuse_named_generator(low, node->named.target, node->named.value))
		v = eval(low, node->named.value);
	if (!low->frame->host)
		v = sanitize(low, v);
	if (!assign_target(low, node->named.target, v))
		return low->poison;
	/* A name that is declared constexpr took the value as it was. */
	return node->named.target->kind == AST_NAME ? frame_get(low->frame, node->named.target->name.id) : v;
}

static const Val *dispatch(FrontLower *low, Ast *node, bool dropped)
{
	switch (node->kind) {
	case AST_NAME:
		return eval_name(low, node->name.id);
	case AST_INT:
		return eval_int(low, node);
	case AST_FLOAT:
		return val_float(low, node->real.value);
	case AST_IMAGINARY:
		return lower_error(low, DIAG_UNSUPPORTED, "a complex number");
	case AST_STRING:
		return val_str(low, node->string.text);
	case AST_TRUE:
		return low->true_;
	case AST_FALSE:
		return low->false_;
	case AST_NONE:
		return low->none;
	case AST_ELLIPSIS:
		return val_new(low, VAL_ELLIPSIS);
	case AST_BIN_OP: {
		const Val *l = eval(low, node->bin.left), *r = eval(low, node->bin.right);
		return eval_binary(low, node->bin.op, l, r);
	}
	case AST_UNARY_OP:
		return eval_unary(low, node->un.op, eval(low, node->un.operand));
	case AST_BOOL_OP:
		return eval_bool_op(low, node, dropped);
	case AST_COMPARE:
		return eval_chain(low, node);
	case AST_CALL:
		return eval_is_lazy(node) ? eval_early(low, node, "map() or filter()") : eval_call(low, node);
	case AST_ATTRIBUTE:
		return eval_attribute_node(low, node);
	case AST_SUBSCRIPT: {
		const Val *v = eval(low, node->subscript.value), *index = eval(low, node->subscript.index);
		return eval_subscript(low, v, index);
	}
	case AST_SLICE:
		return eval_slice(low, node);
	case AST_IF_EXP:
		return eval_if_exp(low, node, dropped);
	case AST_LAMBDA:
		return eval_lambda(low, node);
	case AST_TUPLE:
	case AST_LIST:
	case AST_SET:
		return eval_seq(low, node, dropped);
	case AST_DICT:
		return eval_dict(low, node);
	case AST_NAMED_EXPR:
		return eval_named(low, node);
	case AST_LIST_COMP:
	case AST_SET_COMP:
	case AST_DICT_COMP:
		return eval_comprehension(low, node);
	case AST_GENERATOR:
		return eval_early(low, node, "a generator expression");
	case AST_JOINED_STR:
		return eval_joined(low, node);
	case AST_STARRED:
		return lower_error(low, DIAG_UNSUPPORTED, "a starred expression here");
	case AST_AWAIT:
	case AST_YIELD:
	case AST_YIELD_FROM:
		lower_error(low, DIAG_UNSUPPORTED, "a generator or coroutine");
		lower_note(low, "a function returns its results: return a, b");
		return low->poison;
	default:
		BUG("%s is no expression", ast_kind_name(node->kind));
	}
}

static const Val *evaluate(FrontLower *low, Ast *node, bool dropped)
{
	if (!lower_step(low))
		return low->poison;
	if (++low->depth > LOWER_MAX_NEST) {
		lower_stop(low, DIAG_LIMIT_NEST);
		low->depth--;
		return low->poison;
	}
	Span old = lower_at(low, node->span);
	const Val *v = strict_expression(low, node) ? dispatch(low, node, dropped) : low->poison;
	lower_restore(low, old);
	low->depth--;
	return v;
}

const Val *eval(FrontLower *low, Ast *node)
{
	return evaluate(low, node, false);
}

const Val *eval_dropped(FrontLower *low, Ast *node)
{
	return evaluate(low, node, true);
}
