/* Crowded blocks are put in depth-first order; others, and kernels with products, stay. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <llvm-c/Analysis.h>
#include <llvm-c/IRReader.h>

#include "base/arena.h"
#include "llvm/order.h"

/* Two elements are loaded, scaled, added up and stored, op by op. */
#define KERNEL(between)                                                                                      \
	"define void @f(ptr %p, float %s) {\n"                                                               \
	"  %q = getelementptr float, ptr %p, i64 1\n"                                                        \
	"  %a = load float, ptr %p\n"                                                                        \
	"  %b = load float, ptr %q\n"                                                                        \
	"  %c = load float, ptr %q\n"                                                                        \
	"  %x = fmul float %a, %s\n"                                                                         \
	"  %y = fmul float %b, %s\n"                                                                         \
	"  %z = fmul float %c, %s\n"                                                                         \
	"  %xy = fadd float %x, %y\n"                                                                        \
	"  %xyz = fadd float %xy, %z\n" between "  store float %xyz, ptr %p\n"                               \
	"  ret void\n"                                                                                       \
	"}\n"

typedef unsigned Ordering(Arena *arena, LLVMValueRef function, unsigned registers);

static void check_with(Ordering *ordering, const char *text, unsigned registers, unsigned expected,
		       const char *order)
{
	LLVMContextRef cx = LLVMContextCreate();
	LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(text, strlen(text), "f");
	LLVMModuleRef mod;
	char *error = NULL;
	assert_int_equal(LLVMParseIRInContext(cx, buffer, &mod, &error), 0);
	LLVMValueRef fn = LLVMGetNamedFunction(mod, "f");
	Arena arena;
	arena_init(&arena, SIZE_MAX);
	LLVMValueRef named[48];
	unsigned count = 0, at = 0;
	LLVMBasicBlockRef block = LLVMGetEntryBasicBlock(fn);
	/* What moves loses its name: the last letters are kept. */
	char letters[48];
	for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
		size_t len;
		const char *name = LLVMGetValueName2(i, &len);
		letters[count] = len ? name[len - 1] : '-';
		named[count++] = i;
	}
	assert_int_equal(ordering(&arena, fn, registers), expected);
	assert_int_equal(LLVMVerifyModule(mod, LLVMReturnStatusAction, NULL), 0);
	for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i), at++) {
		unsigned k = 0;
		while (named[k] != i)
			k++;
		assert_int_equal(letters[k], order[at]);
	}
	assert_int_equal(at, count);
	arena_free(&arena);
	LLVMDisposeModule(mod);
	LLVMContextDispose(cx);
}

static void check(const char *text, unsigned registers, unsigned expected, const char *order)
{
	check_with(order_crowded, text, registers, expected, order);
}

static void crowded_blocks_are_ordered(void **state)
{
	(void)state;
	/* x, y, xy, z, xyz: loads and stores stay in order. */
	check(KERNEL(""), 8, 1, "aqbcxyyzz--");
	check(KERNEL(""), 32, 0, "qabcxyzyz--");
}

/* Two chains that end in a store each: both are computed in front of the first store, as nothing
 * more is alive then. */
static void stores_follow_each_other(void **state)
{
	(void)state;
	static const char text[] = "define void @f(ptr %p, float %s) {\n"
				   "  %q = getelementptr float, ptr %p, i64 1\n"
				   "  %a = load <2 x float>, ptr %p\n"
				   "  %b = load <2 x float>, ptr %q\n"
				   "  %c = extractelement <2 x float> %a, i32 0\n"
				   "  %d = extractelement <2 x float> %b, i32 0\n"
				   "  %x = fmul float %c, %s\n"
				   "  %y = fmul float %d, %s\n"
				   "  store float %x, ptr %p\n"
				   "  store float %y, ptr %q\n"
				   "  ret void\n"
				   "}\n";
	check(text, 8, 1, "aqbcxdy---");
}

static void products_stay(void **state)
{
	(void)state;
	check(KERNEL("  call void asm sideeffect \"mma.sync ;\", \"\"()\n"), 8, 0, "qabcxyzyz---");
}

/* Nine comparisons, then nine choices. */
#define COMPARED(i) "  %" #i "c = fcmp ogt float %" #i "a, %s\n"
#define CHOSEN(i) "  %" #i "d = select i1 %" #i "c, float %" #i "a, float 0.0\n"
#define LOADED(i) "  %" #i "a = load float, ptr %p\n"
#define STORED(i) "  store float %" #i "d, ptr %p\n"
#define NINE(X) X(q) X(r) X(s) X(t) X(u) X(v) X(w) X(x) X(y)

#define NINE_CHOICES(between)                                                                                \
	"define void @f(ptr %p, float %s) {\n" NINE(LOADED) NINE(COMPARED) between NINE(CHOSEN)              \
	NINE(STORED) "  ret void\n}\n"

static void comparisons_stand_at_their_uses(void **state)
{
	(void)state;
	static const char product[] = NINE_CHOICES("  call void asm sideeffect \"mma.sync ;\", \"\"()\n");
	check_with(order_comparisons, product, 64, 1, "aaaaaaaaa-cdcdcdcdcdcdcdcdcd----------");
	check_with(order_comparisons, NINE_CHOICES(""), 64, 0, "aaaaaaaaacccccccccddddddddd----------");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(crowded_blocks_are_ordered),
		cmocka_unit_test(stores_follow_each_other),
		cmocka_unit_test(products_stay),
		cmocka_unit_test(comparisons_stand_at_their_uses),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
