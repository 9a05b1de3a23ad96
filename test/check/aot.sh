# What neso aot writes compiles without a warning as C11 and C++17, and launches with the right parameters, with nothing
# of Neso within reach: in C, C++, Rust and Go, linked as source, object and library.
set -e
command -v ptxas >/dev/null || { echo "no ptxas"; exit 77; }
[ -e "$NESO_BUILD/libneso-codegen.so" ] || { echo "built without LLVM"; exit 77; }
[ -e "$NESO_BUILD/test/fake/libcuda.so.1" ] || { echo "no fake driver: cmocka is missing"; exit 77; }
export TRITON_CACHE_DIR="$TMP/cache"

compile() { # FOLDER OPTION...
	folder=$1
	shift
	neso aot --list test/aot/kernels.txt --target sm_80,sm_90a --name kernels -o "$folder" "$@" >"$TMP/log" 2>&1 || { cat "$TMP/log"; exit 1; }
}
compile "$TMP/out"

# The same input gives the same bytes, from another folder and without the cache too.
mkdir "$TMP/moved"
cp test/aot/kernels.py test/aot/kernels.txt "$TMP/moved"
(cd "$TMP/moved" && TRITON_CACHE_DIR=$TMP/other neso aot --list kernels.txt --target sm_80,sm_90a --name kernels -j 1 -o again >/dev/null 2>&1)
cmp "$TMP/out/kernels.c" "$TMP/moved/again/kernels.c"
cmp "$TMP/out/kernels.h" "$TMP/moved/again/kernels.h"

# From here on nothing of the build is used but the driver, which programs without the sanitizers cannot load from theirs.
[ -z "${NESO_SANITIZED:-}" ] || exit 0
cp test/aot/*.[ch] test/aot/main.* test/unit/fake/fake.h "$TMP/out"
cp "$NESO_BUILD/test/fake/libcuda.so.1" "$TMP/out"
cd "$TMP/out"
export LD_LIBRARY_PATH="$TMP/out"
warnings="-O1 -I. -Wall -Wextra -Wpedantic -Werror -Wconversion -Wshadow -DMAP_OF_COPY=21 -DMAP_OF_COPY_MADE=4"
sanitize="-fsanitize=address,undefined -fno-sanitize-recover"

for cc in gcc clang; do
	command -v $cc >/dev/null || continue
	$cc -std=c11 $warnings -c kernels.c -o kernels_$cc.o
	$cc -std=c11 -D_DEFAULT_SOURCE $warnings launch.c kernels_$cc.o -pthread -ldl -o launch_$cc
	./launch_$cc
done
for cc in g++ clang++; do
	command -v $cc >/dev/null || continue
	$cc -std=c++17 -x c++ $warnings -c kernels.c -o kernels_$cc.o
	$cc -std=c++17 -fsyntax-only -x c++ $warnings kernels.h
done
! nm kernels_gcc.o | grep -E ' U (cu|neso)' || { echo "it wants the driver or Neso when it is linked"; exit 1; }
# The driver from a table of the caller's.
unset LD_LIBRARY_PATH
./launch_gcc "$PWD/libcuda.so.1"
export LD_LIBRARY_PATH="$TMP/out"
# shellcheck disable=SC2086
if gcc $sanitize -x c /dev/null -c -o /dev/null 2>/dev/null; then
	gcc -std=c11 -D_DEFAULT_SOURCE $warnings $sanitize -g launch.c kernels.c -pthread -ldl -o launch_asan
	ASAN_OPTIONS=detect_leaks=0 ./launch_asan
	gcc -std=c11 -D_DEFAULT_SOURCE $warnings -fsanitize=thread -g launch.c kernels.c -pthread -ldl -o launch_tsan
	setarch -R ./launch_tsan 2>tsan.log || { cat tsan.log; exit 1; }
fi

# Scratch, which no kernel here has: planted.
sed 's/{\(nk_code_[0-9]*, "nothing", \)"", NULL, NULL, 0, 0, \(.*\), 0, 1, -1}, /{\1"s", NULL, NULL, 0, 0, \2, 64, 16, -1}, /; s/NK_SPECIAL 0/NK_SPECIAL 1/' kernels.c >planted.c
cmp -s kernels.c planted.c && { echo "nothing was planted"; exit 1; }
gcc -std=c11 -D_DEFAULT_SOURCE $warnings -x c - planted.c -pthread -ldl -o scratch <<'END'
#include "look.h"
#include "kernels.h"
#include "look.c"
static uint64_t give(void *data, size_t bytes, size_t align, void *stream)
{
	(void)stream;
	*(size_t *)data = bytes + align;
	return 0x77000;
}
int main(void)
{
	size_t asked = 0;
	look_begin();
	fake()->arg_count = 1;
	if (nothing(0, 3, 2, 1) || fake()->allocations != 1 || fake()->frees != 1 || fake()->last.args[0] % 16 || !fake()->last.args[0])
		return 1;
	fake()->pools = 0;
	if (nothing(0, 3, 2, 1) != NESO_AOT_NO_SCRATCH)
		return 2;
	kernels_set_scratch(give, &asked);
	return nothing(0, 3, 2, 1) || fake()->last.args[0] != 0x77000 || asked != 3 * 2 * 64 + 16 ? 3 : 0;
}
END
./scratch

# A header of another run is noticed by the compiler, and by the linker.
mkdir other
sed 's/0x[0-9a-f]*$/0x1234/; s/kernels_[0-9a-f]\{16\}/kernels_0000000000001234/' kernels.h >other/kernels.h
cp kernels.c other/kernels.c
! gcc -std=c11 -c other/kernels.c -o /dev/null 2>log || { echo "another header is taken"; exit 1; }
grep -q 'is not the header that was made with this file' log
printf '#include "other/kernels.h"\nint main(void) { return 0; }\n' >mixed.c
! gcc -std=c11 mixed.c kernels_gcc.o -pthread -ldl -o mixed 2>log || { echo "another header is linked"; exit 1; }
grep -q 'kernels_0000000000001234' log

# Object and library.
cd "$NESO_ROOT"
compile "$TMP/object" --emit object
compile "$TMP/library" --emit library
[ ! -e "$TMP/object/kernels.c" ] && [ -e "$TMP/object/kernels.o" ] && [ -e "$TMP/library/libkernels.a" ]
if command -v fatbinary >/dev/null; then
	compile "$TMP/packed" --compress --ptx none
	compile "$TMP/unpacked" --ptx none
	small=$(wc -c <"$TMP/packed/kernels.c") large=$(wc -c <"$TMP/unpacked/kernels.c")
	[ "$small" -lt "$large" ] || { echo "packed $small, unpacked $large"; exit 1; }
	gcc -std=c11 $warnings -c "$TMP/packed/kernels.c" -o /dev/null
fi
compiler=$(sed -n 's/^CMAKE_C_COMPILER:[A-Z]*=//p' "$NESO_BUILD/CMakeCache.txt")
"$compiler" -std=gnu11 -Iinclude -I"$TMP/out" "$TMP/out/dispatch.c" "$TMP/library/libkernels.a" -L"$NESO_BUILD" -lneso -pthread -ldl \
	-Wl,-rpath,"$NESO_BUILD" -o "$TMP/dispatch"
"$TMP/dispatch" test/aot/kernels.py

cd "$TMP/library"
cp "$TMP/out"/look.* "$TMP/out"/fake.h "$TMP/out"/main.* .
gcc -std=c11 -D_DEFAULT_SOURCE -fPIC -c look.c -o look.o && ar rcs liblook.a look.o
if command -v rustc >/dev/null && rustc --version >/dev/null 2>&1; then
	rustc -L . -l static=kernels -l static=look main.rs -o rust && ./rust
else
	echo "no rustc: the program in Rust is not tried"
fi
if command -v go >/dev/null; then
	sed -i 's/-lkernels/-l:libkernels.a/' main.go
	GOFLAGS=-mod=mod GO111MODULE=off GOCACHE=$TMP/go CGO_ENABLED=1 go build -o go_program main.go && ./go_program
else
	echo "no go: the program in Go is not tried"
fi

# What is wrong is said.
cd "$NESO_ROOT"
fails() { # TEXT OPTION...
	wanted=$1
	shift
	! neso aot "$@" -o "$TMP/wrong" >"$TMP/log" 2>&1 || { echo "it is taken: $*"; exit 1; }
	grep -q "$wanted" "$TMP/log" || { cat "$TMP/log"; exit 1; }
}
one="test/aot/kernels.py:nothing --target sm_80"
# shellcheck disable=SC2086
{
	fails "'7x' cannot begin a name in C: letters, digits and '_' can" $one --name 7x # DIAG_AOT_NAME
	fails "'a b' cannot begin a name in C" $one --prefix "a b"
}
fails "nothing was compiled for the interpreter: only code for a GPU can be written as C" test/aot/kernels.py:nothing -s "" --target interp
fails "wants --target" test/aot/kernels.py:nothing -s ""
fails "source, object or library" test/aot/kernels.py:nothing -s "" --target sm_80 --emit shared
fails "constexpr SCALE is used as fp16" test/aot/kernels.py:sized -s "*fp16:16, *fp16:16, 100, 1.5, 128" --constexpr generic --target sm_80
# 65 arguments that are divisible by 16: DIAG_AOT_GUARDS.
{
	printf 'import triton\n\n\n@triton.jit\ndef many('
	for i in $(seq 65); do printf 'a%s, ' "$i"; done
	printf '):\n    pass\n'
} >"$TMP/many.py"
fails "many has variants that more than 64 conditions tell apart" "$TMP/many.py:many" -s "$(seq 65 | sed 's/.*/i32:16/' | paste -sd,)" --target sm_80
