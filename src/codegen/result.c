/* Results of calls: copies of texts, diagnostics and facts. */
#include "codegen/result.h"

#include <stdlib.h>

CodegenOut *result_new(void)
{
	CodegenOut *out = calloc(1, sizeof *out);
	if (out)
		arena_init(&out->arena, 0);
	return out;
}

void result_free(CodegenResult *result)
{
	if (!result)
		return;
	arena_free(&((CodegenOut *)result)->arena);
	free(result);
}

void result_text(CodegenOut *out, CodegenStage stage, const char *text, size_t len)
{
	CONTRACT(stage < CODEGEN_STAGE__COUNT && text);
	out->result.stage[stage] = (CodegenText){arena_strndup(&out->arena, text ? text : "", len), len};
}

static CodegenDiag diag_copy(Arena *arena, const Diag *diag)
{
	return (CodegenDiag){
		.severity = (int)diag->severity,
		.code = diag_code_name(diag->code),
		.path = diag->path ? arena_strdup(arena, diag->path) : NULL,
		.line = diag->from.line,
		.col = diag->from.col,
		.text = arena_strdup(arena, diag->text),
	};
}

void result_diags(CodegenOut *out, const DiagList *diags)
{
	size_t count = 0, at = 0;
	for (const Diag *d = diags->first; d; d = d->next, count++)
		for (const Diag *n = d->notes; n; n = n->next)
			count++;
	CodegenDiag *all = ARENA_ARRAY(&out->arena, CodegenDiag, count + 1);
	for (const Diag *d = diags->first; d; d = d->next) {
		all[at++] = diag_copy(&out->arena, d);
		for (const Diag *n = d->notes; n; n = n->next)
			all[at++] = diag_copy(&out->arena, n);
	}
	out->result.diags = all;
	out->result.diag_count = count;
}

void result_remarks(CodegenOut *out, RemarkList *remarks)
{
	Arena *arena = &out->arena;
	remark_sort(remarks);
	CodegenRemark *all = ARENA_ARRAY(arena, CodegenRemark, remarks->all.len + 1);
	for (uint32_t i = 0; i < remarks->all.len; i++) {
		const Remark *r = &remarks->all.data[i];
		CodegenFigure *figures = ARENA_ARRAY(arena, CodegenFigure, r->figure_count + 1);
		for (unsigned k = 0; k < r->figure_count; k++)
			figures[k] = (CodegenFigure){r->figures[k].name, r->figures[k].value};
		all[i] = (CodegenRemark){
			.code = (int)r->code,
			.path = r->path ? arena_strdup(arena, r->path) : NULL,
			.line = r->at.line,
			.col = r->at.col,
			.times = r->times,
			.text = arena_strdup(arena, r->text),
			.figures = figures,
			.figure_count = r->figure_count,
		};
	}
	out->result.remarks = all;
	out->result.remark_count = remarks->all.len;
}

void result_facts(CodegenOut *out, const Facts *facts, unsigned ptx_version)
{
	CONTRACT(facts->kernel && facts->cluster);
	CodegenResult *r = &out->result;
	r->kernel = arena_strdup(&out->arena, facts->kernel);
	r->args = arena_strdup(&out->arena, facts->args);
	r->maps = arena_strdup(&out->arena, facts->maps);
	r->threads = facts->threads;
	r->shared = facts->shared;
	r->cluster = facts->cluster;
	r->scratch_bytes = facts->scratch_bytes;
	r->scratch_align = facts->scratch_align;
	r->by_number = facts->by_number;
	r->uneven = facts->uneven;
	r->uses_print = facts->uses_print;
	r->uses_assert = facts->uses_assert;
	r->ptx_version = ptx_version;
}

void result_file(CodegenOut *out, const char *path, Str bytes)
{
	CodegenResult *r = &out->result;
	CodegenFile *all = ARENA_ARRAY(&out->arena, CodegenFile, r->file_count + 1);
	if (r->file_count)
		memcpy(all, r->files, r->file_count * sizeof *all);
	all[r->file_count++] = (CodegenFile){
		.path = path ? arena_strdup(&out->arena, path) : NULL,
		.bytes = {arena_strndup(&out->arena, bytes.ptr, bytes.len), bytes.len},
	};
	r->files = all;
}
