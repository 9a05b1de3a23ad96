/* Printing locations, and the aliases of locations and layouts. */
#include "ir/text/print_int.h"

/* ---- aliases ---- */

/* Layouts that upstream abbreviates, and to what. */
static const char *layout_alias(IrAttr attr)
{
	static const char *const names[][2] = {
		{"ttg.blocked", "blocked"},         {"ttg.linear", "linear"},
		{"ttg.nvidia_mma", "mma"},          {"ttg.amd_mfma", "mma"},
		{"ttg.swizzled_shared", "shared"},  {"ttg.nvmma_shared", "shared"},
		{"ttg.padded_shared", "shared"},    {"ttg.shared_linear", "shared"},
		{"ttg.shared_memory", "smem"},      {"ttng.tensor_memory_encoding", "tmem"},
		{"ttng.tensor_memory", "tmem"},
	};
	for (size_t i = 0; attr->kind == ATTR_KIND_CUSTOM && i < ARRAY_LEN(names); i++)
		if (strcmp(attr->text, names[i][0]) == 0)
			return names[i][1];
	return NULL;
}

/* Nothing may stay at the end of the text that the start needs; its parts follow. */
static void keep_at_start(Printer *p, uint32_t at)
{
	PrintAlias *a = &p->aliases.data[at];
	if (!a->deferrable)
		return;
	a->deferrable = false;
	for (uint32_t i = 0; i < a->children.len; i++)
		keep_at_start(p, a->children.data[i]);
}

/* The index of a symbol's alias; new is set when it was not met before. */
static uint32_t meet(Printer *p, const void *symbol, const char *name, bool is_loc, bool deferrable, bool *new)
{
	uint64_t at;
	*new = !map_get(&p->alias_of, map_key(symbol), &at);
	if (!*new) {
		if (!deferrable)
			keep_at_start(p, (uint32_t)at - 1);
		return (uint32_t)at - 1;
	}
	PrintAlias alias = {.symbol = symbol, .is_loc = is_loc, .name = name, .depth = 1, .deferrable = deferrable};
	vec_push(p->out->arena, &p->aliases, alias);
	map_put(&p->alias_of, map_key(symbol), p->aliases.len);
	return p->aliases.len - 1;
}

static void add_child(Printer *p, uint32_t parent, uint32_t child)
{
	PrintAlias *a = &p->aliases.data[parent];
	vec_push(p->out->arena, &a->children, child);
	a->depth = MAX(a->depth, p->aliases.data[child].depth + 1);
}

static uint32_t meet_loc(Printer *p, IrLoc loc, bool deferrable)
{
	bool new;
	uint32_t at = meet(p, loc, "loc", true, deferrable, &new);
	if (!new)
		return at;
	if (loc->kind == LOC_NAME && loc->child->kind != LOC_UNKNOWN)
		add_child(p, at, meet_loc(p, loc->child, deferrable));
	if (loc->kind == LOC_CALLSITE) {
		add_child(p, at, meet_loc(p, loc->child, deferrable));
		add_child(p, at, meet_loc(p, loc->caller, deferrable));
	}
	for (uint32_t i = 0; i < loc->len; i++)
		add_child(p, at, meet_loc(p, loc->list[i], deferrable));
	return at;
}

/* Layouts anywhere inside an attribute; `parent` is the alias around it, or none (UINT32_MAX). */
void print_meet_layouts(Printer *p, IrAttr attr, uint32_t parent)
{
	const char *name = layout_alias(attr);
	if (name) {
		bool new;
		uint32_t at = meet(p, attr, name, false, false, &new);
		if (new)
			for (uint32_t i = 0; i < attr->len; i++)
				print_meet_layouts(p, attr->items[i], at);
		if (parent != UINT32_MAX)
			add_child(p, parent, at);
	} else if (attr->kind == ATTR_KIND_CUSTOM || attr->kind == ATTR_KIND_ARRAY || attr->kind == ATTR_KIND_DICT) {
		for (uint32_t i = 0; i < attr->len; i++)
			print_meet_layouts(p, attr->items[i], parent);
	}
}

static bool comes_before(const PrintAlias *a, const PrintAlias *b)
{
	return a->depth != b->depth ? a->depth < b->depth : strcmp(a->name, b->name) < 0;
}

/* A stable merge sort; from and to hold the same aliases. */
static void sort(PrintAlias *from, PrintAlias *to, uint32_t lo, uint32_t hi)
{
	if (hi - lo < 2)
		return;
	uint32_t mid = lo + (hi - lo) / 2;
	sort(to, from, lo, mid);
	sort(to, from, mid, hi);
	for (uint32_t i = lo, l = lo, r = mid; i < hi; i++)
		to[i] = r == hi || (l < mid && !comes_before(&from[r], &from[l])) ? from[l++] : from[r++];
}

void print_order_aliases(Printer *p)
{
	if (!p->aliases.len)
		return;
	PrintAlias *copy = arena_copy(p->out->arena, p->aliases.data, p->aliases.len * sizeof *copy);
	sort(copy, p->aliases.data, 0, p->aliases.len);
	for (uint32_t i = 0; i < p->aliases.len; i++) {
		PrintAlias *a = &p->aliases.data[i];
		map_put(&p->alias_of, map_key(a->symbol), i + 1);
		/* Those of one name and depth are neighbours; the count goes on at the next depth. */
		for (uint32_t j = i; j > 0; j--) {
			if (strcmp(p->aliases.data[j - 1].name, a->name) == 0) {
				a->number = p->aliases.data[j - 1].number + 1;
				break;
			}
		}
	}
}

bool print_alias(Printer *p, const void *symbol)
{
	uint64_t at;
	if (p->collecting || !map_get(&p->alias_of, map_key(symbol), &at) || !at)
		return false;
	const PrintAlias *a = &p->aliases.data[at - 1];
	text_char(p->out, '#');
	text_str(p->out, a->name);
	if (a->number)
		print_i64(p, a->number);
	return true;
}

/* ---- locations ---- */

static void print_loc_list(Printer *p, IrLoc loc)
{
	print_str(p, "fused[");
	for (uint32_t i = 0; i < loc->len; i++) {
		print_str(p, i ? ", " : "");
		print_loc(p, loc->list[i], true);
	}
	print_str(p, "]");
}

void print_loc(Printer *p, IrLoc loc, bool by_alias)
{
	if (by_alias && print_alias(p, loc))
		return;
	switch (loc->kind) {
	case LOC_UNKNOWN:
		print_str(p, "unknown");
		break;
	case LOC_FILE:
		print_string(p, loc->text, strlen(loc->text));
		print_str(p, ":");
		print_i64(p, loc->line);
		print_str(p, ":");
		print_i64(p, loc->col);
		break;
	case LOC_NAME:
		print_string(p, loc->text, strlen(loc->text));
		if (loc->child->kind != LOC_UNKNOWN) {
			print_str(p, "(");
			print_loc(p, loc->child, true);
			print_str(p, ")");
		}
		break;
	case LOC_CALLSITE:
		print_str(p, "callsite(");
		print_loc(p, loc->child, true);
		print_str(p, " at ");
		print_loc(p, loc->caller, true);
		print_str(p, ")");
		break;
	case LOC_FUSED:
		print_loc_list(p, loc);
		break;
	}
}

void print_trailing_loc(Printer *p, IrLoc loc, bool by_alias)
{
	if (p->options.no_locations)
		return;
	if (p->collecting) {
		meet_loc(p, loc, by_alias);
		return;
	}
	print_str(p, " loc(");
	print_loc(p, loc, by_alias);
	print_str(p, ")");
}

void print_aliases(Printer *p, bool deferred)
{
	for (uint32_t i = 0; i < p->aliases.len; i++) {
		const PrintAlias *a = &p->aliases.data[i];
		if (a->deferrable != deferred)
			continue;
		print_alias(p, a->symbol);
		if (a->is_loc) {
			print_str(p, " = loc(");
			print_loc(p, a->symbol, false);
			print_str(p, ")\n");
		} else {
			/* The definition itself must not be abbreviated. */
			print_str(p, " = ");
			map_put(&p->alias_of, map_key(a->symbol), 0);
			print_attr(p, a->symbol, false);
			map_put(&p->alias_of, map_key(a->symbol), i + 1);
			print_str(p, "\n");
		}
	}
}
