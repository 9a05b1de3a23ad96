/* Which compiled kernels the process remembers: as many as the library does (NESO_MAX_VARIANTS).
 * When there are more, the one that was not looked up for the longest goes, unless launches are
 * compared with one of it. Who has one keeps it, and what the library has of it. */
#include "native.h"

#include "gpu.h"

#include <limits.h>
#include <stdlib.h>

static Variant *newest, *oldest;
static size_t count;

static void look_for_bound(void *data, const neso_setting *setting)
{
	if (setting->value && strcmp(setting->variable, "NESO_MAX_VARIANTS") == 0)
		*(unsigned long long *)data = strtoull(setting->value, NULL, 10);
}

/* 0: there is none. Of the environment when this process had its second compiled kernel. */
static unsigned long long bound(void)
{
	static unsigned long long most;
	static unsigned of = UINT_MAX;
	if (of != host_generation) {
		most = 0;
		neso_settings(look_for_bound, &most);
		of = host_generation;
	}
	return most;
}

static void put_first(Variant *v)
{
	v->newer = NULL;
	v->older = newest;
	if (newest)
		newest->newer = v;
	else
		oldest = v;
	newest = v;
}

static void take_out(Variant *v)
{
	if (v->newer)
		v->newer->older = v->older;
	else
		newest = v->older;
	if (v->older)
		v->older->newer = v->newer;
	else
		oldest = v->newer;
}

void records_use(Variant *v)
{
	if (!v->owner || v == newest)
		return;
	take_out(v);
	put_first(v);
}

void records_remove(Variant *v)
{
	if (!v->owner)
		return;
	take_out(v);
	v->owner = NULL;
	count--;
}

static bool is_recent(const Variant *v)
{
	for (int i = 0; i < 2; i++)
		if (v->owner->recent[i] && v->owner->recent[i]->compiled == (const PyObject *)v)
			return true;
	return false;
}

void records_add(Kernel *owner, Variant *v)
{
	enum { LOOKED_AT = 64 };
	v->owner = owner;
	put_first(v);
	/* The first is never one too many: a first launch need not look at the settings. */
	const unsigned long long most = ++count > 1 ? bound() : 0;
	for (int i = 0; most && count > most && i < LOOKED_AT; i++) {
		Variant *last = oldest;
		if (last == v || is_recent(last))
			records_use(last);
		else
			find_drop(last);
	}
}
