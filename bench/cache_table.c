/* What the compile cache saves, as one table: twenty kernels (cache_kernels.py), each time in a new process, one after another.
 *
 *	cache_table [--target NAME] [ROOT]     ROOT: the folder that holds bench/ (default "."); NAME: sm_90a
 *
 * Times are of whole processes, from start to exit, with the loading of the libraries and of the kernels' file; the least of several, as other
 * processes disturb. Promises are fractions of the cold time. Needs the assembler. Exit status 1 when a promise is not kept, or when something fails.
 *
 * Started as `cache_table --compile FILE TARGET` it is such a process, and prints how many were compiled and how many were there. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <neso/neso.h>

extern char **environ;

static const struct {
	const char *kernel, *signature;
} kernels[] = {
	{"add", "*fp32:16, *fp32:16, *fp32:16, i32:16, 1024"},
	{"gated", "*fp16:16, *fp16:16, *fp16:16, i32:16, 1024"},
	{"gated_backward", "*fp16:16, *fp16:16, *fp16:16, *fp16:16, *fp16:16, i32:16, 1024"},
	{"gelu", "*fp16:16, *fp16:16, i32:16, 1024"},
	{"dropout", "*fp32:16, *fp32:16, i32:16, fp32, i32, 1024"},
	{"quantise", "*fp16:16, *i8:16, *fp32:16, i32:16, 4096"},
	{"softmax", "*fp16:16, *fp16:16, i32:16, i32:16, 4096"},
	{"log_softmax", "*fp16:16, *fp16:16, i32:16, i32:16, 4096"},
	{"layer_norm", "*fp16:16, *fp16:16, *fp16:16, *fp16:16, i32:16, i32:16, fp32, 4096"},
	{"rms_norm", "*fp16:16, *fp16:16, *fp16:16, i32:16, i32:16, fp32, 4096"},
	{"gated_norm", "*fp16:16, *fp16:16, *fp16:16, *fp16:16, i32:16, i32:16, fp32, 4096"},
	{"cross_entropy", "*fp16:16, *i64:16, *fp32:16, i32:16, i32:16, 2048"},
	{"rope", "*fp16:16, *fp16:16, *fp16:16, *fp16:16, i32:16, i32:16, 64"},
	{"embedding", "*fp16:16, *i64:16, *fp16:16, i32:16, 1024"},
	{"running_sum", "*fp32:16, *fp32:16, i32:16, 2048"},
	{"transpose", "*fp16:16, *fp16:16, i32:16, i32:16, 64"},
	{"adam", "*fp32:16, *fp32:16, *fp32:16, *fp32:16, i32:16, fp32, fp32, fp32, fp32, 1024"},
	{"matmul", "*fp16:16, *fp16:16, *fp16:16, i32:16, i32:16, i32:16, 128, 128, 64"},
	{"matmul_gated", "*fp16:16, *fp16:16, *fp16:16, i32:16, i32:16, i32:16, 64, 64, 32"},
	{"attention", "*fp16:16, *fp16:16, *fp16:16, *fp16:16, i32:16, fp32, 64, 128, 64"},
};
enum { KERNELS = sizeof kernels / sizeof *kernels, USE_GATE = 4, LONGEST = 1 << 17 };

static _Noreturn void fail(const char *what, const char *why)
{
	fprintf(stderr, "cache_table: %s: %s\n", what, why);
	exit(1);
}

/* ---- a process that is measured ---- */

static int compile_all(const char *path, const char *target)
{
	neso_diagnostics *diagnostics;
	neso_context *context;
	neso_module *module;
	unsigned hits = 0;
	if (neso_context_new(NULL, &context, NULL) != NESO_OK)
		return 1;
	if (neso_module_load_file(context, path, &module, &diagnostics) != NESO_OK) {
		fputs(neso_diagnostics_text(diagnostics), stderr);
		return 1;
	}
	for (int i = 0; i < KERNELS; i++) {
		neso_kernel *kernel;
		neso_variant *variant;
		neso_variant_info info = {.size = sizeof info};
		neso_compile_options options = {.size = sizeof options, .target = target};
		size_t size;
		if (neso_module_find(module, kernels[i].kernel, &kernel, &diagnostics) != NESO_OK ||
		    neso_kernel_compile(kernel, kernels[i].signature, &options, &variant, &diagnostics) != NESO_OK) {
			fputs(neso_diagnostics_text(diagnostics), stderr);
			return 1;
		}
		fputs(neso_diagnostics_text(diagnostics), stderr);
		neso_diagnostics_free(diagnostics);
		if (neso_variant_get_info(variant, &info) != NESO_OK || !neso_variant_binary(variant, "cubin", &size))
			return 1;
		hits += info.cache && strcmp(info.cache, "hit") == 0;
	}
	printf("%u %u\n", (unsigned)KERNELS - hits, hits);
	neso_module_free(module);
	neso_context_free(context);
	return 0;
}

/* ---- running them ---- */

typedef struct Table {
	char folder[64];
	const char *target;
	char source[LONGEST]; /* cache_kernels.py */
	double cold;
	bool kept; /* all promises so far */
} Table;

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Seconds of a process that compiles the kernels; it must find so many. */
static double run(const Table *t, const char *file, unsigned hits)
{
	char path[128], said[64] = "";
	int out[2];
	pid_t pid;
	posix_spawn_file_actions_t actions;
	unsigned compiled, found = 0;
	int status;
	snprintf(path, sizeof path, "%s/%s", t->folder, file);
	char *args[] = {(char[]){"cache_table"}, (char[]){"--compile"}, path, (char *)(uintptr_t)t->target, NULL};
	if (pipe(out) != 0 || posix_spawn_file_actions_init(&actions) != 0)
		fail("pipe", strerror(errno));
	posix_spawn_file_actions_adddup2(&actions, out[1], 1);
	posix_spawn_file_actions_addclose(&actions, out[0]);
	double began = now();
	int error = posix_spawn(&pid, "/proc/self/exe", &actions, NULL, args, environ);
	if (error)
		fail("cannot start a process", strerror(error));
	waitpid(pid, &status, 0);
	double seconds = now() - began;
	close(out[1]);
	ssize_t got = read(out[0], said, sizeof said - 1);
	close(out[0]);
	posix_spawn_file_actions_destroy(&actions);
	if (status || got <= 0 || sscanf(said, "%u %u", &compiled, &found) != 2)
		fail(file, "the kernels do not compile");
	if (found != hits) {
		fprintf(stderr, "cache_table: %s: %u of %d were in the cache, not %u\n", file, found, (int)KERNELS, hits);
		exit(1);
	}
	return seconds;
}

static double least(const double *times, int count)
{
	double out = times[0];
	for (int i = 1; i < count; i++)
		out = times[i] < out ? times[i] : out;
	return out;
}

/* A row; promised 0: nothing is. */
static void say(Table *t, const char *what, double seconds, double promised)
{
	double part = seconds / t->cold * 100;
	bool kept = promised <= 0 || part <= promised;
	printf("| %-66s | %9.1f ms | %6.2f %% |", what, seconds * 1e3, part);
	if (promised > 0)
		printf(" <= %2.0f %%%s |\n", promised, kept ? "       " : ": MISSED");
	else
		printf("                |\n");
	fflush(stdout);
	t->kept = t->kept && kept;
}

/* The source under a name, with `from` replaced by `to` (both may be NULL). */
static void write_source(const Table *t, const char *name, const char *from, const char *to)
{
	char path[128];
	const char *at = from ? strstr(t->source, from) : NULL;
	if (from && !at)
		fail("cache_kernels.py lacks", from);
	snprintf(path, sizeof path, "%s/%s", t->folder, name);
	FILE *file = fopen(path, "w");
	if (!file)
		fail(path, strerror(errno));
	if (at)
		fprintf(file, "%.*s%s%s", (int)(at - t->source), t->source, to, at + strlen(from));
	else
		fputs(t->source, file);
	fclose(file);
}

static void use_cache(const Table *t, const char *name)
{
	char path[128];
	snprintf(path, sizeof path, "%s/%s", t->folder, name);
	setenv("TRITON_CACHE_DIR", path, 1);
}

static void copy_cache(const Table *t, const char *from, const char *to)
{
	char command[320];
	snprintf(command, sizeof command, "rm -rf '%s/%s' && cp -Rp '%s/%s' '%s/%s'", t->folder, to, t->folder, from, t->folder, to);
	if (system(command) != 0)
		fail("cp", "the cache was not copied");
}

/* ---- the rows ---- */

enum { COLD = 5, WARM = 15 };

static void cold_and_warm(Table *t)
{
	double times[WARM];
	char name[32];
	for (int i = 0; i < COLD; i++) {
		snprintf(name, sizeof name, "cold%d", i);
		use_cache(t, name);
		times[i] = run(t, "kernels.py", 0);
	}
	t->cold = least(times, COLD);
	say(t, "20 kernels, nothing in the cache", t->cold, 0);
	use_cache(t, "cold0");
	for (int i = 0; i < WARM; i++)
		times[i] = run(t, "kernels.py", KERNELS);
	say(t, "the same again, in a new process", least(times, WARM), 1);
	write_source(t, "moved.py", "import triton\n", "# A comment that moves every line.\nimport sys\nimport triton\n");
	for (int i = 0; i < WARM; i++)
		times[i] = run(t, "moved.py", KERNELS);
	say(t, "under another path, comments and host code changed", least(times, WARM), 1);
}

static void edited(Table *t)
{
	double times[COLD];
	write_source(t, "edited.py", "sigmoid(1.0 * x)", "sigmoid(1.5 * x)");
	for (int i = 0; i < COLD; i++) {
		copy_cache(t, "cold0", "edit");
		use_cache(t, "edit");
		times[i] = run(t, "edited.py", KERNELS - USE_GATE);
	}
	say(t, "after an edit of a function that 4 of them call", least(times, COLD), 30);
}

static void generic(Table *t)
{
	double times[WARM];
	setenv("NESO_CONSTEXPR_POLICY", "generic", 1);
	use_cache(t, "generic");
	run(t, "kernels.py", 0);
	for (int i = 0; i < WARM; i++)
		times[i] = run(t, "kernels.py", KERNELS);
	say(t, "again, under the policy `generic`", least(times, WARM), 1);
	unsetenv("NESO_CONSTEXPR_POLICY");
}

/* The pack of one cache put into another. */
static void carry(const Table *t, const char *from, const char *to)
{
	const char *const names[2] = {from, to};
	char pack[128];
	snprintf(pack, sizeof pack, "%s/pack", t->folder);
	for (int i = 0; i < 2; i++) {
		char folder[128];
		snprintf(folder, sizeof folder, "%s/%s", t->folder, names[i]);
		neso_context_options options = {.size = sizeof options, .cache_dir = folder};
		neso_cache_packed packed = {.size = sizeof packed};
		neso_context *context;
		if (neso_context_new(&options, &context, NULL) != NESO_OK ||
		    (i ? neso_cache_unpack : neso_cache_pack)(context, pack, &packed, NULL) != NESO_OK || packed.entries < KERNELS)
			fail(pack, "the pack was not carried");
		neso_context_free(context);
	}
}

static void packed(Table *t)
{
	double times[WARM];
	carry(t, "cold0", "unpacked");
	use_cache(t, "unpacked");
	setenv("TRITON_PTXAS_PATH", "/nonexistent/ptxas", 1);
	for (int i = 0; i < WARM; i++)
		times[i] = run(t, "kernels.py", KERNELS);
	unsetenv("TRITON_PTXAS_PATH");
	say(t, "from a pack, on a machine without an assembler", least(times, WARM), 1);
}

static void read_only(Table *t)
{
	double times[WARM];
	char path[128];
	snprintf(path, sizeof path, "%s/cold0", t->folder);
	setenv("NESO_CACHE_RO", path, 1);
	use_cache(t, "above");
	for (int i = 0; i < WARM; i++)
		times[i] = run(t, "kernels.py", KERNELS);
	say(t, "from a read-only layer, with a cache of one's own that is empty", least(times, WARM), 1);
	unsetenv("NESO_CACHE_RO");
}

/* ---- a server ---- */

/* A port that is free now. */
static int free_port(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof address;
	int fd = socket(AF_INET, SOCK_STREAM, 0), port = 0;
	if (fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof address) == 0 &&
	    getsockname(fd, (struct sockaddr *)&address, &size) == 0)
		port = ntohs(address.sin_port);
	if (fd >= 0)
		close(fd);
	return port;
}

static bool answers(int port)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons((uint16_t)port)};
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	bool good = fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) == 0;
	if (fd >= 0)
		close(fd);
	return good;
}

/* A redis-server of our own; 0: there is none. */
static pid_t start_server(int port)
{
	char number[16];
	snprintf(number, sizeof number, "%d", port);
	char *args[] = {(char[]){"redis-server"}, (char[]){"--port"}, number, (char[]){"--bind"}, (char[]){"127.0.0.1"},
			(char[]){"--save"}, (char[]){""}, (char[]){"--daemonize"}, (char[]){"no"}, NULL};
	posix_spawn_file_actions_t actions;
	pid_t pid;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
	int error = posix_spawnp(&pid, args[0], &actions, NULL, args, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (error)
		return 0;
	for (int i = 0; i < 100 && !answers(port); i++)
		nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
	return pid;
}

/* Machines without entries of their own, and a server that one of them filled. */
static void shared(Table *t)
{
	static const char what[] = "on another machine, from a Redis server that all share";
	double times[WARM];
	char url[64], name[32];
	int port = free_port(), status;
	pid_t server = port ? start_server(port) : 0;
	if (!server || !answers(port)) {
		printf("| %-66s | redis-server is not installed          |\n", what);
		return;
	}
	snprintf(url, sizeof url, "redis://127.0.0.1:%d", port);
	setenv("TRITON_REMOTE_CACHE_BACKEND", url, 1);
	use_cache(t, "first");
	run(t, "kernels.py", 0);
	for (int i = 0; i < WARM; i++) {
		snprintf(name, sizeof name, "machine%d", i);
		use_cache(t, name);
		times[i] = run(t, "kernels.py", KERNELS);
	}
	unsetenv("TRITON_REMOTE_CACHE_BACKEND");
	kill(server, SIGTERM);
	waitpid(server, &status, 0);
	say(t, what, least(times, WARM), 5);
}

/* What is there already in this process: the least over calls of a thousand. */
static void in_process(Table *t)
{
	enum { ROUNDS = 300, CALLS = 1000 };
	char path[128];
	double best = 1;
	neso_context *context;
	neso_module *module;
	neso_kernel *kernel;
	neso_variant *variant;
	neso_compile_options options = {.size = sizeof options, .target = t->target};
	snprintf(path, sizeof path, "%s/kernels.py", t->folder);
	use_cache(t, "cold0");
	if (neso_context_new(NULL, &context, NULL) != NESO_OK || neso_module_load_file(context, path, &module, NULL) != NESO_OK ||
	    neso_module_find(module, kernels[0].kernel, &kernel, NULL) != NESO_OK)
		fail(path, "it does not load");
	for (int i = 0; i < ROUNDS; i++) {
		double began = now();
		for (int k = 0; k < CALLS; k++)
			if (neso_kernel_compile(kernel, kernels[0].signature, &options, &variant, NULL) != NESO_OK)
				fail(path, "it does not compile");
		best = now() - began < best ? now() - began : best;
	}
	best /= CALLS;
	neso_module_free(module);
	neso_context_free(context);
	printf("| %-66s | %9.2f us |          | <=  1 us%s |\n", "one of them again, in the same process", best * 1e6,
	       best <= 1e-6 ? "       " : ": MISSED");
	t->kept = t->kept && best <= 1e-6;
}

int main(int argc, char **argv)
{
	static Table t = {.folder = "/tmp/neso-cache-table-XXXXXX", .target = "sm_90a", .kept = true};
	char path[512];
	int first = 1;
	if (argc == 4 && strcmp(argv[1], "--compile") == 0)
		return compile_all(argv[2], argv[3]);
	if (argc > 2 && strcmp(argv[1], "--target") == 0) {
		t.target = argv[2];
		first = 3;
	}
	snprintf(path, sizeof path, "%s/bench/cache_kernels.py", argc > first ? argv[first] : ".");
	FILE *file = fopen(path, "r");
	if (!file || !fread(t.source, 1, sizeof t.source - 1, file))
		fail(path, strerror(errno));
	fclose(file);
	if (!mkdtemp(t.folder))
		fail(t.folder, strerror(errno));
	static const char *const ours[] = {"NESO_CACHE_RO", "TRITON_ALWAYS_COMPILE", "TRITON_DISABLE_CACHE", "TRITON_REMOTE_CACHE_BACKEND",
					   "TRITON_KERNEL_DUMP", "TRITON_KERNEL_OVERRIDE", "NESO_CONSTEXPR_POLICY"};
	for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
		unsetenv(ours[i]);
	write_source(&t, "kernels.py", NULL, NULL);
	cold_and_warm(&t);
	edited(&t);
	generic(&t);
	read_only(&t);
	packed(&t);
	shared(&t);
	in_process(&t);
	snprintf(path, sizeof path, "rm -rf '%s'", t.folder);
	if (system(path) != 0)
		fail(t.folder, "it was not removed");
	return t.kept ? 0 : 1;
}
