# What comes before the assembler needs none, and starts none: texts of the command, of the library and of
# Python, simulated runs, dumps. Where the assembler fails, its input is told.
set -u
[ -f "$NESO_BUILD/libneso-codegen.so" ] || { echo "built without LLVM"; exit 77; }
neso=$NESO_BUILD/neso
cat >"$TMP/k.py" <<'END'
import triton
import triton.language as tl


@triton.jit
def k(p, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(p + i, tl.load(p + i, mask=i < n) + 1, mask=i < n)
END
# One that never comes back, but for its version.
cat >"$TMP/slow" <<END
#!/bin/sh
[ "\$1" = --version ] && { echo "Cuda compilation tools, release 13.0, V13.0.88"; exit; }
echo run >>"$TMP/runs"
exit 9
END
chmod +x "$TMP/slow"
failed=0
compile() { "$neso" compile "$TMP/k.py:k" --signature "*fp32:16,i32,64" --target sm_80 "$@" 2>"$TMP/err"; }
wrong() { echo "$*"; cat "$TMP/err"; failed=1; }
for ptxas in /no/such/ptxas "$TMP/slow"; do
	TRITON_PTXAS_PATH=$ptxas
	export TRITON_PTXAS_PATH
	for again in made found; do
		for stage in source ttir-raw ttir ttgir llir ptx; do
			compile --emit $stage >"$TMP/$stage" && [ -s "$TMP/$stage" ] || wrong "$ptxas, $stage, $again"
		done
		grep -q '\.entry k(' "$TMP/ptx" || wrong "that is no PTX"
	done
	"$neso" run "$TMP/k.py:k" --target sim:sm_80 -q -g 1 arange:6:fp32 6 8 >"$TMP/out" 2>"$TMP/err" || wrong "$ptxas, simulated"
	# An edited stage is compiled on; dumps have what there is.
	sed 's/\.reqntid 128/.reqntid 128 /' "$TMP/ptx" >"$TMP/edited.ptx"
	TRITON_KERNEL_OVERRIDE=$TMP/edited.ptx compile --emit ptx >"$TMP/out" || wrong "$ptxas, an override"
	cmp -s "$TMP/out" "$TMP/edited.ptx" || wrong "the override is not what was compiled"
	rm -rf "$TMP/dump"
	TRITON_KERNEL_DUMP=1 TRITON_DUMP_DIR=$TMP/dump compile --emit ttir >"$TMP/out" || wrong "$ptxas, a dump"
	for stage in ttir ttgir llir ptx json; do
		[ -s "$TMP/dump"/*/k.$stage ] || wrong "no $stage was dumped"
	done
	[ ! -e "$TMP/dump"/*/k.cubin ] || wrong "a cubin was dumped"
	[ ! -e "$TMP/runs" ] || wrong "the assembler was run"
	# What needs it says so, and where its input is to be had.
	compile --emit cubin >"$TMP/out" && wrong "a cubin without an assembler"
	grep -q 'note: its input: TRITON_KERNEL_DUMP=1 writes it; neso compile --emit ptx' "$TMP/err" || wrong "its input is not told"
	rm -rf "$TMP/dump"
	TRITON_KERNEL_DUMP=1 TRITON_DUMP_DIR=$TMP/dump compile --emit sass >"$TMP/out" && wrong "machine code without an assembler"
	told=$(sed -n 's/^note: its input is //p' "$TMP/err")
	cmp -s "$told" "$TMP/ptx" || wrong "'$told' is not the PTX"
	rm -f "$TMP/runs"
done
python=$(sh scripts/find-python) && [ -f "$NESO_BUILD/python/neso/_native.abi3.so" ] && [ -z "${NESO_SANITIZED:-}" ] || exit $failed
cat >"$TMP/texts.py" <<'END'
import sys
sys.path.insert(0, sys.argv[1])
import neso as triton
from neso.backends.compiler import GPUTarget
from neso.compiler import ASTSource
import k

made = triton.compile(ASTSource(k.k, {"p": "*fp32", "n": "i32", "B": "constexpr"}, {"B": 64}), target=GPUTarget("cuda", 80, 32))
assert ".entry k(" in made.asm["ptx"] and "ttg.num-warps" in made.asm["ttgir"] and "define" in made.asm["llir"]
assert made.metadata.shared == 0 and made.remarks
for wanted in (lambda: made.asm["cubin"], lambda: made.asm["sass"], lambda: made.n_regs, lambda: made.kernel):
    try:
        wanted()
    except triton.runtime.errors.TritonError as error:
        assert "its input" in str(error), error
    else:
        raise AssertionError("a cubin without an assembler")
END
for ptxas in /no/such/ptxas "$TMP/slow"; do
	for again in made found; do
		TRITON_PTXAS_PATH=$ptxas NESO_QUIET=1 PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$NESO_BUILD/python "$python" -m neso "$TMP/texts.py" "$TMP" >"$TMP/err" 2>&1 ||
			wrong "$ptxas, Python, $again"
	done
done
exit $failed
