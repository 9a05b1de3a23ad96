# What ptxas makes of products of warp groups: nothing is serialised (its advisories C7510 to C7519), no wait is put in, nothing
# is spilled, in matmuls and attention of the tiles that are used on GPUs. Planted faults are found by the simulator.
set -u
[ -f "$NESO_BUILD/libneso-codegen.so" ] || { echo "built without LLVM"; exit 77; }
cat >"$TMP/kernels.py" <<'END'
import triton
import triton.language as tl


@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, M, N, K, sam, sak, sbk, sbn, scm, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pm, pn = tl.program_id(0), tl.program_id(1)
    m = (pm * BM + tl.arange(0, BM)) % M
    n = (pn * BN + tl.arange(0, BN)) % N
    k = tl.arange(0, BK)
    a = a_ptr + m[:, None] * sam + k[None, :] * sak
    b = b_ptr + k[:, None] * sbk + n[None, :] * sbn
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for i in range(0, tl.cdiv(K, BK)):
        x = tl.load(a, mask=k[None, :] < K - i * BK, other=0.0)
        y = tl.load(b, mask=k[:, None] < K - i * BK, other=0.0)
        acc = tl.dot(x, y, acc)
        a += BK * sak
        b += BK * sbk
    m = pm * BM + tl.arange(0, BM)
    n = pn * BN + tl.arange(0, BN)
    tl.store(c_ptr + m[:, None] * scm + n[None, :], acc.to(c_ptr.dtype.element_ty), mask=(m[:, None] < M) & (n[None, :] < N))


@triton.jit
def attention(Q, K, V, O, scale, N, sn, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, CAUSAL: tl.constexpr):
    start = tl.program_id(0)
    m, n, d = start * BM + tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, D)
    q = tl.load(Q + m[:, None] * sn + d[None, :])
    most = tl.full([BM], -float("inf"), dtype=tl.float32)
    total = tl.zeros([BM], dtype=tl.float32)
    acc = tl.zeros([BM, D], dtype=tl.float32)
    for i in range(0, (start + 1) * BM if CAUSAL else N, BN):
        i = tl.multiple_of(i, BN)
        s = tl.dot(q, tl.load(K + (i + n)[None, :] * sn + d[:, None])) * scale
        if CAUSAL:
            s = tl.where(m[:, None] >= (i + n)[None, :], s, -float("inf"))
        new = tl.maximum(most, tl.max(s, 1))
        p = tl.math.exp2(s - new[:, None])
        rescale = tl.math.exp2(most - new)
        total = total * rescale + tl.sum(p, 1)
        acc = tl.dot(p.to(V.dtype.element_ty), tl.load(V + (i + n)[:, None] * sn + d[None, :]), acc * rescale[:, None])
        most = new
    tl.store(O + m[:, None] * sn + d[None, :], (acc / total[:, None]).to(O.dtype.element_ty))
END
failed=0
if command -v ptxas >/dev/null; then
	assembled() { # KERNEL SIGNATURE WARPS STAGES
		neso compile "$TMP/kernels.py:$1" -s "$2" --num-warps "$3" --num-stages "$4" --target sm_90a --emit cubin --stats -o "$TMP/cubin" \
			>"$TMP/out" 2>&1 || { cat "$TMP/out"; failed=1; }
		grep -q ' 0 bytes spilled' "$TMP/out" || { echo "$1 $2, $3 warps, $4 stages spills:"; cat "$TMP/out"; failed=1; }
		grep -E 'C75[0-9][0-9]|wgmma' "$TMP/out" && { echo "$1 $2, $3 warps, $4 stages"; failed=1; }
		neso compile "$TMP/kernels.py:$1" -s "$2" --num-warps "$3" --num-stages "$4" --target sm_90a --emit ptx 2>/dev/null |
			grep -q wgmma.mma_async || { echo "$1 $2, $3 warps, $4 stages: no wgmma"; failed=1; }
	}
	for tile in "128,256,64 8 3" "128,128,64 4 3" "128,128,64 8 4" "64,256,32 4 4" "256,128,64 8 3"; do
		set -- $tile
		assembled matmul "*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16,i32:16,1,i32:16,1,i32:16,$1" $2 $3
	done
	for tile in "128,256,128 8 3" "128,128,128 4 3" "64,256,128 4 4"; do
		set -- $tile
		assembled matmul "*fp8e4nv:16,*fp8e4nv:16,*fp16:16,i32:16,i32:16,i32:16,i32:16,1,1,i32:16,i32:16,$1" $2 $3
	done
	assembled matmul "*fp32:16,*fp32:16,*fp32:16,i32:16,i32:16,i32:16,i32:16,1,1,i32:16,i32:16,128,256,32" 8 3
	for tile in "64,128,64 4 3" "64,128,128 8 2" "128,128,64 8 3" "128,128,128 8 2" "128,64,64 4 3"; do
		set -- $tile
		for causal in False True; do
			assembled attention "*fp16:16,*fp16:16,*fp16:16,*fp16:16,fp32,i32:16,i32:16,$1,$causal" $2 $3
		done
	done
	# Bytes of A that are put together in registers for more than one product (C7519 where that is behind the fence).
	for tile in "128,128,64 4 3" "128,128,128 8 2"; do
		set -- $tile
		assembled attention "*fp8e4nv:16,*fp8e4nv:16,*fp8e4nv:16,*fp16:16,fp32,i32:16,i32:16,$1,False" $2 $3
	done
else
	echo "no ptxas: what it says is not looked at"
fi
# Each of these holds the loop together. (Copies by cp.async; planted_maps.sh has TMA.)
export NESO_SKIP_PASSES=map-loads
neso compile "$TMP/kernels.py:matmul" -s "*fp16:16,*fp16:16,*fp32:16,i32:16,i32:16,i32:16,i32:16,1,i32:16,1,i32:16,64,64,32" --num-stages 3 \
	--target sm_90a --emit ttgir -o "$TMP/matmul.ttgir" || exit 1
run() { # FILE
	TRITON_KERNEL_OVERRIDE=$1 neso run "$TMP/kernels.py:matmul" --target sim:sm_90a --check -q -g 1,1 rand:64x256:fp16 rand:256x64:fp16 \
		zeros:64x64:fp32 64 64 256 256 1 64 1 64 64 64 32 --num-stages 3 >"$TMP/out" 2>&1
}
run "$TMP/matmul.ttgir" || { cat "$TMP/out"; failed=1; }
planted() { # PATTERN of the lines to drop, what is to be found
	sed "/$1/d" "$TMP/matmul.ttgir" >"$TMP/faulty.ttgir"
	cmp -s "$TMP/matmul.ttgir" "$TMP/faulty.ttgir" && { echo "no $1"; failed=1; }
	run "$TMP/faulty.ttgir" && { echo "without $1: nothing was found"; failed=1; }
	grep -qE "$2" "$TMP/out" || { echo "without $1: found is not $2:"; cat "$TMP/out"; failed=1; }
}
planted ttng.fence_async_shared "error: .*is not fenced for"
planted gpu.barrier "error: (race|missing wait)"
planted 'ttg.async_wait {num = 1' "error: missing wait"
# A wait that lets one product more go on: copies then write where it reads.
sed 's/pendings = 1/pendings = 2/' "$TMP/matmul.ttgir" >"$TMP/faulty.ttgir"
run "$TMP/faulty.ttgir" && { echo "two products under way: nothing was found"; failed=1; }
grep -qE "error: (race|missing wait)" "$TMP/out" || { cat "$TMP/out"; failed=1; }
# Behind the loop the accumulators are used.
sed 's/pendings = 0/pendings = 1/' "$TMP/matmul.ttgir" >"$TMP/faulty.ttgir"
run "$TMP/faulty.ttgir" && { echo "no wait behind the loop: nothing was found"; failed=1; }
grep -qE "error: missing wait: accumulators" "$TMP/out" || { cat "$TMP/out"; failed=1; }
exit $failed
