#!/bin/sh
# Exceptions are thrown and caught where libgcc finds tables for unwinding by the _dl_find_object of
# src/llvm/compat, as libneso-codegen.so of `dist` does, and glibc's own is not asked for.
set -eu
[ -z "${NESO_SANITIZED:-}" ] || { echo "not under sanitizers"; exit 77; }
command -v g++ >/dev/null || { echo "no g++"; exit 77; }
cat >"$TMP/throws.cpp" <<'PROGRAM'
#include <cstdio>
#include <stdexcept>
__attribute__((noinline)) void fails(int n)
{
	if (n == 0)
		throw std::runtime_error("thrown");
	fails(n - 1);
	std::puts("not reached");
}
int main()
{
	try {
		fails(5);
	} catch (const std::exception &e) {
		std::puts(e.what());
	}
}
PROGRAM
gcc -O2 -Wall -Werror -c src/llvm/compat/find_object.c -o "$TMP/find_object.o"
g++ -O2 -static-libgcc -static-libstdc++ "$TMP/throws.cpp" "$TMP/find_object.o" -o "$TMP/throws"
[ "$("$TMP/throws")" = thrown ]
! nm -D --undefined-only "$TMP/throws" | grep -q _dl_find_object
