/* Loops of which nothing says in front of them how many iterations come (scf.while), while they
 * are pipelined. */
#ifndef NESO_GPU_PIPELINE_LEFT_H
#define NESO_GPU_PIPELINE_LEFT_H

#include "gpu/pipeline/pipeline.h"

/* Arguments of the body of such a loop, behind the counter, which nothing uses. */
enum {
	LEFT_MORE = 1, /* i1: this iteration comes */
	LEFT_GO = 2,   /* i1: as far as is known ahead, it does */
};

/* A loop in the form of scf.for, in the place of the scf.while that it was. */
typedef struct LeftLoop {
	IrOp *was, *is;
} LeftLoop;

/* False: it stays what it is, as it holds no load of a tile, or loops, or its test does more than
 * compute. */
bool left_count(IrModule *m, GpuCx *gpu, Arena *scratch, IrOp *loop, LeftLoop *out);
/* It is what it was. */
void left_restore(const LeftLoop *loop);
/* scf.for that is pipelined -> scf.while. */
IrOp *left_uncount(IrModule *m, Arena *scratch, IrOp *loop);

/* guarded.c: loads in the sides of branches go in front of them, masked, where the condition can be
 * computed ahead. */
void left_guard_loads(IrModule *m, GpuCx *gpu, Arena *scratch, IrOp *loop);

/* What is known ahead of whether an iteration comes goes into LEFT_GO. */
void left_predict(Pipeline *p);
/* As pipeline_exists. */
IrValue *left_exists(Pipeline *p, bool first, unsigned k);
/* TMA may still be on its way to slots when the loop is left: which ones is carried, `left_await`
 * waits for them behind the loop. */
void left_note_copies(Pipeline *p);
void left_await(Pipeline *p, IrBuilder *b, const IrOp *loop);

#endif
