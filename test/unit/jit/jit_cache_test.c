/* The compile cache as a user of neso.h meets it: what hits, what misses, and that trouble with it stops nothing. */
#include "unit.h"
#include "folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cache/store.h"
#include "neso/neso.h"

static const char source[] =
	"import os\n"
	"import triton\n"
	"import triton.language as tl\n"
	"\n"
	"SCALE = tl.constexpr(2)\n"
	"\n"
	"@triton.jit\n"
	"def helper(x):\n"
	"    return x * SCALE\n"
	"\n"
	"@triton.jit\n"
	"def other(p, B: tl.constexpr):\n"
	"    tl.store(p + tl.arange(0, B), 1.0)\n"
	"\n"
	"@triton.jit\n"
	"def kernel(p, q, n, B: tl.constexpr):\n"
	"    i = tl.program_id(0) * B + tl.arange(0, B)\n"
	"    tl.store(q + i, helper(tl.load(p + i, mask=i < n)), mask=i < n)\n";

typedef struct Kit {
	char dir[64];
	char ptxas[96]; /* a script that counts its runs with something to assemble */
	neso_context *context;
} Kit;

static const char *real_ptxas(void)
{
	static char path[512];
	neso_context *context;
	assert_int_equal(neso_context_new(NULL, &context, NULL), NESO_OK);
	const char *codegen = neso_context_info(context, "codegen"), *ptxas = neso_context_info(context, "ptxas");
	bool there = codegen && strncmp(codegen, "none", 4) != 0 && ptxas && strncmp(ptxas, "none", 4) != 0;
	path[0] = '\0';
	FILE *which = popen("command -v ptxas || ls ${CUDA_HOME:-/usr/local/cuda}/bin/ptxas 2>/dev/null", "r");
	if (fscanf(which, "%511s", path) != 1)
		there = false;
	pclose(which);
	neso_context_free(context);
	return there ? path : NULL;
}

static int setup(void **state)
{
	const char *ptxas = real_ptxas();
	Kit *kit = calloc(1, sizeof *kit);
	*state = kit;
	if (!test_folder(kit->dir, sizeof kit->dir, "jit-cache"))
		return -1;
	if (!ptxas)
		return 0;
	snprintf(kit->ptxas, sizeof kit->ptxas, "%s/ptxas", kit->dir);
	FILE *file = fopen(kit->ptxas, "w");
	fprintf(file,
		"#!/bin/sh\n"
		"for a; do case $a in /proc/self/fd/*) : <$a; break ;; esac; done\n"
		"echo \"$1\" >>%s/runs\nexec %s \"$@\"\n",
		kit->dir, ptxas);
	fclose(file);
	chmod(kit->ptxas, 0700);
	unsetenv("TRITON_CACHE_DIR");
	return 0;
}

static int teardown(void **state)
{
	Kit *kit = *state;
	char command[160];
	neso_context_free(kit->context);
	snprintf(command, sizeof command, "rm -rf '%s'", kit->dir);
	assert_int_equal(system(command), 0);
	free(kit);
	return 0;
}

/* A context as a new process would have it. */
static void fresh(Kit *kit)
{
	char dir[96];
	if (!*kit->ptxas)
		skip();
	snprintf(dir, sizeof dir, "%s/cache", kit->dir);
	neso_context_options options = {.size = sizeof options, .cache_dir = dir, .ptxas = kit->ptxas};
	neso_context_free(kit->context);
	assert_int_equal(neso_context_new(&options, &kit->context, NULL), NESO_OK);
}

/* How often ptxas compiled, and was asked for its version, since the last call. */
static void runs(Kit *kit, unsigned *compiled, unsigned *asked)
{
	char path[96], line[256];
	snprintf(path, sizeof path, "%s/runs", kit->dir);
	*compiled = *asked = 0;
	FILE *file = fopen(path, "r");
	if (!file)
		return;
	while (fgets(line, sizeof line, file)) {
		*asked += strstr(line, "--version") != NULL;
		*compiled += strstr(line, "--version") == NULL;
	}
	fclose(file);
	unlink(path);
}

typedef struct Made {
	char how[8], key[65], warnings[1024];
	char *texts[5];
	unsigned ptxas, asked, registers, shared;
} Made;
static const char *const stages[5] = {"ttir", "ttgir", "llir", "ptx", "source"};

static void made_free(Made *made)
{
	for (int i = 0; i < 5; i++)
		neso_text_free(made->texts[i]);
}

static Made make(Kit *kit, const char *path, const char *text, const char *kernel_name, const char *signature, bool texts)
{
	Made made;
	memset(&made, 0, sizeof made);
	neso_module *module;
	neso_kernel *kernel;
	neso_variant *variant;
	neso_diagnostics *found;
	neso_compile_options options = {.size = sizeof options, .target = "sm_80"};
	fresh(kit);
	assert_int_equal(neso_module_load_text(kit->context, path, text, strlen(text), &module, NULL), NESO_OK);
	assert_int_equal(neso_module_find(module, kernel_name, &kernel, NULL), NESO_OK);
	neso_status status = neso_kernel_compile(kernel, signature, &options, &variant, &found);
	snprintf(made.warnings, sizeof made.warnings, "%s", neso_diagnostics_text(found));
	if (status != NESO_OK)
		print_error("%s\n", made.warnings);
	assert_int_equal(status, NESO_OK);
	neso_variant_info info = {.size = sizeof info};
	assert_int_equal(neso_variant_get_info(variant, &info), NESO_OK);
	snprintf(made.how, sizeof made.how, "%s", info.cache);
	snprintf(made.key, sizeof made.key, "%s", info.cache_key ? info.cache_key : "");
	made.registers = info.registers;
	made.shared = info.shared;
	for (int i = 0; texts && i < 5; i++)
		assert_int_equal(neso_variant_text(variant, stages[i], &made.texts[i], NULL), NESO_OK);
	runs(kit, &made.ptxas, &made.asked);
	neso_diagnostics_free(found);
	neso_module_free(module);
	return made;
}

static Made simple(Kit *kit, const char *text)
{
	return make(kit, "k.py", text, "kernel", "*fp32:16, *fp32:16, i32, 64", false);
}

/* The source with one piece changed. */
static char *changed(const char *from, const char *to)
{
	const char *at = strstr(source, from);
	assert_non_null(at);
	size_t size = strlen(source) + strlen(to) + 1;
	char *text = malloc(size);
	snprintf(text, size, "%.*s%s%s", (int)(at - source), source, to, at + strlen(from));
	return text;
}

static Made with(Kit *kit, const char *from, const char *to)
{
	char *text = changed(from, to);
	Made made = simple(kit, text);
	free(text);
	return made;
}

/* ---- hits ---- */

static void a_new_process_finds_it(void **state)
{
	Kit *kit = *state;
	Made first = make(kit, "k.py", source, "kernel", "*fp32:16, *fp32:16, i32, 64", true);
	assert_string_equal(first.how, "miss");
	assert_int_equal(first.ptxas, 1);
	assert_int_equal(first.asked, 1);
	Made again = make(kit, "k.py", source, "kernel", "*fp32:16, *fp32:16, i32, 64", true);
	assert_string_equal(again.how, "hit");
	assert_string_equal(again.key, first.key);
	assert_int_equal(again.ptxas, 0);
	assert_int_equal(again.asked, 1); /* what a script runs does not show in its content */
	assert_int_equal(again.registers, first.registers);
	assert_int_equal(again.shared, first.shared);
	for (int i = 0; i < 5; i++)
		assert_string_equal(again.texts[i], first.texts[i]);
	made_free(&first);
	made_free(&again);
}

static void what_does_not_matter_does_not(void **state)
{
	Kit *kit = *state;
	assert_string_equal(simple(kit, source).how, "miss");
	assert_string_equal(with(kit, "import os\n", "import os\nx = 1\n\n\n\ndef host():\n    pass\n").how, "hit");
	assert_string_equal(with(kit, "    return x", "    # twice\n    return    x").how, "hit");
	assert_string_equal(with(kit, "    return x", "    '''Doubles it.'''\n    return (x)").how, "hit");
	assert_string_equal(with(kit, "    tl.store(p + tl.arange(0, B), 1.0)", "    tl.store(p + tl.arange(0, B), 3.0)").how, "hit");
	assert_string_equal(make(kit, "/elsewhere/name.py", source, "kernel", "*fp32:16, *fp32:16, i32, 64", false).how, "hit");
}

static void what_matters_does(void **state)
{
	Kit *kit = *state;
	assert_string_equal(simple(kit, source).how, "miss");
	assert_string_equal(make(kit, "k.py", source, "other", "*fp32:16, 64", false).how, "miss");
	assert_string_equal(with(kit, "constexpr(2)", "constexpr(3)").how, "miss");
	assert_string_equal(with(kit, "return x *", "return x +").how, "miss");
	assert_string_equal(with(kit, "i < n)), mask", "i <= n)), mask").how, "miss");
	assert_string_equal(make(kit, "k.py", source, "kernel", "*fp32:16, *fp32:16, i32:16, 64", false).how, "miss");
	assert_string_equal(make(kit, "k.py", source, "kernel", "*fp16:16, *fp32:16, i32, 64", false).how, "miss");
	assert_string_equal(make(kit, "k.py", source, "kernel", "*fp32:16, *fp32:16, i32, 128", false).how, "miss");
	/* Another kernel of the file does not read what was changed. */
	char *text = changed("constexpr(2)", "constexpr(3)");
	assert_string_equal(make(kit, "k.py", text, "other", "*fp32:16, 64", false).how, "hit");
	free(text);
	assert_string_equal(simple(kit, source).how, "hit");
}

/* Other names of local variables are another key, and the same PTX. */
static void equal_ptx_is_assembled_once(void **state)
{
	Kit *kit = *state;
	assert_int_equal(simple(kit, source).ptxas, 1);
	char *text = changed("def helper(x):\n    return x *", "def helper(z):\n    return z *");
	Made made = simple(kit, text);
	free(text);
	assert_string_equal(made.how, "miss");
	assert_int_equal(made.ptxas, 0);
}

/* ---- switches ---- */

static void the_environment_switches_it(void **state)
{
	Kit *kit = *state;
	setenv("TRITON_DISABLE_CACHE", "1", 1);
	assert_string_equal(simple(kit, source).how, "off");
	unsetenv("TRITON_DISABLE_CACHE");
	assert_string_equal(simple(kit, source).how, "miss");
	setenv("TRITON_ALWAYS_COMPILE", "1", 1);
	Made made = simple(kit, source);
	assert_string_equal(made.how, "miss");
	assert_int_equal(made.ptxas, 1);
	unsetenv("TRITON_ALWAYS_COMPILE");
	assert_string_equal(simple(kit, source).how, "hit");
	setenv("NESO_CACHE_POSITION", "1", 1);
	assert_string_equal(simple(kit, source).how, "miss");
	assert_string_equal(with(kit, "import os\n", "import os\n\n").how, "miss");
	unsetenv("NESO_CACHE_POSITION");
	assert_string_equal(with(kit, "import os\n", "import os\n\n").how, "hit");
}

/* Texts are made again where they are not kept. */
static void binaries_alone_can_be_kept(void **state)
{
	Kit *kit = *state;
	setenv("TRITON_STORE_BINARY_ONLY", "1", 1);
	Made first = make(kit, "k.py", source, "kernel", "*fp32:16, *fp32:16, i32, 64", true);
	Made again = make(kit, "k.py", source, "kernel", "*fp32:16, *fp32:16, i32, 64", true);
	unsetenv("TRITON_STORE_BINARY_ONLY");
	assert_string_equal(again.how, "hit");
	for (int i = 0; i < 5; i++)
		assert_string_equal(again.texts[i], first.texts[i]);
	assert_int_equal(again.ptxas, 0);
	made_free(&first);
	made_free(&again);
}

/* ---- trouble ---- */

static void damage(Kit *kit, const char *kind, const char *what)
{
	char command[256];
	snprintf(command, sizeof command, "for f in '%s'/cache/neso-1/%s/*/*; do %s; done", kit->dir, kind, what);
	assert_int_equal(system(command), 0);
}

static void damaged_entries_are_made_again(void **state)
{
	Kit *kit = *state;
	simple(kit, source);
	damage(kit, "variant", "head -c 3000 /dev/zero | dd of=\"$f\" bs=1 seek=1000 conv=notrunc 2>/dev/null");
	damage(kit, "cubin", "printf xyz >\"$f\"");
	Made made = simple(kit, source);
	assert_string_equal(made.how, "miss");
	assert_int_equal(made.ptxas, 1);
	assert_non_null(strstr(made.warnings, "of the compile cache is damaged: "));
	assert_non_null(strstr(made.warnings, "it is made again"));
	made = simple(kit, source);
	assert_string_equal(made.how, "hit");
	assert_string_equal(made.warnings, "");
}

/* An entry whose checksums hold and whose facts are any text: as a server or a pack may hand it over. */
static void any_facts_are_taken_or_refused(void **state)
{
	enum { ROUNDS = 80 };
	static const char pieces[] = "0123456789 \n-_abcdefghijklmnopqrstuvwxyz4294967295";
	Kit *kit = *state;
	char dir[96];
	uint32_t seed = 12345, hits = 0;
	CacheDigest key;
	Made made = simple(kit, source);
	assert_true(cache_digest_read(made.key, strlen(made.key), &key));
	snprintf(dir, sizeof dir, "%s/cache", kit->dir);
	CacheOptions options = {.dir = dir};
	CacheStore *store = cache_store_new(&options);
	Arena arena;
	arena_init(&arena, 0);
	CacheEntry entry;
	const char *why;
	assert_true(cache_get(store, CACHE_VARIANT, &key, &arena, &entry, NULL));
	CacheSection sections[CACHE_SECTIONS];
	size_t facts = 0;
	for (uint32_t i = 0; i < entry.count; i++) {
		sections[i].name = entry.sections[i].name;
		assert_true(cache_entry_section(&entry, sections[i].name, &arena, &sections[i].bytes, &why));
		facts = strcmp(sections[i].name, "facts") == 0 ? i : facts;
	}
	Str good = sections[facts].bytes;
	for (int round = 0; round < ROUNDS; round++) {
		char *text = arena_strndup(&arena, good.ptr, good.len);
		size_t len = good.len;
		for (int edits = 1 + round % 3; edits > 0; edits--) {
			seed = seed * 1664525u + 1013904223u;
			text[(seed >> 8) % len] = pieces[(seed >> 3) % (sizeof pieces - 1)];
			len -= seed >> 28 == 0 ? (seed >> 8) % len / 2 : 0;
		}
		sections[facts].bytes = (Str){text, len};
		assert_true(cache_put(store, CACHE_VARIANT, &key, cache_entry_write(&arena, &key, sections, entry.count)));
		made = simple(kit, source);
		hits += strcmp(made.how, "hit") == 0;
		if (strcmp(made.how, "hit") != 0)
			assert_non_null(strstr(made.warnings, "what it says of the kernel makes no sense"));
	}
	assert_in_range(hits, 1, ROUNDS - 1);
	cache_store_free(store);
	arena_free(&arena);
}

/* What a folder of this process could not do is no warning of the code, and not kept with it. */
static void trouble_of_folders_is_not_stored(void **state)
{
	Kit *kit = *state;
	setenv("NESO_DUMP", "/dev/null", 1);
	Made made = simple(kit, source);
	assert_string_equal(made.how, "miss");
	assert_non_null(strstr(made.warnings, "the stages of kernel cannot be dumped to /dev/null"));
	unsetenv("NESO_DUMP");
	made = simple(kit, source);
	assert_string_equal(made.how, "hit");
	assert_null(strstr(made.warnings, "dumped"));
	setenv("NESO_CACHE_RO", "/nowhere/at/all", 1);
	made = simple(kit, source); /* DIAG_CACHE_LAYER */
	unsetenv("NESO_CACHE_RO");
	assert_non_null(strstr(made.warnings,
			       "NESO_CACHE_RO: nothing is taken from /nowhere/at/all: no folder is there"));
}

static void trouble_is_told_once(void **state)
{
	Kit *kit = *state;
	char path[96];
	simple(kit, source);
	snprintf(path, sizeof path, "%s/cache/neso-1", kit->dir);
	chmod(path, 0777);
	Made made = simple(kit, source);
	assert_string_equal(made.how, "miss");
	assert_non_null(strstr(made.warnings, "is not used, as others can write to it")); /* DIAG_CACHE_OPEN */
	assert_ptr_equal(strstr(strstr(made.warnings, "others can write to it") + 1, "warning:"), NULL);
	damage(kit, "..", "true");
	char command[160];
	snprintf(command, sizeof command, "rm -rf '%s/cache' && touch '%s/cache'", kit->dir, kit->dir);
	assert_int_equal(system(command), 0);
	made = simple(kit, source); /* DIAG_CACHE_UNUSABLE */
	assert_string_equal(made.how, "miss");
	assert_non_null(strstr(made.warnings, "cannot be used: Not a directory; results are kept in memory alone"));
	setenv("NESO_CACHE_MAX_SIZE", "many", 1);
	made = simple(kit, source); /* DIAG_CACHE_VARIABLE, DIAG_CACHE_DAMAGED above */
	assert_non_null(strstr(made.warnings, "NESO_CACHE_MAX_SIZE is 'many', which is no number; the preset is used"));
	unsetenv("NESO_CACHE_MAX_SIZE");
}

/* ---- dumps and overrides ---- */

static char *read_text(const char *path)
{
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	char *text = calloc(1, 1 << 20);
	assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
	fclose(file);
	return text;
}

/* DUMP/SOURCE/kernel.STAGE, by a pattern of the shell. */
static void find_dump(const Kit *kit, const char *folder, const char *stage, char out[256])
{
	char command[256];
	snprintf(command, sizeof command, "ls -d %s/%s/*/kernel.%s", kit->dir, folder, stage);
	FILE *pipe = popen(command, "r");
	if (fscanf(pipe, "%255s", out) != 1)
		fail_msg("no dump of %s", stage);
	pclose(pipe);
}

/* Dumps with another scale into override/, where it takes the place of what the source says. */
static void dump_changed(Kit *kit, const char *stage, const char *from, const char *to)
{
	char path[256], command[2048];
	snprintf(path, sizeof path, "%s/dump", kit->dir);
	setenv("TRITON_KERNEL_DUMP", "1", 1);
	setenv("TRITON_DUMP_DIR", path, 1);
	simple(kit, source);
	unsetenv("TRITON_KERNEL_DUMP");
	find_dump(kit, "dump", stage, path);
	snprintf(command, sizeof command,
		 "rm -rf %s/override; mkdir -p %s/override/$(basename $(dirname %s)) && sed 's/%s/%s/' %s "
		 ">%s/override/$(basename $(dirname %s))/kernel.%s",
		 kit->dir, kit->dir, path, from, to, path, kit->dir, path, stage);
	assert_int_equal(system(command), 0);
	snprintf(path, sizeof path, "%s/override", kit->dir);
	setenv("TRITON_OVERRIDE_DIR", path, 1);
}

static void stages_are_dumped(void **state)
{
	static const char *const expected[][2] = {
		{"source", "def helper"}, {"ttir", "tt.store"}, {"ttgir", "#ttg."}, {"llir", "define"},
		{"ptx", ".entry kernel"}, {"cubin", "\177ELF"}, {"json", "\"registers\": "},
	};
	Kit *kit = *state;
	char path[256];
	dump_changed(kit, "ttir", "x", "x");
	for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
		find_dump(kit, "dump", expected[i][0], path);
		char *text = read_text(path);
		if (!strstr(text, expected[i][1]))
			fail_msg("%s: no '%s'", path, expected[i][1]);
		free(text);
	}
	/* The folder stays the same whatever the kernel is compiled for. */
	setenv("TRITON_KERNEL_DUMP", "1", 1);
	make(kit, "k.py", source, "kernel", "*fp16, *fp32:16, i32, 128", false);
	snprintf(path, sizeof path, "test $(ls %s/dump | wc -l) = 1", kit->dir);
	assert_int_equal(system(path), 0);
	snprintf(path, sizeof path, "%s/ptxas/x", kit->dir);
	setenv("TRITON_DUMP_DIR", path, 1);
	assert_non_null(strstr(simple(kit, source).warnings, "cannot be dumped to")); /* DIAG_CACHE_DUMP */
	unsetenv("TRITON_KERNEL_DUMP");
	unsetenv("TRITON_DUMP_DIR");
}

static void a_stage_is_overridden(Kit *kit, const char *stage, const char *from, const char *to, const char *seen)
{
	dump_changed(kit, stage, from, to);
	setenv("TRITON_KERNEL_OVERRIDE", "1", 1);
	Made made = make(kit, "k.py", source, "kernel", "*fp32:16, *fp32:16, i32, 64", true);
	assert_string_equal(made.how, "miss");
	if (!strstr(made.texts[3], seen))
		fail_msg("%s: no '%s' in\n%s", stage, seen, made.texts[3]);
	made_free(&made);
	made = simple(kit, source);
	assert_string_equal(made.how, "hit");
	unsetenv("TRITON_KERNEL_OVERRIDE");
	made = make(kit, "k.py", source, "kernel", "*fp32:16, *fp32:16, i32, 64", true);
	assert_string_equal(made.how, "hit");
	assert_null(strstr(made.texts[3], seen));
	made_free(&made);
}

static void stages_are_overridden(void **state)
{
	Kit *kit = *state;
	/* 2.0 becomes 8.0, or the multiplication's operand a sum of itself */
	a_stage_is_overridden(kit, "ttir", "2\\.0*e+00", "8.0e+00", "0f41000000");
	a_stage_is_overridden(kit, "ttgir", "2\\.0*e+00", "8.0e+00", "0f41000000");
	a_stage_is_overridden(kit, "ptx", "^\\(.*\\)ret;", "\\1\\/\\/ mine\\n\\1ret;", "// mine");
	/* PTX that says nothing of how it is launched: the compiler does. */
	a_stage_is_overridden(kit, "ptx", "^.. neso: .*", "\\/\\/ theirs", "// theirs");
}

static void one_file_overrides(void **state)
{
	Kit *kit = *state;
	char path[256];
	dump_changed(kit, "ptx", "^.. neso: .*", "\\/\\/ theirs");
	find_dump(kit, "override", "ptx", path);
	setenv("TRITON_KERNEL_OVERRIDE", path, 1);
	Made made = make(kit, "k.py", source, "kernel", "*fp32:16, *fp32:16, i32, 64", true);
	assert_non_null(strstr(made.texts[3], "// theirs"));
	made_free(&made);
	made = make(kit, "k.py", source, "other", "*fp32:16, 64", true);
	assert_null(strstr(made.texts[3], "// theirs"));
	made_free(&made);
	/* A cubin: what is loaded is the file. */
	find_dump(kit, "dump", "cubin", path);
	setenv("TRITON_KERNEL_OVERRIDE", path, 1);
	made = simple(kit, source);
	assert_string_equal(made.how, "miss");
	assert_int_equal(made.ptxas, 0);
	unsetenv("TRITON_KERNEL_OVERRIDE");
}

static void what_does_not_fit_is_refused(void **state)
{
	static const char other[] = "import triton\nimport triton.language as tl\n"
				    "@triton.jit\ndef kernel(p, n):\n    tl.store(p, n)\n";
	Kit *kit = *state;
	char path[256];
	neso_module *module;
	neso_kernel *kernel;
	neso_variant *variant;
	neso_diagnostics *found;
	neso_compile_options options = {.size = sizeof options, .target = "sm_80"};
	dump_changed(kit, "ttir", "x", "x");
	find_dump(kit, "dump", "ttir", path);
	for (int i = 0; i < 2; i++) {
		fresh(kit);
		setenv("TRITON_KERNEL_OVERRIDE", path, 1);
		assert_int_equal(neso_module_load_text(kit->context, "o.py", other, strlen(other), &module, NULL), NESO_OK);
		assert_int_equal(neso_module_find(module, "kernel", &kernel, NULL), NESO_OK);
		assert_int_equal(neso_kernel_compile(kernel, "*i32, i32", &options, &variant, &found), NESO_ERROR_SOURCE);
		assert_string_equal(neso_diagnostics_get(found, 0)->code, i ? "OVERRIDE_CUBIN" : "OVERRIDE_ARGUMENTS");
		neso_diagnostics_free(found);
		neso_module_free(module);
		/* a text under the name of a cubin, with the function's name between zeroes */
		snprintf(path, sizeof path, "%s/x.cubin", kit->dir);
		FILE *file = fopen(path, "w");
		assert_int_equal(fwrite("no cubin\0kernel\0.", 1, 18, file), 18);
		fclose(file);
	}
	unsetenv("TRITON_KERNEL_OVERRIDE");
}

int main(void)
{
	if (getenv("NESO_BUILD"))
		setenv("NESO_CODEGEN_PATH", getenv("NESO_BUILD"), 0);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_new_process_finds_it, setup, teardown),
		cmocka_unit_test_setup_teardown(what_does_not_matter_does_not, setup, teardown),
		cmocka_unit_test_setup_teardown(what_matters_does, setup, teardown),
		cmocka_unit_test_setup_teardown(equal_ptx_is_assembled_once, setup, teardown),
		cmocka_unit_test_setup_teardown(the_environment_switches_it, setup, teardown),
		cmocka_unit_test_setup_teardown(binaries_alone_can_be_kept, setup, teardown),
		cmocka_unit_test_setup_teardown(damaged_entries_are_made_again, setup, teardown),
		cmocka_unit_test_setup_teardown(any_facts_are_taken_or_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(trouble_of_folders_is_not_stored, setup, teardown),
		cmocka_unit_test_setup_teardown(trouble_is_told_once, setup, teardown),
		cmocka_unit_test_setup_teardown(stages_are_dumped, setup, teardown),
		cmocka_unit_test_setup_teardown(stages_are_overridden, setup, teardown),
		cmocka_unit_test_setup_teardown(one_file_overrides, setup, teardown),
		cmocka_unit_test_setup_teardown(what_does_not_fit_is_refused, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
