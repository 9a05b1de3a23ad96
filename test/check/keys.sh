# What decides a kernel's code decides its key: edits of one definition, import, default or closure miss, and give what a compilation
# without the cache gives; edits that change nothing hit.
set -e
command -v ptxas >/dev/null || [ -x "${CUDA_HOME:-/usr/local/cuda}/bin/ptxas" ] || { echo "no ptxas"; exit 77; }
[ -f "$NESO_BUILD/libneso-codegen.so" ] || { echo "built without LLVM"; exit 77; }
export NESO_CACHE_STRICT=1
cd "$TMP"
bad=0
case_name=
arguments=
head='import triton
import triton.language as tl
'

stat() { neso cache stats --json | tr ',{}' '\n' | sed -n "s/^ *\"$1\": //p"; }
ptx() { neso compile k.py:kernel -s "*fp32:16, 64$arguments" --target sm_80 --emit ptx -o "$1" >out 2>&1; }
plain() { TRITON_DISABLE_CACHE=1 ptx "$1"; }

# begin NAME: files come from standard input, each behind a line "== FILE"; k.py begins with the imports that all have. A line
# "kernel:" is the beginning of the usual kernel, "act: N" a module with a function act that multiplies by N.
begin() {
	case_name=$1
	arguments=
	rm -rf -- *.py lib? cache
	export TRITON_CACHE_DIR=$TMP/cache
	awk '/^== / { file = $2; next }
		$0 == "kernel:" { print "@triton.jit\ndef kernel(p, B: tl.constexpr):\n    i = tl.arange(0, B)" >file; next }
		$1 == "act:" { print "import triton\n@triton.jit\ndef act(v):\n    return v * " $2 >file; next }
		{ print >file }'
	[ ! -f k.py ] || { { echo "$head"; cat k.py; } >k.new && mv k.new k.py; }
	ptx first || { fault "does not compile"; cat out; }
	[ "$(stat misses)" = 1 ] || fault "was not kept"
}
fault() { echo "$case_name: $1"; bad=1; }
# edit FILE SED...: the code changes
edit() {
	sed -i "$2" "$1"
	plain wanted || { fault "after $2: does not compile"; cat out; return; }
	ptx got || { fault "after $2: does not compile with the cache"; cat out; return; }
	cmp -s wanted got || fault "after $2: stale"
	cmp -s wanted first && fault "after $2: the edit changes nothing"
	cp wanted first
}
# same FILE SED...: what was compiled is found
same() {
	hits=$(stat hits)
	sed -i "$2" "$1"
	ptx "$TMP/got" || { fault "after $2: does not compile with the cache"; cat out; }
	cmp -s "$TMP/first" "$TMP/got" || fault "after $2: other code"
	[ "$(stat hits)" -gt "$hits" ] || fault "after $2: missed"
}
# refused SED TEXT: not compiled, with this message
refused() {
	sed -i "$1" k.py
	if ptx got; then fault "after $1: not refused"; else grep -qF -- "$2" out || { fault "after $1: no '$2' in"; cat out; }; fi
}

# ---- names that are bound locally as well ----
begin 'read before it is bound' <<'PY'
== k.py
C = tl.constexpr(2.0)
kernel:
    v = tl.load(p + i)
    v = v * C
    C = 5.0
    tl.store(p + i, v)
PY
edit k.py 's/constexpr(2.0)/constexpr(3.0)/'
same k.py 's/v = v \* C/v = v * C  # comment/'
begin 'bound to itself' <<'PY'
== k.py
C = tl.constexpr(2.0)
kernel:
    C = C
    tl.store(p + i, tl.load(p + i) * C)
PY
edit k.py 's/constexpr(2.0)/constexpr(3.0)/'
begin 'changed in place' <<'PY'
== k.py
C = tl.constexpr(2.0)
kernel:
    C += 1
    tl.store(p + i, tl.load(p + i) * C)
PY
edit k.py 's/constexpr(2.0)/constexpr(3.0)/'
begin 'bound in a branch that is not taken' <<'PY'
== k.py
FLAG = tl.constexpr(False)
C = tl.constexpr(2.0)
kernel:
    if FLAG:
        C = 1.0
    tl.store(p + i, tl.load(p + i) * C)
PY
edit k.py 's/constexpr(2.0)/constexpr(3.0)/'
begin 'a helper of a name that is bound later' <<'PY'
== k.py
@triton.jit
def act(v):
    return v * 2.0
kernel:
    v = act(tl.load(p + i))
    for act in range(2):
        v += act
    tl.store(p + i, v)
PY
edit k.py 's/v \* 2.0/v * 3.0/'
begin 'deleted' <<'PY'
== k.py
kernel:
    v = tl.load(p + i)
    for k in tl.static_range(2):
        C = 2.0
        v = v * C
        del C
    tl.store(p + i, v)
PY
edit k.py 's/C = 2.0/C = 3.0/'

# ---- functions and classes of one name ----
begin 'functions of one name in two modules' <<'PY'
== k.py
import relu
import gelu
ACT = relu.act
kernel:
    v = ACT(tl.load(p + i))
    tl.store(p + i, v + relu.act(v) * gelu.act(v))
== relu.py
act: 2.0
== gelu.py
act: 3.0
PY
edit k.py 's/ACT = relu/ACT = gelu/'
edit gelu.py 's/3.0/4.0/'
same relu.py 's/^import triton$/import triton  # moved/'
begin 'classes of one name' <<'PY'
== k.py
import one
import two
P = one.P
kernel:
    tl.store(p + i, tl.load(p + i) * P.X + one.P.X * two.P.X)
== one.py
class P:
    X = 2.0
== two.py
class P:
    X = 3.0
PY
edit k.py 's/P = one/P = two/'
edit two.py 's/3.0/7.0/'
begin 'two closures of a factory' <<'PY'
== k.py
def make(c):
    @triton.jit
    def act(v):
        return v * c
    return act
F = make(tl.constexpr(2.0))
G = make(tl.constexpr(3.0))
kernel:
    tl.store(p + i, F(tl.load(p + i)) - G(tl.load(p + i + 1)))
PY
edit k.py 's/F = make(tl.constexpr(2.0))/F = make(tl.constexpr(4.0))/'
edit k.py 's/G = make(tl.constexpr(3.0))/G = make(tl.constexpr(2.0))/'
edit k.py 's/F(tl.load(p + i)) - G/G(tl.load(p + i)) - F/'
begin 'functions as arguments' <<'PY'
== k.py
import relu
import gelu
@triton.jit
def kernel(p, B: tl.constexpr, ACT: tl.constexpr = relu.act):
    i = tl.arange(0, B)
    v = ACT(tl.load(p + i))
    tl.store(p + i, v + relu.act(v) * gelu.act(v))
== relu.py
act: 2.0
== gelu.py
act: 3.0
PY
edit k.py 's/= relu.act):/= gelu.act):/'
edit gelu.py 's/3.0/4.0/'
begin 'text that looks like a number of the host' <<'PY'
== k.py
NAME = tl.constexpr("_neso1")
@triton.constexpr_function
def number(s):
    return float(s[-1])
kernel:
    tl.store(p + i, tl.load(p + i) * number(NAME))
PY
edit k.py 's/_neso1/_neso2/'

# ---- closures ----
begin 'a closure variable' <<'PY'
== k.py
def make(c):
    def f(v):
        return v * c
    return f
f = make(2.0)
kernel:
    tl.store(p + i, f(tl.load(p + i)))
PY
edit k.py 's/make(2.0)/make(3.0)/'
begin 'a closure variable that a statement sets' <<'PY'
== k.py
def make(c):
    d = c + 1.0
    def f(v):
        return v * d
    d = d * 2.0
    return f
f = make(2.0)
kernel:
    tl.store(p + i, f(tl.load(p + i)))
PY
edit k.py 's/d \* 2.0/d * 4.0/'
begin 'a lambda of a factory' <<'PY'
== k.py
def make(c):
    return lambda v, d=c: v * d
f = make(2.0)
kernel:
    tl.store(p + i, f(tl.load(p + i)))
PY
edit k.py 's/make(2.0)/make(3.0)/'
begin 'closures in a tuple' <<'PY'
== k.py
def make(c):
    return lambda v: v * c
FS = (make(2.0), make(3.0))
@triton.constexpr_function
def pick(n):
    return FS[n]
kernel:
    tl.store(p + i, pick(0)(tl.load(p + i)))
PY
edit k.py 's/(make(2.0), make(3.0))/(make(3.0), make(2.0))/'

# ---- modules and classes as values ----
begin 'getattr of a module' <<'PY'
== k.py
import c
@triton.constexpr_function
def get():
    return getattr(c, "K")
kernel:
    tl.store(p + i, tl.load(p + i) * get())
== c.py
from d import K
== d.py
K = 2.0
PY
edit d.py 's/2.0/3.0/'
same d.py 's/$/  # the same/'
begin 'a module under another name' <<'PY'
== k.py
import c
kernel:
    M = c
    tl.store(p + i, M.f(tl.load(p + i)))
== c.py
from d import *
== d.py
import triton
@triton.jit
def f(v):
    return v * 2.0
PY
edit d.py 's/2.0/3.0/'
begin 'an import in the body' <<'PY'
== k.py
@triton.jit
def kernel(p, B: tl.constexpr):
    import c
    from d import K
    i = tl.arange(0, B)
    tl.store(p + i, tl.load(p + i) * c.C + K)
== c.py
import triton.language as tl
C = tl.constexpr(2.0)
== d.py
import triton.language as tl
K = tl.constexpr(2.0)
PY
edit c.py 's/2.0/3.0/'
edit d.py 's/2.0/4.0/'
begin 'an attribute that a base has' <<'PY'
== k.py
class A:
    X = 2.0
class P(A):
    Y = 1.0
@triton.constexpr_function
def get(c):
    return c.X
kernel:
    tl.store(p + i, tl.load(p + i) * get(P))
PY
edit k.py 's/X = 2.0/X = 3.0/'
edit k.py 's/Y = 1.0/X = 1.5/'
begin 'a class attribute made of a global' <<'PY'
== k.py
G = 2.0
class P:
    X = G
G = 5.0
kernel:
    tl.store(p + i, tl.load(p + i) * P.X)
PY
edit k.py 's/^G = 2.0/G = 3.0/'

begin 'a package goes before a file' <<'PY'
== k.py
import c
kernel:
    tl.store(p + i, tl.load(p + i) * c.K)
== c.py
import triton.language as tl
K = tl.constexpr(2.0)
PY
mkdir c
sed 's/2.0/3.0/' c.py >c/__init__.py
edit k.py '1i # beside c.py'
grep -q '0f40400000' first || fault "the file was taken" # 3.0
rm -r c

# ---- the order of statements ----
begin 'a default that is bound when its function is' <<'PY'
== k.py
A = tl.constexpr(2.0)
@triton.jit
def f(v, a=A):
    return v * a
A = tl.constexpr(7.0)
kernel:
    tl.store(p + i, f(tl.load(p + i)))
PY
edit k.py 's/constexpr(2.0)/constexpr(3.0)/'
grep -q '0f40400000' first || fault "the default is not what it was where the function is defined" # 3.0
begin 'a name that is bound again' <<'PY'
== k.py
A = 2.0
B2 = tl.constexpr(A * 4.0)
A = 100.0
kernel:
    tl.store(p + i, tl.load(p + i) * B2)
PY
grep -q '0f41000000' first || fault "a value is not made of what its names were" # 8.0
edit k.py 's/^A = 2.0/A = 3.0/'
begin 'a star import behind a definition' <<'PY'
== k.py
C = tl.constexpr(2.0)
from c import *
kernel:
    tl.store(p + i, tl.load(p + i) * C)
== c.py
import triton.language as tl
C = tl.constexpr(3.0)
PY
grep -q '0f40400000' first || fault "the import is later" # 3.0
edit c.py 's/3.0/5.0/'
begin 'functions of one name that are kernels by a call' <<'PY'
== k.py
def raw(v):
    return v * 2.0
f = triton.jit(raw)
def raw(v):
    return v + 3.0
g = triton.jit(raw)
kernel:
    tl.store(p + i, f(g(tl.load(p + i))))
PY
edit k.py 's/f(g(/g(f(/'
edit k.py 's/v \* 2.0/v * 4.0/'
begin 'chained assignment' <<'PY'
== k.py
A = 2.0
A = B2 = tl.constexpr(A + 1.0)
kernel:
    tl.store(p + i, tl.load(p + i) * B2)
PY
grep -q '0f40400000' first || fault "names of the statement itself were read"
begin 'a method does not see the names of its class' <<'PY'
== k.py
X = tl.constexpr(2.0)
class P:
    X = 9.0
    @staticmethod
    @triton.jit
    def f(v):
        return v * X
kernel:
    tl.store(p + i, P.f(tl.load(p + i)))
PY
edit k.py 's/constexpr(2.0)/constexpr(3.0)/'

# ---- edits that change nothing ----
begin 'nothing changes' <<'PY'
== k.py
import c
def host(x):
    return 1
@triton.jit
def kernel(p, B: tl.constexpr):
    """What it does."""
    i = tl.arange(0, B)
    tl.store(p + i, c.f(tl.load(p + i)))
def main():
    print(host(3))
== c.py
import triton
import os
VALUE = os.getpid()
@triton.jit
def f(v):
    return v * 2.0
PY
same k.py 's/return 1/return 2/'
same k.py 's/print(host(3))/print(host(4), kernel)/'
same k.py 's/What it does/Something else/'
same k.py '1i # a line'
same c.py 's/getpid/getppid/'
same k.py 's/import c$/import c  # other/'
mkdir deeper && mv k.py c.py deeper && cd deeper
same k.py '1i # moved'
cd .. && rm -r deeper

[ $bad -eq 0 ]
