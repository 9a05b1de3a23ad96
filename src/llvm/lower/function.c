/* Functions.
 *
 * A kernel takes what the TTIR function takes, in order, one LLVM value each; scratch in global
 * memory follows where it is used (codegen/to_ptx.c says so to whoever launches). Any other
 * function takes and gives every register of its tiles. The entry block holds what depends on the
 * thread alone, the body follows. */
#include "gpu/analysis/flight.h"
#include "gpu/layout/boxes.h"
#include "llvm/lower/regs.h"
#include "llvm/memory/shared.h"

#include <ctype.h>
#include <llvm/Config/llvm-config.h>

bool lower_is_kernel(const Lower *lw, const IrOp *func)
{
	return ir_func_body(func) && ir_func_is_public(func, lw->module->cx) &&
	       ir_func_type_of(func)->len == ir_func_type_of(func)->split;
}

static void set_attribute(Lower *lw, LLVMValueRef fn, const char *name, const char *value)
{
	LLVMAttributeRef attribute = LLVMCreateStringAttribute(lw->cx, name, (unsigned)strlen(name), value,
							       (unsigned)strlen(value));
	LLVMAddAttributeAtIndex(fn, LOWER_ON_FUNCTION, attribute);
}

/* A fact of a launch: nvvm.NAME; LLVM before 21 reads it from metadata. */
static void set_number(Lower *lw, LLVMValueRef fn, const char *name, const char *old, unsigned value)
{
#if LLVM_VERSION_MAJOR >= 21
	(void)old;
	set_attribute(lw, fn, name, arena_printf(lw->arena, "%u", value));
#else
	(void)name;
	LLVMMetadataRef parts[] = {LLVMValueAsMetadata(fn), LLVMMDStringInContext2(lw->cx, old, strlen(old)),
				   LLVMValueAsMetadata(lower_i32(lw, value))};
	LLVMMetadataRef node = LLVMMDNodeInContext2(lw->cx, parts, ARRAY_LEN(parts));
	LLVMAddNamedMetadataOperand(lw->mod, "nvvm.annotations", LLVMMetadataAsValue(lw->cx, node));
#endif
}

/* ptxas gives a thread 64 registers where it is told nothing, and loads behind a reduction then
 * come a few at a time. Told how many CTAs an SM must hold, it takes what these leave. */
static void set_least_ctas(Lower *lw, const IrOp *func, LLVMValueRef fn, unsigned threads)
{
	enum { UNTOLD = 64 };
	const unsigned ctas = gpu_ctas_in_flight(lw->gpu, func);
	if (ctas && ctas * threads * UNTOLD < TARGET_REGISTERS_SM)
		set_number(lw, fn, "nvvm.minctasm", "minctasm", ctas);
}

static void set_launch_attributes(Lower *lw, const IrOp *func, LLVMValueRef fn)
{
	unsigned threads = TARGET_WARP_SIZE * gpu_all_warps(lw->gpu, func), limit = lw->maxnreg;
	LLVMSetFunctionCallConv(fn, LLVMPTXKernelCallConv);
	set_number(lw, fn, "nvvm.reqntid", "reqntidx", threads);
	if (!limit)
		limit = lower_roles_registers(lw, func);
	if (limit)
		set_number(lw, fn, "nvvm.maxnreg", "maxnreg", limit);
	else
		set_least_ctas(lw, func, fn, threads);
	if (lower_ctas_of_program(lw) > 1)
		set_number(lw, fn, "nvvm.cluster_dim", "cluster_dim_x", lower_ctas_of_program(lw));
}

/* A tensor map: 128 bytes of the kernel's parameters, where copies find it. */
static void set_map_attributes(Lower *lw, LLVMValueRef fn, uint32_t number)
{
	CONTRACT(number < LLVMCountParams(fn));
	static const char constant[] = "nvvm.grid_constant";
	LLVMTypeRef bytes = LLVMArrayType2(lw->t.i8, TENSOR_MAP_BYTES);
	unsigned byval = LLVMGetEnumAttributeKindForName("byval", 5),
		 align = LLVMGetEnumAttributeKindForName("align", 5);
	LLVMAddAttributeAtIndex(fn, number + 1, LLVMCreateTypeAttribute(lw->cx, byval, bytes));
	LLVMAddAttributeAtIndex(fn, number + 1, LLVMCreateEnumAttribute(lw->cx, align, 64));
	LLVMAddAttributeAtIndex(fn, number + 1,
				LLVMCreateStringAttribute(lw->cx, constant, sizeof constant - 1, "", 0));
}

/* tt.divisibility of a pointer is its alignment. */
static void set_argument_attributes(Lower *lw, const IrOp *func, LLVMValueRef fn)
{
	const IrCx *cx = lw->module->cx;
	IrAttr attrs = ir_get(func, cx, ATTR_ARG_ATTRS);
	unsigned align = LLVMGetEnumAttributeKindForName("align", 5);
	const IrBlock *body = ir_func_body(func);
	for (uint32_t i = 0; i < body->arg_count; i++)
		if (gpu_is_map(body->args[i]->type))
			set_map_attributes(lw, fn, i);
	for (uint32_t i = 0; attrs && i < attrs->len && i < body->arg_count; i++) {
		IrAttr dict = attrs->items[i];
		for (uint32_t k = 0; k < dict->len; k++) {
			if (dict->names[k] != cx->names[ATTR_DIVISIBILITY] ||
			    dict->items[k]->kind != ATTR_KIND_INT || !ir_is_ptr(body->args[i]->type))
				continue;
			uint64_t bytes = (uint64_t)dict->items[k]->i;
			if (base_is_pow2(bytes))
				LLVMAddAttributeAtIndex(fn, i + 1,
							LLVMCreateEnumAttribute(lw->cx, align, bytes));
		}
	}
}

static LLVMTypeRef function_type(Lower *lw, const IrOp *func)
{
	IrType type = ir_func_type_of(func);
	uint32_t in = 0, out = 0;
	for (uint32_t i = 0; i < type->len; i++)
		*(i < type->split ? &in : &out) += lower_count(lw, type->list[i]);
	LLVMTypeRef *types = ARENA_ARRAY(lw->arena, LLVMTypeRef, in + out + 1);
	for (uint32_t i = 0, at = 0; i < type->len; i++)
		for (uint32_t k = 0, n = lower_count(lw, type->list[i]); k < n; k++)
			types[at++] = lower_type(lw, type->list[i]);
	LLVMTypeRef result = out == 0 ? lw->t.void_ :
			     out == 1 ? types[in] : LLVMStructTypeInContext(lw->cx, types + in, out, false);
	return LLVMFunctionType(result, types, in, false);
}

/* PTX names are of letters, digits and '_', which says what tools show too. */
static const char *ptx_name(Lower *lw, const IrOp *func)
{
	char *name = arena_strdup(lw->arena, ir_func_name(func));
	for (char *c = name; *c; c++)
		if (!isalnum((unsigned char)*c))
			*c = '_';
	return name;
}

static LLVMValueRef declare(Lower *lw, const IrOp *func)
{
	CONTRACT(func->kind == OP_FUNC);
	LLVMValueRef fn = map_get_ptr(&lw->functions, func);
	if (fn)
		return fn;
	/* Two symbols may make one name: LLVM gives the later a number. */
	const char *name = lower_is_kernel(lw, func) ? ir_func_name(func) : ptx_name(lw, func);
	fn = LLVMAddFunction(lw->mod, name, function_type(lw, func));
	map_put_ptr(&lw->functions, func, fn);
	unsigned nounwind = LLVMGetEnumAttributeKindForName("nounwind", 8);
	LLVMAddAttributeAtIndex(fn, LOWER_ON_FUNCTION, LLVMCreateEnumAttribute(lw->cx, nounwind, 0));
	if (lower_is_kernel(lw, func)) {
		set_launch_attributes(lw, func, fn);
		set_argument_attributes(lw, func, fn);
	} else {
		/* It may hold barriers, so calls stay where all threads come by. */
		static const char *const names[] = {"noinline", "convergent"};
		for (unsigned i = 0; i < ARRAY_LEN(names); i++) {
			unsigned kind = LLVMGetEnumAttributeKindForName(names[i], strlen(names[i]));
			LLVMAddAttributeAtIndex(fn, LOWER_ON_FUNCTION,
						LLVMCreateEnumAttribute(lw->cx, kind, 0));
		}
		LLVMSetLinkage(fn, LLVMInternalLinkage);
	}
	return fn;
}

bool lower_CALL(Lower *lw, IrOp *op)
{
	const IrOp *callee = ir_find_func(lw->module, ir_get(op, lw->module->cx, ATTR_CALLEE)->text);
	ASSERT(callee);
	Regs args = regs_of_operands(lw, op, 0);
	LLVMValueRef v = LLVMBuildCall2(lw->b, function_type(lw, callee), declare(lw, callee), args.data,
					args.count, "");
	Regs results = regs_of_types(lw, op->results, op->result_count);
	for (uint32_t i = 0; i < results.count; i++)
		results.data[i] = results.count == 1 ? v : LLVMBuildExtractValue(lw->b, v, i, "");
	regs_give_results(lw, op, &results);
	return true;
}

static void build_return(Lower *lw, const IrOp *end)
{
	Regs values = end ? regs_of_operands(lw, end, 0) : (Regs){0};
	if (values.count == 0)
		LLVMBuildRetVoid(lw->b);
	else if (values.count == 1)
		LLVMBuildRet(lw->b, values.data[0]);
	else
		LLVMBuildAggregateRet(lw->b, values.data, values.count);
}

static bool lower_function(Lower *lw, IrOp *func)
{
	IrBlock *block = ir_func_body(func);
	lw->fn = declare(lw, func);
	lw->func = func;
	lower_line_function(lw);
	Regs args = {lower_array(lw, LLVMCountParams(lw->fn)), NULL, LLVMCountParams(lw->fn)};
	LLVMGetParams(lw->fn, args.data);
	LLVMBasicBlockRef entry = lower_new_block(lw, "entry"), body = lower_new_block(lw, "body");
	lower_thread_begin(lw, entry);
	regs_give_args(lw, block, 0, &args);
	LLVMPositionBuilderAtEnd(lw->b, body);
	if (lower_is_kernel(lw, func))
		lower_fetch_maps(lw, block);
	lower_roles_begin(lw);
	if (!lower_block(lw, block))
		return false;
	const IrOp *end = ir_terminator(block);
	lower_line(lw, end ? end->loc : func->loc);
	lower_roles_return(lw);
	build_return(lw, end);
	LLVMValueRef other = lower_roles_other(lw);
	LLVMPositionBuilderAtEnd(lw->b, entry);
	lower_line(lw, func->loc);
	if (other)
		LLVMBuildCondBr(lw->b, other, lw->roles->begin, body);
	else
		LLVMBuildBr(lw->b, body);
	lw->roles = NULL;
	return true;
}

bool lower_FUNC(Lower *lw, IrOp *op)
{
	return !ir_func_body(op) || lower_function(lw, op);
}

bool lower_MODULE(Lower *lw, IrOp *op)
{
	(void)lw;
	(void)op;
	BUG("a module in a module");
}

static bool find_map(void *data, IrOp *op)
{
	bool *found = data;
	*found |= op->kind == OP_TMA_LOAD || op->kind == OP_TMA_STORE ||
		  op->kind == OP_TMA_STORE_ROWS || op->kind == OP_TMA_REDUCE;
	return !*found;
}

/* The start of dynamic shared memory; 16 bytes are what vectors need, 1024 what swizzled boxes
 * do. */
static void declare_shared(Lower *lw)
{
	LLVMTypeRef type = LLVMArrayType2(lw->t.i8, 0);
	lw->shared_base = LLVMAddGlobalInAddressSpace(lw->mod, type, "global_smem", 3);
	bool maps = false;
	ir_walk(lw->module->op, false, find_map, &maps);
	LLVMSetAlignment(lw->shared_base, maps ? 1024 : 16);
}

bool lower_module(Lower *lw)
{
	map_init(&lw->functions, lw->arena);
	declare_shared(lw);
	/* Kernels first: they keep their names. */
	for (IrOp *op = ir_module_block(lw->module)->first; op; op = op->next)
		if (op->kind == OP_FUNC && lower_is_kernel(lw, op))
			declare(lw, op);
	for (IrOp *op = ir_module_block(lw->module)->first; op; op = op->next)
		if (op->kind == OP_FUNC && !lower_FUNC(lw, op))
			return false;
	if (!LLVMGetFirstUse(lw->shared_base))
		LLVMDeleteGlobal(lw->shared_base);
	return !lw->failed;
}
