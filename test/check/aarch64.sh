#!/bin/sh
# full: two cross-builds
# For 64-bit ARM, cross-built (cmake/aarch64.cmake) and run by qemu-user: the wheel, when the folder that it was
# built in is gone, by that machine's Python, in the interpreter and as GPU code in the simulator; unit tests, and
# file tests of each stage.
set -eu
for tool in aarch64-linux-gnu-gcc aarch64-linux-gnu-g++ qemu-aarch64-static; do
	command -v $tool >/dev/null || { echo "no $tool"; exit 77; }
done
[ -z "${NESO_SANITIZED:-}" ] || { echo "not under sanitizers"; exit 77; }
sysroot=${NESO_SYSROOT:-build/sysroot/aarch64}
[ -f "$sysroot/complete" ] || { echo "no headers and libraries of aarch64: scripts/sysroot $sysroot fetches them"; exit 77; }
sysroot=$(cd "$sysroot" && pwd)
libraries=$(ls -d "$sysroot"/lib/*-linux-gnu "$sysroot"/usr/lib/*-linux-gnu "$sysroot"/usr/lib/llvm-*/lib | tr '\n' :)
loader=$sysroot/lib/ld-linux-aarch64.so.1

# cross FOLDER TARGET... -- OPTION...
cross() {
	folder=$1 targets=
	shift
	while [ "$1" != -- ]; do
		targets="$targets $1"
		shift
	done
	shift
	cmake -S . -B "$folder" -G Ninja --toolchain cmake/aarch64.cmake -DCMAKE_BUILD_TYPE=Release \
		-DCMAKE_SYSROOT="$sysroot" "$@" >"$TMP/log" 2>&1 &&
		cmake --build "$folder" --target $targets >"$TMP/log" 2>&1 || { tail -n 40 "$TMP/log"; exit 1; }
}

cross "$TMP/build" neso_wheel -- -DNESO_DIST=ON -DNESO_TESTS=OFF -DNESO_WHEEL_OUT="$TMP/dist"
mv "$TMP/build" "$TMP/gone"
set -- "$TMP"/dist/neso-*_aarch64.whl
python3 -c 'import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extractall(sys.argv[2])' "$1" "$TMP/site"
cat >"$TMP/program.py" <<'PROGRAM'
import platform

import numpy as np
import neso as triton
import neso.language as tl


@triton.jit
def product(a, b, c, B: tl.constexpr):
    at = tl.arange(0, B)[:, None] * B + tl.arange(0, B)[None, :]
    tl.store(c + at, tl.dot(tl.load(a + at), tl.load(b + at)))


a = np.random.default_rng(1).integers(-4, 5, (32, 32)).astype(np.float16)
b = np.ascontiguousarray(a.T)
found = []
for options in ({}, {"neso_target": "sim:sm_80"}, {"neso_target": "sim:sm_90a"}):
    c = np.zeros((32, 32), np.float32)
    product[(1, )](a, b, c, B=32, **options)
    found.append(bool((c == a.astype(np.float32) @ b.astype(np.float32)).all()))
print(platform.machine(), found)
PROGRAM
set -- "$sysroot"/usr/bin/python3.[0-9]*
found=$(cd "$TMP" && env -u LD_LIBRARY_PATH PYTHONHOME="$sysroot/usr" PYTHONPATH="$TMP/site" NESO_QUIET=1 \
	TRITON_CACHE_DIR="$TMP/cache" qemu-aarch64-static "$loader" --library-path "$libraries" "$1" program.py)
[ "$found" = "aarch64 [True, True, True]" ] || { echo "by the wheel: $found"; exit 1; }
rm -rf "$TMP/gone"

# Programs of the build, as this machine runs them. They name their loader: qemu's -L would take each absolute path,
# / as well, for one in that folder where it has such.
cross "$TMP/tests" neso_command neso-codegen unit_tests codegen_tool fake_cuda -- -DNESO_LLVM_STATIC=OFF \
	-DCMAKE_EXE_LINKER_FLAGS="-Wl,--dynamic-linker=$loader"
mkdir -p "$TMP/run/test"
for program in neso test/unit_tests test/codegen_tool; do
	printf '#!/bin/sh\nexec qemu-aarch64-static -E LD_LIBRARY_PATH=%s %s "$@"\n' "$libraries" "$TMP/tests/$program" \
		>"$TMP/run/$program"
	chmod +x "$TMP/run/$program"
done
ln -s "$TMP/tests/test/fake" "$TMP/run/test/fake"
unset NESO_BUILD
# Left out is what an emulator changes: bounds of memory, stacks, children of a fork among threads.
sh scripts/run-tests -b "$TMP/run" unit/base layout_algebra_test cache_store_test cache_signature_test jit_cache_test \
	library_test programs_test declare_test test/front/d test/llvm/d >"$TMP/log" 2>&1 || { tail -n 60 "$TMP/log"; exit 1; }
tail -n 1 "$TMP/log"
