/* `match`: a chain of `if`s on a hidden name that holds the subject. Patterns are literals, dotted
 * names, names to bind, `_`, alternatives, `as`, sequences, mappings without a rest, and classes
 * with named attributes or, of one value as int(x), the subject itself.
 *
 *     match x:                      if True:
 *         case 1 | 2: A                 %match = x
 *         case (0, y) if c: B           if %match == 1 or %match == 2: A
 *         case _: C                     elif isinstance(%match, (tuple, list)) and len(%match) == 2
 *                                                 and %match[0] == 0 and (lambda y: c)(%match[1]):
 *                                           y = %match[1]
 *                                           B
 *                                       else: C */
#include "front/syntax/parser.h"

#include <inttypes.h>

typedef struct Case {
	Ast *test;  /* NULL: every subject */
	Ast *guard; /* or NULL */
	VEC(Ast *) bindings; /* assignments to names, in order */
	AstList body;
} Case;

static Ast *name_node(Parser *p, Sym name, uint32_t start)
{
	Ast *node = node_new(p, AST_NAME, start);
	node->name.id = name;
	return node_end(p, node);
}

static Ast *assignment(Parser *p, Sym name, Ast *value, uint32_t start)
{
	Ast *node = node_new(p, AST_ASSIGN, start);
	node->assign.targets = (AstList){ARENA_ARRAY(p->arena, Ast *, 1), 1};
	node->assign.targets.items[0] = own(node, name_node(p, name, start));
	node->assign.value = own(node, value);
	return node_end(p, node);
}

static AstList list_of(Parser *p, Ast *parent, Ast *const *items, uint32_t count)
{
	AstList list = {ARENA_ARRAY(p->arena, Ast *, MAX(count, 1u)), count};
	for (uint32_t i = 0; i < count; i++)
		list.items[i] = own(parent, items[i]);
	return list;
}

static Ast *comparison(Parser *p, Ast *left, AstCmpOp op, Ast *right, Span span)
{
	Ast *node = node_new(p, AST_COMPARE, span.start);
	node->compare.left = own(node, left);
	node->compare.rest = list_of(p, node, &right, 1);
	node->compare.ops = ARENA_ARRAY(p->arena, AstCmpOp, 1);
	node->compare.ops[0] = op;
	node->span.end = span.end;
	return node;
}

/* Either may be NULL, which asks nothing. */
static Ast *joined(Parser *p, Ast *l, Ast *r, bool is_or)
{
	if (!l || !r)
		return l ? l : r;
	Ast *node = node_new(p, AST_BOOL_OP, l->span.start);
	node->bool_op.is_or = is_or;
	node->bool_op.values = list_of(p, node, (Ast *[]){l, r}, 2);
	node->span.end = r->span.end;
	return node;
}

/* ---- what a pattern's test is made of; each node has the pattern's span ---- */

static Ast *spanned(Ast *node, Span span)
{
	node->span = span;
	return node;
}

/* A function or class of Python, whatever the kernel calls so: `%` stands before its name. */
static Ast *builtin(Parser *p, const char *name, Span span)
{
	return spanned(name_node(p, intern(p->names, str_of(name)), span.start), span);
}

static Ast *number(Parser *p, int64_t value, Span span)
{
	Ast *node = node_new(p, AST_INT, span.start);
	node->number.digits = str_of(arena_printf(p->arena, "%" PRId64, value < 0 ? -value : value));
	node->number.base = 10;
	spanned(node, span);
	if (value >= 0)
		return node;
	Ast *minus = node_new(p, AST_UNARY_OP, span.start);
	minus->un.op = UN_NEG;
	minus->un.operand = own(minus, node);
	return spanned(minus, span);
}

static Ast *call(Parser *p, Ast *function, Ast *const *args, uint32_t count, Span span)
{
	Ast *node = node_new(p, AST_CALL, span.start);
	node->call.func = own(node, function);
	node->call.args = list_of(p, node, args, count);
	return spanned(node, span);
}

static Ast *subscript(Parser *p, Ast *value, Ast *index, Span span)
{
	Ast *node = node_new(p, AST_SUBSCRIPT, span.start);
	node->subscript.value = own(node, value);
	node->subscript.index = own(node, index);
	return spanned(node, span);
}

/* Where in the subject a pattern's value is: a path of elements and attributes. */
typedef struct Place {
	Sym subject;
	const struct Place *outer; /* NULL: the subject itself */
	int64_t index;             /* of elements: from the end where negative */
	bool slice;                /* from `index` on, up to `end` from the end */
	int64_t end;
	const Ast *key;            /* of a mapping, or NULL */
	Sym attr;                  /* of an object, or NULL */
	const Ast *class;          /* whose `index`th attribute, or NULL */
} Place;

static Ast *value_at(Parser *p, const Place *place, Span span)
{
	if (!place->outer)
		return spanned(name_node(p, place->subject, span.start), span);
	Ast *outer = value_at(p, place->outer, span);
	if (place->attr) {
		Ast *node = node_new(p, AST_ATTRIBUTE, span.start);
		node->attribute.value = own(node, outer);
		node->attribute.attr = place->attr;
		node->attribute.attr_span = span;
		return spanned(node, span);
	}
	if (place->key)
		return subscript(p, outer, (Ast *)(uintptr_t)place->key, span);
	if (place->class) {
		Ast *args[] = {outer, (Ast *)(uintptr_t)place->class, number(p, place->index, span)};
		return call(p, builtin(p, "%%field", span), args, 3, span);
	}
	if (!place->slice)
		return subscript(p, outer, number(p, place->index, span), span);
	Ast *slice = node_new(p, AST_SLICE, span.start);
	slice->slice.lower = own(slice, number(p, place->index, span));
	if (place->end)
		slice->slice.upper = own(slice, number(p, -place->end, span));
	Ast *part = subscript(p, outer, spanned(slice, span), span);
	return call(p, builtin(p, "%list", span), &part, 1, span);
}

static Ast *is_instance(Parser *p, const Place *place, Ast *classes, Span span)
{
	Ast *args[] = {value_at(p, place, span), classes};
	return call(p, builtin(p, "%isinstance", span), args, 2, span);
}

static void bind(Parser *p, Case *out, Sym name, const Place *place, Span span)
{
	vec_push(p->arena, &out->bindings, assignment(p, name, value_at(p, place, span), span.start));
}

static bool is_literal(const Ast *e)
{
	switch (e->kind) {
	case AST_INT: case AST_FLOAT: case AST_STRING: case AST_TRUE: case AST_FALSE: case AST_NONE:
	case AST_ATTRIBUTE:
		return true;
	case AST_UNARY_OP:
		return e->un.op == UN_NEG && (e->un.operand->kind == AST_INT || e->un.operand->kind ==
				AST_FLOAT);
	default:
		return false;
	}
}

/* What the pattern asks of the value at a place. False after a report; *test NULL: nothing. */
static bool pattern_test(Parser *p, const Place *place, Ast *pattern, Case *out, Ast **test);

static bool refused(Parser *p, const Ast *pattern)
{
	parse_error(p, pattern->span, DIAG_SYNTAX_PATTERN, NULL, NULL);
	return false;
}

static bool sequence_test(Parser *p, const Place *place, const Ast *pattern, Case *out, Ast **test)
{
	Span span = pattern->span;
	const AstList *items = &pattern->seq.items;
	uint32_t star = items->len;
	for (uint32_t i = 0; i < items->len; i++)
		if (items->items[i]->kind == AST_STARRED) {
			if (star < items->len || items->items[i]->wrap.value->kind != AST_NAME)
				return refused(p, items->items[i]);
			star = i;
		}
	bool has_star = star < items->len;
	Ast *classes = node_new(p, AST_TUPLE, span.start);
	Ast *both[] = {builtin(p, "%tuple", span), builtin(p, "%list", span)};
	classes->seq.items = list_of(p, classes, both, 2);
	Ast *value = value_at(p, place, span), *count = number(p, items->len - has_star, span);
	Ast *len = call(p, builtin(p, "%len", span), &value, 1, span);
	*test = joined(p, is_instance(p, place, spanned(classes, span), span),
		       comparison(p, len, has_star ? CMP_GE : CMP_EQ, count, span), false);
	for (uint32_t i = 0; i < items->len; i++) {
		Place item = {.subject = place->subject, .outer = place};
		item.index = i > star ? (int64_t)i - items->len : i;
		Ast *of_item = NULL, *what = items->items[i];
		if (i == star) {
			item.slice = true;
			item.end = items->len - 1 - i;
			what = what->wrap.value;
		}
		if (!pattern_test(p, &item, what, out, &of_item))
			return false;
		*test = joined(p, *test, of_item, false);
	}
	return true;
}

static bool mapping_test(Parser *p, const Place *place, const Ast *pattern, Case *out, Ast **test)
{
	*test = is_instance(p, place, builtin(p, "%dict", pattern->span), pattern->span);
	for (uint32_t i = 0; i < pattern->dict.keys.len; i++) {
		Ast *key = pattern->dict.keys.items[i], *of_value = NULL;
		if (!key || !is_literal(key))
			return refused(p, pattern);
		Place value = {.subject = place->subject, .outer = place, .key = key};
		Ast *has = comparison(p, key, CMP_IN, value_at(p, place, key->span), key->span);
		*test = joined(p, *test, has, false);
		if (!pattern_test(p, &value, pattern->dict.values.items[i], out, &of_value))
			return false;
		*test = joined(p, *test, of_value, false);
	}
	return true;
}

/* int(x): of these classes the first pattern is of the value itself. */
static bool is_of_value(const Ast *class)
{
	static const char *const names[] = {"bool", "dict", "float", "int", "list", "str", "tuple"};
	for (uint32_t i = 0; i < ARRAY_LEN(names) && class->kind == AST_NAME; i++)
		if (strcmp(class->name.id, names[i]) == 0)
			return true;
	return false;
}

static bool class_test(Parser *p, const Place *place, const Ast *pattern, Case *out, Ast **test)
{
	Ast *of_value = NULL, *class = pattern->call.func;
	uint32_t plain = pattern->call.args.len;
	bool whole = is_of_value(class);
	if ((class->kind != AST_NAME && class->kind != AST_ATTRIBUTE) || (whole && plain > 1))
		return refused(p, pattern);
	*test = is_instance(p, place, class, pattern->span);
	for (uint32_t i = 0; i < plain; i++) {
		Place field = {.subject = place->subject, .outer = place, .index = i, .class = class};
		if (!pattern_test(p, whole ? place : &field, pattern->call.args.items[i], out, &of_value))
			return false;
		*test = joined(p, *test, of_value, false);
	}
	for (uint32_t i = 0; i < pattern->call.keyword_count; i++) {
		const AstKeyword *k = &pattern->call.keywords[i];
		if (!k->name)
			return refused(p, pattern);
		Place value = {.subject = place->subject, .outer = place, .attr = k->name};
		if (!pattern_test(p, &value, k->value, out, &of_value))
			return false;
		*test = joined(p, *test, of_value, false);
	}
	return true;
}

static bool alternatives_test(Parser *p, const Place *place, Ast *pattern, Case *out, Ast **test)
{
	Ast *l, *r;
	uint32_t bound = out->bindings.len;
	if (!pattern_test(p, place, pattern->bin.left, out, &l) ||
	    !pattern_test(p, place, pattern->bin.right, out, &r))
		return false;
	if (!l || !r || out->bindings.len > bound)
		return refused(p, pattern);
	*test = joined(p, l, r, true);
	return true;
}

static bool pattern_test(Parser *p, const Place *place, Ast *pattern, Case *out, Ast **test)
{
	*test = NULL;
	switch (pattern->kind) {
	case AST_BIN_OP:
		if (pattern->bin.op == BIN_OR)
			return alternatives_test(p, place, pattern, out, test);
		break;
	case AST_NAME:
		if (strcmp(pattern->name.id, "_") != 0)
			bind(p, out, pattern->name.id, place, pattern->span);
		return true;
	case AST_TUPLE: case AST_LIST:
		return sequence_test(p, place, pattern, out, test);
	case AST_DICT:
		return mapping_test(p, place, pattern, out, test);
	case AST_CALL:
		return class_test(p, place, pattern, out, test);
	case AST_NAMED_EXPR: /* pattern as name */
		if (pattern->named.target->span.start < pattern->named.value->span.start)
			break;
		if (!pattern_test(p, place, pattern->named.value, out, test))
			return false;
		bind(p, out, pattern->named.target->name.id, place, pattern->named.target->span);
		return true;
	default:
		break;
	}
	if (!is_literal(pattern))
		return refused(p, pattern);
	bool is = pattern->kind == AST_NONE || pattern->kind == AST_TRUE || pattern->kind == AST_FALSE;
	Ast *value = value_at(p, place, pattern->span);
	*test = comparison(p, value, is ? CMP_IS : CMP_EQ, pattern, pattern->span);
	return true;
}

/* ---- cases ---- */

/* A guard sees the names that the pattern binds: (lambda names: guard)(values). */
static Ast *guard_of(Parser *p, const Case *c)
{
	uint32_t count = c->bindings.len;
	if (!c->guard || !count)
		return c->guard;
	Span span = c->guard->span;
	Ast *lambda = node_new(p, AST_LAMBDA, span.start), *body = node_new(p, AST_RETURN, span.start);
	AstFunction *f = lambda->function = ARENA_NEW(p->arena, AstFunction);
	*f = (AstFunction){.is_lambda = true, .body_parsed = true, .def_offset = span.start};
	f->name = intern(p->names, STR("<lambda>"));
	f->name_span = f->def_span = span;
	f->param_count = count;
	f->params = ARENA_ARRAY(p->arena, AstParam, count);
	Ast **values = ARENA_ARRAY(p->arena, Ast *, count);
	for (uint32_t i = 0; i < count; i++) {
		const Ast *to = c->bindings.data[i]->assign.targets.items[0];
		f->params[i] = (AstParam){.name = to->name.id, .span = to->span, .kind = PARAM_PLAIN};
		values[i] = c->bindings.data[i]->assign.value;
	}
	body->unary_stmt.value = own(body, c->guard);
	f->body = list_of(p, lambda, (Ast *[]){spanned(body, span)}, 1);
	return call(p, spanned(lambda, span), values, count, span);
}

/* `a, b` without brackets is a sequence. */
static Ast *read_items(Parser *p)
{
	uint32_t start = tok_start(p);
	VEC(Ast *) items = {0};
	bool comma = false;
	for (;;) {
		Ast *item = at(p, TOK_STAR) ? parse_star_or_named(p) : parse_binary(p, PREC_BIT_OR);
		if (!item)
			return NULL;
		vec_push(p->arena, &items, item);
		if (!accept(p, TOK_COMMA))
			break;
		comma = true;
		if (at(p, TOK_COLON) || at(p, TOK_IF))
			break;
	}
	if (!comma && items.data[0]->kind != AST_STARRED)
		return items.data[0];
	Ast *node = node_new(p, AST_TUPLE, start);
	node->seq.items = list_of(p, node, items.data, items.len);
	return node_end(p, node);
}

static Ast *read_pattern(Parser *p)
{
	p->in_pattern = true;
	Ast *pattern = read_items(p);
	p->in_pattern = false;
	return pattern;
}

static bool read_case(Parser *p, Sym subject, Case *out)
{
	uint32_t start = tok_start(p);
	*out = (Case){0};
	advance(p);
	Ast *pattern = read_pattern(p);
	if (!pattern)
		return false;
	/* After an error the case is read on as one that takes all: what is below it is none. */
	const Place whole = {.subject = subject};
	if (!pattern_test(p, &whole, pattern, out, &out->test))
		out->test = NULL;
	if (accept(p, TOK_AS)) {
		Span span = parse_here(p);
		Sym name = parse_take_name(p, "a name after 'as'");
		if (!name)
			return false;
		bind(p, out, name, &whole, span);
	}
	if (accept(p, TOK_IF) && !(out->guard = parse_named(p)))
		return false;
	Ast *holder = node_new(p, AST_IF, start);
	return parse_block(p, holder, &out->body, "'case' statement", start);
}

static void put(Parser *p, AstList *list, Ast *parent, Ast *first, Ast *second)
{
	*list = (AstList){ARENA_ARRAY(p->arena, Ast *, 2), 0};
	if (first)
		list->items[list->len++] = own(parent, first);
	if (second)
		list->items[list->len++] = own(parent, second);
}

static Ast *true_node(Parser *p, uint32_t start)
{
	return node_end(p, node_new(p, AST_TRUE, start));
}

/* The `if` of a case, with what other cases are in its `else`. */
static Ast *case_if(Parser *p, const Case *c, Ast *others, uint32_t start)
{
	Ast *test = joined(p, c->test, guard_of(p, c), false), *node = node_new(p, AST_IF, start);
	node->if_stmt.test = own(node, test ? test : true_node(p, start));
	node->if_stmt.of_match = true;
	uint32_t first = c->bindings.len, len = c->body.len + first;
	node->if_stmt.body = (AstList){ARENA_ARRAY(p->arena, Ast *, len), len};
	for (uint32_t i = 0; i < len; i++) {
		Ast *statement = i < first ? c->bindings.data[i] : c->body.items[i - first];
		node->if_stmt.body.items[i] = own(node, statement);
	}
	put(p, &node->if_stmt.orelse, node, others, NULL);
	return node_end(p, node);
}

Ast *parse_match(Parser *p)
{
	uint32_t start = tok_start(p);
	Sym subject = intern(p->names, str_of(arena_printf(p->arena, "%%match%u", start)));
	advance(p);
	Ast *value = parse_tests(p, false);
	if (!value || !parse_expect(p, TOK_COLON) || !parse_expect(p, TOK_NEWLINE) || !parse_expect(p,
			TOK_INDENT))
		return NULL;
	VEC(Case) cases = {0};
	while (parse_is_name(p, p->tok, "case")) {
		Case c;
		if (!read_case(p, subject, &c))
			return NULL;
		vec_push(p->arena, &cases, c);
	}
	if (!parse_expect(p, TOK_DEDENT))
		return NULL;
	Ast *chain = NULL;
	for (uint32_t i = cases.len; i-- > 0;)
		chain = case_if(p, &cases.data[i], chain, start);
	Ast *node = node_new(p, AST_IF, start);
	node->if_stmt.test = own(node, true_node(p, start));
	put(p, &node->if_stmt.body, node, assignment(p, subject, value, start), chain);
	return node_end(p, node);
}
