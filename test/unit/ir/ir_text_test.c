/* The text form: upstream's texts come out as they went in, print -> read -> print is the identity in every form,
 * and what cannot be read is diagnosed at its place. */
#include "unit.h"

#include <locale.h>

#include "base/os.h"
#include "ir/text/asm.h"
#include "ir/text/text.h"
#include "ir/verify/verify.h"

typedef struct Kit {
	Arena arena;
	SourceSet sources;
	DiagList diags;
	IrCx cx;
} Kit;

static void kit_init(Kit *k)
{
	arena_init(&k->arena, 0);
	source_set_init(&k->sources, &k->arena);
	diag_init(&k->diags, &k->arena, &k->sources);
	ir_cx_init(&k->cx, &k->arena);
}

static IrModule *read_text(Kit *k, const char *text, size_t len)
{
	return ir_read(&k->cx, source_add(&k->sources, "t.mlir", text, len, 1), &k->diags);
}

static const char *printed(Kit *k, const IrModule *m, IrPrintOptions options)
{
	Text out;
	text_init(&out, &k->arena);
	ir_print(&out, m, options);
	return out.data;
}

static void show_diags(Kit *k)
{
	Text out;
	text_init(&out, &k->arena);
	diag_render_all(&out, &k->diags);
	if (out.len)
		print_message("%s", out.data);
}

/* Reads, prints with and without locations and in the generic form, reads each again: nothing changes. */
static void round_trip(const char *text, size_t len, bool same_as_given)
{
	static const IrPrintOptions forms[] = {{0}, {.no_locations = true}, {.generic = true}};
	Kit *k = &(Kit){0};
	kit_init(k);
	IrModule *m = read_text(k, text, len);
	if (!m)
		show_diags(k);
	assert_non_null(m);
	if (same_as_given)
		assert_string_equal(printed(k, m, forms[0]), text);
	assert_true(ir_verify(m, LEVEL_TG, &k->diags));
	for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
		const char *first = printed(k, m, forms[i]);
		IrModule *again = read_text(k, first, strlen(first));
		if (!again)
			show_diags(k);
		assert_non_null(again);
		assert_string_equal(printed(k, again, forms[i]), first);
		/* The generic form says the same. */
		if (forms[i].generic)
			assert_string_equal(printed(k, again, forms[0]), printed(k, m, forms[0]));
	}
	arena_free(&k->arena);
}

static void round_trip_file(const char *path, bool skip_comment)
{
	Arena arena;
	Str bytes;
	const char *error;
	arena_init(&arena, 0);
	assert_true(os_read_file(&arena, path, &bytes, &error));
	const char *text = bytes.ptr;
	if (skip_comment)
		text = strchr(text, '\n') + 1;
	round_trip(text, (size_t)(bytes.ptr + bytes.len - text), true);
	arena_free(&arena);
}

static void kernels_come_out_as_upstream_wrote_them(void **state)
{
	static const char *const names[] = {"asm_raw", "atomics", "blockptr_raw", "descs_raw", "dots",	   "flow",
					    "flow_raw", "mapp_raw", "noinl_raw",    "scaled",	 "shapes", "types", "ttgir_ops"};
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		Arena arena;
		arena_init(&arena, 0);
		round_trip_file(arena_printf(&arena, "%s/test/ir/text/%s.mlir", NESO_SOURCE_DIR, names[i]), true);
		arena_free(&arena);
	}
}

static void shared_stages_come_out_as_they_are(void **state)
{
	static const char *const names[] = {"attn", "mm", "softmax"};
	Arena arena;
	arena_init(&arena, 0);
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		char *path = arena_printf(&arena, "%s/../shared/upstream-stages/%s.ttir", NESO_SOURCE_DIR, names[i]);
		if (!os_is_file(path)) {
			print_message("skipped: %s is not there\n", path);
			arena_free(&arena);
			skip();
		}
		round_trip_file(path, false);
	}
	arena_free(&arena);
}

static void everything_else_round_trips(void **state)
{
	static const char *const texts[] = {
		/* No module around it, no locations: names stay, also those of loops and blocks. */
		"tt.func @f(%n: i32, %x_1: f32) -> f32 {\n"
		"  %zero = arith.constant 0 : i32\n  %c1_i32 = arith.constant 1 : i32\n"
		"  %acc = scf.for %i = %zero to %n step %c1_i32 iter_args(%sum = %x_1) -> (f32) : i32 {\n"
		"    %sum_4 = arith.addf %sum, %sum fastmath<nnan,contract> : f32\n    scf.yield %sum_4 : f32\n  }\n"
		"  %c = arith.cmpi slt, %n, %zero : i32\n"
		"  cf.cond_br %c, ^bb1, ^bb2(%acc : f32)\n^bb1:\n  cf.br ^bb2(%x_1 : f32)\n^bb2(%r: f32):\n"
		"  tt.return %r : f32\n}\n",
		/* Attributes of all kinds, escapes, names in quotes, a function's results with attributes. */
		"module @\"a b\" attributes {a, \"b c\" = 1.5 : f32, d = [1, 2 : i32, \"x\\22\\0A\\\\\", true, unit],"
		" e = {z = i32, y = -1 : i8}, f = @g, h = dense<[[1, -2], [3, 4]]> : tensor<2x2xi32>,"
		" i = array<i1: true, false>, j = array<i64>, k = (i32, f32) -> (), l = 0x7FC00000 : f32,"
		" m = #x.y<a, {k = [1, 2], w = #z.w<3 : i32>}>, n = dense<true> : tensor<4xi1>,"
		" o = tensor<2x!tt.ptr<f16, 3>>, p = !tt.tensordesc<tensor<4x4xf8E5M2>>,"
		" r = !tt.tensordesc<tensor<4xui8>>, s = !tt.tensordesc<tensor<4xsi32>>, q = none}\n"
		"{ tt.func private @d(i32 {tt.divisibility = 16 : i32}, f32) -> (i32, f32 {a}) }",
		/* Layouts and their aliases. */
		"#blocked = #ttg.blocked<{sizePerThread = [1, 8], order = [1, 0]}>\n#blocked1 = "
		"#ttg.blocked<{sizePerThread = [8, 1], order = [0, 1]}>\n#mma = #ttg.nvidia_mma<{versionMajor = 3}>\n"
		"#slice = #ttg.slice<{dim = 0, parent = #blocked}>\n#smem = #ttg.shared_memory\n"
		"!t = tensor<32xf32, #slice>\n"
		"module { tt.func @f(%a: tensor<16x32xf32, #blocked>, %b: !t, %m: !ttg.memdesc<2x16x32xf16, #mma, #smem, "
		"mutable>, %t: !ttg.async.token, %c: tensor<16x32xf32, #blocked1>) { tt.return } }",
		/* The generic form of ops with segments, successors, properties. */
		"tt.func @f(%p: tensor<4x!tt.ptr<f32>>, %m: tensor<4xi1>, %c: i1) {\n"
		"  %a = \"tt.load\"(%p, %m) <{operandSegmentSizes = array<i32: 1, 1, 0>, cache = 2 : i32}> "
		": (tensor<4x!tt.ptr<f32>>, tensor<4xi1>) -> tensor<4xf32>\n"
		"  %b = \"arith.addf\"(%a, %a) <{fastmath = #arith.fastmath<fast>}> : (tensor<4xf32>, tensor<4xf32>) -> "
		"tensor<4xf32>\n"
		"  \"scf.if\"(%c) ({\n    gpu.barrier\n    \"scf.yield\"() : () -> ()\n  }, {}) : (i1) -> ()\n"
		"  \"cf.cond_br\"(%c)[^x, ^y] <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (i1) -> ()\n"
		"^x:\n  tt.return\n^y:\n  tt.return\n}\n",
		"",
		"// nothing but a comment\n",
	};
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		round_trip(texts[i], strlen(texts[i]), false);
}

static void names_of_the_text_are_kept(void **state)
{
	Kit *k = &(Kit){0};
	kit_init(k);
	const char *text = "module {\n"
			   "  tt.func @f(%n: i32, %x_1: f32) {\n"
			   "    %zero = arith.constant 0 : i32\n"
			   "    %c1_i32 = arith.constant 1 : i32\n"
			   "    %0 = arith.addi %zero, %c1_i32 : i32\n"
			   "    %a_7 = arith.addi %0, %n : i32\n"
			   "    scf.for %i = %zero to %n step %c1_i32  : i32 {\n"
			   "      %i_0 = arith.addi %i, %a_7 : i32\n"
			   "    }\n"
			   "    tt.return\n"
			   "  }\n"
			   "}\n";
	IrModule *m = read_text(k, text, strlen(text));
	assert_non_null(m);
	assert_string_equal(printed(k, m, (IrPrintOptions){.no_locations = true}), text);
	arena_free(&k->arena);
}

static void float_is(IrTypeKind kind, uint64_t bits, const char *text)
{
	Kit *k = &(Kit){0};
	Text out;
	kit_init(k);
	text_init(&out, &k->arena);
	asm_float_print(&out, ir_scalar(&k->cx, kind), bits);
	assert_string_equal(out.data, text);
	if (strncmp(text, "0x", 2) != 0)
		assert_int_equal(asm_float_bits(ir_scalar(&k->cx, kind), str_of(text)), bits);
	arena_free(&k->arena);
}

/* Texts from upstream's printer. */
static void floats_have_upstreams_text(void **state)
{
	float_is(TY_F32, 0, "0.000000e+00");
	float_is(TY_F32, 0x80000000, "-0.000000e+00");
	float_is(TY_F32, 0x3f800000, "1.000000e+00");
	float_is(TY_F32, 0x3fb8aa3b, "1.44269502");
	float_is(TY_F32, 0x358637bd, "9.99999997E-7");
	float_is(TY_F32, 0x3c161f9c, "0.00916280969");
	float_is(TY_F32, 0x4ceb79a3, "0x4CEB79A3");
	float_is(TY_F32, 0x47c35040, "100000.5");
	float_is(TY_F32, 0x00800000, "1.17549435E-38");
	float_is(TY_F32, 0x3eaaaaab, "0.333333343");
	float_is(TY_F32, 0x7f800000, "0x7F800000");
	float_is(TY_F32, 0xff800000, "0xFF800000");
	float_is(TY_F32, 0x7fc00000, "0x7FC00000");
	float_is(TY_F64, 0x400921fb54442d18, "3.1415926535897931");
	float_is(TY_F64, 0x3fb999999999999a, "1.000000e-01");
	float_is(TY_F64, 0x40fe240b33333333, "123456.7");
	float_is(TY_F16, 0x3c10, "1.015630e+00");
	float_is(TY_BF16, 0x3dcd, "1.000980e-01");
	float_is(TY_F8E4M3FN, 0x7e, "4.480000e+02");
	float_is(TY_F8E4M3FN, 0x7f, "0x7F");
	float_is(TY_F8E5M2, 0x23, "1.367190e-02");
	/* A locale with another decimal point changes nothing; where there is none installed this repeats the above. */
	setlocale(LC_ALL, "de_DE.UTF-8");
	float_is(TY_F32, 0x3fb8aa3b, "1.44269502");
	setlocale(LC_ALL, "C");
}

static void every_float_of_small_formats_reads_back(void **state)
{
	static const IrTypeKind kinds[] = {TY_F16, TY_BF16, TY_F8E4M3FN, TY_F8E5M2};
	Kit *k = &(Kit){0};
	kit_init(k);
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		IrType type = ir_scalar(&k->cx, kinds[i]);
		for (uint64_t bits = 0; bits < UINT64_C(1) << type->bits; bits += type->bits == 16 ? 7 : 1) {
			Text out;
			text_init(&out, &k->arena);
			asm_float_print(&out, type, bits);
			if (out.data[1] != 'x')
				assert_int_equal(asm_float_bits(type, (Str){out.data, out.len}), bits);
		}
	}
	arena_free(&k->arena);
}

/* ---- faults ---- */

static void fault_at(const char *text, DiagCode code, uint32_t line, uint32_t col)
{
	Kit *k = &(Kit){0};
	kit_init(k);
	assert_null(read_text(k, text, strlen(text)));
	for (const Diag *d = k->diags.first; d; d = d->next) {
		if (d->code == code && d->from.line == line && d->from.col == col) {
			arena_free(&k->arena);
			return;
		}
	}
	print_message("%s\n", text);
	show_diags(k);
	fail_msg("no %s at %u:%u", diag_code_name(code), line, col);
}

#define BODY(op) "tt.func @f(%x: i32, %t: tensor<4xi32>) {\n  " op "\n  tt.return\n}\n"

static void faults_of_words(void **state)
{
	fault_at(BODY("\001"), DIAG_IR_CHARACTER, 2, 3);
	fault_at(BODY("tt.assert %x, \"a"), DIAG_IR_STRING_END, 2, 17);
	fault_at(BODY("tt.assert %x, \"a\\q\" : i1"), DIAG_IR_ESCAPE, 2, 19);
	fault_at(BODY("%a = arith.constant 99999999999999999999 : i64"), DIAG_IR_RANGE, 2, 23);
	fault_at(BODY("%a = arith.constant 300 : i8"), DIAG_IR_RANGE, 2, 23);
	fault_at(BODY("%a = arith.constant 0x12345 : f16"), DIAG_IR_RANGE, 2, 23);
	fault_at(BODY("%a arith.addi %x, %x : i32"), DIAG_IR_EXPECTED, 2, 6);
	fault_at(BODY("%a = arith.addi %x %x : i32"), DIAG_IR_EXPECTED, 2, 22);
	fault_at("tt.func @f() {", DIAG_IR_EXPECTED, 1, 15);
	fault_at("}", DIAG_IR_EXPECTED, 1, 1);
	fault_at(BODY("% = arith.addi %x, %x : i32"), DIAG_IR_EXPECTED, 2, 3);
	fault_at(BODY("%a = arith.adi %x, %x : i32"), DIAG_IR_OP_NAME, 2, 8);
	fault_at(BODY("%a = arith.cmpi lt, %x, %x : i32"), DIAG_IR_WORD, 2, 19);
}

static void faults_of_types_and_attributes(void **state)
{
	fault_at(BODY("%a = arith.addi %x, %x : i33"), DIAG_IR_TYPE_NAME, 2, 28);
	fault_at(BODY("%a = arith.addi %x, %x : ui32"), DIAG_IR_TYPE_NAME, 2, 28);
	fault_at(BODY("%a = tt.splat %x : i32 -> tensor<4x0xi32>"), DIAG_IR_DIMENSION, 2, 36);
	fault_at(BODY("%a = tt.splat %x : i32 -> tensor<99999999999xi32>"), DIAG_IR_DIMENSION, 2, 36);
	fault_at(BODY("%a = tt.splat %x : i32 -> tensor<4xtensor<4xi32>>"), DIAG_IR_ELEMENT, 2, 38);
	fault_at(BODY("%a = arith.constant dense<[1, 2]> : tensor<4xi32>"), DIAG_IR_ELEMENT_COUNT, 2, 28);
	fault_at(BODY("%a = arith.constant dense<\"0x0102\"> : tensor<4xi32>"), DIAG_IR_ELEMENT_COUNT, 2, 28);
	fault_at(BODY("%a = arith.constant dense<1.5> : tensor<4xi32>"), DIAG_IR_INFER, 2, 29);
	fault_at(BODY("%a = arith.constant {b = #q} 1 : i32"), DIAG_IR_ALIAS, 2, 28);
	fault_at(BODY("gpu.barrier loc(#q)"), DIAG_IR_ALIAS, 2, 19);
	fault_at("#q = 1 : i32\n" BODY("gpu.barrier loc(#q)"), DIAG_IR_ALIAS_KIND, 3, 19);
	fault_at("#a = loc(\"x\"(#b))\n#b = loc(\"y\"(#a))\n" BODY("gpu.barrier loc(#a)"), DIAG_IR_ALIAS_CYCLE, 2, 14);
	fault_at("#a = loc(unknown)\n#a = loc(unknown)\n", DIAG_IR_ALIAS_TWICE, 2, 1);
	fault_at(BODY("tt.assert %x, 3 : i32"), DIAG_IR_ATTRIBUTE, 2, 3);
	fault_at("module { module { } }", DIAG_IR_MODULE, 1, 10);
}

static void faults_of_values_and_blocks(void **state)
{
	fault_at(BODY("%a = arith.addi %x, %y : i32"), DIAG_IR_VALUE, 2, 23);
	fault_at(BODY("%a = arith.addi %x#1, %x : i32"), DIAG_IR_VALUE_INDEX, 2, 19);
	fault_at(BODY("%x = arith.addi %x, %x : i32"), DIAG_IR_VALUE_TWICE, 2, 3);
	fault_at(BODY("%a = arith.addi %x, %t : i32"), DIAG_IR_VALUE_TYPE, 2, 23);
	fault_at(BODY("%a:2 = arith.addi %x, %x : i32"), DIAG_IR_RESULT_NAMES, 2, 3);
	fault_at(BODY("cf.br ^bb7"), DIAG_IR_BLOCK, 2, 9);
	fault_at("cf.br ^bb7", DIAG_IR_BLOCK, 1, 7);
	fault_at(BODY("tt.return\n^a:\n  tt.return\n^a:"), DIAG_IR_BLOCK_TWICE, 5, 1);
	fault_at(BODY("%a = \"arith.addi\"(%x) : (i32) -> i32"), DIAG_IR_OPERANDS, 2, 8);
	fault_at(BODY("\"arith.addi\"(%x, %x) : (i32, i32) -> ()"), DIAG_IR_RESULTS, 2, 3);
	fault_at(BODY("%a = scf.for %i = %x to %x step %x iter_args(%b = %x) -> (i32, i32) : i32 {\n}"), DIAG_IR_LISTS,
		 2, 8);
	fault_at(BODY("tt.store %x, %x : i32"), DIAG_IR_INFER, 2, 3);
	fault_at(BODY("%a = \"tt.dot_scaled\"(%t, %t, %t) <{a_elem_type = 0 : i32, b_elem_type = 0 : i32, fastMath = "
		      "false}> : (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>"),
		 DIAG_IR_SEGMENTS, 2, 8);
}

static void several_faults_in_one_run(void **state)
{
	const char *text = "tt.func @f(%x: i32) {\n"
			   "  %a = arith.addi %x, %nope : i32\n"
			   "  %b = arith.bad %x : i32\n"
			   "  %c = arith.addi %b, %b : i32\n" /* of something unknown: not said again */
			   "  scf.for %i = %x to %x step %x : i32 {\n"
			   "    %d = arith.addi %x : i32\n"
			   "  }\n"
			   "  tt.return\n"
			   "}\n"
			   "tt.func @g() { tt.retrun }\n";
	Kit *k = &(Kit){0};
	kit_init(k);
	assert_null(read_text(k, text, strlen(text)));
	show_diags(k);
	assert_int_equal(k->diags.errors, 4);
	arena_free(&k->arena);
}

/* Recursion is bounded for each thing that nests. */
static void deep_nesting_is_refused(void **state)
{
	static const char *const units[][3] = {
		{"module attributes {a = ", "[", "} { }"},
		{"module attributes {a = ", "tensor<4x", "} { }"},
		{"module attributes {a = ", "#a.b<[", "} { }"},
		{"module attributes {a = ", "dense<[[[[[[[[[[[[[[[[[", "} { }"},
		{"module attributes {a = ", "(", "} { }"},
		{"module { } loc(", "\"n\"(", ")"},
		{"module { } loc(", "callsite(", ")"},
		{"", "module {", "}"},
		{"tt.func @f(%c: i1) {", "scf.if %c {", "}"},
		{"tt.func @f() {", "\"tt.reduce\"() ({", "}"},
	};
	enum { TIMES = 5000 };
	for (size_t i = 0; i < ARRAY_LEN(units); i++) {
		Kit *k = &(Kit){0};
		Text text;
		kit_init(k);
		text_init(&text, &k->arena);
		text_str(&text, units[i][0]);
		for (int n = 0; n < TIMES; n++)
			text_str(&text, units[i][1]);
		text_str(&text, units[i][2]);
		assert_null(read_text(k, text.data, text.len));
		assert_true(k->diags.errors > 0);
		arena_free(&k->arena);
	}
	fault_at("module { } loc(\"a\"(\"a\"(", DIAG_IR_EXPECTED, 1, 24);
}

static void depth_has_a_diagnostic(void **state)
{
	Arena arena;
	Text text;
	arena_init(&arena, 0);
	text_init(&text, &arena);
	text_str(&text, "module attributes {a = ");
	for (int i = 0; i < 300; i++)
		text_char(&text, '[');
	fault_at(text.data, DIAG_IR_DEPTH, 1, 24 + 200);
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernels_come_out_as_upstream_wrote_them),
		cmocka_unit_test(shared_stages_come_out_as_they_are),
		cmocka_unit_test(everything_else_round_trips),
		cmocka_unit_test(names_of_the_text_are_kept),
		cmocka_unit_test(floats_have_upstreams_text),
		cmocka_unit_test(every_float_of_small_formats_reads_back),
		cmocka_unit_test(faults_of_words),
		cmocka_unit_test(faults_of_types_and_attributes),
		cmocka_unit_test(faults_of_values_and_blocks),
		cmocka_unit_test(several_faults_in_one_run),
		cmocka_unit_test(deep_nesting_is_refused),
		cmocka_unit_test(depth_has_a_diagnostic),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
