/* The front end without the command: sessions, imports through a host, names a host gives, what is told about
 * kernels, bounds, and constexpr evaluation by its values. */
#include "lower_kit.h"

/* ---- constexpr evaluation: each line of Python gives a text ---- */

/* An expression, printed by static_print while a kernel is lowered. */
static Text said;

static void hear(void *data, const char *text, size_t len)
{
	(void)data;
	text_add(&said, text, len);
}

static const char prelude[] =
	"import triton\nimport triton.language as tl\nimport math\nfrom enum import Enum\nfrom typing import NamedTuple\n"
	"class Color(Enum):\n    RED = 1\n    BLUE = 2\n"
	"class Point(NamedTuple):\n    x: int\n    y: int = 5\n"
	"class Base:\n    K = 3\n    @staticmethod\n    def twice(n):\n        return 2 * n\n"
	"def fact(n):\n    return 1 if n < 2 else n * fact(n - 1)\n"
	"def primes(n):\n    out = []\n    for i in range(2, n):\n        for p in out:\n            if i % p == 0:\n"
	"                break\n        else:\n            out.append(i)\n    return out\n"
	"def guarded(d, k):\n    try:\n        return d[k]\n    except KeyError:\n        return 'none'\n    finally:\n        pass\n"
	"def counter():\n    n = 0\n    while True:\n        n += 1\n        if n > 4:\n            return n\n"
	"def star(*a, k=1, **kw):\n    return len(a), k, sorted(kw.keys())\n"
	"@triton.constexpr_function\ndef eval_here():\n    return ";

static void check_value(const char *expr, const char *expected)
{
	LowerKit k;
	FrontHost host = {.print = hear};
	kit_open(&k, &host);
	text_init(&said, &k.arena);
	text_str(&said, "");
	const char *text = arena_printf(&k.arena, "%s(%s)\n@triton.jit\ndef kernel():\n    tl.static_print(eval_here())\n",
					prelude, expr);
	FrontModule *m = kit_load(&k, "value.py", text);
	assert_non_null(m);
	if (!kit_lower(&k, front_find(m, "kernel"), NULL, 0))
		fail_msg("%s: %s", expr, kit_messages(&k));
	const char *want = arena_printf(&k.arena, "%s\n", expected);
	if (strcmp(said.data, want) != 0)
		fail_msg("%s is %s not %s", expr, said.data, want);
	kit_close(&k);
}

static void test_values(void **unused)
{
	(void)unused;
	static const char *const rows[][2] = {
		{"-7 // 2", "-4"}, {"-7 % 3", "2"}, {"7 % -3", "-2"}, {"2 ** 100", "1267650600228229401496703205376"},
		{"2 ** -1", "0.5"}, {"7 / 2", "3.5"}, {"1e22", "1e+22"}, {"0.1 + 0.2", "0.30000000000000004"},
		{"1e16", "1e+16"}, {"123456789.0", "123456789.0"}, {"1 << 70 >> 68", "4"}, {"~5 & 0xff", "250"},
		{"-1 >> 3", "-1"}, {"True + True", "2"}, {"True & False", "False"}, {"not []", "True"}, {"1 < 2 < 3", "True"},
		{"3 > 2 > 2", "False"}, {"'a' 'b' + 'c' * 2", "abcc"}, {"[i * i for i in range(5) if i % 2]", "[1, 9]"},
		{"{k: v for k, v in zip('ab', (1, 2))}", "{'a': 1, 'b': 2}"}, {"(1, 'x', None, 2.0)", "(1, 'x', None, 2.0)"},
		{"(1,)", "(1,)"}, {"f'{3!r:>4}|{2.5:.2f}|{255:#x}|{7:03d}'", "   3|2.50|0xff|007"}, {"'%d-%s' % (3, 'q')", "3-q"},
		{"'{} {1}'.format(1, 2)", "1 2"}, {"max([3, 1, 4])", "4"}, {"min(3, 1.5)", "1.5"}, {"sum(range(5))", "10"},
		{"sorted([3, 1, 2], reverse=True)", "[3, 2, 1]"}, {"len('abc') + len({1: 2})", "4"},
		{"int('0x1f', 16) + int(3.9)", "34"}, {"float('inf')", "inf"}, {"abs(-3)", "3"}, {"any([0, 1]) and all([])", "True"},
		{"[1, 2, 3][::-1]", "[3, 2, 1]"}, {"'hello'[1:3]", "el"}, {"(1, 2, 3)[-1]", "3"}, {"'a' in 'cat'", "True"},
		{"3 not in (1, 2)", "True"}, {"None is None", "True"}, {"isinstance(3, (str, int))", "True"},
		{"isinstance(True, int)", "True"}, {"Color.RED.value", "1"}, {"Color(2).name", "BLUE"},
		{"Color.RED == Color.RED", "True"}, {"Point(1).y", "5"}, {"Point(y=1, x=2)", "Point(x=2, y=1)"},
		{"Base.twice(Base.K)", "6"}, {"fact(20)", "2432902008176640000"}, {"primes(20)", "[2, 3, 5, 7, 11, 13, 17, 19]"},
		{"guarded({1: 2}, 3)", "none"}, {"counter()", "5"}, {"star(1, 2, k=3, z=1, b=2)", "(2, 3, ['b', 'z'])"},
		{"(lambda a, b=2: a + b)(1)", "3"}, {"list(map(lambda v: v + 1, [1, 2]))", "[2, 3]"},
		{"math.log2(8) + math.floor(2.7)", "5.0"}, {"math.pi", "3.141592653589793"}, {"(10).bit_length()", "4"},
		{"'a,b'.split(',')", "['a', 'b']"}, {"'-'.join(['x', 'y'])", "x-y"}, {"'AbC'.lower().startswith('ab')", "True"},
		{"divmod(-7, 2)", "(-4, 1)"}, {"round(2.5)", "2"}, {"triton.cdiv(7, 2)", "4"},
		{"triton.next_power_of_2(5)", "8"}, {"[*range(2), *(5, 6)]", "[0, 1, 5, 6]"}, {"(x := 3) + x", "6"},
		{"tl.float16 == tl.float16", "True"}, {"getattr(Base, 'Q', 9)", "9"}, {"hasattr(tl, 'load')", "True"},
		{"hasattr(tl, 'no_such')", "False"}, {"0.0 == -0.0", "True"}, {"-7.5 // 2", "-4.0"}, {"-7.5 % 2", "0.5"},
		{"{**{'a': 1}, 'b': 2}", "{'a': 1, 'b': 2}"}, {"str(1.0) + repr('a')", "1.0'a'"}, {"1_000_000", "1000000"},
		{"[(i, v) for i, v in enumerate('ab', start=1)]", "[(1, 'a'), (2, 'b')]"}, {"int('12') ** 2", "144"},
		{"9007199254740993 + 0.0", "9007199254740992.0"}, {"10 ** 20 // 3", "33333333333333333333"},
		{"-(10 ** 20) % 7", "5"}, {"10 ** 20 > 1e19", "True"}, {"hex(255) + bin(5)", "0xff0b101"},
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		check_value(rows[i][0], rows[i][1]);
}

/* ---- what hosts are told ---- */

static const char several[] =
	"from triton import jit as compiled, autotune, heuristics, Config\nimport triton.language as tl\n"
	"import functools\nfast = functools.partial(compiled, noinline=True)\n"
	"@compiled\ndef helper(a):\n    return a\n"
	"@autotune(configs=[Config({'B': 1})], key=['n'])\n@heuristics({'E': lambda a: True})\n"
	"@compiled(do_not_specialize=['n', 0], do_not_specialize_on_alignment=['p'])\n"
	"def tuned(p, n: tl.int64, x: float, B: tl.constexpr = 1, E: 'tl.constexpr' = None):\n"
	"    '''What it does.'''\n    tl.store(p, helper(n))\n"
	"def make():\n    @compiled\n    def inner(p):\n        pass\n    return inner\n"
	"class Ops:\n    @staticmethod\n    @compiled\n    def method(p):\n        pass\n"
	"def plain():\n    pass\n"
	"@fast\ndef partly(p):\n    pass\n";

static void test_info(void **unused)
{
	(void)unused;
	LowerKit k;
	kit_open(&k, NULL);
	FrontModule *m = kit_load(&k, "several.py", several);
	assert_non_null(m);
	static const char *const names[] = {"helper", "tuned", "make.inner", "Ops.method", "partly"};
	for (uint32_t i = 0; i < ARRAY_LEN(names); i++)
		assert_string_equal(front_info(front_function(m, i))->qualified_name, names[i]);
	assert_null(front_find(m, "plain"));
	assert_null(front_find(m, "nothing"));
	const FrontInfo *info = front_info(front_find(m, "tuned"));
	assert_true(info->is_kernel);
	assert_string_equal(info->docstring, "What it does.");
	assert_int_equal(info->param_count, 5);
	assert_int_equal(info->decorator_count, 3);
	assert_string_equal(info->decorators[0], "autotune(configs=[Config({'B': 1})], key=['n'])");
	assert_true(info->params[0].do_not_specialize && info->params[1].do_not_specialize);
	assert_false(info->params[2].do_not_specialize);
	assert_true(info->params[0].do_not_specialize_on_alignment);
	assert_string_equal(info->params[1].dtype, "i64");
	assert_string_equal(info->params[2].dtype, "fp32");
	assert_true(info->params[3].is_constexpr && info->params[4].is_constexpr);
	assert_string_equal(info->params[3].value, "1");
	assert_null(info->params[0].annotation);
	assert_false(front_info(front_find(m, "helper"))->is_kernel);
	assert_int_equal(info->at.line, 11);
	assert_true(front_info(front_find(m, "partly"))->noinline);
	kit_close(&k);
}

/* ---- hosts ---- */

static bool find_name(void *data, const char *path, const char *function, const char *name, FrontHostValue *value)
{
	(void)data;
	assert_string_equal(path, "hosted.py");
	static const char *const values[][2] = {
		{"width", "tl.constexpr(8)"}, {"dt", "tl.float16"}, {"loose", "8"}, {"pair", "tl.constexpr((1, 2))"},
		{"big", "tl.constexpr(1 << 40)"}, {"text", "tl.constexpr('abc')"}, {"nothing", "None"}, {"mod", "tl.math"},
	};
	for (size_t i = 0; i < ARRAY_LEN(values); i++)
		if (strcmp(name, values[i][0]) == 0) {
			value->expr = values[i][1];
			return true;
		}
	if (strcmp(name, "other") == 0 && strcmp(function, "make.<locals>.inner") == 0) {
		value->path = "elsewhere.py";
		value->text = STR("import triton\n@triton.jit\ndef scaled(x):\n    return x * 3\n");
		value->name = "scaled";
		return true;
	}
	return false;
}

static bool find_module(void *data, const char *importer, const char *module, const char **path, Str *text)
{
	(void)data;
	(void)importer;
	if (strcmp(module, "given.tools") != 0)
		return false;
	*path = "given/tools.py";
	*text = STR("import triton\n@triton.jit\ndef add_two(x):\n    return x + 2\nSEVEN = 7\n");
	return true;
}

static const char hosted[] =
	"import triton\nimport triton.language as tl\nfrom given.tools import add_two, SEVEN\n"
	"def make(width, dt):\n    @triton.jit\n    def inner(p):\n"
	"        x = add_two(other(tl.program_id(0))) * width\n"
	"        if nothing is None and text == 'abc':\n            x += pair[1]\n"
	"        tl.store(p, mod.sqrt(x.to(tl.float32)).to(dt))\n"
	"        tl.static_assert(big == 1 << 40)\n"
	"    return inner\n"
	"@triton.jit\ndef reads(p):\n    tl.store(p, loose)\n";

static void test_host(void **unused)
{
	(void)unused;
	LowerKit k;
	FrontHost host = {.find_name = find_name, .find_module = find_module};
	kit_open(&k, &host);
	FrontModule *m = kit_load(&k, "hosted.py", hosted);
	const char *ir = kit_lower(&k, front_find(m, "make.inner"), WORDS("*fp16"));
	if (!ir)
		fail_msg("%s", kit_messages(&k));
	assert_holds(ir, "tt.call @elsewhere.scaled__i32__(");
	assert_holds(ir, "tt.call @tools.add_two__i32__(");
	assert_holds(ir, "arith.constant 8 : i32");
	assert_holds(ir, "math.sqrt");
	assert_holds(ir, "f32 to f16");
	assert_null(kit_lower(&k, front_find(m, "reads"), WORDS("*fp16")));
	assert_holds(kit_messages(&k), "hosted.py:15:17: error: Cannot access global variable 'loose' in a kernel");
	k.diags.errors = 0;
	k.options.allow_non_constexpr_globals = true;
	assert_non_null(kit_lower(&k, front_find(m, "reads"), WORDS("*fp16")));
	kit_close(&k);
}

/* ---- bounds and faults that need no file of their own ---- */

static void check_stops(const char *body, const char *message)
{
	LowerKit k;
	kit_open(&k, NULL);
	const char *text = arena_printf(&k.arena, "import triton\nimport triton.language as tl\n%s", body);
	FrontModule *m = kit_load(&k, "bound.py", text);
	FrontFunction *f = m ? front_find(m, "kernel") : NULL;
	assert_true(!f || !kit_lower(&k, f, WORDS("*fp32")));
	assert_holds(kit_messages(&k), message);
	assert_true(k.arena.total < (size_t)1 << 30);
	kit_close(&k);
}

static void test_bounds(void **unused)
{
	(void)unused;
	/* DIAG_LIMIT_UNROLL */
	check_stops("@triton.jit\ndef kernel(p):\n    for i in tl.static_range(10 ** 9):\n        tl.store(p + i, 1)\n",
		    "bound.py:5:14: error: an unrolled loop of 1000000000 turns");
	/* DIAG_LIMIT_WORK */
	check_stops("@triton.jit\ndef kernel(p):\n    for i in tl.static_range(10 ** 6):\n        for j in tl.static_range(10):\n"
		    "            tl.store(p + i, 1)\n",
		    "error: this kernel is too large: more than 1000000 steps");
	check_stops("def loop():\n    while True:\n        pass\n@triton.jit\ndef kernel(p):\n    tl.store(p, loop())\n",
		    "error: this kernel is too large");
	/* DIAG_LIMIT_CALLS */
	check_stops("@triton.jit\ndef f(n: tl.constexpr):\n    return f(n + 1)\n@triton.jit\ndef kernel(p):\n    f(0)\n",
		    "bound.py:5:12: error: calls of 'f' nested more than 150 deep");
	check_stops("def f(n):\n    return f(n + 1)\n@triton.jit\ndef kernel(p):\n    tl.store(p, f(0))\n",
		    "error: calls of 'f' nested more than 150 deep");
	check_stops("@triton.jit\ndef kernel(p):\n    x = tl.full((1 << 20, 1 << 20), 0, tl.int32)\n",
		    "numel (1099511627776)");
	/* DIAG_RAISED */
	check_stops("@triton.jit\ndef kernel(p):\n    raise TypeError('no')\n", "bound.py:5:5: error: TypeError: no");
	/* DIAG_KERNEL_STAR, DIAG_NOT_A_KERNEL by way of a host that asks for it */
	check_stops("@triton.jit\ndef kernel(p, *more):\n    pass\n", "bound.py:4:16: error: kernel 'kernel' cannot be compiled alone");
}

static void test_nesting(void **unused)
{
	(void)unused;
	LowerKit k;
	kit_open(&k, NULL);
	Text t;
	text_init(&t, &k.arena);
	text_str(&t, "import triton\nimport triton.language as tl\n@triton.jit\ndef kernel(p):\n    n = tl.load(p)\n");
	/* Early returns, one inside the other's else: deeper than C's stack may go. DIAG_LIMIT_NEST */
	text_str(&t, "    for i in tl.static_range(5000):\n        if n > i:\n            return\n        n = n + 1\n");
	FrontModule *m = kit_load(&k, "deep.py", t.data);
	assert_null(kit_lower(&k, front_find(m, "kernel"), WORDS("*fp32")));
	assert_holds(kit_messages(&k), "too deeply nested");
	kit_close(&k);
}

/* ---- files that import each other ---- */

static bool chain_module(void *data, const char *importer, const char *module, const char **path, Str *text)
{
	(void)importer;
	LowerKit *k = data;
	int n = atoi(module + 1);
	*path = arena_printf(&k->arena, "%s.py", module);
	*text = str_of(arena_printf(&k->arena, "try:\n    from m%d import x\nexcept ImportError:\n    pass\nx = 1\n", n + 1));
	return module[0] == 'm' && n > 0;
}

static void test_import_depth(void **unused)
{
	(void)unused;
	LowerKit k;
	FrontHost host = {.data = &k, .find_module = chain_module};
	kit_open(&k, &host);
	kit_load(&k, "first.py", "try:\n    from m1 import x\nexcept ImportError:\n    pass\n");
	assert_holds(kit_messages(&k), "imports nested more than 60 deep"); /* DIAG_IMPORT_DEPTH */
	kit_close(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_info),
		cmocka_unit_test(test_host),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_nesting),
		cmocka_unit_test(test_import_depth),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
