/* What the values of a call are for a GPU, as neso_args; and whether they are for a GPU at all.
 * Memory is read here, the rest as for the interpreter (read.c).
 *
 * torch's tensors are read through DLPack's table of C functions, without a call into Python. */
#include "gpu.h"

static PyObject *name_data_ptr, *name_is_cuda, *name_device, *name_index, *name_base, *name_shape,
	*name_strides, *name_block_shape, *name_padding, *name_interface;

bool gpu_setup(void)
{
	static const Word names[] = {
		{&name_data_ptr, "data_ptr"}, {&name_is_cuda, "is_cuda"},
		{&name_device, "device"},     {&name_index, "index"},     {&name_base, "base"},
		{&name_shape, "shape"},       {&name_strides, "strides"}, {&name_block_shape, "block_shape"},
		{&name_padding, "padding"},   {&name_interface, "__cuda_array_interface__"},
	};
	return intern_all(names, sizeof names / sizeof *names);
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

static void give_memory(neso_arg *out, uint64_t address, neso_dtype dtype)
{
	memset(out, 0, ARG_HEAD);
	out->kind = NESO_ARG_POINTER;
	out->dtype = dtype;
	out->address = (void *)(uintptr_t)address;
	out->access = NESO_READ_WRITE;
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
static bool look_python(GpuCall *g, PyObject *tensor, Py_ssize_t i, neso_arg *out)
{
	g->last = NULL;
	PyObject *pointer = PyObject_CallMethodObjArgs(tensor, name_data_ptr, NULL);
	uint64_t address = pointer ? PyLong_AsUnsignedLongLong(pointer) : 0;
	Py_XDECREF(pointer);
	neso_dtype dtype = PyErr_Occurred() ? NESO_DTYPE_NONE : array_dtype_of(tensor);
	if (dtype == NESO_DTYPE_NONE || !array_is_plain(tensor))
		return false;
	PyObject *is_cuda = PyObject_GetAttr(tensor, name_is_cuda);
	PyErr_Clear();
	int where = is_cuda && PyObject_IsTrue(is_cuda) == 1 ? device_index(tensor) : place_of_address(address);
	Py_XDECREF(is_cuda);
	place(g, i, where);
	if (where >= ON_SOME_GPU && !g->exchange && !g->foreign)
		g->foreign = tensor;
	give_memory(out, address, dtype);
	return true;
}

/* May it be the imaginary parts of a conjugate? They lie between the real ones. Others are not
 * asked what sign they have: that is a call into Python. */
static bool may_be_negated(const DlTensor *t)
{
	for (int32_t d = 0; t->strides && d < t->ndim; d++)
		if (t->shape[d] > 1 && t->strides[d] % 2)
			return false;
	return t->strides != NULL;
}

bool gpu_tensor_is_plain(PyObject *tensor, const DlTensor *t)
{
	return !may_be_negated(t) || array_is_plain(tensor);
}

static bool look_tensor(GpuCall *g, const Exchange *exchange, PyObject *tensor, Py_ssize_t i, neso_arg *out)
{
	DlTensor t;
	if (tensor == g->last) {
		/* The same object again, and nothing of Python's ran in between. */
		memcpy(out, g->last_arg, ARG_HEAD);
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
	if (!gpu_tensor_is_plain(tensor, &t))
		return false;
	int where = place_of_dl(&t, address);
	place(g, i, where);
	if (where >= 0 && !g->exchange)
		g->exchange = exchange;
	give_memory(out, address, dtype);
	g->last = tensor;
	g->last_arg = out;
	return true;
}

/* The memory of another tensor under another element type. */
static bool look_wrapper(GpuCall *g, PyObject *wrapper, Py_ssize_t i, neso_arg *out)
{
	neso_dtype dtype = array_dtype_of(wrapper);
	PyObject *base = dtype ? PyObject_GetAttr(wrapper, name_base) : NULL;
	bool good = false;
	if (!base)
		return false;
	const TypeInfo *type = array_type(base);
	if (type->exchange) {
		good = look_tensor(g, type->exchange, base, i, out);
		out->dtype = dtype;
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
static bool look_interface(GpuCall *g, PyObject *array, PyObject *interface, Py_ssize_t i, neso_arg *out)
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
	give_memory(out, address, dtype);
	return true;
}

/* A capsule of DLPack's, when the array says that it is on a GPU; 0: it is not. The producer is asked to make its work
 * wait no longer than the default stream. */
static int look_dlpack(GpuCall *g, PyObject *array, Py_ssize_t i, neso_arg *out, Held *held)
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
	bool good = t && (dtype || (dtype = array_dtype_of(array))) && held_keep(held, capsule);
	if (good) {
		place(g, i, id);
		if (!g->exchange && !g->foreign)
			g->foreign = array;
		give_memory(out, (uint64_t)(uintptr_t)t->data + t->byte_offset, dtype);
	}
	Py_XDECREF(none);
	Py_XDECREF(words);
	Py_XDECREF(export);
	Py_XDECREF(capsule);
	return good ? 1 : -1;
}

/* Memory that this does not read: for the interpreter, or an error. */
static bool look_other(GpuCall *g, Py_ssize_t i, neso_arg *out)
{
	memset(out, 0, ARG_HEAD);
	place(g, i, ON_HOST);
	return true;
}

static bool look_array(GpuCall *g, PyObject *array, Py_ssize_t i, neso_arg *out, Held *held)
{
	PyObject *interface = PyObject_GetAttr(array, name_interface);
	if (interface) {
		bool good = look_interface(g, array, interface, i, out);
		Py_DECREF(interface);
		return good;
	}
	PyErr_Clear();
	int found = look_dlpack(g, array, i, out, held);
	if (found)
		return found > 0;
	return look_other(g, i, out);
}

static bool look(GpuCall *g, PyObject *value, const Param *p, Py_ssize_t i, neso_arg *out, Held *held);

static bool look_descriptor(GpuCall *g, PyObject *value, const Param *p, Py_ssize_t i, neso_arg *out,
			    Held *held)
{
	PyObject *base = PyObject_GetAttr(value, name_base);
	PyObject *shape = PyObject_GetAttr(value, name_shape);
	PyObject *strides = PyObject_GetAttr(value, name_strides);
	PyObject *block = PyObject_GetAttr(value, name_block_shape);
	PyObject *padding = PyObject_GetAttr(value, name_padding);
	int rank = 0, other = 0;
	if (!padding)
		PyErr_Clear();
	bool good = base && shape && strides && block && look(g, base, p, i, out, held) &&
		    read_sizes(shape, out->shape, &rank, NESO_MAX_RANK) &&
		    read_sizes(strides, out->strides, &other, NESO_MAX_RANK) && other == rank &&
		    read_sizes(block, out->block_shape, &other, NESO_MAX_RANK) && other == rank;
	if (!good && !PyErr_Occurred())
		PyErr_SetString(PyExc_ValueError, "a tensor descriptor's shape, strides and block_shape have different lengths");
	if (good && out->kind == NESO_ARG_POINTER) {
		out->kind = NESO_ARG_DESCRIPTOR;
		out->rank = (uint32_t)rank;
		out->pad_nan = padding && PyUnicode_Check(padding) &&
			       PyUnicode_CompareWithASCIIString(padding, "nan") == 0;
		g->last = NULL;
		g->has_descriptor = true;
	}
	Py_XDECREF(base);
	Py_XDECREF(shape);
	Py_XDECREF(strides);
	Py_XDECREF(block);
	Py_XDECREF(padding);
	return good;
}

/* ---- a call ---- */

static bool look(GpuCall *g, PyObject *value, const Param *p, Py_ssize_t i, neso_arg *out, Held *held)
{
	if (!p->is_constexpr && !PyLong_CheckExact(value)) {
		const TypeInfo *type = array_type(value);
		switch (type->kind) {
		case KIND_TENSOR: return look_tensor(g, type->exchange, value, i, out);
		case KIND_WRAPPER: return look_wrapper(g, value, i, out);
		case KIND_NUMPY: return look_other(g, i, out);
		case KIND_ARRAY: return look_array(g, value, i, out, held);
		case KIND_DESCRIPTOR: return look_descriptor(g, value, p, i, out, held);
		default: break;
		}
	}
	if (!PyLong_CheckExact(value) && !PyFloat_CheckExact(value))
		g->last = NULL; /* reading it may run Python */
	return read_value(value, p->is_constexpr, p->is_const, p->text, out, held);
}

/* Of arrays that look as if they were the CPU's alone, some are page-locked memory, which a GPU reaches too. True: all are;
 * otherwise on_host is the first that is not. */
static bool find_unreachable(GpuCall *g, const neso_arg *args, Py_ssize_t count)
{
	for (Py_ssize_t i = g->on_host; i < count; i++) {
		bool other = args[i].kind == NESO_ARG_VALUE && args[i].value.kind == NESO_VALUE_UNKNOWN;
		if (other || (args[i].kind == NESO_ARG_POINTER &&
			      place_of_address((uintptr_t)args[i].address) == ON_HOST)) {
			g->on_host = i;
			return false;
		}
	}
	return true;
}

int gpu_read(GpuCall *g, Launch *l)
{
	const Kernel *k = l->kernel;
	for (Py_ssize_t i = 0; i < k->param_count; i++)
		if (!look(g, l->call.values[i], &k->params[i], i, &l->args[i], &l->held))
			return -1;
	l->is_read = true;
	if (g->on_host < 0 || l->held.has_tuple)
		return 1;
	if (g->on_device < 0)
		return 0;
	if (find_unreachable(g, l->args, k->param_count))
		return 0;
	PyObject *done = PyObject_CallFunctionObjArgs(host.mixed, k->params[g->on_device].name,
						      l->call.values[g->on_device], k->params[g->on_host].name,
						      l->call.values[g->on_host], NULL);
	Py_XDECREF(done);
	return -1;
}
