# What neso aot writes of a kernel whose CTAs run several programs starts as many CTAs as the GPU holds at once,
# and hands over the count of programs; where launches of many programs run other code, the grid chooses.
set -e
command -v ptxas >/dev/null || { echo "no ptxas"; exit 77; }
[ -e "$NESO_BUILD/libneso-codegen.so" ] || { echo "built without LLVM"; exit 77; }
[ -e "$NESO_BUILD/test/fake/libcuda.so.1" ] || { echo "no fake driver: cmocka is missing"; exit 77; }
[ -z "${NESO_SANITIZED:-}" ] || { echo "the driver cannot be loaded beside the sanitizers"; exit 77; }
warnings="-O1 -I. -Wall -Wextra -Wpedantic -Werror -Wconversion -Wshadow"

# run PROGRAM FOLDER [OPTION]: test/aot/PROGRAM.c with the folder's products.c, by each compiler, on the fake driver.
run() {
	cp "test/aot/$1.c" test/unit/fake/fake.h "$NESO_BUILD/test/fake/libcuda.so.1" "$2"
	for cc in gcc clang; do
		command -v $cc >/dev/null || continue
		# shellcheck disable=SC2086
		(cd "$2" && $cc -std=c11 $warnings ${3-} "$1.c" products.c -pthread -ldl -o "$1" && LD_LIBRARY_PATH=$2 "./$1")
	done
	# shellcheck disable=SC2086
	! command -v g++ >/dev/null || (cd "$2" && g++ -std=c++17 -x c++ $warnings -fsyntax-only products.c)
}

export TRITON_CACHE_DIR="$TMP/cache"
signature="*fp16:16, *fp16:16, *fp16:16, i32:16, i32:16, i32:16, 64, 64, 64"
NESO_PERSIST=1 neso aot test/aot/persist.py:product -s "$signature" --target sm_90a --name products -o "$TMP/out" >"$TMP/log" 2>&1 ||
	{ cat "$TMP/log"; exit 1; }
args=$(sed -n 's/.*"product", "\([a-z0-9]*n\)", .*/\1/p' "$TMP/out/products.c" | head -n 1)
[ -n "$args" ] || { echo "no argument counts programs"; exit 1; }
run persist "$TMP/out" -DPROGRAMS_AT=$((${#args} - 1))
signature="*fp16:16, *fp16:16, *fp16:16, i32:16, i32:16, i32:16, 128, 256, 64"
for persist in auto 0; do
	NESO_PERSIST=$persist neso aot test/aot/persist.py:product -s "$signature" --num-warps 8 --target sm_80,sm_90a --name products \
		-o "$TMP/$persist" >"$TMP/log" 2>&1 || { cat "$TMP/log"; exit 1; }
done
grep -q "^#define NK_MANY 0 " "$TMP/0/products.c"
run many "$TMP/auto"
# shellcheck disable=SC2086
! command -v g++ >/dev/null || g++ -std=c++17 -x c++ $warnings -fsyntax-only "$TMP/0/products.c"
