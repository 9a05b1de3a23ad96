/* libneso-codegen's table: stages and facts of small kernels, what it says of bad input, line tables. */
#include "needs_llvm.h"

#ifdef NESO_HAVE_LLVM

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/os.h"
#include "codegen/codegen.h"
#include "codegen/facts.h"
#include "llvm/lines.h"

extern const CodegenTable neso_codegen_table;
static const CodegenTable *const table = &neso_codegen_table;

static const char empty_kernel[] =
	"module {\n"
	"  tt.func public @k(%a: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32, %h: f16, %x: f64) {\n"
	"    tt.return\n"
	"  }\n"
	"}\n";

static CodegenRequest request_of(const char *text)
{
	return (CodegenRequest){
		.from = CODEGEN_TTIR,
		.to = CODEGEN_PTX,
		.text = text,
		.len = strlen(text),
		.path = "test.ttir",
		.target = "sm_90a",
		.num_warps = 4,
		.num_ctas = 1,
		.num_stages = 3,
		.fp_fusion = true,
		.verify_passes = true,
	};
}

static const char *first_text(const CodegenResult *r)
{
	return r->diag_count ? r->diags[0].text : "";
}

/* Compiles and expects one diagnostic of this code, whose text holds `part`. */
static void expect_fault(const CodegenRequest *request, const char *code, const char *part)
{
	CodegenResult *r = table->compile(request);
	assert_non_null(r);
	assert_false(r->ok);
	assert_true(r->diag_count >= 1);
	assert_string_equal(r->diags[0].code, code);
	if (!strstr(r->diags[0].text, part))
		fail_msg("'%s' does not hold '%s'", r->diags[0].text, part);
	table->free(r);
}

static void compiles_an_empty_kernel(void **state)
{
	CodegenRequest request = request_of(empty_kernel);
	for (int i = 0; i < CODEGEN_STAGE__COUNT; i++)
		request.keep[i] = true;
	CodegenResult *r = table->compile(&request);
	assert_non_null(r);
	if (!r->ok)
		fail_msg("%s", first_text(r));
	assert_string_equal(r->kernel, "k");
	assert_string_equal(r->args, "p4hd");
	assert_int_equal(r->threads, 128);
	assert_int_equal(r->shared, 0);
	assert_int_equal(r->cluster, 1);
	assert_non_null(strstr(r->stage[CODEGEN_PTX].data, ".target sm_90a"));
	assert_non_null(strstr(r->stage[CODEGEN_PTX].data, ".reqntid 128"));
	char llvm[32];
	table->llvm_version(llvm);
	if (atoi(llvm) >= 20)
		assert_non_null(strstr(r->stage[CODEGEN_PTX].data, ".ptr .global .align 16"));
	assert_non_null(strstr(r->stage[CODEGEN_TTGIR].data, "ttg.num-warps"));

	/* Each later stage compiles on from its text, to the same PTX and with the same facts. */
	for (CodegenStage from = CODEGEN_TTGIR; from <= CODEGEN_PTX; from++) {
		CodegenRequest again = request;
		again.from = from;
		again.num_warps = 8; /* not heeded: the text says 4 */
		again.text = r->stage[from].data;
		again.len = r->stage[from].len;
		CodegenResult *s = table->compile(&again);
		assert_non_null(s);
		if (!s->ok)
			fail_msg("from stage %d: %s", (int)from, first_text(s));
		assert_string_equal(s->stage[CODEGEN_PTX].data, r->stage[CODEGEN_PTX].data);
		assert_string_equal(s->args, r->args);
		assert_int_equal(s->threads, 128);
		table->free(s);
	}
	table->free(r);
}

static void says_what_is_wrong(void **state)
{
	CodegenRequest request = request_of(empty_kernel);
	request.target = "sm_99";
	expect_fault(&request, "CODEGEN_TARGET", "known are: sm_75, sm_80");
	request = request_of(empty_kernel);
	request.ptx_version = 89;
	expect_fault(&request, "PTX_VERSION",
		     "ptx_version=89 is no PTX version that can be written for sm_90a here: from 81 to");
	request.ptx_version = 830;
	expect_fault(&request, "PTX_VERSION", "ptx_version=830");
	request = request_of(empty_kernel);
	request.kernel = "other";
	expect_fault(&request, "CODEGEN_KERNEL", "'other'");
	request = request_of("module {\n}\n");
	expect_fault(&request, "CODEGEN_NO_KERNEL", "0 kernels");
	request = request_of(empty_kernel);
	request.from = CODEGEN_PTX;
	request.to = CODEGEN_LLIR;
	expect_fault(&request, "CODEGEN_STAGE", "from stage ptx to stage llir");
	request.to = CODEGEN_PTX;
	expect_fault(&request, "CODEGEN_TEXT", "// neso:");
	request.from = CODEGEN_LLIR;
	expect_fault(&request, "CODEGEN_LLVM", "expected");
	request.text = "define void @k() \"neso\"=\"kernel=k args= threads=32 cluster=1\" {\n  call void @neso.nothing()\n  ret void\n}\n"
		       "declare void @neso.nothing()\n";
	request.len = strlen(request.text);
	expect_fault(&request, "CODEGEN_OPERATION", "neso.nothing");
}

static void writes_the_version_that_is_asked_for(void **state)
{
	static const struct {
		unsigned asked;
		const char *line, *warning;
	} cases[] = {{0, ".version 8.1", NULL}, {81, ".version 8.1", NULL}, {83, ".version 8.3", NULL},
		     {70, ".version 8.1", "ptx_version=70 is older than what sm_90a needs: 81 is written"}};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CodegenRequest request = request_of(empty_kernel);
		request.ptx_version = cases[i].asked;
		CodegenResult *r = table->compile(&request);
		assert_non_null(r);
		assert_true(r->ok);
		assert_non_null(strstr(r->stage[CODEGEN_PTX].data, cases[i].line));
		assert_int_equal(r->diag_count != 0, cases[i].warning != NULL);
		if (cases[i].warning)
			assert_non_null(strstr(first_text(r), cases[i].warning));
		table->free(r);
	}
}

/* An operation of other hardware is a fatal error of LLVM's; the process goes on, and the next compilation is right. */
static void survives_fatal_errors(void **state)
{
#ifdef __SANITIZE_ADDRESS__
	skip(); /* what LLVM had is lost then, and that is reported */
#endif
	const char *bad = "define ptx_kernel void @k(ptr addrspace(1) %p) \"neso\"=\"kernel=k args=p threads=32 cluster=1\" {\n"
			  "  call void @llvm.x86.sse2.pause()\n  ret void\n}\ndeclare void @llvm.x86.sse2.pause()\n";
	for (int i = 0; i < 3; i++) {
		CodegenRequest request = request_of(bad);
		request.from = CODEGEN_LLIR;
		CodegenResult *r = table->compile(&request);
		assert_non_null(r);
		assert_false(r->ok);
		assert_string_equal(r->diags[0].code, "CODEGEN_LLVM");
		table->free(r);
		request = request_of(empty_kernel);
		r = table->compile(&request);
		assert_true(r && r->ok);
		table->free(r);
	}
}

/* Memory that runs out anywhere on the way: a result that says so or none, and the next compilation is whole. */
static void memory_may_run_out(void **state)
{
	CodegenRequest request = request_of(empty_kernel);
	bool whole = false;
	for (long n = 1; n < 1000 && !whole; n++) {
		arena_fail_after(n);
		CodegenResult *r = table->compile(&request);
		arena_fail_after(0);
		whole = r && r->ok;
		table->free(r);
	}
	assert_true(whole);
}

static void *compile_often(void *data)
{
	CodegenRequest request = request_of(empty_kernel);
	for (int i = 0; i < 20; i++) {
		CodegenResult *r = table->compile(&request);
		if (!r || !r->ok || strcmp(r->stage[CODEGEN_PTX].data, data) != 0)
			return data;
		table->free(r);
	}
	return NULL;
}

static void threads_give_the_same_text(void **state)
{
	CodegenRequest request = request_of(empty_kernel);
	CodegenResult *r = table->compile(&request);
	assert_true(r && r->ok);
	pthread_t threads[4];
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, compile_often,
						(void *)(uintptr_t)r->stage[CODEGEN_PTX].data), 0);
	for (int i = 0; i < 4; i++) {
		void *failed;
		pthread_join(threads[i], &failed);
		assert_null(failed);
	}
	table->free(r);
}

/* The same input gives the same bytes at each stage, wherever in memory things lie. */
static void stages_are_the_same_again(void **state)
{
	static const char *const files[] = {"softmax", "layernorm", "matmul"};
	for (unsigned i = 0; i < ARRAY_LEN(files); i++) {
		Arena arena;
		Str bytes;
		const char *error;
		arena_init(&arena, 0);
		const char *path = arena_printf(&arena, NESO_SOURCE_DIR "/test/bench/%s.mlir", files[i]);
		assert_true(os_read_file(&arena, path, &bytes, &error));
		CodegenRequest request = request_of(bytes.ptr);
		request.line_info = true;
		request.verify_passes = false;
		for (int stage = 0; stage < CODEGEN_STAGE__COUNT; stage++)
			request.keep[stage] = true;
		CodegenResult *r = table->compile(&request), *empty[3];
		assert_true(r && r->ok);
		for (unsigned k = 0; k < ARRAY_LEN(empty); k++) {
			CodegenRequest other = request_of(empty_kernel);
			empty[k] = table->compile(&other);
			CodegenResult *again = table->compile(&request);
			assert_true(again && again->ok);
			for (int stage = CODEGEN_TTGIR; stage < CODEGEN_STAGE__COUNT; stage++)
				assert_string_equal(r->stage[stage].data, again->stage[stage].data);
			table->free(again);
		}
		for (unsigned k = 0; k < ARRAY_LEN(empty); k++)
			table->free(empty[k]);
		table->free(r);
		arena_free(&arena);
	}
}

static void facts_go_through_text(void **state)
{
	Arena arena;
	arena_init(&arena, 0);
	Facts facts = {.kernel = "k", .args = "p4s", .threads = 256, .shared = 1024, .cluster = 2, .scratch_bytes = 64,
		       .scratch_align = 16, .uses_print = true}, back;
	const char *text = arena_printf(&arena, "first line\n// neso: %s\nlast", facts_text(&arena, &facts));
	const char *why;
	assert_true(facts_read(&arena, str_of(text), "// neso: ", &back, &why));
	assert_string_equal(back.kernel, "k");
	assert_string_equal(back.args, "p4s");
	assert_int_equal(back.threads, 256);
	assert_int_equal(back.shared, 1024);
	assert_int_equal(back.cluster, 2);
	assert_int_equal(back.scratch_bytes, 64);
	assert_int_equal(back.scratch_align, 16);
	assert_true(back.uses_print);
	assert_false(back.uses_assert);
	assert_false(facts_read(&arena, str_of("nothing"), "// neso: ", &back, &why));
	assert_null(why);
	arena_free(&arena);
}

/* Files that say how a kernel is launched are edited by hand: what no launch can be made of is told. */
static void facts_that_no_kernel_has(void **state)
{
	static const char good[] = "kernel=k args=p4 threads=128 shared=64 cluster=1 scratch=0 scratch_align=0 print=0 assert=0";
	static const struct {
		const char *word, *instead, *why;
	} cases[] = {
		{"threads=128", "threads=0", "threads"}, {"threads=128", "", "threads"}, {"threads=128", "threads=4294967424", "threads"},
		{"threads=128", "threads=100", "threads"}, {"threads=128", "threads=12x8", "threads"}, {"threads=128", "threads=2048", "threads"},
		{"threads=128", "threads=-32", "threads"}, {"shared=64", "shared=99999999999999999999", "shared"},
		{"cluster=1", "cluster=0", "cluster"}, {"cluster=1", "cluster=3", "cluster"}, {"cluster=1", "cluster=32", "cluster"},
		{"scratch=0", "scratch=16", "scratch"}, {"scratch_align=0", "scratch_align=3", "scratch"},
		{"scratch=0 scratch_align=0", "scratch=16 scratch_align=16", "args"}, {"args=p4", "args=pz", "args"},
		{"args=p4", "args=ps", "args"}, {"print=0", "print=2", "print"}, {"kernel=k", "kernel=a(b", "kernel"}, {"kernel=k", "kernel=", "kernel"},
	};
	Arena arena;
	arena_init(&arena, 0);
	Facts back;
	const char *why;
	assert_true(facts_read(&arena, str_of(arena_printf(&arena, "// neso: %s\n", good)), "// neso: ", &back, &why));
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const char *at = strstr(good, cases[i].word);
		const char *text = arena_printf(&arena, "// neso: %.*s%s%s\n", (int)(at - good), good, cases[i].instead,
						at + strlen(cases[i].word));
		assert_false(facts_read(&arena, str_of(text), "// neso: ", &back, &why));
		assert_non_null(why);
		assert_memory_equal(why, cases[i].why, strlen(cases[i].why));
	}
	arena_free(&arena);
}

static void lines_name_what_was_inlined(void **state)
{
	Arena arena;
	Text out;
	arena_init(&arena, 0);
	text_init(&out, &arena);
	const char *in = "\t.loc\t1 3 4                           // /a/kern.py:3:4\n"
			 "\tadd\n"
			 "\t.loc\t2 170 27 // /a b/lib.py:170:27 @[ /a b/lib.py:191:40 @[ /a/kern.py:32:19 ] ]\n"
			 "\tmul\n"
			 "\t.file\t1 \"/a/kern.py\"\n"
			 "\t.file\t2 \"/a b/lib.py\"\n";
	lines_rewrite(&arena, str_of(in), &out);
	assert_string_equal(out.data,
			    "\t.loc\t1 3 4\n"
			    "\tadd\n"
			    "\t.loc\t1 32 19\n"
			    "\t.loc\t2 191 40, function_name $L__inlined0, inlined_at 1 32 19\n"
			    "\t.loc\t2 170 27, function_name $L__inlined0, inlined_at 2 191 40\n"
			    "\tmul\n"
			    "\t.file\t1 \"/a/kern.py\"\n"
			    "\t.file\t2 \"/a b/lib.py\"\n"
			    "\t.section\t.debug_str\n\t{\n"
			    "$L__inlined0:\n\t.b8 108,105,98,46,112,121,0\n\t}\n");
	arena_free(&arena);
}

/* Bytes travel in registers of 16 bits: those are what is cleared. */
static void bytes_are_cleared(void **state)
{
	static const char text[] =
		"target triple = \"nvptx64-nvidia-cuda\"\n"
		"declare i16 @neso.ld_global.fill0.v1b8(ptr addrspace(1), i1)\n"
		"define ptx_kernel void @k(ptr addrspace(1) %a, i16 %n) \"neso\"=\"kernel=k args=p2 threads=32 shared=0 cluster=1 scratch=0 "
		"scratch_align=0 print=0 assert=0\" {\n"
		"  %p = icmp slt i16 %n, 7\n"
		"  %v = call i16 @neso.ld_global.fill0.v1b8(ptr addrspace(1) %a, i1 %p)\n"
		"  store i16 %v, ptr addrspace(1) %a\n"
		"  ret void\n"
		"}\n";
	CodegenRequest request = request_of(text);
	request.from = CODEGEN_LLIR;
	CodegenResult *r = table->compile(&request);
	if (!r->ok)
		fail_msg("%s", first_text(r));
	assert_non_null(strstr(r->stage[CODEGEN_PTX].data, "mov.b16 %rs"));
	assert_null(strstr(r->stage[CODEGEN_PTX].data, "mov.b8"));
	table->free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(compiles_an_empty_kernel),
		cmocka_unit_test(says_what_is_wrong),
		cmocka_unit_test(writes_the_version_that_is_asked_for),
		cmocka_unit_test(survives_fatal_errors),
		cmocka_unit_test(memory_may_run_out),
		cmocka_unit_test(threads_give_the_same_text),
		cmocka_unit_test(stages_are_the_same_again),
		cmocka_unit_test(bytes_are_cleared),
		cmocka_unit_test(facts_go_through_text),
		cmocka_unit_test(facts_that_no_kernel_has),
		cmocka_unit_test(lines_name_what_was_inlined),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
