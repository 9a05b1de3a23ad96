# NESO_TRACE: compilations with their steps, hits of the cache and launches, from the command (and so from C) and Python,
# of threads, processes and children, in one file that is JSON at any time.
set -eu
[ -f "$NESO_BUILD/libneso-codegen.so" ] || { echo "built without LLVM"; exit 77; }
[ -z "${NESO_SANITIZED:-}" ] || { echo "Python does not start processes of its own under a sanitizer"; exit 77; }
python=$(sh scripts/find-python) || { echo "no Python of 3.10 or newer with NumPy was found"; exit 77; }
[ -f "$NESO_BUILD/python/neso/_native.abi3.so" ] || { echo "the Python package was not built"; exit 77; }
export PYTHONPATH="$NESO_BUILD/python" NESO_QUIET=1 TRITON_CACHE_DIR="$TMP/cache"
k=examples/vector_add.py
NESO_TRACE="$TMP/a.json" neso run $k -q -g 1 ones:64:fp32 ones:64:fp32 zeros:64:fp32 64 64
if command -v ptxas >/dev/null; then
	for i in 1 2; do
		NESO_TRACE="$TMP/a.json" neso compile $k -s '*fp32,*fp32,*fp32,i32,64' --target sm_80 --emit cubin -o /dev/null
	done
fi
printf 'import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef bad(x):\n    tl.store(x, y)\n' >"$TMP/bad.py"
NESO_TRACE="$TMP/a.json" neso compile "$TMP/bad.py" -s '*fp32' >/dev/null 2>&1 || :
"$python" - "$TMP/a.json" <<'PY'
import json
import sys

events = json.load(open(sys.argv[1]))
compiles = [e for e in events if e["cat"] == "compile"]
launches = [e for e in events if e["cat"] == "launch"]
assert launches[0]["name"] == "add_kernel" and launches[0]["args"]["grid"] == [1, 1, 1], launches
assert compiles[0]["args"]["target"] == "interp" and compiles[0]["args"]["result"] == "compiled"
assert compiles[-1]["name"] == "bad" and compiles[-1]["args"]["result"] == "failed"
curves = [e for e in events if e["ph"] == "C"]
assert curves[0]["name"] == "variants of add_kernel" and curves[0]["args"] == {"variants": 1}, curves
for one in events:
    assert one["ph"] == "C" or one["ph"] == "X" and one["dur"] >= 0 and one["pid"] and one["tid"]
if len(compiles) > 2:
    miss, hit = compiles[1:3]
    assert [miss["args"]["cache"], hit["args"]["cache"]] == ["miss", "hit"], compiles
    assert hit["args"]["result"] == "hit" and miss["args"]["registers"] > 0
    steps = [e for e in events if e["cat"] == "step" and e["pid"] == miss["pid"]]
    assert [s["name"] for s in steps] == ["front", "ttir", "ttgir", "llir", "ptx", "cubin"], steps
    assert all(miss["ts"] <= s["ts"] and s["ts"] + s["dur"] <= miss["ts"] + miss["dur"] + 1 for s in steps)
    assert not [e for e in events if e["cat"] == "step" and e["pid"] == hit["pid"]]
PY
cat >"$TMP/many.py" <<'PY'
import os
import sys
import threading

import numpy as np

import neso as triton
import neso.language as tl


@triton.jit
def fill(x, B: tl.constexpr):
    tl.store(x + tl.arange(0, B), 1.0)


def launch(n):
    x = np.zeros(1 << n, np.float32)
    for _ in range(20):
        fill[(1, )](x, B=1 << n)


fill[(1, )](np.zeros(4, np.float32), B=4)
children = []
for _ in range(3):
    child = os.fork()
    if child == 0:
        launch(3)
        os._exit(0)
    children.append(child)
threads = [threading.Thread(target=launch, args=(n, )) for n in range(4, 8)]
for t in threads:
    t.start()
for t in threads:
    t.join()
for child in children:
    assert os.waitpid(child, 0)[1] == 0
PY
(cd "$TMP" && NESO_TRACE=many.json "$python" many.py) # a name that is not absolute
"$python" - "$TMP/many.json" <<'PY'
import json
import sys
from collections import Counter

events = json.load(open(sys.argv[1]))
launches = Counter((e["pid"], e["tid"]) for e in events if e["cat"] == "launch")
assert sorted(launches.values()) == [1, 20, 20, 20, 20, 20, 20, 20], launches
assert len({pid for pid, _ in launches}) == 4
assert sum(e["cat"] == "compile" for e in events) == 1 + 3 + 4
PY
# What is no trace stays as it is, and it is told.
echo "a letter" >"$TMP/letter"
for file in "$TMP/letter" "$TMP/none/t.json" "$TMP" /dev/full; do
	NESO_TRACE=$file neso run $k -q -g 1 ones:64:fp32 ones:64:fp32 zeros:64:fp32 64 64 2>"$TMP/err"
	grep -qF "warning: NESO_TRACE: nothing is traced to $file: " "$TMP/err" || { echo "no word of $file"; cat "$TMP/err"; exit 1; }
done
[ "$(cat "$TMP/letter")" = "a letter" ]
: "TRACE_FILE"
