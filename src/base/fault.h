/* Unwinding from out-of-memory and from our own bugs to a library entry point.
 *
 * An entry point writes
 *
 *	Fault fault;
 *	if (FAULT_TRY(&fault)) {
 *		... work that owns nothing but arena memory ...
 *		fault_leave(&fault);
 *	} else {
 *		... fault.kind and fault.text say what happened; the Fault is already left ...
 *	}
 *
 * Faults nest per thread. The unwinding is a longjmp, so the protected code must own only arena memory
 * and must not have frames of foreign code (LLVM, CPython) between the raise and the FAULT_TRY.
 * A fault raised outside every FAULT_TRY aborts: reaching that is a bug of an entry point.
 */
#ifndef NESO_BASE_FAULT_H
#define NESO_BASE_FAULT_H

#include <setjmp.h>
#include <stdarg.h>
#include "base/base.h"

/* TIME, STOPPED: the work was to end (stop.h). */
typedef enum { FAULT_NONE, FAULT_MEMORY, FAULT_LIMIT, FAULT_BUG, FAULT_TIME, FAULT_STOPPED } FaultKind;

struct Stop;

typedef struct Fault {
	jmp_buf env;
	struct Fault *outer;
	struct Stop *stop; /* innermost when it was entered */
	FaultKind kind;
	char text[256];
} Fault;

void fault_enter(Fault *fault);
void fault_leave(Fault *fault);
_Noreturn void fault_raise(FaultKind kind, const char *format, ...) PRINTF_LIKE(2, 3);
_Noreturn void fault_raise_v(FaultKind kind, const char *format, va_list args);

/* The thread's innermost Stop, for stop.c. */
struct Stop *fault_stop(void);
void fault_set_stop(struct Stop *stop);

#define FAULT_TRY(f) (fault_enter(f), setjmp((f)->env) == 0)

#endif
