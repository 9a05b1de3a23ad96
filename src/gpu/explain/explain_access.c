/* How wide global memory is accessed, and which facts are missing where that is narrow.
 *
 * They are found by supposition: the axis analysis runs again as if arguments were divisible by
 * 16, or one were 1. Where that widens the access, suppositions are withdrawn one by one while it
 * stays wide; those that remain are what the access needs. */
#include "gpu/analysis/prefix.h"
#include "gpu/explain/explain.h"
#include "gpu/memory/memory.h"
#include "gpu/plan/price.h"
#include "ir/text/text.h"

enum { WIDEST = 16 /* bytes */, MOST_TRIALS = 2000 };

typedef struct Accesses {
	GpuCx *cx;
	Arena *scratch;
	const IrModule *module;
	const AxisMap *known;
	const IrOp *func;
	unsigned trials;
} Accesses;

typedef struct Access {
	const IrOp *op;
	const IrValue *pointers, *mask;
	unsigned bits, widest; /* of an element; bytes of one access at most */
	int64_t share;         /* elements of a thread */
	unsigned bytes, count; /* at once, and how often */
	const IrCx *prefix;    /* a load that would be copied if it were wider, wherever its mask ends (gpu/analysis/prefix.h); else NULL */
	const char *of;        /* "128x32xf16" */
} Access;

/* Elements that one access could take, were the layout made for it. */
static int64_t possible(const Access *a, const AxisMap *map, const IrValue *mask)
{
	int64_t best = 1;
	for (unsigned d = 0; d < a->pointers->type->rank; d++)
		best = MAX(best, a->prefix ? prefix_vector(map, a->prefix, a->pointers, mask, d) :
					     axis_vector(map, a->pointers, mask, d));
	return MIN(MIN(best, (int64_t)MAX(a->widest * 8 / a->bits, 1u)), a->share);
}

/* ---- what the arguments would have to be ---- */

typedef struct Supposed {
	bool *divisible;
	uint32_t count, one;
	int64_t width;
} Supposed;

static int64_t try(Accesses *all, const Access *a, const Supposed *s)
{
	if (all->trials++ >= MOST_TRIALS)
		return 0;
	return possible(a, axis_suppose(all->module, all->scratch, &(AxisSuppose){s->divisible, s->count, s->one, 0}), a->mask);
}

/* Without what makes no difference. */
static void take_back(Accesses *all, const Access *a, Supposed *s)
{
	for (uint32_t i = 0; i < s->count; i++) {
		if (!s->divisible[i])
			continue;
		s->divisible[i] = false;
		s->divisible[i] = try(all, a, s) < s->width;
	}
}

/* False: no such facts make it wider. */
static bool suppose(Accesses *all, const Access *a, int64_t now, Supposed *s)
{
	const IrBlock *body = ir_func_body(all->func);
	*s = (Supposed){ARENA_ARRAY(all->scratch, bool, body->arg_count + 1), body->arg_count, UINT32_MAX, now};
	for (uint32_t i = 0; i < s->count; i++)
		s->divisible[i] = ir_is_int(body->args[i]->type) || ir_is_ptr(body->args[i]->type);
	uint32_t one = UINT32_MAX;
	const int64_t without = s->width = try(all, a, s);
	for (uint32_t i = 0; i < s->count; i++) {
		const IrValue *arg = body->args[i];
		if (!ir_is_int(arg->type) || !arg->uses)
			continue;
		s->one = i;
		/* Of several the last: strides are usually given in the order of the dims, rows last. */
		int64_t width = try(all, a, s);
		one = width > without && width >= s->width ? i : one;
		s->width = MAX(s->width, width);
	}
	s->one = one;
	if (s->width <= now)
		return false;
	take_back(all, a, s);
	return true;
}

static const char *argument_name(Arena *arena, const IrBlock *body, uint32_t i)
{
	IrLoc loc = ir_value_loc(body->args[i]);
	return loc && loc->kind == LOC_NAME ? loc->text : arena_printf(arena, "argument %u", i);
}

/* "K, stride_am were divisible by 16 and stride_ak were 1" */
static const char *supposed_text(Arena *arena, const IrBlock *body, const Supposed *s)
{
	Text t;
	text_init(&t, arena);
	unsigned n = 0;
	for (uint32_t i = 0; i < s->count; i++) {
		if (s->divisible[i])
			text_printf(&t, "%s%s", n++ ? ", " : "", argument_name(arena, body, i));
	}
	if (n)
		text_printf(&t, " %s divisible by 16", n > 1 ? "were" : "was");
	if (s->one != UINT32_MAX)
		text_printf(&t, "%s%s was 1", n ? " and " : "", argument_name(arena, body, s->one));
	return t.data ? t.data : "";
}

/* ---- where an address comes from ---- */

static bool from_memory(const IrValue *v, unsigned depth)
{
	const IrOp *op = v->def, *loop = v->block ? v->block->region->op : NULL;
	if (depth && loop && loop->kind == OP_FOR && v->index)
		return from_memory(ir_operand(loop, v->index + 2), depth - 1);
	if (!op || !depth || op->region_count)
		return false;
	if (op->kind == OP_LOAD || op->kind == OP_LOCAL_LOAD)
		return ir_is_tensor(op->results[0].type);
	bool found = false;
	for (uint32_t i = 0; i < op->operand_count && !found; i++)
		found = from_memory(ir_operand(op, i), depth - 1);
	return found;
}

/* ---- one access ---- */

static const char *name_of(const IrOp *op)
{
	switch (op->kind) {
	case OP_LOAD: return "load";
	case OP_STORE: return "store";
	case OP_ASYNC_COPY: return "copy";
	default: return "atomic";
	}
}

/* A load of a loop that is pipelined: what keeps it from being copied is less than what keeps it from being wide. */
static void find_prefix(Accesses *all, Access *a, int64_t now)
{
	const IrOp *loop = ir_parent_op(a->op);
	if (a->op->kind != OP_LOAD || loop->kind != OP_FOR || !ir_get(loop, all->cx->ir, ATTR_PIPELINE))
		return;
	a->prefix = all->cx->ir;
	if (possible(a, all->known, a->mask) > now)
		a->prefix = NULL; /* something else keeps it */
}

static void say(Accesses *all, Access *a)
{
	GpuCx *cx = all->cx;
	unsigned elem = a->bits / 8;
	int64_t now = a->bytes / elem, could = possible(a, all->known, a->mask);
	const char *name = name_of(a->op);
	Remark *r;
	Supposed s = {0};
	find_prefix(all, a, now);
	if (a->bytes >= a->widest || a->bits > a->widest * 8) {
		r = gpu_remark_of(cx, a->op, NULL, REMARK_ACCESS_WIDE, name, a->of, a->bytes, a->count);
	} else if (now >= a->share) {
		r = gpu_remark_of(cx, a->op, NULL, REMARK_ACCESS_SHARE, name, a->of, a->bytes, a->count);
	} else if (could > now) {
		r = gpu_remark_of(cx, a->op, NULL, REMARK_ACCESS_LAYOUT, name, a->of, a->bytes, a->count, (unsigned)could * elem);
	} else if (suppose(all, a, now, &s)) {
		r = gpu_remark_of(cx, a->op, NULL, REMARK_ACCESS_ARGUMENTS, name, a->of, a->bytes, a->count,
				  (unsigned)s.width * elem, supposed_text(all->scratch, ir_func_body(all->func), &s));
		remark_figure(r, "possible", s.width * elem);
	} else if (a->mask && possible(a, all->known, NULL) > now) {
		r = gpu_remark_of(cx, a->op, NULL, REMARK_ACCESS_MASK, name, a->of, a->bytes, a->count,
				  (unsigned)possible(a, all->known, NULL) * elem);
	} else if (from_memory(a->pointers, 12)) {
		r = gpu_remark_of(cx, a->op, NULL, REMARK_ACCESS_INDIRECT, name, a->of, a->bytes, a->count);
	} else {
		r = gpu_remark_of(cx, a->op, NULL, REMARK_ACCESS_SCATTERED, name, a->of, a->bytes, a->count);
	}
	remark_figure(r, "width", a->bytes);
	remark_figure(r, "count", a->count);
}

static bool visit(void *data, IrOp *op)
{
	Accesses *all = data;
	static const uint8_t mask_at[OP__COUNT] = {
		[OP_LOAD] = 1, [OP_STORE] = 2, [OP_ASYNC_COPY] = 2, [OP_ATOMIC_RMW] = 2, [OP_ATOMIC_CAS] = 255,
	};
	if (op->kind == OP_FUNC)
		all->func = op;
	if (!mask_at[op->kind] || !ir_is_tensor(ir_operand(op, 0)->type))
		return true;
	Access a = {.op = op, .pointers = ir_operand(op, 0)};
	IrType type = a.pointers->type, elem = type->elem->elem;
	const Layout *l = layout_strip_registers(&all->cx->layouts, gpu_layout(all->cx, type));
	uint32_t registers[8];
	unsigned vector = 0, asked = mask_at[op->kind];
	bool counted = op->kind == OP_ASYNC_COPY && op->operand_count > 4; /* its mask may end within a copy */
	a.mask = asked < op->operand_count && !counted ? ir_operand(op, asked) : NULL;
	a.bits = gpu_element_bits(elem);
	a.widest = op->kind == OP_ATOMIC_RMW || op->kind == OP_ATOMIC_CAS ? MAX(gpu_atomic_bytes(all->cx, op), a.bits / 8) : WIDEST;
	a.share = (int64_t)layout_space_reps(&l->in) << layout_in_bits(l, LAYOUT_REGISTER);
	for (unsigned d = 0; d < type->rank; d++) {
		int64_t n = MIN(axis_vector(all->known, a.pointers, a.mask, d), (int64_t)MAX(a.widest * 8 / a.bits, 1u));
		vector = MAX(vector, layout_vector(l, d, base_log2((uint64_t)n), registers));
	}
	if (op->kind == OP_ASYNC_COPY)
		vector = MIN(vector, base_log2((uint64_t)ir_get_int(op, all->cx->ir, ATTR_COPY_CONTIGUITY, 1)));
	a.bytes = (a.bits << vector) / 8;
	a.count = (unsigned)(a.share >> vector);
	Text of;
	text_init(&of, all->scratch);
	for (uint32_t i = 0; i < type->rank; i++)
		text_printf(&of, "%lldx", (long long)type->shape[i]);
	ir_print_type(&of, elem);
	a.of = of.data;
	say(all, &a);
	return true;
}

void gpu_explain_accesses(GpuCx *cx, Arena *scratch, const IrModule *module)
{
	Accesses all = {.cx = cx, .scratch = scratch, .module = module, .known = axis_analyse(module, scratch)};
	ir_walk(module->op, false, visit, &all);
}
