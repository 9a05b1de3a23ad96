# Lines are no longer than scripts/check-style allows, and it sees those that are.
set -u
sh scripts/check-style >"$TMP/out" || { grep 'too long' "$TMP/out"; exit 1; }
long=$(printf '%0120d' 0)
mkdir -p "$TMP/src" "$TMP/docs" "$TMP/scripts"
echo "int a; /* $long */" >"$TMP/src/code.c"
printf '/* %s\n */\nint a;\n' "$(printf '%0105d' 0)" >"$TMP/src/comment.c"
printf 'int b%s;\n' "$(printf '%0100d' 0)" >"$TMP/src/good.c"
printf '%s\n\n| %s |\n\n```\n%s\n```\n' "$long" "$long" "$long" >"$TMP/docs/page.md"
echo "$long" >"$TMP/docs/old.md"
echo "1 docs/old.md" >"$TMP/scripts/long-lines"
sh scripts/check-style "$TMP" >"$TMP/out" && { echo "long lines pass"; exit 1; }
grep 'too long' "$TMP/out" | sed 's/:.*//' | sort | tr '\n' ' ' >"$TMP/found"
[ "$(cat "$TMP/found")" = "docs/page.md src/code.c src/comment.c " ] || { cat "$TMP/out"; exit 1; }
echo short >"$TMP/docs/old.md"
sh scripts/check-style --shrink "$TMP" >"$TMP/out"
[ ! -s "$TMP/scripts/long-lines" ] || { echo "the list does not shrink"; exit 1; }
