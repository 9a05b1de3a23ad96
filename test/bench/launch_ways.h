/* The ways in which a program can launch an empty kernel from C, to be measured in turns: what launch_bench and, as a
 * shared library through ctypes, bench/gpu/launches.py and bench/gpu/first_launch.py run. One thread.
 *
 * What fails is told on stderr. */
#ifndef TEST_BENCH_LAUNCH_WAYS_H
#define TEST_BENCH_LAUNCH_WAYS_H

#include <stddef.h>

enum { WAYS_MOST_ARGS = 58 };

/* cuLaunchKernel; nv_launch with the function at hand, and with the lookup of context and function before it; neso_kernel_launch. */
typedef enum Way { WAY_RAW, WAY_NV, WAY_NV_WITH_LOOKUP, WAY_NESO, WAY__COUNT } Way;
extern const char *const way_names[WAY__COUNT];

typedef struct Ways Ways;
typedef struct WaysSubject WaysSubject; /* an empty kernel; lives as long as its Ways */

#define WAYS_API __attribute__((visibility("default")))

/* NULL where there is no driver or no GPU. A context is current from then on. */
WAYS_API Ways *ways_open(void);
WAYS_API void ways_close(Ways *ways);

/* "NVIDIA H200, driver 13.0 (580.159)"; as long as the Ways. */
WAYS_API const char *ways_device(const Ways *ways);

/* With pointers and 32-bit numbers in turn as arguments, 0 to WAYS_MOST_ARGS of them. NULL after telling why. Without libneso-codegen.so it
 * cannot be launched by WAY_NESO. */
WAYS_API WaysSubject *ways_subject(Ways *ways, int arguments);
WAYS_API int ways_can(const WaysSubject *subject, int way);

/* Microseconds of the calling thread for one of so many launches, which have finished when it returns; negative after telling why. */
WAYS_API double ways_round(Ways *ways, WaysSubject *subject, int way, int launches);

/* Microseconds from a cubin in memory to a finished launch of one CTA: cuModuleLoadData, cuModuleGetFunction, cuLaunchKernel,
 * cuCtxSynchronize. loading: those of cuModuleLoadData alone. The arguments are all 0. Negative after telling why. */
WAYS_API double ways_first(Ways *ways, const void *cubin, const char *kernel, int threads, double *loading);

/* Nanoseconds of cuCtxGetCurrent and of cuCtxGetId; 0 where the driver has none. */
WAYS_API void ways_context(const Ways *ways, double *current, double *id);

/* A table of DLPack's C functions, for objects that stand for tensors where there is no framework: each is 4096 float64 of GPU 0. */
WAYS_API const void *ways_exchange_table(void);

#endif
