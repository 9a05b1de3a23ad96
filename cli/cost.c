/* The model of cost: a walk over TTIR that evaluates scalars of known arguments, so that it knows
 * how often loops run. */
#include "cli/cost.h"

#include <math.h>
#include <stdlib.h>

typedef struct Node {
	uint32_t number, parent;
	bool loop;
	double trips;
	double bytes, products, staged, carried, fresh;
} Node;

typedef struct Walk {
	const int64_t *args;
	const bool *args_known;
	size_t arg_count;
	int64_t *values; /* by number */
	bool *known;
	bool *constant; /* a tile of a constant */
	double *loaded; /* bytes of the load that it is of; 0: it is of none */
	size_t value_room;
	Node *nodes;
	size_t node_count, node_room;
	Cost *cost;
} Walk;

static void make_room(Walk *w, uint32_t number)
{
	if (number < w->value_room)
		return;
	size_t room = 2 * ((size_t)number + 64), old = w->value_room;
	w->values = take_more(w->values, room * sizeof *w->values);
	w->known = take_more(w->known, room * sizeof *w->known);
	w->constant = take_more(w->constant, room * sizeof *w->constant);
	w->loaded = take_more(w->loaded, room * sizeof *w->loaded);
	memset(w->known + old, 0, (room - old) * sizeof *w->known);
	memset(w->constant + old, 0, (room - old) * sizeof *w->constant);
	memset(w->loaded + old, 0, (room - old) * sizeof *w->loaded);
	w->value_room = room;
}

static void set(Walk *w, uint32_t number, int64_t value)
{
	make_room(w, number);
	w->values[number] = value;
	w->known[number] = true;
}

static bool get(const Walk *w, const neso_ir_op *op, size_t i, int64_t *out)
{
	uint32_t number = i < op->operand_count ? op->operands[i].number : 0;
	if (i >= op->operand_count || number >= w->value_room || !w->known[number])
		return false;
	*out = w->values[number];
	return true;
}

/* ---- types: "tensor<128x64xf16>", "tensor<64x!tt.ptr<f16>>" ---- */

enum { AXES = 8 };

/* Its axes; 0: it is no tile. *bits: of an element. */
static int shape_of(const char *type, int64_t shape[AXES], double *bits)
{
	static const char head[] = "tensor<";
	if (strncmp(type, head, sizeof head - 1) != 0)
		return 0;
	const char *at = type + sizeof head - 1;
	int rank = 0;
	while (rank < AXES && *at >= '0' && *at <= '9') {
		char *end;
		shape[rank++] = strtoll(at, &end, 10);
		if (*end != 'x')
			return 0;
		at = end + 1;
	}
	*bits = *at == '!' ? 64 : strtod(at + strcspn(at, "0123456789"), NULL);
	return rank;
}

static double elements(const int64_t *shape, int rank)
{
	double n = 1;
	for (int i = 0; i < rank; i++)
		n *= (double)shape[i];
	return n;
}

static double bytes_of(const char *type)
{
	int64_t shape[AXES];
	double bits;
	int rank = shape_of(type, shape, &bits);
	return rank ? elements(shape, rank) * bits / 8 : 0;
}

static void note_shape(Cost *cost, const char *type)
{
	int64_t shape[AXES];
	double bits;
	int rank = shape_of(type, shape, &bits);
	for (int i = 0; i < rank; i++)
		cost->shapes = (cost->shapes ^ (uint64_t)shape[i]) * 0x100000001b3u;
	if (rank)
		cost->largest = fmax(cost->largest, elements(shape, rank));
}

/* ---- scalars ---- */

static int64_t floor_to_zero(int64_t a, int64_t b)
{
	return b ? a / b : 0;
}

static void evaluate(Walk *w, const neso_ir_op *op)
{
	int64_t a, b, c;
	if (op->result_count != 1)
		return;
	uint32_t to = op->results[0].number;
	if (strcmp(op->name, "arith.constant") == 0) {
		w->constant[to] = strncmp(op->results[0].type, "tensor<", 7) == 0;
		for (size_t i = 0; i < op->attribute_count; i++)
			if (strcmp(op->attributes[i].name, "value") == 0 &&
			    op->attributes[i].kind <= NESO_IR_INT &&
			    op->attributes[i].kind != NESO_IR_TEXT)
				set(w, to, op->attributes[i].i);
		return;
	}
	if (strcmp(op->name, "tt.get_program_id") == 0) {
		set(w, to, 0);
		return;
	}
	if (strncmp(op->name, "arith.", 6) != 0 || !get(w, op, 0, &a))
		return;
	const char *name = op->name + 6;
	if (op->operand_count == 1 && strncmp(name, "ext", 3) == 0)
		set(w, to, a);
	if (!get(w, op, 1, &b))
		return;
	static const char *const names[] = {"addi",  "subi",  "muli",  "divsi", "divui",
					    "remsi", "remui", "minsi", "maxsi"};
	const int64_t values[] = {(int64_t)((uint64_t)a + (uint64_t)b),
				  (int64_t)((uint64_t)a - (uint64_t)b),
				  (int64_t)((uint64_t)a * (uint64_t)b),
				  floor_to_zero(a, b),
				  floor_to_zero(a, b),
				  b ? a % b : 0,
				  b ? a % b : 0,
				  a < b ? a : b,
				  a > b ? a : b};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(name, names[i]) == 0)
			set(w, to, values[i]);
	if (strcmp(name, "select") == 0 && get(w, op, 2, &c))
		set(w, to, a ? b : c);
}

static void take_arguments(Walk *w, const neso_ir_op *op)
{
	for (size_t i = 0; i < op->block_argument_count && op->block_argument_count == w->arg_count;
	     i++)
		if (w->args_known[i])
			set(w, op->block_arguments[i].number, w->args[i]);
}

/* ---- ops ---- */

static void note_loop(Walk *w, const neso_ir_op *op, Node *node)
{
	enum { UNKNOWN_TRIPS = 8 };
	int64_t low, high, step;
	node->loop = true;
	node->trips = UNKNOWN_TRIPS;
	if (get(w, op, 0, &low) && get(w, op, 1, &high) && get(w, op, 2, &step) && step > 0)
		node->trips = high > low ? ceil((double)(high - low) / (double)step) : 0;
	for (size_t i = 0; i < op->result_count; i++)
		if (!strstr(op->results[i].type, "!tt.ptr"))
			node->carried += bytes_of(op->results[i].type);
}

static void note_dot(Walk *w, const neso_ir_op *op, Node *node)
{
	int64_t a[AXES], out[AXES];
	double bits;
	int rank = op->operand_count > 1 ? shape_of(op->operands[0].type, a, &bits) : 0;
	int to = op->result_count ? shape_of(op->results[0].type, out, &bits) : 0;
	if (rank < 2 || to < 2)
		return;
	node->products = elements(out, to) * (double)a[rank - 1];
	if (op->operand_count > 2 && op->operands[2].number < w->value_room &&
	    w->constant[op->operands[2].number])
		node->fresh = bytes_of(op->results[0].type);
	for (size_t i = 0; i < 2; i++)
		node->staged += op->operands[i].number < w->value_room
					? w->loaded[op->operands[i].number]
					: 0;
}

static void visit(void *data, const neso_ir_op *op)
{
	Walk *w = data;
	Node node = {.number = op->number, .parent = op->parent, .trips = 1};
	for (size_t i = 0; i < op->result_count; i++) {
		make_room(w, op->results[i].number);
		note_shape(w->cost, op->results[i].type);
	}
	if (op->block_argument_count && w->node_count == 0)
		take_arguments(w, op); /* the first op of all lies in the function's entry, or in a
					  loop that begins it */
	evaluate(w, op);
	for (size_t i = 0; i < op->attribute_count; i++)
		w->cost->specialised |= strcmp(op->attributes[i].name, "tt.warp_specialize") == 0;
	if (strcmp(op->name, "scf.for") == 0)
		note_loop(w, op, &node);
	else if (strcmp(op->name, "tt.dot") == 0 || strcmp(op->name, "tt.dot_scaled") == 0)
		note_dot(w, op, &node);
	else if (strcmp(op->name, "tt.load") == 0 || strcmp(op->name, "tt.descriptor_load") == 0) {
		node.bytes = op->result_count ? bytes_of(op->results[0].type) : 0;
		if (op->result_count)
			w->loaded[op->results[0].number] = node.bytes;
	} else if (strcmp(op->name, "tt.store") == 0 ||
		   strcmp(op->name, "tt.descriptor_store") == 0) {
		node.bytes = op->operand_count > 1 ? bytes_of(op->operands[1].type) : 0;
	} else if (op->operand_count && op->result_count == 1 &&
		   op->operands[0].number < w->value_room) {
		/* Casts and transposes of what was loaded. */
		w->loaded[op->results[0].number] = w->loaded[op->operands[0].number];
	}
	if (w->node_count == w->node_room) {
		w->node_room = 2 * w->node_room + 256;
		w->nodes = take_more(w->nodes, w->node_room * sizeof *w->nodes);
	}
	w->nodes[w->node_count++] = node;
}

static const Node *node_of(const Walk *w, uint32_t number)
{
	for (size_t i = 0; i < w->node_count; i++)
		if (w->nodes[i].number == number)
			return &w->nodes[i];
	return NULL;
}

static void sum_up(Walk *w)
{
	for (size_t i = 0; i < w->node_count; i++) {
		const Node *n = &w->nodes[i];
		if (n->loop) {
			w->cost->carried = fmax(w->cost->carried, n->carried);
			w->cost->trips = fmax(w->cost->trips, n->trips);
		}
		if (n->bytes <= 0 && n->products <= 0)
			continue;
		double times = 1;
		bool looped = false;
		for (const Node *up = node_of(w, n->parent); up; up = node_of(w, up->parent)) {
			times *= up->trips;
			looped |= up->loop;
		}
		w->cost->bytes += n->bytes * times;
		w->cost->products += n->products * times;
		w->cost->staged += looped ? n->staged : 0;
		w->cost->fresh = fmax(w->cost->fresh, looped ? n->fresh : 0);
	}
}

bool cost_read(neso_context *context, const char *ttir, const int64_t *args, const bool *known,
	       size_t arg_count, Cost *out)
{
	*out = (Cost){.shapes = 0xcbf29ce484222325u, .trips = 1};
	Walk w = {.args = args, .args_known = known, .arg_count = arg_count, .cost = out};
	make_room(&w, 256);
	neso_diagnostics *diagnostics;
	neso_status status =
		neso_ir_walk(context, "ttir", ttir, strlen(ttir), visit, &w, &diagnostics);
	neso_diagnostics_free(diagnostics);
	sum_up(&w);
	return status == NESO_OK;
}

/* ---- what follows ---- */

CostGpu cost_gpu(neso_context *context, bool on_gpu)
{
	CostGpu out = {.sms = 108,
		       .shared = 166912,
		       .bandwidth = 1.5e12,
		       .products = 1.5e14}; /* of an A100 */
	neso_gpu gpu = {.size = sizeof gpu};
	uint32_t index;
	if (!on_gpu || neso_gpu_current(context, &index, NULL) != NESO_OK ||
	    neso_gpu_get(context, index, &gpu, NULL) != NESO_OK)
		return out;
	out.sms = gpu.sms;
	out.clusters = gpu.capability >= 90;
	out.shared = gpu.shared_cta;
	if (gpu.memory_clock_khz && gpu.bus_bits)
		out.bandwidth =
			2e3 * gpu.memory_clock_khz * gpu.bus_bits / 8; /* two transfers a clock */
	/* Products of half precision in a clock of an SM, by capability. */
	double per_clock = gpu.capability >= 90 ? 2048 : gpu.capability >= 80 ? 1024 : 512;
	if (gpu.clock_khz)
		out.products = per_clock * gpu.sms * 1e3 * gpu.clock_khz;
	return out;
}

enum { REGISTERS = 255, FILE_BYTES = 4 * 65536, WARP = 32, WARPS_SM = 64, GROUP = 4 };

/* A program's tiles lie in the memory of all its CTAs. */
static double of_cta(double bytes, CostOptions o)
{
	return bytes / o.ctas;
}

/* Bytes in registers. */
static double held_by(const Cost *cost, CostOptions o)
{
	return of_cta(cost->carried + cost->fresh, o);
}

const char *cost_refuses(const Cost *cost, const CostGpu *gpu, CostOptions o)
{
	double shared = of_cta(cost->staged, o) * o.stages, threads = WARP * (double)o.warps;
	double registers = held_by(cost, o) / 4 / threads;
	if ((o.ctas > 1 || cost->specialised) && !gpu->clusters)
		return o.ctas > 1 ? "the GPU has no clusters" : "the GPU's loops have no warps of their own";
	if (o.ctas > 1 && cost->products <= 0)
		return "CTAs of a cluster would share nothing";
	if (cost->specialised && (o.stages < 2 || o.warps % GROUP))
		return take_printf("%u warps and %u stages for a loop with warps of its own", o.warps,
				   o.stages);
	if (shared > gpu->shared)
		return take_printf("%.0f bytes of shared memory for %u stages, of %.0f", shared,
				   o.stages, gpu->shared);
	if (registers > REGISTERS - 32)
		return take_printf("%.0f registers of a thread for what the loop carries and multiplies",
				   registers);
	if (cost->largest < threads * o.ctas)
		return take_printf("%.0f threads for %.0f elements", threads * o.ctas, cost->largest);
	return NULL;
}

/* Relative time beside what the figures say: which of several with the same bounds is rather the
 * faster one. */
static double habits(const Cost *cost, CostOptions o)
{
	double registers = held_by(cost, o) / 4 / (WARP * (double)o.warps), factor = 1;
	if (cost->products > 0) {
		/* Sums fill the registers, and leave room; warps multiply in groups. */
		factor += 0.02 * fabs(log2(fmax(registers, 8) / 128));
		factor += o.warps % GROUP ? 0.1 : 0;
		factor += 0.01 * fabs((double)o.stages - 3);
		factor += o.ctas > 1 ? 0.03 : 0; /* they wait for each other */
		factor -= cost->specialised ? 0.02 : 0;
	} else {
		factor += 0.02 * fabs(log2(fmax(cost->largest / (WARP * (double)o.warps), 1) / 16));
	}
	return factor;
}

double cost_seconds(const Cost *cost, const CostGpu *gpu, double programs, CostOptions o)
{
	enum { CACHED = 3 }; /* the L2 cache is about so much faster than memory */
	const double latency = 8e-7,
		     issue = 1.5e-7; /* of an access to memory; of an iteration's own work */
	double staged = fmax(of_cta(cost->staged, o) * o.stages, 1024),
	       held = fmax(held_by(cost, o), 64.0 * 4 * WARP * o.warps);
	double ctas = fmin(fmin(floor(gpu->shared / staged), floor(FILE_BYTES / held)),
			   WARPS_SM / (double)o.warps);
	ctas = fmin(fmax(ctas, 1), 32);
	double all = programs * o.ctas;
	double waves = ceil(all / (gpu->sms * ctas)), full = all / (waves * gpu->sms * ctas);
	double memory = cost->bytes * programs / (CACHED * gpu->bandwidth),
	       dots = cost->products * programs / gpu->products;
	/* A wave takes at least its chain of iterations, of which stages overlap. */
	double chain = waves * (latency + cost->trips * (issue + latency / fmax(o.stages, 1)));
	return fmax(fmax(memory, dots) / fmax(full, 0.05), chain) * habits(cost, o);
}
