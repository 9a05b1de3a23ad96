/* Pipelining of loops without a known trip count (scf.while). */
#ifndef NESO_GPU_PIPELINE_LEFT_H
#define NESO_GPU_PIPELINE_LEFT_H

#include "gpu/pipeline/pipeline.h"

/* Arguments of the body of such a loop, behind the counter, which nothing uses. */
enum {
	LEFT_MORE = 1, /* i1: this iteration comes */
	LEFT_GO = 2,   /* i1: as far as is known ahead, it does */
};

/* The loop in the form of scf.for. NULL: it stays what it is, as it asks for no stages, or holds no
 * load of a tile, or loops, or its test does more than compute. */
IrOp *left_count(IrModule *m, GpuCx *gpu, Arena *scratch, IrOp *loop);
/* Back to scf.while, as left_count made it or pipelined. */
IrOp *left_uncount(IrModule *m, Arena *scratch, IrOp *loop);

/* guarded.c: loads in the sides of branches go in front of them, masked, where the condition can be
 * computed ahead. True: some do. */
bool left_guard_loads(IrModule *m, GpuCx *gpu, Arena *scratch, IrOp *loop);

/* What is known ahead of whether an iteration comes goes into LEFT_GO. */
void left_predict(Pipeline *p);
/* As pipeline_exists. */
IrValue *left_exists(Pipeline *p, bool first, unsigned k);
/* Words that say which iterations come, loaded one iteration ahead: by the id of a scalar load's
 * result, what it gives in the iteration that runs; NULL: it is loaded there. */
IrValue **left_hold(Pipeline *p);
void left_use_held(Pipeline *p, IrValue *const *held);
/* TMA may still be on its way to slots when the loop is left: which ones is carried, `left_await`
 * waits for them behind the loop. */
void left_note_copies(Pipeline *p);
void left_await(Pipeline *p, IrBuilder *b, const IrOp *loop);

#endif
