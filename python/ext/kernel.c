/* The types: Kernel, which is under JITFunction; Launcher, which `kernel[grid]` gives, recycled, and which is called by
 * vectorcall; compiled kernels, and the modules that they keep alive. */
#include "native.h"

#include <stdlib.h>
#include <structmember.h>

/* Public before they entered the limited API: the layout is the same from 3.9 on. */
#define HAVE_VECTORCALL (1UL << 11)
#define NARGS(n) ((Py_ssize_t)((size_t)(n) & ~((size_t)1 << (8 * sizeof(size_t) - 1))))

static PyTypeObject *launcher_type, *module_type, *variant_type;

enum { SPARE_LAUNCHERS = 8 };
static Launcher *spare[SPARE_LAUNCHERS];
static unsigned spare_count;

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
	Variant *v = (Variant *)self;
	const bool alive = v->module && ((Module *)v->module)->generation == host_generation;
	gpu_ready_free(v->ready, alive);
	if (alive)
		neso_variant_release(v->variant);
	Py_XDECREF(v->module);
	freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
	release(self);
	Py_DECREF(type);
}

static bool is_bound(const Variant *v)
{
	return v->variant && ((Module *)v->module)->generation == host_generation;
}

bool variant_usable(const Variant *v)
{
	if (is_bound(v))
		return true;
	PyErr_SetString(PyExc_RuntimeError, "this compiled kernel belongs to no kernel of this process");
	return false;
}

/* What never changes in a variant can be read in the child of a fork, too, where nothing of the
 * parent's is freed. */
static bool readable(const Variant *v)
{
	return v->variant || variant_usable(v);
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
	return host_text(status, text, diagnostics, NULL);
}

static PyObject *variant_key(PyObject *self, PyObject *unused)
{
	(void)unused;
	Variant *v = (Variant *)self;
	return readable(v) ? PyUnicode_FromString(neso_variant_key(v->variant)) : NULL;
}

/* None of a variant for the interpreter. */
/* _aot(name, prefix, ptx): header and source of this variant alone. */
static PyObject *variant_aot(PyObject *self, PyObject *arguments)
{
	Variant *v = (Variant *)self;
	neso_aot_options options;
	neso_diagnostics *diagnostics = NULL;
	char *header = NULL, *source = NULL;
	int ptx;
	neso_context *context = host_context();
	neso_aot_options_init(&options);
	if (!context || !PyArg_ParseTuple(arguments, "ssp", &options.name, &options.prefix, &ptx) ||
	    !variant_usable(v))
		return NULL;
	options.no_ptx = !ptx;
	neso_status status;
	Py_BEGIN_ALLOW_THREADS
	status = neso_aot_write(context, &v->variant, 1, &options, &header, &source, &diagnostics);
	Py_END_ALLOW_THREADS
	if (status != NESO_OK)
		return host_fail(status, diagnostics, NULL);
	neso_diagnostics_free(diagnostics);
	PyObject *texts = Py_BuildValue("(ss)", header, source);
	neso_text_free(header);
	neso_text_free(source);
	return texts;
}

static PyObject *variant_cubin(PyObject *self, PyObject *unused)
{
	(void)unused;
	Variant *v = (Variant *)self;
	size_t size;
	if (!variant_usable(v))
		return NULL;
	const void *bytes = neso_variant_binary(v->variant, "cubin", &size);
	if (!bytes)
		Py_RETURN_NONE;
	return PyBytes_FromStringAndSize(bytes, (Py_ssize_t)size);
}

static PyObject *variant_info(PyObject *self, PyObject *unused)
{
	(void)unused;
	Variant *v = (Variant *)self;
	neso_variant_info info = {.size = sizeof info};
	if (!readable(v))
		return NULL;
	neso_variant_get_info(v->variant, &info);
	PyObject *steps = PyDict_New();
	for (size_t i = 0; steps && i < NESO_STEPS; i++) {
		PyObject *seconds = PyFloat_FromDouble(info.seconds[i]);
		if (!seconds || PyDict_SetItemString(steps, neso_step_name(i), seconds) < 0)
			Py_CLEAR(steps);
		Py_XDECREF(seconds);
	}
	if (!steps)
		return NULL;
	return Py_BuildValue("{s:s,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:z,s:z,s:z,s:z,s:z,s:I,s:d,s:N}", "target", info.target,
			     "num_warps", info.num_warps, "num_stages", info.num_stages, "num_ctas", info.num_ctas,
			     "maxnreg", info.maxnreg, "threads", info.threads, "shared", info.shared, "scratch", info.scratch,
			     "registers", info.registers, "stack", info.stack, "spill_stores", info.spill_stores,
			     "spill_loads", info.spill_loads, "assembler", info.assembler, "log", info.log,
			     "reason", info.reason, "cache", info.cache, "cache_key", info.cache_key, "maps", info.maps, "store_seconds",
			     info.store_seconds, "seconds", steps);
}

static PyObject *figures_of(const neso_remark *r)
{
	PyObject *figures = PyDict_New();
	for (size_t i = 0; figures && i < r->figure_count; i++) {
		PyObject *value = PyLong_FromLongLong(r->figures[i].value);
		if (!value || PyDict_SetItemString(figures, r->figures[i].name, value) < 0)
			Py_CLEAR(figures);
		Py_XDECREF(value);
	}
	return figures;
}

/* data: a list, which is cleared where something fails. */
static void add_remark(void *data, const neso_remark *r)
{
	static const char *const outcomes[] = {"done", "missed", "fact"};
	PyObject **list = data, *figures = *list ? figures_of(r) : NULL;
	PyObject *row = figures ? Py_BuildValue("(sssziIszIN)", r->kind, r->rule, outcomes[r->outcome], r->path,
						(int)r->line, r->column, r->text, r->advice, r->times, figures) : NULL;
	if (!row || PyList_Append(*list, row) < 0)
		Py_CLEAR(*list);
	Py_XDECREF(row);
}

static PyObject *variant_remarks(PyObject *self, PyObject *unused)
{
	(void)unused;
	Variant *v = (Variant *)self;
	neso_diagnostics *diagnostics = NULL;
	PyObject *list = variant_usable(v) ? PyList_New(0) : NULL;
	if (!list)
		return NULL;
	neso_status status = neso_variant_remarks(v->variant, add_remark, &list, &diagnostics);
	if (status != NESO_OK) {
		Py_XDECREF(list);
		return host_fail(status, diagnostics, NULL);
	}
	neso_diagnostics_free(diagnostics);
	return list;
}

static PyObject *variant_is_bound(PyObject *self, PyObject *unused)
{
	(void)unused;
	return PyBool_FromLong(is_bound((Variant *)self));
}

/* From now on it is what the other one is. */
static PyObject *variant_adopt(PyObject *self, PyObject *other)
{
	Variant *v = (Variant *)self;
	const Variant *from = (Variant *)other;
	if (!PyObject_IsInstance(other, (PyObject *)variant_type) || !variant_usable(from))
		return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_TypeError, "a compiled kernel adopts another one");
	gpu_ready_free(v->ready, is_bound(v));
	neso_variant_hold(from->variant);
	if (is_bound(v))
		neso_variant_release(v->variant);
	PyObject *old = v->module;
	v->ready = NULL;
	v->looked = false;
	v->variant = from->variant;
	v->module = Py_NewRef(from->module);
	Py_XDECREF(old);
	Py_RETURN_NONE;
}

static PyMethodDef variant_methods[] = {
	{"_is_bound", variant_is_bound, METH_NOARGS, "Is it there in this process?"},
	{"_adopt", variant_adopt, METH_O, "Becomes what another one is."},
	{"_load_gpu", declare_load, METH_NOARGS, "Loads its code into the current GPU context."},
	{"_declaration", declare_line, METH_NOARGS, "The line that declares it, or None."},
	{"_remarks", variant_remarks, METH_NOARGS, "What became of its parts and why: a list of tuples."},
	{"_aot", variant_aot, METH_VARARGS, "Header and source in C."},
	{"_cubin", variant_cubin, METH_NOARGS, "The assembled code, or None."},
	{"_info", variant_info, METH_NOARGS, "What it needs and how it was made, as a dict."},
	{"_text", variant_text, METH_O, "Text of a stage."},
	{"_launch", (PyCFunction)(void (*)(void))launch_variant, METH_FASTCALL, "Launches it, as upstream's launchers are called."},
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
	for (size_t i = 0; i < k->variant_count; i++)
		Py_VISIT(k->variants[i]);
	for (size_t i = 0; i < k->watch_count; i++) {
		Py_VISIT(k->watches[i].owner);
		Py_VISIT(k->watches[i].value);
	}
	Py_VISIT(k->pre_hooks);
	Py_VISIT(Py_TYPE(self));
	return 0;
}

static int kernel_clear(PyObject *self)
{
	Kernel *k = (Kernel *)self;
	launch_forget(k);
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

/* _setup(params, pre_hooks, debug, ignore_unknown, policy, strict); params: (name, has_default,
 * default, is_constexpr, is_const, is_typed, div8) */
static PyObject *kernel_setup(PyObject *self, PyObject *args)
{
	Kernel *k = (Kernel *)self;
	PyObject *params, *hooks;
	int debug, ignore, policy = NESO_POLICY_DEFAULT, strict = NESO_STRICT_DEFAULT;
	if (!PyArg_ParseTuple(args, "O!O!pp|ii", &PyTuple_Type, &params, &PyList_Type, &hooks, &debug,
			      &ignore, &policy, &strict))
		return NULL;
	launch_forget(k);
	drop_params(k);
	Py_ssize_t count = PyTuple_Size(params);
	k->params = calloc((size_t)count + 1, sizeof *k->params);
	if (!k->params)
		return PyErr_NoMemory();
	for (Py_ssize_t i = 0; i < count; i++) {
		Param *p = &k->params[i];
		PyObject *name, *value;
		int has_default, is_constexpr, is_const, is_typed, div8;
		if (!PyArg_ParseTuple(PyTuple_GetItem(params, i), "UpOpppp", &name, &has_default, &value,
				      &is_constexpr, &is_const, &is_typed, &div8))
			return NULL;
		Py_INCREF(name);
		p->name = name;
		PyUnicode_InternInPlace(&p->name);
		p->text = PyUnicode_AsUTF8AndSize(p->name, NULL);
		p->value = has_default ? value : NULL;
		Py_XINCREF(p->value);
		p->is_constexpr = is_constexpr;
		p->is_const = is_const;
		p->is_typed = is_typed;
		p->div8 = div8;
		k->param_count = i + 1;
	}
	Py_INCREF(hooks);
	Py_XDECREF(k->pre_hooks);
	k->pre_hooks = hooks;
	k->debug = debug;
	k->policy = (neso_constexpr_policy)policy;
	k->strict = (neso_strict)strict;
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
	if (k->module) {
		/* Another thread was faster, and may have compiled by now. */
		neso_module_free(module);
		Py_RETURN_NONE;
	}
	Module *m = PyObject_New(Module, module_type);
	if (!m) {
		neso_module_free(module);
		return NULL;
	}
	m->module = module;
	m->generation = host_generation;
	launch_forget(k);
	k->module = (PyObject *)m;
	k->kernel = kernel;
	for (Py_ssize_t i = 0; i < k->param_count; i++) {
		neso_parameter param = {.size = sizeof param};
		k->params[i].div8_int =
			neso_kernel_get_parameter(kernel, (size_t)i, &param) == NESO_OK && param.div8_int;
	}
	Py_RETURN_NONE;
}

/* _div8_ints(): of each parameter, whether integers that 8 divides are told apart though the source
 * does not ask for it. */
static PyObject *kernel_div8_ints(PyObject *self, PyObject *none)
{
	Kernel *k = (Kernel *)self;
	(void)none;
	PyObject *list = PyList_New(k->param_count);
	for (Py_ssize_t i = 0; list && i < k->param_count; i++)
		PyList_SetItem(list, i, PyBool_FromLong(k->params[i].div8_int));
	return list;
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

/* _watch(list of (dict or object, name, value, is_plain)) */
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
	k->globals_seen = 0;
	for (Py_ssize_t i = 0; i < count; i++) {
		PyObject *owner, *name, *value;
		int is_plain;
		if (!PyArg_ParseTuple(PyList_GetItem(list, i), "OUOp", &owner, &name, &value, &is_plain))
			return NULL;
		Py_INCREF(owner);
		Py_INCREF(name);
		Py_INCREF(value);
		const bool is_told = is_plain && watch_dict(owner);
		k->watches[k->watch_count++] =
			(Watch){owner, name, value, PyDict_Check(owner), is_plain, is_told};
	}
	Py_RETURN_NONE;
}

static PyObject *kernel_forget(PyObject *self, PyObject *unused)
{
	(void)unused;
	launch_forget((Kernel *)self);
	Py_RETURN_NONE;
}

static PyObject *kernel_entries(PyObject *self, PyObject *unused)
{
	(void)unused;
	const Kernel *k = (Kernel *)self;
	PyObject *list = PyList_New(0);
	for (size_t i = 0; list && i < k->variant_count; i++)
		if (PyList_Append(list, k->variants[i]) < 0)
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
	{"_div8_ints", kernel_div8_ints, METH_NOARGS, "Of which parameters 8 counts by itself."},
	{"_content", tune_content, METH_NOARGS, "A hash of what the kernel is made of."},
	{"_load_ir", kernel_load_ir, METH_VARARGS, "Reads the kernel's IR."},
	{"_watch", kernel_watch, METH_O, "Adds globals and attributes to look at before each launch."},
	{"_forget", kernel_forget, METH_NOARGS, "Drops all that was compiled."},
	{"_entries", kernel_entries, METH_NOARGS, "The compiled kernels."},
	{"_compile_value", (PyCFunction)(void (*)(void))find_for_value, METH_VARARGS | METH_KEYWORDS,
	 "What _specialise was told."},
	{"_value_failed", find_value_failed, METH_VARARGS, "It is not made."},
	{"_tiers", find_tiers, METH_NOARGS, "What the policy tiered knows of the kernel's values."},
	{"_compile", (PyCFunction)(void (*)(void))find_for_signature, METH_VARARGS | METH_KEYWORDS,
	 "Compiles for a signature in upstream's notation."},
	{"_declared", declare_variants, METH_VARARGS, "The variants that a declaration stands for."},
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

bool intern(PyObject **at, const char *text)
{
	return (*at = PyUnicode_InternFromString(text)) != NULL;
}

bool intern_all(const Word *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!intern(words[i].at, words[i].text))
			return false;
	return true;
}

bool kernel_add(PyObject *module)
{
	if (!call_setup() || !find_setup() || !launch_setup())
		return false;
	module_type = add_type(module, &module_spec, "Module");
	variant_type = add_type(module, &variant_spec, "Variant");
	launcher_type = add_type(module, &launcher_spec, "Launcher");
	return module_type && variant_type && launcher_type && add_type(module, &kernel_spec, "Kernel");
}
