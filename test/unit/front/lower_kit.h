/* For tests of the front end: a session over texts, and lowering with the result as text. */
#ifndef NESO_TEST_LOWER_KIT_H
#define NESO_TEST_LOWER_KIT_H

#include "unit.h"

#include <stdlib.h>

#include "front/front.h"
#include "ir/text/text.h"

typedef struct LowerKit {
	Arena arena;
	FrontSession *session;
	DiagList diags;
	FrontOptions options;
	IrCx cx;
	IrModule *module;
} LowerKit;

static inline void kit_open(LowerKit *k, const FrontHost *host)
{
	arena_init(&k->arena, 0);
	k->session = front_session_new(&k->arena, host);
	diag_init(&k->diags, &k->arena, front_sources(k->session));
	k->options = (FrontOptions){.num_warps = 4, .num_stages = 3, .num_ctas = 1, .default_dot_precision = "tf32"};
}

static inline void kit_close(LowerKit *k)
{
	arena_free(&k->arena);
}

static inline FrontModule *kit_load(LowerKit *k, const char *path, const char *text)
{
	Str s = str_of(text);
	return front_load(k->session, path, &s, &k->diags);
}

/* Arguments as words: "*fp32", "*fp32:16", "=EXPR" for a value, "-" for the default. The IR as text without
 * places, or NULL after an error. */
static inline const char *kit_lower(LowerKit *k, FrontFunction *f, const char *const *words, uint32_t count)
{
	FrontArg args[16] = {0};
	for (uint32_t i = 0; i < count; i++) {
		char *word = arena_strdup(&k->arena, words[i]);
		char *colon = strstr(word, ":16");
		args[i].text = word;
		if (word[0] == '=') {
			args[i].kind = FRONT_CONST;
			args[i].text = word + 1;
		} else if (strcmp(word, "-") == 0) {
			args[i].kind = FRONT_DEFAULT;
		} else if (colon) {
			*colon = '\0';
			args[i].divisibility = 16;
		}
	}
	ir_cx_init(&k->cx, &k->arena);
	k->module = front_lower(f, args, count, &k->options, &k->cx, NULL, &k->diags);
	if (!k->module)
		return NULL;
	Text t;
	text_init(&t, &k->arena);
	ir_print(&t, k->module, (IrPrintOptions){.no_locations = true});
	return t.data;
}

static inline const char *kit_messages(LowerKit *k)
{
	Text t;
	text_init(&t, &k->arena);
	diag_render_all(&t, &k->diags);
	return t.data ? t.data : "";
}

#define WORDS(...) (const char *const[]){__VA_ARGS__}, ARRAY_LEN(((const char *const[]){__VA_ARGS__}))

#define assert_holds(text, part)                                                                     \
	do {                                                                                         \
		if (!strstr((text), (part)))                                                         \
			fail_msg("'%s' is not in:\n%s", (part), (text));                             \
	} while (0)

#endif
