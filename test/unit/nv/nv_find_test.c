/* Which ptxas it is: where it is searched, and what tells it from another one of the same version.
 * Scripts stand in for it. */
#include "nv_tools_kit.h"

#include <fcntl.h>
#include <time.h>

/* A program with exactly this text, whose time of change is that of another one. */
static void write_program(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	const struct timespec times[2] = {{1000000000, 0}, {1000000000, 0}};
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
	assert_int_equal(chmod(path, 0755), 0);
}

static const char *identity_now(ToolKit *t)
{
	NvAssemble how = how_of("sm_80");
	const char *identity = nv_assembler_identity(t->tools, &how, &t->kit.arena, &t->kit.diags);
	assert_non_null(identity);
	return identity;
}

#define SAYS_ITS_VERSION "#!/bin/sh\n[ \"$1\" = --version ] && echo 'release 12.8, V12.8.93'; exit "

/* The same size, version and time: only the content tells. */
static void identity_is_of_content(void **state)
{
	(void)state;
	ToolKit t;
	tools_open(&t, NULL);
	write_program(t.ptxas, SAYS_ITS_VERSION "0\n");
	const char *first = identity_now(&t);
	write_program(t.ptxas, SAYS_ITS_VERSION "1\n");
	assert_string_not_equal(identity_now(&t), first);
	write_program(t.ptxas, SAYS_ITS_VERSION "0\n");
	assert_string_equal(identity_now(&t), first);
	/* One that says no version. */
	write_program(t.ptxas, "#!/bin/sh\nexit 0\n");
	const char *unknown = identity_now(&t);
	assert_non_null(strstr(unknown, "ptxas unknown "));
	write_program(t.ptxas, "#!/bin/sh\nexit 1\n");
	assert_string_not_equal(identity_now(&t), unknown);
	tools_close(&t);
}

/* A script that runs another program, named in this way; %s: the test's folder. */
static void expect_followed(const char *format)
{
	ToolKit t;
	char text[512], inner[256];
	tools_open(&t, NULL);
	snprintf(text, sizeof text, format, t.folder);
	snprintf(inner, sizeof inner, "%s/ptxas-inner", t.folder);
	setenv("NESO_TEST_FOLDER", t.folder, 1);
	write_program(inner, SAYS_ITS_VERSION "0\n");
	write_program(t.ptxas, text);
	const char *first = identity_now(&t);
	assert_non_null(strstr(first, "ptxas 12.8.93 "));
	write_program(inner, SAYS_ITS_VERSION "1\n");
	if (strcmp(identity_now(&t), first) == 0)
		fail_msg("not followed: %s", text);
	tools_close(&t);
	unsetenv("NESO_TEST_FOLDER");
}

static void scripts_are_followed(void **state)
{
	(void)state;
	expect_followed("#!/bin/sh\nexec '%s/ptxas-inner' \"$@\"\n");
	expect_followed("#!/bin/sh\n: %s\nexec \"$(dirname \"$0\")/ptxas-inner\" \"$@\"\n");
	expect_followed("#!/bin/sh\nhere=${0%%/*}\n: %s; exec $here/ptxas-inner \"$@\"\n");
	expect_followed("#!/bin/sh\n: %s\nexec \"${NESO_TEST_FOLDER}/ptxas-inner\" \"$@\"\n");
	expect_followed("#!/bin/sh\n: %s\nexec $NESO_TEST_FOLDER/ptxas-inner \"$@\"\n");
	expect_followed("#!/bin/sh\nPATH=%s:$PATH\nexec ptxas-inner \"$@\"\n");
}

/* A program of machine code that starts another one, whose path lies anywhere in it. */
static void programs_are_followed(void **state)
{
	enum { SIZE = 70000, PIECE = 16384 };
	static const int places[] = {5, 100, PIECE - 3, PIECE, 2 * PIECE - 20, 3 * PIECE - 40, -1};
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(places); i++) {
		ToolKit t;
		static char bytes[SIZE];
		char inner[256];
		tools_open(&t, NULL);
		const int len = snprintf(inner, sizeof inner, "%s/the-ptxas-inside", t.folder);
		memset(bytes, 1, sizeof bytes);
		memcpy(bytes, "\177ELF", 4);
		memcpy(bytes + (places[i] < 0 ? SIZE - len : places[i]), inner, (size_t)len);
		write_program(inner, SAYS_ITS_VERSION "0\n");
		write_program(t.ptxas, "");
		FILE *file = fopen(t.ptxas, "w");
		assert_int_equal(fwrite(bytes, 1, SIZE, file), SIZE);
		fclose(file);
		const char *first = identity_now(&t);
		write_program(inner, SAYS_ITS_VERSION "1\n");
		if (strcmp(identity_now(&t), first) == 0)
			fail_msg("not followed: at %d", places[i]);
		write_program(inner, SAYS_ITS_VERSION "0\n");
		assert_string_equal(identity_now(&t), first);
		tools_close(&t);
	}
}

/* What cannot be followed is told by its version, asked anew by each process. */
static void scripts_are_asked(void **state)
{
	(void)state;
	ToolKit t;
	char text[512], number[256];
	tools_open(&t, NULL);
	snprintf(number, sizeof number, "%s/number", t.folder);
	snprintf(text, sizeof text, "#!/bin/sh\necho \"release 12.8, V12.8.93, build $(cat %s)\"\n", number);
	write_program(number, "7");
	write_program(t.ptxas, text);
	const char *first = identity_now(&t);
	write_program(number, "8");
	NvToolsOptions options = {.ptxas = t.ptxas};
	nv_tools_free(t.tools);
	t.tools = nv_tools_new(&options);
	assert_string_not_equal(identity_now(&t), first);
	tools_close(&t);
}

/* A file of options is read by ptxas, not by us. */
static void option_files_count(void **state)
{
	(void)state;
	ToolKit t;
	char options[300], path[256];
	tools_open(&t, "exit 0");
	snprintf(path, sizeof path, "%s/options", t.folder);
	snprintf(options, sizeof options, "-w --options-file=%s", path);
	write_program(path, "-O3");
	setenv("PTXAS_OPTIONS", options, 1);
	const char *first = identity_now(&t);
	write_program(path, "-O1");
	assert_string_not_equal(identity_now(&t), first);
	write_program(path, "-O3");
	assert_string_equal(identity_now(&t), first);
	unsetenv("PTXAS_OPTIONS");
	tools_close(&t);
}

static void search_order(void **state)
{
	(void)state;
	ToolKit t;
	const char *path, *version;
	char folder[256], bin[300], there[400];
	tools_open(&t, "exit 0");
	NvTools *tools = nv_tools_new(NULL);
	snprintf(folder, sizeof folder, "%s/toolkit", t.folder);
	snprintf(bin, sizeof bin, "%s/bin", folder);
	snprintf(there, sizeof there, "%s/ptxas", bin);
	assert_true(mkdir(folder, 0755) == 0 && mkdir(bin, 0755) == 0);
	write_script(there, "exit 0");
	char *home = getenv("CUDA_HOME"), *kept = home ? strdup(home) : NULL;
	setenv("CUDA_HOME", folder, 1);
	assert_true(nv_tools_find(tools, "ptxas", &t.kit.arena, &path, &version));
	assert_string_equal(path, there);
	assert_string_equal(version, "12.8.93");
	setenv("NESO_PTXAS", t.ptxas, 1);
	assert_true(nv_tools_find(tools, "ptxas", &t.kit.arena, &path, &version));
	assert_string_equal(path, t.ptxas);
	setenv("TRITON_PTXAS_PATH", there, 1);
	assert_true(nv_tools_find(tools, "ptxas", &t.kit.arena, &path, &version));
	assert_string_equal(path, there);
	/* A path that was given and is wrong is not passed over. */
	setenv("TRITON_PTXAS_PATH", "/no/such/ptxas", 1);
	assert_false(nv_tools_find(tools, "ptxas", &t.kit.arena, &path, &version));
	setenv("TRITON_PTXAS_BLACKWELL_PATH", t.ptxas, 1);
	NvAssemble how = how_of("sm_100a");
	const char *identity = nv_assembler_identity(tools, &how, &t.kit.arena, &t.kit.diags);
	assert_non_null(strstr(identity, "ptxas 12.8.93 "));
	kit_clean(&t.kit);
	how = how_of("sm_90a");
	assert_null(nv_assembler_identity(tools, &how, &t.kit.arena, &t.kit.diags));
	kit_expect(&t.kit, DIAG_PTXAS_MISSING, "no ptxas: /no/such/ptxas is not a program");
	/* Without ptxas what another one made will do, but not with an older driver's major. */
	assert_true(nv_takes_cubin_of(tools, &how, "ptxas 13.1.80 -O0", &t.kit.arena));
	assert_false(nv_takes_cubin_of(tools, &how, "driver 13.0 (580.95.05)", &t.kit.arena));
	how.driver = t.kit.driver;
	assert_true(nv_driver_start(t.kit.driver, &t.kit.diags)); /* of 13.0 */
	assert_true(nv_takes_cubin_of(tools, &how, "ptxas 13.1.80", &t.kit.arena));
	assert_true(nv_takes_cubin_of(tools, &how, "ptxas 12.8.93", &t.kit.arena));
	assert_false(nv_takes_cubin_of(tools, &how, "ptxas 14.0.1", &t.kit.arena));
	setenv("TRITON_PTXAS_PATH", t.ptxas, 1);
	assert_false(nv_takes_cubin_of(tools, &how, "ptxas 12.8.93", &t.kit.arena));
	how.driver = NULL;
	unsetenv("TRITON_PTXAS_PATH");
	unsetenv("TRITON_PTXAS_BLACKWELL_PATH");
	unsetenv("NESO_PTXAS");
	if (kept)
		setenv("CUDA_HOME", kept, 1);
	else
		unsetenv("CUDA_HOME");
	free(kept);
	unlink(there);
	rmdir(bin);
	rmdir(folder);
	nv_tools_free(tools);
	tools_close(&t);
}

/* A toolkit that is a Python package: behind CUDA_HOME, before what the machine has; the newer one
 * first. */
static void python_packages(void **state)
{
	(void)state;
	ToolKit t;
	const char *path, *version;
	char packages[200], there[2][200], command[1000];
	tools_open(&t, "exit 0");
	char *home = getenv("CUDA_HOME"), *kept = home ? strdup(home) : NULL;
	unsetenv("CUDA_HOME");
	for (int i = 0; i < 2; i++) {
		const char *package = i ? "cu13" : "cuda_nvcc";
		snprintf(there[i], sizeof there[i], "%s/site/nvidia/%s/bin/ptxas", t.folder, package);
		snprintf(command, sizeof command, "mkdir -p %s/bin $(dirname %s) && cp %s %s/bin",
			 t.folder, there[i], t.ptxas, t.folder);
		assert_int_equal(system(command), 0);
		write_script(there[i], "exit 0");
		snprintf(packages, sizeof packages, "/no/such/folder::%s/site", t.folder);
		NvToolsOptions options = {.packages = packages};
		NvTools *tools = nv_tools_new(&options);
		assert_true(nv_tools_find(tools, "ptxas", &t.kit.arena, &path, &version));
		assert_string_equal(path, there[i]);
		setenv("CUDA_HOME", t.folder, 1);
		assert_true(nv_tools_find(tools, "ptxas", &t.kit.arena, &path, &version));
		assert_string_not_equal(path, there[i]);
		unsetenv("CUDA_HOME");
		nv_tools_free(tools);
	}
	if (kept)
		setenv("CUDA_HOME", kept, 1);
	free(kept);
	snprintf(command, sizeof command, "rm -r %s/site %s/bin", t.folder, t.folder);
	assert_int_equal(system(command), 0);
	tools_close(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(identity_is_of_content),
		cmocka_unit_test(scripts_are_followed),
		cmocka_unit_test(programs_are_followed),
		cmocka_unit_test(scripts_are_asked),
		cmocka_unit_test(option_files_count),
		cmocka_unit_test(search_order),
		cmocka_unit_test(python_packages),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
