/* The canonical text of a layout, both ways (its form is in layout.h).
 *
 * Dims are written in reading order: register, offset, lane, warp, block, then dim0, dim1, ... The reader is
 * a recursive descent over the bytes; it checks all that layout_make asserts, so that any text is safe. */
#include <ctype.h>
#include <stdio.h>

#include "layout/layout.h"

static const char *const hardware_names[] = {"register", "offset", "lane", "warp", "block"};

static const char *layout_name_text(unsigned name, char buffer[8])
{
	if (name < LAYOUT_DIM0)
		return hardware_names[name];
	snprintf(buffer, 8, "dim%u", (name - LAYOUT_DIM0) % 100);
	return buffer;
}

/* ---- printing ---- */

/* Is the digit of this dim where row-major order puts it? */
static bool row_major_digit(const LayoutSpace *space, unsigned i)
{
	unsigned digit = 1;
	for (unsigned j = 0; j < i; j++)
		digit += space->dim[j].reps > 1;
	return space->dim[i].reps == 1 || space->dim[i].rep_order == digit;
}

static void print_reps(Text *t, const LayoutSpace *space, const LayoutDim *dim)
{
	text_printf(t, "%u", dim->reps);
	if (!row_major_digit(space, (unsigned)(dim - space->dim)))
		text_printf(t, "@%u", dim->rep_order);
}

static void print_point(Text *t, const LayoutSpace *out, uint64_t point)
{
	const char *comma = "";
	text_char(t, '[');
	for (unsigned name = 0; name < LAYOUT_NAME__COUNT; name++) {
		if (!layout_space_find(out, name))
			continue;
		text_printf(t, "%s%llu", comma, (unsigned long long)layout_space_get(out, point, name));
		comma = ", ";
	}
	text_char(t, ']');
}

void layout_print(Text *t, const Layout *l)
{
	char buffer[8];
	const char *comma = "";
	text_char(t, '{');
	for (unsigned name = 0; name < LAYOUT_NAME__COUNT; name++) {
		const LayoutDim *dim = layout_space_find(&l->in, name);
		if (!dim)
			continue;
		text_printf(t, "%s%s", comma, layout_name_text(name, buffer));
		if (dim->reps > 1) {
			text_char(t, '*');
			print_reps(t, &l->in, dim);
		}
		text_str(t, " = [");
		for (unsigned i = 0; i < dim->bits; i++) {
			text_str(t, i ? ", " : "");
			print_point(t, &l->out, layout_basis(l, name, i));
		}
		text_char(t, ']');
		comma = ", ";
	}
	text_str(t, "} -> {");
	comma = "";
	for (unsigned name = 0; name < LAYOUT_NAME__COUNT; name++) {
		const LayoutDim *dim = layout_space_find(&l->out, name);
		if (!dim)
			continue;
		text_printf(t, "%s%s = ", comma, layout_name_text(name, buffer));
		if (dim->reps > 1) {
			print_reps(t, &l->out, dim);
			text_char(t, '*');
		}
		text_printf(t, "%llu", 1ull << dim->bits);
		comma = ", ";
	}
	text_char(t, '}');
}

/* ---- reading ---- */

typedef struct Reader {
	LayoutContext *cx;
	Str text;
	size_t at;
	const char *error; /* the first one */
	/* Bases as read: the outputs in the order of the text, before the output space is known. */
	uint64_t point[64][LAYOUT_MAX_RANK];
	unsigned width[64], bits;
	unsigned bits_of[LAYOUT_NAME__COUNT], first_of[LAYOUT_NAME__COUNT];
	unsigned digit_in[LAYOUT_NAME__COUNT], digit_out[LAYOUT_NAME__COUNT];
} Reader;

static bool fail(Reader *r, const char *error)
{
	if (!r->error)
		r->error = error;
	return false;
}

static void skip_blank(Reader *r)
{
	while (r->at < r->text.len && isspace((unsigned char)r->text.ptr[r->at]))
		r->at++;
}

static bool take(Reader *r, const char *token)
{
	size_t len = strlen(token);
	skip_blank(r);
	if (r->text.len - r->at < len || memcmp(r->text.ptr + r->at, token, len) != 0)
		return false;
	r->at += len;
	return true;
}

static bool expect(Reader *r, const char *token)
{
	return take(r, token) || fail(r, arena_printf(r->cx->arena, "expected '%s'", token));
}

static bool read_number(Reader *r, uint64_t *value)
{
	skip_blank(r);
	size_t start = r->at;
	*value = 0;
	while (r->at < r->text.len && isdigit((unsigned char)r->text.ptr[r->at])) {
		if (*value > UINT32_MAX)
			return fail(r, "the number is too large");
		*value = *value * 10 + (uint64_t)(r->text.ptr[r->at++] - '0');
	}
	return r->at > start || fail(r, "expected a number");
}

static bool read_name(Reader *r, unsigned *name)
{
	for (unsigned i = 0; i < LAYOUT_DIM0; i++) {
		if (take(r, hardware_names[i])) {
			*name = i;
			return true;
		}
	}
	uint64_t k;
	if (!take(r, "dim"))
		return fail(r, "expected register, offset, lane, warp, block or dimN");
	if (!read_number(r, &k))
		return false;
	if (k >= LAYOUT_MAX_RANK)
		return fail(r, "a tile has at most 24 dims");
	*name = LAYOUT_DIM0 + (unsigned)k;
	return true;
}

/* REPS ['@' DIGIT] */
static bool read_reps(Reader *r, uint64_t *reps, unsigned *digit)
{
	uint64_t order = 0;
	if (!read_number(r, reps))
		return false;
	if (*reps % 2 == 0 || *reps > UINT16_MAX)
		return fail(r, "a repetition count is odd and below 65536");
	if (take(r, "@")) {
		if (!read_number(r, &order))
			return false;
		if (order == 0 || order > LAYOUT_MAX_RANK)
			return fail(r, "the order of a repetition is 1 to 24");
	}
	*digit = (unsigned)order;
	return true;
}

static bool read_point(Reader *r)
{
	if (r->bits == 63)
		return fail(r, "a layout has at most 63 input bits");
	unsigned *width = &r->width[r->bits];
	*width = 0;
	if (!expect(r, "["))
		return false;
	if (!take(r, "]")) {
		do {
			if (*width == LAYOUT_MAX_RANK)
				return fail(r, "too many outputs");
			if (!read_number(r, &r->point[r->bits][(*width)++]))
				return false;
		} while (take(r, ","));
		if (!expect(r, "]"))
			return false;
	}
	r->bits++;
	return true;
}

/* NAME ['*' REPS] '=' '[' points ']' */
static bool read_input(Reader *r, LayoutSpace *in)
{
	unsigned name;
	uint64_t reps = 1;
	if (!read_name(r, &name))
		return false;
	if (layout_space_find(in, name))
		return fail(r, "this dim was given before");
	if (take(r, "*") && !read_reps(r, &reps, &r->digit_in[name]))
		return false;
	if (!expect(r, "=") || !expect(r, "["))
		return false;
	r->first_of[name] = r->bits;
	if (!take(r, "]")) {
		do {
			if (!read_point(r))
				return false;
		} while (take(r, ","));
		if (!expect(r, "]"))
			return false;
	}
	r->bits_of[name] = r->bits - r->first_of[name];
	if (in->count == LAYOUT_MAX_RANK)
		return fail(r, "too many dims");
	layout_space_add(in, name, r->bits_of[name], (uint32_t)reps);
	return true;
}

/* NAME '=' [REPS '*'] SIZE */
static bool read_output(Reader *r, LayoutSpace *out)
{
	unsigned name, digit = 0;
	uint64_t reps = 1, size;
	if (!read_name(r, &name) || !expect(r, "="))
		return false;
	if (layout_space_find(out, name))
		return fail(r, "this dim was given before");
	size_t number = r->at;
	if (!read_number(r, &size))
		return false;
	if (take(r, "@") || take(r, "*")) {
		r->at = number;
		if (!read_reps(r, &reps, &digit) || !expect(r, "*") || !read_number(r, &size))
			return false;
	}
	if (!base_is_pow2(size))
		return fail(r, "a size is a power of two, times an odd repetition count");
	if (out->count == LAYOUT_MAX_RANK || layout_space_bits(out) + base_log2(size) > 63)
		return fail(r, "the tile is too large");
	layout_space_add(out, name, base_log2(size), (uint32_t)reps);
	r->digit_out[name] = digit;
	return true;
}

/* Digits that were written replace row-major ones; all digits of a space must differ. */
static bool set_digits(Reader *r, LayoutSpace *space, const unsigned *digits)
{
	uint64_t product = 1, seen = 0;
	for (unsigned i = 0; i < space->count; i++) {
		LayoutDim *dim = &space->dim[i];
		if (digits[dim->name])
			dim->rep_order = (uint8_t)digits[dim->name];
		if (dim->reps > 1 && seen >> dim->rep_order & 1)
			return fail(r, "two dims have the same repetition order");
		seen |= UINT64_C(1) << dim->rep_order;
		product *= dim->reps;
		if (product > UINT32_MAX)
			return fail(r, "too many repetitions");
	}
	return true;
}

/* Orders the points as the input space packs them, and packs each. */
static bool pack_bases(Reader *r, const LayoutSpace *in, const LayoutSpace *out, uint64_t *bases)
{
	unsigned count = 0;
	for (unsigned i = 0; i < in->count; i++) {
		unsigned first = r->first_of[in->dim[i].name];
		for (unsigned j = first; j < first + r->bits_of[in->dim[i].name]; j++) {
			unsigned k = 0;
			if (r->width[j] != out->count)
				return fail(r, "a basis has not as many numbers as there are output dims");
			bases[count] = 0;
			for (unsigned name = 0; name < LAYOUT_NAME__COUNT; name++) {
				const LayoutDim *dim = layout_space_find(out, name);
				if (!dim)
					continue;
				if (r->point[j][k] >> dim->bits)
					return fail(r, "a basis lies outside its output dim");
				bases[count] |= layout_space_put(out, name, r->point[j][k++]);
			}
			count++;
		}
	}
	return true;
}

static const Layout *read_layout(Reader *r)
{
	LayoutSpace in = layout_space_none(), out = layout_space_none();
	uint64_t bases[64];
	if (!expect(r, "{"))
		return NULL;
	if (!take(r, "}")) {
		do {
			if (!read_input(r, &in))
				return NULL;
		} while (take(r, ","));
		if (!expect(r, "}"))
			return NULL;
	}
	if (!expect(r, "->") || !expect(r, "{"))
		return NULL;
	if (!take(r, "}")) {
		do {
			if (!read_output(r, &out))
				return NULL;
		} while (take(r, ","));
		if (!expect(r, "}"))
			return NULL;
	}
	skip_blank(r);
	if (r->at != r->text.len)
		fail(r, "expected the end of the layout");
	else if (set_digits(r, &in, r->digit_in) && set_digits(r, &out, r->digit_out) &&
		 layout_space_reps(&in) != layout_space_reps(&out))
		fail(r, "inputs and outputs do not repeat equally often");
	if (r->error || !pack_bases(r, &in, &out, bases))
		return NULL;
	return layout_make(r->cx, &in, &out, bases);
}

const Layout *layout_parse(LayoutContext *cx, Str text, const char **error, size_t *at)
{
	Reader *r = ARENA_NEW(cx->arena, Reader);
	r->cx = cx;
	r->text = text;
	const Layout *l = read_layout(r);
	*error = r->error;
	*at = r->at;
	return l;
}
