/* What of the toolchain decides a variant: libraries of bitcode, libdevice, the assembler, LLVM. Each is
 * replaced between two runs, and back. */
#include "folder.h"
#include "needs_llvm.h"

#ifdef NESO_HAVE_LLVM

#include <llvm-c/BitWriter.h>
#include <llvm-c/Core.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <neso/neso.h>

#include "jit/keep/cache.h"

typedef struct Kit {
	char dir[64], cache[96], library[96], libdevice[128], ptxas[96];
	char real[512]; /* ptxas; "": none */
} Kit;

/* A library whose function adds the number. */
static void write_library(const char *path, const char *symbol, double number)
{
	LLVMContextRef cx = LLVMContextCreate();
	LLVMModuleRef mod = LLVMModuleCreateWithNameInContext("theirs", cx);
	LLVMTypeRef f32 = LLVMFloatTypeInContext(cx);
	LLVMBuilderRef b = LLVMCreateBuilderInContext(cx);
	LLVMValueRef fn = LLVMAddFunction(mod, symbol, LLVMFunctionType(f32, &f32, 1, false));
	LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(cx, fn, ""));
	LLVMBuildRet(b, LLVMBuildFAdd(b, LLVMGetParam(fn, 0), LLVMConstReal(f32, number), ""));
	LLVMDisposeBuilder(b);
	assert_int_equal(LLVMWriteBitcodeToFile(mod, path), 0);
	LLVMDisposeModule(mod);
	LLVMContextDispose(cx);
}

/* It does so when it was given something to assemble. */
static void write_ptxas(const Kit *kit, const char *before)
{
	FILE *file = fopen(kit->ptxas, "w");
	fprintf(file,
		"#!/bin/sh\n"
		"for a; do case $a in /proc/self/fd/*) : <$a; break ;; esac; done\n"
		"%s\necho \"$1\" >>%s/runs\nexec %s \"$@\"\n",
		before, kit->dir, kit->real);
	fclose(file);
	assert_int_equal(chmod(kit->ptxas, 0700), 0);
}

static int set_up(void **state)
{
	static const char *const folders[] = {"", "/toolkit", "/toolkit/nvvm", "/toolkit/nvvm/libdevice"};
	Kit *kit = calloc(1, sizeof *kit);
	char path[160];
	*state = kit;
	if (!test_folder(kit->dir, sizeof kit->dir, "toolchain"))
		return -1;
	for (size_t i = 1; i < sizeof folders / sizeof *folders; i++) {
		snprintf(path, sizeof path, "%s%s", kit->dir, folders[i]);
		mkdir(path, 0700);
	}
	snprintf(kit->cache, sizeof kit->cache, "%s/cache", kit->dir);
	snprintf(kit->library, sizeof kit->library, "%s/theirs.bc", kit->dir);
	snprintf(kit->libdevice, sizeof kit->libdevice, "%s/toolkit/nvvm/libdevice/libdevice.10.bc",
		 kit->dir);
	snprintf(kit->ptxas, sizeof kit->ptxas, "%s/ptxas", kit->dir);
	unsetenv("TRITON_CACHE_DIR");
	unsetenv("TRITON_LIBDEVICE_PATH");
	FILE *which =
		popen("command -v ptxas || ls ${CUDA_HOME:-/usr/local/cuda}/bin/ptxas 2>/dev/null", "r");
	if (fscanf(which, "%511s", kit->real) != 1)
		kit->real[0] = '\0';
	pclose(which);
	if (*kit->real)
		write_ptxas(kit, "");
	return 0;
}

static int tear_down(void **state)
{
	Kit *kit = *state;
	char command[160];
	snprintf(command, sizeof command, "rm -rf '%s'", kit->dir);
	assert_int_equal(system(command), 0);
	free(kit);
	return 0;
}

/* How often ptxas has compiled since the last call. */
static unsigned runs(const Kit *kit)
{
	char path[96], line[64];
	unsigned count = 0;
	snprintf(path, sizeof path, "%s/runs", kit->dir);
	FILE *file = fopen(path, "r");
	while (file && fgets(line, sizeof line, file))
		count += strstr(line, "--version") == NULL;
	if (file)
		fclose(file);
	unlink(path);
	return count;
}

/* The kernel compiled as by a new process; "hit" or "miss". *adds: does its PTX have this text? */
static const char *make(const Kit *kit, const char *path, const char *symbol, const char *wanted, bool *has)
{
	static char how[8];
	char text[1024];
	neso_context *context;
	neso_module *module;
	neso_kernel *kernel;
	neso_variant *variant;
	neso_diagnostics *found;
	char *ptx;
	if (!*kit->real)
		skip();
	snprintf(text, sizeof text,
		 "module {\n"
		 "  tt.func public @k(%%p: !tt.ptr<f32>) {\n"
		 "    %%x = tt.load %%p : !tt.ptr<f32>\n"
		 "    %%y = tt.extern_elementwise %%x {libname = \"l\", libpath = \"%s\", pure = true, "
		 "symbol = \"%s\"} : (f32) -> f32\n"
		 "    tt.store %%p, %%y : !tt.ptr<f32>\n"
		 "    tt.return\n  }\n}\n",
		 path, symbol);
	neso_context_options options = {.size = sizeof options, .cache_dir = kit->cache, .ptxas = kit->ptxas};
	neso_compile_options compile = {.size = sizeof compile, .target = "sm_80"};
	assert_int_equal(neso_context_new(&options, &context, NULL), NESO_OK);
	if (neso_module_load_ir(context, "k.ttir", text, strlen(text), &module, &found) != NESO_OK)
		fail_msg("%s", neso_diagnostics_text(found));
	neso_diagnostics_free(found);
	assert_int_equal(neso_module_find(module, "k", &kernel, NULL), NESO_OK);
	if (neso_kernel_compile(kernel, "*fp32", &compile, &variant, &found) != NESO_OK)
		fail_msg("%s", neso_diagnostics_text(found));
	neso_diagnostics_free(found);
	neso_variant_info info = {.size = sizeof info};
	assert_int_equal(neso_variant_get_info(variant, &info), NESO_OK);
	snprintf(how, sizeof how, "%s", info.cache);
	assert_int_equal(neso_variant_text(variant, "ptx", &ptx, NULL), NESO_OK);
	*has = strstr(ptx, wanted) != NULL;
	neso_text_free(ptx);
	neso_module_free(module);
	neso_context_free(context);
	return how;
}

#define ONE "0f3F800000"
#define TWO "0f40000000"

static void libraries_count(void **state)
{
	Kit *kit = *state;
	bool has;
	write_library(kit->library, "their_add", 1);
	assert_string_equal(make(kit, kit->library, "their_add", ONE, &has), "miss");
	assert_true(has);
	assert_string_equal(make(kit, kit->library, "their_add", ONE, &has), "hit");
	assert_true(has);
	write_library(kit->library, "their_add", 2);
	assert_string_equal(make(kit, kit->library, "their_add", TWO, &has), "miss");
	assert_true(has);
	assert_string_equal(make(kit, kit->library, "their_add", TWO, &has), "hit");
	assert_true(has);
	/* Both stay. */
	write_library(kit->library, "their_add", 1);
	assert_string_equal(make(kit, kit->library, "their_add", ONE, &has), "hit");
	assert_true(has);
}

/* Where nothing can be compiled, a library that is not there is as it was. */
static void a_library_that_is_not_there(void **state)
{
	Kit *kit = *state;
	bool has;
	write_library(kit->library, "their_add", 1);
	assert_string_equal(make(kit, kit->library, "their_add", ONE, &has), "miss");
	unlink(kit->library);
	snprintf(kit->ptxas, sizeof kit->ptxas, "%s/none", kit->dir);
	assert_string_equal(make(kit, kit->library, "their_add", ONE, &has), "hit");
	assert_true(has);
}

static void libdevice_counts(void **state)
{
	Kit *kit = *state;
	bool has;
	char toolkit[96], *home = getenv("CUDA_HOME"), *before = home ? strdup(home) : NULL;
	snprintf(toolkit, sizeof toolkit, "%s/toolkit", kit->dir);
	write_library(kit->libdevice, "__nv_their_own", 1);
	setenv("CUDA_HOME", toolkit, 1);
	assert_string_equal(make(kit, "", "__nv_their_own", ONE, &has), "miss");
	assert_true(has);
	assert_string_equal(make(kit, "", "__nv_their_own", ONE, &has), "hit");
	write_library(kit->libdevice, "__nv_their_own", 2);
	assert_string_equal(make(kit, "", "__nv_their_own", TWO, &has), "miss");
	assert_true(has);
	/* What the kernel does not take from it makes no difference. */
	assert_string_equal(make(kit, "", "__nv_sqrtf", "sqrt", &has), "miss");
	write_library(kit->libdevice, "__nv_their_own", 3);
	assert_string_equal(make(kit, "", "__nv_sqrtf", "sqrt", &has), "hit");
	if (before)
		setenv("CUDA_HOME", before, 1);
	else
		unsetenv("CUDA_HOME");
	free(before);
}

/* Both levels: the PTX is the same, and is assembled again. */
static void the_assembler_counts(void **state)
{
	Kit *kit = *state;
	bool has;
	assert_string_equal(make(kit, "", "__nv_sqrtf", "sqrt", &has), "miss");
	assert_int_equal(runs(kit), 1);
	assert_string_equal(make(kit, "", "__nv_sqrtf", "sqrt", &has), "hit");
	assert_int_equal(runs(kit), 0);
	write_ptxas(kit, ": another");
	assert_string_equal(make(kit, "", "__nv_sqrtf", "sqrt", &has), "miss");
	assert_int_equal(runs(kit), 1);
	write_ptxas(kit, "");
	assert_string_equal(make(kit, "", "__nv_sqrtf", "sqrt", &has), "hit");
	assert_int_equal(runs(kit), 0);
}

/* An assembler that is replaced while it runs has made nothing that is kept. */
static void replaced_meanwhile(void **state)
{
	Kit *kit = *state;
	bool has;
	write_ptxas(kit, "[ \"$1\" = --version ] || echo '#' >>\"$0\"");
	for (int i = 0; i < 3; i++) {
		assert_string_equal(make(kit, "", "__nv_sqrtf", "sqrt", &has), "miss");
		assert_int_equal(runs(kit), 1);
	}
}

/* A library in the code generator's place, as one with another LLVM behind it would be. */
static void write_generator(const Kit *kit, const char *llvm)
{
	char source[128], command[512];
	snprintf(source, sizeof source, "%s/generator.c", kit->dir);
	FILE *file = fopen(source, "w");
	fprintf(file,
		"#include <string.h>\n"
		"#include \"codegen/codegen.h\"\n"
		"static void version(char out[32]) { strcpy(out, \"%s\"); }\n"
		"static const char *file(void) { return 0; }\n"
		"const CodegenTable neso_codegen_table = {.abi = CODEGEN_ABI, .version = \"%s\", "
		".llvm_version = version,\n"
		"                                         .llvm_file = file};\n",
		llvm, neso_version());
	fclose(file);
	snprintf(command, sizeof command,
		 "cc -shared -fPIC -I" NESO_SOURCE_DIR "/src -o %s/generator-%s.so %s 2>/dev/null", kit->dir,
		 llvm, source);
	if (system(command) != 0)
		skip();
	snprintf(command, sizeof command, "%s/generator-%s.so", kit->dir, llvm);
	setenv("NESO_CODEGEN_PATH", command, 1);
}

static void llvm_is_that_which_is_loaded(void **state)
{
	Kit *kit = *state;
	Arena arena;
	char *kept = getenv("NESO_CODEGEN_PATH"), *before = kept ? strdup(kept) : NULL;
	arena_init(&arena, 0);
	JitCache *cache = jit_cache_new(kit->cache);
	write_generator(kit, "9.9.8");
	assert_string_equal(jit_llvm_version(cache, &arena), "9.9.8");
	write_generator(kit, "9.9.9");
	assert_string_equal(jit_llvm_version(cache, &arena), "9.9.9");
	jit_cache_free(cache);
	arena_free(&arena);
	if (before)
		setenv("NESO_CODEGEN_PATH", before, 1);
	else
		unsetenv("NESO_CODEGEN_PATH");
	free(before);
}

int main(void)
{
	if (getenv("NESO_BUILD"))
		setenv("NESO_CODEGEN_PATH", getenv("NESO_BUILD"), 0);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(libraries_count, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_library_that_is_not_there, set_up, tear_down),
		cmocka_unit_test_setup_teardown(libdevice_counts, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_assembler_counts, set_up, tear_down),
		cmocka_unit_test_setup_teardown(replaced_meanwhile, set_up, tear_down),
		cmocka_unit_test_setup_teardown(llvm_is_that_which_is_loaded, set_up, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
