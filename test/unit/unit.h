/* What each unit test begins with: cmocka, and the headers that it wants before itself. */
#ifndef NESO_TEST_UNIT_H
#define NESO_TEST_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
