/* What Python passes for a parameter, as a neso_arg: numbers, None, arrays of any library,
 * descriptors, constants.
 *
 * NumPy arrays are read through __array_struct__, tensors through data_ptr(), everything else by
 * the package's import_array. No array library is imported. */
#include "native.h"

#include "jit/rules.h"

/* ---- what is held ---- */

bool held_keep(Held *held, PyObject *object)
{
	if (held->few_count < HELD_FEW) {
		held->few[held->few_count++] = Py_NewRef(object);
		return true;
	}
	if (!held->objects && !(held->objects = PyList_New(0)))
		return false;
	return PyList_Append(held->objects, object) == 0;
}

static bool held_finish(Held *held, PyObject *function)
{
	if (!held->finish && !(held->finish = PyList_New(0)))
		return false;
	return PyList_Append(held->finish, function) == 0;
}

void held_free(Held *held)
{
	while (held->few_count)
		Py_DECREF(held->few[--held->few_count]);
	Py_CLEAR(held->objects);
	Py_CLEAR(held->finish);
}

/* ---- names ---- */

static PyObject *name_array_struct, *name_data_ptr, *name_is_cuda, *name_shape, *name_stride, *name_value,
	*name_base, *name_strides, *name_block_shape, *name_padding, *name_is_contiguous, *name_nbytes, *name_device,
	*name_storage;

bool read_setup(void)
{
	static const Word names[] = {
		{&name_array_struct, "__array_struct__"}, {&name_data_ptr, "data_ptr"},
		{&name_storage, "untyped_storage"},
		{&name_is_cuda, "is_cuda"},
		{&name_shape, "shape"},                   {&name_stride, "stride"},
		{&name_value, "value"},                   {&name_base, "base"},
		{&name_strides, "strides"},               {&name_block_shape, "block_shape"},
		{&name_padding, "padding"},               {&name_is_contiguous, "is_contiguous"},
		{&name_nbytes, "nbytes"},                 {&name_device, "device"},
	};
	return intern_all(names, sizeof names / sizeof *names);
}

/* ---- memory ---- */

static void give_memory(neso_arg *arg, neso_dtype dtype, void *address, void *begin, size_t bytes,
			bool writable)
{
	arg->kind = NESO_ARG_POINTER;
	arg->dtype = dtype;
	arg->address = address;
	arg->buffer = begin;
	arg->bytes = bytes;
	arg->access = writable ? NESO_READ_WRITE : NESO_READ;
}

/* Bytes that the elements of a strided array reach to, below and above its address. Strides are in bytes. */
static void extent(int rank, const int64_t *shape, const int64_t *strides, size_t item, int64_t *low, int64_t *high)
{
	*low = 0;
	*high = (int64_t)item;
	for (int i = 0; i < rank; i++) {
		if (shape[i] == 0) {
			*low = *high = 0;
			return;
		}
		int64_t reach = (shape[i] - 1) * strides[i];
		*(reach < 0 ? low : high) += reach;
	}
}

/* The struct behind __array_struct__, as NumPy's documentation gives it. */
typedef struct ArrayStruct {
	int two, nd;
	char typekind;
	int itemsize, flags;
	Py_ssize_t *shape, *strides;
	void *data;
	PyObject *descr;
} ArrayStruct;

static neso_dtype struct_dtype(const ArrayStruct *a)
{
	static const neso_dtype ints[] = {[1] = NESO_INT8, [2] = NESO_INT16, [4] = NESO_INT32, [8] = NESO_INT64};
	static const neso_dtype uints[] = {[1] = NESO_UINT8, [2] = NESO_UINT16, [4] = NESO_UINT32, [8] = NESO_UINT64};
	static const neso_dtype floats[] = {[2] = NESO_FP16, [4] = NESO_FP32, [8] = NESO_FP64};
	if (a->itemsize > 8 || a->itemsize < 1)
		return NESO_DTYPE_NONE;
	switch (a->typekind) {
	case 'i': return ints[a->itemsize];
	case 'u': return uints[a->itemsize];
	case 'f': return floats[a->itemsize];
	case 'b': return NESO_INT1;
	default: return NESO_DTYPE_NONE;
	}
}

static bool read_numpy(PyObject *array, bool is_const, neso_arg *arg)
{
	enum { CONTIGUOUS = 1 | 2, NOT_SWAPPED = 0x200, WRITABLE = 0x400, MAX_RANK = 64 };
	PyObject *capsule = PyObject_GetAttr(array, name_array_struct);
	const ArrayStruct *a = capsule ? PyCapsule_GetPointer(capsule, NULL) : NULL;
	bool good = false;
	if (!a)
		goto out;
	neso_dtype dtype = struct_dtype(a);
	if (dtype == NESO_DTYPE_NONE && (dtype = array_dtype_of(array)) == NESO_DTYPE_NONE)
		goto out;
	if (!(a->flags & NOT_SWAPPED) && a->itemsize > 1) {
		PyErr_SetString(PyExc_TypeError, "the array's bytes are in the other order; use .astype of its native dtype");
		goto out;
	}
	int64_t low = 0, high = a->itemsize;
	if (a->flags & CONTIGUOUS || a->nd > MAX_RANK) {
		for (int i = 0; i < a->nd; i++)
			high *= a->shape[i];
	} else {
		int64_t shape[MAX_RANK], strides[MAX_RANK];
		for (int i = 0; i < a->nd; i++) {
			shape[i] = a->shape[i];
			strides[i] = a->strides[i];
		}
		extent(a->nd, shape, strides, (size_t)a->itemsize, &low, &high);
	}
	give_memory(arg, dtype, a->data, (char *)a->data + low, (size_t)(high - low),
		    !is_const && a->flags & WRITABLE);
	good = true;
out:
	Py_XDECREF(capsule);
	return good;
}

bool read_sizes(PyObject *sequence, int64_t *out, int *rank, int max)
{
	PyObject *fast = sequence ? PySequence_Tuple(sequence) : NULL;
	if (!fast)
		return false;
	Py_ssize_t n = PyTuple_Size(fast);
	if (n > max) {
		PyErr_Format(PyExc_ValueError, "an array of rank %zd", n);
		n = -1;
	}
	for (Py_ssize_t i = 0; i < n; i++) {
		PyObject *item = PyTuple_GetItem(fast, i), *inner = NULL;
		if (host.constexpr_type && PyObject_IsInstance(item, host.constexpr_type) == 1)
			item = inner = PyObject_GetAttr(item, name_value);
		out[i] = item ? PyLong_AsLongLong(item) : -1;
		Py_XDECREF(inner);
		if (PyErr_Occurred())
			n = -1;
	}
	Py_DECREF(fast);
	*rank = (int)n;
	return n >= 0;
}

/* Bytes of a tensor whose elements lie one behind the other; -1: it is not known to be one. */
static int64_t contiguous_bytes(PyObject *tensor)
{
	int64_t bytes = -1;
	PyObject *answer = PyObject_CallMethodObjArgs(tensor, name_is_contiguous, NULL);
	if (answer && PyObject_IsTrue(answer) == 1) {
		PyObject *size = PyObject_GetAttr(tensor, name_nbytes);
		if (size)
			bytes = PyLong_AsLongLong(size);
		Py_XDECREF(size);
	}
	Py_XDECREF(answer);
	PyErr_Clear();
	return bytes;
}

/* What a method without arguments gives, as a number. */
static bool ask_number(PyObject *object, PyObject *method, unsigned long long *out)
{
	PyObject *answer = PyObject_CallMethodObjArgs(object, method, NULL);
	*out = answer ? PyLong_AsUnsignedLongLong(answer) : 0;
	Py_XDECREF(answer);
	return answer && !PyErr_Occurred();
}

/* The memory that torch keeps a tensor in: views share it, and kernels may go from one to the other by its strides.
 * False, without an exception, for what has no such thing. */
static bool storage_of(PyObject *tensor, unsigned long long address, char **begin, size_t *bytes)
{
	unsigned long long at = 0, size = 0;
	PyObject *storage = PyObject_CallMethodObjArgs(tensor, name_storage, NULL);
	bool good = storage && ask_number(storage, name_data_ptr, &at) && ask_number(storage, name_nbytes, &size);
	Py_XDECREF(storage);
	PyErr_Clear();
	*begin = (char *)(uintptr_t)at;
	*bytes = (size_t)size;
	return good && address >= at && address - at <= size;
}

/* Of a tensor that does not tell its strides: elements one after another. */
static void contiguous(int rank, const int64_t *shape, int64_t *strides)
{
	int64_t step = 1;
	for (int i = rank; i-- > 0;) {
		strides[i] = step;
		if (__builtin_mul_overflow(step, shape[i], &step))
			step = 0; /* no memory is as large */
	}
}

static bool strided_extent(PyObject *tensor, size_t item, int64_t *low, int64_t *high)
{
	enum { MAX_RANK = 64 };
	int64_t shape[MAX_RANK], strides[MAX_RANK];
	int rank = 0, stride_rank = 0;
	PyObject *shape_object = PyObject_GetAttr(tensor, name_shape);
	PyObject *stride_object = shape_object ? PyObject_CallMethodObjArgs(tensor, name_stride, NULL) : NULL;
	bool no_stride = shape_object && !stride_object && PyErr_ExceptionMatches(PyExc_AttributeError);
	if (no_stride)
		PyErr_Clear();
	bool good = shape_object && (stride_object || no_stride) &&
		    read_sizes(shape_object, shape, &rank, MAX_RANK) &&
		    (no_stride || read_sizes(stride_object, strides, &stride_rank, MAX_RANK));
	if (good && no_stride) {
		stride_rank = rank;
		contiguous(rank, shape, strides);
	}
	if (good && rank == stride_rank) {
		for (int i = 0; i < rank; i++)
			strides[i] *= (int64_t)item;
		extent(rank, shape, strides, item, low, high);
	}
	Py_XDECREF(shape_object);
	Py_XDECREF(stride_object);
	return good;
}

static bool read_imported(PyObject *array, bool is_const, const char *name, neso_arg *arg, Held *held);

static bool is_on_device(PyObject *tensor)
{
	PyObject *answer = PyObject_GetAttr(tensor, name_is_cuda);
	if (!answer) {
		PyErr_Clear();
		return false;
	}
	bool yes = PyObject_IsTrue(answer) == 1;
	Py_DECREF(answer);
	return yes;
}

static bool read_tensor(PyObject *tensor, bool is_const, const char *name, neso_arg *arg, Held *held)
{
	if (!array_is_plain(tensor))
		return false;
	if (is_on_device(tensor))
		return read_imported(tensor, is_const, name, arg, held);
	PyObject *pointer = PyObject_CallMethodObjArgs(tensor, name_data_ptr, NULL);
	if (!pointer)
		return false;
	unsigned long long address = PyLong_AsUnsignedLongLong(pointer);
	Py_DECREF(pointer);
	if (address == (unsigned long long)-1 && PyErr_Occurred())
		return false;
	neso_dtype dtype = array_dtype_of(tensor);
	if (dtype == NESO_DTYPE_NONE)
		return false;
	char *begin;
	size_t item = neso_dtype_size(dtype), bytes;
	if (storage_of(tensor, address, &begin, &bytes)) {
		give_memory(arg, dtype, (void *)(uintptr_t)address, begin, bytes, !is_const);
		return true;
	}
	int64_t low = 0, high = contiguous_bytes(tensor);
	if (high < 0 && !strided_extent(tensor, item, &low, &high))
		return false;
	char *at = (char *)(uintptr_t)address;
	give_memory(arg, dtype, at, address ? at + low : at, (size_t)(high - low), !is_const);
	return true;
}

static bool read_imported(PyObject *array, bool is_const, const char *name, neso_arg *arg, Held *held)
{
	PyObject *parts = PyObject_CallFunction(host.import_array, "Os", array, name);
	unsigned long long address, begin, bytes;
	PyObject *dtype_object, *keep, *finish;
	int writable;
	if (!parts)
		return false;
	neso_dtype dtype = NESO_DTYPE_NONE;
	bool good = PyArg_ParseTuple(parts, "KKKOpOO", &address, &begin, &bytes, &dtype_object, &writable, &keep, &finish) &&
		    (dtype = array_dtype(dtype_object)) != NESO_DTYPE_NONE && held_keep(held, keep) &&
		    (finish == Py_None || held_finish(held, finish));
	if (good)
		give_memory(arg, dtype, (void *)(uintptr_t)address, (void *)(uintptr_t)begin, (size_t)bytes,
			    writable && !is_const);
	Py_DECREF(parts);
	return good;
}

static bool read_descriptor(PyObject *value, const char *name, neso_arg *arg, Held *held)
{
	PyObject *base = PyObject_GetAttr(value, name_base);
	PyObject *shape = PyObject_GetAttr(value, name_shape);
	PyObject *strides = PyObject_GetAttr(value, name_strides);
	PyObject *block = PyObject_GetAttr(value, name_block_shape);
	PyObject *padding = PyObject_HasAttr(value, name_padding) ? PyObject_GetAttr(value, name_padding) : NULL;
	int rank = 0, other = 0;
	bool good = base && shape && strides && block && read_value(base, false, false, name, arg, held) &&
		    read_sizes(shape, arg->shape, &rank, NESO_MAX_RANK) &&
		    read_sizes(strides, arg->strides, &other, NESO_MAX_RANK) &&
		    read_sizes(block, arg->block_shape, &other, NESO_MAX_RANK);
	if (good && arg->kind != NESO_ARG_POINTER) {
		PyErr_Format(PyExc_TypeError, "the base of the descriptor '%s' is no array", name);
		good = false;
	}
	if (good) {
		arg->kind = NESO_ARG_DESCRIPTOR;
		arg->rank = (uint32_t)rank;
		const char *text = padding && PyUnicode_Check(padding) ? PyUnicode_AsUTF8AndSize(padding, NULL) : NULL;
		arg->pad_nan = text && strcmp(text, "nan") == 0;
	}
	Py_XDECREF(base);
	Py_XDECREF(shape);
	Py_XDECREF(strides);
	Py_XDECREF(block);
	Py_XDECREF(padding);
	return good;
}

/* ---- numbers and constants ---- */

static bool read_int(PyObject *value, const char *name, neso_arg *arg)
{
	int overflow;
	long long i = PyLong_AsLongLongAndOverflow(value, &overflow);
	arg->value.kind = NESO_VALUE_INT;
	if (overflow) {
		unsigned long long u = overflow > 0 ? PyLong_AsUnsignedLongLong(value) : 0;
		if (overflow < 0 || PyErr_Occurred()) {
			PyErr_Clear();
			PyErr_Format(PyExc_OverflowError, "argument '%s' does not fit 64 bits", name);
			return false;
		}
		i = (long long)u;
		arg->value.is_unsigned = true;
	} else if (i == -1 && PyErr_Occurred()) {
		return false;
	}
	arg->value.i = i;
	return true;
}

PyObject *read_rules(PyObject *unused, PyObject *value)
{
	(void)unused;
	int overflow;
	long long i = PyLong_AsLongLongAndOverflow(value, &overflow);
	if (overflow)
		i = (long long)PyLong_AsUnsignedLongLongMask(value);
	if (PyErr_Occurred())
		return NULL;
	const char *type = overflow > 0 ? "u64" : !overflow && rule_int32(i) ? "i32" : "i64";
	return Py_BuildValue("(sNN)", type, PyBool_FromLong(rule_divisible((uint64_t)i)),
			     PyBool_FromLong(!overflow && rule_constant(i)));
}

static bool read_float(double f, neso_arg *arg)
{
	arg->value.kind = NESO_VALUE_FLOAT;
	arg->value.f = f;
	return true;
}

/* Texts of values that last, by the address, which is nobody else's while it is kept here. */
typedef struct Written {
	PyObject *value, *text;
} Written;

bool value_lasts(PyObject *value)
{
	if (PyUnicode_CheckExact(value) || PyLong_CheckExact(value) || PyFloat_CheckExact(value) ||
	    PyBool_Check(value) || value == Py_None)
		return true;
	if (!PyTuple_CheckExact(value))
		return array_type(value)->lasting;
	for (Py_ssize_t i = 0; i < PyTuple_Size(value); i++)
		if (!value_lasts(PyTuple_GetItem(value, i)))
			return false;
	return true;
}

/* A new reference to the value as an expression. */
static PyObject *expression_of(PyObject *value)
{
	enum { PLACES = 512 }; /* two for values that meet */
	static Written written[PLACES];
	Written *w = &written[((uintptr_t)value >> 4) % (PLACES / 2) * 2];
	if (w[0].value == value || w[1].value == value)
		return Py_NewRef(w[w[0].value != value].text);
	PyObject *text = PyObject_CallFunctionObjArgs(host.expression, value, NULL);
	if (text && value_lasts(value)) {
		Written old = w[1];
		w[1] = w[0];
		w[0] = (Written){Py_NewRef(value), Py_NewRef(text)};
		Py_XDECREF(old.value);
		Py_XDECREF(old.text);
	}
	return text;
}

static bool read_expression(PyObject *value, neso_arg *arg, Held *held)
{
	PyObject *text = expression_of(value);
	arg->value.kind = NESO_VALUE_EXPR;
	arg->value.text = text ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
	bool good = arg->value.text && held_keep(held, text);
	Py_XDECREF(text);
	return good;
}

static bool read_number(PyObject *value, Kind kind, const char *name, neso_arg *arg)
{
	PyObject *number = kind == KIND_INDEX ? PyNumber_Index(value) : PyNumber_Float(value);
	if (!number)
		return false;
	bool good =
		kind == KIND_INDEX ? read_int(number, name, arg) : read_float(PyFloat_AsDouble(number), arg);
	Py_DECREF(number);
	return good;
}

static bool read_constexpr(PyObject *value, bool is_constexpr, const char *name, neso_arg *arg, Held *held)
{
	PyObject *inner = PyObject_GetAttr(value, name_value);
	bool good = inner && held_keep(held, inner) && read_value(inner, true, false, name, arg, held);
	Py_XDECREF(inner);
	if (good && !is_constexpr && (arg->value.kind == NESO_VALUE_INT || arg->value.kind == NESO_VALUE_FLOAT)) {
		/* A number that says it is a constant is one, whatever the parameter says. */
		good = read_expression(value, arg, held);
	}
	return good;
}

bool read_value(PyObject *value, bool is_constexpr, bool is_const, const char *name, neso_arg *arg,
		Held *held)
{
	memset(arg, 0, ARG_HEAD);
	if (value == Py_None) {
		arg->value.kind = NESO_VALUE_NONE;
		return true;
	}
	Kind kind = array_type(value)->kind;
	switch (kind) {
	case KIND_BOOL:
		arg->value.kind = NESO_VALUE_BOOL;
		arg->value.i = value == Py_True;
		return true;
	case KIND_TRUTH:
		arg->value.kind = NESO_VALUE_BOOL;
		arg->value.i = PyObject_IsTrue(value);
		return arg->value.i >= 0;
	case KIND_INT: return read_int(value, name, arg);
	case KIND_FLOAT: return read_float(PyFloat_AsDouble(value), arg);
	case KIND_INDEX:
	case KIND_REAL: return read_number(value, kind, name, arg);
	case KIND_NUMPY: return read_numpy(value, is_const, arg);
	case KIND_TENSOR:
	case KIND_WRAPPER: return read_tensor(value, is_const, name, arg, held);
	case KIND_ARRAY: return read_imported(value, is_const, name, arg, held);
	case KIND_DESCRIPTOR: return read_descriptor(value, name, arg, held);
	case KIND_CONSTEXPR: return read_constexpr(value, is_constexpr, name, arg, held);
	case KIND_TUPLE:
		if (is_constexpr)
			return read_expression(value, arg, held);
		held->has_tuple = true;
		arg->value.kind = NESO_VALUE_NONE;
		return true;
	default: return read_expression(value, arg, held);
	}
}
