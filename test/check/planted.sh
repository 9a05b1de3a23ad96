# Faults planted in the code of a stage are found by the simulator, which takes overrides as GPUs do; the code as it was is clean.
set -u
[ -f "$NESO_BUILD/libneso-codegen.so" ] || { echo "built without LLVM"; exit 77; }
cat >"$TMP/product.py" <<'END'
import triton
import triton.language as tl


@triton.jit
def product(a_ptr, b_ptr, out_ptr, K, N: tl.constexpr, B: tl.constexpr):
    i, k = tl.arange(0, N), tl.arange(0, B)
    acc = tl.zeros((N, N), tl.float32)
    for start in range(0, K, B):
        a = tl.load(a_ptr + i[:, None] * K + start + k[None, :])
        b = tl.load(b_ptr + (start + k)[:, None] * N + i[None, :])
        acc = tl.dot(a, b, acc)
    tl.store(out_ptr + i[:, None] * N + i[None, :], acc)
END
failed=0
run() { # FILE: the run with this stage in its place
	TRITON_KERNEL_OVERRIDE=$1 neso run "$TMP/product.py:product" --target "sim:$target" --check -q -g 1 rand:32x128:fp16 rand:128x32:fp16 \
		zeros:32x32:fp32 128 32 32 >"$TMP/out" 2>&1
}
clean() {
	run "$1" || { echo "$target, $1 as it was:"; cat "$TMP/out"; failed=1; }
}
# PATTERN of the lines to drop, STAGE, what is to be found
planted() {
	sed "/$1/d" "$TMP/product.$2" >"$TMP/faulty.$2"
	cmp -s "$TMP/product.$2" "$TMP/faulty.$2" && { echo "$target: no $1 in $2"; failed=1; }
	run "$TMP/faulty.$2" && { echo "$target: $2 without $1: nothing was found"; failed=1; }
	grep -qE "$3" "$TMP/out" || { echo "$target: $2 without $1: found is not $3:"; cat "$TMP/out"; failed=1; }
}
for target in sm_80 sm_90a; do
	for stage in ttgir llir; do
		neso compile "$TMP/product.py:product" --signature '*fp16:16,*fp16:16,*fp32:16,i32:16,32,32' --target $target --emit $stage \
			-o "$TMP/product.$stage" || exit 1
		clean "$TMP/product.$stage"
	done
	planted gpu.barrier ttgir "product.py:1[0-3]:.*error: (race|missing wait).*lanes? .*, elements? .*\[[0-9]+, [0-9]+\] of '(a|b|acc)' \\("
	planted 'call void @neso.barrier()' llir 'product.py:1[0-3]:.*error: (race|missing wait)'
	planted 'ttg.async_wait {num = 1' ttgir 'product.py:1[0-3]:.*error: missing wait'
	planted 'call void @neso.cp_async_wait' llir 'product.py:1[0-3]:.*error: missing wait'
done
# CTAs of a cluster read what the others have stored.
cat >"$TMP/sums.py" <<'END'
import triton
import triton.language as tl


@triton.jit
def sums(x_ptr, out_ptr):
    i, k = tl.arange(0, 64), tl.arange(0, 64)
    x = tl.load(x_ptr + i[:, None] * 64 + k[None, :])
    tl.store(out_ptr + i, tl.sum(x, 1))
    tl.store(out_ptr + 64 + k, tl.sum(x, 0))
END
neso compile "$TMP/sums.py:sums" --signature '*i32:16,*i32:16' --target sm_90a --num-ctas 2 --emit llir -o "$TMP/sums.llir" || exit 1
sed '/call void @neso.cluster_barrier/d' "$TMP/sums.llir" >"$TMP/faulty.llir"
for stage in sums faulty; do
	TRITON_KERNEL_OVERRIDE=$TMP/$stage.llir neso run "$TMP/sums.py:sums" --target sim:sm_90a --num-ctas 2 --check -q -g 1 rand:4096:i32 \
		zeros:128:i32 >"$TMP/$stage.out" 2>&1
	echo $? >"$TMP/$stage.status"
done
[ "$(cat "$TMP/sums.status")" = 0 ] || { cat "$TMP/sums.out"; failed=1; }
[ "$(cat "$TMP/faulty.status")" = 1 ] || { echo "without cluster_barrier: nothing was found"; failed=1; }
grep -q "error: \(race\|read of what was never written\).*CTA [01], warp" "$TMP/faulty.out" && grep -q "sums.py:10:" "$TMP/faulty.out" ||
	{ cat "$TMP/faulty.out"; failed=1; }
# CTAs of a cluster bring parts of a tile to each other: none is filled before all have made its barriers, and read it;
# none ends before the others.
neso compile "$TMP/product.py:product" --signature '*fp16:16,*fp16:16,*fp32:16,i32:16,128,64' --target sm_90a --num-ctas 2 --emit ttgir \
	-o "$TMP/shared.ttgir" || exit 1
grep -q neso.shared_by "$TMP/shared.ttgir" || { echo "nothing is shared"; failed=1; }
run_shared() { # FILE, the status that it must have, what is to be found
	TRITON_KERNEL_OVERRIDE=$1 neso run "$TMP/product.py:product" --target sim:sm_90a --num-ctas 2 --check -q -g 1 rand:128x512:fp16 \
		rand:512x128:fp16 zeros:128x128:fp32 512 128 64 >"$TMP/out" 2>&1
	[ $? = "$2" ] && { [ -z "$3" ] || grep -qE "$3" "$TMP/out"; } || { echo "shared tiles: $1, not status $2 and $3:"; cat "$TMP/out"; failed=1; }
}
run_shared "$TMP/shared.ttgir" 0 ""
sed /gpu.cluster_barrier/d "$TMP/shared.ttgir" >"$TMP/first.ttgir"
run_shared "$TMP/first.ttgir" 1 'race: the use of the barrier at byte [0-9]+ of shared memory and its making .* no barrier between'
# The last arrivals are waited for as those before, though no copy follows them.
last=$(sed -n '/ttng.wait_free/{n;s/.*barrier_expect %[^,]*, \(%[^ ]*\) .*/\1/p;}' "$TMP/shared.ttgir")
sed "/ttng.wait_free/s/, %[a-z0-9_]* :/, $last :/" "$TMP/shared.ttgir" >"$TMP/last.ttgir"
run_shared "$TMP/last.ttgir" 1 'race: the use of the barrier at byte [0-9]+ of shared memory and the use .* no barrier between'
sed /ttng.inval_barrier/d "$TMP/last.ttgir" >"$TMP/early.ttgir"
run_shared "$TMP/early.ttgir" 1 'the access of the shared memory of CTA [01] and that CTA.s end have no barrier of the cluster between them'
sed 's/ {neso.by_cluster}//; s/count = 8/count = 4/' "$TMP/shared.ttgir" >"$TMP/own.ttgir"
run_shared "$TMP/own.ttgir" 1 'race: the write of byte [0-9]+ of shared memory and the read .* no barrier between'
sed 's/ {neso.by_cluster}//' "$TMP/shared.ttgir" >"$TMP/few.ttgir"
run_shared "$TMP/few.ttgir" 1 'deadlock'
sed /ttng.wait_free/d "$TMP/shared.ttgir" >"$TMP/full.ttgir"
run_shared "$TMP/full.ttgir" 1 'race: the write of byte [0-9]+ of shared memory and the read .* no barrier between'
sed 's/size = 24576/size = 16384/' "$TMP/shared.ttgir" >"$TMP/short.ttgir"
run_shared "$TMP/short.ttgir" 1 'missing wait: read of byte [0-9]+ of shared memory while the copy'
# The same by a warp of its own: it waits for all slots before it ends.
sed 's/in range(0, K, B)/in tl.range(0, K, B, warp_specialize=True)/' "$TMP/product.py" >"$TMP/roles.py"
mv "$TMP/roles.py" "$TMP/product.py"
neso compile "$TMP/product.py:product" --signature '*fp16:16,*fp16:16,*fp32:16,i32:16,128,64' --target sm_90a --num-ctas 2 --emit ttgir \
	-o "$TMP/roles.ttgir" || exit 1
grep -q neso.shared_by "$TMP/roles.ttgir" && grep -q ttg.warp_specialize "$TMP/roles.ttgir" || { echo "no role shares tiles"; failed=1; }
run_shared "$TMP/roles.ttgir" 0 ""
awk '/ttng.wait_free/ && n++ {next} {print}' "$TMP/roles.ttgir" >"$TMP/ends.ttgir"
run_shared "$TMP/ends.ttgir" 1 'race: the use of the barrier at byte [0-9]+ of shared memory and the use .* no barrier between'
sed 's/ {neso.by_cluster}//; s/count = 8/count = 4/' "$TMP/roles.ttgir" >"$TMP/own.ttgir"
run_shared "$TMP/own.ttgir" 1 'race: the write of byte [0-9]+ of shared memory and the read .* no barrier between'
sed /ttng.wait_free/d "$TMP/roles.ttgir" >"$TMP/full.ttgir"
run_shared "$TMP/full.ttgir" 1 'race: the write of byte [0-9]+ of shared memory and the write .* no barrier between'
# One thread stores what all have loaded: the compiler has them meet in between.
cat >"$TMP/counted.py" <<'END'
import triton
import triton.language as tl


@triton.jit
def counted(p):
    tl.store(p, tl.load(p) + 1)
END
neso compile "$TMP/counted.py:counted" --signature '*i32:16' --target sm_90a --emit ttgir -o "$TMP/counted.ttgir" || exit 1
sed /gpu.barrier/d "$TMP/counted.ttgir" >"$TMP/faulty.ttgir"
TRITON_KERNEL_OVERRIDE=$TMP/counted.ttgir neso run "$TMP/counted.py:counted" --target sim:sm_90a --check -q -g 1 zeros:1:i32 || failed=1
TRITON_KERNEL_OVERRIDE=$TMP/faulty.ttgir neso run "$TMP/counted.py:counted" --target sim:sm_90a --check -q -g 1 zeros:1:i32 >"$TMP/out" 2>&1 &&
	{ echo "without gpu.barrier: nothing was found"; failed=1; }
grep -q "counted.py:7:.*error: race: the .* at byte 0 of 'p'" "$TMP/out" || { cat "$TMP/out"; failed=1; }
exit $failed
