/* The simulator's entries of the library's table (codegen/codegen.h). */
#include <stdlib.h>
#include <string.h>

#include "base/option/option.h"
#include "codegen/take.h"
#include "sim/sim_int.h"
#include "target/cost.h"
#include "target/target.h"

struct CodegenSim {
	Arena arena; /* holds this struct and the kernel */
	const SimKernel *kernel;
	unsigned scratch_bytes;
	const TargetGpu *target;
	unsigned maxnreg;
	uint32_t most_ctas; /* that a launch starts, each for several programs; 0: all */
	unsigned program_counts; /* arguments that tell the grid's: along axis 0, or all three */
};

/* Registers are as few as a thread may have where nobody says: a GPU may hold fewer programs,
 * and none more. */
static SimResidency residency(const CodegenSim *sim, const Facts *facts)
{
	enum { FEW_REGISTERS = 32 };
	TargetOccupancy fit;
	const TargetProcessors *of = target_processors(sim->target);
	target_occupancy(sim->target, sim->maxnreg ? MIN(sim->maxnreg, FEW_REGISTERS) : FEW_REGISTERS,
			 facts->shared, facts->threads / 32, &fit);
	return (SimResidency){.programs = MAX(of->sms * fit.ctas / facts->cluster, 1u),
			      .costs = target_costs_of(sim->target->capability),
			      .gpu = of->name,
			      .limit = fit.limit};
}

static uint32_t most_ctas(const Facts *facts, SimResidency resident)
{
	uint64_t given = option_number(OPTION_PERSIST_CTAS);
	if (!strchr(facts->args, 'n'))
		return 0;
	return given ? (uint32_t)MIN(given, (uint64_t)UINT32_MAX) : resident.programs;
}

static bool take(void *data, LLVMModuleRef mod, const Facts *facts, DiagList *diags)
{
	CodegenSim *sim = data;
	if (facts->threads % 32 || !facts->threads) {
		diag_add_at(diags, NULL, (LineCol){0, 0}, DIAG_RUN_UNSUPPORTED,
			    "the simulator runs whole warps");
		return false;
	}
	if (facts->threads / 32 * facts->cluster > SIM_MOST_WARPS) {
		diag_add_at(diags, NULL, (LineCol){0, 0}, DIAG_RUN_UNSUPPORTED,
			    arena_printf(diags->arena,
					 "the simulator runs up to %d warps of a cluster, and these are %u",
					 SIM_MOST_WARPS, facts->threads / 32 * facts->cluster));
		return false;
	}
	sim->scratch_bytes = facts->scratch_bytes;
	SimResidency resident = residency(sim, facts);
	sim->most_ctas = most_ctas(facts, resident);
	const char *counts = strchr(facts->args, 'n');
	sim->program_counts = counts ? (unsigned)strspn(counts, "n") : 0;
	sim->kernel = sim_decode(&sim->arena, mod, facts->kernel, facts->threads, facts->cluster,
				 facts->shared, resident, diags);
	return sim->kernel != NULL;
}

void codegen_sim_free(CodegenSim *sim)
{
	if (!sim)
		return;
	Arena arena = sim->arena;
	arena_free(&arena);
	free(sim);
}

CodegenResult *codegen_sim_prepare(const CodegenRequest *request, CodegenSim **out)
{
	CodegenRequest llir = *request;
	CodegenSim *sim = heap_zeroed(sizeof *sim);
	*out = NULL;
	if (!sim)
		return NULL;
	arena_init(&sim->arena, 0);
	sim->target = target_find(request->target);
	sim->maxnreg = request->maxnreg;
	llir.to = CODEGEN_LLIR;
	llir.line_info = llir.predictions = true;
	CodegenResult *result = codegen_take(&llir, take, sim);
	if (result && result->ok)
		*out = sim;
	else
		codegen_sim_free(sim);
	return result;
}

typedef struct Launch {
	const CodegenSim *sim;
	const SimLaunch *launch;
} Launch;

static bool run(void *data, DiagList *diags)
{
	const Launch *l = data;
	SimLaunch launch = *l->launch;
	const uint32_t *grid = launch.grid;
	if (l->sim->most_ctas && grid[0] && grid[1] && grid[2]) {
		uint64_t *args = ARENA_ARRAY(diags->arena, uint64_t, launch.arg_count + 3);
		memcpy(args, launch.args, launch.arg_count * sizeof *args);
		for (unsigned axis = 0; axis < l->sim->program_counts; axis++)
			args[launch.arg_count++] = grid[axis];
		launch.args = args;
		launch.several = true;
		target_persistent_grid(l->launch->grid, l->sim->most_ctas, l->sim->program_counts > 1,
				       launch.grid);
	}
	return sim_run(l->sim->kernel, &launch, l->sim->scratch_bytes, diags);
}

CodegenResult *codegen_sim_launch(const CodegenSim *sim, const SimLaunch *launch)
{
	Launch l = {sim, launch};
	return codegen_with_diags(run, &l);
}
