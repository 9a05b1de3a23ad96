/* Arenas, ends of work, interning, text distance, the map, line tables. */
#include "unit.h"

#include "base/diag/diag.h"
#include "base/fault.h"
#include "base/map.h"
#include "base/stop.h"

static void arena_limit_raises_a_fault(void **state)
{
	Arena arena;
	Fault fault;
	arena_init(&arena, 1 << 20);
	if (FAULT_TRY(&fault)) {
		for (;;)
			arena_alloc(&arena, 1000);
	}
	assert_int_equal(fault.kind, FAULT_LIMIT);
	assert_in_range(arena.total, 1 << 19, 1 << 20);
	arena_free(&arena);
}

static bool never(void *data)
{
	++*(unsigned *)data;
	return false;
}

/* The outer limit holds inside, is raised once, and is left by what left its FAULT_TRY. */
static void work_ends_when_its_time_is_up(void **state)
{
	Arena arena;
	Fault fault;
	Stop outer, inner;
	arena_init(&arena, 0);
	if (FAULT_TRY(&fault)) {
		stop_enter(&outer, 0.02, NULL, NULL);
		stop_enter(&inner, 0, NULL, NULL);
		assert_true(stop_left() > 0 && stop_left() <= 0.02);
		for (;;)
			arena_alloc(&arena, 1 << 20);
	}
	assert_int_equal(fault.kind, FAULT_TIME);
	assert_string_equal(fault.text, "more than 0.02 s");
	assert_true(stop_left() == 0);
	stop_point();
	if (FAULT_TRY(&fault)) {
		stop_enter(&outer, 1e-9, NULL, NULL);
		Fault within;
		if (FAULT_TRY(&within))
			for (;;)
				stop_time();
		assert_int_equal(within.kind, FAULT_TIME);
		stop_point();
		arena_alloc(&arena, 8 << 20);
		stop_leave(&outer);
		fault_leave(&fault);
	}
	assert_int_equal(fault.kind, FAULT_NONE);
	arena_free(&arena);
}

static void work_ends_when_who_is_asked_says_so(void **state)
{
	Fault fault;
	Stop stop;
	volatile unsigned asked = 0;
	if (FAULT_TRY(&fault)) {
		stop_enter(&stop, 0, never, (void *)(uintptr_t)&asked);
		while (stop_goes_on(NULL))
			;
		assert_int_equal(asked, 1);
		stop_time();
		stop_point();
	}
	assert_int_equal(fault.kind, FAULT_STOPPED);
	assert_int_equal(asked, 2);
	assert_true(stop_goes_on(NULL));
	assert_true(stop_wait(7) == 7);
}

static void arena_reset_returns_to_the_mark(void **state)
{
	Arena arena;
	arena_init(&arena, 0);
	char *before = arena_strdup(&arena, "kept");
	ArenaMark mark = arena_mark(&arena);
	for (int i = 0; i < 1000; i++)
		arena_alloc(&arena, 999);
	arena_reset(&arena, mark);
	assert_string_equal(before, "kept");
	char *again = arena_alloc_raw(&arena, 1, 1);
	assert_ptr_equal(again, before + 5);
	arena_free(&arena);
}

static void text_grows(void **state)
{
	Arena arena;
	Text text, wanted;
	arena_init(&arena, 0);
	text_init(&text, &arena);
	text_init(&wanted, &arena);
	/* Each length meets each room that is left. */
	for (int i = 0; i < 300; i++) {
		char piece[300];
		memset(piece, 'a' + i % 26, (size_t)i);
		piece[i] = '\0';
		text_printf(&text, "%s|", piece);
		text_add(&wanted, piece, (size_t)i);
		text_char(&wanted, '|');
		assert_string_equal(text.data, wanted.data);
		assert_int_equal(text.len, wanted.len);
	}
	Text numbers;
	text_init(&numbers, &arena);
	text_unsigned(&numbers, 0);
	text_char(&numbers, ' ');
	text_unsigned(&numbers, 1234567890);
	text_char(&numbers, ' ');
	text_unsigned(&numbers, UINT64_MAX);
	assert_string_equal(numbers.data, "0 1234567890 18446744073709551615");
	arena_free(&arena);
}

static void interned_text_is_one_pointer(void **state)
{
	Arena arena;
	Interner in;
	arena_init(&arena, 0);
	intern_init(&in, &arena);
	Sym first = intern_text(&in, "name0");
	for (int i = 0; i < 5000; i++)
		intern_text(&in, arena_printf(&arena, "name%d", i));
	assert_ptr_equal(intern(&in, (Str){"name0xyz", 5}), first);
	assert_int_equal(in.len, 5000);
	arena_free(&arena);
}

static void nearest_name_is_found(void **state)
{
	static const char *const names[] = {"arange", "zeros", "maximum", "max"};
	assert_string_equal(str_nearest(STR("arrange"), names, 4), "arange");
	assert_string_equal(str_nearest(STR("maximun"), names, 4), "maximum");
	assert_null(str_nearest(STR("program_id"), names, 4));
	assert_int_equal(str_distance(STR("ab"), STR("ba")), 1);
}

static void map_replaces_and_finds(void **state)
{
	Arena arena;
	Map map;
	uint64_t value;
	arena_init(&arena, 0);
	map_init(&map, &arena);
	for (uint64_t i = 0; i < 1000; i++)
		map_put(&map, i << 32, i);
	map_put(&map, 7ull << 32, 70);
	assert_int_equal(map.len, 1000);
	assert_true(map_get(&map, 7ull << 32, &value));
	assert_int_equal(value, 70);
	assert_false(map_get(&map, 1, &value));
	arena_free(&arena);
}

static void a_diagnostic_points_at_line_and_column(void **state)
{
	Arena arena;
	SourceSet set;
	DiagList list;
	Text out;
	arena_init(&arena, 0);
	source_set_init(&set, &arena);
	diag_init(&list, &arena, &set);
	text_init(&out, &arena);
	const char *text = "a = 1\n\tb = \xc3\xa9 + c\n";
	Source *source = source_add(&set, "k.py", text, strlen(text), 1);
	uint32_t at = (uint32_t)(strchr(text, 'c') - text);
	diag_add(&list, (Span){source->id, at, at + 1}, DIAG_INTERNAL, "x");
	diag_add(&list, (Span){source->id, at, at + 1}, DIAG_INTERNAL, "x");
	assert_int_equal(list.errors, 1);
	diag_render_all(&out, &list);
	assert_string_equal(out.data, "k.py:2:10: error: internal error: x\n"
				      "    \tb = \xc3\xa9 + c\n"
				      "    \t        ^\n");
	arena_free(&arena);
}

/* What is read never steers a terminal. */
static void text_for_terminals(void **state)
{
	static const char *const cases[][2] = {
		{"plain \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\ttab\nline", NULL},
		{"\x1b[2Ja", "\xe2\x90\x9b[2Ja"},
		{"a\rb\x7f\x01", "a\xe2\x90\x8d" "b\xe2\x90\xa1\xe2\x90\x81"},
		{"\xc2\x9b" "1m \xc2\x80 \xc2\xa0", "\xef\xbf\xbd" "1m \xef\xbf\xbd \xc2\xa0"},
		{"\x9b" "1m", "\xef\xbf\xbd" "1m"},
		{"\xe2\x82", "\xef\xbf\xbd\xef\xbf\xbd"},
		{"\xc0\x9b\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
		{"", NULL},
	};
	Arena arena;
	arena_init(&arena, 0);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const char *shown = str_shown(&arena, cases[i][0]);
		assert_string_equal(shown, cases[i][1] ? cases[i][1] : cases[i][0]);
		assert_int_equal(shown == cases[i][0], cases[i][1] == NULL);
	}
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_for_terminals),
		cmocka_unit_test(arena_limit_raises_a_fault),
		cmocka_unit_test(work_ends_when_its_time_is_up),
		cmocka_unit_test(work_ends_when_who_is_asked_says_so),
		cmocka_unit_test(arena_reset_returns_to_the_mark),
		cmocka_unit_test(text_grows),
		cmocka_unit_test(interned_text_is_one_pointer),
		cmocka_unit_test(nearest_name_is_found),
		cmocka_unit_test(map_replaces_and_finds),
		cmocka_unit_test(a_diagnostic_points_at_line_and_column),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
