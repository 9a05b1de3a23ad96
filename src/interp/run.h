/* A launch: what its programs share. */
#ifndef NESO_INTERP_RUN_H
#define NESO_INTERP_RUN_H

#include <pthread.h>

#include "interp/exec.h"

/* One of the programs of a deadlock. */
typedef struct WaitNote {
	uint64_t pid;
	const InterpLoc *loc;
} WaitNote;
enum { WAIT_NOTES = 8 };

struct Launch {
	const InterpKernel *kernel;
	const InterpLaunch *in;
	LaunchBuffer *buffers; /* by address */
	uint32_t buffer_count;
	int32_t *arg_origin;   /* by argument: index in `buffers`, or ORIGIN_ANY */
	uint64_t programs, chunk; /* of them, taken at a time */
	double deadline;       /* 0: none */
	_Atomic(uint64_t) next; /* the next program to start */
	_Atomic(uint64_t) stop; /* programs from this number on are not needed any more */
	pthread_mutex_t lock;   /* of all below */
	FaultNote fault;        /* of the program with the least number */
	bool faulted;
	/* Waiting programs. */
	_Atomic(uint64_t) version; /* counts changes that could let one go on */
	uint32_t active;           /* threads that work, or are about to */
	uint32_t idle;             /* of these, threads whose programs were all stuck at `idle_version` */
	uint64_t idle_version;
	_Atomic(bool) dead;        /* a deadlock was found */
	_Atomic(bool) cut;         /* the host wants no more of it */
	double next_poll;          /* when to ask the host again; of its thread alone */
	WaitNote waiting[WAIT_NOTES]; /* of its programs, those of the least numbers, in order */
	uint32_t waiting_count;       /* all of them */
	InterpPool *pool;          /* or NULL */
	unsigned helpers;          /* threads of the pool that may help */
};

/* A context for programs of the launch, and back (exec.c). */
Exec *exec_take(Launch *l);
void exec_give(Launch *l, Exec *x);
/* Records a fault if it is the first in program order; `text` is copied. */
void launch_fault(Launch *l, uint64_t pid, DiagCode code, const InterpLoc *loc, const char *text);

/* Takes programs on this thread until there are none; `wake` (may be NULL) is called once it takes
 * long. */
void launch_work(Launch *l, bool host_thread, void (*wake)(Launch *l));
/* Asks the host, on the thread that it called from, whether to go on; about every
 * LAUNCH_POLL_SECONDS. */
void launch_poll(Launch *l);
#define LAUNCH_POLL_SECONDS 0.05
/* Runs all programs, with the threads of a pool where there is one (pool.c). */
void launch_threads(Launch *l);

#endif
