# A server's process with ever changing values (test/stress), for some seconds.
set -u
command -v serve_stress >/dev/null || { echo "serve_stress is not built"; exit 77; }
[ -e "$NESO_BUILD/test/fake/libcuda.so.1" ] || { echo "no fake driver: cmocka is missing"; exit 77; }
NESO_CODEGEN_PATH=$NESO_BUILD
export NESO_CODEGEN_PATH
forks=1 # the child of a fork among threads waits for ever on a lock of the sanitizer's allocator
[ -z "${NESO_SANITIZED:-}" ] || forks=0
FAKE_CUDA_QUIET=1 serve_stress --forks $forks --seconds 2 --values 400 "$NESO_BUILD/test/fake/libcuda.so.1" "$TMP/folder"
