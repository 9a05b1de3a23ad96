/* A second assembly with another register limit.
 *
 * More registers: ptxas chooses how many registers a thread gets. For long kernels with many
 * addresses it at times falls back to 32 (or 40, or 64) and spills kilobytes, although it could
 * have 255; --maxrregcount does not change that where the PTX says .reqntid, but .maxnreg in the
 * PTX does (seen with ptxas 12.8 to 13.0). So where the report shows spills and no more than three
 * quarters of the registers that so many threads can have, the limit is put into the PTX, and of
 * the two cubins the one that spills less is kept.
 *
 * Fewer registers: ptxas ignores occupancy. Where a few registers less leave room for another CTA
 * on an SM, that is the limit, and the cubin is kept if it spills nothing and needs few more
 * instructions. Where that is half as many CTAs again, it may be more than one step away and spill
 * a few words: what ptxas spills first is what waits behind the loop. For kernels with products it
 * may be up to three eighths of the registers away: where no limit asks for less, ptxas moves loads
 * and what does not change in a loop far ahead (one that took 255 does with 144). Without products
 * such steps lost (KL divergence at 64 registers for 86 took 1.10 of the time, backward geglu at 40
 * for 52 1.02): more CTAs bring nothing to a memory that is busy.
 *
 * For loads: without a limit ptxas takes as few registers as it can and puts loads where their
 * values are wanted, so that a thread waits for memory many times; given a limit it fills that. So
 * where a thread without products waits more than twice (waits.c), the most registers that leave
 * room for three quarters of the CTAs are the limit. That is kept where more bytes come with each
 * wait and hardly fewer are waited for by an SM at once. Where only the latter fails, all of the
 * CTAs are tried; what does not wait less with more registers did not with fewer either, in all of
 * 46 kernels of public libraries. Fewer CTAs come first, as each ends sooner: batch norm of
 * 64x512x256 on an H100 took 42.8 us with 80 registers as ptxas had them, 37.5 with 79 in another
 * order, 34.7 with 94 and two CTAs for three.
 *
 * A kernel that sets a limit itself (.maxnreg, .minnctapersm, options) is assembled once. */
#include "nv/inner.h"

enum {
	GRANULE = 8,
	NEAR = 8,   /* a step is near that takes no more than an eighth of the registers */
	FAR = 3,    /* of kernels with products, for half as many CTAs again: three eighths */
	WORTH = 4,  /* a quarter of what is gained in CTAs may be lost in instructions */
	FEW = 16,   /* bytes that may be spilled for half as many CTAs again */
	LONG = 1 << 15, /* bytes of code of which none is made for loads: none gained from 25,000 on */
	CALM = 2,   /* rounds of waiting that are not worth another assembly */
	UNBOUND = 32, /* fewer registers, and ptxas wanted no more: it stops there by itself */
	MORE = 8,   /* an eighth more bytes with each round are */
	TENTH = 10, /* of the bytes that an SM waits for at once, that may be lost */
};

static size_t find(Str s, size_t from, const char *what)
{
	size_t n = strlen(what);
	for (size_t i = from; i + n <= s.len; i++)
		if (memcmp(s.ptr + i, what, n) == 0)
			return i;
	return s.len;
}

static bool is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
}

/* Where the kernel's parameters begin behind its name, or the end. */
static size_t entry_of(Str ptx, const char *kernel)
{
	for (size_t at = 0; (at = find(ptx, at, ".entry")) < ptx.len; at++) {
		size_t name = at + strlen(".entry"), len = strlen(kernel);
		while (name < ptx.len && (ptx.ptr[name] == ' ' || ptx.ptr[name] == '\t'))
			name++;
		if (name + len < ptx.len && memcmp(ptx.ptr + name, kernel, len) == 0 && !is_name(ptx.ptr[name + len]))
			return name + len;
	}
	return ptx.len;
}

/* The number of threads behind .reqntid: up to three factors. */
static unsigned threads_at(Str ptx, size_t at, size_t *end)
{
	unsigned threads = 1, n = 0;
	bool digits = false;
	for (; at < ptx.len && strchr(" \t,0123456789", ptx.ptr[at]); at++) {
		if (ptx.ptr[at] >= '0' && ptx.ptr[at] <= '9') {
			n = n * 10 + (unsigned)(ptx.ptr[at] - '0');
			digits = true;
			*end = at + 1;
		} else if (digits) {
			threads *= MAX(n, 1u);
			n = 0;
			digits = false;
		}
	}
	return threads * (digits ? MAX(n, 1u) : 1);
}

/* Where the kernel's directives say how many threads it has, and set no limit of registers. */
typedef struct Place {
	unsigned threads; /* 0: there is none */
	size_t end;	  /* of the directive */
	bool counted;	  /* they say how many CTAs there are */
} Place;

static Place place_of(Str ptx, const char *kernel)
{
	static const char mark[] = ".reqntid";
	size_t entry = entry_of(ptx, kernel), body = find(ptx, entry, "{"), at = find(ptx, entry, mark);
	Place p = {.counted = find(ptx, entry, ".minnctapersm") < body};
	if (at >= body || find(ptx, entry, ".maxnreg") < body)
		return p;
	unsigned threads = threads_at(ptx, at + strlen(mark), &p.end);
	p.threads = p.end ? MAX(threads, (unsigned)TARGET_WARP_SIZE) : 0;
	return p;
}

/* On the same line: messages name lines of the PTX. */
static Str with_limit(Arena *arena, Str ptx, size_t at, unsigned limit)
{
	Text t;
	text_init(&t, arena);
	text_add(&t, ptx.ptr, at);
	text_printf(&t, " .maxnreg %u", limit);
	text_add(&t, ptx.ptr + at, ptx.len - at);
	return (Str){t.data, t.len};
}

Str nv_with_more_registers(Arena *arena, Str ptx, const char *kernel, const NvCubin *cubin)
{
	Place p = place_of(ptx, kernel);
	if (!cubin->spill_stores || !p.threads)
		return (Str){0};
	unsigned all = TARGET_REGISTERS_SM / p.threads / GRANULE * GRANULE;
	unsigned limit = MIN(all, (unsigned)TARGET_REGISTERS_THREAD);
	if (cubin->registers * 4 > limit * 3)
		return (Str){0};
	return with_limit(arena, ptx, p.end, limit);
}

static bool has_products(Str ptx, const char *kernel)
{
	return find(ptx, entry_of(ptx, kernel), "mma.") < ptx.len;
}

static unsigned ctas_of(const NvAssemble *how, unsigned registers, unsigned threads, unsigned shared)
{
	TargetOccupancy o;
	unsigned warps = (threads + TARGET_WARP_SIZE - 1) / TARGET_WARP_SIZE;
	target_occupancy(how->target, registers, shared, warps, &o);
	return o.ctas;
}

static bool are_many_more(unsigned before, unsigned now)
{
	return 2 * (now - before) >= before;
}

Str nv_with_fewer_registers(Arena *arena, Str ptx, const NvAssemble *how, const NvCubin *cubin,
			    unsigned *lowered)
{
	Place p = place_of(ptx, how->kernel);
	unsigned shared = how->shared + cubin->shared, registers = cubin->registers;
	if (cubin->spill_stores || cubin->stack || !p.threads || p.counted || !registers ||
	    registers > TARGET_REGISTERS_THREAD || shared > how->target->shared_cta)
		return (Str){0};
	unsigned ctas = ctas_of(how, registers, p.threads, shared), limit = registers / GRANULE * GRANULE;
	limit -= limit == registers ? GRANULE : 0;
	bool first = true;
	unsigned most = registers * (has_products(ptx, how->kernel) ? FAR : 1);
	for (; ctas && limit && (registers - limit) * NEAR <= most; limit -= GRANULE, first = false) {
		unsigned now = ctas_of(how, limit, p.threads, shared);
		bool near = first && (registers - limit) * NEAR <= registers;
		*lowered = limit;
		if (now > ctas)
			return near || are_many_more(ctas, now) ?
				       with_limit(arena, ptx, p.end, limit) :
				       (Str){0};
	}
	return (Str){0};
}

/* Bytes of its sections of instructions; 0: it has none, or is no ELF file of 64 bits. */
static uint64_t code_bytes(const NvCubin *cubin)
{
	uint64_t bytes = 0;
	for (unsigned i = 0; nv_code_of(cubin, i).len; i++)
		bytes += nv_code_of(cubin, i).len;
	return bytes;
}

Str nv_with_registers_for_loads(Arena *arena, Str ptx, const NvAssemble *how, const NvCubin *cubin,
				bool as_many)
{
	Place p = place_of(ptx, how->kernel);
	unsigned shared = how->shared + cubin->shared;
	if (cubin->spill_stores || cubin->stack || !p.threads || p.counted || cubin->registers < UNBOUND ||
	    cubin->registers + GRANULE > TARGET_REGISTERS_THREAD || shared > how->target->shared_cta ||
	    has_products(ptx, how->kernel) || code_bytes(cubin) > LONG ||
	    nv_waits_of(cubin).rounds <= CALM)
		return (Str){0};
	unsigned ctas = ctas_of(how, cubin->registers, p.threads, shared);
	unsigned least = as_many ? ctas : ctas * 3 / 4;
	unsigned limit = cubin->registers, next = limit / GRANULE * GRANULE + GRANULE;
	while (least && next < TARGET_REGISTERS_THREAD && ctas_of(how, next, p.threads, shared) >= least) {
		limit = next;
		next += GRANULE;
	}
	return least ? with_limit(arena, ptx, p.end, limit) : (Str){0};
}

static uint64_t of_rounds(NvWaits bytes_of, NvWaits rounds_of)
{
	return (uint64_t)bytes_of.bytes * rounds_of.rounds;
}

bool nv_waits_less(const NvCubin *before, const NvCubin *now)
{
	if (now->spill_stores || now->stack || now->registers > TARGET_REGISTERS_THREAD)
		return false;
	NvWaits a = nv_waits_of(before), b = nv_waits_of(now);
	uint64_t old = of_rounds(a, b), new = of_rounds(b, a);
	return new > old && (new - old) * MORE >= old;
}

bool nv_waits_less_on_sm(const NvAssemble *how, Str ptx, const NvCubin *before, const NvCubin *now)
{
	Place p = place_of(ptx, how->kernel);
	CONTRACT(p.threads);
	if (!nv_waits_less(before, now))
		return false;
	unsigned shared = how->shared + before->shared;
	NvWaits a = nv_waits_of(before), b = nv_waits_of(now);
	uint64_t old = of_rounds(a, b) * ctas_of(how, before->registers, p.threads, shared);
	uint64_t new = of_rounds(b, a) * ctas_of(how, now->registers, p.threads, shared);
	return new * TENTH >= old * (TENTH - 1);
}

bool nv_is_worth_its_step(const NvAssemble *how, Str ptx, const NvCubin *before, const NvCubin *now)
{
	Place p = place_of(ptx, how->kernel);
	CONTRACT(p.threads);
	bool spills = now->spill_stores != 0;
	if (now->spill_stores > FEW || (now->stack && !spills) || now->registers > TARGET_REGISTERS_THREAD)
		return false;
	uint64_t old = code_bytes(before), code = code_bytes(now);
	unsigned shared = how->shared + before->shared;
	unsigned a = ctas_of(how, before->registers, p.threads, shared);
	unsigned b = ctas_of(how, now->registers, p.threads, shared);
	bool gains = b > a && (!spills || are_many_more(a, b));
	return gains && (code <= old || (code - old) * a * WORTH <= old * (b - a));
}
