/* _dl_find_object of our own, for the static libgcc_eh, which finds tables for unwinding by it:
 * glibc has it from 2.35 on, and nothing else in the library needs one newer than 2.34. */
#define _GNU_SOURCE
#include <link.h>
#include <stddef.h>
#include <stdint.h>

#if defined(DLFO_EH_SEGMENT_TYPE)

typedef struct Search {
	uintptr_t address;
	struct dl_find_object *found;
} Search;

static int look_at_object(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	Search *search = data;
	const ElfW(Phdr) *tables = NULL, *segment = NULL;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *at = &info->dlpi_phdr[i];
		if (at->p_type == DLFO_EH_SEGMENT_TYPE)
			tables = at;
		else if (at->p_type == PT_LOAD &&
			 search->address - (info->dlpi_addr + at->p_vaddr) < at->p_memsz)
			segment = at;
	}
	if (!segment || !tables)
		return segment != NULL;
	uintptr_t start = info->dlpi_addr + segment->p_vaddr;
	*search->found = (struct dl_find_object){
		.dlfo_map_start = (void *)start,
		.dlfo_map_end = (void *)(start + segment->p_memsz),
		.dlfo_eh_frame = (void *)(info->dlpi_addr + tables->p_vaddr),
	};
	search->found = NULL;
	return 1;
}

int _dl_find_object(void *address, struct dl_find_object *result)
{
	Search search = {(uintptr_t)address, result};
	dl_iterate_phdr(look_at_object, &search);
	return search.found ? -1 : 0;
}

#else
typedef int NothingToReplace;
#endif
