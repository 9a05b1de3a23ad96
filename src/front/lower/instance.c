/* Jit functions: a call makes one private function per (function, types of the run-time arguments,
 * values of the others) and calls it. */
#include "front/core.h"
#include "front/demote.h"
#include "front/syntax/parse.h"

typedef struct Instance {
	IrOp *func;
	Sym symbol;
	const Val *result; /* template; NULL: returns nothing */
	bool done, failed;
	DemotedArgs demoted;
} Instance;

/* ---- lowering a body ---- */

/* Everything that lowering a function changes and its caller wants back. */
typedef struct Caller {
	Frame *frame;
	IrBuilder b;
	Span span;
	DemotedArgs *demoted_args;
} Caller;

static Caller enter(FrontLower *low, Frame *frame)
{
	Caller caller = {low->frame, low->b, low->span, low->demoted_args};
	frame->caller = low->frame;
	frame->call_span = low->span;
	low->frame = frame;
	return caller;
}

static void leave(FrontLower *low, const Caller *caller)
{
	low->frame = caller->frame;
	low->b = caller->b;
	low->span = caller->span;
	low->demoted_args = caller->demoted_args;
}

static IrAttr symbol_attr(FrontLower *low, Sym name)
{
	return ir_attr_string(low->cx, str_of(name));
}

IrOp *instance_func(FrontLower *low, Sym symbol, const ValueVec *like, bool is_public, IrLoc loc)
{
	CONTRACT(like->len == 0 || like->data);
	IrType *types = ARENA_ARRAY(low->arena, IrType, MAX(like->len, 1u));
	for (uint32_t i = 0; i < like->len; i++)
		types[i] = like->data[i]->type;
	IrOp *func = ir_op_new(low->m, OP_FUNC, loc, NULL, 0, NULL, 0, 1);
	ir_set(low->m, func, ATTR_SYM_NAME, symbol_attr(low, symbol));
	ir_set(low->m, func, ATTR_FUNCTION_TYPE,
	       ir_attr_type(low->cx, ir_func_type(low->cx, types, like->len, NULL, 0)));
	ir_set(low->m, func, ATTR_SYM_VISIBILITY, symbol_attr(low, is_public ? "public" : "private"));
	ir_op_append(ir_module_block(low->m), func);
	ir_block_new(low->m, &func->regions[0]);
	return func;
}

/* The body, from the frame's parameters to tt.return.
 * The result is the template of what is returned. */
const Val *instance_body(FrontLower *low, FrontFunction *f, IrOp *func)
{
	CONTRACT(func->kind == OP_FUNC && ir_func_body(func));
	low->b = ir_at_end(low->m, ir_func_body(func), func->loc);
	nonlocal_enter(low, f);
	Stream body_of = {.list = f->ast->body}, end = {0};
	if (low->frame->own_nonlocals.len) { /* they are given back at the end, too */
		Ast *node = ARENA_NEW(low->arena, Ast);
		node->kind = AST_RETURN;
		node->span = f->ast->name_span;
		end.list = (AstList){ARENA_ARRAY(low->arena, Ast *, 1), 1};
		end.list.items[0] = node;
		body_of.next = &end;
	}
	Flow flow = lower_stream(low, body_of, true);
	lower_at(low, flow.at.file ? flow.at : f->ast->name_span);
	const Val *v = flow.kind == FLOW_RETURN ? flow.value : NULL;
	ValueVec values = {0};
	if (v && v->kind != VAL_POISON)
		val_flatten(low, v, &values);
	irb_op(&low->b, OP_RETURN, values.data, values.len, NULL, 0, 0);
	IrType *types = ARENA_ARRAY(low->arena, IrType, MAX(values.len, 1u));
	for (uint32_t i = 0; i < values.len; i++)
		types[i] = values.data[i]->type;
	/* Its arguments may have become more: demoted numbers. */
	const IrBlock *body = ir_func_body(func);
	IrType *arg_types = ARENA_ARRAY(low->arena, IrType, MAX(body->arg_count, 1u));
	for (uint32_t i = 0; i < body->arg_count; i++)
		arg_types[i] = body->args[i]->type;
	ir_set(low->m, func, ATTR_FUNCTION_TYPE,
	       ir_attr_type(low->cx, ir_func_type(low->cx, arg_types, body->arg_count, types, values.len)));
	return v && v->kind == VAL_NONE ? NULL : v;
}

/* ---- instances ---- */

/* What tells instances apart. */
static void key_of(FrontLower *low, Text *key, const Val *v)
{
	switch (v->kind) {
	case VAL_TENSOR:
		text_printf(key, "%s", tl_type_text(low, v->tensor.type));
		break;
	case VAL_TUPLE:
	case VAL_LIST:
		text_str(key, v->seq.klass ? v->seq.klass->qualified : "");
		text_char(key, '(');
		for (uint32_t i = 0; i < v->seq.len; i++) {
			key_of(low, key, v->seq.items[i]);
			text_char(key, ',');
		}
		text_char(key, ')');
		break;
	case VAL_OBJECT:
		text_str(key, v->object.klass->qualified);
		text_printf(key, "@%p", (const void *)v->object.klass);
		text_char(key, '{');
		for (uint32_t i = 0; i < v->object.klass->field_count; i++) {
			if (v->object.fields[i])
				key_of(low, key, v->object.fields[i]);
			text_char(key, ',');
		}
		text_char(key, '}');
		break;
	case VAL_DICT:
		for (uint32_t i = 0; i < v->dict.len; i++) {
			key_of(low, key, v->dict.keys[i]);
			text_char(key, ':');
			key_of(low, key, v->dict.values[i]);
			text_char(key, ',');
		}
		break;
	case VAL_CLASS:
		text_str(key, v->klass->qualified);
		text_printf(key, "@%p", (const void *)v->klass);
		break;
	case VAL_FUNCTION:
		text_str(key, v->function->qualified);
		text_printf(key, "#%u", v->function->id);
		break;
	case VAL_METHOD:
		key_of(low, key, v->method.callee);
		text_char(key, '.');
		key_of(low, key, v->method.self);
		break;
	case VAL_CONST_TYPE:
		text_str(key, "type ");
		key_of(low, key, v->typed);
		break;
	case VAL_BUILTIN:
		text_printf(key, "b%p", (const void *)v->builtin);
		break;
	case VAL_DEMOTED:
		text_printf(key, "d%s", v->demoted->name);
		break;
	default:
		text_printf(key, "c%s:%s", val_type_name(v), val_repr(low, v));
	}
}

/* The parameters of an instance: IR values become arguments of its function, the rest is known. */
static void bind_instance(FrontLower *low, FrontFunction *f, const Val **values, IrOp *func)
{
	IrType type = ir_func_type_of(func);
	uint32_t next = 0;
	for (uint32_t i = 0; i < f->ast->param_count; i++) {
		const AstParam *p = &f->ast->params[i];
		ValueVec outside = {0}, inside = {0};
		val_flatten(low, values[i], &outside);
		IrLoc loc = lower_named_loc(low, p->name, p->span);
		for (uint32_t k = 0; k < outside.len; k++)
			vec_push(low->arena, &inside,
				 ir_block_arg_add(low->m, ir_func_body(func), type->list[next++], loc));
		uint32_t cursor = 0;
		low->span = p->span;
		frame_set(low, low->frame, p->name, val_rebuild(low, values[i], inside.data, &cursor));
	}
}

static Instance *instance_new(FrontLower *low, FrontFunction *f, const Val **values)
{
	Instance *in = ARENA_NEW(low->arena, Instance);
	ValueVec outside = {0};
	for (uint32_t i = 0; i < f->ast->param_count; i++)
		val_flatten(low, values[i], &outside);
	in->symbol = instance_symbol(low, f, values);
	Frame *frame = frame_new(low, f, function_scope(f));
	frame->root = frame;
	frame->env = f->env;
	Caller caller = enter(low, frame);
	lower_at(low, f->ast->name_span);
	in->func = instance_func(low, in->symbol, &outside, false, low->b.loc);
	ir_set(low->m, in->func, ATTR_NOINLINE, ir_attr_bool(low->cx, f->noinline));
	bind_instance(low, f, values, in->func);
	in->demoted.func = in->func;
	low->demoted_args = &in->demoted;
	uint32_t errors = low->diags->errors;
	in->result = instance_body(low, f, in->func);
	in->failed = low->diags->errors != errors || low->stopped ||
		     (in->result && in->result->kind == VAL_POISON);
	in->done = true;
	leave(low, &caller);
	return in;
}

static uint32_t call_depth(const Frame *frame)
{
	uint32_t n = 0;
	for (; frame; frame = frame->caller)
		n++;
	return n;
}

/* What is known of the numbers that a function returns. */
static const Val *known_as(FrontLower *low, const Val *v, const Val *result)
{
	if (v->kind != VAL_TUPLE || v == result)
		return val_add_origin(low, v, result->origin);
	const Val **items = NULL;
	const Val *t = val_tuple_like(low, v, &items);
	for (uint32_t i = 0; i < v->seq.len; i++)
		items[i] = known_as(low, v->seq.items[i], result->seq.items[i]);
	return t;
}

static const Val *call(FrontLower *low, const Instance *in, FrontFunction *f, const Val **values)
{
	ValueVec operands = {0}, like = {0}, results = {0};
	for (uint32_t i = 0; i < f->ast->param_count; i++)
		val_flatten(low, values[i], &operands);
	for (uint32_t i = 0; i < in->demoted.list.len; i++)
		vec_push(low->arena, &operands, demoted_operand(low, &in->demoted.list.data[i]));
	if (in->result)
		val_flatten(low, in->result, &like);
	IrType *types = ARENA_ARRAY(low->arena, IrType, MAX(like.len, 1u));
	for (uint32_t i = 0; i < like.len; i++)
		types[i] = like.data[i]->type;
	IrOp *op = irb_op(&low->b, OP_CALL, operands.data, operands.len, types, like.len, 0);
	ir_set(low->m, op, ATTR_CALLEE, ir_attr_symbol(low->cx, in->symbol));
	for (uint32_t i = 0; i < like.len; i++)
		vec_push(low->arena, &results, ir_result(op, i));
	uint32_t cursor = 0;
	if (!in->result)
		return low->none;
	return known_as(low, val_rebuild(low, in->result, results.data, &cursor), in->result);
}

/* A lambda is one expression: it is evaluated where it is called. */
static const Val *inline_lambda(FrontLower *low, FrontFunction *f, const Val **values)
{
	Frame *frame = frame_new(low, f, function_scope(f));
	frame->env = f->env;
	Frame *old = low->frame;
	frame->caller = old;
	frame->call_span = low->span;
	low->frame = frame;
	for (uint32_t i = 0; i < f->ast->param_count; i++)
		frame_set(low, frame, f->ast->params[i].name, values[i]);
	const Val *v = eval(low, f->ast->body.items[0]->unary_stmt.value);
	low->frame = old;
	return v;
}

static bool check_noinline(FrontLower *low, FrontFunction *f, const Val **values)
{
	for (uint32_t i = 0; f->noinline && i < f->ast->param_count; i++)
		if (values[i]->kind == VAL_TENSOR && values[i]->tensor.type->kind == TL_BLOCK) {
			lower_error(low, DIAG_NOINLINE_TENSOR, f->ast->name, f->ast->params[i].name,
				    val_describe(low, values[i]));
			return false;
		}
	return true;
}

const Val *instance_call(FrontLower *low, FrontFunction *f, const CallArgs *args)
{
	const Val **values = ARENA_ARRAY(low->arena, const Val *, MAX(f->ast->param_count, 1u));
	if (!bind_arguments(low, f, args, values))
		return low->poison;
	for (uint32_t i = 0; i < f->ast->param_count; i++) {
		if (values[i]->kind == VAL_POISON)
			return low->poison;
		if (values[i]->kind == VAL_OPAQUE)
			return lower_error(low, DIAG_VALUE_OPAQUE, values[i]->opaque.why);
		/* A parameter that is a constexpr takes the number itself. */
		if (values[i]->kind == VAL_TENSOR && values[i]->origin &&
		    is_constexpr_annotation(f->ns, f->ast->params[i].annotation))
			values[i] = values[i]->origin;
	}
	if (call_depth(low->frame) > LOWER_MAX_CALLS) {
		lower_stop(low, DIAG_LIMIT_CALLS, f->ast->name ? f->ast->name : "<lambda>", LOWER_MAX_CALLS);
		return low->poison;
	}
	if (!function_parse(f, low->diags))
		return low->poison;
	if (f->ast->is_lambda)
		return inline_lambda(low, f, values);
	if (!check_noinline(low, f, values) || !nonlocal_may_call(low, f))
		return low->poison;
	Text key;
	text_init(&key, low->arena);
	text_printf(&key, "%u", f->id);
	/* What a kernel's own function finds around it may be another value at each call. */
	if (f->env && !f->env->host)
		text_printf(&key, "+%u", ++low->closures);
	for (uint32_t i = 0; i < f->ast->param_count; i++) {
		text_char(&key, '|');
		key_of(low, &key, values[i]);
	}
	Sym sym = ir_sym(low->cx, key.data);
	Instance *in = map_get_ptr(&low->instances, sym);
	if (in && !in->done)
		return lower_error(low, DIAG_CALL_RECURSION, f->ast->name);
	if (!in) {
		/* Marks the key while the body is lowered: a call
		 * of it from there is a recursion without end. */
		static const Instance busy = {0};
		map_put_ptr(&low->instances, sym, &busy);
		in = instance_new(low, f, values);
		map_put_ptr(&low->instances, sym, in);
	}
	return in->failed ? low->poison : nonlocal_assigned(low, f, call(low, in, f, values));
}

/* ---- regions of reduce and scan ---- */

typedef VEC(TlType) TypeVec;

static void flat_types(FrontLower *low, const Val *v, TypeVec *out)
{
	if (v->kind == VAL_TENSOR)
		vec_push(low->arena, out, v->tensor.type);
	else if (val_is_seq(v))
		for (uint32_t i = 0; i < v->seq.len; i++)
			flat_types(low, v->seq.items[i], out);
	else if (v->kind == VAL_OBJECT)
		for (uint32_t i = 0; i < v->object.klass->field_count; i++) {
			if (v->object.fields[i])
				flat_types(low, v->object.fields[i], out);
		}
}

static const char *types_text(FrontLower *low, const TlType *types, uint32_t count)
{
	Text t;
	text_init(&t, low->arena);
	for (uint32_t i = 0; i < count; i++)
		text_printf(&t, "%s%s", i ? ", " : "", tl_type_text(low, types[i]));
	return t.data ? t.data : "nothing";
}

/* Calls `fn` on arguments of a new block of the region. NULL after diagnosing. */
static const Val *region_call(FrontLower *low, IrRegion *region, const Val *fn, const TlType *arg_types,
			      uint32_t arg_count)
{
	IrBlock *block = ir_block_new(low->m, region);
	const Val **args = ARENA_ARRAY(low->arena, const Val *, MAX(arg_count, 1u));
	for (uint32_t i = 0; i < arg_count; i++)
		args[i] = val_tensor(low, ir_block_arg_add(low->m, block, arg_types[i]->ir, low->b.loc),
				     arg_types[i]);
	low->b.block = block;
	low->b.before = NULL;
	uint32_t errors = low->diags->errors;
	low->regions++;
	const Val *v = lower_call(low, fn, &(CallArgs){.args = args, .arg_count = arg_count});
	if (v->kind != VAL_POISON && low->diags->errors == errors)
		v = sanitize(low, v);
	low->regions--;
	return v->kind == VAL_POISON || low->diags->errors != errors ? NULL : v;
}

/* ---- effects ---- */

enum { DEEPEST_CALL = 16 };

typedef struct Effect {
	const IrModule *module;
	const IrOp *op; /* the first that is found */
	unsigned deep;
} Effect;

/* One thread of all would store what has no dims, and threads do not meet where each has another
 * element. */
static bool find_effect(void *data, IrOp *op)
{
	Effect *e = data;
	if (ir_has_trait(op, TRAIT_WRITE) || op->kind == OP_BARRIER)
		e->op = op;
	IrOp *callee = NULL;
	if (op->kind == OP_CALL && e->deep < DEEPEST_CALL)
		callee = ir_find_func(e->module, ir_get(op, e->module->cx, ATTR_CALLEE)->text);
	if (callee) {
		e->deep++;
		ir_walk(callee, false, find_effect, e);
		e->deep--;
	}
	return !e->op;
}

/* Diagnoses functions of single elements that have an effect. */
static bool is_without_effect(FrontLower *low, const IrRegion *region, const Val *fn)
{
	Effect e = {.module = low->m};
	ir_walk(region->op, false, find_effect, &e);
	if (e.op)
		lower_error(low, DIAG_COMBINE_EFFECT, val_describe(low, fn), ir_op_info[e.op->kind].text);
	return !e.op;
}

static void region_end(FrontLower *low, const Val *v, IrOpKind terminator)
{
	ValueVec values = {0};
	val_flatten(low, v, &values);
	irb_op(&low->b, terminator, values.data, values.len, NULL, 0, 0);
}

bool lower_region_results(FrontLower *low, IrRegion *region, const Val *fn, const TlType *arg_types,
			  uint32_t arg_count,
			  IrOpKind terminator, TlType *result_types, uint32_t *result_count)
{
	IrBuilder outer = low->b;
	const Val *v = region_call(low, region, fn, arg_types, arg_count);
	TypeVec types = {0};
	if (v)
		flat_types(low, v, &types);
	bool ok = v && types.len && types.len <= *result_count;
	if (v && !ok)
		lower_error(low, DIAG_COMBINE_TYPES, val_describe(low, fn), val_describe(low, v),
			    arena_printf(low->arena, "1 to %u tensors", *result_count));
	if (ok) {
		memcpy(result_types, types.data, types.len * sizeof *result_types);
		*result_count = types.len;
		region_end(low, v, terminator);
	}
	low->b = outer;
	return ok && is_without_effect(low, region, fn);
}

bool lower_region_of(FrontLower *low, IrRegion *region, const Val *fn, const TlType *arg_types,
		     uint32_t arg_count,
		     IrOpKind terminator, const TlType *result_types, uint32_t result_count)
{
	IrBuilder outer = low->b;
	const Val *v = region_call(low, region, fn, arg_types, arg_count);
	TypeVec types = {0};
	if (v)
		flat_types(low, v, &types);
	bool ok = v && (!result_types || types.len == result_count);
	for (uint32_t i = 0; ok && result_types && i < result_count; i++)
		ok = types.data[i] == result_types[i];
	if (v && !ok)
		lower_error(low, DIAG_COMBINE_TYPES, val_describe(low, fn),
			    types_text(low, types.data, types.len),
			    types_text(low, result_types, result_count));
	if (ok)
		region_end(low, v, terminator);
	low->b = outer;
	return ok && is_without_effect(low, region, fn);
}
