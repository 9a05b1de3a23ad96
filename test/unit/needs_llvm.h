/* For tests of what is there only with LLVM: without it, the program is this one, which skips. */
#ifndef NESO_TEST_NEEDS_LLVM_H
#define NESO_TEST_NEEDS_LLVM_H
#include "unit.h"

#ifndef NESO_HAVE_LLVM
static void needs_llvm(void **state)
{
	skip();
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(needs_llvm)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif

#endif
