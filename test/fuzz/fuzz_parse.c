/* Fuzzing the lexer and the parser: any bytes as a module, all function bodies parsed, the tree printed.
 *
 * driver.h says how to build it; its sources are src/base/?.c and the lexer and parser. */
#include "driver.h"

#include "front/syntax/parse.h"

typedef struct Walk {
	AstModule *module;
	DiagList *diags;
} Walk;

static void bodies(Walk *w, const AstList *list)
{
	for (uint32_t i = 0; i < list->len; i++) {
		Ast *node = list->items[i];
		ASSERT(node->span.start <= node->span.end && node->span.end <= w->module->source->len);
		ASSERT(node->height && node->height <= AST_MAX_HEIGHT);
		switch (node->kind) {
		case AST_FUNCTION_DEF:
			ast_function_body(w->module, node->function, w->diags);
			bodies(w, &node->function->body);
			break;
		case AST_CLASS_DEF: bodies(w, &node->klass->body); break;
		case AST_FOR:
			bodies(w, &node->for_stmt.body);
			bodies(w, &node->for_stmt.orelse);
			break;
		case AST_IF: case AST_WHILE:
			bodies(w, &node->if_stmt.body);
			bodies(w, &node->if_stmt.orelse);
			break;
		case AST_WITH: bodies(w, &node->with_stmt.body); break;
		case AST_EXCEPT: bodies(w, &node->except.body); break;
		case AST_TRY:
			bodies(w, &node->try_stmt.body);
			bodies(w, &node->try_stmt.handlers);
			bodies(w, &node->try_stmt.orelse);
			bodies(w, &node->try_stmt.finalbody);
			break;
		default: break;
		}
	}
}

static void fuzz_one(Arena *arena, const uint8_t *data, size_t size)
{
	SourceSet set;
	Interner names;
	DiagList diags;
	source_set_init(&set, arena);
	intern_init(&names, arena);
	diag_init(&diags, arena, &set);
	const char *text = arena_strndup(arena, (const char *)data, size);
	Source *source = source_add(&set, "fuzz.py", text, size, 1);
	Walk walk = {ast_parse_module(arena, &names, source, &diags), &diags};
	Text out;
	text_init(&out, arena);
	ASSERT(walk.module || diags.errors);
	if (walk.module) {
		bodies(&walk, &walk.module->body);
		for (uint32_t i = 0; i < walk.module->body.len; i++)
			ast_dump_spans(&out, walk.module->body.items[i]);
	}
	ast_parse_expression(arena, &names, source, &diags);
	diag_render_all(&out, &diags);
}

#ifndef NESO_FUZZER
static Str fuzz_mutate(Arena *arena, Str text, uint64_t *state)
{
	static const char *const words[] = {"(", ")", "[", "]", "{", "}", "\n", "\n    ", "\t", ":", ",", "=", "==", "f\"{", "\"\"\"", "'", "\\", "#",
					    "def f():", "if ", "else:", "for x in y:", "lambda ", "@", "*", "**", "not ", "0x", "1e999", "->", ";"};
	return edit_text(arena, text, words, ARRAY_LEN(words), state);
}

static Str fuzz_sample(Arena *arena)
{
	(void)arena;
	return STR("@triton.jit\ndef f(x, n: tl.constexpr = 3):\n    for i in range(n):\n        x += f\"{i}\" if i else [1, 2]\n");
}
#endif
