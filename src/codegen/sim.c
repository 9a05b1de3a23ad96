/* The simulator's entries of the library's table (codegen/codegen.h). */
#include <stdlib.h>

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
	sim->kernel = sim_decode(&sim->arena, mod, facts->kernel, facts->threads, facts->cluster,
				 facts->shared, residency(sim, facts), diags);
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
	return sim_run(l->sim->kernel, l->launch, l->sim->scratch_bytes, diags);
}

CodegenResult *codegen_sim_launch(const CodegenSim *sim, const SimLaunch *launch)
{
	Launch l = {sim, launch};
	return codegen_with_diags(run, &l);
}
