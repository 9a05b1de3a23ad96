# docs/adding.md, "An op": its steps are complete. An op that has a block and nothing else lacks, at link,
# the hooks that the page names, and no others; where the page's example stands in src, the page says so;
# what the language has, Python has.
set -eu
bad=0
section=$(sed -n '/^## An op/,/^## A pass/p' docs/adding.md)
commands=$NESO_BUILD/compile_commands.json
[ -f "$commands" ] && [ -f "$NESO_BUILD/libneso-codegen.so" ] || { echo "built without LLVM"; exit 77; }

mkdir -p "$TMP/src/ir"
op() { # NAME FOLD
	echo "OP($1, \"tt.trial\", TG, TAKES(1, 1, \"t\"), GIVES(1, 1, \"t\"), NO_REGIONS, PURE, ANY, ARROW, NO_ATTRS," \
		"RULES(RULE, $2, NONE), TILES(RULE, PLAIN, RULE, RULE, RULE), \"\")"
}
{
	sed '/^#undef/,$d' src/ir/ops.def
	op SOURCE moves
	op WHOLE whole
	echo 'FLOAT1(CELLS, "math.trial", PLAIN, "")'
	sed -n '/^#undef/,$p' src/ir/ops.def
} >"$TMP/src/ir/ops.def"
for file in $(grep -lrE '"ir/ops\.def"' src --include=*.c); do
	command=$(sed -n "s|.*\"command\": \"\(.*\) -o [^ ]* -c [^ ]*/$file\".*|\1|p" "$commands" | head -n 1 | sed 's/\\"/"/g')
	[ -n "$command" ] || continue
	(cd "$NESO_BUILD" && eval "$command -w -O0 -iquote '$TMP/src' -o '$TMP/one.o' -c '$OLDPWD/$file'")
	nm -u "$TMP/one.o" | sed -n 's/.* \([a-z_]*_\(RULE\|CELLS\|SOURCE\|WHOLE\)\)$/\1/p'
done | sed -E 's/_(CELLS|SOURCE|WHOLE)$/_NAME/' | sort -u >"$TMP/wanted"
echo "$section" | sed -n 's/.*| link: \(.*\) |$/\1/p' | tr -d '` ' | tr ',' '\n' | sort -u >"$TMP/named"
diff "$TMP/named" "$TMP/wanted" >"$TMP/diff" || { echo "hooks that docs/adding.md names (<), that an op lacks (>):"; cat "$TMP/diff"; bad=1; }

for file in $(grep -rlw EXP2 src --include=*.c --include=*.def); do
	name=${file#src/}
	echo "$section" | grep -qF -e "$name\`" -e "\`$(basename "$name")\`" || { echo "docs/adding.md does not name $name, which has EXP2"; bad=1; }
done

for name in $(sed -nE 's/^BUILTIN\("([a-z_0-9]+)", IN_TL \| IN_MATH.*/\1/p' src/front/builtin/builtins.def); do
	for file in math core signatures; do
		[ "$file" = core ] && ! grep -q "^BUILTIN(\"$name\",.*OF_TENSOR" src/front/builtin/builtins.def && continue
		grep -qw "$name" "python/neso/language/$file.py" || { echo "python/neso/language/$file.py has no $name"; bad=1; }
	done
	if grep -q "^BUILTIN(\"$name\", IN_TL " src/front/builtin/builtins.def && ! grep -qw "$name" python/neso/language/__init__.py; then
		echo "python/neso/language/__init__.py has no $name"
		bad=1
	fi
done
exit $bad
