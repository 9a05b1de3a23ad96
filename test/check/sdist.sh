#!/bin/sh
# A source distribution has all that `pip install` builds from: CMake configures what pyproject.toml puts into one, as pip has
# it configured, and finds each file that the wheel's targets are made of. Nothing is compiled; dist.sh builds a wheel.
set -eu
python=$(sh scripts/find-python) || { echo "no Python of 3.10 or newer was found"; exit 77; }
tree=$TMP/tree
mkdir "$tree"
if "$python" -c 'import scikit_build_core' 2>/dev/null; then
	"$python" -c 'import sys; from scikit_build_core.build import build_sdist; build_sdist(sys.argv[1])' "$TMP/sdist" >"$TMP/log" 2>&1 ||
		{ cat "$TMP/log"; exit 1; }
	tar xzf "$TMP"/sdist/neso-*.tar.gz -C "$tree" --strip-components 1
else # the folders that sdist.include names, and the files beside them
	included=$(sed -n 's/^sdist.include = \[\(.*\)\]$/\1/p' pyproject.toml | sed 's/"\//"/g' | tr -d '",')
	[ -n "$included" ]
	tar cf - --exclude __pycache__ $included CMakeLists.txt CMakePresets.json README.md pyproject.toml | tar xf - -C "$tree"
fi
[ ! -e "$tree/test" ]
# Not what lies in a build folder: patterns without a / in front would find its python, lib and include.
[ ! -e "$tree/build" ]
! grep '^sdist.include' pyproject.toml | grep -q '"[^/]'
set -- $(sed -n '/^\[tool.scikit-build.cmake.define\]/,/^\[/s/^\([A-Z_]*\) = "\(.*\)"$/-D\1=\2/p' pyproject.toml)
[ $# -ge 2 ]
cmake -S "$tree" -B "$TMP/build" -G Ninja -DCMAKE_BUILD_TYPE=Release "$@" >"$TMP/log" 2>&1 || { cat "$TMP/log"; exit 1; }
target=$(sed -n 's/^build.targets = \["\(.*\)"\]$/\1/p' pyproject.toml)
ninja -C "$TMP/build" -t inputs "$target" | grep "^$tree/" >"$TMP/files"
[ "$(wc -l <"$TMP/files")" -gt 500 ]
missing=$(while read -r file; do [ -e "$file" ] || echo "${file#"$tree/"}"; done <"$TMP/files")
[ -z "$missing" ] || { echo "not in the source distribution:"; echo "$missing"; exit 1; }
echo "$target is made of $(wc -l <"$TMP/files") of its files"
