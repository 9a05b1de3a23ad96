/* Memory checks, masks, block pointers, atomics, waiting programs, printing, assertions: what a launch must say and
 * what it must leave alone. Tests of DIAG_RUN_... rows are here. */
#include "interp_kit.h"

#include <math.h>
#include <string.h>

#include "base/os.h"

#define ADDRESS(n, type)                                                                                 \
	"%i = tt.make_range {end = " #n " : i32, start = 0 : i32} : tensor<" #n "xi32>\n"                \
	"%ps = tt.splat %p : !tt.ptr<" type "> -> tensor<" #n "x!tt.ptr<" type ">>\n"                    \
	"%pp = tt.addptr %ps, %i : tensor<" #n "x!tt.ptr<" type ">>, tensor<" #n "xi32>\n"

static void masked_lanes_touch_nothing(void **state)
{
	(void)state;
	/* Active where the element of %m is not 0: a mask without any regularity. */
	const char *text =
		"module {\ntt.func public @kernel(%p: !tt.ptr<i32>, %q: !tt.ptr<i32>, %m: !tt.ptr<i8>) {\n" ADDRESS(64, "i32")
		"%ms = tt.splat %m : !tt.ptr<i8> -> tensor<64x!tt.ptr<i8>>\n"
		"%mp = tt.addptr %ms, %i : tensor<64x!tt.ptr<i8>>, tensor<64xi32>\n%mv = tt.load %mp : tensor<64x!tt.ptr<i8>>\n"
		"%z = arith.constant dense<0> : tensor<64xi8>\n%mask = arith.cmpi ne, %mv, %z : tensor<64xi8>\n"
		"%other = arith.constant dense<-7> : tensor<64xi32>\n"
		"%v = tt.load %pp, %mask, %other : tensor<64x!tt.ptr<i32>>\n"
		"%qs = tt.splat %q : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>\n"
		"%qp = tt.addptr %qs, %i : tensor<64x!tt.ptr<i32>>, tensor<64xi32>\n"
		"tt.store %qp, %v : tensor<64x!tt.ptr<i32>>\n"
		"tt.store %pp, %i, %mask : tensor<64x!tt.ptr<i32>>\ntt.return\n}\n}\n";
	for (int plain = 0; plain < 2; plain++) {
		/* Only 40 elements are there: the mask keeps the rest from being touched. */
		int32_t p[40], q[64];
		int8_t m[64];
		for (int i = 0; i < 64; i++)
			m[i] = i < 40 && (i * 7 % 5 < 2 || i == 39);
		for (int i = 0; i < 40; i++)
			p[i] = 100 + i;
		Kit *k = kit_new(text);
		kit_buffer(k, "p", p, sizeof p, true);
		kit_buffer(k, "q", q, sizeof q, true);
		kit_buffer(k, "m", m, sizeof m, false);
		k->launch.plain = plain;
		kit_run(k, 1);
		for (int i = 0; i < 64; i++) {
			assert_int_equal(q[i], m[i] ? 100 + i : -7);
			if (i < 40)
				assert_int_equal(p[i], m[i] ? i : 100 + i);
		}
		kit_free(k);
	}
}

static void gathers_and_strides(void **state)
{
	(void)state;
	/* rows of a table by index (listed), columns affine, stored transposed. */
	const char *text =
		"module {\ntt.func public @kernel(%t: !tt.ptr<f32>, %x: !tt.ptr<i64>, %o: !tt.ptr<f32>) {\n"
		"%r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>\n"
		"%c = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>\n"
		"%xs = tt.splat %x : !tt.ptr<i64> -> tensor<8x!tt.ptr<i64>>\n"
		"%xp = tt.addptr %xs, %r : tensor<8x!tt.ptr<i64>>, tensor<8xi32>\n%row = tt.load %xp : tensor<8x!tt.ptr<i64>>\n"
		"%row1 = tt.expand_dims %row {axis = 1 : i32} : tensor<8xi64> -> tensor<8x1xi64>\n"
		"%w = arith.constant dense<16> : tensor<8x1xi64>\n%off = arith.muli %row1, %w : tensor<8x1xi64>\n"
		"%ts = tt.splat %t : !tt.ptr<f32> -> tensor<8x1x!tt.ptr<f32>>\n"
		"%tp = tt.addptr %ts, %off : tensor<8x1x!tt.ptr<f32>>, tensor<8x1xi64>\n"
		"%tb = tt.broadcast %tp : tensor<8x1x!tt.ptr<f32>> -> tensor<8x16x!tt.ptr<f32>>\n"
		"%c1 = tt.expand_dims %c {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>\n"
		"%cb = tt.broadcast %c1 : tensor<1x16xi32> -> tensor<8x16xi32>\n"
		"%a = tt.addptr %tb, %cb : tensor<8x16x!tt.ptr<f32>>, tensor<8x16xi32>\n%v = tt.load %a : tensor<8x16x!tt.ptr<f32>>\n"
		"%r1 = tt.expand_dims %r {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>\n"
		"%rb = tt.broadcast %r1 : tensor<8x1xi32> -> tensor<8x16xi32>\n"
		"%w8 = arith.constant dense<8> : tensor<8x16xi32>\n%cs = arith.muli %cb, %w8 : tensor<8x16xi32>\n"
		"%oo = arith.addi %cs, %rb : tensor<8x16xi32>\n"
		"%os = tt.splat %o : !tt.ptr<f32> -> tensor<8x16x!tt.ptr<f32>>\n"
		"%op = tt.addptr %os, %oo : tensor<8x16x!tt.ptr<f32>>, tensor<8x16xi32>\n"
		"tt.store %op, %v : tensor<8x16x!tt.ptr<f32>>\ntt.return\n}\n}\n";
	static const int64_t rows[8] = {5, 0, 31, 31, 7, 2, 1, 30};
	for (int plain = 0; plain < 2; plain++) {
		float table[32 * 16], out[8 * 16];
		for (int i = 0; i < 32 * 16; i++)
			table[i] = (float)i;
		Kit *k = kit_new(text);
		kit_buffer(k, "t", table, sizeof table, false);
		kit_buffer(k, "x", (void *)(uintptr_t)rows, sizeof rows, false);
		kit_buffer(k, "o", out, sizeof out, true);
		k->launch.plain = plain;
		kit_run(k, 1);
		for (int r = 0; r < 8; r++)
			for (int c = 0; c < 16; c++)
				assert_true(out[c * 8 + r] == (float)(rows[r] * 16 + c));
		kit_free(k);
	}
}

static void block_pointers(void **state)
{
	(void)state;
	/* A block of 4 x 8 at (3, 4) of a 5 x 10 matrix, then advanced by (-2, -1); both stored. */
	const char *text =
		"module {\ntt.func public @kernel(%p: !tt.ptr<f32>, %o: !tt.ptr<f32>) {\n"
		"%h = arith.constant 5 : i64\n%w = arith.constant 10 : i64\n%one = arith.constant 1 : i64\n"
		"%w8 = arith.constant 8 : i64\n%h8 = arith.constant 8 : i64\n"
		"%y = arith.constant 3 : i32\n%x = arith.constant 4 : i32\n%dy = arith.constant -2 : i32\n%dx = arith.constant -5 : i32\n"
		"%z = arith.constant 0 : i32\n%four = arith.constant 4 : i32\n"
		"%b = tt.make_tensor_ptr %p, [%h, %w], [%w, %one], [%y, %x] {order = array<i32: 1, 0>} : <tensor<4x8xf32>>\n"
		"%v = tt.load %b {boundaryCheck = array<i32: 0, 1>, padding = 2 : i32} : !tt.ptr<tensor<4x8xf32>>\n"
		"%o0 = tt.make_tensor_ptr %o, [%h8, %w8], [%w8, %one], [%z, %z] {order = array<i32: 1, 0>} : <tensor<4x8xf32>>\n"
		"tt.store %o0, %v : !tt.ptr<tensor<4x8xf32>>\n"
		"%b2 = tt.advance %b, [%dy, %dx] : <tensor<4x8xf32>>\n"
		"%v2 = tt.load %b2 {boundaryCheck = array<i32: 0, 1>, padding = 1 : i32} : !tt.ptr<tensor<4x8xf32>>\n"
		"%o1 = tt.advance %o0, [%four, %z] : <tensor<4x8xf32>>\n"
		"tt.store %o1, %v2 : !tt.ptr<tensor<4x8xf32>>\ntt.return\n}\n}\n";
	float p[50], o[64];
	for (int i = 0; i < 50; i++)
		p[i] = (float)(i + 1);
	Kit *k = kit_new(text);
	kit_buffer(k, "p", p, sizeof p, false);
	kit_buffer(k, "o", o, sizeof o, true);
	kit_run(k, 1);
	for (int r = 0; r < 4; r++)
		for (int c = 0; c < 8; c++) {
			bool in = r + 3 < 5 && c + 4 < 10, in2 = r + 1 < 5 && c - 1 >= 0;
			if (in)
				assert_true(o[r * 8 + c] == p[(r + 3) * 10 + c + 4]);
			else
				assert_true(isnan(o[r * 8 + c]));
			assert_true(o[32 + r * 8 + c] == (in2 ? p[(r + 1) * 10 + c - 1] : 0));
		}
	kit_free(k);
}

static const char *const copy_text =
	"module {\ntt.func public @kernel(%p: !tt.ptr<i32>, %q: !tt.ptr<i32>) {\n" ADDRESS(32, "i32")
	"%v = tt.load %pp : tensor<32x!tt.ptr<i32>>\n"
	"%qs = tt.splat %q : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>\n"
	"%qp = tt.addptr %qs, %i : tensor<32x!tt.ptr<i32>>, tensor<32xi32>\n"
	"tt.store %qp, %v : tensor<32x!tt.ptr<i32>>\ntt.return\n}\n}\n";

static void read_only_memory_is_not_written(void **state)
{
	(void)state;
	int32_t p[32] = {0}, q[32];
	memset(q, 1, sizeof q);
	Kit *k = kit_new(copy_text);
	kit_buffer(k, "p", p, sizeof p, false);
	kit_buffer(k, "q", q, sizeof q, false);
	const Diag *d = kit_fails(k, 1);
	assert_int_equal(d->code, DIAG_RUN_READ_ONLY);
	assert_int_equal(d->from.line, 9);
	assert_non_null(strstr(d->text, "element [0]: 'q' is read-only"));
	for (int i = 0; i < 32; i++)
		assert_int_equal(q[i], 0x01010101);
	kit_free(k);
}

static void nothing_is_written_past_the_end(void **state)
{
	(void)state;
	int32_t p[32], q[64] = {0};
	for (int i = 0; i < 32; i++)
		p[i] = i + 1;
	Kit *k = kit_new(copy_text);
	kit_buffer(k, "p", p, sizeof p, false);
	kit_buffer(k, "q", q, 20 * 4 + 2, true);
	const Diag *d = kit_fails(k, 1);
	assert_int_equal(d->code, DIAG_RUN_OUT_OF_BOUNDS);
	assert_non_null(strstr(d->text, "store of 4 bytes"));
	assert_non_null(strstr(d->text, "element [20]: it passes the end of 'q' (82 bytes) by 2 bytes"));
	for (int i = 20; i < 64; i++)
		assert_int_equal(q[i], 0);
	kit_free(k);
}

/* x's end is y's start: only what a pointer was made from says that it went too far. */
static void neighbouring_buffers_are_told_apart(void **state)
{
	(void)state;
	int32_t memory[64] = {0}, q[32];
	Kit *k = kit_new(copy_text);
	kit_buffer(k, "x", memory, 16 * 4, false);
	kit_buffer(k, "q", q, sizeof q, true);
	k->buffers[k->launch.buffer_count++] = (InterpBuffer){"y", memory + 16, 48 * 4, true, false};
	const Diag *d = kit_fails(k, 1);
	assert_int_equal(d->code, DIAG_RUN_OUT_OF_BOUNDS);
	assert_non_null(strstr(d->text, "it passes the end of 'x' (64 bytes) by 4 bytes and reaches 'y'"));
	kit_free(k);
}

/* ---- atomics ---- */

static void atomics_of_all_types(void **state)
{
	(void)state;
	static const struct {
		const char *type, *op, *one;
		unsigned size;
		double start, want;
	} cases[] = {
		{"i32", "add", "3", 4, 5, 5 + 3.0 * 64 * 200}, {"i64", "add", "3", 8, 5, 5 + 3.0 * 64 * 200},
		{"i32", "max", "77", 4, 5, 77},	 {"i32", "umin", "2", 4, 5, 2},	   {"i32", "xor", "3", 4, 5, 5},
		{"i32", "or", "8", 4, 5, 13},	 {"i32", "and", "4", 4, 5, 4},	   {"i32", "exch", "9", 4, 5, 9},
		{"f32", "fadd", "1.0", 4, 2, 2 + 64 * 200},  {"f64", "fadd", "1.0", 8, 2, 2 + 64 * 200},
		{"f16", "fadd", "1.0", 2, 0, 2048}, {"bf16", "fadd", "1.0", 2, 0, 256},
	};
	for (size_t c = 0; c < ARRAY_LEN(cases); c++) {
		Arena arena;
		arena_init(&arena, 0);
		const char *t = cases[c].type;
		char *text = arena_printf(&arena,
			"module {\ntt.func public @kernel(%%p: !tt.ptr<%s>) {\n"
			"%%ps = tt.splat %%p : !tt.ptr<%s> -> tensor<64x!tt.ptr<%s>>\n"
			"%%v = arith.constant dense<%s> : tensor<64x%s>\n%%m = arith.constant dense<true> : tensor<64xi1>\n"
			"%%o = tt.atomic_rmw %s, acq_rel, gpu, %%ps, %%v, %%m : (tensor<64x!tt.ptr<%s>>, tensor<64x%s>, tensor<64xi1>) -> tensor<64x%s>\n"
			"tt.return\n}\n}\n",
			t, t, t, t[0] == 'i' ? cases[c].one : "1.000000e+00", t, cases[c].op, t, t, t);
		_Alignas(8) char cell[8] = {0};
		if (t[0] == 'i')
			memcpy(cell, &(int64_t){(int64_t)cases[c].start}, cases[c].size);
		else if (cases[c].size == 4)
			memcpy(cell, &(float){(float)cases[c].start}, 4);
		else if (cases[c].size == 8)
			memcpy(cell, &cases[c].start, 8);
		Kit *k = kit_new(text);
		kit_buffer(k, "p", cell, cases[c].size, true);
		k->launch.threads = 4;
		kit_run(k, 200);
		double got;
		uint16_t half;
		int64_t whole = 0;
		memcpy(&half, cell, 2);
		memcpy(&whole, cell, cases[c].size);
		if (t[0] == 'i')
			got = (double)(cases[c].size == 4 ? (int32_t)whole : whole);
		else if (strcmp(t, "f16") == 0)
			got = half == 0x6800 ? 2048 : -1; /* 2048 + 1 rounds to 2048 */
		else if (strcmp(t, "bf16") == 0)
			got = half == 0x4380 ? 256 : -1;
		else if (cases[c].size == 4)
			got = (double)*(float *)(void *)cell;
		else
			got = *(double *)(void *)cell;
		if (got != cases[c].want)
			fail_msg("%s %s: %g, want %g", t, cases[c].op, got, cases[c].want);
		kit_free(k);
		arena_free(&arena);
	}
}

static void misaligned_atomics(void **state)
{
	(void)state;
	_Alignas(8) char memory[16] = {0};
	Kit *k = kit_new("module {\ntt.func public @kernel(%p: !tt.ptr<i32>) {\n%v = arith.constant 1 : i32\n"
			 "%m = arith.constant true\n"
			 "%o = tt.atomic_rmw add, acq_rel, gpu, %p, %v, %m : (!tt.ptr<i32>, i32, i1) -> i32\ntt.return\n}\n}\n");
	k->buffers[k->launch.buffer_count++] = (InterpBuffer){"p", memory, 16, true, false};
	kit_scalar(k, (uint64_t)(uintptr_t)(memory + 2));
	const Diag *d = kit_fails(k, 1);
	assert_int_equal(d->code, DIAG_RUN_MISALIGNED);
	assert_int_equal(d->from.line, 5);
	kit_free(k);
}

/* ---- waiting ---- */

/* Program p waits until cell p holds 1, then sets cell p + step. Cell of the first one is set by the test. */
static const char *const chain_text =
	"module {\ntt.func public @kernel(%p: !tt.ptr<i32>, %step: i32) {\n"
	"%pid = tt.get_program_id x : i32\n%c0 = arith.constant 0 : i32\n%c1 = arith.constant 1 : i32\n%t = arith.constant true\n"
	"%mine = tt.addptr %p, %pid : !tt.ptr<i32>, i32\n"
	"scf.while : () -> () {\n"
	"%v = tt.atomic_cas acq_rel, gpu, %mine, %c1, %c1 : (!tt.ptr<i32>, i32, i32) -> i32\n"
	"%again = arith.cmpi eq, %v, %c0 : i32\nscf.condition(%again)\n} do {\nscf.yield\n}\n"
	"%next = arith.addi %pid, %step : i32\n%np = tt.addptr %p, %next : !tt.ptr<i32>, i32\n"
	"%old = tt.atomic_rmw exch, acq_rel, gpu, %np, %c1, %t : (!tt.ptr<i32>, i32, i1) -> i32\ntt.return\n}\n}\n";

static void programs_wait_for_later_ones(void **state)
{
	(void)state;
	enum { PROGRAMS = 300 };
	for (unsigned threads = 1; threads <= 4; threads += 3) {
		static int32_t cells[PROGRAMS + 2];
		memset(cells, 0, sizeof cells);
		cells[PROGRAMS] = 1; /* the last program may go */
		Kit *k = kit_new(chain_text);
		kit_scalar(k, (uint64_t)(uintptr_t)(cells + 1));
		k->buffers[k->launch.buffer_count++] = (InterpBuffer){"p", cells, sizeof cells, true, false};
		kit_scalar(k, UINT32_MAX);
		k->launch.threads = threads;
		kit_run(k, PROGRAMS);
		for (int i = 0; i <= PROGRAMS; i++)
			assert_int_equal(cells[i], 1);
		kit_free(k);
	}
}

static void a_deadlock_is_reported(void **state)
{
	(void)state;
	for (unsigned threads = 1; threads <= 4; threads += 3) {
		int32_t cells[40] = {0};
		cells[1] = 1;
		cells[20] = 0;
		Kit *k = kit_new(chain_text);
		kit_buffer(k, "p", cells, sizeof cells, true);
		kit_scalar(k, 2); /* 1 -> 3 -> 5 ...; the even ones wait for ever */
		k->launch.threads = threads;
		double start = os_now();
		const Diag *d = kit_fails(k, 30);
		assert_int_equal(d->code, DIAG_RUN_DEADLOCK);
		assert_int_equal(d->from.line, 8);
		assert_non_null(strstr(d->text, "program (0, 0, 0)"));
		assert_true(os_now() - start < 5);
		/* Programs 2, 4, ... 28: seven more by name, seven counted. */
		assert_string_equal(d->notes->text, "program (2, 0, 0) waits here");
		assert_int_equal(d->notes->from.line, 8);
		unsigned notes = 0;
		const Diag *last = NULL;
		for (const Diag *n = d->notes; n; n = n->next, notes++)
			last = n;
		assert_int_equal(notes, 8);
		assert_string_equal(last->text, "7 more programs wait");
		assert_int_equal(cells[31], 1);
		kit_free(k);
	}
}

/* Programs that several CTAs run: every CTA of every program stores its own numbers. */
static const char *const ctas_text =
	"module attributes {neso.cluster = 4 : i32} {\n"
	"tt.func public @kernel(%p: !tt.ptr<i32>) {\n"
	"%pid = tt.get_program_id x : i32\n%rank = gpu.cta_rank : i32\n"
	"%c4 = arith.constant 4 : i32\n%c10 = arith.constant 10 : i32\n"
	"%first = arith.muli %pid, %c4 : i32\n%cell = arith.addi %first, %rank : i32\n"
	"%tens = arith.muli %pid, %c10 : i32\n%v = arith.addi %tens, %rank : i32\n"
	"%q = tt.addptr %p, %cell : !tt.ptr<i32>, i32\ntt.store %q, %v : !tt.ptr<i32>\n"
	"tt.return\n}\n}\n";

static void ctas_of_a_program_follow_one_another(void **state)
{
	(void)state;
	enum { PROGRAMS = 5, CTAS = 4 };
	for (unsigned threads = 1; threads <= 4; threads += 3) {
		int32_t cells[PROGRAMS * CTAS] = {0};
		Kit *k = kit_new(ctas_text);
		kit_buffer(k, "p", cells, sizeof cells, true);
		k->launch.threads = threads;
		kit_run(k, PROGRAMS);
		for (int i = 0; i < PROGRAMS * CTAS; i++)
			assert_int_equal(cells[i], i / CTAS * 10 + i % CTAS);
		kit_free(k);
	}
}

/* Program 0 waits for a flag that program 1 would raise, had it not failed before: the failure is what is told. */
static void waiting_for_a_failed_program_is_no_deadlock(void **state)
{
	(void)state;
	int32_t cells[2] = {0, 0};
	Kit *k = kit_new("module {\ntt.func public @kernel(%p: !tt.ptr<i32>) {\n%pid = tt.get_program_id x : i32\n"
			 "%c0 = arith.constant 0 : i32\n%c1 = arith.constant 1 : i32\n%far = arith.constant 1000 : i32\n"
			 "%first = arith.cmpi eq, %pid, %c0 : i32\nscf.if %first {\nscf.while : () -> () {\n"
			 "%v = tt.load %p {isVolatile = true} : !tt.ptr<i32>\n%again = arith.cmpi eq, %v, %c0 : i32\n"
			 "scf.condition(%again)\n} do {\nscf.yield\n}\n} else {\n"
			 "%q = tt.addptr %p, %far : !tt.ptr<i32>, i32\ntt.store %q, %c1 : !tt.ptr<i32>\n"
			 "tt.store %p, %c1 : !tt.ptr<i32>\n}\ntt.return\n}\n}\n");
	kit_buffer(k, "p", cells, sizeof cells, true);
	const Diag *d = kit_fails(k, 2);
	assert_int_equal(d->code, DIAG_RUN_OUT_OF_BOUNDS);
	kit_free(k);
}

static void an_endless_loop_is_stopped(void **state)
{
	(void)state;
	Kit *k = kit_new("module {\ntt.func public @kernel(%p: !tt.ptr<i32>) {\n%c1 = arith.constant 1 : i32\n"
			 "%r = scf.while (%i = %c1) : (i32) -> i32 {\n%t = arith.cmpi ne, %i, %i : i32\n%u = arith.constant true\n"
			 "scf.condition(%u) %i : i32\n} do {\n^bb0(%j: i32):\n%n = arith.addi %j, %c1 : i32\nscf.yield %n : i32\n}\n"
			 "tt.store %p, %r : !tt.ptr<i32>\ntt.return\n}\n}\n");
	int32_t cell = 0;
	kit_buffer(k, "p", &cell, 4, true);
	k->launch.timeout = 0.05;
	const Diag *d = kit_fails(k, 3);
	assert_int_equal(d->code, DIAG_RUN_TIMEOUT);
	assert_int_equal(d->from.line, 4);
	kit_free(k);
}

/* The third question is answered with no. */
static bool goes_on_twice(void *data)
{
	return ++*(unsigned *)data < 3;
}

static void the_host_ends_a_launch(void **state)
{
	(void)state;
	unsigned asked = 0;
	Kit *k = kit_new("module {\ntt.func public @kernel(%p: !tt.ptr<i32>) {\n%c1 = arith.constant 1 : i32\n"
			 "%r = scf.while (%i = %c1) : (i32) -> i32 {\n%t = arith.cmpi ne, %i, %i : i32\n%u = arith.constant true\n"
			 "scf.condition(%u) %i : i32\n} do {\n^bb0(%j: i32):\n%n = arith.addi %j, %c1 : i32\nscf.yield %n : i32\n}\n"
			 "tt.store %p, %r : !tt.ptr<i32>\ntt.return\n}\n}\n");
	int32_t cell = 0;
	kit_buffer(k, "p", &cell, 4, true);
	k->launch.poll = goes_on_twice;
	k->launch.poll_data = &asked;
	const Diag *d = kit_fails(k, 1);
	assert_int_equal(d->code, DIAG_RUN_STOPPED);
	assert_int_equal(d->from.line, 4);
	assert_int_equal(asked, 3);
	assert_int_equal(cell, 0);
	asked = 0;
	d = kit_fails(k, 64);
	assert_int_equal(d->code, DIAG_RUN_STOPPED);
	assert_int_equal(asked, 3);
	kit_free(k);
}

/* Programs that are short, but without end in number. */
static void the_host_ends_a_launch_between_programs(void **state)
{
	(void)state;
	unsigned asked = 0;
	Kit *k = kit_new("module {\ntt.func public @kernel(%p: !tt.ptr<i32>) {\n%c1 = arith.constant 1 : i32\n"
			 "%t = arith.constant true\n"
			 "%r = tt.atomic_rmw or, relaxed, gpu, %p, %c1, %t : "
			 "(!tt.ptr<i32>, i32, i1) -> i32\ntt.return\n}\n}\n");
	int32_t cell = 0;
	kit_buffer(k, "p", &cell, 4, true);
	k->launch.poll = goes_on_twice;
	k->launch.poll_data = &asked;
	const Diag *d = kit_fails(k, UINT32_MAX);
	assert_int_equal(d->code, DIAG_RUN_STOPPED);
	assert_int_equal(asked, 3);
	assert_int_equal(cell, 1);
	kit_free(k);
}

/* ---- printing, assertions ---- */

static void printing(void **state)
{
	(void)state;
	Kit *k = kit_new("module {\ntt.func public @kernel(%f: f32) {\n"
			 "%i = tt.make_range {end = 12 : i32, start = 0 : i32} : tensor<12xi32>\n"
			 "%c = arith.constant dense<-5> : tensor<12xi32>\n%v = arith.addi %i, %c : tensor<12xi32>\n"
			 "tt.print \" v: \" {hex = false, isSigned = array<i32: 1>} : %v : tensor<12xi32>\n"
			 "tt.print \" x: \" {hex = true, isSigned = array<i32: 1, 0>} : %v, %f : tensor<12xi32>, f32\n"
			 "tt.return\n}\n}\n");
	uint32_t bits;
	memcpy(&bits, &(float){2.5f}, 4);
	kit_scalar(k, bits);
	kit_run(k, 1);
	assert_non_null(strstr(k->printed.data, "pid (0, 0, 0) idx ( 0) v: -5\npid (0, 0, 0) idx ( 1) v: -4\n"));
	assert_non_null(strstr(k->printed.data, "pid (0, 0, 0) idx (11) v: 6\n"));
	assert_non_null(strstr(k->printed.data, "pid (0, 0, 0) idx ( 0) x: (operand 0) 0xfffffffb\n"));
	assert_non_null(strstr(k->printed.data, "pid (0, 0, 0) idx () x: (operand 1) 0x40200000\n"));
	kit_free(k);
}

static void assertions(void **state)
{
	(void)state;
	Kit *k = kit_new("module {\ntt.func public @kernel(%n: i32) {\n"
			 "%i = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>\n"
			 "%s = tt.splat %n : i32 -> tensor<32xi32>\n%m = arith.cmpi slt, %i, %s : tensor<32xi32>\n"
			 "tt.assert %m, \"too few\" : tensor<32xi1>\ntt.return\n}\n}\n");
	kit_scalar(k, 20);
	const Diag *d = kit_fails(k, 2);
	assert_int_equal(d->code, DIAG_RUN_ASSERT);
	assert_int_equal(d->from.line, 6);
	assert_non_null(strstr(d->text, "too few in element [20]; kernel 'kernel', program (0, 0, 0)"));
	kit_free(k);
}

static void wrong_launches(void **state)
{
	(void)state;
	Kit *k = kit_new(copy_text);
	const Diag *d = kit_fails(k, 1);
	assert_int_equal(d->code, DIAG_RUN_ARGUMENT);
	kit_free(k);
	k = kit_try(copy_text, "other");
	assert_null(k->kernel);
	assert_int_equal(k->diags.first->code, DIAG_RUN_NO_KERNEL);
	kit_free(k);
}

/* Such a kernel can be prepared; the program that gets there fails. */
static void unknown_functions_fail_when_reached(void **state)
{
	(void)state;
	Kit *k = kit_new("module {\ntt.func public @kernel(%x: f32) {\n"
			 "%y = tt.extern_elementwise %x {libname = \"\", libpath = \"\", pure = true, symbol = \"__nv_nothing\"} : (f32) -> f32\n"
			 "tt.return\n}\n}\n");
	kit_scalar(k, 0);
	const Diag *d = kit_fails(k, 1);
	assert_int_equal(d->code, DIAG_RUN_UNSUPPORTED);
	assert_int_equal(d->from.line, 3);
	kit_free(k);
	k = kit_new("module {\ntt.func public @kernel(%x: f32) {\n"
		    "%y = tt.elementwise_inline_asm \"wgmma.fence $0, $1;\" {constraints = \"=r,r\", packed_element = 1 : i32, pure = true} %x : f32 -> f32\n"
		    "tt.return\n}\n}\n");
	kit_scalar(k, 0);
	d = kit_fails(k, 1);
	assert_int_equal(d->code, DIAG_RUN_UNSUPPORTED);
	assert_int_equal(d->from.line, 3);
	assert_non_null(strstr(d->text, "unknown instruction 'wgmma.fence'"));
	kit_free(k);
}

static void loops_calls_and_bad_steps(void **state)
{
	(void)state;
	/* Fibonacci numbers by a loop that swaps what it carries, in a function that is called twice. */
	const char *text =
		"module {\ntt.func public @kernel(%p: !tt.ptr<i32>, %n: i32, %step: i32) {\n"
		"%c0 = arith.constant 0 : i32\n%c1 = arith.constant 1 : i32\n"
		"%a = tt.call @fib(%n, %step) : (i32, i32) -> i32\n%m = arith.addi %n, %c1 : i32\n"
		"%b = tt.call @fib(%m, %step) : (i32, i32) -> i32\n"
		"tt.store %p, %a : !tt.ptr<i32>\n%q = tt.addptr %p, %c1 : !tt.ptr<i32>, i32\ntt.store %q, %b : !tt.ptr<i32>\n"
		"tt.return\n}\n"
		"tt.func private @fib(%n: i32, %step: i32) -> i32 {\n%c0 = arith.constant 0 : i32\n%c1 = arith.constant 1 : i32\n"
		"%r:2 = scf.for %i = %c0 to %n step %step iter_args(%x = %c0, %y = %c1) -> (i32, i32) : i32 {\n"
		"%z = arith.addi %x, %y : i32\nscf.yield %y, %z : i32, i32\n}\ntt.return %r#0 : i32\n}\n}\n";
	int32_t p[2];
	Kit *k = kit_new(text);
	kit_buffer(k, "p", p, sizeof p, true);
	kit_scalar(k, 10);
	kit_scalar(k, 1);
	kit_run(k, 1);
	assert_int_equal(p[0], 55);
	assert_int_equal(p[1], 89);
	k->args[2].bits = 0;
	const Diag *d = kit_fails(k, 1);
	assert_int_equal(d->code, DIAG_RUN_STEP);
	kit_free(k);
}

static void indices_of_gather_are_checked(void **state)
{
	(void)state;
	Kit *k = kit_new("module {\ntt.func public @kernel(%n: i32) {\n"
			 "%i = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>\n"
			 "%s = tt.splat %n : i32 -> tensor<8xi32>\n%j = arith.addi %i, %s : tensor<8xi32>\n"
			 "%g = tt.gather %i[%j] {axis = 0 : i32} : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>\n"
			 "tt.print \" g: \" {hex = false, isSigned = array<i32: 1>} : %g : tensor<8xi32>\ntt.return\n}\n}\n");
	kit_scalar(k, 3);
	const Diag *d = kit_fails(k, 1);
	assert_int_equal(d->code, DIAG_RUN_INDEX);
	assert_non_null(strstr(d->text, "element [5]"));
	kit_free(k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(masked_lanes_touch_nothing),
		cmocka_unit_test(gathers_and_strides),
		cmocka_unit_test(block_pointers),
		cmocka_unit_test(read_only_memory_is_not_written),
		cmocka_unit_test(nothing_is_written_past_the_end),
		cmocka_unit_test(neighbouring_buffers_are_told_apart),
		cmocka_unit_test(atomics_of_all_types),
		cmocka_unit_test(misaligned_atomics),
		cmocka_unit_test(programs_wait_for_later_ones),
		cmocka_unit_test(a_deadlock_is_reported),
		cmocka_unit_test(ctas_of_a_program_follow_one_another),
		cmocka_unit_test(waiting_for_a_failed_program_is_no_deadlock),
		cmocka_unit_test(an_endless_loop_is_stopped),
		cmocka_unit_test(the_host_ends_a_launch),
		cmocka_unit_test(the_host_ends_a_launch_between_programs),
		cmocka_unit_test(printing),
		cmocka_unit_test(assertions),
		cmocka_unit_test(wrong_launches),
		cmocka_unit_test(unknown_functions_fail_when_reached),
		cmocka_unit_test(loops_calls_and_bad_steps),
		cmocka_unit_test(indices_of_gather_are_checked),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
