# Products of the compile matrix, drawn by chance: the seed is the day's, or MATRIX_SEED. `make matrix` runs them all.
set -eu
matrix=$NESO_BUILD/test/matrix
[ -x "$matrix" ] || { echo "not built (LLVM is not installed)"; exit 77; }
seed=${MATRIX_SEED:-$(date +%Y%m%d)}
echo "seed $seed"
seconds=60
[ -z "$NESO_SANITIZED" ] || seconds=120
"$matrix" --kernels test/matrix/matmul.py --check --each 3 --seed "$seed" --seconds "$seconds" --count 600 --ptxas 0
