/* Times the compiler for GPUs, stage by stage, on the kernels beside it: median and least of many compilations in a warm
 * process, and the size of the PTX. ptxas is started once for each, where it is found, for registers and spills.
 * Build type Release. Usage: codegen_bench [FOLDER of .mlir files] [TARGET] [NAME] [ROUNDS] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/os.h"
#include "codegen/codegen.h"

extern const CodegenTable neso_codegen_table;

enum { MAX_ROUNDS = 1000 };

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

typedef struct Times {
	double of[5][MAX_ROUNDS]; /* passes, lowering, PTX, all; all in processor time, which a busy machine does not lengthen */
} Times;

static double processor_time(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void show_ptxas(Arena *arena, const char *ptx, size_t len, const char *target)
{
	const char *error, *folder = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
	char *file = arena_printf(arena, "%s/codegen_bench.ptx", folder);
	if (system("command -v ptxas >/dev/null 2>&1") != 0 || !os_write_file(arena, file, (Str){ptx, len}, &error))
		return;
	double start = os_now();
	fflush(stdout);
	int status = system(arena_printf(arena, "ptxas -v -arch=%s -o /dev/null %s 2>&1 | grep -E 'error|warning|C75|Used|spill' "
						 "| sed 's/^/    /'", target, file));
	printf("    ptxas %.1f ms%s\n", (os_now() - start) * 1e3, status ? ", failed" : "");
	remove(file);
}

/* Arguments as a launch specialises them: pointers and integers that 16 divides. */
static Str specialise(Arena *arena, Str text)
{
	Text out;
	text_init(&out, arena);
	const char *at = strstr(text.ptr, "tt.func public"), *end = at ? strchr(at, ')') : NULL;
	if (!end)
		return text;
	text_add(&out, text.ptr, (size_t)(at - text.ptr));
	while (at < end) {
		size_t len = strcspn(at, ",)");
		text_add(&out, at, len);
		const char *colon = memchr(at, ':', len);
		if (colon && (strncmp(colon, ": !tt.ptr", 9) == 0 || strncmp(colon, ": i32", 5) == 0))
			text_str(&out, " {tt.divisibility = 16 : i32}");
		at += len;
		text_char(&out, *at++);
	}
	text_add(&out, at, (size_t)(text.ptr + text.len - at));
	return (Str){out.data, out.len};
}

static void bench(Arena *arena, const char *folder, const char *name, const char *target, unsigned warps, int rounds)
{
	static Times times;
	Str bytes;
	const char *error, *path = arena_printf(arena, "%s/%s.mlir", folder, name);
	if (!os_read_file(arena, path, &bytes, &error)) {
		printf("%-12s %s\n", name, error);
		return;
	}
	bytes = specialise(arena, bytes);
	CodegenRequest request = {.from = CODEGEN_TTIR, .to = CODEGEN_PTX, .text = bytes.ptr, .len = bytes.len, .path = path,
				  .target = target, .num_warps = warps, .num_ctas = 1, .num_stages = 3, .fp_fusion = true,
				  .line_info = true};
	for (int i = 0; i < rounds + 2; i++) {
		double start = os_now(), processor = processor_time();
		CodegenResult *r = neso_codegen_table.compile(&request);
		double all = os_now() - start;
		processor = processor_time() - processor;
		if (!r || !r->ok) {
			printf("%-12s %s\n", name, r && r->diag_count ? r->diags[0].text : "failed");
			neso_codegen_table.free(r);
			return;
		}
		if (i >= 2) {
			for (int s = CODEGEN_TTGIR; s <= CODEGEN_PTX; s++)
				times.of[s - 1][i - 2] = r->seconds[s];
			times.of[3][i - 2] = all;
			times.of[4][i - 2] = processor;
		}
		if (i == rounds + 1) {
			printf("%-12s", name);
			for (int s = 0; s < 5; s++) {
				qsort(times.of[s], (size_t)rounds, sizeof(double), compare);
				printf(" %7.2f (%.2f)", times.of[s][rounds / 2] * 1e3, times.of[s][0] * 1e3);
			}
			printf("  %zu bytes of PTX\n", r->stage[CODEGEN_PTX].len);
			show_ptxas(arena, r->stage[CODEGEN_PTX].data, r->stage[CODEGEN_PTX].len, target);
		}
		neso_codegen_table.free(r);
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		unsigned warps;
	} kernels[] = {{"tiny", 4}, {"add", 4}, {"softmax", 8}, {"layernorm", 8}, {"matmul", 8}, {"attention", 8}};
	const char *folder = argc > 1 ? argv[1] : "test/bench", *target = argc > 2 ? argv[2] : "sm_90a";
	const char *only = argc > 3 && *argv[3] ? argv[3] : NULL;
	int rounds = argc > 4 ? atoi(argv[4]) : 21;
	Arena arena;
	arena_init(&arena, 0);
	char llvm[32];
	neso_codegen_table.llvm_version(llvm);
	printf("%s, LLVM %s; ms, median (least) of %d\n%-12s %14s %14s %14s %14s %14s\n", target, llvm,
	       rounds, "", "passes", "lowering", "PTX", "all", "all, processor");
	if (rounds < 1 || rounds > MAX_ROUNDS)
		return 2;
	for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
		if (!only || strcmp(only, kernels[i].name) == 0)
			bench(&arena, folder, kernels[i].name, target, kernels[i].warps, rounds);
	arena_free(&arena);
	return 0;
}
