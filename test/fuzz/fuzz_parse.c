/* Fuzzing the lexer and the parser: any bytes as a module, all function bodies parsed, the tree printed.
 *
 * With libFuzzer:  clang -std=c17 -D_POSIX_C_SOURCE=200809L -g -O1 -fsanitize=fuzzer,address,undefined
 *                  -DNESO_FUZZER -Isrc test/fuzz/fuzz_parse.c, with src/base/?.c and the lexer and parser
 * Without it the program replays the files that it is given. */
#include <stdio.h>
#include <stdlib.h>

#include "base/fault.h"
#include "base/os.h"
#include "front/parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum { LIMIT = 1 << 30 };
	Arena arena;
	SourceSet set;
	Interner names;
	DiagList diags;
	Fault fault;
	arena_init(&arena, LIMIT);
	if (FAULT_TRY(&fault)) {
		source_set_init(&set, &arena);
		intern_init(&names, &arena);
		diag_init(&diags, &arena, &set);
		const char *text = arena_strndup(&arena, (const char *)data, size);
		Source *source = source_add(&set, "fuzz.py", text, size, 1);
		Walk walk = {ast_parse_module(&arena, &names, source, &diags), &diags};
		Text out;
		text_init(&out, &arena);
		ASSERT(walk.module || diags.errors);
		if (walk.module) {
			bodies(&walk, &walk.module->body);
			for (uint32_t i = 0; i < walk.module->body.len; i++)
				ast_dump_spans(&out, walk.module->body.items[i]);
		}
		ast_parse_expression(&arena, &names, source, &diags);
		diag_render_all(&out, &diags);
		fault_leave(&fault);
	} else if (fault.kind == FAULT_BUG) {
		fprintf(stderr, "%s\n", fault.text);
		abort();
	}
	arena_free(&arena);
	return 0;
}

#ifndef NESO_FUZZER
int main(int argc, char **argv)
{
	Arena arena;
	arena_init(&arena, 0);
	for (int i = 1; i < argc; i++) {
		Str bytes;
		const char *error;
		if (!os_read_file(&arena, argv[i], &bytes, &error)) {
			fprintf(stderr, "%s: %s\n", argv[i], error);
			return 1;
		}
		LLVMFuzzerTestOneInput((const uint8_t *)bytes.ptr, bytes.len);
	}
	arena_free(&arena);
	return 0;
}
#endif
