/* Linear layouts: who holds which element.
 *
 * A layout is a linear map over F2 between two spaces of bits. A space is a list of named dims, each of some
 * bits. The map is kept as its bases: the image of each bit of the input space. The image of any other input
 * is the XOR of the bases that its bits select.
 *
 *	distributed   register, lane, warp, block -> dim0, dim1, ...   onto; a zero or dependent basis means that
 *	                                                               several places hold the same element
 *	shared        offset (, block) -> dim0, dim1, ...              one-to-one and onto where nothing is padded
 *
 * Spaces are canonical: the packed word of a point has the bits of `register` lowest, then `offset`, `lane`,
 * `warp`, `block`; of tile dims the last is lowest, so that the packed word of a tile's coordinates is the
 * row-major index.
 *
 * Tiles whose sizes are no powers of two are an outer integer repetition over an F2 tile: a dim is of size
 * reps * 2^bits with reps odd, and coordinate = rep * 2^bits + (value of the bits). The repetitions of all
 * dims of one side, taken as one number in mixed radix (rep_order: 1 is the fastest digit, row-major unless
 * dims were transposed), equal that number on the other side: in a distributed layout they are the high part
 * of the register number, in a shared one of the offset. Since every reps is odd, layouts of one shape have
 * equal F2 tiles.
 *
 * Layouts are immutable and hash-consed within a LayoutContext: equal maps are equal pointers. Functions that
 * may not succeed say so and return NULL; everything else asserts its requirements. */
#ifndef NESO_LAYOUT_LAYOUT_H
#define NESO_LAYOUT_LAYOUT_H

#include "base/arena.h"
#include "base/str.h"

#define LAYOUT_MAX_RANK 24

typedef enum LayoutName {
	LAYOUT_REGISTER,
	LAYOUT_OFFSET,
	LAYOUT_LANE,
	LAYOUT_WARP,
	LAYOUT_BLOCK,
	LAYOUT_DIM0, /* LAYOUT_DIM0 + k is dim k of the tile */
	LAYOUT_NAME__COUNT = LAYOUT_DIM0 + LAYOUT_MAX_RANK
} LayoutName;

typedef struct LayoutDim {
	uint8_t name; /* LayoutName */
	uint8_t bits;
	uint8_t rep_order; /* 0 where reps is 1, else the place of the digit, from 1 */
	uint32_t reps;     /* odd */
} LayoutDim;

typedef struct LayoutSpace {
	unsigned count;
	LayoutDim dim[LAYOUT_MAX_RANK]; /* canonical order: lowest bits first */
} LayoutSpace;

typedef struct Layout {
	LayoutSpace in, out;
	unsigned in_bits, out_bits;
	uint64_t hash;
	struct Layout *next; /* in the context's bucket */
	uint64_t bases[];    /* in_bits packed points of `out` */
} Layout;

typedef struct LayoutContext {
	Arena *arena;
	Layout **buckets;
	uint32_t cap, len;
	struct LayoutPlan *plans[64]; /* made before, by source and destination (plan.h) */
} LayoutContext;

void layout_context_init(LayoutContext *cx, Arena *arena);

/* ---- spaces ---- */

LayoutSpace layout_space_none(void);
/* Adds a dim at its canonical place; it must not be there yet. */
void layout_space_add(LayoutSpace *space, unsigned name, unsigned bits, uint32_t reps);
/* The space of a tile of this shape (any sizes >= 1). */
LayoutSpace layout_space_of_shape(const int64_t *shape, unsigned rank);
/* register, lane, warp, block; register is repeated `reps` times. */
LayoutSpace layout_space_of_threads(unsigned registers, unsigned lanes, unsigned warps, unsigned blocks,
				    uint32_t reps);
bool layout_space_equal(const LayoutSpace *a, const LayoutSpace *b);
const LayoutDim *layout_space_find(const LayoutSpace *space, unsigned name); /* NULL: not there */
unsigned layout_space_bits(const LayoutSpace *space);
uint32_t layout_space_reps(const LayoutSpace *space);
unsigned layout_space_shift(const LayoutSpace *space, unsigned name); /* lowest bit of a dim in packed words */
uint64_t layout_space_get(const LayoutSpace *space, uint64_t packed, unsigned name);
uint64_t layout_space_put(const LayoutSpace *space, unsigned name, uint64_t value); /* packed, other dims 0 */
uint64_t layout_space_mask(const LayoutSpace *space, unsigned name);
/* The digit of a dim in a repetition number, and back: digits[i] belongs to space->dim[i]. */
void layout_space_rep_digits(const LayoutSpace *space, uint32_t rep, uint32_t *digits);
uint32_t layout_space_rep_number(const LayoutSpace *space, const uint32_t *digits);

/* ---- making and asking ---- */

/* Any map; bases has one packed point of out for each bit of in. */
const Layout *layout_make(LayoutContext *cx, const LayoutSpace *in, const LayoutSpace *out, const uint64_t *bases);

unsigned layout_in_bits(const Layout *l, unsigned name); /* 0 also where the dim is not there */
unsigned layout_out_bits(const Layout *l, unsigned name);
unsigned layout_rank(const Layout *l);                       /* number of tile dims of `out` */
int64_t layout_shape(const Layout *l, unsigned dim);         /* reps * 2^bits */
uint64_t layout_basis(const Layout *l, unsigned in, unsigned bit);
/* Copies the bases of one input dim; their number. */
unsigned layout_bases(const Layout *l, unsigned in, uint64_t *out);
uint64_t layout_apply(const Layout *l, uint64_t in);
/* Coordinates of (repetition, packed input): coordinates[k] of dim k. */
void layout_coordinates(const Layout *l, uint32_t rep, uint64_t in, int64_t *coordinates);

/* How wide one thread can access memory along a dim: 2^n elements in a row, aligned, whose order is the same
 * in every thread; element i is the register XOR of registers[] over the bits of i. Returns n, at most
 * `limit`. */
unsigned layout_vector(const Layout *l, unsigned dim, unsigned limit, uint32_t *registers);

unsigned layout_image_rank(const Layout *l);
bool layout_is_onto(const Layout *l);
bool layout_is_one_to_one(const Layout *l);
/* The bits of an input dim that only choose among copies: setting them to 0 keeps exactly one place of each
 * element. The lowest bits are kept: registers before lanes before warps before blocks. */
uint64_t layout_free_bits(const Layout *l, unsigned in);

/* ---- algebra ---- */

/* First inner, then outer; inner's outputs are outer's inputs. */
const Layout *layout_compose(LayoutContext *cx, const Layout *outer, const Layout *inner);
/* NULL where the map is not one-to-one and onto. */
const Layout *layout_invert(LayoutContext *cx, const Layout *l);
/* A map p with l(p(l(x))) = l(x); for an onto layout a right inverse: l(p(y)) = y. Takes the
 * lowest inputs. */
const Layout *layout_pseudo_invert(LayoutContext *cx, const Layout *l);
/* Only these dims, given as sets of bits 1 << name; without repetitions. */
const Layout *layout_restrict(LayoutContext *cx, const Layout *l, uint32_t in_names, uint32_t out_names);
/* Without the registers whose basis is 0. */
const Layout *layout_strip_registers(LayoutContext *cx, const Layout *l);

/* ---- tile dims of the output ---- */

/* Dim k of the result is dim order[k] of l. */
const Layout *layout_transpose(LayoutContext *cx, const Layout *l, const unsigned *order);
/* NULL where a repeated dim does not stay outermost of what it is merged with. */
const Layout *layout_reshape(LayoutContext *cx, const Layout *l, const int64_t *shape, unsigned rank);
/* Without dim `axis`, as of a reduction: places that differ only in it hold the same; zero registers go. */
const Layout *layout_slice(LayoutContext *cx, const Layout *l, unsigned axis);
/* A new dim of size 1 before dim `axis`. */
const Layout *layout_expand(LayoutContext *cx, const Layout *l, unsigned axis);
/* A dim of size 1 becomes `size` long, held in new highest registers. */
const Layout *layout_broadcast(LayoutContext *cx, const Layout *l, unsigned axis, int64_t size);
/* tt.join: a new last dim of size 2, held in a new lowest register bit. */
const Layout *layout_join(LayoutContext *cx, const Layout *l);
/* tt.split: the last dim (size 2) must be one register bit (*bit) alone; NULL otherwise. */
const Layout *layout_split(LayoutContext *cx, const Layout *l, unsigned *bit);
/* tt.cat: twice as long in `axis`, the second half in a new highest register bit. */
const Layout *layout_concat(LayoutContext *cx, const Layout *l, unsigned axis);

/* ---- text ---- */

/* {register = [[0, 1], [8, 0]], lane = [...], ...} -> {dim0 = 16, dim1 = 5*16}: for each bit the outputs in
 * the order written on the right. `5*16` is a dim of 5 repetitions of 16; `@N` after a repetition count is
 * its rep_order where that is not row-major. */
void layout_print(Text *t, const Layout *l);
/* NULL and *error (a sentence in the arena, *at the byte) when the text is no layout. */
const Layout *layout_parse(LayoutContext *cx, Str text, const char **error, size_t *at);
/* Who holds which element, in rows of the last dim: w1.l3:r0 is register 0 of lane 3 of warp 1 (b0. before it
 * is a cluster's block), copies after `|`; of a shared layout the offset. */
void layout_print_table(Text *t, const Layout *l);

/* Where a point of the layout's images lies along a dim of the tile. */
static inline uint64_t layout_coordinate(const Layout *l, uint64_t point, unsigned dim)
{
	return layout_space_get(&l->out, point, LAYOUT_DIM0 + dim);
}

#endif
