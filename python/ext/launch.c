/* Launching: a call is bound, its globals are looked at, and what was found for it (find.c) runs,
 * here by the interpreter. A changed global and launch hooks go through Python. */
#include "native.h"

#include <math.h>
#include <stdlib.h>

static PyObject *word_changed, *word_tuples, *word_kernel, *word_value;

void launch_forget(Kernel *k)
{
	for (int i = 0; i < 2; i++) {
		struct Recent *recent = k->recent[i];
		k->recent[i] = NULL;
		recent_drop(recent);
	}
	PyObject **variants = k->variants;
	size_t variant_count = k->variant_count;
	k->variants = NULL;
	k->variant_count = 0;
	for (size_t i = 0; i < variant_count; i++) {
		records_remove((Variant *)variants[i]);
		Py_DECREF(variants[i]);
	}
	free(variants);
	Watch *watches = k->watches;
	size_t count = k->watch_count;
	k->watches = NULL;
	k->watch_count = 0;
	k->globals_seen = 0;
	for (size_t i = 0; i < count; i++) {
		Py_DECREF(watches[i].owner);
		Py_DECREF(watches[i].name);
		Py_DECREF(watches[i].value);
	}
	free(watches);
	k->kernel = NULL;
	Py_CLEAR(k->module);
}

/* ---- one launch ---- */

/* A new reference; NULL: there is none, or an exception. */
static PyObject *watched(const Watch *w)
{
	if (w->is_dict)
		return Py_XNewRef(PyDict_GetItemWithError(w->owner, w->name));
	PyObject *now = PyObject_GetAttr(w->owner, w->name);
	if (!now)
		PyErr_Clear();
	return now;
}

static bool same_value(PyObject *now, PyObject *was, int depth);

static bool same_items(PyObject *now, PyObject *was, int depth)
{
	Py_ssize_t count = PySequence_Size(was);
	bool same = PySequence_Size(now) == count;
	for (Py_ssize_t i = 0; i < count && same; i++) {
		PyObject *a = PySequence_GetItem(now, i), *b = PySequence_GetItem(was, i);
		same = a && b && same_value(a, b, depth + 1);
		Py_XDECREF(a);
		Py_XDECREF(b);
	}
	return same;
}

static bool same_entries(PyObject *now, PyObject *was, int depth)
{
	PyObject *key, *old;
	Py_ssize_t at = 0;
	bool same = PyDict_Size(now) == PyDict_Size(was);
	while (same && PyDict_Next(was, &at, &key, &old)) {
		PyObject *value = Py_XNewRef(PyDict_GetItemWithError(now, key));
		same = value && same_value(value, old, depth + 1);
		Py_XDECREF(value);
	}
	return same;
}

static bool same_constant(PyObject *now, PyObject *was, int depth)
{
	PyObject *a = PyObject_GetAttr(now, word_value), *b = PyObject_GetAttr(was, word_value);
	bool same = a && b && same_value(a, b, depth + 1);
	Py_XDECREF(a);
	Py_XDECREF(b);
	return same;
}

/* To a kernel: 1, True and 1.0 are three values, 0.0 and -0.0 two, and NaN is one. */
static bool same_value(PyObject *now, PyObject *was, int depth)
{
	enum { DEEPEST = 16 };
	if (Py_TYPE(now) != Py_TYPE(was))
		return false;
	if (PyFloat_CheckExact(was)) {
		double a = PyFloat_AsDouble(now), b = PyFloat_AsDouble(was);
		return a == b ? !signbit(a) == !signbit(b) : a != a && b != b;
	}
	if (depth < DEEPEST && (PyTuple_Check(was) || PyList_CheckExact(was)))
		return same_items(now, was, depth);
	if (depth < DEEPEST && PyDict_CheckExact(was))
		return same_entries(now, was, depth);
	if (depth < DEEPEST && (PyObject *)Py_TYPE(was) == host.constexpr_type)
		return same_constant(now, was, depth);
	return PyObject_RichCompareBool(now, was, Py_EQ) == 1;
}

static bool is_as_it_was(const Watch *w, PyObject *now)
{
	bool same = now && same_value(now, w->value, 0);
	PyErr_Clear();
	return same;
}

/* 1: it is as it was; 0: it changed and the kernel was told; -1: exception. */
static int check_watch(Kernel *k, const Watch *w)
{
	PyObject *now = watched(w), *name = Py_NewRef(w->name), *old = Py_NewRef(w->value), *done = NULL;
	int result = PyErr_Occurred() ? -1 : (now == old && w->is_plain) || is_as_it_was(w, now);
	if (result == 0) { /* which may end the watch */
		done = PyObject_CallMethodObjArgs((PyObject *)k, word_changed, name, old, now ? now : Py_None, NULL);
		result = done ? 0 : -1;
	}
	Py_XDECREF(done);
	Py_XDECREF(now);
	Py_DECREF(name);
	Py_DECREF(old);
	return result;
}

/* 1: all that was read is as it was; 0: something changed and the kernel was told; -1: exception. */
static int check_globals(Kernel *k)
{
	if (k->globals_seen == watch_globals)
		return 1;
	uint64_t seen = watch_globals;
	for (size_t i = 0; i < k->watch_count; i++) {
		const Watch *w = &k->watches[i];
		seen = w->is_told ? seen : 0;
		if (w->is_plain && w->is_dict && PyDict_GetItemWithError(w->owner, w->name) == w->value)
			continue;
		int same = check_watch(k, w);
		if (same != 1)
			return same;
	}
	k->globals_seen = seen;
	return 1;
}

/* What is to be known of a kernel before the CPU runs it is read off its IR. */
static void look_through(Variant *v)
{
	char *text = NULL;
	neso_variant_info info = {.size = sizeof info};
	v->looked = true;
	neso_variant_get_info(v->variant, &info);
	v->on_gpu = strncmp(info.target, "sm_", 3) == 0;
	v->simulated = strncmp(info.target, "sim:", 4) == 0;
	if (v->on_gpu)
		return;
	if (neso_variant_text(v->variant, "ttir", &text, NULL) == NESO_OK) {
		v->makes_pointers = strstr(text, "tt.int_to_ptr") != NULL;
		v->stops = strstr(text, "tt.print \" breakpoint ") != NULL;
	}
	neso_text_free(text);
}

bool launch_warn(const neso_diagnostics *diagnostics)
{
	if (!neso_diagnostics_count(diagnostics))
		return true;
	PyObject *done = PyObject_CallFunction(host.warn, "ss", neso_diagnostics_text(diagnostics),
					       neso_diagnostics_json(diagnostics));
	Py_XDECREF(done);
	return done != NULL;
}

bool launch_hooks(const Launch *l, PyObject *compiled, bool before)
{
	const Kernel *k = l->kernel;
	PyObject *grid = Py_BuildValue("(III)", l->launch.grid[0], l->launch.grid[1], l->launch.grid[2]);
	PyObject *args = before ? call_meta(k, &l->call) : NULL;
	PyObject *stream = PyLong_FromVoidPtr(l->launch.stream), *done = NULL;
	if (grid && stream && (args || !before))
		done = PyObject_CallFunctionObjArgs(host.hooks, (PyObject *)(uintptr_t)k, compiled, grid, stream,
						    args ? args : Py_None, NULL);
	Py_XDECREF(stream);
	Py_XDECREF(args);
	Py_XDECREF(grid);
	Py_XDECREF(done);
	return done != NULL;
}

static bool finish_copies(const Held *held)
{
	Py_ssize_t n = held->finish ? PyList_Size(held->finish) : 0;
	for (Py_ssize_t i = 0; i < n; i++) {
		PyObject *done = PyObject_CallFunctionObjArgs(PyList_GetItem(held->finish, i), NULL);
		if (!done)
			return false;
		Py_DECREF(done);
	}
	return true;
}

/* A kernel that makes pointers of integers may go wherever this process has memory. */
static bool add_mappings(Launch *l, neso_buffer **buffers)
{
	PyObject *list = PyObject_CallFunctionObjArgs(host.mappings, NULL);
	Py_ssize_t count = list ? PyList_Size(list) : -1;
	*buffers = count >= 0 ? calloc((size_t)count + 1, sizeof **buffers) : NULL;
	for (Py_ssize_t i = 0; *buffers && i < count; i++) {
		unsigned long long address, bytes;
		int writable;
		if (!PyArg_ParseTuple(PyList_GetItem(list, i), "KKp", &address, &bytes, &writable)) {
			free(*buffers);
			*buffers = NULL;
			break;
		}
		(*buffers)[i] = (neso_buffer){(void *)(uintptr_t)address, (size_t)bytes,
					      NESO_AMBIENT | (writable ? NESO_READ_WRITE : NESO_READ)};
	}
	Py_XDECREF(list);
	l->launch.buffers = *buffers;
	l->launch.buffer_count = *buffers ? (size_t)count : 0;
	return *buffers != NULL;
}

static bool execute(Launch *l, PyObject *compiled)
{
	Kernel *k = l->kernel;
	Variant *v = (Variant *)compiled;
	neso_buffer *buffers = NULL;
	if (!v->looked)
		look_through(v);
	if (v->makes_pointers && !add_mappings(l, &buffers))
		return false;
	if (v->stops)
		l->launch.threads = 1; /* one program after the other, on the thread that Ctrl-C reaches */
	bool slow = PyList_Size(host.slow) > 0;
	if (slow && !launch_hooks(l, compiled, true)) {
		free(buffers);
		return false;
	}
	neso_diagnostics *diagnostics = NULL;
	neso_status status;
	Py_BEGIN_ALLOW_THREADS
	neso_turn_begin(k->kernel, &l->turn, NULL);
	status = neso_variant_launch(v->variant, &l->launch, NULL, &diagnostics);
	neso_turn_end(k->kernel, &l->turn, &l->launch, status == NESO_OK);
	Py_END_ALLOW_THREADS
	free(buffers);
	bool copied = !l->held.finish || finish_copies(&l->held);
	if (status != NESO_OK) {
		PyErr_Clear();
		host_fail(status, diagnostics, (PyObject *)k);
		return false;
	}
	bool shown = launch_warn(diagnostics);
	neso_diagnostics_free(diagnostics);
	if (!copied || !shown || host_take_error())
		return false;
	return !slow || launch_hooks(l, compiled, false);
}

/* A tuple of arrays: the package launches a kernel that takes its items one by one. */
static PyObject *launch_tuples(Launch *l, PyObject *grid, bool warmup)
{
	Kernel *k = l->kernel;
	PyObject *values = PyTuple_New(k->param_count), *options = call_option_words(&l->call), *result = NULL;
	PyObject *how = l->options.ptx_only ? l->call.options[OPT_WARMUP] : warmup ? Py_True : Py_False;
	for (Py_ssize_t i = 0; values && i < k->param_count; i++) {
		Py_INCREF(l->call.values[i]);
		PyTuple_SetItem(values, i, l->call.values[i]);
	}
	if (values && options)
		result = PyObject_CallMethodObjArgs((PyObject *)k, word_tuples, values, options, grid ? grid : Py_None,
						    how, NULL);
	Py_XDECREF(values);
	Py_XDECREF(options);
	return result;
}

static PyObject *interpret(Launch *l, PyObject *grid, bool warmup)
{
	PyObject *compiled = find_compiled(l);
	if (!compiled || warmup || compiled == Py_None)
		return compiled;
	bool good = call_grid(l->kernel, &l->call, grid, l->launch.grid) &&
		    call_checks(&l->call, &l->options, &l->launch) && checks_unwritten(l);
	if (good && (checks_wants_against(l) ? checks_against(l, compiled, execute) : execute(l, compiled)))
		return compiled;
	Py_DECREF(compiled);
	return NULL;
}

/* Is a run-time argument a tuple? */
static bool has_tuple(const Launch *l)
{
	for (Py_ssize_t i = 0; i < l->kernel->param_count; i++) {
		if (!l->kernel->params[i].is_constexpr && array_type(l->call.values[i])->kind == KIND_TUPLE)
			return true;
	}
	return false;
}

static void drop_foreign(Kernel *k)
{
	if (k->module && ((Module *)k->module)->generation != host_generation)
		launch_forget(k);
}

bool launch_begin(Kernel *k)
{
	drop_foreign(k);
	return check_globals(k) >= 0;
}

/* Binding is done. A new reference to the compiled kernel. */
static PyObject *launch_bound(Launch *l, PyObject *grid, bool warmup)
{
	Kernel *k = l->kernel;
	l->warmup = warmup;
	drop_foreign(k);
	if (!call_options(k, &l->call, &l->options))
		return NULL;
	if (!warmup && (!grid || grid == Py_None)) {
		PyErr_SetString(PyExc_TypeError, "a launch needs a grid: kernel[grid](...)");
		return NULL;
	}
	bool named = l->options.target != NULL;
	int where = !named && !k->ignore_unknown && device_any() ? gpu_look(l) : 0;
	if (where < 0)
		return NULL;
	if (l->held.has_tuple || (!where && has_tuple(l)))
		return launch_tuples(l, grid, warmup);
	if (check_globals(k) < 0)
		return NULL;
	return where ? gpu_launch(l, grid, warmup) : interpret(l, grid, warmup);
}

static bool call_pre_hooks(const Kernel *k, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
	Py_ssize_t hooks = k->pre_hooks ? PyList_Size(k->pre_hooks) : 0;
	if (hooks <= 0)
		return true;
	PyObject *tuple = PyTuple_New(nargs), *dict = PyDict_New();
	bool good = tuple && dict;
	for (Py_ssize_t i = 0; good && i < nargs; i++) {
		Py_INCREF(args[i]);
		PyTuple_SetItem(tuple, i, args[i]);
	}
	for (Py_ssize_t i = 0; good && kwnames && i < PyTuple_Size(kwnames); i++) {
		PyObject *word = PyTuple_GetItem(kwnames, i);
		if (PyUnicode_CompareWithASCIIString(word, "grid") != 0 &&
		    PyUnicode_CompareWithASCIIString(word, "warmup") != 0)
			good = PyDict_SetItem(dict, word, args[nargs + i]) == 0;
	}
	for (Py_ssize_t i = 0; good && i < PyList_Size(k->pre_hooks); i++) {
		PyObject *done = PyObject_Call(PyList_GetItem(k->pre_hooks, i), tuple, dict);
		good = done != NULL;
		Py_XDECREF(done);
	}
	Py_XDECREF(tuple);
	Py_XDECREF(dict);
	return good;
}

PyObject *launch(Kernel *k, PyObject *grid, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
	enum { ON_STACK = 64 };
	neso_arg arg_room[ON_STACK];
	PyObject *value_room[ON_STACK], **values;
	size_t count = (size_t)k->param_count;
	Launch l;
	l.kernel = k;
	l.gpu = NULL;
	l.is_read = false;
	l.turn.is_timed = l.turn.is_special = l.turn.is_settled = false;
	l.launch.stream = NULL;
	memset(l.launch.grid, 0, sizeof l.launch.grid); /* not known yet */
	l.held.objects = l.held.finish = NULL;
	l.held.has_tuple = false;
	l.held.few_count = 0;
	memset(l.call.options, 0, sizeof l.call.options);
	l.call.has_options = false;
	l.args = count <= ON_STACK ? arg_room : malloc(count * sizeof *l.args);
	values = count <= ON_STACK ? value_room : malloc(count * sizeof *values);
	PyObject *result = NULL;
	if (!l.args || !values) {
		PyErr_NoMemory();
	} else {
		if (call_pre_hooks(k, args, nargs, kwnames) && call_bind(k, args, nargs, kwnames, values, &l.call)) {
			PyObject *warmup = l.call.options[OPT_WARMUP];
			if (l.call.options[OPT_GRID] && !grid)
				grid = l.call.options[OPT_GRID];
			result = launch_bound(&l, grid, warmup && PyObject_IsTrue(warmup) == 1);
			/* Of a launch that failed before it. */
			neso_turn_end(k->kernel, &l.turn, &l.launch, false);
		}
		gpu_call_free(l.gpu);
		held_free(&l.held);
	}
	if (l.args != arg_room)
		free(l.args);
	if (values != value_room)
		free(values);
	return result;
}

/* ---- launching what was compiled ---- */

/* Those of upstream's launchers before the kernel's own arguments. */
enum { GRID_X, GRID_Y, GRID_Z, STREAM, FIRST_ARGUMENT = 9 };

static bool launch_it(Launch *l, PyObject *compiled, PyObject *const *args)
{
	for (int axis = 0; axis < 3; axis++)
		if (!call_axis(args[GRID_X + axis], &l->launch.grid[axis]))
			return false;
	if (!((Variant *)compiled)->looked)
		look_through((Variant *)compiled);
	if (((Variant *)compiled)->on_gpu) {
		l->launch.stream = args[STREAM] == Py_None ? NULL : PyLong_AsVoidPtr(args[STREAM]);
		return !PyErr_Occurred() && gpu_launch_variant(l, compiled);
	}
	l->options.target = NULL;
	if (((Variant *)compiled)->simulated)
		call_environment_checks(&l->launch);
	return find_read(l) && execute(l, compiled);
}

PyObject *launch_variant(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
	enum { ON_STACK = 64 };
	neso_arg room[ON_STACK];
	if (!variant_usable((Variant *)self))
		return NULL;
	PyObject *kernel = PyObject_GetAttr(self, word_kernel);
	if (!kernel)
		return NULL;
	Launch l = {.kernel = (Kernel *)kernel};
	size_t count = (size_t)l.kernel->param_count;
	bool good = false;
	l.call.values = args + FIRST_ARGUMENT;
	l.args = count <= ON_STACK ? room : malloc(count * sizeof *l.args);
	if (!l.args)
		PyErr_NoMemory();
	else if (nargs != FIRST_ARGUMENT + l.kernel->param_count)
		PyErr_Format(PyExc_TypeError, "the kernel takes %zd arguments but %zd were given", l.kernel->param_count,
			     nargs - FIRST_ARGUMENT);
	else
		good = call_options(l.kernel, &l.call, &l.options) && launch_it(&l, self, args);
	gpu_call_free(l.gpu);
	held_free(&l.held);
	if (l.args != room)
		free(l.args);
	Py_DECREF(kernel);
	if (!good)
		return NULL;
	Py_RETURN_NONE;
}

/* Arguments of an ordinary call as those of a vectorcall. */
PyObject *launch_unpacked(Kernel *k, PyObject *grid, PyObject *args, PyObject *kwargs)
{
	Py_ssize_t nargs = PyTuple_Size(args), words = kwargs ? PyDict_Size(kwargs) : 0, at = 0;
	PyObject **flat = malloc(((size_t)(nargs + words) + 1) * sizeof *flat);
	PyObject *names = PyTuple_New(words), *name, *value, *result = NULL;
	if (flat && names) {
		for (Py_ssize_t i = 0; i < nargs; i++)
			flat[i] = PyTuple_GetItem(args, i);
		for (Py_ssize_t i = 0; i < words && PyDict_Next(kwargs, &at, &name, &value); i++) {
			Py_INCREF(name);
			PyTuple_SetItem(names, i, name);
			flat[nargs + i] = value;
		}
		result = launch(k, grid, flat, nargs, names);
	} else {
		PyErr_NoMemory();
	}
	Py_XDECREF(names);
	free(flat);
	return result;
}

bool launch_setup(void)
{
	return intern(&word_changed, "_changed") && intern(&word_kernel, "_kernel") && intern(&word_tuples, "_launch_tuples") &&
	       intern(&word_value, "value");
}
