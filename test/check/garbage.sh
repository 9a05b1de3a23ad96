# Text that is no Python ends in located errors, no crash, in time that grows with the text: the limits here, of processor time, leave room
# for busy machines and sanitizers.
target=fuzz_parse limit=20 bytes=8000000
. test/fuzz/replay.sh
head -c 10000000 /dev/urandom >"$TMP/text"
replay "random bytes"
head -c 10000000 /dev/zero >"$TMP/text"
replay "null bytes"
for unit in '(' '(((N' ')' '([{' '"' 'f"{' "f'{x:{y:" '$' '\' '-' 'x.' '1+' 'f(x,' 'if 1:' 'elif 1:N' 'if 1:N  xN y:N' '(N@(N' 'lambda:'; do
	fill "$unit"
done
for text in examples/attention.py examples/layer_norm.py; do
	timeout 300 "$TMP/fuzz" -m 100 "$text" || { echo "$text: mutations"; exit 1; }
done
