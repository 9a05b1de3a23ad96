# Address and undefined-behaviour sanitizers over the whole suite.
# full: a second build
set -e
[ -z "$NESO_SANITIZED" ] || exit 0
cmake --preset asan >"$TMP/log" 2>&1 || { cat "$TMP/log"; exit 1; }
cmake --build --preset asan >"$TMP/log" 2>&1 || { tail -n 60 "$TMP/log"; exit 1; }
sh scripts/run-tests -b build/asan
