/* Tiles: which element of what the source calls an access moves, from what the lowering says on it (llvm/memory/tile.c). */
#include <stdio.h>

#include "layout/layout.h"
#include "sim/decoder.h"

enum { WORDS, ROWS, ROWS_TRANSPOSED };

struct SimElements {
	const char *name, *op, *type; /* name "": the source has none */
	unsigned bits;                /* of an element */
	const Layout *layout;         /* NULL: who moves which element is not known */
	int kind;
	uint32_t first, vector[8], matrix[8];
	unsigned vector_bits, matrix_bits;
};

/* ---- decoding ---- */

static const char *text_of(SimDecoder *d, LLVMValueRef string)
{
	unsigned len;
	const char *text = string ? LLVMGetMDString(string, &len) : NULL;
	return text ? arena_strndup(d->arena, text, len) : "";
}

static int64_t number_of(LLVMValueRef v)
{
	return v && LLVMIsAConstantInt(v) ? LLVMConstIntGetSExtValue(v) : 0;
}

/* One for each tile, which are few; each access has a copy with its registers. */
static const SimElements *tile_of(SimDecoder *d, LLVMValueRef node)
{
	const SimElements *known = map_get_ptr(&d->tiles, node);
	LLVMValueRef part[5];
	const char *error;
	size_t at;
	if (known || !node || LLVMGetMDNodeNumOperands(node) != ARRAY_LEN(part))
		return known;
	LLVMGetMDNodeOperands(node, part);
	SimElements *e = ARENA_NEW(d->arena, SimElements);
	*e = (SimElements){.name = text_of(d, part[0]), .op = text_of(d, part[1]), .type = text_of(d, part[2]),
			   .bits = (unsigned)number_of(part[3])};
	const char *layout = text_of(d, part[4]);
	if (*layout && e->bits)
		e->layout = layout_parse(&d->layouts, str_of(layout), &error, &at);
	if (e->layout && layout_rank(e->layout) > SIM_MOST_DIMS)
		e->layout = NULL;
	map_put_ptr(&d->tiles, node, e);
	return e;
}

static bool take_registers(SimElements *e, const LLVMValueRef *part, unsigned count)
{
	e->first = (uint32_t)number_of(part[0]);
	e->vector_bits = (unsigned)number_of(part[1]);
	e->matrix_bits = count - 2 - e->vector_bits;
	if (e->vector_bits > count - 2 || e->vector_bits > ARRAY_LEN(e->vector) || e->matrix_bits > ARRAY_LEN(e->matrix))
		return false;
	for (unsigned k = 0; k < e->vector_bits; k++)
		e->vector[k] = (uint32_t)number_of(part[2 + k]);
	for (unsigned k = 0; k < e->matrix_bits; k++)
		e->matrix[k] = (uint32_t)number_of(part[2 + e->vector_bits + k]);
	return true;
}

const SimElements *sim_take_elements(SimDecoder *d, LLVMValueRef node)
{
	LLVMValueRef part[20];
	unsigned count = node ? (unsigned)LLVMGetMDNodeNumOperands(node) : 0;
	if (count < 2 || count > ARRAY_LEN(part))
		return NULL;
	LLVMGetMDNodeOperands(node, part);
	const SimElements *tile = tile_of(d, part[0]);
	int64_t kind = number_of(part[1]);
	if (!tile || !tile->layout || kind < WORDS || kind > ROWS_TRANSPOSED || count < 4)
		return tile;
	SimElements *e = ARENA_NEW(d->arena, SimElements);
	*e = *tile;
	e->kind = (int)kind;
	if (!take_registers(e, part + 2, count - 2))
		e->layout = NULL;
	return e;
}

/* ---- telling ---- */

static uint32_t sum(const uint32_t *of, unsigned bits, uint32_t n)
{
	uint32_t out = 0;
	for (unsigned k = 0; k < bits; k++)
		out ^= n >> k & 1 ? of[k] : 0;
	return out;
}

/* The lane and register that hold the element at this byte of what `lane` gives the address of. */
static uint32_t register_at(const SimElements *e, unsigned byte, unsigned *lane)
{
	unsigned size = e->bits / 8, row = *lane % 8, matrix = *lane / 8;
	switch (e->kind) {
	case ROWS:
		*lane = row * 4 + byte / 4;
		return e->first ^ sum(e->matrix, e->matrix_bits, matrix) ^ sum(e->vector, e->vector_bits, byte % 4 / size);
	case ROWS_TRANSPOSED:
		*lane = byte / 2 * 4 + row / 2;
		return e->first ^ sum(e->matrix, e->matrix_bits, matrix) ^ sum(e->vector, e->vector_bits, row % 2);
	default: return e->first ^ sum(e->vector, e->vector_bits, byte / size);
	}
}

static uint64_t place(const Layout *l, unsigned name, uint64_t value)
{
	unsigned bits = layout_in_bits(l, name);
	return bits ? layout_space_put(&l->in, name, value & ((UINT64_C(1) << bits) - 1)) : 0;
}

static bool coordinates_of(const SimElements *e, unsigned block, unsigned warp, unsigned lane, unsigned byte, int64_t *out)
{
	const Layout *l = e->layout;
	/* Rows have 16 bytes; with the words of a lane the vector says how many. */
	unsigned bytes = e->kind == WORDS ? e->bits / 8 << e->vector_bits : 16;
	if (!l || byte >= bytes)
		return false;
	uint32_t reg = register_at(e, byte, &lane);
	unsigned bits = layout_in_bits(l, LAYOUT_REGISTER);
	uint64_t in = place(l, LAYOUT_REGISTER, reg) | place(l, LAYOUT_LANE, lane) | place(l, LAYOUT_WARP, warp) | place(l, LAYOUT_BLOCK, block);
	if (reg >> bits >= layout_space_reps(&l->in))
		return false;
	layout_coordinates(l, reg >> bits, in, out);
	return true;
}

SimFloatType sim_tile_float(const SimElements *e)
{
	static const struct {
		const char *name;
		SimFloatType type;
	} types[] = {{"f16", {2, 11}}, {"bf16", {2, 8}}, {"f32", {4, 24}}, {"f64", {8, 53}}};
	const char *from = e ? strrchr(e->type, 'x') : NULL, *to = e ? strrchr(e->type, '>') : NULL;
	Str element =
		from && to && to > from ? (Str){from + 1, (size_t)(to - from - 1)} : str_of(e ? e->type : "");
	for (size_t k = 0; k < ARRAY_LEN(types); k++)
		if (str_is(element, types[k].name))
			return types[k].type;
	return (SimFloatType){0};
}

const char *sim_tile_text(const SimElements *e, const SimPoint *at, bool several, char *out, size_t size)
{
	int64_t coordinates[SIM_MOST_DIMS];
	char where[256] = "the tile ";
	*out = 0;
	if (!e)
		return out;
	if (strncmp(e->type, "tensor<", 7) != 0 && strncmp(e->type, "memdesc<", 8) != 0)
		*where = 0; /* a scalar */
	if (at->byte != SIM_NO_BYTE && coordinates_of(e, at->block, at->warp, at->lane, at->byte, coordinates)) {
		size_t n = (size_t)snprintf(where, sizeof where, several ? "elements like [" : "element [");
		for (unsigned d = 0; d < layout_rank(e->layout) && n < sizeof where; d++)
			n += (size_t)snprintf(where + n, sizeof where - n, d ? ", %lld" : "%lld", (long long)coordinates[d]);
		if (n < sizeof where)
			snprintf(where + n, sizeof where - n, "] ");
	}
	if (*e->name)
		snprintf(out, size, ", %sof '%s' (%s, %s)", where, e->name, e->op, e->type);
	else
		snprintf(out, size, ", %sof %s (%s)", where, e->op, e->type);
	return out;
}
