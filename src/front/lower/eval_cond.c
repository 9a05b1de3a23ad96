/* Expressions of which Python evaluates a part, or later: `and`, `or`, chains of comparisons, conditional expressions,
 * generators. What is known while compiling decides here; where a run-time value decides, what the part does besides
 * making its value stands under that condition (lower_lazy, lower_if_exp). */
#include "front/core.h"

/* ---- and, or ---- */

typedef struct BoolOp {
	const Ast *node;
	uint32_t at; /* of the operand that comes next */
	bool dropped;
} BoolOp;

/* The operands from `at` on; run-time ones are joined from the right. */
static const Val *bool_from(FrontLower *low, void *data)
{
	BoolOp *b = data;
	const AstList *operands = &b->node->bool_op.values;
	bool is_or = b->node->bool_op.is_or;
	for (;;) {
		bool last = b->at + 1 == operands->len;
		Ast *operand = operands->items[b->at++];
		const Val *v = last && b->dropped ? eval_dropped(low, operand) : eval(low, operand);
		if (v->kind == VAL_TENSOR && v->tensor.type->kind == TL_BLOCK)
			lower_warning(low, DIAG_LOGICAL_BLOCK);
		if (last || v->kind == VAL_POISON)
			return v;
		if (v->kind == VAL_TENSOR && !(low->frame->host && v->origin))
			return lower_lazy(low, is_or, v, bool_from, b, b->dropped);
		bool ok, truth = eval_truth(low, v, &ok);
		if (!ok)
			return low->poison;
		if (truth == is_or)
			return v;
	}
}

const Val *eval_bool_op(FrontLower *low, const Ast *node, bool dropped)
{
	return bool_from(low, &(BoolOp){.node = node, .dropped = dropped});
}

/* ---- a < b < c ---- */

typedef struct Chain {
	const Ast *node;
	uint32_t at;
	const Val *left;
} Chain;

/* The comparisons from `at` on: every pair, the middle evaluated once, none behind one that is false. */
static const Val *chain_from(FrontLower *low, void *data)
{
	Chain *c = data;
	const Ast *node = c->node;
	for (;;) {
		const Val *left = c->left;
		c->left = eval(low, node->compare.rest.items[c->at]);
		const Val *one = eval_compare(low, node->compare.ops[c->at], left, c->left);
		bool last = ++c->at == node->compare.rest.len;
		if (last || one->kind == VAL_POISON || (one->kind != VAL_TENSOR && !val_truth(one)))
			return one;
		if (one->kind == VAL_TENSOR)
			return lower_lazy(low, false, one, chain_from, c, false);
	}
}

static bool is_bare(const FrontLower *low, Span span)
{
	const Source *source = source_get(&low->session->sources, span.file);
	uint32_t at = source ? span.start : 0;
	while (at && (source->text[at - 1] == ' ' || source->text[at - 1] == '\t'))
		at--;
	return at && source->text[at - 1] != '(';
}

/* `a < b & c < d` compares with `b & c`. */
static void warn_precedence(FrontLower *low, const Ast *node)
{
	for (uint32_t i = 0; i + 1 < node->compare.rest.len; i++) {
		const Ast *middle = node->compare.rest.items[i];
		bool bits =
			middle->kind == AST_BIN_OP && (middle->bin.op == BIN_AND || middle->bin.op == BIN_OR);
		if (!bits || !is_bare(low, middle->span))
			continue;
		Span old = lower_at(low, middle->span);
		lower_warning(low, DIAG_PRECEDENCE, lower_source_text(low));
		lower_restore(low, old);
	}
}

const Val *eval_chain(FrontLower *low, const Ast *node)
{
	CONTRACT(node->kind == AST_COMPARE);
	warn_precedence(low, node);
	return chain_from(low, &(Chain){.node = node, .left = eval(low, node->compare.left)});
}

/* ---- x if c else y ---- */

const Val *eval_if_exp(FrontLower *low, Ast *node, bool dropped)
{
	CONTRACT(node->kind == AST_IF_EXP);
	const Val *cond = eval(low, node->if_exp.test);
	if (cond->kind == VAL_POISON)
		return cond;
	if (cond->kind == VAL_TENSOR && !(low->frame->host && cond->origin))
		return lower_if_exp(low, node, cond, dropped);
	bool ok, truth = eval_truth(low, cond, &ok);
	if (!ok)
		return low->poison;
	Ast *side = truth ? node->if_exp.body : node->if_exp.orelse;
	return dropped ? eval_dropped(low, side) : eval(low, side);
}

/* ---- what Python evaluates later ---- */

bool eval_is_lazy(const Ast *node)
{
	if (node->kind == AST_GENERATOR)
		return true;
	const Ast *func = node->kind == AST_CALL ? node->call.func : NULL;
	return func && func->kind == AST_NAME &&
	       (strcmp(func->name.id, "map") == 0 || strcmp(func->name.id, "filter") == 0);
}

const Val *eval_early(FrontLower *low, Ast *node, const char *what)
{
	const IrBlock *block = low->b.block;
	const IrOp *last = block ? block->last : NULL;
	const Val *v = node->kind == AST_GENERATOR ? eval_comprehension(low, node) :
		       eval_is_lazy(node)	   ? eval_call(low, node) : eval(low, node);
	if (v->kind == VAL_POISON || !block || effect_behind(low->m, block, last) != EFFECT_WRITE)
		return v;
	Span old = lower_at(low, node->span);
	v = lower_error(low, DIAG_EFFECT_EARLY, what);
	lower_restore(low, old);
	return v;
}
