# Thread sanitizer over what threads share: the C API, the cache, the driver, kernels that are launched and forgotten.
# full: a second build
set -e
[ -z "$NESO_SANITIZED" ] || exit 0
cmake --preset tsan >"$TMP/log" 2>&1 || { cat "$TMP/log"; exit 1; }
cmake --build --preset tsan >"$TMP/log" 2>&1 || { tail -n 60 "$TMP/log"; exit 1; }
sh scripts/run-tests -b build/tsan test/unit/api test/unit/cache test/unit/jit test/unit/nv
[ ! -f build/tsan/test/fake/libcuda.so.1 ] || [ ! -f build/tsan/libneso-codegen.so ] || {
	TSAN_OPTIONS="die_after_fork=0:suppressions=$PWD/test/tsan.supp" FAKE_CUDA_QUIET=1 NESO_CODEGEN_PATH=build/tsan \
		build/tsan/test/serve_stress --seconds 40 --threads 8 --forks 0 build/tsan/test/fake/libcuda.so.1 "$TMP/cache" \
		>"$TMP/log" 2>&1 || [ $? = 77 ] || { tail -n 60 "$TMP/log"; exit 1; }
}
