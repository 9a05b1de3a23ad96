# Faults planted in loops that TMA feeds, and in what it stores, are found by the simulator; the code as it was is clean.
set -u
[ -f "$NESO_BUILD/libneso-codegen.so" ] || { echo "built without LLVM"; exit 77; }
cat >"$TMP/boxes.py" <<'END'
import triton
import triton.language as tl


@triton.jit
def boxes(a_ptr, b_ptr, o_ptr, K, N: tl.constexpr, B: tl.constexpr):
    a = tl.make_tensor_descriptor(a_ptr, [N, K], [K, 1], [N, B])
    b = tl.make_tensor_descriptor(b_ptr, [K, N], [N, 1], [B, N])
    o = tl.make_tensor_descriptor(o_ptr, [N, N], [N, 1], [N, N])
    acc = tl.zeros((N, N), tl.float32)
    for start in range(0, K, B):
        acc = tl.dot(a.load([0, start]), b.load([start, 0]), acc)
    o.store([0, 0], acc)
END
failed=0
run() { # FILE: the run with this stage in its place
	TRITON_KERNEL_OVERRIDE=$1 neso run "$TMP/boxes.py:boxes" --target sim:sm_90a --check -q -g 1 rand:32x320:fp16 rand:320x32:fp16 \
		zeros:32x32:fp32 320 32 32 >"$TMP/out" 2>&1
}
# NAME, SED'S WORDS, what is to be found
planted() {
	sed "$2" "$TMP/boxes.ttgir" >"$TMP/faulty.ttgir"
	cmp -s "$TMP/boxes.ttgir" "$TMP/faulty.ttgir" && { echo "$1: nothing was changed"; failed=1; }
	run "$TMP/faulty.ttgir" && { echo "$1: nothing was found"; failed=1; }
	grep -qE "$3" "$TMP/out" || { echo "$1: found is not $3:"; cat "$TMP/out"; failed=1; }
}
neso compile "$TMP/boxes.py:boxes" --signature '*fp16:16,*fp16:16,*fp32:16,i32:16,32,32' --target sm_90a --emit ttgir -o "$TMP/boxes.ttgir" || exit 1
run "$TMP/boxes.ttgir" || { echo "as it was:"; cat "$TMP/out"; failed=1; }
planted "no barrier of threads" /gpu.barrier/d 'boxes.py:1[0-3]:.*error: (race|missing wait|missing fence)'
planted "no wait" /ttng.wait_barrier/d 'boxes.py:12:.*error: missing wait'
planted "parity that stays" 's/\(ttng.wait_barrier %[^,]*\), %[a-z0-9_]*/\1, %c0_i32/' 'boxes.py:1[0-3]:.*error: (missing wait|race|.*wait)'
planted "fewer bytes" 's/size = 4096/size = 2048/' 'boxes.py:1[0-3]:.*error: '
planted "more bytes" 's/size = 4096/size = 8192/' 'error: .*(wait|deadlock|ever)'
planted "no fence" /ttng.fence_async_shared/d 'boxes.py:13:.*error: missing fence'
planted "no wait for the store" /ttng.async_tma_store_wait/d 'boxes.py:13:.*error: missing wait'
exit $failed
