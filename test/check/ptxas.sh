# ptxas takes the PTX of every kernel that is here as IR text, for each target, and serialises no wgmma.
# full: starts ptxas about a hundred times
set -u
tool=$NESO_BUILD/test/codegen_tool
[ -x "$tool" ] || { echo "built without LLVM"; exit 77; }
ptxas=${TRITON_PTXAS_PATH:-$(command -v ptxas)} || { echo "ptxas is not installed"; exit 77; }
bad=0
for file in test/bench/*.mlir test/ir/text/*.mlir test/llvm/*.mlir; do
	# Regions with warps of their own; inline assembly that is text alone.
	case $file in */ttgir_ops.mlir | */asm_raw.mlir) continue ;; esac
	grep -q '// error:' "$file" && continue
	targets="sm_80 sm_86 sm_89 sm_90a"
	case $file in test/llvm/*) targets=sm_90a ;; esac # layouts are made for one
	passes=$(sed -n 's,^// \(options\|run\):.*\(--pass [a-z,-]*\).*,\2,p' "$file" | head -n 1)
	kernels=$(sed -n 's/.*tt\.func public @\([a-zA-Z0-9_]*\)(.*/\1/p' "$file")
	for target in $targets; do
		for kernel in $kernels; do
			if ! "$tool" --lines $passes --emit ptx --target $target --kernel "$kernel" "$file" >"$TMP/k.ptx" 2>"$TMP/err"; then
				echo "$file:$kernel for $target:" && head -n 3 "$TMP/err" && bad=1
			elif ! "$ptxas" -v -arch=$target -o /dev/null "$TMP/k.ptx" >"$TMP/err" 2>&1 || grep -q 'C75[0-9][0-9]' "$TMP/err"; then
				echo "$file:$kernel for $target, ptxas:" && head -n 3 "$TMP/err" && bad=1
			fi
		done
	done
done
exit $bad
