/* For tests of what runs ptxas: a folder of the test's own, in which a script stands in for it. */
#ifndef TEST_UNIT_NV_TOOLS_KIT_H
#define TEST_UNIT_NV_TOOLS_KIT_H

#include "folder.h"
#include "nv_kit.h"

#include <dirent.h>
#include <sys/stat.h>

static const char ptx_text[] = ".version 8.0\n"
			       ".target sm_80\n"
			       ".address_size 64\n"
			       ".visible .entry kernel(.param .u64 p)\n"
			       "{\n"
			       "\t.reg .b64 %rd<4>;\n"
			       "\t.reg .b32 %r<4>;\n"
			       "\t.loc 1 12 9\n"
			       "\tld.param.u64 %rd1, [p];\n"
			       "\tmov.u32 %r1, %tid.x;\n"
			       "\t.loc 1 13 5\n"
			       "\tst.global.u32 [%rd1], %r1;\n"
			       "\tret;\n"
			       "}\n"
			       ".file 1 \"/src/add.py\"\n";

typedef struct ToolKit {
	Kit kit;
	char folder[64];
	char ptxas[128];
	NvTools *tools;
} ToolKit;

static inline void write_script(const char *path, const char *body)
{
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fprintf(file,
		"#!/bin/sh\n"
		"[ \"$1\" != --version ] ||\n"
		"	{ echo 'Cuda compilation tools, release 12.8, V12.8.93'; exit; }\n"
		"%s\n",
		body);
	fclose(file);
	assert_int_equal(chmod(path, 0755), 0);
}

/* The last two arguments of a run of ptxas are "-o" and the output, before them the input. */
#define FIND_FILES "for a; do in=$mid; mid=$last; last=$a; done; out=$last; "
#define WRITE_CUBIN "{ printf '\\177ELF'; printf '%080d' 0; } >$out; "

static inline void tools_open(ToolKit *t, const char *body)
{
	static const char *const variables[] = {
		"TRITON_PTXAS_PATH", "TRITON_PTXAS_BLACKWELL_PATH", "NESO_PTXAS", "TRITON_NVDISASM_PATH",
		"TRITON_CUOBJDUMP_PATH", "PTXAS_OPTIONS", "DISABLE_PTXAS_OPT",
	};
	for (size_t i = 0; i < ARRAY_LEN(variables); i++)
		unsetenv(variables[i]);
	memset(t, 0, sizeof *t);
	kit_open(&t->kit);
	assert_non_null(test_folder(t->folder, sizeof t->folder, "test"));
	snprintf(t->ptxas, sizeof t->ptxas, "%s/ptxas", t->folder);
	if (body)
		write_script(t->ptxas, body);
	NvToolsOptions options = {.ptxas = t->ptxas, .timeout = 20};
	t->tools = nv_tools_new(&options);
}

static inline void tools_close(ToolKit *t)
{
	nv_tools_free(t->tools);
	DIR *folder = opendir(t->folder);
	for (struct dirent *e; folder && (e = readdir(folder));) {
		char path[512];
		snprintf(path, sizeof path, "%s/%s", t->folder, e->d_name);
		if (e->d_name[0] != '.')
			unlink(path);
	}
	closedir(folder);
	assert_int_equal(rmdir(t->folder), 0);
	kit_close(&t->kit);
}

static inline NvAssemble how_of(const char *target)
{
	return (NvAssemble){.target = target_find(target), .kernel = "kernel"};
}

static inline bool assemble(ToolKit *t, const char *text, NvCubin *cubin)
{
	NvAssemble how = how_of("sm_80");
	return nv_assemble(t->tools, str_of(text), &how, cubin, &t->kit.diags);
}

#endif
