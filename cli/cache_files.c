/* neso cache: actions that remove, pack and carry over what it holds. */
#include "cli/cache.h"

#include <neso/tune.h>

#include <stdio.h>
#include <stdlib.h>

/* ---- cleaning, packs ---- */

static int print_cleaned(Cache *c, neso_status status, const neso_cache_cleaned *cleaned,
			 neso_diagnostics *diagnostics)
{
	if (status != NESO_OK)
		return report(c->parsed, status, diagnostics);
	if (c->json) {
		printf("{\"removed\": %llu, \"leftovers\": %llu, \"files\": %llu, \"bytes\": %llu}\n",
		       (unsigned long long)cleaned->removed, (unsigned long long)cleaned->leftovers,
		       (unsigned long long)cleaned->files, (unsigned long long)cleaned->bytes);
		return report(c->parsed, status, diagnostics);
	}
	printf("%llu of %llu entries removed", (unsigned long long)cleaned->removed,
	       (unsigned long long)cleaned->files_before);
	if (cleaned->leftovers)
		printf(", and %llu files of processes that ended",
		       (unsigned long long)cleaned->leftovers);
	printf("; %llu left, ", (unsigned long long)cleaned->files);
	cache_print_bytes(cleaned->bytes);
	putchar('\n');
	return report(c->parsed, status, diagnostics);
}

static bool read_bytes(const char *text, uint64_t *out)
{
	static const char units[] = "KMGT";
	char *end;
	double value = strtod(text, &end);
	const char *unit = *end ? strchr(units, *end) : NULL;
	if (end == text || !(value >= 0 && value < 1e15) || (*end && (!unit || end[1])))
		return false;
	for (const char *u = units; unit && u <= unit; u++)
		value *= 1024;
	*out = (uint64_t)value;
	return true;
}

int cache_gc(Cache *c)
{
	neso_cache_stats s = {.size = sizeof s};
	neso_cache_cleaned cleaned = {.size = sizeof cleaned};
	neso_diagnostics *diagnostics;
	const char *size = option_value(c->parsed, "max-size"), *files = option_value(c->parsed, "max-files");
	neso_status status = neso_cache_get_stats(c->context, &s, &diagnostics);
	if (status != NESO_OK)
		return report(c->parsed, status, diagnostics);
	neso_diagnostics_free(diagnostics);
	if ((size && !read_bytes(size, &s.max_bytes)) || (files && !read_bytes(files, &s.max_files)))
		return usage_error("--max-size and --max-files want numbers, as 500M");
	status = neso_cache_gc(c->context, s.max_bytes, s.max_files, &cleaned, &diagnostics);
	return print_cleaned(c, status, &cleaned, diagnostics);
}

int cache_clear(Cache *c)
{
	neso_cache_cleaned cleaned = {.size = sizeof cleaned};
	neso_diagnostics *diagnostics;
	neso_status status = neso_cache_clear(c->context, &cleaned, &diagnostics);
	return print_cleaned(c, status, &cleaned, diagnostics);
}

static int print_packed(const Cache *c, neso_status status, const neso_cache_packed *packed,
			neso_diagnostics *diagnostics)
{
	if (status == NESO_OK && c->json) {
		printf("{\"entries\": %llu, \"bytes\": %llu, \"refused\": %llu}\n",
		       (unsigned long long)packed->entries, (unsigned long long)packed->bytes,
		       (unsigned long long)packed->refused);
	} else if (status == NESO_OK) {
		printf("%llu entries, ", (unsigned long long)packed->entries);
		cache_print_bytes(packed->bytes);
		printf(packed->refused ? "; %llu refused\n" : "\n", (unsigned long long)packed->refused);
	}
	int result = report(c->parsed, status, diagnostics);
	return result == EXIT_DONE && packed->refused ? EXIT_INPUT : result;
}

static int move(Cache *c, bool unpack)
{
	neso_cache_packed packed = {.size = sizeof packed};
	neso_diagnostics *diagnostics;
	if (!cache_argument(c, 1))
		return usage_error("neso cache %s wants a FILE", unpack ? "unpack" : "pack");
	const char *file = cache_argument(c, 1), *key_file = option_value(c->parsed, "key-file");
	neso_status status = (unpack ? neso_cache_unpack_signed
				     : neso_cache_pack_signed)(c->context, file, key_file, &packed,
							       &diagnostics);
	return print_packed(c, status, &packed, diagnostics);
}

int cache_pack(Cache *c)
{
	return move(c, false);
}

int cache_unpack(Cache *c)
{
	return move(c, true);
}

int cache_sign_pack(Cache *c)
{
	neso_cache_packed packed = {.size = sizeof packed};
	neso_diagnostics *diagnostics;
	const char *key_file = option_value(c->parsed, "key-file");
	if (!cache_argument(c, 1) || !key_file)
		return usage_error("neso cache sign wants a FILE and --key-file");
	neso_status status =
		neso_pack_sign(c->context, cache_argument(c, 1), cache_argument(c, 2), key_file, &packed,
			       &diagnostics);
	return print_packed(c, status, &packed, diagnostics);
}

int cache_check_pack(Cache *c)
{
	neso_cache_packed packed = {.size = sizeof packed};
	neso_diagnostics *diagnostics;
	if (!cache_argument(c, 1))
		return usage_error("neso cache check wants a FILE");
	neso_status status = neso_pack_check(c->context, cache_argument(c, 1),
					     option_value(c->parsed, "key-file"), &packed, &diagnostics);
	return print_packed(c, status, &packed, diagnostics);
}

/* ---- choices of tuning ---- */

static neso_status export_choices(Cache *c, neso_tuned *tuned, neso_diagnostics **diagnostics)
{
	neso_status status = neso_tuned_read_kept(tuned, c->context, NULL, diagnostics);
	if (status != NESO_OK)
		return status;
	neso_diagnostics_free(*diagnostics);
	return neso_tuned_write(tuned, "-", diagnostics);
}

static neso_status import_choices(Cache *c, neso_tuned *tuned, neso_diagnostics **diagnostics)
{
	for (size_t i = 1; i < c->parsed->arg_count; i++) {
		const neso_status status = neso_tuned_read(tuned, c->parsed->args[i], diagnostics);
		if (status != NESO_OK)
			return status;
		neso_diagnostics_free(*diagnostics);
	}
	return neso_tuned_keep(tuned, c->context, true, diagnostics);
}

int cache_choices(Cache *c)
{
	neso_tuned *tuned;
	neso_diagnostics *diagnostics;
	neso_status status = neso_tuned_new(&tuned, &diagnostics);
	if (status == NESO_OK)
		status = (cache_argument(c, 1) ? import_choices : export_choices)(c, tuned, &diagnostics);
	neso_tuned_free(tuned);
	return report(c->parsed, status, diagnostics);
}
