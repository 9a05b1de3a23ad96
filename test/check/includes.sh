# Include directions hold, and the script that says so notices a breach.
set -e
sh scripts/check-includes
mkdir -p "$TMP/src/ir" "$TMP/src/front" "$TMP/src/odd" "$TMP/cli"
echo '#include "base/vec.h"' >"$TMP/src/ir/good.c"
echo '#include <sys/stat.h>' >>"$TMP/src/ir/good.c"
echo '#include <neso/neso.h>' >"$TMP/cli/good.c"
if sh scripts/check-includes "$TMP" >"$TMP/out"; then echo "an unknown folder passed"; exit 1; fi
rmdir "$TMP/src/odd"
sh scripts/check-includes "$TMP"
echo '#  include "front/syntax/ast.h"' >"$TMP/src/ir/bad.h"
echo '#include "ir/ir.h"' >"$TMP/cli/bad.c"
if sh scripts/check-includes "$TMP" >"$TMP/out"; then echo "a breach passed"; exit 1; fi
grep -q 'src/ir/bad.h:1:' "$TMP/out"
grep -q 'cli/bad.c:1:' "$TMP/out"
! grep -q good "$TMP/out"
# Rooms: the order inside a folder, and one that is not in the table.
mkdir -p "$TMP/src/gpu/analysis" "$TMP/src/gpu/plan" "$TMP/src/gpu/odd"
echo '#include "gpu/analysis/axis.h"' >"$TMP/src/gpu/plan/good.c"
echo '#include "gpu/plan/dot.h"' >"$TMP/src/gpu/analysis/early.c"
echo '#include "gpu/gpu.h"' >"$TMP/src/gpu/odd/stray.c"
# One header alone is shown.
mkdir -p "$TMP/src/jit"
echo '#include "codegen/codegen.h"' >"$TMP/src/jit/good.c"
echo '#include "codegen/facts.h"' >"$TMP/src/jit/nosy.c"
mkdir -p "$TMP/python/ext"
echo '#include "jit/rules.h"' >"$TMP/python/ext/good.c"
echo '#include "jit/jit.h"' >"$TMP/python/ext/nosy.c"
if sh scripts/check-includes "$TMP" >"$TMP/out"; then echo "a breach between rooms passed"; exit 1; fi
grep -q 'src/gpu/analysis/early.c:1:' "$TMP/out"
grep -q 'src/gpu/odd/stray.c:1:.*not in the table' "$TMP/out"
grep -q 'src/jit/nosy.c:1:' "$TMP/out"
grep -q 'python/ext/nosy.c:1:' "$TMP/out"
! grep -q good "$TMP/out"
