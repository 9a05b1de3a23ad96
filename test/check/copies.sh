# Products of fp16 and int8 in all orders of the operands: tiles are copied 16 bytes at once, and fragments come by ldmatrix alone; or
# wgmma reads them where they are. Without tensor maps first; with them those tiles go by TMA, and others as before. Bytes that are turned
# round for wgmma may be copied an iteration earlier than the stages say.
set -u
neso=$NESO_BUILD/neso
[ -e "$NESO_BUILD/libneso-codegen.so" ] || { echo "built without LLVM"; exit 77; }
bad=0
stages=3
for target in sm_90 sm_90a; do for tile in "128 128 32 4" "128 128 64 8" "128 256 32 8" "64 64 64 4" "32 64 32 2"; do
	set -- $tile
	for kind in fp16 i8; do for order in "i32:16,1,i32:16,1" "i32:16,1,1,i32:16" "1,i32:16,i32:16,1" "1,i32:16,1,i32:16"; do
		k=$3 out=fp32 sum=tl.float32
		[ $kind = i8 ] && k=$((2 * $3)) out=i32 sum=tl.int32
		types="*$kind:16,*$kind:16,*$out:16,i32:16,i32:16,i32:16,$order,$1,$2,$k,True,'tf32',$sum"
		NESO_SKIP_PASSES=map-loads "$neso" compile test/gpu/pipeline.py:matmul --signature "$types" --target $target --num-warps "$4" \
			--num-stages $stages --emit ptx >"$TMP/k.ptx" || exit 1
		copies=$((($1 + $2) * $3 * 2 / 16 / (32 * $4) * stages))
		wide=$(grep -c 'cp\.async\.cg\..*, 16' "$TMP/k.ptx")
		narrow=$(grep -c 'cp\.async\.ca\.' "$TMP/k.ptx")
		matrices=$(grep -c 'ldmatrix\|wgmma.mma_async' "$TMP/k.ptx")
		# What is loaded in front of the last product; behind it an epilogue may do as it likes.
		words=$(awk '/mma\.sync/ { before = n } /ld\.shared/ { n++ } END { print before + 0 }' "$TMP/k.ptx")
		if grep -q ldmatrix "$TMP/k.ptx" && grep -q wgmma.mma_async "$TMP/k.ptx" && [ "$wide" = $((copies / stages * (stages + 1))) ]; then
			copies=$wide
		fi
		if [ "$wide $narrow $words" != "$copies 0 0" ] || [ "$matrices" = 0 ]; then
			echo "$target, $kind, tile $tile, strides $order: $wide of $copies wide copies, $narrow others, $matrices ldmatrix, $words loads of words"
			bad=1
		fi
		"$neso" compile test/gpu/pipeline.py:matmul --signature "$types" --target $target --num-warps "$4" --num-stages $stages \
			--emit ptx >"$TMP/m.ptx" || exit 1
		tensors=$(grep -c 'cp\.async\.bulk\.tensor.*mbarrier' "$TMP/m.ptx")
		left=$(grep -c 'cp\.async\.cg\..*, 16' "$TMP/m.ptx")
		if [ "$left" -gt "$wide" ] || { [ $kind = fp16 ] && grep -q wgmma.mma_async "$TMP/m.ptx" && [ "$tensors $left" = "0 $left" ]; } ||
			{ [ "$tensors" = 0 ] && [ "$left" != "$wide" ]; }; then
			echo "$target, $kind, tile $tile, strides $order: $tensors copies by TMA and $left others, $wide without"
			bad=1
		fi
	done; done
done; done
exit $bad
