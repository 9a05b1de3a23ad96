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
	for (size_t i = 0; i < r->tensor_count; i++)
		Py_XDECREF(r->tensors[i].type);
	for (size_t i = 0; i < r->row_count; i++) {
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

static bool add_tensor(Recent *r, const Exchange *exchange, PyObject *value, size_t at)
{
	DlTensor t;
	if (!exchange || exchange->tensor(value, &t) != 0) {
		PyErr_Clear();
		return false;
	}
	r->tensors[r->tensor_count++] = (GpuTensor){
		.type = (PyTypeObject *)Py_NewRef((PyObject *)Py_TYPE(value)),
		.exchange = exchange,
		.device = t.device,
		.dtype = t.dtype,
		.at = (uint32_t)at,
		.is_aligned = rule_divisible(r->values[at].bits),
	};
	return tells_place(&t);
}

static inline uint64_t class_of_int(long long i, bool is_typed, bool div8)
{
	return rule_int_class(i, false, is_typed) |
	       (uint64_t)(div8 & rule_divisible_small((uint64_t)i)) << 63;
}

/* True. */
static bool add_row(Recent *r, PyObject *value, size_t at, GpuHow how, uint64_t word, bool is_typed)
{
	r->rows[r->row_count++] = (GpuRow){
		.seen = Py_NewRef(value),
		.type = how == ROW_SAME ? NULL : (PyTypeObject *)Py_NewRef((PyObject *)Py_TYPE(value)),
		.word = word,
		.at = (uint32_t)at,
		.how = (uint8_t)how,
		.is_typed = is_typed,
	};
	return true;
}

static bool add_value(Recent *r, const Param *p, PyObject *value, const neso_arg *arg, size_t at)
{
	r->values[at] = gpu_value(arg);
	uint64_t bits = r->values[at].bits;
	if (value == Py_None || (p->is_constexpr && PyBool_Check(value)) ||
	    (arg->value.kind == NESO_VALUE_EXPR && value_lasts(value)))
		return add_row(r, value, at, ROW_SAME, 0, false);
	if (PyLong_CheckExact(value) && !arg->value.is_unsigned && p->is_constexpr)
		return add_row(r, value, at, ROW_CONST_INT, bits, false);
	if (PyLong_CheckExact(value) && !arg->value.is_unsigned) {
		const bool div8 = p->div8 || p->div8_int;
		add_row(r, value, at, ROW_INT, class_of_int(arg->value.i, p->is_typed, div8), p->is_typed);
		r->rows[r->row_count - 1].div8 = div8;
		return true;
	}
	if (PyFloat_CheckExact(value))
		return add_row(r, value, at, p->is_constexpr ? ROW_CONST_FLOAT : ROW_FLOAT, bits, false);
	if (PyBool_Check(value))
		return add_row(r, value, at, ROW_BOOL, 0, false);
	/* Rows of tensors do not tell of 8. */
	bool is_tensor = arg->kind == NESO_ARG_POINTER && !p->is_constexpr && !p->div8;
	const TypeInfo *type = is_tensor ? array_type(value) : NULL;
	return type && type->kind == KIND_TENSOR && add_tensor(r, type->exchange, value, at);
}

static Recent *recent_alloc(size_t count)
{
	Recent *r;
	const size_t each = sizeof *r->rows + sizeof *r->tensors + sizeof *r->values;
	r = calloc(1, sizeof *r + count * each);
	if (!r)
		return NULL;
	r->users = 1;
	r->count = count;
	r->tensors = (GpuTensor *)(r->rows + count);
	r->values = (GpuValue *)(r->tensors + count);
	return r;
}

Recent *recent_new(const GpuCall *g, const Launch *l, bool *no_memory)
{
	const Kernel *k = l->kernel;
	*no_memory = false;
	if (g->foreign || g->on_host >= 0 || g->has_descriptor || demotes(l))
		return NULL;
	Recent *r = recent_alloc((size_t)k->param_count);
	*no_memory = !r;
	if (!r)
		return NULL;
	r->exchange = g->exchange;
	r->device = g->device;
	for (size_t i = 0; i < r->count; i++) {
		if (!add_value(r, &k->params[i], l->call.values[i], &l->args[i], i)) {
			recent_drop(r);
			return NULL;
		}
	}
	return r;
}

/* ---- matching ---- */

static inline bool same_tensor(const GpuTensor *row, const DlTensor *t, GpuValue *out)
{
	uint64_t address = (uint64_t)(uintptr_t)t->data + t->byte_offset;
	out->bits = address;
	return memcmp(&t->device, &row->device, sizeof row->device) == 0 &&
	       memcmp(&t->dtype, &row->dtype, sizeof row->dtype) == 0 &&
	       rule_divisible(address) == row->is_aligned;
}

static bool match_tensors(const Recent *r, PyObject *const *values, GpuValue *out)
{
	DlTensor t;
	const PyObject *last = NULL; /* the tensor that t tells of */
	const GpuTensor *end = r->tensors + r->tensor_count;
	for (const GpuTensor *row = r->tensors; row < end; row++) {
		PyObject *value = values[row->at];
		if (Py_TYPE(value) != row->type)
			return false;
		if (value != last && row->exchange->tensor(value, &t) != 0) {
			PyErr_Clear();
			return false;
		}
		if (value != last && !gpu_tensor_is_plain(value, &t)) {
			PyErr_Clear(); /* the longer way says it */
			return false;
		}
		last = value;
		if (!same_tensor(row, &t, &out[row->at]))
			return false;
	}
	return true;
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
		word = row->how == ROW_INT ? class_of_int(i, row->is_typed, row->div8) : (uint64_t)i;
		return !overflow && row->word == word;
	case ROW_FLOAT:
	case ROW_CONST_FLOAT:
		f = PyFloat_AsDouble(value);
		memcpy(&out->bits, &f, sizeof f);
		return row->how == ROW_FLOAT || row->word == out->bits;
	default: out->bits = value == Py_True; return true;
	}
}

static bool match_rows(const Recent *r, PyObject *const *values, GpuValue *out)
{
	const GpuRow *end = r->rows + r->row_count;
	for (const GpuRow *row = r->rows; row < end; row++) {
		PyObject *value = values[row->at];
		/* Of what must be the same object no type is that of a value. */
		if (value == row->seen)
			continue;
		if (Py_TYPE(value) != row->type || !same_number(row, value, &out[row->at]))
			return false;
	}
	return true;
}

static bool match_one(GpuCall *g, const Launch *l, Recent *r)
{
	if (!r)
		return false;
	r->users++; /* what tells of a tensor may run Python, which may do anything to the kernel */
	memcpy(g->values, r->values, r->count * sizeof *r->values);
	if (!match_rows(r, l->call.values, g->values) || !match_tensors(r, l->call.values, g->values)) {
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
