/* neso cache: what the compile cache holds and does. */
#include "cli/cache.h"
#include "cli/json.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const Option options[] = {
	{"signature", 's', "TEXT", "key: types and constants of the parameters, as for neso compile"},
	{"section", 0, "NAME",
	 "show: one section (source, ttir, ttgir, llir, ptx, cubin, log, key, metadata) as it is"},
	{"max-size", 0, "BYTES", "gc: bytes that may stay, as 500M or 5G (the cache's own bound)"},
	{"key-file", 0, "FILE",
	 "pack, sign: entries are signed with the key in it; unpack, check: others are refused"},
	{"max-files", 0, "N", "gc: entries that may stay (the cache's own bound)"},
	OPTIONS_COMPILE,
	OPTION_JSON,
	OPTION_HELP,
	{NULL, 0, NULL, NULL},
};

const char *cache_argument(const Cache *c, size_t i)
{
	return i < c->parsed->arg_count ? c->parsed->args[i] : NULL;
}

void cache_print_bytes(uint64_t bytes)
{
	static const char units[] = "KMGT";
	double value = (double)bytes / 1024;
	int unit = 0;
	while (value >= 1000 && unit < 3) {
		value /= 1024;
		unit++;
	}
	if (bytes < 1024)
		printf("%llu bytes", (unsigned long long)bytes);
	else
		printf("%.1f %ciB", value, units[unit]);
}

/* ---- key ---- */

static void print_row(void *data, const neso_cache_row *row)
{
	Cache *c = data;
	if (!c->json) {
		printf("%-24s %s\n", row->name, row->value);
		return;
	}
	printf("%s{\"name\": ", c->shown++ ? ", " : "");
	print_json_text(row->name);
	printf(", \"value\": ");
	print_json_text(row->value);
	putchar('}');
}

static int key(Cache *c)
{
	neso_module *module;
	neso_kernel *kernel;
	neso_compile_options compile;
	neso_diagnostics *diagnostics;
	char *digits = NULL;
	const char *signature = option_value(c->parsed, "signature");
	if (!cache_argument(c, 1) || !signature)
		return usage_error("neso cache key wants FILE.py:KERNEL and --signature");
	if (!compile_options(c->parsed, &compile))
		return EXIT_USAGE;
	int result = open_kernel(c->parsed, c->context, cache_argument(c, 1), &module, &kernel);
	if (result != EXIT_DONE)
		return result;
	if (c->json)
		printf("{\"rows\": [");
	neso_status status = neso_cache_key(kernel, signature, &compile, print_row, c, &digits, &diagnostics);
	if (c->json) {
		printf("], \"key\": ");
		print_json_text(digits);
		puts("}");
	} else if (digits) {
		printf("%s\n", digits);
	}
	neso_text_free(digits);
	neso_module_free(module);
	return report(c->parsed, status, diagnostics);
}

/* ---- stats, path ---- */

static void print_remote_json(const neso_cache_stats *s)
{
	printf(", \"remote_hits\": %llu, \"remote_found\": %llu, \"remote_absent\": %llu, \"remote_errors\": %llu, \"remote_puts\": %llu, "
	       "\"remote_dropped\": %llu, \"remote_bytes_in\": %llu, \"remote_bytes_out\": %llu}\n",
	       (unsigned long long)s->remote_hits, (unsigned long long)s->remote_found, (unsigned long long)s->remote_absent,
	       (unsigned long long)s->remote_errors, (unsigned long long)s->remote_puts, (unsigned long long)s->remote_dropped,
	       (unsigned long long)s->remote_bytes_in, (unsigned long long)s->remote_bytes_out);
}

static void print_remote(const neso_cache_stats *s)
{
	if (!s->remote_found && !s->remote_absent && !s->remote_errors && !s->remote_puts && !s->remote_dropped)
		return;
	printf("remote     %llu found, ", (unsigned long long)s->remote_found);
	cache_print_bytes(s->remote_bytes_in);
	printf("; %llu not there; %llu put, ", (unsigned long long)s->remote_absent, (unsigned long long)s->remote_puts);
	cache_print_bytes(s->remote_bytes_out);
	printf("; %llu dropped; %llu errors\n", (unsigned long long)s->remote_dropped, (unsigned long long)s->remote_errors);
}

static int stats(Cache *c)
{
	neso_cache_stats s = {.size = sizeof s};
	neso_diagnostics *diagnostics;
	neso_status status = neso_cache_get_stats(c->context, &s, &diagnostics);
	if (status != NESO_OK)
		return report(c->parsed, status, diagnostics);
	if (c->json) {
		printf("{\"hits\": %llu, \"layer_hits\": %llu, \"half_hits\": %llu, \"misses\": %llu, \"forced\": %llu, \"damaged\": %llu, "
		       "\"bytes\": %llu, \"files\": %llu, \"max_bytes\": %llu, \"max_files\": %llu, \"compile_seconds\": %.6f, "
		       "\"saved_seconds\": %.6f",
		       (unsigned long long)s.hits, (unsigned long long)s.layer_hits, (unsigned long long)s.half_hits,
		       (unsigned long long)s.misses, (unsigned long long)s.forced, (unsigned long long)s.damaged,
		       (unsigned long long)s.bytes, (unsigned long long)s.files, (unsigned long long)s.max_bytes,
		       (unsigned long long)s.max_files, s.compile_seconds, s.saved_seconds);
		print_remote_json(&s);
		return report(c->parsed, status, diagnostics);
	}
	uint64_t compiled = s.half_hits + s.misses + s.forced + s.damaged, hits = s.hits + s.layer_hits + s.remote_hits;
	printf("hits       %8llu  (%.0f %%)", (unsigned long long)hits, hits ? 100.0 * (double)hits / (double)(hits + compiled) : 0);
	if (s.layer_hits)
		printf(", %llu of them in read-only layers", (unsigned long long)s.layer_hits);
	if (s.remote_hits)
		printf(", %llu of them in the remote cache", (unsigned long long)s.remote_hits);
	putchar('\n');
	printf("compiled   %8llu\n", (unsigned long long)compiled);
	printf("  not there        %8llu\n", (unsigned long long)s.misses);
	printf("  cubin was there  %8llu  (other variant, same PTX)\n", (unsigned long long)s.half_hits);
	printf("  not to be read   %8llu\n", (unsigned long long)s.forced);
	printf("  damaged          %8llu\n", (unsigned long long)s.damaged);
	printf("time       %.3f s compiling, %.3f s saved\nentries    %llu, ", s.compile_seconds, s.saved_seconds,
	       (unsigned long long)s.files);
	cache_print_bytes(s.bytes);
	if (s.max_bytes || s.max_files) {
		printf(" (at most %llu, ", (unsigned long long)s.max_files);
		cache_print_bytes(s.max_bytes);
		putchar(')');
	}
	putchar('\n');
	print_remote(&s);
	return report(c->parsed, status, diagnostics);
}

static int path(Cache *c)
{
	char *where;
	neso_diagnostics *diagnostics;
	neso_status status = neso_cache_path(c->context, &where, &diagnostics);
	if (status == NESO_OK && c->json) {
		print_json_text(where);
		putchar('\n');
	} else if (status == NESO_OK && where) {
		puts(where);
	}
	int result = report(c->parsed, status, diagnostics);
	if (result == EXIT_DONE && !where && !c->json)
		result = input_error("there is no compile cache");
	neso_text_free(where);
	return result;
}

/* ---- entries ---- */

/* The value of a member of metadata that is a string or a number, as far as it is one of ours: "" when it is not there. */
static const char *member(const char *json, const char *name)
{
	const char *at = json ? strstr(json, take_printf("\"%s\": ", name)) : NULL;
	if (!at)
		return "";
	at += strlen(name) + 4;
	if (*at == '"')
		return take_text(at + 1, strcspn(at + 1, "\""));
	return take_text(at, strcspn(at, ",}"));
}

/* What an entry says it is JSON; else as a text. */
static void print_json(const char *text)
{
	size_t line;
	const char *why;
	if (text && !json_read(text, &line, &why))
		print_json_text(text);
	else
		fputs(text ? text : "null", stdout);
}

static bool print_entry(void *data, const neso_cache_entry *e)
{
	Cache *c = data;
	if (c->json) {
		printf("%s{\"kind\": \"%s\", \"key\": \"%s\", \"bytes\": %llu, \"used\": %.0f, \"damage\": ", c->shown++ ? ",\n " : "", e->kind, e->key,
		       (unsigned long long)e->bytes, e->used);
		print_json_text(e->damage);
		printf(", \"metadata\": ");
		print_json(e->metadata);
		putchar('}');
		return true;
	}
	char when[32] = "";
	time_t used = (time_t)e->used;
	struct tm tm;
	if (localtime_r(&used, &tm))
		strftime(when, sizeof when, "%Y-%m-%d %H:%M", &tm);
	printf("%.16s  %-7s %9llu  %s", e->key, e->kind, (unsigned long long)e->bytes, when);
	if (e->metadata)
		printf("  %s", member(e->metadata, "variant"));
	puts(e->damage ? take_printf("  DAMAGED: %s", e->damage) : "");
	c->shown++;
	return true;
}

static int each(Cache *c, bool verify)
{
	neso_diagnostics *diagnostics;
	if (c->json)
		putchar('[');
	neso_status status = verify ? neso_cache_verify(c->context, print_entry, c, &diagnostics)
				    : neso_cache_each(c->context, print_entry, c, &diagnostics);
	if (c->json)
		puts("]");
	else if (verify && status == NESO_OK)
		printf("%zu damaged%s\n", c->shown, c->shown ? ", removed" : "");
	return report(c->parsed, status, diagnostics);
}

static int list(Cache *c)
{
	return each(c, false);
}

static int verify(Cache *c)
{
	return each(c, true);
}

/* A section as it is, or the names and sizes of all with metadata and key. */
static int show(Cache *c)
{
	const char *wanted = option_value(c->parsed, "section");
	neso_diagnostics *diagnostics;
	char *bytes;
	size_t size;
	if (!cache_argument(c, 1))
		return usage_error("neso cache show wants the first digits of a KEY (neso cache ls lists them)");
	neso_status status = neso_cache_read(c->context, cache_argument(c, 1), wanted, &bytes, &size, &diagnostics);
	int result = report(c->parsed, status, diagnostics);
	if (result != EXIT_DONE)
		return result;
	if (!bytes)
		return input_error("the entry has no section '%s'", wanted ? wanted : "");
	if (wanted) {
		print_raw(bytes, size);
		neso_text_free(bytes);
		return EXIT_DONE;
	}
	if (c->json)
		printf("{\"sections\": [");
	for (char *name = strtok(bytes, "\n"); name; name = strtok(NULL, "\n")) {
		if (c->json) {
			fputs(c->shown++ ? ", " : "", stdout);
			print_json_text(name);
		} else
			printf("%s ", name);
	}
	neso_text_free(bytes);
	puts(c->json ? "]," : "\n");
	static const char *const texts[] = {"metadata", "key"};
	for (int i = 0; i < 2; i++) {
		neso_cache_read(c->context, cache_argument(c, 1), texts[i], &bytes, &size, NULL);
		if (c->json) {
			printf(i ? "\"key\": " : "\"metadata\": ");
			if (i)
				print_json_text(bytes);
			else
				print_json(bytes);
			fputs(i ? "" : ",\n", stdout);
		} else if (bytes) {
			fputs(bytes, stdout);
			putchar('\n');
		}
		neso_text_free(bytes);
	}
	if (c->json)
		puts("}");
	return EXIT_DONE;
}

/* ---- why ---- */

static void print_difference(void *data, const neso_cache_row *row)
{
	Cache *c = data;
	if (!c->json) {
		printf("  %s: %s before, now %s\n", row->name, row->before ? row->before : "(none)", row->value ? row->value : "(none)");
		c->shown++;
		return;
	}
	printf("%s{\"name\": ", c->shown++ ? ", " : "");
	print_json_text(row->name);
	printf(", \"before\": ");
	print_json_text(row->before);
	printf(", \"now\": ");
	print_json_text(row->value);
	putchar('}');
}

static int explain(Cache *c)
{
	neso_diagnostics *diagnostics;
	uint64_t misses = 0;
	if (!cache_argument(c, 1))
		return usage_error("neso cache explain wants the name of a KERNEL");
	if (c->json)
		printf("{\"differences\": [");
	neso_status status = neso_cache_explain(c->context, cache_argument(c, 1), print_difference, c, &misses, &diagnostics);
	if (c->json)
		printf("], \"misses\": %llu}\n", (unsigned long long)misses);
	else if (status == NESO_OK && !misses)
		printf("no compilation of %s is known\n", cache_argument(c, 1));
	else if (status == NESO_OK && !c->shown)
		printf("compiled %llu times; no other variant is there to compare the last one with\n", (unsigned long long)misses);
	else if (status == NESO_OK)
		printf("compiled %llu times; above is how the last one differs from the nearest before it\n", (unsigned long long)misses);
	return report(c->parsed, status, diagnostics);
}

/* Of two entries. */
static int diff(Cache *c)
{
	neso_diagnostics *diagnostics;
	if (!cache_argument(c, 2))
		return usage_error("neso cache diff wants the first digits of two KEYs (neso cache ls lists them)");
	if (c->json)
		printf("{\"differences\": [");
	neso_status status = neso_cache_compare(c->context, cache_argument(c, 1), cache_argument(c, 2), print_difference, c, &diagnostics);
	if (c->json)
		puts("]}");
	else if (status == NESO_OK && !c->shown)
		puts("the same");
	return report(c->parsed, status, diagnostics);
}

/* ---- the command ---- */

static int cache(const Parsed *parsed)
{
	static const struct {
		const char *name;
		int (*run)(Cache *c);
		size_t arguments; /* at most */
	} actions[] = {
		{"key", key, 2},	 {"stats", stats, 1},	   {"ls", list, 1},	  {"show", show, 2},
		{"explain", explain, 2}, {"verify", verify, 1},	   {"gc", cache_gc, 1},	  {"clear", cache_clear, 1},
		{"path", path, 1},	 {"pack", cache_pack, 2},	   {"unpack", cache_unpack, 2}, {"diff", diff, 3},
		{"sign", cache_sign_pack, 3},	 {"check", cache_check_pack, 2}, {"choices", cache_choices, SIZE_MAX},
	};
	for (size_t i = 0; parsed->arg_count && i < sizeof actions / sizeof *actions; i++) {
		if (strcmp(parsed->args[0], actions[i].name) != 0)
			continue;
		if (parsed->arg_count > actions[i].arguments)
			return usage_error("neso cache %s does not know what to do with '%s'", actions[i].name,
					   parsed->args[actions[i].arguments]);
		Cache c = {.parsed = parsed, .json = option_value(parsed, "json") != NULL, .context = open_context(parsed)};
		if (!c.context)
			return EXIT_INPUT;
		int result = actions[i].run(&c);
		neso_context_free(c.context);
		return result;
	}
	return usage_error("neso cache wants key, stats, ls, show, explain, diff, verify, cache_gc, cache_clear, path, "
			   "pack, cache_unpack, sign, check or choices");
}

const Command command_cache = {
	"cache",
	"ACTION ...",
	"Look at the compile cache, explain it, clean it, carry it elsewhere",
	"  key FILE.py:KERNEL -s SIGNATURE  what the key of a variant is made of\n"
	"  stats           hits and misses, size, time saved\n"
	"  ls              the entries\n"
	"  show KEY        one entry, by the first digits of its key\n"
	"  explain KERNEL  why its last variant was compiled\n"
	"  diff KEY KEY    the rows in which two variants' keys differ\n"
	"  verify          checks every entry; damaged ones are removed\n"
	"  gc              removes the least recently used beyond the bounds, and leftovers\n"
	"  clear           removes all entries\n"
	"  path            where it is\n"
	"  pack FILE       all variants and choices in one file, for other machines with such GPUs\n"
	"  unpack FILE     puts them into the cache here\n"
	"  sign FILE [TO]  signs the entries of a pack, with --key-file\n"
	"  check FILE      are the entries of a pack whole, and signed with --key-file?\n"
	"  choices         what tuning chose, as a file of choices\n"
	"  choices FILE... puts files of choices into the cache\n\n"
	"TRITON_CACHE_DIR says where the cache is; docs/cache.md has the variables.\n",
	options,
	cache,
};
