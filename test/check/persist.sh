# Kernels whose CTAs run several programs give what the interpreter gives, under the simulator's checks, whatever the
# counts of programs and of CTAs are.
set -e
[ -e "$NESO_BUILD/libneso-codegen.so" ] || { echo "built without LLVM"; exit 77; }
export NESO_PERSIST=1
neso compile test/aot/persist.py:product --target sm_90a --emit ttgir --no-loc \
	-s "*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16,64,64,32" >"$TMP/ttgir"
grep -q 'neso.programs, tt.flatten' "$TMP/ttgir" || { echo "the kernel has no loop over programs"; exit 1; }

product() { # CTAS M N K BM BN BK OPTION...
	ctas=$1 m=$2 n=$3 k=$4 bm=$5 bn=$6 bk=$7
	shift 7
	NESO_PERSIST_CTAS=$ctas timeout 300 neso run test/aot/persist.py:product --target sim:sm_90a --against interp --atol 0.02 \
		--rtol 0.01 -q -g $(((m + bm - 1) / bm * ((n + bn - 1) / bn))) "$@" \
		"rand:${m}x$k:fp16" "rand:${k}x$n:fp16" "zeros:${m}x$n:fp16" "$m" "$n" "$k" "$bm" "$bn" "$bk" ||
		{ echo "${m}x${n}x$k of $bm, $bn, $bk by $ctas CTAs: $*"; exit 1; }
}
for ctas in 1 3 6 7; do
	product $ctas 192 128 160 64 64 32 --schedules 2
done
product 2 192 128 16 64 64 32 --check           # one iteration, of which half is there
product 3 192 256 128 128 64 64 --check --num-warps 8
product 3 200 136 72 64 64 32 --check --num-stages 4 # no tile divides the sizes
product 2 192 128 160 64 64 32 --check --num-stages 1
NESO_WARP_SPECIALIZE=1 product 3 192 128 160 64 64 32 --check
# A product of each batch: programs along axis 1 too.
for ctas in 2 5 9; do
	NESO_PERSIST_CTAS=$ctas timeout 300 neso run bench/gpu/dot_kernels.py:batched --target sim:sm_90a --against interp --atol 0.02 \
		--rtol 0.01 -q -g 6,3 --check rand:3x192x160:fp16 rand:3x160x128:fp16 zeros:3x192x128:fp16 192 128 160 64 64 32 8 ||
		{ echo "batches by $ctas CTAs"; exit 1; }
done
# Programs that take the longer, or the shorter, the farther they stand along axis 0: some lines of them, and so many that
# there are groups.
triangle() { # CTAS X Y Z FALLS OPTION...
	ctas=$1 x=$2 y=$3 z=$4 falls=$5 n=$(($2 * 64)) rows=$(($2 * 64 * $3 * $4))
	shift 5
	NESO_PERSIST_CTAS=$ctas timeout 300 neso run test/aot/persist.py:triangle --target sim:sm_90a --against interp --atol 0.5 \
		--rtol 0.02 -q -g "$x,$y,$z" "$@" "rand:${rows}x64:fp16" "zeros:${rows}x64:fp32" $n 64 "$falls" ||
		{ echo "$x, $y, $z programs by $ctas CTAs: falls $falls $*"; exit 1; }
}
neso compile test/aot/persist.py:triangle --target sm_90a --emit ttgir --no-loc -s "*fp16:16,*fp32:16,i32:16,64,False" >"$TMP/ttgir"
grep -q 'neso.programs, tt.flatten' "$TMP/ttgir" || { echo "the triangle has no loop over programs"; exit 1; }
! grep -q 'neso.uneven' "$TMP/ttgir" || { echo "which programs are long is not known"; exit 1; }
triangle 5 4 3 1 False --check
triangle 7 5 3 2 True --schedules 2
NESO_WARP_SPECIALIZE=1 triangle 7 5 3 1 False --check
triangle 11 32 17 2 False
triangle 11 32 11 3 True # groups of 16 lines and of 17
# A CTA for each program, along all axes.
triangle 100 4 3 2 False --check
NESO_PERSIST_CTAS=100 timeout 300 neso run bench/gpu/dot_kernels.py:batched --target sim:sm_90a --against interp --atol 0.02 \
	--rtol 0.01 -q -g 6,3 --check rand:3x192x160:fp16 rand:3x160x128:fp16 zeros:3x192x128:fp16 192 128 160 64 64 32 8 ||
	{ echo "batches, a CTA for each"; exit 1; }
# More programs than the GPU holds by itself, and fewer.
product 0 1280 1280 32 64 64 32
product 0 128 128 32 64 64 32
# Random products, from a fixed seed and from a fresh one.
difftest --products --seconds 6 --seed 1 --jobs 1 --target sim:sm_90a --findings 1
NESO_PERSIST_CTAS=2 difftest --products --seconds 6 --seed 1000 --jobs 1 --target sim:sm_90a --findings 1
NESO_PERSIST_CTAS=1 difftest --products --seconds 6 --seed "$(date +%s)" --jobs 1 --target sim:sm_90a --findings 1
# Random loops of products, alone and with all that warps with roles and several programs a CTA do.
NESO_PERSIST=0 difftest --loops --seconds 6 --seed 1 --jobs 1 --target sim:sm_90a --findings 1
NESO_WARP_SPECIALIZE=1 NESO_PERSIST_CTAS=2 difftest --loops --seconds 8 --seed "$(date +%s)" --jobs 1 --target sim:sm_90a --findings 1
