/* Texts of floats, as MLIR writes and reads them (LLVM's APFloat::toString and its use in AsmPrinter).
 *
 * Writing: the exact decimal expansion of the value (every format is a double, and a double has at most 767
 * significant digits) is cut to six digits; when that text reads back as the same bits, it is printed with an
 * exponent. Else the digits that the format can carry, in plain notation where the exponent is small; a text without
 * a point is no float, so such values, infinities and NaNs are printed as bits. The cut is APFloat's: digits that the
 * number of bits shows to be superfluous are dropped, then halves of what is left are rounded up, so 0.99999997
 * may stay what it is where rounding once would have given 1. */
#define _POSIX_C_SOURCE 200809L
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "ir/text/asm.h"

enum { MAX_DIGITS = 780, MAX_TEXT = 840 };

/* value = 0.d0 d1 d2 ... * 10^(exp + 1): exp is the power of d0. */
typedef struct Decimal {
	char digits[MAX_DIGITS];
	int len, exp;
} Decimal;

/* printf and strtod follow the locale's decimal point; these do not. */
static locale_t plain_locale(locale_t *old)
{
	locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	*old = uselocale(plain);
	return plain;
}

static void restore_locale(locale_t plain, locale_t old)
{
	uselocale(old);
	if (plain)
		freelocale(plain);
}

static void exact_digits(double value, Decimal *d)
{
	char text[MAX_TEXT];
	locale_t old, plain = plain_locale(&old);
	snprintf(text, sizeof text, "%.*e", MAX_DIGITS - 10, fabs(value));
	restore_locale(plain, old);
	char *exp = strchr(text, 'e');
	d->exp = atoi(exp + 1);
	d->len = 0;
	for (const char *p = text; p < exp; p++)
		if (*p >= '0' && *p <= '9')
			d->digits[d->len++] = *p;
	/* The zeros of a whole number count as digits. */
	while (d->len > MAX(d->exp + 1, 1) && d->digits[d->len - 1] == '0')
		d->len--;
}

/* The bits of the whole number that the digits are. */
static int digit_bits(const Decimal *d)
{
	uint32_t limbs[(MAX_DIGITS * 10 + 95) / 96 + 1] = {0};
	int n = 1;
	for (int i = 0; i < d->len; i++) {
		uint64_t carry = (uint64_t)(d->digits[i] - '0');
		for (int k = 0; k < n; k++) {
			carry += (uint64_t)limbs[k] * 10;
			limbs[k] = (uint32_t)carry;
			carry >>= 32;
		}
		if (carry)
			limbs[n++] = (uint32_t)carry;
	}
	return 32 * (n - 1) + (limbs[n - 1] ? (int)base_log2(limbs[n - 1]) + 1 : 0);
}

static Decimal rounded(const Decimal *exact, int digits)
{
	Decimal d = *exact;
	/* 196 / 59 is APFloat's estimate of the bits of a digit. */
	int superfluous = (digit_bits(&d) - (digits * 196 + 58) / 59) * 59 / 196;
	if (superfluous > 0)
		d.len -= superfluous;
	if (d.len > digits) {
		bool up = d.digits[digits] >= '5';
		d.len = digits;
		int i = digits - 1;
		while (up && i >= 0 && d.digits[i] == '9')
			d.digits[i--] = '0';
		if (up && i >= 0) {
			d.digits[i]++;
		} else if (up) {
			d.digits[0] = '1';
			d.exp++;
		}
	}
	while (d.len > 1 && d.digits[d.len - 1] == '0')
		d.len--;
	return d;
}

/* At least `decimals` digits after the point. */
static int scientific(char *out, const Decimal *d, int decimals, char e)
{
	int n = sprintf(out, "%c.", d->digits[0]);
	for (int i = 1; i < MAX(d->len, decimals + 1); i++)
		out[n++] = i < d->len ? d->digits[i] : '0';
	return n + sprintf(out + n, e == 'e' ? "e%c%02d" : "E%c%d", d->exp < 0 ? '-' : '+', abs(d->exp));
}

static int natural(char *out, const Decimal *d, int precision)
{
	enum { MOST_PADDING = 3 };
	int last = d->exp - (d->len - 1); /* power of the last digit */
	if (last >= 0 ? last > MOST_PADDING || d->len + last > precision : d->exp < -MOST_PADDING)
		return scientific(out, d, 1, 'E');
	int n = 0;
	if (d->exp < 0) {
		n = sprintf(out, "0.");
		for (int i = -1; i > d->exp; i--)
			out[n++] = '0';
	}
	for (int i = 0; i < d->len; i++) {
		out[n++] = d->digits[i];
		if (i == d->exp && i + 1 < d->len)
			out[n++] = '.';
	}
	for (int i = 0; i < last; i++)
		out[n++] = '0';
	return n;
}

static unsigned mantissa_bits(IrType type)
{
	switch (type->kind) {
	case TY_F8E5M2:
	case TY_F8E5M2FNUZ:
		return 3;
	case TY_F8E4M3FN:
	case TY_F8E4M3B11FNUZ:
	case TY_F8E4M3FNUZ:
		return 4;
	case TY_F16:
		return 11;
	case TY_BF16:
		return 8;
	case TY_F32:
		return 24;
	default:
		return 53;
	}
}

void asm_float_print(Text *out, IrType type, uint64_t bits)
{
	double value = ir_float_value(type, bits);
	char text[MAX_TEXT];
	if (isfinite(value)) {
		char *at = text;
		Decimal exact, d;
		if (signbit(value))
			*at++ = '-';
		exact_digits(value, &exact);
		d = rounded(&exact, 6);
		int n = (int)(at - text) + scientific(at, &d, 6, 'e');
		if (asm_float_bits(type, (Str){text, (size_t)n}) != bits) {
			/* APFloat's count of the digits that carry a mantissa. */
			int precision = 2 + (int)mantissa_bits(type) * 59 / 196;
			d = rounded(&exact, precision);
			n = (int)(at - text) + natural(at, &d, precision);
		}
		if (memchr(text, '.', (size_t)n)) {
			text_add(out, text, (size_t)n);
			return;
		}
	}
	text_printf(out, "0x%llX", (unsigned long long)bits);
}

uint64_t asm_float_bits(IrType type, Str text)
{
	char buffer[MAX_TEXT];
	size_t len = MIN(text.len, sizeof buffer - 1);
	memcpy(buffer, text.ptr, len);
	buffer[len] = '\0';
	locale_t old, plain = plain_locale(&old);
	/* A float first: rounding to double and then to float could round twice. */
	double value = type->kind == TY_F32 ? (double)strtof(buffer, NULL) : strtod(buffer, NULL);
	restore_locale(plain, old);
	return ir_float_bits(type, value);
}
