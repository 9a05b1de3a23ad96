/* What the library says of itself. */
#include "neso/neso.h"

uint32_t neso_abi_version(void)
{
	return NESO_ABI;
}

const char *neso_version(void)
{
	return NESO_VERSION;
}
