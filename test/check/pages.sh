# What README.md and the pages of docs/ show is true: their commands are run in order and print what stands there, their programs run,
# and the commands and options that their text names are there (test/check/pages.py has the rules).
set -eu
python=$(sh scripts/find-python) || { echo "no Python of 3.10 or newer with NumPy was found"; exit 77; }
[ -f "$NESO_BUILD/libneso-codegen.so" ] || { echo "built without LLVM"; exit 77; }
[ -f "$NESO_BUILD/python/neso/_native.abi3.so" ] || { echo "the Python package was not built"; exit 77; }
[ -z "${NESO_SANITIZED:-}" ] || { echo "not under sanitizers: Python does not load them"; exit 77; }
exec "$python" test/check/pages.py --build "$NESO_BUILD" --folder "$TMP" ${PAGES:-}
