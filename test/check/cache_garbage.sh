# Files that are no entries of the cache are refused: random bytes, repeated ones, and some thousand mutations of an entry
# whose checksums were put right again.
target=fuzz_cache limit=10 bytes=4000000 libs='-lcrypto -lzstd'
. test/fuzz/replay.sh
: >"$TMP/text"
replay "nothing"
head -c 8000000 /dev/urandom >"$TMP/text"
replay "random bytes"
head -c 8000000 /dev/zero >"$TMP/text"
replay "null bytes"
for unit in 'NESOENTR' 'aN' '\N' 'a'; do
	fill "$unit"
done
timeout 300 "$TMP/fuzz" -m 20000 || { echo "mutations"; exit 1; }
# Entries and a pack as a kernel leaves them.
if command -v ptxas >/dev/null && [ -f "$NESO_BUILD/libneso-codegen.so" ]; then
	export TRITON_CACHE_DIR="$TMP/cache"
	neso compile examples/vector_add.py -s "*fp32:16, *fp32:16, *fp32:16, i32, 1024" --target sm_80 --emit cubin -o "$TMP/cubin"
	neso cache pack "$TMP/pack"
	for file in "$TMP/pack" "$TMP"/cache/neso-1/*/*/*; do
		timeout 300 "$TMP/fuzz" -m 1000 "$file" || { echo "$file: mutations"; exit 1; }
	done
fi
