/* Stands in ptxas's place where thousands of kernels are compiled: its cubin is the PTX, the options, and the
 * last bytes of this program itself, so that a copy with other bytes behind it is another assembler of the
 * same version. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MARK = 16 };

static int fail(const char *what)
{
	perror(what);
	return 1;
}

static int copy(FILE *from, FILE *to)
{
	char bytes[4096];
	for (size_t got; (got = fread(bytes, 1, sizeof bytes, from)) > 0;)
		fwrite(bytes, 1, got, to);
	return ferror(from) || ferror(to);
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "--version") == 0) {
		puts("Cuda compilation tools, release 13.0, V13.0.88");
		return 0;
	}
	if (argc < 4)
		return 2;
	FILE *in = fopen(argv[argc - 3], "rb"), *out = fopen(argv[argc - 1], "wb"),
	     *self = fopen("/proc/self/exe", "rb");
	if (!in || !out || !self || fseek(self, -MARK, SEEK_END) != 0)
		return fail("assembler");
	fprintf(out, "\177ELF%64s\n", "");
	for (int i = 1; i < argc - 3; i++)
		fprintf(out, "// option %s\n", argv[i]);
	int bad = copy(in, out);
	fprintf(out, "\n// made by ");
	bad |= copy(self, out);
	return bad || fclose(out) != 0 ? fail("assembler") : 0;
}
