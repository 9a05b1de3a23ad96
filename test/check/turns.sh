# Turns of warp groups: a turn that is not handed on, not taken, or not begun is found by the simulator. Of a loop whose second product is
# an iteration late, of one in order, where the turn goes into the next iteration, and of one whose copies are a warp's of its own.
set -u
[ -f "$NESO_BUILD/libneso-codegen.so" ] || { echo "built without LLVM"; exit 77; }
cat >"$TMP/chain.py" <<'END'
import triton
import triton.language as tl


@triton.jit
def chain(a, b, c, o, n, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr,
          TIMES: tl.constexpr):
    m, k, d = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, D)
    x = tl.load(a + m[:, None] * D + d[None, :])
    acc = tl.zeros([BM, D], tl.float32)
    for _ in tl.static_range(TIMES):
        for i in range(0, n - 2):
            s = tl.dot(x, tl.load(b + (i * BN + k)[None, :] * D + d[:, None]))
            acc = tl.dot(tl.exp2(s * 0.01).to(tl.float16), tl.load(c + (i * BN + k)[:, None] * D + d[None, :]), acc * 0.5)
    tl.store(o + m[:, None] * D + d[None, :], acc)
END
failed=0
export NESO_TURNS=auto
compile() { # FILE, N, D
	neso compile "$TMP/chain.py:chain" -s "*fp16:16,*fp16:16,*fp16:16,*fp32:16,i32,128,$2,$3,2" --num-warps 8 --num-stages 3 --target sm_90a \
		--emit ttgir -o "$1" || exit 1
	for op in begin_turns take_turn 'pass_turn loc' 'pass_turn {last_round = true}'; do
		grep -q "gpu.$op" "$1" || { echo "$1: no $op"; failed=1; }
	done
}
run() { # FILE, N, D, iterations
	TRITON_KERNEL_OVERRIDE=$1 timeout 300 neso run "$TMP/chain.py:chain" --target sim:sm_90a --check -q -g 1 rand:128x$3:fp16 rand:512x$3:fp16 \
		rand:512x$3:fp16 zeros:128x$3:fp32 $4 128 $2 $3 2 --num-warps 8 --num-stages 3 >"$TMP/out" 2>&1
}
planted() { # FILE, N, D, sed SCRIPT, what is to be found
	sed "$4" "$1" >"$TMP/faulty.ttgir"
	cmp -s "$1" "$TMP/faulty.ttgir" && { echo "$1: $4 changes nothing"; failed=1; }
	run "$TMP/faulty.ttgir" $2 $3 6 && { echo "$1: $4: nothing was found"; failed=1; }
	grep -qE "$5" "$TMP/out" || { echo "$1: $4: found is not $5:"; head -20 "$TMP/out"; failed=1; }
}
faults() { # FILE, N, D
	for n in 2 3 4 6; do
		run "$1" $2 $3 $n || { cat "$TMP/out"; failed=1; }
	done
	planted "$1" $2 $3 '/gpu.pass_turn loc/d' "error: .*(deadlock|named barrier)"
	planted "$1" $2 $3 '/gpu.begin_turns/d' "error: .*deadlock"
	planted "$1" $2 $3 '/gpu.take_turn/d' "error: .*named barrier"
}
# The first loop leaves a turn behind that the second one finds.
rounds() { # FILE, N, D
	planted "$1" $2 $3 "s/ {last_round = true}//" "error: .*named barrier"
}
compile "$TMP/late.ttgir" 64 128
grep -q 'pendings = 1' "$TMP/late.ttgir" || { echo "no product is late"; failed=1; }
faults "$TMP/late.ttgir" 64 128
rounds "$TMP/late.ttgir" 64 128
compile "$TMP/order.ttgir" 128 64
faults "$TMP/order.ttgir" 128 64
rounds "$TMP/order.ttgir" 128 64
export NESO_WARP_SPECIALIZE=1
compile "$TMP/roles.ttgir" 64 128
grep -q warp_specialize "$TMP/roles.ttgir" || { echo "no roles"; failed=1; }
faults "$TMP/roles.ttgir" 64 128
exit $failed
