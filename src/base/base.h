/* What every folder may assume: integer types, small macros, assertions.
 *
 * An assertion that fails is our own fault, never the user's: it raises a Fault (fault.h), which the
 * entry points of the library turn into a status and a diagnostic. The process lives. */
#ifndef NESO_BASE_BASE_H
#define NESO_BASE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

#if defined(__GNUC__)
#define PRINTF_LIKE(fmt, first) __attribute__((format(printf, fmt, first)))
#define UNUSED __attribute__((unused))
#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#else
#define PRINTF_LIKE(fmt, first)
#define UNUSED
#define LIKELY(x) (x)
#define UNLIKELY(x) (x)
#endif

/* Our own bug: says where and what, then unwinds to the innermost FAULT_TRY. */
_Noreturn void base_bug(const char *file, int line, const char *format, ...) PRINTF_LIKE(3, 4);
#define BUG(...) base_bug(__FILE__, __LINE__, __VA_ARGS__)
#define ASSERT(cond) ((void)(LIKELY(cond) || (base_bug(__FILE__, __LINE__, "assertion failed: %s", #cond), 0)))
/* What a stage promises to the next one. Like ASSERT in every build but those that are handed out (NESO_DIST), where it costs
 * nothing and is not evaluated. What guards memory is an ASSERT. */
#ifdef NESO_NO_CONTRACTS
#define CONTRACT(cond) ((void)sizeof(!(cond)))
#else
#define CONTRACT(cond) ASSERT(cond)
#endif

static inline bool base_is_pow2(uint64_t n)
{
	return n != 0 && (n & (n - 1)) == 0;
}

/* Floor of log2; n must not be 0. */
static inline unsigned base_log2(uint64_t n)
{
	return 63u - (unsigned)__builtin_clzll(n);
}

#endif
