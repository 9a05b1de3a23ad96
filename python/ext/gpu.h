/* What launches on a GPU share: read_gpu.c reads the values, again.c compares them with those of
 * the last launch, launch_gpu.c launches. */
#ifndef NESO_PYTHON_GPU_H
#define NESO_PYTHON_GPU_H

#include "dlpack.h"
#include "native.h"

/* A value as the GPU's function takes it: the address, the integer, the double's bits. */
typedef enum GpuKind { GPU_BITS, GPU_UNSIGNED, GPU_FLOAT } GpuKind;
typedef struct GpuValue {
	uint64_t bits;
	GpuKind kind;
} GpuValue;

/* Numbers are looked at as such by those who make values of them (launch_gpu.c). */
static inline GpuValue gpu_value(const neso_arg *arg)
{
	GpuValue v = {.bits = (uint64_t)arg->value.i,
		      .kind = arg->value.is_unsigned ? GPU_UNSIGNED : GPU_BITS};
	if (arg->kind != NESO_ARG_VALUE)
		v.bits = (uint64_t)(uintptr_t)arg->address;
	if (arg->kind == NESO_ARG_VALUE && arg->value.kind == NESO_VALUE_FLOAT) {
		v.kind = GPU_FLOAT;
		memcpy(&v.bits, &arg->value.f, sizeof v.bits);
	}
	return v;
}

/* What a value is compared with, to tell whether a call is like the one before it: tensors by what
 * DLPack tells of them, anything else by being the same object, which has the same value as long as
 * it lives, and numbers by their value where it is another object. */
typedef struct GpuTensor {
	PyTypeObject *type; /* held */
	const Exchange *exchange;
	DlDevice device;
	DlDtype dtype;
	uint32_t at; /* of the parameter */
	bool is_aligned;
} GpuTensor;

typedef enum GpuHow { ROW_INT, ROW_FLOAT, ROW_BOOL, ROW_SAME, ROW_CONST_INT, ROW_CONST_FLOAT } GpuHow;
typedef struct GpuRow {
	PyObject *seen;     /* held */
	PyTypeObject *type; /* held; SAME: NULL */
	uint64_t word;      /* INT: rule_int_class; CONST_...: its bits */
	uint32_t at;        /* of the parameter */
	uint8_t how;
	bool is_typed; /* INT */
	bool div8;     /* INT: the word tells of that */
} GpuRow;

/* The context and the options of a call. */
enum { GPU_TAIL = 6 };

/* A launch that values of later ones are compared with. */
typedef struct Recent {
	size_t users; /* the variant, the kernel, and each call that is compared with it */
	PyObject *compiled; /* borrowed, as `ready`: the kernel keeps it as long as this is recent */
	const struct GpuReady *ready;
	const Exchange *exchange;
	int device;
	uint64_t tail[GPU_TAIL];
	size_t count, tensor_count, row_count; /* of parameters; each is a tensor or has a row */
	GpuValue *values;                      /* per parameter; of tensors not the bits */
	GpuTensor *tensors;
	GpuRow rows[];
} Recent;

struct GpuCall {
	GpuCall *next;  /* spare */
	Recent *recent; /* which its values are like, held; NULL: they are in Launch.args */
	size_t cap;     /* of values */
	GpuValue *values;
	size_t pointer_cap;
	void **pointers;  /* to the values, as the driver takes them for the variant that `pointed` is of */
	uint64_t pointed; /* GpuReady.number; 0: of none */
	const Exchange *exchange; /* of the first tensor on a GPU that has one */
	PyObject *foreign;        /* borrowed: the first array on a GPU, when it has none */
	int device;               /* of the first array that tells; -1: none does */
	Py_ssize_t on_device, on_host; /* parameters of the first arrays that only a GPU, only the CPU can reach; -1 */
	bool has_descriptor;
	const PyObject *last;     /* the last tensor that was read, and the argument that it gave */
	const neso_arg *last_arg;
	uint64_t context;
	int current; /* the device that it is launched on */
};

/* Reads the values into l->args; as gpu_look. */
int gpu_read(GpuCall *g, Launch *l);
/* Is what the memory holds what the tensor is (array_is_plain)? Strides tell it of most. */
bool gpu_tensor_is_plain(PyObject *tensor, const DlTensor *t);

/* ---- again.c ---- */

/* Are the call's values like those of the kernel's recent launches? Then g->values has them, and
 * g->recent is set. */
bool recent_match(GpuCall *g, const Launch *l);
/* For such calls, of one whose values were read; NULL where it takes more than rows tell, and, with
 * *no_memory set, when memory ran out. */
Recent *recent_new(const GpuCall *g, const Launch *l, bool *no_memory);

#endif
