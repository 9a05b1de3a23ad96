# range() of bounds and steps that only the run knows makes the turns that Python makes: by the interpreter and by simulators.
set -eu
neso=$NESO_BUILD/neso
cat >"$TMP/turns.py" <<'PY'
import triton
import triton.language as tl


@triton.jit
def signed(out, a, b, s):
    n = 0
    last = 77
    for i in range(a, b, s):
        n += 1
        last = (last * 3 + i) & 0xffffff
    tl.store(out, n)
    tl.store(out + 1, last)


@triton.jit
def wide(out, a: tl.int64, b: tl.int64, s: tl.int64):
    n = 0
    last = tl.zeros((), tl.int64)
    for i in range(a, b, s):
        n += 1
        last = i
    tl.store(out, n)
    tl.store(out + 1, last % 1000003)


@triton.jit
def unsigned(out, a: tl.uint64, b: tl.uint64):
    n = 0
    last = tl.zeros((), tl.uint64)
    for i in range(a, b):
        n += 1
        last = i
    tl.store(out, n)
    tl.store(out + 1, last % 1000003)


@triton.jit
def down(out, a: tl.uint32, b: tl.uint32):
    n = 0
    last = tl.zeros((), tl.uint32)
    for i in range(a, b, -7):
        n += 1
        last = i
    tl.store(out, n)
    tl.store(out + 1, last % 1000003)


@triton.jit
def half(out, a: tl.uint32, b: tl.uint32):
    n = 0
    last = tl.zeros((), tl.uint32)
    for i in range(a, b, 1 << 20):
        n += 1
        last = i
    tl.store(out, n)
    tl.store(out + 1, last % 1000003)


@triton.jit
def up(out, n, STEP: tl.constexpr):
    for i in range(0, n, STEP):
        tl.store(out + i, i)
    for i in range(tl.program_id(0), n, tl.num_programs(0) * STEP):
        tl.store(out + i, i)
    for i in range(n, 0, -STEP):
        tl.store(out + i, i)
PY
targets="interp"
[ -f "$NESO_BUILD/libneso-codegen.so" ] && targets="interp sim:sm_80 sim:sm_90a"

while read -r kernel arguments; do
	for target in $targets; do
		# shellcheck disable=SC2086
		given=$("$neso" run "$TMP/turns.py:$kernel" --target "$target" --grid 1 out=zeros:2:i32 \
			${arguments% : *} --print out 2>&1 | tail -n 1)
		[ "$given" = "${arguments#* : }" ] || { echo "$kernel $arguments by $target: $given"; exit 1; }
	done
done <<'ROWS'
signed a=10 b=0 s=-3 : 4 6583
signed a=0 b=10 s=3 : 4 6291
signed a=0 b=10 s=-3 : 0 77
signed a=10 b=0 s=3 : 0 77
signed a=5 b=5 s=-1 : 0 77
signed a=5 b=4 s=-9 : 1 236
signed a=2147483640 b=2147483647 s=6 : 2 667
signed a=-2147483640 b=-2147483648 s=-4 : 2 721
signed a=2147483647 b=-2147483648 s=-2147483648 : 2 689
signed a=-2147483648 b=2147483647 s=2147483647 : 3 2074
wide a=9223372036854775800:i64 b=-9223372036854775808:i64 s=-9223372036854775000:i64 : 3 -673737
wide a=-5:i64 b=9223372036854775807:i64 s=4611686018427387904:i64 : 3 675340
wide a=7:i64 b=0:i64 s=-1:i64 : 7 1
unsigned a=9223372036854775800:u64 b=9223372036854775811:u64 : 11 675347
unsigned a=18446744073709551600:u64 b=18446744073709551615:u64 : 15 350685
unsigned a=3:u64 b=3:u64 : 0 0
unsigned a=9:u64 b=3:u64 : 0 0
down a=4294967295 b=4294967000 : 43 954119
down a=20 b=0 : 3 6
down a=0 b=20 : 0 0
half a=5 b=4294967295 : 4096 905846
half a=4293918720 b=4294967295 : 1 905841
ROWS
for target in $targets; do
	"$neso" run "$TMP/turns.py:signed" --target "$target" --grid 1 out=zeros:2:i32 a=1 b=3 s=0 >"$TMP/said" 2>&1 && exit 1
	grep -q "turns.py:9:14: error: .*range() arg 3 must not be zero" "$TMP/said"
done
# The same in a kernel with wgmma, which calls no function for it.
cat >"$TMP/products.py" <<'PY'
import triton
import triton.language as tl


@triton.jit
def products(a, out, n, s):
    r = tl.arange(0, 64)
    x = tl.load(a + r[:, None] * 64 + r[None, :])
    for i in range(0, n, s):
        tl.store(out + i * 4096 + r[:, None] * 64 + r[None, :], tl.dot(x, x))
PY
products() {
	"$neso" run "$TMP/products.py:products" --target sim:sm_90a --grid 1 a=zeros:4096:fp16 out=zeros:8192:fp32 n=2 s="$1" >"$TMP/said" 2>&1
}
products 1
products 0 && exit 1
grep -q "products.py:9:14: error: .*range() arg 3 must not be zero" "$TMP/said"
# What is known to go up needs no more than it did.
"$neso" compile "$TMP/turns.py:up" --signature "*i32:16, i32, 64" --emit ttir >"$TMP/up"
! grep -q "tt.assert\|arith.divui" "$TMP/up"
