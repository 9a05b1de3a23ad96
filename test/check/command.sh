# The command: help, exit status, arrays in and out, JSON. Its results are compared with what it must print.
set -eu
cat >"$TMP/copy.py" <<'END'
import triton
import triton.language as tl


@triton.jit
def copy(x_ptr, y_ptr, n, BLOCK: tl.constexpr = 64):
    """Copies n elements, converting them."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + i, tl.load(x_ptr + i, mask=i < n).to(y_ptr.dtype.element_ty), mask=i < n)
END
file=$TMP/copy.py

# status EXPECTED COMMAND...
status() {
	wanted=$1
	shift
	got=0
	"$@" >"$TMP/stdout" 2>"$TMP/stderr" || got=$?
	if [ "$got" -ne "$wanted" ]; then
		echo "status $got, expected $wanted: $*"
		cat "$TMP/stdout" "$TMP/stderr"
		exit 1
	fi
}
says() { grep -q -e "$1" "$TMP/stdout" || { echo "stdout lacks '$1':"; cat "$TMP/stdout"; exit 1; }; }
complains() { grep -q -e "$1" "$TMP/stderr" || { echo "stderr lacks '$1':"; cat "$TMP/stderr"; exit 1; }; }

# A process that makes no code for GPUs maps no compiler.
LD_DEBUG=files neso run "$file" -g 1 ones:64:fp32 zeros:64:fp32 64 -q 2>"$TMP/loaded"
if grep -q libneso-codegen "$TMP/loaded"; then grep libneso "$TMP/loaded"; exit 1; fi

# What upstream's MLIR_ENABLE_DUMP shows: all kernels, or one by name; into a file where one is named.
for value in 1 copy other 0; do
	MLIR_ENABLE_DUMP=$value status 0 neso run "$file" -g 1 ones:64:fp32 zeros:64:fp32 64 -q
	case $value in
	1 | copy) complains 'IR Dump Before canonicalize'; complains 'tt.func public @copy' ;;
	*) if grep -q 'IR Dump' "$TMP/stderr"; then echo "MLIR_ENABLE_DUMP=$value shows something"; exit 1; fi ;;
	esac
done
MLIR_ENABLE_DUMP=1 MLIR_DUMP_PATH=$TMP/dumped status 0 neso run "$file" -g 1 ones:64:fp32 zeros:64:fp32 64 -q
if grep -q 'IR Dump' "$TMP/stderr" || ! grep -q 'IR Dump Before' "$TMP/dumped"; then echo "MLIR_DUMP_PATH is not used"; exit 1; fi

# Help everywhere, on standard output.
status 0 neso --help
says 'usage: neso COMMAND'
for command in run compile opt list info; do
	status 0 neso $command --help
	says "usage: neso $command"
	status 0 neso help $command
	says "usage: neso $command"
done
status 0 neso --version
says '^neso [0-9]*\.[0-9]*\.[0-9]*$'

# A limit for compiling; what is no time is told.
cat >"$TMP/slow" <<'END'
#!/bin/sh
case $1 in --version) echo 'Cuda compilation tools, release 12.8, V12.8.93'; exit;; esac
echo $$ >"${0%/*}/slow.pid"
sleep 60 &
wait
END
chmod +x "$TMP/slow"
signature='*fp32,*fp32,i32,64'
status 1 neso compile "$file" -s "$signature" --target sm_80 --ptxas "$TMP/slow" --compile-timeout 1 --emit cubin -o "$TMP/out.cubin"
complains "compiling 'copy' was ended: it took more than 1 s"
NESO_COMPILE_TIMEOUT=1 status 1 neso compile "$file" -s "$signature" --target sm_80 --ptxas "$TMP/slow" --emit cubin -o "$TMP/out.cubin"
complains "more than 1 s"
if kill -0 "$(cat "$TMP/slow.pid")" 2>/dev/null; then echo "the assembler lives on"; exit 1; fi
test ! -e "$TMP/out.cubin"
status 2 neso compile "$file" -s "$signature" --compile-timeout soon
complains "compile-timeout wants seconds, not 'soon'"
status 2 neso run "$file" -g 1 ones:64:fp32 zeros:64:fp32 64 -q --timeout 1x
complains "timeout wants seconds, not '1x'"

# What would have no effect is told: checks without a simulator, overrides that cannot be, tolerances.
run="neso run $file -g 1 ones:64:fp32 zeros:64:fp32 64"
for option in --check '--schedules 3'; do
	status 1 $run -q $option
	complains "is the simulator's, and this launch is for interp" # DIAG_CHECK_TARGET
	status 0 $run -q $option --target sim:sm_80
done
for target in interp sim:sm_80; do
	TRITON_KERNEL_OVERRIDE=$TMP/none.ttgir status 1 $run -q --target $target
	complains 'TRITON_KERNEL_OVERRIDE names .*none.ttgir, and it cannot be read'
	TRITON_KERNEL_OVERRIDE=$TMP/none status 1 $run -q --target $target
	complains "its name ends with no stage: .ttir, .ttgir, .llir, .ptx, .cubin" # DIAG_OVERRIDE_FILE
	echo '.entry other(' >"$TMP/other.ptx"
	TRITON_KERNEL_OVERRIDE=$TMP/other.ptx status 0 $run -q --target $target
	complains "which has no function 'copy': it changes nothing here" # DIAG_OVERRIDE_UNUSED
	TRITON_KERNEL_OVERRIDE=1 TRITON_OVERRIDE_DIR=$TMP/none status 0 $run -q --target $target
	complains "the folder .*none is not there: it changes nothing" # DIAG_OVERRIDE_FOLDER
	echo '.entry copy(' >"$TMP/copy.ptx"
	TRITON_KERNEL_OVERRIDE=$TMP/copy.ptx status 0 $run -q --target $target
	complains "copy.ptx, and the .* runs .*: it changes nothing here" # DIAG_OVERRIDE_STAGE
	MLIR_ENABLE_DUMP=other status 0 $run -q --target $target
	complains "MLIR_ENABLE_DUMP names 'other', and .* has no kernel of this name" # DIAG_DUMP_NAME
	NESO_DUMP_KERNEL='o*' NESO_DUMP=$TMP/passes status 0 $run -q --target $target
	complains "NESO_DUMP_KERNEL names 'o\*', and .* has no kernel of this name"
	NESO_DUMP_KERNEL='c*' status 0 $run -q --target $target
	complains "NESO_DUMP_KERNEL names 'c\*', and NESO_DUMP no folder: nothing is dumped" # DIAG_DUMP_FOLDER
	rm -rf "$TMP/dump"
	TRITON_KERNEL_DUMP=1 TRITON_DUMP_DIR=$TMP/dump status 0 $run -q --target $target
	grep -q 'tt.func public @copy' "$TMP"/dump/*/copy.ttir
done
grep -q 'define .*@copy' "$TMP"/dump/*/copy.llir
for option in --atol --rtol; do
	status 2 $run $option much
	complains "wants a number that is not negative, not 'much'"
done
status 0 $run --json -p x_ptr
says '^{"kernel": "copy", "compile_seconds": .*"arrays": \[{"name": "x_ptr", .*"changed": false, .*"values": \[1, 1, '
says '{"name": "y_ptr", "dtype": "fp32", "shape": \[64\], "changed": true, "min": 1, "max": 1, "mean": 1, "first": \[1, 1, 1, 1, 1, 1\]}\]}$'
status 0 neso run "$file" -g 1 full:64:i32:-2147483648 zeros:64:i32 64 -q -p y_ptr
says '^-2147483648 -2147483648 '
status 0 neso run "$file" -g 1 full:64:fp32:nan zeros:64:fp32 64 --json
says '"first": \["nan", '

# Wrong command lines: 2.
status 2 neso
status 2 neso frobnicate
complains "no command 'frobnicate'"
status 2 neso run --frobnicate
complains "unknown option '--frobnicate' (--help lists them)"
status 2 neso run --gird 3
complains "unknown option '--gird'; did you mean '--grid'?"
status 2 neso cmpile
complains "no command 'cmpile'; did you mean 'compile'?"
status 2 neso run "$file:copy" --grid 'cdiv(m,2)' x_ptr=rand:64:fp32 y_ptr=zeros:64:fp32 n=64
complains "column 6: 'm' is no integer argument; did you mean 'n'?"
status 2 neso run "$file:copy" --grid 1 x_ptr=rnd:64:fp32
complains "no way to make an array is called 'rnd'; did you mean 'rand'?"
status 2 neso run "$file:copy" --grid 1 x_ptr=x.npz
complains 'arrays are read from .npy files, one each'
status 2 neso run "$file:copy" x_ptr=rand:64:fp32
complains 'wants --grid'
status 2 neso run "$file:copy" --grid 1,1,1,1
complains 'more than three axes'
# A switch is on or off.
status 0 env NESO_STRICT_TRITON=maybe neso compile "$file:copy" -s "$signature" -o "$TMP/x"
complains "NESO_STRICT_TRITON is 'maybe', which is neither on (1, true, on, yes, y) nor off" # DIAG_SETTING_SWITCH
status 0 env TRITON_KERNEL_OVERRIDE=maybe neso compile "$file:copy" -s "$signature" -o "$TMP/x"
complains "TRITON_KERNEL_OVERRIDE is 'maybe', which is neither on"
status 0 env NESO_STRICT_TRITON=NO TRITON_DEBUG=Off neso compile "$file:copy" -s "$signature" -o "$TMP/x"
[ ! -s "$TMP/stderr" ] || { echo "told of a switch:"; cat "$TMP/stderr"; exit 1; }
status 2 neso run "$file:copy" --grid '64/2'
complains 'column 3: a grid has whole numbers: cdiv(n, BLOCK) divides and rounds up'
status 2 neso run "$file:copy" --grid 1 x_ptr="$file"
complains "is there, and arrays are read from .npy files"
status 2 neso compile "$file:copy" -s "$signature" --most 3
complains '[-]-most is a limit of declarations'
: >"$TMP/empty.py"
status 1 neso compile "$TMP/empty.py"
complains 'has no kernel: a function at module level that @triton.jit decorates'
status 2 neso run "$file:copy" --grid 'cdiv(q,2)'
complains "column 6: 'q' is no integer argument"
status 2 neso run "$file:copy" --grid 1 x_ptr=rand:64:float99
complains "no dtype 'float99'"
status 2 neso run "$file:copy" --grid 1 x_ptr=ones:64:fp32 y_ptr=zeros:64:fp32 n=99999999999999999999
complains "99999999999999999999 is out of range: no dtype holds it"
status 2 neso run "$file:copy" --target sm90 --grid 1 x_ptr=ones:64:fp32 y_ptr=zeros:64:fp32 n=64
complains "unknown target 'sm90'; did you mean 'sm_90'? *; known are: interp sm_75"
status 0 neso run "$file:copy" --grid 1 x_ptr=zeros:64:fp32 y_ptr=zeros:64:fp32 n=64
says '^no array was changed$'
status 0 neso run "$file:copy" --grid 0 x_ptr=ones:64:fp32 y_ptr=zeros:64:fp32 n=64
says '^no array was changed: the grid has no program$'
status 0 neso run "$file:copy" --grid 0 x_ptr=ones:64:fp32 y_ptr=zeros:64:fp32 n=64 --quiet
[ ! -s "$TMP/stdout" ]
status 1 neso compile "$file:copy"
complains 'note: --signature gives each parameter'
status 1 neso compile "$file:copy" --signature '*fp32,*fp32,i32,64' --emit ptx
# DIAG_STAGE_TARGET
complains "stage 'ptx' is of code for a GPU, and this is for the interpreter"
complains 'note: --target sm_90a'
status 2 neso run "$file:copy" --grid 1 n=3 --out n=x.npy
complains "no argument 'n' is an array"
status 2 neso compile "$file:copy" --num-warps many
complains 'wants a number'

# Faults of the input: 1.
status 1 neso run "$TMP/nothing.py:copy" --grid 1
complains 'cannot read'
status 1 neso run "$file:cupy" --grid 1
complains "did you mean 'copy'"
status 1 neso run "$file:copy" --grid 1 x_ptr="$TMP/nothing.npy"
complains 'cannot read'
status 1 neso run "$file:copy" --grid 1 x_ptr=rand:64:fp32 y_ptr=zeros:64:fp32
complains "no value for parameter 'n'"
status 1 neso run "$file:copy" --json --grid 1 x_ptr=rand:64:fp32 y_ptr=zeros:64:fp32
complains '^\[{"severity": "error", "code": "ARG_MISSING"'
status 1 neso run "$file:copy" --grid 2 x_ptr=rand:64:fp32 y_ptr=zeros:64:fp32 n=100
complains 'x_ptr'

# Arrays: through a file and back, in each dtype; bf16 and fp8 as integers of their size.
for dtype in i1 i8 i16 i32 i64 u8 u16 u32 u64 fp16 bf16 fp32 fp64 fp8e5 fp8e4nv; do
	status 0 neso run "$file:copy" --grid 'cdiv(n,BLOCK)' x_ptr=rand:10x10:$dtype:3 y_ptr=zeros:10x10:$dtype n=100 \
		--out y_ptr="$TMP/$dtype.npy" --expect y_ptr=rand:10x10:$dtype:3
	says "^y_ptr: $dtype\[10, 10\]"
	status 0 neso run "$file" --grid 2 -q x_ptr="$TMP/$dtype.npy:$dtype" y_ptr=zeros:100:$dtype n=100 \
		--expect y_ptr="$TMP/$dtype.npy:$dtype"
	[ ! -s "$TMP/stdout" ]
done
status 1 neso run "$file" --grid 2 x_ptr=ones:100:fp32 y_ptr=zeros:100:fp32 n=99 --expect y_ptr=ones:100:fp32
complains 'differs in 1 of 100 elements; the first is 99: 0, expected 1'
status 0 neso run "$file" --grid 2 x_ptr=full:100:fp32:1.01 y_ptr=zeros:100:fp32 n=100 --expect y_ptr=ones:100:fp32 --atol 0.02

# What NumPy writes: C and Fortran order, big-endian.
npy() { # NAME DESCR ORDER SHAPE BYTES
	header="{'descr': '$2', 'fortran_order': $3, 'shape': ($4), }"
	while [ $(((10 + ${#header} + 1) % 64)) -ne 0 ]; do header="$header "; done
	length=$((${#header} + 1))
	{ printf '\223NUMPY\001\000'; printf "\\$(printf %o $((length % 256)))\\$(printf %o $((length / 256)))"; echo "$header"; printf "$5"; } >"$TMP/$1.npy"
}
npy c '<i2' False '2, 3' '\001\000\002\000\003\000\004\000\005\000\006\000'
npy fortran '<i2' True '2, 3' '\001\000\004\000\002\000\005\000\003\000\006\000'
npy big '>i2' False '2, 3' '\000\001\000\002\000\003\000\004\000\005\000\006'
for name in c fortran big; do
	status 0 neso run "$file" --grid 1 -q x_ptr="$TMP/$name.npy" y_ptr=zeros:6:i64 n=6 --print y_ptr
	says '^1 2 3 4 5 6$'
done
status 0 neso run "$file" --grid 1 -q x_ptr=arange:4:fp32 y_ptr=zeros:4:bf16 n=4 --out y_ptr="$TMP/raw.npy"
status 0 neso run "$file" --grid 1 -q x_ptr="$TMP/raw.npy" y_ptr=zeros:4:i32 n=4 --print y_ptr
says '^0 16256 16384 16448$'
status 0 neso run "$file" --grid 1 -q x_ptr=arange:4:fp32 y_ptr=zeros:4:bf16 n=4 --out y_ptr="$TMP/converted.npy:fp32"
status 0 neso run "$file" --grid 1 -q x_ptr="$TMP/converted.npy" y_ptr=zeros:4:i32 n=4 --print y_ptr
says '^0 1 2 3$'
npy short '<i4' False '5,' '\001\000'
status 1 neso run "$file" --grid 1 x_ptr="$TMP/short.npy" y_ptr=zeros:6:i64 n=6
complains 'ends in its data'

# Arguments by position, constants, the other commands.
status 0 neso run "$file:copy" --grid 1 rand:32:fp32:1 zeros:32:fp32 32 BLOCK=32 --expect y_ptr=rand:32:fp32:1 --time
says 'compile .* ms, run .* ms'
status 0 neso compile "$file:copy" --signature '*fp32:16,*fp32:16,i32' --emit ttir --no-loc
says 'tt.func public @copy'
if [ -e "$NESO_BUILD/libneso-codegen.so" ]; then
	status 0 neso compile "$file:copy" --signature '*fp32:16,*fp32:16,i32' --target sm_90a --emit ptx --no-loc
	says 'visible .entry copy'
fi
status 0 neso compile "$file:copy" --signature '*fp32:16,*fp32:16,i32' --emit ttir -o "$TMP/out.ttir"
[ ! -s "$TMP/stdout" ]
grep -q 'tt.func public @copy' "$TMP/out.ttir"
status 0 neso opt "$TMP/out.ttir" -o "$TMP/again.ttir"
cmp "$TMP/out.ttir" "$TMP/again.ttir"
status 0 neso opt --pass=canonicalize,cse --verify-each --stress --no-loc "$TMP/out.ttir"
says 'tt.store'
status 1 neso opt --pass=canonicalise "$TMP/out.ttir"
complains "unknown pass 'canonicalise' (did you mean 'canonicalize'?)"
status 0 neso opt --list-passes
says '^  inline  *[a-z]'
says '^\* cse  *[a-z]'
status 0 neso list "$file"
says '^@triton.jit$'
says '^copy(x_ptr, y_ptr, n, BLOCK: tl.constexpr = 64)    # line 6$'
says '^    Copies n elements, converting them\.$'
status 0 neso list --json "$file"
says '"name": "BLOCK", "annotation": "tl.constexpr", "default": "64", "constexpr": true'
status 0 neso info
says '^targets *interp'
says '^codegen  *[0-9n]'
says '^ptxas  *[0-9n]'
# The GPUs of a fake driver; a driver that is not there is said, and no error.
if [ -f "$NESO_BUILD/test/fake/libcuda.so.1" ]; then
	TRITON_LIBCUDA_PATH=$NESO_BUILD/test/fake/libcuda.so.1
	export TRITON_LIBCUDA_PATH
	status 0 neso info
	says "^driver  *13.0.* at $TRITON_LIBCUDA_PATH$"
	says '^gpus  *Fake GPU 0 (sm_90a, 132 SMs, 0 GiB), Fake GPU 1'
fi
TRITON_LIBCUDA_PATH=$TMP/libcuda.so.1 NESO_PTXAS=$TMP/ptxas
export TRITON_LIBCUDA_PATH NESO_PTXAS
status 0 neso info
says "^driver  *none: no NVIDIA driver: $TMP/libcuda.so.1"
says '^gpus  *none$'
says "^ptxas  *none: no ptxas: $TMP/ptxas is not a program"
status 0 neso info --json
says '"gpus": "none"'
unset TRITON_LIBCUDA_PATH NESO_PTXAS
