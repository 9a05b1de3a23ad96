# The pipeline from outside: stopped after a pass, written out pass by pass, with passes left out, searched for the one to blame.
set -eu
cat >"$TMP/twice.py" <<'END'
import triton
import triton.language as tl


@triton.jit
def twice(x_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + i, tl.load(x_ptr + i, mask=i < n) * 2, mask=i < n)
END
kernel=$TMP/twice.py:twice
compile() { neso compile "$kernel" -s '*fp32:16,i32,256' --target sim:sm_90a "$@"; }
fails() { if "$@" >"$TMP/out" 2>&1; then echo "did not fail: $*"; exit 1; fi; }

# Every row's pass has a file of its name with a test; those that share a file are named in it.
for row in $(sed -nE 's/^PASS\((pass_[a-z_]+), "([a-z-]+)".*/\1,\2/p' src/ir/passes.def src/gpu/passes.def); do
	name=${row#*,}
	[ "${row%,*}" = "pass_$(echo "$name" | tr - _)" ] || { echo "$row: function and name differ"; exit 1; }
	grep -q "^bool ${row%,*}(" "src/ir/pass/$(echo "$name" | tr - _).c" "src/gpu/pass/$(echo "$name" | tr - _).c" \
		"src/gpu/memory/$(echo "$name" | tr - _).c" src/ir/pass/canon.c src/ir/pass/inline.c 2>/dev/null ||
		{ echo "no file of the pass $name"; exit 1; }
	grep -qrE "\"$name\"|pass[= ][a-z,-]*$name|${row%,*}" test/unit test/ir test/ttgir || { echo "no test of the pass $name"; exit 1; }
done

# Stops where it is told; the same pass may run several times.
compile --stop-after convert-ttir-to-ttgir --no-loc >"$TMP/early"
grep -q '#ttg.linear' "$TMP/early"
if grep -q 'ttg.shared' "$TMP/early"; then echo "allocate ran"; exit 1; fi
compile --stop-after barriers --no-loc >"$TMP/late"
compile --emit ttgir --no-loc >"$TMP/whole"
cmp "$TMP/late" "$TMP/whole"
compile --stop-after combine --no-loc >"$TMP/ttir"
grep -q 'tt.load' "$TMP/ttir"
if grep -q '#ttg' "$TMP/ttir"; then echo "layouts after a TTIR pass"; exit 1; fi
compile --stop-after cse --no-loc >"$TMP/first"
compile --stop-after cse:2 --no-loc >"$TMP/second"
if grep -q '#ttg' "$TMP/first"; then echo "the first cse is of TTIR"; exit 1; fi
grep -q '#ttg' "$TMP/second"
fails compile --stop-after cze
grep -q "unknown pass 'cze'" "$TMP/out"
fails neso opt --pass=cse --stop-after cse "$TMP/ttir"
grep -q 'not both' "$TMP/out"

# A file for each pass, numbered, of the kernels that were asked for.
NESO_DUMP=$TMP/dump compile >/dev/null
set -- "$TMP"/dump/twice-*
[ $# -eq 1 ]
[ -f "$1/00-structure.ttir" ] && ls "$1" | grep -q -- '-barriers.ttgir$'
[ "$(ls "$1" | wc -l)" -gt 20 ]
NESO_DUMP=$TMP/other NESO_DUMP_KERNEL='thr*' compile >/dev/null
[ ! -e "$TMP/other" ]
: >"$TMP/file"
NESO_DUMP=$TMP/file compile >/dev/null 2>"$TMP/err"
grep -q 'cannot be dumped' "$TMP/err"

# Without optional passes the code is another and right.
all=$(neso opt --list-passes | sed -n 's/^\* \([a-z-]*\).*/\1/p' | paste -sd,)
NESO_SKIP_PASSES=$all neso run "$kernel" -g 2 ones:512:fp32 512 256 --target sim:sm_90a >"$TMP/out"
grep -q '2' "$TMP/out"
NESO_SKIP_PASSES=$all compile --emit ttgir --no-loc >"$TMP/without"
if cmp -s "$TMP/without" "$TMP/whole"; then echo "nothing was left out"; exit 1; fi
NESO_SKIP_PASSES=allocate fails compile
grep -q "'allocate' is no optional pass" "$TMP/out"

# The pass to blame: a command that fails as soon as accesses are as wide as memory likes.
cat >"$TMP/narrow.sh" <<END
neso compile $kernel -s '*fp32:16,i32:16,1024' --target sim:sm_90a --emit ptx >$TMP/ptx || exit 0
! grep -q 'v4' $TMP/ptx
END
[ "$(neso bisect -q -- sh "$TMP/narrow.sh")" = coalesce ]
fails neso bisect -- true
grep -q 'does not fail' "$TMP/out"
fails neso bisect -- false
grep -q 'fails without optional passes too' "$TMP/out"
