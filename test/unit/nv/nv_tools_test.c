/* Assembling: the search for ptxas, its report, its errors on lines of the PTX, time limits, garbage, and the
 * driver's compiler. Scripts stand in for ptxas; what needs the real one is skipped where there is none. */
#include "folder.h"
#include "nv_kit.h"

#include <dirent.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

static const char ptx_text[] = ".version 8.0\n"
			       ".target sm_80\n"
			       ".address_size 64\n"
			       ".visible .entry kernel(.param .u64 p)\n"
			       "{\n"
			       "\t.reg .b64 %rd<4>;\n"
			       "\t.reg .b32 %r<4>;\n"
			       "\t.loc 1 12 9\n"
			       "\tld.param.u64 %rd1, [p];\n"
			       "\tmov.u32 %r1, %tid.x;\n"
			       "\t.loc 1 13 5\n"
			       "\tst.global.u32 [%rd1], %r1;\n"
			       "\tret;\n"
			       "}\n"
			       ".file 1 \"/src/add.py\"\n";

typedef struct ToolKit {
	Kit kit;
	char folder[64];
	char ptxas[128];
	NvTools *tools;
} ToolKit;

static void write_script(const char *path, const char *body)
{
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fprintf(file,
		"#!/bin/sh\n"
		"if [ \"$1\" = --version ]; then echo 'Cuda compilation tools, release 12.8, V12.8.93'; exit; fi\n"
		"%s\n",
		body);
	fclose(file);
	assert_int_equal(chmod(path, 0755), 0);
}

/* The last two arguments of a run of ptxas are "-o" and the output, before them the input. */
#define FIND_FILES "for a; do in=$mid; mid=$last; last=$a; done; out=$last; "
#define WRITE_CUBIN "{ printf '\\177ELF'; printf '%080d' 0; } >$out; "

static void tools_open(ToolKit *t, const char *body)
{
	static const char *const variables[] = {"TRITON_PTXAS_PATH", "TRITON_PTXAS_BLACKWELL_PATH", "NESO_PTXAS",
						"TRITON_NVDISASM_PATH", "TRITON_CUOBJDUMP_PATH", "PTXAS_OPTIONS",
						"DISABLE_PTXAS_OPT"};
	for (size_t i = 0; i < ARRAY_LEN(variables); i++)
		unsetenv(variables[i]);
	memset(t, 0, sizeof *t);
	kit_open(&t->kit);
	assert_non_null(test_folder(t->folder, sizeof t->folder, "test"));
	snprintf(t->ptxas, sizeof t->ptxas, "%s/ptxas", t->folder);
	if (body)
		write_script(t->ptxas, body);
	NvToolsOptions options = {.ptxas = t->ptxas, .timeout = 20};
	t->tools = nv_tools_new(&options);
}

static void tools_close(ToolKit *t)
{
	nv_tools_free(t->tools);
	DIR *folder = opendir(t->folder);
	for (struct dirent *e; folder && (e = readdir(folder));) {
		char path[512];
		snprintf(path, sizeof path, "%s/%s", t->folder, e->d_name);
		if (e->d_name[0] != '.')
			unlink(path);
	}
	closedir(folder);
	assert_int_equal(rmdir(t->folder), 0);
	kit_close(&t->kit);
}

static NvAssemble how_of(const char *target)
{
	return (NvAssemble){.target = target_find(target), .kernel = "kernel"};
}

static bool assemble(ToolKit *t, const char *text, NvCubin *cubin)
{
	NvAssemble how = how_of("sm_80");
	return nv_assemble(t->tools, str_of(text), &how, cubin, &t->kit.diags);
}

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
		 "echo \"ptxas info    : Used $1 registers\"\n", FIND_FILES WRITE_CUBIN, limit, high, low);
	tools_open(&t, body);
	assert_true(assemble(&t, text, &cubin));
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

static bool gone(pid_t pid)
{
	for (int i = 0; i < 500; i++) {
		if (kill(pid, 0) != 0)
			return true;
		nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
	}
	return false;
}

static void time_limit(void **state)
{
	(void)state;
	ToolKit t;
	NvCubin cubin;
	char body[256];
	tools_open(&t, NULL);
	/* A child of its own that keeps the output open is ended with it. */
	snprintf(body, sizeof body, "sleep 1000 & echo $! >%s/pid; sleep 1000", t.folder);
	write_script(t.ptxas, body);
	nv_tools_free(t.tools);
	NvToolsOptions options = {.ptxas = t.ptxas, .timeout = 0.5};
	t.tools = nv_tools_new(&options);
	assert_false(assemble(&t, ptx_text, &cubin));
	kit_expect(&t.kit, DIAG_PTXAS_TIMEOUT, "was ended: it took more than 0.5 s");
	char path[128];
	int pid = 0;
	snprintf(path, sizeof path, "%s/pid", t.folder);
	FILE *file = fopen(path, "r");
	assert_true(file && fscanf(file, "%d", &pid) == 1 && pid > 1);
	fclose(file);
	assert_true(gone(pid));
	tools_close(&t);
}

/* ---- descriptors ---- */

/* In a child, whose descriptors may be anything: `prepare` makes them so. The size of the input comes back,
 * and a cubin. */
static bool assembles_after(ToolKit *t, void (*prepare)(int what), int what)
{
	pid_t pid = fork();
	if (pid == 0) {
		NvCubin cubin;
		alarm(20); /* what hangs fails */
		prepare(what);
		bool ok = assemble(t, ptx_text, &cubin) && cubin.len == 84 && strtoul(cubin.log, NULL, 10) == strlen(ptx_text);
		_exit(ok ? 0 : 1);
	}
	int status;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status == 0;
}

/* Of the standard descriptors those of `set`. */
static void close_some(int set)
{
	for (int fd = 0; fd <= 2; fd++)
		if (set >> fd & 1)
			close(fd);
}

/* All but those below `lowest` are free. */
static void fill_below(int lowest)
{
	while (dup(2) < lowest - 1)
		continue;
	for (int fd = lowest; fd < lowest + 20; fd++)
		close(fd);
}

static void allow_files(int limit)
{
	setrlimit(RLIMIT_NOFILE, &(struct rlimit){(rlim_t)limit, (rlim_t)limit});
}

static void descriptors_of_the_host(void **state)
{
	(void)state;
	ToolKit t;
	tools_open(&t, FIND_FILES WRITE_CUBIN "wc -c <$in");
	for (int set = 0; set < 8; set++)
		if (!assembles_after(&t, close_some, set))
			fail_msg("with the descriptors %d (bits) closed", set);
	for (int lowest = 3; lowest < 205; lowest += lowest < 195 ? 24 : 1)
		if (!assembles_after(&t, fill_below, lowest))
			fail_msg("with %d the lowest free descriptor", lowest);
	for (int limit = 16; limit < 206; limit += limit < 196 ? 12 : 1)
		if (!assembles_after(&t, allow_files, limit))
			fail_msg("with a limit of %d open files", limit);
	tools_close(&t);
}

/* However the host ends, the assembler ends with it. */
static void the_host_ends(void **state)
{
	(void)state;
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGKILL, SIGPIPE};
	for (size_t i = 0; i < ARRAY_LEN(signals); i++) {
		ToolKit t;
		char path[128], temporary[140], body[600];
		int tool = 0, status;
		tools_open(&t, NULL);
		snprintf(path, sizeof path, "%s/pid", t.folder);
		snprintf(temporary, sizeof temporary, "%s.new", path);
		snprintf(body, sizeof body, "echo $$ >%s; mv %s %s; exec sleep 1000", temporary, temporary, path);
		write_script(t.ptxas, body);
		pid_t host = fork();
		if (host == 0) {
			NvCubin cubin;
			setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
			assemble(&t, ptx_text, &cubin);
			_exit(0);
		}
		for (int n = 0; n < 1000 && access(path, R_OK) != 0; n++)
			nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
		FILE *file = fopen(path, "r");
		assert_true(file && fscanf(file, "%d", &tool) == 1 && tool > 1);
		fclose(file);
		assert_int_equal(kill(tool, 0), 0);
		kill(host, signals[i]);
		assert_int_equal(waitpid(host, &status, 0), host);
		assert_int_equal(WTERMSIG(status), signals[i]);
		assert_true(gone(tool));
		tools_close(&t);
	}
}

/* At the limit of open files there is nothing to run with, which is said; at that of file sizes the tool
 * ends. */
static void limits_are_told(void **state)
{
	(void)state;
	ToolKit t;
	NvCubin cubin;
	struct rlimit before;
	tools_open(&t, "kill -XFSZ $$");
	assert_false(assemble(&t, ptx_text, &cubin));
	kit_expect(&t.kit, DIAG_PTXAS_FAILED, "its cubin is longer than files may be (ulimit -f)");
	getrlimit(RLIMIT_NOFILE, &before);
	int lowest = dup(2);
	close(lowest);
	setrlimit(RLIMIT_NOFILE, &(struct rlimit){(rlim_t)lowest + 1, before.rlim_max});
	bool good = assemble(&t, ptx_text, &cubin);
	setrlimit(RLIMIT_NOFILE, &before);
	assert_false(good);
	kit_expect(&t.kit, DIAG_PTXAS_START, "Too many open files");
	tools_close(&t);
}

/* The input itself is longer than files may be: no signal ends the host, and nothing is left. */
static void file_sizes_are_limited(void **state)
{
	(void)state;
	ToolKit t;
	NvCubin cubin;
	struct rlimit before;
	tools_open(&t, FIND_FILES WRITE_CUBIN);
	setenv("TMPDIR", t.folder, 1);
	getrlimit(RLIMIT_FSIZE, &before);
	setrlimit(RLIMIT_FSIZE, &(struct rlimit){100, before.rlim_max});
	bool good = assemble(&t, ptx_text, &cubin);
	setrlimit(RLIMIT_FSIZE, &before);
	unsetenv("TMPDIR");
	assert_false(good);
	kit_expect(&t.kit, DIAG_PTXAS_START, "File too large");
	unlink(t.ptxas);
	assert_int_equal(rmdir(t.folder), 0); /* it is empty */
	assert_int_equal(mkdir(t.folder, 0700), 0);
	tools_close(&t);
}

/* A host that ignores its children gets no exit status: the cubin decides. */
static void children_ignored(void **state)
{
	(void)state;
	ToolKit t;
	NvCubin cubin;
	tools_open(&t, FIND_FILES WRITE_CUBIN);
	void (*before)(int) = signal(SIGCHLD, SIG_IGN);
	assert_true(assemble(&t, ptx_text, &cubin));
	nv_cubin_free(&cubin);
	signal(SIGCHLD, before);
	kit_clean(&t.kit);
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

/* A program with exactly this text, whose time of change is that of another one. */
static void write_program(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	const struct timespec times[2] = {{1000000000, 0}, {1000000000, 0}};
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
	assert_int_equal(chmod(path, 0755), 0);
}

static const char *identity_now(ToolKit *t)
{
	NvAssemble how = how_of("sm_80");
	const char *identity = nv_assembler_identity(t->tools, &how, &t->kit.arena, &t->kit.diags);
	assert_non_null(identity);
	return identity;
}

#define SAYS_ITS_VERSION "#!/bin/sh\n[ \"$1\" = --version ] && echo 'release 12.8, V12.8.93'; exit "

/* The same size, version and time: only the content tells. */
static void identity_is_of_content(void **state)
{
	(void)state;
	ToolKit t;
	tools_open(&t, NULL);
	write_program(t.ptxas, SAYS_ITS_VERSION "0\n");
	const char *first = identity_now(&t);
	write_program(t.ptxas, SAYS_ITS_VERSION "1\n");
	assert_string_not_equal(identity_now(&t), first);
	write_program(t.ptxas, SAYS_ITS_VERSION "0\n");
	assert_string_equal(identity_now(&t), first);
	/* One that says no version. */
	write_program(t.ptxas, "#!/bin/sh\nexit 0\n");
	const char *unknown = identity_now(&t);
	assert_non_null(strstr(unknown, "ptxas unknown "));
	write_program(t.ptxas, "#!/bin/sh\nexit 1\n");
	assert_string_not_equal(identity_now(&t), unknown);
	tools_close(&t);
}

/* A script that runs another program, named in this way; %s: the test's folder. */
static void expect_followed(const char *format)
{
	ToolKit t;
	char text[512], inner[256];
	tools_open(&t, NULL);
	snprintf(text, sizeof text, format, t.folder);
	snprintf(inner, sizeof inner, "%s/ptxas-inner", t.folder);
	setenv("NESO_TEST_FOLDER", t.folder, 1);
	write_program(inner, SAYS_ITS_VERSION "0\n");
	write_program(t.ptxas, text);
	const char *first = identity_now(&t);
	assert_non_null(strstr(first, "ptxas 12.8.93 "));
	write_program(inner, SAYS_ITS_VERSION "1\n");
	if (strcmp(identity_now(&t), first) == 0)
		fail_msg("not followed: %s", text);
	tools_close(&t);
	unsetenv("NESO_TEST_FOLDER");
}

static void scripts_are_followed(void **state)
{
	(void)state;
	expect_followed("#!/bin/sh\nexec '%s/ptxas-inner' \"$@\"\n");
	expect_followed("#!/bin/sh\n: %s\nexec \"$(dirname \"$0\")/ptxas-inner\" \"$@\"\n");
	expect_followed("#!/bin/sh\nhere=${0%%/*}\n: %s; exec $here/ptxas-inner \"$@\"\n");
	expect_followed("#!/bin/sh\n: %s\nexec \"${NESO_TEST_FOLDER}/ptxas-inner\" \"$@\"\n");
	expect_followed("#!/bin/sh\n: %s\nexec $NESO_TEST_FOLDER/ptxas-inner \"$@\"\n");
	expect_followed("#!/bin/sh\nPATH=%s:$PATH\nexec ptxas-inner \"$@\"\n");
}

/* A program of machine code that starts another one, whose path lies anywhere in it. */
static void programs_are_followed(void **state)
{
	enum { SIZE = 70000, PIECE = 16384 };
	static const int places[] = {5, 100, PIECE - 3, PIECE, 2 * PIECE - 20, 3 * PIECE - 40, -1};
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(places); i++) {
		ToolKit t;
		static char bytes[SIZE];
		char inner[256];
		tools_open(&t, NULL);
		const int len = snprintf(inner, sizeof inner, "%s/the-ptxas-inside", t.folder);
		memset(bytes, 1, sizeof bytes);
		memcpy(bytes, "\177ELF", 4);
		memcpy(bytes + (places[i] < 0 ? SIZE - len : places[i]), inner, (size_t)len);
		write_program(inner, SAYS_ITS_VERSION "0\n");
		write_program(t.ptxas, "");
		FILE *file = fopen(t.ptxas, "w");
		assert_int_equal(fwrite(bytes, 1, SIZE, file), SIZE);
		fclose(file);
		const char *first = identity_now(&t);
		write_program(inner, SAYS_ITS_VERSION "1\n");
		if (strcmp(identity_now(&t), first) == 0)
			fail_msg("not followed: at %d", places[i]);
		write_program(inner, SAYS_ITS_VERSION "0\n");
		assert_string_equal(identity_now(&t), first);
		tools_close(&t);
	}
}

/* What cannot be followed is told by its version, asked anew by each process. */
static void scripts_are_asked(void **state)
{
	(void)state;
	ToolKit t;
	char text[512], number[256];
	tools_open(&t, NULL);
	snprintf(number, sizeof number, "%s/number", t.folder);
	snprintf(text, sizeof text, "#!/bin/sh\necho \"release 12.8, V12.8.93, build $(cat %s)\"\n", number);
	write_program(number, "7");
	write_program(t.ptxas, text);
	const char *first = identity_now(&t);
	write_program(number, "8");
	NvToolsOptions options = {.ptxas = t.ptxas};
	nv_tools_free(t.tools);
	t.tools = nv_tools_new(&options);
	assert_string_not_equal(identity_now(&t), first);
	tools_close(&t);
}

/* A file of options is read by ptxas, not by us. */
static void option_files_count(void **state)
{
	(void)state;
	ToolKit t;
	char options[300], path[256];
	tools_open(&t, "exit 0");
	snprintf(path, sizeof path, "%s/options", t.folder);
	snprintf(options, sizeof options, "-w --options-file=%s", path);
	write_program(path, "-O3");
	setenv("PTXAS_OPTIONS", options, 1);
	const char *first = identity_now(&t);
	write_program(path, "-O1");
	assert_string_not_equal(identity_now(&t), first);
	write_program(path, "-O3");
	assert_string_equal(identity_now(&t), first);
	unsetenv("PTXAS_OPTIONS");
	tools_close(&t);
}

static void search_order(void **state)
{
	(void)state;
	ToolKit t;
	const char *path, *version;
	char folder[256], bin[300], there[400];
	tools_open(&t, "exit 0");
	NvTools *tools = nv_tools_new(NULL);
	snprintf(folder, sizeof folder, "%s/toolkit", t.folder);
	snprintf(bin, sizeof bin, "%s/bin", folder);
	snprintf(there, sizeof there, "%s/ptxas", bin);
	assert_true(mkdir(folder, 0755) == 0 && mkdir(bin, 0755) == 0);
	write_script(there, "exit 0");
	char *home = getenv("CUDA_HOME"), *kept = home ? strdup(home) : NULL;
	setenv("CUDA_HOME", folder, 1);
	assert_true(nv_tools_find(tools, "ptxas", &t.kit.arena, &path, &version));
	assert_string_equal(path, there);
	assert_string_equal(version, "12.8.93");
	setenv("NESO_PTXAS", t.ptxas, 1);
	assert_true(nv_tools_find(tools, "ptxas", &t.kit.arena, &path, &version));
	assert_string_equal(path, t.ptxas);
	setenv("TRITON_PTXAS_PATH", there, 1);
	assert_true(nv_tools_find(tools, "ptxas", &t.kit.arena, &path, &version));
	assert_string_equal(path, there);
	/* A path that was given and is wrong is not passed over. */
	setenv("TRITON_PTXAS_PATH", "/no/such/ptxas", 1);
	assert_false(nv_tools_find(tools, "ptxas", &t.kit.arena, &path, &version));
	setenv("TRITON_PTXAS_BLACKWELL_PATH", t.ptxas, 1);
	NvAssemble how = how_of("sm_100a");
	assert_non_null(strstr(nv_assembler_identity(tools, &how, &t.kit.arena, &t.kit.diags), "ptxas 12.8.93 "));
	kit_clean(&t.kit);
	how = how_of("sm_90a");
	assert_null(nv_assembler_identity(tools, &how, &t.kit.arena, &t.kit.diags));
	kit_expect(&t.kit, DIAG_PTXAS_MISSING, "no ptxas: /no/such/ptxas is not a program");
	/* Without ptxas what another one made will do, but not with a driver that is a major release older. */
	assert_true(nv_takes_cubin_of(tools, &how, "ptxas 13.1.80 -O0", &t.kit.arena));
	assert_false(nv_takes_cubin_of(tools, &how, "driver 13.0 (580.95.05)", &t.kit.arena));
	how.driver = t.kit.driver;
	assert_true(nv_driver_start(t.kit.driver, &t.kit.diags)); /* of 13.0 */
	assert_true(nv_takes_cubin_of(tools, &how, "ptxas 13.1.80", &t.kit.arena));
	assert_true(nv_takes_cubin_of(tools, &how, "ptxas 12.8.93", &t.kit.arena));
	assert_false(nv_takes_cubin_of(tools, &how, "ptxas 14.0.1", &t.kit.arena));
	setenv("TRITON_PTXAS_PATH", t.ptxas, 1);
	assert_false(nv_takes_cubin_of(tools, &how, "ptxas 12.8.93", &t.kit.arena));
	how.driver = NULL;
	unsetenv("TRITON_PTXAS_PATH");
	unsetenv("TRITON_PTXAS_BLACKWELL_PATH");
	unsetenv("NESO_PTXAS");
	if (kept)
		setenv("CUDA_HOME", kept, 1);
	else
		unsetenv("CUDA_HOME");
	free(kept);
	unlink(there);
	rmdir(bin);
	rmdir(folder);
	nv_tools_free(tools);
	tools_close(&t);
}

/* A toolkit that is a Python package: behind CUDA_HOME, before what the machine has; the newer one first. */
static void python_packages(void **state)
{
	(void)state;
	ToolKit t;
	const char *path, *version;
	char packages[200], there[2][200], command[1000];
	tools_open(&t, "exit 0");
	char *home = getenv("CUDA_HOME"), *kept = home ? strdup(home) : NULL;
	unsetenv("CUDA_HOME");
	for (int i = 0; i < 2; i++) {
		snprintf(there[i], sizeof there[i], "%s/site/nvidia/%s/bin/ptxas", t.folder, i ? "cu13" : "cuda_nvcc");
		snprintf(command, sizeof command, "mkdir -p %s/bin $(dirname %s) && cp %s %s/bin", t.folder, there[i], t.ptxas,
			 t.folder);
		assert_int_equal(system(command), 0);
		write_script(there[i], "exit 0");
		snprintf(packages, sizeof packages, "/no/such/folder::%s/site", t.folder);
		NvToolsOptions options = {.packages = packages};
		NvTools *tools = nv_tools_new(&options);
		assert_true(nv_tools_find(tools, "ptxas", &t.kit.arena, &path, &version));
		assert_string_equal(path, there[i]);
		setenv("CUDA_HOME", t.folder, 1);
		assert_true(nv_tools_find(tools, "ptxas", &t.kit.arena, &path, &version));
		assert_string_not_equal(path, there[i]);
		unsetenv("CUDA_HOME");
		nv_tools_free(tools);
	}
	if (kept)
		setenv("CUDA_HOME", kept, 1);
	free(kept);
	snprintf(command, sizeof command, "rm -r %s/site %s/bin", t.folder, t.folder);
	assert_int_equal(system(command), 0);
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

/* From here on the process gets no memory files, as on systems that have none. */
static bool forbid_memory_files(void)
{
	struct sock_filter rules[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_memfd_create, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {ARRAY_LEN(rules), rules};
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* 0: good, 77: cannot be tried here. */
static int on_disk(ToolKit *t, const char *temp)
{
	NvCubin cubin;
	if (!forbid_memory_files())
		return 77;
	setenv("TMPDIR", temp, 1);
	if (!assemble(t, ptx_text, &cubin) || !strstr(cubin.log, temp) || cubin.len != 84)
		return 1;
	nv_cubin_free(&cubin);
	write_script(t->ptxas, "exit 7");
	if (assemble(t, ptx_text, &cubin) || t->kit.diags.first->code != DIAG_PTXAS_FAILED)
		return 2;
	kit_forget(&t->kit);
	setenv("TMPDIR", "/no/such/folder", 1);
	if (assemble(t, ptx_text, &cubin) || t->kit.diags.first->code != DIAG_PTXAS_START)
		return 3;
	return 0;
}

/* Where files cannot be kept in memory they lie in a folder, of which nothing is left. */
static void nothing_is_left(void **state)
{
	(void)state;
	ToolKit t;
	NvCubin cubin;
	tools_open(&t, FIND_FILES WRITE_CUBIN "echo $out");
	char temp[128];
	snprintf(temp, sizeof temp, "%s/tmp", t.folder);
	assert_int_equal(mkdir(temp, 0755), 0);
	setenv("TMPDIR", temp, 1);
	assert_true(assemble(&t, ptx_text, &cubin));
	assert_null(strstr(cubin.log, temp));
	nv_cubin_free(&cubin);
	unsetenv("TMPDIR");
	fflush(NULL);
	pid_t pid = fork();
	if (!pid)
		_exit(on_disk(&t, temp));
	int status;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 77));
	assert_int_equal(rmdir(temp), 0);
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

/* ---- the real one ---- */

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
		cmocka_unit_test(warning_on_a_line),
		cmocka_unit_test(errors_of_ptxas),
		cmocka_unit_test(failures_without_an_error),
		cmocka_unit_test(ptxas_that_cannot_run),
		cmocka_unit_test(time_limit),
		cmocka_unit_test(descriptors_of_the_host),
		cmocka_unit_test(the_host_ends),
		cmocka_unit_test(limits_are_told),
		cmocka_unit_test(file_sizes_are_limited),
		cmocka_unit_test(children_ignored),
		cmocka_unit_test(options_reach_it),
		cmocka_unit_test(search_order),
		cmocka_unit_test(python_packages),
		cmocka_unit_test(identity_is_of_content),
		cmocka_unit_test(scripts_are_followed),
		cmocka_unit_test(programs_are_followed),
		cmocka_unit_test(scripts_are_asked),
		cmocka_unit_test(option_files_count),
		cmocka_unit_test(drivers_compiler),
		cmocka_unit_test(nothing_is_left),
		cmocka_unit_test(fat_binaries),
		cmocka_unit_test(disassembler_missing_or_failing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
