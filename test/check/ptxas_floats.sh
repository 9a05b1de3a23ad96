# ptxas takes every conversion between two types, every function of the device library that is built here, and the
# kernels of test/gpu/arith.py.
set -u
tool=$NESO_BUILD/test/codegen_tool
[ -x "$tool" ] || { echo "built without LLVM"; exit 77; }
ptxas=${TRITON_PTXAS_PATH:-$(command -v ptxas)} || { echo "ptxas is not installed"; exit 77; }
bad=0

# name target: the PTX in $TMP/k.ptx
check() {
	"$ptxas" -arch="$2" -o /dev/null "$TMP/k.ptx" >"$TMP/err" 2>&1 || { echo "$1 for $2:" && head -n 3 "$TMP/err" && bad=1; }
}

# One kernel that converts tiles of four elements a thread from each type to each other one.
awk 'BEGIN {
	n = split("i8 i16 i32 i64 f8E4M3FN f8E5M2 f16 bf16 f32 f64", type, " ")
	split("8 16 32 64 8 8 16 16 32 64", bits, " ")
	print "#l = #ttg.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}>"
	print "module attributes {\"ttg.num-ctas\" = 1 : i32, \"ttg.num-warps\" = 4 : i32, ttg.target = \"cuda:90\", \"ttg.threads-per-warp\" = 32 : i32} {"
	printf "  tt.func public @casts("
	for (i = 1; i <= n; i++) printf "%s%%p%d: !tt.ptr<%s> {tt.divisibility = 16 : i32}", (i > 1 ? ", " : ""), i, type[i]
	print ") {\n    %r = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #l>"
	for (i = 1; i <= n; i++) {
		t = "tensor<512x!tt.ptr<" type[i] ">, #l>"
		print "    %s" i " = tt.splat %p" i " : !tt.ptr<" type[i] "> -> " t
		print "    %a" i " = tt.addptr %s" i ", %r : " t ", tensor<512xi32, #l>"
		print "    %x" i " = tt.load %a" i " : " t
	}
	for (i = 1; i <= n; i++) for (j = 1; j <= n; j++) {
		if (i == j) continue
		from = "tensor<512x" type[i] ", #l>"; to = "tensor<512x" type[j] ", #l>"; fp8 = bits[i] == 8 || bits[j] == 8
		if (i <= 4 && j <= 4) emit("arith." (bits[j] > bits[i] ? "extsi" : "trunci"), " to ")
		else if (i > 4 && j > 4 && (fp8 || bits[i] == bits[j])) emit("tt.fp_to_fp", " -> ")
		else if (i > 4 && j > 4) emit("arith." (bits[j] > bits[i] ? "extf" : "truncf"), " to ")
		else if (i <= 4 && bits[j] > 8) { emit("arith.sitofp", " to "); emit("arith.uitofp", " to ") }
		else if (j <= 4 && bits[i] > 8) { emit("arith.fptosi", " to "); emit("arith.fptoui", " to ") }
	}
	print "    tt.return\n  }\n}"
}
function emit(op, arrow) {
	k++
	narrow = op == "tt.fp_to_fp" && bits[j] < bits[i] ? ", rounding = rtne" : ""
	print "    %y" k " = " op " %x" i narrow " : " from arrow to "\n    tt.store %a" j ", %y" k " : tensor<512x!tt.ptr<" type[j] ">, #l>"
}' >"$TMP/casts.mlir"

# A call of each symbol that math/extern.def has, typed as the front end types it.
awk -F'[(,) "]+' '
	FILENAME ~ /extern\.def/ {
		if (/^(PTX|CODE)\(/) own["__nv_" $2]
		else if (/^(ROUNDED|INTEGRAL)\(/) for (r = 1; r <= 4; r++) own["__nv_" $2 "_" substr("rnrzrdru", 2 * r - 1, 2)]
		next
	}
	/^SYMBOL/ && ($5 in own) && !($5 in seen) {
		seen[$5]
		ops = types = ""
		for (k = 1; k <= length($3); k++) {
			t = name(substr($3, k, 1))
			ops = ops (k > 1 ? ", " : "") "%" t k
			types = types (k > 1 ? ", " : "") t
		}
		r = name(substr($4, 2, 1))
		body = body "    %v" ++n " = tt.extern_elementwise " ops " {libname = \"\", libpath = \"\", pure = true, symbol = \"" $5 "\"} : (" types ") -> " r "\n"
		body = body "    tt.store %p" r ", %v" n " : !tt.ptr<" r ">\n"
	}
	function name(c) { return c == "f" ? "f32" : c == "d" ? "f64" : c ~ /[lU]/ ? "i64" : "i32" }
	END {
		if (n < 150) { print "only " n " functions were found" >"/dev/stderr"; exit 1 }
		printf "module {\n  tt.func public @functions("
		split("i32 i64 f32 f64", all, " ")
		for (k = 1; k <= 4; k++) printf "%s%%p%s: !tt.ptr<%s>, %%%s1: %s, %%%s2: %s, %%%s3: %s", (k > 1 ? ", " : ""), all[k], all[k], all[k], all[k], all[k], all[k], all[k], all[k]
		print ") {\n" body "    tt.return\n  }\n}"
	}' src/llvm/math/extern.def src/front/builtin/libdevice.def >"$TMP/functions.mlir" || bad=1

for target in sm_80 sm_89 sm_90a; do
	for file in casts functions; do
		"$tool" --target $target --emit ptx "$TMP/$file.mlir" >"$TMP/k.ptx" 2>"$TMP/err" && check $file $target ||
			{ echo "$file for $target:" && head -n 3 "$TMP/err" && bad=1; }
	done
	for case in functions:'*fp32:16,*fp32:16,1024' functions:'*fp64:16,*fp64:16,1024' assembly:'*i32:16,*i32:16,1024' \
		arithmetic:'*fp32:16,*fp32:16,*fp32:16,tl.bfloat16,1024' device_library:'*fp32:16,*fp32:16,*fp32:16,1024'; do
		neso compile test/gpu/arith.py:"${case%%:*}" --signature "${case#*:}" --target $target --emit ptx -o "$TMP/k.ptx" 2>"$TMP/err" &&
			check "$case" $target || { echo "$case for $target:" && head -n 3 "$TMP/err" && bad=1; }
	done
done
exit $bad
