/* What tests of passes share: a module with one function, built with the builder, and passes run on it. */
#ifndef NESO_TEST_IR_PASS_KIT_H
#define NESO_TEST_IR_PASS_KIT_H
#include "unit.h"

#include <stdio.h>

#include "ir/pass.h"
#include "ir/verify/verify.h"

typedef struct Kit {
	Arena arena, scratch;
	IrCx cx;
	SourceSet sources;
	DiagList diags;
	IrModule *m;
	IrOp *func;
	IrBuilder b;
} Kit;

static inline IrOp *kit_func(Kit *k, const char *name, bool is_private, const IrType *args, uint32_t n,
			     const IrType *results, uint32_t result_count)
{
	IrBuilder at = ir_at_end(k->m, ir_module_block(k->m), ir_loc_file(&k->cx, "k.py", 1, 0));
	IrOp *func = irb_op(&at, OP_FUNC, NULL, 0, NULL, 0, 1);
	ir_set(k->m, func, ATTR_SYM_NAME, ir_attr_string(&k->cx, str_of(name)));
	ir_set(k->m, func, ATTR_SYM_VISIBILITY,
	       ir_attr_string(&k->cx, str_of(is_private ? "private" : "public")));
	ir_set(k->m, func, ATTR_FUNCTION_TYPE,
	       ir_attr_type(&k->cx, ir_func_type(&k->cx, args, n, results, result_count)));
	IrBlock *body = ir_block_new(k->m, &func->regions[0]);
	for (uint32_t i = 0; i < n; i++)
		ir_block_arg_add(k->m, body, args[i], ir_loc_file(&k->cx, "k.py", 1, 4 + i));
	k->func = func;
	k->b = ir_at_end(k->m, body, ir_loc_file(&k->cx, "k.py", 2, 4));
	return func;
}

static inline void kit_init(Kit *k)
{
	arena_init(&k->arena, 0);
	arena_init(&k->scratch, 0);
	source_set_init(&k->sources, &k->arena);
	diag_init(&k->diags, &k->arena, &k->sources);
	ir_cx_init(&k->cx, &k->arena);
	k->m = ir_module_new(&k->cx);
}

static inline void kit_free(Kit *k)
{
	arena_free(&k->scratch);
	arena_free(&k->arena);
}

static inline IrType kit_type(Kit *k, IrTypeKind kind) { return ir_scalar(&k->cx, kind); }
static inline IrType kit_tile(Kit *k, IrTypeKind kind, int64_t n)
{
	return ir_tensor(&k->cx, kit_type(k, kind), &n, 1, NULL);
}
static inline IrValue *kit_arg(Kit *k, uint32_t i) { return ir_func_body(k->func)->args[i]; }

/* A use that no pass can drop. */
static inline IrOp *kit_print(Kit *k, IrBuilder *b, IrValue *v)
{
	IrOp *op = irb_op(b, OP_PRINT, &v, 1, NULL, 0, 0);
	ir_set(k->m, op, ATTR_PREFIX, ir_attr_string(&k->cx, STR("x")));
	ir_set(k->m, op, ATTR_HEX, ir_attr_bool(&k->cx, false));
	ir_set(k->m, op, ATTR_IS_SIGNED, ir_attr_ints(&k->cx, kit_type(k, TY_I32), (int64_t[]){0}, 1));
	return op;
}

static inline IrOp *kit_keep(Kit *k, IrValue *v)
{
	return kit_print(k, &k->b, v);
}

static inline void kit_return(Kit *k)
{
	irb_op(&k->b, OP_RETURN, NULL, 0, NULL, 0, 0);
}

static inline bool kit_run(Kit *k, PassFn *pass)
{
	bool changed = false;
	PassCx cx = {.module = k->m, .diags = &k->diags, .scratch = &k->scratch};
	assert_true(pass(&cx, &changed));
	return changed;
}

static inline void kit_verify(Kit *k)
{
	if (ir_verify(k->m, LEVEL_T, &k->diags))
		return;
	Text text;
	text_init(&text, &k->arena);
	diag_render_all(&text, &k->diags);
	fail_msg("%s", text.data);
}

typedef struct KitCount {
	IrOpKind kind;
	unsigned n;
} KitCount;

static inline bool kit_count_visit(void *data, IrOp *op)
{
	KitCount *c = data;
	c->n += op->kind == c->kind || c->kind == OP__COUNT;
	return true;
}

/* How many ops of a kind (OP__COUNT: of all kinds) the module has. */
static inline unsigned kit_count(Kit *k, IrOpKind kind)
{
	KitCount c = {kind, 0};
	ir_walk(k->m->op, false, kit_count_visit, &c);
	return c.n;
}

#endif
