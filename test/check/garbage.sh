# Text that is no Python ends in located errors: 2 s for 10 MB, no crash. The limits here, of processor time, leave room
# for busy machines and sanitizers.
set -e
flags=
limit=4
[ -z "$NESO_SANITIZED" ] || { flags=-fsanitize=address,undefined; limit=20; }
${CC:-cc} -std=c17 -D_POSIX_C_SOURCE=200809L -O1 $flags -Isrc test/fuzz/fuzz_parse.c "$NESO_BUILD/libneso_internal.a" \
	-pthread -lm -o "$TMP/fuzz"
replay() {
	status=0
	(ulimit -t "$limit" && timeout 60 "$TMP/fuzz" "$TMP/text") || status=$?
	[ $status -eq 0 ] || { echo "$1: status $status"; exit 1; }
}
# a text again and again; N is a newline
fill() {
	printf %s "$1" | tr N '\n' >"$TMP/text"
	while [ "$(wc -c <"$TMP/text")" -lt 8000000 ]; do
		cat "$TMP/text" "$TMP/text" >"$TMP/twice"
		mv "$TMP/twice" "$TMP/text"
	done
	replay "$1"
}
head -c 10000000 /dev/urandom >"$TMP/text"
replay "random bytes"
head -c 10000000 /dev/zero >"$TMP/text"
replay "null bytes"
for unit in '(' '(((N' ')' '([{' '"' 'f"{' "f'{x:{y:" '$' '\' '-' 'x.' '1+' 'f(x,' 'if 1:' 'elif 1:N' 'if 1:N  xN y:N' '(N@(N' 'lambda:'; do
	fill "$unit"
done
