# Attention's backward for Hopper: what the compiler makes of bench/gpu/backward_kernels.py, counted without a GPU, and faults planted
# in it, which the simulator finds.
set -u
[ -f "$NESO_BUILD/libneso-codegen.so" ] || { echo "built without LLVM"; exit 77; }
kernels=bench/gpu/backward_kernels.py failed=0
h="*fp16:16" f="*fp32:16"
split() { echo "$h,$h,$h,$h,$h,$h,$h,$f,$f,fp32,i32:16,$1,32,128,128,32,2,$2"; } # D, causal
adding() { echo "$h,$h,$h,$h,$f,$h,$h,$f,$f,fp32,fp32,i32:16,$1,$2,$3,0"; }     # D, rows, keys
compile() { # KERNEL SIGNATURE WARPS STAGES OPTION...
	kernel=$1 signature=$2 warps=$3 stages=$4
	shift 4
	neso compile "$kernels:$kernel" -s "$signature" --num-warps "$warps" --num-stages "$stages" --no-loc "$@"
}
wrong() { echo "$*"; failed=1; }
has() { grep -q "$2" "$TMP/$1" || wrong "$1: no $2"; }
hasnt() { ! grep "$2" "$TMP/$1" || wrong "$1: $2"; }

# All five products are wgmma in all loops, with copies ahead by TMA, causal or not.
for d in 64 128; do
	for causal in 0 1; do
		for warps in 4 8; do
			name=why$d-$causal-$warps
			compile backward "$(split $d $causal)" $warps 5 --target sim:sm_90a --why >"$TMP/$name" || failed=1
			has "$name" "load tensor-map"
			has "$name" "loop rotated"
			hasnt "$name" "dot mma:"
			hasnt "$name" "no-wgmma"
			hasnt "$name" "no-load-ahead"
		done
	done
done

# The sums of heads of 128 do not fit into 4 warps: there are 8, unless the kernel looks at its threads.
has why128-0-4 "registers more-warps: 8 warps instead of 4, whose threads would hold 288 registers of sums and results"
hasnt why64-0-4 "more-warps"
hasnt why128-0-8 "more-warps"
NESO_SKIP_PASSES=choose-warps compile backward "$(split 128 0)" 4 5 --target sim:sm_90a --why >"$TMP/kept" || failed=1
hasnt kept "more-warps"
cat >"$TMP/looks.py" <<'EOF'
import triton
import triton.language as tl


@triton.jit
def product(a, b, c, n, LOOK: tl.constexpr):
    m, k = tl.arange(0, 128), tl.arange(0, 64)
    acc = tl.zeros([128, 256], tl.float32)
    for i in range(0, n):
        x = tl.load(a + i * 8192 + m[:, None] * 64 + k[None, :])
        y = tl.load(b + i * 16384 + k[:, None] * 256 + tl.arange(0, 256)[None, :])
        acc = tl.dot(x, y, acc)
    at = m[:, None] * 256 + tl.arange(0, 256)[None, :]
    if LOOK:
        acc += tl.inline_asm_elementwise("mov.u32 $0, %tid.x;", "=r,r", [at], tl.int32, is_pure=False, pack=1)
    tl.store(c + at, acc)
EOF
for look in 0 1; do
	neso compile "$TMP/looks.py:product" -s "$h,$h,$f,i32,$look" --target sm_90a --emit ttgir >"$TMP/look$look" || failed=1
done
has look0 '"ttg.num-warps" = 8'
has look1 '"ttg.num-warps" = 4'
neso run "$TMP/looks.py:product" --target sim:sm_90a --check -g 1 -q ones:128x128:fp16 full:128x256:fp16:2 zeros:128x256:fp32 2 0 \
	--expect c=full:128x256:fp32:256 || wrong "8 warps instead of 4: another result"

# A loop whose programs add to dQ is ahead where dQ is not what it loads; what threads stored in front of it is fenced there, once; the
# sums that go round are waited for at its end. One copy adds the tile of dQ: threads wait until their memory is free, write it, and
# fence it for the copy.
compile backward_adding "$(adding 128 64 128)" 8 2 --target sim:sm_90a --why >"$TMP/adding-why" || failed=1
has adding-why "loop versioned"
has adding-why "load tensor-map"
compile backward_adding "$(adding 64 64 128)" 8 2 --target sm_90a --emit ttgir -o "$TMP/adding.ttgir" || failed=1
sed -n '/scf.for/,/scf.yield/p;/scf.yield/q' "$TMP/adding.ttgir" >"$TMP/loop"
has adding.ttgir "neso.disjoint"
has loop "warp_group_dot_wait .*, .* {pendings = 0"
[ "$(grep -c fence_async "$TMP/loop")" = 3 ] || wrong "fences in the loop: $(grep -c fence_async "$TMP/loop"), not 3"
[ "$(grep -c gpu.barrier "$TMP/loop")" = 5 ] || wrong "barriers in the loop: $(grep -c gpu.barrier "$TMP/loop"), not 5"
# Independent products are issued together; the second one is waited for when the first one's exponentials are done.
sed -n '/warp_group_dot /,/math.exp2/p;/math.exp2/q' "$TMP/loop" >"$TMP/front"
[ "$(grep -c 'warp_group_dot ' "$TMP/front")" = 2 ] || wrong "one product in front of the exponentials"
has front "pendings = 1"

# Where TMA brings rows of numbers too, and nothing goes through shared memory, warps never meet in a loop; they take turns.
NESO_TURNS=auto compile backward "$(split 128 0)" 8 5 --target sm_90a --emit ttgir -o "$TMP/split.ttgir" || failed=1
sed -n '/scf.for/,/neso.pipeline/p' "$TMP/split.ttgir" >"$TMP/loops"
hasnt loops "gpu.barrier"
hasnt loops "async_copy_global_to_local %"
[ "$(grep -c gpu.take_turn "$TMP/loops")" = 2 ] || wrong "two loops, and not two turns"

# What a mask's branch takes is loaded ahead as well, each row of numbers once.
compile backward_keys "$h,$h,$h,$h,$h,$h,$f,$f,fp32,fp32,i32:16,64,64,128,1" 8 2 --target sim:sm_90a --why >"$TMP/keys-why" || failed=1
[ "$(grep -c 'load tensor-map: copied by TMA .* slots of 256 bytes' "$TMP/keys-why")" = 2 ] || wrong "rows of numbers are not copied once each"
hasnt keys-why "conversion shared: 64xf32"

run() { # FILE
	TRITON_KERNEL_OVERRIDE=$1 timeout 300 neso run "$kernels:backward_adding" --target sim:sm_90a --check -q -g 2 \
		rand:256x64:fp16 rand:256x64:fp16 rand:256x64:fp16 rand:256x64:fp16 zeros:256x64:fp32 zeros:256x64:fp16 zeros:256x64:fp16 \
		full:256:fp32:9 ones:256:fp32 0.125 0.18 256 64 64 128 0 --num-warps 8 --num-stages 2 >"$TMP/out" 2>&1
}
run "$TMP/adding.ttgir" || { cat "$TMP/out"; failed=1; }
planted() { # sed SCRIPT, what is to be found
	sed "$1" "$TMP/adding.ttgir" >"$TMP/faulty.ttgir"
	cmp -s "$TMP/adding.ttgir" "$TMP/faulty.ttgir" && wrong "$1 changes nothing"
	run "$TMP/faulty.ttgir" && wrong "$1: nothing was found"
	grep -qE "$2" "$TMP/out" || { echo "$1: found is not $2:"; head -20 "$TMP/out"; failed=1; }
}
planted 's/pendings = 1/pendings = 2/' "error: missing wait: accumulators"
planted '/scf.for/,/scf.yield/s/pendings = 0/pendings = 2/' "error: missing wait: accumulators"
planted '/scf.for/,/scf.yield/{/fence_async/d}' "error: missing fence"
planted '/fence_async/d' "error: missing fence"

# By the assembler: nothing is spilled, causal or not, nothing is serialised.
command -v ptxas >/dev/null || [ -x "${CUDA_HOME:-/usr/local/cuda}/bin/ptxas" ] || exit $failed
assembled() { # NAME THREADS KERNEL SIGNATURE WARPS STAGES
	name=$1 threads=$2
	shift 2
	compile "$@" --target sm_90a --stats --emit cubin -o /dev/null 2>"$TMP/$name" || { cat "$TMP/$name"; failed=1; }
	has "$name" "^$threads threads, .* 0 bytes spilled"
	hasnt "$name" "C75[0-9][0-9]"
}
assembled split64 128 backward "$(split 64 0)" 4 5
assembled split128 256 backward "$(split 128 0)" 4 5
assembled square128 256 backward "$h,$h,$h,$h,$h,$h,$h,$f,$f,fp32,i32:16,128,64,64,64,64,2,0" 8 3
for warps in 4 8; do
	assembled causal64-$warps $((warps * 32)) backward "$(split 64 1)" $warps 5
	assembled causal128-$warps 256 backward "$(split 128 1)" $warps 3
done
assembled wide128 256 backward "$h,$h,$h,$h,$h,$h,$h,$f,$f,fp32,i32:16,128,64,128,128,64,2,1" 8 2
assembled adding64 256 backward_adding "$(adding 64 64 128)" 8 2
assembled adding128 256 backward_adding "$(adding 128 128 64)" 8 2
assembled rows128 256 backward_adding "$(adding 128 64 128)" 8 2
exit $failed
