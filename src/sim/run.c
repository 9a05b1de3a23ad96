/* Running: warps in short turns, as on a GPU, CTAs on host threads, and what stops them.
 *
 * A CTA's warps take turns of a number of instructions. A CTA that does not end soon gets company: its thread starts the next
 * one and alternates, as programs may wait for one another. Of several faults the one of the program with the least number is
 * reported. */
#include <stdio.h>
#include <stdlib.h>

#include "base/os.h"
#include "sim/sim_int.h"

enum { TURN = 4, PATIENCE = 4096, RESIDENT = 256, ROTATE = 16 };

/* ---- fragments ---- */

static void drop_fragment(SimWarp *w, unsigned n)
{
	w->fragments[n] = w->fragments[--w->fragment_count];
}

/* Another fragment at the same pc takes this one's lanes. */
static bool merge(SimWarp *w, unsigned n)
{
	SimFragment *f = &w->fragments[n];
	for (unsigned k = 0; k < w->fragment_count; k++) {
		SimFragment *g = &w->fragments[k];
		if (k == n || g->pc != f->pc || g->wait != f->wait)
			continue;
		g->lanes |= f->lanes;
		drop_fragment(w, n);
		return true;
	}
	return false;
}

/* The lowest pc that can run; now and then the next one, as lanes may wait for others of their warp. */
static int choose(SimWarp *w)
{
	int best = -1, second = -1;
	for (unsigned k = 0; k < w->fragment_count; k++) {
		if (w->fragments[k].wait != WAIT_NOTHING)
			continue;
		if (best < 0 || w->fragments[k].pc < w->fragments[best].pc) {
			second = best;
			best = (int)k;
		} else if (second < 0 || w->fragments[k].pc < w->fragments[second].pc) {
			second = (int)k;
		}
	}
	return second >= 0 && w->turns % ROTATE == ROTATE - 1 ? second : best;
}

/* Nobody can run: the lowest pc at which lanes wait to meet others tries once more with those who came. */
static int choose_last(SimWarp *w)
{
	int best = -1;
	for (unsigned k = 0; k < w->fragment_count; k++)
		if (w->fragments[k].wait == WAIT_MEET && (best < 0 || w->fragments[k].pc < w->fragments[best].pc))
			best = (int)k;
	if (best >= 0)
		w->fragments[best].wait = WAIT_NOTHING;
	return best;
}

static uint32_t live_lanes(const SimWarp *w)
{
	uint32_t lanes = 0;
	for (unsigned k = 0; k < w->fragment_count; k++)
		lanes |= w->fragments[k].lanes;
	return lanes;
}

static uint32_t true_lanes(const uint8_t *condition)
{
	uint32_t mask = 0;
	for (unsigned k = 0; k < 4; k++) {
		uint64_t eight;
		memcpy(&eight, condition + 8 * k, 8);
		mask |= (uint32_t)((eight & 0x0101010101010101u) * 0x0102040810204080u >> 56) << (8 * k);
	}
	return mask;
}

static void blend(void *to, const void *from, unsigned size, uint32_t mask)
{
	EACH_LANE(lane, mask)
		memcpy((uint8_t *)to + lane * size, (const uint8_t *)from + lane * size, size);
}

static uint64_t switch_value(const uint8_t *slot, unsigned lane, unsigned size)
{
	uint64_t v = 0;
	memcpy(&v, slot + (size_t)lane * size, size);
	return v;
}

/* Lanes part by value; those of one target stay together. */
static void do_switch(SimWarp *w, const SimInstr *i, unsigned n)
{
	uint32_t rest = w->fragments[n].lanes;
	const uint8_t *slot = sim_slot(w, i->slots[0]);
	drop_fragment(w, n);
	while (rest) {
		uint32_t pc = i->to[0], same = 0;
		bool first = true;
		EACH_LANE(lane, rest) {
			uint64_t v = switch_value(slot, lane, i->size);
			uint32_t to = i->to[0];
			for (uint64_t k = 0; k < i->imm; k++)
				if (i->cases[2 * k] == v)
					to = (uint32_t)i->cases[2 * k + 1];
			pc = first ? to : pc;
			first = false;
			same |= to == pc ? UINT32_C(1) << lane : 0;
		}
		rest &= ~same;
		w->fragments[w->fragment_count++] = (SimFragment){pc, same, WAIT_NOTHING};
		merge(w, w->fragment_count - 1);
	}
}

/* Runs one fragment until it waits, ends, parts, meets another or has used its instructions up. */
static void run_fragment(SimWarp *w, unsigned n, int *budget)
{
	const SimInstr *code = w->cta->run->kernel->code;
	uint32_t pc = w->fragments[n].pc, mask = w->fragments[n].lanes;
	uint8_t *regs = w->regs;
	for (;;) {
		const SimInstr *i = &code[pc];
		(*budget)--;
		switch (i->kind) {
		case SIM_PURE: {
			const uint32_t *s = i->slots;
			void *to = regs + (size_t)s[0] * SIM_SLOT;
			i->pure(mask == SIM_ALL ? to : w->scratch, regs + (size_t)s[1] * SIM_SLOT, regs + (size_t)s[2] * SIM_SLOT,
				regs + (size_t)s[3] * SIM_SLOT, i->imm);
			if (mask != SIM_ALL)
				blend(to, w->scratch, i->size, mask);
			pc++;
			continue;
		}
		case SIM_EFFECT:
			w->wait = WAIT_NOTHING;
			w->fragments[n].pc = pc;
			if (i->effect(w, i, mask)) {
				w->fragments[n].pc = ++pc;
				if (*budget > 0)
					continue;
				return;
			}
			w->fragments[n].wait = w->wait;
			if (!w->faulted)
				merge(w, n);
			return;
		case SIM_JUMP: pc = i->to[0]; break;
		case SIM_BRANCH: {
			uint32_t yes = true_lanes(regs + (size_t)i->slots[0] * SIM_SLOT) & mask;
			if (yes == mask || !yes) {
				pc = i->to[yes ? 0 : 1];
				break;
			}
			w->fragments[n] = (SimFragment){i->to[0], yes, WAIT_NOTHING};
			w->fragments[w->fragment_count++] = (SimFragment){i->to[1], mask & ~yes, WAIT_NOTHING};
			if (!merge(w, w->fragment_count - 1))
				merge(w, n);
			return;
		}
		case SIM_SWITCH:
			do_switch(w, i, n);
			return;
		case SIM_RETURN:
			drop_fragment(w, n);
			return;
		}
		/* After a jump. */
		w->fragments[n].pc = pc;
		if (w->fragment_count > 1) {
			merge(w, n);
			return;
		}
		if (*budget <= 0)
			return;
	}
}

/* ---- barriers ---- */

static void release(SimWarp *w, SimWait wait)
{
	for (unsigned k = 0; k < w->fragment_count; k++) {
		SimFragment *f = &w->fragments[k];
		if (f->wait == wait) {
			f->wait = WAIT_NOTHING;
			f->pc++;
		}
	}
	for (unsigned k = w->fragment_count; k-- > 0;)
		merge(w, k);
	w->sync++;
}

static bool all_wait(const SimWarp *w, SimWait wait)
{
	for (unsigned k = 0; k < w->fragment_count; k++)
		if (w->fragments[k].wait != wait)
			return false;
	return true;
}

/* Where lanes of the CTA stand that have come to a barrier while others are at another, or have ended. */
static void check_barrier(SimCta *cta, unsigned warps)
{
	const SimKernel *k = cta->run->kernel;
	uint32_t first = UINT32_MAX;
	char a[512], b[512];
	SimParty other = {0};
	for (unsigned n = 0; n < warps; n++) {
		SimWarp *w = &cta->warps[n];
		for (unsigned f = 0; f < w->fragment_count; f++) {
			uint32_t pc = w->fragments[f].pc, lanes = w->fragments[f].lanes;
			if (first == UINT32_MAX) {
				first = pc;
				other = (SimParty){k->code[pc].loc, cta->pid, n, lanes};
			}
			if (pc == first && live_lanes(w) == SIM_ALL)
				continue;
			uint32_t l = k->code[first].loc, m = k->code[pc].loc;
			if (pc != first)
				sim_finding(w, m, lanes, &other, DIAG_SIM_BARRIER, "threads of a program meet at different barriers: at %s and at %s",
					    sim_place(k, l, a, sizeof a), sim_place(k, m, b, sizeof b));
			else
				sim_finding(w, m, lanes, NULL, DIAG_SIM_BARRIER, "lanes have ended and do not come to the barrier at %s: 0x%08x",
					    sim_place(k, m, a, sizeof a), ~live_lanes(w));
		}
	}
}

/* All threads that have not ended are there: on they go. */
static bool open_barrier(SimCta *cta)
{
	unsigned warps = cta->run->kernel->warps, live = 0;
	for (unsigned n = 0; n < warps; n++) {
		if (!all_wait(&cta->warps[n], WAIT_CTA))
			return false;
		live += cta->warps[n].fragment_count != 0;
	}
	if (!live)
		return false;
	if (cta->shadow)
		check_barrier(cta, warps);
	if (cta->run->races)
		sim_race_barrier(cta);
	for (unsigned n = 0; n < warps; n++)
		release(&cta->warps[n], WAIT_CTA);
	cta->interval++;
	return true;
}

/* ---- a CTA ---- */

static void deadlock(SimCta *cta)
{
	const SimKernel *k = cta->run->kernel;
	char text[1024], place[512];
	uint32_t loc = 0;
	size_t at = 0;
	for (unsigned n = 0; n < k->warps && at < sizeof text - 1; n++) {
		const SimWarp *w = &cta->warps[n];
		for (unsigned f = 0; f < w->fragment_count && at < sizeof text - 1; f++) {
			uint32_t here = k->code[w->fragments[f].pc].loc;
			loc = loc ? loc : here;
			int len = snprintf(text + at, sizeof text - at, "%swarp %u, lanes 0x%08x, waits for %s at %s", at ? "; " : "", n,
					   w->fragments[f].lanes,
					   w->fragments[f].wait == WAIT_WARP ? "its other lanes" : "the program's other threads",
					   sim_place(k, here, place, sizeof place));
			at += len > 0 ? (size_t)len : 0;
		}
	}
	at = MIN(at, sizeof text - 1);
	snprintf(text + at, sizeof text - at, "; kernel '%s', program (%u, %u, %u)", k->name, cta->program[0], cta->program[1],
		 cta->program[2]);
	sim_keep_fault(cta->run, cta->pid, DIAG_RUN_DEADLOCK, loc, text);
}

/* A turn of a warp. False after a fault. */
static bool run_warp(SimWarp *w)
{
	int budget = TURN, n;
	w->turns++;
	while (budget > 0) {
		n = choose(w);
		w->last_chance = n < 0;
		if (n < 0 && (n = choose_last(w)) < 0)
			break;
		run_fragment(w, (unsigned)n, &budget);
		if (w->faulted)
			return false;
		if (w->fragment_count && all_wait(w, WAIT_WARP))
			release(w, WAIT_WARP);
	}
	return true;
}

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static bool stopped(const SimCta *cta)
{
	return atomic_load_explicit(&cta->run->stop, memory_order_relaxed) <= cta->pid;
}

static bool can_run(const SimWarp *w)
{
	for (unsigned k = 0; k < w->fragment_count; k++)
		if (w->fragments[k].wait == WAIT_NOTHING || w->fragments[k].wait == WAIT_MEET)
			return true;
	return false;
}

/* A turn of each warp. False when the CTA is over. */
static bool run_round(SimCta *cta, uint64_t *random)
{
	unsigned warps = cta->run->kernel->warps, live = 0;
	bool moved = false;
	unsigned start = *random ? (unsigned)(next_random(random) % warps) : 0, step = *random && next_random(random) & 1 ? warps - 1 : 1;
	for (unsigned k = 0; k < warps; k++) {
		SimWarp *w = &cta->warps[(start + k * step) % warps];
		if (!w->fragment_count)
			continue;
		moved |= can_run(w);
		if (!run_warp(w) || stopped(cta))
			return false;
		live += w->fragment_count != 0;
	}
	if (!live)
		return false;
	if (open_barrier(cta) || moved)
		return true;
	deadlock(cta);
	return false;
}

static void fill_constants(SimWarp *w)
{
	const SimKernel *k = w->cta->run->kernel;
	for (uint32_t s = 0; s < k->fixed; s++)
		for (unsigned lane = 0; lane < SIM_LANES; lane++)
			memcpy(w->regs + (size_t)s * SIM_SLOT + lane * k->constant_bytes[s], &k->constants[s], k->constant_bytes[s]);
}

static void set_args(SimWarp *w)
{
	const SimKernel *k = w->cta->run->kernel;
	const CodegenSimLaunch *l = w->cta->run->launch;
	for (uint32_t a = 0; a < k->arg_count; a++) {
		uint64_t bits = a < l->arg_count ? l->args[a] : (uint64_t)(uintptr_t)w->cta->scratch;
		uint32_t s = k->arg_slots[a];
		for (unsigned lane = 0; lane < SIM_LANES; lane++)
			memcpy(w->regs + (size_t)s * SIM_SLOT + lane * k->constant_bytes[s], &bits, k->constant_bytes[s]);
	}
}

static void free_cta(SimCta *cta)
{
	if (!cta)
		return;
	for (unsigned n = 0; cta->warps && n < cta->run->kernel->warps; n++) {
		free(cta->warps[n].regs);
		free(cta->warps[n].local);
		sim_check_free(&cta->warps[n]);
	}
	free(cta->warps);
	free(cta->shared);
	free(cta->scratch);
	sim_shadow_free(cta->shadow);
	sim_race_end(cta);
	free(cta->text);
	free(cta);
}

static SimCta *new_cta(SimRun *run)
{
	const SimKernel *k = run->kernel;
	SimCta *cta = calloc(1, sizeof *cta);
	if (!cta)
		return NULL;
	cta->run = run;
	cta->warps = aligned_alloc(64, sizeof *cta->warps * k->warps);
	cta->shared = aligned_alloc(128, (k->shared + 255u) & ~127u);
	cta->scratch = run->scratch_bytes ? aligned_alloc(128, (run->scratch_bytes + 255u) & ~127u) : NULL;
	cta->shadow = run->check ? sim_shadow_new(k->shared) : NULL;
	bool good = cta->warps && cta->shared && (cta->scratch || !run->scratch_bytes) && (cta->shadow || !run->check);
	if (cta->warps)
		memset(cta->warps, 0, sizeof *cta->warps * k->warps);
	for (unsigned n = 0; cta->warps && n < k->warps; n++) {
		SimWarp *w = &cta->warps[n];
		w->cta = cta;
		w->index = n;
		w->regs = aligned_alloc(64, (size_t)k->slot_count * SIM_SLOT);
		w->local = k->local ? aligned_alloc(64, ((size_t)k->local * SIM_LANES + 63) & ~(size_t)63) : NULL;
		good &= w->regs && (w->local || !k->local);
		if (!good)
			break;
		memset(w->regs, 0, (size_t)k->slot_count * SIM_SLOT);
		fill_constants(w);
		set_args(w);
	}
	if (good)
		return cta;
	free_cta(cta);
	return NULL;
}

static void start_cta(SimCta *cta, uint64_t pid)
{
	const uint32_t *grid = cta->run->launch->grid;
	cta->pid = pid;
	cta->program[0] = (uint32_t)(pid % grid[0]);
	cta->program[1] = (uint32_t)(pid / grid[0] % grid[1]);
	cta->program[2] = (uint32_t)(pid / grid[0] / grid[1]);
	cta->interval = 1;
	cta->text_len = 0;
	memset(cta->shared, 0, cta->run->kernel->shared);
	if (cta->shadow)
		sim_shadow_reset(cta->shadow);
	if (cta->run->races)
		sim_race_start(cta);
	for (unsigned n = 0; n < cta->run->kernel->warps; n++) {
		SimWarp *w = &cta->warps[n];
		w->fragments[0] = (SimFragment){0, SIM_ALL, WAIT_NOTHING};
		w->fragment_count = 1;
		w->faulted = false;
		w->turns = 0;
		w->sync = 1;
		w->fence = (SimFence){0};
		sim_check_free(w);
	}
}

/* Printed text goes out in the order of programs. */
static void end_cta(SimCta *cta)
{
	SimRun *run = cta->run;
	const CodegenSimLaunch *l = run->launch;
	sim_race_end(cta);
	if (!l->print || !run->printed)
		return;
	pthread_mutex_lock(&run->lock);
	char *text = malloc(cta->text_len + 1);
	if (text) {
		memcpy(text, cta->text ? cta->text : "", cta->text_len);
		text[cta->text_len] = 0;
	} else {
		run->no_memory = true;
	}
	run->printed[cta->pid] = text;
	while (run->print_next < run->programs && run->printed[run->print_next]) {
		char *out = run->printed[run->print_next];
		if (*out)
			l->print(l->print_data, out, strlen(out));
		free(out);
		run->printed[run->print_next++] = NULL;
	}
	pthread_mutex_unlock(&run->lock);
}

/* ---- threads ---- */

static bool late(SimRun *run, SimCta *cta)
{
	if (run->deadline == 0 || os_now() < run->deadline)
		return false;
	SimWarp *w = &cta->warps[0];
	for (unsigned n = 0; n < run->kernel->warps; n++)
		if (cta->warps[n].fragment_count)
			w = &cta->warps[n];
	char text[256];
	snprintf(text, sizeof text, "the launch took longer than %g seconds; kernel '%s', program (%u, %u, %u) is here",
		 run->launch->timeout, run->kernel->name, cta->program[0], cta->program[1], cta->program[2]);
	sim_keep_fault(run, cta->pid, DIAG_RUN_TIMEOUT, w->fragment_count ? run->kernel->code[w->fragments[0].pc].loc : 0, text);
	return true;
}

static void *worker(void *data)
{
	SimRun *run = data;
	SimCta *live[RESIDENT] = {0}, *idle = NULL;
	uint64_t random[RESIDENT];
	unsigned count = 0;
	bool more = true;
	for (;;) {
		/* One more when there is none, or those there are take long. */
		uint64_t pid = more && count < RESIDENT ? atomic_fetch_add(&run->next, 1) : UINT64_MAX;
		if (pid < run->programs && pid < atomic_load(&run->stop)) {
			SimCta *cta = idle ? idle : new_cta(run);
			idle = NULL;
			if (!cta) {
				pthread_mutex_lock(&run->lock);
				run->no_memory = true;
				pthread_mutex_unlock(&run->lock);
				atomic_store(&run->stop, 0);
				break;
			}
			start_cta(cta, pid);
			random[count] = run->launch->seed ? (run->launch->seed + pid) * 0x9e3779b97f4a7c15u | 1 : 0;
			live[count++] = cta;
		} else {
			more = false;
		}
		if (!count)
			break;
		bool ended = false;
		for (unsigned patience = 0; patience < PATIENCE && !ended; patience++) {
			for (unsigned k = count; k-- > 0;) {
				SimCta *cta = live[k];
				if (!stopped(cta) && run_round(cta, &random[k]) && !late(run, cta))
					continue;
				end_cta(cta);
				free_cta(idle);
				idle = cta;
				random[k] = random[--count];
				live[k] = live[count];
				ended = true;
			}
		}
	}
	free_cta(idle);
	for (unsigned k = 0; k < count; k++)
		free_cta(live[k]);
	return NULL;
}

static void run_all(SimRun *run)
{
	enum { MAX_THREADS = 64 };
	unsigned want = run->check ? 1 : run->launch->threads ? run->launch->threads : os_cpu_count(), started = 0;
	pthread_t threads[MAX_THREADS];
	want = (unsigned)MIN(MIN((uint64_t)want, run->programs), MAX_THREADS);
	for (unsigned n = 1; n < want; n++)
		started += pthread_create(&threads[started], NULL, worker, run) == 0;
	worker(run);
	for (unsigned n = 0; n < started; n++)
		pthread_join(threads[n], NULL);
}

/* ---- a launch ---- */

bool sim_run(const SimKernel *kernel, const CodegenSimLaunch *launch, unsigned scratch_bytes, DiagList *diags)
{
	uint32_t before = diags->errors;
	SimRun run = {.kernel = kernel, .launch = launch, .scratch_bytes = scratch_bytes, .check = launch->check};
	run.programs = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
	run.stop = UINT64_MAX;
	run.deadline = launch->timeout > 0 ? os_now() + launch->timeout : 0;
	run.buffers = ARENA_ARRAY(diags->arena, SimBuffer, launch->buffer_count + 1);
	for (size_t i = 0; i < launch->buffer_count; i++) {
		const CodegenSimBuffer *b = &launch->buffers[i];
		run.buffers[run.buffer_count++] = (SimBuffer){b->name ? b->name : "?", (uint64_t)(uintptr_t)b->base, b->size, b->writable};
	}
	if (!run.programs)
		return true;
	if (launch->print)
		run.printed = calloc(run.programs, sizeof *run.printed);
	run.races = run.check && run.programs > 1 ? sim_races_new(run.programs) : NULL;
	run.no_memory = run.check && run.programs > 1 && !run.races;
	pthread_mutex_init(&run.lock, NULL);
	run_all(&run);
	pthread_mutex_destroy(&run.lock);
	run.no_memory |= run.races && !sim_race_memory(run.races);
	sim_races_free(run.races);
	for (uint64_t p = 0; run.printed && p < run.programs; p++)
		free(run.printed[p]);
	free(run.printed);
	sim_report(&run, diags);
	return diags->errors == before;
}
