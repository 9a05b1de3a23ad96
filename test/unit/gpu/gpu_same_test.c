/* The passes from TTIR to TTGIR keep what a kernel computes: kernels are run by the interpreter as they enter the passes and,
 * without their layouts, as they leave them. The same inputs, the same memory afterwards; sums of floats may be taken in
 * another order. */
#include <math.h>

#include <neso/neso.h>

#include "gpu_kit.h"
#include "interp/interp.h"
#include "ir/rewrite/fold.h"

enum { ELEMENTS = 1 << 16, MOST_BUFFERS = 10 };

typedef struct Case {
	const char *kernel, *signature;
	unsigned warps, grid[3];
	double numbers[8]; /* of the scalar arguments, in order */
} Case;

/* ---- layouts off ---- */

static IrType bare(GpuKit *k, IrType type)
{
	return ir_is_tensor(type) ? ir_with_encoding(&k->ir, type, NULL) : type;
}

typedef struct Strip {
	GpuKit *k;
	IrModule *m;
	IrOp *func;
	unsigned rings;
} Strip;

/* A ring in shared memory is one more argument: a buffer in global memory. */
static void strip_ring(Strip *s, IrOp *op)
{
	IrCx *ir = &s->k->ir;
	IrType memory = op->results[0].type, in[24];
	IrBlock *body = ir_func_body(s->func);
	IrValue *arg = ir_block_arg_add(s->m, body, ir_ptr(ir, memory->elem, 1), op->loc);
	assert_true(body->arg_count <= ARRAY_LEN(in));
	for (uint32_t i = 0; i < body->arg_count; i++)
		in[i] = body->args[i]->type;
	ir_set(s->m, s->func, ATTR_FUNCTION_TYPE, ir_attr_type(ir, ir_func_type(ir, in, body->arg_count, NULL, 0)));
	ir_set(s->m, s->func, ATTR_ARG_ATTRS, NULL); /* facts that layouts came from */
	ir_replace_uses(&op->results[0], arg);
	ir_op_erase(op);
	s->rings++;
}

static void strip_index(Strip *s, IrOp *op)
{
	IrBuilder b = ir_at(s->m, op);
	IrType slot = op->results[0].type;
	int64_t elements = 1;
	for (uint32_t i = 0; i < slot->rank; i++)
		elements *= slot->shape[i];
	IrType i32 = ir_scalar(&s->k->ir, TY_I32);
	IrValue *offset = irb_2(&b, OP_MULI, NULL, ir_operand(op, 1), irb_int(&b, i32, elements));
	ir_replace_uses(&op->results[0], irb_2(&b, OP_ADDPTR, NULL, ir_operand(op, 0), offset));
	ir_op_erase(op);
}

/* Pointers to the elements of a slot, in order. */
static IrValue *slot_pointers(Strip *s, IrBuilder *b, IrValue *slot, IrType tile)
{
	int64_t elements = ir_numel(tile);
	IrType flat = ir_tensor(&s->k->ir, ir_scalar(&s->k->ir, TY_I32), &elements, 1, NULL);
	IrType type = ir_tensor(&s->k->ir, flat->elem, tile->shape, tile->rank, NULL);
	IrValue *range = irb_0(b, OP_MAKE_RANGE, flat);
	ir_set(s->m, range->def, ATTR_START, ir_attr_i32(&s->k->ir, 0));
	ir_set(s->m, range->def, ATTR_END, ir_attr_i32(&s->k->ir, elements));
	range = irb_1(b, OP_RESHAPE, type, range);
	return irb_2(b, OP_ADDPTR, NULL, irb_splat(b, slot, type), range);
}

static void strip_copy(Strip *s, IrOp *op)
{
	IrBuilder b = ir_at(s->m, op);
	IrType pointers = ir_operand(op, 0)->type, tile = ir_with_elem(&s->k->ir, pointers, pointers->elem->elem);
	IrValue *mask = op->operand_count > 2 ? ir_operand(op, 2) : NULL;
	IrValue *zero = ir_is_float(tile->elem) ? irb_float(&b, tile, 0) : irb_int(&b, tile, 0);
	IrValue *args[] = {ir_operand(op, 0), mask, zero};
	/* Nothing but zero for what the mask leaves out; and what it lets through is counted. */
	assert_true(op->operand_count <= 3 || op->operand_count == 5);
	if (op->operand_count == 5) {
		IrAttr other = ir_constant_of(ir_operand(op, 3));
		IrValue *count = ir_operand(op, 4);
		assert_true(other && fold_is_constant(other) && fold_is_splat(other) && fold_word(other, 0) == 0);
		args[1] = irb_2(&b, OP_ANDI, NULL, mask, irb_cmpi(&b, CMPI_UGT, count, irb_int(&b, count->type, 0)));
	}
	IrOp *load = irb_op(&b, OP_LOAD, args, mask ? 3 : 1, &tile, 1, 0);
	IrValue *store[] = {slot_pointers(s, &b, ir_operand(op, 1), tile), &load->results[0]};
	irb_op(&b, OP_STORE, store, 2, NULL, 0, 0);
	ir_op_erase(op);
}

static void strip_read(Strip *s, IrOp *op)
{
	IrBuilder b = ir_at(s->m, op);
	IrValue *from = slot_pointers(s, &b, ir_operand(op, 0), op->results[0].type);
	ir_replace_uses(&op->results[0], irb_op(&b, OP_LOAD, &from, 1, &op->results[0].type, 1, 0)->results);
	ir_op_erase(op);
}

/* The operand in place of the result. */
static bool pass_on(IrOp *op)
{
	ir_replace_uses(&op->results[0], ir_operand(op, 0));
	ir_op_erase(op);
	return true;
}

/* Conversions and trips through shared memory are what they hold. */
static bool strip_op(void *data, IrOp *op)
{
	Strip *s = data;
	switch ((int)op->kind) {
	case OP_LOCAL_ALLOC:
		if (op->operand_count)
			return pass_on(op);
		strip_ring(s, op);
		return true;
	case OP_LOCAL_LOAD:
		if (ir_operand(op, 0)->type->kind != TY_PTR)
			return pass_on(op);
		strip_read(s, op);
		return true;
	case OP_CONVERT_LAYOUT:
		return pass_on(op);
	case OP_MEMDESC_INDEX:
		strip_index(s, op);
		return true;
	case OP_ASYNC_COPY:
		strip_copy(s, op);
		return true;
	case OP_ASYNC_COMMIT:
	case OP_ASYNC_WAIT:
	case OP_BARRIER:
	case OP_LOCAL_DEALLOC:
		ir_op_erase(op);
		return true;
	case OP_MEMDESC_TRANS: {
		IrBuilder b = ir_at(s->m, op);
		IrType type = op->results[0].type;
		IrValue *t = irb_1(&b, OP_TRANS, ir_tensor(&s->k->ir, type->elem, type->shape, type->rank, NULL), ir_operand(op, 0));
		ir_set(s->m, t->def, ATTR_ORDER, ir_get(op, &s->k->ir, ATTR_ORDER));
		ir_replace_uses(&op->results[0], t);
		ir_op_erase(op);
		return true;
	}
	default:
		return true;
	}
}

static bool strip_types(void *data, IrOp *op)
{
	Strip *s = data;
	IrAttr value = op->kind == OP_CONSTANT ? ir_get(op, &s->k->ir, ATTR_VALUE) : NULL;
	for (uint32_t i = 0; i < op->result_count; i++)
		op->results[i].type = bare(s->k, op->results[i].type);
	for (uint32_t r = 0; r < op->region_count; r++)
		for (IrBlock *b = op->regions[r].first; b; b = b->next)
			for (uint32_t i = 0; i < b->arg_count; i++)
				b->args[i]->type = bare(s->k, b->args[i]->type);
	if (value && value->kind == ATTR_KIND_DENSE)
		ir_set(s->m, op, ATTR_VALUE,
		       value->splat ? ir_attr_splat(&s->k->ir, bare(s->k, value->type), value->words[0])
				    : ir_attr_dense(&s->k->ir, bare(s->k, value->type), value->words, value->len));
	return true;
}

/* The number of rings: buffers that are arguments now, behind the others. */
static unsigned strip(GpuKit *k, IrModule *m, const char *kernel)
{
	Strip s = {k, m, ir_find_func(m, ir_sym(&k->ir, kernel)), 0};
	ir_walk(m->op, false, strip_op, &s);
	ir_walk(m->op, false, strip_types, &s);
	ir_set(m, m->op, ATTR_MODULE_WARPS, NULL);
	if (!ir_verify(m, LEVEL_T, &k->diags)) {
		Text text;
		text_init(&text, &k->arena);
		diag_render_all(&text, &k->diags);
		ir_print(&text, m, (IrPrintOptions){.no_locations = true});
		fail_msg("%s", text.data);
	}
	return s.rings;
}

/* ---- running ---- */

typedef struct Memory {
	unsigned count;
	IrType elem[MOST_BUFFERS];
	unsigned char *bytes[MOST_BUFFERS];
} Memory;

static uint64_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 33;
}

/* Small whole numbers, which are indices too; floats in quarters, so that most sums are exact. */
static void fill(unsigned char *bytes, IrType elem, uint64_t seed)
{
	unsigned size = MAX(elem->bits, 8) / 8;
	for (uint32_t i = 0; i < ELEMENTS; i++) {
		uint64_t r = next_random(&seed) % 64;
		uint64_t bits = ir_is_float(elem) ? ir_float_bits(elem, ((double)r - 32) / 4) : elem->bits == 1 ? r & 1 : r;
		memcpy(bytes + (size_t)i * size, &bits, size);
	}
}

static Memory run(GpuKit *k, const IrModule *m, const Case *c)
{
	const IrBlock *body = ir_func_body(ir_find_func(m, ir_sym(&k->ir, c->kernel)));
	InterpArg args[20] = {0};
	InterpBuffer buffers[MOST_BUFFERS] = {0};
	Memory memory = {0};
	unsigned numbers = 0;
	for (uint32_t i = 0; i < body->arg_count; i++) {
		IrType type = body->args[i]->type;
		if (ir_is_ptr(type)) {
			unsigned n = memory.count++;
			size_t size = (size_t)ELEMENTS * MAX(type->elem->bits, 8) / 8;
			memory.elem[n] = type->elem;
			memory.bytes[n] = arena_alloc(&k->arena, size);
			fill(memory.bytes[n], type->elem, n + 1);
			buffers[n] = (InterpBuffer){"buffer", memory.bytes[n], size, true, false};
			args[i].bits = (uint64_t)(uintptr_t)memory.bytes[n];
		} else {
			double v = c->numbers[numbers++];
			args[i].bits = ir_is_float(type) ? ir_float_bits(type, v) : (uint64_t)(int64_t)v;
		}
	}
	InterpKernel *kernel = interp_prepare(m, ir_sym(&k->ir, c->kernel), &k->diags);
	InterpLaunch launch = {.args = args, .arg_count = body->arg_count, .buffers = buffers, .buffer_count = memory.count,
			       .grid = {c->grid[0], c->grid[1], c->grid[2]}, .threads = 1, .timeout = 30};
	if (!kernel || !interp_launch(kernel, &launch, &k->diags)) {
		Text text;
		text_init(&text, &k->arena);
		diag_render_all(&text, &k->diags);
		fail_msg("%s: %s", c->kernel, text.data);
	}
	interp_free(kernel);
	return memory;
}

static bool alike(IrType elem, const unsigned char *a, const unsigned char *b)
{
	unsigned size = MAX(elem->bits, 8) / 8;
	if (memcmp(a, b, size) == 0)
		return true;
	if (!ir_is_float(elem))
		return false;
	uint64_t x = 0, y = 0;
	memcpy(&x, a, size);
	memcpy(&y, b, size);
	double u = ir_float_value(elem, x), v = ir_float_value(elem, y);
	double off = elem->bits == 64 ? 1e-12 : elem->bits == 32 ? 2e-6 : 1e-2;
	return (isnan(u) && isnan(v)) || fabs(u - v) <= off * fmax(1, fmax(fabs(u), fabs(v)));
}

static void compare(const Case *c, const Memory *want, const Memory *found)
{
	for (unsigned n = 0; n < want->count; n++) {
		unsigned size = MAX(want->elem[n]->bits, 8) / 8;
		for (size_t i = 0; i < ELEMENTS; i++)
			if (!alike(want->elem[n], want->bytes[n] + i * size, found->bytes[n] + i * size))
				fail_msg("%s(%s) on %u warps: element %zu of pointer %u differs", c->kernel, c->signature, c->warps, i,
					 n);
	}
}

/* Both ways; the memory afterwards, and the rings that loops got. The module goes with the kit. */
static unsigned run_case(GpuKit *k, const Case *c, const char *ttir, unsigned stages)
{
	gpu_kit_init(k, c->warps, 1);
	k->cx.num_stages = stages;
	Memory want = run(k, gpu_kit_read(k, ttir), c);
	IrModule *m = gpu_kit_read(k, ttir);
	size_t passes;
	const char *const *names = gpu_pipeline(&k->arena, &passes);
	PassOptions options = {.verify = true, .stress = true, .host = &k->cx, .find = gpu_pass_by_name, .check = gpu_check,
			       .open_analyses = gpu_analyses_open};
	assert_true(pass_run_list(m, names, passes, &options, &k->diags));
	unsigned rings = strip(k, m, c->kernel);
	Memory found = run(k, m, c);
	compare(c, &want, &found);
	return rings;
}

static unsigned compile_and_run(neso_module *module, const Case *c, unsigned stages)
{
	neso_kernel *kernel;
	neso_variant *variant;
	neso_diagnostics *diagnostics;
	char *ttir;
	assert_int_equal(neso_module_find(module, c->kernel, &kernel, NULL), NESO_OK);
	if (neso_kernel_compile(kernel, c->signature, NULL, &variant, &diagnostics) != NESO_OK)
		fail_msg("%s", neso_diagnostics_text(diagnostics));
	neso_diagnostics_free(diagnostics);
	assert_int_equal(neso_variant_text(variant, "ttir", &ttir, NULL), NESO_OK);
	GpuKit k;
	unsigned rings = run_case(&k, c, ttir, stages);
	gpu_kit_free(&k);
	neso_text_free(ttir);
	return rings;
}

static neso_module *load(const char *file, neso_context **context)
{
	neso_module *module;
	assert_int_equal(neso_context_new(NULL, context, NULL), NESO_OK);
	assert_int_equal(neso_module_load_file(*context, file, &module, NULL), NESO_OK);
	return module;
}

static void run_cases(const char *file, const Case *cases, size_t count)
{
	neso_context *context;
	neso_module *module = load(file, &context);
	for (size_t i = 0; i < count; i++)
		compile_and_run(module, &cases[i], 3);
	neso_module_free(module);
	neso_context_free(context);
}

/* ---- kernels ---- */

static void kernels_of_the_benchmark(void **state)
{
	static const Case cases[] = {
		{"copy", "*fp16:16,*fp16:16,i32:16,256", 4, {8, 1, 1}, {2000}},
		{"copy", "*i8:16,*i8:16,i32,128", 2, {8, 1, 1}, {999}},
		{"softmax", "*fp32:16,*fp32:16,i32:16,i32:16,i32,256", 4, {10, 1, 1}, {256, 240, 201}},
		{"layernorm", "*fp32:16,*fp32:16,*fp32:16,*fp32:16,*fp32:16,*fp32:16,i32:16,i32:16,fp32,512", 8, {6, 1, 1}, {512, 496, 1e-5}},
		{"rmsnorm", "*bf16:16,*bf16:16,*bf16:16,i32:16,i32,fp32,256", 4, {6, 1, 1}, {256, 250, 1e-5}},
		{"sum_rows", "*fp32:16,*fp32:16,i32,i32:16,4,128", 4, {5, 1, 1}, {18, 1008}},
		{"sum_rows", "*fp32:16,*fp32:16,i32,i32,32,16", 2, {2, 1, 1}, {50, 333}},
		{"sum_cols", "*fp32:16,*fp32:16,i32,i32:16,32,64", 4, {4, 3, 1}, {90, 208}},
		{"argmax_rows", "*fp32:16,*i32:16,i32:16,512", 4, {9, 1, 1}, {480}},
		{"cumsum_rows", "*fp32:16,*fp32:16,i32,512", 8, {9, 1, 1}, {500}},
		{"sort_rows", "*fp32:16,*fp32:16,32,8", 4, {4, 1, 1}, {0}},
		{"transpose", "*fp16:16,*fp16:16,i32:16,i32:16,32,32", 4, {3, 4, 1}, {80, 112}},
		{"transpose", "*fp32,*fp32,i32,i32,16,64", 2, {3, 2, 1}, {45, 99}},
		{"gather_rows", "*fp32:16,*i32:16,*fp32:16,i32:16,128", 4, {20, 1, 1}, {128}},
		{"gather_elements", "*fp32:16,*i32:16,*fp32:16,i32,256", 4, {5, 1, 1}, {1200}},
		{"cast", "*fp32:16,*fp16:16,i32:16,512", 4, {4, 1, 1}, {2000}},
		{"dropout", "*fp32:16,*fp32:16,i32:16,fp32,i32,256", 4, {5, 1, 1}, {1200, 0.5, 17}},
		{"histogram_atomics", "*i32:16,*i32:16,i32:16,256", 4, {3, 1, 1}, {700}},
		{"histogram_tile", "*i32:16,*i32:16,i32:16,64,256", 4, {3, 1, 1}, {768}},
		{"cross_entropy", "*bf16:16,*i64:16,*fp32:16,i32,128", 4, {7, 1, 1}, {900}},
		{"rotary", "*fp32:16,*fp32:16,*fp32:16,*fp32:16,i32:16,i32:16,64", 2, {5, 4, 1}, {16, 4}},
		{"swiglu", "*bf16:16,*bf16:16,*bf16:16,i32:16,256", 4, {4, 1, 1}, {1000}},
		{"ragged_mask", "*i8:16,*i32:16,i32:16,96,32", 1, {8, 1, 1}, {96}},
	};
	(void)state;
	run_cases(NESO_SOURCE_DIR "/bench/gpu/kernels.py", cases, ARRAY_LEN(cases));
}

static void kernels_of_many_shapes(void **state)
{
	static const Case cases[] = {
		{"reduced", "*fp32:16,*fp32:16,16,64,0", 4, {1, 1, 1}, {0}},
		{"reduced", "*i32:16,*i32:16,4,8,1", 8, {1, 1, 1}, {0}},
		{"reduced", "*i8:16,*i32:16,128,4,1", 2, {1, 1, 1}, {0}},
		{"moved", "*fp32:16,*fp32:16,4,8,16", 4, {1, 1, 1}, {0}},
		{"moved", "*fp16:16,*fp16:16,16,2,8", 1, {1, 1, 1}, {0}},
		{"joined", "*fp32:16,*fp32:16,*fp32:16,64", 4, {1, 1, 1}, {0}},
		{"gathered", "*fp32:16,*i32:16,*fp32:16,64,64", 4, {1, 1, 1}, {0}},
		{"products", "*fp16:16,*fp16:16,*fp32:16,32,64,32", 4, {1, 1, 1}, {0}},
		{"products", "*fp32:16,*fp32:16,*fp32:16,16,16,16", 2, {1, 1, 1}, {0}},
		{"products", "*i8:16,*i8:16,*i32:16,32,32,64", 4, {1, 1, 1}, {0}},
		{"loops", "*fp32:16,*fp32:16,i32:16,8,32", 4, {1, 1, 1}, {128}},
		{"loops", "*fp32:16,*fp32:16,i32,16,16", 8, {1, 1, 1}, {77}},
		{"normalised", "*fp16:16,*fp16:16,*fp16:16,*fp16:16,i32:16,i32,i32,256", 4, {3, 4, 1}, {48, 4, 16}},
		{"columns", "*fp16:16,*fp16:16,i32:16,16,32", 4, {1, 1, 1}, {64}},
		{"attention", "*fp16:16,*fp16:16,*fp16:16,*fp32:16,i32:16,32,32,32", 4, {2, 1, 1}, {64}},
	};
	(void)state;
	run_cases(NESO_SOURCE_DIR "/test/unit/gpu/gpu_same_kernels.py", cases, ARRAY_LEN(cases));
}

/* At each number of stages, with trip counts from none to more than there are stages. */
static void loops_in_stages(void **state)
{
	static const struct {
		Case c;
		unsigned rings; /* that the loops are to have */
	} cases[] = {
		{{"matmul", "*fp16:16,*fp16:16,*fp32:16,i32,i32,i32,i32:16,1,i32:16,1,32,32,16,False,'tf32',tl.float32", 4, {1, 1, 1}, {32, 32, 0, 96, 32}}, 2},
		{{"matmul", "*fp16:16,*fp16:16,*fp32:16,i32,i32,i32,i32:16,1,i32:16,1,32,32,16,False,'tf32',tl.float32", 4, {1, 1, 1}, {32, 32, 16, 96, 32}}, 2},
		{{"matmul", "*fp16:16,*fp16:16,*fp32:16,i32,i32,i32,i32:16,1,i32:16,1,32,32,16,False,'tf32',tl.float32", 4, {1, 1, 1}, {32, 32, 48, 96, 32}}, 2},
		{{"matmul", "*fp16:16,*fp16:16,*fp32:16,i32,i32,i32,i32:16,1,i32:16,1,32,32,16,False,'tf32',tl.float32", 4, {1, 1, 1}, {32, 32, 96, 96, 32}}, 2},
		{{"matmul", "*bf16:16,*bf16:16,*fp32:16,i32:16,i32:16,i32:16,i32:16,1,1,i32:16,32,32,32,True,'tf32',tl.float32", 4, {2, 2, 1}, {48, 48, 80, 80, 80}}, 2},
		{{"matmul", "*fp16:16,*fp16:16,*fp32:16,i32,i32,i32,i32,1,i32,1,16,16,32,True,'tf32',tl.float32", 2, {2, 2, 1}, {31, 29, 77, 77, 29}}, 2},
		{{"matmul", "*fp16:16,*fp16:16,*fp32:16,i32,i32,i32,i32,1,i32,1,16,16,32,True,'tf32',tl.float32", 2, {2, 2, 1}, {31, 30, 77, 78, 30}}, 2},
		{{"matmul", "*fp16:16,*fp16:16,*fp32:16,i32:16,i32:16,i32:16,i32:16,2,i32:16,2,32,32,32,True,'tf32',tl.float32", 4, {1, 1, 1}, {32, 32, 80, 160, 64}}, 0},
		{{"matmul", "*fp32:16,*fp32:16,*fp32:16,i32,i32,i32,i32,2,i32,2,32,32,16,True,'tf32',tl.float32", 4, {1, 1, 1}, {32, 32, 77, 160, 64}}, 2},
		{{"matmul", "*fp32:16,*fp32:16,*fp32:16,i32:16,i32:16,i32:16,1,i32:16,i32:16,1,32,32,32,True,'tf32x3',tl.float32", 4, {1, 1, 1}, {32, 32, 80, 32, 32}}, 2},
		{{"matmul", "*fp64:16,*fp64:16,*fp64:16,i32,i32,i32,i32,1,i32,1,16,16,16,True,'ieee',tl.float64", 4, {2, 1, 1}, {31, 16, 70, 70, 16}}, 2},
		{{"matmul", "*i8:16,*i8:16,*i32:16,i32:16,i32:16,i32:16,i32:16,1,i32:16,1,32,32,32,True,'ieee',tl.int32", 4, {1, 2, 1}, {32, 64, 80, 80, 64}}, 2},
		{{"transposed", "*fp16:16,*fp16:16,*fp32:16,i32:16,i32:16,32,32,32", 4, {1, 1, 1}, {32, 96}}, 2},
		{{"indirect", "*fp16:16,*i32:16,*fp16:16,*fp32:16,i32:16,16,32,32", 4, {1, 1, 1}, {176}}, 2},
		{{"indirect", "*fp16:16,*i64:16,*fp16:16,*fp32:16,i32,16,32,32", 4, {1, 1, 1}, {33}}, 3},
		{{"paged", "*fp16:16,*i32:16,*i32:16,*fp16:16,*fp32:16,i32,16,32,16", 4, {1, 1, 1}, {5}}, 2},
		{{"paged", "*fp16:16,*i32:16,*i32:16,*fp16:16,*fp32:16,i32,16,32,16", 4, {1, 1, 1}, {1}}, 2},
		{{"chained", "*fp16:16,*i32:16,*fp16:16,*fp32:16,i32,16,32,16", 4, {1, 1, 1}, {6}}, 1},
		{{"dequantised", "*fp16:16,*i8:16,*fp16:16,*fp32:16,i32:16,16,32,64", 4, {1, 1, 1}, {256}}, 2},
		{{"nibbles", "*fp16:16,*i8:16,*fp32:16,i32:16,16,32,64", 4, {1, 1, 1}, {320}}, 2},
		{{"words", "*fp16:16,*i32:16,*fp16:16,*fp32:16,i32:16,i32:16,16,32,64,False,False", 4, {1, 1, 1}, {192, 32}}, 2},
		{{"words", "*fp16:16,*i32:16,*fp16:16,*fp32:16,i32:16,i32:16,16,32,64,True,False", 4, {1, 1, 1}, {160, 32}}, 2},
		{{"words", "*fp16:16,*i32:16,*fp16:16,*fp32:16,i32:16,i32:16,16,128,32,True,True", 4, {1, 1, 1}, {80, 16}}, 2},
		{{"attention", "*fp16:16,*fp16:16,*fp16:16,*fp32:16,*fp32:16,i32,32,32,32", 4, {2, 1, 1}, {50}}, 3},
		{{"persistent", "*fp16:16,*fp16:16,*fp32:16,i32,i32:16,i32:16,16,32,16", 4, {2, 1, 1}, {5, 32, 64}}, 2},
		{{"odd_counts", "*fp16:16,*fp16:16,*fp32:16,i32,i32,i32,i32:16,16,32,32", 4, {1, 1, 1}, {3, 21, 5, 64}}, 1},
		{{"odd_counts", "*fp16:16,*fp16:16,*fp32:16,i32,i32,i32,i32:16,16,32,32", 4, {1, 1, 1}, {-2147483000, -2147483647, 2147483000, 64}}, 1},
		{{"in_place", "*fp16:16,*fp16:16,i32,16,32", 4, {1, 1, 1}, {7}}, 0},
		{{"streamed", "*fp32:16,*fp32:16,*i32:16,*fp32:16,i32,256,4", 4, {1, 1, 1}, {1100}}, 4},
		{{"rows", "*fp32:16,*fp32:16,i32:16,i32:16,i32,i32,256,3", 4, {3, 1, 1}, {208, 256, 11, 195}}, 1},
		{{"rows", "*fp32:16,*fp32:16,i32,i32,i32,i32,256,3", 4, {3, 1, 1}, {199, 256, 11, 195}}, 1},
		{{"updated", "*fp32:16,i32,i32,256,4", 4, {1, 1, 1}, {20, 9}}, 1},
		{{"updated", "*fp32:16,i32,i32,256,4", 4, {1, 1, 1}, {1, 9}}, 1},
		{{"wrapped", "*fp32:16,i32:16,i32,256,4", 4, {1, 1, 1}, {65536, 9}}, 1},
		{{"jumps", "*fp32:16,i32:16,i32,i32,256,4", 4, {1, 1, 1}, {8192, 300, 9}}, 1},
		{{"products", "*fp16:16,*fp16:16,*fp32:16,i32,16,32,32", 4, {1, 1, 1}, {7}}, 2},
		{{"until", "*fp16:16,*fp16:16,*fp32:16,i32:16,16,32,16", 4, {1, 1, 1}, {80}}, 3},
	};
	(void)state;
	neso_context *context;
	neso_module *module = load(NESO_SOURCE_DIR "/test/gpu/pipeline.py", &context);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const Case *c = &cases[i].c;
		for (unsigned stages = 1; stages <= 5; stages++) {
			bool own = c->signature[strlen(c->signature) - 2] == ','; /* the loop says how many: the last argument */
			unsigned rings = compile_and_run(module, c, stages);
			unsigned want = stages > 1 || own ? cases[i].rings : 0;
			if (rings != want)
				fail_msg("%s(%s): %u rings at %u stages, not %u", c->kernel, c->signature, rings, stages, want);
		}
	}
	neso_module_free(module);
	neso_context_free(context);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernels_of_the_benchmark),
		cmocka_unit_test(kernels_of_many_shapes),
		cmocka_unit_test(loops_in_stages),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
