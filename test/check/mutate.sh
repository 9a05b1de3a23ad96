# Random edits of random programs: what the compile cache gives is what a compilation without it gives; from a fixed seed and from a fresh one.
# And the tester itself: cases that were found stay repaired, and a cache that is wrong is noticed.
set -eu
[ -f "$NESO_BUILD/libneso-codegen.so" ] || { echo "built without LLVM"; exit 77; }
[ -f "$NESO_BUILD/python/neso/_native.abi3.so" ] || { echo "the Python package was not built (no headers of Python 3.10 or newer)"; exit 77; }
[ -z "${NESO_SANITIZED:-}" ] || { echo "Python does not start processes of its own under a sanitizer"; exit 77; }
python=$(sh scripts/find-python) || { echo "no Python of 3.10 or newer with NumPy was found"; exit 77; }
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE
mutate() { "$python" test/mutate/mutate.py --build "$NESO_BUILD" --keep "$TMP" "$@"; }

mutate test/mutate/*.case
# A cache that gives the first variant for all is found, its fault made smaller and kept.
if mutate --forgetful --findings 1 --count 60 --seed 1 --way c --jobs 1 >"$TMP/planted"; then
	echo "what was planted was not found"
	exit 1
fi
grep -q "^kind: stale" "$TMP"/found_*.case
rm -f "$TMP"/*.case
mutate --findings 1 --seconds 8 --seed 1
mutate --findings 1 --seconds 8 --seed "$(date +%s)"
