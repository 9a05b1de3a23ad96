# Branches of a short loop that load and add up become masked loads and selects, without a loop: nothing is loaded where a branch is not taken (rows that are
# not there are outside of the tensor), and sums of whole numbers are right.
# run: neso compile %s:parts --signature "*i8:16,*i32:16,*fp32:16,*fp32:16,i32,8,128" --target sm_90a --num-warps 4 --emit ttgir --no-loc
# run: neso run %s:parts --target sim:sm_90a --check --against interp -q -g 5 mid=rand:13865:i8:1 lens=arange:5:i32 out=zeros:640:fp32 sums=zeros:5:fp32 3 SPLITS=8 B=128 --num-warps 4
# run: neso run %s:sides --target sim:sm_90a --check --against interp -q -g 4 a=rand:128:i8:1 b=rand:256:i8:2 out=zeros:512:fp32 SPLITS=4 B=128 --num-warps 4
import triton
import triton.language as tl


# CHECK-LABEL: @parts(
# CHECK-NOT: {{scf.if|scf.for}}
# CHECK: %[[TAKEN:[a-z0-9_]+]] = arith.cmpi sgt
# CHECK: tt.load {{.*}} : tensor<128x!tt.ptr<i8>
# CHECK: tt.load %{{[a-z0-9_]+}}, %[[TAKEN]] : !tt.ptr<i8>
# CHECK-NOT: {{scf.if|scf.for}}
# CHECK: tt.return
@triton.jit
def parts(mid, lens, out, sums, n, SPLITS: tl.constexpr, B: tl.constexpr):
    """Program p has parts 0 ... p - 1 of the row of which lens says how long it is: the last ones may be empty."""
    p = tl.program_id(0)
    length = tl.load(lens + p) * n
    i = tl.arange(0, B)
    top, total, acc = -128.0, 0.0, tl.zeros([B], tl.float32)
    each = tl.cdiv(length, SPLITS)
    for part in range(0, SPLITS):
        begin = each * part
        end = tl.minimum(begin + each, length)
        if end > begin:
            row = tl.load(mid + p * 3264 + part * 136 + i, mask=i < B - 3, other=5)
            weight = tl.load(mid + p * 3264 + part * 136 + B).to(tl.float32)
            top = tl.maximum(weight, top)
            acc = acc + top * row.to(tl.float32)
            total = total + top
    tl.store(out + p * B + i, acc)
    tl.store(sums + p, total)


@triton.jit
def sides(a, b, out, SPLITS: tl.constexpr, B: tl.constexpr):
    """Both ways load, the first from one tensor, the second from another one, which is longer; a third branch reads what they gave."""
    p = tl.program_id(0)
    i = tl.arange(0, B)
    acc = tl.zeros([B], tl.float32)
    last = -1000
    for k in range(0, SPLITS):
        if k < p:
            x = tl.load(a + i)
            scale = 2
        else:
            x = tl.load(b + B * (k % 2) + i)
            scale = tl.load(b + k).to(tl.int32)
        acc += (x.to(tl.int32) * scale).to(tl.float32)
        if scale > last:
            last = tl.load(a + k).to(tl.int32) * 0 + scale
    tl.store(out + p * B + i, acc * last)
