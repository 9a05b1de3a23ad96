/* Launches faulty kernels one after the other (pack.py has the table): "begin N", "end N STATUS" of
 * each on the standard output. Ends with 3 where the context is lost: the rows behind it are to be
 * started again.
 *
 *	runner DATA ROW... */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Place {
	size_t bytes;
	long offset; /* in the file; -1: nobody writes there, -2: zeros */
} Place;

typedef struct Row {
	int number;
	const char *name;
	int (*run)(const uint64_t *arrays);
	unsigned arrays;
	Place places[8];
} Row;

#include "rows.h"

static int (*mem_alloc)(uint64_t *at, size_t bytes);
static int (*mem_free)(uint64_t at);
static int (*to_device)(uint64_t to, const void *from, size_t bytes);
static int (*synchronize)(void);

static void *function(void *library, const char *name)
{
	void *found = dlsym(library, name);
	if (!found) {
		fprintf(stderr, "the driver has no %s\n", name);
		exit(2);
	}
	return found;
}

static int start(void)
{
	void *library = dlopen("libcuda.so.1", RTLD_NOW), *context;
	int device, status;
	if (!library) {
		fprintf(stderr, "%s\n", dlerror());
		return 2;
	}
	int (*init)(unsigned) = (int (*)(unsigned))function(library, "cuInit");
	int (*get)(int *, int) = (int (*)(int *, int))function(library, "cuDeviceGet");
	int (*retain)(void **, int) = (int (*)(void **, int))function(library, "cuDevicePrimaryCtxRetain");
	int (*current)(void *) = (int (*)(void *))function(library, "cuCtxSetCurrent");
	mem_alloc = (int (*)(uint64_t *, size_t))function(library, "cuMemAlloc_v2");
	mem_free = (int (*)(uint64_t))function(library, "cuMemFree_v2");
	to_device = (int (*)(uint64_t, const void *, size_t))function(library, "cuMemcpyHtoD_v2");
	synchronize = (int (*)(void))function(library, "cuCtxSynchronize");
	if ((status = init(0)) || (status = get(&device, 0)) || (status = retain(&context, device)))
		return status;
	return current(context);
}

static int fill(const Place *place, uint64_t at, const char *data)
{
	char *zeros = place->offset == -2 ? calloc(1, place->bytes) : NULL;
	const char *from = zeros ? zeros : data + place->offset;
	int status = place->offset == -1 ? 0 : to_device(at, from, place->bytes);
	free(zeros);
	return status;
}

static int run(const Row *row, const char *data)
{
	uint64_t at[8] = {0};
	int status = 0;
	for (unsigned n = 0; n < row->arrays && !status; n++)
		if (!(status = mem_alloc(&at[n], row->places[n].bytes)))
			status = fill(&row->places[n], at[n], data);
	if (!status)
		status = row->run(at);
	int after = synchronize();
	for (unsigned n = 0; n < row->arrays; n++)
		mem_free(at[n]);
	return status ? status : after;
}

static char *read_all(const char *path)
{
	FILE *f = fopen(path, "rb");
	if (!f || fseek(f, 0, SEEK_END))
		return NULL;
	size_t size = (size_t)ftell(f);
	char *data = malloc(size + 1);
	rewind(f);
	size = data ? fread(data, 1, size, f) : 0;
	fclose(f);
	return data;
}

static int run_numbered(int number, const char *data)
{
	for (size_t n = 0; n < sizeof rows / sizeof *rows; n++) {
		if (rows[n].number != number)
			continue;
		printf("begin %d\n", number);
		fflush(stdout);
		int status = run(&rows[n], data);
		uint64_t probe;
		int lost = status && (synchronize() || mem_alloc(&probe, 256));
		printf("end %d %d%s\n", number, status, lost ? " lost" : "");
		fflush(stdout);
		return lost ? 3 : 0;
	}
	return 0;
}

int main(int argc, char **argv)
{
	char *data = argc > 1 ? read_all(argv[1]) : NULL;
	int status = data ? start() : 2;
	if (status) {
		printf("no start: %d\n", status);
		return 2;
	}
	for (int n = 2; n < argc && !status; n++)
		status = run_numbered(atoi(argv[n]), data);
	free(data);
	return status;
}
