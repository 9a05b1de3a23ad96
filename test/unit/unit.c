// The program of all unit tests: unit_tests NAME runs the main of NAME.c; without a name it lists them.
#define _GNU_SOURCE
#include "folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define UNIT(name) int name##_main(void);
#include "unit_tests.def"
#undef UNIT

static const struct {
	const char *name;
	int (*main)(void);
} units[] = {
#define UNIT(name) { #name, name##_main },
#include "unit_tests.def"
#undef UNIT
};

enum { UNITS = sizeof units / sizeof units[0] };

static char folder[64];
static pid_t maker;

/* Also behind tests that failed: cmocka goes on after them. Children of a fork leave it. */
static void remove_folder(void)
{
	char command[160];
	snprintf(command, sizeof command, "chmod -R u+rwx '%s'; rm -rf '%s'", folder, folder);
	if (getpid() == maker && system(command) != 0)
		fprintf(stderr, "unit_tests: %s stays behind\n", folder);
}

static void make_folder(void)
{
	const char *base = getenv("TMPDIR");
	int len = snprintf(folder, sizeof folder, "%s/uXXXXXX", base && *base ? base : "/tmp");
	/* Tests that become another user must get through it. */
	if (len >= (int)sizeof folder || !mkdtemp(folder) || chmod(folder, 0711) != 0) {
		fprintf(stderr, "unit_tests: no folder can be made in %s\n", base ? base : "/tmp");
		exit(2);
	}
	maker = getpid();
	atexit(remove_folder);
}

static void name_it(char *path, size_t size, const char *name)
{
	if (!*folder)
		make_folder();
	if (snprintf(path, size, "%s/%s-XXXXXX", folder, name) >= (int)size) {
		fprintf(stderr, "unit_tests: %s is too long a name for a test's folder\n", folder);
		exit(2);
	}
}

char *test_folder(char *path, size_t size, const char *name)
{
	name_it(path, size, name);
	return mkdtemp(path);
}

int test_file(char *path, size_t size, const char *name)
{
	name_it(path, size, name);
	return mkstemp(path);
}

int main(int argc, char **argv)
{
	for (size_t i = 0; i < UNITS; i++) {
		if (argc < 2)
			puts(units[i].name);
		else if (!strcmp(argv[1], units[i].name))
			return units[i].main();
	}
	if (argc < 2)
		return 0;
	fprintf(stderr, "unit_tests: no test is called %s\n", argv[1]);
	return 2;
}
