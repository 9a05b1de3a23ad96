/* Products that the assembler puts one after the other.
 *
 * Where the registers of a kernel with wgmma do not suffice, ptxas "serializes" it (C7511 and its
 * neighbours): it waits for each wgmma before the next one, and moves sums between registers under
 * way. ptxas 13.0 makes such moves in front of the products at times whose sums they are for, and
 * the result is silently wrong (seen on an H200: of 16 products of tf32 along K the first eight are
 * lost; by its code, not with waits). So the PTX is assembled again with the waits written out,
 * which costs nothing: they are there anyway. ptxas says so when it is about half done; it need not
 * end. */
#include "nv/inner.h"

const char nv_serial_advice[] = "wgmma.mma_async instructions are serialized";

bool nv_is_serial(const NvCubin *cubin)
{
	return cubin->log && strstr(cubin->log, nv_serial_advice);
}

/* On the same lines: messages name lines of the PTX. */
Str nv_with_waits(Arena *arena, Str ptx)
{
	static const char product[] = "wgmma.mma_async";
	static const char waits[] = " wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;"
				    " wgmma.fence.sync.aligned;";
	size_t len = sizeof product - 1;
	Text t;
	bool inside = false;
	text_init(&t, arena);
	for (size_t i = 0; i < ptx.len; i++) {
		inside |= ptx.len - i >= len && memcmp(ptx.ptr + i, product, len) == 0;
		text_add(&t, ptx.ptr + i, 1);
		if (inside && ptx.ptr[i] == ';') {
			text_add(&t, waits, sizeof waits - 1);
			inside = false;
		}
	}
	return (Str){t.data, t.len};
}
