/* What kind of value a type's are, and which element type an array library's dtype is: found once, and remembered by the
 * address of the type or dtype. */
#include "dlpack.h"
#include "native.h"

/* ---- kinds of types ---- */

/* Pointers to small numbers; the objects are kept alive, so that no other takes their address. */
enum { TABLE_SIZE = 256 };
typedef struct Table {
	PyObject *keys[TABLE_SIZE];
	int values[TABLE_SIZE];
	unsigned count;
} Table;

static Table dtypes;

static unsigned slot_of(const Table *table, const void *key)
{
	uintptr_t bits = (uintptr_t)key;
	unsigned at = (unsigned)((bits >> 4) ^ (bits >> 12)) % TABLE_SIZE;
	while (table->keys[at] && table->keys[at] != key)
		at = (at + 1) % TABLE_SIZE;
	return at;
}

static int table_get(const Table *table, const void *key)
{
	unsigned at = slot_of(table, key);
	return table->keys[at] ? table->values[at] : 0;
}

static void table_put(Table *table, PyObject *key, int value)
{
	if (table->count >= TABLE_SIZE / 2)
		return;
	unsigned at = slot_of(table, key);
	Py_INCREF(key);
	table->keys[at] = key;
	table->values[at] = value;
	table->count++;
}

static bool has(PyObject *object, const char *name)
{
	return PyObject_HasAttrString(object, name) == 1;
}

/* NumPy's bool, "bool_" before its release 2: it has float(), and until then __index__, which
 * raises. */
static bool is_truth(PyObject *type)
{
	PyObject *name = PyObject_GetAttrString(type, "__name__");
	bool is = name && (PyUnicode_CompareWithASCIIString(name, "bool") == 0 ||
			   PyUnicode_CompareWithASCIIString(name, "bool_") == 0);
	Py_XDECREF(name);
	return is;
}

static Kind find_kind(PyObject *value)
{
	PyObject *type = (PyObject *)Py_TYPE(value);
	if (PyBool_Check(value))
		return KIND_BOOL;
	if (PyLong_Check(value))
		return KIND_INT;
	if (PyFloat_Check(value))
		return KIND_FLOAT;
	if (PyUnicode_Check(value))
		return KIND_VALUE;
	if (PyTuple_Check(value) || PyList_Check(value))
		return KIND_TUPLE;
	if (host.descriptor && PyObject_IsInstance(value, host.descriptor) == 1)
		return KIND_DESCRIPTOR;
	if (host.constexpr_type && PyObject_IsInstance(value, host.constexpr_type) == 1)
		return KIND_CONSTEXPR;
	if (host.wrapper && PyObject_IsInstance(value, host.wrapper) == 1)
		return KIND_WRAPPER;
	if (has(type, "data_ptr"))
		return KIND_TENSOR;
	if (has(type, "__array_struct__") && !has(type, "__setitem__"))
		return is_truth(type)		? KIND_TRUTH
		       : has(type, "__index__") ? KIND_INDEX
		       : has(type, "__float__") ? KIND_REAL
						: KIND_VALUE;
	if (has(type, "__cuda_array_interface__") || has(value, "__cuda_array_interface__"))
		return KIND_ARRAY;
	if (has(type, "__array_struct__"))
		return KIND_NUMPY;
	if (has(type, "__dlpack__") || has(type, "__array_interface__") || has(value, "data_ptr"))
		return KIND_ARRAY;
	PyObject *view = PyMemoryView_FromObject(value);
	if (view) {
		Py_DECREF(view);
		return PyBytes_Check(value) ? KIND_VALUE : KIND_ARRAY;
	}
	PyErr_Clear();
	return has(type, "__index__") ? KIND_INDEX : KIND_VALUE;
}

/* The capsule's table, in a version that is known. */
const Exchange *array_exchange(PyObject *type)
{
	PyObject *capsule = PyObject_GetAttrString(type, "__dlpack_c_exchange_api__");
	const Exchange *found = capsule ? PyCapsule_GetPointer(capsule, "dlpack_exchange_api") : NULL;
	Py_XDECREF(capsule);
	PyErr_Clear();
	while (found && found->major > 1)
		found = found->previous;
	return found && found->major == 1 && found->tensor && found->stream ? found : NULL;
}

bool array_is_plain(PyObject *tensor)
{
	static PyObject *name;
	if (!name && !(name = PyUnicode_InternFromString("is_neg")))
		return false;
	PyObject *answer = PyObject_CallMethodObjArgs(tensor, name, NULL);
	bool turned = answer == Py_True;
	Py_XDECREF(answer);
	PyErr_Clear();
	if (turned)
		PyErr_SetString(PyExc_TypeError,
				"a tensor with the negative bit, as x.conj().imag is: its memory holds the "
				"values with the other sign; pass tensor.resolve_neg()");
	return !turned;
}

static TypeInfo find_type(PyObject *value)
{
	TypeInfo info = {(PyObject *)Py_TYPE(value), find_kind(value), false, NULL};
	if (info.kind == KIND_TENSOR)
		info.exchange = array_exchange(info.type);
	if (info.kind == KIND_VALUE && host.lasting)
		info.lasting = PyType_Check(value) || PyObject_IsInstance(value, host.lasting) == 1;
	PyErr_Clear();
	return info;
}

/* Never full; types past the last one that fits are found each time. */
const TypeInfo *array_type(PyObject *value)
{
	static TypeInfo types[TABLE_SIZE], other;
	static unsigned count;
	const void *type = Py_TYPE(value);
	uintptr_t bits = (uintptr_t)type;
	unsigned at = (unsigned)((bits >> 4) ^ (bits >> 12)) % TABLE_SIZE;
	while (types[at].type != type) {
		if (!types[at].type)
			break;
		at = (at + 1) % TABLE_SIZE;
	}
	if (types[at].type == type)
		return &types[at];
	other = find_type(value);
	if (count >= TABLE_SIZE / 2)
		return &other;
	at = (unsigned)((bits >> 4) ^ (bits >> 12)) % TABLE_SIZE; /* finding may have run Python, and filled in others */
	while (types[at].type && types[at].type != type)
		at = (at + 1) % TABLE_SIZE;
	if (!types[at].type) {
		Py_INCREF(other.type);
		types[at] = other;
		count++;
	}
	return &types[at];
}

/* ---- element types ---- */

static neso_dtype dtype_by_name(PyObject *dtype)
{
	PyObject *text = PyObject_Str(dtype);
	const char *name = text ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
	neso_dtype found = NESO_DTYPE_NONE;
	if (name) {
		const char *dot = strrchr(name, '.');
		found = neso_dtype_of(dot ? dot + 1 : name);
	}
	if (name && found == NESO_DTYPE_NONE)
		PyErr_Format(PyExc_TypeError, "kernels know no element type %R", dtype);
	Py_XDECREF(text);
	return found;
}

neso_dtype array_dtype(PyObject *dtype)
{
	neso_dtype found = (neso_dtype)table_get(&dtypes, dtype);
	if (found == NESO_DTYPE_NONE) {
		found = dtype_by_name(dtype);
		if (found != NESO_DTYPE_NONE)
			table_put(&dtypes, dtype, (int)found);
	}
	return found;
}

neso_dtype array_dtype_of(PyObject *array)
{
	static PyObject *name;
	PyObject *dtype = name || intern(&name, "dtype") ? PyObject_GetAttr(array, name) : NULL;
	neso_dtype found = dtype ? array_dtype(dtype) : NESO_DTYPE_NONE;
	Py_XDECREF(dtype);
	return found;
}
