/* Products tile by tile, as whole programs: what is random is how tiles are numbered, loaded, added
 * up and stored. For kernels whose CTAs run several programs (NESO_PERSIST), which the other
 * programs hardly ever are. Sums of whole numbers that stay exact have one result. */
#define _DEFAULT_SOURCE
#include <stdarg.h>
#include <string.h>

#include "diff.h"

typedef struct Product {
	Random r;
	Case *c;
	FILE *out;
	neso_dtype type, result;
	int m, n, k, bm, bn, bk;
	bool a_turned, b_turned, descriptors, bias;
} Product;

static void choose(Product *p)
{
	static const neso_dtype types[] = {NESO_FP16, NESO_FP16, NESO_BF16, NESO_FP32, NESO_INT8};
	p->type = types[random_below(&p->r, 5)];
	p->result = p->type == NESO_INT8 ? NESO_INT32 : p->type == NESO_FP32 ? NESO_FP32 : NESO_FP16;
	p->bm = random_pick(&p->r, 3, 64, 64, 128);
	p->bn = random_pick(&p->r, 4, 16, 32, 64, 128);
	p->bk = random_pick(&p->r, 3, 32, 64, 128);
	p->m = p->bm * (1 + random_below(&p->r, 3)) - random_pick(&p->r, 3, 0, 0, 16);
	p->n = p->bn * (1 + random_below(&p->r, 3)) - random_pick(&p->r, 3, 0, 0, p->bn > 16 ? 16 : 0);
	p->k = p->bk * random_below(&p->r, 4) + random_pick(&p->r, 3, 0, 16, 32);
	p->k = p->k ? p->k : 16;
	p->a_turned = !random_below(&p->r, 4);
	p->b_turned = random_below(&p->r, 2);
	p->descriptors = !random_below(&p->r, 3);
	p->bias = !random_below(&p->r, 3);
}

/* Numbers of tiles: by rows, from the end, in groups of rows; and what has none. */
static void print_tile(Product *p)
{
	fputs("    tile = tl.program_id(0)\n", p->out);
	if (!random_below(&p->r, 3))
		fputs("    tile = tl.num_programs(0) - 1 - tile\n", p->out);
	fprintf(p->out, "    rows, columns = tl.cdiv(M, %d), tl.cdiv(N, %d)\n", p->bm, p->bn);
	if (!random_below(&p->r, 2))
		fputs("    if tile >= rows * columns:\n        return\n", p->out);
	if (random_below(&p->r, 2))
		fprintf(p->out,
			"    first = tile // (2 * columns) * 2\n"
			"    size = tl.maximum(min(rows - first, 2), 1)\n"
			"    row = (first + tile %% (2 * columns) %% size) * %d\n"
			"    column = tile %% (2 * columns) // size * %d\n",
			p->bm, p->bn);
	else
		fprintf(p->out, "    row, column = tile // columns * %d, tile %% columns * %d\n", p->bm,
			p->bn);
	fprintf(p->out, "    i, j, k = row + tl.arange(0, %d), column + tl.arange(0, %d), tl.arange(0, %d)\n",
		p->bm, p->bn, p->bk);
}

static void print_descriptor(Product *p, const char *name, bool turned, const char *rows,
			     const char *columns, int side, int other)
{
	const char *dims[] = {turned ? columns : rows, turned ? rows : columns};
	fprintf(p->out, "    d%s = tl.make_tensor_descriptor(%s, [%s, %s], [%s, 1], ", name, name, dims[0],
		dims[1], dims[1]);
	fprintf(p->out, "[%d, %d])\n", turned ? other : side, turned ? side : other);
}

static void print_loads(Product *p)
{
	if (p->descriptors) {
		fputs(p->a_turned ? "        x = da.load([at, row]).T\n" : "        x = da.load([row, at])\n",
		      p->out);
		fputs(p->b_turned ? "        y = db.load([column, at]).T\n" :
				    "        y = db.load([at, column])\n",
		      p->out);
		return;
	}
	fprintf(p->out,
		"        x = tl.load(a + i[:, None] * %s + (at + k)[None, :] * %s, mask=(i[:, None] < M) & "
		"((at + k)[None, :] < K), other=0)\n",
		p->a_turned ? "1" : "K", p->a_turned ? "M" : "1");
	fprintf(p->out,
		"        y = tl.load(b + (at + k)[:, None] * %s + j[None, :] * %s, mask=((at + k)[:, None] < "
		"K) & (j[None, :] < N), other=0)\n",
		p->b_turned ? "1" : "N", p->b_turned ? "K" : "1");
}

static void print_store(Product *p)
{
	static const char at[] = "c + i[:, None] * N + j[None, :]",
			  mask[] = "mask=(i[:, None] < M) & (j[None, :] < N)";
	if (p->bias)
		fprintf(p->out, "    acc += tl.load(d + j, mask=j < N, other=0)[None, :]\n");
	if (!random_below(&p->r, 3))
		fprintf(p->out, "    acc += tl.load(%s, %s, other=0).to(acc.dtype)\n", at, mask);
	if (!random_below(&p->r, 4))
		fputs("    tl.atomic_add(e, 1)\n", p->out);
	fprintf(p->out, "    tl.store(%s, acc.to(c.dtype.element_ty), %s)\n", at, mask);
}

static void print_kernel(Product *p)
{
	bool whole = p->type == NESO_INT8;
	fputs("import triton\nimport triton.language as tl\n\n\n@triton.jit\n"
	      "def kernel(a, b, c, d, e, M, N, K):\n",
	      p->out);
	print_tile(p);
	if (p->descriptors) {
		print_descriptor(p, "a", p->a_turned, "M", "K", p->bm, p->bk);
		print_descriptor(p, "b", p->b_turned, "K", "N", p->bk, p->bn);
	}
	fprintf(p->out, "    acc = tl.zeros((%d, %d), tl.%s)\n", p->bm, p->bn, whole ? "int32" : "float32");
	if (random_below(&p->r, 2))
		fprintf(p->out, "    for at in range(0, K, %d):\n", p->bk);
	else
		fprintf(p->out, "    for at in tl.range(0, K, %d, num_stages=%d):\n", p->bk,
			1 + random_below(&p->r, 4));
	print_loads(p);
	fprintf(p->out, "        acc = tl.dot(x, y, acc, out_dtype=tl.%s)\n", whole ? "int32" : "float32");
	print_store(p);
}

void product_make(Case *c, uint64_t seed)
{
	Product p = {.r = {seed}, .c = c};
	size_t size;
	memset(c, 0, sizeof *c);
	choose(&p);
	int tiles = (p.m + p.bm - 1) / p.bm * ((p.n + p.bn - 1) / p.bn);
	c->grid = (uint32_t)(tiles + random_pick(&p.r, 4, 0, 0, 3, tiles > 1 ? -1 : 0));
	c->num_warps = (uint32_t)random_pick(&p.r, 3, 4, 4, 8);
	c->num_stages = (uint32_t)(1 + random_below(&p.r, 4));
	c->schedules = random_below(&p.r, 4) ? 1 : 2;
	c->ctas = (uint32_t)random_pick(&p.r, 6, 1, 1, 1, 1, 2, 4);
	c->fused = true;
	case_buffer(p.c, &p.r, "a", p.type, p.m * p.k, -2, 3);
	case_buffer(p.c, &p.r, "b", p.type, p.k * p.n, -2, 3);
	case_buffer(p.c, &p.r, "c", p.result, p.m * p.n, -2, 3);
	case_buffer(p.c, &p.r, "d", p.result, p.n, -2, 3);
	case_buffer(p.c, &p.r, "e", NESO_INT32, 1, -2, 3);
	case_number(p.c, "M", p.m);
	case_number(p.c, "N", p.n);
	case_number(p.c, "K", p.k);
	p.out = open_memstream(&c->text, &size);
	print_kernel(&p);
	fclose(p.out);
}
