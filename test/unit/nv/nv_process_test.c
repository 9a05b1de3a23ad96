/* ptxas as a process of a host that may be in any state: time limits, descriptors, limits of files
 * and sizes, children that are ignored, hosts that end, and what is left behind. Scripts stand in
 * for ptxas. */
#include "nv_tools_kit.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

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

/* In a child, whose descriptors may be anything: `prepare` makes them so. The size of the input
 * comes back, and a cubin. */
static bool assembles_after(ToolKit *t, void (*prepare)(int what), int what)
{
	pid_t pid = fork();
	if (pid == 0) {
		NvCubin cubin;
		alarm(20); /* what hangs fails */
		prepare(what);
		bool ok = assemble(t, ptx_text, &cubin) && cubin.len == 84 &&
			  strtoul(cubin.log, NULL, 10) == strlen(ptx_text);
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
		snprintf(body, sizeof body, "echo $$ >%s; mv %s %s; exec sleep 1000", temporary,
			 temporary, path);
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

static void write_begun(ToolKit *t)
{
	char body[400];
	snprintf(body, sizeof body,
		 "%secho $$. >%s/pid; %swc -c <$in; echo by $$.", FIND_FILES, t->folder, WRITE_CUBIN);
	write_script(t->ptxas, body);
}

static NvBegun *begin(ToolKit *t, pid_t *pid)
{
	char path[128];
	int written = 0;
	NvAssemble how = how_of("sm_80");
	NvBegun *begun = nv_begin(t->tools, &how);
	if (!begun)
		skip(); /* where a file's open does not wait */
	snprintf(path, sizeof path, "%s/pid", t->folder);
	for (int n = 0; n < 1000 && !written; n++) {
		FILE *file = fopen(path, "r");
		if (file && fscanf(file, "%d.", &written) != 1)
			written = 0;
		if (file)
			fclose(file);
		nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
	}
	assert_true(written > 1);
	unlink(path);
	*pid = written;
	return begun;
}

/* It waits where it opens its input, has all of that, and is the only one. */
static void begun_before_its_input(void **state)
{
	(void)state;
	ToolKit t;
	NvCubin cubin;
	pid_t pid;
	char said[40];
	tools_open(&t, NULL);
	write_begun(&t);
	NvAssemble how = how_of("sm_80");
	how.begun = begin(&t, &pid);
	nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
	assert_int_equal(kill(pid, 0), 0);
	assert_true(nv_assemble(t.tools, str_of(ptx_text), &how, &cubin, &t.kit.diags));
	assert_int_equal(strtoul(cubin.log, NULL, 10), strlen(ptx_text));
	snprintf(said, sizeof said, "by %d.", (int)pid);
	assert_non_null(strstr(cubin.log, said));
	assert_int_equal(cubin.len, 84);
	nv_cubin_free(&cubin);
	/* It was used up. */
	assert_true(nv_assemble(t.tools, str_of(ptx_text), &how, &cubin, &t.kit.diags));
	assert_null(strstr(cubin.log, said));
	nv_cubin_free(&cubin);
	nv_begun_free(how.begun);
	tools_close(&t);
}

/* Asked for something else, or for nothing, it ends. */
static void begun_in_vain(void **state)
{
	(void)state;
	ToolKit t;
	NvCubin cubin;
	pid_t pid;
	char said[40];
	tools_open(&t, NULL);
	write_begun(&t);
	NvAssemble how = how_of("sm_80");
	how.begun = begin(&t, &pid);
	how.line_info = true;
	assert_true(nv_assemble(t.tools, str_of(ptx_text), &how, &cubin, &t.kit.diags));
	snprintf(said, sizeof said, "by %d.", (int)pid);
	assert_null(strstr(cubin.log, said));
	assert_int_equal(strtoul(cubin.log, NULL, 10), strlen(ptx_text));
	nv_cubin_free(&cubin);
	nv_begun_free(how.begun);
	assert_true(gone(pid));
	nv_begun_free(NULL);
	tools_close(&t);
}

/* At the limit of open files there is nothing to run with, which is said; at that of file sizes the
 * tool ends. */
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
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(time_limit),
		cmocka_unit_test(descriptors_of_the_host),
		cmocka_unit_test(the_host_ends),
		cmocka_unit_test(begun_before_its_input),
		cmocka_unit_test(begun_in_vain),
		cmocka_unit_test(limits_are_told),
		cmocka_unit_test(file_sizes_are_limited),
		cmocka_unit_test(children_ignored),
		cmocka_unit_test(nothing_is_left),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
