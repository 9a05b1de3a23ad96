/* Faults: a per-thread stack of landing points. Its head, and that of the
 * stack of Stops, are the only thread-locals of the library. */
#include "base/fault.h"

#include <stdio.h>
#include <stdlib.h>

static _Thread_local Fault *innermost;
static _Thread_local struct Stop *innermost_stop;

void fault_enter(Fault *fault)
{
	fault->outer = innermost;
	fault->stop = innermost_stop;
	fault->kind = FAULT_NONE;
	fault->text[0] = '\0';
	innermost = fault;
}

void fault_leave(Fault *fault)
{
	innermost = fault->outer;
}

struct Stop *fault_stop(void)
{
	return innermost_stop;
}

void fault_set_stop(struct Stop *stop)
{
	innermost_stop = stop;
}

void fault_raise_v(FaultKind kind, const char *format, va_list args)
{
	Fault *fault = innermost;
	if (!fault)
		abort();
	innermost = fault->outer;
	innermost_stop = fault->stop;
	fault->kind = kind;
	vsnprintf(fault->text, sizeof fault->text, format, args);
	longjmp(fault->env, 1);
}

void fault_raise(FaultKind kind, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	fault_raise_v(kind, format, args);
}

void base_bug(const char *file, int line, const char *format, ...)
{
	char text[200];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	fault_raise(FAULT_BUG, "%s:%d: %s", file, line, text);
}
