# neso compile --why: what the assembler says, at its place; JSON; nothing of it without a GPU as target.
set -eu
[ -f "$NESO_BUILD/libneso-codegen.so" ] || { echo "built without LLVM"; exit 77; }
cat >"$TMP/ptxas" <<'SCRIPT'
#!/bin/sh
case $* in *--version*) echo "Cuda compilation tools, release 12.8, V12.8.93"; exit 0 ;; esac
for last; do :; done
echo "ptxas info    : Compiling entry function 'kernel' for 'sm_80'"
echo "ptxas info    : Function properties for kernel"
echo "    48 bytes stack frame, 44 bytes spill stores, 40 bytes spill loads"
echo "ptxas info    : Used 168 registers, 16 bytes smem"
echo "ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized in the function 'kernel'"
echo "ptxas k.ptx, line 1; warning : something odd"
{ printf '\177ELF'; head -c 200 /dev/zero; } >"$last"
SCRIPT
chmod +x "$TMP/ptxas"
cat >"$TMP/k.py" <<'SOURCE'
import triton
import triton.language as tl

@triton.jit
def kernel(x, n):
    r = tl.arange(0, 1024)
    v = tl.load(x + r, mask=r < n)
    tl.store(x + r, v + 1.0, mask=r < n)
SOURCE
says() { grep -qF -- "$1" "$TMP/out" || { echo "not said: $1"; cat "$TMP/out"; exit 1; }; }
neso compile "$TMP/k.py:kernel" --target sm_80 --ptxas "$TMP/ptxas" --signature "*fp32:16,i32" --why >"$TMP/out" 2>/dev/null
says "k.py:5: def kernel(x, n):"
says "    ptxas occupancy: 168 registers a thread, 16 bytes of shared memory: 3 CTAs of 4 warps on an SM (registers)"
says "  - ptxas performance-loss: (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized in the function 'kernel'"
says "    ptxas warning: something odd"
says "k.py:8: tl.store(x + r, v + 1.0, mask=r < n)"
says "  - ptxas spills: registers do not suffice: 44 bytes a thread are stored and 40 loaded again"
says "smaller tiles, more warps, fewer stages, or a larger maxnreg"
says "it would be 16 if n was divisible by 16"
says "remarks, 4 of them (-) about what could be faster"
# Every line is shown once, in order.
[ "$(grep -c '^/' "$TMP/out")" = 3 ] || { cat "$TMP/out"; exit 1; }
grep '^/' "$TMP/out" | cut -d: -f2 | sort -nc
# The source may be gone by then: remarks stay.
neso compile "$TMP/k.py:kernel" --target sim:sm_80 --signature "*fp32:16,i32" --why --json >"$TMP/json"
python=$(sh scripts/find-python 2>/dev/null) || exit 0
"$python" - "$TMP/json" <<'CHECK'
import json, sys
remarks = json.load(open(sys.argv[1]))
load = next(r for r in remarks if r["kind"] == "access")
assert load["rule"] == "unknown-arguments" and load["outcome"] == "missed" and load["line"] == 7, load
assert load["figures"] == {"possible": 16, "width": 4, "count": 8}, load
assert load["path"].endswith("k.py") and load["column"] > 0 and load["times"] == 1 and load["advice"], load
assert not any(r["kind"] == "ptxas" for r in remarks)
CHECK
