# Operators by the names of their methods, as some libraries write them, and from the other side.
# run: neso run %s:operators --target interp -q -g 1 x=arange:16:i32 wrong=zeros:1:i32 --expect wrong=zeros:1:i32
# run: neso run %s:operators --target sim:sm_90a --check -q -g 1 x=arange:16:i32 wrong=zeros:1:i32 --expect wrong=zeros:1:i32
# expect: success
import triton
import triton.language as tl


@triton.jit
def operators(x, wrong):
    r = tl.arange(0, 16)
    a = tl.load(x + r) + 1
    b = a * 3
    differs = a.__lshift__(4).to(tl.int8).__rshift__(4) != (a << 4).to(tl.int8) >> 4
    differs |= (a.__add__(b) != a + b) | (a.__radd__(2) != 2 + a) | (a.__sub__(b) != a - b) | (a.__rsub__(b) != b - a)
    differs |= (a.__mul__(b) != a * b) | (a.__rmul__(b) != a * b) | (b.__truediv__(a) != b / a) | (b.__rtruediv__(a) != a / b)
    differs |= (b.__floordiv__(2) != b // 2) | (a.__rfloordiv__(40) != 40 // a) | (b.__mod__(a) != b % a) | (a.__rmod__(b) != b % a)
    differs |= (a.__and__(b) != a & b) | (a.__ror__(b) != a | b) | (a.__xor__(b) != a ^ b) | (a.__rlshift__(1) != 1 << a)
    differs |= (a.__neg__() != -a) | (a.__invert__() != ~a) | (a.__rrshift__(256) != 256 >> a)
    differs |= a.__lt__(8) != (a < 8)
    differs |= a.__rlt__(8) != (8 < a)
    differs |= a.__ge__(b).__eq__(a >= b).__ne__(True)
    tl.atomic_add(wrong, tl.sum(differs.to(tl.int32)))
