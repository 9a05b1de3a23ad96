/* How a launch specialises on a value: upstream's rules, written once.
 *
 * jit/bind/specialize.c derives types and constants by them, api/launch/key.c the words by which a
 * call is looked up; api/launch/again.c and python/ext/again.c compare a call with the last one.
 * Numbers in, numbers out: the Python extension includes this header and no other of src/.
 *
 * A parameter may have rules of its own (jit/bind/control.c): 1 is no constant, or is the only
 * value; divisibility by 8 counts as well as by 16; divisibility is ignored; its type is fixed.
 * For integers that are strides or bounds of tiles 8 counts as well, which upstream does not have:
 * 16 bytes are 8 elements.
 *
 * An integer that is 1 is a constant. An integer or address divisible by 16 is known to be so. An
 * integer without a type of its own is an int32 if that holds it, else an int64, else a uint64. A
 * float without one is an fp32. */
#ifndef NESO_JIT_RULES_H
#define NESO_JIT_RULES_H

#include <stdbool.h>
#include <stdint.h>

enum { RULE_DIVISOR = 16, RULE_SMALL_DIVISOR = 8 /* where it counts */ };

static inline bool rule_divisible(uint64_t value)
{
	return value % RULE_DIVISOR == 0;
}

static inline bool rule_divisible_small(uint64_t value)
{
	return value % RULE_SMALL_DIVISOR == 0;
}

/* What is known to divide the value; 0: nothing is concluded. */
static inline unsigned rule_divisor(uint64_t value, bool div8)
{
	return rule_divisible(value)		     ? RULE_DIVISOR
	       : div8 && rule_divisible_small(value) ? RULE_SMALL_DIVISOR
						     : 0;
}

static inline bool rule_constant(int64_t i)
{
	return i == 1;
}

static inline bool rule_int32(int64_t i)
{
	return i == (int32_t)i;
}

/* is_unsigned: the bits are those of a uint64. */
static inline bool rule_uint64(int64_t i, bool is_unsigned)
{
	return is_unsigned && i < 0;
}

/* Bits that a two's complement number takes, its sign among them: which types hold it. */
static inline unsigned rule_width(int64_t i)
{
	uint64_t magnitude = (uint64_t)(i < 0 ? ~i : i);
	return magnitude ? 65u - (unsigned)__builtin_clzll(magnitude) : 1;
}

/* What is concluded from a signed integer whose type its value chooses, in three bits. */
enum { RULE_INT_BITS = 3 };
static inline unsigned rule_int(int64_t i)
{
	return (unsigned)rule_constant(i) | (unsigned)rule_divisible((uint64_t)i) << 1 |
	       (unsigned)rule_int32(i) << 2;
}

/* Equal for integers that one variant serves. is_typed: the type is given, and whether it holds the
 * value is told by the width. */
static inline unsigned rule_int_class(int64_t i, bool is_unsigned, bool is_typed)
{
	return rule_int(i) | (unsigned)rule_uint64(i, is_unsigned) << RULE_INT_BITS |
	       (is_typed ? rule_width(i) : 0) << (RULE_INT_BITS + 1);
}

#endif
