/* `!invariant.load`: what such a load reads nobody writes during the launch. `noalias` of an
 * argument: what is reached through it and written is reached through no other one. LLVM means a
 * thread's accesses; here it is any thread's, as the text that says so runs in all of them.
 *
 * A word of four bytes remembers which of its bytes were loaded so, which were written, and through
 * which argument they were reached first, or written last. Accesses whose address may come from
 * several arguments say nothing of either. Source: LLVM Language Reference, "load", "Parameter
 * Attributes". */
#include "sim/check/promised.h"

#include <stdlib.h>

enum { WORD = 4 };

typedef struct Word {
	SimParty who;
	uint8_t argument; /* its number and one; 0: not known */
	uint8_t touched, written, invariant; /* bytes, a bit each */
} Word;

struct SimPromised {
	Word **of; /* by buffer */
};

bool sim_promised_new(SimRun *run)
{
	run->promised = heap_zeroed(sizeof *run->promised);
	if (!run->promised)
		return false;
	run->promised->of = heap_zeroed(sizeof *run->promised->of * (run->buffer_count + 1u));
	bool good = run->promised->of != NULL;
	for (uint32_t k = 0; k < run->buffer_count && good; k++) {
		run->promised->of[k] = heap_zeroed((run->buffers[k].size / WORD + 2) * sizeof(Word));
		good = run->promised->of[k] != NULL;
	}
	return good;
}

void sim_promised_free(SimRun *run)
{
	for (uint32_t k = 0; run->promised && run->promised->of && k < run->buffer_count; k++)
		free(run->promised->of[k]);
	if (run->promised)
		free(run->promised->of);
	free(run->promised);
	run->promised = NULL;
}

/* The only argument that the address comes from, and one. */
static uint8_t argument_of(const SimInstr *i)
{
	bool one = i->arguments && !(i->arguments & (i->arguments - 1));
	return one ? (uint8_t)(__builtin_ctzll(i->arguments) + 1) : 0;
}

static bool is_said(const SimKernel *k, uint8_t argument)
{
	return argument && k->noalias >> (argument - 1) & 1;
}

typedef struct Access {
	SimWarp *w;
	const SimInstr *i;
	uint64_t offset;
	unsigned lane;
	uint8_t argument, bytes;
	bool write;
} Access;

static bool breaks_invariant(const Access *a, const Word *word)
{
	return ((a->write ? word->invariant : 0) | (a->i->invariant ? word->written : 0)) & a->bytes;
}

static bool breaks_noalias(const Access *a, const Word *word)
{
	const SimKernel *k = a->w->cta->run->kernel;
	bool written = (a->write ? word->touched : word->written) & a->bytes;
	return written && a->argument && word->argument && word->argument != a->argument &&
	       (is_said(k, a->argument) || is_said(k, word->argument));
}

static void look_at(const Access *a, Word *word, const char *name)
{
	SimRun *run = a->w->cta->run;
	SimParty who = sim_party(a->w, a->i, a->lane, 0);
	unsigned long long offset = a->offset;
	if (breaks_invariant(a, word))
		sim_finding(run, who, &word->who, DIAG_SIM_PROMISE,
			    "byte %llu of '%s' is written, and loaded as what nobody writes "
			    "(!invariant.load)",
			    offset, name);
	else if (breaks_noalias(a, word))
		sim_finding(run, who, &word->who, DIAG_SIM_PROMISE,
			    "byte %llu of '%s' is reached through two arguments and written, and one is "
			    "said to share memory with none (noalias)",
			    offset, name);
	if (!word->touched || a->write || (a->i->invariant && !word->written)) {
		word->who = who;
		word->argument = a->argument;
	}
	word->touched |= a->bytes;
	word->written |= a->write ? a->bytes : 0;
	word->invariant |= a->i->invariant ? a->bytes : 0;
}

void sim_promised_access(SimWarp *w, const SimInstr *i, unsigned lane, uint64_t address, uint32_t size,
			 bool write)
{
	SimRun *run = w->cta->run;
	const SimArray *b = &run->buffers[w->cta->hint];
	if (!run->buffer_count || address - b->base >= b->size)
		return;
	uint64_t begin = address - b->base, end = begin + size;
	for (uint64_t at = begin, next; at < end; at = next) {
		next = MIN(at / WORD * WORD + WORD, end);
		unsigned bytes = ((1u << (next - at)) - 1) << at % WORD;
		Access a = {w, i, at, lane, argument_of(i), (uint8_t)bytes, write};
		look_at(&a, &run->promised->of[w->cta->hint][at / WORD], b->name);
	}
}
