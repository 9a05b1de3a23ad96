/* Tests of src/gpu: a context, types and modules from text, what layouts are as text. */
#ifndef NESO_TEST_GPU_KIT_H
#define NESO_TEST_GPU_KIT_H
#include "unit.h"

#include "gpu/gpu.h"
#include "ir/text/text.h"
#include "ir/verify/verify.h"

typedef struct GpuKit {
	Arena arena;
	SourceSet sources;
	DiagList diags;
	IrCx ir;
	GpuCx cx;
} GpuKit;

static inline void gpu_kit_init(GpuKit *k, unsigned num_warps, unsigned num_ctas)
{
	arena_init(&k->arena, 0);
	source_set_init(&k->sources, &k->arena);
	diag_init(&k->diags, &k->arena, &k->sources);
	ir_cx_init(&k->ir, &k->arena);
	gpu_cx_init(&k->cx, &k->ir, target_find("sm_90a"), num_warps, num_ctas, 3);
}

static inline void gpu_kit_free(GpuKit *k)
{
	arena_free(&k->arena);
}

static inline IrModule *gpu_kit_read(GpuKit *k, const char *text)
{
	IrModule *m = ir_read(&k->ir, source_add(&k->sources, "t.mlir", text, strlen(text), 1), &k->diags);
	if (!m) {
		Text out;
		text_init(&out, &k->arena);
		diag_render_all(&out, &k->diags);
		print_message("%s", out.data);
	}
	assert_non_null(m);
	return m;
}

static inline IrType gpu_kit_type(GpuKit *k, const char *type)
{
	IrModule *m = gpu_kit_read(k, arena_printf(&k->arena, "tt.func public @f(%%a: %s) {\n  tt.return\n}\n", type));
	return ir_func_body(ir_module_block(m)->first)->args[0]->type;
}

static inline const char *gpu_kit_layout_text(GpuKit *k, const Layout *l)
{
	Text out;
	text_init(&out, &k->arena);
	layout_print(&out, l);
	return out.data;
}

#endif
