/* Assembling: what ptxas reports, limits of registers, its errors on lines of the PTX, options, fat binaries, the
 * disassembler, and the driver's compiler. Scripts stand in for ptxas; what needs the real one is skipped where
 * there is none. */
#include "nv_tools_kit.h"

#include <errno.h>

static void report_is_read(void **state)
{
	(void)state;
	ToolKit t;
	NvCubin cubin;
	tools_open(&t, FIND_FILES WRITE_CUBIN "cat <<'E'\n"
		       "ptxas info    : 0 bytes gmem\n"
		       "ptxas info    : Compiling entry function 'other' for 'sm_80'\n"
		       "ptxas info    : Function properties for other\n"
		       "    8 bytes stack frame, 9 bytes spill stores, 10 bytes spill loads\n"
		       "ptxas info    : Used 255 registers, used 1 barriers, 11 bytes smem\n"
		       "ptxas info    : Compiling entry function 'kernel' for 'sm_80'\n"
		       "ptxas info    : Function properties for kernel\n"
		       "    40 bytes stack frame, 12 bytes spill stores, 16 bytes spill loads\n"
		       "ptxas info    : Used 168 registers, used 2 barriers, 40 bytes cumulative stack size, 4096 bytes smem, 380 bytes cmem[0]\n"
		       "ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized\n"
		       "ptxas warning : Too big maxrregcount value specified 300, will be ignored\n"
		       "ptxas $in, line 9; warning : Value of threads per SM is out of range\n"
		       "E\n");
	assert_true(assemble(&t, ptx_text, &cubin));
	assert_int_equal(cubin.registers, 168);
	assert_int_equal(cubin.stack, 40);
	assert_int_equal(cubin.spill_stores, 12);
	assert_int_equal(cubin.spill_loads, 16);
	assert_int_equal(cubin.shared, 4096);
	assert_int_equal(cubin.len, 84);
	assert_memory_equal(cubin.data, "\177ELF", 4);
	assert_non_null(strstr(cubin.log, "0 bytes gmem"));
	const Diag *d = t.kit.diags.first;
	assert_int_equal(t.kit.diags.warnings, 2 + (d->next->next != NULL));
	assert_int_equal(d->code, DIAG_PTXAS_ADVICE);
	assert_non_null(strstr(d->text, "(C7510)"));
	assert_int_equal(d->next->code, DIAG_PTXAS_WARNING);
	assert_non_null(strstr(d->next->text, "maxrregcount"));
	nv_cubin_free(&cubin);
	tools_close(&t);
}

/* What the script says of the kernel: `low` at first, `high` where the PTX holds `limit`; each run is counted. */
static const char *said_of_products = "";

static void expect_limit(const char *directives, const char *limit, const char *low, const char *high, unsigned runs, unsigned registers)
{
	ToolKit t;
	NvCubin cubin;
	char text[1024], body[2048];
	snprintf(text, sizeof text, ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry kernel_of(.param .u64 p)\n.reqntid 64\n{ ret; }\n"
		 ".visible .entry kernel(\n.param .u64 p)\n%s\n{\nret;\n}\n", directives);
	snprintf(body, sizeof body, "%s echo run >>${0%%/*}/runs\n"
		 "if grep -q '%s' $in; then set -- %s; else set -- %s; fi\n"
		 "[ $1 != fails ] || { echo 'ptxas error   : no'; exit 255; }\n"
		 "echo \"ptxas info    : Compiling entry function 'kernel' for 'sm_80'\"\n"
		 "echo 'ptxas info    : Function properties for kernel'\n"
		 "frame=$([ $2 = 0 ] && echo 0 || echo 40)\n"
		 "echo \"    $frame bytes stack frame, $2 bytes spill stores, $2 bytes spill loads\"\n"
		 "echo \"ptxas info    : Used $1 registers\"\n%s",
		 FIND_FILES WRITE_CUBIN, limit, high, low, said_of_products);
	tools_open(&t, body);
	assert_true(assemble(&t, text, &cubin));
	if (!*said_of_products)
		kit_clean(&t.kit);
	assert_int_equal(cubin.registers, registers);
	char path[128];
	snprintf(path, sizeof path, "%s/runs", t.folder);
	FILE *file = fopen(path, "r");
	unsigned count = 0;
	for (int c; (c = fgetc(file)) != EOF;)
		count += c == '\n';
	fclose(file);
	assert_int_equal(count, runs);
	nv_cubin_free(&cubin);
	tools_close(&t);
}

/* Registers that are there and not used while the kernel spills: a second run is told of them. */
static void spills_get_registers(void **state)
{
	(void)state;
	expect_limit(".reqntid 128", "^.reqntid 128 .maxnreg 255$", "32 9000", "255 800", 2, 255);
	expect_limit(".reqntid 64, 8, 1", "^.reqntid 64, 8, 1 .maxnreg 128$", "40 900", "128 8", 2, 128);
	expect_limit(".reqntid 1024", "^.reqntid 1024 .maxnreg 64$", "32 900", "64 8", 2, 64);
	expect_limit(".reqntid 128", ".maxnreg 255", "32 9000", "255 9001", 2, 32);  /* no better */
	expect_limit(".reqntid 128", ".maxnreg 255", "32 9000", "fails 0", 2, 32);
	expect_limit(".reqntid 128", ".maxnreg 255", "32 0", "255 0", 1, 32);	     /* no spills */
	expect_limit(".reqntid 128", ".maxnreg 255", "200 9000", "255 0", 1, 200);   /* it had nearly all */
	expect_limit(".reqntid 512", ".maxnreg", "128 9000", "255 0", 1, 128);	     /* it had all of them */
	expect_limit(".reqntid 128\n.maxnreg 32", ".maxnreg 255", "32 9000", "255 0", 1, 32);
	expect_limit(".maxntid 128", ".maxnreg 255", "32 9000", "255 0", 1, 32);
}

#define WAITS \
	" wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0; wgmma.fence.sync.aligned;"

/* Products that ptxas puts one after the other are assembled again with waits between, on the same
 * lines. */
static void serial_products_wait(void **state)
{
	static const char products[] =
		".reqntid 128\n{ wgmma.mma_async.m64 a; wgmma.mma_async.m64 b;}";
	static const char waits[] =
		"^{ wgmma.mma_async.m64 a;" WAITS " wgmma.mma_async.m64 b;" WAITS "}$";
	(void)state;
	expect_limit(products, waits, "24 0", "32 0", 1, 24);
	said_of_products = "echo 'ptxas info    : (C7511) wgmma.mma_async instructions are serialized'\n";
	expect_limit(products, waits, "24 0", "32 0", 2, 32);
	/* The first is ended once it has said so. */
	said_of_products = "echo 'ptxas info    : (C7515) wgmma.mma_async instructions are serialized'\n"
			   "[ $1 = 32 ] || exec sleep 900\n";
	expect_limit(products, waits, "24 0", "32 0", 2, 32);
	said_of_products = "";
}

#define PRODUCT "\n{ mma.sync.aligned.m16n8k16; }"

/* A few registers less that leave room for another CTA: on sm_80, 65536 registers and 64 warps. */
static void steps_of_ctas(void **state)
{
	(void)state;
	expect_limit(".reqntid 128", "^.reqntid 128 .maxnreg 128$", "133 0", "126 0", 2, 126);
	expect_limit(".reqntid 128", ".maxnreg 64", "66 0", "64 0", 2, 64);
	expect_limit(".reqntid 256", ".maxnreg 128", "136 0", "128 0", 2, 128);
	expect_limit(".reqntid 128", ".maxnreg", "133 0", "126 8", 2, 133);   /* spills */
	expect_limit(".reqntid 128", ".maxnreg", "133 0", "133 0", 2, 133);   /* no CTA more */
	expect_limit(".reqntid 128", ".maxnreg", "133 0", "fails 0", 2, 133);
	expect_limit(".reqntid 128", ".maxnreg", "160 0", "128 0", 1, 160);   /* too far */
	/* Three for two. */
	expect_limit(".reqntid 128", "^.reqntid 128 .maxnreg 168$", "180 0", "168 12", 2, 168);
	expect_limit(".reqntid 128", ".maxnreg 168", "180 0", "168 0", 2, 168);
	expect_limit(".reqntid 128", ".maxnreg 168", "180 0", "168 20", 2, 180);  /* too many words */
	expect_limit(".reqntid 128", ".maxnreg", "194 0", "168 0", 1, 194);	  /* too far */
	expect_limit(".reqntid 128" PRODUCT, "^.reqntid 128 .maxnreg 168$", "255 0", "168 0", 2, 168);
	expect_limit(".reqntid 256" PRODUCT, "^.reqntid 256 .maxnreg 128$", "200 0", "128 0", 2, 128);
	expect_limit(".reqntid 256" PRODUCT, ".maxnreg", "216 0", "128 0", 1, 216); /* too far */
	expect_limit(".reqntid 128", ".maxnreg", "255 0", "168 0", 1, 255); /* and without products */
	/* Four for three, two steps away. */
	expect_limit(".reqntid 128", ".maxnreg", "140 0", "128 0", 1, 140);
	expect_limit(".reqntid 128", ".maxnreg", "128 0", "120 0", 1, 128);   /* no step there */
	expect_limit(".reqntid 128", ".maxnreg", "32 0", "24 0", 1, 32);      /* as many warps as there are */
	expect_limit(".reqntid 128\n.minnctapersm 2", ".maxnreg", "133 0", "126 0", 1, 133);
	expect_limit(".reqntid 128\n.maxnreg 200", ".maxnreg 128", "133 0", "126 0", 1, 133);
	/* What is advised against loses: nobody waits for its end. */
	said_of_products = "[ $1 = 133 ] || { echo 'ptxas info    : (C7520) registers'; exec sleep 900; }\n";
	expect_limit(".reqntid 128", ".maxnreg 128", "133 0", "126 0", 2, 133);
	said_of_products = "";
}

static void warning_on_a_line(void **state)
{
	(void)state;
	ToolKit t;
	NvCubin cubin;
	tools_open(&t, FIND_FILES WRITE_CUBIN "echo \"ptxas $in, line 12; warning : odd store in $in\"");
	assert_true(assemble(&t, ptx_text, &cubin));
	const Diag *d = t.kit.diags.first;
	assert_int_equal(d->code, DIAG_PTXAS_WARNING);
	assert_string_equal(d->path, "kernel.ptx");
	assert_string_equal(d->text, "ptxas: odd store in kernel.ptx");
	assert_int_equal(d->from.line, 12);
	assert_int_equal(d->from.col, 2);
	assert_string_equal(d->line_text, "\tst.global.u32 [%rd1], %r1;");
	assert_string_equal(d->notes->path, "/src/add.py");
	assert_int_equal(d->notes->from.line, 13);
	assert_int_equal(d->notes->from.col, 5);
	nv_cubin_free(&cubin);
	tools_close(&t);
}

static void errors_of_ptxas(void **state)
{
	(void)state;
	ToolKit t;
	NvCubin cubin;
	tools_open(&t, FIND_FILES "echo \"ptxas $in, line 10; error   : Unknown symbol '%r9'\" >&2\n"
		       "echo 'ptxas fatal   : Ptx assembly aborted due to errors'; exit 255");
	assert_false(assemble(&t, ptx_text, &cubin));
	assert_null(cubin.data);
	kit_expect(&t.kit, DIAG_PTXAS_ERROR,
		   "kernel.ptx:10:2: error: ptxas: Unknown symbol '%r9'\n    \tmov.u32 %r1, %tid.x;\n    \t^\n"
		   "/src/add.py:12:9: note: this line of the PTX was made for");
	tools_close(&t);
	tools_open(&t, "echo \"ptxas fatal   : Value 'sm_80' is not defined for option 'gpu-name'\"; exit 1");
	assert_false(assemble(&t, ptx_text, &cubin));
	kit_expect(&t.kit, DIAG_PTXAS_ERROR, "kernel.ptx: error: ptxas: Value 'sm_80' is not defined");
	tools_close(&t);
}

static void failures_without_an_error(void **state)
{
	(void)state;
	static const struct {
		const char *body, *said;
	} rows[] = {
		{"echo strange; exit 3", "failed: exit status 3\nnote: it said: strange"},
		{"kill -SEGV $$", "failed: signal 11 ended it"},
		{"exit 0", "failed: it wrote no cubin"},
		{FIND_FILES "echo garbage >$out", "failed: what it wrote is no cubin"},
		{FIND_FILES WRITE_CUBIN "exit 1", "failed: exit status 1"},
		{"head -c 300000 /dev/urandom; exit 9", "failed: exit status 9"},
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		ToolKit t;
		NvCubin cubin;
		tools_open(&t, rows[i].body);
		assert_false(assemble(&t, ptx_text, &cubin));
		kit_expect(&t.kit, DIAG_PTXAS_FAILED, rows[i].said);
		tools_close(&t);
	}
}

static void ptxas_that_cannot_run(void **state)
{
	(void)state;
	ToolKit t;
	NvCubin cubin;
	tools_open(&t, NULL);
	assert_false(assemble(&t, ptx_text, &cubin));
	kit_expect(&t.kit, DIAG_PTXAS_MISSING, "/ptxas is not a program");
	FILE *file = fopen(t.ptxas, "w");
	fputs("#!/no/such/interpreter\n", file);
	fclose(file);
	chmod(t.ptxas, 0755);
	assert_false(assemble(&t, ptx_text, &cubin));
#ifdef __SANITIZE_THREAD__ /* makes a fork of vfork, and the child keeps its errno */
	kit_expect(&t.kit, DIAG_PTXAS_FAILED, "exit status 127");
#else
	kit_expect(&t.kit, DIAG_PTXAS_START, "No such file or directory");
#endif
	tools_close(&t);
}

static void options_reach_it(void **state)
{
	(void)state;
	ToolKit t;
	NvCubin cubin;
	tools_open(&t, FIND_FILES WRITE_CUBIN "echo \"args: $*\"; wc -c <$in");
	NvAssemble how = how_of("sm_90a");
	how.line_info = how.no_fusion = true;
	setenv("PTXAS_OPTIONS", "  --warn-on-spills -w", 1);
	setenv("DISABLE_PTXAS_OPT", "1", 1);
	assert_true(nv_assemble(t.tools, str_of(ptx_text), &how, &cubin, &t.kit.diags));
	assert_non_null(strstr(cubin.log, "args: -v -arch=sm_90a -lineinfo -fmad=false -O0 --warn-on-spills -w "));
	char size[32];
	snprintf(size, sizeof size, "\n%zu", strlen(ptx_text));
	assert_non_null(strstr(cubin.log, size));
	nv_cubin_free(&cubin);
	/* What the environment adds is part of the identity. */
	const char *identity = nv_assembler_identity(t.tools, &how, &t.kit.arena, &t.kit.diags);
	assert_non_null(strstr(identity, "ptxas 12.8.93 "));
	assert_string_equal(strstr(identity, " -O0"), " -O0   --warn-on-spills -w");
	unsetenv("PTXAS_OPTIONS");
	setenv("DISABLE_PTXAS_OPT", "0", 1);
	identity = nv_assembler_identity(t.tools, &how, &t.kit.arena, &t.kit.diags);
	assert_true(strncmp(identity, "ptxas 12.8.93 ", 14) == 0 && !strchr(identity + 14, ' '));
	unsetenv("DISABLE_PTXAS_OPT");
	kit_clean(&t.kit);
	tools_close(&t);
}

static void drivers_compiler(void **state)
{
	(void)state;
	ToolKit t;
	NvCubin cubin;
	tools_open(&t, NULL);
	nv_tools_free(t.tools);
	NvToolsOptions options = {.ptxas = "driver"};
	t.tools = nv_tools_new(&options);
	NvAssemble how = how_of("sm_90a");
	assert_false(nv_assemble(t.tools, str_of(ptx_text), &how, &cubin, &t.kit.diags));
	kit_expect(&t.kit, DIAG_PTXAS_MISSING, "the driver's compiler was asked for, but there is no driver");
	how.driver = t.kit.driver;
	t.kit.fake->jit_info = "ptxas info    : Function properties for 'kernel'\n"
			       "ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
			       "ptxas info    : Used 12 registers, 400 bytes cmem[0]\n";
	assert_true(nv_assemble(t.tools, str_of(ptx_text), &how, &cubin, &t.kit.diags));
	kit_clean(&t.kit);
	assert_int_equal(cubin.registers, 12);
	assert_int_equal(t.kit.fake->jit_options, 0x10000 + 90);
	assert_memory_equal(cubin.data, "\177ELF", 4);
	nv_cubin_free(&cubin);
	assert_non_null(strstr(nv_assembler_identity(t.tools, &how, &t.kit.arena, &t.kit.diags), "driver 13.0"));
	assert_false(nv_takes_cubin_of(t.tools, &how, "ptxas 13.0.88", &t.kit.arena)); /* it was asked for */
	t.kit.fake->jit_error = "ptxas application ptx input, line 10; error   : Unknown symbol '%r9'\n"
				"ptxas fatal   : Ptx assembly aborted due to errors";
	t.kit.fake->fail_call = "cuLinkAddData";
	t.kit.fake->fail_result = CUDA_INVALID_PTX;
	assert_false(nv_assemble(t.tools, str_of(ptx_text), &how, &cubin, &t.kit.diags));
	kit_expect(&t.kit, DIAG_PTXAS_ERROR, "kernel.ptx:10:2: error: ptxas: Unknown symbol '%r9'");
	t.kit.fake->jit_error = NULL;
	t.kit.fake->fail_call = "cuLinkCreate";
	t.kit.fake->fail_result = CUDA_JIT_COMPILER_NOT_FOUND;
	assert_false(nv_assemble(t.tools, str_of(ptx_text), &how, &cubin, &t.kit.diags));
	kit_expect(&t.kit, DIAG_PTXAS_FAILED,
		   "the compiler of the NVIDIA driver failed: CUDA_ERROR_JIT_COMPILER_NOT_FOUND");
	assert_int_equal(t.kit.fake->link_states, 0);
	tools_close(&t);
}

/* The cubin goes through fatbinary, whose files stand inside an argument. */
static void fat_binaries(void **state)
{
	(void)state;
	ToolKit t;
	Str out = {0};
	char path[128];
	const TargetGpu *gpu = target_find("sm_90a");
	tools_open(&t, "exit 0");
	snprintf(path, sizeof path, "%s/fatbinary", t.folder);
	write_script(path, "{ echo \"$2 ${3%file=*}\"; cat \"${3##*file=}\"; } >\"${1#--create=}\"");
	assert_true(nv_fatbin(t.tools, STR("a cubin"), gpu, &out, &t.kit.diags));
	assert_true(str_is(out, "--compress-all --image3=kind=elf,sm=90a,\na cubin"));
	write_script(path, "echo 'fatbinary fatal: no cubin'; exit 1");
	assert_false(nv_fatbin(t.tools, STR("a cubin"), gpu, &out, &t.kit.diags));
	kit_expect(&t.kit, DIAG_PTXAS_FAILED, "no cubin");
	unlink(path);
	char *keep_path = strdup(getenv("PATH")), *home = getenv("CUDA_HOME"),
	     *kept = home ? strdup(home) : NULL;
	if (access("/usr/local/cuda/bin/fatbinary", X_OK) != 0) {
		setenv("PATH", "/no/such/folder", 1);
		unsetenv("CUDA_HOME");
		assert_false(nv_fatbin(t.tools, STR("a cubin"), gpu, &out, &t.kit.diags));
		kit_expect(&t.kit, DIAG_FATBINARY_MISSING, "no fatbinary: ");
	}
	setenv("PATH", keep_path, 1);
	if (kept)
		setenv("CUDA_HOME", kept, 1);
	free(keep_path);
	free(kept);
	tools_close(&t);
}

static void disassembler_missing_or_failing(void **state)
{
	(void)state;
	ToolKit t;
	Text out;
	char path[128];
	tools_open(&t, "exit 0");
	text_init(&out, &t.kit.arena);
	snprintf(path, sizeof path, "%s/nvdisasm", t.folder);
	write_script(path, "echo \"sass of $3\"");
	assert_true(nv_disassemble(t.tools, "x", 1, &out, &t.kit.diags));
	assert_non_null(strstr(out.data, "sass of /"));
	write_script(path, "echo 'nvdisasm fatal: not a cubin'; exit 1");
	assert_false(nv_disassemble(t.tools, "x", 1, &out, &t.kit.diags));
	kit_expect(&t.kit, DIAG_PTXAS_FAILED, "not a cubin");
	setenv("TRITON_NVDISASM_PATH", "/no/such/nvdisasm", 1);
	setenv("TRITON_CUOBJDUMP_PATH", "/no/such/cuobjdump", 1);
	assert_false(nv_disassemble(t.tools, "x", 1, &out, &t.kit.diags));
	kit_expect(&t.kit, DIAG_DISASSEMBLER_MISSING, "/no/such/cuobjdump is not a program");
	setenv("TRITON_CUOBJDUMP_PATH", path, 1);
	write_script(path, "echo \"other sass\"");
	assert_true(nv_disassemble(t.tools, "x", 1, &out, &t.kit.diags));
	assert_non_null(strstr(out.data, "other sass"));
	unsetenv("TRITON_NVDISASM_PATH");
	unsetenv("TRITON_CUOBJDUMP_PATH");
	unlink(path);
	char *keep_path = strdup(getenv("PATH")), *home = getenv("CUDA_HOME"), *kept = home ? strdup(home) : NULL;
	if (access("/usr/local/cuda/bin/nvdisasm", X_OK) != 0 && access("/usr/local/cuda/bin/cuobjdump", X_OK) != 0) {
		setenv("PATH", "/no/such/folder", 1);
		unsetenv("CUDA_HOME");
		assert_false(nv_disassemble(t.tools, "x", 1, &out, &t.kit.diags));
		kit_expect(&t.kit, DIAG_DISASSEMBLER_MISSING, "and PATH has none");
	}
	setenv("PATH", keep_path, 1);
	if (kept)
		setenv("CUDA_HOME", kept, 1);
	free(keep_path);
	free(kept);
	tools_close(&t);
}

static void real_ptxas(void **state)
{
	(void)state;
	Kit kit;
	NvCubin cubin;
	const char *path, *version;
	kit_open(&kit);
	NvTools *tools = nv_tools_new(NULL);
	if (!nv_tools_find(tools, "ptxas", &kit.arena, &path, &version)) {
		nv_tools_free(tools);
		kit_close(&kit);
		skip();
	}
	NvAssemble how = how_of("sm_90a");
	how.line_info = true;
	assert_true(nv_assemble(tools, str_of(ptx_text), &how, &cubin, &kit.diags));
	kit_clean(&kit);
	assert_true(cubin.registers >= 4 && cubin.registers <= 32 && cubin.spill_stores == 0 && cubin.len > 500);
	const char *nvdisasm;
	if (nv_tools_find(tools, "nvdisasm", &kit.arena, &nvdisasm, &version)) {
		Text sass;
		text_init(&sass, &kit.arena);
		assert_true(nv_disassemble(tools, cubin.data, cubin.len, &sass, &kit.diags));
		assert_non_null(strstr(sass.data, "STG.E"));
		assert_non_null(strstr(sass.data, "add.py"));
	}
	nv_cubin_free(&cubin);
	char *bad = arena_strdup(&kit.arena, ptx_text);
	memcpy(strstr(bad, "mov.u32 %r1"), "mov.u32 %q1", 11);
	assert_false(nv_assemble(tools, str_of(bad), &how, &cubin, &kit.diags));
	bool found = false;
	for (const Diag *d = kit.diags.first; d; d = d->next)
		found |= d->code == DIAG_PTXAS_ERROR && d->from.line == 10 && strstr(d->text, "%q1") && d->notes &&
			 d->notes->from.line == 12;
	assert_true(found);
	kit_forget(&kit);
	assert_false(nv_assemble(tools, STR("\001\002garbage\377"), &how, &cubin, &kit.diags));
	assert_true(kit.diags.errors >= 1);
	nv_tools_free(tools);
	kit_close(&kit);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(real_ptxas), /* in the user's environment; the others clear it */
		cmocka_unit_test(report_is_read),
		cmocka_unit_test(spills_get_registers),
		cmocka_unit_test(steps_of_ctas),
		cmocka_unit_test(serial_products_wait),
		cmocka_unit_test(warning_on_a_line),
		cmocka_unit_test(errors_of_ptxas),
		cmocka_unit_test(failures_without_an_error),
		cmocka_unit_test(ptxas_that_cannot_run),
		cmocka_unit_test(options_reach_it),
		cmocka_unit_test(drivers_compiler),
		cmocka_unit_test(fat_binaries),
		cmocka_unit_test(disassembler_missing_or_failing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
