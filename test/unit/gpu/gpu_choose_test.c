/* Parts of the choice of layouts against the definition: smallest cuts against all assignments,
 * prices of conversions against plans, prices of accesses against addresses counted one by one. */
#include "gpu/choose/choose.h"
#include "gpu_kit.h"
#include "layout_random.h"

/* ---- cuts ---- */

enum { NODES = 9, ARCS = 24 };

typedef struct Net {
	int64_t near[NODES], far[NODES], cost[ARCS];
	uint32_t u[ARCS], v[ARCS];
} Net;

static int64_t cost_of(const Net *net, uint32_t far)
{
	int64_t sum = 0;
	for (unsigned i = 0; i < NODES; i++)
		sum += far >> i & 1 ? net->far[i] : net->near[i];
	for (unsigned i = 0; i < ARCS; i++)
		sum += !(far >> net->u[i] & 1) && far >> net->v[i] & 1 ? net->cost[i] : 0;
	return sum;
}

static void cuts_are_smallest(void **state)
{
	Random random = {7};
	for (unsigned round = 0; round < 300; round++) {
		Arena arena;
		Net net;
		arena_init(&arena, 0);
		Cut *cut = cut_new(&arena, NODES);
		for (uint32_t i = 0; i < NODES; i++) {
			net.near[i] = (int64_t)random_below(&random, 41) - 20;
			net.far[i] = (int64_t)random_below(&random, 41) - 20;
			cut_add_node(cut, i, net.near[i], net.far[i]);
		}
		for (unsigned i = 0; i < ARCS; i++) {
			net.u[i] = random_below(&random, NODES);
			net.v[i] = random_below(&random, NODES);
			net.cost[i] = random_below(&random, 20);
			cut_add_edge(cut, net.u[i], net.v[i], net.cost[i]);
		}
		cut_solve(cut);
		uint32_t chosen = 0;
		for (uint32_t i = 0; i < NODES; i++)
			chosen |= (uint32_t)cut_is_far(cut, i) << i;
		int64_t least = INT64_MAX;
		for (uint32_t far = 0; far < 1u << NODES; far++)
			least = MIN(least, cost_of(&net, far));
		assert_int_equal(cost_of(&net, chosen), least);
		arena_free(&arena);
	}
}

/* ---- conversions ---- */

/* The price is exact about nothing to do, and of the plan's size otherwise: it decides between
 * layouts whose prices are far apart. */
static void prices_go_with_plans(void **state)
{
	Random random = {3};
	unsigned near = 0, all = 0;
	for (unsigned round = 0; round < 400; round++) {
		Arena arena;
		LayoutContext cx;
		LayoutTarget target = {
			.costs = &target_costs[COSTS_SM_90], .ldmatrix = true, .stmatrix = true};
		int64_t shape[4];
		unsigned bits = 6 + random_below(&random, 7),
			 rank = random_shape(&random, bits, false, shape);
		arena_init(&arena, 0);
		layout_context_init(&cx, &arena);
		LayoutSpace tile = layout_space_of_shape(shape, rank);
		unsigned warps = random_below(&random, 3),
			 registers = bits > 5 + warps ? bits - 5 - warps : 0;
		const Layout *a =
			random_layout(&random, &cx, &tile, registers + random_below(&random, 2), warps, 0, 0);
		const Layout *b = round % 4 ? random_layout(&random, &cx, &tile, registers, warps, 0, 0) : a;
		unsigned element = 8u << random_below(&random, 4);
		unsigned price = gpu_price_convert(target.costs, a, b, element);
		const LayoutPlan *plan = layout_plan(&cx, a, b, element, &target);
		assert_int_equal(price == 0, a == b);
		if (plan->kind == LAYOUT_PLAN_NOTHING || plan->kind == LAYOUT_PLAN_REGISTERS)
			assert_true(price <= plan->cost.total + 64);
		if (plan->kind == LAYOUT_PLAN_SHARED) {
			all++;
			near += price <= 2 * plan->cost.total && plan->cost.total <= 3 * price;
		}
		arena_free(&arena);
	}
	assert_true(all > 100 && near * 10 >= all * 8);
}

/* ---- accesses ---- */

/* Along rows of 64 fp16, contiguous: what a warp's instructions cost in lines and sectors. */
static void accesses_cost_their_lines(void **state)
{
	GpuKit k;
	gpu_kit_init(&k, 4, 1);
	GpuAccess access = {.element_bits = 16, .dim = 1, .vector = 8, .contiguity = 64, .constancy = {1, 1},
			    .shared = {1, 1}};
#define LAYOUT(spt, tpw, order)                                                                              \
	gpu_layout(&k.cx, gpu_kit_type(&k, "tensor<64x64xf16, #ttg.blocked<{sizePerThread = " spt            \
					   ", threadsPerWarp = " tpw                                         \
					   ", warpsPerCTA = [4, 1], order = " order "}>>"))
	/* Each thread 4 vectors of 16 bytes; an instruction
	 * takes 4 rows of 128 bytes: 16 sectors, 4 lines. */
	assert_int_equal(gpu_price_access(k.cx.plan_target.costs, OP_LOAD, &access,
					  LAYOUT("[1, 8]", "[4, 8]", "[1, 0]")),
			 4 * (1 + 16 * 2));
	assert_int_equal(gpu_price_access(k.cx.plan_target.costs, OP_STORE, &access,
					  LAYOUT("[1, 8]", "[4, 8]", "[1, 0]")),
			 4 * (1 + 16 * 4));
	/* A row in each thread: vectors too, but each lane has a line of its own. */
	assert_int_equal(gpu_price_access(k.cx.plan_target.costs, OP_LOAD, &access,
					  LAYOUT("[1, 1]", "[32, 1]", "[0, 1]")),
			 8 * (1 + 32 * 4));
	/* Atomics take one element each; half a row is two sectors. */
	assert_int_equal(gpu_price_access(k.cx.plan_target.costs, OP_ATOMIC_RMW, &access,
					  LAYOUT("[1, 1]", "[1, 32]", "[1, 0]")),
			 32 * (1 + 2 * 8));
	/* One address for all columns, under masks that differ, and under one: a thread then loads
	 * both of its columns at once. */
	access = (GpuAccess){.element_bits = 16,
			     .dim = 0,
			     .vector = 1,
			     .contiguity = 1,
			     .constancy = {1, 64},
			     .shared = {1, 1}};
	assert_int_equal(gpu_price_access(k.cx.plan_target.costs, OP_LOAD, &access,
					  LAYOUT("[1, 1]", "[1, 32]", "[1, 0]")),
			 32 * (1 + 4));
	access.shared[1] = 64;
	assert_int_equal(gpu_price_access(k.cx.plan_target.costs, OP_LOAD, &access,
					  LAYOUT("[1, 1]", "[1, 32]", "[1, 0]")),
			 16 * (1 + 4));
	/* Words that lie side by side and may begin anywhere: of four in one thread the first load
	 * brings the sectors for all, each takes its turn at the lines. Neighbours in other
	 * lanes bring their own. */
	access = (GpuAccess){.element_bits = 32,
			     .dim = 1,
			     .vector = 1,
			     .contiguity = 64,
			     .sets_pace = true,
			     .constancy = {1, 1},
			     .shared = {1, 1}};
	unsigned place = k.cx.plan_target.costs->load_request;
	assert_int_equal(gpu_price_access(k.cx.plan_target.costs, OP_LOAD, &access,
					  LAYOUT("[1, 4]", "[2, 16]", "[1, 0]")),
			 32 * (1 + place) + 8 * 4 * 4 * 4);
	assert_int_equal(gpu_price_access(k.cx.plan_target.costs, OP_LOAD, &access,
					  LAYOUT("[1, 1]", "[1, 32]", "[1, 0]")),
			 32 * (1 + place + 4 * 2));
	/* Stores of one element in each sector write parts of them, without their neighbours. */
	access = (GpuAccess){.element_bits = 32,
			     .dim = 0,
			     .vector = 4,
			     .contiguity = 64,
			     .constancy = {1, 1},
			     .shared = {1, 1}};
	unsigned lone = k.cx.plan_target.costs->store_lone;
	assert_int_equal(gpu_price_access(k.cx.plan_target.costs, OP_STORE, &access,
					  LAYOUT("[1, 1]", "[1, 32]", "[1, 0]")),
			 32 * (1 + 32 * 4 + (32 - 4) * 12 + 32 * lone));
	/* Every second word of a row: 256 bytes by a warp's lanes, side by side; one in each lane's
	 * line if a thread has a row. */
	access = (GpuAccess){.element_bits = 32,
			     .dim = 1,
			     .vector = 1,
			     .contiguity = 32,
			     .step = 2,
			     .constancy = {1, 1},
			     .shared = {1, 1}};
	assert_int_equal(gpu_price_access(k.cx.plan_target.costs, OP_LOAD, &access,
					  LAYOUT("[1, 1]", "[1, 32]", "[1, 0]")),
			 32 * (1 + 8 * 2));
	assert_int_equal(gpu_price_access(k.cx.plan_target.costs, OP_LOAD, &access,
					  LAYOUT("[1, 16]", "[8, 4]", "[1, 0]")),
			 32 * (1 + 32 * 4));
	gpu_kit_free(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cuts_are_smallest),
		cmocka_unit_test(prices_go_with_plans),
		cmocka_unit_test(accesses_cost_their_lines),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
