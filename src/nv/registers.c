/* A second assembly with a limit of registers that is said.
 *
 * ptxas chooses how many registers a thread gets. For long kernels that keep a lot of addresses it at times falls back to 32 (or 40, or
 * 64) and spills kilobytes, of 255 that it could have; --maxrregcount does not change that where the PTX says .reqntid,
 * and .maxnreg in the PTX does (seen with ptxas 12.8 to 13.0). So: where the report tells of spills and of no more than
 * three quarters of the registers that so many threads can have, the limit is put into the PTX, and of the two cubins the one that
 * spills less is kept. Who sets a limit (.maxnreg, options) has chosen. */
#include "nv/inner.h"

enum { GRANULE = 8 };

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

Str nv_with_more_registers(Arena *arena, Str ptx, const char *kernel, const NvCubin *cubin)
{
	static const char mark[] = ".reqntid";
	size_t entry = entry_of(ptx, kernel), body = find(ptx, entry, "{"), at = find(ptx, entry, mark), end = 0;
	if (!cubin->spill_stores || at >= body || find(ptx, entry, ".maxnreg") < body)
		return (Str){0};
	unsigned threads = threads_at(ptx, at + strlen(mark), &end);
	unsigned limit = MIN(TARGET_REGISTERS_SM / MAX(threads, (unsigned)TARGET_WARP_SIZE) / GRANULE * GRANULE, (unsigned)TARGET_REGISTERS_THREAD);
	if (!end || cubin->registers * 4 > limit * 3)
		return (Str){0};
	/* On the same line: messages name lines of the PTX. */
	Text t;
	text_init(&t, arena);
	text_add(&t, ptx.ptr, end);
	text_printf(&t, " .maxnreg %u", limit);
	text_add(&t, ptx.ptr + end, ptx.len - end);
	return (Str){t.data, t.len};
}
