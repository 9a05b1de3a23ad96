/* Demoted constexprs, see demote.h; and which parameters can be: front_classify. */
#include "front/demote.h"

#include "front/core.h"
#include "front/tile/sem.h"

/* ---- asking for the value ---- */

const Val *val_known_for(const Val *v, const char *why)
{
	if (v->kind != VAL_DEMOTED)
		return v;
	Demoted *d = v->demoted;
	if (!d->structural) {
		d->structural = true;
		d->where = lower_user_span(d->low);
		d->why = why ? why : "its value is needed when compiling";
	}
	return d->value;
}

const Val *val_known(const Val *v)
{
	return val_known_for(v, NULL);
}

/* ---- as tensors ---- */

/* Can the launch convert it as the front end does? What it cannot is an error of constants, or nothing is known of it. */
static bool converts(const Val *value, TlType type)
{
	return type->kind == TL_SCALAR && (value->kind != VAL_FLOAT || tl_is_float(type));
}

static IrValue *argument(FrontLower *low, Demoted *d, TlType type, bool must_fit)
{
	DemotedArgs *args = low->demoted_args;
	for (uint32_t i = 0; i < args->list.len; i++) {
		DemotedArg *arg = &args->list.data[i];
		if (arg->number != d || arg->type != type)
			continue;
		arg->must_fit |= must_fit;
		return arg->ir;
	}
	IrLoc loc = lower_named_loc(low, d->name, d->at);
	IrValue *ir = ir_block_arg_add(low->m, ir_func_body(args->func), type->ir, loc);
	DemotedArg arg = {.number = d, .type = type, .must_fit = must_fit, .ir = ir};
	vec_push(low->arena, &args->list, arg);
	return ir;
}

const Val *demoted_tensor(FrontLower *low, const Val *v, TlType type, bool must_fit)
{
	CONTRACT(v->kind == VAL_DEMOTED);
	Demoted *d = v->demoted;
	if (low->regions)
		return sem_const(low, val_known_for(v, "it is used inside a function that combines elements"), type);
	if (!converts(d->value, type))
		return sem_const(low, val_known_for(v, "it is converted to a type that only constants are converted to"), type);
	/* This type is reached through fp16, as a constant is. */
	if (tl_is(type, DT_FP8E4B15))
		return sem_cast(low, demoted_tensor(low, v, tl_scalar(low, DT_FP16), false), type);
	return sem_make(low, argument(low, d, type, must_fit && d->value->kind != VAL_BOOL), type);
}

IrValue *demoted_operand(FrontLower *low, const DemotedArg *arg)
{
	if (!arg->number)
		return captured_argument(low, arg->frame, arg->outer);
	Val v = {.kind = VAL_DEMOTED, .demoted = arg->number};
	const Val *t = demoted_tensor(low, &v, arg->type, arg->must_fit);
	return t->kind == VAL_TENSOR ? t->tensor.ir : irb_0(&low->b, OP_POISON, arg->type->ir);
}
