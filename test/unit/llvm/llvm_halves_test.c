/* Pairs of halves with two signs are done one half at a time, wherever the signs come from. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <llvm-c/Analysis.h>
#include <llvm-c/IRReader.h>

#include "llvm/halves.h"

/* How many products of pairs are left where %v, which `lines` make of a pair, two words and a
 * vector of them, is squared. */
static unsigned pairs_left(const char *lines)
{
	char text[2000];
	snprintf(text, sizeof text,
		 "declare <2 x half> @llvm.fabs.v2f16(<2 x half>)\n"
		 "define <2 x half> @f(<2 x half> %%x, i32 %%i, i32 %%j, <2 x i32> %%w) {\n"
		 "%s  %%r = fmul <2 x half> %%v, %%v\n"
		 "  ret <2 x half> %%r\n}\n",
		 lines);
	LLVMContextRef cx = LLVMContextCreate();
	LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(text, strlen(text), "f");
	LLVMModuleRef mod;
	char *error = NULL;
	unsigned count = 0;
	assert_int_equal(LLVMParseIRInContext(cx, buffer, &mod, &error), 0);
	halves_apart(mod);
	assert_int_equal(LLVMVerifyModule(mod, LLVMReturnStatusAction, NULL), 0);
	LLVMBasicBlockRef block = LLVMGetEntryBasicBlock(LLVMGetNamedFunction(mod, "f"));
	for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
		count += LLVMGetInstructionOpcode(i) == LLVMFMul &&
			 LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMVectorTypeKind;
	LLVMDisposeModule(mod);
	LLVMContextDispose(cx);
	return count;
}

/* {half 0 of x, %c}, where `lines` make %c of the word %m, both halves of which are negated. */
#define FROM_WORD(lines)                                                                                     \
	"  %n = fneg <2 x half> %x\n"                                                                        \
	"  %m = bitcast <2 x half> %n to i32\n" lines                                                        \
	"  %h = bitcast i16 %c to half\n"                                                                    \
	"  %v = insertelement <2 x half> %x, half %h, i32 1\n"

static void two_signs_are_taken_apart(void **state)
{
	(void)state;
	assert_int_equal(pairs_left("  %v = fneg <2 x half> %x\n"), 1);
	assert_int_equal(pairs_left("  %a = extractelement <2 x half> %x, i32 0\n"
				    "  %n = fneg half %a\n"
				    "  %v = insertelement <2 x half> %x, half %n, i32 0\n"),
			 0);
}

static void halves_come_out_of_words(void **state)
{
	(void)state;
	assert_int_equal(pairs_left(FROM_WORD("  %c = trunc i32 %m to i16\n")), 0);
	assert_int_equal(pairs_left(FROM_WORD("  %s = lshr i32 %m, 16\n  %c = trunc i32 %s to i16\n")), 0);
	/* Half 1 of what moved up is half 0; zeros came in below it. */
	assert_int_equal(pairs_left(FROM_WORD("  %u = shl i32 %m, 16\n  %s = lshr i32 %u, 16\n"
					      "  %c = trunc i32 %s to i16\n")),
			 0);
	assert_int_equal(pairs_left(FROM_WORD("  %u = shl i32 %m, 16\n  %c = trunc i32 %u to i16\n")), 1);
	/* By another number of bits it is no half of it. */
	assert_int_equal(pairs_left(FROM_WORD("  %s = lshr i32 %m, 8\n  %c = trunc i32 %s to i16\n")), 1);
	/* Words of a vector. */
	assert_int_equal(pairs_left(FROM_WORD("  %y = insertelement <2 x i32> %w, i32 %m, i32 1\n"
					      "  %e = extractelement <2 x i32> %y, i32 1\n"
					      "  %c = trunc i32 %e to i16\n")),
			 0);
	assert_int_equal(pairs_left(FROM_WORD("  %y = insertelement <2 x i32> %w, i32 %m, i32 1\n"
					      "  %e = extractelement <2 x i32> %y, i32 0\n"
					      "  %c = trunc i32 %e to i16\n")),
			 1);
}

/* Masks of words: what they leave of a half has its sign. */
static void masks_leave_signs(void **state)
{
	(void)state;
#define WORD(lines) "  %b = bitcast <2 x half> %x to i32\n" lines "  %v = bitcast i32 %m to <2 x half>\n"
	assert_int_equal(pairs_left(WORD("  %m = xor i32 %b, 32768\n")), 0);
	assert_int_equal(pairs_left(WORD("  %m = xor i32 %b, -2147450880\n")), 1); /* both */
	assert_int_equal(pairs_left(WORD("  %m = and i32 %b, -32769\n")), 0); /* 0xffff7fff */
	assert_int_equal(pairs_left(WORD("  %m = or i32 %b, 32768\n")), 0);
	/* The first mask turns half 0, the second one leaves both. */
	assert_int_equal(pairs_left(WORD("  %o = xor i32 %b, 32768\n  %m = or i32 %o, 0\n")), 0);
	assert_int_equal(pairs_left(WORD("  %o = xor i32 %b, 32768\n  %m = and i32 %o, -1\n")), 0);
	/* What is turned twice is as it was. */
	assert_int_equal(pairs_left(WORD("  %o = xor i32 %b, 32768\n  %m = xor i32 %o, 32768\n")), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_signs_are_taken_apart),
		cmocka_unit_test(halves_come_out_of_words),
		cmocka_unit_test(masks_leave_signs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
