# ptxas takes the code of every example and of every kernel that GPUs are compared on.
# full: starts ptxas some hundred times
set -u
[ -f "$NESO_BUILD/libneso-codegen.so" ] || { echo "built without LLVM"; exit 77; }
ptxas=${TRITON_PTXAS_PATH:-$(command -v ptxas)} || { echo "ptxas is not installed"; exit 77; }
python=$(sh scripts/find-python) || { echo "no Python with NumPy"; exit 77; }
PYTHONDONTWRITEBYTECODE=1 "$python" test/gpu/assemble.py --neso "$NESO_BUILD/neso" sm_90a sm_80 'sm_86*' 'sm_89*'
