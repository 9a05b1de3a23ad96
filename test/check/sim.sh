# The table of execution tests (test/gpu/compare.py), interpreter against simulator: code for two targets agrees on every kernel and type, and
# the checks find nothing there.
set -eu
[ -e "$NESO_BUILD/libneso-codegen.so" ] || { echo "built without LLVM"; exit 77; }
python=$(sh scripts/find-python numpy) || exit 77
compare() { # TARGET CASES OPTION...
	target=$1 cases=$2
	shift 2
	"$python" -B test/gpu/compare.py --neso "$(command -v neso)" --target "sim:$target" "$@" >"$TMP/$target" || true
	! grep -q '^FAIL' "$TMP/$target" || { cat "$TMP/$target"; exit 1; }
	[ "$(grep -c '^ok' "$TMP/$target")" -ge "$cases" ] || { cat "$TMP/$target"; exit 1; }
}
compare sm_90a 555
if [ -z "$NESO_SANITIZED" ]; then
	compare sm_80 525
else # the same code, but for what sm_90a has besides
	compare sm_80 130 --every 4
fi
neso run examples/matmul.py:matmul_kernel -g 4 --target sim:sm_90a --check a_ptr=ones:96x40:fp16 b_ptr=full:40x70:fp16:0.5 c_ptr=zeros:96x70:fp16 \
	M=96 N=70 K=40 stride_am=40 stride_ak=1 stride_bk=70 stride_bn=1 stride_cm=70 stride_cn=1 \
	BLOCK_M=64 BLOCK_N=64 BLOCK_K=32 GROUP=8 ACTIVATION="'leaky_relu'" -q --expect c_ptr=full:96x70:fp16:20
# A mask that is off by one, with its place.
sed 's/offsets < n/offsets < n + 1/' examples/vector_add.py >"$TMP/add.py"
if neso run "$TMP/add.py" --target sim:sm_90a -g 3 ones:3000:fp32 ones:3000:fp32 zeros:3000:fp32 3000 1024 -q 2>"$TMP/message"; then exit 1; fi
grep -q "add.py:[0-9]*:[0-9]*: error: out of bounds: load of 4 bytes .* it passes the end of 'x_ptr' (12000 bytes) by 4 bytes" "$TMP/message"
