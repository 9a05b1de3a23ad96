/* Builtins about the program and the device: grid, target, inline assembly, hints, printing, assertions. */
#include "front/builtin/builtin.h"
#include "front/demote.h"

#include <ctype.h>
#include <stdlib.h>

const Val *builtin_program_id(FrontLower *low, const BuiltinCall *call)
{
	int64_t axis;
	if (!sem_arg_int(low, call->what, "axis", call->a[0], &axis))
		return low->poison;
	if (axis < 0 || axis > 2)
		return lower_error(low, DIAG_TILE_GRID_AXIS, call->what, (long long)axis);
	TlType type = tl_scalar(low, DT_INT32);
	IrValue *ir = irb_0(&low->b, (IrOpKind)call->info->data, type->ir);
	ir_set(low->m, ir->def, ATTR_AXIS, ir_attr_i32(low->cx, axis));
	return sem_make(low, ir, type);
}

const Val *builtin_threads(FrontLower *low, const BuiltinCall *call)
{
	uint32_t warps = low->options->num_warps ? low->options->num_warps : 4;
	return val_int(low, (int64_t)warps * call->info->data);
}

/* Without a target (the interpreter) there is no CUDA device: files take their portable path. */
const Val *builtin_target(FrontLower *low, const BuiltinCall *call)
{
	return val_bool(low, call->info->data == 0 && low->options->target_arch);
}

const Val *builtin_target_geq(FrontLower *low, const BuiltinCall *call)
{
	int64_t major, minor;
	if (!sem_arg_int(low, call->what, "major", call->a[0], &major) ||
	    !sem_arg_int(low, call->what, "minor", call->a[1], &minor))
		return low->poison;
	return val_bool(low, low->options->target_arch && low->options->target_arch >= major * 10 + minor);
}

const Val *builtin_unavailable(FrontLower *low, const BuiltinCall *call)
{
	return lower_error(low, DIAG_TILE_UNAVAILABLE, call->what, call->info->doc);
}

/* ---- inline assembly ---- */

typedef struct Asm {
	Str text, constraints;
	bool pure;
	int64_t pack;
} Asm;

static IrOp *emit_asm(FrontLower *low, const Asm *code, IrValue *const *operands, uint32_t count,
		      const IrType *types,
		      uint32_t results)
{
	IrOp *op = irb_op(&low->b, OP_INLINE_ASM, operands, count, types, results, 0);
	ir_set(low->m, op, ATTR_ASM_STRING, ir_attr_string(low->cx, code->text));
	ir_set(low->m, op, ATTR_CONSTRAINTS, ir_attr_string(low->cx, code->constraints));
	ir_set(low->m, op, ATTR_PURE, ir_attr_bool(low->cx, code->pure));
	ir_set(low->m, op, ATTR_PACKED_ELEMENT, ir_attr_i32(low->cx, code->pack));
	return op;
}

const Val *builtin_device_register(FrontLower *low, const BuiltinCall *call)
{
	bool clock = call->info->data == 64;
	Asm code = {.text = clock ? STR("mov.u64 $0, %globaltimer;") : STR("mov.u32 $0, %smid;"),
		    .constraints = clock ? STR("=l") : STR("=r"), .pure = !clock, .pack = 1};
	TlType type = tl_scalar(low, clock ? DT_INT64 : DT_INT32);
	return sem_make(low, ir_result(emit_asm(low, &code, NULL, 0, &type->ir, 1), 0), type);
}

const Val *builtin_grid_control(FrontLower *low, const BuiltinCall *call)
{
	Asm code = {.text = call->info->data ? STR("griddepcontrol.launch_dependents; // dummy $0")
					     : STR("griddepcontrol.wait; // dummy $0"),
		    .constraints = STR("=r"), .pack = 1};
	emit_asm(low, &code, NULL, 0, &tl_scalar(low, DT_INT32)->ir, 1);
	return low->none;
}

enum { MAX_ASM = 64 };

static bool asm_args(FrontLower *low, const BuiltinCall *call, const Val **in, uint32_t *count)
{
	const Val *list = call->a[2];
	if (!sem_is_seq(list) || list->seq.len > MAX_ASM) {
		lower_error(low, DIAG_TILE_ARG_KIND, call->what, "args", "a list of tensors",
			    sem_describe(low, list));
		return false;
	}
	*count = list->seq.len;
	for (uint32_t i = 0; i < *count; i++) {
		in[i] = sem_arg_tensor(low, call->what, "args", list->seq.items[i]);
		if (!in[i])
			return false;
	}
	return *count == 0 || sem_broadcast_all(low, in, *count);
}

static bool asm_results(FrontLower *low, const BuiltinCall *call, const Val *first, TlType *types,
			uint32_t *count)
{
	const Val *dtypes = call->a[3];
	const Val *const *items = sem_is_seq(dtypes) ? dtypes->seq.items : &dtypes;
	*count = sem_is_seq(dtypes) ? dtypes->seq.len : 1;
	if (*count == 0 || *count > MAX_ASM) {
		lower_error(low, DIAG_TILE_ARG_KIND, call->what, "dtype", "one or more dtypes",
			    sem_describe(low, dtypes));
		return false;
	}
	for (uint32_t i = 0; i < *count; i++) {
		if (!sem_arg_dtype(low, call->what, "dtype", items[i], &types[i]))
			return false;
		if (first)
			types[i] = tl_with_elem(low, sem_type(first), tl_elem(types[i]));
	}
	return true;
}

/* Results and arguments, without what is clobbered. */
static unsigned constraint_count(const char *constraints)
{
	unsigned count = 0;
	for (const char *at = constraints; *at; at += strcspn(at, ","), at += *at == ',') {
		at += strspn(at, " ");
		count += *at && *at != '~';
	}
	return count;
}

/* $N and ${N:modifier} name operands; $$ is a dollar. */
static bool check_asm_operands(FrontLower *low, const char *text, const char *constraints)
{
	unsigned count = constraint_count(constraints);
	for (const char *at = strchr(text, '$'); at; at = strchr(at, '$')) {
		at += 1;
		if (*at == '$') {
			at++;
			continue;
		}
		at += *at == '{';
		unsigned long named = *at >= '0' && *at <= '9' ? strtoul(at, NULL, 10) : 0;
		if (count && named >= count) {
			lower_error(low, DIAG_TILE_ASM_OPERAND, (unsigned)named, constraints, count - 1);
			return false;
		}
	}
	return true;
}

const Val *builtin_inline_asm(FrontLower *low, const BuiltinCall *call)
{
	const Val *in[MAX_ASM], *out[MAX_ASM];
	TlType types[MAX_ASM];
	IrValue *operands[MAX_ASM];
	IrType ir[MAX_ASM];
	uint32_t count, results;
	const char *text, *constraints;
	Asm code;
	if (!sem_arg_str(low, call->what, "asm", call->a[0], &text) ||
	    !sem_arg_str(low, call->what, "constraints", call->a[1], &constraints) ||
	    !sem_arg_bool(low, call->what, "is_pure", call->a[4], &code.pure) ||
	    !sem_arg_int(low, call->what, "pack", call->a[5], &code.pack) || !asm_args(low, call, in, &count) ||
	    !asm_results(low, call, count ? in[0] : NULL, types, &results) ||
	    !check_asm_operands(low, text, constraints))
		return low->poison;
	code.text = str_of(text);
	code.constraints = str_of(constraints);
	for (uint32_t i = 0; i < count; i++)
		operands[i] = sem_ir(in[i]);
	for (uint32_t i = 0; i < results; i++)
		ir[i] = types[i]->ir;
	IrOp *op = emit_asm(low, &code, operands, count, ir, results);
	for (uint32_t i = 0; i < results; i++)
		out[i] = sem_make(low, ir_result(op, i), types[i]);
	return sem_is_seq(call->a[3]) ? val_tuple(low, out, results) : out[0];
}

/* ---- hints ---- */

/* The value that a loop begins with, of one that it hands from turn to turn. */
static IrValue *first_of_carried(const FrontLower *low, IrValue *v)
{
	for (uint32_t i = low->loop_args.len; i-- > 0 && !v->def;)
		if (low->loop_args.data[i].arg == v)
			v = low->loop_args.data[i].init;
	return v;
}

/* The promise is an attribute of the op that makes the value, as upstream keeps it; the argument of a block has no
 * place for one. What goes into a loop keeps it for what the loop carries, unless more is said of
 * it; other arguments' promises are dropped. */
const Val *builtin_hint(FrontLower *low, const BuiltinCall *call)
{
	SemInts values;
	const Val *v = call->a[0];
	if (!sem_is_tensor(v)) /* a number known when compiling needs no promise */
		return v;
	if (!sem_arg_ints(low, call->what, "values", call->a[1], &values))
		return low->poison;
	uint32_t rank = tl_is_block(sem_type(v)) ? sem_type(v)->rank : 0;
	bool scalar_ok = call->info->data == ATTR_DIVISIBILITY;
	if (values.len != (rank || !scalar_ok ? rank : 1))
		return lower_error(low, DIAG_TILE_HINT_RANK, call->what, values.len, sem_describe(low, v));
	IrValue *ir = first_of_carried(low, sem_ir(v));
	bool said = ir != sem_ir(v) && ir->def && ir_get(ir->def, low->cx, (IrAttrName)call->info->data);
	if (!ir->def || !values.len || said)
		return v;
	uint64_t words[IR_MAX_RANK];
	for (uint32_t i = 0; i < values.len; i++)
		words[i] = (uint32_t)values.at[i];
	IrType type = ir_tensor(low->cx, ir_scalar(low->cx, TY_I32), (int64_t[]){values.len}, 1, NULL);
	ir_set(low->m, ir->def, (IrAttrName)call->info->data,
	       ir_attr_dense(low->cx, type, words, values.len));
	return v;
}

const Val *builtin_assume(FrontLower *low, const BuiltinCall *call)
{
	const Val *host = sem_is_tensor(call->a[0]) ? call->a[0]->origin : call->a[0];
	if (host && val_is_host_number(host))
		return low->none;
	const Val *cond = sem_arg_tensor(low, call->what, "cond", call->a[0]);
	if (!cond)
		return low->poison;
	if (sem_type(cond) != tl_scalar(low, DT_INT1))
		return lower_error(low, DIAG_TILE_TRUTH_EXPECTED, call->what, sem_describe(low, cond));
	IrValue *ir = sem_ir(cond);
	irb_op(&low->b, OP_ASSUME, &ir, 1, NULL, 0, 0);
	return low->none;
}

const Val *builtin_debug_barrier(FrontLower *low, const BuiltinCall *call)
{
	(void)call;
	irb_op(&low->b, OP_BARRIER, NULL, 0, NULL, 0, 0);
	return low->none;
}

/* ---- printing, assertions ---- */

/* A prefix that is followed by values ends in ": " and begins with a space. */
static const char *print_prefix(FrontLower *low, const char *prefix, bool values)
{
	Text text;
	text_init(&text, low->arena);
	size_t len = strlen(prefix);
	if (values) {
		while (len && prefix[len - 1] == ' ')
			len--;
		bool colon = len && prefix[len - 1] == ':';
		text_printf(&text, "%.*s%s", (int)len, prefix, colon ? " " : ": ");
	} else {
		text_str(&text, prefix);
	}
	const char *space = text.len > 2 && text.data[0] != ' ' ? " " : "";
	return arena_printf(low->arena, "%s%s", space, text.data);
}

/* Which of their elements are printed (ir/shown.h). */
static void note_shown(FrontLower *low, IrOp *op, const Val *const *values, uint32_t count)
{
	Text sizes;
	bool padded = false;
	text_init(&sizes, low->arena);
	for (uint32_t k = 0; k < count; k++) {
		const Val *v = sem_to_tensor(low, values[k]);
		TlType t = sem_type(v);
		text_str(&sizes, k ? ";" : "");
		padded |= tl_is_padded(t);
		for (uint32_t i = 0; tl_is_padded(t) && i < t->rank; i++)
			text_printf(&sizes, "%s%lld", i ? "x" : "", (long long)t->shape[i]);
	}
	if (padded)
		ir_set(low->m, op, ATTR_PADDED, ir_attr_string(low->cx, (Str){sizes.data, sizes.len}));
}

const Val *sem_print(FrontLower *low, const char *text, const Val *const *values, uint32_t count, bool hex)
{
	IrValue *operands[MAX_ASM];
	int64_t is_signed[MAX_ASM];
	for (const char *at = text; *at; at++) {
		if (!isprint((unsigned char)*at) && !isspace((unsigned char)*at))
			return lower_error(low, DIAG_TILE_ARG_KIND, "tl.device_print", "prefix", "ASCII text",
					   sem_describe(low, val_str(low, str_of(text))));
	}
	CONTRACT(count <= MAX_ASM);
	for (uint32_t i = 0; i < count; i++) {
		const Val *v = sem_arg_tensor(low, "tl.device_print", "args", values[i]);
		if (!v)
			return low->poison;
		operands[i] = sem_ir(v);
		is_signed[i] = tl_is_signed(sem_elem(v));
	}
	IrOp *op = irb_op(&low->b, OP_PRINT, operands, count, NULL, 0, 0);
	ir_set(low->m, op, ATTR_PREFIX, ir_attr_string(low->cx, str_of(text)));
	ir_set(low->m, op, ATTR_HEX, ir_attr_bool(low->cx, hex));
	IrAttr signs = ir_attr_ints(low->cx, ir_scalar(low->cx, TY_I32), is_signed, count);
	ir_set(low->m, op, ATTR_IS_SIGNED, signs);
	note_shown(low, op, values, count);
	return low->none;
}

const Val *builtin_device_print(FrontLower *low, const BuiltinCall *call)
{
	const Val *values = call->a[1];
	bool hex;
	if (call->a[0]->kind != VAL_STR || values->seq.len > MAX_ASM)
		return lower_error(low, DIAG_TILE_ARG_KIND, call->what, "prefix", "a string",
				   sem_describe(low, call->a[0]));
	if (!sem_arg_bool(low, call->what, "hex", call->a[2], &hex))
		return low->poison;
	const char *prefix = arena_strndup(low->arena, call->a[0]->s.ptr, call->a[0]->s.len);
	prefix = print_prefix(low, prefix, values->seq.len > 0);
	return sem_print(low, prefix, values->seq.items, values->seq.len, hex);
}

const Val *builtin_device_assert(FrontLower *low, const BuiltinCall *call)
{
	const char *message;
	const Val *cond = sem_arg_tensor(low, call->what, "cond", call->a[0]);
	if (!cond || !sem_arg_str(low, call->what, "msg", call->a[1], &message))
		return low->poison;
	cond = sem_cast(low, cond, tl_scalar(low, DT_INT1));
	if (call->a[2]->kind != VAL_NONE) {
		const Val *mask = sem_arg_tensor(low, call->what, "mask", call->a[2]);
		mask = mask ? sem_unary(low, UN_NOT, mask) : low->poison;
		cond = sem_is_poison(mask) ? mask : sem_binary(low, BIN_OR, cond, mask);
	}
	if (sem_is_poison(cond))
		return cond;
	if (!low->options->debug)
		return low->none;
	cond = sem_fill_padding(low, cond, -1, low->true_);
	IrValue *ir = sem_ir(cond);
	IrOp *op = irb_op(&low->b, OP_ASSERT, &ir, 1, NULL, 0, 0);
	ir_set(low->m, op, ATTR_MESSAGE, ir_attr_string(low->cx, str_of(message)));
	return low->none;
}

/* As upstream prints it, whose sizes are constexprs: int32[constexpr[128]]. */
static void print_tensor(FrontLower *low, Text *text, TlType type)
{
	bool block = type->kind == TL_BLOCK;
	text_printf(text, "%s[", tl_describe(low, block ? type->elem : type));
	for (uint32_t i = 0; block && i < type->rank; i++)
		text_printf(text, "%sconstexpr[%lld]", i ? ", " : "", (long long)type->shape[i]);
	text_char(text, ']');
}

const Val *builtin_static_print(FrontLower *low, const BuiltinCall *call)
{
	const char *sep, *end;
	if (!sem_arg_str(low, call->what, "sep", call->a[1], &sep) ||
	    !sem_arg_str(low, call->what, "end", call->a[2], &end))
		return low->poison;
	Text text;
	text_init(&text, low->arena);
	for (uint32_t i = 0; i < call->a[0]->seq.len; i++) {
		const Val *v = call->a[0]->seq.items[i];
		text_str(&text, i ? sep : "");
		if (v->kind == VAL_STR)
			text_add(&text, v->s.ptr, v->s.len);
		else if (sem_is_tensor(v))
			print_tensor(low, &text, sem_type(v));
		else
			text_str(&text, val_repr(low, v));
	}
	text_str(&text, end);
	lower_print(low, (Str){text.data, text.len});
	return low->none;
}

const Val *builtin_static_assert(FrontLower *low, const BuiltinCall *call)
{
	const Val *cond = sem_host(val_known_for(call->a[0], "it is asserted when compiling"));
	if (!cond) {
		lower_error(low, DIAG_TILE_ARG_KIND, call->what, "cond", "known when compiling",
			    sem_describe(low, call->a[0]));
		lower_note(low, "tl.device_assert(cond) looks when the kernel runs");
		return low->poison;
	}
	if (val_truth(cond))
		return low->none;
	const Val *msg = call->a[1];
	const char *text = msg->kind == VAL_STR ? arena_strndup(low->arena, msg->s.ptr, msg->s.len)
			: val_repr(low, msg);
	return lower_error(low, DIAG_TILE_STATIC_ASSERT, *text ? ": " : "", text);
}
