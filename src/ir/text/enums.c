/* The attributes of each op (ops.def) and the keywords of enumerations (asm_enums.def). */
#include "ir/text/asm.h"

/* Rows name a plain kind or an enumeration by one word. */
enum {
	KIND_BOOL = ASM_BOOL,
	KIND_I32 = ASM_I32,
	KIND_STRING = ASM_STRING,
	KIND_SYMBOL = ASM_SYMBOL,
	KIND_UNIT = ASM_UNIT,
	KIND_I32S = ASM_I32S,
	KIND_TYPE = ASM_TYPE,
	KIND_VALUE = ASM_VALUE,
	KIND_DICTS = ASM_DICTS,
#define ENUM(name, type, words) KIND_##name = ASM_ENUM_##name,
#include "ir/text/asm_enums.def"
#undef ENUM
};

#define ATTRS(...) {__VA_ARGS__ {ATTR__COUNT, ASM__COUNT, false, false, 0}}
#define REQUIRED(name, kind) {ATTR_##name, (AsmKind)KIND_##kind, true, false, 0},
#define OPTIONAL(name, kind) {ATTR_##name, (AsmKind)KIND_##kind, false, false, 0},
#define DEFAULT(name, kind, value) {ATTR_##name, (AsmKind)KIND_##kind, false, true, value},
static const AsmAttr *const attrs_of[OP__COUNT] = {
#define OP(name, text, levels, takes, gives, regions, traits, type, format, attrs, ...) \
	[OP_##name] = (const AsmAttr[])attrs,
#include "ir/ops.def"
#undef OP
};

static const char *const attr_texts[ATTR__COUNT] = {
#define ATTR(name, text) [ATTR_##name] = text,
#include "ir/attrs.def"
#undef ATTR
};

const AsmAttr *asm_attrs(IrOpKind op)
{
	return attrs_of[op];
}

const AsmAttr *asm_attr_find(IrOpKind op, const char *name)
{
	for (const AsmAttr *row = attrs_of[op]; row->name != ATTR__COUNT; row++)
		if (strcmp(attr_texts[row->name], name) == 0)
			return row;
	return NULL;
}

bool asm_attr_is_default(const AsmAttr *row, IrAttr value)
{
	if (!row || !row->has_default)
		return false;
	if (value->kind == ATTR_KIND_INT || value->kind == ATTR_KIND_BOOL)
		return value->i == row->otherwise;
	return value->kind == ATTR_KIND_INTS && value->len == 0;
}

bool asm_format_has_attr(const char *format, const char *name)
{
	size_t len = strlen(name);
	for (const char *at = strchr(format, '@'); at; at = strchr(at + 1, '@'))
		if (strncmp(at + 1, name, len) == 0 && !asm_is_suffix_char(at[1 + len]))
			return true;
	return false;
}

/* ---- enumerations ---- */

static const struct {
	const char *type, *words;
} enums[] = {
#define ENUM(name, type, words) {type, words},
#include "ir/text/asm_enums.def"
#undef ENUM
};

/* Words of values that the list of words does not reach. */
static const struct {
	AsmKind kind;
	int64_t value;
	const char *word;
} more_words[] = {
	{ASM_ENUM_NAN, NAN_ALL, "all"},
	{ASM_ENUM_FASTMATH, 0, "none"},
	{ASM_ENUM_FASTMATH, 127, "fast"},
	{ASM_ENUM_OVERFLOW, 0, "none"},
};

const char *asm_enum_type(AsmKind kind)
{
	return enums[kind - ASM_ENUM_ - 1].type;
}

bool asm_enum_is_flags(AsmKind kind)
{
	return kind > ASM_ENUM_ && asm_enum_type(kind)[0] == '#';
}

/* The i-th word of a list. */
static bool word_at(AsmKind kind, int64_t i, Str *word)
{
	const char *p = enums[kind - ASM_ENUM_ - 1].words;
	for (; i > 0 && *p; p++)
		i -= *p == ' ';
	*word = (Str){p, strcspn(p, " ")};
	return i == 0 && word->len > 0 && *p != '-';
}

void asm_enum_print(Text *out, AsmKind kind, int64_t value)
{
	Str word;
	for (size_t i = 0; i < ARRAY_LEN(more_words); i++) {
		if (more_words[i].kind == kind && more_words[i].value == value) {
			text_str(out, more_words[i].word);
			return;
		}
	}
	if (!asm_enum_is_flags(kind)) {
		if (value >= 0 && value < 64 && word_at(kind, value, &word))
			text_add(out, word.ptr, word.len);
		else
			text_printf(out, "%lld", (long long)value);
		return;
	}
	/* The separator is upstream's: one of the two enumerations prints a space after it. */
	const char *separator = kind == ASM_ENUM_FASTMATH ? "," : ", ";
	bool first = true;
	for (int64_t i = 0; word_at(kind, i, &word); i++) {
		if (!(value >> i & 1))
			continue;
		text_str(out, first ? "" : separator);
		text_add(out, word.ptr, word.len);
		first = false;
	}
}

bool asm_enum_has(AsmKind kind, int64_t value)
{
	Str word;
	for (size_t i = 0; i < ARRAY_LEN(more_words); i++)
		if (more_words[i].kind == kind && more_words[i].value == value)
			return true;
	if (!asm_enum_is_flags(kind))
		return value >= 0 && value < 64 && word_at(kind, value, &word);
	return value > 0 && word_at(kind, (int64_t)base_log2((uint64_t)value), &word);
}

bool asm_enum_value(AsmKind kind, Str word, int64_t *value)
{
	for (size_t i = 0; i < ARRAY_LEN(more_words); i++) {
		if (more_words[i].kind == kind && str_is(word, more_words[i].word)) {
			*value = more_words[i].value;
			return true;
		}
	}
	const char *words = enums[kind - ASM_ENUM_ - 1].words;
	int64_t i = 0;
	for (const char *p = words; *p; i++) {
		Str known = {p, strcspn(p, " ")};
		if (str_eq(known, word) && !str_is(known, "-")) {
			*value = asm_enum_is_flags(kind) ? INT64_C(1) << i : i;
			return true;
		}
		p += known.len;
		p += *p == ' ';
	}
	return false;
}
