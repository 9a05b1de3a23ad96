#!/bin/sh
# bench/gpu/aot.sh BUILD: builds examples/aot in a folder where nothing of Neso is but what neso aot wrote, runs it on this
# machine's GPU, and measures what a launch costs beside cuLaunchKernel of the same cubin (goal: 0.1 us more at most).
set -e
build=$(cd "${1:-build/release}" && pwd)
root=$(cd "$(dirname "$0")/../.." && pwd)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -1 | tr -d .)
target=sm_$capability
[ "$capability" -lt 90 ] || target=${target}a
"$build/neso" aot "$root/examples/vector_add.py:add_kernel" --target "sm_80,$target" --name kernels -o "$place" \
	-s "*fp32:16, *fp32:16, *fp32:16, i32:*, 1024" -s "*fp32, *fp32, *fp32, i32, 1024"
"$build/neso" compile "$root/examples/vector_add.py:add_kernel" -s "*fp32:16, *fp32:16, *fp32:16, i32:16, 1024" --target "$target" \
	--emit cubin -o "$place/add.cubin"
cp "$root/examples/aot/main.c" "$place"
cd "$place"
cc -O2 -std=c11 -D_DEFAULT_SOURCE -Wall -Wextra -Wpedantic -Werror main.c kernels.c -pthread -ldl -o main
env -i PATH=/usr/bin:/bin ./main
env -i PATH=/usr/bin:/bin ./main 1
env -i PATH=/usr/bin:/bin ./main --launches 500
# The PTX, compiled by the driver: the code of the GPU itself is left out.
"$build/neso" aot "$root/examples/vector_add.py:add_kernel" --target sm_75 --ptx sm_80 --name kernels -o "$place" \
	-s "*fp32:16, *fp32:16, *fp32:16, i32:*, 1024" -s "*fp32, *fp32, *fp32, i32, 1024" >/dev/null 2>&1
cc -O2 -std=c11 -D_DEFAULT_SOURCE main.c kernels.c -pthread -ldl -o by_ptx
env -i PATH=/usr/bin:/bin ./by_ptx
if command -v fatbinary >/dev/null; then
	"$build/neso" aot "$root/examples/vector_add.py:add_kernel" --target "$target" --compress --ptx none --name kernels -o "$place" \
		-s "*fp32:16, *fp32:16, *fp32:16, i32:*, 1024" -s "*fp32, *fp32, *fp32, i32, 1024" >/dev/null 2>&1
	cc -O2 -std=c11 -D_DEFAULT_SOURCE main.c kernels.c -pthread -ldl -o packed
	env -i PATH=/usr/bin:/bin ./packed
fi
