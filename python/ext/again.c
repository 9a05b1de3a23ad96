/* Comparing a launch with the last one, and with the last one unlike that: each value with what the
 * parameter was given then, in one pass that makes no key. What such calls may differ in is what a
 * launch passes on: addresses, numbers.
 *
 * There are rows where that suffices for every parameter: tensors that DLPack's table of C
 * functions tells of, numbers of Python's own types, and constants that are numbers or the same as
 * long as they live. */
#include "gpu.h"

#include <stdlib.h>

#include "jit/rules.h"

void recent_drop(Recent *r)
{
	if (!r || --r->users)
		return;
	for (size_t i = 0; i < r->count; i++) {
		Py_XDECREF(r->rows[i].seen);
		Py_XDECREF(r->rows[i].type);
	}
	free(r);
}

/* Are constexprs arguments? Rows would tell calls apart that one variant serves. */
static bool demotes(const Launch *l)
{
	const neso_kernel *kernel = l->kernel->kernel;
	const uint64_t *set = l->options.constexpr_policy == NESO_POLICY_GENERIC && kernel ?
				      neso_kernel_demoted(kernel, NESO_POLICY_GENERIC) : NULL;
	return set && (set[0] | set[1] | set[2] | set[3]);
}

/* ---- rows ---- */

/* Memory whose place a tensor's device tells by itself. */
static bool tells_place(const DlTensor *t)
{
	return t->device.type == DL_CUDA || t->device.type == DL_CUDA_HOST || t->device.type == DL_CUDA_MANAGED;
}

static bool tensor_row(GpuRow *row, const Exchange *exchange, PyObject *value)
{
	DlTensor t;
	if (!exchange || exchange->tensor(value, &t) != 0) {
		PyErr_Clear();
		return false;
	}
	row->how = ROW_TENSOR;
	row->exchange = exchange;
	row->device = t.device;
	row->dtype = t.dtype;
	row->is_aligned = rule_divisible(row->value.bits);
	return tells_place(&t);
}

static bool same_row(GpuRow *row, PyObject *object)
{
	row->how = ROW_SAME;
	Py_CLEAR(row->type);
	row->seen = Py_NewRef(object);
	return true;
}

/* Numbers never change: the same object needs no look. */
static bool number_row(GpuRow *row, PyObject *number, GpuHow how, uint64_t word)
{
	row->how = (uint8_t)how;
	row->word = word;
	row->seen = Py_NewRef(number);
	return true;
}

static bool make_row(GpuRow *row, const Param *p, PyObject *value, const neso_arg *arg)
{
	row->value = gpu_value(arg);
	uint64_t bits = row->value.bits;
	bool is_tensor = arg->kind == NESO_ARG_POINTER && !p->is_constexpr;
	if (p->div8) /* what is compared does not tell of 8 */
		return false;
	if (value == Py_None || (p->is_constexpr && PyBool_Check(value)) ||
	    (arg->value.kind == NESO_VALUE_EXPR && value_lasts(value)))
		return same_row(row, value);
	row->type = (PyTypeObject *)Py_NewRef((PyObject *)Py_TYPE(value));
	row->is_typed = p->is_typed;
	if (PyLong_CheckExact(value) && !arg->value.is_unsigned)
		return p->is_constexpr
			       ? number_row(row, value, ROW_CONST_INT, bits)
			       : number_row(row, value, ROW_INT,
					    rule_int_class(arg->value.i, false, p->is_typed));
	if (PyFloat_CheckExact(value))
		return number_row(row, value, p->is_constexpr ? ROW_CONST_FLOAT : ROW_FLOAT, bits);
	if (PyBool_Check(value))
		return number_row(row, value, ROW_BOOL, 0);
	const TypeInfo *type = is_tensor ? array_type(value) : NULL;
	return type && type->kind == KIND_TENSOR && tensor_row(row, type->exchange, value);
}

Recent *recent_new(const GpuCall *g, const Launch *l, bool *no_memory)
{
	const Kernel *k = l->kernel;
	*no_memory = false;
	if (g->foreign || g->on_host >= 0 || g->has_descriptor || demotes(l))
		return NULL;
	Recent *r = calloc(1, sizeof *r + (size_t)k->param_count * sizeof *r->rows);
	*no_memory = !r;
	if (!r)
		return NULL;
	r->users = 1;
	r->exchange = g->exchange;
	r->device = g->device;
	for (; r->count < (size_t)k->param_count; r->count++) {
		size_t i = r->count;
		if (!make_row(&r->rows[i], &k->params[i], l->call.values[i], &l->args[i])) {
			r->count++;
			recent_drop(r);
			return NULL;
		}
	}
	return r;
}

/* ---- matching ---- */

static inline bool same_tensor(const GpuRow *row, const DlTensor *t, GpuValue *out)
{
	uint64_t address = (uint64_t)(uintptr_t)t->data + t->byte_offset;
	out->bits = address;
	return memcmp(&t->device, &row->device, sizeof row->device) == 0 &&
	       memcmp(&t->dtype, &row->dtype, sizeof row->dtype) == 0 &&
	       rule_divisible(address) == row->is_aligned;
}

/* False, without an exception, where the value does not fit. */
static inline bool same_number(const GpuRow *row, PyObject *value, GpuValue *out)
{
	double f;
	int overflow;
	long long i;
	uint64_t word;
	switch (row->how) {
	case ROW_INT:
	case ROW_CONST_INT:
		i = PyLong_AsLongLongAndOverflow(value, &overflow);
		out->bits = (uint64_t)i;
		word = row->how == ROW_INT ? rule_int_class(i, false, row->is_typed) : (uint64_t)i;
		return !overflow && row->word == word;
	case ROW_FLOAT:
	case ROW_CONST_FLOAT:
		f = PyFloat_AsDouble(value);
		memcpy(&out->bits, &f, sizeof f);
		return row->how == ROW_FLOAT || row->word == out->bits;
	default: out->bits = value == Py_True; return true;
	}
}

static bool match(const GpuRow *rows, PyObject *const *values, Py_ssize_t count, GpuValue *out)
{
	DlTensor t;
	const PyObject *last = NULL; /* the tensor that t tells of */
	for (Py_ssize_t i = 0; i < count; i++) {
		const GpuRow *row = &rows[i];
		PyObject *value = values[i];
		out[i] = row->value;
		if (value == row->seen)
			continue;
		if (Py_TYPE(value) != row->type) /* also of what must be the same object */
			return false;
		if (row->how != ROW_TENSOR) {
			if (!same_number(row, value, &out[i]))
				return false;
			continue;
		}
		if (value != last && row->exchange->tensor(value, &t) != 0) {
			PyErr_Clear();
			return false;
		}
		last = value;
		if (!same_tensor(row, &t, &out[i]))
			return false;
	}
	return true;
}

static bool match_one(GpuCall *g, const Launch *l, Recent *r)
{
	if (!r)
		return false;
	r->users++; /* what tells of a tensor may run Python, which may do anything to the kernel */
	if (!match(r->rows, l->call.values, l->kernel->param_count, g->values)) {
		recent_drop(r);
		return false;
	}
	g->recent = r;
	g->exchange = r->exchange;
	g->device = r->device;
	return true;
}

bool recent_match(GpuCall *g, const Launch *l)
{
	if (demotes(l))
		return false;
	return match_one(g, l, l->kernel->recent[0]) || match_one(g, l, l->kernel->recent[1]);
}
