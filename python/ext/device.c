/* What Python asks about GPUs: how many, their properties, memory, events. Addresses, streams and events are numbers
 * there. The interpreter's lock is given up around every call that may take the driver's. */
#include "native.h"

bool device_any(void)
{
	static unsigned asked; /* generation + 1 */
	static bool any;
	if (asked == host_generation + 1)
		return any;
	neso_context *context = host_context();
	uint32_t count = 0;
	if (!context) {
		PyErr_Clear();
		return false;
	}
	neso_diagnostics *diagnostics = NULL;
	neso_status status;
	Py_BEGIN_ALLOW_THREADS
	status = neso_gpu_count(context, &count, &diagnostics);
	Py_END_ALLOW_THREADS
	neso_diagnostics_free(diagnostics);
	any = status == NESO_OK && count > 0;
	asked = host_generation + 1;
	return any;
}

static void *as_pointer(unsigned long long number)
{
	return (void *)(uintptr_t)number;
}

static PyObject *done(neso_status status, neso_diagnostics *diagnostics)
{
	if (status != NESO_OK)
		return host_fail(status, diagnostics, NULL);
	neso_diagnostics_free(diagnostics);
	Py_RETURN_NONE;
}

/* A call of the library without the interpreter's lock: `status` and `diagnostics` are what it gave. */
#define CALL(call)                               \
	neso_diagnostics *diagnostics = NULL;    \
	neso_status status;                      \
	do {                                     \
		Py_BEGIN_ALLOW_THREADS           \
		status = (call);                 \
		Py_END_ALLOW_THREADS             \
	} while (0)

/* The result of a call that makes something; takes the reference. */
static PyObject *made(neso_status status, neso_diagnostics *diagnostics, PyObject *result)
{
	PyObject *good = done(status, diagnostics);
	Py_XDECREF(good);
	if (!good)
		Py_CLEAR(result);
	return result;
}

/* ---- devices ---- */

static PyObject *gpu_count(PyObject *self, PyObject *unused)
{
	(void)self;
	(void)unused;
	uint32_t count = 0;
	neso_context *context = device_any() ? host_context() : NULL;
	if (context)
		neso_gpu_count(context, &count, NULL);
	return PyLong_FromUnsignedLong(count);
}

static PyObject *gpu_info(PyObject *self, PyObject *args)
{
	(void)self;
	unsigned index;
	neso_context *context = PyArg_ParseTuple(args, "I", &index) ? host_context() : NULL;
	if (!context)
		return NULL;
	neso_gpu gpu = {.size = sizeof gpu};
	CALL(neso_gpu_get(context, index, &gpu, &diagnostics));
	if (status != NESO_OK)
		return host_fail(status, diagnostics, NULL);
	neso_diagnostics_free(diagnostics);
	return Py_BuildValue("{s:s,s:I,s:z,s:I,s:I,s:K,s:K,s:I,s:I,s:I}", "name", gpu.name, "capability", gpu.capability,
			     "target", gpu.target, "sms", gpu.sms, "shared_cta", gpu.shared_cta, "memory",
			     (unsigned long long)gpu.memory, "l2", (unsigned long long)gpu.l2, "clock_khz", gpu.clock_khz,
			     "memory_clock_khz", gpu.memory_clock_khz, "bus_bits", gpu.bus_bits);
}

static PyObject *gpu_current(PyObject *self, PyObject *unused)
{
	(void)self;
	(void)unused;
	neso_context *context = host_context();
	uint32_t index = 0;
	if (!context)
		return NULL;
	CALL(neso_gpu_current(context, &index, &diagnostics));
	return made(status, diagnostics, PyLong_FromUnsignedLong(index));
}

static PyObject *gpu_use(PyObject *self, PyObject *args)
{
	(void)self;
	unsigned index;
	neso_context *context = PyArg_ParseTuple(args, "I", &index) ? host_context() : NULL;
	if (!context)
		return NULL;
	CALL(neso_gpu_use(context, index, &diagnostics));
	return done(status, diagnostics);
}

static PyObject *gpu_synchronize(PyObject *self, PyObject *args)
{
	(void)self;
	unsigned long long stream = 0;
	neso_context *context = PyArg_ParseTuple(args, "|K", &stream) ? host_context() : NULL;
	if (!context)
		return NULL;
	CALL(neso_gpu_synchronize(context, as_pointer(stream), &diagnostics));
	return done(status, diagnostics);
}

/* ---- memory ---- */

static PyObject *gpu_alloc(PyObject *self, PyObject *args)
{
	(void)self;
	unsigned long long bytes;
	void *address = NULL;
	neso_context *context = PyArg_ParseTuple(args, "K", &bytes) ? host_context() : NULL;
	if (!context)
		return NULL;
	CALL(neso_gpu_alloc(context, (size_t)bytes, &address, &diagnostics));
	return made(status, diagnostics, PyLong_FromVoidPtr(address));
}

static PyObject *gpu_free(PyObject *self, PyObject *args)
{
	(void)self;
	unsigned long long address;
	neso_context *context = PyArg_ParseTuple(args, "K", &address) ? host_context() : NULL;
	if (!context)
		return NULL;
	Py_BEGIN_ALLOW_THREADS
	neso_gpu_free(context, as_pointer(address));
	Py_END_ALLOW_THREADS
	Py_RETURN_NONE;
}

static PyObject *gpu_copy(PyObject *self, PyObject *args)
{
	(void)self;
	unsigned long long to, from, bytes, stream = 0;
	neso_context *context = PyArg_ParseTuple(args, "KKK|K", &to, &from, &bytes, &stream) ? host_context() : NULL;
	if (!context)
		return NULL;
	CALL(neso_gpu_copy(context, as_pointer(to), as_pointer(from), (size_t)bytes, as_pointer(stream), &diagnostics));
	return done(status, diagnostics);
}

static PyObject *gpu_fill(PyObject *self, PyObject *args)
{
	(void)self;
	unsigned long long address, bytes, stream = 0;
	int byte;
	neso_context *context = PyArg_ParseTuple(args, "KiK|K", &address, &byte, &bytes, &stream) ? host_context() : NULL;
	if (!context)
		return NULL;
	CALL(neso_gpu_fill(context, as_pointer(address), byte, (size_t)bytes, as_pointer(stream), &diagnostics));
	return done(status, diagnostics);
}

/* ---- events ---- */

static PyObject *gpu_event(PyObject *self, PyObject *unused)
{
	(void)self;
	(void)unused;
	void *event = NULL;
	neso_context *context = host_context();
	if (!context)
		return NULL;
	CALL(neso_gpu_event_new(context, &event, &diagnostics));
	return made(status, diagnostics, PyLong_FromVoidPtr(event));
}

static PyObject *gpu_event_record(PyObject *self, PyObject *args)
{
	(void)self;
	unsigned long long event, stream = 0;
	neso_context *context = PyArg_ParseTuple(args, "K|K", &event, &stream) ? host_context() : NULL;
	if (!context)
		return NULL;
	CALL(neso_gpu_event_record(context, as_pointer(event), as_pointer(stream), &diagnostics));
	return done(status, diagnostics);
}

static PyObject *gpu_event_elapsed(PyObject *self, PyObject *args)
{
	(void)self;
	unsigned long long from, to;
	double seconds = 0;
	neso_context *context = PyArg_ParseTuple(args, "KK", &from, &to) ? host_context() : NULL;
	if (!context)
		return NULL;
	CALL(neso_gpu_event_elapsed(context, as_pointer(from), as_pointer(to), &seconds, &diagnostics));
	return made(status, diagnostics, PyFloat_FromDouble(seconds));
}

static PyObject *gpu_event_free(PyObject *self, PyObject *args)
{
	(void)self;
	unsigned long long event;
	neso_context *context = PyArg_ParseTuple(args, "K", &event) ? host_context() : NULL;
	if (!context)
		return NULL;
	Py_BEGIN_ALLOW_THREADS
	neso_gpu_event_free(context, as_pointer(event));
	Py_END_ALLOW_THREADS
	Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
	{"gpu_count", gpu_count, METH_NOARGS, "How many GPUs the driver has; 0 without a driver."},
	{"gpu_info", gpu_info, METH_VARARGS, "(index) -> dict of a GPU's properties."},
	{"gpu_current", gpu_current, METH_NOARGS, "The GPU of the current context."},
	{"gpu_use", gpu_use, METH_VARARGS, "(index): makes a GPU's primary context current."},
	{"gpu_synchronize", gpu_synchronize, METH_VARARGS, "(stream=0): waits for its work."},
	{"gpu_alloc", gpu_alloc, METH_VARARGS, "(bytes) -> address."},
	{"gpu_free", gpu_free, METH_VARARGS, "(address)"},
	{"gpu_copy", gpu_copy, METH_VARARGS, "(to, from, bytes, stream=0)"},
	{"gpu_fill", gpu_fill, METH_VARARGS, "(address, byte, bytes, stream=0)"},
	{"gpu_event", gpu_event, METH_NOARGS, "A new event."},
	{"gpu_event_record", gpu_event_record, METH_VARARGS, "(event, stream=0)"},
	{"gpu_event_elapsed", gpu_event_elapsed, METH_VARARGS, "(from, to) -> seconds; waits for the later one."},
	{"gpu_event_free", gpu_event_free, METH_VARARGS, "(event)"},
	{0},
};

bool device_add(PyObject *module)
{
	return PyModule_AddFunctions(module, methods) == 0;
}
