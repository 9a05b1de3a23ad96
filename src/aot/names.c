/* Names of parameters and kernels as names in C and C++. */
#include "aot/inner.h"

/* What a parameter may not be called: words of C17 and C++20 that are names in Python, and what generated code uses. */
static const char *const words[] = {
	"alignas", "alignof", "asm", "auto", "bool", "case", "catch", "char", "concept", "const", "constexpr", "decltype", "default", "delete",
	"do", "double", "enum", "explicit", "export", "extern", "false", "float", "friend", "goto", "inline", "int", "long", "mutable",
	"namespace", "new", "noexcept", "nullptr", "operator", "private", "protected", "public", "register", "requires", "restrict", "short",
	"signed", "sizeof", "static", "struct", "switch", "template", "this", "throw", "true", "typedef", "typeid", "typename", "typeof",
	"union", "unsigned", "using", "virtual", "void", "volatile", "xor", "or_eq", "bitand", "bitor", "compl", "and_eq", "not_eq", "xor_eq",
	"char8_t", "char16_t", "char32_t", "wchar_t", "linux", "unix", "main",
	"stream", "grid_x", "grid_y", "grid_z", "guards", "grid", "values", "NULL",
};

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool aot_is_identifier(const char *name)
{
	bool good = is_letter(name[0]);
	for (const char *c = name; *c && good; c++)
		good = is_letter(*c) || is_digit(*c);
	return good;
}

static bool is_word(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (strcmp(words[i], name) == 0)
			return true;
	return strncmp(name, "nk_", 3) == 0 || strncmp(name, "neso_", 5) == 0 || strncmp(name, "number_", 7) == 0;
}

const char *aot_identifier(Arena *arena, const char *name)
{
	Text text;
	text_init(&text, arena);
	text_str(&text, is_digit(name[0]) ? "_" : "");
	for (const char *c = name; *c; c++)
		text_char(&text, is_letter(*c) || is_digit(*c) ? *c : '_');
	text_str(&text, "");
	return is_word(text.data) ? arena_printf(arena, "%s_", text.data) : text.data;
}
