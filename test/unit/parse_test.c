/* Lexer and parser: trees of every form, spans, and every syntax error with line and columns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/fault.h"
#include "front/lex.h"
#include "front/parser.h"

typedef struct Run {
	Arena arena;
	SourceSet set;
	Interner names;
	DiagList diags;
	Source *source;
	AstModule *module;
	Text out;
} Run;

static void start_bytes(Run *r, const char *text, size_t len)
{
	arena_init(&r->arena, 0);
	source_set_init(&r->set, &r->arena);
	intern_init(&r->names, &r->arena);
	diag_init(&r->diags, &r->arena, &r->set);
	text_init(&r->out, &r->arena);
	text_str(&r->out, "");
	r->source = source_add(&r->set, "t.py", text, len, 1);
	r->module = ast_parse_module(&r->arena, &r->names, r->source, &r->diags);
}

static void bodies(Run *r, const AstList *list)
{
	for (uint32_t i = 0; i < list->len; i++) {
		Ast *node = list->items[i];
		if (node->kind == AST_FUNCTION_DEF) {
			ast_function_body(r->module, node->function, &r->diags);
			bodies(r, &node->function->body);
		} else if (node->kind == AST_CLASS_DEF) {
			bodies(r, &node->klass->body);
		} else if (node->kind == AST_IF) {
			bodies(r, &node->if_stmt.body);
			bodies(r, &node->if_stmt.orelse);
		}
	}
}

/* "line:col-endcol severity-less text" of each diagnostic, and of its notes, a line each. */
static const char *errors_of(Run *r)
{
	for (const Diag *d = r->diags.first; d; d = d->next) {
		text_printf(&r->out, "%u:%u-", d->from.line, d->from.col);
		if (d->to.line != d->from.line)
			text_printf(&r->out, "%u:", d->to.line);
		text_printf(&r->out, "%u %s\n", d->to.col, d->text);
		for (const Diag *note = d->notes; note; note = note->next)
			text_printf(&r->out, "  %u:%u %s\n", note->from.line, note->from.col, note->text);
	}
	return r->out.data;
}

static const char *tree_of(Run *r, bool spans)
{
	for (uint32_t i = 0; r->module && i < r->module->body.len; i++)
		(spans ? ast_dump_spans : ast_dump)(&r->out, r->module->body.items[i]);
	return r->out.data;
}

static void check_tree(const char *text, const char *tree)
{
	Run r;
	start_bytes(&r, text, strlen(text));
	if (r.module)
		bodies(&r, &r.module->body);
	errors_of(&r); /* none, or the comparison shows them */
	assert_string_equal(tree_of(&r, false), tree);
	arena_free(&r.arena);
}

static void check_spans(const char *text, const char *tree)
{
	Run r;
	start_bytes(&r, text, strlen(text));
	bodies(&r, &r.module->body);
	errors_of(&r);
	assert_string_equal(tree_of(&r, true), tree);
	arena_free(&r.arena);
}

/* ---- tokens ---- */

static void every_keyword_is_known(void **state)
{
	(void)state;
	for (TokenKind k = TOK_FALSE; k < TOK__COUNT; k++)
		assert_int_equal(lex_name_kind(lex_token_text(k), strlen(lex_token_text(k))), k);
	assert_int_equal(lex_name_kind("match", 5), TOK_NAME);
	assert_int_equal(lex_name_kind("De", 2), TOK_NAME);
	assert_int_equal(lex_name_kind("define", 6), TOK_NAME);
}

static void every_punctuation_is_one_token(void **state)
{
	(void)state;
	for (TokenKind k = TOK_COLON; k <= TOK_CARET_EQUAL; k++) {
		Run r;
		const char *text = lex_token_text(k);
		start_bytes(&r, "", 0);
		Source *source = source_add(&r.set, "p", text, strlen(text), 1);
		Lexer lexer;
		TokenList tokens = {0};
		lex_init(&lexer, &r.arena, source, &r.diags);
		assert_true(lex_module(&lexer, &tokens));
		assert_int_equal(tokens.data[0].kind, k);
		assert_int_equal(tokens.data[0].len, strlen(text));
		assert_int_equal(tokens.data[1].kind, TOK_NEWLINE);
		arena_free(&r.arena);
	}
}

static void an_indent_knows_its_dedent(void **state)
{
	(void)state;
	Run r;
	start_bytes(&r, "", 0);
	const char *text = "if a:\n  if b:\n  \tc\n# comment\n\n  d\ne\n";
	Source *source = source_add(&r.set, "p", text, strlen(text), 1);
	Lexer lexer;
	TokenList tokens = {0};
	lex_init(&lexer, &r.arena, source, &r.diags);
	assert_true(lex_module(&lexer, &tokens));
	static const TokenKind kinds[] = {
		TOK_IF,	  TOK_NAME, TOK_COLON,	 TOK_NEWLINE, TOK_INDENT, TOK_IF,   TOK_NAME,	TOK_COLON,
		TOK_NEWLINE, TOK_INDENT, TOK_NAME, TOK_NEWLINE, TOK_DEDENT, TOK_NAME, TOK_NEWLINE, TOK_DEDENT,
		TOK_NAME, TOK_NEWLINE, TOK_END,
	};
	assert_int_equal(tokens.len, ARRAY_LEN(kinds));
	for (uint32_t i = 0; i < tokens.len; i++)
		assert_int_equal(tokens.data[i].kind, kinds[i]);
	assert_int_equal(tokens.data[4].start, 15);
	assert_int_equal(tokens.data[9].start, 12);
	arena_free(&r.arena);
}

static void every_node_kind_has_a_size(void **state)
{
	(void)state;
	for (int k = 0; k < AST__COUNT; k++)
		assert_in_range(parse_node_size[k], offsetof(Ast, function), sizeof(Ast));
}

/* ---- trees ---- */

static void expressions(void **state)
{
	(void)state;
	check_tree("a + b * -c ** d\n", "EXPR\n"
					"  value: BIN_OP +\n"
					"    left: NAME a\n"
					"    right: BIN_OP *\n"
					"      left: NAME b\n"
					"      right: UNARY_OP -\n"
					"        operand: BIN_OP **\n"
					"          left: NAME c\n"
					"          right: NAME d\n");
	check_tree("a - b - c | d ^ e & f << 1\n", "EXPR\n"
						   "  value: BIN_OP |\n"
						   "    left: BIN_OP -\n"
						   "      left: BIN_OP -\n"
						   "        left: NAME a\n"
						   "        right: NAME b\n"
						   "      right: NAME c\n"
						   "    right: BIN_OP ^\n"
						   "      left: NAME d\n"
						   "      right: BIN_OP &\n"
						   "        left: NAME e\n"
						   "        right: BIN_OP <<\n"
						   "          left: NAME f\n"
						   "          right: INT 1 base 10\n");
	check_tree("not a in b or c is not d and e not in f < g\n", "EXPR\n"
								    "  value: BOOL_OP or\n"
								    "    value: UNARY_OP not\n"
								    "      operand: COMPARE in\n"
								    "        left: NAME a\n"
								    "        right: NAME b\n"
								    "    value: BOOL_OP and\n"
								    "      value: COMPARE is not\n"
								    "        left: NAME c\n"
								    "        right: NAME d\n"
								    "      value: COMPARE not in, <\n"
								    "        left: NAME e\n"
								    "        right: NAME f\n"
								    "        right: NAME g\n");
	check_tree("a < b <= c == d != e > f >= g\n", "EXPR\n"
						      "  value: COMPARE <, <=, ==, !=, >, >=\n"
						      "    left: NAME a\n"
						      "    right: NAME b\n"
						      "    right: NAME c\n"
						      "    right: NAME d\n"
						      "    right: NAME e\n"
						      "    right: NAME f\n"
						      "    right: NAME g\n");
	check_tree("x if (y := z) else lambda a, /, b=1, *c, d, **e: a\n", "EXPR\n"
									   "  value: IF_EXP\n"
									   "    test: NAMED_EXPR\n"
									   "      target: NAME y\n"
									   "      value: NAME z\n"
									   "    body: NAME x\n"
									   "    orelse: LAMBDA\n"
									   "      posonly a\n"
									   "      param b\n"
									   "        default: INT 1 base 10\n"
									   "      vararg c\n"
									   "      kwonly d\n"
									   "      kwarg e\n"
									   "      body: RETURN\n"
									   "        value: NAME a\n");
	check_tree("x.y[:, None, 1:2:3, *a](b, *c, k=d, **e)[f]\n", "EXPR\n"
								    "  value: SUBSCRIPT\n"
								    "    value: CALL\n"
								    "      func: SUBSCRIPT\n"
								    "        value: ATTRIBUTE y\n"
								    "          value: NAME x\n"
								    "        index: TUPLE\n"
								    "          item: SLICE\n"
								    "          item: NONE\n"
								    "          item: SLICE\n"
								    "            lower: INT 1 base 10\n"
								    "            upper: INT 2 base 10\n"
								    "            step: INT 3 base 10\n"
								    "          item: STARRED\n"
								    "            value: NAME a\n"
								    "      arg: NAME b\n"
								    "      arg: STARRED\n"
								    "        value: NAME c\n"
								    "      keyword k\n"
								    "        value: NAME d\n"
								    "      keyword **\n"
								    "        value: NAME e\n"
								    "    index: NAME f\n");
}

static void displays_and_comprehensions(void **state)
{
	(void)state;
	check_tree("(), (a,), [b, *c], {d}, {}, {e: f, **g}\n", "EXPR\n"
								"  value: TUPLE\n"
								"    item: TUPLE\n"
								"    item: TUPLE\n"
								"      item: NAME a\n"
								"    item: LIST\n"
								"      item: NAME b\n"
								"      item: STARRED\n"
								"        value: NAME c\n"
								"    item: SET\n"
								"      item: NAME d\n"
								"    item: DICT\n"
								"    item: DICT\n"
								"      key: NAME e\n"
								"      value: NAME f\n"
								"      **: NAME g\n");
	check_tree("[a for a, b in c if d if e for f in g]\n", "EXPR\n"
							       "  value: LIST_COMP\n"
							       "    elt: NAME a\n"
							       "    clause: COMP_FOR\n"
							       "      target: TUPLE\n"
							       "        item: NAME a\n"
							       "        item: NAME b\n"
							       "      iter: NAME c\n"
							       "      if: NAME d\n"
							       "      if: NAME e\n"
							       "    clause: COMP_FOR\n"
							       "      target: NAME f\n"
							       "      iter: NAME g\n");
	check_tree("{a for a in b}, {a: 1 async for a in b}, (a for a in b), f(a for a in b)\n",
		   "EXPR\n"
		   "  value: TUPLE\n"
		   "    item: SET_COMP\n"
		   "      elt: NAME a\n"
		   "      clause: COMP_FOR\n"
		   "        target: NAME a\n"
		   "        iter: NAME b\n"
		   "    item: DICT_COMP\n"
		   "      elt: NAME a\n"
		   "      value: INT 1 base 10\n"
		   "      clause: COMP_FOR async\n"
		   "        target: NAME a\n"
		   "        iter: NAME b\n"
		   "    item: GENERATOR\n"
		   "      elt: NAME a\n"
		   "      clause: COMP_FOR\n"
		   "        target: NAME a\n"
		   "        iter: NAME b\n"
		   "    item: CALL\n"
		   "      func: NAME f\n"
		   "      arg: GENERATOR\n"
		   "        elt: NAME a\n"
		   "        clause: COMP_FOR\n"
		   "          target: NAME a\n"
		   "          iter: NAME b\n");
}

static void numbers(void **state)
{
	(void)state;
	check_tree("0, 007_0.5, 0x_fF, 0b1_0, 0o17, 1_000, 00, 1e3, .5, 1., 3e-2j, 1if a else 0xfor b\n",
		   "EXPR\n"
		   "  value: TUPLE\n"
		   "    item: INT 0 base 10\n"
		   "    item: FLOAT 0x1.1ap+6\n"
		   "    item: INT fF base 16\n"
		   "    item: INT 10 base 2\n"
		   "    item: INT 17 base 8\n"
		   "    item: INT 1000 base 10\n"
		   "    item: INT 0 base 10\n"
		   "    item: FLOAT 0x1.f4p+9\n"
		   "    item: FLOAT 0x1p-1\n"
		   "    item: FLOAT 0x1p+0\n"
		   "    item: IMAGINARY 0x1.eb851eb851eb8p-6\n"
		   "    item: IF_EXP\n"
		   "      test: NAME a\n"
		   "      body: INT 1 base 10\n"
		   "      orelse: BOOL_OP or\n"
		   "        value: INT f base 16\n"
		   "        value: NAME b\n");
	check_tree("123456789012345678901234567890, 2.2250738585072011e-308, 0.1, 1e400, 9007199254740993.0\n",
		   "EXPR\n"
		   "  value: TUPLE\n"
		   "    item: INT 123456789012345678901234567890 base 10\n"
		   "    item: FLOAT 0x0.fffffffffffffp-1022\n"
		   "    item: FLOAT 0x1.999999999999ap-4\n"
		   "    item: FLOAT inf\n"
		   "    item: FLOAT 0x1p+53\n");
}

static void strings(void **state)
{
	(void)state;
	check_tree("'a\\n\\x41\\101\\u00e9\\\n\\q' \"b\"\n", "EXPR\n  value: STRING \"a\\nAA\xc3\xa9\\\\qb\"\n");
	check_tree("r'\\n', b'\\xff\\n', Rb'\\d', u'', '''a\r\nb'\\''''\n", "EXPR\n"
									    "  value: TUPLE\n"
									    "    item: STRING \"\\\\n\"\n"
									    "    item: STRING b\"\xff\\n\"\n"
									    "    item: STRING b\"\\\\d\"\n"
									    "    item: STRING \"\"\n"
									    "    item: STRING \"a\\nb''\"\n");
	check_tree("# coding: latin-1\n'\xe9'\n", "EXPR\n  value: STRING \"\xc3\xa9\"\n");
}

static void format_strings(void **state)
{
	(void)state;
	check_tree("'x' f'a{{{b!r:>{w}.2f}}}' rf'\\{c}'\n", "EXPR\n"
							    "  value: JOINED_STR\n"
							    "    value: STRING \"xa{\"\n"
							    "    value: FORMATTED !r\n"
							    "      value: NAME b\n"
							    "      spec: JOINED_STR\n"
							    "        value: STRING \">\"\n"
							    "        value: FORMATTED\n"
							    "          value: NAME w\n"
							    "        value: STRING \".2f\"\n"
							    "    value: STRING \"}\\\\\"\n"
							    "    value: FORMATTED\n"
							    "      value: NAME c\n");
	/* the same quotes inside, a newline and a comment inside, and `=`: Python 3.12 and 3.8 */
	check_tree("f'{a['b']}{f'{1}'}{\n c # }\n = }{d!=e}'\n", "EXPR\n"
								 "  value: JOINED_STR\n"
								 "    value: FORMATTED\n"
								 "      value: SUBSCRIPT\n"
								 "        value: NAME a\n"
								 "        index: STRING \"b\"\n"
								 "    value: FORMATTED\n"
								 "      value: JOINED_STR\n"
								 "        value: FORMATTED\n"
								 "          value: INT 1 base 10\n"
								 "    value: STRING \"\\n c \\n = \"\n"
								 "    value: FORMATTED !r\n"
								 "      value: NAME c\n"
								 "    value: FORMATTED\n"
								 "      value: COMPARE !=\n"
								 "        left: NAME d\n"
								 "        right: NAME e\n");
	check_tree("f'', f'{(lambda: {1: 2})}'\n", "EXPR\n"
						    "  value: TUPLE\n"
						    "    item: JOINED_STR\n"
						    "    item: JOINED_STR\n"
						    "      value: FORMATTED\n"
						    "        value: LAMBDA\n"
						    "          body: RETURN\n"
						    "            value: DICT\n"
						    "              key: INT 1 base 10\n"
						    "              value: INT 2 base 10\n");
}

static void simple_statements(void **state)
{
	(void)state;
	check_tree("a = b, *c = (d) = e; f: int = 1; g += 2\n", "ASSIGN\n"
								"  target: NAME a\n"
								"  target: TUPLE\n"
								"    item: NAME b\n"
								"    item: STARRED\n"
								"      value: NAME c\n"
								"  target: NAME d\n"
								"  value: NAME e\n"
								"ANN_ASSIGN\n"
								"  target: NAME f\n"
								"  annotation: NAME int\n"
								"  value: INT 1 base 10\n"
								"AUG_ASSIGN +=\n"
								"  target: NAME g\n"
								"  value: INT 2 base 10\n");
	check_tree("import a.b as c, d\nfrom . import e\nfrom ...f.g import (h as i, j,)\nfrom k import *\n",
		   "IMPORT\n"
		   "  alias a.b as c\n"
		   "  alias d\n"
		   "IMPORT_FROM 1 -\n"
		   "  alias e\n"
		   "IMPORT_FROM 3 f.g\n"
		   "  alias h as i\n"
		   "  alias j\n"
		   "IMPORT_FROM 0 k\n"
		   "  alias *\n");
	check_tree("pass; global a, b; del c, (d, e); assert f, g; raise h from i; nonlocal j\n", "PASS\n"
												  "GLOBAL a b\n"
												  "DELETE\n"
												  "  target: NAME c\n"
												  "  target: TUPLE\n"
												  "    item: NAME d\n"
												  "    item: NAME e\n"
												  "ASSERT\n"
												  "  test: NAME f\n"
												  "  msg: NAME g\n"
												  "RAISE\n"
												  "  exc: NAME h\n"
												  "  cause: NAME i\n"
												  "NONLOCAL j\n");
	check_tree("a @= b; a //= b; a **= b; a >>= b; a ^= b\n",
		   "AUG_ASSIGN @=\n  target: NAME a\n  value: NAME b\n"
		   "AUG_ASSIGN //=\n  target: NAME a\n  value: NAME b\n"
		   "AUG_ASSIGN **=\n  target: NAME a\n  value: NAME b\n"
		   "AUG_ASSIGN >>=\n  target: NAME a\n  value: NAME b\n"
		   "AUG_ASSIGN ^=\n  target: NAME a\n  value: NAME b\n");
}

static void compound_statements(void **state)
{
	(void)state;
	check_tree("if a: pass\nelif b:\n\tc\nelse: d\n", "IF\n"
							  "  test: NAME a\n"
							  "  body: PASS\n"
							  "  orelse: IF\n"
							  "    test: NAME b\n"
							  "    body: EXPR\n"
							  "      value: NAME c\n"
							  "    orelse: EXPR\n"
							  "      value: NAME d\n");
	check_tree("for a, b in c, d:\n  break\nelse: e\nwhile f: continue\n", "FOR\n"
									       "  target: TUPLE\n"
									       "    item: NAME a\n"
									       "    item: NAME b\n"
									       "  iter: TUPLE\n"
									       "    item: NAME c\n"
									       "    item: NAME d\n"
									       "  body: BREAK\n"
									       "  orelse: EXPR\n"
									       "    value: NAME e\n"
									       "WHILE\n"
									       "  test: NAME f\n"
									       "  body: CONTINUE\n");
	check_tree("with a as b, c: pass\nwith (a as b, c,): pass\nwith (a, b) as c: pass\n", "WITH\n"
											      "  item: WITH_ITEM\n"
											      "    value: NAME a\n"
											      "    target: NAME b\n"
											      "  item: WITH_ITEM\n"
											      "    value: NAME c\n"
											      "  body: PASS\n"
											      "WITH\n"
											      "  item: WITH_ITEM\n"
											      "    value: NAME a\n"
											      "    target: NAME b\n"
											      "  item: WITH_ITEM\n"
											      "    value: NAME c\n"
											      "  body: PASS\n"
											      "WITH\n"
											      "  item: WITH_ITEM\n"
											      "    value: TUPLE\n"
											      "      item: NAME a\n"
											      "      item: NAME b\n"
											      "    target: NAME c\n"
											      "  body: PASS\n");
	check_tree("try:\n  a\nexcept b as c: d\nexcept (e, f): g\nelse: h\nfinally: i\n", "TRY\n"
											   "  body: EXPR\n"
											   "    value: NAME a\n"
											   "  handler: EXCEPT as c\n"
											   "    type: NAME b\n"
											   "    body: EXPR\n"
											   "      value: NAME d\n"
											   "  handler: EXCEPT\n"
											   "    type: TUPLE\n"
											   "      item: NAME e\n"
											   "      item: NAME f\n"
											   "    body: EXPR\n"
											   "      value: NAME g\n"
											   "  orelse: EXPR\n"
											   "    value: NAME h\n"
											   "  finalbody: EXPR\n"
											   "    value: NAME i\n");
}

static void definitions(void **state)
{
	(void)state;
	check_tree("@a.b(c)\n@d\ndef f[T: int, *Ts](x: y = 1, *z: *Ts, k=2) -> r:\n  return x\n",
		   "FUNCTION_DEF f\n"
		   "  decorator: CALL\n"
		   "    func: ATTRIBUTE b\n"
		   "      value: NAME a\n"
		   "    arg: NAME c\n"
		   "  decorator: NAME d\n"
		   "  param x\n"
		   "    annotation: NAME y\n"
		   "    default: INT 1 base 10\n"
		   "  vararg z\n"
		   "    annotation: STARRED\n"
		   "      value: NAME Ts\n"
		   "  kwonly k\n"
		   "    default: INT 2 base 10\n"
		   "  returns: NAME r\n"
		   "  body: RETURN\n"
		   "    value: NAME x\n");
	check_tree("class C[T](B, metaclass=M):\n  x: int = 1\n  async def m(self): await (yield self)\n",
		   "CLASS_DEF C\n"
		   "  base: NAME B\n"
		   "  keyword metaclass\n"
		   "    value: NAME M\n"
		   "  body: ANN_ASSIGN\n"
		   "    target: NAME x\n"
		   "    annotation: NAME int\n"
		   "    value: INT 1 base 10\n"
		   "  body: FUNCTION_DEF async m\n"
		   "    param self\n"
		   "    body: EXPR\n"
		   "      value: AWAIT\n"
		   "        value: YIELD\n"
		   "          value: NAME self\n");
	check_tree("def f(*, a): yield from a\n", "FUNCTION_DEF f\n"
						  "  kwonly a\n"
						  "  body: EXPR\n"
						  "    value: YIELD_FROM\n"
						  "      value: NAME a\n");
}

static void soft_keywords(void **state)
{
	(void)state;
	check_tree("match = case = type = 1\nmatch(a)\ntype.x\nmatch a:\n  case 1: b\ntype T[X] = int; c\n",
		   "ASSIGN\n"
		   "  target: NAME match\n"
		   "  target: NAME case\n"
		   "  target: NAME type\n"
		   "  value: INT 1 base 10\n"
		   "EXPR\n"
		   "  value: CALL\n"
		   "    func: NAME match\n"
		   "    arg: NAME a\n"
		   "EXPR\n"
		   "  value: ATTRIBUTE x\n"
		   "    value: NAME type\n"
		   "SKIPPED\n"
		   "SKIPPED\n"
		   "EXPR\n"
		   "  value: NAME c\n");
}

static void layout_of_lines(void **state)
{
	(void)state;
	check_tree("\xef\xbb\xbf# -*- coding: utf-8 -*-\r\n\f\r\nif a:\r\n    b\r\n\r\n\f# c\r\n    d \\\r\n  + e\r\n\fg",
		   "IF\n"
		   "  test: NAME a\n"
		   "  body: EXPR\n"
		   "    value: NAME b\n"
		   "  body: EXPR\n"
		   "    value: BIN_OP +\n"
		   "      left: NAME d\n"
		   "      right: NAME e\n"
		   "EXPR\n"
		   "  value: NAME g\n");
	check_tree("x = (1,\n# c\n\n2)\n\\\ny\n", "ASSIGN\n"
						  "  target: NAME x\n"
						  "  value: TUPLE\n"
						  "    item: INT 1 base 10\n"
						  "    item: INT 2 base 10\n"
						  "EXPR\n"
						  "  value: NAME y\n");
	check_tree("na\xc3\xafve, \xe5\x8f\x98_1\n", "EXPR\n"
						     "  value: TUPLE\n"
						     "    item: NAME na\xc3\xafve\n"
						     "    item: NAME \xe5\x8f\x98_1\n");
}

static void spans(void **state)
{
	(void)state;
	check_spans("x = (a) + f(b, k=1)[2 : 3]\n", "ASSIGN @0-26\n"
						    "  target: NAME x @0-1\n"
						    "  value: BIN_OP + @4-26\n"
						    "    left: NAME a @5-6\n"
						    "    right: SUBSCRIPT @10-26\n"
						    "      value: CALL @10-19\n"
						    "        func: NAME f @10-11\n"
						    "        arg: NAME b @12-13\n"
						    "        keyword k\n"
						    "          value: INT 1 base 10 @17-18\n"
						    "      index: SLICE @20-25\n"
						    "        lower: INT 2 base 10 @20-21\n"
						    "        upper: INT 3 base 10 @24-25\n");
	check_spans("@d\ndef f(a):\n  if a:\n    pass\n\n\nx\n", "FUNCTION_DEF f @3-29\n"
								 "  decorator: NAME d @1-2\n"
								 "  param a\n"
								 "  body: IF @15-29\n"
								 "    test: NAME a @18-19\n"
								 "    body: PASS @25-29\n"
								 "EXPR @32-33\n"
								 "  value: NAME x @32-33\n");
	check_spans("f'a{b + 1:c}'\n", "EXPR @0-13\n"
				       "  value: JOINED_STR @0-13\n"
				       "    value: STRING \"a\" @2-3\n"
				       "    value: FORMATTED @3-12\n"
				       "      value: BIN_OP + @4-9\n"
				       "        left: NAME b @4-5\n"
				       "        right: INT 1 base 10 @8-9\n"
				       "      spec: JOINED_STR @10-11\n"
				       "        value: STRING \"c\" @10-11\n");
}

/* ---- errors ---- */

typedef struct ErrorCase {
	DiagCode code; /* of the first */
	const char *text;
	size_t len;
	const char *errors;
} ErrorCase;

#define BYTES(literal) literal, sizeof(literal) - 1

static const ErrorCase error_cases[] = {
	{DIAG_SYNTAX_NUL,
	 BYTES("a = 1\n"
	 "b = \0\0 2\n"),
	 "2:5-7 source code cannot contain null bytes\n"},
	{DIAG_SYNTAX_UTF8,
	 BYTES("a\n"
	 "'\xc3('\n"),
	 "2:2-3 invalid UTF-8 in source text (byte 0xc3)\n"},
	{DIAG_SYNTAX_UTF8,
	 BYTES("x\xff\xfe = 1\n"),
	 "1:2-4 invalid UTF-8 in source text (byte 0xff)\n"},
	{DIAG_SYNTAX_ENCODING,
	 BYTES("# coding: koi8-r\n"
	 "x = '\xc1'\n"
	 "\xc1 = 2\n"),
	 "2:6-7 non-ASCII text in encoding 'koi8-r'; save the file as UTF-8\n"
	 "3:1-2 non-ASCII text in encoding 'koi8-r'; save the file as UTF-8\n"},
	{DIAG_SYNTAX_CHARACTER,
	 BYTES("x = \xe2\x80\x9c" "a\n"),
	 "1:5-6 invalid character '“' (U+201C)\n"},
	{DIAG_SYNTAX_CHARACTER,
	 BYTES("x = a ? b : c\n"
	 "y = $\n"),
	 "1:7-8 invalid character '?' (U+003F)\n"
	 "2:5-6 invalid character '$' (U+0024)\n"},
	{DIAG_SYNTAX_INVISIBLE,
	 BYTES("x =\xc2\xa0" "1\n"),
	 "1:4-5 invalid non-printable character U+00A0\n"},
	{DIAG_SYNTAX_CONTINUATION,
	 BYTES("x = 1 \\ + 2\n"),
	 "1:7-8 unexpected character after line continuation character\n"},
	{DIAG_SYNTAX_CONTINUATION_END,
	 BYTES("x = 1 + \\"),
	 "1:9-10 unexpected end of file after line continuation character\n"},
	{DIAG_SYNTAX_STRING_OPEN,
	 BYTES("x = 'abc\n"
	 "y = f(\"a)\n"
	 "z = rb\"\n"),
	 "1:5-9 unterminated string literal\n"
	 "2:7-10 unterminated string literal\n"
	 "3:5-8 unterminated string literal\n"},
	{DIAG_SYNTAX_TRIPLE_OPEN,
	 BYTES("x = 1\n"
	 "y = '''abc\n"
	 "def\n"),
	 "2:5-8 unterminated triple-quoted string literal\n"},
	{DIAG_SYNTAX_TRIPLE_OPEN,
	 BYTES("def f():\n"
	 "  '''abc\n"),
	 "2:3-6 unterminated triple-quoted string literal\n"},
	{DIAG_SYNTAX_NUMBER,
	 BYTES("1_\n"
	 "1__0\n"
	 "12abc\n"
	 "0x\n"
	 "0b\n"
	 "0o_\n"
	 "1e5x\n"
	 "0xfgh\n"
	 "1.5_\n"),
	 "1:1-3 invalid decimal literal\n"
	 "2:1-5 invalid decimal literal\n"
	 "3:1-6 invalid decimal literal\n"
	 "4:1-3 invalid hexadecimal literal\n"
	 "5:1-3 invalid binary literal\n"
	 "6:1-4 invalid octal literal\n"
	 "7:1-5 invalid decimal literal\n"
	 "8:1-6 invalid hexadecimal literal\n"
	 "9:1-5 invalid decimal literal\n"},
	{DIAG_SYNTAX_DIGIT,
	 BYTES("x = 0b102\n"
	 "y = 0o18\n"),
	 "1:9-10 invalid digit '2' in binary literal\n"
	 "2:8-9 invalid digit '8' in octal literal\n"},
	{DIAG_SYNTAX_LEADING_ZERO,
	 BYTES("x = 0777\n"),
	 "1:5-9 leading zeros in decimal integer literals are not permitted; use an 0o prefix for octal integers\n"},
	{DIAG_SYNTAX_NEVER_CLOSED,
	 BYTES("x = f(1, [2\n"
	 "y = 2\n"
	 "def g():\n"
	 "  return 1 +\n"),
	 "1:10-11 '[' was never closed\n"
	 "4:13-13 expected an expression, found end of line\n"},
	{DIAG_SYNTAX_NEVER_CLOSED,
	 BYTES("a = {\n"
	 "@b\n"
	 "def f(): pass\n"
	 "c = 1 +\n"),
	 "1:5-6 '{' was never closed\n"
	 "4:8-8 expected an expression, found end of line\n"},
	{DIAG_SYNTAX_UNMATCHED,
	 BYTES("x = 1)\n"
	 "]\n"),
	 "1:6-7 unmatched ')'\n"
	 "2:1-2 unmatched ']'\n"},
	{DIAG_SYNTAX_MISMATCH,
	 BYTES("x = f(a,\n"
	 "      [b)\n"
	 "y = (1]\n"),
	 "2:9-10 closing parenthesis ')' does not match opening parenthesis '['\n"
	 "  2:7 opened here\n"
	 "3:7-8 closing parenthesis ']' does not match opening parenthesis '('\n"
	 "  3:5 opened here\n"},
	{DIAG_SYNTAX_INDENT,
	 BYTES("x = 1\n"
	 "   y = 2 +\n"
	 "z = 1 +\n"),
	 "2:4-4 unexpected indent\n"
	 "2:11-11 expected an expression, found end of line\n"
	 "3:8-8 expected an expression, found end of line\n"},
	{DIAG_SYNTAX_INDENT,
	 BYTES("def f():\n"
	 "  a\n"
	 "     return 1\n"),
	 "3:6-6 unexpected indent\n"},
	{DIAG_SYNTAX_DEDENT,
	 BYTES("if a:\n"
	 "        b\n"
	 "    c\n"
	 "    d +\n"
	 "e +\n"),
	 "3:5-6 unindent does not match any outer indentation level\n"
	 "4:8-8 expected an expression, found end of line\n"
	 "5:4-4 expected an expression, found end of line\n"},
	{DIAG_SYNTAX_TABS,
	 BYTES("if a:\n"
	 "        b\n"
	 "	c\n"),
	 "3:2-3 inconsistent use of tabs and spaces in indentation\n"},
	{DIAG_SYNTAX_BLOCK,
	 BYTES("if a:\n"
	 "b\n"
	 "elif c:\n"
	 "while d:\n"
	 "\n"
	 "x = 1 +\n"),
	 "2:1-2 expected an indented block after 'if' statement on line 1\n"
	 "3:1-5 expected a statement, found 'elif'\n"
	 "6:1-2 expected an indented block after 'while' statement on line 4\n"
	 "6:8-8 expected an expression, found end of line\n"},
	{DIAG_SYNTAX_BLOCK,
	 BYTES("def f(a):\n"
	 "\n"
	 "class C:\n"
	 "for i in a:\n"
	 "try:\n"
	 "except a:\n"
	 "finally:\n"
	 "else:\n"
	 "with a:\n"),
	 "3:1-6 expected an indented block after function definition on line 1\n"
	 "4:1-4 expected an indented block after class definition on line 3\n"
	 "5:1-4 expected an indented block after 'for' statement on line 4\n"
	 "6:1-7 expected an indented block after 'try' statement on line 5\n"
	 "7:1-8 expected an indented block after 'except' statement on line 6\n"
	 "8:1-5 expected an indented block after 'finally' statement on line 7\n"
	 "8:1-5 expected a statement, found 'else'\n"
	 "10:1-1 expected an indented block after 'with' statement on line 9\n"},
	{DIAG_SYNTAX_EXPECTED,
	 BYTES("if a\n"
	 "  b +\n"
	 "x = = 1\n"
	 "f(a b)\n"
	 "[a b]\n"
	 "{a b}\n"
	 "{a: b c}\n"
	 "(a b)\n"
	 "a[b c]\n"),
	 "1:5-5 expected ':', found end of line\n"
	 "2:6-6 expected an expression, found end of line\n"
	 "3:5-6 expected an expression, found '='\n"
	 "4:5-6 expected ',' or ')', found 'b'\n"
	 "5:4-5 expected ',' or ']', found 'b'\n"
	 "6:4-5 expected ',' or '}', found 'b'\n"
	 "7:7-8 expected ',' or '}', found 'c'\n"
	 "8:4-5 expected ',' or ')', found 'b'\n"
	 "9:5-6 expected ',' or ']', found 'c'\n"},
	{DIAG_SYNTAX_EXPECTED,
	 BYTES("for a b: pass\n"
	 "while: pass\n"
	 "x.1\n"
	 "x.\n"
	 "def (): pass\n"
	 "class: pass\n"
	 "import\n"
	 "from import a\n"
	 "from a b\n"
	 "import a as\n"
	 "a if b\n"
	 "@a b\n"),
	 "1:7-8 expected 'in', found 'b'\n"
	 "2:6-7 expected an expression, found ':'\n"
	 "3:2-4 expected end of line, found a number\n"
	 "4:3-3 expected a name after '.', found end of line\n"
	 "5:5-6 expected a function name, found '('\n"
	 "6:6-7 expected a class name, found ':'\n"
	 "7:7-7 expected a module name, found end of line\n"
	 "8:6-12 expected a module name, found 'import'\n"
	 "9:8-9 expected 'import', found 'b'\n"
	 "10:12-12 expected a name after 'as', found end of line\n"
	 "11:7-7 expected 'else' of a conditional expression, found end of line\n"
	 "12:4-5 expected end of line, found 'b'\n"},
	{DIAG_SYNTAX_EXPECTED,
	 BYTES("@a\n"
	 "x = 1\n"
	 "async x\n"
	 "x = yield = 1 +\n"
	 "except a:\n"
	 "  b +\n"
	 "not\n"
	 "lambda a b: c\n"
	 "def f(a b): pass\n"
	 "import a.\n"),
	 "2:1-2 expected 'def' or 'class' after a decorator, found 'x'\n"
	 "3:7-8 expected 'def', 'for' or 'with' after 'async', found 'x'\n"
	 "4:5-10 cannot assign to yield expression\n"
	 "6:6-6 expected an expression, found end of line\n"
	 "7:4-4 expected an expression, found end of line\n"
	 "8:10-11 expected ',' or ':', found 'b'\n"
	 "9:9-10 expected ',' or ')', found 'b'\n"
	 "10:10-10 expected a name after '.', found end of line\n"},
	{DIAG_SYNTAX_EXPECTED,
	 BYTES("if a: if b: c\n"
	 "def f[T: pass\n"
	 "global 1\n"
	 "del\n"
	 "raise a, b\n"
	 "x = a not b\n"
	 "*\n"),
	 "1:7-9 expected a statement, found 'if'\n"
	 "2:6-7 '[' was never closed\n"
	 "3:8-9 expected a name, found a number\n"
	 "4:4-4 expected an expression, found end of line\n"
	 "5:8-9 expected end of line, found ','\n"
	 "6:7-10 expected end of line, found 'not'\n"
	 "7:2-2 expected an expression, found end of line\n"},
	{DIAG_SYNTAX_ASSIGN_TARGET,
	 BYTES("f() = 1\n"
	 "1 = 2\n"
	 "a + b = c\n"
	 "(a, 'b') = c\n"
	 "for f() in a: pass\n"
	 "None = 1\n"
	 "[x for x in y] = 1\n"
	 "with a as f(): pass\n"),
	 "1:1-4 cannot assign to function call\n"
	 "2:1-2 cannot assign to literal\n"
	 "3:1-6 cannot assign to expression\n"
	 "4:5-8 cannot assign to literal\n"
	 "5:5-8 cannot assign to function call\n"
	 "6:1-5 cannot assign to None\n"
	 "7:1-15 cannot assign to list comprehension\n"
	 "8:11-14 cannot assign to function call\n"},
	{DIAG_SYNTAX_ASSIGN_TARGET,
	 BYTES("a < b = 1\n"
	 "a if b else c = 1\n"
	 "{} = 1\n"
	 "{1} = 2\n"
	 "f'{a}' = 1\n"
	 "... = 1\n"
	 "(yield) = 1\n"
	 "(lambda: a) = 1\n"
	 "-a = 1\n"
	 "(a := b) = 1\n"),
	 "1:1-6 cannot assign to comparison\n"
	 "2:1-14 cannot assign to conditional expression\n"
	 "3:1-3 cannot assign to dict literal\n"
	 "4:1-4 cannot assign to set display\n"
	 "5:1-7 cannot assign to f-string expression\n"
	 "6:1-4 cannot assign to ellipsis\n"
	 "7:2-7 cannot assign to yield expression\n"
	 "8:2-11 cannot assign to lambda\n"
	 "9:1-3 cannot assign to expression\n"
	 "10:2-8 cannot assign to named expression\n"},
	{DIAG_SYNTAX_DELETE_TARGET,
	 BYTES("del f()\n"
	 "del a, 1\n"),
	 "1:5-8 cannot delete function call\n"
	 "2:8-9 cannot delete literal\n"},
	{DIAG_SYNTAX_AUG_TARGET,
	 BYTES("a, b += 1\n"
	 "f() -= 1\n"),
	 "1:1-5 tuple is an illegal target for augmented assignment\n"
	 "2:1-4 function call is an illegal target for augmented assignment\n"},
	{DIAG_SYNTAX_ANN_TARGET,
	 BYTES("a, b: int\n"
	 "f(): int = 1\n"),
	 "1:1-5 only a name, attribute or subscript can be annotated, not tuple\n"
	 "2:1-4 only a name, attribute or subscript can be annotated, not function call\n"},
	{DIAG_SYNTAX_EQUALS,
	 BYTES("if a = b: pass\n"
	 "while (a = b): pass\n"),
	 "1:6-7 invalid syntax; maybe you meant '==' or ':=' instead of '='?\n"
	 "2:10-11 invalid syntax; maybe you meant '==' or ':=' instead of '='?\n"},
	{DIAG_SYNTAX_STARRED,
	 BYTES("*a\n"
	 "x = *b\n"
	 "(*c)\n"
	 "[*d for d in e]\n"
	 "def f(): return *a\n"),
	 "1:1-3 cannot use starred expression here\n"
	 "2:5-7 cannot use starred expression here\n"
	 "3:2-4 cannot use starred expression here\n"
	 "4:2-4 cannot use starred expression here\n"
	 "5:17-19 cannot use starred expression here\n"},
	{DIAG_SYNTAX_TWO_STARRED,
	 BYTES("*a, *b = c\n"),
	 "1:5-7 multiple starred expressions in assignment\n"},
	{DIAG_SYNTAX_STARRED_TARGET,
	 BYTES("*a = b\n"),
	 "1:1-3 starred assignment target must be in a list or tuple\n"},
	{DIAG_SYNTAX_ARGUMENT_ORDER,
	 BYTES("f(a=1, b)\n"
	 "f(**a, b)\n"
	 "f(**a, *b)\n"
	 "f(a=1, *b)\n"),
	 "1:8-9 positional argument follows keyword argument\n"
	 "2:8-9 positional argument follows keyword argument unpacking\n"
	 "3:8-10 iterable argument unpacking follows keyword argument unpacking\n"},
	{DIAG_SYNTAX_KEYWORD_NAME,
	 BYTES("f(a.b=1)\n"
	 "f(True=1)\n"),
	 "1:3-6 the left side of '=' in a call must be a name; perhaps you meant '=='?\n"
	 "2:3-7 the left side of '=' in a call must be a name; perhaps you meant '=='?\n"},
	{DIAG_SYNTAX_KEYWORD_REPEATED,
	 BYTES("f(a=1, b=2, a=3)\n"),
	 "1:13-16 keyword argument repeated: a\n"},
	{DIAG_SYNTAX_GENERATOR,
	 BYTES("f(a for a in b, c)\n"
	 "f(c, a for a in b)\n"),
	 "1:3-15 generator expression must be parenthesized\n"
	 "2:6-18 generator expression must be parenthesized\n"},
	{DIAG_SYNTAX_PARAM_REPEATED,
	 BYTES("def f(a, b, *a): pass\n"
	 "lambda a, a: b\n"),
	 "1:14-15 duplicate argument 'a' in function definition\n"
	 "2:11-12 duplicate argument 'a' in function definition\n"},
	{DIAG_SYNTAX_PARAM_DEFAULT,
	 BYTES("def f(a=1, b): pass\n"),
	 "1:12-13 parameter without a default follows parameter with a default\n"},
	{DIAG_SYNTAX_PARAM_ORDER,
	 BYTES("def f(*): pass\n"
	 "def f(/, a): pass\n"
	 "def f(a, /, b, /): pass\n"
	 "def f(*a, /): pass\n"
	 "def f(*a, *b): pass\n"
	 "def f(**a, b): pass\n"
	 "def f(*a=1): pass\n"
	 "def f(*, **a): pass\n"),
	 "1:7-8 named parameters must follow bare '*'\n"
	 "2:7-8 at least one parameter must precede '/'\n"
	 "3:16-17 '/' may appear only once\n"
	 "4:11-12 '/' must be ahead of '*'\n"
	 "5:11-12 '*' may appear only once\n"
	 "6:12-13 no parameter can follow one with '**'\n"
	 "7:8-9 a parameter with '*' or '**' cannot have a default\n"
	 "8:10-12 named parameters must follow bare '*'\n"},
	{DIAG_SYNTAX_COMMA,
	 BYTES("from a import b,\n"),
	 "1:16-17 trailing comma not allowed without surrounding parentheses\n"},
	{DIAG_SYNTAX_TRY,
	 BYTES("try:\n"
	 "  a\n"
	 "b\n"),
	 "3:1-2 expected 'except' or 'finally' block\n"},
	{DIAG_SYNTAX_EXCEPT_TUPLE,
	 BYTES("try: a\n"
	 "except b, c: d\n"),
	 "2:8-9 multiple exception types must be parenthesized\n"},
	{DIAG_SYNTAX_OUTSIDE,
	 BYTES("return 1\n"
	 "break\n"
	 "for a in b:\n"
	 "  class C: continue\n"
	 "def f():\n"
	 "  break\n"),
	 "1:1-7 'return' outside function\n"
	 "2:1-6 'break' outside loop\n"
	 "4:12-20 'continue' outside loop\n"
	 "6:3-8 'break' outside loop\n"},
	{DIAG_SYNTAX_PRINT,
	 BYTES("print 'a'\n"
	 "print a\n"),
	 "1:1-6 missing parentheses in call to 'print'; did you mean print(...)?\n"
	 "2:1-6 missing parentheses in call to 'print'; did you mean print(...)?\n"},
	{DIAG_SYNTAX_STATEMENT,
	 BYTES("def f(a):\n"
	 "  match a:\n"
	 "    case 1: pass\n"
	 "  type T = int\n"
	 "  return a +\n"),
	 "2:3-8 a 'match' statement is not supported inside a function\n"
	 "4:3-7 a 'type' statement is not supported inside a function\n"
	 "5:13-13 expected an expression, found end of line\n"},
	{DIAG_SYNTAX_ESCAPE,
	 BYTES("'a\\x4'\n"
	 "'\\u12'\n"
	 "'\\U0010ffg'\n"
	 "'\\N'\n"
	 "'\\N{'\n"),
	 "1:3-6 truncated \\xXX escape\n"
	 "2:2-6 truncated \\uXXXX escape\n"
	 "3:2-10 truncated \\UXXXXXXXX escape\n"
	 "4:2-4 truncated \\N{...} escape\n"
	 "5:2-5 truncated \\N{...} escape\n"},
	{DIAG_SYNTAX_CODE_POINT,
	 BYTES("'\\U00110000'\n"),
	 "1:2-12 no such Unicode character: \\U00110000\n"},
	{DIAG_SYNTAX_NAMED_ESCAPE,
	 BYTES("'a\\N{DEGREE SIGN}b\\N{DEGREE SIGN}'\n"),
	 "1:3-18 character names are not known here: \\N{DEGREE SIGN} is kept as written\n"},
	{DIAG_SYNTAX_BYTES_ASCII,
	 BYTES("b'a\xc3\xa9'\n"),
	 "1:4-5 bytes can only contain ASCII literal characters\n"},
	{DIAG_SYNTAX_BYTES_MIX,
	 BYTES("'a' b'b'\n"),
	 "1:5-9 cannot mix bytes and nonbytes literals\n"},
	{DIAG_SYNTAX_FSTRING,
	 BYTES("f'{a'\n"
	 "f'}'\n"
	 "f'{}'\n"
	 "f'{ }'\n"
	 "f'{a!x}'\n"
	 "f'{a!rr}'\n"
	 "f'{a!r b}'\n"
	 "f'{a:{}}'\n"),
	 "1:3-4 f-string: '{' was never closed\n"
	 "2:3-4 f-string: single '}' is not allowed\n"
	 "3:3-5 f-string: a field needs an expression\n"
	 "4:3-6 f-string: a field needs an expression\n"
	 "5:5-7 f-string: the conversion after '!' must be 's', 'r' or 'a'\n"
	 "6:5-7 f-string: the conversion after '!' must be 's', 'r' or 'a'\n"
	 "7:3-4 f-string: expected '}' at the end of the field\n"
	 "8:6-8 f-string: a field needs an expression\n"},
	{DIAG_SYNTAX_EXPECTED,
	 BYTES("f'{a b}'\n"
	 "f'{a +}'\n"
	 "f'{=}'\n"
	 "f'{a:{b'\n"
	 "f'{1_}'\n"
	 "f'{lambda x: 1}'\n"
	 "f'{a['\n"),
	 "1:6-7 expected '}' of the f-string, found 'b'\n"
	 "2:7-7 expected an expression, found the end of the field\n"
	 "3:4-5 expected an expression, found '='\n"
	 "4:6-7 f-string: '{' was never closed\n"
	 "5:4-6 invalid decimal literal\n"
	 "6:12-12 expected ',' or ':', found the end of the field\n"
	 "7:3-4 f-string: '{' was never closed\n"},
};

static const char *all_errors(Run *r, const char *text, size_t len)
{
	start_bytes(r, text, len);
	if (r->module)
		bodies(r, &r->module->body);
	return errors_of(r);
}

static void errors_have_line_and_columns(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(error_cases); i++) {
		const ErrorCase *c = &error_cases[i];
		Run r;
		const char *found = all_errors(&r, c->text, c->len);
		assert_string_equal(found, c->errors);
		assert_int_equal(r.diags.first->code, c->code);
		arena_free(&r.arena);
	}
}

/* ---- limits ---- */

static char *repeat(Run *r, const char *head, const char *unit, size_t count, const char *tail)
{
	size_t h = strlen(head), u = strlen(unit), t = strlen(tail);
	char *text = arena_alloc_raw(&r->arena, h + u * count + t + 1, 1), *at = text;
	memcpy(at, head, h);
	at += h;
	for (size_t i = 0; i < count; i++, at += u)
		memcpy(at, unit, u);
	memcpy(at, tail, t + 1);
	return text;
}

typedef struct LimitCase {
	DiagCode code;
	const char *head, *unit;
	size_t count;
	const char *tail, *errors;
} LimitCase;

static const LimitCase limit_cases[] = {
	{DIAG_SYNTAX_NESTED, "x = ", "(", 10000, "\ndef f(): 1 +\n",
	 "1:205-206 too deeply nested\n2:13-13 expected an expression, found end of line\n"},
	{DIAG_SYNTAX_NESTED, "", "[", 201, "\n", "1:201-202 too deeply nested\n"},
	{DIAG_SYNTAX_NESTED, "", "-", 100000, "1\n", "1:401-402 too deeply nested\n"},
	{DIAG_SYNTAX_NESTED, "", "not ", 100000, "1\n", "1:1601-1602 too deeply nested\n"},
	{DIAG_SYNTAX_NESTED, "", "lambda: ", 100000, "1\n", "1:3201-3202 too deeply nested\n"},
	{DIAG_SYNTAX_NESTED, "", "2**", 100000, "1\n", "1:1201-1202 too deeply nested\n"},
	{DIAG_SYNTAX_NESTED, "", "1 if 1 else ", 100000, "1\n", "1:4801-4802 too deeply nested\n"},
	{DIAG_SYNTAX_NESTED, "a = 1\nb = 1", " + 1", 100000, "\nc +\n",
	 "2:1-2 too deeply nested\n3:4-4 expected an expression, found end of line\n"},
	{DIAG_SYNTAX_NESTED, "x", ".a", 100000, "\n", "1:1-2 too deeply nested\n"},
	{DIAG_SYNTAX_NESTED, "if 1: a\n", "elif 1: a\n", 100000, "", "1:1-2 too deeply nested\n"},
	{DIAG_SYNTAX_NESTED, "f'", "{a:", 1000, "'\n", "1:1198-1199 too deeply nested\n"},
	{DIAG_SYNTAX_GARBAGE, "", "$ ", 5000000, "",
	 "1:1-1 more than 10000 lexical errors: this is not Python source\n"},
	{DIAG_SYNTAX_TOKEN_SIZE, "", "a", 1 << 24, " = 1\n",
	 "1:1-2 a single token of more than 16 MB\n"},
	{DIAG_SYNTAX_SOURCE_SIZE, "", "a = 1\n", (64 << 20) / 6 + 1, "",
	 "1:1-1 source text of 67108866 bytes; at most 67108864 are read\n"},
	{DIAG_SYNTAX_EXPECTED, "", "a b\n", 1000, "",
	 "1:3-4 expected end of line, found 'b'\n2:3-4 expected end of line, found 'b'\n"
	 "3:3-4 expected end of line, found 'b'\n4:3-4 expected end of line, found 'b'\n"
	 "5:3-4 expected end of line, found 'b'\n6:3-4 expected end of line, found 'b'\n"
	 "7:3-4 expected end of line, found 'b'\n8:3-4 expected end of line, found 'b'\n"
	 "9:3-4 expected end of line, found 'b'\n10:3-4 expected end of line, found 'b'\n"
	 "11:3-4 expected end of line, found 'b'\n12:3-4 expected end of line, found 'b'\n"
	 "13:3-4 expected end of line, found 'b'\n14:3-4 expected end of line, found 'b'\n"
	 "15:3-4 expected end of line, found 'b'\n16:3-4 expected end of line, found 'b'\n"
	 "17:3-4 expected end of line, found 'b'\n18:3-4 expected end of line, found 'b'\n"
	 "19:3-4 expected end of line, found 'b'\n20:3-4 expected end of line, found 'b'\n"},
};

static void limits_are_located_errors(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(limit_cases); i++) {
		const LimitCase *c = &limit_cases[i];
		Run text, r;
		arena_init(&text.arena, 0);
		const char *source = repeat(&text, c->head, c->unit, c->count, c->tail);
		assert_string_equal(all_errors(&r, source, strlen(source)), c->errors);
		assert_int_equal(r.diags.first->code, c->code);
		arena_free(&r.arena);
		arena_free(&text.arena);
	}
}

static void indentation_has_a_limit(void **state)
{
	(void)state;
	Run text, r;
	arena_init(&text.arena, 0);
	text_init(&text.out, &text.arena);
	for (int i = 0; i < 150; i++) {
		for (int k = 0; k < i; k++)
			text_char(&text.out, ' ');
		text_str(&text.out, "if a:\n");
	}
	assert_string_equal(all_errors(&r, text.out.data, text.out.len), "101:101-102 too many levels of indentation\n");
	assert_int_equal(r.diags.first->code, DIAG_SYNTAX_INDENT_LEVELS);
	assert_null(r.module);
	arena_free(&r.arena);
	arena_free(&text.arena);
}

/* Trees that are just not too deep are taken. */
static void deep_trees_are_taken(void **state)
{
	(void)state;
	Run text, r;
	arena_init(&text.arena, 0);
	const char *sum = repeat(&text, "x = 1", " + 1", 990, "\n");
	assert_string_equal(all_errors(&r, sum, strlen(sum)), "");
	assert_int_equal(r.module->body.items[0]->height, 992);
	arena_free(&r.arena);
	char *open = repeat(&text, "", "(", LEX_MAX_NESTING, "1");
	const char *nested = repeat(&text, open, ")", LEX_MAX_NESTING, "\n");
	assert_string_equal(all_errors(&r, nested, strlen(nested)), "");
	arena_free(&r.arena);
	arena_free(&text.arena);
}

/* ---- functions on demand ---- */

static void errors_of_bodies_wait_until_asked_for(void **state)
{
	(void)state;
	Run r;
	const char *text = "def f():\n  return 1 +\n\ndef g(): return 2\nclass C:\n  def h(self):\n    return $\n";
	start_bytes(&r, text, strlen(text));
	assert_int_equal(r.diags.errors, 0);
	AstFunction *f = r.module->body.items[0]->function, *g = r.module->body.items[1]->function;
	assert_string_equal(f->name, "f");
	assert_false(f->body_parsed);
	assert_true(ast_function_body(r.module, g, &r.diags));
	assert_true(g->body_parsed);
	assert_int_equal(g->body.len, 1);
	assert_int_equal(r.diags.errors, 0);
	assert_false(ast_function_body(r.module, f, &r.diags));
	assert_int_equal(r.diags.errors, 1);
	DiagList again; /* whoever asks later is told as well */
	diag_init(&again, &r.arena, &r.set);
	assert_false(ast_function_body(r.module, f, &again));
	assert_int_equal(again.errors, 1);
	assert_int_equal(again.first->from.line, 2);
	assert_int_equal(again.first->from.col, 13);
	arena_free(&r.arena);
}

static void damage_is_an_error_of_the_file(void **state)
{
	(void)state;
	Run r;
	const char *text = "def f():\n  x = (1\n\ndef g(): return 2\n";
	start_bytes(&r, text, strlen(text));
	assert_string_equal(errors_of(&r), "2:7-8 '(' was never closed\n");
	assert_int_equal(r.module->body.len, 2);
	assert_false(ast_function_body(r.module, r.module->body.items[0]->function, &r.diags));
	assert_true(ast_function_body(r.module, r.module->body.items[1]->function, &r.diags));
	assert_int_equal(r.diags.errors, 1);
	arena_free(&r.arena);
}

static void nested_functions_are_reached(void **state)
{
	(void)state;
	check_tree("if A:\n  def f():\n    class C:\n      @d\n      def m(self):\n        def k(): pass\n",
		   "IF\n"
		   "  test: NAME A\n"
		   "  body: FUNCTION_DEF f\n"
		   "    body: CLASS_DEF C\n"
		   "      body: FUNCTION_DEF m\n"
		   "        decorator: NAME d\n"
		   "        param self\n"
		   "        body: FUNCTION_DEF k\n"
		   "          body: PASS\n");
	Run r;
	const char *text = "def f():\n  def k():\n    pass\n";
	start_bytes(&r, text, strlen(text));
	AstFunction *f = r.module->body.items[0]->function;
	assert_true(ast_function_body(r.module, f, &r.diags));
	assert_false(f->body.items[0]->function->body_parsed);
	assert_string_equal(tree_of(&r, false), "FUNCTION_DEF f\n  body: FUNCTION_DEF k\n    (body not parsed)\n");
	arena_free(&r.arena);
}

static void functions_know_their_places(void **state)
{
	(void)state;
	Run r;
	const char *text = "'''Doc'''\n@a\n@b\ndef f(x: int = 1): # c\n  pass\n  # d\n\ny\n";
	start_bytes(&r, text, strlen(text));
	const AstFunction *f = r.module->body.items[1]->function;
	assert_true(str_is(r.module->docstring, "Doc"));
	assert_int_equal(f->def_span.start, 10);
	assert_int_equal(f->def_span.end, strchr(text, '#') - text + 10);
	assert_int_equal(f->def_offset, 16);
	assert_int_equal(f->name_span.start, 20);
	assert_int_equal(f->name_span.end, 21);
	assert_int_equal(f->params[0].span.start, 22);
	assert_int_equal(f->params[0].span.end, 28);
	arena_free(&r.arena);
}

static void one_expression(void **state)
{
	(void)state;
	Run r;
	start_bytes(&r, "", 0);
	Source *good = source_add(&r.set, "e", " (1,\n 'a') \n", 12, 1);
	Ast *node = ast_parse_expression(&r.arena, &r.names, good, &r.diags);
	ast_dump(&r.out, node);
	assert_string_equal(r.out.data, "TUPLE\n  item: INT 1 base 10\n  item: STRING \"a\"\n");
	r.out.len = 0;
	Source *bad = source_add(&r.set, "e", "1 2", 3, 1);
	assert_null(ast_parse_expression(&r.arena, &r.names, bad, &r.diags));
	bad = source_add(&r.set, "e", "", 0, 1);
	assert_null(ast_parse_expression(&r.arena, &r.names, bad, &r.diags));
	bad = source_add(&r.set, "e", "x = 1", 5, 1);
	assert_null(ast_parse_expression(&r.arena, &r.names, bad, &r.diags));
	bad = source_add(&r.set, "e", "f(1", 3, 1);
	assert_null(ast_parse_expression(&r.arena, &r.names, bad, &r.diags));
	assert_string_equal(errors_of(&r), "1:3-4 expected end of the expression, found a number\n"
					   "1:1-1 expected an expression, found end of file\n"
					   "1:3-4 expected end of the expression, found '='\n"
					   "1:2-3 '(' was never closed\n");
	arena_free(&r.arena);
}

/* Each request for memory fails once: a fault, and nothing else happens. */
static void memory_may_run_out_anywhere(void **state)
{
	(void)state;
	Run text;
	arena_init(&text.arena, 0);
	const char *source = repeat(&text, "", "def f(a, b=f'{a}'): return a + 'b\\n' 'c'\nif a: x = [1, 2]\n", 500, "$ (");
	for (long n = 1;; n++) {
		Run r;
		Fault fault;
		arena_init(&r.arena, 0);
		arena_fail_after(n);
		if (FAULT_TRY(&fault)) {
			all_errors(&r, source, strlen(source));
			fault_leave(&fault);
			arena_fail_after(0);
			assert_true(n > 5);
			arena_free(&r.arena);
			break;
		}
		arena_fail_after(0);
		assert_int_equal(fault.kind, FAULT_MEMORY);
		arena_free(&r.arena);
	}
	arena_free(&text.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_keyword_is_known),
		cmocka_unit_test(every_punctuation_is_one_token),
		cmocka_unit_test(an_indent_knows_its_dedent),
		cmocka_unit_test(every_node_kind_has_a_size),
		cmocka_unit_test(expressions),
		cmocka_unit_test(displays_and_comprehensions),
		cmocka_unit_test(numbers),
		cmocka_unit_test(strings),
		cmocka_unit_test(format_strings),
		cmocka_unit_test(simple_statements),
		cmocka_unit_test(compound_statements),
		cmocka_unit_test(definitions),
		cmocka_unit_test(soft_keywords),
		cmocka_unit_test(layout_of_lines),
		cmocka_unit_test(spans),
		cmocka_unit_test(errors_have_line_and_columns),
		cmocka_unit_test(limits_are_located_errors),
		cmocka_unit_test(indentation_has_a_limit),
		cmocka_unit_test(deep_trees_are_taken),
		cmocka_unit_test(errors_of_bodies_wait_until_asked_for),
		cmocka_unit_test(damage_is_an_error_of_the_file),
		cmocka_unit_test(nested_functions_are_reached),
		cmocka_unit_test(functions_know_their_places),
		cmocka_unit_test(one_expression),
		cmocka_unit_test(memory_may_run_out_anywhere),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
