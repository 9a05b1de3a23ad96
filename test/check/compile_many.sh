# neso compile of many kernels: alternatives, lists as lines and as JSON, failures at their lines, hits, an interrupt, the bar on a terminal.
set -e
cat >"$TMP/k.py" <<'PY'
import triton
import triton.language as tl


@triton.jit
def scale(x, y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)


@triton.autotune(
    configs=[
        triton.Config({"B": 64, 'C': 2 * (1 + 1)}, num_warps=2),
        triton.Config(kwargs={"B": 128, "C": 3}, num_warps=4, num_stages=4),
        triton.Config({"B": 128, "C": 3}, num_stages=4, num_warps=4),
    ],
    key=["n"],
)
@triton.jit
def tuned(x, n, B: tl.constexpr, C: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(x + i, tl.load(x + i, mask=i < n) * C, mask=i < n)


@triton.jit(do_not_specialize=["n"])
def plain(x, n, B: tl.constexpr = 32):
    i = tl.arange(0, B)
    tl.store(x + i, i, mask=i < n)


@triton.jit
def bad(x, B: tl.constexpr):
    tl.store(x + tl.arange(0, B), undefined)
PY
want() { # FILE TEXT...
	file=$1
	shift
	for text; do
		grep -qF -- "$text" "$file" || { echo "no '$text' in:"; cat "$file"; exit 1; }
	done
}
many() { # STATUS ARGUMENT...: output and errors in $TMP/out and $TMP/err
	wanted=$1 got=0
	shift
	neso compile "$@" >"$TMP/out" 2>"$TMP/err" || got=$?
	[ "$got" -eq "$wanted" ] || { echo "status $got, not $wanted: $*"; cat "$TMP/out" "$TMP/err"; exit 1; }
}
k=$TMP/k.py

# Alternatives; without a GPU nothing is kept, and nothing is a hit.
many 0 "$k:scale" -s '{*fp32, *fp16}:16, *fp32:*, i32:*, {64,128}'
want "$TMP/out" '24 compiled, 0 hits, 0 failed' ' on ' '24 not in the compile cache, which keeps variants for GPUs'
want "$TMP/err" '*fp32:16,*fp32,i32,64  interp' '*fp16:16,*fp32:16,i32:1,128  interp' '[24/24] compiled'
[ "$(wc -l <"$TMP/err")" -eq 24 ] # without the warning of many variants, which a program would get
many 0 "$k:plain" -s '*fp32:*, i32:*' # the parameter is not specialised
want "$TMP/out" '2 compiled'
many 1 "$k:scale" "$k:plain" -s '*fp32,*fp32,i32,64' -s '*fp32,*fp32,i32,128' --json # is one for both kernels
want "$TMP/out" '"compiled": 2' '"failed": 2' SIGNATURE_LENGTH

# Which signature belongs to which kernel.
many 0 "$k:scale" -s '*fp32,*fp32,i32,64' -s '*fp32,*fp32,i32,128' "$k:plain" -s '*fp32, i32' --num-warps 4,8
want "$TMP/out" '6 compiled'
want "$TMP/err" 'k.py:plain  *fp32,i32  interp num_warps=8' 'k.py:scale  *fp32,*fp32,i32,128  interp num_warps=4'
many 0 -s '*fp32, i32' "$k:plain" "$k:plain" # the same twice is one
want "$TMP/out" '1 compiled'

# Parameters that are left open get what configurations say.
many 0 "$k:tuned" -s '*fp32, i32' -j 1
want "$TMP/out" '2 compiled'
want "$TMP/err" '*fp32,i32,64,2 * (1 + 1)  interp num_warps=2' '*fp32,i32,128,3  interp num_warps=4 num_stages=4'
many 0 "$k:tuned" -s '{*fp32,*fp16}, i32, 32, 5'
want "$TMP/out" '2 compiled'
want "$TMP/err" '*fp16,i32,32,5  interp  '

# Failures: each with its diagnostics, the others are compiled.
cat >"$TMP/list" <<'END'
# what a service needs
k.py:scale -s '*fp32, *fp32, i32, 64' --num-warps 2   # from this folder
k.py:bad   -s "*fp32, {16,32}"

missing.py:kernel -s '*fp32'
k.py:nothing -s '*fp32'
k.py -s '*fp32'
END
many 1 --list "$TMP/list" --num-warps 8
want "$TMP/out" '1 compiled, 0 hits, 5 failed'
want "$TMP/err" 'num_warps=2' "list:3)" 'k.py:33:35: error' 'missing.py' "nothing" 'it has 4 kernels: say which with'
printf '%s\n' "k.py:scale -s 'oops" >"$TMP/bad-list"
many 1 --list "$TMP/bad-list"
want "$TMP/err" 'bad-list:1: a quote is not closed'
printf '\n%s\n' "k.py:scale --frob" >"$TMP/bad-list"
many 1 --list "$TMP/bad-list"
want "$TMP/err" 'bad-list:2: ' "unknown option '--frob'"
many 2 --list /dev/null
many 2 "$k:scale" "$k:plain" --emit ttir
want "$TMP/err" '--emit is for one kernel'
many 2 "$k:scale" -s '*fp32,*fp32,i32,64' --num-warps 4,x
want "$TMP/err" "not 'x'"

# JSON in and out.
cat >"$TMP/list.json" <<'END'
{"target": "interp", "num_warps": [2, 4],
 "kernels": [
  {"kernel": "k.py:scale", "signature": ["*fp32:16", ["*fp32", "*fp\u0031\u0036"], "i32", 64]},
  {"file": "k.py", "kernel": "plain", "signatures": ["*fp32, i32", ["*fp16", "i64", 64]], "num-warps": 1, "debug": true},
  {"kernel": "k.py:bad", "signature": "*fp32, 16", "debug": false}
 ]}
END
many 1 --list "$TMP/list.json" --json
want "$TMP/out" '"compiled": 6, "hits": 0, "same": 0, "failed": 2, "not_begun": 0' '"signature": "*fp32:16,*fp16,i32,64"' \
	'list.json:4"' '"result": "failed"' '"code": "' '"line": 33'
[ ! -s "$TMP/err" ]
fault() { # TEXT MESSAGE
	printf '%s' "$1" >"$TMP/bad.json"
	many 1 --list "$TMP/bad.json"
	want "$TMP/err" "bad.json:$2"
}
fault '{"kernels": [}' '1: here is no value'
fault '[{"kernel": "a"' "1: '}' or ',' is missing"
fault '[1]' '1: a kernel is an object'
fault '{"a": "b' '1: a string is not closed'
fault '["\x"]' '1: there is no such escape'
fault '["a\' '1: there is no such escape'
fault '["\u0x12"]' '1: \u wants four hexadecimal digits'
fault '["\ud800"]' '1: there is no such character'
fault '[1-2]' '1: this is no number'
fault '[] 1' '1: something follows its end'
fault '[{"kernel": "k.py:scale", "frob": 1}]' "1: no option 'frob'"
fault '[
{"kernel": "k.py:scale", "debug": 1}]' "2: 'debug' wants true or false"
fault '[{"kernel": "k.py:scale", "signatures": [{}]}]' '1: this is no signature'
fault "$(printf '%80s' '' | tr ' ' '[')" '1: it is nested too deeply'

# The bar, where standard error is a terminal.
NO_COLOR=1 # what is looked for has no colour; progress.sh looks at colours
export NO_COLOR
if script -qec true /dev/null >/dev/null 2>&1; then
	script -qec "neso compile $k:scale -s '*fp32,*fp32,i32,{16,32,64}'; neso compile $k:bad -s '*fp32,{16,32}'" /dev/null >"$TMP/out" 2>&1 </dev/null || true
	want "$TMP/out" '[------------------------] 0/3' '3 compiled' 'k.py:33:35: error' '0 compiled, 0 hits, 2 failed'
	grep -q 'compiled *[^ ]*k.py:scale' "$TMP/out" && { echo "lines beside the bar"; exit 1; }
fi

command -v ptxas >/dev/null || [ -x "${CUDA_HOME:-/usr/local/cuda}/bin/ptxas" ] || exit 0
[ -f "$NESO_BUILD/libneso-codegen.so" ] || exit 0

# Through the cache: the second time all are hits, and time was saved.
export TRITON_CACHE_DIR="$TMP/cache"
many 0 "$k:scale" -s '*fp32:16,*fp32:16,i32,{64,128}' --target sm_80,sm_90a
want "$TMP/out" '4 compiled, 0 hits'
many 0 "$k:scale" -s '*fp32:16,*fp32:16,i32,{64,128,256}' --target sm_80,sm_90a
want "$TMP/out" '2 compiled, 4 hits, 0 failed' ' s saved'
# Under the policy `generic` values of a numeric constexpr share a variant.
many 0 "$k:tuned" -s '*fp32, i32, 64, {2,3,4,5}' --target sm_80 --constexpr generic
want "$TMP/out" '1 compiled, 0 hits, 3 the same as another'

# An interrupt: what was begun is finished and kept, the rest not begun, and nothing is left behind.
TRITON_CACHE_DIR=$TMP/stopped
: >"$TMP/err"
neso compile "$k:scale" -j 1 --target sm_80 \
	-s '{*fp32,*fp16}, {*fp32,*fp16,*bf16,*i8,*i32}, i32:*, {16,32,64,128,256,512,1024,2048,4096}' >"$TMP/out" 2>"$TMP/err" &
pid=$!
tries=0
until grep -q 'compiled' "$TMP/err" || [ $tries -gt 600 ]; do sleep 0.05; tries=$((tries + 1)); done
kill -TERM $pid # as an interrupt, which shells have processes in the background ignore
got=0
wait $pid || got=$?
[ $got -eq 143 ] || { echo "status $got after an interrupt"; cat "$TMP/out" "$TMP/err"; exit 1; }
want "$TMP/out" ' not begun'
done_=$(sed -n 's/^\([0-9]*\) compiled.*/\1/p' "$TMP/out")
[ "$(neso cache ls | grep -c 'target=sm_80')" -eq "$done_" ]
[ "$(find "$TMP/stopped/neso-1/tmp" "$TMP/stopped/neso-1/lock" -type f 2>/dev/null | wc -l)" -eq 0 ]
exit 0
