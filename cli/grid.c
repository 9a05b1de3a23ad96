/* Grids: up to three expressions over the scalar arguments of the launch.
 *
 *	grid := expr { (',' | 'x') expr }     expr := term { ('+' | '-') term }
 *	term := atom { ('*' | '//' | '%') atom }
 *	atom := NUMBER | NAME | '(' expr ')' | 'cdiv' '(' expr ',' expr ')'
 *
 * 'x' separates only after a number: "4x2". */
#include "cli/grid.h"

#include <ctype.h>
#include <stdlib.h>

typedef struct GridParser {
	const char *at;
	const GridName *names;
	size_t name_count;
	const char *error, *failed; /* what, and where */
} GridParser;

static void skip_spaces(GridParser *p)
{
	while (*p->at == ' ')
		p->at++;
}

static bool accept(GridParser *p, const char *token)
{
	skip_spaces(p);
	size_t len = strlen(token);
	if (strncmp(p->at, token, len) != 0)
		return false;
	p->at += len;
	return true;
}

static int64_t fail(GridParser *p, const char *why)
{
	if (!p->error)
		p->failed = p->at;
	p->error = p->error ? p->error : why;
	return 0;
}

static int64_t floor_div(GridParser *p, int64_t a, int64_t b)
{
	if (b == 0)
		return fail(p, "division by zero");
	return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static int64_t parse_expr(GridParser *p, int depth);

static int64_t parse_name(GridParser *p, int depth)
{
	const char *name = p->at;
	while (isalnum((unsigned char)*p->at) || *p->at == '_' || *p->at == '.')
		p->at++;
	size_t len = (size_t)(p->at - name);
	if (len >= 4 && memcmp(name + len - 4, "cdiv", 4) == 0 && accept(p, "(")) {
		int64_t a = parse_expr(p, depth + 1);
		if (!accept(p, ","))
			return fail(p, "cdiv wants two values");
		int64_t b = parse_expr(p, depth + 1);
		if (!accept(p, ")"))
			return fail(p, "missing ')'");
		return -floor_div(p, -a, b);
	}
	for (size_t i = 0; i < p->name_count; i++)
		if (strlen(p->names[i].name) == len && memcmp(p->names[i].name, name, len) == 0)
			return p->names[i].value;
	Nearest nearest;
	nearest_begin(&nearest, name, len);
	for (size_t i = 0; i < p->name_count; i++)
		nearest_look(&nearest, p->names[i].name);
	if (!p->error)
		p->at = name;
	return fail(p, take_printf("'%.*s' is no integer argument%s", (int)len, name, nearest_text(&nearest, "")));
}

static int64_t parse_atom(GridParser *p, int depth)
{
	enum { DEEPEST = 100 };
	skip_spaces(p);
	if (depth > DEEPEST)
		return fail(p, "too many parentheses");
	if (accept(p, "(")) {
		int64_t value = parse_expr(p, depth + 1);
		return accept(p, ")") ? value : fail(p, "missing ')'");
	}
	if (isdigit((unsigned char)*p->at)) {
		char *end;
		long long value = strtoll(p->at, &end, 10);
		p->at = end;
		return value > UINT32_MAX ? fail(p, "too large a number") : value;
	}
	if (isalpha((unsigned char)*p->at) || *p->at == '_')
		return parse_name(p, depth);
	return fail(p, "a number or a name was expected");
}

static int64_t parse_term(GridParser *p, int depth)
{
	int64_t value = parse_atom(p, depth);
	for (;;) {
		if (accept(p, "*")) {
			if (__builtin_mul_overflow(value, parse_atom(p, depth), &value))
				return fail(p, "too large a number");
		} else if (accept(p, "//")) {
			value = floor_div(p, value, parse_atom(p, depth));
		} else if (accept(p, "%")) {
			int64_t by = parse_atom(p, depth);
			value -= floor_div(p, value, by) * by;
		} else {
			return value;
		}
	}
}

static int64_t parse_expr(GridParser *p, int depth)
{
	int64_t value = parse_term(p, depth);
	for (;;) {
		if (accept(p, "+"))
			value += parse_term(p, depth);
		else if (accept(p, "-"))
			value -= parse_term(p, depth);
		else
			return value;
	}
}

bool grid_parse(const char *text, const GridName *names, size_t name_count, uint32_t grid[3])
{
	GridParser p = {.at = text, .names = names, .name_count = name_count};
	int axes = 0;
	bool open = accept(&p, "(");
	grid[0] = grid[1] = grid[2] = 1;
	do {
		skip_spaces(&p);
		if (axes && (*p.at == 0 || *p.at == ')'))
			break;
		if (axes == 3) {
			fail(&p, "more than three axes");
			break;
		}
		int64_t value = parse_expr(&p, 0);
		if (!p.error && (value < 0 || value > UINT32_MAX))
			fail(&p, "an axis is negative or too large");
		grid[axes++] = (uint32_t)value;
	} while (!p.error && (accept(&p, ",") || accept(&p, "x")));
	if (open && !accept(&p, ")"))
		fail(&p, "missing ')'");
	skip_spaces(&p);
	if (*p.at)
		fail(&p, *p.at == '/'
				 ? "a grid has whole numbers: cdiv(n, BLOCK) divides and rounds up, // down"
				 : "an operator (+ - * // %), a comma or the end was expected");
	if (p.error)
		usage_error("--grid %s, column %zu: %s", text, (size_t)((p.failed ? p.failed : p.at) - text) + 1, p.error);
	return !p.error;
}
