/* Constructors of the layouts that hardware and the tile language name. All are values of the one type.
 *
 * Shapes may be any sizes >= 1; a size that is no power of two repeats its F2 tile in registers (or offsets).
 * Where lanes, warps or blocks cover more than the tile, they hold copies; where a thread's own elements
 * would pass the tile's end, they are left out: constructors give no copies in registers. */
#ifndef NESO_LAYOUT_KINDS_H
#define NESO_LAYOUT_KINDS_H

#include "layout/layout.h"

/* Counts per dim, all powers of two; order[0] is the fastest dim. */
typedef struct LayoutBlocked {
	unsigned rank;
	unsigned size_per_thread[LAYOUT_MAX_RANK];
	unsigned threads_per_warp[LAYOUT_MAX_RANK];
	unsigned warps_per_cta[LAYOUT_MAX_RANK];
	unsigned order[LAYOUT_MAX_RANK];
	/* How the CTAs of a cluster share the tile: ctas is how many there are along a dim, split how many
	 * parts the dim is cut into (the rest hold copies). All 0: no cluster. cta_order as order. */
	unsigned ctas[LAYOUT_MAX_RANK], cta_split[LAYOUT_MAX_RANK], cta_order[LAYOUT_MAX_RANK];
} LayoutBlocked;

const Layout *layout_blocked(LayoutContext *cx, const int64_t *shape, const LayoutBlocked *blocked);

/* Accumulators of mma.sync m16n8 (all result types) and m8n8 (f64 of sm_80). Rank 2, or 3 with a leading
 * batch. Warps are counted along each dim, the last dim fastest. */
const Layout *layout_mma_accumulator(LayoutContext *cx, const int64_t *shape, unsigned rank,
				     const unsigned *warps, unsigned instr_m);
/* A (operand 0: M x K) or B (operand 1: K x N) of mma.sync, for accumulators of the same warps. k_width is
 * how many neighbours along K a thread holds: 32 / element bits for what the instruction takes as it is (1
 * for f64). */
const Layout *layout_mma_operand(LayoutContext *cx, const int64_t *shape, unsigned rank, const unsigned *warps,
				 unsigned operand, unsigned instr_m, unsigned k_width);
/* Accumulators of wgmma m64nN, warps a multiple of 4 along M. */
const Layout *layout_wgmma_accumulator(LayoutContext *cx, const int64_t *shape, const unsigned *warps,
				       unsigned instr_n);
/* A of wgmma in registers (M x K). */
const Layout *layout_wgmma_operand(LayoutContext *cx, const int64_t *shape, const unsigned *warps,
				   unsigned k_width);

/* ---- shared memory: offset (in elements) -> tile ---- */

/* order[0] is contiguous. */
const Layout *layout_shared_plain(LayoutContext *cx, const int64_t *shape, unsigned rank, const unsigned *order);
/* Chunks of vec elements of the fastest dim are XORed with (row / per_phase) % max_phase. */
const Layout *layout_shared_swizzled(LayoutContext *cx, const int64_t *shape, unsigned rank,
				     const unsigned *order, unsigned vec, unsigned per_phase, unsigned max_phase);
/* What TMA writes and wgmma reads: rows of `swizzle` bytes (128, 64, 32; 16: none, core matrices of 8 x 16
 * bytes), the 16-byte chunks XORed within 8 rows; wider tiles are one such column block after the other. The
 * last two dims are swizzled, transposed: the first of them is contiguous. */
const Layout *layout_shared_tma(LayoutContext *cx, const int64_t *shape, unsigned rank, unsigned element_bits,
				unsigned swizzle, bool transposed);

/* A shared layout with holes: after every `interval` elements `pad` more (powers of two); several add up. */
typedef struct LayoutPadded {
	const Layout *linear; /* offset -> tile, before padding */
	unsigned count;
	struct {
		uint32_t interval, pad;
	} pads[4];
} LayoutPadded;

/* The offset after padding, and how many elements the whole takes. */
uint64_t layout_padded_offset(const LayoutPadded *padded, uint64_t offset);
uint64_t layout_padded_size(const LayoutPadded *padded);

#endif
