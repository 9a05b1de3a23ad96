/* Launching on a GPU. A call like a recent one costs a look at its values and the driver's launch;
 * others are looked up in the library (find.c). */
#include "gpu.h"

#include <neso/declare.h>

#include <stdlib.h>

/* How one argument of the function is made of a call's values; FILL_BITS: it is there already. */
typedef enum { FILL_BITS, FILL_FP32, FILL_FLOAT, FILL_TRUTH, FILL_SHAPE, FILL_STRIDE, FILL_PAD } FillHow;
typedef struct GpuFill {
	uint32_t slot, parameter;
	uint8_t how, axis;
	neso_dtype dtype;
} GpuFill;

/* A variant in one context. */
typedef struct GpuReady {
	struct GpuReady *next;
	uint64_t number; /* nobody else's, ever */
	uint64_t context;
	neso_ready *ready;
	Recent *recent; /* of a launch of it, or NULL */
	size_t count, made_count;
	uint32_t *places; /* of each argument's bits, from the call's values on; those that are made are not there */
	GpuFill made[];
} GpuReady;

/* ---- calls ---- */

static GpuCall *spare_calls;

static GpuCall *call_new(size_t count)
{
	GpuCall *g = spare_calls;
	if (g)
		spare_calls = g->next;
	else if (!(g = calloc(1, sizeof *g)))
		return NULL;
	if (g->cap < count) {
		GpuValue *values = realloc(g->values, count * sizeof *values);
		if (!values) {
			g->next = spare_calls;
			spare_calls = g;
			return NULL;
		}
		g->values = values;
		g->cap = count;
		g->pointed = 0;
	}
	g->recent = NULL;
	g->exchange = NULL;
	g->foreign = NULL;
	g->last = NULL;
	g->device = -1;
	g->on_device = g->on_host = -1;
	g->has_descriptor = false;
	return g;
}

void gpu_call_free(GpuCall *g)
{
	if (!g)
		return;
	recent_drop(g->recent);
	g->next = spare_calls;
	spare_calls = g;
}

int gpu_look(Launch *l)
{
	GpuCall *g = call_new((size_t)l->kernel->param_count + 1);
	if (!g) {
		PyErr_NoMemory();
		return -1;
	}
	int found = recent_match(g, l) ? 1 : gpu_read(g, l);
	if (found == 1)
		l->gpu = g;
	else
		gpu_call_free(g);
	return found;
}

/* ---- variants in contexts ---- */

void gpu_ready_free(GpuReady *ready, bool alive)
{
	while (ready) {
		GpuReady *next = ready->next;
		if (alive)
			neso_ready_free(ready->ready);
		recent_drop(ready->recent);
		free(ready);
		ready = next;
	}
}

static GpuFill fill_of(const neso_slot *slot, size_t i)
{
	GpuFill fill = {.slot = (uint32_t)i, .parameter = slot->parameter, .axis = (uint8_t)slot->axis, .dtype = slot->dtype};
	switch (slot->part) {
	case NESO_PART_SHAPE: fill.how = FILL_SHAPE; return fill;
	case NESO_PART_STRIDE: fill.how = FILL_STRIDE; return fill;
	case NESO_PART_PAD: fill.how = FILL_PAD; return fill;
	default: break;
	}
	if (slot->dtype == NESO_FP32)
		fill.how = FILL_FP32;
	else if (slot->dtype >= NESO_FP8E5)
		fill.how = FILL_FLOAT;
	else if (slot->dtype == NESO_INT1)
		fill.how = FILL_TRUTH;
	return fill;
}

static GpuReady *ready_new(neso_ready *ready, uint64_t context)
{
	static uint64_t number;
	size_t count;
	const neso_slot *slots = neso_ready_slots(ready, &count);
	GpuReady *made = malloc(sizeof *made + count * (sizeof made->made[0] + sizeof *made->places));
	if (!made)
		return NULL;
	*made = (GpuReady){.number = ++number, .context = context, .ready = ready, .count = count};
	made->places = (uint32_t *)(made->made + count);
	for (size_t i = 0; i < count; i++) {
		GpuFill fill = fill_of(&slots[i], i);
		made->places[i] = fill.parameter * (uint32_t)sizeof(GpuValue) + (uint32_t)offsetof(GpuValue, bits);
		if (fill.how != FILL_BITS)
			made->made[made->made_count++] = fill;
	}
	return made;
}

/* knobs.runtime.kernel_load_start_hook and kernel_load_end_hook. */
static bool tell_loading(Variant *v, bool begins)
{
	PyObject *done = PyObject_CallMethod((PyObject *)v, "_loading", "O", begins ? Py_True : Py_False);
	Py_XDECREF(done);
	return done != NULL;
}

/* NULL with an exception. */
static GpuReady *ready_in(Variant *v, uint64_t context, PyObject *kernel)
{
	for (GpuReady *r = v->ready; r; r = r->next)
		if (r->context == context)
			return r;
	neso_ready *ready;
	neso_diagnostics *diagnostics = NULL;
	neso_status status;
	if (!tell_loading(v, true))
		return NULL;
	Py_BEGIN_ALLOW_THREADS
	status = neso_variant_ready(v->variant, &ready, &diagnostics);
	Py_END_ALLOW_THREADS
	if (status != NESO_OK) {
		host_fail(status, diagnostics, kernel);
		return NULL;
	}
	neso_diagnostics_free(diagnostics);
	GpuReady *made = ready_new(ready, context);
	if (!made) {
		neso_ready_free(ready);
		PyErr_NoMemory();
		return NULL;
	}
	made->next = v->ready;
	v->ready = made;
	return tell_loading(v, false) ? made : NULL;
}

/* ---- contexts and streams ---- */

/* The calling thread's context and its GPU; one is made current where there is none. Which GPU a context has never
 * changes. */
static bool current_context(neso_context *context, uint64_t *number, int *device)
{
	static uint64_t known;
	static int known_device;
	*number = neso_gpu_context(context);
	if (!*number || *number != known) {
		uint32_t index;
		neso_diagnostics *diagnostics = NULL;
		neso_status status;
		Py_BEGIN_ALLOW_THREADS
		status = neso_gpu_current(context, &index, &diagnostics);
		Py_END_ALLOW_THREADS
		if (status != NESO_OK) {
			host_fail(status, diagnostics, NULL);
			return false;
		}
		neso_diagnostics_free(diagnostics);
		known = *number = neso_gpu_context(context);
		known_device = (int)index;
	}
	*device = known_device;
	return true;
}

static bool use_device(neso_context *context, int device)
{
	neso_diagnostics *diagnostics = NULL;
	neso_status status;
	Py_BEGIN_ALLOW_THREADS
	status = neso_gpu_use(context, (uint32_t)device, &diagnostics);
	Py_END_ALLOW_THREADS
	if (status != NESO_OK) {
		host_fail(status, diagnostics, NULL);
		return false;
	}
	neso_diagnostics_free(diagnostics);
	return true;
}

/* Of the library that the arrays are of; without arrays, of the one whose tensors were seen last, or torch's. */
static bool current_stream(const GpuCall *g, int device, void **stream)
{
	static const Exchange *last;
	*stream = NULL;
	if (g->exchange)
		last = g->exchange;
	if (last && !g->foreign)
		return last->stream(DL_CUDA, device, stream) == 0;
	PyObject *found = PyObject_CallFunction(host.stream, "Oi", g->foreign ? g->foreign : Py_None, device);
	const Exchange *exchange = found && PyType_Check(found) ? array_exchange(found) : NULL;
	bool good = found != NULL;
	if (exchange) {
		last = g->foreign ? last : exchange;
		good = exchange->stream(DL_CUDA, device, stream) == 0;
	} else if (good) {
		*stream = PyLong_AsVoidPtr(found);
	}
	Py_XDECREF(found);
	return good && !PyErr_Occurred();
}

/* ---- launching ---- */

static void pack_tail(uint64_t tail[GPU_TAIL], uint64_t context, const neso_compile_options *o)
{
	const uint64_t flags = (uint64_t)o->debug | (uint64_t)o->no_fp_fusion << 1 | (uint64_t)o->no_line_info << 2 |
			       (uint64_t)o->cooperative << 3 | (uint64_t)o->dependent_launch << 4 |
			       (uint64_t)o->constexpr_policy << 5 | (uint64_t)o->ptx_only << 8 |
			       (uint64_t)o->no_overflow_checks << 9 | (uint64_t)o->no_reflect_ftz << 10 |
			       (uint64_t)o->strict_triton << 11 | (uint64_t)o->wide_offsets << 12 |
			       (uint64_t)o->no_tensor_maps << 13;
	tail[0] = context;
	tail[1] = o->num_warps | (uint64_t)o->num_stages << 32;
	tail[2] = o->num_ctas | (uint64_t)o->maxnreg << 32;
	tail[3] = o->ptx_version | flags << 32;
	tail[4] = tail[5] = 0;
	if (o->dot_precision)
		memcpy(&tail[4], o->dot_precision, strlen(o->dot_precision));
}

static double number_of(const GpuValue *v)
{
	double f;
	if (v->kind != GPU_FLOAT)
		return v->kind == GPU_UNSIGNED ? (double)v->bits : (double)(int64_t)v->bits;
	memcpy(&f, &v->bits, sizeof f);
	return f;
}

/* What needs no change has its place; other values are made in `room`. */
static void *make_one(const GpuFill *f, const Launch *l, uint64_t *room)
{
	switch (f->how) { /* of descriptors, which are not compared */
	case FILL_SHAPE: return &l->args[f->parameter].shape[f->axis];
	case FILL_STRIDE: return &l->args[f->parameter].strides[f->axis];
	case FILL_PAD: return &l->args[f->parameter].pad_nan;
	default: break;
	}
	double value = number_of(&l->gpu->values[f->parameter]);
	if (f->how == FILL_TRUTH) {
		*room = value != 0;
	} else if (f->how == FILL_FP32) {
		float single = (float)value;
		memcpy(room, &single, sizeof single);
	} else {
		neso_dtype_convert(f->dtype, room, NESO_FP64, &value, 1);
	}
	return room;
}

/* Where the values lie, which most launches of a variant find as the last one left it. */
static bool point(GpuCall *g, const GpuReady *ready)
{
	if (g->pointed == ready->number)
		return true;
	g->pointed = 0;
	if (g->pointer_cap <= ready->count) {
		void **pointers = realloc(g->pointers, (ready->count + 1) * sizeof *pointers);
		if (!pointers)
			return false;
		g->pointers = pointers;
		g->pointer_cap = ready->count + 1;
	}
	for (size_t i = 0; i < ready->count; i++)
		g->pointers[i] = (char *)g->values + ready->places[i];
	g->pointed = ready->number;
	return true;
}

static bool run(Launch *l, const GpuReady *ready)
{
	enum { USUAL = 128 };
	GpuCall *g = l->gpu;
	uint64_t usual_room[USUAL], *room = usual_room; /* of values that are made */
	if (ready->made_count > USUAL)
		room = malloc(ready->made_count * sizeof *room);
	neso_diagnostics *diagnostics = NULL;
	neso_status status = NESO_ERROR_MEMORY;
	if (room && point(g, ready)) {
		for (size_t i = 0; i < ready->made_count; i++)
			g->pointers[ready->made[i].slot] = make_one(&ready->made[i], l, &room[i]);
		Py_BEGIN_ALLOW_THREADS
		neso_turn_begin(l->kernel->kernel, &l->turn, l->launch.stream);
		status = neso_ready_launch(ready->ready, l->launch.grid, l->launch.stream, g->pointers,
					   &diagnostics);
		neso_turn_end(l->kernel->kernel, &l->turn, &l->launch, status == NESO_OK);
		Py_END_ALLOW_THREADS
	}
	if (room != usual_room)
		free(room);
	if (status != NESO_OK) {
		host_fail(status, diagnostics, (PyObject *)l->kernel);
		return false;
	}
	if (diagnostics)
		neso_diagnostics_free(diagnostics);
	return true;
}

static bool is_recent(const Kernel *k, const Recent *r)
{
	return r && (k->recent[0] == r || k->recent[1] == r);
}

/* Is the call like a recent launch in all? A global that changed meanwhile has made the kernel
 * forget those. */
static bool is_again(const Launch *l, const uint64_t tail[GPU_TAIL])
{
	const Recent *r = l->gpu->recent;
	return is_recent(l->kernel, r) && memcmp(r->tail, tail, sizeof r->tail) == 0;
}

/* The values of a call that is like a recent one but in context or options. False with an exception. */
static bool read_after_all(Launch *l)
{
	GpuCall *g = l->gpu;
	if (!g->recent)
		return true;
	recent_drop(g->recent);
	g->recent = NULL;
	int found = gpu_read(g, l);
	if (!found)
		PyErr_SetString(PyExc_RuntimeError, "an array left its GPU during the launch");
	return found == 1;
}

static void hold(Recent **at, Recent *r)
{
	Recent *old = *at;
	if (r)
		r->users++;
	*at = r;
	recent_drop(old);
}

static void set_recent(Kernel *k, Recent *r)
{
	if (k->recent[0] != r)
		hold(&k->recent[1], k->recent[0]);
	hold(&k->recent[0], r);
}

/* Later calls are compared with this one, or with an earlier one of the variant, unless this call
 * failed that. False with MemoryError. */
static bool remember(Launch *l, PyObject *compiled, GpuReady *ready, const uint64_t tail[GPU_TAIL])
{
	Kernel *k = l->kernel;
	if (((Variant *)compiled)->module != k->module)
		return true; /* a global changed meanwhile */
	if (l->turn.is_special && !l->turn.is_settled)
		return true; /* the next one like it may have another variant */
	if (!ready->recent || is_recent(k, ready->recent)) {
		bool no_memory;
		Recent *r = recent_new(l->gpu, l, &no_memory);
		if (no_memory)
			return PyErr_NoMemory() != NULL;
		if (r) {
			r->compiled = compiled;
			r->ready = ready;
			memcpy(r->tail, tail, sizeof r->tail);
		}
		hold(&ready->recent, r);
		recent_drop(r);
	}
	if (ready->recent)
		set_recent(k, ready->recent);
	return true;
}

/* A new reference to what is launched, and where it is ready; with warmup, and where a hook did not
 * want it to be compiled, it is not. */
static PyObject *find(Launch *l, bool warmup, const GpuReady **ready)
{
	GpuCall *g = l->gpu;
	uint64_t tail[GPU_TAIL];
	pack_tail(tail, g->context, &l->options);
	l->options.target = "cuda";
	/* What a file holds is no part of a call. */
	if (!warmup && !l->options.override && is_again(l, tail)) {
		set_recent(l->kernel, g->recent);
		*ready = g->recent->ready;
		return Py_NewRef(g->recent->compiled);
	}
	if (!read_after_all(l))
		return NULL;
	PyObject *compiled = find_compiled(l);
	if (!compiled || warmup || compiled == Py_None)
		return compiled;
	GpuReady *made = ready_in((Variant *)compiled, g->context, (PyObject *)l->kernel);
	if (!made || (!l->options.override && !remember(l, compiled, made, tail)))
		Py_CLEAR(compiled);
	for (Py_ssize_t i = 0; compiled && i < l->kernel->param_count; i++)
		g->values[i] = gpu_value(&l->args[i]);
	*ready = made;
	return compiled;
}

int gpu_device(const Launch *l)
{
	return l->gpu ? l->gpu->current : -1;
}

uint64_t gpu_context(const Launch *l)
{
	return l->gpu ? l->gpu->context : 0;
}

void gpu_load(const Variant *v, int device, uint64_t context)
{
	neso_context *own = host_context();
	if (own && use_device(own, device) && neso_gpu_context(own) == context) {
		Py_BEGIN_ALLOW_THREADS
		neso_variant_load(v->variant, NULL);
		Py_END_ALLOW_THREADS
	}
	PyErr_Clear();
}

/* The context is current. */
static PyObject *launch_in(Launch *l, PyObject *grid, bool warmup, int device)
{
	const GpuReady *ready = NULL;
	/* What is compiled may depend on it. */
	if (!warmup && !call_grid(l->kernel, &l->call, grid, l->launch.grid))
		return NULL;
	PyObject *compiled = find(l, warmup, &ready);
	if (!compiled || warmup || compiled == Py_None)
		return compiled;
	bool slow = PyList_Size(host.slow) > 0;
	bool good = current_stream(l->gpu, device, &l->launch.stream) &&
		    (!slow || launch_hooks(l, compiled, true)) && run(l, ready) &&
		    (!slow || launch_hooks(l, compiled, false));
	if (!good)
		Py_CLEAR(compiled);
	return compiled;
}

PyObject *gpu_launch(Launch *l, PyObject *grid, bool warmup)
{
	GpuCall *g = l->gpu;
	neso_context *context = host_context();
	int device;
	if (!context || !current_context(context, &g->context, &device))
		return NULL;
	g->current = device;
	if (g->device < 0 || g->device == device)
		return launch_in(l, grid, warmup, device);
	if (!use_device(context, g->device))
		return NULL;
	g->current = g->device;
	g->context = neso_gpu_context(context);
	PyObject *compiled = launch_in(l, grid, warmup, g->device);
	PyObject *type, *value, *trace;
	PyErr_Fetch(&type, &value, &trace);
	if (!use_device(context, device) && !type)
		Py_CLEAR(compiled);
	if (type)
		PyErr_Restore(type, value, trace);
	return compiled;
}

/* The context is current. */
static bool launch_variant_in(Launch *l, PyObject *compiled)
{
	GpuCall *g = l->gpu;
	const GpuReady *ready = ready_in((Variant *)compiled, g->context, (PyObject *)l->kernel);
	if (!ready)
		return false;
	for (Py_ssize_t i = 0; i < l->kernel->param_count; i++)
		g->values[i] = gpu_value(&l->args[i]);
	bool slow = PyList_Size(host.slow) > 0;
	return (!slow || launch_hooks(l, compiled, true)) && run(l, ready) && (!slow || launch_hooks(l, compiled, false));
}

bool gpu_launch_variant(Launch *l, PyObject *compiled)
{
	neso_context *context = host_context();
	GpuCall *g = l->gpu = call_new((size_t)l->kernel->param_count + 1);
	int device, found = g ? gpu_read(g, l) : -1;
	if (!g)
		PyErr_NoMemory();
	if (found == 0)
		PyErr_SetString(PyExc_TypeError, "the kernel is compiled for a GPU, and its arrays are on the CPU");
	if (found != 1 || !context || !current_context(context, &g->context, &device))
		return false;
	if (g->device < 0 || g->device == device)
		return launch_variant_in(l, compiled);
	if (!use_device(context, g->device))
		return false;
	g->context = neso_gpu_context(context);
	bool good = launch_variant_in(l, compiled);
	PyObject *type, *value, *trace;
	PyErr_Fetch(&type, &value, &trace);
	good = use_device(context, device) && good;
	if (type)
		PyErr_Restore(type, value, trace);
	return good;
}
