/* What the values of a call are for a GPU: addresses and numbers, and the words of the key; and whether they are for a
 * GPU at all.
 *
 * torch's tensors are read through DLPack's table of C functions, without a call into Python. */
#include "gpu.h"

static PyObject *name_data_ptr, *name_is_cuda, *name_device, *name_index, *name_base, *name_shape,
	*name_strides, *name_block_shape, *name_padding, *name_value, *name_interface;

bool gpu_setup(void)
{
	static const Word names[] = {
		{&name_data_ptr, "data_ptr"}, {&name_is_cuda, "is_cuda"},
		{&name_device, "device"},     {&name_index, "index"},     {&name_base, "base"},
		{&name_shape, "shape"},       {&name_strides, "strides"}, {&name_block_shape, "block_shape"},
		{&name_padding, "padding"},   {&name_value, "value"},     {&name_interface, "__cuda_array_interface__"},
	};
	return intern_all(names, sizeof names / sizeof *names);
}

static bool keep(GpuCall *g, PyObject *object)
{
	if (!g->held && !(g->held = PyList_New(0)))
		return false;
	return PyList_Append(g->held, object) == 0;
}

/* ---- memory ---- */

/* Where an array is: a GPU's number, or one of these. */
enum { ON_SOME_GPU = -1, ON_HOST = -2, ANYWHERE = -3 };

static void place(GpuCall *g, Py_ssize_t i, int where)
{
	if (where == ON_HOST && g->on_host < 0)
		g->on_host = i;
	if (where >= ON_SOME_GPU && g->on_device < 0)
		g->on_device = i;
	if (where >= 0 && g->device < 0)
		g->device = where;
}

static void give_memory(GpuCall *g, GpuValue *out, uint64_t address, neso_dtype dtype)
{
	*out = (GpuValue){.bits = address, .kind = V_MEMORY, .dtype = dtype};
	g->last_word = gpu_word(V_MEMORY, dtype) | (uint64_t)(address % 16 == 0) << 16;
	gpu_put(g, g->last_word);
}

static neso_dtype dtype_of_dl(const DlTensor *t)
{
	static const neso_dtype ints[9] = {[1] = NESO_INT8, [2] = NESO_INT16, [4] = NESO_INT32, [8] = NESO_INT64};
	static const neso_dtype uints[9] = {[1] = NESO_UINT8, [2] = NESO_UINT16, [4] = NESO_UINT32, [8] = NESO_UINT64};
	static const neso_dtype floats[9] = {[2] = NESO_FP16, [4] = NESO_FP32, [8] = NESO_FP64};
	unsigned bytes = t->dtype.bits / 8u;
	if (t->dtype.lanes != 1 || bytes > 8 || t->dtype.bits % 8)
		return NESO_DTYPE_NONE;
	switch (t->dtype.code) {
	case DL_FLOAT: return floats[bytes];
	case DL_INT: return ints[bytes];
	case DL_UINT: return uints[bytes];
	case DL_BFLOAT: return bytes == 2 ? NESO_BF16 : NESO_DTYPE_NONE;
	case DL_BOOL: return bytes == 1 ? NESO_INT1 : NESO_DTYPE_NONE;
	case DL_FP8_E4M3FN: return NESO_FP8E4NV;
	case DL_FP8_E4M3FNUZ: return NESO_FP8E4B8;
	case DL_FP8_E5M2: return NESO_FP8E5;
	case DL_FP8_E5M2FNUZ: return NESO_FP8E5B16;
	default: return NESO_DTYPE_NONE;
	}
}

static int place_of_dl(const DlTensor *t, uint64_t address)
{
	switch (t->device.type) {
	case DL_CUDA: return t->device.id;
	case DL_CUDA_HOST:
	case DL_CUDA_MANAGED: return ANYWHERE;
	default: return address ? ON_HOST : ANYWHERE;
	}
}

/* Memory that no library says the place of. */
static int place_of_address(uint64_t address)
{
	neso_context *context = address ? host_context() : NULL;
	bool reached = false;
	if (!context)
		return ANYWHERE;
	Py_BEGIN_ALLOW_THREADS
	reached = neso_gpu_is_device(context, (void *)(uintptr_t)address);
	Py_END_ALLOW_THREADS
	return reached ? ANYWHERE : ON_HOST;
}

/* The number of the GPU by tensor.device.index. */
static int device_index(PyObject *tensor)
{
	PyObject *device = PyObject_GetAttr(tensor, name_device);
	PyObject *index = device ? PyObject_GetAttr(device, name_index) : NULL;
	long number = index && PyLong_Check(index) ? PyLong_AsLong(index) : ON_SOME_GPU;
	Py_XDECREF(index);
	Py_XDECREF(device);
	PyErr_Clear();
	return number >= 0 && number < 1024 ? (int)number : ON_SOME_GPU;
}

/* By what tensors have in Python; what has is_cuda says itself where it is. */
static bool look_python(GpuCall *g, PyObject *tensor, Py_ssize_t i, GpuValue *out)
{
	g->last = NULL;
	PyObject *pointer = PyObject_CallMethodObjArgs(tensor, name_data_ptr, NULL);
	uint64_t address = pointer ? PyLong_AsUnsignedLongLong(pointer) : 0;
	Py_XDECREF(pointer);
	neso_dtype dtype = PyErr_Occurred() ? NESO_DTYPE_NONE : array_dtype_of(tensor);
	if (dtype == NESO_DTYPE_NONE)
		return false;
	PyObject *is_cuda = PyObject_GetAttr(tensor, name_is_cuda);
	PyErr_Clear();
	int where = is_cuda && PyObject_IsTrue(is_cuda) == 1 ? device_index(tensor) : place_of_address(address);
	Py_XDECREF(is_cuda);
	place(g, i, where);
	if (where >= ON_SOME_GPU && !g->exchange && !g->foreign)
		g->foreign = tensor;
	give_memory(g, out, address, dtype);
	return true;
}

static bool look_tensor(GpuCall *g, const Exchange *exchange, PyObject *tensor, Py_ssize_t i, GpuValue *out)
{
	DlTensor t;
	if (tensor == g->last) {
		/* The same object again, and nothing of Python's ran in between. */
		*out = *g->last_value;
		gpu_put(g, g->last_word);
		return true;
	}
	if (!exchange || exchange->tensor(tensor, &t) != 0) {
		PyErr_Clear();
		return look_python(g, tensor, i, out);
	}
	neso_dtype dtype = dtype_of_dl(&t);
	if (dtype == NESO_DTYPE_NONE && (dtype = array_dtype_of(tensor)) == NESO_DTYPE_NONE)
		return false;
	uint64_t address = (uint64_t)(uintptr_t)t.data + t.byte_offset;
	int where = place_of_dl(&t, address);
	place(g, i, where);
	if (where >= 0 && !g->exchange)
		g->exchange = exchange;
	give_memory(g, out, address, dtype);
	g->last = tensor;
	g->last_value = out;
	return true;
}

/* The memory of another tensor under another element type. */
static bool look_wrapper(GpuCall *g, PyObject *wrapper, Py_ssize_t i, GpuValue *out)
{
	neso_dtype dtype = array_dtype_of(wrapper);
	PyObject *base = dtype ? PyObject_GetAttr(wrapper, name_base) : NULL;
	bool good = false;
	if (!base)
		return false;
	const TypeInfo *type = array_type(base);
	if (type->exchange) {
		size_t count = g->word_count;
		uint64_t hash = g->hash, factor = g->factor;
		good = look_tensor(g, type->exchange, base, i, out);
		g->word_count = count;
		g->hash = hash;
		g->factor = factor;
		if (good)
			give_memory(g, out, out->bits, dtype);
		g->last = NULL; /* what was given is not the base's */
	} else {
		good = look_python(g, wrapper, i, out);
	}
	Py_DECREF(base);
	return good;
}

/* "<f4" of __cuda_array_interface__ */
static neso_dtype dtype_of_text(const char *text)
{
	DlTensor t = {.dtype = {.lanes = 1}};
	size_t len = text ? strlen(text) : 0;
	if (len != 3 || text[2] < '1' || text[2] > '8')
		return NESO_DTYPE_NONE;
	static const char kinds[] = {[DL_INT] = 'i', [DL_UINT] = 'u', [DL_FLOAT] = 'f', [DL_BOOL] = 'b'};
	while (t.dtype.code < sizeof kinds && kinds[t.dtype.code] != text[1])
		t.dtype.code++;
	t.dtype.bits = (uint8_t)(8 * (text[2] - '0'));
	return t.dtype.code < sizeof kinds ? dtype_of_dl(&t) : NESO_DTYPE_NONE;
}

/* CuPy, Numba, JAX on a GPU. */
static bool look_interface(GpuCall *g, PyObject *array, PyObject *interface, Py_ssize_t i, GpuValue *out)
{
	PyObject *data = PyDict_Check(interface) ? PyDict_GetItemString(interface, "data") : NULL;
	PyObject *kind = data ? PyDict_GetItemString(interface, "typestr") : NULL;
	PyObject *first = data && PyTuple_Check(data) ? PyTuple_GetItem(data, 0) : NULL;
	uint64_t address = first ? PyLong_AsUnsignedLongLong(first) : 0;
	if (!first || !kind || PyErr_Occurred()) {
		if (!PyErr_Occurred())
			PyErr_SetString(PyExc_TypeError, "an array's __cuda_array_interface__ lacks data or typestr");
		return false;
	}
	neso_dtype dtype = dtype_of_text(PyUnicode_AsUTF8AndSize(kind, NULL));
	if (dtype == NESO_DTYPE_NONE && (dtype = array_dtype_of(array)) == NESO_DTYPE_NONE)
		return false;
	place(g, i, ON_SOME_GPU);
	if (!g->exchange && !g->foreign)
		g->foreign = array;
	give_memory(g, out, address, dtype);
	return true;
}

/* A capsule of DLPack's, when the array says that it is on a GPU; 0: it is not. The producer is asked to make its work
 * wait no longer than the default stream. */
static int look_dlpack(GpuCall *g, PyObject *array, Py_ssize_t i, GpuValue *out)
{
	int type = 0, id = 0;
	PyObject *device = PyObject_CallMethod(array, "__dlpack_device__", NULL);
	bool known = device && PyArg_ParseTuple(device, "ii", &type, &id);
	Py_XDECREF(device);
	PyErr_Clear();
	if (!known || type != DL_CUDA)
		return 0;
	PyObject *none = PyTuple_New(0), *words = Py_BuildValue("{s:i}", "stream", 1);
	PyObject *export = none && words ? PyObject_GetAttrString(array, "__dlpack__") : NULL;
	PyObject *capsule = export ? PyObject_Call(export, none, words) : NULL;
	const DlTensor *t = capsule ? PyCapsule_GetPointer(capsule, "dltensor") : NULL;
	neso_dtype dtype = t ? dtype_of_dl(t) : NESO_DTYPE_NONE;
	bool good = t && (dtype || (dtype = array_dtype_of(array))) && keep(g, capsule);
	if (good) {
		place(g, i, id);
		if (!g->exchange && !g->foreign)
			g->foreign = array;
		give_memory(g, out, (uint64_t)(uintptr_t)t->data + t->byte_offset, dtype);
	}
	Py_XDECREF(none);
	Py_XDECREF(words);
	Py_XDECREF(export);
	Py_XDECREF(capsule);
	return good ? 1 : -1;
}

static bool look_array(GpuCall *g, PyObject *array, Py_ssize_t i, GpuValue *out)
{
	PyObject *interface = PyObject_GetAttr(array, name_interface);
	if (interface) {
		bool good = look_interface(g, array, interface, i, out);
		Py_DECREF(interface);
		return good;
	}
	PyErr_Clear();
	int found = look_dlpack(g, array, i, out);
	if (found)
		return found > 0;
	place(g, i, ON_HOST);
	out->kind = V_OTHER;
	return true;
}

static bool look(GpuCall *g, PyObject *value, bool is_constexpr, bool is_typed, Py_ssize_t i, GpuValue *out, Held *held);

static bool look_descriptor(GpuCall *g, PyObject *value, Py_ssize_t i, GpuValue *out, Held *held)
{
	if (g->desc_count == GPU_DESCS) {
		PyErr_Format(PyExc_TypeError, "a launch takes at most %d tensor descriptors", GPU_DESCS);
		return false;
	}
	GpuDesc *d = &g->descs[g->desc_count];
	PyObject *base = PyObject_GetAttr(value, name_base);
	PyObject *shape = PyObject_GetAttr(value, name_shape);
	PyObject *strides = PyObject_GetAttr(value, name_strides);
	PyObject *block = PyObject_GetAttr(value, name_block_shape);
	PyObject *padding = PyObject_GetAttr(value, name_padding);
	int rank = 0, other = 0;
	if (!padding)
		PyErr_Clear();
	bool good = base && shape && strides && block && look(g, base, false, false, i, out, held) &&
		    array_sizes(shape, d->shape, &rank, NESO_MAX_RANK) &&
		    array_sizes(strides, d->strides, &other, NESO_MAX_RANK) && other == rank &&
		    array_sizes(block, d->block, &other, NESO_MAX_RANK) && other == rank;
	if (!good && !PyErr_Occurred())
		PyErr_SetString(PyExc_ValueError, "a tensor descriptor's shape, strides and block_shape have different lengths");
	if (good && out->kind == V_MEMORY) {
		d->rank = rank;
		d->pad_nan = padding && PyUnicode_Check(padding) && PyUnicode_CompareWithASCIIString(padding, "nan") == 0;
		out->kind = V_DESCRIPTOR;
		g->last = NULL;
		out->desc = (uint32_t)g->desc_count++;
		gpu_put(g, gpu_word(V_DESCRIPTOR, d->pad_nan) | (uint64_t)rank << 16);
		for (int k = 0; k < rank; k++)
			gpu_put(g, (uint64_t)d->block[k]);
	}
	Py_XDECREF(base);
	Py_XDECREF(shape);
	Py_XDECREF(strides);
	Py_XDECREF(block);
	Py_XDECREF(padding);
	return good;
}

/* ---- constants ---- */

/* Kinds of constants in a word's second byte. */
enum { C_NONE, C_BOOL, C_INT, C_FLOAT, C_OBJECT, C_TEXT, C_TUPLE, C_CONSTEXPR, C_DEMOTED };

/* By its address, which is nobody else's as long as it lives. */
static void put_object(GpuCall *g, unsigned kind, PyObject *object)
{
	if (g->lasting_count == GPU_LASTING) {
		g->packed = false;
		return;
	}
	Py_INCREF(object);
	if (kind == C_TEXT)
		PyUnicode_InternInPlace(&object); /* texts that are equal are one */
	g->lasting[g->lasting_count++] = object;
	gpu_put(g, gpu_word(V_CONSTANT, kind));
	gpu_put(g, (uint64_t)(uintptr_t)object);
}

static bool put_constant(GpuCall *g, PyObject *value)
{
	if (value == Py_None) {
		gpu_put(g, gpu_word(V_CONSTANT, C_NONE));
		return true;
	}
	if (PyBool_Check(value)) {
		gpu_put(g, gpu_word(V_CONSTANT, C_BOOL) | (uint64_t)(value == Py_True) << 16);
		return true;
	}
	if (PyLong_Check(value)) {
		int overflow;
		long long i = PyLong_AsLongLongAndOverflow(value, &overflow);
		g->packed &= !overflow;
		/* An enum's member is a number of another type. */
		gpu_put(g, gpu_word(V_CONSTANT, C_INT) | (uint64_t)(PyLong_CheckExact(value) != 0) << 16);
		gpu_put(g, (uint64_t)i);
		return true;
	}
	const TypeInfo *type = array_type(value);
	if (type->kind == KIND_FLOAT) {
		double f = PyFloat_AsDouble(value);
		uint64_t bits;
		memcpy(&bits, &f, sizeof bits);
		gpu_put(g, gpu_word(V_CONSTANT, C_FLOAT));
		gpu_put(g, bits);
	} else if (PyUnicode_CheckExact(value)) {
		put_object(g, C_TEXT, value);
	} else if (type->lasting) {
		put_object(g, C_OBJECT, value);
	} else if (PyTuple_Check(value)) {
		Py_ssize_t count = PyTuple_Size(value);
		put_object(g, C_TUPLE, (PyObject *)Py_TYPE(value));
		gpu_put(g, (uint64_t)count);
		for (Py_ssize_t k = 0; k < count && g->packed; k++)
			if (!put_constant(g, PyTuple_GetItem(value, k)))
				return false;
	} else if (type->kind == KIND_CONSTEXPR) {
		PyObject *inner = PyObject_GetAttr(value, name_value);
		g->last = NULL;
		gpu_put(g, gpu_word(V_CONSTANT, C_CONSTEXPR));
		bool good = inner && keep(g, inner) && put_constant(g, inner);
		Py_XDECREF(inner);
		return good;
	} else {
		g->packed = false;
	}
	return !PyErr_Occurred();
}

/* ---- numbers ---- */

static bool look_int(GpuCall *g, PyObject *value, bool is_typed, GpuValue *out)
{
	int overflow;
	long long i = PyLong_AsLongLongAndOverflow(value, &overflow);
	if (overflow) {
		/* uint64, or an error that binding tells. */
		*out = (GpuValue){.kind = V_INT, .dtype = NESO_UINT64};
		out->bits = overflow > 0 ? PyLong_AsUnsignedLongLong(value) : 0;
		PyErr_Clear();
		g->packed = false;
		return true;
	}
	if (i == -1 && PyErr_Occurred())
		return false;
	*out = (GpuValue){.bits = (uint64_t)i, .kind = V_INT};
	gpu_put(g, gpu_int_word(i, is_typed));
	return true;
}

static bool look_number(GpuCall *g, PyObject *value, Kind kind, bool is_typed, GpuValue *out)
{
	PyObject *number = kind == KIND_INDEX ? PyNumber_Index(value) : PyNumber_Float(value);
	if (!number)
		return false;
	g->last = NULL;
	bool good = true;
	if (kind == KIND_INDEX) {
		good = look_int(g, number, is_typed, out);
	} else {
		double f = PyFloat_AsDouble(number);
		*out = (GpuValue){.kind = V_FLOAT};
		memcpy(&out->bits, &f, sizeof f);
		gpu_put(g, gpu_word(V_FLOAT, 0));
	}
	Py_DECREF(number);
	return good;
}

/* ---- a call ---- */

/* The value of a constexpr that may be an argument of the function all the same, where it is a number. */
static bool read_number(PyObject *value, neso_value *number)
{
	int overflow = 0;
	*number = (neso_value){0};
	if (PyBool_Check(value)) {
		number->kind = NESO_VALUE_BOOL;
		number->i = value == Py_True;
	} else if (PyLong_Check(value)) {
		number->kind = NESO_VALUE_INT;
		number->i = PyLong_AsLongLongAndOverflow(value, &overflow);
		number->is_unsigned = overflow > 0;
		if (overflow > 0)
			number->i = (int64_t)PyLong_AsUnsignedLongLong(value);
		PyErr_Clear();
	} else if (PyFloat_Check(value)) {
		number->kind = NESO_VALUE_FLOAT;
		number->f = PyFloat_AsDouble(value);
	}
	return number->kind != NESO_VALUE_UNKNOWN;
}

/* Of a policy that demotes constexprs. */
static bool look_demotable(GpuCall *g, PyObject *value, Py_ssize_t i, GpuValue *out)
{
	neso_value number;
	PyObject *inner = array_type(value)->kind == KIND_CONSTEXPR ? PyObject_GetAttr(value, name_value) : NULL;
	PyErr_Clear();
	bool is_number = read_number(inner ? inner : value, &number);
	g->last = NULL;
	Py_XDECREF(inner);
	if (is_number) {
		out->bits = (uint64_t)number.i;
		out->kind = number.kind == NESO_VALUE_FLOAT ? V_FLOAT : V_INT;
		out->dtype = number.is_unsigned ? NESO_UINT64 : NESO_DTYPE_NONE;
		if (number.kind == NESO_VALUE_FLOAT)
			memcpy(&out->bits, &number.f, sizeof out->bits);
	}
	bool demoted = is_number && !inner && g->demoted && i < 256 && (g->demoted[i / 64] >> i % 64 & 1) != 0;
	if (!demoted)
		return put_constant(g, value);
	gpu_put(g, gpu_word(V_CONSTANT, C_DEMOTED));
	gpu_put(g, neso_number_class(&number));
	return true;
}

static bool look(GpuCall *g, PyObject *value, bool is_constexpr, bool is_typed, Py_ssize_t i, GpuValue *out, Held *held)
{
	out->kind = V_CONSTANT;
	if (value == Py_None)
		return put_constant(g, value);
	if (is_constexpr)
		return look_demotable(g, value, i, out);
	if (PyLong_CheckExact(value))
		return look_int(g, value, is_typed, out);
	const TypeInfo *type = array_type(value);
	switch (type->kind) {
	case KIND_TENSOR: return look_tensor(g, type->exchange, value, i, out);
	case KIND_INT: return look_int(g, value, is_typed, out);
	case KIND_BOOL:
		*out = (GpuValue){.bits = value == Py_True, .kind = V_BOOL};
		gpu_put(g, gpu_word(V_BOOL, 0));
		return true;
	case KIND_FLOAT:
	case KIND_INDEX:
	case KIND_REAL: return look_number(g, value, type->kind, is_typed, out);
	case KIND_WRAPPER: return look_wrapper(g, value, i, out);
	case KIND_NUMPY:
		place(g, i, ON_HOST);
		out->kind = V_OTHER;
		return true;
	case KIND_ARRAY: return look_array(g, value, i, out);
	case KIND_DESCRIPTOR: return look_descriptor(g, value, i, out, held);
	case KIND_TUPLE: held->has_tuple = true; return true;
	default: return put_constant(g, value);
	}
}

/* Of arrays that look as if they were the CPU's alone, some are page-locked memory, which a GPU reaches too. True: all are;
 * otherwise on_host is the first that is not. */
static bool find_unreachable(GpuCall *g, Py_ssize_t count)
{
	for (Py_ssize_t i = g->on_host; i < count; i++) {
		const GpuValue *v = &g->values[i];
		if (v->kind == V_OTHER || (v->kind == V_MEMORY && place_of_address(v->bits) == ON_HOST)) {
			g->on_host = i;
			return false;
		}
	}
	return true;
}

int gpu_look_all(GpuCall *g, Launch *l)
{
	const Kernel *k = l->kernel;
	g->demoted = call_demoted(l);
	for (int w = 0; g->demoted && w < 4; w++)
		gpu_put(g, g->demoted[w]);
	for (Py_ssize_t i = 0; i < k->param_count; i++) {
		const Param *p = &k->params[i];
		if (!look(g, l->call.values[i], p->is_constexpr, p->is_typed, i, &g->values[i], &l->held))
			return -1;
	}
	if (g->on_host < 0 || l->held.has_tuple)
		return 1;
	if (g->on_device < 0)
		return 0;
	if (find_unreachable(g, k->param_count))
		return 0;
	PyObject *done = PyObject_CallFunctionObjArgs(host.mixed, k->params[g->on_device].name,
						      l->call.values[g->on_device], k->params[g->on_host].name,
						      l->call.values[g->on_host], NULL);
	Py_XDECREF(done);
	return -1;
}
