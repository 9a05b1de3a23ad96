# Tiles that threads take beside products, as a bias of each row and key, or weights of int8: they come by TMA, and warps
# do not meet for them. Masks that are added to products are in branches that most iterations do not take.
set -u
[ -f "$NESO_BUILD/libneso-codegen.so" ] || { echo "built without LLVM"; exit 77; }
file=test/gpu/beside.py failed=0 h="*fp16:16"
wrong() { echo "$*"; failed=1; }
run() { # KERNEL ARG...
	kernel=$1
	shift
	timeout 300 neso run "$file:$kernel" --target sim:sm_90a --schedules 2 --against interp --atol 0.02 --rtol 0.01 -q "$@" ||
		wrong "$kernel $*"
}
for way in "biased $h,$h,$h,$h,$h,i32:16,128,64,64,False" "biased $h,$h,$h,*i8:16,$h,i32:16,128,64,128,True" \
	"scaled $h,*i8:16,*fp32:16,i32:16,i32:16,128,128,64"; do
	kernel=${way%% *} types=${way#* }
	neso compile "$file:$kernel" -s "$types" --num-warps 8 --target sm_90a --why >"$TMP/why" || failed=1
	! grep "load copied" "$TMP/why" || wrong "$way: not by TMA"
	tiles=$(grep -c "load tensor-map" "$TMP/why")
	[ "$tiles" = $([ "$kernel" = biased ] && echo 3 || echo 2) ] || wrong "$way: $tiles tiles by TMA"
	neso compile "$file:$kernel" -s "$types" --num-warps 8 --target sm_90a --emit ttgir >"$TMP/k.ttgir" || failed=1
	sed -n '/scf.for/,/scf.yield/p' "$TMP/k.ttgir" >"$TMP/loop"
	[ "$kernel" = scaled ] || ! grep gpu.barrier "$TMP/loop" || wrong "$way: warps meet"
done
types="$h,$h,$h,$h,i32,128,64,64"
neso compile "$file:masked" -s "$types" --num-warps 8 --target sm_90a --stop-after guard-masks --emit ttgir --no-loc >"$TMP/k.ttgir" ||
	failed=1
product=$(grep -m 1 "warp_group_dot %" "$TMP/k.ttgir")
added=$(echo "$product" | sed 's/.*warp_group_dot %[^,]*, %[^,]*, \(%[^ ]*\) .*/\1/')
grep -q "^ *$added = arith.constant dense<0" "$TMP/k.ttgir" || wrong "a product adds to a mask: $product"
[ "$(grep -c 'scf.if .*tensor<128x64xf32' "$TMP/k.ttgir")" = 2 ] || wrong "two masks, and not two branches"
for n in 256 208 96; do
	run masked -g 2 randn:256x64:fp16 randn:${n}x64:fp16 randn:${n}x64:fp16 zeros:256x64:fp16 $n 128 64 64 --num-warps 8
	run masked -g 2 randn:256x64:fp16 randn:${n}x64:fp16 randn:${n}x64:fp16 zeros:256x64:fp16 $n 128 32 64 --num-warps 4 --num-stages 2
done
for n in 256 208; do
	run biased -g 2 randn:256x64:fp16 randn:${n}x64:fp16 randn:${n}x64:fp16 randn:256x$n:fp16 zeros:256x64:fp16 $n 128 64 64 False \
		--num-warps 8 --num-stages 2
	run biased -g 1 randn:128x128:fp16 randn:${n}x128:fp16 randn:${n}x128:fp16 full:128x$n:i8:1 zeros:128x128:fp16 $n 128 64 128 True \
		--num-warps 8
done
run scaled -g 1 randn:128x256:fp16 rand:256x128:i8 zeros:128x128:fp32 128 256 128 128 64 --num-warps 8 --atol 3 --rtol 0.02
exit $failed
