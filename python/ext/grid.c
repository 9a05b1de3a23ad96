/* Grids of launches: a number, a tuple of them, or a function of the arguments that gives one. */
#include "native.h"

bool call_axis(PyObject *value, uint32_t *out)
{
	if (PyLong_CheckExact(value)) {
		long n = PyLong_AsLong(value);
		if (n >= 0 && n <= INT32_MAX) {
			*out = (uint32_t)n;
			return true;
		}
		PyErr_Clear();
	}
	PyObject *inner = NULL;
	if (!PyLong_Check(value) && host.constexpr_type &&
	    PyObject_IsInstance(value, host.constexpr_type) == 1)
		value = inner = PyObject_GetAttrString(value, "value");
	PyObject *number = value ? PyNumber_Index(value) : NULL;
	if (!number && PyErr_ExceptionMatches(PyExc_TypeError))
		PyErr_Format(PyExc_TypeError,
			     "a grid has whole numbers, not %R: a // b and triton.cdiv(a, b) give such",
			     value);
	Py_XDECREF(inner);
	if (!number)
		return false;
	long long n = PyLong_AsLongLong(number);
	Py_DECREF(number);
	if (n == -1 && PyErr_Occurred())
		return false;
	if (n < 0 || n > UINT32_MAX) {
		PyErr_Format(PyExc_ValueError, "a grid of %lld programs: each number is from 0 to 4294967295",
			     n);
		return false;
	}
	*out = (uint32_t)n;
	return true;
}

/* A KeyError of the function, for a name that the launch does not have, says which it has. */
static void explain_key(const Kernel *k, PyObject *meta)
{
	PyObject *type, *error, *trace;
	PyErr_Fetch(&type, &error, &trace);
	PyErr_NormalizeException(&type, &error, &trace);
	if (trace)
		PyException_SetTraceback(error, trace);
	PyObject *args = PyObject_GetAttrString(error, "args");
	PyObject *key = args && PyTuple_Size(args) == 1 ? PyTuple_GetItem(args, 0) : NULL;
	if (!key || !PyUnicode_Check(key) || PyDict_Contains(meta, key) == 1) {
		Py_XDECREF(args);
		PyErr_Restore(type, error, trace);
		return;
	}
	call_no_such_key(k, key);
	Py_DECREF(args);
	Py_DECREF(type);
	Py_XDECREF(trace);
	PyErr_Fetch(&type, &args, &trace);
	PyErr_NormalizeException(&type, &args, &trace);
	PyException_SetCause(args, error);
	PyErr_Restore(type, args, trace);
}

static PyObject *made_by(const Kernel *k, const Call *call, PyObject *function)
{
	PyObject *meta = call_meta(k, call);
	PyObject *made = meta ? PyObject_CallFunctionObjArgs(function, meta, NULL) : NULL;
	if (meta && !made && PyErr_ExceptionMatches(PyExc_KeyError))
		explain_key(k, meta);
	Py_XDECREF(meta);
	return made;
}

bool call_grid(const Kernel *k, const Call *call, PyObject *grid, uint32_t out[3])
{
	out[0] = out[1] = out[2] = 1;
	if (PyLong_Check(grid))
		return call_axis(grid, &out[0]);
	if (PyTuple_CheckExact(grid) && PyTuple_Size(grid) <= 3) {
		Py_ssize_t n = PyTuple_Size(grid);
		if (!n) {
			PyErr_SetString(PyExc_ValueError,
					"a grid has one to three axes, () has none: (1, ) is one program");
			return false;
		}
		for (Py_ssize_t i = 0; i < n; i++)
			if (!call_axis(PyTuple_GetItem(grid, i), &out[i]))
				return false;
		return true;
	}
	PyObject *made = NULL;
	if (!PyTuple_Check(grid) && PyCallable_Check(grid)) {
		made = made_by(k, call, grid);
		if (!made)
			return false;
		grid = made;
	}
	bool good;
	if (!PyTuple_Check(grid) && !PyList_Check(grid) && PyIndex_Check(grid)) {
		good = call_axis(grid, &out[0]);
	} else {
		PyObject *tuple = PySequence_Tuple(grid);
		if (!tuple && PyErr_ExceptionMatches(PyExc_TypeError))
			PyErr_Format(PyExc_TypeError,
				     "a grid is a tuple of one to three whole numbers, not %R%s", grid,
				     made ? ", which its function gave" : "");
		Py_ssize_t n = tuple ? PyTuple_Size(tuple) : 0;
		good = tuple != NULL;
		for (Py_ssize_t i = 0; good && i < n; i++) {
			uint32_t ignored;
			good = call_axis(PyTuple_GetItem(tuple, i), i < 3 ? &out[i] : &ignored);
			if (good && i >= 3 && ignored != 1) {
				PyErr_SetString(PyExc_ValueError, "a grid has at most three axes");
				good = false;
			}
		}
		Py_XDECREF(tuple);
	}
	Py_XDECREF(made);
	return good;
}
