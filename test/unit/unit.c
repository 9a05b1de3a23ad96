// The program of all unit tests: unit_tests NAME runs the main of NAME.c; without a name it lists them.
#include <stdio.h>
#include <string.h>

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
