/* The process's context, the library's callbacks into Python, and errors on their way out. */
#include "native.h"

#include <stdlib.h>

enum { LOG_NOTICE = -1 }; /* beside neso_log_level: told once (runtime/host.py) */

Host host;
unsigned host_generation = 1;

static neso_context *context;

/* The last answer of a resolver lives until this thread's next question. */
static _Thread_local PyObject *last_answer;
typedef struct Pending {
	PyObject *type, *value, *trace;
} Pending;
static _Thread_local Pending pending; /* of a callback on this thread */
static _Thread_local PyObject *stops; /* a list, or NULL */
static Pending print_pending;         /* of output, which comes from any thread: whoever launches next looks at it */

/* ---- callbacks ---- */

static void keep_error(Pending *p)
{
	PyObject *type, *value, *trace;
	PyErr_Fetch(&type, &value, &trace);
	if (p->type) {
		Py_XDECREF(type);
		Py_XDECREF(value);
		Py_XDECREF(trace);
		return;
	}
	*p = (Pending){type, value, trace};
}

void host_keep_error(void)
{
	if (PyErr_Occurred())
		keep_error(&pending);
}

bool host_take_error(void)
{
	Pending *p = pending.type ? &pending : &print_pending;
	if (!p->type)
		return false;
	Pending taken = *p;
	*p = (Pending){0};
	PyErr_Restore(taken.type, taken.value, taken.trace);
	return true;
}

/* Called without the lock. */
bool host_poll(void *unused)
{
	(void)unused;
	PyGILState_STATE state = PyGILState_Ensure();
	if (!pending.type && !print_pending.type && PyErr_CheckSignals() < 0)
		keep_error(&pending);
	bool go_on = !pending.type && !print_pending.type && (!stops || PyList_Size(stops) == 0);
	PyGILState_Release(state);
	return go_on;
}

PyObject *host_stop_when(PyObject *self, PyObject *list)
{
	PyObject *old = stops;
	(void)self;
	stops = PyList_Check(list) ? Py_NewRef(list) : NULL;
	Py_XDECREF(old);
	Py_RETURN_NONE;
}

static bool read_answer(PyObject *answer, neso_value *value)
{
	if (answer == Py_None)
		return false;
	if (PyUnicode_Check(answer)) {
		value->kind = NESO_VALUE_EXPR;
		value->text = PyUnicode_AsUTF8AndSize(answer, NULL);
		return value->text != NULL;
	}
	Py_ssize_t parts = PyTuple_Check(answer) ? PyTuple_Size(answer) : 0;
	if (parts == 2) {
		value->kind = NESO_VALUE_NAMESPACE;
		value->text = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(answer, 1), NULL);
		return value->text != NULL;
	}
	if (parts != 3) {
		PyErr_SetString(PyExc_TypeError, "a resolver gives None, text, (\"space\", name) or (path, source, name)");
		return false;
	}
	value->kind = NESO_VALUE_FUNCTION;
	value->path = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(answer, 0), NULL);
	value->source = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(answer, 1), NULL);
	value->text = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(answer, 2), NULL);
	return value->path && value->source && value->text;
}

/* Called without the lock. */
static bool on_resolve(void *data, const neso_name_request *request, neso_value *value)
{
	(void)data;
	PyGILState_STATE state = PyGILState_Ensure();
	bool known = false;
	if (!pending.type) {
		PyObject *answer = PyObject_CallFunction(host.resolve, "sss", request->path, request->function,
							 request->name);
		if (answer)
			known = read_answer(answer, value);
		if (PyErr_Occurred())
			keep_error(&pending);
		Py_XDECREF(last_answer);
		last_answer = answer;
	}
	PyGILState_Release(state);
	return known;
}

/* Called without the lock, from any thread. */
static void on_log(void *data, neso_log_level level, const char *text)
{
	(void)data;
	PyGILState_STATE state = PyGILState_Ensure();
	if (!print_pending.type) { /* after an exception the launch is about to end: nobody wants more */
		PyObject *done = PyObject_CallFunction(host.print, "is", (int)level, text);
		if (!done)
			keep_error(&print_pending);
		Py_XDECREF(done);
	}
	PyGILState_Release(state);
}

/* Called without the lock. Memory that set_allocator's allocator gives; where nobody set one, the library has its own. */
static uint64_t on_scratch(void *data, size_t bytes, size_t align, void *stream)
{
	(void)data;
	PyGILState_STATE state = PyGILState_Ensure();
	uint64_t address = 0;
	PyObject *given = PyObject_CallFunction(host.allocate, "KKK", (unsigned long long)bytes, (unsigned long long)align,
						(unsigned long long)(uintptr_t)stream);
	if (given == Py_None)
		address = NESO_SCRATCH_OWN;
	else if (given)
		address = PyLong_AsUnsignedLongLong(given);
	Py_XDECREF(given);
	if (PyErr_Occurred()) {
		keep_error(&pending);
		address = 0;
	}
	PyGILState_Release(state);
	return address;
}

/* ---- the context ---- */

/* sys.path, with ":" between: one of its folders may have ptxas as a package. NULL: none, or no memory for
 * it. */
static char *package_folders(void)
{
	PyObject *path = PySys_GetObject("path"), *colon = PyUnicode_FromString(":");
	PyObject *kept = PyList_New(0), *joined = NULL;
	for (Py_ssize_t i = 0; kept && path && PyList_Check(path) && i < PyList_Size(path); i++) {
		PyObject *folder = PyList_GetItem(path, i);
		if (PyUnicode_Check(folder) && PyUnicode_GetLength(folder) > 0)
			PyList_Append(kept, folder);
	}
	if (colon && kept)
		joined = PyUnicode_Join(colon, kept);
	PyObject *bytes = joined ? PyUnicode_EncodeFSDefault(joined) : NULL;
	const char *text = bytes ? PyBytes_AsString(bytes) : NULL;
	char *copy = text ? strdup(text) : NULL;
	PyErr_Clear();
	Py_XDECREF(colon);
	Py_XDECREF(kept);
	Py_XDECREF(joined);
	Py_XDECREF(bytes);
	return copy;
}

/* What is wrong with settings. Names that are unknown the package tells itself. */
static void tell_warnings(const neso_diagnostics *diagnostics)
{
	for (size_t i = 0; host.print && i < neso_diagnostics_count(diagnostics); i++) {
		const neso_diagnostic *d = neso_diagnostics_get(diagnostics, i);
		if (strcmp(d->code, "SETTING_UNKNOWN") == 0)
			continue;
		PyObject *told = PyObject_CallFunction(host.print, "is", LOG_NOTICE, d->text);
		if (!told)
			PyErr_WriteUnraisable(host.print);
		Py_XDECREF(told);
	}
}

neso_context *host_context(void)
{
	if (context)
		return context;
	char *packages = package_folders();
	neso_context_options options = {
		.size = sizeof options,
		.log = on_log,
		.resolve = on_resolve,
		.scratch = on_scratch,
		.keeper = &host_keeper,
		.packages = packages,
	};
	neso_diagnostics *diagnostics = NULL;
	neso_status status = neso_context_new(&options, &context, &diagnostics);
	free(packages);
	if (status != NESO_OK) {
		context = NULL;
		host_fail(status, diagnostics, NULL);
		return NULL;
	}
	tell_warnings(diagnostics);
	neso_diagnostics_free(diagnostics);
	return context;
}

/* In the child of a fork the threads of the old context are gone: it is left behind. */
static PyObject *forked(PyObject *self, PyObject *unused)
{
	(void)self;
	(void)unused;
	context = NULL;
	host_generation++;
	Py_RETURN_NONE;
}

/* ---- errors ---- */

static PyObject *describe(const neso_diagnostic *d)
{
	PyObject *notes = PyList_New(0);
	for (size_t i = 0; notes && i < d->note_count; i++) {
		PyObject *note = describe(d->notes[i]);
		if (!note || PyList_Append(notes, note) < 0)
			Py_CLEAR(notes);
		Py_XDECREF(note);
	}
	if (!notes)
		return NULL;
	return Py_BuildValue("(isszIIIIzN)", (int)d->severity, d->code, d->text, d->path, d->line, d->column, d->end_line,
			     d->end_column, d->source_line, notes);
}

/* All of them: a new list. */
static PyObject *describe_all(const neso_diagnostics *diagnostics)
{
	PyObject *list = PyList_New(0);
	for (size_t i = 0; list && i < neso_diagnostics_count(diagnostics); i++) {
		PyObject *item = describe(neso_diagnostics_get(diagnostics, i));
		if (!item || PyList_Append(list, item) < 0)
			Py_CLEAR(list);
		Py_XDECREF(item);
	}
	return list;
}

void host_raise_different(PyObject *text, neso_diagnostics *diagnostics)
{
	PyObject *list = describe_all(diagnostics);
	PyObject *done = list ? PyObject_CallFunctionObjArgs(host.different, text, list, NULL) : NULL;
	neso_diagnostics_free(diagnostics);
	Py_XDECREF(done);
	Py_XDECREF(list);
}

PyObject *host_fail(neso_status status, neso_diagnostics *diagnostics, PyObject *kernel)
{
	if (host_take_error()) {
		neso_diagnostics_free(diagnostics);
		return NULL;
	}
	PyObject *list = describe_all(diagnostics), *text = NULL, *done = NULL;
	if (list)
		text = PyUnicode_FromString(diagnostics ? neso_diagnostics_text(diagnostics) : neso_status_text(status));
	neso_diagnostics_free(diagnostics);
	if (text)
		done = PyObject_CallFunction(host.fail, "iOOO", (int)status, list, text, kernel ? kernel : Py_None);
	if (text && !PyErr_Occurred())
		PyErr_SetString(PyExc_RuntimeError, neso_status_text(status));
	Py_XDECREF(done);
	Py_XDECREF(text);
	Py_XDECREF(list);
	return NULL;
}

PyObject *host_text(neso_status status, char *text, neso_diagnostics *diagnostics, PyObject *kernel)
{
	if (status != NESO_OK)
		return host_fail(status, diagnostics, kernel);
	neso_diagnostics_free(diagnostics);
	PyObject *result = PyUnicode_FromString(text);
	neso_text_free(text);
	return result;
}

/* ---- functions of the module ---- */

static PyObject *setup(PyObject *self, PyObject *args, PyObject *kwargs)
{
	(void)self;
	const struct {
		const char *name;
		PyObject **at;
	} rows[] = {
		{"resolve", &host.resolve},       {"fail", &host.fail},         {"expression", &host.expression},
		{"import_array", &host.import_array}, {"print", &host.print},   {"compiled", &host.compiled},
		{"descriptor", &host.descriptor}, {"constexpr", &host.constexpr_type}, {"slow", &host.slow},
		{"hooks", &host.hooks},           {"mappings", &host.mappings}, {"wrapper", &host.wrapper},
		{"lasting", &host.lasting},       {"environment", &host.environment}, {"mixed", &host.mixed},
		{"stream", &host.stream},         {"allocate", &host.allocate}, {"kept", &host.kept},
		{"warn", &host.warn},             {"nearest", &host.nearest},     {"differ", &host.differ},
		{"different", &host.different},   {"settings", &host.settings},
		{"memory", &host.memory},
	};
	if (PyTuple_Size(args) != 0 || !kwargs) {
		PyErr_SetString(PyExc_TypeError, "setup() takes keywords");
		return NULL;
	}
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		PyObject *given = PyDict_GetItemString(kwargs, rows[i].name), *old = *rows[i].at;
		if (!given) {
			PyErr_Format(PyExc_TypeError, "setup() lacks '%s'", rows[i].name);
			return NULL;
		}
		Py_INCREF(given);
		*rows[i].at = given;
		Py_XDECREF(old);
	}
	Py_RETURN_NONE;
}

static PyObject *version(PyObject *self, PyObject *unused)
{
	(void)self;
	(void)unused;
	return PyUnicode_FromString(neso_version());
}

static PyObject *info(PyObject *self, PyObject *name)
{
	(void)self;
	const char *text = PyUnicode_AsUTF8AndSize(name, NULL);
	neso_context *c = text ? host_context() : NULL;
	if (!c)
		return NULL;
	return Py_BuildValue("z", neso_context_info(c, text));
}

static void add_name(void *data, neso_name_group group, const char *name)
{
	PyObject **lists = data, *text = lists[group] ? PyUnicode_FromString(name) : NULL;
	if (!text || PyList_Append(lists[group], text) < 0)
		Py_CLEAR(lists[group]);
	Py_XDECREF(text);
}

/* names(text of a function) -> lists of neso_name_group's names; None: there is something in it that kernels cannot have */
static PyObject *names(PyObject *self, PyObject *text)
{
	(void)self;
	Py_ssize_t len;
	const char *bytes = PyUnicode_AsUTF8AndSize(text, &len);
	if (!bytes)
		return NULL;
	PyObject *lists[] = {PyList_New(0), PyList_New(0), PyList_New(0), PyList_New(0), PyList_New(0)}, *found = NULL;
	_Static_assert(sizeof lists / sizeof *lists == NESO_NAMES_DEFAULTS + 1, "one for each group");
	neso_status status = neso_names(bytes, (size_t)len, add_name, lists);
	if (status == NESO_OK && lists[0] && lists[1] && lists[2] && lists[3] && lists[4])
		found = Py_BuildValue("(OOOOO)", lists[0], lists[1], lists[2], lists[3], lists[4]);
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
		Py_XDECREF(lists[i]);
	if (found || PyErr_Occurred())
		return found;
	Py_RETURN_NONE;
}

static void add_setting(void *data, const neso_setting *s)
{
	PyObject **list = data;
	PyObject *row = *list ? Py_BuildValue("(ssszzi)", s->name, s->type, s->variable, s->other_variable, s->preset, s->in_key)
			      : NULL;
	if (!row || PyList_Append(*list, row) < 0)
		Py_CLEAR(*list);
	Py_XDECREF(row);
}

/* settings() -> list of (name, type, variable, other variable, preset, is it in the key) */
static PyObject *settings(PyObject *self, PyObject *unused)
{
	(void)self;
	(void)unused;
	PyObject *list = PyList_New(0);
	neso_settings(add_setting, &list);
	return list;
}

/* setting_known(variable) -> True, or the nearest name, or None */
static PyObject *setting_known(PyObject *self, PyObject *variable)
{
	(void)self;
	const char *nearest, *name = PyUnicode_AsUTF8AndSize(variable, NULL);
	if (!name)
		return NULL;
	if (neso_setting_known(name, &nearest))
		Py_RETURN_TRUE;
	return Py_BuildValue("z", nearest);
}

static PyMethodDef methods[] = {
	{"settings", settings, METH_NOARGS, "The table of settings."},
	{"setting_known", setting_known, METH_O,
	 "Does a variable mean something? Else the nearest that does, or None."},
	{"names", names, METH_O, "The names in the text of a function, or None."},
	{"rules", read_rules, METH_O,
	 "What a launch concludes from an integer, or an address: (type, divisible by 16, a constant)."},
	{"setup", (PyCFunction)(void (*)(void))setup, METH_VARARGS | METH_KEYWORDS,
	 "Gives the extension its callbacks."},
	{"forked", forked, METH_NOARGS, "To be called in the child of a fork."},
	{"stop_when", host_stop_when, METH_O, "A list: with items in it, what this thread compiles stops."},
	{"version", version, METH_NOARGS, "Version of the library."},
	{"info", info, METH_O, "A fact about library and machine, or None."},
	{0},
};

bool host_add(PyObject *module)
{
	return PyModule_AddFunctions(module, methods) == 0;
}

static struct PyModuleDef definition = {
	PyModuleDef_HEAD_INIT, "neso._native", "Kernels, launches and the library's callbacks.", -1, NULL, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__native(void);
PyMODINIT_FUNC PyInit__native(void)
{
	if (neso_abi_version() != NESO_ABI_VERSION)
		return PyErr_Format(PyExc_ImportError, "this extension wants a libneso of ABI version %u, and the one that is loaded has %u",
				    (unsigned)NESO_ABI_VERSION, (unsigned)neso_abi_version());
	PyObject *module = PyModule_Create(&definition);
	if (module && host_add(module) && remote_add(module) && library_add(module) && ir_add(module) && tune_add(module) && kernel_add(module) &&
	    device_add(module) && declare_add(module) && read_setup() && gpu_setup())
		return module;
	Py_XDECREF(module);
	return NULL;
}
