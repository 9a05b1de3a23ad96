# Imports: aliases, packages, relative ones, files that import each other, stars, what try and if at module level choose.
# run: neso compile %s:kernel --signature "*i32,i32" --emit ttir-raw
import os
from packaging import version

import triton as tt
from triton import language as lang
from triton.language import *

import package.shared as shared
from package import SCALE, twice

try:
    from triton.language.extra import libdevice
    from triton.language.extra.no_such_device import fast
except ImportError:
    fast = tt.language.constexpr(11)

try:
    from package.missing import gone
except ImportError:
    gone = lang.constexpr(13)

if version.parse(tt.__version__) >= version.parse("2.1"):
    chosen: lang.constexpr = 17
else:
    chosen: lang.constexpr = 19

if os.environ.get("NO_SUCH_VARIABLE", "0") == "1":
    kind = lang.constexpr(23)
else:
    kind = lang.constexpr(29)


@tt.jit
def kernel(p, n):
    # CHECK-LABEL: tt.func public @kernel
    # CHECK: tt.call @shared.twice__i32__(%n)
    x = twice(n)
    # CHECK: arith.constant 3 : i32
    # CHECK: arith.constant 11 : i32
    # CHECK: arith.constant 13 : i32
    # CHECK: arith.constant 17 : i32
    # CHECK: arith.constant 29 : i32
    # CHECK: arith.constant 4 : i32
    x = x * SCALE + fast + gone + chosen + kind + shared.PLAIN
    store(p + arange(0, 16), x)
    # CHECK: tt.func private @shared.twice__i32__(
    # CHECK: tt.call @inner.again__i32__(
    # CHECK: arith.constant 7 : i32
    # CHECK: tt.func private @inner.again__i32__(
    # CHECK: arith.constant 3 : i32
