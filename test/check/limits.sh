# At the limits of files, of their size, of a full disk, and with standard descriptors closed, the command
# says so, ends with status 1, and leaves nothing behind; where there is enough it works.
set -u
[ -f "$NESO_BUILD/libneso-codegen.so" ] || { echo "built without LLVM"; exit 77; }
neso=$NESO_BUILD/neso
cat >"$TMP/k.py" <<'END'
import triton
import triton.language as tl


@triton.jit
def k(p, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(p + i, tl.load(p + i, mask=i < n), mask=i < n)
END
cat >"$TMP/ptxas" <<'END'
#!/bin/sh
[ "$1" = --version ] && { echo "Cuda compilation tools, release 13.0, V13.0.88"; exit; }
for a; do in=$mid; mid=$last; last=$a; done
[ "$(wc -c <"$in")" -gt 100 ] || exit 3
{ printf '\177ELF'; printf '%02000d' 0; } >"$last"
END
chmod +x "$TMP/ptxas"
mkdir "$TMP/out" "$TMP/cache"
TRITON_PTXAS_PATH=$TMP/ptxas TMPDIR=$TMP/out TRITON_CACHE_DIR=$TMP/cache
export TRITON_PTXAS_PATH TMPDIR TRITON_CACHE_DIR
failed=0
# STATUS WHAT: of the last run; and nothing but what is finished lies about.
ended() {
	left=$(cd "$TMP/out" && find . ../cache -type f \( -name '*.tmp' -o -path '*/tmp/*' -o -path './neso-*' \))
	[ "$status" -eq "$1" ] && [ -z "$left" ] && return
	echo "$2: status $status, left: $left"
	cat "$TMP/err"
	failed=1
}
compile() { "$neso" compile "$TMP/k.py:k" --signature "*fp32:16,i32,64" --target sm_80 "$@" 2>"$TMP/err"; }

for size in 1 3; do # blocks of 512 or 1024 bytes: below the PTX, and below the cubin
	(ulimit -f $size; compile --emit cubin -o "$TMP/out/x")
	status=$?
	ended 1 "files of at most $size blocks"
	[ -e "$TMP/out/x" ] && { echo "a part of the output was left"; failed=1; }
	grep -q 'too large\|longer than files may be' "$TMP/err" || { echo "not told: $(cat "$TMP/err")"; failed=1; }
done
for count in 12 13 14 15 20; do # a shell wants ten for itself
	rm -rf "$TMP/cache"/*
	(ulimit -n $count; compile --emit cubin -o "$TMP/out/x")
	status=$?
	[ $status -eq 0 ] || [ -s "$TMP/err" ] || { echo "$count open files: status $status, and not a word"; failed=1; }
done
[ $status -eq 0 ] || { echo "20 open files do not suffice: $(cat "$TMP/err")"; failed=1; }
for closed in '<&-' '>&-' '<&- >&-' '<&- 2>&-' '>&- 2>&-' '<&- >&- 2>&-'; do
	rm -rf "$TMP/cache"/* "$TMP/out/x"
	eval "\"$neso\" compile '$TMP/k.py:k' --signature '*fp32:16,i32,64' --target sm_80 --emit cubin -o '$TMP/out/x' $closed"
	status=$?
	[ $status -eq 0 ] && [ "$(wc -c <"$TMP/out/x")" -eq 2004 ] || { echo "with $closed: status $status"; failed=1; }
done
compile --emit ptx >&-
status=$?
ended 1 "standard output closed"
if [ -w /dev/full ]; then
	compile --emit ptx >/dev/full
	status=$?
	ended 1 "a full device"
	grep -q 'No space left' "$TMP/err" || { echo "not told: $(cat "$TMP/err")"; failed=1; }
fi
# Every entry that the runs have left is whole.
"$neso" cache verify >"$TMP/verify" 2>&1 || { cat "$TMP/verify"; failed=1; }
# Tiles of many times the registers: said before the assembler is waited for.
cat >"$TMP/large.py" <<'END'
import triton
import triton.language as tl


@triton.jit
def large(a, b, c, N: tl.constexpr):
    i = tl.arange(0, N)[:, None]
    j = tl.arange(0, N)[None, :]
    tl.store(c + i * N + j, tl.dot(tl.load(a + i * N + j), tl.load(b + i * N + j)))
END
cat >"$TMP/late" <<'END'
#!/bin/sh
[ "$1" = --version ] && { echo "Cuda compilation tools, release 13.0, V13.0.88"; exit; }
for file; do case $file in /proc/*) cat "$file" >/dev/null ;; esac; done # it is begun before its input is there
grep -q 'take some' "$TMP/err" && echo said >"$TMP/said"
exit 3
END
chmod +x "$TMP/late"
export TMP
TRITON_PTXAS_PATH=$TMP/late "$neso" compile "$TMP/large.py" -s '*fp16,*fp16,*fp32,256' --target sm_80 --emit cubin -o "$TMP/x" 2>"$TMP/err"
status=$?
ended 1 "large tiles"
crowded='large.py:9:29: warning: tiles take some [0-9]* registers of a thread here, and it can have 255: the assembler may take minutes' # DIAG_TILES_CROWDED
grep -q "$crowded" "$TMP/err" || { echo "no warning of large tiles:"; cat "$TMP/err"; failed=1; }
[ "$(grep -c 'take some' "$TMP/err")" -eq 1 ] || { echo "said twice"; failed=1; }
[ -f "$TMP/said" ] || { echo "said after the assembler ran"; failed=1; }
"$neso" compile "$TMP/large.py" -s '*fp16,*fp16,*fp32,128' --target sm_80 --emit ptx -o "$TMP/x" 2>"$TMP/err"
grep 'take some' "$TMP/err" && { echo "a tile that fits is told"; failed=1; }

exit $failed
