/* Programs' numbers, printing, assertions, histogram, barriers. */
#include <math.h>
#include <stdio.h>

#include "interp/kern/math.h"
#include "interp/run.h"
#include "ir/shown.h"

static const Instr *run_program_id(Exec *x, const Instr *i)
{
	tile_splat(tile_out(x, i, 0), x->program[i->imm]);
	return i + 1;
}

bool interp_PROGRAM_ID(Decoder *d, const IrOp *op)
{
	decode_instr(d, op, run_program_id)->imm = ir_get_int(op, d->cx, ATTR_AXIS, 0);
	return true;
}

static const Instr *run_num_programs(Exec *x, const Instr *i)
{
	tile_splat(tile_out(x, i, 0), x->launch->in->grid[i->imm]);
	return i + 1;
}

static const Instr *run_cta_rank(Exec *x, const Instr *i)
{
	tile_splat(tile_out(x, i, 0), x->rank);
	return i + 1;
}

/* A program is run once for each of its CTAs then, one after the other. */
bool interp_CTA_RANK(Decoder *d, const IrOp *op)
{
	d->kernel->ctas = (uint32_t)MAX(ir_get_int(d->module->op, d->cx, ATTR_MODULE_CLUSTER, 1), 1);
	decode_instr(d, op, run_cta_rank);
	return true;
}

bool interp_NUM_PROGRAMS(Decoder *d, const IrOp *op)
{
	decode_instr(d, op, run_num_programs)->imm = ir_get_int(op, d->cx, ATTR_AXIS, 0);
	return true;
}

/* A program is one thread of the host: nothing to wait for. */
static const Instr *run_nothing(Exec *x, const Instr *i)
{
	(void)x;
	return i + 1;
}

bool interp_BARRIER(Decoder *d, const IrOp *op) { return decode_plain(d, op, run_nothing); }
bool interp_ASSUME(Decoder *d, const IrOp *op) { return decode_plain(d, op, run_nothing); }

/* ---- histogram ---- */

/* Values outside of [0, n) are counted nowhere. */
static const Instr *run_histogram(Exec *x, const Instr *i)
{
	const Tile *values = instr_in(x, i, 0), *mask = i->in > 1 ? instr_in(x, i, 1) : NULL;
	Tile *out = tile_out(x, i, 0);
	tile_alloc(x, out);
	memset(out->data, 0, (size_t)(out->shape->numel * out->size));
	int64_t bins = out->shape->numel;
	for (int64_t k = 0; k < values->shape->numel; k++) {
		if (mask && !tile_element_at(mask, k))
			continue;
		int64_t v = (int64_t)tile_element_at(values, k);
		if (v < 0 || v >= bins)
			continue;
		uint64_t count = 0;
		memcpy(&count, out->data + v * out->size, out->size);
		count++;
		memcpy(out->data + v * out->size, &count, out->size);
	}
	return i + 1;
}

bool interp_HISTOGRAM(Decoder *d, const IrOp *op) { return decode_plain(d, op, run_histogram); }

/* ---- printing ---- */

typedef struct Print {
	const char *prefix;
	bool hex;
	const bool *is_signed; /* by operand */
	int64_t (*sizes)[IR_MAX_RANK];
} Print;

typedef struct Line {
	char text[512];
	size_t len;
} Line;

static void line_add(Line *l, const char *format, ...) PRINTF_LIKE(2, 3);
static void line_add(Line *l, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	int n = vsnprintf(l->text + l->len, sizeof l->text - l->len, format, args);
	va_end(args);
	if (n > 0)
		l->len = MIN(l->len + (size_t)n, sizeof l->text - 1);
}

static double float_value(Exec *x, unsigned kind, uint64_t bits)
{
	if (kind == TY_F64)
		return from_bits_d(bits);
	int format = kern_format(kind);
	float f = half_float((uint32_t)bits);
	if (format >= 0)
		x->k->to_f32[format](&f, &bits, 1);
	return (double)f;
}

static void print_value(Exec *x, Line *l, const Tile *t, uint64_t bits, bool hex, bool is_signed)
{
	uint64_t mask = t->bits == 64 ? ~UINT64_C(0) : (UINT64_C(1) << t->bits) - 1;
	if (t->kind == TY_PTR)
		line_add(l, "0x%llx", (unsigned long long)bits);
	else if (hex)
		line_add(l, "0x%0*llx", MAX(t->bits / 4, 1), (unsigned long long)(bits & mask));
	else if (t->kind >= TY_F8E4M3FN)
		line_add(l, "%f", float_value(x, t->kind, bits));
	else if (is_signed && t->kind != TY_I1)
		line_add(l, "%lld", (long long)bits);
	else
		line_add(l, "%llu", (unsigned long long)(bits & mask));
}

static void exec_print(Exec *x, const char *text, size_t len)
{
	Launch *l = x->launch;
	x->writes++;
	if (!l->in->print)
		return;
	pthread_mutex_lock(&l->lock);
	l->in->print(l->in->print_data, text, len);
	pthread_mutex_unlock(&l->lock);
}

/* As upstream: pid (x, y, z) idx (i, j)<prefix>[(operand k) ]<value>, indices padded to the width of the largest. */
static void print_operand(Exec *x, const Print *p, const Tile *t, unsigned operand, unsigned operands)
{
	const Shape *s = t->shape;
	int64_t index[IR_MAX_RANK] = {0};
	const int64_t *sizes = p->sizes[operand];
	int64_t numel = 1;
	for (uint32_t d = 0; d < s->rank; d++)
		numel *= sizes[d];
	for (int64_t k = 0; k < numel; k++) {
		Line l = {.len = 0};
		line_add(&l, "pid (%u, %u, %u) idx (", x->program[0], x->program[1], x->program[2]);
		for (uint32_t d = 0; d < s->rank; d++) {
			int width = sizes[d] > 1 ? (int)ceil(log10((double)sizes[d])) : 0;
			line_add(&l, "%s%*lld", d ? ", " : "", width, (long long)index[d]);
		}
		line_add(&l, ")%s", p->prefix);
		if (operands > 1)
			line_add(&l, "(operand %u) ", operand);
		print_value(x, &l, t, tile_element(t, index), p->hex, p->is_signed[operand]);
		line_add(&l, "\n");
		exec_print(x, l.text, l.len);
		for (uint32_t d = s->rank; d-- > 0 && ++index[d] == sizes[d];)
			index[d] = 0;
	}
}

static const Instr *run_print(Exec *x, const Instr *i)
{
	const Print *p = i->aux;
	if (!i->in) {
		Line l = {.len = 0};
		line_add(&l, "pid (%u, %u, %u)%s\n", x->program[0], x->program[1], x->program[2], p->prefix);
		exec_print(x, l.text, l.len);
	}
	for (unsigned k = 0; k < i->in; k++)
		print_operand(x, p, instr_in(x, i, k), k, i->in);
	return i + 1;
}

static const char *text_attr(Decoder *d, const IrOp *op, IrAttrName name)
{
	IrAttr a = ir_get(op, d->cx, name);
	return a && a->kind == ATTR_KIND_STRING ? arena_strndup(d->arena, a->text, a->text_len) : "";
}

bool interp_PRINT(Decoder *d, const IrOp *op)
{
	Print *p = ARENA_NEW(d->arena, Print);
	bool *is_signed = ARENA_ARRAY(d->arena, bool, op->operand_count + 1);
	IrAttr signs = ir_get(op, d->cx, ATTR_IS_SIGNED);
	for (uint32_t k = 0; k < op->operand_count; k++)
		is_signed[k] = signs && signs->kind == ATTR_KIND_INTS && k < signs->len && signs->ints[k];
	p->sizes = arena_alloc(d->arena, (op->operand_count + 1) * sizeof *p->sizes);
	for (uint32_t k = 0; k < op->operand_count; k++) {
		IrType type = ir_operand(op, k)->type;
		for (uint32_t dim = 0; ir_is_tensor(type) && dim < type->rank; dim++)
			p->sizes[k][dim] = ir_shown_size(op, d->cx, k, dim);
	}
	p->prefix = text_attr(d, op, ATTR_PREFIX);
	p->hex = ir_get_bool(op, d->cx, ATTR_HEX);
	p->is_signed = is_signed;
	decode_instr(d, op, run_print)->aux = p;
	return true;
}

/* ---- assertions ---- */

static const Instr *run_assert(Exec *x, const Instr *i)
{
	const Tile *t = instr_in(x, i, 0);
	if (t->form == FORM_SPLAT && t->base)
		return i + 1;
	for (int64_t k = 0; k < t->shape->numel; k++) {
		if (tile_element_at(t, k))
			continue;
		char element[256];
		exec_element_text(element, sizeof element, t->shape, k);
		return exec_fault(x, i, DIAG_RUN_ASSERT, "%s in %s", (const char *)i->aux, element);
	}
	return i + 1;
}

bool interp_ASSERT(Decoder *d, const IrOp *op)
{
	decode_instr(d, op, run_assert)->aux = text_attr(d, op, ATTR_MESSAGE);
	return true;
}
