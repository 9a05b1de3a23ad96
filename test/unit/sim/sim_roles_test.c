/* Warps with roles in the simulator: registers that move between warp groups, and turns that are
 * handed on at named barriers. */
#include "needs_llvm.h"

#ifdef NESO_HAVE_LLVM

#include "sim_kit.h"

static _Alignas(128) uint32_t out[256];

/* %low: the first warp group; %mine: a word of shared memory for each thread of a group. */
static const char head[] =
	"target triple = \"nvptx64-nvidia-cuda\"\n"
	"@smem = external addrspace(3) global [0 x i8], align 1024\n"
	"declare i32 @neso.tid_x()\n"
	"declare void @neso.barrier() convergent\n"
	"declare void @neso.setmaxnreg.dec.40() convergent\n"
	"declare void @neso.setmaxnreg.dec.32() convergent\n"
	"declare void @neso.setmaxnreg.dec.200() convergent\n"
	"declare void @neso.setmaxnreg.inc.64() convergent\n"
	"declare void @neso.setmaxnreg.inc.160() convergent\n"
	"declare void @neso.setmaxnreg.inc.216() convergent\n"
	"declare void @neso.setmaxnreg.inc.224() convergent\n"
	"declare void @neso.setmaxnreg.inc.30() convergent\n"
	"declare void @neso.setmaxnreg.dec.16() convergent\n"
	"declare void @neso.setmaxnreg.inc.264() convergent\n"
	"declare void @neso.named_barrier(i32, i32) convergent\n"
	"declare void @neso.named_arrive(i32, i32) convergent\n"
	"declare void @neso.st_global.v1b32(ptr addrspace(1), i1, i32)\n"
	"define ptx_kernel void @k(ptr addrspace(1) %out, i32 %no) \"neso\"=\"kernel=k args=p4 threads=";
static const char begin[] = " {\n"
			    "entry:\n"
			    "  %t = call i32 @neso.tid_x()\n"
			    "  %to = getelementptr i32, ptr addrspace(1) %out, i32 %t\n"
			    "  %in = and i32 %t, 127\n"
			    "  %mine = getelementptr i32, ptr addrspace(3) @smem, i32 %in\n"
			    "  %warp = lshr i32 %t, 5\n"
			    "  %third = icmp eq i32 %warp, 3\n"
			    "  %low = icmp slt i32 %t, 128\n";

/* LLVM from 21 on reads this as an attribute. */
#define LIMIT "!nvvm.annotations = !{!0}\n!0 = !{ptr @k, !\"maxnreg\", i32 128}\n"

static CodegenResult *run(unsigned threads, const char *limit, const char *body, uint64_t seed)
{
	Arena arena;
	SimBuffer buffers[] = {{"out", out, sizeof out, true}};
	arena_init(&arena, 0);
	memset(out, 0, sizeof out);
	const char *text = arena_printf(&arena,
					"%s%u shared=1024 cluster=1 scratch=0 scratch_align=0 print=0 "
					"assert=0\"%s%s  ret void\n}\n%s",
					head, threads, begin, body, limit);
	CodegenResult *result = sim_kit_run(text, (uint64_t)(uintptr_t)out, 0, buffers, 1, true, seed);
	arena_free(&arena);
	return result;
}

#define GROUPS(first, second)                                                                                \
	"  br i1 %low, label %a, label %b\na:\n" first "  br label %z\nb:\n" second "  br label %z\nz:\n"
#define CALL(name) "  call void @neso." name "()\n"
#define MOVE(name) CALL("setmaxnreg." name)

static void test_registers(void **state)
{
	static const struct {
		unsigned threads;
		const char *limit, *body, *code, *text;
	} wrong[] = {
		/* 128 of 8 warps: when 4 go on with 40, 88 more are left for the others: 216. */
		{256, LIMIT, GROUPS(MOVE("inc.224"), MOVE("dec.40")), "RUN_DEADLOCK",
		 "warp 3 waits for 3072 registers, of which its CTA has 2048 to give"},
		{256, LIMIT, GROUPS(MOVE("inc.216"), ""), "RUN_DEADLOCK",
		 "warp 0 waits for 2816 registers, of which its CTA has 0 to give"},
		{256, "", GROUPS(MOVE("inc.216"), MOVE("dec.40")), "SIM_REGISTERS",
		 "the kernel has no limit of registers"},
		{192, LIMIT, GROUPS(MOVE("inc.160"), MOVE("dec.40")), "SIM_REGISTERS",
		 "its group has 2 warps, and it is for groups of 4"},
		{256, LIMIT, GROUPS("", MOVE("dec.200")), "SIM_REGISTERS",
		 "dec to 200 registers of threads that have 128"},
		{256, LIMIT, GROUPS(MOVE("inc.64"), MOVE("dec.40")), "SIM_REGISTERS",
		 "inc to 64 registers of threads that have 128"},
		{256, LIMIT, "  br i1 %third, label %a, label %z\na:\n" MOVE("dec.40") "  br label %z\nz:\n",
		 "SIM_REGISTERS", "warp 0 of the group does not come to it"},
		{256, LIMIT,
		 "  br i1 %third, label %a, label %b\na:\n" MOVE("dec.40") "  br label %z\nb:\n" MOVE(
			 "dec.32") "  br label %z\nz:\n",
		 "SIM_REGISTERS", "where warp"},
		{256, LIMIT, MOVE("dec.40") MOVE("dec.32"), "SIM_REGISTERS", "it has not met warp"},
		{256, LIMIT, MOVE("inc.30"), "RUN_UNSUPPORTED", "to 24 to 256 registers in eights"},
		{256, LIMIT, MOVE("dec.16"), "RUN_UNSUPPORTED", "to 24 to 256 registers in eights"},
		{256, LIMIT, MOVE("inc.264"), "RUN_UNSUPPORTED", "to 24 to 256 registers in eights"},
	};
	static const char *const right[] = {
		GROUPS(MOVE("inc.216"), MOVE("dec.40")), GROUPS("", MOVE("dec.40")),
		MOVE("dec.40") CALL("barrier") MOVE("dec.32") CALL("barrier") MOVE("inc.64")};
	for (size_t k = 0; k < ARRAY_LEN(wrong); k++)
		sim_kit_found(run(wrong[k].threads, wrong[k].limit, wrong[k].body, 0), wrong[k].code,
			      wrong[k].text);
	for (size_t k = 0; k < ARRAY_LEN(right); k++)
		for (uint64_t seed = 0; seed < 3; seed++)
			sim_kit_clean(run(256, LIMIT, right[k], seed));
}

/* Two groups that take turns: who has the turn adds to each word. The barriers are 1 for the first
 * group and 2 for the second one. */
#define WAIT(number) "  call void @neso.named_barrier(i32 " number ", i32 256)\n"
#define HAND(number) "  call void @neso.named_arrive(i32 " number ", i32 256)\n"
#define ADD(v)                                                                                               \
	"  %" v " = load i32, ptr addrspace(3) %mine\n  %" v ".1 = add i32 %" v ", 1\n  store i32 %" v       \
	".1, ptr addrspace(3) %mine\n"
#define PUT                                                                                                  \
	"  %x = load i32, ptr addrspace(3) %mine\n  call void @neso.st_global.v1b32(ptr addrspace(1) %to, "  \
	"i1 true, i32 %x)\n"
#define FIRST_MAKES "  store i32 0, ptr addrspace(3) %mine\n"

static void test_turns(void **state)
{
	static const char right[] =
		GROUPS(FIRST_MAKES WAIT("1") ADD("v.a") HAND("2") WAIT("1") ADD("v.c") HAND("2"),
		       HAND("1") WAIT("2") ADD("v.b") HAND("1") WAIT("2") PUT);
	static const struct {
		const char *body, *code, *text;
	} wrong[] = {
		/* the turn is not handed on */
		{GROUPS(FIRST_MAKES WAIT("1") ADD("v.a") WAIT("1") ADD("v.c") HAND("2"),
			HAND("1") WAIT("2") ADD("v.b") HAND("1") WAIT("2") PUT),
		 "RUN_DEADLOCK", "waits in this loop"},
		/* nobody has the first one */
		{GROUPS(FIRST_MAKES WAIT("1") ADD("v.a") HAND("2"),
			WAIT("2") ADD("v.b") HAND("1") WAIT("2") PUT),
		 "RUN_DEADLOCK", "waits in this loop"},
		/* handed on before the work is done */
		{GROUPS(FIRST_MAKES WAIT("1") HAND("2") ADD("v.a") WAIT("1") ADD("v.c") HAND("2"),
			HAND("1") WAIT("2") ADD("v.b") HAND("1") WAIT("2") PUT),
		 "SIM_RACE", "have no barrier between them"},
		/* both are at one barrier: who hands it on twice opens it alone */
		{GROUPS(FIRST_MAKES WAIT("1") ADD("v.a") HAND("2"), HAND("1") HAND("1") WAIT("2") PUT),
		 "SIM_NAMED", "the warp comes twice before 256 threads have come"},
		/* for one group's threads, and not for both */
		{GROUPS(FIRST_MAKES "  call void @neso.named_barrier(i32 1, i32 128)\n" ADD("v.a") HAND("2"),
			HAND("2") WAIT("2") PUT),
		 "SIM_NAMED", "the warp comes twice"},
		{GROUPS(FIRST_MAKES "  call void @neso.named_barrier(i32 1, i32 128)\n" ADD("v.a"),
			"  call void @neso.named_arrive(i32 1, i32 128)\n  call void @neso.named_barrier(i32 "
			"2, i32 128)\n" PUT),
		 "SIM_RACE", "have no barrier between them"},
		{GROUPS(FIRST_MAKES WAIT("1") ADD("v.a"), "  call void @neso.named_arrive(i32 1, i32 128)\n"),
		 "SIM_NAMED", "where who came before said"},
	};
	for (uint64_t seed = 0; seed < 4; seed++) {
		sim_kit_clean(run(256, "", right, seed));
		for (unsigned i = 128; i < 256; i++)
			assert_int_equal(out[i], 3);
		for (size_t k = 0; k < ARRAY_LEN(wrong); k++)
			sim_kit_found(run(256, "", wrong[k].body, seed), wrong[k].code, wrong[k].text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_registers), cmocka_unit_test(test_turns)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
