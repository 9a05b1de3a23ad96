/* Controls of the fake libcuda.so.1: which call fails with what, what the devices are like, and what was called.
 *
 * It keeps the rules that a driver keeps: handles that are gone are refused, memory is counted, a kernel fault stays
 * with its context, a child of a process that had initialised it is refused. */
#ifndef NESO_TEST_FAKE_H
#define NESO_TEST_FAKE_H

#include <stddef.h>
#include <stdint.h>

enum { FAKE_ARGS = 64, FAKE_CALLS = 4096 };

/* The last launch. */
typedef struct FakeLaunch {
	unsigned grid[3], block[3], shared;
	void *stream, *function, *context;
	void **params;
	unsigned attributes, cooperative, dependent, cluster; /* cuLaunchKernelEx */
	uint64_t args[FAKE_ARGS]; /* the first arg_count params */
	const void *image; /* that the function's module was loaded from */
} FakeLaunch;

typedef struct FakeCuda {
	void (*reset)(void);
	/* devices */
	int devices, version, major, minor, sms, shared_optin;
	/* kernels */
	int registers, max_threads, static_shared, local, blocks_per_sm;
	/* faults: from now on, the call of this name gives this result, once or always; NULL: none */
	const char *fail_call;
	int fail_result, fail_always;
	int fail_skip; /* calls of that name that still succeed */
	int pools;        /* cuMemAllocAsync works */
	int capturing;    /* streams capture */
	int without;      /* entry points marked MAYBE in cuda.def are missing */
	const char *missing; /* an entry point that is not there; NULL: none */
	int allow_fork;
	const char *jit_info, *jit_error; /* what the compiler logs */
	int jit_options; /* of the last cuLinkCreate: target number */
	int arg_count;   /* params to read at a launch */
	int quiet;       /* calls only return: FAKE_CUDA_QUIET in the environment, to time what is above them */
	/* counts */
	int inits, loads, unloads, contexts_retained, launches, allocations, frees, pushes, link_states;
	size_t bytes, capacity; /* in use, and of the device */
	FakeLaunch last;
	unsigned char arg_bytes[FAKE_ARGS]; /* of each param to read; 0: 8 */
	/* what host code does */
	void *(*context_new)(int device); /* as cuCtxCreate: current */
	void (*context_destroy)(void *context);
	void (*kernel_fault)(int result); /* the current context's kernels failed */
	unsigned long long stream_ids; /* added to a stream's handle, which gives its number */
	char calls[FAKE_CALLS]; /* names of the calls so far, a blank between, without queries */
	int encoded; /* tensor maps */
	int map_at; /* which param of launches is one; 0: none */
	uint64_t last_map[16]; /* that of the last launch */
	/* of a launch, in ms of the clock that events read; NULL: events are 1.5 ms apart */
	float (*cost)(const void *image);
	double clock;
	int event_busy; /* cuEventQuery: not yet */
	int second_major, second_minor; /* of the second device; 0: as the first */
	void *capturing_stream; /* captures, and its graphs live on: their modules stay loaded; NULL: none */
	int spoiled; /* calls that made graphs invalid that were being captured */
} FakeCuda;

FakeCuda *fake_cuda(void);

#endif
