/* Launches of a kernel whose CTAs run several programs, on the driver that is not there. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "fake.h"
#include "products.h"

static FakeCuda *fake(void)
{
	void *library = dlopen("libcuda.so.1", RTLD_NOW),
	     *symbol = library ? dlsym(library, "fake_cuda") : NULL;
	FakeCuda *(*get)(void) = NULL;
	if (symbol)
		memcpy(&get, &symbol, sizeof get);
	return get ? get() : NULL;
}

/* Arguments: three pointers, three sizes, three maps, the count of programs. */
enum { COUNT_AT = PROGRAMS_AT };

static int see(FakeCuda *f, uint32_t x, uint32_t y, unsigned ctas)
{
	void *at = (void *)(uintptr_t)0x10000;
	int status = product(NULL, x, y, 1, at, at, at, 320, 320, 128);
	if (!status && f->last.grid[0] == ctas && f->last.grid[1] == y &&
	    (uint32_t)f->last.args[COUNT_AT] == x)
		return 0;
	fprintf(stderr, "grid %u, %u: %s; %u CTAs, %u programs\n", x, y, products_error(status),
		f->last.grid[0], (unsigned)f->last.args[COUNT_AT]);
	return 1;
}

int main(void)
{
	FakeCuda *f = fake();
	if (!f)
		return 2;
	f->context_new(0);
	for (int i = 0; i < COUNT_AT; i++)
		f->arg_bytes[i] = i < 3 ? 8 : 4;
	f->arg_bytes[COUNT_AT] = 4;
	f->arg_count = COUNT_AT + 1;
	f->blocks_per_sm = 1;
	f->sms = 7;
	return see(f, 1, 1, 1) || see(f, 7, 1, 7) || see(f, 25, 1, 7) || see(f, 25, 3, 2) ||
	       see(f, 25, 100, 1) || see(f, INT32_MAX, 1, INT32_MAX);
}
