# Compiles killed at random moments, by each signal and by the end of their parent: nothing is left. A hundredth part of
# what `python3 test/stress/kills.py --build build/release` does.
set -u
[ -f "$NESO_BUILD/libneso-codegen.so" ] || { echo "built without LLVM"; exit 77; }
command -v ptxas >/dev/null || { echo "no ptxas that could be left"; exit 77; }
[ -z "${NESO_SANITIZED:-}" ] || { echo "Python does not start processes of its own under a sanitizer"; exit 77; }
[ -r /proc/locks ] || { echo "no /proc/locks"; exit 77; }
command -v python3 >/dev/null || { echo "no Python to kill with"; exit 77; }
ways=command,batch
python=$(sh scripts/find-python) && [ -f "$NESO_BUILD/python/neso/_native.abi3.so" ] && ways=$ways,python
"${python:-python3}" test/stress/kills.py --build "$NESO_BUILD" --count 30 --seed "$$" --ways "$ways"
