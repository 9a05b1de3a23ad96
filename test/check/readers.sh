# What comes from outside as text ends in messages: Python that is lowered, TTGIR with its layouts, the line that says how a kernel is
# launched, JSON, signatures, LLIR. Real texts, what fuzzing found (test/fuzz/corpus), and some hundred mutations of each.
bytes=400000
run() {
	for file in "$@" "test/fuzz/corpus/$target"/*; do
		[ -f "$file" ] || continue
		(ulimit -t $((limit * 2)) && timeout 300 "$TMP/fuzz" -m "$mutations" "$file") || { echo "$target: $file"; exit 1; }
	done
}
target=fuzz_words limit=20 libs="-I. -Iinclude cli/json.c" mutations=2000
. test/fuzz/replay.sh
for unit in '0[' '0{"a":' '0"' '0\u' '1// neso: ' '1 threads=' '1// neso: kernel=a args=p threads=32 cluster=1 '; do
	fill "$unit"
done
run
target=fuzz_lower limit=20 libs= mutations=40
. test/fuzz/replay.sh
run test/front/branches.py test/front/loops.py test/front/functions.py test/front/tile_ir.py examples/softmax.py
target=fuzz_signature libs="-Iinclude -lcrypto -lzstd -ldl" mutations=0
. test/fuzz/replay.sh
timeout 300 "$TMP/fuzz" -m 5000 || { echo "fuzz_signature"; exit 1; }
if [ -f "$NESO_BUILD/libneso-codegen.so" ]; then
	libs=
	target=fuzz_ttgir mutations=60
	. test/fuzz/replay.sh
	run test/ttgir/convert.mlir test/llvm/local.mlir test/llvm/dot_shared.mlir test/llvm/reduce.mlir
fi
if [ -x "$NESO_BUILD/test/fuzz_llir" ]; then
	timeout 300 "$NESO_BUILD/test/fuzz_llir" -m 200 || { echo "fuzz_llir: sample"; exit 1; }
	timeout 300 "$NESO_BUILD/test/fuzz_llir" -m 20 test/fuzz/corpus/fuzz_llir/* || { echo "fuzz_llir: corpus"; exit 1; }
fi
