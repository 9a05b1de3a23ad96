/* Products of a warp group: m64nNkK, a warp at a time.
 *
 * Warp w of the four has rows 16 w ... of A and of the accumulators, as fragments of m16n8 products (kern/product.c), side by
 * side along N; each reads all of B. Matrices in shared memory are cut in parts of 16 bytes, which are a row of such a fragment's words.
 * A descriptor has the address, the leading and the stride distance (bits 0, 16, 32: sixteens of bytes), and the swizzle (bits 62, 63: none, 128,
 * 64, 32 bytes). With T elements in 16 bytes and S in the swizzle (T without one) element (row, k) is at
 *
 *	along K first      row % 8 * (S bytes) + row / 8 * stride + k, without a swizzle k / T * leading
 *	along rows first   row % S + k % 8 * (S bytes), and with a swizzle row / S * leading + k / 8 * stride,
 *	                   without row / T * stride + k / 8 * leading
 *
 * and 16-byte parts change places by the address, as in tensor.c. Without checks a product is made when it is issued. With checks
 * when the warp waits for its group: until then what it reads must stay, and its accumulators are tokens, in all lanes the same NaN with
 * a number, which only further products and their wait take; the wait gives what they stand for. Source: PTX ISA 8.8, "wgmma". */
#include <stdlib.h>

#include "sim/check/define_product.h"
#include "sim/ops/machine.h"
#include "sim/ops.h"

#define EFFECT_OP(name, fn, n) const SimMachine sim_machine_##name = {.effect = fn, .imm = n};
#define DECODE_OP(name, fn) const SimMachine sim_machine_##name = {.decode = fn};

enum { MOST_N = 256, MOST_WORDS = 128, A_WORDS = 4, B_WORDS = 2, PART = 16, MOST_SETS = 64 };
#define TOKEN 0x7fa50000u

typedef struct Words {
	_Alignas(64) uint32_t lane[SIM_LANES];
} Words;

typedef struct Wgmma {
	SimMma shape; /* m16n8kK */
	SimProduct *multiply;
	unsigned n, count, each; /* accumulators, and those of eight columns */
	unsigned steps, first;   /* along K; operand of A: behind the accumulators, where there are any */
	bool words;              /* A comes in them */
	bool rows_first[2];      /* of A, of B */
} Wgmma;

/* Accumulators that are under way, or have not been taken since; then a token of theirs is one that a wait should have had. */
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
	Words words[A_WORDS], hollow[A_WORDS]; /* of A; bits that are not defined, where `mixed` */
	uint32_t mixed, origin;
} Product;

struct SimProducts {
	Set sets[MOST_SETS];
	Product *list; /* oldest first */
	uint32_t count, cap, group, next; /* next: set to take, if it is free */
	bool fenced;
};

/* ---- matrices in shared memory ---- */

static uint32_t part_at(uint64_t descriptor, unsigned row, unsigned k, unsigned bytes, bool rows_first)
{
	static const unsigned spans[] = {16, 128, 64, 32};
	uint32_t base = (uint32_t)(descriptor & 0x3fff) * 16, leading = (uint32_t)(descriptor >> 16 & 0x3fff) * 16,
		 stride = (uint32_t)(descriptor >> 32 & 0x3fff) * 16;
	unsigned mode = (unsigned)(descriptor >> 62), span = spans[mode], of_span = span / bytes;
	uint32_t at;
	if (!rows_first)
		at = row % 8 * span + row / 8 * stride + (mode ? k * bytes : k * bytes / PART * leading);
	else
		at = row % of_span * bytes + k % 8 * span +
		     (mode ? row / of_span * leading + k / 8 * stride : row / of_span * stride + k / 8 * leading);
	at += base;
	return mode ? at ^ (at >> 7 & (span / PART - 1)) << 4 : at;
}

/* Parts of `rows` rows from `first` on: along K the rows one after the other; along rows first those of a k. */
typedef struct Parts {
	uint32_t at[2 * MOST_N];
	unsigned count;
} Parts;

static void list_parts(const Wgmma *x, uint64_t descriptor, unsigned first, unsigned rows, bool rows_first, Parts *out)
{
	unsigned bytes = x->shape.bits / 8, each = PART / bytes;
	out->count = 0;
	for (unsigned row = 0; row < rows; row += rows_first ? each : 1)
		for (unsigned k = 0; k < x->shape.k; k += rows_first ? 1 : each)
			out->at[out->count++] = part_at(descriptor, first + row, k, bytes, rows_first);
}

/* Words of eight rows each: word `2 * (half of K)` and, of A, one more for rows 8 to 15. */
static void put_part(const Wgmma *x, Words *words, unsigned per_half, unsigned number, bool rows_first, const uint8_t *from)
{
	if (!rows_first) {
		unsigned row = number / 2, half = number % 2;
		memcpy((uint8_t *)words[half * per_half + row / 8].lane + row % 8 * PART, from, PART);
		return;
	}
	/* Eight rows of 16 bits at one k. */
	unsigned group = number / x->shape.k, k = number % x->shape.k;
	uint8_t *to = (uint8_t *)words[k / 8 * per_half + group].lane;
	for (unsigned row = 0; row < 8; row++)
		memcpy(to + row * PART + k % 8 * 2, from + 2 * row, 2);
}

static bool look_at(SimWarp *w, const SimInstr *i, const Parts *parts)
{
	for (unsigned p = 0; p < parts->count; p++) {
		unsigned lane = p / 2 % SIM_LANES;
		if (!sim_shared(w, i, lane, parts->at[p], PART, PART))
			return false;
		if (w->cta->shadow)
			sim_check_async_read(w, i, lane, parts->at[p], PART);
	}
	return true;
}

static void leave(SimWarp *w, const Parts *parts)
{
	for (unsigned p = 0; p < parts->count; p++)
		sim_check_async_done(w, parts->at[p], PART);
}

static void find_parts(const SimWarp *w, const Wgmma *x, uint64_t a, uint64_t b, Parts *of_a, Parts *of_b)
{
	of_a->count = 0;
	if (!x->words)
		list_parts(x, a, w->index % 4 * 16, 16, x->rows_first[0], of_a);
	list_parts(x, b, 0, x->n, x->rows_first[1], of_b);
}

/* ---- a product ---- */

static void multiply(SimWarp *w, const Wgmma *x, const Parts *of_a, const Parts *of_b, Words *a, bool added, void *const *to,
		     const void *const *from)
{
	static const Words zeros;
	const uint8_t *shared = w->shared;
	unsigned parts = of_b->count / (x->n / 8); /* of eight columns */
	for (unsigned p = 0; p < of_a->count; p++)
		put_part(x, a, 2, p, x->rows_first[0], shared + of_a->at[p]);
	for (unsigned j = 0; j < x->n / 8; j++) {
		Words b[B_WORDS];
		const void *in[A_WORDS + B_WORDS + 4];
		for (unsigned p = 0; p < parts; p++)
			put_part(x, b, 1, p, x->rows_first[1], shared + of_b->at[j * parts + p]);
		for (unsigned k = 0; k < A_WORDS; k++)
			in[k] = &a[k];
		for (unsigned k = 0; k < B_WORDS; k++)
			in[A_WORDS + k] = &b[k];
		for (unsigned k = 0; k < x->each; k++)
			in[A_WORDS + B_WORDS + k] = added ? from[j * x->each + k] : &zeros;
		x->multiply(&x->shape, to + j * x->each, in);
	}
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

/* The set that the accumulators are tokens of; MOST_SETS: they are numbers. False after the fault. */
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
	unsigned each = x->words ? A_WORDS : 1, a = x->first + step * each, b = x->first + x->steps * each + step;
	*out = (Product){.by = i};
	for (unsigned k = 0; k < A_WORDS && x->words; k++) {
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
	multiply(w, x, of_a, of_b, product->words, product->added, to, from);
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
		find_parts(w, x, product.a, product.b, &of_a, &of_b);
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

static bool any_in(SimWarp *w, const Parts *parts, uint32_t *origin)
{
	for (unsigned p = 0; p < parts->count; p++) {
		const uint8_t *bits = sim_hollow_shared(w, parts->at[p], false);
		for (unsigned k = 0; bits && k < PART; k++) {
			if (!bits[k])
				continue;
			*origin = w->cta->hollow->origin[(w->base + parts->at[p] + k) / 4];
			return true;
		}
	}
	return false;
}

/* As `multiply`, of the bits that are not defined. */
static void multiply_hollow(SimWarp *w, const Wgmma *x, const Parts *of_a, const Parts *of_b, Words *a,
			    bool added, Words *accumulators)
{
	static const Words zeros;
	const uint8_t *shared = sim_hollow_shared(w, 0, true);
	unsigned parts = of_b->count / (x->n / 8);
	for (unsigned p = 0; p < of_a->count && shared; p++)
		put_part(x, a, 2, p, x->rows_first[0], shared + of_a->at[p]);
	for (unsigned j = 0; j < x->n / 8 && shared; j++) {
		Words b[B_WORDS];
		const uint8_t *of[2][A_WORDS], *sum[4];
		uint8_t *to[4];
		for (unsigned p = 0; p < parts; p++)
			put_part(x, b, 1, p, x->rows_first[1], shared + of_b->at[j * parts + p]);
		for (unsigned k = 0; k < A_WORDS; k++)
			of[0][k] = (const uint8_t *)&a[k];
		for (unsigned k = 0; k < B_WORDS; k++)
			of[1][k] = (const uint8_t *)&b[k];
		for (unsigned k = 0; k < x->each; k++) {
			to[k] = (uint8_t *)&accumulators[j * x->each + k];
			sum[k] = added ? to[k] : (const uint8_t *)&zeros;
		}
		sim_product_undefined(&x->shape, x->multiply, of[0], of[1], sum, to);
	}
}

static void finish_hollow(SimWarp *w, Product *p, Set *set, const Parts *of_a, const Parts *of_b)
{
	uint32_t origin = p->origin;
	bool mixed = p->mixed || any_in(w, of_a, &origin) || any_in(w, of_b, &origin);
	if ((!mixed && !set->hollow) || !hollow_of(w, set))
		return;
	set->origin = mixed ? origin : set->origin;
	multiply_hollow(w, p->by->data, of_a, of_b, p->hollow, p->added, set->hollow);
}

/* Descriptors, and whether to add, are taken at once; what else there is travels with the
 * product, and its tokens are defined. */
static void define_issue(SimWarp *w, const SimInstr *i, uint32_t mask, bool done)
{
	const Wgmma *x = i->data;
	unsigned each = x->words ? A_WORDS : 1;
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
	find_parts(w, x, p->a, p->b, &of_a, &of_b);
	multiply(w, x, &of_a, &of_b, p->words, p->added, to, from);
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
	ASSERT(p.n <= MOST_N && s->a_words == A_WORDS);
	x->n = p.n;
	x->count = s->c_words;
	x->each = x->count / (p.n / 8);
	s->m = 16;
	s->n = 8;
	s->b_words = B_WORDS;
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
	unsigned operands = x->first + x->steps * (x->words ? A_WORDS + 1 : 2) + !p.fresh;
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
