/* What gpu_look.c finds and gpu.c launches with. */
#ifndef NESO_PYTHON_GPU_H
#define NESO_PYTHON_GPU_H

#include "dlpack.h"
#include "native.h"

typedef struct GpuDesc {
	int64_t shape[NESO_MAX_RANK], strides[NESO_MAX_RANK], block[NESO_MAX_RANK];
	int rank;
	uint8_t pad_nan;
} GpuDesc;

/* V_CONSTANT and V_OTHER are in no function's arguments. */
typedef enum GpuKind { V_CONSTANT, V_BOOL, V_INT, V_FLOAT, V_MEMORY, V_DESCRIPTOR, V_OTHER } GpuKind;

/* A value as the GPU's function takes it. */
typedef struct GpuValue {
	uint64_t bits; /* the address, the integer, the double's bits */
	GpuKind kind;
	neso_dtype dtype; /* of the elements in memory */
	uint32_t desc;    /* DESCRIPTOR: index */
} GpuValue;

enum { GPU_WORDS = 512, GPU_LASTING = 32, GPU_DESCS = 16 };

/* The key is words whose equality means that the same variant is wanted. Objects that are in it by their address are
 * kept in `lasting`, and by the table's entry after that. */
struct GpuCall {
	GpuCall *next; /* spare */
	size_t cap;    /* of values */
	GpuValue *values;
	const Exchange *exchange; /* of the first tensor on a GPU that has one */
	PyObject *foreign;        /* borrowed: the first array on a GPU, when it has none */
	int device;               /* of the first array that tells; -1: none does */
	Py_ssize_t on_device, on_host; /* parameters of the first arrays that only a GPU, only the CPU can reach; -1 */
	const uint64_t *demoted; /* constexprs whose values the words leave out but for their class, or NULL */
	const PyObject *last; /* the last tensor that was looked at, with the value and the word that it gave: */
	const GpuValue *last_value;
	uint64_t last_word;
	uint64_t context;
	PyObject *held; /* list of what must live until the launch, or NULL */
	bool packed;    /* the words tell all: the call can be found again by them */
	uint64_t hash, factor;
	size_t word_count, lasting_count, desc_count;
	PyObject *lasting[GPU_LASTING];
	GpuDesc descs[GPU_DESCS];
	uint64_t words[GPU_WORDS];
};

static inline void gpu_put(GpuCall *g, uint64_t word)
{
	if (g->word_count < GPU_WORDS)
		g->words[g->word_count] = word;
	else
		g->packed = false;
	g->word_count++;
	/* A sum of products: no step waits for the one before. */
	g->hash += word * g->factor;
	g->factor += 0x9e3779b97f4a7c16u;
}

/* As gpu_look. */
int gpu_look_all(GpuCall *g, Launch *l);

#endif
