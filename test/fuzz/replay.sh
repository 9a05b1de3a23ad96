# Sourced by the checks that feed a reader with garbage. Before: `target` is a program of test/fuzz, `limit` the seconds of processor
# time for one text (five times that under sanitizers), `bytes` how long a repeated text grows at least, `libs` what it is linked with besides.
set -e
flags=
[ -z "$NESO_SANITIZED" ] || { flags=-fsanitize=$NESO_SANITIZED; limit=$((limit * 5)); }
${CC:-cc} -std=c17 -D_POSIX_C_SOURCE=200809L -O1 $flags -Isrc "test/fuzz/$target.c" "$NESO_BUILD/libneso_internal.a" \
	${libs:-} -pthread -lm -o "$TMP/fuzz"
replay() {
	status=0
	(ulimit -t "$limit" && timeout 300 "$TMP/fuzz" "$TMP/text") || status=$?
	[ $status -eq 0 ] || { echo "$1: status $status"; exit 1; }
}
# a text again and again; N is a newline
fill() {
	printf %s "$1" | tr N '\n' >"$TMP/text"
	while [ "$(wc -c <"$TMP/text")" -lt "$bytes" ]; do
		cat "$TMP/text" "$TMP/text" >"$TMP/twice"
		mv "$TMP/twice" "$TMP/text"
	done
	replay "$1"
}
