# Manual pages and completions say what the tables of the command say, are installed, and work: groff renders the pages without a
# word, bash completes by the installed script, zsh and fish read theirs.
set -eu
prefix=$TMP/prefix
cmake --install "$NESO_BUILD" --prefix "$prefix" >"$TMP/log" || { cat "$TMP/log"; exit 1; }
man=$prefix/share/man/man1
commands=$(neso --help | sed -n 's/^  \([a-z]*\) .*/\1/p' | grep -vw neso)
[ "$(echo "$commands" | wc -w)" -ge 11 ]
bad=0
fault() { echo "$*"; bad=1; }

# A page for each command, with each of its options as --help has them.
for command in $commands; do
	page=$man/neso-$command.1
	[ -f "$page" ] || { fault "neso-$command.1 is not installed"; continue; }
	sed 's/\\-/-/g; s/\\(aq/'"'"'/g' "$page" >"$TMP/plain"
	neso "$command" --help | sed -n '/^Options:/,/^$/s/^ .*--\([a-z-]*\).*/\1/p' >"$TMP/options"
	[ -s "$TMP/options" ]
	while read -r option; do
		grep -qE "^\.B (-., )?--$option( |\$)" "$TMP/plain" || fault "neso-$command.1 lacks --$option"
	done <"$TMP/options"
	grep -q "neso-$command (1)" "$TMP/plain" || grep -q "^\.TH NESO-" "$TMP/plain" || fault "neso-$command.1 has no title"
	[ "$(neso manual "$command")" = "$(cat "$page")" ] || fault "neso manual $command is not the installed page"
done
grep -q '^\.B NESO_TARGET' "$man/neso.1" || fault "neso.1 has no settings"
neso manual nothing 2>"$TMP/err" && fault "a command that is not there has a page"
grep -q "no command 'nothing'" "$TMP/err"
neso manual --format html 2>"$TMP/err" && fault "a format that is not there is taken"
grep -q "man or markdown" "$TMP/err"
neso completion tcsh 2>"$TMP/err" && fault "a shell that is not there is taken"
grep -q "bash, zsh and fish" "$TMP/err"
if command -v groff >/dev/null; then
	for page in "$man"/*.1; do
		groff -man -ww -Tutf8 "$page" >"$TMP/shown" 2>"$TMP/err" || fault "groff fails on $page"
		[ ! -s "$TMP/err" ] || { cat "$TMP/err"; fault "groff warns of $page"; }
	done
	groff -man -Tascii -P-c "$man/neso-run.1" | col -b 2>/dev/null | grep -q -- '-g, --grid G' || fault "neso-run.1 shows no --grid"
else
	echo "groff is not there: pages are not rendered"
fi

# COMPREPLY of a command line whose last word is being completed.
if command -v bash >/dev/null; then
	cat >"$TMP/complete" <<'END'
. "$1"; shift
COMP_LINE="$*" COMP_POINT=${#COMP_LINE}
COMP_WORDS=()
for word; do # as readline parts words
	while [[ $word == *[:=]* && $word != [:=] ]]; do
		[[ $word =~ ^([^:=]*)([:=])(.*)$ ]]
		[[ -z ${BASH_REMATCH[1]} ]] || COMP_WORDS+=("${BASH_REMATCH[1]}")
		COMP_WORDS+=("${BASH_REMATCH[2]}")
		word=${BASH_REMATCH[3]}
	done
	COMP_WORDS+=("$word")
done
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_neso
echo "${COMPREPLY[*]}"
END
	completes() { # WANTED WORD...
		wanted=$1
		shift
		found=$(bash "$TMP/complete" "$prefix/share/bash-completion/completions/neso" "$@")
		[ "$found" = "$wanted" ] || fault "'$*' completes to '$found', not '$wanted'"
	}
	completes "compile completion" neso comp
	completes "--print" neso run --pri
	completes "--grid" neso run x.py:k --gri
	completes "sm_80 sm_86 sm_87 sm_89" neso run --target sm_8
	completes "sm_80 sm_86 sm_87 sm_89" neso compile --target=sm_8
	completes "sm_75,sm_90 sm_75,sm_90a" neso compile --target sm_75,sm_90
	completes "ttir-raw ttir" neso compile -e tti
	completes "generic" neso compile --constexpr g
	completes "stats show" neso cache s
	completes "lsp list layout" neso help l
	completes "examples/softmax.py" neso list examples/soft
	completes "softmax_kernel" neso run examples/softmax.py:soft
	completes "bash" neso completion b
fi
for shell in zsh:zsh/site-functions/_neso fish:fish/vendor_completions.d/neso.fish; do
	file=$prefix/share/${shell#*:}
	[ -s "$file" ] || fault "$file is not installed"
	if command -v "${shell%%:*}" >/dev/null; then
		"${shell%%:*}" -n "$file" || fault "${shell%%:*} does not read $file"
	fi
done
if command -v fish >/dev/null; then
	HOME=$TMP fish -c "source $prefix/share/fish/vendor_completions.d/neso.fish; complete -C 'neso run --target sm_8'" >"$TMP/fish"
	grep -q '^sm_86' "$TMP/fish" || fault "fish completes no target"
fi
exit $bad
