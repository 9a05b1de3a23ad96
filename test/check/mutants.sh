# Faults that are made by a program in lowered kernels, one of each kind and kernel or so, are noticed by the simulator's checks, and the kernels
# themselves are clean: from a fixed seed. `make mutants` makes more of them.
set -eu
[ -f "$NESO_BUILD/libneso-codegen.so" ] || { echo "built without LLVM"; exit 77; }
[ -z "${NESO_SANITIZED:-}" ] || { echo "some hundred processes: too slow under a sanitizer"; exit 77; }
python=$(sh scripts/find-python || command -v python3) || { echo "no Python was found"; exit 77; }
mutants() { "$python" -B test/mutants/mutants.py --build "$NESO_BUILD" --jobs 2 "$@"; }
mutants --sample 8 --seed 1 --floor 90 --sync-floor 100 >"$TMP/score" || { cat "$TMP/score"; exit 1; }
grep -q "^seed 1: [5-9][0-9] mutants" "$TMP/score" || { cat "$TMP/score"; exit 1; }
# The tester itself: without checks, missing barriers survive, and it says so.
if mutants --only passed_on --show barriers --unchecked --sync-floor 99 >"$TMP/blind"; then cat "$TMP/blind"; exit 1; fi
grep -q "^elsewhere: passed_on.*barriers, deleted: .*neso.barrier" "$TMP/blind" || { cat "$TMP/blind"; exit 1; }
