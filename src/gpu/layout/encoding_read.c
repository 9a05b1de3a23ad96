/* Reads upstream's encodings: constructors of layouts. What a constructor asserts is checked
 * before. */
#include "gpu/layout/encoding_int.h"

typedef struct EncodingReader {
	GpuCx *cx;
	const char *error;
} EncodingReader;

static const Layout *refuse(EncodingReader *r, const char *text)
{
	r->error = text;
	return NULL;
}

static int64_t largest_power(int64_t size)
{
	return size & -size;
}

/* ---- items ---- */

/* The {key = value, ...} of an attribute. */
static IrAttr keyed(IrAttr attr)
{
	for (uint32_t i = 0; attr->kind == ATTR_KIND_CUSTOM && i < attr->len; i++) {
		IrAttr item = attr->items[i];
		if (item->kind == ATTR_KIND_CUSTOM && strcmp(item->text, " ") == 0 && item->len == 2)
			item = item->items[1];
		if (item->kind == ATTR_KIND_CUSTOM && !*item->text)
			return item;
	}
	return NULL;
}

static IrAttr find(IrAttr attr, const char *name)
{
	IrAttr body = keyed(attr);
	for (uint32_t i = 0; body && i + 1 < body->len; i += 2)
		if (body->items[i]->kind == ATTR_KIND_STRING && strcmp(body->items[i]->text, name) == 0)
			return body->items[i + 1];
	return NULL;
}

static bool find_int(IrAttr attr, const char *name, int64_t *out)
{
	IrAttr value = find(attr, name);
	if (!value || (value->kind != ATTR_KIND_INT && value->kind != ATTR_KIND_BOOL))
		return false;
	*out = value->i;
	return true;
}

bool gpu_is_cut(IrAttr encoding, uint64_t *used, uint64_t *all)
{
	int64_t found;
	IrAttr bases = encoding ? find(encoding, "offset") : NULL;
	if (!bases || bases->kind != ATTR_KIND_ARRAY || bases->len >= 64 ||
	    !find_int(encoding, "used", &found))
		return false;
	*all = UINT64_C(1) << bases->len;
	*used = (uint64_t)found;
	return found > 0 && *used < *all;
}

static bool small_int(IrAttr value, unsigned *out)
{
	if (value->kind != ATTR_KIND_INT || value->i < 0 || value->i > (1 << 20))
		return false;
	*out = (unsigned)value->i;
	return true;
}

/* A list of `rank` powers of two. */
static bool find_powers(IrAttr attr, const char *name, unsigned *out, unsigned rank)
{
	IrAttr list = find(attr, name);
	if (!list || list->kind != ATTR_KIND_ARRAY || list->len != rank)
		return false;
	for (uint32_t i = 0; i < rank; i++)
		if (!small_int(list->items[i], &out[i]) || !base_is_pow2(out[i]))
			return false;
	return true;
}

static bool find_order(IrAttr attr, unsigned *out, unsigned rank)
{
	IrAttr list = find(attr, "order");
	uint32_t seen = 0;
	if (!list || list->kind != ATTR_KIND_ARRAY || list->len != rank)
		return false;
	for (uint32_t i = 0; i < rank; i++) {
		if (!small_int(list->items[i], &out[i]) || out[i] >= rank)
			return false;
		seen |= 1u << out[i];
	}
	return seen == (1u << rank) - 1;
}

/* ---- #ttg.linear, #ttg.shared_linear ---- */

/* A layout of threads may be one of a larger tile (`cut`): what lies beyond this one is a copy then. */
static bool read_basis(EncodingReader *r, const LayoutSpace *out, unsigned rank, IrAttr bits, bool *cut,
		       uint64_t *basis)
{
	bool may_cut = *cut;
	*cut = false;
	*basis = 0;
	if (bits->kind != ATTR_KIND_ARRAY || bits->len != rank)
		return refuse(r, "each basis needs one number for each dimension") != NULL;
	for (uint32_t k = 0; k < rank; k++) {
		const LayoutDim *dim = layout_space_find(out, LAYOUT_DIM0 + k);
		IrAttr value = bits->items[k];
		bool beyond = value->kind == ATTR_KIND_INT && (value->i >> dim->bits) != 0;
		if (beyond && may_cut && base_is_pow2((uint64_t)value->i)) {
			*cut = true;
			continue;
		}
		if (value->kind != ATTR_KIND_INT || value->i < 0 || beyond)
			return refuse(r, "a basis lies outside of the tile") != NULL;
		*basis |= layout_space_put(out, LAYOUT_DIM0 + k, (uint64_t)value->i);
	}
	return true;
}

static bool read_bases(EncodingReader *r, const LayoutSpace *out, unsigned rank, IrAttr attr, const char *name,
		       uint64_t *bases, unsigned *at, unsigned *count)
{
	IrAttr list = find(attr, name);
	*count = 0;
	if (!list)
		return true;
	if (list->kind != ATTR_KIND_ARRAY || *at + list->len > 60)
		return refuse(r, "bases must be a list of lists of numbers") != NULL;
	for (uint32_t i = 0; i < list->len; i++) {
		bool cut = strcmp(attr->text, "ttg.linear") == 0;
		if (!read_basis(r, out, rank, list->items[i], &cut, &bases[*at]))
			return false;
		if (cut && !bases[*at] && strcmp(name, "register") == 0)
			continue; /* it would hold a copy */
		++*at;
		++*count;
	}
	return true;
}

/* A layout of threads may be one of a smaller tile: more registers, which come first, repeat it. */
static void repeat_bases(const LayoutSpace *out, unsigned rank, uint64_t *bases, unsigned *at,
			 unsigned *registers)
{
	uint64_t reached = 0;
	for (unsigned i = 0; i < *at; i++)
		reached |= bases[i];
	for (unsigned k = 0; k < rank; k++) {
		unsigned bits = layout_space_find(out, LAYOUT_DIM0 + k)->bits, used = 0;
		while (layout_space_get(out, reached, LAYOUT_DIM0 + k) >> used)
			used++;
		for (; used < bits && *at < 60; used++, ++*at) {
			uint64_t *place = bases + (*registers)++;
			memmove(place + 1, place, (size_t)(bases + *at - place) * sizeof *bases);
			*place = layout_space_put(out, LAYOUT_DIM0 + k, UINT64_C(1) << used);
		}
	}
}

static bool read_repetitions(EncodingReader *r, IrAttr attr, LayoutSpace *out, unsigned rank)
{
	IrAttr list = find(attr, "repetitions");
	unsigned n = 0, place;
	uint32_t seen = 0;
	for (unsigned k = 0; k < rank; k++)
		n += layout_space_find(out, LAYOUT_DIM0 + k)->reps > 1;
	if (!list)
		return true;
	bool ok = list->kind == ATTR_KIND_ARRAY && list->len == n;
	for (unsigned k = 0, at = 0; ok && k < rank; k++) {
		LayoutDim *dim = (LayoutDim *)(uintptr_t)layout_space_find(out, LAYOUT_DIM0 + k);
		if (dim->reps == 1)
			continue;
		ok = small_int(list->items[at++], &place) && place >= 1 && place <= n && !(seen >> place & 1);
		if (ok) {
			seen |= 1u << place;
			dim->rep_order = (uint8_t)place;
		}
	}
	return ok || refuse(r, "'repetitions' must give each repeated dimension its place") != NULL;
}

static const Layout *linear(EncodingReader *r, IrAttr attr, const int64_t *shape, unsigned rank, bool shared)
{
	static const char *const threads[] = {"register", "lane", "warp", "block"}, *const memory[] = {"offset", "block"};
	LayoutSpace out = layout_space_of_shape(shape, rank), in;
	uint64_t bases[64];
	unsigned count[4] = {0}, at = 0, names = shared ? 2 : 4;
	if (!keyed(attr) || !read_repetitions(r, attr, &out, rank))
		return r->error ? NULL : refuse(r, "it has no bases");
	for (unsigned i = 0; i < names; i++)
		if (!read_bases(r, &out, rank, attr, shared ? memory[i] : threads[i], bases, &at, &count[i]))
			return NULL;
	if (!shared)
		repeat_bases(&out, rank, bases, &at, &count[0]);
	if (shared) {
		in = layout_space_none();
		layout_space_add(&in, LAYOUT_OFFSET, count[0], layout_space_reps(&out));
		if (count[1])
			layout_space_add(&in, LAYOUT_BLOCK, count[1], 1);
	} else {
		in = layout_space_of_threads(count[0], count[1], count[2], count[3], layout_space_reps(&out));
	}
	const Layout *l = layout_make(&r->cx->layouts, &in, &out, bases);
	if (!layout_is_onto(l))
		return refuse(r, "its bases do not reach every element of the tile");
	if (shared && !layout_is_one_to_one(l) && !count[1])
		return refuse(r, "two offsets hold the same element");
	return l;
}

/* ---- clusters ---- */

/* What one CTA of the cluster holds: block bits split dims, so the dims of a CTA are that much shorter. */
static bool cta_shape(EncodingReader *r, IrAttr attr, const int64_t *shape, unsigned rank, int64_t *own)
{
	IrAttr list = find(attr, "CGALayout");
	memcpy(own, shape, rank * sizeof *own);
	for (uint32_t i = 0; list && i < list->len; i++) {
		IrAttr basis = list->items[i];
		if (basis->kind != ATTR_KIND_ARRAY || basis->len != rank)
			return refuse(r, "'CGALayout' needs one number for each dimension") != NULL;
		for (unsigned k = 0; k < rank; k++) {
			unsigned part;
			if (!small_int(basis->items[k], &part))
				return refuse(r, "'CGALayout' must hold numbers") != NULL;
			if (part && own[k] % 2 == 0)
				own[k] /= 2;
		}
	}
	return true;
}

/* A CTA's layout with the cluster's bits added. */
static const Layout *with_cluster(EncodingReader *r, IrAttr attr, const Layout *l, const int64_t *shape, unsigned rank)
{
	IrAttr list = find(attr, "CGALayout");
	if (!list || !list->len || !l)
		return l;
	LayoutSpace out = layout_space_of_shape(shape, rank), in = l->in;
	uint64_t bases[64];
	unsigned n = l->in_bits;
	for (unsigned i = 0; i < n; i++) {
		bases[i] = 0;
		for (unsigned k = 0; k < rank; k++)
			bases[i] |= layout_space_put(&out, LAYOUT_DIM0 + k,
						     layout_coordinate(l, l->bases[i], k));
	}
	for (uint32_t i = 0; i < list->len; i++, n++) {
		bases[n] = 0;
		for (unsigned k = 0; k < rank; k++) {
			uint64_t part = (uint64_t)list->items[i]->items[k]->i << layout_out_bits(l, LAYOUT_DIM0 + k);
			if (part >> layout_out_bits(l, LAYOUT_DIM0 + k) && !(part >> layout_space_find(&out, LAYOUT_DIM0 + k)->bits))
				bases[n] |= layout_space_put(&out, LAYOUT_DIM0 + k, part);
		}
	}
	for (unsigned i = 0; i < in.count; i++)
		if (in.dim[i].name == LAYOUT_BLOCK)
			in.dim[i].bits = (uint8_t)(in.dim[i].bits + list->len);
	const Layout *made = layout_make(&r->cx->layouts, &in, &out, bases);
	return layout_is_onto(made) ? made : refuse(r, "'CGALayout' does not cover the tile");
}

/* ---- distributed ---- */

static const Layout *distributed(EncodingReader *r, IrAttr attr, const int64_t *shape, unsigned rank);

/* `all` (rank: none): each thread has this dim whole, whatever the attribute says. */
static const Layout *blocked_with(EncodingReader *r, IrAttr attr, const int64_t *shape, unsigned rank, unsigned all)
{
	LayoutBlocked b = {.rank = rank};
	if (!find_powers(attr, "sizePerThread", b.size_per_thread, rank) ||
	    !find_powers(attr, "threadsPerWarp", b.threads_per_warp, rank) ||
	    !find_powers(attr, "warpsPerCTA", b.warps_per_cta, rank) || !find_order(attr, b.order, rank))
		return refuse(r, "a blocked layout needs sizePerThread, threadsPerWarp, warpsPerCTA and order of its rank");
	if (all < rank)
		b.size_per_thread[all] = 1u << MIN((unsigned)__builtin_ctzll((uint64_t)shape[all]), 20u);
	return layout_blocked(&r->cx->layouts, shape, &b);
}

static const Layout *blocked(EncodingReader *r, IrAttr attr, const int64_t *shape, unsigned rank)
{
	return blocked_with(r, attr, shape, rank, rank);
}

static const Layout *slice(EncodingReader *r, IrAttr attr, const int64_t *shape, unsigned rank)
{
	int64_t dim, whole[LAYOUT_MAX_RANK];
	IrAttr parent = find(attr, "parent");
	if (!find_int(attr, "dim", &dim) || dim < 0 || dim > rank || rank + 1 > LAYOUT_MAX_RANK || !parent)
		return refuse(r, "a slice needs its parent and one of its dimensions");
	for (unsigned k = 0; k <= rank; k++)
		whole[k] = k < dim ? shape[k] : k == dim ? 1 : shape[k - 1];
	if (parent->kind != ATTR_KIND_CUSTOM)
		return refuse(r, "a slice needs its parent and one of its dimensions");
	/* A parent that lists its bases has a length of its own along the dimension. */
	if (strcmp(parent->text, "ttg.linear") == 0) {
		static const char *const names[] = {"register", "lane", "warp", "block"};
		for (size_t n = 0; n < ARRAY_LEN(names); n++) {
			IrAttr list = find(parent, names[n]);
			for (uint32_t i = 0; list && list->kind == ATTR_KIND_ARRAY && i < list->len; i++) {
				unsigned at;
				IrAttr basis = list->items[i];
				if (basis->kind == ATTR_KIND_ARRAY && basis->len == rank + 1 &&
				    small_int(basis->items[dim], &at))
					while (whole[dim] <= at)
						whole[dim] *= 2;
			}
		}
	}
	const Layout *l = distributed(r, parent, whole, rank + 1);
	return l ? layout_slice(&r->cx->layouts, l, (unsigned)dim) : NULL;
}

typedef struct Mma {
	int64_t version;
	unsigned warps[LAYOUT_MAX_RANK], instr[3], instr_rank;
} Mma;

static bool read_mma(EncodingReader *r, IrAttr attr, unsigned rank, Mma *mma)
{
	IrAttr instr = find(attr, "instrShape");
	bool ok = find_int(attr, "versionMajor", &mma->version) && find_powers(attr, "warpsPerCTA", mma->warps, rank) &&
		  (rank == 2 || rank == 3) && instr && instr->kind == ATTR_KIND_ARRAY && instr->len >= 2 && instr->len <= 3;
	mma->instr_rank = ok ? instr->len : 0;
	for (uint32_t i = 0; ok && i < instr->len; i++)
		ok = small_int(instr->items[i], &mma->instr[i]);
	if (ok && mma->version == 2) {
		unsigned m = mma->instr[mma->instr_rank - 2];
		ok = mma->instr_rank == rank && (m == 16 || m == 8) && mma->instr[mma->instr_rank - 1] == 8;
	} else if (ok && mma->version == 3) {
		ok = mma->instr[1] >= 8 && mma->instr[1] <= 256 && base_is_pow2(mma->instr[1]);
	} else {
		ok = false;
	}
	return ok || refuse(r, "no matrix instruction that is known has such a layout") != NULL;
}

static const Layout *mma(EncodingReader *r, IrAttr attr, const int64_t *shape, unsigned rank)
{
	Mma m;
	if (!read_mma(r, attr, rank, &m))
		return NULL;
	if (m.version == 3 && rank == 3)
		return refuse(r, "no matrix instruction that is known has such a layout");
	if (m.version == 3)
		return layout_wgmma_accumulator(&r->cx->layouts, shape, m.warps, m.instr[1]);
	return layout_mma_accumulator(&r->cx->layouts, shape, rank, m.warps, m.instr[m.instr_rank - 2]);
}

static const Layout *dot_operand(EncodingReader *r, IrAttr attr, const int64_t *shape, unsigned rank)
{
	int64_t operand, k_width = 1;
	IrAttr parent = find(attr, "parent");
	LayoutContext *cx = &r->cx->layouts;
	Mma m;
	if (!find_int(attr, "opIdx", &operand) || (operand | 1) != 1 || !parent || parent->kind != ATTR_KIND_CUSTOM ||
	    rank < 2)
		return refuse(r, "an operand's layout needs opIdx and parent");
	if (strcmp(parent->text, "ttg.blocked") == 0) {
		/* Of a product without matrix instruction. */
		return blocked_with(r, parent, shape, rank, operand == 0 ? rank - 1 : rank - 2);
	}
	if (strcmp(parent->text, "ttg.nvidia_mma") != 0 || !read_mma(r, parent, rank, &m))
		return r->error ? NULL : refuse(r, "the parent of an operand's layout must be one of a product");
	find_int(attr, "kWidth", &k_width);
	if (k_width < 1 || k_width > 16 || !base_is_pow2((uint64_t)k_width) ||
	    (m.version == 3 && (operand != 0 || (rank == 2 ? m.warps[0] % 4 != 0 : m.warps[2] != 1))))
		return refuse(r, "no matrix instruction that is known has such an operand");
	/* No product of batches takes it, but slices of it are layouts of tiles. */
	if (m.version == 3 && rank == 3)
		return layout_mma_operand(cx, shape, rank, m.warps, 0, 16, (unsigned)k_width);
	if (m.version == 3)
		return layout_wgmma_operand(cx, shape, m.warps, (unsigned)k_width);
	return layout_mma_operand(cx, shape, rank, m.warps, (unsigned)operand, m.instr[m.instr_rank - 2],
				  (unsigned)k_width);
}

/* No GPU has warps of more than 32 lanes, but other makers' text may; a CTA has 1024 threads, a cluster 16 CTAs. */
static const Layout *bounded(EncodingReader *r, const Layout *l)
{
	bool ok = !l || (layout_in_bits(l, LAYOUT_LANE) <= 6 && layout_in_bits(l, LAYOUT_WARP) <= 6 &&
			 layout_in_bits(l, LAYOUT_BLOCK) <= 4);
	return ok ? l : refuse(r, "it has more lanes, warps or CTAs than a kernel can have");
}

static const Layout *distributed(EncodingReader *r, IrAttr attr, const int64_t *shape, unsigned rank)
{
	static const struct {
		const char *name;
		const Layout *(*make)(EncodingReader *r, IrAttr attr, const int64_t *shape, unsigned rank);
	} kinds[] = {
		{"ttg.blocked", blocked},
		{"ttg.nvidia_mma", mma},
	};
	int64_t own[LAYOUT_MAX_RANK];
	if (rank > LAYOUT_MAX_RANK || attr->kind != ATTR_KIND_CUSTOM)
		return refuse(r, "it is no layout");
	if (strcmp(attr->text, "ttg.linear") == 0)
		return linear(r, attr, shape, rank, false);
	if (strcmp(attr->text, "ttg.slice") == 0)
		return slice(r, attr, shape, rank);
	if (strcmp(attr->text, "ttg.dot_op") == 0)
		return dot_operand(r, attr, shape, rank);
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (strcmp(attr->text, kinds[i].name) == 0)
			return cta_shape(r, attr, shape, rank, own)
				       ? with_cluster(r, attr, kinds[i].make(r, attr, own, rank), shape, rank)
				       : NULL;
	return refuse(r, "it is no layout of a tile that is known for these GPUs");
}

const Layout *encoding_distributed(GpuCx *cx, IrAttr attr, const int64_t *shape, unsigned rank, const char **error)
{
	EncodingReader r = {.cx = cx};
	const Layout *l = bounded(&r, distributed(&r, attr, shape, rank));
	*error = r.error;
	return l;
}

/* ---- shared memory ---- */

static const Layout *swizzled(EncodingReader *r, IrAttr attr, const int64_t *shape, unsigned rank)
{
	unsigned order[LAYOUT_MAX_RANK];
	int64_t vec, per_phase, max_phase;
	bool ok = find_int(attr, "vec", &vec) && find_int(attr, "perPhase", &per_phase) &&
		  find_int(attr, "maxPhase", &max_phase) && find_order(attr, order, rank);
	ok = ok && vec > 0 && vec < 1 << 20 && base_is_pow2((uint64_t)vec) && per_phase > 0 && per_phase < 1 << 20 &&
	     base_is_pow2((uint64_t)per_phase) && max_phase > 0 && max_phase < 1 << 20 &&
	     base_is_pow2((uint64_t)max_phase);
	if (!ok)
		return refuse(r, "a swizzled layout needs vec, perPhase, maxPhase and order of its rank");
	if (rank == 1)
		return layout_shared_plain(&r->cx->layouts, shape, rank, order);
	return layout_shared_swizzled(&r->cx->layouts, shape, rank, order, (unsigned)vec, (unsigned)per_phase,
				      (unsigned)max_phase);
}

static const Layout *nvmma(EncodingReader *r, IrAttr attr, const int64_t *shape, unsigned rank, unsigned element_bits)
{
	int64_t swizzle, transposed = 0, bits = element_bits, packed = 0;
	find_int(attr, "transposed", &transposed);
	find_int(attr, "elementBitWidth", &bits);
	find_int(attr, "fp4Padded", &packed);
	bool ok = find_int(attr, "swizzlingByteWidth", &swizzle) && rank >= 2 && !packed && bits >= 8 && bits <= 64 &&
		  base_is_pow2((uint64_t)bits) && (swizzle == 0 || swizzle == 32 || swizzle == 64 || swizzle == 128);
	if (!ok)
		return refuse(r, "no layout of matrix operands that is known is like this");
	unsigned column = transposed ? rank - 2 : rank - 1;
	if ((largest_power(shape[column]) * bits) / 8 < (swizzle ? swizzle : 16))
		return refuse(r, "a row of the tile is shorter than what is swizzled");
	return layout_shared_tma(&r->cx->layouts, shape, rank, (unsigned)bits, swizzle ? (unsigned)swizzle : 16,
				 transposed != 0);
}

/* [64:+8, ...] {order, shape} or {offset = bases}. */
static const Layout *padding(EncodingReader *r, IrAttr attr, const int64_t *shape, unsigned rank, LayoutPadded *padded)
{
	IrAttr pair = attr->len ? attr->items[0] : NULL;
	unsigned order[LAYOUT_MAX_RANK];
	if (!pair || pair->kind != ATTR_KIND_CUSTOM || strcmp(pair->text, " ") != 0 || pair->items[0]->len > 4)
		return refuse(r, "a padded layout needs up to four paddings and its bases");
	for (uint32_t i = 0; i < pair->items[0]->len; i++) {
		IrAttr pad = pair->items[0]->items[i];
		unsigned interval, amount;
		if (pad->kind != ATTR_KIND_CUSTOM || strcmp(pad->text, ":+") != 0 || !small_int(pad->items[0], &interval) ||
		    !small_int(pad->items[1], &amount) || !base_is_pow2(interval) || !base_is_pow2(amount))
			return refuse(r, "paddings must be powers of two");
		if (padded) {
			padded->pads[i].interval = interval;
			padded->pads[i].pad = amount;
			padded->count = i + 1;
		}
	}
	if (find_order(attr, order, rank))
		return layout_shared_plain(&r->cx->layouts, shape, rank, order);
	return linear(r, attr, shape, rank, true);
}

const Layout *encoding_shared(GpuCx *cx, IrAttr attr, const int64_t *shape, unsigned rank, unsigned element_bits,
			      LayoutPadded *padded, const char **error)
{
	EncodingReader r = {.cx = cx};
	const Layout *l;
	if (attr->kind != ATTR_KIND_CUSTOM)
		l = refuse(&r, "it is no layout");
	else if (strcmp(attr->text, "ttg.shared_linear") == 0)
		l = linear(&r, attr, shape, rank, true);
	else if (strcmp(attr->text, "ttg.swizzled_shared") == 0)
		l = swizzled(&r, attr, shape, rank);
	else if (strcmp(attr->text, "ttg.nvmma_shared") == 0)
		l = nvmma(&r, attr, shape, rank, element_bits);
	else if (strcmp(attr->text, "ttg.padded_shared") == 0)
		l = padding(&r, attr, shape, rank, padded);
	else
		l = refuse(&r, "it is no layout of memory that is known for these GPUs");
	*error = r.error;
	return l;
}
