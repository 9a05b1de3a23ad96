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
echo '#  include "front/ast.h"' >"$TMP/src/ir/bad.h"
echo '#include "ir/ir.h"' >"$TMP/cli/bad.c"
if sh scripts/check-includes "$TMP" >"$TMP/out"; then echo "a breach passed"; exit 1; fi
grep -q 'src/ir/bad.h:1:' "$TMP/out"
grep -q 'cli/bad.c:1:' "$TMP/out"
! grep -q good "$TMP/out"
