/* Atomic operations on global memory.
 *
 * Every element is operated on once: by the thread that holds its first copy, and a scalar by the first thread; the others get
 * the old value through shared memory. What nobody reads is a `red`, unless one operation has to acquire, which PTX has no
 * `red` for. Sums of floats go as wide as the GPU takes them.
 *
 * Orders: where a thread has one operation, that carries the order. Of several, each is relaxed: before a release one fence
 * makes the thread's earlier accesses visible, after an acquire one fence keeps later ones behind, which an operation of
 * that order would do each time. Whether somebody reads the old value changes no order; but what
 * ends the program acquires for nobody: a fence would wait until all has been done. Of a scalar the
 * threads meet before the first one's release and behind its acquire, as it speaks for the program.
 *
 * What PTX has no instruction for (8-bit and most 16-bit operations) is LLVM's atomicrmw and cmpxchg under a branch: a
 * loop on the 32-bit word around it. */
#include "ir/enums.h"
#include "llvm/lower_int.h"
#include "llvm/memory/memory.h"
#include "llvm/memory/shared.h"

typedef struct Atomic {
	Lower *lw;
	IrOp *op;
	GlobalTile tile;
	IrType elem;
	const char *name, *type; /* as PTX writes them; NULL: it has none */
	const char *scope;
	MachineOp fence;
	bool release, acquire, used, cas;
	bool fences; /* the order is made by fences around, else by the operation */
	LowerValue value, other_value, mask; /* cas: expected, new */
} Atomic;

/* ---- what PTX has ---- */

/* NULL where there is no instruction; *widest: the bits that one may take. */
static void choose_rmw(Atomic *a, unsigned *widest)
{
	static const char *const names[] = {"", "and", "or", "xor", "add", "add", "max", "min", "max", "min", "exch"};
	const Lower *lw = a->lw;
	int64_t op = ir_get_int(a->op, lw->gpu->ir, ATTR_RMW_OP, 0);
	unsigned bits = gpu_element_bits(a->elem);
	bool wide = target_has(lw->target, TARGET_CLUSTER); /* sm_90 and later: vectors of 32-bit floats and of bf16 */
	*widest = 0;
	a->name = names[op];
	a->type = NULL;
	switch (op) {
	case RMW_FADD:
		if (a->elem->kind == TY_F32 || a->elem->kind == TY_F64)
			a->type = bits == 32 ? "f32" : "f64";
		else if (a->elem->kind == TY_F16 || (a->elem->kind == TY_BF16 && wide))
			a->type = a->elem->kind == TY_F16 ? "f16" : "bf16";
		*widest = bits == 64 ? 0 : wide ? 128 : a->elem->kind == TY_F16 ? 32 : 0;
		return;
	case RMW_MAX:
	case RMW_MIN:
		a->type = bits == 32 ? "s32" : bits == 64 ? "s64" : NULL;
		return;
	case RMW_ADD:
	case RMW_UMAX:
	case RMW_UMIN:
		a->type = bits == 32 ? "u32" : bits == 64 ? "u64" : NULL;
		return;
	default:
		a->type = bits == 32 ? "b32" : bits == 64 ? "b64" : NULL;
	}
}

static void choose_cas(Atomic *a)
{
	unsigned bits = gpu_element_bits(a->elem);
	a->cas = true;
	a->name = "cas";
	a->type = bits == 64 ? "b64" : bits == 32 ? "b32" : bits == 16 ? "b16" : NULL;
}

/* ---- one access ---- */

static LLVMAtomicRMWBinOp llvm_operation(int64_t op)
{
	static const LLVMAtomicRMWBinOp ops[] = {
		0, LLVMAtomicRMWBinOpAnd, LLVMAtomicRMWBinOpOr, LLVMAtomicRMWBinOpXor, LLVMAtomicRMWBinOpAdd,
		LLVMAtomicRMWBinOpFAdd, LLVMAtomicRMWBinOpMax, LLVMAtomicRMWBinOpMin, LLVMAtomicRMWBinOpUMax,
		LLVMAtomicRMWBinOpUMin, LLVMAtomicRMWBinOpXchg};
	return ops[op];
}

/* One element at a time; 0 where the condition is false. */
static void emulate(Atomic *a, uint32_t rep, uint32_t start, LLVMValueRef condition, LLVMValueRef *regs)
{
	Lower *lw = a->lw;
	uint32_t at = lower_global_register(&a->tile, rep, start, 0);
	int64_t op = ir_get_int(a->op, lw->gpu->ir, ATTR_RMW_OP, 0);
	LLVMTypeRef bits = lower_int_type(lw, a->tile.element_bits);
	LLVMValueRef address = lower_global_address(lw, &a->tile, rep, start), old;
	LLVMBasicBlockRef before = LLVMGetInsertBlock(lw->b);
	LowerIf part = {0};
	if (condition)
		part = lower_begin_if(lw, condition);
	if (a->cas) {
		LLVMValueRef expected = lower_to_bits(lw, a->value.regs[at], a->elem);
		LLVMValueRef wanted = lower_to_bits(lw, a->other_value.regs[at], a->elem);
		LLVMValueRef pair = LLVMBuildAtomicCmpXchg(lw->b, address, expected, wanted, LLVMAtomicOrderingMonotonic,
							   LLVMAtomicOrderingMonotonic, false);
		lower_global_elements(lw, &a->tile, rep, start, pair);
		old = LLVMBuildExtractValue(lw->b, pair, 0, "");
	} else {
		LLVMValueRef v = a->value.regs[at];
		if (op != RMW_FADD)
			v = lower_to_bits(lw, v, a->elem);
		old = LLVMBuildAtomicRMW(lw->b, llvm_operation(op), address, v, LLVMAtomicOrderingMonotonic, false);
		lower_global_elements(lw, &a->tile, rep, start, old);
		old = LLVMBuildBitCast(lw->b, old, bits, "");
	}
	if (condition) {
		LLVMBasicBlockRef then = LLVMGetInsertBlock(lw->b);
		LLVMValueRef none = LLVMConstNull(bits), phi;
		lower_end_if(lw, part);
		phi = LLVMBuildPhi(lw->b, bits, "");
		LLVMAddIncoming(phi, &none, &before, 1);
		LLVMAddIncoming(phi, &old, &then, 1);
		old = phi;
	}
	regs[at] = lower_from_bits(lw, old, a->elem);
}

static bool is_reduction(const Atomic *a)
{
	return !a->used && !a->cas && (a->fences || !a->acquire) && strcmp(a->name, "exch") != 0;
}

static void access_words(Atomic *a, uint32_t rep, uint32_t start, LLVMValueRef condition, LLVMValueRef *regs)
{
	Lower *lw = a->lw;
	GlobalWords w = lower_global_words(a->tile.element_bits, a->tile.vector_bits);
	LLVMValueRef args[12] = {lower_global_address(lw, &a->tile, rep, start)};
	unsigned n = 1;
	if (condition)
		args[n++] = condition;
	lower_words_pack(lw, &a->tile, &w, rep, start, a->value.regs, a->elem, args + n);
	LLVMTypeRef word = LLVMTypeOf(args[n]);
	n += w.count;
	if (a->cas) {
		lower_words_pack(lw, &a->tile, &w, rep, start, a->other_value.regs, a->elem, args + n);
		n += w.count;
	}
	const char *sem = a->fences ? "relaxed" : a->release && a->acquire ? "acq_rel" : a->release ? "release" :
			  a->acquire ? "acquire" : "relaxed";
	const char *kind = arena_printf(lw->arena, "%s.%s.%s.%s%s%s", sem, a->scope, a->name, a->type,
					w.per_word > 1 ? "x2" : "", condition ? "" : ".always");
	const char *suffix = lower_words_suffix(lw, kind, &w);
	if (is_reduction(a)) {
		LLVMValueRef red = machine_family(lw, MACHINE_red_global, suffix, lw->t.void_, args, n);
		lower_global_elements(lw, &a->tile, rep, start, red);
		return;
	}
	for (unsigned i = 0; condition && i < w.count; i++)
		args[n++] = LLVMConstNull(word);
	LLVMValueRef got = machine_family(lw, MACHINE_atom_global, suffix, lower_words_result(lw, &w), args, n);
	lower_global_elements(lw, &a->tile, rep, start, got);
	LLVMValueRef words[4];
	for (unsigned i = 0; i < w.count; i++)
		words[i] = w.count > 1 ? LLVMBuildExtractValue(lw->b, got, i, "") : got;
	lower_words_unpack(lw, &a->tile, &w, rep, start, words, a->elem, regs);
}

static void access_all(Atomic *a, LLVMValueRef owner, LLVMValueRef *regs)
{
	for (uint32_t rep = 0; rep < a->tile.reps; rep++) {
		for (uint32_t g = 0; g < a->tile.group_count; g++) {
			uint32_t start = a->tile.starts[g];
			LLVMValueRef condition = lower_global_condition(a->lw, owner, &a->mask,
									(rep << a->tile.register_bits) + start);
			if (!a->type)
				emulate(a, rep, start, condition, regs);
			else
				access_words(a, rep, start, condition, regs);
		}
	}
}

/* ---- all of them ---- */

static void fence(const Atomic *a, bool wanted)
{
	if (wanted && a->fences)
		machine_call(a->lw, a->fence, NULL, 0);
}

/* A warp's lanes may come out of the loops apart, and ptxas 13.0 takes them for together at
 * shuffles and products: those were wrong on an H200. Lanes yield in the loops, and the others
 * do not wait for them where the branch ends, it seems. */
static void meet(const Atomic *a)
{
	if (!a->type)
		machine_call(a->lw, MACHINE_warp_barrier, NULL, 0);
}

static LLVMValueRef load_of_cta(Lower *lw, unsigned bits, LLVMValueRef place, LLVMValueRef cta)
{
	LLVMValueRef args[] = {place, cta}, v;
	const char *suffix = arena_printf(lw->arena, "v1b%u", bits);
	v = machine_family(lw, MACHINE_ld_cluster, suffix, lower_int_type(lw, MAX(bits, 16u)), args, 2);
	lower_elements(lw, v, NULL);
	return bits < 16 ? LLVMBuildTrunc(lw->b, v, lower_int_type(lw, bits), "") : v;
}

/* From the memory of the first CTA, which the others leave before it may be written again. */
static LLVMValueRef load_first(Lower *lw, unsigned bits, LLVMValueRef place)
{
	LLVMValueRef v;
	if (lw->gpu->num_ctas == 1) {
		v = LLVMBuildLoad2(lw->b, lower_int_type(lw, bits), place, "");
		lower_elements(lw, v, NULL);
		return v;
	}
	v = load_of_cta(lw, bits, place, lower_i32(lw, 0));
	lower_program_barrier(lw);
	return v;
}

LLVMValueRef lower_take_first(Lower *lw, unsigned bits, LLVMValueRef place)
{
	CONTRACT(place);
	lower_program_barrier(lw);
	return load_first(lw, bits, place);
}

/* Does the kernel do nothing more that touches memory? A loop may come round again. */
static bool ends_program(const Lower *lw, const IrOp *op)
{
	for (const IrOp *parent; op->kind != OP_FUNC; op = parent) {
		for (const IrOp *next = op->next; next; next = next->next)
			if (!ir_has_trait(next, TRAIT_TERM) &&
			    (!ir_has_trait(next, TRAIT_PURE) || gpu_scratch(lw->gpu, next).bytes))
				return false;
		parent = ir_parent_op(op);
		if (parent->kind != OP_IF && !(parent->kind == OP_FUNC && lower_is_kernel(lw, parent)))
			return false;
	}
	return true;
}

static bool do_scalar(Atomic *a)
{
	Lower *lw = a->lw;
	LLVMValueRef v = NULL, place = lower_shared_at(lw, gpu_shared_offset(lw->gpu, a->op));
	if (a->release && !lw->gpu->portable_order)
		lower_program_barrier(lw);
	LowerIf part = lower_begin_if(lw, lower_global_owner(lw, &a->tile));
	fence(a, a->release);
	access_all(a, NULL, &v);
	fence(a, a->acquire);
	if (a->acquire && a->used && strcmp(a->scope, "cta") != 0)
		lower_fence_copies(a->lw);
	if (a->used)
		lower_elements(lw, LLVMBuildStore(lw->b, lower_to_bits(lw, v, a->elem), place), NULL);
	lower_end_if(lw, part);
	meet(a);
	if (a->used || (a->acquire && !lw->gpu->portable_order))
		lower_program_barrier(lw);
	if (!a->used)
		return true;
	v = load_first(lw, a->tile.element_bits, place);
	lower_set_scalar(lw, ir_result(a->op, 0), lower_from_bits(lw, v, a->elem));
	return true;
}

/* CTAs that hold copies take what the same thread of their owner has got. */
static void take_of_owners(Lower *lw, const IrOp *op, const GlobalTile *tile, LLVMValueRef *regs)
{
	IrType elem = ir_elem(op->results[0].type);
	uint64_t copies = layout_free_bits(tile->layout, LAYOUT_BLOCK);
	uint32_t count = tile->reps << tile->register_bits;
	unsigned bits = tile->element_bits;
	if (!copies)
		return;
	LLVMValueRef base = lower_shared_at(lw, gpu_shared_offset(lw->gpu, op));
	LLVMValueRef place = lower_offset(lw, base, lower_thread(lw), bits / 8);
	LLVMValueRef owner = LLVMBuildAnd(lw->b, lower_cta(lw), lower_i32(lw, ~(int64_t)copies), "");
	for (uint32_t i = 0; i < count; i++) {
		lower_program_barrier(lw);
		lower_elements(lw, LLVMBuildStore(lw->b, lower_to_bits(lw, regs[i], elem), place), NULL);
		lower_program_barrier(lw);
		regs[i] = lower_from_bits(lw, load_of_cta(lw, bits, place, owner), elem);
	}
	lower_program_barrier(lw);
}

LLVMValueRef *lower_share_copies(Lower *lw, const IrOp *op, const GlobalTile *tile, LLVMValueRef *regs)
{
	const Layout *l = tile->layout;
	if (gpu_scratch(lw->gpu, op).bytes)
		regs = lower_convert_shared(lw, l, l, regs, ir_elem(op->results[0].type),
					    gpu_shared_offset(lw->gpu, op));
	take_of_owners(lw, op, tile, regs);
	return regs;
}

static bool do_tile(Atomic *a)
{
	Lower *lw = a->lw;
	uint32_t count = a->tile.reps << a->tile.register_bits;
	LLVMValueRef *regs = lower_array(lw, count);
	fence(a, a->release);
	access_all(a, lower_global_owner(lw, &a->tile), regs);
	meet(a);
	fence(a, a->acquire);
	if (a->acquire && a->used && strcmp(a->scope, "cta") != 0)
		lower_fence_copies(a->lw);
	if (!a->used)
		return true;
	lower_global_spread(&a->tile, regs);
	lower_set(lw, ir_result(a->op, 0), lower_share_copies(lw, a->op, &a->tile, regs), count);
	return true;
}

static bool lower_atomic(Atomic *a, const IrValue *mask, unsigned widest)
{
	static const char *const scopes[] = {"gpu", "gpu", "cta", "sys"};
	static const MachineOp fences[] = {MACHINE_fence_gpu, MACHINE_fence_gpu, MACHINE_fence_cta, MACHINE_fence_sys};
	Lower *lw = a->lw;
	const IrCx *cx = lw->gpu->ir;
	int64_t sem = ir_get_int(a->op, cx, ATTR_SEM, SEM_ACQ_REL), scope = ir_get_int(a->op, cx, ATTR_SCOPE, SCOPE_GPU);
	a->used = a->op->results[0].uses != NULL;
	a->release = sem == SEM_RELEASE || sem == SEM_ACQ_REL;
	a->acquire = (sem == SEM_ACQUIRE || sem == SEM_ACQ_REL) && !ends_program(lw, a->op);
	a->scope = scopes[scope];
	a->fence = fences[scope];
	a->tile = lower_global_tile(lw, ir_operand(a->op, 0), mask, widest);
	a->mask = mask ? lower_get(lw, mask) : (LowerValue){0};
	a->fences = a->tile.reps * a->tile.group_count > 1 || !a->type;
	return a->tile.layout ? do_tile(a) : do_scalar(a);
}

bool lower_ATOMIC_RMW(Lower *lw, IrOp *op)
{
	Atomic a = {.lw = lw, .op = op, .elem = ir_elem(op->results[0].type)};
	unsigned widest;
	choose_rmw(&a, &widest);
	a.value = lower_get(lw, ir_operand(op, 1));
	return lower_atomic(&a, op->operand_count > 2 ? ir_operand(op, 2) : NULL, widest);
}

bool lower_ATOMIC_CAS(Lower *lw, IrOp *op)
{
	Atomic a = {.lw = lw, .op = op, .elem = ir_elem(op->results[0].type)};
	choose_cas(&a);
	a.value = lower_get(lw, ir_operand(op, 1));
	a.other_value = lower_get(lw, ir_operand(op, 2));
	return lower_atomic(&a, NULL, 0);
}
