/* Tuning: the library's race with functions of Python's, and files of choices. */
#include "native.h"

#include <neso/tune.h>

/* ---- the race ---- */

typedef struct Racing {
	PyObject *measure; /* (candidate) -> seconds, or why it is passed over */
	PyObject *progress; /* (candidate, done, all), or None */
	PyObject *now; /* () -> seconds, or None */
	bool failed; /* an exception is set */
} Racing;

static neso_tune_answer measure(void *data, size_t candidate, double *seconds,
				char why[NESO_TUNE_WHY])
{
	Racing *r = data;
	PyObject *result =
		r->failed ? NULL : PyObject_CallFunction(r->measure, "n", (Py_ssize_t)candidate);
	neso_tune_answer answer = NESO_TUNE_END;
	if (result && PyUnicode_Check(result)) {
		const char *text = PyUnicode_AsUTF8AndSize(result, NULL);
		if (text) {
			size_t len = strlen(text);
			len = len < NESO_TUNE_WHY ? len : NESO_TUNE_WHY - 1;
			memcpy(why, text, len);
			why[len] = '\0';
			answer = NESO_TUNE_PASS;
		}
	} else if (result) {
		*seconds = PyFloat_AsDouble(result);
		answer = PyErr_Occurred() ? NESO_TUNE_END : NESO_TUNE_GOOD;
	}
	Py_XDECREF(result);
	r->failed |= answer == NESO_TUNE_END;
	return answer;
}

static void progress(void *data, size_t candidate, size_t done, size_t all)
{
	Racing *r = data;
	PyObject *result =
		r->failed ? NULL
			  : PyObject_CallFunction(r->progress, "nnn", (Py_ssize_t)candidate,
						  (Py_ssize_t)done, (Py_ssize_t)all);
	r->failed |= !result;
	Py_XDECREF(result);
}

static double now(void *data)
{
	Racing *r = data;
	PyObject *result = r->failed ? NULL : PyObject_CallNoArgs(r->now);
	double seconds = result ? PyFloat_AsDouble(result) : 0;
	Py_XDECREF(result);
	r->failed |= PyErr_Occurred() != NULL;
	return seconds;
}

static PyObject *row_of(const neso_tuning *tuning, size_t i)
{
	neso_tune_candidate c = {.size = sizeof c};
	neso_tuning_get(tuning, i, &c);
	return Py_BuildValue("(szIdddd)", neso_tune_state_text(c.state), c.why, c.runs, c.seconds,
			     c.noise, c.low, c.high);
}

static PyObject *result_of(const neso_tuning *tuning)
{
	neso_tune_summary s = {.size = sizeof s};
	neso_tuning_get_summary(tuning, &s);
	PyObject *rows = PyList_New((Py_ssize_t)s.count);
	for (size_t i = 0; rows && i < s.count; i++) {
		PyObject *row = row_of(tuning, i);
		if (!row || PyList_SetItem(rows, (Py_ssize_t)i, row) < 0)
			Py_CLEAR(rows);
	}
	if (!rows)
		return NULL;
	return Py_BuildValue("{s:n,s:O,s:O,s:I,s:d,s:d,s:d,s:N}", "chosen",
			     s.chosen == s.count ? (Py_ssize_t)-1 : (Py_ssize_t)s.chosen, "settled",
			     s.settled ? Py_True : Py_False, "out_of_time",
			     s.out_of_time ? Py_True : Py_False, "rounds", s.rounds, "seconds",
			     s.seconds, "noise", s.noise, "confidence", s.confidence, "candidates",
			     rows);
}

static PyObject *tune_race(PyObject *self, PyObject *args, PyObject *kwargs)
{
	(void)self;
	static char *words[] = {"count",      "measure",    "progress",	  "now",
				"budget",     "confidence", "tie",	  "hopeless",
				"resolution", "rounds_min", "rounds_max", NULL};
	Racing r = {.progress = Py_None, .now = Py_None};
	Py_ssize_t count;
	neso_tune_options options;
	neso_tune_options_init(&options);
	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "nO|OOdddddII", words, &count, &r.measure,
					 &r.progress, &r.now, &options.budget, &options.confidence,
					 &options.tie, &options.hopeless, &options.resolution,
					 &options.rounds_min, &options.rounds_max))
		return NULL;
	const neso_tune_hooks hooks = {.size = sizeof hooks, .data = &r, .measure = measure};
	options.data = &r;
	options.progress = r.progress != Py_None ? progress : NULL;
	options.now = r.now != Py_None ? now : NULL;
	neso_tuning *tuning;
	neso_diagnostics *diagnostics;
	neso_status status = neso_tune_race(count > 0 ? (size_t)count : 0, &hooks, &options,
					    &tuning, &diagnostics);
	if (status != NESO_OK)
		return host_fail(status, diagnostics, NULL);
	neso_diagnostics_free(diagnostics);
	PyObject *result = r.failed ? NULL : result_of(tuning);
	neso_tuning_free(tuning);
	return result;
}

/* ---- files of choices ---- */

static const char capsule_name[] = "neso.tuned";

static void free_tuned(PyObject *capsule)
{
	neso_tuned_free(PyCapsule_GetPointer(capsule, capsule_name));
}

static PyObject *tuned_read(PyObject *self, PyObject *args)
{
	(void)self;
	PyObject *path;
	neso_tuned *tuned;
	neso_diagnostics *diagnostics = NULL;
	if (!PyArg_ParseTuple(args, "O&", PyUnicode_FSConverter, &path))
		return NULL;
	neso_status status = neso_tuned_new(&tuned, &diagnostics);
	if (status == NESO_OK)
		status = neso_tuned_read(tuned, PyBytes_AsString(path), &diagnostics);
	Py_DECREF(path);
	if (status != NESO_OK) {
		neso_tuned_free(tuned);
		return host_fail(status, diagnostics, NULL);
	}
	PyObject *capsule = PyCapsule_New(tuned, capsule_name, free_tuned);
	if (!capsule)
		neso_tuned_free(tuned);
	return capsule;
}

static PyObject *tuned_find(PyObject *self, PyObject *args)
{
	(void)self;
	PyObject *capsule;
	int any_driver;
	neso_tuned_entry e = {.size = sizeof e};
	if (!PyArg_ParseTuple(args, "O(sssss)p", &capsule, &e.kernel, &e.content, &e.gpu, &e.driver,
			      &e.key, &any_driver))
		return NULL;
	const neso_tuned *tuned = PyCapsule_GetPointer(capsule, capsule_name);
	if (!tuned)
		return NULL;
	if (!neso_tuned_find(tuned, &e, any_driver))
		Py_RETURN_NONE;
	return Py_BuildValue("(ssdd)", e.config, e.driver, e.seconds, e.noise);
}

static PyObject *tuned_record(PyObject *self, PyObject *args)
{
	(void)self;
	PyObject *path;
	neso_tuned_entry e = {.size = sizeof e};
	neso_diagnostics *diagnostics;
	if (!PyArg_ParseTuple(args, "O&(sssss)sddI", PyUnicode_FSConverter, &path, &e.kernel,
			      &e.content, &e.gpu, &e.driver, &e.key, &e.config, &e.seconds,
			      &e.noise, &e.tried))
		return NULL;
	neso_status status;
	Py_BEGIN_ALLOW_THREADS status = neso_tuned_record(PyBytes_AsString(path), &e, &diagnostics);
	Py_END_ALLOW_THREADS Py_DECREF(path);
	if (status != NESO_OK)
		return host_fail(status, diagnostics, NULL);
	neso_diagnostics_free(diagnostics);
	Py_RETURN_NONE;
}

/* What the compile cache has. any_driver: else of another driver, the newest. */
static PyObject *tuned_kept(PyObject *self, PyObject *args)
{
	(void)self;
	int any_driver;
	neso_tuned_entry e = {.size = sizeof e};
	neso_tuned *tuned = NULL;
	PyObject *result = NULL;
	if (!PyArg_ParseTuple(args, "(sssss)p", &e.kernel, &e.content, &e.gpu, &e.driver, &e.key,
			      &any_driver))
		return NULL;
	neso_context *context = host_context();
	if (!context || neso_tuned_new(&tuned, NULL) != NESO_OK)
		return PyErr_Occurred() ? NULL : PyErr_NoMemory();
	neso_tuned_read_kept(tuned, context, &e, NULL);
	bool found = neso_tuned_find(tuned, &e, false);
	if (!found && any_driver) {
		neso_tuned_read_kept(tuned, context, NULL, NULL);
		found = neso_tuned_find(tuned, &e, true);
	}
	result = found ? Py_BuildValue("(ssdd)", e.config, e.driver, e.seconds, e.noise)
		       : Py_NewRef(Py_None);
	neso_tuned_free(tuned);
	return result;
}

static PyObject *tuned_keep(PyObject *self, PyObject *args)
{
	(void)self;
	neso_tuned_entry e = {.size = sizeof e};
	neso_tuned *tuned = NULL;
	if (!PyArg_ParseTuple(args, "(sssss)sddI", &e.kernel, &e.content, &e.gpu, &e.driver, &e.key,
			      &e.config, &e.seconds, &e.noise, &e.tried))
		return NULL;
	neso_context *context = host_context();
	if (!context || neso_tuned_new(&tuned, NULL) != NESO_OK)
		return PyErr_Occurred() ? NULL : PyErr_NoMemory();
	if (neso_tuned_put(tuned, &e, NULL) == NESO_OK)
		neso_tuned_keep(tuned, context, false, NULL);
	neso_tuned_free(tuned);
	Py_RETURN_NONE;
}

static PyObject *tune_machine(PyObject *self, PyObject *args)
{
	(void)self;
	int on_cpu;
	char *gpu, *driver;
	neso_context *context = PyArg_ParseTuple(args, "p", &on_cpu) ? host_context() : NULL;
	neso_diagnostics *diagnostics;
	if (!context)
		return NULL;
	neso_status status = neso_tune_machine(context, on_cpu, &gpu, &driver, &diagnostics);
	if (status != NESO_OK)
		return host_fail(status, diagnostics, NULL);
	neso_diagnostics_free(diagnostics);
	PyObject *result = Py_BuildValue("(ss)", gpu, driver);
	neso_text_free(gpu);
	neso_text_free(driver);
	return result;
}

PyObject *tune_content(PyObject *self, PyObject *unused)
{
	const Kernel *k = (const Kernel *)self;
	char *content;
	neso_diagnostics *diagnostics;
	(void)unused;
	if (!k->kernel) {
		PyErr_SetString(PyExc_RuntimeError, "the kernel was not loaded");
		return NULL;
	}
	neso_status status = neso_tune_content(k->kernel, &content, &diagnostics);
	if (host_take_error()) {
		neso_diagnostics_free(diagnostics);
		neso_text_free(content);
		return NULL;
	}
	return host_text(status, content, diagnostics, self);
}

static PyMethodDef methods[] = {
	{"tune_race", (PyCFunction)(void (*)(void))tune_race, METH_VARARGS | METH_KEYWORDS,
	 "(count, measure, progress=None, now=None, ...) -> dict: which of `count` candidates is "
	 "the fastest."},
	{"tune_machine", tune_machine, METH_VARARGS,
	 "(on_cpu) -> (gpu, driver), as keys of choices have them."},
	{"tuned_read", tuned_read, METH_VARARGS, "(path) -> what tuned_find looks in."},
	{"tuned_find", tuned_find, METH_VARARGS,
	 "(tuned, (kernel, content, gpu, driver, key), any_driver) -> (config, driver, seconds, "
	 "noise) or None."},
	{"tuned_record", tuned_record, METH_VARARGS,
	 "(path, key, config, seconds, noise, tried): puts a choice into a file."},
	{"tuned_kept", tuned_kept, METH_VARARGS,
	 "(key, any_driver) -> as tuned_find, of the compile cache."},
	{"tuned_keep", tuned_keep, METH_VARARGS,
	 "(key, config, seconds, noise, tried): puts a choice into the compile cache."},
	{0},
};

bool tune_add(PyObject *module)
{
	return PyModule_AddFunctions(module, methods) == 0;
}
