/* front_lower: a kernel from its function, the types of its arguments and the values of its constexprs. */
#include "front/core.h"
#include "front/demote.h"

#include "base/fault.h"
#include "front/reads.h"
#include "front/tile/sem.h"
#include "ir/verify/verify.h"

/* "tensordesc<fp16[64, 64]>" */
static bool desc_type(FrontLower *low, Str text, TlType *out)
{
	const char *open = memchr(text.ptr, '[', text.len), *close = memchr(text.ptr, ']', text.len);
	if (!open || !close || close < open || text.ptr[text.len - 1] != '>')
		return false;
	TlType elem;
	if (!tl_type_by_name(low, (Str){text.ptr + 11, (size_t)(open - text.ptr) - 11}, &elem))
		return false;
	int64_t shape[IR_MAX_RANK];
	uint32_t rank = 0;
	for (const char *p = open + 1; p < close && rank < IR_MAX_RANK;) {
		int64_t n = 0;
		while (p < close && (*p == ' ' || *p == ','))
			p++;
		const char *digits = p;
		while (p < close && *p >= '0' && *p <= '9' && n < (1 << 30))
			n = n * 10 + (*p++ - '0');
		if (p == digits || n == 0)
			return false;
		shape[rank++] = n;
	}
	if (!rank)
		return false;
	*out = tl_desc(low, tl_block(low, elem, shape, rank), false);
	return true;
}

static bool arg_type(FrontLower *low, const char *text, TlType *out)
{
	Str t = str_of(text);
	while (t.len && t.ptr[0] == ' ')
		t.ptr++, t.len--;
	while (t.len && t.ptr[t.len - 1] == ' ')
		t.len--;
	if (t.len > 12 && memcmp(t.ptr, "tensordesc<", 11) == 0)
		return desc_type(low, t, out);
	return t.len && tl_type_by_name(low, t, out) && (*out)->kind != TL_VOID;
}

static const Val *const_arg(FrontLower *low, FrontFunction *f, uint32_t i, const FrontArg *arg)
{
	const char *why = NULL;
	const Val *v = resolve_argument(low, f, i, arg->text, &why);
	if (v && v->kind != VAL_OPAQUE)
		return v;
	lower_error(low, DIAG_KERNEL_ARG_VALUE, arg->text, v ? v->opaque.why : why);
	if (!is_constexpr_annotation(f->ns, f->ast->params[i].annotation))
		lower_note(low, "types of arguments are fp32, i32, ... and pointers to them *fp32; \":16\" "
				"behind one says that "
				"it is divisible by 16; what is no type is a value");
	return low->poison;
}

typedef struct KernelArg {
	const Val *known; /* also a VAL_DEMOTED */
	TlType type;
	uint32_t divisibility;
} KernelArg;

/* The value as it is where nothing could be gained. */
static const Val *demote(FrontLower *low, const AstParam *p, uint32_t i, const Val *value)
{
	TlType type;
	if (!val_is_number(value) || !sem_number_type(low, value, &type))
		return value;
	Demoted *d = ARENA_NEW(low->arena, Demoted);
	*d = (Demoted){.low = low, .param = i, .name = p->name, .at = p->span, .value = value, .type = type};
	low->demoted[i] = d;
	Val *v = val_new(low, VAL_DEMOTED);
	v->demoted = d;
	return v;
}

static bool kernel_arg(FrontLower *low, FrontFunction *f, uint32_t i, const FrontArg *arg, KernelArg *out)
{
	const AstParam *p = &f->ast->params[i];
	bool is_constexpr = is_constexpr_annotation(f->ns, p->annotation);
	low->span = p->span;
	if (arg->kind == FRONT_DEFAULT && !p->value) {
		lower_error(low, is_constexpr ? DIAG_CONSTEXPR_MISSING : DIAG_KERNEL_ARG_MISSING, p->name);
		return false;
	}
	if (arg->kind == FRONT_TYPE) {
		if (is_constexpr) {
			lower_error(low, DIAG_CONSTEXPR_TYPE, p->name, arg->text);
			return false;
		}
		if (!arg_type(low, arg->text, &out->type)) {
			lower_error(low, DIAG_KERNEL_ARG_TYPE, arg->text, p->name);
			return false;
		}
		out->divisibility = arg->divisibility;
		return true;
	}
	out->known = arg->kind == FRONT_DEFAULT ? param_default(low, f, i) : const_arg(low, f, i, arg);
	if (out->known->kind == VAL_OPAQUE)
		out->known = lower_error(low, DIAG_KERNEL_ARG_VALUE, "the default", out->known->opaque.why);
	if (arg->kind == FRONT_DEMOTED)
		out->known = demote(low, p, i, out->known);
	return out->known->kind != VAL_POISON;
}

/* A descriptor is its handle, then its shape and strides: what the launch passes. */
static void add_kernel_param(FrontLower *low, IrOp *func, const AstParam *p, const KernelArg *arg)
{
	IrLoc loc = lower_named_loc(low, p->name, p->span);
	IrBlock *body = ir_func_body(func);
	IrValue *ir = ir_block_arg_add(low->m, body, arg->type->ir, loc);
	const Val *v = val_tensor(low, ir, arg->type);
	if (arg->type->kind == TL_DESC) {
		uint32_t rank = arg->type->elem->rank;
		IrType i32 = ir_int(low->cx, 32), i64 = ir_int(low->cx, 64);
		for (uint32_t k = 0; k < rank; k++)
			ir_block_arg_add(low->m, body, i32, loc);
		for (uint32_t k = 0; k < rank; k++)
			ir_block_arg_add(low->m, body, i64, loc);
	}
	low->span = p->span;
	frame_set(low, low->frame, p->name, v);
}

static void finish_params(FrontLower *low, IrOp *func, const KernelArg *args, const FrontFunction *f)
{
	IrBlock *body = ir_func_body(func);
	IrAttr *attrs = ARENA_ARRAY(low->arena, IrAttr, MAX(body->arg_count, 1u));
	for (uint32_t i = 0; i < body->arg_count; i++)
		attrs[i] = ir_attr_dict(low->cx, NULL, NULL, 0);
	bool any = false;
	for (uint32_t i = 0, at = 0; i < f->ast->param_count; i++) {
		if (args[i].known)
			continue;
		if (args[i].divisibility > 1) {
			Sym name = low->cx->names[ATTR_DIVISIBILITY];
			IrAttr value = ir_attr_i32(low->cx, args[i].divisibility);
			attrs[at] = ir_attr_dict(low->cx, &name, &value, 1);
			any = true;
		}
		at += args[i].type->kind == TL_DESC ? 1 + 2 * args[i].type->elem->rank : 1;
	}
	if (any)
		ir_set(low->m, func, ATTR_ARG_ATTRS, ir_attr_array(low->cx, attrs, body->arg_count));
}

static bool check_params(FrontLower *low, FrontFunction *f, uint32_t arg_count)
{
	low->span = f->ast->name_span;
	function_decorate(f);
	if (f->kind != FN_JIT) {
		lower_error(low, DIAG_NOT_A_KERNEL, f->ast->name);
		return false;
	}
	const char *doubt = resolve_kernel_doubt(low, f);
	if (doubt) {
		low->span = f->ast->name_span;
		lower_error(low, DIAG_KERNEL_DOUBT, f->ast->name, doubt);
		return false;
	}
	if (!resolve_foreign_kernel(low, f))
		return false;
	low->span = f->ast->name_span;
	for (uint32_t i = 0; i < f->ast->param_count; i++)
		if (f->ast->params[i].kind == PARAM_STAR || f->ast->params[i].kind == PARAM_STAR_STAR) {
			low->span = f->ast->params[i].span;
			lower_error(low, DIAG_KERNEL_STAR, f->ast->name, f->ast->params[i].name);
			return false;
		}
	if (arg_count <= f->ast->param_count)
		return true;
	lower_error(low, DIAG_ARGUMENT_COUNT, f->ast->name, f->ast->param_count, arg_count);
	return false;
}

bool kernel_lower(FrontLower *low, FrontFunction *f, const FrontArg *args, uint32_t arg_count)
{
	uint32_t n = f->ast->param_count;
	Frame *frame = frame_new(low, f, function_scope(f));
	frame->root = frame;
	low->frame = frame;
	lower_enter(low, f);
	if (!check_params(low, f, arg_count))
		return false;
	KernelArg *given = ARENA_ARRAY(low->arena, KernelArg, MAX(n, 1u));
	low->demoted = ARENA_ARRAY(low->arena, Demoted *, MAX(n, 1u));
	bool ok = true;
	for (uint32_t i = 0; i < n; i++) {
		static const FrontArg none = {.kind = FRONT_DEFAULT};
		ok = kernel_arg(low, f, i, i < arg_count ? &args[i] : &none, &given[i]) && ok;
	}
	if (!function_parse(f, low->diags) || !ok)
		return false;
	lower_at(low, f->ast->name_span);
	ValueVec no_args = {0};
	IrOp *func = instance_func(low, ir_sym(low->cx, f->ast->name), &no_args, true, low->b.loc);
	ir_set(low->m, func, ATTR_NOINLINE, ir_attr_bool(low->cx, f->noinline));
	for (uint32_t i = 0; i < n; i++) {
		low->span = f->ast->params[i].span;
		if (given[i].known)
			frame_set(low, frame, f->ast->params[i].name, given[i].known);
		else
			add_kernel_param(low, func, &f->ast->params[i], &given[i]);
	}
	low->demoted_args = ARENA_NEW(low->arena, DemotedArgs);
	low->demoted_args->func = func;
	const Val *v = instance_body(low, f, func);
	finish_params(low, func, given, f);
	if (v && v->kind != VAL_POISON) {
		lower_at(low, f->ast->name_span);
		lower_error(low, DIAG_KERNEL_RETURNS, f->ast->name, val_describe(low, v));
	}
	return true;
}

void kernel_open(FrontLower *low, FrontFunction *f, const FrontOptions *options, IrCx *cx, DiagList *diags)
{
	lower_open(low, f->module->session, cx->arena, cx, diags, options);
	low->m = ir_module_new(cx);
	low->b = ir_at_end(low->m, ir_module_block(low->m), cx->unknown);
}

static void give_numbers(const FrontLower *low, FrontNumbers *numbers)
{
	const DemotedArgs *args = low->demoted_args;
	numbers->count = args->list.len;
	numbers->at = ARENA_ARRAY(low->arena, FrontNumber, args->list.len + 1);
	for (uint32_t i = 0; i < args->list.len; i++) {
		const DemotedArg *arg = &args->list.data[i];
		if (arg->number->structural)
			BUG("'%s' was numeric and is structural: %s", arg->number->name, arg->number->why);
		numbers->at[i] = (FrontNumber){arg->number->param, arg->type->dtype, arg->must_fit};
	}
}

const char *front_read_beyond(const FrontReads *reads)
{
	return reads->beyond;
}

bool front_content_forgot(const FrontReads *reads)
{
	return reads->forgotten;
}

static IrModule *lower_locked(FrontFunction *f, const FrontArg *args, uint32_t arg_count, const FrontOptions *options,
			      IrCx *cx, FrontNumbers *numbers, DiagList *diags)
{
	FrontLower low;
	uint32_t errors = diags->errors;
	kernel_open(&low, f, options, cx, diags);
	bool ok = kernel_lower(&low, f, args, arg_count) && diags->errors == errors && !low.stopped;
	if (ok && numbers)
		give_numbers(&low, numbers);
	return ok && ir_verify(low.m, LEVEL_T, diags) ? low.m : NULL;
}

IrModule *front_lower(FrontFunction *function, const FrontArg *args, uint32_t arg_count, const FrontOptions *options,
		      IrCx *cx, FrontNumbers *numbers, DiagList *diags)
{
	FrontSession *s = function->module->session;
	IrModule *volatile module = NULL;
	Fault fault;
	session_lock(s);
	if (FAULT_TRY(&fault)) {
		module = lower_locked(function, args, arg_count, options, cx, numbers, diags);
		fault_leave(&fault);
		session_unlock(s);
	} else {
		session_unlock(s);
		fault_raise(fault.kind, "%s", fault.text);
	}
	return module;
}
