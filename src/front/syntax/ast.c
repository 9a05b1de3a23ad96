/* Names of node kinds and operators, and the tree as text.
 *
 * The text has one node a line: the field of the parent that holds it, the kind, and what the node itself
 * says; children are indented by two. Parameters, keywords and aliases are lines of their own. */
#include "front/syntax/ast.h"

const char *ast_kind_name(AstKind kind)
{
	static const char *const names[AST__COUNT] = {
#define AST(kind, group, doc) [AST_##kind] = #kind,
#include "front/syntax/ast.def"
#undef AST
	};
	return names[kind];
}

const char *ast_bin_op_text(AstBinOp op)
{
	static const char *const text[BIN__COUNT] = {
		"+", "-", "*", "@", "/", "//", "%", "**", "<<", ">>", "&", "|", "^",
	};
	return text[op];
}

const char *ast_cmp_op_text(AstCmpOp op)
{
	static const char *const text[CMP__COUNT] = {
		"==", "!=", "<", "<=", ">", ">=", "is", "is not", "in", "not in",
	};
	return text[op];
}

const char *ast_un_op_text(AstUnOp op)
{
	static const char *const text[UN__COUNT] = {"not", "-", "+", "~"};
	return text[op];
}

typedef struct Dump {
	Text *out;
	unsigned depth;
	bool spans;
} Dump;

static void child(Dump *d, const char *field, const Ast *node);

static void begin(Dump *d, const char *field)
{
	for (unsigned i = 0; i < d->depth; i++)
		text_add(d->out, "  ", 2);
	if (field)
		text_printf(d->out, "%s: ", field);
}

static void children(Dump *d, const char *field, const AstList *list)
{
	for (uint32_t i = 0; i < list->len; i++)
		child(d, field, list->items[i]);
}

static void quoted(Text *out, Str text)
{
	text_char(out, '"');
	for (size_t i = 0; i < text.len; i++) {
		unsigned char c = (unsigned char)text.ptr[i];
		if (c == '"' || c == '\\')
			text_printf(out, "\\%c", c);
		else if (c == '\n')
			text_str(out, "\\n");
		else if (c < 0x20 || c == 0x7f)
			text_printf(out, "\\x%02x", c);
		else
			text_char(out, (char)c);
	}
	text_char(out, '"');
}

static void dump_function(Dump *d, const AstFunction *f)
{
	static const char *const kinds[] = {"param", "posonly", "kwonly", "vararg", "kwarg"};
	children(d, "decorator", &f->decorators);
	for (uint32_t i = 0; i < f->param_count; i++) {
		const AstParam *param = &f->params[i];
		begin(d, NULL);
		text_printf(d->out, "%s %s\n", kinds[param->kind], param->name);
		d->depth++;
		child(d, "annotation", param->annotation);
		child(d, "default", param->value);
		d->depth--;
	}
	child(d, "returns", f->returns);
	if (!f->body_parsed && !f->body.len) {
		begin(d, NULL);
		text_str(d->out, "(body not parsed)\n");
	}
	children(d, "body", &f->body);
}

static void dump_keywords(Dump *d, const AstKeyword *keywords, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		begin(d, NULL);
		text_printf(d->out, "keyword %s\n", keywords[i].name ? keywords[i].name : "**");
		d->depth++;
		child(d, "value", keywords[i].value);
		d->depth--;
	}
}

static void dump_aliases(Dump *d, const Ast *node)
{
	for (uint32_t i = 0; i < node->import.count; i++) {
		const AstAlias *alias = &node->import.names[i];
		begin(d, NULL);
		text_printf(d->out, "alias %s", alias->name);
		if (alias->asname)
			text_printf(d->out, " as %s", alias->asname);
		text_char(d->out, '\n');
	}
}

/* What a node says on its own line. */
static void dump_head(Dump *d, const Ast *node)
{
	switch (node->kind) {
	case AST_FUNCTION_DEF:
		text_printf(d->out, "%s %s", node->function->is_async ? " async" : "", node->function->name);
		break;
	case AST_CLASS_DEF: text_printf(d->out, " %s", node->klass->name); break;
	case AST_AUG_ASSIGN: text_printf(d->out, " %s=", ast_bin_op_text(node->aug_assign.op)); break;
	case AST_FOR: text_str(d->out, node->for_stmt.is_async ? " async" : ""); break;
	case AST_WITH: text_str(d->out, node->with_stmt.is_async ? " async" : ""); break;
	case AST_COMP_FOR: text_str(d->out, node->comp_for.is_async ? " async" : ""); break;
	case AST_IMPORT_FROM:
		text_printf(d->out, " %u %s", node->import.level, node->import.module ? node->import.module : "-");
		break;
	case AST_GLOBAL: case AST_NONLOCAL:
		for (uint32_t i = 0; i < node->names.count; i++)
			text_printf(d->out, " %s", node->names.names[i]);
		break;
	case AST_EXCEPT:
		if (node->except.name)
			text_printf(d->out, " as %s", node->except.name);
		break;
	case AST_BIN_OP: text_printf(d->out, " %s", ast_bin_op_text(node->bin.op)); break;
	case AST_UNARY_OP: text_printf(d->out, " %s", ast_un_op_text(node->un.op)); break;
	case AST_BOOL_OP: text_str(d->out, node->bool_op.is_or ? " or" : " and"); break;
	case AST_COMPARE:
		for (uint32_t i = 0; i < node->compare.rest.len; i++)
			text_printf(d->out, "%s %s", i ? "," : "", ast_cmp_op_text(node->compare.ops[i]));
		break;
	case AST_ATTRIBUTE: text_printf(d->out, " %s", node->attribute.attr); break;
	case AST_FORMATTED:
		if (node->formatted.conversion)
			text_printf(d->out, " !%c", node->formatted.conversion);
		break;
	case AST_NAME: text_printf(d->out, " %s", node->name.id); break;
	case AST_INT:
		text_printf(d->out, " %.*s base %d", STR_ARG(node->number.digits), node->number.base);
		break;
	case AST_FLOAT: case AST_IMAGINARY: text_printf(d->out, " %a", node->real.value); break;
	case AST_STRING:
		text_str(d->out, node->string.is_bytes ? " b" : " ");
		quoted(d->out, node->string.text);
		break;
	default: break;
	}
}

static void dump_statement(Dump *d, const Ast *node)
{
	switch (node->kind) {
	case AST_FUNCTION_DEF: dump_function(d, node->function); break;
	case AST_CLASS_DEF:
		children(d, "decorator", &node->klass->decorators);
		children(d, "base", &node->klass->bases);
		dump_keywords(d, node->klass->keywords, node->klass->keyword_count);
		children(d, "body", &node->klass->body);
		break;
	case AST_RETURN: case AST_EXPR: child(d, "value", node->unary_stmt.value); break;
	case AST_ASSIGN:
		children(d, "target", &node->assign.targets);
		child(d, "value", node->assign.value);
		break;
	case AST_ANN_ASSIGN:
		child(d, "target", node->ann_assign.target);
		child(d, "annotation", node->ann_assign.annotation);
		child(d, "value", node->ann_assign.value);
		break;
	case AST_AUG_ASSIGN:
		child(d, "target", node->aug_assign.target);
		child(d, "value", node->aug_assign.value);
		break;
	case AST_FOR:
		child(d, "target", node->for_stmt.target);
		child(d, "iter", node->for_stmt.iter);
		children(d, "body", &node->for_stmt.body);
		children(d, "orelse", &node->for_stmt.orelse);
		break;
	case AST_IF: case AST_WHILE:
		child(d, "test", node->if_stmt.test);
		children(d, "body", &node->if_stmt.body);
		children(d, "orelse", &node->if_stmt.orelse);
		break;
	case AST_WITH:
		children(d, "item", &node->with_stmt.items);
		children(d, "body", &node->with_stmt.body);
		break;
	case AST_WITH_ITEM:
		child(d, "value", node->with_item.value);
		child(d, "target", node->with_item.target);
		break;
	case AST_RAISE:
		child(d, "exc", node->raise.exc);
		child(d, "cause", node->raise.cause);
		break;
	case AST_ASSERT:
		child(d, "test", node->assert_stmt.test);
		child(d, "msg", node->assert_stmt.msg);
		break;
	case AST_IMPORT: case AST_IMPORT_FROM: dump_aliases(d, node); break;
	case AST_DELETE: children(d, "target", &node->del.targets); break;
	case AST_TRY:
		children(d, "body", &node->try_stmt.body);
		children(d, "handler", &node->try_stmt.handlers);
		children(d, "orelse", &node->try_stmt.orelse);
		children(d, "finalbody", &node->try_stmt.finalbody);
		break;
	case AST_EXCEPT:
		child(d, "type", node->except.type);
		children(d, "body", &node->except.body);
		break;
	default: break;
	}
}

static void dump_expression(Dump *d, const Ast *node)
{
	switch (node->kind) {
	case AST_BIN_OP:
		child(d, "left", node->bin.left);
		child(d, "right", node->bin.right);
		break;
	case AST_UNARY_OP: child(d, "operand", node->un.operand); break;
	case AST_BOOL_OP: children(d, "value", &node->bool_op.values); break;
	case AST_COMPARE:
		child(d, "left", node->compare.left);
		children(d, "right", &node->compare.rest);
		break;
	case AST_CALL:
		child(d, "func", node->call.func);
		children(d, "arg", &node->call.args);
		dump_keywords(d, node->call.keywords, node->call.keyword_count);
		break;
	case AST_ATTRIBUTE: child(d, "value", node->attribute.value); break;
	case AST_SUBSCRIPT:
		child(d, "value", node->subscript.value);
		child(d, "index", node->subscript.index);
		break;
	case AST_SLICE:
		child(d, "lower", node->slice.lower);
		child(d, "upper", node->slice.upper);
		child(d, "step", node->slice.step);
		break;
	case AST_IF_EXP:
		child(d, "test", node->if_exp.test);
		child(d, "body", node->if_exp.body);
		child(d, "orelse", node->if_exp.orelse);
		break;
	case AST_LAMBDA: dump_function(d, node->function); break;
	case AST_TUPLE: case AST_LIST: case AST_SET: children(d, "item", &node->seq.items); break;
	case AST_DICT:
		for (uint32_t i = 0; i < node->dict.keys.len; i++) {
			child(d, "key", node->dict.keys.items[i]);
			child(d, node->dict.keys.items[i] ? "value" : "**", node->dict.values.items[i]);
		}
		break;
	case AST_STARRED: case AST_AWAIT: case AST_YIELD: case AST_YIELD_FROM:
		child(d, "value", node->wrap.value);
		break;
	case AST_NAMED_EXPR:
		child(d, "target", node->named.target);
		child(d, "value", node->named.value);
		break;
	case AST_LIST_COMP: case AST_SET_COMP: case AST_DICT_COMP: case AST_GENERATOR:
		child(d, "elt", node->comp.elt);
		child(d, "value", node->comp.value);
		children(d, "clause", &node->comp.clauses);
		break;
	case AST_COMP_FOR:
		child(d, "target", node->comp_for.target);
		child(d, "iter", node->comp_for.iter);
		children(d, "if", &node->comp_for.ifs);
		break;
	case AST_JOINED_STR: children(d, "value", &node->joined.values); break;
	case AST_FORMATTED:
		child(d, "value", node->formatted.value);
		child(d, "spec", node->formatted.format_spec);
		break;
	default: break;
	}
}

static void child(Dump *d, const char *field, const Ast *node)
{
	if (!node)
		return;
	begin(d, field);
	text_str(d->out, ast_kind_name(node->kind));
	dump_head(d, node);
	if (d->spans)
		text_printf(d->out, " @%u-%u", node->span.start, node->span.end);
	text_char(d->out, '\n');
	d->depth++;
	dump_statement(d, node);
	dump_expression(d, node);
	d->depth--;
}

void ast_dump(Text *out, const Ast *node)
{
	Dump d = {.out = out};
	child(&d, NULL, node);
}

void ast_dump_spans(Text *out, const Ast *node)
{
	Dump d = {.out = out, .spans = true};
	child(&d, NULL, node);
}
