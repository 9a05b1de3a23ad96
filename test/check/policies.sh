#!/bin/sh
# Constexprs as arguments give what they give as constants: test/gpu/constexprs.py in the interpreter, bit by bit.
set -u
python=$(sh scripts/find-python) || { echo "no Python of 3.10 or newer with NumPy was found"; exit 77; }
PYTHONDONTWRITEBYTECODE=1 exec "$python" test/gpu/compare.py --neso "$NESO_BUILD/neso" --policies numbers
