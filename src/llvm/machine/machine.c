/* Machine operations: declarations with their effects, calls, and the step that puts the hardware's
 * form in place.
 *
 * A function of an operation and its NVPTX form have the same type, and calls hold the function as
 * an operand: so replacing is one step for each operation, however many calls there are. */
#include "llvm/lower_int.h"

typedef enum {
	EFFECT_PURE,
	EFFECT_CONVERGENT = 1,
	EFFECT_READ = 2,
	EFFECT_WRITE = 4,
	EFFECT_SYNC = 8 | EFFECT_CONVERGENT
} Effect;

typedef struct Row {
	const char *name, *result, *args;
	Effect effect;
	const char *nvptx;     /* NULL: a family */
	MachineExpand *expand; /* NULL: one form */
} Row;

#define PURE EFFECT_PURE
#define CONVERGENT EFFECT_CONVERGENT
#define READ EFFECT_READ
#define WRITE EFFECT_WRITE
#define SYNC EFFECT_SYNC
static const Row rows[MACHINE__COUNT] = {
#define MACHINE(name, result, args, effects, nvptx, doc) [MACHINE_##name] = {#name, result, args, effects, nvptx, NULL},
#define FAMILY(name, effects, expand, doc) [MACHINE_##name] = {#name, NULL, NULL, effects, NULL, expand},
#include "target/nvidia/machine.def"
#undef MACHINE
#undef FAMILY
};

static const char prefix[] = "neso.";

/* ---- declaring ---- */

struct LowerMachine {
	LLVMValueRef fn[MACHINE__COUNT]; /* of rows with one form */
	LLVMTypeRef type[MACHINE__COUNT];
	LLVMAttributeRef convergent;
};

static LLVMTypeRef letter_type(Lower *lw, char letter)
{
	switch (letter) {
	case 'v': return lw->t.void_;
	case 'b': return lw->t.i1;
	case '1': return lw->t.i8;
	case '2': return lw->t.i16;
	case '4': return lw->t.i32;
	case '8': return lw->t.i64;
	case 'h': return lw->t.f16;
	case 'y': return lw->t.bf16;
	case 'f': return lw->t.f32;
	case 'd': return lw->t.f64;
	case 'p': return lw->t.global;
	case 's': return lw->t.shared;
	case 'g': return LLVMPointerTypeInContext(lw->cx, 0);
	default: BUG("machine.def: no type '%c'", letter);
	}
}

static LLVMTypeRef row_type(Lower *lw, const Row *row)
{
	LLVMTypeRef part[64];
	unsigned results = (unsigned)strlen(row->result), args = (unsigned)strlen(row->args);
	ASSERT(results >= 1 && MAX(results, args) <= ARRAY_LEN(part));
	for (unsigned i = 0; i < results; i++)
		part[i] = letter_type(lw, row->result[i]);
	LLVMTypeRef result = results == 1 ? part[0] : LLVMStructTypeInContext(lw->cx, part, results, false);
	for (unsigned i = 0; i < args; i++)
		part[i] = letter_type(lw, row->args[i]);
	return LLVMFunctionType(result, part, args, false);
}

static LLVMAttributeRef enum_attribute(LLVMContextRef cx, const char *name, uint64_t value)
{
	unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
	return kind ? LLVMCreateEnumAttribute(cx, kind, value) : NULL;
}

static void add(LLVMValueRef fn, LLVMContextRef cx, const char *name, uint64_t value)
{
	LLVMAttributeRef attribute = enum_attribute(cx, name, value);
	if (attribute)
		LLVMAddAttributeAtIndex(fn, LOWER_ON_FUNCTION, attribute);
}

/* `memory` packs two bits a location, 1 read and 2 write; what pointer arguments reach is the
 * lowest location in every LLVM. */
static void add_effects(LLVMContextRef cx, LLVMValueRef fn, Effect effect)
{
	add(fn, cx, "nounwind", 0);
	add(fn, cx, "nocallback", 0);
	add(fn, cx, "nofree", 0);
	if (effect & EFFECT_CONVERGENT)
		add(fn, cx, "convergent", 0);
	if (effect == EFFECT_SYNC)
		return;
	add(fn, cx, "willreturn", 0);
	add(fn, cx, "memory", effect & EFFECT_WRITE ? 3 : effect & EFFECT_READ ? 1 : 0);
	if (effect == EFFECT_PURE) {
		add(fn, cx, "speculatable", 0);
		add(fn, cx, "nosync", 0);
	}
}

static LLVMValueRef declare(Lower *lw, MachineOp op, const char *suffix, LLVMTypeRef type)
{
	const char *name = suffix ? arena_printf(lw->arena, "%s%s.%s", prefix, rows[op].name, suffix) :
			   arena_printf(lw->arena, "%s%s", prefix, rows[op].name);
	LLVMValueRef fn = LLVMGetNamedFunction(lw->mod, name);
	if (!fn) {
		fn = LLVMAddFunction(lw->mod, name, type);
		add_effects(lw->cx, fn, rows[op].effect);
	}
	ASSERT(LLVMGlobalGetValueType(fn) == type);
	return fn;
}

/* ---- calling ---- */

static struct LowerMachine *state(Lower *lw)
{
	if (!lw->machine) {
		lw->machine = ARENA_NEW(lw->arena, struct LowerMachine);
		lw->machine->convergent = enum_attribute(lw->cx, "convergent", 0);
	}
	return lw->machine;
}

static LLVMValueRef call(Lower *lw, MachineOp op, LLVMTypeRef type, LLVMValueRef fn, const LLVMValueRef *args,
			 unsigned count)
{
	LLVMValueRef v = LLVMBuildCall2(lw->b, type, fn, (LLVMValueRef *)(uintptr_t)args, count, "");
	/* What replaces the function is no function, so the call says this itself. */
	if (rows[op].effect & EFFECT_CONVERGENT)
		LLVMAddCallSiteAttribute(v, LOWER_ON_FUNCTION, state(lw)->convergent);
	return v;
}

LLVMValueRef machine_call(Lower *lw, MachineOp op, const LLVMValueRef *args, unsigned count)
{
	struct LowerMachine *m = state(lw);
	ASSERT(rows[op].nvptx && count == strlen(rows[op].args));
	if (!m->fn[op]) {
		m->type[op] = row_type(lw, &rows[op]);
		m->fn[op] = declare(lw, op, NULL, m->type[op]);
	}
	return call(lw, op, m->type[op], m->fn[op], args, count);
}

LLVMValueRef machine_family(Lower *lw, MachineOp op, const char *suffix, LLVMTypeRef result,
			    const LLVMValueRef *args, unsigned count)
{
	ASSERT(rows[op].expand);
	LLVMTypeRef *types = ARENA_ARRAY(lw->arena, LLVMTypeRef, count + 1);
	for (unsigned i = 0; i < count; i++)
		types[i] = LLVMTypeOf(args[i]);
	LLVMTypeRef type = LLVMFunctionType(result, types, count, false);
	return call(lw, op, type, declare(lw, op, suffix, type), args, count);
}

/* ---- replacing ---- */

static const Row *row_of(const char *name, const char **suffix)
{
	size_t len = strcspn(name, ".");
	*suffix = name[len] ? name + len + 1 : NULL;
	for (unsigned i = 0; i < MACHINE__COUNT; i++)
		if (strlen(rows[i].name) == len && memcmp(rows[i].name, name, len) == 0)
			return &rows[i];
	return NULL;
}

/* Memory clobbers keep what touches memory in its order also where nothing else does. */
static LLVMValueRef inline_asm(Arena *arena, LLVMTypeRef type, const char *text, const char *constraints,
			       bool sideeffect, bool memory)
{
	if (memory && !strstr(constraints, "~{memory}"))
		constraints = arena_printf(arena, "%s%s~{memory}", constraints, *constraints ? "," : "");
	return LLVMGetInlineAsm(type, (char *)(uintptr_t)text, strlen(text), (char *)(uintptr_t)constraints,
				strlen(constraints), sideeffect, false, LLVMInlineAsmDialectATT, false);
}

static bool is_known(const char *intrinsic)
{
	return LLVMLookupIntrinsicID(intrinsic, strlen(intrinsic)) != 0;
}

/* The intrinsic, where this LLVM has it, else the inline PTX. */
static MachineForm form_of_row(Arena *arena, const Row *row)
{
	const char *text = row->nvptx;
	if (strncmp(text, "llvm.", 5) == 0) {
		const char *rest = strchr(text, '|');
		const char *intrinsic = rest ? arena_strndup(arena, text, (size_t)(rest - text)) : text;
		if (!rest || is_known(intrinsic))
			return (MachineForm){.intrinsic = intrinsic};
		text = rest + 1;
	}
	const char *bar = strrchr(text, '|');
	ASSERT(bar);
	return (MachineForm){
		.text = arena_strndup(arena, text, (size_t)(bar - text)),
		.constraints = bar + 1,
		.sideeffect = row->effect != EFFECT_PURE,
	};
}

static LLVMValueRef form_of(LLVMModuleRef mod, Arena *arena, const Row *row, const char *suffix,
			    LLVMTypeRef type, unsigned *ptx)
{
	MachineForm form = {0};
	if (row->expand) {
		if (!suffix || !row->expand(arena, suffix, type, &form))
			return NULL;
	} else if (suffix) {
		return NULL;
	} else {
		form = form_of_row(arena, row);
	}
	if (!form.text && !is_known(form.intrinsic))
		return NULL;
	*ptx = MAX(*ptx, form.ptx);
	if (!form.text) {
		LLVMValueRef fn = LLVMGetNamedFunction(mod, form.intrinsic);
		return fn ? fn : LLVMAddFunction(mod, form.intrinsic, type);
	}
	return inline_asm(arena, type, form.text, form.constraints,
			  form.sideeffect || row->effect != EFFECT_PURE,
			  row->effect & (EFFECT_READ | EFFECT_WRITE) || row->effect == EFFECT_SYNC);
}

const char *machine_replace(LLVMModuleRef mod, Arena *arena, unsigned *ptx)
{
	CONTRACT(mod);
	LLVMValueRef next;
	for (LLVMValueRef fn = LLVMGetFirstFunction(mod); fn; fn = next) {
		next = LLVMGetNextFunction(fn);
		size_t len;
		const char *name = LLVMGetValueName2(fn, &len), *suffix;
		/* Functions of ours with bodies are called, not replaced. */
		if (strncmp(name, prefix, sizeof prefix - 1) != 0 || !LLVMIsDeclaration(fn))
			continue;
		if (LLVMGetFirstUse(fn)) {
			const Row *row = row_of(name + sizeof prefix - 1, &suffix);
			LLVMValueRef form =
				row ? form_of(mod, arena, row, suffix, LLVMGlobalGetValueType(fn), ptx)
				    : NULL;
			if (!form)
				return arena_strdup(arena, name);
			LLVMReplaceAllUsesWith(fn, form);
		}
		LLVMDeleteFunction(fn);
	}
	return NULL;
}
