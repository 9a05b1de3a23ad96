# Faulty kernels of the kinds that users write: each is found at its line, and is of the table's code.
set -eu
[ -f "$NESO_BUILD/libneso-codegen.so" ] || { echo "built without LLVM"; exit 77; }
[ -z "${NESO_SANITIZED:-}" ] || { echo "more than a hundred processes: too slow under a sanitizer"; exit 77; }
python=$(sh scripts/find-python || command -v python3) || { echo "no Python was found"; exit 77; }
"$python" -B test/faulty/faulty.py --build "$NESO_BUILD" --jobs 2 >"$TMP/said" || { cat "$TMP/said"; exit 1; }
grep -q "^145 faulty kernels, 144 found" "$TMP/said" || { cat "$TMP/said"; exit 1; }
# The tester itself: a kernel without its fault is not found.
if "$python" -B test/faulty/faulty.py --build "$NESO_BUILD" --only staged:waits --jobs 1 --unedited >"$TMP/blind"; then
	cat "$TMP/blind"
	exit 1
fi
grep -q "SIM_WAIT is not found" "$TMP/blind" || { cat "$TMP/blind"; exit 1; }
