/* What a simulated launch is told to look for besides neso_check: neso_watch, neso_unwritten, and
 * neso_against, which runs the interpreter on the same memory first and compares. */
#include "native.h"

#include <stdlib.h>

/* ---- words ---- */

/* Words of a string ("nan, coverage") or of a sequence of strings: a new list. */
static PyObject *words_of(PyObject *given, const char *option)
{
	PyObject *words = NULL;
	if (PyUnicode_Check(given)) {
		PyObject *spaces = PyObject_CallMethod(given, "replace", "ss", ",", " ");
		words = spaces ? PyUnicode_Split(spaces, NULL, -1) : NULL;
		Py_XDECREF(spaces);
	} else {
		words = PySequence_List(given);
	}
	for (Py_ssize_t i = 0; words && i < PyList_Size(words); i++) {
		if (PyUnicode_Check(PyList_GetItem(words, i)))
			continue;
		PyErr_Format(PyExc_TypeError, "%s takes names, not %R", option, PyList_GetItem(words, i));
		Py_CLEAR(words);
	}
	return words;
}

bool checks_watch(PyObject *given, uint32_t *out)
{
	static const struct {
		const char *word;
		uint32_t bit;
	} of[] = {{"nan", NESO_WATCH_NAN},
		  {"coverage", NESO_WATCH_COVERAGE},
		  {"traffic", NESO_WATCH_TRAFFIC}};
	if (!given || given == Py_None)
		return true;
	PyObject *words = words_of(given, "neso_watch");
	*out = 0;
	for (Py_ssize_t i = 0; words && i < PyList_Size(words); i++) {
		uint32_t bit = 0;
		for (size_t k = 0; k < sizeof of / sizeof *of; k++)
			if (PyUnicode_CompareWithASCIIString(PyList_GetItem(words, i), of[k].word) == 0)
				bit = of[k].bit;
		*out |= bit;
		if (!bit) {
			PyErr_Format(PyExc_ValueError,
				     "neso_watch is of 'nan', 'coverage' and 'traffic', not %R",
				     PyList_GetItem(words, i));
			Py_CLEAR(words);
		}
	}
	Py_XDECREF(words);
	return words != NULL;
}

static Py_ssize_t param_of(const Kernel *k, PyObject *word)
{
	for (Py_ssize_t i = 0; i < k->param_count; i++)
		if (PyUnicode_Compare(k->params[i].name, word) == 0)
			return i;
	return -1;
}

bool checks_unwritten(Launch *l)
{
	PyObject *given = l->call.options[OPT_UNWRITTEN];
	if (!given || given == Py_None)
		return true;
	PyObject *words = words_of(given, "neso_unwritten");
	for (Py_ssize_t i = 0; words && i < PyList_Size(words); i++) {
		Py_ssize_t at = param_of(l->kernel, PyList_GetItem(words, i));
		neso_arg *arg = at < 0 ? NULL : &l->args[at];
		if (arg && arg->kind != NESO_ARG_VALUE && arg->access != NESO_READ) {
			arg->access = NESO_UNWRITTEN;
			continue;
		}
		PyErr_Format(PyExc_ValueError,
			     "neso_unwritten: %R is no parameter with an array that may be written",
			     PyList_GetItem(words, i));
		Py_CLEAR(words);
	}
	Py_XDECREF(words);
	return words != NULL;
}

/* ---- against the interpreter ---- */

/* Each array's bytes as the launch found them, and as the interpreter left them. */
typedef struct Saved {
	PyObject *before, *wanted;
} Saved;

static void *begin_of(const neso_arg *arg)
{
	return arg->buffer ? arg->buffer : arg->address;
}

static bool is_array(const neso_arg *arg)
{
	return arg->kind != NESO_ARG_VALUE && arg->bytes;
}

static PyObject *bytes_of(const neso_arg *arg)
{
	return PyBytes_FromStringAndSize(begin_of(arg), (Py_ssize_t)arg->bytes);
}

static void put_back(const Launch *l, const Saved *saved)
{
	for (size_t i = 0; i < l->launch.arg_count; i++)
		if (saved[i].before && l->args[i].access != NESO_READ)
			memcpy(begin_of(&l->args[i]), PyBytes_AsString(saved[i].before), l->args[i].bytes);
}

/* The memory is as it was before; what the interpreter made of it is in `saved`. */
static bool run_interpreter(Launch *l, Saved *saved)
{
	neso_compile_options plain = l->options;
	neso_launch launch = l->launch;
	neso_diagnostics *diagnostics = NULL;
	neso_status status;
	plain.target = NULL;
	launch.options = &plain;
	launch.check = false;
	launch.schedules = launch.watch = 0;
	for (size_t i = 0; i < launch.arg_count; i++)
		if (is_array(&l->args[i]) && !(saved[i].before = bytes_of(&l->args[i])))
			return false;
	Py_BEGIN_ALLOW_THREADS
	status = neso_kernel_launch(l->kernel->kernel, &launch, NULL, &diagnostics);
	Py_END_ALLOW_THREADS
	bool good = status == NESO_OK;
	for (size_t i = 0; i < launch.arg_count && good; i++)
		good = !saved[i].before || (saved[i].wanted = bytes_of(&l->args[i]));
	put_back(l, saved);
	if (status != NESO_OK)
		host_fail(status, diagnostics, (PyObject *)l->kernel);
	else
		neso_diagnostics_free(diagnostics);
	return good;
}

/* Runs it again, watching who writes the byte, and raises. */
static void tell(Launch *l, const Saved *saved, neso_variant *variant, const void *byte, PyObject *text)
{
	neso_launch launch = l->launch;
	neso_diagnostics *diagnostics = NULL;
	put_back(l, saved);
	launch.check = true;
	launch.schedules = launch.watch = 0;
	launch.whose = byte;
	Py_BEGIN_ALLOW_THREADS
	neso_variant_launch(variant, &launch, NULL, &diagnostics);
	Py_END_ALLOW_THREADS
	host_raise_different(text, diagnostics);
}

/* 1: it is as the interpreter's; 0: it is not, and that is raised; -1: another exception. */
static int compare(Launch *l, const Saved *saved, neso_variant *variant, size_t i)
{
	const neso_arg *arg = &l->args[i];
	PyObject *wanted = saved[i].wanted;
	if (!wanted || memcmp(begin_of(arg), PyBytes_AsString(wanted), arg->bytes) == 0)
		return 1;
	PyObject *got = bytes_of(arg);
	PyObject *atol = l->call.options[OPT_ATOL], *rtol = l->call.options[OPT_RTOL];
	PyObject *found = NULL;
	if (got)
		found = PyObject_CallFunction(host.differ, "OsOOOO", l->kernel->params[i].name,
					      neso_dtype_name(arg->dtype), wanted, got,
					      atol ? atol : Py_None, rtol ? rtol : Py_None);
	int same = !found ? -1 : found == Py_None;
	if (same == 0) {
		Py_ssize_t offset = PyLong_AsSsize_t(PyTuple_GetItem(found, 0));
		tell(l, saved, variant, (char *)begin_of(arg) + offset, PyTuple_GetItem(found, 1));
	}
	Py_XDECREF(found);
	Py_XDECREF(got);
	return same;
}

bool checks_wants_against(const Launch *l)
{
	PyObject *given = l->call.options[OPT_AGAINST];
	return given && given != Py_None;
}

bool checks_against(Launch *l, PyObject *compiled, bool (*execute)(Launch *, PyObject *))
{
	PyObject *given = l->call.options[OPT_AGAINST];
	if (!PyUnicode_Check(given) || PyUnicode_CompareWithASCIIString(given, "interp") != 0) {
		PyErr_Format(PyExc_ValueError, "neso_against is 'interp', not %R", given);
		return false;
	}
	Saved *saved = calloc(l->launch.arg_count + 1, sizeof *saved);
	if (!saved)
		return PyErr_NoMemory() != NULL;
	bool good = run_interpreter(l, saved) && execute(l, compiled);
	for (size_t i = 0; i < l->launch.arg_count && good; i++)
		good = compare(l, saved, ((Variant *)compiled)->variant, i) == 1;
	for (size_t i = 0; i < l->launch.arg_count; i++) {
		Py_XDECREF(saved[i].before);
		Py_XDECREF(saved[i].wanted);
	}
	free(saved);
	return good;
}
