# Text that is no IR ends in located errors: 2 s for 8 MB (of processor time, 10 s under sanitizers), no crash; and so
# does each of some hundred mutations of real text.
set -e
flags=
limit=2
[ -z "$NESO_SANITIZED" ] || { flags=-fsanitize=address,undefined; limit=10; }
${CC:-cc} -std=c17 -D_POSIX_C_SOURCE=200809L -O1 $flags -Isrc test/fuzz/fuzz_ir.c "$NESO_BUILD/libneso_internal.a" \
	-pthread -lm -o "$TMP/fuzz"
replay() {
	status=0
	(ulimit -t "$limit" && timeout 60 "$TMP/fuzz" "$TMP/text") || status=$?
	[ $status -eq 0 ] || { echo "$1: status $status"; exit 1; }
}
# a text again and again; N is a newline
fill() {
	printf %s "$1" | tr N '\n' >"$TMP/text"
	while [ "$(wc -c <"$TMP/text")" -lt 4000000 ]; do
		cat "$TMP/text" "$TMP/text" >"$TMP/twice"
		mv "$TMP/twice" "$TMP/text"
	done
	replay "$1"
}
head -c 8000000 /dev/urandom >"$TMP/text"
replay "random bytes"
head -c 8000000 /dev/zero >"$TMP/text"
replay "null bytes"
for unit in '(' '{' '"' '#a = loc(#a)N' '#a=' '%0 = N' '%0 = arith.addi %0, %0 : i32N' 'module {' 'tt.func @f() {N' 'loc(' 'tensor<4x' \
	'^b:N' 'scf.if %c {N' 'dense<[' '@"x"' '"a"(' 'tt.func @f() { tt.return }N' 'gpu.barrierN' '\' '-'; do
	fill "$unit"
done
for text in test/ir/text/mapp_raw.mlir test/ir/text/flow.mlir test/ir/verify_memory.mlir; do
	timeout 100 "$TMP/fuzz" -m 100 "$text" || { echo "$text: mutations"; exit 1; }
done
