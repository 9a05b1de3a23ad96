# Text that is no IR ends in located errors: no crash, and in time that grows with the text; and so
# does each of some hundred mutations of real text.
target=fuzz_ir limit=10 bytes=4000000
. test/fuzz/replay.sh
head -c 8000000 /dev/urandom >"$TMP/text"
replay "random bytes"
head -c 8000000 /dev/zero >"$TMP/text"
replay "null bytes"
for unit in '(' '{' '"' '#a = loc(#a)N' '#a=' '%0 = N' '%0 = arith.addi %0, %0 : i32N' 'module {' 'tt.func @f() {N' 'loc(' 'tensor<4x' \
	'^b:N' 'scf.if %c {N' 'dense<[' '@"x"' '"a"(' 'tt.func @f() { tt.return }N' 'gpu.barrierN' '\' '-'; do
	fill "$unit"
done
for text in test/fuzz/corpus/fuzz_ir/* test/ir/text/mapp_raw.mlir test/ir/text/flow.mlir test/ir/verify_memory.mlir; do
	timeout 300 "$TMP/fuzz" -m 100 "$text" || { echo "$text: mutations"; exit 1; }
done
