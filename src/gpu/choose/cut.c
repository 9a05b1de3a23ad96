/* Minimum cut by Dinic's maximum flow: levels by breadth-first search, then blocking flows by
 * depth-first search with a current arc. Networks here have some hundred nodes. */
#include "gpu/choose/choose.h"

typedef struct Arc {
	uint32_t to, next;
	int64_t room; /* arc i ^ 1 is the reverse */
} Arc;

struct Cut {
	Arena *arena;
	uint32_t nodes, source, sink; /* source: the near side */
	uint32_t *head, *current, *level, *queue;
	VEC(Arc) arcs;
};

Cut *cut_new(Arena *arena, uint32_t nodes)
{
	Cut *cut = ARENA_NEW(arena, Cut);
	cut->arena = arena;
	cut->source = nodes;
	cut->sink = nodes + 1;
	cut->nodes = nodes + 2;
	cut->head = ARENA_ARRAY(arena, uint32_t, cut->nodes);
	cut->current = ARENA_ARRAY(arena, uint32_t, cut->nodes);
	cut->level = ARENA_ARRAY(arena, uint32_t, cut->nodes);
	cut->queue = ARENA_ARRAY(arena, uint32_t, cut->nodes);
	for (uint32_t i = 0; i < cut->nodes; i++)
		cut->head[i] = CHOOSE_NONE;
	return cut;
}

static void add_arc(Cut *cut, uint32_t from, uint32_t to, int64_t room)
{
	Arc arc = {to, cut->head[from], room};
	cut->head[from] = cut->arcs.len;
	vec_push(cut->arena, &cut->arcs, arc);
}

void cut_add_edge(Cut *cut, uint32_t u, uint32_t v, int64_t cost)
{
	CONTRACT(u < cut->nodes && v < cut->nodes);
	ASSERT(cost >= 0);
	if (cost == 0)
		return;
	add_arc(cut, u, v, cost);
	add_arc(cut, v, u, 0);
}

void cut_add_node(Cut *cut, uint32_t node, int64_t near, int64_t far)
{
	CONTRACT(node < cut->nodes);
	if (far > near)
		cut_add_edge(cut, cut->source, node, far - near);
	else
		cut_add_edge(cut, node, cut->sink, near - far);
}

/* Levels from the source along arcs with room; does it reach the sink? */
static bool find_levels(Cut *cut)
{
	uint32_t first = 0, last = 0;
	for (uint32_t i = 0; i < cut->nodes; i++)
		cut->level[i] = CHOOSE_NONE;
	cut->level[cut->source] = 0;
	cut->queue[last++] = cut->source;
	while (first < last) {
		uint32_t u = cut->queue[first++];
		for (uint32_t a = cut->head[u]; a != CHOOSE_NONE; a = cut->arcs.data[a].next) {
			const Arc *arc = &cut->arcs.data[a];
			if (arc->room == 0 || cut->level[arc->to] != CHOOSE_NONE)
				continue;
			cut->level[arc->to] = cut->level[u] + 1;
			cut->queue[last++] = arc->to;
		}
	}
	return cut->level[cut->sink] != CHOOSE_NONE;
}

/* One path from the source to the sink along ascending levels; arcs[] are those of the path. Dead ends lose
 * their level. Its length, 0 when there is none. */
static uint32_t find_path(Cut *cut, uint32_t *path)
{
	uint32_t len = 0, u = cut->source;
	while (u != cut->sink) {
		uint32_t a = cut->current[u];
		for (; a != CHOOSE_NONE; a = cut->arcs.data[a].next) {
			const Arc *arc = &cut->arcs.data[a];
			if (arc->room && cut->level[arc->to] == cut->level[u] + 1)
				break;
		}
		cut->current[u] = a;
		if (a != CHOOSE_NONE) {
			path[len++] = a;
			u = cut->arcs.data[a].to;
			continue;
		}
		cut->level[u] = CHOOSE_NONE;
		if (len == 0)
			return 0;
		u = cut->arcs.data[path[--len] ^ 1].to;
	}
	return len;
}

void cut_solve(Cut *cut)
{
	uint32_t *path = ARENA_ARRAY(cut->arena, uint32_t, cut->nodes);
	while (find_levels(cut)) {
		memcpy(cut->current, cut->head, sizeof *cut->head * cut->nodes);
		for (uint32_t len; (len = find_path(cut, path)) != 0;) {
			int64_t room = INT64_MAX;
			for (uint32_t i = 0; i < len; i++)
				room = MIN(room, cut->arcs.data[path[i]].room);
			for (uint32_t i = 0; i < len; i++) {
				cut->arcs.data[path[i]].room -= room;
				cut->arcs.data[path[i] ^ 1].room += room;
			}
		}
	}
}

bool cut_is_far(const Cut *cut, uint32_t node)
{
	CONTRACT(node < cut->nodes);
	return cut->level[node] == CHOOSE_NONE;
}
