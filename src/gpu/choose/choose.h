/* Choosing a layout for every tile at once.
 *
 * Every op that touches tiles, and every tile carried by control flow, is a node with one layout that drives
 * it: those of all its operands and results follow. A layout for a node costs what the op then costs (an access
 * its sectors, a reduction its shuffles); a flow of a tile from a node to another costs a conversion where what
 * is there and what is wanted differ. Both count as often as their block runs. Wanted is the choice with the
 * least sum.
 *
 * Tiles that are cheap to compute anywhere (ranges, splats, index arithmetic on them) are no nodes: they are
 * computed in whatever layouts are asked for. */
#ifndef NESO_GPU_CHOOSE_CHOOSE_H
#define NESO_GPU_CHOOSE_CHOOSE_H

#include "base/map.h"
#include "base/vec.h"
#include "gpu/gpu.h"
#include "gpu/loop/schedule.h"
#include "gpu/plan/price.h"
#include "ir/pass.h"

enum { CHOOSE_NONE = UINT32_MAX, CHOOSE_LOOP = 8 /* how often a loop is taken to run */ };

typedef enum ChooseKind {
	CHOOSE_OP,
	CHOOSE_CARRIED, /* a value of scf.for, scf.while, scf.if: block argument, result or both */
	CHOOSE_COPY,    /* a value with several uses: where one conversion can serve them all */
} ChooseKind;

typedef struct ChooseNode {
	ChooseKind kind;
	IrOp *op;
	bool fixed;             /* `layout` is all that will do; operands and results keep what they have */
	uint32_t weight;        /* how often it runs */
	const Layout *layout;   /* chosen */
	uint32_t first_edge;    /* in ends */
	uint32_t number;        /* in the flow network of a move */
	const IrType *operand_types; /* of an op: as they were */
	GpuAccess *access;      /* of an access */
	const int64_t *runs;    /* elements along each dim that are computed once; NULL: each by itself */
	bool takes_any;         /* of a dot: operands 0 and 1 may come in any layout */
	bool is_loop_sum;       /* a reduction that goes on across threads only behind its loop */
} ChooseNode;

/* The tile `value` goes from a node to an operand of another. */
typedef struct ChooseEdge {
	uint32_t from, to, operand;
	uint32_t weight, bits;
	IrValue *value;
	uint32_t next[2]; /* of `from`, of `to` */
} ChooseEdge;

typedef struct ChooseSeed {
	uint32_t node;
	const Layout *layout;
} ChooseSeed;

typedef struct Choose {
	PassCx *cx;
	GpuCx *gpu;
	Arena *arena;
	AxisMap *axes;
	VEC(ChooseNode) nodes;
	VEC(ChooseEdge) edges;
	VEC(ChooseSeed) seeds;  /* layouts that somebody wants; tried everywhere */
	uint32_t *node_of;      /* by value id; CHOOSE_NONE: no tile, or free */
	uint32_t *node_of_op;   /* by op id */
	bool *is_free;          /* by value id */
	uint32_t *weight_of;    /* by block id */
	bool *has_dot;          /* by block id */
	IrType *type_of;        /* by value id: before anything was changed */
	uint32_t values, ops, blocks; /* sizes of these tables */
	Map prices;             /* of conversions */
	Map numbers;            /* layout -> small number */
	Map inferred;           /* (op, what, layout) -> layout */
	ScheduleSeen seen;
} Choose;

/* The graph of a module (choose_graph.c). */
void choose_build(Choose *c, PassCx *cx);
/* Assigns node.layout for all nodes (choose.c). */
void choose_solve(Choose *c);

/* What a node with this driving layout gives as a value, or wants of operand i; NULL: it takes any, or (of a
 * proposal) cannot be. */
const Layout *choose_given(Choose *c, const ChooseNode *node, const IrValue *value, const Layout *layout);
const Layout *choose_wanted(Choose *c, const ChooseNode *node, uint32_t operand, const Layout *layout);
/* The driving layout that gives or wants this; NULL: not unique, or none. */
const Layout *choose_driver_of_given(Choose *c, const ChooseNode *node, const Layout *given);
const Layout *choose_driver_of_wanted(Choose *c, const ChooseNode *node, uint32_t operand, const Layout *wanted);

/* The same for an op that is no node. */
const Layout *choose_op_wanted(GpuCx *gpu, const IrOp *op, uint32_t operand, const Layout *layout);

/* Splits and joins (choose_pairs.c). The tile as it comes to one whose pairs threads share, so that
 * the proposal stops there; NULL: no such. With a register in exchange for that; NULL: there is
 * none. And what drives the split or join then. */
bool choose_is_pairs(const ChooseNode *node);
const Layout *choose_stopped(Choose *c, const Layout *const *proposed, uint32_t node);
const Layout *choose_with_pairs(Choose *c, const Layout *tile, unsigned reg);
const Layout *choose_driver_of_pairs(Choose *c, uint32_t node, const Layout *tile);

/* At a step of a sort: what is proposed there, with the bits that most steps reduce in registers
 * (choose_steps.c); NULL: it is none. */
const Layout *choose_for_steps(Choose *c, const Layout *const *proposed, uint32_t node);

/* A small number of a layout. */
uint32_t choose_number(Choose *c, const Layout *l);
/* Conversion of a value of so many bits an element. */
unsigned choose_price(Choose *c, const Layout *from, const Layout *to, unsigned bits);
/* What the node's op costs, once. */
unsigned choose_op_price(Choose *c, const ChooseNode *node, const Layout *layout);

/* Will optimize-thread-locality, in a layout that allows it, move this reduction across threads out of its
 * loop? */
bool gpu_is_loop_sum(const IrOp *reduce);

/* The smallest cut of a network (cut.c). Node v is on the far side after cut_solve where cut_is_far. */
typedef struct Cut Cut;
Cut *cut_new(Arena *arena, uint32_t nodes);
/* Cost of being on the near and on the far side; may be negative. */
void cut_add_node(Cut *cut, uint32_t node, int64_t near, int64_t far);
/* Cost of u near and v far, not negative. */
void cut_add_edge(Cut *cut, uint32_t u, uint32_t v, int64_t cost);
void cut_solve(Cut *cut);
bool cut_is_far(const Cut *cut, uint32_t node);

/* Element bits that a conversion of this value moves. */
static inline unsigned choose_bits(IrType type)
{
	return MAX(ir_elem(type)->bits, 8);
}

#endif
