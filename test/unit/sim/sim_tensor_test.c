/* Copies by tensor maps, and warps with roles, in the simulator: what they do, planted faults and clean twins, and their PTX. */
#include "needs_llvm.h"

#ifdef NESO_HAVE_LLVM

#include "sim_kit.h"

enum { WORDS = 4096, TENSOR = 1 << 14, DATA = 1024 };

static _Alignas(128) uint32_t out[WORDS];
static _Alignas(128) uint8_t tensor[TENSOR];
static _Alignas(64) SimTensorMap map;

/* Two warps. %b: a barrier for one thread; %data; %first is thread 0. */
static const char head[] =
	"target triple = \"nvptx64-nvidia-cuda\"\n"
	"@smem = external addrspace(3) global [0 x i8], align 1024\n"
	"declare i32 @neso.tid_x()\n"
	"declare i1 @neso.elect(i32) convergent\n"
	"declare void @neso.setmaxnreg.dec.40() convergent\n"
	"declare void @neso.barrier() convergent\n"
	"declare void @neso.named_barrier(i32, i32) convergent\n"
	"declare void @neso.named_arrive(i32, i32) convergent\n"
	"declare void @neso.mbarrier_init(ptr addrspace(3), i32) convergent\n"
	"declare void @neso.mbarrier_expect_tx(ptr addrspace(3), i32) convergent\n"
	"declare void @neso.mbarrier_wait(ptr addrspace(3), i32) convergent\n"
	"declare void @neso.fence_async() convergent\n"
	"declare void @neso.tensor_prefetch(ptr) convergent\n"
	"declare void @neso.tensor_load.1d(ptr addrspace(3), ptr, i32, ptr addrspace(3)) convergent\n"
	"declare void @neso.tensor_load.2d(ptr addrspace(3), ptr, i32, i32, ptr addrspace(3)) convergent\n"
	"declare void @neso.tensor_load.3d(ptr addrspace(3), ptr, i32, i32, i32, ptr addrspace(3)) convergent\n"
	"declare void @neso.tensor_load.4d(ptr addrspace(3), ptr, i32, i32, i32, i32, ptr addrspace(3)) convergent\n"
	"declare void @neso.tensor_load.5d(ptr addrspace(3), ptr, i32, i32, i32, i32, i32, ptr addrspace(3)) convergent\n"
	"declare void @neso.tensor_store.1d(ptr, i32, ptr addrspace(3)) convergent\n"
	"declare void @neso.tensor_store.2d(ptr, i32, i32, ptr addrspace(3)) convergent\n"
	"declare void @neso.tensor_store.3d(ptr, i32, i32, i32, ptr addrspace(3)) convergent\n"
	"declare void @neso.tensor_reduce.1d.add(ptr, i32, ptr addrspace(3)) convergent\n"
	"declare void @neso.tensor_reduce.1d.min(ptr, i32, ptr addrspace(3)) convergent\n"
	"declare void @neso.tensor_reduce.1d.xor(ptr, i32, ptr addrspace(3)) convergent\n"
	"declare void @neso.mbarrier_inval(ptr addrspace(3)) convergent\n"
	"declare void @neso.fence_async_all() convergent\n"
	"declare void @neso.bulk_commit() convergent\n"
	"declare void @neso.bulk_wait.0() convergent\n"
	"declare void @neso.bulk_wait.1() convergent\n"
	"declare void @neso.bulk_wait.read.0() convergent\n"
	"declare void @neso.st_global.v1b32(ptr addrspace(1), i1, i32)\n"
	"declare i32 @neso.ld_global.v1b32(ptr addrspace(1), i1)\n"
	"define ptx_kernel void @k(ptr addrspace(1) %out, ptr byval([128 x i8]) align 64 %map) \"neso\"=\"kernel=k args=pt threads=64 "
	"shared=20480 cluster=1 scratch=0 scratch_align=0 print=0 assert=0\" {\n"
	"entry:\n"
	"  %b = getelementptr i8, ptr addrspace(3) @smem, i32 0\n"
	"  %data = getelementptr i8, ptr addrspace(3) @smem, i32 1024\n"
	"  %t = call i32 @neso.tid_x()\n"
	"  %to = getelementptr i32, ptr addrspace(1) %out, i32 %t\n"
	"  %mine = getelementptr i32, ptr addrspace(3) %data, i32 %t\n"
	"  %other = xor i32 %t, 32\n"
	"  %there = getelementptr i32, ptr addrspace(3) %data, i32 %other\n"
	"  %first = icmp eq i32 %t, 0\n"
	"  %low = icmp slt i32 %t, 32\n";

#define FIRST(name, body) "  br i1 %first, label %" name ", label %" name ".end\n" name ":\n" body "  br label %" name ".end\n" name ".end:\n"
/* In a format. */
#define FIRST_F(name, body) \
	"  br i1 %%first, label %%" name ", label %%" name ".end\n" name ":\n" body "  br label %%" name ".end\n" name ".end:\n"
#define PUT(v) "  call void @neso.st_global.v1b32(ptr addrspace(1) %to, i1 true, i32 " v ")\n"

typedef struct Case {
	unsigned rank, element, swizzle, fill;
	uint32_t dims[5], box[5];
	uint8_t steps[5];
	int32_t at[5];
} Case;

static const Case cases[] = {
	{1, 4, 0, 0, {100}, {64}, {1}, {8}},
	{1, 4, 0, 1, {100}, {64}, {1}, {72}},             /* past the end */
	{1, 1, 0, 0, {200}, {96}, {1}, {-16}},            /* before the start */
	{1, 2, 0, 0, {200}, {64}, {2}, {8}},              /* each second one */
	{2, 2, 128, 0, {64, 32}, {64, 16}, {1, 1}, {0, 4}},
	{2, 2, 128, 2, {70, 20}, {64, 16}, {1, 1}, {16, 8}},
	{2, 2, 64, 1, {64, 32}, {32, 16}, {1, 1}, {32, 20}},
	{2, 4, 32, 0, {64, 32}, {8, 32}, {1, 1}, {-4, -2}},
	{2, 4, 0, 0, {64, 32}, {16, 8}, {1, 3}, {4, 5}},
	{2, 8, 128, 0, {16, 16}, {16, 8}, {1, 1}, {0, 8}},
	{3, 2, 64, 1, {32, 8, 6}, {32, 4, 3}, {1, 1, 1}, {0, 6, 4}},
	{4, 4, 0, 0, {8, 4, 3, 5}, {8, 2, 2, 3}, {1, 1, 1, 1}, {0, 3, -1, 1}},
	{5, 2, 32, 0, {16, 3, 4, 2, 3}, {16, 2, 2, 2, 2}, {1, 1, 1, 1, 1}, {0, 2, 1, 0, 2}},
};

static void make_map(const Case *c)
{
	map = (SimTensorMap){.magic = SIM_TENSOR_MAP, .rank = (uint8_t)c->rank, .element = (uint8_t)c->element,
				 .swizzle = (uint8_t)c->swizzle, .fill = (uint8_t)c->fill, .address = (uint64_t)(uintptr_t)tensor};
	uint64_t stride = (c->dims[0] * c->element + 31) / 16 * 16; /* rows with a gap */
	for (unsigned d = 0; d < c->rank; d++) {
		map.dims[d] = c->dims[d];
		map.box[d] = (uint16_t)c->box[d];
		map.steps[d] = c->steps[d];
		if (d + 1 < c->rank)
			map.strides[d] = stride;
		stride *= d + 1 < c->rank ? c->dims[d + 1] : 1;
	}
	assert_true(stride <= TENSOR);
}

static unsigned count_of(const Case *c, unsigned d)
{
	return (c->box[d] + c->steps[d] - 1u) / c->steps[d];
}

static unsigned bytes_of(const Case *c)
{
	unsigned bytes = c->element;
	for (unsigned d = 0; d < c->rank; d++)
		bytes *= count_of(c, d);
	return bytes;
}

/* Where element `n` of the box is: in shared memory from DATA on, and in the tensor (-1: outside). */
static void places(const Case *c, unsigned n, unsigned *shared, long *global)
{
	unsigned at = DATA + n * c->element, line = at / 128, part = at / 16 % 8, parts = c->swizzle / 16;
	if (parts)
		part ^= line % parts;
	*shared = line * 128 + part * 16 + at % 16;
	*global = 0;
	for (unsigned d = 0; d < c->rank; d++) {
		long x = c->at[d] + (long)(n % count_of(c, d)) * c->steps[d];
		n /= count_of(c, d);
		if (x < 0 || x >= (long)c->dims[d])
			*global = -(1L << 40);
		*global += x * (long)(d ? map.strides[d - 1] : c->element);
	}
	*global = *global < 0 ? -1 : *global;
}

static CodegenResult *run(const char *body, bool check, uint64_t seed)
{
	Arena arena;
	arena_init(&arena, 0);
	SimBuffer buffers[] = {{"out", out, sizeof out, true}, {"tensor", tensor, sizeof tensor, true}};
	CodegenResult *result = sim_kit_run(arena_printf(&arena, "%s%s  ret void\n}\n", head, body), (uint64_t)(uintptr_t)out,
					    (uint64_t)(uintptr_t)&map, buffers, 2, check, seed);
	arena_free(&arena);
	return result;
}

static const char *coordinates(Arena *arena, const Case *c)
{
	Text t;
	text_init(&t, arena);
	for (unsigned d = 0; d < c->rank; d++)
		text_printf(&t, ", i32 %d", c->at[d]);
	return t.data;
}

/* Loads the box; the threads copy all bytes of it to out. */
static const char *load_body(Arena *arena, const Case *c, const char *wait)
{
	Text t;
	text_init(&t, arena);
	text_printf(&t, FIRST_F("make", "  call void @neso.mbarrier_init(ptr addrspace(3) %%b, i32 1)\n  call void @neso.fence_async()\n")
			"  call void @neso.barrier()\n"
			FIRST_F("load", "  call void @neso.tensor_prefetch(ptr %%map)\n  call void @neso.mbarrier_expect_tx(ptr addrspace(3) %%b, i32 %u)\n"
				      "  call void @neso.tensor_load.%ud(ptr addrspace(3) %%data, ptr %%map%s, ptr addrspace(3) %%b)\n")
			"%s", bytes_of(c), c->rank, coordinates(arena, c), wait);
	for (unsigned n = 0; n * 256 < bytes_of(c); n++) {
		text_printf(&t, "  %%p%u = getelementptr i8, ptr addrspace(3) %%mine, i32 %u\n  %%in%u = icmp slt i32 %%t, %u\n"
				"  br i1 %%in%u, label %%a%u, label %%z%u\na%u:\n  %%v%u = load i32, ptr addrspace(3) %%p%u\n"
				"  %%q%u = getelementptr i8, ptr addrspace(1) %%to, i32 %u\n"
				"  call void @neso.st_global.v1b32(ptr addrspace(1) %%q%u, i1 true, i32 %%v%u)\n  br label %%z%u\nz%u:\n",
			    n, n * 256, n, (bytes_of(c) - n * 256) / 4, n, n, n, n, n, n, n, n * 256, n, n, n, n);
	}
	return t.data;
}

#define WAIT_F "  call void @neso.mbarrier_wait(ptr addrspace(3) %%b, i32 0)\n"
#define WAIT "  call void @neso.mbarrier_wait(ptr addrspace(3) %b, i32 0)\n"

static void fill_tensor(void)
{
	for (unsigned k = 0; k < TENSOR; k++)
		tensor[k] = (uint8_t)(k * 37 + k / 256 * 11 + 1);
}

static void test_loads(void **state)
{
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		const Case *c = &cases[k];
		Arena arena;
		arena_init(&arena, 0);
		for (unsigned n = 0; n < 4; n++) {
			make_map(c);
			fill_tensor();
			memset(out, 0, sizeof out);
			sim_kit_clean(run(load_body(&arena, c, WAIT), n & 1, n / 2));
			for (unsigned e = 0; e < bytes_of(c) / c->element; e++) {
				static const uint64_t nan[] = {0, 0, 0x7fff, 0, 0x7fffffff, 0, 0, 0, 0x7fffffffffffffff};
				uint64_t wanted = c->fill ? nan[c->element] : 0;
				unsigned shared;
				long global;
				places(c, e, &shared, &global);
				if (global >= 0)
					memcpy(&wanted, tensor + global, c->element);
				assert_memory_equal((uint8_t *)out + shared - DATA, &wanted, c->element);
			}
		}
		sim_kit_found(run(load_body(&arena, c, ""), true, 0), "SIM_WAIT", "while the copy of");
		arena_free(&arena);
	}
}

/* The threads write the box, and the first one stores it. */
static const char *store_body(Arena *arena, const Case *c, const char *before, const char *after)
{
	Text t;
	text_init(&t, arena);
	text_str(&t, "  %x = mul i32 %t, 16909321\n");
	for (unsigned n = 0; n * 256 < bytes_of(c); n++)
		text_printf(&t, "  %%p%u = getelementptr i8, ptr addrspace(3) %%mine, i32 %u\n  %%v%u = add i32 %%x, %u\n"
				"  store i32 %%v%u, ptr addrspace(3) %%p%u\n", n, n * 256, n, n * 77, n, n);
	text_printf(&t, "%s  call void @neso.barrier()\n"
			FIRST_F("put", "  call void @neso.tensor_store.%ud(ptr %%map%s, ptr addrspace(3) %%data)\n%s"),
		    before, c->rank, coordinates(arena, c), after);
	return t.data;
}

#define FENCE "  call void @neso.fence_async()\n"
#define COMMIT "  call void @neso.bulk_commit()\n"

static void test_stores(void **state)
{
	static const size_t which[] = {0, 4, 6, 10};
	for (size_t k = 0; k < sizeof which / sizeof *which; k++) {
		const Case *c = &cases[which[k]];
		Arena arena;
		arena_init(&arena, 0);
		for (unsigned n = 0; n < 4; n++) {
			static uint8_t wanted[TENSOR];
			make_map(c);
			fill_tensor();
			memcpy(wanted, tensor, TENSOR);
			for (unsigned e = 0; e < bytes_of(c) / c->element; e++) {
				unsigned shared;
				long global;
				places(c, e, &shared, &global);
				unsigned word = (shared - DATA) / 4;
				uint32_t value = word % 64 * 16909321 + word / 64 * 77;
				if (global >= 0)
					memcpy(wanted + global, (uint8_t *)&value + (shared - DATA) % 4, c->element);
			}
			sim_kit_clean(run(store_body(&arena, c, FENCE, COMMIT "  call void @neso.bulk_wait.0()\n"), n & 1, n / 2));
			assert_memory_equal(tensor, wanted, TENSOR);
		}
		arena_free(&arena);
	}
	/* Before the start nothing is written. */
	static const size_t before[] = {2, 7};
	for (size_t k = 0; k < sizeof before / sizeof *before; k++) {
		Arena arena;
		arena_init(&arena, 0);
		make_map(&cases[before[k]]);
		sim_kit_found(run(store_body(&arena, &cases[before[k]], FENCE, COMMIT), false, 0), "RUN_ARGUMENT", "TMA has none below 0");
		arena_free(&arena);
	}
}

/* 64 words of the threads are added to, compared with, or XORed to what the tensor has. */
static void test_reductions(void **state)
{
	static const char *const kinds[] = {"add", "min", "xor"};
	const Case *c = &cases[0];
	Arena arena;
	arena_init(&arena, 0);
	for (unsigned k = 0; k < 12; k++) {
		uint32_t before[TENSOR / 4];
		make_map(c);
		map.type = k & 1 ? 3 : 2; /* TensorMapType: S32, U32 */
		fill_tensor();
		memcpy(before, tensor, TENSOR);
		const char *body = arena_printf(&arena, "  %%x = mul i32 %%t, 69906321\n  store i32 %%x, ptr addrspace(3) %%mine\n"
						"  call void @neso.fence_async_all()\n  call void @neso.barrier()\n"
						FIRST_F("put", "  call void @neso.tensor_reduce.1d.%s(ptr %%map, i32 8, ptr addrspace(3) %%data)\n" COMMIT
							       "  call void @neso.bulk_wait.0()\n"), kinds[k / 4]);
		sim_kit_clean(run(body, k >> 1 & 1, 0));
		for (unsigned n = 0; n < 100; n++) {
			uint32_t now, v = (n - 8) * 69906321u, old = before[n];
			bool less = map.type == 3 ? (int32_t)v < (int32_t)old : v < old;
			memcpy(&now, tensor + n * 4, 4);
			assert_int_equal(now, n < 8 || n >= 72 ? old : k / 4 == 0 ? old + v : k / 4 == 1 ? (less ? v : old) : old ^ v);
		}
	}
	arena_free(&arena);
}

/* What threads wrote where a box is loaded must be fenced; a barrier stays as long as it counts. */
static void test_proxies(void **state)
{
	const Case *c = &cases[4];
	Arena arena;
	arena_init(&arena, 0);
	make_map(c);
	const char *made = FIRST("make", "  call void @neso.mbarrier_init(ptr addrspace(3) %b, i32 1)\n" FENCE) "  call void @neso.barrier()\n"
			   "  store i32 7, ptr addrspace(3) %mine\n";
	const char *load = arena_printf(&arena, "  call void @neso.barrier()\n"
					FIRST_F("load", "  call void @neso.mbarrier_expect_tx(ptr addrspace(3) %%b, i32 %u)\n"
						      "  call void @neso.tensor_load.2d(ptr addrspace(3) %%data, ptr %%map%s, ptr addrspace(3) %%b)\n")
					WAIT_F, bytes_of(c), coordinates(&arena, c));
	sim_kit_found(run(arena_printf(&arena, "%s%s", made, load), true, 0), "SIM_PROXY", "asynchronous write of byte 1024");
	sim_kit_clean(run(arena_printf(&arena, "%s" FENCE "%s", made, load), true, 0));
	const char *inval = FIRST("drop", "  call void @neso.mbarrier_inval(ptr addrspace(3) %b)\n");
	sim_kit_found(run(load_body(&arena, c, inval), true, 0), "SIM_WAIT", "ends while a copy that it counts is under way");
	sim_kit_clean(run(load_body(&arena, c, WAIT "  call void @neso.barrier()\n" FIRST("drop", "  call void @neso.mbarrier_inval(ptr addrspace(3) %b)\n")), true, 0));
	Case odd = *c;
	odd.at[0] = 4;
	sim_kit_found(run(load_body(&arena, &odd, WAIT), false, 0), "RUN_MISALIGNED", "begins at element 4 of its rows");
	arena_free(&arena);
}

static void test_store_faults(void **state)
{
	const Case *c = &cases[4];
	Arena arena;
	arena_init(&arena, 0);
	make_map(c);
#define OVERWRITE "  store i32 1, ptr addrspace(3) %mine\n"
	const char *unfenced = store_body(&arena, c, "", COMMIT "  call void @neso.bulk_wait.0()\n"), *put = strstr(unfenced, "put:\n") + 5;
	sim_kit_found(run(unfenced, true, 0), "SIM_PROXY", "is not fenced for");
	/* Behind the barrier, by who stores, is as good as before it. */
	sim_kit_clean(run(arena_printf(&arena, "%.*s" FENCE "%s", (int)(put - unfenced), unfenced, put), true, 0));
	sim_kit_found(run(store_body(&arena, c, "", COMMIT), true, 0), "SIM_WAIT", "the program ends while the store of byte 1024");
	sim_kit_found(run(store_body(&arena, c, FENCE, COMMIT "  call void @neso.bulk_wait.1()\n" OVERWRITE "  call void @neso.bulk_wait.0()\n"), true, 0),
		      "SIM_WAIT", "write of byte 1024 of shared memory while what was issued at");
	sim_kit_clean(run(store_body(&arena, c, FENCE, COMMIT "  call void @neso.bulk_wait.read.0()\n" OVERWRITE), true, 0));
	/* Two stores to one place: the later may be written first, unless the earlier is. */
	const char *one = store_body(&arena, c, FENCE, "");
	const char *call = strstr(one, "  call void @neso.tensor_store");
	int length = (int)(strchr(call, '\n') + 1 - call);
	const char *told = "nobody has waited until it is written";
	const char *end = COMMIT "  call void @neso.bulk_wait.0()\n";
#define TWICE(between) \
	store_body(&arena, c, FENCE, \
		   arena_printf(&arena, COMMIT between "%.*s%s", length, call, end))
	sim_kit_found(run(TWICE(""), true, 0), "SIM_WAIT", told);
	const char *read = TWICE("  call void @neso.bulk_wait.read.0()\n");
	sim_kit_found(run(read, true, 0), "SIM_WAIT", told);
	const char *written = TWICE("  call void @neso.bulk_wait.0()\n");
	sim_kit_clean(run(written, true, 0));
	/* No group: nothing to wait for. */
	sim_kit_found(run(store_body(&arena, c, FENCE, "  call void @neso.bulk_wait.0()\n"), true, 0), "SIM_WAIT", "the program ends while");
	arena_free(&arena);
}

static void test_maps(void **state)
{
	Case c = cases[4];
	Arena arena;
	arena_init(&arena, 0);
	const char *body = load_body(&arena, &c, WAIT);
	make_map(&c);
	map.magic = 7;
	sim_kit_found(run(body, false, 0), "RUN_ARGUMENT", "the tensor map: it is none");
	make_map(&c);
	map.strides[0] = 136;
	sim_kit_found(run(body, false, 0), "RUN_ARGUMENT", "a stride is no multiple of 16");
	make_map(&c);
	map.swizzle = 64;
	sim_kit_found(run(body, false, 0), "RUN_ARGUMENT", "rows of its box are longer than its swizzle");
	make_map(&c);
	map.rank = 3;
	map.dims[2] = map.box[2] = map.steps[2] = 1;
	sim_kit_found(run(body, false, 0), "RUN_ARGUMENT", "it has 3 dims, the copy 2");
	make_map(&c);
	map.dims[1] = 1000;
	c.at[1] = 900;
	sim_kit_found(run(load_body(&arena, &c, WAIT), false, 0), "RUN_OUT_OF_BOUNDS", "load of 128 bytes");
	arena_free(&arena);
}

/* ---- warps with roles ---- */

static CodegenResult *run_plain(const char *body, bool check, uint64_t seed)
{
	memset(out, 0, sizeof out);
	return run(body, check, seed);
}

/* What a launch is given may be wrong in any way: it is told, and nothing is read there. */
static void test_given(void **state)
{
	Arena arena;
	arena_init(&arena, 0);
	make_map(&cases[0]);
	const char *load = FIRST("load", "  call void @neso.mbarrier_init(ptr addrspace(3) %b, i32 1)\n"
					 "  call void @neso.tensor_load.1d(ptr addrspace(3) %data, ptr %map, "
					 "i32 0, ptr addrspace(3) %b)\n");
	const char *null = FIRST("load", "  call void @neso.mbarrier_init(ptr addrspace(3) %b, i32 1)\n"
					 "  call void @neso.tensor_load.1d(ptr addrspace(3) %data, ptr null, "
					 "i32 0, ptr addrspace(3) %b)\n");
	SimBuffer buffers[] = {{"out", out, sizeof out, true}, {"tensor", tensor, sizeof tensor, true}};
	uint64_t good = (uint64_t)(uintptr_t)&map, to = (uint64_t)(uintptr_t)out;
	const struct {
		const char *body;
		uint64_t out, map;
		const char *code, *text;
	} wrong[] = {
		{load, to, 0, "RUN_ARGUMENT",
		 "argument 1 of kernel 'k' is a tensor map, and 0x0 is no memory"},
		{load, to, 64, "RUN_ARGUMENT", "0x40 is no memory"},
		{load, to, UINT64_MAX - 63, "RUN_ARGUMENT", "is no memory"},
		{load, to, good + 8, "RUN_ARGUMENT", "is no multiple of 64"},
		/* An argument that happens to be the same number is no map. */
		{null, 0, good, "RUN_OUT_OF_BOUNDS", "load of 128 bytes at 0x0"},
		{"  store i32 1, ptr addrspace(1) %out\n", 0, good, "RUN_OUT_OF_BOUNDS",
		 "store of 4 bytes at 0x0"},
	};
	for (size_t k = 0; k < ARRAY_LEN(wrong); k++)
		for (int check = 0; check < 2; check++)
			sim_kit_found(
				sim_kit_run(arena_printf(&arena, "%s%s  ret void\n}\n", head, wrong[k].body),
					    wrong[k].out, wrong[k].map, buffers, 2, check, 0),
				wrong[k].code, wrong[k].text);
	SimBuffer gone[] = {
		{"out", out, sizeof out, true}, {"gone", NULL, 16, true}, {"beyond", out, UINT64_MAX, true}};
	const char *nothing = arena_printf(&arena, "%s  ret void\n}\n", head);
	sim_kit_found(sim_kit_run(nothing, to, good, gone, 2, true, 0), "RUN_ARGUMENT",
		      "the array 'gone' of 16 bytes at 0x0 is no memory");
	gone[1] = gone[2];
	sim_kit_found(sim_kit_run(nothing, to, good, gone, 2, true, 0), "RUN_ARGUMENT", "the array 'beyond'");
	sim_kit_found(sim_kit_launch(nothing, NULL, 0, buffers, 2, true, 0), "RUN_ARGUMENT",
		      "kernel 'k' takes 2 arguments, 0 are given");
	arena_free(&arena);
}

static void test_named(void **state)
{
	static const char through_shared[] =
		"  store i32 %t, ptr addrspace(3) %mine\n"
		"  call void @neso.named_barrier(i32 3, i32 64)\n"
		"  %v = load i32, ptr addrspace(3) %there\n" PUT("%v");
	/* The high warp goes on; the low one waits for it. */
	static const char one_way[] =
		"  br i1 %low, label %wait, label %give\n"
		"give:\n  store i32 %t, ptr addrspace(3) %mine\n  call void @neso.named_arrive(i32 1, i32 64)\n  br label %over\n"
		"wait:\n  call void @neso.named_barrier(i32 1, i32 64)\n  %v = load i32, ptr addrspace(3) %there\n" PUT("%v")
		"  br label %over\nover:\n";
	static const char through_global[] =
		PUT("%t") "  call void @neso.named_barrier(i32 15, i32 64)\n"
		"  %from = getelementptr i32, ptr addrspace(1) %out, i32 %other\n"
		"  %v = call i32 @neso.ld_global.v1b32(ptr addrspace(1) %from, i1 true)\n"
		"  call void @neso.named_barrier(i32 15, i32 64)\n" PUT("%v");
	for (uint64_t seed = 0; seed < 3; seed++) {
		sim_kit_clean(run_plain(through_shared, true, seed));
		for (uint32_t i = 0; i < 64; i++)
			assert_int_equal(out[i], i ^ 32);
		sim_kit_clean(run_plain(one_way, true, seed));
		for (uint32_t i = 0; i < 64; i++)
			assert_int_equal(out[i], i < 32 ? i + 32 : 0);
		sim_kit_clean(run_plain(through_global, true, seed));
		for (uint32_t i = 0; i < 64; i++)
			assert_int_equal(out[i], i ^ 32);
		/* Who arrives does not wait. */
		sim_kit_found(run_plain("  store i32 %t, ptr addrspace(3) %mine\n  call void @neso.named_arrive(i32 3, i32 64)\n"
					"  %v = load i32, ptr addrspace(3) %there\n" PUT("%v"), true, seed), "SIM_RACE", "have no barrier between them");
	}
	sim_kit_found(run_plain("  br i1 %low, label %a, label %z\na:\n  call void @neso.named_barrier(i32 2, i32 64)\n  br label %z\nz:\n", false, 0),
		      "RUN_DEADLOCK", "waits in this loop");
	sim_kit_found(run_plain("  call void @neso.named_barrier(i32 0, i32 64)\n", false, 0), "SIM_NAMED", "its number is 0");
	sim_kit_found(run_plain("  call void @neso.named_barrier(i32 1, i32 96)\n", false, 0), "SIM_NAMED", "96 threads; it is for whole warps of the 64");
	sim_kit_found(run_plain("  br i1 %low, label %a, label %o\n"
				"a:\n  call void @neso.named_arrive(i32 1, i32 64)\n  br label %z\no:\n  call void @neso.named_arrive(i32 1, i32 32)\n"
				"  br label %z\nz:\n", false, 0), "SIM_NAMED", "where who came before said");
}

static void test_one_lane(void **state)
{
	sim_kit_clean(run_plain("  %e = call i1 @neso.elect(i32 -1)\n  %v = zext i1 %e to i32\n" PUT("%v"), true, 0));
	for (unsigned i = 0; i < 64; i++)
		assert_int_equal(out[i], i % 32 == 0);
	sim_kit_found(run_plain("  br i1 %first, label %a, label %z\na:\n  %e = call i1 @neso.elect(i32 -1)\n  %v = zext i1 %e to i32\n" PUT("%v")
				"  br label %z\nz:\n", false, 0), "SIM_CONVERGENCE", "elect.sync");
}

static void test_memory(void **state)
{
	const Case *c = &cases[4];
	Arena arena;
	arena_init(&arena, 0);
	make_map(c);
	const char *bodies[] = {load_body(&arena, c, WAIT), store_body(&arena, c, FENCE, COMMIT "  call void @neso.bulk_wait.0()\n")};
	for (unsigned k = 0; k < 2; k++) {
		sim_kit_fails_at = 0;
		do {
			sim_kit_fails_at++;
			assert_true(sim_kit_tells(run(bodies[k], true, 0)));
		} while (sim_kit_failed);
		assert_in_range(sim_kit_fails_at, 10, 1000);
	}
	sim_kit_fails_at = 0;
	arena_free(&arena);
}

static void test_ptx(void **state)
{
	static const char *const wanted[] = {
		"cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [", "cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [",
		"cp.async.bulk.commit_group;", "cp.async.bulk.wait_group.read 0;", "cp.async.bulk.wait_group 0;", "elect.sync _|%p", "setmaxnreg.dec.sync.aligned.u32 40;",
		"bar.sync %r", "bar.arrive %r", "cp.reduce.async.bulk.tensor.1d.global.shared::cta.xor.tile.bulk_group [", "mbarrier.inval.shared::cta.b64 [", "fence.proxy.async.global;", "prefetch.tensormap ["};
	Arena arena;
	arena_init(&arena, 0);
	const char *load = load_body(&arena, &cases[4], WAIT), *rest =
		FIRST("w", "  call void @neso.tensor_store.3d(ptr %map, i32 1, i32 2, i32 3, ptr addrspace(3) %data)\n" COMMIT
			   "  call void @neso.bulk_wait.read.0()\n  call void @neso.bulk_wait.0()\n")
		FIRST("r", "  call void @neso.tensor_reduce.1d.xor(ptr %map, i32 1, ptr addrspace(3) %data)\n  call void @neso.mbarrier_inval(ptr addrspace(3) %b)\n"
			   "  call void @neso.fence_async_all()\n")
		"  %e = call i1 @neso.elect(i32 -1)\n  %z = zext i1 %e to i32\n" PUT("%z")
		"  call void @neso.setmaxnreg.dec.40()\n  call void @neso.named_barrier(i32 1, i32 64)\n  call void @neso.named_arrive(i32 2, i32 64)\n";
	const char *ptx = sim_kit_ptx(&arena, arena_printf(&arena, "%s%s%s  ret void\n}\n", head, load, rest));
	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
		if (!strstr(ptx, wanted[i]))
			fail_msg("no '%s' in\n%s", wanted[i], ptx);
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_loads),	     cmocka_unit_test(test_stores),
		cmocka_unit_test(test_reductions),   cmocka_unit_test(test_proxies),
		cmocka_unit_test(test_store_faults), cmocka_unit_test(test_maps),
		cmocka_unit_test(test_given),	     cmocka_unit_test(test_memory),
		cmocka_unit_test(test_named),	     cmocka_unit_test(test_one_lane),
		cmocka_unit_test(test_ptx),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
