# neso_add_kernels of the installed CMake package: a project elsewhere, in C and in C++, has kernels in its programs and
# libraries. The build folder is not used; programs run when the installed tree is gone, too.
set -e
command -v ptxas >/dev/null || { echo "no ptxas"; exit 77; }
[ -e "$NESO_BUILD/libneso-codegen.so" ] || { echo "built without LLVM"; exit 77; }
[ -e "$NESO_BUILD/test/fake/libcuda.so.1" ] || { echo "no fake driver: cmocka is missing"; exit 77; }
[ -z "${NESO_SANITIZED:-}" ] || { echo "programs without the sanitizers cannot load this build's driver"; exit 77; }
export TRITON_CACHE_DIR="$TMP/cache"
cmake --install "$NESO_BUILD" --prefix "$TMP/first" >"$TMP/log" || { cat "$TMP/log"; exit 1; }
mv "$TMP/first" "$TMP/installed"
mkdir "$TMP/project" "$TMP/driver"
cp test/aot/kernels.py test/aot/look.[ch] test/unit/fake/fake.h "$TMP/project"
cp "$NESO_BUILD/test/fake/libcuda.so.1" "$TMP/driver"
cd "$TMP/project"
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.16)
project(user C)
find_package(neso 0.1 REQUIRED)
add_executable(user main.c look.c)
neso_add_kernels(user kernels.py:scale SIGNATURES "*fp32:16, *fp32:16, i32:*, fp32, {128, 256}" "*fp32, *fp32, i32, fp32, 128"
  GPUS sm_80 sm_90a NAME kernels OPTIONS --num-warps 8)
neso_add_kernels(others kernels.py:nothing GPUS sm_90a PREFIX my_ PTX none)
target_link_libraries(user PRIVATE others ${CMAKE_DL_LIBS})
END
cat >main.c <<'END'
#include "kernels.h"
#include "look.h"
#include "others.h"
int main(void)
{
	if (look_begin() || kernels_load(NESO_AOT_ABI) || scale(0, 3, 2, 1, (void *)0x1230, (void *)0x4564, 77, 2.5f, 128))
		return 1;
	if (look_argument(0) != 0x1230 || look_argument(1) != 0x4564 || look_argument(2) != 77 || look_grid(0) != 3)
		return 2;
	return my_nothing(0, 0, 1, 1);
}
END
export LD_LIBRARY_PATH="$TMP/driver"
build() { # FOLDER
	cmake -S . -B "$1" -G Ninja -DCMAKE_PREFIX_PATH="$TMP/installed" >"$TMP/log" 2>&1 || { cat "$TMP/log"; exit 1; }
	env -u LD_LIBRARY_PATH cmake --build "$1" >"$TMP/log" 2>&1 || { cat "$TMP/log"; exit 1; }
}
build build
./build/user
build build
grep -q 'no work to do' "$TMP/log" || { cat "$TMP/log"; echo "it is built again"; exit 1; }
touch kernels.py
build build
grep -q 'Compiling kernels' "$TMP/log" || { echo "an edit of the kernels is not seen"; exit 1; }

# The example of the repository, which finds no driver where there is none.
cmake -S "$NESO_ROOT/examples/aot" -B "$TMP/example" -G Ninja -DCMAKE_PREFIX_PATH="$TMP/installed" >"$TMP/log" 2>&1 || { cat "$TMP/log"; exit 1; }
env -u LD_LIBRARY_PATH cmake --build "$TMP/example" >"$TMP/log" 2>&1 || { cat "$TMP/log"; exit 1; }
[ -x "$TMP/example/main" ]

# C++ alone.
command -v c++ >/dev/null || exit 0
mkdir cpp && mv main.c cpp/main.cpp && cp kernels.py look.h fake.h cpp && sed 's/= library ? dlsym(library, "fake_cuda") : NULL/= dlsym(library, "fake_cuda")/' look.c >cpp/look.cpp
sed 's/user C)/user CXX)/; s/main.c look.c/main.cpp look.cpp/' CMakeLists.txt >cpp/CMakeLists.txt
cd cpp
build build
mv "$TMP/installed" "$TMP/gone"
./build/user
