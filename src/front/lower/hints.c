/* Notes behind errors that say what is meant in the tile language: words of other libraries,
 * operators that tiles do not have, names of the tile language without `tl.`. */
#include "front/core.h"

static const struct {
	const char *word, *here;
} foreign[] = {
#define FOREIGN(word, here) {word, here},
#include "front/lower/foreign.def"
#undef FOREIGN
};

void hint_foreign(FrontLower *low, const char *word)
{
	for (size_t i = 0; i < ARRAY_LEN(foreign); i++)
		if (strcmp(foreign[i].word, word) == 0)
			lower_note(low, "in a kernel: %s", foreign[i].here);
}

void hint_name(FrontLower *low, const char *name)
{
	size_t count;
	const char *const *names = builtin_names("triton.language", &count);
	for (size_t i = 0; names && i < count; i++)
		if (strcmp(names[i], name) == 0)
			lower_note(low, "tl.%s is a name of the tile language (import triton.language as tl)",
				   name);
}

void hint_element(FrontLower *low, const Val *base)
{
	if (base->kind != VAL_TENSOR)
		lower_note(low, "a tuple is made anew: (a, b) with other items");
	else if (tl_elem(base->tensor.type)->kind == TL_PTR && base->tensor.type->kind != TL_DESC)
		lower_note(low, "tl.store(pointer + index, value) writes to memory");
}

void hint_not_iterable(FrontLower *low, const Val *v)
{
	if (v->kind == VAL_TENSOR && v->tensor.type->kind == TL_BLOCK)
		lower_note(low, "an operation works on all elements of a tile at once: tl.sum, tl.max, "
				"tl.sort, tl.where");
	else if (v->kind == VAL_TENSOR)
		lower_note(low, "for i in range(n) counts");
}

void hint_not_known(FrontLower *low, const char *function, const Val *v)
{
	static const struct {
		const char *function, *here;
	} rows[] = {
		{"int", "x.to(tl.int32) casts"},
		{"bool", "x != 0 is a condition"},
		{"round", "tl.floor(x + 0.5)"},
		{"str", "tl.device_print(\"text\", x) prints values of a running kernel"},
		{"pow", "x * x, or tl.exp2(y * tl.log2(x))"},
	};
	size_t count;
	const char *const *names = builtin_names("triton.language", &count);
	const char *dot = strrchr(function, '.'), *word = dot ? dot + 1 : function;
	if (v->kind != VAL_TENSOR)
		return;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (strcmp(rows[i].function, function) == 0)
			lower_note(low, "in a kernel: %s", rows[i].here);
	for (size_t i = 0; dot && names && i < count; i++)
		if (strcmp(names[i], word) == 0)
			lower_note(low, "in a kernel: tl.%s", word);
}

void hint_not_callable(FrontLower *low, const Val *v)
{
	if (v->kind == VAL_MODULE && !v->module.builtin_path)
		lower_note(low, "NumPy, torch and other modules work on the host; the tile language has "
				"functions of its own: "
				"tl.exp, tl.sum, tl.where, ...");
}
