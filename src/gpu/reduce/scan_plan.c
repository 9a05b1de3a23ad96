/* Planning and running scans (combine.h).
 *
 * A layout is usable when each bit of the axis is one bit of registers, lanes or warps that means
 * nothing else; other tiles are converted first. Consecutive axis bits of one kind form a level.
 * From the lowest level up, each thread knows the total of the block below that its register lies
 * in. A level scans these totals: sequentially in registers, by doubling in lanes, across warps by
 * reading the totals of all warps. The prefix of a block within its level is combined with the
 * prefixes of its parts (`before`), and only at the end with the elements, of which a block may
 * have many. */
#include "gpu/reduce/combine.h"
#include "layout/f2.h"

/* ---- planning ---- */

static LayoutDim *find_dim(LayoutSpace *space, unsigned name)
{
	return (LayoutDim *)layout_space_find(space, name);
}

/* The input bit that is bit `bit` of the axis and nothing else; in_bits where there is none. */
static unsigned place_of(const Layout *l, unsigned axis, unsigned bit)
{
	uint64_t unit = layout_space_put(&l->out, LAYOUT_DIM0 + axis, UINT64_C(1) << bit);
	for (unsigned i = 0; i < l->in_bits; i++) {
		if (l->bases[i] == unit)
			return i;
	}
	return l->in_bits;
}

static bool fits(const Layout *l, unsigned axis)
{
	unsigned bits = layout_out_bits(l, LAYOUT_DIM0 + axis),
		 registers = layout_in_bits(l, LAYOUT_REGISTER);
	unsigned along = 0;
	unsigned blocks = layout_in_bits(l, LAYOUT_BLOCK);
	uint64_t mask = layout_space_mask(&l->out, LAYOUT_DIM0 + axis);
	if (f2_rank(l->bases, registers) < registers)
		return false;
	for (unsigned i = 0; i < l->in_bits; i++)
		along += (l->bases[i] & mask) != 0;
	for (unsigned i = 0; i < bits; i++) {
		if (place_of(l, axis, i) >= l->in_bits - blocks)
			return false;
	}
	return along == bits;
}

/* A layout that fits: along the axis registers, then lanes,
 * then warps; other dims have lanes and warps first. */
static const Layout *fitting_layout(LayoutContext *cx, const Layout *l, unsigned axis)
{
	unsigned lanes = layout_in_bits(l, LAYOUT_LANE), warps = layout_in_bits(l, LAYOUT_WARP),
		 other_count = 0;
	unsigned bits = layout_out_bits(l, LAYOUT_DIM0 + axis),
		 shift = layout_space_shift(&l->out, LAYOUT_DIM0 + axis);
	uint64_t others[64], bases[64] = {0};
	for (unsigned i = 0; i < l->out_bits; i++) {
		if (i < shift || i >= shift + bits)
			others[other_count++] = UINT64_C(1) << i;
	}
	unsigned other_lanes = MIN(other_count, lanes), other_warps = MIN(other_count - other_lanes, warps);
	unsigned other_registers = other_count - other_lanes - other_warps;
	unsigned in_lanes = MIN(bits, lanes - other_lanes),
		 in_warps = MIN(bits - in_lanes, warps - other_warps);
	unsigned in_registers = bits - in_lanes - in_warps, registers = in_registers + other_registers,
		 at = 0, i;
	uint64_t along = UINT64_C(1) << shift;
	for (i = 0; i < in_registers; i++, along <<= 1)
		bases[at++] = along;
	for (i = 0; i < other_registers; i++)
		bases[at++] = others[other_lanes + other_warps + i];
	for (i = 0; i < in_lanes; i++, along <<= 1)
		bases[at++] = along;
	for (i = 0; i < other_lanes; i++)
		bases[at++] = others[i];
	at += lanes - in_lanes - other_lanes;
	for (i = 0; i < in_warps; i++, along <<= 1)
		bases[at++] = along;
	for (i = 0; i < other_warps; i++)
		bases[at++] = others[other_lanes + i];
	LayoutSpace in = l->in;
	find_dim(&in, LAYOUT_REGISTER)->bits = (uint8_t)registers;
	return layout_make(cx, &in, &l->out, bases);
}

/* The kind of a place (an input bit) and its number within the kind. */
static GpuScanKind kind_of(const Layout *l, unsigned place, unsigned *number)
{
	unsigned registers = layout_in_bits(l, LAYOUT_REGISTER), lanes = layout_in_bits(l, LAYOUT_LANE);
	if (place < registers) {
		*number = place;
		return GPU_SCAN_REGISTERS;
	}
	*number = place - registers - (place < registers + lanes ? 0 : lanes);
	return place < registers + lanes ? GPU_SCAN_LANES : GPU_SCAN_WARPS;
}

/* Totals of the blocks of 2^below elements: the axis has one element for each. Register bits that
 * lie within blocks are gone, lanes and warps hold copies. `read`: additionally the level's own
 * bits are new lowest registers. */
static const Layout *totals_layout(LayoutContext *cx, const Layout *l, unsigned axis, unsigned below,
				   const GpuScanLevel *read)
{
	unsigned name = LAYOUT_DIM0 + axis, registers = layout_in_bits(l, LAYOUT_REGISTER), count = 0,
		 kept = 0;
	LayoutSpace in = l->in, out = l->out;
	uint64_t bases[64], mask = layout_space_mask(&l->out, name);
	find_dim(&out, name)->bits = (uint8_t)(layout_out_bits(l, name) - below);
	for (unsigned i = 0; read && i < read->bits; i++, kept++)
		bases[count++] = layout_space_put(&out, name, UINT64_C(1) << i);
	for (unsigned i = 0; i < l->in_bits; i++) {
		uint64_t along = layout_space_get(&l->out, l->bases[i], name) >> below, basis = 0;
		if (i < registers && (l->bases[i] & mask) && !along)
			continue;
		kept += i < registers;
		if (read && i >= registers && along && along < UINT64_C(1) << read->bits)
			along = 0;
		for (unsigned j = 0; j < l->out.count; j++) {
			unsigned dim = l->out.dim[j].name;
			basis |= layout_space_put(&out, dim, dim == name ? along :
							     layout_space_get(&l->out, l->bases[i], dim));
		}
		bases[count++] = basis;
	}
	find_dim(&in, LAYOUT_REGISTER)->bits = (uint8_t)kept;
	return layout_make(cx, &in, &out, bases);
}

GpuScanPlan gpu_plan_scan(LayoutContext *cx, const Layout *source, unsigned axis, bool reverse)
{
	CONTRACT(layout_is_onto(source));
	CONTRACT(axis < layout_rank(source));
	GpuScanPlan plan = {.source = source, .axis = axis, .reverse = reverse};
	const Layout *l = plan.layout = fits(source, axis) ? source : fitting_layout(cx, source, axis);
	unsigned bits = layout_out_bits(l, LAYOUT_DIM0 + axis), number;
	for (unsigned i = 0; i < bits; i++) {
		GpuScanKind kind = kind_of(l, place_of(l, axis, i), &number);
		GpuScanLevel *level = plan.levels ? &plan.level[plan.levels - 1] : NULL;
		bool descends = level && kind == GPU_SCAN_LANES && level->place[level->bits - 1] > number;
		if (!level || level->kind != kind || descends) {
			ASSERT(plan.levels < GPU_SCAN_LEVELS - 1);
			level = &plan.level[plan.levels++];
			level->kind = kind;
		}
		level->place[level->bits++] = number;
		level->count = UINT32_C(1) << level->bits;
	}
	for (unsigned i = 0, below = 0; i < plan.levels; below += plan.level[i++].bits) {
		GpuScanLevel *level = &plan.level[i];
		if (level->kind == GPU_SCAN_WARPS) {
			level->totals = totals_layout(cx, l, axis, below, NULL);
			level->read = totals_layout(cx, l, axis, below, level);
		}
	}
	uint32_t reps = layout_space_find(&l->out, LAYOUT_DIM0 + axis)->reps;
	if (reps > 1)
		plan.level[plan.levels++] = (GpuScanLevel){.kind = GPU_SCAN_REPS, .count = reps};
	return plan;
}

unsigned gpu_scan_trips(const GpuScanPlan *plan, const Layout *from[GPU_SCAN_TRIPS],
			const Layout *to[GPU_SCAN_TRIPS])
{
	unsigned count = 0;
	from[count] = plan->source;
	to[count++] = plan->layout;
	for (unsigned i = 0; i < plan->levels; i++) {
		if (plan->level[i].kind == GPU_SCAN_WARPS) {
			from[count] = plan->level[i].totals;
			to[count++] = plan->level[i].read;
		}
	}
	from[count] = plan->layout;
	to[count++] = plan->source;
	return count;
}

/* ---- running ---- */

enum { MAX_OPERANDS = 64 };

typedef void *Value[MAX_OPERANDS]; /* one of each operand */

typedef struct Scan {
	const GpuScanPlan *plan;
	const GpuEngine *e;
	const Layout *l;
	unsigned registers;  /* bits */
	uint32_t count;      /* registers with repetitions */
	uint32_t processed;  /* register bits of the levels so far */
	uint32_t inner;      /* those of the first level: its elements are done at once */
	void ***values;      /* elements: [operand][register] */
	void ***totals;      /* of the block that a register lies in, where its processed bits are 0 */
	void ***before;      /* what precedes; NULL where nothing does. By register, inner bits 0 */
	void **when;         /* condition for `before`; NULL: always */
	unsigned trips;
} Scan;

static void combine(const Scan *s, void ***a, uint32_t i, void ***b, uint32_t j, void **out)
{
	Value x, y;
	for (unsigned k = 0; k < s->e->operands; k++) {
		x[k] = a[k][i];
		y[k] = b[k][j];
	}
	s->e->combine(s->e->data, x, y, out);
}

static void combine_into(const Scan *s, void ***a, uint32_t i, void ***b, uint32_t j)
{
	Value out;
	combine(s, a, i, b, j, out);
	for (unsigned k = 0; k < s->e->operands; k++)
		b[k][j] = out[k];
}

static void move(const Scan *s, void ***to, uint32_t i, void ***from, uint32_t j)
{
	for (unsigned k = 0; k < s->e->operands; k++)
		to[k][i] = from[k][j];
}

static void ***new_values(const Scan *s, uint32_t count)
{
	void ***values = ARENA_ARRAY(s->e->arena, void **, s->e->operands);
	for (unsigned k = 0; k < s->e->operands; k++)
		values[k] = ARENA_ARRAY(s->e->arena, void *, count);
	return values;
}

/* yes where the condition holds (NULL: always), else no. */
static void choose(const Scan *s, void *condition, void *const *yes, void ***no, uint32_t i, void **out)
{
	for (unsigned k = 0; k < s->e->operands; k++)
		out[k] = condition ? s->e->select(s->e->data, k, condition, yes[k], no[k][i]) : yes[k];
}

/* Number `at` of level's count in the block of registers that `base` begins. */
static uint32_t register_at(const Scan *s, const GpuScanLevel *level, uint32_t base, uint32_t at)
{
	if (level->kind == GPU_SCAN_REGISTERS) {
		for (unsigned i = 0; i < level->bits; i++)
			base |= (at >> i & 1) << level->place[i];
		return base;
	}
	uint32_t digits[LAYOUT_MAX_RANK];
	layout_space_rep_digits(&s->l->out, base >> s->registers, digits);
	for (unsigned i = 0; i < s->l->out.count; i++) {
		if (s->l->out.dim[i].name == LAYOUT_DIM0 + s->plan->axis)
			digits[i] = at;
	}
	uint32_t rep = layout_space_rep_number(&s->l->out, digits);
	return rep << s->registers | (base & ((UINT32_C(1) << s->registers) - 1));
}

/* `prefix` (number i) precedes all of the block that
 * register `block` stands for, where the condition holds. */
static void put_before(const Scan *s, uint32_t block, void ***prefix, uint32_t i, void *condition)
{
	for (uint32_t r = 0; r < s->count; r++) {
		Value both, chosen, first;
		if ((r & ~s->processed) != block || (r & s->inner))
			continue;
		if (!s->before[0][r]) {
			move(s, s->before, r, prefix, i);
			s->when[r] = condition;
			continue;
		}
		combine(s, prefix, i, s->before, r, both);
		/* Where nothing precedes within the block: the prefix alone. */
		if (s->when[r])
			choose(s, s->when[r], both, prefix, i, chosen);
		else
			memcpy(chosen, both, sizeof both);
		choose(s, condition, chosen, s->before, r, first);
		for (unsigned k = 0; k < s->e->operands; k++)
			s->before[k][r] = first[k];
		s->when[r] = condition && s->when[r] ? s->e->either(s->e->data, condition, s->when[r]) : NULL;
	}
}

/* Registers that begin a block of the level: level's own and all processed bits 0. */
static bool begins(const Scan *s, const GpuScanLevel *level, uint32_t r)
{
	return !(r & s->processed) && register_at(s, level, r, 0) == r &&
	       (level->kind != GPU_SCAN_REGISTERS || !(register_at(s, level, 0, level->count - 1) & r));
}

static void scan_registers(Scan *s, const GpuScanLevel *level, bool first, bool last)
{
	bool reverse = s->plan->reverse;
	void ***sum = new_values(s, 1);
	for (uint32_t base = 0; base < s->count; base++) {
		if (!begins(s, level, base))
			continue;
		for (uint32_t c = 0; c < level->count; c++) {
			uint32_t r = register_at(s, level, base, reverse ? level->count - 1 - c : c);
			if (first) {
				if (c > 0)
					combine_into(s, sum, 0, s->values, r);
				move(s, sum, 0, s->values, r);
			} else if (c == 0) {
				move(s, sum, 0, s->totals, r);
			} else {
				Value next;
				put_before(s, r, sum, 0, NULL);
				if (last && c + 1 == level->count)
					break;
				combine(s, sum, 0, s->totals, r, next);
				for (unsigned k = 0; k < s->e->operands; k++)
					sum[k][0] = next[k];
			}
		}
		move(s, s->totals, base, sum, 0);
	}
	uint32_t bits = level->kind == GPU_SCAN_REGISTERS ? register_at(s, level, 0, level->count - 1) : 0;
	s->processed |= bits;
	if (first)
		s->inner = bits;
}

/* The totals as an array without holes, and where they belong; their number. */
static uint32_t gather_totals(const Scan *s, void ***out, uint32_t *place)
{
	uint32_t count = 0;
	for (uint32_t r = 0; r < s->count; r++) {
		if (r & s->processed)
			continue;
		move(s, out, count, s->totals, r);
		place[count++] = r;
	}
	return count;
}

static uint32_t lane_bits(const GpuScanLevel *level, unsigned count)
{
	uint32_t mask = 0;
	for (unsigned i = 0; i < count; i++)
		mask |= UINT32_C(1) << level->place[i];
	return mask;
}

static void shuffle_all(const Scan *s, void ***values, uint32_t count, void *lane)
{
	for (unsigned k = 0; k < s->e->operands; k++)
		s->e->shuffle_from(s->e->data, k, values[k], count, lane);
}

static void ***copy_values(const Scan *s, void ***values, uint32_t count)
{
	void ***copy = new_values(s, count);
	for (unsigned k = 0; k < s->e->operands; k++)
		memcpy(copy[k], values[k], sizeof *copy[k] * count);
	return copy;
}

/* Doubling: with bit i of the level, the second half of a block takes the last of the first half in
 * front. `next` NULL: this is the last level. Who precedes the first lane is the last one, so that
 * lane gets the total with what precedes it; no other lane needs it where warps come next, as of
 * copies the first is stored. */
static void scan_lanes(Scan *s, const GpuScanLevel *level, bool first, const GpuScanLevel *next)
{
	const GpuEngine *e = s->e;
	void ***sum = new_values(s, s->count);
	uint32_t *place = ARENA_ARRAY(e->arena, uint32_t, s->count), count = gather_totals(s, sum, place);
	uint32_t all = lane_bits(level, level->bits);
	for (unsigned i = 0; i < level->bits; i++) {
		uint32_t below = lane_bits(level, i), bit = UINT32_C(1) << level->place[i];
		bool reverse = s->plan->reverse;
		void *lane = e->lane_at(e->data, ~(below | bit) & 31, reverse ? bit : below);
		void *second = e->at_least(e->data, e->position(e->data, &level->place[i], 1, reverse), 1);
		void ***other = copy_values(s, sum, count);
		shuffle_all(s, other, count, lane);
		for (uint32_t j = 0; j < count; j++) {
			Value both, chosen;
			combine(s, other, j, sum, j, both);
			choose(s, second, both, sum, j, chosen);
			for (unsigned k = 0; k < e->operands; k++)
				sum[k][j] = chosen[k];
		}
	}
	if (first) {
		for (uint32_t j = 0; j < count; j++)
			move(s, s->values, place[j], sum, j);
	} else {
		void ***prefix = copy_values(s, sum, count);
		void *position = e->position(e->data, level->place, level->bits, s->plan->reverse);
		void *inside = e->at_least(e->data, position, 1);
		shuffle_all(s, prefix, count, e->lane_next(e->data, all, s->plan->reverse));
		for (uint32_t j = 0; j < count; j++)
			put_before(s, place[j], prefix, j, inside);
		if (next && next->kind == GPU_SCAN_WARPS && !s->plan->reverse) {
			for (uint32_t j = 0; j < count; j++)
				move(s, s->totals, place[j], prefix, j);
			return;
		}
	}
	if (!next)
		return;
	shuffle_all(s, sum, count, e->lane_at(e->data, ~all & 31, s->plan->reverse ? 0 : all));
	for (uint32_t j = 0; j < count; j++)
		move(s, s->totals, place[j], sum, j);
}

static void scan_warps(Scan *s, const GpuScanLevel *level, bool last)
{
	const GpuEngine *e = s->e;
	void ***all = new_values(s, s->count), ***sum = new_values(s, 1), ***prefix = new_values(s, 1);
	uint32_t *place = ARENA_ARRAY(e->arena, uint32_t, s->count), count = gather_totals(s, all, place);
	unsigned lanes = layout_in_bits(s->l, LAYOUT_LANE), bits[32];
	for (unsigned i = 0; i < level->bits; i++)
		bits[i] = lanes + level->place[i];
	e->convert(e->data, level->totals, level->read, all, s->trips++);
	void *position = e->position(e->data, bits, level->bits, s->plan->reverse);
	void *inside = e->at_least(e->data, position, 1);
	for (uint32_t j = 0; j < count; j++) {
		for (uint32_t c = 0; c < level->count; c++) {
			uint32_t from = j * level->count + (s->plan->reverse ? level->count - 1 - c : c);
			Value next, chosen;
			if (c == 0) {
				move(s, sum, 0, all, from);
				continue;
			}
			for (unsigned k = 0; k < e->operands; k++)
				next[k] = sum[k][0];
			choose(s, c == 1 ? NULL : e->at_least(e->data, position, c), next, prefix, 0, chosen);
			for (unsigned k = 0; k < e->operands; k++)
				prefix[k][0] = chosen[k];
			if (last && c + 1 == level->count)
				break;
			combine(s, sum, 0, all, from, next);
			for (unsigned k = 0; k < e->operands; k++)
				sum[k][0] = next[k];
		}
		put_before(s, place[j], prefix, 0, inside);
		move(s, s->totals, place[j], sum, 0);
	}
}

static void finish(const Scan *s)
{
	for (uint32_t r = 0; r < s->count; r++) {
		uint32_t from = r & ~s->inner;
		Value both, chosen;
		if (!s->before[0][from])
			continue;
		combine(s, s->before, from, s->values, r, both);
		choose(s, s->when[from], both, s->values, r, chosen);
		for (unsigned k = 0; k < s->e->operands; k++)
			s->values[k][r] = chosen[k];
	}
}

void gpu_run_scan(const GpuScanPlan *plan, const GpuEngine *engine, void ***values)
{
	const Layout *l = plan->layout;
	Scan s = {.plan = plan,
		  .e = engine,
		  .l = l,
		  .registers = layout_in_bits(l, LAYOUT_REGISTER),
		  .trips = 1};
	ASSERT(engine->operands <= MAX_OPERANDS);
	engine->convert(engine->data, plan->source, l, values, 0);
	s.count = layout_space_reps(&l->in) << s.registers;
	s.values = copy_values(&s, values, s.count);
	s.totals = copy_values(&s, values, s.count);
	s.before = new_values(&s, s.count);
	s.when = ARENA_ARRAY(engine->arena, void *, s.count);
	for (unsigned i = 0; i < plan->levels; i++) {
		const GpuScanLevel *level = &plan->level[i];
		bool first = i == 0, last = i + 1 == plan->levels;
		if (level->kind == GPU_SCAN_LANES)
			scan_lanes(&s, level, first, last ? NULL : level + 1);
		else if (level->kind == GPU_SCAN_WARPS)
			scan_warps(&s, level, last);
		else
			scan_registers(&s, level, first, last);
	}
	finish(&s);
	for (unsigned k = 0; k < engine->operands; k++)
		values[k] = s.values[k];
	engine->convert(engine->data, l, plan->source, values, s.trips);
}
