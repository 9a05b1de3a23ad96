/* A kernel that has other code for launches of more programs than the GPU has multiprocessors, on
 * the driver that is not there. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "fake.h"
#include "products.h"

/* Arguments: three pointers, three sizes, three maps; where a CTA runs several programs, their
 * count. */
enum { COUNT_AT = 9, SMS = 7 };

static FakeCuda *fake(void)
{
	void *library = dlopen("libcuda.so.1", RTLD_NOW),
	     *symbol = library ? dlsym(library, "fake_cuda") : NULL;
	FakeCuda *(*get)(void) = NULL;
	if (symbol)
		memcpy(&get, &symbol, sizeof get);
	return get ? get() : NULL;
}

static const void *few, *many; /* the code that ran last */

/* A launch of x programs starts `ctas`; those of several programs read their count. */
static int see(FakeCuda *f, uint32_t x, unsigned ctas, int several, int loads)
{
	void *at = (void *)(uintptr_t)0x10000;
	f->arg_count = several ? COUNT_AT + 1 : COUNT_AT;
	int status = product(NULL, x, 1, 1, at, at, at, 320, 320, 128);
	*(several ? &many : &few) = f->last.image;
	if (!status && f->last.grid[0] == ctas && (!several || (uint32_t)f->last.args[COUNT_AT] == x) &&
	    f->loads == loads)
		return 0;
	fprintf(stderr, "grid %u: %s; %u CTAs, %d loads\n", x, products_error(status), f->last.grid[0],
		f->loads);
	return 1;
}

static int said(int wrong, const char *what)
{
	if (wrong)
		fprintf(stderr, "%s\n", what);
	return wrong;
}

int main(void)
{
	FakeCuda *f = fake();
	if (!f)
		return 2;
	f->context_new(0);
	for (int i = 0; i <= COUNT_AT; i++)
		f->arg_bytes[i] = i < 3 ? 8 : 4;
	f->blocks_per_sm = 1;
	f->sms = SMS;
	if (see(f, 1, 1, 0, 1) || see(f, SMS, SMS, 0, 1) || see(f, SMS + 1, SMS, 1, 2) ||
	    see(f, 25, SMS, 1, 2) || see(f, 3, 3, 0, 2) ||
	    said(few == many, "both kinds of launches run the same code"))
		return 1;
	/* Unloaded, and loaded by a launch of many programs first. */
	if (said(products_unload() || f->unloads != 2, "unloading") || see(f, 25, SMS, 1, 4) ||
	    see(f, 1, 1, 0, 4))
		return 1;
	/* Ahead: with what launches without tensor maps run. */
	if (said(products_unload() || products_load(NESO_AOT_ABI) || f->loads != 7, "loading") ||
	    see(f, 25, SMS, 1, 7) || see(f, 1, 1, 0, 7))
		return 1;
	/* Where the driver does not load the other code, what serves few programs serves all. */
	products_unload();
	f->fail_call = "cuModuleLoadData";
	f->fail_result = 2;
	f->fail_skip = 1;
	if (see(f, 25, 25, 0, 8) || see(f, 25, 25, 0, 8) || see(f, 1, 1, 0, 8))
		return 1;
	return said(products_unload() || f->unloads != 8, "unloading what stands for both");
}
