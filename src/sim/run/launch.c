/* A launch: programs on host threads, and what ends it.
 *
 * A program that does not end soon gets company: its thread begins the next one and alternates, as programs may wait for one
 * another; as many of a thread are there at once as the target
 * holds, in the order of their numbers. When nobody ends for long, each is
 * proved to go on or to wait for a change of memory (stuck.c): if all of all threads wait, that is a deadlock. Of
 * several faults the one of the program with the least number is reported.
 *
 * The same launch gives the same result: kernels in which the order of programs may decide (SimKernel.ordered) run on one
 * thread, as do checks and all schedules; nothing depends on time. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/fault.h"
#include "base/os.h"
#include "sim/check/define.h"
#include "sim/check/promised.h"
#include "sim/check/traffic.h"
#include "sim/run/orders.h"

enum { PATIENCE = 4096, SEGMENT = 64, FAIR = 64, MOST_EAGER = 16, UNTOLD = 256, MAX_THREADS = 64, TICK = 16, MOST_PROOF = 1 << 18 };
#define POLL_SECONDS 0.05
#define MOST_RESIDENT_BYTES (UINT64_C(1) << 30)

typedef struct Worker {
	SimRun *run;
	SimCta **live, *idle; /* idle: one that the next program takes */
	unsigned count, cap, ticks, rounds;
	unsigned resident; /* programs that are there at once */
	bool more;           /* there may be programs that nobody has begun */
	bool asks;           /* on the host's thread, and the host wants to be asked */
	SimProof *proof;
	uint32_t proof_rounds;
	uint64_t random;
} Worker;

/* ---- what ends a launch ---- */

static void end_here(SimRun *run, const SimCta *cta, DiagCode code, const char *why)
{
	const SimWarp *w = &cta->warps[0];
	for (unsigned n = 0; n < run->kernel->warps; n++)
		if (cta->warps[n].fragment_count)
			w = &cta->warps[n];
	char text[256];
	snprintf(text, sizeof text, "%s; kernel '%s', %s (%u, %u, %u) is here", why, run->kernel->name,
		 sim_program_word(run), cta->program[0], cta->program[1], cta->program[2]);
	sim_keep_fault(run, cta->pid, code, w->fragment_count ? run->kernel->code[w->fragments[0].pc].loc : 0, text);
	atomic_store(&run->stop, 0);
}

/* Asks the host, on its thread, whether to go on; about every POLL_SECONDS. */
static bool host_goes_on(SimRun *run)
{
	double now = os_now_coarse();
	if (now < run->next_poll)
		return true;
	run->next_poll = now + POLL_SECONDS;
	return run->launch->poll(run->launch->poll_data);
}

/* In seconds; 0: none. */
static double time_limit(const SimLaunch *launch)
{
	bool checks = launch->check || launch->schedules > 1;
	return launch->timeout > 0 ? launch->timeout : checks ? SIM_CHECK_SECONDS : 0;
}

static void look_at_clock(Worker *w, const SimCta *cta)
{
	SimRun *run = w->run;
	char why[128];
	if (run->deadline > 0 && os_now_coarse() >= run->deadline) {
		snprintf(why, sizeof why, "the launch took longer than %g seconds%s", time_limit(run->launch),
			 run->launch->timeout > 0 ? "" : ", the limit of checks where none is given");
		end_here(run, cta, DIAG_RUN_TIMEOUT, why);
	}
	if (w->asks && !host_goes_on(run))
		end_here(run, cta, DIAG_RUN_STOPPED, "the host ended the launch");
}

static bool is_over(const SimRun *run)
{
	return atomic_load(&run->dead) || atomic_load(&run->stop) == 0;
}

/* ---- programs of a thread ---- */

static void begin_program(Worker *w)
{
	SimRun *run = w->run;
	uint64_t pid = atomic_fetch_add(&run->next, 1);
	if (pid >= run->programs || pid >= atomic_load(&run->stop)) {
		w->more = false;
		return;
	}
	SimCta *cta = w->idle ? w->idle : sim_cta_new(run);
	w->idle = NULL;
	if (!cta) {
		sim_no_memory(run);
		w->more = false;
		return;
	}
	sim_cta_start(cta, pid);
	if (w->count == w->cap) {
		unsigned cap = MAX(2 * w->cap, 16u);
		SimCta **grown = heap_grow(w->live, sizeof *grown * cap);
		if (!grown) {
			sim_no_memory(run);
			sim_cta_free(cta);
			w->more = false;
			return;
		}
		w->live = grown;
		w->cap = cap;
	}
	w->live[w->count++] = cta;
}

static void end_program(Worker *w, unsigned k)
{
	SimCta *cta = w->live[k];
	sim_cta_end(cta);
	sim_cta_free(w->idle);
	w->idle = cta;
	w->live[k] = w->live[--w->count];
}

/* ---- who waits goes first ---- */

/* Until it has learnt or told something; false: it has ended. */
static bool run_segment(Worker *w, unsigned k)
{
	SimCta *cta = w->live[k];
	uint32_t told = cta->told.count;
	for (unsigned n = 0; n < SEGMENT && told == cta->told.count; n++) {
		if (w->ticks++ % TICK == 0)
			look_at_clock(w, cta);
		if (sim_stopped(cta) || !sim_cta_round(cta, w->run->schedule.ordering)) {
			end_program(w, k);
			return false;
		}
	}
	return true;
}

/* The last program below this number that waits, or does not; -1: there is none. */
static int last_below(const Worker *w, uint64_t pid, bool waits)
{
	int last = -1;
	for (unsigned k = 0; k < w->count; k++)
		if (w->live[k]->pid < pid && w->live[k]->told.waits == waits &&
		    (last < 0 || w->live[k]->pid > w->live[last]->pid))
			last = (int)k;
	return last;
}

/* The last program that does not wait goes on until it tells something; then all that wait look. So
 * who waits for less than it needs goes on before the rest has come. */
static bool run_eagerly(Worker *w)
{
	int k = last_below(w, UINT64_MAX, false);
	bool ended = k >= 0 && !run_segment(w, (unsigned)k);
	for (uint64_t pid = UINT64_MAX; (k = last_below(w, pid, true)) >= 0;) {
		pid = w->live[k]->pid;
		ended |= !run_segment(w, (unsigned)k);
	}
	return ended;
}

/* A round of all programs: by turns the newest first, so that who was waited for comes before who waits. */
static bool run_round(Worker *w)
{
	SimOrdering ordering = w->run->schedule.ordering;
	bool ended = false;
	w->random = w->random * UINT64_C(6364136223846793005) + 1442695040888963407;
	if (ordering == SIM_REVERSED && w->count <= MOST_EAGER && w->rounds++ % FAIR)
		return run_eagerly(w);
	unsigned count = w->count, first = ordering == SIM_RANDOM ? (unsigned)((w->random >> 33) % count) : 0;
	for (unsigned n = count; n-- > 0;) {
		unsigned k = ordering == SIM_BY_TURNS ? n : (first + count - 1 - n) % count;
		if (k >= w->count)
			continue; /* one that has ended made place for it */
		SimCta *cta = w->live[k];
		if (w->ticks++ % TICK == 0)
			look_at_clock(w, cta);
		if (!sim_stopped(cta) && sim_cta_round(cta, ordering))
			continue;
		end_program(w, k);
		ended = true;
	}
	return ended;
}

/* True when one has ended. The more there are the fewer rounds: all of them wait, or there would be room. */
static bool run_for_a_while(Worker *w)
{
	unsigned rounds = MAX((unsigned)PATIENCE / w->count, 64u);
	bool ended = false;
	for (unsigned round = 0; round < rounds && !ended && !is_over(w->run); round++)
		ended = run_round(w);
	atomic_fetch_add(&w->run->version, 1);
	return ended;
}

/* ---- deadlock ---- */

/* Does each program of this thread wait for a change of memory? */
static bool all_stuck(Worker *w)
{
	bool all = true;
	for (unsigned k = 0; k < w->count && all; k++) {
		look_at_clock(w, w->live[k]);
		if (is_over(w->run))
			return false;
		switch (sim_prove(w->proof, w->live[k], w->proof_rounds)) {
		case SIM_STUCK: continue;
		case SIM_ENDED: end_program(w, k); break;
		case SIM_MOVED: break;
		case SIM_UNDECIDED:
			/* It may be at work for long: looking for it costs time, so it is done more and more seldom. */
			w->proof_rounds = MIN(2 * w->proof_rounds, (uint32_t)MOST_PROOF);
			break;
		}
		all = false;
		atomic_fetch_add(&w->run->version, 1);
	}
	return all;
}

/* This thread's programs wait for a change after `version`: is that so of all threads'? Else waits until something changes. */
static void wait_for_others(Worker *w, uint64_t version)
{
	SimRun *run = w->run;
	bool counted = false;
	while (!is_over(run) && atomic_load(&run->version) == version) {
		pthread_mutex_lock(&run->lock);
		if (run->idle_version != version) {
			run->idle_version = version;
			run->idle = 0;
			counted = false;
		}
		run->idle += !counted;
		counted = true;
		if (run->idle == atomic_load(&run->active) && atomic_load(&run->version) == version)
			atomic_store(&run->dead, true);
		pthread_mutex_unlock(&run->lock);
		if (atomic_load(&run->dead))
			break;
		look_at_clock(w, w->live[0]);
		nanosleep(&(struct timespec){0, 200000}, NULL);
	}
	if (atomic_load(&run->dead))
		sim_note_stuck(w->live, w->count);
}

static void look_for_deadlock(Worker *w)
{
	if (!w->proof && !(w->proof = sim_proof_new(w->run->kernel))) {
		sim_no_memory(w->run);
		return;
	}
	uint64_t version = atomic_load(&w->run->version);
	while (all_stuck(w) && !is_over(w->run)) {
		wait_for_others(w, version);
		version = atomic_load(&w->run->version);
	}
}

/* ---- threads ---- */

/* As many as on a GPU, and as memory holds; few where programs tell one another nothing. */
static unsigned resident_programs(const SimKernel *k)
{
	uint64_t each =
		(uint64_t)k->warps * ((uint64_t)k->slot_count * SIM_SLOT + (uint64_t)k->local * SIM_LANES) +
		(uint64_t)k->shared_pitch * k->ctas;
	uint64_t most = k->ordered ? k->resident.programs : MIN(k->resident.programs, UNTOLD);
	return (unsigned)MAX(MIN(most, MOST_RESIDENT_BYTES / (each + 1)), UINT64_C(1));
}

/* How many more: where programs may wait for one another as many again, else one, as it may only be long. */
static unsigned company_of(const Worker *w)
{
	return w->run->kernel->ordered ? w->count : w->count > 0;
}

static void work(SimRun *run, bool asks)
{
	Worker w = {.run = run,
		    .resident = resident_programs(run->kernel),
		    .more = true,
		    .asks = asks,
		    .proof_rounds = PATIENCE,
		    .random = run->schedule.seed};
	unsigned wanted = 0; /* programs to begin, as nobody has ended for long */
	bool begun = false;
	while (!is_over(run)) {
		if (w.more && w.count < w.resident && (wanted || w.count < run->schedule.company)) {
			wanted -= wanted > 0;
			begun = true;
			begin_program(&w);
			continue;
		}
		if (!w.count)
			break;
		if (wanted && !begun)
			look_for_deadlock(&w);
		begun = false;
		wanted = !w.count || run_for_a_while(&w) ? 0 : company_of(&w); /* all may have ended meanwhile */
	}
	sim_cta_free(w.idle);
	for (unsigned k = 0; k < w.count; k++)
		sim_cta_free(w.live[k]);
	free(w.live);
	sim_proof_free(w.proof);
	pthread_mutex_lock(&run->lock);
	atomic_fetch_sub(&run->active, 1);
	atomic_fetch_add(&run->version, 1);
	pthread_mutex_unlock(&run->lock);
}

static void *thread(void *run)
{
	work(run, false);
	return NULL;
}

static unsigned threads_wanted(const SimRun *run)
{
	if (run->check || run->schedule.number || run->kernel->ordered || run->launch->seed)
		return 1;
	unsigned want = run->launch->threads ? run->launch->threads : os_cpu_count();
	return (unsigned)MIN(MIN((uint64_t)want, run->programs), MAX_THREADS);
}

static void run_programs(SimRun *run)
{
	pthread_t threads[MAX_THREADS];
	unsigned want = threads_wanted(run), started = 0;
	bool asks = run->launch->poll != NULL;
	atomic_store(&run->active, want);
	for (unsigned n = 1; n < want; n++)
		started += pthread_create(&threads[started], NULL, thread, run) == 0;
	atomic_fetch_sub(&run->active, want - 1 - started);
	work(run, asks);
	while (asks && atomic_load(&run->active) && !is_over(run)) {
		if (!host_goes_on(run)) {
			sim_keep_fault(run, 0, DIAG_RUN_STOPPED, 0, "the host ended the launch");
			atomic_store(&run->stop, 0);
		}
		nanosleep(&(struct timespec){0, 1000000}, NULL);
	}
	for (unsigned n = 0; n < started; n++)
		pthread_join(threads[n], NULL);
}

/* ---- in one order ---- */

void sim_run_once(SimRun *run, SimSchedule schedule)
{
	const SimLaunch *launch = run->launch;
	run->schedule = schedule;
	atomic_store(&run->next, 0);
	atomic_store(&run->stop, UINT64_MAX);
	atomic_store(&run->dead, false);
	run->print_next = 0;
	run->printed = launch->print && !schedule.number ? heap_zeroed(run->programs * sizeof *run->printed) : NULL;
	run->races = run->check ? sim_races_new(run->programs) : NULL;
	for (uint32_t k = 0; k < run->buffer_count; k++)
		run->buffers[k].written = 0;
	if (run->races && launch->notes)
		sim_races_limit(run->races, launch->notes);
	bool hollow = sim_hollow_buffers(run);
	if (run->check && run->kernel->promises_memory)
		hollow = sim_promised_new(run) && hollow;
	if (!hollow || (run->check && (!run->races || !run->banks)) ||
	    (launch->print && !schedule.number && !run->printed))
		sim_no_memory(run);
	run_programs(run);
	run->forgot |= run->races && sim_race_forgot(run->races);
	if (run->races && !sim_race_memory(run->races))
		sim_no_memory(run);
	sim_hollow_buffers_free(run);
	sim_promised_free(run);
	for (uint64_t p = 0; run->printed && p < run->programs; p++)
		free(run->printed[p]);
	free(run->printed);
	run->printed = NULL;
}

/* ---- a launch ---- */

/* The buffer that an argument points into; < 0: none. */
static int buffer_of(const SimRun *run, uint64_t address)
{
	for (uint32_t k = 0; k < run->buffer_count; k++)
		if (address - run->buffers[k].base < run->buffers[k].size)
			return (int)k;
	return -1;
}

/* Buffers that the arguments point into, a bit each; all of them, where one points into none. */
static uint64_t buffers_of(const SimRun *run, uint64_t arguments)
{
	uint64_t out = 0;
	for (unsigned a = 0; arguments >> a; a++) {
		int buffer = !(arguments >> a & 1) || a >= run->launch->arg_count
				     ? -2
				     : buffer_of(run, run->launch->args[a]);
		if (buffer == -1)
			return UINT64_MAX;
		out |= buffer < 0 ? 0 : UINT64_C(1) << sim_buffer_bit((unsigned)buffer);
	}
	return out ? out : UINT64_MAX;
}

static bool is_declared(const SimRun *run, uint32_t buffer)
{
	return !run->launch->ambient || !run->launch->ambient[buffer];
}

/* False: no memory. */
static bool allow(SimRun *run)
{
	const SimKernel *k = run->kernel;
	if (run->buffer_count < 2 || (run->buffer_count > SIM_LAST_BUFFER + 1 && is_declared(run, SIM_LAST_BUFFER)))
		return true;
	run->allowed = heap_grow(NULL, sizeof *run->allowed * (k->code_count + 1));
	for (uint32_t pc = 0; pc < k->code_count && run->allowed; pc++)
		run->allowed[pc] = k->code[pc].arguments ? buffers_of(run, k->code[pc].arguments) : UINT64_MAX;
	return run->allowed != NULL;
}

bool sim_run(const SimKernel *kernel, const SimLaunch *launch, unsigned scratch_bytes, DiagList *diags)
{
	uint32_t before = diags->errors;
	SimRun run = {.kernel = kernel, .launch = launch, .scratch_bytes = scratch_bytes};
	run.check = launch->check || launch->schedules > 1;
	run.programs = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
	run.deadline = time_limit(launch) > 0 ? os_now_coarse() + time_limit(launch) : 0;
	run.next_poll = os_now_coarse() + POLL_SECONDS;
	run.buffers = ARENA_ARRAY(diags->arena, SimArray, launch->buffer_count + 1);
	for (size_t i = 0; i < launch->buffer_count; i++) {
		const SimBuffer *b = &launch->buffers[i];
		run.buffers[run.buffer_count++] =
			(SimArray){.name = b->name ? b->name : "?",
				   .base = (uint64_t)(uintptr_t)b->base,
				   .size = b->size,
				   .writable = b->writable,
				   .unwritten = run.check && launch->unwritten && launch->unwritten[i]};
	}
	if (!run.programs)
		return true;
	if (!sim_check_launch(kernel, launch, scratch_bytes, diags))
		return false;
	bool good = allow(&run) && (!run.check || sim_coverage_new(&run));
	if (run.check && launch->watch & SIM_WATCH_TRAFFIC)
		good = good && sim_traffic_new(&run);
	run.banks = run.check ? sim_banks_new(kernel) : NULL;
	pthread_mutex_init(&run.lock, NULL);
	unsigned orders = sim_orders(kernel, launch);
	if (launch->schedules > 1 && orders == 1)
		sim_diag(diags, kernel, DIAG_SIM_ONE_ORDER, 0,
			 arena_printf(diags->arena,
				      "kernel '%s' follows addresses that it computes, and what it writes there "
				      "cannot be taken back",
				      kernel->name));
	if (!good) {
		sim_no_memory(&run);
	} else if (orders > 1) {
		sim_run_orders(&run, orders);
	} else {
		sim_run_once(&run, sim_schedule(launch, 0));
		if (launch->whose && run.races)
			sim_find_writer(&run, launch->whose);
		sim_races_free(run.races);
	}
	pthread_mutex_destroy(&run.lock);
	Fault fault;
	if (FAULT_TRY(&fault)) {
		sim_report(&run, diags);
		fault_leave(&fault);
	}
	sim_findings_free(&run);
	free(run.allowed);
	free(run.seen);
	free(run.traffic);
	sim_banks_free(run.banks);
	if (fault.kind != FAULT_NONE)
		fault_raise(fault.kind, "%s", fault.text);
	return diags->errors == before;
}
