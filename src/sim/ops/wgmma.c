/* Products of a warp group: m64nNkK, a warp at a time.
 *
 * Warp w of the four has rows 16 w ... of A and of the accumulators, as fragments of m16n8 products
 * (kern/product.c), side by side along N; each reads all of B (wgmma_parts.c). Without checks a
 * product is made when it is issued. With checks when the warp waits for its group: until then what
 * it reads must stay, and its accumulators are tokens, in all lanes the same NaN with a number,
 * which only further products and their wait take; the wait gives what they stand for. Source: PTX
 * ISA 8.8, "wgmma". */
#include <stdlib.h>

#include "sim/check/define_product.h"
#include "sim/check/traffic.h"
#include "sim/ops/machine.h"
#include "sim/ops/wgmma.h"
#include "sim/ops.h"

#define EFFECT_OP(name, fn, n) const SimMachine sim_machine_##name = {.effect = fn, .imm = n};
#define DECODE_OP(name, fn) const SimMachine sim_machine_##name = {.decode = fn};

enum { MOST_WORDS = 128, MOST_SETS = 64 };
#define TOKEN 0x7fa50000u

/* Accumulators that are under way, or have not been taken since; then a token of theirs is one that
 * a wait should have had. */
typedef struct Set {
	Words *words;   /* NULL: taken */
	Words *hollow; /* their bits that are not defined; NULL: all are */
	uint32_t origin;
	uint32_t count; /* 0: there is none */
	uint32_t pending;
} Set;

typedef struct Product {
	const SimInstr *by;
	uint32_t set, group;
	bool added; /* to the accumulators, else to 0 */
	uint64_t a, b;
	Words words[WGMMA_A_WORDS], hollow[WGMMA_A_WORDS]; /* of A; bits that are not defined, where `mixed` */
	uint32_t mixed, origin;
} Product;

struct SimProducts {
	Set sets[MOST_SETS];
	Product *list; /* oldest first */
	uint32_t count, cap, group, next; /* next: set to take, if it is free */
	bool fenced;
};

/* ---- accesses ---- */

static bool look_at(SimWarp *w, const SimInstr *i, const Parts *parts)
{
	for (unsigned p = 0; p < parts->count; p++) {
		unsigned lane = p / 2 % SIM_LANES;
		if (!sim_shared(w, i, lane, parts->at[p], WGMMA_PART, WGMMA_PART))
			return false;
		if (w->cta->shadow)
			sim_check_async_read(w, i, lane, parts->at[p], WGMMA_PART);
	}
	return true;
}

static void leave(SimWarp *w, const Parts *parts)
{
	for (unsigned p = 0; p < parts->count; p++)
		sim_check_async_done(w, parts->at[p], WGMMA_PART);
}

/* ---- tokens ---- */

static bool token_of(const SimWarp *w, const void *slot, uint32_t *set, uint32_t *number)
{
	const uint32_t *lane = slot;
	if (!w->products || (lane[0] & 0xffff0000u) != TOKEN)
		return false;
	*set = lane[0] >> 8 & 255;
	*number = lane[0] & 255;
	if (*set >= MOST_SETS || *number >= w->products->sets[*set].count)
		return false;
	for (unsigned k = 1; k < SIM_LANES; k++)
		if (lane[k] != lane[0])
			return false;
	return true;
}

static void put_token(void *slot, uint32_t set, uint32_t number)
{
	uint32_t *lane = slot;
	for (unsigned k = 0; k < SIM_LANES; k++)
		lane[k] = TOKEN | set << 8 | number;
}

static const Product *last_of(const SimWarp *w, uint32_t set)
{
	for (uint32_t k = w->products->count; k-- > 0;)
		if (w->products->list[k].set == set)
			return &w->products->list[k];
	return NULL;
}

void sim_find_tokens(SimWarp *w, const SimInstr *i)
{
	char place[512];
	const SimKernel *kernel = w->cta->run->kernel;
	if (i->takes_tokens)
		return;
	for (unsigned k = 0; k < i->operands; k++) {
		uint32_t set, number;
		if (!token_of(w, sim_operand(w, i, k), &set, &number))
			continue;
		const Product *last = last_of(w, set);
		SimParty other = last ? sim_party(w, last->by, 0, SIM_NO_BYTE) : (SimParty){0};
		other.lanes = last ? SIM_ALL : 0;
		SimParty who = sim_party(w, i, 0, SIM_NO_BYTE);
		who.lanes = SIM_ALL;
		sim_finding(w->cta->run, who, last ? &other : NULL, DIAG_SIM_WAIT,
			    last ? "accumulators of the product at %s are used while it is under way: no wait has given them" :
				   "accumulators of a product are used that were not handed through its wait%s",
			    last ? sim_place(kernel, sim_loc_of(kernel, &other), place, sizeof place) : "");
		return;
	}
}

/* ---- issuing ---- */

static struct SimProducts *products_of(SimWarp *w)
{
	if (!w->products && !(w->products = heap_zeroed(sizeof *w->products)))
		sim_no_memory(w->cta->run);
	return w->products;
}

static void free_set(Set *set)
{
	free(set->words);
	free(set->hollow);
	set->words = set->hollow = NULL;
}

/* What the program before left in registers would be taken for tokens of the next one's. */
void sim_tokens_drop(SimWarp *w)
{
	uint32_t count = w->tokens ? w->cta->run->kernel->slot_count : 0, set, number;
	for (uint32_t s = 0; s < count; s++) {
		uint8_t *slot = (uint8_t *)w->regs + (size_t)s * SIM_SLOT;
		if (token_of(w, slot, &set, &number))
			memset(slot, 0, SIM_SLOT);
	}
}

void sim_products_free(SimWarp *w)
{
	for (unsigned k = 0; w->products && k < MOST_SETS; k++)
		free_set(&w->products->sets[k]);
	if (w->products)
		free(w->products->list);
	free(w->products);
	w->products = NULL;
	w->tokens = false;
}

/* The set that the accumulators are tokens of; MOST_SETS: they are numbers. False after the
 * fault. */
static bool set_of(SimWarp *w, const SimInstr *i, unsigned count, uint32_t *out)
{
	uint32_t set, number, tokens = 0;
	*out = MOST_SETS;
	for (unsigned k = 0; k < count; k++) {
		if (!token_of(w, sim_operand(w, i, k), &set, &number))
			continue;
		if ((tokens && set != *out) || number != k || !w->products->sets[set].words)
			return sim_fault(w, i, -1, DIAG_RUN_UNSUPPORTED, "a product whose accumulators are not those of one that is under way, nor numbers");
		*out = set;
		tokens++;
	}
	if (tokens && (tokens != count || w->products->sets[*out].count != count))
		return sim_fault(w, i, -1, DIAG_RUN_UNSUPPORTED, "a product some of whose accumulators are under way");
	return true;
}

/* Bits of the set's accumulators, made if there are none. NULL: no memory. */
static Words *hollow_of(SimWarp *w, Set *set)
{
	if (!set->hollow && (set->hollow = heap_aligned(64, sizeof *set->hollow * set->count)))
		memset(set->hollow, 0, sizeof *set->hollow * set->count);
	if (!set->hollow)
		sim_no_memory(w->cta->run);
	return set->hollow;
}

static void take_hollow(SimWarp *w, const SimInstr *i, Set *set)
{
	for (unsigned k = 0; k < set->count; k++) {
		uint32_t slot = i->slots[i->results + k];
		if (!w->defined->lanes[slot] || !hollow_of(w, set))
			continue;
		memcpy(&set->hollow[k], sim_undefined_bits(w, slot, 4), sizeof set->hollow[k]);
		set->origin = w->defined->origin[slot];
	}
}

static bool new_set(SimWarp *w, const SimInstr *i, unsigned count, uint32_t *out)
{
	struct SimProducts *p = w->products;
	uint32_t set = p->next, tried = 0;
	while (tried++ < MOST_SETS && p->sets[set].words)
		set = (set + 1) % MOST_SETS;
	if (p->sets[set].words)
		return sim_fault(w, i, -1, DIAG_RUN_UNSUPPORTED, "more than %d sets of accumulators that are under way", MOST_SETS);
	Words *words = heap_aligned(64, sizeof *words * count);
	if (!words)
		return sim_no_memory(w->cta->run);
	const Wgmma *x = i->data;
	for (unsigned k = 0; k < count; k++) {
		if (x->first)
			memcpy(&words[k], sim_operand(w, i, k), sizeof words[k]);
		else
			memset(&words[k], 0, sizeof words[k]);
	}
	p->sets[set] = (Set){.words = words, .count = count};
	if (x->first)
		take_hollow(w, i, &p->sets[set]);
	p->next = (set + 1) % MOST_SETS;
	w->tokens = true;
	*out = set;
	return true;
}

static bool keep(SimWarp *w, const Product *product)
{
	struct SimProducts *p = w->products;
	if (p->count == p->cap) {
		uint32_t cap = MAX(2 * p->cap, 8u);
		Product *grown = heap_aligned(64, sizeof *grown * cap);
		if (!grown)
			return sim_no_memory(w->cta->run);
		if (p->count)
			memcpy(grown, p->list, sizeof *grown * p->count);
		free(p->list);
		p->list = grown;
		p->cap = cap;
	}
	p->list[p->count++] = *product;
	p->sets[product->set].pending++;
	return true;
}

/* What step `step` takes. */
static bool read_product(SimWarp *w, const SimInstr *i, unsigned step, Product *out)
{
	const Wgmma *x = i->data;
	unsigned each = x->words ? WGMMA_A_WORDS : 1, a = x->first + step * each, b = x->first + x->steps * each + step;
	*out = (Product){.by = i};
	for (unsigned k = 0; k < WGMMA_A_WORDS && x->words; k++) {
		uint32_t slot = i->slots[i->results + a + k];
		memcpy(&out->words[k], sim_operand(w, i, a + k), sizeof out->words[k]);
		if (!w->defined || !w->defined->lanes[slot])
			continue;
		out->mixed = 1;
		out->origin = w->defined->origin[slot];
		memcpy(&out->hollow[k], sim_undefined_bits(w, slot, 4), sizeof out->hollow[k]);
	}
	if (!x->words)
		out->a = *(const uint64_t *)sim_operand(w, i, a);
	out->b = *(const uint64_t *)sim_operand(w, i, b);
	out->added = step || (x->first && *(const uint8_t *)sim_operand(w, i, x->first + x->steps * (each + 1)));
	if ((out->b >> 49 & 7) || (out->a >> 49 & 7))
		return sim_fault(w, i, -1, DIAG_RUN_UNSUPPORTED, "a matrix descriptor with a base offset");
	return true;
}

/* All at once: results may be where operands are. */
static void multiply_now(SimWarp *w, const SimInstr *i, unsigned step, Product *product, const Parts *of_a, const Parts *of_b)
{
	const Wgmma *x = i->data;
	void *to[MOST_WORDS];
	const void *from[MOST_WORDS];
	for (unsigned k = 0; k < x->count; k++) {
		to[k] = sim_result(w, i, k);
		from[k] = step || !x->first ? to[k] : sim_operand(w, i, k);
	}
	wgmma_multiply(w, x, of_a, of_b, product->words, product->added, to, from);
}

/* With checks: it begins, and goes on until its group is waited for. */
static bool begin(SimWarp *w, const SimInstr *i, Product *product, uint32_t *set)
{
	const Wgmma *x = i->data;
	bool numbers = *set == MOST_SETS;
	if ((numbers || x->words) && !w->products->fenced) {
		SimParty who = sim_party(w, i, 0, SIM_NO_BYTE);
		who.lanes = SIM_ALL;
		sim_finding(w->cta->run, who, NULL, DIAG_SIM_PROXY, "a product that takes registers, with no wgmma.fence since the last wait");
	}
	product->group = w->products->group;
	if (numbers && !new_set(w, i, x->count, set))
		return false;
	product->set = *set;
	return keep(w, product);
}

/* Accumulators, A, B, whether to add. */
static bool issue(SimWarp *w, const SimInstr *i, uint32_t mask)
{
	const Wgmma *x = i->data;
	uint32_t set = MOST_SETS;
	if (!machine_whole(w, i, mask, "wgmma.mma_async"))
		return false;
	if (w->cta->shadow && (!products_of(w) || (x->first && !set_of(w, i, x->count, &set))))
		return false;
	for (unsigned step = 0; step < x->steps; step++) {
		Product product;
		Parts of_a, of_b;
		if (!read_product(w, i, step, &product))
			return false;
		wgmma_find_parts(w, x, product.a, product.b, &of_a, &of_b);
		if (!look_at(w, i, &of_a) || !look_at(w, i, &of_b))
			return false;
		if (!w->cta->shadow)
			multiply_now(w, i, step, &product, &of_a, &of_b);
		else if (!begin(w, i, &product, &set))
			return false;
	}
	for (unsigned k = 0; k < x->count && w->cta->shadow; k++)
		put_token(sim_result(w, i, k), set, k);
	return true;
}

static bool fence(SimWarp *w, const SimInstr *i, uint32_t mask)
{
	if (!machine_whole(w, i, mask, "wgmma.fence"))
		return false;
	if (w->cta->shadow && !products_of(w))
		return false;
	if (w->products)
		w->products->fenced = true;
	return true;
}

static bool commit(SimWarp *w, const SimInstr *i, uint32_t mask)
{
	if (!machine_whole(w, i, mask, "wgmma.commit_group"))
		return false;
	if (w->products)
		w->products->group++;
	return true;
}

/* ---- what is not defined ---- */

static void finish_hollow(SimWarp *w, Product *p, Set *set, const Parts *of_a, const Parts *of_b)
{
	uint32_t origin = p->origin;
	bool mixed = p->mixed || wgmma_any_hollow(w, of_a, &origin) || wgmma_any_hollow(w, of_b, &origin);
	if ((!mixed && !set->hollow) || !hollow_of(w, set))
		return;
	set->origin = mixed ? origin : set->origin;
	wgmma_multiply_hollow(w, p->by->data, of_a, of_b, p->hollow, p->added, set->hollow);
}

/* Descriptors, and whether to add, are taken at once; what else there is travels with the
 * product, and its tokens are defined. */
static void define_issue(SimWarp *w, const SimInstr *i, uint32_t mask, bool done)
{
	const Wgmma *x = i->data;
	unsigned each = x->words ? WGMMA_A_WORDS : 1;
	for (unsigned k = x->first; k < i->operands && !done; k++)
		if (!x->words || k >= x->first + x->steps * each)
			sim_use(w, i, k, mask, "a matrix descriptor");
	sim_define_nothing(w, i, mask, done);
}

/* The wait itself gives the bits with the words. */
static void define_wait(SimWarp *w, const SimInstr *i, uint32_t mask, bool done)
{
	(void)w, (void)i, (void)mask, (void)done;
}

/* Bits of a word that comes through a wait: an accumulator's, or the operand's. */
static void give_hollow(SimWarp *w, const SimInstr *i, unsigned k, const Set *set, uint32_t number)
{
	SimDefined *d = w->defined;
	uint32_t slot = i->slots[i->results + k];
	if (!d)
		return;
	d->lanes[i->slots[k]] = 0;
	if (!set && d->lanes[slot])
		sim_put_undefined(w, i->slots[k], i->lane_bytes, SIM_ALL,
				  sim_undefined_bits(w, slot, i->lane_bytes), d->origin[slot]);
	else if (set && set->hollow)
		sim_put_undefined(w, i->slots[k], 4, SIM_ALL, (const uint8_t *)&set->hollow[number],
				  set->origin);
}

/* ---- waiting ---- */

static void finish(SimWarp *w, Product *p)
{
	const Wgmma *x = p->by->data;
	Set *set = &w->products->sets[p->set];
	Parts of_a, of_b;
	void *to[MOST_WORDS];
	const void *from[MOST_WORDS];
	for (unsigned k = 0; k < x->count; k++)
		from[k] = to[k] = &set->words[k];
	wgmma_find_parts(w, x, p->a, p->b, &of_a, &of_b);
	wgmma_multiply(w, x, &of_a, &of_b, p->words, p->added, to, from);
	if (w->defined && w->defined->live)
		finish_hollow(w, p, set, &of_a, &of_b);
	leave(w, &of_a);
	leave(w, &of_b);
	set->pending--;
}

static bool wait(SimWarp *w, const SimInstr *i, uint32_t mask)
{
	struct SimProducts *p = w->products;
	uint64_t given = 0;
	uint32_t kept = 0;
	if (!machine_whole(w, i, mask, "wgmma.wait_group"))
		return false;
	for (uint32_t k = 0; p && k < p->count; k++) {
		Product *one = &p->list[k];
		if (one->group < p->group && p->group - one->group > i->imm)
			finish(w, one);
		else
			p->list[kept++] = *one;
	}
	sim_count_wait(w, i, p && kept < p->count);
	if (p)
		p->count = kept;
	for (unsigned k = 0; k < i->operands; k++) {
		uint32_t set, number = 0;
		const void *from = sim_operand(w, i, k);
		const Set *of = NULL;
		if (token_of(w, from, &set, &number) && p->sets[set].words && !p->sets[set].pending) {
			of = &p->sets[set];
			from = &of->words[number];
			given |= UINT64_C(1) << set;
		}
		give_hollow(w, i, k, of, number);
		memmove(sim_result(w, i, k), from, sizeof(Words));
	}
	for (unsigned set = 0; set < MOST_SETS && given; set++) {
		if (!(given >> set & 1))
			continue;
		free_set(&p->sets[set]);
	}
	if (p)
		p->fenced = false;
	return true;
}

/* The simulator keeps to the order as it is. */
static bool compute_first(SimWarp *w, const SimInstr *i, uint32_t mask)
{
	(void)w, (void)i, (void)mask;
	return true;
}

/* ---- decoding ---- */

static bool decode_product(SimDecoder *d, LLVMValueRef call, const char *suffix)
{
	Wgmma *x = ARENA_NEW(d->arena, Wgmma);
	SimMma *s = &x->shape;
	TargetProduct p;
	if (!suffix || !target_product_read(TARGET_MMA_WGMMA, suffix, &p))
		return sim_refuse(d, "the product '%s'", suffix ? suffix : "");
	*s = mma_shape_of(&p);
	ASSERT(p.n <= WGMMA_MOST_N && s->a_words == WGMMA_A_WORDS);
	x->n = p.n;
	x->count = s->c_words;
	x->each = x->count / (p.n / 8);
	s->m = 16;
	s->n = 8;
	s->b_words = WGMMA_B_WORDS;
	s->c_words = x->each;
	x->rows_first[0] = p.rows_first[0];
	x->rows_first[1] = p.rows_first[1];
	x->multiply = d->ops->product;
	SimInstr *i = machine_effect(d, call, issue, 0);
	if (!i)
		return false;
	i->data = x;
	i->define = define_issue;
	i->takes_tokens = true;
	x->steps = p.steps;
	x->first = p.fresh ? 0 : x->count;
	x->words = p.a_in_registers;
	unsigned operands = x->first + x->steps * (x->words ? WGMMA_A_WORDS + 1 : 2) + !p.fresh;
	return (i->results == x->count && i->operands == operands) || sim_refuse(d, "the product '%s' of so many words", suffix);
}

static bool decode_wait(SimDecoder *d, LLVMValueRef call, const char *suffix)
{
	SimInstr *i = machine_effect(d, call, wait, suffix ? strtoul(suffix, NULL, 10) : 0);
	if (!i)
		return false;
	i->takes_tokens = true;
	i->define = define_wait;
	return i->results == i->operands || sim_refuse(d, "a wait that does not give what it takes");
}
DECODE_OP(wgmma, decode_product)
DECODE_OP(wgmma_wait, decode_wait)
EFFECT_OP(compute_first, compute_first, 0)
EFFECT_OP(wgmma_fence, fence, 0)
EFFECT_OP(wgmma_commit, commit, 0)
