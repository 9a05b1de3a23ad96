/* The SSA IR: operations with regions, values with use lists, a builder.
 *
 * Objects live in the IrCx's arena at a fixed address until the compilation ends; erasing unlinks. Each op,
 * value and block has a dense id, unique in its module, for side tables (size: module->next_op etc.). Ids are
 * not renumbered, so they never reach any output. */
#ifndef NESO_IR_IR_H
#define NESO_IR_IR_H

#include "base/vec.h"
#include "ir/enums.h"
#include "ir/type.h"

typedef enum {
#define OP(name, ...) OP_##name,
#include "ir/ops.def"
#undef OP
	OP__COUNT
} IrOpKind;

typedef struct IrOp IrOp;
typedef struct IrValue IrValue;
typedef struct IrBlock IrBlock;
typedef struct IrRegion IrRegion;

/* One operand of an op: a link in the value's list of uses. */
typedef struct IrUse {
	IrValue *value;
	IrOp *owner;
	struct IrUse *next, **link; /* link: what points to this use */
} IrUse;

struct IrValue {
	IrType type;
	uint32_t id;
	uint32_t index; /* result number, or argument number of the block */
	IrOp *def;      /* NULL for a block argument */
	IrBlock *block; /* NULL for a result */
	IrUse *uses;
	IrLoc loc;      /* of a block argument; a result has its op's */
};

typedef struct IrNamedAttr {
	Sym name;
	IrAttr value;
} IrNamedAttr;

struct IrOp {
	IrOpKind kind;
	uint32_t id;
	IrBlock *block; /* NULL: not (or no longer) in a block */
	IrOp *prev, *next;
	IrUse *operands;
	IrValue *results; /* an array; results[i] */
	IrRegion *regions;
	IrNamedAttr *attrs; /* sorted by strcmp of the name */
	IrBlock *succ[2];   /* cf.br, cf.cond_br */
	uint32_t operand_count, operand_cap, result_count, region_count, attr_count, succ_count;
	uint32_t succ_split; /* cf.cond_br: operands [1, 1 + succ_split) go to succ[0], the rest to succ[1] */
	IrLoc loc;
};

struct IrBlock {
	IrRegion *region;
	IrBlock *prev, *next;
	IrOp *first, *last;
	IrValue **args;
	uint32_t arg_count, arg_cap;
	uint32_t id;
};

struct IrRegion {
	IrOp *op;
	IrBlock *first, *last;
};

typedef struct IrModule {
	IrCx *cx;
	IrOp *op; /* OP_MODULE; its one block holds the functions */
	uint32_t next_op, next_value, next_block;
} IrModule;

/* ---- what ops.def says ---- */

typedef enum {
	TRAIT_PURE = 1 << 0,
	TRAIT_NOFX = 1 << 1,
	TRAIT_READ = 1 << 2,
	TRAIT_WRITE = 1 << 3,
	TRAIT_SYNC = 1 << 4,
	TRAIT_TERM = 1 << 5,
	TRAIT_COMM = 1 << 6,
	TRAIT_ELEM = 1 << 7,
	TRAIT_ISO = 1 << 8,
	TRAIT_CONST = 1 << 9,
	TRAIT_BODY = 1 << 10,
	TRAIT_SAYS = 1 << 11,
	TRAIT_MOVE = 1 << 12,
	TRAIT_REMAT = 1 << 13,
	TRAIT_VIEW = 1 << 14,
} IrTrait;

typedef enum { RULE_ANY, RULE_SAME, RULE_BOOL, RULE_LAST, RULE_SECOND } IrTypeRule;
typedef enum { LEVEL_T = 1, LEVEL_G = 2, LEVEL_TG = 3 } IrLevel;
typedef enum {
	NEUTRAL_NONE,
	NEUTRAL_ZERO,
	NEUTRAL_ONE,
	NEUTRAL_ONES,
	NEUTRAL_LEAST,
	NEUTRAL_GREATEST,
} IrNeutral;
enum { IR_ANY_NUMBER = 0xffff };

typedef struct IrOpInfo {
	const char *name, *text, *doc;
	uint16_t operands_min, operands_max;
	const char *operands; /* a letter for the class of each */
	uint16_t results_min, results_max;
	const char *results;
	uint16_t regions_min, regions_max, end_first, end_others; /* the last two: IrOpKind */
	const char *format;
	uint16_t traits;
	uint8_t type, levels, neutral; /* IrTypeRule, IrLevel, IrNeutral */
} IrOpInfo;

extern const IrOpInfo ir_op_info[OP__COUNT];

static inline bool ir_has_trait(const IrOp *op, unsigned traits)
{
	return (ir_op_info[op->kind].traits & traits) != 0;
}
/* No effect and no failure: may be duplicated, hoisted, merged, dropped. True for extern calls and inline
 * assembly that say so, and for ops with regions when all inside are pure. */
bool ir_is_pure(const IrOp *op);
/* May memory be other behind it than in front: does it write, order or wait, or is it a call of a
 * function or assembly that does not say that it is pure? */
bool ir_may_write(const IrOp *op);
/* Must a load behind it stay there: may it, or an op inside, write, or load what others may
 * change? A while loop may wait for them. */
bool ir_may_order(const IrOp *op);
/* Unused, it may be dropped (pure, or without effect, or a load that is not volatile). */
bool ir_is_droppable(const IrOp *op);
/* A load of what others may change at any time, volatile or .cv: done each time, in its place. */
bool ir_is_volatile(const IrOp *op);

/* ---- modules, regions, blocks ---- */

IrModule *ir_module_new(IrCx *cx);
IrLevel ir_module_level(const IrModule *m); /* LEVEL_G where the module says its ttg.num-warps, else LEVEL_T */
static inline IrBlock *ir_module_block(const IrModule *m) { return m->op->regions[0].first; }
IrOp *ir_find_func(const IrModule *m, Sym name); /* or NULL */
Sym ir_func_name(const IrOp *func);
IrType ir_func_type_of(const IrOp *func);
bool ir_func_is_public(const IrOp *func, const IrCx *cx);
static inline IrBlock *ir_func_body(const IrOp *func) { return func->regions[0].first; } /* NULL: a declaration */

IrBlock *ir_block_new(IrModule *m, IrRegion *region); /* appended; region may be NULL: unlinked */
void ir_block_append(IrRegion *region, IrBlock *block);
void ir_block_unlink(IrBlock *block);
IrValue *ir_block_arg_add(IrModule *m, IrBlock *block, IrType type, IrLoc loc);
void ir_block_arg_erase(IrBlock *block, uint32_t index); /* it must have no uses */
static inline IrOp *ir_terminator(const IrBlock *block)
{
	return block->last && ir_has_trait(block->last, TRAIT_TERM) ? block->last : NULL;
}

/* ---- ops ---- */

/* An op outside any block. Operands may be NULL at first (ir_operand_set). Regions are empty. */
IrOp *ir_op_new(IrModule *m, IrOpKind kind, IrLoc loc, IrValue *const *operands, uint32_t operand_count,
		const IrType *results, uint32_t result_count, uint32_t region_count);
void ir_op_insert_before(IrOp *op, IrOp *at);
void ir_op_insert_after(IrOp *op, IrOp *at);
void ir_op_append(IrBlock *block, IrOp *op);
void ir_op_unlink(IrOp *op); /* keeps operands */
/* Unlinks and drops all operands, of nested ops too. The results must have no uses outside. */
void ir_op_erase(IrOp *op);
void ir_drop_operands(IrOp *op); /* of nested ops too: the op is about to go, or is unreachable */
static inline IrOp *ir_parent_op(const IrOp *op) { return op->block ? op->block->region->op : NULL; }
IrOp *ir_func_of(IrOp *op); /* the function around it; or NULL */
/* Is `op` inside (or the same as) `outer`? */
bool ir_is_inside(const IrOp *op, const IrOp *outer);
/* Is the value defined outside of all regions of `op`? */
bool ir_is_defined_outside(const IrValue *value, const IrOp *op);

static inline IrValue *ir_operand(const IrOp *op, uint32_t i)
{
	CONTRACT(i < op->operand_count);
	return op->operands[i].value;
}
static inline IrValue *ir_result(const IrOp *op, uint32_t i)
{
	CONTRACT(i < op->result_count);
	return &op->results[i];
}
void ir_operand_set(IrOp *op, uint32_t i, IrValue *value);
void ir_operand_add(IrModule *m, IrOp *op, IrValue *value);
void ir_operand_erase(IrOp *op, uint32_t i);
void ir_result_erase(IrOp *op, uint32_t i); /* it must have no uses; later results move in memory */
void ir_replace_uses(IrValue *from, IrValue *to); /* all of them */
bool ir_has_one_use(const IrValue *value);
IrLoc ir_value_loc(const IrValue *value);

IrAttr ir_get(const IrOp *op, const IrCx *cx, IrAttrName name); /* or NULL */
IrAttr ir_get_named(const IrOp *op, Sym name);
bool ir_same_attrs(const IrOp *a, const IrOp *b); /* names and values, in one order */
int64_t ir_get_int(const IrOp *op, const IrCx *cx, IrAttrName name, int64_t otherwise);
bool ir_get_bool(const IrOp *op, const IrCx *cx, IrAttrName name); /* unit, or true */
void ir_set(IrModule *m, IrOp *op, IrAttrName name, IrAttr value); /* NULL removes */
void ir_set_named(IrModule *m, IrOp *op, Sym name, IrAttr value);

/* ---- copies ---- */

/* Values of the original -> values of the copy; what is not in it stays itself. */
typedef struct IrMapping {
	Arena *arena;
	struct IrMapTable {
		struct IrMapEntry *entries;
		uint32_t cap, len;
	} values, blocks;
} IrMapping;

void ir_mapping_init(IrMapping *map, Arena *arena);
void ir_mapping_put(IrMapping *map, IrValue *from, IrValue *to);
IrValue *ir_mapping_get(const IrMapping *map, IrValue *from);
/* A copy outside any block, with copies of its regions; adds its results and inner values to the map.
 * `relocate` (may be NULL) gives the locations of the copies. */
typedef IrLoc IrRelocate(void *data, IrLoc loc);
IrOp *ir_clone(IrModule *m, const IrOp *op, IrMapping *map, IrRelocate *relocate, void *data);
/* The value, computed in front of `before`: what computes it inside of `loop` is copied, but for
 * what is in the map; copies are added to that. Arguments of blocks that it takes are there. */
IrValue *ir_clone_value(IrModule *m, IrValue *v, const IrOp *loop, IrMapping *map, IrOp *before);

/* ---- builder ---- */

/* Where new ops go: before `before`, or at the end of `block` when that is NULL. */
typedef struct IrBuilder {
	IrModule *m;
	IrBlock *block;
	IrOp *before;
	IrLoc loc;
} IrBuilder;

IrBuilder ir_at_end(IrModule *m, IrBlock *block, IrLoc loc);
IrBuilder ir_at(IrModule *m, IrOp *before); /* with its location */
IrOp *irb_op(IrBuilder *b, IrOpKind kind, IrValue *const *operands, uint32_t operand_count, const IrType *results,
	     uint32_t result_count, uint32_t region_count);
/* One result of type `type`, or by the op's rule when that is NULL. */
IrValue *irb_0(IrBuilder *b, IrOpKind kind, IrType type);
IrValue *irb_1(IrBuilder *b, IrOpKind kind, IrType type, IrValue *a);
IrValue *irb_2(IrBuilder *b, IrOpKind kind, IrType type, IrValue *a, IrValue *c);
IrValue *irb_3(IrBuilder *b, IrOpKind kind, IrType type, IrValue *a, IrValue *c, IrValue *d);
IrValue *irb_constant(IrBuilder *b, IrAttr value); /* BOOL, INT, FLOAT, DENSE */
IrValue *irb_int(IrBuilder *b, IrType type, int64_t value);    /* a tensor type makes a splat */
IrValue *irb_float(IrBuilder *b, IrType type, double value);   /* likewise */
IrValue *irb_cmpi(IrBuilder *b, IrCmpI predicate, IrValue *l, IrValue *r);
IrValue *irb_cmpf(IrBuilder *b, IrCmpF predicate, IrValue *l, IrValue *r);
IrValue *irb_splat(IrBuilder *b, IrValue *scalar, IrType like); /* to the shape of tensor type `like` */

/* The constant that a value is (ATTR_KIND_BOOL, INT, FLOAT, DENSE), or NULL. */
IrAttr ir_constant_of(const IrValue *value);
/* Is it an integer constant, or a splat of one? */
bool ir_constant_int(const IrValue *value, int64_t *out);

/* Every op inside `root` (not root itself), parents before children when `post` is false, after otherwise.
 * The callback may erase the op that it is given, and nothing after it. Return false to stop. */
typedef bool IrVisit(void *data, IrOp *op);
bool ir_walk(IrOp *root, bool post, IrVisit *visit, void *data);

/* The ops of two kinds (the same twice: of one) inside `root`, in the order of ir_walk. */
typedef VEC(IrOp *) IrOpVec;
IrOpVec ir_collect(Arena *arena, IrOp *root, bool post, IrOpKind kind, IrOpKind other);

#endif
