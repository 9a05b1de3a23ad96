/* Cases as files: Triton source under comments that say how it is launched. The comments are
 *
 *	# launch: GRID NUM_WARPS NUM_STAGES FLAGS SCHEDULES [CTAS [GRID_Y]]  FLAGS: 1 fused, 2 plain
 *	# buffer: NAME DTYPE ELEMENTS SEED [LO HI]      LO HI: whole numbers between them; otherwise anything
 *	# number: NAME DTYPE VALUE
 *	# floats: new                                   has 8-bit floats that GPUs before sm_89 do not know */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "diff.h"

int random_pick(Random *r, int count, ...)
{
	va_list list;
	int value = 0;
	va_start(list, count);
	for (int at = random_below(r, count); at >= 0; at--)
		value = va_arg(list, int);
	va_end(list);
	return value;
}

void case_buffer(Case *c, Random *r, const char *name, neso_dtype type, int count, int lo, int hi)
{
	CaseArg *a = &c->args[c->arg_count++];
	*a = (CaseArg){.dtype = type, .count = (uint32_t)count, .small = true, .lo = lo, .hi = hi};
	a->seed = random_next(r) & ~UINT64_C(7); /* aligned */
	snprintf(a->name, sizeof a->name, "%s", name);
}

void case_number(Case *c, const char *name, int value)
{
	CaseArg *a = &c->args[c->arg_count++];
	*a = (CaseArg){.dtype = NESO_INT32, .lo = value};
	snprintf(a->name, sizeof a->name, "%s", name);
}

void case_free(Case *c)
{
	free(c->text);
	c->text = NULL;
}

void case_write(const Case *c, FILE *file, const char *head)
{
	fputs(head, file);
	fprintf(file, "# run: difftest %%s\n# expect: success\n# launch: %u %u %u %d %u %u", c->grid,
		c->num_warps, c->num_stages, c->fused + 2 * c->plain, c->schedules, c->ctas);
	fprintf(file, c->grid_y > 1 ? " %u\n" : "\n", c->grid_y);
	if (c->new_floats)
		fputs("# floats: new\n", file);
	for (int k = 0; k < c->arg_count; k++) {
		const CaseArg *a = &c->args[k];
		if (!a->count) {
			fprintf(file, "# number: %s %s %d\n", a->name, neso_dtype_name(a->dtype), (int)a->lo);
			continue;
		}
		fprintf(file, "# buffer: %s %s %u %" PRIu64, a->name, neso_dtype_name(a->dtype), a->count, a->seed);
		if (a->small)
			fprintf(file, " %d %d", (int)a->lo, (int)a->hi);
		putc('\n', file);
	}
	fputs(c->text, file);
}

static bool read_arg(Case *c, const char *text)
{
	CaseArg *a = &c->args[c->arg_count];
	char dtype[16];
	int n, lo, hi;
	uint64_t seed;
	unsigned elements;
	memset(a, 0, sizeof *a);
	if (sscanf(text, "# launch: %u %u %u %d %u %u %u", &c->grid, &c->num_warps, &c->num_stages, &n,
		   &c->schedules, &c->ctas, &c->grid_y) >= 4) {
		c->fused = n & 1;
		c->plain = n & 2;
		return true;
	}
	if (strncmp(text, "# floats: new", 13) == 0) {
		c->new_floats = true;
		return true;
	}
	if (c->arg_count == MAX_CASE_ARGS)
		return false;
	if (sscanf(text, "# number: %15s %15s %d", a->name, dtype, &lo) == 3) {
		a->lo = lo;
	} else if ((n = sscanf(text, "# buffer: %15s %15s %u %" SCNu64 " %d %d", a->name, dtype, &elements, &seed,
			       &lo, &hi)) >= 4 &&
		   elements > 0) {
		a->count = elements;
		a->seed = seed;
		a->small = n == 6;
		a->lo = n == 6 ? lo : 0;
		a->hi = n == 6 ? hi : 0;
	} else {
		return strncmp(text, "# number:", 9) != 0 && strncmp(text, "# buffer:", 9) != 0 &&
		       strncmp(text, "# launch:", 9) != 0;
	}
	c->arg_count++;
	a->dtype = neso_dtype_of(dtype);
	return a->dtype != NESO_DTYPE_NONE;
}

bool case_read(Case *c, const char *path)
{
	char row[4000];
	size_t size;
	bool good = true;
	FILE *in = fopen(path, "r");
	memset(c, 0, sizeof *c);
	if (!in) {
		fprintf(stderr, "difftest: cannot read %s\n", path);
		return false;
	}
	FILE *text = open_memstream(&c->text, &size);
	while (fgets(row, sizeof row, in)) {
		good = good && (row[0] != '#' || read_arg(c, row));
		fputs(row, text);
	}
	fclose(in);
	fclose(text);
	if (!good || c->grid == 0) {
		fprintf(stderr, "difftest: %s does not say how it is launched (test/diff/case.c)\n", path);
		case_free(c);
		return false;
	}
	return true;
}
