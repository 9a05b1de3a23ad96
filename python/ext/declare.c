/* Declared variants: files of declarations, what a line stands for, loading ahead, recording,
 * explain. */
#include "native.h"

#include <neso/declare.h>

/* ---- files ---- */

static void add_declaration(void *data, const neso_declaration *d)
{
	PyObject *row = Py_BuildValue("(ssssiN)", d->path, d->kernel, d->text, d->file, (int)d->line,
				      PyBool_FromLong(d->is_control));
	if (row && !PyErr_Occurred())
		PyList_Append(data, row);
	Py_XDECREF(row);
}

/* (file, text or None) -> list of (path, kernel, line, file, number, is_control) */
static PyObject *declarations(PyObject *self, PyObject *args)
{
	const char *file, *text;
	(void)self;
	if (!PyArg_ParseTuple(args, "sz", &file, &text))
		return NULL;
	PyObject *list = PyList_New(0);
	neso_diagnostics *diagnostics;
	neso_status status =
		list ? neso_declarations_read(host_context(), file, text, add_declaration, list, &diagnostics)
		     : NESO_OK;
	if (list && status != NESO_OK)
		host_fail(status, diagnostics, NULL);
	if (PyErr_Occurred())
		Py_CLEAR(list);
	return list;
}

/* ---- what a line stands for ---- */

static bool add_item(PyObject *dict, const char *name, PyObject *value)
{
	const bool good = value && PyDict_SetItemString(dict, name, value) == 0;
	Py_XDECREF(value);
	return good;
}

/* As launches name them. */
static PyObject *options_dict(const neso_compile_options *o)
{
	PyObject *d = PyDict_New();
	bool good = d != NULL;
	const struct {
		const char *name;
		uint32_t value;
	} numbers[] = {{"num_warps", o->num_warps},
		       {"num_stages", o->num_stages},
		       {"num_ctas", o->num_ctas},
		       {"maxnreg", o->maxnreg},
		       {"ptx_version", o->ptx_version}};
	const struct {
		const char *name;
		bool given, value;
	} flags[] = {{"debug", o->debug, true},
		     {"sanitize_overflow", o->no_overflow_checks, false},
		     {"enable_fp_fusion", o->no_fp_fusion, false},
		     {"launch_cooperative_grid", o->cooperative, true},
		     {"launch_pdl", o->dependent_launch, true}};
	for (size_t i = 0; good && i < sizeof numbers / sizeof *numbers; i++)
		if (numbers[i].value)
			good = add_item(d, numbers[i].name, PyLong_FromUnsignedLong(numbers[i].value));
	for (size_t i = 0; good && i < sizeof flags / sizeof *flags; i++)
		if (flags[i].given)
			good = add_item(d, flags[i].name, PyBool_FromLong(flags[i].value));
	if (good && o->constexpr_policy != NESO_POLICY_DEFAULT)
		good = add_item(d, "constexpr_policy",
				PyUnicode_FromString(o->constexpr_policy == NESO_POLICY_GENERIC ? "generic"
												: "eager"));
	if (good && o->target)
		good = add_item(d, "neso_target", PyUnicode_FromString(o->target));
	if (!good)
		Py_CLEAR(d);
	return d;
}

static void add_variant(void *data, const neso_declared *variant)
{
	PyObject *options = options_dict(variant->options);
	PyObject *row = options ? Py_BuildValue("(sN)", variant->signature, options) : NULL;
	if (row && !PyErr_Occurred())
		PyList_Append(data, row);
	Py_XDECREF(row);
}

enum { MAX_TARGETS = 64 };

/* False with an exception. */
static bool read_targets(PyObject *given, const char **targets, size_t *count)
{
	*count = 0;
	if (given == Py_None)
		return true;
	const Py_ssize_t n = PySequence_Size(given);
	if (n < 0 || n > MAX_TARGETS) {
		PyErr_SetString(PyExc_ValueError, "at most 64 targets");
		return false;
	}
	for (Py_ssize_t i = 0; i < n; i++) {
		PyObject *item = PySequence_GetItem(given, i);
		targets[i] = item ? PyUnicode_AsUTF8AndSize(item, NULL) : NULL;
		Py_XDECREF(item); /* the list has it */
		if (!targets[i])
			return false;
		++*count;
	}
	return true;
}

static PyObject *expand(neso_kernel *kernel, PyObject *self, const char *line, const char *file, int number,
			PyObject *targets, Py_ssize_t most)
{
	const char *names[MAX_TARGETS];
	neso_declare_options options;
	neso_diagnostics *diagnostics;
	neso_declare_options_init(&options);
	options.file = file;
	options.line = (uint32_t)number;
	options.targets = names;
	options.most = (uint64_t)most;
	if (!read_targets(targets, names, &options.target_count))
		return NULL;
	PyObject *list = PyList_New(0);
	if (!list)
		return NULL;
	neso_status status = neso_kernel_declared(kernel, line, &options, add_variant, list, &diagnostics);
	if (status != NESO_OK)
		host_fail(status, diagnostics, self);
	if (PyErr_Occurred())
		Py_CLEAR(list);
	return list;
}

PyObject *declare_variants(PyObject *self, PyObject *args)
{
	const Kernel *k = (Kernel *)self;
	const char *line, *file;
	int number;
	Py_ssize_t most;
	PyObject *targets;
	if (!PyArg_ParseTuple(args, "ssiOn", &line, &file, &number, &targets, &most))
		return NULL;
	if (!k->kernel) {
		PyErr_SetString(PyExc_RuntimeError, "the kernel was not loaded");
		return NULL;
	}
	return expand(k->kernel, self, line, file, number, targets, most);
}

/* ---- one variant ---- */

PyObject *declare_load(PyObject *self, PyObject *unused)
{
	const Variant *v = (Variant *)self;
	neso_diagnostics *diagnostics;
	neso_status status;
	(void)unused;
	if (!variant_usable(v))
		return NULL;
	Py_BEGIN_ALLOW_THREADS
	status = neso_variant_load(v->variant, &diagnostics);
	Py_END_ALLOW_THREADS
	if (status != NESO_OK)
		return host_fail(status, diagnostics, NULL);
	neso_diagnostics_free(diagnostics);
	Py_RETURN_NONE;
}

PyObject *declare_line(PyObject *self, PyObject *unused)
{
	const Variant *v = (Variant *)self;
	char *text = NULL;
	(void)unused;
	if (!variant_usable(v))
		return NULL;
	neso_variant_declaration(v->variant, &text, NULL);
	PyObject *line = text ? PyUnicode_FromString(text) : Py_NewRef(Py_None);
	neso_text_free(text);
	return line;
}

/* ---- the process ---- */

static PyObject *record(PyObject *self, PyObject *file)
{
	(void)self;
	const char *path = file == Py_None ? NULL : PyUnicode_AsUTF8AndSize(file, NULL);
	neso_context *context = PyErr_Occurred() ? NULL : host_context();
	neso_diagnostics *diagnostics;
	neso_status status;
	if (!context)
		return NULL;
	Py_BEGIN_ALLOW_THREADS
	status = neso_context_record(context, path, &diagnostics);
	Py_END_ALLOW_THREADS
	if (status == NESO_OK) {
		neso_diagnostics_free(diagnostics);
		Py_RETURN_NONE;
	}
	PyErr_Format(PyExc_OSError, "%s", neso_diagnostics_text(diagnostics));
	neso_diagnostics_free(diagnostics);
	return NULL;
}

static PyObject *explain(PyObject *self, PyObject *format)
{
	(void)self;
	const char *name = PyUnicode_AsUTF8AndSize(format, NULL);
	neso_context *context = name ? host_context() : NULL;
	neso_diagnostics *diagnostics;
	neso_status status;
	char *text;
	if (!context)
		return NULL;
	Py_BEGIN_ALLOW_THREADS
	status = neso_context_explain(context, name, &text, &diagnostics);
	Py_END_ALLOW_THREADS
	return host_text(status, text, diagnostics, NULL);
}

/* The target that the current GPU runs, or None. */
static PyObject *here(PyObject *self, PyObject *unused)
{
	neso_context *context = device_any() ? host_context() : NULL;
	neso_gpu gpu = {.size = sizeof gpu};
	uint32_t index = 0;
	(void)self;
	(void)unused;
	if (PyErr_Occurred())
		return NULL;
	if (context && (neso_gpu_current(context, &index, NULL) != NESO_OK ||
			neso_gpu_get(context, index, &gpu, NULL) != NESO_OK))
		gpu.target = NULL;
	return Py_BuildValue("z", gpu.target);
}

static PyMethodDef methods[] = {
	{"declarations", declarations, METH_VARARGS, "The lines of a file of declarations."},
	{"record", record, METH_O, "Launches become declarations in this file; None: no more."},
	{"explain", explain, METH_O, "What was compiled and launched: text, json or prometheus."},
	{"here", here, METH_NOARGS, "The target that the current GPU runs, or None."},
	{0},
};

bool declare_add(PyObject *module)
{
	return PyModule_AddFunctions(module, methods) == 0;
}
