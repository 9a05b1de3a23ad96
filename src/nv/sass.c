/* SASS of a cubin, by the toolkit's disassemblers. */
#include "nv/inner.h"

bool nv_disassemble(NvTools *tools, const void *cubin, size_t len, Text *out, DiagList *diags)
{
	static const struct {
		const char *name, *options[3];
	} programs[] = {
		{"nvdisasm", {"-c", "-gi", "@0"}}, /* code only, with source lines, of callers too */
		{"cuobjdump", {"-sass", "@0", NULL}},
	};
	const char *tried = "";
	double timeout = nv_tools_options(tools)->timeout;
	for (size_t i = 0; i < ARRAY_LEN(programs); i++) {
		const NvTool *tool = nv_tool(tools, programs[i].name, 0, diags->arena, &tried);
		if (!tool)
			continue;
		const char *const *o = programs[i].options;
		const char *args[] = {tool->path, o[0], o[1], o[2], NULL};
		NvRun run = {
			.path = tool->path,
			.args = args,
			.input = {cubin, len},
			.suffix = ".cubin",
			.timeout = timeout > 0 ? timeout : 300,
		};
		NvRan ran;
		nv_run(diags->arena, &run, &ran);
		if (!ran.error && !ran.timed_out && ran.status <= 0) {
			text_add(out, ran.said.ptr, ran.said.len);
			return true;
		}
		nv_tool_failed(tool, run.timeout, &ran, diags);
		return false;
	}
	diag_add(diags, (Span){0}, DIAG_DISASSEMBLER_MISSING, tried);
	return false;
}
