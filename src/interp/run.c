/* Launching: programs are taken in order by the threads
 * of a pool, each on a context of its own (Exec).
 *
 * A program that waits for others (control.c finds out) is put aside with its context, and the
 * thread starts the next one. When none is left to start, the threads go round their waiting
 * programs. A launch is deadlocked when every thread has done a whole round with all its programs
 * stuck and no memory was changed since the first of these rounds began: each program then would
 * repeat the same iteration for ever. */
#include "interp/run.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/fault.h"
#include "base/os.h"
#include "interp/control.h"
#include "interp/memory.h"

enum { MAX_WAITING = 8192 };

/* ---- programs ---- */

static void start_program(Exec *x, uint64_t pid)
{
	const uint32_t *grid = x->launch->in->grid;
	x->pid = pid;
	uint32_t ctas = MAX(x->kernel->ctas, 1u);
	x->rank = (uint32_t)(pid % ctas);
	pid /= ctas;
	x->program[0] = (uint32_t)(pid % grid[0]);
	x->program[1] = (uint32_t)(pid / grid[0] % grid[1]);
	x->program[2] = (uint32_t)(pid / grid[0] / grid[1]);
	x->at = x->kernel->code;
	x->waiting = NULL;
}

static void run_program(Exec *x)
{
	uint64_t writes = x->writes;
	x->state = EXEC_RUNNING;
	for (const Instr *i = x->at; i;) {
		const Instr *at = i;
		i = at->fn(x, at);
		for (uint32_t k = 0; k < at->dead_count; k++)
			tile_release(&x->slots[at->dead[k]]);
	}
	if (x->kernel->may_wait && x->writes != writes)
		atomic_fetch_add(&x->launch->version, 1);
}

static bool past_deadline(const Launch *l)
{
	return l->deadline > 0 && os_now() > l->deadline;
}

/* Asks the host, on the thread that it called from, whether to go on; about every
 * LAUNCH_POLL_SECONDS. */
void launch_poll(Launch *l)
{
	double now = os_now_coarse();
	if (now < l->next_poll || atomic_load_explicit(&l->cut, memory_order_relaxed))
		return;
	l->next_poll = now + LAUNCH_POLL_SECONDS;
	if (!l->in->poll(l->in->poll_data))
		atomic_store(&l->cut, true);
}

/* How many back edges to let pass until the next look: fewer where an iteration takes long. */
static void set_next_tick(Exec *x)
{
	enum { MOST = 64 };
	const Launch *l = x->launch;
	if (l->deadline <= 0 && !l->in->poll) {
		x->tick_step = MOST;
	} else {
		double now = os_now_coarse();
		x->tick_step =
			now - x->tick_time > LAUNCH_POLL_SECONDS / 10 ? 1
								      : MIN(x->tick_step * 2, (uint32_t)MOST);
		x->tick_time = now;
	}
	x->tick_due = x->ticks + x->tick_step;
}

bool exec_tick(Exec *x, const Instr *i)
{
	CONTRACT(x->state == EXEC_RUNNING);
	if (++x->ticks != x->tick_due)
		return true;
	Launch *l = x->launch;
	set_next_tick(x);
	if (atomic_load_explicit(&l->stop, memory_order_relaxed) < x->pid || atomic_load(&l->dead)) {
		x->state = EXEC_STOPPED;
		return false;
	}
	if (x->asks)
		launch_poll(l);
	if (atomic_load_explicit(&l->cut, memory_order_relaxed)) {
		exec_fault(x, i, DIAG_RUN_STOPPED, "the host ended the launch in this loop");
		return false;
	}
	if (!past_deadline(l))
		return true;
	exec_fault(x, i, DIAG_RUN_TIMEOUT, "still in a loop after %g seconds", l->in->timeout);
	return false;
}

/* ---- waiting programs ---- */

static void note_deadlock(Launch *l, const Exec *x)
{
	char text[512];
	snprintf(text, sizeof text,
		 "program (%u, %u, %u) of kernel '%s' waits in this loop for a change of memory that no "
		 "program will make",
		 x->program[0], x->program[1], x->program[2], l->kernel->name);
	launch_fault(l, x->pid, DIAG_RUN_DEADLOCK, x->waiting->loc, text);
	pthread_mutex_lock(&l->lock);
	uint32_t at = MIN(l->waiting_count, WAIT_NOTES - 1u);
	bool room = l->waiting_count < WAIT_NOTES || x->pid < l->waiting[at].pid;
	l->waiting_count++;
	if (room) {
		for (; at > 0 && l->waiting[at - 1].pid > x->pid; at--)
			l->waiting[at] = l->waiting[at - 1];
		l->waiting[at] = (WaitNote){x->pid, x->waiting->loc};
	}
	pthread_mutex_unlock(&l->lock);
}

/* A thread of a launch. */
typedef struct Worker {
	bool asks;  /* it is the one that the host called from, and the host wants to be asked */
	Exec *list; /* its waiting programs, newest first */
	uint32_t count;
} Worker;

/* A round over this thread's waiting programs. */
static void poll_round(Launch *l, Worker *w)
{
	for (Exec **link = &w->list; *link;) {
		Exec *x = *link;
		run_program(x);
		if (x->state == EXEC_STUCK) {
			link = &x->next;
			continue;
		}
		*link = x->next;
		w->count--;
		exec_give(l, x);
		atomic_fetch_add(&l->version, 1);
	}
}

static void leave_all(Launch *l, Worker *w)
{
	while (w->list) {
		Exec *x = w->list;
		w->list = x->next;
		exec_give(l, x);
	}
	w->count = 0;
}

static void wait_for_others(Launch *l, Worker *w)
{
	uint64_t counted = UINT64_MAX; /* version at which this thread was counted idle */
	for (unsigned round = 0; w->list && !atomic_load(&l->dead); round++) {
		if (w->asks)
			launch_poll(l);
		if (atomic_load(&l->cut)) {
			exec_fault(w->list, w->list->waiting, DIAG_RUN_STOPPED,
				   "the host ended the launch while this waited");
			break;
		}
		uint64_t version = atomic_load(&l->version);
		poll_round(l, w);
		if (!w->list || atomic_load(&l->version) != version)
			continue;
		if (atomic_load(&l->stop) < w->list->pid)
			break;
		if (past_deadline(l)) {
			Exec *x = w->list;
			exec_fault(x, x->waiting, DIAG_RUN_TIMEOUT, "still waiting after %g seconds",
				   l->in->timeout);
			break;
		}
		pthread_mutex_lock(&l->lock);
		if (l->idle_version != version) {
			l->idle_version = version;
			l->idle = 0;
		}
		if (counted != version)
			l->idle++;
		counted = version;
		bool dead = l->idle == l->active && atomic_load(&l->version) == version &&
			    (atomic_load(&l->next) >= l->programs || w->count >= MAX_WAITING);
		if (dead)
			atomic_store(&l->dead, true);
		pthread_mutex_unlock(&l->lock);
		if (dead)
			break;
		if (round > 16) {
			struct timespec t = {0, round > 200 ? 500000 : 20000};
			nanosleep(&t, NULL);
		} else {
			sched_yield();
		}
	}
	if (atomic_load(&l->dead))
		for (Exec *x = w->list; x; x = x->next)
			note_deadlock(l, x);
	leave_all(l, w);
}

/* ---- threads ---- */

/* Takes programs until there are none; true when it left off because too many wait. `wake` (may be
 * NULL) starts the other threads once the work proves long. */
static bool take_programs(Launch *l, void (*wake)(Launch *l), Worker *w)
{
	double start = wake ? os_now() : 0;
	Exec *x = NULL;
	uint64_t pid = 0, end = 0;
	for (;; pid++) {
		if (w->count >= MAX_WAITING && pid == end)
			break;
		if (pid == end) {
			/* Several at a time where there are many: a
			 * locked instruction waits for all stores. */
			uint64_t chunk = wake ? 1 : l->chunk;
			pid = atomic_fetch_add(&l->next, chunk);
			end = MIN(pid + chunk, l->programs);
		}
		if (w->asks)
			launch_poll(l);
		if (pid >= l->programs || pid > atomic_load_explicit(&l->stop, memory_order_relaxed) ||
		    atomic_load_explicit(&l->cut, memory_order_relaxed))
			break;
		if (!x)
			x = exec_take(l);
		x->asks = w->asks;
		start_program(x, pid);
		run_program(x);
		if (x->state == EXEC_STUCK) {
			x->next = w->list;
			w->list = x;
			w->count++;
			x = NULL;
		} else if (x->state != EXEC_DONE) {
			break;
		}
		if (wake && pid + 1 < l->programs && os_now() - start > 8e-6) {
			wake(l);
			wake = NULL;
		}
	}
	if (x)
		exec_give(l, x);
	return w->count >= MAX_WAITING;
}

void launch_work(Launch *l, bool host_thread, void (*wake)(Launch *l))
{
	Fault fault;
	if (FAULT_TRY(&fault)) {
		Worker w = {.asks = host_thread && l->in->poll};
		for (bool more = true; more;) {
			more = take_programs(l, wake, &w);
			if (w.list)
				wait_for_others(l, &w);
			more = more && !atomic_load(&l->dead) && !atomic_load(&l->cut);
		}
		fault_leave(&fault);
	} else {
		launch_fault(l, 0, fault.kind == FAULT_BUG ? DIAG_INTERNAL : DIAG_OUT_OF_MEMORY, NULL,
			     fault.text);
	}
	pthread_mutex_lock(&l->lock);
	CONTRACT(l->active > 0);
	l->active--;
	pthread_mutex_unlock(&l->lock);
}

/* ---- launch ---- */

/* The buffers by address; equal ranges become one that may do what either may. */
static void sort_buffers(Launch *l, const InterpLaunch *in)
{
	uint32_t n = 0;
	for (uint32_t k = 0; k < in->buffer_count; k++) {
		const InterpBuffer *b = &in->buffers[k];
		LaunchBuffer item = {(uint64_t)(uintptr_t)b->base, b->size, b->writable, k};
		uint32_t at = n;
		while (at > 0 &&
		       (l->buffers[at - 1].base > item.base ||
			(l->buffers[at - 1].base == item.base && l->buffers[at - 1].size > item.size)))
			at--;
		if (at > 0 && l->buffers[at - 1].base == item.base && l->buffers[at - 1].size == item.size) {
			l->buffers[at - 1].writable |= item.writable;
			continue;
		}
		memmove(&l->buffers[at + 1], &l->buffers[at], (n - at) * sizeof *l->buffers);
		l->buffers[at] = item;
		n++;
	}
	l->buffer_count = n;
}

/* The buffer that an argument points into. A pointer to the end of one may belong to the next. */
static int32_t origin_of(const Launch *l, uint64_t address)
{
	int32_t found = ORIGIN_ANY;
	for (uint32_t k = 0; k < l->buffer_count; k++) {
		const LaunchBuffer *b = &l->buffers[k];
		if (address >= b->base && address - b->base <= b->size &&
		    (found < 0 || address - b->base < b->size))
			found = (int32_t)k;
	}
	return found;
}

/* Who else waits, and where. */
static void report_waiting(const Launch *l, DiagList *diags, Diag *diag)
{
	const uint32_t *grid = l->in->grid;
	for (uint32_t k = 1; k < MIN(l->waiting_count, WAIT_NOTES + 0u); k++) {
		const WaitNote *n = &l->waiting[k];
		LineCol at = n->loc ? (LineCol){n->loc->line, n->loc->col + 1} : (LineCol){0, 0};
		diag_note_at(diags, diag, n->loc ? n->loc->path : NULL, at,
			     "program (%llu, %llu, %llu) waits here", (unsigned long long)(n->pid % grid[0]),
			     (unsigned long long)(n->pid / grid[0] % grid[1]),
			     (unsigned long long)(n->pid / grid[0] / grid[1]));
	}
	if (l->waiting_count > WAIT_NOTES)
		diag_note_at(diags, diag, NULL, (LineCol){0, 0}, "%u more programs wait",
			     l->waiting_count - WAIT_NOTES);
}

static void report(const Launch *l, DiagList *diags)
{
	const FaultNote *f = &l->fault;
	const InterpLoc *at = f->loc;
	LineCol place = at ? (LineCol){at->line, at->col + 1} : (LineCol){0, 0};
	const char *text = f->text ? f->text : "no memory for its text";
	Diag *diag = diag_add_at(diags, at ? at->path : NULL, place, f->code, text);
	for (const InterpLoc *c = at ? at->caller : NULL; c; c = c->caller)
		diag_note_at(diags, diag, c->path, (LineCol){c->line, c->col + 1}, "called from here");
	if (f->code == DIAG_RUN_DEADLOCK)
		report_waiting(l, diags, diag);
}

static bool check_launch(const InterpKernel *kernel, const InterpLaunch *in, DiagList *diags)
{
	char text[256];
	if (in->arg_count != kernel->param_count) {
		snprintf(text, sizeof text, "kernel '%s' takes %u arguments, %u are given", kernel->name,
			 kernel->param_count, in->arg_count);
		diag_add_at(diags, NULL, (LineCol){0, 0}, DIAG_RUN_ARGUMENT, text);
		return false;
	}
	for (unsigned d = 0; d < 3; d++) {
		if (in->grid[d])
			continue;
		snprintf(text, sizeof text, "the grid (%u, %u, %u) of kernel '%s' has a dimension of 0",
			 in->grid[0], in->grid[1], in->grid[2], kernel->name);
		diag_add_at(diags, NULL, (LineCol){0, 0}, DIAG_RUN_ARGUMENT, text);
		return false;
	}
	return true;
}

bool interp_launch(const InterpKernel *kernel, const InterpLaunch *in, DiagList *diags)
{
	enum { FEW = 32 };
	LaunchBuffer few[FEW + 1];
	int32_t few_origins[FEW];
	if (!check_launch(kernel, in, diags))
		return false;
	Launch l = {.kernel = kernel, .in = in, .buffers = few, .arg_origin = few_origins, .active = 1};
	void *many = NULL;
	if (in->buffer_count > FEW || in->arg_count > FEW) {
		many = calloc(in->buffer_count + in->arg_count + 2u, sizeof *l.buffers);
		if (!many) {
			diag_add_at(diags, NULL, (LineCol){0, 0}, DIAG_OUT_OF_MEMORY,
				    "no memory for a launch");
			return false;
		}
		l.buffers = many;
		l.arg_origin = (int32_t *)(void *)(l.buffers + in->buffer_count + 1);
	}
	sort_buffers(&l, in);
	for (uint32_t k = 0; k < in->arg_count; k++) {
		unsigned kind = kernel->slots[kernel->params[k]].kind;
		bool pointer = kind == TY_PTR || kind == TY_TENSORDESC;
		l.arg_origin[k] = pointer ? origin_of(&l, in->args[k].bits) : ORIGIN_ANY;
	}
	l.programs = (uint64_t)in->grid[0] * in->grid[1] * in->grid[2] * MAX(kernel->ctas, 1u);
	/* Small enough that threads end together. */
	l.chunk = MIN(MAX(l.programs / 256, 1), 32);
	l.deadline = in->timeout > 0 ? os_now() + in->timeout : 0;
	l.next_poll = in->poll ? os_now_coarse() + LAUNCH_POLL_SECONDS : 0;
	atomic_init(&l.stop, UINT64_MAX);
	pthread_mutex_init(&l.lock, NULL);
	launch_threads(&l);
	if (atomic_load(&l.cut) && !l.faulted)
		launch_fault(&l, 0, DIAG_RUN_STOPPED, kernel->code->loc,
			     "the host ended the launch between two programs");
	pthread_mutex_destroy(&l.lock);
	if (l.faulted)
		report(&l, diags);
	free(l.fault.text);
	free(many);
	return !l.faulted;
}

void interp_free(InterpKernel *kernel)
{
	if (!kernel)
		return;
	interp_pool_free(atomic_load(&kernel->pool));
	for (unsigned k = 0; k < ARRAY_LEN(kernel->spare); k++)
		exec_free(atomic_load(&kernel->spare[k]));
	arena_free(&kernel->arena);
	free(kernel);
}
