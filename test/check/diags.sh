# Every diagnostic has a test, and the script that says so notices one without.
set -e
mkdir -p "$TMP/src/base/diag" "$TMP/test/diag"
cat >"$TMP/src/base/diag/diag.def" <<'END'
DIAG(TESTED, ERROR, "unknown name '%s' in %s")
DIAG(CUT, ERROR, "the tile has %d elements, more than the "
	"%d allowed")
DIAG(NAMED, ERROR, "%s")
DIAG(UNTESTED, ERROR, "nobody wrote a test of '%s'")
END
cat >"$TMP/test/diag/one.py" <<'END'
x  # error: 1: unknown name 'x' in kernel
y  # error: 3: the tile has 5 elements, more than
END
echo 'int a = DIAG_NAMED;' >"$TMP/test/diag/unit.c"
if sh scripts/check-diags "$TMP" >"$TMP/out"; then echo "a row without a test passed"; exit 1; fi
cat "$TMP/out"
grep -q "^no test: UNTESTED: " "$TMP/out"
grep -q "^1 of 4" "$TMP/out"
sh scripts/check-diags
