# Each rule of docs/language.md names a test that is there.
set -eu
bad=0
page=docs/language.md
tests=$(grep -oE '`test/[a-z_0-9/]+\.(py|c|mlir|sh)(:[a-z_0-9]+)?`' "$page" | tr -d '`' | sort -u)
[ -n "$tests" ] || { echo "$page names no test"; exit 1; }
for test in $tests; do
	file=${test%%:*}
	[ -f "$file" ] || { echo "$page names $file, which is not there"; bad=1; continue; }
	[ "$file" = "$test" ] || grep -qE "(def|void) ${test##*:}\(" "$file" ||
		{ echo "$page names ${test##*:} of $file, which is not there"; bad=1; }
done
# A rule is an item of a list, up to the next one.
awk '
	function done() { if (rule != "" && !named) { print "no test: " rule; bad = 1 } rule = ""; named = 0 }
	/^- / { done(); rule = $0 }
	/^#/ { done() }
	rule != "" && /`test\// { named = 1 }
	END { done(); exit bad }
' "$page" || bad=1
exit $bad
