/* A trace of compilations and launches, in the format that chrome://tracing and ui.perfetto.dev
 * read (NESO_TRACE).
 *
 * The file is a JSON array at all times: an event takes the place of the bracket that ends it.
 * It is opened, locked and closed for each event, so threads, processes and children of
 * processes may write to one file. Where there is no trace nothing is asked: launches take the
 * paths that they have without a host that listens. */
#define _GNU_SOURCE /* realpath, syscall */
#include "api/inner.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/os.h"

static const char end[] = "\n]\n";

static int open_locked(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);
	struct stat st;
	if (fd < 0)
		return -1;
	int failed = fstat(fd, &st) != 0 ? errno : S_ISREG(st.st_mode) ? 0 : EINVAL;
	while (!failed && flock(fd, LOCK_EX) != 0)
		failed = errno == EINTR ? 0 : errno;
	if (!failed)
		return fd;
	close(fd);
	errno = failed;
	return -1;
}

/* Behind what is in the file, which ends as we end it, or is empty. False: it is something else,
 * or cannot be written. */
static bool append(int fd, const char *text, size_t len)
{
	struct stat st;
	char tail[sizeof end] = "";
	enum { END = sizeof end - 1 };
	Arena arena;
	if (fstat(fd, &st) != 0)
		return false;
	bool empty = st.st_size == 0;
	if (!empty &&
	    (st.st_size < END || pread(fd, tail, END, st.st_size - END) != END || strcmp(tail, end) != 0)) {
		errno = EEXIST;
		return false;
	}
	arena_init(&arena, 0);
	Text out;
	text_init(&out, &arena);
	text_str(&out, empty ? "[" : "");
	/* The array that only begins has no event before this one. */
	text_str(&out, empty || st.st_size == END + 1 || !len ? "" : ",");
	text_str(&out, len ? "\n" : "");
	text_add(&out, text, len);
	text_str(&out, end);
	off_t at = empty ? 0 : st.st_size - END;
	bool good = (!len && !empty) || pwrite(fd, out.data, out.len, at) == (ssize_t)out.len;
	if (!good && !empty && ftruncate(fd, st.st_size) == 0) /* a full disk: what was there stays */
		good = pwrite(fd, end, END, at) == END;
	arena_free(&arena);
	return good;
}

const char *api_trace_begin(Arena *arena, const char *path, DiagList *diags)
{
	int fd = open_locked(path);
	bool good = fd >= 0 && append(fd, "", 0);
	if (!good)
		diag_add_at(diags, NULL, (LineCol){0, 0}, DIAG_TRACE_FILE, path,
			    errno == EEXIST ? "it is there, and no trace" : strerror(errno));
	if (fd >= 0)
		close(fd);
	char *whole = good ? realpath(path, NULL) : NULL;
	const char *out = whole ? arena_strdup(arena, whole) : NULL;
	free(whole);
	return out;
}

/* ---- events ---- */

/* Microseconds, on a clock that all processes share. */
static double microseconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static void write_head(Text *out, const char *name, const char *kind, double from, double seconds)
{
	text_str(out, "{\"name\": ");
	text_json(out, name);
	text_printf(
		out,
		", \"cat\": \"%s\", \"ph\": \"X\", \"ts\": %.3f, \"dur\": %.3f, \"pid\": %ld, \"tid\": %ld",
		kind, from, seconds * 1e6, (long)getpid(), (long)syscall(SYS_gettid));
}

static void write_arg(Text *out, const char *name, const char *value)
{
	text_printf(out, "\"%s\": ", name);
	text_json(out, value);
	text_str(out, ", ");
}

/* The steps of a compilation in their order, below it; a hit of the cache has none. */
static void write_steps(Text *out, const JitVariantInfo *info, double from)
{
	for (int i = 0; i < JIT_STEP__COUNT; i++) {
		if (info->seconds[i] <= 0)
			continue;
		text_str(out, ",\n");
		write_head(out, jit_step_names[i], "step", from, info->seconds[i]);
		text_str(out, "}");
		from += info->seconds[i] * 1e6;
	}
}

static void write_compile(Text *out, const JitEvent *event, double from)
{
	JitVariantInfo info = {0};
	const char *name = jit_kernel_info(event->kernel)->qualified_name;
	if (event->variant)
		jit_variant_info(event->variant, &info);
	bool hit = info.cache && strcmp(info.cache, "hit") == 0;
	write_head(out, name, "compile", from, event->seconds);
	text_str(out, ", \"args\": {");
	write_arg(out, "key", event->key);
	write_arg(out, "reason", event->reason);
	write_arg(out, "target", info.target);
	write_arg(out, "cache", info.cache);
	if (info.assembler)
		text_printf(out, "\"registers\": %u, \"spill_stores\": %u, \"shared\": %u, ", info.registers,
			    info.spill_stores, info.shared);
	text_printf(out, "\"result\": \"%s\"}}",
		    event->status == JIT_OK ? hit ? "hit" : "compiled" : "failed");
	if (!hit)
		write_steps(out, &info, from);
}

/* How many variants the kernel has now, as a curve, with what multiplies them. */
static void write_counter(Text *out, const JitEvent *event, double at)
{
	const char *name = jit_kernel_info(event->kernel)->qualified_name;
	uint32_t values;
	const char *multiplier = jit_multiplier(event->kernel, out->arena, &values);
	text_str(out, ",\n{\"name\": ");
	text_json(out, arena_printf(out->arena, "variants of %s", name));
	text_printf(out,
		    ", \"cat\": \"variants\", \"ph\": \"C\", \"ts\": %.3f, \"pid\": %ld, \"args\": "
		    "{\"variants\": %u",
		    at, (long)getpid(), jit_kernel_variants(event->kernel));
	if (values > 1) {
		text_str(out, ", ");
		text_json(out, arena_printf(out->arena, "values of %s", multiplier));
		text_printf(out, ": %u", values);
	}
	text_str(out, "}}");
}

static void write_launch(Text *out, const JitEvent *event, double from)
{
	write_head(out, jit_kernel_info(event->kernel)->qualified_name, "launch", from, event->seconds);
	text_str(out, ", \"args\": {");
	write_arg(out, "key", event->key);
	if (event->grid)
		text_printf(out, "\"grid\": [%u, %u, %u], ", event->grid[0], event->grid[1], event->grid[2]);
	text_printf(out, "\"result\": \"%s\"}}", event->status == JIT_OK ? "ok" : "failed");
}

void api_trace(const char *path, const JitEvent *event)
{
	if (event->kind != JIT_COMPILE_END && event->kind != JIT_LAUNCH_END)
		return;
	Arena arena;
	Text out;
	double from = microseconds() - event->seconds * 1e6;
	arena_init(&arena, 0);
	text_init(&out, &arena);
	if (event->kind == JIT_COMPILE_END)
		write_compile(&out, event, from);
	if (event->kind == JIT_COMPILE_END && event->status == JIT_OK)
		write_counter(&out, event, from + event->seconds * 1e6);
	if (event->kind == JIT_LAUNCH_END)
		write_launch(&out, event, from);
	int fd = open_locked(path);
	if (fd >= 0) {
		append(fd, out.data, out.len);
		close(fd);
	}
	arena_free(&arena);
}
