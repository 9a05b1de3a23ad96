/* A cache manager of the program's (knobs.cache.manager_class) as the library's neso_keeper: runtime/kept.py has the other half. Called
 * without the interpreter's lock, while a kernel is compiled. */
#include "native.h"

static bool on_active(void *data)
{
	(void)data;
	PyGILState_STATE state = PyGILState_Ensure();
	PyObject *answer = PyObject_CallFunction(host.kept, "s", "active");
	bool active = answer && PyObject_IsTrue(answer) == 1;
	Py_XDECREF(answer);
	host_keep_error();
	PyGILState_Release(state);
	return active;
}

/* files: a list of (name, bytes), or None. */
static void give(PyObject *files, neso_kept_answer *answer)
{
	Py_ssize_t count = files && files != Py_None ? PyList_Size(files) : 0;
	for (Py_ssize_t i = 0; i < count; i++) {
		const char *name, *bytes;
		Py_ssize_t size;
		if (!PyArg_ParseTuple(PyList_GetItem(files, i), "sy#", &name, &bytes, &size))
			return;
		neso_kept_give(answer, name, bytes, (size_t)size);
	}
}

static void on_get(void *data, const neso_kept_request *request, neso_kept_answer *answer)
{
	(void)data;
	PyGILState_STATE state = PyGILState_Ensure();
	PyObject *files = PyObject_CallFunction(host.kept, "siss", "get", (int)request->what, request->key, request->kernel);
	give(files, answer);
	Py_XDECREF(files);
	host_keep_error();
	PyGILState_Release(state);
}

static void on_put(void *data, const neso_kept_request *request, const neso_cache_file *files, size_t count)
{
	(void)data;
	PyGILState_STATE state = PyGILState_Ensure();
	PyObject *list = PyList_New(0);
	for (size_t i = 0; list && i < count; i++) {
		PyObject *pair = Py_BuildValue("(sy#)", files[i].name, (const char *)files[i].bytes, (Py_ssize_t)files[i].size);
		if (!pair || PyList_Append(list, pair) < 0)
			Py_CLEAR(list);
		Py_XDECREF(pair);
	}
	PyObject *done = list ? PyObject_CallFunction(host.kept, "sissO", "put", (int)request->what, request->key, request->kernel, list)
			      : NULL;
	Py_XDECREF(done);
	Py_XDECREF(list);
	host_keep_error();
	PyGILState_Release(state);
}

const neso_keeper host_keeper = {.size = sizeof host_keeper, .active = on_active, .get = on_get, .put = on_put};
