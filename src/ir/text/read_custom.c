/* Reading the ops whose syntax is their own; the counterpart of print_custom.c. */
#include "ir/text/read_int.h"

static IrOp *read_module(Reader *r, ReadOp *op, IrBlock *block)
{
	IrOp *made = r->m->op;
	(void)block;
	if (r->have_module) {
		READ_FAIL(r, op->span, DIAG_IR_MODULE);
		return NULL;
	}
	r->have_module = true;
	if (r->tok.kind == TOK_SYMBOL) {
		IrAttr name = read_attr(r);
		if (!name)
			return NULL;
		read_add_attr(r, op, r->cx->names[ATTR_SYM_NAME], ir_attr_string(r->cx, str_of(name->text)));
	}
	if (read_take_word(r, "attributes") && (!read_is(r, '{') ? !read_expect(r, '{') : !read_op_attrs(r, op)))
		return NULL;
	for (uint32_t i = 0; i < op->attrs.len; i++)
		ir_set_named(r->m, made, op->attrs.data[i].name, op->attrs.data[i].value);
	return read_region(r, &made->regions[0], NULL, OP__COUNT) ? made : NULL;
}

/* ---- tt.func ---- */

typedef struct Dicts {
	VEC(IrAttr) list;
	bool any;
} Dicts;

static bool read_dict_or_none(Reader *r, Dicts *dicts)
{
	IrAttr dict = ir_attr_dict(r->cx, NULL, NULL, 0);
	if (read_is(r, '{') && !(dict = read_attr(r)))
		return false;
	dicts->any |= dict->len > 0;
	vec_push(r->arena, &dicts->list, dict);
	return true;
}

/* (%x: type {...} loc(...), ...), or types alone. */
static bool read_parameters(Reader *r, ReadArgs *args, ReadOp *types, Dicts *dicts)
{
	if (!read_expect(r, '('))
		return false;
	if (read_take(r, ')'))
		return true;
	do {
		ReadArg arg = {.span = read_tok_span(r)};
		if (r->tok.kind == TOK_VALUE) {
			ReadRef ref;
			if (!read_ref(r, &ref) || !read_expect(r, ':'))
				return false;
			arg.name = ref.name;
			arg.span = ref.span;
		}
		if (!(arg.type = read_type(r)) || !read_dict_or_none(r, dicts) || !read_trailing_loc(r, &arg.loc))
			return false;
		if (arg.name)
			vec_push(r->arena, &args->list, arg);
		vec_push(r->arena, &types->types, arg.type);
	} while (read_take(r, ','));
	return read_expect(r, ')');
}

static bool read_func_results(Reader *r, ReadOp *types, Dicts *dicts)
{
	if (r->tok.kind != TOK_ARROW)
		return true;
	read_next(r);
	if (!read_take(r, '(')) {
		IrType type = read_type(r);
		if (!type)
			return false;
		vec_push(r->arena, &types->results, type);
		return true;
	}
	if (read_take(r, ')'))
		return true;
	do {
		IrType type = read_type(r);
		if (!type || !read_dict_or_none(r, dicts))
			return false;
		vec_push(r->arena, &types->results, type);
	} while (read_take(r, ','));
	return read_expect(r, ')');
}

static IrOp *read_func(Reader *r, ReadOp *op, IrBlock *block)
{
	IrCx *cx = r->cx;
	ReadOp types = {0};
	ReadArgs args = {0};
	Dicts arg_dicts = {0}, result_dicts = {0};
	const Sym *names = cx->names;
	if (r->tok.kind == TOK_ID && (read_is_word(r, "public") || read_is_word(r, "private") ||
				      read_is_word(r, "nested"))) {
		read_add_attr(r, op, names[ATTR_SYM_VISIBILITY], ir_attr_string(cx, read_tok_text(r)));
		read_next(r);
	}
	if (r->tok.kind != TOK_SYMBOL) {
		read_expected(r, "the name of the function");
		return NULL;
	}
	IrAttr name = read_attr(r);
	if (!name || !read_parameters(r, &args, &types, &arg_dicts) || !read_func_results(r, &types, &result_dicts))
		return NULL;
	read_add_attr(r, op, names[ATTR_SYM_NAME], ir_attr_string(cx, str_of(name->text)));
	read_add_attr(r, op, names[ATTR_FUNCTION_TYPE],
		      ir_attr_type(cx, ir_func_type(cx, types.types.data, types.types.len, types.results.data,
						    types.results.len)));
	if (arg_dicts.any)
		read_add_attr(r, op, names[ATTR_ARG_ATTRS],
			      ir_attr_array(cx, arg_dicts.list.data, arg_dicts.list.len));
	if (result_dicts.any)
		read_add_attr(r, op, names[ATTR_RES_ATTRS],
			      ir_attr_array(cx, result_dicts.list.data, result_dicts.list.len));
	if (read_take_word(r, "attributes") && (!read_is(r, '{') ? !read_expect(r, '{') : !read_op_attrs(r, op)))
		return NULL;
	IrOp *made = read_make(r, op, block);
	if (!made || !read_is(r, '{'))
		return made;
	if (args.list.len != types.types.len) {
		read_expected(r, "a name for each parameter, or no body");
		return NULL;
	}
	/* Nothing from outside is visible inside, so what is still missing at the end is missing for good. */
	uint32_t before = r->forwards.len;
	bool ok = read_region(r, &made->regions[0], &args, OP__COUNT);
	for (uint32_t i = before; i < r->forwards.len; i++)
		READ_FAIL(r, r->forwards.data[i].ref.span, DIAG_IR_VALUE, r->forwards.data[i].ref.name);
	r->forwards.len = before;
	map_init(&r->poisoned, r->arena);
	return ok ? made : NULL;
}

/* ---- control flow ---- */

/* Attributes that stand behind the regions. */
static IrOp *read_late_attrs(Reader *r, ReadOp *op, IrOp *made)
{
	op->attrs.len = 0;
	if (!read_op_attrs(r, op))
		return NULL;
	for (uint32_t i = 0; i < op->attrs.len; i++)
		ir_set_named(r->m, made, op->attrs.data[i].name, op->attrs.data[i].value);
	return made;
}

static bool read_arg_name(Reader *r, ReadArgs *args, IrType type)
{
	ReadRef ref;
	if (!read_ref(r, &ref))
		return false;
	vec_push(r->arena, &args->list, (ReadArg){.name = ref.name, .span = ref.span, .type = type});
	return true;
}

/* (%arg = %init, ...): names into args, values into op. */
static bool read_assignments(Reader *r, ReadArgs *args, ReadOp *op)
{
	if (!read_expect(r, '('))
		return false;
	if (read_take(r, ')'))
		return true;
	do {
		ReadRef ref;
		if (!read_arg_name(r, args, NULL) || !read_expect(r, '=') || !read_ref(r, &ref))
			return false;
		vec_push(r->arena, &op->refs, ref);
	} while (read_take(r, ','));
	return read_expect(r, ')');
}

static IrOp *read_for(Reader *r, ReadOp *op, IrBlock *block)
{
	static const char *const words[] = {"to", "step"};
	ReadArgs args = {0};
	ReadRef bound;
	if (!read_arg_name(r, &args, NULL) || !read_expect(r, '='))
		return NULL;
	for (int i = 0; i < 3; i++) {
		if ((i && !read_expect_word(r, words[i - 1])) || !read_ref(r, &bound))
			return NULL;
		vec_push(r->arena, &op->refs, bound);
	}
	bool carries = read_take_word(r, "iter_args");
	if (carries && (!read_assignments(r, &args, op) || !read_expect_arrow(r) || !read_expect(r, '(') ||
			(!read_is(r, ')') && !read_types(r, op, true)) || !read_expect(r, ')')))
		return NULL;
	if (!read_expect(r, ':'))
		return NULL;
	IrType counter = read_type(r);
	if (!counter)
		return NULL;
	if (op->results.len != op->refs.len - 3) {
		READ_FAIL(r, op->span, DIAG_IR_LISTS, "scf.for", op->refs.len - 3, op->results.len);
		return NULL;
	}
	for (uint32_t i = 0; i < op->refs.len; i++)
		vec_push(r->arena, &op->types, i < 3 ? counter : op->results.data[i - 3]);
	for (uint32_t i = 0; i < args.list.len; i++)
		args.list.data[i].type = i ? op->results.data[i - 1] : counter;
	IrOp *made = read_make(r, op, block);
	if (!made || !read_region(r, &made->regions[0], &args, carries ? OP__COUNT : OP_YIELD))
		return NULL;
	return read_late_attrs(r, op, made);
}

static IrOp *read_while(Reader *r, ReadOp *op, IrBlock *block)
{
	ReadArgs args = {0};
	if (read_is(r, '(') && !read_assignments(r, &args, op))
		return NULL;
	if (!read_expect(r, ':') || !read_function_type(r, op))
		return NULL;
	if (op->types.len != op->refs.len) {
		READ_FAIL(r, op->span, DIAG_IR_LISTS, "scf.while", op->refs.len, op->types.len);
		return NULL;
	}
	for (uint32_t i = 0; i < args.list.len; i++)
		args.list.data[i].type = op->types.data[i];
	IrOp *made = read_make(r, op, block);
	if (!made || !read_region(r, &made->regions[0], &args, OP__COUNT) || !read_expect_word(r, "do") ||
	    !read_region(r, &made->regions[1], NULL, OP__COUNT))
		return NULL;
	return read_take_word(r, "attributes") ? read_late_attrs(r, op, made) : made;
}

static IrOp *read_if(Reader *r, ReadOp *op, IrBlock *block)
{
	ReadRef condition;
	if (!read_ref(r, &condition))
		return NULL;
	vec_push(r->arena, &op->refs, condition);
	vec_push(r->arena, &op->types, ir_scalar(r->cx, TY_I1));
	if (r->tok.kind == TOK_ARROW) {
		read_next(r);
		if (read_take(r, '(')) {
			if (!read_take(r, ')') && !(read_types(r, op, true) && read_expect(r, ')')))
				return NULL;
		} else if (!read_types(r, op, true)) {
			return NULL;
		}
	}
	IrOpKind implied = op->results.len ? OP__COUNT : OP_YIELD;
	IrOp *made = read_make(r, op, block);
	if (!made || !read_region(r, &made->regions[0], NULL, implied))
		return NULL;
	if (read_take_word(r, "else") && !read_region(r, &made->regions[1], NULL, implied))
		return NULL;
	return read_late_attrs(r, op, made);
}

/* ^bb1 or ^bb1(%a, %b : t, t) */
static bool read_successor(Reader *r, ReadOp *op, IrBlock **block)
{
	if (!read_block_ref(r, block))
		return false;
	if (!read_take(r, '('))
		return true;
	if (!read_refs(r, op) || !read_colon_types(r, op))
		return false;
	if (op->types.len != op->refs.len)
		return READ_FAIL(r, op->span, DIAG_IR_LISTS, ir_op_info[op->kind].text, op->refs.len, op->types.len);
	return read_expect(r, ')');
}

static IrOp *read_br(Reader *r, ReadOp *op, IrBlock *block)
{
	IrBlock *to;
	if (!read_successor(r, op, &to) || !read_op_attrs(r, op))
		return NULL;
	IrOp *made = read_make(r, op, block);
	if (made) {
		made->succ[0] = to;
		made->succ_count = 1;
	}
	return made;
}

static IrOp *read_cond_br(Reader *r, ReadOp *op, IrBlock *block)
{
	IrBlock *to[2];
	ReadRef condition;
	uint32_t split;
	if (!read_ref(r, &condition))
		return NULL;
	vec_push(r->arena, &op->refs, condition);
	vec_push(r->arena, &op->types, ir_scalar(r->cx, TY_I1));
	if (!read_expect(r, ',') || !read_successor(r, op, &to[0]))
		return NULL;
	split = op->refs.len - 1;
	if (!read_expect(r, ',') || !read_successor(r, op, &to[1]) || !read_op_attrs(r, op))
		return NULL;
	IrOp *made = read_make(r, op, block);
	if (made) {
		made->succ[0] = to[0];
		made->succ[1] = to[1];
		made->succ_count = 2;
		made->succ_split = split;
	}
	return made;
}

/* ---- values ---- */

static IrOp *read_constant(Reader *r, ReadOp *op, IrBlock *block)
{
	if (!read_op_attrs(r, op))
		return NULL;
	IrAttr value = read_attr(r);
	if (!value || !read_add_attr(r, op, r->cx->names[ATTR_VALUE], value))
		return NULL;
	vec_push(r->arena, &op->results,
		 value->kind == ATTR_KIND_BOOL ? ir_scalar(r->cx, TY_I1) : value->type);
	return read_make(r, op, block);
}

static IrOp *read_select(Reader *r, ReadOp *op, IrBlock *block)
{
	if (!read_refs(r, op) || !read_op_attrs(r, op) || !read_colon_types(r, op))
		return NULL;
	if (op->types.len > 2) {
		read_expected(r, "the types of condition and values");
		return NULL;
	}
	IrType value = op->types.data[op->types.len - 1];
	IrType condition = op->types.len == 2 ? op->types.data[0] : ir_scalar(r->cx, TY_I1);
	op->types.len = 0;
	vec_push(r->arena, &op->types, condition);
	vec_push(r->arena, &op->types, value);
	vec_push(r->arena, &op->types, value);
	vec_push(r->arena, &op->results, value);
	return read_make(r, op, block);
}

static bool read_scale_format(Reader *r, ReadOp *op, const char *word, IrAttrName name)
{
	int64_t value;
	Str text;
	if (!read_expect_word(r, word) || !read_expect(r, '='))
		return false;
	text = read_tok_text(r);
	if (r->tok.kind != TOK_ID || !asm_enum_value(ASM_ENUM_SCALE, text, &value))
		return read_expected(r, "a format of scaled operands");
	read_next(r);
	return read_add_attr(r, op, r->cx->names[name], ir_attr_i32(r->cx, value));
}

/* %a scale %s, %b scale %t, %c lhs = e4m3 rhs = e5m2 : ta, ts * tb, tt -> tr */
static IrOp *read_dot_scaled(Reader *r, ReadOp *op, IrBlock *block)
{
	static const IrAttrName scales[] = {ATTR_HAS_LHS_SCALE, ATTR_HAS_RHS_SCALE};
	ReadRef main_refs[3], scale_refs[2];
	IrType main_types[2], scale_types[2];
	bool scaled[2] = {false, false};
	for (int i = 0; i < 3; i++) {
		if ((i && !read_expect(r, ',')) || !read_ref(r, &main_refs[i]))
			return NULL;
		if (i < 2 && read_take_word(r, "scale")) {
			scaled[i] = true;
			if (!read_ref(r, &scale_refs[i]))
				return NULL;
		}
	}
	if (!read_scale_format(r, op, "lhs", ATTR_LHS_FORMAT) || !read_scale_format(r, op, "rhs", ATTR_RHS_FORMAT) ||
	    !read_op_attrs(r, op))
		return NULL;
	for (int i = 0; i < 2; i++) {
		if (!read_expect(r, i ? '*' : ':') || !(main_types[i] = read_type(r)))
			return NULL;
		if (scaled[i] && (!read_expect(r, ',') || !(scale_types[i] = read_type(r))))
			return NULL;
	}
	IrType result = read_expect_arrow(r) ? read_type(r) : NULL;
	if (!result)
		return NULL;
	for (int i = 0; i < 3; i++) {
		vec_push(r->arena, &op->refs, main_refs[i]);
		vec_push(r->arena, &op->types, i < 2 ? main_types[i] : result);
	}
	for (int i = 0; i < 2; i++) {
		if (!scaled[i])
			continue;
		vec_push(r->arena, &op->refs, scale_refs[i]);
		vec_push(r->arena, &op->types, scale_types[i]);
		vec_push(r->arena, &op->attrs, (IrNamedAttr){r->cx->names[scales[i]], ir_attr_bool(r->cx, true)});
	}
	vec_push(r->arena, &op->results, result);
	return read_make(r, op, block);
}

/* ---- memory, warps of their own ---- */

/* %memory[0, 16] {...} : type -> type */
static IrOp *read_memdesc_subslice(Reader *r, ReadOp *op, IrBlock *block)
{
	VEC(int64_t) offsets = {0};
	ReadRef ref;
	if (!read_ref(r, &ref) || !read_expect(r, '['))
		return NULL;
	vec_push(r->arena, &op->refs, ref);
	while (!read_is(r, ']')) {
		uint64_t offset;
		Span span = read_tok_span(r);
		if (!read_u64(r, &offset))
			return NULL;
		if (offset > INT32_MAX) {
			READ_FAIL(r, span, DIAG_IR_RANGE, "i32");
			return NULL;
		}
		vec_push(r->arena, &offsets, (int64_t)offset);
		if (!read_take(r, ','))
			break;
	}
	IrAttr ints = ir_attr_ints(r->cx, ir_scalar(r->cx, TY_I32), offsets.data, offsets.len);
	if (!read_expect(r, ']') || !read_add_attr(r, op, r->cx->names[ATTR_OFFSETS], ints) || !read_op_attrs(r, op) ||
	    !read_expect(r, ':'))
		return NULL;
	IrType from = read_type(r), to = from && read_expect_arrow(r) ? read_type(r) : NULL;
	if (!to)
		return NULL;
	vec_push(r->arena, &op->types, from);
	vec_push(r->arena, &op->results, to);
	return read_make(r, op, block);
}

/* partition0(%a: type, ...) num_warps(4) {...} */
static bool read_partition(Reader *r, IrOp *holder, int64_t *warps)
{
	ReadArgs args = {0};
	ReadOp types = {0};
	Dicts dicts = {0};
	uint64_t number;
	read_next(r);
	if (!read_parameters(r, &args, &types, &dicts))
		return false;
	if (args.list.len != types.types.len)
		return read_expected(r, "a name for each argument");
	Span span = {0};
	if (!read_expect_word(r, "num_warps") || !read_expect(r, '('))
		return false;
	span = read_tok_span(r);
	if (!read_u64(r, &number) || (number > INT32_MAX && !READ_FAIL(r, span, DIAG_IR_RANGE, "i32")) ||
	    !read_expect(r, ')'))
		return false;
	*warps = (int64_t)number;
	return read_region(r, &holder->regions[holder->region_count++], &args, OP__COUNT);
}

static bool at_partition(const Reader *r, uint32_t number)
{
	return read_is_word(r, arena_printf(r->arena, "partition%u", number));
}

/* (%a, ...) attributes {...} default {...} partition0(...) num_warps(4) {...} ... : (types) -> types */
static IrOp *read_warp_specialize(Reader *r, ReadOp *op, IrBlock *block)
{
	int64_t warps[READ_MAX_PARTITIONS];
	if (!read_expect(r, '(') || !read_refs(r, op) || !read_expect(r, ')'))
		return NULL;
	if (read_take_word(r, "attributes") && (!read_is(r, '{') ? !read_expect(r, '{') : !read_op_attrs(r, op)))
		return NULL;
	if (!read_expect_word(r, "default"))
		return NULL;
	/* The types come last: the op stands in the block before its operands are known. */
	IrOp *made = ir_op_new(r->m, op->kind, NULL, NULL, op->refs.len, NULL, 0, 2);
	ir_op_append(block, made);
	bool ok = read_region(r, &made->regions[0], NULL, OP__COUNT);
	IrOp *holder = ir_op_new(r->m, OP_WARP_PARTITIONS, NULL, NULL, 0, NULL, 0, READ_MAX_PARTITIONS);
	ir_op_append(ir_block_new(r->m, &made->regions[1]), holder);
	holder->region_count = 0;
	while (ok && at_partition(r, holder->region_count)) {
		ok = holder->region_count < READ_MAX_PARTITIONS || read_expected(r, "no more than 16 partitions");
		ok = ok && read_partition(r, holder, &warps[holder->region_count]);
	}
	ok = ok && read_expect(r, ':') && read_function_type(r, op) && read_late_types(r, op, made);
	if (!ok) {
		ir_op_erase(made);
		return NULL;
	}
	IrAttr counts = ir_attr_ints(r->cx, ir_scalar(r->cx, TY_I32), warps, holder->region_count);
	for (uint32_t i = 0; i < op->attrs.len; i++)
		ir_set_named(r->m, made, op->attrs.data[i].name, op->attrs.data[i].value);
	ir_set(r->m, made, ATTR_PARTITION_WARPS, counts);
	for (uint32_t i = 0; i < holder->region_count; i++)
		if (holder->regions[i].last && holder->regions[i].last->last && !holder->regions[i].last->last->loc)
			holder->regions[i].last->last->loc = r->cx->unknown;
	return made;
}

ReadHook *read_hook(IrOpKind kind)
{
	static ReadHook *const hooks[OP__COUNT] = {
		[OP_MODULE] = read_module,   [OP_FUNC] = read_func,         [OP_FOR] = read_for,
		[OP_WHILE] = read_while,     [OP_IF] = read_if,             [OP_BR] = read_br,
		[OP_COND_BR] = read_cond_br, [OP_CONSTANT] = read_constant, [OP_SELECT] = read_select,
		[OP_DOT_SCALED] = read_dot_scaled, [OP_MEMDESC_SUBSLICE] = read_memdesc_subslice,
		[OP_WARP_SPECIALIZE] = read_warp_specialize,
	};
	ASSERT(hooks[kind]);
	return hooks[kind];
}
