/* Faults, which end a program, and findings of the checks, which do not: kept while it runs, diagnosed at the end. */
#include <stdio.h>
#include <stdlib.h>

#include "sim/check/coverage.h"
#include "sim/check/traffic.h"

const char *sim_place(const SimKernel *kernel, uint32_t loc, char *out, size_t size)
{
	const SimLoc *l = &kernel->locs[loc];
	snprintf(out, size, l->path ? "%s:%u:%u" : "?", l->path, l->line, l->col);
	return out;
}

/* ---- who ---- */

/* "program (1, 0, 0)" */
static int add_program(const SimRun *run, uint64_t pid, char *out, size_t size)
{
	const uint32_t *grid = run->launch->grid;
	return snprintf(out, size, "%s (%u, %u, %u)", sim_program_word(run), (unsigned)(pid % grid[0]),
			(unsigned)(pid / grid[0] % grid[1]), (unsigned)(pid / grid[0] / grid[1]));
}

/* "lane 3", "lanes 0-7, 16" */
static void add_lanes(uint32_t lanes, char *out, size_t size)
{
	size_t at = (size_t)snprintf(out, size, lanes & (lanes - 1) ? "lanes " : "lane ");
	const char *between = "";
	for (unsigned lane = 0; lane < SIM_LANES && at < size; lane++) {
		unsigned last = lane;
		if (!(lanes >> lane & 1))
			continue;
		while (last + 1 < SIM_LANES && lanes >> (last + 1) & 1)
			last++;
		int n = last > lane ? snprintf(out + at, size - at, "%s%u-%u", between, lane, last) :
				      snprintf(out + at, size - at, "%s%u", between, lane);
		at += n > 0 ? (size_t)n : 0;
		between = ", ";
		lane = last;
	}
}

uint32_t sim_loc_of(const SimKernel *k, const SimParty *p)
{
	return p->site ? k->code[p->site - 1].loc : 0;
}

SimParty sim_party(const SimWarp *w, const SimInstr *i, unsigned lane, uint32_t byte)
{
	return (SimParty){.site = i->site, .lanes = UINT32_C(1) << lane, .pid = w->cta->pid,
			  .warp = (uint8_t)w->index, .lane = (uint8_t)lane, .byte = (uint8_t)MIN(byte, SIM_NO_BYTE)};
}

/* "warp 2", of a cluster "CTA 1, warp 2" */
const char *sim_warp_text(const SimKernel *k, unsigned warp, char *out, size_t size)
{
	if (k->ctas > 1)
		snprintf(out, size, "CTA %u, warp %u", warp / k->cta_warps, warp % k->cta_warps);
	else
		snprintf(out, size, "warp %u", warp);
	return out;
}

/* "program (1, 0, 0), warp 2, lanes 0-7, elements like [0, 4] of 'x' (tt.load, tensor<8x8xf32>)" */
static const char *party(const SimRun *run, const SimParty *p, char *out, size_t size)
{
	char program[64], warp[64], lanes[128], tile[512];
	const SimKernel *k = run->kernel;
	SimPoint at = {p->warp / k->cta_warps, p->warp % k->cta_warps, p->lane, p->byte};
	add_program(run, p->pid, program, sizeof program);
	add_lanes(p->lanes, lanes, sizeof lanes);
	sim_tile_text(p->site ? run->kernel->code[p->site - 1].elements : NULL, &at, (p->lanes & (p->lanes - 1)) != 0, tile, sizeof tile);
	snprintf(out, size, "%s, %s, %s%s", program, sim_warp_text(k, p->warp, warp, sizeof warp), lanes, tile);
	return out;
}

/* ---- keeping ---- */

bool sim_no_memory(SimRun *run)
{
	atomic_store(&run->no_memory, true);
	atomic_store(&run->stop, 0);
	return false;
}

void sim_keep_fault(SimRun *run, uint64_t pid, DiagCode code, uint32_t loc, const char *text)
{
	pthread_mutex_lock(&run->lock);
	/* Programs that wait for one that has failed are no deadlock. */
	bool follows = run->fault.set && code == DIAG_RUN_DEADLOCK && run->fault.code != DIAG_RUN_DEADLOCK;
	if (!run->fault.set || (pid < run->fault.pid && !follows)) {
		run->fault = (SimFault){.set = true, .pid = pid, .code = code, .loc = loc};
		snprintf(run->fault.text, sizeof run->fault.text, "%s", text);
		atomic_store(&run->stop, pid);
	}
	pthread_mutex_unlock(&run->lock);
}

static bool fault(SimWarp *w, const SimInstr *i, int lane, uint32_t byte, DiagCode code, const char *format, va_list args)
{
	char text[1024], program[64], warp[64], tile[512];
	const SimKernel *k = w->cta->run->kernel;
	int n = vsnprintf(text, sizeof text, format, args);
	size_t at = n > 0 ? MIN((size_t)n, sizeof text - 1) : 0;
	add_program(w->cta->run, w->cta->pid, program, sizeof program);
	n = snprintf(text + at, sizeof text - at, "; kernel '%s', %s, %s", k->name, program,
		     sim_warp_text(k, w->index, warp, sizeof warp));
	at = n > 0 ? MIN(at + (size_t)n, sizeof text - 1) : at;
	SimPoint point = {w->rank, w->index % k->cta_warps, (unsigned)lane, lane < 0 ? SIM_NO_BYTE : byte};
	sim_tile_text(i->elements, &point, false, tile, sizeof tile);
	if (lane >= 0)
		snprintf(text + at, sizeof text - at, ", lane %d%s", lane, tile);
	else
		snprintf(text + at, sizeof text - at, "%s", tile);
	w->faulted = true;
	sim_keep_fault(w->cta->run, w->cta->pid, code, i->loc, text);
	return false;
}

bool sim_fault(SimWarp *w, const SimInstr *i, int lane, DiagCode code, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	fault(w, i, lane, 0, code, format, args);
	va_end(args);
	return false;
}

bool sim_fault_at(SimWarp *w, const SimInstr *i, unsigned lane, uint32_t byte, DiagCode code, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	fault(w, i, (int)lane, byte, code, format, args);
	va_end(args);
	return false;
}

static void add(SimRun *run, SimParty who, const SimParty *other, DiagCode code, const char *format, va_list args)
{
	pthread_mutex_lock(&run->lock);
	const SimKernel *k = run->kernel;
	SimFinding **at = &run->findings, *f;
	while (*at && ((*at)->code != code || sim_loc_of(k, &(*at)->who) != sim_loc_of(k, &who) ||
		       sim_loc_of(k, &(*at)->other) != sim_loc_of(k, other)))
		at = &(*at)->next;
	f = *at;
	if (!f && (f = *at = heap_zeroed(sizeof *f))) {
		*f = (SimFinding){.code = code, .who = who, .other = *other};
		vsnprintf(f->text, sizeof f->text, format, args);
	}
	if (f) {
		f->count++;
		if (f->who.pid == who.pid && f->who.warp == who.warp)
			f->who.lanes |= who.lanes;
		if (f->other.pid == other->pid && f->other.warp == other->warp)
			f->other.lanes |= other->lanes;
	}
	if (!f)
		sim_no_memory(run);
	pthread_mutex_unlock(&run->lock);
}

void sim_finding(SimRun *run, SimParty who, const SimParty *other, DiagCode code, const char *format, ...)
{
	SimParty none = {0};
	va_list args;
	va_start(args, format);
	add(run, who, other ? other : &none, code, format, args);
	va_end(args);
}

void sim_find_difference(SimRun *run, uint64_t address, const char *format, ...)
{
	SimParty none = {0}, who = {0};
	va_list args;
	if (!run->races || !sim_race_writer(run->races, address, &who))
		who = none;
	va_start(args, format);
	add(run, who, &none, run->launch->schedules > 1 ? DIAG_SIM_SCHEDULE : DIAG_SIM_ORDER, format, args);
	va_end(args);
}

void sim_find_writer(SimRun *run, uint64_t address)
{
	SimParty who;
	for (uint32_t k = 0; k < run->buffer_count; k++) {
		const SimArray *b = &run->buffers[k];
		if (address - b->base < b->size && sim_race_writer(run->races, address, &who))
			sim_finding(run, who, NULL, DIAG_SIM_WRITER, "byte %llu of '%s' is written here",
				    (unsigned long long)(address - b->base), b->name);
	}
}

/* ---- diagnosing ---- */

static void note_callers(DiagList *diags, Diag *diag, const SimKernel *k, const SimLoc *l)
{
	for (uint32_t at = l->caller; at; at = k->locs[at].caller)
		diag_note_at(diags, diag, k->locs[at].path, (LineCol){k->locs[at].line, k->locs[at].col}, "called from here");
}

Diag *sim_diag(DiagList *diags, const SimKernel *k, DiagCode code, uint32_t loc, const char *text)
{
	const SimLoc *l = &k->locs[loc];
	Diag *diag = diag_add_at(diags, l->path, (LineCol){l->line, l->col}, code, text);
	note_callers(diags, diag, k, l);
	return diag;
}

static void add_finding(const SimRun *run, DiagList *diags, const SimFinding *f)
{
	const SimKernel *k = run->kernel;
	char who[800], often[64] = "";
	if (f->count > 1)
		snprintf(often, sizeof often,
			 f->code == DIAG_SIM_SCHEDULE || f->code == DIAG_SIM_ORDER ? "; %llu bytes"
										   : "; %llu times",
			 (unsigned long long)f->count);
	const char *by = f->who.lanes ? party(run, &f->who, who, sizeof who) : "no program has written there";
	Diag *diag = sim_diag(diags, k, f->code, sim_loc_of(k, &f->who), arena_printf(diags->arena, "%s; kernel '%s', %s%s", f->text, k->name, by, often));
	const SimLoc *other = &k->locs[sim_loc_of(k, &f->other)];
	if (!f->other.lanes)
		return;
	diag_note_at(diags, diag, other->path, (LineCol){other->line, other->col}, "%s, by %s",
		     f->code == DIAG_SIM_UNDEFINED  ? "it comes from here"
		     : f->code == DIAG_SIM_DIVISION ? "it is used here"
						    : "the other access",
		     party(run, &f->other, who, sizeof who));
	note_callers(diags, diag, k, other);
}

void sim_findings_free(SimRun *run)
{
	for (SimFinding *f = run->findings, *next; f; f = next) {
		next = f->next;
		free(f);
	}
	run->findings = NULL;
}

void sim_report(const SimRun *run, DiagList *diags)
{
	for (const SimFinding *f = run->findings; f; f = f->next)
		add_finding(run, diags, f);
	if (run->banks)
		sim_report_banks(run, diags);
	if (run->forgot)
		sim_diag(diags, run->kernel, DIAG_SIM_FORGOTTEN, 0,
			 arena_printf(diags->arena,
				      "kernel '%s' accesses more global memory than there are notes for",
				      run->kernel->name));
	sim_report_coverage(run, diags);
	if (run->traffic)
		sim_report_traffic(run, diags);
	if (run->traffic && run->banks)
		sim_report_conflicts(run, diags);
	if (run->traffic)
		sim_report_idle(run, diags);
	if (run->fault.set)
		sim_diag(diags, run->kernel, run->fault.code, run->fault.loc, run->fault.text);
	if (run->no_memory)
		diag_add_at(diags, NULL, (LineCol){0, 0}, DIAG_OUT_OF_MEMORY, "simulation");
}
