# Each pass leaves IR that verifies and reads back, says whether it changed it, and keeps the analyses that its row says: random programs, those
# of test/diff, the tests of what becomes of loops, and every tenth case of test/gpu/compare.py, where there is NumPy. A
# quarter of it under sanitizers.
set -u
[ -f "$NESO_BUILD/libneso-codegen.so" ] || { echo "built without LLVM"; exit 77; }
failed=0 part=1
[ -z "$NESO_SANITIZED" ] || part=4
random() { # NAME=VALUE... -- OPTION...
	settings=
	while [ "$1" != -- ]; do
		settings="$settings $1"
		shift
	done
	shift
	env $settings "$NESO_BUILD/test/difftest" --verify --target sm_90a --findings 2 "$@" >"$TMP/out" 2>&1 || {
		echo "$settings difftest $*:"
		cat "$TMP/out"
		failed=1
	}
}
random -- --count $((40 / part)) --seed 1
random -- --loops --count $((40 / part)) --seed 1
random -- --products --count $((30 / part)) --seed 1
random NESO_WARP_SPECIALIZE=1 NESO_PERSIST=1 NESO_PERSIST_CTAS=3 -- --loops --count $((40 / part)) --seed 1001
random NESO_TURNS=1 -- --loops --count $((20 / part)) --seed 2001
for file in $(grep -l "^# launch:" test/diff/*.py); do
	"$NESO_BUILD/test/difftest" --verify --target sm_90a "$file" >"$TMP/out" 2>&1 || {
		echo "$file:"
		cat "$TMP/out"
		failed=1
	}
done
NESO_VERIFY_PASSES=1 sh scripts/run-tests -b "$NESO_BUILD" test/why/ sim/rotate sim/turned sim/roles >"$TMP/out" 2>&1 || {
	cat "$TMP/out"
	failed=1
}
python3 -c 'import numpy' 2>/dev/null || exit $failed
python3 -B - "$NESO_BUILD/neso" $part >"$TMP/out" 2>&1 <<'END' || { cat "$TMP/out"; failed=1; }
import subprocess
import sys

sys.path.insert(0, "test/gpu")
import compare

failed = 0
for case in list(compare.cases())[:: 10 * int(sys.argv[2])]:
    file, kernel, args = case[:3]
    stages = case[5] if len(case) > 5 else 3
    command = [sys.argv[1], "compile", f"{file}:{kernel}", "-s", compare.signature(args), "--target", "sm_90a", "--num-stages", str(stages),
               "--emit", "ptx", "--verify-each", "-o", "/dev/null"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode and compare.REFUSED not in done.stderr:
        print(" ".join(command), done.stderr[:500])
        failed = 1
sys.exit(failed)
END
exit $failed
