# docs/debugging.md tells the truth: its example is made as it stands there, its commands are run in order, and print what it says. Addresses
# may differ; blocks for a GPU are run where there is one.
set -eu
doc=$NESO_ROOT/docs/debugging.md
[ -x "$NESO_BUILD/test/difftest" ] || { echo "built without LLVM"; exit 77; }
cd "$TMP"
awk '/^```python/ { on = 1; next } /^```/ { on = 0 } on && /^# [a-z]*\.py$/ { file = $2 } on && file { print >file }' "$doc"
[ -s smooth.py ]
# One command a line: its number, "gpu" or "-", the command; what the document prints goes to NUMBER.said.
awk '/^```console/ { on = 1; where = $2 == "gpu" ? "gpu" : "-"; next } /^```/ { on = 0 }
	on && /^\$ / { n++; print n, where, substr($0, 3); printf "" >(n ".said"); next } on { print >(n ".said") }' "$doc" >commands
[ "$(wc -l <commands)" -ge 9 ]
plain() { sed 's/0x[0-9a-f]\{6,\}/ADDRESS/g'; }
gpu=$(neso info | sed -n 's/^gpus *//p')
while read -r number where command; do
	[ "$where" = - ] || case $gpu in none* | "") continue ;; esac
	sh -c "$command" >printed 2>&1 </dev/null || true
	plain <printed >printed.plain
	plain <"$number.said" >said.plain
	diff said.plain printed.plain >difference || { echo "$ $command"; cat difference; exit 1; }
done <commands
