/* Launches on a GPU. A kernel has a table from the words of a call to what it launches; a call like one before costs a
 * look at its values, a lookup, and the driver's launch. */
#include "gpu.h"

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
	uint64_t context;
	neso_ready *ready;
	size_t count, made_count;
	uint32_t *places; /* of each argument's bits, from the call's values on; those that are made are not there */
	GpuFill made[];
} GpuReady;

enum { MOST_ENTRIES = 4096 };

/* ---- the table ---- */

static GpuEntry *table_find(const GpuTable *table, const GpuCall *g)
{
	for (size_t i = g->hash; table; i++) {
		GpuEntry *e = table->entries[i & (table->cap - 1)];
		if (!e)
			return NULL;
		if (e->hash == g->hash && e->word_count == g->word_count &&
		    memcmp(e->words, g->words, g->word_count * sizeof *g->words) == 0)
			return e;
	}
	return NULL;
}

static void table_insert(GpuTable *table, GpuEntry *entry)
{
	size_t i = entry->hash & (table->cap - 1);
	while (table->entries[i])
		i = (i + 1) & (table->cap - 1);
	table->entries[i] = entry;
	table->count++;
}

void gpu_table_free(GpuTable *table)
{
	for (size_t i = 0; table && i < table->cap; i++)
		gpu_entry_drop(table->entries[i]);
	free(table);
}

/* Room for one more. A table that calls with ever new constants have filled starts anew: what is compiled stays. */
static bool table_grow(Kernel *k)
{
	GpuTable *old = k->gpu;
	if (old && 2 * (old->count + 1) <= old->cap)
		return true;
	if (old && old->count >= MOST_ENTRIES) {
		k->gpu = NULL;
		gpu_table_free(old);
		old = NULL;
	}
	size_t cap = old ? 2 * old->cap : 16;
	GpuTable *grown = calloc(1, sizeof *grown + cap * sizeof grown->entries[0]);
	if (!grown)
		return false;
	grown->cap = cap;
	grown->last = old ? old->last : NULL;
	for (size_t i = 0; old && i < old->cap; i++)
		if (old->entries[i])
			table_insert(grown, old->entries[i]);
	free(old);
	k->gpu = grown;
	return true;
}

/* NULL when memory ran out. */
static GpuEntry *entry_new(const Launch *l, PyObject *compiled, const GpuReady *ready)
{
	const GpuCall *g = l->gpu;
	bool no_memory = false;
	PyObject *lasting = PyTuple_New((Py_ssize_t)g->lasting_count);
	GpuEntry *e = calloc(1, sizeof *e + g->word_count * sizeof *e->words);
	GpuRow *rows = gpu_rows(g, l, &no_memory);
	if (!lasting || !e || no_memory) {
		Py_XDECREF(lasting);
		free(e);
		gpu_rows_free(rows, (size_t)l->kernel->param_count);
		return NULL;
	}
	for (size_t i = 0; i < g->lasting_count; i++) {
		Py_INCREF(g->lasting[i]);
		PyTuple_SetItem(lasting, (Py_ssize_t)i, g->lasting[i]);
	}
	Py_INCREF(compiled);
	e->users = 1;
	e->hash = g->hash;
	e->compiled = compiled;
	e->ready = ready;
	e->lasting = lasting;
	e->exchange = g->exchange;
	e->device = g->device;
	e->rows = rows;
	e->row_count = (size_t)l->kernel->param_count;
	e->word_count = g->word_count;
	memcpy(e->words, g->words, g->word_count * sizeof *e->words);
	return e;
}

/* False with MemoryError. */
static bool table_add(Launch *l, PyObject *compiled, const GpuReady *ready)
{
	Kernel *k = l->kernel;
	if (table_find(k->gpu, l->gpu) || ((Variant *)compiled)->module != k->module)
		return true; /* the second: a global changed meanwhile */
	GpuEntry *entry = entry_new(l, compiled, ready);
	if (!entry || !table_grow(k)) {
		gpu_entry_drop(entry);
		return PyErr_NoMemory() != NULL;
	}
	table_insert(k->gpu, entry);
	k->gpu->last = entry;
	return true;
}

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
	}
	g->entry = NULL;
	g->exchange = NULL;
	g->foreign = NULL;
	g->last = NULL;
	g->device = -1;
	g->on_device = g->on_host = -1;
	g->held = NULL;
	g->packed = true;
	g->hash = 0;
	g->factor = 0x9e3779b97f4a7c15u;
	g->word_count = g->lasting_count = g->desc_count = 0;
	return g;
}

void gpu_call_free(GpuCall *g)
{
	if (!g)
		return;
	for (size_t i = 0; i < g->lasting_count; i++)
		Py_DECREF(g->lasting[i]);
	g->lasting_count = 0;
	gpu_entry_drop(g->entry);
	Py_CLEAR(g->held);
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
	int found = gpu_again(g, l) ? 1 : gpu_look_all(g, l);
	if (found == 1)
		l->gpu = g;
	else
		gpu_call_free(g);
	return found;
}

int gpu_bind(Launch *l, Py_ssize_t i)
{
	const GpuCall *g = l->gpu;
	const GpuValue *v = &g->values[i];
	neso_arg *arg = &l->args[i];
	if (v->kind != V_MEMORY && v->kind != V_DESCRIPTOR)
		return 0;
	memset(arg, 0, sizeof *arg);
	arg->kind = NESO_ARG_POINTER;
	arg->dtype = v->dtype;
	arg->address = (void *)(uintptr_t)v->bits;
	arg->access = NESO_READ_WRITE;
	if (!array_key_pointer(arg, &l->key))
		return -1;
	if (v->kind == V_MEMORY)
		return 1;
	const GpuDesc *d = &g->descs[v->desc];
	arg->kind = NESO_ARG_DESCRIPTOR;
	arg->rank = (uint32_t)d->rank;
	memcpy(arg->shape, d->shape, sizeof d->shape);
	memcpy(arg->strides, d->strides, sizeof d->strides);
	memcpy(arg->block_shape, d->block, sizeof d->block);
	arg->pad_nan = d->pad_nan;
	return array_key_descriptor(arg, &l->key) ? 1 : -1;
}

bool gpu_key(const Launch *l, Key *key)
{
	return key_add(key, &l->gpu->context, sizeof l->gpu->context);
}

/* ---- variants in contexts ---- */

void gpu_ready_free(GpuReady *ready, bool alive)
{
	while (ready) {
		GpuReady *next = ready->next;
		if (alive)
			neso_ready_free(ready->ready);
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
	size_t count;
	const neso_slot *slots = neso_ready_slots(ready, &count);
	GpuReady *made = malloc(sizeof *made + count * (sizeof made->made[0] + sizeof *made->places));
	if (!made)
		return NULL;
	*made = (GpuReady){.context = context, .ready = ready, .count = count};
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
static const GpuReady *ready_in(Variant *v, uint64_t context, PyObject *kernel)
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
			       (uint64_t)o->constexpr_policy << 5 | (uint64_t)o->ptx_only << 8;
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
	if (v->kind != V_FLOAT)
		return v->dtype == NESO_UINT64 ? (double)v->bits : (double)(int64_t)v->bits;
	memcpy(&f, &v->bits, sizeof f);
	return f;
}

/* What needs no change has its place; other values are made in `room`. */
static void *make_one(const GpuFill *f, GpuCall *g, uint64_t *room)
{
	const GpuValue *v = &g->values[f->parameter];
	GpuDesc *d = &g->descs[v->kind == V_DESCRIPTOR ? v->desc : 0];
	switch (f->how) {
	case FILL_SHAPE: return &d->shape[f->axis];
	case FILL_STRIDE: return &d->strides[f->axis];
	case FILL_PAD: return &d->pad_nan;
	default: break;
	}
	double value = number_of(v);
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

static bool run(Launch *l, const GpuReady *ready)
{
	enum { USUAL = 128 };
	GpuCall *g = l->gpu;
	uint64_t usual_room[USUAL], *room = usual_room;
	void *usual_values[USUAL + 1], **values = usual_values;
	if (ready->count > USUAL) {
		room = malloc(ready->count * sizeof *room);
		values = malloc((ready->count + 1) * sizeof *values);
	}
	neso_diagnostics *diagnostics = NULL;
	neso_status status = NESO_ERROR_MEMORY;
	if (room && values) {
		for (size_t i = 0; i < ready->count; i++)
			values[i] = (char *)g->values + ready->places[i];
		for (size_t i = 0; i < ready->made_count; i++)
			values[ready->made[i].slot] = make_one(&ready->made[i], g, &room[i]);
		Py_BEGIN_ALLOW_THREADS
		status = neso_ready_launch(ready->ready, l->launch.grid, l->launch.stream, values, &diagnostics);
		Py_END_ALLOW_THREADS
	}
	if (room != usual_room)
		free(room);
	if (values != usual_values)
		free(values);
	if (status != NESO_OK) {
		host_fail(status, diagnostics, (PyObject *)l->kernel);
		return false;
	}
	if (diagnostics)
		neso_diagnostics_free(diagnostics);
	return true;
}

/* The entry that the call is like, found by its words unless it is known already; NULL: there is none, or, with an
 * exception, its values could not be looked at. */
static const GpuEntry *find_entry(Launch *l)
{
	GpuCall *g = l->gpu;
	uint64_t tail[GPU_TAIL];
	pack_tail(tail, g->context, &l->options);
	GpuTable *table = l->kernel->gpu;
	GpuEntry *entry = g->entry;
	/* A global that changed meanwhile has emptied the table. */
	if (entry && table && table->last == entry &&
	    memcmp(entry->words + entry->word_count - GPU_TAIL, tail, sizeof tail) == 0)
		return entry;
	if (entry) {
		g->entry = NULL;
		gpu_entry_drop(entry);
		int found = gpu_look_all(g, l);
		if (!found)
			PyErr_SetString(PyExc_RuntimeError, "an array left its GPU during the launch");
		if (found != 1)
			return NULL;
	}
	for (int i = 0; i < GPU_TAIL; i++)
		gpu_put(g, tail[i]);
	g->hash ^= g->hash >> 32;
	table = l->kernel->gpu;
	g->entry = g->packed ? table_find(table, g) : NULL;
	if (g->entry) {
		g->entry->users++;
		table->last = g->entry;
	}
	return g->entry;
}

/* The context is current. */
static PyObject *launch_in(Launch *l, PyObject *grid, bool warmup, int device)
{
	GpuCall *g = l->gpu;
	const GpuEntry *entry = find_entry(l);
	if (!entry && PyErr_Occurred())
		return NULL;
	PyObject *compiled = entry && !warmup ? entry->compiled : NULL;
	const GpuReady *ready = compiled ? entry->ready : NULL;
	Py_XINCREF(compiled); /* which keeps `ready` */
	if (!compiled) {
		l->options.target = "cuda";
		compiled = launch_compiled(l);
	}
	if (!compiled || warmup || compiled == Py_None)
		return compiled;
	bool slow = PyList_Size(host.slow) > 0;
	bool good = ready || (ready = ready_in((Variant *)compiled, g->context, (PyObject *)l->kernel));
	/* Under words that were made for another set it is not to be found. */
	bool same = !g->demoted || g->demoted == call_demoted(l);
	good = good && (entry || !g->packed || !same || table_add(l, compiled, ready));
	good = good && call_grid(l->kernel, &l->call, grid, l->launch.grid) &&
	       current_stream(g, device, &l->launch.stream) && (!slow || launch_hooks(l, compiled, true)) &&
	       run(l, ready) && (!slow || launch_hooks(l, compiled, false));
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
	if (g->device < 0 || g->device == device)
		return launch_in(l, grid, warmup, device);
	if (!use_device(context, g->device))
		return NULL;
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
