/* What stopped a program, in words: place, program, element, address, buffer. Threads race to a fault; the one of
 * the program with the least number is kept, so that the report does not depend on scheduling. */
#include "interp/run.h"

#include <stdio.h>
#include <stdlib.h>

void launch_fault(Launch *l, uint64_t pid, DiagCode code, const InterpLoc *loc, const char *text)
{
	pthread_mutex_lock(&l->lock);
	/* Programs that wait for one that has failed are no deadlock. */
	bool follows = l->faulted && code == DIAG_RUN_DEADLOCK && l->fault.code != DIAG_RUN_DEADLOCK;
	if (!l->faulted || (pid < l->fault.pid && !follows)) {
		free(l->fault.text);
		l->fault = (FaultNote){.code = code, .pid = pid, .loc = loc, .text = malloc(strlen(text) + 1)};
		if (l->fault.text)
			strcpy(l->fault.text, text);
		l->faulted = true;
		atomic_store(&l->stop, pid);
	}
	pthread_mutex_unlock(&l->lock);
}

const char *exec_element_text(char *out, size_t size, const Shape *shape, int64_t linear)
{
	int64_t index[IR_MAX_RANK];
	if (!shape || !shape->rank) {
		snprintf(out, size, "the scalar");
		return out;
	}
	for (uint32_t d = shape->rank; d-- > 0;) {
		index[d] = linear % shape->dim[d];
		linear /= shape->dim[d];
	}
	int at = snprintf(out, size, "element [");
	for (uint32_t d = 0; d < shape->rank && at > 0 && (size_t)at < size; d++)
		at += snprintf(out + at, size - (size_t)at, "%s%lld", d ? ", " : "", (long long)index[d]);
	if (at > 0 && (size_t)at < size)
		snprintf(out + at, size - (size_t)at, "]");
	return out;
}

const Instr *exec_fault(Exec *x, const Instr *i, DiagCode code, const char *format, ...)
{
	char text[1024];
	va_list args;
	va_start(args, format);
	int n = vsnprintf(text, sizeof text, format, args);
	va_end(args);
	if (n > 0 && (size_t)n < sizeof text)
		snprintf(text + n, sizeof text - (size_t)n, "; kernel '%s', program (%u, %u, %u)", x->kernel->name,
			 x->program[0], x->program[1], x->program[2]);
	launch_fault(x->launch, x->pid, code, i->loc, text);
	x->state = EXEC_FAULT;
	return NULL;
}

static const char *buffer_name(const Launch *l, const LaunchBuffer *b)
{
	const char *name = l->in->buffers[b->index].name;
	return name ? name : "?";
}

/* Bytes between the access and the buffer; 0 when they overlap. */
static uint64_t distance(const LaunchBuffer *b, uint64_t address, uint64_t size)
{
	if (address >= b->base + b->size)
		return address - (b->base + b->size);
	return address + size <= b->base ? b->base - (address + size) : 0;
}

static void describe(const Launch *l, char *out, size_t room, uint64_t address, uint32_t size, int32_t origin)
{
	const LaunchBuffer *near = NULL, *inside = NULL;
	for (uint32_t k = 0; k < l->buffer_count; k++) {
		const LaunchBuffer *b = &l->buffers[k];
		if (!near || distance(b, address, size) < distance(near, address, size))
			near = b;
		if (address >= b->base && address - b->base < b->size)
			inside = b;
	}
	if (origin >= 0)
		near = &l->buffers[origin];
	if (!near) {
		snprintf(out, room, "no buffer was declared");
		return;
	}
	const char *name = buffer_name(l, near);
	unsigned long long bytes = near->size;
	int n;
	if (address < near->base)
		n = snprintf(out, room, "%llu bytes before the start of '%s' (%llu bytes)",
			     (unsigned long long)(near->base - address), name, bytes);
	else
		n = snprintf(out, room, "it passes the end of '%s' (%llu bytes) by %llu bytes", name, bytes,
			     (unsigned long long)(address + size - near->base - near->size));
	if (inside && inside != near && n > 0 && (size_t)n < room)
		snprintf(out + n, room - (size_t)n, " and reaches '%s'", buffer_name(l, inside));
}

const Instr *exec_fault_access(Exec *x, const Instr *i, const char *verb, uint64_t address, uint32_t size, bool write,
			       int32_t origin, const Shape *shape, int64_t linear)
{
	char element[256], where[512];
	exec_element_text(element, sizeof element, shape, linear);
	int32_t readable = write ? exec_find_buffer(x, address, size, origin, false) : -1;
	if (readable >= 0)
		return exec_fault(x, i, DIAG_RUN_READ_ONLY, "%s of %u bytes at 0x%llx in %s: '%s' is read-only",
				  verb, size, (unsigned long long)address, element,
				  buffer_name(x->launch, &x->launch->buffers[readable]));
	describe(x->launch, where, sizeof where, address, size, origin);
	return exec_fault(x, i, DIAG_RUN_OUT_OF_BOUNDS, "%s of %u bytes at 0x%llx in %s: %s", verb, size,
			  (unsigned long long)address, element, where);
}
