# Faults planted in a loop whose second product is an iteration late, and whose warp groups do not meet, are found by the simulator.
set -u
[ -f "$NESO_BUILD/libneso-codegen.so" ] || { echo "built without LLVM"; exit 77; }
cat >"$TMP/chain.py" <<'END'
import triton
import triton.language as tl


@triton.jit
def chain(a, b, c, o, n, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    m, k, d = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, D)
    x = tl.load(a + m[:, None] * D + d[None, :])
    acc = tl.zeros([BM, D], tl.float32)
    for i in range(0, n):
        s = tl.dot(x, tl.load(b + (i * BN + k)[None, :] * D + d[:, None]))
        acc = tl.dot((s * 0.5).to(tl.float16), tl.load(c + (i * BN + k)[:, None] * D + d[None, :]), acc * 0.5)
    tl.store(o + m[:, None] * D + d[None, :], acc)
END
neso compile "$TMP/chain.py:chain" -s "*fp16:16,*fp16:16,*fp16:16,*fp32:16,i32,128,64,128" --num-warps 8 --num-stages 3 --target sm_90a --emit ttgir \
	-o "$TMP/chain.ttgir" || exit 1
run() { # FILE
	TRITON_KERNEL_OVERRIDE=$1 timeout 300 neso run "$TMP/chain.py:chain" --target sim:sm_90a --check -q -g 1 rand:128x128:fp16 rand:512x128:fp16 \
		rand:512x128:fp16 zeros:128x128:fp32 8 128 64 128 --num-warps 8 --num-stages 3 >"$TMP/out" 2>&1
}
failed=0
for op in arrive_barrier wait_free compute_first 'warp_group_dot_wait .*pendings = 1'; do
	grep -q "$op" "$TMP/chain.ttgir" || { echo "no $op"; failed=1; }
done
run "$TMP/chain.ttgir" || { cat "$TMP/out"; failed=1; }
planted() { # sed SCRIPT, what is to be found
	sed "$1" "$TMP/chain.ttgir" >"$TMP/faulty.ttgir"
	cmp -s "$TMP/chain.ttgir" "$TMP/faulty.ttgir" && { echo "$1 changes nothing"; failed=1; }
	run "$TMP/faulty.ttgir" && { echo "$1: nothing was found"; failed=1; }
	grep -qE "$2" "$TMP/out" || { echo "$1: found is not $2:"; head -20 "$TMP/out"; failed=1; }
}
# Who fills a slot does not wait for those who read it; nobody says that it was read; what was brought is not waited for.
planted '/ttng.wait_free/d' "error: (race|missing wait)"
planted '/ttng.arrive_barrier/d' "error: .*(deadlock|wait)"
planted '/ttng.wait_barrier/d' "error: (race|missing wait|.*not written)"
# A result is taken while its product is under way.
planted 's/pendings = 1/pendings = 2/' "error: missing wait: accumulators"
planted 's/pendings = 0/pendings = 1/' "error: missing wait: accumulators"

# The same with warps that copy: what late products read is waited for between the others' products and theirs, and freed when
# nothing is under way.
export NESO_WARP_SPECIALIZE=1
neso compile "$TMP/chain.py:chain" -s "*fp16:16,*fp16:16,*fp16:16,*fp32:16,i32,128,64,128" --num-warps 8 --num-stages 3 --target sm_90a --emit ttgir \
	--no-loc -o "$TMP/chain.ttgir" || exit 1
sed -n '/scf.for.*iter_args.*tensor</,/scf.yield/p' "$TMP/chain.ttgir" | grep -oE "wait_barrier|warp_group_dot(_wait)? |arrive_barrier" | tr -d '\n' >"$TMP/order"
[ "$(cat "$TMP/order")" = "wait_barrierwarp_group_dot wait_barrierwarp_group_dot warp_group_dot_wait arrive_barrierwarp_group_dot_wait arrive_barrier" ] ||
	{ echo "another order: $(cat "$TMP/order")"; failed=1; }
run "$TMP/chain.ttgir" || { cat "$TMP/out"; failed=1; }
# The wait for them, or their being freed, is not there; they are free while their products are under way.
late='/scf.for.*iter_args.*tensor</,/scf.yield/'
second() { awk -v what="$1" "/scf.for.*iter_args.*tensor</ { inside = 1; n = 0 } inside && \$0 ~ what && ++n == 2 { next } /scf.yield/ { inside = 0 } { print }" \
	"$TMP/chain.ttgir" >"$TMP/faulty.ttgir"; }
found() { # what is to be found
	cmp -s "$TMP/chain.ttgir" "$TMP/faulty.ttgir" && { echo "nothing was changed"; failed=1; }
	run "$TMP/faulty.ttgir" && { echo "$1: nothing was found"; failed=1; }
	grep -qE "$1" "$TMP/out" || { echo "found is not $1:"; head -20 "$TMP/out"; failed=1; }
}
second wait_barrier
found "error: (race|missing wait|.*not written)"
second arrive_barrier
found "error: .*(deadlock|wait)"
awk "/scf.for.*iter_args.*tensor</ { inside = 1 } inside && /pendings = 0/ { held = \$0; next } inside && held && /arrive_barrier/ { print; print held; held = \"\"; next }
	/scf.yield/ { inside = 0 } { print }" "$TMP/chain.ttgir" >"$TMP/faulty.ttgir"
found "error: (race|missing wait)"
exit $failed
