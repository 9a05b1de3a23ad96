# Declarations through the command: what a program launched is recorded, enumerated, compiled in parts that are disjoint and
# complete, into a pack that a strict program runs from; and a running process tells what it has.
set -eu
cp examples/vector_add.py "$TMP/k.py"
cd "$TMP"
export TRITON_CACHE_DIR="$TMP/cache"
# COMMAND...: it fails; what it says is in said.
refused() {
	if "$@" >/dev/null 2>said; then
		echo "succeeded: $*"
		exit 1
	fi
}
run="neso run k.py:add_kernel x_ptr=ones:64:fp32 y_ptr=ones:64:fp32 out_ptr=zeros:64:fp32 -g 2 -q BLOCK=32"
for n in 64 7 1 48; do
	neso record -o r.variants -- $run n=$n &
done
wait
cat >expected <<'END'
# Variants that were launched. neso compile --declared FILE compiles them ahead.

k.py:add_kernel(x_ptr: *fp32:16, y_ptr: *fp32:16, out_ptr: *fp32:16, n: i32, BLOCK=32)
k.py:add_kernel(x_ptr: *fp32:16, y_ptr: *fp32:16, out_ptr: *fp32:16, n: i32:16, BLOCK=32)
k.py:add_kernel(x_ptr: *fp32:16, y_ptr: *fp32:16, out_ptr: *fp32:16, n=1, BLOCK=32)
END
cmp r.variants expected

cat >all.variants <<'END'
# by hand, and what was recorded
k.py:add_kernel(x_ptr: {*fp32, *fp16}:*, y_ptr: *fp32:16, out_ptr: *fp32:16, n: i32:*, BLOCK: {32, 64..128 *2}) num_warps={2, 4}
k.py:add_kernel(x_ptr: *fp32:16, y_ptr: *fp32:16, out_ptr: *fp32:16, n: 1..64, BLOCK=32) num_warps=2
control k.py:add_kernel(y_ptr: unaligned)
END
neso compile --declared all.variants --target sm_80,sm_90a --count >whole 2>said
grep -q "k.py:add_kernel: 144 variants (x_ptr 4, n 3, BLOCK 3, num_warps 2, target 2)" said
grep -q "'x_ptr' multiplies them by 4" said
grep -q '^146 variants$' said # of 1..64 two are of multiples of 8, which * leaves out
if grep -q '\*fp32:16,\*fp32:16' whole; then exit 1; fi
[ "$(sort -u whole | wc -l)" = 146 ]
[ "$(wc -l <whole)" = 146 ]
for i in 1 2 3 4 5; do
	neso compile --declared all.variants --target sm_80,sm_90a --count --shard $i/5 >part.$i 2>/dev/null
done
sort whole >a
sort part.1 part.2 part.3 part.4 part.5 >b
cmp a b
for wrong in 0/5 6/5 x 1/ 1/5x; do
	refused neso compile --declared all.variants --count --shard $wrong
done
refused neso compile --declared all.variants --count --most 71
grep -q "all.variants:2:1: error: add_kernel can have 72 variants, and no more than 71 are enumerated: 'x_ptr' multiplies them by 4" said
printf 'k.py:add_kernel(x_ptr: *fp32\n' >open.variants
refused neso compile --declared - --count <open.variants
grep -q '<stdin>:1:16: error: this bracket is not closed' said
printf 'k.py:add_kernel(x_ptr: *fp32)\nk.py:other(x: i32)\n' >bad.variants
refused neso compile --declared bad.variants --count
grep -q "bad.variants:1:1: error: nothing is said of the parameter 'y_ptr' of add_kernel" said
grep -q "no kernel 'other' in" said

# Strict: what lies nowhere is an error.
refused env NESO_STRICT=1 $run n=64
grep -q 'add_kernel is not compiled for this call, and strict mode compiles nothing: first variant' said
grep -q 'note: this line declares it: k.py:add_kernel(x_ptr: \*fp32:16, y_ptr: \*fp32:16, out_ptr: \*fp32:16, n: i32:16, BLOCK=32)' said

# A running process.
NESO_EXPLAIN="$TMP/socket" $run n=64 --repeat 1000000 &
program=$!
until [ -S socket ] && neso explain socket 2>/dev/null | grep -q launches; do kill -0 $program; sleep 0.1; done
neso explain socket >said
grep -q '^add_kernel  k.py:' said
grep -q '1 variant: 1 compiled in .* s, 0 from the cache; [0-9]* launches' said
neso explain socket --format json | grep -q '"key": "add_kernel(x_ptr: \*fp32:16'
neso explain socket --format prometheus | grep -q '^neso_variants{kernel="add_kernel",path="k.py"} 1$'
kill $program
wait $program || true
refused neso explain socket
grep -q 'socket: the process that listened there has ended' said
refused neso explain nowhere
grep -q 'nowhere: No such file or directory (a process listens there' said
refused neso explain socket --format xml
refused neso record -o nowhere/r.variants -- true
grep -q 'nowhere/r.variants: No such file or directory' said

# A pack, compiled where there is no GPU.
[ -f "$NESO_BUILD/libneso-codegen.so" ] || exit 0
command -v ptxas >/dev/null || exit 0
for i in 1 2; do
	neso compile --declared r.variants --target sm_80 --shard $i/2 --pack pack.$i >said 2>&1
	grep -q "^pack.$i: [0-9]* entries" said
done
[ ! -d cache/neso-1/variant ] || [ -z "$(ls cache/neso-1/variant)" ]
neso cache unpack pack.1 >/dev/null
neso cache unpack pack.2 >/dev/null
neso compile --declared r.variants --target sm_80 --json >said 2>/dev/null
grep -q '"compiled": 0, "hits": 3' said
