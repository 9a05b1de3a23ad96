/* Cubins as fat binaries, made by NVIDIA's fatbinary: they are compressed, and the driver unpacks
 * them when it loads them. */
#include "nv/inner.h"

#include <stdlib.h>

bool nv_fatbin(NvTools *tools, Str cubin, const TargetGpu *gpu, Str *out, DiagList *diags)
{
	const char *tried = "";
	const NvTool *tool = nv_tool(tools, "fatbinary", 0, diags->arena, &tried);
	if (!tool) {
		diag_add(diags, (Span){0}, DIAG_FATBINARY_MISSING, tried);
		return false;
	}
	double timeout = nv_tools_options(tools)->timeout;
	const char *image = arena_printf(diags->arena, "--image3=kind=elf,sm=%s,file=@0", gpu->name + 3);
	const char *args[] = {tool->path, "--create=@1", "--compress-all", image, NULL};
	NvRun run = {
		.path = tool->path,
		.args = args,
		.input = cubin,
		.has_output = true,
		.suffix = ".cubin",
		.timeout = timeout > 0 ? timeout : 300,
	};
	NvRan ran;
	nv_run(diags->arena, &run, &ran);
	bool good = !ran.error && !ran.timed_out && ran.status == 0 && ran.output_len;
	if (good)
		*out = (Str){arena_copy(diags->arena, ran.output, ran.output_len), ran.output_len};
	else
		nv_tool_failed(tool, run.timeout, &ran, diags);
	free(ran.output);
	return good;
}
