# The second compiler, and headers that stand alone.
# full: a second build
set -e
if ! command -v clang >/dev/null; then
	echo "clang is not installed"
	exit 77
fi
CC=clang cmake -S . -B build/clang -G Ninja -DCMAKE_BUILD_TYPE=Release -DNESO_WERROR=ON >"$TMP/log" 2>&1 || { cat "$TMP/log"; exit 1; }
cmake --build build/clang >"$TMP/log" 2>&1 || { tail -n 60 "$TMP/log"; exit 1; }
sh scripts/run-tests -b build/clang unit/ front/ ir/ run/
