#!/bin/sh
# torch.compile with neso as its Triton, on the CPU: test/torch/*.py, where a Python has torch (PYTHON= names one).
set -u
package=$NESO_BUILD/python
[ -f "$package/neso/_native.abi3.so" ] || { echo "the Python package was not built (no headers of Python 3.10 or newer)"; exit 77; }
[ -z "${NESO_SANITIZED:-}" ] || { echo "torch is not run under sanitizers"; exit 77; }
python=$(sh scripts/find-python torch) || { echo "no Python with torch was found (PYTHON= names one)"; exit 77; }
PYTHONPATH=$package NESO_QUIET=1 PYTHONDONTWRITEBYTECODE=1 TORCHINDUCTOR_CACHE_DIR=$TMP/inductor
unset NESO_CACHE_STRICT
export PYTHONPATH NESO_QUIET PYTHONDONTWRITEBYTECODE TORCHINDUCTOR_CACHE_DIR
failed=0
for test in test/torch/test_*.py; do
	"$python" -m neso "$test" || failed=1
done
exit $failed
