# Each header compiles alone (templates, which have no include guard, apart); those of include also as C++ and strict C99.
set -e
config=$(sed -n 's/^NESO_LLVM_CONFIG:FILEPATH=//p' "$NESO_BUILD/CMakeCache.txt" 2>/dev/null)
llvm=$([ -x "$config" ] && "$config" --includedir || true)
for header in $(find src include -name '*.h' | sort); do
	grep -q '^#ifndef NESO_' "$header" || continue
	# Those of LLVM's need its own.
	case $header in src/llvm/* | src/sim/*) [ -d "$llvm/llvm-c" ] || continue ;; esac
	echo "#include \"${header#*/}\"" | ${CC:-cc} -std=c17 -D_POSIX_C_SOURCE=200809L -Isrc -Iinclude ${llvm:+-isystem "$llvm"} -Wall -Wextra \
		-Wstrict-prototypes -fsyntax-only -x c - || { echo "$header does not compile alone"; exit 1; }
done
echo '#include <neso/declare.h>' | ${CC:-cc} -std=c99 -Iinclude -Wall -Wextra -Wpedantic -Werror -fsyntax-only -x c -
if command -v c++ >/dev/null; then
	echo '#include <neso/declare.h>' | c++ -std=c++11 -Iinclude -Wall -Wextra -Wpedantic -Werror -fsyntax-only -x c++ -
fi
