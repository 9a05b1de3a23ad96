/* Registers for loads: a kernel without products that waits for memory often is assembled with as
 * many registers as its CTAs leave, and that is kept where more bytes come with each wait. A script
 * stands in for ptxas; its cubins hold nothing but loads, and what waits for them. */
#include "folder.h"
#include "nv_kit.h"

#include <dirent.h>
#include <elf.h>
#include <sys/stat.h>

enum { LOADS = 8, BYTES_4 = 4, BYTES_16 = 6, NO_BARRIER = 7, MOST_WORDS = 4 * LOADS };

/* A load that barrier `sets` counts, or (width 0) what waits for the barriers of a mask. */
static void instruct(uint64_t *at, unsigned width, unsigned sets, unsigned waits)
{
	at[0] = width ? 0x981 : 0x221;
	at[1] = (uint64_t)width << 9 | (uint64_t)sets << 46 | (uint64_t)waits << 52;
}

/* Eight loads, of which so many at a time are waited for. */
static void write_cubin(const char *path, unsigned width, unsigned at_once)
{
	uint64_t code[MOST_WORDS];
	unsigned n = 0;
	for (unsigned i = 0; i < LOADS; i += at_once) {
		for (unsigned j = 0; j < at_once; j++, n += 2)
			instruct(code + n, width, j % 6, 0);
		instruct(code + n, 0, NO_BARRIER, 63);
		n += 2;
	}
	Elf64_Ehdr head = {
		.e_ident = "\177ELF",
		.e_shoff = sizeof head,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = 1,
	};
	Elf64_Shdr section = {
		.sh_flags = SHF_EXECINSTR,
		.sh_offset = sizeof head + sizeof section,
		.sh_size = n * sizeof *code,
	};
	FILE *file = fopen(path, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(&head, sizeof head, 1, file), 1);
	assert_int_equal(fwrite(&section, sizeof section, 1, file), 1);
	assert_int_equal(fwrite(code, sizeof *code, n, file), n);
	fclose(file);
}

static void write_script(const char *path, const char *low, const char *high)
{
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fprintf(file,
		"#!/bin/sh\n"
		"[ $1 != --version ] || { echo 'Cuda compilation tools, release 12.8, V12.8.93'; exit; }\n"
		"for a; do in=$mid; mid=$last; last=$a; done\n"
		"grep -o 'maxnreg.*' $in >>${0%%/*}/limits\n"
		"if grep -q maxnreg $in; then set -- high %s; else set -- low %s; fi\n"
		"cp ${0%%/*}/$1 $last\n"
		"echo \"ptxas info    : Compiling entry function 'kernel' for 'sm_90a'\"\n"
		"echo 'ptxas info    : Function properties for kernel'\n"
		"echo \"    $3 bytes stack frame, $3 bytes spill stores, $3 bytes spill loads\"\n"
		"echo \"ptxas info    : Used $2 registers\"\n",
		high, low);
	fclose(file);
	assert_int_equal(chmod(path, 0755), 0);
}

typedef struct Code {
	const char *report;	/* registers and bytes spilled */
	unsigned width, at_once;
} Code;

/* The limits that are tried, by size ("" for none), and the registers of what is kept. */
static void expect_limit(const char *directives, Code low, Code high, const char *limit, unsigned registers)
{
	Kit kit;
	NvCubin cubin;
	char folder[64], path[128], text[512], found[64] = "";
	kit_open(&kit);
	assert_non_null(test_folder(folder, sizeof folder, "waits"));
	snprintf(path, sizeof path, "%s/low", folder);
	write_cubin(path, low.width, low.at_once);
	snprintf(path, sizeof path, "%s/high", folder);
	write_cubin(path, high.width, high.at_once);
	snprintf(path, sizeof path, "%s/ptxas", folder);
	write_script(path, low.report, high.report);
	snprintf(text, sizeof text,
		 ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry kernel(.param .u64 p)\n%s\n"
		 "{\nret;\n}\n",
		 directives);
	NvToolsOptions options = {.ptxas = path, .timeout = 20};
	NvTools *tools = nv_tools_new(&options);
	NvAssemble how = {.target = target_find("sm_90a"), .kernel = "kernel"};
	assert_true(nv_assemble(tools, str_of(text), &how, &cubin, &kit.diags));
	assert_int_equal(cubin.registers, registers);
	nv_cubin_free(&cubin);
	nv_tools_free(tools);
	/* Two are made at the same time, so their lines come in any order. */
	snprintf(path, sizeof path, "sort -k 2n %s/limits", folder);
	FILE *file = popen(path, "r");
	assert_non_null(file);
	found[fread(found, 1, sizeof found - 1, file)] = '\0';
	pclose(file);
	assert_string_equal(found, limit);
	DIR *all = opendir(folder);
	for (struct dirent *e; all && (e = readdir(all));) {
		char name[512];
		snprintf(name, sizeof name, "%s/%s", folder, e->d_name);
		if (e->d_name[0] != '.')
			unlink(name);
	}
	closedir(all);
	assert_int_equal(rmdir(folder), 0);
	kit_close(&kit);
}

#define PRODUCT "\n{ mma.sync.aligned.m16n8k16; }"

static void waits_get_registers(void **state)
{
	(void)state;
	const Code one = {"86 0", BYTES_16, 1}, eight = {"125 0", BYTES_16, 8};
	expect_limit(".reqntid 512", one, eight, "maxnreg 128\n", 125); /* one CTA, as before */
	/* Two CTAs for three; three where two would wait for less at once, or were no better. */
	const Code ones = {"80 0", BYTES_16, 1}, threes = {"80 0", BYTES_16, 3};
	expect_limit(".reqntid 256", ones, (Code){"84 0", BYTES_16, 8}, "maxnreg 128\n", 84);
	expect_limit(".reqntid 256", threes, (Code){"84 0", BYTES_16, 4}, "maxnreg 80\nmaxnreg 128\n", 80);
	/* What is no better with fewer CTAs is not with fewer registers. */
	expect_limit(".reqntid 256", ones, (Code){"84 0", BYTES_16, 1}, "maxnreg 128\n", 80);
	/* Beside a step to fewer registers, and behind it. Where it is hardly a step, at once for
	 * the CTAs that it brings; and for those of before where it was in vain. */
	static const char two[] = "maxnreg 64\nmaxnreg 80\n";
	static const char three[] = "maxnreg 64\nmaxnreg 80\nmaxnreg 96\n";
	const Code near = {"66 0", BYTES_16, 1}, now = {"64 0", BYTES_16, 1};
	expect_limit(".reqntid 128", (Code){"68 0", BYTES_16, 1}, now, three, 64);
	expect_limit(".reqntid 128", near, now, two, 64);
	expect_limit(".reqntid 128", near, (Code){"64 8", BYTES_16, 1}, three, 66);
	/* As many registers, in another order. */
	expect_limit(".reqntid 512", (Code){"128 0", BYTES_16, 1}, (Code){"128 0", BYTES_16, 4},
		     "maxnreg 128\n", 128);
}

static void others_stay(void **state)
{
	(void)state;
	const Code one = {"86 0", BYTES_16, 1}, eight = {"125 0", BYTES_16, 8};
	expect_limit(".reqntid 512", (Code){"86 0", BYTES_16, 4}, eight, "", 86);   /* two waits */
	/* For another CTA, for which it takes too many. */
	expect_limit(".reqntid 512" PRODUCT, one, eight, "maxnreg 64\n", 86);
	expect_limit(".reqntid 512\n.minnctapersm 1", one, eight, "", 86);
	expect_limit(".maxntid 512", one, eight, "", 86);
	/* A thread has no more, or wanted no more than it has. */
	expect_limit(".reqntid 128", (Code){"255 0", BYTES_16, 1}, (Code){"255 0", BYTES_16, 8}, "", 255);
	const Code few = {"31 0", BYTES_16, 1};
	expect_limit(".reqntid 128", few, (Code){"40 0", BYTES_16, 8}, "", 31);
	/* It spills, waits as often, or for less. */
	expect_limit(".reqntid 512", one, (Code){"125 8", BYTES_16, 8}, "maxnreg 128\n", 86);
	expect_limit(".reqntid 512", one, (Code){"125 0", BYTES_16, 1}, "maxnreg 128\n", 86);
	expect_limit(".reqntid 512", one, (Code){"125 0", BYTES_4, 2}, "maxnreg 128\n", 86);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(waits_get_registers),
		cmocka_unit_test(others_stay),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
