/* Looking a launch up: the library's table tells which variant such a call asked for before
 * (neso_kernel_find), and the kernel here what Python calls it. A call that is like none before is
 * compiled for, of which the package hears. */
#include "native.h"

#include <stdlib.h>

static PyObject *word_prepare, *word_making, *word_making_source, *word_made, *word_specialise;

/* ---- what a kernel has compiled ---- */

/* In order of address: where the variant is, or would be. */
static size_t place_of(const Kernel *k, const neso_variant *variant)
{
	size_t low = 0, high = k->variant_count;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if ((uintptr_t)((Variant *)k->variants[middle])->variant < (uintptr_t)variant)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Borrowed, or NULL. */
static PyObject *known(const Kernel *k, const neso_variant *variant)
{
	size_t at = place_of(k, variant);
	bool found = at < k->variant_count && ((Variant *)k->variants[at])->variant == variant;
	return found ? k->variants[at] : NULL;
}

/* Unless the module changed meanwhile. False with MemoryError. */
static bool remember(Kernel *k, const PyObject *module, PyObject *compiled)
{
	const neso_variant *variant = ((Variant *)compiled)->variant;
	if (module != k->module || known(k, variant))
		return true;
	PyObject **grown = realloc(k->variants, (k->variant_count + 1) * sizeof *grown);
	if (!grown)
		return PyErr_NoMemory() != NULL;
	k->variants = grown;
	size_t at = place_of(k, variant);
	memmove(grown + at + 1, grown + at, (k->variant_count++ - at) * sizeof *grown);
	grown[at] = Py_NewRef(compiled);
	records_add(k, (Variant *)compiled);
	return true;
}

void find_drop(Variant *v)
{
	Kernel *k = v->owner;
	const size_t at = place_of(k, v->variant);
	records_remove(v);
	memmove(k->variants + at, k->variants + at + 1, (--k->variant_count - at) * sizeof *k->variants);
	PyObject *done = PyObject_CallMethod((PyObject *)v, "_forgotten", "n", Py_REFCNT((PyObject *)v) - 1);
	if (!done)
		PyErr_WriteUnraisable((PyObject *)v);
	Py_XDECREF(done);
	Py_DECREF((PyObject *)v);
}

/* ---- compiling ---- */

/* Is it a number, a string or None of Python's own? Such a value can be looked at later. */
static bool is_plain(PyObject *value)
{
	return value == Py_None || PyBool_Check(value) || PyLong_CheckExact(value) ||
	       PyFloat_CheckExact(value) || PyUnicode_CheckExact(value);
}

/* Of memory (element type, place within 16 bytes), so that nobody holds it. A new reference. */
static PyObject *place_in_memory(const neso_arg *arg)
{
	return Py_BuildValue("(sk)", neso_dtype_name(arg->dtype),
			     (unsigned long)((uintptr_t)arg->address % 16));
}

/* A call's values, or what decides of them, where that can be told of all (`lasting`). A new
 * reference. */
static PyObject *values_of(const Launch *l, bool *lasting)
{
	const Py_ssize_t count = l->kernel->param_count;
	PyObject *values = PyTuple_New(count);
	*lasting = !l->warmup;
	for (Py_ssize_t i = 0; i < count && *lasting; i++)
		*lasting = is_plain(l->call.values[i]) || (l->args[i].kind == NESO_ARG_POINTER &&
							   !l->kernel->params[i].is_constexpr);
	for (Py_ssize_t i = 0; values && i < count; i++) {
		bool is_memory = *lasting && !is_plain(l->call.values[i]);
		PyObject *item = is_memory ? place_in_memory(&l->args[i]) : Py_NewRef(l->call.values[i]);
		if (item)
			PyTuple_SetItem(values, i, item);
		else
			Py_CLEAR(values);
	}
	return values;
}

/* What is to be compiled: for a launch, or for a signature. */
typedef struct Request {
	Kernel *kernel;
	neso_compile_options *options;
	Launch *launch;        /* or NULL */
	const char *signature; /* without a launch */
	PyObject *source;      /* likewise: what the package calls it */
} Request;

/* What the package is told before a compilation: options, values. A new reference to what it wants to be told again after it; None: there is
 * to be none. */
static PyObject *making(const Request *r)
{
	Kernel *k = r->kernel;
	const neso_compile_options *o = r->options;
	PyObject *options = Py_BuildValue("(IIIINNNNINzizN)", o->num_warps, o->num_stages, o->num_ctas,
					  o->maxnreg,
					  PyBool_FromLong(o->debug), PyBool_FromLong(!o->no_fp_fusion),
					  PyBool_FromLong(o->cooperative), PyBool_FromLong(o->dependent_launch),
					  o->ptx_version, PyBool_FromLong(!o->no_overflow_checks), o->target,
					  (int)o->constexpr_policy, o->override,
					  PyBool_FromLong(!o->no_reflect_ftz));
	bool lasting = false;
	PyObject *made = NULL, *what = r->source ? Py_NewRef(r->source) : values_of(r->launch, &lasting);
	PyObject *warmup = !r->launch || r->launch->warmup ? Py_True : Py_False;
	if (options && what && r->source)
		made = PyObject_CallMethodObjArgs((PyObject *)k, word_making_source, options, what, warmup,
						  NULL);
	else if (options && what)
		made = PyObject_CallMethodObjArgs((PyObject *)k, word_making, options, what, warmup,
						  lasting ? Py_True : Py_False, NULL);
	Py_XDECREF(options);
	Py_XDECREF(what);
	return made;
}

/* A new reference to what Python calls a variant that it does not know yet; it takes over the
 * library's handle. */
static PyObject *wrap(PyObject *module, neso_variant *variant)
{
	PyObject *compiled = PyObject_CallFunctionObjArgs(host.compiled, NULL);
	if (!compiled) {
		neso_variant_release(variant);
		return NULL;
	}
	((Variant *)compiled)->variant = variant;
	((Variant *)compiled)->module = module;
	Py_INCREF(module);
	return compiled;
}

static bool tell_made(Kernel *k, PyObject *compiled, PyObject *token, bool known, bool done)
{
	PyObject *told = PyObject_CallMethodObjArgs((PyObject *)k, word_made, compiled, token, known ? Py_True : Py_False,
						    done ? Py_True : Py_False, NULL);
	Py_XDECREF(told);
	return told != NULL;
}

/* The package hears of it before and after it is there for others. */
static PyObject *take_variant(Kernel *k, PyObject *module, neso_variant *variant, PyObject *token)
{
	PyObject *compiled = known(k, variant);
	bool known = compiled != NULL;
	Py_XINCREF(compiled);
	if (known)
		neso_variant_release(variant);
	else
		compiled = wrap(module, variant);
	if (compiled && (!tell_made(k, compiled, token, known, false) || !remember(k, module, compiled) ||
			 !tell_made(k, compiled, token, known, true)))
		Py_CLEAR(compiled);
	return compiled;
}

/* A new reference to what Python calls the compiled kernel; None: a hook did not want it to be compiled. */
static PyObject *compile(const Request *r)
{
	Kernel *k = r->kernel;
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
	PyObject *token = making(r);
	if (!token || token == Py_None)
		return token;
	PyObject *module = k->module, *compiled = NULL, *symbol = PyObject_GetAttrString(token, "symbol");
	neso_kernel *kernel = k->kernel;
	neso_variant *variant = NULL;
	neso_diagnostics *diagnostics = NULL;
	neso_status status;
	Py_XINCREF(module);
	if (!module) {
		PyErr_SetString(PyExc_RuntimeError, "a hook made the kernel forget its source");
		goto out;
	}
	r->options->symbol = symbol && symbol != Py_None ? PyUnicode_AsUTF8AndSize(symbol, NULL) : NULL;
	if (PyErr_Occurred())
		goto out;
	if (r->launch && r->launch->warmup)
		r->options->strict = NESO_STRICT_OFF; /* that is compiling ahead */
	Py_BEGIN_ALLOW_THREADS
	status = r->launch ? neso_kernel_compile_for(kernel, &r->launch->launch, &variant, &diagnostics)
			   : neso_kernel_compile(kernel, r->signature, r->options, &variant, &diagnostics);
	Py_END_ALLOW_THREADS
	if (status != NESO_OK || host_take_error()) {
		neso_variant_release(variant);
		if (status != NESO_OK)
			host_fail(status, diagnostics, (PyObject *)k);
		goto out;
	}
	bool shown = launch_warn(diagnostics);
	neso_diagnostics_free(diagnostics);
	if (shown)
		compiled = take_variant(k, module, variant, token);
	else
		neso_variant_release(variant);
out:
	r->options->symbol = NULL;
	Py_XDECREF(symbol);
	Py_DECREF(token);
	Py_XDECREF(module);
	return compiled;
}

/* ---- looking up ---- */

static bool read_args(Launch *l)
{
	const Kernel *k = l->kernel;
	for (Py_ssize_t i = 0; i < k->param_count; i++) {
		const Param *p = &k->params[i];
		bool is_read = l->is_read && l->args[i].kind == NESO_ARG_VALUE &&
			       l->args[i].value.kind != NESO_VALUE_UNKNOWN;
		if (!is_read && !read_value(l->call.values[i], p->is_constexpr, p->is_const, p->text,
					    &l->args[i], &l->held))
			return false;
	}
	return true;
}

bool find_read(Launch *l)
{
	if (!l->gpu && !read_args(l))
		return false;
	l->launch = (neso_launch){
		.size = sizeof l->launch,
		.args = l->args,
		.arg_count = (size_t)l->kernel->param_count,
		.arg_size = sizeof *l->args,
		.grid = {l->launch.grid[0], l->launch.grid[1], l->launch.grid[2]},
		.options = &l->options,
		.poll = host_poll,
		.stream = l->launch.stream,
	};
	return true;
}

/* A new reference to what compiling looks at of a value: of memory (element type, place within 16
 * bytes), so that nobody holds it until then. */
static PyObject *what_decides(const neso_arg *arg, PyObject *value)
{
	if (arg->kind != NESO_ARG_POINTER)
		return Py_NewRef(value);
	return PyObject_CallFunction(host.memory, "sk", neso_dtype_name(arg->dtype),
				     (unsigned long)((uintptr_t)arg->address % 16));
}

/* A value stays in use: the package compiles for it in the background. What keeps it from that is
 * no matter of this launch. */
static void specialise(Launch *l, const neso_variant *generic)
{
	neso_variant_info info = {.size = sizeof info};
	Kernel *k = l->kernel;
	PyObject *values = PyTuple_New(k->param_count), *options = call_option_words(&l->call), *done = NULL;
	neso_variant_get_info(generic, &info);
	for (Py_ssize_t i = 0; values && i < k->param_count; i++)
		PyTuple_SetItem(values, i, what_decides(&l->args[i], l->call.values[i]));
	PyObject *numbers = Py_BuildValue("(KiKs)", (unsigned long long)l->turn.value, gpu_device(l),
					  (unsigned long long)gpu_context(l), info.target);
	if (values && options && numbers)
		done = PyObject_CallMethodObjArgs((PyObject *)k, word_specialise, numbers, k->module, values,
						  options, NULL);
	if (!done) {
		PyErr_Clear();
		neso_kernel_tier_made(k->kernel, l->turn.value, NULL);
	}
	Py_XDECREF(done);
	Py_XDECREF(numbers);
	Py_XDECREF(values);
	Py_XDECREF(options);
}

/* Under the policy tiered a launch is of another from here on: generic, or eager where its value
 * has a variant of its own. */
static neso_variant *find_tiered(Launch *l)
{
	Kernel *k = l->kernel;
	neso_variant *variant = NULL;
	l->turn = (neso_turn){.size = sizeof l->turn};
	l->options.constexpr_policy = NESO_POLICY_GENERIC;
	if (k->kernel)
		variant = l->warmup ? neso_kernel_find(k->kernel, &l->launch)
				    : neso_kernel_find_tiered(k->kernel, &l->launch, &l->turn);
	if (l->turn.is_special)
		l->options.constexpr_policy = NESO_POLICY_EAGER;
	if (l->turn.due)
		specialise(l, variant);
	return variant;
}

/* Held, or NULL. */
static neso_variant *find_variant(Launch *l)
{
	if (l->options.constexpr_policy == NESO_POLICY_TIERED)
		return find_tiered(l);
	return l->kernel->kernel ? neso_kernel_find(l->kernel->kernel, &l->launch) : NULL;
}

PyObject *find_compiled(Launch *l)
{
	Kernel *k = l->kernel;
	if (!find_read(l))
		return NULL;
	neso_kernel *kernel = k->kernel; /* a value that is specialised may run Python, and that forget */
	neso_variant *variant = find_variant(l);
	PyObject *compiled = variant && kernel == k->kernel ? known(k, variant) : NULL;
	if (kernel == k->kernel)
		neso_variant_release(variant);
	if (compiled) {
		records_use((Variant *)compiled);
		return Py_NewRef(compiled);
	}
	return compile(&(Request){k, &l->options, l, NULL, NULL});
}

/* ---- values that stay in use ---- */

static PyObject *compile_value(Launch *l, PyObject *kwargs)
{
	Kernel *k = l->kernel;
	if (!launch_begin(k) || !call_keywords(kwargs, &l->call) || !call_options(k, &l->call, &l->options))
		return NULL;
	l->options.constexpr_policy = NESO_POLICY_EAGER;
	return find_read(l) ? compile(&(Request){k, &l->options, l, NULL, NULL}) : NULL;
}

/* _compile_value(value, device, context, module, values, **options): whatever comes of it, the
 * kernel's tiers hear of it. */
PyObject *find_for_value(PyObject *self, PyObject *args, PyObject *kwargs)
{
	Kernel *k = (Kernel *)self;
	Launch l = {.kernel = k};
	unsigned long long value, context;
	int device;
	PyObject *module, *values, *compiled = NULL;
	if (!PyArg_ParseTuple(args, "KiKOO!", &value, &device, &context, &module, &PyTuple_Type, &values))
		return NULL;
	const Py_ssize_t count = PyTuple_Size(values);
	PyObject **items = calloc((size_t)count + 1, sizeof *items);
	l.args = calloc((size_t)count + 1, sizeof *l.args);
	for (Py_ssize_t i = 0; items && i < count; i++)
		items[i] = PyTuple_GetItem(values, i);
	l.call.values = items;
	if (items && l.args && count == k->param_count && module == k->module)
		compiled = compile_value(&l, kwargs);
	else
		PyErr_SetString(PyExc_RuntimeError, "the kernel is another by now");
	if (compiled && compiled != Py_None && device >= 0)
		gpu_load((Variant *)compiled, device, context);
	neso_variant *made = compiled && compiled != Py_None ? ((Variant *)compiled)->variant : NULL;
	if (module == k->module && k->kernel)
		neso_kernel_tier_made(k->kernel, value, made);
	held_free(&l.held);
	free(items);
	free(l.args);
	return compiled;
}

/* _value_failed(value, module): it was not even begun. */
PyObject *find_value_failed(PyObject *self, PyObject *args)
{
	const Kernel *k = (const Kernel *)self;
	unsigned long long value;
	PyObject *module;
	if (!PyArg_ParseTuple(args, "KO", &value, &module))
		return NULL;
	if (module == k->module && k->kernel)
		neso_kernel_tier_made(k->kernel, value, NULL);
	Py_RETURN_NONE;
}

/* _tiers() */
PyObject *find_tiers(PyObject *self, PyObject *unused)
{
	const Kernel *k = (const Kernel *)self;
	neso_tiers t = {.size = sizeof t};
	(void)unused;
	if (k->kernel)
		neso_kernel_tiers(k->kernel, &t);
	return Py_BuildValue("{sKsIsIsIsIsIsIsK}", "launches", (unsigned long long)t.launches, "values",
			     t.values, "compiling", t.compiling, "tried", t.tried, "special", t.special,
			     "generic", t.generic, "failed", t.failed, "compiled",
			     (unsigned long long)t.compiled);
}

/* _compile(signature, source, **options) */
PyObject *find_for_signature(PyObject *self, PyObject *args, PyObject *kwargs)
{
	Kernel *k = (Kernel *)self;
	Launch l = {.kernel = k};
	const char *signature;
	PyObject *source;
	if (!PyArg_ParseTuple(args, "sO", &signature, &source) || !launch_begin(k) ||
	    !call_keywords(kwargs, &l.call) || !call_options(k, &l.call, &l.options))
		return NULL;
	if (!l.options.target && !k->ignore_unknown && device_any())
		l.options.target = "cuda";
	return compile(&(Request){k, &l.options, NULL, signature, source});
}

bool find_setup(void)
{
	return intern(&word_prepare, "_prepare") && intern(&word_making, "_making") &&
	       intern(&word_making_source, "_making_source") && intern(&word_made, "_made") &&
	       intern(&word_specialise, "_specialise");
}
