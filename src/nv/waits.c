/* How a thread waits for what it loads from global memory, read from a cubin's instructions.
 *
 * An instruction has 128 bits since Volta. The upper 23 say how it is scheduled: which of six
 * barriers counts it until its result is there, and which barriers it waits for (Jia et al.,
 * "Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking", 2018, section 2.1). Of a
 * load (LDG, 0x981) bits 73 to 75 say how wide it is. Seen so in what nvdisasm 13.0 prints for
 * sm_80 and sm_90a.
 *
 * A round is one time that a thread waits for memory. Loads that are issued before the first of
 * them is waited for share one; a load whose registers are those of one before it waits first, and
 * takes another. The code is read from its beginning to its end, loops once. */
#include <elf.h>

#include "nv/inner.h"

enum {
	INSTRUCTION = 16, /* bytes */
	OPCODE_BITS = 12,
	OPCODE_LOAD = 0x981,
	WIDTH_AT = 73 - 64,
	SCHEDULE_AT = 105 - 64,
	SETS_AT = SCHEDULE_AT + 5,    /* its barrier; 7: none */
	WAITS_AT = SCHEDULE_AT + 11,  /* a bit for each barrier */
	BARRIERS = 6,
};

Str nv_code_of(const NvCubin *cubin, unsigned nth)
{
	Elf64_Ehdr head;
	if (cubin->len < sizeof head)
		return (Str){0};
	memcpy(&head, cubin->data, sizeof head);
	if (head.e_shentsize != sizeof(Elf64_Shdr) || head.e_shoff > cubin->len ||
	    (cubin->len - head.e_shoff) / sizeof(Elf64_Shdr) < head.e_shnum)
		return (Str){0};
	for (unsigned i = 0; i < head.e_shnum; i++) {
		Elf64_Shdr section;
		const char *data = (const char *)cubin->data;
		memcpy(&section, data + head.e_shoff + i * sizeof section, sizeof section);
		bool is_there = section.sh_offset <= cubin->len &&
				section.sh_size <= cubin->len - section.sh_offset;
		if ((section.sh_flags & SHF_EXECINSTR) && is_there && section.sh_size && nth-- == 0)
			return (Str){data + section.sh_offset, section.sh_size};
	}
	return (Str){0};
}

static unsigned bytes_of(unsigned width)
{
	static const unsigned char bytes[8] = {1, 1, 2, 2, 4, 8, 16, 0};
	return bytes[width & 7];
}

NvWaits nv_waits_of(const NvCubin *cubin)
{
	NvWaits waits = {0};
	Str code;
	for (unsigned nth = 0; (code = nv_code_of(cubin, nth)).len; nth++) {
		unsigned now = 0, there[BARRIERS] = {0};
		for (size_t at = 0; at + INSTRUCTION <= code.len; at += INSTRUCTION) {
			uint64_t words[2];
			memcpy(words, code.ptr + at, sizeof words);
			for (unsigned i = 0; i < BARRIERS; i++)
				if (words[1] >> (WAITS_AT + i) & 1)
					now = MAX(now, there[i]);
			unsigned sets = words[1] >> SETS_AT & 7;
			if ((words[0] & ((1u << OPCODE_BITS) - 1)) != OPCODE_LOAD)
				continue;
			waits.bytes += bytes_of((unsigned)(words[1] >> WIDTH_AT));
			if (sets < BARRIERS)
				there[sets] = now + 1;
		}
		for (unsigned i = 0; i < BARRIERS; i++)
			now = MAX(now, there[i]);
		waits.rounds += now;
	}
	return waits;
}
