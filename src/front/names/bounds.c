/* Which parameters stride or bound tiles, as far as the source tells by itself: what is multiplied,
 * what something is compared with, where indices wrap, and what is handed on to another function.
 *
 * An integer of such a parameter is worth knowing to be a multiple of 8: accesses of 16 bytes and
 * tensor maps hang on strides that are, and masks on ends that are. Of others, as what is added to
 * an index alone, it decides nothing. To take one too many costs a variant, to take one too few a
 * slow one. */
#include "front/core.h"
#include "front/session.h"
#include "front/syntax/parse.h"

typedef struct Bounds {
	FrontFunction *f;
	bool *found; /* per parameter */
} Bounds;

static void mark(Bounds *b, const Ast *n);

static void mark_all(Bounds *b, const AstList *list)
{
	for (uint32_t i = 0; i < list->len; i++)
		mark(b, list->items[i]);
}

static void mark_given(Bounds *b, const Ast *call)
{
	mark_all(b, &call->call.args);
	for (uint32_t i = 0; i < call->call.keyword_count; i++)
		mark(b, call->call.keywords[i].value);
}

/* The parameters of which the expression is made by arithmetic. */
static void mark(Bounds *b, const Ast *n)
{
	const AstFunction *f = b->f->ast;
	if (!n)
		return;
	switch (n->kind) {
	case AST_NAME:
		for (uint32_t i = 0; i < f->param_count; i++)
			b->found[i] |= strcmp(f->params[i].name, n->name.id) == 0;
		break;
	case AST_BIN_OP:
		mark(b, n->bin.left);
		mark(b, n->bin.right);
		break;
	case AST_UNARY_OP: mark(b, n->un.operand); break;
	case AST_IF_EXP:
		mark(b, n->if_exp.body);
		mark(b, n->if_exp.orelse);
		break;
	case AST_TUPLE:
	case AST_LIST: mark_all(b, &n->seq.items); break;
	case AST_CALL: /* stride.to(tl.int64), min(n, end) */
		if (n->call.func->kind == AST_ATTRIBUTE)
			mark(b, n->call.func->attribute.value);
		mark_given(b, n);
		break;
	default: break;
	}
}

/* Functions of the language that take strides and sizes; others of it do not. */
static bool takes_strides(Bounds *b, const Ast *call)
{
	static const char *const of_tiles[] = {"make_block_ptr", "make_tensor_descriptor"};
	static const char *const of_python[] = {"range", "min",	 "max",	 "abs",	 "int",
						"float", "bool", "len", "print"};
	const Ast *func = call->call.func;
	const char *name = dotted_name(b->f->ns, func);
	for (size_t i = 0; name && i < ARRAY_LEN(of_tiles); i++)
		if (is_tile_name(name, of_tiles[i]))
			return true;
	for (size_t i = 0; func->kind == AST_NAME && i < ARRAY_LEN(of_python); i++)
		if (strcmp(func->name.id, of_python[i]) == 0)
			return false;
	return !name || !import_is_tile_language(name);
}

static void visit(void *data, Ast *n)
{
	Bounds *b = data;
	if (n->kind == AST_BIN_OP && n->bin.op == BIN_MUL)
		mark(b, n);
	else if (n->kind == AST_BIN_OP && n->bin.op == BIN_MOD)
		mark(b, n->bin.right);
	for (uint32_t i = 0; n->kind == AST_COMPARE && i < n->compare.rest.len; i++)
		if (n->compare.ops[i] >= CMP_LT && n->compare.ops[i] <= CMP_GE) {
			mark(b, i ? n->compare.rest.items[i - 1] : n->compare.left);
			mark(b, n->compare.rest.items[i]);
		}
	if (n->kind == AST_CALL && takes_strides(b, n))
		mark_given(b, n);
	ast_each(n, visit, b);
}

void function_bounds(FrontFunction *f, bool *found)
{
	Bounds b = {f, found};
	DiagList quiet;
	diag_init(&quiet, f->module->session->arena, NULL);
	if (!function_parse(f, &quiet))
		return;
	for (uint32_t i = 0; i < f->ast->body.len; i++)
		visit(&b, f->ast->body.items[i]);
}
