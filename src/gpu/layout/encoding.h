/* Layouts in the IR: the encoding attribute of a tile or memdesc type, and the Layout that it
 * denotes.
 *
 * Every tile type of TTGIR carries #ttg.linear<{register = [[...]], lane = [[...]], warp =
 * [[...]], block = [[...]]}>, every memdesc #ttg.shared_linear<{offset = [[...]]}, alignment =
 * 16>: the bases, written as upstream writes them. Dims and the repetitions of sizes that are no
 * powers of two follow from the type's shape. Upstream's other encodings (#ttg.blocked,
 * #ttg.slice, #ttg.dot_op, #ttg.nvidia_mma, #ttg.swizzled_shared, #ttg.nvmma_shared,
 * #ttg.padded_shared) are read as well: they are constructors of such a map.
 *
 * The encoding of a memdesc may have a smaller rank than the memdesc: the leading dims then count
 * buffers, one after the other. A memdesc that is part of a larger one has the larger one's
 * layout.
 *
 * One GpuCx belongs to one IrCx; equal layouts are equal attributes. `warp` bits are relative to
 * the warps of the op's region (gpu_num_warps). */
#ifndef NESO_GPU_LAYOUT_ENCODING_H
#define NESO_GPU_LAYOUT_ENCODING_H

#include "base/diag/remark.h"
#include "ir/ir.h"
#include "layout/kinds.h"
#include "layout/layout.h"
#include "layout/plan.h"
#include "target/target.h"

/* Which loops get warps with roles (gpu/loop/roles.h). */
typedef enum GpuRolesFor { GPU_ROLES_ASKED, GPU_ROLES_ALL, GPU_ROLES_NONE } GpuRolesFor;
/* Which kernels run several programs a CTA (gpu/loop/persist.h): none; none, but those that would
 * where it pays say so; those where it pays; all that can. */
typedef enum GpuPersistFor {
	GPU_PERSIST_NONE,
	GPU_PERSIST_TELLING,
	GPU_PERSIST_PAYING,
	GPU_PERSIST_ALL
} GpuPersistFor;

/* In which loops warp groups take turns (gpu/loop/turns.h). */
typedef enum GpuTurnsFor { GPU_TURNS_PAYING, GPU_TURNS_ALL, GPU_TURNS_NONE } GpuTurnsFor;

typedef struct GpuCx {
	IrCx *ir;
	Arena *arena; /* ir's */
	LayoutContext layouts;
	const TargetGpu *target;
	LayoutTarget plan_target; /* what conversions may use */
	unsigned num_warps, num_ctas, num_stages; /* of the kernel */
	/* CTAs that run a program where each has a part of it as a program of its own
	 * (split-clusters): tiles are a CTA's then, and num_ctas is 1. Else 1. */
	unsigned cluster;
	GpuRolesFor roles;
	GpuPersistFor persist;
	bool by_number; /* launches of few and of many programs may have variants of their own */
	GpuTurnsFor turns;
	bool multicast; /* tiles that CTAs of a cluster share are brought once (gpu/loop/schedule_shared.c) */
	bool maps; /* the target has TMA, and the launch can make tensor maps (gpu_may_map) */
	/* Kernels are to order their accesses of global memory themselves, and masked loads without
	 * `other` give anything: as far as Triton promises. */
	bool portable_order;
	RemarkList *remarks; /* what passes do and why; NULL: nobody asked */
	void *cache; /* attribute -> layout (encoding.c) */
} GpuCx;

/* May descriptors be tensor maps? Not those of tiles that several CTAs share. */
static inline bool gpu_may_map(const GpuCx *cx)
{
	return cx->maps && cx->num_ctas == 1;
}

void gpu_cx_init(GpuCx *cx, IrCx *ir, const TargetGpu *target, unsigned num_warps, unsigned num_ctas,
		 unsigned num_stages);

/* The layout of a tile (distributed) or memdesc (shared) type; it must have an encoding. */
const Layout *gpu_layout(GpuCx *cx, IrType type);
/* NULL, and *error a sentence in the arena, where the encoding is none or does not fit the shape. */
const Layout *gpu_layout_checked(GpuCx *cx, IrType type, const char **error);
/* Is the memory padded? Its layout then is without the padding, and *padded says both. */
bool gpu_padded(GpuCx *cx, IrType memdesc, LayoutPadded *padded);
IrAttr gpu_encoding(GpuCx *cx, const Layout *layout);
/* Of memory that ends after so many elements: nobody writes or reads what the layout has behind
 * them. Fewer than all; 0 or more stand for all. */
IrAttr gpu_encoding_used(GpuCx *cx, const Layout *layout, uint64_t used);
/* Elements that there are, and those of the layout; false: all are there. */
bool gpu_is_cut(IrAttr encoding, uint64_t *used, uint64_t *all);
/* The tile type with this layout. */
IrType gpu_with_layout(GpuCx *cx, IrType tensor, const Layout *layout);

/* Bits that an element takes in memory and in words that move: i1 takes 8, a pointer 64. */
unsigned gpu_element_bits(IrType elem);

/* The warps that run an op: those of the innermost ttg.warp_specialize region, else the kernel's. */
unsigned gpu_num_warps(const GpuCx *cx, const IrOp *op);
/* The warps of a CTA: those of the kernel, and those of partitions, whole warp groups. `root`: the
 * module or a function. */
unsigned gpu_all_warps(const GpuCx *cx, const IrOp *root);

/* The usual layout of a tile that nothing is known of: blocked, one element a thread at a time, the last dim
 * fastest. */
const Layout *gpu_default_layout(GpuCx *cx, const int64_t *shape, unsigned rank, unsigned num_warps);
/* Blocked: `vector` elements of order[0] for each thread, lanes then warps along order. */
const Layout *gpu_blocked_layout(GpuCx *cx, const int64_t *shape, unsigned rank, const unsigned *order, unsigned vector,
				 unsigned num_warps);
/* The same with warps along `warp_order`: its first dim gets as many as it takes. */
const Layout *gpu_blocked_layout_by(GpuCx *cx, const int64_t *shape, unsigned rank, const unsigned *order,
				    const unsigned *warp_order, unsigned vector, unsigned num_warps);

/* How the layouts of an op's tiles are tied: what the column `layout` of ops.def names. */
typedef const Layout *GpuTieFn(GpuCx *cx, const IrOp *op, IrType type, const Layout *layout);
typedef struct GpuTie {
	bool driven;     /* one layout decides all of them; else they stay as they are */
	bool by_operand; /* that of operand 0; else that of the result where there is one */
	bool one;        /* all tiles have it */
	bool operands;   /* all operands have that of operand 0 */
	bool follows;    /* every layout of the result says the operand's */
	uint8_t like;    /* the one operand that has the result's layout; 0: none */
	uint32_t any;    /* bits of the operands that may come in any layout; the last bit: of all from there on */
	/* The layout of an operand of this type given the result's, and the reverse; NULL: it is open. */
	GpuTieFn *operand, *result;
} GpuTie;

#define TILES(layout, cost, scratch, axis, range) extern const GpuTie gpu_tie_##layout;
#define OP(name, text, levels, takes, gives, regions, traits, type, format, attrs, rules, tiles, doc) tiles
#include "ir/ops.def"
#undef OP
#undef TILES

const GpuTie *gpu_tie(const IrOp *op);
static inline bool gpu_takes_any(const IrOp *op, uint32_t operand)
{
	return gpu_tie(op)->any >> MIN(operand, 31u) & 1;
}
/* The encoding that an op asks of an operand, given that of its result, and the reverse: shape ops, reductions,
 * elementwise ops. NULL where the op leaves it open or there is none. */
const Layout *gpu_infer_operand(GpuCx *cx, const IrOp *op, unsigned operand, const Layout *result);
const Layout *gpu_infer_result(GpuCx *cx, const IrOp *op, unsigned result, unsigned operand, const Layout *layout);
/* A tt.reshape whose elements may change places, between layouts that do not follow from one another but hold equally
 * much in each thread, without copies: each thread then keeps what it has. */
bool gpu_is_reordering(GpuCx *cx, const IrOp *op, const Layout *from, const Layout *to);
/* Equal but for registers that only hold copies. */
bool gpu_same_layout(GpuCx *cx, const Layout *a, const Layout *b);

#endif
