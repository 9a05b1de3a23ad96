# The test runner itself: planted tests that must pass, fail and be skipped, and are.
set -eu
mkdir -p "$TMP/root/test/front" "$TMP/root/test/unit" "$TMP/root/test/check" "$TMP/build/test"
root=$TMP/root
front=$root/test/front

# A command that plays neso: prints what the file's lines "out:" and "err:" say, exits with "status:".
cat >"$TMP/build/neso" <<'END'
#!/bin/sh
for file; do :; done
sed -n 's/^# out: //p' "$file"
sed -n "s,^# err: ,,p" "$file" >&2
exit $(sed -n 's/^# status: //p' "$file" | grep . || echo 0)
END
# A program that plays those of cmocka tests; it has no third one.
cat >"$TMP/build/test/unit_tests" <<'END'
#!/bin/sh
case $1 in
planted_test) printf '1..3\nok 1 - a\nnot ok 2 - b\nnot ok 3 # SKIP c\n'; exit 1 ;;
crash_test) printf '1..2\nok 1 - a\n'; kill -9 $$ ;;
*) exit 2 ;;
esac
END
chmod +x "$TMP/build/neso" "$TMP/build/test/unit_tests"
touch "$root/test/unit/planted_test.c" "$root/test/unit/crash_test.c" "$root/test/unit/unknown_test.c"

plant() { cat >"$front/$1.py"; }
run='# run: neso %s'
plant pass_text <<END
$run
# out: hello
# CHECK: hello
END
plant fail_text <<END
$run
# out: bye
# CHECK: hello
END
plant pass_error <<END
$run
# status: 1
# err: test/front/pass_error.py:5:7: error: unknown name 'x'
# err: test/front/pass_error.py:5:9: note: seen here
x  # error: 7: unknown name  # note: 9: seen
END
plant fail_column <<END
$run
# status: 1
# err: test/front/fail_column.py:4:8: error: unknown name 'x'
x  # error: 7: unknown name
END
plant fail_line <<END
$run
# status: 1
# err: test/front/fail_line.py:3:7: error: unknown name 'x'
x  # error: 7: unknown name
END
plant fail_unexpected <<END
$run
# status: 1
# err: test/front/fail_unexpected.py:5:7: error: unknown name 'x'
# err: test/front/fail_unexpected.py:5:7: error: and another
x  # error: 7: unknown name
END
plant fail_missing <<END
$run
# status: 1
x  # error: 7: unknown name
END
plant fail_status <<END
$run
# status: 0
# err: test/front/fail_status.py:4:1: error: oh
x  # error: 1: oh
END
plant pass_elsewhere <<END
$run
# status: 1
# err: error: no such thing
# err: other.py:3:4: error: in another file
# err: test/front/pass_elsewhere.py:9:1: error: far away
# err: test/front/pass_elsewhere.py:9:2: warning: near
# error: -: no such thing
# error: @other.py:3:4: in another
# error: @9:1: far away
# warning: @-1:2: near
END
plant fail_vacuous <<END
$run
END
plant fail_slow <<END
# run: sleep 30 # %s
# limit: 1
# expect: success
END
plant pass_success <<END
$run
# expect: success
END
plant skipped <<END
# skip: needs a machine
END
plant helper <<END
# A module that tests import: not a test.
END
echo 'exit 0' >"$root/test/check/good.sh"
printf 'echo "no network"\nexit 77\n' >"$root/test/check/skip.sh"
printf 'echo "broke"; exit 3\n' >"$root/test/check/bad.sh"
printf '\n# full: slow\nexit 1\n' >"$root/test/check/slow.sh"

status=0
NESO_SANITIZED= sh scripts/run-tests -b "$TMP/build" -r "$root" -j 4 >"$TMP/out" 2>&1 || status=$?
cat "$TMP/out"
[ $status -eq 1 ]
filecheck_passed=1 filecheck_failed=1 filecheck_skipped=0
[ -n "$FILECHECK" ] || filecheck_passed=0 filecheck_failed=0 filecheck_skipped=2
# unit: a; b, crash, unknown; c.  front: error, elsewhere, success; column, line, unexpected, missing, status, vacuous, slow; skipped.
# check: good; bad; skip.
[ "$(tail -n 1 "$TMP/out")" = "$((1 + 3 + 1 + filecheck_passed + 1)) passed, $((3 + 7 + 1 + filecheck_failed)) failed, \
$((1 + 1 + 1 + filecheck_skipped)) skipped" ]
grep -q "missing: test/front/fail_missing.py:3:7: error: unknown name" "$TMP/out"
grep -q "unexpected: test/front/fail_unexpected.py:5:7: error: and another" "$TMP/out"
grep -q "left out: 1 slow" "$TMP/out"
! grep -q 'fail test/front/pass_' "$TMP/out"

# Only what a pattern selects; status 0 when all of it passes.
sh scripts/run-tests -b "$TMP/build" -r "$root" pass_success >"$TMP/out"
[ "$(tail -n 1 "$TMP/out")" = "1 passed, 0 failed, 0 skipped" ]

# Unit tests that were not built are skipped.
rm "$TMP/build/test/unit_tests"
sh scripts/run-tests -b "$TMP/build" -r "$root" planted_test >"$TMP/out"
[ "$(tail -n 1 "$TMP/out")" = "0 passed, 0 failed, 1 skipped" ]
