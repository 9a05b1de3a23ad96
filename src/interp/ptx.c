#include "interp/elem.h"
#include "interp/ptx.h"
uint32_t ptx_prmt(uint32_t a, uint32_t b, uint32_t selector)
{
	uint64_t bytes = (uint64_t)b << 32 | a;
	uint32_t out = 0;
	for (unsigned k = 0; k < 4; k++) {
		unsigned pick = selector >> (4 * k) & 15;
		uint32_t byte = (uint32_t)(bytes >> (8 * (pick & 7))) & 255;
		if (pick & 8)
			byte = byte & 128 ? 255 : 0;
		out |= byte << (8 * k);
	}
	return out;
}
bool interp_INLINE_ASM(Decoder *d, const IrOp *op) { return decode_refuse(d, op, "inline PTX"); }
