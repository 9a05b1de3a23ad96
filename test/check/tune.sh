# neso tune: candidates of the decorator, of the command line and of a search; files of choices; what fails is named.
set -eu
cat >"$TMP/add.py" <<'END'
import triton
import triton.language as tl


@triton.autotune([triton.Config({"BLOCK": 16}, num_warps=1), triton.Config({"BLOCK": 1024})], key=["n"])
@triton.jit
def add_to(x_ptr, n, amount, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + at, tl.load(x_ptr + at, at < n) + amount, at < n)


@triton.jit
def product(a_ptr, b_ptr, c_ptr, n, BLOCK_M: tl.constexpr, BLOCK_K: tl.constexpr, SCALE: tl.constexpr = 1.0):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.arange(0, 64)
    sums = tl.zeros((BLOCK_M, 64), tl.float32)
    for k in range(0, n, BLOCK_K):
        inner = k + tl.arange(0, BLOCK_K)
        a = tl.load(a_ptr + rows[:, None] * n + inner[None, :])
        b = tl.load(b_ptr + inner[:, None] * 64 + columns[None, :])
        sums = tl.dot(a, b, sums)
    tl.store(c_ptr + rows[:, None] * 64 + columns[None, :], sums * SCALE)
END
file=$TMP/add.py

# status EXPECTED COMMAND...
status() {
	wanted=$1
	shift
	got=0
	"$@" >"$TMP/stdout" 2>"$TMP/stderr" || got=$?
	if [ "$got" -ne "$wanted" ]; then
		echo "status $got, expected $wanted: $*"
		cat "$TMP/stdout" "$TMP/stderr"
		exit 1
	fi
}
says() { grep -q -e "$1" "$TMP/stdout" || { echo "stdout lacks '$1':"; cat "$TMP/stdout"; exit 1; }; }
lacks() { if grep -q -e "$1" "$TMP/stdout"; then echo "stdout has '$1':"; cat "$TMP/stdout"; exit 1; fi; }
complains() { grep -q -e "$1" "$TMP/stderr" || { echo "stderr lacks '$1':"; cat "$TMP/stderr"; exit 1; }; }

# The decorator's configurations; the choice goes into a file, and one that is tuned again replaces it.
status 0 neso tune "$file:add_to" -g "cdiv(n,BLOCK)" zeros:50000:fp32 50000 1.0 --budget 20 -o "$TMP/tuned.json"
says '^BLOCK=.* chosen$'
says '^BLOCK=1024, num_warps=4, num_stages=3  *[0-9.]* us .* [a-z]*$'
says '^BLOCK=16, num_warps=1, num_stages=3  *[0-9.]* us .* [a-z]*$'
status 0 neso tune "$file:add_to" -g "cdiv(n,BLOCK)" zeros:50000:fp32 50000 1.0 --budget 20 -o "$TMP/tuned.json" --json --plot "$TMP/plot.svg"
says '"config": "BLOCK=[0-9]*, num_warps=[14], num_stages=3", "settled"'
[ "$(grep -c '"kernel": "add_to"' "$TMP/tuned.json")" = 1 ] || { cat "$TMP/tuned.json"; exit 1; }
grep -q '"gpu": "cpu", "driver": "none", "key": "n=50000; x_ptr=fp32", "config": "BLOCK=1' "$TMP/tuned.json"
grep -q 'BLOCK=16, num_warps=1' "$TMP/plot.svg"
if command -v xmllint >/dev/null; then xmllint --noout "$TMP/plot.svg"; fi

# Those of the command line; one that does not compile is named and passed over; arrays are put back.
status 0 neso tune "$file:add_to" -g 8 x_ptr=zeros:5000:fp32 n=5000 amount=1.0 -c BLOCK=0 -c "BLOCK=4096, num_warps=8" --restore x_ptr
says '^BLOCK=0, num_warps=4, num_stages=3 .* failed: '
says '^BLOCK=4096, num_warps=8, num_stages=3 .* chosen$'
status 1 neso tune "$file:add_to" -g 1 zeros:50:fp32 50 1.0 -c BLOCK=0
complains 'no configuration of add_to runs'
status 1 neso tune "$file:add_to" -g 1 zeros:50:fp32 50 1.0 -c BLOCK=16 --restore y
complains "tuning: the launch has no argument 'y' with memory to put back"
status 2 neso tune "$file:add_to" -g 1 zeros:50:fp32 50 1.0 16
complains "'BLOCK' is given, and a configuration has a value for it"
status 2 neso tune "$file:add_to" -g 1 zeros:50:fp32 50 1.0 -c BLOK=16
complains "no parameter 'BLOK'"
status 2 neso tune "$file:product" -g 1 zeros:50:fp32
complains 'no triton.Config that is written out'
status 2 neso tune "$file:add_to" -g 1 --target sim:sm_90a
complains 'the simulator.s time says nothing'

# A search: the sizes of tiles are found, and what cannot fit is left out before it is compiled.
# Results are the same within a hundredth of the value and a hundredth of what values are like: of 1 and 3, whose mean of
# squares is 5, 1 may differ by 0.0323. Integers are the same to the bit.
cat >"$TMP/close.py" <<'END'
import triton
import triton.language as tl


@triton.jit
def close(o_ptr, i_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    one = 1.031 if BLOCK == 512 else 1.034 if BLOCK == 256 else 1.0
    tl.store(o_ptr + at, tl.where(at % 2 == 0, one, 3.0), at < n)
    tl.store(i_ptr + at, BLOCK // 2048, at < n)
END
set -- "$TMP/close.py:close" -g "cdiv(4096,BLOCK)" zeros:4096:fp32 zeros:4096:i32 4096 --budget 30 --json
status 0 neso tune "$@" -c BLOCK=1024 --search BLOCK --most 50
says '"config": "BLOCK=512, num_warps=4, num_stages=3", "state": "\(chosen\|close\|slower\|hopeless\)"'
says '"config": "BLOCK=256, num_warps=4, num_stages=3", "state": "failed", "why": "its results are others: o_ptr differs at element 0"'
says '"config": "BLOCK=2048, num_warps=4, num_stages=3", "state": "failed", "why": "its results are others: i_ptr differs at element 0"'
set -- "$file:product" -g "cdiv(256,BLOCK_M)" randn:256x256:fp16 randn:256x64:fp16 zeros:256x64:fp32 256
status 0 neso tune "$@" --search auto --most 4 --budget 30 --json
says 'bytes of shared memory for 4 stages, of 166912'
says 'the model of cost gives it'
lacks 'SCALE'
measured=$(grep -c '"state": "\(chosen\|close\|slower\|hopeless\)"' "$TMP/stdout")
[ "$measured" -le 4 ] || { echo "$measured were measured"; exit 1; }
status 0 neso tune "$@" --search BLOCK_K -c "BLOCK_M=32, BLOCK_K=64" --most 3 --budget 30 --json
lacks 'BLOCK_M=16'
says '"config": "BLOCK_M=32, BLOCK_K=64, num_warps=4, num_stages=3", "state": "[a-z]*", "why": null, "seconds"'
status 1 neso tune "$@" --search auto -c "BLOCK_M=32, BLOCK_K=48"
# A block that does not cover its row is no choice of a search, however fast; one of the list is its user's.
cat >"$TMP/soft.py" <<'END'
import triton
import triton.language as tl


@triton.jit
def softmax(o_ptr, x_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * n + tl.arange(0, BLOCK)
    mask = tl.arange(0, BLOCK) < n
    x = tl.exp(tl.load(x_ptr + at, mask, -float("inf")))
    tl.store(o_ptr + at, x / tl.sum(x, 0), mask)
END
set -- "$TMP/soft.py:softmax" -g 16 zeros:16x2048:fp32 randn:16x2048:fp32 2048 --budget 30 --json
status 0 neso tune "$@" -c BLOCK=4096 --search BLOCK --most 50
says '"config": "BLOCK=[24]*[0-9]*, num_warps=[0-9]*, num_stages=3", "settled"'
says '"config": "BLOCK=1024, num_warps=4, num_stages=3", "state": "failed", "why": "its results are others: o_ptr differs at element 0"'
says '"config": "BLOCK=2048, num_warps=4, num_stages=3", "state": "\(chosen\|close\|slower\|hopeless\)"'
status 0 neso tune "$@" -c BLOCK=4096 --search BLOCK --most 2
says '"config": "BLOCK=1024, num_warps=4, num_stages=3", "state": "pruned", "why": "it moves fewer bytes than what is listed"'
status 0 neso tune "$@" -c BLOCK=4096 --search BLOCK --most 50 --any-results
says '"config": "BLOCK=1024, num_warps=4, num_stages=3", "state": "\(chosen\|close\|slower\|hopeless\)"'
set -- "$file:product" -g "cdiv(256,BLOCK_M)" randn:256x256:fp16 randn:256x64:fp16 zeros:256x64:fp32 256
# Shards: each candidate is in one of them, and files are put together.
all=$(neso tune "$@" -c BLOCK_M=16,BLOCK_K=16 -c BLOCK_M=32,BLOCK_K=16 -c BLOCK_M=64,BLOCK_K=16 --json | grep -c '"config": "BLOCK_M=[0-9]*, BLOCK_K=16, num_warps=4, num_stages=3", "state"')
[ "$all" = 3 ]
for i in 1 2; do
	status 0 neso tune "$@" -c BLOCK_M=16,BLOCK_K=16 -c BLOCK_M=32,BLOCK_K=16 -c BLOCK_M=64,BLOCK_K=16 --shard $i/2 -o "$TMP/part$i.json" --json
	grep -o '"config": "[^"]*", "state"' "$TMP/stdout" >>"$TMP/parts"
done
[ "$(sort -u "$TMP/parts" | wc -l)" = 3 ] && [ "$(wc -l <"$TMP/parts")" = 3 ] || { cat "$TMP/parts"; exit 1; }
status 2 neso tune "$@" -c BLOCK_M=16,BLOCK_K=16 --shard 3/2
complains 'shard wants I/N, from 1/N to N/N'
status 0 neso tune --merge "$TMP/part1.json" "$TMP/part2.json" "$TMP/tuned.json" -o "$TMP/all.json"
status 0 neso tune --merge "$TMP/tuned.json" "$TMP/part2.json" "$TMP/part1.json"
cmp "$TMP/stdout" "$TMP/all.json"
[ "$(grep -c '"kernel"' "$TMP/all.json")" = 2 ]
status 0 neso tune --merge "$TMP/all.json" --only product
[ "$(grep -c '"kernel"' "$TMP/stdout")" = 1 ]
echo '{"neso-tuned": 1, "entries": [' >"$TMP/bad.json"
status 1 neso tune --merge "$TMP/bad.json"
complains "bad.json:2: no tuning results: ']' is missing"
status 1 neso tune --merge "$TMP/none.json"
complains 'tuning: .*none.json: '

# On a GPU that is a fake: events, the L2 cache emptied, arrays put back and filled.
if [ -f "$NESO_BUILD/test/fake/libcuda.so.1" ] && neso info | grep -q '^ptxas *[0-9]'; then
	TRITON_LIBCUDA_PATH=$NESO_BUILD/test/fake/libcuda.so.1
	export TRITON_LIBCUDA_PATH
	status 0 neso tune "$file:add_to" -g "cdiv(n,BLOCK)" zeros:5000:fp32 5000 1.0 --target cuda --restore x_ptr --zero x_ptr -o "$TMP/gpu.json"
	says '^BLOCK=16, num_warps=1, num_stages=3 *1500.00 us .* chosen$' # the fake's events are always so far apart: a tie
	says '^BLOCK=1024, num_warps=4, num_stages=3 *1500.00 us .* close$'
	grep -q '"gpu": "Fake GPU 0 sm_90a", "driver": "13.0' "$TMP/gpu.json"
	status 0 neso tune "$file:add_to" -g "cdiv(n,BLOCK)" zeros:5000:fp32 5000 1.0 --target cuda --gpus 2
	says '^BLOCK=16, num_warps=1, num_stages=3 *1500.00 us .* chosen$'
	says '^BLOCK=1024, num_warps=4, num_stages=3 *1500.00 us .* close$'

	# A search on a GPU with clusters, over a loop that may have warps of its own.
	cat >"$TMP/asks.py" <<-'END'
	import triton
	import triton.language as tl


	@triton.jit
	def product(a_ptr, b_ptr, c_ptr, n, BLOCK_K: tl.constexpr, OWN: tl.constexpr):
	    rows = tl.arange(0, 128)
	    sums = tl.zeros((128, 128), tl.float32)
	    for k in tl.range(0, n, BLOCK_K, warp_specialize=OWN):
	        inner = k + tl.arange(0, BLOCK_K)
	        a = tl.load(a_ptr + rows[:, None] * n + inner[None, :])
	        b = tl.load(b_ptr + inner[:, None] * 128 + rows[None, :])
	        sums = tl.dot(a, b, sums)
	    tl.store(c_ptr + rows[:, None] * 128 + rows[None, :], sums)
	END
	set -- "$TMP/asks.py:product" -g 1 randn:128x4096:fp16 randn:4096x128:fp16 zeros:128x128:fp32 4096
	set -- "$@" -c "BLOCK_K=64, OWN=False" --search auto --most 1 --json
	status 0 neso tune "$@" --target cuda
	says '"config": "BLOCK_K=64, OWN=True, num_warps=8, num_stages=3", "state": "pruned", "why": "the model'
	says '"config": "BLOCK_K=64, OWN=False, num_warps=8, num_stages=3, num_ctas=2", "state": "pruned", "why": "the model'
	says '"config": "BLOCK_K=64, OWN=True, num_warps=2, num_stages=3", "state": "pruned", "why": "2 warps and 3 stages'
	status 0 neso tune "$@"
	lacks 'num_ctas'
	says '"config": "BLOCK_K=64, OWN=True, num_warps=8, num_stages=3", "state": "pruned", "why": "the GPU.s loops'
fi
