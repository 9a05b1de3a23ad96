/* Every syntax error with line and columns; limits; memory that runs out. */
#include "parse_kit.h"

/* ---- errors ---- */

typedef struct ErrorCase {
	DiagCode code; /* of the first */
	const char *text;
	size_t len;
	const char *errors;
} ErrorCase;

#define BYTES(literal) literal, sizeof(literal) - 1
#define PATTERN "a case takes literals, names, '_', '|', 'as', sequences, dicts, Class(x, name=...)"

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
	 "  type T = int\n"
	 "  return a +\n"),
	 "2:3-7 a 'type' statement is not supported inside a function\n"
	 "3:13-13 expected an expression, found end of line\n"},
	{DIAG_SYNTAX_PATTERN,
	 BYTES("def f(a):\n"
	 "  match a:\n"
	 "    case [b, *c, *d]: pass\n"
	 "def g(a):\n"
	 "  match a:\n"
	 "    case int(b, 1): pass\n"
	 "def h(a):\n"
	 "  match a:\n"
	 "    case 1 | b: pass\n"
	 "def i(a):\n"
	 "  match a:\n"
	 "    case {b: 1}: return b\n"
	 "    case 2, b + 1: return b\n"
	 "    case _: return 0 0\n"),
	 "3:18-20 " PATTERN "\n"
	 "6:10-19 " PATTERN "\n"
	 "9:10-15 " PATTERN "\n"
	 "12:10-16 " PATTERN "\n"
	 "13:13-18 " PATTERN "\n"
	 "14:22-23 expected end of line, found a number\n"},
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

static void errors_have_line_and_columns(void **state)
{
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

/* Each request for memory fails once: a fault, and nothing else happens. */
static void memory_may_run_out_anywhere(void **state)
{
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
		cmocka_unit_test(errors_have_line_and_columns),
		cmocka_unit_test(limits_are_located_errors),
		cmocka_unit_test(indentation_has_a_limit),
		cmocka_unit_test(deep_trees_are_taken),
		cmocka_unit_test(memory_may_run_out_anywhere),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
