/* Neso: compiles and runs kernels written in the Triton tile language. */
#ifndef NESO_NESO_H
#define NESO_NESO_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define NESO_API __attribute__((visibility("default")))
#else
#define NESO_API
#endif

/* Number of the binary interface that the library implements. */
NESO_API uint32_t neso_abi_version(void);
/* "MAJOR.MINOR.PATCH" of the library; static text. */
NESO_API const char *neso_version(void);

#ifdef __cplusplus
}
#endif

#endif
