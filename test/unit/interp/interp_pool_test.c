/* Threads that launches share, and a child of a fork, which has none of them. */
#include "unit.h"

#include <sys/wait.h>
#include <unistd.h>

#include "interp/interp.h"

static void a_child_lets_go_of_its_parents_pool(void **state)
{
	(void)state;
	InterpPool *pool = interp_pool_new(4);
	assert_non_null(pool);
	const pid_t child = fork();
	if (child == 0) {
		alarm(20);
		interp_pool_free(pool);
		_exit(0);
	}
	int status;
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	interp_pool_free(pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(a_child_lets_go_of_its_parents_pool)};
	return cmocka_run_group_tests_name("pool", tests, NULL, NULL);
}
