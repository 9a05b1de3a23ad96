# triton.tools.compile and triton.tools.link: a program written for the files of upstream's compiles unchanged, and what
# it hands over arrives at the driver.
set -e
command -v ptxas >/dev/null || { echo "no ptxas"; exit 77; }
[ -e "$NESO_BUILD/libneso-codegen.so" ] || { echo "built without LLVM"; exit 77; }
[ -e "$NESO_BUILD/test/fake/libcuda.so.1" ] || { echo "no fake driver: cmocka is missing"; exit 77; }
[ -z "$NESO_SANITIZED" ] || { echo "a Python without the sanitizers cannot load the extension"; exit 77; }
[ -d "$NESO_BUILD/python/neso/_C" ] || { echo "no Python package"; exit 77; }
export TRITON_CACHE_DIR="$TMP/cache" PYTHONPATH="$NESO_BUILD/python" NESO_QUIET=1
python=${PYTHON:-/usr/bin/python3}
source=$NESO_ROOT/test/aot
cd "$TMP"
cp "$source/kernels.py" "$source"/look.[ch] "$source/../unit/fake/fake.h" .
cp "$NESO_BUILD/test/fake/libcuda.so.1" .

compile() { "$python" -m neso -m triton.tools.compile -t cuda:90:32 -w 4 "$@" kernels.py; }
for signature in "*fp32:16, *fp32:16, i32:16, fp32, 128" "*fp32:16, *fp32:16, i32, fp32, 128" "*fp32, *fp32, i32:1, fp32, 128" "*fp32, *fp32, i32, fp32, 256"; do
	compile -n scale -s "$signature" -g "(n + 127) / 128, 2, 1" -on scale -o scale
done
compile -n kinds -s "*fp64:16, i1, i8, u16, u32, i64, fp16, fp64, fp32, 3, 1" -g "1, 1, 1" -on kinds -o kinds
"$python" -m neso -m triton.tools.link scale.*_*.h -o scale
# The hash is of the signature's entries and the options, the suffix of what is known.
ls kinds.*_0d12345678910.h scale.*_012c34.c >/dev/null
hash=$(printf '*fp32:16 *fp32:16 i32 fp32 128 warps4xstages3' | sha256sum | cut -c1-8)
[ -e "scale.${hash}_0d1d234.h" ] || { ls; exit 1; }

cp kinds.*.h kinds.h
kinds=$(sed -n 's/^CUresult \([a-z0-9_]*\)(.*/\1/p' kinds.h)
cat >program.c <<'END'
#include <cuda.h>
#include <string.h>
#include "scale.h"
#include "kinds.h"
#include "look.h"
#define SEE(condition) if (!(condition)) return __LINE__
int main(void)
{
	float factor = 2.5f;
	uint32_t bits;
	memcpy(&bits, &factor, sizeof bits);
	SEE(scale_128_warps4xstages3(0, 16, 32, 77, 1) == CUDA_ERROR_INVALID_CONTEXT);
	SEE(look_begin() == 0);
	load_scale();
	SEE(scale_get_num_algos() == 3);
	SEE(scale_128_warps4xstages3((CUstream)0, 0x1230, 0x4560, 300, 2.5) == CUDA_SUCCESS);
	SEE(look_argument(0) == 0x1230 && look_argument(1) == 0x4560 && look_argument(2) == 300 && look_argument(3) == bits);
	SEE(look_grid(0) == 3 && look_grid(1) == 2);
	SEE(scale_128_warps4xstages3((CUstream)0, 0x1231, 0x4560, 300, 2.5) == CUDA_ERROR_INVALID_VALUE);
	look_count(3);
	SEE(scale_128x1_warps4xstages3((CUstream)0, 0x1231, 0x4560, 1, 2.5) == CUDA_SUCCESS && look_grid(0) == 1);
	look_count(4);
	SEE(scale((CUstream)0, 0x1231, 0x4560, 300, 2.5, 7) == CUDA_ERROR_INVALID_VALUE);
	unload_scale();
	SEE(scale_128_warps4xstages3((CUstream)0, 0x1230, 0x4560, 512, 2.5) == CUDA_SUCCESS);
	SEE(look_kinds() == 0);
	SEE(KINDS((CUstream)0, 0x100, 1, -2, 40000, 4000000000u, -5, 1.0 / 3, 1.25, 2.5) == CUDA_SUCCESS);
	SEE(look_argument(6) == 0x3555); /* a third as fp16 */
	SEE(look_argument(7) == 0x3ff4000000000000 && look_argument(8) == bits);
	return 0;
}
END
cat >>look.c <<'END'
void look_count(int count)
{
	fake()->arg_count = count;
}
int look_kinds(void)
{
	static const unsigned char bytes[] = {8, 1, 1, 2, 4, 8, 2, 8, 4};
	memcpy(fake()->arg_bytes, bytes, sizeof bytes);
	memset(fake()->last.args, 0, sizeof fake()->last.args);
	fake()->arg_count = 9;
	return 0;
}
END
echo 'int look_kinds(void); void look_count(int count);' >>look.h
for flags in "-std=c11 -D_DEFAULT_SOURCE" "-std=gnu17"; do
	# shellcheck disable=SC2086
	gcc $flags -Wall -Wextra -Wpedantic -Werror -I. -I"$source/cuda" "-DKINDS=$kinds" program.c scale*.c kinds.*.c look.c -pthread -ldl -o program
	LD_LIBRARY_PATH=. ./program || { echo "line $? of the program"; exit 1; }
done
if command -v g++ >/dev/null; then
	g++ -std=c++17 -x c++ -Wall -Wextra -Wpedantic -Werror -I. -I"$source/cuda" -c scale.c -o /dev/null
	for file in scale.*_*.c; do
		g++ -std=c++17 -x c++ -Wall -Wextra -Wpedantic -Werror -I. -I"$source/cuda" -c "$file" -o /dev/null
	done
fi

# What is wrong is said.
fails() { # TEXT OPTION...
	wanted=$1
	shift
	! compile "$@" 2>log || { echo "it is taken: $*"; exit 1; }
	grep -q "$wanted" log || { cat log; exit 1; }
}
fails "three numbers" -n scale -s "*fp32, *fp32, i32, fp32, 128" -g 1
fails "4 entries" -n scale -s "*fp32, *fp32, i32, fp32" -g 1,1,1
fails "hint is 1 or 16" -n scale -s "*fp32:8, *fp32, i32, fp32, 128" -g 1,1,1
fails "neso aot has tensor descriptors" -n copy -s "tensordesc<fp16[16, 64]>, tensordesc<fp16[16, 64]>, i32, 64" -g 1,1,1
! "$python" -m neso -m triton.tools.link look.h -o other 2>log || { echo "a header without the line is taken"; exit 1; }
grep -q "tt-linker" log
