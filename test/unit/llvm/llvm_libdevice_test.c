/* Functions from libraries of bitcode: a library made here, and libdevice.10.bc where a CUDA toolkit is installed. */
#include "folder.h"
#include "needs_llvm.h"

#ifdef NESO_HAVE_LLVM

#include <llvm-c/BitWriter.h>
#include <llvm-c/Core.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "codegen/codegen.h"

extern const CodegenTable neso_codegen_table;

/* float NAME(float): x + number. */
static void add_function(LLVMContextRef cx, LLVMModuleRef mod, const char *name, double number)
{
	LLVMTypeRef f32 = LLVMFloatTypeInContext(cx);
	LLVMBuilderRef b = LLVMCreateBuilderInContext(cx);
	LLVMValueRef fn = LLVMAddFunction(mod, name, LLVMFunctionType(f32, &f32, 1, false));
	LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(cx, fn, ""));
	LLVMBuildRet(b, LLVMBuildFAdd(b, LLVMGetParam(fn, 0), LLVMConstReal(f32, number), ""));
	LLVMDisposeBuilder(b);
}

static void write_library(const char *path)
{
	LLVMContextRef cx = LLVMContextCreate();
	LLVMModuleRef mod = LLVMModuleCreateWithNameInContext("theirs", cx);
	add_function(cx, mod, "their_one", 1);
	add_function(cx, mod, "their_two", 2);
	assert_int_equal(LLVMWriteBitcodeToFile(mod, path), 0);
	LLVMDisposeModule(mod);
	LLVMContextDispose(cx);
}

static CodegenResult *compile(const char *symbol, const char *path, const char *libdevice, const char *type)
{
	static char text[2048];
	snprintf(text, sizeof text,
		 "module {\n"
		 "  tt.func public @k(%%p: !tt.ptr<%s> {tt.divisibility = 16 : i32}) {\n"
		 "    %%x = tt.load %%p : !tt.ptr<%s>\n"
		 "    %%y = tt.extern_elementwise %%x {libname = \"l\", libpath = \"%s\", pure = true, symbol = \"%s\"} : (%s) -> %s\n"
		 "    tt.store %%p, %%y : !tt.ptr<%s>\n"
		 "    tt.return\n  }\n}\n", type, type, path, symbol, type, type, type);
	return neso_codegen_table.compile(&(CodegenRequest){
		.from = CODEGEN_TTIR, .to = CODEGEN_PTX, .text = text, .len = strlen(text), .path = "test.ttir", .target = "sm_80",
		.num_warps = 1, .num_ctas = 1, .num_stages = 1, .verify_passes = true, .libdevice = libdevice});
}

static const char *said(const CodegenResult *r)
{
	return r->diag_count ? r->diags[0].text : "";
}

static void test_library(void **state)
{
	char path[64];
	int fd = test_file(path, sizeof path, "library");
	assert_true(fd >= 0);
	close(fd);
	write_library(path);
	CodegenResult *r = compile("their_two", path, NULL, "f32");
	if (!r->ok)
		fail_msg("%s", said(r));
	/* What is called is there, the rest is not. */
	assert_non_null(strstr(r->stage[CODEGEN_PTX].data, "their_two"));
	assert_non_null(strstr(r->stage[CODEGEN_PTX].data, "0f40000000"));
	assert_null(strstr(r->stage[CODEGEN_PTX].data, "their_one"));
	assert_null(strstr(r->stage[CODEGEN_PTX].data, ".extern .func"));
	neso_codegen_table.free(r);

	r = compile("their_three", path, NULL, "f32");
	assert_false(r->ok);
	assert_non_null(strstr(said(r), "has no such function"));
	neso_codegen_table.free(r);

	FILE *f = fopen(path, "w");
	fputs("no bitcode", f);
	fclose(f);
	r = compile("their_one", path, NULL, "f32");
	assert_false(r->ok);
	assert_non_null(strstr(said(r), "is no LLVM bitcode"));
	neso_codegen_table.free(r);
	unlink(path);
}

static void test_missing(void **state)
{
	CodegenResult *r = compile("__nv_sinhf", "", "/no/such/libdevice.10.bc", "f32");
	assert_false(r->ok);
	assert_string_equal(r->diags[0].code, "LOWER_SYMBOL");
	assert_int_equal(r->diags[0].line, 4);
	assert_non_null(strstr(said(r), "'/no/such/libdevice.10.bc' cannot be read"));
	neso_codegen_table.free(r);
}

static void test_libdevice(void **state)
{
	static const char *const symbols[][2] = {{"__nv_sinhf", "f32"}, {"__nv_lgamma", "f64"}, {"__nv_j0f", "f32"}, {"__nv_tanf", "f32"}};
	if (access("/usr/local/cuda/nvvm/libdevice/libdevice.10.bc", R_OK) != 0)
		skip();
	for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
		CodegenResult *r = compile(symbols[i][0], "", "/usr/local/cuda/nvvm/libdevice/libdevice.10.bc", symbols[i][1]);
		if (!r->ok)
			fail_msg("%s: %s", symbols[i][0], said(r));
		assert_non_null(strstr(r->stage[CODEGEN_PTX].data, "fma.rn"));
		assert_null(strstr(r->stage[CODEGEN_PTX].data, ".extern .func"));
		assert_null(strstr(r->stage[CODEGEN_PTX].data, "__nvvm_reflect"));
		neso_codegen_table.free(r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_library), cmocka_unit_test(test_missing), cmocka_unit_test(test_libdevice)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
