/* neso layout: who holds which element of a tile, and how a tile gets from one layout to another. */
#include "cli/cli.h"

#include <stdio.h>

static const Option options[] = {
	{"type", 't', "TYPE", "shape and element, for encodings: 16x32xf16"},
	{"target", 0, "NAME", "GPU that conversions are planned for (sm_90a)"},
	OPTION_JSON,
	OPTION_HELP,
	{NULL, 0, NULL, NULL},
};

static int layout(const Parsed *parsed)
{
	if (parsed->arg_count < 1 || parsed->arg_count > 2)
		return usage_error("neso layout wants a LAYOUT, and for a conversion another one");
	neso_context *context = open_context(parsed);
	if (!context)
		return EXIT_INPUT;
	char *out = NULL;
	neso_diagnostics *diagnostics;
	neso_status status = neso_layout_text(context, parsed->args[0], parsed->arg_count > 1 ? parsed->args[1] : NULL,
					      option_value(parsed, "type"), option_value(parsed, "target"), &out,
					      &diagnostics);
	int result = report(parsed, status, diagnostics);
	if (result == EXIT_DONE)
		fputs(out, stdout);
	neso_text_free(out);
	neso_context_free(context);
	return result;
}

const Command command_layout = {
	"layout",
	"LAYOUT [TO]",
	"Show who holds which element of a tile; with TO, how the tile gets there",
	"A layout is text as {register = [[0, 1]], lane = [[0, 2], [1, 0]], warp = [], block = []} -> {dim0 = 2, dim1 = 4},\n"
	"or an encoding of TTGIR (#ttg.blocked<...>, #ttg.linear<...>, #ttg.swizzled_shared<...>, ...) with --type.\n"
	"In the table, w1.l3:r0 is register 0 of lane 3 of warp 1.\n\n"
	"  neso layout --type 16x16xf16 '#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1],\n"
	"    instrShape = [16, 8]}>'\n",
	options,
	layout,
};
