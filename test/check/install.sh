# An installed tree works for users: pkg-config, the CMake package, the command, and after a move.
set -e
prefix=$TMP/first
cmake --install "$NESO_BUILD" --prefix "$prefix" >"$TMP/log" || { cat "$TMP/log"; exit 1; }
mv "$prefix" "$TMP/moved"
prefix="$TMP/moved"
if [ -x "$NESO_BUILD/neso" ]; then
	"$prefix/bin/neso" --version >"$TMP/version" # finds its library without LD_LIBRARY_PATH
	grep -q '^neso [0-9]' "$TMP/version"
fi

mkdir "$TMP/user"
cat >"$TMP/user/user.c" <<'END'
#include <neso/neso.h>
#include <stdio.h>

int main(void)
{
	printf("neso %s\n", neso_version());
	return neso_abi_version() != WANTED_ABI;
}
END
abi=$(sed -n 's/^set(NESO_ABI \([0-9]*\))/\1/p' CMakeLists.txt)
compiler=$(sed -n 's/^CMAKE_C_COMPILER:[A-Z]*=//p' "$NESO_BUILD/CMakeCache.txt")
flags="-DWANTED_ABI=${abi}u"
[ -z "$NESO_SANITIZED" ] || flags="$flags -fsanitize=address,undefined"

if command -v pkg-config >/dev/null; then
	pc=$(find "$prefix" -name neso.pc)
	PKG_CONFIG_PATH=$(dirname "$pc")
	export PKG_CONFIG_PATH
	eval "\"$compiler\" $flags \"$TMP/user/user.c\" $(pkg-config --cflags --libs neso) \
		-Wl,-rpath,'$(dirname "$PKG_CONFIG_PATH")' -o \"$TMP/user/by_pc\""
	"$TMP/user/by_pc"
fi

cat >"$TMP/user/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.16)
project(user C)
find_package(neso 0.1 REQUIRED)
add_executable(by_cmake user.c)
target_link_libraries(by_cmake PRIVATE neso::neso)
END
cmake -S "$TMP/user" -B "$TMP/user/build" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$compiler" \
	-DCMAKE_C_FLAGS="$flags" >"$TMP/log" 2>&1 || { cat "$TMP/log"; exit 1; }
cmake --build "$TMP/user/build" >"$TMP/log" 2>&1 || { cat "$TMP/log"; exit 1; }
"$TMP/user/build/by_cmake"
