/* IR text: through passes, as ops, its kernels. */
#include "native.h"

/* ir(path, text, passes, no_locations=False) -> text */
static PyObject *ir(PyObject *self, PyObject *args)
{
	(void)self;
	const char *path, *text;
	Py_ssize_t length;
	PyObject *passes;
	int no_locations = 0;
	if (!PyArg_ParseTuple(args, "ss#O!|p", &path, &text, &length, &PyTuple_Type, &passes, &no_locations))
		return NULL;
	const char *names[64];
	size_t count = (size_t)PyTuple_Size(passes);
	if (count > 64)
		count = 64;
	for (size_t i = 0; i < count; i++) {
		names[i] = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(passes, (Py_ssize_t)i), NULL);
		if (!names[i])
			return NULL;
	}
	neso_context *c = host_context();
	if (!c)
		return NULL;
	neso_ir_options options = {.size = sizeof options, .passes = names, .pass_count = count,
				   .no_locations = no_locations != 0};
	char *out = NULL;
	neso_diagnostics *diagnostics = NULL;
	neso_status status = neso_ir_run(c, path, text, (size_t)length, &options, &out, &diagnostics);
	return host_text(status, out, diagnostics, NULL);
}

static PyObject *describe_kernel(const neso_kernel *kernel)
{
	neso_kernel_info info = {.size = sizeof info};
	neso_kernel_get_info(kernel, &info);
	PyObject *params = PyList_New(0);
	for (size_t i = 0; params && i < info.parameter_count; i++) {
		neso_parameter p = {.size = sizeof p};
		neso_kernel_get_parameter(kernel, i, &p);
		PyObject *pair = Py_BuildValue("(ss)", p.name, p.annotation);
		if (!pair || PyList_Append(params, pair) < 0)
			Py_CLEAR(params);
		Py_XDECREF(pair);
	}
	return params ? Py_BuildValue("(sN)", info.name, params) : NULL;
}

static PyObject *values_of(const neso_ir_value *values, size_t count)
{
	PyObject *tuple = PyTuple_New((Py_ssize_t)count);
	for (size_t i = 0; tuple && i < count; i++) {
		PyObject *pair = Py_BuildValue("(Is)", values[i].number, values[i].type);
		if (!pair || PyTuple_SetItem(tuple, (Py_ssize_t)i, pair) < 0)
			Py_CLEAR(tuple);
	}
	return tuple;
}

static PyObject *attributes_of(const neso_ir_op *op)
{
	PyObject *dict = PyDict_New();
	for (size_t i = 0; dict && i < op->attribute_count; i++) {
		const neso_ir_attribute *a = &op->attributes[i];
		PyObject *value = a->kind == NESO_IR_BOOL  ? PyBool_FromLong(a->i != 0)
				  : a->kind == NESO_IR_INT ? PyLong_FromLongLong(a->i)
							   : Py_BuildValue("(zi)", a->text, a->kind == NESO_IR_TEXT);
		if (!value || PyDict_SetItemString(dict, a->name, value) < 0)
			Py_CLEAR(dict);
		Py_XDECREF(value);
	}
	return dict;
}

/* data: a list, which is cleared where something fails. */
static void add_ir_op(void *data, const neso_ir_op *op)
{
	PyObject **list = data, *regions = *list ? PyTuple_New((Py_ssize_t)op->region_count) : NULL;
	for (size_t i = 0; regions && i < op->region_count; i++)
		PyTuple_SetItem(regions, (Py_ssize_t)i, PyLong_FromUnsignedLong(op->regions[i]));
	PyObject *row = regions ? Py_BuildValue("(sIINNNIIINN)", op->name, op->number, op->line,
						values_of(op->operands, op->operand_count),
						values_of(op->results, op->result_count), regions, op->block, op->region,
						op->parent, values_of(op->block_arguments, op->block_argument_count),
						attributes_of(op))
				: NULL;
	if (!row || PyList_Append(*list, row) < 0)
		Py_CLEAR(*list);
	Py_XDECREF(row);
}

/* ir_ops(path, text) -> list of (name, number, line, operands, results, regions, block, region, parent, arguments of the block,
 * attributes), inner ops before outer ones */
static PyObject *ir_ops(PyObject *self, PyObject *args)
{
	(void)self;
	const char *path, *text;
	Py_ssize_t length;
	if (!PyArg_ParseTuple(args, "ss#", &path, &text, &length))
		return NULL;
	neso_context *c = host_context();
	PyObject *list = c ? PyList_New(0) : NULL;
	if (!list)
		return NULL;
	neso_diagnostics *diagnostics = NULL;
	neso_status status = neso_ir_walk(c, path, text, (size_t)length, add_ir_op, &list, &diagnostics);
	if (status != NESO_OK) {
		Py_XDECREF(list);
		return host_fail(status, diagnostics, NULL);
	}
	neso_diagnostics_free(diagnostics);
	return list;
}

/* ir_kernels(path, text) -> list of (name, list of (parameter, type)) */
static PyObject *ir_kernels(PyObject *self, PyObject *args)
{
	(void)self;
	const char *path, *text;
	Py_ssize_t length;
	if (!PyArg_ParseTuple(args, "ss#", &path, &text, &length))
		return NULL;
	neso_context *c = host_context();
	if (!c)
		return NULL;
	neso_module *module = NULL;
	neso_diagnostics *diagnostics = NULL;
	neso_status status = neso_module_load_ir(c, path, text, (size_t)length, &module, &diagnostics);
	if (status != NESO_OK)
		return host_fail(status, diagnostics, NULL);
	neso_diagnostics_free(diagnostics);
	PyObject *list = PyList_New(0);
	for (size_t i = 0; list && i < neso_module_kernel_count(module); i++) {
		PyObject *kernel = describe_kernel(neso_module_kernel(module, i));
		if (!kernel || PyList_Append(list, kernel) < 0)
			Py_CLEAR(list);
		Py_XDECREF(kernel);
	}
	neso_module_free(module);
	return list;
}

static PyMethodDef methods[] = {
	{"ir", ir, METH_VARARGS, "Reads IR, runs passes, gives the text."},
	{"ir_ops", ir_ops, METH_VARARGS, "The ops of IR text, as rows."},
	{"ir_kernels", ir_kernels, METH_VARARGS, "The kernels of IR text, with their parameters."},
	{0},
};

bool ir_add(PyObject *module)
{
	return PyModule_AddFunctions(module, methods) == 0;
}
