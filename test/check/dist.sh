# The build that is handed out: links, exports the same, installs stripped.
# full: a second build
set -e
cmake --preset dist >"$TMP/log" 2>&1 || { cat "$TMP/log"; exit 1; }
cmake --build --preset dist >"$TMP/log" 2>&1 || { tail -n 60 "$TMP/log"; exit 1; }
NESO_BUILD=$(pwd)/build/dist sh test/check/exports.sh
cmake --install build/dist --strip --prefix "$TMP/prefix" >"$TMP/log"
library=$(find "$TMP/prefix" -name 'libneso.so.*.*')
nm "$library" 2>&1 | grep -q 'no symbols'
echo "$(basename "$library"): $(wc -c <"$library") bytes"
