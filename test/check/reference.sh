# docs/reference and the type stubs are what the tables say; a row that is not there, and one too many, are noticed.
set -eu
[ -z "${NESO_SANITIZED:-}" ] || { echo "not under sanitizers: Python does not load them"; exit 77; }
python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null || { echo "no Python of 3.10 or newer"; exit 77; }
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE
python3 scripts/reference --build "$NESO_BUILD" --check
# In a copy: another text, another option of the language, a page that is gone.
mkdir -p "$TMP/copy"
cp -r docs include python scripts src test "$TMP/copy/"
cd "$TMP/copy"
sed -i 's/^DIAG(SHIFT_COUNT, ERROR, .*/DIAG(SHIFT_COUNT, ERROR, "a shift by less than nothing")\nDIAG(ANOTHER, WARNING, "by %d")/' src/base/diag/diag_front.def
sed -i 's/^The sine of each element, of a float, in radians\./The sine./' python/neso/language/docs.py
rm docs/reference/remarks.md
sed -i 's/of any number\. \*\//of each number. *\//' include/neso/neso.h
if python3 scripts/reference --build "$NESO_BUILD" --check >"$TMP/said"; then echo "changed tables pass"; exit 1; fi
for page in diagnostics language remarks c-api; do
	[ $page = diagnostics ] && [ ! -f "$NESO_BUILD/libneso-codegen.so" ] && continue
	grep -q "^docs/reference/$page.md is not what its tables say" "$TMP/said" || { echo "a change of $page.md is not noticed"; cat "$TMP/said"; exit 1; }
done
grep -q "^python/neso/language/math.pyi is not" "$TMP/said"
python3 scripts/reference --build "$NESO_BUILD" >"$TMP/said"
if [ -f "$NESO_BUILD/libneso-codegen.so" ]; then
	grep -q '^### ANOTHER$' docs/reference/diagnostics.md
	grep -q '^warning: `by …`$' docs/reference/diagnostics.md
	grep -q '^error: `a shift by less than nothing`$' docs/reference/diagnostics.md
fi
python3 scripts/reference --build "$NESO_BUILD" --check
