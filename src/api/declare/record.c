/* A file of declarations that a run adds to: the line of each variant that is launched for the
 * first time.
 *
 * Several processes may add to one file. Who adds holds a lock of it, reads it, and where the line
 * is not there puts a new file in its place that has it: so a reader finds a whole file at all
 * times, and a process that ends in the middle leaves the old one. As the lock is the old file's,
 * whoever has it looks whether the path still means that file. */
#define _GNU_SOURCE /* realpath */
#include "api/inner.h"
#include "jit/declare/declare.h"
#include "neso/declare.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os.h"

/* A descriptor that holds the lock of the file that the path means; -1 with errno. */
static int open_locked(const char *path)
{
	for (;;) {
		struct stat now, mine;
		int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);
		if (fd < 0)
			return -1;
		int failed = fstat(fd, &mine) != 0 ? errno : S_ISREG(mine.st_mode) ? 0 : EINVAL;
		while (!failed && flock(fd, LOCK_EX) != 0)
			failed = errno == EINTR ? 0 : errno;
		const bool same = !failed && stat(path, &now) == 0 && now.st_dev == mine.st_dev &&
				  now.st_ino == mine.st_ino;
		if (same)
			return fd;
		close(fd);
		if (failed) {
			errno = failed;
			return -1;
		}
	}
}

/* ---- the text ---- */

/* The line without blanks at its ends, and without a comment where it has one behind it. */
static Str content(Str line)
{
	while (line.len && strchr(" \t\r", line.ptr[line.len - 1]))
		line.len--;
	while (line.len && strchr(" \t", line.ptr[0]))
		line.ptr++, line.len--;
	return line;
}

static Str next_line(Str text, size_t at)
{
	const char *end = memchr(text.ptr + at, '\n', text.len - at);
	return (Str){text.ptr + at, end ? (size_t)(end - text.ptr) - at : text.len - at};
}

static bool is_declaration(Str line)
{
	return line.len && line.ptr[0] != '#' && memchr(line.ptr, '(', line.len);
}

static int compare(Str a, Str b)
{
	const int order = memcmp(a.ptr, b.ptr, MIN(a.len, b.len));
	return order ? order : a.len < b.len ? -1 : a.len > b.len;
}

/* Where the new line goes: before the first declaration that sorts behind it, with the comments
 * that stand above that one. False: it is there. */
static bool place_of(Str text, Str line, size_t *place)
{
	size_t above = 0; /* where the comments above the next declaration begin */
	bool found = false;
	*place = text.len;
	for (size_t at = 0; at < text.len;) {
		const Str raw = next_line(text, at), it = content(raw);
		if (is_declaration(it)) {
			const int order = compare(it, line);
			if (order == 0)
				return false;
			if (order > 0 && !found) {
				*place = above;
				found = true;
			}
		}
		at += raw.len + 1;
		if (is_declaration(it) || !it.len)
			above = MIN(at, text.len);
	}
	return true;
}

/* NULL, or what is wrong. */
static const char *write_with(Arena *arena, const char *path, Str text, const char *line, size_t place)
{
	static const char head[] =
		"# Variants that were launched. neso compile --declared FILE compiles them ahead.\n\n";
	Text out;
	text_init(&out, arena);
	if (!text.len)
		text_str(&out, head);
	text_add(&out, text.ptr, place);
	if (place && text.ptr[place - 1] != '\n')
		text_char(&out, '\n');
	text_printf(&out, "%s\n", line);
	text_add(&out, text.ptr + place, text.len - place);
	const char *error;
	return os_write_file(arena, path, (Str){out.data, out.len}, &error) ? NULL : error;
}

/* NULL, or what is wrong. */
static const char *add_line(Arena *arena, const char *path, const char *line)
{
	Str text;
	size_t place;
	const char *error = NULL;
	int fd = open_locked(path);
	if (fd < 0)
		return strerror(errno);
	if (os_read_file(arena, path, &text, &error) && place_of(text, str_of(line), &place))
		error = write_with(arena, path, text, line, place);
	close(fd);
	return error;
}

/* ---- what the context does with it ---- */

static void forget(neso_context *context)
{
	free(atomic_exchange(&context->record, NULL));
}

/* What is wrong is told without the lock: it may run the host's code. */
static void add_variant(neso_context *context, const JitVariant *variant)
{
	Arena arena;
	DiagList diags;
	Fault fault;
	Text text;
	arena_init(&arena, 0);
	diag_init(&diags, &arena, NULL);
	text_init(&text, &arena);
	pthread_mutex_lock(&context->record_lock);
	if (context->record && FAULT_TRY(&fault)) {
		const char *path = context->record;
		const char *line = jit_declaration(&arena, variant, os_path_dir(&arena, path));
		const char *error = line ? add_line(&arena, path, line) : NULL;
		if (error) {
			diag_add_at(&diags, NULL, (LineCol){0, 0}, DIAG_RECORD_FILE, path, error);
			diag_render_all(&text, &diags);
			forget(context);
		}
		fault_leave(&fault);
	}
	pthread_mutex_unlock(&context->record_lock);
	if (diags.first)
		api_log(context, NESO_LOG_WARNING, text.data);
	arena_free(&arena);
}

void api_record_launch(void *data, const JitVariant *variant)
{
	neso_context *context = data;
	if (context->record)
		add_variant(context, variant);
}

void api_record_begin(neso_context *context, const char *file, DiagList *diags)
{
	if (!file || !*file)
		return;
	int fd = open_locked(file);
	char *path = fd >= 0 ? realpath(file, NULL) : NULL;
	if (!path)
		diag_add_at(diags, NULL, (LineCol){0, 0}, DIAG_RECORD_FILE, file, strerror(errno));
	if (fd >= 0)
		close(fd);
	forget(context);
	context->record = path;
}

void api_record_end(neso_context *context)
{
	forget(context);
}

typedef struct RecordArgs {
	neso_context *context;
	const char *file;
} RecordArgs;

/* What was launched before, and is remembered. */
static void add_launched(neso_context *context, Arena *arena)
{
	Fault fault;
	pthread_mutex_lock(&context->modules_lock);
	if (FAULT_TRY(&fault)) {
		for (const neso_module *m = context->modules; m; m = m->next)
			for (size_t k = 0; k < m->kernel_count; k++) {
				uint32_t count;
				const JitVariant *const *all =
					jit_ready_variants(m->kernels[k].jit, arena, &count);
				for (uint32_t i = 0; i < count; i++)
					if (jit_was_launched(all[i]))
						add_variant(context, all[i]);
				jit_let_all_go(all, count);
			}
		fault_leave(&fault);
	}
	pthread_mutex_unlock(&context->modules_lock);
	if (fault.kind != FAULT_NONE)
		fault_raise(fault.kind, "%s", fault.text);
}

static neso_status record(ApiCall *call, void *data)
{
	const RecordArgs *args = data;
	if (!args->context)
		return api_usage(call, "neso_context_record wants a context");
	pthread_mutex_lock(&args->context->record_lock);
	forget(args->context);
	api_record_begin(args->context, args->file, &call->diags);
	pthread_mutex_unlock(&args->context->record_lock);
	if (call->diags.warnings)
		return NESO_ERROR_SOURCE;
	if (args->context->record)
		add_launched(args->context, &call->arena);
	return NESO_OK;
}

neso_status neso_context_record(neso_context *context, const char *file, neso_diagnostics **diagnostics)
{
	RecordArgs args = {context, file};
	return api_run(context, diagnostics, record, &args);
}
