# neso cache: each action on a cache of its own; packs and layers hit under other folders; what explains a miss.
set -e
command -v ptxas >/dev/null || [ -x "${CUDA_HOME:-/usr/local/cuda}/bin/ptxas" ] || { echo "no ptxas"; exit 77; }
[ -f "$NESO_BUILD/libneso-codegen.so" ] || { echo "built without LLVM"; exit 77; }
cat >"$TMP/k.py" <<'PY'
import triton
import triton.language as tl

WIDTH = tl.constexpr(3)


@triton.jit
def part(x):
    return x * WIDTH


@triton.jit
def kernel(p, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(p + i, part(tl.load(p + i, mask=i < n)), mask=i < n)
PY
export TRITON_CACHE_DIR=$TMP/one
compile() { neso compile "$TMP/k.py:kernel" -s "$1" --target sm_80 --emit cubin -o "$TMP/cubin" ; }
want() { # FILE TEXT...
	file=$1
	shift
	for text; do
		grep -qF -- "$text" "$file" || { echo "no '$text' in:"; cat "$file"; exit 1; }
	done
}
stat() { neso cache stats --json | tr ',{}' '\n' | sed -n "s/^ *\"$1\": //p"; }
is() { [ "$(stat "$1")" = "$2" ] || { echo "$1 is $(stat "$1"), not $2"; neso cache stats; exit 1; }; }

[ "$(neso cache path)" = "$TMP/one/neso-1" ]
is hits 0
compile '*fp32:16, i32, 64'
cp "$TMP/cubin" "$TMP/first"
compile '*fp32:16, i32, 64'
cmp "$TMP/cubin" "$TMP/first"
is hits 1
is misses 1
compile '*fp32:16, i32:16, 64'
is misses 1
is half_hits 1
neso cache explain kernel >"$TMP/out"
want "$TMP/out" 'argument n: i32 before, now i32, divisible by 16' 'compiled 2 times'
sed -i 's/constexpr(3)/constexpr(4)/' "$TMP/k.py"
compile '*fp32:16, i32:16, 64'
neso cache explain kernel --json >"$TMP/out"
want "$TMP/out" '"name": "global WIDTH"' '"before": "3"' '"now": "4"' '"misses": 3'
neso cache explain nothing >"$TMP/out"
want "$TMP/out" 'no compilation of nothing is known'

# key: every ingredient, and the digits under which the entry lies
neso cache key "$TMP/k.py:kernel" -s '*fp32:16, i32:16, 64' --target sm_80 >"$TMP/out"
want "$TMP/out" 'argument p' 'divisible by 16' 'function kernel' 'function part' 'global WIDTH' 'assembler' 'ptxas ' 'compiler '
digits=$(tail -n 1 "$TMP/out")
neso cache ls >"$TMP/out"
want "$TMP/out" "$(echo "$digits" | cut -c1-16)  variant" 'target=sm_80' '  cubin  ' '  fact  '
neso cache ls --json >"$TMP/out"
want "$TMP/out" "\"key\": \"$digits\"" '"damage": null' '"registers": '
neso cache show "$(echo "$digits" | cut -c1-10)" >"$TMP/out"
want "$TMP/out" 'key facts metadata cubin' 'ttgir' '"microseconds": {' 'global WIDTH'
neso cache show "$digits" --section ptx >"$TMP/out"
want "$TMP/out" '.entry kernel'
neso cache show "$digits" --section cubin | cmp - "$TMP/cubin"
status=0
neso cache show "$digits" --section nothing 2>"$TMP/out" || status=$?
[ $status -eq 1 ] && want "$TMP/out" "no section 'nothing'"
neso cache show ffff 2>"$TMP/out" && exit 1 # DIAG_CACHE_AMBIGUOUS
want "$TMP/out" 'no entry has a key that begins so'
neso cache key "$TMP/k.py:kernel" -s '*fp32, i32, 64' 2>"$TMP/out" && exit 1 # DIAG_CACHE_TARGET
want "$TMP/out" 'the compile cache keeps variants for GPUs; the target is interp'
{ cat "$TMP/k.py"; printf '\n@triton.jit\ndef bad(p):\n    x = = 1\n'; } >"$TMP/bad.py"
neso cache key "$TMP/bad.py:bad" -s '*fp32' --target sm_80 2>"$TMP/out" && exit 1 # DIAG_CACHE_SOURCE
want "$TMP/out" 'bad has no key: its sources hold syntax errors'

# diff: the rows of two entries
keys=$(neso cache ls | sed -n '/target=sm_80/s/ .*//p')
neso cache diff $(echo $keys | cut -d' ' -f1) $(echo $keys | cut -d' ' -f1) >"$TMP/out"
want "$TMP/out" 'the same'
for a in $keys; do
	for b in $keys; do
		[ "$a" = "$b" ] || neso cache diff "$a" "$b" || exit 1
	done
done >"$TMP/out"
want "$TMP/out" 'argument n: i32 before, now i32, divisible by 16' 'global WIDTH: 4 before, now 3'
neso cache diff $keys --json >/dev/null 2>&1 && exit 1
neso cache diff $(echo $keys | cut -d' ' -f1,2) --json >"$TMP/out"
want "$TMP/out" '{"differences": [{"name": "' '"before": "'
neso cache diff ffff 0000 2>"$TMP/out" && exit 1
neso cache diff $(neso cache ls | sed -n '/  cubin /s/ .*//p' | head -n 1) $(echo $keys | cut -d' ' -f1) 2>"$TMP/out" && exit 1
want "$TMP/out" 'its entry has no rows'

# Under the policy `generic` a process finds without lowering what another found out of a kernel, and other numbers hit too.
generic() { neso compile "$TMP/g.py:g" -s "$1" --target sm_80 --constexpr generic --emit cubin -o "$TMP/cubin" ; }
cat >"$TMP/g.py" <<'PY'
import triton
import triton.language as tl


@triton.jit
def g(p, n, SHIFT: tl.constexpr, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(p + i, i * SHIFT, mask=i < n)
PY
(
	export TRITON_CACHE_DIR=$TMP/generic
	generic '*i32:16, i32, 3, 64'
	cp "$TMP/cubin" "$TMP/first-generic"
	[ "$(neso cache ls | grep -c ' fact ')" -eq 3 ] # of ptxas, of LLVM, and which constexprs are arguments
	generic '*i32:16, i32, 3, 64'
	cmp "$TMP/cubin" "$TMP/first-generic"
	is hits 1
	generic '*i32:16, i32, 4, 64'
	cmp "$TMP/cubin" "$TMP/first-generic"
	is hits 2
	generic '*i32:16, i32, 3, 128' # B is structural
	is misses 2
	for file in "$TRITON_CACHE_DIR"/neso-1/fact/*/*; do printf x | dd of="$file" bs=1 seek=60 conv=notrunc 2>/dev/null; done
	generic '*i32:16, i32, 3, 64' 2>"$TMP/out"
	cmp "$TMP/cubin" "$TMP/first-generic"
	is hits 3
)

# packs: the same in another folder; what is damaged stays behind
neso cache pack "$TMP/pack" >"$TMP/out"
want "$TMP/out" 'entries'
TRITON_CACHE_DIR=$TMP/two
neso cache unpack "$TMP/pack"
compile '*fp32:16, i32:16, 64'
cmp "$TMP/cubin" "$TMP/first" && exit 1
is hits 1
is misses 0
# ... also where there is no ptxas, as far as it knows the variant; and not where another ptxas is to be asked
TRITON_CACHE_DIR=$TMP/bare
neso cache unpack "$TMP/pack" >"$TMP/out"
export TRITON_PTXAS_PATH=/nonexistent/ptxas
cp "$TMP/cubin" "$TMP/packed"
compile '*fp32:16, i32:16, 64'
cmp "$TMP/cubin" "$TMP/packed"
is hits 1
neso cache ls >"$TMP/out"
want "$TMP/out" 'where there is no ptxas: '
compile '*fp32:16, i64, 64' 2>"$TMP/out" && exit 1
want "$TMP/out" 'no ptxas: /nonexistent/ptxas'
PTXAS_OPTIONS=-O1 compile '*fp32:16, i32:16, 64' 2>"$TMP/out" && exit 1
unset TRITON_PTXAS_PATH

head -c 3000 "$TMP/pack" >"$TMP/cut"
TRITON_CACHE_DIR=$TMP/three
neso cache unpack "$TMP/cut" >"$TMP/out" && exit 1
want "$TMP/out" '1 refused'
neso cache unpack "$TMP/k.py" 2>"$TMP/out" && exit 1 # DIAG_CACHE_PACK
want "$TMP/out" 'cannot be unpacked: it is no pack'

# what is there and no file is written to, and stays what it is
mkfifo "$TMP/pipe"
cat "$TMP/pipe" >"$TMP/piped" &
TRITON_CACHE_DIR=$TMP/two neso cache pack "$TMP/pipe"
wait $!
[ -p "$TMP/pipe" ]
cmp "$TMP/piped" "$TMP/pack"
TRITON_CACHE_DIR=$TMP/two neso cache pack /dev/full 2>"$TMP/out" && exit 1
want "$TMP/out" '/dev/full cannot be packed: No space left on device'
[ -c /dev/full ]
ls "$TMP" >"$TMP/out"
grep -F .tmp "$TMP/out" && exit 1

# what was read does not steer a terminal: a kernel's name, lines of a file, sections
esc=$(printf '\033')
printf 'import triton\n\n\n@triton.jit\ndef f(x):\n    y = "%s[2J" + x%s[31m\n' "$esc" "$esc" >"$TMP/$esc[2J.py"
neso compile "$TMP/$esc[2J.py:f" -s '*fp32' >"$TMP/out" 2>&1 && exit 1
want "$TMP/out" 'error: '
grep -F "$esc" "$TMP/out" && exit 1
neso cache show "$esc[2J" >"$TMP/out" 2>&1 && exit 1
grep -F "$esc" "$TMP/out" && exit 1
cp -r "$TMP/two" "$TMP/steered"
for file in "$TMP"/steered/neso-1/variant/*/*; do
	printf '1700000000000 miss %s 7 k%s[2J\n' "$(basename "$file")" "$esc" >>"$TMP/steered/neso-1/log"
done
TRITON_CACHE_DIR=$TMP/steered neso cache explain "k$esc[2J" >"$TMP/out" 2>&1
want "$TMP/out" compiled
grep -F "$esc" "$TMP/out" && exit 1
# ... and bytes go where no terminal is as they are
key=$(TRITON_CACHE_DIR=$TMP/two neso cache ls | sed -n 's/^\([0-9a-f]*\)  cubin.*/\1/p' | head -1)
TRITON_CACHE_DIR=$TMP/two neso cache show "$key" --section cubin >"$TMP/out"
[ "$(head -c 4 "$TMP/out" | tail -c 3)" = ELF ]
if command -v script >/dev/null; then
	script -qec "TRITON_CACHE_DIR=$TMP/two neso cache show $key --section cubin" /dev/null >"$TMP/out" </dev/null
	LC_ALL=C tr -d '\n\r\t\040-\176\200-\377' <"$TMP/out" >"$TMP/controls"
	[ ! -s "$TMP/controls" ]
fi

# signed: with a key of the user's nothing else is taken, from wherever it comes
(umask 077 && echo 0123456789abcdef >"$TMP/key" && echo 0123456789abcdeF >"$TMP/other.key")
TRITON_CACHE_DIR=$TMP/two neso cache pack --key-file "$TMP/key" "$TMP/signed"
TRITON_CACHE_DIR=$TMP/five
neso cache unpack --key-file "$TMP/key" "$TMP/pack" >"$TMP/out" && exit 1
want "$TMP/out" '0 entries'
neso cache unpack --key-file "$TMP/other.key" "$TMP/signed" >"$TMP/out" && exit 1
want "$TMP/out" '0 entries'
neso cache unpack --key-file "$TMP/nowhere" "$TMP/signed" 2>"$TMP/out" && exit 1 # DIAG_CACHE_KEY_FILE
want "$TMP/out" 'nowhere cannot be used: it is not there'
export NESO_CACHE_KEY_FILE=$TMP/key
neso cache unpack "$TMP/signed" >"$TMP/out"
want "$TMP/out" 'entries'
compile '*fp32:16, i32:16, 64'
is hits 1
compile '*fp32:16, i64, 64'
neso cache verify >"$TMP/out"
want "$TMP/out" '0 damaged'
NESO_CACHE_KEY_FILE=$TMP/other.key neso cache ls >"$TMP/out"
want "$TMP/out" 'DAMAGED: its signature is not that of the key'
NESO_CACHE_KEY_FILE=$TMP/no.key compile '*fp32:16, i32:16, 64' 2>"$TMP/out" # DIAG_CACHE_SECRET
want "$TMP/out" 'no.key cannot be used: it is not there; without it nothing is kept or taken'
unset NESO_CACHE_KEY_FILE

# a read-only layer
TRITON_CACHE_DIR=$TMP/four NESO_CACHE_RO=$TMP/nowhere:$TMP/two
export NESO_CACHE_RO
compile '*fp32:16, i32, 64' # not in the layer as it is now
compile '*fp32:16, i32:16, 64'
is layer_hits 1
unset NESO_CACHE_RO

# damage is found and removed, bounds are held
TRITON_CACHE_DIR=$TMP/two
for file in "$TMP"/two/neso-1/cubin/*/*; do
	printf x | dd of="$file" bs=1 seek=300 conv=notrunc 2>/dev/null
	break
done
neso cache verify >"$TMP/out"
want "$TMP/out" '1 damaged, removed' 'DAMAGED: its checksum is wrong'
neso cache verify >"$TMP/out"
want "$TMP/out" '0 damaged'
neso cache gc --max-files 2 >"$TMP/out"
want "$TMP/out" '; 2 left'
neso cache clear --json >"$TMP/out"
want "$TMP/out" '"removed": 2' '"files": 0'
neso cache ls >"$TMP/out"
[ ! -s "$TMP/out" ]
TRITON_DISABLE_CACHE=1 neso cache stats 2>"$TMP/out" && exit 1 # DIAG_CACHE_NONE
want "$TMP/out" 'there is no compile cache: it is switched off'
neso cache 2>"$TMP/out" && exit 1
want "$TMP/out" 'neso cache wants key, stats, ls'
exit 0
