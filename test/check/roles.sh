# Warps with roles: the simulator's checks and orders find nothing, results are the interpreter's; planted faults are found.
set -u
[ -f "$NESO_BUILD/libneso-codegen.so" ] || { echo "built without LLVM"; exit 77; }
failed=0
run() { # KERNEL GRID ARGUMENTS...: under all checks, in two orders
	kernel=$1 grid=$2
	shift 2
	timeout 300 neso run "test/gpu/roles.py:$kernel" --target sim:sm_90a --schedules 2 --against interp --atol 0.02 --rtol 0.01 -q \
		-g "$grid" "$@" >"$TMP/out" 2>&1 || { echo "$kernel $*:"; head -20 "$TMP/out"; failed=1; }
}
# KERNEL TYPE M N K BM BN BK, ALONG_K where it has it, stages, warps, grid
product() {
	run product "${11}" "rand:$2x$4:$1" "rand:$4x$3:$1" "zeros:$2x$3:fp16" "$2" "$3" "$4" "$5" "$6" "$7" "$8" True "$9" --num-warps "${10}"
}
product fp16 128 64 400 64 64 32 False 3 4 2,1
product fp16 200 136 280 128 64 32 False 4 8 2,3
product fp16 64 64 32 64 64 32 False 2 4 1,1
product fp16 64 64 0 64 64 32 False 3 4 1,1
product fp16 64 128 512 64 128 64 True 4 4 1,1
product bf16 128 64 160 128 64 32 False 3 8 1,1
product fp8e4nv 64 64 208 64 64 64 True 3 4 1,1
product fp8e5 128 64 128 128 64 32 True 2 8 1,1
product fp32 64 64 100 64 64 32 True 3 4 1,1
array() { echo "rand:$1:$2"; }
for kernel in persistent pointers; do
	grid=3
	[ $kernel = pointers ] && grid=4,3
	run $kernel $grid "$(array 256x328 fp16)" "$(array 328x136 fp16)" zeros:256x136:fp16 256 136 328 64 64 32 True 3 --num-warps 4
	run $kernel $grid "$(array 256x32 fp16)" "$(array 32x136 fp16)" zeros:256x136:fp16 256 136 32 128 64 32 True 3 --num-warps 8
done
run persistent 2 "$(array 256x0 fp16)" "$(array 0x128 fp16)" zeros:256x128:fp16 256 128 0 64 64 32 True 3 --num-warps 4
run attention 2 "$(array 256x64 fp16)" "$(array 320x64 fp16)" "$(array 320x64 fp16)" zeros:256x64:fp16 320 0.125 128 64 64 True 3 --num-warps 8
run attention 1 "$(array 128x128 fp16)" "$(array 192x128 fp16)" "$(array 192x128 fp16)" zeros:128x128:fp16 192 0.125 128 64 128 True 3 --num-warps 8

# Drawn: kernel, type, sizes, tile, stages and warps. ROLES_SEED=N draws the same again.
seed=${ROLES_SEED:-$(date +%s)} count=${ROLES_COUNT:-6}
before=$failed
awk -v seed="$seed" -v count="$count" '
function draw(list, parts) { return parts[1 + int(rand() * split(list, parts))] }
BEGIN {
	srand(seed)
	while (count-- > 0) {
		type = draw("fp16 bf16 fp8e4nv fp32"); along = type == "fp16" || type == "bf16" ? draw("True False") : "True"
		warps = draw("4 4 8"); bm = warps == 8 ? draw("128 256") : draw("64 128"); bn = draw("32 64 128")
		bk = type == "fp8e4nv" ? draw("64 128") : type == "fp32" ? draw("16 32") : draw("32 64")
		kernel = type == "fp16" || type == "bf16" ? draw("product product persistent pointers") : "product"
		print kernel, type, 16 * (1 + int(rand() * 16)), 16 * (1 + int(rand() * 12)), 16 * int(rand() * 30), bm, bn, bk, along, draw("2 3 4"), warps
	}
}' >"$TMP/drawn"
while read -r kernel type m n k bm bn bk along stages warps; do
	[ $along = True ] && [ $kernel = product ] && b="rand:${n}x$k:$type" || b="rand:${k}x$n:$type"
	grid=$(((m + bm - 1) / bm)),$(((n + bn - 1) / bn)) more=
	[ $kernel = product ] && more=$along
	[ $kernel = persistent ] && grid=2
	# shellcheck disable=SC2086
	run $kernel $grid "rand:${m}x$k:$type" "$b" "zeros:${m}x$n:fp16" "$m" "$n" "$k" "$bm" "$bn" "$bk" $more True "$stages" --num-warps "$warps"
done <"$TMP/drawn"
[ $failed = $before ] || echo "drawn by ROLES_SEED=$seed"

# What asks is specialised; nothing is where the setting says so, and all that can be where it says that.
product_ttgir() { # SPECIALISE
	neso compile test/gpu/roles.py:product --target sim:sm_90a --emit ttgir --no-loc -s "*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16,64,64,32,False,$1,3"
}
product_ttgir True >"$TMP/asks" && product_ttgir False >"$TMP/plain" || exit 1
NESO_WARP_SPECIALIZE=0 product_ttgir True | sed 's/, tt.warp_specialize//' >"$TMP/none"
NESO_WARP_SPECIALIZE=1 product_ttgir False >"$TMP/all"
for file in asks all; do
	grep -q 'ttg.warp_specialize(' "$TMP/$file" || { echo "$file: no roles"; failed=1; }
done
for file in plain none; do
	grep -q 'ttg.warp_specialize(' "$TMP/$file" && { echo "$file: roles"; failed=1; }
done
cmp "$TMP/plain" "$TMP/none" || { echo "without roles the code differs"; failed=1; }

# Registers move where two CTAs share an SM (not in the variant for few programs), and nowhere needlessly; ptxas has nothing to say, and nothing is spilled.
command -v ptxas >/dev/null || [ -x /usr/local/cuda/bin/ptxas ] && for case in \
	"128,128,64,False 4 fp16 setmaxnreg.inc.sync.aligned.u32 216" "128,256,64,False 8 fp16" "256,128,64,False 8 fp16" "64,128,64,False 4 fp16" \
	"128,128,64,False 8 bf16" "128,128,128,True 4 fp8e4nv setmaxnreg.inc.sync.aligned.u32 216" "128,256,128,True 8 fp8e4nv" "256,128,128,True 8 fp8e5"; do
	set -- $case
	types="*$3:16,*$3:16,*fp16:16,i32:16,i32:16,i32:16,$1,True,3"
	NESO_PERSIST=0 neso compile test/gpu/roles.py:product -s "$types" --num-warps "$2" --target sm_90a --emit cubin --stats -o /dev/null >"$TMP/out" 2>&1 ||
		{ echo "$case: does not assemble"; cat "$TMP/out"; failed=1; }
	grep -qE 'C75|C76|Performance Loss|[1-9][0-9]* bytes spilled' "$TMP/out" && { echo "$case:"; cat "$TMP/out"; failed=1; }
	NESO_PERSIST=0 neso compile test/gpu/roles.py:product -s "$types" --num-warps "$2" --target sm_90a --emit ptx -o "$TMP/ptx"
	if [ $# -gt 3 ]; then
		grep -q "$4 $5" "$TMP/ptx" || { echo "$case: no $4 $5"; failed=1; }
	else
		grep -q setmaxnreg "$TMP/ptx" && { echo "$case: registers move"; failed=1; }
	fi
done

# Faults, in a loop whose slots are used several times.
run_with() { # STAGE FILE
	TRITON_KERNEL_OVERRIDE=$1 timeout 300 neso run test/gpu/roles.py:product --target sim:sm_90a --check -q -g 1,1 rand:64x512:fp16 \
		rand:512x64:fp16 zeros:64x64:fp16 64 64 512 64 64 32 False True 3 >"$TMP/out" 2>&1
}
neso compile test/gpu/roles.py:product --target sm_90a --emit ttgir -s "*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16,64,64,32,False,True,3" \
	-o "$TMP/product.ttgir" || exit 1
neso compile test/gpu/roles.py:product --target sm_90a --emit llir -s "*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16,64,64,32,False,True,3" \
	-o "$TMP/product.llir" || exit 1
for stage in ttgir llir; do
	run_with "$TMP/product.$stage" || { echo "as it was:"; cat "$TMP/out"; failed=1; }
done
planted() { # STAGE, sed SCRIPT, what is to be found
	sed "$2" "$TMP/product.$1" >"$TMP/faulty.$1"
	cmp -s "$TMP/product.$1" "$TMP/faulty.$1" && { echo "$2 changes nothing"; failed=1; }
	run_with "$TMP/faulty.$1" && { echo "$2: nothing was found"; failed=1; }
	grep -qE "$3" "$TMP/out" || { echo "$2: found is not $3:"; head -20 "$TMP/out"; failed=1; }
}
# A slot is filled that was not freed; is freed by nobody; is read before it is filled.
planted ttgir '/ttng.wait_free/d' 'error: (race|missing wait)'
planted ttgir '/ttng.arrive_barrier/d' 'error: .*deadlock'
planted ttgir '/ttng.wait_barrier/d' 'error: (race|missing wait|.*(never|not) written)'
# It is freed while products of the iteration before may read it; or the slot of this iteration is.
planted ttgir 's/pendings = 1/pendings = 2/' 'error: (race|missing wait)'
planted ttgir 's/\(ttg.memdesc_index %[0-9]*\)\[%[0-9]*\]\(.*1xi64.*\)/\1[%c0_i32]\2/' 'error: .*(deadlock|race|missing wait)'
# Arrivals: one is missing, one is too many; bytes that never come.
planted ttgir 's/count = 4 : i32/count = 5 : i32/' 'error: .*deadlock'
planted ttgir 's/count = 4 : i32/count = 2 : i32/' 'error: (race|missing wait|deadlock)'
planted ttgir 's/size = 8192 : i32/size = 8208 : i32/' 'error: .*(deadlock|bytes)'
# The phase does not turn round.
planted ttgir 's/arith.xori/arith.ori/' 'error: .*(deadlock|race|missing wait|written)'
# Those who are to copy are not told, or do not meet.
planted llir 's/store volatile i32 1,/store volatile i32 0,/' 'error: .*(deadlock|barrier)'
planted llir '0,/call void @neso.named_barrier/s/call void @neso.named_barrier.*/; &/' 'error: .*(deadlock|race|barrier|written)'
exit $failed
