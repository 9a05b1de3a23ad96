#!/bin/sh
# The examples in Python run, and agree with NumPy.
set -u
package=$NESO_BUILD/python
[ -f "$package/neso/_native.abi3.so" ] || { echo "the Python package was not built (no headers of Python 3.10 or newer)"; exit 77; }
python=$(sh scripts/find-python) || { echo "no Python of 3.10 or newer with NumPy was found"; exit 77; }
PYTHONPATH=$package NESO_QUIET=1 PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH NESO_QUIET PYTHONDONTWRITEBYTECODE
# The sanitizer's run time must be there before Python; what Python itself keeps until its end is no leak.
if [ -n "${NESO_SANITIZED:-}" ]; then
	LD_PRELOAD=$(${CC:-cc} -print-file-name=libasan.so) ASAN_OPTIONS=detect_leaks=0
	export LD_PRELOAD ASAN_OPTIONS
fi
"$python" examples/python/vector_add.py "$TMP" || exit 1
[ -s "$TMP/vector-add.csv" ] || { echo "no table was written"; exit 1; }
"$python" -c 'import matplotlib' 2>/dev/null && { [ -s "$TMP/vector-add.png" ] || { echo "no plot was written"; exit 1; }; }
"$python" examples/python/softmax.py || exit 1
"$python" examples/python/matmul.py || exit 1
if [ -f "$NESO_BUILD/libneso-codegen.so" ]; then
	"$python" examples/python/stages.py >"$TMP/stages" || { cat "$TMP/stages"; exit 1; }
	[ "$(grep -c 'in the simulator: the same bits' "$TMP/stages")" = 3 ] || { cat "$TMP/stages"; exit 1; }
	if "${TRITON_PTXAS_PATH:-ptxas}" --version >/dev/null 2>&1; then
		[ "$(grep -c 'loop pipelined: ' "$TMP/stages")" = 4 ] || { cat "$TMP/stages"; exit 1; }
	fi
fi
