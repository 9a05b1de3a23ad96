/* What this build was made of. */
#ifndef NESO_BASE_BUILD_H
#define NESO_BASE_BUILD_H

/* A hash of all sources that decide what code is made of a kernel: other sources, other code. */
extern const char base_source_hash[];

#endif
