#!/bin/sh
# The Python package: test/python/*.py, by pytest where it is there, else by unittest.
set -u
package=$NESO_BUILD/python
[ -f "$package/neso/_native.abi3.so" ] || { echo "the Python package was not built (no headers of Python 3.10 or newer)"; exit 77; }
python=$(sh scripts/find-python) || { echo "no Python of 3.10 or newer with NumPy was found"; exit 77; }
PYTHONPATH=$package NESO_QUIET=1 PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH NESO_QUIET PYTHONDONTWRITEBYTECODE
# The sanitizer's run time must be there before Python; what Python itself keeps until its end is no leak.
if [ -n "${NESO_SANITIZED:-}" ]; then
	runtime=libasan.so
	[ "$NESO_SANITIZED" != thread ] || runtime=libtsan.so
	LD_PRELOAD=$(${CC:-cc} -print-file-name=$runtime) ASAN_OPTIONS=detect_leaks=0
	export LD_PRELOAD ASAN_OPTIONS
fi
if "$python" -c 'import pytest' 2>/dev/null; then
	exec "$python" -m pytest -q -p no:cacheprovider test/python
fi
exec "$python" -m unittest discover -s test/python -p 'test_*.py'
