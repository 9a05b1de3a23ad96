/* Kernel, the type under JITFunction: binds a call's arguments, finds the variant by their kinds, launches it.
 *
 * A kernel has an open-addressed table from the packed kinds of the arguments and the options to the compiled
 * object; a launch whose kinds were seen before allocates nothing but what its arrays make. `kernel[grid]`
 * is a Launcher, recycled, that is called by vectorcall. A miss, a changed global and launch hooks go through
 * Python. */
#include "native.h"

#include <stdlib.h>
#include <structmember.h>

/* Public before they entered the limited API: the layout is the same from 3.9 on. */
#define HAVE_VECTORCALL (1UL << 11)
#define NARGS(n) ((Py_ssize_t)((size_t)(n) & ~((size_t)1 << (8 * sizeof(size_t) - 1))))

/* ---- objects ---- */

typedef struct Module {
	PyObject_HEAD
	neso_module *module;
	unsigned generation;
} Module;

typedef struct Variant {
	PyObject_HEAD
	PyObject *module; /* keeps it alive */
	neso_variant *variant;
	bool makes_pointers; /* of integers: into memory that no argument names */
	bool stops; /* at a breakpoint() */
} Variant;

typedef struct Param {
	PyObject *name, *value; /* value: default, or NULL */
	const char *text;       /* of the name */
	bool is_constexpr, is_const;
} Param;

typedef struct Entry {
	uint64_t hash;
	size_t len;
	unsigned char *key; /* NULL: free */
	PyObject *compiled;
} Entry;

typedef struct Watch {
	PyObject *dict, *name, *value;
	bool is_plain; /* immutable: the same object has the same value */
} Watch;

typedef struct Kernel {
	PyObject_HEAD
	Param *params;
	Py_ssize_t param_count;
	Entry *entries;
	size_t entry_count, entry_cap;
	Watch *watches;
	size_t watch_count;
	PyObject *module; /* Module, or NULL: not loaded */
	neso_kernel *kernel;
	PyObject *pre_hooks; /* list */
	bool debug;
	bool ignore_unknown; /* keywords that are neither parameter nor option are dropped */
} Kernel;

typedef PyObject *Vectorcall(PyObject *, PyObject *const *, size_t, PyObject *);

typedef struct Launcher {
	PyObject_HEAD
	Vectorcall *call;
	PyObject *kernel, *grid;
} Launcher;

static PyTypeObject *launcher_type, *module_type, *variant_type;

enum { SPARE_LAUNCHERS = 8 };
static Launcher *spare[SPARE_LAUNCHERS];
static unsigned spare_count;

/* ---- options of a launch ---- */

typedef enum { OPT_WARPS, OPT_STAGES, OPT_CTAS, OPT_MAXNREG, OPT_DEBUG, OPT_GRID, OPT_WARMUP, OPT__COUNT } Option;

static const char *const option_names[] = {"num_warps", "num_stages", "num_ctas", "maxnreg", "debug", "grid", "warmup"};
/* Options of other targets and of upstream's that change nothing here. */
static const char *const ignored_options[] = {
	"enable_fp_fusion", "cluster_dims", "ptx_version", "ptx_options", "ir_override", "launch_cooperative_grid",
	"launch_pdl", "supported_fp8_dtypes", "deprecated_fp8_dot_operand_dtypes", "default_dot_input_precision",
	"allowed_dot_input_precisions", "max_num_imprecise_acc_default", "extern_libs", "backend_name",
	"sanitize_overflow", "arch", "instrumentation_mode", "stream", "device", "device_type", "minRegAutoWS",
	"maxRegAutoWS", "waves_per_eu", "matrix_instr_nonkdim", "kpack", "num_buffers_warp_spec",
	"num_consumer_groups", "reg_dec_producer", "reg_inc_consumer", "schedule_hint", "allow_flush_denorm",
};
enum { IGNORED_COUNT = sizeof ignored_options / sizeof *ignored_options };
static PyObject *option_words[OPT__COUNT], *ignored_words[IGNORED_COUNT], *word_prepare, *word_changed, *word_made, *word_tuples;

typedef struct Call {
	PyObject **values; /* per parameter; borrowed */
	PyObject *options[OPT__COUNT];
} Call;

static int find_word(PyObject *const *words, size_t count, PyObject *word)
{
	for (size_t i = 0; i < count; i++)
		if (words[i] == word)
			return (int)i;
	for (size_t i = 0; i < count; i++)
		if (PyUnicode_Compare(words[i], word) == 0)
			return (int)i;
	return -1;
}

static Py_ssize_t find_param(const Kernel *k, PyObject *word)
{
	for (Py_ssize_t i = 0; i < k->param_count; i++)
		if (k->params[i].name == word)
			return i;
	for (Py_ssize_t i = 0; i < k->param_count; i++)
		if (PyUnicode_Compare(k->params[i].name, word) == 0)
			return i;
	return -1;
}

static bool bind_keyword(const Kernel *k, PyObject *word, PyObject *value, Call *call)
{
	Py_ssize_t at = find_param(k, word);
	if (at >= 0) {
		if (call->values[at]) {
			PyErr_Format(PyExc_TypeError, "%s() got multiple values for argument '%U'",
				     "kernel", word);
			return false;
		}
		call->values[at] = value;
	}
	int option = find_word(option_words, OPT__COUNT, word);
	if (option >= 0)
		call->options[option] = value;
	if (at >= 0 || option >= 0 || k->ignore_unknown || find_word(ignored_words, IGNORED_COUNT, word) >= 0)
		return true;
	PyErr_Format(PyExc_KeyError, "Keyword argument %U was specified but unrecognised", word);
	return false;
}

static bool fill_defaults(const Kernel *k, Call *call)
{
	PyObject *missing = NULL;
	Py_ssize_t count = 0;
	for (Py_ssize_t i = 0; i < k->param_count; i++) {
		if (call->values[i])
			continue;
		call->values[i] = k->params[i].value;
		if (call->values[i])
			continue;
		count++;
		PyObject *text = missing ? PyUnicode_FromFormat("%U, '%U'", missing, k->params[i].name)
					 : PyUnicode_FromFormat("'%U'", k->params[i].name);
		Py_XDECREF(missing);
		if (!text)
			return false;
		missing = text;
	}
	if (missing) {
		PyErr_Format(PyExc_TypeError, "dynamic_func() missing %zd required positional argument%s: %U", count,
			     count == 1 ? "" : "s", missing);
		Py_DECREF(missing);
	}
	return !count;
}

static bool bind_call(const Kernel *k, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames, Call *call)
{
	if (nargs > k->param_count) {
		PyErr_Format(PyExc_TypeError, "dynamic_func() takes %zd positional arguments but %zd were given",
			     k->param_count, nargs);
		return false;
	}
	for (Py_ssize_t i = 0; i < nargs; i++)
		call->values[i] = args[i];
	Py_ssize_t words = kwnames ? PyTuple_Size(kwnames) : 0;
	for (Py_ssize_t i = 0; i < words; i++)
		if (!bind_keyword(k, PyTuple_GetItem(kwnames, i), args[nargs + i], call))
			return false;
	return fill_defaults(k, call);
}

/* ---- the table ---- */

static uint64_t hash_bytes(const unsigned char *data, size_t len)
{
	uint64_t h = 0x9e3779b97f4a7c15u ^ len;
	for (; len >= 8; data += 8, len -= 8) {
		uint64_t word;
		memcpy(&word, data, 8);
		h = (h ^ word) * 0xff51afd7ed558ccdu;
		h ^= h >> 32;
	}
	for (; len; data++, len--)
		h = (h ^ *data) * 0xff51afd7ed558ccdu;
	return h ^ h >> 29;
}

static Entry *table_find(const Kernel *k, const Key *key, uint64_t hash)
{
	for (size_t i = hash; k->entry_cap; i++) {
		Entry *e = &k->entries[i & (k->entry_cap - 1)];
		if (!e->key)
			return NULL;
		if (e->hash == hash && e->len == key->len && memcmp(e->key, key->data, key->len) == 0)
			return e;
	}
	return NULL;
}

static void table_insert(Entry *entries, size_t cap, Entry entry)
{
	size_t i = entry.hash & (cap - 1);
	while (entries[i].key)
		i = (i + 1) & (cap - 1);
	entries[i] = entry;
}

static bool table_add(Kernel *k, const Key *key, uint64_t hash, PyObject *compiled)
{
	if (2 * (k->entry_count + 1) > k->entry_cap) {
		size_t cap = k->entry_cap ? 2 * k->entry_cap : 16;
		Entry *grown = calloc(cap, sizeof *grown);
		if (!grown)
			return PyErr_NoMemory() != NULL;
		for (size_t i = 0; i < k->entry_cap; i++)
			if (k->entries[i].key)
				table_insert(grown, cap, k->entries[i]);
		free(k->entries);
		k->entries = grown;
		k->entry_cap = cap;
	}
	unsigned char *copy = malloc(key->len + 1);
	if (!copy)
		return PyErr_NoMemory() != NULL;
	memcpy(copy, key->data, key->len);
	Py_INCREF(compiled);
	table_insert(k->entries, k->entry_cap, (Entry){hash, key->len, copy, compiled});
	k->entry_count++;
	return true;
}

static void forget(Kernel *k)
{
	Entry *entries = k->entries;
	size_t cap = k->entry_cap;
	k->entries = NULL;
	k->entry_count = k->entry_cap = 0;
	for (size_t i = 0; i < cap; i++)
		if (entries[i].key) {
			free(entries[i].key);
			Py_DECREF(entries[i].compiled);
		}
	free(entries);
	Watch *watches = k->watches;
	size_t count = k->watch_count;
	k->watches = NULL;
	k->watch_count = 0;
	for (size_t i = 0; i < count; i++) {
		Py_DECREF(watches[i].dict);
		Py_DECREF(watches[i].name);
		Py_DECREF(watches[i].value);
	}
	free(watches);
	k->kernel = NULL;
	Py_CLEAR(k->module);
}

/* ---- one launch ---- */

static bool option_number(PyObject *value, const char *name, uint32_t *out)
{
	if (!value || value == Py_None)
		return true;
	PyObject *number = PyNumber_Index(value);
	if (!number) {
		/* tl.constexpr(4) */
		PyErr_Clear();
		PyObject *inner = PyObject_GetAttrString(value, "value");
		number = inner ? PyNumber_Index(inner) : NULL;
		Py_XDECREF(inner);
		if (!number)
			return false;
	}
	unsigned long n = PyLong_AsUnsignedLong(number);
	Py_DECREF(number);
	if (PyErr_Occurred() || n > UINT32_MAX) {
		PyErr_Clear();
		PyErr_Format(PyExc_ValueError, "%s must be a positive number", name);
		return false;
	}
	*out = (uint32_t)n;
	return true;
}

static bool read_options(const Kernel *k, const Call *call, neso_compile_options *options, Key *key)
{
	*options = (neso_compile_options){.size = sizeof *options};
	if (!option_number(call->options[OPT_WARPS], "num_warps", &options->num_warps) ||
	    !option_number(call->options[OPT_STAGES], "num_stages", &options->num_stages) ||
	    !option_number(call->options[OPT_CTAS], "num_ctas", &options->num_ctas) ||
	    !option_number(call->options[OPT_MAXNREG], "maxnreg", &options->maxnreg))
		return false;
	options->no_gpu_limits = k->ignore_unknown;
	options->debug = k->debug;
	const char *debug = getenv("TRITON_DEBUG");
	if (debug && *debug && strchr("1tTyY", *debug))
		options->debug = true;
	if (call->options[OPT_DEBUG])
		options->debug = PyObject_IsTrue(call->options[OPT_DEBUG]) == 1 || options->debug;
	options->dot_precision = getenv("TRITON_F32_DEFAULT");
	uint32_t packed[] = {options->num_warps, options->num_stages, options->num_ctas, options->maxnreg, options->debug};
	const char *precision = options->dot_precision ? options->dot_precision : "";
	return key_add(key, packed, sizeof packed) && key_add(key, precision, strlen(precision) + 1);
}

static bool grid_axis(PyObject *value, uint32_t *out)
{
	PyObject *inner = NULL;
	if (!PyLong_Check(value) && host.constexpr_type && PyObject_IsInstance(value, host.constexpr_type) == 1)
		value = inner = PyObject_GetAttrString(value, "value");
	PyObject *number = value ? PyNumber_Index(value) : NULL;
	Py_XDECREF(inner);
	if (!number)
		return false;
	long long n = PyLong_AsLongLong(number);
	Py_DECREF(number);
	if (n == -1 && PyErr_Occurred())
		return false;
	if (n < 0 || n > UINT32_MAX) {
		PyErr_Format(PyExc_ValueError, "a grid of %lld programs", n);
		return false;
	}
	*out = (uint32_t)n;
	return true;
}

static PyObject *meta(const Kernel *k, const Call *call)
{
	PyObject *dict = PyDict_New();
	for (Py_ssize_t i = 0; dict && i < k->param_count; i++)
		if (PyDict_SetItem(dict, k->params[i].name, call->values[i]) < 0)
			Py_CLEAR(dict);
	for (int i = 0; dict && i <= OPT_MAXNREG; i++)
		if (call->options[i] && PyDict_SetItem(dict, option_words[i], call->options[i]) < 0)
			Py_CLEAR(dict);
	return dict;
}

static bool read_grid(const Kernel *k, const Call *call, PyObject *grid, uint32_t out[3])
{
	out[0] = out[1] = out[2] = 1;
	if (PyLong_Check(grid))
		return grid_axis(grid, &out[0]);
	PyObject *made = NULL;
	if (!PyTuple_Check(grid) && PyCallable_Check(grid)) {
		PyObject *dict = meta(k, call);
		made = dict ? PyObject_CallFunctionObjArgs(grid, dict, NULL) : NULL;
		Py_XDECREF(dict);
		if (!made)
			return false;
		grid = made;
	}
	bool good;
	if (!PyTuple_Check(grid) && !PyList_Check(grid) && PyIndex_Check(grid)) {
		good = grid_axis(grid, &out[0]);
	} else {
		PyObject *tuple = PySequence_Tuple(grid);
		Py_ssize_t n = tuple ? PyTuple_Size(tuple) : 0;
		good = tuple != NULL;
		for (Py_ssize_t i = 0; good && i < n; i++) {
			uint32_t ignored;
			good = grid_axis(PyTuple_GetItem(tuple, i), i < 3 ? &out[i] : &ignored);
			if (good && i >= 3 && ignored != 1) {
				PyErr_SetString(PyExc_ValueError, "a grid has at most three axes");
				good = false;
			}
		}
		Py_XDECREF(tuple);
	}
	Py_XDECREF(made);
	return good;
}

/* 1: all globals are as they were; 0: one changed and the kernel was told; -1: exception. */
static int check_globals(Kernel *k)
{
	for (size_t i = 0; i < k->watch_count; i++) {
		const Watch *w = &k->watches[i];
		PyObject *now = PyDict_GetItemWithError(w->dict, w->name);
		if (now == w->value && w->is_plain)
			continue;
		if (PyErr_Occurred())
			return -1;
		int same = now ? PyObject_RichCompareBool(now, w->value, Py_EQ) : 0;
		if (same < 0)
			PyErr_Clear();
		if (same == 1 && Py_TYPE(now) == Py_TYPE(w->value))
			continue;
		PyObject *done = PyObject_CallMethodObjArgs((PyObject *)k, word_changed, w->name, w->value,
							    now ? now : Py_None, NULL);
		Py_XDECREF(done);
		return done ? 0 : -1;
	}
	return 1;
}

typedef struct Launch {
	Kernel *kernel;
	Call call;
	neso_arg *args;
	neso_compile_options options;
	neso_launch launch;
	Key key;
	Held held;
} Launch;

static bool bind_args(Launch *l)
{
	const Kernel *k = l->kernel;
	for (Py_ssize_t i = 0; i < k->param_count; i++) {
		const Param *p = &k->params[i];
		if (!array_bind(l->call.values[i], p->is_constexpr, p->is_const, p->text, &l->args[i], &l->key, &l->held))
			return false;
		l->args[i].name = NULL;
	}
	l->launch = (neso_launch){
		.size = sizeof l->launch,
		.args = l->args,
		.arg_count = (size_t)k->param_count,
		.arg_size = sizeof *l->args,
		.options = &l->options,
		.poll = host_poll,
	};
	return true;
}

/* What is to be known of a kernel before it runs is read off its IR. */
static void look_through(Variant *v)
{
	char *text = NULL;
	if (neso_variant_text(v->variant, "ttir", &text, NULL) == NESO_OK) {
		v->makes_pointers = strstr(text, "tt.int_to_ptr") != NULL;
		v->stops = strstr(text, "tt.print \" breakpoint ") != NULL;
	}
	neso_text_free(text);
}

/* A new reference to what Python calls the compiled kernel. */
static PyObject *compile(Launch *l, uint64_t hash)
{
	Kernel *k = l->kernel;
	if (!k->module) {
		PyObject *done = PyObject_CallMethodObjArgs((PyObject *)k, word_prepare, NULL);
		Py_XDECREF(done);
		if (!done)
			return NULL;
		if (!k->module) {
			PyErr_SetString(PyExc_RuntimeError, "the kernel was not loaded");
			return NULL;
		}
	}
	PyObject *module = k->module;
	neso_kernel *kernel = k->kernel;
	neso_variant *variant = NULL;
	neso_diagnostics *diagnostics = NULL;
	neso_status status;
	Py_INCREF(module);
	Py_BEGIN_ALLOW_THREADS
	status = neso_kernel_compile_for(kernel, &l->launch, &variant, &diagnostics);
	Py_END_ALLOW_THREADS
	PyObject *compiled = NULL;
	if (status != NESO_OK || host_take_error()) {
		if (status != NESO_OK)
			host_fail(status, diagnostics, (PyObject *)k);
		goto out;
	}
	neso_diagnostics_free(diagnostics);
	PyObject *options = Py_BuildValue("(IIIIO)", l->options.num_warps, l->options.num_stages, l->options.num_ctas,
					  l->options.maxnreg, l->options.debug ? Py_True : Py_False);
	PyObject *values = PyTuple_New(k->param_count);
	for (Py_ssize_t i = 0; values && i < k->param_count; i++) {
		Py_INCREF(l->call.values[i]);
		PyTuple_SetItem(values, i, l->call.values[i]);
	}
	compiled = options && values ? PyObject_CallFunctionObjArgs(host.compiled, NULL) : NULL;
	if (compiled) {
		((Variant *)compiled)->variant = variant;
		look_through((Variant *)compiled);
		((Variant *)compiled)->module = module;
		Py_INCREF(module);
		PyObject *done = PyObject_CallMethodObjArgs((PyObject *)k, word_made, compiled, options, values, NULL);
		if (!done || (module == k->module && !table_find(k, &l->key, hash) && !table_add(k, &l->key, hash, compiled)))
			Py_CLEAR(compiled);
		Py_XDECREF(done);
	}
	Py_XDECREF(options);
	Py_XDECREF(values);
out:
	Py_DECREF(module);
	return compiled;
}

static bool call_hooks(const Kernel *k, PyObject *compiled, const Launch *l, bool before)
{
	PyObject *grid = Py_BuildValue("(III)", l->launch.grid[0], l->launch.grid[1], l->launch.grid[2]);
	PyObject *args = before ? meta(k, &l->call) : NULL;
	PyObject *done = grid && (args || !before) ? PyObject_CallFunctionObjArgs(host.hooks, (PyObject *)(uintptr_t)k, compiled, grid,
									       args ? args : Py_None, NULL)
						   : NULL;
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
					      writable ? NESO_READ_WRITE : NESO_READ};
	}
	Py_XDECREF(list);
	l->launch.buffers = *buffers;
	l->launch.buffer_count = *buffers ? (size_t)count : 0;
	return *buffers != NULL;
}

static bool execute(Launch *l, PyObject *compiled)
{
	Kernel *k = l->kernel;
	neso_buffer *buffers = NULL;
	if (((Variant *)compiled)->makes_pointers && !add_mappings(l, &buffers))
		return false;
	if (((Variant *)compiled)->stops)
		l->launch.threads = 1; /* one program after the other, on the thread that Ctrl-C reaches */
	bool slow = PyList_Size(host.slow) > 0;
	if (slow && !call_hooks(k, compiled, l, true)) {
		free(buffers);
		return false;
	}
	neso_diagnostics *diagnostics = NULL;
	neso_status status;
	neso_variant *variant = ((Variant *)compiled)->variant;
	Py_BEGIN_ALLOW_THREADS
	status = neso_variant_launch(variant, &l->launch, NULL, &diagnostics);
	Py_END_ALLOW_THREADS
	free(buffers);
	bool copied = !l->held.finish || finish_copies(&l->held);
	if (status != NESO_OK) {
		PyErr_Clear();
		host_fail(status, diagnostics, (PyObject *)k);
		return false;
	}
	neso_diagnostics_free(diagnostics);
	if (!copied || host_take_error())
		return false;
	return !slow || call_hooks(k, compiled, l, false);
}

/* A tuple of arrays: the package launches a kernel that takes its items one by one. */
static PyObject *launch_tuples(Launch *l, PyObject *grid, bool warmup)
{
	Kernel *k = l->kernel;
	PyObject *values = PyTuple_New(k->param_count), *options = PyDict_New(), *result = NULL;
	for (Py_ssize_t i = 0; values && i < k->param_count; i++) {
		Py_INCREF(l->call.values[i]);
		PyTuple_SetItem(values, i, l->call.values[i]);
	}
	for (int i = 0; options && i < OPT_GRID; i++)
		if (l->call.options[i] && PyDict_SetItem(options, option_words[i], l->call.options[i]) < 0)
			Py_CLEAR(options);
	if (values && options)
		result = PyObject_CallMethodObjArgs((PyObject *)k, word_tuples, values, options, grid ? grid : Py_None,
						    warmup ? Py_True : Py_False, NULL);
	Py_XDECREF(values);
	Py_XDECREF(options);
	return result;
}

/* Binding is done. A new reference to the compiled kernel. */
static PyObject *launch_bound(Launch *l, PyObject *grid, bool warmup)
{
	Kernel *k = l->kernel;
	if (k->module && ((Module *)k->module)->generation != host_generation)
		forget(k);
	if (!read_options(k, &l->call, &l->options, &l->key) || !bind_args(l))
		return NULL;
	if (l->held.has_tuple)
		return launch_tuples(l, grid, warmup);
	int same = check_globals(k);
	if (same < 0)
		return NULL;
	uint64_t hash = hash_bytes(l->key.data, l->key.len);
	Entry *entry = table_find(k, &l->key, hash);
	PyObject *compiled = entry ? entry->compiled : NULL;
	Py_XINCREF(compiled);
	if (!compiled && !(compiled = compile(l, hash)))
		return NULL;
	if (warmup)
		return compiled;
	if (!grid || grid == Py_None) {
		PyErr_SetString(PyExc_TypeError, "a launch needs a grid: kernel[grid](...)");
	} else if (read_grid(k, &l->call, grid, l->launch.grid) && execute(l, compiled)) {
		return compiled;
	}
	Py_DECREF(compiled);
	return NULL;
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
		if (PyUnicode_Compare(word, option_words[OPT_GRID]) != 0 &&
		    PyUnicode_Compare(word, option_words[OPT_WARMUP]) != 0)
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

static PyObject *launch(Kernel *k, PyObject *grid, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
	enum { ON_STACK = 40 };
	neso_arg arg_room[ON_STACK];
	PyObject *value_room[ON_STACK];
	size_t count = (size_t)k->param_count;
	Launch l;
	l.kernel = k;
	l.held = (Held){NULL, NULL, false};
	memset(l.call.options, 0, sizeof l.call.options);
	l.args = count <= ON_STACK ? arg_room : malloc(count * sizeof *l.args);
	l.call.values = count <= ON_STACK ? value_room : malloc(count * sizeof *l.call.values);
	PyObject *result = NULL;
	if (!l.args || !l.call.values) {
		PyErr_NoMemory();
	} else {
		memset(l.call.values, 0, count * sizeof *l.call.values);
		key_init(&l.key);
		if (call_pre_hooks(k, args, nargs, kwnames) && bind_call(k, args, nargs, kwnames, &l.call)) {
			PyObject *warmup = l.call.options[OPT_WARMUP];
			if (l.call.options[OPT_GRID] && !grid)
				grid = l.call.options[OPT_GRID];
			result = launch_bound(&l, grid, warmup && PyObject_IsTrue(warmup) == 1);
		}
		held_free(&l.held);
		key_free(&l.key);
	}
	if (l.args != arg_room)
		free(l.args);
	if (l.call.values != value_room)
		free(l.call.values);
	return result;
}

/* Arguments of an ordinary call as those of a vectorcall. */
static PyObject *launch_unpacked(Kernel *k, PyObject *grid, PyObject *args, PyObject *kwargs)
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

/* ---- Launcher ---- */

static PyObject *launcher_call(PyObject *self, PyObject *const *args, size_t nargs, PyObject *kwnames)
{
	Launcher *l = (Launcher *)self;
	return launch((Kernel *)l->kernel, l->grid, args, NARGS(nargs), kwnames);
}

static PyObject *launcher_tp_call(PyObject *self, PyObject *args, PyObject *kwargs)
{
	Launcher *l = (Launcher *)self;
	return launch_unpacked((Kernel *)l->kernel, l->grid, args, kwargs);
}

static void launcher_dealloc(PyObject *self)
{
	Launcher *l = (Launcher *)self;
	Py_CLEAR(l->kernel);
	Py_CLEAR(l->grid);
	if (spare_count < SPARE_LAUNCHERS) {
		spare[spare_count++] = l;
		return;
	}
	PyTypeObject *type = Py_TYPE(self);
	PyObject_Free(self);
	Py_DECREF(type);
}

static PyMemberDef launcher_members[] = {
	{"__vectorcalloffset__", T_PYSSIZET, offsetof(Launcher, call), READONLY, NULL},
	{"kernel", T_OBJECT, offsetof(Launcher, kernel), READONLY, "What it launches."},
	{"grid", T_OBJECT, offsetof(Launcher, grid), READONLY, "Tuple, int or function of the arguments."},
	{0},
};
static PyType_Slot launcher_slots[] = {
	{Py_tp_dealloc, launcher_dealloc},
	{Py_tp_call, launcher_tp_call},
	{Py_tp_members, launcher_members},
	{0, NULL},
};
static PyType_Spec launcher_spec = {"neso._native.Launcher", sizeof(Launcher), 0, Py_TPFLAGS_DEFAULT | HAVE_VECTORCALL,
				    launcher_slots};

static PyObject *kernel_subscript(PyObject *self, PyObject *grid)
{
	Launcher *l;
	if (spare_count) {
		/* Its type was not given back either. */
		l = spare[--spare_count];
		PyObject_Init((PyObject *)l, launcher_type);
		Py_DECREF(launcher_type);
	} else {
		l = PyObject_New(Launcher, launcher_type);
		if (!l)
			return NULL;
	}
	l->call = launcher_call;
	Py_INCREF(self);
	Py_INCREF(grid);
	l->kernel = self;
	l->grid = grid;
	return (PyObject *)l;
}

/* ---- Module ---- */

static void module_dealloc(PyObject *self)
{
	Module *m = (Module *)self;
	PyTypeObject *type = Py_TYPE(self);
	if (m->generation == host_generation)
		neso_module_free(m->module);
	PyObject_Free(self);
	Py_DECREF(type);
}

static PyType_Slot module_slots[] = {{Py_tp_dealloc, module_dealloc}, {0, NULL}};
static PyType_Spec module_spec = {"neso._native.Module", sizeof(Module), 0, Py_TPFLAGS_DEFAULT, module_slots};

/* ---- Variant ---- */

static void variant_dealloc(PyObject *self)
{
	PyTypeObject *type = Py_TYPE(self);
	Py_XDECREF(((Variant *)self)->module);
	freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
	release(self);
	Py_DECREF(type);
}

static bool variant_usable(const Variant *v)
{
	if (v->variant && ((Module *)v->module)->generation == host_generation)
		return true;
	PyErr_SetString(PyExc_RuntimeError, "this compiled kernel belongs to no kernel of this process");
	return false;
}

static PyObject *variant_text(PyObject *self, PyObject *stage)
{
	Variant *v = (Variant *)self;
	const char *name = PyUnicode_AsUTF8AndSize(stage, NULL);
	if (!name || !variant_usable(v))
		return NULL;
	char *text = NULL;
	neso_diagnostics *diagnostics = NULL;
	neso_status status;
	Py_BEGIN_ALLOW_THREADS
	status = neso_variant_text(v->variant, name, &text, &diagnostics);
	Py_END_ALLOW_THREADS
	if (status != NESO_OK)
		return host_fail(status, diagnostics, NULL);
	neso_diagnostics_free(diagnostics);
	PyObject *result = PyUnicode_FromString(text);
	neso_text_free(text);
	return result;
}

static PyObject *variant_key(PyObject *self, PyObject *unused)
{
	(void)unused;
	Variant *v = (Variant *)self;
	return variant_usable(v) ? PyUnicode_FromString(neso_variant_key(v->variant)) : NULL;
}

static PyMethodDef variant_methods[] = {
	{"_text", variant_text, METH_O, "Text of a stage."},
	{"_key", variant_key, METH_NOARGS, "Signature, constants and options in one line."},
	{0},
};
static PyType_Slot variant_slots[] = {{Py_tp_dealloc, variant_dealloc}, {Py_tp_methods, variant_methods}, {0, NULL}};
static PyType_Spec variant_spec = {"neso._native.Variant", sizeof(Variant), 0,
				   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, variant_slots};

/* ---- Kernel ---- */

static void drop_params(Kernel *k)
{
	for (Py_ssize_t i = 0; i < k->param_count; i++) {
		Py_XDECREF(k->params[i].name);
		Py_XDECREF(k->params[i].value);
	}
	free(k->params);
	k->params = NULL;
	k->param_count = 0;
}

static int kernel_traverse(PyObject *self, visitproc visit, void *arg)
{
	Kernel *k = (Kernel *)self;
	for (Py_ssize_t i = 0; i < k->param_count; i++)
		Py_VISIT(k->params[i].value);
	for (size_t i = 0; i < k->entry_cap; i++)
		Py_VISIT(k->entries[i].compiled);
	for (size_t i = 0; i < k->watch_count; i++) {
		Py_VISIT(k->watches[i].dict);
		Py_VISIT(k->watches[i].value);
	}
	Py_VISIT(k->pre_hooks);
	Py_VISIT(Py_TYPE(self));
	return 0;
}

static int kernel_clear(PyObject *self)
{
	Kernel *k = (Kernel *)self;
	forget(k);
	drop_params(k);
	Py_CLEAR(k->pre_hooks);
	return 0;
}

static void kernel_dealloc(PyObject *self)
{
	PyTypeObject *type = Py_TYPE(self);
	PyObject_GC_UnTrack(self);
	kernel_clear(self);
	freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
	release(self);
	Py_DECREF(type);
}

/* _setup(params, pre_hooks, debug, ignore_unknown); params: (name, has_default, default, is_constexpr, is_const) */
static PyObject *kernel_setup(PyObject *self, PyObject *args)
{
	Kernel *k = (Kernel *)self;
	PyObject *params, *hooks;
	int debug, ignore;
	if (!PyArg_ParseTuple(args, "O!O!pp", &PyTuple_Type, &params, &PyList_Type, &hooks, &debug, &ignore))
		return NULL;
	forget(k);
	drop_params(k);
	Py_ssize_t count = PyTuple_Size(params);
	k->params = calloc((size_t)count + 1, sizeof *k->params);
	if (!k->params)
		return PyErr_NoMemory();
	for (Py_ssize_t i = 0; i < count; i++) {
		Param *p = &k->params[i];
		PyObject *name, *value;
		int has_default, is_constexpr, is_const;
		if (!PyArg_ParseTuple(PyTuple_GetItem(params, i), "UpOpp", &name, &has_default, &value, &is_constexpr,
				      &is_const))
			return NULL;
		Py_INCREF(name);
		p->name = name;
		PyUnicode_InternInPlace(&p->name);
		p->text = PyUnicode_AsUTF8AndSize(p->name, NULL);
		p->value = has_default ? value : NULL;
		Py_XINCREF(p->value);
		p->is_constexpr = is_constexpr;
		p->is_const = is_const;
		k->param_count = i + 1;
	}
	Py_INCREF(hooks);
	Py_XDECREF(k->pre_hooks);
	k->pre_hooks = hooks;
	k->debug = debug;
	k->ignore_unknown = ignore;
	Py_RETURN_NONE;
}

/* _load(path, text, name) */
static PyObject *load(PyObject *self, PyObject *args, bool is_ir)
{
	Kernel *k = (Kernel *)self;
	const char *path, *text, *name;
	Py_ssize_t length;
	if (!PyArg_ParseTuple(args, "ss#s", &path, &text, &length, &name))
		return NULL;
	neso_context *context = host_context();
	if (!context)
		return NULL;
	neso_module *module = NULL;
	neso_kernel *kernel = NULL;
	neso_diagnostics *diagnostics = NULL;
	neso_status status;
	Py_BEGIN_ALLOW_THREADS
	status = (is_ir ? neso_module_load_ir : neso_module_load_text)(context, path, text, (size_t)length, &module, &diagnostics);
	if (status == NESO_OK) {
		neso_diagnostics_free(diagnostics);
		status = neso_module_find(module, name, &kernel, &diagnostics);
	}
	Py_END_ALLOW_THREADS
	if (status != NESO_OK) {
		host_fail(status, diagnostics, self);
		neso_module_free(module);
		return NULL;
	}
	neso_diagnostics_free(diagnostics);
	Module *m = PyObject_New(Module, module_type);
	if (!m) {
		neso_module_free(module);
		return NULL;
	}
	m->module = module;
	m->generation = host_generation;
	forget(k);
	k->module = (PyObject *)m;
	k->kernel = kernel;
	Py_RETURN_NONE;
}

/* _load(path, text, name) */
static PyObject *kernel_load(PyObject *self, PyObject *args)
{
	return load(self, args, false);
}

static PyObject *kernel_load_ir(PyObject *self, PyObject *args)
{
	return load(self, args, true);
}

/* _watch(list of (dict, name, value, is_plain)) */
static PyObject *kernel_watch(PyObject *self, PyObject *list)
{
	Kernel *k = (Kernel *)self;
	Py_ssize_t count = PyList_Size(list);
	if (count < 0)
		return NULL;
	Watch *grown = realloc(k->watches, (k->watch_count + (size_t)count + 1) * sizeof *grown);
	if (!grown)
		return PyErr_NoMemory();
	k->watches = grown;
	for (Py_ssize_t i = 0; i < count; i++) {
		PyObject *dict, *name, *value;
		int is_plain;
		if (!PyArg_ParseTuple(PyList_GetItem(list, i), "O!UOp", &PyDict_Type, &dict, &name, &value, &is_plain))
			return NULL;
		Py_INCREF(dict);
		Py_INCREF(name);
		Py_INCREF(value);
		k->watches[k->watch_count++] = (Watch){dict, name, value, is_plain};
	}
	Py_RETURN_NONE;
}

static PyObject *kernel_forget(PyObject *self, PyObject *unused)
{
	(void)unused;
	forget((Kernel *)self);
	Py_RETURN_NONE;
}

static PyObject *kernel_entries(PyObject *self, PyObject *unused)
{
	(void)unused;
	const Kernel *k = (Kernel *)self;
	PyObject *list = PyList_New(0);
	for (size_t i = 0; list && i < k->entry_cap; i++)
		if (k->entries[i].key && PyList_Append(list, k->entries[i].compiled) < 0)
			Py_CLEAR(list);
	return list;
}

static PyObject *kernel_run(PyObject *self, PyObject *args, PyObject *kwargs)
{
	return launch_unpacked((Kernel *)self, NULL, args, kwargs);
}

static PyMethodDef kernel_methods[] = {
	{"_setup", kernel_setup, METH_VARARGS, "Gives the parameters."},
	{"_load", kernel_load, METH_VARARGS, "Reads the kernel's source."},
	{"_load_ir", kernel_load_ir, METH_VARARGS, "Reads the kernel's IR."},
	{"_watch", kernel_watch, METH_O, "Adds globals to look at before each launch."},
	{"_forget", kernel_forget, METH_NOARGS, "Drops all that was compiled."},
	{"_entries", kernel_entries, METH_NOARGS, "The compiled kernels."},
	{"_run", (PyCFunction)(void (*)(void))kernel_run, METH_VARARGS | METH_KEYWORDS,
	 "Launches with the grid as a keyword; with warmup=True compiles only."},
	{0},
};
static PyType_Slot kernel_slots[] = {
	{Py_tp_dealloc, kernel_dealloc}, {Py_tp_traverse, kernel_traverse}, {Py_tp_clear, kernel_clear},
	{Py_tp_methods, kernel_methods}, {Py_mp_subscript, kernel_subscript}, {0, NULL},
};
static PyType_Spec kernel_spec = {"neso._native.Kernel", sizeof(Kernel), 0,
				  Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, kernel_slots};

/* ---- the module ---- */

static PyTypeObject *add_type(PyObject *module, PyType_Spec *spec, const char *name)
{
	PyObject *type = PyType_FromSpec(spec);
	if (!type)
		return NULL;
	Py_INCREF(type);
	if (PyModule_AddObject(module, name, type) < 0) {
		Py_DECREF(type);
		Py_CLEAR(type);
	}
	return (PyTypeObject *)type;
}

static bool intern(PyObject **at, const char *text)
{
	return (*at = PyUnicode_InternFromString(text)) != NULL;
}

bool kernel_add(PyObject *module)
{
	for (int i = 0; i < OPT__COUNT; i++)
		if (!intern(&option_words[i], option_names[i]))
			return false;
	for (int i = 0; i < IGNORED_COUNT; i++)
		if (!intern(&ignored_words[i], ignored_options[i]))
			return false;
	if (!intern(&word_prepare, "_prepare") || !intern(&word_changed, "_changed") || !intern(&word_made, "_made") ||
	    !intern(&word_tuples, "_launch_tuples"))
		return false;
	module_type = add_type(module, &module_spec, "Module");
	variant_type = add_type(module, &variant_spec, "Variant");
	launcher_type = add_type(module, &launcher_spec, "Launcher");
	return module_type && variant_type && launcher_type && add_type(module, &kernel_spec, "Kernel");
}
