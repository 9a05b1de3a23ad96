/* A remote cache back end of the program's (knobs.cache.remote_manager_class) behind the compile cache, as the library's
 * neso_cache_remote: runtime/kept.py has the other half. Called without the interpreter's lock, by threads that compile. */
#include "native.h"

/* Puts the exception that is set into words, and drops it. What the host cannot reach is away; else it is this value alone. */
static int failed(char *why, size_t why_size)
{
	PyObject *type, *value, *trace;
	PyErr_Fetch(&type, &value, &trace);
	int result = type && PyErr_GivenExceptionMatches(type, PyExc_OSError) ? NESO_REMOTE_AWAY : NESO_REMOTE_REFUSED;
	PyObject *text = value ? PyObject_Str(value) : NULL;
	const char *words = text ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
	PyOS_snprintf(why, why_size, "%s", words && *words ? words : "it raised an exception without words");
	Py_XDECREF(text);
	Py_XDECREF(type);
	Py_XDECREF(value);
	Py_XDECREF(trace);
	PyErr_Clear();
	return result;
}

static PyObject *pairs_of(const char *const *keys, const char *const *names, size_t count)
{
	PyObject *pairs = PyList_New(0);
	for (size_t i = 0; pairs && i < count; i++) {
		PyObject *pair = Py_BuildValue("(ss)", keys[i], names[i]);
		if (!pair || PyList_Append(pairs, pair) < 0)
			Py_CLEAR(pairs);
		Py_XDECREF(pair);
	}
	return pairs;
}

static int get_many(void *data, const char *const *keys, const char *const *names, size_t count, neso_cache_give_fn *give, void *sink,
		    char *why, size_t why_size)
{
	PyGILState_STATE state = PyGILState_Ensure();
	PyObject *pairs = pairs_of(keys, names, count);
	PyObject *values = pairs ? PyObject_CallFunction(host.kept, "sOO", "fetch", (PyObject *)data, pairs) : NULL;
	Py_ssize_t found = values && PyList_Check(values) ? PyList_Size(values) : 0;
	for (Py_ssize_t i = 0; i < found && i < (Py_ssize_t)count; i++) {
		PyObject *value = PyList_GetItem(values, i);
		char *bytes;
		Py_ssize_t size;
		if (value == Py_None)
			continue;
		if (PyBytes_AsStringAndSize(value, &bytes, &size) < 0)
			break;
		give(sink, (size_t)i, bytes, (size_t)size);
	}
	int result = PyErr_Occurred() ? failed(why, why_size) : NESO_REMOTE_OK;
	Py_XDECREF(values);
	Py_XDECREF(pairs);
	PyGILState_Release(state);
	return result;
}

static int put(void *data, const char *key, const char *name, const void *bytes, size_t size, char *why, size_t why_size)
{
	PyGILState_STATE state = PyGILState_Ensure();
	PyObject *done = PyObject_CallFunction(host.kept, "sOssy#", "store", (PyObject *)data, key, name, (const char *)bytes,
					       (Py_ssize_t)size);
	int result = done ? NESO_REMOTE_OK : failed(why, why_size);
	Py_XDECREF(done);
	PyGILState_Release(state);
	return result;
}

static void close_remote(void *data)
{
	PyGILState_STATE state = PyGILState_Ensure();
	Py_DECREF((PyObject *)data);
	PyGILState_Release(state);
}

/* set_remote(class or None, name): what the compile cache asks behind its folders; None: what the environment says. Nothing happens where
 * it is so already. */
static PyObject *set_remote(PyObject *self, PyObject *args)
{
	static const void *now;
	static unsigned generation;
	(void)self;
	PyObject *class;
	const char *name;
	if (!PyArg_ParseTuple(args, "Os", &class, &name))
		return NULL;
	const void *wanted = class == Py_None ? NULL : class;
	if (generation != host_generation) /* another context, which asks the environment */
		now = NULL;
	if (wanted == now)
		Py_RETURN_NONE;
	neso_context *context = host_context();
	if (!context)
		return NULL;
	neso_cache_remote remote = {.size = sizeof remote, .name = name, .data = class, .get_many = get_many, .put = put,
				    .close = close_remote, .synchronous = true};
	neso_diagnostics *diagnostics = NULL;
	neso_status status;
	if (wanted)
		Py_INCREF(class);
	Py_BEGIN_ALLOW_THREADS
	status = neso_cache_set_remote(context, wanted ? &remote : NULL, &diagnostics);
	Py_END_ALLOW_THREADS
	if (status != NESO_OK) {
		if (wanted)
			Py_DECREF(class);
		return host_fail(status, diagnostics, NULL);
	}
	neso_diagnostics_free(diagnostics);
	now = wanted;
	generation = host_generation;
	Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
	{"set_remote", set_remote, METH_VARARGS, "What the compile cache asks behind its folders."},
	{0},
};

bool remote_add(PyObject *module)
{
	return PyModule_AddFunctions(module, methods) == 0;
}
