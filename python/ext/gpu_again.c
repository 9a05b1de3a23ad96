/* Calls that are like the one before: each value is compared with what the parameter was given then, in one pass that
 * makes no key. What such calls may differ in is what a launch passes on: addresses, numbers.
 *
 * An entry has rows where that suffices for every parameter: tensors that DLPack's table of C functions tells of,
 * numbers of Python's own types, and constants that are numbers or last as long as the entry. */
#include "gpu.h"

#include <stdlib.h>

void gpu_rows_free(GpuRow *rows, size_t count)
{
	for (size_t i = 0; rows && i < count; i++)
		Py_XDECREF(rows[i].type);
	free(rows);
}

void gpu_entry_drop(GpuEntry *entry)
{
	if (!entry || --entry->users)
		return;
	Py_DECREF(entry->compiled);
	Py_DECREF(entry->lasting);
	gpu_rows_free(entry->rows, entry->row_count);
	free(entry);
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
	row->is_aligned = row->value.bits % 16 == 0;
	return tells_place(&t);
}

static bool same_row(GpuRow *row, PyObject *object)
{
	row->how = ROW_SAME;
	Py_CLEAR(row->type);
	row->object = object;
	return true;
}

static bool is_kept(const GpuCall *g, const PyObject *object)
{
	for (size_t i = 0; i < g->lasting_count; i++)
		if (g->lasting[i] == object)
			return true;
	return false;
}

static bool number_row(GpuRow *row, GpuHow how, uint64_t word)
{
	row->how = (uint8_t)how;
	row->word = word;
	return true;
}

static bool make_row(GpuRow *row, const GpuCall *g, const Param *p, PyObject *value)
{
	row->type = (PyTypeObject *)Py_NewRef((PyObject *)Py_TYPE(value));
	row->is_typed = p->is_typed;
	uint64_t bits = row->value.bits;
	if (value == Py_None || (p->is_constexpr && PyBool_Check(value)))
		return same_row(row, value);
	if (PyLong_CheckExact(value) && row->value.kind == V_INT && row->value.dtype != NESO_UINT64)
		return p->is_constexpr ? number_row(row, ROW_CONST_INT, bits)
				       : number_row(row, ROW_INT, gpu_int_word((long long)bits, p->is_typed));
	if (PyFloat_CheckExact(value) && row->value.kind == V_FLOAT)
		return number_row(row, p->is_constexpr ? ROW_CONST_FLOAT : ROW_FLOAT, bits);
	if (PyBool_Check(value))
		return number_row(row, ROW_BOOL, 0);
	if (row->value.kind == V_MEMORY && !p->is_constexpr) {
		const TypeInfo *type = array_type(value);
		return type->kind == KIND_TENSOR && tensor_row(row, type->exchange, value);
	}
	return row->value.kind == V_CONSTANT && is_kept(g, value) && same_row(row, value);
}

GpuRow *gpu_rows(const GpuCall *g, const Launch *l, bool *no_memory)
{
	const Kernel *k = l->kernel;
	if (g->demoted || g->foreign || g->on_host >= 0 || g->desc_count)
		return NULL;
	GpuRow *rows = calloc((size_t)k->param_count + 1, sizeof *rows);
	*no_memory = !rows;
	for (Py_ssize_t i = 0; rows && i < k->param_count; i++) {
		rows[i].value = g->values[i];
		if (!make_row(&rows[i], g, &k->params[i], l->call.values[i])) {
			gpu_rows_free(rows, (size_t)k->param_count);
			return NULL;
		}
	}
	return rows;
}

/* ---- matching ---- */

static inline bool same_tensor(const GpuRow *row, const DlTensor *t, GpuValue *out)
{
	uint64_t address = (uint64_t)(uintptr_t)t->data + t->byte_offset;
	out->bits = address;
	return memcmp(&t->device, &row->device, sizeof row->device) == 0 &&
	       memcmp(&t->dtype, &row->dtype, sizeof row->dtype) == 0 && (address % 16 == 0) == row->is_aligned;
}

/* False, without an exception, where the value does not fit. */
static inline bool same_number(const GpuRow *row, PyObject *value, GpuValue *out)
{
	double f;
	int overflow;
	long long i;
	switch (row->how) {
	case ROW_INT:
	case ROW_CONST_INT:
		i = PyLong_AsLongLongAndOverflow(value, &overflow);
		out->bits = (uint64_t)i;
		return !overflow && row->word == (row->how == ROW_INT ? gpu_int_word(i, row->is_typed) : (uint64_t)i);
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
		if (!row->type) {
			if (value != row->object)
				return false;
			continue;
		}
		if (Py_TYPE(value) != row->type)
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

bool gpu_again(GpuCall *g, const Launch *l)
{
	const Kernel *k = l->kernel;
	GpuEntry *entry = k->gpu ? k->gpu->last : NULL;
	if (!entry || !entry->rows || call_demoted(l))
		return false;
	entry->users++; /* what tells of a tensor may run Python, which may do anything to the table */
	if (!match(entry->rows, l->call.values, k->param_count, g->values)) {
		gpu_entry_drop(entry);
		return false;
	}
	g->entry = entry;
	g->demoted = NULL;
	g->exchange = entry->exchange;
	g->device = entry->device;
	return true;
}
