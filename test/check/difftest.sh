# Random programs, interpreter against simulator: from a fixed seed and from a fresh one, for some seconds each. And the tester itself: it finds,
# shrinks and keeps, and tells a difference.
set -eu
[ -x "$NESO_BUILD/test/difftest" ] || { echo "built without LLVM"; exit 77; }
# Every program fails on a target that there is not: the smallest one is an empty kernel, which is kept and runs elsewhere.
if difftest --count 1 --jobs 1 --seed 3 --target sim:sm_1 --keep "$TMP" >"$TMP/found"; then exit 1; fi
grep -q "seed 3, an error TARGET_UNKNOWN on sim:sm_1:" "$TMP/found"
[ "$(sed -n '/def kernel/,$p' "$TMP/found_3.py" | wc -l)" -le 3 ]
difftest "$TMP/found_3.py"
# Sums of fp16 that are rounded depend on their order.
cat >"$TMP/rounded.py" <<'EOF'
# launch: 1 4 3 0
# buffer: x fp16 1024 7
# buffer: out fp16 1 8 0 0
import triton
import triton.language as tl

@triton.jit
def kernel(x, out):
    v = tl.load(x + tl.arange(0, 1024))
    tl.store(out, tl.sum(tl.where(tl.abs(v) < 8.0, v, 0.0)))
EOF
if difftest "$TMP/rounded.py" 2>"$TMP/told"; then exit 1; fi
grep -q 'results differ on sim:sm_80' "$TMP/told" && grep -q 'out\[0\]: interpreter ' "$TMP/told"
difftest --seconds 12 --seed 1 --findings 1
difftest --seconds 12 --seed "$(date +%s)" --findings 1
# Loops that carry tiles from product to product, kernels that walk along rows, loops with one counter
# over tiles and their parts, products in loops of all forms. (Not with sanitizers, where one of the
# first can take minutes.)
[ -z "${NESO_SANITIZED:-}" ] || exit 0
for kind in states rows cycles forms; do
	difftest --$kind --seconds 5 --seed 1 --findings 1
	difftest --$kind --seconds 5 --seed "$(date +%s)" --findings 1
done
# Loads and stores that passes join, hold, move and forward, and loops over tiles that are nested, against
# what no optional pass has changed.
for kind in memory cycles; do
	difftest --$kind --as-written --seconds 6 --seed 1 --findings 1
	difftest --$kind --as-written --seconds 6 --seed "$(date +%s)" --findings 1
done
