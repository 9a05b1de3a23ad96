/* The compiler for GPUs on IR text, for file tests: codegen_tool [OPTION...] FILE
 *
 *	--target T       sm_90a when not said
 *	--emit STAGE     ttgir, llir, ptx (the default)
 *	--pass NAME,...  these passes first, on the text's own stage; without --emit no more than these
 *	--warps N        4 when not said
 *	--kernel NAME    which one, where the text has several
 *	--no-fusion, --lines, --no-verify, --predictions
 *
 * Prints the stage, or diagnostics as the command does; exit status 1 then. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/os.h"
#include "codegen/codegen.h"

extern const CodegenTable neso_codegen_table;

static int usage(const char *what)
{
	fprintf(stderr, "codegen_tool: %s\n", what);
	return 2;
}

static CodegenStage stage_of(const char *name)
{
	static const char *const names[] = {"ttir", "ttgir", "llir", "ptx"};
	for (unsigned i = 0; i < ARRAY_LEN(names); i++)
		if (strcmp(names[i], name) == 0)
			return (CodegenStage)i;
	return CODEGEN_STAGE__COUNT;
}

static size_t split(char *list, const char **out, size_t room)
{
	size_t count = 0;
	for (char *at = strtok(list, ","); at && count < room; at = strtok(NULL, ","))
		out[count++] = at;
	return count;
}

static void show_diags(const CodegenResult *r)
{
	static const char *const kinds[] = {"error", "warning", "note"};
	for (size_t i = 0; i < r->diag_count; i++) {
		const CodegenDiag *d = &r->diags[i];
		if (d->path && d->line)
			fprintf(stderr, "%s:%u:%u: ", d->path, d->line, d->col);
		fprintf(stderr, "%s: %s\n", kinds[d->severity], d->text);
	}
}

int main(int argc, char **argv)
{
	CodegenRequest request = {.to = CODEGEN_PTX, .target = "sm_90a", .num_warps = 4, .num_ctas = 1, .num_stages = 3,
				  .fp_fusion = true, .verify_passes = true, .no_locations = true};
	const char *passes[32], *file = NULL;
	size_t pass_count = 0;
	bool emits = false;
	for (int i = 1; i < argc; i++) {
		const char *value = i + 1 < argc ? argv[i + 1] : NULL;
		if (argv[i][0] != '-') {
			file = argv[i];
			continue;
		}
		if (strcmp(argv[i], "--no-fusion") == 0)
			request.fp_fusion = false;
		else if (strcmp(argv[i], "--lines") == 0)
			request.line_info = true;
		else if (strcmp(argv[i], "--predictions") == 0)
			request.predictions = true;
		else if (strcmp(argv[i], "--no-verify") == 0)
			request.verify_passes = false;
		else if (!value)
			return usage("an option wants a value");
		else if (strcmp(argv[i], "--target") == 0)
			request.target = argv[++i];
		else if (strcmp(argv[i], "--emit") == 0)
			request.to = stage_of(argv[++i]), emits = true;
		else if (strcmp(argv[i], "--kernel") == 0)
			request.kernel = argv[++i];
		else if (strcmp(argv[i], "--warps") == 0)
			request.num_warps = (unsigned)atoi(argv[++i]);
		else if (strcmp(argv[i], "--pass") == 0)
			pass_count = split(argv[++i], passes, ARRAY_LEN(passes));
		else
			return usage("unknown option");
	}
	Arena arena;
	Str bytes;
	const char *error;
	arena_init(&arena, 0);
	if (!file || request.to == CODEGEN_STAGE__COUNT || !os_read_file(&arena, file, &bytes, &error))
		return usage(file ? "no such stage or file" : "which file?");
	request.text = bytes.ptr;
	request.len = bytes.len;
	request.path = file;
	request.from = strstr(bytes.ptr, "ttg.num-warps") ? CODEGEN_TTGIR : CODEGEN_TTIR;
	CodegenResult *passed = NULL;
	if (pass_count) {
		request.no_locations = !emits; /* what comes after names the places of this text */
		passed = neso_codegen_table.run_passes(&request, passes, pass_count);
		if (!passed)
			return usage("out of memory");
		if (passed->ok) {
			request.text = passed->stage[request.from].data;
			request.len = passed->stage[request.from].len;
			request.from = strstr(request.text, "ttg.num-warps") ? CODEGEN_TTGIR : CODEGEN_TTIR;
		}
	}
	request.no_locations = true;
	bool more = passed ? passed->ok && emits : true;
	CodegenResult *r = more ? neso_codegen_table.compile(&request) : passed;
	if (!r)
		return usage("out of memory");
	show_diags(r);
	if (r->ok && more)
		fputs(r->stage[request.to].data, stdout);
	else if (r->ok)
		fwrite(request.text, 1, request.len, stdout);
	int status = !r->ok;
	if (passed != r)
		neso_codegen_table.free(passed);
	neso_codegen_table.free(r);
	arena_free(&arena);
	return status;
}
