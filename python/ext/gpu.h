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

/* What a value is compared with, to tell whether a call is like the one before it (gpu_again.c). */
typedef enum GpuHow { ROW_TENSOR, ROW_INT, ROW_FLOAT, ROW_BOOL, ROW_SAME, ROW_CONST_INT, ROW_CONST_FLOAT } GpuHow;
typedef struct GpuRow {
	PyTypeObject *type; /* held; SAME: NULL */
	union {
		const Exchange *exchange; /* TENSOR */
		uint64_t word;            /* INT: gpu_int_word; CONST_...: its bits */
		PyObject *object;         /* SAME: what is kept in the entry's `lasting` */
	};
	GpuValue value; /* with the bits of constants */
	DlDevice device; /* TENSOR, with the next two */
	DlDtype dtype;
	uint8_t how, is_aligned;
	bool is_typed; /* INT */
} GpuRow;

/* A launch that can be made again. */
typedef struct GpuEntry {
	size_t users; /* the table, and each call that found it */
	uint64_t hash;
	PyObject *compiled;
	const struct GpuReady *ready;
	PyObject *lasting; /* tuple of the objects in the words */
	/* of calls that are like it */
	const Exchange *exchange;
	int device;
	GpuRow *rows; /* one per parameter; NULL: it is found by its words alone */
	size_t row_count, word_count;
	uint64_t words[];
} GpuEntry;

typedef struct GpuTable {
	GpuEntry *last; /* that was launched, or NULL */
	size_t count, cap;
	GpuEntry *entries[];
} GpuTable;

/* The last words: the context and the options. */
enum { GPU_WORDS = 512, GPU_LASTING = 32, GPU_DESCS = 16, GPU_TAIL = 6 };

/* The key is words whose equality means that the same variant is wanted. Objects that are in it by their address are
 * kept in `lasting`, and by the table's entry after that. */
struct GpuCall {
	GpuCall *next; /* spare */
	GpuEntry *entry; /* which it is like, held, or NULL */
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

/* Parts of a word: kind, element type, and what the value decides from bit 16 on. */
static inline uint64_t gpu_word(GpuKind kind, unsigned dtype)
{
	return (uint64_t)kind | (uint64_t)dtype << 8;
}

/* Bits that a two's complement number takes, its sign among them. */
static inline unsigned gpu_int_width(long long i)
{
	unsigned long long magnitude = (unsigned long long)(i < 0 ? ~i : i);
	return magnitude ? 65u - (unsigned)__builtin_clzll(magnitude) : 1;
}

/* What a value decides: which type it fits, being 1, divisibility by 16. */
static inline uint64_t gpu_int_word(long long i, bool is_typed)
{
	unsigned cls = is_typed ? gpu_int_width(i) : i == (int32_t)i ? 32 : 64;
	return gpu_word(V_INT, cls) | (uint64_t)(i == 1) << 16 | (uint64_t)((i & 15) == 0) << 17;
}

/* As gpu_look. */
int gpu_look_all(GpuCall *g, Launch *l);

/* ---- gpu_again.c ---- */

/* Is the call like the one before it, but for the tail of its words? Then its values are looked at, and g->entry is set. */
bool gpu_again(GpuCall *g, const Launch *l);
/* Rows for such calls, of one whose values were looked at; NULL where it takes more than rows tell, and, with
 * *no_memory set, when memory ran out. */
GpuRow *gpu_rows(const GpuCall *g, const Launch *l, bool *no_memory);
void gpu_rows_free(GpuRow *rows, size_t count); /* NULL is fine */
void gpu_entry_drop(GpuEntry *entry); /* NULL is fine */

#endif
