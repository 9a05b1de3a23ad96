/* vprintf and __assertfail, as the driver's functions: a format, and a buffer with the arguments at their alignment. */
#include <stdio.h>

#include "sim/ops/machine.h"

static void add_text(SimCta *cta, const char *text, size_t len)
{
	if (cta->text_len + len > cta->text_cap) {
		size_t cap = MAX(cta->text_cap * 2, cta->text_len + len + 256);
		char *grown = heap_grow(cta->text, cap);
		if (!grown) {
			sim_no_memory(cta->run);
			return;
		}
		cta->text = grown;
		cta->text_cap = cap;
	}
	memcpy(cta->text + cta->text_len, text, len);
	cta->text_len += len;
}

/* One conversion, `spec` with its percent sign; takes its argument from the buffer. */
static void convert(SimCta *cta, const char *spec, size_t len, const uint8_t *buffer, size_t *at)
{
	char format[32], out[400];
	char kind = spec[len - 1];
	bool wide = kind == 'f' || kind == 'g' || kind == 'e' || kind == 'p' || (len >= 3 && spec[len - 2] == 'l' && spec[len - 3] == 'l');
	uint64_t bits = 0;
	double real;
	int n;
	if (len >= sizeof format)
		return;
	memcpy(format, spec, len);
	format[len] = 0;
	*at = wide ? (*at + 7) & ~(size_t)7 : *at;
	memcpy(&bits, buffer + *at, wide ? 8 : 4);
	*at += wide ? 8 : 4;
	if (kind == 'f' || kind == 'g' || kind == 'e') {
		memcpy(&real, &bits, 8);
		n = snprintf(out, sizeof out, format, real);
	} else if (kind == 'p') {
		n = snprintf(out, sizeof out, "%p", (void *)(uintptr_t)bits);
	} else if (wide) {
		n = snprintf(out, sizeof out, format, (unsigned long long)bits);
	} else {
		n = snprintf(out, sizeof out, format, (unsigned)bits);
	}
	if (n > 0)
		add_text(cta, out, MIN((size_t)n, sizeof out - 1));
}

static void print_lane(SimCta *cta, const char *format, const uint8_t *buffer)
{
	size_t at = 0;
	while (*format) {
		size_t len = strcspn(format, "%");
		add_text(cta, format, len);
		format += len;
		if (!*format)
			return;
		if (format[1] == '%') {
			add_text(cta, "%", 1);
			format += 2;
			continue;
		}
		len = strcspn(format, "diuxXfgepc");
		len += format[len] != 0;
		convert(cta, format, len, buffer, &at);
		format += len;
	}
}

static bool print(SimWarp *w, const SimInstr *i, uint32_t mask)
{
	const uint64_t *format = sim_operand(w, i, 0), *buffer = sim_operand(w, i, 1);
	EACH_LANE(lane, mask)
		print_lane(w->cta, (const char *)(uintptr_t)format[lane], (const uint8_t *)(uintptr_t)buffer[lane]);
	return true;
}

static bool assert_fails(SimWarp *w, const SimInstr *i, uint32_t mask)
{
	const uint64_t *text = sim_operand(w, i, 0);
	int lane = __builtin_ctz(mask);
	const char *message = (const char *)(uintptr_t)text[lane];
	return sim_fault(w, i, lane, DIAG_RUN_ASSERT, "%s", message);
}

bool print_decode(SimDecoder *d, LLVMValueRef call, const char *suffix)
{
	(void)suffix;
	return machine_effect(d, call, print, 0) != NULL;
}

const SimMachine sim_machine_fail = {.effect = assert_fails};

bool assert_decode(SimDecoder *d, LLVMValueRef call, const char *suffix)
{
	(void)suffix;
	return machine_effect(d, call, assert_fails, 0) != NULL;
}
