/* neso compile of many kernels: threads take jobs in order; the thread that started them shows
 * how far they are.
 *
 * At the first interrupt nothing more is begun: what is being compiled is finished and kept, and
 * the summary is printed. The second ends the process as it would end any. SIGTERM, SIGHUP and
 * the end of the parent end what is being compiled, too. */
#define _GNU_SOURCE /* nftw */
#include <errno.h>
#include <ftw.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "cli/bar.h"
#include "cli/batch.h"

static volatile sig_atomic_t interrupted; /* by which signal; a handler has no other way to tell */

static void interrupt(int signal_number)
{
	interrupted = signal_number;
}

/* Is what is being compiled to be finished? A neso_poll_fn. */
static bool goes_on(void *unused)
{
	return (!interrupted || interrupted == SIGINT) && parent_lives(unused);
}

/* Where it is not ignored, as with nohup and in the background of a script. */
static void catch_signal(int signal_number)
{
	struct sigaction action = {.sa_handler = interrupt, .sa_flags = (int)SA_RESETHAND}, old;
	if (sigaction(signal_number, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
		sigaction(signal_number, &action, NULL);
}

typedef struct Batch {
	Job *jobs;
	size_t count, next, done;
	size_t in_state[JOB__COUNT];
	const Job *last; /* that was begun */
	bool json, terminal;
	bool stopped; /* nothing more is begun: the parent ended, or a signal did what was being compiled */
	Bar bar;
	double began;
	pthread_mutex_t lock; /* all of it, and what is printed */
	pthread_cond_t changed;
	size_t running; /* threads */
} Batch;

static const char *const state_names[JOB__COUNT] = {
	[JOB_WAITING] = "not begun", [JOB_COMPILED] = "compiled", [JOB_HIT] = "hit", [JOB_SAME] = "same", [JOB_FAILED] = "failed",
};

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- progress ---- */

static void draw_bar(Batch *b)
{
	char text[300] = "";
	int len = 0;
	if (b->in_state[JOB_HIT])
		len += snprintf(text + len, sizeof text - (size_t)len, "%zu hits  ", b->in_state[JOB_HIT]);
	if (b->in_state[JOB_FAILED])
		len += snprintf(text + len, sizeof text - (size_t)len, "%zu failed  ",
				b->in_state[JOB_FAILED]);
	if (interrupted)
		len += snprintf(text + len, sizeof text - (size_t)len, "stopping  ");
	if (b->last)
		snprintf(text + len, sizeof text - (size_t)len, "%.200s", b->last->request->where);
	bar_draw(&b->bar, b->done, b->count, text);
}

static void say_options(FILE *to, const Job *job)
{
	const neso_compile_options *o = &job->options;
	fprintf(to, "  %s", o->target ? o->target : "interp");
	if (o->num_warps)
		fprintf(to, " num_warps=%u", (unsigned)o->num_warps);
	if (o->num_stages)
		fprintf(to, " num_stages=%u", (unsigned)o->num_stages);
	if (o->num_ctas)
		fprintf(to, " num_ctas=%u", (unsigned)o->num_ctas);
	if (o->maxnreg)
		fprintf(to, " maxnreg=%u", (unsigned)o->maxnreg);
	if (o->ptx_version)
		fprintf(to, " ptx_version=%u", (unsigned)o->ptx_version);
	if (o->constexpr_policy == NESO_POLICY_GENERIC)
		fputs(" generic", to);
}

/* That a kernel has many variants is a finding in a program that launches it, and here what was asked for. */
static const char *findings(const Job *job)
{
	const neso_diagnostic *first = neso_diagnostics_get(job->diagnostics, 0);
	bool wanted = neso_diagnostics_count(job->diagnostics) == 1 && strcmp(first->code, "VARIANTS_MANY") == 0;
	return wanted ? "" : neso_diagnostics_text(job->diagnostics);
}

/* A job that is done: a line, and what is wrong with it. On a terminal only those that something is to be said of. */
static void say_job(Batch *b, const Job *job)
{
	bool talks = job->state == JOB_FAILED || *findings(job);
	if (b->json || (b->terminal && !talks))
		return;
	bar_clear(&b->bar);
	fprintf(stderr, "[%zu/%zu] %-8s %s  %s", b->done, b->count, state_names[job->state], job->request->where, job->signature);
	if (job->kernel)
		say_options(stderr, job);
	if (job->state != JOB_FAILED)
		fprintf(stderr, "  %.3f s", job->seconds);
	if (job->request->from)
		fprintf(stderr, "  (%s)", job->request->from);
	fputc('\n', stderr);
	show_diagnostics(findings(job));
	if (job->message)
		fprintf(stderr, "neso: error: %s: %s\n", job->request->where, job->message);
}

/* ---- threads ---- */

static bool is_there(const Batch *b, const neso_variant *variant)
{
	for (size_t i = 0; i < b->next; i++)
		if (b->jobs[i].variant == variant)
			return true;
	return false;
}

/* variant: NULL of a job that failed. The first of several with one variant keeps its state. */
static void finish(Batch *b, Job *job, JobState state, const neso_variant *variant)
{
	pthread_mutex_lock(&b->lock);
	job->state = variant && is_there(b, variant) ? JOB_SAME : state;
	job->variant = variant;
	b->in_state[job->state]++;
	b->done++;
	say_job(b, job);
	pthread_cond_signal(&b->changed);
	pthread_mutex_unlock(&b->lock);
}

/* What was ended from outside is as if it had not been begun. */
static void take_back(Batch *b, Job *job)
{
	neso_diagnostics_free(job->diagnostics);
	job->diagnostics = NULL;
	pthread_mutex_lock(&b->lock);
	b->stopped = true;
	pthread_mutex_unlock(&b->lock);
}

static void compile(Batch *b, Job *job)
{
	if (!job->kernel) {
		finish(b, job, JOB_FAILED, NULL);
		return;
	}
	job->options.poll = goes_on;
	neso_variant *variant = NULL;
	neso_variant_info info = {.size = sizeof info};
	double began = now();
	neso_status status = neso_kernel_compile(job->kernel, job->signature, &job->options, &variant, &job->diagnostics);
	job->seconds = now() - began;
	if (status == NESO_ERROR_STOPPED && !goes_on(NULL)) {
		take_back(b, job);
		return;
	}
	if (status != NESO_OK || neso_variant_get_info(variant, &info) != NESO_OK) {
		if (!neso_diagnostics_errors(job->diagnostics))
			job->message = neso_status_text(status);
		finish(b, job, JOB_FAILED, NULL);
		return;
	}
	bool hit = info.cache && strcmp(info.cache, "hit") == 0;
	job->kept = hit || info.cache_key;
	for (int i = 0; hit && i < NESO_STEPS; i++)
		job->saved += info.seconds[i];
	job->saved = job->saved > job->seconds ? job->saved - job->seconds : 0;
	finish(b, job, hit ? JOB_HIT : JOB_COMPILED, variant);
}

static void *work(void *data)
{
	Batch *b = data;
	for (;;) {
		pthread_mutex_lock(&b->lock);
		Job *job = b->next < b->count && !interrupted && !b->stopped ? &b->jobs[b->next++] : NULL;
		b->last = job ? job : b->last;
		if (!job) {
			b->running--;
			pthread_cond_signal(&b->changed);
		}
		pthread_mutex_unlock(&b->lock);
		if (!job)
			return NULL;
		compile(b, job);
	}
}

/* Until no thread runs. */
static void watch(Batch *b)
{
	pthread_mutex_lock(&b->lock);
	while (b->running) {
		struct timespec until;
		if (b->terminal)
			draw_bar(b);
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += 100000000;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		pthread_cond_timedwait(&b->changed, &b->lock, &until);
	}
	bar_clear(&b->bar);
	pthread_mutex_unlock(&b->lock);
}

/* ---- the result ---- */

static void print_job_json(const Job *job)
{
	const neso_compile_options *o = &job->options;
	neso_variant_info info = {.size = sizeof info};
	fputs("{\"kernel\": ", stdout);
	print_json_text(job->request->where);
	fputs(", \"signature\": ", stdout);
	print_json_text(job->signature);
	fputs(", \"target\": ", stdout);
	print_json_text(o->target ? o->target : "interp");
	fputs(", \"from\": ", stdout);
	print_json_text(job->request->from);
	printf(", \"result\": \"%s\", \"seconds\": %.6f, \"saved_seconds\": %.6f", state_names[job->state], job->seconds, job->saved);
	if (job->variant && neso_variant_get_info(job->variant, &info) == NESO_OK) {
		printf(", \"num_warps\": %u, \"num_stages\": %u, \"registers\": %u, \"spill_stores\": %u, \"shared\": %u, \"key\": ",
		       (unsigned)info.num_warps, (unsigned)info.num_stages, (unsigned)info.registers, (unsigned)info.spill_stores,
		       (unsigned)info.shared);
		print_json_text(info.cache_key);
	}
	if (job->message) {
		fputs(", \"message\": ", stdout);
		print_json_text(job->message);
	}
	printf(", \"diagnostics\": %s}", neso_diagnostics_json(job->diagnostics));
}

static void print_result(const Batch *b, long threads)
{
	double seconds = now() - b->began, worked = 0, saved = 0;
	size_t lost = 0;
	const size_t *n = b->in_state;
	for (size_t i = 0; i < b->count; i++) {
		lost += b->jobs[i].state == JOB_COMPILED && !b->jobs[i].kept;
		worked += b->jobs[i].state == JOB_COMPILED ? b->jobs[i].seconds : 0;
		saved += b->jobs[i].state == JOB_HIT ? b->jobs[i].saved : 0;
	}
	if (b->json) {
		fputs("{\"jobs\": [", stdout);
		for (size_t i = 0; i < b->count; i++) {
			fputs(i ? ",\n " : "", stdout);
			print_job_json(&b->jobs[i]);
		}
		printf("],\n \"compiled\": %zu, \"hits\": %zu, \"same\": %zu, \"failed\": %zu, \"not_begun\": %zu, \"threads\": %ld, "
		       "\"seconds\": %.6f, \"compile_seconds\": %.6f, \"saved_seconds\": %.6f}\n",
		       n[JOB_COMPILED], n[JOB_HIT], n[JOB_SAME], n[JOB_FAILED], b->count - b->done, threads, seconds, worked, saved);
		return;
	}
	printf("%zu compiled, %zu hit%s", n[JOB_COMPILED], n[JOB_HIT], n[JOB_HIT] == 1 ? "" : "s");
	if (n[JOB_SAME])
		printf(", %zu the same as another", n[JOB_SAME]);
	printf(", %zu failed", n[JOB_FAILED]);
	if (b->done < b->count)
		printf(", %zu not begun", b->count - b->done);
	printf("; %.2f s on %ld thread%s", seconds, threads, threads == 1 ? "" : "s");
	if (n[JOB_COMPILED])
		printf(", %.2f s of compiling", worked);
	if (n[JOB_HIT])
		printf(", %.2f s saved", saved);
	if (lost)
		printf("; %zu not in the compile cache, which keeps variants for GPUs (--target), where it is not "
		       "switched off, and its key file has more than public keys", lost);
	putchar('\n');
}

int jobs_run(const Parsed *parsed, Jobs *jobs, long threads)
{
	Batch b = {.jobs = jobs->at, .count = jobs->count, .json = option_value(parsed, "json") != NULL, .began = now()};
	b.bar = bar_begin();
	b.terminal = !b.json && b.bar.terminal;
	pthread_mutex_init(&b.lock, NULL);
	pthread_cond_init(&b.changed, NULL);
	catch_signal(SIGINT);
	catch_signal(SIGTERM);
	catch_signal(SIGHUP);
	if (b.terminal)
		draw_bar(&b);
	pthread_t *started = take((size_t)threads * sizeof *started);
	long count = 0;
	b.running = (size_t)threads;
	while (count < threads && pthread_create(&started[count], NULL, work, &b) == 0)
		count++;
	pthread_mutex_lock(&b.lock);
	b.running -= (size_t)(threads - count);
	b.running += count == 0;
	pthread_mutex_unlock(&b.lock);
	if (count)
		watch(&b);
	else
		work(&b);
	for (long i = 0; i < count; i++)
		pthread_join(started[i], NULL);
	print_result(&b, count ? count : 1);
	return b.in_state[JOB_FAILED] || b.done < b.count ? EXIT_INPUT : EXIT_DONE;
}

/* ---- parts of it ---- */

/* --shard I/N: of all jobs in their order each N-th, from the I-th on. */
static bool take_shard(const Parsed *parsed, Jobs *jobs)
{
	const char *text = option_value(parsed, "shard");
	unsigned long part, parts;
	char *end, *last = "";
	if (!text)
		return true;
	part = strtoul(text, &end, 10);
	parts = *end == '/' ? strtoul(end + 1, &last, 10) : 0;
	if (part < 1 || parts < part || *last || parts > 1000000) {
		usage_error("--shard wants I/N, from 1/N to N/N, not '%s'", text);
		return false;
	}
	size_t kept = 0;
	for (size_t i = 0; i < jobs->count; i++) {
		if (i % parts == part - 1)
			jobs->at[kept++] = jobs->at[i];
		else
			neso_diagnostics_free(jobs->at[i].diagnostics);
	}
	jobs->count = kept;
	return true;
}

/* --count: the jobs, and none of them done. */
static int show_jobs(const Parsed *parsed, const Jobs *jobs)
{
	int result = EXIT_DONE;
	size_t variants = 0;
	for (size_t i = 0; i < jobs->count; i++) {
		const Job *job = &jobs->at[i];
		variants += job->state != JOB_FAILED;
		if (job->state == JOB_FAILED) {
			result = EXIT_INPUT;
			show_diagnostics(neso_diagnostics_text(job->diagnostics));
			if (job->message)
				input_error("%s: %s", job->request->where, job->message);
			continue;
		}
		printf("%s  %s", job->request->where, job->signature);
		say_options(stdout, job);
		putchar('\n');
	}
	if (!option_value(parsed, "json"))
		fprintf(stderr, "%zu variant%s\n", variants, variants == 1 ? "" : "s");
	return result;
}

/* ---- a pack ---- */

/* What is compiled goes into a new folder, and from there into the pack. */
static const char *begin_pack(const Parsed *parsed)
{
	const char *temp = getenv("TMPDIR");
	if (!option_value(parsed, "pack"))
		return NULL;
	char *folder = take_printf("%s/neso-pack-XXXXXX", temp && *temp ? temp : "/tmp");
	if (!mkdtemp(folder) || setenv("TRITON_CACHE_DIR", folder, 1) != 0) {
		input_error("%s: %s", folder, strerror(errno));
		return "";
	}
	unsetenv("TRITON_DISABLE_CACHE");
	return folder;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st;
	(void)kind;
	(void)at;
	return remove(path);
}

static int end_pack(const Parsed *parsed, neso_context *context, const char *folder, int result)
{
	neso_diagnostics *diagnostics;
	neso_cache_packed packed = {.size = sizeof packed};
	if (result == EXIT_DONE) {
		const char *file = option_value(parsed, "pack");
		neso_status status = neso_cache_pack(context, file, &packed, &diagnostics);
		result = report(parsed, status, diagnostics);
		if (result == EXIT_DONE && !option_value(parsed, "json"))
			printf("%s: %llu entries, %llu bytes\n", file, (unsigned long long)packed.entries,
			       (unsigned long long)packed.bytes);
	}
	nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	return result;
}

/* ---- the command ---- */

int compile_many(const Parsed *parsed)
{
	static const char *const alone[] = {"emit", "output", "why", "stop-after", "stats", "time", "no-loc", "dump-passes"};
	for (size_t i = 0; i < sizeof alone / sizeof *alone; i++)
		if (option_value(parsed, alone[i]))
			return usage_error("--%s is for one kernel with one signature", alone[i]);
	Requests requests;
	Jobs jobs;
	long threads;
	int result = requests_read(parsed, &requests);
	if (result != EXIT_DONE)
		return result;
	const char *folder = begin_pack(parsed);
	neso_context *context = folder && !*folder ? NULL : open_context(parsed);
	if (!context)
		return EXIT_INPUT;
	const char *processors = neso_context_info(context, "threads");
	long most = processors ? strtol(processors, NULL, 10) : 1;
	if (!option_number(parsed, "jobs", 1, 1024, most > 0 ? most : 1, &threads))
		result = EXIT_USAGE;
	if (result == EXIT_DONE)
		result = jobs_expand(context, &requests, &jobs);
	if (result == EXIT_DONE && !take_shard(parsed, &jobs))
		result = EXIT_USAGE;
	if (result == EXIT_DONE) {
		threads = threads < (long)jobs.count ? threads : (long)jobs.count;
		result = option_value(parsed, "count") ? show_jobs(parsed, &jobs)
						       : jobs_run(parsed, &jobs, threads ? threads : 1);
		for (size_t i = 0; i < jobs.count; i++)
			neso_diagnostics_free(jobs.at[i].diagnostics);
		for (size_t i = 0; i < jobs.module_count; i++)
			neso_module_free(jobs.modules[i]);
	}
	if (folder)
		result = end_pack(parsed, context, folder, result);
	result = close_context(parsed, context, result);
	if (interrupted) {
		fflush(stdout);
		raise(interrupted); /* the handler is gone: who started us sees what ended it */
	}
	return result;
}
