# Fields of an aggregate that the body of a loop assigns, itself or by a method of host code, are
# carried by the loop; those that it leaves alone are not.
# run: neso run %s:kernel -q -g 1 zeros:8:i32 3 --expect out=arange:8:i32
# run: neso run %s:kernel -q -g 1 zeros:8:i32 3 --target sim:sm_80 --expect out=arange:8:i32
# run: neso compile %s:kernel --signature "*i32,i32" --emit ttir-raw
import triton
import triton.language as tl
from triton.language.core import _aggregate as aggregate


@aggregate
class State:
    total: tl.tensor
    tile: tl.tensor
    still: tl.tensor
    K: tl.constexpr

    def __init__(self, total, K, _semantic=None):
        self.total = total
        self.tile = tl.arange(0, 4, _semantic=_semantic)
        self.still = tl.arange(0, 8, _semantic=_semantic)
        self.K = K

    def put(self, tile, _semantic=None):
        self.tile = tile


@triton.jit
def kernel(out, n):
    s = State(n * 0, tl.constexpr(7))
    # CHECK-LABEL: tt.func public @kernel
    # CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (i32, tensor<4xi32>)
    for i in range(n):
        s.total = s.total + i
        s.put(s.tile + 1)
    tl.store(out + tl.arange(0, 4), s.tile - 3)
    tl.store(out + 4, s.total + 1)
    k = 0
    # CHECK: scf.while (%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) : (i32, i32)
    while k < n:
        s.total += 2
        k += 1
    tl.store(out + 5, s.total - 4)
    s.total = s.total + 1
    tl.store(out + 6, s.total - 4)
    # CHECK: scf.for {{.*}} -> (i32)
    # CHECK: scf.for {{.*}} -> (i32)
    for i in range(2):
        for j in range(n):
            s.total += 1
    tl.store(out + 7, s.total - 9)
    tl.static_assert(s.K == 7)
    tl.store(out + s.still, s.still, mask=s.still > 8)
