/* Shared memory: offsets and barriers of random programs, run access by access; what is cheap, what is too much.
 *
 * A run walks the program with random conditions and trip counts and plays every access of shared memory on bytes. Each byte
 * knows which buffer wrote it last: a read of a live buffer that finds another's is a wrong offset. And it knows in which
 * interval between barriers it was written and read last, and whether by warps alone: two accesses of one interval
 * of which one writes are a race. */
#include <stdio.h>
#include <stdlib.h>

#include "base/os.h"
#include "gpu/memory/memory.h"
#include "gpu_kit.h"
#include "layout_random.h"

#define ROWS "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>"
#define COLUMNS "#ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>"
#define HEAD                                                                                                               \
	"#b = " ROWS "\n"                                                                                                  \
	"#c = " COLUMNS "\n"                                                                                               \
	"#w = #ttg.linear<{register = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], " \
	"[0, 16]], warp = [[32, 0], [64, 0]], block = []}>\n"                                                              \
	"#v = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], " \
	"[16, 0]], warp = [[32, 0], [64, 0]], block = []}>\n"                                                              \
	"#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>\n"                               \
	"#m = #ttg.shared_memory\n"                                                                                        \
	"module attributes {\"ttg.num-ctas\" = 1 : i32, \"ttg.num-warps\" = 4 : i32} {\n"

/* ---- passes ---- */

static bool run(GpuKit *k, IrModule *m, const char *const *names, size_t count)
{
	PassOptions options = {.level = LEVEL_G, .verify = true, .host = &k->cx, .find = gpu_pass_by_name, .stress = true,
			       .open_analyses = gpu_analyses_open};
	return pass_run_list(m, names, count, &options, &k->diags);
}

static void both(GpuKit *k, IrModule *m)
{
	static const char *const names[] = {"allocate", "barriers"};
	bool ok = run(k, m, names, 2);
	if (!ok) {
		Text out;
		text_init(&out, &k->arena);
		diag_render_all(&out, &k->diags);
		print_message("%s\n", out.data);
	}
	assert_true(ok);
}

/* ---- random programs ---- */

typedef struct Program {
	Text text;
	Random *r;
	unsigned values; /* named so far */
	unsigned tiles, depth, size;
	int buffers[16], rings[4]; /* numbers of values in scope */
	unsigned buffer_count, ring_count;
	int index; /* the innermost counter, or -1 */
} Program;

#define TILE "128x32xf32"
#define MEMORY "!ttg.memdesc<" TILE ", #s, #m, mutable>"
#define RING "!ttg.memdesc<3x" TILE ", #s, #m, mutable>"

static unsigned pick(Program *p, unsigned n)
{
	return random_below(p->r, n);
}

static int a_buffer(Program *p)
{
	if (p->ring_count && (!p->buffer_count || pick(p, 3) == 0)) {
		int ring = p->rings[pick(p, p->ring_count)], v = (int)p->values++;
		if (p->index >= 0 && pick(p, 2))
			text_printf(&p->text, "%%v%d = ttg.memdesc_index %%v%d[%%v%d] : " RING " -> " MEMORY "\n", v, ring, p->index);
		else
			text_printf(&p->text, "%%v%d = ttg.memdesc_index %%v%d[%%c%u] : " RING " -> " MEMORY "\n", v, ring, pick(p, 3));
		return v;
	}
	return p->buffer_count ? p->buffers[pick(p, p->buffer_count)] : -1;
}

static void block(Program *p, unsigned count);

static void loop(Program *p)
{
	Program in = *p;
	int a = p->buffer_count ? a_buffer(p) : -1, b = p->buffer_count ? a_buffer(p) : -1;
	in.text = p->text;
	in.values = p->values;
	in.depth++;
	in.index = (int)in.values++;
	if (a >= 0 && pick(&in, 2)) { /* two buffers change places each time round */
		int x = (int)in.values++, y = (int)in.values++, out = (int)in.values++;
		text_printf(&in.text, "%%v%d:2 = scf.for %%v%d = %%c0 to %%n step %%c1 iter_args(%%v%d = %%v%d, %%v%d = %%v%d) -> ("
			    MEMORY ", " MEMORY ") : i32 {\n", out, in.index, x, a, y, b);
		in.buffers[in.buffer_count++] = x;
		in.buffers[in.buffer_count++] = y;
		block(&in, 1 + pick(&in, 4));
		text_printf(&in.text, "scf.yield %%v%d, %%v%d : " MEMORY ", " MEMORY "\n}\n", y, x);
		text_printf(&in.text, "ttg.local_store %%t0, %%v%d#%u : tensor<" TILE ", #b> -> " MEMORY "\n", out, pick(&in, 2));
	} else {
		text_printf(&in.text, "scf.for %%v%d = %%c0 to %%n step %%c1 : i32 {\n", in.index);
		block(&in, 1 + pick(&in, 4));
		text_str(&in.text, "}\n");
	}
	p->text = in.text;
	p->values = in.values;
}

static void branch(Program *p)
{
	Program in = *p;
	text_str(&in.text, "scf.if %k {\n");
	in.depth++;
	block(&in, 1 + pick(&in, 3));
	Program other = *p;
	other.text = in.text;
	other.values = in.values;
	other.depth++;
	text_str(&other.text, "} else {\n");
	block(&other, 1 + pick(&other, 3));
	text_str(&other.text, "}\n");
	p->text = other.text;
	p->values = other.values;
}

static void copy(Program *p)
{
	int to = a_buffer(p), token = (int)p->values;
	if (to < 0)
		return;
	p->values += 3;
	text_printf(&p->text, "%%v%d = ttg.async_copy_global_to_local %%p, %%v%d : tensor<128x32x!tt.ptr<f32>, #b> -> <" TILE
		    ", #s, #m, mutable>\n%%v%d = ttg.async_commit_group tokens %%v%d\n", token, to, token + 1, token);
	if (pick(p, 2))
		text_printf(&p->text, "%%t%u = ttg.convert_layout %%t0 : tensor<" TILE ", #b> -> tensor<" TILE ", #c>\n", ++p->tiles);
	text_printf(&p->text, "%%v%d = ttg.async_wait %%v%d {num = 0 : i32}\n", token + 2, token + 1);
}

static void statement(Program *p)
{
	static const char *const pairs[][2] = {{"#b", "#c"}, {"#w", "#v"}, {"#c", "#w"}};
	unsigned what = pick(p, p->depth < 2 ? 10 : 8);
	int at = what == 2 || what == 3 ? a_buffer(p) : -1;
	switch (what) {
	case 0:
		if (p->buffer_count < 8) {
			text_printf(&p->text, "%%v%u = ttg.local_alloc : () -> " MEMORY "\n", p->values);
			text_printf(&p->text, "ttg.local_store %%t0, %%v%u : tensor<" TILE ", #b> -> " MEMORY "\n", p->values);
			p->buffers[p->buffer_count++] = (int)p->values++;
		}
		return;
	case 1:
		if (p->ring_count < 1) {
			text_printf(&p->text, "%%v%u = ttg.local_alloc : () -> " RING "\n", p->values);
			p->rings[p->ring_count++] = (int)p->values++;
		}
		return;
	case 2:
		if (at >= 0)
			text_printf(&p->text, "%%t%u = ttg.local_load %%v%d : " MEMORY " -> tensor<" TILE ", #b>\n", ++p->tiles, at);
		return;
	case 3:
		if (at >= 0)
			text_printf(&p->text, "ttg.local_store %%t0, %%v%d : tensor<" TILE ", #b> -> " MEMORY "\n", at);
		return;
	case 4: copy(p); return;
	case 8: loop(p); return;
	case 9: branch(p); return;
	default: {
		const char *const *pair = pairs[pick(p, 3)];
		text_printf(&p->text, "%%t%u = ttg.convert_layout %%x%s : tensor<" TILE ", %s> -> tensor<" TILE ", %s>\n", ++p->tiles,
			    pair[0] + 1, pair[0], pair[1]);
	}
	}
}

static void block(Program *p, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		statement(p);
}

static IrModule *random_program(GpuKit *k, Random *r, unsigned length)
{
	Program p = {.r = r, .index = -1};
	text_init(&p.text, &k->arena);
	text_str(&p.text, HEAD "tt.func public @f(%t0: tensor<" TILE ", #b>, %xb: tensor<" TILE ", #b>, %xc: tensor<" TILE
		 ", #c>, %xw: tensor<" TILE ", #w>, %p: tensor<128x32x!tt.ptr<f32>, #b>, %n: i32, %k: i1) {\n"
		 "%c0 = arith.constant 0 : i32\n%c1 = arith.constant 1 : i32\n%c2 = arith.constant 2 : i32\n");
	/* Names of tiles are unique over the whole text: loops and branches copy the program's state. */
	block(&p, length);
	text_str(&p.text, "tt.return\n}\n}\n");
	/* Tiles are never used but stand for reads; number them apart. */
	Text named;
	text_init(&named, &k->arena);
	unsigned n = 0;
	for (const char *at = p.text.data; *at; at++) {
		text_char(&named, *at);
		if (at[0] == '\n' && at[1] == '%' && at[2] == 't') {
			text_printf(&named, "%%u%u", n++);
			at += 2 + strspn(at + 3, "0123456789");
		}
	}
	return gpu_kit_read(k, named.data);
}

/* ---- runs ---- */

enum { SHARED = 232448, NOBODY = -1 };

typedef struct Byte {
	int owner;                    /* id of the op whose buffer wrote it */
	unsigned written, read, own;  /* intervals, from 1; 0: never */
	int own_op;                   /* that used it warp by warp */
} Byte;

typedef struct Bytes {
	uint64_t lo, size;
	int owner;
} Bytes;

typedef struct Machine {
	GpuKit *k;
	Random *r;
	Byte *byte;
	unsigned interval, accesses, barriers;
	Bytes *values; /* of memdescs, by value id */
	int64_t *numbers;
	Bytes under_way[64];
	unsigned under_way_count;
	unsigned faults; /* 1: wrong owner, 2: race */
} Machine;

static void access_bytes(Machine *m, Bytes b, bool write, bool anything)
{
	m->accesses++;
	for (uint64_t i = b.lo; i < b.lo + b.size; i += 64) {
		Byte *x = &m->byte[i];
		if (x->written == m->interval || x->own == m->interval || (write && x->read == m->interval))
			m->faults |= 2;
		if (!write && !anything && x->owner != b.owner && x->owner != NOBODY)
			m->faults |= 1;
		if (write) {
			x->owner = b.owner;
			x->written = m->interval;
		} else {
			x->read = m->interval;
		}
	}
}

static void own_access(Machine *m, Bytes b, int op)
{
	for (uint64_t i = b.lo; i < b.lo + b.size; i += 64) {
		Byte *x = &m->byte[i];
		if (x->written == m->interval || x->read == m->interval || (x->own == m->interval && x->own_op != op))
			m->faults |= 2;
		x->own = m->interval;
		x->own_op = op;
		x->owner = NOBODY - 1;
	}
}

static void meet(Machine *m)
{
	m->interval++;
}

static int64_t number_of(Machine *m, const IrValue *v)
{
	int64_t i;
	return ir_constant_int(v, &i) ? i : m->numbers[v->id];
}

static void step(Machine *m, const IrOp *op)
{
	GpuCx *cx = &m->k->cx;
	switch (op->kind) {
	case OP_BARRIER:
		m->barriers++;
		meet(m);
		return;
	case OP_LOCAL_ALLOC:
		m->values[op->results[0].id] = (Bytes){gpu_shared_offset(cx, op), gpu_memdesc_bytes(cx, op->results[0].type),
						       (int)op->id};
		/* What was there is not this buffer's: it may be read before it is written. */
		for (uint64_t i = 0; i < m->values[op->results[0].id].size; i += 64)
			m->byte[m->values[op->results[0].id].lo + i].owner = (int)op->id;
		return;
	case OP_MEMDESC_INDEX: {
		Bytes b = m->values[ir_operand(op, 0)->id];
		b.size = gpu_memdesc_bytes(cx, op->results[0].type);
		b.lo += b.size * (uint64_t)number_of(m, ir_operand(op, 1));
		m->values[op->results[0].id] = b;
		return;
	}
	case OP_LOCAL_LOAD: access_bytes(m, m->values[ir_operand(op, 0)->id], false, false); return;
	case OP_LOCAL_STORE: access_bytes(m, m->values[ir_operand(op, 1)->id], true, false); return;
	case OP_ASYNC_COPY: {
		Bytes b = m->values[ir_operand(op, 1)->id];
		for (uint64_t i = b.lo; i < b.lo + b.size; i += 64) {
			Byte *x = &m->byte[i];
			if (x->written == m->interval || x->own == m->interval || x->read == m->interval)
				m->faults |= 2;
		}
		m->under_way[m->under_way_count++] = b;
		return;
	}
	case OP_ASYNC_WAIT:
		while (m->under_way_count) {
			Bytes b = m->under_way[--m->under_way_count];
			for (uint64_t i = b.lo; i < b.lo + b.size; i += 64) {
				if (m->byte[i].owner != b.owner)
					m->faults |= 1;
				m->byte[i].written = m->interval;
			}
		}
		return;
	case OP_CONVERT_LAYOUT: {
		GpuScratch scratch = gpu_scratch(cx, op);
		Bytes b = {gpu_shared_offset(cx, op), scratch.bytes, NOBODY - 1};
		if (scratch.bytes && scratch.own_warp) {
			own_access(m, b, (int)(gpu_shared_offset(cx, op) + scratch.bytes)); /* one place, one plan here */
		} else if (scratch.bytes) {
			access_bytes(m, b, true, true);
			meet(m);
			access_bytes(m, b, false, true);
		}
		return;
	}
	default: return;
	}
}

static void run_region(Machine *m, const IrRegion *region);

static void run_for(Machine *m, const IrOp *op)
{
	const IrBlock *body = op->regions[0].first;
	unsigned trips = random_below(m->r, 4);
	Bytes carried[8];
	for (uint32_t i = 0; i < op->result_count; i++)
		carried[i] = m->values[ir_operand(op, 3 + i)->id];
	for (unsigned t = 0; t < trips; t++) {
		m->numbers[body->args[0]->id] = t;
		for (uint32_t i = 0; i < op->result_count; i++)
			m->values[body->args[1 + i]->id] = carried[i];
		run_region(m, &op->regions[0]);
		for (uint32_t i = 0; i < op->result_count; i++)
			carried[i] = m->values[ir_operand(body->last, i)->id];
	}
	for (uint32_t i = 0; i < op->result_count; i++)
		m->values[op->results[i].id] = carried[i];
}

static void run_region(Machine *m, const IrRegion *region)
{
	if (!region->first)
		return;
	for (const IrOp *op = region->first->first; op; op = op->next) {
		if (op->kind == OP_FOR)
			run_for(m, op);
		else if (op->kind == OP_IF)
			run_region(m, &op->regions[random_below(m->r, 2)]);
		else
			step(m, op);
	}
}

static Machine run_machine(GpuKit *k, const IrModule *module, Random *r)
{
	Machine m = {.k = k, .r = r, .interval = 1};
	m.byte = ARENA_ARRAY(&k->arena, Byte, SHARED);
	m.values = ARENA_ARRAY(&k->arena, Bytes, module->next_value);
	m.numbers = ARENA_ARRAY(&k->arena, int64_t, module->next_value);
	for (uint64_t i = 0; i < SHARED; i++)
		m.byte[i].owner = NOBODY;
	run_region(&m, &ir_module_block(module)->first->regions[0]);
	return m;
}

static IrOp *find_barrier(IrRegion *region, unsigned *skip)
{
	for (IrBlock *b = region->first; b; b = b->next) {
		for (IrOp *op = b->first; op; op = op->next) {
			if (op->kind == OP_BARRIER && (*skip)-- == 0)
				return op;
			for (uint32_t i = 0; i < op->region_count; i++) {
				IrOp *inner = find_barrier(&op->regions[i], skip);
				if (inner)
					return inner;
			}
		}
	}
	return NULL;
}

static void random_programs_do_not_race(void **state)
{
	Random r = {4242};
	unsigned accesses = 0, barriers = 0, shared = 0, needed = 0, tried = 0;
	for (unsigned i = 0; i < 250; i++) {
		GpuKit k;
		gpu_kit_init(&k, 4, 1);
		IrModule *module = random_program(&k, &r, 6 + random_below(&r, 8));
		static const char *const allocate[] = {"allocate"};
		if (!run(&k, module, allocate, 1)) { /* it may want more than there is */
			assert_int_equal(k.diags.first->code, DIAG_SHARED_MEMORY);
			gpu_kit_free(&k);
			continue;
		}
		both(&k, module);
		uint64_t sum = 0, total = (uint64_t)ir_get_int(module->op, &k.ir, ATTR_MODULE_SHARED, -1);
		for (const IrOp *op = ir_func_body(ir_module_block(module)->first)->first; op; op = op->next)
			sum += op->kind == OP_LOCAL_ALLOC ? gpu_memdesc_bytes(&k.cx, op->results[0].type) : gpu_scratch(&k.cx, op).bytes;
		shared += total < sum;
		for (unsigned n = 0; n < 12; n++) {
			ArenaMark mark = arena_mark(&k.arena);
			Machine m = run_machine(&k, module, &r);
			assert_int_equal(m.faults, 0);
			accesses += m.accesses;
			barriers += m.barriers;
			arena_reset(&k.arena, mark);
		}
		/* Without any one of its barriers a program races, in most cases in one of a few runs. */
		unsigned skip = random_below(&r, 3);
		IrOp *barrier = find_barrier(&ir_module_block(module)->first->regions[0], &skip);
		if (barrier) {
			unsigned faults = 0;
			ir_op_erase(barrier);
			for (unsigned n = 0; n < 20 && !faults; n++) {
				ArenaMark mark = arena_mark(&k.arena);
				faults |= run_machine(&k, module, &r).faults;
				arena_reset(&k.arena, mark);
			}
			needed += faults != 0;
			tried++;
		}
		gpu_kit_free(&k);
	}
	assert_true(accesses > 5000 && barriers > 1000 && shared > 50);
	assert_true(tried > 100 && needed * 10 >= tried * 9);
}

/* ---- what is known ---- */

static uint64_t offset_at(GpuKit *k, const IrModule *m, unsigned n)
{
	for (const IrOp *op = ir_func_body(ir_module_block(m)->first)->first; op; op = op->next) {
		if (ir_get(op, &k->ir, ATTR_SHARED_OFFSET) && n-- == 0)
			return gpu_shared_offset(&k->cx, op);
	}
	return UINT64_MAX;
}

static unsigned barriers_in(const IrModule *m)
{
	unsigned n = 0;
	for (const IrOp *op = ir_func_body(ir_module_block(m)->first)->first; op; op = op->next)
		n += op->kind == OP_BARRIER;
	return n;
}

/* Two conversions through 16 KB each share them, with a barrier between; two small ones do not. */
static void sharing_is_weighed(void **state)
{
	GpuKit k;
	gpu_kit_init(&k, 4, 1);
	IrModule *m = gpu_kit_read(&k, HEAD "tt.func public @f(%x: tensor<128x32xf32, #b>) {\n"
				   "%0 = ttg.convert_layout %x : tensor<128x32xf32, #b> -> tensor<128x32xf32, #c>\n"
				   "%1 = ttg.convert_layout %0 : tensor<128x32xf32, #c> -> tensor<128x32xf32, #b>\n"
				   "tt.return\n}\n}\n");
	both(&k, m);
	assert_int_equal(offset_at(&k, m, 0), 0);
	assert_int_equal(offset_at(&k, m, 1), 0);
	assert_int_equal(ir_get_int(m->op, &k.ir, ATTR_MODULE_SHARED, -1), 128 * 32 * 4);
	assert_int_equal(barriers_in(m), 1);
	m = gpu_kit_read(&k, HEAD "tt.func public @f(%x: tensor<16x16xf32, #b>) {\n"
			 "%0 = ttg.convert_layout %x : tensor<16x16xf32, #b> -> tensor<16x16xf32, #c>\n"
			 "%1 = ttg.convert_layout %0 : tensor<16x16xf32, #c> -> tensor<16x16xf32, #b>\n"
			 "tt.return\n}\n}\n");
	both(&k, m);
	assert_int_equal(offset_at(&k, m, 1), 16 * 16 * 4);
	assert_int_equal(barriers_in(m), 0);
	gpu_kit_free(&k);
}

/* Memory that leaves little for a conversion: it goes in passes. */
static void conversions_make_do(void **state)
{
	GpuKit k;
	gpu_kit_init(&k, 4, 1);
	IrModule *m = gpu_kit_read(&k, HEAD "tt.func public @f(%x: tensor<128x128xf32, #b>) {\n"
				   "%0 = ttg.local_alloc : () -> !ttg.memdesc<128x1024xi8, #s, #m, mutable>\n"
				   "%3 = ttg.local_alloc : () -> !ttg.memdesc<64x1024xi8, #s, #m, mutable>\n"
				   "%1 = ttg.convert_layout %x : tensor<128x128xf32, #b> -> tensor<128x128xf32, #c>\n"
				   "%2 = ttg.local_load %0 : !ttg.memdesc<128x1024xi8, #s, #m, mutable> -> tensor<128x1024xi8, #b>\n"
				   "%4 = ttg.local_load %3 : !ttg.memdesc<64x1024xi8, #s, #m, mutable> -> tensor<64x1024xi8, #b>\n"
				   "tt.return\n}\n}\n");
	uint64_t whole = gpu_convert_scratch(&k.cx, gpu_layout(&k.cx, gpu_kit_type(&k, "tensor<128x128xf32, " ROWS ">")),
					     gpu_layout(&k.cx, gpu_kit_type(&k, "tensor<128x128xf32, " COLUMNS ">")),
					     ir_scalar(&k.ir, TY_F32)).bytes;
	both(&k, m);
	assert_int_equal(whole, 128 * 128 * 4);
	int64_t limit = ir_get_int(m->op, &k.ir, ATTR_CONVERSION_BYTES, 0);
	assert_int_equal(limit, 232448 / 4); /* half of the tile at a time */
	assert_int_equal(k.cx.plan_target.shared_bytes, limit);
	assert_int_equal(ir_get_int(m->op, &k.ir, ATTR_MODULE_SHARED, 0), (128 + 64 + 32) * 1024);
	gpu_kit_free(&k);
}

/* Regions with warps of their own never share; what is before and after them does. */
static void side_by_side_is_apart(void **state)
{
	GpuKit k;
	gpu_kit_init(&k, 4, 1);
	IrModule *m = gpu_kit_read(&k, HEAD
				   "tt.func public @f(%x: tensor<128x32xf32, #b>) {\n"
				   "%0 = ttg.convert_layout %x : tensor<128x32xf32, #b> -> tensor<128x32xf32, #c>\n"
				   "ttg.warp_specialize()\n"
				   "default {\n"
				   "%1 = ttg.convert_layout %x : tensor<128x32xf32, #b> -> tensor<128x32xf32, #c>\n"
				   "ttg.warp_yield\n}\n"
				   "partition0() num_warps(4) {\n"
				   "%z = arith.constant dense<0.0> : tensor<128x32xf32, #b>\n"
				   "%2 = ttg.convert_layout %z : tensor<128x32xf32, #b> -> tensor<128x32xf32, #c>\n"
				   "ttg.warp_return\n} : () -> ()\n"
				   "tt.return\n}\n}\n");
	both(&k, m);
	const IrOp *first = ir_func_body(ir_module_block(m)->first)->first, *outer = first;
	while (outer->kind != OP_WARP_SPECIALIZE)
		outer = outer->next;
	const IrOp *here = outer->regions[0].first->first, *there = outer->regions[1].first->last->regions[0].first->first;
	while (there->kind != OP_CONVERT_LAYOUT)
		there = there->next;
	uint64_t a = gpu_shared_offset(&k.cx, here), b = gpu_shared_offset(&k.cx, there);
	assert_int_equal(a + b, 128 * 32 * 4); /* one of them at 0 */
	assert_int_equal(gpu_shared_offset(&k.cx, first), 0);
	assert_int_equal(barriers_in(m), 0);
	gpu_kit_free(&k);
}

/* What is pending behind each branch is joined with what was before it, and may all be the same. */
static void many_branches_take_little_time(void **state)
{
	enum { BRANCHES = 3000 };
	GpuKit k;
	Text text;
	gpu_kit_init(&k, 4, 1);
	text_init(&text, &k.arena);
	text_str(&text, HEAD "tt.func public @f(%p: tensor<128x32x!tt.ptr<f32>, #b>, %c: i1) {\n");
	for (unsigned i = 0; i < BRANCHES; i++)
		text_printf(&text, "scf.if %%c {\n%%v%u = tt.load %%p : tensor<128x32x!tt.ptr<f32>, #b>\n}\n", i);
	text_str(&text, "tt.return\n}\n}\n");
	IrModule *m = gpu_kit_read(&k, text.data);
	double start = os_now();
	both(&k, m);
	/* Some tenths of a second; 10 s where each branch looks for every load in all before it. */
	assert_true(os_now() - start < 8);
	assert_int_equal(barriers_in(m), 0);
	gpu_kit_free(&k);
}

static char *read_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	assert_non_null(f);
	char *text = calloc(1, 1 << 16);
	assert_true(fread(text, 1, (1 << 16) - 1, f) > 0);
	fclose(f);
	return text;
}

static void too_much_is_told(void **state)
{
	GpuKit k;
	static const char *const allocate[] = {"allocate"};
	gpu_kit_init(&k, 4, 1);
	char *text = read_file(NESO_SOURCE_DIR "/test/unit/gpu/gpu_memory.mlir");
	IrModule *m = gpu_kit_read(&k, text);
	assert_false(run(&k, m, allocate, 1));
	const Diag *d = k.diags.first;
	assert_int_equal(d->code, DIAG_SHARED_MEMORY);
	assert_string_equal(d->text, "'big' needs 262144 bytes of shared memory; a program on sm_90a can have 232448");
	assert_non_null(d->notes);
	assert_string_equal(d->notes->text, "smaller blocks, or a smaller num_stages");
	const Diag *tile = d->notes->next;
	assert_string_equal(tile->text, "131072 bytes for a tile 256x256xf16 in shared memory");
	assert_int_equal(tile->from.line, 3);
	assert_int_equal(tile->next->from.line, 4);
	free(text);
	gpu_kit_free(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_programs_do_not_race),
		cmocka_unit_test(sharing_is_weighed),
		cmocka_unit_test(conversions_make_do),
		cmocka_unit_test(side_by_side_is_apart),
		cmocka_unit_test(many_branches_take_little_time),
		cmocka_unit_test(too_much_is_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
