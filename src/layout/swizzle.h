/* Inside swizzle*.c: conversions through shared memory. */
#ifndef NESO_LAYOUT_SWIZZLE_H
#define NESO_LAYOUT_SWIZZLE_H

#include "layout/plan_parts.h"

enum { WORD_BITS = 32, MAX_KINDS = 3 };

typedef struct Vectors {
	uint64_t v[64];
	unsigned n;
} Vectors;

static inline void vectors_push(Vectors *list, uint64_t v)
{
	ASSERT(list->n < 64);
	list->v[list->n++] = v;
}

typedef struct Swizzle {
	LayoutConversion *c;
	Vectors held;       /* basis of what one block's source registers, lanes and warps hold */
	LayoutSide src;     /* as in the conversion */
	LayoutSide dst;     /* images within `held`, plus (block whose memory it is) << tile bits */
	unsigned tile_bits; /* where the block begins in dst's images */
	Vectors common;     /* registers of both sides */
	bool within_warps;  /* each warp reads what it wrote */
	bool across_blocks;
} Swizzle;

/* An instruction of one side and what one wavefront of it touches. */
typedef struct Tile {
	LayoutAccessKind kind;
	unsigned vector_bits;
	Vectors span;
} Tile;

/* What is tried: the low offsets, and an instruction for each side. */
typedef struct Candidate {
	Vectors vec;
	Tile src, dst;
} Candidate;

/* Adds those of `vecs` that the span lacks, as long as the list has fewer than `limit`. */
void vectors_extend(F2Span *span, Vectors *list, const uint64_t *vecs, unsigned n, unsigned limit);
/* Only what lies in one block's memory: images without their block. */
void vectors_extend_images(const Swizzle *s, F2Span *span, Vectors *list, const uint64_t *vecs, unsigned n,
			   unsigned limit);

unsigned swizzle_log2(unsigned bits, unsigned element_bits); /* of the elements in so many bits */
/* The vector of plain loads and stores. */
void swizzle_vector(const Swizzle *s, const LayoutSide *side, Vectors *vec);
/* The row of ldmatrix or stmatrix; false where the side has none. */
bool swizzle_matrix_row(const Swizzle *s, const LayoutSide *side, bool trans, Vectors *vec);
/* What one wavefront of a plain load or store touches. */
Tile swizzle_vector_tile(const Swizzle *s, const LayoutSide *side, const Vectors *vec, unsigned wide);
/* The instructions of this side that can use the vector; how many. */
unsigned swizzle_tiles(const Swizzle *s, const LayoutSide *side, const Vectors *vec, bool matrices,
		       Tile *tiles);

#endif
