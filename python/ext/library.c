/* Shared objects that programs keep in the compile cache: runtime/cache.py has the functions for programs. */
#include "native.h"

#include <stdlib.h>

/* Texts of a tuple, which owns them; NULL with an exception. */
static const char **texts_of(PyObject *tuple, size_t *count)
{
	*count = (size_t)PyTuple_Size(tuple);
	const char **texts = calloc(*count + 1, sizeof *texts);
	if (!texts)
		return (const char **)PyErr_NoMemory();
	for (size_t i = 0; i < *count; i++)
		if (!(texts[i] = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(tuple, (Py_ssize_t)i), NULL))) {
			free(texts);
			return NULL;
		}
	return texts;
}

/* A new reference: the path, or None. NULL with an exception; refused is PermissionError. */
static PyObject *result_of(neso_status status, char *path, neso_diagnostics *diagnostics)
{
	if (status == NESO_ERROR_REFUSED) {
		PyErr_SetString(PyExc_PermissionError, neso_diagnostics_text(diagnostics));
		neso_diagnostics_free(diagnostics);
		return NULL;
	}
	if (status != NESO_OK)
		return host_fail(status, diagnostics, NULL);
	if (neso_diagnostics_count(diagnostics)) {
		PyObject *done = PyObject_CallFunction(host.print, "is", (int)NESO_LOG_WARNING, neso_diagnostics_text(diagnostics));
		Py_XDECREF(done);
	}
	neso_diagnostics_free(diagnostics);
	PyObject *result = PyErr_Occurred() ? NULL : Py_BuildValue("z", path);
	neso_text_free(path);
	return result;
}

/* library(version, name, arguments, constants, ids, bytes or None) -> path or None; bytes: they are put. */
static PyObject *library(PyObject *self, PyObject *args)
{
	(void)self;
	neso_cache_library what = {.size = sizeof what};
	PyObject *arguments, *ids, *bytes;
	char *data = NULL, *path = NULL;
	Py_ssize_t size = 0;
	if (!PyArg_ParseTuple(args, "ssO!sO!O", &what.version, &what.name, &PyTuple_Type, &arguments, &what.constants, &PyTuple_Type, &ids,
			      &bytes) ||
	    (bytes != Py_None && PyBytes_AsStringAndSize(bytes, &data, &size) < 0))
		return NULL;
	neso_context *context = host_context();
	const char **types = context ? texts_of(arguments, &what.argument_count) : NULL;
	const char **others = types ? texts_of(ids, &what.id_count) : NULL;
	PyObject *result = NULL;
	if (others) {
		neso_diagnostics *diagnostics = NULL;
		neso_status status;
		what.arguments = types;
		what.ids = others;
		Py_BEGIN_ALLOW_THREADS
		status = data ? neso_cache_put_library(context, &what, data, (size_t)size, &path, &diagnostics)
			      : neso_cache_get_library(context, &what, &path, &diagnostics);
		Py_END_ALLOW_THREADS
		result = result_of(status, path, diagnostics);
	}
	free(types);
	free(others);
	return result;
}

static PyMethodDef methods[] = {
	{"library", library, METH_VARARGS, "Keeps a shared object, or gives its path."},
	{0},
};

bool library_add(PyObject *module)
{
	return PyModule_AddFunctions(module, methods) == 0;
}
