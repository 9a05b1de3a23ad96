#!/bin/sh
# full: a second build
# What is handed out, built once: the library exports and needs what it should, and installs stripped; the wheel,
# in a new environment, when the folder that it was built in is gone: a program, worker processes, a remote
# cache, the name triton. The environment's path has blanks and letters that are no ASCII.
set -eu
cmake --preset dist -B "$TMP/build" -DNESO_WHEEL_OUT="$TMP/dist" >"$TMP/log" 2>&1 || { cat "$TMP/log"; exit 1; }
cmake --build "$TMP/build" >"$TMP/log" 2>&1 || { tail -n 60 "$TMP/log"; exit 1; }
NESO_BUILD=$TMP/build sh test/check/exports.sh
cmake --install "$TMP/build" --strip --prefix "$TMP/prefix" >"$TMP/log"
library=$(find "$TMP/prefix" -name 'libneso.so.*.*')
nm "$library" 2>&1 | grep -q 'no symbols'
echo "$(basename "$library"): $(wc -c <"$library") bytes"

python=$(sh scripts/find-python) || { echo "all but the wheel: no Python of 3.10 or newer with NumPy was found"; exit 77; }
[ -z "${NESO_SANITIZED:-}" ] || { echo "all but the wheel: not under sanitizers"; exit 77; }
"$python" -c 'import venv, ensurepip' 2>/dev/null || { echo "all but the wheel: no venv for $python"; exit 77; }
cmake --build "$TMP/build" --target neso_wheel >"$TMP/log" 2>&1 || { tail -n 40 "$TMP/log"; exit 1; }
mv "$TMP/build" "$TMP/gone"
env="$TMP/an envirönment"
"$python" -m venv --system-site-packages "$env"
"$env/bin/python" -m pip install --quiet --no-index --no-deps "$TMP"/dist/neso-*.whl
for tool in "twine check" "auditwheel show"; do
	command -v "${tool%% *}" >/dev/null 2>&1 || continue
	$tool "$TMP"/dist/neso-*.whl >"$TMP/log" 2>&1 || { cat "$TMP/log"; exit 1; }
done
unset PYTHONPATH LD_LIBRARY_PATH NESO_CODEGEN NESO_REMOTE_LIBRARY
export NESO_QUIET=1 TRITON_CACHE_DIR="$TMP/cache"
cd "$TMP"
cat >program.py <<'PROGRAM'
import multiprocessing
import os
import sys

import numpy as np
import triton
import triton.language as tl


@triton.jit
def double(x, BLOCK: tl.constexpr):
    at = x + tl.arange(0, BLOCK)
    tl.store(at, tl.load(at) * 2)


def run(values):
    x = np.array(values, np.float32)
    double[(1, )](x, BLOCK=4)
    return x.tolist()


def ptx():
    target = triton.backends.compiler.GPUTarget("cuda", 90, 32)
    source = triton.compiler.ASTSource(double, {"x": "*fp32", "BLOCK": "constexpr"}, {"BLOCK": 4})
    return triton.compile(source, target=target).asm["ptx"].count(".visible .entry")


if __name__ == "__main__":
    print(os.path.dirname(triton.__file__).startswith(sys.prefix), run([1, 2, 3, 4]))
    for way in ("spawn", "forkserver"):
        with multiprocessing.get_context(way).Pool(1) as pool:
            print(pool.apply(run, ([5, 6, 7, 8], )), pool.apply(ptx))
PROGRAM
wanted='True [2.0, 4.0, 6.0, 8.0]
[10.0, 12.0, 14.0, 16.0] 1
[10.0, 12.0, 14.0, 16.0] 1'
found=$("$env/bin/python" -m neso program.py)
[ "$found" = "$wanted" ] || { echo "by neso: $found"; exit 1; }
# A remote cache is asked: the library that speaks to it is there, and says what is wrong with one that is not.
found=$(TRITON_REMOTE_CACHE_BACKEND=redis://127.0.0.1:1 "$env/bin/python" -m neso program.py 2>err)
[ "$found" = "$wanted" ] || { cat err; exit 1; }
# A home folder that is none costs the cache alone.
found=$(env -u TRITON_CACHE_DIR HOME=/dev/null "$env/bin/python" -m neso program.py 2>err)
[ "$found" = "$wanted" ] && grep -q 'the compile cache at /dev/null/' err || { cat err; exit 1; }
"$env/bin/python" -m pip install --quiet --no-index --no-deps dist/neso_triton-*.whl
found=$("$env/bin/python" program.py)
[ "$found" = "$wanted" ] || { echo "by neso-triton: $found"; exit 1; }
packages=$(echo "$env"/lib/*/site-packages)
mkdir -p "$packages/triton-3.6.0.dist-info"
printf 'Metadata-Version: 2.1\nName: triton\nVersion: 3.6.0\n' >"$packages/triton-3.6.0.dist-info/METADATA"
"$env/bin/python" program.py 2>err && { echo "upstream's is there, and nothing was said"; exit 1; }
grep -q 'neso-triton and triton 3.6.0 are both installed' err
ls -l dist | awk 'NF > 8 { print $9 ": " $5 " bytes"; if ($5 > 16000000) { print "larger than is promised"; exit 1 } }'
