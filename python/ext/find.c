/* Looking a launch up: the library's table tells which variant such a call asked for before
 * (neso_kernel_find), and the kernel here what Python calls it. A call that is like none before is
 * compiled for, of which the package hears. */
#include "native.h"

#include <stdlib.h>

static PyObject *word_prepare, *word_making, *word_making_source, *word_made;

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
	return true;
}

/* ---- compiling ---- */

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
	PyObject *options = Py_BuildValue("(IIIINNNNINzizN)", o->num_warps, o->num_stages, o->num_ctas, o->maxnreg,
					  PyBool_FromLong(o->debug), PyBool_FromLong(!o->no_fp_fusion),
					  PyBool_FromLong(o->cooperative), PyBool_FromLong(o->dependent_launch),
					  o->ptx_version, PyBool_FromLong(!o->no_overflow_checks), o->target,
					  (int)o->constexpr_policy, o->override, PyBool_FromLong(!o->no_reflect_ftz));
	PyObject *what = r->source ? Py_NewRef(r->source) : PyTuple_New(k->param_count), *made = NULL;
	for (Py_ssize_t i = 0; what && !r->source && i < k->param_count; i++) {
		Py_INCREF(r->launch->call.values[i]);
		PyTuple_SetItem(what, i, r->launch->call.values[i]);
	}
	if (options && what)
		made = PyObject_CallMethodObjArgs((PyObject *)k, r->source ? word_making_source : word_making, options, what,
						  !r->launch || r->launch->warmup ? Py_True : Py_False, NULL);
	Py_XDECREF(options);
	Py_XDECREF(what);
	return made;
}

/* A new reference to what Python calls a variant that it does not know yet. */
static PyObject *wrap(PyObject *module, neso_variant *variant)
{
	PyObject *compiled = PyObject_CallFunctionObjArgs(host.compiled, NULL);
	if (!compiled)
		return NULL;
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
	if (!known)
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
	Py_BEGIN_ALLOW_THREADS
	status = r->launch ? neso_kernel_compile_for(kernel, &r->launch->launch, &variant, &diagnostics)
			   : neso_kernel_compile(kernel, r->signature, r->options, &variant, &diagnostics);
	Py_END_ALLOW_THREADS
	if (status != NESO_OK || host_take_error()) {
		if (status != NESO_OK)
			host_fail(status, diagnostics, (PyObject *)k);
		goto out;
	}
	bool shown = launch_warn(diagnostics);
	neso_diagnostics_free(diagnostics);
	if (shown)
		compiled = take_variant(k, module, variant, token);
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

PyObject *find_compiled(Launch *l)
{
	Kernel *k = l->kernel;
	if (!find_read(l))
		return NULL;
	const neso_variant *variant = k->kernel ? neso_kernel_find(k->kernel, &l->launch) : NULL;
	PyObject *compiled = variant ? known(k, variant) : NULL;
	return compiled ? Py_NewRef(compiled) : compile(&(Request){k, &l->options, l, NULL, NULL});
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
	       intern(&word_making_source, "_making_source") && intern(&word_made, "_made");
}
