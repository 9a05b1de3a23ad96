/* Runs a tool of the toolkit, with a time limit and without leaving anything behind.
 *
 * Files are memory files that the child inherits and names by /proc/self/fd/N, so a crash of
 * either side leaves no litter. Without /proc or memory files, they lie in a folder made for the
 * run, which is removed on every path. The tool gets a process group of its own, which is killed
 * at the time limit. It ends with its parent too, which posix_spawn cannot ask for.
 *
 * A tool that is begun before its input is there finds a file that somebody else has a lease of
 * (fcntl(2)): the system lets its open wait until the lease is given up. */
#define _GNU_SOURCE /* memfd_create, pipe2, F_DUPFD_CLOEXEC, F_SETLEASE, vfork */
#include "nv/inner.h"

#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/fault.h"
#include "base/os.h"
#include "base/stop.h"

extern char **environ;

enum {
	LARGEST_SAID = 8 << 20, /* bytes of output kept */
	LEAST_LEASE = 10,	/* seconds that the system must let an open wait for a lease */
	MOST_BEGUN = 4,		/* seconds that a tool is let wait */
};

/* What must be given back; index 0 is the input, 1 the output. */
typedef struct Work {
	int fd[2]; /* memory files, or -1; the child has them under the same numbers */
	char *folder;
	char *path[2];
	int pipe[2];
	pid_t pid; /* while it runs */
	double deadline;
} Work;

/* ---- descriptors ---- */

/* The descriptor under a number that a child's standard ones do not take, and if there is room none that a
 * script opens itself, whichever the parent has closed. -1: there is none. */
static int move_up(int fd)
{
	static const int least[] = {200, 100, 10, 3};
	for (size_t i = 0; fd >= 0 && i < ARRAY_LEN(least); i++) {
		int moved = fd >= least[i] ? fd : fcntl(fd, F_DUPFD_CLOEXEC, least[i]);
		if (moved >= 0 && moved != fd)
			close(fd);
		if (moved >= 0)
			return moved;
	}
	if (fd >= 0) {
		close(fd);
		errno = EMFILE;
	}
	return -1;
}

static bool make_pipe(int ends[2])
{
	if (pipe2(ends, O_CLOEXEC) != 0) {
		ends[0] = ends[1] = -1;
		return false;
	}
	ends[1] = move_up(ends[1]);
	return ends[1] >= 0;
}

/* ---- files ---- */

static const Work no_work = {.fd = {-1, -1}, .pipe = {-1, -1}, .pid = -1};

static bool make_memory_files(Work *work, Arena *arena, const NvRun *run)
{
	if (access("/proc/self/fd", X_OK) != 0)
		return false;
	for (int i = 0; i <= (run->has_output ? 1 : 0); i++) {
		work->fd[i] = move_up(memfd_create("neso", MFD_CLOEXEC));
		if (work->fd[i] < 0)
			return false;
		work->path[i] = arena_printf(arena, "/proc/self/fd/%d", work->fd[i]);
	}
	return os_write_all(work->fd[0], run->input);
}

/* What opens the file waits from now on. A memory file as it was made counts as open by another
 * one, so that there is no lease of it. Nobody is to be sent a signal by it. */
static bool withhold(Work *work)
{
#ifdef F_SETLEASE
	int again = open(work->path[0], O_RDWR | O_CLOEXEC);
	if (again < 0)
		return false;
	bool ok = dup3(again, work->fd[0], O_CLOEXEC) >= 0;
	close(again);
	return ok && fcntl(work->fd[0], F_SETLEASE, F_WRLCK) == 0 &&
	       fcntl(work->fd[0], F_SETOWN, 0) == 0;
#else
	(void)work;
	return false;
#endif
}

static bool hand_out(const Work *work, Str input)
{
#ifdef F_SETLEASE
	return os_write_all(work->fd[0], input) && fcntl(work->fd[0], F_SETLEASE, F_UNLCK) == 0;
#else
	(void)work, (void)input;
	return false;
#endif
}

static void close_files(Work *work)
{
	for (int i = 0; i < 2; i++) {
		if (work->fd[i] >= 0)
			close(work->fd[i]);
		work->fd[i] = -1;
	}
}

static bool make_disk_files(Work *work, Arena *arena, const NvRun *run)
{
	const char *base = getenv("TMPDIR");
	char *folder = arena_printf(arena, "%s/neso-XXXXXX", base && *base ? base : "/tmp");
	work->path[0] = work->path[1] = NULL;
	if (!mkdtemp(folder))
		return false;
	work->folder = folder;
	work->path[0] = arena_printf(arena, "%s/in%s", folder, run->suffix ? run->suffix : "");
	work->path[1] = arena_printf(arena, "%s/out", folder);
	int fd = open(work->path[0], O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return false;
	bool ok = os_write_all(fd, run->input);
	int code = errno;
	close(fd);
	errno = code;
	return ok;
}

/* The output is read before the files go; nothing when there is none. */
static void read_output(const Work *work, NvRan *ran)
{
	struct stat st;
	int fd = work->folder ? open(work->path[1], O_RDONLY | O_CLOEXEC) : work->fd[1];
	if (fd < 0)
		return;
	if (fstat(fd, &st) == 0 && st.st_size > 0 && (ran->output = malloc((size_t)st.st_size))) {
		size_t at = 0;
		ssize_t got;
		while (at < (size_t)st.st_size &&
		       (got = pread(fd, (char *)ran->output + at, (size_t)st.st_size - at, (off_t)at)) > 0)
			at += (size_t)got;
		ran->output_len = at;
	}
	if (work->folder)
		close(fd);
}

static void clean(Work *work)
{
	close_files(work);
	for (int i = 0; i < 2; i++)
		if (work->pipe[i] >= 0)
			close(work->pipe[i]);
	if (!work->folder)
		return;
	for (int i = 0; i < 2; i++)
		unlink(work->path[i]);
	rmdir(work->folder);
}

/* ---- the process ---- */

/* What the C library of the tools takes from here, where the user says nothing: ptxas asks for memory piece by piece, and touches 16 MB or
 * more of it once. In large pages, taken at once, that is a twentieth to a tenth of its time less. */
static const char tunables[] = "GLIBC_TUNABLES=glibc.malloc.hugetlb=1:glibc.malloc.top_pad=33554432:"
			       "glibc.malloc.mmap_threshold=1073741824:glibc.malloc.trim_threshold=1073741824";

static char **environment(Arena *arena)
{
	size_t count = 0, name = (size_t)(strchr(tunables, '=') + 1 - tunables);
	for (; environ && environ[count]; count++)
		if (strncmp(environ[count], tunables, name) == 0)
			return environ;
	char **all = ARENA_ARRAY(arena, char *, count + 2);
	if (count)
		memcpy(all, environ, count * sizeof *all);
	all[count] = (char *)(uintptr_t)tunables;
	return all;
}

/* What the child needs, read by it in the parent's memory. */
typedef struct Start {
	const Work *work;
	const char *path;
	char *const *args, *const *environ;
	pid_t parent;
	volatile int error; /* errno of what failed in the child */
} Start;

static bool give_descriptors(const Work *work)
{
	close(0); /* the lowest free one is taken next */
	bool ok = open("/dev/null", O_RDONLY) == 0;
	ok = ok && dup2(work->pipe[1], 1) == 1 && dup2(work->pipe[1], 2) == 2;
	for (int i = 0; i < 2 && ok; i++)
		ok = work->fd[i] < 0 || fcntl(work->fd[i], F_SETFD, 0) == 0;
	return ok;
}

/* In the child, while the parent stands still: the pipe as output, no input, the files; signals as a fresh
 * process has them; a group of its own; and its end when the thread that waits for it ends, however that
 * comes about. */
static _Noreturn void become_tool(Start *start)
{
	sigset_t none;
	for (int i = 1; i < NSIG; i++)
		signal(i, SIG_DFL);
	setpgid(0, 0);
#ifdef __linux__
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() != start->parent)
		_exit(127);
#endif
	sigemptyset(&none);
	if (give_descriptors(start->work) && sigprocmask(SIG_SETMASK, &none, NULL) == 0)
		execve(start->path, start->args, start->environ);
	start->error = errno;
	_exit(127);
}

/* errno of what failed; 0. Signals wait meanwhile: no handler of the host runs in the child, which has its
 * memory. */
static int spawn(Work *work, Arena *arena, const NvRun *run, const char *const *args)
{
	Start start = {
		.work = work,
		.path = run->path,
		.args = (char *const *)(uintptr_t)args,
		.environ = environment(arena),
		.parent = getpid(),
	};
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	pid_t pid = vfork();
	if (pid == 0)
		become_tool(&start);
	int error = pid < 0 ? errno : start.error;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (pid > 0 && error)
		waitpid(pid, NULL, 0);
	else if (pid > 0)
		work->pid = pid;
	return error;
}

/* Is that in what it said, in a line that has ended? *from: where to look on, by whole lines. */
static bool has_said(const Text *said, size_t *from, const char *what)
{
	size_t len = strlen(what), end = said->len;
	while (end > *from && said->data[end - 1] != '\n')
		end--;
	for (size_t i = *from; i + len <= end; i++)
		if (memcmp(said->data + i, what, len) == 0)
			return true;
	*from = end;
	return false;
}

/* Reads what it says until it closes its output, has said enough, which is true then, or time is
 * up. */
static bool listen_to(Work *work, Text *said, const NvRun *run)
{
	char buffer[4096];
	size_t looked = 0;
	for (;;) {
		double left = work->deadline - os_now();
		if (left <= 0)
			return false;
		if (run->asks)
			stop_point();
		struct pollfd ready = {.fd = work->pipe[0], .events = POLLIN};
		double wait = run->asks ? stop_wait(MIN(left, 1e6)) : MIN(left, 1e6);
		int n = poll(&ready, 1, (int)(wait * 1e3 + 1));
		if (n < 0 && errno != EINTR)
			return false;
		if (n <= 0)
			continue;
		ssize_t got = read(work->pipe[0], buffer, sizeof buffer);
		if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN))
			return false;
		if (got > 0 && said->len < LARGEST_SAID)
			text_add(said, buffer, (size_t)got);
		if (run->enough && has_said(said, &looked, run->enough))
			return true;
	}
}

/* Its exit status, as a shell gives it; -1 where the host takes the status of its children itself. */
static int reap(pid_t pid, double deadline, bool asks, bool *timed_out)
{
	int status;
	/* It has closed its output, so it is about to end: looking often at first costs less than a fixed pause. */
	struct timespec pause = {.tv_nsec = 20000};
	for (;;) {
		pid_t got = waitpid(pid, &status, *timed_out ? 0 : WNOHANG);
		if (got == pid)
			return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
		if (got < 0 && errno != EINTR)
			return -1;
		if (!*timed_out && os_now() > deadline) {
			*timed_out = true;
			kill(-pid, SIGKILL);
			kill(pid, SIGKILL);
		} else if (!*timed_out) {
			if (asks)
				stop_point();
			nanosleep(&pause, NULL);
			pause.tv_nsec = MIN(pause.tv_nsec * 2, 2000000);
		}
	}
}

static const char *const *real_args(Arena *arena, const NvRun *run, const Work *work)
{
	size_t n = 0;
	while (run->args[n])
		n++;
	const char **args = ARENA_ARRAY(arena, const char *, n + 1);
	for (size_t i = 0; i < n; i++) {
		const char *arg = run->args[i];
		const char *at = strrchr(arg, '@');
		bool file = at && (at[1] == '0' || at[1] == '1') && !at[2] && (at == arg || at[-1] == '=');
		args[i] = !file ? arg : at == arg ? work->path[at[1] - '0']
						  : arena_printf(arena, "%.*s%s", (int)(at - arg), arg, work->path[at[1] - '0']);
	}
	return args;
}

static int start(Work *work, Arena *arena, const NvRun *run)
{
	if (!make_pipe(work->pipe))
		return errno;
	int error = spawn(work, arena, run, real_args(arena, run, work));
	close(work->pipe[1]);
	work->pipe[1] = -1;
	return error;
}

/* ---- begun before there is input ---- */

struct NvBegun {
	Work work;
	Arena arena; /* of its paths */
	const char *what;
	double since;
};

static bool waits_long(Arena *arena)
{
	Str text;
	const char *error;
	return os_read_file(arena, "/proc/sys/fs/lease-break-time", &text, &error) &&
	       atoi(text.ptr) >= LEAST_LEASE;
}

static void begin(NvBegun *begun, const NvRun *run, const char *what)
{
	Work *work = &begun->work;
	begun->what = arena_strdup(&begun->arena, what);
	begun->since = os_now();
	if (waits_long(&begun->arena) && make_memory_files(work, &begun->arena, run) &&
	    withhold(work))
		start(work, &begun->arena, run);
}

NvBegun *nv_run_begin(const NvRun *run, const char *what)
{
	Fault fault;
	NvBegun *volatile begun = NULL;
	if (FAULT_TRY(&fault)) {
		begun = nv_new(sizeof *begun);
		begun->work = no_work;
		arena_init(&begun->arena, 0);
		begin(begun, run, what);
		fault_leave(&fault);
	}
	if (begun && (fault.kind != FAULT_NONE || begun->work.pid <= 0)) {
		nv_begun_free(begun);
		return NULL;
	}
	return begun;
}

/* The one that was begun goes on with the input, if it is the same tool and has not waited long. */
static bool go_on(NvBegun *begun, const NvRun *run, Work *work)
{
	if (!begun || begun->work.pid <= 0 || strcmp(begun->what, run->what) != 0 ||
	    os_now() - begun->since > MOST_BEGUN || !hand_out(&begun->work, run->input))
		return false;
	*work = begun->work;
	begun->work = no_work;
	return true;
}

static void start_tool(Arena *arena, const NvRun *run, NvRan *ran, Work *work)
{
	if (!go_on(run->begun, run, work)) {
		if (!make_memory_files(work, arena, run)) {
			close_files(work);
			if (!make_disk_files(work, arena, run)) {
				ran->error = errno;
				return;
			}
		}
		ran->error = start(work, arena, run);
	}
	ran->input_path = work->path[0];
	work->deadline = run->timeout > 0 ? os_now() + run->timeout : DBL_MAX;
}

static void end_tool(const Work *work)
{
	bool timed_out = true;
	if (work->pid <= 0)
		return;
	kill(-work->pid, SIGKILL);
	reap(work->pid, 0, false, &timed_out);
}

void nv_begun_free(NvBegun *begun)
{
	if (!begun)
		return;
	end_tool(&begun->work);
	clean(&begun->work);
	arena_free(&begun->arena);
	free(begun);
}

static void await_tool(Arena *arena, const NvRun *run, NvRan *ran, Work *work)
{
	Text said;
	if (work->pid <= 0)
		return;
	text_init(&said, arena);
	text_str(&said, "");
	ran->enough = listen_to(work, &said, run);
	if (ran->enough)
		end_tool(work);
	else
		ran->status = reap(work->pid, work->deadline, run->asks, &ran->timed_out);
	work->pid = -1;
	ran->said = (Str){said.data, said.len};
	if (run->has_output && !ran->enough)
		read_output(work, ran);
}

static void run_tools(Arena *arena, const NvRun *runs, NvRan *ran, Work *work, size_t count)
{
	for (size_t i = 0; i < count; i++)
		start_tool(arena, &runs[i], &ran[i], &work[i]);
	/* What a later one says meanwhile waits in its pipe. */
	for (size_t i = 0; i < count; i++)
		await_tool(arena, &runs[i], &ran[i], &work[i]);
}

void nv_run_all(Arena *arena, const NvRun *runs, NvRan *ran, size_t count)
{
	Work work[NV_MOST_RUNS];
	CONTRACT(count <= NV_MOST_RUNS);
	for (size_t i = 0; i < count; i++) {
		ran[i] = (NvRan){.said = STR("")};
		work[i] = no_work;
	}
	Fault fault;
	if (FAULT_TRY(&fault)) {
		run_tools(arena, runs, ran, work, count);
		fault_leave(&fault);
	}
	for (size_t i = 0; i < count; i++) {
		end_tool(&work[i]);
		clean(&work[i]);
		if (fault.kind != FAULT_NONE)
			free(ran[i].output);
	}
	if (fault.kind != FAULT_NONE)
		fault_raise(fault.kind, "%s", fault.text);
}

void nv_run(Arena *arena, const NvRun *run, NvRan *ran)
{
	nv_run_all(arena, run, ran, 1);
}
