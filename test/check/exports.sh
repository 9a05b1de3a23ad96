# Only neso_* leaves the library, it needs nothing but the C library, and holds no writable global data.
set -e
library=$NESO_BUILD/libneso.so
symbols=$(nm -D -g --defined-only "$library" | awk '{ print $NF }' | grep -v '^__\|^_init$\|^_fini$' || true)
[ -n "$symbols" ]
foreign=$(printf '%s\n' "$symbols" | grep -v '^neso_' || true)
[ -z "$foreign" ] || { echo "exported: $foreign"; exit 1; }
# What neso.h declares is there, and nothing else.
grep -hoE '\bneso_[a-z0-9_]+\(' include/neso/*.h | tr -d '(' | sort -u >"$TMP/mentioned"
printf '%s\n' "$symbols" | sort -u >"$TMP/exported"
hidden=$(comm -23 "$TMP/exported" "$TMP/mentioned")
[ -z "$hidden" ] || { echo "exported, in no header: $hidden"; exit 1; }
if [ -z "$NESO_SANITIZED" ]; then
	needed=$(readelf -d "$library" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | grep -v -E '^lib(c|m|pthread|gcc_s)\.so|^ld-linux' || true)
	[ -z "$needed" ] || { echo "needs $needed"; exit 1; }
fi
# It never prints and never ends the process. _exit is for a child that could not become the tool that it is
# to run.
called=$(nm -D --undefined-only "$library" | awk '{ print $NF }' | sed 's/@.*//' |
	grep -x -E 'exit|abort|printf|puts|putchar|perror|stdout|stderr|system|popen|fork' || true)
if [ -z "$NESO_SANITIZED" ]; then
	[ "$called" = abort ] || [ -z "$called" ] || { echo "calls $called"; exit 1; }
fi
ends=$(nm -A "$NESO_BUILD/libneso_internal.a" 2>/dev/null | grep ' U _exit$' | grep -v ':run\.c\.o:' || true)
[ -z "$ends" ] || { echo "calls _exit: $ends"; exit 1; }
# What speaks to remote caches gives its table away, and needs libcurl, and hiredis where that has no static library.
remote=$NESO_BUILD/libneso-remote.so
if [ -f "$remote" ]; then
	symbols=$(nm -D -g --defined-only "$remote" | awk '{ print $NF }' | grep -v '^__\|^_init$\|^_fini$' || true)
	[ "$symbols" = neso_remote_table ] || { echo "exported: $symbols"; exit 1; }
	if [ -z "$NESO_SANITIZED" ]; then
		needed=$(readelf -d "$remote" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | grep -v -E '^lib(c|m|pthread|gcc_s|curl|hiredis)\.so|^ld-linux' || true)
		[ -z "$needed" ] || { echo "$(basename "$remote") needs $needed"; exit 1; }
	fi
fi
# (-g: gold lists what is thread-local in the table of dynamic symbols, as local ones, which nobody finds.)
# The compiler for GPUs gives its table away and nothing of LLVM; linked statically it needs nothing else either.
codegen=$NESO_BUILD/libneso-codegen.so
[ -f "$codegen" ] || exit 0
symbols=$(nm -D -g --defined-only "$codegen" | awk '{ print $NF }' | grep -v '^__\|^_init$\|^_fini$' || true)
[ "$symbols" = neso_codegen_table ] || { echo "exported: $symbols"; exit 1; }
if grep -q '^NESO_LLVM_STATIC:BOOL=ON' "$NESO_BUILD/CMakeCache.txt" && [ -z "$NESO_SANITIZED" ]; then
	needed=$(readelf -d "$codegen" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | grep -v -E '^lib(c|m|pthread|dl)\.so|^ld-linux' || true)
	[ -z "$needed" ] || { echo "$(basename "$codegen") needs $needed"; exit 1; }
	# What they need of the C library is what glibc 2.34 has, wherever they are built.
	for file in "$library" "$codegen" "$remote" "$NESO_BUILD"/python/neso/_native.abi3.so; do
		[ -f "$file" ] || continue
		newest=$(nm -D --undefined-only "$file" | sed -n 's/.*@GLIBC_\(2\.[0-9]*\).*/\1/p' | sort -t. -k2,2n | tail -n 1)
		[ "${newest#2.}" -le 34 ] || { echo "$(basename "$file") needs glibc $newest"; exit 1; }
	done
fi
