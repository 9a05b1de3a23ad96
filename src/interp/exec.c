/* Contexts of programs (Exec): made once for a thread, kept by the kernel between launches. */
#include <stdlib.h>

#include "base/fault.h"
#include "interp/control.h"
#include "interp/memory.h"
#include "interp/run.h"

static Exec *exec_new(const InterpKernel *kernel)
{
	Exec *x = aligned_alloc(64, (sizeof *x + 63) / 64 * 64);
	Tile *slots = calloc(kernel->slot_count + 1u, sizeof *slots);
	uint64_t *loops = calloc(kernel->loop_count + 1u, sizeof *loops);
	if (!x || !slots || !loops) {
		free(x);
		free(slots);
		free(loops);
		return NULL;
	}
	memset(x, 0, offsetof(Exec, scratch));
	x->kernel = kernel;
	x->k = kernel->k;
	x->slots = slots;
	x->loop_writes = loops;
	for (uint32_t k = 0; k < kernel->constant_count; k++)
		slots[kernel->constant_slots[k]] = kernel->constants[k];
	return x;
}

void exec_free(Exec *x)
{
	if (!x)
		return;
	for (Buf *b = x->all_bufs, *next; b; b = next) {
		next = b->all;
		free(b);
	}
	free(x->slots);
	free(x->loop_writes);
	free(x);
}

/* Forgets all values but the constants. */
static void exec_reset(Exec *x)
{
	memset(x->free_bufs, 0, sizeof x->free_bufs);
	for (Buf *b = x->all_bufs; b; b = b->all) {
		b->next = x->free_bufs[b->size_class];
		x->free_bufs[b->size_class] = b;
		b->refs = 0;
	}
	memset(x->slots, 0, x->kernel->slot_count * sizeof *x->slots);
	for (uint32_t k = 0; k < x->kernel->constant_count; k++)
		x->slots[x->kernel->constant_slots[k]] = x->kernel->constants[k];
	x->depth = 0;
	x->lift = NULL;
}

static void set_argument(Exec *x, uint32_t k)
{
	const InterpArg *arg = &x->launch->in->args[k];
	uint32_t slot = x->kernel->params[k];
	const SlotType *type = &x->kernel->slots[slot];
	Tile *t = &x->slots[slot];
	if (t->buf)
		tile_release(t);
	tile_init(t, type, type->shape);
	if (type->kind != TY_TENSORDESC) {
		tile_splat(t, arg->bits);
		if (type->kind == TY_PTR)
			t->origin = x->launch->arg_origin[k];
		return;
	}
	Object *o = object_new(x, t);
	o->base = arg->bits;
	o->origin = x->launch->arg_origin[k];
	o->pad_nan = arg->pad_nan;
	o->rank = arg->rank;
	for (uint32_t d = 0; d < arg->rank; d++) {
		o->shape[d] = arg->shape[d];
		o->stride[d] = arg->strides[d];
	}
}

Exec *exec_take(Launch *l)
{
	InterpKernel *kernel = (InterpKernel *)(uintptr_t)l->kernel;
	Exec *x = NULL;
	for (unsigned k = 0; k < ARRAY_LEN(kernel->spare) && !x; k++)
		if (atomic_load_explicit(&kernel->spare[k], memory_order_relaxed))
			x = atomic_exchange(&kernel->spare[k], NULL);
	if (!x)
		x = exec_new(kernel);
	if (!x)
		fault_raise(FAULT_MEMORY, "no memory to run kernel '%s'", kernel->name);
	x->launch = l;
	x->plain = l->in->plain;
	x->hit = 0;
	x->ticks = 0;
	x->tick_step = x->tick_due = 1;
	x->tick_time = 0;
	x->next = NULL;
	for (uint32_t k = 0; k < kernel->param_count; k++)
		set_argument(x, k);
	for (const Instr *i = kernel->prologue; i->fn != control_body_end;)
		i = i->fn(x, i);
	return x;
}

void exec_give(Launch *l, Exec *x)
{
	InterpKernel *kernel = (InterpKernel *)(uintptr_t)l->kernel;
	if (x->state != EXEC_DONE)
		exec_reset(x);
	for (unsigned k = 0; k < ARRAY_LEN(kernel->spare); k++) {
		Exec *none = NULL;
		if (atomic_compare_exchange_strong(&kernel->spare[k], &none, x))
			return;
	}
	exec_free(x);
}
