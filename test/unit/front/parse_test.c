/* Lexer and parser: tokens, trees of every form, spans, functions parsed on demand. */
#include "parse_kit.h"

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
	for (TokenKind k = TOK_FALSE; k < TOK__COUNT; k++)
		assert_int_equal(lex_name_kind(lex_token_text(k), strlen(lex_token_text(k))), k);
	assert_int_equal(lex_name_kind("match", 5), TOK_NAME);
	assert_int_equal(lex_name_kind("De", 2), TOK_NAME);
	assert_int_equal(lex_name_kind("define", 6), TOK_NAME);
}

static void every_punctuation_is_one_token(void **state)
{
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
	for (int k = 0; k < AST__COUNT; k++)
		assert_in_range(parse_node_size[k], offsetof(Ast, function), sizeof(Ast));
}

/* ---- trees ---- */

static void expressions(void **state)
{
	check_tree("a + b * -c ** d\n",
		   "EXPR\n"
		   "  value: BIN_OP +\n"
		   "    left: NAME a\n"
		   "    right: BIN_OP *\n"
		   "      left: NAME b\n"
		   "      right: UNARY_OP -\n"
		   "        operand: BIN_OP **\n"
		   "          left: NAME c\n"
		   "          right: NAME d\n");
	check_tree("a - b - c | d ^ e & f << 1\n",
		   "EXPR\n"
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
	check_tree("not a in b or c is not d and e not in f < g\n",
		   "EXPR\n"
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
	check_tree("a < b <= c == d != e > f >= g\n",
		   "EXPR\n"
		   "  value: COMPARE <, <=, ==, !=, >, >=\n"
		   "    left: NAME a\n"
		   "    right: NAME b\n"
		   "    right: NAME c\n"
		   "    right: NAME d\n"
		   "    right: NAME e\n"
		   "    right: NAME f\n"
		   "    right: NAME g\n");
	check_tree("x if (y := z) else lambda a, /, b=1, *c, d, **e: a\n",
		   "EXPR\n"
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
	check_tree("x.y[:, None, 1:2:3, *a](b, *c, k=d, **e)[f]\n",
		   "EXPR\n"
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
	check_tree("(), (a,), [b, *c], {d}, {}, {e: f, **g}\n",
		   "EXPR\n"
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
	check_tree("[a for a, b in c if d if e for f in g]\n",
		   "EXPR\n"
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
	check_tree("'a\\n\\x41\\101\\u00e9\\\n\\q' \"b\"\n",
		   "EXPR\n  value: STRING \"a\\nAA\xc3\xa9\\\\qb\"\n");
	check_tree("r'\\n', b'\\xff\\n', Rb'\\d', u'', '''a\r\nb'\\''''\n",
		   "EXPR\n"
		   "  value: TUPLE\n"
		   "    item: STRING \"\\\\n\"\n"
		   "    item: STRING b\"\xff\\n\"\n"
		   "    item: STRING b\"\\\\d\"\n"
		   "    item: STRING \"\"\n"
		   "    item: STRING \"a\\nb''\"\n");
	check_tree("# coding: latin-1\n'\xe9'\n",
		   "EXPR\n  value: STRING \"\xc3\xa9\"\n");
}

static void format_strings(void **state)
{
	check_tree("'x' f'a{{{b!r:>{w}.2f}}}' rf'\\{c}'\n",
		   "EXPR\n"
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
	check_tree("f'{a['b']}{f'{1}'}{\n c # }\n = }{d!=e}'\n",
		   "EXPR\n"
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
	check_tree("f'', f'{(lambda: {1: 2})}'\n",
		   "EXPR\n"
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
	check_tree("a = b, *c = (d) = e; f: int = 1; g += 2\n",
		   "ASSIGN\n"
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
	check_tree("pass; global a, b; del c, (d, e); assert f, g; raise h from i; nonlocal j\n",
		   "PASS\n"
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
	check_tree("if a: pass\nelif b:\n\tc\nelse: d\n",
		   "IF\n"
		   "  test: NAME a\n"
		   "  body: PASS\n"
		   "  orelse: IF\n"
		   "    test: NAME b\n"
		   "    body: EXPR\n"
		   "      value: NAME c\n"
		   "    orelse: EXPR\n"
		   "      value: NAME d\n");
	check_tree("for a, b in c, d:\n  break\nelse: e\nwhile f: continue\n",
		   "FOR\n"
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
	check_tree("with a as b, c: pass\nwith (a as b, c,): pass\nwith (a, b) as c: pass\n",
		   "WITH\n"
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
	check_tree("try:\n  a\nexcept b as c: d\nexcept (e, f): g\nelse: h\nfinally: i\n",
		   "TRY\n"
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
	check_tree("def f(*, a): yield from a\n",
		   "FUNCTION_DEF f\n"
		   "  kwonly a\n"
		   "  body: EXPR\n"
		   "    value: YIELD_FROM\n"
		   "      value: NAME a\n");
}

static void soft_keywords(void **state)
{
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
	check_tree("x = (1,\n# c\n\n2)\n\\\ny\n",
		   "ASSIGN\n"
		   "  target: NAME x\n"
		   "  value: TUPLE\n"
		   "    item: INT 1 base 10\n"
		   "    item: INT 2 base 10\n"
		   "EXPR\n"
		   "  value: NAME y\n");
	check_tree("na\xc3\xafve, \xe5\x8f\x98_1\n",
		   "EXPR\n"
		   "  value: TUPLE\n"
		   "    item: NAME na\xc3\xafve\n"
		   "    item: NAME \xe5\x8f\x98_1\n");
}

static void spans(void **state)
{
	check_spans("x = (a) + f(b, k=1)[2 : 3]\n",
		   "ASSIGN @0-26\n"
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
	check_spans("@d\ndef f(a):\n  if a:\n    pass\n\n\nx\n",
		   "FUNCTION_DEF f @3-29\n"
		   "  decorator: NAME d @1-2\n"
		   "  param a\n"
		   "  body: IF @15-29\n"
		   "    test: NAME a @18-19\n"
		   "    body: PASS @25-29\n"
		   "EXPR @32-33\n"
		   "  value: NAME x @32-33\n");
	check_spans("f'a{b + 1:c}'\n",
		   "EXPR @0-13\n"
		   "  value: JOINED_STR @0-13\n"
		   "    value: STRING \"a\" @2-3\n"
		   "    value: FORMATTED @3-12\n"
		   "      value: BIN_OP + @4-9\n"
		   "        left: NAME b @4-5\n"
		   "        right: INT 1 base 10 @8-9\n"
		   "      spec: JOINED_STR @10-11\n"
		   "        value: STRING \"c\" @10-11\n");
}

/* ---- functions on demand ---- */

static void errors_of_bodies_wait_until_asked_for(void **state)
{
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
		cmocka_unit_test(errors_of_bodies_wait_until_asked_for),
		cmocka_unit_test(damage_is_an_error_of_the_file),
		cmocka_unit_test(nested_functions_are_reached),
		cmocka_unit_test(functions_know_their_places),
		cmocka_unit_test(one_expression),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
