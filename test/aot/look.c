#include "look.h"

#include <dlfcn.h>
#include <string.h>

#include "fake.h"

static FakeCuda *fake(void)
{
	void *library = dlopen("libcuda.so.1", RTLD_NOW), *symbol = library ? dlsym(library, "fake_cuda") : NULL;
	FakeCuda *(*get)(void);
	if (!symbol)
		return NULL;
	memcpy(&get, &symbol, sizeof get);
	return get();
}

/* A context, and the sizes of the arguments of `scale`. 0: it worked. */
int look_begin(void)
{
	static const unsigned char bytes[] = {8, 8, 4, 4};
	FakeCuda *f = fake();
	if (!f)
		return 1;
	f->context_new(0);
	memcpy(f->arg_bytes, bytes, sizeof bytes);
	f->arg_count = 4;
	return 0;
}

uint64_t look_argument(int index)
{
	return fake()->last.args[index];
}

uint32_t look_grid(int axis)
{
	return fake()->last.grid[axis];
}
