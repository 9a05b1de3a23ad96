# Long work shows how far it is on a terminal, and nothing where there is none: compiling many, tuning, difftest, the
# matrix. NO_COLOR is obeyed.
set -eu
[ -f "$NESO_BUILD/libneso-codegen.so" ] || { echo "built without LLVM"; exit 77; }
[ -z "${NESO_SANITIZED:-}" ] || { echo "Python does not start processes of its own under a sanitizer"; exit 77; }
python=$(sh scripts/find-python) || { echo "no Python of 3.10 or newer with NumPy was found"; exit 77; }
[ -f "$NESO_BUILD/python/neso/_native.abi3.so" ] || { echo "the Python package was not built"; exit 77; }
cat >"$TMP/k.py" <<'PY'
import triton
import triton.language as tl


@triton.jit
def scale(x, y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)
PY
cat >"$TMP/tune.py" <<'PY'
import time
import numpy as np
import neso as triton
import neso.language as tl


def slowly(call, quantiles):
    call()
    time.sleep(0.3)
    return [1.0, 1.0, 1.0]


@triton.autotune(configs=[triton.Config({"B": 2**i}) for i in range(3, 9)], key=["n"], do_bench=slowly)
@triton.jit
def tuned(x, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(x + i, i, mask=i < n)


tuned[(1, )](np.zeros(8, np.float32), 8)
PY
cat >"$TMP/run.py" <<'PY'
"""Runs a command with stderr as a terminal of 70 columns, or as a pipe; prints what it wrote there, as repr."""
import fcntl, os, pty, struct, subprocess, sys, termios

terminal = sys.argv[1] == "terminal"
if terminal:
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 70, 0, 0))
else:
    ours, theirs = os.pipe()
process = subprocess.Popen(sys.argv[2:], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=theirs)
os.close(theirs)
said = b""
while True:
    try:
        piece = os.read(ours, 4096)
    except OSError:
        break
    if not piece:
        break
    said += piece
assert process.wait() == int(os.environ.get("WANT", 0)), said
print(repr(said.decode()))
PY
export NESO_QUIET=1 PYTHONPATH="$NESO_BUILD/python" TERM=xterm
unset NO_COLOR
bad=0
# shows HOW PATTERN COMMAND...: what it writes on a terminal; without colour when that is not wanted; and without one.
shows() {
	pattern=$1
	shift
	"$python" "$TMP/run.py" terminal "$@" >"$TMP/said"
	grep -qE "$pattern" "$TMP/said" && grep -qF '\x1b[32m[' "$TMP/said" || { echo "no bar: $*"; cat "$TMP/said"; bad=1; }
	grep -qE "\\\\x1b\[K'\$|\\\\x1b\[K[^[]*'\$" "$TMP/said" || { echo "the bar stays: $*"; cat "$TMP/said"; bad=1; }
	NO_COLOR=1 "$python" "$TMP/run.py" terminal "$@" >"$TMP/said"
	grep -qE "$pattern" "$TMP/said" || { echo "no bar without colour: $*"; bad=1; }
	if grep -qF '\x1b[3' "$TMP/said"; then echo "colour against NO_COLOR: $*"; cat "$TMP/said"; bad=1; fi
	for how in "env" "env TERM=dumb"; do
		where=pipe
		[ "$how" = env ] || where=terminal
		$how "$python" "$TMP/run.py" $where "$@" >"$TMP/said"
		if grep -qF '\x1b' "$TMP/said"; then echo "a bar on no terminal ($how): $*"; cat "$TMP/said"; bad=1; fi
	done
}
shows '\[[#-]{24}\].* [0-9]+/12' neso compile "$TMP/k.py:scale" -s '*fp32,*fp32,i32:*,{16,32,64,128}'
shows '\[[#-]{24}\].* [1-6]/6  tuning tuned  B: ' "$python" "$TMP/tune.py"
shows '\[[#-]{24}\].* [0-9]+/40 .*programs, 0 findings' "$NESO_BUILD/test/difftest" --count 40 --seed 5 --jobs 1 --target sim:sm_80
shows '\[[#-]{24}\].* 1/1 .*0 wrong' "$NESO_BUILD/test/matrix" --kernels test/matrix/matmul.py --count 1 --each 1 --seed 3 --jobs 1 kind=fp16 target=sm_80
# Diagnostics have colour there, too.
printf 'import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef bad(x):\n    tl.store(x, unknown)\n    x + 1\n' >"$TMP/bad.py"
export WANT=1
"$python" "$TMP/run.py" terminal neso check -q "$TMP/bad.py" >"$TMP/said"
for text in 'bad.py:7:17: \x1b[1;31merror:\x1b[0m name' 'bad.py:8:5: \x1b[1;35mwarning:\x1b[0m the result' '\x1b[1;36mnote:\x1b[0m no operation' \
	'\x1b[1;32m                    ^~~~~~~\x1b[0m'; do
	grep -qF -- "$text" "$TMP/said" || { echo "no $text in:"; cat "$TMP/said"; bad=1; }
done
for how in "NO_COLOR=1 terminal" "TERM=dumb terminal" "A=b pipe"; do
	env ${how% *} "$python" "$TMP/run.py" ${how#* } neso check -q "$TMP/bad.py" >"$TMP/said"
	if grep -qF '\x1b' "$TMP/said"; then echo "colour in spite of $how"; cat "$TMP/said"; bad=1; fi
	grep -qF 'bad.py:7:17: error: name' "$TMP/said" || { echo "no error with $how"; bad=1; }
done
exit $bad
