/* What tuning found, as a file that people read, check in and merge: JSON, a line for each choice,
 *sorted.
 *
 *	{"neso-tuned": 1, "entries": [
 *	{"kernel": "matmul", "content": "0123456789abcdef", "gpu": "NVIDIA H200 sm_90a", "driver":
 *"13.0 (580.95.05)", "key": "M=4096, N=4096; a_ptr=fp16", "config": "BLOCK=128, num_warps=8",
 *"us": 12.5, "noise": 0.004, "tried": 24}
 *	]}
 *
 * An entry is found by its first five texts. */
#ifndef NESO_TUNE_RESULTS_H
#define NESO_TUNE_RESULTS_H

#include "base/str.h"

typedef struct TuneKey {
	const char *kernel; /* its name */
	const char *content; /* a hash of what it is made of */
	const char *gpu, *driver;
	const char *key; /* "M=4096; a_ptr=fp16": values and types that the choice depends on */
} TuneKey;

typedef struct TuneEntry {
	TuneKey key;
	const char *config; /* "BLOCK=128, num_warps=8" */
	double seconds, noise; /* of a run; 0: not told */
	uint32_t tried; /* candidates; 0: not told */
} TuneEntry;

/* Sorted by kernel, key, gpu, driver, content; each key once. */
typedef struct TuneResults {
	Arena *arena;
	TuneEntry *at;
	uint32_t count, room;
} TuneResults;

void tune_results_init(TuneResults *results, Arena *arena);
/* Adds what a file has. False: *why says what is wrong, and *line where; what was before it is
 * added. */
bool tune_results_read(TuneResults *results, Str text, const char **why, uint32_t *line);
void tune_results_write(const TuneResults *results, Text *out);
/* Copies; takes the place of an entry with this key. */
void tune_results_put(TuneResults *results, const TuneEntry *entry);
/* The same, but of two with one key the faster stays; of equal ones that whose config comes first
 * as a text. */
void tune_results_merge(TuneResults *results, const TuneEntry *entry);
/* NULL: there is none. any_driver: else that of another driver, the newest by its text. */
const TuneEntry *tune_results_find(const TuneResults *results, const TuneKey *key, bool any_driver);

#endif
